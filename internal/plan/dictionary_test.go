package plan

import (
	"testing"

	"example.org/crosslane/lane"
)

// TestDictionary compares the sizes of the dictionaries with those of an independent enumeration of
// package lane: all controls of DPP and all patterns of ds_swizzle_b32, all modes and constants of
// shfl.sync.
func TestDictionary(t *testing.T) {
	t.Parallel()
	g := fullGCN3()
	dpp, bijective := 0, 0
	for i := range g.moves {
		if g.moves[i].kind != kindSwizzle {
			dpp++
		}
		if g.moves[i].m.bijective(64) {
			bijective++
		}
	}
	if len(g.moves) != 1314 || bijective != 68 || dpp != g.plain {
		t.Errorf("gfx803: %d maps, %d of them bijective, %d by DPP (%d first); want 1314 and 68", len(g.moves), bijective, dpp, g.plain)
	}
	if p := fullPTX(); len(p.moves) != 4236 {
		t.Errorf("PTX: %d maps, want 4236", len(p.moves))
	}
	// Every map is that of package lane again, and no two are equal.
	maps := map[lane.Map]bool{}
	for c := range lane.DPPCtrl(0x200) {
		if m, err := lane.DPP(c, 15, 15, true, ^lane.Mask(0)); err == nil {
			maps[m] = true
		}
	}
	for p := range 1 << 16 {
		maps[lane.DSSwizzle(uint16(p), ^lane.Mask(0))] = true
	}
	if len(maps) != len(g.moves) {
		t.Errorf("package lane has %d maps, the dictionary %d", len(maps), len(g.moves))
	}
	for m := range maps {
		want := sources(&m)
		scratch := make([]uint64, len(g.index[0]))
		i := g.find(&want, kindDPP, scratch)
		if i < 0 {
			i = g.find(&want, kindSwizzle, scratch)
		}
		if i < 0 || g.moves[i].m != want {
			t.Fatalf("the dictionary lacks %s", m.String())
		}
	}
}
