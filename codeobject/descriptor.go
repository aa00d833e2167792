package codeobject

import (
	"encoding/binary"
	"fmt"
)

// DescriptorSize is the size of a kernel descriptor in bytes.
const DescriptorSize = 64

// A Descriptor is a kernel descriptor with all its fields decoded (AMDGPUUsage, "Kernel
// Descriptor", for GFX6-GFX8):
//
//	byte  0 group_segment_fixed_size     byte 44 compute_pgm_rsrc3 (0 on GFX8)
//	      4 private_segment_fixed_size        48 compute_pgm_rsrc1
//	      8 kernarg_size                      52 compute_pgm_rsrc2
//	     12 reserved                          56 kernel_code_properties (16 bits)
//	     16 kernel_code_entry_byte_offset     58 kernarg_preload (0 on GFX8)
//	     24 reserved                          60 reserved
//
// Reserved bits are zero: a descriptor with another value is for a newer processor.
type Descriptor struct {
	GroupSegmentSize   uint32 // bytes of LDS of a workgroup, without dynamic LDS
	PrivateSegmentSize uint32 // bytes of scratch of a work-item
	KernargSize        uint32 // bytes; 0 also means "not stated"
	EntryOffset        int64  // bytes from the descriptor to the first instruction

	// compute_pgm_rsrc1
	GranulatedVGPRs uint32 // VGPRs / 4 - 1
	GranulatedSGPRs uint32 // SGPRs / 8 - 1, VCC, FLAT_SCRATCH and XNACK_MASK included
	Priority        uint32
	FloatModes
	Priv      uint32
	DebugMode uint32
	Bulky     uint32
	CDBGUser  uint32

	// compute_pgm_rsrc2
	UserSGPRs   uint32
	TrapHandler uint32
	WorkgroupSGPRs
	WorkitemID    uint32 // 0: x in v0; 1: and y in v1; 2: and z in v2
	GranulatedLDS uint32
	TrapEnables

	// kernel_code_properties
	UserSGPRValues
	WavefrontSize32  uint32
	UsesDynamicStack uint32
}

// FloatModes are the initial modes of the arithmetic.
type FloatModes struct {
	FloatRound32     uint32 // 0 nearest even, 1 +inf, 2 -inf, 3 zero
	FloatRound16_64  uint32
	FloatDenorm32    uint32 // bit 0: sources, bit 1: destinations keep denormals
	FloatDenorm16_64 uint32
	DX10Clamp        uint32
	IEEEMode         uint32
}

// WorkgroupSGPRs are the values of a wavefront's workgroup that SGPRs hold at the start, after the user
// SGPRs.
type WorkgroupSGPRs struct {
	PrivateSegment uint32 // the wavefront's scratch offset
	WorkgroupIDX   uint32
	WorkgroupIDY   uint32
	WorkgroupIDZ   uint32
	WorkgroupInfo  uint32
}

// TrapEnables are the exceptions that call the trap handler.
type TrapEnables struct {
	AddressWatch     uint32
	MemoryViolation  uint32
	ExceptInvalid    uint32
	ExceptDenorm     uint32
	ExceptDivZero    uint32
	ExceptOverflow   uint32
	ExceptUnderflow  uint32
	ExceptInexact    uint32
	ExceptIntDivZero uint32
}

// UserSGPRValues are the values that user SGPRs hold at the start, in this order.
type UserSGPRValues struct {
	UsePrivateBuffer uint32 // 4 user SGPRs
	UseDispatchPtr   uint32 // 2 user SGPRs
	UseQueuePtr      uint32 // 2 user SGPRs
	UseKernargPtr    uint32 // 2 user SGPRs
	UseDispatchID    uint32 // 2 user SGPRs
	UseFlatScratch   uint32 // 2 user SGPRs
	UsePrivateSize   uint32 // 1 user SGPR

	// Only in code object version 2, and in no field of the 64 bytes: a user SGPR with the number
	// of workgroups.
	GridCountX, GridCountY, GridCountZ uint32
}

// A Field is one bit field of a descriptor.
type Field struct {
	Name   string // as the manual spells it
	Byte   int    // byte of the 32-bit word that holds it
	Lo     int    // lowest bit
	Width  int
	Value  uint32
	target *uint32
}

