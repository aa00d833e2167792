package jit

import (
	"fmt"
	"testing"
	"time"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// TestWatchRound: blocks run for so long without a visible change that their plain loads are
// watched for a round of time slices. The order of atomics on shared memory shows which time
// slices these are; it is the same twice.
func TestWatchRound(t *testing.T) {
	t.Parallel()
	for _, block := range short.Sample([]uint64{64, 96, 128}, 3) {
		for _, c := range []struct{ rounds, loads, uneven uint64 }{
			{900, 50, 0}, {900, 50, 16}, // long
			{4300, 34, 0}, {4300, 34, 5}, // with many barriers
			{3, 20000, 0}, {6, 20000, 3000}, {40, 1500, 2500}, // in which time slices are used up
		} {
			repeats(t, fmt.Sprint("blocks of ", block, ", ", c), func(e sim.Engine) string {
				m := newMaker(t, "watchround", 32)
				m.Func().SharedStatic = 4
				list := m.values("out", "in")
				tid, wave, blk, v, i, j, n, sum, p := m.vec("tid"), m.vec("wave"), m.vec("blk"), m.vec("v"), m.vec("i"), m.vec("j"), m.vec("n"), m.vec("sum"), m.Vector("p", ir.B1)
				m.Input(ir.ThreadIDX, tid, 0)
				m.Input(ir.WaveID, wave, 0)
				m.Input(ir.LinearBlockID, blk, 0)
				m.ins()
				m.To(n, ir.Add32, m.num(c.loads), m.T(ir.Mul32, wave, m.num(c.uneven)))
				rounds := m.vec("rounds") // the first block only finds the regions
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

// TestWaitBehindBarrier: a wave that has changed memory before a barrier waits after it, or
// in the block before, for another block.
func TestWaitBehindBarrier(t *testing.T) {
	t.Parallel()
	for _, block := range []uint64{32, 64, 96} {
		for k := range block / 32 * 4 {
			// Another wave may have ended before the barrier; or there is none.
			wave, leaves, met := k/4, k&1 != 0, k&2 != 0
			settles(t, fmt.Sprint("blocks of ", block, ", wave ", wave, leaves, met), func(e sim.Engine) (string, sim.Stats) {
				m := newMaker(t, "waitbehind", 32)
				list := m.values("out", "flags")
				tid, id, blk, v, p := m.vec("tid"), m.vec("wave"), m.vec("blk"), m.vec("v"), m.Vector("p", ir.B1)
				m.Input(ir.ThreadIDX, tid, 0)
				m.Input(ir.WaveID, id, 0)
				m.Input(ir.LinearBlockID, blk, 0)
				end, other, wait := m.NewLabel(), m.NewLabel(), m.NewLabel()
				begin := m.NewLabel()
				if !met {
					m.ins()
					m.To(p, ir.EqU32, blk, m.num(3))
					m.branch(p, begin)
				}
				for range 2 { // the second time the regions are cached
					m.store(m.place(list[0], m.T(ir.Add32, tid, m.T(ir.Mul32, blk, m.num(block))), 4), tid, ir.Global)
				}
				m.Bind(begin)
				if leaves {
					m.ins()
					m.To(p, ir.EqU32, id, m.num((wave+1)%3))
					m.branch(p, end)
				}
				if met {
					m.barrier()
				}
				m.ins()
				m.To(p, ir.NeU32, blk, m.num(3))
				m.branch(p, other)
				m.ins()
				m.To(p, ir.NeU32, id, m.num(wave))
				m.branch(p, end)
				m.Bind(wait)
				m.ins()
				m.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{list[1]}, Size: 4, Align: 4, Space: ir.Global, Flags: ir.Volatile})
				m.ins()
				m.To(p, ir.EqU32, v, m.num(0))
				m.branch(p, wait)
				m.ins()
				m.Bra(end)
				m.Bind(other)
				m.ins()
				m.To(p, ir.NeU32, blk, m.num(4))
				m.branch(p, end)
				m.ins()
				m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{list[1], m.num(1)}, Size: 4, Align: 4, Space: ir.Global, Flags: ir.Volatile})
				m.Bind(end)
				f := m.finish()
				mem := sim.NewMemory()
				out, flags := mem.Add("out", make([]byte, 6*4*block)), mem.Add("flags", make([]byte, 4))
				how, counts := launched(t, e, f, &sim.Launch{Grid: [3]uint32{6, 1, 1}, Block: [3]uint32{uint32(block), 1, 1}, Memory: mem, Values: []uint64{out.Base, flags.Base}, Limits: sim.Limits{Timeout: 5 * time.Second}})
				return fmt.Sprintln(how, out.Data), counts
			})
		}
	}
}
