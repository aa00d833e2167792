package alloc

import (
	"math/bits"

	"crosslane/internal/jit/lir"
	"crosslane/internal/jit/x64"
)

// demand is what the registers of a class are worth to locals, by block: so that a value
// that lives around a block does not take a register that many short-lived values inside
// could take in turn.
type demand struct {
	b     *lir.Blocks
	have  float32   // registers of the class
	area  []float32 // positions lived by locals
	cost  []float32 // of slots instead
	taken []float32 // positions lived by others that have registers
}

func newDemand(all []float32, b *lir.Blocks, have int) *demand {
	n := b.Len()
	return &demand{b: b, have: float32(have) - max(float32(have)/8, 1), area: all[: n+1 : n+1], cost: all[n+1 : 2*n+2 : 2*n+2], taken: all[2*n+2:]}
}

// blocks are the first and last block of a span, and how much of it lies in each.
func (d *demand) blocks(s span) (first, last int32, inFirst, inLast float32) {
	first, last = d.b.Of[s.from/2], d.b.Of[(s.to-1)/2]
	if first == last {
		return first, last, float32(s.to - s.from), 0
	}
	return first, last, float32(2*d.b.Start[first+1] - s.from), float32(s.to - 2*d.b.Start[last])
}

// prepare computes the demand of the locals of every class.
func (a *assigner) prepare(b *lir.Blocks) {
	n := b.Len()
	demands := lir.Cleared(&a.mem.demand, 9*(n+1))
	for c := x64.GPR; c <= x64.Mask; c++ {
		a.demand[c] = newDemand(demands[3*(int(c)-1)*(n+1):][:3*(n+1)], b, bits.OnesCount64(uint64(a.may[c])))
	}
	// Of spans over several blocks the blocks between are counted as differences of the
	// number and of the rates of spans from one block to the next.
	all := lir.Cleared(&a.mem.rates, 6*(n+1))
	var number, rates [4][]float32
	for c := range 3 {
		number[c+1], rates[c+1] = all[2*c*(n+1):][:n+1], all[(2*c+1)*(n+1):][:n+1]
	}
	for _, v := range a.u.order {
		if !a.r.local[v] {
			continue
		}
		s := a.r.of(v)[0]
		c := a.fn.VRegs[v].Class
		d := a.demand[c]
		rate := a.r.cost[v] / float32(s.to-s.from)
		first, last, inFirst, inLast := d.blocks(s)
		d.area[first] += inFirst
		d.cost[first] += inFirst * rate
		d.area[last] += inLast
		d.cost[last] += inLast * rate
		if last > first+1 {
			number[c][first+1]++
			number[c][last]--
			rates[c][first+1] += rate
			rates[c][last] -= rate
		}
	}
	for c := x64.GPR; c <= x64.Mask; c++ {
		d := a.demand[c]
		var now, rate float32
		for k := range n {
			now += number[c][k]
			rate += rates[c][k]
			size := float32(2 * (d.b.Start[k+1] - d.b.Start[k]))
			d.area[k] += now * size
			d.cost[k] += rate * size
		}
	}
}

// price is what a register for what lives in the spans costs locals; any more than limit
// is too much.
func (d *demand) price(live []span, limit float32) (p float32) {
	part := func(k int32, n float32) {
		size := float32(2 * (d.b.Start[k+1] - d.b.Start[k]))
		if d.area[k] <= 0 || size <= 0 {
			return
		}
		excess := (d.taken[k]+d.area[k]+n)/size - d.have
		p += min(max(excess, 0), 1) * n * d.cost[k] / d.area[k]
	}
	for _, s := range live {
		first, last, inFirst, inLast := d.blocks(s)
		part(first, inFirst)
		for k := first + 1; k < last; k++ {
			part(k, float32(2*(d.b.Start[k+1]-d.b.Start[k])))
		}
		if last > first {
			part(last, inLast)
		}
		if p > limit {
			return p
		}
	}
	return p
}

// take counts a register that has been given to what lives in the spans.
func (d *demand) take(live []span) {
	for _, s := range live {
		first, last, inFirst, inLast := d.blocks(s)
		d.taken[first] += inFirst
		for k := first + 1; k < last; k++ {
			d.taken[k] += float32(2 * (d.b.Start[k+1] - d.b.Start[k]))
		}
		d.taken[last] += inLast
	}
}
