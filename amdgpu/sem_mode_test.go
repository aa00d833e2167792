package amdgpu

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"
)

// A refFloat is a format for the reference: precision and least exponent.
type refFloat struct {
	p, emin, width int
}

var refFloats = map[Type]refFloat{F16: {11, -14, 16}, F32: {24, -126, 32}, F64: {53, -1022, 64}}

// round rounds x, which is not 0, in the direction of MODE's two bits (GCN3 ISA 3.6).
func (f refFloat) round(x *big.Float, mode uint8) uint64 {
	neg := x.Sign() < 0
	abs := new(big.Float).SetPrec(6000).Abs(x)
	ulp := max(abs.MantExp(nil)-1, f.emin) - (f.p - 1)
	q := new(big.Float).SetPrec(6000).SetMantExp(abs, -ulp)
	n, _ := q.Int(nil)
	rest := new(big.Float).SetPrec(6000).Sub(q, new(big.Float).SetPrec(6000).SetInt(n))
	half := rest.Cmp(big.NewFloat(0.5))
	up := false
	switch mode {
	case 0:
		up = half > 0 || half == 0 && n.Bit(0) == 1
	case 1:
		up = !neg && rest.Sign() > 0
	case 2:
		up = neg && rest.Sign() > 0
	}
	if up {
		n.Add(n, big.NewInt(1))
	}
	v := new(big.Float).SetPrec(6000).SetMantExp(new(big.Float).SetInt(n), ulp)
	sign := uint64(0)
	if neg {
		sign = 1 << (f.width - 1)
	}
	inf := (uint64(1)<<(f.width-f.p) - 1) << (f.p - 1)
	if v.MantExp(nil)-1 > -f.emin+1 { // beyond the greatest number
		if mode == 3 || mode == 1 && neg || mode == 2 && !neg {
			return sign | inf - 1
		}
		return sign | inf
	}
	if n.Sign() == 0 {
		return sign
	}
	e := v.MantExp(nil) - 1
	m := new(big.Float).SetPrec(6000).SetMantExp(v, f.p-1-max(e, f.emin))
	u, _ := m.Uint64()
	if e < f.emin {
		return sign | u
	}
	return sign | uint64(e-f.emin)<<(f.p-1) + u
}

func (f refFloat) value(b uint64) float64 {
	return map[int]func(uint64) float64{16: f16v, 32: f32, 64: f64v}[f.width](b)
}

// flush returns zero for a denormal.
func (f refFloat) flush(b uint64) uint64 {
	if b>>(f.p-1)&(1<<(f.width-f.p)-1) == 0 {
		return b & (1 << (f.width - 1))
	}
	return b
}

// A refOp computes an exact result of finite operands; a zero has its sign.
type refOp func(x []*big.Float) *big.Float

func bigOf(v float64) *big.Float { return new(big.Float).SetPrec(6000).SetFloat64(v) }

func bigNew() *big.Float { return new(big.Float).SetPrec(6000) }

