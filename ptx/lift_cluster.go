package ptx

import (
	"fmt"

	"example.org/crosslane/internal/ir"
)

// addressOperand checks an operand that is an address in a register or the address of a .shared
// variable.
func addressOperand(c *checker, in *Instr, v *variant) {
	a := &in.Args[1]
	if a.Kind != KindVar && a.Kind != KindIndex && a.Kind != KindSymOff {
		c.source(in, &opSpec{name: "a"}, a, v.typ, false)
		return
	}
	if d := a.Var(); d != nil && (d.Space != SpaceShared || !v.has("shared::cluster")) {
		c.bad(in, &opSpec{name: "a"}, a, fmt.Sprintf("a .%s register, or with .shared::cluster a .shared variable", v.typ))
	}
}

// clusterInput returns a number of the launch's clusters.
func clusterInput(l *lifter, k ir.InputKind) ir.Ref {
	r, ok := l.clusterValues[k]
	if !ok {
		r = l.b.Vector("", ir.B32)
		l.b.Input(k, r, 0)
		if l.clusterValues == nil {
			l.clusterValues = map[ir.InputKind]ir.Ref{}
		}
		l.clusterValues[k] = r
	}
	return r
}

// failNoRank faults for the lanes in which bad (B1) is set: no block of the cluster has the rank.
func failNoRank(l *lifter, bad ir.Ref) {
	one, zero := l.b.Const(ir.B32, 1), l.b.Const(ir.B32, 0)
	l.b.Emit(ir.Inst{Op: ir.Fail, Args: [4]ir.Ref{l.b.T(ir.Sel32, bad, one, zero)}, Imm: uint64(ir.FailNoRank)})
}

// mapa maps an address to the block of a rank (PTX 9.7.9.24): it replaces the rank in the address.
var mapa = meaning{check: addressOperand, emit: func(l *lifter) {
	a, t := &l.in.Args[1], irType(l.v.typ)
	generic := !l.v.has("shared::cluster")
	var addr ir.Ref
	if a.Var() != nil {
		addr = l.addressValue(a, t, false)
	} else {
		addr = l.value(a, l.v.typ)
	}
	rank := l.src(2)
	failNoRank(l, l.b.T(ir.GeU32, rank, clusterInput(l, ir.ClusterSize)))
	if !l.b.Func().Ranked {
		l.set(0, addr)
		return
	}
	l.set(0, movedTo(l, addr, rank, !generic))
}}

// movedTo returns an address of shared memory in the block of a rank (B32). named says that the address is one of the space, else
// it is generic.
func movedTo(l *lifter, addr, rank ir.Ref, named bool) ir.Ref {
	t := l.typeOf(addr)
	// A window of shared memory begins at a multiple of 64 KiB only, so the difference of the ranks is added.
	step := l.b.T(ir.Shl32, l.b.T(ir.Sub32, rank, rankOf(l, addr, !named)), l.b.Const(ir.B32, ir.RankShift))
	if t == ir.B64 {
		step = l.b.T(ir.CvtS64FromS32, step)
	}
	return l.b.T(l.addOp(t), addr, step)
}

// rankOf returns the rank of the block that an address belongs to, of B32.
func rankOf(l *lifter, addr ir.Ref, generic bool) ir.Ref {
	t := l.typeOf(addr)
	if generic {
		if w, ok := l.window(ir.Shared, t); ok && w != 0 {
			addr = l.b.T(pick(t == ir.B64, ir.Sub64, ir.Sub32), addr, l.b.Const(t, w))
		}
	}
	if t == ir.B64 {
		addr = l.b.T(ir.CvtU32FromU64, addr)
	}
	return l.b.T(ir.ShrU32, addr, l.b.Const(ir.B32, ir.RankShift))
}

