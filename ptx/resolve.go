package ptx

import (
	"fmt"
	"slices"
	"strconv"

	"crosslane/diag"
)

// A scope holds the names of one block, of a function's parameters, or of the
// module.
type scope struct {
	parent *scope
	block  *Block // nil: parameters or module
	// names holds what is declared, the members of families that are in use included.
	names map[string]Decl
	// families holds families by the prefix of their names.
	families map[string]*Var
	// claimed holds, for a prefix, the least number after it that a declaration
	// other than the prefix's own family stands for: `%r7` claims 7 of `%r`.
	claimed map[string]int64
}

// A resolver finds the declaration of each name, in the order of the text.
type resolver struct {
	m     *Module
	errs  *errList
	scope *scope
	fn    *Func
	funcs map[string]*Func // the definitions, or else first declarations
	vars  map[string]*Var  // likewise of module variables
	regs  []Reg            // a slab

	// implicit, if set, is asked for a name that is declared nowhere; what it
	// returns is declared in the function's outermost block.
	implicit func(o *Operand, in *Instr) Decl
}

func newResolver(m *Module, errs *errList) *resolver {
	return &resolver{m: m, errs: errs, funcs: map[string]*Func{}, vars: map[string]*Var{}}
}

func (r *resolver) module() {
	r.push(nil)
	r.canonical()
	for _, it := range r.m.Items {
		if r.errs.full {
			return
		}
		switch it := it.(type) {
		case *Var:
			r.moduleVar(it)
		case *Func:
			r.function(it)
		case *Directive:
			if it.Name == ".alias" {
				r.alias(it)
			}
		}
	}
}

