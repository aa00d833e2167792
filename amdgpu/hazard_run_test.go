package amdgpu

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/sim"
)

// A waitCase is code with WAIT at the place of a wait. With fix in its place the code is right,
// with broken it is wrong. The result is v6; want gives its value in each lane.
type waitCase struct {
	name, text, fix, broken string
	want, late              func(l uint32) uint32 // v6 as intended, and the value that hardware may leave
	finding                 string
	unseen                  bool // the emulated result cannot show the mistake
}

// waitCases returns the cases. Before every case, vN holds 1000*N + lane; v0 holds the lane times
// 4; s20 is 20; v[2:3] is the address of a dword 5000 + lane, s[2:3] the address of the first of
// these dwords, and s[8:11] a buffer of them.
func waitCases() []waitCase {
	is := func(v uint32) func(uint32) uint32 { return func(l uint32) uint32 { return v + l } }
	same := func(v uint32) func(uint32) uint32 { return func(uint32) uint32 { return v } }
	left := func(v uint32) func(uint32) uint32 { // DPP row_shr:1 bound_ctrl:0
		return func(l uint32) uint32 {
			if l%16 == 0 {
				return 0
			}
			return v + l - 1
		}
	}
	return []waitCase{
		{name: "permute", text: "ds_bpermute_b32 v5, v0, v4\nWAIT\nv_mov_b32 v6, v5", fix: "s_waitcnt lgkmcnt(0)",
			want: is(4000), late: is(5000), finding: "v5 is read before the result of ds_bpermute_b32 (offset 0x0) has arrived; add s_waitcnt lgkmcnt(0)"},
		{name: "expcnt does not wait for loads", text: "ds_bpermute_b32 v5, v0, v4\nWAIT\nv_mov_b32 v6, v5", fix: "s_waitcnt lgkmcnt(0)", broken: "s_waitcnt vmcnt(0) & expcnt(0)",
			want: is(4000), late: is(5000), finding: "lgkmcnt(0)"},
		{name: "LDS comes in order", text: "ds_bpermute_b32 v5, v0, v4\nds_bpermute_b32 v7, v0, v8\nWAIT\nv_mov_b32 v6, v5", fix: "s_waitcnt lgkmcnt(1)", broken: "s_waitcnt lgkmcnt(2)",
			want: is(4000), late: is(5000), finding: "add s_waitcnt lgkmcnt(1)"},
		{name: "the second of two", text: "ds_bpermute_b32 v5, v0, v4\nds_bpermute_b32 v7, v0, v8\nWAIT\nv_mov_b32 v6, v7", fix: "s_waitcnt lgkmcnt(0)", broken: "s_waitcnt lgkmcnt(1)",
			want: is(8000), late: is(7000), finding: "ds_bpermute_b32 (offset 0x8)"},
		{name: "vector memory", text: "flat_load_dword v9, v[2:3]\nflat_load_dword v7, v[2:3]\nWAIT\nv_mov_b32 v6, v9", fix: "s_waitcnt vmcnt(1)", broken: "s_waitcnt vmcnt(2) & lgkmcnt(0)",
			want: is(5000), late: is(9000), finding: "add s_waitcnt vmcnt(1)"},
		{name: "a buffer", text: "buffer_load_dword v9, v0, s[8:11], 0 offen\nWAIT\nv_mov_b32 v6, v9", fix: "s_waitcnt vmcnt(0)", broken: "s_waitcnt lgkmcnt(0)",
			want: is(5000), late: is(9000), finding: "add s_waitcnt vmcnt(0)"},
		{name: "scalar memory", text: "s_load_dword s20, s[2:3], 0x0\nWAIT\nv_mov_b32 v6, s20", fix: "s_waitcnt lgkmcnt(0)", broken: "s_waitcnt lgkmcnt(1)",
			want: same(5000), late: same(20), finding: "s20 is read before the result of s_load_dword (offset 0x0) has arrived; add s_waitcnt lgkmcnt(0)"},
		{name: "scalar memory comes in any order", text: "s_load_dword s20, s[2:3], 0x0\ns_load_dword s21, s[2:3], 0x4\nWAIT\nv_mov_b32 v6, s20", fix: "s_waitcnt lgkmcnt(0)", broken: "s_waitcnt lgkmcnt(1)",
			want: same(5000), late: same(20), finding: "add s_waitcnt lgkmcnt(0)"},
		{name: "LDS among scalar memory", text: "ds_bpermute_b32 v5, v0, v4\nds_bpermute_b32 v7, v0, v8\ns_load_dword s21, s[2:3], 0x4\nWAIT\nv_mov_b32 v6, v5", fix: "s_waitcnt lgkmcnt(1)", broken: "s_waitcnt lgkmcnt(2)",
			want: is(4000), late: is(5000), finding: "add s_waitcnt lgkmcnt(1)"},
		{name: "overwritten before it arrives", text: "ds_bpermute_b32 v5, v0, v4\nWAIT\nv_mov_b32 v5, 7\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v6, v5", fix: "s_waitcnt lgkmcnt(0)",
			want: same(7), late: is(4000), finding: "v5 is written before the result"},
		{name: "part of a pair", text: "flat_load_dwordx2 v[4:5], v[2:3]\nWAIT\nv_mov_b32 v6, v5", fix: "s_waitcnt vmcnt(0)",
			want: is(5001), late: is(5000), finding: "v5 is read before"},
		{name: "an atomic's old value", text: "v_mov_b32 v1, 0\nds_add_rtn_u32 v5, v0, v1\nWAIT\nv_mov_b32 v6, v5", fix: "s_waitcnt lgkmcnt(0)",
			want: same(0), late: is(5000), finding: "ds_add_rtn_u32"},
		{name: "data of a store", text: "ds_bpermute_b32 v5, v0, v4\nWAIT\nds_write_b32 v0, v5\nds_read_b32 v6, v0\ns_waitcnt lgkmcnt(0)", fix: "s_waitcnt lgkmcnt(0)",
			want: is(4000), late: is(5000), finding: "ds_write_b32: v5 is read"},
		{name: "flat in LDS", text: "s_mov_b32 s21, 0x10000\nv_mov_b32 v10, 0\nv_mov_b32 v11, s21\nflat_load_dword v9, v[10:11]\nWAIT\nv_mov_b32 v6, v9", fix: "s_waitcnt lgkmcnt(0)", broken: "s_waitcnt vmcnt(0)",
			want: same(0), late: is(9000), finding: "add s_waitcnt lgkmcnt(0)"},
		{name: "over a branch", text: "ds_bpermute_b32 v5, v0, v4\ns_cbranch_execnz over\nWAIT2\nover:\nWAIT\nv_mov_b32 v6, v5", fix: "s_waitcnt lgkmcnt(0)",
			want: is(4000), late: is(5000), finding: "v5 is read"},
		{name: "on one of two paths", text: "ds_bpermute_b32 v5, v0, v4\ns_cmp_eq_u32 s20, 20\ns_cbranch_scc1 over\ns_waitcnt lgkmcnt(0)\ns_branch use\nover:\nWAIT\nuse:\nv_mov_b32 v6, v5", fix: "s_waitcnt lgkmcnt(0)",
			want: is(4000), late: is(5000), finding: "v5 is read"},
		{name: "over the back edge of a loop", text: "s_mov_b32 s21, 3\nv_mov_b32 v6, 0\nloop:\nv_add_u32 v6, vcc, v6, v5\nds_bpermute_b32 v5, v0, v4\nWAIT\ns_sub_u32 s21, s21, 1\ns_cmp_lg_u32 s21, 0\ns_cbranch_scc1 loop\ns_waitcnt lgkmcnt(0)", fix: "s_waitcnt lgkmcnt(0)",
			want: func(l uint32) uint32 { return 5000 + l + 2*(4000+l) }, late: func(l uint32) uint32 { return 3 * (5000 + l) }, finding: "v5 is read"},
		{name: "in a function", text: "s_getpc_b64 s[30:31]\ns_add_u32 s30, s30, 24\ns_addc_u32 s31, s31, 0\nds_bpermute_b32 v5, v0, v4\ns_swappc_b64 s[34:35], s[30:31]\ns_branch end\n" +
			"WAIT\nv_mov_b32 v6, v5\ns_setpc_b64 s[34:35]\nend:\ns_waitcnt lgkmcnt(0)", fix: "s_waitcnt lgkmcnt(0)", broken: "s_nop 0",
			want: is(4000), late: is(5000), finding: "v5 is read"},
		{name: "of v_movrels", text: "s_mov_b32 m0, 2\nds_bpermute_b32 v5, v0, v4\nWAIT\nv_movrels_b32 v6, v3", fix: "s_waitcnt lgkmcnt(0)",
			want: is(4000), late: is(5000), finding: "v5 is read"},

		{name: "DPP", text: "v_mov_b32 v5, v4\nWAIT\nv_mov_b32 v6, v5 row_shr:1 bound_ctrl:0", fix: "s_nop 1", broken: "s_nop 0",
			want: left(4000), late: left(5000), finding: "v5 was written 1 wait state ago by v_mov_b32_e32 (offset 0x0): 1 of 2 wait states; add s_nop 0"},
		{name: "DPP over a branch", text: "v_mov_b32 v5, v4\ns_branch over\ns_nop 0\nover:\nWAIT\nv_mov_b32 v6, v5 row_shr:1 bound_ctrl:0", fix: "s_nop 0",
			want: left(4000), late: left(5000), finding: "1 of 2 wait states"},
		{name: "DPP behind two writes", text: "v_mov_b32 v5, v4\nv_mov_b32 v5, v8\nWAIT\nv_mov_b32 v6, v5 row_shr:1 bound_ctrl:0", fix: "s_nop 1",
			want: left(8000), late: left(5000), finding: "0 of 2 wait states"},
		{name: "only src0 comes from other lanes", text: "v_mov_b32 v5, 1\nWAIT\nv_add_u32 v6, vcc, v5, v5 row_shr:1 bound_ctrl:0", fix: "s_nop 1",
			want: func(l uint32) uint32 {
				if l%16 == 0 {
					return 1
				}
				return 2
			}, late: func(l uint32) uint32 {
				if l%16 == 0 {
					return 1
				}
				return 5000 + l
			}, finding: "0 of 2 wait states"},
		{name: "EXEC, then DPP", text: "v_mov_b32 v5, v4\nv_mov_b32 v6, 3\ns_mov_b64 s[22:23], exec\nv_cmpx_gt_u32 vcc, 0, v0\nWAIT\nv_mov_b32 v6, v5 row_shr:1 bound_ctrl:0\ns_mov_b64 exec, s[22:23]", fix: "s_nop 4", broken: "s_nop 3",
			want: same(3), late: left(4000), finding: "exec was written 4 wait states ago"},
		{name: "vector memory reads an SGPR", text: "s_mov_b32 s21, 4\nv_readfirstlane_b32 s21, v0\nWAIT\nbuffer_load_dword v6, v0, s[8:11], s21 offen\ns_waitcnt vmcnt(0)", fix: "s_nop 4", broken: "s_nop 3",
			want: is(5000), late: is(5001), finding: "4 of 5 wait states"},
		{name: "lane select", text: "s_mov_b32 s21, 0\nv_readlane_b32 s21, v0, 1\nWAIT\nv_readlane_b32 s22, v4, s21\nv_mov_b32 v6, s22", fix: "s_nop 3", broken: "s_nop 2",
			want: same(4004), late: same(4000), finding: "3 of 4 wait states"},
		{name: "a scalar write between", text: "v_readlane_b32 s21, v0, 1\ns_mov_b32 s21, 2\nv_readlane_b32 s22, v4, s21\nv_mov_b32 v6, s22", want: same(4002)},
		{name: "v_div_fmas", text: "s_mov_b64 vcc, 0\nv_mov_b32 v7, 1.0\nv_mov_b32 v8, 0\nv_cmp_le_u32 vcc, 0, v0\nWAIT\nv_div_fmas_f32 v6, v7, v7, v8", fix: "s_nop 3", broken: "s_nop 2",
			// This is the manual's v_div_fmas: if VCC is set, the product is scaled by 2^32, or by
			// 2^-64 or 2^64 in older texts. The unscaled product is 1.
			late: same(0x3f800000), finding: "vcc was written 3 wait states ago"},
		{name: "vccz", text: "s_mov_b64 vcc, 0\nv_cmp_le_u32 vcc, 0, v0\nWAIT\nv_mov_b32 v6, src_vccz", fix: "s_nop 4", broken: "s_nop 3",
			want: same(0), late: same(1), finding: "4 of 5 wait states"},
		{name: "execz", text: "v_cmpx_le_u32 vcc, 0, v0\nWAIT\nv_mov_b32 v6, src_execz", fix: "s_nop 4", broken: "s_nop 3",
			want: same(0), late: same(0), unseen: true, finding: "4 of 5 wait states"},
		{name: "hardware register", text: "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 5\nWAIT\ns_getreg_b32 s21, hwreg(HW_REG_MODE, 0, 4)\nv_mov_b32 v6, s21", fix: "s_nop 1", broken: "s_nop 0",
			want: same(5), late: same(0), finding: "hwreg(HW_REG_MODE) was written 1 wait state ago"},
		{name: "GDS reads its data late", text: "s_mov_b32 m0, 0x1000\ns_nop 0\nv_mov_b32 v6, v4\nds_add_u32 v0, v6 gds\nWAIT\nv_mov_b32 v6, 1", fix: "s_waitcnt expcnt(0)", broken: "s_waitcnt lgkmcnt(0)",
			want: same(1), late: same(1), unseen: true, finding: "v6 is written before ds_add_u32 (offset 0x10) has read it; add s_waitcnt expcnt(0)"},
		{name: "GDS returns", text: "s_mov_b32 m0, 0x1000\ns_nop 0\nds_add_rtn_u32 v5, v0, v4 gds\nWAIT\nv_mov_b32 v6, v5", fix: "s_waitcnt lgkmcnt(0)", broken: "s_waitcnt expcnt(0)",
			want: same(0), late: is(5000), finding: "add s_waitcnt lgkmcnt(0)"},
		{name: "M0, then GDS", text: "v_mov_b32 v6, 1\ns_mov_b32 m0, 0x2000\ns_nop 0\ns_mov_b32 m0, 0x1000\nWAIT\nds_add_u32 v0, v4 gds", fix: "s_nop 0",
			want: same(1), late: same(1), unseen: true, finding: "m0 was written 0 wait states ago by s_mov_b32"},
		{name: "data of a wide store", text: "v_mov_b32 v6, 0\nv_mov_b32 v7, 0\nflat_store_dwordx4 v[2:3], v[4:7]\nWAIT\nv_mov_b32 v6, 9", fix: "s_nop 0",
			want: same(9), late: same(9), unseen: true, finding: "v6 was stored 0 wait states ago by flat_store_dwordx4"},
	}
}

