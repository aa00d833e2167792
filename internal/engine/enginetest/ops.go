// Package enginetest is the conformance suite that every engine has to pass.
//
// Input: an engine (sim.Engine).
// Output: test failures.
// Invariant: the suite compares the whole state of waves, not only results, with the
// functions of package num and with simulations of single lanes.
// Example: enginetest.Run(t, interp.Engine{}).
package enginetest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// RunOn runs the suite with launches on a number of workers, unless a test sets another
// number.
func RunOn(t *testing.T, e sim.Engine, workers int) { Run(t, crew{e, workers}) }

// crew is an engine with launches on several workers.
type crew struct {
	sim.Engine
	workers int
}

// Run runs the suite on an engine.
func Run(t *testing.T, e sim.Engine) {
	t.Run("Pure", func(t *testing.T) { t.Parallel(); pure(t, e) })
	t.Run("Scalar", func(t *testing.T) { t.Parallel(); scalars(t, e) })
	t.Run("Memory", func(t *testing.T) { t.Parallel(); memory(t, e) })
	t.Run("Rows", func(t *testing.T) { t.Parallel(); rows(t, e) })
	t.Run("Faults", func(t *testing.T) { t.Parallel(); faults(t, e) })
	t.Run("Atomics", func(t *testing.T) { t.Parallel(); atomics(t, e) })
	t.Run("AtomicRows", func(t *testing.T) { t.Parallel(); atomicRows(t, e) })
	t.Run("WideAtomics", func(t *testing.T) { t.Parallel(); wideAtomics(t, e) })
	t.Run("Bulk", func(t *testing.T) { t.Parallel(); bulk(t, e) })
	t.Run("Flow", func(t *testing.T) { t.Parallel(); flow(t, e) })
	t.Run("Meet", func(t *testing.T) { t.Parallel(); meet(t, e) })
	t.Run("Barriers", func(t *testing.T) { t.Parallel(); barriers(t, e) })
	t.Run("Blocks", func(t *testing.T) { t.Parallel(); blocks(t, e) })
	t.Run("Tables", func(t *testing.T) { t.Parallel(); tables(t, e) })
	t.Run("Host", func(t *testing.T) { t.Parallel(); host(t, e) })
	t.Run("Cross32", func(t *testing.T) { t.Parallel(); cross32(t, e) })
	t.Run("Collective", func(t *testing.T) { t.Parallel(); collective32(t, e) })
	t.Run("Cross64", func(t *testing.T) { t.Parallel(); cross64(t, e) })
}

// launch runs a function with one block of a size. It returns the state of each wave, as
// Inspect sees it, by a copy function, and the errors.
func launch(t *testing.T, e sim.Engine, f *ir.Func, grid, block uint32, mem *sim.Memory, edit func(*sim.Launch)) ([]string, sim.Stats, error) {
	t.Helper()
	p, err := e.Compile(f)
	if err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	if mem == nil {
		mem = sim.NewMemory()
	}
	l := &sim.Launch{Func: f, Program: p, Grid: [3]uint32{grid, 1, 1}, Block: [3]uint32{block, 1, 1}, Memory: mem, Values: make([]uint64, 2), Workers: 1, Limits: sim.Limits{Timeout: 20 * time.Second}}
	if edit != nil {
		edit(l)
	}
	if c, ok := e.(crew); ok && l.Workers == 1 {
		l.Workers = c.workers
	}
	st, list, err := sim.Run(context.Background(), l)
	var found []string
	for _, d := range list {
		found = append(found, d.Code+" "+d.Lanes)
	}
	return found, st, err
}

// edges are the values with the highest risk of errors.
var edges = []uint64{0, 1, 2, 31, 32, 33, 63, 64, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
	0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00000001, 0x80000001, 0x007fffff, 0x3c00, 0x7c00, 0xfc00, 0x7e00,
	0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x3ff0000000000000, 0x7ff0000000000000, 0x7ff8000000000000, 0x0000000000000001}

// value returns random bits, or a value at the edge of a type, with equal probability.
func value(r *rand.Rand) uint64 {
	if r.IntN(2) == 0 {
		return edges[r.IntN(len(edges))]
	}
	return r.Uint64()
}

// lanewise computes an operation in one lane by its table function.
func lanewise(info *ir.Info, args []uint64) uint64 {
	fn := reflect.ValueOf(info.Fn)
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		p := reflect.New(fn.Type().In(i)).Elem()
		if p.Kind() == reflect.Bool {
			p.SetBool(a&1 != 0)
		} else {
			setBits(p, a)
		}
		in[i] = p
	}
	return getBits(fn.Call(in)[0])
}

// pure runs every pure operation on random and edge operands, under full, partial and empty
// guards, in waves of 32 and 64 lanes, into guest values and temporaries, and with the
// destination among the sources or not.
func pure(t *testing.T, e sim.Engine) {
	rounds := 4
	if testing.Short() {
		rounds = 1
	}
	for _, lanes := range []int{32, 64} {
		for op := range ir.NumOps {
			info := &ir.Ops[op]
			if info.Fn == nil || testing.Short() && op%2 != lanes/32-1 {
				continue // a short run takes waves of one size for each operation
			}
			r := rand.New(rand.NewPCG(uint64(op), uint64(lanes)))
			for range rounds {
				pureOp(t, e, lanes, ir.Op(op), info, r)
			}
			if t.Failed() {
				return
			}
		}
	}
}

