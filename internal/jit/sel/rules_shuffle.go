package sel

import (
	"slices"

	"crosslane/internal/ir"
	"crosslane/internal/jit/ssa"
	"crosslane/internal/jit/x64"
	"crosslane/lane"
)

// Operations across lanes are done by machine code where nobody waits and nothing is to
// be reported: the lanes that run are those of the membermask, and none of them reads
// another lane. All else is package sim's.

// known is the value of a web that is the same in all lanes and known.
func (g *gen) known1(w ssa.Web) (uint64, bool) {
	if v, ok := g.constant1(w); ok {
		return v, true
	}
	if w == 0 || g.s.Has(w, ssa.Aliased) {
		return 0, false
	}
	sh := g.sh.Web(w)
	return sh.Base, sh.IsConst()
}

// inOne reports whether a web is in one register for all lanes, or in none.
func (g *gen) inOne(w ssa.Web) bool {
	return w == 0 || g.s.Has(w, ssa.Const) || !g.s.Has(w, ssa.Aliased) && g.sh.Web(w).Uniform()
}

// meetCan reports whether the lanes that meet in operation i can be known to be those of
// its membermask.
func meetCan(g *gen, i int) bool {
	return g.f.Code[i].Shadow == [4]ir.Ref{} && g.f.Lanes == 32 && g.inOne(g.s.Ops[i].Args[3])
}

// meeting checks that the lanes that run the operation in hand are those of its
// membermask, and returns them; else Go ends the block. known says which they are, if
// sure.
func (g *gen) meeting() (m x64.Reg, known uint32, sure bool) {
	m, _ = g.writeMask()
	w := g.ops.Args[3]
	k, ok := g.known1(w)
	known = uint32(k)
	if ok && known == 1<<32-1 && g.ops.Guard == 0 && g.mk.Full(g.block) {
		return m, known, true
	}
	if ok {
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 4, B: m, Imm: int64(int32(known))})
	} else {
		g.emit(x64.Inst{Op: x64.CMP, Len: 4, A: m, B: g.scalarArg(w, ir.B32).reg})
	}
	g.elsewhere(x64.JNE)
	return m, known, ok
}

// elsewhere leaves the end of the block to Go if a condition holds.
func (g *gen) elsewhere(jump x64.Op) {
	l := g.label()
	g.jump(jump, l)
	g.cold(l, func() { g.leaveAt(g.block) })
}

// shuffleMap is what a shuffle does whose b and c are the same in all lanes and known.
func (g *gen) shuffleMap(i int) (from []int, in uint32, ok bool) {
	b, okB := g.known1(g.s.Ops[i].Args[1])
	c, okC := g.known1(g.s.Ops[i].Args[2])
	if !okB || !okC {
		return nil, 0, false
	}
	from = make([]int, 32)
	for k := range from {
		j, inRange := lane.ShflSource(lane.ShflMode(g.f.Code[i].Imm), k, uint32(b), uint32(c))
		from[k] = j & 31
		if inRange {
			in |= 1 << k
		}
	}
	return from, in, true
}

// inside reports whether the lanes of a mask read each other only.
func closed(from []int, members uint32) bool {
	for k, j := range from {
		if members>>k&1 != 0 && members>>j&1 == 0 {
			return false
		}
	}
	return true
}

func shuffleCan(g *gen, i int) bool {
	in, ops := &g.f.Code[i], &g.s.Ops[i]
	if in.Shadow != [4]ir.Ref{} || g.f.Lanes != 32 || lane.ShflMode(in.Imm) > lane.ShflIdx {
		return false
	}
	if in.Op == ir.Shfl {
		return true
	}
	if !g.inOne(ops.Args[3]) {
		return false
	}
	members, ok := g.known1(ops.Args[3])
	if !ok || uint32(members) == 1<<32-1 {
		return true
	}
	from, _, ok := g.shuffleMap(i)
	return ok && closed(from, uint32(members))
}

func shuffleWants(g *gen, i int, wants, defs []want) {
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

func emitShflSync(g *gen) {
	m, members, sure := g.meeting()
	if !sure || members != 1<<32-1 {
		from, in, ok := g.shuffleMap(g.at)
		if ok && sure { // closed
			g.shuffleBy(from, in)
			return
		}
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 4, B: m, Imm: -1})
		g.elsewhere(x64.JNE)
	}
	g.every = true
	g.shuffle()
	g.every = false
}

// emitShfl is the shuffle of the lanes that run it together, whoever they are. If they are
// all, none of them can read another one.
func emitShfl(g *gen) {
	if g.ops.Guard == 0 && g.mk.Full(g.block) {
		g.every = true
		g.shuffle()
		g.every = false
		return
	}
	g.unless(x64.JNE, func() {
		m, _ := g.writeMask()
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 4, B: m, Imm: -1})
	}, func() {
		g.every = true
		g.shuffle()
		g.every = false
	})
}

