package api_test

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// ptxCheckKernel is a kernel k of the given lines, with a buffer out of 64 elements
// and a buffer in of 64; %rd1 and %rd2 are the addresses of the thread's elements of 4
// bytes, %rd3 is that of out, %r1 the thread's number.
func ptxCheckKernel(lines string) string {
	return `.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 in)
{
	.reg .b16 %h<8>;
	.reg .b32 %r<16>;
	.reg .b64 %rd<16>;
	.reg .f32 %f<8>;
	.reg .pred %p<8>;
	.shared .align 16 .b8 sh[1024];
	.local .align 16 .b8 lo[64];
	ld.param.u64 %rd3, [out];
	ld.param.u64 %rd2, [in];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd4, %r1, 4;
	add.u64 %rd1, %rd3, %rd4;
	add.u64 %rd2, %rd2, %rd4;
` + lines + `
	ret;
}
`
}

var wants = regexp.MustCompile(`// want ([a-z0-9 -]+)`)

// checkCase runs Check and compares the codes of the findings, line by line, with the
// // want comments.
func checkCase(t *testing.T, src string, uninit bool) *crosslane.Result {
	t.Helper()
	m, err := crosslane.Load([]byte(src), "k", crosslane.Auto)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	out, in := crosslane.NewBuffer("out", crosslane.U32, 64), crosslane.NewBuffer("in", crosslane.U32, 64)
	in.Uninitialised = uninit
	args := []crosslane.Arg{out, in}[:len(k.Params())]
	res, err := k.Check(context.Background(), crosslane.Launch{Block: crosslane.Dim3{X: 32}, Args: args, Timeout: 20 * time.Second, Skip: []string{"schedule-dependent", "race-shared", "race-global", "race-same-value", "never-written"}})
	if err != nil {
		t.Fatal(err)
	}
	// Afterwards the buffers have the same contents as after Run.
	plain := []*crosslane.Buffer{crosslane.NewBuffer("out", crosslane.U32, 64), crosslane.NewBuffer("in", crosslane.U32, 64)}
	if _, err := k.Run(context.Background(), crosslane.Launch{Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{plain[0], plain[1]}[:len(k.Params())]}); err != nil {
		t.Fatal(err)
	}
	for i, b := range []*crosslane.Buffer{out, in} {
		if !bytes.Equal(b.Data, plain[i].Data) || b.Written != plain[i].Written {
			t.Errorf("Check leaves in %s %x, written %v; Run %x, %v", b.Name, b.Data, b.Written, plain[i].Data, plain[i].Written)
		}
	}
	var want, got []string
	for i, line := range strings.Split(src, "\n") {
		if m := wants.FindStringSubmatch(line); m != nil {
			for _, code := range strings.Fields(m[1]) {
				want = append(want, fmt.Sprintf("%03d %s", i+1, code))
			}
		}
	}
	for _, f := range res.Findings {
		code := f.Code
		if f.Severity == diag.Note {
			code += "-note"
		}
		got = append(got, fmt.Sprintf("%03d %s", f.Pos.Line, code))
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q\n%s\n%v", got, want, src, res.Findings)
	}
	return res
}

