package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file converts masks of lanes between their forms.
//
// Input: a mask of lanes in a general register, bit i for lane i.
// Output: chunks of it: mask registers (AVX-512), or vectors of ones and zeros (AVX2); and the way
// back.
// Invariant: g.masks has the chunks that are known in the block; forget removes those whose source
// or whose limiting mask is about to be written.
// Example: with AVX-512 and f32, chunk 1 of 32 lanes is kmovd k1, rorx(mask, 16).

// maskBytes is the size of a mask of lanes in a general register.
func (g *facts) maskBytes() uint8 { return uint8(g.f.Lanes / 8) }

// chunk is chunk c, of l lanes with e bytes each, of the mask of lanes in the general register src:
// a mask register, or with AVX2 a vector of ones and zeros.
func (g *lowering) chunk(src x64.Reg, l, e uint8, c int32) x64.Reg {
	return g.chunkUnder(src, l, e, c, 0)
}

// chunkUnder is chunk, but if under is not 0 only the lanes in the mask under have to be right.
func (g *lowering) chunkUnder(src x64.Reg, l, e uint8, c int32, under webs.Web) x64.Reg {
	// Mask registers have one form for all sizes of elements.
	if g.avx512 {
		e = 0
	}
	// A constant mask: a vector constant, or the chunk itself as a constant in a general register.
	if bits, all, ok := g.fixedChunk(src, l, c); ok {
		if !g.avx512 {
			return g.maskVector(bits, l, e)
		}
		n := uint8(4)
		if all>>32 != 0 {
			n = 8
		}
		src, c, under = g.constOf(constKey{bits: bits, size: n, len: n, gpr: true}), 0, 0
	}
	if k, ok := g.knownChunk(src, l, e, c, under); ok {
		return k
	}
	s := src
	// Bring the chunk to the low bits.
	if c > 0 {
		s = g.gpr(g.maskBytes())
		g.emit(x64.Inst{Op: x64.RORX, Len: g.maskBytes(), Dst: s, B: src, Imm: int64(c) * int64(l)})
	}
	var k x64.Reg
	if g.avx512 {
		k = g.kreg()
		op := x64.KMOVDFromGPR
		if l == 64 {
			op = x64.KMOVQFromGPR
		}
		g.emit(x64.Inst{Op: op, Len: 4, Dst: k, B: s})
	} else {
		k = g.spread(s, l, e)
	}
	g.masks = append(g.masks, maskEntry{src: src, l: l, e: e, c: c, k: k})
	return k
}

// formsOf returns the chunks of the mask that the operation in hand computes from its operands a,
// if chunks of these are known. Comparisons are mostly used under EXEC, so the bits do not have to
// go through a general register for that.
func (g *lowering) formsOf(a [4]operand) (forms []maskEntry) {
	var fn func(a, b x64.Reg) x64.Reg
	switch g.in.Op {
	case ir.AndP:
		fn = g.maskAnd
	case ir.OrP:
		fn = g.maskOr
	case ir.MovB1:
	default:
		return nil
	}
	// The first operand is the mask whose chunks are known; two constants are not worth the search.
	if a[0].num {
		a[0], a[1] = a[1], a[0]
	}
	if a[0].num {
		return nil
	}
	was := g.len
	defer func() { g.len = was }()
	// The operation is done chunk by chunk, for each known chunk of the first operand.
	for i, n := 0, len(g.masks); i < n; i++ {
		m := g.masks[i]
		if m.src != a[0].reg || m.l > 16 {
			continue
		}
		switch {
		case fn == nil:
		case a[1].num: // "and" with all lanes, "or" with none: the mask stays
			if all := a[1].imm != 0; all != (g.in.Op == ir.AndP) {
				return nil
			}
		default:
			other, ok := g.knownChunk(a[1].reg, m.l, m.e, m.c, 0)
			switch {
			case ok && m.under == 0:
				g.len = m.l * max(m.e, 1)
				m.k = fn(m.k, other)
			// "and" with EXEC: the chunk is right for the lanes in EXEC, which is enough for users
			// under EXEC.
			case m.under == 0 && g.in.Op == ir.AndP && g.isExec(g.ops.Args[1]):
				m.under = g.ops.Args[1]
			default:
				continue
			}
		}
		forms = append(forms, m)
	}
	return forms
}

