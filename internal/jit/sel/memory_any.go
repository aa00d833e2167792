package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file selects accesses at arbitrary addresses: gathers, scatters, and loops over
// lanes.
//
// Input: the addresses of all lanes in vector registers, and the mask of lanes that
// act.
// Output: for each lane the distance from a base register, checked against the region
// cache or the limit of shared or private memory; then one gather or scatter per
// register of lanes.
// Invariant: all lanes are checked before the first effect; lanes outside the mask
// cannot fail a check and are not accessed.
// Example: far = far OR (distance >= limit, in the mask) for each register; one KORTEST
// of far; one jump to the call-out.

// Without mask registers (AVX2) a set of bad lanes is a vector in which only the sign
// bits matter.

// offsets are the distances of the lanes' addresses from register base, in the order of
// lanes: e bytes each, as many in a register as fit.
type offsets struct {
	base     x64.Reg
	disp     int32 // to be added
	regs     []x64.Reg
	e        uint8
	scale    uint8 // distances are multiplied by it; 0 means 1
	disjoint bool  // a run counts only if its lanes overlap entirely or not at all
}

// mem is the memory operand of the lanes with the distances in register idx, disp bytes
// further on.
func (o *offsets) mem(idx x64.Reg, disp int32) x64.Mem {
	return x64.Mem{Base: o.base, Index: idx, Scale: max(o.scale, 1), Disp: o.disp + disp}
}

// reach computes the distances of all lanes and checks n pieces for the lanes of m; it
// jumps to l if one is outside or not aligned. Each address space has its own base and
// limit.
func (g *access) reach(n int, m x64.Reg, l x64.Label) offsets {
	in := g.in
	// A uniform base with an index needs no 64-bit arithmetic on lanes.
	if x := g.baseIndexes[g.at]; x != nil && x.parts[0] == 0 {
		return g.reachNear(x, n, m, l)
	}
	t := g.f.Val(in.Args[0]).Type
	span := uint64(n) * uint64(in.Size)
	e := uint8(t.Bytes())
	// Declared shared memory: the addresses are the distances.
	if g.declaredAny(g.at, span) {
		o := offsets{e: e, base: g.sharedBase(), disp: int32(in.Offset())}
		for c := range int32(g.f.Lanes) * int32(e) / g.w {
			o.regs = append(o.regs, g.value(g.ops.Args[0], c, t))
		}
		return o
	}
	if g.narrows(in) {
		return g.reachNarrow(n, m, l)
	}
	was := g.len
	g.len = uint8(g.w)
	defer func() { g.len = was }()
	off := in.Offset()
	// A 32-bit sum of address and offset may wrap, so it is made before the other
	// steps.
	var add x64.Reg
	if t == ir.B32 && off != 0 && g.mayWrap(off) {
		add, off = g.constant(uint64(uint32(off)), 4), 0
	}
	o := offsets{e: e, base: g.gpr(8)}
	count, from := g.gpr(8), x64.Reg(0)
	switch {
	case in.Space == ir.Local && g.f.Stack:
		// Private addresses outside the stacks are usually the same for all lanes.
		from = g.gpr(8)
		g.load(8, from, g.ctl(abi.CtlStackLow))
		g.load(8, o.base, g.ctl(abi.CtlLocal))
		g.r2(x64.ADD, 8, o.base, from)
		g.apply(x64.SUB, x64.SUBImm, 8, from, operand{num: true, imm: off})
		g.load(8, count, g.ctl(abi.CtlStackEnd+8*int32(log2(span))))
		e, o.e = 8, 8
	// One base for all lanes; the limit depends on the size of the access.
	case in.Space == ir.Shared || in.Space == ir.Local:
		end, base := int32(abi.CtlSharedEnd), int32(abi.CtlShared)
		if in.Space == ir.Local {
			end, base = abi.CtlLocalEnd, abi.CtlLocal
		}
		g.load(8, count, g.ctl(end+8*int32(log2(span))))
		g.load(8, o.base, g.ctl(base))
		switch {
		case off == 0:
		case e == 8:
			from = g.gpr(8)
			g.put(from, 8, operand{num: true, imm: -off})
		default: // the limit is lowered by the offset instead; it is 0 if the offset is larger
			o.disp = int32(off)
			z := g.gpr(8)
			g.put(z, 8, operand{num: true})
			g.apply(x64.SUB, x64.SUBImm, 8, count, operand{num: true, imm: off})
			g.emit(x64.Inst{Op: x64.CMOVB, Len: 8, Dst: count, B: z})
		}
	default:
		// Global and generic addresses: distances from the start of the region, minus
		// the offset.
		c := g.cache(0, span)
		from = g.gpr(8)
		g.load(8, from, at(c, abi.CacheLow))
		g.apply(x64.SUB, x64.SUBImm, 8, from, operand{num: true, imm: off})
		g.load(8, count, at(c, abi.CacheCount))
		g.load(8, o.base, at(c, abi.CachePtr))
		e, o.e = 8, 8 // addresses are zero-extended
	}
	et := ir.B32
	if e == 8 {
		et = ir.B64
	}
	if !g.avx512 {
		g.ri(x64.SUBImm, 8, count, 1) // the last valid distance: see above
	}
	limit := g.broadcast(count, et)
	var sub x64.Reg
	if from != 0 {
		sub = g.broadcast(from, et)
	}
	// For each register of addresses: test the alignment, subtract the start, compare
	// with the limit.
	test := in.Align > 1 && !g.surely(g.at)
	var far, low x64.Reg
	for c := range int32(g.f.Lanes) * int32(e) / g.w {
		var a x64.Reg
		if e == uint8(t.Bytes()) {
			a = g.value(g.ops.Args[0], c, t)
		} else {
			a = g.argument(g.ops.Args[0], t, g.w/8, 8, c, false)
		}
		if add != 0 {
			a = g.v2(x64.VPADDD, a, add)
		}
		if e != uint8(t.Bytes()) {
			a = g.v1(x64.VPMOVZXDQ, a)
		}
		if test {
			x := a
			if off&(uint64(in.Align)-1) != 0 {
				add := x64.VPADDD
				if e == 8 {
					add = x64.VPADDQ
				}
				x = g.v2(add, a, g.constant(off, e))
			}
			low = g.bitsAmong(low, x, e, m, c)
		}
		if sub != 0 {
			op := x64.VPSUBD
			if e == 8 {
				op = x64.VPSUBQ
			}
			a = g.v2(op, a, sub)
		}
		far = g.farther(far, a, limit, e, m, c)
		o.regs = append(o.regs, a)
	}
	bad := g.tooFar(far, limit, e)
	if test {
		bits := g.constant(uint64(in.Align)-1, e)
		if g.avx512 {
			bad = g.either(bad, g.nonzero(low, bits, e, 0))
		} else {
			g.emit(x64.Inst{Op: x64.VPTEST, Len: g.len, A: low, B: bits})
			g.jump(x64.JNE, l)
		}
	}
	g.jumpIfAny(bad, l, e)
	if in.Space == ir.Local {
		for c, a := range o.regs {
			// Private memory: the distance inside a lane's part becomes one from lane
			// 0's part.
			o.regs[c] = g.localRegs(a, int32(c), e)
		}
	}
	return o
}

