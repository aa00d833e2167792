package jit

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/pprof"
	"sync"
	"testing"
	"time"

	"example.org/crosslane/internal/jit/exec"
	"example.org/crosslane/internal/sim"
)

// eachTier runs a test with an engine of each tier that the processor has.
func eachTier(t *testing.T, o Options, f func(t *testing.T, e *Engine)) {
	for tier := range tierEngines(t) {
		t.Run(tier.String(), func(t *testing.T) {
			o := o
			o.Mode = Mode{Tier: tier, Eager: true}
			e, err := New(o)
			if err != nil {
				t.Fatal(err)
			}
			f(t, e)
		})
	}
}

// TestManyTranslated translates, runs and drops 10,000 kernels, of which nothing is left.
func TestManyTranslated(t *testing.T) { // alone, for it measures memory
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	arena := exec.NewArena(8 << 20)
	e, err := New(Options{Mode: Mode{Eager: true}, Arena: arena, Code: 1 << 18})
	if err != nil {
		t.Skip(err)
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	var before uint64
	for i := range 10_000 {
		f := loop(t, uint64(2+i%7))
		p, err := e.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := launch(t, p, f, uint32(2+i%7), 1, nil); err != nil {
			t.Fatalf("kernel %d: %v", i, err)
		}
		if i == 1000 {
			before = heap()
		}
	}
	if after := heap(); after > before+1<<20 {
		t.Errorf("%d bytes of heap after 10,000 kernels, %d after 1,000", after, before)
	}
	if mapped, _ := arena.Mapped(); mapped > 8<<20 {
		t.Errorf("%d bytes are mapped", mapped)
	}
	for i := 0; ; i++ {
		runtime.GC()
		time.Sleep(time.Millisecond)
		e.cache.mu.Lock()
		left := len(e.cache.entries) + len(e.cache.funcs) + e.cache.bytes
		e.cache.mu.Unlock()
		if left == 0 {
			break
		}
		if i == 1000 {
			t.Fatalf("%d is left in the cache", left)
		}
	}
}

// TestManyEngines translates a kernel in each of 3,000 engines, one per module, and drops
// them: their code is in the same few regions of memory.
func TestManyEngines(t *testing.T) { // alone, because it measures the memory of all engines
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	mapped := func() int { n, _ := exec.SharingArena(0).Mapped(); return n }
	before := mapped()
	for i := range 3000 {
		e, err := New(Options{Mode: Mode{Eager: true}})
		if err != nil {
			t.Skip(err)
		}
		f := loop(t, 3)
		p, err := e.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := launch(t, p, f, 3, 1, nil); err != nil {
			t.Fatalf("engine %d: %v", i, err)
		}
		if i%100 == 99 {
			runtime.GC() // the next engine may need its pages
		}
	}
	if after := mapped(); after > before+4<<20 {
		t.Errorf("%d bytes are mapped after 3,000 engines, %d before", after, before)
	}
}

// many launches a kernel from several goroutines, while other work goes on.
func many(t *testing.T, e *Engine, n int) {
	t.Helper()
	const rounds = 20_000
	f := loop(t, rounds)
	p, err := e.Compile(f)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for range 3 {
				if _, err := launch(t, p, f, rounds, 4, func(l *sim.Launch) { l.Workers = 2 }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// TestDisturbed: machine code runs during garbage collection, under the profiler, and on one
// processor.
func TestDisturbed(t *testing.T) { // alone, because it disturbs other tests
	eachTier(t, Options{}, func(t *testing.T, e *Engine) {
		stop := make(chan struct{})
		var wg sync.WaitGroup
		wg.Go(func() {
			var keep [][]byte
			for {
				select {
				case <-stop:
					return
				default:
					keep = append(keep[:len(keep)%8], make([]byte, 1<<16))
					runtime.GC()
				}
			}
		})
		many(t, e, 4)
		close(stop)
		wg.Wait()

		if err := pprof.StartCPUProfile(io.Discard); err == nil {
			many(t, e, 4)
			pprof.StopCPUProfile()
		}
		procs := runtime.GOMAXPROCS(1)
		many(t, e, 3)
		runtime.GOMAXPROCS(procs)
	})
}

// TestCancelled: a launch ends when its context ends or its time limit is over, at any place of
// machine code.
func TestCancelled(t *testing.T) {
	t.Parallel()
	const forever = 1<<32 - 1
	eachTier(t, Options{}, func(t *testing.T, e *Engine) {
		f := loop(t, forever) // no launch here comes to its end
		p, err := e.Compile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, workers := range []int{1, 2} {
			mem := sim.NewMemory()
			a := mem.Add("out", make([]byte, 4*128))
			l := &sim.Launch{Func: f, Program: p, Grid: [3]uint32{4, 1, 1}, Block: [3]uint32{64, 1, 1}, Memory: mem, Values: []uint64{a.Base}, Workers: workers}
			var st sim.Stats
			for limit := 20 * time.Millisecond; ; limit *= 4 { // a busy host may start late
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				st, _, err = sim.Run(ctx, l)
				if cancel(); err == nil || st.WaveInstructions > 0 || limit > 20*time.Second {
					break
				}
			}
			if err == nil || st.WaveInstructions == 0 {
				t.Errorf("%d workers: the launch ended with %v after %d instructions", workers, err, st.WaveInstructions)
			}
			// The program still works.
			short := loop(t, 100)
			q, err := e.Compile(short)
			if err == nil {
				_, err = launch(t, q, short, 100, 4, nil)
			}
			if err != nil {
				t.Error(fmt.Errorf("afterwards: %w", err))
			}
		}
	})
}
