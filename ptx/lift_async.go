package ptx

import (
	"slices"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// copyAsync copies 4, 8 or 16 bytes from global to shared memory. Bytes beyond a source size are
// written as zeros; if a predicate says so, all bytes are (PTX 9.7.9.26.3.1).
var copyAsync = meaning{emit: emitCopy, check: func(c *checker, in *Instr, v *variant) {
	n := in.Args[2].Val
	if n != 16 && (n != 4 && n != 8 || v.mod("cop") == "cg") {
		c.errorf(in.Args[2].Pos, diag.Input, codeImmediate, "operand size of %s is %d, want 4, 8 or 16 (16 with .cg)", in.Op, int64(n))
	}
	for i := range v.ops {
		if v.ops[i].name != "n" {
			continue
		}
		a := &in.Args[i]
		if r := a.Reg(); a.Kind == KindNot || a.Kind == KindReg && r != nil && r.Type == Pred {
			c.require(in, v, Version{7, 5}, 80)
			c.source(in, &opSpec{name: "n", neg: true}, a, Pred, false)
			return
		}
		c.source(in, &v.ops[i], a, U32, false)
		if a.Kind == KindInt && a.Val > n {
			c.errorf(a.Pos, diag.Input, codeImmediate, "operand n of %s is %d, more than the size %d", in.Op, int64(a.Val), int64(n))
		}
	}
}}

// The groups of copies (PTX 9.7.9.26.3.2, 9.7.9.26.3.3, 9.7.9.26.6). Copies are done at once; the
// Nops record the waits for the checks.
var (
	commitGroup = meaning{noEffect: true, emit: func(l *lifter) { l.b.Emit(ir.Inst{Op: ir.Nop, Order: ir.Async | ir.Release}) }}
	waitGroup   = meaning{noEffect: true, emit: func(l *lifter) {
		l.b.Emit(ir.Inst{Op: ir.Nop, Order: ir.Async | ir.Acquire, Imm: l.in.Args[0].Val})
	}}
	commitBulk = meaning{noEffect: true, emit: func(l *lifter) { l.b.Emit(ir.Inst{Op: ir.Nop, Order: ir.Async | ir.Proxy | ir.Release}) }}
	waitBulk   = meaning{noEffect: true, emit: func(l *lifter) {
		in := ir.Inst{Op: ir.Nop, Order: ir.Async | ir.Proxy | ir.Acquire, Imm: l.in.Args[0].Val}
		if l.v.has("read") {
			in.Order |= ir.Strong
		}
		l.b.Emit(in)
	}}
	waitAll = meaning{noEffect: true, emit: func(l *lifter) { l.b.Emit(ir.Inst{Op: ir.Nop, Order: ir.Async | ir.Acquire | ir.Strong}) }}
)

// emitCopy emits a copy of copyAsync, in elements of up to 8 bytes. A size that is not known gives the whole elements before
// it, and the rest of one.
func emitCopy(l *lifter) {
	l.b.Order(ir.Async)
	openSize(l)
	to, toBase, toOff := l.address(&l.in.Args[0], SpaceShared)
	from, fromBase, fromOff := l.address(&l.in.Args[1], SpaceGlobal)
	size := int(l.in.Args[2].Val)
	var limit ir.Ref  // a number of bytes
	var ignore ir.Ref // or a predicate
	if len(l.v.ops) > 3 && l.v.ops[3].name == "n" {
		a := &l.in.Args[3]
		if r := a.Reg(); a.Kind == KindNot || a.Kind == KindReg && r.Type == Pred {
			ignore = l.b.T(ir.NotP, l.value(a, Pred))
		} else {
			limit = l.value(a, U32)
		}
	}
	step := min(size, 8)
	sel := ir.Sel64
	if step == 4 {
		sel = ir.Sel32
	}
	// Everything is read before the first write.
	var vals []ir.Ref
	for i := 0; i < size; i += step {
		align := step
		if i == 0 {
			align = size
		}
		v := l.b.Temp([...]ir.Type{4: ir.B32, 8: ir.B64}[step])
		in := ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{fromBase}, Imm: uint64(fromOff + int64(i)), Size: uint8(step), Space: from, Align: uint16(align)}
		zero := l.b.Const(l.typeOf(v), 0)
		switch {
		case limit != 0:
			have := l.b.T(ir.LtU32, l.b.Const(ir.B32, uint64(i+step-1)), limit)
			l.guarded(have, func() { l.b.Emit(in) })
			v = l.b.T(sel, have, v, zero)
		case ignore != 0:
			l.guarded(ignore, func() { l.b.Emit(in) })
			v = l.b.T(sel, ignore, v, zero)
		default:
			l.b.Emit(in)
		}
		vals = append(vals, v)
	}
	if limit != 0 {
		rest := copyRest(l, from, fromBase, fromOff, size, step, limit)
		start := l.b.T(ir.And32, limit, l.b.Const(ir.B32, uint64(uint32(-step))))
		for i, v := range vals {
			at := l.b.T(ir.EqU32, start, l.b.Const(ir.B32, uint64(i*step)))
			vals[i] = l.b.T(sel, at, rest, v)
		}
	}
	for i, v := range vals {
		align := step
		if i == 0 {
			align = size
		}
		l.store(v, to, toBase, toOff+int64(i*step), step, align, 0)
	}
}