// mayWrap reports whether the 32-bit address of the access in hand plus off may need
// more than 32 bits.
func (g *access) mayWrap(off uint64) bool {
	w := g.ops.Args[0]
	return off > 1<<30 || g.s.Has(w, webs.Aliased) || g.sh.Web(w).Max > 1<<31
}

// The functions below accumulate over all chunks whether a lane of m is bad: in a mask
// register, or in the sign bits of a vector.

// either is the union of two sets of bad lanes; a may be 0, the empty set.
func (g *crossLane) either(a, b x64.Reg) x64.Reg {
	if a == 0 {
		return b
	}
	return g.maskOr(a, b)
}

// test0 is the set of lanes of m with elements that have one of the bits: chunk c, e
// bytes per lane.
func (g *crossLane) test0(a x64.Reg, bits uint64, e uint8, m x64.Reg, c int32) x64.Reg {
	l := uint8(g.w) / e
	k := g.chunk(m, l, e, c)
	t := g.constant(bits, e)
	if g.avx512 {
		return g.nonzero(a, t, e, k)
	}
	x := g.v2(x64.VPAND, a, t)
	z := g.v2([9]x64.Op{4: x64.VPCMPEQD, 8: x64.VPCMPEQQ}[e], x, g.zero())
	return g.v2(x64.VPANDN, z, k)
}

// nonzero is VPTESTM: the elements with a&b != 0, restricted to k unless k is 0.
func (g *crossLane) nonzero(a, b x64.Reg, e uint8, k x64.Reg) x64.Reg {
	op := x64.VPTESTMD
	if e == 8 {
		op = x64.VPTESTMQ
	}
	d := g.kreg()
	g.emit(x64.Inst{Op: op, Len: g.len, Dst: d, A: a, B: b, K: k})
	return d
}

