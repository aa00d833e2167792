package sel

import (
	"slices"

	"crosslane/internal/ir"
	"crosslane/internal/jit/shape"
	"crosslane/internal/jit/ssa"
	"crosslane/internal/jit/x64"
)

// An own is the rule of an operation that is not pure.
type own struct {
	can   func(g *gen, i int) bool                // whether it can do operation i
	wants func(g *gen, i int, wants, defs []want) // the forms of its operands
	emit  func(g *gen)                            // the code
}

// accessCan reports whether machine code can do a load or a store.
func accessCan(g *gen, i int) bool {
	in := &g.f.Code[i]
	if in.Flags&(ir.Volatile|ir.Undefined) != 0 || in.Space == ir.Local || in.Shadow != [4]ir.Ref{} {
		return false
	}
	if in.Space == ir.Param && (in.Op != ir.Load || g.f.Val(in.Args[0]).Kind != ir.Const) {
		return false
	}
	data := in.Dst
	if in.Op == ir.Store {
		data = in.Args[1]
	}
	t := g.f.Val(data).Type
	if t == ir.B1 || t.Bytes() < uint32(in.Size) || in.Size > 8 {
		return false
	}
	if in.Scalar {
		return in.Op == ir.Load && in.Size >= 4 && t.Bytes() == uint32(in.Size)
	}
	switch g.form(i) {
	case formOne:
		return true
	case formRow:
		return t.Bytes() == uint32(in.Size)
	case formAny:
		return in.Size >= 4 && t.Bytes() == uint32(in.Size) && (in.Op == ir.Load || g.avx512)
	}
	return false
}

// form is how the addresses of an access lie.
type form uint8

const (
	formOne form = iota // all lanes have the same
	formRow             // the elements follow each other without gaps
	formAny
)

func (g *gen) form(i int) form {
	in := &g.f.Code[i]
	a := g.s.Ops[i].Args[0]
	if in.Scalar || in.Op == ir.Load && g.f.Val(in.Args[0]).Kind == ir.Const {
		return formOne
	}
	sh := g.sh.Web(a)
	if g.s.Has(a, ssa.Aliased) {
		return formAny
	}
	switch {
	case sh.Uniform() && in.Op == ir.Load:
		return formOne
	case sh.Kind == shape.Affine && sh.Stride == uint64(in.Size) && in.Size >= 1:
		return formRow
	}
	return formAny
}

func accessWants(g *gen, i int, wants, defs []want) {
	in, ops := &g.f.Code[i], &g.s.Ops[i]
	f := g.form(i)
	if f == formAny {
		wants[ops.Args[0]] |= wantV
	} else {
		wants[ops.Args[0]] |= wantG
	}
	switch {
	case in.Op == ir.Store:
		wants[ops.Args[1]] |= wantV
	case f == formOne:
		defs[ops.Dst] |= wantG
	default:
		defs[ops.Dst] |= wantV
	}
}

// cache makes the region cache of the access in hand, which touches memory from before
// bytes below the address it checks to span bytes above.
func (g *gen) cache(before, span uint64) x64.Mem {
	g.out.Accesses = append(g.out.Accesses, Access{Inst: g.at, Cache: g.caches, Before: before, Span: span})
	m := x64.Mem{Base: Frame, Disp: g.caches}
	g.caches += CacheSize
	return m
}

func at(m x64.Mem, off int32) x64.Mem { m.Disp += off; return m }

// slow makes the access in hand by a call-out, in a cold region that is entered at l and
// goes on at back.
func (g *gen) slow(l, back x64.Label, known knowledge) {
	g.cold(l, func() {
		g.restore(known)
		g.callOut()
		g.jump(x64.JMP, back)
	})
}

// aligned jumps to l unless the low bits of address a let the access in hand.
func (g *gen) aligned(a x64.Reg, l x64.Label) {
	if n := g.in.Align; n > 1 {
		g.emit(x64.Inst{Op: x64.TESTImm, Len: 4, B: a, Imm: int64(n) - 1})
		g.jump(x64.JNE, l)
	}
}

