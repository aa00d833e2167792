package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file selects accesses at induction pointers with a hoisted bounds check.
//
// Input: addresses in general registers that, in loops, only change by additions of
// numbers that are not negative.
// Output: for the accesses at each of them one compare with a limit instead of a check
// against the region cache.
// Invariant: if the address is below the limit, all accesses at it are inside the
// region that the limit describes, and aligned.
// Example: `p += 4` in a loop: CMP p, limit; JAE slow; load [delta + p].
// Literature: hoisting of bounds checks is in Gupta, Optimizing array bound checks
// using flow analysis (1993).

// An address that only grows stays above the start of its region, so one comparison
// with an upper limit is enough. The limit is in a general register. Each other write
// of the address, or of a value that is added to it, computes the limit anew from the
// region cache of the first access; it becomes 0 if that does not suffice. An access
// that fails the comparison checks its own region cache, as accesses without induction
// pointer do, and computes the limit from it. If the interpreter has run, package
// engine/jit sets the limit to 0.

// maxStep bounds the increment, so that an address that is never accessed cannot wrap
// in any realistic run.
const maxStep = 1 << 20

// induction is an induction pointer, with the loads or the stores at it.
type induction struct {
	inductionKey
	lead  int     // the first access
	block int     // its block
	limit x64.Reg // the first address that is too large; 0: no address is known to be inside
	delta x64.Reg // added to an address, it gives the host address, if there is a limit
	cache x64.Mem // the region cache of the first access
	words x64.Mem // instead of a region cache, for the memory that the limit describes: only CacheOthers is used
	from  int64   // over all accesses: the first byte, relative to the address,
	to    int64   // and the first byte after them
	align int64
	adds  []int      // the operations that increment it
	steps []webs.Web // the increments that are not constants
}

// inductionKey has the properties that all accesses at an induction pointer share: if
// one of them is inside, all are.
type inductionKey struct {
	web   webs.Web
	store bool
	space ir.Space
	flags ir.Flags // those that restrict the memory of an address
}

// walkKey is the key of load or store i.
func (g *facts) walkKey(i int) inductionKey {
	in := &g.f.Code[i]
	return inductionKey{g.s.Ops[i].Args[0], in.Op == ir.Store, in.Space, in.Flags & (ir.NotLocal | ir.OnlyGlobal | ir.OnlyShared)}
}

// findWalks finds the induction pointers. All webs must have their places.
func (g *planner) findWalks() {
	var depth, at []int // by operation: its loop depth and its block; made when they are needed
	for b, blk := range g.f.Blocks {
		if g.s.Depth[b] == 0 {
			continue
		}
		for i := blk.Start; i < blk.End; i++ {
			if g.f.Code[i].Op != ir.Add64 || !g.ownRegister(g.s.Ops[i].Dst) {
				continue
			}
			if _, ok := g.moves(i, g.s.Ops[i].Dst); ok {
				if depth == nil {
					depth, at = g.depths()
				}
				g.findWalk(g.s.Ops[i].Dst, depth, at)
			}
		}
	}
}

// depths returns, by operation, its loop depth and its block.
func (g *planner) depths() (depth, at []int) {
	depth, at = make([]int, len(g.f.Code)), make([]int, len(g.f.Code))
	for b, blk := range g.f.Blocks {
		for i := blk.Start; i < blk.End; i++ {
			depth[i], at[i] = int(g.s.Depth[b]), b
		}
	}
	return depth, at
}

// ownRegister reports whether web w is an address in a general register.
func (g *planner) ownRegister(w webs.Web) bool {
	p := &g.places[w]
	return w != 0 && p.gpr != 0 && !p.slot && g.typ(w) == ir.B64 && g.s.Webs[w].Flags&(webs.Aliased|webs.Const) == 0
}

