package hazard

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/internal/ir"
)

// pairKey is a pair of nodes and their relation: the number of a rule, or, negative, a class of
// flight.
type pairKey struct {
	by, to int32
	what   int16
}

// blamed is a pair that comes too close.
type blamed struct {
	pairKey
	rule         int // -1: a result that has not arrived
	class        flightClass
	locks, write bool
	maybe        bool // one of them has a computed register
	far          bool // the register that is filled is not the one from which its number is counted
	regs         amdgpu.RegRun
	n            int // the wait states between the two, or the number of operations of the class that may be outstanding
	path         []int32
	guessed      bool // a path contains a jump to an unknown address
}

// A spot is a place that a search has reached: before instruction at, with n wait states, or n
// later operations of the class. The path has waited for all but limit of them.
type spot struct {
	at       int32
	n, limit int16
}

// A search follows paths backwards from an instruction, breadth first.
type search struct {
	g    *amdgpu.FlowGraph
	todo []spot
	done int
	from map[spot]spot
}

func (s *search) start(at int32, first spot) {
	s.todo, s.done, s.from = s.todo[:0], 0, map[spot]spot{}
	s.push(at, first, spot{at: -1})
}

// push adds the predecessors of an instruction.
func (s *search) push(at int32, with, parent spot) {
	for _, p := range s.g.Pred[at] {
		q := with
		q.at = p
		if _, seen := s.from[q]; !seen {
			s.from[q] = parent
			s.todo = append(s.todo, q)
		}
	}
}

// next returns the next spot that is an instruction; it passes through computed branches.
func (s *search) next() (q spot, ok bool) {
	for s.done < len(s.todo) && s.done < maxSpots {
		q = s.todo[s.done]
		s.done++
		if s.g.Real(q.at) {
			return q, true
		}
		s.push(q.at, q, q)
	}
	return spot{}, false
}

// path returns the instructions from a spot to the start of the search.
func (s *search) path(q spot, to int32) []int32 {
	var l []int32
	for ; q.at >= 0; q = s.from[q] {
		if s.g.Real(q.at) {
			l = append(l, q.at)
		}
	}
	return append(l, to)
}

// guessed reports whether a path from a spot has a jump to an unknown address that is assumed to go
// to the place after a call.
func (c *staticCheck) guessed(s *search, q spot, to int32) bool {
	behindCall := func(node int32) bool {
		i := c.g.At(node)
		return i > 0 && amdgpu.IsCall(&c.p.insts[i-1].In)
	}
	jumps := false
	for ; q.at >= 0; q = s.from[q] {
		if jumps && behindCall(q.at) {
			return true
		}
		jumps = !c.g.Real(q.at)
	}
	return jumps && behindCall(to)
}

// maxSpots bounds one search. Causes beyond it are found from other instructions, or reported after
// the reported ones are fixed.
const maxSpots = 1 << 20

// factsOf returns the facts of a node's instruction.
func (c *staticCheck) factsOf(node int32) *facts { return &c.p.facts[c.g.At(node)] }

// blame finds the causes for an instruction that may come too early.
func (c *staticCheck) blame(i int32) (list []blamed) {
	add := func(b blamed) {
		for j := range list {
			if o := &list[j]; o.pairKey == b.pairKey {
				if b.n < o.n || o.guessed && !b.guessed {
					o.n, o.path, o.guessed = min(o.n, b.n), b.path, b.guessed && o.guessed
				}
				return
			}
		}
		if len(list) < maxMissing {
			list = append(list, b)
		}
	}
	f := c.factsOf(i)
	for _, r := range f.rules {
		if c.bad[i].rules>>r.rule&1 != 0 {
			for _, u := range r.uses {
				for k := range u.N {
					c.searchTrail(i, r.rule, u.Lo+k, u, false, add)
				}
			}
		}
	}
	if c.bad[i].unsaid {
		lds := amdgpu.Run(regLDS, 1)
		c.searchOne(i, flyLDS, true, lds, lds, false, add)
	}
	if c.bad[i].unseen {
		mem := amdgpu.Run(regMem, 1)
		c.searchOne(i, flyVM, true, mem, mem, false, add)
	}
	if c.bad[i].early {
		ops := amdgpu.Run(regOps, 1)
		c.searchOne(i, flyVM, true, ops, ops, false, add)
	}
	if c.bad[i].flight {
		for class := flightClass(0); class < numClasses; class++ {
			if class == flyFlat {
				continue
			}
			for _, u := range f.reads {
				c.searchFlight(i, class, u, false, add)
			}
			for _, u := range f.writes {
				c.searchFlight(i, class, u, true, add)
			}
		}
	}
	return list
}

