package static

import (
	"context"
	"math/bits"
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// A world holds the assumptions about the waves that an analysis covers.
type world struct {
	lanes lane.Mask // the lanes that exist
	tid   [3]value
	ntid  [3]value
	// assumed reports that not all launches have these waves: blocks are rows of whole warps.
	assumed bool
	// single reports that the world is wave number wave of each block. partial reports that it is the
	// last one, which may have fewer lanes.
	single, partial bool
	wave            int
	// likely reports that warnings may be given for these waves.
	likely bool
}

// maxWork bounds the instructions that an analysis looks at. Instructions in loops count each time.
const maxWork = 60 << 20

// maxChanges is how often a value may change before it counts as unknown, which bounds the iteration.
const maxChanges = 8

// An analysis finds the values of a function and the lanes that reach its blocks, in one world.
//
// Input: the function in single-assignment form, and the world.
// Output: for each definition a value (see value.go); for each block may, the lanes that may reach it,
// and must, the lanes that reach it if any lane does; the divergence of control flow.
// Invariant: facts only change towards less knowledge (values rise, masks grow), so the iteration to a
// fixed point is finite. Only edges that lanes may take contribute to a phi.
// Example: "p = tid.x < 16; if p goto L" in the first warp: p is known in each lane, may[L] is lanes 0
// to 15, and the branch splits the wave in a known way.
// Literature: Wegman and Zadeck, Constant propagation with conditional branches (TOPLAS 1991).
type analysis struct {
	g    *graph
	s    *ssa
	w    world
	eval evaluators
	vars []Var // see Options

	vals    []value // by id
	changes []uint8
	may     []lane.Mask   // by block: the lanes that may reach it
	out     [][]lane.Mask // by block and successor: the lanes that may take this edge
	must    []lane.Mask   // by block: the lanes that reach it if any lane does

	d       *divergence
	changed bool
	work    int
	gaveUp  bool
}

// analyse runs the analysis to its fixed point. If the work exceeds maxWork, gaveUp is set and the
// result is useless.
func analyse(ctx context.Context, g *graph, s *ssa, w world, eval evaluators, vars []Var) *analysis {
	n := len(g.f.Blocks)
	a := &analysis{g: g, s: s, w: w, eval: eval, vars: vars, may: make([]lane.Mask, n), out: make([][]lane.Mask, n), must: make([]lane.Mask, n)}
	a.vals = make([]value, int(s.firstPhi)+len(s.phis))
	a.changes = make([]uint8, len(a.vals))
	a.d = newDivergence(g, s)
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
	// Only the entry is reachable at first; leave adds the blocks that lanes may reach.
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
		// Without loops reverse postorder visits every definition before its uses, so one round is
		// enough.
		a.changed = a.changed && g.loops
	}
	if !a.gaveUp {
		a.arrivals()
	}
	return a
}

// input returns the value that a launch puts into a register.
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

// laneIDs returns the lane number of each lane.
func laneIDs() (v [32]uint64) {
	for l := range v {
		v[l] = uint64(l)
	}
	return v
}

// set raises a value to its next approximation.
func (a *analysis) set(d id, v value) {
	v = v.plain()
	// A top value stays top. It only may learn that it varies.
	if old := &a.vals[d]; old.equal(&v) || old.kind == top && v.varies&^old.varies == 0 {
		return
	}
	if a.changes[d]++; a.changes[d] > maxChanges || a.vals[d].kind == top {
		v = differing(v.varies | a.vals[d].varies)
	}
	a.vals[d] = v
	a.changed = true
}

// use returns the value of a definition where block b reads it. After a loop that lanes leave in
// different iterations, a value that is equal in all lanes of each iteration is no longer equal. If it is not
// evident that they do, it may still be.
func (a *analysis) use(d id, b int32) value {
	v := a.vals[d]
	if v.kind == shared {
		if from := a.s.blockOf(d); from >= 0 && a.d.loop[from] != a.d.loop[b] && a.d.loop[from] != 0 {
			return either(a.d.sure[from] != 0 && a.d.sure[from] != a.d.sure[b])
		}
	}
	return v
}

// operand returns the value of operand k of instruction i.
func (a *analysis) operand(i, k int) value {
	return a.use(a.s.ops[i*opCount+k], a.s.block[i])
}

// blockStep computes the phis, the instructions and the outgoing lanes of a block.
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

