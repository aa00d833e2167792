package webs

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// Where EXEC switches lanes (GCN3 ISA 3.3), every write of a vector register is guarded,
// and keeps what the lanes hold that are switched off. Mostly nobody ever looks at these:
// the register is read where the same lanes run, or fewer. Then the write is as good as
// one of all lanes, and begins a web. This file finds out where that is so.
//
// Masks are followed symbolically. A symbol is the set of lanes that an instruction, or
// the start of a block, gives to a pair of scalar registers; of each a set is known that
// contains it: its parent. So the sets are a tree, with all lanes at the root. Of each
// vector register it is then found, backwards, which lanes may still be read: a set of
// the tree. A write under a mask that contains that set need not keep anything.

// A symbol is a set of lanes.
type symbol = int32

const (
	nobody   symbol = 0
	everyone symbol = 1
	unset    symbol = -1 // of places in blocks that were not reached yet
	// unknown is what a place holds of which nothing is known: not a set, but some part of
	// everyone.
	unknown symbol = -2
)

// Limits of what is followed; beyond them nothing is known.
const (
	maxRounds = 24
	maxStates = 1 << 21 // registers by blocks
	maxDepth  = 64      // of the tree
)

// laneSets is the analysis.
type laneSets struct {
	b *builder
	f *ir.Func
	m *Scratch

	parent  []symbol
	less    []symbol    // of a symbol that is its parent but for the lanes of another one: that one
	byInst  []symbol    // by instruction: the symbol that it makes
	phis    []symbol    // by block and place: the symbol that begins there; nobody: none
	wanted  []bool      // by block and place: blocks before it leave different sets; nil: none do
	first   symbol      // EXEC at the start
	grown   bool        // a parent has changed
	loops   bool        // else all is known when each block has been looked at once
	current int         // the block
	madeIn  []int32     // by symbol: the block
	dom     *ir.DomTree // made when it is needed

	pairOf  []int32   // by Value: 1 + the number of the pair of registers
	at      [][]int32 // by variable: the places that it is a part of
	places  int
	in, out []symbol // by block and place
	state   []symbol // by place: inside a block
	temp    []symbol // by Value: of temporaries
	tempAt  []int32  // by Value: 1 + the block in which that is so

	guard []symbol // by instruction: the set of its guard
	other []symbol // by instruction: the lanes of its vector arguments that it looks at, if fewer than all
	mark  []int32  // by symbol, for common
	marks int32

	phiOf []int32  // by symbol: the block and the place whose start made it, as in phis; -1: none did
	sets  []symbol // by variable: the lanes that may be read from here on
	seen  []int32  // by variable: the walk through a block that has met it
	mark1 int32
	temps []varID // that it has met
	free  []bool
}

// findFree returns the instructions of whose results nobody sees the lanes outside the
// guard; nil if nothing is known.
func (b *builder) findFree() []bool {
	l := &laneSets{b: b, f: b.f, m: b.m, loops: slices.ContainsFunc(b.fn.Depth, func(n uint8) bool { return n > 0 })}
	l.findPlaces()
	if !l.forward() {
		return nil
	}
	// What holds one set or the other is known only now, and what was made of the one alone is
	// taken for a part of too much: once more.
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
		if s != nobody {
			l.phiOf[s] = int32(k)
		}
	}
	return l.backward()
}