// TestModes checks rounding, denormals, clamp and omod in every MODE, both with a MODE that is
// known before the kernel starts and with one that the kernel sets.
func TestModes(t *testing.T) {
	t.Parallel()
	add := func(x []*big.Float) *big.Float { return bigNew().Add(x[0], x[1]) }
	mul := func(x []*big.Float) *big.Float { return bigNew().Mul(x[0], x[1]) }
	fma := func(x []*big.Float) *big.Float { return bigNew().Add(bigNew().Mul(x[0], x[1]), x[2]) }
	one := func(x []*big.Float) *big.Float { return x[0] }
	for _, c := range []struct {
		text     string // with %s for the operands
		src, dst Type
		n        int
		op       refOp
		keepsIn  bool // MODE does not flush its operands, because there is nothing to flush
	}{
		{"v_add_f32 v8, v0, v2", F32, F32, 2, add, false}, {"v_mul_f32 v8, v0, v2", F32, F32, 2, mul, false}, {"v_fma_f32 v8, v0, v2, v4", F32, F32, 3, fma, false},
		{"v_mul_legacy_f32 v8, v0, v2", F32, F32, 2, mul, false},
		{"v_add_f64 v[8:9], v[0:1], v[2:3]", F64, F64, 2, add, false}, {"v_mul_f64 v[8:9], v[0:1], v[2:3]", F64, F64, 2, mul, false},
		{"v_fma_f64 v[8:9], v[0:1], v[2:3], v[4:5]", F64, F64, 3, fma, false},
		{"v_add_f16 v8, v0, v2", F16, F16, 2, add, false}, {"v_mul_f16 v8, v0, v2", F16, F16, 2, mul, false}, {"v_fma_f16 v8, v0, v2, v4", F16, F16, 3, fma, false},
		{"v_cvt_f32_f64 v8, v[0:1]", F64, F32, 1, one, false}, {"v_cvt_f16_f32 v8, v0", F32, F16, 1, one, false},
		{"v_ldexp_f32 v8, v0, -3", F32, F32, 1, func(x []*big.Float) *big.Float { return bigNew().Quo(x[0], bigOf(8)) }, false},
		{"v_ldexp_f64 v[8:9], v[0:1], -3", F64, F64, 1, func(x []*big.Float) *big.Float { return bigNew().Quo(x[0], bigOf(8)) }, false},
		{"v_ldexp_f16 v8, v0, -3", F16, F16, 1, func(x []*big.Float) *big.Float { return bigNew().Quo(x[0], bigOf(8)) }, false},
	} {
		t.Run(strings.Fields(c.text)[0], func(t *testing.T) {
			r := rand.New(rand.NewPCG(3, uint64(len(c.text))))
			in, out := refFloats[c.src], refFloats[c.dst]
			for range 24 {
				mode := r.IntN(256)
				m := FloatMode{Round32: uint8(mode & 3), Round16_64: uint8(mode >> 2 & 3), Denorm32: Denorm(mode >> 4 & 3), Denorm16_64: Denorm(mode >> 6), NoIEEE: r.IntN(2) == 0}
				if m == (FloatMode{}) {
					continue
				}
				st := &state{exec: math.MaxUint64}
				vals := make([][64]uint64, c.n)
				for i := range vals {
					for l := range 64 {
						v := edgy(r, in)
						if i == 2 && r.IntN(3) == 0 { // near the product, to cancel
							p, _ := bigNew().Neg(bigNew().Mul(bigOf(in.value(vals[0][l])), bigOf(in.value(vals[1][l])))).Float64()
							if p != 0 && !math.IsInf(p, 0) {
								if b := in.round(bigOf(p), 0); !math.IsInf(in.value(b), 0) {
									v = b
								}
							}
						}
						vals[i][l] = v
						st.v[2*i][l], st.v[2*i+1][l] = uint32(v), uint32(v>>32)
					}
				}
				text := c.text
				if r.IntN(2) == 0 { // MODE is not known while lifting
					st.s[20] = modeBits(m)
					text = "s_setreg_b32 hwreg(HW_REG_MODE, 0, 10), s20\n" + text
				}
				lim := LiftOptions{Mode: m}
				if strings.Contains(text, "setreg") {
					lim.Mode = DefaultMode()
				}
				got := *st
				(&machine{opt: lim}).run(t, assembleText(t, text), &got)
				rm, den := m.Round16_64, m.denorm(c.dst)
				if c.dst == F32 {
					rm = m.Round32
				}
				for l := range 64 {
					var x []*big.Float
					for i := range vals {
						v := vals[i][l]
						if m.denorm(c.src)&DenormInput == 0 {
							v = in.flush(v)
						}
						x = append(x, bigOf(in.value(v)))
					}
					g := uint64(got.v[8][l])
					if c.dst == F64 {
						g |= uint64(got.v[9][l]) << 32
					}
					exact := c.op(x)
					var want uint64
					if exact.Sign() == 0 {
						g &^= 1 << (out.width - 1) // the signs of zeros are tested with the formats
					} else {
						want = out.round(exact, rm)
						if den&DenormOutput == 0 {
							want = out.flush(want)
						}
					}
					if g != want {
						t.Fatalf("mode %#x: %s of %g gives %#x (%g), want %#x (%g)", modeBits(m), text, x, g, out.value(g), want, out.value(want))
					}
				}
			}
		})
	}
}

// edgy returns a finite number of a format, often near the ends of its range.
func edgy(r *rand.Rand, f refFloat) uint64 {
	man := uint64(1)<<(f.p-1) - 1
	top := uint64(1)<<(f.width-f.p) - 1
	e := r.Uint64N(top)
	switch r.IntN(4) {
	case 0:
		e = r.Uint64N(3)
	case 1:
		e = top/2 - 2 + r.Uint64N(4)
	case 2:
		e = min(top-1, top/2+uint64(f.p)/2+r.Uint64N(4))
	}
	m := r.Uint64() & man
	if r.IntN(3) == 0 {
		m &= man << (f.p / 2)
	}
	return r.Uint64N(2)<<(f.width-1) | e<<(f.p-1) | m&man
}

