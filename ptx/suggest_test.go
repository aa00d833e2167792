package ptx

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

func TestSuggest(t *testing.T) {
	t.Parallel()
	const head = ".version 6.0\n.target sm_60\n.entry k() %s\n{\n.reg .b32 %%r<20>; .reg .pred %%p<3>;\n"
	for _, c := range []struct{ code, lanes, before, text, want string }{
		{"deprecated-instruction", "", "", "shfl.idx.b32 %r1, %r2, 0, 31;", "shfl.sync.idx.b32 %r1, %r2, 0, 31, 0xffffffff;"},
		{"removed-instruction", "", "", "@%p1 vote.ballot.b32 %r1, %p2 ;", "@%p1 vote.sync.ballot.b32 %r1, %p2 , 0xffffffff;"},
		{"not-on-target", "", "", "redux.sync.add.u32 %r1, %r2, -1;", ""},
		{"not-in-membermask", "16-31", "", "shfl.sync.idx.b32 %r1, %r2, 0, 31, 0xffff;", "shfl.sync.idx.b32 %r1, %r2, 0, 31, 0xffffffff;"},
		{"not-in-membermask", "4", "mov.u32 %r9, 3;", "shfl.sync.idx.b32 %r1, %r2, 0, 31, %r9;", "shfl.sync.idx.b32 %r1, %r2, 0, 31, 0x13;"},
		{"not-in-membermask", "4", "mov.u32 %r9, 3; mov.u32 %r10, %r9;", "shfl.sync.idx.b32 %r1, %r2, 0, 31, %r10;", "shfl.sync.idx.b32 %r1, %r2, 0, 31, 0x13;"},
		{"not-in-membermask", "4", "mov.u32 %r9, 3; mov.u32 %r9, 4;", "shfl.sync.idx.b32 %r1, %r2, 0, 31, %r9;", ""},
		{"not-in-membermask", "", "", "shfl.sync.idx.b32 %r1, %r2, 0, 31, 0xffff;", ""},
		{"not-in-membermask", "3", "", "bar.warp.sync 0xf0;", "bar.warp.sync 0xf8;"},
		{"absent-members", "20-31", "", "vote.sync.all.pred %p1, %p2, -1;", "vote.sync.all.pred %p1, %p2, 0xfffff;"},
		{"absent-members", "0-31", "", "vote.sync.all.pred %p1, %p2, -1;", ""},
		// The operand is not a number alone.
		{"absent-members", "20-31", "", "vote.sync.all.pred %p1, %p2, 1 - 2;", ""},
		{"shuffle-segments", "", "", "shfl.sync.down.b32 %r1, %r2, 8, 16, -1;", "shfl.sync.down.b32 %r1, %r2, 8, 0x101f, -1;"},
		{"shuffle-segments", "", "", "shfl.sync.down.b32 %r1, %r2, 8, 15, -1;", "shfl.sync.down.b32 %r1, %r2, 8, 0x101f, -1;"},
		{"shuffle-segments", "", "", "shfl.sync.up.b32 %r1, %r2, 1, 31, -1;", "shfl.sync.up.b32 %r1, %r2, 1, 0x0, -1;"},
		{"shuffle-segments", "", "", "shfl.sync.up.b32 %r1, %r2, 1, 0x181f, -1;", "shfl.sync.up.b32 %r1, %r2, 1, 0x1800, -1;"},
		{"shuffle-segments", "", "", "shfl.sync.bfly.b32 %r1, %r2, 1, 32, -1;", "shfl.sync.bfly.b32 %r1, %r2, 1, 0x1f, -1;"},
		{"shuffle-segments", "", "", "shfl.sync.bfly.b32 %r1, %r2, 1, 0x1700, -1;", ""},
		{"shuffle-segments", "", "mov.b32 %r7, 8;", "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, %r7, -1;", "shfl.sync.bfly.b32 %r1|%p1, %r2, 1, 0x181f, -1;"},
		{"funnel-halves", "", "", "shf.l.wrap.b32 %r1, %r12, %r3, 8;", "shf.l.wrap.b32 %r1, %r3, %r12, 8;"},
		{"deadlock", "", "", "shfl.sync.idx.b32 %r1, %r2, 0, 31, 0xffff;", ""},
	} {
		pre := fmt.Sprintf(head, "") + c.before + "\n"
		src := pre + c.text + "\nret; }\n"
		m, list := Parse("k.ptx", src)
		if list.Err() != nil {
			t.Fatalf("%s: %v", c.text, list)
		}
		col := 1
		if strings.HasPrefix(c.text, "@") {
			col = strings.IndexByte(c.text, ' ') + 2
		}
		d := &diag.Diagnostic{Pos: diag.Pos{File: "k.ptx", Line: strings.Count(pre, "\n") + 1, Col: col}, Code: c.code, Lanes: c.lanes}
		Suggest(m, diag.List{d})
		got := ""
		if len(d.Fixes) > 0 {
			text, ok := d.Fixes[0].Apply(src)
			if !ok {
				t.Errorf("%s: the fix does not fit: %v", c.text, d.Fixes)
			}
			got, _, _ = strings.Cut(strings.TrimPrefix(text, pre), "\n")
			if _, list := Parse("k.ptx", text); list.Err() != nil {
				t.Errorf("%s: %v", text, list)
			}
		}
		if got != c.want {
			t.Errorf("%s of %s:\n got %s\nwant %s", c.code, c.text, got, c.want)
		}
	}
	src := fmt.Sprintf(head, ".reqntid 4, 5") + "vote.all.pred %p1, %p2;\nret; }"
	m, _ := Parse("k.ptx", src)
	list := Check(m)
	Suggest(m, list)
	if len(list) != 1 || len(list[0].Fixes) != 1 || !strings.Contains(list[0].Fixes[0].String(), "insert , 0xfffff)") {
		t.Errorf("%v", list[0].Fixes)
	}
}
