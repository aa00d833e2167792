package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file selects accesses with addresses that are a constant distance apart.
//
// Input: an access in form formRow: lane i at a + i*stride, |stride| <= maxStride.
// Output: one check of both ends for all lanes, then whole vector registers, or gathers
// with constant distances.
// Invariant: the check covers inactive lanes too. So loads need no mask; stores do.
// Example: ld.global.v2.f32 with stride 8 is two VMOVDQU per 8 lanes and apart2, which
// separates the two pieces.

// If the stride equals the bytes that a lane accesses, the lanes are contiguous in
// memory.

// contiguous describes where the lanes are: lane i at byte i*step of m; if step is
// negative, at byte (i-lanes+1)*step, so m is always the lowest lane.
type contiguous struct {
	m    x64.Mem
	step int64
}

// rowOf checks the addresses of all lanes, active or not, for n pieces, and jumps to l
// if one is outside.
func (g *access) rowOf(n int, l x64.Label) contiguous {
	step := g.stride(g.at)
	// The distance from lane 0 to the last lane.
	last := int64(g.f.Lanes-1) * step
	// Declared shared memory and induction pointers have been checked.
	if piece := uint64(n) * uint64(g.in.Size); g.declared(g.at, piece) {
		return contiguous{at(g.sharedPlace(), int32(min(last, 0))), step}
	}
	if x := g.walking(n); x != nil {
		return contiguous{g.walked(x, n, l), step}
	}
	a := g.address()
	g.aligned(a, l)
	// The last lane is the lowest: check from there.
	if step < 0 {
		g.ri(x64.ADDImm, 8, a, last)
		last = -last
	}
	return contiguous{g.inside(a, uint64(last)+uint64(n)*uint64(g.in.Size), l), step}
}

// offset is the distance of lane i from m.
func (r contiguous) offset(i, lanes int64) int64 {
	if r.step < 0 {
		return (i - lanes + 1) * r.step
	}
	return i * r.step
}

// rowOffsets is the vector of the distances of lanes first to first+n-1, 4 bytes each.
func (g *access) rowOffsets(r contiguous, first, n int32) x64.Reg {
	data := make([]byte, 4*n)
	for i := range n {
		v := uint32(r.offset(int64(first+i), int64(g.f.Lanes)))
		for k := range int32(4) {
			data[4*i+k] = byte(v >> (8 * k))
		}
	}
	return g.table(data)
}

// base returns the address of memory operand m in one register.
func (g *access) base(m x64.Mem) x64.Reg {
	d := g.gpr(8)
	g.emit(x64.Inst{Op: x64.LEA, Len: 8, Dst: d, HasMem: true, M: m})
	return d
}

// loadRow loads n pieces. Inactive lanes load too, because all lanes are inside.
func (g *access) loadRow(n int, l x64.Label) {
	size, t := g.in.Size, g.f.Val(g.in.Dst).Type
	r := g.rowOf(n, l)
	close := r.step == int64(n)*int64(size)
	switch {
	case close && n == 1:
		g.loadClose(r.m)
	case close && size >= 4 && uint8(t.Bytes()) == size && (size == 4 || n == 2):
		for u := range g.unitsOf(t) {
			// Whole registers hold the pieces of lanes interleaved.
			z := make([]x64.Reg, n)
			for j := range z {
				z[j] = g.reg(x64.Vec, uint8(g.w))
				g.emit(x64.Inst{Op: x64.VMOVDQU, Len: uint8(g.w), Dst: z[j], HasMem: true, M: at(r.m, (u*int32(n)+int32(j))*g.w)})
			}
			for k, d := range g.apart2(z, size) {
				g.piece(k, func() { g.defineUnit(g.ops.Dst, u, d, len(g.fn.Code), 1<<30) })
			}
		}
	// All pieces of a lane fit one dword.
	case close && size < 4 && n*int(size) <= 4:
		g.loadSmall(r.m, n)
	case size >= 4:
		p := g.base(r.m)
		for k := range n {
			g.piece(k, func() {
				// Gaps between lanes: gather with constant distances.
				per := g.w / int32(size) // lanes per register
				var parts []x64.Reg
				for c := range int32(g.f.Lanes) / per {
					parts = append(parts, g.gatherChunk(size, offsets{base: p, e: 4}, g.rowOffsets(r, c*per, per), 0, uint8(per), size, c, int32(k)*int32(size)))
				}
				g.defineParts(parts, per, int32(size))
			})
		}
	default:
		p := g.base(r.m)
		g.loadLanes(n, g.lanesMask(), func(i x64.Reg) x64.Mem { return x64.Mem{Base: p, Index: g.rowIndex(r, i), Scale: 1} })
	}
}