// address is the address of the access in hand, or of its lane 0, in a register that is
// its own. Its sum with the offset wraps at 64 bits.
func (g *gen) address() x64.Reg {
	d := g.gpr(8)
	w := g.ops.Args[0]
	t := g.f.Val(g.in.Args[0]).Type
	off := g.in.Offset()
	if v, ok := g.constant1(w); ok {
		g.put(d, 8, operand{num: true, imm: v + off})
		return d
	}
	o := g.scalarArg(w, t)
	if t == ir.B32 { // it may have any upper half
		g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: o.reg})
	} else {
		g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: d, B: o.reg})
	}
	if off != 0 {
		g.apply(x64.ADD, x64.ADDImm, 8, d, operand{num: true, imm: off})
	}
	return d
}

// inside checks that an access of span bytes from address a on, in a register that it may
// write, is inside memory, and returns where it is; else it jumps to l.
func (g *gen) inside(a x64.Reg, span uint64, l x64.Label) x64.Mem {
	p := g.gpr(8)
	if g.in.Space == ir.Shared {
		// The words are for accesses of up to 16 bytes; a row is one of its last byte.
		if span <= 16 {
			g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: a, HasMem: true, M: g.ctl(CtlSharedEnd + 8*int32(log2(span)))})
			g.jump(x64.JAE, l)
		} else {
			t := g.gpr(8)
			g.emit(x64.Inst{Op: x64.LEA, Len: 8, Dst: t, HasMem: true, M: x64.Mem{Base: a, Disp: int32(span - 1)}})
			g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: t, HasMem: true, M: g.ctl(CtlSharedEnd)})
			g.jump(x64.JAE, l)
			g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: a, HasMem: true, M: g.ctl(CtlSharedEnd)}) // it may have wrapped
			g.jump(x64.JAE, l)
		}
		g.load(8, p, g.ctl(CtlShared))
		return x64.Mem{Base: p, Index: a, Scale: 1}
	}
	c := g.cache(0, span)
	g.rm(x64.SUB, 8, a, at(c, CacheLow))
	g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: a, HasMem: true, M: at(c, CacheCount)})
	g.jump(x64.JAE, l)
	g.load(8, p, at(c, CachePtr))
	return x64.Mem{Base: p, Index: a, Scale: 1}
}

func log2(n uint64) int {
	k := 0
	for ; n > 1; n >>= 1 {
		k++
	}
	return k
}

func emitLoad(g *gen) {
	switch g.form(g.at) {
	case formOne:
		g.loadOne()
	case formRow:
		g.loadRow()
	default:
		g.gather()
	}
}

// loadOp is the load of a scalar of some bytes, extended.
func loadOp(size uint8, signed bool) (op x64.Op, n uint8) {
	switch {
	case size == 1 && signed:
		return x64.MOVSXB, 8
	case size == 1:
		return x64.MOVZXB, 4
	case size == 2 && signed:
		return x64.MOVSXW, 8
	case size == 2:
		return x64.MOVZXW, 4
	case size == 4 && signed:
		return x64.MOVSXD, 8
	}
	return x64.MOV, size
}

// nobody jumps to l if the operation in hand acts for no lane. Without a guard there is
// always an active one.
func (g *gen) nobody(l x64.Label) {
	if g.in.Scalar || g.in.Guard == 0 {
		return
	}
	m, all := g.writeMask()
	if all {
		return
	}
	g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: m, B: m})
	g.jump(x64.JE, l)
}

// loadOne loads what all lanes load.
func (g *gen) loadOne() {
	in := g.in
	l, back := g.label(), g.label()
	g.premask()
	known := g.known()
	g.nobody(back)
	var m x64.Mem
	a := g.address()
	g.aligned(a, l)
	m = g.inside(a, uint64(in.Size), l)
	op, n := loadOp(in.Size, in.Flags&ir.SignExtend != 0)
	t := g.f.Val(in.Dst).Type
	d := g.gpr(uint8(max(4, t.Bytes())))
	g.emit(x64.Inst{Op: op, Len: n, Dst: d, HasMem: true, M: m})
	g.defineLoaded(d)
	g.slow(l, back, known)
	g.bind(back)
	g.restore(known)
	g.clear()
}

// defineLoaded writes the result of the operation in hand from a general register.
func (g *gen) defineLoaded(d x64.Reg) {
	w := g.ops.Dst
	p := &g.places[w]
	t := g.typ(w)
	if p.gpr == 0 && p.splat != 0 {
		r := g.reg(x64.Vec, uint8(g.w))
		g.spreadTo(r, d, uint8(t.Bytes()))
		g.defineSplat(w, r)
		return
	}
	g.defineGPR(w, d)
}

