package alloc

import (
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// A stay is a part of a block for which a virtual register whose place is a slot, or the
// pool, is in a machine register as well: from its occurrence at instruction from on, which
// loads it unless it writes it, to that at to. What is written is stored once, where it is
// written last, and not at all if nobody reads it behind the stay. Go never looks within
// one.
type stay struct {
	v        int32
	from, to int32
	store    int32 // the instruction behind which it is stored; -1: none
	reg      x64.Reg
	load     bool
}

// reach bounds how many instructions lie between two occurrences in a stay, by rounds: near
// ones come first.
var reach = [...]int32{8, 48, 400}

// stays finds stays where registers are left.
func (a *assigner) stays(b *lir.Blocks) []stay {
	list := a.mem.stays[:0]
	held := lir.Cleared(&a.mem.held, len(a.u.list)) // by occurrence: it is in one
	spilled := a.mem.spilled[:0]
	for _, v := range a.u.order {
		if a.where[v] == 0 && a.u.all[v].from+1 < a.u.all[v].to {
			spilled = append(spilled, v)
		}
	}
	a.mem.spilled = spilled
	for _, far := range reach {
		rest := spilled[:0] // those that have occurrences farther apart
		for _, v := range spilled {
			more := false
			list, more = a.staysOf(list, v, b, far, held[a.u.all[v].from:a.u.all[v].to])
			if more {
				rest = append(rest, v)
			}
		}
		spilled = rest
	}
	a.mem.stays = list
	return a.byStart(list)
}

// byStart sorts stays by the instructions that they begin at.
func (a *assigner) byStart(list []stay) []stay {
	if len(list) < 2 {
		return list
	}
	// By instruction and one more: how many begin there, and then where in the sorted list the
	// next one of them goes.
	begun := lir.Cleared(&a.mem.begun, len(a.fn.Code)+1)
	for i := range list {
		begun[list[i].from+1]++
	}
	n := int32(0)
	for i, x := range begun {
		n += x
		begun[i] = n
	}
	if cap(a.mem.sortedStays) < len(list) {
		a.mem.sortedStays = make([]stay, len(list)+len(list)/4)
	}
	sorted := a.mem.sortedStays[:len(list)]
	for i := range list {
		at := &begun[list[i].from]
		sorted[*at] = list[i]
		*at++
	}
	return sorted
}

// staysOf appends the stays of v that bridge no more than far instructions, and reports whether
// there may be others that bridge more.
func (a *assigner) staysOf(list []stay, v int32, b *lir.Blocks, far int32, held []bool) (_ []stay, more bool) {
	occ := a.u.of(v)
	for i := 0; i+1 < len(occ); {
		free, to := a.classOf(v), i
		if !held[i] && occ[i]&named != 0 {
			for k := i + 1; k < len(occ) && !held[k]; k++ {
				from, at := occ[k-1].at(), occ[k].at()
				if occ[k]&named == 0 || b.Of[at] != b.Of[from] {
					break
				}
				if at-from > far {
					more = true
					break
				}
				if a.u.looked(from, at) {
					break
				}
				left := free &^ a.occ.taken(interval{occ[k-1].start(), occ[k].end()}, free)
				if left == 0 {
					break
				}
				free, to = left, k
			}
		}
		part := occ[i : to+1]
		if !pays(part) {
			i++
			continue
		}
		s := stay{v: v, from: occ[i].at(), to: occ[to].at(), store: -1, reg: a.pick(v, free), load: !part[0].defines()}
		for k, o := range part {
			held[i+k] = true
			if o.role()&lir.Write != 0 {
				s.store = o.at()
			}
		}
		if a.r.all[v].local && to == len(occ)-1 {
			s.store = -1
		}
		a.occ.take(interval{occ[i].start(), occ[to].end()}, s.reg)
		list = append(list, s)
		i = to + 1
	}
	return list, more
}

// pays reports whether a stay for these occurrences saves anything.
func pays(occ []occurrence) bool {
	switch len(occ) {
	case 0, 1:
		return false
	case 2:
		return occ[0].defines() || occ[0].role()&lir.Fold == 0 || occ[1].role()&lir.Fold == 0
	}
	return true
}
