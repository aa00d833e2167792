package ptx

import (
	"fmt"
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
