package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the rules of votes, matches and reductions.
//
// Input: a value of each lane, and the mask of the lanes that take part.
// Output: one result that is a function of all these lanes.
// Invariant: exactly the lanes of the membermask take part: meeting checks that, or Go
// does the operation.
// Example: vote.any: p & m, then NEG and SBB spread "not 0" to all lanes.

// foldWants notes the forms of operands: Args[0] in the form given, membermask and
// results in general registers.
func foldWants(form want) func(g *facts, i int, wants, defs []want) {
	return func(g *facts, i int, wants, defs []want) {
		ops := &g.s.Ops[i]
		wants[ops.Args[0]] |= form
		if _, ok := g.known1(ops.Args[3]); !ok {
			wants[ops.Args[3]] |= wantG
		}
		defs[ops.Dst] |= wantG
		defs[ops.Dst2] |= wantG
	}
}

// ones is a mask of 32 lanes: all lanes if r is not 0, else none. It overwrites r.
func (g *crossLane) ones(r x64.Reg) x64.Reg {
	d := g.gpr(4)
	g.put(d, 4, operand{num: true})
	g.emit(x64.Inst{Op: x64.NEG, Len: 4, Dst: r}) // the carry is set unless r is 0
	g.r2(x64.SBB, 4, d, d)
	return d
}

// andMask is a & b of masks of 32 lanes.
func (g *crossLane) andMask(a, b x64.Reg) x64.Reg {
	d := g.gpr(4)
	g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: a})
	g.r2(x64.AND, 4, d, b)
	return d
}

// andNotMask is b &^ a of masks of 32 lanes.
func (g *crossLane) andNotMask(a, b x64.Reg) x64.Reg {
	d := g.gpr(4)
	g.emit(x64.Inst{Op: x64.ANDN, Len: 4, Dst: d, A: a, B: b})
	return d
}

// vote emits the result of a vote of the lanes of m.
func (g *crossLane) vote(m x64.Reg) {
	// Predicates are masks, so a vote is a few operations on two masks.
	p := g.lanesOf(g.ops.Args[0])
	if ir.VoteMode(g.in.Imm) == ir.VoteBallot {
		if g.ops.Dst != 0 {
			g.defineGPR(g.ops.Dst, g.andMask(p, m))
		}
		return
	}
	if g.ops.Dst2 == 0 {
		return
	}
	var d x64.Reg
	switch ir.VoteMode(g.in.Imm) {
	// Some lane of m has its bit set.
	case ir.VoteAny:
		d = g.ones(g.andMask(p, m))
	// No lane of m has its bit clear.
	case ir.VoteAll:
		d = g.ones(g.andNotMask(p, m))
		g.emit(x64.Inst{Op: x64.NOT, Len: 4, Dst: d})
	// Not both of these.
	case ir.VoteUni:
		d = g.ones(g.andMask(p, m))
		g.r2(x64.AND, 4, d, g.ones(g.andNotMask(p, m)))
		g.emit(x64.Inst{Op: x64.NOT, Len: 4, Dst: d})
	}
	g.defineLanes(g.ops.Dst2, d, nil, 0, 0)
}

// emitElect elects the lowest lane that takes part.
func emitElect(g *access) {
	m, _ := g.meeting()
	if g.ops.Dst != 0 {
		d := g.gpr(4)
		g.emit(x64.Inst{Op: x64.TZCNT, Len: 4, Dst: d, B: m})
		g.defineGPR(g.ops.Dst, d)
	}
	if g.ops.Dst2 != 0 {
		d := g.gpr(4)
		g.emit(x64.Inst{Op: x64.BLSI, Len: 4, Dst: d, B: m})
		g.defineLanes(g.ops.Dst2, d, nil, 0, 0)
	}
}

// equalTo compares all lanes of a vector, e bytes each, with broadcast value b. It
// returns the lanes of m that are equal, and the chunks of the comparison.
func (g *crossLane) equalTo(src []x64.Reg, b x64.Reg, e uint8, m x64.Reg) (d x64.Reg, ks []x64.Reg) {
	for _, s := range src {
		ks = append(ks, g.lanesWhere(cmpEQ, e, s, b))
	}
	d = g.andMask(g.bitsOf(ks, uint8(g.w)/e, e), m)
	return d, ks
}

// spreadLane broadcasts lane i, a number in a general register, from the scratch area.
func (g *crossLane) spreadLane(i x64.Reg, e uint8) x64.Reg {
	m := g.scratch(0)
	m.Index, m.Scale = i, e
	op := x64.VPBROADCASTD
	if e == 8 {
		op = x64.VPBROADCASTQ
	}
	b := g.vec()
	g.emit(x64.Inst{Op: op, Len: g.len, Dst: b, HasMem: true, M: m})
	return b
}