// badPTX are kernels whose undefined bits reach something, and good ones whose do not,
// which look alike. in is not initialised.
var badPTX = []struct{ name, lines string }{
	{"register stored", "st.global.u32 [%rd1], %r5; // want poison-store"},
	{"register in a sum", "add.u32 %r6, %r5, %r1;\nst.global.u32 [%rd1], %r6; // want poison-store"},
	{"register that dies", "add.u32 %r6, %r5, %r1;\nst.global.u32 [%rd1], %r1;"},
	{"register in some lanes", "setp.lt.u32 %p1, %r1, 16;\n@%p1 mov.u32 %r5, 1;\nst.global.u32 [%rd1], %r5; // want poison-store"},
	{"register in all lanes", "setp.lt.u32 %p1, %r1, 16;\n@%p1 mov.u32 %r5, 1;\n@!%p1 mov.u32 %r5, 2;\nst.global.u32 [%rd1], %r5;"},
	{"branch", "ld.global.u32 %r5, [%rd2];\nsetp.eq.u32 %p1, %r5, 3;\n@%p1 bra e; // want poison-branch\nst.global.u32 [%rd1], %r1;\ne:"},
	{"decided branch", "ld.global.u32 %r5, [%rd2];\nor.b32 %r5, %r5, 4;\nand.b32 %r5, %r5, 6;\nsetp.lt.u32 %p1, %r5, 4;\n@%p1 bra e;\nst.global.u32 [%rd1], %r1;\ne:"},
	{"address", "ld.global.u32 %r5, [%rd2];\nmul.wide.u32 %rd5, %r5, 4;\nadd.u64 %rd5, %rd5, %rd3;\nst.global.u32 [%rd5], %r1; // want poison-address"},
	{"masked address", "ld.global.u32 %r5, [%rd2];\nand.b32 %r5, %r5, 0;\nmul.wide.u32 %rd5, %r5, 4;\nadd.u64 %rd5, %rd5, %rd3;\nst.global.u32 [%rd5], %r1;"},
	{"buffer", "ld.global.u32 %r5, [%rd2];\nst.global.u32 [%rd1], %r5; // want poison-store"},
	{"buffer written first", "st.global.u32 [%rd2], %r1;\nld.global.u32 %r5, [%rd2];\nst.global.u32 [%rd1], %r5;"},
	{"byte of four", "st.global.u8 [%rd2], %r1;\nld.global.u32 %r5, [%rd2];\nand.b32 %r6, %r5, 255;\nst.global.u32 [%rd1], %r6;\nshr.u32 %r6, %r5, 8;\nst.global.u32 [%rd1], %r6; // want poison-store"},
	{"low half of a sum", "mov.u32 %r6, 5;\nld.global.u8 %r5, [%rd2];\nshl.b32 %r5, %r5, 16;\nadd.u32 %r6, %r6, %r5;\nst.global.u16 [%rd1], %r6;\nst.global.u32 [%rd1], %r6; // want poison-store"},
	{"shared", "mov.u32 %r6, sh;\nshl.b32 %r7, %r1, 2;\nadd.u32 %r6, %r6, %r7;\nld.shared.u32 %r5, [%r6+4];\nst.global.u32 [%rd1], %r5; // want poison-store"},
	{"shared, neighbour missing", "mov.u32 %r6, sh;\nshl.b32 %r7, %r1, 2;\nadd.u32 %r6, %r6, %r7;\nst.shared.u32 [%r6], %r1;\nbar.sync 0;\nld.shared.u32 %r5, [%r6+4];\nst.global.u32 [%rd1], %r5; // want poison-store"},
	{"shared, all there", "mov.u32 %r6, sh;\nshl.b32 %r7, %r1, 2;\nadd.u32 %r6, %r6, %r7;\nst.shared.u32 [%r6], %r1;\nst.shared.u32 [%r6+4], %r1;\nbar.sync 0;\nld.shared.u32 %r5, [%r6+4];\nst.global.u32 [%rd1], %r5;"},
	{"generic address of shared", "mov.u64 %rd5, sh;\ncvta.shared.u64 %rd5, %rd5;\nld.u32 %r5, [%rd5];\nst.global.u32 [%rd1], %r5; // want poison-store"},
	{"local", "mov.u32 %r6, lo;\nst.local.u32 [%r6], %r1;\nld.local.u32 %r5, [%r6];\nst.global.u32 [%rd1], %r5;\nld.local.u32 %r5, [%r6+4];\nst.global.u32 [%rd1], %r5; // want poison-store"},
	{"atomic", "atom.global.add.u32 %r5, [%rd2], 1; // want poison-store\nst.global.u32 [%rd1], %r5; // want poison-store"},
	{"atomic on defined memory", "mov.u32 %r6, sh;\nmov.u32 %r7, 0;\nst.shared.u32 [%r6], %r7;\nbar.sync 0;\natom.shared.add.u32 %r5, [%r6], 1;\nst.global.u32 [%rd1], %r5;"},
	{"atomic with an undefined operand", "mov.u32 %r6, sh;\nmov.u32 %r7, 0;\nst.shared.u32 [%r6], %r7;\nbar.sync 0;\nsetp.eq.u32 %p1, %r1, 7;\n@!%p1 mov.u32 %r5, 0;\nred.shared.or.b32 [%r6], %r5;\nbar.sync 0;\nld.shared.u32 %r7, [%r6];\nst.global.u32 [%rd1], %r7; // want poison-store"},
	{"exchange cleans", "atom.global.exch.b32 %r5, [%rd2], %r1;\nld.global.u32 %r6, [%rd2];\nst.global.u32 [%rd1], %r6;"},
	{"compare and swap decides", "atom.global.cas.b32 %r5, [%rd2], 0, 1; // want poison-store\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra e; // want poison-branch\nst.global.u32 [%rd1], %r1;\ne:"},
	{"shuffle", "mov.u32 %r5, 1;\nsetp.eq.u32 %p1, %r1, 3;\n@!%p1 mov.u32 %r6, %r1;\nshfl.sync.bfly.b32 %r7, %r6, 1, 31, -1;\nst.global.u32 [%rd1], %r7; // want poison-store"},
	{"shuffle, bit by bit", "ld.global.u32 %r6, [%rd2];\nand.b32 %r6, %r6, 0xff00;\nshfl.sync.bfly.b32 %r7, %r6, 1, 31, -1;\nand.b32 %r7, %r7, 0xff;\nst.global.u32 [%rd1], %r7;"},
	{"vote", "ld.global.u32 %r6, [%rd2];\nsetp.eq.u32 %p1, %r6, 0;\nvote.sync.any.pred %p2, %p1, -1;\n@%p2 bra e; // want poison-branch\ne:"},
	{"select", "ld.global.u32 %r6, [%rd2];\nsetp.lt.u32 %p1, %r1, 40;\nselp.u32 %r7, %r1, %r6, %p1;\nst.global.u32 [%rd1], %r7;\nselp.u32 %r7, %r6, %r1, %p1;\nst.global.u32 [%rd1], %r7; // want poison-store"},
	{"guarded store", "ld.global.u32 %r6, [%rd2];\nsetp.eq.u32 %p1, %r6, 0;\n@%p1 st.global.u32 [%rd1], %r1; // want poison-branch"},
	{"trap", "ld.global.u32 %r6, [%rd2];\nsetp.eq.u32 %p1, %r6, 1;\n@%p1 trap; // want poison-trap"},
	{"float", "ld.global.f32 %f1, [%rd2];\nmul.f32 %f2, %f1, 0f00000000;\nst.global.f32 [%rd1], %f2; // want poison-store"},
	{"matrix", "ld.global.u32 %r6, [%rd2];\nmovmatrix.sync.aligned.m8n8.trans.b16 %r7, %r6;\nst.global.u32 [%rd1], %r7; // want poison-store"},
	{"matrix from memory", "mov.u32 %r6, sh;\nshl.b32 %r7, %r1, 4;\nadd.u32 %r6, %r6, %r7;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r8}, [%r6];\nst.global.u32 [%rd1], %r8; // want poison-store"},
	{"copy", "cp.async.ca.shared.global [sh], [%rd2], 4;\ncp.async.wait_all;\nld.shared.u32 %r5, [sh];\nst.global.u32 [%rd1], %r5; // want poison-store"},
}

