package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// # Waves one after another
//
// Go gives machine code the waves of a block as a chain of frames. If all lanes of a wave exit, or
// wait for the other waves at one barrier, the wave stops: it stores the registers with which it
// continues, and the number of its exit, in its frame; the code then continues with the next wave
// of the chain.
//
// Input: an operation at which all lanes of the wave end (Exit, EndWave) or wait (Bar, WaveBar).
// Output: an exit of kind ExitDone or ExitBar, and the routines Stop, Start and Wait that it uses.
// Invariant: waves run in the order of package sim, and CtlExit of each frame is the reason why its
// wave stopped.
// Example: waves 0 to 3 stop at bar.sync. Wave 3 opens it, and the chain is then 3, 0, 1, 2.
//
// After the last wave the code returns to Go, unless all waves wait at the same barrier. In that
// case it opens the barrier and begins again: with the last wave, whose time slice goes on, then the
// other waves in the order as before. Every other event returns to Go at once; then the first wave
// of the chain whose exit is neither of the two has caused it.

// alone emits a jump to label other if lanes of the wave are pending at any block while block b
// runs. Under EXEC no lanes are pending.
func (g *control) alone(b int, other x64.Label) {
	if g.f.Exec != 0 {
		return
	}
	for _, p := range g.mk.Pend(b) {
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, HasMem: true, M: g.pend(int(p))})
		g.jump(x64.JNE, other)
	}
}

// mayBeAlone reports whether alone can find out if lanes are pending: the analysis of divergence
// did not overflow and there are few masks to look at.
func (g *control) mayBeAlone(b int) bool {
	return !g.s.Geom.Exact && (g.f.Exec != 0 || !g.mk.Overflow && len(g.mk.Pend(b)) <= maxChecks)
}

// done emits the end of the wave at the end of block b, for an operation that ends all active
// lanes. It reports false, and emits nothing, if Go has to do it.
func (g *control) done(b int) bool {
	if !g.mayBeAlone(b) {
		return false
	}
	other := g.label()
	g.alone(b, other)
	g.account()
	g.ri(x64.MOVImm, 4, Acc, int64(len(g.out.Exits)))
	g.out.Exits = append(g.out.Exits, Exit{Kind: ExitDone, Inst: g.at, Block: b, At: len(g.fn.Code)})
	g.out.Chains = true
	g.jump(x64.JMP, g.out.Stop)
	if len(g.mk.Pend(b)) > 0 && g.f.Exec == 0 {
		g.cold(other, func() { g.exitAt(b) })
	}
	return true
}

// bar emits a barrier at the end of block b. It reports false, and emits nothing, if Go has to do
// it. Machine code handles barriers for all threads of the block, without a result and with a
// constant number.
func (g *control) bar(b int) bool {
	in := g.in
	plain := in.Op == ir.WaveBar
	if in.Op == ir.Bar && ir.BarMode(in.Imm)&ir.BarModeMask == ir.BarSync && in.Args[1] == 0 {
		id := g.f.Val(in.Args[0])
		plain = (in.Args[0] == 0 || id.Kind == ir.Const && id.Const < 16) && !g.manyIDs
	}
	if !plain || in.Guard != 0 || b+1 >= len(g.f.Blocks) || !g.mayBeAlone(b) {
		return false
	}
	other := g.label()
	// Lanes that exited before do not wait: the active lanes must be all that are left.
	g.alone(b, other)
	some := g.f.Exec == 0 && !g.mk.Full(b)
	if some {
		g.emit(x64.Inst{Op: x64.CMP, Len: g.maskBytes(), A: Active, HasMem: true, M: g.ctl(CtlLive)})
		g.jump(x64.JNE, other)
	}
	g.account()
	g.ri(x64.MOVImm, 4, Acc, int64(len(g.out.Exits)))
	e := Exit{Kind: ExitBar, Inst: g.at, Block: b, At: len(g.fn.Code), Resume: g.label()}
	g.out.Chains = true
	g.jump(x64.CALLLabel, g.out.Save) // Parks replaces it
	e.Land = g.label()
	g.bind(e.Land)
	g.out.Exits = append(g.out.Exits, e)
	g.jump(x64.JMP, g.arrival(b+1))
	if some {
		g.cold(other, func() { g.exitAt(b) })
	}
	return true
}

