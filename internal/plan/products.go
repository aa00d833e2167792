package plan

import (
	"math"
	"slices"
)

// products searches for sequences of moves of all lanes whose composition is the goal.
//
// Input: a goal without lanes that keep, and the dictionary. Output: for each number of moves
// through the LDS hardware the cheapest sequence of at most three moves, first move first.
// Invariant: composition is exact, and free lanes demand nothing. The search is bounded by the work
// that it may do, so that it is the same on every machine.
type products struct {
	d       *dictionary
	best    [mostMoves + 1][]int // by moves through LDS: indexes of moves
	latency [mostMoves + 1]int
	scratch []uint64
	pick    [mostMoves]int   // the moves that are tried
	left    [mostMoves]lanes // what the moves before each of them have to give
	work    int              // the rest of the budget
}

// mostMoves is the length of the longest products.
const mostMoves = 3

// maxWork bounds the comparisons of the search for one shape.
const maxWork = 32 << 20

func newProducts(d *dictionary) *products {
	p := &products{d: d, scratch: make([]uint64, len(d.index[0]))}
	for i := range p.latency {
		p.latency[i] = math.MaxInt
	}
	return p
}

// least returns the least latency found.
func (p *products) least() int { return slices.Min(p.latency[:]) }

// shape searches for a product of a shape, unless a known one with as many moves through LDS is as
// good. All products of a shape have the same latency, so that the first one is as good as any.
func (p *products) shape(want *lanes, s shape) {
	lds := 0
	for _, k := range s.kinds {
		lds += btoi(k == kindSwizzle)
	}
	p.work = maxWork
	if s.latency < p.latency[lds] && p.find(want, s.kinds) {
		p.best[lds] = slices.Clone(p.pick[:len(s.kinds)])
		p.latency[lds] = s.latency
	}
}

// find picks moves of the given kinds, first move first, whose product is want.
func (p *products) find(want *lanes, kinds []kind) bool {
	last := len(kinds) - 1
	if last == 0 {
		p.work -= 64
		p.pick[0] = p.d.find(want, kinds[0], p.scratch)
		return p.pick[0] >= 0
	}
	from, to := p.d.bounds(kinds[last])
	for k := from; k < to && p.work >= 0; k++ {
		p.work -= 8
		p.pick[last] = k
		var ok bool
		if p.left[last], ok = before(want, &p.d.moves[k], p.d.n); ok && p.find(&p.left[last], kinds[:last]) {
			return true
		}
	}
	return false
}

// before returns the lanes that a register must hold before a move, so that want is the result; ok is false if it
// cannot. Lanes that the move does not read are free.
func before(want *lanes, m *move, n int) (r lanes, ok bool) {
	for i := range r {
		r[i] = free
	}
	for i, w := range want[:n] {
		if w == free {
			continue
		}
		s := m.m[i]
		if s < 0 {
			if s != w {
				return r, false
			}
			continue
		}
		if r[s] != free && r[s] != w {
			return r, false
		}
		r[s] = w
	}
	return r, true
}

// follow composes two maps: first a, then b.
func follow(a, b *lanes, n int) (r lanes) {
	r = *b
	for i, s := range b[:n] {
		if s >= 0 {
			r[i] = a[s]
		}
	}
	return r
}
