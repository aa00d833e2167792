package why

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// An Exchange says which lanes read which.
type Exchange struct {
	Readers lane.Mask // the lanes that read
	// Source is the lane that each reader reads; -1: none, and its result is 0 or its own old value, or it is not
	// known. With Fold every reader reads all lanes of Together.
	Source [64]int8
	Fold   bool
	// Together are the lanes that take part: at a rendezvous all that met, else those of the instruction.
	Together lane.Mask
	Members  lane.Mask // the membermask; 0: the instruction has none
	Absent   []AbsentLane
}

// exchange returns what an instruction moved between lanes; nil if it moves nothing.
//
// Input: the event that began the step, the event of its rendezvous (-1: none), its first operation and
// the lanes of the step.
// Output: the lanes that each lane read, from the operands that they had.
// Invariant: no exchange has side effects on the History, so the operands are computed as for Why.
func (s *slicer) exchange(wave int32, n, met, op int, lanes lane.Mask) *Exchange {
	h, f := s.h, s.h.Plan.f
	for k := op; k < len(f.Code) && f.Code[k].Pos == f.Code[op].Pos; k++ {
		in := &f.Code[k]
		x := &Exchange{Readers: lanes, Together: lanes}
		for i := range x.Source {
			x.Source[i] = -1
		}
		if in.Op.Meets() {
			if met < 0 {
				return nil
			}
			e, d := h.event(met)
			if e.kind != kMet {
				return nil
			}
			x.Together, x.Members = lane.Mask(d[0]), lane.Mask(d[1])
		}
		t := &task{node: &Node{}, wave: wave, time: n, start: h.Plan.startOf(k), end: k, act: lanes, access: -1}
		if s.sources(t, k, in, x) {
			return x
		}
	}
	return nil
}

// sources fills an Exchange; false if the operation moves nothing between lanes.
func (s *slicer) sources(t *task, k int, in *ir.Inst, x *Exchange) bool {
	f := s.h.Plan.f
	absent := func(i, j int) {
		x.Absent = append(x.Absent, s.absent(t, i, j, x.membersOr(f.Lanes)))
	}
	switch in.Op {
	case ir.ShflSync, ir.Shfl:
		valid := x.Together
		if in.Op == ir.Shfl {
			valid = s.participants(t, k, in)
			x.Together, x.Readers = valid, valid
		} else {
			valid &= x.Members
		}
		for i := range x.Readers.Lanes() {
			j, ok := s.source(t, k, in, i)
			if !ok {
				continue
			}
			x.Source[i] = int8(j)
			if !valid.Has(j) {
				absent(i, j)
			}
		}
	case ir.DPPRead:
		exec := s.mask(t, k, in.Args[1])
		ctrl, _, _, _ := ir.DPPFields(in.Imm)
		x.Together, x.Readers = exec, exec
		for i := range exec.Lanes() {
			if j, ok := lane.DPPSource(lane.DPPCtrl(ctrl), i); ok {
				s.reads(x, i, j, exec)
			}
		}
	case ir.DSSwizzle:
		exec := s.participants(t, k, in)
		s.mapping(x, lane.DSSwizzle(uint16(in.Imm), lane.All(64)), exec)
	case ir.DSBpermute, ir.DSPermute:
		exec := s.participants(t, k, in)
		var addr [64]uint32
		for i := range f.Lanes {
			a, _ := s.eval(t, k, in.Args[0], i)
			addr[i] = uint32(a)
		}
		if in.Op == ir.DSBpermute {
			s.mapping(x, lane.DSBpermute(&addr, uint32(in.Imm), lane.All(64)), exec)
		} else {
			s.mapping(x, lane.DSPermute(&addr, uint32(in.Imm), exec), exec)
		}
	case ir.ReadLane, ir.ReadFirstLane:
		x.Readers, x.Together = 1, lane.All(f.Lanes)
		if in.Op == ir.ReadFirstLane {
			x.Source[0] = int8(max(0, s.mask(t, k, in.Args[1]).First()&63))
		} else if l, ok := s.eval(t, k, in.Args[1], 0); ok {
			x.Source[0] = int8(int(l) & (f.Lanes - 1))
		}
	case ir.Vote, ir.VoteSync, ir.MatchSync, ir.ReduxSync, ir.ElectSync, ir.Collective, ir.ActiveMask:
		x.Fold = true
		if in.Op == ir.Vote || in.Op == ir.ActiveMask {
			x.Together = s.participants(t, k, in)
			x.Readers = x.Together
			return true
		}
		for i := range (x.Members &^ x.Together & lane.All(f.Lanes)).Lanes() {
			absent(x.Readers.First(), i)
		}
	default:
		return false
	}
	return true
}

// membersOr returns the membermask, or all lanes if there is none.
func (x *Exchange) membersOr(lanes int) lane.Mask {
	if x.Members != 0 {
		return x.Members
	}
	return lane.All(lanes)
}