// leaves reports whether an instruction may leave a trail of the kind on a register, and whether it
// ends earlier trails.
func (f *facts) leaves(kind amdgpu.TrailKind, reg uint16) (leaves, ends bool) {
	for _, l := range f.left[kind] {
		if kind == amdgpu.TrailVALU && f.shifts() {
			for _, u := range f.writes {
				if u.RegRun == l {
					l = u.registers()
				}
			}
		}
		if l.Overlaps(amdgpu.Run(reg, 1)) {
			return true, true
		}
	}
	if kind != amdgpu.TrailVALU || len(f.left[amdgpu.TrailVALU]) > 0 {
		return false, false
	}
	for _, u := range f.writes {
		if u.shift == shiftNone && u.Overlaps(amdgpu.Run(reg, 1)) {
			return false, true
		}
	}
	return false, false
}

// searchTrail looks for trails on a register within the states of a rule. If free, s_nop does not
// count.
func (c *staticCheck) searchTrail(i int32, r int, reg uint16, u amdgpu.RegRun, free bool, add func(blamed)) {
	rule := &c.p.rules[r]
	s := search{g: &c.g}
	s.start(i, spot{})
	for q, ok := s.next(); ok; q, ok = s.next() {
		f := c.factsOf(q.at)
		leaves, ends := f.leaves(rule.After, reg)
		if leaves {
			add(blamed{pairKey: pairKey{q.at, i, int16(r)}, rule: r, regs: u, n: int(q.n), maybe: rule.After == amdgpu.TrailVALU && f.shifts(), path: s.path(q, i), guessed: c.guessed(&s, q, i)})
		}
		if ends {
			continue
		}
		next := q
		if !free || !c.p.insts[c.g.At(q.at)].In.IsNop() {
			next.n += int16(f.states)
		}
		if int(next.n) < rule.States {
			s.push(q.at, next, q)
		}
	}
}

// counts reports whether an instruction is one more operation of the class.
func (f *facts) counts(class flightClass) bool {
	return f.class == class || class == flyExp && len(f.locks) > 0 || class == flyLDS && f.isFlat // Errata E125
}

// fillsReg reports whether an instruction begins a flight of the class to a register.
func (f *facts) fillsReg(class flightClass, s amdgpu.RegRun) bool {
	uses := f.locks
	switch s.Lo {
	case regLDS:
		return f.stores && f.class == class
	case regMem:
		return f.writesMem && f.class == class
	case regOps:
		return (f.writesMem || f.flies) && f.class == class
	}
	if class != flyExp {
		if !f.flies || f.class != class {
			return false
		}
		uses = f.writes
	}
	for _, u := range uses {
		if u.registers().Overlaps(s) {
			return true
		}
	}
	return false
}

// hits reports whether an instruction that uses a register comes too early if a flight of the class
// to it is open. A register that may be used because its number is computed is only a note and
// hides no later pair: only registers that the text names count.
func (f *facts) hits(class flightClass, s amdgpu.RegRun) bool {
	if class != flyExp {
		for _, u := range f.reads {
			if u.RegRun.Overlaps(s) {
				return true
			}
		}
	}
	_, ordered := f.class.counter()
	for _, u := range f.writes {
		if u.RegRun.Overlaps(s) && !(f.flies && ordered && class != flyExp && class == f.class) {
			return true
		}
	}
	return false
}

