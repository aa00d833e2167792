package hazard

import (
	"container/heap"
	"slices"

	"example.org/crosslane/amdgpu"
)

// This file finds the instructions that may use a result without a wait, on some path through the
// code. It is a may-analysis without values. Code of compilers waits everywhere, so the analysis
// finds nothing there, a run need not observe the wave, and late results cannot show.
//
// Input: the flow graph and the facts of each instruction.
// Output: the suspects of each node.
// Invariant: an instruction without suspects is right on every path.
// Example: `flat_load_dword v1, v[2:3]` then `v_mov_b32 v4, v1` without s_waitcnt: v_mov has flight
// set.
// Literature: forward may-analysis, iterated to a fixed point.

// suspects holds the possible mistakes at an instruction.
type suspects struct {
	flight bool   // it uses a register whose value may not have arrived
	flat   bool   // like flight, if a flat instruction addresses LDS
	unsaid bool   // at a barrier: a write to LDS may be outstanding
	unseen bool   // at a barrier: a write to vector memory may be outstanding
	early  bool   // the cache is invalidated while accesses to vector memory may be outstanding
	rules  uint32 // numbers of the rules of wait states that it may break
}

// A mayTrail is the least number of wait states since a trail on a register. A mayFlight is the
// least number of later operations of its class.
type mayTrail struct {
	kind amdgpu.TrailKind
	reg  uint16
	n    int
}

type mayFlight struct {
	class flightClass
	reg   uint16
	n     int
	locks bool
}

// mayState holds the trails and flights that may be open at a place.
type mayState struct {
	trails  []mayTrail
	flights []mayFlight
}

func (s *mayState) clone() mayState {
	return mayState{slices.Clone(s.trails), slices.Clone(s.flights)}
}

// trail adds a trail, or lowers the distance of the same trail.
func (s *mayState) trail(n mayTrail) (changed bool) {
	for i := range s.trails {
		if o := &s.trails[i]; o.kind == n.kind && o.reg == n.reg {
			changed = n.n < o.n
			o.n = min(o.n, n.n)
			return changed
		}
	}
	s.trails = append(s.trails, n)
	return true
}

// flight adds a flight, or lowers the count of the same flight.
func (s *mayState) flight(n mayFlight) (changed bool) {
	for i := range s.flights {
		if o := &s.flights[i]; o.class == n.class && o.reg == n.reg && o.locks == n.locks {
			changed = n.n < o.n
			o.n = min(o.n, n.n)
			return changed
		}
	}
	s.flights = append(s.flights, n)
	return true
}

// join adds the state of another path.
func (s *mayState) join(o *mayState) (changed bool) {
	for _, t := range o.trails {
		changed = s.trail(t) || changed
	}
	for _, f := range o.flights {
		changed = s.flight(f) || changed
	}
	return changed
}

// whole returns all registers that a use may mean.
func (u use) registers() amdgpu.RegRun {
	switch {
	case u.shift == shiftNone:
		return u.RegRun
	case u.Lo >= amdgpu.RegVGPR0:
		return amdgpu.Run(u.Lo, amdgpu.RegHW0-u.Lo)
	}
	return amdgpu.Run(u.Lo, amdgpu.RegM0-u.Lo)
}

// step executes one instruction and returns its possible mistakes.
func (s *mayState) step(p *tracking, i int) (bad suspects) {
	f := &p.facts[i]
	_, ordered := f.class.counter()
	check := func(u use, write bool) {
		w := u.registers()
		for j := range s.flights {
			e := &s.flights[j]
			switch {
			case !w.Overlaps(amdgpu.Run(e.reg, 1)), e.locks && !write:
			case write && f.flies && ordered && !e.locks && e.class == f.class:
			case e.class == flyFlat:
				bad.flat = true
			default:
				bad.flight = true
			}
		}
	}
	if len(s.flights) > 0 {
		for _, u := range f.reads {
			check(u, false)
		}
		for _, u := range f.writes {
			check(u, true)
		}
	}
	if f.barrier {
		bad.unsaid = slices.ContainsFunc(s.flights, func(e mayFlight) bool { return e.reg == regLDS })
		bad.unseen = slices.ContainsFunc(s.flights, func(e mayFlight) bool { return e.reg == regMem })
	}
	if f.invalidates {
		bad.early = slices.ContainsFunc(s.flights, func(e mayFlight) bool { return e.class == flyVM })
	}
	for _, of := range f.rules {
		r := of.rule
		for _, u := range of.uses {
			for _, t := range s.trails {
				if t.kind == p.rules[r].After && t.n < p.rules[r].States && u.Overlaps(amdgpu.Run(t.reg, 1)) {
					bad.rules |= 1 << r
				}
			}
		}
	}
	if f.waits {
		t := tracker{p: p}
		s.flights = slices.DeleteFunc(s.flights, func(e mayFlight) bool {
			t.issued[e.class] = e.n + 1
			return t.met(condition{class: e.class}, f)
		})
	}
	s.trails = slices.DeleteFunc(s.trails, func(t mayTrail) bool { return t.n+f.states >= p.chip.MaxWaitStates() })
	for j := range s.trails {
		s.trails[j].n += f.states
	}
	s.leave(f)
	s.issue(p, i)
	return bad
}

