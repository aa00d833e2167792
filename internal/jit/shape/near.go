package shape

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
)

// A web is all that a register holds in one piece of work: the 0 that a sum begins with,
// and the sum. Between its definition and the end of the block an operand is what it is,
// though: the 0 may be the upper half of an address. So arguments that are defined in
// their own block, by operations whose results have the shape in all lanes, active or not,
// have that shape, and not the web's.

// close is an instruction whose result is looked at by itself.
type close struct {
	shape Shape
	users []int32
	// relies says that the shape is only what the code checks. It does so if the web has that
	// shape, too: see Check. If not, operands have the shape of the web.
	relies bool
}

// findNear finds the arguments of which the definition is known.
func (s *Shapes) findNear() {
	at := make([]int32, len(s.fn.Webs)) // 1 + who has written a web last in the block
	for _, blk := range s.fn.IR.Blocks {
		var written []webs.Web
		for i := blk.Start; i < blk.End; i++ {
			in, o := &s.fn.IR.Code[i], &s.fn.Ops[i]
			for k, w := range o.Args {
				if w != 0 && at[w] > 0 && in.Op.Pure() {
					s.isNear(i, k, at[w])
				}
			}
			write := func(w webs.Web, d int32) {
				if w != 0 && (at[w] != 0 || d != 0) {
					at[w] = d
					written = append(written, w)
				}
			}
			d := int32(0)
			if s.looksAlone(i) {
				d = int32(i) + 1
			}
			if o.Ext > 0 {
				for _, w := range s.fn.Ext[o.Ext-1].Defs {
					write(w, 0)
				}
			}
			write(o.Dst, d)
			write(o.Dst2, 0)
		}
		for _, w := range written {
			at[w] = 0
		}
	}
}

// tells reports whether the result of an instruction is to be looked at by itself.
func (s *Shapes) looksAlone(i int) bool {
	in, o := &s.fn.IR.Code[i], &s.fn.Ops[i]
	if o.Dst == 0 || o.Merge || s.fn.Webs[o.Dst].Defs < 2 || s.fn.Has(o.Dst, webs.Aliased) || !in.Op.Pure() {
		return false
	}
	switch rules[in.Op] {
	case move, add, sub, neg, not, mul, mad, shl, shlWrap, shr, and, andNot, or, xor, zext, pack, high:
		t := s.fn.IR.Val(in.Dst).Type
		return t == ir.B32 || t == ir.B64
	}
	return false
}

func (s *Shapes) isNear(i, k int, d int32) {
	def := &s.fn.IR.Code[d-1]
	if s.fn.IR.Val(def.Dst).Type != s.fn.IR.Val(s.fn.IR.Code[i].Args[k]).Type {
		return
	}
	if s.definedBy == nil {
		s.definedBy, s.close = make([][4]int32, len(s.fn.Ops)), map[int]*close{}
	}
	s.definedBy[i][k] = d
	c := s.close[int(d-1)]
	if c == nil {
		c = &close{}
		s.close[int(d-1)] = c
	}
	c.users = append(c.users, int32(i))
}

// nearby notes the shape of the result of an instruction.
func (s *Shapes) nearby(i int, d Shape) {
	c := s.close[i]
	if c == nil || d.Kind == Unseen {
		return
	}
	relies := c.relies || s.checks[i] != NoCheck
	if relies == c.relies && meet(c.shape, d) == c.shape {
		return
	}
	c.shape, c.relies = meet(c.shape, d), relies
	for _, u := range c.users {
		s.push(int(u))
	}
}
