package webs

import (
	"math/bits"
	"slices"

	"example.org/crosslane/internal/ir"
)

// The limits of Build's tables, about 64 MB each. Beyond them the function is TooLarge.

const (
	maxWords = 1 << 23
	maxNodes = 1 << 24
)

// varAt is a variable in a block.
type varAt struct {
	block int32
	v     varID
}

// builder renames one function.
//
// Input: a function and its variables (vars).
// Output: a Func.
// Invariant: during rename, cur[x] is the node of variable x before the current instruction.
// All nodes of one web have one root.
// Example: both sides of a branch write %r1, and the join reads it. The two definitions are
// nodes 5 and 6, and the start of the join is node 3. The edges unite 5 with 3 and 6 with 3,
// so all three are one web.
//
// The steps: expose finds upward exposed variables, liveness solves the backward equations,
// startNodes creates one node per variable that is live at the start of a block, rename
// unites nodes along the edges, and number turns roots into webs.
// Literature: Muchnick, Advanced Compiler Design and Implementation (1997), webs.
type builder struct {
	f    *ir.Func
	fn   *Func
	m    *Scratch
	vars *vars
	free []bool // by instruction: no operation reads the lanes outside its guard; nil: not known

	stamp   []int32 // by variable: 1 + the block in which it was last written or read first
	tempPos []int32 // by variable: Pos + 1 of the instruction that last wrote the temporary
	dense   []int32 // by variable: 1 + its number among the global variables
	globals []varID
	exposed []varAt // variables that a block reads before it writes them
	killed  []varAt // variables that a block writes first

	words int      // length of a bit row of in
	in    []uint64 // bit rows by block: the global variables that are live in

	entry []int32 // by block: the node of its first live variable
	cur   []int32 // by variable: its present node
	// A node is a definition, or the value of a variable at the start of a block. Webs are
	// disjoint sets of nodes; parent is their union-find structure.
	parent []int32
	view   []int32 // by root: the region through which the web is accessed; 0: none yet, mixed: several

	uses, defs []ir.Ref // results of extRefs

	last map[int][]Web // in Exact mode: the nodes at the end of each block without successors
}

// mixed marks a web that is accessed through several regions, so it has to stay in memory.
const mixed = -1

// Build renames a function for a geometry.
func Build(f *ir.Func, g Geometry) *Func { return new(Scratch).Build(f, g) }

// build runs the steps. If a table would be too large, it pins all values to memory and
// repeats none of the analyses.
func build(f *ir.Func, g Geometry, m *Scratch) *Func {
	g.Lanes = f.Lanes
	fn := &Func{IR: f, Given: len(f.Values), Geom: g, Ops: m.ops.take(len(f.Code)), Inputs: m.webs.take(len(f.Inputs))}
	b := &builder{f: f, fn: fn, m: m, vars: findVars(f, m), globals: m.globals[:0], exposed: m.exposed[:0], killed: m.killed[:0]}
	fn.flow(m)
	n := b.vars.n
	tables := m.ints.take(int(4 * n))
	b.stamp, b.tempPos, b.dense, b.cur = tables[:n], tables[n:2*n], tables[2*n:3*n], tables[3*n:]
	b.expose()
	if f.Exec != 0 && !g.Exact && !opaque(f) {
		// A free write does not read the old value, so fewer variables are exposed.
		if b.free = b.findFree(); b.free != nil {
			b.globals, b.exposed, b.killed = b.globals[:0], b.exposed[:0], b.killed[:0]
			clear(b.dense)
			b.expose()
		}
	}
	m.globals, m.exposed, m.killed = b.globals, b.exposed, b.killed
	ok := b.liveness() && b.startNodes()
	if !ok {
		// Without liveness no variable can be renamed: all values become aliased.
		fn.TooLarge = true
		for i := range b.vars.pinned {
			b.vars.pinned[i] = true
		}
		b.globals, b.in, b.words = nil, nil, 0
		clear(b.dense)
		b.entry = m.ints.take(len(f.Blocks))
		b.parent, b.view = make([]int32, 1), make([]int32, 1)
	}
	b.rename()
	if g.Exact {
		b.completeSlots()
	}
	b.number()
	m.parent, m.view, m.ext = b.parent, b.view, fn.Ext
	fn.fusePairs(m)
	return fn
}