// isExec reports whether a web is EXEC as a mask of lanes.
func (g *lowering) isExec(w webs.Web) bool {
	return g.f.Exec != 0 && w != 0 && g.s.Webs[w].Ref == g.f.Exec && g.typ(w) == ir.B1 && !g.places[w].slot
}

// knownChunk returns chunk c of the mask of lanes in src if it is known. If under is not 0, it is
// enough that the chunk is right for the lanes in the mask under.
func (g *lowering) knownChunk(src x64.Reg, l, e uint8, c int32, under webs.Web) (x64.Reg, bool) {
	for _, m := range g.masks {
		if m.src == src && m.l == l && m.e == e && m.c == c && (m.under == 0 || m.under == under) {
			return m.k, true
		}
	}
	return 0, false
}

// spread makes a vector mask of the low l bits of a general register, with e bytes for each bit: it
// copies the bits to every element, isolates one bit per element, and compares.
func (g *lowering) spread(s x64.Reg, l, e uint8) x64.Reg {
	// All bits of the chunk are in the first word of x.
	n := l * e
	x := g.reg(x64.Vec, 16)
	g.emit(x64.Inst{Op: x64.VMOVDFromGPR, Len: 16, Dst: x, B: s})
	bits := make([]byte, n)
	switch e {
	// bits selects, in element i, the bit of lane i.
	case 4, 8:
		for i := range l {
			bits[i*e] = 1 << i
		}
	case 2:
		for i := range l {
			bits[2*i+i/8] = 1 << (i % 8)
		}
	case 1:
		// Byte i gets bit i%8 of byte i/8.
		idx := make([]byte, n)
		for i := range l {
			idx[i], bits[i] = i/8, 1<<(i%8)
		}
		v := g.vl(x64.VPBROADCASTD, n, x, 0)
		was := g.len
		g.len = n
		v = g.v2(x64.VPSHUFB, v, g.table(idx))
		t := g.table(bits)
		v = g.v2(x64.VPCMPEQB, g.v2(x64.VPAND, v, t), t)
		g.len = was
		return v
	}
	// Elements of 2 bytes and more hold all the bits that their own bit is among.
	op := [9]x64.Op{2: x64.VPBROADCASTW, 4: x64.VPBROADCASTD, 8: x64.VPBROADCASTQ}[e]
	eq := [9]x64.Op{2: x64.VPCMPEQW, 4: x64.VPCMPEQD, 8: x64.VPCMPEQQ}[e]
	v := g.vl(op, n, x, 0)
	was := g.len
	g.len = n
	t := g.table(bits)
	v = g.v2(eq, g.v2(x64.VPAND, v, t), t)
	g.len = was
	return v
}

// forget drops the facts about a general register that is about to be written. The order of the
// lists does not matter.
func (g *lowering) forget(r x64.Reg) {
	// The last entry takes the place of one that is dropped.
	for i := 0; i < len(g.masks); {
		if m := &g.masks[i]; m.src == r || m.under != 0 && g.places[m.under].gpr == r {
			g.masks[i] = g.masks[len(g.masks)-1]
			g.masks = g.masks[:len(g.masks)-1]
			continue
		}
		i++
	}
	for i := 0; i < len(g.bcasts); {
		if g.bcasts[i].src == r {
			g.bcasts[i] = g.bcasts[len(g.bcasts)-1]
			g.bcasts = g.bcasts[:len(g.bcasts)-1]
			continue
		}
		i++
	}
}

// bitsOf joins the chunk masks ks of a comparison in a general register; each has l lanes with e
// bytes.
func (g *lowering) bitsOf(ks []x64.Reg, l, e uint8) x64.Reg {
	if !g.avx512 {
		return g.signs(ks, l, e)
	}
	// Mask registers are joined in pairs, then pairs of pairs.
	for n := l; len(ks) > 1; n *= 2 {
		op := [33]x64.Op{8: x64.KUNPCKBW, 16: x64.KUNPCKWD, 32: x64.KUNPCKDQ}[n]
		next := make([]x64.Reg, 0, len(ks)/2)
		for i := 0; i < len(ks); i += 2 {
			d := g.kreg()
			g.emit(x64.Inst{Op: op, Len: 8, Dst: d, A: ks[i+1], B: ks[i]})
			next = append(next, d)
		}
		ks = next
	}
	// One mask register with all lanes is left.
	d := g.gpr(g.maskBytes())
	op := x64.KMOVDToGPR
	if g.f.Lanes == 64 {
		op = x64.KMOVQToGPR
	}
	g.emit(x64.Inst{Op: op, Len: g.maskBytes(), Dst: d, B: ks[0]})
	return d
}

