package shape_test

import (
	"testing"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
)

// TestCarries: a carry is assumed to be equal in all lanes, and checked, if that makes an
// upper half equal; not if inactive lanes keep the register's old value.
func TestCarries(t *testing.T) {
	t.Parallel()
	for kept, want := range map[bool]shape.Check{false: shape.CheckCarry, true: shape.NoCheck} {
		b := ir.NewBuilder("k", 64)
		b.Func().MeetAnywhere = true
		tid, n, low, high, vcc := b.Vector("tid", ir.B32), b.Vector("n", ir.B32), b.Vector("low", ir.B32), b.Vector("high", ir.B32), b.Vector("vcc", ir.B1)
		b.Input(ir.ThreadIDX, tid, 0)
		b.Input(ir.LaunchValue, n, 0)
		out := b.Vector("out", ir.B64)
		b.Input(ir.LaunchValue, out, 1)
		off := b.Reserve(8)
		exec := b.View("exec", ir.B1, false, off)
		b.Input(ir.ActiveMask0, b.View("all", ir.B64, true, off), 0)
		b.Func().Exec = exec
		zero := b.Const(ir.B32, 0)
		line := 0
		ins := func() { line++; b.At(ir.Pos{Line: line, Text: "x", Name: "x"}) }
		ins()
		b.To(high, ir.Mov32, n)
		ins()
		b.To(exec, ir.AndP, exec, b.T(ir.LtU32, b.T(ir.And32, tid, b.Const(ir.B32, 5)), b.Const(ir.B32, 4)))
		ins()
		carry := b.T(ir.AddC32, n, tid)
		b.Guard(exec, false)
		b.To(low, ir.Add32, n, tid)
		b.Guard(0, false)
		b.To(vcc, ir.AndP, carry, exec)
		ins()
		b.Guard(exec, false)
		b.To(high, ir.Addc32, n, zero, vcc)
		ins()
		if !kept {
			b.Guard(exec, false)
		}
		b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{out, high}, Size: 4, Space: ir.Global})
		b.Guard(0, false)
		f, err := b.Finish()
		if err != nil {
			t.Fatal(err)
		}
		fn := webs.Build(f, webs.Geometry{Lanes: 64, Block: [3]uint32{128, 1, 1}, NoWrap: true})
		s := shape.Analyze(fn)
		for i := range f.Code {
			if f.Code[i].Op == ir.AddC32 {
				if got := s.Check(i); got != want {
					t.Errorf("kept %v: check %d, want %d\n%s", kept, got, want, s.Print())
				}
			}
		}
	}
}
