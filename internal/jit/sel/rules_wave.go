package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/lane"
)

// This file has the operations across the 64 lanes of a wavefront.
//
// Input: a lane vector, EXEC, and the control of DPP or swizzle, or a lane number.
// Output: the moved lanes, or one lane in a general register.
// Invariant: lanes that EXEC disables read as 0: they become 0 before lanes move.
// Example: row_shr:1 is the pattern {none, 0, 1, …, 14} in each row, so one shift of
// each register.

// dppMap is the lane map of a DPP control: for each lane its source, or fromNone.
func dppMap(imm uint64) []int {
	ctrl, _, _, _ := ir.DPPFields(imm)
	from := make([]int, 64)
	for i := range from {
		from[i] = fromNone
		if j, ok := lane.DPPSource(lane.DPPCtrl(ctrl), i); ok {
			from[i] = j & 63
		}
	}
	return from
}

// is64 reports whether operation i is one of a wavefront, without undefined bits, that
// does not write EXEC.
func is64(g *facts, i int) bool {
	return g.f.Lanes == 64 && g.f.Code[i].Shadow == [4]ir.Ref{} && !(g.f.Exec != 0 && g.writesExec(g.f.Code[i].Dst))
}

// vecWants notes that some arguments, and the result, are lane vectors.
func vecWants(args ...int) func(g *facts, i int, wants, defs []want) {
	return func(g *facts, i int, wants, defs []want) {
		ops := &g.s.Ops[i]
		for _, k := range args {
			wants[ops.Args[k]] |= wantV
		}
		defs[ops.Dst] |= wantV
	}
}

// emitDPPRead emits the move of lanes of a DPP operand.
func emitDPPRead(g *access) {
	src := g.sources(g.ops.Args[0])
	// Lanes outside EXEC must read as 0.
	if !g.sureAll(g.at, 1) {
		src = g.lanesAmong(src, g.lanesOf(g.ops.Args[1]))
	}
	g.defineAll(g.ops.Dst, g.permute(src, dppMap(g.in.Imm)))
}

// emitDPPMask emits the mask of the lanes that a DPP instruction updates: the lanes of
// EXEC in the enabled rows and banks, and unless BOUND_CTRL is set only those with a
// source in EXEC.
func emitDPPMask(g *access) {
	// The mask is a constant: see findFixed.
	if bits, ok := g.always[g.ops.Dst]; ok {
		g.defineLanes(g.ops.Dst, g.constOf(constKey{bits: bits, size: 8, len: 8, gpr: true}), nil, 0, 0)
		return
	}
	_, rows, banks, bound := ir.DPPFields(g.in.Imm)
	among := uint64(lane.DPPLanes(rows, banks))
	exec := g.lanesOf(g.ops.Args[0])
	d := g.gpr(8)
	number := func(v uint64) x64.Reg { return g.constOf(constKey{bits: v, size: 8, len: 8, gpr: true}) }
	// With BOUND_CTRL a lane without source reads 0, so it is updated too.
	if bound {
		g.move(d, exec)
		g.r2(x64.AND, 8, d, number(among))
		g.defineLanes(g.ops.Dst, d, nil, 0, 0)
		return
	}
	// For each distance between lane and source: the source's bits of EXEC, shifted by
	// that distance.
	var by [127]uint64
	sourced := uint64(0)
	for i, j := range dppMap(g.in.Imm) {
		if j >= 0 {
			by[j-i+63] |= 1 << i & among
			sourced |= 1 << i
		}
	}
	g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: d, B: number(among & sourced)})
	// EXEC is usually full: then the mask is a constant. Cold code handles the rest.
	some, back := g.label(), g.label()
	g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, B: exec, Imm: -1})
	g.jump(x64.JNE, some)
	g.cold(some, func() {
		g.put(d, 8, operand{num: true})
		for k, lanes := range by {
			if lanes == 0 {
				continue
			}
			t := g.gpr(8)
			g.move(t, exec)
			switch n := int64(k - 63); {
			case n > 0:
				g.ri(x64.SHRImm, 8, t, n)
			case n < 0:
				g.ri(x64.SHLImm, 8, t, -n)
			}
			g.r2(x64.AND, 8, t, number(lanes))
			g.r2(x64.OR, 8, d, t)
		}
		g.r2(x64.AND, 8, d, exec)
		g.jump(x64.JMP, back)
	})
	g.bind(back)
	g.defineLanes(g.ops.Dst, d, nil, 0, 0)
}

