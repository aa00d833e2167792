package api_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/short"
)

// startKernel stores the initial state of a GCN3 kernel: row i of 1024 words holds value i of every
// work-item. FULL: the function is the kernel, not one that it calls, so that the address of the
// kernarg segment is known; HIDDEN words of hidden arguments.
const startKernel = `
typedef __constant uint *words;
ulong dispatch_id(void) __asm("llvm.amdgcn.dispatch.id");
#define PUT(i, v) out[(i) * 1024 + id] = (uint)(v)
__kernel void start(__global uint *out, uint a, ulong b) {
  __constant uchar *p = (__constant uchar *)__builtin_amdgcn_dispatch_ptr();
  __constant uchar *q = (__constant uchar *)__builtin_amdgcn_queue_ptr();
  __constant uchar *h = (__constant uchar *)__builtin_amdgcn_implicitarg_ptr();
  uint x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(), z = __builtin_amdgcn_workitem_id_z();
  uint gx = __builtin_amdgcn_workgroup_id_x(), gy = __builtin_amdgcn_workgroup_id_y(), gz = __builtin_amdgcn_workgroup_id_z();
  uint id = ((gz * 2 + gy) * 3 + gx) * 30 + (z * 3 + y) * 5 + x;
  PUT(0, x); PUT(1, y); PUT(2, z); PUT(3, gx); PUT(4, gy); PUT(5, gz);
  PUT(6, __builtin_amdgcn_workgroup_size_x()); PUT(7, __builtin_amdgcn_workgroup_size_y()); PUT(8, __builtin_amdgcn_workgroup_size_z());
  PUT(9, __builtin_amdgcn_grid_size_x()); PUT(10, __builtin_amdgcn_grid_size_y()); PUT(11, __builtin_amdgcn_grid_size_z());
  for (int i = 0; i < 16; i++) PUT(12 + i, ((words)p)[i]);
#ifdef FULL
  __constant uchar *k = (__constant uchar *)__builtin_amdgcn_kernarg_segment_ptr();
  PUT(28, (ulong)k == *(__constant ulong *)(p + 40));
  PUT(29, *(words)(k + 8)); PUT(30, *(words)(k + 16)); PUT(31, (ulong)h - (ulong)k);
#endif
  PUT(32, dispatch_id());
  PUT(33, ((words)q)[16]); PUT(34, ((words)q)[17]);
  volatile uint priv[4];
  priv[x & 3] = id + a;
  PUT(35, priv[x & 3] - id - b);
  for (int i = 0; i < HIDDEN; i++) PUT(36 + i, ((words)h)[i]);
#if HIDDEN > 50
  PUT(88, *(__constant ulong *)(h + 200) == (ulong)q);
#endif
}
`

// The contents of the dispatch packet, the queue, the hidden arguments and the registers for
// kernels that clang compiles for every version of code objects: LLVM AMDGPU usage, "Initial Kernel
// Execution State" and "Code Object Metadata".
func TestKernelStart(t *testing.T) {
	t.Parallel()
	short.Skip(t, "clang compiles the kernels")
	clang, err := exec.LookPath("clang-22")
	if err != nil {
		if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
			t.Fatal("clang-22 is not installed, but CROSSLANE_REQUIRE_ORACLES is 1")
		}
		t.Skip("clang-22 is not installed")
	}
	dir := t.TempDir()
	src := filepath.Join(dir, "start.cl")
	if err := os.WriteFile(src, []byte(startKernel), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, version := range []int{4, 5, 6} {
		for _, level := range []int{0, 1, 3} {
			hidden := 52
			if version == 4 {
				hidden = 14
			}
			out := filepath.Join(dir, fmt.Sprintf("start%d_%d.co", version, level))
			args := []string{"-x", "cl", "-cl-std=CL1.2", "--target=amdgcn-amd-amdhsa", "-mcpu=gfx803", "-nogpulib", "-w", fmt.Sprintf("-O%d", level),
				fmt.Sprintf("-mcode-object-version=%d", version), fmt.Sprintf("-DHIDDEN=%d", hidden), "-o", out, src}
			if level > 0 {
				args = append(args, "-DFULL")
			}
			if b, err := exec.Command(clang, args...).CombinedOutput(); err != nil {
				t.Fatalf("clang-22: %v\n%s", err, b)
			}
			checkStart(t, out, version, level)
		}
	}
}

