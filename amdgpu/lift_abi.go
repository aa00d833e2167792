package amdgpu

import "example.org/crosslane/internal/ir"

// ABI holds the registers that the hardware initialises before a kernel starts: the fields of a
// kernel descriptor (kernel_code_properties and compute_pgm_rsrc2). LLVM AMDGPU usage, "Initial
// Kernel Execution State".
type ABI struct {
	// User SGPRs, in this order from s0 on.
	PrivateSegmentBuffer bool // 4 SGPRs: V# of scratch memory
	DispatchPtr          bool // 2: address of the dispatch packet
	QueuePtr             bool // 2: address of the queue structure
	KernargSegmentPtr    bool // 2: address of the kernarg segment
	DispatchID           bool // 2
	FlatScratchInit      bool // 2
	PrivateSegmentSize   bool // 1: bytes of scratch memory per work-item
	// Code object version 2 only: the number of workgroups in a dimension, 1 SGPR each.
	GridCountX, GridCountY, GridCountZ bool
	// UserSGPRs is the number of user SGPRs that the descriptor declares; system SGPRs follow. If
	// the fields above need more, their number counts.
	UserSGPRs int
	// System SGPRs, one each, in this order.
	WorkgroupIDX            bool
	WorkgroupIDY            bool
	WorkgroupIDZ            bool
	WorkgroupInfo           bool
	PrivateSegmentWaveStart bool // byte offset of the wavefront's scratch memory
	// WorkitemID is 0 if v0 holds the work-item id in x; 1 if also v1 holds the id in y; 2 if also
	// v2 holds the id in z.
	WorkitemID int
	// Scratch is the private segment size in bytes, for PrivateSegmentSize.
	Scratch uint32
	// Target is the chip; nil is GFX803.
	Target *Target
}

// ABIInput is the initial value of a register.
type ABIInput struct {
	Kind   ir.InputKind
	Imm    uint64
	VGPR   bool   // Reg counts VGPRs, not scalar registers
	Reg    uint16 // scalar code, for example RegM0
	Dwords int    // 1 or 2, for scalar registers
}

// Inputs returns the initial values in the order of the registers. The V# of scratch memory marks
// it, see scratchRsrc; the offset of the wavefront's part in it is 0.
func (a ABI) Inputs() []ABIInput {
	var l []ABIInput
	t, next := a.Target.OrDefault(), 0
	user := func(on bool, dwords int, kind ir.InputKind, imm uint64) {
		if on && next+dwords <= t.Kernel.UserSGPRs { // "Any requests beyond 16 will be ignored."
			l = append(l, ABIInput{Kind: kind, Imm: imm, Reg: uint16(next), Dwords: dwords})
			next += dwords
		}
	}
	v01, v23 := t.scratchRsrc(a.Scratch)
	user(a.PrivateSegmentBuffer, 2, ir.InConst, v01)
	user(a.PrivateSegmentBuffer, 2, ir.InConst, v23)
	user(a.DispatchPtr, 2, ir.LaunchValue, ValueDispatch)
	user(a.QueuePtr, 2, ir.LaunchValue, ValueQueue)
	user(a.KernargSegmentPtr, 2, ir.LaunchValue, ValueKernarg)
	user(a.DispatchID, 2, ir.LaunchValue, ValueDispatchID)
	// The first half is the offset of the scratch memory, which is 0. The second half is the bytes
	// of a work-item, which the hardware rounds up to a multiple of 4.
	size := (uint64(a.Scratch) + 3) &^ 3
	user(a.FlatScratchInit, 2, ir.InConst, size<<32)
	user(a.PrivateSegmentSize, 1, ir.InConst, size)
	user(a.GridCountX, 1, ir.GridDimX, 0)
	user(a.GridCountY, 1, ir.GridDimY, 0)
	user(a.GridCountZ, 1, ir.GridDimZ, 0)
	next = max(next, a.UserSGPRs)
	system := func(on bool, kind ir.InputKind) {
		if on && next < t.SGPRs() {
			l = append(l, ABIInput{Kind: kind, Reg: uint16(next), Dwords: 1})
			next++
		}
	}
	system(a.WorkgroupIDX, ir.BlockIDX)
	system(a.WorkgroupIDY, ir.BlockIDY)
	system(a.WorkgroupIDZ, ir.BlockIDZ)
	system(a.WorkgroupInfo, ir.WaveInfo) // first_wave, no ordered append term, the number of waves
	system(a.PrivateSegmentWaveStart, ir.InConst)
	for i := range min(a.WorkitemID, 2) + 1 {
		l = append(l, ABIInput{Kind: ir.ThreadIDX + ir.InputKind(i), VGPR: true, Reg: uint16(i)})
	}
	return l
}
