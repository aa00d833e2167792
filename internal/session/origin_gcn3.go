package session

import (
	"slices"
	"sync"

	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
)

// objectOrigins finds the source lines of the instructions of a code object. It is made when a
// diagnostic first needs it.
type objectOrigins struct {
	o     *codeobject.Object
	once  sync.Once
	lines *codeobject.Lines
}

// tell adds to diagnostics about a kernel's code the source lines of their instructions.
func (x *objectOrigins) tell(ok *codeobject.Kernel, list diag.List) {
	at := func(p diag.Pos) []diag.Pos {
		if !p.HasOff || p.Off < 0 {
			return nil
		}
		x.once.Do(func() { x.lines = x.o.Lines() })
		if x.lines == nil {
			return nil
		}
		begin, _ := x.o.Code(ok.Entry)
		return x.lines.At(begin + uint64(p.Off))
	}
	for _, d := range list {
		addOrigins(d, at)
	}
}

// addOrigins adds the source line of the instruction, and the calls that were inlined, the
// innermost first. To the text of the diagnostic's other places it adds the innermost and the
// outermost line. at returns the source lines of a place.
func addOrigins(d *diag.Diagnostic, at func(diag.Pos) []diag.Pos) {
	if slices.ContainsFunc(d.Related, func(r diag.Related) bool { return r.Origin }) {
		return // the lines are there already
	}
	chain := at(d.Pos)
	if len(chain) == 0 {
		return
	}
	for i := range d.Related {
		r := &d.Related[i]
		if from := at(r.Pos); len(from) > 0 && !slices.Equal(from, chain) {
			r.Message += " (compiled from " + from[0].String()
			if n := len(from); n > 1 {
				r.Message += ", inlined at " + from[n-1].String()
			}
			r.Message += ")"
		}
	}
	for i, p := range chain {
		text := "compiled from this line"
		if i > 0 {
			text = "inlined here"
		}
		d.Related = append(d.Related, diag.Related{Pos: p, Message: text, Origin: true})
	}
}
