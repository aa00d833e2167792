package device

import (
	"fmt"
	"time"

	"example.org/crosslane/api"
)

// A Stream is a queue of operations. The operations of one stream run one after another.
type Stream struct {
	d      *Device
	number int
	name   string // for messages
	closed bool

	nonBlocking bool
}

// Default returns the default stream. It waits for the operations of all blocking streams, and they wait for
// its operations.
func (d *Device) Default() *Stream {
	return &Stream{d: d, number: defaultStream, name: "the default stream"}
}

// Write copies bytes to the device in the default stream, and lets the host wait for the copy.
func (d *Device) Write(dst api.DevicePtr, src []byte) error {
	if err := d.enter(); err != nil {
		d.goesOn("a copy to the device")
		return err
	}
	defer d.leave()
	if err := d.write(d.Default(), dst, uint64(len(src)), src); err != nil {
		return err
	}
	d.order.synchronize(defaultStream)
	return nil
}

// Read copies bytes from the device in the default stream, and lets the host wait for the copy.
func (d *Device) Read(dst []byte, src api.DevicePtr) error {
	if err := d.enter(); err != nil {
		d.goesOn("a copy to the host")
		return err
	}
	defer d.leave()
	if err := d.read(d.Default(), dst, src, uint64(len(dst))); err != nil {
		return err
	}
	d.order.synchronize(defaultStream)
	return nil
}

// NewStream makes a stream. A non-blocking stream and the default stream do not wait for each other.
func (d *Device) NewStream(nonBlocking bool) (*Stream, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	d.streams++
	return &Stream{d: d, number: d.order.add(nonBlocking), name: fmt.Sprintf("stream %d", d.streams), nonBlocking: nonBlocking}, nil
}

// NonBlocking reports whether the stream and the default stream do not wait for each other.
func (s *Stream) NonBlocking() bool { return s.nonBlocking }

// Device returns the device of the stream.
func (s *Stream) Device() *Device { return s.d }

// enter begins a call of the stream.
func (s *Stream) enter() error {
	if s == nil || s.d == nil {
		return failed(CodeBadHandle, "no stream is given", "make the stream with NewStream")
	}
	if err := s.d.enter(); err != nil {
		return err
	}
	if s.closed {
		defer s.d.leave()
		return s.d.mistake(CodeBadHandle, s.name+" is used after it was closed", "close a stream after its last use")
	}
	return nil
}

// Synchronize lets the host wait for all operations of the stream.
func (s *Stream) Synchronize() error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.d.leave()
	s.d.order.synchronize(s.number)
	return nil
}

// Close ends the stream. Its operations still run to their end; the host does not wait for them.
func (s *Stream) Close() error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.d.leave()
	if s.number != defaultStream {
		s.closed = true
		s.d.order.close(s.number)
	}
	return nil
}

// Synchronize lets the host wait for all operations of all streams. The error is the sticky fault, if there is
// one.
func (d *Device) Synchronize() error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	d.order.synchronizeAll()
	return nil
}

// An Event is a point in a stream.
type Event struct {
	d        *Device
	clock    clock
	recorded bool
	when     time.Time
}

// NewEvent makes an event that is not recorded.
func (d *Device) NewEvent() *Event { return &Event{d: d} }

// Record makes the event stand for all operations of the stream so far.
func (s *Stream) Record(e *Event) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.d.leave()
	if err := e.of(s.d); err != nil {
		return err
	}
	e.clock, e.recorded, e.when = s.d.order.record(s.number), true, time.Now()
	return nil
}

// Wait makes the later operations of the stream come after the event. An event that was never recorded orders
// nothing.
func (s *Stream) Wait(e *Event) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.d.leave()
	if err := e.of(s.d); err != nil {
		return err
	}
	s.d.order.wait(s.number, e.clock)
	s.d.waitedForNothing(s, !e.recorded)
	return nil
}

// Synchronize lets the host wait for the event.
func (e *Event) Synchronize() error {
	if err := e.enter(); err != nil {
		return err
	}
	defer e.d.leave()
	e.d.order.wait(hostClock, e.clock)
	return nil
}

// enter begins a call of the event.
func (e *Event) enter() error {
	if e == nil || e.d == nil {
		return failed(CodeBadHandle, "no event is given", "make the event with NewEvent")
	}
	return e.d.enter()
}

// of returns an error unless the event is one of the device, which is locked.
func (e *Event) of(d *Device) error {
	switch {
	case e == nil || e.d == nil:
		return d.mistake(CodeBadHandle, "no event is given", "make the event with NewEvent")
	case e.d != d:
		return d.mistake(CodeBadHandle, "the event belongs to another device", "make the event on the device of the stream")
	}
	return nil
}

// Since returns the time between an earlier event and this one.
func (e *Event) Since(earlier *Event) (time.Duration, error) {
	if err := e.enter(); err != nil {
		return 0, err
	}
	defer e.d.leave()
	if err := earlier.of(e.d); err != nil {
		return 0, err
	}
	if !e.recorded || !earlier.recorded {
		return 0, failed(CodeBadHandle, "the time between events that are not both recorded", "record both events first")
	}
	return e.when.Sub(earlier.when), nil
}
