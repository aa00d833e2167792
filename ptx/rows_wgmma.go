package ptx

import (
	"fmt"
	"strings"
)

// m64 lists the shapes of wgmma: m64nNkK for N from 8 to last in steps of 8. If coarse, N above 32
// has steps of 16.
func m64(k, last int, coarse bool) string {
	var s []string
	for n := 8; n <= last; n += 8 {
		if coarse && n > 32 && n%16 != 0 {
			continue
		}
		s = append(s, fmt.Sprintf("m64n%dk%d", n, k))
	}
	return strings.Join(s, " ")
}

// Warpgroup matrices, PTX ISA 9.7.16.
var wgmmaRows = []row{
	{Form: "wgmma.mma_async.sync.aligned.shape.dtype.f16.f16 ...; dtype = f16 f32; shape = " + m64(16, 256, false), About: "Multiply matrices of a warpgroup, asynchronously.", PTX: v(8, 0), SM: 90, Arch: "sm_90a", Sec: "9.7.16.5.2", Do: wgmma, Bound: matrixBound, Cost: costMatrix, Undefined: undefWgmma, Says: wgmmaSays},
	{Form: "wgmma.mma_async.sync.aligned.shape.f32.bf16.bf16 ...; shape = " + m64(16, 256, false), PTX: v(8, 0), SM: 90, Arch: "sm_90a", Sec: "9.7.16.5.2", Do: wgmma, Bound: matrixBound, Cost: costMatrix, Undefined: undefWgmma, Says: wgmmaSays},
	{Form: "wgmma.mma_async.sync.aligned.shape.f32.tf32.tf32 ...; shape = " + m64(8, 256, false), PTX: v(8, 0), SM: 90, Arch: "sm_90a", Sec: "9.7.16.5.2", Do: wgmma, Bound: matrixBound, Cost: costMatrix, Undefined: undefWgmma, Says: wgmmaSays},
	{Form: "wgmma.mma_async.sync.aligned.shape.dtype.atype.btype ...; dtype = f16 f32; atype btype = e4m3 e5m2; shape = " + m64(32, 256, false), PTX: v(8, 0), SM: 90, Arch: "sm_90a", Sec: "9.7.16.5.2", Do: wgmma, Bound: matrixBound, Cost: costMatrix, Undefined: undefWgmma, Says: wgmmaSays},
	{Form: "wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.s8.s8 ...; shape = " + m64(32, 256, true), PTX: v(8, 0), SM: 90, Arch: "sm_90a", Sec: "9.7.16.5.2", Loose: true, Do: wgmma, Cost: costMatrix, Undefined: undefWgmma, Says: wgmmaSays},
	{Form: "wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.u8.u8 ...; shape = " + m64(32, 256, true), PTX: v(8, 0), SM: 90, Arch: "sm_90a", Sec: "9.7.16.5.2", Loose: true, Do: wgmma, Cost: costMatrix, Undefined: undefWgmma, Says: wgmmaSays},
	{Form: "wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.atype.btype ...; atype btype = s8 u8; shape = " + m64(32, 256, true), PTX: v(8, 4), SM: 90, Arch: "sm_90a", Sec: "9.7.16.5.2", Loose: true, Do: wgmma, Cost: costMatrix, Undefined: undefWgmma, Says: wgmmaSays},
	{Form: "wgmma.mma_async.sync.aligned.shape.s32.b1.b1.and.popc ...; shape = " + m64(256, 256, true), PTX: v(8, 0), SM: 90, Arch: "sm_90a", Sec: "9.7.16.5.2", Do: wgmma, Cost: costMatrix, Undefined: undefWgmma, Says: wgmmaSays},
	{Form: "wgmma.mma_async.sp.sync.aligned.shape.dtype.f16.f16 ...; dtype = f16 f32; shape = " + m64(32, 256, false), PTX: v(8, 2), SM: 90, Arch: "sm_90a", Sec: "9.7.16.6.3", Do: wgmma, Bound: matrixBound, Cost: costMatrix, Undefined: undefWgmmaSparse, Says: wgmmaSays},
	{Form: "wgmma.mma_async.sp.sync.aligned.shape.f32.bf16.bf16 ...; shape = " + m64(32, 256, false), PTX: v(8, 2), SM: 90, Arch: "sm_90a", Sec: "9.7.16.6.3", Do: wgmma, Bound: matrixBound, Cost: costMatrix, Undefined: undefWgmmaSparse, Says: wgmmaSays},
	{Form: "wgmma.mma_async.sp.sync.aligned.shape.f32.tf32.tf32 ...; shape = " + m64(16, 256, false), PTX: v(8, 2), SM: 90, Arch: "sm_90a", Sec: "9.7.16.6.3", Do: wgmma, Bound: matrixBound, Cost: costMatrix, Undefined: undefWgmmaSparse, Says: wgmmaSays},
	{Form: "wgmma.mma_async.sp.sync.aligned.shape.dtype.atype.btype ...; dtype = f16 f32; atype btype = e4m3 e5m2; shape = " + m64(64, 256, false), PTX: v(8, 2), SM: 90, Arch: "sm_90a", Sec: "9.7.16.6.3", Do: wgmma, Bound: matrixBound, Cost: costMatrix, Undefined: undefWgmmaSparse, Says: wgmmaSays},
	{Form: "wgmma.mma_async.sp.sync.aligned.shape{.satfinite}.s32.atype.btype ...; atype btype = s8 u8; shape = " + m64(64, 256, true), PTX: v(8, 2), SM: 90, Arch: "sm_90a", Sec: "9.7.16.6.3", Loose: true, Do: wgmma, Cost: costMatrix, Undefined: undefWgmmaSparse, Says: wgmmaSays},
	{Form: "wgmma.fence.sync{.aligned}", About: "Order accesses of registers before products of the warpgroup that use the registers.", PTX: v(8, 0), SM: 90, Arch: "sm_90a", Sec: "9.7.16.7.1", Do: wgmmaFence, Cost: costMatrix, Says: map[string]string{".aligned": saysAligned, ".sync": saysSync, "n": "the number of latest groups that may be unfinished"}},
	{Form: "wgmma.commit_group.sync{.aligned}", About: "Make the products so far a group.", PTX: v(8, 0), SM: 90, Arch: "sm_90a", Sec: "9.7.16.7.2", Do: wgmmaCommit, Cost: costMatrix, Says: map[string]string{".aligned": saysAligned, ".sync": saysSync, "n": "the number of latest groups that may be unfinished"}},
	{Form: "wgmma.wait_group.sync{.aligned} n:imm32", About: "Wait for groups of products.", PTX: v(8, 0), SM: 90, Arch: "sm_90a", Sec: "9.7.16.7.3", Do: wgmmaWait, Cost: costMatrix, Says: map[string]string{".aligned": saysAligned, ".sync": saysSync, "n": "the number of latest groups that may be unfinished"}},
}

// wgmmaSays explains the operands and modifiers of wgmma.mma_async.
var wgmmaSays = map[string]string{
	".aligned": saysAligned, ".sync": saysSync, ".satfinite": "the result is limited to the range of s32 instead of wrapping", ".sp": "A is sparse: the half of its elements that is stored",
	".and": "the bits of A and B are combined with and", ".popc": "the ones are counted",
}
