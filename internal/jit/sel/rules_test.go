package sel

import (
	"strings"
	"testing"

	"example.org/crosslane/internal/ir"
)

// called are the integer operations without a rule: rare ones with long formulas. The
// other tests cover the float operations.
var called = []string{"Fns", "Clmad", "Video", "MbarArrive", "MbarExpect", "MbarComplete", "MbarTrack", "BufElement", "BufLoad", "BufStore", "BufNotRaw", "PzoF"}

// isFloat reports whether name is that of an operation on floats.
func isFloat(name string) bool {
	for _, s := range []string{"F16", "F32", "F64", "E4M3", "E5M2", "E2M1", "E3M2", "E2M3", "UE8M0"} {
		if strings.Contains(name, s) {
			return true
		}
	}
	return false
}

// TestIntegersAreNative checks that every integer operation has a rule for lane vectors, or
// for masks of lanes. If its result is a predicate and its operands are words, it must have
// a rule for general registers too.
func TestIntegersAreNative(t *testing.T) {
	g := &facts{}
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
