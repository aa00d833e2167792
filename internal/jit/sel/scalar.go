package sel

import (
	"sync"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file selects operations in general registers.
//
// Input: an operation that plan computes once (byScalar): a scalar, a uniform value, an
// affine base, or a predicate as a mask of lanes.
// Output: its result in a general register, and in all forms that the web's place has.
// Invariant: a rule gets a fresh destination register; the web's own register is
// written at the end, under the guard if there is one.
// Example: Add32 of two uniform webs: MOV t, a; ADD t, b; MOV web, t (the moves are
// coalesced later).

// A grule does an operation once, in general registers: for scalars, uniform values,
// and the bases of affine values. d is a fresh register of n bytes for the result; a
// are the arguments. A B1 result is 1 or 0.
type grule func(g *lowering, n uint8, d x64.Reg, a [4]operand)

// scalarOp does the pure operation in hand once. A result that is known needs no
// operation.
func (g *lowering) scalarOp() {
	in, ops := g.in, g.ops
	info := &ir.Ops[in.Op]
	lanes := info.Res == ir.B1 && !in.Scalar
	if m := mrules()[in.Op]; m != nil && lanes {
		g.maskOp(m)
		return
	}
	// A result that package shape knows as a constant, or as an affine value with known
	// base, is a move.
	sh := g.sh.Result(g.at)
	if sh.IsConst() && info.Res != ir.B1 || sh.Known && sh.Kind == shape.Affine && !lanes && !in.Scalar && g.places[ops.Dst].affine {
		d, start := g.gpr(8), len(g.fn.Code)
		g.put(d, uint8(max(4, info.Res.Bytes())), operand{num: true, imm: sh.Base})
		g.defineFresh(ops.Dst, d, start)
		return
	}
	var a [4]operand
	for k, t := range info.Args {
		w := ops.Args[k]
		// A carry that shape has proved uniform replaces VCC: see shape.Carry.
		if c := g.sh.Carry(g.at, k); c != 0 {
			w = c
		}
		if v, ok := g.known1(w); ok && t != ir.B1 {
			// A known argument becomes an immediate.
			a[k] = operand{imm: v & (1<<(8*t.Bytes()) - 1), num: true}
			continue
		}
		a[k] = g.scalarArg(w, t)
	}
	n := uint8(max(4, info.Res.Bytes()))
	d, start := g.gpr(n), len(g.fn.Code)
	grules()[in.Op](g, n, d, a)
	if lanes {
		// Predicates are masks of lanes: 1 becomes all ones.
		if g.maskBytes() == 8 {
			w := g.gpr(8)
			g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: w, B: d})
			d = w
		}
		g.emit(x64.Inst{Op: x64.NEG, Len: g.maskBytes(), Dst: d})
		g.freshLanes(ops.Dst, d, start)
		return
	}
	g.defineFresh(ops.Dst, d, start)
}

// scalarArg is an argument as a number or in a general register. A raw float gets its
// canonical NaN.
func (g *lowering) scalarArg(w webs.Web, t ir.Type) operand {
	if v, ok := g.constant1(w); ok {
		if t == ir.B1 {
			v &= 1
		}
		return operand{imm: v, num: true}
	}
	// The web has only a splat or lanes: take the first element.
	if p := &g.places[w]; p.gpr == 0 && !p.slot {
		d := g.gpr(uint8(max(4, t.Bytes())))
		g.emit(x64.Inst{Op: fromVec(t), Len: uint8(t.Bytes()), Dst: d, B: g.unit(w, 0, t)})
		return operand{reg: g.canonical1(w, d)}
	}
	r := g.canonical1(w, g.read(w))
	if t == ir.B1 && g.s.Value(w).Scalar && !g.in.Scalar {
		r = g.spreadBit(r)
	}
	return operand{reg: r}
}

// canonical1 is the value of web w in general register r; if w is raw, with a canonical
// NaN.
func (g *lowering) canonical1(w webs.Web, r x64.Reg) x64.Reg {
	if !g.places[w].raw {
		return r
	}
	n := uint8(g.typ(w).Bytes())
	inf := uint64(expF32)
	if n == 8 {
		inf = 0x7ff << 52
	}
	// If twice the bits, without the sign, are above those of infinity, the float is a
	// NaN.
	word := func(v uint64) x64.Reg { return g.constOf(constKey{bits: v, size: n, len: n, gpr: true}) }
	d, m := g.gpr(n), g.gpr(n)
	g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: d, B: r})
	g.emit(x64.Inst{Op: x64.LEA, Len: n, Dst: m, HasMem: true, M: x64.Mem{Base: r, Index: r, Scale: 1}}) // twice r: without the sign
	g.emit(x64.Inst{Op: x64.CMP, Len: n, A: m, B: word(inf << 1 & (1<<(8*n) - 1))})
	g.emit(x64.Inst{Op: x64.CMOVA, Len: n, Dst: d, B: word(canonicalNaN(8 * n))})
	return d
}

