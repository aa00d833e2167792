package why

import (
	"cmp"
	"container/heap"
	"context"
	"fmt"
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// maxNodes and maxEdges limit a graph. At the limit the graph gets the node Unknown and Cut is set.
const (
	maxNodes = 200_000
	maxEdges = 2_000_000
)

// A want lists the results of one event that later events need.
type want struct {
	regs  refMasks  // lanes of the registers that the event wrote
	kept  refMasks  // lanes of registers that a guard kept the event from writing
	lanes lane.Mask // lanes of a store
	bytes []Item    // for kWrote: the bytes
}

// A slicer builds the graph of one question.
//
// Input: wants of some events, made by Memory or Registers.
// Output: the Graph. Following an event adds wants of earlier events, until none is left.
// Invariant: events are followed from the last to the first. When an event is followed, its want is
// therefore complete, and each event is followed once. (rounds starts again with its own nodes.)
// Example: "v0 = v1 (event 1); v2 = v0 + v0 (event 2)": event 2 wants v0 of event 1; event 1 is then
// followed once for both operands.
type slicer struct {
	ctx   context.Context
	h     *History
	g     *Graph
	nodes map[int]*Node
	wants map[int]*want
	queue events
	lost  map[uint64]bool // blocks whose registers were not recorded
	edges int             // edges of the nodes that have been followed

	// After rounds set nearest, only nearSteps steps before the branch are followed; steps counts from
	// the branch.
	nearest bool
	steps   map[int]int // by event
	level   int
}

// nearSteps is how many steps before the branch that ended a loop are shown: its operands, and the
// values that these were computed from.
const nearSteps = 2

// events is a heap of event numbers, the greatest first.
type events []int

func (e events) Len() int           { return len(e) }
func (e events) Less(i, j int) bool { return e[i] > e[j] }
func (e events) Swap(i, j int)      { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)        { *e = append(*e, x.(int)) }
func (e *events) Pop() any {
	old := *e
	x := old[len(old)-1]
	*e = old[:len(old)-1]
	return x
}

// slicer returns a slicer with an empty graph.
func (h *History) slicer(ctx context.Context) *slicer {
	return &slicer{ctx: ctx, h: h, g: &Graph{}, nodes: map[int]*Node{}, wants: map[int]*want{}, lost: map[uint64]bool{}}
}

// need returns the want of an event, and its node. It queues the event if it is new.
func (s *slicer) need(n int) (*want, *Node) {
	w := s.wants[n]
	if w == nil {
		w = &want{}
		s.wants[n] = w
		e, _ := s.h.event(n)
		r := &s.h.waves[e.wave]
		nd := s.add(&Node{Kind: Executed, Event: n, Wave: r.id, Block: r.block, Pos: s.pos(e)})
		nd.Store = e.kind == kAccess || e.kind == kWrote
		s.nodes[n] = nd
		if s.nearest {
			s.steps[n] = s.level + 1
		}
		heap.Push(&s.queue, n)
	}
	return w, s.nodes[n]
}

// pos returns the position of an event's instruction; 0 if it is not known.
func (s *slicer) pos(e *event) int32 {
	switch {
	case e.kind != kMet && e.kind != kWrote:
		return s.h.Plan.segs[e.seg].pos
	case e.seg >= 0:
		return s.h.Plan.f.Code[e.seg].Pos
	}
	return 0
}

// add gives a node its number and puts it into the graph.
func (s *slicer) add(nd *Node) *Node {
	nd.ID = len(s.g.Nodes)
	s.g.Nodes = append(s.g.Nodes, nd)
	return nd
}

// edge adds an edge, or adds lanes to an existing edge.
func edge(from *Node, role Role, r ir.Ref, m lane.Mask, to int) {
	for i := range from.Edges {
		if e := &from.Edges[i]; e.To == to && e.Role == role && e.Ref == r {
			e.Lanes |= m
			return
		}
	}
	from.Edges = append(from.Edges, Edge{role, r, m, to})
}

// end adds a node at which the graph ends. It takes over the position, wave and block of the reader.
func (s *slicer) end(from *Node, role Role, r ir.Ref, m lane.Mask, nd *Node) {
	nd.Pos, nd.Wave, nd.Block, nd.Lanes = from.Pos, from.Wave, from.Block, m
	edge(from, role, r, m, s.add(nd).ID)
}

// run follows all wants, then those of rounds. It fails only if the context ends.
func (s *slicer) run() (*Graph, error) {
	if err := s.drain(); err != nil {
		return nil, err
	}
	s.rounds()
	if err := s.drain(); err != nil {
		return nil, err
	}
	for b := range s.lost {
		s.g.Missing = append(s.g.Missing, b)
	}
	slices.Sort(s.g.Missing)
	return s.g, nil
}

// drain follows queued events, the last first, until none is left or the graph is at its limit.
func (s *slicer) drain() error {
	for k := 0; s.queue.Len() > 0; k++ {
		if k%256 == 0 && s.ctx.Err() != nil {
			return s.ctx.Err()
		}
		n := heap.Pop(&s.queue).(int)
		nd := s.nodes[n]
		// At the limit every event that is still queued ends as Unknown.
		if len(s.g.Nodes) > maxNodes || s.edges > maxEdges {
			s.g.Cut = true
			name := fmt.Sprintf("more than %d steps", maxNodes)
			if len(s.g.Nodes) <= maxNodes {
				name = fmt.Sprintf("more than %d values that are read", maxEdges)
			}
			s.end(nd, Data, 0, nd.Lanes, &Node{Kind: Unknown, Name: name})
			continue
		}
		s.event(n)
		s.edges += len(nd.Edges)
	}
	return nil
}

// A task is one instruction that is followed backwards.
type task struct {
	node       *Node
	wave       int32
	time       int // registers are read as they were before this event
	start, end int // the operations; before start only temporaries are looked for
	act        lane.Mask
	access     int // the event of the atomic whose old value is needed, or -1
}

// A needKey is a value and the role in which it is needed.
type needKey struct {
	ref  ir.Ref
	role Role
}

// needs lists needed lanes of values. The list is short, so a linear search finds a key.
type needs struct {
	keys []needKey
	m    []lane.Mask
}

// add adds lanes to a need. The value 0 and an empty mask are ignored.
func (n *needs) add(r ir.Ref, role Role, l lane.Mask) {
	if r == 0 || l == 0 {
		return
	}
	k := needKey{r, role}
	if i := slices.Index(n.keys, k); i >= 0 {
		n.m[i] |= l
		return
	}
	n.keys, n.m = append(n.keys, k), append(n.m, l)
}

// sort sorts needs by role and value. The order of needs decides the numbers of nodes, so the graph is
// the same on each run.
func (n *needs) sort() {
	for i := 1; i < len(n.keys); i++ {
		for j := i; j > 0 && cmp.Or(cmp.Compare(n.keys[j].role, n.keys[j-1].role), cmp.Compare(n.keys[j].ref, n.keys[j-1].ref)) < 0; j-- {
			n.keys[j], n.keys[j-1], n.m[j], n.m[j-1] = n.keys[j-1], n.keys[j], n.m[j-1], n.m[j]
		}
	}
}

// refMasks are lanes of registers, one entry a register.
type refMasks []refMask

type refMask struct {
	ref ir.Ref
	m   lane.Mask
}

// add adds lanes of a register.
func (x *refMasks) add(r ir.Ref, m lane.Mask) {
	for i := range *x {
		if e := &(*x)[i]; e.ref == r {
			e.m |= m
			return
		}
	}
	*x = append(*x, refMask{r, m})
}

// of returns the lanes of a register.
func (x refMasks) of(r ir.Ref) lane.Mask {
	for i := range x {
		if x[i].ref == r {
			return x[i].m
		}
	}
	return 0
}

// event follows the want of event n, by its kind. Events of a block that was not recorded only note
// that the block is missing.
func (s *slicer) event(n int) {
	e, d := s.h.event(n)
	w, nd := s.wants[n], s.nodes[n]
	f := s.h.Plan.f
	if !s.h.waves[e.wave].full {
		s.lost[s.h.waves[e.wave].block] = true
		return
	}
	if s.nearest {
		if s.level = s.steps[n]; s.level > nearSteps {
			s.values(n, e, nd, w)
			return
		}
	}
	switch e.kind {
	case kWrites:
		seg := &s.h.Plan.segs[e.seg]
		t := &task{node: nd, wave: e.wave, time: n, start: seg.start, end: seg.end, act: e.lanes, access: -1}
		need := &needs{}
		for i := range seg.writes {
			ref := seg.writes[i].ref
			need.add(ref, Data, w.regs.of(ref))
			s.value(nd, n, ref, w.regs.of(ref))
			if k := w.kept.of(ref); k != 0 {
				nd.Kept |= k
				for _, op := range seg.writes[i].by {
					need.add(f.Code[op].Guard, Guard, k)
				}
			}
		}
		s.flow(t, need)
	case kAccess:
		s.access(n, e, nd, w)
	// The condition of the branch, or the number that a branch table is indexed by.
	case kBranch:
		seg := &s.h.Plan.segs[e.seg]
		in := &f.Code[seg.op]
		t := &task{node: nd, wave: e.wave, time: n, start: seg.start, end: seg.op, act: e.lanes, access: -1}
		need := &needs{}
		need.add(in.Guard, Guard, w.lanes)
		if f.Val(in.Args[0]).Scalar {
			need.add(in.Args[0], Guard, 1)
		} else {
			need.add(in.Args[0], Guard, w.lanes)
		}
		nd.Lanes |= w.lanes
		s.flow(t, need)
	case kMet:
		for _, r := range s.h.Plan.results(int(e.seg)) {
			if s.h.Plan.guest(r) {
				s.value(nd, n, r, w.regs.of(s.h.Plan.register(r)))
			}
		}
		s.met(n, e, d, nd, w)
	case kWrote:
		s.wrote(n, e, d, nd, w)
	}
}

// values notes the wanted values of an event without following them.
func (s *slicer) values(n int, e *event, nd *Node, w *want) {
	switch e.kind {
	case kWrites:
		for _, x := range s.h.Plan.segs[e.seg].writes {
			s.value(nd, n, x.ref, w.regs.of(x.ref))
		}
	case kMet:
		for _, r := range s.h.Plan.results(int(e.seg)) {
			if s.h.Plan.guest(r) {
				s.value(nd, n, r, w.regs.of(s.h.Plan.register(r)))
			}
		}
	}
}

// value adds to a node the lanes m of a register that event n wrote.
func (s *slicer) value(nd *Node, n int, r ir.Ref, m lane.Mask) {
	if m == 0 {
		return
	}
	_, data := s.h.recorded(n, r)
	v := s.h.Plan.f.Val(r)
	x := Value{Ref: r, Lanes: m}
	if v.Scalar {
		x.Bits = []uint64{element(v, data, 0)}
	} else {
		for i := range m.Lanes() {
			x.Bits = append(x.Bits, element(v, data, i))
		}
		nd.Lanes |= m
	}
	nd.Value = append(nd.Value, x)
}

// access follows the values that a store or an atomic put into memory.
func (s *slicer) access(n int, e *event, nd *Node, w *want) {
	seg := &s.h.Plan.segs[e.seg]
	in := &s.h.Plan.f.Code[seg.op]
	t := &task{node: nd, wave: e.wave, time: n, start: seg.start, end: seg.op, act: e.lanes, access: -1}
	m := w.lanes
	// The result of an atomic depends on the old value, which lanes before it may have stored. An
	// exchange does not.
	old := in.Op == ir.Atomic && ir.AtomicOp(in.Imm>>32) != ir.AtomExch
	if old {
		m = s.sharing(n, e, m)
	}
	need := &needs{}
	for h := ir.Ref(0); h < max(1, ir.Ref(in.Size)/8); h++ {
		if in.Args[1] != 0 {
			need.add(in.Args[1]+h, Data, m)
		}
		if in.Args[2] != 0 {
			need.add(in.Args[2]+h, Data, m)
		}
		if in.Size < 16 {
			break
		}
	}
	need.add(in.Args[0], Address, m)
	s.guardNeed(need, in, m)
	nd.Lanes |= m
	v := s.h.Plan.f.Val(in.Args[1])
	x := Value{Ref: in.Args[1], Lanes: m}
	for i := range m.Lanes() {
		b, ok := s.eval(t, seg.op, in.Args[1], i)
		if !ok {
			x.Bits = nil
			break
		}
		if in.Size < 8 {
			b &= 1<<(8*in.Size) - 1
		}
		if x.Bits = append(x.Bits, b); v.Scalar {
			break
		}
	}
	if x.Bits != nil {
		nd.Value = append(nd.Value, x)
	}
	s.h.addresses(n, func(l int, a uint64) bool {
		if m.Has(l) {
			sp, at := s.h.resolve(in.Space, a)
			nd.Space = sp
			nd.Items = append(nd.Items, Item{Lane: l, Addr: at, Size: uint64(in.Size)})
		}
		return true
	})
	if old {
		s.read(t, seg.op, in, m, n)
	}
	s.flow(t, need)
	s.control(n, e, nd, m)
}

// sharing returns m and the lanes of an atomic that act on the same memory as a lane of m and not after
// it. If the schedule is random, the order of lanes is not known, so all lanes with that address count.
func (s *slicer) sharing(n int, e *event, m lane.Mask) lane.Mask {
	last := map[uint64]int{}
	s.h.addresses(n, func(l int, a uint64) bool {
		if m.Has(l) {
			last[a] = l
		}
		return true
	})
	s.h.addresses(n, func(l int, a uint64) bool {
		if at, ok := last[a]; ok && (l <= at || s.h.launch.Schedule.Random) {
			m |= lane.Lane(l)
		}
		return true
	})
	return m
}

// guardNeed adds the guard of an operation. For GCN3 the guard is EXEC.
func (s *slicer) guardNeed(need *needs, in *ir.Inst, m lane.Mask) {
	if !in.Scalar {
		need.add(in.Guard, Guard, m)
	}
}

// flow follows needs backwards through the operations of a task, to the registers that the instruction
// read.
//
// Input: the needed values after operation t.end-1.
// Output: wants of the events that wrote the registers which the instruction read.
// Invariant: a need is satisfied by the last operation before it that writes the lane; under a guard,
// only in the lanes in which the guard held. Lanes without a writer in the instruction go on to the
// register, see leftOver.
// Example: "t0 = a * b; t1 = t0 + c" and the need t1: t1 is replaced by t0 and c, then t0 by a and b;
// a, b and c are left over.
func (s *slicer) flow(t *task, need *needs) {
	f := s.h.Plan.f
	if t.end == 0 {
		s.leftOver(t, need)
		return
	}
	// All operations of one guest instruction have the same position; the task ends where it changes.
	pos := f.Code[max(t.start, t.end-1)].Pos
	if t.start == t.end && t.end < len(f.Code) {
		pos = f.Code[t.end].Pos
	}
	added := &needs{}
	for k := t.end - 1; k >= 0 && f.Code[k].Pos == pos; k-- {
		in := &f.Code[k]
		for i, d := range [2]ir.Ref{in.Dst, in.Dst2} {
			if d == 0 || k < t.start && f.Val(d).Kind != ir.Temp {
				continue
			}
			need.sort()
			for at, key := range need.keys {
				m := need.m[at]
				if m == 0 || !s.h.Plan.same(key.ref, d) && !s.h.Plan.shares(key.ref, d) {
					continue
				}
				if !s.h.Plan.same(key.ref, d) {
					// Another view of the same bytes: all lanes count.
					s.through(t, k, in, i, lane.All(f.Lanes)&t.act, key.role, added)
					continue
				}
				got := s.writes(t, k, in, m)
				if got == 0 {
					continue
				}
				// The guard of the data is a Guard; the guard of an address belongs to the address.
				if key.role == Data || key.role == Memory {
					s.guardNeed(added, in, m)
				} else if !in.Scalar {
					added.add(in.Guard, key.role, m)
				}
				need.m[at] &^= got
				s.through(t, k, in, i, got, key.role, added)
			}
		}
		// An operation reads before it writes, so its own operands are added after its results are
		// removed.
		for at, key := range added.keys {
			need.add(key.ref, key.role, added.m[at])
		}
		added.keys, added.m = added.keys[:0], added.m[:0]
	}
	s.leftOver(t, need)
}

// writes returns the lanes of m that an operation writes.
func (s *slicer) writes(t *task, k int, in *ir.Inst, m lane.Mask) lane.Mask {
	if in.Op == ir.WriteLane {
		if l, ok := s.eval(t, k, in.Args[1], 0); ok {
			return m & lane.Lane(int(l)&(s.h.Plan.f.Lanes-1))
		}
		return m
	}
	if in.Guard == 0 || in.Scalar || s.h.Plan.f.Val(in.Dst).Kind == ir.Temp && in.Op.Pure() {
		return m
	}
	var got lane.Mask
	for i := range m.Lanes() {
		if g, ok := s.eval(t, k, in.Guard, i); !ok || (g != 0) != in.GuardNot {
			got |= lane.Lane(i)
		}
	}
	return got
}

// leftOver asks which events wrote the registers that the instruction read. A temporary that is left
// over is not followed.
func (s *slicer) leftOver(t *task, need *needs) {
	need.sort()
	for i, k := range need.keys {
		m := need.m[i]
		if m == 0 {
			continue
		}
		switch s.h.Plan.f.Val(k.ref).Kind {
		case ir.Const:
		case ir.Temp:
			s.end(t.node, k.role, 0, m, &Node{Kind: Unknown, Name: "part of the instruction"})
		default:
			s.register(t, k.ref, k.role, m)
		}
	}
}

// register adds edges to the events that wrote lanes of a register, and the ends of the graph for lanes
// that no recorded event wrote.
func (s *slicer) register(t *task, r ir.Ref, role Role, m lane.Mask) {
	h := s.h
	// left are the lanes that no recorded event wrote.
	hits, left := h.before(t.wave, t.time, r, m)
	for _, x := range hits {
		w, nd := s.need(x.n)
		w.regs.add(x.ref, x.lanes)
		edge(t.node, role, r, x.lanes, nd.ID)
	}
	s.keptBy(t, r, hits, m)
	if left == 0 {
		return
	}
	f := h.Plan.f
	if f.Exec != 0 && h.Plan.overlap(r, f.Exec) && role == Guard {
		return // EXEC at the start: all lanes of the wave
	}
	// Events have been forgotten, so an older event may have written the lanes.
	if h.first > 0 {
		s.end(t.node, role, r, left, &Node{Kind: Older, Name: f.Val(r).Name})
		return
	}
	run := &h.waves[t.wave]
	nd := &Node{Kind: Unwritten, Name: f.Val(r).Name}
	// A register that the launch filled is an input. A constant of the launch is shown by
	// no node.
	for _, in := range f.Inputs {
		if h.Plan.overlap(in.Dst, r) {
			nd.Kind, nd.In = Input, in.Kind
			if in.Kind == ir.InConst {
				return
			}
			if h.Plan.same(in.Dst, r) {
				break
			}
		}
	}
	for i := range left.Lanes() {
		nd.Items = append(nd.Items, Item{Lane: i, Bits: h.initial(run, r, i)})
	}
	s.end(t.node, role, r, left, nd)
}

// keptBy notes the instructions whose guard kept them from writing lanes of a register since its last
// write. It looks back at most 64 writes.
func (s *slicer) keptBy(t *task, r ir.Ref, hits []hit, m lane.Mask) {
	h, f := s.h, s.h.Plan.f
	over := h.Plan.overlapping(r)
	// With several views of the register it is not known which write was kept away.
	if len(over) != 1 || f.Val(r).Scalar {
		return
	}
	list := h.written(&h.waves[t.wave], over[0]).events
	end, _ := slices.BinarySearch(list, t.time)
	for i := end - 1; i >= 0 && i >= end-64; i-- {
		n := list[i]
		e, _ := h.event(n)
		wrote, _ := h.recorded(n, over[0])
		kept := e.lanes & m &^ wrote
		m &^= wrote
		if m == 0 && kept == 0 {
			return
		}
		if kept == 0 || e.kind != kWrites {
			continue
		}
		for _, x := range h.Plan.segs[e.seg].writes {
			for _, op := range x.by {
				if g := f.Code[op].Guard; x.ref == over[0] && g != 0 && !h.Plan.same(g, f.Exec) && f.Code[op].Op != ir.WriteLane {
					w, nd := s.need(n)
					w.kept.add(over[0], kept)
					edge(t.node, Kept, r, kept, nd.ID)
				}
			}
		}
	}
}
