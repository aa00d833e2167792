package sel

import (
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
)

// A step is a pass of the selection.
type step struct {
	name string
	run  func(g *control)
}

// steps lists the passes of the selection, in the order in which they run. internal/jit/README.md
// describes each of them.
//
// Invariant: the list of instructions is valid after each step, as lir.Verify defines it.
func steps() [9]step {
	return [...]step{
		{"plan", (*control).decide},             // choose a place for each web, and the form of each use
		{"select", (*control).code},             // emit instructions by rules, block after block
		{"combine", (*control).combine},         // merge bitwise operations into ternary ones
		{"eliminate", (*control).eliminateDead}, // remove instructions with unused results
		{"loads", (*control).loads},             // remove redundant loads; fold single-use loads into operands
		{"compact", (*control).compact},         // close the gaps in the list
		{"pieces", (*control).byPieces},         // reorder by pieces of a wave if registers are scarce
		{"parks", (*control).parks},             // tell the allocator where waves wait
		{"coarsen", (*control).coarsen},         // add bodies that run several waves at once
	}
}

// decide lets a planner write the facts.
func (g *control) decide() { (&planner{emitter: &g.emitter}).plan() }

// Select makes the code of a function. s has the webs, sh their shapes, mk the masks
// that writes need; tier chooses the instruction set, lay the places in the frame.
func Select(s *webs.Func, sh *shape.Shapes, mk *mask.Masks, tier isa.Tier, lay abi.Layout) *abi.Code {
	return new(Scratch).Select(s, sh, mk, tier, lay)
}

// Select is like the function Select. The code's list, registers and recipes are valid
// up to the next call only.
func (m *Scratch) Select(s *webs.Func, sh *shape.Shapes, mk *mask.Masks, tier isa.Tier, lay abi.Layout) *abi.Code {
	g := newGenerator(s, sh, mk, tier, lay, m)
	for _, p := range steps() {
		if p.run(g); g.out.TooLarge {
			break
		}
		if m.Verify != nil {
			m.Verify(p.name, g.fn)
		}
	}
	g.out.Frame, g.out.Width = g.caches, g.w
	m.vregs, m.pool = g.fn.VRegs, g.fn.Pool
	m.recipes, m.lists = g.out.Recipes, g.out.Lists
	m.states, m.stateRegs = g.fn.States, g.fn.StateRegs
	return g.out
}
