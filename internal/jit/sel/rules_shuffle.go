package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
	"example.org/crosslane/lane"
)

// This file has the rules of shuffles of a warp.
//
// Input: the value, b and c of shfl, and the mask of lanes that run the operation.
// Output: the moved lanes, and the predicate of lanes with a source in range.
// Invariant: machine code does the operation only if no member waits elsewhere and
// nothing has to be reported: the running lanes are those of the membermask, and they
// read only each other. In all other cases package sim does it.
// Example: shfl.sync.bfly 16, full mask: CMP m, -1; JNE cold; an exchange of register
// halves.

// known1 is the value of web w if it is uniform and known.
func (g *facts) known1(w webs.Web) (uint64, bool) {
	if v, ok := g.constant1(w); ok {
		return v, true
	}
	if w == 0 || g.s.Has(w, webs.Aliased) {
		return 0, false
	}
	return g.sh.Const(w)
}

// inOne reports whether web w has one value for all lanes (or is 0, no web).
func (g *facts) inOne(w webs.Web) bool {
	return w == 0 || g.s.Has(w, webs.Const) || !g.s.Has(w, webs.Aliased) && g.sh.Web(w).Uniform()
}

// meetCan reports whether the code can test that the lanes which meet in operation i
// are those of its membermask.
func meetCan(g *facts, i int) bool {
	return g.f.Code[i].Shadow == [4]ir.Ref{} && g.f.Lanes == 32 && g.inOne(g.s.Ops[i].Args[3])
}

// meeting checks that the lanes that run the operation in hand are those of its
// membermask, and returns them; else Go ends the block. all reports that they are all
// lanes of the wave, in every launch.
func (g *crossLane) meeting() (m x64.Reg, all bool) {
	m, _ = g.writeMask()
	if g.allMeet() {
		return m, true
	}
	l, back := g.label(), g.label()
	g.apartFrom(m, l)
	g.cold(l, func() {
		bad := g.label()
		g.missing(m, bad)
		g.jump(x64.JMP, back)
		g.bind(bad)
		g.exitAt(g.block)
	})
	g.bind(back)
	return m, false
}

// allMeet reports whether all lanes of the wave run the operation in hand together, and
// are its members if it has a membermask.
func (g *lowering) allMeet() bool {
	if g.ops.Guard != 0 || !g.mk.Full(g.block) {
		return false
	}
	members, ok := g.known1(g.ops.Args[3])
	return g.ops.Args[3] == 0 || ok && uint32(members) == 1<<32-1
}

// apartFrom jumps to l if the lanes of m are not those of the membermask.
func (g *lowering) apartFrom(m x64.Reg, l x64.Label) {
	if k, ok := g.known1(g.ops.Args[3]); ok {
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 4, B: m, Imm: int64(int32(k))})
	} else {
		g.emit(x64.Inst{Op: x64.CMP, Len: 4, A: m, B: g.scalarArg(g.ops.Args[3], ir.B32).reg})
	}
	g.jump(x64.JNE, l)
}

// missing jumps to l if the lanes of m are not the members that existed when the wave
// began: lanes that never existed need not come.
func (g *crossLane) missing(m x64.Reg, l x64.Label) {
	t := g.gpr(4)
	g.put(t, 4, g.scalarArg(g.ops.Args[3], ir.B32))
	g.rm(x64.AND, 4, t, g.ctl(abi.CtlInitial))
	g.emit(x64.Inst{Op: x64.CMP, Len: 4, A: t, B: m})
	g.jump(x64.JNE, l)
}

// shuffleMap is the lane map of a shuffle with known, uniform b and c: for each lane
// its source, and the lanes with a source in range.
func (g *facts) shuffleMap(i int) (from []int, in uint32, ok bool) {
	b, okB := g.known1(g.s.Ops[i].Args[1])
	c, okC := g.known1(g.s.Ops[i].Args[2])
	if !okB || !okC {
		return nil, 0, false
	}
	from = make([]int, 32)
	for k := range from {
		// The pure function of package lane is evaluated at translation time.
		j, inRange := lane.ShflSource(lane.ShflMode(g.f.Code[i].Imm), k, uint32(b), uint32(c))
		from[k] = j & 31
		if inRange {
			in |= 1 << k
		}
	}
	return from, in, true
}