// rowIndex is the distance of lane i, a number in a register, from m.
func (g *access) rowIndex(r contiguous, i x64.Reg) x64.Reg {
	d := g.gpr(8)
	g.emit(x64.Inst{Op: x64.IMULImm, Len: 8, Dst: d, B: i, Imm: r.step})
	if r.step < 0 {
		g.ri(x64.SUBImm, 8, d, int64(g.f.Lanes-1)*r.step)
	}
	return d
}

// extensions are the instructions that extend elements from one size to another:
// unsigned, signed.
var extensions = [5][9][2]x64.Op{
	1: {2: {x64.VPMOVZXBW, x64.VPMOVSXBW}, 4: {x64.VPMOVZXBD, x64.VPMOVSXBD}, 8: {x64.VPMOVZXBQ, x64.VPMOVSXBQ}},
	2: {4: {x64.VPMOVZXWD, x64.VPMOVSXWD}, 8: {x64.VPMOVZXWQ, x64.VPMOVSXWQ}},
	4: {8: {x64.VPMOVZXDQ, x64.VPMOVSXDQ}},
}

// truncations are the instructions that truncate elements from one size to another: to
// a register, to memory.
var truncations = [9][5][2]x64.Op{
	2: {1: {x64.VPMOVWB, x64.VPMOVWBSt}},
	4: {1: {x64.VPMOVDB, x64.VPMOVDBSt}, 2: {x64.VPMOVDW, x64.VPMOVDWSt}},
	8: {1: {x64.VPMOVQB, x64.VPMOVQBSt}, 2: {x64.VPMOVQW, x64.VPMOVQWSt}, 4: {x64.VPMOVQD, x64.VPMOVQDSt}},
}

// extendOp is the instruction that extends elements from one size to another.
func extendOp(from, to uint8, signed bool) x64.Op {
	ops := extensions[from][to]
	if signed {
		return ops[1]
	}
	return ops[0]
}

// loadClose loads elements without gaps between lanes, and extends them if necessary.
func (g *access) loadClose(m x64.Mem) {
	w, t, size := g.ops.Dst, g.f.Val(g.in.Dst).Type, g.in.Size
	n, e := g.unitLen(t), uint8(t.Bytes())
	op := x64.VMOVDQU
	if size != e {
		op = extendOp(size, e, g.in.Flags&ir.SignExtend != 0)
	}
	for u := range g.unitsOf(t) {
		start := len(g.fn.Code)
		r := g.reg(x64.Vec, n)
		g.emit(x64.Inst{Op: op, Len: n, Dst: r, HasMem: true, M: at(m, u*g.w/int32(e)*int32(size))})
		g.defineUnit(w, u, r, start, r)
	}
}

// loadSmall loads n pieces of 1 or 2 bytes, at most 4 bytes per lane, without gaps
// between lanes. It loads all bytes of a lane as one dword and shifts each piece out of
// it.
func (g *access) loadSmall(m x64.Mem, n int) {
	size := int32(g.in.Size)
	total := size * int32(n)
	per := g.w / 4
	var all []x64.Reg
	for c := range int32(g.f.Lanes) / per {
		r := g.reg(x64.Vec, uint8(g.w))
		op := x64.VMOVDQU
		if total == 2 {
			// Two bytes per lane: extend them to dwords.
			op = x64.VPMOVZXWD
		}
		g.emit(x64.Inst{Op: op, Len: uint8(g.w), Dst: r, HasMem: true, M: at(m, c*per*total)})
		all = append(all, r)
	}
	for k := range n {
		g.piece(k, func() {
			parts := make([]x64.Reg, len(all))
			right := x64.VPSRLDImm
			if g.in.Flags&ir.SignExtend != 0 {
				right = x64.VPSRADImm
			}
			for c, r := range all {
				// Shift the piece to the top of the dword, then down with zeros or
				// signs.
				if left := 32 - 8*size*int32(k+1); left > 0 {
					r = g.vi(x64.VPSLLDImm, r, int64(left))
				}
				parts[c] = g.vi(right, r, int64(32-8*size))
			}
			g.defineParts(parts, per, 4)
		})
	}
}

