package asm

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
)

// KernelDescSize is the size of a kernel descriptor in bytes.
const KernelDescSize = 64

// A KernelDesc is an .amdhsa_kernel block: one field for each directive of gfx8. A field that the
// block does not give has LLVM's default (AMDGPUUsage, ".amdhsa_kernel"). Sizes are in bytes.
type KernelDesc struct {
	Name    string
	Section int    // section of the descriptor
	Offset  uint64 // in the section

	GroupSegmentSize   uint32
	PrivateSegmentSize uint32
	KernargSize        uint32

	UserSGPRFields
	UsesDynamicStack uint32
	SystemRegisters

	NextFreeVGPR       uint32 // number of VGPRs used
	NextFreeSGPR       uint32 // number of SGPRs used, the reserved ones not included
	ReserveVCC         uint32
	ReserveFlatScratch uint32
	ReserveXNACKMask   uint32

	FloatModes
	TrapEnables

	explicitUserSGPRCount bool
	target                *amdgpu.Target // nil: amdgpu.GFX803
}

// UserSGPRFields say which values the user SGPRs hold at the start.
type UserSGPRFields struct {
	UserSGPRCount                uint32
	UserSGPRPrivateSegmentBuffer uint32
	UserSGPRDispatchPtr          uint32
	UserSGPRQueuePtr             uint32
	UserSGPRKernargSegmentPtr    uint32
	UserSGPRDispatchID           uint32
	UserSGPRFlatScratchInit      uint32
	UserSGPRPrivateSegmentSize   uint32
}

// SystemRegisters say which values the registers after the user SGPRs, and the first VGPRs, hold at the
// start.
type SystemRegisters struct {
	SystemSGPRPrivateSegmentWavefrontOffset uint32
	SystemSGPRWorkgroupIDX                  uint32
	SystemSGPRWorkgroupIDY                  uint32
	SystemSGPRWorkgroupIDZ                  uint32
	SystemSGPRWorkgroupInfo                 uint32
	SystemVGPRWorkitemID                    uint32
}

// FloatModes are the initial modes of the arithmetic.
type FloatModes struct {
	FloatRoundMode32     uint32
	FloatRoundMode16_64  uint32
	FloatDenormMode32    uint32
	FloatDenormMode16_64 uint32
	DX10Clamp            uint32
	IEEEMode             uint32
}

// TrapEnables are the exceptions that call the trap handler.
type TrapEnables struct {
	ExceptionFPIEEEInvalidOp uint32
	ExceptionFPDenormSrc     uint32
	ExceptionFPIEEEDivZero   uint32
	ExceptionFPIEEEOverflow  uint32
	ExceptionFPIEEEUnderflow uint32
	ExceptionFPIEEEInexact   uint32
	ExceptionIntDivZero      uint32
}

// A kernelRow is one .amdhsa_ directive.
type kernelRow struct {
	name  string // after .amdhsa_
	at    int    // byte of the 32-bit word in the descriptor; -1: computed
	lo    int    // lowest bit
	width int
	def   uint32
	user  uint32 // number of user SGPRs that it occupies
	get   func(*KernelDesc) *uint32
}

// Bytes of the descriptor's words.
const (
	atNone  = -1
	atRsrc1 = 48
	atRsrc2 = 52
	atProps = 56
	atEntry = 16
)

// kernelRows lists the directives in the order in which compilers print them.
func kernelRows() []kernelRow { return kernelTable[:] }

