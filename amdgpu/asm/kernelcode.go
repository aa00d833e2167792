package asm

import (
	"encoding/binary"
	"fmt"
	"strings"

	"example.org/crosslane/amdgpu"
)

// KernelCodeSize is the size in bytes of an amd_kernel_code_t, which precedes the code of a kernel
// in code object version 2.
const KernelCodeSize = 256

// A codeField is one field of .amd_kernel_code_t, by its names in LLVM's assembler and its place in
// LLVM's AMDKernelCodeT.h.
type codeField struct {
	name   string
	alias  string // another name that the assembler accepts
	at     int    // byte
	lo     int    // lowest bit of a bit field; bit fields accept no negative number
	width  int    // in bits
	bits   bool
	signed bool   // printed as a signed number
	def    int64  // LLVM's default (initDefaultAMDKernelCodeT)
	only   string // the reason why only the default value is allowed
}

const (
	codeRsrc1 = 48
	codeRsrc2 = 52
	codeProps = 56

	fromGFX10 = "%s does not have: it came with gfx10"
)

// codeFields lists the fields in the order in which compilers print them. Never written.
var codeFields = [...]codeField{
	{name: "amd_code_version_major", alias: "kernel_code_version_major", at: 0, width: 32, def: 1},
	{name: "amd_code_version_minor", alias: "kernel_code_version_minor", at: 4, width: 32, def: 2},
	{name: "amd_machine_kind", alias: "machine_kind", at: 8, width: 16, def: 1},
	{name: "amd_machine_version_major", alias: "machine_version_major", at: 10, width: 16},
	{name: "amd_machine_version_minor", alias: "machine_version_minor", at: 12, width: 16},
	{name: "amd_machine_version_stepping", alias: "machine_version_stepping", at: 14, width: 16},
	{name: "kernel_code_entry_byte_offset", at: 16, width: 64, signed: true, def: KernelCodeSize},
	{name: "kernel_code_prefetch_byte_size", at: 32, width: 64},
	{name: scratchBacking, at: 40, width: 64},

	{name: "granulated_workitem_vgpr_count", alias: "compute_pgm_rsrc1_vgprs", at: codeRsrc1, width: 6, bits: true},
	{name: "granulated_wavefront_sgpr_count", alias: "compute_pgm_rsrc1_sgprs", at: codeRsrc1, lo: 6, width: 4, bits: true},
	{name: "priority", alias: "compute_pgm_rsrc1_priority", at: codeRsrc1, lo: 10, width: 2, bits: true},
	{name: "float_mode", alias: "compute_pgm_rsrc1_float_mode", at: codeRsrc1, lo: 12, width: 8, bits: true},
	{name: "priv", alias: "compute_pgm_rsrc1_priv", at: codeRsrc1, lo: 20, width: 1, bits: true},
	{name: "enable_dx10_clamp", alias: "compute_pgm_rsrc1_dx10_clamp", at: codeRsrc1, lo: 21, width: 1, bits: true},
	{name: "debug_mode", alias: "compute_pgm_rsrc1_debug_mode", at: codeRsrc1, lo: 22, width: 1, bits: true},
	{name: "enable_ieee_mode", alias: "compute_pgm_rsrc1_ieee_mode", at: codeRsrc1, lo: 23, width: 1, bits: true},
	{name: "enable_wgp_mode", alias: "compute_pgm_rsrc1_wgp_mode", at: codeRsrc1, lo: 29, width: 1, bits: true, only: fromGFX10},
	{name: "enable_mem_ordered", alias: "compute_pgm_rsrc1_mem_ordered", at: codeRsrc1, lo: 30, width: 1, bits: true, only: fromGFX10},
	{name: "enable_fwd_progress", alias: "compute_pgm_rsrc1_fwd_progress", at: codeRsrc1, lo: 31, width: 1, bits: true, only: fromGFX10},

	{name: "enable_sgpr_private_segment_wave_byte_offset", alias: "compute_pgm_rsrc2_scratch_en", at: codeRsrc2, width: 1, bits: true},
	{name: "user_sgpr_count", alias: "compute_pgm_rsrc2_user_sgpr", at: codeRsrc2, lo: 1, width: 5, bits: true},
	{name: "enable_trap_handler", alias: "compute_pgm_rsrc2_trap_handler", at: codeRsrc2, lo: 6, width: 1, bits: true},
	{name: "enable_sgpr_workgroup_id_x", alias: "compute_pgm_rsrc2_tgid_x_en", at: codeRsrc2, lo: 7, width: 1, bits: true},
	{name: "enable_sgpr_workgroup_id_y", alias: "compute_pgm_rsrc2_tgid_y_en", at: codeRsrc2, lo: 8, width: 1, bits: true},
	{name: "enable_sgpr_workgroup_id_z", alias: "compute_pgm_rsrc2_tgid_z_en", at: codeRsrc2, lo: 9, width: 1, bits: true},
	{name: "enable_sgpr_workgroup_info", alias: "compute_pgm_rsrc2_tg_size_en", at: codeRsrc2, lo: 10, width: 1, bits: true},
	{name: "enable_vgpr_workitem_id", alias: "compute_pgm_rsrc2_tidig_comp_cnt", at: codeRsrc2, lo: 11, width: 2, bits: true},
	{name: "enable_exception_msb", alias: "compute_pgm_rsrc2_excp_en_msb", at: codeRsrc2, lo: 13, width: 2, bits: true},
	{name: "granulated_lds_size", alias: "compute_pgm_rsrc2_lds_size", at: codeRsrc2, lo: 15, width: 9, bits: true},
	{name: "enable_exception", alias: "compute_pgm_rsrc2_excp_en", at: codeRsrc2, lo: 24, width: 7, bits: true},

	{name: "enable_sgpr_private_segment_buffer", at: codeProps, width: 1, bits: true},
	{name: "enable_sgpr_dispatch_ptr", at: codeProps, lo: 1, width: 1, bits: true},
	{name: "enable_sgpr_queue_ptr", at: codeProps, lo: 2, width: 1, bits: true},
	{name: "enable_sgpr_kernarg_segment_ptr", at: codeProps, lo: 3, width: 1, bits: true},
	{name: "enable_sgpr_dispatch_id", at: codeProps, lo: 4, width: 1, bits: true},
	{name: "enable_sgpr_flat_scratch_init", at: codeProps, lo: 5, width: 1, bits: true},
	{name: "enable_sgpr_private_segment_size", at: codeProps, lo: 6, width: 1, bits: true},
	{name: "enable_sgpr_grid_workgroup_count_x", at: codeProps, lo: 7, width: 1, bits: true},
	{name: "enable_sgpr_grid_workgroup_count_y", at: codeProps, lo: 8, width: 1, bits: true},
	{name: "enable_sgpr_grid_workgroup_count_z", at: codeProps, lo: 9, width: 1, bits: true},
	{name: "enable_wavefront_size32", at: codeProps, lo: 10, width: 1, bits: true, only: fromGFX10},
	{name: "enable_ordered_append_gds", at: codeProps, lo: 16, width: 1, bits: true},
	{name: "private_element_size", at: codeProps, lo: 17, width: 2, bits: true},
	{name: "is_ptr64", at: codeProps, lo: 19, width: 1, bits: true},
	{name: "is_dynamic_callstack", at: codeProps, lo: 20, width: 1, bits: true},
	{name: "is_debug_enabled", at: codeProps, lo: 21, width: 1, bits: true},
	{name: "is_xnack_enabled", at: codeProps, lo: 22, width: 1, bits: true},

	{name: "workitem_private_segment_byte_size", at: 60, width: 32},
	{name: "workgroup_group_segment_byte_size", at: 64, width: 32},
	{name: "gds_segment_byte_size", at: 68, width: 32},
	{name: "kernarg_segment_byte_size", at: 72, width: 64},
	{name: "workgroup_fbarrier_count", at: 80, width: 32},
	{name: "wavefront_sgpr_count", at: 84, width: 16},
	{name: "workitem_vgpr_count", at: 86, width: 16},
	{name: "reserved_vgpr_first", at: 88, width: 16},
	{name: "reserved_vgpr_count", at: 90, width: 16},
	{name: "reserved_sgpr_first", at: 92, width: 16},
	{name: "reserved_sgpr_count", at: 94, width: 16},
	{name: "debug_wavefront_private_segment_offset_sgpr", at: 96, width: 16},
	{name: "debug_private_segment_buffer_sgpr", at: 98, width: 16},
	{name: "kernarg_segment_alignment", at: 100, width: 8, def: 4},
	{name: "group_segment_alignment", at: 101, width: 8, def: 4},
	{name: "private_segment_alignment", at: 102, width: 8, def: 4},
	{name: "wavefront_size", at: 103, width: 8, def: 6, only: "%s does not have: a wavefront has 2 to the power 6 lanes"},
	{name: "call_convention", at: 104, width: 32, signed: true, def: -1},
	{name: "runtime_loader_kernel_symbol", at: 120, width: 64},
}

