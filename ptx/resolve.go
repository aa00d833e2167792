package ptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
)

// A resolver finds the declaration of each name, in the order of the text.
//
// Input: the tree of a module.
// Output: the Ref and Kind of every operand, the registers of every body, and errors for undeclared
// names.
// Invariant: a use sees only declarations that precede the declaration that contains the use.
// Example: in `.reg .b32 %r<4>; add.s32 %r1, %r2, 1;` the operand %r1 is member 1 of the family %r.
type resolver struct {
	m     *Module
	errs  *errList
	scope *scope
	fn    *Func
	body  *Body
	at    int32            // offset at which the current declaration begins; later declarations are not visible
	funcs map[string]*Func // the definitions, or else the first declarations
	vars  map[string]*Var  // the same for module variables
	files map[uint64]bool  // the numbers of .file directives
	regs  []Reg            // a slab

	// moduleRegs holds the registers of the module that the current function mentions.
	moduleRegs map[string]*Reg

	// implicit, if set, is called for a name without declaration. Its result is declared in the
	// function's outermost block.
	implicit func(o *Operand, in *Instr) Decl
}

func newResolver(m *Module, errs *errList) *resolver {
	return &resolver{m: m, errs: errs, funcs: map[string]*Func{}, vars: map[string]*Var{}, files: map[uint64]bool{}}
}

func (r *resolver) module() {
	r.heads()
	r.debugInfo()
	for _, it := range r.m.Items {
		if f, ok := it.(*Func); ok && f.body != nil && !r.errs.full {
			r.resolveBody(f, f.body)
		}
	}
}

// heads resolves the whole module except the bodies of functions.
func (r *resolver) heads() {
	r.push(nil)
	r.scope.since = map[string]int32{}
	r.canonical()
	r.options()
	if r.m.AddressPos.Line > 0 {
		r.needs(r.m.AddressPos, ".address_size")
	}
	for _, it := range r.m.Items {
		if r.errs.full {
			return
		}
		r.at = it.Position().Off
		switch it := it.(type) {
		case *Var:
			r.moduleVar(it)
		case *Func:
			r.function(it)
		case *Directive:
			r.statementDirective(it)
		}
	}
	r.constantSize()
}

// canonical chooses the declaration that uses refer to, for each name that the module declares more
// than once: the definition.
func (r *resolver) canonical() {
	for _, it := range r.m.Items {
		switch it := it.(type) {
		case *Func:
			if old := r.funcs[it.Name]; old == nil || !old.Defined() && it.Defined() {
				r.funcs[it.Name] = it
			}
		case *Var:
			if old := r.vars[it.Name]; old == nil || old.Link == LinkExtern && it.Link != LinkExtern {
				r.vars[it.Name] = it
			}
		}
	}
}

func (r *resolver) push(b *Block) { r.scope = &scope{parent: r.scope, block: b} }
func (r *resolver) pop()          { r.scope = r.scope.parent }

func (r *resolver) redeclared(pos Pos, name string, old Decl) {
	d := r.errs.add(pos, "redeclared", fmt.Sprintf("%s is declared twice in this scope", name))
	if old != nil {
		at := old.Position()
		d.Related = []diag.Related{{Pos: at.At(r.m.File), Message: "the other declaration", Source: lineAt(r.m.Src, int(at.Off))}}
	}
}

// predefined reports whether PTX 4.4, table 3, predefines a name.
func predefined(name string) bool {
	return name[0] == '%' && LookupSpecial(name) != SpecialNone || name == "WARP_SZ"
}

func (r *resolver) predefined(pos Pos, name string) {
	r.errs.add(pos, "redeclared", name+" is predefined and cannot be declared").Section = "PTX 4.4"
}

// declare adds a name to the current scope.
func (r *resolver) declare(name string, pos Pos, d Decl) {
	s := r.scope
	if predefined(name) {
		r.predefined(pos, name)
		return
	}
	if old, ok := s.names[name]; ok {
		r.redeclared(pos, name, old)
		return
	}
	if v, _ := s.member(name); v != nil {
		r.redeclared(pos, name, v)
		return
	}
	if p := s.parameters(); p != nil && p.names[name] != nil {
		r.redeclared(pos, name, p.names[name])
		return
	}
	s.set(name, d)
	s.declaredAt(name, r.at)
	s.claim(name, false)
}

