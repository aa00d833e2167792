package num

import "testing"

type softCase struct {
	name string
	f    Format
	ref  refFormat
}

func softCases() []softCase {
	return []softCase{
		{"f16", FormatF16(), refF16}, {"bf16", FormatBF16(), refBF16},
		{"f32", FormatF32(), refF32}, {"f64", FormatF64(), refF64},
	}
}

var modeNames = map[RoundMode]string{RN: "rn", RZ: "rz", RM: "rm", RP: "rp", RNA: "rna"}

func TestFormats(t *testing.T) {
	t.Parallel()
	for _, c := range softCases() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			edges := c.ref.edges()
			sign := uint64(1) << (c.ref.width - 1)
			one := uint64(-c.ref.emin+1) << (c.ref.p - 1)
			r := rng(uint64(c.ref.p))
			n := count(20_000, 500_000)
			for i := range len(edges)*len(edges) + n {
				var x, y, z uint64
				if i < len(edges)*len(edges) {
					x, y, z = edges[i%len(edges)], edges[i/len(edges)], edges[r.IntN(len(edges))]
				} else {
					x = c.ref.random(r, one)
					y = c.ref.random(r, x)
					z = c.ref.random(r, y)
					if i%3 == 0 {
						x, y, z = c.ref.hardFma(r)
					}
				}
				mode := RoundMode(i % 5)
				for _, op := range []struct {
					name string
					got  uint64
					ref  func() (uint64, bool)
				}{
					{"fma", c.f.Fma(mode, x, y, z), func() (uint64, bool) { return c.ref.refFma(mode, x, y, z) }},
					{"add", c.f.Add(mode, x, y), func() (uint64, bool) { return c.ref.refFma(mode, x, one, y) }},
					{"sub", c.f.Sub(mode, x, y), func() (uint64, bool) { return c.ref.refFma(mode, x, one, y^sign) }},
					{"mul", c.f.Mul(mode, x, y), func() (uint64, bool) { return c.ref.refFma(mode, x, y, (x^y)&sign) }},
					{"div", c.f.Div(mode, x, y), func() (uint64, bool) { return c.ref.refDiv(mode, x, y) }},
					{"sqrt", c.f.Sqrt(mode, x), func() (uint64, bool) { return c.ref.refSqrt(mode, x) }},
				} {
					want, nan := op.ref()
					if nan {
						want = c.f.NaN
					}
					if op.got != want {
						t.Fatalf("%s.%s(%#x, %#x, %#x) = %#x, want %#x", op.name, modeNames[mode], x, y, z, op.got, want)
					}
				}
			}
		})
	}
}

func TestFormatConvert(t *testing.T) {
	t.Parallel()
	cases := softCases()
	for _, from := range cases {
		for _, to := range cases {
			r := rng(9)
			edges := from.ref.edges()
			for i := range len(edges)*5 + count(10_000, 1_000_000) {
				v := from.ref.random(r, uint64(-from.ref.emin+1)<<(from.ref.p-1))
				if i < len(edges)*5 {
					v = edges[i/5]
				}
				mode := RoundMode(i % 5)
				x, neg, inf, nan := from.ref.value(v, 100)
				var want uint64
				switch {
				case nan:
					want = to.f.NaN
				case inf:
					want = (uint64(1)<<(to.ref.width-to.ref.p) - 1) << (to.ref.p - 1)
				case x.Sign() != 0:
					want = to.ref.refRound(mode, x)
				}
				if neg && !nan {
					want |= 1 << (to.ref.width - 1)
				}
				if got := to.f.Convert(mode, from.f, v); got != want {
					t.Fatalf("%s to %s.%s: %#x gives %#x, want %#x", from.name, to.name, modeNames[mode], v, got, want)
				}
			}
		}
	}
}

// TestF64Arithmetic checks the f64 functions against big numbers, and their
// NaN rules.
func TestF64Arithmetic(t *testing.T) {
	t.Parallel()
	type fn3 = func(a, b, c float64) float64
	two := func(f func(a, b float64) float64) fn3 { return func(a, b, _ float64) float64 { return f(a, b) } }
	one := func(f func(a float64) float64) fn3 { return func(a, _, _ float64) float64 { return f(a) } }
	const oneBits, sign = 1023 << 52, 1 << 63
	type ref = func(m RoundMode, a, b, c uint64) (uint64, bool)
	var add, sub, mul, div, rcp, sqrt ref
	add = func(m RoundMode, a, b, _ uint64) (uint64, bool) { return refF64.refFma(m, a, oneBits, b) }
	sub = func(m RoundMode, a, b, _ uint64) (uint64, bool) { return refF64.refFma(m, a, oneBits, b^sign) }
	mul = func(m RoundMode, a, b, _ uint64) (uint64, bool) { return refF64.refFma(m, a, b, (a^b)&sign) }
	div = func(m RoundMode, a, b, _ uint64) (uint64, bool) { return refF64.refDiv(m, a, b) }
	rcp = func(m RoundMode, a, _, _ uint64) (uint64, bool) { return refF64.refDiv(m, oneBits, a) }
	sqrt = func(m RoundMode, a, _, _ uint64) (uint64, bool) { return refF64.refSqrt(m, a) }
	for _, op := range []struct {
		name  string
		arity int
		fn    [4]fn3
		ref   ref
	}{
		{"add", 2, [4]fn3{two(AddF64), two(AddF64RZ), two(AddF64RM), two(AddF64RP)}, add},
		{"sub", 2, [4]fn3{two(SubF64), two(SubF64RZ), two(SubF64RM), two(SubF64RP)}, sub},
		{"mul", 2, [4]fn3{two(MulF64), two(MulF64RZ), two(MulF64RM), two(MulF64RP)}, mul},
		{"div", 2, [4]fn3{two(DivF64), two(DivF64RZ), two(DivF64RM), two(DivF64RP)}, div},
		{"rcp", 1, [4]fn3{one(RcpF64), one(RcpF64RZ), one(RcpF64RM), one(RcpF64RP)}, rcp},
		{"sqrt", 1, [4]fn3{one(SqrtF64), one(SqrtF64RZ), one(SqrtF64RM), one(SqrtF64RP)}, sqrt},
		{"fma", 3, [4]fn3{FmaF64, FmaF64RZ, FmaF64RM, FmaF64RP}, refF64.refFma},
	} {
		r := rng(13)
		edges := refF64.edges()
		for i := range 4*len(edges)*len(edges) + count(10_000, 200_000) {
			x := refF64.random(r, oneBits)
			y := refF64.random(r, x)
			z := refF64.random(r, y)
			if j := i / 4; j < len(edges)*len(edges) {
				x, y, z = edges[j%len(edges)], edges[j/len(edges)], edges[(x^y)%uint64(len(edges))]
			}
			if i%3 == 1 && i > 4*len(edges)*len(edges) {
				x, y, z = refF64.hardFma(r)
			}
			mode := RoundMode(i % 4)
			want, nan := op.ref(mode, x, y, z)
			if nan {
				want = 0xfff8000000000000
				for _, v := range [][]uint64{{x}, {x, y}, {x, y, z}}[op.arity-1] {
					if v&^sign > 0x7ff<<52 {
						want = v | 1<<51
						break
					}
				}
			}
			if got := b64(op.fn[mode](f64(x), f64(y), f64(z))); got != want {
				t.Fatalf("%s.%s(%#x, %#x, %#x) = %#x, want %#x", op.name, modeNames[mode], x, y, z, got, want)
			}
		}
	}
}
