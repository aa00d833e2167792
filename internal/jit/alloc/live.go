package alloc

import (
	"math/bits"
	"slices"

	"example.org/crosslane/internal/jit/lir"
)

// ranges holds the positions at which virtual registers live, and their costs.
//
// Input: occurrences of registers, blocks with edges, frequencies.
// Output: by register a list of intervals.
// Invariant: between a definition and each use that it reaches, the register lives at all
// positions of the path. Positions are those of the list, in the order of the layout.
// Example: v is written in block 2, read in block 5, and blocks 3 and 4 are the two sides of
// a branch that both lead to 5. v lives through both sides.
type ranges struct {
	all   []life // by virtual register
	list  []interval
	owner []int32 // by element of list: its virtual register
	steps int     // remaining budget for the data-flow iteration
}

// A life is the position and the weight of a virtual register's ranges.
type life struct {
	from, to int32   // its elements of ranges.list
	area     float32 // number of positions, weighted by frequency
	local    bool    // it has one interval inside a region
}

func (r *ranges) of(v int32) []interval { return r.list[r.all[v].from:r.all[v].to] }

// The costs of an occurrence of a register that is in a slot, in loads: a load that is folded
// into the instruction, a load of its own, a store, and a read-modify-write, which waits for
// memory in a chain of dependent instructions.
const (
	costFold  = 0.6
	costLoad  = 1
	costStore = 1.5
	costChain = 3
)

// costs holds the cost of an occurrence by its role.
var costs = func() (c [1 << roleBits]float32) {
	for i := range c {
		switch r := lir.Role(i); {
		case r&(lir.Read|lir.Write) == lir.Read|lir.Write:
			c[i] = costChain
		case r&lir.Write != 0:
			c[i] = costStore
		case r&lir.Fold != 0:
			c[i] = costFold
		default:
			c[i] = costLoad
		}
	}
	return c
}()

// maxLocal is the number of blocks over which a register may live from its first to its last
// occurrence and still be treated as if it had no holes. Other registers may occur in code
// that lies far away from its jump, and would occupy a place in all blocks between.
const maxLocal = 128

// liveness finds the ranges of all virtual registers. A register that occurs in one region
// only, and is defined first there, lives at most from its first to its last occurrence,
// because no edge leads back. If that is short (maxLocal), this interval is its range. The
// remaining registers are followed from their uses back to their definitions, 64 at a time.
func liveness(m *Scratch, fn *lir.Func, b *lir.Blocks, u *uses, freq []float32) *ranges {
	r := &ranges{
		all:   lir.Cleared(&m.lives, len(fn.VRegs)),
		list:  slices.Grow(m.spans[:0], len(u.order)), // most registers have one interval
		owner: slices.Grow(m.owners[:0], len(u.order)),
		steps: 64*len(fn.Code) + 1<<20,
	}
	if m.hurry {
		r.steps = 0
	}
	// Registers that need the data-flow analysis are collected in f, 64 at a time.
	f := newFollower(m, fn, b, u, freq)
	// entered holds, by block, the frequency of the last entry up to it; 0: there is none.
	entered := lir.Cleared(&m.entered, b.Len())
	last := float32(0)
	for k := range entered {
		if b.Entry[k] {
			last = freq[k]
		}
		entered[k] = last
	}
	for _, v := range u.order {
		g, occ, constant := &u.all[v], u.of(v), fn.VRegs[v].Const != 0
		end := occ[len(occ)-1]
		// collect left out the last occurrence.
		g.cost += end.cost() * freq[g.block]
		if constant && !g.blocks && g.cost <= costEntry*entered[g.block] {
			g.cost, g.top = 0, 0
			continue // not worth a register, see loadCost: it costs nothing, and lives nowhere
		}
		if !constant && !g.regions && occ[0].defines() &&
			// A merge reads the old value, so a later merge may depend on an earlier write
			// around a loop.
			(!g.blocks || g.roles&lir.Merge == 0 && g.block-b.Of[occ[0].at()] <= maxLocal) {
			s, l := interval{occ[0].start(), end.end()}, &r.all[v]
			l.from = int32(len(r.list))
			r.add(v, s)
			l.to = l.from + 1
			l.local = true
			l.area = float32(s.to-s.from) * g.top
			continue
		}
		f.vs = append(f.vs, v)
		if len(f.vs) == 64 {
			f.follow(r)
		}
	}
	f.follow(r)
	m.spans, m.owners = r.list, r.owner
	return r
}

// add appends an interval of register v.
func (r *ranges) add(v int32, s interval) {
	r.list = append(r.list, s)
	r.owner = append(r.owner, v)
}

