package shape

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
)

// GCN3 computes addresses of 64 bits in halves: v_add_u32 puts the carries of the active
// lanes in VCC, and v_addc_u32 adds them (GCN3 ISA 6.2). The carry of a uniform number and
// an affine one mostly is the same in all lanes; VCC still is none of a uniform value, for
// it is 0 where lanes are switched off. But who adds it there, under the same EXEC, does
// so for nobody. So the carry goes for VCC there, and where it is the same in all lanes,
// the upper half is.

// carry describes an operation in a chain of carries.
type carry struct {
	web    webs.Web // of one that adds a carry: that, for all lanes
	wanted bool     // of one that makes a carry: somebody adds it so
}

// Carry returns the web that argument k of instruction i may be taken for: 0 if there is
// none.
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

// lanesFor is the mask of the only lanes for which the result of instruction i matters; 0:
// none is known.
func (s *Shapes) lanesFor(i int, blk ir.Block) webs.Web {
	in, o := &s.fn.IR.Code[i], &s.fn.Ops[i]
	if s.fn.IR.Val(in.Dst).Kind != ir.Temp {
		// What other lanes keep makes the web varying all the same: a check would be for nothing.
		if in.GuardNot || o.Merge {
			return 0
		}
		return o.Guard
	}
	// A temporary that only goes into such a mask.
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

// other is the web of which instruction k, AndP, takes the lanes of exec; 0: it is none.
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

// maxBack bounds the way to a definition.
const maxBack = 256

// definition is the instruction of the block that has written a web last before i; -1: none
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
