package jit

import (
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/ir"
)

// TestRuns compares accesses of lanes in runs of neighbours, or almost, which only the launch
// determines, with the interpreter's.
func TestRuns(t *testing.T) {
	if testing.Short() {
		t.Skip("it is about values, and long")
	}
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 12))
	engines := tierEngines(t)
	pick := func(list ...int) int { return list[r.IntN(len(list))] }
	for n := range 700 {
		c := accessCase{lanes: pick(32, 64), pieces: pick(1, 1, 2, 2, 4), size: uint8(pick(4, 4, 4, 8)), addr: "runs"}
		c.block = c.lanes*2 - pick(0, 0, 0, 5)
		c.space = []ir.Space{ir.Global, ir.Generic, ir.Shared, ir.Shared, ir.Local}[r.IntN(5)]
		c.align = uint16(pick(1, int(c.size), int(c.size), int(c.size)*c.pieces))
		c.typ = []ir.Type{ir.B32, ir.B64}[r.IntN(2)]
		if c.size == 8 {
			c.typ = ir.B64
		}
		c.signed = r.IntN(2) == 0
		c.wide = c.space != ir.Shared && c.space != ir.Local || r.IntN(2) == 0
		c.row, c.step = r.IntN(5), 1<<r.IntN(7)
		c.stride = pick(int(c.size)*c.pieces, int(c.size)*c.pieces, int(c.size)*c.pieces, int(c.size), 2*int(c.size))
		if c.row == 4 {
			c.step = pick(0, 2, 2, 3, 4, 5, 6)
		} else if r.IntN(4) == 0 {
			c.step += r.IntN(8)
		}
		c.imm = pick(0, 0, 0, 4, 16, -16, 48)
		c.guard = []string{"", "", "some", "none", "branch"}[r.IntN(5)]
		c.store, c.uniform = r.IntN(3) > 0, r.IntN(5) == 0
		c.off = 64
		if r.IntN(5) == 0 { // some lanes are out of bounds
			c.off = uint64(pick(0, 8, 3, 4, accessBytes-64, accessBytes-8, accessBytes-256, accessBytes-500, 1<<31, 1<<32-16, 1<<32-128))
		}
		if r.IntN(8) == 0 { // the inactive lanes are below all memory
			c.guard, c.off, c.imm, c.row, c.step = "upper", uint64(1<<32-3*c.stride), 0, 3, 64
		}
		c.compare(t, engines, true)
		if t.Failed() {
			t.Fatalf("after %d cases", n)
		}
	}
}
