package alloc

import (
	"math/bits"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// demand is what the registers of a class are worth to locals, by block: so that a value
// that lives around a block does not take a register that many short-lived values inside
// could take in turn.
type demand struct {
	b    *lir.Blocks
	have float32  // registers of the class
	in   []wanted // by block
}

// wanted is the demand in a block, which has size positions.
type wanted struct {
	size  float32
	area  float32 // positions lived by locals
	cost  float32 // of slots instead
	taken float32 // positions lived by others that have registers
}

func newDemand(all []wanted, b *lir.Blocks, have int) demand {
	d := demand{b: b, have: float32(have) - max(float32(have)/8, 1), in: all}
	for k := range b.Len() {
		d.in[k].size = float32(2 * (b.Start[k+1] - b.Start[k]))
	}
	return d
}

// blocks are the first and last block of a span, and how much of it lies in each.
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
	// Of spans over several blocks the blocks between are counted as differences of the
	// number and of the rates of spans from one block to the next.
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

// price is what n positions in the block of a register cost locals.
func (l *wanted) price(n, have float32) float32 {
	// Most blocks have room, which a look shows: a quotient as far below have as this rounds
	// to one below it.
	if used := l.taken + l.area + n; l.area <= 0 || l.size <= 0 || used < l.size*have*(1-1e-5) {
		return 0
	}
	excess := (l.taken+l.area+n)/l.size - have
	return min(max(excess, 0), 1) * n * l.cost / l.area
}

// price is what a register for what lives in the spans costs locals; any more than limit
// is too much.
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

// take counts a register that has been given to what lives in the spans.
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
