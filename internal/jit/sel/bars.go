package sel

import (
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// # Passes behind barriers
//
// Behind a barrier all waves of a block go on from one place, and what one of them finds in
// shared memory the others find too. So they go on in groups, like those that begin: see
// pass. Such a pass begins with what the waves of the group have saved where they wait, ends
// where all of them wait for the next barrier, and has no effects in between, so it may be
// given up anywhere as well: nothing is written before its end, and the waves go on alone from
// where they wait.
//
// Which waves are in a group is known when it is their turn: the one whose turn it is, and those
// behind it in the chain. All wait at the same barrier, because only then the chain goes on.
// The first has the least budget: others begin a turn of the same length, or a longer one.

// maxBails is how many passes behind barriers may be in vain in a block until its waves go on alone.
const maxBails = 8

// leastBar is how many instructions are worth a pass behind a barrier.
const leastBar = 16

// A Part is what a pass behind a barrier loads or stores: what register Reg of a wave holds
// where it waits, behind instruction At of the list. The instruction has the number of the Part, and
// partAt, as displacement, till registers have places: see Settle.
type SavedReg struct {
	Reg x64.Reg
	At  int
}

const partAt = 1 << 30

// saved is where a wave that waits has a register, relative to its frame.
func (g *gen) saved(r, frame x64.Reg, at int) x64.Mem {
	g.out.Parts = append(g.out.Parts, SavedReg{r, at})
	return x64.Mem{Base: frame, Disp: partAt + int32(len(g.out.Parts)-1)}
}

// Settle changes the instructions that load and store Parts: place says where in a frame
// a register is while its wave waits, if it lives there. Others are not wanted.
func (c *Code) Settle(code []x64.Inst, place func(p SavedReg) (disp int32, lives bool)) {
	if len(c.Parts) == 0 {
		return
	}
	for i := range code {
		in := &code[i]
		if !in.HasMem || in.M.Disp < partAt {
			continue
		}
		disp, lives := place(c.Parts[in.M.Disp-partAt])
		if in.M.Disp = disp; !lives {
			*in = x64.Inst{}
		}
	}
}

// bars are the exits of barriers behind which there could be passes.
func (g *gen) bars() (list []int) {
	for x := range g.out.Exits {
		if e := &g.out.Exits[x]; e.Kind == ExitBar && e.Land != 0 && g.mk.Full(e.Block+1) {
			list = append(list, x)
		}
	}
	return list
}

// barrier is the exit, plus 1, of the barrier at which a wave waits at instruction i; 0: none, or
// the pass does not end at barriers.
func (p *coarsened) barrier(i int32) int32 {
	if p.bar < 0 || p.code[i].Op != x64.CALLLabel || p.code[i].Label != p.g.out.Save {
		return 0
	}
	for x := range p.g.out.Exits {
		if e := &p.g.out.Exits[x]; e.Kind == ExitBar && e.At == int(i) {
			return int32(x) + 1
		}
	}
	return 0
}

// next is where a wave that waits goes on.
func (e *Exit) next() x64.Label {
	if e.Coarse != 0 {
		return e.Coarse
	}
	return e.Resume
}

// begins is the instruction that the pass begins with, and the block.
func (p *coarsened) begins() (at int32, block int) {
	if p.bar < 0 {
		return p.at[p.g.out.Entry] + 1, 0
	}
	e := &p.g.out.Exits[p.bar]
	return int32(e.At) + 1, e.Block + 1
}

// whole reports whether the pass ends nowhere but at barriers, and at one of them at least.
func (p *coarsened) onlyBarriers() bool {
	some := false
	for i := range p.leads {
		if p.leads[i] > 0 {
			return false
		}
		some = some || p.leads[i] < -1
	}
	return some
}

// crossing calls f for the registers that may live in front of block b, where waves wait or a pass
// ends: those of webs, and limits of addresses.
func (g *gen) crossing(b int, f func(r x64.Reg)) {
	for _, w := range g.s.LiveIn[b] {
		for r := range g.places[w].registers {
			f(r)
		}
	}
	for _, x := range g.paths {
		f(x.limit)
		f(x.delta)
	}
}

// seeds says what waves differ in when a pass behind a barrier begins: all that they have saved, but
// for uniform numbers, which are compared.
func (p *coarsened) seeds() []classes {
	if p.bar < 0 {
		return nil
	}
	seeds := make([]classes, len(p.g.fn.VRegs))
	_, b := p.begins()
	p.g.crossing(b, func(r x64.Reg) {
		if o := p.g.out.Owner(r); o.Kind != Single || p.g.class(r) != x64.GPR {
			seeds[r-x64.Virtual] = apart()
		}
	})
	return seeds
}

// named finds the registers that the pass names, and those that it writes. It reports false if
// a register that is no web's is in more than one block, or read before it is written: it might
// live where the waves wait.
func (p *coarsened) named() bool {
	g := p.g
	p.names, p.writes = make([]bool, len(g.fn.VRegs)), make([]bool, len(g.fn.VRegs))
	in := make([]int32, len(g.fn.VRegs)) // the block, plus 1
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
			if p.across[r] || g.fn.VRegs[r].Const != 0 || g.out.Owner(o.Reg).Web != 0 {
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

// blockOf is the block that instruction i belongs to; code that was kept for later is one of its own.
func (p *coarsened) blockOf(i int32) int32 {
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

// head emits the start of a pass behind a barrier.
func (q *coarseWriter) head() {
	g := q.g
	e := &g.out.Exits[q.bar]
	g.emit(x64.Inst{Op: x64.ENTRY, Label: e.Coarse})
	g.load(8, Acc, g.ctl(CtlTurn))
	g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, Imm: maxBails, HasMem: true, M: x64.Mem{Base: Acc, Disp: g.lay.Control + CtlBails}})
	g.jump(x64.JAE, e.Resume)
	q.frames = append(q.frames, Frame)
	for k := 1; k < q.waves; k++ {
		f := g.gpr(8)
		next := g.ctl(CtlNext)
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
			g.emit(x64.Inst{Op: x64.CMP, Len: g.fn.VRegs[r-x64.Virtual].Len, A: q.reg(r, k), HasMem: true, M: m})
			g.jump(x64.JNE, e.Resume)
		}
	})
}