// copyRest emits the loads of the bytes of a copy behind the last element of step bytes that lies below a limit, and returns
// them, the first one lowest; 0 if there are none. Bytes from the limit on are not read.
//
// Each power of two below step is a load if the limit has it. A copy's source is aligned to its size, so these loads are
// aligned: of 7 bytes at 8, 4 are loaded at 8, 2 at 12 and 1 at 14.
func copyRest(l *lifter, space ir.Space, base ir.Ref, off int64, size, step int, limit ir.Ref) ir.Ref {
	konst := func(n int) ir.Ref { return l.b.Const(ir.B32, uint64(uint32(n))) }
	add, or, sel, shl, wide := ir.Add64, ir.Or64, ir.Sel64, ir.Shl64, [...]ir.Op{1: ir.CvtU64FromU8, 2: ir.CvtU64FromU16, 4: ir.CvtU64FromU32}
	if step == 4 {
		or, sel, shl, wide = ir.Or32, ir.Sel32, ir.Shl32, [...]ir.Op{1: ir.CvtU32FromU8, 2: ir.CvtU32FromU16, 4: 0}
	}
	if l.typeOf(base) == ir.B32 {
		add = ir.Add32
	}
	inside := l.b.T(ir.LtU32, limit, konst(size))
	var all ir.Ref
	for n := step / 2; n > 0; n /= 2 {
		have := l.b.T(ir.AndP, inside, l.b.T(ir.NeU32, l.b.T(ir.And32, limit, konst(n)), konst(0)))
		before := l.b.T(ir.And32, limit, konst(-2*n)) // bytes of the copy before these
		from := before
		if add == ir.Add64 {
			from = l.b.T(ir.CvtU64FromU32, before)
		}
		from = l.b.T(add, base, from)
		v := l.b.Temp([...]ir.Type{1: ir.B8, 2: ir.B16, 4: ir.B32}[n])
		l.guarded(have, func() {
			l.b.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{from}, Imm: uint64(off), Size: uint8(n), Space: space, Align: uint16(n)})
		})
		v = l.b.T(wide[n], v)
		v = l.b.T(sel, have, v, l.b.Const(l.typeOf(v), 0))
		if n < step/2 {
			bits := l.b.T(ir.Shl32, l.b.T(ir.And32, before, konst(step-1)), konst(3))
			v = l.b.T(or, all, l.b.T(shl, v, bits))
		}
		all = v
	}
	return all
}

// openSize reports source sizes above the size of the copy to the checks.
func openSize(l *lifter) {
	i := l.v.named("n")
	if i < 0 || l.in.Args[i].Kind == KindNot || l.in.Args[i].Kind == KindInt || l.in.Args[i].Kind == KindReg && l.in.Args[i].Reg().Type == Pred {
		return
	}
	l.open(undefSourceSize, func() ir.Ref {
		return l.b.T(ir.GtU32, l.value(&l.in.Args[i], U32), l.b.Const(ir.B32, l.in.Args[2].Val))
	})
}

