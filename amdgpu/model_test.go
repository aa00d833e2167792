package amdgpu

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"
)

// A model is a wavefront as the manual describes it, one lane and one instruction at a time. It
// executes the transcriptions in laneRefs and scalarRefs, with exact MODE, modifiers and NaNs. It
// shares only the decoded instruction with the lifter.
type model struct {
	state
	mode uint32
	mem  modelMem
	// An instruction has accessed an address beyond the memory, so the program cannot be used.
	astray bool
}

// keepsDenormals reports whether neither MODE nor the operation itself flushes denormals.
func keepsDenormals(name string) bool {
	for _, p := range []string{"v_min", "v_max", "v_med3", "v_cndmask", "v_mov", "v_cmp_class", "v_cmpx_class"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// isMad reports whether the operation flushes in every MODE: CLRX, V_MAC_F32, V_MAD_F16.
func isMad(name string) bool {
	return strings.HasPrefix(name, "v_mad") && strings.Contains(name, "_f") || strings.HasPrefix(name, "v_mac_")
}

// denormBits returns MODE's FP_DENORM field for a type: bit 0 keeps inputs, bit 1 results.
func (m *model) denormBits(t Type) uint32 {
	if t == F32 {
		return m.mode >> 4 & 3
	}
	return m.mode >> 6 & 3
}

func (m *model) rounding(t Type) uint8 {
	if t == F32 {
		return uint8(m.mode & 3)
	}
	return uint8(m.mode >> 2 & 3)
}

// source returns operand i in a lane, with denormals flushed according to MODE or the operation.
func (m *model) source(in *Inst, i, lane int) uint64 {
	v, t := refSource(&m.state, in, i, lane, true), in.Row.Operands[i].Type
	if !t.IsFloat() || keepsDenormals(in.Row.Name) {
		return v
	}
	if isMad(in.Row.Name) || m.denormBits(t)&1 == 0 {
		return refFloats[t].flush(v)
	}
	return v
}

func isNaN(t Type, v uint64) bool {
	f := refFloats[t]
	inf := (uint64(1)<<(f.width-f.p) - 1) << (f.p - 1)
	return v&(1<<(f.width-1)-1) > inf
}

func quietOf(t Type, v uint64) uint64 { return v | 1<<(refFloats[t].p-2) }

// defaultNaN returns the NaN of operations on numbers: Errata E35.
func defaultNaN(t Type) uint64 {
	return map[Type]uint64{F16: 0xfe00, F32: 0xffc00000, F64: 0xfff8 << 48}[t]
}

// nanOf returns the NaN result of an operation on sources: the first NaN among them, made quiet.
func nanOf(t Type, s ...uint64) uint64 {
	for _, v := range s {
		if isNaN(t, v) {
			return quietOf(t, v)
		}
	}
	return defaultNaN(t)
}

// fma returns a*b + c rounded once under MODE; each of them may be a special value.
func (m *model) fma(t Type, a, b, c uint64) uint64 {
	f := refFloats[t]
	x, y, z := f.value(a), f.value(b), f.value(c)
	inf := func(v float64) bool { return math.IsInf(v, 0) }
	r := z
	switch {
	case x != x || y != y || z != z:
		return nanOf(t, a, b, c)
	case inf(x) || inf(y):
		r = x*y + z
	case inf(z):
	default:
		p := bigNew().Mul(bigOf(x), bigOf(y))
		sum := bigNew().Add(p, bigOf(z))
		if sum.Sign() != 0 {
			return f.round(sum, m.rounding(t))
		}
		// A sum of zeros of one sign keeps the sign. Else the result is +0, but -0 if the mode
		// rounds down.
		minus := p.Signbit()
		if p.Signbit() != math.Signbit(z) {
			minus = m.rounding(t) == 2
		}
		return b2u(minus) << (f.width - 1)
	}
	if r != r {
		return defaultNaN(t)
	}
	sign := b2u(r < 0) << (f.width - 1)
	return sign | (uint64(1)<<(f.width-f.p)-1)<<(f.p-1)
}

func (m *model) add(t Type, a, b uint64) uint64 {
	one := map[Type]uint64{F16: 0x3c00, F32: 0x3f800000, F64: 0x3ff << 52}[t]
	if isNaN(t, a) || isNaN(t, b) {
		return nanOf(t, a, b)
	}
	return m.fma(t, a, one, b)
}

func (m *model) mul(t Type, a, b uint64) uint64 {
	f := refFloats[t]
	sign := (a ^ b) & (1 << (f.width - 1))
	return m.fma(t, a, b, sign) // the addition of a zero with the product's sign changes nothing
}

func negate(t Type, v uint64) uint64 { return v ^ 1<<(refFloats[t].width-1) }

// convert rounds an exact value, and returns a special value unchanged.
func (m *model) convert(t Type, x float64) uint64 {
	f := refFloats[t]
	sign := b2u(math.Signbit(x)) << (f.width - 1)
	switch {
	case x == 0:
		return sign
	case math.IsInf(x, 0):
		return sign | (uint64(1)<<(f.width-f.p)-1)<<(f.p-1)
	}
	return f.round(bigOf(x), m.rounding(t))
}

// float computes the operations that round or handle NaNs; ok is false for other operations.
func (m *model) float(name string, dst, src Type, s []uint64) (v uint64, ok bool) {
	f := refFloats[dst]
	op := strings.TrimPrefix(name, "v_")
	if !dst.IsFloat() && !strings.HasPrefix(op, "cvt_pk") {
		return 0, false
	}
	if i := strings.LastIndex(op, "_"); i > 0 && !strings.HasPrefix(op, "cvt") {
		op = op[:i]
	}
	switch op {
	case "add":
		return m.add(dst, s[0], s[1]), true
	case "sub":
		if isNaN(dst, s[0]) || isNaN(dst, s[1]) {
			return nanOf(dst, s[0], s[1]), true
		}
		return m.add(dst, s[0], negate(dst, s[1])), true
	case "subrev":
		if isNaN(dst, s[0]) || isNaN(dst, s[1]) {
			return nanOf(dst, s[1], s[0]), true
		}
		return m.add(dst, s[1], negate(dst, s[0])), true
	case "mul":
		if isNaN(dst, s[0]) || isNaN(dst, s[1]) {
			return nanOf(dst, s[0], s[1]), true
		}
		return m.mul(dst, s[0], s[1]), true
	case "mul_legacy":
		if f.value(s[0]) == 0 || f.value(s[1]) == 0 {
			return 0, true
		}
		return m.mul(dst, s[0], s[1]), true
	case "fma":
		return m.fma(dst, s[0], s[1], s[2]), true
	case "mad", "mac", "madak", "madmk", "mad_legacy":
		a, b, c := s[0], s[1], s[2]
		p := m.mul(dst, a, b)
		if name == "v_mad_legacy_f32" && (f.value(a) == 0 || f.value(b) == 0) {
			a, b, p = 0, 0, 0
		}
		if isNaN(dst, a) || isNaN(dst, b) || isNaN(dst, c) {
			return nanOf(dst, a, b, c), true
		}
		if isNaN(dst, p) {
			return defaultNaN(dst), true
		}
		return f.flush(m.add(dst, f.flush(p), c)), true
	case "ldexp":
		n := max(-5000, min(5000, sext(s[1], 32)))
		if dst == F16 {
			n = sext(s[1], 16)
		}
		x := f.value(s[0])
		switch {
		case isNaN(dst, s[0]):
			return quietOf(dst, s[0]), true
		case x == 0 || math.IsInf(x, 0):
			return s[0], true
		}
		return f.round(bigNew().SetMantExp(bigOf(x), int(n)), m.rounding(dst)), true
	case "min", "max":
		return m.pick(dst, op == "min", s[0], s[1]), true
	case "min3", "max3":
		if src != F32 {
			return 0, false
		}
		return m.pick(dst, op == "min3", m.pick(dst, op == "min3", s[0], s[1]), s[2]), true
	case "med3":
		if src != F32 {
			return 0, false
		}
		if isNaN(dst, s[0]) || isNaN(dst, s[1]) || isNaN(dst, s[2]) {
			return m.pick(dst, true, m.pick(dst, true, s[0], s[1]), s[2]), true
		}
		switch top := f.value(m.pick(dst, false, m.pick(dst, false, s[0], s[1]), s[2])); top {
		case f.value(s[0]):
			return m.pick(dst, false, s[1], s[2]), true
		case f.value(s[1]):
			return m.pick(dst, false, s[0], s[2]), true
		}
		return m.pick(dst, false, s[0], s[1]), true
	case "fract", "trunc", "ceil", "floor", "rndne", "frexp_mant":
		if isNaN(dst, s[0]) {
			return quietOf(dst, s[0]), true
		}
		if op == "fract" && math.IsInf(f.value(s[0]), 0) {
			return defaultNaN(dst), true
		}
	case "cubesc", "cubetc", "cubema": // the chosen NaN is passed on
		if v := cubeRef(s, map[string]int{"cubesc": 1, "cubetc": 2, "cubema": 3}[op]); isNaN(F32, v) {
			for _, x := range s {
				if x&math.MaxInt32 == v&math.MaxInt32 || quietOf(F32, x)&math.MaxInt32 == quietOf(F32, v)&math.MaxInt32 {
					return quietOf(F32, x), true
				}
			}
		}
	case "cvt_f32_i32":
		return m.convert(dst, float64(sext(s[0], 32))), true
	case "cvt_f16_i16":
		return m.convert(dst, float64(sext(s[0], 16))), true
	case "cvt_f32_u32", "cvt_f16_u16":
		return m.convert(dst, float64(s[0])), true
	case "cvt_f32_f64", "cvt_f16_f32", "cvt_f32_f16", "cvt_f64_f32":
		from := refFloats[src]
		if isNaN(src, s[0]) {
			// These are the sign and the upper bits of the payload.
			pay := s[0] & (1<<(from.p-1) - 1) << (64 - (from.p - 1)) >> (64 - (f.p - 1))
			inf := (uint64(1)<<(f.width-f.p) - 1) << (f.p - 1)
			return quietOf(dst, s[0]>>(from.width-1)<<(f.width-1)|inf|pay), true
		}
		return m.convert(dst, from.value(s[0])), true
	case "cvt_pk_u8_f32", "cvt_pkaccum_u8_f32":
		n := 8 * (s[1] & 3)
		x := []func(float64) float64{math.RoundToEven, math.Ceil, math.Floor, math.Trunc}[m.rounding(F32)](f32(s[0]))
		return s[2]&^(255<<n) | toInt(x, 0, 255)<<n, true
	}
	return 0, false
}

// pick returns the minimum or maximum. With IEEE on, a signalling NaN is the result, made quiet.
func (m *model) pick(t Type, lo bool, a, b uint64) uint64 {
	quiet := uint64(1) << (refFloats[t].p - 2)
	f := refFloats[t]
	switch {
	case m.mode>>9&1 != 0 && isNaN(t, a) && a&quiet == 0:
		return a | quiet
	case m.mode>>9&1 != 0 && isNaN(t, b) && b&quiet == 0:
		return b | quiet
	case isNaN(t, a):
		return b
	case isNaN(t, b):
		return a
	}
	less := f.value(a) < f.value(b) || f.value(a) == f.value(b) && math.Signbit(f.value(a))
	if less == lo {
		return a
	}
	return b
}

// output applies the steps after a float operation: denormals, omod and clamp.
func (m *model) output(in *Inst, t Type, v uint64) uint64 {
	f := refFloats[t]
	flushes := m.denormBits(t)&2 == 0
	if flushes && !keepsDenormals(in.Row.Name) {
		v = f.flush(v)
	}
	// CLRX: mads always flush, and always apply omod.
	if o := in.Mod(ModOMod); o != 0 && (flushes || isMad(in.Row.Name)) && m.mode>>9&1 == 0 && !isNaN(t, v) {
		x := bigNew().Mul(bigOf(1), bigOf([]float64{1, 2, 4, 0.5}[o]))
		if y := f.value(v); y != 0 && !math.IsInf(y, 0) {
			v = f.flush(f.round(x.Mul(x, bigOf(y)), 0))
		}
		if f.value(v) == 0 {
			v = 0
		}
	}
	if in.Has(ModClamp) {
		switch x := f.value(v); {
		case x != x && m.mode>>8&1 == 0:
		case !(x > 0):
			v = 0
		case x > 1:
			v = f.round(bigOf(1), 0)
		}
	}
	return v
}

// vector executes a vector instruction that is not a comparison and writes a VGPR.
func (m *model) vector(in *Inst, fn laneRef) {
	row, old := in.Row, m.state
	dst := row.Operands[0].Type
	for l := range 64 {
		if !refActive(&old, in, l) {
			continue
		}
		o := model{state: old, mode: m.mode}
		var s []uint64
		var src Type
		for i, op := range row.Operands {
			if !op.Dst {
				if len(s) == 0 {
					src = op.Type
				}
				s = append(s, o.source(in, i, l))
			}
		}
		if row.Flags.Has(FlagTied) {
			d := uint64(old.v[in.Ops[0].Reg][l])
			if dst.Is16() {
				d &= 0xffff
			}
			if dst.IsFloat() {
				d = refFloats[dst].flush(d)
			}
			s = append(s, d)
		}
		if row.Name == "v_madmk_f32" || row.Name == "v_madmk_f16" { // S0 * K + S1
			s = []uint64{s[0], s[1], s[2]}
		}
		v, ok := o.float(row.Name, dst, src, s)
		if !ok {
			v = fn(s)
		}
		if dst.IsFloat() {
			v = o.output(in, dst, v)
		}
		refPut(&m.state, in, l, v)
	}
}

// carry executes v_add_u32 and the related instructions.
func (m *model) carry(in *Inst) {
	old := m.state
	var mask uint64
	for l := range 64 {
		if !refActive(&old, in, l) {
			continue
		}
		a, b := refSource(&old, in, 2, l, true), refSource(&old, in, 3, l, true)
		if strings.Contains(in.Row.Name, "rev") {
			a, b = b, a
		}
		var c uint64
		if len(in.Row.Operands) == 5 {
			c = old.get64(in.Ops[4].Reg) >> l & 1
		}
		v := a + b + c
		sat := uint64(math.MaxUint32)
		if strings.HasPrefix(in.Row.Name, "v_sub") {
			v, sat = a-b-c, 0
		}
		if over := v >> 32 & 1; over != 0 {
			mask |= 1 << l
			if in.Has(ModClamp) {
				v = sat
			}
		}
		refPut(&m.state, in, l, v)
	}
	m.put64(in.Ops[1].Reg, mask)
}

func (m *model) compare(in *Inst) {
	old := m.state
	var mask uint64
	for l := range 64 {
		if old.exec>>l&1 == 0 {
			continue
		}
		o := model{state: old, mode: m.mode}
		a, b := o.source(in, 1, l), o.source(in, 2, l)
		if strings.Contains(in.Row.Name, "class") {
			mask |= b >> classOf(in.Row.Operands[1].Type, a) & 1 << l
			continue
		}
		mask |= b2u(cmpRef(in.Row.Name, in.Row.Operands[1].Type, a, b)) << l
	}
	m.put64(in.Ops[0].Reg, mask)
	if strings.HasPrefix(in.Row.Name, "v_cmpx") {
		m.put64(RegEXEC, mask)
	}
}

// classOf returns the bit of v_cmp_class that stands for a float.
func classOf(t Type, v uint64) int {
	f := refFloats[t]
	man, exp := v&(1<<(f.p-1)-1), v>>(f.p-1)&(1<<(f.width-f.p)-1)
	neg := v>>(f.width-1)&1 != 0
	of := func(n, p int) int {
		if neg {
			return n
		}
		return p
	}
	switch top := uint64(1)<<(f.width-f.p) - 1; {
	case exp == top && man != 0 && man>>(f.p-2) == 0:
		return 0
	case exp == top && man != 0:
		return 1
	case exp == top:
		return of(2, 9)
	case exp != 0:
		return of(3, 8)
	case man != 0:
		return of(4, 7)
	}
	return of(5, 6)
}

// lanes executes the instructions that move data between lanes, or count lanes. It reports whether
// the instruction is one of them.
func (m *model) lanes(in *Inst) bool {
	old := m.state
	sel := func(i int) uint64 { return refSource(&old, in, i, 0, true) }
	switch in.Row.Name {
	case "v_readlane_b32":
		m.putS(in.Ops[0].Reg, uint64(old.v[in.Ops[1].Reg][sel(2)&63]), 1)
	case "v_readfirstlane_b32":
		first := 0
		if old.exec != 0 {
			first = bits.TrailingZeros64(old.exec)
		}
		m.putS(in.Ops[0].Reg, uint64(old.v[in.Ops[1].Reg][first]), 1)
	case "v_writelane_b32":
		m.v[in.Ops[0].Reg][sel(2)&63] = uint32(sel(1))
	case "v_mbcnt_lo_u32_b32", "v_mbcnt_hi_u32_b32":
		for l := range 64 {
			if old.exec>>l&1 == 0 {
				continue
			}
			below := uint64(1)<<l - 1
			if strings.Contains(in.Row.Name, "_hi_") {
				below >>= 32
			}
			n := bits.OnesCount32(uint32(below) & uint32(refSource(&old, in, 1, l, true)))
			m.v[in.Ops[0].Reg][l] = uint32(n) + uint32(refSource(&old, in, 2, l, true))
		}
	case "v_cndmask_b32":
		for l := range 64 {
			if refActive(&old, in, l) {
				refPut(&m.state, in, l, refSource(&old, in, 1+int(old.get64(in.Ops[3].Reg)>>l&1), l, true))
			}
		}
	case "v_mad_u64_u32", "v_mad_i64_i32":
		var mask uint64
		for l := range 64 {
			if old.exec>>l&1 == 0 {
				continue
			}
			a, b, c := refSource(&old, in, 2, l, true), refSource(&old, in, 3, l, true), refSource(&old, in, 4, l, true)
			sum := new(big.Int).Mul(new(big.Int).SetUint64(a), new(big.Int).SetUint64(b))
			sum.Add(sum, new(big.Int).SetUint64(c))
			over := sum.BitLen() > 64
			if in.Row.Name == "v_mad_i64_i32" {
				sum.Mul(big.NewInt(sext(a, 32)), big.NewInt(sext(b, 32)))
				sum.Add(sum, big.NewInt(int64(c)))
				over = !sum.IsInt64()
			}
			mask |= b2u(over) << l
			refPut(&m.state, in, l, new(big.Int).And(sum, new(big.Int).SetUint64(math.MaxUint64)).Uint64())
		}
		m.put64(in.Ops[1].Reg, mask)
	case "v_mqsad_u32_u8":
		for l := range 64 {
			if old.exec>>l&1 == 0 {
				continue
			}
			a, b := refSource(&old, in, 1, l, true), refSource(&old, in, 2, l, true)
			for i := range uint16(4) {
				m.v[in.Ops[0].Reg+i][l] = uint32(sad(a>>(8*i)&math.MaxUint32, b, true)) + old.v[in.Ops[3].Reg+i][l]
			}
		}
	default:
		return false
	}
	return true
}

// putS writes one or two scalar registers; EXEC is one of them.
func (m *model) putS(r uint16, v uint64, n int) {
	m.s[r] = uint32(v)
	if n == 2 {
		m.s[r+1] = uint32(v >> 32)
	}
	m.exec = uint64(m.s[RegEXEC]) | uint64(m.s[RegEXEC+1])<<32
}

// scalar executes a scalar instruction.
func (m *model) scalar(in *Inst, refs map[string]scalarRef) bool {
	row, old := in.Row, m.state
	if (row.Reads|row.Writes)&Mode != 0 {
		v := uint32(in.Ops[0].Imm) | uint32(in.Ops[1].Imm)
		for i := range row.Operands {
			if row.Operands[i].Kind == ClassHWReg {
				v = uint32(in.Ops[i].Imm)
			}
		}
		lo, n := v>>6&31, v>>11&31+1
		if row.Name == "s_getreg_b32" {
			m.putS(in.Ops[0].Reg, uint64(m.mode)>>lo&(1<<n-1), 1)
			return true
		}
		mask := uint32((uint64(1)<<n - 1) << lo)
		m.mode = m.mode&^mask | uint32(refSource(&old, in, 1, 0, true))<<lo&mask
		return true
	}
	saves := strings.HasSuffix(row.Name, "_saveexec_b64")
	fn := refs[strings.Replace(row.Name, "_saveexec", "", 1)]
	if strings.HasPrefix(row.Name, "s_cmp") {
		fn = scalarCompare(row.Name)
	}
	if fn == nil {
		return false
	}
	var s []uint64
	dst, n := -1, 0
	for i, o := range row.Operands {
		switch {
		case o.Dst:
			dst, n = i, o.Type.Dwords()
		case in.Ops[i].Kind == KindImm:
			s = append(s, uint64(in.Ops[i].Imm))
		default:
			s = append(s, refSource(&old, in, i, 0, true))
		}
	}
	var d uint64
	if dst >= 0 {
		d = old.get64(in.Ops[dst].Reg)
		if n == 1 {
			d &= math.MaxUint32
		}
	}
	if saves {
		s = append(s, old.exec)
	}
	v, scc, keep := fn(s, d, old.scc)
	if !keep {
		m.scc = scc
	}
	switch {
	case saves:
		m.put64(in.Ops[0].Reg, old.exec)
		m.put64(RegEXEC, v)
	case dst >= 0:
		m.putS(in.Ops[dst].Reg, v, n)
	}
	return true
}

// scalarCompare evaluates s_cmp_* and s_cmpk_* by the letters of the mnemonic.
func scalarCompare(name string) scalarRef {
	p := strings.Split(name, "_")
	return func(s []uint64, _ uint64, _ bool) (uint64, bool, bool) {
		a, b := s[0], s[1]
		if p[1] == "cmpk" {
			b &= 0xffff
			if p[3] == "i32" {
				b = uint64(uint32(sext(b, 16)))
			}
		}
		if p[3] == "i32" {
			a, b = a^1<<31, b^1<<31 // the order of signed numbers
		}
		return 0, map[string]bool{"eq": a == b, "lg": a != b, "gt": a > b, "ge": a >= b, "lt": a < b, "le": a <= b}[p[2]], false
	}
}

// modelRefs holds the transcriptions that a model needs, made once.
type modelRefs struct {
	lane   map[string]laneRef
	scalar map[string]scalarRef
}

func newModelRefs() modelRefs { return modelRefs{laneRefs(), scalarRefs()} }

// knows reports whether the model can execute the instructions of a row.
func (r modelRefs) knows(row *Row) bool {
	switch {
	case row.Sem == nil || row.Flags.Has(FlagIndirect) || row.GPRIdx != IdxNone:
		return false
	case row.Unit == UnitSALU:
		return row.Name != "s_getpc_b64" && (r.scalar[strings.Replace(row.Name, "_saveexec", "", 1)] != nil || strings.HasPrefix(row.Name, "s_cmp"))
	case row.Unit != UnitVALU:
		return false
	}
	return row.Format == VOPC || r.lane[row.Name] != nil || isCarry(row) ||
		slices.Contains([]string{"v_readlane_b32", "v_readfirstlane_b32", "v_writelane_b32", "v_mbcnt_lo_u32_b32", "v_mbcnt_hi_u32_b32",
			"v_cndmask_b32", "v_mad_u64_u32", "v_mad_i64_i32", "v_mqsad_u32_u8"}, row.Name)
}

func isCarry(row *Row) bool {
	return row.Format == VOP2 && len(row.Operands) >= 4 && row.Operands[1].Kind == ClassSMask
}

// step executes one instruction that is not a branch.
func (m *model) step(in *Inst, r modelRefs) bool {
	m.s[RegEXEC], m.s[RegEXEC+1] = uint32(m.exec), uint32(m.exec>>32)
	row := in.Row
	switch {
	case row.Format == FormatDS || row.Format == FLAT:
		m.memory(in)
	case row.Unit == UnitSALU:
		return m.scalar(in, r.scalar)
	case row.Format == VOPC:
		m.compare(in)
	case isCarry(row):
		m.carry(in)
	case r.lane[row.Name] != nil:
		m.vector(in, r.lane[row.Name])
	default:
		return m.lanes(in)
	}
	return true
}

// taken reports whether a branch is taken.
func (m *model) taken(name string) bool {
	vcc := m.get64(RegVCC)
	switch strings.TrimPrefix(name, "s_cbranch_") {
	case "scc0":
		return !m.scc
	case "scc1":
		return m.scc
	case "vccz":
		return vcc == 0
	case "vccnz":
		return vcc != 0
	case "execz":
		return m.exec == 0
	case "execnz":
		return m.exec != 0
	}
	return true // s_branch
}
