package coarsen

import (
	"testing"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// TestSink checks that sink moves a load to its first use, but not to a place that only some
// paths reach: not past a jump, even if the jump goes to out-of-line code that comes back.
func TestSink(t *testing.T) {
	const a, b, base = x64.Virtual, x64.Virtual + 1, x64.Virtual + 2
	load := x64.Inst{Op: x64.VMOVDQU, Len: 32, Dst: a, HasMem: true, M: x64.Mem{Base: base}}
	read := x64.Inst{Op: x64.VPADDD, Len: 32, Dst: b, A: a, B: a}
	other := x64.Inst{Op: x64.VPADDD, Len: 32, Dst: b, A: b, B: b}
	label := func(l x64.Label) x64.Inst { return x64.Inst{Op: x64.LABEL, Label: l} }
	to := func(op x64.Op, l x64.Label) x64.Inst { return x64.Inst{Op: op, Label: l} }
	cold, hot := x64.Inst{Op: x64.COLD}, x64.Inst{Op: x64.HOT}
	for _, c := range []struct {
		name string
		code []x64.Inst
		want int // the place of the load afterwards
	}{
		{"plain", []x64.Inst{load, other, other, read}, 2},
		{"read before it is back", []x64.Inst{load, other, to(x64.JNE, 1), read, cold, label(1), other, to(x64.JMP, 2), hot, label(2), read}, 1},
		{"read aside", []x64.Inst{load, to(x64.JNE, 1), cold, label(1), read, to(x64.JMP, 2), hot, label(2), read}, 0},
		{"a jump over it", []x64.Inst{load, to(x64.JNE, 2), other, label(2), read}, 0},
	} {
		n := len(c.code)
		p := &body{
			g:      &Selection{Fn: &lir.Func{VRegs: make([]lir.VReg, 3), Labels: 2}},
			source: source{code: c.code, at: make([]int32, 3), cold: make([]int32, n)},
			course: course{leads: make([]int32, n), sure: make([]uint8, 3)},
		}
		open := -1
		for i, in := range c.code {
			p.list = append(p.list, int32(i))
			if open >= 0 {
				p.cold[i] = -1
			}
			switch in.Op {
			case x64.LABEL:
				p.at[in.Label] = int32(i)
			case x64.COLD:
				open = i
			case x64.HOT:
				p.cold[open], open = int32(i), -1
			}
		}
		p.sink()
		for k, i := range p.list {
			if i == 0 && k != c.want {
				t.Errorf("%s: the load is at %d of %v, want %d", c.name, k, p.list, c.want)
			}
		}
	}
}
