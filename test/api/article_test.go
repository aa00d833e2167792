package api_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"example.org/crosslane"
)

// These tests are the text of "AMD GCN Assembly: Cross-Lane Operations", section by section,
// transcribed once more and compared with the effects of its instructions when they are assembled
// and run. docs/founding-gcn3.md lists its statements with the tests.

// wave holds one value per lane.
type wave [64]uint32

// gcn runs instructions on a wavefront whose registers are set, and returns one of
// them. There must be no findings.
func gcn(t *testing.T, src string, exec uint64, regs map[string]wave, show string) wave {
	t.Helper()
	o := crosslane.TryOptions{ISA: crosslane.GCN3, Exec: &exec, Show: []string{show}}
	for name, v := range regs {
		s := crosslane.TrySet{Reg: name}
		for _, x := range v {
			s.Bits = append(s.Bits, uint64(x))
		}
		if name[0] == 's' {
			s.Bits = s.Bits[:1]
		}
		o.Set = append(o.Set, s)
	}
	r, err := crosslane.Try(context.Background(), src, o)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	if len(r.Findings) > 0 {
		t.Fatalf("%s: %v", src, r.Findings)
	}
	var out wave
	for i, x := range r.Registers[0].Bits {
		out[i] = uint32(x)
	}
	return out
}

func noise(r *rand.Rand) (w wave) {
	for i := range w {
		w[i] = r.Uint32()
	}
	return w
}

// numbers are lane numbers plus start.
func numbers(start uint32) (w wave) {
	for i := range w {
		w[i] = start + uint32(i)
	}
	return w
}

func someExec(r *rand.Rand) uint64 {
	switch r.IntN(4) {
	case 0:
		return math.MaxUint64
	case 1:
		return r.Uint64() & r.Uint64()
	}
	return r.Uint64() | r.Uint64()
}

func on(exec uint64, i int) bool { return exec>>uint(i)&1 != 0 }

// "The whole process divides into two logical steps", on a temporary buffer.
func TestArticlePermutes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for range 60 {
		addr, src, dest, exec := noise(r), noise(r), noise(r), someExec(r)
		offset := uint32(r.IntN(0x10000))
		if r.IntN(2) == 0 {
			for i := range addr { // conflicts
				addr[i] &= 0x3f
			}
			offset &= 0xff
		}
		element := func(i int) uint32 { return (addr[i] + offset) & 0xfc >> 2 } // "bits [7:2] of the final address"
		var pushed, pulled [64]uint32                                           // "uninitialized locations considered to be zero valued"
		for i := range 64 {                                                     // "All active lanes write data to a temporary buffer."
			if on(exec, i) {
				pushed[element(i)] = src[i] // "the lane with the greater ID wins"
				pulled[i] = src[i]
			}
		}
		wantPush, wantPull := dest, dest
		for i := range 64 { // "All active lanes read data from the temporary buffer"
			if on(exec, i) {
				wantPush[i], wantPull[i] = pushed[i], pulled[element(i)]
			}
		}
		regs := map[string]wave{"v0": dest, "v1": addr, "v2": src}
		text := fmt.Sprintf("ds_permute_b32 v0, v1, v2 offset:%#x; s_waitcnt lgkmcnt(0)", offset)
		if got := gcn(t, text, exec, regs, "v0"); got != wantPush {
			t.Fatalf("%s, exec %#x, addr %v:\n%v, want\n%v", text, exec, addr, got, wantPush)
		}
		text = strings.Replace(text, "ds_permute", "ds_bpermute", 1)
		if got := gcn(t, text, exec, regs, "v0"); got != wantPull {
			t.Fatalf("%s, exec %#x, addr %v:\n%v, want\n%v", text, exec, addr, got, wantPull)
		}
		// The second example: address and destination are one register.
		wantPull = addr
		for i := range 64 {
			if on(exec, i) {
				wantPull[i] = pulled[(addr[i]+0x10)&0xfc>>2]
			}
		}
		if got := gcn(t, "ds_bpermute_b32 v0, v0, v1 offset:0x10; s_waitcnt lgkmcnt(0)", exec, map[string]wave{"v0": addr, "v1": src}, "v0"); got != wantPull {
			t.Fatalf("the second example, exec %#x:\n%v, want\n%v", exec, got, wantPull)
		}
	}
}

