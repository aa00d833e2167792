package alloc

import (
	"math/bits"

	"crosslane/internal/jit/lir"
)

// ranges are where the virtual registers live, and what that costs.
type ranges struct {
	from   []int32 // of each virtual register and the next: its part of list
	to     []int32
	list   []span
	owner  []int32 // of each element of list its virtual register
	local  []bool
	cost   []float32 // of a slot instead of a register
	area   []float32 // positions lived through, by frequency
	top    []float32 // the highest frequency of an occurrence
	blocks int       // the steps that walks over blocks may still take
}

func (r *ranges) of(v int32) []span { return r.list[r.from[v]:r.to[v]] }

// What an occurrence costs a register in a slot, in loads: a load that is part of another
// instruction, one of its own, a store, and a value that waits for its way through memory
// in a chain of dependent instructions.
const (
	costFold  = 0.6
	costLoad  = 1
	costStore = 1.5
	costChain = 3
)

func cost(r lir.Role) (c float32) {
	switch {
	case r&(lir.Read|lir.Write) == lir.Read|lir.Write:
		return costChain
	case r&lir.Write != 0:
		return costStore
	case r&lir.Fold != 0:
		return costFold
	}
	return costLoad
}

// liveness finds the ranges of all virtual registers. Those that occur in one region only
// and are not live into it, live at most from the first to the last occurrence: there is
// no way back. The others are followed from their uses back to their definitions, each on
// its own, so that all takes as long as the result is large.
func liveness(fn *lir.Func, b *lir.Blocks, u *uses, freq []float32) *ranges {
	nv := len(fn.VRegs)
	ints := make([]int32, 2*nv)
	floats := make([]float32, 3*nv)
	r := &ranges{
		from: ints[:nv:nv], to: ints[nv:],
		list:  make([]span, 0, nv+nv/8),
		owner: make([]int32, 0, nv+nv/8),
		local: make([]bool, nv),
		cost:  floats[:nv:nv], area: floats[nv : 2*nv : 2*nv], top: floats[2*nv:],
		blocks: 64*len(fn.Code) + 1<<20,
	}
	w := newWalker(b, u)
	for _, v := range u.order {
		occ := u.of(v)
		one := fn.VRegs[v].Const == 0 && occ[0].defines()
		region, merges, same := b.Region[b.Of[occ[0].at()]], false, true
		for _, o := range occ {
			k := b.Of[o.at()]
			f := freq[k]
			r.cost[v] += cost(o.role()) * f
			r.top[v] = max(r.top[v], f)
			one = one && b.Region[k] == region
			merges = merges || o.role()&lir.Merge != 0
			same = same && k == b.Of[occ[0].at()]
		}
		r.from[v] = int32(len(r.list))
		if one && (same || !merges) {
			s := span{occ[0].start(), occ[len(occ)-1].end()}
			r.list = append(r.list, s)
			r.local[v] = true
			r.area[v] = float32(s.to-s.from) * r.top[v]
		} else {
			r.follow(w, v, fn.VRegs[v].Const != 0, freq)
		}
		r.to[v] = int32(len(r.list))
		for len(r.owner) < len(r.list) {
			r.owner = append(r.owner, v)
		}
	}
	return r
}

// A walker follows one register after the other through the blocks.
type walker struct {
	b *lir.Blocks
	u *uses
	// By block, a bit each: the register is live into it; out of it; its first occurrence
	// defines it; it is written there.
	in, out, kill, write []uint64
	todo                 []int32
	low, high            int32 // the blocks with bits lie between, high excluded
}

func newWalker(b *lir.Blocks, u *uses) *walker {
	n := (b.Len() + 63) / 64
	all := make([]uint64, 4*n)
	return &walker{b: b, u: u, in: all[:n], out: all[n : 2*n], kill: all[2*n : 3*n], write: all[3*n:]}
}

func has(s []uint64, i int32) bool { return s[i>>6]>>(uint(i)&63)&1 != 0 }
func put(s []uint64, i int32)      { s[i>>6] |= 1 << (uint(i) & 63) }
func drop(s []uint64, i int32)     { s[i>>6] &^= 1 << (uint(i) & 63) }

func (w *walker) enter(k int32) {
	put(w.in, k)
	w.todo = append(w.todo, k)
	w.low, w.high = min(w.low, k), max(w.high, k+1)
}