// defineGPR writes a scalar, a uniform or an affine value, or a mask of lanes, from
// general register d. It also makes the other forms of the web.
func (g *lowering) defineGPR(w webs.Web, d x64.Reg) {
	p := &g.places[w]
	t := g.typ(w)
	v := g.s.Value(w)
	// A predicate of lanes has forms of its own.
	if t == ir.B1 && !v.Scalar {
		g.defineLanes(w, d, nil, 0, 0)
		return
	}
	if p.slot {
		if v.Scalar {
			g.store(uint8(max(4, t.Bytes())), g.frame(v.Off), d)
			g.mirror(w, d)
			return
		}
		r := g.broadcast(d, t)
		for u := range g.unitsOf(t) {
			g.storeSlot(w, u, r, g.lanesToWrite(w))
		}
		return
	}
	if p.gpr != 0 {
		d = g.writeGPR(w, p.gpr, d)
		g.mirror(w, d)
	}
	switch {
	// The splat form follows from d. If the web has no register, the guard has not
	// been applied yet.
	case p.splat != 0:
		if p.gpr == 0 && g.guarded(w) {
			g.defineSplat(w, g.broadcast(d, t))
			return
		}
		g.spreadTo(p.splat, d, uint8(t.Bytes()))
	// The lanes of an affine value: the base plus constant steps.
	case p.affine && p.n > 0:
		was := g.len
		g.len = uint8(g.w)
		b := g.broadcast(d, t)
		for u := range p.n {
			op := x64.VPADDD
			if t == ir.B64 {
				op = x64.VPADDQ
			}
			g.emit(x64.Inst{Op: op, Len: g.len, Dst: p.units + x64.Reg(u), A: b, B: g.steps(p.steps, t, u)})
		}
		g.len = was
	case p.n > 0:
		r := g.broadcast(d, t)
		for u := range p.n {
			g.defineUnit(w, u, r, len(g.fn.Code), 1<<30)
		}
	}
}

// steps is the constant vector of the distances from lane 0, for the lanes of vector
// register u.
func (g *lowering) steps(s shape.Steps, t ir.Type, u int32) x64.Reg {
	e := int32(t.Bytes())
	var all [64]byte
	data := all[:g.w]
	for i := range g.w / e {
		v := s.At(int(u*(g.w/e) + i))
		for k := range e {
			data[i*e+k] = byte(v >> (8 * k))
		}
	}
	return g.table(data)
}

// guarded reports whether the operation in hand keeps the old value of w in lanes for
// which its guard is clear.
func (g *lowering) guarded(w webs.Web) bool {
	return g.in.Guard != 0 && g.ops.Merge && w == g.ops.Dst && !g.every
}

// writeGPR writes register p of a web from d, if the guard of the operation holds for
// an active lane. It returns the register that holds the web's value.
func (g *lowering) writeGPR(w webs.Web, p, d x64.Reg) x64.Reg {
	if g.guarded(w) {
		m, all := g.writeMask()
		if !all {
			g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: m, B: m})
			// A uniform guard is set for all active lanes or for none.
			g.emit(x64.Inst{Op: x64.CMOVNE, Len: 8, Dst: p, B: d})
			g.forget(p)
			return p
		}
	}
	// settled may make the last instruction write p directly.
	if !g.settled(p, d, 8) {
		g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: p, B: d})
	}
	g.forget(p)
	return p
}

// allOrNone is the mask of all lanes if the operation in hand acts for any active lane,
// else 0. It is right for uniform guards.
func (g *lowering) allOrNone() x64.Reg {
	m, _ := g.writeMask()
	t, d := g.gpr(8), g.gpr(8)
	g.emit(x64.Inst{Op: x64.MOV, Len: g.maskBytes(), Dst: t, B: m})
	g.emit(x64.Inst{Op: x64.MOVImm, Len: 4, Dst: d})
	g.emit(x64.Inst{Op: x64.NEG, Len: 8, Dst: t}) // the carry is set unless t is 0
	g.r2(x64.SBB, 8, d, d)
	return d
}

