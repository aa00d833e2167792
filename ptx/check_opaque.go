package ptx

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// This file checks the operands of instructions that are known but not run; their rows have "…" for
// operands. Operands that the vendor's assembler rejects are bad input, not unsupported.

// A reader reads the operands of an instruction from left to right.
type reader struct {
	c    *checker
	in   *Instr
	v    *variant
	next int
}

// take returns the next operand. If there is none, it reports an error and returns nil.
func (r *reader) take(what string) *Operand {
	if r.next >= len(r.in.Args) {
		r.c.errorf(r.in.Pos, diag.Input, codeCount, "%s has %s, and lacks %s", r.in.Op, counted(len(r.in.Args), "operand"), what)
		return nil
	}
	r.next++
	return &r.in.Args[r.next-1]
}

// more reports whether another operand follows.
func (r *reader) more() bool { return r.next < len(r.in.Args) }

// end reports an error if operands are left.
func (r *reader) end() {
	if r.more() {
		r.c.errorf(r.in.Args[r.next].Pos, diag.Input, codeCount, "%s has %s, want %d", r.in.Op, counted(len(r.in.Args), "operand"), r.next)
	}
}

// source reads a source value of type t.
func (r *reader) source(name string, t Type) {
	if o := r.take(name); o != nil {
		r.c.source(r.in, &opSpec{name: name}, o.single(), t, false)
	}
}

// dest checks a destination that must not be _.
func (r *reader) dest(name string, o *Operand, t Type) {
	s := &opSpec{name: name, dst: true}
	if o.Kind == KindSink {
		r.c.bad(r.in, s, o, fmt.Sprintf("a .%s register", t))
		return
	}
	r.c.dest(r.in, s, o, t, false)
}

// address reads an address without coordinates in a state space.
func (r *reader) address(name string, space Space) {
	if o := r.take("[" + name + "]"); o != nil {
		r.c.address(r.in, r.v, &opSpec{name: name, kind: opAddr, space: space}, o)
	}
}

// data reads a destination or source: a vector of n elements, or one register if n is 1.
func (r *reader) data(name string, dst bool, n int, t Type, relaxed bool) {
	o := r.take(name)
	if o == nil {
		return
	}
	if dst && o.Kind == KindPair {
		r.c.dest(r.in, &opSpec{name: "p", dst: true}, &o.List[1], Pred, false)
		o = &o.List[0]
	}
	s := &opSpec{name: name, dst: dst}
	list := []Operand{*o}
	if n > 1 || o.Kind == KindVector {
		list = o.elements()
		if vec := o.Kind == KindVector || o.Kind == KindReg && o.Reg() != nil && o.Reg().Vec > 0; !vec || len(list) != n {
			r.c.bad(r.in, s, o, fmt.Sprintf("a vector of %d", n))
			return
		}
	}
	for i := range list {
		if dst {
			r.c.dest(r.in, s, &list[i], t, relaxed)
		} else {
			r.c.source(r.in, s, &list[i], t, relaxed)
		}
	}
}

// elements checks a vector of n sources of type t.
func (r *reader) elements(name string, o *Operand, n int, t Type) {
	if o.Kind != KindVector || len(o.List) != n {
		r.c.bad(r.in, &opSpec{name: name}, o, fmt.Sprintf("a vector of %d", n))
		return
	}
	for i := range o.List {
		r.c.source(r.in, &opSpec{name: name}, &o.List[i], t, false)
	}
}

// opaque checks the base of an address of a texture, sampler or surface: a variable of one of
// types, or a register of 64 bits.
func (r *reader) opaque(o *Operand, types ...Type) {
	if d := o.Var(); d != nil && o.Kind == KindVar {
		if !slices.Contains(types, d.Type) && d.Space != SpaceTex {
			r.c.errorf(o.Pos, diag.Input, codeType, "%s names %s, a .%s in %s, want a .%s", r.in.Op, d.Name, d.Type, d.Space, types[0])
		}
		return
	}
	if g := o.Reg(); o.Kind == KindReg && g != nil && g.Type.Integer() && g.Type.Bits() == 64 && (g.Vec == 0) == (o.Comp == "") || o.Kind == KindIdent {
		return
	}
	r.c.errorf(o.Pos, diag.Input, codeOperand, "%s is for %s, want a .%s or a 64-bit register", r.in.Op, describe(o), types[0])
}

