package sel

import (
	"encoding/binary"

	"crosslane/internal/ir"
	"crosslane/internal/jit/x64"
)

// narrows reports whether the distances of the access in hand are better of 32 bits, though its
// addresses have 64: without mask registers every chunk of lanes costs a mask in a vector, and
// those of 32 bits are half as many.
func (g *gen) narrows() bool {
	return accesses(g.in.Op) && (g.in.Space == ir.Global || g.in.Space == ir.Generic) &&
		g.f.Val(g.in.Args[0]).Type == ir.B64 && int32(g.f.Lanes)%(g.w/4) == 0
}

// maxNarrow bounds the distances: gathers take them with a sign. Lanes beyond are left to Go.
const maxNarrow = 1 << 31

// reachNarrow is reach for an access that narrows.
func (g *gen) reachNarrow(n int, m x64.Reg, l x64.Label) offsets {
	in := g.in
	was := g.len
	g.len = uint8(g.w)
	defer func() { g.len = was }()
	c := g.cache(0, uint64(n)*uint64(in.Size))
	o := offsets{e: 4, base: g.gpr(8)}
	from, limit, most := g.gpr(8), g.gpr(8), g.gpr(8)
	g.load(8, from, at(c, CacheLow))
	test := in.Align > 1 && !g.surely(g.at)
	if test { // so that distances tell
		g.emit(x64.Inst{Op: x64.TESTImm, Len: 4, B: from, Imm: int64(in.Align) - 1})
		g.jump(x64.JNE, l)
	}
	g.apply(x64.SUB, x64.SUBImm, 8, from, operand{num: true, imm: in.Offset()})
	g.load(8, limit, at(c, CacheCount))
	g.put(most, 8, operand{num: true, imm: maxNarrow})
	g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: limit, B: most})
	g.emit(x64.Inst{Op: x64.CMOVA, Len: 8, Dst: limit, B: most})
	g.load(8, o.base, at(c, CachePtr))
	sub := g.broadcast(from, ir.B64)
	if g.avx512 {
		g.narrow512(&o, m, sub, g.broadcast(limit, ir.B32), test, l)
		return o
	}
	g.ri(x64.SUBImm, 8, limit, 1) // the last distance: -1 if there is no memory
	last := g.broadcast(limit, ir.B32)

	// Of the lanes of m: the lower halves, what the last distance is more, the upper halves.
	var lows, rooms, highs x64.Reg
	const evens, odds, inner = 0x88, 0xdd, 0xd8
	w := g.ops.Args[0]
	for c := range int32(g.f.Lanes) * 4 / g.w {
		a := g.v2(x64.VPSUBQ, g.value(w, 2*c, ir.B64), sub)
		b := g.v2(x64.VPSUBQ, g.value(w, 2*c+1, ir.B64), sub)
		// Halves come two by two from a and b.
		d := g.vi(x64.VPERMQImm, g.v2i(x64.VSHUFPS, a, b, evens), inner)
		h := g.v2i(x64.VSHUFPS, a, b, odds)
		k := g.chunk(m, uint8(g.w)/4, 4, c)
		low := g.v2(x64.VPAND, d, k)
		lows = g.either(lows, low)
		rooms = g.either(rooms, g.v2(x64.VPSUBD, last, low))
		highs = g.either(highs, g.v2(x64.VPAND, h, g.vi(x64.VPERMQImm, k, inner)))
		o.regs = append(o.regs, d)
	}
	bad := g.v2(x64.VPOR, highs, g.vi(x64.VPSRLDImm, g.v2(x64.VPOR, lows, rooms), 31))
	if test {
		bad = g.v2(x64.VPOR, bad, g.v2(x64.VPAND, lows, g.constant(uint64(in.Align)-1, 4)))
	}
	g.emit(x64.Inst{Op: x64.VPTEST, Len: g.len, A: bad, B: bad})
	g.jump(x64.JNE, l)
	return o
}

// narrow512 is the rest of it with mask registers.
func (g *gen) narrow512(o *offsets, m, sub, limit x64.Reg, test bool, l x64.Label) {
	var half [2][]byte // of words, the even and the odd ones
	for i := range 2 * int(g.len) / 4 / 2 {
		for odd := range half {
			half[odd] = binary.LittleEndian.AppendUint32(half[odd], uint32(2*i+odd))
		}
	}
	w := g.ops.Args[0]
	var bad, lows x64.Reg
	for c := range int32(g.f.Lanes) * 4 / g.w {
		a := g.v2(x64.VPSUBQ, g.value(w, 2*c, ir.B64), sub)
		b := g.v2(x64.VPSUBQ, g.value(w, 2*c+1, ir.B64), sub)
		d := g.v3(x64.VPERMI2D, g.table(half[0]), a, b)
		h := g.v3(x64.VPERMI2D, g.table(half[1]), a, b)
		bad = g.either(bad, g.above(d, limit, 4, m, c))
		bad = g.either(bad, g.nonzero(h, h, 4, g.chunk(m, uint8(g.w)/4, 4, c)))
		if test {
			lows = g.bitsAmong(lows, d, 4, m, c)
		}
		o.regs = append(o.regs, d)
	}
	if test {
		bad = g.either(bad, g.nonzero(lows, g.constant(uint64(g.in.Align)-1, 4), 4, 0))
	}
	g.leave(bad, l, 4)
}
