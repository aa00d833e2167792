package examples

import (
	"math/bits"
	"slices"
)

func ptx(name string) []string { return []string{"ptx/" + name + ".ptx"} }

// ptxLaunches covers the kernels compiled for PTX alone.
func ptxLaunches() []launch {
	return slices.Concat(blockScanLaunches(), warpReduceLaunches(), voteLaunches(), shflLaunches(), funnelLaunches())
}

// prefixSums adds up each run of size elements separately.
func prefixSums(in []int32, size int) []int32 {
	out := slices.Clone(in)
	for i := range out {
		if i%size != 0 {
			out[i] += out[i-1]
		}
	}
	return out
}

// Blocks of many shapes: whole warps, part of one, one and a bit, the greatest.
func blockScanLaunches() []launch {
	var all []launch
	for _, c := range []struct{ grid, block, n int }{{4, 256, 1024}, {4, 256, 1000}, {3, 33, 99}, {2, 20, 37}, {2, 1024, 2048}, {5, 95, 400}} {
		w := words(20)
		in := w.ints(c.grid*c.block, -1<<20, 1<<20)
		all = append(all, launch{
			name: "block_scan", files: []string{"ptx/block_scan.ptx", "ptx/block_scan_debug.ptx"}, kernel: "block_scan",
			grid: x(uint32(c.grid)), block: x(uint32(c.block)),
			args: []any{
				buffer{name: "in", data: in},
				buffer{name: "out", data: constant(len(in), int32(-1)),
					want: append(prefixSums(in[:c.n], c.block), constant(len(in)-c.n, int32(-1))...)},
				int32(c.n),
			},
		})
	}
	return all
}

func warpReduceLaunches() []launch {
	w := words(21)
	const n = 64
	f := w.floats(n)
	sums := slices.Clone(f)
	for d := 16; d > 0; d /= 2 {
		before := slices.Clone(sums)
		for i := range sums {
			sums[i] = before[i] + before[i^d]
		}
	}
	in := w.ints(n, -1<<31, 1<<31-1)
	one := func(kernel string, out, want []int32) launch {
		return launch{
			name: kernel, files: ptx("warp_reduce"), kernel: kernel, grid: x(2), block: x(32),
			args: []any{buffer{name: "in", data: in}, buffer{name: "out", data: out, want: want}},
		}
	}
	var totals, folds []int32
	for i := 0; i < n; i += 32 {
		totals = append(totals, sum(in[i:i+32]))
		folds = append(folds, fold(in[i:i+32])...)
	}
	halves := slices.Concat(
		constant(16, sum(in[:16])),
		constant(16, slices.Max(in[16:32])*3))
	h := one("reduce_halves", make([]int32, 32), halves)
	h.grid = x(1)
	return []launch{
		{
			name: "reduce_bfly", files: ptx("warp_reduce"), kernel: "reduce_bfly", grid: x(2), block: x(32),
			args: []any{buffer{name: "in", data: f}, buffer{name: "out", data: make([]float32, n), want: sums}},
		},
		one("reduce_down", make([]int32, 2), totals),
		one("reduce_segments", make([]int32, n), fill(n, func(i int) int32 { return slices.Max(in[i/8*8 : i/8*8+8]) })),
		one("reduce_redux", make([]int32, 16), folds),
		h,
	}
}

func sum(in []int32) (s int32) {
	for _, v := range in {
		s += v
	}
	return s
}

// fold gives add, min, max, umin, umax, and, or, xor.
func fold(in []int32) []int32 {
	unsigned := fill(len(in), func(i int) uint32 { return uint32(in[i]) })
	and, or, xor := int32(-1), int32(0), int32(0)
	for _, v := range in {
		and, or, xor = and&v, or|v, xor^v
	}
	return []int32{sum(in), slices.Min(in), slices.Max(in), int32(slices.Min(unsigned)), int32(slices.Max(unsigned)), and, or, xor}
}

// The function where returns the mask of the elements that satisfy p.
func where[T any](in []T, p func(T) bool) (m uint32) {
	for i, v := range in {
		if p(v) {
			m |= 1 << i
		}
	}
	return m
}

