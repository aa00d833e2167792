package why

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// through adds the needs that result number which of an operation was made of, for lanes m. The
// operation is f.Code[k]. It has one case per operation that moves data between lanes or reads the
// wave's state; the default serves pure operations, whose lane i is made of lane i of each operand.
func (s *slicer) through(t *task, k int, in *ir.Inst, which int, m lane.Mask, role Role, need *needs) {
	f := s.h.Plan.f
	all := lane.All(f.Lanes)
	data := role
	if role == Memory {
		data = Data
	}
	switch in.Op {
	case ir.Sel16, ir.Sel32, ir.Sel64, ir.SelF32, ir.SelF64, ir.SelP:
		choice := Choice
		if data != Data {
			choice = data
		}
		need.add(in.Args[0], choice, m)
		// Only the chosen operand counts, in the lanes whose choice can be computed.
		yes, no := m, m
		for i := range m.Lanes() {
			if c, ok := s.eval(t, k, in.Args[0], i); ok && c != 0 {
				no &^= lane.Lane(i)
			} else if ok {
				yes &^= lane.Lane(i)
			}
		}
		need.add(in.Args[1], data, yes)
		need.add(in.Args[2], data, no)
	case ir.Splat, ir.LaneBit:
		need.add(in.Args[0], data, 1)
	case ir.Load:
		need.add(in.Args[0], Address, m)
		s.read(t, k, in, m, t.time)
	case ir.Atomic:
		need.add(in.Args[0], Address, m)
		s.old(t, k, in, m)
	case ir.Tensor:
		s.texture(t, k, in, m, data, need)
	case ir.Shfl:
		s.shuffle(t, k, in, which, m, data, need)
	case ir.Vote:
		voters := s.participants(t, k, in)
		need.add(in.Args[0], data, voters)
		need.add(in.Guard, Guard, t.act)
	case ir.DPPRead:
		need.add(in.Args[1], Guard, 1)
		exec := s.mask(t, k, in.Args[1])
		ctrl, _, _, _ := ir.DPPFields(in.Imm)
		var absent []AbsentLane
		for i := range m.Lanes() {
			if j, ok := lane.DPPSource(lane.DPPCtrl(ctrl), i); ok && exec.Has(j) {
				need.add(in.Args[0], data, lane.Lane(j))
			} else if ok {
				absent = append(absent, AbsentLane{Lane: j, Reader: i, Off: true, At: -1, Here: -1})
			}
		}
		s.missing(t, absent)
	case ir.DPPMask:
		need.add(in.Args[0], Guard, all)
	case ir.DSSwizzle:
		need.add(in.Guard, Guard, all)
		mp := lane.DSSwizzle(uint16(in.Imm), s.participants(t, k, in))
		s.mapped(in.Args[0], &mp, m, data, need)
	case ir.DSBpermute, ir.DSPermute:
		need.add(in.Guard, Guard, all)
		exec := s.participants(t, k, in)
		var addr [64]uint64
		var a32 [64]uint32
		for i := range all.Lanes() {
			addr[i], _ = s.eval(t, k, in.Args[0], i)
			a32[i] = uint32(addr[i])
		}
		if in.Op == ir.DSBpermute {
			need.add(in.Args[0], Source, m)
			mp := lane.DSBpermute(&a32, uint32(in.Imm), exec)
			var absent []AbsentLane
			for i := range m.Lanes() {
				if j := int((a32[i] + uint32(in.Imm)) >> 2 & 63); !exec.Has(j) {
					absent = append(absent, AbsentLane{Lane: j, Reader: i, Off: true, At: -1, Here: -1})
				}
			}
			s.missing(t, absent)
			s.mapped(in.Args[1], &mp, m, data, need)
			return
		}
		need.add(in.Args[0], Source, exec)
		mp := lane.DSPermute(&a32, uint32(in.Imm), exec)
		s.mapped(in.Args[1], &mp, m, data, need)
	case ir.ReadLane:
		need.add(in.Args[1], Source, 1)
		if l, ok := s.eval(t, k, in.Args[1], 0); ok {
			need.add(in.Args[0], data, lane.Lane(int(l)&(f.Lanes-1)))
		} else {
			need.add(in.Args[0], data, all)
		}
	case ir.ReadFirstLane:
		need.add(in.Args[1], Guard, all)
		need.add(in.Args[0], data, lane.Lane(max(0, s.mask(t, k, in.Args[1]).First()&63)))
	case ir.WriteLane:
		need.add(in.Args[0], data, 1)
		need.add(in.Args[1], Source, 1)
	case ir.ActiveMask:
		s.end(t.node, role, 0, m, &Node{Kind: Host, Name: "the lanes that run it together"})
	case ir.Clock:
		s.end(t.node, role, 0, m, &Node{Kind: Host, Name: "the clock"})
	case ir.ClusterDone:
		s.end(t.node, role, 0, m, &Node{Kind: Host, Name: "the barrier of the cluster"})
	case ir.HostCall:
		for _, a := range in.Args {
			need.add(a, data, m)
		}
		s.end(t.node, role, 0, m, &Node{Kind: Host, Name: "a service of the runtime"})
	default:
		for _, a := range in.Args {
			if a == 0 {
				continue
			}
			switch {
			case in.Op.Pure() && !in.Scalar:
				need.add(a, data, m)
			case in.Op.Pure() || f.Val(a).Scalar:
				need.add(a, data, 1)
			default:
				need.add(a, data, all)
			}
		}
		if !in.Op.Pure() {
			s.end(t.node, role, 0, m, &Node{Kind: Unknown, Name: in.Op.String()})
		}
	}
}

