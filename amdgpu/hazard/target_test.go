package hazard

import (
	"strings"
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
)

// TestTarget checks code for a chip whose rules and counters are not those of GFX803.
func TestTarget(t *testing.T) {
	t.Parallel()
	slow := amdgpu.GFX803.With(func(c *amdgpu.Target) {
		c.Name = "gfx-slow"
		rules := append([]amdgpu.WaitRule(nil), c.WaitRules...)
		rules[0].States = 9 // DPP reads a VGPR that a VALU instruction wrote
		c.WaitRules = rules
		c.Counters = []amdgpu.WaitCounter{{Name: "loads", Lo: 0, Width: 4}, {Name: "expcnt", Lo: 4, Width: 3}, {Name: "shared", Lo: 8, Width: 4}}
	})
	const text = "v_mov_b32 v1, v0; s_nop 6; v_mov_b32 v2, v1 row_shr:1; ds_read_b32 v3, v2; v_mov_b32 v4, v3; s_endpgm"
	for _, c := range []struct {
		chip *amdgpu.Target
		want string
	}{
		{nil, "s_waitcnt lgkmcnt(0)"},
		{slow, "s_nop 8, s_waitcnt shared(0)"},
	} {
		o, diags := asm.Assemble([]byte(text), "k.s", asm.Options{Semicolons: true, Target: c.chip})
		if o == nil {
			t.Fatal(diags)
		}
		r, err := CheckStatic(amdgpu.Code{Bytes: o.Sections[0].Data, File: "k.s", Target: c.chip})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range r.Missing {
			e, _ := r.EditOf(&r.Missing[i])
			got = append(got, e.Text())
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s: missing %s, want %s", c.chip.OrDefault().Name, s, c.want)
		}
	}
}
