package amdgpu

import "slices"

// boundaryInsts makes the instructions of a row in one encoding with fields at their boundaries.
// Each operand takes every special register, the first and last of the ordinary registers, every
// inline constant and the literals around the constants. Each modifier takes every value if it has
// few, else the ends and powers of two. The on-off bits take every combination. The remaining
// fields hold ordinary values meanwhile.
func boundaryInsts(row *Row, e Enc) []Inst {
	x := row.encs[e]
	bases := baseInsts(row, e)
	var all []Inst
	seen := map[Inst]bool{}
	add := func(in Inst) {
		if !seen[in] && in.Check() == "" {
			seen[in] = true
			all = append(all, in)
		}
	}
	for _, base := range bases {
		add(base)
		for i := range x.ops {
			if x.ops[i].absent(&base, &row.Operands[i]) {
				continue
			}
			for _, o := range boundaryOperands(x, &base, i) {
				in := base
				in.Ops[i] = o
				add(in)
			}
		}
		for i := range x.mods {
			m := &x.mods[i]
			for _, v := range boundaryValues(m.Width) {
				in := base
				in.Mods[m.mod] = uint16(v)
				add(settled(in))
			}
		}
		for _, in := range switched(x, base) {
			add(settled(in))
		}
	}
	return all
}

// baseInsts returns ordinary instructions in which the caller changes one field: one with constants
// at the operands that accept constants and VGPRs, and one without constants.
func baseInsts(row *Row, e Enc) []Inst {
	x := row.encs[e]
	base := Inst{Row: row, Enc: e}
	switch {
	case e == EncDPP:
		base.Mods[ModDPPCtrl], base.Mods[ModRowMask], base.Mods[ModBankMask] = 0x111, 0xf, 0xf
	case e == EncSDWA:
		for i := range x.mods {
			switch m := x.mods[i].mod; m {
			case ModDstSel, ModSrc0Sel, ModSrc1Sel:
				base.Mods[m] = 6
			}
		}
	}
	for i := range x.mods {
		switch m := x.mods[i].mod; {
		case m == ModGDS && row.Flags.Has(FlagGDSOnly), m == ModLDS && row.Flags.Has(FlagLDSOnly):
			base.Mods[m] = 1
		}
	}
	if base = settled(base); row.Format == MIMG {
		for _, dmask := range []uint16{1, 3, 0xf} {
			if in := base; in.Check() != "" {
				in.Mods[ModDMask] = dmask
				base = settled(in)
			}
		}
	}
	var l []Inst
	for _, constant := range []bool{false, true} {
		in := base
		for i := range x.ops {
			s, f := &row.Operands[i], &x.ops[i]
			if constant && !f.absent(&in, s) && f.accepts(GFX803, s, ptr(Inline(129)), operandDwords(&in, s, f)) {
				in.Ops[i] = Inline(129 + i)
			}
		}
		if in.Check() == "" && !slices.Contains(l, in) {
			l = append(l, in)
		}
	}
	return l
}

func ptr[T any](v T) *T { return &v }

// settled replaces the operands that a changed modifier made illegal by legal values, and keeps the
// legal ones.
func settled(in Inst) Inst {
	x := in.encoding()
	for i := range x.ops {
		f, s := &x.ops[i], &in.Row.Operands[i]
		n := operandDwords(&in, s, f)
		switch {
		case f.absent(&in, s):
			in.Ops[i] = absentOperand(s)
		case in.Ops[i].Kind == KindNone || in.Ops[i].Kind == KindOff || !f.accepts(GFX803, s, &in.Ops[i], n):
			in.Ops[i] = ordinary(f, s, n, i)
		}
	}
	return in
}

// ordinary returns an ordinary operand.
func ordinary(f *opField, s *Spec, n, i int) Operand {
	for _, o := range []Operand{V(10+10*i, n), S(16+8*i, n), S(RegVCC, 2), Inline(130 + i), Imm(2), Imm(0), Literal(0x1234)} {
		if f.accepts(GFX803, s, &o, n) {
			return o
		}
	}
	return Operand{}
}

