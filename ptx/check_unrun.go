package ptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
)

// This file checks the operands of fabric instructions, of instructions for structured sparse
// vectors, and of tcgen05.ld.red. Crosslane does not run them. The manual describes the operands,
// and the vendor's assembler says which registers and constants are legal.

// checkFabricGet checks fabric.try_get (PTX 9.7.10.5.1).
func checkFabricGet(c *checker, in *Instr, v *variant) {
	r := &reader{c: c, in: in, v: v}
	r.shared("dst")
	r.fabric("src", 2)
	r.size()
	r.shared("mbar")
	r.end()
}

// checkFabricPut checks fabric.try_put and fabric.try_red (PTX 9.7.10.5.2 and 9.7.10.5.3). With
// .counted::bytes the address has the offset of a counter, too.
func checkFabricPut(c *checker, in *Instr, v *variant) {
	if v.says("counted::bytes") && v.says("cp_mask") {
		c.errorf(in.Pos, diag.Input, codeModifier, "%s has .counted::bytes and .cp_mask, which exclude each other", in.Op)
		return
	}
	r := &reader{c: c, in: in, v: v}
	n := 2
	if v.says("counted::bytes") {
		n = 3
	}
	r.fabric("dst", n)
	r.shared("src")
	r.size()
	r.shared("mbar")
	if v.says("cp_mask") {
		r.source("byteMask", U16)
	}
	r.end()
}

// checkFabricPull checks fabric.try_pullred (PTX 9.7.10.5.4). All lanes of the warp execute it.
func checkFabricPull(c *checker, in *Instr, v *variant) {
	r := &reader{c: c, in: in, v: v}
	r.shared("dst")
	r.fabric("src", 2)
	r.size()
	r.shared("mbar")
	const all = 0xffffffff
	if o := r.take("membermask"); o != nil && (o.Kind != KindInt || o.Val != all && int64(o.Val) != -1) {
		c.bad(in, &opSpec{name: "membermask"}, o, "the constant 0xffffffff")
	}
	r.end()
}

// shared reads an address of shared memory in a register of at least 32 bits, or by name.
func (r *reader) shared(name string) {
	at := r.next
	r.address(name, SpaceShared)
	if at >= len(r.in.Args) {
		return
	}
	if base, _ := addressBase(&r.in.Args[at]); base != nil {
		if g := base.Reg(); base.Kind == KindReg && g != nil && g.Type.Integer() && g.Type.Bits() == 16 {
			r.c.bad(r.in, &opSpec{name: name}, base, "a register of 32 or 64 bits")
		}
	}
}

// size reads a number of bytes.
func (r *reader) size() {
	if o := r.take("size"); o != nil {
		r.c.source(r.in, &opSpec{name: "size"}, o, U32, false)
	}
}

// fabric reads [handle, offset] or [handle, offset, counter]: a register of 32 bits and registers
// of 64 bits.
func (r *reader) fabric(name string, n int) {
	o := r.take("[" + name + "]")
	if o == nil {
		return
	}
	if o.Kind != KindAddr || len(o.List) != n || o.Off != 0 {
		r.c.bad(r.in, &opSpec{name: name}, o, []string{2: "[handle, offset]", 3: "[handle, offset, counter]"}[n])
		return
	}
	for i := range o.List {
		bits := 64
		if i == 0 {
			bits = 32
		}
		e := &o.List[i]
		if e.Kind == KindIdent {
			continue // an error that is reported already
		}
		if g := e.Reg(); e.Kind != KindReg || g == nil || g.Vec != 0 || !g.Type.Integer() || g.Type.Bits() != bits {
			r.c.bad(r.in, &opSpec{name: name}, e, fmt.Sprintf("a register of %d bits", bits))
		}
	}
}

// numberIn returns the number in a modifier such as x16 or b8.
func numberIn(modifier string) int {
	n, _ := strconv.Atoi(modifier[1:])
	return n
}

// registersFor returns how many registers of 32 bits hold n elements of some bits each.
func registersFor(n, bits int) int { return max(1, (n*bits+31)/32) }

