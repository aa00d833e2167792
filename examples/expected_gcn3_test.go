package examples

import (
	"math/bits"
	"slices"
)

// gcn3Launches covers the kernels for GCN3 alone.
func gcn3Launches() []launch {
	return slices.Concat(permuteLaunches(), dppLaunches(), waveLaunches(), dppScanLaunches())
}

// A wavefront's values and which lanes are on.
type wavefront struct {
	v  []int32
	on func(lane int) bool
}

func always(int) bool { return true }

// at is the result of a cross-lane read of lane j: 0 from a lane that is off.
func (w wavefront) at(j int) int32 {
	if w.on(j) {
		return w.v[j]
	}
	return 0
}

// row computes one result per lane that is on; the remaining lanes keep old.
func (w wavefront) row(old int32, f func(lane int) int32) []int32 {
	return fill(64, func(lane int) int32 {
		if w.on(lane) {
			return f(lane)
		}
		return old
	})
}

// bpermute pulls: bits 7:2 of the byte address name the lane.
func (w wavefront) bpermute(old int32, address func(lane int) int32) []int32 {
	return w.row(old, func(lane int) int32 { return w.at(int(uint32(address(lane)) / 4 % 64)) })
}

// permute pushes: all lanes that are on write, in order, so the greatest wins.
func (w wavefront) permute(old int32, address func(lane int) int32) []int32 {
	buffer := make([]int32, 64)
	for lane := range 64 {
		if w.on(lane) {
			buffer[uint32(address(lane))/4%64] = w.v[lane]
		}
	}
	return w.row(old, func(lane int) int32 { return buffer[lane] })
}

// swizzle follows the formal description of ds_pattern.
func (w wavefront) swizzle(old int32, pattern int) []int32 {
	return w.row(old, func(lane int) int32 {
		if pattern&0x8000 != 0 {
			return w.at(lane/4*4 + pattern>>(2*(lane%4))&3)
		}
		and, or, xor := pattern&31, pattern>>5&31, pattern>>10&31
		return w.at(lane/32*32 + ((lane%32)&and | or) ^ xor)
	})
}

func permuteLaunches() []launch {
	w := words(40)
	src := w.ints(64, 1, 1<<30)
	index := w.ints(64, -1000, 1000) // with repeats, wraps and low bits
	address := func(lane int) int32 { return index[lane] }
	full := wavefront{src, always}
	part := wavefront{src, func(lane int) bool { return lane%5 != 2 }}
	return []launch{{
		name: "permute_gallery", files: forGCN3("permute_gallery"), kernel: "permute_gallery", grid: x(1), block: x(64),
		args: []any{buffer{name: "src", data: src}, buffer{name: "index", data: index}, buffer{name: "out", data: make([]int32, 11*64), want: slices.Concat(
			full.permute(0, address),
			full.bpermute(0, address),
			full.bpermute(0, func(lane int) int32 { return index[lane] + 16 }),
			full.swizzle(0, 0x80f6),
			full.swizzle(0, 0x801b),
			fill(64, func(i int) int32 { return src[i^1] }),
			fill(64, func(i int) int32 { return src[i^16] }),
			fill(64, func(i int) int32 { return src[i/32*32+31-i%32] }),
			fill(64, func(i int) int32 { return src[i/8*8+7-i%8] }),
			fill(64, func(i int) int32 { return src[i/8*8+3] }),
			full.swizzle(0, 0x0906),
		)}},
	}, {
		name: "permute_inactive", files: forGCN3("permute_gallery"), kernel: "permute_inactive", grid: x(1), block: x(64),
		args: []any{buffer{name: "src", data: src}, buffer{name: "index", data: index}, buffer{name: "out", data: make([]int32, 3*64), want: slices.Concat(
			part.permute(-1, address),
			part.bpermute(-1, address),
			part.swizzle(-1, 0x081f),
		)}},
	}}
}

