package peephole

import (
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// This file removes dead instructions.
//
// Input: the list of instructions.
// Output: the same list, in which a NOP stands for each instruction that has only unused results.
// Invariant: an instruction is removed only if its effect is the write of one virtual
// register (and of flags that no instruction reads).
// Example: `v3 = VPADDD v3, v4` in a loop with no other use of v3 is removed: it reads
// only its own result.

// EliminateDead removes instructions with unused results. An instruction that is the
// only reader of its own result does not count as a use, so dead chains in loops
// disappear. The operands of frame states are uses.
func (l *List) EliminateDead() {
	uses := lir.Cleared(&l.Mem.uses, len(l.Fn.VRegs))
	code := l.Fn.Code
	for _, r := range l.Fn.StateRegs {
		uses[r-x64.Virtual]++
	}
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
			if (info.DstRead || in.K != 0 || lir.ReadsSource(in, in.Dst)) && removable(in, info) {
				countUses(uses, in, info, 1, x64.NoReg)
				countUses(uses, in, info, -1, in.Dst)
			}
			continue
		}
		if !removable(in, info) || info.SetsFlags && flagsReadFrom(code[i+1:]) {
			continue
		}
		countUses(uses, in, info, -1, in.Dst)
		*in = x64.Inst{Op: x64.NOP}
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
