package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the permutes of a wavefront: lanes read from places that they compute
// (ds_bpermute_b32), or write to places that they compute (ds_permute_b32).
//
// Input: a lane vector of byte addresses, and the data.
// Output: the moved lanes.
// Invariant: addresses count modulo 256 (64 lanes of 4 bytes); lanes that EXEC disables
// are read as 0.
// Example: addresses in steps of 4 are a rotation: the vector is stored twice in a row,
// and loaded from the first lane's address.

// placesWants notes the forms of operands: if addresses are affine with usable steps,
// the first one is enough.
func placesWants(g *facts, i int, wants, defs []want) {
	ops := &g.s.Ops[i]
	if _, ok := g.laneSteps(i); ok {
		wants[ops.Args[0]] |= wantG
	} else {
		wants[ops.Args[0]] |= wantV
	}
	wants[ops.Args[1]] |= wantV
	defs[ops.Dst] |= wantV
}

// laneSteps is the distance, in lanes, between the places of neighbouring lanes of
// operation i. ok is false if it differs between lanes or if not all lanes take part.
func (g *facts) laneSteps(i int) (s uint32, ok bool) {
	w := g.s.Ops[i].Args[0]
	if w == 0 || g.s.Webs[w].Flags&(webs.Aliased|webs.Const) != 0 || !g.actsForAll(i) {
		return 0, false
	}
	sh := g.sh.Web(w)
	if sh.Kind != shape.Affine || sh.Tile != 0 || sh.Stride%4 != 0 || sh.Stride == 0 {
		return 0, false
	}
	return uint32(sh.Stride) / 4 & 63, true
}

// actsForAll reports whether all lanes do operation i, if EXEC disables lanes.
func (g *facts) actsForAll(i int) bool {
	sh := g.sh.Guard(i)
	return !g.f.Code[i].GuardNot && sh.IsConst() && sh.Base != 0
}

// laneNumbers are the lane numbers of the byte addresses in web w; higher bits are not
// removed.
func (g *crossLane) laneNumbers(w webs.Web, offset uint32) []x64.Reg {
	idx := g.vectorOf(w)
	for u, r := range idx {
		// The offset counts modulo 256; a lane number is a quarter of the address.
		if offset&0xff != 0 {
			r = g.v2(x64.VPADDD, r, g.c32(offset))
		} else if x := g.quarter(r); x != 0 {
			idx[u] = x
			continue
		}
		idx[u] = g.vi(x64.VPSRLDImm, r, 2)
	}
	return idx
}

// quarter is the register x if r was just computed as 4*x; else 0.
func (g *crossLane) quarter(r x64.Reg) x64.Reg {
	code := g.fn.Code
	var written []x64.Reg
	for i := len(code) - 1; i >= max(0, len(code)-nearby); i-- {
		in := &code[i]
		info := in.Op.Info()
		// The shift left by 2 cancels the division by 4.
		if in.Dst == r && in.Op == x64.VPSLLDImm && in.Imm == 2 && in.K == 0 && !in.HasMem && in.B != r && !slices.Contains(written, in.B) {
			return in.B
		}
		if in.Dst == r || info.AWrite || info.BWrite || info.Ends || info.Pseudo && in.Op != x64.NOP || in.Op == x64.CALLLabel {
			return 0
		}
		written = append(written, in.Dst)
	}
	return 0
}

// emitBpermute emits ds_bpermute_b32: a rotation if possible, else a gather of lanes.
func emitBpermute(g *access) {
	src := g.amongActive(g.ops.Args[1])
	w := g.ops.Args[0]
	// Consecutive lanes: a rotation.
	if s, ok := g.laneSteps(g.at); ok && s == 1 && g.places[w].affine && !g.oneRegister(g.ops.Dst) {
		g.defineAll(g.ops.Dst, g.rotated(g.ops.Args[1], src, g.firstPlace(w, uint32(g.in.Imm))))
		return
	}
	g.defineAll(g.ops.Dst, g.gatherLanes(g.ops.Args[1], src, g.laneNumbers(w, uint32(g.in.Imm))))
}