// unlimited is a limit that no wait has set.
const unlimited = 255

// searchFlight looks for flights of a class to registers that instruction i uses.
func (c *staticCheck) searchFlight(i int32, class flightClass, u use, write bool, add func(blamed)) {
	me := c.factsOf(i)
	_, ordered := class.counter()
	if class == flyExp && !write {
		return
	}
	if _, inOrder := me.class.counter(); write && me.flies && inOrder && class != flyExp && class == me.class {
		return
	}
	whole := u.registers()
	if u.shift != shiftNone {
		c.searchOne(i, class, ordered, whole, u.RegRun, write, add)
		return
	}
	for k := range whole.N {
		c.searchOne(i, class, ordered, amdgpu.Run(whole.Lo+k, 1), u.RegRun, write, add)
	}
}

// searchOne looks for flights of a class to one register.
func (c *staticCheck) searchOne(i int32, class flightClass, ordered bool, reg, shown amdgpu.RegRun, write bool, add func(blamed)) {
	s := search{g: &c.g}
	s.start(i, spot{limit: unlimited})
	for q, ok := s.next(); ok; q, ok = s.next() {
		f := c.factsOf(q.at)
		if f.fillsReg(class, reg) {
			n := 0
			if ordered {
				n = min(int(q.n), c.p.chip.Counters[class.field()].Max()-1)
			}
			add(blamed{pairKey: pairKey{q.at, i, -1 - int16(class)}, rule: -1, class: class, locks: class == flyExp, write: write, regs: shown, maybe: reg.N > 1 || f.shifts(), far: reg.N > 1 && !f.fillsReg(class, shown), n: n, path: s.path(q, i), guessed: c.guessed(&s, q, i)})
			continue
		}
		next := q
		if f.counts(class) {
			if ordered && int(next.n)+1 > class.room(c.p.chip) {
				continue // it has arrived, else this instruction would not have been issued
			}
			next.n = min(next.n+1, int16(class.room(c.p.chip)))
			if next.limit != unlimited {
				next.limit--
			}
		}
		if f.waits {
			switch n := f.leave[class.field()]; {
			case n == 0:
				continue
			case ordered && n != c.p.chip.Counters[class.field()].Max():
				next.limit = min(next.limit, int16(n))
			}
		}
		if next.limit > 0 && !(reg.N == 1 && f.hits(class, reg)) { // otherwise that pair is reported
			s.push(q.at, next, q)
		}
	}
}

// A bend is an instruction on a path that does not continue with the next one, or might not.
type bend struct {
	at  ir.Pos
	how string
	to  ir.Pos
}

// jumps returns the bends of a path.
func (c *staticCheck) jumps(path []int32) (list []bend) {
	for k := 0; k+1 < len(path); k++ {
		d, to := &c.p.insts[c.g.At(path[k])], &c.p.insts[c.g.At(path[k+1])]
		next := c.g.Succ[path[k]]
		if len(next) == 1 && to.Off == d.Next {
			continue
		}
		j := bend{at: c.code.Pos(d), to: c.code.Pos(to)}
		if j.how = "goes to " + whereText(j.to); to.Off == d.Next {
			j.how = "goes on"
		}
		list = append(list, j)
	}
	return list
}

// jumpsText lists the jumps of a path, at most four.
func jumpsText(jumps []bend) string {
	var l []string
	for _, j := range jumps {
		l = append(l, fmt.Sprintf("%s (%s)", j.at.Name, whereText(j.at)))
	}
	if len(l) > 4 {
		l = append(append(l[:2:2], "..."), l[len(l)-1])
	}
	return strings.Join(l, ", ")
}

