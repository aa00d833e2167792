package difftest

import (
	"fmt"
	"strings"
)

// A typ is a C type of the generated programs.
type typ string

const (
	u8  typ = "u8"
	s8  typ = "s8"
	u16 typ = "u16"
	s16 typ = "s16"
	u32 typ = "u32"
	s32 typ = "s32"
	u64 typ = "u64"
	s64 typ = "s64"
	f16 typ = "f16"
	f32 typ = "f32"
	f64 typ = "f64"

	// Only programs in C have these types.
	u128 typ = "u128"
	s128 typ = "s128"
	bf16 typ = "bf16"
)

func (t typ) float() bool  { return t[0] == 'f' || t == bf16 }
func (t typ) half() bool   { return t == f16 || t == bf16 }
func (t typ) signed() bool { return t[0] == 's' }
func (t typ) bits() int {
	switch t[1:] {
	case "8":
		return 8
	case "16", "f16":
		return 16 // 16 bits, for f16, too
	case "128":
		return 128
	case "32":
		return 32
	}
	return 64
}
func (t typ) unsigned() typ {
	if t.signed() {
		return "u" + t[1:]
	}
	return t
}

func (g *generator) intType() typ {
	return pick(g, u8, s8, u16, s16, u32, s32, u32, s32, u32, s32, u64, s64, u64, s64)
}

func (g *generator) anyType() typ {
	if g.features.plain {
		switch {
		case g.features.wide && g.one(8):
			return pick(g, u128, s128)
		case g.one(12):
			return bf16
		}
	}
	if g.one(4) {
		return pick(g, f32, f32, f64, f16)
	}
	return g.intType()
}

// constant returns a literal of the type, often at the edge of its range.
func (g *generator) constant(t typ) string {
	if t.half() {
		return "((" + string(t) + ")" + pick(g, "0.0f", "1.0f", "-1.0f", "0.5f", "-2.5f", "3.0f", "65504.0f", "-6.2e-5f", "5.9e-8f", "2048.0f") + ")"
	}
	if t.float() {
		s := pick(g, "0.0", "1.0", "-1.0", "0.5", "-2.5", "3.0", "1e30", "-1e-30", "16777216.0", "0.1", "65536.0", "-7.75", "1e-40", "4294967296.0")
		return fmt.Sprintf("((%s)%s)", t, s)
	}
	var v uint64
	switch g.rand.IntN(5) {
	case 0:
		v = uint64(g.rand.IntN(10))
	case 1:
		v = 1<<g.rand.IntN(64) - uint64(g.rand.IntN(3))
	case 2:
		v = g.rand.Uint64() >> g.rand.IntN(64)
	case 3:
		v = -uint64(g.rand.IntN(10))
	default:
		v = uint64(g.rand.IntN(1 << 16))
	}
	return fmt.Sprintf("((%s)0x%xUL)", t, v)
}

// via returns the cast between a type and a float type. Compilers convert between integers and f16
// through f32; the programs do the same, so that all of them round alike.
func via(from, to typ) string {
	s := ""
	if to.half() && !from.float() {
		s = "(f32)"
	}
	if from.bits() == 128 && to.float() {
		s += "(u64)"
	}
	return s
}

