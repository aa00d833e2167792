package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
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
	g.load(8, first, g.ctl(abi.CtlRow))
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: first, B: first})
	g.jump(x64.JE, out)
	g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: abi.Frame, B: first})
	// Is another block to follow?
	g.load(4, abi.Acc, g.ctl(abi.CtlAhead))
	g.ri(x64.SUBImm, 4, abi.Acc, 1)
	g.store(4, g.ctl(abi.CtlAhead), abi.Acc)
	g.jump(x64.JS, out)
	g.ri(x64.MOVImm, 8, quantum, abi.Quantum<<32)
	for _, x := range [2]struct {
		r   x64.Reg
		off int32
	}{{index, abi.CtlIndex}, {block, abi.CtlBlock}} {
		g.load(8, x.r, g.ctl(x.off))
		g.ri(x64.ADDImm, 8, x.r, 1)
		g.store(8, g.ctl(x.off), x.r)
	}
	counter, active := g.ctl(abi.CtlGPR+8*int32(abi.Counter.Num())), g.ctl(abi.CtlGPR+8*int32(abi.Active.Num()))
	// For each wave of the block: renew its counts, its start, and its inputs.
	g.bind(next)
	g.rowLanes(counter, active)
	g.load(4, abi.Acc, counter)
	g.r2(x64.OR, 8, abi.Acc, quantum)
	g.store(8, counter, abi.Acc) // in one piece, because it is loaded in one piece: a store forwards to a load of the same size
	g.load(8, abi.Acc, g.ctl(abi.CtlBegin))
	g.store(8, g.ctl(abi.CtlResume), abi.Acc)
	if g.f.Exec != 0 {
		for i := range int32(abi.MaxParts) {
			g.load(8, word, g.ctl(abi.CtlParts+16*i))
			g.load(8, abi.Acc, g.ctl(abi.CtlParts+16*i+8))
			g.store(8, x64.Mem{Base: word}, abi.Acc)
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
	g.load(8, abi.Frame, g.ctl(abi.CtlNext))
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: abi.Frame, B: abi.Frame})
	g.jump(x64.JNE, next)
	g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: abi.Frame, B: first})
	g.jump(x64.JMP, g.out.Start)
}

// rowLanes adds to the count of lane instructions of a wave that has ended. It also
// resets the active lanes: the wave may end with other lanes than those with which it
// begins.
func (g *control) rowLanes(counter, active x64.Mem) {
	const lanes = x64.R8
	same := g.label()
	g.load(8, lanes, g.ctl(abi.CtlLive))
	// Lane instructions are the instructions since CtlLast, times the active lanes.
	counted := active
	if g.f.Exec != 0 {
		counted = g.frame(g.f.Val(g.f.Exec).Off)
	} else {
		g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: lanes, HasMem: true, M: active})
		g.jump(x64.JE, same)
	}
	g.load(4, abi.Acc, g.ctl(abi.CtlLast))
	g.load(4, abi.Acc2, counter)
	g.store(4, g.ctl(abi.CtlLast), abi.Acc2)
	g.r2(x64.SUB, 4, abi.Acc, abi.Acc2)
	g.emit(x64.Inst{Op: x64.POPCNT, Len: 8, Dst: abi.Acc2, HasMem: true, M: counted})
	g.r2(x64.IMUL, 8, abi.Acc, abi.Acc2)
	g.rm(x64.ADD, 8, abi.Acc, g.ctl(abi.CtlLanes))
	g.store(8, g.ctl(abi.CtlLanes), abi.Acc)
	g.store(8, active, lanes)
	g.bind(same)
}