// pairs counts the pairs that must not come too close, without those that do. For wait states these
// are the pairs that would break a rule without any s_nop; for results, each load and the first
// uses after it.
func (c *staticCheck) pairs(missing map[pairKey]bool) int {
	n := 0
	seen := map[pairKey]bool{}
	mark := make([]int32, len(c.g.Succ))
	turn := int32(0)
	count := func(k pairKey, use int) {
		if k = c.ofInsts(k); missing[k] {
			return
		}
		if k.what >= 0 {
			k.what += int16(use) << 8 // each operand separately
		}
		if !seen[k] {
			seen[k] = true
			n++
		}
	}
	for i := range int32(c.g.N) {
		f := c.factsOf(i)
		if i > 0 && c.g.At(i) != c.g.At(i-1) {
			clear(seen) // drop the pairs of the same instruction in its other contexts
		}
		for _, r := range f.rules {
			for j, u := range r.uses {
				for k := range u.N {
					c.searchTrail(i, r.rule, u.Lo+k, u, true, func(b blamed) { count(b.pairKey, j) })
				}
			}
		}
		for class := flightClass(0); class < numClasses; class++ {
			if class == flyFlat || !f.flies && class != flyExp || class != f.class && (class != flyExp || len(f.locks) == 0) {
				continue
			}
			uses := f.writes
			if class == flyExp {
				uses = f.locks
			}
			for _, u := range uses {
				w := u.registers()
				for k := range w.N {
					turn++
					c.firstUses(i, amdgpu.Run(w.Lo+k, 1), class, mark, turn, func(to int32) { count(pairKey{i, to, -1 - int16(class)}, 0) })
				}
			}
		}
	}
	return n
}

// firstUses finds the first instructions after i that use a register that a flight of i fills.
func (c *staticCheck) firstUses(i int32, reg amdgpu.RegRun, class flightClass, mark []int32, turn int32, found func(to int32)) {
	todo := slices.Clone(c.g.Succ[i])
	for len(todo) > 0 {
		j := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if mark[j] == turn {
			continue
		}
		mark[j] = turn
		if c.steps--; c.steps < 0 {
			c.rep.AtLeast = true
			return
		}
		if c.g.Real(j) {
			f := c.factsOf(j)
			if f.hits(class, reg) {
				found(j)
				continue
			}
			if f.fillsReg(class, reg) {
				continue
			}
		}
		todo = append(todo, c.g.Succ[j]...)
	}
}

// locate finds the best place for a missing wait: outside the loops that contain the consumer but
// not the producer.
func (c *staticCheck) locate(m *MissingWait, b blamed) {
	head := c.loopAround(int(c.g.At(b.to)), int(c.g.At(b.by)))
	if head <= 0 {
		return
	}
	m.Outer, m.After = true, c.p.insts[head-1].Off
	if m.Counts == [3]int{-1, -1, -1} {
		return
	}
	// Operations that the loop issues before the consumer do not count at that place.
	n, ordered := 0, false
	if _, ordered = b.class.counter(); ordered {
		for _, j := range b.path[1:] {
			if int(c.g.At(j)) == head {
				break
			}
			if c.factsOf(j).counts(b.class) {
				n++
			}
		}
	}
	m.Counts[b.class.field()] = min(n, b.n)
}

// loopAround returns the first instruction of the outermost loop that contains instruction to and
// not by, if the only entry is from the instruction before it; 0 if there is none.
func (c *staticCheck) loopAround(to, by int) (head int) {
	for j := to; j < len(c.p.insts) && j < to+4096; j++ {
		for _, h := range c.flow.Succ[j] {
			if h := int(h); h > 0 && h <= to && (by < h || by > j) && (head == 0 || h < head) && c.oneWayIn(h, j) {
				head = h
			}
		}
	}
	return head
}

// oneWayIn reports whether control enters instructions lo to hi only from lo-1.
func (c *staticCheck) oneWayIn(lo, hi int) bool {
	if c.p.insts[lo].Off == c.code.Entry || hi-lo > 4096 {
		return false
	}
	for k := lo; k <= hi; k++ {
		for _, p := range c.flow.Pred[k] {
			if (int(p) < lo || int(p) > hi) && !(k == lo && int(p) == lo-1) {
				return false
			}
		}
	}
	return slices.Contains(c.flow.Pred[lo], int32(lo-1)) && c.p.insts[lo-1].Next == c.p.insts[lo].Off
}