// moves reports whether operation i adds to w a uniform value that, as far as is known,
// is not negative. step is that value, or 0 if it is a constant.
func (g *planner) moves(i int, w webs.Web) (step webs.Web, ok bool) {
	o := &g.s.Ops[i]
	if g.f.Code[i].Op != ir.Add64 || o.Dst != w || g.how(i) != byScalar {
		return 0, false
	}
	switch w {
	case o.Args[0]:
		step = o.Args[1]
	case o.Args[1]:
		step = o.Args[0]
	default:
		return 0, false
	}
	if v, ok := g.constant1(step); ok {
		return 0, v <= maxStep
	}
	return step, step != w && g.ownRegister(step) && g.sh.Web(step).Uniform()
}

// findWalk finds the induction pointers of web w: one for its loads and one for its
// stores, by space. It gives up if w or an increment changes in a way that the code
// cannot observe, or as often as w is incremented.
func (g *planner) findWalk(w webs.Web, depth, at []int) {
	// Found before, at another increment.
	if slices.ContainsFunc(g.strays[w], func(x *induction) bool { return x.web == w }) {
		return
	}
	var adds []int
	var steps []webs.Web
	var found []*induction
	zeros := int64(1) << 30 // all constant increments are multiples of it
	set, moved := -1, -1    // the loop depths at which the address is set and incremented
	for i := range g.f.Code {
		in, o := &g.f.Code[i], &g.s.Ops[i]
		if o.Ext != 0 && (slices.Contains(g.s.Ext[o.Ext-1].Defs, w)) {
			return
		}
		if o.Dst == w || o.Dst2 == w {
			if in.Op.EndsBlock() {
				return
			}
			// A write is an increment, or it sets the address anew.
			step, ok := g.moves(i, w)
			if !ok {
				set = max(set, depth[i])
				continue
			}
			moved = max(moved, depth[i])
			adds = append(adds, i)
			if step != 0 {
				steps = append(steps, step)
				continue
			}
			v, _ := g.constant1(o.Args[0])
			if o.Args[0] == w {
				v, _ = g.constant1(o.Args[1])
			}
			zeros = min(zeros, int64(v&-v))
			if v == 0 {
				return
			}
		}
		if (in.Op == ir.Load || in.Op == ir.Store) && o.Args[0] == w && g.walksAt(i) {
			// The first and last byte of all accesses with this key bound the limit.
			from := g.firstByte(i)
			to := from + g.rowBytes(i) + int64(in.Size)
			key := g.walkKey(i)
			k := slices.IndexFunc(found, func(x *induction) bool { return x.inductionKey == key })
			if k < 0 {
				k = len(found)
				found = append(found, &induction{inductionKey: key, lead: i, block: at[i], from: from, to: to, align: 1})
			}
			x := found[k]
			x.from, x.to, x.align = min(x.from, from), max(x.to, to), max(x.align, int64(in.Align))
		}
	}
	if set >= moved { // the check would be repeated each time
		return
	}
	for i := range g.f.Code { // an increment must not be written unnoticed, or as often as it is added
		o := &g.s.Ops[i]
		if depth[i] >= moved && slices.ContainsFunc(steps, func(s webs.Web) bool { return g.writes(i, s) }) {
			return
		}
		for _, s := range steps {
			if (o.Dst == s || o.Dst2 == s) && g.f.Code[i].Op.EndsBlock() || o.Ext != 0 && slices.Contains(g.s.Ext[o.Ext-1].Defs, s) {
				return
			}
		}
	}
	for _, x := range found {
		// All increments must keep the alignment, and distances must fit 32 bits.
		if zeros < x.align || x.to-x.from > 1<<31 {
			continue
		}
		x.adds, x.steps = adds, steps
		x.words, x.cache = x64.Mem{Base: abi.Frame, Disp: g.caches}, x64.Mem{Base: abi.Frame, Disp: g.caches + abi.CacheSize}
		g.caches += 2 * abi.CacheSize
		x.limit, x.delta = g.gpr(8), g.gpr(8)
		g.out.Limits = append(g.out.Limits, x.limit)
		if g.walks == nil {
			g.walks, g.strays = map[inductionKey]*induction{}, map[webs.Web][]*induction{}
		}
		g.walks[x.inductionKey] = x
		g.paths = append(g.paths, x)
		g.strays[w] = append(g.strays[w], x)
		for _, s := range steps {
			if !slices.Contains(g.strays[s], x) {
				g.strays[s] = append(g.strays[s], x)
			}
		}
	}
}