// leaf returns a variable, a constant, an index or an element of memory.
func (g *generator) leaf(t typ) *node {
	var same []string
	for _, v := range g.vars {
		if v.t == t {
			same = append(same, v.name)
		}
	}
	if len(same) > 0 && !g.one(3) {
		return g.expr(t, "c->"+pick(g, same...))
	}
	if n := g.local(t); n != nil {
		return n
	}
	if t.float() {
		switch g.rand.IntN(4) {
		case 0:
			return g.expr(t, g.constant(t))
		case 1:
			return g.expr(t, fmt.Sprintf("from_bits_%s($)", t), g.leaf(u64))
		default:
			v := pick(g, g.vars...)
			return g.expr(t, fmt.Sprintf("((%s)%sc->%s)", t, via(v.t, t), v.name))
		}
	}
	cast := func(s string) *node { return g.expr(t, fmt.Sprintf("((%s)%s)", t, s)) }
	switch g.rand.IntN(9) {
	case 0, 1:
		return g.expr(t, g.constant(t))
	case 2:
		return cast(pick(g, "c->lx", "c->ly", "c->gx", "c->gid", "c->lid", "c->gy"))
	case 3:
		return cast(pick(g, "c->bf.a", "c->bf.b", "c->bf.c", "c->bf.d", "c->bf.e", "c->st.a", "c->st.b", "c->st.c", "c->st.d"))
	case 4:
		if g.features.dynamic {
			return cast(fmt.Sprintf("c->%s", pick(g, "arr[c->lx & 7]", "arr[c->bf.a & 7]", "arw[c->st.a & 3]", "ars[c->w & 7]")))
		}
		if g.shReads {
			v := pick(g, u32, u32, u8, s8, s16, u16, u64, s64)
			size := shSize * 4 / (v.bits() / 8)
			return cast(fmt.Sprintf("((LOCAL %s *)sh)[(c->lid + %d) & %d]", v, g.rand.IntN(64), size-1))
		}
	case 5:
		if g.shaRead {
			return cast(fmt.Sprintf("sha[%d]", g.rand.IntN(16)))
		}
		if g.shWrite {
			return cast(pick(g, "sh[c->lid]", "((LOCAL u16 *)sh)[c->lid * 2 + 1]", "((LOCAL s8 *)sh)[c->lid * 4 + 3]"))
		}
	case 7:
		v := pick(g, u8, s8, u16, s16, u32, s32, u64)
		return cast(fmt.Sprintf("((GLOBAL %s *)OWN)[%d]", v, g.rand.IntN(64/v.bits())))
	case 6:
		v := pick(g, u8, s8, u16, s16, u32, u64)
		size := inSize * 4 / (v.bits() / 8)
		return cast(fmt.Sprintf("((GLOBAL const %s *)in)[(c->gid + %d) & %d]", v, g.rand.IntN(64), size-1))
	}
	for {
		v := pick(g, g.vars...)
		if !v.t.float() {
			return cast("c->" + v.name)
		}
	}
}

// cond returns an expression that is used as a condition.
func (g *generator) cond(depth int) *node {
	if depth > 0 && g.one(4) {
		return g.expr(s32, "($ "+pick(g, "&&", "||")+" $)", g.cond(depth-1), g.cond(depth-1))
	}
	t := g.anyType()
	switch {
	case g.one(6):
		return g.expr(s32, "(($ & $) != 0)", g.any(u32, depth-1), g.leaf(u32))
	case g.one(6):
		return g.expr(s32, "!($ "+pick(g, "<", "<=", ">", ">=", "==", "!=")+" $)", g.any(t, depth-1), g.any(t, depth-1))
	}
	return g.expr(s32, "($ "+pick(g, "<", "<=", ">", ">=", "==", "!=")+" $)", g.any(t, depth-1), g.any(t, depth-1))
}

// any returns an expression of the type.
func (g *generator) any(t typ, depth int) *node {
	if depth <= 0 || g.one(8) {
		return g.leaf(t)
	}
	if len(g.asm) > 0 && t.bits() < 128 && !t.half() && g.one(6) {
		if n := g.asmExpr(t, depth); n != nil {
			return n
		}
	}
	switch {
	case t.float():
		return g.floatExpr(t, depth-1)
	case t.bits() == 128:
		return g.wideExpr(t, depth-1)
	case g.features.plain && g.one(6):
		return g.plainExpr(t, depth-1)
	}
	return g.intExpr(t, depth-1)
}