// defineLanes writes a mask of lanes from d. The web may have other forms too: a pair
// of scalar registers is also a number of 64 bits. ks, if any, are the chunks of the
// mask, of l lanes with e bytes each, in the form that bitsOf takes.
func (g *lowering) defineLanes(w webs.Web, d x64.Reg, ks []x64.Reg, l, e uint8) {
	p := &g.places[w]
	n := g.maskBytes()
	m := g.lanesToWrite(w)
	if m != 0 { // d = old & ^m | d & m = old ^ (old ^ d) & m
		// The lanes that are not written keep their old bits.
		old := g.read(w)
		x := g.gpr(n)
		g.move(x, old)
		g.r2(x64.XOR, n, x, d)
		g.r2(x64.AND, n, x, m)
		g.r2(x64.XOR, n, x, old)
		d, ks = x, nil
	}
	if p.slot {
		g.store(n, g.frame(g.s.Value(w).Off), d)
		return
	}
	g.forget(p.gpr)
	if m != 0 || !g.settled(p.gpr, d, n) {
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: p.gpr, B: d})
	}
	// The chunks are kept as known forms of the mask, for later masked instructions.
	if !g.avx512 {
		e2 := e
		for c, k := range ks {
			g.masks = append(g.masks, maskEntry{src: p.gpr, l: l, e: e2, c: int32(c), k: k})
		}
	} else {
		for c, k := range ks {
			g.masks = append(g.masks, maskEntry{src: p.gpr, l: l, c: int32(c), k: k})
		}
	}
	g.mirror(w, p.gpr)
	if p.splat != 0 { // a pair of scalar registers that is used as a number of 64 bits
		g.spreadTo(p.splat, p.gpr, n)
	}
}

// maskOp does an operation on masks of lanes, all lanes at once in one general
// register.
func (g *lowering) maskOp(rule grule) {
	var a [4]operand
	n := g.maskBytes()
	for k := range ir.Ops[g.in.Op].Args {
		w := g.ops.Args[k]
		if v, ok := g.constant1(w); ok {
			// A constant predicate is set for all lanes or for none.
			a[k] = operand{imm: -(v & 1), num: true}
			continue
		}
		r := g.lanesOf(w)
		if g.s.Value(w).Scalar && g.typ(w) == ir.B1 {
			t := g.gpr(n)
			g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: t, B: r})
			g.emit(x64.Inst{Op: x64.NEG, Len: n, Dst: t})
			r = t
		}
		a[k] = operand{reg: r}
	}
	d := g.gpr(n)
	// With known forms of all arguments, the forms of the result are computed too.
	forms := g.formsOf(a)
	start := len(g.fn.Code)
	rule(g, n, d, a)
	g.freshLanes(g.ops.Dst, d, start)
	if p := &g.places[g.ops.Dst]; !p.slot && g.lanesToWrite(g.ops.Dst) == 0 {
		for _, f := range forms {
			f.src = p.gpr
			g.masks = append(g.masks, f)
		}
	}
}

// mirror also stores EXEC in its frame slot, or the half that web w is: the code that
// counts lane instructions reads it there.
func (g *lowering) mirror(w webs.Web, d x64.Reg) {
	if g.f.Exec == 0 || !g.writesExec(g.s.Webs[w].Ref) {
		return
	}
	v := g.s.Value(w)
	n := uint8(v.Type.Bytes())
	if v.Type == ir.B1 && !v.Scalar {
		n = 8
	}
	g.store(n, g.frame(v.Off), d)
}

// put moves an operand to register d.
func (g *emitter) put(d x64.Reg, n uint8, o operand) {
	switch {
	case !o.num:
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: d, B: o.reg})
	case o.imm == 0:
		g.emit(x64.Inst{Op: x64.MOVImm, Len: 4, Dst: d})
	default:
		v := int64(o.imm)
		if n == 4 {
			v = int64(uint32(o.imm))
		}
		l := n
		// A move of 4 bytes clears the upper half.
		if n == 8 && o.imm <= 1<<32-1 {
			l = 4
		}
		g.emit(x64.Inst{Op: x64.MOVImm, Len: l, Dst: d, Imm: v})
	}
}