// bitsAmong accumulates bits: the result is all OR the elements of a in the lanes of m.
// all may be 0, which stands for zeros.
func (g *access) bitsAmong(all, a x64.Reg, e uint8, m x64.Reg, c int32) x64.Reg {
	k := g.chunk(m, uint8(g.w)/e, e, c)
	if g.avx512 {
		op := x64.VPORD
		if e == 8 {
			op = x64.VPORQ
		}
		if all == 0 {
			all = g.vec()
			g.emit(x64.Inst{Op: op, Len: g.len, Dst: all, A: a, B: a, K: k, Z: true})
		} else {
			g.emit(x64.Inst{Op: op, Len: g.len, Dst: all, A: all, B: a, K: k})
		}
		return all
	}
	return g.either(all, g.v2(x64.VPAND, a, k))
}

// above is the set of lanes of m with elements that are not below b, unsigned. Without
// mask registers b is the last valid number instead: at most 2^63-2 or 2^31-2, or -1 if
// there is none.
func (g *access) above(a, b x64.Reg, e uint8, m x64.Reg, c int32) x64.Reg {
	k := g.chunk(m, uint8(g.w)/e, e, c)
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
	op := x64.VPSUBD
	if e == 8 {
		op = x64.VPSUBQ
	}
	return g.v2(x64.VPAND, g.v2(x64.VPOR, a, g.v2(op, b, a)), k) // bad if a is negative or b-a is
}

// farther accumulates in far (0 at first) the elements of a in the lanes of m, e bytes
// each, so that tooFar can compare all chunks with limit at once. The limit is that of
// above. Without mask registers far is the greatest element so far; 8-byte elements are
// compared at once, because AVX2 has no maximum of them.
func (g *access) farther(far, a, limit x64.Reg, e uint8, m x64.Reg, c int32) x64.Reg {
	if g.avx512 || e == 8 {
		return g.either(far, g.above(a, limit, e, m, c))
	}
	l := g.len / 4
	if bits, all, ok := g.fixedChunk(m, l, c); !ok || bits != all {
		a = g.v2(x64.VPAND, a, g.chunk(m, l, 4, c)) // the lanes that are not in m count as 0
	}
	if far == 0 {
		return a
	}
	return g.v2(x64.VPMAXUD, far, a)
}

// tooFar is the set of bad lanes of all chunks: see farther and jumpIfAny.
func (g *access) tooFar(far, limit x64.Reg, e uint8) x64.Reg {
	if g.avx512 || e == 8 {
		return far
	}
	return g.v2(x64.VPOR, far, g.v2(x64.VPSUBD, limit, far)) // bad if far is negative or limit-far is
}

// jumpIfAny jumps to l if a lane of the set bad, of e-byte elements, is bad.
func (g *crossLane) jumpIfAny(bad x64.Reg, l x64.Label, e uint8) {
	if g.avx512 {
		g.emit(x64.Inst{Op: x64.KORTESTW, Len: 8, A: bad, B: bad})
	} else {
		g.emit(x64.Inst{Op: x64.VPTEST, Len: g.len, A: bad, B: g.constant(1<<(8*e-1), e)})
	}
	g.jump(x64.JNE, l)
}

// loadAny loads n pieces from arbitrary addresses.
func (g *access) loadAny(n int, l x64.Label) {
	m := g.lanesMask()
	g.loadReached(n, m, g.reach(n, m, l))
}

// loadReached loads n pieces for the lanes of m at the distances that reach has found.
// Small elements are loaded in a loop over lanes; pairs of words as one element;
// neighbouring lanes perhaps as a run.
func (g *access) loadReached(n int, m x64.Reg, o offsets) {
	size := g.in.Size
	// There are no gathers of bytes and half-words.
	if size < 4 {
		kept := g.keepOffsets(o)
		g.loadLanes(n, m, func(i x64.Reg) x64.Mem { return kept(i, 0) })
		return
	}
	if g.wordPairs(n, g.in.Dst) {
		g.loadPairs(n, o, m)
		return
	}
	e := max(o.e, size)
	per := g.w / int32(e)
	if g.mayRun(o, size) {
		for k, parts := range g.loadRun(n, size, o, m) {
			g.piece(k, func() { g.defineParts(parts, per, int32(size)) })
		}
		return
	}
	for k := range n {
		g.piece(k, func() {
			var parts []x64.Reg
			for c := range int32(g.f.Lanes) / per {
				parts = append(parts, g.gatherChunk(size, o, g.offsetsOf(o, c, e), m, uint8(per), e, c, int32(k)*int32(size)))
			}
			g.defineParts(parts, per, int32(size))
		})
	}
}

