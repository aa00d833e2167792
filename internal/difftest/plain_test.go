package difftest

import (
	"fmt"
	"strings"
)

// Programs in C, for PTX only, have features that OpenCL C lacks: recursion, calls through tables
// of functions, structs by value, variable arguments, __bf16, integers of 128 bits, and generic
// pointers to private memory.

// A function is a function of a program with the parameters (x, s), where s is the program's
// struct.
type function struct {
	makes bool // returns the struct instead of a u64
	kept  bool // never inlined
	body  []*node
	out   *node
}

// fuel is the number of calls that a lane may make.
func (p *program) fuel() int { return 12 + int(p.seed%13) }

func (g *generator) floatType() typ {
	if g.features.plain && g.one(4) {
		return bf16
	}
	return pick(g, f32, f64, f16)
}

// functions makes the program's struct and its functions.
func (g *generator) functions() {
	g.asm = asmFuncs()
	for i := range 1 + g.rand.IntN(6) {
		g.fields = append(g.fields, variable{fmt.Sprintf("m%d", i), g.anyType()})
	}
	g.locals = []variable{{"x", u64}}
	for _, f := range g.fields {
		g.locals = append(g.locals, variable{"s." + f.name, f.t})
	}
	// The list has its length before the functions are made, because calls may name any of them.
	g.funcs = make([]function, 4+g.rand.IntN(2))
	for i := range g.funcs {
		f := &g.funcs[i]
		f.makes, f.kept = i >= 4, g.one(2)
		g.ret = "return x;"
		if f.makes {
			g.ret = "return s;"
		}
		f.body = g.statements(1+g.rand.IntN(5), 2)
		f.out = g.any(u64, 2)
	}
	g.locals, g.ret = nil, "return;"
}

func (p *program) renderStruct(w *strings.Builder) {
	fmt.Fprintf(w, "struct %s_s {", p.name)
	for _, f := range p.fields {
		fmt.Fprintf(w, " %s %s;", f.t, f.name)
	}
	fmt.Fprintf(w, " u8 tail[3]; };\n")
}

func (p *program) renderFuncs(w *strings.Builder, r reduction, args string) {
	if !p.features.plain {
		return
	}
	head := func(i int) string {
		result, attr := "u64", "static"
		if p.funcs[i].makes {
			result = fmt.Sprintf("struct %s_s", p.name)
		}
		if p.funcs[i].kept {
			attr = "CALLED"
		}
		return fmt.Sprintf("%s %s %s_f%d(%s, u64 x, struct %s_s s)", attr, result, p.name, i, args, p.name)
	}
	for i := range p.funcs {
		fmt.Fprintf(w, "%s;\n", head(i))
	}
	fmt.Fprintf(w, "static u64 (*const %s_tab[4])(%s, u64, struct %s_s) = {%[1]s_f0, %[1]s_f1, %[1]s_f2, %[1]s_f3};\n", p.name, args, p.name)
	for i, f := range p.funcs {
		fmt.Fprintf(w, "%s {\n", head(i))
		for _, s := range f.body {
			s.render(w, r)
		}
		w.WriteString("return ")
		if f.makes {
			w.WriteString("s;\n")
		} else {
			f.out.render(w, r)
			w.WriteString(";\n")
		}
		w.WriteString("}\n")
	}
}

// local returns a variable of the current function, or one of the variables that only C has.
func (g *generator) local(t typ) *node {
	if !g.features.plain || !g.one(4) {
		return nil
	}
	if len(g.locals) > 0 && !g.one(3) {
		if v := pick(g, g.locals...); t.float() || !v.t.float() {
			return g.expr(t, fmt.Sprintf("((%s)%s%s)", t, via(v.t, t), v.name))
		}
	}
	if f := pick(g, g.fields...); g.one(2) && (t.float() || !f.t.float()) {
		return g.expr(t, fmt.Sprintf("((%s)%sc->s.%s)", t, via(f.t, t), f.name))
	}
	return g.expr(t, fmt.Sprintf("((%s)%sc->%s)", t, via(u64, t), pick(g, "vo", "vq", "s.tail[c->lx % 3]", "fuel")))
}

