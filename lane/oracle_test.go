package lane_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"

	"example.org/crosslane/lane"
)

// disassemble runs LLVM's disassembler for gfx803 over instructions given as
// two dwords, and returns one line for each.
func disassemble(t *testing.T, words [][2]uint32) []string {
	t.Helper()
	tool := ""
	for _, name := range []string{"llvm-mc-22", "llvm-mc"} {
		if path, err := exec.LookPath(name); err == nil {
			tool = path
			break
		}
	}
	if tool == "" {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal("llvm-mc is not installed, and CROSSLANE_REQUIRE_ORACLES=1")
		}
		t.Skip("llvm-mc is not installed: no outside disassembler to compare with")
	}
	var in bytes.Buffer
	for _, w := range words {
		for _, x := range w {
			fmt.Fprintf(&in, "0x%02x 0x%02x 0x%02x 0x%02x ", x&255, x>>8&255, x>>16&255, x>>24)
		}
		in.WriteByte('\n')
	}
	cmd := exec.Command(tool, "-triple=amdgcn", "-mcpu=gfx803", "-disassemble")
	cmd.Stdin = &in
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	var lines []string
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != "" && line != ".text" && !strings.HasPrefix(line, ".amdgcn") {
			lines = append(lines, line)
		}
	}
	if len(lines) != len(words) {
		t.Fatalf("%d instructions in, %d lines out", len(words), len(lines))
	}
	return lines
}

// TestSwizzleTextOracle checks that every pattern prints as in LLVM.
func TestSwizzleTextOracle(t *testing.T) {
	t.Parallel()
	short.Skip(t, "LLVM is the oracle")
	var words [][2]uint32
	for p := range uint32(1 << 16) {
		words = append(words, [2]uint32{0xd87a0000 | p, 0x05000002})
	}
	for p, line := range disassemble(t, words) {
		want := "ds_swizzle_b32 v5, v2 offset:" + lane.SwizzlePattern(p).String()
		if p == 0 {
			want = "ds_swizzle_b32 v5, v2"
		}
		if got, _, _ := strings.Cut(line, " ;"); strings.TrimSpace(got) != want {
			t.Fatalf("pattern %#x: LLVM %q, we %q", p, got, want)
		}
	}
}

// TestDPPTextOracle checks that every control prints as in LLVM, and that LLVM reserves the same
// controls: it prints a comment for them (invalid, or of newer targets).
func TestDPPTextOracle(t *testing.T) {
	t.Parallel()
	var words [][2]uint32
	for c := range uint32(512) {
		words = append(words, [2]uint32{0x7e0002fa, 0xff000000 | c<<8})
	}
	dpp := regexp.MustCompile(`^v_mov_b32_dpp v0, v0 (.*) row_mask:0xf bank_mask:0xf`)
	for c, line := range disassemble(t, words) {
		ctrl := lane.DPPCtrl(c)
		m := dpp.FindStringSubmatch(line)
		switch {
		case m == nil:
			t.Fatalf("control %#x: LLVM prints %q", c, line)
		case ctrl.Valid() && m[1] != ctrl.String():
			t.Errorf("control %#x: LLVM %q, we %q", c, m[1], ctrl)
		case !ctrl.Valid() && !strings.Contains(m[1], "/*"):
			t.Errorf("control %#x: reserved here, LLVM prints %q", c, m[1])
		}
	}
}
