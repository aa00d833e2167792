package race

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// The marks of accesses.
//
// Input: a function.
// Output: the function with an operation Access before each access to memory that lanes share, and
// before each fence. The flags of an Access say which races the detector excuses.
// Invariant: the rewritten function computes the same; an Access only reports.
// Example: "store.global [a], v" becomes "access write [a], 4 bytes; store.global [a], v".

// Track returns a function that computes the same as f and reports its accesses to shared and global memory
// right before they are made, and its fences. If variables lie apart in private memory (ir.Func.Apart),
// it reports accesses to private memory, too. f is not changed. Loads that are pieces of one access are
// reported once, see pieces.
func Track(f *ir.Func) *ir.Func {
	out := *f
	out.Code = make([]ir.Inst, 0, len(f.Code)+len(f.Code)/4)
	out.Blocks = make([]ir.Block, len(f.Blocks))
	syncs := synchronizes(f)
	writers := writersOf(f)
	guess, floats := guesses(f, writers), rounded(f)
	var decides map[ir.Ref]bool
	var fenced []bool
	if f.MeetAnywhere && slices.ContainsFunc(f.Code, func(in ir.Inst) bool { return strongData(&in) }) {
		decides, fenced = deciders(f, writers), behindFences(f)
	}
	local := f.Apart != nil && len(f.Apart.Local) > 0
	for n, b := range f.Blocks {
		start := len(out.Code)
		told := b.Start // loads before it belong to an access that is already reported
		// Before all fences, a volatile store, or a volatile load whose value decides about no branch, only
		// exchanges data (ir.Data).
		exchanges := decides != nil && !fenced[n]
		for i := b.Start; i < b.End; i++ {
			in := &f.Code[i]
			if in.Op == ir.Load && i > b.Start && readsBack(in, &f.Code[i-1]) {
				told = i + 1
			}
			if in.Op == ir.Load && i >= told {
				size, next := pieces(f.Code[i:b.End])
				told = i + next
				if in.Flags&ir.Undefined == 0 && (shared(in.Space) || local && in.Space == ir.Local) {
					a := access(in, ir.AccessRead, size)
					if exchanges && strongData(in) && !slices.ContainsFunc(f.Code[i:told], func(in ir.Inst) bool { return decides[in.Dst] }) {
						a.Flags |= ir.Data
					}
					// A plain load may be stale if a compare-and-swap compares its value with memory.
					if in.Order == 0 && guess[in.Dst] && told == i+1 {
						a.Flags |= ir.Guess
					}
					out.Code = append(out.Code, a)
				}
			} else if in.Op != ir.Load {
				exchanges = exchanges && !fences(*in)
				told := before(in, syncs, local)
				if in.Op == ir.Store && len(told) > 0 {
					if exchanges && strongData(in) {
						told[0].Flags |= ir.Data
					}
					// The stored number was computed: other orders of execution may round differently.
					if floats[in.Args[1]] {
						told[0].Flags |= ir.Rounded
					}
				}
				out.Code = append(out.Code, told...)
			}
			out.Code = append(out.Code, *in)
		}
		out.Blocks[n] = ir.Block{Start: start, End: len(out.Code)}
	}
	return &out
}

// readsBack reports whether a load belongs to the atomic before it, and only reads what that has written.
func readsBack(load, atomic *ir.Inst) bool {
	return atomic.Op == ir.Atomic && atomic.Pos == load.Pos && atomic.Space == load.Space && atomic.Args[0] == load.Args[0] && atomic.Offset() == load.Imm && atomic.Size == load.Size
}

// behindFences returns, by block, whether a lane may have executed a fence before the block starts.
// After a fence a lane may load data because it has read a flag before, and its stores may be flags for
// other lanes. Then values decide whether exchanged data are read in time. Before all fences, no flag
// announces the data that a lane loads, and no store of it is a flag (PTX 8.8).
func behindFences(f *ir.Func) []bool {
	behind := make([]bool, len(f.Blocks))
	var list, next []int
	for n, b := range f.Blocks {
		if slices.ContainsFunc(f.Code[b.Start:b.End], fences) {
			list = append(list, n)
		}
	}
	for len(list) > 0 {
		n := list[len(list)-1]
		list, next = list[:len(list)-1], f.Successors(n, next[:0])
		for _, s := range next {
			if !behind[s] {
				behind[s] = true
				list = append(list, s)
			}
		}
	}
	return behind
}

