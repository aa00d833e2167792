package session

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// The scans of tags find the runs that a scan of one tag after the other finds.
func TestTagRuns(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	const least = 100
	kinds := [][]uint32{{0, 99}, {100}, {100, 101}, {0, 100, maxTag - 1}, {99, 100, 100, 100}}
	for n := range 4000 {
		tags := make([]uint32, random.IntN(70))
		for i := 0; i < len(tags); {
			kind := kinds[random.IntN(len(kinds))]
			for range 1 + random.IntN(30) {
				if i < len(tags) {
					tags[i] = kind[random.IntN(len(kind))]
					i++
				}
			}
		}
		if n%4 == 0 {
			for i := range tags { // an unrolled loop, with mistakes
				if tags[i] = 0; i%4 == 1 || random.IntN(40) == 0 {
					tags[i] = 100
				}
			}
		}
		var want []int
		for i, x := range tags {
			if x >= least && (i == 0 || tags[i-1] < least) {
				want = append(want, i)
			}
			if x >= least && (i == len(tags)-1 || tags[i+1] < least) {
				want = append(want, i+1)
			}
		}
		var got []int
		runs(tags, least, func(from, to int) int { got = append(got, from, to); return to })
		if !slices.Equal(got, want) {
			t.Fatalf("%v: runs %v, want %v", tags, got, want)
		}
		// What repeated leaves out is covered by marks of four words each.
		all := make([]bool, len(tags)+4)
		runs(tags, least, func(from, to int) int {
			if to == from+1 {
				to = repeated(tags, from, least)
			}
			for i := from; i < to+3; i++ {
				all[i] = true
			}
			return to
		})
		for i := range all {
			covered := false
			for j := max(0, i-3); j <= i && j < len(tags); j++ {
				covered = covered || tags[j] >= least
			}
			if all[i] != covered {
				t.Fatalf("%v: %d is covered %v, want %v", tags, i, all[i], covered)
			}
		}
	}
}
