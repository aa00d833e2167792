package peephole

import (
	"testing"

	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// A lister makes lists for tests.
type lister struct{ *lir.Func }

func (l lister) gpr() x64.Reg { return l.GPR(8, "") }

// word is a place in memory.
func word(i int32) x64.Mem { return x64.Mem{Base: abi.Frame, Disp: 8 * i} }

// listOf returns the list that f makes, for vectors of 32 bytes or, for AVX-512, of 64.
func listOf(avx512 bool, f func(l lister)) *List {
	l := &List{Fn: &lir.Func{}, AVX512: avx512, Mem: new(Scratch), Renumber: func([]int32) {}}
	f(lister{l.Fn})
	return l
}

// swept reports which instructions of the list that f makes EliminateDead has left.
func swept(f func(l lister, a, b x64.Reg)) []bool {
	l := listOf(false, func(l lister) { f(l, l.gpr(), l.gpr()) })
	l.EliminateDead()
	left := make([]bool, len(l.Fn.Code))
	for i := range left {
		left[i] = l.Fn.Code[i].Op != x64.NOP
	}
	return left
}

// TestEliminateDead checks that EliminateDead removes chains that only read themselves, and keeps
// instructions with flags, masks or old values that are read.
func TestEliminateDead(t *testing.T) {
	t.Parallel()
	sum := func(l lister, a, _ x64.Reg) { // a mask that is made of parts, like those of bitsOf
		l.Load(x64.MOV, 8, a, 0, word(0))
		for i := range int32(3) {
			b := l.gpr()
			l.Load(x64.MOV, 8, b, 0, word(i))
			l.Emit(x64.Inst{Op: x64.SHLImm, Len: 8, Dst: b, Imm: 8})
			l.Op(x64.OR, 8, a, 0, b)
		}
	}
	all := func(left []bool, want bool) bool {
		for _, l := range left {
			if l != want {
				return false
			}
		}
		return true
	}
	if left := swept(sum); !all(left, false) {
		t.Errorf("of what only itself reads there is left %v", left)
	}
	if left := swept(func(l lister, a, b x64.Reg) {
		sum(l, a, b)
		l.Store(x64.MOVSt, 8, word(0), a)
	}); !all(left, true) {
		t.Errorf("of what is stored there is left %v", left)
	}
	if left := swept(func(l lister, a, b x64.Reg) {
		l.Load(x64.MOV, 8, a, 0, word(0))
		l.Op(x64.ADD, 8, a, 0, b) // the jump reads its flags
		l.Jump(x64.JB, l.NewLabel())
	}); !all(left, true) {
		t.Errorf("of what makes flags there is left %v", left)
	}
	if left := swept(func(l lister, a, b x64.Reg) {
		v, w := l.Vec(32, ""), l.Vec(32, "")
		l.Emit(x64.Inst{Op: x64.VPCMPEQD, Len: 32, Dst: w, A: w, B: w})
		l.Emit(x64.Inst{Op: x64.VPXOR, Len: 32, Dst: v, A: v, B: v})
		// A gather also writes its mask.
		l.Emit(x64.Inst{Op: x64.VPGATHERDD, Len: 32, Dst: v, B: w, HasMem: true, M: x64.Mem{Base: a, Index: v, Scale: 1}})
	}); !all(left, true) {
		t.Errorf("of a gather's operands there is left %v", left)
	}
	// A write stays because of an earlier reader, which is removed; the write itself reads
	// the old value.
	if left := swept(func(l lister, a, b x64.Reg) {
		l.Load(x64.MOV, 8, a, 0, word(0))
		l.Emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: b, B: a})
		l.Emit(x64.Inst{Op: x64.CMOVNE, Len: 8, Dst: a, B: l.gpr()})
	}); left[0] != left[2] {
		t.Errorf("of what a write leaves as it is there is left %v", left)
	}
}