// small reports whether an operand is a number that instructions of n bytes accept as a
// sign-extended immediate of 32 bits.
func (o operand) small(n uint8) bool {
	return o.num && (n == 4 || int64(o.imm) == int64(int32(o.imm)))
}

// imm32 is the immediate of a small operand.
func (o operand) imm32(n uint8) int64 {
	if n == 4 {
		return int64(int32(o.imm))
	}
	return int64(o.imm)
}

// apply is d op= o.
func (g *emitter) apply(op, opImm x64.Op, n uint8, d x64.Reg, o operand) {
	if o.small(n) {
		g.ri(opImm, n, d, o.imm32(n))
		return
	}
	g.r2(op, n, d, g.regOf(o, n))
}

// two is a rule of the form d = a op b.
func two(op, opImm x64.Op, n uint8) grule {
	return func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		g.put(d, n, a[0])
		g.apply(op, opImm, n, d, a[1])
	}
}

// one is a rule of the form d = op a.
func one(op x64.Op, n uint8) grule {
	return func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		g.put(d, n, a[0])
		g.emit(x64.Inst{Op: op, Len: n, Dst: d})
	}
}

// mul is d = a*b, the low half.
func (g *emitter) mul(n uint8, d x64.Reg, a, b operand) {
	if a.num {
		a, b = b, a
	}
	switch {
	// IMUL has a form with an immediate and a separate destination.
	case b.small(n) && !a.num:
		g.emit(x64.Inst{Op: x64.IMULImm, Len: n, Dst: d, B: a.reg, Imm: b.imm32(n)})
	default:
		g.put(d, n, a)
		g.r2(x64.IMUL, n, d, g.regOf(b, n))
	}
}

// shift is a rule for shifts of n bytes. Counts are clamped, so that a count that is
// too large gives 0 or the sign; with wraps they count modulo the size, as the
// machine's do.
func shift(opImm, op x64.Op, n uint8, signed, wraps bool) grule {
	bits := uint64(n) * 8
	return func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		if a[1].num {
			c := a[1].imm & (1<<32 - 1)
			if wraps {
				c %= bits
			}
			// A constant count beyond the size: 0, or the sign.
			if c >= bits {
				if !signed {
					g.put(d, n, operand{num: true})
					return
				}
				c = bits - 1
			}
			g.put(d, n, a[0])
			g.ri(opImm, n, d, int64(c))
			return
		}
		x := g.regOf(a[0], n)
		if wraps {
			g.emit(x64.Inst{Op: op, Len: n, Dst: d, A: x, B: a[1].reg})
			return
		}
		// The machine's shifts take counts modulo the size, so larger counts are
		// corrected.
		t := g.gpr(4)
		if signed {
			g.emit(x64.Inst{Op: x64.MOVImm, Len: 4, Dst: t, Imm: int64(bits - 1)})
			g.emit(x64.Inst{Op: x64.CMP, Len: 4, A: a[1].reg, B: t})
			g.emit(x64.Inst{Op: x64.CMOVB, Len: 4, Dst: t, B: a[1].reg})
			g.emit(x64.Inst{Op: op, Len: n, Dst: d, A: x, B: t})
			return
		}
		g.emit(x64.Inst{Op: op, Len: n, Dst: d, A: x, B: a[1].reg})
		g.put(t, 4, operand{num: true})
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 4, B: a[1].reg, Imm: int64(bits)})
		g.emit(x64.Inst{Op: x64.CMOVAE, Len: n, Dst: d, B: t})
	}
}

// compare sets the flags by a comparison of a[0] and a[1].
func (g *lowering) compare(n uint8, a [4]operand) {
	x := g.regOf(a[0], n)
	if a[1].small(n) {
		g.emit(x64.Inst{Op: x64.CMPImm, Len: n, B: x, Imm: a[1].imm32(n)})
	} else {
		g.emit(x64.Inst{Op: x64.CMP, Len: n, A: x, B: g.regOf(a[1], n)})
	}
}

// A comparison says how the flags show the result of a comparison of n bytes.
type comparison struct {
	set  x64.Op
	cond x64.Cond
	n    uint8
}

// rule is the rule of a comparison: it sets d to 1 or 0.
func (c comparison) rule(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
	// SETcc writes one byte only, so Acc is cleared before the flags are set.
	g.emit(x64.Inst{Op: x64.MOVImm, Len: 4, Dst: abi.Acc})
	g.compare(c.n, a)
	g.emit(x64.Inst{Op: c.set, Len: 1, Dst: abi.Acc})
	g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: abi.Acc})
}

