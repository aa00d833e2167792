package coarsen

import "testing"

// TestAnd checks that the partition for a value that depends on two values has a class for each pair
// of these values, and that a class is named by its first wave.
func TestAnd(t *testing.T) {
	t.Parallel()
	for _, x := range []struct{ c, d, want classes }{
		{classes{}, classes{}, classes{}},
		{classes{}, apart(), apart()},
		{apart(), classes{}, apart()},
		// Pairs of waves, and waves with even and odd numbers: each wave is alone in its half.
		{classes{0, 0, 2, 2, 4, 4, 6, 6}, classes{0, 1, 0, 1, 0, 1, 0, 1}, apart()},
		{classes{0, 0, 0, 0, 4, 4, 4, 4}, classes{0, 1, 0, 1, 0, 1, 0, 1}, classes{0, 1, 0, 1, 4, 5, 4, 5}},
	} {
		if got := x.c.and(x.d); got != x.want {
			t.Errorf("%v and %v: %v, want %v", x.c, x.d, got, x.want)
		}
		if got := x.d.and(x.c); got != x.want {
			t.Errorf("%v and %v: %v, want %v", x.d, x.c, got, x.want)
		}
	}
}