// kernelTable is never written.
var kernelTable = [...]kernelRow{
	{"group_segment_fixed_size", 0, 0, 32, 0, 0, func(k *KernelDesc) *uint32 { return &k.GroupSegmentSize }},
	{"private_segment_fixed_size", 4, 0, 32, 0, 0, func(k *KernelDesc) *uint32 { return &k.PrivateSegmentSize }},
	{"kernarg_size", 8, 0, 32, 0, 0, func(k *KernelDesc) *uint32 { return &k.KernargSize }},
	{"user_sgpr_count", atRsrc2, 1, 5, 0, 0, func(k *KernelDesc) *uint32 { return &k.UserSGPRCount }},
	{"user_sgpr_private_segment_buffer", atProps, 0, 1, 0, 4, func(k *KernelDesc) *uint32 { return &k.UserSGPRPrivateSegmentBuffer }},
	{"user_sgpr_dispatch_ptr", atProps, 1, 1, 0, 2, func(k *KernelDesc) *uint32 { return &k.UserSGPRDispatchPtr }},
	{"user_sgpr_queue_ptr", atProps, 2, 1, 0, 2, func(k *KernelDesc) *uint32 { return &k.UserSGPRQueuePtr }},
	{"user_sgpr_kernarg_segment_ptr", atProps, 3, 1, 0, 2, func(k *KernelDesc) *uint32 { return &k.UserSGPRKernargSegmentPtr }},
	{"user_sgpr_dispatch_id", atProps, 4, 1, 0, 2, func(k *KernelDesc) *uint32 { return &k.UserSGPRDispatchID }},
	{"user_sgpr_flat_scratch_init", atProps, 5, 1, 0, 2, func(k *KernelDesc) *uint32 { return &k.UserSGPRFlatScratchInit }},
	{"user_sgpr_private_segment_size", atProps, 6, 1, 0, 1, func(k *KernelDesc) *uint32 { return &k.UserSGPRPrivateSegmentSize }},
	{"uses_dynamic_stack", atProps, 11, 1, 0, 0, func(k *KernelDesc) *uint32 { return &k.UsesDynamicStack }},
	{"system_sgpr_private_segment_wavefront_offset", atRsrc2, 0, 1, 0, 0, func(k *KernelDesc) *uint32 { return &k.SystemSGPRPrivateSegmentWavefrontOffset }},
	{"system_sgpr_workgroup_id_x", atRsrc2, 7, 1, 1, 0, func(k *KernelDesc) *uint32 { return &k.SystemSGPRWorkgroupIDX }},
	{"system_sgpr_workgroup_id_y", atRsrc2, 8, 1, 0, 0, func(k *KernelDesc) *uint32 { return &k.SystemSGPRWorkgroupIDY }},
	{"system_sgpr_workgroup_id_z", atRsrc2, 9, 1, 0, 0, func(k *KernelDesc) *uint32 { return &k.SystemSGPRWorkgroupIDZ }},
	{"system_sgpr_workgroup_info", atRsrc2, 10, 1, 0, 0, func(k *KernelDesc) *uint32 { return &k.SystemSGPRWorkgroupInfo }},
	{"system_vgpr_workitem_id", atRsrc2, 11, 2, 0, 0, func(k *KernelDesc) *uint32 { return &k.SystemVGPRWorkitemID }},
	{"next_free_vgpr", atNone, 0, 32, 0, 0, func(k *KernelDesc) *uint32 { return &k.NextFreeVGPR }},
	{"next_free_sgpr", atNone, 0, 32, 0, 0, func(k *KernelDesc) *uint32 { return &k.NextFreeSGPR }},
	{"reserve_vcc", atNone, 0, 1, 1, 0, func(k *KernelDesc) *uint32 { return &k.ReserveVCC }},
	{"reserve_flat_scratch", atNone, 0, 1, 1, 0, func(k *KernelDesc) *uint32 { return &k.ReserveFlatScratch }},
	{"reserve_xnack_mask", atNone, 0, 1, 0, 0, func(k *KernelDesc) *uint32 { return &k.ReserveXNACKMask }},
	{"float_round_mode_32", atRsrc1, 12, 2, 0, 0, func(k *KernelDesc) *uint32 { return &k.FloatRoundMode32 }},
	{"float_round_mode_16_64", atRsrc1, 14, 2, 0, 0, func(k *KernelDesc) *uint32 { return &k.FloatRoundMode16_64 }},
	{"float_denorm_mode_32", atRsrc1, 16, 2, 0, 0, func(k *KernelDesc) *uint32 { return &k.FloatDenormMode32 }},
	{"float_denorm_mode_16_64", atRsrc1, 18, 2, 3, 0, func(k *KernelDesc) *uint32 { return &k.FloatDenormMode16_64 }},
	{"dx10_clamp", atRsrc1, 21, 1, 1, 0, func(k *KernelDesc) *uint32 { return &k.DX10Clamp }},
	{"ieee_mode", atRsrc1, 23, 1, 1, 0, func(k *KernelDesc) *uint32 { return &k.IEEEMode }},
	{"exception_fp_ieee_invalid_op", atRsrc2, 24, 1, 0, 0, func(k *KernelDesc) *uint32 { return &k.ExceptionFPIEEEInvalidOp }},
	{"exception_fp_denorm_src", atRsrc2, 25, 1, 0, 0, func(k *KernelDesc) *uint32 { return &k.ExceptionFPDenormSrc }},
	{"exception_fp_ieee_div_zero", atRsrc2, 26, 1, 0, 0, func(k *KernelDesc) *uint32 { return &k.ExceptionFPIEEEDivZero }},
	{"exception_fp_ieee_overflow", atRsrc2, 27, 1, 0, 0, func(k *KernelDesc) *uint32 { return &k.ExceptionFPIEEEOverflow }},
	{"exception_fp_ieee_underflow", atRsrc2, 28, 1, 0, 0, func(k *KernelDesc) *uint32 { return &k.ExceptionFPIEEEUnderflow }},
	{"exception_fp_ieee_inexact", atRsrc2, 29, 1, 0, 0, func(k *KernelDesc) *uint32 { return &k.ExceptionFPIEEEInexact }},
	{"exception_int_div_zero", atRsrc2, 30, 1, 0, 0, func(k *KernelDesc) *uint32 { return &k.ExceptionIntDivZero }},
}