// defineParts writes the result of the operation in hand for all lanes. Each register
// of parts holds, at its start, per lanes of size bytes; elements are narrowed,
// extended, split and joined as the type of the result needs.
func (g *access) defineParts(parts []x64.Reg, per, size int32) {
	t := g.f.Val(g.in.Dst).Type
	e := int32(t.Bytes())
	if size > e {
		for i, r := range parts {
			parts[i] = g.narrow(r, per, size, e)
		}
		size = e
	}
	lanes := int32(g.unitLen(t)) / e // of a register of the result
	u := int32(0)
	unit := func(r x64.Reg) {
		if size < e {
			d := g.reg(x64.Vec, uint8(g.w))
			g.emit(x64.Inst{Op: extendOp(uint8(size), uint8(e), g.in.Flags&ir.SignExtend != 0), Len: uint8(g.unitLen(t)), Dst: d, B: r})
			r = d
		}
		g.defineUnit(g.ops.Dst, u, r, len(g.fn.Code), 1<<30)
		u++
	}
	// Each register of parts has lanes of one or more result registers.
	if per >= lanes {
		for _, r := range parts {
			for j := range per / lanes {
				unit(g.piece8(r, lanes*size, j))
			}
		}
		return
	}
	// Else several of them make one result register.
	for k := lanes / per; len(parts) > 0; parts = parts[k:] {
		unit(g.join(parts[:k], per*size))
	}
}

// narrow truncates n elements of size bytes, at the start of a register, to elements of
// e bytes.
func (g *access) narrow(r x64.Reg, n, size, e int32) x64.Reg {
	if size == e {
		return r
	}
	if g.avx512 {
		op := truncations[size][e][0]
		d := g.reg(x64.Vec, uint8(g.w))
		g.emit(x64.Inst{Op: op, Len: uint8(max(16, n*size)), Dst: d, B: r})
		return d
	}
	// Without VPMOV: VPSHUFB compacts within each half of 16 bytes, then the low parts
	// of both halves are joined.
	length := uint8(max(16, n*size))
	idx := make([]byte, length)
	for i := range int32(len(idx)) {
		idx[i] = 0x80
		if k := i % 16; k < 16*e/size {
			// Byte k of the compacted elements.
			idx[i] = byte(k/e*size + k%e)
		}
	}
	was := g.len
	g.len = length
	defer func() { g.len = was }()
	d := g.v2(x64.VPSHUFB, r, g.table(idx))
	if length == 32 {
		if 16*e/size == 8 {
			return g.vi(x64.VPERMQImm, d, 0x08)
		}
		// Each half has 2 or 4 bytes: take dwords 0 and 4, or the low two bytes of
		// both.
		order := []byte{0, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}
		d = g.v2(x64.VPERMD, g.table(order), d)
		if 16*e/size == 2 {
			d = g.vl(x64.VPSHUFLW, 16, d, 0x08)
		}
	}
	return d
}

// order is a constant for permutations of n elements of e bytes: element i is idx(i).
func (g *arithmetic) order(e int32, n int32, idx func(i int32) int32) x64.Reg {
	data := make([]byte, n*e)
	for i := range n {
		data[i*e] = byte(idx(i))
	}
	return g.table(data)
}

