package plan

import (
	"math"
	"sync"
)

// A periodic map of 64 lanes does the same in each row of 16 lanes: if lane i reads lane s, then lane i + 16 reads lane
// s + 16, around. It is given by the sources of the first row.
type periodic [16]uint8

// periodicOf returns a map of 64 lanes as a periodic one; ok is false if it is none, or no permutation.
func periodicOf(m *lanes) (p periodic, ok bool) {
	var read [64]bool
	for i, s := range m {
		if s < 0 || read[s] || int(s) != (int(m[i%16])+i/16*16)%64 {
			return p, false
		}
		read[s] = true
		p[i%16] = uint8(m[i%16])
	}
	return p, true
}

// lanes returns the map of all lanes.
func (p *periodic) lanes() (m lanes) {
	for i := range m {
		m[i] = int8((int(p[i%16]) + i/16*16) % 64)
	}
	return m
}

// then composes two maps: first a, then b.
func (a *periodic) then(b *periodic) (r periodic) {
	for i, s := range b {
		r[i] = (a[s&15] + s&^15) & 63
	}
	return r
}

// inverse returns the map that undoes a.
func (a *periodic) inverse() (r periodic) {
	for i, s := range a {
		r[s&15] = (uint8(i) - s&^15) & 63
	}
	return r
}

// crossings is how many lanes of the first row read another row.
func (a *periodic) crossings() (n int) {
	for _, s := range a {
		n += btoi(s > 15)
	}
	return n
}

// permutations are the products of bijective moves without LDS, by length. All of these moves are periodic, so their
// products are.
type permutations struct {
	moves  []int // indexes in the dictionary
	maps   []periodic
	known  map[periodic]step
	levels [][]periodic
}

// A step is the last move of a product, an index into permutations.moves, and the length of the product.
type step struct{ move, long int16 }

// makePermutations lists the products of at most depth moves.
func makePermutations(d *dictionary, depth int) *permutations {
	p := &permutations{known: make(map[periodic]step, 1<<(4*depth))}
	var identity periodic
	for i := range identity {
		identity[i] = uint8(i)
	}
	for k := range d.moves[:d.plain] {
		if m, ok := periodicOf(&d.moves[k].m); ok && m != identity {
			p.moves, p.maps = append(p.moves, k), append(p.maps, m)
		}
	}
	p.known[identity] = step{move: -1}
	p.levels = [][]periodic{{identity}}
	for long := 1; long <= depth; long++ {
		var next []periodic
		for i := range p.levels[long-1] {
			from := &p.levels[long-1][i]
			for k := range p.maps {
				q := from.then(&p.maps[k])
				if _, ok := p.known[q]; !ok {
					p.known[q] = step{int16(k), int16(long)}
					next = append(next, q)
				}
			}
		}
		p.levels = append(p.levels, next)
	}
	return p
}

// find returns the shortest product of up to twice the depth that is a goal, as indexes in the dictionary; nil: none.
func (p *permutations) find(goal *lanes) []int {
	want, ok := periodicOf(goal)
	// A move lets one lane of a row at most read another row.
	if !ok || want.crossings() > 2*(len(p.levels)-1) {
		return nil
	}
	best := math.MaxInt
	var first, second periodic
	for long, level := range p.levels {
		if 2*long-1 >= best {
			break // a shortest product has its halves in levels that differ by at most one
		}
		for i := range level {
			// want = q, then r.
			q := level[i].inverse()
			r := q.then(&want)
			if s, ok := p.known[r]; ok && long+int(s.long) < best {
				best, first, second = long+int(s.long), level[i], r
			}
		}
	}
	if best == math.MaxInt {
		return nil
	}
	return append(p.path(first), p.path(second)...)
}

// path lists the moves of a known product.
func (p *permutations) path(q periodic) []int {
	s := p.known[q]
	out := make([]int, s.long)
	for s.move >= 0 {
		out[s.long-1] = p.moves[s.move]
		undo := p.maps[s.move].inverse()
		q = q.then(&undo)
		s = p.known[q]
	}
	return out
}

// gcn3Permutations are the products of at most three bijective DPP moves, which decide all products of at most six.
// gcn3LongPermutations are those of at most four, which decide eight: to list them takes ten times as long.
var (
	gcn3Permutations     = sync.OnceValue(func() *permutations { return makePermutations(fullGCN3(), 3) })
	gcn3LongPermutations = sync.OnceValue(func() *permutations { return makePermutations(fullGCN3(), 4) })
)
