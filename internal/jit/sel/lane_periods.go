package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
)

// # Lane periods
//
// Input: the code, with shuffles by constant patterns.
// Output: periods, by web: the bits of a lane number on which the value does not
// depend; nil: nothing is known.
// Invariant: all writes of a web with a period are by all lanes of the wave together.
// Example: after `x += shfl.bfly(x, 16)` lanes i and i^16 are equal, so x needs
// registers for the lower 16 lanes only.
//
// The sum of lanes i and i^d is the same in both: each round of a butterfly reduction
// halves the number of different values. A value with upper lanes that repeat the lower
// ones takes vector registers for these only, and so do values that are computed from
// it.

// everyBit are the bits of a lane number below 32.
const everyBit = 31

// periodRounds bounds the number of rounds over the code; loops take a few.
const periodRounds = 8

// findPeriods finds g.periods: an optimistic data flow that starts with all bits and
// removes them, up to a fixed point.
func (g *planner) findPeriods() {
	exchanges := func(in *ir.Inst) bool { return in.Op == ir.ShflSync }
	if g.f.Lanes != 32 || g.f.Exec != 0 || g.s.Geom.Exact || !slices.ContainsFunc(g.f.Code, func(in ir.Inst) bool { return exchanges(&in) }) {
		return
	}
	g.periods = make([]uint8, len(g.s.Webs))
	for w := range g.periods {
		if w == 0 || g.s.Webs[w].Flags&(webs.Input|webs.Aliased|webs.Const) != 0 || g.typ(webs.Web(w)) != ir.B32 {
			continue
		}
		if sh := g.sh.Web(webs.Web(w)); sh.Kind != shape.Varying || sh.Tile == 0 { // values that are affine in tile rows have their own forms
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

// exchange says that a web holds, in lane i, the value of another web in lane i^by.
type exchange struct {
	web, of webs.Web
	by      uint8
}

// exchanges are the ones that hold at a place of the code: seldom more than two.
type exchanges []exchange

// of is the distance by which web y exchanges lanes of web x; 0: none is known.
func (e exchanges) of(y, x webs.Web) uint8 {
	for _, ex := range e {
		if ex.web == y && ex.of == x {
			return ex.by
		}
	}
	return 0
}

// periodRound goes through the code once, and reports whether a period has changed.
func (g *planner) periodRound() (changed bool) {
	var known exchanges
	for b, blk := range g.f.Blocks {
		// Exchanges are known in straight-line code only.
		if p := g.s.Preds[b]; len(p) != 1 || int(p[0]) != b-1 {
			known = known[:0]
		}
		for i := blk.Start; i < blk.End; i++ {
			ops := &g.s.Ops[i]
			// Periods only shrink; a write also ends the exchanges of its web.
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

// periodOf are the bits on which the result of operation i, in block b, does not
// depend. If the operation is an exchange, ex describes it. A commutative operation on
// a value and its exchange removes the exchanged bit.
func (g *planner) periodOf(i, b int, known exchanges) (bits uint8, ex exchange) {
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
	// The result depends on a bit if any argument does.
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

// periodOfArg are the bits on which argument w does not depend.
func (g *planner) periodOfArg(w webs.Web) uint8 {
	w = g.rep(w)
	switch {
	case g.s.Has(w, webs.Const):
		return everyBit
	case w == 0 || g.s.Has(w, webs.Aliased):
		return 0
	}
	return g.periods[w] | periodOfSteps(g.sh.Web(w))
}

// periodOfSteps are the bits on which an affine value does not depend.
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

// periodOfShuffle is periodOf for a shuffle of all lanes by a known pattern.
func (g *planner) periodOfShuffle(i int) (bits uint8, ex exchange) {
	ops := &g.s.Ops[i]
	members, ok := g.known1(ops.Args[3])
	from, in, known := g.shuffleMap(i)
	if !ok || !known || uint32(members) != 1<<32-1 || in != 1<<32-1 || !shuffleCan(&g.facts, i) || g.typ(ops.Args[0]) != ir.B32 {
		return 0, ex
	}
	arg := g.periodOfArg(ops.Args[0])
	for bit := 1; bit < everyBit; bit *= 2 {
		same := true
		for l := range from {
			// Lanes l and l^bit read lanes that differ only in bits on which the
			// argument does not depend.
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

// distinct is the number of vector registers that 32-bit web w needs, of the n without
// a period.
func (g *planner) distinct(w webs.Web, n int32) int32 {
	if g.periods == nil {
		return n
	}
	for lane := uint8(16); n > 1 && g.periods[w]&lane != 0 && g.typ(w) == ir.B32; lane /= 2 {
		n /= 2
	}
	return n
}
