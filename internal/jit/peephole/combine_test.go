package peephole

import (
	"slices"
	"testing"

	"example.org/crosslane/internal/jit/x64"
)

// TestCombine checks that an operation is merged with an earlier one if that has no other reader,
// now or later, and that it is not merged otherwise.
func TestCombine(t *testing.T) {
	t.Parallel()
	// combined returns the instructions after the pass for d = (a & b) | c; again adds a reader of
	// a & b.
	combined := func(again bool) (ops []x64.Op) {
		l := listOf(true, func(l lister) {
			vec := func() x64.Reg { return l.Vec(64, "") }
			a, b, c, x, d := vec(), vec(), vec(), vec(), vec()
			l.Op(x64.VPANDD, 64, x, a, b)
			l.Op(x64.VPORD, 64, d, x, c)
			l.Store(x64.VMOVDQUSt, 64, word(0), d)
			if again {
				l.Store(x64.VMOVDQUSt, 64, word(0), x)
			}
		})
		l.Combine()
		for i := range l.Fn.Code {
			if op := l.Fn.Code[i].Op; op != x64.NOP {
				ops = append(ops, op)
			}
		}
		return ops
	}
	if got := combined(false); !slices.Equal(got, []x64.Op{x64.VMOVDQU, x64.VPTERNLOGD, x64.VMOVDQUSt}) {
		t.Error("what one reads is not put together with it:", got)
	}
	if got := combined(true); !slices.Equal(got, []x64.Op{x64.VPANDD, x64.VPORD, x64.VMOVDQUSt, x64.VMOVDQUSt}) {
		t.Error("what is read again later:", got)
	}
}
