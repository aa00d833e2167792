package hazard

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/internal/gcntest"
)

// TestStaleDPP checks the report about lanes that a DPP instruction leaves unchanged, and about
// their old values.
func TestStaleDPP(t *testing.T) {
	t.Parallel()
	const temp = "v_lshlrev_b32 v2, 2, v0\nv_add_u32 v3, vcc, v2, v0\nv_mov_b32 v1, v0\n" // v2 was computed for v3
	const number = "v_mbcnt_lo_u32_b32 v5, -1, 0\nv_mbcnt_hi_u32_b32 v5, -1, v5\n"
	const use = "\nv_add_u32 v1, vcc, v1, v2"
	for _, c := range []struct{ text, want string }{
		// The masks of a scan stand in a reduction: rows 0 and 2 add the old values of v2.
		{temp + "v_mov_b32_dpp v2, v1 row_bcast:15 row_mask:0xa" + use, "4<1 lanes 0-15, 32-47"},
		{temp + "v_mov_b32_dpp v2, v1 row_shr:1" + use, "4<1 lanes 0, 16, 32, 48"},
		{temp + "v_add_u32_dpp v2, vcc, v1, v1 row_shr:8 bank_mask:0xc" + use, "4<1 lanes 0-7, 16-23, 32-39, 48-55"},
		{temp + "v_mov_b32_dpp v2, v1 row_shr:1 bound_ctrl:0" + use, ""},
		{temp + "v_mov_b32_dpp v2, v1 quad_perm:[1,0,3,2]" + use, ""},
		{temp + "v_mov_b32_dpp v2, v1 row_ror:4" + use, ""},
		// v2 is set on purpose.
		{temp + "v_mov_b32 v2, 0\nv_mov_b32_dpp v2, v1 row_bcast:15 row_mask:0xa" + use, ""},
		{temp + "v_mov_b32 v2, v3\nv_mov_b32_dpp v2, v1 row_bcast:15 row_mask:0xa" + use, ""},
		{temp + "v_mov_b32_dpp v2, v1 quad_perm:[0,0,2,2]\nv_mov_b32_dpp v2, v1 row_shr:1" + use, ""},
		{"v_add_u32 v2, vcc, v0, v0\nv_mov_b32_dpp v2, v1 row_shr:1" + use, ""},                  // no other instruction uses v2
		{temp + "v_add_u32_dpp v2, vcc, v2, v2 row_shr:1" + use, ""},                             // sums in place
		{temp + "v_add_u32_dpp v2, vcc, v1, v2 row_shr:1" + use, ""},                             // the same
		{temp + "v_add_u32 v1, vcc, v3, v1\nv_mov_b32_dpp v2, v1 row_shr:1" + use, ""},           // the moved value was computed from v2
		{"v_add_u32 v1, vcc, v2, v0\nv_mov_b32_dpp v2, v1 row_shr:1" + use, ""},                  // v2 is undefined
		{temp + "v_mac_f32_dpp v2, v1, v1 row_shr:1" + use, ""},                                  // v_mac reads the register that it adds to
		{temp + "v_mov_b32_dpp v2, v1 row_shr:1\nv_mov_b32 v2, 0" + use, ""},                     // no instruction reads the result
		{temp + "v_mov_b32_dpp v2, v1 row_bcast:31 row_mask:0xc\nv_readlane_b32 s0, v2, 63", ""}, // these lanes are not read
		{temp + "v_mov_b32_dpp v2, v1 row_bcast:31 row_mask:0xc\nv_readlane_b32 s0, v2, 31", "4<1 lanes 0-31"},
		{temp + "v_mov_b32_dpp v2, v1 row_shr:1\nv_mov_b32_dpp v5, v2 row_shl:1 bound_ctrl:0", ""}, // lane 0 gives nothing
		// A loaded value is not computed from its address.
		{"v_lshlrev_b32 v2, 2, v0\nflat_load_dword v1, v[2:3]\ns_waitcnt vmcnt(0)\nv_mov_b32_dpp v2, v1 row_shr:1" + use, "4<1 lanes 0, 16, 32, 48"},
		// The lane's number decides which lanes take the value, as in rocPRIM's scans.
		{temp + number + "v_and_b32 v6, 15, v5\nv_cmp_ne_u32 vcc, 0, v6\nv_mov_b32_dpp v2, v1 row_shr:1\nv_cndmask_b32 v2, 0, v2, vcc" + use, ""},
		{temp + number + "v_and_b32 v6, 15, v5\nv_cmp_eq_u32 vcc, 0, v6\nv_mov_b32_dpp v2, v1 row_shr:1\nv_cndmask_b32 v2, v2, v7, vcc" + use, ""},
		{temp + number + "v_and_b32 v6, 15, v5\nv_cmp_eq_u32 vcc, 0, v6\nv_mov_b32_dpp v2, v1 row_shr:1\nv_cndmask_b32 v2, 0, v2, vcc" + use, "8<1 lanes 0, 16, 32, 48"}, // the wrong lanes
		{temp + number + "v_and_b32 v6, 7, v5\nv_cmp_lt_u32 vcc, 1, v6\nv_mov_b32_dpp v2, v1 row_shr:2\nv_cndmask_b32 v2, 0, v2, vcc" + use, ""},
		{temp + number + "v_and_b32 v6, 15, v5\nv_cmp_lt_u32 vcc, 0, v6\nv_mov_b32_dpp v2, v1 row_shr:2\nv_cndmask_b32 v2, 0, v2, vcc" + use, "8<1 lanes 0-1, 16-17, 32-33, 48-49"}, // lanes 1, 17, 33 and 49 take it
		{temp + number + "v_bfe_i32 v6, v5, 4, 1\nv_mov_b32_dpp v2, v1 row_bcast:15 row_mask:0xa\nv_and_b32 v2, v6, v2" + use, ""},
		{temp + number + "v_bfe_i32 v6, v5, 5, 1\nv_mov_b32_dpp v2, v1 row_bcast:15 row_mask:0xa\nv_and_b32 v2, v6, v2" + use, "7<1 lanes 0-15, 32-47"}, // lanes 32 to 47 take it
		{temp + number + "v_cmp_lt_u32 vcc, 31, v5\nv_mov_b32_dpp v2, v1 row_bcast:31 row_mask:0xc\nv_cndmask_b32 v2, 0, v2, vcc" + use, ""},
		// Some lanes do the scan: those lanes have computed the condition, too.
		{temp + number + "v_cmp_gt_u32 vcc, 4, v0\ns_and_saveexec_b64 s[4:5], vcc\ns_cbranch_execz l\nv_and_b32 v6, 3, v5\nv_cmp_ne_u32 vcc, 0, v6\nv_mov_b32_dpp v2, v1 row_shr:1\nv_cndmask_b32 v2, 0, v2, vcc" + use + "\nl:\ns_or_b64 exec, exec, s[4:5]", ""},
		// The condition is that of lanes that executed before, or another one on one path.
		{temp + number + "v_cmp_gt_u32 vcc, 4, v0\ns_and_saveexec_b64 s[4:5], vcc\nv_and_b32 v5, 15, v0\ns_mov_b64 exec, s[4:5]\nv_cmp_ne_u32 vcc, 0, v5\nv_mov_b32_dpp v2, v1 row_shr:1\nv_cndmask_b32 v2, 0, v2, vcc" + use, "11<1 lanes 0, 16, 32, 48"},
		{temp + number + "v_mov_b32 v6, 1\nv_cmp_gt_u32 vcc, 4, v0\ns_and_saveexec_b64 s[4:5], vcc\nv_mov_b32 v6, 0\ns_mov_b64 exec, s[4:5]\nv_cmp_ne_u32 vcc, 0, v6\nv_mov_b32_dpp v2, v1 row_shr:1\nv_cndmask_b32 v2, 0, v2, vcc" + use, "12<1 lanes 0, 16, 32, 48"},
		{temp + number + "v_mov_b32 v6, 1\ns_cbranch_scc0 l\nv_and_b32 v6, 15, v5\nl:\nv_cmp_ne_u32 vcc, 0, v6\nv_mov_b32_dpp v2, v1 row_shr:1\nv_cndmask_b32 v2, 0, v2, vcc" + use, "11<1 lanes 0, 16, 32, 48"},
		{temp + number + "v_and_b32 v6, 15, v5\ns_cbranch_scc0 l\nv_mov_b32 v6, 1\nl:\nv_cmp_ne_u32 vcc, 0, v6\nv_mov_b32_dpp v2, v1 row_shr:1\nv_cndmask_b32 v2, 0, v2, vcc" + use, "11<1 lanes 0, 16, 32, 48"},
		{temp + number + "v_and_b32 v6, 15, v5\nv_cmp_ne_u32 vcc, 0, v6\nl:\nv_mov_b32_dpp v2, v1 row_shr:1\nv_cndmask_b32 v3, 0, v2, vcc\nv_add_u32 v2, vcc, v3, v3\nv_add_u32 v7, vcc, v2, v2\ns_cbranch_scc0 l" + use, "9<1 lanes 0, 16, 32, 48"}, // vcc changes in the loop
		// v2 is set on one path only.
		{temp + "s_cbranch_scc0 l\nv_mov_b32 v2, 0\nl:\nv_mov_b32_dpp v2, v1 row_shr:1" + use, "7<1 lanes 0, 16, 32, 48"},
		// This is the scan of the article, unchanged.
		{"v_mul_f32 v1, v0, v0\nv_add_f32 v2, v1, v0\n" + gcntest.PrefixSum, ""},
	} {
		var l []string
		for _, d := range CheckOther(withLabels(t, c.text)) {
			if d.Code != CodeStaleDPP || d.Severity.String() != "warning" {
				t.Errorf("%s\n%v", c.text, d)
			}
			l = append(l, fmt.Sprintf("%d<%d lanes %s", d.Pos.Line, d.Related[0].Pos.Line, d.Lanes))
		}
		if got := strings.Join(l, " "); got != c.want {
			t.Errorf("%s\nfound %q, expected %q", c.text, got, c.want)
		}
	}
}

