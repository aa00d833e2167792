package driver

import (
	"bytes"
	"maps"
	"syscall"
	"time"

	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/sim"
)

// Calls that are carried out while a kernel waits for the host.
//
// Input: a launch whose blocks all wait; the requests that the client has sent since.
// Output: the effects of those that may come before the end of the kernel; the other ones, in their order, for later.
// Invariant: a request is carried out early only if it does not come after the launch: by its stream, by the default
// stream or by an event. The kernel stands still meanwhile. A request that is deferred makes its stream wait, too. As soon
// as the host waits for a request that has to wait for the kernel, no other one can come.
// Example: a kernel in stream 1 looks at a flag; the host copies 1 to the flag in stream 2. The copy is carried out, the
// kernel ends. If the host synchronises with stream 1 instead, the kernel is in a livelock.

// beside holds the facts of a client about the requests beside a launch.
type beside struct {
	in *spinReader
	wait
	outer    []wait         // waits during which the present one began
	queue    []request      // read, and not yet looked at beside the present wait
	callers  device.Callers // of the next request
	finished int            // requests that are carried out and not yet counted
	read     uint64         // requests that were read
	ahead    int            // requests that were carried out ahead
	broken   bool           // the connection is of no use
	waits    bool           // the host waits for the launch itself, and makes no other call
}

// wait holds the facts about one launch, or about a stream that waits for a value.
type wait struct {
	stream    uint64          // of the launch
	value     bool            // it is no launch: other launches go on
	streams   map[uint64]bool // whose further operations come after the launch
	events    map[uint64]bool // which stand for operations after it
	legacy    bool            // the default stream does
	blocking  bool            // all blocking streams do
	functions bool            // a function of the host comes after it
	deferred  []request       // that come after it
	next      *request        // the host waits for this one, which comes after it
	seen      bool            // the blocks have looked at memory since next was read
	acted     bool            // a request was carried out
	progress  bool            // since all requests were looked at
}

// begin begins a launch in a stream, or a wait for a value.
func (c *client) begin(stream uint64) {
	b := &c.beside
	b.outer = append(b.outer, b.wait)
	inner := wait{stream: stream, streams: b.streams}
	if len(b.outer) > 1 {
		inner.streams = map[uint64]bool{}
	}
	b.wait = inner
	c.anew()
}

// anew forgets which requests the deferred ones make wait.
func (c *client) anew() {
	b := &c.beside
	clear(b.streams)
	b.events, b.legacy, b.blocking, b.functions = nil, false, false, false
	if n := len(b.outer) - 1; n > 0 {
		o := &b.outer[n]
		b.streams, b.events, b.legacy, b.blocking, b.functions = maps.Clone(o.streams), maps.Clone(o.events), o.legacy, o.blocking, o.functions
		if b.streams == nil {
			b.streams = map[uint64]bool{}
		}
	}
	c.after(b.stream)
}

// again looks at the deferred requests once more if something has been carried out since: a stream may have what it waits
// for. It reports whether there are any.
func (c *client) again() bool {
	b := &c.beside
	if !b.progress || len(b.deferred) == 0 {
		return false
	}
	if b.next != nil {
		b.deferred = append(b.deferred, *b.next)
	}
	b.queue = append(b.deferred, b.queue...)
	b.deferred, b.next, b.seen, b.progress = nil, nil, false, false
	c.anew()
	return true
}

// end ends a launch: the deferred requests are looked at next.
func (c *client) end() {
	b := &c.beside
	if b.next != nil {
		b.deferred = append(b.deferred, *b.next)
	}
	b.queue = append(b.deferred, b.queue...)
	streams, last := b.streams, len(b.outer)-1
	b.wait, b.outer = b.outer[last], b.outer[:last]
	if last == 0 {
		b.wait = wait{streams: streams} // the map is used again
	}
}

// take returns the first request that was read and not carried out.
func (b *beside) take() (q request, ok bool) {
	if len(b.queue) == 0 {
		return q, false
	}
	q = b.queue[0]
	b.queue = b.queue[1:]
	return q, true
}

// count numbers a request that was read.
func (b *beside) count(q *request) {
	b.read++
	q.number = b.read
}

// settle counts the requests that were carried out early, when all those before them are.
func (b *beside) settle(k *control) {
	for ; b.finished > 0; b.finished-- {
		k.finished()
	}
}