// closed reports whether the lanes of a mask read only each other.
func closed(from []int, members uint32) bool {
	for k, j := range from {
		if members>>k&1 != 0 && members>>j&1 == 0 {
			return false
		}
	}
	return true
}

// shuffleCan reports whether machine code can do shuffle i.
func shuffleCan(g *facts, i int) bool {
	in, ops := &g.f.Code[i], &g.s.Ops[i]
	if in.Shadow != [4]ir.Ref{} || g.f.Lanes != 32 || lane.ShflMode(in.Imm) > lane.ShflIdx {
		return false
	}
	return in.Op == ir.Shfl || g.inOne(ops.Args[3])
}

// shuffleWants notes the forms of the operands of shuffle i.
func shuffleWants(g *facts, i int, wants, defs []want) {
	ops := &g.s.Ops[i]
	wants[ops.Args[0]] |= wantV
	if _, _, ok := g.shuffleMap(i); !ok {
		wants[ops.Args[1]] |= wantV
		wants[ops.Args[2]] |= wantV
	}
	if _, ok := g.known1(ops.Args[3]); !ok {
		wants[ops.Args[3]] |= wantG
	}
	defs[ops.Dst] |= wantV
	defs[ops.Dst2] |= wantG
}

// emitShuffle emits a shuffle. The code leaves it to Go if a lane reads a lane that
// does not run it, or if members of a *.sync are elsewhere.
func emitShuffle(g *access) {
	// A constant pattern, or source lanes in registers.
	from, in, ok := g.shuffleMap(g.at)
	var idx, ks []x64.Reg
	if !ok {
		idx, ks = g.shuffleLanes()
	}
	move := func() {
		if ok {
			g.shuffleBy(from, in)
		} else {
			g.shuffleTo(idx, ks)
		}
	}
	if g.allMeet() {
		// All lanes of the wave act, so no result needs a mask.
		g.every = true
		move()
		g.every = false
		return
	}
	// Not certainly all lanes: test the mask, with the rare cases in cold code.
	sync := g.in.Op == ir.ShflSync
	m, _ := g.writeMask()
	l, back, end := g.label(), g.label(), g.label()
	sure := false // the members read only members
	if sync {
		g.apartFrom(m, l)
		members, known := g.known1(g.ops.Args[3])
		sure = known && (uint32(members) == 1<<32-1 || ok && closed(from, uint32(members)))
	}
	// A full wave reads only itself.
	if !sure {
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 4, B: m, Imm: -1})
		g.jump(x64.JNE, l)
	}
	known := g.known()
	g.cold(l, func() {
		bad := g.label()
		if sync {
			g.missing(m, bad)
		}
		if ok {
			n := g.perReg()
			for u := range len(from) / n {
				idx = append(idx, g.indices(from[u*n:(u+1)*n]))
			}
		}
		// Fewer lanes are fine if they read only each other.
		g.among(m, idx, bad)
		g.jump(x64.JMP, back)
		g.bind(bad)
		g.restore(known)
		if sync {
			g.exitAt(g.block)
		} else {
			g.callOut()
			g.jump(x64.JMP, end)
		}
	})
	g.bind(back)
	move()
	if !sync {
		g.bind(end)
		g.restore(known)
		g.clear()
	}
}

// among jumps to l unless the lanes of m read only lanes of m, by the source lanes idx.
func (g *crossLane) among(m x64.Reg, idx []x64.Reg, l x64.Label) {
	all := g.reg(x64.Vec, uint8(g.w))
	g.spreadTo(all, m, 4)
	var bad x64.Reg
	for u, x := range idx {
		// Bit idx of the mask, in each lane.
		bit := g.v2(x64.VPSRLVD, all, g.v2(x64.VPAND, x, g.c32(31)))
		bit = g.v2(x64.VPXOR, bit, g.c32(1))
		bad = g.either(bad, g.test0(bit, 1, 4, m, int32(u)))
	}
	g.jumpIfAny(bad, l, 4)
}

