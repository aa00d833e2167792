package language

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
)

const kernelHead = `	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.amdhsa_code_object_version 5
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
`

const kernelTail = `	s_endpgm
	.section .rodata
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 24
	.end_amdhsa_kernel
`

// A register gets another number if that changes nothing else; otherwise the error names the obstacle.
func TestRenameRegister(t *testing.T) {
	for _, c := range []struct{ body, to, want string }{
		{"v_mov_b32_e32 v¦3, 0\n v_add_u32_e32 v4, vcc, v3, v3\n", "v5", "v_mov_b32_e32 v5, 0\n v_add_u32_e32 v4, vcc, v5, v5\n"},
		{"v_mov_b32_e32 v¦3, 0\n v_add_u32_e32 v4, vcc, v[3], v[3:3]\n", "V5", "v_mov_b32_e32 v5, 0\n v_add_u32_e32 v4, vcc, v5, v5\n"},
		{"s_mov_b32 s¦22, 0\n s_add_u32 s21, s22, s22\n", "s23", "s_mov_b32 s23, 0\n s_add_u32 s21, s23, s23\n"},
		{"v_mov_b32_e32 v¦1, 0\n v_add_u32_e32 v4, vcc, v1, v1\n", "v5", "v_mov_b32_e32 v5, 0\n v_add_u32_e32 v4, vcc, v5, v5\n"},
		{"v_mov_b32_e32 v¦3, 0\n v_add_u32_e32 v4, vcc, v3, v3\n", "v4", "error: v4 is in use: line 9 names it"},
		{"v_mov_b32_e32 v¦3, 0\n v_lshlrev_b64 v[4:5], 2, v[4:5]\n", "v5", "error: v5 is in use: line 9 names it"},
		{"v_mov_b32_e32 v¦3, 0\n", "v8", "error: v8 is not among the registers of k: line 13 gives it v0 to v7"},
		{"v_mov_b32_e32 v¦3, 0\n", "s3", "error: \"s3\" is no register that can stand for v3: write v0 to v255"},
		{"v_mov_b32_e32 v¦3, 0\n", "total", "error: \"total\" is no register"},
		{"v_mov_b32_e32 v¦3, 0\n", "v256", "error: v256 does not exist: the last register is v255"},
		{"v_mov_b32_e32 v¦3, 0\n v_lshlrev_b64 v[2:3], 2, v[4:5]\n", "v6", "error: v3 is a part of v[2:3] in line 9, which needs registers that follow each other"},
		{"v_add_u32_e32 v4, vcc, v¦0, v0\n", "v5", "error: v0 may hold a value that the launch puts there"},
		{"s_mov_b64 exec, 1\n v_mov_b32_e32 v¦1, 0\n v_add_u32_e32 v4, vcc, v1, v1\n", "v5", "error: v1 may hold a value that the launch"},
		{"s_and_saveexec_b64 s[4:5], vcc\n v_mov_b32_e32 v¦1, 0\n", "v5", "error: v1 may hold a value that the launch"},
		{"top:\n v_mov_b32_e32 v¦1, 0\n", "v5", "error: v1 may hold a value that the launch"},
		{"v_mac_f32_e32 v¦1, v3, v3\n", "v5", "error: v1 may hold a value that the launch"},
		{"v_mov_b32_e32 v3, 0\n v_mov_b32_dpp v¦1, v3 row_shr:1 row_mask:0xf bank_mask:0xf\n", "v5", "error: v1 may hold a value that the launch"},
		{"v_add_u32_e32 v¦1, vcc, v1, v3\n", "v5", "error: v1 may hold a value that the launch"},
		{"s_mov_b64 v¦cc, 0\n", "s22", "error: vcc is a register of the machine"},
		{"v_mov_b32_e32 v¦3, 0\n v_movrels_b32_e32 v4, v5\n", "v6", "error: v_movrels_b32_e32 in line 9 may name v3"},
		{".macro m\n .endm\n m\n v_mov_b32_e32 v¦3, 0\n", "v6", "error: .macro of line 8 may name v3"},
	} {
		d, at := marked(t, "k.s", kernelHead+c.body+kernelTail)
		edits, err := d.Rename(at, c.to)
		if got, ok := strings.CutPrefix(c.want, "error: "); ok {
			if err == nil || !strings.Contains(err.Error(), got) {
				t.Errorf("%s to %s: %v, want %s", c.body, c.to, err, got)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s to %s: %v", c.body, c.to, err)
			continue
		}
		text := rename(d, edits)
		if !strings.Contains(text, c.want) {
			t.Errorf("%s to %s:\n%s", c.body, c.to, text)
		}
		if _, err := crosslane.Load([]byte(text), "k.s", crosslane.GCN3); err != nil {
			t.Errorf("%s to %s: %v", c.body, c.to, err)
		}
	}
	d, at := marked(t, "k.s", ".globl f\n.type f,@function\nf:\n v_mov_b32_e32 v¦3, 0\n s_setpc_b64 s[30:31]\n")
	if _, err := d.Rename(at, "v5"); err == nil || !strings.Contains(err.Error(), "function") {
		t.Error(err)
	}
}

// A kernel computes the same after a register has another number.
func TestRenamedRegisterRuns(t *testing.T) {
	file := examples(t, "gcn3/wave_reduce.s")[0]
	text := regexp.MustCompile(`(next_free_[vs]gpr) \d+`).ReplaceAllString(read(t, file), "$1 24")
	run := func(text, kernel string) []int32 {
		m, err := crosslane.Load([]byte(text), file, crosslane.GCN3)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel(kernel)
		if err != nil {
			t.Fatal(err)
		}
		in, out := make([]int32, 256), make([]int32, 256)
		for i := range in {
			in[i] = int32(i * 37)
		}
		args := []crosslane.Arg{crosslane.Slice("in", in), crosslane.Slice("out", out)}
		if _, err := k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 256}, Args: args}); err != nil {
			t.Fatal(err)
		}
		return out
	}
	d := open(t, file, text)
	before := map[string][]int32{}
	n := 0
	for _, s := range d.syms {
		if s.kind != symRegister || s.fn < 0 || len(s.refs) == 0 || d.registerRenames(s) != nil {
			continue
		}
		for i := range 24 {
			name := fmt.Sprint(s.name[:1], i)
			edits, err := d.Rename(d.text.position(d.toks[s.refs[0].tok].from), name)
			if err != nil || name == s.name {
				continue
			}
			kernel := d.tok(d.funcs[s.fn].name)
			if !strings.HasPrefix(kernel, "reduce_") {
				break // it has other arguments
			}
			if before[kernel] == nil {
				before[kernel] = run(text, kernel)
			}
			if after := run(rename(d, edits), kernel); !slices.Equal(after, before[kernel]) {
				t.Errorf("%s: %s renamed to %s", kernel, s.name, name)
			}
			n++
			break
		}
	}
	if n == 0 {
		t.Error("no register was renamed")
	}
	t.Logf("%d registers", n)
}
