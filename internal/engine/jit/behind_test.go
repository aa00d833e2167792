package jit

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// behindBarrier is a kernel of four waves and two barriers. Before and after the first
// barrier many constants are in use; then as many values take their registers until after the
// second barrier. In between, one wave of the last block ends the block runner. The waves
// before it then have the values in their registers, and the waves after it the constants.
func behindBarrier(t *testing.T, values int, odd uint64) *ir.Func {
	m := newMaker(t, "behind", 32)
	list := m.values("in", "out", "elsewhere")
	in, out, elsewhere := list[0], list[1], list[2]
	tid, blk, gid, v, i, p := m.vec("tid"), m.vec("blk"), m.vec("gid"), m.vec("v"), m.vec("i"), m.Vector("p", ir.B1)
	m.Input(ir.ThreadIDX, tid, 0)
	m.Input(ir.BlockIDX, blk, 0)
	m.ins()
	m.To(gid, ir.Mad32, blk, m.num(128), tid)
	m.load(v, m.place(in, gid, 4), ir.Global)
	section := func() {
		m.ins()
		m.To(i, ir.Mov32, m.num(0))
		top := m.NewLabel()
		m.Bind(top)
		for k := range uint64(values) {
			m.ins()
			m.To(v, []ir.Op{ir.Xor32, ir.Add32, ir.Mul32}[k%3], v, m.num(0x9e3779b1*(2*k+3)|1))
		}
		m.next(i, m.num(3), p, top)
	}
	section()
	m.barrier()
	section()
	var w []ir.Ref
	for k := range values {
		w = append(w, m.vec(fmt.Sprint("w", k)))
		m.ins()
		if k == 0 {
			m.To(w[k], ir.Add32, v, gid)
		} else {
			m.To(w[k], ir.Mul32, w[k-1], v)
		}
	}
	x := m.vec("x")
	m.ins()
	m.To(p, ir.EqU32, gid, m.num(odd))
	m.load(x, m.T(ir.Sel64, p, elsewhere, in), ir.Global)
	m.barrier()
	for k := range w {
		m.ins()
		m.To(x, ir.Xor32, m.T(ir.Add32, x, x), w[k])
	}
	m.store(m.place(out, gid, 4), x, ir.Global)
	return m.finish()
}

// TestBehindBarrier: waves wait at a barrier, have gone on to the next one, or are between
// them, when the block runner stops. The registers of each wave keep their contents.
func TestBehindBarrier(t *testing.T) {
	t.Parallel()
	const blocks = 6
	for values := 4; values <= 40; values += 4 {
		for wave := range uint64(4) {
			run := func(e sim.Engine) string {
				f := behindBarrier(t, values, (blocks-1)*128+wave*32+5)
				mem := sim.NewMemory()
				in, out, elsewhere := mem.Add("in", noise(4*128*blocks)), mem.Add("out", make([]byte, 4*128*blocks)), mem.Add("elsewhere", noise(64))
				end := ended(t, e, f, &sim.Launch{Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{128, 1, 1}, Memory: mem, Values: []uint64{in.Base, out.Base, elsewhere.Base}})
				return fmt.Sprintln(end, out.Data)
			}
			want := run(interp.Engine{Portable: true})
			for tier, e := range tierEngines(t) {
				if got := run(e); got != want {
					t.Errorf("%d values, wave %d, %s:\ngot  %.300s\nwant %.300s", values, wave, tier, got, want)
				}
			}
		}
	}
}