// TestModesOfConversions checks integers rounded to floats, and floats to bytes, in every rounding
// mode.
func TestModesOfConversions(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	for rm := range uint8(4) {
		st := &state{exec: math.MaxUint64}
		for l := range 64 {
			st.v[0][l] = r.Uint32()
			st.v[1][l] = math.Float32bits(float32(r.Float64()*300 - 20))
			if l%4 == 0 {
				st.v[1][l] = math.Float32bits(float32(r.IntN(20)) + 0.5)
			}
			st.v[2][l] = r.Uint32()
		}
		got := *st
		(&machine{opt: LiftOptions{Mode: FloatMode{Round32: rm, Round16_64: rm, Denorm32: DenormKeep, Denorm16_64: DenormKeep}}}).run(t, assembleText(t, `
			v_cvt_f32_u32 v3, v0
			v_cvt_f32_i32 v4, v0
			v_cvt_f16_u16 v5, v0
			v_cvt_f16_i16 v6, v0
			v_cvt_pk_u8_f32 v7, v1, 2, v2`), &got)
		for l := range 64 {
			u := st.v[0][l]
			for n, want := range map[int]uint64{3: refFloats[F32].round(bigOf(float64(u)), rm), 4: refFloats[F32].round(bigOf(float64(int32(u))), rm),
				5: refFloats[F16].round(bigOf(float64(uint16(u))), rm), 6: refFloats[F16].round(bigOf(float64(int16(u))), rm)} {
				if got.v[n][l] != uint32(want) {
					t.Fatalf("mode %d: v%d of %#x = %#x, want %#x", rm, n, u, got.v[n][l], want)
				}
			}
			x := f32(uint64(st.v[1][l]))
			b := []func(float64) float64{math.RoundToEven, math.Ceil, math.Floor, math.Trunc}[rm](x)
			if want := st.v[2][l]&^0xff0000 | uint32(max(0, min(255, b)))<<16; got.v[7][l] != want {
				t.Fatalf("mode %d: v_cvt_pk_u8_f32 of %g = %#x, want %#x", rm, x, got.v[7][l], want)
			}
		}
	}
}

// TestIEEE checks that with IEEE off a number is chosen before a NaN of any kind, and that NaNs are
// not changed.
func TestIEEE(t *testing.T) {
	t.Parallel()
	const snan, qnan = 0x7f800001, 0x7fc00002
	for _, c := range []struct {
		a, b, on, off uint32 // results of v_min_f32
	}{
		{snan, 0x3f800000, snan | 1<<22, 0x3f800000}, {0x3f800000, snan, snan | 1<<22, 0x3f800000},
		{qnan, 0x3f800000, 0x3f800000, 0x3f800000}, {qnan, snan, snan | 1<<22, snan}, {snan, qnan, snan | 1<<22, qnan},
		{0x3f800000, 0xbf800000, 0xbf800000, 0xbf800000},
	} {
		for _, dyn := range []bool{false, true} {
			for _, on := range []bool{false, true} {
				m := FloatMode{Denorm32: DenormKeep, Denorm16_64: DenormKeep, NoIEEE: !on}
				text := "v_min_f32 v2, v0, v1\nv_min3_f32 v3, v0, v1, v1"
				st := &state{exec: math.MaxUint64}
				st.v[0][3], st.v[1][3] = c.a, c.b
				if dyn {
					st.s[3] = modeBits(m)
					m, text = DefaultMode(), "s_setreg_b32 hwreg(HW_REG_MODE, 0, 10), s3\n"+text
				}
				(&machine{opt: LiftOptions{Mode: m}}).run(t, assembleText(t, text), st)
				want := c.off
				if on {
					want = c.on
				}
				if st.v[2][3] != want {
					t.Errorf("IEEE %v, register %v: v_min_f32 %#x, %#x = %#x, want %#x", on, dyn, c.a, c.b, st.v[2][3], want)
				}
			}
		}
	}
}

