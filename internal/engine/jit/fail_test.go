package jit

import (
	"context"
	"fmt"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestFail: lanes fail for one reason, for several, or not because of a guard. If no lane
// fails, the code runs without Go.
func TestFail(t *testing.T) {
	t.Parallel()
	for _, lanes := range []int{32, 64} {
		// The lanes that fail if a word is 0, with their reasons; and the lanes that the
		// guard excludes.
		for _, c := range []struct {
			form     string
			bad      uint64
			note     bool
			outcalls uint64
		}{
			{"lanes", 0, false, 0}, {"lanes", 1 << 5, false, 1}, {"lanes", 1<<31 | 1<<3, false, 1}, {"lanes", 1 << 40, false, 1},
			{"lanes", 3, true, 1}, {"lanes", 0, true, 0}, {"guard", 0, false, 0}, {"guard", 1 << 7, false, 0}, {"guard", 1 << 6, false, 1},
			{"uniform", 0, false, 0}, {"uniform", 1, false, 1}, {"uniform", 1, true, 1}, {"never", 0, false, 0}, {"always", 0, false, 1},
		} {
			m := newMaker(t, "fail", lanes)
			list := m.values("in", "out")
			tid, v, sum, p := m.vec("tid"), m.vec("v"), m.vec("sum"), m.Vector("p", ir.B1)
			m.Input(ir.ThreadIDX, tid, 0)
			at := m.place(list[0], tid, 4)
			if c.form == "uniform" {
				at = list[0]
			}
			m.load(v, at, ir.Global)
			m.ins()
			m.To(sum, ir.Add32, v, tid)
			m.ins()
			m.To(p, ir.EqU32, m.T(ir.And32, tid, m.num(1)), m.num(0))
			m.ins()
			if c.form == "guard" { // the even lanes
				m.Guard(p, false)
			}
			reason, why := v, uint64(ir.FailMbarNoObject)
			switch c.form {
			case "never":
				reason = m.num(0)
			case "always":
				reason = m.num(1)
			}
			if c.note {
				why = uint64(ir.NoteLimit)
			}
			m.Emit(ir.Inst{Op: ir.Fail, Args: [4]ir.Ref{reason}, Imm: why})
			m.Guard(0, false)
			m.ins()
			m.To(sum, ir.Mul32, sum, m.num(3))
			m.store(m.place(list[1], tid, 4), sum, ir.Global)
			f := m.finish()
			run := func(e sim.Engine) (string, uint64) {
				p, err := e.Compile(f)
				if err != nil {
					t.Fatal(err)
				}
				data := make([]byte, 4*lanes)
				for k := range lanes {
					if c.bad>>k&1 != 0 {
						data[4*k] = byte(1 + k%2)
					}
				}
				mem := sim.NewMemory()
				in, out := mem.Add("in", data), mem.Add("out", make([]byte, 4*lanes))
				st, notes, err := sim.Run(context.Background(), &sim.Launch{Func: f, Program: p, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(lanes), 1, 1}, Memory: mem, Values: []uint64{in.Base, out.Base}, Workers: 1})
				called := st.CalledOut
				st.CalledOut, st.Native = 0, 0
				return fmt.Sprintln(err, st, notes, out.Data), called
			}
			want, _ := run(interp.Engine{Portable: true})
			for tier, e := range tierEngines(t) {
				// The load, and the store if it is reached, are called out the first time.
				expect := c.outcalls + 2
				if c.bad>>lanes != 0 && lanes < 64 {
					expect--
				}
				if want[:5] != "<nil>" {
					expect--
				}
				if got, called := run(e); got != want || called != expect {
					t.Errorf("%d lanes, %+v, %s: %d operations called out, want %d\ngot  %.500s\nwant %.500s", lanes, c, tier, called, expect, got, want)
				}
			}
		}
	}
}
