package api_test

import (
	"context"
	"maps"
	"os"
	"testing"

	"example.org/crosslane"
)

// TestWhyOfWarpgroupProducts: the value of a product is shown with the type of D, and leads to the stores of its row of A and its
// column of B, by the addresses of a K-major tile with the swizzle of 128 bytes (PTX 9.7.16.5.1).
func TestWhyOfWarpgroupProducts(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("examples/good/ptx/race-shared_wgmma_stage_reuse.ptx")
	if err != nil {
		t.Fatal(err)
	}
	m, err := crosslane.Load(src, "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	for _, thread := range []int{0, 3, 29, 77, 127} {
		l := crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 128}, Args: []crosslane.Arg{crosslane.Slice("out", make([]float32, 128))}}
		p, err := k.Why(context.Background(), l, crosslane.WhyOptions{Buffer: "out", Index: thread})
		if err != nil {
			t.Fatal(err)
		}
		// The threads that store the 32 bytes of line mn; thread n of 128 stores word n, n+128 …
		want, got := map[int]bool{}, map[int]bool{}
		for _, mn := range []int{16*(thread/32) + thread%32/4, 2 * (thread % 4)} {
			for b := 0; b < 32; b += 4 {
				at := mn/8*1024 + mn%8*128 + b
				at ^= at >> 7 & 7 << 4
				want[at/4%128] = true
			}
		}
		value := ""
		for _, n := range p.Nodes {
			switch n.Op {
			case "st.shared.u32":
				for _, lane := range n.Lanes {
					got[32*n.Warp+lane] = true
				}
			case "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16":
				value = n.Values[0].Values[0]
			}
		}
		if !maps.Equal(got, want) || value != "16" {
			t.Errorf("thread %d: %q, stores of %v, want 16 and %v", thread, value, got, want)
		}
	}
}
