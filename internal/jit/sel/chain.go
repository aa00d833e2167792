package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// # Waves one after another
//
// Go gives machine code the waves of a block as a chain of frames. A wave of which all
// lanes exit, or wait for the other waves at one barrier, stores what is needed to go on
// with it and leaves its exit's number in its frame; the code goes on with the next wave
// of the chain. Behind the last it returns to Go, or if all of them wait at the same barrier,
// opens that and begins again: with the last wave, whose turn goes on, and then the others as
// they were. Whatever else happens returns to Go at
// once: the first wave of the chain whose exit is another one.

// alone emits a jump to a label if lanes of the wave are pending anywhere while block b
// runs.
func (g *gen) alone(b int, other x64.Label) {
	if g.f.Exec != 0 {
		return
	}
	for _, p := range g.mk.Pend(b) {
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, HasMem: true, M: g.pend(int(p))})
		g.jump(x64.JNE, other)
	}
}

// mayBeAlone reports whether alone can be asked.
func (g *gen) mayBeAlone(b int) bool {
	return !g.s.Geom.Exact && (g.f.Exec != 0 || !g.mk.Overflow && len(g.mk.Pend(b)) <= maxChecks)
}

// done emits the end of the wave, at the end of block b, whose operation all active lanes
// do. It reports false, and emits nothing, if it leaves that to Go.
func (g *gen) done(b int) bool {
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

// bar emits a barrier at the end of block b. It reports false, and emits nothing, if it
// leaves that to Go.
func (g *gen) bar(b int) bool {
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

// manyBars reports whether package sim may tell of a barrier whether it has been used before,
// and that need not be the one that was used last: of those that machine code has opened Go knows
// no other.
func (g *gen) manyBars() bool {
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

// stop emits the routine by which a wave stops, with the number of the exit in Acc, and
// the one by which it begins or goes on.
func (g *gen) stop() {
	g.bind(g.out.Stop)
	out := g.label()
	g.store(8, g.ctl(CtlExit), Acc)
	g.store(8, g.ctl(CtlGPR+8*int32(Counter.Num())), Counter)
	g.store(8, g.ctl(CtlGPR+8*int32(Active.Num())), Active)
	if g.waits() { // but not this wave
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

// waits reports whether waves may wait without Go.
func (g *gen) waits() bool {
	return slices.ContainsFunc(g.out.Exits, func(e Exit) bool { return e.Kind == ExitBar })
}

// turn emits the routine, behind its label, by which a wave waits at a barrier, with the number of the exit in
// Acc. The last of the chain looks whether all are there, and opens it. It goes to label out,
// to return to Go, if they are not, or Go has to look. All registers but Frame, Counter and
// Active have been stored, as far as they live.
func (g *gen) turn(out x64.Label) {
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
	number(4, g.ctl(counter+4), Quantum) // for when it goes on
	g.emit(x64.Inst{Op: x64.ANDSt, Len: 8, B: Acc, HasMem: true, M: ctl(lead, CtlBoth)})
	g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: Acc, HasMem: true, M: ctl(lead, CtlAny)})
	g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: Frame, B: wave})
	g.load(8, Counter, g.ctl(counter))
	g.load(8, Active, g.ctl(CtlGPR+8*int32(Active.Num())))
	g.emit(x64.Inst{Op: x64.JMPReg, Len: 8, HasMem: true, M: g.ctl(CtlResume)})

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
	for _, off := range [...]int32{CtlBoth, CtlAny} { // all but the last
		g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: Acc, HasMem: true, M: ctl(lead, off)})
		g.jump(x64.JNE, out)
	}
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

// looks has Go look before the next barrier opens if the flags say that a counter is below
// CtlLeast. lead is the frame of the block's first wave, t a register for it to use.
func (g *gen) looks(t, lead x64.Reg) {
	g.r2(x64.SBB, 8, t, t)
	g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: t, HasMem: true, M: x64.Mem{Base: lead, Disp: g.lay.Control + CtlAny}})
}

// turned ends the turn of a wave: what it has changed, it has changed in that one. lead is the frame
// of the block's first wave, t a register for it to use.
func (g *gen) turned(t, lead x64.Reg) {
	g.load(8, t, g.ctl(CtlChanged))
	g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: t, HasMem: true, M: x64.Mem{Base: lead, Disp: g.lay.Control + CtlEarlier}})
	g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, HasMem: true, M: g.ctl(CtlChanged)})
}

// Points appends the instructions of the list in front of which Go, or Parks, asks what lives:
// at the starts of blocks, behind barriers and where code leaves for good.
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

// parks tells package alloc where waves wait, and where Go may begin.
func (g *gen) parks() {
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

// Held is a register that lives somewhere. If it holds a constant, Const is that, counted from
// 1, and Len its bytes; else Len is 8. Stored says that what it holds is where it is stored.
type Held struct {
	Reg    x64.Reg
	Const  int32
	Len    uint8
	Stored bool
}

// Parks makes the routines by which waves wait at barriers, and go on behind them: one for
// each barrier, with the registers that live there. What has not changed since it was stored
// is not stored again. Constants are not stored: what goes on
// there loads them anew, and package engine/jit puts them there if Go does. It changes the
// calls of code, which is what package alloc has made of the list. live is the registers that
// hold what lives in front of an instruction of the list.
func (c *Code) Parks(code []x64.Inst, control int32, live func(at int) []Held) []x64.Inst {
	if len(c.LIR.Parks) == 0 {
		return nil // nobody waits
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
