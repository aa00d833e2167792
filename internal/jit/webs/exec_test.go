package webs_test

import (
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/amdgpu/hazard"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
)

// loops is code in the style of compilers: lanes that have left a loop are collected in a
// pair of registers, and become active again after it, where the next iteration of an outer
// loop begins.
const loops = `
	.text
loops:
	s_mov_b64 s[0:1], 0
	v_mov_b32_e32 v1, 0
first:
	v_add_u32_e32 v1, vcc, 1, v1
	v_cmp_lt_u32_e32 vcc, v0, v1
	s_or_b64 s[0:1], vcc, s[0:1]
	s_andn2_b64 exec, exec, s[0:1]
	s_cbranch_execnz first
	s_or_b64 exec, exec, s[0:1]
	v_cmp_eq_u32_e64 s[0:1], 0, v0
	v_mov_b32_e32 v2, 0
again:
	s_and_saveexec_b64 s[4:5], s[0:1]
	v_mov_b32_e32 v3, v2
	v_add_u32_e32 v2, vcc, 1, v3
	s_or_b64 exec, exec, s[4:5]
	s_mov_b64 s[4:5], 0
	v_mov_b32_e32 v4, v0
inner:
	v_cmp_eq_u32_e32 vcc, v2, v4
	s_and_saveexec_b64 s[6:7], vcc
	s_cbranch_execz outer
	v_mov_b32_e32 v5, 7
	v_xor_b32_e32 v5, v5, v4
	v_add_u32_e32 v1, vcc, v1, v5
outer:
	s_or_b64 exec, exec, s[6:7]
	v_add_u32_e32 v4, vcc, 3, v4
	v_cmp_lt_u32_e32 vcc, 99, v4
	s_or_b64 s[4:5], vcc, s[4:5]
	s_andn2_b64 exec, exec, s[4:5]
	s_cbranch_execnz inner
	s_or_b64 exec, exec, s[4:5]
	v_mov_b32_e32 v6, v1
	v_cmp_lt_u32_e32 vcc, v6, v2
	s_cbranch_vccnz again
	s_mov_b32 m0, -1
	ds_write_b32 v0, v6
	s_endpgm
`

// TestLanesSwitchedOff: a write in a loop keeps the values of inactive lanes only if they are
// read after the lanes become active again.
func TestLanesSwitchedOff(t *testing.T) {
	t.Parallel()
	o, list := asm.Assemble([]byte(loops), "loops.s", asm.Options{})
	if o == nil || len(list) > 0 {
		t.Fatal(list)
	}
	f, err := amdgpu.Lift(amdgpu.Code{Bytes: o.Sections[0].Data}, amdgpu.LiftOptions{Track: hazard.Track, Name: "loops"})
	if err != nil {
		t.Fatal(err)
	}
	fn := webs.Build(f, webs.Geometry{Lanes: 64, Block: [3]uint32{64, 1, 1}})
	merges := map[string]bool{}
	for i := range fn.Ops {
		if in := &f.Code[i]; fn.Ops[i].Merge && f.Val(in.Dst).Kind == ir.Guest && !f.Val(in.Dst).Scalar {
			merges[f.Pos[in.Pos].Text] = true
		}
	}
	// v1 and v2 are read in lanes that did not add to them, or not as often.
	want := []string{"v_add_u32_e32 v1, vcc, 1, v1", "v_add_u32_e32 v2, vcc, 1, v3", "v_add_u32_e32 v1, vcc, v1, v5"}
	for _, s := range want {
		if !merges[s] {
			t.Errorf("%s keeps nothing", s)
		}
		delete(merges, s)
	}
	for s := range merges {
		t.Errorf("%s keeps what noLane reads", s)
	}
}