// apart2 separates pieces. z holds consecutive lanes, each with len(z) pieces of size
// bytes; result k holds piece k of all lanes. It is a transposition by unpacking, as
// for matrices of 4 by 4.
func (g *access) apart2(z []x64.Reg, size uint8) []x64.Reg {
	was := g.len
	g.len = uint8(g.w)
	defer func() { g.len = was }()
	n := g.w / int32(size)
	two := x64.VPERMT2D
	if size == 8 {
		two = x64.VPERMT2Q
	}
	switch {
	case len(z) == 1:
		return z
	case len(z) == 2 && g.avx512:
		even, odd := g.order(int32(size), n, func(i int32) int32 { return 2 * i }), g.order(int32(size), n, func(i int32) int32 { return 2*i + 1 })
		return []x64.Reg{g.v3(two, z[0], even, z[1]), g.v3(two, z[0], odd, z[1])}
	case len(z) == 2 && size == 4:
		return []x64.Reg{g.vi(x64.VPERMQImm, g.v2i(x64.VSHUFPS, z[0], z[1], 0x88), 0xd8), g.vi(x64.VPERMQImm, g.v2i(x64.VSHUFPS, z[0], z[1], 0xdd), 0xd8)}
	case len(z) == 2:
		return []x64.Reg{g.vi(x64.VPERMQImm, g.v2(x64.VPUNPCKLQDQ, z[0], z[1]), 0xd8), g.vi(x64.VPERMQImm, g.v2(x64.VPUNPCKHQDQ, z[0], z[1]), 0xd8)}
	}
	q := g.w / 16
	// Four pieces: transpose 4 by 4 inside each 16 bytes, then bring the lanes into
	// order.
	back := g.order(4, n, func(i int32) int32 { return i%q*4 + i/q })
	t0, t1 := g.v2(x64.VPUNPCKLDQ, z[0], z[1]), g.v2(x64.VPUNPCKHDQ, z[0], z[1])
	t2, t3 := g.v2(x64.VPUNPCKLDQ, z[2], z[3]), g.v2(x64.VPUNPCKHDQ, z[2], z[3])
	return []x64.Reg{
		g.v2(x64.VPERMD, back, g.v2(x64.VPUNPCKLQDQ, t0, t2)), g.v2(x64.VPERMD, back, g.v2(x64.VPUNPCKHQDQ, t0, t2)),
		g.v2(x64.VPERMD, back, g.v2(x64.VPUNPCKLQDQ, t1, t3)), g.v2(x64.VPERMD, back, g.v2(x64.VPUNPCKHQDQ, t1, t3)),
	}
}

// together is the inverse of apart2: it interleaves pieces for a store.
func (g *access) together(c []x64.Reg, size uint8) []x64.Reg {
	was := g.len
	g.len = uint8(g.w)
	defer func() { g.len = was }()
	n := g.w / int32(size)
	switch {
	case len(c) == 1:
		return c
	case len(c) == 2 && g.avx512:
		two := x64.VPERMT2D
		if size == 8 {
			two = x64.VPERMT2Q
		}
		lo := g.order(int32(size), n, func(i int32) int32 { return i/2 + i%2*n })
		hi := g.order(int32(size), n, func(i int32) int32 { return n/2 + i/2 + i%2*n })
		return []x64.Reg{g.v3(two, c[0], lo, c[1]), g.v3(two, c[0], hi, c[1])}
	case len(c) == 2:
		low, high := x64.VPUNPCKLDQ, x64.VPUNPCKHDQ
		if size == 8 {
			low, high = x64.VPUNPCKLQDQ, x64.VPUNPCKHQDQ
		}
		a, b := g.v2(low, c[0], c[1]), g.v2(high, c[0], c[1])
		return []x64.Reg{g.v2i(x64.VPERM2I128, a, b, 0x20), g.v2i(x64.VPERM2I128, a, b, 0x31)}
	}
	q := g.w / 16
	// The inverse of apart2: first the order of lanes, then the transposition.
	there := g.order(4, n, func(i int32) int32 { return i%4*q + i/4 })
	var p [4]x64.Reg
	for k := range p {
		p[k] = g.v2(x64.VPERMD, there, c[k])
	}
	t0, t1 := g.v2(x64.VPUNPCKLDQ, p[0], p[1]), g.v2(x64.VPUNPCKHDQ, p[0], p[1])
	t2, t3 := g.v2(x64.VPUNPCKLDQ, p[2], p[3]), g.v2(x64.VPUNPCKHDQ, p[2], p[3])
	return []x64.Reg{
		g.v2(x64.VPUNPCKLQDQ, t0, t2), g.v2(x64.VPUNPCKHQDQ, t0, t2),
		g.v2(x64.VPUNPCKLQDQ, t1, t3), g.v2(x64.VPUNPCKHQDQ, t1, t3),
	}
}

