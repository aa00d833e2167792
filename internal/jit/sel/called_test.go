package sel

import (
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
)

// TestCalled checks that package shape has the right list of operations on words that the
// interpreter does, always or for some arguments: those without a rule, and those whose rule is
// screened.
func TestCalled(t *testing.T) {
	for op := range ir.NumOps {
		op, rule := ir.Op(op), &vrules()[op]
		if res := ir.Ops[op].Res; !op.Pure() || res != ir.B32 && res != ir.B64 {
			continue
		}
		want := rule.screened || rule.fn == nil && mrules()[op] == nil
		if shape.Called[op] != want {
			t.Errorf("%s: shape has %v, want %v", op, shape.Called[op], want)
		}
	}
}
