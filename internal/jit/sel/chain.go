package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
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
// Invariant: CtlExit of each frame is the reason why its wave stopped. Waves run in the order of package
// sim: the last one to arrive keeps the rest of its time slice, so the order decides where slices end,
// and with that how many instructions run (sim.Wave.Continue).
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
	g.ri(x64.MOVImm, 4, abi.Acc, int64(len(g.out.Exits)))
	g.out.Exits = append(g.out.Exits, abi.Exit{Kind: abi.ExitDone, Inst: g.at, Block: b, At: len(g.fn.Code)})
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
		g.emit(x64.Inst{Op: x64.CMP, Len: g.maskBytes(), A: abi.Active, HasMem: true, M: g.ctl(abi.CtlLive)})
		g.jump(x64.JNE, other)
	}
	g.account()
	g.ri(x64.MOVImm, 4, abi.Acc, int64(len(g.out.Exits)))
	e := abi.Exit{Kind: abi.ExitBar, Inst: g.at, Block: b, At: len(g.fn.Code), Resume: g.label()}
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
	g.store(8, g.ctl(abi.CtlExit), abi.Acc)
	g.store(8, g.ctl(abi.CtlGPR+8*int32(abi.Counter.Num())), abi.Counter)
	g.store(8, g.ctl(abi.CtlGPR+8*int32(abi.Active.Num())), abi.Active)
	if g.waits() { // this wave does not wait, so the last one must not open a barrier
		g.load(8, abi.Acc, g.ctl(abi.CtlTurn))
		g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, Imm: -1, HasMem: true, M: x64.Mem{Base: abi.Acc, Disp: g.lay.Control + abi.CtlAny}})
	}
	g.load(8, abi.Acc, g.ctl(abi.CtlNext))
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: abi.Acc, B: abi.Acc})
	last := out
	if g.out.Rows = g.mayRow(); g.out.Rows {
		last = g.label()
	}
	g.jump(x64.JE, last)
	g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: abi.Frame, B: abi.Acc})
	g.emit(x64.Inst{Op: x64.ENTRY, Label: g.out.Start})
	g.load(8, abi.Counter, g.ctl(abi.CtlGPR+8*int32(abi.Counter.Num())))
	g.load(8, abi.Active, g.ctl(abi.CtlGPR+8*int32(abi.Active.Num())))
	g.emit(x64.Inst{Op: x64.JMPReg, Len: 8, HasMem: true, M: g.ctl(abi.CtlResume)})
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
	return slices.ContainsFunc(g.out.Exits, func(e abi.Exit) bool { return e.Kind == abi.ExitBar })
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
	const lead = abi.Acc2
	counter := abi.CtlGPR + 8*int32(abi.Counter.Num())
	ctl := func(r x64.Reg, off int32) x64.Mem { return x64.Mem{Base: r, Disp: g.lay.Control + off} }
	number := func(n uint8, m x64.Mem, v int64) {
		g.emit(x64.Inst{Op: x64.MOVStImm, Len: n, Imm: v, HasMem: true, M: m})
	}
	last, single := g.label(), g.label()
	g.store(8, g.ctl(abi.CtlExit), abi.Acc)
	g.store(8, g.ctl(abi.CtlGPR+8*int32(abi.Active.Num())), abi.Active)
	g.load(8, lead, g.ctl(abi.CtlTurn))
	g.load(8, wave, g.ctl(abi.CtlNext))
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: wave, B: wave})
	g.jump(x64.JE, last)
	g.store(4, g.ctl(counter), abi.Counter)
	number(4, g.ctl(counter+4), abi.Quantum) // a full budget for the next time slice
	g.emit(x64.Inst{Op: x64.ANDSt, Len: 8, B: abi.Acc, HasMem: true, M: ctl(lead, abi.CtlBoth)})
	g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: abi.Acc, HasMem: true, M: ctl(lead, abi.CtlAny)})
	g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: abi.Frame, B: wave})
	g.load(8, abi.Counter, g.ctl(counter))
	g.load(8, abi.Active, g.ctl(abi.CtlGPR+8*int32(abi.Active.Num())))
	g.emit(x64.Inst{Op: x64.JMPReg, Len: 8, HasMem: true, M: g.ctl(abi.CtlResume)})

	// The last wave. It returns to Go if Go opens the barriers (CtlFirst is 0), if its time slice is used
	// up, or if CtlRounds barriers have been opened. A chain of one wave goes on at once.
	g.bind(last)
	g.store(8, g.ctl(counter), abi.Counter)
	g.load(8, wave, ctl(lead, abi.CtlFirst))
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: wave, B: wave})
	g.jump(x64.JE, out)
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: abi.Counter, B: abi.Counter})
	g.jump(x64.JS, out)
	g.emit(x64.Inst{Op: x64.ADDStImm, Len: 8, Imm: -1, HasMem: true, M: ctl(lead, abi.CtlRounds)})
	g.jump(x64.JS, out)
	g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: wave, B: abi.Frame})
	g.jump(x64.JE, single)
	for _, off := range [...]int32{abi.CtlBoth, abi.CtlAny} { // the exits of all waves but the last
		g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: abi.Acc, HasMem: true, M: ctl(lead, off)})
		g.jump(x64.JNE, out)
	}
	// The chain is a ring. It now begins with the last wave and ends with the wave before it.
	g.load(8, before, g.ctl(abi.CtlPrev))
	number(8, ctl(before, abi.CtlNext), 0)
	g.store(8, g.ctl(abi.CtlNext), wave)
	g.store(8, ctl(lead, abi.CtlFirst), abi.Frame)
	number(8, ctl(lead, abi.CtlBoth), -1)
	number(8, ctl(lead, abi.CtlAny), 0)
	g.bind(single)
	g.store(8, ctl(lead, abi.CtlBehind), abi.Acc)
	g.emit(x64.Inst{Op: x64.JMPReg, Len: 8, HasMem: true, M: g.ctl(abi.CtlResume)})
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
		if e := &g.out.Exits[i]; e.Kind == abi.ExitBar {
			g.fn.Parks = append(g.fn.Parks, int32(e.At))
		}
	}
	slices.Sort(g.fn.Parks)
}
