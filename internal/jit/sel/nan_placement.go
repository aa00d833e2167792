package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/webs"
)

// This file places NaN canonicalisation.
//
// Input: the f32 webs, with the float properties of the rules (rawIn, rawOut, carries,
// keeps).
// Output: place.raw: the web may hold NaNs with bits that are not canonical.
// Invariant: a raw web is canonicalised at each use that shows its bits; NaNs that no
// use shows are never canonicalised.
// Example: a chain of FMAs in a loop stays raw; the store after the loop makes its NaNs
// canonical once.

// nanPlacement decides which webs are raw. There are two reasons for a raw web. First:
// all its definitions are results with NaNs that may be made canonical later, and the
// uses that show bits run less often than the definitions. Second: no use shows the
// bits of its NaNs.
type nanPlacement struct {
	g     *planner
	cost  []float32 // the weight of uses that show bits, minus that of definitions
	other []bool    // it may get NaNs that must keep their bits
	seen  []bool    // a use shows the bits of its NaNs
	// Edges from an argument to a result: the argument may be the result, or the bits of
	// its NaN show only in a NaN result. See vrule.
	carries [][2]webs.Web
	keeps   [][2]webs.Web
}

// rawRounds bounds the number of rounds over the edges. Webs that are still undecided
// then, in chains of moves against the order of the code, are not raw.
const rawRounds = 8

// placeNaNs decides which webs are raw, and allocates g.places.
func (g *planner) placeNaNs() {
	n := len(g.s.Webs)
	g.places = lir.Cleared(&g.mem.places, n)
	flags := lir.Cleared(&g.mem.flags, 4*n)
	g.normal, g.isNot = flags[:n], flags[n:2*n]
	r := &nanPlacement{g: g, cost: lir.Cleared(&g.mem.costs, n), other: flags[2*n : 3*n], seen: flags[3*n:], carries: g.mem.edges[0][:0], keeps: g.mem.edges[1][:0]}
	r.look()
	for w := range r.other {
		info := &g.s.Webs[w]
		if info.Flags&webs.Const != 0 && payload(info.Const) {
			r.other[w] = true
		}
		if info.Flags&(webs.Input|webs.Aliased) != 0 || g.s.Geom.Exact {
			r.other[w] = r.other[w] || info.Flags&(webs.Input|webs.Aliased) != 0
			r.seen[w] = true
		}
	}
	spread(r.carries, r.other, 0, 1)
	all := append(r.carries, r.keeps...)
	spread(all, r.seen, 1, 0)
	g.mem.edges = [2][][2]webs.Web{all, r.keeps}
	for w := range g.places {
		if info := &g.s.Webs[w]; info.Ref != 0 && info.Flags&(webs.Input|webs.Aliased|webs.Const) == 0 && g.typ(webs.Web(w)) == ir.B32 {
			g.places[w].raw = !r.other[w] && r.cost[w] < 0 || !r.seen[w]
			g.places[w].seen = r.seen[w]
		}
	}
}

// spread propagates a property along edges, from end from to end to.
func spread(edges [][2]webs.Web, has []bool, from, to int) {
	for n, changed := 0, true; changed; n++ {
		changed = false
		for _, e := range edges {
			if !has[e[to]] && (has[e[from]] || n == rawRounds) {
				has[e[to]], changed = true, true
			}
		}
	}
}

// look collects the facts about all operations: edges, costs, and the two properties.
func (r *nanPlacement) look() {
	g := r.g
	for b, blk := range g.f.Blocks {
		weight := g.weight(b)
		for i := blk.Start; i < blk.End; i++ {
			in, ops := &g.f.Code[i], &g.s.Ops[i]
			r.lists(i)
			if g.dead[i] {
				continue
			}
			raw, rule := g.rawArgs(i, b)
			for k, a := range ops.Args {
				a = g.rep(a)
				switch {
				case a == 0 || raw>>k&1 != 0:
				case rule.carries>>k&1 != 0 && ops.Dst != 0:
					r.carries = append(r.carries, [2]webs.Web{a, ops.Dst})
				case rule.keeps>>k&1 != 0 && ops.Dst != 0:
					r.keeps = append(r.keeps, [2]webs.Web{a, ops.Dst})
					r.cost[a] += weight
				default:
					r.seen[a] = true
					r.cost[a] += weight
				}
			}
			if c, ok := g.choices[i]; ok {
				r.seen[g.rep(c.yes)], r.seen[g.rep(c.no)] = true, true
			}
			switch {
			case ops.Dst == 0:
			case in.Op == ir.Mov32 && g.s.Has(ops.Args[0], webs.Const):
				r.other[ops.Dst] = r.other[ops.Dst] || payload(g.s.Webs[ops.Args[0]].Const)
			case rule.rawOut != 0:
				r.cost[ops.Dst] -= weight
			case rule.carries != 0:
				r.cost[ops.Dst] -= weight / 64
			case !rule.number:
				r.other[ops.Dst] = true
			}
			r.other[ops.Dst2] = true
			if in.Guard != 0 {
				r.seen[ops.Guard] = true
			}
		}
	}
}

// lists marks the operands of operation i that are in lists: nothing is known about
// them.
func (r *nanPlacement) lists(i int) {
	x := r.g.s.Ops[i].Ext
	if x == 0 {
		return
	}
	for _, w := range r.g.s.Ext[x-1].Defs {
		r.other[w] = true
	}
	for _, w := range r.g.s.Ext[x-1].Uses {
		r.seen[r.g.rep(w)] = true
	}
}

// rawArgs are the arguments of operation i, in block b, that may be floats with any
// NaN. rule has the other properties.
func (g *planner) rawArgs(i, b int) (args uint8, rule *vrule) {
	in := &g.f.Code[i]
	switch g.how(i) {
	case bySplat, byVector:
		rule = &vrules()[in.Op]
		return rule.rawIn, rule
	case byOwn:
		// If lanes come to a rendezvous one after another, a lane may meet lanes that
		// wait at another shuffle; then it reads another web.
		if in.Op == ir.Shfl || in.Op == ir.ShflSync && g.sh.AtOnce(i, b) {
			return 0, &rawShuffle
		}
	}
	return 0, &rawNothing
}

// The properties of shuffles, and of operations without a rule.
var rawShuffle, rawNothing = vrule{carries: 1}, vrule{}

// payload reports whether v is an f32 NaN that must not become canonical.
func payload(v uint64) bool { return v&absF32 > expF32 && uint32(v) != nanF32 }
