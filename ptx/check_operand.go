package ptx

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// operands checks the operands of an instruction against its form.
func (c *checker) operands(in *Instr, v *variant) {
	if len(in.Args) != len(v.ops) && !(v.row.rest && len(in.Args) > len(v.ops)) {
		want := fmt.Sprint(v.row.least)
		if v.row.least < len(v.row.ops) {
			want = fmt.Sprintf("%d or %d", v.row.least, len(v.row.ops))
		}
		if v.row.rest {
			want += " or more"
		}
		if v.row.hints {
			want = fmt.Sprintf("%d: a cache policy goes with .L2::cache_hint", len(v.ops))
		}
		form, _, _ := strings.Cut(v.row.Form, ";")
		d := c.errorf(in.Pos, diag.Input, codeCount, "%s has %s, want %s", in.Op, counted(len(in.Args), "operand"), want)
		d.Section, d.Remedy = "PTX "+v.row.Sec, "its form is "+strings.ReplaceAll(form, ":frag", "")
		return
	}
	for i := range v.ops {
		c.discard(in, v, i)
		c.operand(in, v, i)
	}
}

// discard checks that _ stands for a destination only if the instruction has another effect or
// result. As an element of a vector, _ is always allowed.
func (c *checker) discard(in *Instr, v *variant, i int) {
	s, o := &v.ops[i], &in.Args[i]
	if !s.dst || s.kind == opSink || c.m.Version == (Version{}) {
		return
	}
	first, second := o, o
	if o.Kind == KindPair {
		first, second = &o.List[0], &o.List[1]
	}
	// The predicate of a pair may be discarded, except that of elect.
	unread := first.Kind == KindSink && (!v.row.Discards || o.Kind == KindPair && second.Kind == KindSink)
	if unread || s.register && second.Kind == KindSink {
		c.errorf(o.Pos, diag.Input, codeOperand, "operand %s of %s is _, and this instruction does not discard its result", s.name, in.Op)
	}
}

// describe names an operand for messages.
func describe(o *Operand) string {
	switch o.Kind {
	case KindReg:
		if r := o.Reg(); r != nil {
			if r.Vec != 0 && o.Comp == "" {
				return fmt.Sprintf("%s, a .v%d .%s register", o.Name, r.Vec, r.Type)
			}
			return fmt.Sprintf("%s, a .%s register", o.Name, r.Type)
		}
	case KindVar:
		if v := o.Var(); v != nil {
			return fmt.Sprintf("%s, a %s variable", o.Name, v.Space)
		}
	case KindFunc:
		return fmt.Sprintf("the function %s", o.Name)
	case KindLabel:
		return fmt.Sprintf("the label %s", o.Name)
	case KindInt:
		return fmt.Sprintf("the constant %d", int64(o.Val))
	case KindFloat:
		return "a floating-point constant"
	case KindString:
		return "a string"
	case KindSink:
		return "_"
	case KindNot, KindNeg:
		if len(o.List) > 0 && o.Kind == KindNot {
			return "a negated predicate"
		}
		return "a negated register"
	case KindVector:
		return fmt.Sprintf("a vector of %d", len(o.List))
	case KindPair:
		return "a pair a|b"
	case KindList:
		return "a list"
	case KindAddr:
		return "an address in brackets"
	case KindIndex, KindSymOff:
		return "an address"
	case KindSum:
		return fmt.Sprintf("a sum with %s", o.List[0].Name)
	}
	return o.Name
}

// bad reports an operand of the wrong kind.
func (c *checker) bad(in *Instr, s *opSpec, o *Operand, want string) {
	if o.Kind == KindIdent || o.Kind == KindNone {
		return // reported by the resolver
	}
	c.errorf(o.Pos, diag.Input, codeOperand, "operand %s of %s is %s, want %s", s.name, in.Op, describe(o), want)
}