func checkStart(t *testing.T, file string, version, level int) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	m, err := crosslane.Load(data, "start.co", crosslane.GCN3)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("start")
	if err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, 90*1024)
	if _, err := k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 3, Y: 2, Z: 2}, Block: crosslane.Dim3{X: 5, Y: 3, Z: 2},
		Args: []crosslane.Arg{crosslane.Slice("out", out), crosslane.Int(7), crosslane.Int(7)}}); err != nil {
		t.Fatalf("version %d, -O%d: %v", version, level, err)
	}
	want := map[int]uint32{6: 5, 7: 3, 8: 2, 9: 15, 10: 6, 11: 4,
		// hsa_kernel_dispatch_packet_t: header and dimensions, workgroup, grid.
		12: 0x1402 | 3<<16, 13: 5 | 3<<16, 14: 2, 15: 15, 16: 6, 17: 4, 19: 0, 24: 0, 25: 0, 26: 0, 27: 0,
		32: 0, 33: uint32(ir.SharedWindow >> 32), 34: uint32(ir.LocalWindow >> 32), 35: 0}
	if level > 0 {
		want[28], want[29], want[30], want[31] = 1, 7, 7, 24
	}
	if version == 4 {
		for i := range 14 {
			want[36+i] = 0 // offsets, no buffers, no queue
		}
	} else {
		for i := range 48 {
			want[36+i] = 0
		}
		want[36], want[37], want[38] = 3, 2, 2
		want[39], want[40] = 5|3<<16, 2
		want[36+16] = 3
		want[36+48], want[36+49] = uint32(ir.LocalWindow>>32), uint32(ir.SharedWindow>>32)
		want[88] = 1
	}
	// Host calls and the heap are not provided: their addresses are nobody's.
	absent := []int{36 + 6}
	if version > 4 {
		absent = []int{36 + 20, 36 + 24}
	}
	for _, i := range absent {
		if out[i*1024] == 0 && out[(i+1)*1024] == 0 {
			t.Fatalf("version %d, -O%d: hidden argument at word %d is null", version, level, i-36)
		}
		delete(want, i)
		delete(want, i+1)
	}
	for n := range 1024 {
		if n >= 360 { // this work-item does not exist
			for i := range 90 {
				if out[i*1024+n] != 0 {
					t.Fatalf("version %d, -O%d: a work-item that does not exist stored value %d", version, level, i)
				}
			}
			continue
		}
		l, g := n%30, n/30
		want[0], want[1], want[2] = uint32(l%5), uint32(l/5%3), uint32(l/15)
		want[3], want[4], want[5] = uint32(g%3), uint32(g/3%2), uint32(g/6)
		for i, w := range want {
			if got := out[i*1024+n]; got != w {
				t.Fatalf("version %d, -O%d: work-item %d: value %d is %#x, want %#x", version, level, n, i, got, w)
			}
		}
		if out[20*1024+n] == 0 || out[22*1024+n] == 0 {
			t.Fatalf("the packet has no kernel object or kernarg segment")
		}
	}
}

// The scalar registers that compilers seldom ask for, in their order: s[12:13] is
// flat_scratch_init, s14 the private segment size, s15 to s17 the workgroup, s18 its
// info, s19 the offset of the wavefront's scratch memory.
func TestStartRegisters(t *testing.T) {
	t.Parallel()
	src := `
	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.text
	.globl k
	.type k,@function
k:
	s_load_dwordx2 s[20:21], s[8:9], 0x0
	s_load_dword s22, s[4:5], 0xc
	v_lshlrev_b32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	v_add_u32 v1, vcc, s20, v1
	v_mov_b32 v2, s21
	v_addc_u32 v2, vcc, 0, v2, vcc
` + put("s12") + put("s13") + put("s14") + put("s15") + put("s18") + put("s19") + put("s10") + put("s22") + put("s2") + `
	s_endpgm
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_private_segment_fixed_size 48
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_private_segment_buffer 1
		.amdhsa_user_sgpr_dispatch_ptr 1
		.amdhsa_user_sgpr_queue_ptr 1
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_user_sgpr_dispatch_id 1
		.amdhsa_user_sgpr_flat_scratch_init 1
		.amdhsa_user_sgpr_private_segment_size 1
		.amdhsa_system_sgpr_private_segment_wavefront_offset 1
		.amdhsa_system_sgpr_workgroup_id_x 1
		.amdhsa_system_sgpr_workgroup_id_y 1
		.amdhsa_system_sgpr_workgroup_id_z 1
		.amdhsa_system_sgpr_workgroup_info 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 32
	.end_amdhsa_kernel
`
	m, err := crosslane.Load([]byte(src), "k.s", crosslane.GCN3)
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	out := make([]uint32, 9*128)
	if _, err := k.Run(context.Background(), crosslane.Launch{Grid: crosslane.Dim3{X: 1}, Block: crosslane.Dim3{X: 100},
		Args: []crosslane.Arg{crosslane.Slice("out", out)}}); err != nil {
		t.Fatal(err)
	}
	for n := range 100 {
		info := uint32(2)
		if n < 64 {
			info |= 1 << 31
		}
		for i, w := range []uint32{0, 48, 48, 0, info, 0, 0, 100, 48 * 64} {
			if got := out[i*128+n]; got != w {
				t.Fatalf("lane %d: value %d is %#x, want %#x", n, i, got, w)
			}
		}
	}
}