// TestModifiersDynamic checks omod of f16 and f64, and clamp, with MODE in a register. The results
// are the same as with a known MODE.
func TestModifiersDynamic(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 8))
	for _, text := range []string{"v_add_f32 v8, v0, v2 mul:2", "v_mul_f32 v8, v0, v2 div:2 clamp", "v_add_f64 v[8:9], v[0:1], v[2:3] mul:4", "v_mul_f64 v[8:9], v[0:1], v[2:3] clamp",
		"v_add_f16_e64 v8, v0, v2 mul:2", "v_mul_f16_e64 v8, v0, v2 div:2 clamp", "v_max_f32 v8, v0, v2 clamp", "v_cmp_lt_f32 vcc, v0, v2", "v_mac_f32 v8, v0, v2", "v_mac_f16 v8, v0, v2",
		"v_div_fmas_f32 v8, v0, v2, v4", "v_div_fmas_f64 v[8:9], v[0:1], v[2:3], v[4:5]", "v_floor_f32 v8, v0", "v_cvt_f32_f16 v8, v0", "v_med3_f32 v8, v0, v2, v4", "v_rcp_f16 v8, v0"} {
		for range 12 {
			bits := r.Uint32() & 0x3ff
			m := modeOf(bits)
			if m == (FloatMode{}) {
				continue
			}
			st := floatState(r)
			st.s[20] = bits
			got, want := *st, *st
			(&machine{opt: LiftOptions{Mode: m}}).run(t, assembleText(t, text), &want)
			(&machine{}).run(t, assembleText(t, "s_setreg_b32 hwreg(HW_REG_MODE, 0, 10), s20\n"+text), &got)
			if d := got.diff(&want); d != "" {
				t.Fatalf("mode %#x: %s: %s", bits, text, d)
			}
		}
	}
	// The expected values are 1.5*2 if omod takes effect.
	for _, c := range []struct {
		text string
		a    uint64
		want uint64
	}{
		{"v_add_f64 v[8:9], v[0:1], 0 mul:2", math.Float64bits(1.5), math.Float64bits(3)}, {"v_add_f64 v[8:9], v[0:1], 0 div:2", math.Float64bits(-0x1p-1022), 0},
		{"v_add_f16_e64 v8, v0, 0 mul:4", 0x3e00, 0x4600}, {"v_add_f16_e64 v8, v0, 0 div:2", 0x8400, 0},
	} {
		st := &state{exec: 1}
		st.v[0][0], st.v[1][0] = uint32(c.a), uint32(c.a>>32)
		(&machine{opt: LiftOptions{Mode: FloatMode{Round32: 3, NoIEEE: true}}}).run(t, assembleText(t, c.text), st)
		if g := uint64(st.v[8][0]) | uint64(st.v[9][0])<<32; g != c.want {
			t.Errorf("%s of %#x = %#x, want %#x", c.text, c.a, g, c.want)
		}
	}
}

// cubeRef transcribes v_cubeid_f32 (0), v_cubesc_f32, v_cubetc_f32 and v_cubema_f32
// (3) from AMD's description; face numbers are floats.
func cubeRef(s []uint64, what int) uint64 {
	x, y, z := f32(s[0]), f32(s[1]), f32(s[2])
	neg := func(v uint64, p bool) uint64 {
		if p {
			return v ^ 1<<31
		}
		return v
	}
	var r [4]uint64
	switch {
	case math.Abs(z) >= math.Abs(x) && math.Abs(z) >= math.Abs(y):
		r = [4]uint64{to32(4 + b2f(z < 0)), neg(s[0], z < 0), neg(s[1], true), to32(2 * z)}
	case math.Abs(y) >= math.Abs(x):
		r = [4]uint64{to32(2 + b2f(y < 0)), s[0], neg(s[2], y < 0), to32(2 * y)}
	default:
		r = [4]uint64{to32(b2f(x < 0)), neg(s[2], !(x < 0)), neg(s[1], true), to32(2 * x)}
	}
	return r[what]
}

// trigPreopRef takes the bits from 2/pi, which it computes by division.
func trigPreopRef() laneRef {
	pi := machinPi(new(big.Int).Lsh(big.NewInt(1), 1400))
	bits := new(big.Int).Div(new(big.Int).Lsh(big.NewInt(1), 2801), pi) // 2/pi in units of 2^-1400
	bits.Rsh(bits, 1400-1201)
	return func(s []uint64) uint64 {
		e := int(s[0] >> 52 & 0x7ff)
		shift := 53 * int(s[1]&31)
		if e > 1077 {
			shift += e - 1077
		}
		v := new(big.Int).Lsh(bits, uint(shift)) // the point stands at bit 1201
		v.Rsh(v, 1201-53).And(v, big.NewInt(1<<53-1))
		scale := -53 - shift
		if e >= 1968 {
			scale += 128
		}
		return math.Float64bits(math.Ldexp(float64(v.Uint64()), scale))
	}
}