// Fields lists the bit fields of the descriptor, lowest first, with their values.
func (d *Descriptor) Fields() []Field {
	f := []Field{
		{Name: "group_segment_fixed_size", Byte: 0, Width: 32, target: &d.GroupSegmentSize},
		{Name: "private_segment_fixed_size", Byte: 4, Width: 32, target: &d.PrivateSegmentSize},
		{Name: "kernarg_size", Byte: 8, Width: 32, target: &d.KernargSize},

		{Name: "granulated_workitem_vgpr_count", Byte: 48, Lo: 0, Width: 6, target: &d.GranulatedVGPRs},
		{Name: "granulated_wavefront_sgpr_count", Byte: 48, Lo: 6, Width: 4, target: &d.GranulatedSGPRs},
		{Name: "priority", Byte: 48, Lo: 10, Width: 2, target: &d.Priority},
		{Name: "float_round_mode_32", Byte: 48, Lo: 12, Width: 2, target: &d.FloatRound32},
		{Name: "float_round_mode_16_64", Byte: 48, Lo: 14, Width: 2, target: &d.FloatRound16_64},
		{Name: "float_denorm_mode_32", Byte: 48, Lo: 16, Width: 2, target: &d.FloatDenorm32},
		{Name: "float_denorm_mode_16_64", Byte: 48, Lo: 18, Width: 2, target: &d.FloatDenorm16_64},
		{Name: "priv", Byte: 48, Lo: 20, Width: 1, target: &d.Priv},
		{Name: "enable_dx10_clamp", Byte: 48, Lo: 21, Width: 1, target: &d.DX10Clamp},
		{Name: "debug_mode", Byte: 48, Lo: 22, Width: 1, target: &d.DebugMode},
		{Name: "enable_ieee_mode", Byte: 48, Lo: 23, Width: 1, target: &d.IEEEMode},
		{Name: "bulky", Byte: 48, Lo: 24, Width: 1, target: &d.Bulky},
		{Name: "cdbg_user", Byte: 48, Lo: 25, Width: 1, target: &d.CDBGUser},

		{Name: "enable_private_segment", Byte: 52, Lo: 0, Width: 1, target: &d.PrivateSegment},
		{Name: "user_sgpr_count", Byte: 52, Lo: 1, Width: 5, target: &d.UserSGPRs},
		{Name: "enable_trap_handler", Byte: 52, Lo: 6, Width: 1, target: &d.TrapHandler},
		{Name: "enable_sgpr_workgroup_id_x", Byte: 52, Lo: 7, Width: 1, target: &d.WorkgroupIDX},
		{Name: "enable_sgpr_workgroup_id_y", Byte: 52, Lo: 8, Width: 1, target: &d.WorkgroupIDY},
		{Name: "enable_sgpr_workgroup_id_z", Byte: 52, Lo: 9, Width: 1, target: &d.WorkgroupIDZ},
		{Name: "enable_sgpr_workgroup_info", Byte: 52, Lo: 10, Width: 1, target: &d.WorkgroupInfo},
		{Name: "enable_vgpr_workitem_id", Byte: 52, Lo: 11, Width: 2, target: &d.WorkitemID},
		{Name: "enable_exception_address_watch", Byte: 52, Lo: 13, Width: 1, target: &d.AddressWatch},
		{Name: "enable_exception_memory", Byte: 52, Lo: 14, Width: 1, target: &d.MemoryViolation},
		{Name: "granulated_lds_size", Byte: 52, Lo: 15, Width: 9, target: &d.GranulatedLDS},
		{Name: "enable_exception_ieee_754_fp_invalid_operation", Byte: 52, Lo: 24, Width: 1, target: &d.ExceptInvalid},
		{Name: "enable_exception_fp_denormal_source", Byte: 52, Lo: 25, Width: 1, target: &d.ExceptDenorm},
		{Name: "enable_exception_ieee_754_fp_division_by_zero", Byte: 52, Lo: 26, Width: 1, target: &d.ExceptDivZero},
		{Name: "enable_exception_ieee_754_fp_overflow", Byte: 52, Lo: 27, Width: 1, target: &d.ExceptOverflow},
		{Name: "enable_exception_ieee_754_fp_underflow", Byte: 52, Lo: 28, Width: 1, target: &d.ExceptUnderflow},
		{Name: "enable_exception_ieee_754_fp_inexact", Byte: 52, Lo: 29, Width: 1, target: &d.ExceptInexact},
		{Name: "enable_exception_int_divide_by_zero", Byte: 52, Lo: 30, Width: 1, target: &d.ExceptIntDivZero},

		{Name: "enable_sgpr_private_segment_buffer", Byte: 56, Lo: 0, Width: 1, target: &d.UsePrivateBuffer},
		{Name: "enable_sgpr_dispatch_ptr", Byte: 56, Lo: 1, Width: 1, target: &d.UseDispatchPtr},
		{Name: "enable_sgpr_queue_ptr", Byte: 56, Lo: 2, Width: 1, target: &d.UseQueuePtr},
		{Name: "enable_sgpr_kernarg_segment_ptr", Byte: 56, Lo: 3, Width: 1, target: &d.UseKernargPtr},
		{Name: "enable_sgpr_dispatch_id", Byte: 56, Lo: 4, Width: 1, target: &d.UseDispatchID},
		{Name: "enable_sgpr_flat_scratch_init", Byte: 56, Lo: 5, Width: 1, target: &d.UseFlatScratch},
		{Name: "enable_sgpr_private_segment_size", Byte: 56, Lo: 6, Width: 1, target: &d.UsePrivateSize},
		{Name: "enable_wavefront_size32", Byte: 56, Lo: 10, Width: 1, target: &d.WavefrontSize32},
		{Name: "uses_dynamic_stack", Byte: 56, Lo: 11, Width: 1, target: &d.UsesDynamicStack},
	}
	for i := range f {
		f[i].Value = *f[i].target
	}
	return f
}

