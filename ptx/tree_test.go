package ptx

import (
	"fmt"
	"reflect"
	"testing"
)

// notCompared are the fields that differ between a module and its print, or that point back up the
// tree.
var notCompared = map[reflect.Type][]string{
	reflect.TypeFor[Module]():    {"File", "Src"},
	reflect.TypeFor[Var]():       {"Scope", "Func", "Of", "Reg"},
	reflect.TypeFor[Block]():     {"Parent"},
	reflect.TypeFor[Directive](): {"Label"},
	reflect.TypeFor[Instr]():     {"Loc"},
	reflect.TypeFor[Reg]():       {"Decl"},
}

// diffTrees returns a text that shows where two trees differ, or "" if they are equal. It ignores
// positions and unexported fields, and compares the targets of operands by kind and name.
func diffTrees(a, b any) string { return diffValues("", reflect.ValueOf(a), reflect.ValueOf(b)) }

func diffValues(path string, a, b reflect.Value) string {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return fmt.Sprintf("%s: %v and %v", path, a, b)
	}
	if !a.IsValid() {
		return ""
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() != b.IsNil() {
			return fmt.Sprintf("%s: %v and %v", path, a, b)
		}
		if a.Type() == reflect.TypeFor[Decl]() || a.Type() == reflect.TypeFor[*Func]() && path != "" && path[len(path)-1] == 'f' {
			if x, y := refName(a.Interface()), refName(b.Interface()); x != y {
				return path + ": " + x + " and " + y
			}
			return ""
		}
		if a.IsNil() {
			return ""
		}
		return diffValues(path, a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: %d and %d elements", path, a.Len(), b.Len())
		}
		for i := range a.Len() {
			if d := diffValues(path+fmt.Sprintf("[%d]", i), a.Index(i), b.Index(i)); d != "" {
				return d
			}
		}
		return ""
	case reflect.Struct:
		t := a.Type()
		if t == reflect.TypeFor[Pos]() {
			return ""
		}
	fields:
		for i := range t.NumField() {
			f := t.Field(i)
			for _, n := range notCompared[t] {
				if n == f.Name {
					continue fields
				}
			}
			if !f.IsExported() {
				continue
			}
			if d := diffValues(path+"."+f.Name, a.Field(i), b.Field(i)); d != "" {
				return d
			}
		}
		if t == reflect.TypeFor[Func]() {
			return diffValues(path+".Body", reflect.ValueOf(a.Addr().Interface().(*Func).Body()), reflect.ValueOf(b.Addr().Interface().(*Func).Body()))
		}
		return ""
	}
	if x, y := a.Interface(), b.Interface(); x != y {
		return fmt.Sprintf("%s: %v and %v", path, x, y)
	}
	return ""
}

func refName(d any) string {
	switch d := d.(type) {
	case *Reg:
		return fmt.Sprintf("register %s .%s %d", d.Name, d.Type, d.Vec)
	case *Var:
		if d != nil {
			return "variable " + d.Name
		}
	case *Func:
		if d != nil {
			return "function " + d.Name
		}
	case *Label:
		return "label " + d.Name
	}
	return ""
}

// roundTrip prints a module, parses the print and compares the trees.
func roundTrip(t testing.TB, name string, m *Module) {
	t.Helper()
	text := printed(t, m)
	again, l := Parse("printed", text)
	if len(l) > 0 {
		t.Errorf("%s, printed: %s\n%.4000s", name, l.Error(), text)
		return
	}
	if d := diffTrees(m, again); d != "" {
		t.Errorf("%s differs after printing at %s\n%.4000s", name, d, text)
	}
	if printed(t, again) != text {
		t.Errorf("%s prints differently the second time", name)
	}
}

// TestDiffTrees checks that the comparison finds differences.
func TestDiffTrees(t *testing.T) {
	t.Parallel()
	const base = "mov.u32 %r1, %r2; ld.global.u32 %r3, [%rd1+4]; @%p1 bra L; L: ret; { .reg .b32 %q; }"
	a := mustParse(t, kernel(base))
	if d := diffTrees(a, mustParse(t, kernel("  "+base))); d != "" {
		t.Errorf("equal modules differ at %s", d)
	}
	for _, other := range []string{
		"mov.u32 %r1, %r3; ld.global.u32 %r3, [%rd1+4]; @%p1 bra L; L: ret; { .reg .b32 %q; }",
		"mov.u32 %r1, %r2; ld.global.u32 %r3, [%rd1+8]; @%p1 bra L; L: ret; { .reg .b32 %q; }",
		"mov.u32 %r1, %r2; ld.global.u32 %r3, [%rd1+4]; @!%p1 bra L; L: ret; { .reg .b32 %q; }",
		"mov.u32 %r1, %r2; ld.global.u32 %r3, [%rd1+4]; bra L; L: ret; { .reg .b32 %q; }",
		"mov.u32 %r1, %r2; ld.global.u32 %r3, [%rd1+4]; @%p1 bra L; L: ret; { .reg .b64 %q; }",
		"mov.u32 %r1, %r2; ld.global.u32 %r3, [%rd1+4]; @%p1 bra L; L: exit; { .reg .b32 %q; }",
		"mov.u32 %r1, %r2; ld.global.u32 %r3, [%rd1+4]; @%p1 bra L; L: ret; { .reg .b32 %q; } ret;",
	} {
		if diffTrees(a, mustParse(t, kernel(other))) == "" {
			t.Errorf("no difference to %s", other)
		}
	}
}
