package jit

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"
	"weak"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/internal/engine/enginetest"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/exec"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// newEngine returns an engine whose kernels are fakes, or skips the test if machine code
// cannot run here.
func newEngine(t *testing.T, o Options, translate func(*Engine, *ir.Func, key) (*Kernel, error)) *Engine {
	t.Helper()
	e, err := New(o)
	if err != nil {
		t.Skip(err)
	}
	e.translate = translate
	return e
}

// ret is the machine instruction RET.
const ret = 0xc3

// extra is the number of bytes of the frame that a fake kernel has.
const extra = 640

var errNone = errors.New("none")

// fake stands for machine code: it calls out every operation, and expects that its part of
// the frame stays unchanged.
func fake(e *Engine, f *ir.Func, _ key) (*Kernel, error) {
	code, err := e.install([]byte{ret})
	if err != nil {
		return nil, err
	}
	blocks, ops, own, lanes, execRef := f.Blocks, f.Code, (f.FrameSize+63)&^63, f.Lanes, f.Exec
	run := func(k *Kernel, w *sim.Wave, p *interp.Program) sim.Stop {
		k.code.Call(0, w.Base)
		mine := unsafe.Slice((*uint32)(unsafe.Add(w.Base, own)), extra/4)
		was := mine[0]
		for i := range mine {
			if mine[i] != was {
				panic("somebody wrote to the engine's part of the frame")
			}
			mine[i]++
		}
		for {
			b := w.PC
			for i := blocks[b].Start; i < blocks[b].End && !ops[i].Op.EndsBlock(); i++ {
				if n := p.Tally(i); n > 0 {
					w.Count(n, w.Mask(execRef))
				}
				m := w.Active
				if g := ops[i].Guard; g != 0 {
					x := w.Mask(g)
					if ops[i].GuardNot {
						x ^= lane.All(lanes)
					}
					m &= x
				}
				if !p.Exec(w, i, m) {
					return sim.StopFault
				}
			}
			if stop, goes := p.End(w, b); !goes {
				return stop
			}
		}
	}
	return &Kernel{code: code, frame: own + extra, run: run}, nil
}

func TestConformanceEager(t *testing.T) {
	t.Parallel()
	enginetest.Run(t, newEngine(t, Options{Mode: Mode{Eager: true}}, fake))
}

// TestConformanceLate begins in the interpreter and continues in the kernel.
func TestConformanceLate(t *testing.T) {
	t.Parallel()
	e := newEngine(t, Options{Mode: Mode{Trouble: func(err error) { t.Error(err) }}}, fake)
	enginetest.Run(t, e)
}

// loop is a kernel with a loop of n iterations in each lane of the block.
func loop(t testing.TB, n uint64) *ir.Func {
	m := newMaker(t, "loop", 32)
	tid, out, i, p := m.vec("tid"), m.values("out")[0], m.vec("i"), m.Vector("p", ir.B1)
	m.Input(ir.ThreadIDX, tid, 0)
	again := m.NewLabel()
	m.Bind(again)
	m.next(i, m.num(n), p, again)
	m.store(m.place(out, tid, 4), i, ir.Global)
	return m.finish()
}

// launch runs a loop of n iterations and checks the result.
func launch(t testing.TB, p sim.Program, f *ir.Func, n uint32, blocks uint32, edit func(*sim.Launch)) (sim.Stats, error) {
	t.Helper()
	mem := sim.NewMemory()
	a := mem.Add("out", make([]byte, 4*128))
	l := &sim.Launch{Func: f, Program: p, Grid: [3]uint32{blocks, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: mem, Values: []uint64{a.Base}, Workers: 1}
	if edit != nil {
		edit(l)
	}
	st, _, err := sim.Run(context.Background(), l)
	if err != nil {
		return st, err
	}
	for i := range 64 {
		if got := *(*uint32)(unsafe.Pointer(&a.Data[4*i])); got != n {
			t.Fatalf("lane %d went round %d times, not %d", i, got, n)
		}
	}
	return st, nil
}

// counting is a translate that counts.
func counting(n *atomic.Int32, runs *atomic.Int32) func(*Engine, *ir.Func, key) (*Kernel, error) {
	return func(e *Engine, f *ir.Func, k key) (*Kernel, error) {
		n.Add(1)
		kernel, err := fake(e, f, k)
		if err == nil {
			run := kernel.run
			kernel.run = func(k *Kernel, w *sim.Wave, p *interp.Program) sim.Stop {
				runs.Add(1)
				return run(k, w, p)
			}
		}
		return kernel, err
	}
}

// TestPays: short runs stay on the interpreter, and long ones continue in machine code.
func TestPays(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name          string
		rounds        uint32
		blocks        uint32
		eager         bool
		edit          func(*sim.Launch)
		translations  int32
		native, sixth bool // sixth: the sixth launch of the same function
	}{
		{name: "short", rounds: 10, blocks: 1},
		{name: "short, but asked for", rounds: 10, blocks: 1, eager: true, translations: 1, native: true, sixth: true},
		{name: "long", rounds: 50_000, blocks: 1, translations: 1, native: true, sixth: true},
		{name: "many blocks", rounds: 2, blocks: 3000, translations: 1, native: true, sixth: true},
		{name: "long, in random order", rounds: 50_000, blocks: 1, edit: func(l *sim.Launch) { l.Schedule = sim.Schedule{Random: true} }},
		{name: "long, reversed", rounds: 50_000, blocks: 1, eager: true, edit: func(l *sim.Launch) { l.Schedule = sim.Schedule{Reversed: true} }},
	} {
		var n, runs atomic.Int32
		e := newEngine(t, Options{Mode: Mode{Eager: test.eager}}, counting(&n, &runs))
		f := loop(t, uint64(test.rounds))
		p, err := e.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		want, err := interp.Engine{}.Compile(loop(t, uint64(test.rounds)))
		if err != nil {
			t.Fatal(err)
		}
		was, err := launch(t, want, f, test.rounds, test.blocks, test.edit)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 6 {
			before := runs.Load()
			st, err := launch(t, p, f, test.rounds, test.blocks, test.edit)
			if err != nil || st != was {
				t.Errorf("%s: %+v, %v; the interpreter: %+v", test.name, st, err, was)
			}
			native := runs.Load() > before
			if wanted := test.native && (i < 5 || test.sixth); native != wanted {
				t.Errorf("%s, launch %d: machine code ran: %v", test.name, i, native)
			}
		}
		if n.Load() != test.translations {
			t.Errorf("%s: translated %d times", test.name, n.Load())
		}
	}
}

