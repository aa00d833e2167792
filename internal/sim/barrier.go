package sim

import (
	"fmt"
	"strings"

	"crosslane/internal/ir"
	"crosslane/lane"
)

// numBarriers is the number of named barriers of a block (PTX 9.7.13.1), and one
// more for s_barrier, which does not share them.
const numBarriers = 17

const waveBarrier = numBarriers - 1

// barrier is the state of one barrier of the block in flight.
type barrier struct {
	inUse    bool
	count    uint32 // lanes expected; 0: all that have not exited
	arrived  uint32 // by bar.arrive, in lanes
	popc     uint32
	all, any bool
}

// Wait handles a barrier operation, the last of block w.PC, for the lanes that
// execute it. It returns true if they go on at once. Lanes that name different
// barriers wait at different barriers.
func (w *Wave) Wait(in *ir.Inst, lanes lane.Mask) bool {
	goOn := true
	for rest := lanes; rest != 0; {
		same := rest
		if in.Op == ir.Bar {
			same = w.alikeIn(in.Args[1], w.alikeIn(in.Args[0], rest))
		}
		goOn = w.wait(in, same) && goOn
		rest &^= same
	}
	return goOn
}

// alikeIn returns those of the lanes that hold the same B32 value as the first.
func (w *Wave) alikeIn(r ir.Ref, lanes lane.Mask) lane.Mask {
	if r == 0 || w.Func.Values[r].Kind == ir.Const || w.Func.Values[r].Scalar {
		return lanes
	}
	first := w.Get(r, lanes.First())
	same := lanes
	for i := range lanes.Lanes() {
		if w.Get(r, i) != first {
			same &^= lane.Lane(i)
		}
	}
	return same
}

// wait is Wait for lanes, at least one, that name one barrier and one count.
func (w *Wave) wait(in *ir.Inst, lanes lane.Mask) bool {
	id, count := waveBarrier, uint32(0)
	if in.Op == ir.Bar {
		id, count = 0, 0
		i := lanes.First()
		if in.Args[0] != 0 {
			id = int(min(w.Get(in.Args[0], i), 255))
		}
		if in.Args[1] != 0 {
			count = uint32(w.Get(in.Args[1], i))
		}
		if id > 15 {
			w.note(w, CodeBadBarrier, in.Pos, finding{lanes: lanes})
			id &= 15
		}
	}
	b := &w.bars[id]
	if !b.inUse {
		*b = barrier{inUse: true, count: count, all: true}
	}
	mode := ir.BarMode(in.Imm)
	if in.Op == ir.Bar && mode >= ir.BarRedPopc {
		p := w.Mask(in.Args[2])
		b.popc += uint32((p & lanes).Count())
		b.all = b.all && lanes&^p == 0
		b.any = b.any || lanes&p != 0
	}
	if in.Op == ir.Bar && mode == ir.BarArrive {
		b.arrived += w.arrival(lanes)
		w.tryRelease(id)
		return true
	}
	w.parked = append(w.parked, parked{pc: w.PC, lanes: lanes, bar: id})
	w.Active &^= lanes
	w.tryRelease(id)
	return false
}

// barrierName is what messages call a barrier.
func barrierName(id int) string {
	if id == waveBarrier {
		return "s_barrier"
	}
	return fmt.Sprintf("barrier %d", id)
}

// arrival is how much a set of lanes counts for: a whole wave counts as all its
// lanes, present or not ("the arrival count is incremented by the warp size", PTX
// 9.7.13.1).
func (w *Wave) arrival(lanes lane.Mask) uint32 {
	if lanes&w.Live == w.Live {
		return uint32(w.Func.Lanes)
	}
	return uint32(lanes.Count())
}

// waiting returns the wave's lanes that wait at a barrier.
func (w *Wave) waiting(id int) lane.Mask {
	var m lane.Mask
	for i := range w.parked {
		if p := &w.parked[i]; p.bar == id && !p.inst(w.Func).Op.Meets() {
			m |= p.lanes
		}
	}
	return m
}

// tryRelease opens a barrier if everybody it waits for is there.
func (k *Block) tryRelease(id int) {
	b := &k.bars[id]
	if !b.inUse {
		return
	}
	total, all, some := b.arrived, true, false
	for _, w := range k.Waves {
		if w.Live == 0 {
			continue
		}
		m := w.waiting(id)
		if m != 0 {
			total += w.arrival(m)
			some = true
		}
		if w.Live&^m != 0 {
			all = false
		}
	}
	if b.count != 0 {
		if total < b.count {
			return
		}
	} else if !all || !some {
		return
	}
	done := *b
	*b = barrier{}
	for _, w := range k.Waves {
		rest := w.parked[:0]
		for _, p := range w.parked {
			in := p.inst(w.Func)
			if p.bar != id || in.Op.Meets() {
				rest = append(rest, p)
				continue
			}
			if in.Op == ir.Bar {
				w.barResult(in, p.lanes, &done)
			}
			w.add(p.pc+1, p.lanes, false)
		}
		w.parked = rest
	}
}

func (w *Wave) barResult(in *ir.Inst, lanes lane.Mask, b *barrier) {
	switch ir.BarMode(in.Imm) {
	case ir.BarRedPopc:
		w.splat32(in.Dst, b.popc, lanes)
	case ir.BarRedAnd:
		w.setPred(in.Dst2, lanes, b.all)
	case ir.BarRedOr:
		w.setPred(in.Dst2, lanes, b.any)
	}
}

// exited looks whether lanes that have just exited were what a barrier waited for.
func (w *Wave) exited() {
	for id := range w.bars {
		w.tryRelease(id)
	}
}

// barrierMissing says who has not arrived at a barrier.
func (k *Block) barrierMissing(id int, self *Wave) string {
	b := &k.bars[id]
	var s []string
	for _, w := range k.Waves {
		if miss := w.Live &^ w.waiting(id); miss != 0 && len(s) < 4 {
			s = append(s, fmt.Sprintf("%s of wave %d missing%s", miss.Named(), w.ID, w.whereAre(miss)))
		}
	}
	if b.count != 0 {
		s = append(s, fmt.Sprintf("it expects %d lanes", b.count))
	}
	if len(s) == 0 {
		return ""
	}
	return ": " + strings.Join(s, "; ")
}
