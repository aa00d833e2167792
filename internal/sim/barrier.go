package sim

import (
	"fmt"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// numBarriers is the number of barriers of a block: 16 named ones (PTX 9.7.14.1), and one more for
// s_barrier, which does not share them.
const numBarriers = 17

const waveBarrier = numBarriers - 1

// barrier is the state of one barrier of the block in flight. PTX 9.7.14.1: waves arrive, not lanes. A wave
// has arrived when all its lanes that have not exited wait at the barrier. It then counts as the full size
// of a wave, however many of its lanes have exited.
//
// Input: barrier operations of lanes (Wait), and lanes that exit (exited).
// Output: lanes that go on after the barrier (tryRelease), results of reductions, and findings.
// Invariant: the state is reset before the released lanes run, so that they can begin the next phase. If a
// wave arrives twice in one phase, it counts twice, and that is a finding.
// Example: bar.sync 0, 64 in a block of three waves: the barrier opens when two waves have arrived.
type barrier struct {
	inUse    bool
	mode     ir.BarMode // the mode of the instruction that began the phase
	count    uint32     // lanes expected; 0: the lanes of all waves that have not exited
	total    uint32     // lanes counted
	waves    uint64     // a bit per wave that has been counted
	pos      int32      // the instruction that began the phase
	last     int32      // 1 + the position of the last arrival that did not wait; 0: none
	popc     uint32     // for a reduction: how many lanes have brought a true predicate
	all, any bool       // for a reduction: conjunction and disjunction of the predicates
}

// Wait handles a barrier operation, the last of block w.PC, for the lanes that execute it. It returns true
// if they go on at once. Lanes that name different barriers wait at different barriers.
func (w *Wave) Wait(in *ir.Inst, lanes lane.Mask) bool {
	w.barred = true
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

// alikeIn returns the lanes that hold the same B32 value as the first lane.
func (f *ValueFrame) alikeIn(r ir.Ref, lanes lane.Mask) lane.Mask {
	if r == 0 || f.Func.Values[r].Kind == ir.Const || f.Func.Values[r].Scalar {
		return lanes
	}
	first := f.Get(r, lanes.First())
	same := lanes
	for i := range lanes.Lanes() {
		if f.Get(r, i) != first {
			same &^= lane.Lane(i)
		}
	}
	return same
}

// wait is Wait for lanes, at least one, that name the same barrier and the same count.
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
			w.noteBar(in, lanes, fmt.Sprintf("%s a barrier outside 0 to 15", lanes.Do("names", "name")), in.Pos)
			id &= 15
		}
		w.begin(id, in, lanes, count)
	} else {
		b := &w.bars[id]
		if !b.inUse {
			*b = barrier{inUse: true, pos: in.Pos}
		} else if b.pos != in.Pos {
			w.apartBar(in, id, lanes)
		}
	}
	// bar.arrive does not wait: if all live lanes of the wave execute it together, they go on at once.
	arrives := in.Op == ir.Bar && ir.BarMode(in.Imm)&ir.BarModeMask == ir.BarArrive
	if arrives && lanes&w.Live == w.Live {
		w.arrive(id, in, lanes)
		w.bars[id].total += uint32(w.Func.Lanes)
		w.tryRelease(id)
		return true
	}
	w.park(parked{pc: w.PC, lanes: lanes, bar: id})
	w.Active &^= lanes
	w.settle(id)
	w.tryRelease(id)
	return false
}

// begin starts a phase of a barrier if none is open. Otherwise it checks that the request of the lanes fits
// the open phase.
func (w *Wave) begin(id int, in *ir.Inst, lanes lane.Mask, count uint32) {
	b := &w.bars[id]
	mode := ir.BarMode(in.Imm) & ir.BarModeMask
	size := uint32(w.Func.Lanes)
	if count%size != 0 || count == 0 && mode == ir.BarArrive {
		w.noteBar(in, lanes, fmt.Sprintf("%s %d threads for barrier %d: the number must be a multiple of the warp size, %d", lanes.Do("gives", "give"), count, id, size), in.Pos)
	}
	if !b.inUse {
		*b = barrier{inUse: true, count: count, pos: in.Pos, mode: mode, all: true}
		return
	}
	// Without a count all threads of the block take part.
	whole := func(n uint32) uint32 {
		if n == 0 {
			return uint32(len(w.Waves)) * size
		}
		return n
	}
	switch {
	case whole(count) != whole(b.count):
		w.noteBar(in, lanes, fmt.Sprintf("%s %s at barrier %d, where the threads that already wait expect %s",
			lanes.Do("expects", "expect"), threads(count), id, threads(b.count)), b.pos)
	case b.mode != mode && b.mode >= ir.BarRedPopc && mode >= ir.BarRedPopc:
		w.noteBar(in, lanes, fmt.Sprintf("%s barrier %d for another reduction than the threads that already wait: one use of a barrier has one reduction", lanes.Do("uses", "use"), id), b.pos)
	case (b.mode >= ir.BarRedPopc) != (mode >= ir.BarRedPopc):
		w.noteBar(in, lanes, fmt.Sprintf("%s barrier %d together with another kind of operation: a reduction must not be mixed with sync or arrive", lanes.Do("uses", "use"), id), b.pos)
	case b.waves>>uint(w.ID)&1 != 0:
		w.noteBar(in, lanes, fmt.Sprintf("%s at barrier %d again before it has completed: the warp counts twice", lanes.Do("arrives", "arrive"), id), b.pos)
	case count == 0 && b.count == 0 && in.Pos != b.pos:
		w.apartBar(in, id, lanes)
	}
}