// canonical chooses, for each name that the module declares more than once, the
// declaration that uses refer to: the definition.
func (r *resolver) canonical() {
	for _, it := range r.m.Items {
		switch it := it.(type) {
		case *Func:
			if old := r.funcs[it.Name]; old == nil || old.Body == nil && it.Body != nil {
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

// declare enters a name in the current scope.
func (r *resolver) declare(name string, pos Pos, d Decl) {
	s := r.scope
	if old, ok := s.names[name]; ok {
		r.redeclared(pos, name, old)
		return
	}
	if v, _ := s.member(name); v != nil {
		r.redeclared(pos, name, v)
		return
	}
	s.set(name, d)
	s.claim(name, 0, false)
}

func (s *scope) set(name string, d Decl) {
	if s.names == nil {
		s.names = map[string]Decl{}
	}
	s.names[name] = d
}

// splitMember calls f for each way to read name as a prefix and a number without
// leading zeros, longest prefix first, until f returns true.
func splitMember(name string, f func(prefix, digits string) bool) {
	// No number of more than 10 digits is below maxElems.
	for i := len(name) - 1; i > 0 && len(name)-i <= 10; i-- {
		if charClass[name[i]]&cDigit == 0 {
			return
		}
		if name[i] == '0' && i < len(name)-1 {
			continue
		}
		if f(name[:i], name[i:]) {
			return
		}
	}
}

// member returns the family of this scope that declares name, and the index.
func (s *scope) member(name string) (fam *Var, index int64) {
	if len(s.families) == 0 || charClass[name[len(name)-1]]&cDigit == 0 {
		return nil, 0
	}
	splitMember(name, func(prefix, digits string) bool {
		if v := s.families[prefix]; v != nil {
			if n, err := strconv.ParseInt(digits, 10, 64); err == nil && n < v.Family {
				fam, index = v, n
			}
		}
		return fam != nil
	})
	return fam, index
}

// claim notes which families could not be declared any more because of a name, or
// of a family called name, whose first member ends in 0.
func (s *scope) claim(name string, first int, family bool) {
	full := name
	if family {
		full = name + "0"
	}
	splitMember(full, func(prefix, digits string) bool {
		if family && prefix == name {
			return false
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil {
			return false
		}
		if s.claimed == nil {
			s.claimed = map[string]int64{}
		}
		if old, ok := s.claimed[prefix]; !ok || n < old {
			s.claimed[prefix] = n
		}
		return false
	})
}

// declareVar enters a variable or family in the current scope.
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
	if old, _ := s.member(memberName(v.Name, 0)); old != nil {
		r.redeclared(v.Pos, memberName(v.Name, 0), old)
		return
	}
	if s.families == nil {
		s.families = map[string]*Var{}
	}
	s.families[v.Name] = v
	s.claim(v.Name, 0, true)
}

// memberName is the name of a family's member.
func memberName(prefix string, i int64) string { return prefix + strconv.FormatInt(i, 10) }

// lookup finds a name; nil if no scope declares it.
func (r *resolver) lookup(name string) Decl {
	for s := r.scope; s != nil; s = s.parent {
		if d, ok := s.names[name]; ok {
			if v, ok := d.(*Var); ok && v.Space == SpaceReg {
				return r.varReg(v)
			}
			return d
		}
		if fam, i := s.member(name); fam != nil {
			d := r.newMember(fam, name, i)
			s.set(name, d)
			return d
		}
	}
	return nil
}

// newMember makes the member of a family that is mentioned for the first time.
func (r *resolver) newMember(fam *Var, name string, i int64) Decl {
	if fam.Space == SpaceReg {
		return r.newReg(fam, name, i)
	}
	v := *fam
	v.Name, v.Family, v.Of = name, -1, fam
	return &v
}

func (r *resolver) varReg(v *Var) *Reg {
	if v.Reg == nil {
		v.Reg = r.newReg(v, v.Name, 0)
	}
	return v.Reg
}

func (r *resolver) newReg(v *Var, name string, i int64) *Reg {
	if len(r.regs) == 0 {
		r.regs = make([]Reg, 64)
	}
	reg := &r.regs[0]
	r.regs = r.regs[1:]
	*reg = Reg{Name: name, Type: v.Type, Vec: v.Vec, Decl: v, Index: i, ID: len(r.fn.Regs)}
	r.fn.Regs = append(r.fn.Regs, reg)
	return reg
}

// moduleVar declares a variable of the module. Extern declarations may repeat.
func (r *resolver) moduleVar(v *Var) {
	if v.Space == SpaceReg {
		r.errs.addClass(v.Pos, diag.Unsupported, "unsupported-directive",
			fmt.Sprintf("%s is a register of the module; Crosslane has registers in functions only", v.Name))
		return
	}
	old, _ := r.scope.names[v.Name].(*Var)
	switch {
	case old == nil || v.Family >= 0:
		first := v
		if c := r.vars[v.Name]; c != nil && v.Family < 0 && c.Family < 0 && r.sameVar(c, v) {
			first = c
		}
		if v.Family >= 0 {
			r.declareVar(v)
		} else {
			r.declare(v.Name, v.Pos, first)
		}
	case !r.sameVar(old, v) || v.Link != LinkExtern && r.vars[v.Name] != v:
		r.redeclared(v.Pos, v.Name, old)
	}
	r.checkVar(v)
}

// sameVar reports whether two declarations agree; the extent of an extern array
// may be left open.
func (r *resolver) sameVar(a, b *Var) bool {
	if a.Space != b.Space || a.Type != b.Type || a.Vec != b.Vec || len(a.Dims) != len(b.Dims) {
		return false
	}
	for i := range a.Dims {
		if !a.Dims[i].Open && !b.Dims[i].Open && a.Dims[i].Size != b.Dims[i].Size {
			return false
		}
	}
	return true
}

// checkVar checks a declaration in itself, and resolves its initialiser.
func (r *resolver) checkVar(v *Var) {
	if v.Type == Pred && v.Space != SpaceReg {
		r.errs.add(v.Pos, "bad-declaration", fmt.Sprintf("%s is a .pred in %s; predicates exist in .reg only", v.Name, v.Space)).Section = "PTX 5.4.1"
	}
	if len(v.Dims) > 0 && v.Space == SpaceReg {
		r.errs.add(v.Pos, "bad-declaration", fmt.Sprintf("%s is an array in .reg; registers have no arrays", v.Name))
	}
	if v.Vec > 0 && (v.Vec*v.Type.Bits() > 128 || v.Vec == 8 || v.Type == Pred) {
		// PTX 5.4.2: a vector has two or four elements and at most 128 bits.
		r.errs.add(v.Pos, "bad-declaration", fmt.Sprintf("%s is a .v%d .%s; vectors have 2 or 4 elements and at most 128 bits", v.Name, v.Vec, v.Type)).Section = "PTX 5.4.2"
	}
	if v.Init == nil {
		if len(v.Dims) > 0 && v.Dims[0].Open && v.Link != LinkExtern {
			r.errs.add(v.Pos, "bad-declaration", fmt.Sprintf("%s[] has neither size nor initialiser", v.Name)).Section = "PTX 5.4.3"
		}
		return
	}
	switch {
	case v.Link == LinkExtern:
		r.errs.add(v.Pos, "bad-declaration", v.Name+" is .extern and has an initialiser").Section = "PTX 5.4.4"
	case v.Space != SpaceConst && v.Space != SpaceGlobal && v.Space != SpaceTex:
		r.errs.add(v.Pos, "bad-declaration", fmt.Sprintf("%s is in %s and has an initialiser; only .const and .global may", v.Name, v.Space)).Section = "PTX 5.4.4"
	}
	r.init(v.Init, v)
	if v.Type.Opaque() {
		return
	}
	if len(v.Dims) > 0 && v.Dims[0].Open {
		r.fillOpen(v)
	}
	r.countInit(v.Init, v, v.Dims)
}

// fillOpen gives an array without a size that of its initialiser.
func (r *resolver) fillOpen(v *Var) {
	if v.Init.Kind != InitList {
		return
	}
	n := uint64(len(v.Init.List))
	if n > 0 && v.Init.List[0].Kind != InitList {
		// A flat list fills rows of the inner dimensions, as in C.
		inner := uint64(max(v.Vec, 1))
		for _, d := range v.Dims[1:] {
			inner *= d.Size
		}
		if inner > 1 {
			n = (n + inner - 1) / inner
		}
	}
	v.Dims[0].Size = n
	hi := float64(max(v.Vec, 1) * v.Type.Bytes())
	for _, d := range v.Dims {
		hi *= float64(d.Size)
	}
	if hi > maxElems {
		v.Dims[0].Size = 0
		r.errs.add(v.Pos, "too-large", fmt.Sprintf("%s is larger than %d bytes", v.Name, uint64(maxElems)))
	}
}

// countInit checks that no list is longer than what it initialises.
func (r *resolver) countInit(in *Init, v *Var, dims []Dim) {
	if in.Kind != InitList {
		return
	}
	var room uint64 = uint64(max(v.Vec, 1))
	if len(dims) > 0 {
		nested := len(in.List) > 0 && in.List[0].Kind == InitList
		if nested {
			room = dims[0].Size
		} else {
			for _, d := range dims {
				room *= d.Size
			}
		}
		dims = dims[1:]
	}
	if uint64(len(in.List)) > room {
		r.errs.add(in.List[room].Pos, "bad-declaration", fmt.Sprintf("%d initialisers for %d elements of %s", len(in.List), room, v.Name)).Section = "PTX 5.4.4"
		return
	}
	for _, e := range in.List {
		r.countInit(e, v, dims)
	}
}

// init resolves the names in an initialiser.
func (r *resolver) init(in *Init, v *Var) {
	for _, e := range in.List {
		r.init(e, v)
	}
	switch in.Kind {
	case InitAddr:
		d := r.lookup(in.Name)
		switch d := d.(type) {
		case nil:
			r.undeclared(in.Pos, in.Name)
		case *Var:
			in.Ref = d
			if d.Space != SpaceGlobal && d.Space != SpaceConst || d.Type.Opaque() {
				r.errs.add(in.Pos, "bad-declaration", fmt.Sprintf("%s is in %s; initialisers hold addresses of .global and .const variables only", in.Name, d.Space)).Section = "PTX 5.4.4"
			}
		case *Func:
			in.Ref = d
		}
		if in.Mask == 0 && v.Type.Bits() < 32 {
			r.errs.add(in.Pos, "bad-declaration", fmt.Sprintf("an address does not fit .%s; expected .u32, .u64, or a mask such as 0xff(%s)", v.Type, in.Name)).Section = "PTX 5.4.4"
		}
	case InitFloat:
		if v.Type.Integer() {
			r.errs.add(in.Pos, "bad-literal", fmt.Sprintf("a floating-point number initialises %s, which is .%s", v.Name, v.Type))
		}
	}
}

// function declares a function and resolves its body.
func (r *resolver) function(f *Func) {
	switch old := r.scope.names[f.Name].(type) {
	case nil:
		r.declare(f.Name, f.Pos, r.funcs[f.Name])
	case *Func:
		if first := r.funcs[f.Name]; f.Body != nil && first != f {
			r.redeclared(f.Pos, f.Name, first)
		}
	default:
		r.redeclared(f.Pos, f.Name, old)
	}
	if c := r.funcs[f.Name]; c != nil && c != f {
		if why := signatureDiffers(c, f); why != "" {
			d := r.errs.add(f.Pos, "redeclared", fmt.Sprintf("%s differs from its other declaration: %s", f.Name, why))
			d.Related = []diag.Related{{Pos: c.Pos.At(r.m.File), Message: "the other declaration", Source: lineAt(r.m.Src, int(c.Pos.Off))}}
		}
	}
	outer := r.fn
	r.fn = f
	defer func() { r.fn = outer }()
	r.push(nil)
	defer r.pop()
	r.parameters(f, f.Body == nil)
	if f.Entry {
		if _, size := f.ParamLayout(); size > maxParamBytes(r.m.Version) {
			r.errs.add(f.Pos, "too-large", fmt.Sprintf("the parameters of %s take %d bytes, the limit of PTX %s is %d", f.Name, size, r.m.Version, maxParamBytes(r.m.Version))).Section = "PTX 11.2.1"
		}
	}
	if f.Body != nil {
		r.block(f.Body)
	}
}

// parameters declares results and parameters. In a prototype names may repeat.
func (r *resolver) parameters(f *Func, prototype bool) {
	for i, vs := range [2][]*Var{f.Results, f.Params} {
		for j, v := range vs {
			if v.Scope != nil {
				continue // PTX 1.3: declared in the body, which comes later
			}
			if !prototype && v.Name != "_" {
				r.declareVar(v)
			}
			if v.Space == SpaceReg && f.Body != nil && v.Family < 0 {
				r.varReg(v)
			}
			open := len(v.Dims) > 0 && v.Dims[0].Open
			last := i == 1 && j == len(f.Params)-1 && !f.Entry
			switch {
			case v.Init != nil:
				r.errs.add(v.Pos, "bad-declaration", "parameter "+v.Name+" has an initialiser")
			case open && !last:
				r.errs.add(v.Pos, "bad-declaration", fmt.Sprintf("parameter %s[] has no size; only the last of a .func may", v.Name)).Section = "PTX 11.2.2"
			case !open:
				r.checkVar(v)
			}
		}
	}
}

// signatureDiffers says how two declarations of a function differ; "" if they agree.
func signatureDiffers(a, b *Func) string {
	switch {
	case a.Entry != b.Entry:
		return "one is a kernel"
	case len(a.Params) != len(b.Params):
		return fmt.Sprintf("%d and %d parameters", len(a.Params), len(b.Params))
	case len(a.Results) != len(b.Results):
		return fmt.Sprintf("%d and %d results", len(a.Results), len(b.Results))
	}
	for i, p := range a.Params {
		if q := b.Params[i]; p.Size() != q.Size() || p.Space != q.Space {
			return fmt.Sprintf("parameter %d has %d and %d bytes", i, p.Size(), q.Size())
		}
	}
	for i, p := range a.Results {
		if q := b.Results[i]; p.Size() != q.Size() || p.Space != q.Space {
			return fmt.Sprintf("result %d has %d and %d bytes", i, p.Size(), q.Size())
		}
	}
	return ""
}

// alias resolves .alias new, old (PTX 11.2.3).
func (r *resolver) alias(d *Directive) {
	if len(d.Args) != 2 || d.Args[0].Kind != KindIdent || d.Args[1].Kind != KindIdent {
		r.errs.add(d.Pos, "bad-directive", "expected two functions after .alias").Section = "PTX 11.2.3"
		return
	}
	var fs [2]*Func
	for i := range d.Args {
		r.operand(&d.Args[i], nil)
		if fs[i] = d.Args[i].Func(); fs[i] == nil || fs[i].Entry {
			if d.Args[i].Ref != nil {
				r.errs.add(d.Args[i].Pos, "bad-directive", d.Args[i].Name+" is no device function").Section = "PTX 11.2.3"
			}
			return
		}
	}
	switch {
	case fs[0].Body != nil:
		r.errs.add(d.Args[0].Pos, "redeclared", fs[0].Name+" has a body and is declared an alias").Section = "PTX 11.2.3"
	case fs[1].Body == nil:
		r.errs.add(d.Args[1].Pos, "bad-directive", fs[1].Name+" is aliased and has no body in this module").Section = "PTX 11.2.3"
	default:
		fs[0].AliasOf = fs[1]
	}
}

// block resolves the statements of a block, in a scope of its own.
func (r *resolver) block(b *Block) {
	r.push(b)
	defer r.pop()
	for _, s := range b.Stmts { // labels may be used before they stand
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
		}
	}
}

func (r *resolver) directive(d *Directive) {
	switch d.Name {
	case ".branchtargets", ".calltargets":
		for i := range d.Args {
			o := &d.Args[i]
			r.operand(o, nil)
			if want := map[string]Kind{".branchtargets": KindLabel, ".calltargets": KindFunc}[d.Name]; o.Ref != nil && o.Kind != want {
				r.errs.add(o.Pos, "bad-directive", fmt.Sprintf("%s is no %s, which %s lists", o.Name, map[Kind]string{KindLabel: "label", KindFunc: "function"}[want], d.Name))
			}
		}
	case ".callprototype":
		r.push(nil)
		r.parameters(d.Proto, true)
		r.pop()
	case ".alias":
		r.alias(d)
	}
}

func (r *resolver) instr(in *Instr) {
	if g := in.Guard; g != nil {
		r.operand(&g.Reg, in)
		if g.Reg.Kind != KindReg && g.Reg.Kind != KindIdent {
			r.errs.add(g.Reg.Pos, "syntax", fmt.Sprintf("found %s as a guard, expected a predicate register", g.Reg.Name))
		}
	}
	for i := range in.Args {
		r.operand(&in.Args[i], in)
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
		d = r.anyLabel(o.Name)
	}
	if d == nil && r.implicit != nil {
		if d = r.implicit(o, in); d != nil {
			if reg, ok := d.(*Reg); ok {
				reg.ID = len(r.fn.Regs)
				r.fn.Regs = append(r.fn.Regs, reg)
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
		r.errs.add(o.Pos, "syntax", fmt.Sprintf("found a sum with register %s outside brackets; only addresses are sums", o.Name))
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

// anyLabel finds a label of another block of the function, if only one has the
// name. Tools disagree on whether a branch may enter a block; it does no harm.
func (r *resolver) anyLabel(name string) Decl {
	if r.fn == nil {
		return nil
	}
	var found Decl
	for _, l := range r.fn.Labels {
		if l.Name == name {
			if found != nil {
				return nil
			}
			found = l
		}
	}
	return found
}

// undeclared reports a name that nothing declares, and guesses what was meant.
func (r *resolver) undeclared(pos Pos, name string) {
	if r.errs.full {
		return
	}
	msg := name + " is not declared"
	var remedy string
	if fam := r.familyOf(name); fam != nil {
		msg = fmt.Sprintf("%s is not declared: %s<%d> declares %s to %s", name, fam.Name, fam.Family, memberName(fam.Name, 0), memberName(fam.Name, fam.Family-1))
	} else if at := r.later(name); at.Line > 0 {
		msg = fmt.Sprintf("%s is used before its declaration in line %d", name, at.Line)
		remedy = "declare it before its first use"
	} else if s := didYouMean(name, r.visible()); s != "" {
		remedy = "did you mean " + s + "?"
	}
	r.errs.add(pos, "undeclared", msg).Remedy = remedy
}

// familyOf finds a family that name would belong to if its number were less.
func (r *resolver) familyOf(name string) (fam *Var) {
	for s := r.scope; s != nil && fam == nil; s = s.parent {
		splitMember(name, func(prefix, _ string) bool {
			if v := s.families[prefix]; v != nil {
				fam = v
			}
			return fam != nil
		})
	}
	return fam
}

// later finds a declaration of name that stands further down.
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

// visible lists names for a guess, in order, families by a few of their members.
func (r *resolver) visible() (names []string) {
	const enough = 5000
	defer func() { slices.Sort(names) }()
	for s := r.scope; s != nil; s = s.parent {
		for n := range s.names {
			if names = append(names, n); len(names) > enough {
				return names
			}
		}
		for n, v := range s.families {
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
