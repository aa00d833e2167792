package crosslane

import (
	"slices"
	"sync"

	"example.org/crosslane/codeobject"
	"example.org/crosslane/diag"
)

// objectOrigins knows where the instructions of a code object were compiled from. It is
// made when a diagnostic first asks.
type objectOrigins struct {
	o     *codeobject.Object
	once  sync.Once
	lines *codeobject.Lines
}

// tell adds to diagnostics about a kernel's code the lines that it was compiled from.
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

// addOrigins adds the line that the instruction was compiled from, and the calls that were inlined,
// the innermost first; and to the other places that the diagnostic names, in their text, the
// innermost and the outermost. at tells the lines of a place.
func addOrigins(d *diag.Diagnostic, at func(diag.Pos) []diag.Pos) {
	if slices.ContainsFunc(d.Related, func(r diag.Related) bool { return r.Origin }) {
		return // it has them
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