// walksAt reports whether operation i is a load or a store that can use an induction
// pointer. Atomics find their rows in the same way, but the limit does not check their
// permissions.
func (g *facts) walksAt(i int) bool {
	in := &g.f.Code[i]
	off := int64(in.Offset())
	return (in.Op == ir.Load || in.Op == ir.Store) && !in.Scalar && (in.Space == ir.Global || in.Space == ir.Generic) && accessCan(g, i) && g.oneBase(i) &&
		!g.mayBeLocal(in) && off&(int64(max(in.Align, 1))-1) == 0 && off > -1<<30 && off < 1<<30
}

// oneBase reports whether all lanes of access i are at constant distances from lane 0.
func (g *facts) oneBase(i int) bool {
	f := g.form(i)
	return f == formOne || f == formRow || f == formRows && g.sh.Web(g.s.Ops[i].Args[0]).Kind == shape.Affine
}

// rowBytes is the distance between the lowest and the highest address of load or store
// i.
func (g *facts) rowBytes(i int) int64 {
	if g.form(i) == formOne {
		return 0
	}
	least, greatest := g.sh.Web(g.s.Ops[i].Args[0]).Steps().Ends(1<<64-1, g.f.Lanes)
	return greatest - least
}

// firstByte is the first byte that load or store i touches, relative to lane 0's
// address.
func (g *facts) firstByte(i int) int64 {
	off := int64(g.f.Code[i].Offset())
	if g.form(i) == formOne {
		return off
	}
	least, _ := g.sh.Web(g.s.Ops[i].Args[0]).Steps().Ends(1<<64-1, g.f.Lanes)
	return off + least
}

// walking is the induction pointer of the load or store in hand, of n pieces; nil:
// none.
func (g *access) walking(n int) *induction {
	x := g.walks[g.walkKey(g.at)]
	if x == nil {
		return nil
	}
	for k := range n {
		if !g.walksAt(g.at + k) {
			return nil
		}
	}
	return x
}

// walked checks the n pieces of the load or store in hand at induction pointer x, and
// returns the memory operand of the first byte of all its lanes; it jumps to l if they
// are outside.
func (g *access) walked(x *induction, n int, l x64.Label) x64.Mem {
	p := g.read(g.ops.Args[0])
	first := g.firstByte(g.at)
	span := g.rowBytes(g.at) + int64(n)*int64(g.in.Size)
	c := x.cache
	if g.at == x.lead {
		g.accessAt(c, 0, uint64(span))
	} else {
		c = g.cache(0, uint64(span))
	}
	g.region = x.words
	slow, back := g.label(), g.label()
	g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: p, B: x.limit})
	g.jump(x64.JAE, slow)
	g.cold(slow, func() {
		// The store to the frame also keeps this code out of coarsened bodies: see ok of package coarsen.
		t := g.gpr(8)
		g.load(8, t, at(c, abi.CacheOthers))
		g.store(8, at(x.words, abi.CacheOthers), t)
		g.move(t, p)
		g.apply(x64.ADD, x64.ADDImm, 8, t, operand{num: true, imm: uint64(first)})
		g.aligned(t, l)
		g.rm(x64.SUB, 8, t, at(c, abi.CacheLow))
		g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: t, HasMem: true, M: at(c, abi.CacheCount)})
		g.jump(x64.JAE, l)
		g.findLimit(x, p, c, first, span)
		g.jump(x64.JMP, back)
	})
	g.bind(back)
	return x64.Mem{Base: x.delta, Index: p, Scale: 1, Disp: int32(first)}
}