// declareVar adds a variable or family to the current scope.
func (r *resolver) declareVar(v *Var) {
	if v.Family < 0 {
		r.declare(v.Name, v.Pos, v)
		return
	}
	s := r.scope
	if old := s.families[v.Name]; old != nil {
		r.redeclared(v.Pos, v.Name+"<…>", old)
		return
	}
	if v.Family == 0 {
		return
	}
	if n, ok := s.claimed[v.Name]; ok && n < v.Family {
		r.redeclared(v.Pos, memberName(v.Name, n), s.names[memberName(v.Name, n)])
		return
	}
	if old, i := s.member(memberName(v.Name, 0)); old != nil && memberName(old.Name, i) == memberName(v.Name, 0) {
		r.redeclared(v.Pos, memberName(v.Name, 0), old)
		return
	}
	if p := s.parameters(); p != nil {
		if n, ok := p.claimed[v.Name]; ok && n < v.Family {
			r.redeclared(v.Pos, memberName(v.Name, n), p.names[memberName(v.Name, n)])
			return
		}
	}
	if s.families == nil {
		s.families = map[string]*Var{}
	}
	s.families[v.Name] = v
	s.declaredAt(v.Name+"<", r.at)
	s.claim(v.Name, true)
}

// lookup finds a name; nil if no scope declares it.
func (r *resolver) lookup(name string) Decl {
	for s := r.scope; s != nil; s = s.parent {
		if d, ok := s.names[name]; ok && s.since[name] <= r.at {
			if v, ok := d.(*Var); ok && v.Space == SpaceReg {
				if s.parent == nil && v.Func == nil {
					return r.moduleReg(v, name, 0)
				}
				return r.varReg(v)
			}
			return d
		}
		if fam, i := s.member(name); fam != nil && s.since[fam.Name+"<"] <= r.at {
			if s.parent == nil && fam.Space == SpaceReg && fam.Func == nil {
				return r.moduleReg(fam, memberName(fam.Name, i), i)
			}
			full := memberName(fam.Name, i)
			d, ok := s.names[full]
			if !ok {
				d = r.newMember(fam, full, i)
				s.set(full, d)
			}
			if name != full { // %r01 for %r1
				s.set(name, d)
			}
			return d
		}
	}
	return nil
}

// newMember makes a member of a family at its first mention.
func (r *resolver) newMember(fam *Var, name string, i int64) Decl {
	if fam.Space == SpaceReg {
		return r.newReg(fam, name, i)
	}
	v := *fam
	v.Name, v.Family, v.Of = name, -1, fam
	return &v
}

// moduleReg returns the current function's Reg for a register of the module (PTX 5.1.1: legal
// before PTX 3.0).
func (r *resolver) moduleReg(v *Var, name string, i int64) Decl {
	if r.fn == nil {
		return v // in an initialiser, which reports the error
	}
	reg := r.moduleRegs[name]
	if reg == nil {
		reg = r.newReg(v, name, i)
		reg.Module = true
		r.moduleRegs[name] = reg
	}
	return reg
}

func (r *resolver) varReg(v *Var) *Reg {
	if v.Reg == nil {
		v.Reg = r.newReg(v, v.Name, 0)
	}
	return v.Reg
}

// newReg makes a register of the current body with the next ID.
func (r *resolver) newReg(v *Var, name string, i int64) *Reg {
	if len(r.regs) == 0 {
		r.regs = make([]Reg, 64)
	}
	reg := &r.regs[0]
	r.regs = r.regs[1:]
	*reg = Reg{Name: name, Type: v.Type, Vec: v.Vec, Decl: v, Index: i, ID: len(r.body.Regs)}
	r.body.Regs = append(r.body.Regs, reg)
	return reg
}

// block resolves the statements of a block, in a scope of its own.
func (r *resolver) block(b *Block) {
	r.push(b)
	defer r.pop()
	for _, s := range b.Stmts { // labels may be used before their definition
		if l, ok := s.(*Label); ok {
			r.declare(l.Name, l.Pos, l)
		}
	}
	for _, s := range b.Stmts {
		if r.errs.full {
			return
		}
		switch s := s.(type) {
		case *Instr:
			r.instr(s)
		case *Var:
			r.declareVar(s)
			r.checkVar(s)
		case *Block:
			r.block(s)
		case *Directive:
			r.directive(s)
		case *Loc:
			r.loc(s)
		}
	}
}

func (r *resolver) loc(l *Loc) {
	if l.FuncName != "" {
		r.needs(l.Pos, "function_name of .loc")
	}
}

