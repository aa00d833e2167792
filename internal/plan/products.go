package plan

import (
	"math"
	"sync"
)

// products searches for sequences of moves of the whole register whose composition is the goal.
//
// Input: a goal without lanes that keep, and the dictionary. Output: for each number of moves
// through the LDS hardware the cheapest sequence of at most three moves, first move first.
// Invariant: composition is exact, and free lanes demand nothing. The search is bounded by the work
// that it may do, so that it is the same on every machine.
type products struct {
	d       *dictionary
	best    [4][]int // by moves through LDS: indexes of moves
	cost    [4]int
	scratch []uint64
	work    int // the rest of the budget
}

// maxWork bounds the comparisons of one search.
const maxWork = 32 << 20

func newProducts(d *dictionary) *products {
	p := &products{d: d, scratch: make([]uint64, len(d.index[0])), work: maxWork}
	for i := range p.cost {
		p.cost[i] = math.MaxInt
	}
	return p
}

// note keeps a sequence if it is cheaper than the known ones with as many LDS moves.
func (p *products) note(list ...int) {
	cost, lds := 0, 0
	for _, k := range list {
		cost += p.d.moves[k].cost
		lds += btoi(p.d.moves[k].lds)
	}
	if cost < p.cost[lds] {
		p.cost[lds] = cost
		p.best[lds] = append([]int(nil), list...)
	}
}

// least returns the least cost found.
func (p *products) least() int {
	c := math.MaxInt
	for _, x := range p.cost {
		c = min(c, x)
	}
	return c
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

// one looks the goal up.
func (p *products) one(want *lanes) {
	for _, limit := range []int{p.d.plain, len(p.d.moves)} {
		if k := p.d.find(want, limit, p.scratch); k >= 0 {
			p.note(k)
		}
	}
}

// two searches for products of two moves. limit bounds both: d.plain for those without LDS.
func (p *products) two(want *lanes, limit int, most int, tail ...int) {
	cost := 0
	for _, k := range tail {
		cost += p.d.moves[k].cost
	}
	for j := range p.d.moves[:limit] {
		m := &p.d.moves[j]
		if cost+m.cost+p.d.moves[0].cost >= most || p.work < 0 {
			break
		}
		p.work -= 8
		x, ok := before(want, m, p.d.n)
		if !ok {
			continue
		}
		p.work -= 64
		if k := p.d.find(&x, limit, p.scratch); k >= 0 {
			p.note(append([]int{k, j}, tail...)...)
		}
	}
}

// three searches for products of three moves that cost less than most.
func (p *products) three(want *lanes, limit int, most int) {
	for j := range p.d.moves[:limit] {
		m := &p.d.moves[j]
		if m.cost+2*p.d.moves[0].cost >= most || p.work < 0 {
			break
		}
		if x, ok := before(want, m, p.d.n); ok {
			p.two(&x, limit, most, j)
			most = min(most, p.least())
		}
	}
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