// unless has the interpreter do the operation in hand if a condition holds after test, and
// else does it by do.
func (g *gen) unless(jump x64.Op, test, do func()) {
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

// moved are the vector registers of what the shuffle in hand moves: as it is, if the result
// may be raw.
func (g *gen) moved() []x64.Reg {
	from, to := &g.places[g.ops.Args[0]], &g.places[g.ops.Dst]
	was := from.raw
	from.raw = was && !to.raw
	src := g.sources(g.ops.Args[0])
	from.raw = was
	return src
}

// shuffle does a shuffle of all lanes.
func (g *gen) shuffle() {
	if from, in, ok := g.shuffleMap(g.at); ok {
		g.shuffleBy(from, in)
		return
	}
	idx, ks := g.shuffleLanes()
	if g.ops.Dst != 0 {
		if g.oneRegister(g.ops.Dst) {
			idx = idx[:1]
		}
		g.defineAll(g.ops.Dst, g.gatherLanes(g.moved(), idx))
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

// shuffleBy moves lanes by a constant pattern; in are the lanes whose source is in range.
func (g *gen) shuffleBy(from []int, in uint32) {
	if g.ops.Dst != 0 {
		if g.oneRegister(g.ops.Dst) {
			from = from[:g.perReg()]
		}
		g.defineAll(g.ops.Dst, g.permute(g.moved(), from))
	}
	if g.ops.Dst2 != 0 {
		g.defineLanes(g.ops.Dst2, g.constOf(constKey{bits: uint64(in), size: 4, len: 4, gpr: true}), nil, 0, 0)
	}
}

// oneRegister reports whether a value is the same in all lanes, so that one vector register
// is enough to define it.
func (g *gen) oneRegister(w ssa.Web) bool {
	p := &g.places[w]
	return !p.home && p.n == 0
}

// defineAll writes a lane vector of 32 bits from its vector registers, or from one if
// oneRegister. The registers may be those of another value, or of the same.
func (g *gen) defineAll(w ssa.Web, r []x64.Reg) {
	if g.oneRegister(w) {
		g.defineSplat(w, r[0])
		return
	}
	p := &g.places[w]
	for u := range r {
		// One that is written before it is read.
		if x := r[u]; p.n > 0 && x >= p.units && x < p.units+x64.Reg(u) {
			r[u] = g.vec()
			g.move(r[u], x)
		}
	}
	for u := range r {
		g.defineUnit(w, int32(u), r[u], len(g.fn.Code), 1<<30)
	}
}

// laneTable is a function of the lanes of vector register u as a constant.
func (g *gen) laneTable(u int, f func(lane int) uint32) x64.Reg {
	n := g.perReg()
	data := make([]byte, 0, 4*n)
	for i := range n {
		x := f(u*n + i)
		data = append(data, byte(x), byte(x>>8), byte(x>>16), byte(x>>24))
	}
	return g.table(data)
}

// shuffleLanes computes what lane each lane reads, where b or c are not known, and the
// chunks of the mask of lanes whose source is in range; nil: all are.
func (g *gen) shuffleLanes() (idx, ks []x64.Reg) {
	mode := lane.ShflMode(g.in.Imm)
	c, known := g.known1(g.ops.Args[2])
	seg, clamp := uint32(c>>8&31), uint32(c&31)
	always := known && mode == lane.ShflIdx && clamp&^seg == 31&^seg
	n := g.f.Lanes / g.perReg()
	for u := range n {
		b := g.unit(g.ops.Args[1], int32(u), ir.B32)
		if always && seg == 0 {
			idx = append(idx, b) // higher bits do not matter
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
			cv := g.unit(g.ops.Args[2], int32(u), ir.B32)
			s := g.v2(x64.VPAND, g.vi(x64.VPSRLDImm, cv, 8), g.c32(31))
			free = g.v2(x64.VPANDN, s, g.c32(31))
			low = g.v2(x64.VPAND, s, l)
			top = g.v2(x64.VPOR, low, g.v2(x64.VPAND, cv, free))
		}
		var j x64.Reg
		switch mode {
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

// lanesWhere is a comparison of signed elements of e bytes: the chunk of the mask where a
// pred b.
func (g *gen) lanesWhere(pred int64, e uint8, a, b x64.Reg) x64.Reg {
	return (&ex{g: g, n: e}).cmp(pred, true, operand{reg: a}, operand{reg: b}).reg
}

// scratch is where in the frame lane vector i of the scratch area begins.
func (g *gen) scratch(i int32) x64.Mem { return g.ctl(CtlScratch + 512*i) }

// toScratch stores a lane vector for code that looks for single lanes.
func (g *gen) toScratch(i int32, r []x64.Reg) {
	for u, x := range r {
		g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: uint8(g.w), B: x, HasMem: true, M: at(g.scratch(i), int32(u)*g.w)})
	}
}

// vectorOf are the vector registers of a value.
func (g *gen) vectorOf(w ssa.Web) []x64.Reg {
	t := g.typ(w)
	r := make([]x64.Reg, g.unitsOf(t))
	for u := range r {
		r[u] = g.value(w, int32(u), t)
	}
	return r
}

// lanesAmong keeps those lanes of a vector of 32 bits that are in a mask, and makes the
// others 0.
func (g *gen) lanesAmong(r []x64.Reg, m x64.Reg) []x64.Reg {
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
