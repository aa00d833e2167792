package why

import (
	"maps"
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// control adds, for lanes of a store, the branch that let them reach it.
//
// Input: event n, a store, and its lanes m.
// Output: an edge Control for each lane to the last branch that the lane executed and that decides
// about the store's block, see decides.
// Invariant: this is control dependence on the executed path, a little relaxed: one way from the branch
// can reach the block and another can avoid it. The textbook definition demands that the first way
// always reaches it.
// Example: "if p goto L; store; L:" has an edge from the store to the branch, and from the branch to p.
// Literature: Ferrante, Ottenstein and Warren, The program dependence graph and its use in optimization
// (TOPLAS 1987).
func (s *slicer) control(n int, e *event, nd *Node, m lane.Mask) {
	h := s.h
	block := h.Plan.blockOf(h.Plan.segs[e.seg].op)
	branches := h.deciding(e.wave, block)
	at := make([]int, len(branches))
	for k, log := range branches {
		at[k] = log.before(log.at(n), laneSet(m))
	}
	for m != 0 {
		// The deciding branch that was executed last decided for its lanes. Lanes that did not execute
		// it look at earlier ones.
		best := -1
		for k, log := range branches {
			if at[k] >= 0 && (best < 0 || log.events[at[k]] > branches[best].events[at[best]]) {
				best = k
			}
		}
		if best < 0 {
			return
		}
		last := branches[best].events[at[best]]
		b, _ := h.event(last)
		got := b.lanes & m
		w, from := s.need(last)
		w.lanes |= got
		edge(nd, Control, 0, got, from.ID)
		m &^= got
		for k, log := range branches {
			// Fewer lanes are left, so the last event of each branch may be an earlier one.
			at[k] = log.before(min(at[k]+1, log.at(last)), laneSet(m))
		}
	}
}

// deciding returns the branches of a wave that decide about a block, in the order of segments, which is
// the same on each run.
func (h *History) deciding(wave int32, block int) (logs []*eventLog[laneSet]) {
	all := h.waves[wave].branchOf
	for _, seg := range slices.Sorted(maps.Keys(all)) {
		if h.Plan.decides(h.Plan.blockOf(h.Plan.segs[seg].op), block) {
			logs = append(logs, all[seg])
		}
	}
	return logs
}

// blockOf returns the basic block of an operation.
func (p *Plan) blockOf(op int) int {
	i, _ := slices.BinarySearchFunc(p.f.Blocks, op, func(b ir.Block, op int) int {
		switch {
		case b.End <= op:
			return -1
		case b.Start > op:
			return 1
		}
		return 0
	})
	return i
}

// decides reports whether the branch at the end of block from decides about block to: one successor can
// reach to, and one successor can reach the end of the program without it.
func (p *Plan) decides(from, to int) bool {
	key := [2]int{from, to}
	if d, ok := p.decided[key]; ok {
		return d
	}
	if p.decided == nil {
		p.decided = map[[2]int]bool{}
	}
	reach, miss := false, false
	for _, next := range p.after(from) {
		r, m := p.ways(next, to)
		reach, miss = reach || r, miss || m
	}
	p.decided[key] = reach && miss
	return reach && miss
}

// ways reports whether block to can be reached from block from, and whether an end of the program can
// be reached without passing to.
func (p *Plan) ways(from, to int) (reach, miss bool) {
	seen := make([]bool, len(p.f.Blocks))
	stack := []int{from}
	for len(stack) > 0 {
		b := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		// Ways through the block do not count as ways that avoid it.
		if b == to {
			reach = true
			continue
		}
		if seen[b] {
			continue
		}
		seen[b] = true
		switch last := &p.f.Code[p.f.Blocks[b].End-1]; last.Op {
		case ir.Exit, ir.EndWave, ir.Trap:
			miss = true
		}
		stack = append(stack, p.after(b)...)
	}
	return reach, miss
}

// after returns the blocks that may follow a block.
func (p *Plan) after(b int) (next []int) {
	last := &p.f.Code[p.f.Blocks[b].End-1]
	always := false
	switch last.Op {
	case ir.Bra, ir.SBra:
		next = append(next, int(last.Imm))
		always = last.Op == ir.Bra && last.Guard == 0 || last.Op == ir.SBra && last.Args[0] == 0
	case ir.BraTable:
		for _, t := range p.f.Tables[last.Imm] {
			if t >= 0 {
				next = append(next, t)
			}
		}
		always = last.Guard == 0
	case ir.Exit, ir.Trap:
		always = last.Guard == 0
	case ir.EndWave:
		always = true
	}
	if !always && b+1 < len(p.f.Blocks) {
		next = append(next, b+1)
	}
	return next
}