// undefinedReads are reads of lanes that do not take part, in a warp whose upper half
// has exited: errors where something depends on them, and else notes.
var undefinedReads = []struct{ name, lines string }{
	{"dies", "shfl.sync.down.b32 %r6, %r1, 8, 31, -1; // want undefined-source-note"},
	{"stored", "shfl.sync.down.b32 %r6, %r1, 8, 31, -1; // want undefined-source\nst.global.u32 [%rd1], %r6; // want poison-store"},
	{"the lanes that need it have it", "shfl.sync.down.b32 %r6, %r1, 8, 31, -1; // want undefined-source-note\nsetp.lt.u32 %p1, %r1, 8;\n@%p1 st.global.u32 [%rd1], %r6;"},
	{"one lane more", "shfl.sync.down.b32 %r6, %r1, 8, 31, -1; // want undefined-source\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 st.global.u32 [%rd1], %r6; // want poison-store"},
	{"not selected", "shfl.sync.down.b32 %r6|%p1, %r1, 8, 31, -1; // want undefined-source-note\nsetp.lt.u32 %p2, %r1, 8;\nselp.u32 %r6, %r6, 0, %p2;\nst.global.u32 [%rd1], %r6;"},
	{"masked", "shfl.sync.down.b32 %r6, %r1, 8, 31, -1; // want undefined-source-note\nand.b32 %r6, %r6, 0;\nst.global.u32 [%rd1], %r6;"},
	{"left in shared memory", "shfl.sync.down.b32 %r6, %r1, 8, 31, -1; // want undefined-source-note\nmov.u32 %r7, sh;\nshl.b32 %r8, %r1, 2;\nadd.u32 %r7, %r7, %r8;\nst.shared.u32 [%r7], %r6;"},
	{"through shared memory", "shfl.sync.down.b32 %r6, %r1, 8, 31, -1; // want undefined-source\nmov.u32 %r7, sh;\nshl.b32 %r8, %r1, 2;\nadd.u32 %r7, %r7, %r8;\nst.shared.u32 [%r7], %r6;\nld.shared.u32 %r9, [%r7];\nst.global.u32 [%rd1], %r9; // want poison-store"},
	{"two of which one", "shfl.sync.down.b32 %r6, %r1, 8, 31, -1; // want undefined-source-note\nshfl.sync.down.b32 %r7, %r1, 4, 31, -1; // want undefined-source\nst.global.u32 [%rd1], %r7; // want poison-store"},
	{"two that need each other", "mov.u32 %r9, 0;\nshfl.sync.down.b32 %r6, %r9, 8, 31, -1; // want undefined-source\nshfl.sync.down.b32 %r7, %r9, 4, 31, -1; // want undefined-source\nand.b32 %r6, %r6, %r7;\nst.global.u32 [%rd1], %r6; // want poison-store"},
	{"beside an undefined register", "shfl.sync.down.b32 %r6, %r1, 8, 31, -1; // want undefined-source-note\nst.global.u32 [%rd1], %r5; // want poison-store"},
	{"beside an undefined buffer", "shfl.sync.down.b32 %r6, %r1, 8, 31, -1; // want undefined-source-note\nld.global.u32 %r7, [%rd2];\nst.global.u32 [%rd1], %r7; // want poison-store"},
	{"branch", "shfl.sync.down.b32 %r6, %r1, 8, 31, -1; // want undefined-source\nsetp.eq.u32 %p1, %r6, 3;\n@%p1 bra e; // want poison-branch\nst.global.u32 [%rd1], %r1;\ne:"},
	{"membermask", "shfl.sync.idx.b32 %r6, %r1, 31, 31, -1; // want undefined-source\nor.b32 %r6, %r6, 0xffff;\nbar.warp.sync %r6; // want poison-branch"},
	{"not in its own membermask", "mov.u32 %r8, 0xff;\nshfl.sync.down.b32 %r6, %r1, 0, 31, %r8; // want not-in-membermask"},
	{"in a loop", "mov.u32 %r6, %r1;\nmov.u32 %r7, 0;\nl:\nshfl.sync.down.b32 %r8, %r6, 1, 31, -1; // want undefined-source\nadd.u32 %r6, %r6, %r8;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 16;\n@%p1 bra l;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%rd1], %r6; // want poison-store"},
	{"in a loop that ends before", "mov.u32 %r6, %r1;\nmov.u32 %r7, 0;\nl:\nshfl.sync.down.b32 %r8, %r6, 1, 31, -1; // want undefined-source-note\nadd.u32 %r6, %r6, %r8;\nadd.u32 %r7, %r7, 1;\nsetp.lt.u32 %p1, %r7, 15;\n@%p1 bra l;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 st.global.u32 [%rd1], %r6;"},
	{"legacy", "shfl.down.b32 %r6, %r1, 8, 31; // want deprecated-instruction undefined-source-note"},
}

