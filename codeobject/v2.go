package codeobject

import (
	"encoding/binary"
	"fmt"
	"strings"

	"example.org/crosslane/diag"
)

// Code objects of version 2, which compilers wrote until 2020 and CLRX still writes. A symbol of
// type STT_AMDGPU_HSA_KERNEL marks an amd_kernel_code_t of 256 bytes, which precedes the kernel's
// code in .text. Notes with the name AMD name the processor, and hold the metadata as YAML.

// KernelCodeSize is the size of an amd_kernel_code_t in bytes.
const KernelCodeSize = 256

// sttKernel is STT_AMDGPU_HSA_KERNEL, the type of a symbol of an amd_kernel_code_t.
const sttKernel = 10

// A KernelCode is an amd_kernel_code_t: the content of a Descriptor, and fields that later versions
// dropped (LLVM's AMDKernelCodeT.h):
//
//	byte  0 version major, minor           byte 52 version of the processor: stepping
//	      8 machine kind, version               56 code_properties
//	     16 kernel_code_entry_byte_offset       60 private, 64 group, 68 GDS bytes
//	     24 prefetch offset, size               72 kernarg bytes
//	     40 max_scratch_backing_memory          80 fbarriers, 84 SGPRs, 86 VGPRs
//	     48 compute_pgm_rsrc1, rsrc2            88 reserved and debugger's registers
//	    100 alignments, wavefront_size         104 call_convention
//	    112 runtime_loader_kernel_symbol       128 control_directives
type KernelCode struct {
	VersionMajor, VersionMinor uint32
	Machine                    [4]uint16 // kind (1: AMDGPU), major, minor, stepping
	PrefetchOffset             int64
	PrefetchSize               uint64
	MaxScratchBacking          uint64
	Properties                 uint32 // code_properties
	GDSSize                    uint32
	KernargSize                uint64
	FBarriers                  uint32
	SGPRs, VGPRs               uint16
	ReservedVGPRs              [2]uint16 // first, count
	ReservedSGPRs              [2]uint16
	DebugSGPRs                 [2]uint16 // wave scratch offset, scratch V#
	KernargAlign, GroupAlign   uint8     // log2
	PrivateAlign               uint8
	WavefrontSize              uint8 // log2
	CallConvention             int32
}

// code_properties: the bits from 0 to 6 are those of kernel_code_properties. Bits 10 to 15 are
// reserved; only drafts of 2015 have there the fields that are now at 16 to 21.
const (
	propUserSGPRs     = 0x7f
	propGridCount     = 7 // bits 7, 8, 9: 1 user SGPR each for x, y, z
	propOrderedAppend = 1 << 16
	propElementSize   = 17 // 2 bits: 2, 4, 8 or 16 bytes
	propPtr64         = 1 << 19
	propDynamicStack  = 1 << 20 // bit 21: is_debug_supported, which has no effect
	propKnown         = 0x3f03ff
)

// DecodeKernelCode decodes an amd_kernel_code_t, and makes the descriptor that starts the kernel in
// the same way. Entry offsets count from the structure.
func DecodeKernelCode(b []byte) (KernelCode, Descriptor, error) {
	var k KernelCode
	if len(b) != KernelCodeSize {
		return k, Descriptor{}, fmt.Errorf("amd_kernel_code_t has %d bytes, expected %d", len(b), KernelCodeSize)
	}
	le := binary.LittleEndian
	k.VersionMajor, k.VersionMinor = le.Uint32(b), le.Uint32(b[4:])
	for i := range k.Machine {
		k.Machine[i] = le.Uint16(b[8+2*i:])
	}
	k.PrefetchOffset, k.PrefetchSize = int64(le.Uint64(b[24:])), le.Uint64(b[32:])
	k.MaxScratchBacking = le.Uint64(b[40:])
	k.Properties = le.Uint32(b[56:])
	k.GDSSize = le.Uint32(b[68:])
	k.KernargSize = le.Uint64(b[72:])
	k.FBarriers, k.SGPRs, k.VGPRs = le.Uint32(b[80:]), le.Uint16(b[84:]), le.Uint16(b[86:])
	for i := range 2 {
		k.ReservedVGPRs[i] = le.Uint16(b[88+2*i:])
		k.ReservedSGPRs[i] = le.Uint16(b[92+2*i:])
		k.DebugSGPRs[i] = le.Uint16(b[96+2*i:])
	}
	k.KernargAlign, k.GroupAlign, k.PrivateAlign, k.WavefrontSize = b[100], b[101], b[102], b[103]
	k.CallConvention = int32(le.Uint32(b[104:]))
	if k.KernargSize > maxAddr {
		return k, Descriptor{}, fmt.Errorf("kernarg_segment_byte_size is %#x", k.KernargSize)
	}
	// The same fields, at their places in a descriptor.
	var d [DescriptorSize]byte
	copy(d[0:4], b[64:])  // group
	copy(d[4:8], b[60:])  // private
	copy(d[8:12], b[72:]) // kernarg
	copy(d[entryByte:entryByte+8], b[16:])
	copy(d[48:56], b[48:56])
	props := k.Properties & propUserSGPRs
	if k.Properties&propDynamicStack != 0 {
		props |= 1 << 11
	}
	le.PutUint16(d[56:], uint16(props))
	desc, err := DecodeDescriptor(d[:])
	desc.GridCountX = k.Properties >> propGridCount & 1
	desc.GridCountY = k.Properties >> (propGridCount + 1) & 1
	desc.GridCountZ = k.Properties >> (propGridCount + 2) & 1
	return k, desc, err
}

