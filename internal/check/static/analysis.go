package static

import (
	"context"
	"math/bits"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// A world is what is taken for granted of the waves that an analysis is about.
type world struct {
	lanes lane.Mask // the lanes that there are
	tid   [3]value
	ntid  [3]value
	// assumed says that not all launches have such waves: blocks are rows of whole warps.
	assumed bool
	// single says that it is one wave of each block, whose number is wave, and partial
	// that it is the last one, which may have fewer lanes.
	single, partial bool
	wave            int
	// likely says that warnings are about such waves.
	likely bool
}

// maxWork limits the instructions that an analysis looks at, again and again in loops.
const maxWork = 60 << 20

// maxChanges is how often a value may change before it counts as unknown.
const maxChanges = 8

// analysis finds what is known of all values of a function in one world.
type analysis struct {
	g    *graph
	s    *ssa
	w    world
	eval evaluators
	vars []Var // see Options

	vals    []value // by id
	changes []uint8
	may     []lane.Mask   // by block: the lanes that may get there
	out     [][]lane.Mask // by block and successor: the lanes that may go that way
	must    []lane.Mask   // by block: the lanes that do get there if any lane does

	d       *divergence
	changed bool
	work    int
	gaveUp  bool
}

func analyse(ctx context.Context, g *graph, s *ssa, w world, eval evaluators, vars []Var) *analysis {
	n := len(g.f.Blocks)
	a := &analysis{g: g, s: s, w: w, eval: eval, vars: vars, may: make([]lane.Mask, n), out: make([][]lane.Mask, n), must: make([]lane.Mask, n)}
	a.vals = make([]value, int(s.firstPhi)+len(s.phis))
	a.changes = make([]uint8, len(a.vals))
	a.d = newDivergence(g)
	for b := range a.out {
		a.out[b] = make([]lane.Mask, len(g.succ[b]))
	}
	a.vals[idUndef], a.vals[idTop] = anything, anything
	for r := range g.f.Values {
		v := &g.f.Values[r]
		switch {
		case v.Kind == ir.Const:
			a.vals[idFirst+id(r)] = constant(v.Const)
		case s.input[r]:
			a.vals[idFirst+id(r)] = anything
		}
	}
	for _, in := range g.f.Inputs {
		a.vals[idFirst+id(in.Dst)] = a.input(in)
	}
	a.may[0] = w.lanes
	for a.changed = true; a.changed && !a.gaveUp; {
		a.changed = false
		if ctx.Err() != nil {
			break
		}
		for _, b := range g.order {
			if a.may[b] != 0 {
				a.blockStep(b)
			}
		}
		// Without loops everything was known when it was needed.
		a.changed = a.changed && g.loops
	}
	if !a.gaveUp {
		a.arrivals()
	}
	return a
}

// input is what a launch puts into a value.
func (a *analysis) input(in ir.Input) value {
	switch in.Kind {
	case ir.InConst:
		return constant(in.Imm)
	case ir.ThreadIDX, ir.ThreadIDY, ir.ThreadIDZ:
		return a.w.tid[in.Kind-ir.ThreadIDX]
	case ir.BlockDimX, ir.BlockDimY, ir.BlockDimZ:
		return a.w.ntid[in.Kind-ir.BlockDimX]
	case ir.LaneID:
		return vector(laneIDs())
	case ir.ActiveMask0:
		return anything
	case ir.WaveID:
		if a.w.single {
			return constant(uint64(a.w.wave))
		}
	}
	if in.Kind == ir.LaunchValue && in.Imm < uint64(len(a.vars)) {
		return value{kind: shared, align: uint8(bits.TrailingZeros64(max(a.vars[in.Imm].Align, 1)))}
	}
	if a.g.f.Val(in.Dst).Scalar || in.Kind > ir.ActiveMask0 {
		return uniform
	}
	switch in.Kind {
	case ir.BlockIDX, ir.BlockIDY, ir.BlockIDZ, ir.GridDimX, ir.GridDimY, ir.GridDimZ, ir.WaveID, ir.WaveCount:
		return uniform
	}
	return anything
}

func laneIDs() (v [32]uint64) {
	for l := range v {
		v[l] = uint64(l)
	}
	return v
}

// set gives a value its next approximation.
func (a *analysis) set(d id, v value) {
	v = v.plain()
	if old := &a.vals[d]; old.equal(&v) || old.kind == top && (old.varies || !v.varies) {
		return
	}
	if a.changes[d]++; a.changes[d] > maxChanges || a.vals[d].kind == top {
		v = either(v.varies)
	}
	a.vals[d] = v
	a.changed = true
}

// use is what a definition holds where block b reads it. Behind a loop that lanes leave
// at different times, the same in all lanes is not the same any more.
func (a *analysis) use(d id, b int32) value {
	v := a.vals[d]
	if v.kind == shared {
		if from := a.s.blockOf(d); from >= 0 && a.d.loop[from] != a.d.loop[b] && a.d.loop[from] != 0 {
			return varying
		}
	}
	return v
}

func (a *analysis) operand(i, k int) value {
	return a.use(a.s.ops[i*opCount+k], a.s.block[i])
}

func (a *analysis) blockStep(b int32) {
	f := a.g.f
	for _, k := range a.s.phisOf[b] {
		if p := &a.s.phis[k]; p.root == a.s.firstPhi+k {
			a.work += len(p.ops)
			a.set(p.root, a.phiValue(p))
		}
	}
	bl := f.Blocks[b]
	a.work += bl.End - bl.Start + len(a.s.phisOf[b])
	if a.work > maxWork {
		a.gaveUp = true
		return
	}
	for i := bl.Start; i < bl.End; i++ {
		in := &f.Code[i]
		if in.Dst != 0 || in.Dst2 != 0 {
			a.inst(i, in)
		}
	}
	a.leave(b)
}

// phiValue joins what comes over the edges that lanes may take.
func (a *analysis) phiValue(p *phi) value {
	preds := a.g.pred[p.block]
	var by [32]uint64
	var seen lane.Mask
	exact := true
	joined := value{}
	t := a.g.f.Val(p.ref).Type
	only, several := id(-1), false
	for i, o := range p.ops {
		lanes := a.w.lanes // of the entry
		if i < len(preds) {
			lanes = a.out[preds[i].from][preds[i].i]
		}
		if lanes == 0 {
			continue
		}
		v := a.use(o, p.block)
		if v.kind == bottom {
			continue
		}
		if only >= 0 && only != o {
			several = true
		}
		only = o
		joined = join(joined, v, t)
		if exact = exact && v.kind == known; !exact {
			continue
		}
		for l := range lanes.Lanes() {
			x := v.at(l)
			if seen.Has(l) && by[l&31] != x {
				exact = false
				break
			}
			by[l&31] = x
			seen |= lane.Lane(l)
		}
	}
	if exact && seen != 0 {
		for l := range by {
			if !seen.Has(l) {
				by[l] = by[seen.First()]
			}
		}
		return vector(by)
	}
	if several && a.d.join[p.block] && joined.kind == shared {
		return either(a.d.evident[p.block]) // lanes come from different sides
	}
	return joined
}

// inst computes what an instruction writes.
func (a *analysis) inst(i int, in *ir.Inst) {
	v, v2 := anything, anything
	switch {
	case in.Op.Pure():
		n := len(ir.Ops[in.Op].Args)
		var args [4]value
		for k := range n {
			args[k] = a.operand(i, k)
		}
		v = a.pure(in.Op, args[:n])
	case in.Op == ir.Splat || in.Op == ir.LaneBit:
		v = a.operand(i, 0)
	case in.Op == ir.Load:
		addr := a.operand(i, 0)
		if addr.kind == bottom {
			v = value{}
		} else if addr.alike() && in.Flags&ir.Volatile == 0 && in.Space != ir.Local && in.Space != ir.Generic {
			v = uniform
		} else if in.Space != ir.Local && addr.differs() {
			v = varying
		}
	case in.Op == ir.Atomic:
		v = varying
	default:
		v, v2 = a.cross(i, in)
	}
	if in.Dst != 0 {
		if in.Guard != 0 && a.g.f.Val(in.Dst).Kind == ir.Guest {
			v = a.guarded(i, in, v)
		}
		a.set(a.s.result(i, 0), v)
	}
	if in.Dst2 != 0 {
		if in.Guard != 0 {
			v2 = anything
		}
		a.set(a.s.result(i, 1), v2)
	}
}

// guarded is what a register holds after a guarded write.
func (a *analysis) guarded(i int, in *ir.Inst, v value) value {
	g, old := a.operand(i, opGuard), a.operand(i, opOld)
	if g.kind == bottom || v.kind == bottom {
		return value{}
	}
	if in.GuardNot {
		v, old = old, v
	}
	if old.kind == bottom || v.kind == bottom {
		return value{}
	}
	r, _ := choose(g, v, old, a.g.f.Val(in.Dst).Type)
	if r.kind == top {
		return either(g.differs() || v.differs() || old.differs())
	}
	return r
}

// cross is what is known of the results of an operation across lanes.
func (a *analysis) cross(i int, in *ir.Inst) (v, v2 value) {
	v, v2 = anything, anything
	switch in.Op {
	case ir.VoteSync, ir.ReduxSync, ir.ElectSync, ir.MatchSync:
		m := a.operand(i, 3)
		if m.kind == bottom {
			return value{}, value{}
		}
		if !m.alike() {
			return
		}
		// The lanes that meet get the same.
		v, v2 = uniform, uniform
		if in.Op == ir.MatchSync && ir.MatchMode(in.Imm) == ir.MatchAny {
			v = anything
		}
		if in.Op == ir.ElectSync {
			v2 = anything
		}
	case ir.Bar:
		// What a barrier finds out of all is the same for all.
		v, v2 = uniform, uniform
	case ir.ShflSync:
		b, c, m := a.operand(i, 1), a.operand(i, 2), a.operand(i, 3)
		if b.kind == bottom || c.kind == bottom || m.kind == bottom {
			return value{}, value{}
		}
		mode := lane.ShflMode(in.Imm)
		if moved, ok := a.moved(i, mode, b, c, m); ok {
			v = moved
		}
		if b.kind == known && c.kind == known {
			var p [32]uint64
			for l := range p {
				_, in := lane.ShflSource(mode, l, uint32(b.at(l)), uint32(c.at(l)))
				p[l] = bit(in)
			}
			v2 = vector(p)
		}
		// idx over the whole wave from one lane: a broadcast.
		if v.kind != top {
			break
		}
		if k, ok := c.constant(); ok && k>>8&31 == 0 && k&31 == 31 && mode == lane.ShflIdx && b.alike() && m.alike() {
			v = uniform
			// Lanes that the mask does not name get anything, and anything is read of them.
			if members, ok := m.constant(); ok {
				from, ok := b.constant()
				here := a.may[a.s.block[i]]
				if here&^lane.Mask(members) != 0 || ok && !(here&lane.Mask(members)).Has(int(from&31)) {
					v = anything
				}
			}
		}
	}
	return v, v2
}

// moved is what a shuffle makes of a value of which something is known: lanes that all
// execute it get what their sources hold, and what all of these have in common stays so.
func (a *analysis) moved(i int, mode lane.ShflMode, b, c, m value) (v value, ok bool) {
	v = a.operand(i, 0)
	members, ok := m.constant()
	if !ok || v.kind == top || b.kind != known || c.kind != known {
		return v, false
	}
	if v.kind == bottom {
		return v, true
	}
	at := a.s.block[i]
	here := a.may[at]
	if a.d.dark[at] || here&^lane.Mask(members) != 0 {
		return v, false // the others may meet them at another shuffle
	}
	if a.w.lanes&lane.Mask(members)&^here != 0 {
		return v, false
	}
	var out [32]uint64
	for l := range out {
		out[l] = v.at(l)
		if !here.Has(l) {
			continue
		}
		j, in := lane.ShflSource(mode, l, uint32(b.at(l)), uint32(c.at(l)))
		if in {
			if !here.Has(j) {
				return v, false
			}
			out[l] = v.at(j)
		}
	}
	if v.kind == known && here != lane.All(32) {
		for l := range out {
			if !here.Has(l) {
				out[l] = out[here.First()]
			}
		}
	}
	return v.of(out), true
}

// leave finds the lanes that may go each way at the end of a block.
func (a *analysis) leave(b int32) {
	in := a.g.last(b)
	i := a.g.f.Blocks[b].End - 1
	here := a.may[b]
	taken, others := here, here
	split := false // lanes may part
	evident := false
	switch in.Op {
	case ir.Bra, ir.BraTable, ir.Exit, ir.Trap:
		if in.Guard != 0 {
			g := a.operand(i, opGuard)
			switch g.kind {
			case bottom:
				taken, others = 0, 0
			case known:
				taken = 0
				for l := range here.Lanes() {
					if (g.at(l) != 0) != in.GuardNot {
						taken |= lane.Lane(l)
					}
				}
				others = here &^ taken
				split = taken != 0 && others != 0
				evident = true
			case top:
				split = true
				evident = g.varies
			}
			if split && in.Op != ir.Trap {
				a.diverge(b, g.kind == known, evident)
			}
		}
		if in.Op == ir.BraTable {
			if v := a.operand(i, 0); v.kind == top || v.vec != nil {
				a.diverge(b, false, v.differs())
			}
		}
	}
	last := len(a.g.succ[b]) - 1
	for k, s := range a.g.succ[b] {
		m := taken
		switch in.Op {
		case ir.Bra, ir.BraTable:
			if in.Guard != 0 && k == last {
				m = others
			}
		case ir.Exit, ir.Trap:
			m = others
		default:
			m = here
		}
		if a.out[b][k]|m != a.out[b][k] {
			a.out[b][k] |= m
			a.changed = true
		}
		if a.may[s]|m != a.may[s] {
			a.may[s] |= m
			a.changed = true
		}
	}
}

func (a *analysis) diverge(b int32, byLane, evident bool) {
	if a.d.add(b, byLane, evident) {
		a.changed = true
	}
}

// arrivals finds the lanes that get to each block if any lane of the wave does.
func (a *analysis) arrivals() {
	around := map[int32]lane.Mask{}
	for _, l := range a.d.loops {
		var stay lane.Mask
		for _, k := range l.stay {
			stay |= a.out[l.branch][k]
		}
		for _, b := range l.region {
			around[b] = stay & a.round(around, b)
		}
	}
	for _, b := range a.g.order {
		switch {
		case a.may[b] == 0 || a.d.dark[b]:
			continue
		case b == 0:
			a.must[b] = a.w.lanes & a.round(around, b)
			continue
		}
		if d := a.g.dom.Idom[b]; d >= 0 && a.g.post.Dominates(int(b), d) {
			a.must[b] = a.must[d] & a.round(around, b)
			continue
		}
		m := a.w.lanes
		for _, e := range a.g.pred[b] {
			if l := a.out[e.from][e.i]; l != 0 && a.g.rank[e.from] < a.g.rank[b] {
				m &= l & a.must[e.from]
			}
		}
		a.must[b] = m & a.round(around, b)
	}
}

// round is the lanes that come to a block in all rounds of the loops around it.
func (a *analysis) round(around map[int32]lane.Mask, b int32) lane.Mask {
	if m, ok := around[b]; ok {
		return m
	}
	return a.w.lanes
}
