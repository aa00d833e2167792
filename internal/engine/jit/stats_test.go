package jit

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// TestStats counts the operations that machine code did, and those that it called out: the
// first access to memory of the first of two waves, which finds the region for both, and none
// in the second iteration.
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

// TestPrivateAnywhere: private memory at generic addresses that differ between lanes is
// accessed without Go. The first accesses to the table and to the results are called out.
func TestPrivateAnywhere(t *testing.T) {
	t.Parallel()
	for tier, e := range tierEngines(t) {
		for _, lanes := range []int{32, 64} {
			m := newMaker(t, "private", lanes)
			m.Func().LocalSize = 256
			list := m.values("table", "out")
			tid, i, v, sum, p := m.vec("tid"), m.vec("i"), m.vec("v"), m.vec("sum"), m.Vector("p", ir.B1)
			m.Input(ir.ThreadIDX, tid, 0)
			idx, addr := m.vec("idx"), m.Vector("addr", ir.B64)
			m.load(idx, m.place(list[0], tid, 4), ir.Global)
			m.ins()
			m.To(addr, ir.Add64, m.Const(ir.B64, ir.LocalPTX), m.T(ir.CvtU64FromU32, idx))
			top := m.NewLabel()
			m.Bind(top)
			m.load(v, addr, ir.Generic)
			m.ins()
			m.To(sum, ir.Add32, sum, v)
			m.store(addr, m.T(ir.Add32, v, m.T(ir.Add32, tid, i)), ir.Generic)
			m.next(i, m.num(5), p, top)
			m.store(m.place(list[1], tid, 4), sum, ir.Global)
			f := m.finish()
			prog, err := e.Compile(f)
			if err != nil {
				t.Fatal(err)
			}
			table, want := make([]byte, 4*lanes), make([]byte, 4*lanes)
			for k := range lanes {
				table[4*k] = byte(4 * (k * 7 % 64))
				binary.LittleEndian.PutUint32(want[4*k:], uint32(10*k+(0+1+3+6))) // before each iteration: k, 2k+1, 3k+3, 4k+6
			}
			mem := sim.NewMemory()
			a, o := mem.Add("table", table), mem.Add("out", make([]byte, 4*lanes))
			st, _, err := sim.Run(context.Background(), &sim.Launch{Func: f, Program: prog, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{uint32(lanes), 1, 1}, Memory: mem, Values: []uint64{a.Base, o.Base}, Workers: 1})
			if err != nil {
				t.Fatal(err)
			}
			if st.CalledOut != 2 || !bytes.Equal(o.Data, want) {
				t.Errorf("%s, %d lanes: %d operations called out, want 2; results %x, want %x", tier, lanes, st.CalledOut, o.Data, want)
			}
		}
	}
}

// TestSignals: stores by which lanes may signal are host atomics if other workers run, and
// machine code if one worker runs all.
func TestSignals(t *testing.T) {
	t.Parallel()
	const lanes = 32
	for tier, e := range tierEngines(t) {
		for _, c := range []struct {
			space   ir.Space
			workers int
			want    uint64
		}{{ir.Global, 1, 1}, {ir.Global, 2, 6}, {ir.Generic, 2, 6}, {ir.Shared, 2, 0}} {
			m := newMaker(t, "signals", lanes)
			m.Func().SharedStatic = 4 * lanes
			out := m.values("out")[0]
			tid, i, p := m.vec("tid"), m.vec("i"), m.Vector("p", ir.B1)
			m.Input(ir.ThreadIDX, tid, 0)
			at := m.place(out, tid, 4)
			if c.space == ir.Shared {
				at = m.T(ir.Mul32, tid, m.num(4))
			}
			top := m.NewLabel()
			m.Bind(top)
			m.ins()
			m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{at, i}, Size: 4, Align: 4, Space: c.space, Flags: ir.Volatile})
			m.next(i, m.num(3), p, top)
			f := m.finish()
			prog, err := e.Compile(f)
			if err != nil {
				t.Fatal(err)
			}
			mem := sim.NewMemory()
			a := mem.Add("out", make([]byte, 4*lanes))
			st, _, err := sim.Run(context.Background(), &sim.Launch{Func: f, Program: prog, Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{lanes, 1, 1}, Memory: mem, Values: []uint64{a.Base}, Workers: c.workers})
			if err != nil || st.CalledOut != c.want {
				t.Errorf("%s, %s, %d workers: %d operations called out, want %d (%v)", tier, c.space, c.workers, st.CalledOut, c.want, err)
			}
		}
	}
}
