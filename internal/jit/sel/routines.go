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
