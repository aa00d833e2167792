package ptx

import (
	"fmt"
	"math"
	"math/big"
	"math/rand"
	"testing"
)

// evalConst evaluates text as the initialiser of a variable.
func evalConst(t *testing.T, text string) *Init {
	t.Helper()
	m, l := Parse("t", ".version 8.0\n.target sm_70\n.global .u64 x = "+text+";\n")
	if len(l) > 0 {
		m, l = Parse("t", ".version 8.0\n.target sm_70\n.global .f64 x = "+text+";\n")
	}
	if len(l) > 0 {
		t.Fatalf("%s: %s", text, l.Error())
	}
	return m.Vars()[0].Init
}

func TestConstants(t *testing.T) {
	t.Parallel()
	const (
		signed   = false
		unsigned = true
	)
	for _, tt := range []struct {
		text string
		want uint64
		u    bool
	}{
		// The examples of PTX 4.5.5.
		{"42", 42, signed}, {"0x1234", 0x1234, signed}, {"0123", 83, signed},
		{"0xfabc123400000000", 0xfabc123400000000, unsigned}, {"42U", 42, unsigned}, {"0x1234U", 0x1234, unsigned},
		{"+123", 123, signed}, {"-1", math.MaxUint64, signed}, {"-(-42)", 42, signed},
		{"-1U", math.MaxUint64, unsigned}, {"-0xfabc123400000000", 0x0543edcc00000000, unsigned},
		{"!5", 0, signed}, {"!0U", 1, signed}, {"~0", math.MaxUint64, unsigned},
		// Literals.
		{"0", 0, signed}, {"0U", 0, unsigned}, {"0b1011", 11, signed}, {"0B1U", 1, unsigned}, {"0XfF", 255, signed}, {"WARP_SZ", 32, signed},
		{"9223372036854775807", math.MaxInt64, signed}, {"9223372036854775808", 1 << 63, unsigned}, {"18446744073709551615", math.MaxUint64, unsigned},
		// Precedence and associativity, PTX Table 4.
		{"2+3*4", 14, signed}, {"(2+3)*4", 20, signed}, {"10-3-2", 5, signed}, {"100/10/2", 5, signed}, {"1<<2+1", 8, signed},
		{"1<<3>>1", 4, signed}, {"1|6&3", 3, signed}, {"1|2^3", 1, signed}, {"4^1&3", 5, signed}, {"1==2<3", 1, signed},
		{"1<2==1", 1, signed}, {"0&&0||1", 1, signed}, {"1||0&&0", 1, signed}, {"!0+1", 2, signed}, {"~0&1", 1, unsigned}, {"-2*3", ^uint64(5), signed},
		{"1?2:0?3:4", 2, signed}, {"0?2:0?3:4", 4, signed}, {"5% 3", 2, signed}, {"5 %(3)", 2, signed}, {"(1 ? -1 : 0U) / 2", 0, signed}, {"(0 ? -1 : 6U) / 2", 3, unsigned}, {"-1 < 0x10000000000000005", 1, signed}, {"18446744073709551621", 5, signed},
		{"WARP_SZ-1", 31, signed}, {"- - 5", 5, signed},
		// Signedness.
		{"-8/3", ^uint64(1), signed}, {"-8/3U", (math.MaxUint64 - 7) / 3, unsigned}, {"-8>>1", ^uint64(3), signed}, {"(.u64)-8>>1", (math.MaxUint64 - 7) >> 1, unsigned},
		{"-1<0", 1, signed}, {"-1<0U", 0, signed}, {"-1>=0U", 1, signed}, {"-1% 10", math.MaxUint64 % 10, signed},
		{"(.s64)0xffffffffffffffff<0", 1, signed}, {"-1>>200", math.MaxUint64, signed},
		// Errata E130: amounts are modulo 64, as the vendor's assembler folds them.
		{"1<<64", 1, signed}, {"1<<63", 1 << 63, signed}, {"1<<65", 2, signed}, {"1<<128", 1, signed}, {"1<<-1", 1 << 63, signed}, {"3<<127", 1 << 63, signed},
		{"-1>>64", math.MaxUint64, signed}, {"1>>64", 1, signed}, {"8>>65", 4, signed}, {"8>>-1", 0, signed}, {"0x8000000000000000>>64", 1 << 63, unsigned},
		{"1?-1:5U", math.MaxUint64, signed},
		{"(.s64)0x8000000000000000/-1", 1 << 63, signed}, {"1==1U", 1, signed}, {"3!=3", 0, signed}, {"1.5<2.5", 1, signed}, {"1.5==1.5", 1, signed},
	} {
		in := evalConst(t, tt.text)
		if in.Kind != InitInt || in.Bits != tt.want || in.Unsigned != tt.u {
			t.Errorf("%s = %#x unsigned %v, want %#x unsigned %v", tt.text, in.Bits, in.Unsigned, tt.want, tt.u)
		}
	}
	for _, tt := range []struct {
		text string
		want float64
	}{
		{"1.5", 1.5}, {".5", 0.5}, {"2.", 2}, {"1e3", 1000}, {"1E-2", 0.01}, {"1.5e+2", 150}, {"-1.5", -1.5}, {"0d3FF8000000000000", 1.5},
		{"0.1+0.2", 0.30000000000000004}, {"0D4000000000000000*3.0", 6}, {"0.0", 0},
	} {
		in := evalConst(t, tt.text)
		if in.Kind != InitFloat || in.Single || in.Bits != math.Float64bits(tt.want) {
			t.Errorf("%s = %#x, want %v", tt.text, in.Bits, tt.want)
		}
	}
	for text, want := range map[string]uint64{"0f3F800000": 0x3f800000, "0F7fc00001": 0x7fc00001, "0fFF800000": 0xff800000} {
		if in := evalConst(t, text); in.Kind != InitFloat || !in.Single || in.Bits != want {
			t.Errorf("%s = %#x single %v, want %#x", text, in.Bits, in.Single, want)
		}
	}
}

