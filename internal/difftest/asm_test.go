package difftest

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"testing"

	sample "example.org/crosslane/internal/short"
)

// An asmFunc is an instruction that compilers seldom or never emit. The device has it as inline
// assembly, and the host as C that follows the manual's words.
type asmFunc struct {
	name string
	res  typ
	args []typ
	text string // $ is the result, a to d are the arguments
	c    string // statements that return the value
}

func asmFuncs() []asmFunc {
	var l []asmFunc
	add := func(res typ, text, c string, args ...typ) {
		name := fmt.Sprintf("asm%d", len(l))
		l = append(l, asmFunc{name, res, args, text, c})
	}
	// PTX 9.7.9.7: bytes of {b, a}, with the sign of the byte if the msb is set.
	add(u32, "prmt.b32 $, a, b, c;", "u64 t = (u64)b << 32 | a; u32 r = 0; for (int i = 0; i < 4; i++) { u32 s = c >> 4 * i & 15; u8 y = t >> 8 * (s & 7); if (s & 8) y = y & 0x80 ? 0xff : 0; r |= (u32)y << 8 * i; } return r;", u32, u32, u32)
	for _, m := range [][2]string{{"f4e", "n + i"}, {"b4e", "(n - i) & 7"}, {"rc8", "n"}, {"ecl", "i > n ? i : n"}, {"ecr", "i < n ? i : n"}, {"rc16", "(n & 1) * 2 + (i & 1)"}} {
		add(u32, "prmt.b32."+m[0]+" $, a, b, c;", "u64 t = (u64)b << 32 | a; u32 r = 0, n = c & 3; for (u32 i = 0; i < 4; i++) r |= (u32)(u8)(t >> 8 * ("+m[1]+")) << 8 * i; return r;", u32, u32, u32)
	}
	for _, lut := range []int{0x1a, 0x96, 0xe8, 0x35, 0xca, 0x01} {
		add(u32, fmt.Sprintf("lop3.b32 $, a, b, c, %d;", lut), fmt.Sprintf("u32 r = 0; for (int i = 0; i < 32; i++) r |= (u32)(%d >> ((a >> i & 1) * 4 + (b >> i & 1) * 2 + (c >> i & 1)) & 1) << i; return r;", lut), u32, u32, u32)
	}
	// PTX 9.7.1.19 and 20: bit fields. The 64-bit forms do not cut position and length: Errata
	// E117.
	field := func(t typ) (cut string) {
		if t.bits() == 32 {
			return " & 255"
		}
		return ""
	}
	for _, t := range []typ{u32, s32, u64, s64} {
		msb := t.bits() - 1
		sign := "0"
		if t.signed() {
			sign = fmt.Sprintf("len == 0 ? 0 : (u64)a >> (pos + len - 1 < %d ? pos + len - 1 : %d) & 1", msb, msb)
		}
		add(t, fmt.Sprintf("bfe.%s $, a, b, c;", t), fmt.Sprintf("u64 pos = b%[1]s, len = c%[1]s; u64 r = 0, sb = %[2]s; for (u32 i = 0; i <= %[3]d; i++) r |= (i < len && pos + i <= %[3]d ? (u64)a >> (pos + i) & 1 : sb) << i; return (%[4]s)r;", field(t), sign, msb, t), t, u32, u32)
	}
	for _, t := range []typ{u32, u64} {
		add(t, fmt.Sprintf("bfi.b%d $, a, b, c, d;", t.bits()), fmt.Sprintf("u64 pos = c%[1]s, len = d%[1]s; u64 r = b; for (u32 i = 0; i < len && pos + i < %[2]d; i++) r = (r & ~((u64)1 << (pos + i))) | ((u64)a >> i & 1) << (pos + i); return (%[3]s)r;", field(t), t.bits(), t), t, t, u32, u32)
	}
	// PTX 9.7.8.8, 9: shifts clamp at the width.
	for _, t := range []typ{u16, u32, u64} {
		n := t.bits()
		add(t, fmt.Sprintf("shl.b%d $, a, b;", n), fmt.Sprintf("return b >= %d ? 0 : (%s)(a << b);", n, t), t, u32)
		add(t, fmt.Sprintf("shr.u%d $, a, b;", n), fmt.Sprintf("return b >= %d ? 0 : (%s)(a >> b);", n, t), t, u32)
		s := "s" + t[1:]
		add(s, fmt.Sprintf("shr.s%d $, a, b;", n), fmt.Sprintf("return (%s)(a >> (b >= %d ? %d : b));", s, n, n-1), s, u32)
	}
	// PTX 9.7.1: multiplication and differences.
	add(s32, "mul.hi.s32 $, a, b;", "return (s32)((s64)a * b >> 32);", s32, s32)
	add(u16, "mul.hi.u16 $, a, b;", "return (u16)((u32)a * b >> 16);", u16, u16)
	add(s16, "mul.hi.s16 $, a, b;", "return (s16)((s32)a * b >> 16);", s16, s16)
	add(s32, "mul.wide.s16 $, a, b;", "return (s32)a * b;", s16, s16)
	add(s64, "mad.wide.s32 $, a, b, c;", "return (s64)a * b + c;", s32, s32, s64)
	add(u64, "mad.wide.u32 $, a, b, c;", "return (u64)a * b + c;", u32, u32, u64)
	add(u32, "mad.hi.u32 $, a, b, c;", "return (u32)((u64)a * b >> 32) + c;", u32, u32, u32)
	add(s32, "mad.hi.sat.s32 $, a, b, c;", "s64 t = ((s64)a * b >> 32) + c; return t > 0x7fffffff ? 0x7fffffff : t < -0x80000000ll ? (s32)0x80000000 : (s32)t;", s32, s32, s32)
	add(u32, "mul24.lo.u32 $, a, b;", "return (u32)((u64)(a & 0xffffff) * (b & 0xffffff));", u32, u32)
	add(u32, "mul24.hi.u32 $, a, b;", "return (u32)((u64)(a & 0xffffff) * (b & 0xffffff) >> 16);", u32, u32)
	add(s32, "mad24.lo.s32 $, a, b, c;", "return (s32)((s64)((s32)((u32)a << 8) >> 8) * ((s32)((u32)b << 8) >> 8)) + c;", s32, s32, s32)
	add(s32, "mul24.hi.s32 $, a, b;", "return (s32)((s64)((s32)((u32)a << 8) >> 8) * ((s32)((u32)b << 8) >> 8) >> 16);", s32, s32)
	for _, t := range []typ{u16, s16, u32, s32, u64, s64} {
		add(t, fmt.Sprintf("sad.%s $, a, b, c;", t), fmt.Sprintf("return (%s)(c + (a < b ? b - a : a - b));", t), t, t, t)
	}
	add(s32, "add.sat.s32 $, a, b;", "s64 t = (s64)a + b; return t > 0x7fffffff ? 0x7fffffff : t < -0x80000000ll ? (s32)0x80000000 : (s32)t;", s32, s32)
	add(s32, "sub.sat.s32 $, a, b;", "s64 t = (s64)a - b; return t > 0x7fffffff ? 0x7fffffff : t < -0x80000000ll ? (s32)0x80000000 : (s32)t;", s32, s32)
	// PTX 9.7.2: the carry.
	add(u64, "{ .reg .b64 t; add.cc.u64 t, a, b; addc.cc.u64 t, b, c; addc.u64 $, t, d; }", "u64 x = a + b, y = b + c, k = x < a, z = y + k, k2 = (y < b) | (z < y); return z + d + k2;", u64, u64, u64, u64)
	add(u32, "{ .reg .b32 t; sub.cc.u32 t, a, b; subc.cc.u32 t, b, c; subc.u32 $, t, d; }", "u32 k = a < b; u64 y = (u64)b - c - k; return (u32)y - d - (u32)(y >> 32 & 1);", u32, u32, u32, u32)
	add(u64, "{ .reg .b32 l, h; mad.lo.cc.u32 l, a, b, c; madc.hi.u32 h, a, b, d; mov.b64 $, {l, h}; }", "return (u64)a * b + ((u64)d << 32 | c);", u32, u32, u32, u32)
	// PTX 9.7.1.17: the most significant bit that is not a sign bit.
	for _, t := range []typ{u32, s32, u64, s64} {
		n, x := t.bits(), "a"
		if t.signed() {
			x = "(a < 0 ? ~a : a)"
		}
		find := fmt.Sprintf("%s v = %s; for (int i = %d; i >= 0; i--) if (v >> i & 1) return", t.unsigned(), x, n-1)
		add(u32, fmt.Sprintf("bfind.%s $, a;", t), find+" i; return 0xffffffff;", t)
		add(u32, fmt.Sprintf("bfind.shiftamt.%s $, a;", t), fmt.Sprintf("%s %d - i; return 0xffffffff;", find, n-1), t)
	}
	add(u32, "slct.u32.s32 $, a, b, c;", "return c >= 0 ? a : b;", u32, u32, s32)
	add(u64, "slct.b64.f32 $, a, b, c;", "return c >= 0 ? a : b;", u64, u64, f32)
	add(u32, "cnot.b32 $, a;", "return a == 0;", u32)
	add(u64, "mov.b64 $, {a, b};", "return (u64)b << 32 | a;", u32, u32)
	add(u32, "mov.b32 $, {a, b};", "return (u32)b << 16 | a;", u16, u16)
	add(u32, "{ .reg .b16 w<4>; mov.b64 {w0, w1, w2, w3}, a; mov.b32 $, {w3, w1}; }", "return (u32)(u16)(a >> 16) << 16 | (u16)(a >> 48);", u64)
	// PTX 9.7.6: comparisons with NaN on either side.
	for _, op := range [][2]string{{"lt", "a < b"}, {"ltu", "!(a >= b)"}, {"equ", "!(a < b || a > b)"}, {"ne", "a < b || a > b"}, {"neu", "a != b"}, {"num", "a == a && b == b"}, {"nan", "a != a || b != b"}, {"geu", "!(a < b)"}} {
		for _, t := range []typ{f32, f64} {
			add(u32, fmt.Sprintf("set.%s.u32.%s $, a, b;", op[0], t), fmt.Sprintf("return %s ? 0xffffffff : 0;", op[1]), t, t)
			add(f32, fmt.Sprintf("set.%s.f32.%s $, a, b;", op[0], t), fmt.Sprintf("return %s ? 1.0f : 0.0f;", op[1]), t, t)
		}
		add(u32, fmt.Sprintf("{ .reg .pred p, q, r; setp.gt.u32 r, c, 7; setp.%s.xor.f32 p|q, a, b, !r; selp.u32 $, 5, 3, p; @q add.u32 $, $, 16; }", op[0]), fmt.Sprintf("int v = %s, r = !(c > 7); return (v ^ r ? 5 : 3) + (!v ^ r ? 16 : 0);", op[1]), f32, f32, u32)
	}
	for _, op := range [][2]string{{"lo", "a < b"}, {"hs", "a >= b"}, {"hi", "a > b"}, {"ls", "a <= b"}} {
		add(u32, fmt.Sprintf("set.%s.u32.u64 $, a, b;", op[0]), fmt.Sprintf("return %s ? 0xffffffff : 0;", op[1]), u64, u64)
	}
	// PTX 9.7.9.21: conversion to integers, rounded and clamped to the range. A NaN of f64 becomes
	// the top bit.
	nan := func(t, f typ) string {
		if f == f64 {
			return fmt.Sprintf("(%s)(1u << %d)", t, t.bits()-1)
		}
		return "0"
	}
	for _, rnd := range [][2]string{{"rni", "__builtin_rint"}, {"rzi", "__builtin_trunc"}, {"rmi", "__builtin_floor"}, {"rpi", "__builtin_ceil"}} {
		for _, c := range []struct {
			t      typ
			lo, hi string // inclusive
		}{{s32, "-0x1p31", "0x1.fffffffcp30"}, {u32, "0.0", "0x1.fffffffep31"}, {s16, "-0x1p15", "32767.0"}, {u8, "0.0", "255.0"}} {
			for _, f := range []typ{f32, f64} {
				add(c.t, fmt.Sprintf("cvt.%s.%s.%s $, a;", rnd[0], c.t, f), fmt.Sprintf("f64 x = %s((f64)a); return x != x ? "+nan(c.t, f)+" : x < %s ? (%s)%s : x > %s ? (%s)%s : (%s)x;", rnd[1], c.lo, c.t, c.lo, c.hi, c.t, c.hi, c.t), f)
			}
		}
		add(f32, fmt.Sprintf("cvt.%s.f32.f32 $, a;", rnd[0]), fmt.Sprintf("return %sf(a);", rnd[1]), f32)
	}
	add(s16, "cvt.sat.s16.s32 $, a;", "return a > 32767 ? 32767 : a < -32768 ? -32768 : a;", s32)
	add(u16, "cvt.sat.u16.s32 $, a;", "return a > 65535 ? 65535 : a < 0 ? 0 : a;", s32)
	add(u32, "cvt.sat.u32.s64 $, a;", "return a > 0xffffffffll ? 0xffffffff : a < 0 ? 0 : a;", s64)
	add(s32, "cvt.sat.s32.u64 $, a;", "return a > 0x7fffffff ? 0x7fffffff : a;", u64)
	add(f32, "cvt.sat.f32.f32 $, a;", "return a != a ? 0.0f : a < 0 ? 0.0f : a > 1 ? 1.0f : a + 0.0f;", f32)
	add(f32, "add.sat.f32 $, a, b;", "f32 x = a + b; return x != x ? 0.0f : x < 0 ? 0.0f : x > 1 ? 1.0f : x + 0.0f;", f32, f32)
	for _, f := range []typ{f32, f64} {
		add(f, fmt.Sprintf("copysign.%s $, a, b;", f), fmt.Sprintf("return (%s)__builtin_copysign(b, a);", f), f, f)                           // the sign of a
		add(u32, fmt.Sprintf("{ .reg .pred p; testp.normal.%s p, a; selp.u32 $, 1, 0, p; }", f), "return __builtin_isnormal(a) || a == 0;", f) // PTX 9.7.3.1: zeros are normal
		add(u32, fmt.Sprintf("{ .reg .pred p; testp.subnormal.%s p, a; selp.u32 $, 1, 0, p; }", f), "return __builtin_issubnormal(a) != 0;", f)
		add(u32, fmt.Sprintf("{ .reg .pred p; testp.finite.%s p, a; selp.u32 $, 1, 0, p; }", f), "return __builtin_isfinite(a) != 0;", f)
	}
	// f32 results from doubles. The sum or product is exact enough to be truncated.
	cut := "f32 f = (f32)x; if (x == x && (f64)f != x && __builtin_fabs((f64)f) > __builtin_fabs(x)) f = from_raw(to_raw(f) - 1); return f;"
	add(f32, "mul.rz.f32 $, a, b;", "f64 x = (f64)a * b; "+cut, f32, f32) // exact: 48 bits
	add(f32, "cvt.rz.f32.f64 $, a;", "f64 x = a; "+cut, f64)
	add(f32, "cvt.rz.f32.s32 $, a;", "f64 x = a; "+cut, s32)
	add(f32, "mul.ftz.f32 $, a, b;", "f32 x = flush(a) * flush(b); return flush(x);", f32, f32)
	add(f32, "add.ftz.f32 $, a, b;", "f32 x = flush(a) + flush(b); return flush(x);", f32, f32)
	// PTX 9.7.8.10: shifts of two words.
	for _, m := range [][2]string{{"wrap", "c & 31"}, {"clamp", "c < 32 ? c : 32"}} {
		add(u32, "shf.l."+m[0]+".b32 $, a, b, c;", "u64 t = (u64)b << 32 | a; u32 n = "+m[1]+"; return (u32)(n == 32 ? a : t << n >> 32);", u32, u32, u32)
		add(u32, "shf.r."+m[0]+".b32 $, a, b, c;", "u64 t = (u64)b << 32 | a; u32 n = "+m[1]+"; return (u32)(t >> n);", u32, u32, u32)
	}
	return l
}

