package abi

import "example.org/crosslane/internal/jit/x64"

// saved reports whether machine register r is saved at an exit.
func saved(r x64.Reg) bool { return r != x64.RAX && r != x64.RBX && r != x64.RSP && r != x64.RBP }

// Sparing adds to Routines the code by which Go enters and exits. Enter restores all
// saved registers and jumps to the address in CtlEntry. Save stores all registers and
// returns to Go; CtlExit has the number of the exit, which is in Acc, and CtlEntry the
// address after the call. Vector and mask registers that are not in used (bit r is
// register r) are skipped: many kernels use few, and saving them is most of the cost of
// an exit.
func (c *Code) Sparing(used uint64, control int32) {
	list := c.Routines
	ctl := func(off int32) x64.Mem { return x64.Mem{Base: Frame, Disp: control + off} }
	emit := func(in x64.Inst) { list = append(list, in) }
	each := func(gpr, mask, vec x64.Op, store bool) {
		add := func(op x64.Op, n uint8, r x64.Reg, off int32) {
			in := x64.Inst{Op: op, Len: n, HasMem: true, M: ctl(off)}
			if store {
				in.B = r
			} else {
				in.Dst = r
			}
			emit(in)
		}
		for r := x64.RAX; r <= x64.R15; r++ {
			if saved(r) {
				add(gpr, 8, r, CtlGPR+8*int32(r.Num()))
			}
		}
		for k := x64.K0 + 1; k <= x64.K0+7; k++ {
			if used>>k&1 != 0 {
				add(mask, 8, k, CtlMask+8*int32(k.Num()))
			}
		}
		for v := x64.V0; v < x64.K0; v++ {
			if used>>v&1 != 0 {
				add(vec, uint8(c.Width), v, CtlVec+64*int32(v.Num()))
			}
		}
	}
	emit(x64.Inst{Op: x64.LABEL, Label: c.Save})
	emit(x64.Inst{Op: x64.MOVSt, Len: 8, B: Acc, HasMem: true, M: ctl(CtlExit)})
	emit(x64.Inst{Op: x64.POP, Len: 8, Dst: Acc})
	emit(x64.Inst{Op: x64.MOVSt, Len: 8, B: Acc, HasMem: true, M: ctl(CtlEntry)})
	each(x64.MOVSt, x64.KMOVQSt, x64.VMOVDQUSt, true)
	emit(x64.Inst{Op: x64.RET})
	emit(x64.Inst{Op: x64.ENTRY, Label: c.Enter})
	each(x64.MOV, x64.KMOVQ, x64.VMOVDQU, false)
	emit(x64.Inst{Op: x64.JMPReg, Len: 8, HasMem: true, M: ctl(CtlEntry)})
	c.Routines = list
}