// extraSGPRs returns the number of SGPRs after those that a kernel numbers.
func extraSGPRs(t *amdgpu.Target, vcc, flatScratch, xnack bool) int64 {
	switch k := &t.Kernel; {
	case flatScratch:
		return k.ForFlatScratch
	case xnack:
		return k.ForXNACK
	case vcc:
		return k.ForVCC
	}
	return 0
}

func granules(n, size uint32) uint32 { return (max(n, 1) + size - 1) / size }

// Encode returns the descriptor's 64 bytes. entry is the distance in bytes from the descriptor to
// the kernel's first instruction.
func (k *KernelDesc) Encode(entry int64) [KernelDescSize]byte {
	var b [KernelDescSize]byte
	or := func(at int, v uint32) {
		binary.LittleEndian.PutUint32(b[at:], binary.LittleEndian.Uint32(b[at:])|v)
	}
	for _, r := range kernelRows() {
		if r.at >= 0 {
			or(r.at, *r.get(k)&uint32(1<<r.width-1)<<r.lo)
		}
	}
	t := k.target.OrDefault()
	extra := uint32(extraSGPRs(t, k.ReserveVCC != 0, k.ReserveFlatScratch != 0, k.ReserveXNACKMask != 0))
	or(atRsrc1, (granules(k.NextFreeVGPR, t.Kernel.VGPRGranule)-1)&63)
	or(atRsrc1, (granules(k.NextFreeSGPR+extra, t.Kernel.SGPRGranule)-1)&15<<6)
	binary.LittleEndian.PutUint64(b[atEntry:], uint64(entry))
	return b
}

// DecodeKernelDesc decodes a descriptor. ok is false if the directives cannot express it, because a
// bit is set that no directive sets. The register counts are the largest that give the same
// descriptor.
func DecodeKernelDesc(name string, b []byte) (k KernelDesc, entry int64, ok bool) {
	return decodeKernelDesc(nil, name, b)
}

func decodeKernelDesc(target *amdgpu.Target, name string, b []byte) (k KernelDesc, entry int64, ok bool) {
	if len(b) != KernelDescSize {
		return k, 0, false
	}
	k.Name, k.target = name, target
	t := target.OrDefault()
	for _, r := range kernelRows() {
		if r.at >= 0 {
			*r.get(&k) = binary.LittleEndian.Uint32(b[r.at:]) >> r.lo & uint32(1<<r.width-1)
		}
	}
	rsrc1 := binary.LittleEndian.Uint32(b[atRsrc1:])
	k.NextFreeVGPR = t.Kernel.VGPRGranule * (rsrc1&63 + 1)
	k.NextFreeSGPR = t.Kernel.SGPRGranule * (rsrc1>>6&15 + 1)
	if sgprs := uint32(t.SGPRs()); k.NextFreeSGPR > sgprs {
		k.ReserveVCC, k.ReserveFlatScratch = 1, 1
		k.NextFreeSGPR = min(k.NextFreeSGPR-uint32(t.Kernel.ForFlatScratch), sgprs)
	}
	k.explicitUserSGPRCount = true
	entry = int64(binary.LittleEndian.Uint64(b[atEntry:]))
	return k, entry, k.Encode(entry) == [KernelDescSize]byte(b) && k.impliedUserSGPRs() <= k.UserSGPRCount
}

