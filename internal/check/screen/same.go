package screen

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
)

// Stores of equal values.
//
// Input: a kernel whose lanes store equal values to one word of shared memory, as replicated layouts of compilers do.
// Output: a form with Options.Same. It takes such stores for no suspicion, and says that they met. It also leaves a number
// for each thread, its way.
// Invariant: if the run is clean, all stores to a word in one interval have stored the same bits, and no thread has loaded
// the word in it unless it alone stores there. So no order of lanes, waves and blocks shows. A check then has no finding but
// race-same-value, and which ones is a function of the ways of all threads: the branches that each thread has taken, and the addresses
// of its stores to shared memory. The interpreter, which runs a check, chooses the next lanes by nothing else.
// Example: all 32 lanes store the sum of their warp to sm[warp]. The first check of the kernel is a full one; a later launch with
// the same ways has the same notes.
//
// A word that several threads have stored to in this interval has a tag of several threads (many): each load, and each store of
// other bits, is suspicious.

// Same reports whether the kernel has a form for stores of equal values. It has none with atomics, matrix stores or strong stores to
// shared memory: a strong store that meets a plain one is no store of an equal value for the race detector.
func (k *Kernel) Same() bool {
	if k.shared.Any {
		return false
	}
	stores := false
	for i := range k.f.Code {
		in := &k.f.Code[i]
		if in.Op == ir.Collective && k.f.Collectives[in.Imm].Matrix.Kind == matrix.StoreRows {
			return false
		}
		if isTold(in) && in.Space == ir.Shared && in.Order&^ir.Async != 0 {
			return false
		}
		if !mayMeetEqual(in) {
			continue
		}
		stores = true
		for n, j := range k.told[i].stores {
			if j != i+1+n { // so the values of all are known at the access
				return false
			}
			if v := k.f.Val(k.f.Code[j].Args[1]); v.Scalar || v.Type != ir.B8 && v.Type != ir.B16 && v.Type != ir.B32 && v.Type != ir.B64 {
				return false
			}
		}
	}
	return stores
}

// meetings is what a form with Options.Same knows of a thread.
type meetings struct {
	met    ir.Ref // the thread has met an equal value
	way    ir.Ref // its way so far
	wayAt  ir.Ref // where it is kept
	chosen []bool // blocks of the function: see choices
	// ofEqual has the stores of accesses that may meet stores of equal values.
	ofEqual map[int]bool
}

// mayMeetEqual reports whether an access is a store to shared memory that is done when its thread goes on.
func mayMeetEqual(in *ir.Inst) bool {
	return isTold(in) && in.Space == ir.Shared && kindOf(in) == ir.AccessWrite && in.Order&ir.Async == 0
}

// storesOfEqual returns the stores of accesses that may meet stores of equal values.
func (k *Kernel) storesOfEqual() map[int]bool {
	all := map[int]bool{}
	for i, t := range k.told {
		if mayMeetEqual(&k.f.Code[i]) {
			for _, j := range t.stores {
				all[j] = true
			}
		}
	}
	return all
}

// equal is meet for an access that may meet stores of equal values. stores are the stores in it.
func (w *writer) equal(x *meeting, stores []int) {
	several := w.v(ir.Or32, w.now, w.konst(ir.B32, many))
	if x.readers != 0 {
		for _, tag := range w.tags(x.readers, x) {
			w.suspect(w.conflict(tag, false), x.Inst)
		}
	}
	var before, met ir.Ref // lanes whose bytes were stored in this interval; by another thread, or by another lane of this store
	was := w.tags(x.writers, x)
	next := make([]ir.Ref, len(was))
	for n, tag := range was {
		if w.Copies { // one that all threads of the block know to be done is of an interval before
			copy := w.v(ir.Sub32, tag, w.cp.first)
			w.suspect(w.v(ir.AndP, w.v(ir.LtU32, copy, w.cp.half), w.v(ir.GeU32, copy, w.cp.known)), x.Inst)
		}
		far := w.v(ir.Xor32, tag, w.now)
		w.or(&before, w.v(ir.LtU32, far, w.konst(ir.B32, many+1)))
		other := w.v(ir.LtU32, w.v(ir.Sub32, far, w.konst(ir.B32, 1)), w.konst(ir.B32, many))
		w.or(&met, other)
		next[n] = w.v(ir.Sel32, other, several, w.now)
	}
	w.leave(x.writers, x, was, func(n int) ir.Ref { return next[n] })
	for n, tag := range w.tags(x.writers, x) {
		mixed := w.v(ir.NeU32, tag, next[n])
		w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: x.offs[n], Args: [4]ir.Ref{x.writers, several}, Guard: w.under(mixed, x.Inst)})
		w.or(&met, mixed)
	}
	for _, i := range stores {
		w.suspect(w.v(ir.AndP, before, w.differs(&w.f.Code[i])), x.Inst)
	}
	w.emit(ir.Inst{Op: ir.OrP, Dst: w.same.met, Args: [4]ir.Ref{w.same.met, met}, Guard: x.Guard, GuardNot: x.GuardNot})
	w.goes(w.v(ir.Add64, w.offset64(x.Inst), w.konst(ir.B64, scramble(uint64(x.Pos)<<32|x.Imm&0xffffffff))), x.Inst)
}

