package enginetest

import (
	"strings"
	"testing"
	"time"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// NoTrials is an engine that cannot run programs operation by operation, so that it
// recognises no livelock: see sim.Stepper.
type NoTrials interface{ NoTrials() }

// blocks tests blocks that wait for each other.
func blocks(t *testing.T, e sim.Engine) {
	t.Run("registers begin as 0 in every block", func(t *testing.T) {
		k := newKern(t)
		var sum ir.Ref
		for range 4 {
			r := k.reg(ir.B32)
			k.ins("add")
			k.To(r, ir.Add32, r, k.c(5))
			if sum == 0 {
				sum = r
				continue
			}
			k.ins("sum")
			k.To(sum, ir.Add32, sum, r)
		}
		k.store(sum, 1, 0, 0)
		out, _, err := k.run(e, 3, 32, 32, nil)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, "4 registers with 5 added", out, func(int) uint32 { return 20 })
	})
	// Every block waits until the last block has set a flag.
	build := func(t *testing.T) *kern {
		k := newKern(t)
		cta := k.Vector("cta", ir.B32)
		k.Input(ir.BlockIDX, cta, 0)
		n := k.Vector("n", ir.B32)
		k.Input(ir.GridDimX, n, 0)
		base := k.Vector("base", ir.B64)
		k.Input(ir.LaunchValue, base, 0)
		last := k.do(ir.EqU32, k.do(ir.Add32, cta, k.c(1)), n)
		set, end := k.NewLabel(), k.NewLabel()
		k.branch(set, last, false)
		spin := k.NewLabel()
		k.Bind(spin)
		v := k.reg(ir.B32)
		k.ins("ld")
		k.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{base}, Size: 4, Align: 4, Space: ir.Global, Flags: ir.Volatile})
		k.branch(spin, k.do(ir.EqU32, v, k.c(0)), false)
		k.ins("bra")
		k.Bra(end)
		k.Bind(set)
		k.ins("st")
		k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{base, k.c(9)}, Size: 4, Align: 4, Space: ir.Global, Flags: ir.Volatile})
		k.Bind(end)
		k.exit(0)
		return k
	}
	t.Run("all wait for the last one", func(t *testing.T) {
		for _, workers := range []int{1, 3} {
			out, _, err := build(t).run(e, 300, 64, 1, func(l *sim.Launch) { l.Workers = workers })
			if err != nil || out[0] != 9 {
				t.Errorf("%d workers: %v, flag %d", workers, err, out[0])
			}
		}
	})
	t.Run("no room for all", func(t *testing.T) {
		limit, want := 10*time.Second, []string{"livelock", "of 300 blocks are in flight, and no more can be"}
		if _, ok := e.(NoTrials); ok {
			limit, want = 2*time.Second, []string{"of 300 blocks were in flight, each waiting for other blocks; no more could be"}
			if testing.Short() {
				limit = 500 * time.Millisecond
			}
		}
		// No further block can start that could store the value for which the blocks wait.
		_, _, err := build(t).run(e, 300, 64, 1, func(l *sim.Launch) { l.Resident, l.Timeout, l.StuckAfter = 100<<10, limit, 1<<14 })
		for _, text := range want {
			if err == nil || !strings.Contains(err.Error(), text) {
				t.Errorf("got %v, want %q", err, text)
			}
		}
	})
	t.Run("in random order", func(t *testing.T) {
		for seed := range uint64(5) {
			out, _, err := build(t).run(e, 40, 64, 1, func(l *sim.Launch) { l.Schedule = sim.Schedule{Random: true, Seed: seed} })
			if err != nil || out[0] != 9 {
				t.Errorf("seed %d: %v, flag %d", seed, err, out[0])
			}
		}
	})
}