// reads notes that lane i reads lane j, which takes no part if exec excludes it.
func (s *slicer) reads(x *Exchange, i, j int, exec lane.Mask) {
	x.Source[i] = int8(j)
	if !exec.Has(j) {
		x.Absent = append(x.Absent, AbsentLane{Lane: j, Reader: i, Off: true, At: -1, Here: -1, Leaves: -1})
	}
}

// mapping notes the reads of a lane map by the lanes of exec.
func (s *slicer) mapping(x *Exchange, mp lane.Map, exec lane.Mask) {
	x.Readers, x.Together = exec, exec
	for i := range exec.Lanes() {
		if j := int(mp.Src[i]); j >= 0 && j < 64 {
			s.reads(x, i, j, exec)
		}
	}
}

// accesses adds the loads, stores, atomics and copies of a step.
func (s *slicer) accesses(v *StepView, wave int32, n, op int, events []int) {
	h, f := s.h, s.h.Plan.f
	for _, ev := range events {
		e, d := h.event(ev)
		switch e.kind {
		case kAccess:
			in := &f.Code[h.Plan.segs[e.seg].op]
			a := Access{Kind: "store", Space: in.Space, Size: uint64(in.Size), Lanes: e.lanes}
			if in.Op == ir.Atomic {
				a.Kind = "atomic"
			}
			h.addresses(ev, func(_ int, addr uint64) bool {
				a.Space, addr = h.resolve(in.Space, addr)
				a.Addr = append(a.Addr, addr)
				return true
			})
			v.Access = append(v.Access, a)
		case kWrote:
			sp, at := h.resolve(ir.Space(d[0]), d[1])
			v.Access = append(v.Access, Access{Kind: "copy", Space: sp, Size: d[2], Lanes: e.lanes, Addr: []uint64{at}})
		}
	}
	for k := op; k < len(f.Code) && f.Code[k].Pos == f.Code[op].Pos; k++ {
		in := &f.Code[k]
		if in.Op != ir.Load || in.Flags&ir.Undefined != 0 {
			continue
		}
		t := &task{node: &Node{}, wave: wave, time: n, start: op, end: k, act: v.Lanes, access: -1}
		m := s.participants(t, k, in)
		val := f.Val(in.Args[0])
		if in.Scalar || val.Scalar && f.Exec != 0 {
			m = 1
		}
		a := Access{Kind: "load", Space: in.Space, Size: uint64(in.Size), Lanes: m}
		for i := range m.Lanes() {
			addr, ok := s.eval(t, k, in.Args[0], i)
			if !ok {
				a.Addr = nil
				break
			}
			a.Space, addr = h.resolve(in.Space, val.Type.Sum(addr, in.Offset()))
			a.Addr = append(a.Addr, addr)
		}
		if m != 0 {
			v.Access = append(v.Access, a)
		}
	}
}

// A MemoryAt holds the bytes of one memory: the contents at the end of the record.
type MemoryAt struct {
	Space ir.Space
	Block uint64 // of shared memory
	Wave  int    // of private memory: its place in Waves
	Lane  int    // of private memory
	Base  uint64 // the offset of Data[0] in the space
	Data  []byte
}

// Before changes the bytes of a memory from those at the end of the record to those of an earlier time: it undoes
// the stores from that time on.
func (h *History) Before(m *MemoryAt, time int) {
	log, first := h.logAt(m)
	if log == nil {
		return
	}
	size := uint64(len(m.Data))
	undo := func(n int) {
		e, _ := h.event(n)
		h.old(n, func(space ir.Space, l int, addr uint64, data []byte) {
			other, at := h.logOf(e.wave, space, addr)
			if other != log || m.Space == ir.Local && l != m.Lane {
				return
			}
			for i, b := range data {
				if k := at + uint64(i) - m.Base - first; k < size {
					m.Data[k] = b
				}
			}
		})
	}
	all := bounds{first + m.Base, first + m.Base + size}
	i, j := len(log.narrow.events), len(log.wide.events)
	for {
		i, j = log.narrow.before(i, all), log.wide.before(j, all)
		a, b := -1, -1
		if i >= 0 {
			a = log.narrow.events[i]
		}
		if j >= 0 {
			b = log.wide.events[j]
		}
		if max(a, b) < time {
			return
		}
		// The later one is undone first; the other one is looked for again.
		if a > b {
			undo(a)
			j++
		} else {
			undo(b)
			i++
		}
	}
}

// Wide reports whether the memory of the launch has addresses of 64 bits.
func (h *History) Wide() bool { return h.mem.Wide() }

// Memory of the launch, for callers that describe addresses.
func (h *History) Launched() (*sim.Launch, *sim.Memory) { return h.launch, h.mem }