// comparisons are the comparisons, by operation.
var comparisons = sync.OnceValue(func() []comparison { return indexed(allComparisons()) })

// allComparisons lists the comparisons by operation.
func allComparisons() map[ir.Op]comparison {
	m := map[ir.Op]comparison{}
	add := func(n uint8, set x64.Op, cond x64.Cond, ops ...ir.Op) {
		for _, op := range ops {
			// set writes the result as a byte; cond lets a branch use the flags
			// directly.
			m[op] = comparison{set, cond, n}
		}
	}
	add(4, x64.SETE, x64.CondE, ir.EqU32, ir.EqS32)
	add(4, x64.SETNE, x64.CondNE, ir.NeU32, ir.NeS32)
	// Unsigned comparisons use the carry flag, signed ones the sign and overflow flags.
	add(4, x64.SETB, x64.CondB, ir.LtU32)
	add(4, x64.SETBE, x64.CondBE, ir.LeU32)
	add(4, x64.SETA, x64.CondA, ir.GtU32)
	add(4, x64.SETAE, x64.CondAE, ir.GeU32)
	add(4, x64.SETL, x64.CondL, ir.LtS32)
	add(4, x64.SETLE, x64.CondLE, ir.LeS32)
	add(4, x64.SETG, x64.CondG, ir.GtS32)
	add(4, x64.SETGE, x64.CondGE, ir.GeS32)
	add(8, x64.SETE, x64.CondE, ir.EqU64, ir.EqS64)
	add(8, x64.SETNE, x64.CondNE, ir.NeU64, ir.NeS64)
	add(8, x64.SETB, x64.CondB, ir.LtU64)
	add(8, x64.SETBE, x64.CondBE, ir.LeU64)
	add(8, x64.SETA, x64.CondA, ir.GtU64)
	add(8, x64.SETAE, x64.CondAE, ir.GeU64)
	add(8, x64.SETL, x64.CondL, ir.LtS64)
	add(8, x64.SETLE, x64.CondLE, ir.LeS64)
	add(8, x64.SETG, x64.CondG, ir.GtS64)
	add(8, x64.SETGE, x64.CondGE, ir.GeS64)
	return m
}

// comparisonRules are the rules of comparisons.
func comparisonRules() map[ir.Op]grule {
	m := map[ir.Op]grule{}
	for op, c := range allComparisons() {
		m[op] = c.rule
	}
	return m
}

// pick is a rule of minimum and maximum: the second operand if the condition of cmov
// holds, else the first.
func pick(cmov x64.Op, n uint8) grule {
	return func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		g.put(d, n, a[0])
		// CMOV takes no immediate, so the second operand must be in a register.
		b := g.regOf(a[1], n)
		g.emit(x64.Inst{Op: x64.CMP, Len: n, A: d, B: b})
		g.emit(x64.Inst{Op: cmov, Len: n, Dst: d, B: b})
	}
}

// sel is a rule of selections: a[t] if the predicate a[p] is set, else a[f].
func sel(n uint8, t, f, p int) grule {
	return func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		// A constant predicate chooses at translation time.
		if a[p].num {
			if a[p].imm&1 != 0 {
				g.put(d, n, a[t])
			} else {
				g.put(d, n, a[f])
			}
			return
		}
		g.put(d, n, a[f])
		b := g.regOf(a[t], n)
		g.test(a[p].reg)
		g.emit(x64.Inst{Op: x64.CMOVNE, Len: n, Dst: d, B: b})
	}
}

// test sets the flags by a predicate: a scalar, or a mask of lanes, which counts as set
// if it is set for an active lane.
func (g *lowering) test(r x64.Reg) {
	// PTX: Active restricts the mask to lanes that run.
	if g.f.Exec == 0 && !g.in.Scalar {
		g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: r, B: abi.Active})
		return
	}
	g.emit(x64.Inst{Op: x64.TESTImm, Len: 4, B: r, Imm: 1})
}

// extend is a rule that extends a word by op.
func extend(op x64.Op, n uint8) grule {
	return func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		g.emit(x64.Inst{Op: op, Len: n, Dst: d, B: g.regOf(a[0], 4)})
	}
}