// The two figures: eight lanes, addresses 8 and 9 in lanes 0 and 1, 272 in lane 7; at
// the right EXEC disables lanes 2 and 3.
func TestArticlePermuteFigures(t *testing.T) {
	t.Parallel()
	addr := wave{8, 9, 0, 12, 4, 28, 20, 272}
	old := numbers(900)
	regs := map[string]wave{"v0": old, "v1": addr, "v2": numbers(100)}
	for _, c := range []struct {
		instr string
		exec  uint64
		want  [8]uint32
	}{
		{"ds_bpermute_b32", 0xff, [8]uint32{102, 102, 100, 103, 101, 107, 105, 104}},
		{"ds_bpermute_b32", 0xf3, [8]uint32{0, 0, 902, 903, 101, 107, 105, 104}},
		{"ds_permute_b32", 0xff, [8]uint32{102, 104, 101, 103, 107, 106, 0, 105}},
		{"ds_permute_b32", 0xf3, [8]uint32{0, 104, 902, 903, 107, 106, 0, 105}},
	} {
		got := gcn(t, c.instr+" v0, v1, v2; s_waitcnt lgkmcnt(0)", c.exec, regs, "v0")
		if [8]uint32(got[:8]) != c.want {
			t.Errorf("%s, EXEC %#x: %v, want %v", c.instr, c.exec, got[:8], c.want)
		}
		if got[8] != old[8] || got[63] != old[63] {
			t.Errorf("%s, EXEC %#x changes lanes that are off", c.instr, c.exec)
		}
	}
}

// "this immediate can be used to rotate src values".
func TestArticleOffsetRotates(t *testing.T) {
	t.Parallel()
	var addr wave
	for i := range addr {
		addr[i] = uint32(i) * 4 // "desired_lane_id * 4"
	}
	regs := map[string]wave{"v1": addr, "v2": numbers(0)}
	for n := range 64 {
		pull := gcn(t, fmt.Sprintf("ds_bpermute_b32 v0, v1, v2 offset:%d; s_waitcnt lgkmcnt(0)", 4*n), math.MaxUint64, regs, "v0")
		push := gcn(t, fmt.Sprintf("ds_permute_b32 v0, v1, v2 offset:%d; s_waitcnt lgkmcnt(0)", 4*n), math.MaxUint64, regs, "v0")
		for i := range 64 {
			if pull[i] != uint32(i+n)%64 || push[(i+n)%64] != uint32(i) {
				t.Fatalf("offset %d: lane %d pulls %d; lane %d is pushed %d", 4*n, i, pull[i], (i+n)%64, push[(i+n)%64])
			}
		}
	}
}

// "If you need the lane ID, try the following code".
func TestArticleLaneID(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	for range 10 {
		exec, old := someExec(r), noise(r)
		got := gcn(t, "v_mbcnt_lo_u32_b32 v6, -1, 0\nv_mbcnt_hi_u32_b32 v6, -1, v6", exec, map[string]wave{"v6": old}, "v6")
		for i := range 64 {
			if on(exec, i) && got[i] != uint32(i) || !on(exec, i) && got[i] != old[i] {
				t.Fatalf("exec %#x: lane %d has %d", exec, i, got[i])
			}
		}
	}
}

// The formal ds_pattern description, line by line.
func articleSwizzle(offset uint32, in wave, valid uint64) (out wave) {
	field := func(hi, lo int) int { return int(offset >> lo & (1<<(hi-lo+1) - 1)) }
	for half := 0; half < 64; half += 32 { // "Same shuffle applied to the second half of wavefront"
		get := func(j int) uint32 {
			if on(valid, half+j) {
				return in[half+j]
			}
			return 0
		}
		if field(15, 15) != 0 {
			for i := 0; i < 32; i += 4 {
				out[half+i+0] = get(i + field(1, 0))
				out[half+i+1] = get(i + field(3, 2))
				out[half+i+2] = get(i + field(5, 4))
				out[half+i+3] = get(i + field(7, 6))
			}
			continue
		}
		and, or, xor := field(4, 0), field(9, 5), field(14, 10)
		for i := range 32 {
			out[half+i] = get(((i & and) | or) ^ xor)
		}
	}
	return out
}

