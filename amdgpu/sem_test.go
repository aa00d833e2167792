package amdgpu

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"example.org/crosslane/internal/short"
)

// refSource reads operand i of an instruction in one lane: registers and
// constants, DPP, SDWA's selection, abs and neg, and MODE's flushing of f32.
func refSource(st *state, in *Inst, i, lane int, keepDenormals bool) (v uint64) {
	o, s := in.Ops[i], in.Row.Operands[i]
	n := s.Type.Dwords()
	switch o.Kind {
	case KindVGPR:
		l := lane
		if in.Enc == EncDPP && s.Field == FieldSRC0 {
			src, ok := refDPPSource(in.Mod(ModDPPCtrl), lane)
			if !ok || st.exec>>src&1 == 0 {
				v = 0
				break
			}
			l = src
		}
		v = uint64(st.v[o.Reg][l])
		if n == 2 {
			v |= uint64(st.v[o.Reg+1][l]) << 32
		}
	case KindSGPR:
		v = uint64(st.s[o.Reg])
		if n == 2 {
			v |= uint64(st.s[o.Reg+1]) << 32
		}
	case KindSpecial:
		switch o.Reg {
		case RegVCCZ:
			v = b2u(st.s[RegVCC]|st.s[RegVCC+1] == 0)
		case RegEXECZ:
			v = b2u(st.exec == 0)
		case RegSCC:
			v = b2u(st.scc)
		}
	default:
		v = o.Bits(s.Type)
	}
	if in.Enc == EncSDWA && (s.Field == FieldSRC0 || s.Field == FieldVSRC1) {
		sel := in.Mod(ModSrc0Sel)
		if s.Field == FieldVSRC1 {
			sel = in.Mod(ModSrc1Sel)
		}
		switch {
		case sel < 4:
			v = v >> (8 * sel) & 0xff
			if o.Sext {
				v = uint64(uint32(int32(int8(v))))
			}
		case sel < 6:
			v = v >> (16 * (sel - 4)) & 0xffff
			if o.Sext {
				v = uint64(uint32(int32(int16(v))))
			}
		}
	}
	top := uint64(1) << 31
	if n == 2 {
		top = 1 << 63
	}
	if s.Type.Is16() {
		v &= 0xffff
		top = 1 << 15
	}
	if o.Abs {
		v &^= top
	}
	if o.Neg {
		v ^= top
	}
	if s.Type == F32 && !keepDenormals {
		v = flush32(v)
	}
	return v
}

// refDPPSource transcribes the ISA's table of DPP_CTRL.
func refDPPSource(ctrl, n int) (int, bool) {
	row := n &^ 15
	in := func(src int) (int, bool) { return src, src >= row && src < row+16 }
	switch {
	case ctrl < 0x100:
		return n&^3 + ctrl>>(2*(n&3))&3, true
	case ctrl < 0x110:
		return in(n + ctrl&15)
	case ctrl < 0x120:
		return in(n - ctrl&15)
	case ctrl < 0x130:
		return row + (n-ctrl&15)&15, true
	case ctrl == 0x130:
		return n + 1, n < 63
	case ctrl == 0x134:
		return (n + 1) & 63, true
	case ctrl == 0x138:
		return n - 1, n > 0
	case ctrl == 0x13c:
		return (n - 1) & 63, true
	case ctrl == 0x140:
		return row + 15 - n&15, true
	case ctrl == 0x141:
		return n&^7 + 7 - n&7, true
	case ctrl == 0x142:
		if n < 16 {
			return n, true
		}
		return row - 1, true
	}
	if n < 32 {
		return n, true
	}
	return 31, true
}

// refActive reports whether the instruction updates the lane.
func refActive(st *state, in *Inst, lane int) bool {
	if st.exec>>lane&1 == 0 {
		return false
	}
	if in.Enc != EncDPP {
		return true
	}
	if in.Mod(ModRowMask)>>(lane/16)&1 == 0 || in.Mod(ModBankMask)>>(lane/4%4)&1 == 0 {
		return false
	}
	if in.Has(ModBoundCtrl) {
		return true
	}
	src, ok := refDPPSource(in.Mod(ModDPPCtrl), lane)
	return ok && st.exec>>src&1 != 0
}