// findLimit emits the computation of the limit of x at address p, from the region cache
// c of an access to span bytes from first on. The limit is 0 if not all accesses of x
// are inside, or if they are not aligned.
func (g *access) findLimit(x *induction, p x64.Reg, c x64.Mem, first, span int64) {
	// In a coarsened body most of this is equal in all waves, so each register has one
	// purpose.
	t, room, none, far := g.gpr(8), g.gpr(8), g.gpr(8), g.gpr(8)
	// delta = CachePtr - CacheLow.
	g.load(8, far, at(c, abi.CachePtr))
	g.rm(x64.SUB, 8, far, at(c, abi.CacheLow))
	g.move(x.delta, far)
	// room is how far the address may grow before the last accessed byte leaves the
	// region.
	g.put(none, 8, operand{num: true})
	g.load(8, room, at(c, abi.CacheCount))
	g.apply(x64.SUB, x64.SUBImm, 8, room, operand{num: true, imm: uint64(x.to - x.from - span)})
	g.emit(x64.Inst{Op: x64.CMOVB, Len: 8, Dst: room, B: none})
	g.move(t, p)
	g.apply(x64.ADD, x64.ADDImm, 8, t, operand{num: true, imm: uint64(x.from)})
	g.rm(x64.SUB, 8, t, at(c, abi.CacheLow))
	g.r2(x64.SUB, 8, room, t)
	g.emit(x64.Inst{Op: x64.CMOVB, Len: 8, Dst: room, B: none})
	d := g.gpr(8)
	g.emit(x64.Inst{Op: x64.LEA, Len: 8, Dst: d, HasMem: true, M: x64.Mem{Base: room, Index: p, Scale: 1}})
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: room, B: room})
	g.emit(x64.Inst{Op: x64.CMOVE, Len: 8, Dst: d, B: none})
	for _, s := range x.steps {
		r := g.read(s)
		// An increment that is negative or too large gives no limit.
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, B: r, Imm: maxStep})
		g.emit(x64.Inst{Op: x64.CMOVA, Len: 8, Dst: d, B: none})
		if x.align > 1 {
			g.emit(x64.Inst{Op: x64.TESTImm, Len: 4, B: r, Imm: x.align - 1})
			g.emit(x64.Inst{Op: x64.CMOVNE, Len: 8, Dst: d, B: none})
		}
	}
	if x.align > 1 {
		g.emit(x64.Inst{Op: x64.TESTImm, Len: 4, B: p, Imm: x.align - 1})
		g.emit(x64.Inst{Op: x64.CMOVNE, Len: 8, Dst: d, B: none})
	}
	g.move(x.limit, d)
}

// strayed notes that operation i has been emitted: the limits of induction pointers
// that depend on its results in another way than by an increment are computed anew.
func (g *access) strayed(i int) {
	if g.strays == nil {
		return
	}
	for _, w := range [2]webs.Web{g.s.Ops[i].Dst, g.s.Ops[i].Dst2} {
		for _, x := range g.strays[w] {
			if !slices.Contains(x.adds, i) {
				g.stray(x, i)
			}
		}
	}
}

// stray recomputes the limit of x after operation i; -1: at the start. If a web on
// which the limit depends may be undefined there, the limit becomes 0.
func (g *access) stray(x *induction, i int) {
	there := func(w webs.Web) bool {
		if i < 0 {
			return false
		}
		if slices.Contains(g.s.LiveIn[g.block], w) {
			return true
		}
		for k := g.f.Blocks[g.block].Start; k <= i; k++ {
			if g.writes(k, w) {
				return true
			}
		}
		return false
	}
	fine := there(x.web) && (!x.store || g.f.Code[x.lead].Space == ir.Global) // for stores elsewhere, changed needs the region of the access
	for _, s := range x.steps {
		fine = fine && there(s)
	}
	if !fine {
		g.put(x.limit, 8, operand{num: true})
		return
	}
	block := g.block
	g.block = x.block
	n := g.pieces(x.lead)
	g.block = block
	g.findLimit(x, g.read(x.web), x.cache, g.firstByte(x.lead), g.rowBytes(x.lead)+int64(n)*int64(g.f.Code[x.lead].Size))
}

// holdWalks declares that the registers of all induction pointers are defined.
func (g *access) holdWalks() {
	for _, x := range g.paths {
		g.emit(x64.Inst{Op: x64.UNDEF, Dst: x.limit})
		g.emit(x64.Inst{Op: x64.UNDEF, Dst: x.delta})
	}
}
