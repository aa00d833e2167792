// The kernels of saxpy.s by hand, as they were written before 2020: code object version 2,
// in which an amd_kernel_code_t of 256 bytes stands before the code of each kernel.
	.hsa_code_object_version 2,1
	.hsa_code_object_isa 8,0,3,"AMD","AMDGPU"
	.text

// kernel NAME: its global symbol, and the structure. Its registers at the start:
// s[0:1] dispatch packet, s[2:3] kernel arguments, s4 workgroup in x, v0 work-item in x.
.macro kernel name
	.p2align 8
	.globl \name
\name:
	.amd_kernel_code_t
		granulated_workitem_vgpr_count = (6-1)/4 // registers in fours, less one
		granulated_wavefront_sgpr_count = (14-1)/8 // in eights
		float_mode = 192 // round to nearest, denormals of f16 and f64
		enable_dx10_clamp = 1
		enable_ieee_mode = 1
		user_sgpr_count = 4
		enable_sgpr_dispatch_ptr = 1
		enable_sgpr_kernarg_segment_ptr = 1
		enable_sgpr_workgroup_id_x = 1
		private_element_size = 1
		is_ptr64 = 1
		kernarg_segment_byte_size = 28
		wavefront_sgpr_count = 14
		workitem_vgpr_count = 6
	.end_amd_kernel_code_t
.endm

// guard DONE: v0 is the number of the work-item in the grid; those from the last argument
// on leave at once.
.macro guard done
	s_load_dword s5, s[0:1], 0x4        // workgroup_size_x, and y
	s_load_dword s6, s[2:3], 0x18       // n
	s_waitcnt lgkmcnt(0)
	s_and_b32 s5, s5, 0xffff
	s_mul_i32 s5, s4, s5
	v_add_u32 v0, vcc, s5, v0
	v_cmp_gt_u32 vcc, s6, v0
	s_and_saveexec_b64 s[8:9], vcc
	s_cbranch_execz \done
	v_lshlrev_b32 v0, 2, v0             // in bytes
.endm

// address DST, BASE: v[DST:DST+1] is the address of this work-item's element of a buffer.
.macro address dst, base
	v_mov_b32 v[\dst+1], s[\base+1]
	v_add_u32 v[\dst], vcc, s[\base], v0
	v_addc_u32 v[\dst+1], vcc, 0, v[\dst+1], vcc
.endm

	.amdgpu_hsa_kernel vector_add
	kernel vector_add
	guard vector_add_done
	s_load_dwordx4 s[4:7], s[2:3], 0x0  // a, b
	s_load_dwordx2 s[0:1], s[2:3], 0x10 // c
	s_waitcnt lgkmcnt(0)
	address 1, 4
	flat_load_dword v3, v[1:2]
	address 1, 6
	flat_load_dword v4, v[1:2]
	address 1, 0
	s_waitcnt vmcnt(0) & lgkmcnt(0)
	v_add_f32 v3, v3, v4
	flat_store_dword v[1:2], v3
vector_add_done:
	s_endpgm
	.size vector_add, .-vector_add

	.amdgpu_hsa_kernel saxpy
	kernel saxpy
	guard saxpy_done
	s_load_dwordx4 s[4:7], s[2:3], 0x8  // x, y
	s_load_dword s0, s[2:3], 0x0        // a
	s_waitcnt lgkmcnt(0)
	address 1, 4
	flat_load_dword v3, v[1:2]
	address 1, 6
	flat_load_dword v4, v[1:2]
	s_waitcnt vmcnt(0) & lgkmcnt(0)
	v_fma_f32 v3, s0, v3, v4
	flat_store_dword v[1:2], v3
saxpy_done:
	s_endpgm
	.size saxpy, .-saxpy

	.amd_amdgpu_isa "amdgcn-amd-amdhsa--gfx803"
	.amd_amdgpu_hsa_metadata
---
Version:         [ 1, 0 ]
Kernels:
  - Name:            vector_add
    SymbolName:      'vector_add@kd'
    Language:        OpenCL C
    LanguageVersion: [ 2, 0 ]
    Args:
      - Name:            a
        TypeName:        'float*'
        Size:            8
        Align:           8
        ValueKind:       GlobalBuffer
        AddrSpaceQual:   Global
        IsConst:         true
      - Name:            b
        TypeName:        'float*'
        Size:            8
        Align:           8
        ValueKind:       GlobalBuffer
        AddrSpaceQual:   Global
        IsConst:         true
      - Name:            c
        TypeName:        'float*'
        Size:            8
        Align:           8
        ValueKind:       GlobalBuffer
        AddrSpaceQual:   Global
      - Name:            n
        TypeName:        uint
        Size:            4
        Align:           4
        ValueKind:       ByValue
    CodeProps:
      KernargSegmentSize: 28
      GroupSegmentFixedSize: 0
      PrivateSegmentFixedSize: 0
      KernargSegmentAlign: 8
      WavefrontSize:   64
      NumSGPRs:        14
      NumVGPRs:        6
      MaxFlatWorkGroupSize: 256
  - Name:            saxpy
    SymbolName:      'saxpy@kd'
    Language:        OpenCL C
    LanguageVersion: [ 2, 0 ]
    Args:
      - Name:            a
        TypeName:        float
        Size:            4
        Align:           4
        ValueKind:       ByValue
      - Name:            x
        TypeName:        'float*'
        Size:            8
        Align:           8
        ValueKind:       GlobalBuffer
        AddrSpaceQual:   Global
        IsConst:         true
      - Name:            y
        TypeName:        'float*'
        Size:            8
        Align:           8
        ValueKind:       GlobalBuffer
        AddrSpaceQual:   Global
      - Name:            n
        TypeName:        uint
        Size:            4
        Align:           4
        ValueKind:       ByValue
    CodeProps:
      KernargSegmentSize: 28
      GroupSegmentFixedSize: 0
      PrivateSegmentFixedSize: 0
      KernargSegmentAlign: 8
      WavefrontSize:   64
      NumSGPRs:        14
      NumVGPRs:        6
      MaxFlatWorkGroupSize: 256
...
	.end_amd_amdgpu_hsa_metadata
