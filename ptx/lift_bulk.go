package ptx

import (
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// named returns the index of the operand called name; -1 if the form has none.
func (v *variant) named(name string) int {
	for i := range v.ops {
		if v.ops[i].name == name {
			return i
		}
	}
	return -1
}

// flat returns the whole address of a memory operand, with its offset added.
func (l *lifter) flat(i int, space Space) (ir.Space, ir.Ref) {
	return l.flatOf(&l.in.Args[i], space)
}

// flatOf does the same for an operand.
func (l *lifter) flatOf(o *Operand, space Space) (ir.Space, ir.Ref) {
	s, base, off := l.address(o, space)
	if off == 0 {
		return s, base
	}
	t := l.typeOf(base)
	return s, l.b.T(l.addOp(t), base, l.b.Const(t, uint64(off)))
}

// bulkCopy copies or reduces whole blocks of memory (PTX 9.7.9.26.4.1, 9.7.9.26.4.2), and then
// updates the mbarrier object, if there is one.
var bulkCopy = meaning{plan: func(v *variant) []string {
	if v.typ.Float() && v.has("op") {
		return planAtomic(v)
	}
	return nil
}, check: checkBulk, emit: emitBulk}

// bulkRemote is a copy to another block of the cluster.
var bulkRemote = meaning{check: checkBulk, emit: func(l *lifter) {
	claimCluster(l, ir.ClaimOtherBlock, 0, l.v.ops[0].space)
	emitBulk(l)
}}

func checkBulk(c *checker, in *Instr, v *variant) {
	checkMemory(c, in, v)
	for _, name := range []string{"left", "right"} {
		if i := v.named(name); i >= 0 && in.Args[i].Kind == KindInt && in.Args[i].Val > 15 {
			c.errorf(in.Args[i].Pos, diag.Input, codeImmediate, "operand %s of %s is %d, want 0 to 15", name, in.Op, int64(in.Args[i].Val)).Section = "PTX " + v.row.Sec
		}
	}
}

// claimCluster claims that the manual defines the instruction for the launch's clusters and for the address in operand i.
func claimCluster(l *lifter, kind ir.ClaimKind, i int, space Space) {
	s, base, off := l.address(&l.in.Args[i], space)
	l.claim(ir.Inst{Size: uint8(kind), Space: s, Args: [4]ir.Ref{base}, Imm: uint64(off)})
}

// emitBulk emits a bulk copy or reduction.
func emitBulk(l *lifter) {
	spaces := [2]Space{l.v.ops[0].space, l.v.ops[1].space}
	to, dst := l.flat(0, spaces[0])
	from, src := l.flat(1, spaces[1])
	size := l.src(2)
	in := ir.Inst{Op: ir.Bulk, Space: to, Align: 16, Args: [4]ir.Ref{dst, src, size}, Imm: ir.BulkImm(from, 0, 0)}
	if l.v.has("op") {
		op := atomicOp(l.v)
		if op == ir.AtomAddF32 && (l.m.Version == Version{} || l.m.Version.AtLeast(Version{9, 4})) {
			op = ir.AtomOf(l.v.code[0]) // PTX 9.4: 9.7.10.28.4.2; earlier texts flush (Errata E77)
		}
		in.Imm = ir.BulkImm(from, uint8(l.v.typ.Bytes()), op)
	}
	if l.v.named("mbar") >= 0 {
		in.Order = ir.Async // until the phase of the object is over
	} else {
		in.Order = ir.Async | ir.Proxy // until its group is done
	}
	if i := l.v.named("bytes"); i >= 0 {
		in.Args[3] = l.b.T(ir.CvtU32FromU16, l.src(i))
	}
	l.multicast(func(move func(ir.Ref) ir.Ref) {
		in := in
		in.Args[0] = move(in.Args[0])
		l.copyBulk(in)
		if i := l.v.named("mbar"); i >= 0 {
			m := l.mbarrierIn(i, SpaceShared)
			m.base = move(m.base)
			m.looks |= ir.Async // the update of the object reports the copies
			m.update(l, ir.MbarCompleteTx, size, 0)
		}
	})
}

// copyBulk emits a copy. With .ignore_oob it omits bytes at both ends, which may lie outside of all
// allocations and are not read. The destination's bytes at these places are indeterminate in the
// manual; here they keep their values.
func (l *lifter) copyBulk(in ir.Inst) {
	left := l.v.named("left")
	if left < 0 {
		l.b.Emit(in)
		return
	}
	in.Align = 1
	l.open(undefIgnoreSize, func() ir.Ref {
		bad := l.b.T(ir.NeU32, l.b.T(ir.And32, in.Args[2], l.b.Const(ir.B32, 15)), l.b.Const(ir.B32, 0))
		for _, i := range []int{left, l.v.named("right")} {
			bad = l.b.T(ir.OrP, bad, l.b.T(ir.GtU32, l.src(i), l.b.Const(ir.B32, 15)))
		}
		return bad
	})
	skip, end := l.src(left), l.src(l.v.named("right"))
	add := func(a ir.Ref) ir.Ref {
		if l.typeOf(a) == ir.B64 {
			return l.b.T(ir.Add64, a, l.b.T(ir.CvtU64FromU32, skip))
		}
		return l.b.T(ir.Add32, a, skip)
	}
	size, both := in.Args[2], l.b.T(ir.Add32, skip, end)
	rest := l.b.T(ir.Sel32, l.b.T(ir.GtU32, size, both), l.b.T(ir.Sub32, size, both), l.b.Const(ir.B32, 0))
	in.Args = [4]ir.Ref{add(in.Args[0]), add(in.Args[1]), rest}
	l.b.Emit(in)
}

// fill sets shared memory to zero (PTX 9.7.9.14).
var fill = meaning{check: func(c *checker, in *Instr, v *variant) {
	n := &in.Args[1]
	t := U32
	if r := n.Reg(); n.Kind == KindReg && r != nil && r.Type.Bits() == 64 {
		t = U64
	} else if n.Kind == KindReg {
		c.require(in, v, Version{9, 0}, 100)
	}
	c.source(in, &opSpec{name: "size"}, n, t, false)
	if n.Kind == KindInt && (n.Val%8 != 0 || n.Val > 1<<24) {
		c.errorf(n.Pos, diag.Input, codeImmediate, "operand size of %s is %d, want a multiple of 8 up to 16777216", in.Op, int64(n.Val)).Section = "PTX " + v.row.Sec
	}
	if i := &in.Args[2]; i.Val != 0 {
		c.errorf(i.Pos, diag.Input, codeImmediate, "operand init of %s is %d, want 0", in.Op, int64(i.Val)).Section = "PTX " + v.row.Sec
	}
}, emit: func(l *lifter) {
	space := SpaceGeneric
	if l.v.has("shared::cta") {
		space = SpaceShared
	}
	to, dst := l.flat(0, space)
	n := &l.in.Args[1]
	t := U32
	if n.Kind == KindReg {
		t = n.Reg().Type
	}
	l.b.Emit(ir.Inst{Op: ir.Bulk, Space: to, Align: 8, Args: [4]ir.Ref{dst, 0, l.value(n, t)}, Flags: ir.OnlyShared})
}}

// storeAsync stores data and reports the number of bytes to an mbarrier object (PTX 9.7.9.12).
var storeAsync = meaning{check: func(c *checker, in *Instr, v *variant) {
	if n := v.vec * v.typ.Bits(); n > 128 {
		c.errorf(in.Pos, diag.Input, codeModifier, "%s accesses %d bits, more than the 128 of one access", in.Op, n).Section = "PTX " + v.row.Sec
		return
	}
}, emit: func(l *lifter) {
	space := l.asyncSpace()
	claimCluster(l, ir.ClaimCluster, 0, space)
	m := l.mbarrierIn(2, space)
	l.storeIn(space, ir.OnlyShared)
	m.update(l, ir.MbarCompleteTx, l.b.Const(ir.B32, uint64(l.v.vec*l.v.typ.Bytes())), 0)
}}

// asyncSpace returns the space of st.async and red.async: .shared::cluster, or generic addresses.
func (l *lifter) asyncSpace() Space {
	if l.v.has("shared::cluster") {
		return SpaceShared
	}
	return SpaceGeneric
}

// storeRelease and reduceRelease are asynchronous only in name: they are done at once.
var storeRelease = meaning{check: checkMemory, emit: func(l *lifter) { l.storeIn(l.v.memSpace(), ir.OnlyGlobal) }}

var reduceRelease = meaning{check: checkMemory, emit: func(l *lifter) { l.reduceIn(l.v.memSpace(), ir.OnlyGlobal) }}

// reduceAsync is an atomic that reports to an mbarrier object (PTX 9.7.14.7).
var reduceAsync = meaning{emit: func(l *lifter) {
	space := l.asyncSpace()
	claimCluster(l, ir.ClaimOtherBlock, 0, space)
	m := l.mbarrierIn(2, space)
	l.reduceIn(space, ir.OnlyShared)
	m.update(l, ir.MbarCompleteTx, l.b.Const(ir.B32, uint64(l.v.typ.Bytes())), 0)
}}

func (l *lifter) reduceIn(space Space, only ir.Flags) {
	size := l.v.typ.Bytes()
	s, base, off := l.address(&l.in.Args[0], space)
	base, off = l.within32Bits(base, off, size)
	l.b.Emit(ir.Inst{
		Op: ir.Atomic, Imm: ir.AtomicImm(atomicOp(l.v), int32(off)), Size: uint8(size), Align: uint16(size), Space: s, Flags: only,
		Args: [4]ir.Ref{base, l.src(1)},
	})
}
