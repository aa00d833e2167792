package difftest

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/guard"
	"example.org/crosslane/internal/jit/isa"
	sample "example.org/crosslane/internal/short"
	"example.org/crosslane/internal/sim"
)

// guarded is the number of random programs whose machine code has a committed hash.
const guarded = 500

// TestMachineCodeOfRandomPrograms checks that the machine code of random programs of all kinds has
// not changed. The processor does not need to be able to run it.
func TestMachineCodeOfRandomPrograms(t *testing.T) {
	t.Parallel()
	tiers := []isa.Tier{isa.AVX2, isa.AVX512}
	name := func(seed int, tier isa.Tier) string { return fmt.Sprintf("%d %v", seed, tier) }
	var names []string
	for seed := range guarded {
		for _, tier := range tiers {
			names = append(names, name(seed, tier))
		}
	}
	texts := guard.New(names)
	all := sources()
	var wg sync.WaitGroup
	for first := range runtime.GOMAXPROCS(0) {
		wg.Go(func() {
			for seed := first; seed < guarded; seed += runtime.GOMAXPROCS(0) {
				if !sample.Every(seed, 23) {
					continue
				}
				m, err := of(all, uint64(seed)).make(uint64(seed))
				if err != nil {
					t.Errorf("seed %d: %v", seed, err)
					continue
				}
				f := m.launch.Func
				if _, err := (interp.Engine{}).Compile(f); err != nil {
					t.Errorf("seed %d: %v", seed, err)
					continue
				}
				l := &sim.Launch{Func: f, Grid: m.launch.Grid, Block: m.launch.Block}
				for _, tier := range tiers {
					text, err := jit.Text(f, l, jit.Mode{Tier: tier, Exact: seed%4 == 0}, seed%2 == 0, jit.DefaultCode, "asm")
					if err != nil {
						text = "error: " + err.Error()
					}
					texts.Set(t, name(seed, tier), text)
				}
			}
		})
	}
	wg.Wait()
	texts.Compare(t, "testdata/guard.txt")
}
