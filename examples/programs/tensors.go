package programs

import (
	"math"
)

// product multiplies an m x k matrix with a k x n matrix, in float64.
func product(a, b []float64, n, k int) []float64 {
	return fill(len(a)/k*n, func(i int) (s float64) {
		for j := range k {
			s += a[i/n*k+j] * b[j*n+i%n]
		}
		return s
	})
}

// byColumns stores a k x n matrix by columns.
func byColumns[T any](b []T, n, k int) []T {
	return fill(n*k, func(i int) T { return b[i%k*n+i/k] })
}

// smallInts are numbers whose products and sums are exact in every format, so that
// the order in which a matrix product adds does not matter.
func (w *words) smallInts(n int) []float64 {
	return fill(n, func(int) float64 { return float64(w.below(17) - 8) })
}

func single(v float64) float32 { return float32(v) }

const sumWhy = "the ISA leaves the order and the precision of the sum open"

func wmmaCases() []Case {
	w := words(100)
	const m, n, k = 32, 48, 64
	a, b := w.smallInts(m*k), w.smallInts(k*n)
	c, d, e := w.smallInts(256), w.smallInts(256), w.smallInts(256)
	sums := product(c, d, 16, 16)
	for i := range sums {
		sums[i] += e[i]
	}
	return []Case{
		one("f32", "wmma_f32", xy(n/16, m/16), x(32), in("a", convert(a, f16().bits)), in("b", convert(b, f16().bits)),
			out("c", convert(product(a, b, n, k), single)), uint32(n), uint32(k)),
		one("f16", "wmma_f16", x(1), x(32), in("a", convert(c, f16().bits)), in("b", convert(byColumns(d, 16, 16), f16().bits)),
			&Buffer{Name: "c", Data: convert(e, f16().bits), Want: convert(sums, f16().bits)}),
	}
}

// tf32 keeps 10 bits of a fraction, halves rounded away from zero.
func tf32(f float32) float64 {
	return float64(math.Float32frombits((math.Float32bits(f) + 1<<12) &^ (1<<13 - 1)))
}

// gemm is a product of halves that are sums of integers, made in two files.
func gemm(name, kernel string, m, n, k int, grid, block [3]uint32) Case {
	w := words(101)
	a, b := w.smallInts(m*k), w.smallInts(k*n)
	return one(name, kernel, grid, block, in("a", convert(a, f16().bits)), in("b", convert(b, f16().bits)),
		out("c", convert(product(a, b, n, k), single)), uint32(n), uint32(k))
}

func tensorCases() []Case {
	w := words(102)
	ba, bb := bf16().randoms(&w, 16*16), bf16().randoms(&w, 16*8)
	bc := product(convert(ba, bf16().value), convert(bb, bf16().value), 8, 16)
	ta, tb := w.floats(16*8), w.floats(8*8)
	tc := product(convert(ta, tf32), convert(tb, tf32), 8, 8)
	sa, sb := w.bytes(16*32), w.bytes(32*8)
	signed := func(b byte) float64 { return float64(int8(b)) }
	start := product(convert(sa, signed), convert(sb, signed), 8, 32)
	sc := fill(16*8, func(i int) int32 { return int32(start[i]) + int32(1+i%2+i/64*2) })
	const k = 12
	da, db := w.smallInts(8*k), w.smallInts(k*8)
	halves := convert(w.u32s(64), func(v uint32) uint16 { return uint16(v) })
	return []Case{
		gemm("f16", "gemm_f16", 32, 24, 48, xy(3, 2), x(32)),
		one("bf16", "mma_bf16", x(1), x(32), in("a", ba), in("b", byColumns(bb, 8, 16)), approx("c", convert(bc, single), 1e-6, sumWhy)),
		one("tf32", "mma_tf32", x(1), x(32), in("a", ta), in("b", byColumns(tb, 8, 8)), approx("c", convert(tc, single), 1e-6, sumWhy)),
		one("s8", "mma_s8", x(1), x(32), in("a", sa), in("b", byColumns(sb, 8, 32)), out("c", sc)),
		one("f64", "mma_f64", x(1), x(32), in("a", da), in("b", byColumns(db, 8, k)), out("c", product(da, db, 8, k)), uint32(k)),
		one("turn", "turn", x(1), x(32), in("in", halves), out("out", byColumns(halves, 8, 8))),
	}
}

