package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestSliceAfterExit ends the wave that runs last in a block while another wave waits at a
// barrier: the rest of its time slice must not be carried into the next block.
func TestSliceAfterExit(t *testing.T) {
	t.Parallel()
	const block = 64
	repeats(t, "an exit in front of a barrier", func(e sim.Engine) string {
		m := newMaker(t, "turnafter", 32)
		list := m.values("out", "count")
		tid, wave, blk, v, i, n, p := m.vec("tid"), m.vec("wave"), m.vec("blk"), m.vec("v"), m.vec("i"), m.vec("n"), m.Vector("p", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		m.Input(ir.WaveID, wave, 0)
		m.Input(ir.LinearBlockID, blk, 0)
		spin := func(n ir.Ref) {
			m.ins()
			m.To(i, ir.Mov32, m.num(0))
			top := m.NewLabel()
			m.Bind(top)
			m.ins()
			m.next(i, n, p, top)
		}
		end, other, in := m.NewLabel(), m.NewLabel(), m.NewLabel()
		m.ins()
		m.To(p, ir.NeU32, blk, m.num(0))
		m.branch(p, other)
		m.ins()
		m.To(p, ir.EqU32, wave, m.num(0))
		m.branch(p, in)
		spin(m.num(3000))
		m.ins()
		m.Bra(end)
		m.Bind(in)
		m.barrier()
		m.ins()
		m.Bra(end)
		m.Bind(other)
		m.ins()
		m.To(n, ir.Sub32, m.num(5000), m.T(ir.Mul32, wave, m.num(2000)))
		spin(n)
		m.ins()
		m.Emit(ir.Inst{Op: ir.Atomic, Dst: v, Args: [4]ir.Ref{list[1], m.num(1)}, Size: 4, Align: 4, Space: ir.Global, Imm: ir.AtomicImm(ir.AtomAdd, 0)})
		m.store(m.place(list[0], m.T(ir.Add32, tid, m.T(ir.Mul32, blk, m.num(block))), 4), v, ir.Global)
		m.Bind(end)
		f := m.finish()
		mem := sim.NewMemory()
		out, count := mem.Add("out", make([]byte, 3*4*block)), mem.Add("count", make([]byte, 4))
		return fmt.Sprintln(ended(t, e, f, &sim.Launch{Grid: [3]uint32{3, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: mem, Values: []uint64{out.Base, count.Base}}), out.Data, count.Data)
	})
}

// TestArriveAfterBarriers arrives at a barrier at which no wave waits any more. It is
// reported whether it was used before; another barrier may have been used since.
func TestArriveAfterBarriers(t *testing.T) {
	t.Parallel()
	const block = 96
	for _, ids := range [][]uint64{{0, 1}, {1, 0}, {0, 1, 1}, {0}, {2}} {
		agree(t, fmt.Sprint("barriers ", ids), func(e sim.Engine) string {
			m := newMaker(t, "arrives", 32)
			for _, id := range ids {
				m.ins()
				m.Emit(ir.Inst{Op: ir.Bar, Imm: uint64(ir.BarSync), Args: [4]ir.Ref{m.num(id)}})
			}
			m.ins()
			m.Emit(ir.Inst{Op: ir.Bar, Imm: uint64(ir.BarArrive), Args: [4]ir.Ref{m.num(0), m.num(128)}})
			f := m.finish()
			return ended(t, e, f, &sim.Launch{Grid: [3]uint32{3, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: sim.NewMemory(), Checks: sim.Checks{Hints: true}})
		})
	}
}
