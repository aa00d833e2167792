package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/x64"
)

// Input: an Observe operation with an observer that says in ir.Func.Observed which
// values it reads.
// Output: one test of CtlOpen; a call-out in cold code if the observer is not calm.
// Invariant: an observer that is not calm sees every operation before its access; a
// calm observer has no effect and needs no call.
// Example: CMP [CtlOpen], 0; JNE cold.

// A calm observer ignores all operations except accesses to shared memory through a
// generic address. The access itself finds those: its region cache never holds a window
// to shared memory (see package engine/jit), so an access that needs no Go needs no
// observer.

// canObserve reports whether Observe operation i usually has no effect, so that the
// test pays.
func canObserve(g *facts, i int) bool {
	o, ok := g.f.Observed[g.f.Code[i].Imm]
	return ok && (o.Address == 0 || g.accessOf(i) > 0)
}

// accessOf is the access that Observe operation i announces: one of the same guest
// instruction, done by machine code, at exactly the observed address. It is 0 if there
// is none.
func (g *facts) accessOf(i int) int {
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
func (g *access) observe() {
	l, back := g.label(), g.label()
	known := g.known()
	g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, HasMem: true, M: g.ctl(abi.CtlOpen)})
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

// observeLate lets Go do Observe operation i before the access in hand, unless it was
// done: if the observer is still not calm, it has seen the operation. If the observer
// was not calm then but is calm now, the access was not to shared memory, and the
// observer may see it twice without harm.
func (g *access) observeLate(i int) {
	done := g.label()
	known := g.known()
	g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, HasMem: true, M: g.ctl(abi.CtlOpen)})
	g.jump(x64.JNE, done)
	g.piece(i-g.at, func() {
		g.surface(1)
		g.callOut()
	})
	g.bind(done)
	g.restore(known)
}