// mapped adds the lanes that a lane map reads.
func (s *slicer) mapped(r ir.Ref, mp *lane.Map, m lane.Mask, role Role, need *needs) {
	for i := range m.Lanes() {
		if j := int(mp.Src[i]); j < 64 && j >= 0 {
			need.add(r, role, lane.Lane(j))
		}
	}
}

// participants returns the lanes that execute an operation.
func (s *slicer) participants(t *task, k int, in *ir.Inst) lane.Mask {
	if in.Guard == 0 {
		return t.act
	}
	var m lane.Mask
	for i := range t.act.Lanes() {
		if g, ok := s.eval(t, k, in.Guard, i); !ok || (g != 0) != in.GuardNot {
			m |= lane.Lane(i)
		}
	}
	return m
}

// mask reads a lane vector of B1. A lane that cannot be computed counts as set.
func (s *slicer) mask(t *task, k int, r ir.Ref) lane.Mask {
	var m lane.Mask
	if r == 0 {
		return lane.All(s.h.Plan.f.Lanes)
	}
	for i := range s.h.Plan.f.Lanes {
		if g, ok := s.eval(t, k, r, i); !ok || g != 0 {
			m |= lane.Lane(i)
		}
	}
	return m
}

// shuffle follows the form without .sync, which shuffles among the lanes that execute it together.
func (s *slicer) shuffle(t *task, k int, in *ir.Inst, which int, m lane.Mask, role Role, need *needs) {
	valid := s.participants(t, k, in)
	need.add(in.Args[1], Source, m)
	need.add(in.Args[2], Source, m)
	if which == 1 {
		return
	}
	var absent []AbsentLane
	for i := range m.Lanes() {
		j, ok := s.source(t, k, in, i)
		switch {
		case !ok:
			need.add(in.Args[0], role, valid)
		case valid.Has(j):
			need.add(in.Args[0], role, lane.Lane(j))
		default:
			absent = append(absent, s.absent(t, i, j, lane.All(32)))
			if s.h.launch.Undefined == sim.Own {
				need.add(in.Args[0], role, lane.Lane(i))
			}
		}
	}
	s.missing(t, absent)
}

// source returns the lane that lane i of a shuffle reads; false if its operands cannot be computed.
func (s *slicer) source(t *task, k int, in *ir.Inst, i int) (int, bool) {
	b, ok1 := s.eval(t, k, in.Args[1], i)
	c, ok2 := s.eval(t, k, in.Args[2], i)
	j, _ := lane.ShflSource(lane.ShflMode(in.Imm), i, uint32(b), uint32(c))
	return j & 31, ok1 && ok2
}

// missing adds the end Absent for lanes that a cross-lane read asks for and that take no part.
func (s *slicer) missing(t *task, absent []AbsentLane) {
	if len(absent) == 0 {
		return
	}
	var m lane.Mask
	for _, a := range absent {
		m |= lane.Lane(a.Lane)
	}
	s.end(t.node, Data, 0, m, &Node{Kind: Absent, Absent: absent})
}

// absent returns why lane j, which lane i reads, takes no part.
func (s *slicer) absent(t *task, i, j int, members lane.Mask) AbsentLane {
	h := s.h
	// The lane is not in the wave or has exited; if neither, note its later exit and its last position.
	a := AbsentLane{Lane: j, Reader: i, At: -1, Here: -1, Leaves: -1, Members: members, NotMember: !members.Has(j)}
	w := &h.waves[t.wave]
	if h.Plan.f.Exec == 0 && !w.initial.Has(j) {
		a.Outside = true
		return a
	}
	done := w.exits.at(t.time + 1)
	if k := w.exits.before(done, laneSet(lane.Lane(j))); k >= 0 {
		e, _ := h.event(w.exits.events[k])
		a.Exited, a.At = true, h.Plan.segs[e.seg].pos
		return a
	}
	for _, n := range w.exits.events[done:] { // a lane exits only once
		if e, _ := h.event(n); e.lanes.Has(j) {
			a.Leaves = h.Plan.segs[e.seg].pos
			break
		}
	}
	if n := h.lastSeen(t.wave, j, t.time); n >= 0 {
		e, _ := h.event(n)
		a.Here = s.pos(e)
	}
	return a
}