// differs returns the lanes in which memory does not hold what a store stores.
func (w *writer) differs(st *ir.Inst) ir.Ref {
	v := st.Args[1]
	t := w.f.Val(v).Type
	switch t {
	case ir.B8:
		v, t = w.v(ir.CvtU32FromU8, v), ir.B32
	case ir.B16:
		v, t = w.v(ir.CvtU32FromU16, v), ir.B32
	}
	move, and, ne := ir.Mov32, ir.And32, ir.NeU32
	if t == ir.B64 {
		move, and, ne = ir.Mov64, ir.And64, ir.NeU64
	}
	if uint32(st.Size) < uint32(t.Bytes()) {
		v = w.v(and, v, w.konst(t, 1<<(8*st.Size)-1))
	}
	d := w.temp(t)
	w.set(move, d, w.konst(t, 0))
	w.emit(ir.Inst{Op: ir.Load, Dst: d, Args: [4]ir.Ref{st.Args[0]}, Imm: st.Imm, Size: st.Size, Align: st.Align, Space: st.Space, Guard: st.Guard, GuardNot: st.GuardNot})
	return w.v(ne, d, v)
}

// beginWay sets the registers of a thread.
func (w *writer) beginWay(block, thread ir.Ref) {
	w.same.met, w.same.way, w.same.wayAt = w.guest("met an equal value", ir.B1), w.guest("way", ir.B64), w.guest("where its way is kept", ir.B64)
	w.set(ir.NeU32, w.same.met, thread, thread)
	w.set(ir.Mov64, w.same.way, w.konst(ir.B64, 0))
	number := w.v(ir.Add32, w.v(ir.Mul32, block, w.value(ValueThreads, ir.B32)), thread)
	w.set(ir.Add64, w.same.wayAt, w.value(ValueWays, ir.B64), w.v(ir.Shl64, w.v(ir.CvtU64FromU32, number), w.konst(ir.B32, 3)))
}

// goes adds a number to the way of the lanes of an operation; nil: of all lanes. The order of the numbers matters.
func (w *writer) goes(x ir.Ref, in *ir.Inst) {
	const odd = 0x9e3779b97f4a7c15
	h := w.v(ir.Mul64, w.v(ir.Xor64, w.same.way, x), w.konst(ir.B64, odd))
	h = w.v(ir.Xor64, h, w.v(ir.ShrU64, h, w.konst(ir.B32, 29)))
	move := ir.Inst{Op: ir.Mov64, Dst: w.same.way, Args: [4]ir.Ref{h}}
	if in != nil {
		move.Guard, move.GuardNot = in.Guard, in.GuardNot
	}
	w.emit(move)
}

// enters adds a block of the function to the way of a thread, if the thread may also have gone elsewhere.
func (w *writer) enters(b int) {
	if w.same.chosen[b] {
		w.goes(w.konst(ir.B64, scramble(^uint64(b))), nil)
	}
}

// endWay keeps the way of a thread that ends.
func (w *writer) endWay(in *ir.Inst) {
	w.emit(ir.Inst{Op: ir.Store, Size: 8, Align: 8, Space: ir.Global, Args: [4]ir.Ref{w.same.wayAt, w.same.way}, Guard: in.Guard, GuardNot: in.GuardNot})
	w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: 4, Args: [4]ir.Ref{w.value(ValueFlag, ir.B64), w.konst(ir.B32, 1)}, Guard: w.same.met})
}

// choices returns the blocks of a function that follow a choice: a branch under a guard, a table, or an exit of some lanes.
func choices(f *ir.Func) []bool {
	chosen := make([]bool, len(f.Blocks))
	var next []int
	for b := range f.Blocks {
		last := &f.Code[f.Blocks[b].End-1]
		if next = f.Successors(b, next[:0]); len(next) > 1 || last.Guard != 0 {
			for _, n := range next {
				chosen[n] = true
			}
		}
	}
	return chosen
}

// scramble spreads the bits of a number (Steele, Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014).
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
