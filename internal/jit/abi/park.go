package abi

import "example.org/crosslane/internal/jit/x64"

// Held is a live register and its contents. If it holds a constant, Const is the number of that
// constant, counted from 1, and Len its bytes; else Len is 8. If Stored is set, the place in the
// frame already has its value.
type Held struct {
	Reg    x64.Reg
	Const  int32
	Len    uint8
	Stored bool
}

// Parks makes the routines by which waves wait at barriers and continue after them: one pair for
// each barrier, with the registers that live there. A register that has not changed since it was
// stored is not stored again. Constants are not stored: the second routine loads them anew, and
// package engine/jit fills them in if Go continues the wave.
//
// code is the list as package alloc has rewritten it; Parks turns its calls of Save into jumps to
// the routines. live returns the registers that hold live values before an instruction of the list.
// control is the frame offset of the control words.
func (c *Code) Parks(code []x64.Inst, control int32, live func(at int) []Held) []x64.Inst {
	if len(c.LIR.Parks) == 0 {
		return nil // there are no barriers
	}
	var list []x64.Inst
	ctl := func(off int32) x64.Mem { return x64.Mem{Base: Frame, Disp: control + off} }
	label := func() x64.Label {
		c.LIR.Labels++
		return x64.Label(c.LIR.Labels)
	}
	add := func(in x64.Inst) { list = append(list, in) }
	for i := range code {
		in := &code[i]
		if in.Op != x64.CALLLabel || in.Label != c.Save || i == 0 || code[i-1].Op != x64.MOVImm || code[i-1].Dst != Acc {
			continue
		}
		e := &c.Exits[code[i-1].Imm]
		if e.Kind != ExitBar {
			continue
		}
		regs := live(e.At + 1)
		in.Op, in.Label = x64.JMP, label()
		add(x64.Inst{Op: x64.LABEL, Label: in.Label})
		for _, h := range regs {
			if h.Const != 0 || h.Stored {
				continue
			}
			r := h.Reg
			switch x64.ClassOf(r) {
			case x64.GPR:
				add(x64.Inst{Op: x64.MOVSt, Len: 8, B: r, HasMem: true, M: ctl(CtlGPR + 8*int32(r.Num()))})
			case x64.Vec:
				add(x64.Inst{Op: x64.VMOVDQUSt, Len: uint8(c.Width), B: r, HasMem: true, M: ctl(CtlVec + 64*int32(r.Num()))})
			default:
				add(x64.Inst{Op: x64.KMOVQSt, Len: 8, B: r, HasMem: true, M: ctl(CtlMask + 8*int32(r.Num()))})
			}
		}
		add(x64.Inst{Op: x64.LEALabel, Len: 8, Dst: Acc2, Label: e.Next()})
		add(x64.Inst{Op: x64.MOVSt, Len: 8, B: Acc2, HasMem: true, M: ctl(CtlResume)})
		add(x64.Inst{Op: x64.JMP, Label: c.Wait})
		add(x64.Inst{Op: x64.LABEL, Label: e.Resume})
		for _, h := range regs {
			r := h.Reg
			switch x64.ClassOf(r) {
			case x64.GPR:
				m := ctl(CtlGPR + 8*int32(r.Num()))
				if h.Const != 0 {
					m = x64.Mem{Pool: h.Const}
				}
				add(x64.Inst{Op: x64.MOV, Len: h.Len, Dst: r, HasMem: true, M: m})
			case x64.Vec:
				if h.Const != 0 {
					add(x64.Inst{Op: x64.VMOVDQU, Len: h.Len, Dst: r, HasMem: true, M: x64.Mem{Pool: h.Const}})
					continue
				}
				add(x64.Inst{Op: x64.VMOVDQU, Len: uint8(c.Width), Dst: r, HasMem: true, M: ctl(CtlVec + 64*int32(r.Num()))})
			default:
				add(x64.Inst{Op: x64.KMOVQ, Len: 8, Dst: r, HasMem: true, M: ctl(CtlMask + 8*int32(r.Num()))})
			}
		}
		add(x64.Inst{Op: x64.JMP, Label: e.Land})
	}
	return list
}