// impliedUserSGPRs returns the number of user SGPRs that the enabled ones occupy.
func (k *KernelDesc) impliedUserSGPRs() uint32 {
	var n uint32
	for _, r := range kernelRows() {
		if r.user > 0 && *r.get(k) != 0 {
			n += r.user
		}
	}
	return n
}

// Text returns the .amdhsa_kernel block.
func (k *KernelDesc) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, ".amdhsa_kernel %s\n", symbolText(k.Name))
	for _, r := range kernelRows() {
		if r.name == "reserve_xnack_mask" {
			continue // no chip here has XNACK
		}
		fmt.Fprintf(&b, "\t.amdhsa_%s %d\n", r.name, *r.get(k))
	}
	b.WriteString(".end_amdhsa_kernel\n")
	return b.String()
}

// A kernelBlock is an .amdhsa_kernel block being read.
type kernelBlock struct {
	name   string
	at     *statement
	col    int
	seen   map[string]*statement
	values map[string]*expr
	cur    int    // section
	off    uint64 // offset of the descriptor
	index  int    // in Object.Kernels
}

// beginKernel starts a block and makes room for its descriptor.
func (a *assembler) beginKernel(st *statement, s *cursor) {
	a.needV3(st)
	col := s.pos
	name := s.ident()
	if name == "" || !s.end() {
		a.errorf(st, col, CodeDirective, "expected the name of a kernel")
		return
	}
	a.kernel = &kernelBlock{name: name, at: st, col: col, seen: map[string]*statement{}, values: map[string]*expr{}}
}

// kernelLine handles a statement inside a block.
func (a *assembler) kernelLine(st *statement, s *cursor, name string, col int) {
	k := a.kernel
	if name == ".end_amdhsa_kernel" {
		a.endKernel(st)
		return
	}
	field, ok := strings.CutPrefix(name, ".amdhsa_")
	known := slices.ContainsFunc(kernelRows(), func(r kernelRow) bool { return r.name == field })
	switch {
	case !ok:
		a.errorf(st, col, CodeDirective, "expected an .amdhsa_ directive or .end_amdhsa_kernel, found %.40s", name)
		return
	case !known:
		a.errorf(st, col, CodeDirective, "%.60s is not a directive of %s", name, a.chip.ID())
		var names []string
		for _, r := range kernelRows() {
			names = append(names, r.name)
		}
		if best := diag.Nearest(field, names); best != "" {
			a.diags[len(a.diags)-1].Remedy = "did you mean .amdhsa_" + best + "?"
		}
		return
	case k.seen[field] != nil:
		a.errorf(st, col, CodeDirective, "%s stands twice in one .amdhsa_kernel block", name)
		return
	}
	x, err := a.parseExpr(s)
	if err == nil && !s.end() {
		err = &exprError{s.pos, fmt.Sprintf("unexpected %q", s.rest())}
	}
	if err != nil {
		a.errorf(st, err.col, CodeDirective, "%s: %s", name, err.msg)
		return
	}
	if v, err := a.eval(x); err == nil && v.absolute() {
		x = &expr{op: "num", num: v.off, col: x.col} // the value at this point of the file is final
	}
	k.seen[field], k.values[field] = st, x
}

