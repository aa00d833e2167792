package sim

import (
	"fmt"
	"math"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/lane"
)

// Operations of warpgroups (PTX 9.7.16): four warps, of which the first has a number that is a multiple of 4.
//
// Input: the warpgroup kinds of ir.Collective, and ir.ClaimInFlight operations.
// Output: D in the registers of each warp, and findings.
// Invariant: a warp computes its 16 rows of D when it comes to the product; they depend on its own registers and on
// shared memory only. The manual lets a product read shared memory at any time until its group is waited for, so every
// result is one that the manual allows if no other thread writes the memory in this time; a write is a race.
// The four warps execute the same operations in the same order: log holds what the first warp at each operation gave.
// Example: wgmma.fence, two products, commit_group, wait_group 0: in each wave the products belong to group 0, and its
// registers are busy until the wait.

// warpgroups is the state of the warpgroups of a block.
type warpgroups struct {
	logs   []groupLog      // by warpgroup
	waves  []warpgroupWave // by wave
	panels map[panelKey]*panel

	tensors map[tensorPanelKey]*panel // of products of Tensor Memory
}

// panelKey names a matrix in shared memory.
type panelKey struct {
	product    *matrix.Product
	descriptor uint64
	isB        bool
}

// panel is a matrix of shared memory, and what is wrong with its descriptor.
type panel struct {
	matrix.Panel
	tile         matrix.SharedTile
	text, remedy string
}

// maxPanels is the number of panels that a block keeps: products in a loop over K have a few descriptors.
const maxPanels = 32

// groupLog is the list of operations that some warps of a warpgroup have come to and others have not.
type groupLog struct {
	first int // the number of entries[0]
	list  []groupEntry
}

// groupEntry is one operation, as the first warp executed it.
type groupEntry struct {
	pos  int32
	wave int
	a, b uint64 // descriptors
	kept bool   // scale-d
	came uint8  // a bit per warp
}

// warpgroupWave is the part of one wave.
type warpgroupWave struct {
	came    int  // operations so far
	fenced  bool // there was a wgmma.fence
	group   int  // number of the open group
	done    int  // groups below it are waited for
	busy    map[ir.Ref]busyRegister
	touched map[ir.Ref]int32 // registers that were accessed after the last fence, and where
}

// busyRegister is a register of a product that is not waited for.
type busyRegister struct {
	group int
	pos   int32
	sum   bool // it is an accumulator; else a register of A
	info  *ir.CollectiveInfo
}

// begin forgets the block before.
func (g *warpgroups) begin() {
	clear(g.logs)
	clear(g.waves)
}

// of returns the part of a wave, and makes it if need be.
func (g *warpgroups) of(w *Wave) *warpgroupWave {
	if len(g.waves) != len(w.Waves) {
		g.waves = make([]warpgroupWave, len(w.Waves))
		g.logs = make([]groupLog, (len(w.Waves)+3)/4)
		g.panels = map[panelKey]*panel{}
	}
	return &g.waves[w.ID]
}

// panel returns a matrix in shared memory by its descriptor.
func (g *warpgroups) panel(k *Block, p *matrix.Product, descriptor uint64, isB bool) *panel {
	key := panelKey{p, descriptor, isB}
	q := g.panels[key]
	if q == nil {
		if len(g.panels) >= maxPanels {
			clear(g.panels)
		}
		q = &panel{tile: p.TileA(descriptor)}
		if isB {
			q.tile = p.TileB(descriptor)
		}
		q.text, q.remedy = q.tile.Problem(len(k.Shared))
		g.panels[key] = q
	}
	return q
}

// warpgroup performs an operation of a warpgroup for one warp. It returns false after a fault.
func (o *collective) warpgroup() bool {
	in, info := o.at(0)
	g := o.warpgroups.of(o.Wave)
	e := groupEntry{pos: in.Pos, wave: o.ID, kept: true}
	switch info.Matrix.Kind {
	case matrix.WarpgroupFence:
		g.fenced = true
		clear(g.touched)
	case matrix.WarpgroupCommit:
		g.group++
	case matrix.WarpgroupWait:
		g.done = max(g.done, g.group-info.Matrix.Num)
		for r, b := range g.busy {
			if b.group < g.done {
				delete(g.busy, r)
			}
		}
	case matrix.WarpgroupMultiply:
		if o.Func.Late {
			delayProduct(o)
			return true
		}
		if !o.multiply(info, &e) {
			return false
		}
	}
	o.together(in, g, e)
	return true
}

