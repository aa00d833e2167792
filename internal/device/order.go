package device

import "slices"

// Which operations of streams are ordered.
//
// Input: the operations of streams and of the host, in the order of the calls; with Check the bytes that each
// reads and writes.
// Output: findings of the codes stream-race and freed-in-use.
// Invariant: an operation comes after another one if its clock holds the other's epoch. This package
// runs unordered operations one after another; hardware may overlap them.
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
	off    bool // nothing asks for the order: there are no clocks
	clocks []clock
	queues []queue // by number; those of the host and of the default stream are not used
	// changed lists the blocking streams whose clocks hold what that of the default stream does not.
	changed []int
}

// queue holds the facts about a stream beside its clock.
type queue struct {
	nonBlocking bool
	changed     bool // it is in the list changed
	closed      bool // nothing more is enqueued
}

// start makes the clocks of the host and of the default stream. Without on there are none.
func (o *order) start(on bool) {
	o.off = !on
	o.clocks = []clock{make(clock, 2), make(clock, 2)}
	o.queues = make([]queue, 2)
}

// add makes the clock of a new stream, which begins after everything that the host has waited for. It takes the
// number of a closed stream, if the host has waited for all its operations: then the new stream comes after them.
func (o *order) add(nonBlocking bool) int {
	if o.off {
		return defaultStream + 1
	}
	host := o.clocks[hostClock]
	for i := defaultStream + 1; i < len(o.queues); i++ {
		if q := &o.queues[i]; q.closed && o.after(hostClock, i, o.epoch(i)) {
			if q.changed {
				o.join(defaultStream, o.clocks[i])
				o.changed = slices.DeleteFunc(o.changed, func(c int) bool { return c == i })
			}
			o.clocks[i], *q = slices.Clone(host), queue{nonBlocking: nonBlocking}
			return i
		}
	}
	o.clocks = append(o.clocks, slices.Clone(host))
	o.queues = append(o.queues, queue{nonBlocking: nonBlocking})
	return len(o.clocks) - 1
}

// close ends a stream. Its clock stays: later operations may have to wait for its operations.
func (o *order) close(s int) {
	if !o.off {
		o.queues[s].closed = true
	}
}

// epoch is the number of operations of a stream, and of those that had its number.
func (o *order) epoch(s int) uint32 {
	if c := o.clocks[s]; s < len(c) {
		return c[s]
	}
	return 0
}

// join makes the later operations of a stream, or of the host, come after a clock.
func (o *order) join(to int, c clock) {
	t := o.clocks[to]
	if n := len(c) - len(t); n > 0 {
		t = append(t, make(clock, n)...)
	}
	for i, e := range c {
		t[i] = max(t[i], e)
	}
	o.clocks[to] = t
}

// wait is join for calls of the host.
func (o *order) wait(to int, c clock) {
	if o.off {
		return
	}
	o.join(to, c)
	o.change(to)
}

// synchronize lets the host wait for a stream.
func (o *order) synchronize(s int) {
	if o.off {
		return
	}
	if s == defaultStream {
		o.begin(s)
	}
	o.join(hostClock, o.clocks[s])
}

// synchronizeAll lets the host wait for everything that has been enqueued.
func (o *order) synchronizeAll() {
	if o.off {
		return
	}
	c := make(clock, len(o.clocks))
	for i := range o.clocks {
		c[i] = o.epoch(i)
	}
	o.join(hostClock, c)
}

// record returns the clock of all operations of a stream so far.
func (o *order) record(s int) clock {
	if o.off {
		return nil
	}
	o.begin(s)
	return slices.Clone(o.clocks[s])
}

// change notes that the clock of a stream has changed.
func (o *order) change(s int) {
	if q := &o.queues[s]; s > defaultStream && !q.nonBlocking && !q.changed {
		q.changed = true
		o.changed = append(o.changed, s)
	}
}

// begin enqueues an operation in a stream: it comes after the stream's operations, after everything that the
// host has waited for, and after what the default stream demands.
func (o *order) begin(s int) {
	if o.off {
		return
	}
	o.join(s, o.clocks[hostClock])
	switch {
	case s == defaultStream:
		for _, i := range o.changed {
			o.join(s, o.clocks[i])
			o.queues[i].changed = false
		}
		o.changed = o.changed[:0]
	case !o.queues[s].nonBlocking:
		o.join(s, o.clocks[defaultStream])
	}
	for len(o.clocks[s]) <= s {
		o.clocks[s] = append(o.clocks[s], 0)
	}
	o.clocks[s][s]++
	o.change(s)
}

// after reports whether the present operation of a stream, or of the host, comes after an epoch of another one.
func (o *order) after(s, other int, epoch uint32) bool {
	c := o.clocks[s]
	return other < len(c) && c[other] >= epoch
}

// passed reports whether everything that can still be enqueued comes after an epoch.
func (o *order) passed(s int, epoch uint32) bool {
	for i := range o.clocks {
		if !o.queues[i].closed && !o.after(i, s, epoch) {
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

// operation begins an operation of a stream.
func (d *Device) operation(s *Stream, what string) *operation {
	d.settle()
	d.order.begin(s.number)
	if !d.opt.Check {
		return nil
	}
	d.last = &operation{stream: s.number, epoch: d.order.clocks[s.number][s.number], what: what, name: s.name, callers: d.callers()}
	return d.last
}