// operand checks operand i: a pair, a vector, an address, an immediate or a single value, as the
// form demands.
func (c *checker) operand(in *Instr, v *variant, i int) {
	s, o, t := &v.ops[i], &in.Args[i], v.args[i]
	if s.dst && o.Kind == KindVector {
		c.unique(in, o.List)
	}
	if o.Kind == KindPair {
		if s.pair == "" {
			d := "no second destination"
			if s.dst {
				d = "one register: this instruction has no predicate destination"
			}
			c.bad(in, s, o, d)
			return
		}
		c.dest(in, s, &o.List[0], t, false)
		c.dest(in, &opSpec{name: s.pair, dst: true}, &o.List[1], Pred, false)
		return
	}
	if s.pairMust {
		c.bad(in, s, o, fmt.Sprintf("%s|%s", s.name, s.pair))
		return
	}
	if s.minus && o.Kind == KindNeg && len(o.List) > 0 {
		o = &o.List[0]
	}
	if s.sel != "" {
		if o = c.selected(in, s, o); o == nil {
			return
		}
	}
	if s.kind == opValue && !s.vectored(v) && v.row.braces {
		o = o.single()
	}
	switch s.kind {
	case opAny: // the meaning of the row checks it
	case opSink:
		if o.Kind != KindSink {
			c.bad(in, s, o, "_: nothing is returned")
		}
	case opAddr:
		c.address(in, v, s, o)
	case opFrag:
		c.fragment(in, v, i)
	case opImm:
		c.immediate(in, s, o)
	case opLabel:
		if l := o.Label(); o.Kind != KindLabel || l == nil || l.Dir != nil {
			c.bad(in, s, o, "a label of an instruction")
		}
	case opTarget:
		if l := o.Label(); o.Kind != KindLabel || l == nil || l.Dir == nil || l.Dir.Name != ".branchtargets" {
			c.bad(in, s, o, "the label of a .branchtargets directive")
		}
	default:
		switch {
		case s.vectored(v):
			c.vector(in, v, s, o, t)
		case s.dst:
			c.dest(in, s, o, t, v.row.Relaxed)
		default:
			c.source(in, s, o, t, v.row.Relaxed)
		}
	}
}

// single returns the operand without the braces of a vector of one element. Kernel compilers write
// the data of loads and stores that way: {%r1}. The ISA's grammar has only vectors of two or more.
func (o *Operand) single() *Operand {
	if o.Kind == KindVector && len(o.List) == 1 {
		return &o.List[0]
	}
	return o
}

// selected checks the selector of a video instruction's operand and returns the operand without it;
// nil if the selector is wrong.
func (c *checker) selected(in *Instr, s *opSpec, o *Operand) *Operand {
	if r := o.Reg(); o.Kind == KindReg && r != nil && r.Vec == 0 {
		ok := o.Comp == "" && !s.selMust
		if o.Comp != "" {
			_, ok = selectors[s.sel](o.Comp)
		}
		if !ok {
			c.errorf(o.Pos, diag.Input, codeOperand, "operand %s of %s is %s, want %s", s.name, in.Op, o, selectorText[s.sel])
			return nil
		}
	}
	whole, _ := o.unselected()
	return &whole
}

// unselected splits an operand of a video instruction into the operand and its selector. The
// element of a vector, as in %tid.x, is no selector.
func (o *Operand) unselected() (whole Operand, selector string) {
	whole = *o
	if r := o.Reg(); o.Kind == KindSpecial || o.Kind == KindReg && r != nil && r.Vec > 0 {
		return whole, ""
	}
	whole.Comp = ""
	return whole, o.Comp
}

// vectored reports whether the operand is a vector.
func (s *opSpec) vectored(v *variant) bool { return s.elems(v) > 1 }

// elems returns the number of elements of an operand: the number in its form, or that of the
// modifier .v2, .v4 or .v8 for the data operands of mov, loads and stores.
func (s *opSpec) elems(v *variant) int {
	switch {
	case s.lanes > 0:
		return s.lanes
	case s.name == "d" || s.name == "a" || s.name == "b":
		return v.vec
	}
	return 1
}

