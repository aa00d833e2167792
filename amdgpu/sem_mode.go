package amdgpu

import "example.org/crosslane/internal/ir"

// The effect of MODE on vector instructions. The usual modes (rounding to nearest even, IEEE on)
// have operations of their own, which the lifter chooses. All other modes use operations with
// MODE's bits as last argument: a constant, if MODE is known at the instruction, else the register.

// modeReg returns the MODE register, as a scalar. s_setreg keeps it up to date.
func (x *lifter) modeReg() ir.Ref {
	if x.modeVal == 0 {
		x.modeVal = x.b.Scalar("mode", ir.B32)
		x.b.Input(ir.InConst, x.modeVal, uint64(modeBits(x.opt.Mode)|uint32(x.opt.Excp&0x7f)<<12))
	}
	return x.modeVal
}

// modeArg returns MODE as an argument of an operation.
func (x *lifter) modeArg() ir.Ref {
	if x.dyn {
		return x.modeReg()
	}
	return x.b.SConst(ir.B32, uint64(modeBits(x.mode)))
}

// rounds reports whether results may be rounded in a mode other than to nearest even.
func (x *lifter) rounds() bool { return x.dyn || x.mode.Round32 != 0 || x.mode.Round16_64 != 0 }

// moded replaces an operation by its form with MODE, if that is needed.
func (x *lifter) moded(op ir.Op, args []ir.Ref) (ir.Op, []ir.Ref) {
	form := ir.Nop
	switch {
	case x.rounds():
		form = roundForm(op)
	case x.mode.NoIEEE:
	default:
		return op, args
	}
	if form == ir.Nop && (x.dyn || x.mode.NoIEEE) {
		form = ieeeForm(op)
	}
	if form == ir.Nop {
		return op, args
	}
	return form, append(args, x.modeArg())
}

// roundForm returns the form of an operation whose result FP_ROUND rounds; Nop, if the result is
// exact or has its own rounding.
//
// Unspecified: whether FP_ROUND acts on the transcendental functions and v_fract; here it does not.
func roundForm(op ir.Op) ir.Op {
	switch op {
	case ir.VAddF32:
		return ir.VAddF32Round
	case ir.VSubF32:
		return ir.VSubF32Round
	case ir.VMulF32:
		return ir.VMulF32Round
	case ir.VMulLegacyF32:
		return ir.VMulLegacyF32Round
	case ir.VFmaF32:
		return ir.VFmaF32Round
	case ir.VMadF32:
		return ir.VMadF32Round
	case ir.VMadLegacyF32:
		return ir.VMadLegacyF32Round
	case ir.VLdexpF32:
		return ir.VLdexpF32Round
	case ir.VLdexpF64:
		return ir.VLdexpF64Round
	case ir.VLdexpF16:
		return ir.VLdexpF16Round
	case ir.VCvtF32F64:
		return ir.VCvtF32F64Round
	case ir.VCvtF16F32:
		return ir.VCvtF16F32Round
	case ir.CvtF32FromS32:
		return ir.VCvtF32I32Round
	case ir.CvtF32FromU32:
		return ir.VCvtF32U32Round
	case ir.CvtF16FromS16:
		return ir.VCvtF16I16Round
	case ir.CvtF16FromU16:
		return ir.VCvtF16U16Round
	case ir.VCvtPkU8F32:
		return ir.VCvtPkU8F32Round
	case ir.AddF64:
		return ir.VAddF64Round
	case ir.MulF64:
		return ir.VMulF64Round
	case ir.FmaF64:
		return ir.VFmaF64Round
	case ir.VAddF16:
		return ir.VAddF16Round
	case ir.VSubF16:
		return ir.VSubF16Round
	case ir.VMulF16:
		return ir.VMulF16Round
	case ir.VFmaF16:
		return ir.VFmaF16Round
	case ir.VMadF16:
		return ir.VMadF16Round
	}
	return ir.Nop
}

// ieeeForm returns the form of an operation that MODE.IEEE changes; Nop, if it does not.
//
// Unspecified: operations other than minima and maxima. Here they return quiet NaNs with IEEE off
// too.
func ieeeForm(op ir.Op) ir.Op {
	switch op {
	case ir.VMinF32:
		return ir.VMinModeF32
	case ir.VMaxF32:
		return ir.VMaxModeF32
	case ir.VMin3F32:
		return ir.VMin3ModeF32
	case ir.VMax3F32:
		return ir.VMax3ModeF32
	case ir.VMed3F32:
		return ir.VMed3ModeF32
	case ir.VMinF64:
		return ir.VMinModeF64
	case ir.VMaxF64:
		return ir.VMaxModeF64
	case ir.VMinF16:
		return ir.VMinModeF16
	case ir.VMaxF16:
		return ir.VMaxModeF16
	}
	return ir.Nop
}

// floatOps holds the operations that treat operands and results of a float type: with MODE known,
// and with MODE as an argument.
type floatOps struct {
	flush, flushIn, flushOut ir.Op
	omod, omodMode           ir.Op
	sat, clampNaN, clampMode ir.Op
}

// floatOpsOf returns the operations for a type; the zero value for types that are no floats.
func floatOpsOf(t Type) floatOps {
	switch t {
	case F32:
		return floatOps{ir.FlushF32, ir.VFlushInF32, ir.VFlushOutF32, ir.VOModF32, ir.VOModModeF32, ir.SatF32, ir.VClampF32, ir.VClampModeF32}
	case F64:
		return floatOps{ir.FlushF64, ir.VFlushInF64, ir.VFlushOutF64, ir.VOModF64, ir.VOModModeF64, ir.SatF64, ir.VClampF64, ir.VClampModeF64}
	case F16:
		return floatOps{ir.FlushF16, ir.VFlushInF16, ir.VFlushOutF16, ir.VOModF16, ir.VOModModeF16, ir.SatF16, ir.VClampF16, ir.VClampModeF16}
	}
	return floatOps{}
}

// flushIn applies MODE's rule for denormal operands.
func (x *lifter) flushIn(t Type, v ir.Ref) ir.Ref {
	f := floatOpsOf(t)
	switch {
	case f.flush == 0:
		return v
	case x.dyn:
		return x.op(f.flushIn, v, x.modeArg())
	case x.mode.denorm(t)&DenormInput == 0:
		return x.op(f.flush, v)
	}
	return v
}

// modified applies omod and clamp to a result of a float type. GCN3 ISA 6.2.3: omod is ignored if
// denormal results are kept, which mads never do, and if IEEE is on.
func (x *lifter) modified(t Type, r ir.Ref) ir.Ref {
	f := floatOpsOf(t)
	if f.flush == 0 {
		return r // an integer from a conversion, which always clamps
	}
	if o := x.in.Mod(ModOMod); o != 0 {
		k := x.b.SConst(ir.B32, uint64(o))
		switch {
		case x.dyn && x.flushes:
			r = x.b.T(f.omodMode, r, k, x.op(ir.And32, x.modeArg(), x.b.SConst(ir.B32, modeKnown&^modeDenorm)))
		case x.dyn:
			r = x.b.T(f.omodMode, r, k, x.modeArg())
		case x.mode.NoIEEE && (x.flushes || x.mode.denorm(t)&DenormOutput == 0):
			r = x.b.T(f.omod, r, k)
		}
	}
	switch {
	case !x.in.Has(ModClamp):
		return r
	case x.dyn:
		return x.b.T(f.clampMode, r, x.modeArg())
	case x.mode.NoDX10Clamp:
		return x.b.T(f.clampNaN, r)
	}
	return x.b.T(f.sat, r)
}
