package coarsen

import (
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// # Coarsened bodies after barriers
//
// After a barrier all waves of a block continue from one place, and a value that one wave reads
// from shared memory is the value that the other waves read. So waves continue in groups, as waves
// that begin do.
//
// Input: a barrier of which machine code does the waiting (ExitBar), and the code that follows it.
// Output: a second body, at label Exit.Coarse, that runs several waves at once up to the next
// barrier.
// Invariant: the body has no effect before its end. So it may be given up anywhere, and its waves
// then continue alone from the place where they wait, with the registers that they saved there.
// Example: in `for { bar; s += tile[i] }` one load of tile[i] serves all waves of the group.
// Literature: Magni, Dubach and O'Boyle, thread coarsening (SC 2013).
//
// The group is known when its first wave begins its time slice: it is that wave and the waves after it
// in the chain. All of them wait at the same barrier, because the chain continues only then. The
// first wave has the least budget left, because the waves after it begin a time slice that is as
// long or longer.

// maxBails is after how many coarsened bodies that were given up, in one block and after barriers,
// the waves of the block continue alone.
const maxBails = 8

// leastBar is the least number of instructions for which a coarsened body after a barrier pays, if
// the body contains no loop.
const leastBar = 16

// saved is the operand for the place where a wave that waits keeps register r, relative to its
// frame.
func (g *Selection) saved(r, frame x64.Reg, at int) x64.Mem {
	return x64.Mem{Base: frame, Disp: g.Code.AddSaved(abi.SavedReg{Reg: r, At: at})}
}

// bars lists the exits of the barriers after which there could be a coarsened body: those at which
// all lanes of the wave continue.
func (g *Selection) bars() (list []int) {
	for x := range g.Code.Exits {
		if e := &g.Code.Exits[x]; e.Kind == abi.ExitBar && e.Land != 0 && g.Masks.Full(e.Block+1) {
			list = append(list, x)
		}
	}
	return list
}

// barrier is the exit, plus 1, of the barrier at which a wave waits at instruction i. It is 0 if
// there is none, or if the coarsened body does not end at barriers.
func (p *body) barrier(i int32) int32 {
	if p.bar < 0 || p.code[i].Op != x64.CALLLabel || p.code[i].Label != p.g.Code.Save {
		return 0
	}
	for x := range p.g.Code.Exits {
		if e := &p.g.Code.Exits[x]; e.Kind == abi.ExitBar && e.At == int(i) {
			return int32(x) + 1
		}
	}
	return 0
}

// begins returns the instruction and the block with which the coarsened body begins.
func (p *body) begins() (at int32, block int) {
	if p.bar < 0 {
		return p.at[p.g.Code.Entry] + 1, 0
	}
	e := &p.g.Code.Exits[p.bar]
	return int32(e.At) + 1, e.Block + 1
}

// onlyBarriers reports whether the coarsened body ends only at barriers, and at one of them at
// least.
func (p *body) onlyBarriers() bool {
	some := false
	for i := range p.leads {
		if p.leads[i] > 0 {
			return false
		}
		some = some || p.leads[i] < -1
	}
	return some
}

// crossing calls f for the registers that may live at the start of block b, where waves wait or a
// coarsened body ends: the registers of webs, and the limits of hoisted bounds checks.
func (g *Selection) crossing(b int, f func(r x64.Reg)) {
	for _, w := range g.Webs.LiveIn[b] {
		for r := range g.Registers(w) {
			f(r)
		}
	}
	for _, x := range g.Inductions {
		f(x.Limit)
		f(x.Delta)
	}
}

// seeds returns the registers in which waves differ when a coarsened body after a barrier begins:
// all that they saved. Uniform numbers in general registers count as equal, because head compares
// them.
func (p *body) seeds() []classes {
	if p.bar < 0 {
		return nil
	}
	seeds := make([]classes, len(p.g.Fn.VRegs))
	_, b := p.begins()
	p.g.crossing(b, func(r x64.Reg) { seeds[r-x64.Virtual] = apart() })
	for _, w := range p.g.Webs.LiveIn[b] {
		for x := range p.g.Code.Locations(w) {
			if x.Kind == abi.Single && p.g.class(x.Reg) == x64.GPR {
				seeds[x.Reg-x64.Virtual] = classes{}
			}
		}
	}
	return seeds
}

// named finds the registers that the coarsened body reads or writes, and those that it writes. It
// reports false if a register without a web is in more than one block, or is read before it is
// written: that register might live where the waves wait, and SavedRegs exist for webs only.
func (p *body) named() bool {
	g := p.g
	p.names, p.writes = make([]bool, len(g.Fn.VRegs)), make([]bool, len(g.Fn.VRegs))
	in := make([]int32, len(g.Fn.VRegs)) // the block, plus 1
	var ops lir.Operands
	for _, i := range p.list {
		if p.leads[i] != 0 {
			continue
		}
		ops.Of(&p.code[i])
		for _, o := range ops.Slice() {
			r := o.Reg - x64.Virtual
			if r < 0 {
				continue
			}
			p.writes[r] = p.writes[r] || o.Role&lir.Write != 0
			first := !p.names[r]
			p.names[r] = true
			if p.across[r] || g.Fn.VRegs[r].Const != 0 || g.Fn.VRegs[r].Filled {
				continue
			}
			block := p.blockOf(i) + 1
			if first && o.Role&(lir.Read|lir.Write) != lir.Write || !first && in[r] != block {
				return false
			}
			in[r] = block
		}
	}
	return true
}

// blockOf is the block, in the order of the list, that instruction i belongs to. Code that was
// emitted at the end of the function counts as one block.
func (p *body) blockOf(i int32) int32 {
	lo, hi := 0, len(p.blocks)
	for lo < hi {
		if m := (lo + hi) / 2; p.blocks[m] <= i {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return int32(lo)
}

// head emits the start of a coarsened body after a barrier. It finds the frames of the waves along
// the chain, loads the registers that may differ once per wave, and compares the rest, which the
// body has once. On any mismatch the waves continue alone.
func (q *writer) head() {
	g := q.g
	e := &g.Code.Exits[q.bar]
	g.emit(x64.Inst{Op: x64.ENTRY, Label: e.Coarse})
	// CtlBails is a word of the block's first wave.
	g.load(8, abi.Acc, g.ctl(abi.CtlTurn))
	g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, Imm: maxBails, HasMem: true, M: x64.Mem{Base: abi.Acc, Disp: g.Layout.Control + abi.CtlBails}})
	g.jump(x64.JAE, e.Resume)
	q.frames = append(q.frames, abi.Frame)
	for k := 1; k < q.waves; k++ {
		f := g.gpr()
		next := g.ctl(abi.CtlNext)
		next.Base = q.frames[k-1]
		g.load(8, f, next)
		g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: f, B: f})
		g.jump(x64.JE, e.Resume)
		q.frames = append(q.frames, f)
	}
	_, b := q.begins()
	g.crossing(b, func(r x64.Reg) {
		if !q.names[r-x64.Virtual] || q.isSunk[r-x64.Virtual] {
			return
		}
		for k := range q.waves {
			m := g.saved(r, q.frames[k], e.At+1)
			if q.varies[r-x64.Virtual].leads(k) {
				g.emit(g.transfer(q.reg(r, k), m, false))
				continue
			}
			g.emit(x64.Inst{Op: x64.CMP, Len: g.Fn.VRegs[r-x64.Virtual].Len, A: q.reg(r, k), HasMem: true, M: m})
			g.jump(x64.JNE, e.Resume)
		}
	})
}

