package ptx

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"
)

// x4Value returns the value of a pattern in a format of FP8, FP6 or FP4 (PTX 5.2.3).
func x4Value(format string, b uint64) float64 {
	exp, man, bias := 0, 0, 0
	switch format {
	case "e4m3x4":
		exp, man, bias = 4, 3, 7
		if b&0x7f == 0x7f {
			return math.NaN()
		}
	case "e5m2x4":
		exp, man, bias = 5, 2, 15
		if b&0x7f > 0x7c {
			return math.NaN()
		} else if b&0x7f == 0x7c {
			return math.Inf(1 - 2*int(b>>7&1))
		}
	case "e3m2x4":
		exp, man, bias = 3, 2, 3
	case "e2m3x4":
		exp, man, bias = 2, 3, 1
	case "e2m1x4", "e2m1p4x4":
		exp, man, bias = 2, 1, 1
	case "ue8m0x4":
		if b == 0xff {
			return math.NaN()
		}
		return math.Ldexp(1, int(b)-127)
	}
	e, m := int(b>>man)&(1<<exp-1), int(b)&(1<<man-1)
	v := math.Ldexp(float64(m), 1-bias-man)
	if e > 0 {
		v = math.Ldexp(float64(1<<man|m), e-bias-man)
	}
	if b>>(exp+man)&1 != 0 {
		return -v
	}
	return v
}

// x4Round rounds an exact result to a pattern of the format. If x is not finite, it returns the
// pattern of x.
func x4Round(format string, exact *big.Float, x float64, sat bool) uint64 {
	last, beyond := uint64(0x7e), uint64(0x7f)
	if format == "e5m2x4" {
		last, beyond = 0x7b, 0x7c
	}
	sign := uint64(0)
	if math.Signbit(x) {
		sign = 0x80
	}
	switch {
	case x != x:
		return 0x7f
	case exact == nil || math.IsInf(x, 0):
		if sat {
			return sign | last
		} else if beyond == 0x7f {
			return beyond
		}
		return sign | beyond
	}
	mag := new(big.Float).Abs(exact)
	// The search finds the first pattern whose midpoint with the next pattern is above the result.
	// The pattern after the last one counts as a number here.
	at := func(i int) float64 {
		if i > int(last) {
			return 2*x4Value(format, last) - x4Value(format, last-1)
		}
		return x4Value(format, uint64(i))
	}
	i := uint64(sort.Search(int(last)+1, func(i int) bool {
		c := mag.Cmp(big.NewFloat((at(i) + at(i+1)) / 2))
		return c < 0 || c == 0 && i&1 == 0
	}))
	if i > last {
		switch {
		case sat:
			i = last
		case beyond == 0x7f:
			return beyond
		default:
			i = beyond
		}
	}
	return sign | i
}

// TestAlternateForms runs every spelling of add, sub, mul and fma on FP8, FP6 and FP4.
func TestAlternateForms(t *testing.T) {
	t.Parallel()
	wide := func(x float64) *big.Float { return new(big.Float).SetPrec(1200).SetFloat64(x) }
	formats := []string{"e5m2x4", "e4m3x4", "e3m2x4", "e2m3x4", "e2m1x4", "e2m1p4x4", "ue8m0x4"}
	r := rand.New(rand.NewPCG(9, 4))
	element := func(format string, reg uint64, i int) uint64 {
		if format == "e2m1x4" {
			return reg >> (4 * i) & 15
		}
		return reg >> (8 * i) & 0xff
	}
	run := func(op, to string, from ...string) {
		spelling := strings.Join(append([]string{to}, from...), ".")
		if op != "mul" {
			from = append(from, to) // c has the result's format
		}
		for _, sat := range []bool{false, true} {
			src := op + map[int]string{0: ".rn", 1: ""}[r.IntN(2)] + map[bool]string{true: ".satfinite"}[sat] + "." + spelling
			args, ops := []string{"a", "b", "c"}, len(from)
			set := map[string][]uint64{}
			for n := range ops {
				for range 32 {
					v := uint64(r.Uint32())
					if from[n] == "e2m1x4" {
						v &= 0xffff
					}
					set[args[n]] = append(set[args[n]], v)
				}
			}
			src += " d, " + strings.Join(args[:ops], ", ") + ";"
			got := runTry(t, src, set)["d"]
			for lane := range 32 {
				for i := range 4 {
					var x [3]float64
					finite := true
					for n := range ops {
						x[n] = x4Value(from[n], element(from[n], set[args[n]][lane], i))
						finite = finite && !math.IsNaN(x[n]) && !math.IsInf(x[n], 0)
					}
					var f float64
					var exact *big.Float
					switch op {
					case "add":
						f = x[0] + x[1]
						if finite {
							exact = new(big.Float).Add(wide(x[0]), wide(x[1]))
						}
					case "sub":
						f = x[0] - x[1]
						if finite {
							exact = new(big.Float).Sub(wide(x[0]), wide(x[1]))
						}
					default:
						f = x[0] * x[1]
						if op == "fma" {
							f = math.FMA(x[0], x[1], x[2])
						}
						if finite {
							exact = new(big.Float).Mul(wide(x[0]), wide(x[1]))
							if op == "fma" {
								exact.Add(exact, wide(x[2]))
							}
						}
					}
					if w := x4Round(to, exact, f, sat); got[lane]>>(8*i)&0xff != w {
						t.Fatalf("%s element %d of %v = %#x, want %#x", src, i, x[:ops], got[lane]>>(8*i)&0xff, w)
					}
				}
			}
		}
	}
	for _, to := range formats[:2] {
		for _, a := range formats {
			run("add", to, a)
			run("sub", to, a)
			for _, b := range formats {
				run("mul", to, a, b)
				run("fma", to, a, b)
			}
		}
	}
}