// copied is the rule of a plain copy of n bytes.
func copied(n uint8) grule {
	return func(g *lowering, _ uint8, d x64.Reg, a [4]operand) { g.put(d, n, a[0]) }
}

// grules are the rules for general registers, by operation.
var grules = sync.OnceValue(func() []grule {
	return joined(basicGPR, comparisonRules(), gprRules(intRules()), gprRules(bitGPR), gprRules(predicateGPR))
})

// basicGPR are the rules that are shorter than the formulas of rules_int.go.
var basicGPR = map[ir.Op]grule{
	ir.Sel32: sel(4, 1, 2, 0), ir.Sel64: sel(8, 1, 2, 0),
	ir.Mov32: copied(4), ir.Mov64: copied(8), ir.MovB1: copied(4),
	ir.Lo32:  copied(4),
	ir.Add32: two(x64.ADD, x64.ADDImm, 4), ir.Add64: two(x64.ADD, x64.ADDImm, 8),
	ir.Sub32: two(x64.SUB, x64.SUBImm, 4), ir.Sub64: two(x64.SUB, x64.SUBImm, 8),
	ir.And32: two(x64.AND, x64.ANDImm, 4), ir.And64: two(x64.AND, x64.ANDImm, 8),
	ir.Or32: two(x64.OR, x64.ORImm, 4), ir.Or64: two(x64.OR, x64.ORImm, 8),
	ir.Xor32: two(x64.XOR, x64.XORImm, 4), ir.Xor64: two(x64.XOR, x64.XORImm, 8),
	ir.AndP: two(x64.AND, x64.ANDImm, 4), ir.OrP: two(x64.OR, x64.ORImm, 4), ir.XorP: two(x64.XOR, x64.XORImm, 4),
	ir.NotP: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		g.put(d, 4, a[0])
		g.ri(x64.XORImm, 4, d, 1)
	},
	ir.Not32: one(x64.NOT, 4), ir.Not64: one(x64.NOT, 8),
	ir.Neg32: one(x64.NEG, 4), ir.Neg64: one(x64.NEG, 8),
	ir.Mul32: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) { g.mul(4, d, a[0], a[1]) },
	ir.Mul64: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) { g.mul(8, d, a[0], a[1]) },
	ir.Mad32: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		g.mul(4, d, a[0], a[1])
		g.apply(x64.ADD, x64.ADDImm, 4, d, a[2])
	},
	ir.Mad64: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		g.mul(8, d, a[0], a[1])
		g.apply(x64.ADD, x64.ADDImm, 8, d, a[2])
	},
	ir.MulWideU32: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) { g.wide(x64.MOV, 4, d, a) },
	ir.MulWideS32: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) { g.wide(x64.MOVSXD, 8, d, a) },
	ir.MadWideU32: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		g.wide(x64.MOV, 4, d, a)
		g.apply(x64.ADD, x64.ADDImm, 8, d, a[2])
	},
	ir.MadWideS32: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		g.wide(x64.MOVSXD, 8, d, a)
		g.apply(x64.ADD, x64.ADDImm, 8, d, a[2])
	},
	ir.Shl32: shift(x64.SHLImm, x64.SHLX, 4, false, false), ir.Shl64: shift(x64.SHLImm, x64.SHLX, 8, false, false),
	ir.ShrU32: shift(x64.SHRImm, x64.SHRX, 4, false, false), ir.ShrU64: shift(x64.SHRImm, x64.SHRX, 8, false, false),
	ir.ShrS32: shift(x64.SARImm, x64.SARX, 4, true, false), ir.ShrS64: shift(x64.SARImm, x64.SARX, 8, true, false),
	ir.ShlWrap32: shift(x64.SHLImm, x64.SHLX, 4, false, true), ir.ShlWrap64: shift(x64.SHLImm, x64.SHLX, 8, false, true),
	ir.ShrUWrap32: shift(x64.SHRImm, x64.SHRX, 4, false, true), ir.ShrUWrap64: shift(x64.SHRImm, x64.SHRX, 8, false, true),
	ir.ShrSWrap32: shift(x64.SARImm, x64.SARX, 4, true, true), ir.ShrSWrap64: shift(x64.SARImm, x64.SARX, 8, true, true),
	ir.MinU32: pick(x64.CMOVA, 4), ir.MaxU32: pick(x64.CMOVB, 4), ir.MinS32: pick(x64.CMOVG, 4), ir.MaxS32: pick(x64.CMOVL, 4),
	ir.MinU64: pick(x64.CMOVA, 8), ir.MaxU64: pick(x64.CMOVB, 8), ir.MinS64: pick(x64.CMOVG, 8), ir.MaxS64: pick(x64.CMOVL, 8),
	ir.CvtU64FromU32: extend(x64.MOV, 4), ir.CvtS64FromU32: extend(x64.MOV, 4),
	ir.CvtS64FromS32: extend(x64.MOVSXD, 8), ir.CvtU64FromS32: extend(x64.MOVSXD, 8),
	ir.CvtU32FromU64: copied(4), ir.CvtS32FromS64: copied(4), ir.CvtU32FromS64: copied(4), ir.CvtS32FromU64: copied(4),
	ir.CvtU32FromS32: copied(4), ir.CvtS32FromU32: copied(4), ir.CvtU64FromS64: copied(8), ir.CvtS64FromU64: copied(8),
	ir.Hi32: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		t := g.gpr(8)
		g.put(t, 8, a[0])
		g.ri(x64.SHRImm, 8, t, 32)
		g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: t})
	},
	ir.Pack64: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		t := g.gpr(8)
		g.put(d, 4, a[1])
		g.ri(x64.SHLImm, 8, d, 32)
		g.put(t, 4, a[0])
		g.r2(x64.OR, 8, d, t)
	},
	ir.Popc32: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		g.emit(x64.Inst{Op: x64.POPCNT, Len: 4, Dst: d, B: g.regOf(a[0], 4)})
	},
	ir.Popc64: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		g.emit(x64.Inst{Op: x64.POPCNT, Len: 8, Dst: d, B: g.regOf(a[0], 8)})
	},
	ir.Clz32: func(g *lowering, _ uint8, d x64.Reg, a [4]operand) {
		g.emit(x64.Inst{Op: x64.LZCNT, Len: 4, Dst: d, B: g.regOf(a[0], 4)})
	},
}