// directive resolves the names of a statement directive.
func (r *resolver) directive(d *Directive) {
	switch d.Name {
	case ".branchtargets", ".calltargets":
		r.needs(d.Pos, d.Name)
		r.targetList(d)
	case ".callprototype":
		r.needs(d.Pos, d.Name)
		r.push(nil)
		r.headDirectives(d.Proto)
		r.parameters(d.Proto, true)
		r.pop()
	default:
		r.statementDirective(d)
	}
}

// targetList resolves the names of .branchtargets and .calltargets.
func (r *resolver) targetList(d *Directive) {
	want, what := KindLabel, "label"
	if d.Name == ".calltargets" {
		want, what = KindFunc, "function"
	}
	var first *Func
	for i := range d.Args {
		o := &d.Args[i]
		r.operand(o, nil)
		if o.Ref != nil && o.Kind != want {
			r.badDirective(o.Pos, "11.3", "%s is no %s, which %s lists", o.Name, what, d.Name)
			continue
		}
		f := o.Func()
		if f == nil {
			continue
		}
		if first == nil {
			first = f
		}
		// PTX 11.3.2: "all functions must have the same type signature".
		if why := signatureDiffers(first, f); why != "" {
			r.badDirective(o.Pos, "11.3.2", "%s and %s differ, but stand in one .calltargets: %s", first.Name, f.Name, why)
		}
	}
}

// instr resolves the names of an instruction, and checks that its guard is a register.
func (r *resolver) instr(in *Instr) {
	if g := in.Guard; g != nil {
		r.operand(&g.Reg, in)
		if g.Reg.Kind != KindReg && g.Reg.Kind != KindIdent {
			r.errs.add(g.Reg.Pos, "syntax", fmt.Sprintf("found %s as a guard, expected a predicate register", g.Reg.Name))
		}
	}
	for i := range in.Args {
		o := &in.Args[i]
		r.operand(o, in)
		if l := o.Label(); l != nil && l.Dir != nil && l.Pos.Off > in.Pos.Off {
			r.badDirective(o.Pos, "11.3", "%s stands after its use by %s, expected the %s before it", l.Name, in.Op, l.Dir.Name)
		}
	}
}

// operand resolves the names of an operand.
func (r *resolver) operand(o *Operand, in *Instr) {
	for i := range o.List {
		r.operand(&o.List[i], in)
	}
	switch o.Kind {
	case KindIdent, KindIndex, KindSymOff:
	default:
		return
	}
	d := r.lookup(o.Name)
	if d == nil {
		if s := LookupSpecial(o.Name); s != SpecialNone {
			r.special(o, s)
			return
		}
	}
	if d == nil && r.implicit != nil {
		if d = r.implicit(o, in); d != nil {
			if reg, ok := d.(*Reg); ok {
				reg.ID = len(r.body.Regs)
				r.body.Regs = append(r.body.Regs, reg)
			}
			s := r.scope
			for s.parent != nil && s.parent.block != nil {
				s = s.parent
			}
			s.set(o.Name, d)
		}
	}
	if d == nil {
		r.undeclared(o.Pos, o.Name)
		return
	}
	r.bind(o, d)
}

// bind makes an operand refer to a declaration.
func (r *resolver) bind(o *Operand, d Decl) {
	var k Kind
	var what string
	switch d.(type) {
	case *Reg:
		k, what = KindReg, "a register"
	case *Var:
		k, what = KindVar, "a variable"
	case *Func:
		k, what = KindFunc, "a function"
	case *Label:
		k, what = KindLabel, "a label"
	}
	switch {
	case o.Comp != "" && k != KindReg:
		r.errs.add(o.Pos, "syntax", fmt.Sprintf("found %s.%s, but %s is %s", o.Name, o.Comp, o.Name, what))
		return
	case o.Kind == KindIndex && k != KindVar:
		r.errs.add(o.Pos, "syntax", fmt.Sprintf("found %s[…], but %s is %s, expected a variable", o.Name, o.Name, what)).Remedy = "an address in a register is written [" + o.Name + "+offset]"
		return
	case o.Kind == KindSymOff && k == KindReg:
		// Errata E137.
		r.m.beyond(o.Pos, "6.4.1", "a constant is added to a register outside brackets")
		reg := *o
		reg.Kind, reg.Ref, reg.Off = KindReg, d, 0
		*o = Operand{Pos: o.Pos, Kind: KindSum, Off: o.Off, List: []Operand{reg}}
		return
	case o.Kind == KindIndex && len(d.(*Var).Dims) == 0 && r.implicit == nil:
		r.errs.add(o.Pos, "syntax", fmt.Sprintf("found %s[…], but %s is no array", o.Name, o.Name)).Section = "PTX 6.4.2"
		return
	case o.Kind == KindSymOff && k == KindLabel:
		r.errs.add(o.Pos, "syntax", fmt.Sprintf("found a sum with label %s, expected the label alone", o.Name))
		return
	}
	o.Ref = d
	if o.Kind == KindIdent {
		o.Kind = k
	}
}