// vector checks an operand that may be a vector: braces with n elements, or one vector register.
func (c *checker) vector(in *Instr, v *variant, s *opSpec, o *Operand, t Type) {
	n := s.elems(v)
	if r := o.Reg(); o.Kind == KindReg && r != nil && o.Comp == "" && r.Vec == n {
		c.regType(in, s, o, r.Type, t, s.dst, true)
		return
	}
	if o.Kind == KindSink && s.dst && v.row.Discards {
		return
	}
	parts := o.elements()
	if o.Kind != KindVector && (o.Kind != KindSpecial || s.dst) || len(parts) != n {
		c.bad(in, s, o, fmt.Sprintf("a vector of %d", n))
		return
	}
	if s.dst && n > 1 && !slices.ContainsFunc(parts, func(p Operand) bool { return p.Kind != KindSink }) {
		c.bad(in, s, o, "at least one register")
		return
	}
	for i := range parts {
		switch {
		case s.dst:
			c.dest(in, s, &parts[i], t, true)
		case parts[i].Kind == KindSink && v.vec*t.Bits() == 256 && v.writes():
			// PTX 9.7.9.11: the instruction stores nothing there.
		default:
			c.source(in, s, &parts[i], t, true)
		}
	}
}

// dest checks a destination register.
func (c *checker) dest(in *Instr, s *opSpec, o *Operand, t Type, relaxed bool) {
	if o.Kind == KindSink {
		return
	}
	r := o.Reg()
	if o.Kind != KindReg || r == nil || r.Vec != 0 && o.Comp == "" {
		want := "a register"
		if t != NoType {
			want = fmt.Sprintf("a .%s register", t)
		}
		c.bad(in, s, o, want)
		return
	}
	if !c.element(o, r) {
		return
	}
	c.regType(in, s, o, r.Type, t, true, relaxed)
}

// element checks an element suffix, for example .x, of a register operand.
func (c *checker) element(o *Operand, r *Reg) bool {
	if o.Comp == "" || r.Vec > elementIndex(o.Comp) && strings.Contains("xyzwrgba", o.Comp) && len(o.Comp) == 1 {
		return true
	}
	c.errorf(o.Pos, diag.Input, codeOperand, "%s, a .%s register, has no element .%s", r.Name, r.Type, o.Comp)
	return false
}

// source checks a source operand that is a value.
func (c *checker) source(in *Instr, s *opSpec, o *Operand, t Type, relaxed bool) {
	switch o.Kind {
	case KindReg:
		r := o.Reg()
		if r == nil {
			return
		}
		if r.Vec != 0 && o.Comp == "" {
			c.bad(in, s, o, fmt.Sprintf("a .%s register; select an element with .x, .y, .z or .w", t))
			return
		}
		if !c.element(o, r) {
			return
		}
		c.regType(in, s, o, r.Type, t, false, relaxed)
	case KindNot:
		if t != Pred {
			c.bad(in, s, o, fmt.Sprintf("a .%s value", t))
			return
		}
		if !s.neg {
			// Errata E136: the manual has !p in a few forms only.
			c.beyond(o.Pos, c.row.Sec, "a predicate is negated where its form has no {!}")
		}
		c.source(in, s, &o.List[0], Pred, false)
	case KindSum:
		// Errata E137. The assembler does not terminate on sums with predicates or floating-point
		// registers.
		if r := o.List[0].Reg(); s.register || s.sel != "" || !t.Integer() && !t.Untyped() || r != nil && !r.Type.Integer() && !r.Type.Untyped() {
			c.bad(in, s, o, fmt.Sprintf("a .%s register or constant", t))
			return
		}
		c.source(in, s, &o.List[0], t, relaxed)
	case KindSymOff:
		c.symbol(in, s, o, t)
	case KindInt, KindFloat:
		if c.m.Version != (Version{}) && c.constantless(s, t) {
			c.bad(in, s, o, fmt.Sprintf("a .%s register: there are no constants of this kind", t))
			return
		}
		c.constant(in, s, o, t)
	case KindSpecial:
		c.special(in, s, o, t)
	default:
		c.bad(in, s, o, fmt.Sprintf("a .%s register or constant", t))
	}
}

// constantless reports whether an operand accepts no constant.
func (c *checker) constantless(s *opSpec, t Type) bool {
	return s.register || c.row.noConst || c.row.Untyped && t.Untyped() || t.packed() || t == F16 || t == BF16 || t == TF32
}

// regType checks a register's type against the instruction's type (PTX 9.4, table 27; also 9.4.1 if
// relaxed).
func (c *checker) regType(in *Instr, s *opSpec, o *Operand, reg, t Type, dst, relaxed bool) {
	if fits(reg, t, relaxed) && !(c.row.Untyped && t.Untyped() && !reg.Untyped()) && !(s.handle && reg.Float()) {
		return
	}
	want := fmt.Sprintf("a .%s register", t)
	if relaxed && t.Bits() < 64 {
		want += " or a wider one"
	}
	c.errorf(o.Pos, diag.Input, codeType, "operand %s of %s is %s, a .%s register, want %s", s.name, in.Op, o.Name, reg, want)
}