// manyBars reports whether the function has bar.arrive and barriers of more than one number. A
// finding of package sim about a barrier names the last time that the barrier completed. Machine
// code reports to Go only the last barrier that it opened, so Go could not name that for another
// number.
func (g *control) manyBars() bool {
	first, several, arrives := uint64(0), false, false
	for _, blk := range g.f.Blocks {
		in := &g.f.Code[blk.End-1]
		if in.Op != ir.Bar {
			continue
		}
		arrives = arrives || ir.BarMode(in.Imm)&ir.BarModeMask == ir.BarArrive
		id := uint64(1) // barrier 0
		if in.Args[0] != 0 {
			id += g.f.Val(in.Args[0]).Const
		}
		several = several || first != 0 && id != first
		first = id
	}
	return arrives && several
}

// stop emits the routine by which a wave stops, with the number of the exit in Acc, and the routine
// by which the next wave begins or continues. The latter is also the place at which Go starts the
// chain.
func (g *control) stop() {
	g.bind(g.out.Stop)
	out := g.label()
	g.store(8, g.ctl(CtlExit), Acc)
	g.store(8, g.ctl(CtlGPR+8*int32(Counter.Num())), Counter)
	g.store(8, g.ctl(CtlGPR+8*int32(Active.Num())), Active)
	if g.waits() { // this wave does not wait, so the last one must not open a barrier
		g.load(8, Acc, g.ctl(CtlTurn))
		g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, Imm: -1, HasMem: true, M: x64.Mem{Base: Acc, Disp: g.lay.Control + CtlAny}})
	}
	g.load(8, Acc, g.ctl(CtlNext))
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: Acc, B: Acc})
	last := out
	if g.out.Rows = g.mayRow(); g.out.Rows {
		last = g.label()
	}
	g.jump(x64.JE, last)
	g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: Frame, B: Acc})
	g.emit(x64.Inst{Op: x64.ENTRY, Label: g.out.Start})
	g.load(8, Counter, g.ctl(CtlGPR+8*int32(Counter.Num())))
	g.load(8, Active, g.ctl(CtlGPR+8*int32(Active.Num())))
	g.emit(x64.Inst{Op: x64.JMPReg, Len: 8, HasMem: true, M: g.ctl(CtlResume)})
	if g.bind(g.out.Wait); g.waits() {
		g.turn(out)
	}
	if g.out.Rows {
		g.nextBlock(last, out)
	}
	g.bind(out)
	g.emit(x64.Inst{Op: x64.RET})
}

// waits reports whether the code has barriers at which waves wait without Go.
func (g *control) waits() bool {
	return slices.ContainsFunc(g.out.Exits, func(e Exit) bool { return e.Kind == ExitBar })
}

