package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file plans the selection of a function.
//
// Input: webs with shapes and masks.
// Output: for each operation a way (how) and for each web a place (g.places).
// Invariant: a web has every form that its definitions make and its uses need, or a
// form from which they can be derived; all definitions of a web write all its forms.
// Example: a uniform web that addresses use and vector code multiplies has two forms: a
// general register and a splat.
// Literature: Collange, Identifying scalar behavior in CUDA kernels (2011), on scalarization.

// how is the way in which an operation is done.
type how uint8

const (
	byCall   how = iota // by the interpreter
	byScalar            // once, in general registers
	bySplat             // once, in a vector register
	byVector            // for all lanes
	byOwn               // by a function of its own: effects, cross-lane operations
)

// newGenerator is the state at the start of a selection; its lists use the memory of m.
func newGenerator(s *webs.Func, sh *shape.Shapes, mk *mask.Masks, tier isa.Tier, lay abi.Layout, m *Scratch) *control {
	n := len(s.IR.Code)
	if m.consts == nil {
		m.consts = map[constKey]x64.Reg{}
	}
	clear(m.consts)
	g := new(control)
	g.facts = facts{mem: m, s: s, f: s.IR, sh: sh, mk: mk, lay: lay, processor: processor{avx512: tier == isa.AVX512, w: tier.Width()}}
	g.len, g.consts, g.tables = uint8(tier.Width()), m.consts, map[string]x64.Reg{}
	lir.Cleared(&m.hows, n)
	g.out = &abi.Code{Native: make([]bool, n), Blocks: make([]x64.Label, len(s.IR.Blocks)), BlockAt: make([]int, len(s.IR.Blocks))}
	g.fn = &lir.Func{Name: s.IR.Name, Code: m.code[:0], VRegs: m.vregs[:0], Pool: m.pool[:0], States: m.states[:0], StateRegs: m.stateRegs[:0]}
	// Room for the instructions and registers of most functions, so that the lists
	// seldom move.
	g.fn.Code, g.fn.VRegs = slices.Grow(g.fn.Code, 8*n+64), slices.Grow(g.fn.VRegs, 4*n+64) // does for most functions of 32 lanes
	g.out.LIR = g.fn
	g.out.FrameStates = abi.FrameStates{Recipes: m.recipes[:0], Lists: m.lists[:0], States: make([]abi.State, len(s.IR.Blocks)), Locations: g.locations}
	g.out.Known = sh.Web
	g.out.InSlot = func(w webs.Web) bool { return g.places[w].slot }
	g.out.FromMemory, g.out.Relies, g.out.Polls = sh.FromMemory(), sh.Relies(), sh.Polls()
	g.out.Exits = make([]abi.Exit, 0, n/4+8)
	g.caches = lay.Caches
	g.findExes()
	g.manyIDs = g.manyBars()
	g.out.Save = g.label()
	g.out.Stop = g.label()
	g.out.Wait = g.label()
	g.out.Start = g.label()
	g.out.Entry = g.label()
	g.out.Enter = g.label()
	for b := range g.out.Blocks {
		g.out.Blocks[b] = g.label()
	}
	return g
}

// how returns the way of operation i. It is decided once and cached, because later
// analyses rely on it.
func (g *facts) how(i int) how {
	if h := g.mem.hows[i]; h != 0 {
		return h - 1
	}
	in := &g.f.Code[i]
	if in.Op.Pure() {
		return g.pureHow(i)
	}
	h := byCall
	// A rule of its own, if it can do this operation in this form.
	if o := owns()[in.Op]; o != nil && !g.reported(in.Op) && o.can(g, i) {
		h = byOwn
	}
	g.mem.hows[i] = h + 1
	return h
}

// reported reports whether package sim reports the operation to a launch's Recorder.
// Functions with other reported operations are not translated.
func (g *facts) reported(op ir.Op) bool {
	return g.f.Recorded != nil && op == ir.Collective
}

// pureHow is how for pure operations.
func (g *facts) pureHow(i int) how {
	h := &g.mem.hows[i]
	if *h == 0 {
		*h = g.findHow(i) + 1
	}
	return *h - 1
}

// findHow decides the way of a pure operation. Values that are uniform or affine are
// computed once in general registers if there is a rule; else lane vectors are used,
// and else the interpreter.
func (g *facts) findHow(i int) how {
	in := &g.f.Code[i]
	v, s := &vrules()[in.Op], grules()[in.Op]
	one := in.Scalar || g.sh.Result(i).Kind != shape.Varying
	// General registers are preferred: one instruction does the work of all vectors.
	if one && s != nil && g.wordsOnly(in) {
		return byScalar
	}
	// No vector rule: predicates may have a rule for masks of lanes.
	if v.fn == nil {
		if mrules()[in.Op] != nil && !in.Scalar {
			return byScalar
		}
		return byCall
	}
	// One vector register computes the value of all lanes.
	if one && (in.Scalar || g.sh.Result(i).Uniform()) {
		return bySplat
	}
	return byVector
}

