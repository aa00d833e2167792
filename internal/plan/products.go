package plan

import (
	"math"
	"slices"
	"sync"
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

// permutations are the products of bijective moves without LDS, by length.
type permutations struct {
	n      int
	moves  []int // indexes in the dictionary
	known  map[lanes]step
	levels [][]lanes
}

// A step is the last move of a product and the product of the moves before it.
type step struct {
	from lanes
	move int
	long int
}

// makePermutations lists the products of at most depth moves.
func makePermutations(d *dictionary, depth int) *permutations {
	p := &permutations{n: d.n, known: map[lanes]step{}}
	var identity lanes
	for i := range identity {
		identity[i] = free
		if i < d.n {
			identity[i] = int8(i)
		}
	}
	for k := range d.moves[:d.plain] {
		if d.moves[k].m.bijective(d.n) && d.moves[k].m != identity {
			p.moves = append(p.moves, k)
		}
	}
	p.known[identity] = step{move: -1}
	p.levels = [][]lanes{{identity}}
	for long := 1; long <= depth; long++ {
		var next []lanes
		for _, from := range p.levels[long-1] {
			for _, k := range p.moves {
				q := follow(&from, &d.moves[k].m, d.n)
				if _, ok := p.known[q]; !ok {
					p.known[q] = step{from, k, long}
					next = append(next, q)
				}
			}
		}
		p.levels = append(p.levels, next)
	}
	return p
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

// find returns the shortest product of up to twice the depth that is a bijective goal; nil: none.
func (p *permutations) find(want *lanes) []int {
	best := math.MaxInt
	var first, second lanes
	for long, level := range p.levels {
		if 2*long-1 >= best {
			break // a shortest product has its halves in levels that differ by at most one
		}
		for _, q := range level {
			// want = q, then r: q[r[i]] = want[i].
			var inverse lanes
			for i, s := range q[:p.n] {
				inverse[s] = int8(i)
			}
			r := *want
			for i, s := range want[:p.n] {
				r[i] = inverse[s]
			}
			if s, ok := p.known[r]; ok && long+s.long < best {
				best, first, second = long+s.long, q, r
			}
		}
	}
	if best == math.MaxInt {
		return nil
	}
	return append(p.path(first), p.path(second)...)
}

// path lists the moves of a known product.
func (p *permutations) path(q lanes) []int {
	var out []int
	for s := p.known[q]; s.move >= 0; s = p.known[s.from] {
		out = append([]int{s.move}, out...)
	}
	return out
}

// gcn3Permutations are the products of at most three bijective DPP moves, which decide all products
// of at most six.
var gcn3Permutations = sync.OnceValue(func() *permutations { return makePermutations(fullGCN3(), 3) })
