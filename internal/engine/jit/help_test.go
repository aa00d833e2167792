package jit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// A maker builds a function for a test.
type maker struct {
	*ir.Builder
	t    testing.TB
	line int
}

func newMaker(t testing.TB, name string, lanes int) *maker {
	m := &maker{Builder: ir.NewBuilder(name, lanes), t: t}
	m.Reserve(8)
	m.Func().MeetAnywhere = true
	return m
}

// ins begins an instruction of the guest, on a new line.
func (m *maker) ins() {
	m.line++
	m.At(ir.Pos{Line: m.line, Text: "x", Name: "x"})
}

// num returns a constant of 32 bits.
func (m *maker) num(x uint64) ir.Ref { return m.Const(ir.B32, uint64(uint32(x))) }

// vec returns a new register of 32 bits.
func (m *maker) vec(name string) ir.Ref { return m.Vector(name, ir.B32) }

// exec returns EXEC, of a function in which it selects lanes.
func (m *maker) exec() ir.Ref {
	off := m.Reserve(8)
	exec := m.View("exec", ir.B1, false, off)
	m.Input(ir.ActiveMask0, m.View("exec", ir.B64, true, off), 0)
	m.Func().Exec = exec
	return exec
}

// values returns registers that hold the launch values.
func (m *maker) values(names ...string) []ir.Ref {
	var list []ir.Ref
	for i, name := range names {
		list = append(list, m.Vector(name, ir.B64))
		m.Input(ir.LaunchValue, list[i], uint64(i))
	}
	return list
}

// place returns the address of element i, of size bytes, relative to base.
func (m *maker) place(base, i ir.Ref, size uint64) ir.Ref {
	return m.T(ir.Add64, base, m.T(ir.MulWideU32, i, m.num(size)))
}

// load loads one word, store stores it.
func (m *maker) load(d, addr ir.Ref, space ir.Space) {
	m.ins()
	m.Emit(ir.Inst{Op: ir.Load, Dst: d, Args: [4]ir.Ref{addr}, Size: 4, Align: 4, Space: space})
}

func (m *maker) store(addr, v ir.Ref, space ir.Space) {
	m.ins()
	m.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{addr, v}, Size: 4, Align: 4, Space: space})
}

// branch goes to l if p holds.
func (m *maker) branch(p ir.Ref, l ir.Label) {
	m.ins()
	m.Guard(p, false)
	m.Bra(l)
	m.Guard(0, false)
}

// next ends a loop that begins at top: it counts i up, and repeats while i is below bound.
func (m *maker) next(i, bound, p ir.Ref, top ir.Label) {
	m.ins()
	m.To(i, ir.Add32, i, m.num(1))
	m.ins()
	m.To(p, ir.LtU32, i, bound)
	m.branch(p, top)
}

// barrier is a barrier of the whole block.
func (m *maker) barrier() {
	m.ins()
	m.Emit(ir.Inst{Op: ir.Bar, Imm: uint64(ir.BarSync)})
}

// finish ends the function.
func (m *maker) finish() *ir.Func { return m.end(ir.Exit) }

// endWave ends a function in which EXEC selects lanes.
func (m *maker) endWave() *ir.Func { return m.end(ir.EndWave) }

func (m *maker) end(op ir.Op) *ir.Func {
	m.ins()
	m.Emit(ir.Inst{Op: op})
	f, err := m.Finish()
	if err != nil {
		m.t.Fatal(err)
	}
	return f
}

// noise returns n bytes of initial memory, always the same.
func noise(n int) []byte {
	r := rand.New(rand.NewPCG(1, 2))
	raw := make([]byte, n)
	for i := range raw {
		raw[i] = byte(r.Uint32())
	}
	return raw
}

// agree checks that run returns the same on the reference and on machine code of all tiers.
func agree(t *testing.T, what string, run func(e sim.Engine) string) {
	t.Helper()
	want := run(interp.Engine{Portable: true})
	for tier, e := range tierEngines(t) {
		if got := run(e); got != want {
			t.Errorf("%s, %s:\ngot  %.600s\nwant %.600s", what, tier, got, want)
		}
	}
}

// fine is how launched describes a launch that ends without a fault and without findings.
const fine = "<nil> "

// repeats checks that run returns the same twice, on the reference and on machine code of all tiers. The
// order of time slices shows in the result, and every engine has an order of its own.
func repeats(t *testing.T, what string, run func(e sim.Engine) string) {
	t.Helper()
	repeat := func(engine string, e sim.Engine) {
		if first, second := run(e), run(e); first != second {
			t.Errorf("%s, %s:\nfirst  %.600s\nsecond %.600s", what, engine, first, second)
		}
	}
	repeat("the reference", interp.Engine{Portable: true})
	for tier, e := range tierEngines(t) {
		repeat(tier.String(), e)
	}
}

// settles checks a program in which waves look at memory until it changes: run returns the same results on
// the reference and on machine code of all tiers. How often the waves look depends on the order of time
// slices, and so do the counts: each engine has the same ones twice.
func settles(t *testing.T, what string, run func(e sim.Engine) (results string, counts sim.Stats)) {
	t.Helper()
	agree(t, what, func(e sim.Engine) string {
		results, _ := run(e)
		return results
	})
	repeats(t, what, func(e sim.Engine) string {
		_, counts := run(e)
		return fmt.Sprint(counts)
	})
}

// translated returns the kernel that an engine makes of a function for a launch.
func translated(t *testing.T, e *Engine, f *ir.Func, l *sim.Launch) *Kernel {
	t.Helper()
	p, err := e.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	l.Func = f
	k, err := e.kernel(f, p.(*Program).key(l))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// ended compiles a function, launches it, and returns how it ended and its counts, without
// those that differ between engines.
func ended(t testing.TB, e sim.Engine, f *ir.Func, l *sim.Launch) string {
	t.Helper()
	how, counts := launched(t, e, f, l)
	return fmt.Sprint(how, counts)
}

// launched compiles a function, launches it, and returns how it ended and its counts, without
// those that differ between engines.
func launched(t testing.TB, e sim.Engine, f *ir.Func, l *sim.Launch) (how string, counts sim.Stats) {
	t.Helper()
	p, err := e.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	l.Func, l.Program, l.Workers = f, p, max(l.Workers, 1)
	st, list, err := sim.Run(context.Background(), l)
	st.CalledOut, st.Native = 0, 0
	return fmt.Sprint(err, list), st
}
