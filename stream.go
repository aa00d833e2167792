package crosslane

import (
	"context"
	"time"

	"example.org/crosslane/internal/device"
)

// A Stream is a queue of operations of a Device. The operations of one stream run one after another.
type Stream device.Stream

// DefaultStream returns the default stream. It waits for the operations of all blocking streams, and they wait for
// its operations.
func (d *Device) DefaultStream() *Stream { return (*Stream)(d.inner().Default()) }

// NewStream makes a blocking stream: it waits for the default stream, and the default stream waits for it.
func (d *Device) NewStream() (*Stream, error) {
	s, err := d.inner().NewStream(false)
	return (*Stream)(s), err
}

// NewNonBlockingStream makes a stream that does not wait for the default stream, nor the default stream for it.
func (d *Device) NewNonBlockingStream() (*Stream, error) {
	s, err := d.inner().NewStream(true)
	return (*Stream)(s), err
}

func (s *Stream) inner() *device.Stream { return (*device.Stream)(s) }

// Alloc allocates memory in the stream: its later operations may use the memory, and those of another stream if
// they come after this one.
func (s *Stream) Alloc(name string, n uint64) (DevicePtr, error) { return s.inner().Alloc(name, n) }

// Free frees an allocation after the stream's operations so far.
func (s *Stream) Free(p DevicePtr) error { return s.inner().Free(p) }

// Write copies bytes of the host to the device.
func (s *Stream) Write(dst DevicePtr, src []byte) error { return s.inner().Write(dst, src) }

// Read copies bytes of the device to the host.
func (s *Stream) Read(dst []byte, src DevicePtr) error { return s.inner().Read(dst, src) }

// Copy copies n bytes within the device. The ranges may overlap.
func (s *Stream) Copy(dst, src DevicePtr, n uint64) error { return s.inner().Copy(dst, src, n) }

// Fill fills n elements of memory with a pattern of 1, 2 or 4 bytes.
func (s *Stream) Fill(dst DevicePtr, pattern []byte, n uint64) error {
	return s.inner().Fill(dst, pattern, n)
}

// Launch runs a kernel. The Result is not nil if the kernel was started; its findings are those of the device,
// too. The error is a diag.List: a wrong handle, an earlier fault, a launch that does not fit, an unsupported
// instruction, a fault or a timeout.
func (s *Stream) Launch(ctx context.Context, k *DeviceKernel, l DeviceLaunch) (*Result, error) {
	return s.inner().Launch(ctx, k.inner(), l)
}

// Record makes an event stand for all operations of the stream so far.
func (s *Stream) Record(e *Event) error { return s.inner().Record(e.inner()) }

// Wait makes the later operations of the stream come after the event. An event that was never recorded orders
// nothing.
func (s *Stream) Wait(e *Event) error { return s.inner().Wait(e.inner()) }

// Synchronize lets the host wait for all operations of the stream.
func (s *Stream) Synchronize() error { return s.inner().Synchronize() }

// Close ends the stream. The host does not wait for its operations. On the default stream it does nothing.
func (s *Stream) Close() error { return s.inner().Close() }

// An Event is a point in a stream.
type Event device.Event

// NewEvent makes an event that is not recorded.
func (d *Device) NewEvent() *Event { return (*Event)(d.inner().NewEvent()) }

func (e *Event) inner() *device.Event { return (*device.Event)(e) }

// Synchronize lets the host wait for the event.
func (e *Event) Synchronize() error { return e.inner().Synchronize() }

// Since returns the time on this machine between the two calls of Record. It says nothing about a GPU.
func (e *Event) Since(earlier *Event) (time.Duration, error) {
	return e.inner().Since(earlier.inner())
}
