package alloc

import (
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// A stay is a part of a block in which a register whose place is a slot, or the pool, is in a
// machine register, too.
//
// Input: registers without a machine register; the machine registers that are free for parts
// of blocks.
// Output: stays, sorted by their starts.
// Invariant: Go never looks at registers inside a stay, so the slot need not be right there.
// Example: v is in a slot and read at instructions 10, 14 and 20. A stay from 10 to 20 loads
// it once.
//
// A stay begins at the occurrence at instruction from, which loads the value unless it
// defines it, and ends at the one at to. A value that is written in it is stored once, after
// its last write, and not at all if no instruction reads it after the stay.
// Literature: Traub, Holloway and Smith (PLDI 1998), for lifetime splitting.
type stay struct {
	v        int32
	from, to int32
	store    int32 // the instruction after which the value is stored; -1: none
	reg      x64.Reg
	load     bool
}

// reach bounds the distance between two neighbouring occurrences in a stay, by rounds: short
// stays get registers first.
var reach = [...]int32{8, 48, 400}

// stays finds the stays for which registers are free.
func (a *assigner) stays(b *lir.Blocks) []stay {
	list := a.mem.stays[:0]
	held := lir.Cleared(&a.mem.held, len(a.u.list)) // by occurrence: it is in a stay
	spilled := a.mem.spilled[:0]
	for _, v := range a.u.order {
		if a.where[v] == 0 && a.u.all[v].from+1 < a.u.all[v].to {
			spilled = append(spilled, v)
		}
	}
	a.mem.spilled = spilled
	for _, far := range reach {
		rest := spilled[:0] // registers with occurrences that are farther apart
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

// byStart sorts stays by their first instructions (a counting sort).
func (a *assigner) byStart(list []stay) []stay {
	if len(list) < 2 {
		return list
	}
	// begun counts, by instruction, the stays that begin before it: the index of its next
	// stay in the sorted list.
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

// staysOf appends the stays of v with distances of at most far instructions, and reports
// whether there may be stays with longer distances.
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

// pays reports whether a stay for these occurrences saves an instruction.
func pays(occ []occurrence) bool {
	switch len(occ) {
	case 0, 1:
		return false
	case 2:
		return occ[0].defines() || occ[0].role()&lir.Fold == 0 || occ[1].role()&lir.Fold == 0
	}
	return true
}