// expose finds the variables that each block reads before it writes them (exposed), the
// variables that it writes first (killed), and the variables that live across blocks
// (globals).
func (b *builder) expose() {
	f, v := b.f, b.vars
	for bi, blk := range f.Blocks {
		mark := int32(bi) + 1
		use := func(r ir.Ref) {
			if r == 0 || v.count[r] == 0 || v.pinned[r] {
				return
			}
			for k := range int32(v.count[r]) {
				x := v.first[r] + k
				if b.stamp[x] == mark {
					continue
				}
				// The stamp marks the variable as read. A later write in the block changes
				// nothing: the variable is live in.
				b.stamp[x] = mark
				b.exposed = append(b.exposed, varAt{int32(bi), x})
				if b.dense[x] == 0 {
					b.globals = append(b.globals, x)
					b.dense[x] = int32(len(b.globals))
				}
			}
		}
		def := func(r ir.Ref, pos int32) {
			if r == 0 || v.pinned[r] {
				return
			}
			for k := range int32(v.count[r]) {
				x := v.first[r] + k
				if !v.guest[x] {
					b.tempPos[x] = pos + 1
				}
				if b.stamp[x] == mark {
					continue
				}
				b.stamp[x] = mark
				b.killed = append(b.killed, varAt{int32(bi), x})
			}
		}
		for i := blk.Start; i < blk.End; i++ {
			in := &f.Code[i]
			for _, a := range in.Args {
				use(a)
			}
			role := roleOf(f, in)
			if role.guard {
				use(in.Guard)
			}
			// A merging definition reads the old value.
			m1, m2 := b.merges(i, in, role, mark)
			if m1 {
				use(in.Dst)
			}
			if m2 {
				use(in.Dst2)
			}
			if hasExt(in) {
				b.uses, b.defs = extRefs(f, in, role.guard, b.uses[:0], b.defs[:0])
				for _, r := range b.uses {
					use(r)
				}
				for _, r := range b.defs {
					def(r, in.Pos)
				}
			}
			def(in.Dst, in.Pos)
			def(in.Dst2, in.Pos)
		}
		use(f.Exec) // the end of every block counts the lanes of EXEC
	}
	if b.fn.Geom.Exact {
		for x := range v.n {
			if v.guest[x] && b.dense[x] == 0 {
				b.globals = append(b.globals, x)
				b.dense[x] = int32(len(b.globals))
			}
		}
	}
	clear(b.stamp)
	clear(b.tempPos)
}

// merges reports whether the definitions of an instruction merge with the old value. A
// definition of a temporary merges only if the same guest instruction has written the
// temporary before, in this block.
func (b *builder) merges(i int, in *ir.Inst, r role, mark int32) (m1, m2 bool) {
	m1, m2 = r.merge1 && in.Dst != 0, r.merge2 && in.Dst2 != 0
	if b.free != nil && b.free[i] {
		return false, m2
	}
	old := func(r ir.Ref) bool {
		if b.f.Values[r].Kind != ir.Temp {
			return true
		}
		x := b.vars.first[r]
		return b.stamp[x] == mark && b.tempPos[x] == in.Pos+1
	}
	return m1 && old(in.Dst), m2 && old(in.Dst2)
}

// liveness solves the backward equations of the global variables: in = exposed | out &^
// killed. It returns false if the tables would be too large.
func (b *builder) liveness() bool {
	n := len(b.f.Blocks)
	b.words = (len(b.globals) + 63) / 64
	if n*b.words > b.fn.Geom.Limit(Words, maxWords, 2) {
		return false
	}
	all := b.m.words.take(2 * n * b.words)
	b.in = all[:n*b.words]
	kill := all[n*b.words:]
	// set sets the bits of the variables in a list. Variables that are not global have no
	// bit.
	set := func(rows []uint64, l []varAt) {
		for _, p := range l {
			if d := b.dense[p.v]; d > 0 {
				rows[int(p.block)*b.words+int(d-1)/64] |= 1 << (uint(d-1) % 64)
			}
		}
	}
	set(b.in, b.exposed)
	set(kill, b.killed)
	if b.fn.Geom.Exact {
		for d, x := range b.globals {
			if b.vars.guest[x] {
				for bi := range n {
					b.in[bi*b.words+d/64] |= 1 << (d % 64)
				}
			}
		}
	}
	// Worklist: a block is visited again if a successor changed. The last blocks come first,
	// because most edges lead forward, so that one round is enough without loops.
	dirty := b.m.bools.take(n)
	for i := range dirty {
		dirty[i] = true
	}
	for again := true; again; {
		again = false
		for bi := n - 1; bi >= 0; bi-- {
			if !dirty[bi] {
				continue
			}
			dirty[bi] = false
			row := b.in[bi*b.words : (bi+1)*b.words]
			dead := kill[bi*b.words:]
			changed := false
			for _, s := range b.fn.Succs[bi] {
				for w, x := range b.in[int(s)*b.words : (int(s)+1)*b.words] {
					if x &^= dead[w] | row[w]; x != 0 {
						row[w] |= x
						changed = true
					}
				}
			}
			if !changed {
				continue
			}
			for _, p := range b.fn.Preds[bi] {
				if !dirty[p] {
					dirty[p] = true
					again = again || int(p) >= bi
				}
			}
		}
	}
	return true
}