// machinPi returns pi in the given units: 16 atan(1/5) - 4 atan(1/239).
func machinPi(unit *big.Int) *big.Int {
	atan := func(x int64) *big.Int {
		term := new(big.Int).Div(unit, big.NewInt(x))
		sum := new(big.Int).Set(term)
		for k := int64(3); term.Sign() != 0; k += 2 {
			term.Quo(term, big.NewInt(-x*x))
			sum.Add(sum, new(big.Int).Quo(term, big.NewInt(k)))
		}
		return sum
	}
	return new(big.Int).Sub(new(big.Int).Mul(big.NewInt(16), atan(5)), new(big.Int).Mul(big.NewInt(4), atan(239)))
}

// TestTrigPreop checks the purpose of v_trig_preop_f64: three segments times x are x * 2/pi, less a
// multiple of 4.
func TestTrigPreop(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(12, 1))
	st := &state{exec: math.MaxUint64}
	for l := range 64 {
		v := math.Float64bits(math.Ldexp(1+r.Float64(), -5+r.IntN(1020)))
		st.v[0][l], st.v[1][l] = uint32(v), uint32(v>>32)
	}
	(&machine{}).run(t, assembleText(t, "v_trig_preop_f64 v[2:3], v[0:1], 0\nv_trig_preop_f64 v[4:5], v[0:1], 1\nv_trig_preop_f64 v[6:7], v[0:1], 2"), st)
	pi := bigNew().SetMantExp(bigNew().SetInt(machinPi(new(big.Int).Lsh(big.NewInt(1), 1400))), -1400)
	for l := range 64 {
		at := func(n int) float64 { return math.Float64frombits(uint64(st.v[n][l]) | uint64(st.v[n+1][l])<<32) }
		x := bigOf(at(0))
		scale := 1.0
		if math.Float64bits(at(0))>>52 >= 1968 {
			scale = 0x1p-128
		}
		sum := bigNew()
		for n := 2; n < 8; n += 2 {
			sum.Add(sum, bigNew().Mul(bigNew().Mul(bigOf(at(n)), bigOf(scale)), x))
		}
		want := bigNew().Quo(bigNew().Mul(x, bigOf(2)), pi)
		d := bigNew().Quo(bigNew().Sub(want, sum), bigOf(4))
		near, _ := bigNew().Add(d, bigOf(math.Copysign(0.5, 1))).Int(nil)
		diff, _ := bigNew().Sub(d, bigNew().SetInt(near)).Float64()
		if math.Abs(diff) > 0x1p-50 {
			t.Errorf("x = %g: the segments miss x*2/pi by %g mod 4", at(0), 4*diff)
		}
	}
}

