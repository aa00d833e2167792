package ptx

import (
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"
)

// element returns the type of one part of a packed type, and the number of parts.
func element(t Type) (Type, int) {
	switch t {
	case F16x2:
		return F16, 2
	case BF16x2:
		return BF16, 2
	case F32x2:
		return F32, 2
	}
	return t, 1
}

// floatWant is a second transcription of PTX 9.7.3 and 9.7.4: it computes the result of op, with
// all of its modifiers, on operands of type t, by exact arithmetic on big numbers. If any is true,
// any NaN is a right result. If this function does not cover the operation, ok is false.
func floatWant(op string, mods map[string]bool, t Type, args []uint64) (want uint64, any, ok bool) {
	n := uint(t.Bits())
	sign, mode := uint64(1)<<(n-1), byte('n')
	for _, m := range []string{"rz", "rm", "rp"} {
		if mods[m] {
			mode = m[1]
		}
	}
	f := cvtFloatOf(t)
	inf := (sign - 1) &^ (1<<(f.p-1) - 1)
	flush := func(v uint64) uint64 {
		if mods["ftz"] && v&inf == 0 {
			return v & sign
		}
		return v
	}
	nan := func(v uint64) bool { return v&^sign > inf }
	for i := range args {
		args[i] = flush(args[i])
	}
	switch op {
	case "neg", "abs":
		r := args[0] ^ sign
		if op == "abs" {
			r = args[0] &^ sign
		}
		return r, nan(r), true
	case "min", "max":
		// The keys order the patterns: -0 comes before +0.
		key := func(v uint64) int64 {
			if v&sign != 0 {
				return -int64(v&^sign) - 1
			}
			return int64(v)
		}
		xor := (args[0] ^ args[len(args)-1]) & sign
		if mods["abs"] {
			for i := range args {
				args[i] &^= sign
			}
		}
		d := args[0]
		for _, x := range args[1:] {
			switch {
			case nan(d) && nan(x), mods["NaN"] && (nan(d) || nan(x)):
				d = sign - 1
			case nan(d):
				d = x
			case nan(x):
			case (op == "min") == (key(x) < key(d)) && x != d:
				d = x
			}
		}
		if mods["xorsign"] && !nan(d) {
			d = d&^sign | xor
		}
		return d, nan(d) && t == F64, true
	}
	var v []cvtNum
	for _, a := range args {
		x := cvtDecode(t, a)
		if x.nan {
			v = nil
			break
		}
		x.neg = a&sign != 0
		v = append(v, x)
	}
	r := sign - 1 // NaN
	prec := map[Type]uint{F64: 5000, F32: 900, BF16: 900}[t]
	num := func() *big.Float { return new(big.Float).SetPrec(max(prec, 200)) }
	neg := func(x cvtNum) cvtNum {
		y := cvtNum{neg: !x.neg, inf: -x.inf}
		if x.x != nil {
			y.x = num().Neg(x.x)
		}
		return y
	}
	zero := func(x cvtNum) bool { return x.x != nil && x.x.Sign() == 0 }
	mul := func(x, y cvtNum) (z cvtNum) {
		z.neg = x.neg != y.neg
		switch {
		case x.inf != 0 && zero(y), y.inf != 0 && zero(x):
			z.nan = true
		case x.inf != 0 || y.inf != 0:
			z.inf = map[bool]int{true: -1, false: 1}[z.neg]
		default:
			z.x = num().Mul(x.x, y.x)
		}
		return z
	}
	add := func(x, y cvtNum) (z cvtNum) {
		switch {
		case x.nan || y.nan || x.inf*y.inf < 0:
			z.nan = true
		case x.inf != 0:
			z.inf = x.inf
		case y.inf != 0:
			z.inf = y.inf
		default:
			z.x = num().Add(x.x, y.x)
			z.neg = mode == 'm'
			if zero(x) && zero(y) && x.neg == y.neg {
				z.neg = x.neg
			}
		}
		return z
	}
	div := func(x, y cvtNum) (z cvtNum) {
		z.neg = x.neg != y.neg
		s := map[bool]int{true: -1, false: 1}[z.neg]
		switch {
		case x.inf != 0 && y.inf != 0, zero(x) && zero(y):
			z.nan = true
		case x.inf != 0, zero(y):
			z.inf = s
		case y.inf != 0:
			z.x = num()
		default:
			z.x = num().Quo(x.x, y.x)
		}
		return z
	}
	one := cvtNum{x: num().SetInt64(1)}
	if v != nil {
		var z cvtNum
		switch op {
		case "add":
			z = add(v[0], v[1])
		case "sub":
			z = add(v[0], neg(v[1]))
		case "mul":
			z = mul(v[0], v[1])
		case "fma", "mad":
			z = add(mul(v[0], v[1]), v[2])
		case "div":
			z = div(v[0], v[1])
		case "rcp":
			z = div(one, v[0])
		case "sqrt":
			switch x := v[0]; {
			case zero(x):
				z = x
			case x.neg:
				z.nan = true
			case x.inf != 0:
				z = x
			default:
				z.x = num().Sqrt(x.x)
			}
		default:
			return 0, false, false
		}
		r = cvtEncode(t, z, mode)
	}
	r = flush(r)
	one1 := cvtEncode(t, one, 'n')
	switch {
	case mods["sat"] && (nan(r) || r >= sign):
		r = 0
	case mods["sat"]:
		r = min(r, one1)
	case mods["relu"] && !nan(r) && r >= sign:
		r = 0
	}
	return r, nan(r) && t == F64, true
}

