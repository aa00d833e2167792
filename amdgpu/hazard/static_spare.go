package hazard

import (
	"slices"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
)

// This file finds needless waits. An s_nop is needless if no instruction within the largest
// distance of a rule comes too early without it. An s_waitcnt is needless if no operation that it
// waits for can be outstanding. If one can be, other observers of the memory may need its
// completion, which is not visible here.

// A SpareWait is an s_nop or s_waitcnt that waits longer than any instruction needs.
type SpareWait struct {
	Diag *diag.Diagnostic
	Edit WaitEdit // the edit that removes the excess
}

const codeSpareWait = "needless-wait"

// spareSteps bounds the search from one s_nop or s_waitcnt.
const spareSteps = 4096

// spare finds needless waits.
type spare struct {
	c      *staticCheck
	before map[int32][]mayTrail // by node
	steps  int
}

func (c *staticCheck) newSpare() *spare { return &spare{c: c, before: map[int32][]mayTrail{}} }

// see keeps the trails that an s_nop or s_waitcnt separates from the instructions after it.
func (s *spare) see(i int32, st *mayState) {
	if k := s.c.g.At(i); s.c.p.insts[k].In.IsNop() || s.c.p.facts[k].waits {
		s.before[i] = append(s.before[i][:0], st.trails...)
	}
}

// find returns the needless waits of the code.
func (s *spare) find() (list []SpareWait) {
	c := s.c
	for i := int32(0); i < int32(c.g.N); {
		// These are the nodes of one instruction: a wait that one of them needs is needed.
		inst := int(c.g.At(i))
		var nodes []int32
		for ; i < int32(c.g.N) && int(c.g.At(i)) == inst; i++ {
			if _, reached := s.before[i]; reached {
				nodes = append(nodes, i)
			}
		}
		if len(nodes) == 0 {
			continue
		}
		d, f := &c.p.insts[inst], &c.p.facts[inst]
		c.rep.Waits = append(c.rep.Waits, d.Off)
		e := WaitEdit{Off: d.Off, How: EditRemove, Counts: [3]int{-1, -1, -1}, chip: c.p.chip}
		what := "no instruction needs it"
		if f.waits {
			open := c.limitsOf(inst)
			for k, n := range open {
				if n >= 0 && slices.ContainsFunc(nodes, func(i int32) bool { return c.outstanding(i, k, n) }) {
					e.How, e.Counts[k] = EditReplace, n
				}
			}
			if e.Counts == open {
				continue
			}
			what = "no operation that it waits for can be outstanding"
			if e.How == EditReplace {
				what = e.Text() + " waits for all that can be outstanding"
			} else if !s.clean(nodes, 0) {
				continue // it is a wait state
			}
		} else {
			m := 0
			for m < f.states && !s.clean(nodes, m) {
				m++
			}
			if m == f.states {
				continue
			}
			if m > 0 {
				e.How, e.States = EditReplace, m
				what = e.Text() + " is enough"
			}
		}
		pos := c.code.Pos(d)
		e.Why = what
		g := diag.Errorf(c.code.DiagPos(pos), diag.Finding, codeSpareWait, "%s: %s on any path", pos.Text, what)
		g.Severity, g.Source = diag.Note, pos.Text
		if g.Remedy = "take it out"; e.How == EditReplace {
			g.Remedy = "write " + e.Text()
		}
		if len(list) < maxMissing {
			list = append(list, SpareWait{g, e})
		}
	}
	return list
}

// clean reports whether certainly no rule of wait states is broken after an instruction if it has m
// wait states.
func (s *spare) clean(nodes []int32, m int) bool {
	for _, i := range nodes {
		s.steps = spareSteps
		st := mayState{trails: slices.Clone(s.before[i])}
		for j := range st.trails {
			st.trails[j].n += m
		}
		if !s.follow(i, &st, m) {
			return false
		}
	}
	return true
}

// follow follows the paths after an instruction, n wait states after the removed one.
func (s *spare) follow(i int32, st *mayState, n int) bool {
	if n >= s.c.p.chip.MaxWaitStates() {
		return true
	}
	for _, to := range s.c.g.Succ[i] {
		if s.steps--; s.steps < 0 {
			return false
		}
		next, more := mayState{trails: slices.Clone(st.trails)}, n
		if s.c.g.Real(to) {
			if next.step(s.c.p, int(s.c.g.At(to))).rules != 0 {
				return false
			}
			more += s.c.factsOf(to).states
		}
		if !s.follow(to, &next, more) {
			return false
		}
	}
	return true
}

// outstanding reports whether an operation that counts in counter k may be outstanding before
// instruction i, beyond the operations that an s_waitcnt for n guarantees to be done.
func (c *staticCheck) outstanding(i int32, k, n int) bool {
	counter := [...]amdgpu.Counters{amdgpu.VMCnt, amdgpu.ExpCnt, amdgpu.LGKMCnt}[k]
	s := search{g: &c.g}
	s.start(i, spot{})
	if c.code.Function && i == c.g.Entry {
		return true // operations of the caller
	}
	for j := 0; j < len(s.todo); j++ {
		q := s.todo[j]
		if j > spareSteps {
			return true
		}
		if c.g.Real(q.at) {
			if c.p.insts[c.g.At(q.at)].In.Counters()&counter != 0 {
				return true
			}
			if f := c.factsOf(q.at); f.waits && f.leave[k] <= n {
				continue
			}
			if c.code.Function && q.at == c.g.Entry {
				return true
			}
		}
		s.push(q.at, q, q)
	}
	return false
}
