package programs

import (
	"cmp"
	"slices"
)

// treeSum adds as a tree in shared memory does: the upper half to the lower.
func treeSum(v []float32) float32 {
	v = slices.Clone(v)
	for d := len(v) / 2; d > 0; d /= 2 {
		for i := range d {
			v[i] += v[i+d]
		}
	}
	return v[0]
}

func sum[T int32 | uint32 | uint64](v []T) (s T) {
	for _, e := range v {
		s += e
	}
	return s
}

func reduceCases() []Case {
	w := words(1)
	floats := w.floats(3 * 256)
	ints := w.ints(700, -1<<30, 1<<30)
	words := w.u32s(1000)
	trees := fill(3, func(b int) float32 { return treeSum(floats[256*b : 256*(b+1)]) })

	// A block's threads take every 2 x 128th element.
	strided := make([]int32, 2)
	for i, v := range ints {
		strided[i/128%2] += v
	}
	strided64 := make([]uint64, 5)
	var total uint64
	for i, v := range words {
		strided64[i/64%5] += uint64(v)
		total += uint64(v)
	}
	groups := func(kernel string, size int) Case {
		v := ints[:256]
		var sums, tops []int32
		for g := range slices.Chunk(v, size) {
			sums = append(sums, sum(g))
			tops = append(tops, slices.Max(g))
		}
		return one(kernel, kernel, x(2), x(128), in("in", v), out("sums", sums), out("tops", tops))
	}
	return []Case{
		one("shared", "reduce_shared", x(3), x(256), in("in", floats), out("out", trees)),
		one("shuffle", "reduce_shuffle", x(2), x(128), in("in", ints), out("out", strided), int32(700)),
		one("atomic", "reduce_atomic", x(6), x(128), in("in", ints), out("out", []int32{sum(ints)}), int32(700)),
		groups("reduce_tiles4", 4),
		groups("reduce_tiles16", 16),
		one("last block", "reduce_last_block", x(5), x(64), in("in", words), out("part", strided64), out("out", []uint64{total}), int32(1000)),
	}
}

func running[T int32 | uint32](v []T) []T {
	var s T
	return convert(v, func(e T) T { s += e; return s })
}

func scanCases() []Case {
	w := words(2)
	ints, words := w.ints(3*128, -1<<31, 1<<31-1), w.u32s(2*512)
	floats := w.floats(2 * 256)
	var a []int32
	for b := range slices.Chunk(ints, 128) {
		a = append(a, running(b)...)
	}
	var c []uint32
	for b := range slices.Chunk(words, 512) {
		c = append(c, running(b)...)
	}
	// Multiples of 2^-20 below 2: 256 of them are added without rounding as long as
	// the sums stay below 16, which these do not. So the tree is followed.
	var f []float32
	for b := range slices.Chunk(floats, 256) {
		f = append(f, exclusiveTree(b, 0)...)
	}
	return []Case{
		one("hillis steele", "hillis_steele", x(3), x(128), in("in", ints), out("out", a)),
		one("blelloch", "blelloch", x(2), x(128), in("in", floats), out("out", f)),
		one("warps", "warp_block", x(2), x(128), in("in", words), out("out", c)),
	}
}

// exclusiveTree is the sum of the elements before each element, added as Blelloch's
// tree adds it: the sum before the left half stays, the right half gets the left
// half's sum added to it. (before + left, in this order, which addition forgives.)
func exclusiveTree(v []float32, before float32) []float32 {
	if len(v) == 1 {
		return []float32{before}
	}
	left, right := v[:len(v)/2], v[len(v)/2:]
	return append(exclusiveTree(left, before), exclusiveTree(right, before+pairwise(left))...)
}

// pairwise adds neighbours, then neighbouring sums, and so on.
func pairwise(v []float32) float32 {
	if len(v) == 1 {
		return v[0]
	}
	return pairwise(v[:len(v)/2]) + pairwise(v[len(v)/2:])
}