// TestEveryFloat goes through all spellings of the rows for arithmetic of floating-point
// types that round correctly, or do not round.
func TestEveryFloat(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	inputs := map[Type][]uint64{}
	for _, e := range []Type{F16, BF16, F32, F64} {
		inputs[e] = cvtInputs(e, r)
	}
	spellings := 0
	allVariants(func(row *row, op string, v *variant) {
		parts := strings.Split(op, ".")
		e, per := element(v.typ)
		if !e.Float() || e == TF32 || !strings.Contains(" add sub mul fma mad div rcp sqrt min max neg abs ", " "+parts[0]+" ") ||
			row.Removed != (Version{}) || row.Do.unsupported != "" || v.has("atype") || v.has("abtype") || strings.HasPrefix(row.Sec, in94) {
			return
		}
		mods := map[string]bool{}
		for _, m := range parts[1:] {
			mods[m] = true
		}
		if mods["approx"] || mods["full"] {
			return
		}
		spellings++
		n := len(v.ops) - 1
		bits := uint(v.typ.Bits())
		src := ".reg ." + bitsType(int(bits)).String() + " d, a, b, c; " + op + " d, " + "a, b, c"[:3*n-2] + ";"
		for range 2 {
			regs := [3][]uint64{}
			for i := range regs {
				for range 32 {
					var x uint64
					for range per {
						list := inputs[e]
						y := list[r.IntN(len(list))]
						switch k := r.IntN(8); {
						case k == 0: // near another operand, so that sums cancel
							if i > 0 {
								y = regs[0][len(regs[i])]&(^uint64(0)>>(64-e.Bits())) ^ 1<<(e.Bits()-1) ^ uint64(r.IntN(4))
							}
						case k < 4: // a moderate size, with all bits of the mantissa
							f := cvtFloatOf(e)
							y = r.Uint64()&(1<<(f.p-1)-1) | uint64(-f.emin-4+r.IntN(9))<<(f.p-1) | uint64(r.IntN(2))<<(e.Bits()-1)
						}
						x = x<<(bits/uint(per)%64) | y
					}
					regs[i] = append(regs[i], x)
				}
			}
			for lane, got := range runTry(t, src, map[string][]uint64{"a": regs[0], "b": regs[1], "c": regs[2]})["d"] {
				for part := range per {
					shift := uint(part) * uint(e.Bits())
					mask := ^uint64(0) >> (64 - e.Bits())
					var args []uint64
					for i := range n {
						args = append(args, regs[i][lane]>>shift&mask)
					}
					given := append([]uint64(nil), args...)
					want, any, ok := floatWant(parts[0], mods, e, args)
					if !ok {
						t.Errorf("%s: no transcription", op)
						return
					}
					g := got >> shift & mask
					if any && cvtDecode(e, g).nan {
						continue
					}
					if g != want {
						t.Errorf("%s, part %d of %#x = %#x, want %#x", op, part, given, g, want)
						return
					}
				}
			}
		}
	})
	t.Logf("%d spellings", spellings)
	if spellings < short.Of(300, 200) {
		t.Errorf("only %d spellings", spellings)
	}
}
