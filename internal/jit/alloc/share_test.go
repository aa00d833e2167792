package alloc

import (
	"testing"

	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// exchange emits a loop over four vectors that are added crosswise, like an exchange of the
// halves of a wave: each sum has two of them, which live until the sums are made. between is
// emitted between copies and sums.
func exchange(between func(fn *lir.Func, v, w []x64.Reg)) *lir.Func {
	fn := &lir.Func{Slots: 4096}
	v := vecs(fn, 4, "v")
	loop(fn, func() {
		var w, sums []x64.Reg
		for i := range v {
			w = append(w, fn.Vec(32, "w"))
			fn.Op(x64.VMOVDQU, 32, w[i], 0, v[i^2])
		}
		between(fn, v, w)
		for i := range v {
			sums = append(sums, fn.Vec(32, "sum"))
			fn.Op(x64.VADDPS, 32, sums[i], v[i], w[i])
		}
		for i := range v {
			fn.Op(x64.VMULPS, 32, v[i], sums[i], sums[i])
		}
	})
	for i := range v {
		fn.Store(x64.VMOVDQUSt, 32, at(int32(32*i)), v[i])
	}
	fn.Emit(x64.Inst{Op: x64.RET})
	return fn
}

// TestShare: copies have the places of their originals if their originals are not written
// meanwhile.
func TestShare(t *testing.T) {
	nothing := func(*lir.Func, []x64.Reg, []x64.Reg) {}
	tests := []struct {
		name    string
		between func(fn *lir.Func, v, w []x64.Reg)
		copies  int // copies that vanish
	}{
		{"nothing", nothing, 4},
		{"a copy of a copy", func(fn *lir.Func, v, w []x64.Reg) {
			x := fn.Vec(32, "x")
			fn.Op(x64.VMOVDQU, 32, x, 0, w[1])
			w[1] = x
		}, 5},
		{"one is written", func(fn *lir.Func, v, w []x64.Reg) { fn.Op(x64.VADDPS, 32, v[1], v[1], v[1]) }, 3},
		{"a copy is written", func(fn *lir.Func, v, w []x64.Reg) { fn.Op(x64.VADDPS, 32, w[1], w[1], w[1]) }, 3},
	}
	for _, test := range tests {
		for tier := isa.AVX2; tier <= isa.AVX512; tier++ {
			fn := exchange(test.between)
			if res := run(t, fn, tier); res.Stats.Copies != test.copies {
				t.Errorf("%s, tier %d: %d copies are none, want %d:\n%s", test.name, tier, res.Stats.Copies, test.copies, text(fn, res.Code))
			}
		}
	}
}

// TestShareInMemory: a copy of a register in memory is a register like any other.
func TestShareInMemory(t *testing.T) {
	fn := exchange(func(fn *lir.Func, v, w []x64.Reg) { pressure(fn) })
	if res := run(t, fn, isa.AVX2); res.Stats.Copies > 3 {
		t.Errorf("%+v:\n%s", res.Stats, text(fn, res.Code))
	}
}

// TestShareDistinct: a gather's index and mask have different registers, even if one is a
// copy of the other that is read there last.
func TestShareDistinct(t *testing.T) {
	fn := &lir.Func{Slots: 4096}
	v := vecs(fn, 2, "v")
	x := fn.Vec(32, "x")
	fn.Op(x64.VMOVDQU, 32, x, 0, v[0])
	fn.Store(x64.VMOVDQUSt, 32, at(512), v[0])
	fn.Emit(x64.Inst{Op: x64.VPGATHERDDVex, Len: 32, Dst: v[1], B: v[0], HasMem: true, M: x64.Mem{Base: x64.RBX, Index: x, Scale: 4}})
	fn.Store(x64.VMOVDQUSt, 32, at(544), v[0])
	fn.Store(x64.VMOVDQUSt, 32, at(576), v[1])
	fn.Emit(x64.Inst{Op: x64.RET})
	run(t, fn, isa.AVX2)
}

// TestShareFilled: registers that are filled one by one have places of their own there.
func TestShareFilled(t *testing.T) {
	for _, at := range []struct {
		name   string
		filled int // the number of operands of the sums that are filled
		fills  bool
		copies int
	}{
		{"nothing is filled", 4, false, 4},
		{"the copies are", 4, true, 0},
		{"two of them are", 2, true, 2},
	} {
		fn := exchange(func(fn *lir.Func, _, w []x64.Reg) {
			for _, r := range w[:at.filled] {
				fn.VRegs[r-x64.Virtual].Filled = true
			}
			if at.fills {
				fn.Fills = []int32{int32(len(fn.Code))}
			}
		})
		if res := run(t, fn, isa.AVX512); res.Stats.Copies != at.copies {
			t.Errorf("%s: %d copies are none, want %d:\n%s", at.name, res.Stats.Copies, at.copies, text(fn, res.Code))
		}
	}
}
