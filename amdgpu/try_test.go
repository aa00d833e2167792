package amdgpu

import (
	"strings"
	"testing"

	"example.org/crosslane/internal/engine/interp"
)

func regsText(t *Try) string {
	var s []string
	for _, r := range t.Regs {
		x := r.Name + ":" + r.Type
		if r.Float {
			x += "!"
		}
		if !r.Written {
			x = "(" + x + ")"
		}
		s = append(s, x)
	}
	return strings.Join(s, " ")
}

// parseTry assembles and lifts a snippet.
func parseTry(src string) (*Try, error) {
	insts, diags := hooks.AssembleInsts(src, "try")
	if len(diags) > 0 {
		return nil, diags
	}
	return NewTry("try", insts, hooks.Track)
}

func TestNewTry(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ src, regs string }{
		{"v_add_f32 v1, v2, s3", "v1:f32! (v2:f32!) (s3:f32!)"},
		{"v_mov_b32 v1, 5; v_mov_b32_dpp v2, v1 row_shr:1", "v1:u32 v2:u32"},
		{"v_add_f32 v1, v2, v2; s_nop 1; v_mov_b32_dpp v3, v1 row_shr:1 row_mask:0xf bank_mask:0xf", "v1:f32! v3:f32! (v2:f32!)"},
		{"v_add_f32 v1, v2, v2; v_readlane_b32 s4, v1, 3", "v1:f32! s4:f32! (v2:f32!)"},
		{"v_cmp_lt_i32 vcc, v1, v2", "vcc:u64 (v1:s32) (v2:s32)"},
		{"v_cmpx_lt_i32 s[4:5], v1, v2", "s[4:5]:u64 exec:u64 (v1:s32) (v2:s32)"},
		{"s_add_u32 s0, s1, s2", "s0:u32 scc:pred (s1:u32) (s2:u32)"},
		{"s_and_saveexec_b64 s[2:3], vcc", "s[2:3]:u64 exec:u64 scc:pred (vcc:u64)"},
		{"v_add_f64 v[2:3], v[4:5], v[4:5]", "v[2:3]:f64! (v[4:5]:f64!)"},
		{"v_add_f64 v[2:3], v[4:5], v[4:5]; v_mov_b32 v2, 0", "v2:u32 v3:u32 (v[4:5]:f64!)"},
		{"ds_read2_b32 v[2:3], v0 offset1:1; s_waitcnt lgkmcnt(0)", "v2:u32 v3:u32 (v0:u32)"},
		{"v_add_u32 v1, vcc, v2, v3", "v1:u32 vcc:u64 (v2:u32) (v3:u32)"},
		{"ds_bpermute_b32 v1, v0, v2\ns_waitcnt lgkmcnt(0)", "v1:u32 (v0:u32) (v2:u32)"},
		{"v_mul_f32 v2, v2, v2; ds_swizzle_b32 v1, v2 offset:0x80F6", "v2:f32! v1:f32!"},
		{"v_cvt_i32_f32 v1, v2", "v1:s32 (v2:f32!)"},
		{"v_nop", ""},
	} {
		p, err := parseTry(c.src)
		if err != nil {
			t.Errorf("%s: %v", c.src, err)
			continue
		}
		if got := regsText(p); got != c.regs {
			t.Errorf("%s:\ngot  %s\nwant %s", c.src, got, c.regs)
		}
		if _, err := (interp.Engine{}).Compile(p.Func); err != nil {
			t.Errorf("%s: %v", c.src, err)
		}
	}
}

func TestTryFind(t *testing.T) {
	t.Parallel()
	p, err := parseTry("v_add_f64 v[2:3], v[4:5], s[6:7]; v_mov_b32 v9, m0")
	if err != nil {
		t.Fatal(err)
	}
	for name, pieces := range map[string]int{"v2": 1, "v3": 1, "v[2:3]": 2, "V[4:5]": 2, "s6": 1, "s[6:7]": 1, "vcc": 1, "exec": 1, "exec_lo": 1, "vcc_hi": 1, "m0": 1, "scc": 1, "v9": 1,
		"v8": 0, "s8": 0, "v[3:4]": 2, "v[5:6]": 0, "s[7:8]": 0, "x": 0, "": 0} {
		r, ok := p.Find(name)
		if ok != (pieces > 0) || len(r.Pieces) != pieces {
			t.Errorf("Find(%q) = %v, %v", name, r, ok)
		}
	}
	if r, _ := p.Find("v[2:3]"); r.Type != "f64" || !r.Written {
		t.Errorf("v[2:3] is %+v", r)
	}
}

func TestTryWarnings(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]bool{"v_add_f32 v1, v0, v0; v_add_f32 v2, v1, v1 row_shr:1": true, "ds_read_b32 v3, v0; v_mov_b32 v4, v3": true, "v_mov_b32 v4, v3": false} {
		p, err := parseTry(src)
		if err != nil {
			t.Fatal(err)
		}
		if got := p.Func.NewObserver != nil; got != want {
			t.Errorf("%s: observed: %v, want %v", src, got, want)
		}
	}
	for _, src := range []string{"v_add_f32 v1", "s_setpc_b64 s[0:1]", "s_branch nowhere", "bogus"} {
		if _, err := parseTry(src); err == nil {
			t.Errorf("%s: no error", src)
		}
	}
}
