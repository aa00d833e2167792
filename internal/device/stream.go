package device

import (
	"fmt"
	"time"
)

// A Stream is a queue of operations. The operations of one stream run one after another.
type Stream struct {
	d      *Device
	number int
	name   string // for messages
	closed bool
}

// Default returns the default stream. It waits for the operations of all blocking streams, and they wait for
// its operations.
func (d *Device) Default() *Stream {
	return &Stream{d: d, number: defaultStream, name: "the default stream"}
}

// Waited runs an operation in the default stream and lets the host wait for it.
func (d *Device) Waited(f func(s *Stream) error) error {
	s := d.Default()
	if err := f(s); err != nil {
		return err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.order.join(hostClock, d.order.clocks[defaultStream])
	return nil
}

// NewStream makes a stream. A non-blocking stream and the default stream do not wait for each other.
func (d *Device) NewStream(nonBlocking bool) (*Stream, error) {
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	n := d.order.add(nonBlocking)
	return &Stream{d: d, number: n, name: fmt.Sprintf("stream %d", n-defaultStream)}, nil
}

// Device returns the device of the stream.
func (s *Stream) Device() *Device { return s.d }

// enter begins a call of the stream.
func (s *Stream) enter() error {
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
	o := &s.d.order
	if s.number == defaultStream {
		o.begin(s.number)
	}
	o.join(hostClock, o.clocks[s.number])
	return nil
}

// Close ends the stream. Its operations still run to their end; the host does not wait for them.
func (s *Stream) Close() error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.d.leave()
	s.closed = s.number != defaultStream
	return nil
}

// Synchronize lets the host wait for all operations of all streams. The error is the sticky fault, if there is
// one.
func (d *Device) Synchronize() error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	d.order.join(hostClock, d.order.all())
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
	s.d.order.begin(s.number)
	e.clock, e.recorded, e.when = append(clock(nil), s.d.order.clocks[s.number]...), true, time.Now()
	return nil
}

// Wait makes the later operations of the stream come after the event. An event that was never recorded orders
// nothing.
func (s *Stream) Wait(e *Event) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.d.leave()
	s.d.order.join(s.number, e.clock)
	return nil
}

// Synchronize lets the host wait for the event.
func (e *Event) Synchronize() error {
	if err := e.d.enter(); err != nil {
		return err
	}
	defer e.d.leave()
	e.d.order.join(hostClock, e.clock)
	return nil
}

// Since returns the time between an earlier event and this one.
func (e *Event) Since(earlier *Event) (time.Duration, error) {
	if err := e.d.enter(); err != nil {
		return 0, err
	}
	defer e.d.leave()
	if !e.recorded || !earlier.recorded {
		return 0, failed(CodeBadHandle, "the time between events that are not both recorded", "record both events first")
	}
	return e.when.Sub(earlier.when), nil
}
