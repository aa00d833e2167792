package alloc

import (
	"slices"

	"crosslane/internal/jit/lir"
	"crosslane/internal/jit/x64"
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
	calls := lir.Cleared(&a.mem.calls, len(a.fn.Code)+1) // in front of each instruction: how often Go may look
	for i := range a.fn.Code {
		calls[i+1] = calls[i]
		if op := a.fn.Code[i].Op; op == x64.CALLLabel || op == x64.KEEP {
			calls[i+1]++
		}
	}
	held := lir.Cleared(&a.mem.held, len(a.u.list)) // by occurrence: it is in one
	for _, far := range reach {
		for _, v := range a.u.order {
			if a.where[v] == 0 {
				list = a.staysOf(list, v, b, far, calls, held[a.u.from[v]:a.u.to[v]])
			}
		}
	}
	slices.SortStableFunc(list, func(x, y stay) int { return int(x.from - y.from) })
	a.mem.stays = list
	return list
}

// staysOf appends the stays of v that bridge no more than far instructions.
func (a *assigner) staysOf(list []stay, v int32, b *lir.Blocks, far int32, calls []int32, held []bool) []stay {
	occ := a.u.of(v)
	for i := 0; i+1 < len(occ); {
		free, to := a.classOf(v), i
		if !held[i] && a.names(v, occ[i].at()) {
			for k := i + 1; k < len(occ) && !held[k]; k++ {
				from, at := occ[k-1].at(), occ[k].at()
				if at-from > far || b.Of[at] != b.Of[from] || calls[from] != calls[at] || !a.names(v, at) {
					break
				}
				left := free &^ a.occ.taken(span{occ[k-1].start(), occ[k].end()})
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
		if a.r.local[v] && to == len(occ)-1 {
			s.store = -1
		}
		a.occ.take(span{occ[i].start(), occ[to].end()}, s.reg)
		list = append(list, s)
		i = to + 1
	}
	return list
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

// names reports whether an instruction itself has v as an operand: what a KEEP names counts
// for the one behind.
func (a *assigner) names(v int32, at int32) bool {
	in := &a.fn.Code[at]
	r := x64.Virtual + x64.Reg(v)
	if in.Op.Info().Pseudo {
		return false
	}
	return in.Dst == r || in.A == r || in.B == r || in.C == r || in.K == r || in.HasMem && (in.M.Base == r || in.M.Index == r)
}
