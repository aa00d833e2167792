package jit

import (
	"encoding/binary"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/exec"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/sim"
)

// long is a function of about 2n operations without a branch: n times i = 3i + tid.
func long(t testing.TB, n int) *ir.Func {
	b := ir.NewBuilder("long", 32)
	b.Reserve(8)
	tid, out, i, addr := b.Vector("tid", ir.B32), b.Vector("out", ir.B64), b.Vector("i", ir.B32), b.Vector("addr", ir.B64)
	b.Input(ir.ThreadIDX, tid, 0)
	b.Input(ir.LaunchValue, out, 0)
	three := b.Const(ir.B32, 3)
	ins := func() { b.At(ir.Pos{Line: 1, Text: "x", Name: "x"}) }
	for k := range n {
		ins()
		x := i
		if k%2 == 1 {
			x = b.T(ir.Xor32, i, tid) // so that i is not affine
		}
		b.To(i, ir.Add32, b.T(ir.Mul32, x, three), tid)
	}
	ins()
	b.To(addr, ir.Add64, b.T(ir.Pack64, b.T(ir.Mul32, tid, b.Const(ir.B32, 4)), b.Const(ir.B32, 0)), out)
	ins()
	b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{addr, i}, Size: 4, Align: 4, Space: ir.Global})
	ins()
	b.Emit(ir.Inst{Op: ir.Exit})
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// runLong launches the function of long.
func runLong(t *testing.T, p sim.Program, f *ir.Func, n int) sim.Stats {
	t.Helper()
	mem := sim.NewMemory()
	a := mem.Add("out", make([]byte, 4*64))
	l := &sim.Launch{Func: f, Program: p, Grid: [3]uint32{2, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: mem, Values: []uint64{a.Base}, Workers: 1}
	st, _, err := sim.Run(t.Context(), l)
	if err != nil {
		t.Fatal(err)
	}
	for lane := range uint32(64) {
		want := uint32(0)
		for k := range n {
			x := want
			if k%2 == 1 {
				x ^= lane
			}
			want = 3*x + lane
		}
		if got := binary.LittleEndian.Uint32(a.Data[4*lane:]); got != want {
			t.Fatalf("lane %d has %#x, want %#x", lane, got, want)
		}
	}
	return st
}

// TestTooLarge: a function with more code than the limit runs on the interpreter, in every
// mode, and Trouble is called. The size is determined once.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		n    int
		full bool // the arena is full
		told string
	}{
		{"little", 100, false, ""},
		{"many instructions", 1500, false, "its 3755 operations come to more machine code than is kept (32 KB)"},
		{"many operations", 5000, false, "its 12505 operations come to more machine code than is kept (32 KB)"},
		{"no memory", 100, true, "the memory for machine code is used up"},
	} {
		for _, eager := range []bool{true, false} {
			t.Run(fmt.Sprint(test.name, " ", eager), func(t *testing.T) {
				var told []string
				translated := 0
				e, err := New(Options{Code: 1 << 15, Mode: Mode{Tier: isa.AVX2, Eager: eager, Trouble: func(err error) { told = append(told, err.Error()) }}})
				if err != nil {
					t.Skip(err)
				}
				e.translate = func(e *Engine, f *ir.Func, k key) (*Kernel, error) {
					translated++
					if test.full {
						return nil, fmt.Errorf("so %w", exec.ErrFull)
					}
					return translate(e, f, k)
				}
				if !eager {
					e.mode.After = 1
				}
				f := long(t, test.n)
				p, err := e.Compile(f)
				if err != nil {
					t.Fatal(err)
				}
				for range 2 {
					st := runLong(t, p, f, test.n)
					if native := st.Native > 0; native != (test.told == "") {
						t.Errorf("%d of %d instructions were done by machine code", st.Native, st.WaveInstructions)
					}
				}
				if test.told == "" {
					if len(told) != 0 {
						t.Errorf("told: %q", told)
					}
					return
				}
				if len(told) != 2 || !strings.Contains(told[0], test.told) || told[0] != told[1] {
					t.Errorf("told: %q, want %q twice", told, test.told)
				}
				if translated != 1 && !test.full {
					t.Errorf("it was tried %d times", translated)
				}
			})
		}
	}
}

// TestHugeFunctions: a translation takes memory in proportion to the code, and keeps none of
// it.
func TestHugeFunctions(t *testing.T) { // alone, for it measures memory
	if testing.Short() {
		t.Skip("it is about memory, and long")
	}
	heap := func() uint64 {
		var m runtime.MemStats
		for range 3 { // the pool is emptied by the second collection
			runtime.GC()
		}
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	allocated := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.TotalAlloc
	}
	eachTier(t, Options{}, func(t *testing.T, e *Engine) {
		const n = 30_000
		perOp := uint64(3200) // a value takes four registers,
		if e.mode.Tier == isa.AVX512 {
			perOp = 2100 // or two
		}
		before := heap()
		for k := range 3 {
			f := long(t, n+k)
			p, err := e.Compile(f)
			if err != nil {
				t.Fatal(err)
			}
			l := &sim.Launch{Func: f, Grid: [3]uint32{1, 1, 1}, Block: [3]uint32{64, 1, 1}}
			from := allocated()
			if _, err := p.(*Program).Specialise(l); err != nil {
				t.Fatal(err)
			}
			if got := (allocated() - from) / uint64(len(f.Code)); got > perOp {
				t.Errorf("translating allocated %d bytes an operation; want %d at most", got, perOp)
			}
		}
		if after := heap(); after > before+4<<20 {
			t.Errorf("%d bytes of heap before, %d after", before, after)
		}
		runtime.KeepAlive(e)
	})
}
