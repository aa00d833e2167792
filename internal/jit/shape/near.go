package shape

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
)

// This file looks at single definitions instead of webs.
//
// Input: pure instructions of a block, and their arguments.
// Output: Shapes.definedBy and close: for an argument, the instruction that defines it.
// Invariant: between the definition and the use no other definition of the web is in the
// block.
// Example: %r1 = 0 starts a sum, and the loop adds to %r1, so the web is varying. In the
// block of the definition, mov.b64 %rd1, {%r2, %r1} still reads 0: the upper half of the
// address is constant.
//
// A web joins all values of a register in one stretch of code. From a definition to the end
// of its block the register has exactly the shape of that definition, if the operation gives
// this shape to all lanes, active or not.

// close is an instruction whose result has a shape of its own, apart from its web's.
type close struct {
	shape Shape
	users []int32
	// relies reports that the shape holds only because of a run-time check. The code makes
	// the check if the web has that shape, too: see Check. If not, operands have the shape of
	// the web.
	relies bool
}

// findNear finds the arguments whose definition is in the same block.
func (s *Shapes) findNear() {
	at := make([]int32, len(s.fn.Webs)) // by web: 1 + the last instruction of the block that writes it, if its result stands alone; else 0
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

// looksAlone reports whether the result of an instruction gets a shape of its own. The web
// must have several definitions, because otherwise its shape is the same.
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

// isNear records that instruction d-1 defines argument k of instruction i.
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

// nearby joins a shape to the own shape of an instruction's result, and queues its users.
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