// turn emits the routine, after its label, by which a wave waits at a barrier, with the number of
// the exit in Acc. The last wave of the chain checks that all waves are at the same barrier, and
// opens it. If they are not, or if Go has to look, it goes to label out, which returns to Go. All
// registers but Frame, Counter and Active have been stored before, as far as they live.
//
// Invariant: CtlBoth is the conjunction and CtlAny the disjunction of the exit numbers of the waves
// before the last; both equal Acc exactly if all these waves wait at the barrier of the last wave.
func (g *control) turn(out x64.Label) {
	const wave, before = x64.RCX, x64.RSI
	const lead = Acc2
	counter := CtlGPR + 8*int32(Counter.Num())
	ctl := func(r x64.Reg, off int32) x64.Mem { return x64.Mem{Base: r, Disp: g.lay.Control + off} }
	number := func(n uint8, m x64.Mem, v int64) {
		g.emit(x64.Inst{Op: x64.MOVStImm, Len: n, Imm: v, HasMem: true, M: m})
	}
	last, single := g.label(), g.label()
	g.store(8, g.ctl(CtlExit), Acc)
	g.store(8, g.ctl(CtlGPR+8*int32(Active.Num())), Active)
	g.load(8, lead, g.ctl(CtlTurn))
	g.load(8, wave, g.ctl(CtlNext))
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: wave, B: wave})
	g.jump(x64.JE, last)
	g.turned(before, lead)
	g.emit(x64.Inst{Op: x64.CMP, Len: 4, A: Counter, HasMem: true, M: ctl(lead, CtlLeast)})
	g.looks(before, lead)
	g.store(4, g.ctl(counter), Counter)
	number(4, g.ctl(counter+4), Quantum) // a full budget for the next time slice
	g.emit(x64.Inst{Op: x64.ANDSt, Len: 8, B: Acc, HasMem: true, M: ctl(lead, CtlBoth)})
	g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: Acc, HasMem: true, M: ctl(lead, CtlAny)})
	g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: Frame, B: wave})
	g.load(8, Counter, g.ctl(counter))
	g.load(8, Active, g.ctl(CtlGPR+8*int32(Active.Num())))
	g.emit(x64.Inst{Op: x64.JMPReg, Len: 8, HasMem: true, M: g.ctl(CtlResume)})

	// The last wave. It returns to Go if Go opens the barriers (CtlFirst is 0), if the budget is used
	// up, or if its counter is below CtlLeast. A chain of one wave goes on at once.
	g.bind(last)
	g.store(8, g.ctl(counter), Counter)
	g.load(8, wave, ctl(lead, CtlFirst))
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: wave, B: wave})
	g.jump(x64.JE, out)
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: Counter, B: Counter})
	g.jump(x64.JS, out)
	g.emit(x64.Inst{Op: x64.CMP, Len: 4, A: Counter, HasMem: true, M: ctl(lead, CtlLeast)})
	g.jump(x64.JB, out)
	g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: wave, B: Frame})
	g.jump(x64.JE, single)
	for _, off := range [...]int32{CtlBoth, CtlAny} { // the exits of all waves but the last
		g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: Acc, HasMem: true, M: ctl(lead, off)})
		g.jump(x64.JNE, out)
	}
	// The chain is a ring. It now begins with the last wave and ends with the wave before it.
	g.load(8, before, g.ctl(CtlPrev))
	number(8, ctl(before, CtlNext), 0)
	g.store(8, g.ctl(CtlNext), wave)
	g.store(8, ctl(lead, CtlFirst), Frame)
	number(8, ctl(lead, CtlBoth), -1)
	number(8, ctl(lead, CtlAny), 0)
	g.bind(single)
	g.store(8, ctl(lead, CtlBehind), Acc)
	g.emit(x64.Inst{Op: x64.JMPReg, Len: 8, HasMem: true, M: g.ctl(CtlResume)})
}

// looks makes Go look before the next barrier opens if the flags are those of a counter that is
// below CtlLeast. lead is the frame of the block's first wave; t is a free register. The
// subtraction with borrow makes -1 of the carry, so CtlAny cannot equal an exit number any more.
func (g *emitter) looks(t, lead x64.Reg) {
	g.r2(x64.SBB, 8, t, t)
	g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: t, HasMem: true, M: x64.Mem{Base: lead, Disp: g.lay.Control + CtlAny}})
}

// turned ends the time slice of a wave: it moves CtlChanged, the mark that the wave changed memory, into
// CtlEarlier, the mark of all slices that have ended. lead is the frame of the block's first wave; t
// is a free register.
func (g *emitter) turned(t, lead x64.Reg) {
	g.load(8, t, g.ctl(CtlChanged))
	g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: t, HasMem: true, M: x64.Mem{Base: lead, Disp: g.lay.Control + CtlEarlier}})
	g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, HasMem: true, M: g.ctl(CtlChanged)})
}

// Points appends the instructions of the list before which Go, or Parks, asks which registers live:
// at the starts of blocks, after barriers, and at the exits that deoptimise.
func (c *Code) Points(at []int) []int {
	at = append(at, c.BlockAt...)
	for i := range c.Exits {
		switch e := &c.Exits[i]; e.Kind {
		case ExitBar:
			at = append(at, e.At+1)
		case ExitDeopt:
			at = append(at, e.At)
		}
	}
	return at
}

// parks gives package alloc the instructions at which waves wait, and those at which Go may enter.
func (g *control) parks() {
	g.fn.Fills = g.mem.fills[:0]
	for _, at := range g.out.BlockAt {
		g.fn.Fills = append(g.fn.Fills, int32(at))
	}
	slices.Sort(g.fn.Fills)
	g.mem.fills = g.fn.Fills
	for i := range g.out.Exits {
		if e := &g.out.Exits[i]; e.Kind == ExitBar {
			g.fn.Parks = append(g.fn.Parks, int32(e.At))
		}
	}
	slices.Sort(g.fn.Parks)
}

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
		add(x64.Inst{Op: x64.LEALabel, Len: 8, Dst: Acc2, Label: e.next()})
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