// place reads [a{, sampler}, coordinates] and returns the operands between the brackets; nil if the
// operand is no address.
func (r *reader) textureAddress(sampler bool, types ...Type) []Operand {
	o := r.take("an address")
	if o == nil {
		return nil
	}
	if o.Kind != KindAddr || len(o.List) < 2 || len(o.List) > 3 || len(o.List) == 3 && !sampler || o.Off != 0 {
		r.c.bad(r.in, &opSpec{name: "a"}, o, "[a, coordinates]")
		return nil
	}
	r.opaque(&o.List[0], types...)
	independent := slices.Contains(r.c.m.Targets, "texmode_independent")
	switch {
	case len(o.List) == 3:
		r.opaque(&o.List[1], Samplerref)
	case sampler && independent:
		r.c.errorf(o.Pos, diag.Input, codeOperand, "%s names no sampler, which .target texmode_independent asks for", r.in.Op)
	}
	return o.List
}

// geometries holds, for each geometry of a texture or surface, the number of coordinates with those
// that pad a vector of 4, and whether the first one is the index into an array.
var geometries = map[string]struct {
	n     int
	array bool
}{
	"1d": {1, false}, "2d": {2, false}, "3d": {4, false}, "a1d": {2, true}, "a2d": {4, true},
	"cube": {4, false}, "acube": {4, true}, "2dms": {4, false}, "a2dms": {4, true},
}

// coordinates checks the coordinates of a texture or surface. Coordinates beyond those of the
// geometry are ignored.
func (r *reader) coordinates(o *Operand, t Type) {
	g := geometries[r.v.mod("geom")]
	list := o.elements()
	n := len(list)
	if n < g.n || n != 1 && n != 2 && n != 4 {
		r.c.bad(r.in, &opSpec{name: "c"}, o, fmt.Sprintf("a vector of %d: the coordinates of .%s", g.n, r.v.mod("geom")))
		return
	}
	for i := range list {
		et := t
		if g.array && i == 0 {
			et = U32
		}
		r.c.source(r.in, &opSpec{name: "c"}, &list[i], et, false)
	}
}

// checkTexture checks tex and tld4 (PTX 9.7.11.3 and 9.7.11.4).
func checkTexture(c *checker, in *Instr, v *variant) {
	r := &reader{c: c, in: in, v: v}
	t, n := v.classType("dtype"), 4
	if v.says("v2") {
		t, n = F16x2, 2
	}
	r.data("d", true, n, t, false)
	ctype := v.classType("ctype")
	if ctype == NoType {
		ctype = F32
	}
	if list := r.textureAddress(true, Texref); list != nil {
		r.coordinates(&list[len(list)-1], ctype)
	}
	switch v.mod("mipmap") {
	case "level":
		r.take("the level")
	case "grad":
		r.take("the derivatives")
		r.take("the second derivatives")
	}
	// The next operands are an offset and a value to compare with.
	for range 2 {
		if r.more() {
			r.next++
		}
	}
	r.end()
}

// checkQuery checks txq and suq (PTX 9.7.11.5 and 9.7.12.4).
func checkQuery(types ...Type) func(c *checker, in *Instr, v *variant) {
	return func(c *checker, in *Instr, v *variant) {
		r := &reader{c: c, in: in, v: v}
		if o := r.take("d"); o != nil {
			r.dest("d", o, B32)
		}
		if o := r.take("[a]"); o != nil {
			if o.Kind != KindAddr || len(o.List) != 1 || o.Off != 0 {
				c.bad(in, &opSpec{name: "a"}, o, "an address in brackets")
			} else {
				r.opaque(&o.List[0], types...)
			}
		}
		if v.says("level") {
			r.source("the level", U32)
		}
		r.end()
	}
}

// checkSurface checks suld, sust and sured (PTX 9.7.12).
func checkSurface(c *checker, in *Instr, v *variant) {
	r := &reader{c: c, in: in, v: v}
	t := v.typ
	loads := strings.HasPrefix(in.Op, "suld")
	if loads {
		r.data("d", true, v.vec, t, true)
	}
	if list := r.textureAddress(false, Surfref); list != nil {
		r.coordinates(&list[1], S32)
	}
	if !loads {
		r.data("c", false, v.vec, t, true)
	}
	r.end()
}

