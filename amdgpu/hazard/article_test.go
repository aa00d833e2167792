package hazard

import (
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/amdgpu"
)

// TestArticleDPPReadsSrc0 checks the sentence "this modifier always applies to the src0 instruction
// operand": only the VGPR of src0 must not have been written within the two wait states before. The
// test covers every VOP2 instruction.
func TestArticleDPPReadsSrc0(t *testing.T) {
	t.Parallel()
	for _, row := range amdgpu.Rows() {
		if row.Format != amdgpu.VOP2 || !row.Encs.Has(amdgpu.EncDPP) {
			continue
		}
		in, ok := row.Specimen(amdgpu.EncDPP)
		if !ok {
			t.Errorf("%s: no specimen", row.Name)
			continue
		}
		src := 20
		for i := range row.Operands {
			if row.Operands[i].Dst && in.Ops[i].Kind == amdgpu.KindVGPR {
				in.Ops[i] = amdgpu.V(10, 1)
			} else if in.Ops[i].Kind == amdgpu.KindVGPR {
				in.Ops[i] = amdgpu.V(src, 1)
				src++
			}
		}
		for reg, want := range map[int]int{10: 0, 20: 1, 21: 0} {
			text := fmt.Sprintf("v_mov_b32 v%d, 0\n%s\ns_endpgm", reg, amdgpu.Print(&in))
			if l := trackStraight(placed(t, text)); len(l) != want {
				t.Errorf("%s: %v", text, brief(l))
			}
		}
	}
}

// TestArticleCmpx checks that "any v_cmpx_*" writes EXEC and that no v_cmp does: five wait states
// or none.
func TestArticleCmpx(t *testing.T) {
	t.Parallel()
	n := 0
	for _, row := range amdgpu.Rows() {
		if row.Format != amdgpu.VOPC {
			continue
		}
		in, ok := row.Specimen(amdgpu.E32)
		if !ok {
			t.Errorf("%s: no specimen", row.Name)
			continue
		}
		for states := range 6 {
			text := amdgpu.Print(&in) + strings.Repeat("\nv_nop", states) + "\nv_mov_b32 v254, v253 row_shr:1\ns_endpgm"
			want := strings.HasPrefix(row.Name, "v_cmpx_") && states < 5
			l := trackStraight(placed(t, text))
			if (len(l) == 1) != want || want && !strings.Contains(l[0].Message, fmt.Sprintf("%d of 5 wait states", states)) {
				t.Errorf("%s: %v", text, brief(l))
			}
		}
		n++
	}
	if n < 180 {
		t.Errorf("%d compare instructions", n)
	}
}
