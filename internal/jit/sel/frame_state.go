package sel

import (
	"iter"
	"math"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file makes frame states: see package abi.
//
// Input: the webs that the interpreter needs at a place, and their places.
// Output: an abi.State, and a STATE instruction with its registers.
// Invariant: the recipes of a web give all its lanes. One form of the web is enough. If one register
// determines the next ones, there is a recipe for the first only.
// Example: a web of 32 lanes with stride 4 per tile row of 16 lanes, in four registers of 8 lanes, has
// two recipes: registers 0 and 2 hold the first lanes of the rows.
// Literature: Briggs, Cooper and Torczon, rematerialization (PLDI 1992).

// locations yields the registers that hold a web, in all its forms.
func (g *facts) locations(w webs.Web) iter.Seq[abi.Location] {
	p := &g.places[w]
	t := g.typ(w)
	raw := p.raw && p.seen
	return func(yield func(abi.Location) bool) {
		if p.gpr != 0 && !yield(abi.Location{Reg: p.gpr, Kind: p.single(g.f.Val(g.s.Webs[w].Ref)), Type: t, Raw: raw, Steps: p.steps}) {
			return
		}
		if p.splat != 0 && !yield(abi.Location{Reg: p.splat, Kind: abi.Splat, Type: t, Raw: raw}) {
			return
		}
		for u := range p.n {
			if !yield(abi.Location{Reg: p.units + x64.Reg(u), Kind: abi.Unit, Unit: u, Of: p.n, Type: t, Raw: raw}) {
				return
			}
		}
		for r := range p.rows {
			if !yield(abi.Location{Reg: p.bases + x64.Reg(r), Kind: abi.RowBase, Unit: r, Type: t, Steps: p.steps}) {
				return
			}
		}
	}
}

// single is the kind of the general register of a place that holds value v.
func (p *place) single(v *ir.Value) abi.Kind {
	switch {
	case v.Type == ir.B1 && !v.Scalar:
		return abi.Lanes
	case p.affine:
		return abi.Base
	}
	return abi.Single
}

// enough returns locations of a web from which all its lanes follow. A web that Go finds in its frame slot
// has none.
func (g *facts) enough(w webs.Web) (list []abi.Location) {
	p, sh := &g.places[w], g.sh.Web(w)
	every := int32(1) // one of so many vector registers is enough
	if sh.Kind == shape.Varying && sh.Tile > 0 && p.n == g.unitsOf(g.typ(w)) {
		every = max(1, int32(1)<<sh.Tile*int32(g.typ(w).Bytes())/g.w)
	}
	for x := range g.locations(w) {
		switch {
		case x.Kind == abi.Unit && sh.Kind == shape.Affine:
			x.Kind, x.Steps = abi.Base, sh.Steps()
		case x.Kind == abi.Unit && every > 1 && x.Unit%every != 0:
			continue
		case x.Kind == abi.Unit && every > 1:
			x.Kind, x.Unit, x.Steps = abi.RowBase, x.Unit/every, shape.Steps{Stride: sh.Stride, Tile: sh.Tile}
		}
		list = append(list, x)
		if x.Kind != abi.Unit && x.Kind != abi.RowBase {
			break // one is enough
		}
	}
	return list
}

// A slot is a frame slot in which the interpreter looks for a web, or for a part of its bits.
type slot struct {
	ref   ir.Ref
	shift uint8
}

// slots returns the frame slots of a web: that of its value, or two if register-pair fusion has made
// the web of two values. A temporary that only the code has, not the guest, has none.
func (g *facts) slots(w webs.Web) []slot {
	if h, ok := g.s.Halves[w]; ok {
		return []slot{{h.Low, 0}, {h.High, 32}}
	}
	if r := g.s.Webs[w].Ref; int(r) < g.s.Given {
		return []slot{{ref: r}}
	}
	return nil
}

// recipes appends to the state in hand the recipes of a web. They are made once per web.
func (g *emitter) recipes(w webs.Web) {
	if g.recipesOf == nil {
		g.recipesOf = make([]abi.State, len(g.s.Webs))
	}
	of := &g.recipesOf[w]
	if *of == (abi.State{}) {
		from := len(g.out.Recipes)
		sh := g.sh.Web(w)
		for _, s := range g.slots(w) {
			if g.places[w].slot || g.s.Has(w, webs.Const) {
				continue
			}
			if sh.Kind == shape.Affine && sh.Known {
				g.out.Recipes = append(g.out.Recipes, abi.Recipe{Location: abi.Location{Kind: abi.Known, Type: g.typ(w), Steps: sh.Steps()}, Ref: s.ref, Shift: s.shift, Number: sh.Base})
				continue
			}
			for _, x := range g.enough(w) {
				g.out.Recipes = append(g.out.Recipes, abi.Recipe{Location: x, Ref: s.ref, Shift: s.shift})
			}
		}
		*of = abi.State{From: int32(from), To: int32(len(g.out.Recipes))}
		if from == len(g.out.Recipes) {
			*of = abi.State{From: math.MaxInt32, To: math.MaxInt32} // none
		}
	}
	for i := of.From; i < of.To; i++ {
		g.out.Lists = append(g.out.Lists, i)
	}
}

// state emits the frame state of this point: Go writes the webs of the list to their frame slots, and
// then the interpreter repeats some operations.
func (g *emitter) state(list []webs.Web, repeated []int) abi.State {
	from := len(g.out.Lists)
	for _, w := range list {
		g.recipes(w)
	}
	for _, i := range repeated {
		g.out.Lists = append(g.out.Lists, int32(len(g.out.Recipes)))
		g.out.Recipes = append(g.out.Recipes, abi.Recipe{Location: abi.Location{Kind: abi.Repeat}, Inst: int32(i)})
	}
	return g.declare(from)
}

// declare ends the state whose recipes begin at index from of Lists: it emits a STATE instruction with
// their registers.
func (g *emitter) declare(from int) abi.State {
	regs := len(g.fn.StateRegs)
	for _, i := range g.out.Lists[from:] {
		if r := g.out.Recipes[i].Reg; r != 0 && (len(g.fn.StateRegs) == regs || g.fn.StateRegs[len(g.fn.StateRegs)-1] != r) {
			g.fn.StateRegs = append(g.fn.StateRegs, r)
		}
	}
	if len(g.fn.StateRegs) > regs {
		g.emit(g.fn.AddState(regs))
	}
	return abi.State{From: int32(from), To: int32(len(g.out.Lists))}
}
