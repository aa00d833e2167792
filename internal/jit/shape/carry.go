package shape

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
)

// This file finds carries that are equal in all active lanes.
//
// Input: chains of v_add_u32 and v_addc_u32, with which GCN3 computes 64-bit addresses in
// halves: the first puts the carries of the active lanes in VCC, the second adds them (GCN3
// ISA 6.2).
// Output: Carry, the web that may replace VCC as the third argument of an Addc32.
// Invariant: the Addc32 acts on no lane outside the mask with which the carry was restricted.
// Example: c = AddC32(a, b); vcc = c & EXEC; hi = Addc32(x, y, vcc) under EXEC. Here c may
// replace vcc.
//
// The carry of a uniform plus an affine value is usually the same in all active lanes. VCC
// itself is not uniform, because inactive lanes hold 0. An addc under the same EXEC ignores
// those lanes, so there the carry can replace VCC. If the carry is equal in all lanes, the
// upper half keeps its shape.

// carry describes an operation in a chain of carries.
type carry struct {
	web    webs.Web // of an operation that adds a carry: the carry in all lanes
	wanted bool     // of an operation that makes a carry: an operation in a chain adds it
}

// Carry returns the web that may replace argument k of instruction i; 0 if there is none.
func (s *Shapes) Carry(i, k int) webs.Web {
	if k != 2 || s.carry == nil {
		return 0
	}
	return s.carry[i].web
}

// findCarries finds the chains.
func (s *Shapes) findCarries() {
	if s.fn.IR.Exec == 0 || !s.fn.Geom.NoWrap {
		return
	}
	for _, blk := range s.fn.IR.Blocks {
		for i := blk.Start; i < blk.End; i++ {
			if op := s.fn.IR.Code[i].Op; op != ir.Addc32 && op != ir.AddCC32 || s.fn.IR.Code[i].Scalar {
				continue
			}
			exec := s.lanesFor(i, blk)
			if exec == 0 {
				continue
			}
			k := s.definition(i, blk, s.fn.Ops[i].Args[2])
			if k < 0 {
				continue
			}
			web := s.other(k, exec)
			from := -1
			if web != 0 && !s.written(exec, k, i) {
				from = s.definition(k, blk, web)
			}
			if from < 0 {
				continue
			}
			if op := s.fn.IR.Code[from].Op; op == ir.AddC32 || op == ir.AddCC32 {
				if s.carry == nil {
					s.carry = map[int]carry{}
				}
				s.carry[i] = carry{web: web, wanted: s.carry[i].wanted}
				s.carry[from] = carry{web: s.carry[from].web, wanted: true}
			}
		}
	}
}

// lanesFor returns the mask of the only lanes for which the result of instruction i matters;
// 0 if none is known.
func (s *Shapes) lanesFor(i int, blk ir.Block) webs.Web {
	in, o := &s.fn.IR.Code[i], &s.fn.Ops[i]
	if s.fn.IR.Val(in.Dst).Kind != ir.Temp {
		// If other lanes keep old values, the web is varying in any case, and a check would
		// gain nothing.
		if in.GuardNot || o.Merge {
			return 0
		}
		return o.Guard
	}
	// The temporary must have one use: an And with this mask.
	if s.fn.Webs[o.Dst].Uses != 1 {
		return 0
	}
	for k := i + 1; k < blk.End && s.fn.IR.Code[k].Pos == in.Pos; k++ {
		x := &s.fn.Ops[k]
		if s.fn.IR.Code[k].Op != ir.AndP || s.fn.IR.Code[k].Guard != 0 {
			continue
		}
		for a := range 2 {
			if exec := x.Args[1-a]; x.Args[a] == o.Dst && exec != 0 && s.fn.Webs[exec].Ref == s.fn.IR.Exec && !s.written(exec, i, k) {
				return exec
			}
		}
	}
	return 0
}

// other returns the web that instruction k, an AndP, restricts to the lanes of exec; 0 if k
// does not.
func (s *Shapes) other(k int, exec webs.Web) webs.Web {
	in, o := &s.fn.IR.Code[k], &s.fn.Ops[k]
	if in.Op != ir.AndP || in.Guard != 0 || in.Scalar {
		return 0
	}
	for a := range 2 {
		if o.Args[1-a] == exec && s.fn.IR.Val(in.Args[a]).Kind == ir.Temp {
			return o.Args[a]
		}
	}
	return 0
}

// maxBack bounds the distance to a definition.
const maxBack = 256

// definition returns the last instruction of the block before i that writes a web; -1 if none
// is known.
func (s *Shapes) definition(i int, blk ir.Block, w webs.Web) int {
	for k := i - 1; k >= max(blk.Start, i-maxBack); k-- {
		if s.writes(k, w) {
			return k
		}
	}
	return -1
}

// written reports whether a web is written between instructions k and i.
func (s *Shapes) written(w webs.Web, k, i int) bool {
	for k++; k < i; k++ {
		if s.writes(k, w) {
			return true
		}
	}
	return false
}

// writes reports whether instruction k writes a web.
func (s *Shapes) writes(k int, w webs.Web) bool {
	o := &s.fn.Ops[k]
	if o.Dst == w || o.Dst2 == w {
		return true
	}
	if o.Ext > 0 {
		for _, d := range s.fn.Ext[o.Ext-1].Defs {
			if d == w {
				return true
			}
		}
	}
	return false
}
