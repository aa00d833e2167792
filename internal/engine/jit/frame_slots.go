package jit

import "example.org/crosslane/internal/sim"

// Home writes the wave's registers to their frame slots, where Wave.Get finds them. The wave can continue
// afterwards. An Exact engine writes all registers of all lanes that have not exited; any other engine writes
// the registers that are still live.
func (r *running) Home(w *sim.Wave) {
	if s, ok := w.Engine.(*state); ok && s.kernel.native != nil {
		s.kernel.native.exitAll(w, &s.life)
	}
}