func (g *generator) intExpr(t typ, depth int) *node {
	a, w := func() *node { return g.any(t, depth) }, t.bits()
	e := func(text string, kids ...*node) *node {
		return g.expr(t, strings.ReplaceAll(text, "T", string(t)), kids...)
	}
	n := func(text string) string { return fmt.Sprintf(text, w) }
	word := t == u32 || t == s32 || t == u64 || t == s64
	suffix := ""
	if w == 64 {
		suffix = "l"
	}
	switch g.rand.IntN(31) {
	case 0, 1:
		return e("((T)($ + $))", a(), a())
	case 2, 3:
		return e("((T)($ - $))", a(), a())
	case 4:
		return e("((T)($ * $))", a(), a())
	case 5:
		return e("((T)($ "+pick(g, "&", "|", "^")+" $))", a(), a())
	case 6:
		return e("((T)(($ & $) | (~$ & $)))", a(), a(), a(), a())
	case 7:
		return e(pick(g, "div_T($, $)", "rem_T($, $)"), a(), a())
	case 8:
		c := 2 + g.rand.IntN(100)
		return e(fmt.Sprintf("((T)($ %s %d))", pick(g, "/", "%"), c), a())
	case 9:
		return e(n("((T)($ << ($ & (%d - 1))))"), a(), g.any(u32, depth))
	case 10:
		return e(n("((T)($ >> ($ & (%d - 1))))"), a(), g.any(u32, depth))
	case 11:
		return e(fmt.Sprintf("((T)($ %s %d))", pick(g, "<<", ">>"), g.rand.IntN(w)), a())
	case 12:
		return e("((T)$)", g.cond(depth))
	case 13, 14:
		return e("($ ? $ : $)", g.cond(depth), a(), a())
	case 15:
		return e(pick(g, "((T)-$)", "((T)~$)", "((T)!$)"), a())
	case 16, 17:
		f := g.intType()
		return e("((T)$)", g.any(f, depth))
	case 18:
		if w == 64 {
			return e("((T)__builtin_popcountl($))", a())
		}
		return e("((T)__builtin_popcount((u32)$))", a())
	case 19:
		return e(pick(g, "((T)clz_T($))", "((T)ctz_T($))"), a())
	case 20:
		if w == 8 {
			return e("((T)__builtin_bitreverse8((u8)$))", a())
		}
		return e(fmt.Sprintf(pick(g, "((T)__builtin_bitreverse%d(($)))", "((T)__builtin_bswap%d(($)))"), w), a())
	case 21:
		return e(fmt.Sprintf("((T)__builtin_rotate%s%d(($), $))", pick(g, "left", "right"), w), a(), g.any(pick(g, u32, t), depth))
	case 22:
		u := t.unsigned()
		return e(fmt.Sprintf("((T)__builtin_elementwise_fsh%s((%s)$, (%s)$, (%s)$))", pick(g, "l", "r"), u, u, u), a(), a(), a())
	case 23:
		return e("__builtin_elementwise_"+pick(g, "min", "max")+"((T)$, (T)$)", a(), a())
	case 24:
		if t.signed() {
			return e("((T)($ < 0 ? -$ : $))", g.leafTwice(t)...)
		}
		// The operands are values that the compiler cannot compute: LLVM 22 loses the clamp of a
		// gfx803 v_sub_u32 if an operand becomes a literal.
		m := func() *node {
			return g.expr(t, fmt.Sprintf("((GLOBAL const %s *)in)[(c->gid + %d) & 127]", t, g.rand.IntN(64)))
		}
		return e("__builtin_elementwise_"+pick(g, "add", "sub")+"_sat($, $)", m(), m())
	case 25:
		if t == u64 || t == s64 {
			return e("((T)mulhi_"+string(t)+"($, $))", a(), a())
		}
		x := pick(g, u32, s32)
		return e("((T)mulhi_"+string(x)+"($, $))", g.any(x, depth), g.any(x, depth))
	case 26:
		f := g.floatType()
		return e(fmt.Sprintf("to_T_%s($)", f), g.any(f, depth))
	case 27:
		f := g.floatType()
		return e(fmt.Sprintf("((T)to_bits_%s($))", f), g.any(f, depth))
	case 28:
		b := 1 + g.rand.IntN(w-1)
		return e(fmt.Sprintf("((T)(($ >> %d) & (((u64)1 << %d) - 1)))", g.rand.IntN(w), b), a())
	case 29:
		if word && t.signed() {
			return e(fmt.Sprintf("((T)((T)($ << %d) >> %d))", g.rand.IntN(w), g.rand.IntN(w)), a())
		}
		return e("((T)((T)(($ & 0xffffff) * ($ & 0xffffff)) + $))", a(), a(), a())
	}
	if suffix == "l" {
		x := pick(g, u32, s32)
		return e("((T)$ * (T)$ + $)", g.any(x, depth), g.any(x, depth), a())
	}
	return e("((T)($ * $ + $))", a(), a(), a())
}

