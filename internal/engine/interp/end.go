package interp

import (
	"unsafe"

	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// end accounts for a block that has run, and executes its end. If goes, the running fragment
// continues at w.PC; otherwise Run stops for the reason stop.
func (p *Program) end(w *sim.Wave, b *block) (stop sim.Stop, goes bool) {
	base, active := w.Base, w.Active
	if p.exec == 0 {
		w.Count(b.count, active)
	} else {
		w.Count(b.count, *(*lane.Mask)(unsafe.Add(base, p.exec)))
	}
	m := active
	if b.guard != 0 {
		m &= *(*lane.Mask)(unsafe.Add(base, b.guard)) ^ b.flip
	}
	// back reports a jump to this block or an earlier one: the end of an iteration.
	back := false
	switch b.term {
	case tFall:
		w.PC++
	case tJump:
		back = b.to <= w.PC
		w.PC = b.to
	case tBra:
		switch m {
		case 0:
			w.PC++
		case active:
			back = b.to <= w.PC
			w.PC = b.to
		default:
			w.Split(m, b.to)
			return sim.StopDiverge, false
		}
	case tSBra:
		if *(*uint32)(unsafe.Add(base, b.arg))&1 != 0 != b.last.GuardNot {
			back = b.to <= w.PC
			w.PC = b.to
		} else {
			w.PC++
		}
	case tTable:
		from := w.PC
		switch w.BranchTable(b.last, m) {
		case sim.BranchTogether:
			back = w.PC <= from
		case sim.BranchSplit:
			return sim.StopDiverge, false
		default:
			return sim.StopFault, false
		}
	case tExit:
		w.PC++
		if m != 0 {
			w.Exit(m)
			if w.Active == 0 {
				return sim.StopExit, false
			}
		}
	case tEnd:
		w.Exit(w.Live)
		return sim.StopExit, false
	case tTrap:
		if m == 0 {
			w.PC++
			break
		}
		w.Fault = trap(b.last, m)
		return sim.StopFault, false
	case tMeet:
		// If the members are complete, the rendezvous takes place at once. Otherwise the lanes of m are
		// parked; the rest of the fragment, if any, goes on at the next block.
		if w.Meet(b.last, m) {
			w.PC++
			break
		}
		if w.Active == 0 {
			return sim.StopMeet, false
		}
		w.PC++
		return sim.StopLimit, false
	case tBar:
		if w.Wait(b.last, m) {
			w.PC++
			break
		}
		if w.Active == 0 {
			return sim.StopBar, false
		}
		w.PC++
		return sim.StopLimit, false
	}
	// The budget is checked at the ends of blocks only, so straight-line code pays nothing for it.
	if w.Budget <= 0 {
		return sim.StopBudget, false
	}
	// Beyond the limit another fragment may be due: the scheduler decides.
	if w.PC >= w.Limit || back && w.StopBack {
		return sim.StopLimit, false
	}
	return 0, true
}