// A refExpr is a random expression and its value by PTX Table 5, computed on unbounded integers.
type refExpr struct {
	text string
	v    *big.Int // in the range of its type
	u    bool
}

var two64 = new(big.Int).Lsh(big.NewInt(1), 64)

// wrap brings x into the range of .u64 or .s64.
func wrap(x *big.Int, u bool) *big.Int {
	x = new(big.Int).Mod(x, two64)
	if !u && x.Bit(63) == 1 {
		x.Sub(x, two64)
	}
	return x
}

func refBool(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return big.NewInt(0)
}

// randomExpr makes an expression in which every operation is parenthesised.
func randomExpr(rnd *rand.Rand, depth int) refExpr {
	if depth == 0 || rnd.Intn(5) == 0 {
		v := rnd.Uint64() >> rnd.Intn(64)
		if rnd.Intn(3) == 0 {
			return refExpr{fmt.Sprintf("%#xU", v), new(big.Int).SetUint64(v), true}
		}
		return refExpr{fmt.Sprint(v), new(big.Int).SetUint64(v), v > math.MaxInt64}
	}
	a := randomExpr(rnd, depth-1)
	switch rnd.Intn(6) {
	case 0:
		switch rnd.Intn(4) {
		case 0:
			return refExpr{"(-" + a.text + ")", wrap(new(big.Int).Neg(a.v), a.u), a.u}
		case 1:
			return refExpr{"(!" + a.text + ")", refBool(a.v.Sign() == 0), false}
		case 2:
			return refExpr{"(~" + a.text + ")", wrap(new(big.Int).Not(a.v), true), true}
		}
		return refExpr{"(+" + a.text + ")", a.v, a.u}
	case 1:
		u := rnd.Intn(2) == 0
		return refExpr{map[bool]string{true: "((.u64)", false: "((.s64)"}[u] + a.text + ")", wrap(a.v, u), u}
	}
	b := randomExpr(rnd, depth-1)
	u := a.u || b.u
	x, y := wrap(a.v, u), wrap(b.v, u)
	ux, uy := wrap(a.v, true), wrap(b.v, true)
	r := new(big.Int)
	op := []string{"+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^", "&&", "||", "?"}[rnd.Intn(19)]
	text := "(" + a.text + op + " " + b.text + ")"
	switch op {
	case "+":
		r.Add(x, y)
	case "-":
		r.Sub(x, y)
	case "*":
		r.Mul(x, y)
	case "/", "%":
		if y.Sign() == 0 {
			return a
		}
		if op == "%" {
			return refExpr{text, wrap(r.Mod(ux, uy), false), false}
		}
		r.Quo(x, y)
	case "<<":
		// Errata E130: the amount counts modulo 64.
		return refExpr{text, wrap(r.Lsh(a.v, uint(uy.Uint64()&63)), a.u), a.u}
	case ">>":
		return refExpr{text, r.Rsh(a.v, uint(uy.Uint64()&63)), a.u}
	case "<":
		return refExpr{text, refBool(x.Cmp(y) < 0), false}
	case ">":
		return refExpr{text, refBool(x.Cmp(y) > 0), false}
	case "<=":
		return refExpr{text, refBool(x.Cmp(y) <= 0), false}
	case ">=":
		return refExpr{text, refBool(x.Cmp(y) >= 0), false}
	case "==":
		return refExpr{text, refBool(ux.Cmp(uy) == 0), false}
	case "!=":
		return refExpr{text, refBool(ux.Cmp(uy) != 0), false}
	case "&":
		r.And(x, y)
	case "|":
		r.Or(x, y)
	case "^":
		r.Xor(x, y)
	case "&&":
		return refExpr{text, refBool(a.v.Sign() != 0 && b.v.Sign() != 0), false}
	case "||":
		return refExpr{text, refBool(a.v.Sign() != 0 || b.v.Sign() != 0), false}
	case "?":
		c := randomExpr(rnd, depth-1)
		text := "(" + c.text + "?" + a.text + ":" + b.text + ")"
		if c.v.Sign() == 0 { // errata E135: the type of the one that is chosen
			return refExpr{text, b.v, b.u}
		}
		return refExpr{text, a.v, a.u}
	}
	return refExpr{text, wrap(r, u), u}
}

func TestConstantExpressionsRandom(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewSource(1))
	for range 3000 {
		e := randomExpr(rnd, 4)
		in := evalConst(t, e.text)
		if want := wrap(e.v, true).Uint64(); in.Bits != want || in.Unsigned != e.u {
			t.Fatalf("%s = %#x unsigned %v, want %#x unsigned %v", e.text, in.Bits, in.Unsigned, want, e.u)
		}
	}
}
