package webs

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// This file finds the writes under EXEC that need not keep the old value.
//
// Input: a function with EXEC (GCN3 ISA 3.3), where every write of a vector register is
// guarded and keeps the values of inactive lanes.
// Output: free, by instruction: no operation reads the lanes outside the guard, so the write
// begins a new web.
// Invariant: symbols form a tree of sets: each symbol is a subset of its parent. A free
// write's guard contains every lane in which the register may still be read.
// Example: s[4:5] = EXEC; EXEC &= VCC; v1 = …; v2 = v1 + 1; EXEC = s[4:5]; read v2. v1 is
// read only under the smaller EXEC, so its write is free. v2 is read in all lanes of s[4:5],
// so its write merges.
//
// The forward part follows masks symbolically. A symbol is the set of lanes that an
// instruction, or the start of a block, gives to a pair of scalar registers. Its parent is
// the smallest known set that contains it; the root is the set of all lanes. The backward
// part computes for each vector register the set of lanes in which it may still be read, as a
// symbol of the tree.

// A symbol is the number of a set of lanes.
type symbol = int32

const (
	noLane   symbol = 0  // the empty set
	allLanes symbol = 1  // all lanes
	unset    symbol = -1 // of a place in a block that was not reached yet
	// unknown is the content of a place of which no set is known. It is no set itself, but it
	// is contained in allLanes.
	unknown symbol = -2
)

// The limits of the analysis. Beyond them it returns no result.
const (
	maxRounds = 24      // iterations over all blocks
	maxStates = 1 << 21 // registers times blocks
	maxDepth  = 64      // steps from a symbol towards the root
)

// laneSets is the state of the analysis. A place is a pair of scalar registers that may hold a mask.
type laneSets struct {
	b *builder
	f *ir.Func
	m *Scratch
	symbolTree
	placeTable

	byInst  []symbol    // by instruction: the symbol that it creates
	phis    []symbol    // by block and place: the symbol that begins there, as a phi of SSA form; 0: none
	wanted  []bool      // by block and place: the predecessors end with different sets; nil: no place is like that
	first   symbol      // EXEC at the start
	grown   bool        // a parent or a place has changed, so another iteration is needed
	loops   bool        // if false, one iteration over the blocks is enough
	current int         // the block in hand
	dom     *ir.DomTree // computed when it is first needed

	in, out []symbol // by block and place: the sets at its start and end
	state   []symbol // by place: the sets at the instruction in hand
	temp    []symbol // by Value: the set that a temporary holds
	tempAt  []int32  // by Value: 1 + the block to which temp belongs

	guard []symbol // by instruction: the set of its guard
	other []symbol // by instruction: the lanes of its vector arguments that it reads, if fewer than all

	laterReads
	free []bool
}

// symbolTree is the tree of symbols.
type symbolTree struct {
	parent []symbol
	less   []symbol // by symbol: the set that its parent contains in addition, if it is exactly parent &^ less; else empty
	madeIn []int32  // by symbol: the block that creates it
	mark   []int32  // by symbol: the last call of common that visited it
	marks  int32
}

// placeTable numbers the places.
type placeTable struct {
	pairOf []int32   // by Value: 1 + its place
	at     [][]int32 // by variable: the places to which it belongs
	places int       // the number of places
}

// laterReads is the state of the backward part.
type laterReads struct {
	phiOf []int32  // by symbol: the index in phis where it begins; -1: nowhere
	sets  []symbol // by variable: the lanes that may be read after the instruction in hand
	seen  []int32  // by variable: the last visit of a block that met it
	mark1 int32
	temps []varID // the temporaries that this visit has met
}