// plainExpr returns an integer expression with builtins that OpenCL C lacks or that LLVM translates
// wrongly for gfx803.
func (g *generator) plainExpr(t typ, depth int) *node {
	a := func() *node { return g.any(t, depth) }
	e := func(text string, kids ...*node) *node {
		return g.expr(t, strings.ReplaceAll(strings.ReplaceAll(text, "U", string(t.unsigned())), "T", string(t)), kids...)
	}
	switch g.rand.IntN(10) {
	case 0, 1:
		return e(pick(g, "over_add_T", "over_sub_T", "over_mul_T")+"($, $)", a(), a())
	case 2:
		return e("__builtin_elementwise_"+pick(g, "add", "sub")+"_sat((T)$, (T)$)", a(), a())
	case 3:
		return e("((T)__builtin_popcountg((U)$))", a())
	case 4:
		return e(fmt.Sprintf("((T)__builtin_%sg((U)$, %d))", pick(g, "clz", "ctz"), pick(g, t.bits(), -1, 7)), a())
	case 5:
		return e("((T)(_Bool)$)", a())
	case 6:
		return e(pick(g, "over_add_T", "over_sub_T")+"($, 1)", a())
	case 7:
		if t.signed() {
			return e("__builtin_elementwise_abs((T)$)", a())
		}
		return e("__builtin_elementwise_max((T)$, (T)$)", a(), a())
	case 8:
		if g.features.wide {
			w := pick(g, u128, s128)
			return e(fmt.Sprintf("((T)($ >> %d))", g.rand.IntN(128)), g.any(w, depth))
		}
	}
	return e(pick(g, "((T)(($ & 1) ? $ : $))", "((T)($ + $ * $))", "((T)($ - ($ & $)))"), a(), a(), a())
}

// wideExpr returns an expression of 128 bits.
func (g *generator) wideExpr(t typ, depth int) *node {
	a := func() *node { return g.any(t, depth) }
	e := func(text string, kids ...*node) *node {
		return g.expr(t, strings.ReplaceAll(text, "T", string(t)), kids...)
	}
	switch g.rand.IntN(12) {
	case 0, 1:
		return e("((T)($ "+pick(g, "+", "-", "^", "&", "|")+" $))", a(), a())
	case 2:
		return e("((T)($ * $))", a(), a())
	case 3:
		return e(pick(g, "div_T($, $)", "rem_T($, $)"), a(), a())
	case 4:
		return e(fmt.Sprintf("((T)($ %s %d))", pick(g, "/", "%"), 3+g.rand.IntN(1000)), a())
	case 5:
		return e("((T)($ "+pick(g, "<<", ">>")+" ($ & 127)))", a(), g.any(u32, depth))
	case 6:
		return e(fmt.Sprintf("((T)($ %s %d))", pick(g, "<<", ">>"), g.rand.IntN(128)), a())
	case 7:
		return e("($ ? $ : $)", g.cond(depth), a(), a())
	case 8:
		return e(pick(g, "((T)-$)", "((T)~$)"), a())
	case 9:
		f := pick(g, u64, s64)
		return e("((T)$ * (T)$)", g.any(f, depth), g.any(f, depth))
	case 10:
		return e(pick(g, "over_add_T($, $)", "over_sub_T($, $)", "__builtin_elementwise_min((T)$, (T)$)", "__builtin_elementwise_max((T)$, (T)$)"), a(), a())
	}
	return e("((T)$)", g.any(g.intType(), depth))
}

