package ptx

import (
	"crosslane/diag"
	"crosslane/internal/ir"
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

// flat is the whole address of a memory operand, with its offset added.
func (l *lifter) flat(i int, space Space) (ir.Space, ir.Ref) {
	s, base, off := l.address(&l.in.Args[i], space)
	if off == 0 {
		return s, base
	}
	t := l.typeOf(base)
	return s, l.b.T(l.addOp(t), base, l.b.Const(t, uint64(off)))
}

// bulkCopy copies or reduces whole blocks of memory (PTX 9.7.9.26.4.1,
// 9.7.9.26.4.2), and then tells the mbarrier object, if there is one.
var bulkCopy = meaning{plan: func(v *variant) []string {
	if v.typ.Float() && v.has("op") {
		return planAtomic(v)
	}
	return nil
}, check: checkBulk, emit: emitBulk}

// bulkRemote is a copy to another block of the cluster.
var bulkRemote = meaning{check: func(c *checker, in *Instr, v *variant) {
	c.ownBlock(in, v, "the destination is in another block")
	checkBulk(c, in, v)
}, emit: emitBulk}

func checkBulk(c *checker, in *Instr, v *variant) {
	checkMemory(c, in, v)
	if n := &in.Args[2]; n.Kind == KindInt && n.Val%16 != 0 {
		c.errorf(n.Pos, diag.Input, codeImmediate, "operand size of %s is %d, want a multiple of 16", in.Op, int64(n.Val)).Section = "PTX " + v.row.Sec
	}
}

// ownBlock warns of an instruction that the manual defines for clusters of several
// blocks only.
func (c *checker) ownBlock(in *Instr, v *variant, why string) {
	if c.warned[codeOwnBlock+in.Op] {
		return
	}
	c.warned[codeOwnBlock+in.Op] = true
	c.errs.list = append(c.errs.list, &diag.Diagnostic{
		Pos: in.Pos.At(c.m.File), Severity: diag.Warning, Class: diag.Finding, Code: codeOwnBlock,
		Message: in.Op + " is defined only if " + why + ", and clusters have one block here: it works on the memory of its own block",
		Source:  lineAt(c.m.Src, int(in.Pos.Off)), Section: "PTX " + v.row.Sec,
		Remedy: "use it only where %cluster_nctarank is greater than 1",
	})
}

// codeOwnBlock is an instruction for clusters of several blocks.
const codeOwnBlock = "needs-cluster"

func emitBulk(l *lifter) {
	spaces := [2]Space{l.v.ops[0].space, l.v.ops[1].space}
	to, dst := l.flat(0, spaces[0])
	from, src := l.flat(1, spaces[1])
	size := l.src(2)
	in := ir.Inst{Op: ir.Bulk, Space: to, Align: 16, Args: [4]ir.Ref{dst, src, size}, Imm: ir.BulkImm(from, 0, 0)}
	if l.v.has("op") {
		in.Imm = ir.BulkImm(from, uint8(l.v.typ.Bytes()), atomicOp(l.v))
	}
	if i := l.v.named("bytes"); i >= 0 {
		in.Args[3] = l.b.T(ir.CvtU32FromU16, l.src(i))
	}
	emit := func() {
		l.b.Emit(in)
		if i := l.v.named("mbar"); i >= 0 {
			l.mbarrierIn(i, SpaceShared).update(l, ir.MbarCompleteTx, size, 0)
		}
	}
	i := l.v.named("ctas")
	if i < 0 {
		emit()
		return
	}
	// One bit for each block of the cluster: there is the one of rank 0.
	ctas := l.b.T(ir.CvtU32FromU16, l.src(i))
	one, zero := l.b.Const(ir.B32, 1), l.b.Const(ir.B32, 0)
	others := l.b.T(ir.ShrU32, ctas, one)
	l.b.Emit(ir.Inst{Op: ir.Fail, Args: [4]ir.Ref{l.b.T(ir.Sel32, l.b.T(ir.NeU32, others, zero), one, zero)}, Imm: uint64(ir.FailNoRank)})
	l.guarded(l.b.T(ir.NeU32, ctas, zero), emit)
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

// storeAsync stores and tells an mbarrier object how many bytes (PTX 9.7.9.12).
var storeAsync = meaning{check: func(c *checker, in *Instr, v *variant) {
	if n := v.vec * v.typ.Bits(); n > 128 {
		c.errorf(in.Pos, diag.Input, codeModifier, "%s accesses %d bits, more than the 128 of one access", in.Op, n).Section = "PTX " + v.row.Sec
		return
	}
	c.ownBlock(in, v, "the cluster has several blocks")
}, emit: func(l *lifter) {
	space := l.asyncSpace()
	m := l.mbarrierIn(2, space)
	l.storeIn(space, ir.OnlyShared)
	m.update(l, ir.MbarCompleteTx, l.b.Const(ir.B32, uint64(l.v.vec*l.v.typ.Bytes())), 0)
}}

// asyncSpace is the space of st.async and red.async: .shared::cluster, or generic
// addresses.
func (l *lifter) asyncSpace() Space {
	if l.v.has("shared::cluster") {
		return SpaceShared
	}
	return SpaceGeneric
}

// storeRelease and reduceRelease are asynchronous in name: they are done at once.
var storeRelease = meaning{check: checkMemory, emit: func(l *lifter) { l.storeIn(l.v.memSpace(), ir.OnlyGlobal) }}

var reduceRelease = meaning{check: checkMemory, emit: func(l *lifter) { l.reduceIn(l.v.memSpace(), ir.OnlyGlobal) }}

// reduceAsync is an atomic that tells an mbarrier object (PTX 9.7.14.7).
var reduceAsync = meaning{check: func(c *checker, in *Instr, v *variant) {
	c.ownBlock(in, v, "the destination is in another block")
}, emit: func(l *lifter) {
	space := l.asyncSpace()
	m := l.mbarrierIn(2, space)
	l.reduceIn(space, ir.OnlyShared)
	m.update(l, ir.MbarCompleteTx, l.b.Const(ir.B32, uint64(l.v.typ.Bytes())), 0)
}}

func (l *lifter) reduceIn(space Space, only ir.Flags) {
	size := l.v.typ.Bytes()
	s, base, off := l.address(&l.in.Args[0], space)
	base, off = l.near(base, off, size)
	l.b.Emit(ir.Inst{
		Op: ir.Atomic, Imm: ir.AtomicImm(atomicOp(l.v), int32(off)), Size: uint8(size), Align: uint16(size), Space: s, Flags: only,
		Args: [4]ir.Ref{base, l.src(1)},
	})
}