// findFree returns the instructions that are free, by instruction; nil if the analysis gives up.
func (b *builder) findFree() []bool {
	l := &laneSets{b: b, f: b.f, m: b.m, loops: slices.ContainsFunc(b.fn.Depth, func(n uint8) bool { return n > 0 })}
	l.findPlaces()
	if !l.forward() {
		return nil
	}
	// Only the first forward pass shows where different sets meet. In that pass, sets derived
	// from one of them may have got parents that are too large. The second pass begins these
	// places with a phi at once.
	if l.wanted = l.joins(); l.wanted != nil && !l.forward() {
		l.wanted = nil
		if !l.forward() {
			return nil
		}
	}
	l.phiOf = b.m.ints.take(len(l.parent))
	for s := range l.phiOf {
		l.phiOf[s] = -1
	}
	for k, s := range l.phis {
		if s != noLane {
			l.phiOf[s] = int32(k)
		}
	}
	return l.backward()
}

// findPlaces numbers the pairs of scalar registers that may hold masks.
func (l *laneSets) findPlaces() {
	v := l.b.vars
	l.pairOf = l.m.ints.take(len(l.f.Values))
	l.at = l.m.edges.take(int(v.n))
	seen := l.m.ints.take(int(v.n) * (maxPieces + 1)) // the place, by first variable and number of variables
	for r := 1; r < len(l.f.Values); r++ {
		x := &l.f.Values[r]
		if x.Kind != ir.Guest || !isMask(x) {
			continue
		}
		number := &seen[v.first[r]*(maxPieces+1)+int32(v.count[r])]
		if *number == 0 {
			l.places++
			*number = int32(l.places)
			for x := v.first[r]; x < v.first[r]+int32(v.count[r]); x++ {
				if l.at[x] == nil {
					l.at[x] = l.m.ints.take(4)[:0]
				}
				l.at[x] = append(l.at[x], int32(l.places-1))
			}
		}
		l.pairOf[r] = *number
	}
	n := len(l.f.Code)
	l.byInst, l.guard, l.other = l.m.ints.take(n), l.m.ints.take(n), l.m.ints.take(n)
	l.temp, l.tempAt = l.m.ints.take(len(l.f.Values)), l.m.ints.take(len(l.f.Values))
}

// isMask reports whether a value is a mask of 64 lanes, or a scalar that may be one.
func isMask(v *ir.Value) bool {
	return v.Type == ir.B1 && !v.Scalar || v.Type == ir.B64 && v.Scalar
}

// joins returns the places at which the predecessors of a block end with different sets,
// apart from the phi of that place itself.
func (l *laneSets) joins() (list []bool) {
	for k, phi := range l.phis {
		if phi == noLane {
			continue
		}
		one := unset
		for _, q := range l.b.fn.Preds[k/l.places] {
			x := l.out[int(q)*l.places+k%l.places]
			if x == unset || x == phi {
				continue
			}
			if one != unset && x != one {
				if list == nil {
					list = make([]bool, len(l.phis))
				}
				list[k] = true
			}
			one = x
		}
	}
	return list
}

// maxStates and maxRounds are the limits, or those of a test.
func (l *laneSets) maxStates() int { return l.b.fn.Geom.Limit(LaneStates, maxStates, 40) }
func (l *laneSets) maxRounds() int { return l.b.fn.Geom.Limit(LaneRounds, maxRounds, 1) }

// forward computes the symbols of all places, by iteration over the blocks until no parent
// changes. It returns false if a limit is reached.
func (l *laneSets) forward() bool {
	n := len(l.f.Blocks)
	if n*l.places > l.maxStates() {
		return false
	}
	// Symbols 0 and 1 exist from the start: the empty set and the root.
	l.parent, l.less, l.madeIn = append(l.m.symbols[:0], 0, 0), append(l.m.less[:0], 0, 0), append(l.m.madeIn[:0], 0, 0)
	l.phis, l.first = l.m.ints.take(n*l.places), 0
	clear(l.byInst)
	clear(l.tempAt)
	all := l.m.ints.take(2 * n * l.places)
	for i := range all {
		all[i] = unset
	}
	l.in, l.out = all[:n*l.places], all[n*l.places:]
	for range l.maxRounds() {
		l.grown = false
		// Blocks come in layout order, so that only edges of loops lead to a block that is
		// already done.
		for b := range n {
			if l.enter(b) {
				l.block(b)
			}
		}
		if !l.grown || !l.loops {
			l.m.symbols, l.m.less, l.m.madeIn = l.parent, l.less, l.madeIn
			return true
		}
	}
	return false
}

