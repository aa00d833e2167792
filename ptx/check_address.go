package ptx

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// spaceOf returns the state space that a modifier names, for example shared::cta.
func spaceOf(mod string) Space {
	base, _, _ := strings.Cut(mod, "::")
	switch base {
	case "const":
		return SpaceConst
	case "global":
		return SpaceGlobal
	case "local":
		return SpaceLocal
	case "param":
		return SpaceParam
	case "shared":
		return SpaceShared
	}
	return SpaceGeneric
}

// memSpace returns the state space of a memory instruction.
func (v *variant) memSpace() Space {
	for _, class := range []string{"ss", "space", "global"} {
		if m := v.mod(class); m != "" {
			return spaceOf(m)
		}
	}
	return SpaceGeneric
}

// addressBase returns the base of an address operand and the offset that is added to it. The
// operand is the inside of brackets, or an array's element without brackets (PTX 6.4.2). base is
// nil if the operand is no address.
func addressBase(o *Operand) (base *Operand, off int64) {
	switch {
	case o.Kind == KindAddr && len(o.List) > 0:
		return &o.List[0], o.Off
	case o.Kind == KindIndex:
		return o, 0
	}
	return nil, 0
}

// address checks an address operand (PTX 6.4.1).
func (c *checker) address(in *Instr, v *variant, s *opSpec, o *Operand) {
	base, _ := addressBase(o)
	if base == nil || o.Kind == KindIndex && !v.row.Do.indexes {
		c.bad(in, s, o, "an address in brackets")
		return
	}
	if o.Kind == KindAddr && base.Kind == KindIndex {
		d := c.errorf(base.Pos, diag.Input, codeOperand, "the address of %s is an element of %s in brackets: brackets hold a register, a variable, or a sum of one of them and a constant", in.Op, base.Name)
		d.Section = "PTX 6.4"
		if v.row.Do.indexes {
			d.Remedy = "write the element without brackets"
		}
		return
	}
	if o.Kind == KindAddr && len(o.List) > 1 {
		c.bad(in, s, o, "an address without coordinates")
		return
	}
	if r := base.Reg(); s.tensor && base.Kind != KindIdent && (base.Kind != KindReg || r != nil && r.Type.Bits() != 32) {
		c.errorf(base.Pos, diag.Input, codeOperand, "the address of %s is %s, want a 32-bit integer register: it is one of tensor memory", in.Op, describe(base))
		return
	}
	c.unified(in, v, s, o, base)
	space := v.memSpace()
	if s.space != SpaceGeneric {
		space = s.space
	}
	if space == SpaceGeneric && c.m.Target.SM != 0 && c.m.Target.SM < 20 && v.row.spaced() {
		c.errorf(o.Pos, diag.Input, codeTarget, "the generic address of %s needs .target sm_20 or higher, the module has %s", in.Op, c.m.Target).Remedy = "name the state space"
	}
	switch base.Kind {
	case KindReg:
		r := base.Reg()
		if r == nil {
			return
		}
		if r.Vec != 0 && base.Comp == "" || !r.Type.Integer() || r.Type.Bits() < 16 || r.Type.Bits() > 64 {
			c.errorf(base.Pos, diag.Input, codeType, "the address of %s is %s, want a 32-bit or 64-bit integer register", in.Op, describe(base))
		} else if r.Type.Bits() == 16 {
			c.beyond(base.Pos, "6.4.1", "an address is in a register of 16 bits")
		}
	case KindVar, KindIndex, KindSymOff:
		if d := base.Var(); d != nil {
			c.variable(in, v, base, d, space)
		}
	case KindInt:
		// Errata E144: absolute addresses have a known meaning in local memory only.
		if space != SpaceLocal && c.m.Version != (Version{}) {
			c.errorf(base.Pos, diag.Input, codeOperand, "the address of %s is the constant %d; only .local memory has constant addresses", in.Op, int64(base.Val)).Remedy = "name a variable, or mov the number to a register"
		}
	case KindIdent, KindNone:
	default:
		c.errorf(base.Pos, diag.Input, codeOperand, "the address of %s is %s, want a register, a variable or a constant", in.Op, describe(base))
	}
}

// variable checks a variable that an address of a state space names.
func (c *checker) variable(in *Instr, v *variant, base *Operand, d *Var, space Space) {
	switch {
	case d.Type.Opaque():
		c.errorf(base.Pos, diag.Input, codeType, "the address of %s is %s, a .%s, which has no bytes to access", in.Op, d.Name, d.Type)
	case space != SpaceGeneric && d.Space != space && !(d.Space == SpaceReg && space == SpaceParam):
		c.errorf(base.Pos, diag.Input, codeSpace, "%s accesses %s, but %s is a %s variable", in.Op, space, d.Name, d.Space)
	case space == SpaceGeneric && (d.Space == SpaceConst || d.Space == SpaceParam):
		// Errata E144: at a generic access, the names of .global, .shared and .local variables
		// stand for their generic addresses.
		c.errorf(base.Pos, diag.Input, codeSpace, "%s accesses a generic address, but %s is a %s variable", in.Op, d.Name, d.Space).Remedy = fmt.Sprintf("name the space, %s, or take its generic address with cvta%s", d.Space, d.Space)
	case d.Space == SpaceConst && max(in.Bank, 1) != max(d.Bank, 1):
		// PTX 5.1.3.1: without a number, both mean bank 0.
		c.errorf(base.Pos, diag.Input, codeSpace, "%s accesses constant bank %d, but %s is in bank %d", in.Op, max(in.Bank, 1)-1, d.Name, max(d.Bank, 1)-1).Section = "PTX 5.1.3.1"
	case d.Space == SpaceParam:
		c.paramAccess(in, v, base, d)
	}
}

