package jit

import (
	"testing"

	"example.org/crosslane/internal/ir"
)

// TestFaults: every form of access ends with a fault: after the end of memory, before its
// start, and at a misaligned address, in some lanes, in all spaces. Message, place, memory
// and counts are those of the interpreter.
func TestFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	t.Parallel()
	engines := tierEngines(t)
	for _, space := range []ir.Space{ir.Global, ir.Generic, ir.Shared, ir.Constant, ir.Param, ir.Local} {
		for _, addr := range []string{"one", "row", "any"} {
			for _, what := range []string{"load", "store", "atomic"} {
				if what != "load" && (space == ir.Constant || space == ir.Param) || what == "atomic" && space == ir.Local {
					continue
				}
				for k, pieces := range []int{1, 2, 4} {
					if what == "atomic" && pieces > 1 {
						continue
					}
					for n, wrong := range []string{"behind", "before", "aligned"} {
						c := accessCase{lanes: 32 << ((k + n) % 2), pieces: pieces, size: 4, align: uint16(4 * pieces), space: space, addr: addr, typ: ir.B32}
						c.block = c.lanes*2 - 5
						c.wide = space != ir.Shared && space != ir.Param && space != ir.Local
						c.stride = 4 * pieces
						c.store, c.isAtomic, c.result = what == "store", what == "atomic", true
						c.guard = []string{"", "some", "branch"}[(k+n)%3]
						size := uint64(accessBytes)
						if space == ir.Local {
							size /= 4
						}
						switch wrong {
						case "behind":
							c.off = size - 48
							if addr == "one" {
								c.off = size - 4*uint64(pieces)/2
							}
						case "before":
							if c.off = 1<<32 - 64; addr == "one" {
								c.off = 1<<32 - 16
							}
						default:
							c.off = 64 + 2
						}
						if !c.compare(t, engines, true) && (wrong != "before" || addr != "any") { // few of these cases fault
							t.Errorf("%s: %s: no fault", wrong, &c)
						}
					}
				}
			}
		}
	}
}
