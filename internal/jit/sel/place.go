package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file reads webs: it turns the place of a web into a register or vector register.
//
// Input: a web and its place.
// Output: a general register, or vector register u of its lanes.
// Invariant: reading changes no place. It may make registers of its own; broadcasts are
// kept for later reads while their source is unchanged.
// Example: an affine web with base r and stride 4 gives, for unit u, VPADDD of
// broadcast(r) and the constant {32u, 32u+4, …}.

// typ is the type of a web.
func (g *facts) typ(w webs.Web) ir.Type { return g.f.Val(g.s.Webs[w].Ref).Type }

// unitsOf is the number of vector registers of a lane vector with elements of type t.
func (g *facts) unitsOf(t ir.Type) int32 { return max(1, int32(g.f.Lanes)*int32(t.Bytes())/g.w) }

// read is a general register with the single form of a web: a scalar, a uniform value,
// the base of an affine value, or a mask of lanes.
func (g *lowering) read(w webs.Web) x64.Reg {
	p := &g.places[w]
	if p.slot {
		v := g.f.Val(g.s.Webs[w].Ref)
		n := uint8(v.Type.Bytes())
		if v.Type == ir.B1 && !v.Scalar {
			n = g.maskBytes()
		}
		d := g.gpr(max(n, 4))
		op := x64.MOV
		switch n {
		case 1:
			op = x64.MOVZXB
		case 2:
			op = x64.MOVZXW
		}
		g.emit(x64.Inst{Op: op, Len: max(n, 4), Dst: d, HasMem: true, M: g.frame(v.Off)})
		return d
	}
	return p.gpr
}

// operand is a scalar operand: the number imm if num is set, else the register reg.
type operand struct {
	reg x64.Reg
	imm uint64
	num bool
}

// regOf is an operand in a register of n bytes.
func (g *emitter) regOf(o operand, n uint8) x64.Reg {
	if !o.num {
		return o.reg
	}
	return g.constOf(constKey{bits: o.imm, size: n, len: n, gpr: true})
}

// unit is vector register u of lane vector w. NaNs of floats may not be canonical: see
// value.
func (g *lowering) unit(w webs.Web, u int32, t ir.Type) x64.Reg {
	if v, ok := g.known1(w); ok {
		return g.constOf(constKey{bits: v, size: uint8(t.Bytes()), len: uint8(g.w)})
	}
	p := &g.places[w]
	switch {
	// Frame slots are read at each use: package alloc may keep them in registers.
	case p.slot:
		v := g.f.Val(g.s.Webs[w].Ref)
		if v.Scalar {
			return g.broadcast(g.read(w), t)
		}
		d := g.reg(x64.Vec, g.unitLen(t))
		g.emit(x64.Inst{Op: x64.VMOVDQU, Len: g.unitLen(t), Dst: d, HasMem: true, M: g.frame(v.Off + uint32(u*g.w))})
		return d
	// Equal elements: one register is every unit.
	case p.splat != 0:
		return p.splat
	case p.n > 0:
		return p.units + x64.Reg(u%p.n)
	case p.rows > 0:
		return g.rowUnit(p, u)
	}
	// A single value, or a base plus the steps of this unit's lanes.
	r := g.broadcast(p.gpr, t)
	if p.affine {
		op := x64.VPADDD
		if t == ir.B64 {
			op = x64.VPADDQ
		}
		d := g.reg(x64.Vec, uint8(g.w))
		g.emit(x64.Inst{Op: op, Len: uint8(g.w), Dst: d, A: r, B: g.steps(p.steps, t, u)})
		return d
	}
	return r
}

// alike reports whether all vector registers of a web are the same register with equal
// elements.
func (g *lowering) alike(w webs.Web) bool {
	p := &g.places[w]
	return p.splat != 0 || p.n == 0 && p.rows == 0 && !p.slot && !p.affine || g.s.Has(w, webs.Const)
}

// laneSpread is the distance of the last lane from the first one, for an affine 32-bit
// value with lanes that only ascend or only descend.
func (g *lowering) laneSpread(s shape.Shape) int64 {
	least, greatest := s.Steps().Ends(1<<32-1, g.f.Lanes)
	return least + greatest
}

// distance sets register d, of n bytes, to the distance of lane i (a register) from
// lane 0.
func (g *lowering) distance(d, i x64.Reg, s shape.Steps, n uint8) {
	if s.Tile == 0 {
		g.put(d, n, operand{num: true, imm: s.Stride})
		g.r2(x64.IMUL, n, d, i)
		return
	}
	x := g.gpr(8)
	g.put(d, 8, operand{reg: i})
	g.ri(x64.SHRImm, 8, d, int64(s.Tile))
	// i*Stride + (i>>Tile)*(Step - Stride<<Tile): the second term is the jump at each
	// row.
	g.put(x, n, operand{num: true, imm: s.Step - s.Stride<<s.Tile})
	g.r2(x64.IMUL, n, d, x)
	g.put(x, n, operand{num: true, imm: s.Stride})
	g.r2(x64.IMUL, n, x, i)
	g.r2(x64.ADD, n, d, x)
}