// checkSpcompress checks spcompress (PTX 9.4: 9.7.10.30). It keeps two of four elements. num counts
// the registers that hold those that it keeps.
func checkSpcompress(c *checker, in *Instr, v *variant) {
	r := &reader{c: c, in: in, v: v}
	num, element, index := numberIn(v.mod("num")), numberIn(v.mod("elemsize")), numberIn(v.mod("idxsize"))
	r.registers("indices", registersFor(num*32/element, index))
	r.registers("d", num)
	r.values("a", 2*num)
	if o := r.take("b"); o != nil {
		r.register("b", o)
	}
	r.end()
}

// maxVector is the largest number of elements of a vector in braces.
const maxVector = 128

// checkSpdecompress checks spdecompress (PTX 9.4: 9.7.10.31). It expands N elements to M, num times.
func checkSpdecompress(c *checker, in *Instr, v *variant) {
	num, element, index := numberIn(v.mod("num")), numberIn(v.mod("elemsize")), numberIn(v.mod("idxsize"))
	var n, m int
	fmt.Sscanf(v.mod("spfactor"), "sp::%d:%d", &n, &m)
	bits := num * m * element
	switch {
	case m > 1<<index:
		c.errorf(in.Pos, diag.Input, codeModifier, "%s has .sp::%d:%d, and an index of %d bits cannot choose from %d elements", in.Op, n, m, index, m)
		return
	case element == 16 && n == 4:
		c.errorf(in.Pos, diag.Input, codeModifier, "%s has .sp::%d:%d, which is for elements of 8 bits", in.Op, n, m)
		return
	case bits%32 != 0 || bits/32 > maxVector:
		c.errorf(in.Pos, diag.Input, codeModifier, "%s expands to %d bits, want a multiple of 32 up to %d", in.Op, bits, 32*maxVector)
		return
	}
	r := &reader{c: c, in: in, v: v}
	r.registers("d", bits/32)
	r.values("indices", registersFor(num*n, index))
	r.values("a", registersFor(num*n, element))
	r.end()
}

// registers reads a destination: a vector of n registers, none of which is discarded.
func (r *reader) registers(name string, n int) {
	o := r.take(name)
	if o == nil {
		return
	}
	if o.Kind != KindVector || len(o.List) != n {
		r.c.bad(r.in, &opSpec{name: name, dst: true}, o, fmt.Sprintf("a vector of %d", n))
		return
	}
	for i := range o.List {
		r.dest(name, &o.List[i], B32)
	}
}

// values reads a vector of n values, at least one of which is a register.
func (r *reader) values(name string, n int) {
	o := r.take(name)
	if o == nil {
		return
	}
	r.elements(name, o, n, B32)
	if o.Kind == KindVector && !slices.ContainsFunc(o.List, func(e Operand) bool { return e.Kind == KindReg || e.Kind == KindIdent }) {
		r.c.bad(r.in, &opSpec{name: name}, o, "at least one register")
	}
}

// register reads a register of 32 bits.
func (r *reader) register(name string, o *Operand) {
	if o.Kind != KindReg && o.Kind != KindIdent {
		r.c.bad(r.in, &opSpec{name: name}, o, "a .b32 register")
		return
	}
	r.c.source(r.in, &opSpec{name: name}, o, B32, false)
}

// checkTcgenLoadReduce checks tcgen05.ld.red (PTX 9.7.17.8.3). A load has num registers and one more
// for their minimum or maximum.
func checkTcgenLoadReduce(c *checker, in *Instr, v *variant) {
	for _, m := range []string{"abs", "NaN"} {
		if v.says(m) && v.typ != F32 {
			c.errorf(in.Pos, diag.Input, codeModifier, "%s has .%s, which is for .f32", in.Op, m)
			return
		}
	}
	r := &reader{c: c, in: in, v: v}
	r.registers("d", numberIn(v.mod("num")))
	if o := r.take("redval"); o != nil {
		r.dest("redval", o.single(), B32)
	}
	r.tensor("taddr")
	if strings.HasSuffix(v.mod("shape"), "x2") {
		if o := r.take("split"); o != nil && o.Kind != KindInt {
			c.bad(in, &opSpec{name: "split"}, o, "an integer constant")
		}
	}
	r.end()
}
