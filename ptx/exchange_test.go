package ptx

import (
	"fmt"
	"testing"

	"example.org/crosslane/lane"
)

// TestShuffles compares the opcodes that move lanes with the manual's list for a target with
// shfl.sync and for one without.
func TestShuffles(t *testing.T) {
	t.Parallel()
	want := []Shuffle{{"shfl.sync.up.b32", lane.ShflUp}, {"shfl.sync.down.b32", lane.ShflDown}, {"shfl.sync.bfly.b32", lane.ShflBfly}, {"shfl.sync.idx.b32", lane.ShflIdx}}
	if got := Shuffles(80); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("shuffles of sm_80: %v, want %v", got, want)
	}
	if got := Shuffles(20); len(got) != 0 {
		t.Errorf("shuffles of sm_20: %v, want none", got)
	}
}