// fits reports whether a register of type reg may hold an operand of type t.
func fits(reg, t Type, relaxed bool) bool {
	if reg == t {
		return true
	}
	if reg == Pred || t == Pred || reg.Opaque() {
		return false
	}
	if reg.Bits() != t.Bits() {
		// Wider registers, PTX 9.4.1, tables 27 and 28: an untyped register holds every type; a
		// register with a number type holds untyped values and values of the same kind. bf16 is an
		// exception (PTX 9.7.9.22, notes of cvt).
		return relaxed && t != BF16 && t != BF16x2 && reg.Bits() > t.Bits() && (reg.Untyped() || t.Untyped() || !reg.Float() && !t.Float())
	}
	switch {
	case t.Untyped():
		return true
	case t.Float():
		// .f16x2 lives in .b32 registers, .f32x2 in .b64, .bf16 in .b16.
		return reg.Untyped()
	case t == U16x2 || t == S16x2 || t == U8x4 || t == S8x4:
		// PTX 9.7.1.1: the operands have type .b32.
		return reg.Untyped()
	}
	return reg.Untyped() || reg.Integer()
}

// constant checks a constant's kind and range.
func (c *checker) constant(in *Instr, s *opSpec, o *Operand, t Type) {
	if o.Kind == KindFloat {
		if !s.handle && t.Untyped() && (t == B32 && o.Single || t == B64 && !o.Single) || t == F32 || t == F64 {
			return
		}
		c.errorf(o.Pos, diag.Input, codeImmediate, "operand %s of %s is a floating-point constant, want a .%s", s.name, in.Op, t)
		return
	}
	switch {
	case t == Pred:
		return // any integer: zero is false (LLVM writes -1 for true)
	case t == F32 || t == F64:
		c.errorf(o.Pos, diag.Input, codeImmediate, "operand %s of %s is the integer %d, want a .%s: write %d.0 or 0f…", s.name, in.Op, int64(o.Val), t, int64(o.Val))
		return
	}
	// PTX 4.5.1: the constant is converted to the size of the type at its use.
	c.bounds(in, s, o)
}

// bounds checks the range that a form gives a constant (errata E147, E149).
func (c *checker) bounds(in *Instr, s *opSpec, o *Operand) {
	least := 0
	if s.positive {
		least = 1
	}
	switch {
	case s.below > 0 && (o.Val >= s.below || o.Val < uint64(least)):
		c.errorf(o.Pos, diag.Input, codeImmediate, "operand %s of %s is %d, want %d to %d", s.name, in.Op, int64(o.Val), least, s.below-1)
	case s.multiple > 0 && o.Val%s.multiple != 0:
		c.errorf(o.Pos, diag.Input, codeImmediate, "operand %s of %s is %d, want a multiple of %d", s.name, in.Op, int64(o.Val), s.multiple)
	case s.positive && int64(o.Val) <= 0:
		c.errorf(o.Pos, diag.Input, codeImmediate, "operand %s of %s is %d, want 1 or more", s.name, in.Op, int64(o.Val))
	}
}

// symbol checks a variable with an offset as a value: its address in its own space (errata E137).
func (c *checker) symbol(in *Instr, s *opSpec, o *Operand, t Type) {
	d := o.Var()
	if d == nil || s.handle || s.sel != "" || c.constantless(s, t) || !t.Integer() && !t.Untyped() || t.Bits() < 16 || t.Bits() > 64 || d.Space == SpaceReg || d.Type.Opaque() {
		c.bad(in, s, o, fmt.Sprintf("a .%s register or constant", t))
		return
	}
	c.beyond(o.Pos, "6.4.1", "the address of a variable with an offset is an operand")
	c.paramAddress(in, o, d)
}