// walk sets the bits of register v. It reports whether v is live where Go enters.
func (w *walker) walk(v int32, steps *int) (entered bool) {
	b := w.b
	w.low, w.high = int32(b.Len()), 0
	last := int32(-1)
	for _, o := range w.u.of(v) {
		k := b.Of[o.at()]
		if k != last {
			if o.defines() {
				put(w.kill, k)
			} else {
				w.enter(k)
			}
			w.low, w.high = min(w.low, k), max(w.high, k+1)
			last = k
		}
		if o.role()&lir.Write != 0 {
			put(w.write, k)
		}
	}
	for len(w.todo) > 0 {
		k := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		preds := b.Preds(k)
		entered = entered || b.Entry[k] || k == 0 || len(preds) == 0
		*steps -= 1 + len(preds)
		for _, p := range preds {
			if has(w.out, p) {
				continue
			}
			put(w.out, p)
			w.low, w.high = min(w.low, p), max(w.high, p+1)
			if !has(w.kill, p) && !has(w.in, p) {
				w.enter(p)
			}
		}
	}
	return entered
}

// reach takes the bits in and out away where no write of v may have come before. Only
// merges, which may be of nothing, read such values.
func (w *walker) reach(v int32, steps *int) {
	b := w.b
	reached := func(k int32) { // v holds something at the end of k
		*steps--
		for _, t := range b.Next(k) {
			if has(w.in, t) && !has(w.kill, t) { // kill is free for the mark where in is set
				put(w.kill, t)
				w.todo = append(w.todo, t)
			}
		}
	}
	*steps -= int(w.high-w.low) / 16
	for k := w.low; k < w.high; k++ {
		if has(w.write, k) && has(w.out, k) {
			reached(k)
		}
	}
	for len(w.todo) > 0 {
		k := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		if has(w.out, k) {
			reached(k)
		}
	}
	for k := w.low; k < w.high; k++ {
		if has(w.in, k) && !has(w.kill, k) {
			drop(w.in, k)
			if !has(w.write, k) {
				drop(w.out, k)
			}
		}
	}
}

func (w *walker) clear() {
	for i := w.low >> 6; i <= (w.high-1)>>6 && w.high > 0; i++ {
		w.in[i], w.out[i], w.kill[i], w.write[i] = 0, 0, 0, 0
	}
	w.todo = w.todo[:0]
}

// follow appends the ranges of register v. A constant counts as written wherever Go enters.
func (r *ranges) follow(w *walker, v int32, constant bool, freq []float32) {
	b := w.b
	if r.blocks <= 0 { // rather too long than for ever
		r.list = append(r.list, span{0, 2 * b.Start[b.Len()]})
		r.area[v] = float32(b.Start[b.Len()])
		return
	}
	if w.walk(v, &r.blocks) && !constant {
		w.reach(v, &r.blocks)
	}
	defer w.clear()
	first := len(r.list)
	grow := func(from, to int32, k int32) {
		if from >= to {
			return
		}
		r.area[v] += float32(to-from) * freq[k]
		if n := len(r.list); n > first && r.list[n-1].to >= from {
			r.list[n-1].to = to
			return
		}
		r.list = append(r.list, span{from, to})
	}
	occ := w.u.of(v)
	for i := w.low >> 6; i <= (w.high-1)>>6; i++ {
		// Blocks without a bit and without occurrences are skipped.
		word := w.in[i] | w.out[i] | w.kill[i] | w.write[i]
		for word != 0 {
			k := i<<6 + int32(bits.TrailingZeros64(word))
			word &= word - 1
			start, end := 2*b.Start[k], 2*b.Start[k+1]
			if k == b.Hub {
				continue
			}
			n := 0
			for n < len(occ) && 2*occ[n].at() < end {
				n++
			}
			r.inBlock(occ[:n], span{start, end}, has(w.in, k), has(w.out, k), func(s span) { grow(s.from, s.to, k) })
			occ = occ[n:]
		}
	}
}

// inBlock finds the ranges in one block from the occurrences there.
func (r *ranges) inBlock(occ []occurrence, block span, in, out bool, grow func(span)) {
	now := span{-1, -1}
	if in {
		now = span{block.from, block.from}
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
