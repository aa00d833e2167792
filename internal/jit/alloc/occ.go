package alloc

import (
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// span is a stretch of positions [from, to). Instruction i reads at position 2i and
// writes at 2i+1, so that what ends where another begins may share its place.
type interval struct{ from, to int32 }

// gaps are the gaps behind instructions that s touches, by instruction: at least one.
func (s interval) gaps() (from, to int) {
	from = int(s.from >> 1)
	return from, max(int(s.to>>1), from+1)
}

// set is a set of machine registers: bit r for register r, which is less than 64.
type set uint64

// bit is the set of a machine register.
func bit(r x64.Reg) set { return 1 << (uint(r) & 63) }

// Sizes of the levels of occupancy, in powers of two.
const (
	shift1 = 6
	shift2 = 12
)

// occupancy says which machine registers are taken where. It looks only at the gaps behind
// instructions: what lives at a position lives in the gap behind it, if it is written
// there, or in the one before, as no instruction that reads starts a block, so that two
// that live at one position meet in a gap. Two levels above the gaps keep long stretches
// cheap: for a part of 64 (or 4096) gaps, full has the registers taken in all of them,
// which the level below need not repeat, and some those taken in any of them.
type occupancy struct {
	at           []set
	full1, some1 []set
	full2, some2 []set
}

func newOccupancy(m *Scratch, instructions int) *occupancy {
	gaps := instructions + 1
	n1, n2 := gaps>>shift1+1, gaps>>shift2+1
	all := lir.Cleared(&m.occupied, gaps+2*n1+2*n2)
	cut := func(n int) (s []set) { s, all = all[:n:n], all[n:]; return s }
	return &occupancy{at: cut(gaps), full1: cut(n1), some1: cut(n1), full2: cut(n2), some2: cut(n2)}
}

// taken is the registers of want that are taken anywhere in s, and maybe others.
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
		return m // nothing else that matters is taken near it
	}
	for _, x := range o.at[from:to] {
		m |= x
	}
	return m
}

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

// takenAll is the registers taken anywhere in the stretches ss; it may stop when all of
// want are.
func (o *occupancy) takenAll(ss []interval, want set) (m set) {
	for _, s := range ss {
		m |= o.taken(s, want)
		if m&want == want {
			break
		}
	}
	return m
}

// take marks register r taken in s.
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