// park emits the end of a coarsened body at which all its waves wait for a barrier. The waves store
// the registers that were written, and the time slice of the last wave goes on as if it had arrived
// alone.
func (q *writer) park(x int) {
	g := q.g
	e := &g.Code.Exits[x]
	counter := g.Layout.Control + abi.CtlGPR + 8*int32(abi.Counter.Num())
	ctl := func(r x64.Reg, off int32) x64.Mem { return x64.Mem{Base: r, Disp: g.Layout.Control + off} }
	g.crossing(e.Block+1, func(r x64.Reg) {
		if !q.writes[r-x64.Virtual] || q.isSunk[r-x64.Virtual] {
			return
		}
		for k, f := range q.frames {
			g.emit(g.transfer(q.reg(r, k), g.saved(r, f, e.At+1), true))
		}
	})
	// Sunk instructions are done on the saved registers themselves.
	for _, i := range q.sunk {
		r := q.code[i].Dst
		for k, f := range q.frames {
			if in := q.code[i]; in.Op == x64.ADDImm && in.Len == 8 {
				g.emit(x64.Inst{Op: x64.ADDStImm, Len: 8, Imm: in.Imm, HasMem: true, M: g.saved(r, f, e.At+1)})
				continue
			}
			g.emit(g.transfer(q.reg(r, k), g.saved(r, f, e.At+1), false))
			q.inst(&q.code[i], k)
			g.emit(g.transfer(q.reg(r, k), g.saved(r, f, e.At+1), true))
		}
	}
	// Counter minus its saved value is the number of instructions of the body. Each wave is charged
	// with it.
	g.rm(x64.SUB, 8, abi.Counter, x64.Mem{Base: abi.Frame, Disp: counter})
	for k, f := range q.frames {
		q.copies(k, f, abi.Acc, true)
		g.emit(x64.Inst{Op: x64.ADDSt, Len: 8, B: abi.Counter, HasMem: true, M: x64.Mem{Base: f, Disp: counter}})
	}
	for k, f := range q.frames {
		q.unlevel(k, f)
	}
	g.emit(x64.Inst{Op: x64.LEALabel, Len: 8, Dst: abi.Acc, Label: e.Next()})
	for _, f := range q.frames {
		g.store(8, ctl(f, abi.CtlResume), abi.Acc)
	}
	// The time slices of all waves but the last end here, as in turn. Each wave begins the next one with
	// a full budget.
	last := len(q.frames) - 1
	for _, f := range q.frames[:last] {
		g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, Imm: int64(x), HasMem: true, M: ctl(f, abi.CtlExit)})
		g.emit(x64.Inst{Op: x64.MOVStImm, Len: 4, Imm: abi.Quantum, HasMem: true, M: x64.Mem{Base: f, Disp: counter + 4}})
	}
	g.load(8, abi.Acc2, g.ctl(abi.CtlTurn))
	g.emit(x64.Inst{Op: x64.MOVImm, Len: 4, Dst: abi.Acc, Imm: int64(x)})
	g.emit(x64.Inst{Op: x64.ANDSt, Len: 8, B: abi.Acc, HasMem: true, M: ctl(abi.Acc2, abi.CtlBoth)})
	g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: abi.Acc, HasMem: true, M: ctl(abi.Acc2, abi.CtlAny)})
	g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: abi.Frame, B: q.frames[last]})
	g.load(8, abi.Counter, x64.Mem{Base: abi.Frame, Disp: counter})
	g.jump(x64.JMP, g.Code.Wait)
}

// bailBar emits the end of a coarsened body after a barrier that is given up: its waves continue
// alone.
func (q *writer) bailBar() {
	g := q.g
	g.load(8, abi.Acc, g.ctl(abi.CtlTurn))
	g.emit(x64.Inst{Op: x64.ADDStImm, Len: 8, Imm: 1, HasMem: true, M: x64.Mem{Base: abi.Acc, Disp: g.Layout.Control + abi.CtlBails}})
	g.load(8, abi.Counter, g.ctl(abi.CtlGPR+8*int32(abi.Counter.Num())))
	g.jump(x64.JMP, g.Code.Exits[q.bar].Resume)
}