// unless emits the operation in hand by do, or as a call-out if the condition holds
// after test.
func (g *crossLane) unless(jump x64.Op, test, do func()) {
	l, back := g.label(), g.label()
	known := g.known()
	test()
	g.jump(jump, l)
	g.cold(l, func() {
		g.restore(known)
		g.callOut()
		g.jump(x64.JMP, back)
	})
	do()
	g.bind(back)
	g.restore(known)
	g.clear()
}

// moved are the vector registers of the value that the shuffle in hand moves: with NaNs
// as they are, if the result may be raw.
func (g *crossLane) moved() []x64.Reg {
	from, to := &g.places[g.ops.Args[0]], &g.places[g.ops.Dst]
	was := from.raw
	from.raw = was && !to.raw
	src := g.sources(g.ops.Args[0])
	from.raw = was
	return src
}

// shuffleTo moves lanes by the source lanes idx; ks are the chunks of the mask of lanes
// with a source in range: see shuffleLanes.
func (g *crossLane) shuffleTo(idx, ks []x64.Reg) {
	if g.ops.Dst != 0 {
		if g.oneRegister(g.ops.Dst) {
			idx = idx[:1]
		}
		g.defineAll(g.ops.Dst, g.gatherLanes(g.ops.Args[0], g.moved(), idx))
	}
	if g.ops.Dst2 == 0 {
		return
	}
	n := uint8(g.perReg())
	if ks == nil {
		g.defineLanes(g.ops.Dst2, g.constOf(constKey{bits: 1<<32 - 1, size: 4, len: 4, gpr: true}), nil, 0, 0)
		return
	}
	g.defineLanes(g.ops.Dst2, g.bitsOf(ks, n, 4), ks, n, 4)
}

// shuffleBy moves lanes by a constant pattern; in are the lanes with a source in range.
func (g *crossLane) shuffleBy(from []int, in uint32) {
	if g.ops.Dst != 0 {
		if g.oneRegister(g.ops.Dst) {
			from = from[:g.perReg()]
		} else if n := int(g.places[g.ops.Dst].n); n > 0 {
			from = from[:n*g.perReg()]
		}
		g.defineAll(g.ops.Dst, g.permute(g.moved(), from))
	}
	if g.ops.Dst2 != 0 {
		g.defineLanes(g.ops.Dst2, g.constOf(constKey{bits: uint64(in), size: 4, len: 4, gpr: true}), nil, 0, 0)
	}
}

// oneRegister reports whether a value is uniform, so that one vector register is enough
// to define it.
func (g *crossLane) oneRegister(w webs.Web) bool {
	p := &g.places[w]
	return !p.slot && p.n == 0
}

// defineAll writes a 32-bit lane vector from its vector registers, or from one if
// oneRegister holds. The registers may belong to another value, or to w itself.
func (g *crossLane) defineAll(w webs.Web, r []x64.Reg) {
	if g.oneRegister(w) {
		g.defineSplat(w, r[0])
		return
	}
	p := &g.places[w]
	for u := range r {
		// A register of w that is written before it is read must be saved.
		if x := r[u]; p.n > 0 && x >= p.units && x < p.units+x64.Reg(u) {
			r[u] = g.vec()
			g.move(r[u], x)
		}
	}
	for u := range r {
		g.defineUnit(w, int32(u), r[u], len(g.fn.Code), 1<<30)
	}
}