// emitMatch emits match.all or match.any.
func emitMatch(g *access) {
	m, _ := g.meeting()
	w := g.ops.Args[0]
	e := uint8(g.typ(w).Bytes())
	src := g.vectorOf(w)
	// Lanes are broadcast from memory, because their numbers are known at run time
	// only.
	g.toScratch(0, src)
	// Compare all lanes with the first one that takes part.
	if ir.MatchMode(g.in.Imm) == ir.MatchAll {
		i := g.gpr(8)
		g.emit(x64.Inst{Op: x64.TZCNT, Len: 4, Dst: i, B: m})
		g.ri(x64.ANDImm, 4, i, 31) // if no lane takes part
		eq, _ := g.equalTo(src, g.spreadLane(i, e), e, m)
		g.r2(x64.XOR, 4, eq, m)
		differ := g.ones(eq)
		if g.ops.Dst != 0 {
			g.defineGPR(g.ops.Dst, g.andNotMask(differ, m))
		}
		if g.ops.Dst2 != 0 {
			g.emit(x64.Inst{Op: x64.NOT, Len: 4, Dst: differ})
			g.defineLanes(g.ops.Dst2, differ, nil, 0, 0)
		}
		return
	}
	if g.ops.Dst == 0 {
		return
	}
	// Each round takes the first lane that is left, and gives all lanes with its value
	// their mask.
	known := g.known()
	out := make([]x64.Reg, g.unitsOf(ir.B32))
	for u := range out {
		out[u] = g.vec()
		g.move(out[u], g.zero())
	}
	// rest are the lanes without a result yet.
	rest := g.gpr(8)
	g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: rest, B: m})
	again := g.label()
	g.bind(again)
	i := g.gpr(8)
	g.emit(x64.Inst{Op: x64.TZCNT, Len: 4, Dst: i, B: rest})
	g.ri(x64.ANDImm, 4, i, 31)
	eq, ks := g.equalTo(src, g.spreadLane(i, e), e, m)
	b := g.reg(x64.Vec, uint8(g.w))
	g.spreadTo(b, eq, 4)
	for u := range out {
		k := x64.Reg(0)
		if e == 4 {
			k = ks[u] // lanes outside m are irrelevant
		} else {
			// Elements of 8 bytes take two chunks for each chunk of the result.
			k = g.chunk(eq, uint8(g.perReg()), 4, int32(u))
		}
		if g.avx512 {
			g.emit(x64.Inst{Op: x64.VMOVDQU32, Len: g.len, Dst: out[u], B: b, K: k})
		} else {
			g.emit(x64.Inst{Op: x64.VPBLENDVB, Len: g.len, Dst: out[u], A: out[u], B: b, C: k})
		}
	}
	g.emit(x64.Inst{Op: x64.ANDN, Len: 4, Dst: rest, A: eq, B: rest})
	g.emit(x64.Inst{Op: x64.TEST, Len: 4, A: rest, B: rest})
	g.jump(x64.JNE, again)
	g.restore(known)
	g.defineAll(g.ops.Dst, out)
}

// A reduction is an instruction that combines two vectors, and its neutral element.
type reduction struct {
	op      x64.Op
	neutral uint32
}

// reductions are the reductions by mode. Floats are compared as integers: see sortable.
var reductions = [...]reduction{
	ir.ReduxAdd: {x64.VPADDD, 0}, ir.ReduxMinU: {x64.VPMINUD, 1<<32 - 1}, ir.ReduxMaxU: {x64.VPMAXUD, 0},
	ir.ReduxMinS: {x64.VPMINSD, 1<<31 - 1}, ir.ReduxMaxS: {x64.VPMAXSD, 1 << 31},
	ir.ReduxAnd: {x64.VPAND, 1<<32 - 1}, ir.ReduxOr: {x64.VPOR, 0}, ir.ReduxXor: {x64.VPXOR, 0},
	ir.ReduxMinF32: {x64.VPMINSD, 1<<31 - 1}, ir.ReduxMaxF32: {x64.VPMAXSD, 1 << 31},
}

// reduxCan reports whether machine code can do reduction i.
func reduxCan(g *facts, i int) bool {
	return meetCan(g, i) && int(ir.ReduxMode(g.f.Code[i].Imm)&^(ir.ReduxAbs|ir.ReduxNaN)) < len(reductions)
}

// emitRedux emits redux: lanes outside the mask become neutral, then all lanes are
// combined.
func emitRedux(g *access) {
	m, all := g.meeting()
	if g.ops.Dst == 0 {
		return
	}
	mode := ir.ReduxMode(g.in.Imm)
	// Modifiers: magnitudes only; a NaN is the result.
	abs, nan := mode&ir.ReduxAbs != 0, mode&ir.ReduxNaN != 0
	mode &^= ir.ReduxAbs | ir.ReduxNaN
	float := mode >= ir.ReduxMinF32
	how := reductions[mode]
	src := g.vectorOf(g.ops.Args[0])
	for u := range src {
		if float {
			src[u] = g.sortable(src[u], abs, nan, how.neutral)
		}
		if !all {
			// Lanes that do not take part must not change the result.
			src[u] = g.blend(g.chunk(m, uint8(g.perReg()), 4, int32(u)), g.c32(how.neutral), src[u], 4)
		}
	}
	r := g.fold(how.op, src)
	if !float {
		g.defineFirst(g.ops.Dst, r)
		return
	}
	// Map the order of integers back to floats. The value that stands for a NaN may
	// have a sign.
	d := g.gpr(4)
	t := g.gpr(4)
	g.emit(x64.Inst{Op: x64.VMOVDToGPR, Len: 4, Dst: d, B: r})
	g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: t, B: d})
	g.ri(x64.SARImm, 4, t, 31)
	g.ri(x64.SHRImm, 4, t, 1)
	g.r2(x64.XOR, 4, d, t)
	g.emit(x64.Inst{Op: x64.CMPImm, Len: 4, B: d, Imm: -1})
	g.emit(x64.Inst{Op: x64.CMOVE, Len: 4, Dst: d, B: g.constOf(constKey{bits: 0x7fffffff, size: 4, len: 4, gpr: true})})
	g.defineGPR(g.ops.Dst, d)
}

