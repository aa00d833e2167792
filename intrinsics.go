package crosslane

import "example.org/crosslane/lane"

// Mask is a set of lanes, bit i for lane i.
type Mask = lane.Mask

// ShflMode is the mode of a PTX shuffle.
type ShflMode = lane.ShflMode

// The modes of PTXShflSync.
const (
	ShflUp   = lane.ShflUp
	ShflDown = lane.ShflDown
	ShflBfly = lane.ShflBfly
	ShflIdx  = lane.ShflIdx
)

// The functions below are the compilers' intrinsics for GCN3's cross-lane
// instructions on whole wavefronts: one element per lane, and the lanes of exec
// active. In a kernel a lane that is not active gets nothing; here its result is 0.

// AMDGCNDSBpermute is __amdgcn_ds_bpermute(index, src), ds_bpermute_b32: every
// active lane pulls src from the lane that its index names. An index is a byte
// address, 4 times the lane number: bits [7:2] count, so that it wraps at 64 lanes
// and ignores the low two bits. A lane that reads one that is not active gets 0.
func AMDGCNDSBpermute(index, src *[64]int32, exec Mask) [64]int32 {
	m := lane.DSBpermute(words(index), 0, exec)
	return applied(&m, src, nil)
}

// AMDGCNDSPermute is __amdgcn_ds_permute(index, src), ds_permute_b32: every active lane pushes src
// to the lane that its index names, a byte address as in AMDGCNDSBpermute. If several lanes push to
// one, the greatest lane wins; a lane to which no lane pushes gets 0.
func AMDGCNDSPermute(index, src *[64]int32, exec Mask) [64]int32 {
	m := lane.DSPermute(words(index), 0, exec)
	return applied(&m, src, nil)
}

// AMDGCNDSSwizzle is __amdgcn_ds_swizzle(src, pattern), ds_swizzle_b32: every active
// lane reads the lane that the pattern, the instruction's 16-bit offset field,
// gives. With bit 15 set lane i of every four reads lane pattern[2i+1:2i] of the
// four; else lane i of every 32 reads lane ((i & pattern[4:0]) | pattern[9:5]) ^
// pattern[14:10]. A lane that reads one that is not active gets 0.
func AMDGCNDSSwizzle(src *[64]int32, pattern uint16, exec Mask) [64]int32 {
	m := lane.DSSwizzle(pattern, exec)
	return applied(&m, src, nil)
}

// AMDGCNMoveDPP is __amdgcn_move_dpp(src, dpp_ctrl, row_mask, bank_mask, bound_ctrl), v_mov_b32
// with a DPP modifier: every active lane reads the lane that the control gives. dppCtrl is the
// 9-bit DPP_CTRL field (0x111 is row_shr:1; package lane's DPPCtrl names them), rowMask and
// bankMask are 4 bits each, boundCtrl is the BOUND_CTRL field, which assembly writes bound_ctrl:0.
//
// A lane whose row or bank is masked off, and, without boundCtrl, one that has no source or an
// inactive one, is not updated. The intrinsic names no old value for this lane, so that its result
// is undefined (LLVM's __builtin_amdgcn_mov_dpp is update_dpp with an undefined old value). updated
// holds the lanes that have a defined result. Here active lanes that are not updated have their own
// src, as HCC documents for the wave shifts made of this intrinsic. With boundCtrl, lanes without
// an active source get a defined 0. Use AMDGCNUpdateDPP to give the value that lanes keep.
//
// The error is a *lane.DPPError for a reserved control.
func AMDGCNMoveDPP(src *[64]int32, dppCtrl uint16, rowMask, bankMask uint8, boundCtrl bool, exec Mask) (dst [64]int32, updated Mask, err error) {
	m, err := lane.DPP(lane.DPPCtrl(dppCtrl), rowMask, bankMask, boundCtrl, exec)
	if err != nil {
		return dst, 0, err
	}
	old := *src
	for i := range (^exec).Lanes() {
		old[i] = 0
	}
	return applied(&m, src, &old), m.Writes(), nil
}

// AMDGCNUpdateDPP is AMDGCNMoveDPP with an old value for the lanes that are not updated, like
// LLVM's llvm.amdgcn.update.dpp.
func AMDGCNUpdateDPP(old, src *[64]int32, dppCtrl uint16, rowMask, bankMask uint8, boundCtrl bool, exec Mask) ([64]int32, error) {
	m, err := lane.DPP(lane.DPPCtrl(dppCtrl), rowMask, bankMask, boundCtrl, exec)
	if err != nil {
		return *old, err
	}
	return applied(&m, src, old), nil
}

// PTXShflSync is shfl.sync.mode.b32 d|p, a, b, c, membermask for the executing lanes
// of a warp, with b, c and membermask the same in all of them. p holds the lanes
// whose source was in range. undefined holds the lanes whose d the manual leaves
// undefined, because they read a lane that does not execute or is not in membermask,
// or are not in it themselves; they hold their own a. Lanes that do not execute
// hold 0.
//
// PTX ISA 9.7.9.6.
func PTXShflSync(mode ShflMode, a *[32]int32, b, c, membermask uint32, executing Mask) (d [32]int32, p, undefined Mask) {
	m, p := lane.ShflUniform(mode, b, c, executing, Mask(membermask))
	lane.Apply(&m, d[:], a[:], nil)
	undefined = m.Undef
	for i := range undefined.Lanes() {
		d[i] = a[i]
	}
	return d, p, undefined
}

func words(v *[64]int32) *[64]uint32 {
	var w [64]uint32
	for i, x := range v {
		w[i] = uint32(x)
	}
	return &w
}

// applied moves src as a map demands; a lane that keeps its value has that of old, or 0.
func applied(m *lane.Map, src, old *[64]int32) [64]int32 {
	var out [64]int32
	if old == nil {
		old = new([64]int32)
	}
	lane.Apply(m, out[:], src[:], old[:])
	return out
}