// amongActive are the vector registers of w, with 0 in the lanes for which the
// operation in hand does not act.
func (g *crossLane) amongActive(w webs.Web) []x64.Reg {
	src := g.sources(w)
	m, all := g.writeMask()
	if all {
		return src
	}
	return g.lanesAmong(src, m)
}

// emitSwizzle emits ds_swizzle_b32, which has a constant pattern.
func emitSwizzle(g *access) {
	from := make([]int, 64)
	for i := range from {
		// The pattern, for all 64 lanes.
		from[i] = lane.SwizzleSource(lane.SwizzlePattern(g.in.Imm), i)
	}
	g.defineAll(g.ops.Dst, g.permute(g.amongActive(g.ops.Args[0]), from))
}

// laneOf is lane i of web w in a general register. An unknown lane number is an index
// into the frame slot, or into the scratch area.
func (g *crossLane) laneOf(w webs.Web, i operand) x64.Reg {
	d := g.gpr(4)
	p := &g.places[w]
	if v, ok := g.constant1(w); ok {
		g.put(d, 4, operand{num: true, imm: v})
		return d
	}
	// Uniform: any lane will do.
	if !p.slot && p.n == 0 && !p.affine {
		g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: g.scalarArg(w, ir.B32).reg})
		return d
	}
	// A known lane of a vector register: extract it.
	if i.num && !p.slot {
		n := g.perReg()
		k := int(i.imm & 63)
		r := g.value(w, int32(k/n), ir.B32)
		if k %= n; k >= 4 {
			r = g.piece8(r, 16, int32(k/4))
			k %= 4
		}
		if k == 0 {
			g.emit(x64.Inst{Op: x64.VMOVDToGPR, Len: 4, Dst: d, B: r})
		} else {
			g.emit(x64.Inst{Op: x64.VPEXTRD, Len: 16, Dst: d, B: r, Imm: int64(k)})
		}
		return d
	}
	// An unknown lane, or a web in the frame: read the element from memory.
	m := g.scratch(0)
	if p.slot {
		m = g.frame(g.s.Value(w).Off)
	} else {
		g.toScratch(0, g.vectorOf(w))
	}
	if i.num {
		g.load(4, d, at(m, int32(i.imm&63)*4))
		return d
	}
	x := g.gpr(8)
	g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: x, B: i.reg})
	g.ri(x64.ANDImm, 4, x, 63)
	m.Index, m.Scale = x, 4
	g.load(4, d, m)
	return d
}

// emitReadFirstLane emits v_readfirstlane_b32.
func emitReadFirstLane(g *access) {
	w := g.ops.Args[0]
	exec := g.lanesOf(g.ops.Args[1])
	// read takes the value of the first active lane.
	read := func() {
		i := g.gpr(8)
		// If no lane is active, it is lane 0.
		g.emit(x64.Inst{Op: x64.TZCNT, Len: 8, Dst: i, B: exec})
		g.defineGPR(g.ops.Dst, g.laneOf(w, operand{reg: i}))
	}
	none := func() { g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: exec, B: exec}) }
	p := &g.places[w]
	if !p.slot && (p.n > 0 || p.affine) {
		// The first active lane is usually lane 0.
		// Test bit 0 of EXEC; cold code finds the first active lane.
		later, back := g.label(), g.label()
		known := g.known()
		g.emit(x64.Inst{Op: x64.TESTImm, Len: 4, B: exec, Imm: 1})
		g.jump(x64.JE, later)
		g.cold(later, func() {
			if g.in.Imm != 0 { // a note is due if no lane is active
				some := g.label()
				none()
				g.jump(x64.JNE, some)
				g.callOut()
				g.jump(x64.JMP, back)
				g.bind(some)
				g.restore(known)
			}
			read()
			g.jump(x64.JMP, back)
		})
		g.defineGPR(g.ops.Dst, g.laneOf(w, operand{num: true}))
		g.bind(back)
		g.restore(known)
		g.clear()
		return
	}
	if g.in.Imm != 0 {
		g.unless(x64.JE, none, read)
		return
	}
	read()
}

