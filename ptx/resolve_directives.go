package ptx

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// badDirective reports a directive at a wrong place or with wrong arguments.
func (r *resolver) badDirective(pos Pos, section, format string, args ...any) {
	r.errs.add(pos, "bad-directive", fmt.Sprintf(format, args...)).Section = "PTX " + section
}

// attributes checks the attributes of a variable or function (PTX 5.4.8).
func (r *resolver) attributes(as []Attr, name string, global, device bool) {
	for _, a := range as {
		what := ".attribute(" + a.Name + ")"
		if _, ok := directiveTable[what]; !ok {
			r.badDirective(a.Pos, "5.4.8", "found attribute %s, expected .managed or .unified", a.Name)
			continue
		}
		r.needs(a.Pos, what)
		switch args := map[string]int{".unified": 2}[a.Name]; {
		case len(a.Args) != args:
			r.badDirective(a.Pos, "5.4.8", "attribute %s of %s has %d arguments, expected %d", a.Name, name, len(a.Args), args)
		case a.Name == ".managed" && !global:
			r.badDirective(a.Pos, "5.4.8", "attribute .managed stands at %s; it is for variables in .global", name)
		case !global && !device:
			r.badDirective(a.Pos, "5.4.8", "attribute .unified stands at %s; it is for variables in .global and for device functions", name)
		}
	}
}

// statementDirective checks a directive outside of a function's head.
func (r *resolver) statementDirective(d *Directive) {
	r.needs(d.Pos, d.Name)
	switch d.Name {
	case ".pragma":
		r.directiveArgs(d)
		r.pragma(d)
	case ".file": // PTX 11.5.3
		ok := len(d.Args) == 2 || len(d.Args) == 4
		for i := range d.Args {
			want := KindInt
			if i == 1 {
				want = KindString
			}
			ok = ok && d.Args[i].Kind == want
		}
		if !ok {
			r.badDirective(d.Pos, "11.5.3", `expected .file index "name", or .file index "name", timestamp, size`)
			break
		}
		if len(d.Args) == 4 {
			r.needs(d.Pos, "the timestamp of .file")
		}
		if r.files[d.Args[0].Val] {
			r.badDirective(d.Pos, "11.5.3", "file %d is declared twice", d.Args[0].Val)
		}
		r.files[d.Args[0].Val] = true
	case ".section":
		r.section(d)
	case ".alias":
		if r.fn != nil {
			r.badDirective(d.Pos, "11.2.3", ".alias stands in the body of %s; it is for the outermost scope", r.fn.Name)
			return
		}
		r.alias(d)
	}
	if d.Name == ".file" && r.fn != nil {
		r.badDirective(d.Pos, "11.5.3", ".file stands in the body of %s; it is for the outermost scope", r.fn.Name)
	}
}

// pragma checks the text of .pragma (PTX 12). At module level only "nounroll" is valid. In a body,
// the vendor's assembler ignores unknown pragmas.
func (r *resolver) pragma(d *Directive) {
	for i := range d.Args {
		o := &d.Args[i]
		word, arg, _ := strings.Cut(o.Name, " ")
		arg = strings.TrimSpace(arg)
		switch {
		case o.Kind != KindString:
		case r.fn == nil && i == 0 && word != "nounroll":
			r.badDirective(o.Pos, "11.4.7", "found pragma %q at module level, where \"nounroll\" is the only one", o.Name)
		case word == "used_bytes_mask":
			if _, err := strconv.ParseUint(arg, 0, 32); err != nil {
				r.badDirective(o.Pos, "12.2", "found pragma %q, expected a mask of 32 bits, such as 0xf", o.Name)
			}
			r.needs(o.Pos, "used_bytes_mask")
		case word == "frequency" && r.fn != nil:
			if n, err := strconv.ParseInt(arg, 0, 64); (err != nil || n <= 0) && !errors.Is(err, strconv.ErrRange) {
				r.badDirective(o.Pos, "12.4", "found pragma %q, expected how often the block runs, such as \"frequency 5\"", o.Name)
			}
		}
	}
}

// bodyPragmas are the pragmas that belong in a body (PTX 12).
var bodyPragmas = map[string]string{"used_bytes_mask": "12.2", "enable_smem_spilling": "12.3", "frequency": "12.4"}

// headPragma checks the pragmas between a function's head and its body.
func (r *resolver) headPragma(d *Directive, f *Func) {
	for i := range d.Args {
		word, _, _ := strings.Cut(d.Args[i].Name, " ")
		if sec, ok := bodyPragmas[word]; ok && d.Args[i].Kind == KindString {
			r.badDirective(d.Args[i].Pos, sec, "pragma %q stands at the head of %s; it is for bodies", d.Args[i].Name, f.Name)
		}
	}
}

// directiveArgs checks the arguments of a directive against the table.
func (r *resolver) directiveArgs(d *Directive) {
	info := directiveTable[d.Name]
	for i := range d.Args {
		o := &d.Args[i]
		switch {
		case info.kind == 's' && o.Kind != KindString:
			r.badDirective(o.Pos, info.section, "found %s, but %s takes strings", o, d.Name)
		case info.kind == 'l' && o.Kind != KindString && (o.Kind != KindInt || o.Val > 10):
			r.badDirective(o.Pos, info.section, "found %s, but %s takes names of languages in quotes or their numbers, 0 to 10", o, d.Name)
		case info.kind == 'n' && (o.Kind != KindInt || o.Val > 1<<31):
			r.badDirective(o.Pos, info.section, "found %s, but %s takes a number that is not negative", o, d.Name)
		case info.kind == 0 && (o.Kind != KindInt || o.Val == 0 || o.Val > 1<<31):
			r.badDirective(o.Pos, info.section, "found %s, but %s takes numbers from 1 on", o, d.Name)
		}
	}
}

