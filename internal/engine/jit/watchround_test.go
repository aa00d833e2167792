package jit

import (
	"fmt"
	"testing"

	"crosslane/internal/ir"
	"crosslane/internal/sim"
)

// TestWatchRound has blocks run for so long without changing what others see that their
// plain loads are watched for a round of turns: which turns these are shows in the order of
// atomics on shared memory.
func TestWatchRound(t *testing.T) {
	t.Parallel()
	for _, block := range []uint64{64, 96, 128} {
		for _, c := range []struct{ rounds, loads, uneven uint64 }{
			{900, 50, 0}, {900, 50, 16}, // long
			{4300, 34, 0}, {4300, 34, 5}, // with many barriers
			{3, 20000, 0}, {6, 20000, 3000}, {40, 1500, 2500}, // in which turns are used up
		} {
			agree(t, fmt.Sprint("blocks of ", block, ", ", c), func(e sim.Engine) string {
				m := newMaker(t, "watchround", 32)
				m.Func().SharedStatic = 4
				list := m.values("out", "in")
				tid, wave, blk, v, i, j, n, sum, p := m.vec("tid"), m.vec("wave"), m.vec("blk"), m.vec("v"), m.vec("i"), m.vec("j"), m.vec("n"), m.vec("sum"), m.Vector("p", ir.B1)
				m.Input(ir.ThreadIDX, tid, 0)
				m.Input(ir.WaveID, wave, 0)
				m.Input(ir.LinearBlockID, blk, 0)
				m.ins()
				m.To(n, ir.Add32, m.num(c.loads), m.T(ir.Mul32, wave, m.num(c.uneven)))
				rounds := m.vec("rounds") // the first block only finds out where memory is
				m.ins()
				m.To(rounds, ir.Mul32, blk, m.num(c.rounds))
				phase, loop := m.NewLabel(), m.NewLabel()
				m.Bind(phase)
				m.ins()
				m.To(j, ir.Mov32, m.num(0))
				m.Bind(loop)
				m.load(v, list[1], ir.Global)
				m.ins()
				m.To(sum, ir.Add32, sum, v)
				m.next(j, n, p, loop)
				m.ins()
				m.Emit(ir.Inst{Op: ir.Atomic, Dst: v, Args: [4]ir.Ref{m.num(0), m.num(1)}, Size: 4, Align: 4, Space: ir.Shared, Imm: ir.AtomicImm(ir.AtomAdd, 0)})
				m.ins()
				m.To(sum, ir.Add32, m.T(ir.Mul32, sum, m.num(31)), v)
				m.barrier()
				m.next(i, rounds, p, phase)
				m.store(m.place(list[0], m.T(ir.Add32, tid, m.T(ir.Mul32, blk, m.num(block))), 4), sum, ir.Global)
				f := m.finish()
				mem := sim.NewMemory()
				out, in := mem.Add("out", make([]byte, 2*4*block)), mem.Add("in", noise(64))
				return fmt.Sprintln(ended(t, e, f, &sim.Launch{Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{uint32(block), 1, 1}, Memory: mem, Values: []uint64{out.Base, in.Base}}), out.Data)
			})
		}
	}
}
