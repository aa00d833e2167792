package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// Observe operations whose observer is calm do nothing, but for those of an access to
// shared memory through a generic address. That is found out by the access itself: its
// region cache never is of a window (see package engine/jit), so what it does without Go
// needs no observer.

// canObserve reports whether Observe operation i does nothing, mostly.
func canObserve(g *gen, i int) bool {
	o, ok := g.f.Observed[g.f.Code[i].Imm]
	return ok && (o.Address == 0 || g.accessOf(i) > 0)
}

// accessOf is the access of the guest instruction that Observe operation i announces, if it
// is one of machine code to the very address that is observed; else 0.
func (g *gen) accessOf(i int) int {
	high := g.f.Observed[g.f.Code[i].Imm].Address
	pack := ir.Ref(0) // the address
	for k := i + 1; k < len(g.f.Code); k++ {
		in := &g.f.Code[k]
		switch {
		case in.Pos != g.f.Code[i].Pos:
			return 0
		case in.Op == ir.Load || in.Op == ir.Store:
			whole := g.s.Halves[g.s.Ops[k].Args[0]]
			if (pack != 0 && in.Args[0] == pack || whole.High == high && high != 0) && in.Imm == 0 && !in.Scalar && in.Space == ir.Generic && accessCan(g, k) {
				return k
			}
			return 0
		case in.Op == ir.Nop:
		case !in.Op.Pure() || g.f.Val(in.Dst).Kind != ir.Temp:
			return 0
		case in.Op == ir.Pack64 && in.Args[1] == high:
			pack = in.Dst
		}
	}
	return 0
}

// observe emits an Observe operation.
func (g *gen) observe() {
	l, back := g.label(), g.label()
	known := g.known()
	g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, HasMem: true, M: g.ctl(CtlOpen)})
	g.jump(x64.JNE, l)
	g.cold(l, func() {
		g.surface(1)
		g.callOut()
		g.jump(x64.JMP, back)
	})
	g.bind(back)
	g.restore(known)
	if g.f.Observed[g.in.Imm].Address != 0 {
		g.watch, g.watched = g.at, g.accessOf(g.at)
	}
}

// observeLate has Go do Observe operation i in front of the access in hand, unless it has
// been done: an observer that is not calm behind it has seen it. To one that was not calm,
// but is now, it was none of shared memory, and may be told of it twice.
func (g *gen) observeLate(i int) {
	done := g.label()
	known := g.known()
	g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, HasMem: true, M: g.ctl(CtlOpen)})
	g.jump(x64.JNE, done)
	g.piece(i-g.at, func() {
		g.surface(1)
		g.callOut()
	})
	g.bind(done)
	g.restore(known)
}