// dppSource returns the lane that a DPP control reads from, and whether there is
// one.
func dppSource(control, lane int) (j int, ok bool) {
	row, i := lane/16*16, lane%16
	n := control & 15
	switch {
	case control <= 0xff: // quad_perm
		return lane/4*4 + control>>(2*(lane%4))&3, true
	case control >= 0x101 && control <= 0x10f: // row_shl
		return lane + n, i+n < 16
	case control >= 0x111 && control <= 0x11f: // row_shr
		return lane - n, i-n >= 0
	case control >= 0x121 && control <= 0x12f: // row_ror
		return row + (i-n+16)%16, true
	case control == 0x130: // wave_shl:1
		return lane + 1, lane < 63
	case control == 0x134: // wave_rol:1
		return (lane + 1) % 64, true
	case control == 0x138: // wave_shr:1
		return lane - 1, lane > 0
	case control == 0x13c: // wave_ror:1
		return (lane + 63) % 64, true
	case control == 0x140: // row_mirror
		return row + 15 - i, true
	case control == 0x141: // row_half_mirror
		return lane/8*8 + 7 - lane%8, true
	case control == 0x142: // row_bcast:15
		if lane < 16 {
			return lane, true
		}
		return row - 1, true
	case control == 0x143: // row_bcast:31
		if lane < 32 {
			return lane, true
		}
		return 31, true
	}
	panic("not a DPP control")
}

// dpp is v_mov_b32 with a DPP modifier: old is the destination before, off the value shown for
// lanes that EXEC excludes.
func (w wavefront) dpp(off, old int32, control, rowMask, bankMask int, boundCtrl bool) []int32 {
	return w.row(off, func(lane int) int32 {
		if rowMask>>(lane/16)&1 == 0 || bankMask>>(lane%16/4)&1 == 0 {
			return old
		}
		j, ok := dppSource(control, lane)
		switch {
		case ok && w.on(j):
			return w.v[j]
		case boundCtrl:
			return 0
		}
		return old
	})
}

func dppLaunches() []launch {
	w := words(41)
	src := w.ints(64, 1, 1<<30)
	full := wavefront{src, always}
	part := wavefront{src, func(lane int) bool { return lane%3 != 1 }}
	var rows []int32
	for _, c := range []struct {
		control, rows, banks int
		zero                 bool
	}{
		{0x1b, 15, 15, false}, {0x39, 15, 15, false}, {0x101, 15, 15, false}, {0x10f, 15, 15, true},
		{0x111, 15, 15, true}, {0x113, 15, 15, false}, {0x125, 15, 15, false}, {0x130, 15, 15, false},
		{0x134, 15, 15, false}, {0x138, 15, 15, true}, {0x13c, 15, 15, false}, {0x140, 15, 15, false},
		{0x141, 15, 15, false}, {0x142, 0xa, 15, false}, {0x143, 0xc, 15, false}, {0x142, 15, 15, false},
		{0x124, 5, 7, false},
	} {
		rows = append(rows, full.dpp(0, -1, c.control, c.rows, c.banks, c.zero)...)
	}
	return []launch{{
		name: "dpp_gallery", files: forGCN3("dpp_gallery"), kernel: "dpp_gallery", grid: x(1), block: x(64),
		args: []any{buffer{name: "src", data: src}, buffer{name: "out", data: make([]int32, len(rows)), want: rows}},
	}, {
		name: "dpp_inactive", files: forGCN3("dpp_gallery"), kernel: "dpp_inactive", grid: x(1), block: x(64),
		args: []any{buffer{name: "src", data: src}, buffer{name: "out", data: make([]int32, 192), want: slices.Concat(
			part.dpp(-7, -1, 0x111, 15, 15, false),
			part.dpp(-7, -1, 0x111, 15, 15, true),
			part.dpp(-7, -1, 0x13c, 15, 15, false),
		)}},
	}}
}

