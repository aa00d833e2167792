package cli

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// waveCase is one computation between lanes, as it is written for warps of 32 lanes and for waves of 64. The input is in %r4 and v4,
// the result in %r5 and v5; %r1 is the lane, v0 the work-item.
type waveCase struct {
	name      string
	ptx, gcn3 string
	// model computes the results of the lanes of one warp or wave.
	model func(in []int32) []int32
	// fixed is the width that the code for waves takes, if it is not the wave's.
	fixed int
	first int // the first element that differs, by reasoning; -1: none does
}

// everywhere gives each lane the same value.
func everywhere(in []int32, v int32) []int32 { return slices.Repeat([]int32{v}, len(in)) }

// from gives lane i the value of lane f(i), or of nothing.
func from(in []int32, f func(i int) int, nothing func(i int) int32) []int32 {
	out := make([]int32, len(in))
	for i := range in {
		if j := f(i); j >= 0 && j < len(in) {
			out[i] = in[j]
		} else {
			out[i] = nothing(i)
		}
	}
	return out
}

// odd has a bit for each lane with an odd value.
func odd(in []int32) (m uint64) {
	for i, v := range in {
		m |= uint64(v&1) << i
	}
	return m
}

func sumOf(in []int32) (s int32) {
	for _, v := range in {
		s += v
	}
	return s
}

func scanOf(in []int32) []int32 {
	out := make([]int32, len(in))
	for i := range in {
		out[i] = sumOf(in[:i+1])
	}
	return out
}

// butterfly combines all lanes of a warp.
func butterfly(op string) string {
	s := "mov.b32 %r5, %r4;\n"
	for _, d := range []int{16, 8, 4, 2, 1} {
		s += fmt.Sprintf("shfl.sync.bfly.b32 %%r6, %%r5, %d, 31, -1;\n%s %%r5, %%r5, %%r6;\n", d, op)
	}
	return s
}

// steps writes DPP steps of an operation, each with its modifiers.
func steps(op string, list ...string) string {
	s := "v_mov_b32 v5, v4\n"
	for _, m := range list {
		s += "s_nop 1\n" + op + " v5, v5 " + m + "\n"
	}
	return s
}

const (
	addDPP   = "v_add_u32 v5, vcc,"
	ballot   = "and.b32 %r6, %r4, 1;\nsetp.eq.u32 %p1, %r6, 1;\nvote.sync.ballot.b32 %r6, %p1, -1;\n"
	ballot64 = "v_and_b32 v8, 1, v4\nv_cmp_eq_u32 vcc, 1, v8\ns_nop 4\n"
	scanPTX  = "mov.b32 %r5, %r4;\n" +
		"shfl.sync.up.b32 %r6|%p1, %r5, 1, 0, -1;\n@%p1 add.s32 %r5, %r5, %r6;\nshfl.sync.up.b32 %r6|%p1, %r5, 2, 0, -1;\n@%p1 add.s32 %r5, %r5, %r6;\n" +
		"shfl.sync.up.b32 %r6|%p1, %r5, 4, 0, -1;\n@%p1 add.s32 %r5, %r5, %r6;\nshfl.sync.up.b32 %r6|%p1, %r5, 8, 0, -1;\n@%p1 add.s32 %r5, %r5, %r6;\n" +
		"shfl.sync.up.b32 %r6|%p1, %r5, 16, 0, -1;\n@%p1 add.s32 %r5, %r5, %r6;\n"
	across = "row_bcast:15 row_mask:0xa" // the first half of each 32 lanes into the second one
	halves = "row_bcast:31 row_mask:0xc"
)