// leave adds the trails of an instruction, and advances the earlier ones by its wait states.
func (s *mayState) leave(f *facts) {
	if len(f.left[amdgpu.TrailVALU]) == 0 && len(s.trails) > 0 {
		for _, u := range f.writes {
			if u.shift == shiftNone {
				s.trails = slices.DeleteFunc(s.trails, func(t mayTrail) bool { return t.kind == amdgpu.TrailVALU && u.Overlaps(amdgpu.Run(t.reg, 1)) })
			}
		}
	}
	for k, left := range f.left {
		for _, l := range left {
			if amdgpu.TrailKind(k) == amdgpu.TrailVALU && f.shifts() {
				for _, u := range f.writes {
					if u.RegRun == l {
						l = u.registers()
					}
				}
			}
			for n := range l.N {
				s.trail(mayTrail{amdgpu.TrailKind(k), l.Lo + n, 0})
			}
		}
	}
}

// issue adds the flights of an instruction.
func (s *mayState) issue(p *tracking, i int) {
	f := &p.facts[i]
	if f.class == numClasses {
		return
	}
	s.flights = slices.DeleteFunc(s.flights, func(e mayFlight) bool {
		_, ordered := e.class.counter()
		return ordered && f.counts(e.class) && e.n+1 > e.class.room(p.chip)
	})
	for j := range s.flights {
		if e := &s.flights[j]; f.counts(e.class) {
			e.n = min(e.n+1, e.class.room(p.chip))
		}
	}
	if f.flies {
		for _, u := range f.writes {
			w := u.registers()
			for n := range w.N {
				s.flight(mayFlight{class: f.class, reg: w.Lo + n})
				if p.insts[i].In.Row.Unit == amdgpu.UnitFlat {
					s.flight(mayFlight{class: flyFlat, reg: w.Lo + n})
				}
			}
		}
	}
	if f.stores {
		s.flight(mayFlight{class: f.class, reg: regLDS})
	}
	if f.writesMem {
		s.flight(mayFlight{class: f.class, reg: regMem})
	}
	for _, u := range f.locks {
		for n := range u.N {
			s.flight(mayFlight{class: flyExp, reg: u.Lo + n, locks: true})
		}
	}
}

// suspect finds the possible mistakes at each node. If see is not nil, it is called with the state
// before each node, perhaps several times; the last state is the complete one.
func (p *tracking) suspect(g *amdgpu.FlowGraph, see func(node int32, s *mayState)) []suspects {
	bad := make([]suspects, g.N)
	if g.Entry < 0 {
		return bad
	}
	at := map[int32]*mayState{g.Entry: {}}
	todo := amdgpu.Worklist[int32]{g.Entry}
	for len(todo) > 0 {
		i := todo.Next()
		s := at[i].clone()
		for {
			if g.Real(i) {
				if see != nil {
					see(i, &s)
				}
				b := s.step(p, int(g.At(i)))
				o := &bad[i]
				*o = suspects{o.flight || b.flight, o.flat || b.flat, o.unsaid || b.unsaid, o.unseen || b.unseen, o.early || b.early, o.rules | b.rules}
			}
			// Continue on a straight line, as long as no other edge leads to it.
			if next := g.Succ[i]; len(next) != 1 || len(g.Pred[next[0]]) != 1 || next[0] == g.Entry {
				break
			}
			i = g.Succ[i][0]
		}
		for _, to := range g.Succ[i] {
			o := at[to]
			if o == nil {
				c := s.clone()
				at[to] = &c
			} else if !o.join(&s) {
				continue
			}
			heap.Push(&todo, to)
		}
	}
	return bad
}