// phiValue joins the operands of a phi over the edges that lanes may take. If every lane's operand is
// known on all of its edges, the result is known by lane.
func (a *analysis) phiValue(p *phi) value {
	preds := a.g.pred[p.block]
	var by [32]uint64
	var seen lane.Mask
	exact := true
	joined := value{}
	t := a.g.f.Val(p.ref).Type
	only, several := id(-1), false
	var sides []*value
	for i, o := range p.ops {
		lanes := a.w.lanes // at the entry
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
		sides = append(sides, &v)
		if exact = exact && v.kind == known; !exact {
			continue
		}
		for l := range lanes.Lanes() {
			x := v.at(l)
			// A lane that comes on two edges with different values is not known.
			if seen.Has(l) && by[l&31] != x {
				exact = false
				break
			}
			by[l&31] = x
			seen |= lane.Lane(l)
		}
	}
	// Lanes that come on no edge may hold any value; that of the first lane keeps the vector simple.
	if exact && seen != 0 {
		for l := range by {
			if !seen.Has(l) {
				by[l] = by[seen.First()]
			}
		}
		return vector(by)
	}
	if several && joined.kind == shared && (a.d.join[p.block] || a.mixes(p)) {
		// The lanes come from different sides.
		if a.d.evident[p.block] && !slices.ContainsFunc(sides, func(v *value) bool { return v.kind != known }) {
			return differing(spread(sides...))
		}
		return either(a.d.evident[p.block])
	}
	return joined
}

// mixes reports whether lanes that come together at a phi after one branch may bring different operands.
func (a *analysis) mixes(p *phi) bool {
	preds := a.g.pred[p.block]
	for _, m := range a.d.meets[p.block] {
		only := id(-1)
		for _, i := range m.edges {
			v := a.use(p.ops[i], p.block)
			if a.out[preds[i].from][preds[i].i] == 0 || v.kind == bottom {
				continue
			}
			if only >= 0 && only != p.ops[i] {
				return true
			}
			only = p.ops[i]
			// A value of a loop may be that of another iteration, unless it is known.
			if m.cyclic && v.kind != known && slices.Contains(m.inner, p.root-a.s.firstPhi) {
				return true
			}
		}
	}
	return false
}

// inst computes the results of an instruction.
func (a *analysis) inst(i int, in *ir.Inst) {
	v, v2 := anything, anything
	switch {
	case in.Op.Pure():
		n := len(ir.Ops[in.Op].Args)
		var args [4]value
		for k := range n {
			args[k] = a.operand(i, k)
		}
		if v = a.pure(in.Op, args[:n]); v.varies != 0 && a.roundsQuotient(i, in) {
			v = anything
		}
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

// guarded returns the value of a register after a guarded write: the new value v or the old one.
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
		return differing(chosenBits(g.differs(), &v, &old) & maskOf(a.g.f.Val(in.Dst).Type))
	}
	return r
}

// cross returns the results of a cross-lane operation, as far as they are known.
func (a *analysis) cross(i int, in *ir.Inst) (v, v2 value) {
	v, v2 = anything, anything
	switch in.Op {
	// Lanes with different masks meet in different groups, so the mask has to be equal in all lanes.
	case ir.VoteSync, ir.ReduxSync, ir.ElectSync, ir.MatchSync:
		m := a.operand(i, 3)
		if m.kind == bottom {
			return value{}, value{}
		}
		if !m.alike() {
			return
		}
		// The lanes that meet get the same result.
		v, v2 = uniform, uniform
		if in.Op == ir.MatchSync && ir.MatchMode(in.Imm) == ir.MatchAny {
			v = anything
		}
		if in.Op == ir.ElectSync {
			v2 = anything
		}
	case ir.Bar:
		// A barrier that reduces gives the same result to all lanes.
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
		// idx over the whole wave from one lane is a broadcast.
		if v.kind != top {
			break
		}
		if k, ok := c.constant(); ok && k>>8&31 == 0 && k&31 == 31 && mode == lane.ShflIdx && b.alike() && m.alike() {
			v = uniform
			// Lanes that the mask does not name get an undefined value, and so do readers of a lane
			// outside of it.
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

// moved returns the result of a shuffle whose operand is partly known. It applies if all members
// execute the shuffle: then each lane gets its source's known part, and the part that all lanes share
// stays shared.
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
	// All members that exist have to be here, and no other lane.
	here := a.may[at]
	if a.d.dark[at] || here&^lane.Mask(members) != 0 {
		return v, false // lanes that are not here may meet the members at another shuffle
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

// leave finds the lanes that may take each edge at the end of a block, and notes divergence.
func (a *analysis) leave(b int32) {
	in := a.g.last(b)
	i := a.g.f.Blocks[b].End - 1
	here := a.may[b]
	taken, others := here, here
	split := false // lanes may take different edges
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
				// The guard is known in each lane, so each lane takes exactly one way.
				others = here &^ taken
				split = taken != 0 && others != 0
				evident = true
			case top:
				split = true
				evident = g.varies != 0
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
		// Masks only grow, so the iteration ends.
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

// diverge notes that lanes may part at the end of block b; see divergence.add.
func (a *analysis) diverge(b int32, byLane, evident bool) {
	if a.d.add(b, byLane, evident) {
		a.changed = true
	}
}

// arrivals finds, for each block, the lanes that reach it if any lane of the wave does. A block that
// postdominates its dominator has the dominator's lanes. In any other block, a lane has to arrive on
// all incoming edges that lanes may take.
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
		// Every lane at d comes to b: b lies on all ways from d to the end.
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

// round returns the lanes that reach a block in all iterations of the loops around it.
func (a *analysis) round(around map[int32]lane.Mask, b int32) lane.Mask {
	if m, ok := around[b]; ok {
		return m
	}
	return a.w.lanes
}
