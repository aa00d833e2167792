package examples

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"
)

// commonLaunches covers the kernels that come from one OpenCL source for both
// instruction sets.
func commonLaunches() []launch {
	all := slices.Concat(saxpyLaunches(), divergentLaunches(), histogramLaunches(), compactLaunches(), dotLaunches())
	w := words(6)

	const width, height = 70, 45
	in := w.u32s(width * height)
	all = append(all, launch{
		name: "transpose", files: forBoth("transpose"), kernel: "transpose",
		grid: [3]uint32{3, 2, 1}, block: [3]uint32{32, 8, 1},
		args: []any{
			buffer{name: "in", data: in},
			buffer{name: "out", data: make([]uint32, width*height), want: fill(width*height, func(i int) uint32 {
				return in[i%height*width+i/height]
			})},
			uint32(width), uint32(height),
		},
	})

	const n, m, k = 32, 48, 64
	a, b := w.floats(n*k), w.floats(k*m)
	all = append(all, launch{
		name: "matmul", files: forBoth("matmul"), kernel: "matmul",
		grid: [3]uint32{m / 16, n / 16, 1}, block: [3]uint32{16, 16, 1},
		args: []any{
			buffer{name: "a", data: a},
			buffer{name: "b", data: b},
			buffer{name: "c", data: make([]float32, n*m), want: fill(n*m, func(i int) float32 {
				var sum float32
				for j := range k {
					sum = fma32(a[i/m*k+j], b[j*m+i%m], sum)
				}
				return sum
			})},
			uint32(n), uint32(m), uint32(k),
		},
	})

	// Messages of 0 to 55 bytes, each padded to one block as in FIPS 180-4; the standard library
	// computes their hashes.
	const count = 100
	blocks := make([]byte, 64*count)
	digests := make([]uint32, 0, 8*128)
	for i := range count {
		message := fill(i%56, func(int) byte { return byte(w.next()) })
		block := blocks[64*i : 64*i+64]
		block[copy(block, message)] = 0x80
		binary.BigEndian.PutUint64(block[56:], uint64(8*len(message)))
		sum := sha256.Sum256(message)
		for j := 0; j < 32; j += 4 {
			digests = append(digests, binary.BigEndian.Uint32(sum[j:]))
		}
	}
	all = append(all, launch{
		name: "sha256", files: forBoth("sha256"), kernel: "sha256", grid: x(2), block: x(64),
		args: []any{
			buffer{name: "blocks", data: fill(16*count, func(i int) uint32 { return binary.LittleEndian.Uint32(blocks[4*i:]) })},
			buffer{name: "digests", data: make([]uint32, 8*count), want: digests},
			uint32(count),
		},
	})
	return all
}

func saxpyLaunches() []launch {
	w := words(1)
	const n, size = 1000, 1024
	a, b, y := w.floats(size), w.floats(size), w.floats(size)
	const factor = float32(1.0000001)
	files := append(forBoth("saxpy"), "gcn3/saxpy_v2.s", "gcn3/saxpy_v4.s", "gcn3/saxpy_v4.hsaco", "gcn3/saxpy_v6.s", "gcn3/saxpy_v6.hsaco", "gcn3/saxpy.o")
	return []launch{{
		name: "vector_add", files: files, kernel: "vector_add", grid: x(4), block: x(256),
		args: []any{
			buffer{name: "a", data: a},
			buffer{name: "b", data: b},
			buffer{name: "c", data: y, want: fill(size, func(i int) float32 {
				if i < n {
					return a[i] + b[i]
				}
				return y[i]
			})},
			uint32(n),
		},
	}, {
		// Blocks that fill no wave: 11 of 96.
		name: "saxpy", files: files, kernel: "saxpy", grid: x(11), block: x(96),
		args: []any{
			factor,
			buffer{name: "x", data: a},
			buffer{name: "y", data: y, want: fill(size, func(i int) float32 {
				if i < n {
					return fma32(factor, a[i], y[i])
				}
				return y[i]
			})},
			uint32(n),
		},
	}}
}