// A follower follows up to 64 registers at a time through the blocks: a data-flow analysis
// with one bit per register.
type follower struct {
	fn   *lir.Func
	b    *lir.Blocks
	u    *uses
	freq []float32
	// before holds the weighted number of positions before each block, and in all.
	before    []float64
	vs        []int32
	at        []followed // bits, by block: in has grown
	dirty     []uint64   // only blocks from low to high, exclusive, have words that are not 0
	low, high int32      // the blocks with words that are not 0 lie between, high excluded
	found     []found
}

// followed holds bits for a block: registers live in; live out; first written there, without
// a read; written there; occurring there; possibly written before it.
type followed struct{ in, out, kill, write, occ, held uint64 }

// found is an interval of the register of a bit.
type found struct {
	bit int
	interval
}

// newFollower returns a follower without registers.
func newFollower(m *Scratch, fn *lir.Func, b *lir.Blocks, u *uses, freq []float32) *follower {
	n := b.Len()
	f := &m.follower
	*f = follower{fn: fn, b: b, u: u, freq: freq, before: lir.Cleared(&m.before, n+1), vs: f.vs[:0], found: f.found[:0]}
	for k := range n {
		f.before[k+1] = f.before[k] + float64(freq[k])*float64(2*(b.Start[k+1]-b.Start[k]))
	}
	f.at, f.dirty = lir.Cleared(&m.followed, n), lir.Cleared(&m.dirty, n/64+1)
	return f
}

// follow appends the ranges of the registers vs, and empties vs.
func (f *follower) follow(r *ranges) {
	if len(f.vs) == 0 {
		return
	}
	if r.steps <= 0 { // the budget is used up: too long a range is better
		for _, v := range f.vs {
			l := &r.all[v]
			l.from = int32(len(r.list))
			if f.u.all[v].roles&lir.Read != 0 {
				r.add(v, interval{0, 2 * f.b.Start[f.b.Len()]})
			} else { // it may never be written, because its writes may have been removed
				for _, o := range f.u.of(v) {
					r.add(v, interval{o.start(), o.end()})
				}
			}
			l.to = int32(len(r.list))
			l.area = float32(f.before[f.b.Len()])
		}
		f.vs = f.vs[:0]
		return
	}
	// Live-in sets by backward iteration; then soft bits are removed by a forward one.
	constant := f.start()
	entered := f.backward(&r.steps)
	if soft := entered &^ constant; soft != 0 {
		f.forward(soft, &r.steps)
	}
	f.cut()
	f.collect(r)
	r.steps -= int(f.high - f.low)
	// Only the blocks that were used have to be cleared for the next registers.
	if f.low < f.high {
		clear(f.at[f.low:f.high])
	}
	f.vs = f.vs[:0]
}

// start sets the bits from the occurrences. It returns the bits of constants, which count as
// written at each entry.
func (f *follower) start() (constant uint64) {
	f.low, f.high = int32(f.b.Len()), 0
	for i, v := range f.vs {
		m := uint64(1) << i
		if f.fn.VRegs[v].Const != 0 {
			constant |= m
		}
		last := int32(-1)
		for _, o := range f.u.of(v) {
			k := f.b.Of[o.at()]
			// The first occurrence in a block decides whether the register is live into the
			// block.
			if k != last {
				last = k
				at := &f.at[k]
				at.occ |= m
				if o.defines() {
					at.kill |= m
				} else {
					at.in |= m
					f.dirty[k>>6] |= 1 << (k & 63)
				}
				f.low, f.high = min(f.low, k), max(f.high, k+1)
			}
			if o.role()&lir.Write != 0 {
				f.at[k].write |= m
			}
		}
	}
	return constant
}

// backward propagates live-in bits to predecessors, from the last block to the first, until
// no bit changes. It returns the bits that are live where Go enters.
func (f *follower) backward(steps *int) (entered uint64) {
	b := f.b
	for top := f.high - 1; top >= 0; {
		again := int32(-1)
		for i := top >> 6; i >= 0; i-- {
			for f.dirty[i] != 0 {
				bit := int32(bits.Len64(f.dirty[i])) - 1
				f.dirty[i] &^= 1 << bit
				k := i<<6 + bit
				live, preds := f.at[k].in, b.Preds(k)
				// Here the register may have no value, unless a merge is the reason why it is
				// live.
				if b.Entry[k] || k == 0 || len(preds) == 0 {
					entered |= live
				}
				*steps -= 1 + len(preds)
				for _, p := range preds {
					from := &f.at[p]
					more := live &^ from.out
					if more == 0 {
						continue
					}
					from.out |= more
					f.low, f.high = min(f.low, p), max(f.high, p+1)
					// Bits that the block defines first stop here.
					if more &^= from.kill | from.in; more != 0 {
						from.in |= more
						f.dirty[p>>6] |= 1 << (p & 63)
						// A predecessor after the current position is handled in the next
						// round.
						if p>>6 > i {
							again = max(again, p)
						}
					}
				}
			}
		}
		top = again
	}
	return entered
}