// park emits the end of a pass where all its waves wait for a barrier: they store what has been
// written, and the last one's turn goes on as if it alone had come there.
func (q *coarseWriter) park(x int) {
	g := q.g
	e := &g.out.Exits[x]
	counter := g.lay.Control + CtlGPR + 8*int32(Counter.Num())
	ctl := func(r x64.Reg, off int32) x64.Mem { return x64.Mem{Base: r, Disp: g.lay.Control + off} }
	g.crossing(e.Block+1, func(r x64.Reg) {
		if !q.writes[r-x64.Virtual] || q.isSunk[r-x64.Virtual] {
			return
		}
		for k, f := range q.frames {
			g.emit(g.transfer(q.reg(r, k), g.saved(r, f, e.At+1), true))
		}
	})
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
	g.rm(x64.SUB, 8, Counter, x64.Mem{Base: Frame, Disp: counter})
	for k, f := range q.frames {
		q.copies(k, f, Acc, true)
		g.emit(x64.Inst{Op: x64.ADDSt, Len: 8, B: Counter, HasMem: true, M: x64.Mem{Base: f, Disp: counter}})
	}
	for k, f := range q.frames {
		q.unlevel(k, f)
	}
	g.emit(x64.Inst{Op: x64.LEALabel, Len: 8, Dst: Acc, Label: e.next()})
	for _, f := range q.frames {
		g.store(8, ctl(f, CtlResume), Acc)
	}
	last := len(q.frames) - 1
	for _, f := range q.frames[:last] {
		g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, Imm: int64(x), HasMem: true, M: ctl(f, CtlExit)})
		g.emit(x64.Inst{Op: x64.MOVStImm, Len: 4, Imm: Quantum, HasMem: true, M: x64.Mem{Base: f, Disp: counter + 4}})
	}
	g.load(8, Acc2, g.ctl(CtlTurn))
	g.turned(Acc, Acc2) // the others have not changed anything: they did not open the barrier before
	for _, f := range q.frames[:last] {
		g.load(4, Acc, x64.Mem{Base: f, Disp: counter})
		g.emit(x64.Inst{Op: x64.CMP, Len: 4, A: Acc, HasMem: true, M: ctl(Acc2, CtlLeast)})
		g.looks(Acc, Acc2)
	}
	g.ri(x64.MOVImm, 4, Acc, int64(x))
	g.emit(x64.Inst{Op: x64.ANDSt, Len: 8, B: Acc, HasMem: true, M: ctl(Acc2, CtlBoth)})
	g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: Acc, HasMem: true, M: ctl(Acc2, CtlAny)})
	g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: Frame, B: q.frames[last]})
	g.load(8, Counter, x64.Mem{Base: Frame, Disp: counter})
	g.jump(x64.JMP, g.out.Wait)
}

// bailBar emits what a pass behind a barrier does that was in vain: its waves go on alone.
func (q *coarseWriter) bailBar() {
	g := q.g
	g.load(8, Acc, g.ctl(CtlTurn))
	g.emit(x64.Inst{Op: x64.ADDStImm, Len: 8, Imm: 1, HasMem: true, M: x64.Mem{Base: Acc, Disp: g.lay.Control + CtlBails}})
	g.load(8, Counter, g.ctl(CtlGPR+8*int32(Counter.Num())))
	g.jump(x64.JMP, g.out.Exits[q.bar].Resume)
}
