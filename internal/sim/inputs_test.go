package sim

import (
	"testing"

	"example.org/crosslane/internal/ir"
)

// TestThreadIDs compares the places of lanes in a block with divisions, for blocks whose rows share a wave
// or cross waves.
func TestThreadIDs(t *testing.T) {
	for _, block := range [][3]uint32{{256, 1, 1}, {1, 1, 1}, {40, 1, 1}, {5, 3, 7}, {16, 4, 2}, {32, 2, 1}, {64, 1, 3}, {1, 33, 2}, {3, 100, 1}, {100, 3, 1}} {
		for _, lanes := range []int{32, 64} {
			for _, typ := range []ir.Type{ir.B16, ir.B32} {
				b := ir.NewBuilder("ids", lanes)
				var regs [3]ir.Ref
				for i := range regs {
					regs[i] = b.Vector([...]string{"x", "y", "z"}[i], typ)
					b.Input(ir.ThreadIDX+ir.InputKind(i), regs[i], 0)
				}
				b.Emit(ir.Inst{Op: ir.Exit})
				f, err := b.Finish()
				if err != nil {
					t.Fatal(err)
				}
				l := &Launch{Func: f, Grid: [3]uint32{1, 1, 1}, Block: block}
				for _, w := range newBlock(&Worker{Launch: l}, nil, nil).Waves {
					for i := range w.Initial.Lanes() {
						n := uint32(w.ID*lanes + i)
						want := [3]uint32{n % block[0], n / block[0] % block[1], n / block[0] / block[1]}
						for c, r := range regs {
							if got := uint32(w.Get(r, i)); got != want[c] {
								t.Fatalf("block %v: lane %d of wave %d is at %d of %d, not at %d", block, i, w.ID, got, c, want[c])
							}
						}
					}
				}
			}
		}
	}
}