func truth(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func voteLaunches() []launch {
	w := words(22)
	var all []launch
	mixed := w.ints(32, 0, 12)
	mixed[11] = 107
	for _, in := range [][]int32{mixed, w.ints(32, 4, 6), constant(32, int32(7)), w.ints(32, -3, 3)} {
		below100 := where(in, func(v int32) bool { return v < 100 })
		sevens := where(in, func(v int32) bool { return v == 7 })
		above3 := where(in, func(v int32) bool { return v > 3 })
		negative := where(in, func(v int32) bool { return v < 0 })
		all = append(all, launch{
			name: "vote", files: ptx("vote_match"), kernel: "vote", grid: x(1), block: x(32),
			args: []any{buffer{name: "in", data: in}, buffer{name: "out", data: make([]uint32, 160), want: slices.Concat(
				constant(32, where(in, func(v int32) bool { return v&1 == 1 })),
				constant(32, truth(below100 == 1<<32-1)),
				constant(32, truth(sevens != 0)),
				constant(32, truth(above3 == 0 || above3 == 1<<32-1)),
				constant(32, truth(negative == 0)),
			)}},
		})
	}
	for _, in := range [][]int32{w.ints(32, 0, 5), constant(32, int32(-4))} {
		wide := fill(32, func(i int) int64 { return 1<<45 + int64(i%3)<<38 - int64(in[i])<<33 })
		same, sameWide := where(in, func(v int32) bool { return v == in[0] }), where(wide, func(v int64) bool { return v>>40 == wide[0]>>40 })
		full := func(m uint32) uint32 { // match.all: every lane, or none
			if m == 1<<32-1 {
				return m
			}
			return 0
		}
		all = append(all, launch{
			name: "match", files: ptx("vote_match"), kernel: "match", grid: x(1), block: x(32),
			args: []any{buffer{name: "in", data: in}, buffer{name: "wide", data: wide}, buffer{name: "out", data: make([]uint32, 192), want: slices.Concat(
				fill(32, func(i int) uint32 { return where(in, func(v int32) bool { return v == in[i] }) }),
				fill(32, func(i int) uint32 { return where(wide, func(v int64) bool { return v == wide[i] }) }),
				constant(32, full(same)), constant(32, truth(same == 1<<32-1)),
				constant(32, full(sameWide)), constant(32, truth(sameWide == 1<<32-1)),
			)}},
		})
	}
	in := w.ints(32, 0, 31)
	odd := where(in, func(v int32) bool { return v%2 == 1 })
	pick := func(i int, ifOdd, ifEven uint32) uint32 {
		if in[i]%2 == 1 {
			return ifOdd
		}
		return ifEven
	}
	above := func(limit int32) uint32 { return where(in, func(v int32) bool { return v > limit }) }
	all = append(all, launch{
		name: "divergent", files: ptx("vote_match"), kernel: "divergent", grid: x(1), block: x(32),
		args: []any{buffer{name: "in", data: in}, buffer{name: "out", data: make([]uint32, 96), want: slices.Concat(
			fill(32, func(i int) uint32 { return pick(i, odd, ^odd+1) }),
			fill(32, func(i int) uint32 { return pick(i, odd&above(10), ^odd&above(20)) }),
			fill(32, func(i int) uint32 { return where(in, func(v int32) bool { return v%4 == in[i]%4 }) }),
		)}},
	})
	return all
}

// shflSource is PTX ISA 9.7.9.6, line by line.
func shflSource(mode string, lane int, b, c uint32) (j int, p bool) {
	bval, cval, segmask := int(b%32), int(c%32), int(c>>8%32)
	maxLane := lane&segmask | cval&^segmask
	minLane := lane & segmask
	switch mode {
	case "up":
		j = lane - bval
		p = j >= maxLane
	case "down":
		j = lane + bval
		p = j <= maxLane
	case "bfly":
		j = lane ^ bval
		p = j <= maxLane
	case "idx":
		j = minLane | bval&^segmask
		p = j <= maxLane
	}
	if !p {
		j = lane
	}
	return j, p
}

// shflRows returns the data and the predicates of one shuffle.
func shflRows(mode string, in []int32, b, c func(lane int) uint32) []int32 {
	data, in32 := make([]int32, 32), make([]int32, 32)
	for lane := range 32 {
		j, p := shflSource(mode, lane, b(lane), c(lane))
		data[lane], in32[lane] = in[j], int32(truth(p))
	}
	return append(data, in32...)
}

func shflLaunches() []launch {
	w := words(23)
	var all []launch
	in := w.ints(32, -1<<31, 1<<31-1)
	for _, width := range []uint32{32, 16, 8, 4, 2, 1} {
		for _, distance := range []uint32{0, 1, 3, 5, 16, 31, 33, 63} {
			b := func(int) uint32 { return distance }
			segments := (32 - width) << 8
			zero, top := func(int) uint32 { return segments }, func(int) uint32 { return segments | 31 }
			all = append(all, launch{
				name: "shfl_gallery", files: ptx("shfl_gallery"), kernel: "shfl_gallery", grid: x(1), block: x(32),
				args: []any{buffer{name: "in", data: in}, buffer{name: "out", data: make([]int32, 256), want: slices.Concat(
					shflRows("up", in, b, zero), shflRows("down", in, b, top), shflRows("bfly", in, b, top), shflRows("idx", in, b, top),
				)}, distance, width},
			})
		}
	}
	bs, cs := w.u32s(32), w.u32s(32)
	b, c := func(lane int) uint32 { return bs[lane] }, func(lane int) uint32 { return cs[lane] }
	floats, wide := w.floats(32), fill(32, func(int) uint64 { return w.next() })
	return append(all, launch{
		name: "shfl_per_lane", files: ptx("shfl_gallery"), kernel: "shfl_per_lane", grid: x(1), block: x(32),
		args: []any{buffer{name: "in", data: in}, buffer{name: "b", data: bs}, buffer{name: "c", data: cs},
			buffer{name: "out", data: make([]int32, 128), want: append(shflRows("idx", in, b, c), shflRows("up", in, b, c)...)}},
	}, launch{
		name: "shfl_immediate", files: ptx("shfl_gallery"), kernel: "shfl_immediate", grid: x(1), block: x(32),
		args: []any{buffer{name: "in", data: floats}, buffer{name: "out", data: make([]float32, 160), want: slices.Concat(
			fill(32, func(i int) float32 { return floats[max(i-1, 0)] }),
			fill(32, func(i int) float32 { return floats[min(i+1, 31)] }),
			fill(32, func(i int) float32 { return floats[i^1] }),
			constant(32, floats[5]),
			fill(32, func(i int) float32 { return floats[i*7%32] }),
		)}},
	}, launch{
		name: "shfl_64", files: ptx("shfl_gallery"), kernel: "shfl_64", grid: x(1), block: x(32),
		args: []any{buffer{name: "in", data: wide}, buffer{name: "out", data: make([]uint64, 32),
			want: fill(32, func(i int) uint64 { return wide[i/8*8+7-i%8] })}},
	})
}

func funnelLaunches() []launch {
	w := words(24)
	const n = 96
	lo, hi, sel := w.u32s(n), w.u32s(n), w.u32s(n)
	shift := fill(n, func(i int) uint32 { return edges()[i%len(edges())] })
	var funnels, perms []uint32
	for i := range n {
		funnels = append(funnels, funnel(true, false, lo[i], hi[i], shift[i]), funnel(false, false, lo[i], hi[i], shift[i]),
			funnel(true, true, lo[i], hi[i], shift[i]), funnel(false, true, lo[i], hi[i], shift[i]))
		perms = append(perms, prmt(lo[i], hi[i], sel[i]), bits.ReverseBytes32(lo[i]), prmt(lo[i], hi[i], 0x7531), prmt(lo[i], hi[i], 0xba98))
	}
	own := w.u32s(32)
	var steps []launch
	for _, distance := range []uint32{0, 1, 7, 31, 32} {
		var pairs []uint32
		for t := range 32 {
			v := own[t]
			if j := t - int(distance%32); j >= 0 { // c = 0: in range down to lane 0
				v += own[j]
			}
			pairs = append(pairs, v, bits.RotateLeft32(v, t))
		}
		steps = append(steps, launch{
			name: "scan_step", files: ptx("scan_step"), kernel: "scan_step", grid: x(1), block: x(32),
			args: []any{buffer{name: "in", data: own}, buffer{name: "out", data: make([]uint32, 64), want: pairs}, distance},
		})
	}
	return append(steps, launch{
		name: "funnel_modes", files: ptx("funnel_modes"), kernel: "funnel_modes", grid: x(3), block: x(32),
		args: []any{buffer{name: "lo", data: lo}, buffer{name: "hi", data: hi}, buffer{name: "n", data: shift},
			buffer{name: "out", data: make([]uint32, 4*n), want: funnels}},
	}, launch{
		name: "byte_perm", files: ptx("funnel_modes"), kernel: "byte_perm", grid: x(3), block: x(32),
		args: []any{buffer{name: "a", data: lo}, buffer{name: "b", data: hi}, buffer{name: "sel", data: sel},
			buffer{name: "out", data: make([]uint32, 4*n), want: perms}},
	})
}
