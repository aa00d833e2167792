package examples

import "math/big"

// A launch is one run of one kernel with everything it gets and everything it must
// give. Results are computed by the plain Go functions beside the tables, which
// know nothing of lanes, waves or instructions where the kernel's purpose can be
// said without them.
type launch struct {
	name   string   // the name of the case
	files  []string // compiled files that hold this kernel, relative to this folder
	kernel string
	grid   [3]uint32 // blocks
	block  [3]uint32 // threads of a block
	args   []any     // buffer, or a scalar: uint32, int32, float32
}

// A buffer is a slice of int32, uint32, int64, uint64 or float32. After the launch it must hold
// want, bit for bit, or its old contents if want is nil.
type buffer struct {
	name string
	data any
	want any
	// unordered: only the multiset of the elements is defined.
	unordered bool
}

// x gives the three dimensions of a grid or block of one.
func x(n uint32) [3]uint32 { return [3]uint32{n, 1, 1} }

// words is a small generator of test data (splitmix64), seeded for each case.
type words uint64

func (w *words) next() uint64 {
	*w += 0x9e3779b97f4a7c15
	z := uint64(*w)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (w *words) u32s(n int) []uint32 {
	return fill(n, func(int) uint32 { return uint32(w.next() >> 32) })
}

// ints returns numbers in [low, high].
func (w *words) ints(n int, low, high int32) []int32 {
	return fill(n, func(int) int32 {
		return int32(int64(low) + int64(w.next()>>1%uint64(int64(high)-int64(low)+1)))
	})
}

// floats returns multiples of 2^-20 in [-2, 2): sums and products of them round.
func (w *words) floats(n int) []float32 {
	return fill(n, func(int) float32 { return float32(int32(w.next()>>42)-1<<21) / (1 << 20) })
}

// fill makes a slice of n elements from their indices.
func fill[T any](n int, f func(i int) T) []T {
	s := make([]T, n)
	for i := range s {
		s[i] = f(i)
	}
	return s
}

// constant makes a slice of n equal elements.
func constant[T any](n int, v T) []T { return fill(n, func(int) T { return v }) }

// fma32 is a*b+c with one rounding, to nearest even.
func fma32(a, b, c float32) float32 {
	// The product is exact in float64. If the sum is too, one rounding is left.
	p, q := float64(a)*float64(b), float64(c)
	sum := p + q
	if t := sum - p; (p-(sum-t))+(q-t) == 0 {
		return float32(sum)
	}
	exact := func(x float32) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(float64(x)) }
	r := exact(a)
	r.Mul(r, exact(b)).Add(r, exact(c))
	f, _ := r.Float32()
	return f
}

// forBoth names the files that one OpenCL source is compiled to.
func forBoth(name string) []string {
	return []string{"ptx/" + name + ".ptx", "gcn3/" + name + ".s", "gcn3/" + name + ".hsaco"}
}

func forGCN3(name string) []string {
	return []string{"gcn3/" + name + ".s", "gcn3/" + name + ".hsaco"}
}

// allLaunches is the whole table.
func allLaunches() []launch {
	var all []launch
	for _, table := range [][]launch{commonLaunches(), commonBitLaunches(), ptxLaunches(), ptxHandLaunches(), gcn3Launches()} {
		all = append(all, table...)
	}
	return all
}