// enter joins the sets of the predecessors at the start of block b. It reports false if no
// predecessor has been reached yet.
func (l *laneSets) enter(b int) bool {
	in := l.in[b*l.places : (b+1)*l.places]
	if b == 0 {
		for p := range in {
			in[p] = unknown
		}
		// EXEC at the start is a symbol of its own, so that later sets can be compared with it.
		if e := l.pairOf[l.f.Exec]; e != 0 && len(l.b.fn.Preds[0]) == 0 {
			if l.first == 0 {
				l.first = l.newSymbol(allLanes, 0)
			}
			in[e-1] = l.first
		}
		return true
	}
	reached := false
	for p := range in {
		v, same := unset, true
		for _, q := range l.b.fn.Preds[b] {
			// A predecessor that was not reached yet, by the edge of a loop, is ignored in
			// this round.
			switch x := l.out[int(q)*l.places+p]; {
			case x == unset:
			case v == unset:
				v, reached = x, true
			case v != x:
				same = false
			}
		}
		if v == unset {
			return false
		}
		k := b*l.places + p
		// All predecessors agree, and no phi was made here before: the place keeps their set.
		phi := l.phis[k]
		if same && phi == 0 && (v == noLane || l.wanted == nil || !l.wanted[k]) {
			l.set(&in[p], v)
			continue
		}
		// The parent of a phi contains the sets of all predecessors. The phi's own set, which
		// comes back along the edge of a loop, adds nothing.
		above := noLane
		for _, q := range l.b.fn.Preds[b] {
			if x := l.out[int(q)*l.places+p]; x != unset && (x != phi || phi == 0) {
				above = l.common(above, l.without(x, phi))
			}
		}
		above = l.before(above, b)
		if phi == 0 {
			phi = l.newSymbol(above, b)
			l.phis[k] = phi
		} else {
			l.raise(phi, above)
		}
		l.set(&in[p], phi)
	}
	return reached || l.places == 0
}

// before returns the smallest ancestor of s that exists on every path to block b. It is
// needed because the empty set joined with s gives s, and s may be made in a loop that begins
// at b.
func (l *laneSets) before(s symbol, b int) symbol {
	for s > allLanes {
		if l.dom == nil {
			l.dom = ir.Dominators(len(l.f.Blocks), 0, l.f.Successors)
		}
		if d := int(l.madeIn[s]); d != b && l.dom.Dominates(d, b) {
			return s
		}
		s = l.parent[s]
	}
	return s
}

// without returns x, or the parent of phi if x is a subset of phi. If a loop shrinks the set
// with which it began, the result is still a subset of everything that contained the first
// set.
func (l *laneSets) without(x, phi symbol) symbol {
	if phi != 0 && l.within(x, phi) {
		return l.parent[phi]
	}
	return x
}

// set changes a place, and notes whether that changed it.
func (l *laneSets) set(at *symbol, v symbol) {
	if *at != v {
		*at, l.grown = v, true
	}
}

// newSymbol creates a symbol in block b.
func (l *laneSets) newSymbol(parent symbol, b int) symbol {
	l.madeIn = append(l.madeIn, int32(b))
	l.parent = append(l.parent, parent)
	l.less = append(l.less, noLane)
	l.grown = true
	return symbol(len(l.parent) - 1)
}

// raise enlarges the parent of a symbol so that it contains another set, too.
func (l *laneSets) raise(s, above symbol) {
	if p := l.common(l.parent[s], above); p != l.parent[s] {
		l.parent[s], l.grown = p, true
	}
}

// within reports whether a is known to be a subset of b.
func (l *laneSets) within(a, b symbol) bool {
	if a == noLane || b == allLanes {
		return true
	}
	if a < 0 || b < 0 {
		return false
	}
	for range maxDepth {
		if a == b {
			return true
		}
		if a <= allLanes {
			return false
		}
		a = l.parent[a]
	}
	return false
}