// TestKeys: a function is translated again only for launches that differ in properties on
// which code relies.
func TestKeys(t *testing.T) {
	t.Parallel()
	var n, runs atomic.Int32
	e := newEngine(t, Options{Mode: Mode{Eager: true}}, counting(&n, &runs))
	f := loop(t, 3)
	p, err := e.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	for i, test := range []struct {
		edit func(*sim.Launch)
		want int32
	}{
		{nil, 1},
		{func(l *sim.Launch) { l.Grid[0] = 7 }, 1},
		{func(l *sim.Launch) { l.Grid[1] = 9; l.Workers = 2 }, 1},
		{func(l *sim.Launch) { l.Grid[0] = 1 << 20; l.Limit = 1 }, 2},
		{func(l *sim.Launch) { l.Block[0] = 128 }, 3},
		{func(l *sim.Launch) { l.Inspect = func(*sim.Wave) {} }, 4},
		{func(l *sim.Launch) { l.Setup = func(*sim.Wave) {} }, 5},
		{nil, 5},
	} {
		_, err := launch(t, p, f, 3, 1, test.edit)
		if err != nil && !strings.Contains(err.Error(), "instructions were reached") {
			t.Fatal(err)
		}
		if got := n.Load(); got != test.want {
			t.Errorf("after launch %d: %d translations, want %d", i, got, test.want)
		}
	}
}

func TestRefusedCode(t *testing.T) {
	t.Parallel()
	why := errors.New("not in this house")
	if _, err := New(Options{Arena: exec.Refusing(why)}); !errors.Is(err, why) && exec.Detect().Best > isa.None {
		t.Errorf("the error is %v", err)
	}
	// Refused later, or not translated, or translated with an error.
	for _, bad := range []func(*Engine, *ir.Func, key) (*Kernel, error){
		func(*Engine, *ir.Func, key) (*Kernel, error) { return nil, &exec.RefusedError{Err: why} },
		func(*Engine, *ir.Func, key) (*Kernel, error) { panic(why) },
	} {
		var told []error
		e := newEngine(t, Options{Mode: Mode{Trouble: func(err error) { told = append(told, err) }}}, bad)
		f := loop(t, 50_000)
		p, err := e.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := launch(t, p, f, 50_000, 1, nil); err != nil {
				t.Error(err)
			}
		}
		if len(told) != 2 || !strings.Contains(told[0].Error(), "not in this house") {
			t.Errorf("told: %v", told)
		}
		e.mode.Eager = true
		if p, err = e.Compile(loop(t, 3)); err != nil {
			t.Fatal(err)
		}
		if _, err := launch(t, p, f, 3, 1, nil); err == nil || !strings.Contains(err.Error(), "kernel loop: ") || !strings.Contains(err.Error(), "not in this house") {
			t.Errorf("the error of a launch is %v", err)
		}
	}
	if e, err := New(Options{}); err == nil {
		if _, err := e.Program(loop(t, 3), nil, Mode{Tier: e.Best() + 1}); err == nil {
			t.Error("a tier is there that is not")
		}
	}
}