// pureOp runs one operation in all forms that pure describes and compares every lane with lanewise.
func pureOp(t *testing.T, e sim.Engine, lanes int, op ir.Op, info *ir.Info, r *rand.Rand) {
	b := ir.NewBuilder(info.Name, lanes)
	b.At(ir.Pos{Line: 1, Text: info.Name, Name: info.Name})
	args := make([]ir.Ref, len(info.Args))
	for i, a := range info.Args {
		args[i] = b.Vector(fmt.Sprint("a", i), a)
	}
	masks := []lane.Mask{lane.All(lanes), 0, 1, lane.Mask(r.Uint64()) & lane.All(lanes), 0xffffffff, lane.All(lanes) &^ 0xffffffff, lane.Mask(r.Uint64()|1<<31|0xffff) & lane.All(lanes)}
	negated := 3 // the guard that holds the lanes that are off
	if testing.Short() {
		masks, negated = []lane.Mask{masks[3], masks[[...]int{0, 1, 2, 4, 5, 6}[op%6]]}, 0
	}
	guards := make([]ir.Ref, len(masks))
	dsts := make([]ir.Ref, len(masks))
	for i := range masks {
		guards[i] = b.Vector(fmt.Sprint("g", i), ir.B1)
		dsts[i] = b.Vector(fmt.Sprint("d", i), info.Res)
		b.Guard(guards[i], i == negated)
		b.To(dsts[i], op, args...)
	}
	b.Guard(0, false)
	viaTemp := b.Vector("t", info.Res)
	b.Move(viaTemp, b.T(op, args...))
	alias := ir.Ref(0)
	for i, a := range info.Args {
		if a == info.Res {
			b.To(args[i], op, args...) // the destination is one of the sources
			alias = args[i]
			break
		}
	}
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	vals := make([][]uint64, len(args))
	for i := range vals {
		vals[i] = make([]uint64, lanes)
		for j := range vals[i] {
			vals[i][j] = value(r) & bitsOf(info.Args[i])
		}
	}
	old := make([]uint64, lanes)
	for j := range old {
		old[j] = r.Uint64() & bitsOf(info.Res)
	}
	want := make([]uint64, lanes)
	for j := range want {
		a := make([]uint64, len(args))
		for i := range a {
			a[i] = vals[i][j]
		}
		want[j] = lanewise(info, a)
	}
	setup := func(w *sim.Wave) {
		for i := range args {
			for j := range lanes {
				w.Set(args[i], j, vals[i][j])
			}
		}
		for i, m := range masks {
			if i == negated {
				m = ^m & lane.All(lanes)
			}
			w.SetMask(guards[i], m)
			for j := range lanes {
				w.Set(dsts[i], j, old[j])
			}
		}
	}
	checked := false
	check := func(w *sim.Wave) {
		checked = true
		for i, m := range masks {
			for j := range lanes {
				x := old[j]
				if m.Has(j) {
					x = want[j]
				}
				if got := w.Get(dsts[i], j); got != x {
					t.Errorf("%s, %d lanes, mask %#x, lane %d: got %#x, want %#x", info.Name, lanes, uint64(m), j, got, x)
					return
				}
			}
		}
		for j := range lanes {
			if got := w.Get(viaTemp, j); got != want[j] {
				t.Errorf("%s through a temporary, lane %d: got %#x, want %#x", info.Name, j, got, want[j])
				return
			}
			if alias != 0 && w.Get(alias, j) != want[j] {
				t.Errorf("%s with its destination among its sources, lane %d: got %#x, want %#x", info.Name, j, w.Get(alias, j), want[j])
				return
			}
		}
	}
	_, _, err = launch(t, e, f, 1, uint32(lanes), nil, func(l *sim.Launch) { l.Setup, l.Inspect = setup, check })
	if err != nil || !checked {
		t.Errorf("%s: %v, checked %v", info.Name, err, checked)
	}
}

// bitsOf returns the mask of the bits of a type.
func bitsOf(t ir.Type) uint64 {
	switch t {
	case ir.B1:
		return 1
	case ir.B64:
		return ^uint64(0)
	}
	return 1<<(8*t.Bytes()) - 1
}

// scalars runs every pure operation once per wave.
func scalars(t *testing.T, e sim.Engine) {
	for op := range ir.NumOps {
		info := &ir.Ops[op]
		if info.Fn == nil {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(op), 7))
		b := ir.NewBuilder(info.Name, 64)
		b.At(ir.Pos{Line: 1, Text: info.Name, Name: info.Name})
		args := make([]ir.Ref, len(info.Args))
		vals := make([]uint64, len(args))
		for i, a := range info.Args {
			args[i] = b.Scalar(fmt.Sprint("a", i), a)
			vals[i] = value(r) & bitsOf(a)
			b.Input(ir.InConst, args[i], vals[i])
		}
		dst := b.Scalar("d", info.Res)
		b.To(dst, ir.Op(op), args...)
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		want := lanewise(info, vals)
		launch(t, e, f, 1, 64, nil, func(l *sim.Launch) {
			l.Inspect = func(w *sim.Wave) {
				if got := w.Get(dst, 0); got != want {
					t.Errorf("scalar %s%#x: got %#x, want %#x", info.Name, vals, got, want)
				}
			}
		})
	}
}