// common returns the smallest set of the tree that contains both: their lowest common ancestor.
func (l *laneSets) common(a, b symbol) symbol {
	switch {
	case a == noLane || a == b:
		return bound(b)
	case b == noLane:
		return bound(a)
	case a == allLanes || b == allLanes || a < 0 || b < 0:
		return allLanes
	}
	// Mark the path from a to the root; the first marked symbol on the path from b is the
	// result.
	for len(l.mark) < len(l.parent) {
		l.mark = append(l.mark, 0)
	}
	l.marks++
	x := a
	for n := 0; n < maxDepth && x > allLanes; n++ {
		l.mark[x] = l.marks
		x = l.parent[x]
	}
	for n := 0; n < maxDepth && b > allLanes; n++ {
		if l.mark[b] == l.marks {
			return b
		}
		b = l.parent[b]
	}
	return allLanes
}

// block applies the instructions of a block to the places, from l.in to l.out.
func (l *laneSets) block(b int) {
	l.state = append(l.state[:0], l.in[b*l.places:(b+1)*l.places]...)
	state := l.state
	blk := l.f.Blocks[b]
	l.current = b
	// A write of any variable makes the sets of all places unknown that contain the variable.
	kill := func(r ir.Ref) {
		if r == 0 {
			return
		}
		for k := range int32(l.b.vars.count[r]) {
			for _, p := range l.at[l.b.vars.first[r]+k] {
				state[p] = unknown
			}
		}
	}
	get := func(r ir.Ref) symbol { return l.get(r, b, state) }
	for i := blk.Start; i < blk.End; i++ {
		in := &l.f.Code[i]
		l.guard[i] = unknown
		if in.Guard != 0 && !in.GuardNot {
			l.guard[i] = get(in.Guard)
		}
		if in.Op == ir.Observe {
			l.guard[i] = get(l.f.Exec) // only the addresses of active lanes matter
		}
		l.other[i] = allLanes
		// The result is computed before the destination is killed, because the instruction
		// may read it.
		v := unknown
		if d := in.Dst; d != 0 && isMask(&l.f.Values[d]) {
			v = l.result(i, in, get)
		}
		if in.Op == ir.DPPRead {
			l.other[i] = bound(get(in.Args[1]))
		}
		if hasExt(in) {
			l.b.uses, l.b.defs = extRefs(l.f, in, true, l.b.uses[:0], l.b.defs[:0])
			for _, r := range l.b.defs {
				kill(r)
			}
		}
		kill(in.Dst2)
		if d := in.Dst; d != 0 {
			kill(d)
			switch {
			case l.pairOf[d] != 0:
				state[l.pairOf[d]-1] = v
			case l.f.Values[d].Kind == ir.Temp:
				l.temp[d], l.tempAt[d] = v, int32(b)+1
			}
		}
	}
	for p, s := range state {
		l.set(&l.out[b*l.places+p], s)
	}
}

// get returns the set that a value holds.
func (l *laneSets) get(r ir.Ref, b int, state []symbol) symbol {
	v := &l.f.Values[r]
	switch {
	case r == 0:
	case v.Kind == ir.Const && v.Const == 0:
		return noLane
	case v.Kind == ir.Const && (v.Type == ir.B1 || v.Const == ^uint64(0)):
		return allLanes
	case l.pairOf[r] != 0:
		return state[l.pairOf[r]-1]
	case v.Kind == ir.Temp && l.tempAt[r] == int32(b)+1 && isMask(v):
		return l.temp[r]
	}
	return unknown
}