// clear forgets what registers hold in other forms: two ways of control meet.
func (g *gen) clear() {
	for _, w := range []ssa.Web{g.ops.Dst, g.ops.Dst2} {
		if w != 0 {
			if r := g.places[w].gpr; r != 0 {
				g.forget(r)
			}
		}
	}
}

// loadRow loads elements that follow each other. Lanes that are not active load too: all
// of the row is inside.
func (g *gen) loadRow() {
	in := g.in
	l, back := g.label(), g.label()
	g.premask()
	known := g.known()
	g.nobody(back)
	a := g.address()
	g.aligned(a, l)
	m := g.inside(a, uint64(in.Size)*uint64(g.f.Lanes), l)
	n := g.unitLen(g.f.Val(in.Dst).Type)
	w := g.ops.Dst
	for u := range g.unitsOf(g.typ(w)) {
		start := len(g.fn.Code)
		r := g.reg(x64.Vec, n)
		g.emit(x64.Inst{Op: x64.VMOVDQU, Len: n, Dst: r, HasMem: true, M: at(m, u*g.w)})
		g.defineUnit(w, u, r, start, r)
	}
	g.slow(l, back, known)
	g.bind(back)
	g.restore(known)
	g.clear()
}

// premask makes the masks of lanes that the operation in hand will want, before control
// parts: they are known behind it, too.
func (g *gen) premask() {
	in := g.in
	data := in.Dst
	m := x64.Reg(0)
	if in.Op == ir.Load {
		if g.form(g.at) == formOne {
			return
		}
		m = g.lanesToWrite(g.ops.Dst)
	} else {
		data = in.Args[1]
		m, _ = g.storeMask()
	}
	if m == 0 {
		return
	}
	e := uint8(g.f.Val(data).Type.Bytes())
	for u := range g.unitsOf(g.f.Val(data).Type) {
		g.chunk(m, uint8(g.w)/e, e, u)
	}
}

// knowledge is what registers hold in other forms.
type knowledge struct {
	masks  []maskEntry
	bcasts []bcastEntry
}

// known is what is known before control parts; restore makes it all that is known where
// the ways meet again.
func (g *gen) known() knowledge {
	return knowledge{slices.Clone(g.masks), slices.Clone(g.bcasts)}
}

func (g *gen) restore(k knowledge) {
	g.masks, g.bcasts = slices.Clone(k.masks), slices.Clone(k.bcasts)
}

// both makes what is known here, and was known before control parted, all that is known
// where the ways meet again: on the other one the same registers were written.
func (g *gen) both(k knowledge) {
	g.masks = slices.DeleteFunc(g.masks, func(m maskEntry) bool { return !slices.Contains(k.masks, m) })
	g.bcasts = slices.DeleteFunc(g.bcasts, func(b bcastEntry) bool { return !slices.Contains(k.bcasts, b) })
}

// unitLen is the bytes of a vector register that holds lanes of a type.
func (g *gen) unitLen(t ir.Type) uint8 { return uint8(min(g.w, int32(g.f.Lanes)*int32(t.Bytes()))) }

// lanesMask is the general register with the lanes that the operation in hand acts for.
func (g *gen) lanesMask() x64.Reg {
	m, all := g.writeMask()
	if all {
		return g.constOf(constKey{bits: 1<<64 - 1, size: 8, len: 8, gpr: true})
	}
	return m
}

// offsets checks that the accesses of the operation in hand, of lanes with any addresses,
// are inside memory, and returns for chunk c of l lanes the distances of their addresses
// from the register base.
type offsets struct {
	base x64.Reg
	regs []x64.Reg // of 8 or 4 bytes per lane
	e    uint8     // which
}