// pieceMask is the mask for the store of a register that holds n pieces of size bytes
// of each lane, from lane first on: each bit of the mask of lanes m is repeated n
// times.
func (g *access) pieceMask(m x64.Reg, first int32, n int, size uint8) x64.Reg {
	was := g.len
	g.len = uint8(g.w)
	defer func() { g.len = was }()
	e := int32(size)
	data := make([]byte, g.w)
	for i := range g.w / e {
		// Element i belongs to lane first + i/n: test that bit of the mask.
		bit := first + i/int32(n)
		if e == 4 {
			bit %= 32
		}
		data[i*e+bit/8] = 1 << (bit % 8)
	}
	t := ir.B32
	if size == 8 {
		t = ir.B64
	}
	// Elements of 4 bytes see only 32 bits of the mask: bring the upper ones down.
	if size == 4 && first >= 32 {
		h := g.gpr(8)
		g.emit(x64.Inst{Op: x64.RORX, Len: 8, Dst: h, B: m, Imm: 32})
		m = h
	} else if size == 8 && g.maskBytes() == 4 { // the upper half is irrelevant
		t = ir.B64
	}
	b, bits := g.broadcast(m, t), g.table(data)
	if g.avx512 {
		k := g.kreg()
		op := x64.VPTESTMD
		if size == 8 {
			op = x64.VPTESTMQ
		}
		g.emit(x64.Inst{Op: op, Len: g.len, Dst: k, A: b, B: bits})
		return k
	}
	op := x64.VPCMPEQD
	if size == 8 {
		op = x64.VPCMPEQQ
	}
	return g.v2(op, g.v2(x64.VPAND, b, bits), bits)
}

// storeUnit stores the register r, n bytes with elements of size bytes, under the mask
// k unless that is 0.
func (g *access) storeUnit(m x64.Mem, r, k x64.Reg, n, size uint8) {
	switch {
	case k == 0:
		g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: n, B: r, HasMem: true, M: m})
	case g.avx512:
		g.emit(x64.Inst{Op: maskedStore(size), Len: n, B: r, HasMem: true, M: m, K: k})
	default:
		op := [9]x64.Op{4: x64.VPMASKMOVDSt, 8: x64.VPMASKMOVQSt}[size]
		g.emit(x64.Inst{Op: op, Len: n, A: k, B: r, HasMem: true, M: m})
	}
}

// storeRow stores n pieces.
func (g *access) storeRow(n int, l x64.Label) {
	size, t := g.in.Size, g.f.Val(g.in.Args[1]).Type
	r := g.rowOf(n, l)
	g.changed()
	close := r.step == int64(n)*int64(size)
	same := uint8(t.Bytes()) == size
	mask, some := g.storeMask()
	switch {
	case close && n == 1:
		g.storeClose(r)
	case close && same && size >= 4 && (size == 4 || n == 2):
		for u := range g.unitsOf(t) {
			c := make([]x64.Reg, n)
			for k := range c {
				g.piece(k, func() { c[k] = g.value(g.ops.Args[1], u, t) })
			}
			// The pieces of each lane are interleaved and stored as whole registers.
			for j, z := range g.together(c, size) {
				i := u*int32(n) + int32(j)
				k := x64.Reg(0)
				if some {
					k = g.pieceMask(mask, i*g.w/int32(size)/int32(n), n, size)
				}
				g.storeUnit(at(r.m, i*g.w), z, k, uint8(g.w), size)
			}
		}
	case same && size >= 4 && g.avx512:
		p := g.base(r.m)
		for k := range n {
			g.piece(k, func() {
				per := g.w / int32(size)
				for c := range int32(g.f.Lanes) / per {
					g.scatterChunk(t, offsets{base: p, e: 4}, g.rowOffsets(r, c*per, per), uint8(per), size, c, int32(k)*int32(size))
				}
			})
		}
	default:
		p := g.base(r.m)
		g.storeLanes(n, g.lanesMask(), func(i x64.Reg) x64.Mem { return x64.Mem{Base: p, Index: g.rowIndex(r, i), Scale: 1} })
	}
}

