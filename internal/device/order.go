package device

import (
	"fmt"
	"slices"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// Which operations of streams are ordered.
//
// Input: the operations of streams and of the host, in the order of the calls; with Check the bytes that each
// reads and writes.
// Output: findings of the codes stream-race and freed-in-use.
// Invariant: an operation comes after another one if its clock holds the other's epoch. Operations that are
// not ordered may overlap on hardware, whatever order this package has run them in.
// Example: stream 1 writes a buffer; stream 2 reads it with no event between: stream-race.
//
// The rules are those of CUDA's driver API ("Stream synchronization behavior"): a stream is a queue; the
// default stream waits for all blocking streams, and they wait for it; an event carries the clock of the stream
// that recorded it.

// A clock holds the last known epoch of each stream; index 0 is the host.
type clock []uint32

// hostClock and defaultStream are the numbers of the host and of the default stream.
const (
	hostClock     = 0
	defaultStream = 1
)

// order is the clocks of a device.
type order struct {
	clocks      []clock
	nonBlocking []bool
}

// start makes the clocks of the host and of the default stream.
func (o *order) start() {
	o.clocks = []clock{make(clock, 2), make(clock, 2)}
	o.nonBlocking = make([]bool, 2)
}

// add makes the clock of a new stream, which begins after everything that the host has waited for.
func (o *order) add(nonBlocking bool) int {
	o.clocks = append(o.clocks, slices.Clone(o.clocks[hostClock]))
	o.nonBlocking = append(o.nonBlocking, nonBlocking)
	return len(o.clocks) - 1
}

// join makes the later operations of a stream, or of the host, come after a clock.
func (o *order) join(to int, c clock) {
	t := o.clocks[to]
	for len(t) < len(c) {
		t = append(t, 0)
	}
	for i, e := range c {
		t[i] = max(t[i], e)
	}
	o.clocks[to] = t
}

// all is the clock of everything that has been enqueued.
func (o *order) all() clock {
	c := make(clock, len(o.clocks))
	for i, x := range o.clocks {
		if i < len(x) {
			c[i] = x[i]
		}
	}
	return c
}

// tick begins the next epoch of a stream.
func (o *order) tick(s int) {
	for len(o.clocks[s]) <= s {
		o.clocks[s] = append(o.clocks[s], 0)
	}
	o.clocks[s][s]++
}

// begin enqueues an operation in a stream: it comes after the stream's operations, after everything that the
// host has waited for, and after what the default stream demands.
func (o *order) begin(s int) {
	o.join(s, o.clocks[hostClock])
	switch {
	case s == defaultStream:
		for i := range o.clocks {
			if i > defaultStream && !o.nonBlocking[i] {
				o.join(s, o.clocks[i])
			}
		}
	case !o.nonBlocking[s]:
		o.join(s, o.clocks[defaultStream])
	}
	o.tick(s)
}

// after reports whether the present operation of a stream, or of the host, comes after an epoch of another one.
func (o *order) after(s, other int, epoch uint32) bool {
	c := o.clocks[s]
	return other < len(c) && c[other] >= epoch
}

// passed reports whether everything that can still be enqueued comes after an epoch.
func (o *order) passed(s int, epoch uint32) bool {
	for i := range o.clocks {
		if !o.after(i, s, epoch) {
			return false
		}
	}
	return true
}

// operation is one operation for messages.
type operation struct {
	stream  int
	epoch   uint32
	what    string // "kernel scan", "a copy"
	name    string // of the stream
	frees   bool
	allocs  bool
	callers Callers
}

// access is a range of an allocation that an operation used.
type access struct {
	op     *operation
	lo, hi uint64 // offsets of the first byte and after the last one
	write  bool
	strong bool     // it races with no other strong access
	fn     *ir.Func // of the guest's instruction at pos; nil: it is none
	pos    int32
}

// instruction is the guest's instruction as a step of a finding.
func (x *access) instruction(what string) (list []diag.Related) {
	if x.fn != nil {
		pos, src := sim.Where(x.fn, x.pos)
		list = append(list, diag.Related{Pos: pos, Source: src, Message: what})
	}
	return list
}

// operation begins an operation of a stream.
func (d *Device) operation(s *Stream, what string) *operation {
	d.order.begin(s.number)
	if !d.opt.Check {
		return nil
	}
	return &operation{stream: s.number, epoch: d.order.clocks[s.number][s.number], what: what, name: s.name, callers: d.callers()}
}

// use compares an access with the earlier ones of the allocation, reports the first that is not ordered, and
// remembers it. op is nil without Check.
func (d *Device) use(a *allocation, x access) {
	if x.op == nil {
		return
	}
	reported := false
	a.history = slices.DeleteFunc(a.history, func(old access) bool {
		after := d.order.after(x.op.stream, old.op.stream, old.op.epoch)
		if !after && !reported && old.lo < x.hi && x.lo < old.hi && (old.write || x.write) && !(old.strong && x.strong) {
			d.unordered(a, &old, &x)
			reported = true
		}
		// A later operation that is not ordered after old is not ordered after x either: x stands for old.
		return after && x.lo <= old.lo && old.hi <= x.hi && (x.write || !old.write) && (!x.strong || old.strong)
	})
	if len(a.history) > a.look {
		a.history = slices.DeleteFunc(a.history, func(h access) bool { return d.order.passed(h.op.stream, h.op.epoch) })
		a.look = 2*len(a.history) + minHistory
	}
	if n := len(a.history); n > 0 && a.history[n-1].op == x.op && a.history[n-1].write == x.write && a.history[n-1].strong == x.strong && a.history[n-1].hi == x.lo {
		a.history[n-1].hi = x.hi
		return
	}
	a.history = append(a.history, x)
}

// minHistory is how many accesses an allocation remembers before those that everything comes after are removed.
const minHistory = 16

// verb says what an access does.
func (x *access) verb() string {
	switch {
	case x.op.frees:
		return "frees"
	case x.op.allocs:
		return "allocates"
	case x.write:
		return "writes"
	}
	return "reads"
}

// unordered reports two accesses of which at least one writes, and which nothing orders.
func (d *Device) unordered(a *allocation, old, x *access) {
	lo, hi := max(old.lo, x.lo), min(old.hi, x.hi)
	code, remedy := CodeStreamRace, "let the second stream wait for an event that the first one records, or synchronise with the host between them"
	if x.op.frees || old.op.frees {
		code, remedy = CodeFreedInUse, "free it in the stream that used it last, or after an event of that stream"
	}
	m := &diag.Diagnostic{Severity: diag.Error, Class: diag.Finding, Code: code, Remedy: remedy, Object: a.Name,
		Message: fmt.Sprintf("%s in %s %s %q, bytes %d to %d, while %s in %s %s them: nothing orders the two",
			x.op.what, x.op.name, x.verb(), a.Name, lo, hi-1, old.op.what, old.op.name, old.verb())}
	if x.op.callers != nil {
		calls := x.op.callers.calls("the later operation was enqueued here")
		if len(calls) > 0 {
			m.Pos = calls[0].Pos
		}
		m.Related = append(m.Related, calls...)
	}
	m.Related = append(m.Related, x.instruction("the instruction of the later operation")...)
	if old.op.callers != nil {
		m.Related = append(m.Related, old.op.callers.calls("the earlier operation was enqueued here")...)
	}
	m.Related = append(m.Related, old.instruction("the instruction of the earlier operation")...)
	m.Related = append(m.Related, a.origin()...)
	d.note(m)
}