func divergentLaunches() []launch {
	w := words(2)
	const n = 200
	in := append([]uint32{1, 0, 27, 97, 63728127, 2, 0x7fffffff}, fill(n-7, func(int) uint32 { return uint32(w.next() % 100000) })...)
	collatz := launch{
		name: "collatz", files: forBoth("divergent"), kernel: "collatz", grid: x(4), block: x(64),
		args: []any{
			buffer{name: "in", data: in},
			buffer{name: "steps", data: make([]uint32, n), want: fill(n, func(i int) uint32 {
				steps := uint32(0)
				for v := uint64(in[i]); v > 1; steps++ {
					if v%2 == 0 {
						v /= 2
					} else {
						v = 3*v + 1
					}
				}
				return steps
			})},
			uint32(n),
		},
	}

	const width, height, x0, y0, step, limit = 40, 21, float32(-2.2), float32(-1.3), float32(0.078), 60
	mandelbrot := launch{
		name: "mandelbrot", files: forBoth("divergent"), kernel: "mandelbrot",
		grid: [3]uint32{3, 3, 1}, block: [3]uint32{16, 8, 1},
		args: []any{
			buffer{name: "out", data: make([]uint32, width*height), want: fill(width*height, func(i int) uint32 {
				return escape(x0+float32(float32(i%width)*step), y0+float32(float32(i/width)*step), limit)
			})},
			uint32(width), uint32(height), x0, y0, step, uint32(limit),
		},
	}

	values := append(fill(64, func(i int) int32 { return int32(i) - 16 }), w.ints(64, -500, 4000)...)
	branches := launch{
		name: "branches", files: forBoth("divergent"), kernel: "branches", grid: x(2), block: x(64),
		args: []any{
			buffer{name: "in", data: values},
			buffer{name: "out", data: make([]int32, 128), want: fill(128, func(i int) int32 { return branch(values[i]) })},
		},
	}
	return []launch{collatz, mandelbrot, branches}
}

// escape counts the rounds that z = z*z + c stays within 2 of the origin, every
// operation rounded to float32. The conversions forbid Go to fuse.
func escape(cx, cy float32, limit uint32) uint32 {
	var zx, zy float32
	for k := range limit {
		xx, yy := float32(zx*zx), float32(zy*zy)
		if xx+yy > 4 {
			return k
		}
		// gfx803 flushes denormals by default: none may occur.
		for _, v := range []float32{xx, yy, float32(zx * zy)} {
			if v != 0 && math.Abs(float64(v)) < 0x1p-126 {
				panic("the test data makes a denormal")
			}
		}
		zy = float32(2*float32(zx*zy)) + cy
		zx = float32(xx-yy) + cx
	}
	return limit
}

func branch(v int32) int32 {
	switch {
	case v < 0:
		return -1
	case v%2 == 1:
		r := int32(0)
		for k := v; k > 0; k -= 3 {
			if k/2%2 == 1 {
				r += k
			} else {
				r -= k
			}
		}
		return r
	case v%4 == 0:
		r := int32(v)
		for v /= 2; v != 0; v /= 2 {
			r = r*5 + v
		}
		return r
	}
	return v ^ 0x55
}

