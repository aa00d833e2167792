package webs

import (
	"testing"

	"example.org/crosslane/internal/ir"
)

// TestWebsOfReusedRegister: a register with two unrelated uses has two webs; one that is
// written on both sides of a branch and read after it has one; one that is written under a
// guard keeps its web.
func TestWebsOfReusedRegister(t *testing.T) {
	t.Parallel()
	b := ir.NewBuilder("k", 32)
	r, p, q, x := b.Vector("r", ir.B32), b.Vector("p", ir.B1), b.Vector("q", ir.B32), b.Vector("x", ir.B32)
	line := 0
	at := func() { line++; b.At(ir.Pos{Line: line}) }
	one := b.Const(ir.B32, 1)
	at()
	b.To(r, ir.Add32, one, one) // 0
	at()
	b.To(p, ir.EqU32, r, one) // 1
	at()
	b.To(r, ir.Sub32, one, one) // 2: another r
	at()
	b.To(x, ir.Mov32, r) // 3
	other, end := b.NewLabel(), b.NewLabel()
	at()
	b.Guard(p, false)
	b.Bra(other) // 4
	at()
	b.To(q, ir.Mov32, one) // 5
	at()
	b.Bra(end) // 6
	b.Bind(other)
	at()
	b.To(q, ir.Add32, one, one) // 7
	b.Bind(end)
	at()
	b.Guard(p, true)
	b.To(x, ir.Mov32, q) // 8: merges with 3
	at()
	b.To(r, ir.Add32, x, q) // 9
	f, err := b.Finish()
	if err != nil {
		t.Fatal(err)
	}
	fn := Build(f, Geometry{})
	o := fn.Ops
	switch {
	case o[0].Dst == o[2].Dst || o[0].Dst != o[1].Args[0] || o[2].Dst != o[3].Args[0]:
		t.Error("unrelated uses of r are one web, or its definitions do not reach their uses")
	case o[5].Dst != o[7].Dst || o[5].Dst != o[8].Args[0]:
		t.Error("q of both sides is not one web")
	case o[3].Dst != o[8].Dst || !o[8].Merge || o[3].Merge:
		t.Error("x under a guard does not merge with what it was")
	case !fn.Has(o[5].Dst, Global) || fn.Has(o[0].Dst, Global) || fn.Has(o[5].Dst, Input):
		t.Error("flags of webs are wrong")
	case len(fn.LiveIn[0]) != 0 || len(fn.LiveIn[3]) != 3:
		t.Errorf("live at the start %v, behind the branch %v", fn.LiveIn[0], fn.LiveIn[3])
	case fn.Webs[o[9].Dst].Uses != 0:
		t.Error("the last r has uses")
	}
	if t.Failed() {
		t.Log(fn.Print(nil))
	}
	ex := Build(f, Geometry{Exact: true})
	if len(ex.LiveIn[3]) != 4 || len(ex.LiveOut[3]) != 4 {
		t.Errorf("exact: live in %v, out %v\n%s", ex.LiveIn[3], ex.LiveOut[3], ex.Print(nil))
	}
}