// paramAccess checks the direction of an access to a parameter (PTX 5.1.6.4): parameters of kernels
// and functions are read, results are written.
func (c *checker) paramAccess(in *Instr, v *variant, base *Operand, d *Var) {
	loads := slices.ContainsFunc(v.ops, func(s opSpec) bool { return s.dst })
	if !d.formal() {
		c.bodyParam(in, base, d, loads)
		return
	}
	result := slices.Contains(d.Func.Results, d)
	switch {
	case loads && result:
		c.errorf(base.Pos, diag.Input, codeOperand, "%s reads the result %s, which can only be written", in.Op, d.Name).Section = "PTX 5.1.6.4"
	case !loads && !result && !d.Func.Entry: // the meaning of st checks parameters of kernels
		c.errorf(base.Pos, diag.Input, codeOperand, "%s writes the parameter %s, which can only be read", in.Op, d.Name).Section = "PTX 5.1.6.4"
	}
}

// bodyParam checks an access to a .param variable of the body (PTX 5.1.6.4). These variables pass
// arguments and results of calls, so a load has to read the result of a call. The vendor's
// assembler looks for the call earlier in the text, not on the paths of control flow.
func (c *checker) bodyParam(in *Instr, base *Operand, d *Var, loads bool) {
	if !c.m.Version.AtLeast(Version{2, 0}) {
		return // parameters of kernels, which PTX 1.3 declares there; or the scratchpad
	}
	if in.Guard != nil {
		// PTX 9.7.13.5: ld.param and st.param of arguments and results have no guard.
		c.errorf(base.Pos, diag.Input, codeOperand, "%s has a guard, but accesses %s, a .param variable of the body", in.Op, d.Name).Remedy = "branch around the whole call, or select the value before it"
	} else if loads && !c.returned[d] {
		c.errorf(base.Pos, diag.Input, codeOperand, "%s reads %s, and no call above it returns a result there", in.Op, d.Name).Section = "PTX 5.1.6.4"
	}
}

// paramAddress checks an instruction that takes the address of a .param variable (PTX 5.1.6.4). A
// parameter has an address. A result has one from PTX 6.0 on. A .param variable of the body has
// none.
func (c *checker) paramAddress(in *Instr, o *Operand, d *Var) {
	if d.Space != SpaceParam || d.Func == nil || slices.Contains(d.Func.Params, d) {
		return
	}
	switch result := slices.Contains(d.Func.Results, d); {
	case !result:
		c.errorf(o.Pos, diag.Input, codeOperand, "%s takes the address of %s, a .param of the body, which has none", in.Op, d.Name).Section = "PTX 5.1.6.4"
	case c.m.Version != (Version{}) && !c.m.Version.AtLeast(Version{6, 0}):
		c.errorf(o.Pos, diag.Input, codeVersion, "%s takes the address of the result %s, which needs .version 6.0 or later, the module has %s", in.Op, d.Name, c.m.Version).Section = "PTX 5.1.6.4"
	}
}

// unified checks .unified after an address (PTX 9.7.9.8). It belongs to ld with .global or generic
// addresses, and it is required for variables that are .unified.
func (c *checker) unified(in *Instr, v *variant, s *opSpec, o, base *Operand) {
	if o.Comp != "unified" {
		if d := base.Var(); s.unified && d != nil {
			for _, a := range d.Attrs {
				if a.Name == ".unified" {
					c.errorf(o.Pos, diag.Input, codeOperand, "%s is .unified, so that its address in %s is written [%s].unified", d.Name, in.Op, d.Name).Section = "PTX 5.4.8"
				}
			}
		}
		return
	}
	space := v.memSpace()
	switch m := c.m; {
	case !s.unified:
		c.errorf(o.Pos, diag.Input, codeModifier, "operand %s of %s does not take .unified", s.name, in.Op).Section = "PTX " + v.row.Sec
	case space != SpaceGlobal && space != SpaceGeneric:
		c.errorf(o.Pos, diag.Input, codeModifier, ".unified is for .global and generic addresses, and %s accesses %s", in.Op, space).Section = "PTX " + v.row.Sec
	case m.Version == (Version{}):
	case !m.Version.AtLeast(Version{8, 0}):
		c.errorf(o.Pos, diag.Input, codeVersion, ".unified needs .version 8.0 or later, the module has %s", m.Version).Section = "PTX " + v.row.Sec
	case m.Target.SM != 0 && m.Target.SM < 90:
		c.errorf(o.Pos, diag.Input, codeTarget, ".unified needs .target sm_90 or higher, the module has %s", m.Target).Section = "PTX " + v.row.Sec
	}
}
