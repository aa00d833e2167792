package randprog

import (
	"slices"
)

// Shrink reduces a program while fails reports that it still fails. It calls fails at most
// tries times.
func Shrink(p *Program, tries int, fails func(*Program) bool) *Program {
	s := &shrinker{best: p, tries: tries, fails: fails}
	for changed := true; changed && s.tries > 0; {
		changed = s.cut()
		changed = s.launch() || changed
		changed = s.simplify() || changed
		changed = s.forward() || changed
	}
	s.registers()
	return s.best
}

type shrinker struct {
	best  *Program
	tries int
	fails func(*Program) bool
}

// clone returns a copy with statements that may be changed.
func (p *Program) clone() *Program {
	q := *p
	q.Vars = slices.Clone(p.Vars)
	q.Code = slices.Clone(p.Code)
	for i := range q.Code {
		q.Code[i].Args = slices.Clone(q.Code[i].Args)
		q.Code[i].To = slices.Clone(q.Code[i].To)
	}
	return &q
}

// try keeps a candidate that fails.
func (s *shrinker) try(q *Program) bool {
	if s.tries <= 0 {
		return false
	}
	if _, err := q.Func(); err != nil {
		return false // an invalid program costs almost no time
	}
	s.tries--
	if !s.fails(q) {
		return false
	}
	s.best = q
	return true
}

// cut removes statements, many at a time at first.
func (s *shrinker) cut() bool {
	changed := false
	for size := max(1, len(s.best.Code)/2); size > 0; size /= 2 {
		for at := len(s.best.Code) - size; at >= 0; at -= size {
			if at+size > len(s.best.Code) {
				continue
			}
			q := s.best.clone()
			q.Code = slices.Delete(q.Code, at, at+size)
			q.dropLabels()
			changed = s.try(q) || changed
		}
	}
	return changed
}

// dropLabels removes branches to missing labels, and labels without branches.
func (p *Program) dropLabels() {
	bound, used := map[int]bool{}, map[int]bool{}
	for i := range p.Code {
		if s := &p.Code[i]; s.Op == "label" {
			bound[int(s.Imm)] = true
		}
	}
	p.Code = slices.DeleteFunc(p.Code, func(s Stmt) bool {
		return slices.ContainsFunc(s.To, func(l int) bool { return !bound[l] })
	})
	for i := range p.Code {
		for _, l := range p.Code[i].To {
			used[l] = true
		}
	}
	p.Code = slices.DeleteFunc(p.Code, func(s Stmt) bool { return s.Op == "label" && !used[int(s.Imm)] })
}

// launch reduces the launch.
func (s *shrinker) launch() bool {
	changed := false
	for _, f := range []func(q *Program){
		func(q *Program) { q.Grid = 1 },
		func(q *Program) { q.Block = uint32(q.Lanes) },
		func(q *Program) { q.Block = 1 },
		func(q *Program) { q.Block = max(1, q.Block/2) },
		func(q *Program) { q.Fuel = max(1, q.Fuel/2) },
		func(q *Program) { q.Fuel = max(1, q.Fuel-1) },
		func(q *Program) { q.Old = false },
		func(q *Program) { q.Wide = 0 },
	} {
		q := s.best.clone()
		f(q)
		if q.Grid < s.best.Grid || q.Block < s.best.Block || q.Fuel < s.best.Fuel || !q.Old && s.best.Old || q.Wide < s.best.Wide {
			changed = s.try(q) || changed
		}
	}
	return changed
}

// simplify simplifies single statements.
func (s *shrinker) simplify() bool {
	changed := false
	edit := func(i int, f func(t *Stmt) bool) {
		q := s.best.clone()
		if i < len(q.Code) && f(&q.Code[i]) {
			changed = s.try(q) || changed
		}
	}
	for i := range s.best.Code {
		edit(i, func(t *Stmt) bool {
			was := t.Guard
			t.Guard, t.Not = 0, t.Not && t.Guard == 0
			return was != 0
		})
		edit(i, func(t *Stmt) bool {
			if t.Dst2 == None || t.Dst2 == 0 {
				return false
			}
			t.Dst2 = None
			return true
		})
		for a := range s.best.Code[i].Args {
			for _, c := range []uint64{0, 1} {
				edit(i, func(t *Stmt) bool {
					if t.Args[a].Const && (t.Args[a].Bits <= c || t.Op == "Load") {
						return false
					}
					t.Args[a] = Arg{Const: true, Bits: c}
					return true
				})
			}
		}
		edit(i, func(t *Stmt) bool {
			if t.Index == "" || t.Index == "lane" || t.Index == "scalar" {
				return false
			}
			t.Index = "lane"
			return true
		})
		edit(i, func(t *Stmt) bool {
			was := t.Flags != 0
			t.Flags = 0
			return was
		})
		edit(i, func(t *Stmt) bool {
			if len(t.To) < 2 {
				return false
			}
			t.To = t.To[:len(t.To)-1]
			return true
		})
	}
	return changed
}

// forward removes a statement and lets later statements read one of its arguments instead.
func (s *shrinker) forward() bool {
	changed := false
	for i := len(s.best.Code) - 1; i >= 0; i-- {
		if i >= len(s.best.Code) {
			continue // branches were removed with it
		}
		t := s.best.Code[i]
		if t.Op == "label" || t.Dst == None {
			continue
		}
		for _, a := range t.Args {
			if a.Const || a.Var == t.Dst {
				continue
			}
			q := s.best.clone()
			for k := range q.Code {
				for j := range q.Code[k].Args {
					if b := &q.Code[k].Args[j]; !b.Const && b.Var == t.Dst {
						b.Var = a.Var
					}
				}
			}
			q.Code = slices.Delete(q.Code, i, i+1)
			q.dropLabels()
			if s.try(q) {
				changed = true
				break
			}
		}
	}
	return changed
}

// registers removes registers that no statement names.
func (s *shrinker) registers() {
	for n := len(s.best.Vars) - 1; n >= 0; n-- {
		q := s.best.clone()
		used := false
		rename := func(r *int) {
			if *r == n {
				used = true
			} else if *r > n {
				*r--
			}
		}
		for i := range q.Code {
			t := &q.Code[i]
			if t.Op == "label" {
				continue
			}
			rename(&t.Dst)
			rename(&t.Dst2)
			for a := range t.Args {
				if !t.Args[a].Const {
					rename(&t.Args[a].Var)
				}
			}
			if g := t.Guard - 1; t.Guard > 0 {
				rename(&g)
				t.Guard = g + 1
			}
		}
		q.Vars = slices.Delete(q.Vars, n, n+1)
		if !used {
			s.try(q)
		}
	}
}