func TestArticleSwizzle(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	for n := range 150 {
		offset, src, dest, exec := r.Uint32()&0xffff, noise(r), noise(r), someExec(r)
		if n == 0 {
			offset = 0x80f6
		}
		want := articleSwizzle(offset, src, exec)
		for i := range want {
			if !on(exec, i) { // "The EXEC mask functions in the same way"
				want[i] = dest[i]
			}
		}
		text := fmt.Sprintf("ds_swizzle_b32 v5, v2 offset:%#X; s_waitcnt lgkmcnt(0)", offset)
		if got := gcn(t, text, exec, map[string]wave{"v5": dest, "v2": src}, "v5"); got != want {
			t.Fatalf("%s, exec %#x:\n%v, want\n%v", text, exec, got, want)
		}
	}
}

// "Some of the interesting patterns".
func TestArticleSwizzlePatterns(t *testing.T) {
	t.Parallel()
	check := func(and, or, xor, size int, what string, source func(group, i int) int) {
		t.Helper()
		text := fmt.Sprintf("ds_swizzle_b32 v5, v2 offset:%d; s_waitcnt lgkmcnt(0)", xor<<10|or<<5|and)
		got := gcn(t, text, math.MaxUint64, map[string]wave{"v2": numbers(0)}, "v5")
		for i, g := range got {
			if want := source(i/size*size, i%size); int(g) != want {
				t.Errorf("%s %d: lane %d reads %d, want %d", what, size, i, g, want)
			}
		}
	}
	for bit := range 5 { // swap: "only one bit is set in xor_mask"
		size := 1 << bit
		check(0x1f, 0, size, size, "swap", func(group, i int) int {
			if group/size%2 == 0 {
				return group + size + i
			}
			return group - size + i
		})
	}
	for n := 1; n <= 5; n++ {
		size := 1 << n // mirror: "the LSBs of xor_mask are set to 1"
		check(0x1f, 0, size-1, size, "mirror", func(group, i int) int { return group + size - 1 - i })
		for l := range size { // broadcast: "and_mask MSBs are 1 and LSBs are 0, or_mask is the lane index"
			check(0x1f&^(size-1), l, 0, size, "broadcast", func(group, i int) int { return group + l })
		}
	}
	// "set to 0, set to 1, preserve or inverse", for each bit.
	for b := range 5 {
		bit, all := 1<<b, 0x1f
		check(all&^bit, 0, 0, 32, "set to 0", func(h, i int) int { return h + i&^bit })
		check(all, bit, 0, 32, "set to 1", func(h, i int) int { return h + i | bit })
		check(all, 0, bit, 32, "inverse", func(h, i int) int { return h + i ^ bit })
	}
	check(0x1f, 0, 0, 32, "preserve", func(h, i int) int { return h + i })
	// "every pattern of bit masks": and_mask, or_mask and xor_mask apply in this order.
	check(0x10, 0x09, 0x18, 32, "in order", func(h, i int) int { return h + (i&0x10 | 0x09) ^ 0x18 })
}

// DS cross-lane instructions "don't access LDS memory and may be called even if the wavefront has
// no allocated LDS memory"; an instruction that does access it may not be called.
func TestArticleNoLDS(t *testing.T) {
	t.Parallel()
	const cross = "v_lshlrev_b32 v1, 2, v0\nds_permute_b32 v2, v1, v0 offset:4\nds_bpermute_b32 v3, v1, v0 offset:4\nds_swizzle_b32 v4, v0 offset:0x401f\ns_waitcnt lgkmcnt(0)"
	out, _, err := articleKernel(t, cross+"\nv_lshlrev_b32 v3, 8, v3\nv_lshlrev_b32 v4, 16, v4\nv_or_b32 v2, v2, v3\nv_or_b32 v2, v2, v4", 0, 1, 64)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint32(64) {
		if want := (i+63)%64 | (i+1)%64<<8 | (i^16)<<16; out[i] != want {
			t.Errorf("lane %d: %#x, want %#x", i, out[i], want)
		}
	}
	if _, _, err = articleKernel(t, "v_lshlrev_b32 v1, 2, v0\nds_read_b32 v2, v1\ns_waitcnt lgkmcnt(0)", 0, 1, 64); err == nil {
		t.Error("ds_read_b32 works without LDS")
	}
	// They leave LDS as it is.
	regs := map[string]wave{"v0": numbers(0)}
	var pattern wave
	for i := range pattern {
		pattern[i] = uint32(i) + 700
	}
	regs["v9"] = pattern
	got := gcn(t, "s_mov_b32 m0, -1; v_lshlrev_b32 v1, 2, v0; ds_write_b32 v1, v9; s_waitcnt lgkmcnt(0); "+strings.ReplaceAll(cross, "\n", "; ")+"; ds_read_b32 v5, v1; s_waitcnt lgkmcnt(0)", math.MaxUint64, regs, "v5")
	if got != pattern {
		t.Errorf("LDS after cross-lane instructions: %v", got)
	}
	// One instruction of 8 bytes in place of a store and a load of 8 bytes each.
	for text, want := range map[string]int{"ds_bpermute_b32 v3, v1, v0": 8, "ds_swizzle_b32 v3, v1 offset:1": 8, "ds_write_b32 v1, v0\nds_read_b32 v3, v1": 16} {
		list, diags := crosslane.AssembleInstructions(text)
		n := 0
		for _, in := range list {
			n += len(in.Bytes)
		}
		if n != want || diags.Err() != nil {
			t.Errorf("%s: %d bytes (%v), want %d", text, n, diags, want)
		}
	}
}