// broadcast is a vector register with general register r in every element. It is reused
// while r is unchanged.
func (g *lowering) broadcast(r x64.Reg, t ir.Type) x64.Reg {
	e := uint8(t.Bytes())
	for _, b := range g.bcasts {
		if b.src == r && b.e == e {
			return b.v
		}
	}
	d := g.reg(x64.Vec, uint8(g.w))
	g.spreadTo(d, r, e)
	g.bcasts = append(g.bcasts, bcastEntry{r, e, d})
	return d
}

// broadcastOp is the instruction that broadcasts an element of e bytes.
func broadcastOp(e uint8) x64.Op {
	return [9]x64.Op{1: x64.VPBROADCASTB, 2: x64.VPBROADCASTW, 4: x64.VPBROADCASTD, 8: x64.VPBROADCASTQ}[e]
}

// maskedStore is the instruction that stores elements of e bytes under a mask register.
func maskedStore(e uint8) x64.Op {
	return [9]x64.Op{1: x64.VMOVDQU8St, 2: x64.VMOVDQU16St, 4: x64.VMOVDQU32St, 8: x64.VMOVDQU64St}[e]
}

// spreadTo writes general register r to every element of d, e bytes each.
func (g *lowering) spreadTo(d, r x64.Reg, e uint8) {
	if g.avx512 {
		op := [9]x64.Op{1: x64.VPBROADCASTBFromGPR, 2: x64.VPBROADCASTWFromGPR, 4: x64.VPBROADCASTDFromGPR, 8: x64.VPBROADCASTQFromGPR}[e]
		g.emit(x64.Inst{Op: op, Len: uint8(g.w), Dst: d, B: r})
		return
	}
	// AVX2 broadcasts only from vector registers and memory.
	x := g.reg(x64.Vec, 16)
	mov, op := x64.VMOVDFromGPR, broadcastOp(e)
	if e == 8 {
		mov = x64.VMOVQFromGPR
	}
	g.emit(x64.Inst{Op: mov, Len: 16, Dst: x, B: r})
	g.emit(x64.Inst{Op: op, Len: uint8(g.w), Dst: d, B: x})
}

// piece8 is piece j, of n bytes, of a vector register, moved to its start.
func (g *arithmetic) piece8(r x64.Reg, n, j int32) x64.Reg {
	if j == 0 {
		return r
	}
	// Extractions work on 32 bytes, on 16 bytes, and then by a shift inside 16 bytes.
	if n == 32 {
		d := g.reg(x64.Vec, 32)
		g.emit(x64.Inst{Op: x64.VEXTRACTI64X4, Len: 64, Dst: d, B: r, Imm: int64(j)})
		return d
	}
	at := j * n
	d := r
	if at >= 16 {
		op := x64.VEXTRACTI128
		if g.w == 64 {
			op = x64.VEXTRACTI32X4
		}
		d = g.reg(x64.Vec, 16)
		g.emit(x64.Inst{Op: op, Len: uint8(g.w), Dst: d, B: r, Imm: int64(at / 16)})
	}
	if at%16 > 0 {
		d = g.vl(x64.VPSRLDQ, 16, d, int64(at%16))
	}
	return d
}

// join concatenates pieces of n bytes into one vector register.
func (g *arithmetic) join(parts []x64.Reg, n int32) x64.Reg {
	// Join neighbours until one register is left.
	for ; len(parts) > 1; n *= 2 {
		next := make([]x64.Reg, 0, len(parts)/2)
		for i := 0; i < len(parts); i += 2 {
			lo, hi := parts[i], parts[i+1]
			l := uint8(max(2*n, 16))
			d := g.reg(x64.Vec, l)
			in := x64.Inst{Len: l, Dst: d, A: lo, B: hi}
			switch n {
			case 2:
				in.Op = x64.VPUNPCKLWD
			case 4:
				in.Op = x64.VPUNPCKLDQ
			case 8:
				in.Op = x64.VPUNPCKLQDQ
			case 16:
				in.Op, in.Imm = x64.VINSERTI128, 1
				if g.avx512 {
					in.Op = x64.VINSERTI32X4 // for all registers
				}
			default:
				in.Op, in.Imm = x64.VINSERTI64X4, 1
			}
			g.emit(in)
			next = append(next, d)
		}
		parts = next
	}
	return parts[0]
}
