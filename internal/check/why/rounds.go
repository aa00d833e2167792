package why

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// minRounds is how many executions of an instruction must be in the graph before the end of its loop is
// looked for.
const minRounds = 4

// rounds adds the branches that ended loops.
//
// Input: the graph as the data flow made it.
// Output: an edge Rounds from the last execution of each instruction that occurs at least minRounds
// times to the branch by which the lane left the loop after it. That branch decided the number of
// iterations.
// Invariant: only the nearest reasons of the branch are followed, see nearSteps; without this limit
// every loop counter would repeat the graph.
// Example: "loop: s += x; i += 1; if i < n goto loop" and a question about s: the last "s += x" gets an
// edge to the branch, which reads i and n.
func (s *slicer) rounds() {
	type where struct {
		pos   int32
		wave  int
		block uint64
	}
	last, count := map[where]*Node{}, map[where]int{}
	for _, n := range s.g.Nodes {
		if n.Kind != Executed || n.Pos < 0 {
			continue
		}
		w := where{n.Pos, n.Wave, n.Block}
		// The loop ended after the last execution.
		if count[w]++; last[w] == nil || last[w].Event < n.Event {
			last[w] = n
		}
	}
	var top []*Node
	for w, n := range last {
		if count[w] >= minRounds {
			top = append(top, n)
		}
	}
	slices.SortFunc(top, func(a, b *Node) int { return b.Event - a.Event })
	// A graph at its limit gets no further nodes.
	if s.g.Cut {
		return
	}
	s.nearest, s.level, s.steps = true, -1, map[int]int{}
	// New nodes for the reasons of the branches: the nodes of the data flow have been followed already.
	s.nodes, s.wants = map[int]*Node{}, map[int]*want{}
	for _, n := range top {
		if ev, l := s.left(n); ev >= 0 {
			w, from := s.need(ev)
			w.lanes |= lane.Lane(l)
			edge(n, Rounds, 0, lane.Lane(l), from.ID)
		}
	}
}

// left returns the event of the branch by which a lane left the loop that holds a node's instruction,
// and the lane. The event is -1 if there is none, if the branch's condition cannot be computed, or if
// the lane left by a branch table.
func (s *slicer) left(n *Node) (event, l int) {
	h, f := s.h, s.h.Plan.f
	e, _ := h.event(n.Event)
	l = max(n.Lanes.First(), 0)
	if n.Lanes == 0 { // the node's values are scalar
		l = e.lanes.First()
	}
	op := int(e.seg)
	if e.kind != kMet && e.kind != kWrote {
		op = h.Plan.segs[e.seg].start
	}
	if op < 0 || l > 63 {
		return -1, 0
	}
	from, to, ok := h.Plan.loop(h.Plan.blockOf(op))
	if !ok {
		return -1, 0
	}
	list := h.waves[e.wave].branch
	i, _ := slices.BinarySearch(list, n.Event)
	for ; i < len(list); i++ {
		b, _ := h.event(list[i])
		if !b.lanes.Has(l) && f.Exec == 0 {
			continue
		}
		seg := &h.Plan.segs[b.seg]
		at := h.Plan.blockOf(seg.op)
		if at < from || at > to {
			return -1, 0
		}
		in := &f.Code[seg.op]
		t := &task{wave: e.wave, time: list[i], start: seg.start, end: seg.op, act: b.lanes, access: -1}
		next := at + 1
		switch in.Op {
		case ir.Bra:
			if g, ok := s.eval(t, seg.op, in.Guard, l); !ok {
				return -1, 0
			} else if (g != 0) != in.GuardNot {
				next = int(in.Imm)
			}
		case ir.SBra:
			if g, ok := s.eval(t, seg.op, in.Args[0], 0); !ok {
				return -1, 0
			} else if (g != 0) != in.GuardNot {
				next = int(in.Imm)
			}
		default:
			return -1, 0
		}
		// The first branch after the node that leads out of the loop.
		if next < from || next > to {
			return list[i], l
		}
	}
	return -1, 0
}

// loop returns the smallest loop that a block is in, as the range of blocks from the target of the back
// edge to the block that branches back. Blocks are in topological order except for back edges (see
// ir.Func.Converge), so a loop is a range.
func (p *Plan) loop(block int) (from, to int, ok bool) {
	for u := block; u < len(p.f.Blocks); u++ {
		for _, v := range p.after(u) {
			if v <= block && (!ok || v > from) {
				from, to, ok = v, u, true
			}
		}
		if ok {
			// Further back edges to the same place belong to the loop.
			for w := u + 1; w < len(p.f.Blocks); w++ {
				if slices.Contains(p.after(w), from) {
					to = w
				}
			}
			return from, to, true
		}
	}
	return 0, 0, false
}
