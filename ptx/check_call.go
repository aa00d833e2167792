package ptx

import (
	"fmt"
	"slices"

	"example.org/crosslane/diag"
)

// checkCall checks the callee, the arguments and the results of a call (PTX 9.7.13.5).
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

// checkIndirect checks a call through a pointer: the register, and the list or prototype that
// describes the callee.
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
		c.errorf(in.Pos, diag.Input, codeOperand, "%s through %s lacks its callees: the label of a .callprototype or .calltargets, or an array of functions", in.Op, s.pointer.Name).Section = "PTX 9.7.13.5"
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
	if n := len(params); n > 0 && s.listed && len(s.args) == n-1 && openArray(params[n-1]) {
		// PTX 11.2.2: the unsized last argument may be omitted.
		params = params[:n-1]
	}
	c.callList(in, name, "argument", s.args, params)
}

// counted returns a number with its noun: "1 result", "2 results".
func counted(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// callList checks the arguments or the results of a call against the declaration.
func (c *checker) callList(in *Instr, name, what string, given []Operand, want []*Var) {
	if len(given) != len(want) {
		c.errorf(in.Pos, diag.Input, codeCount, "the call of %s has %s, want %d", name, counted(len(given), what), len(want))
		return
	}
	for i, v := range want {
		o := &given[i]
		if d := o.Var(); o.Kind == KindVar && d != nil {
			c.passed(in, o, fmt.Sprintf("%s %d of %s", what, i+1, name), d, v)
			if what == "result" {
				c.returned[d] = true
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
			// PTX 11.2.2 requires base types for registers; the vendor's assembler accepts vectors
			// too.
			if r := o.Reg(); o.Kind != KindReg || r == nil || r.Vec != v.Vec || o.Comp != "" {
				c.bad(in, s, o, fmt.Sprintf("a .v%d .%s register", v.Vec, v.Type))
				continue
			}
			c.regType(in, s, o, o.Reg().Type, bitsType(v.Type.Bits()), s.dst, false)
		case o.Comp != "" || o.Kind == KindSpecial:
			c.bad(in, s, o, "a register without element, or a .param variable")
		case o.Kind == KindSum || o.Kind == KindSymOff || o.Kind == KindNot:
			c.bad(in, s, o, "a register, a constant or a .param variable")
		case v.Space == SpaceParam && o.Kind != KindSink && v.Alignment() != uint64(v.Type.Bytes()):
			c.errorf(o.Pos, diag.Input, codeType, "%s %d of %s has no alignment of its own, want a .param variable aligned to %d", what, i+1, name, v.Alignment())
		case s.dst:
			c.dest(in, s, o, v.Type, false)
		default:
			c.source(in, s, o, v.Type, false)
		}
	}
}

// passed checks a variable that a call passes for the parameter or result v of a function. PTX 7.1
// and 9.7.13.5 require the same size, type and alignment of both.
func (c *checker) passed(in *Instr, o *Operand, what string, d, v *Var) {
	switch array := len(d.Dims) > 0; {
	case d.Space != SpaceParam || d.Size() != v.Size() && !openArray(v):
		c.errorf(o.Pos, diag.Input, codeType, "%s is %s, a %s variable of %d bytes, want a %s of %d bytes", what, d.Name, d.Space, d.Size(), v.Space, v.Size())
	case d.formal():
		// PTX 5.1.6.4: the caller has placed the parameter in memory.
		c.errorf(o.Pos, diag.Input, codeOperand, "%s is %s, which is a parameter of the function itself; want a .param variable of the body", what, d.Name).Remedy = "copy it to a .param variable of the body with ld.param and st.param"
	case array != (len(v.Dims) > 0) || len(d.Dims) > 1 || !passable(d, v):
		c.errorf(o.Pos, diag.Input, codeType, "%s is %s, want %s, as %s is declared", what, d.shape(), v.shape(), v.Name)
	case d.Alignment() != v.Alignment():
		c.errorf(o.Pos, diag.Input, codeType, "%s is %s, which is aligned to %d, want %d, the alignment of %s", what, d.Name, d.Alignment(), v.Alignment(), v.Name).Remedy = fmt.Sprintf("declare it with .align %d", v.Alignment())
	}
}

// passable reports whether a variable's elements may be passed as those of a parameter. Arrays of
// the same size may have elements of different widths if one of the types is untyped.
func passable(d, v *Var) bool {
	if len(v.Dims) > 0 && d.Type.Bits() != v.Type.Bits() {
		return d.Type.Untyped() || v.Type.Untyped()
	}
	return d.Type == v.Type || fits(d.Type, v.Type, false)
}

// formal reports whether a variable is a parameter or result of its function.
func (v *Var) formal() bool {
	return v.Func != nil && (v.Scope == nil && v.Of == nil || slices.Contains(v.Func.Params, v) || slices.Contains(v.Func.Results, v))
}

// shape formats a variable as it is declared.
func (v *Var) shape() string {
	s := fmt.Sprintf("%s .%s %s", v.Space, v.Type, v.Name)
	for _, d := range v.Dims {
		if d.Open {
			s += "[]"
		} else {
			s += fmt.Sprintf("[%d]", d.Size)
		}
	}
	return s
}