// TestMixedPacked runs the forms of PTX 9.4, 9.7.5, whose halves differ in type, against
// big numbers.
func TestMixedPacked(t *testing.T) {
	t.Parallel()
	modes := map[string]big.RoundingMode{"": big.ToNearestEven, ".rn": big.ToNearestEven, ".rz": big.ToZero, ".rm": big.ToNegativeInf, ".rp": big.ToPositiveInf}
	r := rand.New(rand.NewPCG(9, 5))
	exact := func(x float64) *big.Float { return new(big.Float).SetPrec(600).SetFloat64(x) }
	f32 := func() uint64 { // moderate numbers
		return uint64(r.Uint32()&0x807fffff | (100+uint32(r.IntN(50)))<<23)
	}
	value := func(v uint64) float64 { return float64(math.Float32frombits(uint32(v))) }
	half := func(typ string) (bits uint64, x float64) {
		if typ == "bf16x2" {
			bits = f32() >> 16
			return bits, value(bits << 16)
		}
		m, e := r.IntN(1024), 1+r.IntN(30)
		bits = uint64(e<<10|m) | uint64(r.IntN(2))<<15
		if x = math.Ldexp(float64(1024+m), e-25); bits>>15 != 0 {
			x = -x
		}
		return bits, x
	}
	op := func(name string, a, b, c *big.Float) *big.Float {
		switch name {
		case "add":
			return new(big.Float).Add(a, b)
		case "sub":
			return new(big.Float).Sub(a, b)
		case "mul":
			return new(big.Float).Mul(a, b)
		}
		p := new(big.Float).SetPrec(600).Mul(a, b)
		return p.Add(p, c)
	}
	// Up: f16 or bf16 with f32 to f32.
	for rnd, mode := range modes {
		for _, typ := range []string{"f16x2", "bf16x2"} {
			for _, name := range []string{"add", "sub", "fma"} {
				if name == "fma" && rnd == "" {
					continue
				}
				set := map[string][]uint64{}
				want := make([]uint64, 32)
				for lane := range 32 {
					var a, b, c uint64
					for h := range 2 {
						bits, x := half(typ)
						y, z := f32(), f32()
						a, b, c = a|bits<<(16*h), b|y<<(32*h), c|z<<(32*h)
						e := op(name, exact(x), exact(value(y)), exact(value(z)))
						g, _ := new(big.Float).SetPrec(24).SetMode(mode).Set(e).Float32()
						want[lane] |= uint64(math.Float32bits(g)) << (32 * h)
					}
					set["a"], set["b"], set["c"] = append(set["a"], a), append(set["b"], b), append(set["c"], c)
				}
				src := fmt.Sprintf("%s%s.f32x2.%s.f32x2 d, a, b", name, rnd, typ)
				if name == "fma" {
					src = fmt.Sprintf("fma%s.f32x2.%s.f32x2.f32x2 d, a, b, c", rnd, typ)
				}
				got := runTry(t, src+";", set)["d"]
				for lane := range 32 {
					if got[lane] != want[lane] {
						t.Fatalf("%s of %#x, %#x, %#x = %#x, want %#x", src, set["a"][lane], set["b"][lane], set["c"][lane], got[lane], want[lane])
					}
				}
			}
		}
	}
	// Down: the conversion rounds toward zero, to 11 or 8 bits. f16 flushes results below 2^-14.
	for _, name := range []string{"add", "sub", "mul"} {
		for _, typ := range []string{"f16x2", "bf16x2"} {
			set := map[string][]uint64{}
			want := make([]uint64, 32)
			for lane := range 32 {
				var a, b uint64
				for h := range 2 {
					x, y := f32(), f32()
					a, b = a|x<<(32*h), b|y<<(32*h)
					e := op(name, exact(value(x)), exact(value(y)), nil)
					prec := uint(8)
					if typ == "f16x2" {
						prec = 11
					}
					f, _ := new(big.Float).SetPrec(prec).SetMode(big.ToZero).Set(e).Float64()
					var bits uint64
					switch {
					case typ == "bf16x2":
						bits = uint64(math.Float32bits(float32(f)) >> 16)
					case math.Abs(f) < 0x1p-14:
					case math.Abs(f) > 65504:
						bits = 0x7bff
					default:
						frac, exp := math.Frexp(math.Abs(f))
						bits = uint64(exp+14)<<10 | uint64(frac*2048)&1023
					}
					if typ == "f16x2" && math.Signbit(f) {
						bits |= 0x8000
					}
					want[lane] |= bits << (16 * h)
				}
				set["a"], set["b"] = append(set["a"], a), append(set["b"], b)
			}
			src := name + ".rz" + map[string]string{"f16x2": ".ftz"}[typ] + "." + typ + ".f32x2.f32x2 d, a, b"
			got := runTry(t, src+";", set)["d"]
			for lane := range 32 {
				if got[lane] != want[lane] {
					t.Fatalf("%s of %#x, %#x = %#x, want %#x", src, set["a"][lane], set["b"][lane], got[lane], want[lane])
				}
			}
		}
	}
}

