package alloc

import (
	"testing"

	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// TestStay counts the loads and stores of a value without a register, because a loop takes
// all of them, that is used often where registers are free again: one load and one store for
// all uses there, or for the uses up to a place where Go may look; one store before the loop,
// one load at the end.
func TestStay(t *testing.T) {
	t.Parallel()
	if loads, stores := stays(t, false); loads != 2 || stores != 2 {
		t.Errorf("%d loads and %d stores, want 2 and 2", loads, stores)
	}
	if loads, stores := stays(t, true); loads != 3 || stores != 3 {
		t.Errorf("with a call %d loads and %d stores, want 3 and 3", loads, stores)
	}
}

func stays(t *testing.T, call bool) (loads, stores int) {
	fn := &lir.Func{Name: "stay", Slots: 4096}
	fn.Emit(x64.Inst{Op: x64.ENTRY, Label: fn.NewLabel()})
	v := vecs(fn, 1, "v")[0]
	busy := vecs(fn, 15, "busy")
	top := fn.NewLabel()
	fn.Bind(top)
	for range 4 {
		for i, r := range busy {
			fn.Op(x64.VPADDD, 32, r, r, busy[(i+1)%len(busy)])
		}
	}
	fn.Jump(x64.JNE, top)
	for _, r := range busy {
		fn.Store(x64.VMOVDQUSt, 32, at(64), r)
	}
	fn.Bind(fn.NewLabel())
	d := fn.Vec(32, "d")
	fn.Load(x64.VMOVDQU, 32, d, 0, at(0))
	for i := range 4 {
		if call && i == 2 {
			fn.Jump(x64.CALLLabel, top)
		}
		fn.Op(x64.VPSUBD, 32, v, v, d)
		fn.Op(x64.VPSUBD, 32, d, v, d)
	}
	fn.Store(x64.VMOVDQUSt, 32, at(64), d)
	fn.Bind(fn.NewLabel())
	fn.Store(x64.VMOVDQUSt, 32, at(128), v)
	fn.Emit(x64.Inst{Op: x64.RET})
	res, err := Run(fn, isa.AVX2)
	if err != nil {
		t.Fatal(err)
	}
	p := res.Place(v)
	if p.Reg != 0 {
		t.Fatalf("v is in %s: the test is of no use", p)
	}
	for i := range res.Code {
		in := &res.Code[i]
		if !in.HasMem || in.M.Base != x64.RBX || in.M.Disp != p.Slot {
			continue
		}
		if in.Op.Info().DstMem {
			stores++
		} else {
			loads++
		}
	}
	if !call {
		if err := compare(fn, res, 1); err != nil {
			t.Error(err)
		}
	}
	return loads, stores
}

// TestNumbersCommute counts the loads of a constant that is the first operand of operations
// for which the order of NaNs matters.
func TestNumbersCommute(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		bits  uint64
		size  uint8
		op    x64.Op
		loads int
	}{
		{0x3f800000, 4, x64.VADDPS, 0}, {0xff800000, 4, x64.VMULPS, 0}, {0xffc00000, 4, x64.VADDPS, 1}, {0x7f800001, 4, x64.VADDPS, 1},
		{0x3ff0000000000000, 8, x64.VADDPD, 0}, {0x7ff0000000000001, 8, x64.VADDPD, 1}, {0x3f800000, 4, x64.VADDPD, 1},
		{0x3f800000, 4, x64.VSUBPS, 1},
	} {
		fn := &lir.Func{Name: "commute", Slots: 4096, Pool: []lir.Const{{Bits: c.bits, Size: c.size, Len: 32}}}
		one := fn.New(lir.VReg{Class: x64.Vec, Len: 32, Const: 1})
		fn.Emit(x64.Inst{Op: x64.ENTRY, Label: fn.NewLabel()})
		v := vecs(fn, 1, "v")[0]
		fn.Emit(x64.Inst{Op: c.op, Len: 32, Dst: v, A: one, B: v, Ordered: true})
		fn.Store(x64.VMOVDQUSt, 32, at(64), v)
		fn.Emit(x64.Inst{Op: x64.RET})
		res, err := Run(fn, isa.AVX2)
		if err != nil {
			t.Fatal(err)
		}
		if n := res.Stats.Loads + res.Stats.Constants; n != c.loads {
			t.Errorf("%s of %#x: %d loads, want %d", c.op, c.bits, n, c.loads)
		}
	}
}
