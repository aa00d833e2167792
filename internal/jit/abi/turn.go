package abi

import (
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// Ctl is the operand for a control word of the running wave.
func (l Layout) Ctl(off int32) x64.Mem { return x64.Mem{Base: Frame, Disp: l.Control + off} }

// Looks makes Go look before the next barrier opens if the flags are those of a counter that is
// below CtlLeast. lead is the frame of the block's first wave; t is a free register. The
// subtraction with borrow makes -1 of the carry, so CtlAny cannot equal an exit number any more.
func (l Layout) Looks(fn *lir.Func, t, lead x64.Reg) {
	fn.Op(x64.SBB, 8, t, 0, t)
	fn.Emit(x64.Inst{Op: x64.ORSt, Len: 8, B: t, HasMem: true, M: x64.Mem{Base: lead, Disp: l.Control + CtlAny}})
}