// plainStatement returns a call, or one of the statements that only C has.
func (g *generator) plainStatement() *node {
	const args = "c, in, out, acc, sh, sha, n"
	v := pick(g, g.vars...)
	for v.t.float() {
		v = pick(g, g.vars...)
	}
	call := func(callee string, s string) string {
		return fmt.Sprintf("%s(%s, $, %s)", callee, args, s)
	}
	value := pick(g, "c->s", "c->s", "k_")
	if len(g.locals) > 0 && g.one(2) {
		value = "s"
	}
	var kids []*node
	if value == "k_" && len(g.funcs) > 4 {
		value = call(g.name+"_f4", "c->s")
		kids = append(kids, g.any(u64, 2))
	} else if value == "k_" {
		value = "c->s"
	}
	switch g.rand.IntN(12) {
	case 0, 1:
		f := fmt.Sprintf("%s_f%d", g.name, g.rand.IntN(4))
		kids = append([]*node{g.any(u64, 2)}, kids...)
		return g.stmt(fmt.Sprintf("if (c->fuel) { c->fuel--; u64 t = %s; c->%s += t; }\n", call(f, value), v.name), kids...)
	case 2:
		kids = append([]*node{g.any(u32, 2), g.any(u64, 2)}, kids...)
		return g.stmt(fmt.Sprintf("if (c->fuel) { c->fuel--; u64 t = %s; c->%s ^= t; }\n", call(g.name+"_tab[$ & 3]", value), v.name), kids...)
	case 3:
		if len(g.funcs) > 4 {
			kids = append([]*node{g.any(u64, 2)}, kids...)
			return g.stmt(fmt.Sprintf("if (c->fuel) { c->fuel--; c->s = %s; }\n", call(g.name+"_f4", value)), kids...)
		}
	case 4, 5:
		f := pick(g, g.fields...)
		if len(g.locals) > 0 && g.one(2) {
			return g.stmt(fmt.Sprintf("s.%s = $;\n", f.name), g.any(f.t, 3))
		}
		return g.stmt(fmt.Sprintf("c->s.%s = $;\n", f.name), g.any(f.t, 3))
	case 6:
		return g.stmt(fmt.Sprintf("{ u64 t = va_sum(%d, $, (u32)$, $, (struct pair){(u32)$, $}); c->%s += t; }\n", g.rand.IntN(5), v.name),
			g.any(u64, 2), g.any(u32, 2), g.leaf(f64), g.any(u32, 1), g.any(u64, 1))
	case 7:
		return g.stmt(pick(g, "c->vo = $;\n", "c->vo += $;\n", "c->vq ^= $;\n"), g.any(u64, 3))
	case 8:
		if len(g.locals) > 0 {
			return g.stmt("x "+pick(g, "", "+", "^", "*")+"= $;\n", g.any(u64, 3))
		}
		return g.stmt("c->s.tail[$ % 3] += $;\n", g.any(u32, 2), g.any(u8, 2))
	case 9:
		f := pick(g, g.fields...)
		fill := g.rand.IntN(64)
		return g.stmt(fmt.Sprintf("{ struct %[1]s_s t, q; __builtin_memset(&t, %[2]d, sizeof t); t.%[3]s = $; __builtin_memcpy(&q, &t, sizeof t); if ($) c->s = q; else c->s.%[3]s = t.%[3]s; }\n", g.name, fill, f.name),
			g.any(f.t, 2), g.cond(2))
	case 10:
		var h, n typ = f16, "h2"
		if g.one(3) {
			h, n = bf16, "b2"
		}
		var fs []string
		for _, v := range g.vars {
			if v.t == h || v.t == f32 {
				fs = append(fs, v.name)
			}
		}
		if len(fs) > 0 {
			op := func() string { return pick(g, "+", "-", "*") }
			return g.stmt(fmt.Sprintf("{ %[1]s q = {$, $}, t = {$, $}; q = round_%[1]s(q %[2]s t); q = round_%[1]s(q %[3]s (%[1]s)$); q = ($) ? -q : q; c->%[4]s = q.%[5]s; }\n",
				n, op(), op(), pick(g, fs...), pick(g, "x", "y")), g.any(h, 2), g.any(h, 2), g.any(h, 2), g.leaf(h), g.leaf(h), g.cond(1))
		}
	case 11:
		var cases strings.Builder
		for i := range 12 {
			if !g.one(5) {
				fmt.Fprintf(&cases, "case %d: c->%s %s= %d; %s", i, v.name, pick(g, "+", "^", "*"), g.rand.IntN(1000), pick(g, "break;", "break;", "break;", ""))
			}
		}
		return g.stmt(fmt.Sprintf("switch ($ %% 13) { %s default: c->%s += 5; }\n", cases.String(), v.name), g.any(u32, 2))
	}
	return g.stmt(fmt.Sprintf("c->%s = $;\n", v.name), g.any(v.t, 4))
}

