// Every field of .amd_kernel_code_t, by its names and with values of all bits, and the
// directives of code object version 2 in the forms that people write.
.hsa_code_object_version 2, 0
.hsa_code_object_isa
.text
version = 7
.p2align 8
.globl names
.amdgpu_hsa_kernel names
names:
	.amd_kernel_code_t
		amd_code_version_major = 0x9f767c45
		amd_code_version_minor = 0x4164d839
		amd_machine_kind = 0xbde5
		amd_machine_version_major = 0x5bc8
		amd_machine_version_minor = 0xcb91
		amd_machine_version_stepping = 0xb0c1
		kernel_code_entry_byte_offset = 0x100
		kernel_code_prefetch_byte_size = 0xd76f1446bea
		granulated_workitem_vgpr_count = 0x2f
		granulated_wavefront_sgpr_count = 0xa
		priority = 2
		float_mode = 0x87
		priv = 1
		enable_dx10_clamp = 1
		debug_mode = 1
		enable_ieee_mode = 1
		enable_wgp_mode = 0
		enable_mem_ordered = 0
		enable_fwd_progress = 0
		enable_sgpr_private_segment_wave_byte_offset = 1
		user_sgpr_count = 7
		enable_trap_handler = 1
		enable_sgpr_workgroup_id_x = 1
		enable_sgpr_workgroup_id_y = 1
		enable_sgpr_workgroup_id_z = 1
		enable_sgpr_workgroup_info = 1
		enable_vgpr_workitem_id = 1
		enable_exception_msb = 1
		granulated_lds_size = 0x1bc
		enable_exception = 0x1f
		enable_sgpr_private_segment_buffer = 1
		enable_sgpr_dispatch_ptr = 1
		enable_sgpr_queue_ptr = 1
		enable_sgpr_kernarg_segment_ptr = 1
		enable_sgpr_dispatch_id = 1
		enable_sgpr_flat_scratch_init = 1
		enable_sgpr_private_segment_size = 1
		enable_sgpr_grid_workgroup_count_x = 1
		enable_sgpr_grid_workgroup_count_y = 1
		enable_sgpr_grid_workgroup_count_z = 1
		enable_wavefront_size32 = 0
		enable_ordered_append_gds = 1
		private_element_size = 3
		is_ptr64 = 1
		is_dynamic_callstack = 1
		is_debug_enabled = 1
		is_xnack_enabled = 1
		workitem_private_segment_byte_size = 0xc30d8b76
		workgroup_group_segment_byte_size = 0xcc11d357
		gds_segment_byte_size = 0x126a1e48
		kernarg_segment_byte_size = 0x123456
		workgroup_fbarrier_count = 0x9e115e4b
		wavefront_sgpr_count = 0x71e0
		workitem_vgpr_count = 0x206f
		reserved_vgpr_first = 0x21da
		reserved_vgpr_count = 0x74
		reserved_sgpr_first = 0xf8eb
		reserved_sgpr_count = 0xdf14
		debug_wavefront_private_segment_offset_sgpr = 0x15c
		debug_private_segment_buffer_sgpr = 0x359e
		kernarg_segment_alignment = 0xc6
		group_segment_alignment = 0x37
		private_segment_alignment = 0xf5
		wavefront_size = 6
		call_convention = -5
		runtime_loader_kernel_symbol = 0xdf52a759159
	.end_amd_kernel_code_t
	s_endpgm
	.p2align 8
