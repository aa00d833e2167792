package difftest

import (
	"fmt"
	"strings"
)

// statements returns a list of statements.
func (g *generator) statements(n, depth int) []*node {
	var l []*node
	for range n {
		l = append(l, g.statement(depth))
	}
	return l
}

// nested returns a statement with blocks: each '@' in head is one.
func (g *generator) nested(depth int, head string, kids ...*node) *node {
	var text strings.Builder
	k := 0
	var all []*node
	for _, c := range head {
		switch c {
		case '@':
			b := g.statements(1+g.rand.IntN(3), depth-1)
			all = append(all, b...)
			text.WriteString("{\n" + strings.Repeat("$", len(b)) + "}")
		case '$':
			all = append(all, kids[k])
			k++
			text.WriteByte('$')
		default:
			text.WriteRune(c)
		}
	}
	return g.stmt(text.String()+"\n", all...)
}

func (g *generator) statement(depth int) *node {
	if depth > 0 && g.one(3) {
		if n := g.control(depth); n != nil {
			return n
		}
	}
	if g.features.plain && g.one(4) {
		return g.plainStatement()
	}
	switch g.rand.IntN(18) {
	case 0:
		f := pick(g, "bf.a", "bf.b", "bf.c", "bf.d", "bf.e", "st.a", "st.b", "st.c", "st.d")
		return g.stmt("c->"+f+" = $;\n", g.any(u64, 3))
	case 1:
		if g.features.dynamic {
			return g.stmt("c->"+pick(g, "arr[$ & 7]", "arw[$ & 3]", "ars[$ & 7]")+" = $;\n", g.any(u32, 2), g.any(u32, 2))
		}
	case 2:
		if g.shWrite {
			if g.one(2) {
				return g.own("LOCAL", "WRKGRP", "(sh + c->lid)", u32, s32)
			}
			return g.stmt(pick(g, "sh[c->lid] = $;\n", "((LOCAL u16 *)sh)[c->lid * 2 + 1] = $;\n", "((LOCAL u8 *)sh)[c->lid * 4 + 2] = $;\n"), g.any(u32, 3))
		}
	case 3:
		if g.atomics {
			return g.stmt(fmt.Sprintf("if (c->gid < n) atomic_%s_sh(&sha[$ & 15], $);\n", g.shaOp), g.any(u32, 2), g.any(u32, 2))
		}
	case 4:
		return g.stmt(fmt.Sprintf("atomic_%s_gl(&acc[$ & %d], $);\n", g.accOp, accSize-1), g.any(u32, 2), g.any(u32, 2))
	case 5:
		t := pick(g, "v4", "v2")
		last := "w"
		if t == "v2" {
			last = "y"
		}
		op := pick(g, "+", "-", "*", "^", "&", "|")
		return g.stmt(fmt.Sprintf("{ %s q = ((GLOBAL const %s *)in)[(c->gid + %d) & 127]; q = q %s (%s)$; c->w %s= q.x ^ q.%s; }\n",
			t, t, g.rand.IntN(32), op, t, pick(g, "+", "^", "-"), last), g.any(u32, 2))
	case 6:
		if g.features.dynamic {
			return g.stmt("c->w = "+pick(g, "helper_a($, $)", "helper_b($, $)", "(u32)helper_c($, $)")+";\n", g.any(u32, 2), g.any(u32, 2))
		}
	}
	if g.one(9) {
		t := pick(g, u8, u16, u32, u64)
		return g.stmt(fmt.Sprintf("((GLOBAL %s *)OWN)[%d] = $;\n", t, g.rand.IntN(64/t.bits())), g.any(t, 3))
	}
	if g.one(9) {
		return g.own("GLOBAL", "DEVICE", "OWN", u32, s32, u64, s64)
	}
	v := pick(g, g.vars...)
	if !v.t.float() && g.one(3) {
		return g.stmt(fmt.Sprintf("c->%s %s= $;\n", v.name, pick(g, "+", "-", "*", "^", "&", "|")), g.any(v.t, 3))
	}
	return g.stmt(fmt.Sprintf("c->%s = $;\n", v.name), g.any(v.t, 4))
}

// control returns a statement with blocks inside.
func (g *generator) control(depth int) *node {
	switch g.rand.IntN(7) {
	case 0, 1:
		return g.nested(depth, "if ($) @", g.cond(2))
	case 2:
		return g.nested(depth, "if ($) @ else @", g.cond(2))
	case 3:
		if g.loops < 2 {
			g.loops++
			defer func() { g.loops-- }()
			i := fmt.Sprintf("i%d", g.nodes)
			exit := ""
			if g.one(2) {
				exit = fmt.Sprintf("if ($) %s;", pick(g, "break", "continue"))
				return g.nested(depth, fmt.Sprintf("for (u32 %s = 0; %s < ($ & 7); %s++) { @ %s @ }", i, i, i, exit), g.any(u32, 2), g.cond(1))
			}
			return g.nested(depth, fmt.Sprintf("for (u32 %s = 0; %s < ($ & 15); %s++) { c->w += %s; @ }", i, i, i, i), g.leaf(u32))
		}
	case 4:
		if g.loops < 2 {
			g.loops++
			defer func() { g.loops-- }()
			i := fmt.Sprintf("i%d", g.nodes)
			return g.nested(depth, fmt.Sprintf("{ u32 %s = $ & 7; do @ while (%s-- && $); }", i, i), g.any(u32, 2), g.cond(1))
		}
	case 5:
		return g.nested(depth, "switch ($ & 7) { case 0: @ break; case 1: @ case 2: case 5: @ break; case 7: c->w = 3; break; default: @ }", g.any(u32, 2))
	case 6:
		if g.one(3) {
			return g.stmt("if ($) "+g.ret+"\n", g.cond(2))
		}
	}
	return nil
}

// own returns an atomic operation on memory that no other lane uses, so that its result can be
// used.
func (g *generator) own(space, scope, at string, types ...typ) *node {
	t := pick(g, types...)
	v := pick(g, g.vars...)
	for v.t.float() {
		v = pick(g, g.vars...)
	}
	p := fmt.Sprintf("(%s %s *)%s", space, t, at)
	tail := fmt.Sprintf("__ATOMIC_RELAXED, __MEMORY_SCOPE_%s", scope)
	switch g.rand.IntN(4) {
	case 0:
		return g.stmt(fmt.Sprintf("c->%s = __scoped_atomic_exchange_n(%s, $, %s);\n", v.name, p, tail), g.any(t, 2))
	case 1:
		return g.stmt(fmt.Sprintf("{ %s old = $; c->%s += __scoped_atomic_compare_exchange_n(%s, &old, $, 0, __ATOMIC_RELAXED, %s); c->%s ^= old; }\n",
			t, v.name, p, tail, v.name), g.any(t, 2), g.any(t, 2))
	case 2:
		return g.stmt(fmt.Sprintf("{ %s old = *(%s); c->%s += __scoped_atomic_compare_exchange_n(%s, &old, $, 0, __ATOMIC_RELAXED, %s); c->%s ^= old; }\n",
			t, p, v.name, p, tail, v.name), g.any(t, 2))
	}
	op := pick(g, "add", "sub", "and", "or", "xor", "min", "max")
	return g.stmt(fmt.Sprintf("c->%s = __scoped_atomic_fetch_%s(%s, $, %s);\n", v.name, op, p, tail), g.any(t, 2))
}