// lastSeen returns the last event before event n in which lane l of a wave took part; -1 if there is
// none.
func (h *History) lastSeen(wave int32, l, n int) int {
	w := &h.waves[wave]
	if w.here == nil {
		w.here = &eventLog[laneSet]{}
		for n := h.begin(); n < h.end(); n++ {
			if e, _ := h.event(n); e.wave == wave && e.kind != kWrote {
				w.here.add(n, laneSet(e.lanes))
			}
		}
	}
	if i := w.here.before(w.here.at(n), laneSet(lane.Lane(l))); i >= 0 {
		return w.here.events[i]
	}
	return -1
}

// evalBudget bounds the values that one evaluation computes.
const evalBudget = 4096

// eval computes lane i of value r as operation k of a task reads it; false if it depends on memory, on
// another lane's data or on a forgotten event, or if it takes too much work.
func (s *slicer) eval(t *task, k int, r ir.Ref, i int) (uint64, bool) {
	budget := evalBudget
	return s.compute(t, k, r, i, &budget)
}

// compute does the work of eval: it looks for the last operation of the instruction before k that wrote
// the lane, and takes the register's recorded value if there is none.
func (s *slicer) compute(t *task, k int, r ir.Ref, i int, budget *int) (uint64, bool) {
	f := s.h.Plan.f
	v := f.Val(r)
	if v.Kind == ir.Const {
		return v.Const, true
	}
	if *budget--; *budget < 0 || r == 0 {
		return 0, false
	}
	if k < len(f.Code) {
		pos := f.Code[k].Pos
		for j := k - 1; j >= 0 && f.Code[j].Pos == pos; j-- {
			in := &f.Code[j]
			// Registers before start are recorded; only temporaries are computed again.
			if v.Kind == ir.Guest && j < t.start {
				break
			}
			if !s.h.Plan.same(in.Dst, r) {
				// A second result, or another view of the bytes, is not computed.
				if s.h.Plan.same(in.Dst2, r) || v.Kind == ir.Guest && s.h.Plan.guest(in.Dst) && s.h.Plan.overlap(in.Dst, r) {
					return 0, false
				}
				continue
			}
			if v.Kind == ir.Guest && in.Guard != 0 && !in.Scalar {
				g, ok := s.compute(t, j, in.Guard, i, budget)
				if !ok {
					return 0, false
				}
				// The guard kept the operation from writing: an earlier one wrote the lane.
				if (g != 0) == in.GuardNot {
					continue
				}
			}
			return s.operation(t, j, in, i, budget)
		}
	}
	if v.Kind == ir.Temp {
		return 0, false
	}
	return s.h.valueBefore(t.wave, t.time, r, i)
}

// operation computes lane i of the result of operation j; false if the operation is not pure.
func (s *slicer) operation(t *task, j int, in *ir.Inst, i int, budget *int) (uint64, bool) {
	switch {
	case in.Op == ir.Splat:
		return s.compute(t, j, in.Args[0], 0, budget)
	case in.Op == ir.LaneBit:
		x, ok := s.compute(t, j, in.Args[0], 0, budget)
		return x & 1, ok
	case in.Op == ir.DPPMask:
		table := sim.NewDPPTable(in.Imm)
		x := uint64(0)
		if table.Mask(s.mask(t, j, in.Args[0])).Has(i) {
			x = 1
		}
		return x, true
	case !in.Op.Pure():
		return 0, false
	}
	var args [4]uint64
	for a := range ir.Ops[in.Op].Args {
		x, ok := s.compute(t, j, in.Args[a], i, budget)
		if !ok {
			return 0, false
		}
		args[a] = x
	}
	return s.h.function(in.Op)(args), true
}

// function returns a pure operation as a function from bits to bits, from a cache.
func (h *History) function(op ir.Op) func(a [4]uint64) uint64 {
	f := h.functions[op]
	if f == nil {
		if h.functions == nil {
			h.functions = map[ir.Op]func(a [4]uint64) uint64{}
		}
		f = ir.Evaluator(op)
		h.functions[op] = f
	}
	return f
}
