package api_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"example.org/crosslane"
)

// The facts that an explanation must contain, by the manual.
func TestExplain(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		instr  string
		isa    crosslane.ISA
		want   []string // regular expressions for the text, white space taken as one blank
		source []any    // the lane map
		undef  int
	}{
		{"shfl.sync.bfly.b32 %r1|%p, %r0, 4, 0x181f, 0xffffffff;", crosslane.PTX,
			[]string{"clamp 31, segmask 0x18: 4 segments of 8 lanes", `membermask = 0xffffffff`, "PTX ISA 6.0 or later, target sm_30", `PTX ISA 9\.7\.9\.6`, "does not say that the lane takes part"},
			lanes(32, func(i int) any { return i ^ 4 }), 0},
		{"shfl.up.b32 %r1|%p, %r0, 1, 0;", crosslane.PTX,
			[]string{"deprecated from PTX ISA 6.0; use shfl.sync", "removed from PTX ISA 6.4 for sm_70"},
			lanes(32, func(i int) any { return max(i-1, 0) }), 0},
		{"shfl.sync.down.b32 %r1, %r0, 16, 31, 0x000fffff;", crosslane.PTX, []string{"undefined in lanes 4-15"}, nil, -1},
		{"shf.l.wrap.b32 %r1, %r2, %r3, %r4;", crosslane.PTX, []string{"b as the high word and a as the low word", "PTX ISA 3.1 or later, target sm_32"}, nil, 0},
		{"v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa", crosslane.GCN3,
			[]string{"rows that are updated: 1, 3", "2 wait states after a VALU instruction that writes v1", "fa 02 02 02 01 42 01 af", `DPP_CTRL\|SRC0 \| \|0x142 \|1 \|`, `reads v1; exec \(the lanes that take part\); mode`, `writes v1`, "costs one extra dword"},
			lanes(64, func(i int) any {
				if i&16 == 0 {
					return "keep"
				}
				return i&0x30 - 1
			}), 0},
		{"v_mov_b32 v1, v0 row_shr:1 bound_ctrl:0", crosslane.GCN3, []string{"receives 0"},
			lanes(64, func(i int) any {
				if i&15 == 0 {
					return "zero"
				}
				return i - 1
			}), 0},
		{"ds_swizzle_b32 v5, v2 offset:0x80F6", crosslane.GCN3, []string{"QDMode", "s_waitcnt lgkmcnt", "reads and writes no LDS"},
			lanes(64, func(i int) any { return i&^3 + []int{2, 1, 3, 3}[i&3] }), 0},
		{"s_waitcnt vmcnt(0) & lgkmcnt(0)", crosslane.GCN3, []string{`vmcnt\(0\): until at most 0 vector memory operations`}, nil, 0},
	} {
		t.Run(c.instr, func(t *testing.T) {
			t.Parallel()
			e, err := crosslane.Explain(c.instr, crosslane.ExplainOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if e.ISA != c.isa {
				t.Errorf("taken for %s", e.ISA)
			}
			text := e.Text()
			for _, line := range strings.Split(text, "\n") {
				if n := len([]rune(line)); n > 80 {
					t.Errorf("a line of %d columns: %q", n, line)
				}
			}
			flat := strings.Join(strings.Fields(text), " ")
			for _, w := range c.want {
				if !regexp.MustCompile(w).MatchString(flat) {
					t.Errorf("the text does not say %q:\n%s", w, text)
				}
			}
			if c.source != nil {
				if e.Lanes == nil || fmt.Sprint(e.Lanes.Source) != fmt.Sprint(c.source) {
					t.Errorf("lane map %v, want %v", e.Lanes, c.source)
				}
				svg := e.SVG()
				if err := wellFormed(svg); err != nil || !strings.Contains(string(svg), "<title") {
					t.Errorf("SVG: %v", err)
				}
				// The picture says which instruction it shows.
				if !strings.Contains(string(svg), strings.Fields(e.Instr)[0]) {
					t.Error("the SVG does not name the instruction")
				}
			}
			if c.undef >= 0 && e.Lanes != nil && len(e.Lanes.Undefined) != c.undef {
				t.Errorf("undefined lanes %v", e.Lanes.Undefined)
			}
			if _, err := json.Marshal(e); err != nil {
				t.Error(err)
			}
		})
	}
	for _, bad := range []string{"", "frob", "shfl.sync.bfly.b32 %r1;", "v_add_f32 v1", "v_add_f32 v1, v0, v0 row_shr:16", "add.u32 %r1, %r2, %r3; add.u32 %r1, %r2, %r3;"} {
		if _, err := crosslane.Explain(bad, crosslane.ExplainOptions{}); err == nil {
			t.Errorf("%q is explained", bad)
		}
	}
}

func lanes(n int, f func(i int) any) []any {
	l := make([]any, n)
	for i := range l {
		l[i] = f(i)
	}
	return l
}

func wellFormed(doc []byte) error {
	d := xml.NewDecoder(strings.NewReader(string(doc)))
	for {
		if _, err := d.Token(); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
}
