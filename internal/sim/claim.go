package sim

import (
	"encoding/binary"
	"fmt"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
	"example.org/crosslane/num"
)

// What the manual demands of an instruction beyond its operands' types, and what only
// checks look at: an ir.Claim tells of it. A run goes on as if the demand were met.

// claims is what a block knows of the claims that were made in it.
type claims struct {
	mbars   map[uint64]made // the mbarrier objects, by their offset in shared memory
	counted map[uint64]bool // states that arrivals with .noComplete have returned
	failed  bool            // a request to cancel a cluster was seen to fail
}

// made is where an mbarrier object was initialised.
type made struct {
	pos  int32
	lane int
	wave int
}

// Claim looks whether lanes do what the manual demands.
func (w *Wave) Claim(in *ir.Inst, m lane.Mask) {
	switch kind := ir.ClaimKind(in.Size); kind {
	case ir.ClaimOpen:
		w.openFor(in, w.bitsOf(in.Args[1])&m)
	case ir.ClaimReadOnly:
		w.readOnly(in, m)
	case ir.ClaimMbarInit, ir.ClaimMbarEnd, ir.ClaimMbarState, ir.ClaimMbarParity:
		for i := range m.Lanes() {
			space, off := w.Resolve(in.Space, w.Address(in.Args[0], i, in.Imm))
			if space == ir.Shared && off%8 == 0 && off+8 <= uint64(len(w.Shared)) {
				w.claimMbarrier(in, kind, i, off)
			}
		}
	case ir.ClaimMbarCounted:
		if w.counted == nil {
			w.counted = map[uint64]bool{}
		}
		for i := range m.Lanes() {
			w.counted[w.Get(in.Args[1], i)] = true
		}
	case ir.ClaimMbarCount:
		for i := range m.Lanes() {
			if s := w.Get(in.Args[1], i); !w.counted[s] {
				w.misuse(in, i, nil, fmt.Sprintf("the state %#x of lane %d is not one that an arrival with .noComplete returned in this block: its count is undefined", s, i),
					"ask for the count of a state that mbarrier.arrive.noComplete or mbarrier.arrive_drop.noComplete returned")
			}
		}
	case ir.ClaimCancel:
		if w.failed {
			w.openFor(in, m)
		}
	case ir.ClaimCancelSeen:
		w.failed = true
	}
}

// openFor notes that the manual leaves an instruction undefined for lanes.
func (w *Wave) openFor(in *ir.Inst, bad lane.Mask) {
	if bad == 0 {
		return
	}
	p := &w.Func.Pos[in.Pos]
	w.note(w, CodeUndefinedBehaviour, in.Pos, finding{
		lanes: bad, text: fmt.Sprintf("the effect is undefined for %s of wave %d: %s", bad.Named(), w.ID, p.Open[in.Imm]),
		section: p.Section, remedy: "use operands, and execute it at times, for which the manual defines its effect",
	})
}

// misuse notes that an mbarrier object is misused in a way that the run can go on with.
func (w *Wave) misuse(in *ir.Inst, i int, rel []diag.Related, text, remedy string) {
	w.note(w, CodeBadMbarrier, in.Pos, finding{lanes: lane.Lane(i), text: text, remedy: remedy, section: w.Func.Pos[in.Pos].Section, rel: rel})
}

// claimMbarrier looks at what lane i does with the mbarrier object at an offset of shared memory.
func (w *Wave) claimMbarrier(in *ir.Inst, kind ir.ClaimKind, i int, off uint64) {
	object := num.Mbarrier(binary.LittleEndian.Uint64(w.Shared[off:]))
	was, known := w.mbars[off]
	switch kind {
	case ir.ClaimMbarEnd:
		delete(w.mbars, off)
	case ir.ClaimMbarInit:
		if at := known && was.pos == in.Pos && was.wave == w.ID && was.lane < i; at || known && object.Valid() {
			p, src := where(w.Func, was.pos)
			w.misuse(in, i, []diag.Related{related(p, fmt.Sprintf("%s: lane %d of wave %d made the object here", w.Func.Pos[was.pos].Name, was.lane, was.wave), src)},
				fmt.Sprintf("lane %d of wave %d initialises the mbarrier object at offset %d of shared memory, which is in use: lane %d of wave %d has initialised it, and nothing has invalidated it since", i, w.ID, off, was.lane, was.wave),
				"let one thread initialise it once; put mbarrier.inval, when no thread waits for the object any longer, before its memory is initialised anew")
		}
		if w.mbars == nil {
			w.mbars = map[uint64]made{}
		}
		w.mbars[off] = made{in.Pos, i, w.ID}
	case ir.ClaimMbarParity:
		if p := w.Get(in.Args[1], i); p > 1 {
			w.misuse(in, i, nil, fmt.Sprintf("lane %d of wave %d asks for the parity %d: phases have the parity 0 or 1", i, w.ID, p),
				"pass the lowest bit of the number of the phase: phase & 1")
		}
	case ir.ClaimMbarState:
		if state := num.Mbarrier(w.Get(in.Args[1], i)); object.Valid() {
			if text, remedy := foreign(object, state); text != "" {
				var rel []diag.Related
				if known {
					p, src := where(w.Func, was.pos)
					rel = []diag.Related{related(p, w.Func.Pos[was.pos].Name+": the object was made here", src)}
				}
				w.misuse(in, i, rel, fmt.Sprintf("lane %d of wave %d asks with the state %#x, %s", i, w.ID, uint64(state), text), remedy)
			}
		}
	}
}

// foreign says why a state is none that may be asked about; "" if it may be one. Of the number
// of the phase two bits are known, so that states that are 4n or 4n+1 phases old seem right.
func foreign(object, state num.Mbarrier) (text, remedy string) {
	age := (object.Phase() - state.Phase()) & 3
	switch {
	case !state.Valid(), state.Pending() == 0, state.Expected() < object.Expected(), age == 0 && state.Pending() <= object.Pending():
		return "which no arrival at this mbarrier object has returned", "pass the state that mbarrier.arrive or mbarrier.arrive_drop at the same object returned, in the current phase or the one before"
	case age >= 2:
		return "which an arrival has returned that is two phases old or more: it has to be of the current phase or of the one before", "keep the state of the last arrival; or use .parity with the phase that is waited for"
	}
	return "", ""
}
