package shape_test

import (
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
)

// TestShapes: the shape of the last result of a few operations.
func TestShapes(t *testing.T) {
	t.Parallel()
	type env struct {
		*ir.Builder
		tid, cta, n ir.Ref
	}
	c := func(e env, x uint64) ir.Ref { return e.Const(ir.B32, x) }
	line := [3]uint32{256, 1, 1}
	for _, x := range []struct {
		name  string
		block [3]uint32
		grid  uint32
		make  func(e env) ir.Ref
		want  string
	}{
		{"tid in a line", line, 0, func(e env) ir.Ref { return e.T(ir.Mov32, e.tid) }, "affine+1 max=0xff zeros=5"},
		{"tid in one wave", [3]uint32{20, 1, 1}, 0, func(e env) ir.Ref { return e.T(ir.Mov32, e.tid) }, "affine+1 from 0x0 max=0x1f"},
		{"tid in a narrow block", [3]uint32{16, 16, 1}, 0, func(e env) ir.Ref { return e.T(ir.Mov32, e.tid) }, "affine+1 rows of 16+0 from 0x0 max=0xf"},
		{"tid in a wide block", [3]uint32{64, 4, 1}, 0, func(e env) ir.Ref { return e.T(ir.Mov32, e.tid) }, "affine+1 max=0x3f zeros=5"},
		{"lane", line, 0, func(e env) ir.Ref { return e.T(ir.And32, e.tid, c(e, 31)) }, "affine+1 from 0x0 max=0x1f"},
		{"wave", line, 0, func(e env) ir.Ref { return e.T(ir.ShrU32, e.tid, c(e, 5)) }, "uniform max=0x7"},
		{"part of the lane", line, 0, func(e env) ir.Ref { return e.T(ir.And32, e.tid, c(e, 7)) }, "affine+1 rows of 8+0 from 0x0 max=0x7"},
		{"or as add", line, 0, func(e env) ir.Ref { return e.T(ir.Or32, e.T(ir.Shl32, e.cta, c(e, 8)), e.tid) }, "affine+1 zeros=5"},
		{"or of bits in common", line, 0, func(e env) ir.Ref { return e.T(ir.Or32, e.T(ir.Shl32, e.cta, c(e, 7)), e.tid) }, "varying"},
		{"index of a large grid", line, 0, func(e env) ir.Ref {
			return e.T(ir.CvtU64FromU32, e.T(ir.Mad32, e.cta, c(e, 256), e.tid))
		}, "varying"},
		{"index of a small grid", line, 1 << 20, func(e env) ir.Ref {
			return e.T(ir.CvtU64FromU32, e.T(ir.Mad32, e.cta, c(e, 256), e.tid))
		}, "affine+1 max=0xfffffff zeros=5"},
		{"wide product", line, 1 << 20, func(e env) ir.Ref {
			return e.T(ir.MulWideS32, e.T(ir.Mad32, e.cta, c(e, 256), e.tid), c(e, 4))
		}, "affine+4 max=0x3ffffffc zeros=7"},
		{"signed and too large", line, 1 << 23, func(e env) ir.Ref {
			return e.T(ir.MulWideS32, e.T(ir.Mad32, e.cta, c(e, 256), e.tid), c(e, 4))
		}, "affine+4 zeros=7"},
		{"beyond the sign", line, 1 << 24, func(e env) ir.Ref {
			return e.T(ir.MulWideS32, e.T(ir.Mad32, e.cta, c(e, 256), e.tid), c(e, 4))
		}, "varying zeros=2"},
		{"step of the argument", line, 0, func(e env) ir.Ref { return e.T(ir.Mul32, e.tid, e.n) }, "varying"},
		{"backwards", line, 0, func(e env) ir.Ref { return e.T(ir.Sub32, c(e, 255), e.tid) }, "affine-1"},
		{"compare", line, 0, func(e env) ir.Ref { return e.T(ir.LtU32, e.n, c(e, 7)) }, "uniform max=0x1"},
		{"compare of lanes", line, 0, func(e env) ir.Ref { return e.T(ir.LtU32, e.tid, c(e, 7)) }, "varying max=0x1"},
		{"constant", line, 0, func(e env) ir.Ref { return e.T(ir.Popc32, c(e, 7)) }, "const 0x3"},
		{"select of uniform ones", line, 0, func(e env) ir.Ref {
			return e.T(ir.Sel32, e.T(ir.LtU32, e.n, c(e, 7)), e.tid, e.T(ir.Add32, e.tid, c(e, 1)))
		}, "affine+1 max=0x100"},
		{"select of lanes", line, 0, func(e env) ir.Ref {
			return e.T(ir.Sel32, e.T(ir.LtU32, e.tid, c(e, 7)), e.tid, e.T(ir.Add32, e.tid, c(e, 1)))
		}, "varying max=0x100"},
	} {
		b := ir.NewBuilder("k", 32)
		e := env{Builder: b, tid: b.Vector("tid", ir.B32), cta: b.Vector("cta", ir.B32), n: b.Vector("n", ir.B32)}
		b.Input(ir.ThreadIDX, e.tid, 0)
		b.Input(ir.BlockIDX, e.cta, 0)
		b.Input(ir.LaunchValue, e.n, 0)
		b.At(ir.Pos{Line: 1})
		r := x.make(e)
		out := b.Vector("out", b.Func().Values[r].Type)
		b.Move(out, r)
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		fn := webs.Build(f, webs.Geometry{Block: x.block, Grid: [3]uint32{x.grid}})
		s := shape.Analyze(fn)
		if got := s.Web(fn.Ops[len(f.Code)-2].Dst).String(); got != x.want {
			t.Errorf("%s: %s, want %s", x.name, got, x.want)
		}
	}
}

