package sel

import (
	"slices"

	"crosslane/internal/jit/lir"
	"crosslane/internal/jit/x64"
)

// routines emits what Go enters and leaves by, and stop's: Enter puts all saved registers back and
// goes to the address in CtlEntry; Save stores all registers and returns to Go, with the
// number of the exit, which is in Acc, in CtlExit, and the address behind the call in
// CtlEntry.
//
// They are no part of the list that registers are allocated for.
func (g *gen) routines() {
	start := len(g.fn.Code)
	for _, l := range [...]x64.Label{g.out.Stop, g.out.Save, g.out.Start} { // the routines come in their place
		g.bind(l)
		g.emit(x64.Inst{Op: x64.UD2})
	}
	g.out.Stubs = len(g.fn.Code) - start
	code := g.fn.Code
	g.fn.Code = slices.Grow(g.mem.routines[:0], 192) // there are about so many
	g.stop()
	g.bind(g.out.Save)
	g.save()
	g.enter()
	g.out.Routines, g.fn.Code = g.fn.Code, code
	g.mem.routines, g.mem.code = g.out.Routines, code
}

// saved reports whether a register is one that is kept over an exit.
func saved(r x64.Reg) bool { return r != x64.RAX && r != x64.RBX && r != x64.RSP && r != x64.RBP }

// vectors is how many vector registers there are, and their length.
func (g *gen) vectors() (n x64.Reg, length uint8) {
	if g.avx512 {
		return 32, 64
	}
	return 16, 32
}

func (g *gen) enter() {
	vecs, n := g.vectors()
	g.emit(x64.Inst{Op: x64.ENTRY, Label: g.out.Enter})
	for r := x64.RAX; r <= x64.R15; r++ {
		if saved(r) {
			g.load(8, r, g.ctl(CtlGPR+8*int32(r.Num())))
		}
	}
	if g.avx512 {
		for k := x64.K0 + 1; k <= x64.K0+7; k++ {
			g.emit(x64.Inst{Op: x64.KMOVQ, Len: 8, Dst: k, HasMem: true, M: g.ctl(CtlMask + 8*int32(k.Num()))})
		}
	}
	for v := x64.V0; v < x64.V0+vecs; v++ {
		g.emit(x64.Inst{Op: x64.VMOVDQU, Len: n, Dst: v, HasMem: true, M: g.ctl(CtlVec + 64*int32(v.Num()))})
	}
	g.emit(x64.Inst{Op: x64.JMPReg, Len: 8, HasMem: true, M: g.ctl(CtlEntry)})
}

// Sparing leaves out of Routines what saves and puts back vector and mask registers that are
// not among the used ones: bit r is register r. Many kernels use few, and it is most of what
// leaving costs.
func (c *Code) Sparing(used uint64) {
	c.Routines = slices.DeleteFunc(c.Routines, func(in x64.Inst) bool {
		r := in.Dst
		switch in.Op {
		case x64.VMOVDQUSt, x64.KMOVQSt:
			r = in.B
		case x64.VMOVDQU, x64.KMOVQ:
		default:
			return false
		}
		return used>>r&1 == 0
	})
}

func (g *gen) save() {
	vecs, n := g.vectors()
	g.store(8, g.ctl(CtlExit), Acc)
	g.emit(x64.Inst{Op: x64.POP, Len: 8, Dst: Acc})
	g.store(8, g.ctl(CtlEntry), Acc)
	for r := x64.RAX; r <= x64.R15; r++ {
		if saved(r) {
			g.store(8, g.ctl(CtlGPR+8*int32(r.Num())), r)
		}
	}
	if g.avx512 {
		for k := x64.K0 + 1; k <= x64.K0+7; k++ {
			g.emit(x64.Inst{Op: x64.KMOVQSt, Len: 8, B: k, HasMem: true, M: g.ctl(CtlMask + 8*int32(k.Num()))})
		}
	}
	for v := x64.V0; v < x64.V0+vecs; v++ {
		g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: n, B: v, HasMem: true, M: g.ctl(CtlVec + 64*int32(v.Num()))})
	}
	g.emit(x64.Inst{Op: x64.RET})
}

// sweep removes instructions whose results nobody uses, but for each other: those that write
// a register which only they read count as readers of others only.
func (g *gen) sweep() {
	uses := lir.Cleared(&g.mem.uses, len(g.fn.VRegs))
	count := func(in *x64.Inst, by int32, own x64.Reg) {
		info := in.Op.Info()
		add := func(r x64.Reg) {
			if r >= x64.Virtual && r != own {
				uses[r-x64.Virtual] += by
			}
		}
		if info.DstRead || in.K != 0 && !in.Z && !info.DstMem && !info.Chooses {
			if info.Dst != x64.Mask {
				add(in.Dst)
			}
		}
		add(in.A)
		add(in.B)
		add(in.C)
		add(in.K)
		if in.HasMem {
			add(in.M.Base)
			add(in.M.Index)
		}
	}
	code := g.fn.Code
	flags := false // those that hold behind the instruction are read
	for i := len(code) - 1; i >= 0; i-- {
		in := &code[i]
		own := x64.NoReg
		if removable(in, flags) {
			own = in.Dst
		}
		count(in, 1, own)
		flags = flagsRead(in, flags)
	}
	flags = false
	for i := len(code) - 1; i >= 0; i-- {
		in := &code[i]
		if removable(in, flags) && uses[in.Dst-x64.Virtual] == 0 {
			count(in, -1, in.Dst)
			*in = x64.Inst{Op: x64.NOP}
		}
		flags = flagsRead(in, flags)
	}
}

// close takes the instructions that do nothing out of the list.
func (g *gen) close() {
	code := g.fn.Code
	first := slices.IndexFunc(code, func(in x64.Inst) bool { return in.Op == x64.NOP })
	if first < 0 {
		return
	}
	to := lir.Cleared(&g.mem.last, len(code)+1)
	n := 0
	for i := range code {
		if to[i] = n; code[i].Op != x64.NOP {
			if n < i {
				code[n] = code[i]
			}
			n++
		}
	}
	to[len(code)] = n
	g.fn.Code = code[:n]
	g.renumber(to)
}

// removable reports whether an instruction does nothing but write Dst. flags says whether the
// flags that it leaves are read.
func removable(in *x64.Inst, flags bool) bool {
	info := in.Op.Info()
	return in.Dst >= x64.Virtual && !info.Pseudo && !info.DstMem && !info.AWrite && !info.BWrite && !info.KWrite && info.Defs == 0 &&
		!(info.SetsFlags && flags)
}

// flagsRead reports whether flags in front of an instruction are read, by it or, as behind says,
// by those behind it.
func flagsRead(in *x64.Inst, behind bool) bool {
	info := in.Op.Info()
	switch {
	case info.ReadsFlags:
		return true
	case info.SetsFlags || info.Ends || in.Op == x64.LABEL:
		return false
	}
	return behind
}