.globl aliases
.amdgpu_hsa_kernel aliases
aliases:
	.amd_kernel_code_t
		kernel_code_version_major = 0x2a9eba0c
		kernel_code_version_minor = 0x4a0fe75d
		machine_kind = 0x504b
		machine_version_major = 0xf623
		machine_version_minor = 0x32ea
		machine_version_stepping = 0x8a0a
		kernel_code_entry_byte_offset = 0x100
		kernel_code_prefetch_byte_size = 0xad8e049548e
		compute_pgm_rsrc1_vgprs = 0x28
		compute_pgm_rsrc1_sgprs = 3
		compute_pgm_rsrc1_priority = 2
		compute_pgm_rsrc1_float_mode = 0xf0
		compute_pgm_rsrc1_priv = 1
		compute_pgm_rsrc1_dx10_clamp = 1
		compute_pgm_rsrc1_debug_mode = 1
		compute_pgm_rsrc1_ieee_mode = 1
		compute_pgm_rsrc1_wgp_mode = 0
		compute_pgm_rsrc1_mem_ordered = 0
		compute_pgm_rsrc1_fwd_progress = 0
		compute_pgm_rsrc2_scratch_en = 1
		compute_pgm_rsrc2_user_sgpr = 0x1c
		compute_pgm_rsrc2_trap_handler = 1
		compute_pgm_rsrc2_tgid_x_en = 1
		compute_pgm_rsrc2_tgid_y_en = 1
		compute_pgm_rsrc2_tgid_z_en = 1
		compute_pgm_rsrc2_tg_size_en = 1
		compute_pgm_rsrc2_tidig_comp_cnt = 0
		compute_pgm_rsrc2_excp_en_msb = 3
		compute_pgm_rsrc2_lds_size = 0x4a
		compute_pgm_rsrc2_excp_en = 0x21
		enable_sgpr_private_segment_buffer = 1
		enable_sgpr_dispatch_ptr = 1
		enable_sgpr_queue_ptr = 1
		enable_sgpr_kernarg_segment_ptr = 1
		enable_sgpr_dispatch_id = 1
		enable_sgpr_flat_scratch_init = 1
		enable_sgpr_private_segment_size = 1
		enable_sgpr_grid_workgroup_count_x = 1
		enable_sgpr_grid_workgroup_count_y = 1
		enable_sgpr_grid_workgroup_count_z = 1
		enable_wavefront_size32 = 0
		enable_ordered_append_gds = 1
		private_element_size = 0
		is_ptr64 = 1
		is_dynamic_callstack = 1
		is_debug_enabled = 1
		is_xnack_enabled = 1
		workitem_private_segment_byte_size = 0x7b121dc5
		workgroup_group_segment_byte_size = 0xb2489191
		gds_segment_byte_size = 0x50d7d13f
		kernarg_segment_byte_size = 0x123456
		workgroup_fbarrier_count = 0x78f845f5
		wavefront_sgpr_count = 0xb465
		workitem_vgpr_count = 0x2d16
		reserved_vgpr_first = 0xe97
		reserved_vgpr_count = 0x4195
		reserved_sgpr_first = 0xf9a0
		reserved_sgpr_count = 0xf063
		debug_wavefront_private_segment_offset_sgpr = 0x5da
		debug_private_segment_buffer_sgpr = 0xf300
		kernarg_segment_alignment = 0xbf
		group_segment_alignment = 0x5b
		private_segment_alignment = 0xd8
		wavefront_size = 6
		call_convention = -5
		runtime_loader_kernel_symbol = 0x8c804a012e8
	.end_amd_kernel_code_t
	s_endpgm
	.p2align 8
defaults: // not global
.amdgpu_hsa_kernel defaults
.type defaults,@function // says less
.amd_kernel_code_t
.end_amd_kernel_code_t
	s_endpgm
	.p2align 8
.globl expressions
.amdgpu_hsa_kernel expressions
expressions:
  .amd_kernel_code_t
     // comments and empty lines

     kernel_code_entry_byte_offset = 1 << 9 ; two times 256
     max_scratch_backing_memory_byte_size = 0
     is_ptr64=1
     user_sgpr_count  =  version - (1 << 1) /* five */
     call_convention = -1
     workitem_private_segment_byte_size = -1
     reserved_vgpr_first = -3
     kernarg_segment_alignment = -128
  .end_amd_kernel_code_t
  .zero 256
entry:
	s_endpgm
.amd_amdgpu_isa "amdgcn-amd-amdhsa--gfx803"
.data
.quad expressions
