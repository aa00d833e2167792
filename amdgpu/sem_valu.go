package amdgpu

import "example.org/crosslane/internal/ir"

// Vector arithmetic: GCN3 ISA 12, VOP1, VOP2, VOP3 and VOPC.
//
// A meaning names the operation on the values of one lane. The lifter adds the effects of encodings
// and modifiers: DPP moves src0 between lanes and narrows the mask; SDWA selects parts of dwords;
// neg and abs act on sources; omod and clamp act on the result; the MODE register determines the
// treatment of denormals.

// valu is D = op(sources) on integers or bits.
func valu(op ir.Op) Sem {
	return func(x *lifter) { x.vout(op, x.vsrcs(false)...) }
}

// vfloat is D = op(sources) on floats; MODE determines whether denormals are flushed. ftz is the
// operation with f32 denormals flushed in and out, 0 if there is none.
func vfloat(op, ftz ir.Op) Sem {
	return func(x *lifter) {
		if ftz != 0 && !x.rounds() && x.mode.Denorm32 == DenormFlush && x.f32Only() {
			x.vres(ftz, false, x.vsrcs(false)...)
			return
		}
		x.vres(op, true, x.vsrcs(true)...)
	}
}

// vkeep is D = op(sources) on floats; the operation determines the treatment of denormals,
// independent of MODE.
func vkeep(op ir.Op) Sem {
	return func(x *lifter) { x.vres(op, false, x.vsrcs(false)...) }
}

// vmad is D = S0 * S1 + S2. It flushes denormals by itself and accepts omod, independent of MODE's
// denormal fields (CLRX, V_MAD_F32 and V_MAD_F16).
func vmad(op ir.Op) Sem {
	return func(x *lifter) {
		x.flushes = true
		x.vres(op, false, x.vsrcs(false)...)
		x.flushes = false
	}
}

// vmac is vmad with D as the last source.
func vmac(op ir.Op) Sem {
	tied := vtied(op, false)
	return func(x *lifter) {
		x.flushes = true
		tied(x)
		x.flushes = false
	}
}

// vtied is D = op(sources, D).
func vtied(op ir.Op, flush bool) Sem {
	return func(x *lifter) {
		src := x.vsrcs(flush)
		d := x.raw(0)
		if irType(x.in.Row.Operands[0].Type) == ir.B16 {
			d = x.b.T(ir.Lo16, d)
		}
		if flush {
			d = x.flushIn(x.in.Row.Operands[0].Type, d)
		}
		x.vres(op, flush, append(src, d)...)
	}
}

// vsat is D = op(sources); with clamp it is D = sat(sources).
func vsat(op, sat ir.Op) Sem {
	return func(x *lifter) {
		do := op // every instruction of the row shares op: it must not change
		if x.in.Has(ModClamp) {
			do = sat
		}
		x.vout32(do, x.vsrcs(false)...)
	}
}

// vcarry is D = op(sources) and a mask of cc(sources): carries and borrows.
func vcarry(op, cc, sat ir.Op) Sem {
	return func(x *lifter) {
		src := x.vsrcs(false)
		do := op
		if x.in.Has(ModClamp) {
			do = sat
		}
		c := x.b.T(cc, src...)
		x.vout32(do, src...)
		x.setMask(1, c)
	}
}

// vwide is a mad with a 64-bit result and a mask of cc(sources).
func vwide(op, cc, sat ir.Op) Sem {
	return func(x *lifter) {
		src := x.vsrcs(false)
		do := op
		if x.in.Has(ModClamp) {
			do = sat
		}
		c := x.b.T(cc, src...)
		x.vput(x.b.T(do, src...))
		x.setMask(1, c)
	}
}

// vmqsad is v_mqsad_u32_u8: four v_msad_u8 of S0 at byte offsets 0 to 3, which add to the four
// dwords of S2.
func vmqsad(x *lifter) {
	op := ir.VMsadU8
	if x.in.Has(ModClamp) {
		op = ir.VMsadSatU8
	}
	s0, s1, s2 := x.vsrc(1, false), x.vsrc(2, false), x.in.Ops[3]
	var r [4]ir.Ref
	for i := range r {
		part := x.op(ir.Lo32, x.op(ir.ShrUWrap64, s0, x.b.SConst(ir.B32, uint64(8*i))))
		r[i] = x.b.T(op, part, s1, x.vreg(s2.Reg+uint16(i)))
	}
	x.b.Guard(x.mask, false)
	for i := range r {
		x.b.Move(x.vreg(x.in.Ops[0].Reg+uint16(i)), r[i])
	}
}