func histogramLaunches() []launch {
	w := words(3)
	const n = 1000
	in := w.u32s(n)
	bins := constant(64, uint32(5))
	for _, v := range in {
		bins[v/(1<<26)]++
	}
	values := w.ints(n, math.MinInt32, math.MaxInt32)
	unsigned := fill(n, func(i int) uint32 { return uint32(values[i]) })
	counters := constant(8, uint32(1))
	for _, v := range in {
		counters[v%8] = counters[v%8]*3 + 1
	}
	return []launch{{
		name: "histogram", files: forBoth("histogram"), kernel: "histogram", grid: x(4), block: x(256),
		args: []any{
			buffer{name: "in", data: in},
			buffer{name: "bins", data: constant(64, uint32(5)), want: bins},
			uint32(n),
		},
	}, {
		// Fewer threads than bins.
		name: "histogram of small blocks", files: forBoth("histogram"), kernel: "histogram", grid: x(25), block: x(40),
		args: []any{
			buffer{name: "in", data: in},
			buffer{name: "bins", data: constant(64, uint32(5)), want: bins},
			uint32(n),
		},
	}, {
		name: "extremes", files: forBoth("histogram"), kernel: "extremes", grid: x(8), block: x(128),
		args: []any{
			buffer{name: "in", data: values},
			buffer{name: "out", data: []int32{math.MaxInt32, math.MinInt32, -1, 0}, want: []int32{
				slices.Min(values), slices.Max(values), int32(slices.Min(unsigned)), int32(slices.Max(unsigned))}},
			uint32(n),
		},
	}, {
		name: "cas_update", files: forBoth("histogram"), kernel: "cas_update", grid: x(8), block: x(128),
		args: []any{
			buffer{name: "in", data: in},
			buffer{name: "counts", data: constant(8, uint32(1)), want: counters},
			uint32(n),
		},
	}}
}

func compactLaunches() []launch {
	w := words(4)
	const n, size = 600, 768
	in := w.ints(size, -1000, 1000)
	out, counts, kept := constant(size, int32(-9)), make([]uint32, 3), []int32{}
	for i, v := range in[:n] {
		if v > 0 {
			out[i/256*256+int(counts[i/256])] = v
			counts[i/256]++
			kept = append(kept, v)
		}
	}
	return []launch{{
		name: "compact", files: forBoth("compact"), kernel: "compact", grid: x(3), block: x(256),
		args: []any{
			buffer{name: "in", data: in},
			buffer{name: "out", data: constant(size, int32(-9)), want: out},
			buffer{name: "counts", data: make([]uint32, 3), want: counts},
			uint32(n),
		},
	}, {
		name: "compact_unordered", files: forBoth("compact"), kernel: "compact_unordered", grid: x(6), block: x(128),
		args: []any{
			buffer{name: "in", data: in},
			buffer{name: "out", data: constant(size, int32(-9)), unordered: true,
				want: append(kept, constant(size-len(kept), int32(-9))...)},
			buffer{name: "counter", data: []uint32{0}, want: []uint32{uint32(len(kept))}},
			uint32(n),
		},
	}}
}

func dotLaunches() []launch {
	w := words(5)
	const n, blocks = 2000, 3
	a, b := w.floats(n), w.floats(n)
	partial := make([]float32, blocks)
	for block := range partial {
		sums := fill(256, func(t int) (s float32) {
			for i := block*256 + t; i < n; i += blocks * 256 {
				s = fma32(a[i], b[i], s)
			}
			return s
		})
		for half := 128; half > 0; half /= 2 {
			for t := range half {
				sums[t] += sums[t+half]
			}
		}
		partial[block] = sums[0]
	}
	p, q := w.ints(500, math.MinInt32, math.MaxInt32), w.ints(500, math.MinInt32, math.MaxInt32)
	sum := uint64(7)
	for i := range p {
		sum += uint64(int64(p[i]) * int64(q[i]))
	}
	return []launch{{
		name: "dot_partial", files: forBoth("dot"), kernel: "dot_partial", grid: x(blocks), block: x(256),
		args: []any{
			buffer{name: "a", data: a},
			buffer{name: "b", data: b},
			buffer{name: "partial", data: make([]float32, blocks), want: partial},
			uint32(n), uint32(blocks * 256),
		},
	}, {
		name: "dot_int", files: forBoth("dot"), kernel: "dot_int", grid: x(8), block: x(64),
		args: []any{
			buffer{name: "a", data: p},
			buffer{name: "b", data: q},
			buffer{name: "sum", data: []uint64{7}, want: []uint64{sum}},
			uint32(500),
		},
	}}
}
