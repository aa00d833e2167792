package static

import "example.org/crosslane/internal/ir"

// Evidence: the bits in which the lanes of a wave evidently hold different values. Code keeps several facts in one register,
// such as the role of each lane in some bits and an option of the launch in another one; a branch that asks for the option is
// no evidence that lanes part.
//
// Input: the values of an operation's operands, of which one at least is not known.
// Output: value.varies of the result.
// Invariant: bits that may differ and are not in the set bring no proof: they are unknown, as all bits of a top value.
// Example: x = (lane < 8 ? 8 : 0) | option << 14 varies in bit 3, so x & 1<<14 does not vary.

// allBits is the evidence of a value of which no more is known than that it differs between lanes.
const allBits = ^uint64(0)

// evidence returns the bits in which a value evidently differs between lanes.
func (v *value) evidence() uint64 {
	if v.vec == nil {
		return v.varies
	}
	d := spread(v)
	if v.kind == shared && !v.small() {
		d |= -(d & -d) // a carry may change all bits above
	}
	return d
}

// spread returns the bits in which the known parts of values differ, between lanes or between the values.
func spread(list ...*value) (d uint64) {
	first := list[0].at(0)
	for _, v := range list {
		for l := range 32 {
			d |= v.at(l) ^ first
		}
	}
	return d
}

// ones returns the bits that may be 1 in some lane, and those that are 1 in all lanes.
func (v *value) ones() (some, all uint64) {
	if v.kind != known {
		return allBits, 0
	}
	all = allBits
	for l := range 32 {
		some, all = some|v.at(l), all&v.at(l)
	}
	return some, all
}

// differing returns the top value that varies in some bits.
func differing(in uint64) value { return value{kind: top, varies: in} }

// chosenBits is the evidence of a value that is a in some lanes and b in the other lanes; apart says that it is evident that both are.
func chosenBits(apart bool, a, b *value) uint64 {
	switch d := a.evidence() | b.evidence(); {
	case !apart:
		return d
	case a.kind == known && b.kind == known:
		return spread(a, b)
	}
	return allBits
}

// evidenceOf returns the evidence of the result of a pure operation.
func evidenceOf(op ir.Op, v []value) uint64 {
	m := maskOf(ir.Ops[op].Res)
	differs := uint64(0)
	for i := range v {
		differs |= v[i].evidence()
	}
	if differs == 0 {
		return 0
	}
	amount := func(i int) (int, bool) {
		n, ok := v[i].constant()
		return int(min(n, 64)), ok
	}
	switch op {
	case ir.And16, ir.And32, ir.And64, ir.AndP:
		x, _ := v[0].ones()
		y, _ := v[1].ones()
		return (v[0].evidence()&y | v[1].evidence()&x) & m
	case ir.Or16, ir.Or32, ir.Or64, ir.OrP:
		_, x := v[0].ones()
		_, y := v[1].ones()
		return (v[0].evidence()&^y | v[1].evidence()&^x) & m
	case ir.Xor16, ir.Xor32, ir.Xor64, ir.XorP, ir.Not16, ir.Not32, ir.Not64, ir.NotP, ir.Lop3, ir.Mov16, ir.Mov32, ir.Mov64, ir.MovB1,
		ir.CvtU64FromU32, ir.CvtU64FromU16, ir.CvtU32FromU16, ir.CvtU32FromU64, ir.CvtU16FromU64, ir.CvtU16FromU32, ir.Lo32, ir.Lo16:
		return differs & m
	case ir.Shl16, ir.Shl32, ir.Shl64:
		if n, ok := amount(1); ok {
			return v[0].evidence() << n & m
		}
	case ir.ShrU16, ir.ShrU32, ir.ShrU64:
		if n, ok := amount(1); ok {
			return v[0].evidence() & m >> n
		}
	case ir.Sel16, ir.Sel32, ir.Sel64, ir.SelP:
		return chosenBits(v[0].differs(), &v[1], &v[2]) & m
	}
	return m
}
