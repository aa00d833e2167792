package sel

import (
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/peephole"
	"example.org/crosslane/internal/jit/x64"
)

// shorter hands the list of instructions to package peephole.
func (g *emitter) shorter() *peephole.List {
	return &peephole.List{Fn: g.fn, AVX512: g.avx512, Mem: &g.mem.peephole, Renumber: g.renumber, Merged: g.disown}
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

// disown records that a register holds several webs, and that Go does not look at it.
func (g *emitter) disown(r x64.Reg) {
	if i := int(r - x64.Virtual); i < len(g.out.Owners) {
		g.out.Owners[i] = abi.Owner{}
	}
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
