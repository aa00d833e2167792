package sim

import (
	"math/bits"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// watch distinguishes lanes that wait from lanes that work. Waiting lanes look again and again at memory
// that other lanes may change, find nothing new and change nothing. The distinction affects speed and
// memory only, not results of a race-free kernel: deferred lanes have another turn later.
//
// Input: the loads and atomics of a wave (Polled, Updated), its stores (Stored) and its clock.
// Output: Budget set to 0, which ends the time slice of a spinning fragment; idle, the looks without news.
// Invariant: a fragment is spinning only after pollLimit looks in a row that each saw one of the last eight
// sights again, less than pollWork instructions apart on average.
// Example: L: ld.volatile r, [flag]; @r==0 bra L. The 33rd load with the same address and value ends the
// slice, and the scheduler defers the fragment.
type watch struct {
	// Changes counts the wave's changes to memory that other blocks can see.
	Changes uint32
	// Watch asks engines to call Polled after plain loads too.
	Watch bool

	updated bool   // an atomic has changed memory
	looks   []look // the looks of lanes that stand still

	lastLook lastLook // with Launch.Awaits

	idle  uint32    // looks that saw nothing new, in this time slice
	busy  bool      // work has used up the time slice
	slept bool      // lanes that only wait gave the time slice away
	polls uint32    // consecutive looks that saw nothing new
	outs  uint32    // how often in a row pollLimit of these looks ended the time slice of a fragment
	spun  bool      // these looks end the time slice of the running fragment
	since uint64    // Clock at the first look of polls
	known uint32    // Changes at the last look
	seen  [8]uint64 // fingerprints of the last sights, a ring
	next  uint32    // the index of the next fingerprint
}

// pollLimit is how many looks that see nothing new end the time slice of a fragment.
const pollLimit = 32

// patientOuts is how many time slices a fragment of a target below sm_70 waits in vain before lanes of its
// warp that wait for it at a join go on. On hardware below sm_70 they would not go on. But it is
// unspecified which side of a branch that warp takes first.
const patientOuts = 64

// pollWork is the number of instructions per look from which on a loop counts as work, not as waiting.
const pollWork = 256

// poll accounts for a look at memory. print is a fingerprint of the address and the value seen.
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

// Polled accounts for a load of memory that other lanes may change, done for the given lanes.
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

// seenBy returns the fingerprint of a load for the given lanes, at least one. The first and the last lane
// stand for all of them.
func (f *ValueFrame) seenBy(in *ir.Inst, lanes lane.Mask) uint64 {
	i, j := bits.TrailingZeros64(uint64(lanes)), bits.Len64(uint64(lanes))-1
	a, d := &f.Func.Values[in.Args[0]], &f.Func.Values[in.Dst]
	print := (f.element(a, i)+in.Imm)*0x9e3779b97f4a7c15 ^ f.element(d, i)
	return print + (f.element(a, j)*0x9e3779b97f4a7c15^f.element(d, j))*0xff51afd7ed558ccd
}

// Sleep handles a request of the guest to let other lanes run.
func (w *Wave) Sleep() {
	w.poll(1)
	w.slept = w.idle > 0 || w.polls > 0 && w.Clock-w.since < pollWork*uint64(w.polls)
	w.Budget = min(w.Budget, 0)
}

// Updated accounts for an atomic. An atomic that leaves the memory as it was (kept) is a look. addr and old
// are the address and the old value of one of its lanes. private says that no other block can see the
// memory.
func (w *Wave) Updated(in *ir.Inst, lane int, addr, old uint64, kept, private bool) {
	w.Budget -= slowCost
	w.dear += slowCost
	switch {
	case !w.Launch.Awaits:
	case kept && !private:
		w.lastLook = lastLook{in, lane, addr}
	default:
		w.lastLook = lastLook{} // it is not a look, or not one at memory of other blocks
	}
	w.updated = w.updated || !kept
	switch {
	case kept:
		w.poll((addr*0x9e3779b97f4a7c15 ^ old) * 0xff51afd7ed558ccd)
	case !private || w.cluster != nil:
		w.Changes++
	}
}

// Stored accounts for a store to global or generic addresses, and in a Ranked function also for one to shared memory. addr is the address of the first lane.
func (w *Wave) Stored(addr uint64) {
	if w.cluster != nil || w.Mem.widen(addr)&ir.WindowMask == 0 {
		w.Changes++
	}
}

// Charge accounts for a step that takes as long as some dozens of usual instructions.
func (k *Worker) Charge() { k.dear += slowCost }

// slowCost is the extra cost, in instructions, of an instruction that takes as long as some dozens of usual
// ones. It keeps time slices short, so that the time limit is met.
const slowCost = 32

// waveQuantum is how many guest instructions a wave runs before the next wave of its block has a turn, and
// a fragment before the next fragment of its wave. It also bounds the time between two looks at the time
// limit.
const waveQuantum = WaveQuantum

// WaveQuantum is waveQuantum, for engines.
const WaveQuantum = 1 << 14
