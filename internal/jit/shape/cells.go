package shape

import (
	"sort"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
)

// This file forwards shapes through private memory.
//
// Input: stores and loads at constant addresses of private memory. Inlined functions get
// their arguments there (PTX 7.1, .param space).
// Output: cells, by load: the only store that can give its value.
// Invariant: the store fills exactly the bytes of the load, runs before it in every lane, and
// no other store touches these bytes.
// Example: st.param [0], %r1; …; ld.param %r2, [0]. %r2 is as uniform as %r1.

// cell is an access to private memory at a constant address.
type cell struct {
	off   uint64
	size  uint8
	at    int // the instruction
	block int
}

// maxCells is the largest number of stores for which loads are looked up.
const maxCells = 1 << 12

// findCells finds, for loads from private memory, the store that gives their value.
func (s *Shapes) findCells() {
	f := s.fn.IR
	if f.Stack || f.StackUp || f.LocalSize == 0 {
		return
	}
	var stores, loads []cell
	for b, blk := range f.Blocks {
		for i := blk.Start; i < blk.End; i++ {
			in := &f.Code[i]
			switch in.Op {
			case ir.Load, ir.Store, ir.Atomic:
			case ir.Bulk, ir.Tensor, ir.HostCall, ir.Collective:
				return // it may write anywhere
			default:
				continue
			}
			switch {
			case in.Flags&ir.Undefined != 0:
				continue
			case in.Space == ir.Generic && in.Op != ir.Load:
				return
			case in.Space != ir.Local:
				continue
			}
			a := f.Val(in.Args[0])
			if a.Kind != ir.Const || in.Op == ir.Atomic {
				if in.Op != ir.Load {
					return
				}
				continue
			}
			c := cell{a.Type.Sum(a.Const, in.Offset()), in.Size, i, b}
			if in.Op == ir.Store {
				stores = append(stores, c)
			} else if in.Flags&ir.Volatile == 0 { // Volatile loads are executed lane by lane
				loads = append(loads, c)
			}
		}
	}
	if len(loads) == 0 || len(stores) > maxCells {
		return
	}
	sort.SliceStable(stores, func(i, j int) bool { return stores[i].off < stores[j].off })
	var dom *ir.DomTree
	for _, l := range loads {
		// Accesses have 16 bytes at most, so earlier stores do not reach the load.
		k := sort.Search(len(stores), func(k int) bool { return stores[k].off+16 > l.off })
		from, n := cell{}, 0
		for ; k < len(stores) && stores[k].off < l.off+uint64(l.size); k++ {
			if st := stores[k]; st.off+uint64(st.size) > l.off {
				from = st
				n++
			}
		}
		in, st := &f.Code[l.at], &f.Code[from.at]
		if n != 1 || from.off != l.off || from.size != l.size || st.Guard != 0 ||
			f.Val(in.Dst).Type.Bytes() != uint32(l.size) || f.Val(st.Args[1]).Type != f.Val(in.Dst).Type {
			continue
		}
		if from.block == l.block {
			if from.at > l.at {
				continue
			}
		} else {
			if dom == nil {
				dom = ir.Dominators(len(f.Blocks), 0, f.Successors)
			}
			// In another block the store must dominate the load, and must not be in a loop,
			// because lanes may be in different iterations.
			if s.fn.Depth[from.block] != 0 || !dom.Dominates(from.block, l.block) {
				continue
			}
		}
		if s.cells == nil {
			s.cells = map[int]cell{}
		}
		s.cells[l.at] = from
	}
}

// stored returns the web that the store of a load's cell writes; 0 if it is not known.
func (s *Shapes) stored(i int) webs.Web {
	if c, ok := s.cells[i]; ok {
		return s.fn.Ops[c.at].Args[1]
	}
	return 0
}

// fromCell returns the shape of a load from private memory.
func (s *Shapes) fromCell(i int, d Shape) Shape {
	c, ok := s.cells[i]
	if !ok {
		return d
	}
	// Lanes that store at different times may store different values.
	if b := s.block(i); b != c.block && !s.Masks.Alone(c.block) {
		return d
	}
	if sh := s.Arg(c.at, 1); sh.Tile == 0 {
		return sh
	}
	return d // tile rows are loaded lane by lane, and inactive lanes get no value
}
