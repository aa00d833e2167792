package device_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
)

// gcn3Kernels has a variable and a constant. add stores x + var in 64 words, and adds the constant to var. print
// prints 42 for each lane. local stores lane numbers in dynamic LDS and reads them reversed.
const gcn3Kernels = `.amdgcn_target "amdgcn-amd-amdhsa--gfx803"
.amdhsa_code_object_version 5
.text
.globl add
.p2align 8
.type add,@function
add:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  s_load_dword s4, s[0:1], 0x8
  s_getpc_b64 s[6:7]
  s_add_u32 s6, s6, var@rel32@lo+4
  s_addc_u32 s7, s7, var@rel32@hi+12
  s_getpc_b64 s[8:9]
  s_add_u32 s8, s8, step@rel32@lo+4
  s_addc_u32 s9, s9, step@rel32@hi+12
  s_load_dword s5, s[6:7], 0x0
  s_load_dword s10, s[8:9], 0x0
  v_lshlrev_b32 v3, 2, v0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v1, s2
  v_mov_b32 v2, s3
  v_add_u32 v1, vcc, v1, v3
  v_addc_u32 v2, vcc, 0, v2, vcc
  s_add_u32 s4, s4, s5
  v_mov_b32 v4, s4
  flat_store_dword v[1:2], v4
  v_mov_b32 v5, s6
  v_mov_b32 v6, s7
  v_mov_b32 v7, s10
  v_cmp_eq_u32 vcc, 0, v0
  s_and_b64 exec, exec, vcc
  flat_atomic_add v[5:6], v7
  s_endpgm
.Ladd:
  .size add, .Ladd-add
.globl print
.p2align 8
.type print,@function
print:
  s_load_dwordx2 s[0:1], s[0:1], 0x0
  s_waitcnt lgkmcnt(0)
  v_mov_b32 v0, s0
  v_mov_b32 v1, s1
  v_mov_b32 v2, 8
  flat_atomic_add v3, v[0:1], v2 glc
  s_waitcnt vmcnt(0) & lgkmcnt(0)
  v_add_u32 v0, vcc, 8, v0
  v_addc_u32 v1, vcc, 0, v1, vcc
  v_add_u32 v0, vcc, v0, v3
  v_addc_u32 v1, vcc, 0, v1, vcc
  v_mov_b32 v4, 1
  v_mov_b32 v5, 42
  flat_store_dwordx2 v[0:1], v[4:5]
  s_endpgm
.Lprint:
  .size print, .Lprint-print
.globl local
.p2align 8
.type local,@function
local:
  s_load_dwordx2 s[2:3], s[0:1], 0x0
  s_mov_b32 m0, -1
  v_lshlrev_b32 v3, 2, v0
  ds_write_b32 v3, v0
  s_waitcnt lgkmcnt(0)
  s_barrier
  v_sub_u32 v4, vcc, 0xfc, v3
  ds_read_b32 v5, v4
  v_mov_b32 v1, s2
  v_mov_b32 v2, s3
  v_add_u32 v1, vcc, v1, v3
  v_addc_u32 v2, vcc, 0, v2, vcc
  s_waitcnt lgkmcnt(0)
  flat_store_dword v[1:2], v5
  s_endpgm
.Llocal:
  .size local, .Llocal-local

.section .rodata,"a",@progbits
.p2align 6
.amdhsa_kernel add
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 16
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 14
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel print
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 12
.end_amdhsa_kernel
.p2align 6
.amdhsa_kernel local
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_kernarg_size 8
  .amdhsa_next_free_vgpr 8
  .amdhsa_next_free_sgpr 12
.end_amdhsa_kernel
.globl step
.p2align 2
.type step,@object
step:
  .long 10
  .size step, 4

.section .data,"aw",@progbits
.globl var
.p2align 2
.type var,@object
var:
  .long 100
  .size var, 4

.amdgpu_metadata
---
amdhsa.version: [ 1, 2 ]
amdhsa.target: amdgcn-amd-amdhsa--gfx803
amdhsa.printf: [ '1:1:4:%d ' ]
amdhsa.kernels:
  - .name: add
    .symbol: add.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 14
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .name: out }
      - { .offset: 8, .size: 4, .value_kind: by_value, .name: x }
  - .name: print
    .symbol: print.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 12
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - { .offset: 0, .size: 8, .value_kind: hidden_printf_buffer }
  - .name: local
    .symbol: local.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: 0
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 12
    .vgpr_count: 8
    .max_flat_workgroup_size: 64
    .args:
      - { .offset: 0, .size: 8, .value_kind: global_buffer, .address_space: global, .name: out }
...
.end_amdgpu_metadata
`

