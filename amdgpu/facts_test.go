package amdgpu

import (
	"encoding/hex"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestFacts assembles the examples of the document "AMD GCN3 cross-lane operations" and further
// ones that LLVM 22 assembled or refused. Each line is
//
//	OK    text   => printed ; encoding: [0x..,…]
//	FAIL  text   => LLVM's reason
func TestFacts(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/llvm22-facts.txt")
	if err != nil {
		t.Fatal(err)
	}
	// reasons gives Crosslane's reason for each of LLVM's refusals.
	reasons := map[string]string{
		"v_add_f32 v1, v0, v0 row_shr:16":            "row_shr takes 1..15, found 16",
		"v_add_f32 v1, v0, v0 row_shr:0":             "row_shr takes 1..15, found 0",
		"v_add_f32 v1, v0, v0 wave_shr:2":            "wave_shr takes 1, found 2",
		"v_add_f32 v1, v0, v0 wave_shr":              "wave_shr takes 1, but no colon follows",
		"v_cmp_lt_f32 vcc, v1, v2 row_shr:1":         "VOPC instructions have no DPP form",
		"v_fma_f32 v0, v1, v2, v3 row_shr:1":         "VOP3 instructions have no DPP form",
		"v_add_f64 v[0:1], v[2:3], v[4:5] row_shr:1": "VOP3 instructions have no DPP form",
		"v_add_f32 v1, s0, v0 row_shr:1":             "DPP needs a VGPR as src0, found s0",
		"v_add_f32 v1, v0, s0 row_shr:1":             "DPP needs a VGPR as src1, found s0",
		"v_add_f32 v1, 1.0, v0 row_shr:1":            "DPP needs a VGPR as src0, found 1.0",
	}
	line := regexp.MustCompile(`^(OK|FAIL) +(.*?) +=> (.*)$`)
	enc := regexp.MustCompile(`^(.*?) ; encoding: \[(.*)\]$`)
	n := 0
	for _, l := range strings.Split(string(data), "\n") {
		m := line.FindStringSubmatch(l)
		if m == nil {
			continue
		}
		n++
		in, err := hooks.Parse(m[2])
		if m[1] == "FAIL" {
			if err == nil {
				t.Errorf("%s: assembled, LLVM says %q", m[2], m[3])
			} else if want := reasons[m[2]]; want == "" || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %q, want %q", m[2], err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", m[2], err)
			continue
		}
		e := enc.FindStringSubmatch(m[3])
		want, _ := hex.DecodeString(strings.NewReplacer("0x", "", ",", "").Replace(e[2]))
		got, err := Encode(&in)
		if err != nil || string(got) != string(want) {
			t.Errorf("%s: % x, %v; want % x", m[2], got, err, want)
		}
		if p := Print(&in); p != e[1] {
			t.Errorf("%s: printed %s, want %s", m[2], p, e[1])
		}
		if back, k, err := Decode(got); err != nil || k != len(got) || back != in {
			t.Errorf("%s: decoded %v, %d, %v", m[2], Print(&back), k, err)
		}
	}
	if n < 56 {
		t.Errorf("%d facts, want 56 or more", n)
	}
}
