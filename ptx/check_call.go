package ptx

import (
	"fmt"

	"example.org/crosslane/diag"
)

// checkCall checks a call: whom it calls, and with what (PTX 9.7.13.5).
func checkCall(c *checker, in *Instr, v *variant) {
	s := siteOf(c.m, in)
	if s.callee == nil {
		c.checkIndirect(in, v, &s)
		return
	}
	f := s.callee
	if f.Entry {
		c.errorf(in.Pos, diag.Input, codeOperand, "%s calls the kernel %s; only functions can be called", in.Op, f.Name)
		return
	}
	before := c.errs.count
	c.callLists(in, f.Name, f, &s)
	if !f.Defined() && c.errs.count == before {
		c.checkBuiltin(in, f)
	}
}

func (c *checker) checkIndirect(in *Instr, v *variant, s *site) {
	if s.pointer == nil {
		c.errorf(in.Pos, diag.Input, codeCount, "%s has no function to call", in.Op)
		return
	}
	if r := s.pointer.Reg(); s.pointer.Kind != KindReg || r == nil || !(r.Type.Integer() || r.Type.Untyped()) || r.Vec > 0 && s.pointer.Comp == "" || r.Type.Bits() != 32 && r.Type.Bits() != 64 {
		c.bad(in, &opSpec{name: "fptr"}, s.pointer, "a function, or a register of 32 or 64 bits that holds the address of one")
		return
	}
	c.source(in, &opSpec{name: "fptr"}, s.pointer, bitsType(s.pointer.Reg().Type.Bits()), false)
	// PTX 9.7.13.5: Indirect call introduced in PTX ISA version 2.1, requires sm_20.
	c.require(in, v, Version{2, 1}, 20)
	if s.proto == nil {
		c.errorf(in.Pos, diag.Input, codeOperand, "%s through %s lacks what it calls: the label of a .callprototype or .calltargets, or an array of functions", in.Op, s.pointer.Name).Section = "PTX 9.7.13.5"
		return
	}
	for _, t := range s.targets {
		if t.Entry {
			c.errorf(in.Pos, diag.Input, codeOperand, "%s lists the kernel %s; only functions can be called", in.Op, t.Name)
			return
		}
		if shapeOf(t) != shapeOf(s.proto) {
			c.errorf(in.Pos, diag.Input, codeOperand, "%s lists %s, whose parameters or results differ from those of %s", in.Op, t.Name, s.proto.Name).Section = "PTX 11.3.2"
		}
	}
	c.callLists(in, s.pointer.Name, s.proto, s)
}

// callLists checks the results and arguments of a call against a declaration.
func (c *checker) callLists(in *Instr, name string, f *Func, s *site) {
	c.callList(in, name, "result", s.results, f.Results)
	params := f.Params
	if n := len(params); n > 0 && len(s.args) == n-1 && openArray(params[n-1]) {
		// PTX 11.2.2: the unsized last argument may be omitted.
		params = params[:n-1]
	}
	c.callList(in, name, "argument", s.args, params)
}

// counted is a number with what it counts: "1 result", "2 results".
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// callList checks the arguments or results of a call against the declaration.
func (c *checker) callList(in *Instr, name, what string, given []Operand, want []*Var) {
	if len(given) != len(want) {
		c.errorf(in.Pos, diag.Input, codeCount, "the call of %s has %s, want %d", name, counted(len(given), what), len(want))
		return
	}
	for i, v := range want {
		o := &given[i]
		if d := o.Var(); o.Kind == KindVar && d != nil {
			if d.Space != SpaceParam || d.Size() != v.Size() && !openArray(v) {
				c.errorf(o.Pos, diag.Input, codeType, "%s %d of %s is %s, a %s variable of %d bytes, want a %s of %d bytes", what, i+1, name, d.Name, d.Space, d.Size(), v.Space, v.Size())
			}
			continue
		}
		s := &opSpec{name: v.Name, dst: what == "result"}
		switch {
		case openArray(v):
			c.bad(in, s, o, "a .param variable")
		case v.Dims != nil || v.Vec > 1 && v.Space == SpaceParam:
			c.bad(in, s, o, "a .param variable of the same size")
		case v.Vec > 1:
			// PTX 11.2.2 has base types for registers; the vendor's assembler takes vectors too.
			if r := o.Reg(); o.Kind != KindReg || r == nil || r.Vec != v.Vec || o.Comp != "" {
				c.bad(in, s, o, fmt.Sprintf("a .v%d .%s register", v.Vec, v.Type))
				continue
			}
			c.regType(in, s, o, o.Reg().Type, bitsType(v.Type.Bits()), s.dst, false)
		case o.Comp != "" || o.Kind == KindSpecial:
			c.bad(in, s, o, "a register without element, or a .param variable")
		case s.dst:
			c.dest(in, s, o, v.Type, false)
		default:
			c.source(in, s, o, v.Type, false)
		}
	}
}
