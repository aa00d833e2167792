package sel

import (
	"crosslane/internal/jit/ssa"
	"crosslane/internal/jit/x64"
)

// maskBytes is the size of a mask of lanes in a general register.
func (g *gen) maskBytes() uint8 { return uint8(g.f.Lanes / 8) }

// chunk is chunk c, of l lanes with e bytes each, of the mask of lanes in the general
// register src: a mask register, or without these a vector of ones and zeros.
func (g *gen) chunk(src x64.Reg, l, e uint8, c int32) x64.Reg {
	if g.avx512 {
		e = 0
	}
	for _, m := range g.masks {
		if m.src == src && m.l == l && m.e == e && m.c == c {
			return m.k
		}
	}
	s := src
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
	g.masks = append(g.masks, maskEntry{src, l, e, c, k})
	return k
}

// spread makes vector masks of the low l bits of a general register, e bytes each.
func (g *gen) spread(s x64.Reg, l, e uint8) x64.Reg {
	n := l * e
	x := g.reg(x64.Vec, 16)
	g.emit(x64.Inst{Op: x64.VMOVDFromGPR, Len: 16, Dst: x, B: s})
	bits := make([]byte, n)
	switch e {
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

// forget drops what is known of a general register that is about to be written.
func (g *gen) forget(r x64.Reg) {
	for i := 0; i < len(g.masks); {
		if g.masks[i].src == r {
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

// bitsOf puts the chunk masks of a comparison together in a general register: ks are of l
// lanes with e bytes each.
func (g *gen) bitsOf(ks []x64.Reg, l, e uint8) x64.Reg {
	if !g.avx512 {
		return g.signs(ks, l, e)
	}
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
	d := g.gpr(g.maskBytes())
	op := x64.KMOVDToGPR
	if g.f.Lanes == 64 {
		op = x64.KMOVQToGPR
	}
	g.emit(x64.Inst{Op: op, Len: g.maskBytes(), Dst: d, B: ks[0]})
	return d
}

// signs is bitsOf for vector masks.
func (g *gen) signs(ks []x64.Reg, l, e uint8) x64.Reg {
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
			b := g.v2(x64.VPACKSSWB, k, k) // in each half of the vector twice the same
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
		if i == 0 {
			d = t
			continue
		}
		g.ri(x64.SHLImm, g.maskBytes(), t, int64(i)*int64(l))
		g.r2(x64.OR, g.maskBytes(), d, t)
	}
	return d
}

// lanesOf is the general register with the mask of lanes that a web of type B1 is.
func (g *gen) lanesOf(w ssa.Web) x64.Reg {
	if v, ok := g.constant1(w); ok {
		if g.s.Value(w).Scalar {
			return g.constOf(constKey{bits: v & 1, size: 4, len: 4, gpr: true})
		}
		return g.constOf(constKey{bits: -(v & 1), size: g.maskBytes(), len: g.maskBytes(), gpr: true})
	}
	return g.read(w)
}

// constant1 is the value of a web that is a constant of the function.
func (g *gen) constant1(w ssa.Web) (uint64, bool) {
	return g.s.Webs[w].Const, g.s.Has(w, ssa.Const)
}

// writeMask is the general register with the lanes that the operation in hand acts for:
// the active ones that its guard lets. all says that these are all lanes that there are.
func (g *gen) writeMask() (m x64.Reg, all bool) {
	if g.skip <= g.at { // not within several that are done together
		return g.findMask()
	}
	if a := &g.acts; a.at != g.skip {
		a.m, a.all = g.findMask()
		a.at = g.skip
	}
	return g.acts.m, g.acts.all
}

func (g *gen) findMask() (m x64.Reg, all bool) {
	in := g.in
	if g.ops.Guard == 0 { // it has none, or ignores it
		if g.f.Exec != 0 {
			return 0, true
		}
		return Active, false
	}
	gd := g.lanesOf(g.ops.Guard)
	if g.f.Exec != 0 {
		if !in.GuardNot {
			return gd, false
		}
		d := g.gpr(g.maskBytes())
		g.move(d, gd)
		g.emit(x64.Inst{Op: x64.NOT, Len: g.maskBytes(), Dst: d})
		return d, false
	}
	n := g.maskBytes()
	d := g.gpr(n)
	if in.GuardNot {
		g.emit(x64.Inst{Op: x64.ANDN, Len: n, Dst: d, A: gd, B: Active})
		return d, false
	}
	g.move(d, Active)
	g.r2(x64.AND, n, d, gd)
	return d, false
}
