package programs

import (
	"math/bits"
	"slices"
)

func wave64Cases() []Case {
	w := words(210)
	const n = 2 * 64
	v := w.ints(n, -1000, 1000)
	sums, before, most, total := make([]int32, n), make([]int32, n), make([]int32, n), make([]int32, n)
	for i, e := range v {
		sums[i], most[i] = e, e
		if i%64 > 0 {
			sums[i] += sums[i-1]
			before[i] = sums[i-1]
			most[i] = max(most[i], most[i-1])
		}
		total[i] = sum(v[i/64*64 : i/64*64+64])
	}
	keys := w.u32s(n)
	var ordered []uint32
	for g := range slices.Chunk(keys, 64) {
		ordered = append(ordered, sorted(g)...)
	}
	var parted []int32
	masks := make([]uint64, n/64)
	for g := range slices.Chunk(v, 64) {
		for _, positive := range []bool{true, false} {
			for i, e := range g {
				if (e > 0) != positive {
					continue
				}
				if positive {
					masks[len(parted)/64] |= 1 << i
				}
				parted = append(parted, e)
			}
		}
	}
	// In each round those are there that have so many rounds to go.
	rounds := fill(n, func(int) uint32 { return uint32(w.below(20)) })
	left, speaker := make([]uint32, n), make([]uint32, n)
	for g := range n / 64 {
		for r := range uint32(20) {
			first := uint32(slices.IndexFunc(rounds[64*g:64*g+64], func(m uint32) bool { return m > r }))
			alive := uint32(0)
			for _, m := range rounds[64*g : 64*g+64] {
				if m > r {
					alive++
				}
			}
			for i := range 64 {
				if rounds[64*g+i] > r {
					left[64*g+i] += alive
					speaker[64*g+i] = speaker[64*g+i]*3 + first
				}
			}
		}
	}
	rows := w.u64s(n)
	columns := fill(n, func(i int) (c uint64) {
		for j := range 64 {
			c |= bits.RotateLeft64(rows[i/64*64+j], -(i%64)) & 1 << j
		}
		return c
	})
	near := make([]uint32, 0, 4*n)
	for i, e := range keys {
		mirror, quad, swap := keys[i^15], keys[i^3], keys[i^16]
		sad := swap & 0xff
		for k := 0; k < 32; k += 8 {
			a, b := e>>k&0xff, quad>>k&0xff
			sad += max(a, b) - min(a, b)
		}
		near = append(near, mirror, quad, swap, sad)
	}
	return []Case{
		one("scans", "scans", x(2), x(64), in("in", v), out("sums", sums), out("before", before), out("most", most), out("total", total)),
		one("sort", "sort64", x(1), x(128), &Buffer{Name: "keys", Data: keys, Want: ordered}),
		one("partition", "partition", x(2), x(64), in("in", v), out("out", parted), out("masks", masks)),
		one("countdown", "countdown", x(1), x(128), in("in", rounds), out("left", left), out("speaker", speaker)),
		one("transpose", "transpose64", x(2), x(64), in("in", rows), out("out", columns)),
		one("neighbours", "neighbours", x(2), x(64), in("in", keys), out("out", near)),
	}
}
