package sim

import (
	"encoding/binary"
	"fmt"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
	"example.org/crosslane/num"
)

// Demands of the manual on an instruction beyond the types of its operands. Only checks look at them: an
// ir.Claim operation reports each. The run goes on as if the demand were met.
//
// Input: ir.Claim operations, and the mbarrier objects in shared memory.
// Output: findings of the codes undefined-behaviour and bad-mbarrier.
// Example: mbarrier.init of an object that lane 0 has initialised and no lane has invalidated is noted,
// with the place of the first mbarrier.init.

// claims is the history of the claims that were made in a block.
type claims struct {
	mbars   map[uint64]made // the live mbarrier objects, by their offset in shared memory
	counted map[uint64]bool // states that arrivals with .noComplete have returned
	failed  bool            // a request to cancel a cluster was seen to fail
}

// made is the place at which an mbarrier object was initialised.
type made struct {
	pos  int32
	lane int
	wave int
}

// Claim checks whether lanes meet a demand of the manual.
func (w *Wave) Claim(in *ir.Inst, m lane.Mask) {
	switch kind := ir.ClaimKind(in.Size); kind {
	case ir.ClaimOpen:
		w.openFor(in, w.bitsOf(in.Args[1])&m)
	case ir.ClaimReadOnly:
		if w.races != nil {
			w.races.ReadOnly(in, m)
		}
	case ir.ClaimMbarInit, ir.ClaimMbarEnd, ir.ClaimMbarState, ir.ClaimMbarParity:
		for i := range m.Lanes() {
			space, off := w.Resolve(in.Space, w.Address(in.Args[0], i, in.Imm))
			if space != ir.Shared {
				continue
			}
			if owner, off := w.SharedAt(off); owner != nil && off%8 == 0 && off+8 <= uint64(len(owner.Shared)) {
				w.claimMbarrier(in, kind, i, owner, off)
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
	case ir.ClaimInFlight:
		w.warpgroups.claimInFlight(w, in, m)
	case ir.ClaimCluster:
		needsCluster(w, in, m)
	case ir.ClaimOtherBlock:
		if w.cluster == nil {
			needsCluster(w, in, m)
			return
		}
		var own lane.Mask
		for i := range m.Lanes() {
			space, off := w.Resolve(in.Space, w.Address(in.Args[0], i, in.Imm))
			if owner, _ := w.SharedAt(off); space == ir.Shared && owner == w.Block {
				own |= lane.Lane(i)
			}
		}
		if own != 0 {
			p := &w.Func.Pos[in.Pos]
			w.note(w, CodeNeedsCluster, in.Pos, finding{lanes: own, section: p.Section,
				text:   fmt.Sprintf("it is defined only if the destination is in another block, and that of %s of wave %d is in the block itself: it works on that memory", own.Named(), w.ID),
				remedy: "map the address to another block by mapa, or use an instruction for the block's own memory"})
		}
	}
}

// needsCluster notes that an instruction needs a cluster of several blocks.
func needsCluster(w *Wave, in *ir.Inst, m lane.Mask) {
	if w.cluster != nil || m == 0 {
		return
	}
	p := &w.Func.Pos[in.Pos]
	why := "the cluster has several blocks"
	if ir.ClaimKind(in.Size) == ir.ClaimOtherBlock {
		why = "the destination is in another block"
	}
	w.note(w, CodeNeedsCluster, in.Pos, finding{lanes: m, section: p.Section,
		text:   "it is defined only if " + why + ", and clusters have one block in this launch: it works on the memory of its own block",
		remedy: "use it only where %cluster_nctarank is greater than 1, or launch clusters of several blocks (--cluster)"})
}

// openFor notes that the manual leaves the effect of an instruction undefined for lanes.
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

// misuse notes a misuse of an mbarrier object after which the run can go on.
func (w *Wave) misuse(in *ir.Inst, i int, rel []diag.Related, text, remedy string) {
	w.note(w, CodeBadMbarrier, in.Pos, finding{lanes: lane.Lane(i), text: text, remedy: remedy, section: w.Func.Pos[in.Pos].Section, rel: rel})
}

// claimMbarrier checks the use of the mbarrier object at an offset of the shared memory of a block by lane i.
func (w *Wave) claimMbarrier(in *ir.Inst, kind ir.ClaimKind, i int, owner *Block, off uint64) {
	object := num.Mbarrier(binary.LittleEndian.Uint64(owner.Shared[off:]))
	was, known := owner.mbars[off]
	switch kind {
	case ir.ClaimMbarEnd:
		delete(owner.mbars, off)
	case ir.ClaimMbarInit:
		if at := known && was.pos == in.Pos && was.wave == w.ID && was.lane < i; at || known && object.Valid() {
			p, src := where(w.Func, was.pos)
			w.misuse(in, i, []diag.Related{related(p, fmt.Sprintf("%s: lane %d of wave %d made the object here", w.Func.Pos[was.pos].Name, was.lane, was.wave), src)},
				fmt.Sprintf("lane %d of wave %d initialises the mbarrier object at offset %d of shared memory, which is in use: lane %d of wave %d has initialised it, and nothing has invalidated it since", i, w.ID, off, was.lane, was.wave),
				"let one thread initialise it once; put mbarrier.inval, when no thread waits for the object any longer, before its memory is initialised anew")
		}
		if owner.mbars == nil {
			owner.mbars = map[uint64]made{}
		}
		owner.mbars[off] = made{in.Pos, i, w.ID}
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

// foreign returns the reason why a state must not be passed to a test of the object; "" if it may. Only two
// bits of the number of the phase are known, so a state that is 4n or 4n+1 phases old passes.
//
// Input: the object, and a state that a lane passes to mbarrier.test_wait or try_wait.
// Output: the reason and the remedy; both "" if the state may be passed.
// Invariant: a state of the current phase or the one before, as an arrival returned it, always passes.
// Example: object in phase 6, state of phase 4: age is 2, so the state is too old.
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