func (f *Field) mask() uint32 { return uint32(1<<f.Width-1) << f.Lo }

// entryByte is the byte of kernel_code_entry_byte_offset.
const entryByte = 16

// DecodeDescriptor decodes the 64 bytes of a kernel descriptor. If a reserved bit is set, the error
// names its byte and bits.
func DecodeDescriptor(b []byte) (Descriptor, error) {
	var d Descriptor
	if len(b) != DescriptorSize {
		return d, fmt.Errorf("kernel descriptor has %d bytes, expected %d", len(b), DescriptorSize)
	}
	var known [DescriptorSize / 4]uint32
	known[entryByte/4], known[entryByte/4+1] = ^uint32(0), ^uint32(0)
	d.EntryOffset = int64(binary.LittleEndian.Uint64(b[entryByte:]))
	for _, f := range d.Fields() {
		known[f.Byte/4] |= f.mask()
		*f.target = binary.LittleEndian.Uint32(b[f.Byte:]) & f.mask() >> f.Lo
	}
	for i, k := range known {
		if w := binary.LittleEndian.Uint32(b[4*i:]); w&^k != 0 {
			return d, fmt.Errorf("kernel descriptor has reserved bits %#x set in the word at byte %d, expected 0 on %s", w&^k, 4*i, Target)
		}
	}
	return d, nil
}

// Encode is the inverse of DecodeDescriptor. Values that are too wide for their field are
// truncated.
func (d Descriptor) Encode() [DescriptorSize]byte {
	var b [DescriptorSize]byte
	binary.LittleEndian.PutUint64(b[entryByte:], uint64(d.EntryOffset))
	for _, f := range d.Fields() {
		w := binary.LittleEndian.Uint32(b[f.Byte:])
		binary.LittleEndian.PutUint32(b[f.Byte:], w|f.Value<<f.Lo&f.mask())
	}
	return b
}

// VGPRs returns the number of VGPRs of a work-item, rounded up to the granule of 4.
func (d *Descriptor) VGPRs() int { return 4 * (int(d.GranulatedVGPRs) + 1) }

// SGPRs returns the number of SGPRs of a wavefront, rounded up to the granule of 8. If the kernel
// reserved them, it includes the 2 of VCC, 2 of XNACK_MASK and 2 of FLAT_SCRATCH at its end. A
// count above the number of existing SGPRs yields all of them: AMD's examples request 128.
func (d *Descriptor) SGPRs() int { return min(8*(int(d.GranulatedSGPRs)+1), maxSGPRs) }

// The largest numbers of registers (AMDGPUUsage, compute_pgm_rsrc1 for GFX6-GFX8; "Initial Kernel
// Execution State").
const (
	maxSGPRs     = 112
	maxUserSGPRs = 16
)

// unsupported names a feature that a kernel requests and Crosslane lacks, or returns "".
func (d *Descriptor) unsupported() string {
	switch {
	case d.WavefrontSize32 != 0:
		return "wavefronts of 32 lanes; " + Target + " has 64"
	case d.Priv != 0:
		return "priv is 1: it starts in a trap handler's mode"
	case d.DebugMode != 0:
		return "debug_mode is 1: it is executed in single steps"
	}
	return ""
}

// impossible names a request that no hardware can meet, or returns "".
func (d *Descriptor) impossible() string {
	need := min(d.enabledUserSGPRs(), maxUserSGPRs)
	switch {
	case d.UserSGPRs > maxUserSGPRs:
		return fmt.Sprintf("user_sgpr_count is %d, more than %d", d.UserSGPRs, maxUserSGPRs)
	case d.UserSGPRs < need:
		return fmt.Sprintf("user_sgpr_count is %d, but the values that are enabled need %d", d.UserSGPRs, need)
	case d.WorkitemID > 2:
		return "enable_vgpr_workitem_id is 3, which is undefined"
	}
	return ""
}

// enabledUserSGPRs returns the number of user SGPRs that the enabled values need.
func (d *Descriptor) enabledUserSGPRs() uint32 {
	pairs := d.UseDispatchPtr + d.UseQueuePtr + d.UseKernargPtr + d.UseDispatchID + d.UseFlatScratch
	return 4*d.UsePrivateBuffer + 2*pairs + d.UsePrivateSize + d.GridCountX + d.GridCountY + d.GridCountZ
}

// Exceptions returns the enabled floating-point and integer exceptions, in the order of
// MODE.EXCP_EN.
func (d *Descriptor) Exceptions() uint8 {
	var v uint8
	for i, b := range [...]uint32{d.ExceptInvalid, d.ExceptDenorm, d.ExceptDivZero, d.ExceptOverflow, d.ExceptUnderflow, d.ExceptInexact, d.ExceptIntDivZero} {
		v |= uint8(b) << i
	}
	return v
}
