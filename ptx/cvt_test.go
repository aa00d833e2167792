package ptx

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

// This file is a second transcription of cvt among numeric types (PTX 9.7.9.22), on big numbers.

// A cvtFloat is the shape of a floating-point type.
type cvtFloat struct{ p, emin, emax int }

func cvtFloatOf(t Type) cvtFloat {
	switch t {
	case F16:
		return cvtFloat{11, -14, 15}
	case BF16:
		return cvtFloat{8, -126, 127}
	case F32:
		return cvtFloat{24, -126, 127}
	}
	return cvtFloat{53, -1022, 1023}
}

// A cvtNum is a value: a number, or an infinity (inf is its sign), or NaN. neg is the
// sign of a zero.
type cvtNum struct {
	x   *big.Float
	neg bool
	inf int
	nan bool
}

func cvtDecode(t Type, v uint64) cvtNum {
	big0 := func() *big.Float { return new(big.Float).SetPrec(200) }
	n := uint(t.Bits())
	v &= ^uint64(0) >> (64 - n)
	if !t.Float() {
		if t.Signed() {
			return cvtNum{x: big0().SetInt64(int64(v<<(64-n)) >> (64 - n))}
		}
		return cvtNum{x: big0().SetUint64(v)}
	}
	f := cvtFloatOf(t)
	man := uint(f.p - 1)
	neg := v>>(n-1) != 0
	e, m := int(v>>man)&(1<<(n-1-man)-1), v&(1<<man-1)
	switch {
	case e == f.emax-f.emin+2 && m != 0:
		return cvtNum{nan: true}
	case e == f.emax-f.emin+2:
		return cvtNum{inf: map[bool]int{true: -1, false: 1}[neg]}
	case e == 0:
		e = 1
	default:
		m |= 1 << man
	}
	x := big0().SetMantExp(big0().SetUint64(m), e+f.emin-1-int(man))
	if neg {
		x.Neg(x)
	}
	return cvtNum{x: x, neg: neg}
}

// exactly returns x with enough precision for all later operations on it.
func exactly(x *big.Float) *big.Float { return new(big.Float).SetPrec(max(300, x.Prec()+80)) }

// cvtRound rounds to an integer: n, z, m, p name the modes.
func cvtRound(x *big.Float, mode byte) *big.Int {
	floor, acc := x.Int(nil) // toward zero
	if acc != big.Exact && x.Sign() < 0 {
		floor.Sub(floor, big.NewInt(1))
	}
	if acc == big.Exact {
		return floor
	}
	up := new(big.Int).Add(floor, big.NewInt(1))
	switch mode {
	case 'm':
		return floor
	case 'p':
		return up
	case 'z':
		if x.Sign() < 0 {
			return up
		}
		return floor
	}
	part := exactly(x).Sub(x, exactly(x).SetInt(floor))
	switch c := part.Cmp(big.NewFloat(0.5)); {
	case c > 0 || c == 0 && floor.Bit(0) == 1:
		return up
	}
	return floor
}

// cvtEncode rounds a number to a type.
func cvtEncode(t Type, v cvtNum, mode byte) uint64 {
	n := uint(t.Bits())
	f := cvtFloatOf(t)
	sign := uint64(1) << (n - 1)
	inf := (sign - 1) &^ (1<<(f.p-1) - 1)
	switch {
	case v.nan:
		return sign - 1 // all ones but the sign; for f64 see cvtWant
	case v.inf < 0:
		return sign | inf
	case v.inf > 0:
		return inf
	case v.x.Sign() == 0:
		if v.neg {
			return sign
		}
		return 0
	}
	neg := v.x.Sign() < 0
	e := max(v.x.MantExp(nil)-1, f.emin)
	// The value in units of the last place, signed, so that the modes see its direction.
	k := cvtRound(exactly(v.x).SetMantExp(v.x, f.p-1-e), mode)
	k.Abs(k)
	if k.BitLen() > f.p {
		k.Rsh(k, 1)
		e++
	}
	var r uint64
	switch {
	case e > f.emax:
		r = inf
		if mode == 'z' || mode == 'm' && !neg || mode == 'p' && neg {
			r--
		}
	case k.BitLen() < f.p:
		r = k.Uint64()
	default:
		r = uint64(e-f.emin+1)<<(f.p-1) | k.Uint64()&(1<<(f.p-1)-1)
	}
	if neg {
		r |= sign
	}
	return r
}

