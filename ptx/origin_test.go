package ptx

import (
	"fmt"
	"strings"
	"testing"
)

func TestOrigins(t *testing.T) {
	t.Parallel()
	src := `.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
	.reg .b32 %r<4>;
	mov.u32 %r1, 1;
	.loc 1 12 3
	mov.u32 %r1, 2;
	.loc 1 40 9, function_name $L_info, inlined_at 1 14 5
	mov.u32 %r1, 3;
	.loc 2 7 1, function_name $L_info, inlined_at 1 40 9
	mov.u32 %r1, 4;
	.loc 1 0 0
	mov.u32 %r1, 5;
	.loc 3 1 1
	mov.u32 %r1, 6;
	.loc 1 15 0
	{
	mov.u32 %r1, 7;
	}
	ret;
}
.file 1 "a dir/k.cu"
.file 2 "h.cuh", 5, 6
.section .debug_str
{
$L_info:
.b8 102
.b8 0
}
`
	m, l := Parse("k.ptx", src)
	if err := l.Err(); err != nil {
		t.Fatal(err)
	}
	want := map[int32]string{
		9: "[a dir/k.cu:12:3]", 11: "[a dir/k.cu:40:9 a dir/k.cu:14:5]", 13: "[h.cuh:7:1 a dir/k.cu:40:9 a dir/k.cu:14:5]",
		20: "[a dir/k.cu:15]", 22: "[a dir/k.cu:15]",
	}
	got := map[int32]string{}
	from := m.Origins()
	m.Func("k").Body().instrs(func(in *Instr) {
		if o := from.At(in.Pos.Line, in.Pos.Col); o != nil {
			got[in.Pos.Line] = fmt.Sprint(o)
		}
	})
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v\nwant\n%v", got, want)
	}
}

// TestOriginsOfCalls has a function that is inlined twice, and a function that is inlined into
// itself under other names. The places of calls are those of .loc directives before, with or
// without instructions of their own.
func TestOriginsOfCalls(t *testing.T) {
	t.Parallel()
	src := `.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
	.reg .b32 %r<4>;
	.loc 1 6 3
	.loc 2 594 5, function_name $S, inlined_at 1 6 3
	.loc 3 95 9, function_name $S+1, inlined_at 2 594 5
	mov.u32 %r1, 1;
	.loc 1 7 3
	.loc 2 594 5, function_name $S, inlined_at 1 7 3
	.loc 3 95 9, function_name $S+1, inlined_at 2 594 5
	mov.u32 %r1, 2;
	{
	.loc 4 1 1, function_name $S+2, inlined_at 3 95 9
	mov.u32 %r1, 3;
	}
	.loc 1 8 3
	.loc 5 42 5, function_name $S+3, inlined_at 1 8 3
	.loc 5 42 5, function_name $S+4, inlined_at 5 42 5
	.loc 5 42 5, function_name $S+5, inlined_at 5 42 5
	mov.u32 %r1, 4;
	.loc 5 42 5, function_name $S+4, inlined_at 5 42 5
	mov.u32 %r1, 5;
	.loc 5 42 5, function_name $S+4, inlined_at 5 42 5
	mov.u32 %r1, 6;
	.loc 6 9 9, function_name $S+6, inlined_at 9 9 9
	mov.u32 %r1, 7;
	.loc 6 1 1, function_name $S+6, inlined_at 6 2 2
	mov.u32 %r1, 8;
	ret;
}
.file 1 "k.cu"
.file 2 "b.cuh"
.file 3 "c.cuh"
.file 4 "d.cuh"
.file 5 "e.cuh"
.file 6 "f.cuh"
.section .debug_str
{
$S:
.b8 102
.b8 0
}
`
	m, l := Parse("k.ptx", src)
	if err := l.Err(); err != nil {
		t.Fatal(err)
	}
	want := map[int32]string{
		10: "[c.cuh:95:9 b.cuh:594:5 k.cu:6:3]",
		14: "[c.cuh:95:9 b.cuh:594:5 k.cu:7:3]",
		17: "[d.cuh:1:1 c.cuh:95:9 b.cuh:594:5 k.cu:7:3]",
		23: "[e.cuh:42:5 e.cuh:42:5 e.cuh:42:5 k.cu:8:3]",
		25: "[e.cuh:42:5 e.cuh:42:5 k.cu:8:3]",
		27: "[e.cuh:42:5 e.cuh:42:5 k.cu:8:3]",
		29: "[f.cuh:9:9]",
		31: "[f.cuh:1:1 f.cuh:2:2]", 32: "[f.cuh:1:1 f.cuh:2:2]",
	}
	from := m.Origins()
	m.Func("k").Body().instrs(func(in *Instr) {
		if got := fmt.Sprint(from.At(in.Pos.Line, in.Pos.Col)); got != want[in.Pos.Line] {
			t.Errorf("line %d: %v, want %v", in.Pos.Line, got, want[in.Pos.Line])
		}
	})
}

// TestOriginsOfLongChains checks that directives that name each other as callers do not make an
// endless chain.
func TestOriginsOfLongChains(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\t.reg .b32 %r<2>;\n")
	const n = 20000
	for i := range n {
		fmt.Fprintf(&b, "\t.loc 1 %d 1, function_name $S+%d, inlined_at 1 %d 1\n", i+2, i, i+1)
	}
	b.WriteString("\tmov.u32 %r1, 1;\n\tret;\n}\n.file 1 \"k.cu\"\n.section .debug_str\n{\n$S:\n.b8 0\n}\n")
	m, l := Parse("k.ptx", b.String())
	if err := l.Err(); err != nil {
		t.Fatal(err)
	}
	got := m.Origins().At(n+7, 2)
	if len(got) == 0 || len(got) > maxCallChain+1 || got[0].Line != n+1 {
		t.Errorf("%d places: %v", len(got), got)
	}
}
