package sel

import (
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
)

// A step is a pass of the selection.
type step struct {
	name string
	run  func(g *gen)
}

// steps lists the passes of the selection, in the order in which they run. internal/jit/README.md
// describes each of them.
//
// Invariant: the list of instructions is valid after each step, as lir.Verify defines it.
func steps() [9]step {
	return [...]step{
		{"plan", (*gen).plan},               // choose a place for each web, and the form of each use
		{"select", (*gen).code},             // emit instructions by rules, block after block
		{"combine", (*gen).combine},         // merge bitwise operations into ternary ones
		{"eliminate", (*gen).eliminateDead}, // remove instructions with unused results
		{"loads", (*gen).loads},             // remove redundant loads; fold single-use loads into operands
		{"compact", (*gen).compact},         // close the gaps in the list
		{"pieces", (*gen).byPieces},         // reorder by pieces of a wave if registers are scarce
		{"parks", (*gen).parks},             // tell the allocator where waves wait
		{"coarsen", (*gen).coarsen},         // add bodies that run several waves at once
	}
}

// Select makes the code of a function. s has the webs, sh their shapes, mk the masks
// that writes need; tier chooses the instruction set, lay the places in the frame.
func Select(s *webs.Func, sh *shape.Shapes, mk *mask.Masks, tier isa.Tier, lay Layout) *Code {
	return new(Scratch).Select(s, sh, mk, tier, lay)
}

// Select is like the function Select. The code's list, registers and Owners are valid
// up to the next call only.
func (m *Scratch) Select(s *webs.Func, sh *shape.Shapes, mk *mask.Masks, tier isa.Tier, lay Layout) *Code {
	g := newGen(s, sh, mk, tier, lay, m)
	for _, p := range steps() {
		if p.run(g); g.out.TooLarge {
			break
		}
		if m.Verify != nil {
			m.Verify(p.name, g.fn)
		}
	}
	g.out.Frame, g.out.Width = g.caches, g.w
	m.vregs, m.owners, m.pool = g.fn.VRegs, g.out.Owners, g.fn.Pool
	return g.out
}
