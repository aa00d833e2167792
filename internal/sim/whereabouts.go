package sim

import (
	"cmp"
	"fmt"
	"slices"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// inFlight returns the blocks of all workers that have begun and not ended. crowded says that a block was
// not started for want of memory.
func inFlight(workers []*Worker) (blocks []*Block, crowded bool) {
	for _, k := range workers {
		blocks = append(blocks, k.resident...)
		crowded = crowded || k.crowded
	}
	slices.SortFunc(blocks, func(x, y *Block) int { return cmp.Compare(x.block, y.block) })
	return blocks, crowded
}

// whereabouts adds to the message of a stopped run the places of its waves, and whether they may be
// waiting.
func (l *Launch) whereabouts(f *Fault, blocks []*Block, crowded bool, workers int) {
	fn := l.Func
	type place struct {
		pos           int32
		block         *Block
		wave          int
		lanes         lane.Mask
		waits         string
		waves, blocks int
		lastBlock     *Block
		lastWave      *Wave
	}
	var list []*place
	at := map[int32]*place{}
	come := func(b *Block, w *Wave, pos int32, lanes lane.Mask, waits string) {
		p := at[pos]
		if p == nil {
			p = &place{pos: pos, block: b, wave: w.ID, waits: waits}
			at[pos] = p
			list = append(list, p)
		}
		if p.block == b && p.wave == w.ID {
			p.lanes |= lanes
		}
		if p.block == b && p.lastWave != w {
			p.lastWave = w
			p.waves++
		}
		if p.lastBlock != b {
			p.lastBlock = b
			p.blocks++
		}
	}
	blind := len(blocks) > 0 // no lane that runs looks at memory repeatedly
	loops := newLoops(fn)
	for _, b := range blocks {
		for _, w := range b.Waves {
			for _, x := range sortedFrags(w.frags) {
				blind = blind && loops.blind(x.pc)
				come(b, w, fn.Code[fn.Blocks[x.pc].Start].Pos, x.lanes, "")
			}
		}
		b.eachParked(func(w *Wave, p *parked, text string) { come(b, w, p.inst(fn).Pos, p.lanes, text) })
	}
	if blind {
		f.Text += "; the loop there touches no memory, so that it waits for nothing: it takes long, or never ends"
		f.Remedy = "look at what ends the loop at the place shown"
	}
	if n := len(blocks); n > workers {
		f.Text += fmt.Sprintf("; %d of %d blocks were in flight", n, l.Blocks())
		if !blind {
			f.Text += ", each waiting for other blocks"
		}
		if crowded {
			f.Text += fmt.Sprintf("; no more could be, for their registers and memory may take %d MB", l.residentBytes()>>20)
		}
	}
	for i, p := range list {
		if p.pos == f.Pos && p.blocks == 1 && p.waves == 1 {
			continue // the fault itself names that place
		}
		if i > shownOthers {
			f.Others = append(f.Others, diag.Related{Message: fmt.Sprintf("%s where lanes are", plural(len(list)-i, "more place", "more places"))})
			break
		}
		text := p.waits
		if text == "" {
			text = p.lanes.Do(fmt.Sprintf("of wave %d is here", p.wave), fmt.Sprintf("of wave %d are here", p.wave))
		}
		if l.Blocks() > 1 {
			text += fmt.Sprintf(", in block (%d,%d,%d)", p.block.index[0], p.block.index[1], p.block.index[2])
		}
		pos, src := where(fn, p.pos)
		f.Others = append(f.Others, related(pos, fn.Pos[p.pos].Name+": "+text+alsoIn(p.waves, p.blocks), src))
	}
}

// loops holds the edges between the basic blocks of a function.
type loops struct {
	fn         *ir.Func
	next, last [][]int      // the blocks that may follow each block, and that it may follow
	known      map[int]bool // the answers of blind so far
}

func newLoops(fn *ir.Func) *loops {
	l := &loops{fn: fn, next: make([][]int, len(fn.Blocks)), last: make([][]int, len(fn.Blocks)), known: map[int]bool{}}
	for b := range fn.Blocks {
		l.next[b] = l.after(b)
		for _, x := range l.next[b] {
			l.last[x] = append(l.last[x], b)
		}
	}
	return l
}

// after returns the basic blocks that may follow block b.
func (l *loops) after(b int) []int {
	fn := l.fn
	last := &fn.Code[fn.Blocks[b].End-1]
	next := []int{b + 1}
	switch last.Op {
	case ir.Bra:
		if next = append(next, int(last.Imm)); last.Guard == 0 {
			next = next[1:]
		}
	case ir.SBra:
		if next = append(next, int(last.Imm)); last.Args[0] == 0 {
			next = next[1:]
		}
	case ir.BraTable:
		next = append(next, fn.Tables[last.Imm]...)
	case ir.EndWave:
		next = nil
	}
	return slices.DeleteFunc(next, func(b int) bool { return b < 0 || b >= len(fn.Blocks) })
}

// reached returns, for every basic block, whether a path over these edges leads there from b.
func reached(b int, edges [][]int) []bool {
	seen := make([]bool, len(edges))
	list := []int{b}
	for len(list) > 0 {
		x := list[len(list)-1]
		list = list[:len(list)-1]
		for _, y := range edges[x] {
			if !seen[y] {
				seen[y] = true
				list = append(list, y)
			}
		}
	}
	return seen
}

// blind reports whether a basic block is in a loop, and none of the loops around it touches memory that
// other lanes could change or waits.
//
// Input: the graph of basic blocks.
// Output: true if the loop cannot be waiting for other lanes.
// Invariant: blocks that are reachable from b and that reach b form its strongly connected component.
// Example: L: add r1, r1, 1; bra L is blind; L: ld r1, [flag]; @p bra L is not.
func (l *loops) blind(b int) bool {
	blind, ok := l.known[b]
	if ok {
		return blind
	}
	from, to := reached(b, l.next), reached(b, l.last)
	blind = from[b]
	for x := range from {
		blind = blind && !(from[x] && to[x] && l.touches(x))
	}
	l.known[b] = blind
	return blind
}

// touches reports whether a basic block has an operation that may wait for other lanes.
func (l *loops) touches(b int) bool {
	blk := l.fn.Blocks[b]
	return slices.ContainsFunc(l.fn.Code[blk.Start:blk.End], func(in ir.Inst) bool {
		switch in.Op {
		case ir.Load, ir.Store, ir.Atomic:
			return in.Space != ir.Local && in.Space != ir.Param && in.Flags&ir.Undefined == 0
		case ir.Bulk, ir.Tensor, ir.Collective, ir.HostCall, ir.ClusterDone, ir.ClusterArrive, ir.Bar, ir.WaveBar, ir.Clock:
			return true
		}
		return in.Op.Meets()
	})
}