// special resolves an operand that names a special register.
func (r *resolver) special(o *Operand, s Special) {
	info := s.Info()
	switch {
	case o.Kind != KindIdent:
		r.errs.add(o.Pos, "syntax", fmt.Sprintf("found arithmetic on special register %s", o.Name))
		return
	case o.Comp != "" && (!info.Vec || componentIndex(o.Comp) < 0):
		e := "no components"
		if info.Vec {
			e = ".x, .y, .z and .w"
		}
		r.errs.add(o.Pos, "undeclared", fmt.Sprintf("found %s.%s, but %s has %s", o.Name, o.Comp, o.Name, e)).Section = "PTX " + info.Section
		return
	}
	o.Kind, o.Special = KindSpecial, s
}

// undeclared reports a name without declaration, and proposes a similar name.
func (r *resolver) undeclared(pos Pos, name string) {
	if r.errs.count >= maxErrors { // further errors are only counted, so the slow guess is not needed
		r.errs.add(pos, "undeclared", "")
		return
	}
	msg := name + " is not declared"
	var remedy string
	if strings.HasPrefix(name, "_optix_") {
		// Programs of OptiX call these without a declaration, because OptiX's own compiler provides
		// them.
		r.errs.addClass(pos, diag.Unsupported, codeNotLifted, name+" is a function of OptiX, whose programs Crosslane does not run")
		return
	}
	if r.body != nil && slices.ContainsFunc(r.body.Labels, func(l *Label) bool { return l.Name == name }) {
		msg = name + " is a label of another block, which this one does not see"
	} else if fam := r.familyOf(name); fam != nil {
		msg = fmt.Sprintf("%s is not declared: %s<%d> declares %s to %s", name, fam.Name, fam.Family, memberName(fam.Name, 0), memberName(fam.Name, fam.Family-1))
	} else if at := r.later(name); at.Line > 0 {
		msg = fmt.Sprintf("%s is used before its declaration in line %d", name, at.Line)
		remedy = "declare it before its first use"
	} else if s := didYouMean(name, r.visible()); s != "" {
		remedy = "did you mean " + s + "?"
	}
	r.errs.add(pos, "undeclared", msg).Remedy = remedy
}

// familyOf finds a family that name would belong to if its number were smaller.
func (r *resolver) familyOf(name string) (fam *Var) {
	for s := r.scope; s != nil && fam == nil; s = s.parent {
		splitMember(name, func(prefix, _ string) bool {
			if v := s.families[prefix]; v != nil && s.since[prefix+"<"] <= r.at {
				fam = v
			}
			return fam != nil
		})
	}
	return fam
}

// later finds a declaration of name that follows in the text.
func (r *resolver) later(name string) Pos {
	match := func(v *Var) bool {
		if v.Family < 0 {
			return v.Name == name
		}
		ok := false
		splitMember(name, func(prefix, digits string) bool {
			n, err := strconv.ParseInt(digits, 10, 64)
			ok = ok || prefix == v.Name && err == nil && n < v.Family
			return ok
		})
		return ok
	}
	for s := r.scope; s != nil; s = s.parent {
		if s.block != nil {
			for _, st := range s.block.Stmts {
				if v, ok := st.(*Var); ok && match(v) {
					return v.Pos
				}
			}
		}
	}
	if f := r.funcs[name]; f != nil {
		return f.Pos
	}
	if v := r.vars[name]; v != nil {
		return v.Pos
	}
	return Pos{}
}

// visible lists the visible names for a guess, sorted. A family contributes a few of its members.
func (r *resolver) visible() (names []string) {
	const enough = 5000
	defer func() { slices.Sort(names) }()
	for s := r.scope; s != nil; s = s.parent {
		for n := range s.names {
			if n == "_" || s.since[n] > r.at { // the function around a snippet, and later declarations
				continue
			}
			if names = append(names, n); len(names) > enough {
				return names
			}
		}
		for n, v := range s.families {
			if s.since[n+"<"] > r.at {
				continue
			}
			if names = append(names, memberName(n, 0), memberName(n, v.Family-1)); len(names) > enough {
				return names
			}
		}
	}
	for n := range specialNames {
		names = append(names, n)
	}
	return names
}
