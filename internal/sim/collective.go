package sim

import (
	"crosslane/internal/ir"
	"crosslane/lane"
)

// collective performs an operation of the whole wave for lanes, all of which are at
// one instruction.
func (w *Wave) collective(in *ir.Inst, lanes, members lane.Mask) {}
