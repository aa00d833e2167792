package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/lane"
)

// This file is about masks of lanes that are the same whenever they are read: which lanes a
// DPP instruction updates if all lanes run, and for which a shuffle has a source. Writes
// under them need no mask where a vector register is in them as a whole, and nothing where
// it is not in them at all.

// findFixed finds the webs that hold such masks.
func (g *gen) findFixed() {
	g.always, g.dppReads = nil, nil
	for i := range g.f.Code {
		ops := &g.s.Ops[i]
		w, bits := ops.Dst, uint64(0)
		switch g.f.Code[i].Op {
		case ir.DPPRead:
			if is64(g, i) && g.s.Webs[w].Defs == 1 && g.s.Webs[w].Flags&(webs.Input|webs.Aliased|webs.Const) == 0 {
				if g.dppReads == nil {
					g.dppReads = map[webs.Web]uint64{}
				}
				g.dppReads[w] = g.f.Code[i].Imm
			}
			continue
		case ir.DPPMask:
			if !is64(g, i) || !g.sureAll(i, 0) {
				continue
			}
			bits = dppLanes(g.f.Code[i].Imm)
		case ir.Shfl, ir.ShflSync:
			w = ops.Dst2
			_, in, ok := g.shuffleMap(i)
			if w == 0 || !ok || !shuffleCan(g, i) {
				continue
			}
			bits = uint64(in)
		default:
			continue
		}
		// Whoever reads it has run the operation.
		if info := &g.s.Webs[w]; info.Defs == 1 && info.Flags&(webs.Input|webs.Aliased|webs.Const) == 0 {
			if g.always == nil {
				g.always = map[webs.Web]uint64{}
			}
			g.always[w] = bits
		}
	}
}

// leavesAlone are the lanes in which operation i leaves its destination as it is even without
// its guard: what other lanes give to these is 0, as they have none to read.
func (g *gen) keepsValue(i int) uint64 {
	in, ops := &g.f.Code[i], &g.s.Ops[i]
	read := 0
	switch in.Op {
	case ir.Add32, ir.Or32, ir.Xor32, ir.MaxU32:
		if ops.Args[0] == ops.Dst {
			read = 1
		}
	case ir.Sub32:
		read = 1
	default:
		return 0
	}
	imm, ok := g.dppReads[ops.Args[read]]
	if !ok || ops.Args[1-read] != ops.Dst {
		return 0
	}
	none := uint64(0)
	for k, j := range dppMap(imm) {
		if j < 0 {
			none |= 1 << k
		}
	}
	return none
}

// sureAll reports whether argument k of operation i is a mask of all lanes.
func (g *gen) sureAll(i, k int) bool {
	sh := g.sh.Arg(i, k)
	return sh.IsConst() && sh.Base != 0
}

// dppLanes are the lanes that a DPP instruction updates if all lanes are in EXEC.
func dppLanes(imm uint64) uint64 {
	_, rows, banks, bound := ir.DPPFields(imm)
	among := uint64(lane.DPPLanes(rows, banks))
	if bound {
		return among
	}
	for i, j := range dppMap(imm) {
		if j < 0 {
			among &^= 1 << i
		}
	}
	return among
}

// bitsIn is what a general register holds if that is a constant.
func (g *gen) bitsIn(r x64.Reg) (uint64, bool) {
	if r < x64.Virtual {
		return 0, false
	}
	v := &g.fn.VRegs[r-x64.Virtual]
	if v.Class != x64.GPR || v.Const == 0 {
		return 0, false
	}
	return g.fn.Pool[v.Const-1].Bits, true
}

// fixedChunk is chunk c, of l lanes, of the mask of lanes in a general register if that is a
// constant; and all is what it is if all these lanes are in it.
func (g *gen) fixedChunk(src x64.Reg, l uint8, c int32) (bits, all uint64, ok bool) {
	bits, ok = g.bitsIn(src)
	all = ^uint64(0) >> (64 - l)
	return bits >> (uint(c) * uint(l) % 64) & all, all, ok
}

// maskVector is a vector of ones and zeros, e bytes for each of l lanes.
func (g *gen) maskVector(bits uint64, l, e uint8) x64.Reg {
	data := make([]byte, int(l)*int(e))
	for i := range data {
		data[i] = -byte(bits >> (i / int(e)) & 1)
	}
	return g.table(data)
}

// blendFixed writes those elements of b, of 4 or 8 bytes, to d that are in a constant mask.
func (g *gen) blendFixed(d, b x64.Reg, bits uint64, e uint8) {
	imm := int64(bits)
	if e == 8 {
		imm = 0
		for i := range 4 {
			imm |= int64(bits>>i&1) * 3 << (2 * i)
		}
	}
	g.emit(x64.Inst{Op: x64.VPBLENDD, Len: uint8(g.w), Dst: d, A: d, B: b, Imm: imm})
}