// checkTensor checks copies through tensor maps (PTX 9.7.9.26.5).
func checkTensor(c *checker, in *Instr, v *variant) {
	r := &reader{c: c, in: in, v: v}
	load, dim := v.mod("load_mode"), int(v.mod("dim")[0]-'0')
	im2col := strings.HasPrefix(load, "im2col")
	if im2col && dim < 3 {
		c.errorf(in.Pos, diag.Input, codeModifier, "%s has .%s, which is for 3 dimensions and more", in.Op, load)
		return
	}
	n := dim
	if load == "tile::gather4" || load == "tile::scatter4" {
		// PTX 5.5.3.1: the mode has a column and four rows.
		if n = 5; dim != 2 {
			c.errorf(in.Pos, diag.Input, codeModifier, "%s has .%s, which is for 2 dimensions", in.Op, load)
			return
		}
	}
	into := v.has("completion_mechanism") // the other side is shared memory
	if into {
		r.address("dst", SpaceShared)
	}
	if o := r.take("[tensorMap, coordinates]"); o != nil {
		if o.Kind != KindAddr || len(o.List) != 2 || o.Off != 0 {
			c.bad(in, &opSpec{name: "tensorMap"}, o, "[tensorMap, coordinates]")
			return
		}
		base := *o
		base.List = o.List[:1]
		c.address(in, v, &opSpec{name: "tensorMap", kind: opAddr, space: SpaceGlobal}, &base)
		r.elements("coordinates", &o.List[1], n, S32)
	}
	switch {
	case into:
		r.address("mbar", SpaceShared)
	case v.says("bulk_group") && v.says("global") && v.says("shared::cta"):
		r.address("src", SpaceShared)
	}
	if im2col && !strings.HasSuffix(load, "no_offs") && !strings.HasSuffix(load, "no_offs::w") && !v.has("redOp") {
		if o := r.take("im2col offsets"); o != nil {
			k := dim - 2
			if load != "im2col" {
				k = 2
			}
			r.elements("im2colInfo", o, k, U16)
		}
	}
	if v.says("multicast::cluster") {
		r.source("ctaMask", U16)
	}
	if v.says("L2::cache_hint") {
		r.source("policy", U64)
	}
	r.end()
}

// checkWgmma checks wgmma.mma_async (PTX 9.7.16.5.2 and 9.7.16.6.3): D has N/2 registers of
// 32 bits, or N/4 of two halves.
func checkWgmma(c *checker, in *Instr, v *variant) {
	r := &reader{c: c, in: in, v: v}
	var n, k int
	fmt.Sscanf(v.mod("shape"), "m64n%dk%d", &n, &k)
	d, t := v.firstFormat(), B32
	n /= 2
	switch d {
	case "f16":
		n /= 2
	case "f32":
		t = F32
	case "s32":
		t = S32
	}
	if o := r.take("d"); o != nil {
		s := &opSpec{name: "d", dst: true}
		list := o.elements()
		if o.Kind != KindVector || len(list) != n {
			c.bad(in, s, o, fmt.Sprintf("a vector of %d", n))
			return
		}
		for i := range list {
			r.dest("d", &list[i], t)
		}
	}
	matrix := false
	if o := r.take("a"); o != nil {
		if matrix = o.Kind == KindVector; matrix {
			r.elements("a", o, 4, B32)
		} else {
			c.source(in, &opSpec{name: "a-desc"}, o, U64, false)
		}
	}
	r.source("b-desc", U64)
	if v.says("sp") {
		if o := r.take("sp-meta"); o != nil {
			c.source(in, &opSpec{name: "sp-meta", register: true}, o, U32, false)
		}
		// PTX 9.7.16.6.1: the constant selects which of four threads hold the metadata.
		if a := v.lastFormat(); a == "f16" || a == "bf16" || a == "tf32" {
			r.constant("sp-sel", 0, 1)
		} else {
			r.constant("sp-sel", 0)
		}
	}
	r.source("scale-d", Pred)
	if d == "s32" {
		r.end()
		return
	}
	r.constant("imm-scale-a", -1, 1)
	r.constant("imm-scale-b", -1, 1)
	if a := v.lastFormat(); a == "f16" || a == "bf16" {
		if !matrix {
			r.constant("imm-trans-a", 0, 1)
		}
		r.constant("imm-trans-b", 0, 1)
	}
	r.end()
}

