package sim

import (
	"bytes"
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Look names bytes of an allocation that a launch watches.
type Look struct {
	Data []byte // the bytes, part of Alloc.Data
	Addr uint64 // their address in the guest

	// The last store to the bytes: Pos of Func, block, wave and lanes. Pos is -1 if there was none. If
	// Sure, it is this instruction; otherwise it is one of its basic block.
	Pos   int32
	Block [3]uint32
	Wave  int
	Lanes lane.Mask
	Sure  bool
}

// run runs the current fragment until it stops. With Launch.Look it runs one basic block at a time, so that
// the instruction that changes the bytes can be found. The order of execution stays the same.
//
// Input: the running fragment, and Launch.Look.
// Output: Look.Pos and its neighbours, updated after every basic block that stored to the bytes.
// Invariant: the order of execution is the same as without Look.
// Example: the block "st [a], r1; st [b], r2" changes the byte at b: hits finds the lanes whose address is
// b, and Pos is that of the second store.
func (w *Wave) run() Stop {
	look := w.Launch.Look
	if look == nil {
		return w.Launch.program.Run(w)
	}
	// Each step runs with a budget of 1, so that it ends after one basic block. The copy of the bytes
	// before the step shows whether the block changed them.
	left, outs := w.Budget, w.outs
	for {
		pc, active := w.PC, w.Active
		before := slices.Clone(look.Data)
		w.Budget = 1
		stop := w.Launch.program.Run(w)
		used := 1 - w.Budget
		w.stored(look, pc, active, !bytes.Equal(before, look.Data))
		left -= max(used, 1)
		if stop != StopBudget || left <= 0 {
			w.Budget = left
			return stop
		}
		if w.PC >= w.Limit || w.PC <= pc && w.StopBack {
			w.Budget = left
			return StopLimit
		}
		if w.outs != outs { // it waits
			w.Budget = 0
			return stop
		}
	}
}

// stored notes which instruction of basic block pc stored the bytes, if one did. A store of the value that
// was there before is found by its address, if a register holds it.
func (w *Wave) stored(look *Look, pc int, lanes lane.Mask, changed bool) {
	b := w.Func.Blocks[pc]
	found := Look{Pos: -1}
	candidates := 0
	for i := b.Start; i < b.End; i++ {
		in := &w.Func.Code[i]
		switch in.Op {
		case ir.Store, ir.Atomic:
			if in.Space != ir.Global && in.Space != ir.Generic {
				continue
			}
		case ir.Bulk, ir.Tensor, ir.Collective, ir.HostCall:
			if !changed || in.Op == ir.Collective && len(w.Func.Collectives[in.Imm].Dst) > 0 {
				continue
			}
		default:
			continue
		}
		candidates++
		switch m := w.hits(look, in, lanes); {
		case m != 0 && (changed || w.Func.Val(in.Args[0]).Kind == ir.Guest):
			found.Pos, found.Lanes, found.Sure = in.Pos, m, true
		case changed && !found.Sure:
			found.Pos, found.Lanes = in.Pos, lanes
		}
	}
	if found.Pos >= 0 {
		look.Pos, look.Lanes, look.Sure = found.Pos, found.Lanes, found.Sure || candidates == 1
		look.Block, look.Wave = w.index, w.ID
	}
}

// hits returns the lanes whose addresses touch the bytes. Only guest registers are reliable: a temporary
// may hold another value by now.
func (w *Wave) hits(look *Look, in *ir.Inst, lanes lane.Mask) lane.Mask {
	if in.Op != ir.Store && in.Op != ir.Atomic || w.Func.Val(in.Args[0]).Scalar {
		return 0
	}
	lanes = w.guarded(in, lanes)
	off := in.Offset()
	var m lane.Mask
	for i := range lanes.Lanes() {
		a := w.Address(in.Args[0], i, off)
		if a < look.Addr+uint64(len(look.Data)) && look.Addr < a+uint64(in.Size) {
			m |= lane.Lane(i)
		}
	}
	return m
}
