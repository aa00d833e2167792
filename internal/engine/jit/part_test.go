package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// parting is a kernel of four waves that meet at a barrier, in each iteration, and count in
// shared memory the counts of the wave before. In one iteration one wave takes another path:
// it exits, or waits at another barrier instruction, of the same number or another one.
// Between barriers all waves repeat a loop spin times.
func parting(t *testing.T, way string, wave, round, spin uint64) *ir.Func {
	m := newMaker(t, "parting", 32)
	m.Func().SharedStatic = 1024
	out := m.values("out")[0]
	tid, sum, v, i, j, p, at, from := m.vec("tid"), m.vec("sum"), m.vec("v"), m.vec("i"), m.vec("j"), m.Vector("p", ir.B1), m.vec("at"), m.vec("from")
	blk := m.vec("blk")
	m.Input(ir.ThreadIDX, tid, 0)
	m.Input(ir.BlockIDX, blk, 0)
	m.ins()
	m.To(at, ir.Mul32, tid, m.num(4))
	m.To(from, ir.And32, m.T(ir.Add32, at, m.num(384)), m.num(511))
	m.To(i, ir.Mov32, m.num(0))
	top, odd, on := m.NewLabel(), m.NewLabel(), m.NewLabel()
	m.Bind(top)
	m.load(v, from, ir.Shared)
	m.ins()
	m.To(sum, ir.Mad32, sum, m.num(5), v)
	m.store(at, m.T(ir.Add32, m.T(ir.Add32, sum, tid), m.num(1)), ir.Shared)
	if spin > 0 {
		m.ins()
		m.To(j, ir.Mov32, m.num(0))
		again := m.NewLabel()
		m.Bind(again)
		m.ins()
		m.To(sum, ir.Add32, sum, j)
		m.next(j, m.num(spin), p, again)
	}
	// that wave, in block 2
	m.ins()
	m.To(p, ir.EqU32, m.num(0), m.T(ir.Or32, m.T(ir.Xor32, m.T(ir.ShrU32, tid, m.num(5)), m.num(wave)), m.T(ir.Or32, m.T(ir.Xor32, i, m.num(round)), m.T(ir.Xor32, blk, m.num(2)))))
	m.branch(p, odd)
	m.barrier()
	m.ins()
	m.Bra(on)
	m.Bind(odd)
	switch way {
	case "exit":
		m.ins()
		m.Emit(ir.Inst{Op: ir.Exit})
	case "number":
		m.ins()
		m.Emit(ir.Inst{Op: ir.Bar, Imm: uint64(ir.BarSync), Args: [4]ir.Ref{m.num(3)}})
	default:
		m.barrier()
	}
	m.Bind(on)
	m.next(i, m.num(6), p, top)
	m.store(m.place(out, m.T(ir.Mad32, blk, m.num(128), tid), 4), sum, ir.Global)
	return m.finish()
}

// TestParting: one wave takes its own path while the other waves meet.
func TestParting(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"exit", "number", "other"} {
		for wave := range uint64(4) {
			for _, round := range []uint64{0, 1, 4} {
				for _, spin := range []uint64{0, 3000} {
					if testing.Short() && spin > 0 && round > 0 {
						continue
					}
					run := func(e sim.Engine) string {
						mem := sim.NewMemory()
						out := mem.Add("out", make([]byte, 4*128*4))
						end := ended(t, e, parting(t, way, wave, round, spin), &sim.Launch{Grid: [3]uint32{4, 1, 1}, Block: [3]uint32{128, 1, 1}, Memory: mem, Values: []uint64{out.Base}})
						return fmt.Sprintln(end, out.Data)
					}
					want := run(interp.Engine{Portable: true})
					for tier, e := range tierEngines(t) {
						if got := run(e); got != want {
							t.Errorf("%s, wave %d, round %d, %d rounds between, %s:\ngot  %.300s\nwant %.300s", way, wave, round, spin, tier, got, want)
						}
					}
				}
			}
		}
	}
}
