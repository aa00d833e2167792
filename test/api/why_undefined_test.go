package api_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/short"
)

// Bits marked as undefined are proved against runs: in random programs whose input was never
// written, only the marked bits of an element may change with the input.
func TestWhyMarksUndefined(t *testing.T) {
	t.Parallel()
	marked, shown, whole := 0, 0, 0
	for seed := range short.Of(uint64(30), 6) {
		for _, c := range []struct {
			isa  crosslane.ISA
			make func(*rand.Rand) string
		}{{crosslane.PTX, randomPTX}, {crosslane.GCN3, randomGCN3}} {
			r := rand.New(rand.NewPCG(seed, 11))
			text := c.make(r)
			m, err := crosslane.Load([]byte(text), "k", c.isa)
			if err != nil {
				t.Fatal(err)
			}
			k, err := m.Kernel("k")
			if err != nil {
				t.Fatal(err)
			}
			in := make([]uint32, proofInputs)
			for i := range in {
				in[i] = r.Uint32() >> r.IntN(32)
			}
			launch := func(x []uint32) (crosslane.Launch, []uint32) {
				l, b, out := proofLaunch(append([]uint32(nil), x...))
				b.Uninitialised = true
				l.Workers = 1
				return l, out
			}
			run := func(x []uint32) []uint32 {
				l, out := launch(x)
				if _, err := k.Run(context.Background(), l); err != nil {
					t.Fatal(err)
				}
				return out
			}
			base := run(in)
			changed := make([]uint32, len(base))
			for range 12 {
				x := make([]uint32, len(in))
				for i := range x {
					x[i] = r.Uint32() >> r.IntN(32)
				}
				for e, v := range run(x) {
					changed[e] |= v ^ base[e]
				}
			}
			for range 3 {
				e := r.IntN(len(base))
				l, _ := launch(in)
				p, err := k.Why(context.Background(), l, crosslane.WhyOptions{Buffer: "out", Index: e})
				if err != nil {
					t.Fatal(err)
				}
				if over := changed[e] &^ uint32(p.UndefinedBits); over != 0 {
					t.Fatalf("%s out[%d]: bits %#x change with the input, undefined are said to be %#x\n%s\n%s", c.isa, e, over, p.UndefinedBits, p.Text(crosslane.WhyView{}), text)
				}
				if p.Undefined != (p.UndefinedBits != 0) || p.Undefined && p.Reason == "" {
					t.Fatalf("out[%d]: undefined %v, bits %#x, reason %q", e, p.Undefined, p.UndefinedBits, p.Reason)
				}
				if whole++; p.Undefined {
					if marked++; changed[e] != 0 {
						shown++
					}
				}
			}
		}
	}
	t.Logf("%d of %d elements are marked, %d of these change", marked, whole, shown)
	if marked == whole || marked == 0 || shown*10 < marked*8 {
		t.Errorf("%d of %d elements are marked, %d of these change", marked, whole, shown)
	}
}
