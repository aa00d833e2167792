package programs

import (
	"fmt"
	"slices"

	"example.org/crosslane"
)

func lockCases() []Case {
	const lanes, rounds, locks = 2 * 48, 1, 5
	total := uint32(rounds * lanes * (lanes + 1) / 2)
	sums := make([]uint32, locks)
	for i := range lanes {
		s := &sums[i*7%locks]
		*s = *s*3 + 1
	}
	handed := fill(32, func(l int) uint32 {
		if l < 16 {
			return uint32(l)
		}
		return uint32(l-16) + 101
	})
	boxes := fill(16, func(l int) uint32 { return uint32(l + 100) })
	// Lanes of one wave that wait for each other need program counters of their own.
	apart := one("handover", "handover", x(1), x(32), out("box", boxes), out("out", handed))
	apart.ISA = crosslane.PTX
	return []Case{
		one("lanes", "spin_lanes", x(2), x(48), in("lock", []uint32{0}), out("sum", []uint32{total}), uint32(rounds)),
		one("done", "spin_done", x(2), x(48), in("locks", make([]uint32, locks)), out("sums", sums), uint32(locks)),
		one("tickets", "tickets", x(2), x(48), out("tickets", []uint32{96, 96}), out("order", fill(96, func(i int) uint32 { return uint32(i) })), out("served", []uint32{96})),
		apart,
	}
}

func exchangeCases() []Case {
	w := words(70)
	const n, turns = 4 * 32, 5
	// With an odd number of turns the last sums are in b, those before in a.
	a := w.u32s(n)
	now, before := a, a
	for range turns {
		now, before = fill(n, func(i int) uint32 { return now[(i+n-1)%n] + now[(i+1)%n] }), now
	}
	const items = 6
	folded := fill(3, func(p int) (s uint32) {
		for i := range uint32(items) {
			s = s*31 + uint32(p)*100 + i*i
		}
		return s
	})
	last := fill(3, func(p int) uint32 { return uint32(p)*100 + (items-1)*(items-1) })
	return []Case{
		one("ring", "ring", x(4), x(32), &Buffer{Name: "a", Data: a, Want: before}, out("b", now), uint32(turns), out("state", []uint32{0, turns})),
		one("pipe", "pipe", x(6), x(32), out("slot", last), in("full", make([]uint32, 3)), out("out", folded), uint32(items)),
	}
}

const empty = ^uint32(0)

// mix is the finaliser of MurmurHash3.
func mix(k uint32) uint32 {
	for _, m := range [2]struct{ shift, factor uint32 }{{16, 0x85ebca6b}, {13, 0xc2b2ae35}} {
		k = (k ^ k>>m.shift) * m.factor
	}
	return k ^ k>>16
}

func hashCases() []Case {
	w := words(71)
	const n, size = 150, 128
	keys := fill(n, func(int) uint32 { return uint32(w.below(90)) * 0x01000193 })
	values := fill(n, func(int) uint32 { return uint32(w.below(1000)) })
	sums, least := map[uint32]uint32{}, map[uint32]uint32{}
	for i, k := range keys {
		sums[k] += values[i]
		if v, ok := least[k]; !ok || values[i] < v {
			least[k] = values[i]
		}
	}
	// Which of two keys that collide is first depends on the order.
	wantKeys, wantSums, wide := constant(size, empty), make([]uint32, size), constant(size, ^uint64(0))
	at := 0
	for k, s := range sums {
		wantKeys[at], wantSums[at], wide[at] = k, s, uint64(k)<<32|uint64(least[k])
		at++
	}
	asked := append(slices.Clone(keys[:40]), 5, 6, 7, 8)
	answers := convert(asked, func(k uint32) uint32 {
		if s, ok := sums[k]; ok {
			return s
		}
		return empty
	})
	tableKeys := &Buffer{Name: "keys", Data: constant(size, empty), Want: wantKeys, Unordered: true}
	tableSums := &Buffer{Name: "sums", Data: make([]uint32, size), Want: wantSums, Unordered: true}
	input, add := in("in", keys), in("values", values)

	const buckets = 32
	lengths, chainSums := make([]uint32, buckets), make([]uint64, buckets)
	for _, k := range keys {
		b := mix(k) % buckets
		lengths[b]++
		chainSums[b] += uint64(k)
	}
	heads := &Buffer{Name: "heads", Data: constant(buckets, empty), Check: func(got any) error {
		for b, h := range got.([]uint32) {
			if (h == empty) != (lengths[b] == 0) {
				return fmt.Errorf("bucket %d begins with %#x and has %d keys", b, h, lengths[b])
			}
		}
		return nil
	}}
	pool := &Buffer{Name: "pool", Data: make([]uint32, 2*n), Check: func(got any) error {
		have := fill(n, func(i int) uint32 { return got.([]uint32)[2*i] })
		if !slices.Equal(sorted(have), sorted(keys)) {
			return fmt.Errorf("the keys of the nodes are %v", have)
		}
		return nil
	}}
	return []Case{
		steps("sums",
			Step{Kernel: "insert", Grid: x(3), Block: x(64), Args: []any{tableKeys, tableSums, uint32(size - 1), input, add, uint32(n)}},
			Step{Kernel: "lookup", Grid: x(1), Block: x(64), Args: []any{tableKeys, tableSums, uint32(size - 1), in("asked", asked), out("answers", answers), uint32(len(asked))}}),
		one("wide", "insert_wide", x(3), x(64), &Buffer{Name: "table", Data: constant(size, ^uint64(0)), Want: wide, Unordered: true}, uint32(size-1), input, add, uint32(n)),
		steps("chains",
			Step{Kernel: "chains", Grid: x(3), Block: x(64), Args: []any{heads, uint32(buckets), pool, out("used", []uint32{n}), input, uint32(n)}},
			Step{Kernel: "chain_sums", Grid: x(1), Block: x(buckets), Args: []any{heads, pool, out("sums", chainSums), out("lengths", lengths)}}),
	}
}
