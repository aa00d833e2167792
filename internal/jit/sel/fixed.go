package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/lane"
)

// This file finds masks of lanes that have the same value whenever they are read: the lanes that a
// DPP instruction updates if all lanes run, and the lanes for which a shuffle has a source.
//
// Input: the operations of the function and the shapes of their arguments.
// Output: facts.always, the value of each of these masks, and facts.dppReads, the control of each
// DPPRead.
// Invariant: a web in facts.always has one definition, so every reader runs after it.
// Example: v_mov_b32_dpp row_shr:1 with EXEC = -1 updates every lane but the first of each row; the
// write to a vector register is then one vpblendd with an immediate (AVX2).
//
// A write under a constant mask needs no mask for a vector register all of whose lanes are in it,
// and no instruction if none are.

// findFixed finds the webs that hold these masks.
func (g *planner) findFixed() {
	g.always, g.dppReads = nil, nil
	for i := range g.f.Code {
		ops := &g.s.Ops[i]
		w, bits := ops.Dst, uint64(0)
		switch g.f.Code[i].Op {
		case ir.DPPRead:
			// One definition that is always the same operation: keepsValue can use its control.
			if is64(&g.facts, i) && g.s.Webs[w].Defs == 1 && g.s.Webs[w].Flags&(webs.Input|webs.Aliased|webs.Const) == 0 {
				if g.dppReads == nil {
					g.dppReads = map[webs.Web]uint64{}
				}
				g.dppReads[w] = g.f.Code[i].Imm
			}
			continue
		case ir.DPPMask:
			if !is64(&g.facts, i) || !g.sureAll(i, 0) {
				continue
			}
			bits = dppLanes(g.f.Code[i].Imm)
		case ir.Shfl, ir.ShflSync:
			w = ops.Dst2
			_, in, ok := g.shuffleMap(i)
			if w == 0 || !ok || !shuffleCan(&g.facts, i) {
				continue
			}
			bits = uint64(in)
		default:
			continue
		}
		// Each reader of the web has run its only definition.
		if info := &g.s.Webs[w]; info.Defs == 1 && info.Flags&(webs.Input|webs.Aliased|webs.Const) == 0 {
			if g.always == nil {
				g.always = map[webs.Web]uint64{}
			}
			g.always[w] = bits
		}
	}
}

// keepsValue returns the lanes in which operation i does not change its destination, even without
// its guard: a DPPRead without a source lane gives 0, and the operation combines the destination
// with that 0.
func (g *lowering) keepsValue(i int) uint64 {
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
	// The operand is the result of a DPPRead, and the other operand is the destination itself.
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
func (g *facts) sureAll(i, k int) bool {
	sh := g.sh.Arg(i, k)
	return sh.IsConst() && sh.Base != 0
}

// dppLanes returns the lanes that a DPP instruction updates if all lanes are in EXEC. Lanes without
// a source are updated only with BOUND_CTRL.
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

// bitsIn returns the contents of a general register if that holds a constant.
func (g *lowering) bitsIn(r x64.Reg) (uint64, bool) {
	if r < x64.Virtual {
		return 0, false
	}
	v := &g.fn.VRegs[r-x64.Virtual]
	if v.Class != x64.GPR || v.Const == 0 {
		return 0, false
	}
	return g.fn.Pool[v.Const-1].Bits, true
}

// fixedChunk returns chunk c, of l lanes, of the mask of lanes in a general register, if the
// register holds a constant. all is the chunk with all these lanes.
func (g *lowering) fixedChunk(src x64.Reg, l uint8, c int32) (bits, all uint64, ok bool) {
	bits, ok = g.bitsIn(src)
	all = ^uint64(0) >> (64 - l)
	return bits >> (uint(c) * uint(l) % 64) & all, all, ok
}

// maskVector is a vector of elements of ones and zeros, e bytes for each of l lanes.
func (g *lowering) maskVector(bits uint64, l, e uint8) x64.Reg {
	data := make([]byte, int(l)*int(e))
	for i := range data {
		data[i] = -byte(bits >> (i / int(e)) & 1)
	}
	return g.table(data)
}

// blendFixed writes the elements of b that are in a constant mask to d; elements have 4 or 8 bytes.
func (g *lowering) blendFixed(d, b x64.Reg, bits uint64, e uint8) {
	imm := int64(bits)
	// The immediate has one bit per word, so an element of 8 bytes takes two.
	if e == 8 {
		imm = 0
		for i := range 4 {
			imm |= int64(bits>>i&1) * 3 << (2 * i)
		}
	}
	g.emit(x64.Inst{Op: x64.VPBLENDD, Len: uint8(g.w), Dst: d, A: d, B: b, Imm: imm})
}