// asmExpr returns an instruction whose result has the type, or nil if the chosen one does not fit.
func (g *generator) asmExpr(t typ, depth int) *node {
	f := pick(g, g.asm...)
	if f.res.float() != t.float() {
		return nil
	}
	var kids []*node
	var text []string
	for _, a := range f.args {
		if a == u32 && g.one(2) {
			kids = append(kids, g.expr(u32, "($ & 63)", g.any(u32, depth-1)))
		} else {
			kids = append(kids, g.any(a, depth-1))
		}
		if a.float() {
			// The signs of NaNs are not defined.
			text = append(text, fmt.Sprintf("from_bits_%s(to_bits_%s((%s)$))", a, a, a))
			continue
		}
		text = append(text, fmt.Sprintf("(%s)$", a))
	}
	return g.expr(t, fmt.Sprintf("((%s)%s%s(%s))", t, via(f.res, t), f.name, strings.Join(text, ", ")), kids...)
}

// asmPrelude returns the definitions of the functions.
func asmPrelude() string {
	w := &strings.Builder{}
	w.WriteString(`INLINE f32 from_raw(u32 x) { return __builtin_bit_cast(f32, x); }
INLINE u32 to_raw(f32 x) { return __builtin_bit_cast(u32, x); }
INLINE f32 flush(f32 x) { return to_raw(x) & 0x7f800000 ? x : from_raw(to_raw(x) & 0x80000000); }
`)
	letter := map[typ]string{u8: "h", u16: "h", s16: "h", u32: "r", s32: "r", u64: "l", s64: "l", f32: "f", f64: "d"}
	for _, f := range asmFuncs() {
		var params, in []string
		text := strings.ReplaceAll(f.text, "$", "%0")
		open, operands, _ := strings.Cut(text, " ")
		for i, t := range f.args {
			name := string(rune('a' + i))
			params = append(params, fmt.Sprintf("%s %s", t, name))
			in = append(in, fmt.Sprintf("%q(%s)", letter[t], name))
			operands = replaceName(operands, name, fmt.Sprintf("%%%d", i+1))
		}
		guard := "#ifdef HOST"
		if strings.HasPrefix(f.text, "shf") || strings.HasPrefix(f.text, "lop3") {
			guard = "#if defined HOST || defined SM30" // these need sm_32 and sm_50
		}
		res := f.res
		if res == u8 {
			res = u16 // there are no registers of 8 bits
		}
		fmt.Fprintf(w, "%s\nCALLED %s %s(%s) { %s }\n#else\nINLINE %[2]s %[3]s(%[4]s) { %[6]s r; asm(%[7]q : \"=%[8]s\"(r) : %[9]s); return (%[2]s)r; }\n#endif\n",
			guard, f.res, f.name, strings.Join(params, ", "), f.c, res, open+" "+operands, letter[res], strings.Join(in, ", "))
	}
	return w.String()
}