// laneTable is a constant: f of each lane of vector register u.
func (g *crossLane) laneTable(u int, f func(lane int) uint32) x64.Reg {
	n := g.perReg()
	data := make([]byte, 0, 4*n)
	for i := range n {
		x := f(u*n + i)
		data = append(data, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return g.table(data)
}

// shuffleLanes computes the source lane of each lane if b or c is not known, and the
// chunks of the mask of lanes with a source in range; nil: all are.
func (g *crossLane) shuffleLanes() (idx, ks []x64.Reg) {
	mode := lane.ShflMode(g.in.Imm)
	c, known := g.known1(g.ops.Args[2])
	// PTX: c holds segmask in bits 12:8 and clamp in bits 4:0.
	seg, clamp := uint32(c>>8&31), uint32(c&31)
	// always: every source is in range.
	always := known && mode == lane.ShflIdx && clamp&^seg == 31&^seg
	n := g.f.Lanes / g.perReg()
	for u := range n {
		b := g.value(g.ops.Args[1], int32(u), ir.B32)
		if always && seg == 0 {
			idx = append(idx, b) // higher bits are ignored
			continue
		}
		b = g.v2(x64.VPAND, b, g.c32(31))
		l := g.laneTable(u, func(i int) uint32 { return uint32(i) })
		var low, top, free x64.Reg // the segment's first lane, maxLane, ^segmask
		if known {
			low = g.laneTable(u, func(i int) uint32 { return uint32(i) & seg })
			top = g.laneTable(u, func(i int) uint32 { return uint32(i)&seg | clamp&^seg })
			free = g.c32(31 &^ seg)
		} else {
			cv := g.value(g.ops.Args[2], int32(u), ir.B32)
			s := g.v2(x64.VPAND, g.vi(x64.VPSRLDImm, cv, 8), g.c32(31))
			free = g.v2(x64.VPANDN, s, g.c32(31))
			low = g.v2(x64.VPAND, s, l)
			top = g.v2(x64.VPOR, low, g.v2(x64.VPAND, cv, free))
		}
		var j x64.Reg
		switch mode {
		// The source lane j, by the formulas of PTX ISA 9.7.9.6.
		case lane.ShflUp:
			j = g.v2(x64.VPSUBD, l, b)
		case lane.ShflDown:
			j = g.v2(x64.VPADDD, l, b)
		case lane.ShflBfly:
			j = g.v2(x64.VPXOR, l, b)
		default:
			j = g.v2(x64.VPOR, low, g.v2(x64.VPAND, b, free))
		}
		if always {
			idx = append(idx, j)
			continue
		}
		// In range: j <= maxLane, or for up j >= maxLane; else the lane reads itself.
		pred := int64(cmpLE)
		if mode == lane.ShflUp {
			pred = cmpGE
		}
		k := g.lanesWhere(pred, 4, j, top)
		ks = append(ks, k)
		idx = append(idx, g.blend(k, l, j, 4))
	}
	return idx, ks
}

// lanesWhere is a comparison of signed elements of e bytes: the chunk of the mask of
// elements for which a pred b.
func (g *crossLane) lanesWhere(pred int64, e uint8, a, b x64.Reg) x64.Reg {
	return g.ex(e).cmp(pred, true, operand{reg: a}, operand{reg: b}).reg
}

// scratch is the place of lane vector i of the scratch area.
func (g *crossLane) scratch(i int32) x64.Mem { return g.ctl(abi.CtlScratch + 512*i) }

// toScratch stores a lane vector in the scratch area, for code that reads single lanes.
func (g *crossLane) toScratch(i int32, r []x64.Reg) {
	for u, x := range r {
		g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: uint8(g.w), B: x, HasMem: true, M: at(g.scratch(i), int32(u)*g.w)})
	}
}

// vectorOf are the vector registers of web w.
func (g *lowering) vectorOf(w webs.Web) []x64.Reg {
	t := g.typ(w)
	r := make([]x64.Reg, g.unitsOf(t))
	for u := range r {
		r[u] = g.value(w, int32(u), t)
	}
	return r
}

// lanesAmong keeps the lanes of a 32-bit vector that are in mask m, and makes all other
// lanes 0.
func (g *crossLane) lanesAmong(r []x64.Reg, m x64.Reg) []x64.Reg {
	out := slices.Clone(r)
	for u := range out {
		k := g.chunk(m, uint8(g.perReg()), 4, int32(u))
		if !g.avx512 {
			out[u] = g.v2(x64.VPAND, r[u], k)
			continue
		}
		out[u] = g.vec()
		g.emit(x64.Inst{Op: x64.VMOVDQU32, Len: g.len, Dst: out[u], B: r[u], K: k, Z: true})
	}
	return out
}