// storeClose stores elements without gaps between lanes, truncated if necessary.
func (g *access) storeClose(r contiguous) {
	w, t, size := g.ops.Args[1], g.f.Val(g.in.Args[1]).Type, g.in.Size
	mask, some := g.storeMask()
	e := uint8(t.Bytes())
	n := g.unitLen(t)
	// Whole elements, with a mask that the machine's stores support.
	if e == size && (!some || g.avx512 || e >= 4) {
		for u := range g.unitsOf(t) {
			k := x64.Reg(0)
			if some {
				k = g.chunk(mask, uint8(g.w)/e, e, u)
			}
			g.storeUnit(at(r.m, u*g.w), g.value(w, u, t), k, n, e)
		}
		return
	}
	if g.avx512 {
		// AVX-512 truncates in the store.
		op := truncations[e][size][1]
		for u := range g.unitsOf(t) {
			in := x64.Inst{Op: op, Len: n, B: g.value(w, u, t), HasMem: true, M: at(r.m, u*g.w/int32(e)*int32(size))}
			if some {
				in.K = g.chunk(mask, uint8(g.w)/e, e, u)
			}
			g.emit(in)
		}
		return
	}
	// AVX2 has no masked stores of bytes or words. A load, blend and store would
	// overwrite inactive elements, which another block may write at the same time; so a
	// partial mask stores lane by lane.
	back, known := g.label(), g.known()
	if some {
		few := g.label()
		g.emit(x64.Inst{Op: x64.CMPImm, Len: g.maskBytes(), B: mask, Imm: -1})
		g.jump(x64.JNE, few)
		g.cold(few, func() {
			p := g.base(r.m)
			g.storeLanes(1, mask, func(i x64.Reg) x64.Mem { return x64.Mem{Base: p, Index: i, Scale: size} })
			g.jump(x64.JMP, back)
		})
	}
	per := int32(n) / int32(e)
	var parts []x64.Reg
	for u := range g.unitsOf(t) {
		parts = append(parts, g.narrow(g.value(w, u, t), per, int32(e), int32(size)))
	}
	// Join truncated parts, so that each store is as long as possible.
	for k := min(len(parts), int(g.w/(per*int32(size)))); len(parts) > 0; parts = parts[k:] {
		z := g.join(parts[:k], per*int32(size))
		g.storeUnit(r.m, z, 0, uint8(int32(k)*per*int32(size)), size)
		r.m.Disp += int32(k) * per * int32(size)
	}
	g.bind(back)
	if some { // the masks made on this path are not made on the other one
		g.restore(known)
	}
}

// The functions below do accesses lane by lane, in one loop over the set bits of a
// mask. Vector registers pass through the scratch area.

// spill stores the lanes of w in a slot of the scratch area.
func (g *access) spill(slot int32, w webs.Web, t ir.Type) {
	for u := range g.unitsOf(t) {
		g.layOut(g.ctl(abi.CtlScratch+slot+u*g.w), g.value(w, u, t), g.unitLen(t))
	}
}

// layOut stores vector register r, n bytes, before single elements are loaded: in
// halves of 32 bytes at most, because processors forward stores of that size to later
// loads.
func (g *arithmetic) layOut(m x64.Mem, r x64.Reg, n uint8) {
	if n < 64 {
		g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: n, B: r, HasMem: true, M: m})
		return
	}
	g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: 32, B: r, HasMem: true, M: m})
	g.emit(x64.Inst{Op: x64.VEXTRACTI64X4St, Len: 64, B: r, HasMem: true, M: at(m, 32), Imm: 1})
}