// replaceName replaces a name where it stands as a whole word.
func replaceName(s, name, by string) string {
	var b strings.Builder
	word := func(i int) bool {
		return i >= 0 && i < len(s) && (s[i] >= 'a' && s[i] <= 'z' || s[i] >= '0' && s[i] <= '9' || s[i] == '.' || s[i] == '%')
	}
	for i := 0; i < len(s); i++ {
		if strings.HasPrefix(s[i:], name) && !word(i-1) && !word(i+len(name)) {
			b.WriteString(by)
			i += len(name) - 1
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// asmProgram runs some of the instructions, each on its own.
func asmProgram(seed uint64, funcs []asmFunc) *program {
	g := &generator{
		program: &program{seed: seed, name: fmt.Sprintf("k%d", seed), features: features{plain: true, wide: true}, block: [2]int{64, 1}, grid: [2]int{2, 2}},
		rand:    rand.New(rand.NewPCG(seed, 1)),
		shReads: true, shaRead: true,
	}
	g.accOp, g.shaOp, g.n = "add", "add", g.lanes()
	for i, t := range []typ{u32, s32, u64, s64, f32, f64, u16, s16, f32, f64, f32} {
		g.vars = append(g.vars, variable{fmt.Sprintf("v%d", i), t})
	}
	g.vars = append(g.vars, variable{"w", u32})
	g.functions()
	for _, f := range funcs {
		g.asm = []asmFunc{f}
		t := f.res
		n := g.asmExpr(t, 2)
		if t.float() {
			n = g.expr(u64, "to_bits_"+string(t)+"($)", n)
		}
		g.outs = append(g.outs, n)
	}
	return g.program
}

// TestAssembly compares each instruction on its own.
func TestAssembly(t *testing.T) {
	sample.Skip(t, "clang compiles the kernels")
	if _, err := exec.LookPath("clang-22"); err != nil {
		oracle(t, "clang-22 is not installed: no compiler to translate inline assembly")
	}
	b := &bench{dir: t.TempDir(), features: features{plain: true, wide: true}}
	var seed uint64
	for l := range slices.Chunk(asmFuncs(), maxOuts-1) {
		b.programs = append(b.programs, asmProgram(seed, l))
		seed++
	}
	if err := b.prepare(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	for _, f := range b.compare(t.Context(), plainTargets(0)[1]) {
		if f.program != nil {
			var i, lane, value int
			fmt.Sscanf(f.err.Error(), "out[%d] (lane %d, value %d)", &i, &lane, &value)
			fn := asmFuncs()[int(f.program.seed)*(maxOuts-1)+value]
			t.Errorf("%v: %s\n%s", f.err, fn.text, fn.c)
			continue
		}
		t.Error(f.err)
	}
}
