package jit

import (
	"bytes"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// rounds builds a kernel that keeps a computed value in a register across barriers.
func rounds(t *testing.T) *ir.Func {
	b := newMaker(t, "rounds", 32)
	out := b.values("out")[0]
	lane, i, sum, p := b.vec("lane"), b.vec("i"), b.vec("sum"), b.Vector("p", ir.B1)
	b.Input(ir.ThreadIDX, lane, 0)
	top := b.NewLabel()
	b.Bind(top)
	b.barrier()
	b.ins()
	b.To(sum, ir.Add32, b.T(ir.Mul32, sum, b.num(3)), lane)
	b.next(i, b.num(40), p, top)
	b.store(b.place(out, lane, 4), sum, ir.Global)
	return b.finish()
}

// TestScribble: an engine that does not write registers to their frame slots gives right results
// as long as only machine code reads them, and is detected by the scribble mode. A correct
// engine passes.
func TestScribble(t *testing.T) {
	t.Parallel()
	run := func(e sim.Engine) []byte {
		f := rounds(t)
		mem := sim.NewMemory()
		out := mem.Add("out", make([]byte, 64*4))
		l := &sim.Launch{Grid: [3]uint32{8, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: mem, Values: []uint64{out.Base}}
		ended(t, e, f, l)
		return out.Data
	}
	want := run(interp.Engine{})
	for _, spoil := range []bool{false, true} {
		for _, forgets := range []bool{false, true} {
			e, err := New(Options{Mode: Mode{Eager: true, Scribble: spoil}})
			if err != nil {
				t.Skip(err)
			}
			e.translate = func(e *Engine, f *ir.Func, k key) (*Kernel, error) {
				kernel, err := translate(e, f, k)
				for b := range kernel.native.states {
					if l := &kernel.native.states[b]; forgets {
						l.To = l.From
					}
				}
				return kernel, err
			}
			if got := run(e); bytes.Equal(got, want) == (spoil && forgets) {
				t.Errorf("spoilt %v, forgets %v: got\n%x, the interpreter\n%x", spoil, forgets, got, want)
			}
		}
	}
}