func TestCheckUndefinedReads(t *testing.T) {
	t.Parallel()
	for _, c := range undefinedReads {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := ptxCheckKernel("setp.ge.u32 %p7, %r1, 16;\n@%p7 exit;\n" + c.lines)
			if c.name == "legacy" {
				src = strings.Replace(strings.Replace(src, "8.0", "6.0", 1), "sm_80", "sm_60", 1)
			}
			res := checkCase(t, src, true)
			// Origin and effect name each other.
			for _, f := range res.Findings {
				if f.Code == "undefined-source" && f.Severity == diag.Error && !slices.ContainsFunc(f.Related, func(r diag.Related) bool { return r.After && r.Pos.Line > 0 }) {
					t.Errorf("%v names no effect: %v", f, f.Related)
				}
				if f.Code == "undefined-source" && f.Severity == diag.Note && len(f.Related) > 0 {
					t.Errorf("%v names effects: %v", f, f.Related)
				}
			}
		})
	}
}

// hostCalls are services of the runtime that look at memory.
var hostCalls = []struct{ name, lines string }{
	{"printed", "st.local.u32 [%r6], %r1;\ncall (%r7), vprintf, (%rd5, %rd6);"},
	{"printed, undefined", "call (%r7), vprintf, (%rd5, %rd6); // want poison-store"},
	{"printed, half of it", "st.local.u16 [%r6], 1;\ncall (%r7), vprintf, (%rd5, %rd6); // want poison-store"},
	{"not printed", "st.local.u32 [%r6], %r1;\nst.local.u32 [%r6+4], %r5;\ncall (%r7), vprintf, (%rd5, %rd6);"},
	{"length", "st.local.u16 [%r6], 65;\ncall (%rd7), strlen, (%rd6);\nst.global.u32 [%rd1], %rd7;"},
	{"length, undefined", "st.local.u8 [%r6], 65;\ncall (%rd7), strlen, (%rd6);\nst.global.u32 [%rd1], %rd7; // want poison-store"},
	{"copied", "call (%rd7), memcpy, (%rd6, %rd2, 4);\nld.local.u32 %r7, [%r6];\nst.global.u32 [%rd1], %r7; // want poison-store"},
	{"copied, not used", "call (%rd7), memcpy, (%rd6, %rd2, 4);\nst.local.u32 [%r6], %r1;\nld.local.u32 %r7, [%r6];\nst.global.u32 [%rd1], %r7;"},
}