// vdivScale is v_div_scale: a value and a mask.
func vdivScale(op, cc ir.Op) Sem {
	return func(x *lifter) {
		src := x.vsrcs(false)
		c := x.b.T(cc, src...)
		x.vres(op, false, src...)
		x.setMask(1, c)
	}
}

// vdivFmas is v_div_fmas, which also reads VCC. fma and scaled are its two results under any MODE.
func vdivFmas(op, fma, scaled, sel ir.Op) Sem {
	return func(x *lifter) {
		src, vcc := x.vsrcs(true), x.maskReg(RegVCC)
		if !x.rounds() {
			x.vres(op, true, append(src, vcc)...)
			return
		}
		src = append(src, x.modeArg())
		x.vfinish(x.b.T(sel, vcc, x.b.T(scaled, src...), x.b.T(fma, src...)), true)
	}
}

// vcndmask is D = mask ? S1 : S0.
func vcndmask(x *lifter) {
	a, b := x.vsrc(1, false), x.vsrc(2, false)
	x.vout(ir.Sel32, x.smask(3), b, a)
}

// vcmp is D.mask = cc(sources) for the lanes of EXEC, 0 for the other lanes; v_cmpx writes EXEC
// too. ftz is the form with f32 denormals flushed.
func vcmp(cc, ftz ir.Op) Sem {
	return func(x *lifter) {
		op, flush := cc, true
		if ftz != 0 && !x.dyn && x.mode.Denorm32&DenormInput == 0 {
			op, flush = ftz, false
		}
		x.cmpResult(x.b.T(op, x.vsrcs(flush)...))
	}
}

// vclass is v_cmp_class: it sees denormals, independent of MODE.
func vclass(cc ir.Op) Sem {
	return func(x *lifter) {
		src := x.vsrcs(false)
		if x.in.Row.Operands[2].Type.Is16() {
			src[1] = x.b.T(ir.CvtU32FromU16, src[1])
		}
		x.cmpResult(x.b.T(cc, src...))
	}
}

// vcmpConst is v_cmp_f and v_cmp_tru, which ignore their sources.
func vcmpConst(v uint64) Sem {
	return func(x *lifter) { x.cmpResult(x.b.Const(ir.B1, v)) }
}

// cmpResult writes a comparison's result.
func (x *lifter) cmpResult(c ir.Ref) {
	x.b.Guard(0, false)
	d := x.maskReg(x.in.Ops[0].Reg)
	if !x.in.Row.Flags.Has(FlagWritesExec) {
		x.b.To(d, ir.AndP, c, x.exec)
		return
	}
	t := x.b.T(ir.AndP, c, x.exec)
	x.b.Move(d, t)
	x.b.Move(x.exec, t)
}

// setMask writes the mask operand i: c for the lanes that take part, 0 for the other lanes.
//
// Unspecified: the bits of lanes that DPP's masks and bounds disable. They are written as 0, like
// those of lanes that EXEC disables.
func (x *lifter) setMask(i int, c ir.Ref) {
	x.b.Guard(0, false)
	x.b.To(x.maskReg(x.in.Ops[i].Reg), ir.AndP, c, x.mask)
}

// smask reads the mask operand i.
func (x *lifter) smask(i int) ir.Ref {
	o := &x.in.Ops[i]
	if o.Kind == KindSGPR {
		return x.maskReg(o.Reg)
	}
	x.unsupported("a constant as a mask")
	return x.exec
}

// f32Only reports whether all operands and the result are f32.
func (x *lifter) f32Only() bool {
	for i := range x.in.Row.Operands {
		if x.in.Row.Operands[i].Type != F32 {
			return false
		}
	}
	return true
}

// vsrcs reads all sources in the operation's order. flush applies MODE's rule for denormal inputs
// to the floats among them.
func (x *lifter) vsrcs(flush bool) []ir.Ref {
	var l []ir.Ref
	for _, i := range x.sources() {
		if x.in.Row.Operands[i].Kind == ClassSMask {
			l = append(l, x.smask(i))
			continue
		}
		l = append(l, x.vsrc(i, flush))
	}
	return l
}

