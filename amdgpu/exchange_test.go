package amdgpu

import (
	"fmt"
	"strings"
	"testing"
)

// TestExchanges compares the rows that move lanes with the manual's list: the DPP modifier on a
// move, the three LDS instructions that use no LDS, and v_readlane_b32.
func TestExchanges(t *testing.T) {
	t.Parallel()
	var got []string
	for _, x := range GFX803.Exchanges() {
		got = append(got, fmt.Sprintf("%d %s", x.Kind, x.Row.Name))
	}
	want := "0 v_mov_b32, 4 v_readlane_b32, 1 ds_swizzle_b32, 3 ds_permute_b32, 2 ds_bpermute_b32"
	if s := strings.Join(got, ", "); s != want {
		t.Errorf("exchanges: %s, want %s", s, want)
	}
}