// mbarCount returns the pending count of a state (PTX 9.7.14.16.20).
var mbarCount = meaning{ops: []string{"MbarPending"}, emit: func(l *lifter) {
	state := l.src(1)
	l.claim(ir.Inst{Size: uint8(ir.ClaimMbarCount), Args: [4]ir.Ref{1: state}})
	l.to(0, l.op(0), state)
}}

// An mbarrier is the place of an mbarrier object in memory.
type mbarrier struct {
	space ir.Space
	base  ir.Ref
	off   int64
	looks ir.Order // order of its loads
}

// mbarrier returns the object that operand i names. A generic address has to be in shared memory.
func (l *lifter) mbarrier(i int) mbarrier { return l.mbarrierIn(i, l.v.memSpace()) }

func (l *lifter) mbarrierIn(i int, in Space) mbarrier { return l.mbarrierOf(&l.in.Args[i], in) }

// mbarrierOf does the same for an operand.
func (l *lifter) mbarrierOf(o *Operand, in Space) mbarrier {
	space, base, off := l.address(o, in)
	base, off = l.within32Bits(base, off, 8)
	return mbarrier{space, base, off, ir.Strong | mbarScope(l)}
}

// claim reports an operation on the object, with its operand, to the checks.
func (m mbarrier) claim(l *lifter, kind ir.ClaimKind, operand ir.Ref) {
	l.claim(ir.Inst{Size: uint8(kind), Args: [4]ir.Ref{m.base, operand}, Imm: uint64(m.off), Space: m.space})
}

// claim reports a requirement of the current instruction to the checks.
func (l *lifter) claim(in ir.Inst) {
	in.Op = ir.Claim
	l.b.Checked(func() { l.b.Emit(in) })
}

// open reports to the checks the lanes for which the manual leaves the effect of the instruction
// undefined; u is the case in its row. The function where emits the code that computes these lanes (B1).
func (l *lifter) open(u Undefined, where func() ir.Ref) {
	l.b.Checked(func() {
		l.b.Emit(ir.Inst{Op: ir.Claim, Size: uint8(ir.ClaimOpen), Args: [4]ir.Ref{1: where()}, Imm: l.v.row.open(u)})
	})
}

// load returns the current value of the object.
func (m mbarrier) load(l *lifter) ir.Ref {
	obj := l.b.Temp(ir.B64)
	l.b.Emit(ir.Inst{Op: ir.Load, Dst: obj, Args: [4]ir.Ref{m.base}, Imm: uint64(m.off), Size: 8, Align: 8, Space: m.space, Flags: ir.OnlyShared | ir.Volatile, Order: m.looks &^ ir.Async})
	return obj
}

// valid faults unless the address holds an object that has not been misused.
func (m mbarrier) valid(l *lifter) ir.Ref {
	obj := m.load(l)
	l.b.Emit(ir.Inst{Op: ir.Fail, Args: [4]ir.Ref{l.b.T(ir.MbarError, obj)}, Imm: uint64(ir.FailMbarNoObject)})
	return obj
}

func (m mbarrier) store(l *lifter, val ir.Ref) {
	l.b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{m.base, val}, Imm: uint64(m.off), Size: 8, Align: 8, Space: m.space, Flags: ir.OnlyShared})
}

// update does an operation on the object, lane by lane, and faults on misuse. dst, if any, receives
// the old value of the object.
func (m mbarrier) update(l *lifter, op ir.Op, count, dst ir.Ref) {
	if dst != 0 && dst == m.base {
		m.base = l.copyOf(m.base)
	}
	order := ir.Strong | ir.Release // PTX 9.7.14.16.16: .release unless .relaxed is written
	if l.v.says("relaxed") {
		order = ir.Strong
	}
	order |= m.looks & (ir.Async | ir.InBlock | ir.InCluster)
	l.b.Emit(ir.Inst{
		Op: ir.Atomic, Imm: ir.AtomicImm(ir.AtomOf(op), int32(m.off)), Size: 8, Align: 8, Space: m.space, Flags: ir.OnlyShared,
		Args: [4]ir.Ref{m.base, count}, Dst: dst, Order: order,
	})
	m.valid(l)
}

