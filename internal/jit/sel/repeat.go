package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
)

// # Lanes that hold the same
//
// What lanes i and i^d add is the same for both: each round of a sum by butterflies halves
// how many different values there are. A value whose upper lanes repeat its lower ones takes
// vector registers for these only, and so does what is computed of it.
//
// repeats are, by web, the bits of the number of a lane on which its value does not depend;
// nil: nothing is known. All writes of such a web are by all lanes of the wave together.

// everyBit are the bits of the number of a lane of 32.
const everyBit = 31

// repeatRounds bounds how often the code is looked at; loops take a few rounds.
const periodRounds = 8

// findRepeats finds g.repeats.
func (g *gen) findPeriods() {
	exchanges := func(in *ir.Inst) bool { return in.Op == ir.ShflSync }
	if g.f.Lanes != 32 || g.f.Exec != 0 || g.s.Geom.Exact || !slices.ContainsFunc(g.f.Code, func(in ir.Inst) bool { return exchanges(&in) }) {
		return
	}
	g.periods = make([]uint8, len(g.s.Webs))
	for w := range g.periods {
		if w == 0 || g.s.Webs[w].Flags&(webs.Input|webs.Aliased|webs.Const) != 0 || g.typ(webs.Web(w)) != ir.B32 {
			continue
		}
		if sh := g.sh.Web(webs.Web(w)); sh.Kind != shape.Varying || sh.Tile == 0 { // Go looks after rows alone
			g.periods[w] = everyBit
		}
	}
	for range periodRounds {
		if !g.periodRound() {
			return
		}
	}
	g.periods = nil
}

// An exchange says that a web holds what another one does in lane i^by.
type exchange struct {
	web, of webs.Web
	by      uint8
}

// exchanges are those that hold where the code is: seldom more than one or two.
type exchanges []exchange

// of is how web y holds what web x does; 0: it is not known to.
func (e exchanges) of(y, x webs.Web) uint8 {
	for _, ex := range e {
		if ex.web == y && ex.of == x {
			return ex.by
		}
	}
	return 0
}

// repeatRound looks at all code once, and reports whether anything has changed.
func (g *gen) periodRound() (changed bool) {
	var known exchanges
	for b, blk := range g.f.Blocks {
		if p := g.s.Preds[b]; len(p) != 1 || int(p[0]) != b-1 {
			known = known[:0]
		}
		for i := blk.Start; i < blk.End; i++ {
			ops := &g.s.Ops[i]
			lower := func(w webs.Web, to uint8) {
				if w != 0 && g.periods[w]&^to != 0 {
					g.periods[w] &= to
					changed = true
				}
				if len(known) > 0 {
					known = slices.DeleteFunc(known, func(e exchange) bool { return e.web == w || e.of == w })
				}
			}
			bits, ex := g.periodOf(i, b, known)
			lower(ops.Dst, bits)
			lower(ops.Dst2, 0)
			for _, w := range g.lists(i) {
				lower(w, 0)
			}
			if ex.of != 0 && ex.of != ops.Dst {
				ex.web = ops.Dst
				known = append(known, ex)
			}
		}
	}
	return changed
}

// repeatOf are the bits on which what operation i of block b writes does not depend. If it
// is an exchange, ex says which.
func (g *gen) periodOf(i, b int, known exchanges) (bits uint8, ex exchange) {
	in, ops := &g.f.Code[i], &g.s.Ops[i]
	if ops.Dst == 0 || ops.Merge || in.Guard != 0 || g.mk.NeedMask(i) || !g.mk.Full(b) {
		return 0, ex
	}
	if in.Op == ir.ShflSync {
		return g.periodOfShuffle(i)
	}
	if !in.Op.Pure() {
		return 0, ex
	}
	if s := g.sh.Result(i); s.Kind != shape.Varying {
		return periodOfSteps(s), ex
	}
	rule := &vrules()[in.Op]
	if _, ok := g.choices[i]; ok || g.how(i) != byVector || rule.screened || ir.Ops[in.Op].Res != ir.B32 {
		return 0, ex
	}
	bits = everyBit
	for k, t := range ir.Ops[in.Op].Args {
		if t != ir.B32 {
			return 0, ex
		}
		bits &= g.periodOfArg(ops.Args[k])
	}
	if rule.commutes {
		x, y := g.rep(ops.Args[0]), g.rep(ops.Args[1])
		bits |= known.of(y, x) | known.of(x, y)
	}
	return bits, ex
}

// repeatArg are the bits on which an argument does not depend.
func (g *gen) periodOfArg(w webs.Web) uint8 {
	w = g.rep(w)
	switch {
	case g.s.Has(w, webs.Const):
		return everyBit
	case w == 0 || g.s.Has(w, webs.Aliased):
		return 0
	}
	return g.periods[w] | periodOfSteps(g.sh.Web(w))
}

// repeatSteps are the bits on which a value in steps does not depend.
func periodOfSteps(s shape.Shape) (bits uint8) {
	switch {
	case s.Kind == shape.Varying:
		return 0
	case s.Uniform():
		return everyBit
	}
	steps := s.Steps()
	for bit := 1; bit < everyBit; bit *= 2 {
		same := true
		for l := range 32 {
			same = same && uint32(steps.At(l)) == uint32(steps.At(l^bit))
		}
		if same {
			bits |= uint8(bit)
		}
	}
	return bits
}

// repeatShuffle is repeatOf for a shuffle of all lanes by a pattern that is known.
func (g *gen) periodOfShuffle(i int) (bits uint8, ex exchange) {
	ops := &g.s.Ops[i]
	members, ok := g.known1(ops.Args[3])
	from, in, known := g.shuffleMap(i)
	if !ok || !known || uint32(members) != 1<<32-1 || in != 1<<32-1 || !shuffleCan(g, i) || g.typ(ops.Args[0]) != ir.B32 {
		return 0, ex
	}
	arg := g.periodOfArg(ops.Args[0])
	for bit := 1; bit < everyBit; bit *= 2 {
		same := true
		for l := range from {
			same = same && uint8(from[l]^from[l^bit])&^arg == 0
		}
		if same {
			bits |= uint8(bit)
		}
	}
	by := from[0]
	for l := range from {
		if from[l] != l^by {
			by = 0
		}
	}
	if by != 0 && by&(by-1) == 0 {
		ex = exchange{of: g.rep(ops.Args[0]), by: uint8(by)}
	}
	return bits, ex
}

// distinct is how many vector registers a web of 32 bits takes, of which there would be n: the
// others hold the same.
func (g *gen) distinct(w webs.Web, n int32) int32 {
	if g.periods == nil {
		return n
	}
	for lane := uint8(16); n > 1 && g.periods[w]&lane != 0 && g.typ(w) == ir.B32; lane /= 2 {
		n /= 2
	}
	return n
}

// fewer reports whether a web takes fewer vector registers than it has lanes for: what computes it
// looks at as many of its arguments.
func (g *gen) fewer(w webs.Web) bool {
	p := &g.places[w]
	return p.affine || p.n > 0 && g.typ(w) == ir.B32 && p.n < g.unitsOf(ir.B32)
}