// TestIntegerClampAll checks integer clamp: the exact result, limited to the range.
func TestIntegerClampAll(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 1))
	u := func(v uint64) int64 { return int64(uint32(v)) }
	s24 := func(v uint64) int64 { return sext(v, 24) }
	sadOf := func(a, b uint64, masked bool) int64 { return int64(sad(a, b, masked)) }
	for _, c := range []struct {
		text   string
		lo, hi int64
		f      func(a, b, c uint64) int64
	}{
		{"v_mul_i32_i24_e64 v3, v0, v1 clamp", math.MinInt32, math.MaxInt32, func(a, b, c uint64) int64 { return s24(a) * s24(b) }},
		{"v_mul_u32_u24_e64 v3, v0, v1 clamp", 0, math.MaxUint32, func(a, b, c uint64) int64 { return int64(a&0xffffff) * int64(b&0xffffff) }},
		{"v_mad_i32_i24 v3, v0, v1, v2 clamp", math.MinInt32, math.MaxInt32, func(a, b, c uint64) int64 { return s24(a)*s24(b) + sext(c, 32) }},
		{"v_mad_u32_u24 v3, v0, v1, v2 clamp", 0, math.MaxUint32, func(a, b, c uint64) int64 { return int64(a&0xffffff)*int64(b&0xffffff) + u(c) }},
		{"v_mad_u16 v3, v0, v1, v2 clamp", 0, math.MaxUint16, func(a, b, c uint64) int64 { return int64(a&0xffff)*int64(b&0xffff) + int64(c&0xffff) }},
		{"v_mad_i16 v3, v0, v1, v2 clamp", math.MinInt16, math.MaxInt16, func(a, b, c uint64) int64 { return sext(a, 16)*sext(b, 16) + sext(c, 16) }},
		{"v_sad_u8 v3, v0, v1, v2 clamp", 0, math.MaxUint32, func(a, b, c uint64) int64 { return sadOf(a, b, false) + u(c) }},
		{"v_sad_hi_u8 v3, v0, v1, v2 clamp", 0, math.MaxUint32, func(a, b, c uint64) int64 { return sadOf(a, b, false)<<16 + u(c) }},
		{"v_msad_u8 v3, v0, v1, v2 clamp", 0, math.MaxUint32, func(a, b, c uint64) int64 { return sadOf(a, b, true) + u(c) }},
		{"v_sad_u32 v3, v0, v1, v2 clamp", 0, math.MaxUint32, func(a, b, c uint64) int64 { return max(u(a)-u(b), u(b)-u(a)) + u(c) }},
		{"v_sad_u16 v3, v0, v1, v2 clamp", 0, math.MaxUint32, func(a, b, c uint64) int64 {
			d := func(n uint) int64 { return int64(abs(int(a>>n&0xffff) - int(b>>n&0xffff))) }
			return d(0) + d(16) + u(c)
		}},
		{"v_addc_u32_e64 v3, s[10:11], v0, v1, s[12:13] clamp", 0, math.MaxUint32, nil},
		{"v_subb_u32_e64 v3, s[10:11], v0, v1, s[12:13] clamp", 0, math.MaxUint32, nil},
	} {
		st := &state{exec: math.MaxUint64}
		for l := range 64 {
			for n := range 3 {
				st.v[n][l] = r.Uint32() | r.Uint32()&(r.Uint32()<<r.UintN(32))
				if r.IntN(3) == 0 {
					st.v[n][l] |= 0xffffff00
				}
			}
		}
		st.s[12], st.s[13] = r.Uint32(), r.Uint32()
		got := *st
		(&machine{}).run(t, assembleText(t, c.text), &got)
		clamped := 0
		for l := range 64 {
			a, b, d := uint64(st.v[0][l]), uint64(st.v[1][l]), uint64(st.v[2][l])
			var v int64
			if c.f != nil {
				v = c.f(a, b, d)
			} else if carry := int64(st.get64(12) >> l & 1); strings.Contains(c.text, "addc") {
				v = u(a) + u(b) + carry
			} else {
				v = u(a) - u(b) - carry
			}
			want := max(c.lo, min(c.hi, v))
			if want != v {
				clamped++
			}
			w := uint32(want)
			if strings.Contains(c.text, "16 ") && strings.HasPrefix(c.text, "v_mad") {
				w &= 0xffff
			}
			if got.v[3][l] != w {
				t.Fatalf("%s of %#x, %#x, %#x = %#x, want %#x", c.text, a, b, d, got.v[3][l], w)
			}
		}
		if clamped == 0 && !strings.Contains(c.text, "sad_u8") {
			t.Errorf("%s: nothing was clamped", c.text)
		}
	}
}

