package jit

import (
	"testing"

	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// TestSparing: exits and entries save and restore the vector and mask registers that the code
// uses, and only these.
func TestSparing(t *testing.T) {
	t.Parallel()
	for tier := range tierEngines(t) {
		m := new(scratch)
		tr, _, err := m.assemble(long(t, 10), webs.Geometry{Block: [3]uint32{64, 1, 1}}, tier)
		if err != nil {
			t.Fatal(err)
		}
		var saved, loaded uint64
		for i := range tr.sel.Routines {
			switch in := &tr.sel.Routines[i]; in.Op {
			case x64.VMOVDQUSt, x64.KMOVQSt:
				saved |= 1 << in.B
			case x64.VMOVDQU, x64.KMOVQ:
				loaded |= 1 << in.Dst
			}
		}
		used := uint64(0)
		for r := x64.V0; r <= x64.K0+7; r++ {
			used |= tr.regs.Registers() & (1 << r)
		}
		if saved != used || loaded != used || used == 0 || used&(1<<(x64.V0+14)) != 0 {
			t.Errorf("%s: %#x are saved, %#x put back, %#x used", tier, saved, loaded, used)
		}
	}
}
