package difftest

import (
	"testing"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/amdgpu/asm"
	"example.org/crosslane/amdgpu/hazard"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
)

// TestHalves checks which 64-bit numbers in two registers of GCN3 become webs of 64 bits.
func TestHalves(t *testing.T) {
	t.Parallel()
	const (
		index = "v_mov_b32 v3, 0\nv_mov_b32 v2, v0\nv_lshlrev_b64 v[4:5], 2, v[2:3]\nv_mov_b32 v6, s21\n"
		low   = "v_add_u32 v4, vcc, s20, v4\n"
		high  = "v_addc_u32 v5, vcc, v6, v5, vcc\n"
		load  = "flat_load_dword v8, v[4:5]\ns_waitcnt vmcnt(0)\n"
		end   = "v_mov_b32 v12, s18\nv_mov_b32 v13, s19\nflat_store_dword v[12:13], v8\n"
	)
	for _, c := range []struct {
		name, text string
		want       int
	}{
		{"sum", index + low + high + load + end, 2},
		{"pieces", "v_mov_b32 v6, s21\nv_mov_b32 v7, s22\nv_add_u32 v4, vcc, s20, v0\nv_addc_u32 v5, vcc, v6, v7, vcc\n" + load + end, 1},
		{"difference", index + "v_sub_u32 v4, vcc, s20, v4\nv_subb_u32 v5, vcc, v6, v5, vcc\n" + load + end, 2},
		{"loop", index + low + high + "L:\n" + load + "v_add_u32 v4, vcc, 4, v4\nv_addc_u32 v5, vcc, 0, v5, vcc\ns_sub_u32 s30, s30, 1\ns_cmp_lg_u32 s30, 0\ns_cbranch_scc1 L\n" + end, 2},
		{"half alone", index + low + high + load + "v_xor_b32 v8, v8, v4\n" + end, 0},
		{"carry alone", index + low + high + load + "s_nop 4\nv_cndmask_b32 v8, v8, v0, vcc\n" + end, 0},
		{"carry between", index + low + "v_cndmask_b32 v8, v0, v1, vcc\n" + high + "flat_load_dword v9, v[4:5]\ns_waitcnt vmcnt(0)\nv_xor_b32 v8, v8, v9\n" + end, 0},
		{"other carry", index + low + "s_mov_b64 vcc, s[22:23]\n" + high + load + end, 0},
		{"exec between", index + low + "s_mov_b64 exec, s[22:23]\n" + high + load + "s_mov_b64 exec, -1\n" + end, 0},
		{"read between", index + low + "v_lshlrev_b64 v[10:11], 1, v[4:5]\n" + high + load + "v_xor_b32 v8, v8, v10\nv_xor_b32 v8, v8, v11\n" + end, 0},
		{"written between", index + low + "v_mov_b32 v6, s22\n" + high + load + end, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			insts, errs := asm.AssembleInsts(c.text+"s_endpgm\n", "k.s")
			if err := errs.Err(); err != nil {
				t.Fatal(err)
			}
			var code []byte
			for i := range insts {
				code = append(code, insts[i].Bytes...)
			}
			scalar := func(reg uint16) amdgpu.ABIInput {
				return amdgpu.ABIInput{Kind: ir.LaunchValue, Reg: reg, Dwords: 1}
			}
			f, err := amdgpu.Lift(amdgpu.Code{Bytes: code, File: "k.s"}, amdgpu.LiftOptions{Track: hazard.Track, Name: "k", MinVGPRs: 20,
				Inputs: []amdgpu.ABIInput{{Kind: ir.ThreadIDX, VGPR: true}, {Kind: ir.ActiveMask0, Reg: amdgpu.RegEXEC, Dwords: 2}, scalar(18), scalar(19), scalar(20), scalar(21), scalar(22), scalar(23), scalar(30)}})
			if err != nil {
				t.Fatal(err)
			}
			f.Converge()
			fn := webs.Build(f, webs.Geometry{Block: [3]uint32{64, 1, 1}})
			if len(fn.Halves) != c.want {
				t.Errorf("%d webs of two registers, want %d:\n%s", len(fn.Halves), c.want, fn.Print(nil))
			}
		})
	}
}
