package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// # Blocks one after another
//
// Input: a block of the grid that has ended, and the number of further blocks in its
// row of the grid (CtlAhead).
// Output: the start of the next block, without Go.
// Invariant: blocks of a grid row differ only in the block number, because the function
// has no shared memory, no private memory and no barrier.
// Example: when the last wave ends: CtlAhead -= 1; block index += 1; each wave's inputs
// are renewed; jump to Start.
//
// Counts go on from block to block; the budget of a time slice begins anew with each.

// mayRow reports whether the code allows that blocks follow each other without Go.
func (g *control) mayRow() bool {
	return g.out.Chains && !g.clock && !g.waits()
}

// nextBlock emits the routine, at label last, that begins the next block; it jumps to
// out to return to Go. Only Frame holds a value there.
func (g *control) nextBlock(last, out x64.Label) {
	const first, quantum, word, index, block = x64.RCX, x64.RSI, x64.RDI, x64.R9, x64.R10
	next := g.label()
	g.bind(last)
	g.load(8, first, g.ctl(CtlRow))
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: first, B: first})
	g.jump(x64.JE, out)
	g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: Frame, B: first})
	// Is another block to follow?
	g.load(4, Acc, g.ctl(CtlAhead))
	g.ri(x64.SUBImm, 4, Acc, 1)
	g.store(4, g.ctl(CtlAhead), Acc)
	g.jump(x64.JS, out)
	g.ri(x64.MOVImm, 8, quantum, Quantum<<32)
	for _, x := range [2]struct {
		r   x64.Reg
		off int32
	}{{index, CtlIndex}, {block, CtlBlock}} {
		g.load(8, x.r, g.ctl(x.off))
		g.ri(x64.ADDImm, 8, x.r, 1)
		g.store(8, g.ctl(x.off), x.r)
	}
	counter, active := g.ctl(CtlGPR+8*int32(Counter.Num())), g.ctl(CtlGPR+8*int32(Active.Num()))
	// For each wave of the block: renew its counts, its start, and its inputs.
	g.bind(next)
	g.rowLanes(counter, active)
	g.turned(Acc, first)
	g.load(4, Acc, counter)
	g.store(4, g.ctl(CtlSince), Acc)
	g.r2(x64.OR, 8, Acc, quantum)
	g.store(8, counter, Acc) // in one piece, because it is loaded in one piece: a store forwards to a load of the same size
	g.load(8, Acc, g.ctl(CtlBegin))
	g.store(8, g.ctl(CtlResume), Acc)
	if g.f.Exec != 0 {
		for i := range int32(MaxParts) {
			g.load(8, word, g.ctl(CtlParts+16*i))
			g.load(8, Acc, g.ctl(CtlParts+16*i+8))
			g.store(8, x64.Mem{Base: word}, Acc)
		}
	}
	for _, in := range g.f.Inputs {
		v := g.f.Val(in.Dst)
		switch in.Kind {
		case ir.BlockIDX:
			g.store(uint8(v.Type.Bytes()), g.frame(v.Off), index)
		case ir.LinearBlockID:
			g.store(uint8(v.Type.Bytes()), g.frame(v.Off), block)
		}
	}
	g.load(8, Frame, g.ctl(CtlNext))
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: Frame, B: Frame})
	g.jump(x64.JNE, next)
	g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: Frame, B: first})
	g.jump(x64.JMP, g.out.Start)
}

// rowLanes adds to the count of lane instructions of a wave that has ended. It also
// resets the active lanes: the wave may end with other lanes than those with which it
// begins.
func (g *control) rowLanes(counter, active x64.Mem) {
	const lanes = x64.R8
	same := g.label()
	g.load(8, lanes, g.ctl(CtlLive))
	// Lane instructions are the instructions since CtlLast, times the active lanes.
	counted := active
	if g.f.Exec != 0 {
		counted = g.frame(g.f.Val(g.f.Exec).Off)
	} else {
		g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: lanes, HasMem: true, M: active})
		g.jump(x64.JE, same)
	}
	g.load(4, Acc, g.ctl(CtlLast))
	g.load(4, Acc2, counter)
	g.store(4, g.ctl(CtlLast), Acc2)
	g.r2(x64.SUB, 4, Acc, Acc2)
	g.emit(x64.Inst{Op: x64.POPCNT, Len: 8, Dst: Acc2, HasMem: true, M: counted})
	g.r2(x64.IMUL, 8, Acc, Acc2)
	g.rm(x64.ADD, 8, Acc, g.ctl(CtlLanes))
	g.store(8, g.ctl(CtlLanes), Acc)
	g.store(8, active, lanes)
	g.bind(same)
}
