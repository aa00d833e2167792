package sim

import (
	"math/bits"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// watch tells lanes that wait for others from lanes at work: those look again and
// again at memory that others may change, find nothing new and change nothing. It is
// a matter of speed and memory only: lanes put aside have another turn later.
type watch struct {
	// Changes counts what the wave did to memory that other blocks can see.
	Changes uint32
	// Watch asks for Polled after plain loads too.
	Watch bool

	updated bool   // an atomic has changed memory
	looks   []look // those of lanes that stand still

	lastLook lastLook // with Launch.Awaits

	idle  uint32 // looks that saw nothing new, in this turn
	busy  bool   // the turn was used up by work
	slept bool   // the turn was given away by lanes that only wait
	polls uint32 // looks that saw nothing new, one after another
	outs  uint32 // how often so many of them ended a fragment's turn, one after another
	spun  bool   // and whether they end that of the running one
	since uint64 // clock at the first of them
	known uint32 // Changes at that time
	seen  [8]uint64
	next  uint32
}

// pollLimit is how many looks that see nothing new end a fragment's turn.
const pollLimit = 32

// patientOuts is how often a fragment of a target below sm_70 waits in vain before
// lanes of its warp go on that wait for it where code joins. There they would not; but
// which side of a branch such a warp takes first is not known either.
const patientOuts = 64

// pollWork is how many instructions per look are no longer waiting, but work.
const pollWork = 256

// poll accounts for a look at memory; print identifies what was seen where.
func (w *Wave) poll(print uint64) {
	if w.known != w.Changes {
		w.known, w.polls, w.outs, w.spun = w.Changes, 0, 0, false
	}
	for i := range w.seen {
		if w.seen[i] != print {
			continue
		}
		if w.polls == 0 {
			w.since = w.Clock
		}
		w.polls++
		if w.polls < pollLimit {
			return
		}
		if w.Clock-w.since < pollWork*pollLimit {
			w.idle += w.polls
			w.outs++
			w.spun = true
			w.Budget = min(w.Budget, 0)
		}
		w.polls = 0
		return
	}
	w.seen[w.next%8] = print
	w.next++
	w.polls, w.outs, w.spun = 0, 0, false
}

// Polled accounts for a load, done for the given lanes, of memory that others may
// change.
func (w *Wave) Polled(in *ir.Inst, lanes lane.Mask) {
	if lanes == 0 {
		return
	}
	if w.Launch.Awaits {
		i := lanes.First()
		w.lastLook = lastLook{in, i, w.Address(in.Args[0], i, in.Offset())}
	}
	w.poll(w.seenBy(in, lanes))
}

// seenBy identifies what a load saw for the given lanes, at least one. The first and the
// last lane stand for all.
func (w *Wave) seenBy(in *ir.Inst, lanes lane.Mask) uint64 {
	i, j := bits.TrailingZeros64(uint64(lanes)), bits.Len64(uint64(lanes))-1
	a, d := &w.Func.Values[in.Args[0]], &w.Func.Values[in.Dst]
	print := (w.element(a, i)+in.Imm)*0x9e3779b97f4a7c15 ^ w.element(d, i)
	return print + (w.element(a, j)*0x9e3779b97f4a7c15^w.element(d, j))*0xff51afd7ed558ccd
}

// Sleep handles a request to let others run.
func (w *Wave) Sleep() {
	w.poll(1)
	w.slept = w.idle > 0 || w.polls > 0 && w.Clock-w.since < pollWork*uint64(w.polls)
	w.Budget = min(w.Budget, 0)
}

// Updated accounts for an atomic: one that leaves the memory as it was is a look. addr
// and old are those of a lane of it; private memory is of no concern to other
// blocks.
func (w *Wave) Updated(in *ir.Inst, lane int, addr, old uint64, kept, private bool) {
	w.Budget -= slowCost
	w.dear += slowCost
	switch {
	case !w.Launch.Awaits:
	case kept && !private:
		w.lastLook = lastLook{in, lane, addr}
	default:
		w.lastLook = lastLook{} // it is no look, or one that no other block has to do with
	}
	w.updated = w.updated || !kept
	switch {
	case kept:
		w.poll((addr*0x9e3779b97f4a7c15 ^ old) * 0xff51afd7ed558ccd)
	case !private:
		w.Changes++
	}
}

// Stored accounts for a store to global or generic addresses, of which addr is the
// first lane's.
func (w *Wave) Stored(addr uint64) {
	if w.widen(addr)&ir.WindowMask == 0 {
		w.Changes++
	}
}

// slowCost is what an instruction that takes as long as some dozens of others costs
// beyond one, so that a turn never takes long and the time limit is kept.
const slowCost = 32

// waveQuantum is how many guest instructions a wave runs before the next wave of
// its block has a turn, a fragment before the next of its wave, and how often the time
// limit is looked at.
const waveQuantum = WaveQuantum

// WaveQuantum is waveQuantum, for engines.
const WaveQuantum = 1 << 14
