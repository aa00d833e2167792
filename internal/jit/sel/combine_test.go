package sel

import (
	"slices"
	"testing"

	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// TestCombine checks that an operation is merged with an earlier one if that has no other reader,
// now or later, and that it is not merged otherwise.
func TestCombine(t *testing.T) {
	t.Parallel()
	// combined returns the instructions after the pass for d = (a & b) | c; again adds a reader of
	// a & b.
	combined := func(again bool) (ops []x64.Op) {
		g := &emitter{facts: facts{mem: new(Scratch), processor: processor{avx512: true, w: 64}}, out: &abi.Code{}, fn: &lir.Func{}, len: 64}
		store := func(r x64.Reg) {
			g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: 64, B: r, HasMem: true, M: x64.Mem{Base: abi.Frame}})
		}
		a, b, c := g.vec(), g.vec(), g.vec()
		x := g.v2(x64.VPANDD, a, b)
		store(g.v2(x64.VPORD, x, c))
		if again {
			store(x)
		}
		g.combine()
		for i := range g.fn.Code {
			if op := g.fn.Code[i].Op; op != x64.NOP {
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
