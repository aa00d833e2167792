package sel

import (
	"slices"

	"example.org/crosslane/internal/jit/x64"
)

// routines emits the routines by which waves stop; abi.Code.Sparing adds those by which Go
// enters and exits. They use machine registers and are not part of the list that
// package alloc sees.
func (g *control) routines() {
	start := len(g.fn.Code)
	labels := []x64.Label{g.out.Stop, g.out.Save, g.out.Start, g.out.Wait}
	for i := range g.out.Exits {
		if l := g.out.Exits[i].Resume; l != 0 {
			labels = append(labels, l)
		}
	}
	for _, l := range labels { // the routines replace these instructions
		g.bind(l)
		g.emit(x64.Inst{Op: x64.UD2})
	}
	g.out.Stubs = len(g.fn.Code) - start
	code := g.fn.Code
	g.fn.Code = slices.Grow(g.mem.routines[:0], 192) // about that many are needed
	g.stop()
	g.out.Routines, g.fn.Code = g.fn.Code, code
	g.mem.routines, g.mem.code = g.out.Routines, code
}