// wordsOnly reports whether general registers can hold all operands and the result of a
// pure operation: predicates and numbers of 32 or 64 bits.
func (g *facts) wordsOnly(in *ir.Inst) bool {
	info := &ir.Ops[in.Op]
	ok := func(t ir.Type) bool { return t == ir.B1 || t == ir.B32 || t == ir.B64 }
	for _, t := range info.Args {
		if !ok(t) {
			return false
		}
	}
	return ok(info.Res)
}

// want is a set of forms that the uses of a web need.
type want uint8

const (
	wantG want = 1 << iota
	wantV
)

// plan chooses a place for every web. Analyses run first, because they change the forms
// that uses need.
func (g *planner) plan() {
	n := len(g.s.Webs)
	g.propagateCopies()
	g.findNear()
	g.findSunk()
	g.findRuns()
	g.findRowBases()
	all := lir.Cleared(&g.mem.wants, 2*n)
	wants, defs := all[:n], all[n:] // the forms that definitions make without extra work
	for i := range g.f.Code {
		in, ops := &g.f.Code[i], &g.s.Ops[i]
		if g.rep(ops.Dst) != ops.Dst {
			g.out.Native[i] = true // a copy: there is no code
			continue
		}
		h := g.how(i)
		g.out.Native[i] = h != byCall
		wants[ops.Guard] |= wantG
		switch h {
		case byScalar:
			defs[ops.Dst] |= wantG
			for _, a := range ops.Args {
				wants[a] |= wantG
			}
		case bySplat, byVector:
			// An addition to row bases reads only the uniform summand.
			if k, ok := g.stepsOn(i); ok {
				wants[ops.Args[k]] |= wantG
				continue
			}
			defs[ops.Dst] |= wantV
			for k, t := range ir.Ops[in.Op].Args {
				if t == ir.B1 {
					wants[ops.Args[k]] |= wantG
				} else {
					wants[ops.Args[k]] |= wantV
				}
			}
		case byOwn:
			owns()[in.Op].wants(&g.facts, i, wants, defs)
		}
	}
	// These analyses need the ways of all operations, and decide the forms of places.
	g.findFixed()
	g.placeNaNs()
	g.findPeriods()
	g.normals()
	g.undefined()
	for w := 1; w < len(g.s.Webs); w++ {
		// A copy has the place of its original, which must have the forms that the
		// copy's uses need.
		if r := g.rep(webs.Web(w)); r != webs.Web(w) {
			wants[r] |= wants[w]
		}
	}
	for w := 1; w < len(g.s.Webs); w++ {
		if g.rep(webs.Web(w)) == webs.Web(w) {
			g.fn.VRegs = roomy(g.fn.VRegs, w, n-w)
			g.placeOf(webs.Web(w), wants[w], defs[w])
		}
	}
	for w := range g.places {
		g.places[w] = g.places[g.rep(webs.Web(w))]
	}
	g.findWalks()
}

// placeOf chooses the place of web w from the forms that its uses need and its
// definitions make. Uniform words may be in a general register and in a splat; affine
// ones are a base with steps; the rest are lanes.
func (g *planner) placeOf(w webs.Web, wants, defs want) {
	p := &g.places[w]
	info := &g.s.Webs[w]
	v := g.f.Val(info.Ref)
	if info.Ref == 0 || info.Flags&webs.Const != 0 {
		return
	}
	// Other values share these bytes of the frame, so the web must stay there.
	if info.Flags&webs.Aliased != 0 {
		p.slot = true
		return
	}
	defer func() { // Go fills the registers of webs
		for r := range p.registers {
			g.fn.VRegs[r-x64.Virtual].Filled = true
		}
	}()
	// Predicates are masks of lanes; scalar ones are 0 or 1.
	if v.Type == ir.B1 {
		n := g.maskBytes()
		if v.Scalar {
			n = 4
		}
		p.gpr = g.gpr(n)
		return
	}
	units := func() {
		p.n = g.distinct(w, g.unitsOf(v.Type))
		for j := range p.n {
			if r := g.reg(x64.Vec, g.unitLen(v.Type)); j == 0 {
				p.units = r
			}
		}
	}
	// GCN3 uses pairs of scalar registers as masks of lanes.
	if g.f.Exec != 0 && (v.Scalar && v.Type == ir.B64 || g.writesExec(info.Ref)) {
		wants |= wantG // it may be a mask of lanes too: see mirror
	}
	sh := g.sh.Web(w)
	words := v.Type == ir.B32 || v.Type == ir.B64
	if v.Scalar {
		sh = shape.Shape{Kind: shape.Affine}
	}
	switch {
	// Without uses, the definition's form is the cheapest.
	case sh.Uniform() && words:
		if wants == 0 {
			wants = defs
		}
		if wants&wantG != 0 || wants == 0 {
			p.gpr = g.gpr(uint8(v.Type.Bytes()))
		}
		if wants&wantV != 0 {
			p.splat = g.reg(x64.Vec, uint8(g.w))
		}
	// Bytes and half-words live in vector registers only.
	case sh.Uniform():
		p.splat = g.reg(x64.Vec, uint8(g.w))
	// Affine: a base with steps; lanes too if vector code reads them.
	case sh.Kind == shape.Affine && words && (wants|defs)&wantG != 0:
		p.affine, p.steps = true, sh.Steps()
		p.gpr = g.gpr(uint8(v.Type.Bytes()))
		if wants&wantV != 0 {
			units()
		}
	case g.rowBases != nil && g.rowBases[w]:
		p.rows, p.steps = int32(g.f.Lanes)>>sh.Tile, shape.Steps{Stride: sh.Stride, Tile: sh.Tile}
		for r := range p.rows {
			if b := g.gpr(8); r == 0 {
				p.bases = b
			}
		}
	default:
		units()
	}
}