// after notes that the further operations of a stream come after the launch.
func (c *client) after(stream uint64) {
	b := &c.beside
	if stream <= legacyStream {
		b.legacy, b.blocking = true, true
		return
	}
	if b.streams == nil {
		b.streams = map[uint64]bool{}
	}
	b.streams[stream] = true
	if !c.nonBlocking(stream) {
		b.legacy = true
	}
}

// nonBlocking reports whether a stream and the default stream do not wait for each other.
func (c *client) nonBlocking(stream uint64) bool {
	s := c.streams[stream]
	return s != nil && s.NonBlocking()
}

// comesAfter reports whether the next operation of a stream comes after the launch.
func (c *client) comesAfter(stream uint64) bool {
	b := &c.beside
	if stream <= legacyStream {
		return b.legacy
	}
	return b.streams[stream] || b.blocking && !c.nonBlocking(stream)
}

// How a request and a launch go together.
type turn int

const (
	early turn = iota // it is carried out now
	later             // it is carried out after the launch; the host does not wait for it
	waits             // it is carried out after the launch, and the host waits for it
)

// turn says when a request is carried out.
func (c *client) turn(q *request) turn {
	b := &c.beside
	in := reader{b: q.body.b}
	first := in.u64()
	late := later
	if q.flags&flagReply != 0 && !q.answered {
		late = waits
	}
	switch Call(q.call) {
	case CallMemory, CallFunction, CallFunctions, CallVariable, CallPrepare, CallMaxShared, CallOccupancy, CallDescribe, CallLoad,
		CallStreamNew, CallEventNew, CallRefused, CallTouched, CallMade, CallEnded:
		return early
	case CallAlloc:
		if stream := in.u64(); stream == noStream || !c.comesAfter(stream) {
			return early
		}
		return waits
	case CallWaitValue:
		fields := reader{b: q.body.b}
		s, v, ok := c.valueFields(&fields)
		if !ok {
			return early // it is refused
		}
		if there, err := s.ValueThere(v); !c.comesAfter(first) && (there || err != nil) {
			return early
		}
		c.after(first)
		return late
	case CallWriteShared, CallReadShared, CallWrite, CallRead, CallCopy, CallSet, CallStreamWait, CallWatch, CallWriteValue:
		if !c.comesAfter(first) {
			return early
		}
		c.after(first)
		if move := Call(q.call) == CallCopy || Call(q.call) == CallSet; move && q.flags&(flagWait|flagFirst) == 0 {
			c.promise(q) // it needs nothing more of the host
			return later
		}
		return late
	case CallLaunch:
		fields := reader{b: q.body.b}
		s, k, l, ok := c.launchFields(&fields)
		if !ok || b.value && !c.comesAfter(first) {
			return early // it is refused, or runs beside the wait for a value
		}
		if late == waits {
			if s.Fits(k, l) != nil {
				return early
			}
			c.promise(q)
		}
		c.after(first)
		return later
	case CallEventRecord, CallEventWait:
		event := in.u64()
		if !c.comesAfter(first) && !b.events[event] {
			return early
		}
		if late == later && Call(q.call) == CallEventRecord {
			if b.events == nil {
				b.events = map[uint64]bool{}
			}
			b.events[event] = true
		}
		c.after(first)
		return late
	case CallHostFunc:
		stream := hostFuncStream(q)
		if !c.comesAfter(stream) && !b.functions {
			return early
		}
		b.functions = true // the library runs them in their order
		c.after(stream)
		return late
	case CallEventHost:
		if b.events[first] {
			return late
		}
		return early
	case CallEventSince:
		if b.events[first] || b.events[in.u64()] {
			return late
		}
		return early
	case CallEventClose:
		if !b.events[first] {
			return early
		}
		c.promise(q)
		return later
	case CallStreamClose:
		if !c.comesAfter(first) {
			return early
		}
		c.promise(q)
		return later
	}
	return waits
}

// hostFuncStream is the stream of a function of the host.
func hostFuncStream(q *request) uint64 {
	in := reader{b: q.body.b}
	in.u32()
	return in.u64()
}