// beyond notes a feature that the manual does not describe, once for each kind.
func (c *checker) beyond(pos Pos, sec, what string) {
	if c.warned["beyond "+what] {
		return
	}
	c.warned["beyond "+what] = true
	d := c.warn(pos, "beyond-manual", "%s; the manual does not have that, the vendor's assembler takes it", what)
	d.Severity, d.Section = diag.Note, "PTX "+sec
}

// immediate checks an operand that has to be an integer constant in a range.
func (c *checker) immediate(in *Instr, s *opSpec, o *Operand) {
	if o.Kind != KindInt {
		c.bad(in, s, o, "an integer constant")
		return
	}
	if s.below > 0 || s.positive || s.multiple > 0 {
		c.bounds(in, s, o)
	} else if o.Val >= 1<<s.bits && !s.low {
		c.errorf(o.Pos, diag.Input, codeImmediate, "operand %s of %s is %d, want 0 to %d", s.name, in.Op, int64(o.Val), 1<<s.bits-1)
	}
}

// floats reports whether an instruction that reads a special register has a floating-point
// destination. The vendor's assembler has cvt of special registers to integers only.
func (c *checker) floats(in *Instr) bool {
	v := c.variant(in)
	return v != nil && c.row.Relaxed && len(v.args) > 0 && v.args[0].Float()
}

// special checks a special register that is read with type t.
func (c *checker) special(in *Instr, s *opSpec, o *Operand, t Type) {
	info := o.Special.Info()
	if info.Vec && o.Comp == "" {
		c.bad(in, s, o, "one of its elements .x, .y, .z")
		return
	}
	if c.m.Version != (Version{}) && (!c.row.Specials || c.floats(in)) {
		d := c.errorf(o.Pos, diag.Input, codeOperand, "operand %s of %s is the special register %s, which only mov and cvt read", s.name, in.Op, o.Name)
		d.Section, d.Remedy = "PTX "+info.Section, "mov it to a register first"
		return
	}
	if t.Float() || t == Pred && info.Type != Pred || info.Type == Pred && t != Pred {
		c.errorf(o.Pos, diag.Input, codeType, "operand %s of %s is %s, a .%s special register, want a .%s", s.name, in.Op, o.Name, info.Type, t)
		return
	}
	if c.m.Version == (Version{}) {
		return
	}
	// The special registers of PTX 1.x were 16 bits wide. Reading 16 bits stays legal, and so does
	// reading %gridid in each of its widths. cvt takes the low bits.
	wide := o.Special == SrGridid || info.Vec && t.Bits() == 16
	if n := info.Type.Bits(); t != info.Type && t.Bits() != n && !wide && !(c.row.Relaxed && t.Bits() < n) {
		c.errorf(o.Pos, diag.Input, codeType, "operand %s of %s is %s, a special register of %d bits, want %d", s.name, in.Op, o.Name, n, t.Bits())
		return
	}
	if !c.m.Version.AtLeast(info.PTX) {
		c.errorf(o.Pos, diag.Input, codeVersion, "%s needs .version %s or later, the module has %s", o.Name, info.PTX, c.m.Version).Section = "PTX " + info.Section
	} else if c.m.Target.SM != 0 && c.m.Target.SM < info.SM {
		c.errorf(o.Pos, diag.Input, codeTarget, "%s needs .target sm_%d or higher, the module has %s", o.Name, info.SM, c.m.Target).Section = "PTX " + info.Section
	}
}

// unique warns of a destination vector that names a register twice: the register's value is then
// undefined (PTX 6.4.3).
func (c *checker) unique(in *Instr, list []Operand) {
	for i := range list {
		for j := range i {
			a, b := &list[i], &list[j]
			if a.Kind == KindReg && b.Kind == KindReg && a.Ref == b.Ref && a.Comp == b.Comp {
				d := c.warn(a.Pos, codeTwice, "%s is twice in one destination of %s: its value is undefined", a.Name, in.Op)
				d.Section, d.Remedy = "PTX 6.4.3", "write _ for elements that are not needed"
				return
			}
		}
	}
}

// constBits returns the bits of a constant operand as a value of type t.
func constBits(o *Operand, t Type) uint64 {
	if o.Kind == KindInt {
		return o.Val
	}
	if t.Bits() == 32 && !o.Single {
		return uint64(math.Float32bits(float32(math.Float64frombits(o.Val))))
	}
	return o.Val // a single's bits are read as those of a double (errata E134)
}
