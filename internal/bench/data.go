package bench

import (
	"iter"
	"math"
	"unsafe"

	"example.org/crosslane"
	"example.org/crosslane/internal/pages"
)

// space returns memory for n numbers, in large pages if there are many, like the peers' memory.
func space[T uint32 | float32](n int) []T {
	s := make([]T, n)
	pages.Large(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), 4*n))
	return s
}

// mix returns a random number for each x, the finaliser of MurmurHash3.
func mix(x uint32) uint32 {
	x ^= x >> 16
	x *= 0x85ebca6b
	x ^= x >> 13
	x *= 0xc2b2ae35
	return x ^ x>>16
}

// words returns n random numbers.
func words(seed uint32, n int) []uint32 {
	w := space[uint32](n)
	for i := range w {
		w[i] = mix(seed + uint32(i))
	}
	return w
}

// integers returns n random whole numbers from -8 to 8, so that sums of moderately many products
// are exact in any order.
func integers(seed uint32, n int) []float32 {
	w := space[float32](n)
	for i := range w {
		w[i] = float32(int(mix(seed+uint32(i))%17) - 8)
	}
	return w
}

// unit returns n random numbers from 0 to 1.
func unit(seed uint32, n int) []float32 {
	w := space[float32](n)
	for i := range w {
		w[i] = float32(mix(seed+uint32(i))>>8) / (1 << 24)
	}
	return w
}

// checked is the largest number of results that a check computes: enough to find errors, few enough
// to be quick.
const checked = 20000

// sample yields numbers below n; if each costs cost, their total cost is at most the limit. They
// are runs of neighbours, so that whole warps are checked: from the beginning, from the end and
// evenly between.
func sample(n, cost int) iter.Seq[int] {
	return func(yield func(int) bool) {
		const run = 64
		runs, most := (n+run-1)/run, max(checked/cost/run, 4)
		for r := range min(runs, most) {
			at := r
			if runs > most {
				at = r * (runs - 1) / (most - 1)
			}
			for i := at * run; i < min(at*run+run, n); i++ {
				if !yield(i) {
					return
				}
			}
		}
	}
}

// fma32 returns a*b + c rounded once. The product is exact in f64, and the sum is rounded to odd
// there, so rounding it again to f32 is right (Boldo and Melquiond, 2008).
func fma32(a, b, c float32) float32 {
	p, d := float64(a)*float64(b), float64(c)
	s := p + d
	t := s - p
	err := (p - (s - t)) + (d - t)
	if bits := math.Float64bits(s); err != 0 && bits&1 == 0 && !math.IsInf(s, 0) {
		if (err > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}

// approximates reports whether a value is within a relative error of the expected value.
func approximates(got, want, part float64) bool {
	return math.Abs(got-want) <= part*math.Abs(want) || got == want
}

func u32(v int) crosslane.Arg { return crosslane.Typed(crosslane.U32, uint64(uint32(v))) }

func dim(x, y int) crosslane.Dim3 { return crosslane.Dim3{X: uint32(x), Y: uint32(y)} }

// line returns the launch of n blocks of 256.
func line(n int, args ...crosslane.Arg) *Work {
	return &Work{Grid: dim(n, 1), Block: dim(256, 1), Args: args}
}
