package hazard

import (
	"encoding/binary"
	"slices"

	"example.org/crosslane/internal/ir"
)

// This file holds the start and the arrival of operations while a wave runs: see tracker.

// issue adds the operations that the instruction leaves outstanding.
func (t *tracker) issue(i int32, f *facts, exec uint64, frame []byte) {
	if f.class == numClasses {
		return
	}
	if len(t.flights) > 0 {
		t.arriveFull(f.class, frame)
		if len(f.locks) > 0 {
			t.arriveFull(flyExp, frame)
		}
	}
	e := flight{by: i, lanes: exec}
	if f.flies {
		lds := uint64(0)
		if f.isFlat {
			lds = t.p.inLDS(f, exec, frame)
		}
		if (lds != exec || exec == 0) && !(t.p.light && f.isFlat) {
			e.add(condition{f.class, t.issued[f.class]})
		}
		if lds != 0 {
			e.add(condition{flyFlat, 0})
		}
		if e.open > 0 {
			if e.regs = f.fills; f.shifts() {
				e.regs = nil
				for _, u := range f.writes {
					e.regs = append(e.regs, t.resolve(u, frame))
				}
			}
		}
	}
	if f.stores && exec != 0 {
		w := flight{by: i, lanes: exec, stores: true}
		w.add(condition{f.class, t.issued[f.class]})
		t.launch(w, frame)
	}
	t.issued[f.class]++
	if f.isFlat { // it counts after those of LDS, too: Errata E125
		t.issued[flyLDS]++
	}
	if e.open > 0 {
		t.launch(e, frame)
		if t.p.late && frame != nil {
			t.open, t.before = &t.flights[len(t.flights)-1], t.before[:0]
			for _, r := range e.regs {
				t.before = append(t.before, t.p.copyOf(r, frame)...)
			}
		}
	}
	if len(f.locks) > 0 {
		lock := flight{by: i, lanes: exec, locks: true}
		lock.add(condition{flyExp, t.issued[flyExp]})
		for _, u := range f.locks {
			lock.regs = append(lock.regs, u.RegRun)
		}
		t.launch(lock, frame)
		t.issued[flyExp]++
		if n := len(t.flights) - 2; t.open != nil && n >= 0 {
			t.open = &t.flights[n]
		}
	}
}

// add adds one more condition for the arrival of the flight.
func (e *flight) add(c condition) {
	e.conds[e.open] = c
	e.open++
}

// arriveFull delivers the oldest operation of the class if its counter has no room for one more.
func (t *tracker) arriveFull(class flightClass, frame []byte) {
	if _, ordered := class.counter(); !ordered || t.issued[class] < class.room(t.p.chip) {
		return
	}
	t.arrive(func(c condition) bool { return c.class == class && t.issued[class]-c.seq > class.room(t.p.chip) }, frame)
}

// maxFlights bounds the number of flights in programs that never wait.
const maxFlights = 64

// launch adds a flight to the outstanding ones.
func (t *tracker) launch(e flight, frame []byte) {
	if !t.p.late {
		// If an earlier flight of an ordered class fills only registers that this one fills too, it
		// is dropped: its users are reported for this flight.
		_, ordered := e.conds[0].class.counter()
		t.flights = slices.DeleteFunc(t.flights, func(o flight) bool {
			return ordered && o.open == 1 && e.open == 1 && o.conds[0].class == e.conds[0].class && o.locks == e.locks && o.stores == e.stores &&
				o.lanes&^e.lanes == 0 && len(o.regs) == len(e.regs) && slices.Equal(o.regs, e.regs)
		})
	}
	if len(t.flights) >= maxFlights {
		if t.p.late && frame != nil {
			t.deliver(&t.flights[0], frame)
		}
		t.flights = slices.Delete(t.flights, 0, 1)
	}
	t.flights = append(t.flights, e)
}

