package amdgpu

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// TestOracleForeignNames checks that LLVM accepts each name of another GPU for the GPU in the
// table, and for no gfx8 GPU.
func TestOracleForeignNames(t *testing.T) {
	t.Parallel()
	mc, err := exec.LookPath("llvm-mc-22")
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal("llvm-mc-22 is not installed, but CROSSLANE_REQUIRE_ORACLES is 1")
		}
		t.Skip("llvm-mc-22 is not installed")
	}
	cpus := map[string]string{
		"gfx6": "gfx600", "gfx8": "gfx803", "gfx9": "gfx900", "gfx906": "gfx906", "gfx908": "gfx908", "gfx90a": "gfx90a", "gfx940": "gfx942",
		"gfx10": "gfx1010", "gfx11": "gfx1100", "gfx12": "gfx1200",
	}
	by := map[string][]string{}
	for _, f := range foreignNames {
		by[f.gpu] = append(by[f.gpu], f.name)
		by["gfx8"] = append(by["gfx8"], f.name)
		for _, n := range strings.Fields(strings.NewReplacer(",", "").Replace(f.here)) {
			if strings.HasPrefix(n, "v_") || strings.HasPrefix(n, "s_") {
				if LookUp(n) == nil {
					t.Errorf("%s: %s is no instruction", f.name, n)
				}
			}
		}
	}
	for gpu, names := range by {
		if cpus[gpu] == "" {
			t.Errorf("no processor of %s", gpu)
			continue
		}
		cmd := exec.Command(mc, "-triple=amdgcn", "-mcpu="+cpus[gpu])
		cmd.Stdin = strings.NewReader(strings.Join(names, "\n") + "\n")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		_ = cmd.Run() // every line is an error, because it has no operands
		lines := strings.Split(stderr.String(), "\n")
		for i, l := range lines {
			if !strings.Contains(l, "error:") || i+1 >= len(lines) {
				continue
			}
			unknown := strings.Contains(l, "not supported on this GPU") || strings.Contains(l, "invalid instruction") || strings.Contains(l, "mnemonic")
			if unknown != (gpu == "gfx8") {
				t.Errorf("%s: %s: %s", gpu, lines[i+1], l)
			}
		}
	}
}