// together compares an operation with that of the other warps of the warpgroup.
func (o *collective) together(in *ir.Inst, g *warpgroupWave, e groupEntry) {
	n := g.came
	g.came++
	first, last := o.ID&^3, o.ID|3
	if last >= len(o.Waves) {
		if n > 0 {
			return // reported at the first operation
		}
		o.note(o.Wave, CodeWarpgroup, in.Pos, finding{lanes: o.all, text: fmt.Sprintf("the block has %d warps, so the warpgroup of warp %d has fewer than 4", len(o.Waves), o.ID),
			remedy: "launch blocks of a multiple of 128 threads", section: warpgroupSection})
		return
	}
	log := &o.warpgroups.logs[o.ID/4]
	if n-log.first == len(log.list) {
		log.list = append(log.list, e)
	}
	have := &log.list[n-log.first]
	have.came |= 1 << (o.ID - first)
	text := ""
	switch {
	case have.pos != e.pos:
		text = "another instruction"
	case have.a != e.a || have.b != e.b:
		text = "other matrix descriptors"
	case have.kept != e.kept:
		text = "another scale-d"
	}
	if text != "" {
		pos, src := where(o.Func, have.pos)
		o.note(o.Wave, CodeWarpgroup, in.Pos, finding{lanes: o.all, text: fmt.Sprintf("warp %d executes it, and warp %d of its warpgroup executed %s", o.ID, have.wave, text), remedy: warpgroupRemedy, section: warpgroupSection,
			rel: []diag.Related{related(pos, o.Func.Pos[have.pos].Name+": that of the other warp", src)}})
	}
	for len(log.list) > 0 && log.list[0].came == 15 {
		log.list = log.list[1:]
		log.first++
	}
}

const warpgroupSection = "PTX 9.7.16"

const warpgroupRemedy = "let all four warps of a warpgroup execute the same wgmma instructions in the same order with the same descriptors: no branch around them that differs within the warpgroup, and block sizes that are multiples of 128"

// unmet reports operations that some warps of a warpgroup have not come to when the block ends.
func (g *warpgroups) unmet(k *Block) {
	for i := range g.logs {
		if len(g.logs[i].list) == 0 {
			continue
		}
		e := &g.logs[i].list[0]
		var gone []int
		for w := range 4 {
			if e.came>>w&1 == 0 {
				gone = append(gone, 4*i+w)
			}
		}
		w := k.Waves[e.wave]
		k.note(w, CodeWarpgroup, e.pos, finding{lanes: w.Initial, remedy: warpgroupRemedy, section: warpgroupSection,
			text: fmt.Sprintf("warp %d executes it, and of its warpgroup warp %d has ended without it: a GPU may wait for ever", e.wave, gone[0])})
	}
}

// multiply computes the rows of D of the warp.
func (o *collective) multiply(info *ir.CollectiveInfo, e *groupEntry) bool {
	in, p := o.in, info.Product
	first := o.all.First()
	descriptor := func(r int) (v uint64, same bool) {
		v, same = o.Get(info.Src[r], first), true
		for l := range o.all.Lanes() {
			same = same && o.Get(info.Src[r], l) == v
		}
		return v, same
	}
	var a, b *panel
	var same bool
	if e.b, same = descriptor(p.SrcB); p.SharedA && same {
		e.a, same = descriptor(p.SrcA)
	}
	keep := uint32(o.Mask(info.Src[p.SrcC-1]) & o.all)
	e.kept = keep != 0
	switch {
	case !same:
		o.note(o.Wave, CodeWarpgroup, in.Pos, finding{lanes: o.all, text: fmt.Sprintf("the lanes of warp %d give different matrix descriptors", o.ID), remedy: warpgroupRemedy, section: warpgroupSection})
	case keep != 0 && keep != uint32(o.all):
		o.note(o.Wave, CodeWarpgroup, in.Pos, finding{lanes: o.all, text: fmt.Sprintf("the lanes of warp %d give different scale-d", o.ID), remedy: warpgroupRemedy, section: warpgroupSection})
	}
	x := o.accesses(in, ir.AccessRead)
	defer x.end()
	if b = o.shared(&x, "B", p, e.b, true, 0, p.N); b == nil {
		return false
	}
	if p.SharedA {
		if a = o.shared(&x, "A", p, e.a, false, o.ID%4*matrix.WarpRows, matrix.WarpRows); a == nil {
			return false
		}
	}
	o.dear += slowCost
	o.gatherSources()
	var panelA *matrix.Panel
	if a != nil {
		panelA = &a.Panel
	}
	for i := range o.group {
		x, info := o.at(i)
		o.inFlight(x, info)
		for r, d := range info.Dst {
			o.coll.dst[r] = o.Ptr(d)
		}
		f := info.Product.RunWarp(o.ID%4, panelA, &b.Panel, o.coll.src[:len(info.Src)], o.coll.dst[:len(info.Dst)], uint32(o.group[i].lanes), keep, &o.coll.scratch)
		if f != 0 && i == 0 {
			o.badOperand(x, o.all, f)
		}
	}
	return true
}