// diamond is a kernel with a branch on p: r = 1 or 2, u = 7 on one side, then r + u. The
// value that it leaves in s is dead after each side.
func diamond(t *testing.T, uniform bool) (*webs.Func, *shape.Shapes) {
	b := ir.NewBuilder("k", 32)
	tid, p := b.Vector("tid", ir.B32), b.Vector("p", ir.B1)
	b.Input(ir.ThreadIDX, tid, 0)
	r, u, s := b.Vector("r", ir.B32), b.Vector("u", ir.B32), b.Vector("s", ir.B32)
	c := func(x uint64) ir.Ref { return b.Const(ir.B32, x) }
	at := func() { b.At(ir.Pos{Line: 1}) }
	at()
	if uniform {
		b.To(p, ir.LtU32, c(1), c(2)) // 0
	} else {
		b.To(p, ir.LtU32, tid, c(2))
	}
	other, end := b.NewLabel(), b.NewLabel()
	at()
	b.Guard(p, false)
	b.Bra(other) // 1
	at()
	b.To(r, ir.Mov32, c(1)) // 2
	at()
	b.To(u, ir.Mov32, c(7)) // 3
	at()
	b.To(s, ir.Add32, r, u) // 4
	at()
	b.Bra(end) // 5
	b.Bind(other)
	at()
	b.To(r, ir.Mov32, c(2)) // 6
	b.Bind(end)
	at()
	b.To(s, ir.Add32, r, u) // 7
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	fn := webs.Build(f, webs.Geometry{Block: [3]uint32{64, 1, 1}})
	return fn, shape.Analyze(fn)
}

// TestMasks: the lower side of a divergent branch runs first, and must not change values that
// the lanes of the other side need; the other side must not change values that lanes need
// which wait after it.
func TestMasks(t *testing.T) {
	t.Parallel()
	fn, s := diamond(t, false)
	m := s.Masks
	need := map[int]bool{3: true, 6: true}
	for i := range fn.Ops {
		if m.NeedMask(i) != need[i] {
			t.Errorf("%s: masked %v", fn.FormatInst(i), m.NeedMask(i))
		}
	}
	switch {
	case !m.Divergent(0) || m.Divergent(1):
		t.Error("the wrong branches are divergent")
	case !m.Together(1, []int{2}, nil) || !m.Together(2, []int{3}, nil) || m.Together(3, []int{1}, nil):
		t.Error("the places of pairs are wrong")
	case m.MaybePend(1) || !m.MaybePend(2) || !m.MaybePend(3):
		t.Error("lanes wait at the wrong blocks")
	case !m.Full(0) || m.Full(1) || m.Full(2) || !m.Full(3):
		t.Error("the wrong blocks are full")
	}
	for i, want := range map[int]string{2: "varying max=0x2", 3: "varying max=0x7"} {
		if got := s.Web(fn.Ops[i].Dst).String(); got != want {
			t.Errorf("%s: %s, want %s", fn.FormatInst(i), got, want)
		}
	}
	if t.Failed() {
		t.Log(s.Print())
	}

	fn, s = diamond(t, true)
	for i := range fn.Ops {
		if s.Masks.NeedMask(i) {
			t.Errorf("%s is masked though no lanes part", fn.FormatInst(i))
		}
	}
	if s.Masks.Divergent(0) || !s.Masks.Alone(1) || !s.Web(fn.Ops[7].Dst).Uniform() {
		t.Errorf("a uniform branch parts lanes\n%s", s.Print())
	}
}

// TestCells: a value that one store leaves in private memory is as uniform after its load,
// but not if lanes may have stored at different times, or different values.
func TestCells(t *testing.T) {
	t.Parallel()
	for name, x := range map[string]struct {
		twice, loop bool
		want        string
	}{
		"once":    {want: "affine+1 max=0x3f zeros=5"},
		"twice":   {twice: true, want: "varying"},
		"in loop": {loop: true, want: "varying"},
	} {
		b := ir.NewBuilder("k", 32)
		b.Func().LocalSize = 16
		tid, p, r := b.Vector("tid", ir.B32), b.Vector("p", ir.B1), b.Vector("r", ir.B32)
		b.Input(ir.ThreadIDX, tid, 0)
		at := b.Const(ir.B32, 0)
		ins := func() { b.At(ir.Pos{Line: 1}) }
		store := func(v ir.Ref) {
			ins()
			b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{at, v}, Size: 4, Space: ir.Local, Imm: 4})
		}
		head, end := b.NewLabel(), b.NewLabel()
		ins()
		b.Move(p, b.Const(ir.B1, 1))
		b.Bind(head)
		store(tid)
		ins()
		b.To(p, ir.LtU32, tid, b.Const(ir.B32, 7))
		ins()
		b.Guard(p, false)
		if x.loop {
			b.Bra(head)
		} else {
			b.Bra(end)
		}
		if x.twice {
			store(r)
		}
		b.Bind(end)
		ins()
		b.Emit(ir.Inst{Op: ir.Load, Dst: r, Args: [4]ir.Ref{at}, Size: 4, Space: ir.Local, Imm: 4})
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		fn := webs.Build(f, webs.Geometry{Block: [3]uint32{64, 1, 1}})
		s := shape.Analyze(fn)
		if got := s.Web(fn.Ops[len(f.Code)-2].Dst).String(); got != x.want {
			t.Errorf("%s: %s, want %s\n%s", name, got, x.want, s.Print())
		}
	}
}
