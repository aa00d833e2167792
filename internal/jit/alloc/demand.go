package alloc

import (
	"math/bits"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// demand is the value of the registers of a class to locals, by block. It prevents that a
// value which lives through a block takes a register that many short-lived values in the
// block could use in turn.
//
// Input: the ranges and costs of locals.
// Output: price, the cost for the locals if one more register is taken from them.
// Invariant: taken + area of a block never counts a register twice.
// Example: a block of 100 positions whose locals live 250 positions needs 2.5 registers. If 2
// remain, a further one that is taken there costs the locals half of its positions' share of
// their cost.
type demand struct {
	b    *lir.Blocks
	have float32  // usable registers of the class
	in   []wanted // by block
}

// wanted is the demand in a block.
type wanted struct {
	size  float32 // number of positions
	area  float32 // positions lived by locals
	cost  float32 // the cost of slots for these locals
	taken float32 // positions lived by registers that are assigned already
}

// newDemand returns the demand of a class with have registers. Some are subtracted, because
// locals never fill all registers exactly.
func newDemand(all []wanted, b *lir.Blocks, have int) demand {
	d := demand{b: b, have: float32(have) - max(float32(have)/8, 1), in: all}
	for k := range b.Len() {
		d.in[k].size = float32(2 * (b.Start[k+1] - b.Start[k]))
	}
	return d
}

// blocks returns the first and last block of an interval, and the number of its positions in
// each.
func (d *demand) blocks(s interval) (first, last int32, inFirst, inLast float32) {
	first, last = d.b.Of[s.from/2], d.b.Of[(s.to-1)/2]
	if first == last {
		return first, last, float32(s.to - s.from), 0
	}
	return first, last, float32(2*d.b.Start[first+1] - s.from), float32(s.to - 2*d.b.Start[last])
}

// prepare computes the demand of the locals of every class.
func (a *assigner) prepare(b *lir.Blocks) {
	n := b.Len()
	demands := lir.Cleared(&a.mem.demand, 3*(n+1))
	for c := x64.GPR; c <= x64.Mask; c++ {
		a.demand[c] = newDemand(demands[(int(c)-1)*(n+1):][:n+1], b, bits.OnesCount64(uint64(a.may[c])))
	}
	// The inner blocks of an interval over several blocks are counted as differences: the
	// number and the rate of intervals change at its first and last block. A running sum then
	// gives each block's values.
	all := lir.Cleared(&a.mem.rates, 6*(n+1))
	var number, rates [4][]float32
	for c := range 3 {
		number[c+1], rates[c+1] = all[2*c*(n+1):][:n+1], all[(2*c+1)*(n+1):][:n+1]
	}
	for _, v := range a.u.order {
		if !a.r.all[v].local || a.origin[v] > 0 {
			continue
		}
		s := a.r.of(v)[0]
		c := a.fn.VRegs[v].Class
		d := &a.demand[c]
		rate := a.u.all[v].cost / float32(s.to-s.from)
		first, last, inFirst, inLast := d.blocks(s)
		d.in[first].area += inFirst
		d.in[first].cost += inFirst * rate
		d.in[last].area += inLast
		d.in[last].cost += inLast * rate
		if last > first+1 {
			number[c][first+1]++
			number[c][last]--
			rates[c][first+1] += rate
			rates[c][last] -= rate
		}
	}
	for c := x64.GPR; c <= x64.Mask; c++ {
		d := &a.demand[c]
		var now, rate float32
		for k := range n {
			now += number[c][k]
			rate += rates[c][k]
			l := &d.in[k]
			l.area += now * l.size
			l.cost += rate * l.size
		}
	}
}

// price returns the cost for the locals if n positions in the block are taken from them.
func (l *wanted) price(n, have float32) float32 {
	// Most blocks have room. This comparison shows that without a division; the factor covers
	// the rounding.
	if used := l.taken + l.area + n; l.area <= 0 || l.size <= 0 || used < l.size*have*(1-1e-5) {
		return 0
	}
	excess := (l.taken+l.area+n)/l.size - have
	return min(max(excess, 0), 1) * n * l.cost / l.area
}

// price returns the cost for the locals if a register is taken in some intervals. Above limit
// it stops.
func (d *demand) price(live []interval, limit float32) (p float32) {
	for _, s := range live {
		first, last, inFirst, inLast := d.blocks(s)
		p += d.in[first].price(inFirst, d.have)
		if last > first {
			between := d.in[first+1 : last]
			for k := range between {
				p += between[k].price(between[k].size, d.have)
			}
			p += d.in[last].price(inLast, d.have)
		}
		if p > limit {
			return p
		}
	}
	return p
}

// take counts a register that was assigned in some intervals.
func (d *demand) take(live []interval) {
	for _, s := range live {
		first, last, inFirst, inLast := d.blocks(s)
		d.in[first].taken += inFirst
		if last > first {
			between := d.in[first+1 : last]
			for k := range between {
				between[k].taken += between[k].size
			}
			d.in[last].taken += inLast
		}
	}
}