func waveLaunches() []launch {
	w := words(42)
	const n = 256
	in := w.ints(n, -1<<20, 1<<20)
	sums := prefixSums(in, 64)
	totals := fill(4, func(i int) int32 { return sums[64*i+63] })
	all := []launch{{
		name: "wave_scan", files: forGCN3("wave_scan"), kernel: "wave_scan", grid: x(2), block: x(128),
		args: []any{buffer{name: "in", data: in}, buffer{name: "out", data: make([]int32, n), want: sums},
			buffer{name: "totals", data: make([]int32, 4), want: totals}},
	}, {
		name: "reduce_swizzle", files: forGCN3("wave_reduce"), kernel: "reduce_swizzle", grid: x(4), block: x(64),
		args: []any{buffer{name: "in", data: in}, buffer{name: "out", data: make([]int32, n),
			want: fill(n, func(i int) int32 { return totals[i/64] })}},
	}}
	for _, c := range []struct{ grid, block, n int }{{4, 256, 1024}, {3, 100, 290}, {2, 64, 128}, {3, 17, 40}} {
		in := w.ints(c.grid*c.block, -1<<20, 1<<20)
		all = append(all, launch{
			name: "block_scan", files: forGCN3("wave_scan"), kernel: "block_scan", grid: x(uint32(c.grid)), block: x(uint32(c.block)),
			args: []any{buffer{name: "in", data: in}, buffer{name: "out", data: constant(len(in), int32(-1)),
				want: append(prefixSums(in[:c.n], c.block), constant(len(in)-c.n, int32(-1))...)}, uint32(c.n)},
		})
	}
	f := w.floats(128)
	reduced := slices.Clone(f)
	for d := 32; d > 0; d /= 2 {
		before := slices.Clone(reduced)
		for i := range reduced {
			reduced[i] = before[i] + before[i^d]
		}
	}
	all = append(all, launch{
		name: "reduce_bpermute", files: forGCN3("wave_reduce"), kernel: "reduce_bpermute", grid: x(2), block: x(64),
		args: []any{buffer{name: "in", data: f}, buffer{name: "out", data: make([]float32, 128), want: reduced}},
	})

	v := w.ints(64, 0, 80)
	var odd uint64
	first := int32(0)
	for lane := 63; lane >= 0; lane-- {
		odd |= uint64(v[lane]&1) << lane
		if v[lane] > 40 {
			first = v[lane]
		}
	}
	const pick = 64 + 37
	return append(all, launch{
		name: "lane_scalars", files: forGCN3("wave_reduce"), kernel: "lane_scalars", grid: x(1), block: x(64),
		args: []any{buffer{name: "in", data: v}, buffer{name: "out", data: make([]int32, 6*64), want: slices.Concat(
			constant(64, v[37]),
			fill(64, func(i int) int32 {
				if i == 9 {
					return v[0]
				}
				return -5
			}),
			fill(64, func(i int) int32 { return int32(i) }),
			fill(64, func(i int) int32 { return int32(bits.OnesCount64(odd & (1<<i - 1))) }),
			constant(64, int32(uint32(odd>>32)^uint32(odd))),
			fill(64, func(i int) int32 {
				if v[i] > 40 {
					return first
				}
				return 0
			}),
		)}, uint32(pick)},
	})
}

// dppScanLaunches covers the prefix sum written by hand. Floats are added in the
// order of the seven instructions; numbers that add without rounding show that
// the order does not matter otherwise.
func dppScanLaunches() []launch {
	w := words(43)
	in := append(constant(64, float32(1)), w.floats(64)...)
	out := slices.Concat(sevenSteps(in[:64]), sevenSteps(in[64:]))
	return []launch{{
		name: "dpp_scan", files: forGCN3("dpp_scan"), kernel: "dpp_scan", grid: x(2), block: x(64),
		args: []any{buffer{name: "in", data: in}, buffer{name: "out", data: make([]float32, 128), want: out}},
	}}
}

func sevenSteps(v0 []float32) []float32 {
	v1 := slices.Clone(v0)
	for _, n := range []int{1, 2, 3} { // row_shr:n of the input; 0 where the row ends
		for i := range v1 {
			if i%16 >= n {
				v1[i] = v0[i-n] + v1[i]
			}
		}
	}
	for _, n := range []int{4, 8} { // row_shr:n of the sums, read before they are written
		before := slices.Clone(v1)
		for i := range v1 {
			if i%16 >= n {
				v1[i] = before[i-n] + before[i]
			}
		}
	}
	for i := range v1 { // row_bcast:15 into rows 1 and 3
		if i/16%2 == 1 {
			v1[i] = v1[i/16*16-1] + v1[i]
		}
	}
	for i := range 32 { // row_bcast:31 into rows 2 and 3
		v1[32+i] = v1[31] + v1[32+i]
	}
	return v1
}