// scratchBacking is a field that compilers no longer print and LLVM no longer reads: since version
// 6, LLVM ignores its value. It keeps its place here.
const scratchBacking = "max_scratch_backing_memory_byte_size"

// codeFieldNamed finds a field by either name.
func codeFieldNamed(name string) *codeField {
	for i := range codeFields {
		if f := &codeFields[i]; f.name == name || f.alias == name && name != "" {
			return f
		}
	}
	return nil
}

// word returns the 64 bits at the field's byte, of a structure of KernelCodeSize bytes.
func (f *codeField) word(b []byte) uint64 {
	return binary.LittleEndian.Uint64(b[f.at:])
}

func (f *codeField) mask() uint64 { return ^uint64(0) >> (64 - f.width) }

func (f *codeField) put(b []byte, v int64) {
	m := f.mask() << f.lo
	binary.LittleEndian.PutUint64(b[f.at:], f.word(b)&^m|uint64(v)<<f.lo&m)
}

func (f *codeField) get(b []byte) uint64 { return f.word(b) >> f.lo & f.mask() }

// least returns the smallest number that the field accepts: whole words accept negative numbers.
func (f *codeField) least() int64 {
	if f.bits {
		return 0
	}
	return -1 << (f.width - 1)
}

// fits reports whether the field holds the number.
func (f *codeField) fits(v int64) bool {
	return f.width == 64 || v >= f.least() && (v < 0 || uint64(v) <= f.mask())
}