// findPlaces numbers the pairs of registers that may hold masks.
func (l *laneSets) findPlaces() {
	v := l.b.vars
	l.pairOf = l.m.ints.take(len(l.f.Values))
	l.at = l.m.edges.take(int(v.n))
	seen := l.m.ints.take(int(v.n) * (maxPieces + 1)) // by the first variable, and how many
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

// joins are the places that hold another set for every block before theirs.
func (l *laneSets) joins() (list []bool) {
	for k, phi := range l.phis {
		if phi == nobody {
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

func (l *laneSets) maxStates() int { return l.b.fn.Geom.Limit(LaneStates, maxStates, 40) }
func (l *laneSets) maxRounds() int { return l.b.fn.Geom.Limit(LaneRounds, maxRounds, 1) }

// forward finds the symbols of all places.
func (l *laneSets) forward() bool {
	n := len(l.f.Blocks)
	if n*l.places > l.maxStates() {
		return false
	}
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

// enter joins what comes from the blocks before one.
func (l *laneSets) enter(b int) bool {
	in := l.in[b*l.places : (b+1)*l.places]
	if b == 0 {
		for p := range in {
			in[p] = unknown
		}
		// EXEC at the start is some set: what it is later is compared with it.
		if e := l.pairOf[l.f.Exec]; e != 0 && len(l.b.fn.Preds[0]) == 0 {
			if l.first == 0 {
				l.first = l.newSymbol(everyone, 0)
			}
			in[e-1] = l.first
		}
		return true
	}
	reached := false
	for p := range in {
		v, same := unset, true
		for _, q := range l.b.fn.Preds[b] {
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
		phi := l.phis[k]
		if same && phi == 0 && (v == nobody || l.wanted == nil || !l.wanted[k]) {
			l.set(&in[p], v)
			continue
		}
		above := nobody
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

// before is the smallest set around s that was made before block b on every way there. An
// empty set that comes from one block is a part of what comes from another one, which may
// be made in a loop that begins here.
func (l *laneSets) before(s symbol, b int) symbol {
	for s > everyone {
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

// without is x, or the parent of phi if x is a part of phi: what a loop makes of a set
// that it began with is a part of what that was a part of.
func (l *laneSets) without(x, phi symbol) symbol {
	if phi != 0 && l.within(x, phi) {
		return l.parent[phi]
	}
	return x
}

func (l *laneSets) set(at *symbol, v symbol) {
	if *at != v {
		*at, l.grown = v, true
	}
}

// newSymbol makes a symbol of block b.
func (l *laneSets) newSymbol(parent symbol, b int) symbol {
	l.madeIn = append(l.madeIn, int32(b))
	l.parent = append(l.parent, parent)
	l.less = append(l.less, nobody)
	l.grown = true
	return symbol(len(l.parent) - 1)
}

// raise makes the parent of a symbol contain another set too.
func (l *laneSets) raise(s, above symbol) {
	if p := l.common(l.parent[s], above); p != l.parent[s] {
		l.parent[s], l.grown = p, true
	}
}

// within reports whether a is known to be a part of b.
func (l *laneSets) within(a, b symbol) bool {
	if a == nobody || b == everyone {
		return true
	}
	if a < 0 || b < 0 {
		return false
	}
	for range maxDepth {
		if a == b {
			return true
		}
		if a <= everyone {
			return false
		}
		a = l.parent[a]
	}
	return false
}

// common is the smallest set of the tree that contains both.
func (l *laneSets) common(a, b symbol) symbol {
	switch {
	case a == nobody || a == b:
		return bound(b)
	case b == nobody:
		return bound(a)
	case a == everyone || b == everyone || a < 0 || b < 0:
		return everyone
	}
	for len(l.mark) < len(l.parent) {
		l.mark = append(l.mark, 0)
	}
	l.marks++
	x := a
	for n := 0; n < maxDepth && x > everyone; n++ {
		l.mark[x] = l.marks
		x = l.parent[x]
	}
	for n := 0; n < maxDepth && b > everyone; n++ {
		if l.mark[b] == l.marks {
			return b
		}
		b = l.parent[b]
	}
	return everyone
}

// block goes through a block, from l.in to l.out.
func (l *laneSets) block(b int) {
	l.state = append(l.state[:0], l.in[b*l.places:(b+1)*l.places]...)
	state := l.state
	blk := l.f.Blocks[b]
	l.current = b
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
			l.guard[i] = get(l.f.Exec) // nobody else's address matters
		}
		l.other[i] = everyone
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

// get returns the set that a value is.
func (l *laneSets) get(r ir.Ref, b int, state []symbol) symbol {
	v := &l.f.Values[r]
	switch {
	case r == 0:
	case v.Kind == ir.Const && v.Const == 0:
		return nobody
	case v.Kind == ir.Const && (v.Type == ir.B1 || v.Const == ^uint64(0)):
		return everyone
	case l.pairOf[r] != 0:
		return state[l.pairOf[r]-1]
	case v.Kind == ir.Temp && l.tempAt[r] == int32(b)+1 && isMask(v):
		return l.temp[r]
	}
	return unknown
}

// result returns the set that an instruction makes.
func (l *laneSets) result(i int, in *ir.Inst, get func(ir.Ref) symbol) symbol {
	if roleOf(l.f, in).guard {
		return unknown
	}
	switch in.Op {
	case ir.Mov64, ir.MovB1:
		return get(in.Args[0])
	case ir.DPPMask:
		return l.subset(i, get(in.Args[0]), nobody)
	}
	x, y := get(in.Args[0]), get(in.Args[1])
	switch in.Op {
	case ir.And64, ir.AndP:
		// Of the lanes of an argument only those that the other has matter.
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
		if x == unknown || y == get(l.f.Exec) { // it is a part of both; EXEC is what others are parts of
			x = y
		}
		return l.subset(i, bound(x), nobody)
	case ir.AndN64:
		if x != y && l.within(y, x) {
			return l.subset(i, x, y)
		}
		return l.subset(i, bound(x), nobody)
	case ir.Xor64, ir.XorP:
		switch {
		case x != y && l.within(y, x):
			return l.subset(i, x, y)
		case x != y && l.within(x, y):
			return l.subset(i, y, x)
		}
		return l.subset(i, l.common(x, y), nobody)
	case ir.Or64, ir.OrP:
		switch {
		case l.byInst[i] != 0:
		case l.within(x, y):
			return y
		case l.within(y, x):
			return x
		case y > everyone && l.less[y] == x && x > everyone:
			return l.parent[y]
		case x > everyone && l.less[x] == y && y > everyone:
			return l.parent[x]
		}
		return l.subset(i, l.common(x, y), nobody)
	}
	return unknown
}

// bound is a set that contains s.
func bound(s symbol) symbol {
	if s < 0 {
		return everyone
	}
	return s
}

// part makes the symbol of instruction i: a part of above; if less is not nobody, above
// without it.
func (l *laneSets) subset(i int, above, less symbol) symbol {
	s := l.byInst[i]
	if s == 0 {
		if above == nobody {
			return nobody
		}
		s = l.newSymbol(above, l.current)
		l.byInst[i] = s
		l.less[s] = less
		return s
	}
	l.raise(s, above)
	if l.less[s] != nobody && (l.less[s] != less || l.parent[s] != above) {
		l.less[s], l.grown = nobody, true
	}
	return s
}

// backward finds the lanes in which every vector register may still be read, and with them
// the writes that keep nothing.
func (l *laneSets) backward() []bool {
	f, v := l.f, l.b.vars
	n := len(f.Blocks)
	// Registers that are followed have a number; temporaries are followed inside a block.
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
	row := func(b int) []symbol { return live[b*len(followed) : (b+1)*len(followed)] }
	for range l.maxRounds() {
		changed := false
		for b := n - 1; b >= 0; b-- {
			for k, x := range followed {
				set := nobody
				for _, s := range l.b.fn.Succs[b] {
					set = l.common(set, l.leave(row(int(s))[k], b, int(s)))
				}
				l.sets[x] = set
			}
			l.blockBack(b, followed)
			for k, x := range followed {
				if old := row(b)[k]; old != l.sets[x] {
					// Sets grow only, so that this ends.
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

// leave is what a set at the start of block s is at the end of block b before it: what a
// place holds where s begins is what it holds where b ends.
func (l *laneSets) leave(set symbol, b, s int) symbol {
	if set <= everyone {
		return set
	}
	p := int(l.phiOf[set])
	if p < 0 || p/l.places != s {
		return set
	}
	out := l.out[b*l.places+p%l.places]
	if out == unset {
		return everyone
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

// blockBack goes through a block from its end to its start.
func (l *laneSets) blockBack(b int, followed []varID) {
	f, v := l.f, l.b.vars
	blk := f.Blocks[b]
	l.mark1++
	l.temps = l.temps[:0]
	// at is where the set of a value is kept; temporaries that live on into other blocks
	// are read there by anybody.
	at := func(r ir.Ref) *symbol {
		x := v.first[r]
		if !v.guest[x] && l.seen[x] != l.mark1 {
			l.seen[x] = l.mark1
			l.temps = append(l.temps, x)
			l.sets[x] = nobody
			if l.b.dense[x] != 0 {
				l.sets[x] = everyone
			}
		}
		return &l.sets[x]
	}
	for i := blk.End - 1; i >= blk.Start; i-- {
		in := &f.Code[i]
		if s := l.byInst[i]; s != 0 {
			// The set does not exist before: what contains it does.
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
		guard := everyone
		if role.guard {
			guard = bound(l.guard[i])
		}
		reads := guard
		if l.other[i] >= 0 && l.other[i] != everyone {
			reads = l.other[i]
		}
		if l.follows(in.Dst) {
			d := at(in.Dst)
			left := *d
			pure := in.Op.Pure() || in.Op == ir.Splat
			switch {
			case !role.merge1:
				*d = nobody
			case role.guard && in.Op != ir.DSPermute && in.Op != ir.WriteLane && l.within(left, l.guard[i]):
				*d = nobody
				l.free[i] = true
			default:
				l.free[i] = false
			}
			if pure && l.within(left, reads) {
				reads = left // it is computed for lanes that somebody reads
			}
		}
		if l.follows(in.Dst2) && !role.merge2 {
			*at(in.Dst2) = nobody
		}
		for k, a := range in.Args {
			if !l.follows(a) {
				continue
			}
			s := reads
			switch in.Op {
			case ir.ReadLane, ir.ReadFirstLane, ir.WriteLane:
				s = everyone
			case ir.DPPRead:
				if k > 0 {
					s = everyone
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
					*at(r) = everyone
				}
			}
		}
	}
}
