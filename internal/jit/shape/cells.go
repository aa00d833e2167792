package shape

import (
	"sort"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
)

// Functions that are inlined get their arguments in private memory at constant addresses
// (PTX 7.1, .param space). A load from a place that one store fills, once for each lane,
// is as uniform as what was stored.

// cell is a place in private memory.
type cell struct {
	off   uint64
	size  uint8
	at    int // the store
	block int
}

// maxCells is how many stores are compared with a load.
const maxCells = 1 << 12

// findCells finds for loads from private memory the store whose value they get.
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
			case ir.Bulk, ir.HostCall, ir.Collective:
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
			} else if in.Flags&ir.Volatile == 0 { // those are not done for all lanes
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
		// Accesses have 16 bytes at most.
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

// stored is the web whose value a load gets; 0: it is not known.
func (s *Shapes) stored(i int) webs.Web {
	if c, ok := s.cells[i]; ok {
		return s.fn.Ops[c.at].Args[1]
	}
	return 0
}

// fromCell is the shape of a load from private memory.
func (s *Shapes) fromCell(i int, d Shape) Shape {
	c, ok := s.cells[i]
	if !ok {
		return d
	}
	// Lanes that store at different times may store different things.
	if b := s.block(i); b != c.block && !s.Masks.Alone(c.block) {
		return d
	}
	if sh := s.Arg(c.at, 1); sh.Tile == 0 {
		return sh
	}
	return d // rows are loaded lane by lane, and other lanes have nothing there
}