// offsetsOf are the distances of chunk c, if the widest vector of the access has e
// bytes per lane. Narrower distances are a half of a register.
func (g *access) offsetsOf(o offsets, c int32, e uint8) x64.Reg {
	if o.e < e {
		return g.piece8(o.regs[c/2], g.w/2, c%2)
	}
	return o.regs[c]
}

// keepOffsets stores the distances in the first slot of the scratch area. The function
// that it returns is the memory operand of lane i+k.
func (g *access) keepOffsets(o offsets) func(i x64.Reg, k int32) x64.Mem {
	for c, r := range o.regs {
		g.layOut(g.ctl(abi.CtlScratch+int32(c)*g.w), r, uint8(g.w))
	}
	t := ir.B32
	if o.e == 8 {
		t = ir.B64
	}
	return func(i x64.Reg, k int32) x64.Mem {
		d := g.gpr(8)
		g.load(o.e, d, at(g.kept(0, i, t), k*int32(o.e)))
		return o.mem(d, 0)
	}
}

// gatherChunk gathers chunk c: lanes of size bytes each, for the lanes of m (0: all). e
// is the number of bytes per lane of the widest vector, idx the register of distances.
// Gathers clear their mask, so each one gets a copy. The destination is zeroed first:
// lanes outside the mask become 0.
func (g *access) gatherChunk(size uint8, o offsets, idx, m x64.Reg, lanes, e uint8, c, disp int32) x64.Reg {
	out := uint8(int32(lanes) * int32(size))
	d := g.reg(x64.Vec, out)
	mem := o.mem(idx, disp)
	full := uint8(g.w)
	if g.avx512 {
		g.emit(x64.Inst{Op: x64.VMOVDQU, Len: out, Dst: d, B: g.constOf(constKey{size: 4, len: out})})
		k := g.kreg()
		if m == 0 {
			g.emit(x64.Inst{Op: x64.KXNORQ, Len: 8, Dst: k, A: k, B: k})
		} else {
			g.move(k, g.chunk(m, lanes, e, c))
		}
		op := [2][2]x64.Op{{x64.VPGATHERDD, x64.VPGATHERDQ}, {x64.VPGATHERQD, x64.VPGATHERQQ}}[o.e/8][size/8]
		g.emit(x64.Inst{Op: op, Len: full, Dst: d, HasMem: true, M: mem, K: k})
		return d
	}
	g.emit(x64.Inst{Op: x64.VPXOR, Len: out, Dst: d, A: d, B: d})
	k := g.reg(x64.Vec, out)
	// AVX2 gathers take the sign bits of a vector as mask, and clear it.
	if bits, all, ok := g.fixedChunk(m, lanes, c); m == 0 || ok && bits == all {
		g.emit(x64.Inst{Op: x64.VPCMPEQD, Len: out, Dst: k, A: k, B: k})
	} else {
		g.emit(x64.Inst{Op: x64.VMOVDQU, Len: out, Dst: k, B: g.chunk(m, lanes, size, c)})
	}
	op := [2][2]x64.Op{{x64.VPGATHERDDVex, x64.VPGATHERDQVex}, {x64.VPGATHERQDVex, x64.VPGATHERQQVex}}[o.e/8][size/8]
	g.emit(x64.Inst{Op: op, Len: full, Dst: d, B: k, HasMem: true, M: mem})
	return d
}

// storeAny stores n pieces to arbitrary addresses.
func (g *access) storeAny(n int, l x64.Label) {
	m := g.lanesMask()
	o := g.reach(n, m, l)
	g.changed()
	g.storeReached(n, m, o)
}