// reach makes the distances and checks them, for lanes of m; it jumps to l if one is
// outside.
func (g *gen) reach(m x64.Reg, l x64.Label) offsets {
	in := g.in
	t := g.f.Val(in.Args[0]).Type
	e := uint8(t.Bytes())
	was := g.len
	g.len = uint8(g.w)
	defer func() { g.len = was }()
	o := offsets{e: e, base: g.gpr(8)}
	var low, count x64.Mem
	if in.Space == ir.Shared {
		count = g.ctl(CtlSharedEnd + 8*int32(log2(uint64(in.Size))))
		g.load(8, o.base, g.ctl(CtlShared))
	} else {
		c := g.cache(0, uint64(in.Size))
		low, count = at(c, CacheLow), at(c, CacheCount)
		g.load(8, o.base, at(c, CachePtr))
		// Distances of 64 bits: extend the addresses.
		e, o.e = 8, 8
	}
	n := int32(g.f.Lanes) * int32(e) / g.w
	var bad x64.Reg
	off := in.Offset()
	for c := range n {
		var a x64.Reg
		if e == uint8(t.Bytes()) {
			a = g.unit(g.ops.Args[0], c, t)
		} else {
			a = g.v1(x64.VPMOVZXDQ, g.part(g.unit(g.ops.Args[0], c/2, t), g.w/2, c%2))
		}
		if e == 8 {
			if off != 0 {
				a = g.v2(x64.VPADDQ, a, g.c64(off))
			}
			if low.Base != 0 {
				b := g.vec()
				g.emit(x64.Inst{Op: x64.VPBROADCASTQ, Len: g.len, Dst: b, HasMem: true, M: low})
				x := a
				a = g.v2(x64.VPSUBQ, x, b)
				if in.Align > 1 {
					bad = g.either(bad, g.test0(x, uint64(in.Align)-1, 8, m, c))
				}
			} else if in.Align > 1 {
				bad = g.either(bad, g.test0(a, uint64(in.Align)-1, 8, m, c))
			}
		} else {
			// Of 32 bits: an offset may carry out of them, and the sum is then outside.
			if off != 0 {
				a = g.v2(x64.VPADDD, a, g.c32(uint32(off)))
			}
			if in.Align > 1 {
				bad = g.either(bad, g.test0(a, uint64(in.Align)-1, 4, m, c))
			}
		}
		b := g.vec()
		op := x64.VPBROADCASTQ
		if e == 4 {
			op = x64.VPBROADCASTD
		}
		g.emit(x64.Inst{Op: op, Len: g.len, Dst: b, HasMem: true, M: count})
		bad = g.either(bad, g.notBelow(a, b, e, m, c))
		o.regs = append(o.regs, a)
	}
	g.leave(bad, l)
	return o
}

// The functions below keep, of all chunks, whether some lane of m is bad: in a mask
// register, or a vector whose signs tell.

func (g *gen) either(a, b x64.Reg) x64.Reg {
	if a == 0 {
		return b
	}
	if g.avx512 {
		d := g.kreg()
		g.emit(x64.Inst{Op: x64.KORW, Len: 8, Dst: d, A: a, B: b})
		return d
	}
	return g.v2(x64.VPOR, a, b)
}

// test0 are the lanes of m whose elements have one of the bits.
func (g *gen) test0(a x64.Reg, bits uint64, e uint8, m x64.Reg, c int32) x64.Reg {
	l := uint8(g.w) / e
	k := g.chunk(m, l, e, c)
	t := g.constant(bits, e)
	if g.avx512 {
		op := x64.VPTESTMD
		if e == 8 {
			op = x64.VPTESTMQ
		}
		d := g.kreg()
		g.emit(x64.Inst{Op: op, Len: g.len, Dst: d, A: a, B: t, K: k})
		return d
	}
	// Shift the bits to the sign.
	x := g.v2(x64.VPAND, a, t)
	z := g.v2(map[uint8]x64.Op{4: x64.VPCMPEQD, 8: x64.VPCMPEQQ}[e], x, g.zero())
	return g.v2(x64.VPANDN, z, k)
}

// notBelow are the lanes of m whose elements are not below those of b, as numbers without
// sign. Without mask registers: b is at most 2^63.
func (g *gen) notBelow(a, b x64.Reg, e uint8, m x64.Reg, c int32) x64.Reg {
	l := uint8(g.w) / e
	k := g.chunk(m, l, e, c)
	if g.avx512 {
		op := x64.VPCMPUD
		if e == 8 {
			op = x64.VPCMPUQ
		}
		d := g.kreg()
		const notLess = 5
		g.emit(x64.Inst{Op: op, Len: g.len, Dst: d, A: a, B: b, Imm: notLess, K: k})
		return d
	}
	// b > a as signed numbers, and a not negative.
	gt, sgn := x64.VPCMPGTD, x64.VPSRADImm
	if e == 8 {
		gt = x64.VPCMPGTQ
	}
	lt := g.v2(gt, b, a)
	var neg x64.Reg
	if e == 4 {
		neg = g.vi(sgn, a, 31)
	} else {
		neg = g.v2(x64.VPCMPGTQ, g.zero(), a)
	}
	ok := g.v2(x64.VPANDN, neg, lt)
	return g.v2(x64.VPANDN, ok, k)
}

