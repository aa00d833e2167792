package ptx

import (
	"math"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// ld loads a register or a vector of registers (PTX 9.7.9.8).
var ld = meaning{indexes: true, emit: emitLoad, check: checkMemory}

// st stores a value or a vector (PTX 9.7.9.11).
var st = meaning{indexes: true, emit: emitStore, check: checkMemory}

// checkMemory checks the rules that the generic checks do not cover: vector sizes and the use of
// parameters.
func checkMemory(c *checker, in *Instr, v *variant) {
	bad := func(format string, args ...any) {
		c.errorf(in.Pos, diag.Input, codeModifier, in.Op+" "+format, args...).Section = "PTX " + v.row.Sec
	}
	global := v.memSpace() == SpaceGlobal || v.memSpace() == SpaceGeneric
	bits := v.typ.Bits()
	switch n := v.vec * bits; {
	case n == 256 && global && (bits == 32 || bits == 64):
		// PTX 9.7.9.8: .v8 of 32 bits and .v4 of 64 bits, on global memory.
		c.require(in, v, Version{8, 8}, 100)
	case n > 128:
		bad("accesses %d bits, more than the 128 of one access", n)
		return
	case v.has("level2::evict"):
		bad("has an eviction priority of L2, which goes with accesses of 256 bits only")
		return
	}
	if v.has("cop") && (v.has("level1::evict") || v.has("level2::evict")) {
		bad("has a cache operator and an eviction priority, which exclude each other")
		return
	}
	if !global && (v.has("level::cache_hint") || v.has("level::prefetch_size")) && v.named("dst") < 0 && v.named("dm") < 0 {
		bad("has a hint that goes with global memory only")
		return
	}
	for i := range v.ops {
		if v.ops[i].name == "policy" && !v.has("level::cache_hint") && !v.has("L2::cache_hint") {
			d := c.errorf(in.Args[i].Pos, diag.Input, codeModifier, "%s has a cache policy, but no .L2::cache_hint", in.Op)
			d.Section, d.Remedy = "PTX "+v.row.Sec, "add the modifier, or leave the last operand out"
			return
		}
		if v.ops[i].kind != opAddr {
			continue
		}
		base, _ := addressBase(&in.Args[i])
		d := base.Var()
		if d != nil && d.Space == SpaceParam && d.Func != nil && d.Func.Entry && d.Scope == nil && v.writes() {
			c.errorf(in.Pos, diag.Input, codeSpace, "%s writes the kernel parameter %s, which is read-only", in.Op, d.Name)
		}
	}
}

// writes reports whether a memory instruction has no destination register.
func (v *variant) writes() bool { return len(v.ops) > 0 && v.ops[0].kind == opAddr }

// wholeVector reports whether the operand is a vector register without an element.
func (o *Operand) wholeVector() bool {
	r := o.Reg()
	return o.Kind == KindReg && r != nil && r.Vec > 0 && o.Comp == ""
}

// elements returns the parts of an operand: the elements of a list, of a whole vector register or
// of a vector special register. Any other operand is its own single part.
func (o *Operand) elements() []Operand {
	n := 1
	switch {
	case o.Kind == KindVector:
		return o.List
	case o.wholeVector():
		n = o.Reg().Vec
	case o.Kind == KindSpecial && o.Special.Info().Vec && o.Comp == "":
		n = 4
	}
	if n == 1 {
		return []Operand{*o}
	}
	parts := make([]Operand, n)
	for i := range parts {
		parts[i] = *o
		parts[i].Comp = [...]string{"x", "y", "z", "w"}[min(i, 3)]
	}
	return parts
}

func emitLoad(l *lifter) {
	l.loadParts()
	if l.v.says("acquire") {
		l.order(0)
	}
}

// loadParts emits a load of one register or of several parts.
func (l *lifter) loadParts() {
	space, base, off := l.address(&l.in.Args[1], l.v.memSpace())
	t := l.v.typ
	parts := l.in.Args[0].elements()
	if t == B128 {
		l.loadWide(space, base, off)
		return
	}
	if len(parts) > 1 && l.writesBase(parts, base) {
		base = l.copyOf(base)
	}
	size := t.Bytes()
	for i := range parts {
		if parts[i].Kind != KindReg {
			continue // a sink: not read
		}
		l.loadPart(l.reg(&parts[i]), space, base, off+int64(i*size), t, l.accessAlign(i, size), i > 0)
	}
}

// accessAlign returns the alignment of part i of an access of several parts. The first part has the
// alignment of the whole access (PTX 6.4.1.1).
func (l *lifter) accessAlign(i, size int) int {
	if i == 0 {
		return size * l.v.vec
	}
	return size
}

// writesBase reports whether one of the written registers is the address.
func (l *lifter) writesBase(parts []Operand, base ir.Ref) bool {
	for i := range parts {
		if parts[i].Kind == KindReg && l.reg(&parts[i]) == base {
			return true
		}
	}
	return false
}

func (l *lifter) copyOf(r ir.Ref) ir.Ref {
	t := l.b.Temp(l.typeOf(r))
	l.b.Move(t, r)
	return t
}

// looks reports whether a load is of a kind that programs use to wait for a store of another lane.
func (v *variant) looks() bool {
	return v.says("volatile") || v.says("relaxed") || v.says("acquire") || v.says("mmio") || v.says("cv") || v.says("cg")
}

// order returns the memory order that the modifiers of an access demand (PTX 8.4 to 8.8). Volatile
// accesses are relaxed ones of the scope of the system (PTX 8.4.2).
//
// Unspecified: accesses with a cache operator that reaches memory that other threads see (.cv, .cg,
// .wt) are weak in the manual. Programs use them to signal, so they count as volatile.
func (v *variant) order() ir.Order {
	var o ir.Order
	if v.says("volatile") || v.says("mmio") || v.says("cv") || v.says("cg") || v.says("wt") {
		o = ir.Strong | ir.Device
	}
	for _, m := range [...]struct {
		mod string
		o   ir.Order
	}{
		{"relaxed", ir.Strong}, {"acquire", ir.Strong | ir.Acquire}, {"release", ir.Strong | ir.Release}, {"acq_rel", ir.Strong | ir.Acquire | ir.Release},
		{"sc", ir.Strong | ir.Acquire | ir.Release}, {"gpu", ir.Device}, {"sys", ir.Device}, {"cta", ir.InBlock}, {"cluster", ir.InBlock | ir.InCluster},
	} {
		if v.says(m.mod) {
			o |= m.o
		}
	}
	return o
}

// load emits the load of one register.
func (l *lifter) load(dst ir.Ref, space ir.Space, base ir.Ref, off int64, t Type, align int) {
	l.loadPart(dst, space, base, off, t, align, false)
}

// loadPart is load for a part of a vector. later says that it is not the first part: compilers widen loads
// to parts that the source does not name, which may lie past the end of an array (ir.Inst.Surplus).
func (l *lifter) loadPart(dst ir.Ref, space ir.Space, base ir.Ref, off int64, t Type, align int, later bool) {
	in := ir.Inst{Op: ir.Load, Surplus: later, Dst: dst, Args: [4]ir.Ref{base}, Imm: uint64(off), Size: uint8(t.Bytes()), Space: space, Align: uint16(align)}
	if t.Signed() {
		in.Flags |= ir.SignExtend
	}
	if l.v.looks() {
		in.Flags |= ir.Volatile
	}
	if l.v.says("relaxed") {
		in.Flags |= ir.Relaxed
	}
	if space == ir.Param && l.b.Func().Val(base).Kind == ir.Const {
		// A parameter is the same for every lane, so it is read once for the wave.
		s := l.b.STemp(l.typeOf(dst))
		in.Dst, in.Scalar = s, true
		in.Args[0] = l.b.SConst(ir.B64, l.b.Func().Val(base).Const)
		l.b.Guard(0, false)
		l.b.Emit(in)
		if g := l.in.Guard; g != nil {
			l.b.Guard(l.reg(&g.Reg), g.Not)
		}
		l.b.Move(dst, s)
		return
	}
	l.b.Emit(in)
}

// loadWide loads the two halves of a .b128 register.
func (l *lifter) loadWide(space ir.Space, base ir.Ref, off int64) {
	o := l.dst(0)
	if o == nil || l.v.vec > 1 {
		l.unsupportedOperand(&l.in.Args[0])
		return
	}
	for i, r := range l.refs(o.Reg()) {
		l.load(r, space, base, off+int64(8*i), B64, 16>>i)
	}
}

func emitStore(l *lifter) { l.storeIn(l.v.memSpace(), 0) }

// storeIn stores operand 1 at operand 0. only restricts the memory that a generic address may lie
// in.
func (l *lifter) storeIn(in Space, only ir.Flags) {
	space, base, off := l.address(&l.in.Args[0], in)
	t := l.v.typ
	o := &l.in.Args[1]
	if l.v.says("release") {
		l.order(0)
	}
	if t == B128 {
		r := o.Reg()
		if o.Kind != KindReg || r == nil || l.v.vec > 1 {
			l.unsupportedOperand(o)
			return
		}
		for i, r := range l.refs(r) {
			l.store(r, space, base, off+int64(8*i), 8, 16>>i, only)
		}
		return
	}
	parts := o.elements()
	vals := make([]ir.Ref, len(parts))
	for i := range parts {
		if parts[i].Kind == KindSink {
			continue
		}
		vals[i] = l.storeValue(&parts[i], t)
	}
	size := t.Bytes()
	for i, val := range vals {
		if val != 0 {
			l.store(val, space, base, off+int64(i*size), size, l.accessAlign(i, size), only)
		}
	}
}

// storeValue returns the value to store. A wider register is returned unchanged, because Store uses
// only its low bytes.
func (l *lifter) storeValue(o *Operand, t Type) ir.Ref {
	if o.Kind == KindReg {
		return l.reg(o)
	}
	return l.value(o, t)
}

func (l *lifter) store(val ir.Ref, space ir.Space, base ir.Ref, off int64, size, align int, only ir.Flags) {
	in := ir.Inst{Op: ir.Store, Args: [4]ir.Ref{base, val}, Imm: uint64(off), Size: uint8(size), Space: space, Align: uint16(align)}
	if l.v.says("volatile") || l.v.says("relaxed") || l.v.says("release") || l.v.says("mmio") {
		in.Flags |= ir.Volatile
	}
	if l.v.says("relaxed") {
		in.Flags |= ir.Relaxed
	}
	in.Flags |= only
	l.b.Emit(in)
}

// fence orders memory accesses (PTX 9.7.14.4).
var fence = meaning{emit: func(l *lifter) { l.order(0) }}

// fenceMaps releases the writes of tensor maps to the tensormap proxy (PTX 9.7.14.4).
var fenceMaps = meaning{emit: func(l *lifter) { l.order(ir.Maps) }}

// fenceAsync is a fence between the generic proxy and the asynchronous one.
var fenceAsync = meaning{emit: func(l *lifter) {
	if l.v.mod("space") == "global" { // reads of global memory by bulk copies are not checked
		l.order(0)
	} else {
		l.order(ir.Proxy)
	}
}}

// order orders memory accesses as threads of other blocks see them. The threads of one block run on
// one worker, so their accesses are already in order. proxy is ir.Proxy, ir.Maps, or 0.
func (l *lifter) order(proxy ir.Order) {
	o := l.v.order() &^ (ir.Strong | ir.Device)
	if o&(ir.Acquire|ir.Release) == 0 {
		o |= ir.Acquire | ir.Release // membar is fence.sc, fence is fence.acq_rel (PTX 9.7.14.4)
	}
	if l.v.mod("scope") == "cta" || l.v.mod("level") == "cta" {
		l.b.Emit(ir.Inst{Op: ir.Nop, Order: o | proxy})
		return
	}
	if o&ir.InBlock == 0 {
		o |= ir.Device
	}
	l.b.Emit(ir.Inst{Op: ir.Fence, Order: o | proxy})
}

// hint has no effect on results: prefetches, nanosleep, pmevent.
var hint = meaning{noEffect: true, emit: func(l *lifter) { l.b.Emit(ir.Inst{Op: ir.Nop}) }}

// yield lets other lanes run (PTX 9.7.20.2).
var yield = meaning{emit: func(l *lifter) { l.b.Emit(ir.Inst{Op: ir.Yield}) }}

// maxRegisters changes the number of registers; Crosslane always has enough registers (PTX
// 9.7.20.5).
var maxRegisters = meaning{emit: hint.emit, check: func(c *checker, in *Instr, v *variant) {
	if n := in.Args[0].Val; n < 24 || n > 256 || n%8 != 0 {
		c.errorf(in.Args[0].Pos, diag.Input, codeImmediate, "operand registers of %s is %d, want a multiple of 8 from 24 to 256", in.Op, n).Section = "PTX " + v.row.Sec
	}
}}

// lineOf128 names a line of 128 bytes in global memory. Its data do not change, so only the address
// is checked (PTX 9.7.9.17, 9.7.9.18).
var lineOf128 = meaning{check: check128, emit: func(l *lifter) { l.touch(0, 128) }}

// fenceRange is a fence for 128 bytes of global memory (PTX 9.7.14.4).
var fenceRange = meaning{check: check128, emit: func(l *lifter) {
	s, at := l.flat(0, l.v.memSpace())
	l.tensor(ir.TensorInfo{Kind: ir.TensorOrders}, ir.Inst{Space: s, Args: [4]ir.Ref{1: at}})
	l.b.Emit(ir.Inst{Op: ir.Fence, Order: ir.Acquire | ir.Device})
}}

func check128(c *checker, in *Instr, v *variant) {
	if n := in.Args[1].Val; n != 128 {
		c.errorf(in.Args[1].Pos, diag.Input, codeImmediate, "operand line of %s is %d, want 128", in.Op, int64(n)).Section = "PTX " + v.row.Sec
	}
}

// globalHint has no effect, but its address has to be in global memory.
var globalHint = meaning{emit: func(l *lifter) { l.touch(0, 1) }}

// discard gives up the data of a line (PTX 9.7.9.18).
var discard = meaning{check: check128, emit: func(l *lifter) {
	l.touch(0, 128)
	sp, base, off := l.address(&l.in.Args[0], l.v.memSpace())
	l.claim(ir.Inst{Size: uint8(ir.ClaimDiscard), Args: [4]ir.Ref{base}, Imm: uint64(off), Space: sp, Align: 128})
}}

// ldReadOnly loads memory that must not be written during the launch (PTX 9.7.9.9, 9.7.9.10).
var ldReadOnly = meaning{indexes: true, check: checkMemory, emit: func(l *lifter) {
	if l.v.says("proxy::readonly") {
		l.touch(1, 1)
	}
	sp, base, off := l.address(&l.in.Args[1], l.v.memSpace())
	l.claim(ir.Inst{Size: uint8(ir.ClaimReadOnly), Args: [4]ir.Ref{base}, Imm: uint64(off), Space: sp, Align: uint16(max(l.v.vec, 1) * l.v.typ.Bytes())})
	emitLoad(l)
}}

// touch faults if the address of operand i is not in global memory or not aligned.
func (l *lifter) touch(i, align int) {
	space := l.v.memSpace()
	sp, base, off := l.address(&l.in.Args[i], space)
	l.b.Emit(ir.Inst{Op: ir.Load, Dst: l.b.Temp(ir.B8), Args: [4]ir.Ref{base}, Imm: uint64(off), Size: 1, Align: uint16(align), Space: sp, Flags: ir.OnlyGlobal})
}

// policy makes a cache policy. A machine without caches ignores its bits.
var policy = meaning{emit: func(l *lifter) { l.set(0, l.b.Const(ir.B64, 0)) }, check: func(c *checker, in *Instr, v *variant) {
	// Errata E149: the range of constants.
	if i := v.named("fraction"); i >= 0 && in.Args[i].Kind == KindFloat {
		o := &in.Args[i]
		if f := math.Float32frombits(uint32(constBits(o, F32))); !(f > 0 && f <= 1) {
			c.errorf(o.Pos, diag.Input, codeImmediate, "operand fraction of %s is %g, want more than 0 and 1 at most", in.Op, f)
		}
	}
	if i, j := v.named("first"), v.named("total"); i >= 0 && in.Args[i].Kind == KindInt && in.Args[j].Kind == KindInt && uint32(in.Args[i].Val) > uint32(in.Args[j].Val) {
		c.errorf(in.Args[i].Pos, diag.Input, codeImmediate, "operand first of %s is %d, want at most total, %d", in.Op, int64(in.Args[i].Val), int64(in.Args[j].Val))
	}
}}

// guarded emits operations for the lanes of a condition, combined with the instruction's own guard.
func (l *lifter) guarded(p ir.Ref, emit func()) {
	g := l.in.Guard
	if g != nil {
		own := l.reg(&g.Reg)
		if g.Not {
			own = l.b.T(ir.NotP, own)
		}
		p = l.b.T(ir.AndP, p, own)
	}
	l.b.Guard(p, false)
	emit()
	l.b.Guard(0, false)
	if g != nil {
		l.b.Guard(l.reg(&g.Reg), g.Not)
	}
}