// shared reads a matrix of shared memory, of which the warp uses n rows or columns from first on. It returns nil after a
// fault.
func (o *collective) shared(x *ownAccesses, name string, p *matrix.Product, descriptor uint64, isB bool, first, n int) *panel {
	q := o.warpgroups.panel(o.Block, p, descriptor, isB)
	elem := p.Op.B
	if !isB {
		elem = p.Op.A
	}
	lines, units := q.tile.Lines()
	lo, hi := first, first+n
	ulo, uhi := 0, units
	if q.tile.Major {
		lo, hi, ulo, uhi = 0, lines, first*q.tile.Bits/128, (first+n)*q.tile.Bits/128
	}
	l := o.all.First()
	own := o.sharedFirst()
	watched := x.to != nil || o.Launch.Recorder != nil
	if q.text != "" {
		f := finding{lanes: o.all, text: fmt.Sprintf("the descriptor of %s (%s): %s", name, &q.tile.Descriptor, q.text), remedy: q.remedy, section: "PTX 9.7.16.5.1.2.2"}
		if !badTile(o.Wave, o.in, o.Block, &q.tile, f) {
			return nil
		}
	}
	if watched {
		for i := lo; i < hi; i++ {
			for u := ulo; u < uhi; u++ {
				at := own + uint64(q.tile.Unit(i, u))
				x.touch(l, ir.Shared, at, 16, nil)
				o.read(o.in, l, ir.Shared, at, 16)
			}
		}
	}
	q.Load(q.tile, elem, isB, o.Shared)
	return q
}

// badTile notes what is wrong with the descriptor of a matrix in the shared memory of a block. It returns false after a fault:
// a part of the matrix is outside of the memory.
func badTile(w *Wave, in *ir.Inst, owner *Block, tile *matrix.SharedTile, f finding) bool {
	lines, units := tile.Lines()
	for i := range lines {
		for u := range units {
			if at := uint64(tile.Unit(i, u)); at+16 > uint64(len(owner.Shared)) {
				w.fault(CodeOutOfBounds, in, owner.sharedFirst()+at, 16, f.lanes.First(), false, f.text)
				w.Fault.Lanes = f.lanes
				return false
			}
		}
	}
	w.note(w, CodeMatrixDescriptor, in.Pos, f)
	return true
}

// inFlight notes the registers of a product, and reports those that the manual leaves undefined. Only checks ask for it.
func (o *collective) inFlight(in *ir.Inst, info *ir.CollectiveInfo) {
	if !o.Launch.Track {
		return
	}
	g, p := o.warpgroups.of(o.Wave), info.Product
	if g.busy == nil {
		g.busy, g.touched = map[ir.Ref]busyRegister{}, map[ir.Ref]int32{}
	}
	note := func(code, text, remedy string, other int32) {
		f := finding{lanes: o.all, text: text, remedy: remedy, section: warpgroupSection}
		if other >= 0 {
			pos, src := where(o.Func, other)
			f.rel = []diag.Related{related(pos, o.Func.Pos[other].Name+": the other one", src)}
		}
		o.note(o.Wave, code, in.Pos, f)
	}
	a := info.Src[p.SrcA:p.SrcB]
	if p.SharedA {
		a = nil
	}
	switch other, name := g.between(info.Dst, a); {
	case !g.fenced:
		note(CodeWarpgroupFence, "no wgmma.fence comes before the first product", "put wgmma.fence.sync.aligned before the first wgmma.mma_async", -1)
	case other >= 0:
		note(CodeWarpgroupFence, fmt.Sprintf("a register of the product, %s, was accessed after the last wgmma.fence", o.Func.Val(name).Name),
			"put wgmma.fence.sync.aligned after the access and before the product; ptxas adds it, and then waits longer than the program asks for", other)
	}
	for _, r := range info.Dst {
		if b, ok := g.busy[r]; ok && b.sum && (b.info.Matrix.N != p.N || b.info.Matrix.Operands.D != p.Operands.D) {
			note(CodeWarpgroupFence, fmt.Sprintf("an accumulator, %s, is that of an unfinished product of another shape", o.Func.Val(r).Name), "wait for that product with wgmma.wait_group, and put wgmma.fence before this one", b.pos)
			break
		}
	}
	for _, r := range a {
		if b, ok := g.busy[r]; ok && b.sum {
			note(CodeAccumulator, fmt.Sprintf("it reads A from %s, an accumulator of a product that is not waited for", o.Func.Val(r).Name), accumulatorRemedy, b.pos)
			break
		}
	}
	for _, r := range a {
		if _, ok := g.busy[r]; !ok {
			g.busy[r] = busyRegister{g.group, in.Pos, false, info}
		}
	}
	for _, r := range info.Dst {
		g.busy[r] = busyRegister{g.group, in.Pos, true, info}
	}
}