// firstPlace is the address of lane 0, in a general register, of affine addresses.
func (g *crossLane) firstPlace(w webs.Web, offset uint32) x64.Reg {
	d := g.gpr(4)
	g.put(d, 4, operand{reg: g.read(w)})
	if offset != 0 {
		g.ri(x64.ADDImm, 4, d, int64(int32(offset)))
	}
	return d
}

// twice stores 64 lanes of 32 bits in the scratch area, and the same lanes again after
// them.
func (g *crossLane) twice(src []x64.Reg) x64.Mem {
	m := g.scratch(0)
	if g.isTwice(src, m) {
		return m
	}
	for u := range 2 * len(src) {
		g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: uint8(g.w), B: src[u%len(src)], HasMem: true, M: at(m, int32(u)*g.w)})
	}
	return m
}

// isTwice reports whether twice stored the same registers shortly before.
func (g *crossLane) isTwice(src []x64.Reg, m x64.Mem) bool {
	code := g.fn.Code
	n := 2*len(src) - 1 // the next store to find, backwards
	for i := len(code) - 1; i >= max(0, len(code)-2*nearby); i-- {
		in := &code[i]
		info := in.Op.Info()
		if in.Op == x64.VMOVDQUSt && in.B == src[n%len(src)] && in.M == at(m, int32(n)*g.w) && in.Len == uint8(g.w) && in.K == 0 {
			if n--; n < 0 {
				return true
			}
			continue
		}
		if n < 2*len(src)-1 || info.DstMem && in.HasMem || slices.Contains(src, in.Dst) || info.AWrite || info.BWrite && slices.Contains(src, in.B) || info.Ends || info.Pseudo && in.Op != x64.NOP || in.Op == x64.CALLLabel {
			return false
		}
	}
	return false
}

// rotated is the lane vector src of web w, rotated so that it begins at the lane of
// byte address a.
func (g *crossLane) rotated(w webs.Web, src []x64.Reg, a x64.Reg) []x64.Reg {
	if g.inOne(w) && !slices.ContainsFunc(src, func(r x64.Reg) bool { return r != src[0] }) {
		return src
	}
	m := g.twice(src)
	// The address modulo 256, aligned to a lane; the vector is in memory twice, so no
	// load wraps.
	g.ri(x64.ANDImm, 4, a, 0xfc)
	m.Index, m.Scale = a, 1
	out := make([]x64.Reg, len(src))
	for u := range out {
		out[u] = g.vec()
		g.emit(x64.Inst{Op: x64.VMOVDQU, Len: g.len, Dst: out[u], HasMem: true, M: at(m, int32(u)*g.w)})
	}
	return out
}

// gatherStored moves lanes as gatherLanes does, by a gather from memory.
func (g *crossLane) gatherStored(src, idx []x64.Reg) []x64.Reg {
	m := g.twice(src)
	m.Scale = 4
	out := make([]x64.Reg, len(idx))
	for u, x := range idx {
		m.Index = g.v2(x64.VPAND, x, g.c32(63))
		k := g.vec()
		g.emit(x64.Inst{Op: x64.VPCMPEQD, Len: g.len, Dst: k, A: k, B: k})
		out[u] = g.vec()
		g.move(out[u], g.zero())
		g.emit(x64.Inst{Op: x64.VPGATHERDDVex, Len: g.len, Dst: out[u], B: k, HasMem: true, M: m})
	}
	return out
}