// boundaryOperands returns the values that operand i takes.
func boundaryOperands(x *encoding, in *Inst, i int) []Operand {
	f, s := &x.ops[i], &x.row.Operands[i]
	n := operandDwords(in, s, f)
	var l []Operand
	add := func(o Operand) {
		if f.accepts(GFX803, s, &o, n) {
			l = append(l, o)
		}
	}
	for _, r := range []int{0, 1, 2, 127, 128, 254, 255, 256 - n} {
		add(V(r, n))
	}
	for r := range 128 {
		if r < 3 || r > 96 || r == 63 || r == 64 {
			add(S(r, n))
		}
	}
	for c := 128; c <= inlineFloatN; c++ {
		add(Inline(c))
	}
	for c := RegVCCZ; c <= RegLDSDirect; c++ {
		add(Operand{Kind: KindSpecial, Reg: uint16(c), Dwords: uint8(n)})
	}
	for _, v := range boundaryLiterals() {
		add(Literal(v))
	}
	for _, v := range boundaryValues(f.Width) {
		add(Imm(int64(v)))
		add(Imm(int64(v) - 1<<f.Width))
	}
	for _, o := range slices.Clone(l) {
		// Every kind of value takes every combination of its signs.
		if o.Kind == KindVGPR && o.Reg > 0 || o.Kind == KindSGPR && o.Reg > 2 && o.Reg < RegFlatScratch {
			continue
		}
		for k := 1; k < 8; k++ {
			o.Neg, o.Abs, o.Sext = k&1 != 0, k&2 != 0, k&4 != 0
			if o.Neg && f.neg == 0 || o.Abs && f.abs == 0 || o.Sext && f.sext == 0 {
				continue
			}
			l = append(l, o)
		}
	}
	return l
}

// boundaryLiterals returns literals near every value that a reader may confuse with them: small
// integers, and the inline floats of all widths.
func boundaryLiterals() []uint32 {
	l := []uint32{0, 1, 63, 64, 65, 0xffff, 0x10000, 0x7fff, 0x8000, 0xfff0, 0xffef, 0x7fffffff, 0x80000000, 0xfffffff0, 0xffffffef, 0xffffffff, 0xffff8000, 0x12345678, 0x10001}
	for _, c := range inlineFloats {
		l = append(l, c.f32, c.f32+1, uint32(c.f16), uint32(c.f16)+1, uint32(c.f16)|0x10000, uint32(c.f64>>32), uint32(c.f64>>32)+1, uint32(c.f64))
	}
	return l
}

// boundaryValues returns the values of a field: all of them if it has at most 5 bits.
func boundaryValues(width uint8) []uint64 {
	var l []uint64
	if width <= 5 {
		for v := range uint64(1) << width {
			l = append(l, v)
		}
		return l
	}
	top := uint64(1)<<min(width, 32) - 1
	for k := range min(width, 32) {
		l = append(l, 1<<k-1, 1<<k, 1<<k+1, top-1<<k)
	}
	return append(l, 65, top)
}

// switched returns the instructions with every combination of the on-off modifiers and of the
// operands' signs.
func switched(x *encoding, base Inst) []Inst {
	var flips []func(*Inst)
	for i := range x.mods {
		m := &x.mods[i]
		v := uint16(1<<m.Width - 1)
		switch m.mod {
		case ModDPPCtrl:
			v = dppRowMirror
		case ModDstSel, ModSrc0Sel, ModSrc1Sel:
			v = 5
		case ModDstUnused:
			v = 2
		case ModOffset, ModOffset0, ModOffset1:
			v = 8
		}
		flips = append(flips, func(in *Inst) {
			if in.Mods[m.mod] != 0 {
				in.Mods[m.mod] = 0
			} else {
				in.Mods[m.mod] = v
			}
		})
	}
	for i := range x.ops {
		f := &x.ops[i]
		if f.neg != 0 {
			flips = append(flips, func(in *Inst) { in.Ops[i].Neg = true })
		}
		if f.abs != 0 {
			flips = append(flips, func(in *Inst) { in.Ops[i].Abs = true })
		}
		if f.sext != 0 {
			flips = append(flips, func(in *Inst) { in.Ops[i].Sext = true })
		}
	}
	var l []Inst
	for k := range 1 << min(len(flips), 9) {
		in := base
		for i, f := range flips[:min(len(flips), 9)] {
			if k>>i&1 != 0 {
				f(&in)
			}
		}
		l = append(l, in)
	}
	return l
}