// forward removes soft bits from blocks that no write can reach: only merges read these
// values, and a merge may read a register that was never written.
func (f *follower) forward(soft uint64, steps *int) {
	for k := f.low; k < f.high; k++ {
		if f.at[k].write&f.at[k].out&soft != 0 {
			f.dirty[k>>6] |= 1 << (k & 63)
		}
	}
	for start := f.low; start < f.high; {
		again := f.high
		for i := start >> 6; i<<6 < f.high; i++ {
			for f.dirty[i] != 0 {
				bit := int32(bits.TrailingZeros64(f.dirty[i]))
				f.dirty[i] &^= 1 << bit
				k := i<<6 + bit
				at := &f.at[k]
				// A block passes on registers that it writes, or that a block before it may
				// have written.
				holds, next := (at.write|at.held)&at.out&soft, f.b.Next(k)
				*steps -= 1 + len(next)
				for _, t := range next {
					to := &f.at[t]
					if more := holds & to.in &^ to.held; more != 0 {
						to.held |= more
						f.dirty[t>>6] |= 1 << (t & 63)
						if t>>6 < i {
							again = min(again, t)
						}
					}
				}
			}
		}
		start = again
	}
	for k := f.low; k < f.high; k++ {
		at := &f.at[k]
		gone := at.in & soft &^ at.held
		at.in &^= gone
		at.out &^= gone &^ at.write
	}
}

// cut turns bits into intervals, in the order of their ends.
func (f *follower) cut() {
	b := f.b
	var next [64]int // by bit: the first occurrence that is not handled yet
	var from [64]int32
	open := uint64(0) // registers with an interval that reaches this block
	end := func(m uint64, at int32) {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			f.found = append(f.found, found{i, interval{from[i], at}})
		}
	}
	last := f.high
	// The hub has no code and no positions.
	if b.Hub >= 0 {
		last = min(last, b.Hub)
	}
	for k := f.low; k < last; k++ {
		start, stop := 2*b.Start[k], 2*b.Start[k+1]
		here := &f.at[k]
		if open == here.in && here.occ == 0 { // most registers go through most blocks unchanged
			open &= here.out
			continue
		}
		end(open&^here.in, start)
		// New ranges begin at the start of the block.
		for m := here.in &^ open; m != 0; m &= m - 1 {
			from[bits.TrailingZeros64(m)] = start
		}
		open = here.in
		for m := here.occ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			occ := f.u.of(f.vs[i])
			now := interval{-1, -1}
			if open>>i&1 != 0 {
				now.from = from[i]
			}
			for ; next[i] < len(occ) && 2*occ[next[i]].at() < stop; next[i]++ {
				o := occ[next[i]]
				if now.from < 0 || o.defines() {
					if now.to > now.from && now.from >= 0 {
						f.found = append(f.found, found{i, now})
					}
					now.from = o.start()
				}
				now.to = o.end()
			}
			// The range goes on into the next block.
			if here.out>>i&1 != 0 {
				from[i] = now.from
			} else {
				f.found = append(f.found, found{i, now})
			}
		}
		open = (open | here.occ) & here.out
	}
	end(open, 2*b.Start[last])
}

// collect appends the intervals that cut found, grouped by register (a counting sort).
func (f *follower) collect(r *ranges) {
	var at [65]int32
	for _, x := range f.found {
		at[x.bit+1]++
	}
	base := int32(len(r.list))
	for i, v := range f.vs {
		at[i+1] += at[i]
		r.all[v].from, r.all[v].to = base+at[i], base+at[i+1]
	}
	n := len(f.found)
	r.list = append(r.list, make([]interval, n)...)
	r.owner = append(r.owner, make([]int32, n)...)
	for _, x := range f.found {
		v := f.vs[x.bit]
		i := base + at[x.bit]
		at[x.bit]++
		r.list[i], r.owner[i] = x.interval, v
		r.all[v].area += float32(f.weight(x.to) - f.weight(x.from))
	}
	f.found = f.found[:0]
}

// weight returns the weighted number of positions before a position.
func (f *follower) weight(pos int32) float64 {
	if int(pos/2) >= len(f.b.Of) {
		return f.before[len(f.before)-1]
	}
	k := f.b.Of[pos/2]
	return f.before[k] + float64(f.freq[k])*float64(pos-2*f.b.Start[k])
}

// inBlock finds the intervals in one block from the occurrences there.
func (r *ranges) inBlock(occ []occurrence, block interval, in, out bool, grow func(interval)) {
	now := interval{-1, -1}
	if in {
		now = interval{block.from, block.from}
	}
	for _, o := range occ {
		if now.from < 0 || o.defines() {
			if now.from >= 0 {
				grow(now)
			}
			now.from = o.start()
		}
		now.to = o.end()
	}
	if out && now.from >= 0 {
		now.to = block.to
	}
	if now.from >= 0 {
		grow(now)
	}
}