// newGCN3 makes a device of gfx803 with the module.
func newGCN3(t *testing.T, o crosslane.DeviceOptions) *host {
	t.Helper()
	d, err := crosslane.NewDevice("gfx803", o)
	if err != nil {
		t.Fatal(err)
	}
	return &host{d, t, load(t, d, gcn3Kernels, "kernels.s")}
}

// wave runs a kernel with 64 lanes.
func (h *host) wave(name string, l crosslane.DeviceLaunch) *crosslane.Result {
	h.t.Helper()
	l.Block.X = 64
	res, err := h.Launch(ctx, h.kernel(name), l)
	h.must(err)
	return res
}

// Kernels of GCN3 on a device: variables and constants live with the module, arguments are typed or bytes, each launch
// prints its own text once, and LDS is dynamic up to all that there is, without asking.
func TestGCN3(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o crosslane.DeviceOptions) {
		var text strings.Builder
		printed := o
		printed.Stdout = &text
		h := newGCN3(t, printed)
		p := h.alloc("out", 256)
		block := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint64(nil, uint64(p)), 3)
		want := uint32(100) // var
		for i := range 4 {
			l := crosslane.DeviceLaunch{Params: block}
			if i%2 == 0 {
				l = crosslane.DeviceLaunch{Args: []crosslane.Arg{p, crosslane.Int(3)}}
			}
			h.wave("add", l)
			if got := h.words(p, 64); !slices.Equal(got, repeat(want+3, 64)) {
				t.Errorf("launch %d: %v, want %d", i, got, want+3)
			}
			want += 10
		}
		step, err := h.m.Variable("step")
		h.must(err)
		variable, err := h.m.Variable("var")
		h.must(err, h.Write(variable.Ptr, []byte{1, 0, 0, 0}), h.Write(step.Ptr, []byte{5, 0, 0, 0}))
		h.wave("add", crosslane.DeviceLaunch{Params: block})
		if got := h.words(variable.Ptr, 1)[0]; got != 6 {
			t.Errorf("var is %d, want 1 + 5", got)
		}
		if _, err := h.Launch(ctx, h.kernel("add"), crosslane.DeviceLaunch{Params: block[:8]}); err == nil || !strings.Contains(err.Error(), "parameter block") {
			t.Errorf("a short block: %v", err)
		}
		for i := range 2 {
			text.Reset()
			h.wave("print", crosslane.DeviceLaunch{})
			if got := text.String(); got != strings.Repeat("42 ", 64) {
				t.Errorf("launch %d prints %q", i, got)
			}
		}
		reversed := make([]uint32, 64)
		for i := range reversed {
			reversed[i] = uint32(63 - i)
		}
		for _, shared := range []uint32{256, 64 << 10, 256} {
			h.must(h.Fill(p, []byte{0}, 256))
			h.wave("local", crosslane.DeviceLaunch{Shared: shared, Args: []crosslane.Arg{p}})
			if got := h.words(p, 64); !slices.Equal(got, reversed) {
				t.Errorf("%d bytes of LDS: %v", shared, got)
			}
		}
		if _, err := h.Launch(ctx, h.kernel("local"), crosslane.DeviceLaunch{Shared: 64<<10 + 4, Args: []crosslane.Arg{p}}); err == nil {
			t.Error("more LDS than there is was allowed")
		}
		h.must(h.Free(p), h.m.Unload())
		h.Close()
		if o.Check {
			h.only("refused-call", "refused-call")
		} else {
			h.only()
		}
	})
}

// What a host writes to a constant is seen on its device alone: not on another one, nor by a launch without a device.
func TestConstantsOfDevices(t *testing.T) {
	t.Parallel()
	m, err := crosslane.Load([]byte(gcn3Kernels), "kernels.s", crosslane.Auto)
	if err != nil {
		t.Fatal(err)
	}
	var devices []*host
	for range 2 {
		d, err := crosslane.NewDevice("gfx803", crosslane.DeviceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		dm, err := d.Load(m)
		if err != nil {
			t.Fatal(err)
		}
		devices = append(devices, &host{d, t, dm})
	}
	for i, h := range devices {
		v, err := h.m.Variable("step")
		h.must(err)
		if got := h.words(v.Ptr, 1)[0]; got != 10 {
			t.Errorf("device %d: the constant is %d, want 10", i, got)
		}
		h.must(h.Write(v.Ptr, []byte{77, 0, 0, 0}))
	}
	again, err := devices[0].Load(m)
	if err != nil {
		t.Fatal(err)
	}
	v, err := again.Variable("step")
	devices[0].must(err)
	if got := devices[0].words(v.Ptr, 1)[0]; got != 10 {
		t.Errorf("loaded again: the constant is %d, want 10", got)
	}
}