// "LDS is only available on a workgroup level": its wavefronts share it, workgroups do
// not.
func TestArticleLDSWorkgroup(t *testing.T) {
	t.Parallel()
	// Work-item i writes 1000 + i and reads the value that work-item (i + 64) mod 128 wrote, which
	// is in the other wavefront.
	out, _, err := articleKernel(t, `s_mov_b32 m0, -1
  v_lshlrev_b32 v1, 2, v0
  v_add_u32 v2, vcc, 0x3e8, v0
  ds_write_b32 v1, v2
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_xor_b32 v1, 0x100, v1
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)`, 512, 1, 128)
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint32(128) {
		if out[i] != 1000+(i+64)%128 {
			t.Fatalf("work-item %d reads %d", i, out[i])
		}
	}
	// Workgroup 0 writes, workgroup 1 reads the same address.
	out, findings, err := articleKernel(t, `s_mov_b32 m0, -1
  v_lshlrev_b32 v1, 2, v0
  v_mov_b32 v2, 77
  s_cmp_eq_u32 s7, 0
  s_cbranch_scc0 read
  ds_write_b32 v1, v2
read:
  s_waitcnt lgkmcnt(0)
  ds_read_b32 v2, v1
  s_waitcnt lgkmcnt(0)`, 256, 2, 64)
	if err != nil {
		t.Fatal(err)
	}
	if out[0] != 77 || out[64] == 77 {
		t.Errorf("workgroup 0 reads %d, workgroup 1 %d (%v)", out[0], out[64], findings)
	}
}

// articleKernel runs a kernel that stores v2 of every work-item. v0 is the work-item's
// number, s7 the workgroup's; lds bytes are allocated.
func articleKernel(t *testing.T, body string, lds, groups, items int) (out []uint32, findings []string, err error) {
	t.Helper()
	src := fmt.Sprintf(`.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.text
.globl k
.p2align 8
.type k,@function
k:
  s_load_dwordx2 s[0:1], s[4:5], 0x0
  s_mov_b32 s7, s6
  s_mul_i32 s6, s6, %[3]d
  v_add_u32 v10, vcc, s6, v0
  v_lshlrev_b32 v10, 2, v10
  %[1]s
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v12, s1
  v_add_u32 v11, vcc, s0, v10
  v_addc_u32 v12, vcc, 0, v12, vcc
  flat_store_dword v[11:12], v2
  s_endpgm
.Lend:
  .size k, .Lend-k
.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel k
  .amdhsa_group_segment_fixed_size %[2]d
  .amdhsa_user_sgpr_private_segment_buffer 1
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 13
  .amdhsa_next_free_sgpr 8
.end_amdhsa_kernel
.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx803
amdhsa.kernels:
  - .name: k
    .symbol: k.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: %[2]d
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 10
    .vgpr_count: 13
    .max_flat_workgroup_size: 256
    .args:
      - { .name: out, .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global }
...
.end_amdgpu_metadata
`, body, lds, items)
	m, err := crosslane.Load([]byte(src), "k.s", crosslane.GCN3)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	out = make([]uint32, groups*items)
	res, err := k.Run(context.Background(), crosslane.Launch{
		Grid: crosslane.Dim3{X: uint32(groups)}, Block: crosslane.Dim3{X: uint32(items)}, Workers: 1, Args: []crosslane.Arg{crosslane.Slice("out", out)},
	})
	if res != nil {
		for _, f := range res.Findings {
			findings = append(findings, f.Code)
		}
	}
	return out, findings, err
}