// mbarScope returns the scope of an operation on an mbarrier object in a cluster of several blocks.
//
// Unspecified: the scope of an operation that names none is .cta (PTX 9.7.14.16.16). Libraries leave it out where blocks of a
// cluster signal to each other, so it counts as .cluster.
func mbarScope(l *lifter) ir.Order {
	switch {
	case !l.b.Func().Ranked:
		return 0
	case l.v.says("cta"):
		return ir.InBlock
	}
	return ir.InBlock | ir.InCluster
}

// mbarInit makes an object (PTX 9.7.14.16.12).
var mbarInit = meaning{check: func(c *checker, in *Instr, v *variant) {
	if v.mod("layout") == "layout::v1" {
		c.errorf(in.Pos, diag.Unsupported, codeUnsupported, "%s: reports of fabric operations, which .layout::v1 is for, are not supported", in.Op).Section = "PTX " + v.row.Sec
	}
}, emit: func(l *lifter) {
	m := l.mbarrier(0)
	m.claim(l, ir.ClaimMbarInit, 0)
	m.store(l, l.b.T(ir.MbarInit, l.src(1)))
	m.valid(l)
}}

// mbarInval ends an object (PTX 9.7.14.16.13).
var mbarInval = meaning{emit: func(l *lifter) {
	m := l.mbarrier(0)
	m.valid(l)
	m.claim(l, ir.ClaimMbarEnd, 0)
	m.store(l, l.b.Const(ir.B64, 0))
}}

// mbarTrack is cp.async.mbarrier.arrive. The copies before it are already done, so it arrives at
// once (PTX 9.7.14.16.18).
var mbarTrack = meaning{ops: []string{"MbarTrack", "MbarArrive"}, emit: func(l *lifter) {
	op := l.v.code[0]
	if l.v.has("noinc") {
		op = l.v.code[1]
	}
	m := l.mbarrier(0)
	m.looks |= ir.Async
	m.update(l, op, l.b.Const(ir.B32, 1), 0)
}}

// mbarUpdate is an operation that changes an object: an arrival, or a count of bytes (PTX
// 9.7.14.16.14 to 9.7.14.16.17).
func mbarUpdate(op string) meaning {
	return meaning{ops: []string{op}, check: checkMbarrier, emit: func(l *lifter) {
		count := l.b.Const(ir.B32, 1)
		var dst ir.Ref
		at := 0
		for i := range l.v.ops {
			switch o := &l.v.ops[i]; {
			case o.dst:
				if d := l.dst(i); d != nil {
					dst = l.reg(d)
				}
			case o.kind == opAddr:
				at = i
			case o.name == "ctas":
			default:
				count = l.src(i)
			}
		}
		m := l.mbarrier(at)
		l.multicast(func(move func(ir.Ref) ir.Ref) {
			m := m
			m.base = move(m.base)
			m.update(l, l.v.code[0], count, dst)
		})
		if dst != 0 && l.v.says("noComplete") {
			l.claim(ir.Inst{Size: uint8(ir.ClaimMbarCounted), Args: [4]ir.Ref{1: dst}})
		}
	}}
}

// multicast emits an effect for each block of the cluster that the operand ctas names; the operand has one bit for each rank.
// The effect gets a function that moves an address of shared memory to that block: the offset in the block stays the same.
// Without the operand, the effect is where its addresses say.
func (l *lifter) multicast(emit func(move func(addr ir.Ref) ir.Ref)) {
	i := l.v.named("ctas")
	if i < 0 {
		emit(func(addr ir.Ref) ir.Ref { return addr })
		return
	}
	ctas := l.src(i)
	if l.typeOf(ctas) == ir.B16 {
		ctas = l.b.T(ir.CvtU32FromU16, ctas)
	}
	l.multicastTo(ctas, emit)
}