// emitWriteLane emits v_writelane_b32: one lane of the result, whether or not it is
// active.
func emitWriteLane(g *access) {
	w := g.ops.Dst
	p := &g.places[w]
	v := g.regOf(g.scalarArg(g.ops.Args[0], ir.B32), 4)
	i := g.scalarArg(g.ops.Args[1], ir.B32)
	x := g.gpr(8)
	if !i.num {
		g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: x, B: i.reg})
		g.ri(x64.ANDImm, 4, x, 63)
	}
	n := g.perReg()
	if p.slot {
		m := g.frame(g.s.Value(w).Off)
		if i.num {
			m = at(m, int32(i.imm&63)*4)
		} else {
			m.Index, m.Scale = x, 4
		}
		g.store(4, m, v)
		return
	}
	// A known lane is in one vector register; else all registers are written under a
	// mask with one bit.
	first, last := 0, int(p.n)
	var m x64.Reg
	if i.num {
		first = int(i.imm&63) / n
		last = first + 1
		m = g.constOf(constKey{bits: 1 << (i.imm & 63), size: 8, len: 8, gpr: true})
	} else {
		m = g.gpr(8)
		g.put(m, 8, operand{num: true})
		g.r2(x64.BTS, 8, m, x)
	}
	b := g.broadcast(v, ir.B32)
	for u := first; u < last; u++ {
		d := p.units + x64.Reg(u)
		switch {
		// One lane of the register, by a mask of one bit, by an immediate, or by a
		// vector mask.
		case g.avx512:
			g.emit(x64.Inst{Op: x64.VMOVDQU32, Len: g.len, Dst: d, B: b, K: g.chunk(m, uint8(n), 4, int32(u))})
		case i.num:
			g.emit(x64.Inst{Op: x64.VPBLENDD, Len: g.len, Dst: d, A: d, B: b, Imm: 1 << (int(i.imm&63) % n)})
		default:
			g.emit(x64.Inst{Op: x64.VPBLENDVB, Len: g.len, Dst: d, A: d, B: b, C: g.chunk(m, uint8(n), 4, int32(u))})
		}
	}
}

// emitClock emits the wave's clock: instructions before Go entered, instructions since
// then, and the readings of the clock itself.
func emitClock(g *access) {
	c, d, t := g.ctl(abi.CtlClock), g.gpr(8), g.gpr(8)
	g.clock = true
	g.load(8, d, c)
	g.ri(x64.ADDImm, 8, d, 1)
	g.store(8, c, d)
	g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: t, B: abi.Counter})
	// The lower half of Counter decreases, and CtlClock has 2^32-1 added, so the
	// difference is the number of instructions.
	g.r2(x64.SUB, 8, d, t)
	g.defineGPR(g.ops.Dst, d)
}

// waveOwns are the rules of operations across a wavefront.
var waveOwns = map[ir.Op]*own{
	ir.DPPRead:    {can: is64, wants: vecWants(0), emit: emitDPPRead},
	ir.DPPMask:    {can: is64, wants: func(g *facts, i int, wants, defs []want) {}, emit: emitDPPMask},
	ir.DSSwizzle:  {can: is64, wants: vecWants(0), emit: emitSwizzle},
	ir.DSBpermute: {can: is64, wants: placesWants, emit: emitBpermute},
	ir.DSPermute:  {can: is64, wants: placesWants, emit: emitPermute},
	ir.ReadLane: {can: is64, emit: func(g *access) {
		g.defineGPR(g.ops.Dst, g.laneOf(g.ops.Args[0], g.scalarArg(g.ops.Args[1], ir.B32)))
	}, wants: func(g *facts, i int, wants, defs []want) {
		ops := &g.s.Ops[i]
		wants[ops.Args[0]] |= wantV
		wants[ops.Args[1]] |= wantG
		defs[ops.Dst] |= wantG
	}},
	ir.ReadFirstLane: {can: is64, emit: emitReadFirstLane, wants: func(g *facts, i int, wants, defs []want) {
		ops := &g.s.Ops[i]
		wants[ops.Args[0]] |= wantV
		defs[ops.Dst] |= wantG
	}},
	ir.WriteLane: {can: is64, emit: emitWriteLane, wants: func(g *facts, i int, wants, defs []want) {
		ops := &g.s.Ops[i]
		wants[ops.Args[0]] |= wantG
		wants[ops.Args[1]] |= wantG
		defs[ops.Dst] |= wantV
	}},
	ir.Clock: {
		can: func(g *facts, i int) bool { return g.f.Code[i].Shadow == [4]ir.Ref{} },
		wants: func(g *facts, i int, wants, defs []want) {
			defs[g.s.Ops[i].Dst] |= wantG
		},
		emit: emitClock,
	},
}