// normals finds the webs that are f32 values and never subnormal: all definitions must
// guarantee it.
func (g *planner) normals() {
	isNot := g.isNot
	for i := range g.f.Code {
		in, ops := &g.f.Code[i], &g.s.Ops[i]
		if ops.Dst != 0 {
			g.normal[ops.Dst] = true
			// A flushed result, or a constant that is not subnormal.
			one := vrules()[in.Op].flushed
			if v, ok := g.constant1(ops.Args[0]); ok && in.Op == ir.Mov32 {
				one = normalF32(v)
			}
			isNot[ops.Dst] = isNot[ops.Dst] || !one
		}
		isNot[ops.Dst2] = true
		for _, w := range g.lists(i) {
			isNot[w] = true
		}
	}
	for w := range g.normal {
		if v, ok := g.constant1(webs.Web(w)); ok {
			g.normal[w] = normalF32(v)
			continue
		}
		g.normal[w] = g.normal[w] && !isNot[w] && g.s.Webs[w].Flags&(webs.Input|webs.Aliased) == 0
	}
}

// normalF32 reports whether v is an f32 that is not subnormal.
func normalF32(v uint64) bool { return v&expF32 != 0 || v&absF32 == 0 }

// weight estimates how often block b runs: eight times as often for each loop around
// it.
func (g *facts) weight(b int) float32 {
	w := float32(1)
	for range min(g.s.Depth[b], 6) {
		w *= 8
	}
	return w
}

// lists are the webs that operation i defines beside Dst and Dst2.
func (g *facts) lists(i int) []webs.Web {
	if x := g.s.Ops[i].Ext; x > 0 {
		return g.s.Ext[x-1].Defs
	}
	return nil
}

// undefined finds webs that are written under a mask although, on some path, they hold
// nothing before. It also finds the block at the start of which they may be declared to
// hold something: the closest one that dominates all their writes and at which no
// waiting lane needs their old value.
func (g *planner) undefined() {
	g.undef = make([][]webs.Web, len(g.f.Blocks))
	at := lir.Cleared(&g.mem.ints, len(g.s.Webs)) // by web: the block, plus 1, that dominates the writes so far
	var dom *ir.DomTree
	up := func(b int) int { return dom.Idom[b] }
	for b, blk := range g.f.Blocks {
		for i := blk.Start; i < blk.End; i++ {
			ops := &g.s.Ops[i]
			for k, w := range [2]webs.Web{ops.Dst, ops.Dst2} {
				if w == 0 || g.s.Webs[w].Flags&(webs.Input|webs.Aliased|webs.Const) != 0 {
					continue
				}
				// All lanes are written, so nothing is read from before.
				if !g.mk.NeedMask(i) && !ops.Merge && (k == 0 || !ops.Merge2) && at[w] == 0 {
					continue
				}
				if dom == nil {
					dom = ir.Dominators(len(g.f.Blocks), 0, g.f.Successors)
				}
				// Move up the dominator tree to a block that dominates all writes.
				d := b
				if at[w] > 0 {
					d = int(at[w]) - 1
				}
				for d > 0 && d != b && !dom.Dominates(d, b) {
					d = up(d)
				}
				at[w] = int32(max(d, 0)) + 1
			}
		}
	}
	for w, d := range at {
		if d == 0 {
			continue
		}
		// And further up, to a block at which no lane needs an old value.
		b := int(d) - 1
		for b > 0 && g.waitedFor(b, webs.Web(w)) {
			b = up(b)
		}
		g.undef[max(b, 0)] = append(g.undef[max(b, 0)], webs.Web(w))
	}
}

// waitedFor reports whether web w may hold a value at the start of block b, for the
// lanes there or for waiting lanes.
func (g *planner) waitedFor(b int, w webs.Web) bool {
	has := func(list []webs.Web) bool { return slices.Contains(list, w) }
	if has(g.s.LiveIn[b]) {
		return true
	}
	for _, p := range g.mk.Pend(b) {
		if has(g.s.LiveIn[p]) {
			return true
		}
	}
	for _, p := range g.mk.Parked(b) {
		if has(g.s.LiveOut[p]) {
			return true
		}
	}
	return false
}

// begin declares that the webs of g.undef hold something from block b on.
func (g *emitter) begin(b int) {
	for _, w := range g.undef[b] {
		g.hold(w)
	}
}

// hold declares that all registers of web w are defined here, with arbitrary contents.
func (g *emitter) hold(w webs.Web) {
	for r := range g.places[w].registers {
		g.emit(x64.Inst{Op: x64.UNDEF, Dst: r})
	}
}
