package shape

import "example.org/crosslane/internal/ir"

// rule is a transfer function: how the shape of a result follows from the shapes of the
// arguments. An operation without a rule (plain) gives a uniform result for uniform
// arguments, and otherwise a varying one.
//
// Input: the shapes of the arguments of one pure operation.
// Output: the shape of its result.
// Invariant: rules are monotone: weaker claims about arguments never give a stronger one.
// Example: add of affine+4 and uniform is affine+4; shl of affine+1 by 2 is affine+4.
type rule uint8

const (
	plain  rule = iota
	move        // the first argument
	add         // a + b
	sub         // a - b
	neg         // -a
	not         // ^a
	mul         // a * b
	mad         // a * b + c
	mul24U      // a * b, of 24-bit arguments
	mul24S
	mad24U // the same + c
	mad24S
	mulU // a * b, both extended to twice the size first
	mulS
	madU // the same + c
	madS
	shl // a << b; 0 if all bits are shifted out
	shlWrap
	shr // a >> b, unsigned
	sar // a >> b, signed
	and
	andNot // a &^ b
	or
	xor
	zext // zero-extension to a larger type, or truncation to a smaller one
	sext
	addWide // a, extended, + b
	pack    // a + b << bits of a
	high    // the upper half
	pick    // p ? a : b
	minU
	remU
	divU
	bfe   // a >> b & (1<<c - 1)
	small // a small number, at most 64
	flag  // 0 or 1
	carryOut
)

// rules holds the rule of each operation.
var rules = [ir.NumOps]rule{
	ir.Mov8: move, ir.Mov16: move, ir.Mov32: move, ir.Mov64: move, ir.MovB1: move,
	ir.Add16: add, ir.Add32: add, ir.Add64: add,
	ir.Sub16: sub, ir.Sub32: sub, ir.Sub64: sub,
	ir.Neg16: neg, ir.Neg32: neg, ir.Neg64: neg,
	ir.Not16: not, ir.Not32: not, ir.Not64: not,
	ir.Mul16: mul, ir.Mul32: mul, ir.Mul64: mul,
	ir.Mul24LoU32: mul24U, ir.Mul24LoS32: mul24S, ir.Mad24LoU32: mad24U, ir.Mad24LoS32: mad24S,
	ir.Mad16: mad, ir.Mad32: mad, ir.Mad64: mad,
	ir.MulWideU16: mulU, ir.MulWideU32: mulU, ir.MulWideS16: mulS, ir.MulWideS32: mulS,
	ir.MadWideU16: madU, ir.MadWideU32: madU, ir.MadWideS16: madS, ir.MadWideS32: madS,
	ir.AddWideU32: addWide,
	ir.Shl16:      shl, ir.Shl32: shl, ir.Shl64: shl,
	ir.ShlWrap16: shlWrap, ir.ShlWrap32: shlWrap, ir.ShlWrap64: shlWrap,
	ir.ShrU16: shr, ir.ShrU32: shr, ir.ShrU64: shr,
	ir.ShrUWrap16: shr, ir.ShrUWrap32: shr, ir.ShrUWrap64: shr,
	ir.ShrS16: sar, ir.ShrS32: sar, ir.ShrS64: sar,
	ir.ShrSWrap16: sar, ir.ShrSWrap32: sar, ir.ShrSWrap64: sar,
	ir.And16: and, ir.And32: and, ir.And64: and,
	ir.AndN32: andNot, ir.AndN64: andNot,
	ir.Or16: or, ir.Or32: or, ir.Or64: or,
	ir.Xor16: xor, ir.Xor32: xor, ir.Xor64: xor,
	ir.Sel16: pick, ir.Sel32: pick, ir.Sel64: pick,
	ir.Pack64: pack, ir.Pack32: pack,
	ir.Lo32: zext, ir.Lo16: zext, ir.Lo8: zext,
	ir.Hi32: high, ir.Hi16: high, ir.Hi8: high,
	ir.MinU16: minU, ir.MinU32: minU, ir.MinU64: minU,
	ir.RemU16: remU, ir.RemU32: remU, ir.RemU64: remU,
	ir.DivU16: divU, ir.DivU32: divU, ir.DivU64: divU,
	ir.BfeU32: bfe,
	ir.Popc32: small, ir.Popc64: small, ir.Clz32: small, ir.Clz64: small,
	ir.B2U32: flag, ir.AddC32: carryOut,

	ir.CvtU16FromU8: zext, ir.CvtU32FromU8: zext, ir.CvtU64FromU8: zext,
	ir.CvtS16FromU8: zext, ir.CvtS32FromU8: zext, ir.CvtS64FromU8: zext,
	ir.CvtU32FromU16: zext, ir.CvtU64FromU16: zext, ir.CvtS32FromU16: zext, ir.CvtS64FromU16: zext,
	ir.CvtU64FromU32: zext, ir.CvtS64FromU32: zext,
	ir.CvtU16FromS8: sext, ir.CvtU32FromS8: sext, ir.CvtU64FromS8: sext,
	ir.CvtS16FromS8: sext, ir.CvtS32FromS8: sext, ir.CvtS64FromS8: sext,
	ir.CvtU32FromS16: sext, ir.CvtU64FromS16: sext, ir.CvtS32FromS16: sext, ir.CvtS64FromS16: sext,
	ir.CvtU64FromS32: sext, ir.CvtS64FromS32: sext,
	// Conversions to a smaller type, or to one of the same size, keep the low bits.
	ir.CvtU8FromU16: zext, ir.CvtU8FromS16: zext, ir.CvtU8FromU32: zext, ir.CvtU8FromS32: zext, ir.CvtU8FromU64: zext, ir.CvtU8FromS64: zext,
	ir.CvtS8FromU16: zext, ir.CvtS8FromS16: zext, ir.CvtS8FromU32: zext, ir.CvtS8FromS32: zext, ir.CvtS8FromU64: zext, ir.CvtS8FromS64: zext,
	ir.CvtU16FromU32: zext, ir.CvtU16FromS32: zext, ir.CvtU16FromU64: zext, ir.CvtU16FromS64: zext,
	ir.CvtS16FromU32: zext, ir.CvtS16FromS32: zext, ir.CvtS16FromU64: zext, ir.CvtS16FromS64: zext,
	ir.CvtU32FromU64: zext, ir.CvtU32FromS64: zext, ir.CvtS32FromU64: zext, ir.CvtS32FromS64: zext,
	ir.CvtU8FromS8: zext, ir.CvtS8FromU8: zext, ir.CvtU16FromS16: zext, ir.CvtS16FromU16: zext,
	ir.CvtU32FromS32: zext, ir.CvtS32FromU32: zext, ir.CvtU64FromS64: zext, ir.CvtS64FromU64: zext,
}

