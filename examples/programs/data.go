package programs

// x gives the three dimensions of a grid or block of one.
func x(n uint32) [3]uint32 { return [3]uint32{n, 1, 1} }

func xy(x, y uint32) [3]uint32 { return [3]uint32{x, y, 1} }

// in is a buffer that keeps its contents.
func in(name string, data any) *Buffer { return &Buffer{Name: name, Data: data} }

// out is a buffer that holds zeros before and want after.
func out[T any](name string, want []T) *Buffer {
	return &Buffer{Name: name, Data: make([]T, len(want)), Want: want}
}

// approx is a buffer of zeros whose results may be off.
func approx[T any](name string, want []T, within float64, why string) *Buffer {
	return &Buffer{Name: name, Data: make([]T, len(want)), Want: want, Within: within, Why: why}
}

// one is a case of one launch, whose buffers are those among its arguments.
func one(name, kernel string, grid, block [3]uint32, args ...any) Case {
	return steps(name, Step{Kernel: kernel, Grid: grid, Block: block, Args: args})
}

// steps is a case whose buffers are those among the arguments of its launches.
func steps(name string, list ...Step) Case {
	c := Case{Name: name, Steps: list}
	seen := map[*Buffer]bool{}
	for _, s := range list {
		for _, a := range s.Args {
			if b, ok := a.(*Buffer); ok && !seen[b] {
				seen[b] = true
				c.Buffers = append(c.Buffers, b)
			}
		}
	}
	return c
}

// words is a small generator of test data (splitmix64), seeded for each case.
type words uint64

func (w *words) next() uint64 {
	*w += 0x9e3779b97f4a7c15
	z := uint64(*w)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

func (w *words) below(n int) int { return int(w.next() >> 1 % uint64(n)) }

func (w *words) u32s(n int) []uint32 {
	return fill(n, func(int) uint32 { return uint32(w.next() >> 32) })
}

func (w *words) u64s(n int) []uint64 { return fill(n, func(int) uint64 { return w.next() }) }

func (w *words) bytes(n int) []byte {
	return fill(n, func(int) byte { return byte(w.next() >> 40) })
}

// ints returns numbers in [low, high].
func (w *words) ints(n int, low, high int32) []int32 {
	return fill(n, func(int) int32 { return low + int32(w.below(int(high)-int(low)+1)) })
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

// convert makes a slice from another, element by element.
func convert[A, B any](a []A, f func(A) B) []B {
	return fill(len(a), func(i int) B { return f(a[i]) })
}