// vsrc reads operand i with its modifiers, as a lane vector or a scalar (the same in all lanes).
func (x *lifter) vsrc(i int, flush bool) ir.Ref {
	o, s := &x.in.Ops[i], &x.in.Row.Operands[i]
	t := irType(s.Type)
	var v ir.Ref
	switch {
	case o.IsConst() && t == ir.B16:
		v = x.b.SConst(ir.B16, o.Bits(s.Type))
	case t == ir.B16:
		v = x.narrow(x.selected(i, x.raw(i)))
	default:
		v = x.selected(i, x.raw(i))
	}
	if o.Abs || o.Neg {
		v = x.sign(t, v, o.Abs, o.Neg)
	}
	if flush {
		v = x.flushIn(s.Type, v)
	}
	return v
}

// raw reads operand i's 32 or 64 bits. With DPP, src0 comes from other lanes.
func (x *lifter) raw(i int) ir.Ref {
	o, s := &x.in.Ops[i], &x.in.Row.Operands[i]
	if o.Kind != KindVGPR {
		return x.ssrc(i)
	}
	if s.Type.Dwords() == 2 {
		return x.b.T(ir.Pack64, x.vreg(o.Reg), x.vreg(o.Reg+1))
	}
	if s.Type.Dwords() != 1 {
		x.unsupported("operand %d", i)
	}
	v := x.vreg(o.Reg)
	if x.in.Enc == EncDPP && s.Field == FieldSRC0 {
		d := x.b.Temp(ir.B32)
		x.b.Emit(ir.Inst{Op: ir.DPPRead, Dst: d, Args: [4]ir.Ref{v, x.exec}, Imm: x.dppImm()})
		return d
	}
	return v
}

func (x *lifter) dppImm() uint64 {
	return ir.DPPImm(uint16(x.in.Mod(ModDPPCtrl)), uint8(x.in.Mod(ModRowMask)), uint8(x.in.Mod(ModBankMask)), x.in.Has(ModBoundCtrl))
}

// op applies an operation to lane vectors or scalars.
func (x *lifter) op(op ir.Op, args ...ir.Ref) ir.Ref {
	for _, a := range args {
		if !x.b.Func().Val(a).Scalar {
			return x.b.T(op, args...)
		}
	}
	return x.b.S(op, args...)
}

// narrow returns the low 16 bits.
func (x *lifter) narrow(v ir.Ref) ir.Ref { return x.op(ir.Lo16, v) }

// sdwaPart returns the shift and the width in bits of a selection, GCN3 ISA 13,
// VOP_SDWA: BYTE_0 to BYTE_3, WORD_0, WORD_1, DWORD.
func sdwaPart(sel int) (shift, width uint64) {
	switch {
	case sel < 4:
		return 8 * uint64(sel), 8
	case sel < 6:
		return 16 * uint64(sel-4), 16
	}
	return 0, 32
}

// selected applies SDWA's selection to the source operand i.
func (x *lifter) selected(i int, v ir.Ref) ir.Ref {
	if x.in.Enc != EncSDWA {
		return v
	}
	m := ModSrc0Sel
	switch x.in.Row.Operands[i].Field {
	case FieldSRC0:
	case FieldVSRC1:
		m = ModSrc1Sel
	default:
		return v
	}
	shift, width := sdwaPart(x.in.Mod(m))
	if width == 32 {
		return v
	}
	return x.bitField(v, shift, width, x.in.Ops[i].Sext)
}

// bitField returns the field of width bits at bit shift of v, zero- or sign-extended.
func (x *lifter) bitField(v ir.Ref, shift, width uint64, signed bool) ir.Ref {
	k := func(v uint64) ir.Ref { return x.b.SConst(ir.B32, v) }
	switch left := 32 - shift - width; {
	case signed:
		if left != 0 {
			v = x.op(ir.Shl32, v, k(left))
		}
		return x.op(ir.ShrS32, v, k(32-width))
	case left == 0:
		return x.op(ir.ShrU32, v, k(shift))
	case shift != 0:
		v = x.op(ir.ShrU32, v, k(shift))
	}
	return x.op(ir.And32, v, k(1<<width-1))
}

// sign applies abs, then neg, to a float's bits.
func (x *lifter) sign(t ir.Type, v ir.Ref, abs, neg bool) ir.Ref {
	and, xor, bit := ir.And32, ir.Xor32, uint64(1)<<31
	switch t {
	case ir.B64:
		and, xor, bit = ir.And64, ir.Xor64, 1<<63
	case ir.B16:
		and, xor, bit = ir.And16, ir.Xor16, 1<<15
	}
	if abs {
		v = x.op(and, v, x.b.SConst(t, bit-1))
	}
	if neg {
		v = x.op(xor, v, x.b.SConst(t, bit))
	}
	return v
}