// leave jumps to l if a lane is bad.
func (g *gen) leave(bad x64.Reg, l x64.Label) {
	if g.avx512 {
		g.emit(x64.Inst{Op: x64.KORTESTW, Len: 8, A: bad, B: bad})
	} else {
		g.emit(x64.Inst{Op: x64.VPTEST, Len: g.len, A: bad, B: bad})
	}
	g.jump(x64.JNE, l)
}

// gather loads from any addresses, elements of 4 or 8 bytes.
func (g *gen) gather() {
	in := g.in
	l, back := g.label(), g.label()
	g.premask()
	known := g.known()
	g.nobody(back)
	m := g.lanesMask()
	o := g.reach(m, l)
	w := g.ops.Dst
	t := g.f.Val(in.Dst).Type
	e := max(o.e, uint8(t.Bytes()))
	lanes := uint8(g.w) / e
	var parts []x64.Reg
	n := int32(g.f.Lanes) / int32(lanes)
	for c := range n {
		idx := o.regs[int(c)*len(o.regs)/int(n)]
		if o.e < e { // half of it
			idx = g.part(idx, g.w/2, c%2)
		}
		d := g.gatherChunk(t, o, idx, m, lanes, e, c)
		if uint8(t.Bytes()) == e {
			g.defineUnit(w, c, d, len(g.fn.Code), 1<<30)
			continue
		}
		parts = append(parts, d)
		if len(parts) == 2 {
			g.defineUnit(w, c/2, g.join(parts, g.w/2), len(g.fn.Code), 1<<30)
			parts = parts[:0]
		}
	}
	g.slow(l, back, known)
	g.bind(back)
	g.restore(known)
	g.clear()
}

func (g *gen) gatherChunk(t ir.Type, o offsets, idx, m x64.Reg, lanes, e uint8, c int32) x64.Reg {
	size := uint8(t.Bytes())
	out := uint8(int32(lanes) * int32(size))
	d := g.reg(x64.Vec, out)
	mem := x64.Mem{Base: o.base, Index: idx, Scale: 1}
	full := uint8(g.w)
	g.emit(x64.Inst{Op: x64.VMOVDQU, Len: out, Dst: d, B: g.constOf(constKey{size: 4, len: out})})
	if g.avx512 {
		k := g.kreg()
		g.move(k, g.chunk(m, lanes, e, c))
		op := map[[2]uint8]x64.Op{{4, 4}: x64.VPGATHERDD, {4, 8}: x64.VPGATHERDQ, {8, 4}: x64.VPGATHERQD, {8, 8}: x64.VPGATHERQQ}[[2]uint8{o.e, size}]
		g.emit(x64.Inst{Op: op, Len: full, Dst: d, HasMem: true, M: mem, K: k})
		return d
	}
	k := g.reg(x64.Vec, out)
	g.emit(x64.Inst{Op: x64.VMOVDQU, Len: out, Dst: k, B: g.chunk(m, lanes, size, c)})
	op := map[[2]uint8]x64.Op{{4, 4}: x64.VPGATHERDDVex, {4, 8}: x64.VPGATHERDQVex, {8, 4}: x64.VPGATHERQDVex, {8, 8}: x64.VPGATHERQQVex}[[2]uint8{o.e, size}]
	g.emit(x64.Inst{Op: op, Len: full, Dst: d, B: k, HasMem: true, M: mem})
	return d
}

func emitStore(g *gen) {
	if g.form(g.at) == formRow {
		g.storeRow()
		return
	}
	g.scatter()
}

// changed notes a store that other blocks can see.
func (g *gen) changed() {
	if g.in.Space <= ir.Global {
		g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, Imm: 1, HasMem: true, M: g.ctl(CtlChanged)})
	}
}