// Called marks the operations on 32-bit words that the interpreter executes, always or for
// some arguments. It executes them for active lanes only. So lanes of a tile row may differ
// afterwards, although the code may read the first lane of a tile row instead of any other.
var Called = [ir.NumOps]bool{
	ir.SinApproxF32: true, ir.CosApproxF32: true, ir.Ex2ApproxF32: true, ir.Lg2ApproxF32: true, ir.TanhApproxF32: true, ir.RsqrtApproxF32: true,
	ir.SinApproxF32Ftz: true, ir.CosApproxF32Ftz: true, ir.Ex2ApproxF32Ftz: true, ir.Lg2ApproxF32Ftz: true, ir.RsqrtApproxF32Ftz: true,
	ir.VRsqF32: true, ir.VExpF32: true, ir.VLogF32: true, ir.VSinF32: true, ir.VCosF32: true,
	ir.VDivScaleF32: true, ir.VDivScaleF64: true, ir.VDivFmasF32: true, ir.VDivFmasF64: true,
	ir.VDivFmasScaledF32Round: true, ir.VDivFmasScaledF64Round: true,
	ir.VLdexpF64: true, ir.VLdexpF32Round: true, ir.VLdexpF64Round: true,
	ir.VAddF32Round: true, ir.VSubF32Round: true, ir.VMulF32Round: true, ir.VMulLegacyF32Round: true,
	ir.VFmaF32Round: true, ir.VMadF32Round: true, ir.VMadLegacyF32Round: true,
	ir.VCubeidF32: true, ir.VCubescF32: true, ir.VCubetcF32: true, ir.VCubemaF32: true, ir.VTrigPreopF64: true,
	ir.BufElement: true, ir.BufLoadFormat: true, ir.BufLoadBad: true, ir.BufNotRaw: true, ir.BufStoreFormat: true, ir.BufStoreBad: true,
	ir.DsCmpstF32: true, ir.DsCmpstF64: true, ir.DsMinF32: true, ir.DsMaxF32: true, ir.DsMinF64: true, ir.DsMaxF64: true,
	ir.MbarArrive: true, ir.MbarExpectTx: true, ir.MbarCompleteTx: true, ir.MbarArriveExpectTx: true,
	ir.MbarArriveDrop: true, ir.MbarArriveDropExpectTx: true, ir.MbarArriveNoComplete: true, ir.MbarArriveDropNoComplete: true, ir.MbarTrack: true,
	ir.CvtF64FromUE8M0: true, ir.CvtF16x2FromF32RS: true, ir.CvtBF16x2FromF32RS: true, ir.CvtBF16x2FromS2F6x2: true,
	ir.CvtF16x2FromUE5M3x2: true, ir.CvtBF16x2FromUE5M3x2: true, ir.UnscaleF32: true, ir.PzoF16x2: true, ir.PzoTF32: true,
	ir.Math1F64: true, ir.Math2F64: true, ir.Math3F64: true, ir.Fns: true, ir.ClmadLo: true, ir.ClmadHi: true, ir.Video: true, ir.VideoMad: true, ir.Video2: true, ir.Video4: true,
}
