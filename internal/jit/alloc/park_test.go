package alloc

import (
	"testing"

	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// parking is a loop in which a wave waits twice. seldom is read only after the loop; moved is
// changed between the two waits, once, and read there; busy is used often, and sum is used in
// a loop of its own at the end.
func parking() (fn *lir.Func, parks []int, seldom, moved, busy, sum x64.Reg) {
	fn = &lir.Func{Name: "parking", Slots: 4096}
	fn.Emit(x64.Inst{Op: x64.ENTRY, Label: fn.NewLabel()})
	list := vecs(fn, 4, "v")
	seldom, moved, busy, sum = list[0], list[1], list[2], list[3]
	save := fn.NewLabel()
	park := func() {
		parks = append(parks, len(fn.Code))
		fn.Parks = append(fn.Parks, int32(len(fn.Code)))
		fn.Jump(x64.CALLLabel, save)
	}
	fn.Weigh(8)
	loop(fn, func() {
		park()
		fn.Op(x64.VPADDD, 32, moved, moved, busy)
		fn.Weigh(64)
		loop(fn, func() {
			for range 4 {
				fn.Op(x64.VPADDD, 32, sum, sum, busy)
			}
		})
		fn.Weigh(8)
		park()
	})
	fn.Weigh(1)
	for i, r := range list {
		fn.Store(x64.VMOVDQUSt, 32, at(int32(32*i)), r)
	}
	fn.Emit(x64.Inst{Op: x64.RET})
	fn.Bind(save)
	fn.Emit(x64.Inst{Op: x64.RET})
	return fn, parks, seldom, moved, busy, sum
}

// TestParks: a register lives where waves wait if it is used there more often than it is
// stored and loaded. It is stored if it may have been written since the last store.
func TestParks(t *testing.T) {
	t.Parallel()
	fn, parks, seldom, moved, busy, sum := parking()
	res, err := Run(fn, isa.AVX2)
	if err != nil {
		t.Fatal(err)
	}
	for r, want := range map[x64.Reg]bool{seldom: false, moved: false, busy: true, sum: true} {
		if got := res.Place(r).Reg != 0; got != want {
			t.Errorf("%s: in a register is %v, want %v", fn.RegName(r), got, want)
		}
	}
	p := res.Parked()
	for _, c := range []struct {
		park   int
		reg    x64.Reg
		stored bool
	}{
		{0, busy, false}, // it was written before the loop
		{1, busy, true},
		{0, sum, false}, // the first time
		{1, sum, false},
	} {
		if got := p.Stored(parks[c.park], c.reg); got != c.stored {
			t.Errorf("where the wave waits for the %d. time: what %s holds is stored: %v, want %v", c.park+1, fn.RegName(c.reg), got, c.stored)
		}
	}
}
