package ptx

import (
	"fmt"
	"slices"

	"example.org/crosslane/diag"
)

// moduleVar declares a variable of the module. Extern declarations may repeat.
func (r *resolver) moduleVar(v *Var) {
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

// sameVar reports whether two declarations agree. The extent of an extern array may be open in one
// of them.
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

// maxConst is the size of constant memory, and of each of its banks (PTX 5.1.3).
const maxConst = 64 << 10

// constantSize checks that the .const variables of each bank fit.
func (r *resolver) constantSize() {
	var used [12]uint64
	for _, it := range r.m.Items {
		v, ok := it.(*Var)
		if !ok || v.Space != SpaceConst || v.Link == LinkExtern || v.Family > 0 {
			continue
		}
		n := &used[max(v.Bank, 1)]
		if *n = alignUp(*n, v.Alignment()) + v.Size(); *n > maxConst {
			r.errs.add(v.Pos, "too-large", fmt.Sprintf("the .const variables up to %s need %d bytes, more than the %d of constant memory", v.Name, *n, maxConst)).Section = "PTX 5.1.3"
			return
		}
	}
}

// badVar reports a declaration that its space or type does not allow.
func (r *resolver) badVar(v *Var, section, format string, args ...any) {
	r.errs.add(v.Pos, "bad-declaration", v.Name+" "+fmt.Sprintf(format, args...)).Section = "PTX " + section
}

// checkVar checks a declaration by itself, and resolves its initialiser.
func (r *resolver) checkVar(v *Var) {
	r.attributes(v.Attrs, v.Name, v.Space == SpaceGlobal, false)
	r.linkage(v, nil)
	r.checkSpace(v)
	r.checkType(v)
	for i, d := range v.Dims {
		param := v.Func != nil && v.Scope == nil && !v.Func.Entry
		if !d.Open && d.Size == 0 && (i > 0 || v.Link != LinkExtern && !param) {
			r.badVar(v, "5.4.3", "has a dimension of size 0, which only external arrays have")
			break
		}
	}
	if v.Init == nil {
		if len(v.Dims) > 0 && v.Dims[0].Open && v.Link != LinkExtern {
			r.errs.add(v.Pos, "bad-declaration", fmt.Sprintf("%s[] has neither size nor initialiser", v.Name)).Section = "PTX 5.4.3"
		}
		return
	}
	r.initialiser(v)
}

// checkSpace checks that a variable may be declared in its space at its place.
func (r *resolver) checkSpace(v *Var) {
	param := v.Func != nil && v.Scope == nil
	kernel := param && v.Func.Entry || v.Space == SpaceParam && !r.m.Version.AtLeast(Version{1, 4})
	module := v.Func == nil
	switch entry := v.Func != nil && v.Func.Entry && v.Space == SpaceParam; {
	case entry && param:
		r.needs(v.Pos, "a list of parameters")
	case entry && r.m.Version.AtLeast(Version{1, 4}) && !r.m.Version.AtLeast(Version{2, 0}):
		r.badVar(v, "11.2.1", "is a .param of a kernel's body, where PTX 1.4 and 1.5 have none; declare it in the list of parameters")
	}
	switch {
	case v.Space == SpaceSreg:
		r.badVar(v, "5.1.2", "is declared in .sreg, which holds the predefined special registers only")
	case module && v.Space == SpaceParam:
		r.badVar(v, "5.1.6", "is a .param of the module; parameters belong to functions")
	case module && (v.Space == SpaceReg || v.Space == SpaceLocal) && r.m.Version.AtLeast(Version{3, 0}):
		what := map[Space]string{SpaceReg: "5.1.1", SpaceLocal: "5.1.5"}[v.Space]
		r.badVar(v, what, "is in %s and declared outside of functions, which PTX 3.0 and later do not allow", v.Space)
	case v.Space == SpaceTex && !module:
		r.badVar(v, "5.1.8", "is in .tex and declared in a function; .tex is for the outermost scope")
	case v.Space == SpaceTex && (v.Type != U32 && v.Type != U64 || v.Vec > 0):
		r.badVar(v, "5.1.8", "is a .%s in .tex, expected .u32 or .u64", v.Type)
	case v.Type.Opaque() && !(module && v.Space == SpaceGlobal) && !(kernel && v.Space == SpaceParam):
		r.badVar(v, "5.3", "is a .%s in %s; such variables are declared in .global outside of functions, or as parameters of kernels", v.Type, v.Space)
	}
	if v.Space == SpaceParam && len(v.Dims) == 0 && (v.Vec > 0 || v.Type == F16x2) {
		what := "a .f16x2"
		if v.Vec > 0 {
			what = fmt.Sprintf("a .v%d .%s", v.Vec, v.Type)
		}
		r.badVar(v, "5.1.6", "is %s in .param, where scalars and arrays are; declare it as bytes: .align %d .b8 %s[%d]", what, v.Alignment(), v.Name, v.Size())
	}
	if len(v.Dims) > 0 && v.Space == SpaceReg {
		r.badVar(v, "5.1.1", "is an array in .reg; registers have no arrays")
	}
	if v.Type.Opaque() {
		r.needs(v.Pos, "a variable of an opaque type")
	}
	if v.Type == Samplerref && len(v.Dims) == 0 && !slices.Contains(r.m.Targets, "texmode_independent") {
		// The vendor's assembler accepts arrays of samplers in both modes.
		r.badVar(v, "5.3", "is a .samplerref, which modules have with .target texmode_independent only; a .texref holds its sampler otherwise")
	}
	if v.Space == SpaceParam && v.Align > 128 && !kernel && v.Func != nil && v.Func.Name != "_" {
		// The vendor's assembler limits the alignment of parameters and results of functions to
		// 128.
		r.badVar(v, "11.2.2", "is aligned to %d, expected at most 128 for a parameter of a function", v.Align)
	}
	if v.Hidden {
		// Errata E126: the manual does not have .hidden.
		if r.needs(v.Pos, ".hidden"); !param || !v.Func.Entry {
			r.badVar(v, "11.2.1", "is .hidden, which is for parameters of kernels")
		}
	}
	if !v.Ptr {
		return
	}
	switch r.needs(v.Pos, ".ptr"); {
	case !kernel || v.Space != SpaceParam:
		r.badVar(v, "5.1.6.3", "is .ptr, which is for parameters of kernels")
	case !v.Type.Integer() || v.Type.Bits() < 32 || v.Type.Bits() > 64 || v.Vec > 0 || len(v.Dims) > 0:
		r.badVar(v, "5.1.6.3", "is .ptr, but no pointer, which is a .u32 or .u64")
	}
}

// checkType checks a variable's type and vector.
func (r *resolver) checkType(v *Var) {
	if !v.Type.Fundamental() && !v.Type.Opaque() {
		r.badVar(v, "5.2.3", "is declared .%s, a type of instructions only; declare it .b%d", v.Type, v.Type.Bits())
	}
	if v.Type == Pred && v.Space != SpaceReg {
		r.badVar(v, "5.4.1", "is a .pred in %s; predicates exist in .reg only", v.Space)
	}
	if v.Vec > 0 && (v.Vec*v.Type.Bits() > 128 || v.Vec == 8 || v.Type == Pred || v.Type.Opaque()) {
		// PTX 5.4.2: a vector has two or four elements and at most 128 bits.
		r.badVar(v, "5.4.2", "is a .v%d .%s; vectors have 2 or 4 elements and at most 128 bits", v.Vec, v.Type)
	}
}

// function declares a function and resolves its head.
func (r *resolver) function(f *Func) {
	switch old := r.scope.names[f.Name].(type) {
	case nil:
		r.declare(f.Name, f.Pos, r.funcs[f.Name])
	case *Func:
		if first := r.funcs[f.Name]; f.Defined() && first != f {
			r.redeclared(f.Pos, f.Name, first)
		}
	default:
		r.redeclared(f.Pos, f.Name, old)
	}
	if c := r.funcs[f.Name]; c != nil && c != f {
		why := signatureDiffers(c, f)
		if why == "" {
			why = sameDirectives(c, f)
		}
		if why == "" {
			why = sameLinkage(c, f)
		}
		if why != "" {
			d := r.errs.add(f.Pos, "redeclared", fmt.Sprintf("%s differs from its other declaration: %s", f.Name, why))
			d.Related = []diag.Related{{Pos: c.Pos.At(r.m.File), Message: "the other declaration", Source: lineAt(r.m.Src, int(c.Pos.Off))}}
		}
	}
	r.linkage(nil, f)
	r.attributes(f.Attrs, f.Name, false, !f.Entry)
	r.headDirectives(f)
	r.push(nil)
	defer r.pop()
	r.parameters(f, !f.Defined())
	if f.Entry {
		if _, size := f.ParamLayout(); size > maxParamBytes(r.m.Version) {
			r.errs.add(f.Pos, "too-large", fmt.Sprintf("the parameters of %s take %d bytes, the limit of PTX %s is %d", f.Name, size, r.m.Version, maxParamBytes(r.m.Version))).Section = "PTX 11.2.1"
		}
	}
}

// resolveBody resolves the body of a function; its head is resolved already.
func (r *resolver) resolveBody(f *Func, b *Body) {
	outer, at := r.fn, r.at
	r.fn, r.body, r.at = f, b, f.Pos.Off
	defer func() { r.fn, r.body, r.at = outer, nil, at }()
	if len(r.moduleRegs) > 0 || r.moduleRegs == nil {
		r.moduleRegs = map[string]*Reg{}
	}
	b.Regs = slices.Clone(f.head)
	r.push(nil)
	defer r.pop()
	for _, vs := range [2][]*Var{f.Results, f.Params} {
		for _, v := range vs {
			if v.Scope == nil && v.Name != "_" && r.scope.names[v.Name] == nil {
				r.scope.set(v.Name, v) // resolving the head has checked the name
				r.scope.claim(v.Name, false)
			}
		}
	}
	r.block(&b.Block)
}

// parameters declares results and parameters. The names in a prototype may repeat.
func (r *resolver) parameters(f *Func, prototype bool) {
	for i, vs := range [2][]*Var{f.Results, f.Params} {
		for j, v := range vs {
			if v.Scope != nil {
				continue // PTX 1.3: declared in the body, which is resolved later
			}
			if !prototype && v.Name != "_" {
				r.declareVar(v)
			}
			if v.Space == SpaceReg && f.Defined() && v.Family < 0 {
				v.Reg = &Reg{Name: v.Name, Type: v.Type, Vec: v.Vec, Decl: v, ID: len(f.head)}
				f.head = append(f.head, v.Reg)
			}
			last := i == 1 && j == len(f.Params)-1 && !f.Entry
			if len(v.Dims) > 0 && v.Dims[0].Open {
				r.unsized(v, last)
				continue
			}
			if v.Init != nil {
				r.badVar(v, "5.4.4", "is a parameter and has an initialiser")
				continue
			}
			r.checkVar(v)
		}
	}
	if !f.Entry {
		r.deviceParameters(f)
	}
}

// unsized checks a parameter of a device function without size (PTX 11.2.2).
func (r *resolver) unsized(v *Var, last bool) {
	switch {
	case !last:
		r.errs.add(v.Pos, "bad-declaration", fmt.Sprintf("parameter %s[] has no size; only the last of a .func may", v.Name)).Section = "PTX 11.2.2"
	case v.Type == Pred || v.Type.Opaque() || v.Vec > 0 || v.Space != SpaceParam || len(v.Dims) > 1:
		r.badVar(v, "11.2.2", "is a parameter without size, expected a .param array of .b8")
	default:
		if v.Type != B8 {
			r.m.beyond(v.Pos, "11.2.2", "a parameter without size is an array of another type than .b8")
		}
		r.needs(v.Pos, "an unsized parameter")
	}
}

// deviceParameters checks the parameters of a device function against version and target (PTX
// 7.1.1). PTX 1 and targets below sm_20 have no .param parameters; above, at most one result is in
// .param space.
func (r *resolver) deviceParameters(f *Func) {
	abi := r.m.Version.AtLeast(Version{2, 0}) && (r.m.Target.SM == 0 || r.m.Target.SM >= 20)
	// Errata E128: the vendor's assembler accepts several results in registers.
	if n := len(f.Results); abi && n > 1 {
		if f.Name == "_" {
			r.badVar(f.Results[1], "11.3.3", "is a second result of a .callprototype; a function that is called indirectly has one at most from PTX 2.0 and sm_20 on")
		}
		r.m.beyond(f.Results[1].Pos, "11.2.2", "a function has several results in PTX 2.0 or later")
		for _, v := range f.Results {
			if v.Space == SpaceParam {
				r.badVar(v, "11.2.2", "is in .param and one of %d results of %s; several results of a function are in .reg", n, f.Name)
				break
			}
		}
	}
	for _, vs := range [2][]*Var{f.Results, f.Params} {
		for _, v := range vs {
			if v.Space == SpaceReg && v.Vec > 0 {
				r.m.beyond(v.Pos, "11.2.2", "a parameter or result of a function is a vector register")
			}
			if v.Space == SpaceParam && !abi {
				r.badVar(v, "7.1.1", "is in .param; device functions have such parameters from PTX 2.0 and sm_20 on")
				return
			}
		}
	}
}

// signatureDiffers describes the difference between two declarations of a function; "" if they
// agree.
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

// sameLinkage describes the difference between a declaration of a function and its definition in
// the facts that do not matter to callers: linkage (PTX 11.6), order, types and alignment of
// parameters.
func sameLinkage(def, decl *Func) string {
	switch {
	case !def.Defined():
		return ""
	case decl.Pos.Off > def.Pos.Off && !def.Entry:
		return "it stands after the definition"
	case decl.Link == LinkExtern:
		return "one is .extern, the other has a body"
	case def.Link != decl.Link && def.Link != LinkNone:
		return fmt.Sprintf("one is %s", def.Link)
	}
	for i, vs := range [2][]*Var{def.Params, def.Results} {
		for j, p := range vs {
			q := [2][]*Var{decl.Params, decl.Results}[i][j]
			if p.Type != q.Type || p.Vec != q.Vec || p.Alignment() != q.Alignment() {
				return fmt.Sprintf("%s is .align %d .%s and .align %d .%s", p.Name, p.Alignment(), p.Type, q.Alignment(), q.Type)
			}
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
	case fs[0].Defined():
		r.errs.add(d.Args[0].Pos, "redeclared", fs[0].Name+" has a body and is declared an alias").Section = "PTX 11.2.3"
	case !fs[1].Defined():
		r.errs.add(d.Args[1].Pos, "bad-directive", fs[1].Name+" is aliased and has no body in this module").Section = "PTX 11.2.3"
	case fs[1].Link == LinkWeak:
		r.badDirective(d.Args[1].Pos, "11.2.3", "%s is .weak, and a weak function has no alias", fs[1].Name)
	case signatureDiffers(fs[0], fs[1]) != "":
		r.badDirective(d.Args[0].Pos, "11.2.3", "%s is no alias of %s: %s", fs[0].Name, fs[1].Name, signatureDiffers(fs[0], fs[1]))
	case fs[0].AliasOf != fs[1]:
		fs[0].AliasOf = fs[1]
	}
}
