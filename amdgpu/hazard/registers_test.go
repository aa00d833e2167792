package hazard

import (
	"fmt"
	"slices"
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
)

func TestCheckRegisters(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text         string
		vgprs, sgprs int
		want         []string
	}{
		{"v_mov_b32 v3, s7; s_endpgm", 4, 8, nil},
		{"v_mov_b32 v4, 1; s_endpgm", 4, 8, []string{"v_mov_b32_e32: the kernel uses VGPRs up to v4, its descriptor allocates 4"}},
		{"v_mov_b32 v0, v255; v_add_f32 v4, v0, v0; s_endpgm", 4, 8, []string{"v_mov_b32_e32: the kernel uses VGPRs up to v255, its descriptor allocates 4"}},
		{"flat_load_dword v0, v[3:4]; s_waitcnt vmcnt(0); s_endpgm", 4, 8, []string{"flat_load_dword: the kernel uses VGPRs up to v4, its descriptor allocates 4"}},
		{"s_load_dwordx4 s[4:7], s[0:1], 0x0; s_load_dwordx8 s[8:15], s[0:1], 0x0; s_endpgm", 4, 8, []string{"s_load_dwordx8: the kernel uses SGPRs up to s15, its descriptor allocates 8"}},
		{"s_mov_b64 vcc, exec; s_mov_b32 m0, -1; s_endpgm", 1, 1, nil},
		{"s_endpgm; v_mov_b32 v9, 1", 4, 8, nil}, // not reached
	} {
		insts, diags := asm.AssembleInsts(c.text, "t")
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		var code amdgpu.Code
		for _, in := range insts {
			code.Bytes = append(code.Bytes, in.Bytes...)
		}
		var got []string
		for _, d := range CheckRegisters(code, c.vgprs, c.sgprs) {
			if d.Code != CodeRegisterCount {
				t.Error(d)
			}
			got = append(got, fmt.Sprint(d.Message))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.text, got, c.want)
		}
	}
}