// put stores a scalar register and goes on to the next row of 128 words.
func put(reg string) string {
	return fmt.Sprintf("\tv_mov_b32 v3, %s\n\tflat_store_dword v[1:2], v3\n\tv_add_u32 v1, vcc, 0x200, v1\n\tv_addc_u32 v2, vcc, 0, v2, vcc\n", reg)
}

// startObject is an assembly kernel whose first argument is stored to by put: s[8:9] is
// the kernarg segment.
func startObject(directives, body string) string {
	return `
	.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
	.text
	.globl k
	.p2align 8
	.type k,@function
k:
	s_load_dwordx2 s[20:21], s[0:1], 0x0
	s_mov_b64 s[24:25], exec
	v_lshlrev_b32 v1, 2, v0
	s_waitcnt lgkmcnt(0)
	v_add_u32 v1, vcc, s20, v1
	v_mov_b32 v2, s21
	v_addc_u32 v2, vcc, 0, v2, vcc
` + body + `
	s_endpgm
	.section .rodata,"a",@progbits
	.p2align 6
	.amdhsa_kernel k
		.amdhsa_kernarg_size 8
		.amdhsa_user_sgpr_kernarg_segment_ptr 1
		.amdhsa_next_free_vgpr 8
		.amdhsa_next_free_sgpr 32
` + directives + `	.end_amdhsa_kernel
`
}

// The initial state of wavefronts besides their registers: MODE from the descriptor (GCN3 ISA 3.6:
// FP_ROUND, FP_DENORM, DX10_CLAMP 8, IEEE 9, EXCP_EN from 12 on), EXEC with the work-items that
// there are, STATUS.
func TestStartState(t *testing.T) {
	t.Parallel()
	run := func(src string, lanes uint32) ([]uint32, error) {
		t.Helper()
		m, err := crosslane.Load([]byte(src), "k.s", crosslane.GCN3)
		if err != nil {
			t.Fatal(err)
		}
		k, err := m.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		out := make([]uint32, 4*128)
		_, err = k.Run(context.Background(), crosslane.Launch{Block: crosslane.Dim3{X: lanes}, Args: []crosslane.Arg{crosslane.Slice("out", out)}})
		return out, err
	}
	body := "\ts_getreg_b32 s26, hwreg(HW_REG_MODE)\n" + put("s24") + put("s25") + put("s26")
	excp := []string{"fp_ieee_invalid_op", "fp_denorm_src", "fp_ieee_div_zero", "fp_ieee_overflow", "fp_ieee_underflow", "fp_ieee_inexact", "int_div_zero"}
	type mode struct {
		directives string
		want       uint32
	}
	modes := []mode{{"", 0x3c0}, {"\t.amdhsa_float_round_mode_32 1\n\t.amdhsa_float_round_mode_16_64 2\n\t.amdhsa_float_denorm_mode_32 2\n\t.amdhsa_float_denorm_mode_16_64 1\n", 0x369},
		{"\t.amdhsa_dx10_clamp 0\n", 0x2c0}, {"\t.amdhsa_ieee_mode 0\n", 0x1c0}}
	for i, name := range excp {
		modes = append(modes, mode{"\t.amdhsa_exception_" + name + " 1\n", 0x3c0 | 1<<(12+i)})
	}
	for _, m := range modes {
		out, err := run(startObject(m.directives, body), 100)
		if err != nil {
			t.Fatalf("%s: %v", m.directives, err)
		}
		for lane, exec := range map[int]uint64{0: 1<<64 - 1, 63: 1<<64 - 1, 64: 1<<36 - 1, 99: 1<<36 - 1} {
			if lo, hi, got := out[lane], out[128+lane], out[256+lane]; lo != uint32(exec) || hi != uint32(exec>>32) || got != m.want {
				t.Errorf("%s: lane %d: EXEC %#x%08x, want %#x; MODE %#x, want %#x", m.directives, lane, hi, lo, exec, got, m.want)
			}
		}
	}
	for directives, want := range map[string]string{
		"\t.amdhsa_group_segment_fixed_size 65540\n":    "65540 bytes of LDS",
		"\t.amdhsa_private_segment_fixed_size 131060\n": "131060 bytes of scratch",
	} {
		if _, err := run(startObject(directives, body), 64); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", directives, err)
		}
	}
}
