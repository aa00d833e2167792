package sel

import (
	"strings"
	"testing"

	"example.org/crosslane/internal/ir"
)

// called are the integer operations that are left to the interpreter: rare ones with long
// formulas. Of floats the other tests say what there is.
var called = []string{"Fns", "Clmad", "Video", "MbarArrive", "MbarExpect", "MbarComplete", "MbarTrack", "BufElement", "BufLoad", "BufStore", "BufNotRaw", "PzoF"}

// isFloat reports whether a name is one of an operation on floats.
func isFloat(name string) bool {
	for _, s := range []string{"F16", "F32", "F64", "E4M3", "E5M2", "E2M1", "E3M2", "E2M3", "UE8M0"} {
		if strings.Contains(name, s) {
			return true
		}
	}
	return false
}

// TestIntegersAreNative demands that every integer operation has a rule for lane vectors,
// of both tiers, or for masks of lanes, and that those of scalars do that are made of
// words.
func TestIntegersAreNative(t *testing.T) {
	g := &gen{}
next:
	for op := range ir.NumOps {
		info := &ir.Ops[op]
		if info.Fn == nil || isFloat(info.Name) {
			continue
		}
		has := vrules()[op].fn != nil || mrules()[op] != nil
		for _, c := range called {
			if strings.HasPrefix(info.Name, c) {
				if has {
					t.Errorf("%s has a rule", info.Name)
				}
				continue next
			}
		}
		if !has {
			t.Errorf("%s has no rule", info.Name)
		}
		if info.Res == ir.B1 && grules()[op] == nil && g.wordsOnly(&ir.Inst{Op: ir.Op(op)}) {
			t.Errorf("%s has no rule for scalars", info.Name)
		}
	}
}