// headDirectives checks the directives between a function's head and its body.
func (r *resolver) headDirectives(f *Func) {
	for _, d := range f.Directives {
		info := directiveTable[d.Name]
		switch {
		case info.of == 'f' && f.Entry:
			r.badDirective(d.Pos, info.section, "%s stands at kernel %s; it is for device functions", d.Name, f.Name)
		case info.of == 'e' && !f.Entry:
			r.badDirective(d.Pos, info.section, "%s stands at function %s; it is for kernels", d.Name, f.Name)
		case d.Name == ".noreturn" && len(f.Results) > 0:
			r.badDirective(d.Pos, "11.4.6", "%s is .noreturn and has a result", f.Name)
		case d.Name == ".blocksareclusters" && (f.Directive(".reqntid") == nil || f.Directive(".reqnctapercluster") == nil):
			r.badDirective(d.Pos, "11.8.1", ".blocksareclusters needs .reqntid and .reqnctapercluster")
		default:
			r.needs(d.Pos, d.Name)
			r.directiveArgs(d)
		}
		if d.Name == ".pragma" {
			r.headPragma(d, f)
		}
	}
	for _, c := range conflicts {
		if a, b := f.Directive(c[0]), f.Directive(c[1]); a != nil && b != nil {
			r.badDirective(b.Pos, directiveTable[c[1]].section, "%s and %s exclude each other", c[0], c[1])
		}
	}
}

// sameDirectives describes the difference between the directives of two declarations of a function
// (PTX 11.2.2: they "must be specified consistently"); "" if they agree.
func sameDirectives(a, b *Func) string {
	for _, name := range []string{".noreturn", ".abi_preserve", ".abi_preserve_control"} {
		x, y := a.Directive(name), b.Directive(name)
		switch {
		case (x == nil) != (y == nil):
			return "one is " + name
		case x != nil && len(x.Args) > 0 && len(y.Args) > 0 && x.Args[0].Val != y.Args[0].Val:
			return fmt.Sprintf("%s %d and %d", name, x.Args[0].Val, y.Args[0].Val)
		}
	}
	return ""
}

// linkage checks a linking directive (PTX 11.6). v or f is nil.
func (r *resolver) linkage(v *Var, f *Func) {
	if f != nil {
		r.needs(f.Pos, f.Link.String())
		switch {
		case f.Link == LinkCommon:
			r.badDirective(f.Pos, "11.6.4", "function %s is .common, which is for variables in .global", f.Name)
		case f.Link == LinkExtern && f.Defined():
			r.badDirective(f.Pos, "11.6.1", "%s is .extern and has a body; .extern is for definitions of another module", f.Name)
		}
		return
	}
	r.needs(v.Pos, v.Link.String())
	switch {
	case v.Link == LinkCommon && (v.Space != SpaceGlobal || v.Type.Opaque()):
		r.badDirective(v.Pos, "11.6.4", "%s, a .%s in %s, is .common, which is for variables in .global that are not opaque", v.Name, v.Type, v.Space)
	case v.Link != LinkNone && (v.Space == SpaceReg || v.Space == SpaceParam || v.Space == SpaceLocal):
		r.badDirective(v.Pos, "11.6", "%s is %s, but no other module can see a variable in %s", v.Name, v.Link, v.Space)
	}
}

// debugInfo checks that a module with .target debug contains debug information (PTX 11.1.2: else
// "an error message is generated").
func (r *resolver) debugInfo() {
	for _, list := range r.m.targetLists {
		for _, t := range list {
			if t.name == "debug" && !r.m.debugInfo {
				r.errs.add(t.pos, "bad-directive", "found .target debug, but the module has no DWARF information: no .section, .file, .loc or @@DWARF").Section = "PTX 11.1.2"
			}
		}
	}
}

// options checks .target (PTX 11.1.2). A directive names one architecture. The whole module has one
// texturing mode. sm_13 and higher have no map_f64_to_f32.
func (r *resolver) options() {
	mode := ""
	for _, list := range r.m.targetLists {
		archs := 0
		for _, t := range list {
			switch {
			case t.name == "texmode_unified" || t.name == "texmode_independent":
				if mode != "" && mode != t.name {
					r.badDirective(t.pos, "11.1.2", "found %s after %s: a module has one texturing mode", t.name, mode)
				}
				mode = t.name
			case t.name == "map_f64_to_f32" && r.m.Target.SM >= 13:
				r.badDirective(t.pos, "11.1.2", "found map_f64_to_f32 with target %s; only sm_10 to sm_12 have it", r.m.Target)
			}
			if _, option := optionSince[t.name]; !option {
				if archs++; archs == 2 {
					r.badDirective(t.pos, "11.1.2", "found a second architecture, %s, in one .target", t.name)
				}
			}
		}
		if archs == 0 && len(list) > 0 && r.m.Target.SM == 0 {
			r.badDirective(list[0].pos, "11.1.2", "found no architecture, such as sm_70, in .target")
		}
	}
}