// signs is bitsOf for vector masks: the machine collects the sign bits of a vector's elements.
func (g *lowering) signs(ks []x64.Reg, l, e uint8) x64.Reg {
	var d x64.Reg
	for i, k := range ks {
		t := g.gpr(g.maskBytes())
		n := l * e
		switch e {
		case 4:
			g.emit(x64.Inst{Op: x64.VMOVMSKPS, Len: n, Dst: t, B: k})
		case 8:
			g.emit(x64.Inst{Op: x64.VMOVMSKPD, Len: n, Dst: t, B: k})
		case 2:
			was := g.len
			g.len = n
			// There is no instruction for the signs of half-words: pack them to bytes.
			b := g.v2(x64.VPACKSSWB, k, k) // each half of the vector has its result twice
			if n == 32 {
				b = g.vi(x64.VPERMQImm, b, 0x08)
			}
			g.len = was
			g.emit(x64.Inst{Op: x64.VPMOVMSKB, Len: 16, Dst: t, B: b})
			if l < 16 {
				g.ri(x64.ANDImm, 4, t, int64(1)<<l-1)
			}
		default:
			g.emit(x64.Inst{Op: x64.VPMOVMSKB, Len: n, Dst: t, B: k})
		}
		// Chunk i goes to its bits of the mask.
		if i == 0 {
			d = t
			continue
		}
		g.ri(x64.SHLImm, g.maskBytes(), t, int64(i)*int64(l))
		g.r2(x64.OR, g.maskBytes(), d, t)
	}
	return d
}

// lanesOf is the general register with the mask of lanes of a web of type B1.
func (g *lowering) lanesOf(w webs.Web) x64.Reg {
	if v, ok := g.constant1(w); ok {
		if g.s.Value(w).Scalar {
			return g.constOf(constKey{bits: v & 1, size: 4, len: 4, gpr: true})
		}
		return g.constOf(constKey{bits: -(v & 1), size: g.maskBytes(), len: g.maskBytes(), gpr: true})
	}
	// A mask that is always the same (see findFixed) is used as a constant.
	if bits, ok := g.always[w]; ok {
		return g.constOf(constKey{bits: bits, size: g.maskBytes(), len: g.maskBytes(), gpr: true})
	}
	return g.read(w)
}

// constant1 is the value of a web that is a constant of the function.
func (g *facts) constant1(w webs.Web) (uint64, bool) {
	return g.s.Webs[w].Const, g.s.Has(w, webs.Const)
}

// writeMask returns the general register with the lanes for which the operation in hand acts: the
// active lanes that its guard selects. all reports that these are all lanes of the wave. If several
// operations are done together, the first one's mask serves all of them.
func (g *lowering) writeMask() (m x64.Reg, all bool) {
	if g.skip <= g.at { // not one of several operations that are done together
		return g.findMask()
	}
	if a := &g.acts; a.at != g.skip {
		a.m, a.all = g.findMask()
		a.at = g.skip
	}
	return g.acts.m, g.acts.all
}

// findMask computes the result of writeMask. With EXEC the guard is the mask itself; without, the
// mask is Active, limited by the guard.
func (g *lowering) findMask() (m x64.Reg, all bool) {
	in := g.in
	if g.ops.Guard == 0 { // no guard, or one that the operation ignores
		if g.f.Exec != 0 {
			return 0, true
		}
		return abi.Active, g.mk.Full(g.block)
	}
	gd := g.lanesOf(g.ops.Guard)
	if g.f.Exec != 0 {
		if !in.GuardNot { // under EXEC the guard is the mask
			sh := g.sh.Guard(g.at)
			return gd, sh.IsConst() && sh.Base != 0
		}
		// A negated guard selects all lanes that are not in it.
		d := g.gpr(g.maskBytes())
		g.move(d, gd)
		g.emit(x64.Inst{Op: x64.NOT, Len: g.maskBytes(), Dst: d})
		return d, false
	}
	// Switched lanes: limit Active.
	n := g.maskBytes()
	d := g.gpr(n)
	if in.GuardNot {
		g.emit(x64.Inst{Op: x64.ANDN, Len: n, Dst: d, A: gd, B: abi.Active})
		return d, false
	}
	g.move(d, abi.Active)
	g.r2(x64.AND, n, d, gd)
	return d, false
}
