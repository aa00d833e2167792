package plan

import (
	"math/rand/v2"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/lane"
)

// TestPrices compares the prices of shapes with sums that are written out here: 4 cycles for an
// instruction and for each wait state, 72 for a swizzle and its s_waitcnt, two wait states between a
// vector instruction and a DPP move that reads its result, none after s_waitcnt; 24 for a shuffle.
func TestPrices(t *testing.T) {
	t.Parallel()
	const d, s, f, copied, patch = kindDPP, kindSwizzle, kindShuffle, kindCopy, kindPatch
	for _, c := range []struct {
		p     *prices
		kinds []kind
		want  int
	}{
		{gcn3Prices(), []kind{d}, 8 + 4},
		{gcn3Prices(), []kind{s}, 72},
		{gcn3Prices(), []kind{d, d}, 2 * (8 + 4)},
		{gcn3Prices(), []kind{s, d}, 72 + 4},
		{gcn3Prices(), []kind{d, s}, 8 + 4 + 72},
		{gcn3Prices(), []kind{s, s}, 2 * 72},
		{gcn3Prices(), []kind{d, d, d}, 3 * (8 + 4)},
		{gcn3Prices(), []kind{s, d, d}, 72 + 4 + 8 + 4},
		{gcn3Prices(), []kind{d, s, d}, 8 + 4 + 72 + 4},
		{gcn3Prices(), []kind{d, d, s}, 2*(8+4) + 72},
		{gcn3Prices(), []kind{s, s, d}, 2*72 + 4},
		{gcn3Prices(), []kind{s, d, s}, 72 + 4 + 72},
		{gcn3Prices(), []kind{d, s, s}, 8 + 4 + 2*72},
		{gcn3Prices(), []kind{s, s, s}, 3 * 72},
		{gcn3Prices(), []kind{d, d, d, d}, 4 * (8 + 4)},
		{gcn3Prices(), []kind{patch, patch}, 8 + 4 + 4},
		{gcn3Prices(), []kind{copied, patch}, 4 + 4 + 4},
		{gcn3Prices(), []kind{copied, patch, patch}, 4 + 4 + 4 + 4},
		{gcn3Prices(), []kind{d, patch}, 8 + 4 + 4},
		{gcn3Prices(), []kind{s, patch}, 72 + 4},
		{ptxPrices(), []kind{f}, 24},
		{ptxPrices(), []kind{f, f}, 48},
	} {
		if got := c.p.of(c.kinds...); got != c.want {
			t.Errorf("%v costs %d, want %d:\n%s", c.kinds, got, c.want, c.p.sample(c.kinds).code)
		}
	}
	// The search takes the shapes in their order, and all of them.
	for _, c := range []struct {
		p          *prices
		long, want int
	}{{gcn3Prices(), 3, 2 + 4 + 8}, {ptxPrices(), 2, 2}} {
		list := c.p.shapes(c.long)
		seen := map[string]bool{}
		for i, q := range list {
			key := ""
			for _, k := range q.kinds {
				key += string('0' + rune(k))
			}
			seen[key] = true
			if q.latency != c.p.of(q.kinds...) || i > 0 && q.latency < list[i-1].latency {
				t.Errorf("shape %d, %v, has latency %d", i, q.kinds, q.latency)
			}
		}
		if len(list) != c.want || len(seen) != c.want {
			t.Errorf("%d shapes, %d of them different, want %d", len(list), len(seen), c.want)
		}
	}
}

// TestThreeShuffles shows why PTX needs no products of three shuffles: a read by index has at most the
// latency of a table, which is less for every map.
func TestThreeShuffles(t *testing.T) {
	t.Parallel()
	three := ptxPrices().of(kindShuffle, kindShuffle, kindShuffle)
	if three != 72 {
		t.Errorf("three shuffles have latency %d, want 72", three)
	}
	r := rand.New(rand.NewPCG(12, 13))
	for range 50 {
		g := &goal{n: 32, active: lane.All(32)}
		for i := range g.want {
			g.want[i] = free
			if i < 32 {
				g.want[i] = int8(r.IntN(32))
			}
		}
		s := &search{g: g, isa: api.PTX, d: fullPTX(), w: ptxWriter{pullName: "shfl.sync.idx.b32", active: g.active}}
		s.pulled()
		if len(s.out) == 0 {
			t.Fatalf("no table for %v", g.want.text(32))
		}
		for _, q := range s.out {
			if l := latency(api.PTX, q); l >= three {
				t.Errorf("%s: latency %d, want less than %d:\n%s", q.how, l, three, q.code)
			}
		}
	}
}
