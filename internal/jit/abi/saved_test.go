package abi

import (
	"testing"

	"example.org/crosslane/internal/jit/x64"
)

// TestSettle checks that an access to a SavedReg gets the offset of its place, that it becomes empty
// if the register does not live, and that other accesses stay as they are.
func TestSettle(t *testing.T) {
	t.Parallel()
	c := new(Code)
	load := func(disp int32) x64.Inst {
		return x64.Inst{Op: x64.MOV, Len: 8, Dst: Acc, HasMem: true, M: x64.Mem{Base: Frame, Disp: disp}}
	}
	code := []x64.Inst{
		load(CtlExit),
		load(c.AddSaved(SavedReg{Reg: x64.Virtual, At: 7})),
		load(c.AddSaved(SavedReg{Reg: x64.Virtual + 1, At: 7})),
	}
	c.Settle(code, func(p SavedReg) (disp int32, lives bool) {
		return 8 * int32(p.At), p.Reg == x64.Virtual
	})
	for i, want := range []x64.Inst{load(CtlExit), load(56), {}} {
		if code[i] != want {
			t.Errorf("instruction %d is %v, want %v", i, code[i], want)
		}
	}
}

// TestNext checks that a wave continues after a barrier in the coarsened body, if there is one.
func TestNext(t *testing.T) {
	t.Parallel()
	e := Exit{Kind: ExitBar, Resume: 3}
	if e.Next() != 3 {
		t.Error("it does not continue alone:", e.Next())
	}
	if e.Coarse = 5; e.Next() != 5 {
		t.Error("it does not continue in the body:", e.Next())
	}
}
