package jit

import "example.org/crosslane/internal/sim"

// Home puts what the wave's registers hold into their homes, where Wave.Get finds it. The
// wave goes on from there. Of an Exact engine that is all registers of lanes that have not
// exited; else those that are still needed.
func (r *running) Home(w *sim.Wave) {
	if s, ok := w.Engine.(*state); ok && s.kernel.native != nil {
		s.kernel.native.exitAll(w, &s.life)
	}
}