// apartBar notes that waves of a block meet at different barrier instructions. The instruction sets count
// arrivals from any instruction (PTX 9.7.14.1; GCN3 ISA, s_barrier); the languages above them do not allow
// it.
func (w *Wave) apartBar(in *ir.Inst, id int, lanes lane.Mask) {
	if !w.Launch.Hints {
		return
	}
	b := &w.bars[id]
	pos, src := where(w.Func, b.pos)
	w.note(w, CodeBarrierApart, in.Pos, finding{lanes: lanes, text: fmt.Sprintf("wave %d meets waves at %s that are at another instruction", w.ID, barrierName(id)),
		rel: []diag.Related{related(pos, w.Func.Pos[b.pos].Name+": the other one", src)}})
}

// threads names the expected number of threads of a barrier.
func threads(count uint32) string {
	if count == 0 {
		return "all threads of the block"
	}
	return fmt.Sprintf("%d threads", count)
}

// noteBar records a misuse of a barrier. other is the instruction that shows the conflict; it is named if
// it differs from in.
func (w *Wave) noteBar(in *ir.Inst, lanes lane.Mask, text string, other int32) {
	f := finding{lanes: lanes, text: text}
	if other != in.Pos {
		pos, src := where(w.Func, other)
		f.rel = []diag.Related{related(pos, w.Func.Pos[other].Name+": the first use of the barrier", src)}
	}
	w.note(w, CodeBadBarrier, in.Pos, f)
}

// arrive notes that the wave is at a barrier, with the predicates that lanes at one instruction bring.
func (w *Wave) arrive(id int, in *ir.Inst, lanes lane.Mask) {
	b := &w.bars[id]
	if w.races != nil {
		w.races.Arrive(id, ^lane.Mask(0))
	}
	if in.Op != ir.Bar {
		return
	}
	switch mode := ir.BarMode(in.Imm) & ir.BarModeMask; {
	case mode == ir.BarArrive:
		b.last = in.Pos + 1
	case mode >= ir.BarRedPopc:
		p := w.Mask(in.Args[2])
		b.popc += uint32((p & lanes).Count())
		b.all = b.all && lanes&^p == 0
		b.any = b.any || lanes&p != 0
	}
	b.waves |= 1 << uint(w.ID)
}

// settle counts the wave at a barrier if all its lanes that have not exited are there. Lanes of bar.arrive,
// which does not wait, go on.
//
// Input: the parked lanes of the wave.
// Output: parked sets marked as counted, lanes of bar.arrive back in frags, the wave's lanes in total.
// Invariant: a parked set is counted once.
// Example: lanes 0–15 came by line 10 and lanes 16–31 by line 20. When both are parked, the wave counts; if
// the barrier is aligned, noteApart reports the two instructions.
func (w *Wave) settle(id int) {
	var here, fresh lane.Mask
	first, apart := int32(-1), false
	aligned := !w.Func.MeetAnywhere
	for i := range w.parked {
		p := &w.parked[i]
		in := p.inst(w.Func)
		if p.bar != id || in.Op.Meets() {
			continue
		}
		here |= p.lanes
		if p.counted {
			continue
		}
		fresh |= p.lanes
		aligned = aligned || ir.BarMode(in.Imm)&ir.BarAligned != 0
		apart = apart || first >= 0 && in.Pos != first
		first = in.Pos
	}
	if fresh == 0 || w.Live&^here != 0 {
		return
	}
	if apart && aligned && id != waveBarrier {
		w.noteApart(id)
	}
	rest := w.parked[:0]
	b := &w.bars[id]
	for _, p := range w.parked {
		in := p.inst(w.Func)
		if p.bar != id || in.Op.Meets() || p.counted {
			rest = append(rest, p)
			continue
		}
		w.arrive(id, in, p.lanes)
		if in.Op == ir.Bar && ir.BarMode(in.Imm)&ir.BarModeMask == ir.BarArrive {
			w.add(p.pc+1, p.lanes, false)
			continue
		}
		p.counted = true
		rest = append(rest, p)
	}
	b.total += uint32(w.Func.Lanes)
	w.parked = rest
}

