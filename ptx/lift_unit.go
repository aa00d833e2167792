package ptx

import (
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// LiftUnit is Lift of a kernel or a function of one translation unit, for checks of all paths. The
// result does not run.
//
// The definitions in other units are not known: a call of a function that the unit only declares, and a call
// through a pointer, give any results; a variable that the unit only declares may have any size. A
// function is called by all lanes of each wave, with any arguments.
//
// Input: a module, and a function of it with a body.
// Output: a Kernel without parameters if f is no kernel.
// Example: "call (r), f, (a); add.s32 %r1, %r2, 1;", where f is .extern, stores a and loads r.
// The error is a diag.List.
func LiftUnit(m *Module, f *Func) (*Kernel, error) {
	entry := f
	if !f.Entry {
		entry = &Func{Name: f.Name, Pos: f.Pos, End: f.End, Entry: true, body: &Body{}}
	}
	l := newLifter(m, entry)
	l.c.unit, l.globals.unit = true, true
	if entry != f {
		l.unitOf = f
	}
	return l.finish(false)
}

// UnitFunctions returns the functions of a translation unit that other units may call: those with a
// body and a linkage, and those whose address the unit takes. They are in the order of the text.
func UnitFunctions(m *Module) (list []*Func) {
	taken := map[string]bool{}
	for _, name := range m.addressed().names {
		taken[name] = true
	}
	for _, it := range m.Items {
		if f, ok := it.(*Func); ok && f.Defined() && !f.Entry && (f.Link != LinkNone || taken[f.Name]) {
			list = append(list, f)
		}
	}
	return list
}

// opaque reports whether a call is one of which LiftUnit knows nothing.
func (l *lifter) opaque(s *site) bool {
	return l.c.unit && (s.callee == nil || !s.callee.Defined())
}

// callUnit calls the function that LiftUnit lifts, from an entry that has no other code.
func (l *lifter) callUnit() {
	f := l.unitOf
	if f == nil || l.subs[f] == nil {
		return
	}
	to := l.subOf(f)
	l.b.At(ir.Pos{Line: int(f.Pos.Line), Col: int(f.Pos.Col), Text: f.Name, Name: f.Name})
	l.push(alignUp(layoutOf(f).size, 16))
	back := l.b.NewLabel()
	l.b.Move(l.returnTo(), l.b.Const(ir.B32, uint64(l.b.Target(to.table, back))))
	l.b.Bra(to.entry)
	l.b.Bind(back)
	l.b.Emit(ir.Inst{Op: ir.Exit})
}

// unknownSize makes a variable of another unit one of unknown size.
func (t *globalTable) unknownSize(v *Var, pos Pos) bool {
	if v.Link != LinkExtern || v.Init != nil {
		return false
	}
	if !t.unit {
		t.errorf(pos, diag.Unsupported, codeNotLifted, "%s is .extern and defined in no file that was loaded", v.Name)
	}
	return t.unit
}
