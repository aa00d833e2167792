package why

import (
	"math/rand/v2"
	"testing"
)

// TestEventLogLanes compares before with a linear search, for logs of all sizes, with rare and frequent
// lanes.
func TestEventLogLanes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 2, 31, 32, 33, 63, 64, 1023, 1024, 1025, 1056, 5000, 40000} {
		for _, rare := range []int{1, 40, 3000} {
			var l eventLog[laneSet]
			var masks []laneSet
			for i := range size {
				m := laneSet(0)
				if r.IntN(rare) == 0 {
					m = 1 << r.IntN(64)
				}
				masks = append(masks, m)
				l.add(3*i+1, m)
			}
			for range 300 {
				i := r.IntN(size + 1)
				m := laneSet(1) << r.IntN(64)
				m |= laneSet(1) << r.IntN(64)
				want := i - 1
				for want >= 0 && masks[want]&m == 0 {
					want--
				}
				if got := l.before(i, m); got != want {
					t.Fatalf("%d events, one in %d with lanes: before %d with %#x: %d, want %d", size, rare, i, uint64(m), got, want)
				}
				if got := l.at(3*i + 1); got != i {
					t.Fatalf("at(%d) = %d", 3*i+1, got)
				}
			}
		}
	}
}

// TestEventLogBounds: joined bounds may meet an access although none of the joined bounds does. Then
// the search has to go on before them.
func TestEventLogBounds(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	for _, size := range []int{0, 1, 31, 32, 33, 1024, 1025, 3000, 40000} {
		for _, wide := range []uint64{8, 1000, 1 << 20} {
			var l eventLog[bounds]
			var all []bounds
			for i := range size {
				b := bounds{lo: r.Uint64N(1 << 20)}
				b.hi = b.lo + 1 + r.Uint64N(wide)
				all = append(all, b)
				l.add(i, b)
			}
			for range 200 {
				i, x := r.IntN(size+1), bounds{lo: r.Uint64N(1 << 20)}
				x.hi = x.lo + 4
				want := i - 1
				for want >= 0 && (all[want].lo >= x.hi || all[want].hi <= x.lo) {
					want--
				}
				if got := l.before(i, x); got != want {
					t.Fatalf("%d events of up to %d bytes: before %d with %v: %d, want %d", size, wide, i, x, got, want)
				}
			}
		}
	}
}