// refPut writes a result of the destination's type to operand 0.
func refPut(st *state, in *Inst, lane int, v uint64) {
	o, t := in.Ops[0], in.Row.Operands[0].Type
	if t.Dwords() == 2 {
		st.v[o.Reg][lane], st.v[o.Reg+1][lane] = uint32(v), uint32(v>>32)
		return
	}
	if t.Is16() {
		v &= 0xffff
	}
	d := &st.v[o.Reg][lane]
	if in.Enc != EncSDWA || in.Mod(ModDstSel) == 6 {
		*d = uint32(v)
		return
	}
	shift, w := uint(8*in.Mod(ModDstSel)), uint(8)
	if in.Mod(ModDstSel) >= 4 {
		shift, w = uint(16*(in.Mod(ModDstSel)-4)), 16
	}
	part := uint32(1)<<w - 1
	switch in.Mod(ModDstUnused) {
	case 0:
		*d = uint32(v) & part << shift
	case 1:
		*d = uint32(sext(v, w)) << shift
	default:
		*d = *d&^(part<<shift) | uint32(v)&part<<shift
	}
}

// anyInst fills an instruction's operands and modifiers with random legal values from the first 8
// VGPRs and 96 SGPRs.
func anyInst(r *rand.Rand, row *Row, e Enc) (Inst, bool) {
	for range 60 {
		in := Inst{Row: row, Enc: e}
		for i, s := range row.Operands {
			in.Ops[i] = anyOperand(r, row, e, s)
			if (s.Type.IsFloat() || row.Flags.Has(FlagModBits)) && !s.Dst && s.Kind == ClassSrc && e != E32 {
				in.Ops[i].Neg, in.Ops[i].Abs = r.IntN(3) == 0, r.IntN(3) == 0
			}
			if e == EncSDWA && !s.Dst && !s.Type.IsFloat() && s.Kind == ClassSrc && !row.Flags.Has(FlagModBits) {
				in.Ops[i].Sext = r.IntN(2) == 0
			}
		}
		switch e {
		case EncDPP:
			ctrls := []int{r.IntN(256), 0x101 + r.IntN(15), 0x111 + r.IntN(15), 0x121 + r.IntN(15), 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143}
			in.Mods[ModDPPCtrl] = uint16(ctrls[r.IntN(len(ctrls))])
			in.Mods[ModRowMask], in.Mods[ModBankMask] = uint16(r.IntN(16)), uint16(r.IntN(16))
			if r.IntN(2) == 0 {
				in.Mods[ModRowMask], in.Mods[ModBankMask] = 15, 15
			}
			in.Mods[ModBoundCtrl] = uint16(r.IntN(2))
		case EncSDWA:
			in.Mods[ModSrc0Sel], in.Mods[ModSrc1Sel] = uint16(r.IntN(7)), uint16(r.IntN(7))
			in.Mods[ModDstSel], in.Mods[ModDstUnused] = uint16(r.IntN(7)), uint16(r.IntN(3))
			if row.Format == VOP1 {
				in.Mods[ModSrc1Sel] = 0
			}
			if row.Format == VOPC {
				in.Mods[ModDstSel], in.Mods[ModDstUnused] = 0, 0
			}
		}
		if b, err := Encode(&in); err == nil {
			if back, _, err := Decode(b); err == nil {
				return back, true
			}
		}
	}
	return Inst{}, false
}