// result returns the set that an instruction computes: moves copy a set; and, andn, xor and
// or make a subset of one argument or of the common ancestor, unless one argument contains
// the other.
func (l *laneSets) result(i int, in *ir.Inst, get func(ir.Ref) symbol) symbol {
	if roleOf(l.f, in).guard {
		return unknown
	}
	switch in.Op {
	case ir.Mov64, ir.MovB1:
		return get(in.Args[0])
	case ir.DPPMask:
		return l.subset(i, get(in.Args[0]), noLane)
	}
	x, y := get(in.Args[0]), get(in.Args[1])
	switch in.Op {
	case ir.And64, ir.AndP:
		// An and ignores the lanes of one argument that the other argument lacks.
		if x == unknown {
			l.other[i] = bound(y)
		} else if y == unknown {
			l.other[i] = bound(x)
		}
		switch {
		case l.byInst[i] != 0:
		case l.within(x, y):
			return x
		case l.within(y, x):
			return y
		}
		if x == unknown || y == get(l.f.Exec) { // it is a subset of both; EXEC is the more useful parent
			x = y
		}
		return l.subset(i, bound(x), noLane)
	case ir.AndN64:
		if x != y && l.within(y, x) {
			return l.subset(i, x, y)
		}
		return l.subset(i, bound(x), noLane)
	case ir.Xor64, ir.XorP:
		switch {
		case x != y && l.within(y, x):
			return l.subset(i, x, y)
		case x != y && l.within(x, y):
			return l.subset(i, y, x)
		}
		return l.subset(i, l.common(x, y), noLane)
	case ir.Or64, ir.OrP:
		switch {
		case l.byInst[i] != 0:
		case l.within(x, y):
			return y
		case l.within(y, x):
			return x
		// (p &^ x) | x is p again: compilers restore EXEC like that at the end of an else
		// branch.
		case y > allLanes && l.less[y] == x && x > allLanes:
			return l.parent[y]
		case x > allLanes && l.less[x] == y && y > allLanes:
			return l.parent[x]
		}
		return l.subset(i, l.common(x, y), noLane)
	}
	return unknown
}

// bound returns a set of the tree that contains s.
func bound(s symbol) symbol {
	if s < 0 {
		return allLanes
	}
	return s
}

// subset returns the symbol of instruction i: a subset of above. If less is not 0, it is
// exactly above without less; the first contradiction to that clears less.
func (l *laneSets) subset(i int, above, less symbol) symbol {
	s := l.byInst[i]
	if s == 0 {
		if above == noLane {
			return noLane
		}
		s = l.newSymbol(above, l.current)
		l.byInst[i] = s
		l.less[s] = less
		return s
	}
	l.raise(s, above)
	if l.less[s] != noLane && (l.less[s] != less || l.parent[s] != above) {
		l.less[s], l.grown = noLane, true
	}
	return s
}

// backward computes the lanes in which each vector register may still be read, and from them
// the free writes.
func (l *laneSets) backward() []bool {
	f, v := l.f, l.b.vars
	n := len(f.Blocks)
	// Guest registers that are followed have a number; temporaries are followed inside a block.
	followed := l.m.ints.take(len(f.Values))[:0]
	for r := 1; r < len(f.Values); r++ {
		x := &f.Values[r]
		if x.Kind == ir.Guest && !x.Scalar && x.Type != ir.B1 && v.count[r] == 1 && !v.pinned[r] && v.region[r] == 0 {
			followed = append(followed, v.first[r])
		}
	}
	if n*len(followed) > l.maxStates() {
		return nil
	}
	l.free = l.m.bools.take(len(f.Code))
	l.sets = l.m.ints.take(int(v.n))
	l.seen = l.m.ints.take(int(v.n))
	live := l.m.ints.take(n * len(followed))
	// row(b) holds, for each followed register, the lanes that may be read from the start of
	// block b on.
	row := func(b int) []symbol { return live[b*len(followed) : (b+1)*len(followed)] }
	for range l.maxRounds() {
		changed := false
		for b := n - 1; b >= 0; b-- {
			for k, x := range followed {
				set := noLane
				for _, s := range l.b.fn.Succs[b] {
					set = l.common(set, l.leave(row(int(s))[k], b, int(s)))
				}
				l.sets[x] = set
			}
			l.blockBack(b, followed)
			for k, x := range followed {
				// The row keeps the union of all rounds.
				if old := row(b)[k]; old != l.sets[x] {
					// The sets only grow, so the iteration ends.
					if s := l.common(old, l.sets[x]); s != old {
						row(b)[k], changed = s, true
					}
				}
			}
		}
		if !changed || !l.loops {
			return l.free
		}
	}
	return nil
}