// waveCases are the mistakes of ports between 32 and 64 lanes: code that is right for one width and counts on it.
var waveCases = []waveCase{
	{name: "a sum over all lanes", ptx: butterfly("add.s32"),
		gcn3:  steps(addDPP, "row_ror:8", "row_ror:4", "row_ror:2", "row_ror:1", across, halves) + "v_readlane_b32 s8, v5, 63\nv_mov_b32 v5, s8\n",
		model: func(in []int32) []int32 { return everywhere(in, sumOf(in)) }, first: 0},
	{name: "a maximum over all lanes", ptx: butterfly("max.s32"),
		gcn3:  steps("v_max_i32 v5,", "row_ror:8", "row_ror:4", "row_ror:2", "row_ror:1", across, halves) + "v_readlane_b32 s8, v5, 63\nv_mov_b32 v5, s8\n",
		model: func(in []int32) []int32 { return everywhere(in, slices.Max(in)) }, first: 32}, // the greatest value is in the first half
	{name: "an inclusive scan", ptx: scanPTX, gcn3: steps(addDPP, "row_shr:1", "row_shr:2", "row_shr:4", "row_shr:8", across, halves), model: scanOf, first: 32},
	{name: "the number of the lane", ptx: "mov.u32 %r5, %laneid;\n", gcn3: "v_mbcnt_lo_u32_b32 v5, -1, 0\nv_mbcnt_hi_u32_b32 v5, -1, v5\n",
		model: func(in []int32) []int32 {
			out := make([]int32, len(in))
			for i := range out {
				out[i] = int32(i)
			}
			return out
		}, first: 32},
	{name: "the value of the last lane", ptx: "shfl.sync.idx.b32 %r5, %r4, 31, 31, -1;\n", gcn3: "v_readlane_b32 s8, v4, 63\nv_mov_b32 v5, s8\n",
		model: func(in []int32) []int32 { return everywhere(in, in[len(in)-1]) }, first: 0},
	{name: "a rotation by one", ptx: "add.u32 %r6, %r1, 1;\nand.b32 %r6, %r6, 31;\nshfl.sync.idx.b32 %r5, %r4, %r6, 31, -1;\n", gcn3: "s_nop 1\nv_mov_b32 v5, v4 wave_rol:1\n",
		model: func(in []int32) []int32 { return from(in, func(i int) int { return (i + 1) % len(in) }, nil) }, first: 31},
	{name: "the order reversed", ptx: "shfl.sync.bfly.b32 %r5, %r4, 31, 31, -1;\n",
		gcn3:  "v_sub_u32 v8, vcc, 63, v0\nv_lshlrev_b32 v8, 2, v8\nds_bpermute_b32 v5, v8, v4\ns_waitcnt lgkmcnt(0)\n",
		model: func(in []int32) []int32 { return from(in, func(i int) int { return len(in) - 1 - i }, nil) }, first: 0},
	{name: "a shift by one with zero", ptx: "shfl.sync.up.b32 %r5|%p1, %r4, 1, 0, -1;\nselp.b32 %r5, %r5, 0, %p1;\n", gcn3: "s_nop 1\nv_mov_b32 v5, v4 wave_shr:1 bound_ctrl:0\n",
		model: func(in []int32) []int32 {
			return from(in, func(i int) int { return i - 1 }, func(int) int32 { return 0 })
		}, first: 32},
	{name: "a shift down by 16 in all lanes", ptx: "shfl.sync.down.b32 %r5, %r4, 16, 31, -1;\n",
		gcn3: "v_add_u32 v8, vcc, 16, v0\nv_lshlrev_b32 v8, 2, v8\nds_bpermute_b32 v5, v8, v4\ns_waitcnt lgkmcnt(0)\nv_cmp_gt_u32 vcc, 48, v0\nv_cndmask_b32 v5, v4, v5, vcc\n",
		model: func(in []int32) []int32 {
			return from(in, func(i int) int { return i + 16 }, func(i int) int32 { return in[i] })
		}, first: 16},
	{name: "the lanes that voted", ptx: ballot + "popc.b32 %r5, %r6;\n", gcn3: ballot64 + "s_bcnt1_i32_b64 s8, vcc\nv_mov_b32 v5, s8\n",
		model: func(in []int32) []int32 { return everywhere(in, int32(bits.OnesCount64(odd(in)))) }, first: 0},
	{name: "a vote of which 32 bits are kept", ptx: ballot + "mov.b32 %r5, %r6;\n", gcn3: ballot64 + "v_mov_b32 v5, vcc_lo\n",
		model: func(in []int32) []int32 { return everywhere(in, int32(uint32(odd(in)))) }, first: 32},
	{name: "the rank among the lanes that voted", ptx: ballot + "mov.u32 %r7, %lanemask_lt;\nand.b32 %r6, %r6, %r7;\npopc.b32 %r5, %r6;\n",
		gcn3: ballot64 + "v_mbcnt_lo_u32_b32 v5, vcc_lo, 0\nv_mbcnt_hi_u32_b32 v5, vcc_hi, v5\n",
		model: func(in []int32) []int32 {
			out := make([]int32, len(in))
			for i := range in {
				out[i] = int32(bits.OnesCount64(odd(in) & (1<<i - 1)))
			}
			return out
		}, first: 32},
	// Their right twins: the code for waves does the same in each half.
	{name: "an exchange with lane xor 16", ptx: "shfl.sync.bfly.b32 %r5, %r4, 16, 31, -1;\n", gcn3: "ds_swizzle_b32 v5, v4 offset:swizzle(SWAP,16)\ns_waitcnt lgkmcnt(0)\n",
		model: func(in []int32) []int32 { return from(in, func(i int) int { return i ^ 16 }, nil) }, first: -1},
	{name: "a scan of each 32 lanes", ptx: scanPTX, gcn3: steps(addDPP, "row_shr:1", "row_shr:2", "row_shr:4", "row_shr:8", across), model: scanOf, fixed: 32, first: -1},
	{name: "a sum of each 32 lanes", ptx: butterfly("add.s32"),
		gcn3: steps(addDPP, "row_ror:8", "row_ror:4", "row_ror:2", "row_ror:1", across) +
			"v_readlane_b32 s8, v5, 31\nv_readlane_b32 s9, v5, 63\nv_mov_b32 v8, s8\nv_mov_b32 v9, s9\nv_cmp_gt_u32 vcc, 32, v0\nv_cndmask_b32 v5, v9, v8, vcc\n",
		model: func(in []int32) []int32 { return everywhere(in, sumOf(in)) }, fixed: 32, first: -1},
}

