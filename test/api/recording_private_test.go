package api_test

import (
	"context"
	"testing"

	"example.org/crosslane"
)

// A warp whose lanes store to private memory, twice in some of them; its halves wait at barriers with numbers of their own.
const privateKernel = `.version 8.0
.target sm_80
.address_size 64
.visible .entry k() {
	.reg .b32 %r<9>;
	.reg .pred %p<2>;
	.local .align 4 .b8 own[16];
	mov.u32 %r1, %tid.x;
	st.local.u32 [own+4], %r1;
	setp.lt.u32 %p1, %r1, 8;
	@%p1 st.local.u32 [own+4], 7;
	st.local.u32 [own+8], %r1;
	mov.u32 %r2, 5;
	shr.u32 %r3, %r1, 5;
	add.u32 %r2, %r2, %r3;
	bar.sync %r2, 32;
	bar.sync 3, 64;
	bar.sync 0;
	ret;
}
`

func TestRecordPrivateStores(t *testing.T) {
	m, err := crosslane.Load([]byte(privateKernel), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	r, err := k.Record(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 64}}, crosslane.RecordOptions{})
	if err != nil {
		t.Fatal(err)
	}
	first, steps := r.Bounds()
	lines := [2]map[int]int{{}, {}} // by wave and line: the step
	for n := first; n < first+steps; n++ {
		s, err := r.Step(n)
		if err != nil {
			t.Fatal(err)
		}
		lines[s.Wave][s.Line] = n
		want := map[int]int{16: 5 + s.Wave, 17: 3, 18: 0}
		if number, is := want[s.Line]; is != (s.Barrier != nil) || is && *s.Barrier != number {
			t.Errorf("line %d of warp %d: barrier %v, want %d", s.Line, s.Wave, s.Barrier, number)
		}
	}
	for wave := range 2 {
		for _, l := range []int{0, 7, 8, 31} {
			second := 9 // the line of the last store to own[4]
			if wave == 0 && l < 8 {
				second = 11
			}
			for _, c := range []struct{ before, offset, line int }{
				{lines[wave][16], 4, second}, {lines[wave][16], 8, 12}, {lines[wave][11], 4, 9}, {lines[wave][9], 4, 0}, {lines[wave][16], 0, 0}, {lines[wave][16], 12, 0},
			} {
				s, ok, err := r.LastStore(c.before, crosslane.MemoryRange{Space: "local", Wave: wave, Lane: l, Offset: c.offset, Size: 4})
				if err != nil {
					t.Fatal(err)
				}
				if ok != (c.line > 0) || ok && (s.Step != lines[wave][c.line] || s.Lane != l || s.Warp != wave) {
					t.Errorf("warp %d, lane %d, byte %d before step %d: %+v, %v; want the store of line %d", wave, l, c.offset, c.before, s, ok, c.line)
				}
			}
		}
	}
	// One warp waits at barrier 3 until the other one comes.
	waits := 0
	for n := first; n < first+steps; n++ {
		for wave := range 2 {
			st, err := r.At(n, wave)
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range st.Fragments {
				if !f.Waiting {
					continue
				}
				want := map[int]int{16: 5 + wave, 17: 3, 18: 0}[f.Line]
				if f.Barrier == nil || *f.Barrier != want {
					t.Errorf("before step %d warp %d waits in line %d at barrier %v, want %d", n, wave, f.Line, f.Barrier, want)
				}
				waits++
			}
		}
	}
	if waits == 0 {
		t.Error("no warp waits")
	}
}