// inLDS returns the lanes whose flat address is in LDS.
func (p *tracking) inLDS(f *facts, exec uint64, frame []byte) (lds uint64) {
	if frame == nil {
		return 0
	}
	size := p.chip.RowBytes()
	at := p.vgpr + size*uint32(f.flat+1)
	// The upper halves are mostly the same in all lanes.
	high := frame[at : at+size]
	first := binary.NativeEndian.Uint64(high)
	other := first ^ (first<<32 | first>>32)
	for i := 8; i < len(high); i += 8 {
		other |= binary.NativeEndian.Uint64(high[i:]) ^ first
	}
	if other == 0 {
		if first<<32&ir.WindowMask == ir.SharedWindow {
			return exec
		}
		return 0
	}
	for l := range p.chip.WaveSize {
		if exec>>l&1 != 0 && uint64(binary.NativeEndian.Uint32(frame[at+4*uint32(l):]))<<32&ir.WindowMask == ir.SharedWindow {
			lds |= 1 << l
		}
	}
	return lds
}

// catch removes the result of a load from its registers, so that it can be delivered late.
func (t *tracker) catch(frame []byte) {
	e := t.open
	if e == nil {
		return
	}
	t.open = nil
	old := t.before
	for _, r := range e.regs {
		e.value = append(e.value, t.p.copyOf(r, frame)...)
		for i := range r.N {
			if off, n, ok := t.p.at(r.Lo + i); ok && uint32(len(old)) >= n {
				copy(frame[off:off+n], old)
				old = old[n:]
			}
		}
	}
}

// wait executes an s_waitcnt: the operations that it waits for arrive. Results of one class arrive
// in order. If two classes are waited for, the result that was issued later arrives first.
func (t *tracker) wait(f *facts, frame []byte) {
	t.arrive(func(c condition) bool { return t.met(c, f) }, frame)
}

// arrive delivers the flights whose last conditions are met.
func (t *tracker) arrive(met func(condition) bool, frame []byte) {
	var done []int
	for j := range t.flights {
		e := &t.flights[j]
		left := uint8(0)
		for _, c := range e.conds[:e.open] {
			if !met(c) {
				e.conds[left] = c
				left++
			}
		}
		if e.open = left; left == 0 && t.p.late {
			done = append(done, j)
		}
	}
	if t.p.late && frame != nil {
		class := func(j int) flightClass { return t.p.facts[t.flights[j].by].class }
		slices.SortStableFunc(done, func(a, b int) int {
			if class(a) == class(b) {
				return a - b
			}
			return b - a
		})
		for _, j := range done {
			t.deliver(&t.flights[j], frame)
		}
	}
	t.flights = slices.DeleteFunc(t.flights, func(e flight) bool { return e.open == 0 })
}

// met reports whether an s_waitcnt waits for the condition. The largest value of a counter waits
// for nothing.
func (t *tracker) met(c condition, f *facts) bool {
	_, ordered := c.class.counter()
	k := c.class.field()
	n := f.leave[k]
	if n == 0 {
		return true
	}
	return n != t.p.chip.Counters[k].Max() && ordered && t.issued[c.class]-c.seq-1 >= n
}

// deliver writes a result to its registers.
func (t *tracker) deliver(e *flight, frame []byte) {
	v := e.value
	for _, r := range e.regs {
		for i := range r.N {
			off, n, ok := t.p.at(r.Lo + i)
			if !ok || uint32(len(v)) < n {
				continue
			}
			if n == 4 {
				copy(frame[off:off+4], v)
			} else {
				for l := range n / 4 {
					if e.lanes>>l&1 != 0 {
						copy(frame[off+4*l:off+4*l+4], v[4*l:])
					}
				}
			}
			v = v[n:]
		}
	}
}

// The codes of the findings. Package diag documents them.
const (
	codeWaitcnt    = "waitcnt"
	codeWaitStates = "wait-states"
)

// The kinds of a note, in Args[0].
const (
	noteRead int32 = iota
	noteWrite
	noteLocked
	noteStates
	noteBarrier
)
