package alloc

import (
	"slices"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// mostShared is the largest number of occurrences of a register with which copies may share a
// place: they are searched for each copy.
const mostShared = 64

// share coalesces a copy with its original although both are live.
//
// Input: copies of whole vector registers.
// Output: origin, the original of each coalesced copy. The life of the original then includes
// the copy's.
// Invariant: while the copy lives, neither of the two is written, except by the copy
// instruction.
// Example: a swap of halves copies v1 to v3 and v2 to v4, and then reads all four. v3 and v4
// get the places of v1 and v2, so a swap of whole registers costs no instruction.
//
// There are two exceptions. If waves wait in the code, it stores registers one by one, and
// each register must be known to be stored or not; there no place is shared. A register that
// Go may fill while it lives (lir.Func.Fills) has a place of its own, because dead lanes of
// it may be filled with other values than those of the original.
//
// Literature: Chaitin et al., Register allocation via coloring (1981), for coalescing.
func (a *assigner) share(freq []float32, b *lir.Blocks) {
	a.origin = lir.Cleared(&a.mem.origin, len(a.fn.VRegs))
	a.shares = a.mem.shares[:0]
	if len(a.fn.Parks) > 0 {
		return
	}
	for _, i := range a.u.moves {
		in := &a.fn.Code[i]
		d, s := int32(in.Dst-x64.Virtual), int32(in.B-x64.Virtual)
		// A copy of a copy is a copy of the first original.
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

// alike reports whether two registers have the same class and length, and neither is a
// constant.
func (a *assigner) alike(d, s int32, n uint8) bool {
	x, y := &a.fn.VRegs[d], &a.fn.VRegs[s]
	return d != s && x.Class == x64.Vec && y.Class == x64.Vec && x.Len == n && y.Len == n && x.Const == 0 && y.Const == 0
}

// filled reports whether Go may fill a register while it lives.
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

// copyOf extends the life of s by that of d, which instruction i copies from s or from
// another copy of s. It reports false, and changes nothing, if they must not share a place.
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
			return false // even at the copy's last read: gathers need different registers
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
		// The original must live as long as the copy, and must not begin another range before
		// that.
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

// inherit gives copies the machine registers of their originals. If the original has none,
// the copy is assigned like any other register, after all of them.
func (a *assigner) inherit() {
	for _, d := range a.shares {
		if r := a.where[a.origin[d]-1]; r != 0 {
			a.where[d] = r
		} else {
			a.assign(d)
		}
	}
}
