package alloc

import (
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/jit/x64"
)

// TestOccupancy: the taken registers are those that were taken, gap by gap, for intervals of
// all lengths.
func TestOccupancy(t *testing.T) {
	t.Parallel()
	const gaps = 3 << shift2
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 1))
		// Intervals of a few gaps, of about the size of a part, or of many parts.
		draw := func() interval {
			n := 2 * (1 + r.IntN([]int{4, 2 << shift1, 2 << shift2}[r.IntN(3)]))
			from := r.IntN(2*gaps - n)
			if r.IntN(3) == 0 {
				from &^= 2<<shift1 - 1
			}
			return interval{int32(from), int32(from + n)}
		}
		o := newOccupancy(new(Scratch), gaps)
		var plain [gaps + 1]set
		for range 60 {
			s, reg := draw(), x64.Reg(1+r.IntN(63))
			o.take(s, reg)
			from, to := s.gaps()
			for i := from; i < to; i++ {
				plain[i] |= bit(reg)
			}
			for range 20 {
				s, some, others := draw(), r.Uint64(), r.Uint64()
				want := set(some & others)
				from, to := s.gaps()
				var taken set
				for _, x := range plain[from:to] {
					taken |= x
				}
				if got := o.taken(s, want); got&want != taken&want {
					t.Fatalf("seed %d: %v has %x, want %x", seed, s, got&want, taken&want)
				}
			}
		}
	}
}
