package static

import (
	"cmp"
	"slices"
	"strings"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// A Shape says how the lanes of a register differ where an instruction names it: lane i holds the value of lane 0 plus
// i times Stride, modulo the size of the register. It holds for the lanes that execute the instruction, in all
// executions by all waves.
type Shape struct {
	Pos      int32 // index in Func.Pos of the instruction
	Register string
	Written  bool // after the instruction; otherwise what it reads
	// Known reports that lane 0 would hold Base, in all waves.
	Known  bool
	Base   uint64
	Stride int64 // 0: all lanes hold the same value
	// Rows reports that the shape holds in blocks that are rows of whole warps: tid.x is then a multiple of 32 plus
	// the lane.
	Rows bool
}

// A shapeKey names a register of an instruction.
type shapeKey struct {
	pos     int32
	name    string
	written bool
}

// A shapeOf is the shape of a register in one world; none if its lanes differ otherwise, or are not known.
type shapeOf struct {
	Shape
	none bool
}

// shapes adds the shapes of the world in hand to all, which holds those of worlds that are more certain. A function
// that is inlined twice has an instruction twice; what both have in common is kept.
func (c *checker) shapes(all map[shapeKey]shapeOf) {
	found := map[shapeKey]shapeOf{}
	group := map[shapeKey]shapeOf{} // one guest instruction
	flush := func() {
		for k, s := range group {
			if old, twice := found[k]; twice {
				s = old.meet(s)
			}
			found[k] = s
		}
		clear(group)
	}
	f := c.f
	for _, b := range c.g.order {
		here := c.a.may[b]
		if here == 0 {
			continue
		}
		for i := f.Blocks[b].Start; i < f.Blocks[b].End; i++ {
			in := &f.Code[i]
			if in.First {
				flush()
			}
			read := func(r ir.Ref, k int) {
				if r == 0 || f.Val(r).Kind != ir.Guest || f.Val(r).Name == "" {
					return
				}
				key := shapeKey{in.Pos, written(f.Val(r).Name), false}
				after := key
				after.written = true
				if _, seen := group[key]; seen {
					return
				}
				if _, over := group[after]; over { // the instruction reads its own result
					return
				}
				group[key] = shapeIn(c.a.operand(i, k), here, f.Val(r).Type)
			}
			for k, r := range in.Args {
				read(r, k)
			}
			read(in.Guard, opGuard)
			c.s.writes(i, func(r ir.Ref, d id) {
				if f.Val(r).Kind == ir.Guest && f.Val(r).Name != "" {
					group[shapeKey{in.Pos, written(f.Val(r).Name), true}] = shapeIn(c.a.vals[d], here, f.Val(r).Type)
				}
			})
		}
		flush()
	}
	for k, s := range found {
		old, known := all[k]
		if c.a.w.assumed {
			s.Rows = true
			if known && !old.none {
				continue
			}
		}
		all[k] = s
	}
}

// written returns a register's name as the text has it: that of a register of an inlined function begins with the
// function's.
func written(name string) string { return name[strings.LastIndexByte(name, '/')+1:] }

// shapeIn returns the shape of a value in some lanes. The step is that of the first two lanes, if they follow each
// other.
func shapeIn(v value, here lane.Mask, t ir.Type) shapeOf {
	if here == 0 || v.kind != known && v.kind != shared {
		return shapeOf{none: true}
	}
	m := maskOf(t)
	first := here.First()
	var stride uint64
	if here.Has(first + 1) {
		stride = (v.at(first+1) - v.at(first)) & m
	}
	for l := range here.Lanes() {
		if v.at(l)&m != (v.at(first)+uint64(l-first)*stride)&m {
			return shapeOf{none: true}
		}
	}
	s := shapeOf{}
	s.Stride = signed(stride, t)
	if v.kind == known {
		s.Known, s.Base = true, (v.at(first)-uint64(first)*stride)&m
	}
	return s
}

// signed returns a number of a type as a signed one.
func signed(x uint64, t ir.Type) int64 {
	n := 64 - bitsOf(t)
	return int64(x<<n) >> n
}

// meet returns what two shapes of a register have in common.
func (s shapeOf) meet(o shapeOf) shapeOf {
	if s.none || o.none || s.Stride != o.Stride {
		return shapeOf{none: true}
	}
	if !s.Known || !o.Known || s.Base != o.Base {
		s.Known, s.Base = false, 0
	}
	return s
}

// listed returns the shapes in the order of the instructions.
func listed(all map[shapeKey]shapeOf) (list []Shape) {
	for k, s := range all {
		if !s.none {
			s.Pos, s.Register, s.Written = k.pos, k.name, k.written
			list = append(list, s.Shape)
		}
	}
	slices.SortFunc(list, func(a, b Shape) int {
		written := 0
		if a.Written != b.Written {
			if written = 1; b.Written {
				written = -1
			}
		}
		return cmp.Or(cmp.Compare(a.Pos, b.Pos), cmp.Compare(a.Register, b.Register), written)
	})
	return list
}