// kept is the memory operand of element i of a slot.
func (g *access) kept(slot int32, i x64.Reg, t ir.Type) x64.Mem {
	m := g.ctl(abi.CtlScratch + slot)
	m.Index, m.Scale = i, uint8(t.Bytes())
	return m
}

// eachLane emits a loop over the lanes of m. The body runs at least once, even if m is
// 0.
func (g *access) eachLane(m x64.Reg, body func(i x64.Reg)) {
	// TZCNT finds the lowest lane that is left, BLSR removes it and sets the flags.
	rest, i := g.gpr(8), g.gpr(8)
	top := g.label()
	n := g.maskBytes()
	g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: rest, B: m})
	g.bind(top)
	g.emit(x64.Inst{Op: x64.TZCNT, Len: n, Dst: i, B: rest})
	body(i)
	g.emit(x64.Inst{Op: x64.BLSR, Len: n, Dst: rest, B: rest})
	g.jump(x64.JNE, top)
}

// slot is the offset in the scratch area for piece k. The first slot is left for 64
// lanes of 8 bytes: see keepOffsets.
func (g *access) slot(k int, t ir.Type) int32 {
	return 512 + int32(k)*int32(g.f.Lanes)*int32(t.Bytes())
}

// loadLanes loads n pieces for the lanes of m, one lane after another; where returns
// the memory operand of lane i.
func (g *access) loadLanes(n int, m x64.Reg, where func(i x64.Reg) x64.Mem) {
	size, t := g.in.Size, g.f.Val(g.in.Dst).Type
	op, b := loadOp(size, g.in.Flags&ir.SignExtend != 0)
	g.eachLane(m, func(i x64.Reg) {
		p := where(i)
		for k := range n {
			v := g.gpr(8)
			g.emit(x64.Inst{Op: op, Len: b, Dst: v, HasMem: true, M: at(p, int32(k)*int32(size))})
			g.store(uint8(t.Bytes()), g.kept(g.slot(k, t), i, t), v)
		}
	})
	for k := range n {
		g.piece(k, func() { g.defineKept(g.slot(k, t), t) })
	}
}

// defineKept writes the result of the operation in hand from a slot.
func (g *access) defineKept(slot int32, t ir.Type) {
	n := g.unitLen(t)
	for u := range g.unitsOf(t) {
		start := len(g.fn.Code)
		r := g.reg(x64.Vec, n)
		g.emit(x64.Inst{Op: x64.VMOVDQU, Len: n, Dst: r, HasMem: true, M: g.ctl(abi.CtlScratch + slot + u*g.w)})
		g.defineUnit(g.ops.Dst, u, r, start, r)
	}
}

// storeLanes stores n pieces for the lanes of m, in the order of lanes; where returns
// the memory operand of lane i.
func (g *access) storeLanes(n int, m x64.Reg, where func(i x64.Reg) x64.Mem) {
	size, t := g.in.Size, g.f.Val(g.in.Args[1]).Type
	for k := range n {
		g.piece(k, func() { g.spill(g.slot(k, t), g.ops.Args[1], t) })
	}
	op, b := loadOp(uint8(t.Bytes()), false)
	// If lanes may overlap, one piece after another is stored: the store of the last
	// piece must be the last.
	each := func(k0, k1 int) {
		g.eachLane(m, func(i x64.Reg) {
			p := where(i)
			for k := k0; k < k1; k++ {
				v := g.gpr(8)
				g.emit(x64.Inst{Op: op, Len: b, Dst: v, HasMem: true, M: g.kept(g.slot(k, t), i, t)})
				g.store(size, at(p, int32(k)*int32(size)), v)
			}
		})
	}
	// If lanes cannot overlap, the order of pieces is irrelevant.
	if g.form(g.at) == formRow {
		if s := g.stride(g.at); max(s, -s) >= int64(n)*int64(size) {
			each(0, n)
			return
		}
	}
	for k := range n {
		each(k, k+1)
	}
}
