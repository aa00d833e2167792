package interp

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// watched reports a load of memory that other waves may change to the scheduler: a wave that
// loads the same value again and again waits for another wave.
func watched(in *inst) {
	src := in.src
	volatile := src.Flags&ir.Volatile != 0
	if src.Flags&ir.Undefined != 0 || src.Space == ir.Local || src.Space == ir.Param || src.Space == ir.Shared && !volatile {
		return
	}
	load := in.run
	in.run = func(w *sim.Wave, in *inst, m lane.Mask) bool {
		if !load(w, in, m) {
			return false
		}
		if volatile || w.Watch {
			w.Polled(in.src, m)
		}
		return true
	}
}