func warpCases() []Case {
	w := words(103)
	v := w.ints(64, math.MinInt32, math.MaxInt32)
	v[3] = 77 // all lanes of this warp but one have the high bits that they have
	reduced := make([]int32, 16)
	for half := range 2 {
		o := reduced[8*half : 8*half+8]
		copy(o, []int32{0, math.MaxInt32, math.MinInt32, -1, 0, -1, 0, 0})
		for _, e := range v[32*half : 32*half+32] {
			o[0] += e
			o[1], o[2] = min(o[1], e), max(o[2], e)
			o[3], o[4] = int32(min(uint32(o[3]), uint32(e))), int32(max(uint32(o[4]), uint32(e)))
			o[5] &= e
			o[6] |= e
			o[7] ^= e
		}
	}
	keys := convert(w.u32s(64), func(v uint32) uint32 { return v % 5 })
	sums, sizes := make([]int32, 64), make([]uint32, 64)
	positive := make([]uint32, 2)
	for i := range 64 {
		for j := i &^ 31; j < i&^31+32; j++ {
			if keys[i] == keys[j] {
				sums[i] += v[j]
				sizes[i]++
			}
		}
		if v[i] > 0 {
			positive[i/32] += 1 << 8
		}
	}
	for i := range positive {
		positive[i]++ // the one that was elected is the one that the others were told of
	}
	return []Case{
		one("redux", "reductions", x(1), x(64), in("in", v), out("out", reduced)),
		one("groups", "by_group", x(2), x(32), in("key", keys), in("value", v), out("sum", sums), out("size", sizes)),
		one("leaders", "leaders", x(1), x(64), in("in", v), out("out", positive)),
	}
}

func gemmTileCases() []Case {
	return []Case{gemm("integers", "gemm_tile", 64, 48, 80, xy(3, 2), x(64))}
}

func warpOpsCases() []Case {
	w := words(104)
	v := convert(w.ints(64, 0, 1000), func(v int32) uint32 { return uint32(v) })
	v[40] = 0x80000000
	var all []Case
	for _, lanes := range []int{32, 21, 1} {
		want := make([]uint32, 7*64)
		for base := 0; base < 64; base += 32 {
			there := v[base : base+lanes]
			var add, most, xor uint32
			for _, e := range there {
				add, most, xor = add+e, max(most, e), xor^e
			}
			sign := uint32(1)<<lanes - 1
			if base == 32 && lanes > 8 {
				sign = 0xdead // lane 8 alone is negative
			}
			for l, e := range there {
				var same, leader uint32
				least := int32(math.MaxInt32)
				for j, f := range there {
					if e&3 == f&3 {
						same |= 1 << j
					}
					if e&1 == f&1 {
						least = min(least, int32(f))
					}
				}
				if l == 0 { // the ISA leaves open who is elected: it is the lowest lane
					leader = 256
				}
				copy(want[7*(base+l):], []uint32{add, most, xor, same, sign, leader, uint32(least)})
			}
		}
		all = append(all, one("", "warp_ops", x(1), x(64), in("in", v), out("out", want), uint32(lanes)))
	}
	return all
}

func bulkCases() []Case {
	w := words(105)
	const tiles = 5
	v := w.u32s(128 * tiles)
	sums := make([]uint32, 128)
	for i, e := range v {
		sums[i%128] += e
	}
	squares := convert(v, func(e uint32) uint32 { return e * e })
	return []Case{one("tiles", "bulk_pipeline", x(1), x(128), in("in", v), out("out", sums), out("squares", squares), uint32(tiles))}
}

func specialisedCases() []Case {
	w := words(106)
	const rounds = 7
	v := w.u32s(64 * rounds)
	folded := fill(64, func(i int) uint32 {
		s := uint32(1)
		for r := range rounds {
			s = s*31 + v[64*r+63-i]
		}
		return s
	})
	return []Case{one("rounds", "specialised", x(1), x(96), in("in", v), out("out", folded), uint32(rounds))}
}

func predicateScanCases() []Case {
	w := words(107)
	v := w.u32s(500)
	var sums []uint32
	for b := 0; b < 500; b += 256 {
		sums = append(sums, running(v[b:min(b+256, 500)])...)
	}
	floats := w.floats(32)
	floats[9], floats[20] = 3, 3
	top := fill(64, func(i int) uint32 { return [2]uint32{math.Float32bits(3), 9}[i%2] })
	return []Case{
		one("scan", "predicate_scan", x(2), x(256), in("in", v), out("out", sums), int32(500)),
		one("highest", "highest", x(1), x(32), in("in", floats), out("out", top)),
	}
}

func aggregateCases() []Case {
	w := words(108)
	v := w.u32s(300)
	kept := uint32(0)
	for _, e := range v {
		kept += 1 - e&1
	}
	// Who gets which place depends on who comes first: all places are given, and those
	// of one warp in the order of its lanes.
	places := &Buffer{Name: "out", Data: constant(300, ^uint32(0)), Unordered: true}
	places.Want = append(fill(int(kept), func(i int) uint32 { return uint32(i) + 5 }), constant(300-int(kept), ^uint32(0))...)
	keys := convert(w.bytes(32), func(b byte) byte { return b % 8 })
	ranks := fill(32, func(i int) uint32 {
		n := uint32(256)
		for _, k := range keys[:i+1] {
			if k == keys[i] {
				n++
			}
		}
		return n
	})
	return []Case{
		one("places", "aggregate", x(3), x(128), in("in", v), places, out("count", []uint32{kept + 5}), uint32(300)),
		one("votes", "by_vote", x(1), x(32), in("in", keys), out("out", ranks)),
	}
}