// check names a feature of a kernel's code structure that Crosslane lacks, or returns "".
func (k *KernelCode) check(d *Descriptor) string {
	switch {
	case k.VersionMajor > 1:
		return fmt.Sprintf("amd_kernel_code_version is %d.%d, expected 1.x", k.VersionMajor, k.VersionMinor)
	case k.Machine[0] > 1 || !IsTargetVersion(uint32(k.Machine[1]), uint32(k.Machine[2]), uint32(k.Machine[3])):
		return fmt.Sprintf("amd_machine is kind %d, version %d.%d.%d, expected 1, 8.0.3 (%s)", k.Machine[0], k.Machine[1], k.Machine[2], k.Machine[3], Target)
	case k.WavefrontSize != log2Wave:
		return fmt.Sprintf("wavefront_size is 2^%d lanes; %s has 2^%d", k.WavefrontSize, Target, log2Wave)
	case k.Properties&propPtr64 == 0:
		return "is_ptr64 is 0: addresses of 32 bits"
	case k.Properties&propOrderedAppend != 0:
		return "enable_ordered_append_gds is 1"
	case d.PrivateSegmentSize > 0 && k.Properties>>propElementSize&3 != 1:
		return fmt.Sprintf("private_element_size is %d bytes, expected 4", 2<<(k.Properties>>propElementSize&3))
	case k.Properties&^propKnown != 0:
		return fmt.Sprintf("code_properties has reserved bits %#x", k.Properties&^propKnown)
	}
	return ""
}

// headerV2 checks e_flags of version 2: bit 0 XNACK, bit 1 a trap handler. Compilers that wrote
// both versions 2 and 3 have version 3's EF_AMDGPU_MACH here.
func (f *file) headerV2() *diag.Diagnostic {
	switch flags := f.u32(48); {
	case flags&^2 == 0, flags == targetMach:
		return nil
	case flags&^3 == 0:
		return f.otherTarget(48, "e_flags is %#x, xnack on, which %s does not have", flags, Target)
	case flags&^0x3ff == 0:
		return f.otherTarget(48, "target is %s, expected %s", machName(flags&machMask), Target)
	default:
		return f.unsupported(48, "e_flags is %#x, expected 0 or %#x in code object version 2", flags, targetMach)
	}
}

// The types of the notes of version 2. Two more types, NT_AMD_HSA_HSAIL (2) and NT_AMD_HSA_ISA_NAME
// (11), are not for the loader.
const (
	noteV2Version  = 1  // NT_AMD_HSA_CODE_OBJECT_VERSION
	noteV2ISA      = 3  // NT_AMD_HSA_ISA_VERSION
	noteV2Metadata = 10 // NT_AMD_HSA_METADATA
)