// cvtWant is the result of a legal cvt; any says that only being NaN counts.
func cvtWant(d, a Type, mods []string, bits uint64) (want uint64, any bool) {
	has := func(m string) bool {
		for _, x := range mods {
			if x == m {
				return true
			}
		}
		return false
	}
	mode, integral := byte('n'), false
	for _, m := range mods {
		if m[0] == 'r' {
			mode, integral = m[1], len(m) == 3
		}
	}
	v := cvtDecode(a, bits)
	least := math.Ldexp(1, -126)
	if has("ftz") && a == F32 && v.x != nil && new(big.Float).Abs(v.x).Cmp(big.NewFloat(least)) < 0 {
		v.x = new(big.Float).SetFloat64(math.Copysign(0, map[bool]float64{true: -1, false: 1}[v.neg]))
	}
	n := uint(d.Bits())
	mask := ^uint64(0) >> (64 - n)
	lo, hi := new(big.Int), new(big.Int).SetUint64(mask)
	if d.Signed() {
		hi.SetUint64(mask >> 1)
		lo.Sub(new(big.Int).Neg(hi), big.NewInt(1))
	}
	wrapped := func(i *big.Int) uint64 {
		return new(big.Int).And(new(big.Int).Add(i, new(big.Int).Lsh(big.NewInt(1), 70)), new(big.Int).SetUint64(mask)).Uint64()
	}
	clamp := func(i *big.Int) uint64 {
		if i.Cmp(lo) < 0 {
			i = lo
		}
		if i.Cmp(hi) > 0 {
			i = hi
		}
		return wrapped(i)
	}
	switch {
	case !d.Float() && !a.Float():
		i, _ := v.x.Int(nil)
		if has("sat") {
			return clamp(i), false
		}
		return wrapped(i), false
	case !d.Float() && v.nan:
		if a != F64 && n != 64 {
			return 0, false
		}
		return 1 << (n - 1), false
	case !d.Float() && v.inf != 0:
		return clamp(new(big.Int).Lsh(big.NewInt(int64(v.inf)), 80)), false
	case !d.Float():
		return clamp(cvtRound(v.x, mode)), false
	}
	if has("sat") {
		switch one := big.NewFloat(1); {
		case v.nan, v.inf < 0, v.x != nil && v.x.Sign() <= 0:
			return 0, false
		case v.inf > 0 || v.x.Cmp(one) > 0:
			v = cvtNum{x: one}
		}
	}
	if v.nan {
		return 0, true
	}
	if integral && v.x != nil {
		v.neg = v.x.Signbit() // -0.25 becomes -0
		v.x = new(big.Float).SetPrec(200).SetInt(cvtRound(v.x, mode))
		mode = 'n'
	}
	r := cvtEncode(d, v, mode)
	if has("ftz") && d == F32 && r&0x7f800000 == 0 {
		r &= 0x80000000
	}
	if has("sat") && r == 1<<(n-1) {
		r = 0
	}
	return r, false
}

// cvtLegal transcribes which modifiers a pair of types takes.
func cvtLegal(d, a Type, rnd string, ftz, sat bool) bool {
	irnd, frnd := len(rnd) == 3, len(rnd) == 2
	switch {
	case ftz && d != F32 && a != F32, sat && d == BF16:
		return false
	case !d.Float() && !a.Float():
		// .sat is legal only if some value of type a is not a value of type d.
		covers := d.Signed() == a.Signed() && d.Bits() >= a.Bits() || d.Signed() && d.Bits() > a.Bits()
		return rnd == "" && !(sat && covers)
	case !d.Float():
		return irnd
	case !a.Float():
		return frnd
	case d == a:
		return !frnd
	}
	// Conversions from f16 and bf16 to f32 and f64, and from f32 to f64, are exact.
	if d == F64 || d == F32 && a != F64 {
		return rnd == ""
	}
	// Between f16 and bf16 the vendor's assembler accepts a missing rounding mode and rounds to
	// nearest.
	return frnd || rnd == "" && d.Bits() == a.Bits() && !sat
}

