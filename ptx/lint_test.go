package ptx

import (
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

func TestActivemaskAsMembermask(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body string
		want int // lines that get a warning
	}{
		{"activemask.b32 %r1; shfl.sync.bfly.b32 %r2, %r0, 1, 31, %r1;", 1},
		{"activemask.b32 %r1; bar.warp.sync %r1; vote.sync.ballot.b32 %r2, %p1, %r1;", 2},
		{"activemask.b32 %r1; mov.b32 %r1, -1; shfl.sync.bfly.b32 %r2, %r0, 1, 31, %r1;", 0},
		{"activemask.b32 %r1; popc.b32 %r2, %r1; shfl.sync.bfly.b32 %r2, %r0, 1, 31, -1;", 0},
		{"activemask.b32 %r2; mov.b32 %r1, %r2; shfl.sync.bfly.b32 %r3, %r0, 1, 31, %r1;", 1},
		{"activemask.b32 %r2; and.b32 %r1, %r2, 255; shfl.sync.bfly.b32 %r3, %r0, 1, 31, %r1;", 1},
		{"activemask.b32 %r2; and.b32 %r1, %r2, 255; L: bar.warp.sync %r1; shl.b32 %r1, %r1, 1; @%p1 bra L;", 1},
		{"activemask.b32 %r2; mov.b32 %r1, %r2; @%p1 mov.b32 %r1, -1; shfl.sync.bfly.b32 %r3, %r0, 1, 31, %r1;", 0},
		{"activemask.b32 %r2; ld.shared.b32 %r1, [%r2]; shfl.sync.bfly.b32 %r3, %r0, 1, 31, %r1;", 0},
		{"match.any.sync.b32 %r1, %r0, -1; shfl.sync.bfly.b32 %r3, %r0, 1, 31, %r1;", 0},
		{"vote.sync.ballot.b32 %r1, %p1, -1; shfl.sync.bfly.b32 %r2, %r0, 1, 31, %r1;", 0},
	} {
		m, errs := Parse("k.ptx", ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k() { .reg .b32 %r<4>; .reg .pred %p<2>; "+c.body+" ret; }\n")
		if err := errs.Err(); err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, d := range Check(m) {
			if d.Code == codeActivemask && strings.Contains(d.Message, "%r1") {
				n++
			} else {
				t.Errorf("%s: %v", c.body, d)
			}
		}
		if n != c.want {
			t.Errorf("%s: %d warnings, want %d", c.body, n, c.want)
		}
	}
}

// TestLintHead checks the warnings of PTX 11.4.1, 11.4.4 and 11.4.5.
func TestLintHead(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ version, head, want string }{
		{"8.0", ".minnctapersm 2", ".minnctapersm of k has no effect without .maxntid or .reqntid"},
		{"2.0", ".minnctapersm 2", ""},
		{"8.0", ".minnctapersm 2 .maxntid 32", ""},
		{"8.0", ".reqntid 32 .minnctapersm 2", ""},
		{"8.0", ".maxnctapersm 2", ".maxnctapersm of k is one of PTX before 2.1, the module has 8.0"},
		{"1.4", ".maxnctapersm 2", ""},
		{"8.0", ".maxnreg 255", ""},
		{"8.0", ".maxnreg 1", ""},
		{"8.0", ".maxnreg 255 .maxntid 1024", ""},
		{"8.0", ".maxnreg 256", ".maxnreg 256 of k has no effect: a thread has 255 registers at most, on every target"},
		{"8.0", ".maxntid 32 .maxnreg 1000", ".maxnreg 1000 of k has no effect: a thread has 255 registers at most, on every target"},
	} {
		target := "sm_70"
		if tt.version < "3" {
			target = "sm_10"
		}
		l := Check(mustParse(t, ".version "+tt.version+"\n.target "+target+"\n.entry k() "+tt.head+" { exit; }\n"))
		switch {
		case tt.want == "" && len(l) > 0, tt.want != "" && (len(l) != 1 || l[0].Message != tt.want || (l[0].Severity == diag.Warning) != (l[0].Code == codeNoEffect)):
			t.Errorf("%s in PTX %s: %v, want %q", tt.head, tt.version, l, tt.want)
		}
	}
}
