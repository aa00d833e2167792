package api_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/short"
)

// planGoals are goals whose answers use every kind of sequence.
var planGoals = []string{
	"identity", "xor 1", "xor 4", "xor 7", "xor 12", "xor 16", "xor 31", "rotate 1", "rotate 3", "rotate 4", "rotate 16", "rotate 3 in 8",
	"reverse", "reverse in 16", "broadcast 0", "broadcast 5", "broadcast 3 in 4", "broadcast 9 in 16", "transpose 4x4", "transpose 4x8", "transpose 2x16",
	"shift 1 fill zero", "shift -1 fill keep", "shift 3 in 16 fill zero", "shift -4 in 16 fill keep", "shift 7 fill keep", "__shfl_down_sync(m, v, 4, 16)",
	"reduce add f32", "reduce add u32", "reduce min s32", "reduce xor", "scan add u32", "scan max f32", "scan exclusive max s32", "scan exclusive and u32",
	"scan segmented add f32", "scan segmented min u32", "ballot-rank", "argmax", "argmax f32",
}

// planned returns the answers to the goals on a target, all preferences together.
func planned(t *testing.T, target string) []crosslane.PlanAnswer {
	t.Helper()
	var out []crosslane.PlanAnswer
	for _, goal := range short.Sample(planGoals, 4) {
		for _, prefer := range []string{"latency", "registers"} {
			p, err := crosslane.Plan(context.Background(), goal, crosslane.PlanOptions{Target: target, Prefer: prefer})
			if err != nil {
				t.Errorf("%s on %s: %v", goal, target, err)
				continue
			}
			for _, a := range p.Answers {
				a.How = goal + ": " + a.How
				out = append(out, a)
			}
		}
	}
	return out
}

// planModule is a PTX module whose kernel loads the sources, runs an answer and stores the result.
func planModule(target string, code []string) string {
	body := strings.Join(code, "\n")
	version := "7.8"
	for _, r := range []string{"%r0", "%r1", "%r2"} {
		if !strings.Contains(body, r) {
			body = "mov.u32 " + r + ", 0;\n" + body
		}
	}
	return fmt.Sprintf(`.version %s
.target %s
.address_size 64
.visible .entry k(.param .u64 in) {
.reg .b32 %%r<40>;
.reg .pred %%p<4>;
.reg .b64 %%rd<4>;
ld.param.u64 %%rd1, [in];
mov.u32 %%r30, %%tid.x;
mad.wide.u32 %%rd2, %%r30, 4, %%rd1;
ld.global.u32 %%r0, [%%rd2];
ld.global.u32 %%r1, [%%rd2+128];
ld.global.u32 %%r2, [%%rd2+256];
%s
st.global.u32 [%%rd2], %%r1;
ret;
}
`, version, target, body)
}

// TestPlanStatic puts every answer into a kernel: check --static has no finding.
func TestPlanStatic(t *testing.T) {
	t.Parallel()
	for _, target := range []string{"gfx803", "sm_70", "sm_80"} {
		for _, a := range planned(t, target) {
			text, isa, block := planModule(target, a.Code), crosslane.PTX, uint32(32)
			if target == "gfx803" {
				isa, block = crosslane.GCN3, 64
				text = strings.Join(append(append([]string{".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"", ".text", "k:"}, a.Ran...), "s_endpgm", ".rodata", ".amdhsa_kernel k", ".amdhsa_next_free_vgpr 32", ".amdhsa_next_free_sgpr 16", ".end_amdhsa_kernel", ""), "\n")
			}
			m, err := crosslane.LoadWith([]byte(text), "plan", crosslane.LoadOptions{ISA: isa})
			if err != nil {
				t.Fatalf("%s on %s: %v\n%s", a.How, target, err, text)
			}
			k, err := m.Kernel("k")
			if err != nil {
				t.Fatal(err)
			}
			r, err := k.CheckStaticBlock(crosslane.Dim3{X: block, Y: 1, Z: 1})
			if err != nil {
				t.Fatalf("%s on %s: %v\n%s", a.How, target, err, text)
			}
			if len(r.Findings) > 0 {
				t.Errorf("%s on %s: %v\n%s", a.How, target, r.Findings[0], text)
			}
		}
	}
}

// TestPlanLLVM assembles every answer for gfx803 with LLVM: the bytes are the same.
func TestPlanLLVM(t *testing.T) {
	t.Parallel()
	mc, err := exec.LookPath("llvm-mc-22")
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal("llvm-mc-22 is required by CROSSLANE_REQUIRE_ORACLES, and missing")
		}
		t.Skip("llvm-mc-22 is not installed")
	}
	var lines []string
	for _, a := range planned(t, "gfx803") {
		lines = append(lines, a.Code...)
	}
	own, diags := crosslane.AssembleInstructions(strings.Join(lines, "\n"))
	if diags.Err() != nil {
		t.Fatal(diags.Err())
	}
	cmd := exec.Command(mc, "-triple=amdgcn", "-mcpu=gfx803", "-show-encoding")
	cmd.Stdin = strings.NewReader(strings.Join(lines, "\n") + "\n")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, stderr.String())
	}
	found := regexp.MustCompile(`encoding: \[([^\]]*)\]`).FindAllStringSubmatch(stdout.String(), -1)
	if len(found) != len(lines) || len(own) != len(lines) {
		t.Fatalf("%d instructions, LLVM has %d and Crosslane %d", len(lines), len(found), len(own))
	}
	for i, m := range found {
		want := strings.NewReplacer("0x", "", ",", "").Replace(m[1])
		if got := hex.EncodeToString(own[i].Bytes); got != want {
			t.Errorf("%s: %s, LLVM %s", lines[i], got, want)
		}
	}
}

// TestPlanPtxas compiles every PTX answer with NVIDIA's assembler, if it is installed.
func TestPlanPtxas(t *testing.T) {
	t.Parallel()
	ptxas, err := exec.LookPath("ptxas")
	if err != nil {
		t.Skip("ptxas is not installed")
	}
	dir := t.TempDir()
	for _, target := range []string{"sm_80", "sm_90"} {
		for i, a := range planned(t, target) {
			file := filepath.Join(dir, fmt.Sprintf("%s_%d.ptx", target, i))
			if err := os.WriteFile(file, []byte(planModule(target, a.Code)), 0o644); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(ptxas, "-arch="+target, "-o", os.DevNull, file).CombinedOutput(); err != nil {
				t.Errorf("%s on %s: %v\n%s\n%s", a.How, target, err, out, strings.Join(a.Code, "\n"))
			}
		}
	}
}
