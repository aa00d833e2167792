package api_test

import (
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

// A reduction with row_shr, row_bcast:15 and row_bcast:31; gaps stand behind its steps.
func reduction(gaps ...string) string {
	return `.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl reduce
.p2align 8
.type reduce,@function
reduce:
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  ` + gaps[0] + `
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v3, s1
  v_add_u32 v2, vcc, s0, v1
  v_addc_u32 v3, vcc, 0, v3, vcc
  flat_load_dword v1, v[2:3]
  ` + gaps[1] + `
  v_add_f32 v1, v1, v1 row_shr:1 bound_ctrl:0
  ` + gaps[2] + `
  v_add_f32 v1, v1, v1 row_shr:2 bound_ctrl:0
  ` + gaps[3] + `
  v_add_f32 v1, v1, v1 row_bcast:15 row_mask:0xa
  ` + gaps[4] + `
  v_add_f32 v1, v1, v1 row_bcast:31 row_mask:0xc
  flat_store_dword v[2:3], v1
  s_endpgm
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel reduce
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_next_free_vgpr 4
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
`
}

var reductionGaps = []string{"s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)", "s_nop 1", "s_nop 1", "s_nop 1"}

func checkAssembly(t *testing.T, text string) *crosslane.StaticReport {
	t.Helper()
	m, err := crosslane.Load([]byte(text), "k.s", crosslane.GCN3)
	if err != nil {
		t.Fatal(err)
	}
	l, err := m.CheckStatic()
	if err != nil || len(l) != 1 {
		t.Fatal(l, err)
	}
	return l[0]
}

// Every wait of the reduction is needed: without one of them, there is one finding at the
// line behind it; with all of them there is none.
func TestCheckStaticReduction(t *testing.T) {
	t.Parallel()
	whole := checkAssembly(t, reduction(reductionGaps...))
	if err := whole.Findings.Err(); err != nil || whole.Proved != 6 || whole.AtLeast {
		t.Errorf("%v, proved %d, want 6", err, whole.Proved)
	}
	for i, line := range []int{10, 15, 17, 19, 21} {
		gaps := append([]string(nil), reductionGaps...)
		gaps[i] = ""
		r := checkAssembly(t, reduction(gaps...))
		var errs diag.List
		for _, d := range r.Findings {
			if d.Severity == diag.Error {
				errs = append(errs, d)
			}
		}
		if len(errs) == 0 || errs[0].Pos.Line != line || errs[0].Kernel != "reduce" || !strings.HasPrefix(errs[0].Remedy, "insert "+reductionGaps[i]) {
			t.Errorf("without %s %d: %v", reductionGaps[i], i, errs)
		}
	}
}

// The output of compilers has no errors; all loops, tables of functions and recursions are
// followed.
func TestCheckStaticProgramsGCN3(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("examples/programs/gcn3/*_v[45].hsaco")
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	proved := 0
	for _, file := range short.Sample(files, 15) {
		m, err := crosslane.LoadFile(file)
		if err != nil {
			t.Fatal(file, err)
		}
		l, err := m.CheckStatic()
		if err != nil {
			t.Fatal(file, err)
		}
		for _, r := range l {
			if err := r.Findings.Err(); err != nil {
				t.Errorf("%s: %s: %v", file, r.Kernel, err)
			}
			proved += r.Proved
		}
	}
	if proved < short.Of(10000, 300) {
		t.Errorf("%d pairs proved", proved)
	}
}

// The end of an array in registers is unknown: a load after its first register is a note, and a
// load to its first register is certainly part of it.
func TestArrayInRegisters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		register string
		severity diag.Severity
	}{{"v5", diag.Note}, {"v3", diag.Warning}} {
		text := ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n  s_mov_b32 m0, -1\n  ds_read_b32 " + c.register +
			", v0\n  v_movrels_b32 v6, v3\n  s_waitcnt lgkmcnt(0)\n  s_endpgm\n.amdhsa_kernel k\n  .amdhsa_next_free_vgpr 8\n  .amdhsa_next_free_sgpr 8\n.end_amdhsa_kernel\n"
		got := checkAssembly(t, text).Findings
		if len(got) != 1 || got[0].Code != "waitcnt" || got[0].Severity != c.severity {
			t.Errorf("%s is loaded, the array begins with v3: %v, want one finding waitcnt, %v", c.register, got, c.severity)
		}
	}
}