// notesV2 reads the notes of version 2.
func (f *file) notesV2(list []note) (*Metadata, *diag.Diagnostic) {
	var meta *Metadata
	for i := range list {
		n := &list[i]
		if n.name != "AMD" {
			continue
		}
		var d *diag.Diagnostic
		switch n.typ {
		case noteV2Version:
			if len(n.desc) < 8 {
				return nil, f.bad(n.at, "note of the code object version has %d bytes, expected 8", len(n.desc))
			}
			if v := f.u32(n.at); v > 2 {
				return nil, f.unsupported(n.at, "note says code object version %d.%d in a file of version 2", v, f.u32(n.at+4))
			}
		case noteV2ISA:
			d = f.isaNote(n)
		case noteV2Metadata:
			if meta != nil {
				return nil, f.bad(n.at, "a second metadata note")
			}
			meta, d = f.metadataV2(n)
		}
		if d != nil {
			return nil, d
		}
	}
	return meta, nil
}

// isaNote checks an NT_AMD_HSA_ISA_VERSION note:
//
//	vendor size 2 | architecture size 2 | major 4 | minor 4 | stepping 4 | names
func (f *file) isaNote(n *note) *diag.Diagnostic {
	if len(n.desc) < 16 {
		return f.bad(n.at, "note of the ISA's version has %d bytes, expected at least 16", len(n.desc))
	}
	v, a := uint64(f.u16(n.at)), uint64(f.u16(n.at+2))
	if v+a > uint64(len(n.desc))-16 {
		return f.bad(n.at, "note of the ISA's version has names of %d and %d bytes, but only %d are left", v, a, len(n.desc)-16)
	}
	vendor := strings.TrimRight(string(n.desc[16:16+v]), "\x00")
	arch := strings.TrimRight(string(n.desc[16+v:16+v+a]), "\x00")
	major, minor, step := f.u32(n.at+4), f.u32(n.at+8), f.u32(n.at+12)
	if vendor != "AMD" || arch != "AMDGPU" || !IsTargetVersion(major, minor, step) {
		return f.otherTarget(n.at, "target is %.20s:%.20s:%d:%d:%d, expected AMD:AMDGPU:8:0:3 (%s)", vendor, arch, major, minor, step, Target)
	}
	return nil
}

// kernelsV2 finds the kernels: every symbol of type STT_AMDGPU_HSA_KERNEL.
func (f *file) kernelsV2(o *Object) *diag.Diagnostic {
	metas := map[string]*KernelMeta{}
	if o.Meta != nil {
		for i := range o.Meta.Kernels {
			metas[o.Meta.Kernels[i].Symbol] = &o.Meta.Kernels[i]
		}
	}
	seen := map[string]bool{}
	for i := range o.Symbols {
		s := &o.Symbols[i]
		if s.Type != sttKernel || !s.Defined() || s.Absolute {
			continue
		}
		if seen[s.Name] {
			return f.bad(0, "two kernels are named %q", s.Name)
		}
		seen[s.Name] = true
		off := f.offsetOf(o, s.Addr)
		b := o.Bytes(s.Addr, KernelCodeSize)
		if b == nil {
			return f.bad(0, "amd_kernel_code_t of %s is at address %#x, which no segment fills", s.Name, s.Addr)
		}
		code, desc, err := DecodeKernelCode(b)
		if err != nil {
			return f.unsupported(off, "%s: %v", s.Name, err)
		}
		if what := code.check(&desc); what != "" {
			d := f.unsupported(off, "%s: %s", s.Name, what)
			if code.Properties&propPtr64 == 0 && strings.HasPrefix(what, "is_ptr64") {
				d.Remedy = "write is_ptr64 = 1 in .amd_kernel_code_t, whose default it is not"
			}
			return d
		}
		k := Kernel{Name: s.Name, Symbol: s.Name, DescriptorAddr: s.Addr, Descriptor: desc, Code: &code, Meta: metas[s.Name]}
		if d := f.entry(o, &k, off); d != nil {
			return d
		}
		if end := s.Addr + s.Size; s.Size > 0 && end > k.Entry {
			k.CodeSize = end - k.Entry
		}
		o.Kernels = append(o.Kernels, k)
	}
	sortKernels(o.Kernels)
	if o.Meta != nil {
		for i := range o.Meta.Kernels {
			if m := &o.Meta.Kernels[i]; !seen[m.Symbol] {
				return f.bad(0, "metadata describe kernel %q, but there is no kernel symbol %q", m.Name, m.Symbol)
			}
		}
	}
	return nil
}