// defaultKernelCode returns the structure of a block without fields.
func defaultKernelCode(t *amdgpu.Target) []byte {
	b := make([]byte, KernelCodeSize)
	for i := range codeFields {
		codeFields[i].put(b, codeFields[i].def)
	}
	for i, part := range []string{"major", "minor", "stepping"} {
		codeFieldNamed("amd_machine_version_"+part).put(b, int64(t.Version[i]))
	}
	return b
}

// kernelCodeKnown reports whether a block can express these bytes: no bit is without a name, and
// the assembler accepts all values.
func kernelCodeKnown(b []byte) bool {
	var known [KernelCodeSize]byte
	for i := range codeFields {
		f := &codeFields[i]
		v := f.get(b)
		if f.only != "" && v != uint64(f.def) {
			return false
		}
		f.put(known[:], int64(v))
	}
	return string(known[:]) == string(b)
}

// kernelCodeText returns the block of a structure for which kernelCodeKnown reports true.
func kernelCodeText(b []byte) string {
	var s strings.Builder
	s.WriteString("\t.amd_kernel_code_t\n")
	for i := range codeFields {
		f := &codeFields[i]
		v := f.get(b)
		if f.only == fromGFX10 || f.name == scratchBacking && v == 0 {
			continue
		}
		if f.signed || f.width == 64 {
			shift := 64 - f.width
			fmt.Fprintf(&s, "\t\t%s = %d\n", f.name, int64(v<<shift)>>shift)
		} else {
			fmt.Fprintf(&s, "\t\t%s = %d\n", f.name, v)
		}
	}
	s.WriteString("\t.end_amd_kernel_code_t\n")
	return s.String()
}