// endKernel reserves the descriptor, which is filled at the end of the file, and defines its
// symbol.
func (a *assembler) endKernel(st *statement) {
	k := a.kernel
	a.kernel = nil
	for _, need := range []string{"next_free_vgpr", "next_free_sgpr"} {
		if k.seen[need] == nil {
			a.errorf(st, 0, CodeDirective, ".amdhsa_kernel %s: .amdhsa_%s is required", k.name, need)
		}
	}
	k.cur, k.off = a.cur, a.here()
	code, kd := a.symbol(k.name), a.symbol(k.name+".kd")
	if kd.defined {
		a.errorf(k.at, k.col, CodeSymbol, "kernel %s is described twice", k.name)
		return
	}
	kd.defined, kd.section, kd.off, kd.typ = true, a.cur, k.off, 1
	kd.bind, kd.bound, kd.vis = code.bind, code.bound, code.vis
	kd.size = &expr{op: "num", num: KernelDescSize}
	if code.vis == 0 {
		code.vis = 3 // as in LLVM, so that the distance is a constant for the linker
	}
	if a.obj.Sections[a.cur].Type == shtNoBits {
		a.errorf(k.at, 0, CodeDirective, "a kernel descriptor in section %s, which holds no bytes", a.obj.Sections[a.cur].Name)
		return
	}
	a.data(st, make([]byte, KernelDescSize))
	k.index = len(a.obj.Kernels)
	a.obj.Kernels = append(a.obj.Kernels, KernelDesc{})
	a.kernels = append(a.kernels, k)
}

// finishKernels evaluates the blocks. Their values may use any symbol of the file.
func (a *assembler) finishKernels() {
	for _, k := range a.kernels {
		d := KernelDesc{target: a.opt.Target, Name: k.name, Section: k.cur, Offset: k.off}
		for _, r := range kernelRows() {
			*r.get(&d) = r.def
			x := k.values[r.name]
			if x == nil {
				continue
			}
			st := k.seen[r.name]
			v, err := a.eval(x)
			if err == nil && !v.absolute() {
				err = &exprError{x.col, "expected a number" + v.because()}
			}
			if err == nil && (v.off < 0 || bits.Len64(uint64(v.off)) > r.width) {
				err = &exprError{x.col, fmt.Sprintf("%d is outside 0..%d", v.off, uint64(1)<<r.width-1)}
			}
			if err != nil {
				a.errorf(st, err.col, CodeDirective, ".amdhsa_%s: %s", r.name, err.msg)
				continue
			}
			*r.get(&d) = uint32(v.off)
			d.explicitUserSGPRCount = d.explicitUserSGPRCount || r.name == "user_sgpr_count"
		}
		if code := a.symbol(k.name); !code.defined && code.set == nil {
			a.errorf(k.at, k.col, CodeSymbol, "kernel %.60s has no label of its name", k.name)
		}
		a.checkKernel(k, &d)
		b := d.Encode(0)
		copy(a.obj.Sections[k.cur].Data[k.off:], b[:])
		a.fixups = append(a.fixups, fixup{
			st: k.at, section: k.cur, off: k.off + atEntry, size: 8, col: k.col, entry: true,
			x: &expr{op: "sym", sym: a.symbol(k.name)},
		})
		a.obj.Kernels[k.index] = d
	}
}

// checkKernel checks the rules that involve several values.
func (a *assembler) checkKernel(k *kernelBlock, d *KernelDesc) {
	at := func(field string) (*statement, int) {
		if st := k.seen[field]; st != nil {
			return st, k.values[field].col
		}
		return k.at, 0
	}
	if n := d.impliedUserSGPRs(); !d.explicitUserSGPRCount {
		d.UserSGPRCount = n
	} else if d.UserSGPRCount < n {
		st, col := at("user_sgpr_count")
		a.errorf(st, col, CodeDirective, ".amdhsa_user_sgpr_count is %d, but the enabled user SGPRs take %d", d.UserSGPRCount, n)
	}
	if int64(d.NextFreeVGPR) > int64(a.chip.VGPRs) {
		st, col := at("next_free_vgpr")
		a.errorf(st, col, CodeDirective, ".amdhsa_next_free_vgpr is %d, but there are %d VGPRs", d.NextFreeVGPR, a.chip.VGPRs)
	}
	if int64(d.NextFreeSGPR) > int64(a.chip.SGPRs()) {
		st, col := at("next_free_sgpr")
		a.errorf(st, col, CodeDirective, ".amdhsa_next_free_sgpr is %d, but there are %d SGPRs", d.NextFreeSGPR, a.chip.SGPRs())
	}
	if d.ReserveXNACKMask != 0 {
		st, col := at("reserve_xnack_mask")
		a.errorf(st, col, CodeDirective, ".amdhsa_reserve_xnack_mask is 1, but %s has no XNACK", a.chip.ID())
	}
}
