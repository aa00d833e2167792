package plan

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"example.org/crosslane/api"
)

// A kind is a form of instruction of a sequence. The waits and the latency of a sequence depend on the
// kinds of its instructions and their order, not on their controls. The kinds that move all lanes
// come first, in the order of their latencies.
type kind uint8

const (
	kindDPP     kind = iota // moves the source or the moved source
	kindSwizzle             // the same through the LDS hardware
	kindShuffle             // the same on PTX
	kindCopy                // copies the source to the result
	kindPatch               // moves the source into some lanes of the result
)

// prices knows the latencies of sequences by their kinds. It measures a sequence of each shape with
// the function that measures the answers, so that a bound of the search and the cost of an answer
// cannot differ.
type prices struct {
	isa   api.ISA
	d     *dictionary
	w     writer
	mu    sync.Mutex
	known map[string]int
}

// Prices are the same for all active lanes.
var (
	gcn3Prices = sync.OnceValue(func() *prices {
		return &prices{isa: api.GCN3, d: fullGCN3(), w: gcn3Writer{}, known: map[string]int{}}
	})
	ptxPrices = sync.OnceValue(func() *prices {
		return &prices{isa: api.PTX, d: fullPTX(), w: ptxWriter{}, known: map[string]int{}}
	})
)

// of returns the latency in cycles of a sequence of kinds, first instruction first; math.MaxInt if
// there is no sequence of that form.
func (p *prices) of(kinds ...kind) int {
	key := make([]byte, len(kinds))
	for i, k := range kinds {
		key[i] = byte(k)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c, ok := p.known[string(key)]
	if !ok {
		c = latency(p.isa, p.sample(kinds))
		p.known[string(key)] = c
	}
	return c
}

// patched returns the latency of a base and n patches.
func (p *prices) patched(base kind, n int) int {
	return p.of(append([]kind{base}, slices.Repeat([]kind{kindPatch}, n)...)...)
}

// sample writes a sequence of kinds: products read the moved source, copies and patches the source.
func (p *prices) sample(kinds []kind) sequence {
	s := &search{d: p.d, w: p.w}
	q := sequence{how: "a sample"}
	src := p.w.reg(0)
	for _, k := range kinds {
		switch k {
		case kindCopy:
			q.code = append(q.code, p.w.move(p.w.reg(1), p.w.reg(0)))
		case kindPatch:
			q.code = append(q.code, p.d.dpp[0].text(p.w.reg(1), p.w.reg(0), 1, 1))
		default:
			from, _ := p.d.bounds(k)
			q.code = append(q.code, s.line(&p.d.moves[from], p.w.reg(1), src))
		}
		src = p.w.reg(1)
	}
	return q
}

// latency measures a sequence. One that does not assemble, or whose waits are not found, is no answer
// and has math.MaxInt.
func latency(isa api.ISA, q sequence) int {
	m, err := measure(isa, q)
	if err != nil || len(m.finds) > 0 {
		return math.MaxInt
	}
	return m.cost.Latency
}

// A shape is the kinds of the moves of a product, first move first, and its latency.
type shape struct {
	kinds   []kind
	latency int
}

// shapes lists the products of at most long moves, the cheapest first and the shorter of two equal
// ones.
func (p *prices) shapes(long int) []shape {
	var out []shape
	last := [][]kind{nil}
	for range long {
		var next [][]kind
		for _, tail := range last {
			for k := range kindCopy {
				if from, to := p.d.bounds(k); from < to {
					next = append(next, append([]kind{k}, tail...))
				}
			}
		}
		for _, kinds := range next {
			out = append(out, shape{kinds, p.of(kinds...)})
		}
		last = next
	}
	slices.SortStableFunc(out, func(a, b shape) int { return cmp.Compare(a.latency, b.latency) })
	return out
}