// constant reads an integer constant that has to be one of values.
func (r *reader) constant(name string, values ...int64) {
	o := r.take(name)
	if o == nil {
		return
	}
	if o.Kind != KindInt {
		r.c.bad(r.in, &opSpec{name: name}, o, "an integer constant")
	} else if !slices.Contains(values, int64(o.Val)) {
		r.c.errorf(o.Pos, diag.Input, codeImmediate, "operand %s of %s is %d, want one of %s", name, r.in.Op, int64(o.Val), strings.Trim(fmt.Sprint(values), "[]"))
	}
}

// firstFormat returns the first format among the modifiers, which is the format of the result.
func (v *variant) firstFormat() string {
	for _, m := range v.mods {
		if isFormat(m) {
			return m
		}
	}
	return ""
}

// lastFormat returns the last format among the modifiers.
func (v *variant) lastFormat() string {
	for _, m := range slices.Backward(v.mods) {
		if isFormat(m) {
			return m
		}
	}
	return ""
}

// tensor reads an address of tensor memory.
func (r *reader) tensor(name string) {
	if o := r.take("[" + name + "]"); o != nil {
		r.c.address(r.in, r.v, &opSpec{name: name, kind: opAddr, tensor: true}, o)
	}
}

// checkTcgenMma checks tcgen05.mma (PTX 9.7.17.10.9).
func checkTcgenMma(c *checker, in *Instr, v *variant) {
	r, before := &reader{c: c, in: in, v: v}, c.errs.count
	r.tensor("d-tmem")
	if r.more() && in.Args[r.next].Kind == KindAddr {
		r.tensor("a-tmem")
	} else {
		r.source("a-desc", U64)
	}
	r.source("b-desc", U64)
	if v.says("sp") {
		r.tensor("sp-meta-tmem")
	}
	r.source("idesc", U32)
	if strings.HasPrefix(v.mod("kind"), "kind::mx") {
		r.tensor("scale-A-tmem")
		r.tensor("scale-B-tmem")
	}
	if r.more() && in.Args[r.next].Kind == KindVector {
		// The mask has one bit for each of the 128 or 256 lanes.
		n := 4
		if v.says("cta_group::2") {
			n = 8
		}
		r.elements("disable-output-lane", r.take("disable-output-lane"), n, B32)
	}
	r.source("enable-input-d", Pred)
	if r.more() {
		if v.says("ws") {
			r.source("zero-column-mask-desc", U64)
		} else if kind := v.mod("kind"); kind != "kind::f16" && kind != "kind::tf32" {
			r.end()
		} else if o := r.take("scale-input-d"); o.Kind != KindInt || o.Val > 15 {
			c.bad(in, &opSpec{name: "scale-input-d"}, o, "a constant from 0 to 15")
		}
	}
	if c.errs.count == before {
		r.end()
	}
}

// checkColumns checks the number of columns of tensor memory that the instruction requests (PTX
// 9.7.17.7.1).
func checkColumns(c *checker, in *Instr, v *variant) {
	if o := &in.Args[1]; o.Kind == KindInt && bits.OnesCount64(o.Val) != 1 {
		c.errorf(o.Pos, diag.Input, codeImmediate, "operand columns of %s is %d, want a power of two", in.Op, int64(o.Val))
	}
}

// packedElements is the first element type of tensor maps that has elements of 4 or 6 bits, which
// sm_90 does not have (PTX 9.7.9.27).
const packedElements = 13

// checkElementType checks the element type that tensormap.replace stores in a tensor map.
func checkElementType(c *checker, in *Instr, v *variant) {
	if o := &in.Args[1]; o.Kind == KindInt && o.Val >= packedElements && c.m.Target.SM == 90 {
		c.errorf(o.Pos, diag.Input, codeImmediate, "operand n of %s is %d, and %s has the element types 0 to %d", in.Op, int64(o.Val), c.m.Target, packedElements-1)
	}
}
