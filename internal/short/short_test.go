package short

import (
	"slices"
	"testing"
)

// TestWholeAndPart compares the choice with the flag that this run has: CI runs it both ways.
func TestWholeAndPart(t *testing.T) {
	list, want, every, of := []int{0, 1, 2, 3, 4, 5, 6}, []int{0, 1, 2, 3, 4, 5, 6}, 7, 40
	if testing.Short() {
		want, every, of = []int{0, 3, 6}, 3, 4
	}
	if got := Sample(list, 3); !slices.Equal(got, want) {
		t.Errorf("Sample returns %v, want %v", got, want)
	}
	n := 0
	for i := range list {
		if Every(i, 3) {
			n++
		}
	}
	if n != every {
		t.Errorf("Every chooses %d of 7, want %d", n, every)
	}
	if got := Of(40, 4); got != of {
		t.Errorf("Of returns %d, want %d", got, of)
	}
	skipped := !t.Run("skip", func(t *testing.T) {
		Skip(t, "nothing is smaller")
		t.Log("not skipped")
	})
	if skipped {
		t.Error("a skipped test counts as failed")
	}
}