// TestWideClamp checks the wide sums of absolute differences and the 64-bit mads, with and without
// clamp.
func TestWideClamp(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(21, 1))
	for range 8 {
		st := &state{exec: r.Uint64()}
		for l := range 64 {
			for n := range 8 {
				st.v[n][l] = r.Uint32()
				if r.IntN(2) == 0 {
					st.v[n][l] |= 0xffffff00
				}
			}
		}
		for _, clamp := range []string{"", " clamp"} {
			got := *st
			(&machine{}).run(t, assembleText(t, "v_mqsad_u32_u8 v[8:11], v[0:1], v2, v[4:7]"+clamp), &got)
			pk := *st
			(&machine{}).run(t, assembleText(t, "v_qsad_pk_u16_u8 v[8:9], v[0:1], v2, v[4:5]"+clamp+"\nv_mqsad_pk_u16_u8 v[10:11], v[0:1], v2, v[4:5]"+clamp), &pk)
			mad := *st
			(&machine{}).run(t, assembleText(t, "v_mad_u64_u32 v[8:9], s[4:5], v0, v1, v[4:5]"+clamp+"\nv_mad_i64_i32 v[10:11], s[6:7], v0, v1, v[4:5]"+clamp), &mad)
			for l := range 64 {
				if st.exec>>l&1 == 0 {
					if got.v[8][l] != st.v[8][l] {
						t.Fatal("a lane outside EXEC was written")
					}
					continue
				}
				s0, s1 := uint64(st.v[0][l])|uint64(st.v[1][l])<<32, uint64(st.v[2][l])
				for i := range 4 {
					w := uint64(sad(s0>>(8*i)&math.MaxUint32, s1, true)) + uint64(st.v[4+i][l])
					if clamp != "" {
						w = min(w, math.MaxUint32)
					}
					if got.v[8+i][l] != uint32(w) {
						t.Fatalf("v_mqsad_u32_u8%s: dword %d = %#x, want %#x", clamp, i, got.v[8+i][l], uint32(w))
					}
					for m := range 2 {
						w := sad(s0>>(8*i)&math.MaxUint32, s1, m == 1) + int(st.v[4+i/2][l]>>(16*(i%2))&0xffff)
						if clamp != "" {
							w = min(w, math.MaxUint16)
						}
						if g := pk.v[8+2*m+i/2][l] >> (16 * (i % 2)) & 0xffff; g != uint32(w)&0xffff {
							t.Fatalf("qsad%s masked %d: half %d = %#x, want %#x", clamp, m, i, g, w)
						}
					}
				}
				c := new(big.Int).SetUint64(uint64(st.v[4][l]) | uint64(st.v[5][l])<<32)
				for sg := range 2 {
					a, b, lo, hi := big.NewInt(int64(st.v[0][l])), big.NewInt(int64(st.v[1][l])), big.NewInt(0), new(big.Int).SetUint64(math.MaxUint64)
					sum := new(big.Int).Set(c)
					if sg == 1 {
						a, b = big.NewInt(int64(int32(st.v[0][l]))), big.NewInt(int64(int32(st.v[1][l])))
						sum, lo, hi = big.NewInt(int64(c.Uint64())), big.NewInt(math.MinInt64), big.NewInt(math.MaxInt64)
					}
					sum.Add(sum, new(big.Int).Mul(a, b))
					over := sum.Cmp(lo) < 0 || sum.Cmp(hi) > 0
					if clamp != "" && sum.Cmp(lo) < 0 {
						sum = lo
					} else if clamp != "" && sum.Cmp(hi) > 0 {
						sum = hi
					}
					w := new(big.Int).And(sum, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
					g := uint64(mad.v[8+2*sg][l]) | uint64(mad.v[9+2*sg][l])<<32
					if g != w || mad.get64(uint16(4+2*sg))>>l&1 != b2u(over) {
						t.Fatalf("64-bit mad%s, signed %d: %#x, want %#x, overflow %v", clamp, sg, g, w, over)
					}
				}
			}
		}
	}
}

// TestModeConstantIsFree checks that instructions cost no more than usual if MODE is constant: the
// lifter uses no operation that takes MODE, for every way in which MODE was set.
func TestModeConstantIsFree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		dyn  bool
	}{
		{"v_add_f32 v1, v2, v3", false},
		{"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3\nv_fma_f32 v1, v2, v3, v4\nv_min_f32 v1, v2, v3\nv_cmp_lt_f32 vcc, v1, v2\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\nv_add_f32 v1, v2, v3 clamp", false},
		{"s_mov_b32 s4, 0\ns_cbranch_scc1 over\nv_mov_b32 v1, v2\nover:\ns_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s4\nv_mul_f16 v1, v2, v3", false},
		{"s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s4\nv_add_f32 v1, v2, v3", true},
		{"s_setreg_b32 hwreg(HW_REG_MODE, 4, 2), s4\ns_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 10), 0x3f0\nv_add_f32 v1, v2, v3", false},
	} {
		f, err := Lift(Code{Bytes: assembleText(t, c.text)}, LiftOptions{Name: "k", Mode: DefaultMode(), AllowEnd: true})
		if err != nil {
			t.Fatal(err)
		}
		dyn := false
		for i := range f.Code {
			for _, a := range f.Code[i].Args {
				dyn = dyn || !f.Code[i].Scalar && f.Val(a).Name == "mode"
			}
		}
		if dyn != c.dyn {
			t.Errorf("%q: MODE is an argument: %v, want %v", c.text, dyn, c.dyn)
		}
	}
}

