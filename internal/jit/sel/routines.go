package sel

import (
	"slices"

	"crosslane/internal/jit/lir"
	"crosslane/internal/jit/x64"
)

// routines emits stop's. Sparing adds what Go enters and leaves by. They are no part of the list
// that registers are allocated for.
func (g *gen) routines() {
	start := len(g.fn.Code)
	labels := []x64.Label{g.out.Stop, g.out.Save, g.out.Start, g.out.Wait}
	for i := range g.out.Exits {
		if l := g.out.Exits[i].Resume; l != 0 {
			labels = append(labels, l)
		}
	}
	for _, l := range labels { // the routines come in their place
		g.bind(l)
		g.emit(x64.Inst{Op: x64.UD2})
	}
	g.out.Stubs = len(g.fn.Code) - start
	code := g.fn.Code
	g.fn.Code = slices.Grow(g.mem.routines[:0], 192) // there are about so many
	g.stop()
	g.out.Routines, g.fn.Code = g.fn.Code, code
	g.mem.routines, g.mem.code = g.out.Routines, code
}

// saved reports whether a register is one that is kept over an exit.
func saved(r x64.Reg) bool { return r != x64.RAX && r != x64.RBX && r != x64.RSP && r != x64.RBP }

// Sparing adds to Routines what Go enters and leaves by: Enter puts all saved registers back and
// goes to the address in CtlEntry; Save stores all registers and returns to Go, with the
// number of the exit, which is in Acc, in CtlExit, and the address behind the call in
// CtlEntry. That leaves out vector and mask registers that are not among the used ones: bit r
// is register r. Many kernels use few, and it is most of what leaving costs.
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

// sweep removes instructions whose results nobody uses, but for each other: those that write
// a register which only they read count as readers of others only. Where a load is taken out that
// nobody had to check its index is still needed: the interpreter, if it goes on in front of that,
// does the load.
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
			m, load := in.M, in.HasMem && in.Op != x64.LEA
			if *in = (x64.Inst{Op: x64.NOP}); load && m.Base >= x64.Virtual && m.Index >= x64.Virtual {
				*in = x64.Inst{Op: x64.KEEP, A: m.Index}
				uses[m.Index-x64.Virtual]++
			}
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
