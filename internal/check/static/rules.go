package static

import (
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Codes of findings that a run reports, too.
const (
	codeUndefinedSource = "undefined-source"
	codeNotInMembermask = "not-in-membermask"
	codeActivemask      = "activemask-membermask"
	codeBadBarrier      = "bad-barrier"
	codeOutOfBounds     = "out-of-bounds"
	codeMisaligned      = "misaligned"
)

// Codes of this package alone.
const (
	codeAbsentMembers    = "absent-members"
	codeDivergentSync    = "divergent-sync"
	codeDivergentBarrier = "divergent-barrier"
	codeSegments         = "shuffle-segments"
	codeRange            = "shuffle-range"
	codeUnusedPredicate  = "unused-predicate"
	codeShift            = "shift-range"
	codeFunnel           = "funnel-halves"
	codeZeroDivisor      = "zero-divisor"
	codeBankConflict     = "bank-conflict"
	codeUninitialised    = "uninitialised-register"
)

// rules checks every instruction that control can reach in the world in hand. Operations that meet are
// collected first, because lanes may meet at different instructions.
func (c *checker) rules() {
	c.arriving = map[meeting]lane.Mask{}
	for _, b := range c.g.order {
		bl := c.f.Blocks[b]
		if in := &c.f.Code[bl.End-1]; in.Op.Meets() {
			here := c.at(b, bl.End-1, in).may
			c.arriving[meeting{c.arrivalOf(b, in), c.membersOf(bl.End-1, in, here)}] |= here
		}
	}
	for _, b := range c.g.order {
		if c.a.may[b] == 0 {
			continue
		}
		bl := c.f.Blocks[b]
		for i := bl.Start; i < bl.End; i++ {
			c.rule(b, i, &c.f.Code[i])
		}
	}
	c.roles()
}

// rule applies the rules that fit an operation.
func (c *checker) rule(b int32, i int, in *ir.Inst) {
	c.uninitialised(i, in)
	switch {
	case in.Op == ir.ShflSync || in.Op == ir.Shfl:
		c.shuffle(b, i, in)
	case in.Op == ir.Bar:
		c.barrier(b, i, in)
	case in.Op == ir.Collective:
		c.fragment(b, i, in)
	case in.Op == ir.Load || in.Op == ir.Store || in.Op == ir.Atomic:
		c.access(b, i, in)
	case in.Op.Pure():
		c.arithmetic(b, i, in)
	}
	if in.Op.Meets() {
		c.meet(b, i, in)
	}
}

// A presence says which lanes execute an instruction.
type presence struct {
	may, must lane.Mask // see analysis
	// dark: lanes may be missing for reasons that are not known. evident: the reason differs between
	// lanes.
	dark, evident bool
}

// at returns the lanes that execute instruction i of block b under its guard.
func (c *checker) at(b int32, i int, in *ir.Inst) presence {
	a := c.a
	p := presence{a.may[b], a.must[b], a.d.dark[b], a.d.open[b]}
	if in.Guard == 0 {
		return p
	}
	switch g := a.operand(i, opGuard); g.kind {
	case known:
		m := c.guarded(i, in, ^lane.Mask(0))
		p.may, p.must = p.may&m, p.must&m
	case top:
		p.must, p.dark = 0, true
		p.evident = p.evident || g.varies != 0
	}
	return p
}

// warns reports whether warnings about possible behaviour may be given for block b in the world in
// hand. The blocks that the first wave reaches are left to the world of that wave, where more is known.
func (c *checker) warns(b int32) bool {
	w := &c.a.w
	return w.likely && (w.single || c.covered == nil || c.covered[b] == 0)
}

// An arrival identifies operations at which lanes with one membermask meet: they have equal arrivals.
type arrival struct {
	op    ir.Op
	imm   uint64
	block int32 // below sm_70: lanes meet only at the same instruction
}

// arrivalOf returns the arrival of an operation. If lanes may meet at different instructions, the block
// does not count.
func (c *checker) arrivalOf(b int32, in *ir.Inst) arrival {
	if c.f.MeetAnywhere {
		b = 0
	}
	if in.Op == ir.Collective {
		return arrival{in.Op, 0, b}
	}
	return arrival{in.Op, in.Imm, b}
}

// A meeting is an arrival with the membermask, because lanes meet only under equal masks. members is 0
// if it is not known.
type meeting struct {
	arrival
	members lane.Mask
}

// membersOf returns the membermask of an operation that meets if it is one constant for all lanes here;
// otherwise 0.
func (c *checker) membersOf(i int, in *ir.Inst, here lane.Mask) lane.Mask {
	if in.Op == ir.Collective {
		return lane.All(32)
	}
	v := c.a.operand(i, 3)
	m, ok := v.constantIn(here)
	if !ok {
		return 0
	}
	return lane.Mask(m)
}

// meet checks the membermask of an operation that waits for its members (PTX 9.7.9.6).
//
// Input: the lanes that may and must arrive, and the mask.
// Output: an error if a lane that executes it is not in its mask, or if its source takes no part; a
// warning if a member never comes or may be missing; otherwise a proof, if all members must arrive.
func (c *checker) meet(b int32, i int, in *ir.Inst) {
	a := c.a
	p := c.at(b, i, in)
	here, must := p.may, p.must
	if _, ok := c.provedAt[i]; !ok {
		c.provedAt[i] = false
	}
	fails := true
	defer func() {
		if a.w.single && !a.w.partial {
			return // the other worlds prove or refute it
		}
		c.provedAt[i] = c.provedAt[i] || !fails
		c.failedAt[i] = c.failedAt[i] || fails && !(c.a.w.assumed && c.provedAt[i])
	}()
	m := a.operand(i, 3)
	if in.Op != ir.Collective && m.kind != known {
		c.maskOrigin(b, i)
		return
	}
	if in.Op == ir.Collective {
		m = constant(uint64(lane.All(32)))
	}
	var outside lane.Mask
	for l := range here.Lanes() {
		if m.at(l)>>uint(l)&1 == 0 {
			outside |= lane.Lane(l)
		}
	}
	// An error needs a lane that certainly executes it. If all lanes that may
	// come are outside, any lane that executes it is an error.
	certain := outside & must
	if outside == here && here != 0 {
		certain = outside
	}
	if certain != 0 {
		c.report(i, diag.Error, codeNotInMembermask, certain, "name the lanes that execute the instruction, or keep the other lanes away from it with a branch",
			"%s, but membermask %s does not name %s", certain.Do("executes it", "execute it"), maskText(m, certain), verb(certain, "it", "them"))
		return
	}
	members64, ok := m.constantIn(here)
	members := lane.Mask(members64)
	if !ok {
		return
	}
	at := c.arrivalOf(b, in)
	// Lanes that arrive with an unknown membermask may have this one, so they count as arriving.
	arrive := c.arriving[meeting{at, members}] | c.arriving[meeting{at, 0}]
	missing := members &^ arrive
	bad := false
	readsKnown := false
	if in.Op == ir.ShflSync {
		bad, readsKnown = c.sources(b, i, in, p, members, arrive)
	}
	// A lane of the mask that arrives at no operation with this mask never comes, on any path.
	if absent := missing & a.w.lanes; !bad && absent != 0 && must != 0 {
		d := c.report(i, diag.Warning, codeAbsentMembers, absent, "name only the lanes that get here: compute the membermask with vote.sync.ballot before the branch, or write it as a constant",
			"membermask %s names %s, which never %s here: the other lanes wait for them until they exit, and the values of the absent lanes are undefined", members.Hex(32), absent.Named(), verb(absent, "gets", "get"))
		c.relateCause(d, b)
		return
	}
	if bad {
		return
	}
	// Lanes may be missing because of the lane's data. If the other side of the branch has an operation
	// that meets this one, they arrive there.
	if c.warns(b) && p.evident && members.Count() > 1 && !c.otherSide(b, i, in) {
		at, exits := c.cause(b, true)
		if at >= 0 {
			at = int32(c.g.f.Blocks[at].End - 1)
		} else if in.Guard != 0 {
			at = int32(i)
		}
		if at >= 0 && (!exits || in.Op == ir.ShflSync) {
			text := "membermask %s, where lanes may be missing: the branch or guard before it depends on the lane's data"
			d := c.report(i, diag.Warning, codeDivergentSync, 0, "compute the membermask with vote.sync.ballot of the branch's condition, before the branch, or move the instruction out of it", text, members.Hex(32))
			if int(at) != i {
				c.relate(d, int(at), "lanes may diverge here")
			}
		}
	}
	// It is proved if all members must arrive. A shuffle of a part of the lanes also needs sources that
	// take part.
	fails = members&^must != 0 || in.Op == ir.ShflSync && members != a.w.lanes && !readsKnown
	// In a partial wave, members that do not exist are not waited for.
	if a.w.partial && members&a.w.lanes&^must == 0 && (in.Op != ir.ShflSync || readsKnown) {
		fails = false
	}
}

// verb returns the form of a verb that fits the number of lanes.
func verb(m lane.Mask, one, many string) string {
	if m.Count() == 1 {
		return one
	}
	return many
}

// maskText returns the text of the mask that lanes hold, if it is one mask.
func maskText(m value, lanes lane.Mask) string {
	if v, ok := m.constantIn(lanes); ok {
		return lane.Mask(v).Hex(32)
	}
	return "of their own"
}

// sources checks the lanes that a shuffle reads. bad: a lane that certainly executes the shuffle reads
// a lane that never takes part. ok: all sources are known and take part.
func (c *checker) sources(b int32, i int, in *ir.Inst, p presence, members, arrive lane.Mask) (bad, ok bool) {
	a := c.a
	vb, vc := a.operand(i, 1), a.operand(i, 2)
	if vb.kind != known || vc.kind != known {
		return false, false
	}
	ok = true
	var readers, read lane.Mask
	for l := range (p.may & members).Lanes() {
		j, inRange := lane.ShflSource(lane.ShflMode(in.Imm), l, uint32(vb.at(l)), uint32(vc.at(l)))
		// The lane keeps its own value, which is always defined.
		if !inRange || j == l {
			continue
		}
		if members.Has(j) && arrive.Has(j) {
			if !p.must.Has(j) {
				ok = false
			}
			continue
		}
		ok = false
		if p.must.Has(l) {
			readers |= lane.Lane(l)
			read |= lane.Lane(j)
		}
	}
	if readers == 0 {
		return false, ok
	}
	why := "never " + verb(read, "gets", "get") + " here"
	remedy := "let only the lanes use the value whose source takes part, or bring the other lanes here"
	switch {
	case read&members == 0:
		why = verb(read, "is", "are") + " not in membermask " + members.Hex(32)
		remedy = "name the lanes in the membermask, if they get here, or do not use the values read from them"
	case a.w.partial && read&a.w.lanes == 0:
		why = verb(read, "does", "do") + " not exist"
	}
	d := c.report(i, diag.Error, codeUndefinedSource, readers, remedy, "%s %s, which %s: the value is undefined", readers.Do("reads", "read"), read.Named(), why)
	if read&members != 0 && !(a.w.partial && read&a.w.lanes == 0) {
		c.relateCause(d, b)
	}
	return true, false
}

// cause returns the block whose branch keeps lanes away from b; -1 if it is not found. A branch after
// which lanes have met again before b does not count. If open is true, only branches count for which it
// is not known which lanes they keep away. exits reports that these lanes have ended.
func (c *checker) cause(b int32, open bool) (block int32, exits bool) {
	block = -1
	// The closest dominator that decides about b explains it best.
	for x := int32(c.g.dom.Idom[b]); x >= 0; x = int32(c.g.dom.Idom[x]) {
		if k := c.a.d.known[x]; k.evident && !(open && k.byLane) && c.g.controls(x, b) {
			block = x
			break
		}
	}
	if block < 0 {
		block = c.a.d.cause[b] - 1
	}
	if block < 0 && !open {
		block = c.a.d.parts[b] - 1
	}
	if block < 0 {
		return -1, false
	}
	if c.g.last(block).Op == ir.Exit {
		return block, true
	}
	for _, s := range c.g.succ[block] {
		if c.g.onlyExits(s) {
			return block, true
		}
	}
	return block, false
}

// relateCause adds the branch that keeps lanes away from block b to a finding.
func (c *checker) relateCause(d *diag.Diagnostic, b int32) {
	if x, _ := c.cause(b, false); x >= 0 {
		c.relate(d, c.g.f.Blocks[x].End-1, "lanes diverge here")
	}
}

// otherSide reports whether lanes that are kept away from block b may reach an operation that meets the
// one in b.
func (c *checker) otherSide(b int32, i int, in *ir.Inst) bool {
	if !c.f.MeetAnywhere {
		return false
	}
	cause, _ := c.cause(b, true)
	if cause < 0 {
		return false
	}
	side := func(x int32) int {
		for k, s := range c.g.succ[cause] {
			if c.g.dom.Dominates(int(s), int(x)) {
				return k
			}
		}
		return -1
	}
	// Two blocks are on different sides if different successors of the branch dominate them.
	mine := side(b)
	if c.meets == nil {
		c.meets = map[arrival][]int32{}
		for _, x := range c.g.order {
			if last := c.g.last(x); last.Op.Meets() {
				k := c.arrivalOf(x, last)
				c.meets[k] = append(c.meets[k], x)
			}
		}
	}
	for n, x := range c.meets[c.arrivalOf(b, in)] {
		if n > 64 { // too many to look at
			return true // too many blocks to look at
		}
		if x != b && side(x) != mine && c.g.dom.Dominates(int(cause), int(x)) {
			return true
		}
	}
	return false
}

// maxOrigin bounds the copies through which a membermask is followed.
const maxOrigin = 64

// maskOrigin warns of a membermask that is only a copy of the result of activemask, or of a ballot of
// the lanes that happened to run together (PTX 9.7.14.12).
func (c *checker) maskOrigin(b int32, i int) {
	if c.a.w.single && !c.a.w.partial {
		return
	}
	start := c.s.ops[i*opCount+3]
	stack := []id{start}
	seen := map[id]bool{start: true}
	active := -1
	copied := false
	for len(stack) > 0 {
		d := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if len(seen) > maxOrigin {
			return
		}
		push := func(o id) {
			if !seen[o] {
				seen[o] = true
				stack = append(stack, o)
			}
		}
		if p := c.s.phi(d); p != nil {
			copied = true
			for _, o := range p.ops {
				push(o)
			}
			continue
		}
		k, ok := c.s.inst(d)
		if !ok {
			return
		}
		switch in := &c.f.Code[k]; {
		case in.Op == ir.ActiveMask:
			active = k
		case in.Op == ir.Vote && c.a.d.open[c.s.block[k]]:
			// A ballot of the lanes that happen to run together, after a branch.
			active, copied = k, true
		case in.Op == ir.Mov32 && in.Guard == 0:
			copied = true
			push(c.s.ops[k*opCount])
		default:
			return
		}
	}
	if active < 0 || !copied {
		return // the front end warns of a result that is not copied
	}
	d := c.report(i, diag.Warning, codeActivemask, 0, "compute the membermask from the condition, with vote.sync.ballot before the branch",
		"the membermask comes from %s: which lanes run together is the scheduler's choice, so lanes that should take part may be missing", c.f.Pos[c.f.Code[active].Pos].Name)
	c.relate(d, active, "the mask is made here")
}

// barrier checks a barrier of the block (PTX 9.7.14.1): its number, its count of threads, and whether
// all lanes of a warp reach it together.
func (c *checker) barrier(b int32, i int, in *ir.Inst) {
	a := c.a
	p := c.at(b, i, in)
	here := p.may
	if _, ok := c.provedAt[i]; !ok {
		c.provedAt[i] = true
	}
	if in.Args[0] != 0 {
		v := a.operand(i, 0)
		if n, ok := v.constantIn(here); ok && n > 15 {
			c.failedAt[i] = true
			c.report(i, diag.Error, codeBadBarrier, 0, "use one of the barriers 0 to 15", "barrier %d is outside 0 to 15", n)
		}
	}
	if in.Args[1] != 0 {
		v := a.operand(i, 1)
		if n, ok := v.constantIn(here); ok && n%32 != 0 {
			c.failedAt[i] = true
			c.report(i, diag.Error, codeBadBarrier, 0, "give the number of threads as a multiple of the warp size, 32", "%d threads for a barrier: the number must be a multiple of the warp size, 32", n)
		}
	}
	// All lanes of the wave come: the barrier is proved.
	if p.must == a.w.lanes {
		return
	}
	cause, exits := c.cause(b, p.dark)
	if exits && in.Guard == 0 {
		return // the barrier does not wait for lanes that have exited
	}
	if !a.w.single && a.w.likely || !p.dark && here != a.w.lanes {
		c.failedAt[i] = true
	}
	if ir.BarMode(in.Imm)&ir.BarAligned == 0 {
		return // lanes may arrive one by one
	}
	var d *diag.Diagnostic
	switch {
	case here != a.w.lanes && p.must != 0:
		d = c.report(i, diag.Warning, codeDivergentBarrier, here, "move the barrier to a place that all lanes of the warp reach, or use barrier without .aligned",
			"only %s of a warp can get here, but all must execute it together", here.Named())
	case c.warns(b) && p.evident && (cause >= 0 || in.Guard != 0):
		d = c.report(i, diag.Warning, codeDivergentBarrier, 0, "move the barrier to a place that all lanes of the warp reach, or use barrier without .aligned",
			"lanes of a warp may be missing, but all must execute it together: the branch or guard before it depends on the lane's data")
	default:
		return
	}
	if cause >= 0 {
		c.relate(d, c.g.f.Blocks[cause].End-1, "lanes diverge here")
	}
}