// multicastTo does the same for a mask (B32) of ranks.
func (l *lifter) multicastTo(ctas ir.Ref, emit func(move func(addr ir.Ref) ir.Ref)) {
	one, zero := l.b.Const(ir.B32, 1), l.b.Const(ir.B32, 0)
	if !l.b.Func().Ranked {
		failNoRank(l, l.b.T(ir.NeU32, l.b.T(ir.ShrU32, ctas, one), zero))
		l.guarded(l.b.T(ir.NeU32, ctas, zero), func() { emit(func(addr ir.Ref) ir.Ref { return addr }) })
		return
	}
	failNoRank(l, l.b.T(ir.NeU32, l.b.T(ir.ShrU32, ctas, clusterInput(l, ir.ClusterSize)), zero))
	for rank := range uint64(MaxCluster) {
		named := l.b.T(ir.And32, ctas, l.b.Const(ir.B32, 1<<rank))
		l.guarded(l.b.T(ir.NeU32, named, zero), func() {
			emit(func(addr ir.Ref) ir.Ref { return movedTo(l, addr, l.b.Const(ir.B32, rank), true) })
		})
	}
}

// MaxCluster is the number of blocks that a cluster has at most: 8, and 16 where the launch allows it (CUDA C++ Programming Guide,
// "Thread Block Clusters").
const MaxCluster = 16

// checkMbarrier checks the modifiers and operands of an update of an mbarrier object.
func checkMbarrier(c *checker, in *Instr, v *variant) {
	section := "PTX " + v.row.Sec
	if !v.ops[0].dst {
		return
	}
	if v.mod("ss") == "shared::cluster" && in.Args[0].Kind != KindSink {
		d := c.errorf(in.Args[0].Pos, diag.Input, codeOperand, "%s returns no state from .shared::cluster", in.Op)
		d.Section, d.Remedy = section, "write _ as its destination, or use .shared::cta"
	}
	if in.Args[0].Kind == KindSink {
		c.require(in, v, Version{7, 1}, 80)
	}
	// For sm_8x, a count needs .noComplete.
	if v.named("count") > 0 && v.row.least == 2 {
		c.require(in, v, Version{7, 8}, 90)
	}
}

// mbarTest tests whether a phase is over (PTX 9.7.14.16.19). try_wait may suspend the thread: the
// other waves of the block then run.
func mbarTest(op string) meaning {
	return meaning{ops: []string{op}, check: checkReport, emit: func(l *lifter) {
		at := slices.IndexFunc(l.v.ops, func(o opSpec) bool { return o.kind == opAddr })
		m := l.mbarrier(at)
		if !l.v.says("relaxed") {
			m.looks |= ir.Acquire // PTX 9.7.14.16.19
		}
		obj := m.valid(l)
		what, kind := l.src(at+1), ir.ClaimMbarState
		if l.v.says("parity") {
			kind = ir.ClaimMbarParity
		}
		m.claim(l, kind, what)
		done := l.b.T(l.v.code[0], obj, what)
		if l.v.has("try_wait") {
			l.guarded(l.b.T(ir.NotP, done), func() { l.b.Emit(ir.Inst{Op: ir.Yield}) })
		}
		if at == 2 {
			l.set(1, l.b.Const(ir.B8, 0)) // objects of .layout::v0 have no reports
		}
		if report := l.pair(0); report != 0 {
			l.setBoth(done, report, l.b.Const(ir.B1, 0))
			return
		}
		l.set(0, done)
	}}
}

// checkReport checks that a predicate for reports comes with .phase_type::primary.
func checkReport(c *checker, in *Instr, v *variant) {
	if len(in.Args) > 0 && in.Args[0].Kind == KindPair && v.mod("phase_type") != "phase_type::primary" && !v.says("phase_type::primary") {
		d := c.errorf(in.Args[0].Pos, diag.Input, codeModifier, "%s has a predicate for reports, which goes with .phase_type::primary", in.Op)
		d.Section, d.Remedy = "PTX "+v.row.Sec, "add the modifier, or leave the predicate after the bar out"
	}
}

// mbarLayout tests the layout of an object (PTX 9.7.14.16.21). It is always .layout::v0, because
// mbarrier.init makes no other.
var mbarLayout = meaning{emit: func(l *lifter) {
	l.mbarrier(1).valid(l)
	yes := uint64(0)
	if l.v.has("layout") && l.v.mod("layout") == "layout::v0" {
		yes = 1
	}
	l.set(0, l.b.Const(ir.B1, yes))
}}
