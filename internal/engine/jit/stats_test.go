package jit_test

import (
	"context"
	"testing"

	"crosslane/internal/engine/jit"
	"crosslane/internal/ir"
	"crosslane/internal/sim"
)

// TestStats counts what machine code did, and what it left to the interpreter: the first
// access to memory of the first of two waves, which finds out where that is for both, and
// none of the second round.
func TestStats(t *testing.T) {
	engines(t, func(t *testing.T, e *jit.Engine) {
		b := ir.NewBuilder("stats", 32)
		tid, out, i, p := b.Vector("tid", ir.B32), b.Vector("out", ir.B64), b.Vector("i", ir.B32), b.Vector("p", ir.B1)
		b.Input(ir.ThreadIDX, tid, 0)
		b.Input(ir.LaunchValue, out, 0)
		ins := func() { b.At(ir.Pos{Line: 1, Text: "x", Name: "x"}) }
		again := b.NewLabel()
		b.Bind(again)
		ins()
		addr := b.T(ir.Add64, b.T(ir.Pack64, b.T(ir.Mul32, tid, b.Const(ir.B32, 4)), b.Const(ir.B32, 0)), out)
		b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{addr, i}, Size: 4, Align: 4, Space: ir.Global})
		ins()
		b.To(i, ir.Add32, i, b.Const(ir.B32, 1))
		ins()
		b.To(p, ir.LtU32, i, b.Const(ir.B32, 2))
		ins()
		b.Guard(p, false)
		b.Bra(again)
		b.Guard(0, false)
		ins()
		b.Emit(ir.Inst{Op: ir.Exit})
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
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
			t.Errorf("%d instructions, %d in machine code, %d operations called out, want 18, 18 and 1", st.WaveInstructions, st.Native, st.CalledOut)
		}
	})
}