// storeRow stores elements that follow each other.
func (g *gen) storeRow() {
	in := g.in
	l, back := g.label(), g.label()
	g.premask()
	known := g.known()
	g.nobody(back)
	a := g.address()
	g.aligned(a, l)
	m := g.inside(a, uint64(in.Size)*uint64(g.f.Lanes), l)
	g.changed()
	t := g.f.Val(in.Args[1]).Type
	e := uint8(t.Bytes())
	n := g.unitLen(t)
	mask, some := g.storeMask()
	w := g.ops.Args[1]
	if !some || g.avx512 || e >= 4 {
		for u := range g.unitsOf(t) {
			r := g.value(w, u, t)
			switch {
			case !some:
				g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: n, B: r, HasMem: true, M: at(m, u*g.w)})
			case g.avx512:
				op := map[uint8]x64.Op{1: x64.VMOVDQU8St, 2: x64.VMOVDQU16St, 4: x64.VMOVDQU32St, 8: x64.VMOVDQU64St}[e]
				g.emit(x64.Inst{Op: op, Len: n, B: r, HasMem: true, M: at(m, u*g.w), K: g.chunk(mask, uint8(g.w)/e, e, u)})
			default:
				op := map[uint8]x64.Op{4: x64.VPMASKMOVDSt, 8: x64.VPMASKMOVQSt}[e]
				g.emit(x64.Inst{Op: op, Len: n, A: g.chunk(mask, uint8(g.w)/e, e, u), B: r, HasMem: true, M: at(m, u*g.w)})
			}
		}
	} else {
		for u := range g.unitsOf(t) {
			// The row is the lanes' own: nobody else writes between.
			old := g.reg(x64.Vec, n)
			g.emit(x64.Inst{Op: x64.VMOVDQU, Len: n, Dst: old, HasMem: true, M: at(m, u*g.w)})
			d := g.reg(x64.Vec, n)
			g.emit(x64.Inst{Op: x64.VPBLENDVB, Len: n, Dst: d, A: old, B: g.value(w, u, t), C: g.chunk(mask, uint8(g.w)/e, e, u)})
			g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: n, B: d, HasMem: true, M: at(m, u*g.w)})
		}
	}
	g.slow(l, back, known)
	g.bind(back)
	g.restore(known)
}

// value is vector register u of a value that leaves for memory or other lanes: with
// canonical NaNs.
func (g *gen) value(w ssa.Web, u int32, t ir.Type) x64.Reg {
	r := g.unit(w, u, t)
	if g.places[w].raw {
		was := g.len
		g.len = uint8(g.w)
		r = g.canonical(r, uint8(8*t.Bytes()), canonicalNaN(uint8(8*t.Bytes())))
		g.len = was
	}
	return r
}

// storeMask is the mask of lanes that store; some says that they may not be all.
func (g *gen) storeMask() (m x64.Reg, some bool) {
	m, all := g.writeMask()
	return m, !all
}

// scatter stores to any addresses. Of lanes with one address the greatest wins (Intel SDM
// volume 2, VPSCATTERDD: overlapping stores are done from the low lane to the high).
func (g *gen) scatter() {
	in := g.in
	l, back := g.label(), g.label()
	g.premask()
	known := g.known()
	g.nobody(back)
	m := g.lanesMask()
	o := g.reach(m, l)
	g.changed()
	t := g.f.Val(in.Args[1]).Type
	size := uint8(t.Bytes())
	e := max(o.e, size)
	lanes := uint8(g.w) / e
	n := int32(g.f.Lanes) / int32(lanes)
	for c := range n {
		idx := o.regs[int(c)*len(o.regs)/int(n)]
		if o.e < e {
			idx = g.part(idx, g.w/2, c%2)
		}
		b := int32(lanes) * int32(size)
		u := c * b / g.w
		r := g.value(g.ops.Args[1], u, t)
		if b < g.w && !g.alike(g.ops.Args[1]) {
			r = g.part(r, b, c*b%g.w/b)
		}
		k := g.kreg()
		g.move(k, g.chunk(m, lanes, e, c))
		op := map[[2]uint8]x64.Op{{4, 4}: x64.VPSCATTERDDSt, {4, 8}: x64.VPSCATTERDQSt, {8, 4}: x64.VPSCATTERQDSt, {8, 8}: x64.VPSCATTERQQSt}[[2]uint8{o.e, size}]
		g.emit(x64.Inst{Op: op, Len: uint8(g.w), B: r, HasMem: true, M: x64.Mem{Base: o.base, Index: idx, Scale: 1}, K: k})
	}
	g.slow(l, back, known)
	g.bind(back)
	g.restore(known)
}