// storeReached stores n pieces for the lanes of m at the distances that reach has
// found. If lanes have one address, the value of the highest lane stays.
func (g *access) storeReached(n int, m x64.Reg, o offsets) {
	t, size := g.f.Val(g.in.Args[1]).Type, g.in.Size
	pairs := g.wordPairs(n, g.in.Args[1])
	switch {
	case size < 4 || uint8(t.Bytes()) != size:
	// Lanes may be neighbours: test that first.
	case pairs && g.mayRun(o, 8):
		o.disjoint = g.in.Align < 8
		g.storeRun(g.allPairs(n), 8, o, m, func() { g.storeApart(n, o, m) })
		return
	case !pairs && g.mayRun(o, size):
		values := make([][]x64.Reg, n)
		for k := range n {
			g.piece(k, func() {
				for u := range g.unitsOf(t) {
					values[k] = append(values[k], g.value(g.ops.Args[1], u, t))
				}
			})
		}
		g.storeRun(values, size, o, m, func() { g.storeApart(n, o, m) })
		return
	}
	g.storeApart(n, o, m)
}

// storeApart stores n pieces at distances o, element by element: by scatters, or in a
// loop over the lanes.
func (g *access) storeApart(n int, o offsets, m x64.Reg) {
	t, size := g.f.Val(g.in.Args[1]).Type, g.in.Size
	// AVX2 has no scatters, and neither tier has any of bytes and half-words.
	if !g.avx512 || size < 4 || uint8(t.Bytes()) != size {
		g.storeInTurn(n, m, g.keepOffsets(o))
		return
	}
	if g.storesPairs(n) {
		g.storePairs(n, o)
		return
	}
	e := max(o.e, size)
	per := g.w / int32(e)
	for k := range n {
		g.piece(k, func() {
			for c := range int32(g.f.Lanes) / per {
				g.scatterChunk(t, o, g.offsetsOf(o, c, e), uint8(per), e, c, int32(k)*int32(size))
			}
		})
	}
}

// storeInTurn stores n pieces for the lanes of m, one lane after another; where returns
// the memory operand of lane i+k. If the alignment implies that lanes overlap entirely
// or not at all, all pieces of a lane are stored at once.
func (g *access) storeInTurn(n int, m x64.Reg, where func(i x64.Reg, k int32) x64.Mem) {
	// All values go to the scratch area first; the loop reads single elements.
	step, size, t := 1, g.in.Size, g.f.Val(g.in.Args[1]).Type
	if g.in.Align >= 8 && g.wordPairs(n, g.in.Args[1]) {
		step, size, t = 2, 8, ir.B64
		for k := 0; k < n; k += 2 {
			for u := range g.unitsOf(ir.B32) {
				for j, z := range g.together(g.twoWords(k, u), 4) {
					g.layOut(g.ctl(abi.CtlScratch+g.slot(k/2, t)+(2*u+int32(j))*g.w), z, uint8(g.w))
				}
			}
		}
	} else {
		for k := range n {
			g.piece(k, func() { g.spill(g.slot(k, t), g.ops.Args[1], t) })
		}
	}
	count := n / step
	op, b := loadOp(uint8(t.Bytes()), false)
	each := func(k0, k1 int) {
		g.lanesInTurn(m, func(i laneAt) {
			p := where(i.reg, i.k)
			for k := k0; k < k1; k++ {
				v := g.gpr(8)
				g.emit(x64.Inst{Op: op, Len: b, Dst: v, HasMem: true, M: g.keptAt(g.slot(k, t), i, t)})
				g.store(size, at(p, int32(k)*int32(size)), v)
			}
		})
	}
	if int(g.in.Align) >= count*int(size) {
		each(0, count)
		return
	}
	for k := range count { // lanes may overlap partially: the store of the last piece must be the last
		each(k, k+1)
	}
}

// scatterChunk scatters chunk c; e is the number of bytes per lane of the widest
// vector. Overlapping stores are done from the low lane to the high one (Intel SDM
// volume 2, VPSCATTERDD).
func (g *access) scatterChunk(t ir.Type, o offsets, idx x64.Reg, lanes, e uint8, c, disp int32) {
	size := uint8(t.Bytes())
	w := g.ops.Args[1]
	b := int32(lanes) * int32(size)
	r := g.value(w, c*b/g.w, t)
	// The chunk is a part of a register.
	if b < g.w && !g.alike(w) {
		r = g.piece8(r, b, c*b%g.w/b)
	}
	k := g.kreg()
	g.move(k, g.chunk(g.lanesMask(), lanes, e, c))
	op := [2][2]x64.Op{{x64.VPSCATTERDDSt, x64.VPSCATTERDQSt}, {x64.VPSCATTERQDSt, x64.VPSCATTERQQSt}}[o.e/8][size/8]
	g.emit(x64.Inst{Op: op, Len: uint8(g.w), B: r, HasMem: true, M: o.mem(idx, disp), K: k})
}
