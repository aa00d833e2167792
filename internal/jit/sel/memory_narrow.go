package sel

import (
	"encoding/binary"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file narrows the 64-bit addresses of an access to 32-bit distances.
//
// Input: 64-bit addresses of lanes, as whole webs or as pairs of halves.
// Output: 32-bit distances from the start of the region that the access touched last.
// Invariant: a distance is below 2^31, because gathers sign-extend indices; other lanes
// are left to the interpreter.
// Example: d = low half of (a - CacheLow); a lane fails if its high half is not 0 or d
// >= min(CacheCount, 2^31).

// narrows reports whether access in gets 32-bit distances although its addresses have
// 64 bits: then lanes take half as many registers, and without mask registers half as
// many masks.
func (g *facts) narrows(in *ir.Inst) bool {
	return accesses(in.Op) && (in.Space == ir.Global || in.Space == ir.Generic) && g.f.Val(in.Args[0]).Type == ir.B64 && int32(g.f.Lanes)%(g.w/4) == 0
}

// maxNarrow bounds the distances, which gathers sign-extend. The interpreter does
// accesses with lanes beyond it.
const maxNarrow = 1 << 31

// narrow has the operands of the checks that reachNarrow makes.
type narrow struct {
	from  [2]x64.Reg  // subtracted from the addresses: one number, or its halves
	limit x64.Reg     // all distances must be below it
	align uint64      // bits that have to be 0
	parts [2]webs.Web // the halves of the addresses, or 0
}

// reachNarrow is reach for an access that narrows. It also takes the alignment from the
// distances, after it has checked that of the region's start.
func (g *access) reachNarrow(n int, m x64.Reg, l x64.Label) offsets {
	in := g.in
	was := g.len
	g.len = uint8(g.w)
	defer func() { g.len = was }()
	c := g.cache(0, uint64(n)*uint64(in.Size))
	o := offsets{e: 4, base: g.gpr(8)}
	var x narrow
	if near := g.baseIndexes[g.at]; near != nil {
		x.parts = near.parts
	}
	from, limit, most := g.gpr(8), g.gpr(8), g.gpr(8)
	g.load(8, from, at(c, abi.CacheLow))
	if in.Align > 1 && !g.surely(g.at) { // then distances show the alignment
		x.align = uint64(in.Align) - 1
		g.emit(x64.Inst{Op: x64.TESTImm, Len: 4, B: from, Imm: int64(x.align)})
		g.jump(x64.JNE, l)
	}
	g.apply(x64.SUB, x64.SUBImm, 8, from, operand{num: true, imm: in.Offset()})
	g.load(8, limit, at(c, abi.CacheCount))
	least := func(a x64.Reg) {
		g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: limit, B: a})
		g.emit(x64.Inst{Op: x64.CMOVA, Len: 8, Dst: limit, B: a})
	}
	// limit = min(CacheCount, maxNarrow).
	g.put(most, 8, operand{num: true, imm: maxNarrow})
	least(most)
	if x.parts[0] != 0 {
		// All upper halves must equal that of the start. So addresses at which the
		// lower half has wrapped are not reached, and the limit is lowered to the wrap.
		low := g.gpr(8)
		g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: low, B: from})
		g.put(most, 8, operand{num: true, imm: 1 << 32})
		g.r2(x64.SUB, 8, most, low)
		least(most)
		x.from[0] = g.broadcast(low, ir.B32)
		g.ri(x64.SHRImm, 8, from, 32)
		x.from[1] = g.broadcast(from, ir.B32)
	} else {
		x.from[0] = g.broadcast(from, ir.B64)
	}
	g.load(8, o.base, at(c, abi.CachePtr))
	if g.avx512 {
		x.limit = g.broadcast(limit, ir.B32)
		g.narrow512(&o, &x, m, l)
		return o
	}
	g.ri(x64.SUBImm, 8, limit, 1) // the last distance; -1 if there is no memory
	x.limit = g.broadcast(limit, ir.B32)
	g.narrow256(&o, &x, m, l)
	return o
}