func anyOperand(r *rand.Rand, row *Row, e Enc, s Spec) Operand {
	n := s.Type.Dwords()
	sreg := func() Operand {
		if n == 1 {
			return S(r.IntN(96), 1)
		}
		return S(r.IntN(48)*2, n)
	}
	inline := func() Operand {
		l := []int{128 + r.IntN(65), 193 + r.IntN(16), 240 + r.IntN(9)}
		return Inline(l[r.IntN(3)])
	}
	switch s.Kind {
	case ClassVGPR:
		return V(r.IntN(8), n)
	case ClassSMask:
		if e == E32 || e == EncDPP || e == EncSDWA {
			return S(RegVCC, 2)
		}
		return sreg()
	case ClassSrc:
		switch {
		case e == EncDPP || e == EncSDWA || r.IntN(3) == 0 || e == E32 && s.Field == FieldVSRC1:
			return V(r.IntN(8), n)
		case r.IntN(2) == 0:
			return inline()
		case e == E32 && r.IntN(3) == 0:
			return Literal(r.Uint32())
		}
		return sreg()
	case ClassSSrc, ClassSConst:
		switch r.IntN(6) {
		case 0:
			return inline()
		case 1:
			return Literal(r.Uint32())
		case 2:
			if n == 1 {
				return Operand{Kind: KindSpecial, Reg: RegSCC, Dwords: 1}
			}
			return S(RegEXEC, 2)
		}
		return sreg()
	case ClassSDst:
		if n == 2 && r.IntN(4) == 0 {
			return S(RegEXEC, 2)
		}
		return sreg()
	case ClassSReg:
		return sreg()
	case ClassLit:
		return Literal(r.Uint32())
	case ClassSImm16:
		if s.Type == U16 {
			return Imm(int64(r.IntN(1 << 16)))
		}
		return Imm(int64(int16(r.Uint32())))
	case ClassLane:
		if r.IntN(2) == 0 {
			return inline()
		}
		return sreg()
	}
	return Operand{}
}

// sameFloat compares results of a type. NaNs only need to be quiet.
func sameFloat(t Type, a, b uint64) bool {
	switch t {
	case F32:
		x := math.Float32frombits(uint32(a))
		return uint32(a) == uint32(b) || x != x && f32(b) != f32(b) && a>>22&1 != 0
	case F64:
		return a == b || f64v(a) != f64v(a) && f64v(b) != f64v(b) && a>>51&1 != 0
	case F16:
		return a&0xffff == b&0xffff || f16v(a) != f16v(a) && f16v(b) != f16v(b) && a>>9&1 != 0
	}
	return a == b
}

// floatState puts numbers into VGPRs at which float operations are likely to differ.
func floatState(r *rand.Rand) *state {
	st := randomState(r)
	edge := []uint32{0, 1 << 31, 1, 0x80000001, 0x7fffff, 0x800000, 0x7f7fffff, 0x7f800000, 0xff800000, 0x7fc00001, 0x3f800000, 0xbf800000, 0x3f000000, 0x00003c00, 0x7c00, 0x8001, 0x7e00}
	for n := range 8 {
		for l := range 64 {
			switch r.UintN(4) {
			case 0:
				st.v[n][l] = edge[r.IntN(len(edge))]
			case 1:
				st.v[n][l] = math.Float32bits(float32(r.NormFloat64() * 100))
			case 2:
				st.v[n][l] = uint32(math.Float64bits(r.NormFloat64()*50) >> 32)
			}
		}
	}
	return st
}

// TestVALU compares every vector instruction with one result with its transcription, in every
// encoding, under random EXEC.
func TestVALU(t *testing.T) {
	t.Parallel()
	refs, approx := laneRefs(), approxRefs()
	// Other tests cover these by name: masks, divisions, other lanes (package num tests
	// v_div_fixup_f16).
	elsewhere := map[string]bool{"v_cndmask_b32": true, "v_add_u32": true, "v_sub_u32": true, "v_subrev_u32": true, "v_addc_u32": true, "v_subb_u32": true, "v_subbrev_u32": true,
		"v_mad_u64_u32": true, "v_mad_i64_i32": true, "v_div_scale_f32": true, "v_div_scale_f64": true, "v_div_fmas_f32": true, "v_div_fmas_f64": true,
		"v_div_fixup_f16": true, "v_div_fixup_f32": true, "v_div_fixup_f64": true, "v_readlane_b32": true, "v_writelane_b32": true, "v_readfirstlane_b32": true, "v_mbcnt_lo_u32_b32": true, "v_mbcnt_hi_u32_b32": true, "v_nop": true, "v_clrexcp": true, "v_mqsad_u32_u8": true}
	// These operations keep f32 denormals, or flush on their own, in every MODE.
	keep := map[string]bool{"v_min_f32": true, "v_max_f32": true, "v_min3_f32": true, "v_max3_f32": true, "v_med3_f32": true}
	for _, row := range Rows() {
		if u := row.Unit; row.Sem == nil || u != UnitVALU && u != UnitTrans || row.Format == VOPC || row.Flags.Has(FlagIndirect) || elsewhere[row.Name] {
			continue
		}
		fn, ap := refs[row.Name], approx[row.Name]
		if fn == nil && ap == nil {
			t.Errorf("%s has a meaning, but no transcription here", row.Name)
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(uint64(row.Op), uint64(row.Format)))
			for e := E32; e <= EncSDWA; e++ {
				if !row.Encs.Has(e) {
					continue
				}
				for range short.Of(6, 2) {
					in, ok := anyInst(r, row, e)
					if !ok {
						t.Fatalf("no legal %v form found", e)
					}
					vTest(t, r, &in, fn, ap, keep[row.Name])
				}
			}
		})
	}
}