// getctarank returns the rank of the block that an address belongs to (PTX 9.7.9.25).
var getctarank = meaning{check: addressOperand, emit: func(l *lifter) {
	if !l.b.Func().Ranked {
		l.set(0, l.b.Const(ir.B32, 0))
		return
	}
	a := &l.in.Args[1]
	var addr ir.Ref
	if a.Var() != nil {
		addr = l.addressValue(a, irType(l.v.typ), false)
	} else {
		addr = l.value(a, l.v.typ)
	}
	l.set(0, rankOf(l, addr, !l.v.has("shared::cluster")))
}}

// clusterArrive and clusterWait are the barrier of the cluster (PTX 9.7.14.3).
var clusterArrive = meaning{emit: func(l *lifter) {
	in := ir.Inst{Op: ir.ClusterArrive, Order: ir.Release}
	if l.v.says("relaxed") {
		in.Order = ir.Strong
	}
	l.b.Emit(in)
}}

var clusterWait = meaning{emit: func(l *lifter) {
	// The wait is a loop: a lane that has to wait lets other lanes run, and tests again.
	done := l.b.Vector("", ir.B1)
	again := l.b.NewLabel()
	guard := l.in.Guard
	if guard != nil {
		// Lanes that the guard disables do not wait.
		own := l.reg(&guard.Reg)
		if guard.Not {
			own = l.b.T(ir.NotP, own)
		}
		l.b.Guard(0, false)
		l.b.Move(done, l.b.T(ir.NotP, own))
		own = l.stable(0, own)
		l.b.Bind(again)
		l.b.Guard(own, false)
	} else {
		l.b.Bind(again)
	}
	l.b.Emit(ir.Inst{Op: ir.ClusterDone, Dst: done})
	l.b.Guard(done, true)
	l.b.Emit(ir.Inst{Op: ir.Yield})
	l.b.Bra(again)
	l.b.Guard(0, false)
}}

// tryCancel writes the response of a failed request, 16 zero bytes, and updates the mbarrier object
// (PTX 9.7.14.18).
var tryCancel = meaning{emit: func(l *lifter) {
	space := SpaceGeneric
	if l.v.has("shared::cta") {
		space = SpaceShared
	}
	l.claim(ir.Inst{Size: uint8(ir.ClaimCancel), Imm: l.v.row.open(undefCancel)})
	m := l.mbarrierIn(1, space)
	s, base, off := l.address(&l.in.Args[0], space)
	zero := l.b.Const(ir.B64, 0)
	respond := func(move func(ir.Ref) ir.Ref) {
		m := m
		base := move(base)
		m.base = move(m.base)
		l.store(zero, s, base, off, 8, 16, ir.OnlyShared)
		l.store(zero, s, base, off+8, 8, 8, ir.OnlyShared)
		m.update(l, ir.MbarCompleteTx, l.b.Const(ir.B32, 16), 0)
	}
	if !l.v.has("multicast::cluster::all") || !l.b.Func().Ranked {
		respond(func(addr ir.Ref) ir.Ref { return addr })
		return
	}
	// Each block of the cluster receives the response, at the same offset, and so does its mbarrier object.
	one := l.b.Const(ir.B32, 1)
	l.multicastTo(l.b.T(ir.Sub32, l.b.T(ir.Shl32, one, clusterInput(l, ir.ClusterSize)), one), respond)
}}

// queryCancel reads a response. The response is always that no block was cancelled (PTX 9.7.14.19).
var queryCancel = meaning{emit: func(l *lifter) {
	zero := l.b.Const(ir.B32, 0)
	if l.v.has("is_canceled") {
		zero = l.b.Const(ir.B1, 0)
		l.claim(ir.Inst{Size: uint8(ir.ClaimCancelSeen)})
	}
	for _, o := range l.in.Args[0].elements() {
		if o.Kind == KindReg {
			l.b.Move(l.reg(&o), zero)
			if !l.v.says("is_canceled") { // the number of the cancelled block is undefined if none is cancelled
				l.claim(ir.Inst{Size: uint8(ir.ClaimUndefined), Args: [4]ir.Ref{1: l.reg(&o)}})
			}
		}
	}
}}