// fences reports whether an operation orders a lane's accesses for other lanes.
func fences(in ir.Inst) bool {
	return (in.Op == ir.Fence || in.Op == ir.Nop) && in.Order&(ir.Acquire|ir.Release) != 0
}

// synchronizes reports whether f has operations that other lanes may wait for and that fences make signals: atomics, strong
// loads and stores, relaxed arrivals at the barrier of the cluster. Without them fences order nothing.
func synchronizes(f *ir.Func) bool {
	return slices.ContainsFunc(f.Code, func(in ir.Inst) bool {
		return in.Op == ir.Atomic || (in.Op == ir.Load || in.Op == ir.Store) && in.Order&ir.Strong != 0 ||
			in.Op == ir.ClusterArrive && in.Order&ir.Release == 0
	})
}

// shared reports whether an access to a space may reach memory that lanes share.
func shared(s ir.Space) bool { return s == ir.Generic || s == ir.Global || s == ir.Shared }

// before returns the reports that precede an operation other than a load.
func before(in *ir.Inst, syncs, local bool) []ir.Inst {
	if in.Flags&ir.Undefined != 0 {
		return nil
	}
	switch in.Op {
	case ir.Store:
		if shared(in.Space) || local && in.Space == ir.Local {
			return []ir.Inst{access(in, ir.AccessWrite, int(in.Size))}
		}
	case ir.Atomic:
		if shared(in.Space) {
			a := access(in, ir.AccessUpdate, int(in.Size))
			a.Imm = in.Offset()
			a.Order |= ir.Strong
			if a.Order&ir.InBlock == 0 {
				a.Order |= ir.Device // PTX 9.7.14.5: the default scope is .gpu
			}
			return []ir.Inst{a}
		}
	case ir.Nop, ir.Fence:
		if in.Order&(ir.Async|ir.Proxy|ir.Maps) != 0 || syncs && in.Order&(ir.Acquire|ir.Release) != 0 {
			return []ir.Inst{{Op: ir.Access, Order: in.Order, Imm: in.Imm, Scalar: in.Scalar, Guard: in.Guard, GuardNot: in.GuardNot, Pos: in.Pos}}
		}
	}
	return nil
}

// access returns the report of a memory operation.
func access(in *ir.Inst, kind ir.AccessKind, size int) ir.Inst {
	a := ir.Inst{Op: ir.Access, Size: uint8(size), Space: in.Space, Align: uint16(kind), Order: in.Order, Imm: in.Imm, Scalar: in.Scalar, Surplus: in.Surplus,
		Flags: in.Flags & (ir.OnlyShared | ir.OnlyGlobal | ir.NotLocal), Guard: in.Guard, GuardNot: in.GuardNot, Pos: in.Pos, Args: [4]ir.Ref{in.Args[0]}}
	if kind == ir.AccessWrite {
		a.Args[1] = in.Args[1]
	}
	return a
}

// pieces returns the number of bytes of the access that the loads at the start of code are pieces of,
// and the number of these loads: same instruction, address register and guard, adjacent offsets, at
// most 64 bytes.
func pieces(code []ir.Inst) (size, n int) {
	first := &code[0]
	size, n = int(first.Size), 1
	for ; n < len(code); n++ {
		in := &code[n]
		if in.Op != ir.Load || in.Pos != first.Pos || in.Args[0] != first.Args[0] || in.Space != first.Space || in.Flags != first.Flags || in.Surplus != first.Surplus || in.Order != first.Order ||
			in.Guard != first.Guard || in.GuardNot != first.GuardNot || in.Imm != first.Imm+uint64(size) || size+int(in.Size) > 64 || in.Scalar != first.Scalar {
			break
		}
		size += int(in.Size)
	}
	return size, n
}
