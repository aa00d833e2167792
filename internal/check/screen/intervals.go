package screen

import "example.org/crosslane/internal/ir"

// The accesses to shared memory that may be in one interval.
//
// Input: a function whose barriers are of the whole block.
// Output: for each block of the function, whether its intervals may have loads and stores.
// Invariant: all threads of a block begin an interval at one place: the entry, or one barrier instruction (a
// launch in which threads meet at several has a finding). So the accesses of an interval are among those that can
// be reached from that place without a barrier.
// Example: fill the tile; barrier; use the tile; barrier; loop. The uses are quiet: no store can be in their
// interval.

// interval is what the intervals of a block of the function may do to shared memory.
type interval struct {
	loads, stores bool
	lone          bool // one of the loads is not paired: see pairs.go
	entry         bool // the first interval is among them
	check         bool // an interval with quiet loads begins here, at a barrier
}

// findIntervals fills k.blocks.
func (k *Kernel) findIntervals() {
	f := k.f
	k.blocks = make([]interval, len(f.Blocks))
	starts := map[int]bool{0: false}
	for b := range f.Blocks {
		if f.Code[f.Blocks[b].End-1].Op == ir.Bar {
			starts[b+1] = true
		}
	}
	reach := map[int][]int{}
	for start := range starts {
		seen := map[int]bool{start: true}
		list := []int{start}
		loads, stores, lone := false, false, false
		var next []int
		for n := 0; n < len(list); n++ {
			b := list[n]
			for i := f.Blocks[b].Start; i < f.Blocks[b].End; i++ {
				kind, ok := k.ofShared(&f.Code[i])
				loads, stores = loads || ok && kind == ir.AccessRead, stores || ok && kind != ir.AccessRead
				lone = lone || ok && kind == ir.AccessRead && !k.paired[i]
			}
			if f.Code[f.Blocks[b].End-1].Op == ir.Bar {
				continue
			}
			next = f.Successors(b, next[:0])
			for _, s := range next {
				if !seen[s] {
					seen[s] = true
					list = append(list, s)
				}
			}
		}
		for _, b := range list {
			x := &k.blocks[b]
			x.loads, x.stores, x.lone = x.loads || loads, x.stores || stores, x.lone || lone
			x.entry = x.entry || start == 0
		}
		reach[start] = list
	}
	for b := range f.Blocks {
		n := 0
		if k.quiet(b) {
			n = 1
		}
		for i := f.Blocks[b].Start; i < f.Blocks[b].End; i++ {
			in := &f.Code[i]
			if !isTold(in) || in.Space != ir.Shared {
				continue
			}
			switch t := k.told[i]; kindOf(in) {
			case ir.AccessRead:
				k.loadGrain[n] = min(k.loadGrain[n], t.unit)
			case ir.AccessWrite:
				k.storeGrain = min(k.storeGrain, t.unit)
			case ir.AccessUpdate:
				k.shared.add(t.update, in)
			}
		}
	}
	for start, bar := range starts {
		for _, b := range reach[start] {
			if bar && k.quiet(b) && k.loadsShared(b) {
				k.blocks[start].check, k.Quiet = true, true
			}
		}
	}
}

// quiet reports whether no interval of a block has a store, none is the first, and no copy may be under way.
func (k *Kernel) quiet(b int) bool { return !k.blocks[b].stores && !k.blocks[b].entry && !k.Copies }

// loadsShared reports whether a block of the function loads from shared memory.
func (k *Kernel) loadsShared(b int) bool {
	for i := k.f.Blocks[b].Start; i < k.f.Blocks[b].End; i++ {
		if kind, ok := k.ofShared(&k.f.Code[i]); ok && kind == ir.AccessRead {
			return true
		}
	}
	return false
}

// ofShared returns what an operation does to shared memory; ok is false if it does nothing.
func (k *Kernel) ofShared(in *ir.Inst) (kind ir.AccessKind, ok bool) {
	switch {
	case isTold(in):
		return kindOf(in), in.Space == ir.Shared
	case in.Op == ir.Collective:
		_, kind, ok = k.f.Collectives[in.Imm].Rows()
	}
	return kind, ok
}