// cvtInputs are 64 operands of a type.
func cvtInputs(t Type, r *rand.Rand) (list []uint64) {
	n := uint(t.Bits())
	if !t.Float() {
		for _, v := range []uint64{0, 1, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x7fff, 0x8000, 0xffff, 0x10000, 0xffef, 65519, 65520, 2049, 1<<24 + 1, 0x7fffffff, 0x80000000, 0xffffffff,
			1<<32 + 1, 1<<53 + 1, 1<<53 + 3, 1<<63 - 1, 1 << 63, 1<<64 - 513, 1<<64 - 1025, 0x1000001<<39 - 1} {
			list = append(list, v, -v)
		}
	} else {
		for _, x := range []float64{0, 0.25, 0.5, 0.75, 1, 1.5, 2.5, 3.5, 127, 128, 255.5, 256, 32767.5, 32768, 65504, 65519, 65520, 65535.5, 0x1p31, 0x1.fffffep30, 0x1p32, 0x1p63, 0x1p64, 0x1p-24, 0x1p-25, 0x1p-149, 0x1p-130, math.MaxFloat32, math.Inf(1)} {
			v := cvtEncode(t, func() cvtNum {
				if math.IsInf(x, 0) {
					return cvtNum{inf: 1}
				}
				return cvtNum{x: new(big.Float).SetPrec(200).SetFloat64(x)}
			}(), 'n')
			list = append(list, v, v|1<<(n-1))
		}
		list = append(list, 1<<(n-1)-1, 1<<n-1, 1)
	}
	for len(list) < 64 {
		list = append(list, r.Uint64()>>(64-n))
	}
	for i := range list[:64] {
		list[i] &= ^uint64(0) >> (64 - n)
	}
	return list[:64]
}

// TestEveryCvt goes through all pairs of types with all modifiers. Pairs that the manual refuses
// must be refused; the remaining pairs must give the results of the transcription.
func TestEveryCvt(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	all := []Type{U8, S8, U16, S16, U32, S32, U64, S64, F16, BF16, F32, F64}
	ran := 0
	for _, a := range all {
		inputs := cvtInputs(a, r)
		for _, d := range short.Sample(all, 11) {
			for _, rnd := range []string{"", "rni", "rzi", "rmi", "rpi", "rn", "rz", "rm", "rp"} {
				for _, opts := range [][]string{nil, {"ftz"}, {"sat"}, {"ftz", "sat"}} {
					mods := opts
					if rnd != "" {
						mods = append([]string{rnd}, opts...)
					}
					op := strings.Join(append(append([]string{"cvt"}, mods...), d.String(), a.String()), ".")
					legal := cvtLegal(d, a, rnd, strings.Contains(op, ".ftz"), strings.Contains(op, ".sat"))
					src := fmt.Sprintf(".reg .b%d d; .reg .b%d a; %s d, a;", d.Bits(), a.Bits(), op)
					if _, err := ParseTry("", src); (err == nil) != legal {
						t.Errorf("%s: legal: %v, but %v", op, legal, err)
						continue
					} else if !legal {
						if c := diag.Of(err)[0].Code; c != codeModifier && c != codeUnknown {
							t.Errorf("%s: %v", op, err)
						}
						continue
					}
					ran++
					for at := 0; at < 64; at += 32 {
						out := runTry(t, src, map[string][]uint64{"a": inputs[at : at+32]})["d"]
						for i, got := range out {
							want, any := cvtWant(d, a, mods, inputs[at+i])
							if any {
								if !cvtDecode(d, got).nan {
									t.Fatalf("%s of %#x = %#x, want NaN", op, inputs[at+i], got)
								}
							} else if got != want {
								t.Fatalf("%s of %#x = %#x, want %#x", op, inputs[at+i], got, want)
							}
						}
					}
				}
			}
		}
	}
	t.Logf("%d conversions", ran)
	if ran < short.Of(800, 100) {
		t.Errorf("only %d conversions", ran)
	}
}
