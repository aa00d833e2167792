package sel

import (
	"iter"
	"slices"

	"example.org/crosslane/internal/jit/coarsen"
	"example.org/crosslane/internal/jit/peephole"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// shorter hands the list of instructions to package peephole.
func (g *emitter) shorter() *peephole.List {
	return &peephole.List{Fn: g.fn, AVX512: g.avx512, Mem: &g.mem.peephole, Renumber: g.renumber}
}

// combine merges bitwise operations. The list may have moved to larger memory.
func (g *control) combine() {
	g.shorter().Combine()
	g.mem.code = g.fn.Code
}

// eliminateDead removes instructions with unused results.
func (g *control) eliminateDead() { g.shorter().EliminateDead() }

// loads removes redundant loads.
func (g *control) loads() { g.shorter().Loads() }

// compact closes the gaps.
func (g *control) compact() { g.shorter().Compact() }

// coarsen adds bodies that run several waves at once.
func (g *control) coarsen() {
	s := &coarsen.Selection{
		Fn: g.fn, Code: g.out, Layout: g.lay, Webs: g.s, Masks: g.mk, AVX512: g.avx512,
		Arrivals:  slices.Concat(g.arrivals, []x64.Label{g.deoptimised}),
		Registers: func(w webs.Web) iter.Seq[x64.Reg] { return g.places[w].registers },
		Induction: func(i int) int { return slices.Index(g.paths, g.walks[g.walkKey(i)]) + 1 },
		OneBase:   g.oneBase,
		Constant:  func(v uint64) x64.Reg { return g.constOf(constKey{bits: v, size: 8, len: 8, gpr: true}) },
	}
	for _, x := range g.paths {
		s.Inductions = append(s.Inductions, coarsen.Induction{Limit: x.limit, Delta: x.delta})
	}
	g.out.Frame = g.caches
	coarsen.Add(s)
	g.caches = g.out.Frame
}

// renumber updates all indices into the list; to[i] is the new index of instruction i.
func (g *emitter) renumber(to []int32) {
	for i := range g.out.Exits {
		g.out.Exits[i].At = int(to[g.out.Exits[i].At])
	}
	for b := range g.out.BlockAt {
		g.out.BlockAt[b] = int(to[g.out.BlockAt[b]])
	}
	for i := range g.fn.Weights {
		g.fn.Weights[i].At = to[g.fn.Weights[i].At]
	}
}
