package examples

import (
	"math/big"
	"math/bits"
	"slices"

	"example.org/crosslane/num"
)

// ptxHandLaunches covers the hand-written PTX: the worked examples of the ISA
// manual's sections on shfl, shfl.sync and shf.
func ptxHandLaunches() []launch {
	w := words(30)
	in := w.floats(32)
	up, down, all := slices.Clone(in), slices.Clone(in), slices.Clone(in)
	for d := 1; d < 32; d *= 2 {
		before, after := slices.Clone(up), slices.Clone(down)
		for i := range 32 {
			if i >= d {
				up[i] = before[i-d] + before[i]
			}
			if i+d < 32 {
				down[i] = after[i+d] + after[i]
			}
		}
	}
	for d := 16; d > 0; d /= 2 {
		before := slices.Clone(all)
		for i := range 32 {
			all[i] = before[i^d] + before[i]
		}
	}
	var launches []launch
	for _, c := range []struct {
		kernel string
		want   []float32
	}{{"scan_up", up}, {"scan_down", down}, {"reduce_bfly", all}} {
		launches = append(launches, launch{
			name: c.kernel, files: []string{"ptx/legacy_scan.ptx", "ptx/sync_scan.ptx"}, kernel: c.kernel, grid: x(1), block: x(32),
			args: []any{buffer{name: "in", data: in}, buffer{name: "out", data: make([]float32, 32), want: c.want}},
		})
	}
	numbers := w.u32s(32)
	launches = append(launches, launch{
		name: "rotate_segments", files: ptx("sync_scan"), kernel: "rotate_segments", grid: x(1), block: x(32),
		args: []any{buffer{name: "in", data: numbers}, buffer{name: "out", data: make([]uint32, 32),
			want: fill(32, func(i int) uint32 { return numbers[i/8*8+(i+1)%8] })}},
	})
	launches = append(launches, mmaLaunches()...)
	return append(launches, shift128Launches(&w)...)
}

// mmaLaunches multiply matrices of f16 through the matrix unit. The products of f16 are
// exact in f32, so that a sum takes one rounding for each.
func mmaLaunches() []launch {
	var all []launch
	for _, c := range []struct{ m, n, k int }{{16, 16, 16}, {32, 16, 64}, {16, 48, 32}} {
		w := words(33)
		half := func(count int) (v []float32, packed []uint32) {
			for i, x := range w.ints(count, -2000, 2000) {
				h := num.CvtF16FromF32(float32(x) / 512)
				v = append(v, num.CvtF32FromF16(h))
				if i%2 == 0 {
					packed = append(packed, uint32(h))
				} else {
					packed[i/2] |= uint32(h) << 16
				}
			}
			return v, packed
		}
		a, pa := half(c.m * c.k)
		b, pb := half(c.k * c.n)
		want := fill(c.m*c.n, func(i int) float32 {
			sum := float32(0)
			for t := range c.k {
				sum += float32(a[i/c.n*c.k+t] * b[t*c.n+i%c.n])
			}
			return sum
		})
		all = append(all, launch{
			name: "matmul_mma", files: ptx("matmul_mma"), kernel: "matmul_mma", grid: [3]uint32{uint32(c.n / 16), uint32(c.m / 16), 1}, block: x(64),
			args: []any{buffer{name: "a", data: pa}, buffer{name: "b", data: pb}, buffer{name: "c", data: make([]float32, c.m*c.n), want: want}, uint32(c.n), uint32(c.k)},
		})
	}
	return all
}

func shift128Launches(w *words) []launch {
	const n = 64
	in := w.u32s(4 * n)
	distance := fill(n, func(i int) uint32 { return uint32(i) % 32 })
	var left, right, rotated []uint32
	for i := range n {
		v, s := in[4*i:4*i+4], distance[i]
		left = append(left, split128(new(big.Int).Lsh(join128(v), uint(s)))...)
		right = append(right, split128(new(big.Int).Rsh(join128(v), uint(s)))...) // big.Int shifts as two's complement
		low := uint64(v[1])<<32 | uint64(v[0])
		rotated = append(rotated, bits.RotateLeft32(v[0], -int(s)), bits.RotateLeft32(v[0], int(s)), uint32(low>>s),
			v[0]<<16|v[1]>>16)
	}
	one := func(kernel string, want []uint32) launch {
		return launch{
			name: kernel, files: ptx("shift128"), kernel: kernel, grid: x(1), block: x(n),
			args: []any{buffer{name: "in", data: in}, buffer{name: "n", data: distance},
				buffer{name: "out", data: make([]uint32, 4*n), want: want}},
		}
	}
	return []launch{one("shift_left", left), one("shift_right", right), one("rotate_extract", rotated)}
}

// join128 reads four words, least significant first, as a signed number.
func join128(v []uint32) *big.Int {
	r := big.NewInt(int64(int32(v[3])))
	for i := 2; i >= 0; i-- {
		r.Lsh(r, 32).Add(r, big.NewInt(int64(v[i])))
	}
	return r
}

// split128 returns the low 128 bits as words, least significant first.
func split128(v *big.Int) []uint32 {
	return fill(4, func(i int) uint32 {
		word := new(big.Int).Rsh(v, uint(32*i))
		return uint32(word.And(word, big.NewInt(1<<32-1)).Uint64())
	})
}