// TestSetLanes runs set of bytes and halves (PTX 9.4, 9.7.7.1) against its semantics.
func TestSetLanes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 6))
	cmp := map[string]func(a, b int64) bool{
		"eq": func(a, b int64) bool { return a == b }, "ne": func(a, b int64) bool { return a != b },
		"lt": func(a, b int64) bool { return a < b }, "le": func(a, b int64) bool { return a <= b },
		"gt": func(a, b int64) bool { return a > b }, "ge": func(a, b int64) bool { return a >= b },
	}
	cmp["lo"], cmp["ls"], cmp["hi"], cmp["hs"] = cmp["lt"], cmp["le"], cmp["gt"], cmp["ge"]
	for _, typ := range []string{"u8x4", "s8x4", "u16x2", "s16x2"} {
		for name, f := range cmp {
			if typ[0] == 's' && (name[0] == 'h' || name == "lo" || name == "ls") {
				continue
			}
			bits := 8
			if strings.HasSuffix(typ, "x2") {
				bits = 16
			}
			set := map[string][]uint64{}
			for range 32 {
				a, b := r.Uint32(), r.Uint32()
				if r.IntN(2) == 0 { // some elements equal
					b = a ^ b&r.Uint32()&0xff00ff00
				}
				set["a"], set["b"] = append(set["a"], uint64(a)), append(set["b"], uint64(b))
			}
			src := "set." + name + "." + typ + " d, a, b;"
			got := runTry(t, src, set)["d"]
			for lane := range 32 {
				var want uint64
				for at := 0; at < 32; at += bits {
					x, y := int64(set["a"][lane]>>at)&(1<<bits-1), int64(set["b"][lane]>>at)&(1<<bits-1)
					if typ[0] == 's' {
						x, y = x<<(64-bits)>>(64-bits), y<<(64-bits)>>(64-bits)
					}
					if f(x, y) {
						want |= (1<<bits - 1) << at
					}
				}
				if got[lane] != want {
					t.Fatalf("%s of %#x, %#x = %#x, want %#x", src, set["a"][lane], set["b"][lane], got[lane], want)
				}
			}
		}
	}
}