// sortable maps floats to integers with the same order, -0 below +0. NaNs become the
// neutral element, or its opposite if a NaN has to be the result.
func (g *crossLane) sortable(v x64.Reg, abs, nan bool, neutral uint32) x64.Reg {
	// Negative floats descend as integers: invert their lower bits.
	size := g.v2(x64.VPAND, v, g.c32(0x7fffffff))
	if abs {
		v = size
	}
	if nan {
		neutral = ^neutral
	}
	isNaN := g.lanesWhere(cmpGT, 4, size, g.c32(0x7f800000))
	v = g.v2(x64.VPXOR, v, g.vi(x64.VPSRLDImm, g.vi(x64.VPSRADImm, v, 31), 1))
	return g.blend(isNaN, v, g.c32(neutral), 4)
}

// fold combines all 32-bit lanes of some vector registers by op; the result is in the
// first element. It halves the width in each step.
func (g *crossLane) fold(op x64.Op, r []x64.Reg) x64.Reg {
	for len(r) > 1 {
		next := make([]x64.Reg, len(r)/2)
		for i := range next {
			next[i] = g.v2(op, r[2*i], r[2*i+1])
		}
		r = next
	}
	x := r[0]
	// The upper half onto the lower one, down to 16 bytes.
	for n := g.w / 2; n >= 16; n /= 2 {
		hi := g.piece8(x, n, 1)
		g.len = uint8(n)
		x = g.v2(op, x, hi)
	}
	// Then pairs of words, and single words.
	x = g.v2(op, x, g.vi(x64.VPSHUFD, x, 0x4e))
	x = g.v2(op, x, g.vi(x64.VPSHUFD, x, 0xb1))
	g.len = uint8(g.w)
	return x
}

// defineFirst writes the first element of vector register r to all lanes of w.
func (g *crossLane) defineFirst(w webs.Web, r x64.Reg) {
	if p := &g.places[w]; p.slot || p.n > 0 || p.splat != 0 {
		r = g.v1(x64.VPBROADCASTD, r)
		if p.slot {
			all := make([]x64.Reg, g.unitsOf(ir.B32))
			for u := range all {
				all[u] = r
			}
			g.defineAll(w, all)
			return
		}
	}
	g.defineSplat(w, r)
}

// crossOwns are the rules of operations across the lanes of a warp, and of queries
// about the warp.
var crossOwns = map[ir.Op]*own{
	ir.ShflSync: {can: shuffleCan, wants: shuffleWants, emit: emitShuffle},
	ir.Shfl:     {can: shuffleCan, wants: shuffleWants, emit: emitShuffle},
	ir.VoteSync: {can: meetCan, wants: foldWants(wantG), emit: func(g *access) {
		m, _ := g.meeting()
		g.vote(m)
	}},
	ir.Vote: {
		can:   func(g *facts, i int) bool { return g.f.Code[i].Shadow == [4]ir.Ref{} && g.f.Lanes == 32 },
		wants: foldWants(wantG),
		emit: func(g *access) {
			m, _ := g.writeMask()
			g.vote(m)
		},
	},
	ir.MatchSync: {can: meetCan, wants: foldWants(wantV), emit: emitMatch},
	ir.ReduxSync: {can: reduxCan, wants: foldWants(wantV), emit: emitRedux},
	ir.ElectSync: {can: meetCan, wants: foldWants(wantG), emit: emitElect},
	ir.WarpSync: {
		can: func(g *facts, i int) bool {
			// It orders accesses, which race detection observes.
			return meetCan(g, i) && !g.traced()
		},
		wants: foldWants(wantG),
		emit:  func(g *access) { g.meeting() },
	},
	ir.ActiveMask: {
		can:   func(g *facts, i int) bool { return g.f.Code[i].Shadow == [4]ir.Ref{} && g.f.Lanes == 32 },
		wants: foldWants(wantG),
		emit: func(g *access) {
			if g.ops.Dst == 0 {
				return
			}
			m, _ := g.writeMask()
			d := g.gpr(4)
			g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: m})
			g.defineGPR(g.ops.Dst, d)
		},
	},
}

// traced reports whether the function reports its accesses to memory.
func (g *facts) traced() bool {
	if g.reports == 0 {
		g.reports = -1
		for i := range g.f.Code {
			if g.f.Code[i].Op == ir.Access {
				g.reports = 1
			}
		}
	}
	return g.reports > 0
}
