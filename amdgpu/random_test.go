package amdgpu

import "math/rand/v2"

// randomInst makes a legal instruction of a row in one of its encodings. ok is false if the random
// choices gave none.
func randomInst(r *rand.Rand, row *Row, e Enc) (in Inst, ok bool) {
	x := row.encs[e]
	for range 200 {
		in = Inst{Row: row, Enc: e}
		for i := range x.mods {
			m := &x.mods[i]
			if r.IntN(2) == 0 {
				in.Mods[m.mod] = uint16(r.IntN(1 << m.Width))
			}
		}
		if e == EncDPP {
			in.Mods[ModDPPCtrl] = randomDPP(r)
		}
		if row.Flags.Has(FlagGDSOnly) {
			in.Mods[ModGDS] = 1
		}
		if row.Flags.Has(FlagLDSOnly) {
			in.Mods[ModLDS] = 1
		}
		for i := range x.ops {
			in.Ops[i] = randomOperand(r, x, &in, i)
		}
		if in.Check() == "" {
			return in, true
		}
	}
	return in, false
}

func randomDPP(r *rand.Rand) uint16 {
	for {
		if v := r.IntN(0x150); dppText(v) != "" {
			return uint16(v)
		}
	}
}

func randomOperand(r *rand.Rand, x *encoding, in *Inst, i int) Operand {
	f, s := &x.ops[i], &x.row.Operands[i]
	if f.absent(in, s) {
		return absentOperand(s)
	}
	n := operandDwords(in, s, f)
	var o Operand
	switch f.form {
	case formVGPR, formExport:
		o = V(r.IntN(257-n), n)
	case formSrc9, formSrc8:
		vgpr := f.takesVGPR(s)
		switch k := r.IntN(20); {
		case k < 8 && vgpr || s.Kind == ClassVGPR:
			o = V(r.IntN(257-n), n)
		case k < 13:
			o = randomSGPR(r, n)
		case k < 17:
			o = Inline(128 + r.IntN(81))
			if r.IntN(2) == 0 {
				o = Inline(inlineFloat0 + r.IntN(9))
			}
		case k < 18 || x.dwords > 1:
			o = Operand{Kind: KindSpecial, Reg: RegVCCZ + uint16(r.IntN(4)), Dwords: uint8(n)}
		default:
			o = randomLiteral(r)
		}
	case formSGPR, formSGPR9, formBase, formRsrc:
		o = randomSGPR(r, n)
	case formSOff:
		o = Imm(int64(r.IntN(1 << 20)))
		if r.IntN(2) == 0 {
			o = randomSGPR(r, 1)
		}
	case formImm, formUImm:
		v := int64(r.IntN(1 << f.Width))
		if r.IntN(3) == 0 {
			v = int64(r.IntN(70))
		}
		if s.Kind == ClassParam {
			v %= 3
		} else if s.Kind == ClassGPRIdx {
			v &= 15
		} else if s.Kind == ClassWait && r.IntN(2) == 0 {
			v &= int64(GFX803.waitAll)
		}
		if f.form == formImm && s.Type != U16 {
			v = int64(int16(v))
		}
		o = Imm(v & (1<<f.Width - 1))
		if f.form == formImm && s.Type != U16 {
			o = Imm(v)
		}
	case formAttr, formAttrLow:
		o = Imm(int64(r.IntN(4 * (maxAttr + 1))))
	case formLiteral:
		o = randomLiteral(r)
	case formVCC:
		o = S(RegVCC, 2)
	}
	o.Neg = f.neg != 0 && r.IntN(4) == 0
	o.Abs = f.abs != 0 && r.IntN(4) == 0
	o.Sext = f.sext != 0 && r.IntN(4) == 0
	return o
}

func randomLiteral(r *rand.Rand) Operand {
	switch r.IntN(4) {
	case 0:
		return Literal(uint32(r.IntN(200) - 100))
	case 1:
		return Literal(inlineFloats[r.IntN(len(inlineFloats))].f32)
	}
	return Literal(r.Uint32())
}

func randomSGPR(r *rand.Rand, n int) Operand {
	for {
		if c := uint16(r.IntN(128)); GFX803.sgprOK(c, n) {
			return S(int(c), n)
		}
	}
}
