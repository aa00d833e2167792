package alloc

import (
	"cmp"
	"slices"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// parks reports whether v is cheaper in a slot, or in the pool, because of the places where
// waves wait. A register is stored before each of these places, if it has been written, and
// loaded after each, even if it is not used there; a slot is accessed only where it is used.
//
// Input: the places where waves wait (lir.Func.Parks), frequencies.
// Output: registers that stay in slots (parks), and stores that may be omitted (Parked).
// Invariant: a slot holds its register's value at each place where the register is not dirty.
// Example: a loop waits twice and reads v once after the loop. In a register, v would be
// loaded twice in each iteration; in a slot it is loaded once.
func (a *assigner) parks(v int32, freq []float32, b *lir.Blocks) bool {
	crossed := float32(0) // how often v lives where its wave waits
	for _, s := range a.r.of(v) {
		i, _ := slices.BinarySearchFunc(a.fn.Parks, s.from, func(at, from int32) int { return cmp.Compare(2*at+1, from) })
		for ; i < len(a.fn.Parks) && 2*a.fn.Parks[i]+1 < s.to; i++ {
			crossed += freq[b.Of[a.fn.Parks[i]]]
		}
	}
	// The register never lives where its wave waits.
	if crossed == 0 {
		return false
	}
	var slot, writes float32
	occ := a.u.of(v)
	for len(occ) > 0 {
		k, n := b.Of[occ[0].at()], 0
		var here, write float32 // in one block
		for n < len(occ) && b.Of[occ[n].at()] == k {
			role := occ[n].role()
			c := occ[n].cost()
			if role&(lir.Read|lir.Write) == lir.Read|lir.Write {
				c = costFold + costStore // it goes through memory in any case
			}
			if here += c; role&lir.Write != 0 {
				write++
			}
			n++
		}
		if write == 0 {
			here = min(here, costLoad) // see stay
		}
		slot += here * freq[k]
		writes += write * freq[k]
		occ = occ[n:]
	}
	// A constant is never stored.
	if a.fn.VRegs[v].Const != 0 {
		writes = 0
	}
	return slot <= crossed*costLoad+min(writes, crossed)*costStore
}

// maxParked bounds the memory of the analysis of stores, in words.
const maxParked = 1 << 20

// A Parked lists the registers that need not be stored where waves wait.
type Parked struct {
	parks []int32
	bits  []int32 // by virtual register: its bit, plus 1
	words int
	dirty []uint64 // bits, by place: the register may have been written since the last store or load
}

// Stored reports whether register v has not been written since it was last stored or loaded
// at a place where the wave waits or Go looks, on any path to instruction at of Func.Parks.
func (p *Parked) Stored(at int, v x64.Reg) bool {
	i := p.bits[v-x64.Virtual] - 1
	k, ok := slices.BinarySearch(p.parks, int32(at))
	return ok && i >= 0 && p.dirty[k*p.words+int(i>>6)]>>(i&63)&1 == 0
}

// Parked finds the registers that need not be stored. The result is valid until the next call
// or allocation.
func (r *Result) Parked() *Parked {
	m, b, parks := r.mem, r.b, r.fn.Parks
	p := &Parked{parks: parks, bits: lir.Cleared(&m.bits, len(r.fn.VRegs))}
	if len(parks) == 0 {
		return p
	}
	// The registers that live where waves wait get a bit.
	var list []int32
	for x, s := range r.ranges.list {
		v := r.ranges.owner[x]
		if r.where[v] == 0 || r.fn.VRegs[v].Const != 0 || p.bits[v] != 0 {
			continue
		}
		i, _ := slices.BinarySearchFunc(parks, s.from, func(at, from int32) int { return cmp.Compare(2*at+1, from) })
		if i < len(parks) && 2*parks[i]+1 < s.to {
			list = append(list, v)
			p.bits[v] = int32(len(list))
		}
	}
	n := b.Len()
	p.words = (len(list) + 63) / 64
	// Without the analysis every register counts as dirty.
	if (2*n+len(parks))*p.words > maxParked {
		clear(p.bits)
		return p
	}
	all := lir.Cleared(&m.parked, (2*n+len(parks))*p.words)
	in, out := all[:n*p.words], all[n*p.words:2*n*p.words]
	p.dirty = all[2*n*p.words:]
	// A register that a block writes is dirty at the block's next place where the wave waits;
	// if no place follows, it is dirty at the block's end.
	for i, v := range list {
		for _, o := range r.u.of(v) {
			if o.role()&lir.Write == 0 {
				continue
			}
			block := b.Of[o.at()]
			set := out[int(block)*p.words:]
			if k, _ := slices.BinarySearch(parks, o.at()); k < len(parks) && b.Of[parks[k]] == block {
				set = p.dirty[k*p.words:]
			}
			set[i>>6] |= 1 << (i & 63)
		}
	}
	// first returns 1 + the first place in a block where the wave waits; 0 if there is none.
	first := func(block int32) int {
		k, _ := slices.BinarySearch(parks, b.Start[block])
		if k < len(parks) && b.Of[parks[k]] == block {
			return k + 1
		}
		return 0
	}
	// A forward data-flow analysis: in is the union of the predecessors' out.
	for changed := true; changed; {
		changed = false
		for block := range int32(n) {
			at := int(block) * p.words
			grown := false
			for _, x := range b.Preds(block) {
				for w := range p.words {
					// A register may be dirty at the start of a block if it is at the end of
					// any predecessor.
					if more := out[int(x)*p.words+w] &^ in[at+w]; more != 0 {
						in[at+w] |= more
						grown = true
					}
				}
			}
			if !grown {
				continue
			}
			changed = true
			to := out[at:]
			// A place where the wave waits stores the register, so it is clean after that.
			if k := first(block); k > 0 {
				to = p.dirty[(k-1)*p.words:]
			}
			for w := range p.words {
				to[w] |= in[at+w]
			}
		}
	}
	return p
}