// TestStaleDPPOracle checks that clang's code for update_dpp, which receives an old value, gives no
// report.
func TestStaleDPPOracle(t *testing.T) {
	t.Parallel()
	clang, err := exec.LookPath("clang-22")
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal("clang-22 is not installed, but CROSSLANE_REQUIRE_ORACLES is 1")
		}
		t.Skip("clang-22 is not installed")
	}
	var src strings.Builder
	for i, body := range []string{
		"int x = p[i]; x += DPP(0, x, 0x111, 15, 15); x += DPP(0, x, 0x112, 15, 15); x += DPP(0, x, 0x118, 15, 12); x += DPP(0, x, 0x142, 10, 15); x += DPP(0, x, 0x143, 12, 15); q[i] = x;",
		"int x = p[i]; x = max(x, DPP(x, x, 0x111, 15, 15)); x = max(x, DPP(x, x, 0x142, 10, 15)); q[i] = x;",
		"int x = p[i], y = p[i + 64]; q[i] = DPP(y, x, 0x111, 15, 15) + y; q[i + 64] = x;",
		"int x = p[i], id = 2147483647; x = min(x, DPP(id, x, 0x111, 15, 15)); x = min(x, DPP(id, x, 0x142, 10, 15)); q[i] = x + i * 3;",
		"float x = p[i] * 3.0f; x += as_float(DPP(0, as_int(x), 0x118, 15, 12)); q[i] = x; q[i + 64] = x * x;",
	} {
		fmt.Fprintf(&src, "kernel void k%d(global int *p, global int *q) { int i = __builtin_amdgcn_workitem_id_x(); %s }\n", i, body)
	}
	head := "#define DPP(old, x, c, r, b) __builtin_amdgcn_update_dpp(old, x, c, r, b, false)\n" +
		"#define max(a, b) ((a) > (b) ? (a) : (b))\n#define min(a, b) ((a) < (b) ? (a) : (b))\n#define as_int(f) __builtin_astype(f, int)\n#define as_float(f) __builtin_astype(f, float)\n"
	dir := t.TempDir()
	in, out := filepath.Join(dir, "k.cl"), filepath.Join(dir, "k.s")
	if err := os.WriteFile(in, []byte(head+src.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, level := range []string{"-O0", "-O1", "-O3"} {
		if b, err := exec.Command(clang, "-x", "cl", "-cl-std=CL2.0", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-nogpulib", level, "-S", in, "-o", out).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, b)
		}
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		o, list := asm.Assemble(text, out, asm.Options{})
		if o == nil {
			t.Fatal(list)
		}
		dpp := 0
		for _, l := range o.Lines {
			if strings.Contains(l.Text, "_dpp") {
				dpp++
			}
		}
		if dpp < 8 {
			t.Errorf("%s: %d DPP instructions", level, dpp)
		}
		for _, s := range o.Symbols {
			if s.Section == 0 && strings.HasPrefix(s.Name, "k") && len(s.Name) == 2 {
				for _, d := range CheckOther(amdgpu.Code{Bytes: o.Sections[0].Data, Entry: int64(s.Value)}) {
					t.Errorf("%s: %v", level, d)
				}
			}
		}
	}
}