func TestWaitsInRuns(t *testing.T) {
	t.Parallel()
	for _, c := range waitCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run := func(wait string, late bool) ([64]uint32, diag.List) {
				m := &machine{mem: sim.NewMemory(), lds: 4096, opt: LiftOptions{Late: late}}
				data := make([]byte, 1024)
				for i := range uint32(256) {
					binary.LittleEndian.PutUint32(data[4*i:], 5000+i)
				}
				base := m.mem.Add("data", data).Base
				m.values = make([]uint64, NumLaunchValues)
				m.values[ValueGDS] = m.mem.Add("GDS", make([]byte, 64<<10)).Base
				st := &state{exec: ^uint64(0)}
				for l := range uint32(64) {
					for n := range uint32(12) {
						st.v[n][l] = 1000*n + l
					}
					st.v[0][l] = 4 * l
					st.v[2][l], st.v[3][l] = uint32(base)+4*l, uint32(base>>32)
				}
				st.s[20], st.s[RegM0] = 20, 0xffffffff
				st.s[2], st.s[3] = uint32(base), uint32(base>>32)
				st.s[8], st.s[9], st.s[10], st.s[11] = uint32(base), uint32(base>>32), 1024, 0x27000|4<<15
				text := strings.ReplaceAll(strings.ReplaceAll(c.text, "WAIT2", "s_nop 0"), "WAIT", wait)
				err := m.try(assembleText(t, text), st)
				list := diag.Of(err)
				for _, d := range list {
					if !isWait(d) {
						t.Fatal(d)
					}
				}
				return st.v[6], list
			}
			right, list := run(c.fix, false)
			if len(list) > 0 {
				t.Errorf("with %q: %v", c.fix, list)
			}
			late, list := run(c.fix, true)
			if len(list) > 0 || late != right {
				t.Errorf("with %q, late: %v\n%v\nwant %v", c.fix, list, late, right)
			}
			for l, got := range right {
				if c.want != nil && got != c.want(uint32(l)) {
					t.Fatalf("lane %d: %d, want %d", l, got, c.want(uint32(l)))
				}
			}
			if c.finding == "" {
				return
			}
			shows := false
			for l, v := range right {
				shows = shows || c.late(uint32(l)) != v
			}
			if shows == c.unseen {
				t.Errorf("late and intended results differ: %v", shows)
			}
			for _, adversarial := range []bool{false, true} {
				got, list := run(c.broken, adversarial)
				if len(list) != 1 || !strings.Contains(fmt.Sprintf("%s; %s", list[0].Message, list[0].Remedy), c.finding) {
					t.Errorf("with %q (late: %v): findings %v, want %q", c.broken, adversarial, list, c.finding)
				}
				for l, v := range got {
					want := right[l]
					if adversarial {
						want = c.late(uint32(l))
					}
					if v != want {
						t.Fatalf("with %q (late: %v): lane %d: %d, want %d", c.broken, adversarial, l, v, want)
					}
				}
			}
		})
	}
}