// leafTwice returns one leaf three times, for a value that is compared and used.
func (g *generator) leafTwice(t typ) []*node {
	l := g.leaf(t)
	return []*node{l, l, l}
}

func (g *generator) floatExpr(t typ, depth int) *node {
	a := func() *node { return g.any(t, depth) }
	f := map[typ]string{f16: "f16", f32: "f", f64: "", bf16: "f16"}[t] // the suffix of the builtins
	e := func(text string, kids ...*node) *node {
		// The builtins return __fp16 in C, which arithmetic promotes to f32.
		text = strings.ReplaceAll(strings.ReplaceAll(text, "__builtin_", "(T)__builtin_"), "T", string(t))
		if t.half() {
			text = "round_" + string(t) + "(" + text + ")"
		}
		return g.expr(t, strings.ReplaceAll(text, "@", f), kids...)
	}
	k := g.rand.IntN(16)
	if t == bf16 && k >= 8 && k <= 11 {
		k -= 8 // leave out the builtins
	}
	switch k {
	case 0, 1:
		return e("($ + $)", a(), a())
	case 2:
		return e("($ - $)", a(), a())
	case 3, 4:
		return e("($ * $)", a(), a())
	case 5, 6, 7:
		// Some hosts have no f16 form with a single rounding.
		if t.half() {
			return e("($ * $ - $)", a(), a(), a())
		}
		if g.one(2) {
			return e("__builtin_fma@($, $, $)", a(), a(), a())
		}
		if g.one(2) {
			return e("($ / $)", a(), a())
		}
		return e("__builtin_sqrt@(__builtin_fabs@($))", a())
	case 8:
		return e(pick(g, "__builtin_floor@($)", "__builtin_ceil@($)", "__builtin_trunc@($)", "__builtin_rint@($)"), a())
	case 9:
		return e(pick(g, "__builtin_fabs@($)", "(-$)"), a())
	case 10:
		return e("__builtin_copysign@($, from_bits_T(to_bits_T($)))", a(), a())
	case 11:
		// The sign of a minimum of two zeros is not defined; the addition makes it positive.
		return e(pick(g, "(__builtin_fmin@($, $) + (T)0.0)", "(__builtin_fmax@($, $) + (T)0.0)"), a(), a())
	case 12, 13:
		from := g.intType()
		return e("((T)"+via(from, t)+"$)", g.any(from, depth))
	case 14:
		from := map[typ]typ{f16: f64, f32: f64, f64: f32, bf16: f64}[t]
		if g.one(2) {
			from = map[typ]typ{f16: f32, f32: f16, f64: f16, bf16: f32}[t]
		}
		if g.features.plain && g.one(3) {
			from = pick(g, f16, bf16)
		}
		return e("((T)$)", g.any(from, depth))
	}
	return e("($ ? $ : $)", g.cond(depth), a(), a())
}
