package race

import "example.org/crosslane/internal/ir"

// deciders returns the values that a branch may depend on, also through other values. In a loop that
// waits, the loaded value is one of them.
//
// Input: the operations that write each value.
// Output: a set that holds every value from which a branch, an exit or a trap is computed.
// Invariant: the set is a backward slice over registers without regard to order: a read may see any
// write of the register. All stores to private memory may feed a load from it, as in code that is not
// optimised. Values that pass through other memory are not followed.
// Example: "v = load [flag]; p = v == 0; if p goto L" puts p and v into the set, not the address.
func deciders(f *ir.Func, writers map[ir.Ref][]int) map[ir.Ref]bool {
	known := map[ir.Ref]bool{}
	spilled := false
	var list []ir.Ref
	add := func(in *ir.Inst, args bool) {
		refs := [...]ir.Ref{in.Guard, 0, 0, 0, 0}
		if args {
			copy(refs[1:], in.Args[:])
		}
		for _, r := range refs {
			if r != 0 && !known[r] && f.Val(r).Kind != ir.Const {
				known[r] = true
				list = append(list, r)
			}
		}
	}
	for i := range f.Code {
		in := &f.Code[i]
		switch in.Op {
		case ir.Bra, ir.SBra, ir.BraTable, ir.Exit, ir.EndWave, ir.Trap:
			add(in, true)
		}
	}
	for len(list) > 0 {
		r := list[len(list)-1]
		list = list[:len(list)-1]
		for _, i := range writers[r] {
			in := &f.Code[i]
			add(in, in.Op != ir.Load && in.Op != ir.Atomic)
			if in.Op == ir.Load && private(in) && !spilled {
				spilled = true
				for k := range f.Code {
					if x := &f.Code[k]; x.Op == ir.Store && private(x) {
						add(x, true)
					}
				}
			}
		}
	}
	return known
}

// private reports whether an access may go to private memory.
func private(in *ir.Inst) bool {
	return in.Space == ir.Local || in.Space == ir.Generic && in.Flags&(ir.OnlyShared|ir.OnlyGlobal|ir.NotLocal) == 0
}

// strongData reports whether an operation is a volatile load or store. Relaxed ones exchange values on
// purpose.
func strongData(in *ir.Inst) bool {
	return (in.Op == ir.Load || in.Op == ir.Store) && in.Flags&ir.Relaxed == 0 && in.Order&ir.Strong != 0 && in.Order&(ir.Acquire|ir.Release|ir.Either|ir.Async|ir.Proxy) == 0
}

// guesses returns the values that a compare-and-swap compares with memory, also through copies. The
// first load of the usual loop is one. If it is stale, the swap fails and returns the current value, so
// the race is harmless.
func guesses(f *ir.Func, writers map[ir.Ref][]int) map[ir.Ref]bool {
	known := map[ir.Ref]bool{}
	var follow func(r ir.Ref)
	follow = func(r ir.Ref) {
		if r == 0 || known[r] || f.Val(r).Kind == ir.Const {
			return
		}
		known[r] = true
		for _, i := range writers[r] {
			if in := &f.Code[i]; moves(in.Op) {
				follow(in.Args[0])
				follow(in.Args[1])
			}
		}
	}
	for i := range f.Code {
		if in := &f.Code[i]; in.Op == ir.Atomic && ir.AtomicOp(in.Imm>>32) == ir.AtomCAS {
			follow(in.Args[1])
		}
	}
	return known
}

// moves reports whether an operation copies values or puts them together.
func moves(op ir.Op) bool {
	switch op {
	case ir.Mov8, ir.Mov16, ir.Mov32, ir.Mov64, ir.Splat, ir.Pack16, ir.Pack32, ir.Pack64:
		return true
	}
	return false
}

// writersOf returns the operations that write each value.
func writersOf(f *ir.Func) map[ir.Ref][]int {
	writers := map[ir.Ref][]int{}
	for i := range f.Code {
		for _, d := range []ir.Ref{f.Code[i].Dst, f.Code[i].Dst2} {
			if d != 0 {
				writers[d] = append(writers[d], i)
			}
		}
	}
	return writers
}

// rounded returns the values that a floating-point operation may have computed, also through copies and
// shuffles.
func rounded(f *ir.Func) map[ir.Ref]bool {
	known := map[ir.Ref]bool{}
	readers := map[ir.Ref][]ir.Ref{} // the copies of each value
	var list []ir.Ref
	add := func(r ir.Ref) {
		if r != 0 && !known[r] {
			known[r] = true
			list = append(list, r)
		}
	}
	for i := range f.Code {
		in := &f.Code[i]
		switch {
		case in.Op.Float():
			add(in.Dst)
			add(in.Dst2)
		case moves(in.Op) || in.Op == ir.ShflSync || in.Op == ir.Shfl:
			readers[in.Args[0]] = append(readers[in.Args[0]], in.Dst)
		}
	}
	for len(list) > 0 {
		r := list[len(list)-1]
		list = list[:len(list)-1]
		for _, d := range readers[r] {
			add(d)
		}
	}
	return known
}