// TestManyKernels translates and drops 10,000 kernels, in a small memory.
func TestManyKernels(t *testing.T) { // alone, for it collects garbage often
	arena := exec.NewArena(8 << 20)
	var n, runs atomic.Int32
	e := newEngine(t, Options{Mode: Mode{Eager: true}, Arena: arena, Code: 1 << 16}, counting(&n, &runs))
	kernels := short.Of(10_000, 1_000)
	for i := range kernels {
		f := loop(t, 2)
		p, err := e.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := launch(t, p, f, 2, 1, nil); err != nil {
			t.Fatalf("kernel %d: %v", i, err)
		}
	}
	if n.Load() != int32(kernels) || runs.Load() < 2*int32(kernels) {
		t.Errorf("%d kernels were translated, of which %d waves ran", n.Load(), runs.Load())
	}
	if mapped, _ := arena.Mapped(); mapped > 8<<20 {
		t.Errorf("%d bytes are mapped", mapped)
	}
	e.cache.mu.Lock()
	entries, bytes := len(e.cache.entries), e.cache.bytes
	e.cache.mu.Unlock()
	if bytes > 1<<16 || entries > 1<<16/entryBytes {
		t.Errorf("the cache has %d kernels, %d bytes", entries, bytes)
	}
	// After the last reference to the functions, nothing is left of them.
	for i := 0; ; i++ {
		runtime.GC()
		runtime.Gosched()
		e.cache.mu.Lock()
		left := len(e.cache.entries) + len(e.cache.funcs) + e.cache.bytes
		e.cache.mu.Unlock()
		if left == 0 {
			break
		}
		if i == 200 {
			t.Fatalf("%d is left", left)
		}
	}
}

// TestWorkers: several workers enter machine code in the middle of a run.
func TestWorkers(t *testing.T) {
	t.Parallel()
	var n, runs atomic.Int32
	e := newEngine(t, Options{}, counting(&n, &runs))
	f := loop(t, 3000)
	p, err := e.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			if _, err := launch(t, p, f, 3000, 8, func(l *sim.Launch) { l.Workers = 2 }); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n.Load() != 1 || runs.Load() == 0 {
		t.Errorf("%d translations, %d runs of them", n.Load(), runs.Load())
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	c := newCache(4 * entryBytes)
	funcs := make([]*ir.Func, 6)
	keys := make([]key, 6)
	for i := range funcs {
		funcs[i] = &ir.Func{Name: fmt.Sprint(i)}
		keys[i] = key{fn: weak.Make(funcs[i])}
	}
	made := 0
	get := func(i int, err error) (*Kernel, error) {
		return c.get(funcs[i], keys[i], transient, func() (*Kernel, error) {
			made++
			if err != nil {
				return nil, err
			}
			return &Kernel{frame: uint32(i)}, nil
		})
	}
	check := func(want int) {
		t.Helper()
		if made != want {
			t.Errorf("made %d times, not %d", made, want)
		}
		made = 0
	}
	for i := range 4 {
		if k, err := get(i, nil); err != nil || k.frame != uint32(i) {
			t.Errorf("%v, %v", k, err)
		}
	}
	check(4)
	if c.peek(keys[0]).frame != 0 || c.peek(keys[4]) != nil {
		t.Error("peek is wrong")
	}
	_, _ = get(4, nil) // 1 is the least recently used one
	check(1)
	for _, i := range []int{0, 2, 3, 4} {
		if k, _ := get(i, nil); k.frame != uint32(i) {
			t.Errorf("%d is %d", i, k.frame)
		}
	}
	check(0)
	_, _ = get(1, nil)
	check(1)
	if c.peek(keys[0]) != nil || c.peek(keys[2]) == nil {
		t.Error("the wrong one was dropped")
	}
	// Failures are kept, if a second attempt would fail, too.
	for range 2 {
		if _, got := get(5, errNone); got != errNone {
			t.Errorf("the error is %v", got)
		}
	}
	check(1)
	c.halve()
	c.halve()
	c.halve()
	if len(c.entries) != 0 || c.bytes != 0 || c.head.next != &c.head || c.head.prev != &c.head {
		t.Errorf("after emptying it %d entries are left, %d bytes", len(c.entries), c.bytes)
	}
	for range 2 {
		if _, got := get(5, fmt.Errorf("so %w", exec.ErrFull)); !errors.Is(got, exec.ErrFull) {
			t.Errorf("the error is %v", got)
		}
	}
	check(2)
	runtime.KeepAlive(funcs)
}

// TestCacheShared requests few keys from many goroutines, in a cache that is smaller.
func TestCacheShared(t *testing.T) {
	t.Parallel()
	c := newCache(3 * entryBytes)
	funcs := make([]*ir.Func, 6)
	var busy [6]atomic.Int32
	for i := range funcs {
		funcs[i] = &ir.Func{}
	}
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for j := range 500 {
				i := (g*7 + j*j) % 6
				k, err := c.get(funcs[i], key{fn: weak.Make(funcs[i])}, transient, func() (*Kernel, error) {
					if busy[i].Add(1) > 1 {
						t.Error("made twice at once")
					}
					runtime.Gosched()
					busy[i].Add(-1)
					return &Kernel{frame: uint32(i)}, nil
				})
				if err != nil || k.frame != uint32(i) {
					t.Errorf("%d is %v, %v", i, k, err)
				}
				if j%50 == 0 {
					c.halve()
				}
			}
		})
	}
	wg.Wait()
	n := 0
	for e := c.head.next; e != &c.head; e = e.next {
		n++
	}
	if n != len(c.entries) || c.bytes != n*entryBytes || n > 3 {
		t.Errorf("%d entries in the ring, %d in all, %d bytes", n, len(c.entries), c.bytes)
	}
}
