package sim

import (
	"unsafe"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Calm reports whether the wave's observer is calm: see ir.Calm. A wave without an observer is.
func (w *Wave) Calm() bool {
	if w.observer == nil {
		return true
	}
	c, ok := w.observer.(ir.Calm)
	return ok && c.Calm()
}

// Observe performs an Observe operation.
func (w *Wave) Observe(in *ir.Inst) {
	frame := unsafe.Slice((*byte)(w.Base), w.Func.GuestSize)
	for _, n := range w.observer.At(in.Imm, frame) {
		f := finding{lanes: lane.Mask(n.Lanes)}
		f.with = n.With
		if have := w.found[findingKey{n.Code, in.Pos, n.With}]; have == nil || w.block < have.first {
			t := w.observer.Describe(n) // it is an example
			f.text, f.remedy, f.section, f.mild = t.Text, t.Remedy, t.Section, t.Mild
			f.rel = []diag.Related{related(whereIs(w.Func, &t.Other), t.Role, t.Other.Text)}
		}
		w.note(w, n.Code, in.Pos, f)
	}
}
