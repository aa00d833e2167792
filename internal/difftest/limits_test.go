package difftest

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/jit/exec"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/webs"
)

// TestLimits checks random programs for which analyses reach their limits, as they do for much
// larger functions. The results must be those of the reference.
func TestLimits(t *testing.T) {
	if exec.Detect().Best == isa.None {
		t.Skip("no machine code on this processor")
	}
	t.Parallel()
	all := sources()
	for _, limit := range webs.Limits() {
		for tier := isa.AVX2; tier <= exec.Detect().Best; tier++ {
			t.Run(fmt.Sprint(limit, " ", tier), func(t *testing.T) {
				t.Parallel()
				as := func(m jit.Mode) way {
					m.Tier, m.Eager, m.Tight = tier, true, limit
					return way{Engine: Engine{Name: fmt.Sprintf("jit-%s, few %s", tier, limit), Engine: native(m)}}
				}
				ways := []way{as(jit.Mode{Passes: true}), as(jit.Mode{Passes: true, Scribble: true}), as(jit.Mode{Exact: true})}
				ways[1].mode.Turns = 2
				ways[2].mode.Lockstep = 3
				for k := range uint64(sampled(*limitPrograms)) {
					seed := *seed + k
					one(t, of(all, seed), seed, ways[seed/16%3:][:1], failures())
				}
			})
		}
	}
}