// TestDivisionSpecial checks the division sequences of compilers over all pairs of special
// operands: with denormals kept, and with denormals switched on for the Newton steps only.
func TestDivisionSpecial(t *testing.T) {
	t.Parallel()
	const steps32 = `
		v_fma_f32 v7, -v4, v6, 1.0
		v_fma_f32 v6, v7, v6, v6
		v_mul_f32 v7, v5, v6
		v_fma_f32 v8, -v4, v7, v5
		v_fma_f32 v7, v8, v6, v7
		v_fma_f32 v4, -v4, v7, v5
`
	const before32 = "v_div_scale_f32 v4, s[2:3], v1, v1, v0\nv_div_scale_f32 v5, vcc, v0, v1, v0\nv_rcp_f32 v6, v4\n"
	const after32 = "v_div_fmas_f32 v4, v4, v6, v7\nv_div_fixup_f32 v2, v4, v1, v0"
	kept := assembleText(t, before32+steps32+after32)
	switched := assembleText(t, before32+"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3\n"+steps32+"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n"+after32)
	f64code := assembleText(t, `
		v_div_scale_f64 v[4:5], s[2:3], v[2:3], v[2:3], v[0:1]
		v_rcp_f64 v[6:7], v[4:5]
		v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0
		v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]
		v_fma_f64 v[8:9], -v[4:5], v[6:7], 1.0
		v_fma_f64 v[6:7], v[6:7], v[8:9], v[6:7]
		v_div_scale_f64 v[8:9], vcc, v[0:1], v[2:3], v[0:1]
		v_mul_f64 v[10:11], v[8:9], v[6:7]
		v_fma_f64 v[4:5], -v[4:5], v[10:11], v[8:9]
		s_nop 1
		v_div_fmas_f64 v[4:5], v[4:5], v[6:7], v[10:11]
		v_div_fixup_f64 v[4:5], v[4:5], v[2:3], v[0:1]`)
	var s32 []uint32
	var s64 []uint64
	for _, v := range []uint32{0, 1, 2, 0x7fffff, 0x800000, 0x800001, 0x1000000, 0xffffff, 0x3f7fffff, 0x3f800000, 0x3f800001, 0x40400000, 0x20000000, 0x5f000000, 0x7e7fffff, 0x7effffff, 0x7f000000, 0x7f7fffff, 0x7f800000, 0x7fc00001, 0x7f800001} {
		s32 = append(s32, v, v|1<<31)
	}
	for _, v := range []uint64{0, 1, 3, 1<<52 - 1, 1 << 52, 1<<52 + 1, 1 << 53, 0x3fefffffffffffff, 0x3ff0000000000000, 0x3ff0000000000001, 0x4008000000000000, 0x1ff0000000000000, 0x5ff0000000000000, 0x7fcfffffffffffff, 0x7fd0000000000000, 0x7fe0000000000000, 0x7fefffffffffffff, 0x7ff0000000000000, 0x7ff8000000000001, 0x7ff0000000000001} {
		s64 = append(s64, v, v|1<<63)
	}
	keep := &machine{opt: LiftOptions{Mode: FloatMode{Denorm32: DenormKeep, Denorm16_64: DenormKeep}}}
	for _, a := range s32 {
		st := &state{exec: math.MaxUint64}
		for l := range 64 {
			st.v[0][l], st.v[1][l] = a, s32[l%len(s32)]
		}
		one, two := *st, *st
		keep.run(t, kept, &one)
		(&machine{}).run(t, switched, &two)
		for l := range 64 {
			x, y := math.Float32frombits(a), math.Float32frombits(st.v[1][l])
			want := uint64(math.Float32bits(x / y))
			if !sameFloat(F32, uint64(one.v[2][l]), want) {
				t.Errorf("%#x / %#x = %#x, want %#x", a, st.v[1][l], one.v[2][l], want)
			}
			// If f32 denormals are flushed outside of the steps, operands and quotients that are
			// normal or special give the same result.
			normal := func(v uint64) bool { return refFloats[F32].flush(v) == v }
			if normal(uint64(a)) && normal(uint64(st.v[1][l])) && normal(want) && !sameFloat(F32, uint64(two.v[2][l]), want) {
				t.Errorf("with denormals switched: %#x / %#x = %#x, want %#x", a, st.v[1][l], two.v[2][l], want)
			}
		}
	}
	for _, a := range s64 {
		st := &state{exec: math.MaxUint64}
		for l := range 64 {
			b := s64[l%len(s64)]
			st.v[0][l], st.v[1][l], st.v[2][l], st.v[3][l] = uint32(a), uint32(a>>32), uint32(b), uint32(b>>32)
		}
		got := *st
		keep.run(t, f64code, &got)
		for l := range 64 {
			b := s64[l%len(s64)]
			want := math.Float64bits(math.Float64frombits(a) / math.Float64frombits(b))
			if g := uint64(got.v[4][l]) | uint64(got.v[5][l])<<32; !sameFloat(F64, g, want) {
				t.Errorf("%#x / %#x = %#x, want %#x", a, b, g, want)
			}
		}
	}
}
