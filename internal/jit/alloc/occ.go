package alloc

import (
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// interval is a range of positions [from, to). Instruction i reads at position 2i and writes
// at 2i+1, so a register whose life ends at an instruction may share its place with one that
// begins there.
type interval struct{ from, to int32 }

// gaps returns the gaps that s touches: gap i lies after instruction i. There is at least
// one.
func (s interval) gaps() (from, to int) {
	from = int(s.from >> 1)
	return from, max(int(s.to>>1), from+1)
}

// set is a set of machine registers: bit r for register r, below 64.
type set uint64

// bit is the set of a machine register.
func bit(r x64.Reg) set { return 1 << (uint(r) & 63) }

// The sizes of the upper levels of occupancy, as powers of two.
const (
	shift1 = 6
	shift2 = 12
)

// occupancy records which machine registers are taken at which positions.
//
// Input: intervals that are taken, one register each.
// Output: the registers that are taken anywhere in an interval.
// Invariant: a register is taken in a gap if its bit is set there, or in full of one of the
// two parts that contain the gap. some of a part has all registers that are taken in any of
// its gaps.
// Example: an interval of 5000 gaps sets one bit in full2, some in full1, and a few in at.
//
// Occupancy is kept by gaps after instructions. A register that lives at a position lives in
// the gap after it, if it is written there, or in the gap before it: no instruction that
// reads starts a block. So two registers that live at one position meet in a gap. Two levels
// above the gaps, of 64 and 4096 gaps, make long intervals cheap. The level below need not
// repeat the bits of full.
type occupancy struct {
	at           []set
	full1, some1 []set
	full2, some2 []set
}

// newOccupancy returns an empty occupancy for a list of instructions.
func newOccupancy(m *Scratch, instructions int) *occupancy {
	gaps := instructions + 1
	n1, n2 := gaps>>shift1+1, gaps>>shift2+1
	all := lir.Cleared(&m.occupied, gaps+2*n1+2*n2)
	cut := func(n int) (s []set) { s, all = all[:n:n], all[n:]; return s }
	return &occupancy{at: cut(gaps), full1: cut(n1), some1: cut(n1), full2: cut(n2), some2: cut(n2)}
}

// taken returns the registers of want that are taken anywhere in s, and possibly more
// registers.
func (o *occupancy) taken(s interval, want set) set {
	if s.from >= s.to {
		return 0
	}
	from, to := s.gaps()
	if to-from > 1<<shift1 {
		return o.taken1(from, to, want)
	}
	b, e := from>>shift1, (to-1)>>shift1
	m := o.full1[b] | o.full1[e] | o.full2[b>>(shift2-shift1)] | o.full2[e>>(shift2-shift1)]
	if (o.some1[b]|o.some1[e])&want&^m == 0 {
		return m // no other wanted register is taken near s
	}
	for _, x := range o.at[from:to] {
		m |= x
	}
	return m
}

// taken1 is taken for an interval of many gaps: whole parts are read from the upper levels.
func (o *occupancy) taken1(from, to int, want set) (m set) {
	b, e := from>>shift1, (to-1)>>shift1
	if b == e {
		m = o.full1[b] | o.full2[b>>(shift2-shift1)]
		if o.some1[b]&want&^m == 0 {
			return m
		}
		for _, x := range o.at[from:to] {
			m |= x
		}
		return m
	}
	if from&(1<<shift1-1) != 0 {
		m |= o.taken1(from, (b+1)<<shift1, want)
		b++
	}
	if to&(1<<shift1-1) != 0 {
		m |= o.taken1(e<<shift1, to, want)
		e--
	}
	const per = 1 << (shift2 - shift1)
	for b <= e {
		if b%per == 0 && b+per-1 <= e {
			m |= o.some2[b/per]
			b += per
			continue
		}
		m |= o.some1[b] | o.full2[b/per]
		b++
	}
	return m
}

// takenAll returns the registers taken anywhere in the intervals ss; it may stop when it has
// found all of want.
func (o *occupancy) takenAll(ss []interval, want set) (m set) {
	for _, s := range ss {
		m |= o.taken(s, want)
		if m&want == want {
			break
		}
	}
	return m
}

// take marks register r as taken in s.
func (o *occupancy) take(s interval, r x64.Reg) {
	if s.from >= s.to {
		return
	}
	m := bit(r)
	from, to := s.gaps()
	if to-from > 1<<shift1 {
		o.take1(from, to, m)
		return
	}
	b, e := from>>shift1, (to-1)>>shift1
	at := o.at[from:to]
	for i := range at {
		at[i] |= m
	}
	o.some1[b] |= m
	o.some1[e] |= m
	o.some2[b>>(shift2-shift1)] |= m
	o.some2[e>>(shift2-shift1)] |= m
}

// take1 is take for an interval of many gaps: whole parts are marked in the upper levels.
func (o *occupancy) take1(from, to int, r set) {
	const per = 1 << (shift2 - shift1)
	b, e := from>>shift1, (to-1)>>shift1
	if b == e {
		at := o.at[from:to]
		for i := range at {
			at[i] |= r
		}
		o.some1[b] |= r
		o.some2[b/per] |= r
		return
	}
	if from&(1<<shift1-1) != 0 {
		o.take1(from, (b+1)<<shift1, r)
		b++
	}
	if to&(1<<shift1-1) != 0 {
		o.take1(e<<shift1, to, r)
		e--
	}
	for b <= e {
		o.some2[b/per] |= r
		if b%per == 0 && b+per-1 <= e {
			o.full2[b/per] |= r
			b += per
			continue
		}
		o.full1[b] |= r
		o.some1[b] |= r
		b++
	}
}