// "AMD's HCC compiler provides intrinsic function support": the same arguments in the
// same order, for all lanes, and EXEC.
var (
	_ func(index, src *[64]int32, exec crosslane.Mask) [64]int32                                                                            = crosslane.AMDGCNDSBpermute
	_ func(index, src *[64]int32, exec crosslane.Mask) [64]int32                                                                            = crosslane.AMDGCNDSPermute
	_ func(src *[64]int32, pattern uint16, exec crosslane.Mask) [64]int32                                                                   = crosslane.AMDGCNDSSwizzle
	_ func(src *[64]int32, dppCtrl uint16, rowMask, bankMask uint8, boundCtrl bool, exec crosslane.Mask) ([64]int32, crosslane.Mask, error) = crosslane.AMDGCNMoveDPP
)

// The figures of "Why Not Just Use LDS?", as explain prints them.
func TestArticleBandwidth(t *testing.T) {
	t.Parallel()
	const clock, units = 1.050e9, 64
	lds := clock * units * 32 * 4
	registers := clock * units * 64 * 12
	tb := func(x float64) string { return fmt.Sprintf("= %.1f TB/s", math.Round(x/1e11)/10) }
	if tb(lds) != "= 8.6 TB/s" || tb(registers) != "= 51.6 TB/s" {
		t.Fatalf("the article's figures: %s, %s", tb(lds), tb(registers))
	}
	// "reading all the content of a high-capacity 8 TB HDD in one second"; "4,096 ALUs";
	// an order of magnitude each.
	if 8e12/lds > 1 || units*64 != 4096 || lds/512e9 < 10 || registers/lds < 5 {
		t.Error("the article's comparisons do not follow from its figures")
	}
	for instr, want := range map[string][]string{
		"flat_load_dword v1, v[2:3]":                  {"memory 512 GB/s, LDS 8.6 TB/s, registers 51.6 TB/s"},
		"buffer_load_dword v1, off, s[8:11], 0":       {"memory 512 GB/s"},
		"ds_read_b32 v1, v0":                          {"LDS 1.050 GHz x 64 CUs x 32 banks x 4 bytes " + tb(lds), "a latency an order of magnitude below that of memory, 512 GB/s", "take turns"},
		"ds_permute_b32 v0, v1, v2":                   {tb(lds), "goes through the LDS hardware", "no bank conflicts", "needs a VGPR with byte addresses", "no LDS allocated", "one instruction in place of a ds_write and a ds_read"},
		"ds_bpermute_b32 v0, v1, v2":                  {tb(lds), "goes through the LDS hardware", "needs a VGPR with byte addresses"},
		"ds_swizzle_b32 v5, v2 offset:0x80F6":         {tb(lds), "goes through the LDS hardware", "needs no address VGPR"},
		"v_and_b32 v3, v1, v2 wave_shr:1":             {"registers 1.050 GHz x 64 CUs x 64 lanes x 12 bytes " + tb(registers), "full rate", "one extra dword", "4 cycles for the 64 lanes, 16 lanes a cycle"},
		"v_add_f32 v0, -v1, |v2| wave_shr:1":          {"8 bytes of code; 4 cycles"},
		"v_add_f32 v0, v1, v2 wave_shr:1":             {"8 bytes of code; 4 cycles"},
		"v_add_f32 v1, v1, v1 row_shr:1 bound_ctrl:0": {"full rate"},
	} {
		e, err := crosslane.Explain(instr, crosslane.ExplainOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, w := range want {
			if !strings.Contains(e.Cost, w) {
				t.Errorf("%s: the cost does not say %q: %s", instr, w, e.Cost)
			}
		}
	}
}

// "The compiler will combine the DPP move with the subsequent instructions, if
// possible": the scan is written with builtins that move, and clang made additions.
func TestArticleCompiler(t *testing.T) {
	t.Parallel()
	m, err := os.ReadFile("examples/gcn3/wave_scan.hsaco")
	if err != nil {
		t.Fatal(err)
	}
	text, err := crosslane.Disassemble(m, "wave_scan.hsaco")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(text, "v_add_u32_dpp"); n < 6 {
		t.Errorf("%d additions with DPP", n)
	}
}