func TestCheckHostCalls(t *testing.T) {
	t.Parallel()
	const decls = ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n.extern .func (.param .b64 r) strlen(.param .b64 s);\n" +
		".extern .func (.param .b64 r) memcpy(.param .b64 d, .param .b64 s, .param .b64 n);\n.global .b8 fmt[4] = {37, 100, 10, 0};\n.visible .entry"
	for _, c := range hostCalls {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			src := ptxCheckKernel("mov.u64 %rd5, fmt;\ncvta.global.u64 %rd5, %rd5;\nmov.u32 %r6, lo;\nmov.u64 %rd6, lo;\ncvta.local.u64 %rd6, %rd6;\n" + c.lines)
			checkCase(t, strings.Replace(src, ".visible .entry", decls, 1), true)
		})
	}
}

func TestCheckPTX(t *testing.T) {
	t.Parallel()
	for _, c := range badPTX {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkCase(t, ptxCheckKernel(c.lines), true)
		})
	}
}

// badGCN3 are the same for GCN3; see badKernel.
var badGCN3 = []struct{ name, lines string }{
	{"register stored", "flat_store_dword v[2:3], v9 // want poison-store"},
	{"register defined", "v_mov_b32 v9, 1\nflat_store_dword v[2:3], v9"},
	{"scalar", "v_mov_b32 v9, s9\nflat_store_dword v[2:3], v9 // want poison-store"},
	{"lanes that are off", "v_cmp_gt_u32 vcc, 8, v0\ns_and_saveexec_b64 s[8:9], vcc\nv_mov_b32 v9, 1\ns_mov_b64 exec, s[8:9]\nflat_store_dword v[2:3], v9 // want poison-store"},
	{"lanes that are on", "v_cmp_gt_u32 vcc, 8, v0\nv_mov_b32 v9, 0\ns_and_saveexec_b64 s[8:9], vcc\nv_mov_b32 v9, 1\ns_mov_b64 exec, s[8:9]\nflat_store_dword v[2:3], v9"},
	{"buffer", "flat_load_dword v9, v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)\nflat_store_dword v[2:3], v9 // want poison-store"},
	{"exec", "flat_load_dword v9, v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_cmp_eq_u32 vcc, 1, v9\ns_and_saveexec_b64 s[8:9], vcc // want poison-branch\nv_mov_b32 v9, 1\ns_mov_b64 exec, s[8:9]"},
	{"scalar branch", "s_cmp_eq_u32 s9, 0\ns_cbranch_scc1 e // want poison-branch\nv_mov_b32 v9, 1\ne:"},
	{"scalar branch, decided", "s_and_b32 s9, s9, 6\ns_or_b32 s9, s9, 4\ns_cmp_lt_u32 s9, 4\ns_cbranch_scc1 e\nv_mov_b32 v9, 1\ne:"},
	{"LDS", "s_mov_b32 m0, -1\nv_and_b32 v1, 60, v1\nds_read_b32 v9, v1\ns_waitcnt lgkmcnt(0)\nflat_store_dword v[2:3], v9 // want poison-store"},
	{"LDS written", "s_mov_b32 m0, -1\nv_and_b32 v1, 60, v1\nds_write_b32 v1, v0\ns_waitcnt lgkmcnt(0)\nds_read_b32 v9, v1\ns_waitcnt lgkmcnt(0)\nflat_store_dword v[2:3], v9"},
	{"address", "flat_load_dword v9, v[2:3]\ns_waitcnt vmcnt(0) lgkmcnt(0)\nv_and_b32 v9, 4, v9\nv_add_u32 v2, vcc, v2, v9\nv_addc_u32 v3, vcc, 0, v3, vcc\nflat_store_dword v[2:3], v0 // want poison-address"},
	{"DPP", "v_mov_b32 v8, 1\ns_nop 1\nv_mov_b32_dpp v9, v8 row_shr:1\nflat_store_dword v[2:3], v9 // want poison-store"},
	{"DPP, zeros", "v_mov_b32 v8, 1\ns_nop 1\nv_mov_b32_dpp v9, v8 row_shr:1 bound_ctrl:0\nflat_store_dword v[2:3], v9"},
	{"readfirstlane", "v_readfirstlane_b32 s8, v9\nv_mov_b32 v9, s8\nflat_store_dword v[2:3], v9 // want poison-store"},
	{"half", "v_and_b32 v9, 0xff, v9\nv_lshlrev_b32 v9, 8, v9\nflat_store_byte v[2:3], v9"},
}

func TestCheckGCN3(t *testing.T) {
	t.Parallel()
	for _, c := range badGCN3 {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			checkCase(t, badKernel(c.lines+"\ns_endpgm"), false)
		})
	}
}
