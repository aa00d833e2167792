package alloc

import (
	"math/bits"
	"slices"

	"example.org/crosslane/internal/jit/lir"
)

// ranges are where the virtual registers live, and what that costs.
type ranges struct {
	all   []life // by virtual register
	list  []interval
	owner []int32 // of each element of list its virtual register
	steps int     // that following registers through blocks may still take
}

// A life is where and how often a virtual register lives.
type life struct {
	from, to int32   // its part of ranges.list
	area     float32 // positions lived through, by frequency
	local    bool
}

func (r *ranges) of(v int32) []interval { return r.list[r.all[v].from:r.all[v].to] }

// What an occurrence costs a register in a slot, in loads: a load that is part of another
// instruction, one of its own, a store, and a value that waits for its way through memory
// in a chain of dependent instructions.
const (
	costFold  = 0.6
	costLoad  = 1
	costStore = 1.5
	costChain = 3
)

// costs is what an occurrence costs, by its role.
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

// maxLocal is over how many blocks registers may live from their first to their last
// occurrence and count as if they did so without holes. Others may occur in code that lies
// far from where it is jumped to, and would take places from all between.
const maxLocal = 128

// liveness finds the ranges of all virtual registers. Those that occur in one region only
// and are not live into it, live at most from the first to the last occurrence: there is
// no way back. That is taken for what they do if it is not far (maxLocal). The others are followed from their uses back to their definitions, 64 at a
// time.
func liveness(m *Scratch, fn *lir.Func, b *lir.Blocks, u *uses, freq []float32) *ranges {
	r := &ranges{
		all:   lir.Cleared(&m.lives, len(fn.VRegs)),
		list:  slices.Grow(m.spans[:0], len(u.order)), // most have one
		owner: slices.Grow(m.owners[:0], len(u.order)),
		steps: 64*len(fn.Code) + 1<<20,
	}
	if m.hurry {
		r.steps = 0
	}
	f := newFollower(m, fn, b, u, freq)
	// By block, how often the last one from which Go enters runs that lies before it, or is
	// it; 0: there is none.
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
		g.cost += costs[end.role()] * freq[g.block]
		if constant && !g.blocks && g.cost <= costEntry*entered[g.block] {
			g.cost, g.top = 0, 0
			continue // it is not worth a register: see loadCost. It costs nothing, and lives nowhere
		}
		if !constant && !g.regions && occ[0].defines() &&
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

func (r *ranges) add(v int32, s interval) {
	r.list = append(r.list, s)
	r.owner = append(r.owner, v)
}

// A follower follows up to 64 registers at a time through the blocks. A word has a bit for
// each of them.
type follower struct {
	fn   *lir.Func
	b    *lir.Blocks
	u    *uses
	freq []float32
	// before has, by block and one more, the positions in front of it, by frequency.
	before    []float64
	vs        []int32
	at        []followed // by block
	dirty     []uint64   // by block a bit: in has grown
	low, high int32      // the blocks with words that are not 0 lie between, high excluded
	found     []found
}

// followed says of a block who is live into it, and out of it; whose first occurrence there
// defines it; who is written there; who occurs there; who may hold something at its start.
type followed struct{ in, out, kill, write, occ, held uint64 }

// found is a range of the register of a bit.
type found struct {
	bit int
	interval
}

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

// follow appends the ranges of the registers vs, and forgets them.
func (f *follower) follow(r *ranges) {
	if len(f.vs) == 0 {
		return
	}
	if r.steps <= 0 { // rather too long than for ever
		for _, v := range f.vs {
			l := &r.all[v]
			l.from = int32(len(r.list))
			if f.u.all[v].roles&lir.Read != 0 {
				r.add(v, interval{0, 2 * f.b.Start[f.b.Len()]})
			} else { // it may never have been written: all that does so may have been removed
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
	constant := f.start()
	entered := f.backward(&r.steps)
	if soft := entered &^ constant; soft != 0 {
		f.forward(soft, &r.steps)
	}
	f.cut()
	f.collect(r)
	r.steps -= int(f.high - f.low)
	if f.low < f.high {
		clear(f.at[f.low:f.high])
	}
	f.vs = f.vs[:0]
}

// start sets the words by the occurrences. It returns the bits of constants, which count
// as written wherever Go enters.
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

// backward carries what is live from blocks to those before them, from the last block to
// the first as long as anything changes. It returns who is live where Go enters.
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
					if more &^= from.kill | from.in; more != 0 {
						from.in |= more
						f.dirty[p>>6] |= 1 << (p & 63)
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

// forward takes the bits of soft out of in and out where no write may have come before:
// only merges, which may be of nothing, read such values.
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

// cut finds the ranges, in the order of their ends.
func (f *follower) cut() {
	b := f.b
	var next [64]int // the first occurrence that is not done
	var from [64]int32
	open := uint64(0) // who has a range that reaches to here
	end := func(m uint64, at int32) {
		for ; m != 0; m &= m - 1 {
			i := bits.TrailingZeros64(m)
			f.found = append(f.found, found{i, interval{from[i], at}})
		}
	}
	last := f.high
	if b.Hub >= 0 {
		last = min(last, b.Hub)
	}
	for k := f.low; k < last; k++ {
		start, stop := 2*b.Start[k], 2*b.Start[k+1]
		here := &f.at[k]
		if open == here.in && here.occ == 0 { // most go through most blocks
			open &= here.out
			continue
		}
		end(open&^here.in, start)
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

// collect appends what cut found, by register.
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

// weight is the positions in front of one, by frequency.
func (f *follower) weight(pos int32) float64 {
	if int(pos/2) >= len(f.b.Of) {
		return f.before[len(f.before)-1]
	}
	k := f.b.Of[pos/2]
	return f.before[k] + float64(f.freq[k])*float64(pos-2*f.b.Start[k])
}

// inBlock finds the ranges in one block from the occurrences there.
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
