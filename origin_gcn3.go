package crosslane

import (
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
	for _, d := range list {
		if !d.Pos.HasOff || d.Pos.Off < 0 || originTold(d) {
			continue
		}
		x.once.Do(func() { x.lines = x.o.Lines() })
		if x.lines == nil {
			return
		}
		at, _ := x.o.Code(ok.Entry)
		addOrigins(d, x.lines.At(at+uint64(d.Pos.Off)))
	}
}

func originTold(d *diag.Diagnostic) bool {
	for i := range d.Related {
		if d.Related[i].Origin {
			return true
		}
	}
	return false
}

// addOrigins adds the line, and the calls that were inlined, the innermost first.
func addOrigins(d *diag.Diagnostic, chain []diag.Pos) {
	for i, p := range chain {
		text := "compiled from this line"
		if i > 0 {
			text = "inlined here"
		}
		d.Related = append(d.Related, diag.Related{Pos: p, Message: text, Origin: true})
	}
}