func vTest(t *testing.T, r *rand.Rand, in *Inst, fn laneRef, ap func(float64) float64, keep bool) {
	t.Helper()
	st := floatState(r)
	got, want := *st, *st
	if ap != nil && in.Enc == EncSDWA {
		in.Mods[ModDstSel] = 6 // only whole results can be compared within a tolerance
	}
	code, err := Encode(in)
	if err != nil {
		t.Fatal(err)
	}
	(&machine{}).run(t, code, &got)
	dst := in.Row.Operands[0].Type
	for l := range 64 {
		if !refActive(st, in, l) {
			continue
		}
		var s []uint64
		for i, o := range in.Row.Operands {
			if !o.Dst {
				s = append(s, refSource(st, in, i, l, keep))
			}
		}
		if in.Row.Flags.Has(FlagTied) {
			d := uint64(st.v[in.Ops[0].Reg][l])
			if dst.Is16() {
				d &= 0xffff
			}
			s = append(s, d)
		}
		var v uint64
		if ap != nil {
			v = approxResult(t, in, dst, ap, s[0], &got, l)
		} else {
			v = fn(s)
		}
		if dst == F32 && !keep {
			v = flush32(v)
		}
		if dst.IsFloat() && (in.Enc != EncSDWA || in.Mod(ModDstSel) == 6) {
			// A NaN may have any payload.
			g := uint64(got.v[in.Ops[0].Reg][l])
			if dst == F64 {
				g |= uint64(got.v[in.Ops[0].Reg+1][l]) << 32
			}
			if sameFloat(dst, g, v) {
				v = g
			}
		} else if dst.IsFloat() && (dst == F32 && f32(v) != f32(v) || dst == F16 && f16v(v) != f16v(v)) {
			want.v[in.Ops[0].Reg][l] = got.v[in.Ops[0].Reg][l]
			continue
		}
		refPut(&want, in, l, v)
	}
	if d := got.diff(&want); d != "" {
		t.Fatalf("%s: %s (exec %#x)\nS0 lane values: %s", Print(in), d, st.exec, sourcesOf(st, in))
	}
}

func sourcesOf(st *state, in *Inst) string {
	s := ""
	for i, o := range in.Row.Operands {
		if !o.Dst {
			s += fmt.Sprintf(" op%d=", i)
			for l := range 64 {
				s += fmt.Sprintf("%x,", refSource(st, in, i, l, true))
			}
		}
	}
	return s
}

// approxResult checks a transcendental result. If it is close enough, approxResult returns it.
func approxResult(t *testing.T, in *Inst, dst Type, ap func(float64) float64, s uint64, got *state, l int) uint64 {
	t.Helper()
	conv := map[Type]func(uint64) float64{F32: f32, F64: f64v, F16: f16v}[dst]
	want := ap(conv(s))
	var bits uint64
	tol := 0x1p-21
	switch dst {
	case F32:
		bits = flush32(to32(want))
	case F64:
		bits, tol = math.Float64bits(want), 0x1p-20
	case F16:
		bits, tol = to16(want), 0x1p-10
	}
	g := uint64(got.v[in.Ops[0].Reg][l])
	if dst == F64 {
		g |= uint64(got.v[in.Ops[0].Reg+1][l]) << 32
	}
	if x, y := conv(g), conv(bits); x == y || math.Abs(x-y) <= tol*math.Abs(y)+2e-7*b2f(dst != F64 && math.Abs(y) < 1e-6) {
		return g
	}
	return bits
}

func b2f(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
