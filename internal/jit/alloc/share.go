package alloc

import (
	"slices"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// mostShared is how many occurrences a register may have whose copies share its place: they are
// looked through for each.
const mostShared = 64

// share finds copies that may have the place of what they are a copy of, though both live: all
// is well as long as nothing writes the original while the copy lives, which nothing else
// writes. What becomes of an exchange of whole registers is other names for them. The
// original then lives as long as its copies; they are not registers of their own, see inherit.
//
// Where waves wait, code stores registers one by one, and so it has to be said of each
// whether it must: there is nothing shared in such code.
//
// A register that may be filled while it lives (lir.Func.Fills) has a place of its own: lanes of
// it that nobody sees may be filled with other things than those of the original.
func (a *assigner) share(freq []float32, b *lir.Blocks) {
	a.origin = lir.Cleared(&a.mem.origin, len(a.fn.VRegs))
	a.shares = a.mem.shares[:0]
	if len(a.fn.Parks) > 0 {
		return
	}
	for _, i := range a.u.moves {
		in := &a.fn.Code[i]
		d, s := int32(in.Dst-x64.Virtual), int32(in.B-x64.Virtual)
		if o := a.origin[s]; o > 0 {
			s = o - 1
		}
		if a.alike(d, s, in.Len) && !a.filled(d) && a.copyOf(i, d, s, freq[b.Of[i]]) {
			a.origin[d] = s + 1
			a.shares = append(a.shares, d)
		}
	}
	a.mem.shares = a.shares
}

// alike reports whether registers may be one as far as what they are goes.
func (a *assigner) alike(d, s int32, n uint8) bool {
	x, y := &a.fn.VRegs[d], &a.fn.VRegs[s]
	return d != s && x.Class == x64.Vec && y.Class == x64.Vec && x.Len == n && y.Len == n && x.Const == 0 && y.Const == 0
}

// filled reports whether a register may be filled while it lives.
func (a *assigner) filled(d int32) bool {
	if !a.fn.VRegs[d].Filled {
		return false
	}
	for _, s := range a.r.of(d) {
		if k, _ := slices.BinarySearch(a.fn.Fills, (s.from+1)/2); k < len(a.fn.Fills) && 2*a.fn.Fills[k] < s.to {
			return true
		}
	}
	return false
}

// copyOf makes s live as long as d, which instruction i makes a copy of it or of another copy,
// and reports whether it may.
func (a *assigner) copyOf(i, d, s int32, freq float32) bool {
	live, of := a.r.of(d), a.u.of(s)
	if len(live) != 1 || live[0].from != 2*i+1 || len(of) > mostShared || a.origin[d] != 0 {
		return false
	}
	for _, o := range a.u.of(d) {
		if o.role()&lir.Write != 0 && o.at() != i || o.role()&lir.Merge != 0 {
			return false
		}
	}
	end := live[0].to
	for _, o := range of {
		if o.role()&lir.Write != 0 && o.at() > i && 2*o.at()+1 <= end {
			return false // also where the copy is read last: gathers want different registers
		}
	}
	spans := a.r.of(s)
	for k := range spans {
		x := &spans[k]
		if x.from > 2*i || x.to < 2*i+1 {
			continue
		}
		if x.to == 2*i+1 {
			return false // it ends here, and its register becomes the copy's: see pick
		}
		if end > x.to {
			if k+1 < len(spans) && spans[k+1].from < end {
				return false
			}
			a.r.all[s].area += float32(end-x.to) * freq
			x.to = end
		}
		a.u.all[s].cost += a.u.all[d].cost
		a.u.all[s].top = max(a.u.all[s].top, a.u.all[d].top)
		return true
	}
	return false
}

// inherit gives copies the machine registers of what they are copies of. Where that has none
// they are registers like others, and come last.
func (a *assigner) inherit() {
	for _, d := range a.shares {
		if r := a.where[a.origin[d]-1]; r != 0 {
			a.where[d] = r
		} else {
			a.assign(d)
		}
	}
}