func lookbackCases() []Case {
	w := words(3)
	v := w.u32s(1000)
	// In the end every part of the array knows its whole prefix.
	r := running(append(slices.Clone(v), constant(24, uint32(0))...))
	state := fill(16, func(i int) uint64 { return 2<<32 | uint64(r[64*i+63]) })
	return []Case{one("lookback", "scan_lookback", x(16), x(64), in("in", v), out("out", r[:1000]), out("state", state), uint32(1000))}
}

func sorted[T cmp.Ordered](v []T) []T {
	s := slices.Clone(v)
	slices.Sort(s)
	return s
}

func sortCases() []Case {
	w := words(4)
	floats := w.floats(2 * 256)
	var f []float32
	for b := range slices.Chunk(floats, 256) {
		f = append(f, sorted(b)...)
	}
	wide := w.u64s(512)
	stepped := &Buffer{Name: "keys", Data: wide, Want: sorted(wide)}
	var all []Step
	for size := uint32(2); size <= 512; size *= 2 {
		for d := size / 2; d > 0; d /= 2 {
			all = append(all, Step{Kernel: "bitonic_step", Grid: x(4), Block: x(128), Args: []any{stepped, size, d}})
		}
	}
	ints := w.ints(128, -100, 100)
	var warps []int32
	for b := range slices.Chunk(ints, 32) {
		warps = append(warps, sorted(b)...)
	}
	// Keys that occur more than once keep their order.
	keys := convert(w.u32s(256), func(v uint32) uint32 { return v & 0xf00f000f })
	values := fill(256, func(i int) uint32 { return uint32(i) })
	order := slices.Clone(values)
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(keys[a], keys[b]) })
	return []Case{
		one("block", "bitonic_block", x(2), x(256), &Buffer{Name: "keys", Data: floats, Want: f}),
		steps("steps", all...),
		one("warp", "bitonic_warp", x(2), x(64), &Buffer{Name: "keys", Data: ints, Want: warps}),
		one("radix", "radix_block", x(1), x(64), in("keys", keys), in("values", values), out("keys_out", sorted(keys)), out("values_out", order)),
	}
}

func histogramCases() []Case {
	w := words(5)
	text := w.bytes(1500)
	bins := make([]uint32, 64)
	for _, b := range text {
		bins[b/4]++
	}
	floats := w.floats(400)
	ranges := make([]uint32, 10)
	for _, f := range floats {
		ranges[min(max(int((f+1.5)/0.25), 0), 9)]++
	}
	bin, weight := w.u32s(300), w.u32s(300)
	sums := make([]uint64, 16)
	for i := range bin {
		sums[bin[i]%16] += uint64(weight[i])
	}
	return []Case{
		one("bytes", "histogram_bytes", x(3), x(128), in("in", text), out("bins", bins), uint32(1500)),
		one("range", "histogram_range", x(4), x(128), in("in", floats), out("bins", ranges), uint32(10), float32(-1.5), float32(0.25), uint32(400)),
		one("weighted", "histogram_weighted", x(3), x(128), in("bin", bin), in("weight", weight), out("sums", sums), uint32(300)),
	}
}

func transposeCases() []Case {
	w := words(6)
	const width, height = 37, 21
	m := fill(width*height, func(i int) float64 { return float64(int64(w.next())) })
	t := fill(width*height, func(i int) float64 { return m[i%height*width+i/height] })
	bits := w.u32s(64)
	turned := fill(64, func(i int) (v uint32) {
		for j := range 32 {
			v |= bits[i/32*32+j] >> (i % 32) & 1 << j
		}
		return v
	})
	bytes := w.u32s(4 * 32)
	swapped := fill(4*32, func(i int) (v uint32) {
		for j := range 4 {
			v |= bytes[i/4*4+j] >> (8 * (i % 4)) & 0xff << (8 * j)
		}
		return v
	})
	shared := one("f64", "transpose_f64", xy(3, 2), xy(16, 8), in("in", m), out("out", t), uint32(width), uint32(height))
	shared.Steps[0].Shared = 16 * 17 * 8
	return []Case{
		shared,
		one("bits", "transpose_bits", x(1), x(64), in("in", bits), out("out", turned)),
		one("bytes", "transpose_bytes", x(1), x(32), in("in", bytes), out("out", swapped)),
	}
}