// leave translates a set at the start of block s to the end of its predecessor b: a phi of s
// is there the set that its place holds.
func (l *laneSets) leave(set symbol, b, s int) symbol {
	if set <= allLanes {
		return set
	}
	p := int(l.phiOf[set])
	if p < 0 || p/l.places != s {
		return set
	}
	out := l.out[b*l.places+p%l.places]
	if out == unset {
		return allLanes
	}
	return bound(out)
}

// follows reports whether the lanes of a value are followed.
func (l *laneSets) follows(r ir.Ref) bool {
	if r == 0 {
		return false
	}
	x := &l.f.Values[r]
	v := l.b.vars
	return !x.Scalar && !v.pinned[r] && (x.Kind == ir.Temp || x.Kind == ir.Guest && x.Type != ir.B1 && v.count[r] == 1 && v.region[r] == 0)
}

// blockBack visits the instructions of a block from the last to the first.
func (l *laneSets) blockBack(b int, followed []varID) {
	f, v := l.f, l.b.vars
	blk := f.Blocks[b]
	l.mark1++
	l.temps = l.temps[:0]
	// at returns the entry of a value in sets. A temporary that lives on into other blocks
	// may be read there in all lanes.
	at := func(r ir.Ref) *symbol {
		x := v.first[r]
		if !v.guest[x] && l.seen[x] != l.mark1 {
			l.seen[x] = l.mark1
			l.temps = append(l.temps, x)
			l.sets[x] = noLane
			// It is live across blocks.
			if l.b.dense[x] != 0 {
				l.sets[x] = allLanes
			}
		}
		return &l.sets[x]
	}
	for i := blk.End - 1; i >= blk.Start; i-- {
		in := &f.Code[i]
		if s := l.byInst[i]; s != 0 {
			// The symbol does not exist before this instruction, but its parent does.
			for _, x := range followed {
				if l.sets[x] == s {
					l.sets[x] = l.parent[s]
				}
			}
			for _, x := range l.temps {
				if l.sets[x] == s {
					l.sets[x] = l.parent[s]
				}
			}
		}
		role := roleOf(f, in)
		guard := allLanes
		if role.guard {
			guard = bound(l.guard[i])
		}
		reads := guard
		if l.other[i] >= 0 && l.other[i] != allLanes {
			reads = l.other[i]
		}
		if l.follows(in.Dst) {
			d := at(in.Dst)
			left := *d
			pure := in.Op.Pure() || in.Op == ir.Splat
			switch {
			// The write covers all lanes, so no earlier value is read here.
			case !role.merge1:
				*d = noLane
			// All lanes that may be read later are written: the old value is dead.
			case role.guard && in.Op != ir.DSPermute && in.Op != ir.WriteLane && l.within(left, l.guard[i]):
				*d = noLane
				l.free[i] = true
			default:
				l.free[i] = false
			}
			if pure && l.within(left, reads) {
				reads = left // a pure result is computed only for the lanes that are read
			}
		}
		// Second results are masks and carries; their writes are never made free.
		if l.follows(in.Dst2) && !role.merge2 {
			*at(in.Dst2) = noLane
		}
		for k, a := range in.Args {
			if !l.follows(a) {
				continue
			}
			s := reads
			switch in.Op {
			// These read lanes by number, also inactive ones.
			case ir.ReadLane, ir.ReadFirstLane, ir.WriteLane:
				s = allLanes
			case ir.DPPRead:
				if k > 0 {
					s = allLanes
				}
			}
			*at(a) = l.common(*at(a), s)
		}
		if hasExt(in) {
			l.b.uses, l.b.defs = extRefs(f, in, role.guard, l.b.uses[:0], l.b.defs[:0])
			for _, r := range l.b.uses {
				switch {
				case !l.follows(r):
				case in.Op == ir.Observe:
					*at(r) = l.common(*at(r), bound(l.guard[i]))
				default:
					*at(r) = allLanes
				}
			}
		}
	}
}