// simple reports whether a 32-bit result is written unchanged.
func (x *lifter) simple() bool {
	return irType(x.in.Row.Operands[0].Type) == ir.B32 && x.in.Enc != EncSDWA && !x.in.Has(ModClamp) && !x.in.Has(ModOMod)
}

// vout writes op(args) to the destination; clamp is not legal.
func (x *lifter) vout(op ir.Op, args ...ir.Ref) {
	if x.in.Has(ModClamp) || x.in.Has(ModOMod) {
		x.unsupported("clamp of an integer result")
		return
	}
	x.vout32(op, args...)
}

// vout32 writes op(args) to the destination, with or without clamp.
func (x *lifter) vout32(op ir.Op, args ...ir.Ref) {
	if irType(x.in.Row.Operands[0].Type) == ir.B32 && x.in.Enc != EncSDWA {
		x.b.Guard(x.mask, false)
		if op == ir.Mov32 { // for an SGPR that is one operation
			x.b.Move(x.vreg(x.in.Ops[0].Reg), args[0])
			return
		}
		x.b.To(x.vreg(x.in.Ops[0].Reg), op, args...)
		return
	}
	x.vput(x.b.T(op, args...))
}

// vres writes a float operation's result: rounding, denormals, omod and clamp.
func (x *lifter) vres(op ir.Op, flush bool, args ...ir.Ref) {
	op, args = x.moded(op, args)
	t := x.in.Row.Operands[0].Type
	if keeps := !flush || !t.IsFloat() || !x.dyn && x.mode.denorm(t)&DenormOutput != 0; keeps && x.simple() {
		x.vout32(op, args...)
		return
	}
	x.vfinish(x.b.T(op, args...), flush)
}

// vfinish writes the result r.
func (x *lifter) vfinish(r ir.Ref, flush bool) {
	t := x.in.Row.Operands[0].Type
	if f := floatOpsOf(t); flush && f.flush != 0 {
		switch {
		case x.dyn:
			r = x.b.T(f.flushOut, r, x.modeArg())
		case x.mode.denorm(t)&DenormOutput == 0:
			r = x.b.T(f.flush, r)
		}
	}
	x.vput(x.modified(t, r))
}

// vput writes a value of the destination's type to operand 0 under the mask.
// 16-bit results clear the upper half of the VGPR, GCN3 ISA 6.1.
func (x *lifter) vput(r ir.Ref) {
	o := &x.in.Ops[0]
	switch irType(x.in.Row.Operands[0].Type) {
	case ir.B64:
		x.b.Guard(x.mask, false)
		x.b.To(x.vreg(o.Reg), ir.Lo32, r)
		x.b.To(x.vreg(o.Reg+1), ir.Hi32, r)
		return
	case ir.B16:
		r = x.b.T(ir.CvtU32FromU16, r)
	}
	d := x.vreg(o.Reg)
	if x.in.Enc == EncSDWA {
		r = x.placed(d, r)
	}
	x.b.Guard(x.mask, false)
	x.b.MoveLast(d, r)
	x.b.Guard(0, false)
}

// placed inserts a result at dst_sel's place in a dword that was d; dst_unused determines the other
// bits. GCN3 ISA 13, VOP_SDWA.
func (x *lifter) placed(d, r ir.Ref) ir.Ref {
	shift, width := sdwaPart(x.in.Mod(ModDstSel))
	if width == 32 {
		return r
	}
	k := func(v uint64) ir.Ref { return x.b.SConst(ir.B32, v) }
	mask := uint64(1<<width-1) << shift
	switch x.in.Mod(ModDstUnused) {
	case 0: // UNUSED_PAD: zeros
		if shift != 0 {
			r = x.b.T(ir.Shl32, r, k(shift))
		}
		if shift+width < 32 {
			r = x.b.T(ir.And32, r, k(mask))
		}
		return r
	case 1: // UNUSED_SEXT: the sign above, zeros below
		r = x.bitField(r, 0, width, true)
		if shift != 0 {
			r = x.b.T(ir.Shl32, r, k(shift))
		}
		return r
	}
	// UNUSED_PRESERVE
	if shift != 0 {
		r = x.b.T(ir.Shl32, r, k(shift))
	}
	return x.b.T(ir.VBfiB32, k(mask), r, d)
}

// vshift16 is a shift of 16 bits by the low four bits of the other source.
func vshift16(op ir.Op) Sem {
	return func(x *lifter) {
		src := x.vsrcs(false)
		x.vout(op, src[0], x.op(ir.CvtU32FromU16, src[1]))
	}
}