// unpermute is a permute of all lanes to places that are s lanes apart, s odd: the lane
// at place x + s*i gets the value of lane i. As a read it has the inverse step.
func (g *crossLane) unpermute(s uint32) {
	by := uint32(1) // the inverse of s modulo 64
	for by*s&63 != 1 {
		by += 2
	}
	src := g.vectorOf(g.ops.Args[1])
	x := g.firstPlace(g.ops.Args[0], uint32(g.in.Imm))
	g.ri(x64.SHRImm, 4, x, 2)
	// Places in order: a rotation the other way.
	if by == 1 {
		g.emit(x64.Inst{Op: x64.NEG, Len: 4, Dst: x})
		g.ri(x64.SHLImm, 4, x, 2)
		g.defineAll(g.ops.Dst, g.rotated(g.ops.Args[1], src, x))
		return
	}
	g.r2(x64.IMUL, 4, x, g.regOf(operand{num: true, imm: uint64(-by)}, 4))
	// Lane j reads lane (j-x)*by.
	first := g.broadcast(x, ir.B32)
	idx := make([]x64.Reg, len(src))
	for u := range idx {
		idx[u] = g.v2(x64.VPADDD, first, g.laneTable(u, func(i int) uint32 { return uint32(i) * by }))
	}
	g.defineAll(g.ops.Dst, g.gatherLanes(g.ops.Args[1], src, idx))
}

// emitPermute emits ds_permute_b32: lanes write to the scratch area and then read their
// own element. If the places are in steps that reach every lane, each lane can read its
// value instead.
func emitPermute(g *access) {
	// An odd step is invertible modulo 64.
	if s, ok := g.laneSteps(g.at); ok && s&1 != 0 && !g.oneRegister(g.ops.Dst) {
		g.unpermute(s)
		return
	}
	idx := g.laneNumbers(g.ops.Args[0], uint32(g.in.Imm))
	for u := range idx {
		idx[u] = g.v2(x64.VPAND, idx[u], g.c32(63))
	}
	src := g.vectorOf(g.ops.Args[1])
	m := g.lanesMask()
	// Lanes to which no lane writes get 0.
	zeros := make([]x64.Reg, len(src))
	for u := range zeros {
		zeros[u] = g.zero()
	}
	g.toScratch(2, zeros)
	if g.avx512 {
		// If several lanes have one address, the highest lane writes last.
		base := g.gpr(8)
		g.emit(x64.Inst{Op: x64.LEA, Len: 8, Dst: base, HasMem: true, M: g.scratch(2)})
		for u := range src {
			k := g.kreg()
			g.move(k, g.chunk(m, uint8(g.perReg()), 4, int32(u)))
			g.emit(x64.Inst{Op: x64.VPSCATTERDDSt, Len: g.len, B: src[u], HasMem: true, M: x64.Mem{Base: base, Index: idx[u], Scale: 4}, K: k})
		}
	} else {
		g.toScratch(0, idx)
		g.toScratch(1, src)
		// AVX2 has no scatters: a loop over the active lanes.
		rest, i, a, again, none := g.gpr(8), g.gpr(8), g.gpr(8), g.label(), g.label()
		elem := func(vec int32, i x64.Reg) x64.Mem {
			m := g.scratch(vec)
			m.Index, m.Scale = i, 4
			return m
		}
		g.move(rest, m)
		g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: rest, B: rest})
		g.jump(x64.JE, none)
		g.bind(again)
		g.emit(x64.Inst{Op: x64.TZCNT, Len: 8, Dst: i, B: rest})
		g.load(4, a, elem(0, i))
		g.load(4, i, elem(1, i))
		g.store(4, elem(2, a), i)
		g.emit(x64.Inst{Op: x64.BLSR, Len: 8, Dst: rest, B: rest})
		g.jump(x64.JNE, again)
		g.bind(none)
	}
	for u := range src {
		src[u] = g.vec()
		g.emit(x64.Inst{Op: x64.VMOVDQU, Len: g.len, Dst: src[u], HasMem: true, M: at(g.scratch(2), int32(u)*g.w)})
	}
	g.defineAll(g.ops.Dst, src)
}