// promise replies to a request that is carried out later.
func (c *client) promise(q *request) {
	if q.flags&flagReply == 0 || q.answered {
		return
	}
	q.answered = true
	answered := c.answered
	c.out.start()
	c.printed()
	c.answer(Success)
	c.answered = answered
}

// names are the calls in which a host waits.
var names = map[Call]string{
	CallSynchronize: "a call that waits for all streams", CallStreamWait: "a call that waits for the stream", CallEventHost: "a call that waits for an event",
	CallFree: "a free, which waits for all streams", CallDrop: "the end of a context", CallReset: "a reset of the device", CallExit: "the end of the program",
	CallHostFunc: "a function of the host that the stream calls", CallUnload: "a call that unloads a module",
	CallWriteShared: "a copy to the device that comes after the kernel", CallReadShared: "a copy to the host that comes after the kernel",
	CallWrite: "a copy to the device that comes after the kernel", CallRead: "a copy to the host that comes after the kernel",
	CallCopy: "a copy that comes after the kernel", CallSet: "a fill that comes after the kernel", CallEventRecord: "a record of an event that comes after the kernel",
}

// stalled carries out a request of the client while the blocks of a launch wait: see device.UseHost.
func (c *client) stalled() (sim.HostState, device.HostWait) {
	b := &c.beside
	if b.waits {
		return sim.HostWaits, device.HostWait{}
	}
	for b.next == nil {
		q, there, err := c.following()
		switch {
		case err != nil:
			b.broken = true
			c.cancel()
			return sim.HostWaits, device.HostWait{}
		case !there && c.again():
			continue
		case !there && b.acted:
			time.Sleep(20 * time.Microsecond) // the host may be writing the bytes that it copies
			return sim.HostChanged, device.HostWait{}
		case !there:
			return sim.HostMay, device.HostWait{}
		}
		switch c.turn(&q) {
		case early:
			c.carryOutEarly(&q)
			return sim.HostChanged, device.HostWait{}
		case later:
			b.deferred = append(b.deferred, q)
		case waits:
			b.next = &q
		}
	}
	if c.again() {
		return c.stalled()
	}
	if !b.seen {
		b.seen = true // the host may have written memory after the reply to the request before
		return sim.HostChanged, device.HostWait{}
	}
	what, ok := names[Call(b.next.call)]
	if !ok {
		what = "its next call"
	}
	return sim.HostWaits, device.HostWait{What: what, Callers: b.next.callers}
}

// following returns the next request, with the calls of the host that lead to it, if there is one.
func (c *client) following() (q request, there bool, err error) {
	b := &c.beside
	if q, there = b.take(); there {
		return q, true, nil
	}
	for {
		if there, err = b.in.there(); !there || err != nil {
			return q, false, err
		}
		var buf []byte
		if q, err = readRequest(b.in, &buf); err != nil {
			return q, false, err
		}
		b.count(&q)
		if Call(q.call) != CallCallers {
			q.callers, b.callers = b.callers, nil
			return q, true, nil
		}
		b.callers = c.frames(&q.body)
		b.finished++
	}
}

// carryOutEarly carries a request out during a launch.
func (c *client) carryOutEarly(q *request) {
	b := &c.beside
	b.acted, b.progress = true, true
	callers, answered, first, out := c.callers, c.answered, c.first, bytes.Clone(c.out.b)
	c.callers, c.answered = q.callers, q.flags&flagReply == 0
	c.out.start()
	status, ok := c.carryOut(q)
	switch {
	case !ok || q.body.bad:
		b.broken = true
		c.cancel()
	case !c.answered:
		c.answer(status)
	case status != Success && c.pending == Success:
		c.pending = status
	}
	b.finished++
	c.arena.control().finishedAhead(b.ahead, q.number)
	b.ahead++
	c.callers, c.answered, c.first, c.out.b = callers, answered, first, out
}

// there reports whether bytes have come, without waiting for them.
func (r *spinReader) there() (there bool, err error) {
	if r.from < r.to {
		return true, nil
	}
	var one [1]byte
	var n int
	var failed error
	err = r.raw.Control(func(fd uintptr) {
		n, _, failed = syscall.Recvfrom(int(fd), one[:], syscall.MSG_DONTWAIT|syscall.MSG_PEEK)
	})
	if err != nil {
		return false, err
	}
	return failed == nil && n > 0, nil
}
