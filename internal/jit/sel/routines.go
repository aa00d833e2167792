package sel

import (
	"slices"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has shared routines, and the elimination of dead instructions.
//
// Input: the list of instructions after peephole rules.
// Output: the list without instructions that have only unused results; routines by
// which Go enters and exits.
// Invariant: an instruction is removed only if its effect is the write of one virtual
// register (and of flags that no instruction reads).
// Example: `v3 = VPADDD v3, v4` in a loop with no other use of v3 is removed: it reads
// only its own result.

// routines emits the routines by which waves stop; Sparing adds those by which Go
// enters and exits. They use machine registers and are not part of the list that
// package alloc sees.
func (g *control) routines() {
	start := len(g.fn.Code)
	labels := []x64.Label{g.out.Stop, g.out.Save, g.out.Start, g.out.Wait}
	for i := range g.out.Exits {
		if l := g.out.Exits[i].Resume; l != 0 {
			labels = append(labels, l)
		}
	}
	for _, l := range labels { // the routines replace these instructions
		g.bind(l)
		g.emit(x64.Inst{Op: x64.UD2})
	}
	g.out.Stubs = len(g.fn.Code) - start
	code := g.fn.Code
	g.fn.Code = slices.Grow(g.mem.routines[:0], 192) // about that many are needed
	g.stop()
	g.out.Routines, g.fn.Code = g.fn.Code, code
	g.mem.routines, g.mem.code = g.out.Routines, code
}

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

// eliminateDead removes instructions with unused results. An instruction that is the
// only reader of its own result does not count as a use, so dead chains in loops
// disappear. If an unchecked load is removed, its index register is kept: the
// interpreter does the load if it goes on before it.
func (g *emitter) eliminateDead() {
	uses := lir.Cleared(&g.mem.uses, len(g.fn.VRegs))
	code := g.fn.Code
	flags := false // the flags after the instruction are read
	for i := len(code) - 1; i >= 0; i-- {
		in := &code[i]
		info := in.Op.Info()
		own := x64.NoReg
		if removable(in, info) && !(info.SetsFlags && flags) {
			own = in.Dst
		}
		countUses(uses, in, info, 1, own)
		if reads, known := flagsRead(in, info); known {
			flags = reads
		}
	}
	for i := len(code) - 1; i >= 0; i-- {
		in := &code[i]
		if in.Dst < x64.Virtual {
			continue
		}
		info := in.Op.Info()
		if uses[in.Dst-x64.Virtual] != 0 {
			// It stays, so its read of its own old value counts: that value has to be
			// right.
			if (info.DstRead || in.K != 0 || reads(in, in.Dst)) && removable(in, info) {
				countUses(uses, in, info, 1, x64.NoReg)
				countUses(uses, in, info, -1, in.Dst)
			}
			continue
		}
		if !removable(in, info) || info.SetsFlags && flagsReadFrom(code[i+1:]) {
			continue
		}
		countUses(uses, in, info, -1, in.Dst)
		m, load := in.M, in.HasMem && in.Op != x64.LEA
		if *in = (x64.Inst{Op: x64.NOP}); load && m.Base >= x64.Virtual && m.Index >= x64.Virtual {
			*in = x64.Inst{Op: x64.KEEP, A: m.Index}
			uses[m.Index-x64.Virtual]++
		}
	}
}

// countUses adds by to the number of uses of each register that an instruction reads,
// except own.
func countUses(uses []int32, in *x64.Inst, info *x64.Info, by int32, own x64.Reg) {
	dst := x64.NoReg
	if (info.DstRead || in.K != 0 && !in.Z && !info.DstMem && !info.Chooses) && info.Dst != x64.Mask {
		dst = in.Dst
	}
	base, index := x64.NoReg, x64.NoReg
	if in.HasMem {
		base, index = in.M.Base, in.M.Index
	}
	for _, r := range [...]x64.Reg{dst, in.A, in.B, in.C, in.K, base, index} {
		if r >= x64.Virtual && r != own {
			uses[r-x64.Virtual] += by
		}
	}
}

// compact removes the NOPs from the list and renumbers all indices into it.
func (g *emitter) compact() {
	code := g.fn.Code
	first := slices.IndexFunc(code, func(in x64.Inst) bool { return in.Op == x64.NOP })
	if first < 0 {
		return
	}
	to := lir.Cleared(&g.mem.indices, len(code)+1)
	n := 0
	for i := range code {
		if to[i] = int32(n); code[i].Op != x64.NOP {
			if n < i {
				code[n] = code[i]
			}
			n++
		}
	}
	to[len(code)] = int32(n)
	g.fn.Code = code[:n]
	g.renumber(to)
}

// removable reports whether the only effect of an instruction is the write of Dst and
// the flags.
func removable(in *x64.Inst, info *x64.Info) bool {
	return in.Dst >= x64.Virtual && !info.Pseudo && !info.DstMem && !info.AWrite && !info.BWrite && !info.KWrite && info.Defs == 0
}

// flagsRead reports whether this instruction or a later one reads the flags from before
// it; known is false if that depends on the later ones.
func flagsRead(in *x64.Inst, info *x64.Info) (reads, known bool) {
	return info.ReadsFlags, info.ReadsFlags || info.SetsFlags || info.Ends || in.Op == x64.LABEL
}

// flagsReadFrom reports whether the flags from before code are read.
func flagsReadFrom(code []x64.Inst) bool {
	for i := range code {
		if reads, known := flagsRead(&code[i], code[i].Op.Info()); known {
			return reads
		}
	}
	return false
}