// noteApart reports lanes of one wave that are at different aligned barrier instructions. Aligned means
// that all lanes of the wave execute the same one.
func (w *Wave) noteApart(id int) {
	var first *parked
	for i := range w.parked {
		p := &w.parked[i]
		if in := p.inst(w.Func); p.bar != id || in.Op.Meets() || p.counted {
			continue
		}
		if first == nil {
			first = p
			continue
		}
		in, other := p.inst(w.Func), first.inst(w.Func)
		if in.Pos == other.Pos {
			continue
		}
		pos, src := where(w.Func, other.Pos)
		w.note(w, CodeNotConverged, in.Pos, finding{lanes: p.lanes, bar: true,
			text: fmt.Sprintf("%s it while %s another barrier instruction", p.lanes.Do("executes", "execute"), first.lanes.Do("executes", "execute")),
			rel:  []diag.Related{related(pos, w.Func.Pos[other.Pos].Name+": the other one", src)}})
	}
}

// barrierName returns the name of a barrier in messages.
func barrierName(id int) string {
	if id == waveBarrier {
		return "s_barrier"
	}
	return fmt.Sprintf("barrier %d", id)
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

// tryRelease opens a barrier if all the waves or threads that it waits for have arrived.
func (k *Block) tryRelease(id int) {
	b := &k.bars[id]
	if !b.inUse {
		return
	}
	// With a count, lanes count; without one, every live wave has to be here completely.
	if b.count != 0 {
		if b.total < b.count && !k.onlyExited(b, id) {
			return
		}
	} else {
		some := false
		for _, w := range k.Waves {
			if w.Live == 0 {
				continue
			}
			m := w.waiting(id)
			if w.Live&^m != 0 && b.waves>>uint(w.ID)&1 == 0 {
				return
			}
			some = some || m != 0
		}
		if !some {
			return
		}
	}
	// The barrier opens. Its state is copied and reset before lanes go on, so that they can begin the next
	// phase.
	done := *b
	k.absent(id, &done)
	k.lastBars[id] = lastUse{pos: done.pos + 1, waves: done.waves, count: done.count}
	*b = barrier{}
	k.quiet, k.look = 0, k.lookAfter // the waves have made progress
	if k.blockRaces != nil {
		k.blockRaces.Open(id, done.count == 0)
	}
	// Each wave keeps the lanes that wait elsewhere or belong to the next phase, and releases the rest.
	for _, w := range k.Waves {
		rest := w.parked[:0]
		for _, p := range w.parked {
			in := p.inst(w.Func)
			if p.bar != id || in.Op.Meets() {
				rest = append(rest, p)
				continue
			}
			if in.Op == ir.Bar && !p.counted {
				// The wave is incomplete: these lanes belong to the next phase.
				if !b.inUse {
					*b = barrier{inUse: true, pos: in.Pos, mode: ir.BarMode(in.Imm) & ir.BarModeMask, all: true}
					if in.Args[1] != 0 {
						b.count = uint32(w.Get(in.Args[1], p.lanes.First()))
					}
				}
				rest = append(rest, p)
				continue
			}
			if in.Op == ir.Bar {
				w.barResult(in, p.lanes, &done)
			}
			if w.races != nil {
				w.races.Leave(id, p.lanes)
			}
			w.add(p.pc+1, p.lanes, false)
		}
		w.parked = rest
	}
}

// onlyExited reports whether a barrier with a count waits only for threads that have exited, and notes it.
// PTX 9.7.13.7 (exit) releases that barrier. All remaining waves wait at it, and the waves that have
// ended without arriving are at least as many as are missing.
func (k *Block) onlyExited(b *barrier, id int) bool {
	missing := b.count - b.total
	gone, waits := uint32(0), -1
	var out *Wave
	for i, w := range k.Waves {
		switch {
		case w.Live != 0 && w.Live&^w.waiting(id) != 0:
			return false
		case w.Live != 0:
			waits = i
		case b.waves>>uint(w.ID)&1 == 0:
			gone += uint32(w.Func.Lanes)
			out = w
		}
	}
	if waits < 0 || out == nil || gone < missing {
		return false
	}
	k.note(k.Waves[waits], CodeExitedLanes, b.pos, finding{lanes: k.Waves[waits].Live, mild: true,
		text: fmt.Sprintf("%d of %d threads have come to %s and no more can come: it opens because the rest has exited, wave %d among them", b.total, b.count, barrierName(id), out.ID)})
	return true
}

// lastUse describes the last completed phase of a barrier.
type lastUse struct {
	pos   int32 // 1 + the instruction that began it; 0: there was none
	waves uint64
	count uint32
}

// absent notes lanes of the block that have exited without taking part in a barrier for the whole block.
func (k *Block) absent(id int, b *barrier) {
	if !k.Launch.Hints || b.count != 0 {
		return
	}
	for _, w := range k.Waves {
		out := w.Initial &^ w.Live
		if w.Func.Exec != 0 && w.Live != 0 || out == 0 || b.waves>>uint(w.ID)&1 != 0 && w.Live == 0 {
			continue // lanes of GCN3 end together; a wave that has arrived and ended took part
		}
		k.note(w, CodeExitedLanes, b.pos, finding{lanes: out, text: fmt.Sprintf("%s without coming to %s; the other threads go on", out.Do(fmt.Sprintf("of wave %d has exited", w.ID), fmt.Sprintf("of wave %d have exited", w.ID)), barrierName(id))})
		return
	}
}

// barResult writes the result of a reduction at a barrier to lanes.
func (w *Wave) barResult(in *ir.Inst, lanes lane.Mask, b *barrier) {
	if r := w.Launch.Recorder; r != nil && (in.Dst != 0 || in.Dst2 != 0) {
		defer r.Met(w, []Meeting{{in, lanes}}, lanes, 0)
	}
	switch ir.BarMode(in.Imm) & ir.BarModeMask {
	case ir.BarRedPopc:
		w.splat32(in.Dst, b.popc, lanes)
	case ir.BarRedAnd:
		w.setPred(in.Dst2, lanes, b.all)
	case ir.BarRedOr:
		w.setPred(in.Dst2, lanes, b.any)
	}
}

// exited opens the barriers that waited only for lanes which have just exited.
func (w *Wave) exited() {
	for id := range w.bars {
		if w.bars[id].inUse {
			if w.Live != 0 {
				w.settle(id)
			}
			w.tryRelease(id)
		}
	}
}

// leftOver reports arrivals for which no lane had waited when the block ends.
func (k *Block) leftOver() {
	if !k.barred {
		return
	}
	for id := range k.bars {
		if b := &k.bars[id]; b.inUse && b.last != 0 {
			w := k.Waves[0]
			// The last release of a pipeline has no lane left to wait for it. PTX 9.7.14.7: lanes that wait
			// for threads that have exited are released.
			used := k.lastBars[id].pos != 0
			k.note(w, CodeUnmatchedArrive, b.last-1, finding{lanes: w.Initial, used: used,
				text: fmt.Sprintf("the block ends with %d of %d threads at %s: no thread waits for this arrival", b.total, b.count, barrierName(id))})
		}
	}
}

// wavesNamed names the waves of a set.
func wavesNamed(waves uint64) string {
	var s []string
	for i := range 64 {
		if waves>>uint(i)&1 != 0 {
			s = append(s, fmt.Sprint(i))
		}
	}
	if len(s) == 1 {
		return "wave " + s[0]
	}
	return "waves " + strings.Join(s, ", ")
}

// barrierMissing describes the lanes that have not arrived at a barrier; "" if there are none.
func (k *Block) barrierMissing(id int, self *Wave) string {
	b := &k.bars[id]
	var s []string
	if b.count != 0 {
		s = append(s, fmt.Sprintf("%d of %d threads have arrived", b.total, b.count))
		if all := len(k.Waves) * self.Func.Lanes; int(b.count) > all {
			s = append(s, fmt.Sprintf("the block has only %d", all))
		} else if l := k.lastBars[id]; l.pos != 0 && l.count != 0 {
			p := self.Func.Pos[l.pos-1]
			s = append(s, fmt.Sprintf("it has completed before, with %s of %s at %s%s", threads(l.count), wavesNamed(l.waves), p.Name, LineOf(p)))
		}
	}
	for _, w := range k.Waves {
		if b.waves>>uint(w.ID)&1 != 0 {
			continue
		}
		m := w.waiting(id)
		if miss := w.Live &^ m; miss != 0 && len(s) < 4 && (b.count == 0 || m != 0 || len(w.parked) > 0) {
			s = append(s, fmt.Sprintf("%s of wave %d missing%s", miss.Named(), w.ID, w.whereAre(miss)))
		}
	}
	if len(s) == 0 {
		return ""
	}
	return ": " + strings.Join(s, "; ")
}