// indexed makes a table by operation from a map.
func indexed[R any](m map[ir.Op]R) []R {
	t := make([]R, ir.NumOps)
	for op, r := range m {
		t[op] = r
	}
	return t
}

// mrules are the rules for masks of lanes, by operation.
var mrules = sync.OnceValue(func() []grule {
	return indexed(map[ir.Op]grule{
		ir.UndefAndP: undefAndP,
		ir.MovB1:     func(g *lowering, n uint8, d x64.Reg, a [4]operand) { g.put(d, n, a[0]) },
		ir.AndP:      func(g *lowering, n uint8, d x64.Reg, a [4]operand) { two(x64.AND, x64.ANDImm, n)(g, n, d, a) },
		ir.OrP:       func(g *lowering, n uint8, d x64.Reg, a [4]operand) { two(x64.OR, x64.ORImm, n)(g, n, d, a) },
		ir.XorP:      func(g *lowering, n uint8, d x64.Reg, a [4]operand) { two(x64.XOR, x64.XORImm, n)(g, n, d, a) },
		ir.NotP: func(g *lowering, n uint8, d x64.Reg, a [4]operand) {
			g.put(d, n, a[0])
			g.emit(x64.Inst{Op: x64.NOT, Len: n, Dst: d})
		},
		ir.SelP: func(g *lowering, n uint8, d x64.Reg, a [4]operand) { // b ^ (a ^ b) & p
			// b ^ (a ^ b) & p selects bit by bit without a branch.
			g.put(d, n, a[1])
			g.apply(x64.XOR, x64.XORImm, n, d, a[2])
			g.apply(x64.AND, x64.ANDImm, n, d, a[0])
			g.apply(x64.XOR, x64.XORImm, n, d, a[2])
		},
	})
})

// wide is d = a*b with factors of 32 bits, extended by mov.
func (g *lowering) wide(mov x64.Op, l uint8, d x64.Reg, a [4]operand) {
	ext := func(o operand) operand {
		if o.num {
			v := uint64(uint32(o.imm))
			// A number is extended at translation time.
			if mov == x64.MOVSXD {
				v = uint64(int64(int32(o.imm)))
			}
			return operand{num: true, imm: v}
		}
		t := g.gpr(8)
		g.emit(x64.Inst{Op: mov, Len: l, Dst: t, B: o.reg})
		return operand{reg: t}
	}
	g.mul(8, d, ext(a[0]), ext(a[1]))
}