// files writes the two kernels.
func (c *waveCase) files(t *testing.T, dir string) (a, b string) {
	t.Helper()
	a, b = filepath.Join(dir, "a.ptx"), filepath.Join(dir, "b.s")
	ptx := ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{\n.reg .b32 %r<9>;\n.reg .b64 %d<4>;\n.reg .pred %p<2>;\n" +
		"mov.u32 %r1, %tid.x;\nmul.wide.u32 %d1, %r1, 4;\nld.param.u64 %d2, [in];\nadd.u64 %d2, %d2, %d1;\nld.param.u64 %d3, [out];\nadd.u64 %d3, %d3, %d1;\nld.global.b32 %r4, [%d2];\n" +
		c.ptx + "st.global.b32 [%d3], %r5;\nret;\n}\n"
	gcn3 := ".amdgcn_target \"amdgcn-amd-amdhsa--gfx803\"\n.amdhsa_code_object_version 5\n.text\n.globl k\n.p2align 8\n.type k,@function\nk:\n" +
		"s_load_dwordx4 s[4:7], s[0:1], 0x0\nv_lshlrev_b32 v1, 2, v0\ns_waitcnt lgkmcnt(0)\nv_mov_b32 v3, s5\nv_add_u32 v2, vcc, s4, v1\nv_addc_u32 v3, vcc, 0, v3, vcc\n" +
		"flat_load_dword v4, v[2:3]\nv_mov_b32 v7, s7\nv_add_u32 v6, vcc, s6, v1\nv_addc_u32 v7, vcc, 0, v7, vcc\ns_waitcnt vmcnt(0) lgkmcnt(0)\n" +
		c.gcn3 + "flat_store_dword v[6:7], v5\ns_endpgm\n.Lend:\n.size k, .Lend-k\n" +
		".section .rodata,\"a\",@progbits\n.p2align 6\n.amdhsa_kernel k\n.amdhsa_user_sgpr_kernarg_segment_ptr 1\n.amdhsa_kernarg_size 16\n.amdhsa_next_free_vgpr 16\n.amdhsa_next_free_sgpr 32\n.end_amdhsa_kernel\n" +
		".amdgpu_metadata\n---\namdhsa.version: [ 1, 2 ]\namdhsa.target: amdgcn-amd-amdhsa--gfx803\namdhsa.kernels:\n  - .name: k\n    .symbol: k.kd\n    .kernarg_segment_size: 16\n    .kernarg_segment_align: 8\n" +
		"    .group_segment_fixed_size: 0\n    .private_segment_fixed_size: 0\n    .wavefront_size: 64\n    .sgpr_count: 32\n    .vgpr_count: 16\n    .max_flat_workgroup_size: 256\n    .args:\n" +
		"      - .name: in\n        .offset: 0\n        .size: 8\n        .value_kind: global_buffer\n        .address_space: global\n" +
		"      - .name: out\n        .offset: 8\n        .size: 8\n        .value_kind: global_buffer\n        .address_space: global\n...\n.end_amdgpu_metadata\n"
	for name, text := range map[string]string{a: ptx, b: gcn3} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return a, b
}

// TestDiffOfWidths: diff names the first element at which a port from 32 to 64 lanes goes wrong, with both values, which the test computes
// by itself, and explains both; right ports are equal.
func TestDiffOfWidths(t *testing.T) {
	t.Parallel()
	in := make([]int32, 64)
	var text []string
	for i := range in {
		in[i] = int32((i*i*7+i*3+11)%97 - 20)
		text = append(text, fmt.Sprint(in[i]))
	}
	for _, c := range waveCases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a, b := c.files(t, t.TempDir())
			left := slices.Concat(c.model(in[:32]), c.model(in[32:]))
			right := c.model(in)
			if c.fixed != 0 {
				right = slices.Concat(c.model(in[:c.fixed]), c.model(in[c.fixed:]))
			}
			first, different := -1, 0
			for i := range left {
				if left[i] != right[i] {
					if different++; first < 0 {
						first = i
					}
				}
			}
			if first != c.first {
				t.Fatalf("the models differ at %d, want %d", first, c.first)
			}
			args := []string{"diff", a, b, "--grid", "1", "--block", "64", "--arg", "in:s32[64]=" + strings.Join(text, ","), "--arg", "out:s32[64]"}
			code, out, stderr := runMain(t, append(args, "--format", "json")...)
			type buffer struct {
				Different int
				First     *int
			}
			var got struct{ Buffers []buffer }
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatalf("%v: %s%s", err, out, stderr)
			}
			i := slices.IndexFunc(got.Buffers, func(b buffer) bool { return b.Different > 0 })
			if first < 0 {
				if code != 0 || i >= 0 {
					t.Errorf("exit %d: %s%s", code, out, stderr)
				}
				return
			}
			if code != 1 || i < 0 || got.Buffers[i].Different != different || *got.Buffers[i].First != first {
				t.Fatalf("exit %d, want %d different elements, the first %d: %.500s%s", code, different, first, out, stderr)
			}
			verb := "differ"
			if different == 1 {
				verb = "differs"
			}
			_, out, stderr = runMain(t, args...)
			for _, want := range []string{
				fmt.Sprintf("out: %d of 64 elements %s; the first is out[%d]: A %d, B %d\n", different, verb, first, left[first], right[first]),
				fmt.Sprintf("out[%d] in A:\nout[%[1]d] = %d ", first, left[first]), fmt.Sprintf("out[%d] in B:\nout[%[1]d] = %d ", first, right[first]),
			} {
				if !strings.Contains(out, want) {
					t.Errorf("%q is missing in\n%s%s", want, out, stderr)
				}
			}
		})
	}
}
