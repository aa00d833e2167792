package sim

import (
	"fmt"
	"math/bits"
	"slices"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Meet handles a rendezvous operation, the last of block w.PC, for the lanes that execute it. If they need
// not wait, it is done at once and Meet returns true. Else the lanes are parked and leave the running
// fragment, and Meet returns false. It also returns false after a fault.
//
// Input: a *.sync operation, the lanes that execute it and their membermasks.
// Output: the results in the destination registers, or parked lanes.
// Invariant: a rendezvous takes place when all its members have arrived or exited; it reads all sources
// before it writes a destination.
// Example: lanes 0–15 execute shfl.sync at line 10 and lanes 16–31 at line 20, all with membermask
// 0xffffffff. From sm_70 on both meet: release gathers two parked sets and meetMany performs the shuffle.
func (w *Wave) Meet(in *ir.Inst, lanes lane.Mask) bool {
	if lanes == 0 {
		return true
	}
	mm := (*[32]uint32)(w.Ptr(in.Args[3]))
	first, same := w.uniform(in.Args[3], lanes)
	// The usual case: all lanes give the same membermask and all members are here.
	if members := lane.Mask(first); same {
		w.outside(in, lanes, members)
		if members&w.Live&^lanes == 0 && len(w.parked) == 0 {
			w.meetOne(in, lanes, members)
			if w.Fault != nil {
				w.Active &^= lanes
				return false
			}
			return true
		}
		w.park(parked{pc: w.PC, lanes: lanes, members: members})
	} else {
		for rest := lanes; rest != 0; {
			members := lane.Mask(mm[rest.First()])
			var same lane.Mask
			for i := range rest.Lanes() {
				if lane.Mask(mm[i]) == members {
					same |= lane.Lane(i)
				}
			}
			w.outside(in, same, members)
			w.park(parked{pc: w.PC, lanes: same, members: members})
			rest &^= same
		}
	}
	w.Active &^= lanes
	w.release()
	return false
}

// uniform returns the B32 value of the first of the lanes, and whether all of them hold it.
func (f *ValueFrame) uniform(r ir.Ref, lanes lane.Mask) (uint32, bool) {
	v := &f.Func.Values[r]
	if v.Kind == ir.Const {
		return uint32(v.Const), true
	}
	p := (*[32]uint32)(unsafe.Add(f.Base, v.Off))
	first := p[bits.TrailingZeros64(uint64(lanes))&31]
	q := (*[16]uint64)(unsafe.Pointer(p))
	two := uint64(first)<<32 | uint64(first)
	d := (q[0] ^ two) | (q[1] ^ two) | (q[2] ^ two) | (q[3] ^ two) | (q[4] ^ two) | (q[5] ^ two) | (q[6] ^ two) | (q[7] ^ two) |
		(q[8] ^ two) | (q[9] ^ two) | (q[10] ^ two) | (q[11] ^ two) | (q[12] ^ two) | (q[13] ^ two) | (q[14] ^ two) | (q[15] ^ two)
	if d == 0 {
		return first, true
	}
	for i := range lanes.Lanes() {
		if p[i&31] != first {
			return first, false
		}
	}
	return first, true
}

// meets reports whether two parked sets wait for each other: the same operation with the same qualifiers
// and the same membermask. Below sm_70 they must be at the same instruction, too.
func (w *Wave) meets(a, b *parked) bool {
	return w.alike(a, b) && (a.pc == b.pc || w.Func.MeetAnywhere)
}

// alike reports whether two parked sets have the same operation, qualifiers and membermask, possibly at
// different instructions.
func (w *Wave) alike(a, b *parked) bool {
	x, y := a.inst(w.Func), b.inst(w.Func)
	if x.Op == ir.Collective && y.Op == ir.Collective {
		return w.Func.Collectives[x.Imm].Matrix == w.Func.Collectives[y.Imm].Matrix && a.members == b.members
	}
	return x.Op.Meets() && x.Op == y.Op && x.Imm == y.Imm && a.members == b.members
}

// apart reports whether lanes wait for each other in vain only because they are at different instructions.
// From sm_70 on these would meet.
func (w *Wave) apart() bool {
	for i := range w.parked {
		for j := range w.parked[:i] {
			if a, b := &w.parked[i], &w.parked[j]; w.alike(a, b) && !w.meets(a, b) {
				return true
			}
		}
	}
	return false
}

// arrived returns the lanes that have arrived at the rendezvous of p.
func (w *Wave) arrived(p *parked) lane.Mask {
	var m lane.Mask
	for i := range w.parked {
		if w.meets(p, &w.parked[i]) {
			m |= w.parked[i].lanes
		}
	}
	return m
}

// release performs every rendezvous whose members have all arrived or exited.
func (w *Wave) release() {
	for i := 0; i < len(w.parked); i++ {
		p := w.parked[i]
		if !p.inst(w.Func).Op.Meets() {
			continue
		}
		all := w.arrived(&p)
		if p.members&w.Live&^all != 0 {
			continue
		}
		var group []parked
		rest := w.parked[:0]
		for _, q := range w.parked {
			if w.meets(&p, &q) {
				group = append(group, q)
			} else {
				rest = append(rest, q)
			}
		}
		w.parked = rest
		w.meetGroup(group, all)
		// The rendezvous may have removed sets before index i, so the search starts again.
		i = -1
	}
	// The remaining sets wait for lanes that were elsewhere at this time.
	for i := range w.parked {
		w.parked[i].waited = true
	}
}

// meetGroup performs a rendezvous of several parked sets, possibly at different instructions, and lets
// their lanes go on.
func (w *Wave) meetGroup(group []parked, all lane.Mask) {
	late := func(p parked) bool { return p.waited }
	if !w.Func.MeetAnywhere && slices.ContainsFunc(group, late) {
		in := group[0].inst(w.Func)
		w.note(w, CodeNotConverged, in.Pos, finding{lanes: all, members: group[0].members, sync: true})
	}
	// If several fragments reached one instruction one after another, they count as one.
	for i := 0; i < len(group); i++ {
		for j := i + 1; j < len(group); j++ {
			if group[j].pc == group[i].pc {
				group[i].lanes |= group[j].lanes
				group = append(group[:j], group[j+1:]...)
				j--
			}
		}
	}
	if len(group) == 1 {
		w.meetOne(group[0].inst(w.Func), all, group[0].members)
	} else {
		w.meetMany(group, all)
	}
	for _, p := range group {
		w.add(p.pc+1, p.lanes, false)
	}
}

// meetOne performs a rendezvous whose lanes are all at one instruction.
func (w *Wave) meetOne(in *ir.Inst, lanes, members lane.Mask) {
	if members&w.Dead&w.Initial != 0 {
		w.gone(in, lanes, members)
	}
	if w.Launch.Recorder != nil {
		w.met[0] = Meeting{in, lanes}
		defer w.Launch.Recorder.Met(w, w.met[:], lanes, members)
	}
	switch in.Op {
	case ir.ShflSync:
		w.shuffle(in, (*[32]uint32)(w.Ptr(in.Args[0])), w.sourceShadow(in), lanes, lanes, lanes&members, members, true)
		return
	case ir.VoteSync:
		w.vote(in, w.Mask(in.Args[0]), lanes, lanes&members)
	case ir.MatchSync:
		w.match(in, w.Ptr(in.Args[0]), lanes, lanes&members)
	case ir.ReduxSync:
		w.redux(in, (*[32]uint32)(w.Ptr(in.Args[0])), lanes, lanes&members)
	case ir.ElectSync:
		w.elect(in, lanes, lanes&members)
	case ir.Collective:
		w.collective(in, lanes)
		return
	case ir.WarpSync:
		if w.races != nil {
			w.races.Sync(lanes)
		}
	}
	w.shadowFold(in, w.sourceShadow(in), lanes, lanes&members)
}

// meetMany performs a rendezvous across several instructions: it gathers the sources of all of them first;
// then each instruction writes its own destinations.
func (w *Wave) meetMany(group []parked, all lane.Mask) {
	members := group[0].members
	if w.Launch.Recorder != nil {
		var who []Meeting
		for i := range group {
			who = append(who, Meeting{group[i].inst(w.Func), group[i].lanes})
		}
		defer w.Launch.Recorder.Met(w, who, all, members)
	}
	if in := group[0].inst(w.Func); in.Op == ir.Collective {
		w.collect(group, in, all)
		return
	}
	if group[0].inst(w.Func).Op == ir.WarpSync {
		if w.races != nil {
			w.races.Sync(all)
		}
	}
	var src32 [32]uint32
	var src64 [32]uint64
	var pred, poison lane.Mask
	for _, p := range group {
		in := p.inst(w.Func)
		poison |= w.sourceShadow(in) & p.lanes
		if in.Args[0] == 0 {
			continue
		}
		if w.Func.Values[in.Args[0]].Type == ir.B1 {
			pred |= w.Mask(in.Args[0]) & p.lanes
			continue
		}
		for i := range p.lanes.Lanes() {
			src64[i&31] = w.Get(in.Args[0], i)
			src32[i&31] = uint32(src64[i&31])
		}
	}
	for _, p := range group {
		in := p.inst(w.Func)
		switch in.Op {
		case ir.ShflSync:
			w.shuffle(in, &src32, poison, p.lanes, all, all&members, members, true)
			continue
		case ir.VoteSync:
			w.vote(in, pred, p.lanes, all&members)
		case ir.MatchSync:
			ptr := unsafe.Pointer(&src32)
			if w.Func.Values[in.Args[0]].Type == ir.B64 {
				ptr = unsafe.Pointer(&src64)
			}
			w.match(in, ptr, p.lanes, all&members)
		case ir.ReduxSync:
			w.redux(in, &src32, p.lanes, all&members)
		case ir.ElectSync:
			w.elect(in, p.lanes, all&members)
		}
		w.shadowFold(in, poison, p.lanes, all&members)
	}
}

// gone notes members of a mask that have exited. The remaining lanes go on without them (PTX 9.7.9.6: only
// lanes that have not exited are waited for). It skips shuffles, because reading an exited lane is a
// finding of its own.
func (w *Wave) gone(in *ir.Inst, lanes, members lane.Mask) {
	if out := members & w.Initial &^ w.Live; w.Launch.Hints && out != 0 && in.Op != ir.Collective && in.Op != ir.ShflSync {
		w.note(w, CodeExitedLanes, in.Pos, finding{lanes: lanes, text: fmt.Sprintf("%s, which membermask %s names; %s go on without",
			out.Do("has exited", "have exited"), members.Hex(w.Func.Lanes), lanes.Named())})
	}
}

// outside reports lanes that are not in their own membermask. It does so on arrival, because they may wait
// for ever.
func (w *Wave) outside(in *ir.Inst, lanes, members lane.Mask) {
	if lanes&^members == 0 {
		return
	}
	w.note(w, CodeNotInMembermask, in.Pos, finding{lanes: lanes &^ members, members: members, sync: true})
}