// between returns the access after the last fence to one of the registers, and the register; -1 if there is none. Each
// access is reported once.
func (g *warpgroupWave) between(sets ...[]ir.Ref) (pos int32, reg ir.Ref) {
	pos = -1
	for _, set := range sets {
		for _, r := range set {
			if at, ok := g.touched[r]; ok {
				if pos < 0 {
					pos, reg = at, r
				}
				delete(g.touched, r)
			}
		}
	}
	return pos, reg
}

const accumulatorRemedy = "end the group with wgmma.commit_group and wait for it with wgmma.wait_group before the registers are used; ptxas adds a wait, or lets the products run one after another, which costs the overlap"

// claimInFlight handles an access of lanes to a register of a warpgroup's product.
func (g *warpgroups) claimInFlight(w *Wave, in *ir.Inst, m lane.Mask) {
	s := g.of(w)
	if m == 0 {
		return
	}
	r, writes := ir.InFlightFields(in.Imm)
	if s.touched == nil {
		s.busy, s.touched = map[ir.Ref]busyRegister{}, map[ir.Ref]int32{}
	}
	s.touched[r] = in.Pos
	b, ok := s.busy[r]
	if !ok || !b.sum && !writes {
		return
	}
	delete(s.busy, r) // one mistake is reported once
	what := "reads"
	if writes {
		what = "writes"
	}
	kind := "an accumulator"
	if !b.sum {
		kind = "a register of A"
	}
	pos, src := where(w.Func, b.pos)
	state := "its group is not waited for"
	if b.group == s.group {
		state = "no wgmma.commit_group has ended its group"
	}
	w.note(w, CodeAccumulator, in.Pos, finding{lanes: m, text: fmt.Sprintf("it %s %s, %s of a product in flight: %s", what, w.Func.Val(r).Name, kind, state), remedy: accumulatorRemedy, section: warpgroupSection,
		rel: []diag.Related{related(pos, w.Func.Pos[b.pos].Name+": the product", src)}})
}

// undefinedOperands returns the rows of the warp, and the columns, whose numbers have undefined bits in shared memory.
func (o *collective) undefinedOperands(info *ir.CollectiveInfo, rows, cols func(i int)) {
	p := info.Product
	first := o.all.First()
	each := func(descriptor uint64, isB bool, mark func(mn int)) {
		t := o.warpgroups.panel(o.Block, p, descriptor, isB).tile
		lines, units := t.Lines()
		for i := range lines {
			for u := range units {
				at := int(t.Unit(i, u))
				if at+16 > len(o.undef) {
					continue
				}
				for j, x := range o.undef[at : at+16] {
					switch {
					case x == 0:
					case t.Major:
						mark((16*u + j) * 8 / t.Bits)
					default:
						mark(i)
					}
				}
			}
		}
	}
	if !o.Launch.Track {
		return
	}
	each(o.Get(info.Src[p.SrcB], first), true, cols)
	if p.SharedA {
		each(o.Get(info.Src[p.SrcA], first), false, func(i int) {
			if i -= o.ID % 4 * matrix.WarpRows; 0 <= i && i < matrix.WarpRows {
				rows(i)
			}
		})
	}
}

// shadowWarpgroup returns the poisoned lanes of every register of D: an element depends on its row of A, its column of
// B, and itself unless scale-d is false.
func (o *collective) shadowWarpgroup(info *ir.CollectiveInfo, source func(int) lane.Mask) []lane.Mask {
	p := info.Product
	var rows [matrix.WarpRows]bool
	cols := make([]bool, p.N)
	o.undefinedOperands(info, func(i int) { rows[i] = true }, func(i int) { cols[i] = true })
	var rest lane.Mask // descriptors, metadata, scale-d
	for r := p.SrcB; r < p.SrcC; r++ {
		rest |= source(r)
	}
	if p.SharedA {
		rest |= source(p.SrcA)
	} else {
		for r := range p.A.Regs() {
			for l := range source(r).Lanes() {
				for e := range p.A.PerReg() {
					_, row, _ := p.A.At(l, r*p.A.PerReg()+e)
					rows[row%matrix.WarpRows] = true
				}
			}
		}
	}
	keep := o.Mask(info.Src[p.SrcC-1])
	bad := make([]lane.Mask, p.D.Regs())
	for r := range bad {
		if rest != 0 {
			bad[r] = math.MaxUint32
			continue
		}
		for l := range 32 {
			for e := range p.D.PerReg() {
				if _, row, col := p.D.At(l, r*p.D.PerReg()+e); rows[row] || cols[col] {
					bad[r] |= lane.Lane(l)
				}
			}
		}
		if !p.Zero {
			bad[r] |= source(p.SrcC+r) & keep
		}
	}
	return bad
}