// startNodes creates a node for each variable that is live at the start of a block. It
// returns false if there are too many.
func (b *builder) startNodes() bool {
	n := len(b.f.Blocks)
	b.entry = b.m.ints.take(n)
	nodes, most := 1, b.fn.Geom.Limit(Nodes, maxNodes, 40)
	for bi := range n {
		b.entry[bi] = int32(nodes)
		for _, w := range b.in[bi*b.words : (bi+1)*b.words] {
			nodes += bits.OnesCount64(w)
		}
		if nodes > most {
			return false
		}
	}
	// Most operations define one value, so this is mostly enough for all nodes.
	size := nodes + len(b.f.Code) + len(b.f.Code)/4
	b.parent = slices.Grow(b.m.parent[:0], size)[:nodes]
	for i := range b.parent {
		b.parent[i] = int32(i)
	}
	b.view = slices.Grow(b.m.view[:0], size)[:nodes]
	clear(b.view)
	return true
}

// newNode returns a new node, the only one of its web.
func (b *builder) newNode() int32 {
	b.parent = append(b.parent, int32(len(b.parent)))
	b.view = append(b.view, 0)
	return int32(len(b.parent) - 1)
}

// root returns the representative of a node's web, and halves the path to it.
func (b *builder) root(x int32) int32 {
	for b.parent[x] != x {
		b.parent[x] = b.parent[b.parent[x]]
		x = b.parent[x]
	}
	return x
}

// union joins the webs of two nodes. The smaller number becomes the root, so that roots are
// deterministic.
func (b *builder) union(x, y int32) int32 {
	x, y = b.root(x), b.root(y)
	if x == y {
		return x
	}
	if y < x {
		x, y = y, x
	}
	b.parent[y] = x
	b.seen(x, b.view[y])
	return x
}

// seen records that the web of a root is accessed through a region.
func (b *builder) seen(root, region int32) {
	switch b.view[root] {
	case 0:
		b.view[root] = region
	case region:
	default:
		if region != 0 {
			b.view[root] = mixed
		}
	}
}

// rename visits the code block by block, keeps the node of every variable in cur, and unites
// the nodes that belong to one web. Along each edge it unites the value at the end of the
// block with the value at the start of the successor.
func (b *builder) rename() {
	f := b.f
	if f.Exec != 0 {
		b.fn.Exec = b.m.webs.take(len(f.Blocks))
	}
	b.fn.Ext = b.m.ext[:0]
	for bi, blk := range f.Blocks {
		mark := int32(bi) + 1
		// Each live variable begins the block with a node of its own.
		b.eachLive(bi, func(x varID, node int32) { b.cur[x], b.stamp[x] = node, mark })
		for i := blk.Start; i < blk.End; i++ {
			in, o := &f.Code[i], &b.fn.Ops[i]
			role := roleOf(f, in)
			for k, a := range in.Args {
				if a != 0 {
					o.Args[k] = b.use(a)
				}
			}
			if role.guard {
				o.Guard = b.use(in.Guard)
			}
			o.Merge, o.Merge2 = b.merges(i, in, role, mark)
			var old, old2 Web
			if o.Merge {
				old = b.use(in.Dst)
			}
			if o.Merge2 {
				old2 = b.use(in.Dst2)
			}
			if hasExt(in) {
				b.renameExt(in, o, role.guard, mark)
			}
			o.Dst = b.define(in.Dst, old, in.Pos, mark)
			o.Dst2 = b.define(in.Dst2, old2, in.Pos, mark)
		}
		if f.Exec != 0 {
			b.fn.Exec[bi] = b.use(f.Exec)
		}
		for _, s := range b.fn.Succs[bi] {
			// The value at the end of this block is the value at the start of the successor.
			b.eachLive(int(s), func(x varID, node int32) { b.union(node, b.cur[x]) })
		}
		// The registers at the end of the wave, which Exact mode keeps, are in no live-in
		// set.
		if b.fn.Geom.Exact && len(b.fn.Succs[bi]) == 0 {
			if b.last == nil {
				b.last = map[int][]Web{}
			}
			for _, x := range b.globals {
				if b.vars.guest[x] {
					b.last[bi] = append(b.last[bi], Web(b.cur[x]))
				}
			}
		}
	}
}

