package ptx

import (
	"fmt"
	"strings"
	"testing"
)

func TestPortability(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ version, target, text, to, want string }{
		{"6.0", "sm_60", "shfl.idx.b32 %r1, %r2, 0, 31;", "sm_61", ""},
		{"6.0", "sm_60", "shfl.idx.b32 %r1, %r2, 0, 31;", "sm_70", "5 not-on-target error"},
		{"8.0", "sm_80", "redux.sync.add.u32 %r1, %r2, -1;", "sm_90", ""},
		{"8.0", "sm_80", "redux.sync.add.u32 %r1, %r2, -1;", "sm_75", "2 not-on-target error|5 not-on-target error"},
		{"8.0", "sm_90a", "setmaxnreg.inc.sync.aligned.u32 40;", "sm_90", "2 not-on-target error|5 not-on-target error"},
		{"8.0", "sm_90a", "setmaxnreg.inc.sync.aligned.u32 40;", "sm_90a", ""},
		// sm_100a has its own setmaxnreg; the module does not run there unchanged.
		{"8.6", "sm_90a", "setmaxnreg.inc.sync.aligned.u32 40;", "sm_100a", "2 not-on-target error"},
		{"8.0", "sm_80", "add.u32 %r1, %r2, 1;", "sm_120", ""},
		{"8.0", "sm_80", "and.b32 %r1, %r2, 31;", "gfx", ""},
		{"8.0", "sm_80", "mov.u32 %r2, %tid.x; and.b32 %r1, %r2, 31;", "gfx", "5 lane-count note"},
		{"8.0", "sm_80", "mov.u32 %r2, %tid.x; and.b32 %r1, %r2, 15;", "gfx", ""},
		{"8.0", "sm_80", "mov.u32 %r2, %tid.x; mov.u32 %r2, 7; and.b32 %r1, %r2, 31;", "gfx", ""},
		{"8.0", "sm_80", "mov.u32 %r2, %tid.x; add.u32 %r3, %r2, 32; mov.u32 %r4, 32; div.u32 %r1, %r3, %r4;", "gfx", "5 lane-count note"},
		{"8.0", "sm_80", "mov.u32 %r2, %ctaid.x; and.b32 %r1, %r2, 31;", "gfx", ""},
		{"8.0", "sm_80", "mov.u32 %r2, WARP_SZ;", "gfx", "5 lane-count note"},
		{"8.0", "sm_80", "mov.u32 %r2, 32;", "gfx", ""},
		{"8.0", "sm_80", "mov.u32 %r2, %lanemask_le;", "gfx", "5 lane-count note"},
		{"8.0", "sm_80", "mov.u32 %r2, %laneid;", "gfx", ""},
		{"8.0", "sm_80", "bar.sync 0;", "gfx", ""},
		{"8.0", "sm_80", "activemask.b32 %r1;", "gfx", "5 lane-count note"},
		{"6.0", "sm_60", "shfl.idx.b32 %r1, %r2, 0, 0x181f;", "gfx", ""}, // segments of eight lanes
		{"6.0", "sm_60", "shfl.idx.b32 %r1, %r2, 0, 31;", "gfx", "5 lane-count note"},
		{"6.0", "sm_60", "shfl.idx.b32 %r1, %r2, 0, %r3;", "gfx", "5 lane-count note"},
	} {
		src := fmt.Sprintf(".version %s\n.target %s\n.entry k()\n{ .reg .b32 %%r<9>;\n%s\nret; }", c.version, c.target, c.text)
		m, list := Parse("k.ptx", src)
		list = append(list, Check(m)...)
		if list.Err() != nil {
			t.Fatalf("%s: %v", c.text, list)
		}
		r, err := Portability(m, "", c.to)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range r.Findings {
			got = append(got, fmt.Sprintf("%d %s %s", d.Pos.Line, d.Code, d.Severity))
			if d.Remedy == "" || d.Section == "" || d.Source == "" {
				t.Errorf("%s: %+v", c.text, d)
			}
		}
		if g := strings.Join(got, "|"); g != c.want {
			t.Errorf("%s %s to %s: %q, want %q (%v)", c.target, c.text, c.to, g, c.want, r.Findings)
		}
	}
}

func TestPortabilityTargets(t *testing.T) {
	t.Parallel()
	m, _ := Parse("k.ptx", ".version 8.0\n.target sm_80\n.entry a()\n{ .reg .b32 %r<9>;\nvote.sync.ballot.b32 %r1, 1, -1; ret; }\n.entry b()\n{ ret; }")
	for _, bad := range []string{"sm_81", "sm_", "gfx900", ""} {
		if _, err := Portability(m, "", bad); err == nil {
			t.Errorf("%q is a target", bad)
		}
	}
	for kernel, want := range map[string]int{"": 1, "a": 1, "b": 0} {
		if r, err := Portability(m, kernel, "gfx"); err != nil || len(r.Findings) != want {
			t.Errorf("kernel %q: %v %+v", kernel, err, r)
		}
	}
}