// plainPrelude returns the additional declarations for programs in C.
func plainPrelude() string {
	w := &strings.Builder{}
	w.WriteString(`typedef f16 h2 __attribute__((ext_vector_type(2)));
typedef bf16 b2 __attribute__((ext_vector_type(2)));
#ifdef HOST
CALLED bf16 round_bf16(bf16 x) { return x; }
CALLED h2 round_h2(h2 x) { return x; }
CALLED b2 round_b2(b2 x) { return x; }
// What the C library's companion of some compilers lacks.
__bf16 __truncsfbf2(float x) {
  u32 u = __builtin_bit_cast(u32, x);
  u = x != x ? u | 0x400000 : u + 0x7fff + (u >> 16 & 1);
  return __builtin_bit_cast(bf16, (u16)(u >> 16));
}
__bf16 __truncdfbf2(double x) { // through the float towards zero, with a sticky bit
  float f = (float)x;
  u32 u = __builtin_bit_cast(u32, f);
  if (x == x && (double)f != x) {
    if (__builtin_fabs((double)f) > __builtin_fabs(x)) u--;
    u |= 1;
  }
  return __truncsfbf2(__builtin_bit_cast(float, u));
}
#else
#define round_bf16(x) (x)
#define round_h2(x) (x)
#define round_b2(x) (x)
#endif
#define to_bits_bf16(x) (bits_bf16(x))
INLINE u16 bits_bf16(bf16 x) { return x != x ? 0x7fc0 : __builtin_bit_cast(u16, x); }
INLINE bf16 from_bits_bf16(u64 b) {
  u16 x = (u16)b;
  if (x & 1) x = (x & 0x80ff) | 0x3f00;
  if ((x & 0x7fff) > 0x7f80) x = 0x7fc0;
  return __builtin_bit_cast(bf16, x);
}
struct pair { u32 a; u64 b; };
CALLED u64 va_sum(u32 n, ...) {
  __builtin_va_list l;
  __builtin_va_start(l, n);
  u64 x = n;
  if (n > 0) x += __builtin_va_arg(l, u64);
  if (n > 1) x = x * 3 + __builtin_va_arg(l, u32);
  if (n > 2) x ^= bits_f64(__builtin_va_arg(l, f64));
  if (n > 3) { struct pair p = __builtin_va_arg(l, struct pair); x += p.a * p.b; }
  __builtin_va_end(l);
  return x;
}
`)
	ints := []typ{u8, s8, u16, s16, u32, s32, u64, s64}
	over := func(t typ, ops ...string) {
		for _, op := range ops {
			fmt.Fprintf(w, "INLINE %[1]s over_%[2]s_%[1]s(%[1]s a, %[1]s b) { %[1]s r; _Bool o = __builtin_%[2]s_overflow(a, b, &r); return (%[1]s)(o ? ~r : r); }\n", t, op)
		}
	}
	for _, t := range ints {
		over(t, "add", "sub", "mul")
		fmt.Fprintf(w, "INLINE %[1]s to_%[1]s_bf16(bf16 x) { return to_%[1]s_f32((f32)x); }\n", t)
	}
	w.WriteString(asmPrelude())
	w.WriteString("#ifndef NO128\ntypedef unsigned __int128 u128; typedef __int128 s128;\n")
	over(u128, "add", "sub")
	over(s128, "add", "sub")
	w.WriteString(`INLINE u128 div_u128(u128 a, u128 b) { return b ? a / b : a; }
INLINE u128 rem_u128(u128 a, u128 b) { return b ? a % b : a; }
INLINE s128 div_s128(s128 a, s128 b) { return b == 0 ? a : b == -1 ? -a : a / b; }
INLINE s128 rem_s128(s128 a, s128 b) { return b == 0 ? a : b == -1 ? 0 : a % b; }
#endif
`)
	return w.String()
}