// narrow256 appends the distances to o and checks them, without mask registers (AVX2).
func (g *access) narrow256(o *offsets, x *narrow, m x64.Reg, l x64.Label) {
	// Accumulated over the lanes of m: all bits of the lower halves, whether these are
	// too far, and the upper halves.
	var lows, far, highs x64.Reg
	const evens, odds, inner = 0x88, 0xdd, 0xd8
	w := g.ops.Args[0]
	for c := range int32(g.f.Lanes) * 4 / g.w {
		k := g.chunk(m, uint8(g.w)/4, 4, c)
		var d, h x64.Reg
		if x.parts[0] != 0 {
			d = g.v2(x64.VPSUBD, g.value(x.parts[0], c, ir.B32), x.from[0])
			h = g.v2(x64.VPAND, g.v2(x64.VPXOR, g.value(x.parts[1], c, ir.B32), x.from[1]), k)
		} else {
			a := g.v2(x64.VPSUBQ, g.value(w, 2*c, ir.B64), x.from[0])
			b := g.v2(x64.VPSUBQ, g.value(w, 2*c+1, ir.B64), x.from[0])
			// VSHUFPS takes halves from a and b in alternating pairs; VPERMQ restores
			// the order of lanes.
			d = g.vi(x64.VPERMQImm, g.v2i(x64.VSHUFPS, a, b, evens), inner)
			h = g.v2(x64.VPAND, g.v2i(x64.VSHUFPS, a, b, odds), g.vi(x64.VPERMQImm, k, inner))
		}
		if x.align != 0 {
			lows = g.either(lows, g.v2(x64.VPAND, d, k))
		}
		far = g.farther(far, d, x.limit, 4, m, c)
		highs = g.either(highs, h)
		o.regs = append(o.regs, d)
	}
	bad := g.v2(x64.VPOR, highs, g.vi(x64.VPSRLDImm, g.tooFar(far, x.limit, 4), 31))
	if x.align != 0 {
		bad = g.v2(x64.VPOR, bad, g.v2(x64.VPAND, lows, g.constant(x.align, 4)))
	}
	g.emit(x64.Inst{Op: x64.VPTEST, Len: g.len, A: bad, B: bad})
	g.jump(x64.JNE, l)
}

// narrow512 is narrow256 with mask registers (AVX-512): VPERMI2D takes all even or all
// odd words of two registers.
func (g *access) narrow512(o *offsets, x *narrow, m x64.Reg, l x64.Label) {
	var half [2][]byte // the indices of the even and of the odd words
	for i := range uint32(g.len) / 4 {
		for odd := range half {
			half[odd] = binary.LittleEndian.AppendUint32(half[odd], 2*i+uint32(odd))
		}
	}
	w := g.ops.Args[0]
	var bad, lows x64.Reg
	for c := range int32(g.f.Lanes) * 4 / g.w {
		k := g.chunk(m, uint8(g.w)/4, 4, c)
		var d, high x64.Reg
		if x.parts[0] != 0 {
			d = g.v2(x64.VPSUBD, g.value(x.parts[0], c, ir.B32), x.from[0])
			high = g.kreg()
			g.emit(x64.Inst{Op: x64.VPCMPUD, Len: g.len, Dst: high, A: g.value(x.parts[1], c, ir.B32), B: x.from[1], Imm: cmpNE, K: k})
		} else {
			a := g.v2(x64.VPSUBQ, g.value(w, 2*c, ir.B64), x.from[0])
			b := g.v2(x64.VPSUBQ, g.value(w, 2*c+1, ir.B64), x.from[0])
			d = g.v3(x64.VPERMI2D, g.table(half[0]), a, b)
			h := g.v3(x64.VPERMI2D, g.table(half[1]), a, b)
			high = g.nonzero(h, h, 4, k)
		}
		bad = g.either(bad, g.above(d, x.limit, 4, m, c))
		bad = g.either(bad, high)
		if x.align != 0 {
			lows = g.bitsAmong(lows, d, 4, m, c)
		}
		o.regs = append(o.regs, d)
	}
	if x.align != 0 {
		bad = g.either(bad, g.nonzero(lows, g.constant(x.align, 4), 4, 0))
	}
	g.jumpIfAny(bad, l, 4)
}
