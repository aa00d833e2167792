package webs_test

import (
	"fmt"
	"testing"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/internal/engine/enginetest/randprog"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/ptx"
)

// lists is a kernel of an operation that reads and writes more registers than the fields of
// ir.Inst name.
const lists = `.version 8.1
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
	.reg .b32 %r<20>;
	.reg .b64 %rd1;
	.reg .pred %p;
	mov.u32 %r0, %laneid;
	add.u32 %r1, %r0, 1;
	add.u32 %r2, %r0, 2;
	add.u32 %r3, %r0, 3;
	add.u32 %r4, %r0, 4;
	add.u32 %r5, %r0, 5;
	setp.lt.u32 %p, %r0, 99;
	@!%p bra END;
	mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%r6, %r7, %r8, %r9}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%r0, %r1, %r2, %r3};
	add.u32 %r6, %r6, %r9;
END:
	ld.param.u64 %rd1, [out];
	st.global.u32 [%rd1], %r6;
	ret;
}
`

// TestBackward visits the blocks of functions, most of them random. The webs that are live
// before the first operation must be those that the data-flow analysis found for the start of
// the block.
func TestBackward(t *testing.T) {
	t.Parallel()
	var funcs []*ir.Func
	m, list := ptx.Parse("lists.ptx", lists)
	if list != nil {
		t.Fatal(list)
	}
	l, err := ptx.Lift(m, "k")
	if err != nil {
		t.Fatal(err)
	}
	funcs = append(funcs, l.Func)
	for seed := range short.Of(uint64(1500), 200) {
		f, err := randprog.New(seed).Func()
		if err != nil {
			t.Fatal(err)
		}
		funcs = append(funcs, f)
	}
	exec, merged, many := 0, 0, 0
	for n, f := range funcs {
		fn := webs.Build(f, webs.Geometry{Lanes: f.Lanes, Block: [3]uint32{64, 1, 1}})
		if fn.Exec != nil {
			exec++
		}
		for i := range fn.Ops {
			if fn.Ops[i].Merge2 {
				merged++
			}
			if e := fn.Ops[i].Ext; e != 0 && len(fn.Ext[e-1].Uses) > 0 {
				many++
			}
		}
		live, want := fn.NewSet(), fn.NewSet()
		for b := range f.Blocks {
			fn.Backward(b, live, func(int, *webs.Set) {})
			want.Fill(fn.LiveIn[b])
			if got, want := listOf(live), listOf(want); got != want {
				t.Fatalf("function %d, block %d: live are %s going backward, %s going round\n%s", n, b, got, want, fn.Print(nil))
			}
		}
	}
	if exec == 0 || merged == 0 || many == 0 {
		t.Errorf("%d functions switch lanes, %d operations merge a second result, %d read lists", exec, merged, many)
	}
}

func listOf(s *webs.Set) string {
	var l []webs.Web
	for w := range s.All {
		l = append(l, w)
	}
	return fmt.Sprint(l)
}