// completeSlots, in Exact mode, makes sure that an exit writes complete frame slots. A web
// may be accessed as s[2:3], while at the start of some block only the half s2 still belongs
// to it. To write the slot of s[2:3] would then overwrite s3, so the view of this web becomes
// mixed, and it stays in memory.
func (b *builder) completeSlots() {
	v := b.vars
	look := func(held func(do func(x varID, node int32))) {
		held(func(x varID, node int32) { b.cur[x] = node })
		held(func(x varID, node int32) {
			r := b.root(node)
			g := b.view[r]
			if !v.guest[x] || g <= 0 {
				return
			}
			// The web is accessed as region g. Each variable of g must still belong to the
			// web.
			for k := range int32(v.count[g]) {
				if b.root(b.cur[v.first[g]+k]) != r {
					b.view[r] = mixed
				}
			}
		})
	}
	for bi := range b.f.Blocks {
		look(func(do func(x varID, node int32)) { b.eachLive(bi, do) })
		if last := b.last[bi]; last != nil {
			look(func(do func(x varID, node int32)) {
				i := 0
				for _, x := range b.globals {
					if v.guest[x] {
						do(x, int32(last[i]))
						i++
					}
				}
			})
		}
	}
}

// renameExt renames the operands that no field of the instruction names.
func (b *builder) renameExt(in *ir.Inst, o *Operands, merge bool, mark int32) {
	b.uses, b.defs = extRefs(b.f, in, merge, b.uses[:0], b.defs[:0])
	nu, nd := len(b.uses), len(b.defs)
	if nu+nd == 0 {
		return
	}
	refs, webs := b.m.refs.take(nu+nd), b.m.webs.take(nu+nd)
	uses, defs := refs[:nu:nu], refs[nu:]
	copy(uses, b.uses)
	copy(defs, b.defs)
	e := Ext{UseRefs: uses, DefRefs: defs, Uses: webs[:nu:nu], Defs: webs[nu:]}
	for k, r := range uses {
		e.Uses[k] = b.use(r)
	}
	for k, r := range defs {
		var old Web
		if i := slices.Index(uses, r); i >= 0 {
			// An operand in both lists is merged, too. That loses no precision that matters.
			old = e.Uses[i]
		}
		e.Defs[k] = b.define(r, old, in.Pos, mark)
	}
	b.fn.Ext = append(b.fn.Ext, e)
	o.Ext = int32(len(b.fn.Ext))
}

// eachLive calls do for the variables that are live at the start of a block, with their nodes.
func (b *builder) eachLive(bi int, do func(x varID, node int32)) {
	node := b.entry[bi]
	for w, x := range b.in[bi*b.words : (bi+1)*b.words] {
		for ; x != 0; x &= x - 1 {
			do(b.globals[w*64+bits.TrailingZeros64(x)], node)
			node++
		}
	}
}

// Until number runs, operands hold nodes; values without nodes, constants and pinned ones,
// are negated references.

// use returns the node of a value. If the value consists of several variables, use unites their webs.
func (b *builder) use(r ir.Ref) Web {
	v := b.vars
	n := int32(v.count[r])
	if n == 0 || v.pinned[r] {
		return Web(-r)
	}
	x := v.first[r]
	node := b.cur[x]
	for k := int32(1); k < n; k++ {
		node = b.union(node, b.cur[x+k])
	}
	if reg := v.region[r]; reg != 0 {
		b.seen(b.root(node), reg)
	}
	return Web(node)
}

// define creates a node for a value, or reuses the node that the definition merges with.
func (b *builder) define(r ir.Ref, old Web, pos, mark int32) Web {
	if r == 0 {
		return 0
	}
	v := b.vars
	if v.count[r] == 0 || v.pinned[r] {
		return Web(-r)
	}
	node := int32(old)
	if node == 0 {
		node = b.newNode()
	}
	x := v.first[r]
	for k := range int32(v.count[r]) {
		b.cur[x+k], b.stamp[x+k] = node, mark
	}
	if !v.guest[x] {
		b.tempPos[x] = pos + 1
	}
	if reg := v.region[r]; reg != 0 {
		b.seen(b.root(node), reg)
	}
	return Web(node)
}
