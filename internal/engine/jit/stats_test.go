package jit

import (
	"context"
	"testing"

	"crosslane/internal/ir"
	"crosslane/internal/sim"
)

// TestStats counts what machine code did, and what it left to the interpreter: the first
// access to memory of the first of two waves, which finds out where that is for both, and
// none of the second round.
func TestStats(t *testing.T) {
	for tier, e := range tierEngines(t) {
		m := newMaker(t, "stats", 32)
		tid, out, i, p := m.vec("tid"), m.values("out")[0], m.vec("i"), m.Vector("p", ir.B1)
		m.Input(ir.ThreadIDX, tid, 0)
		top := m.NewLabel()
		m.Bind(top)
		m.store(m.place(out, tid, 4), i, ir.Global)
		m.next(i, m.num(2), p, top)
		f := m.finish()
		prog, err := e.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		mem := sim.NewMemory()
		a := mem.Add("out", make([]byte, 4*64))
		st, _, err := sim.Run(context.Background(), &sim.Launch{Func: f, Program: prog, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: mem, Values: []uint64{a.Base}, Workers: 1})
		if err != nil {
			t.Fatal(err)
		}
		if st.Native != st.WaveInstructions || st.WaveInstructions != 2*9 || st.CalledOut != 1 {
			t.Errorf("%s: %d instructions, %d in machine code, %d operations called out, want 18, 18 and 1", tier, st.WaveInstructions, st.Native, st.CalledOut)
		}
	}
}
