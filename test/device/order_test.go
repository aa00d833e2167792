package device_test

import (
	"slices"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// streamHost is what the programs below use: two blocking streams, a non-blocking one, two events and a buffer of 32
// words that the host has written.
type streamHost struct {
	*host
	a, b, n *crosslane.Stream
	e, f    *crosslane.Event
	p       crosslane.DevicePtr
}

// fill and bump are launches that write the buffer, and that read and write it.
func (h *streamHost) fill(s *crosslane.Stream) {
	h.t.Helper()
	h.must(h.launch(s, "fill", h.p, crosslane.Int(32), crosslane.Int(1)))
}

func (h *streamHost) bump(s *crosslane.Stream) {
	h.t.Helper()
	h.must(h.launch(s, "bump", h.p, crosslane.Int(32)))
}

// read is a copy of the buffer to the host, in a stream.
func (h *streamHost) read(s *crosslane.Stream) {
	h.t.Helper()
	h.must(s.Read(make([]byte, 128), h.p))
}

// orders are programs of streams, with the findings that CUDA's rules demand (driver API, "Stream synchronization
// behavior" and the functions of streams and events). Each program without findings has a neighbour with one.
var orders = []struct {
	name    string
	program func(h *streamHost)
	want    []string
}{
	{"one stream", func(h *streamHost) { h.fill(h.n); h.bump(h.n); h.read(h.n) }, nil},
	{"two blocking streams", func(h *streamHost) { h.fill(h.a); h.bump(h.b) }, []string{"stream-race"}},
	{"the default stream between", func(h *streamHost) {
		h.fill(h.a)
		h.must(h.launch(nil, "choose", h.p, h.alloc("out", 128)))
		h.bump(h.b)
	}, nil},
	{"the default stream before and after", func(h *streamHost) { h.fill(nil); h.bump(h.a); h.bump(nil) }, nil},
	{"the default stream beside a non-blocking one", func(h *streamHost) { h.fill(nil); h.bump(h.n) }, []string{"stream-race"}},
	{"a non-blocking stream, then the default stream", func(h *streamHost) { h.fill(h.n); h.bump(nil) }, []string{"stream-race"}},
	{"an event of the default stream", func(h *streamHost) {
		h.fill(nil)
		h.must(h.DefaultStream().Record(h.e), h.n.Wait(h.e))
		h.bump(h.n)
	}, nil},
	{"an event that was recorded too early", func(h *streamHost) {
		h.must(h.a.Record(h.e))
		h.fill(h.a)
		h.must(h.n.Wait(h.e))
		h.bump(h.n)
	}, []string{"stream-race"}},
	{"an event that was never recorded", func(h *streamHost) {
		h.fill(h.a)
		h.must(h.b.Wait(h.e))
		h.bump(h.b)
	}, []string{"stream-race"}},
	{"an event that is recorded again", func(h *streamHost) {
		h.must(h.a.Record(h.e))
		h.fill(h.a)
		h.must(h.a.Record(h.e), h.b.Wait(h.e))
		h.bump(h.b)
	}, nil},
	{"a wait before the event is recorded again", func(h *streamHost) {
		h.must(h.a.Record(h.e), h.b.Wait(h.e))
		h.fill(h.a)
		h.must(h.a.Record(h.e))
		h.bump(h.b)
	}, []string{"stream-race"}},
	{"events through a third stream", func(h *streamHost) {
		h.fill(h.a)
		h.must(h.a.Record(h.e), h.n.Wait(h.e), h.n.Record(h.f), h.b.Wait(h.f))
		h.bump(h.b)
	}, nil},
	{"events through a third stream, in the wrong order", func(h *streamHost) {
		h.fill(h.a)
		h.must(h.a.Record(h.e), h.n.Record(h.f), h.n.Wait(h.e), h.b.Wait(h.f))
		h.bump(h.b)
	}, []string{"stream-race"}},
	{"the host waits for a stream", func(h *streamHost) { h.fill(h.n); h.must(h.n.Synchronize()); h.bump(h.b) }, nil},
	{"the host waits for another stream", func(h *streamHost) { h.fill(h.n); h.must(h.a.Synchronize()); h.bump(h.b) }, []string{"stream-race"}},
	{"the host waits for an event", func(h *streamHost) {
		h.fill(h.n)
		h.must(h.n.Record(h.e), h.e.Synchronize())
		h.bump(h.b)
	}, nil},
	{"the host waits for an event, and more follows it", func(h *streamHost) {
		h.must(h.n.Record(h.e))
		h.fill(h.n)
		h.must(h.e.Synchronize())
		h.bump(h.b)
	}, []string{"stream-race"}},
	{"the host waits for the device", func(h *streamHost) { h.fill(h.n); h.must(h.Synchronize()); h.bump(h.b) }, nil},
	{"the host waits for the default stream, which waits for blocking ones", func(h *streamHost) {
		h.fill(h.a)
		h.must(h.DefaultStream().Synchronize())
		h.bump(h.n)
	}, nil},
	{"a copy of the host waits for blocking streams", func(h *streamHost) { h.fill(h.a); h.read(h.DefaultStream()) }, nil},
	{"a copy of the host, and it has waited", func(h *streamHost) {
		h.fill(h.a)
		h.must(h.Read(make([]byte, 4), h.p))
		h.bump(h.n)
	}, nil},
	{"a copy in the default stream, and the host has not waited", func(h *streamHost) {
		h.fill(h.a)
		h.read(h.DefaultStream())
		h.bump(h.n)
	}, []string{"stream-race"}},
	{"a wait of a blocking stream that the default stream takes over", func(h *streamHost) {
		h.fill(h.n)
		h.must(h.n.Record(h.e), h.a.Wait(h.e))
		h.bump(nil)
	}, nil},
	{"two streams read", func(h *streamHost) { h.read(h.a); h.read(h.n) }, nil},
	{"two streams use other bytes", func(h *streamHost) {
		h.must(h.a.Fill(h.p, []byte{1}, 64), h.n.Fill(h.p+64, []byte{1}, 64), h.b.Copy(h.p+128, h.p+192, 64))
	}, nil},
	{"two streams use a byte", func(h *streamHost) {
		h.must(h.a.Fill(h.p, []byte{1}, 65), h.n.Fill(h.p+64, []byte{1}, 64))
	}, []string{"stream-race"}},
	{"memory of a stream", func(h *streamHost) {
		q, err := h.a.Alloc("temporary", 128)
		h.must(err, h.a.Fill(q, []byte{1}, 128), h.a.Free(q))
	}, nil},
	{"memory of a stream in another one", func(h *streamHost) {
		q, err := h.a.Alloc("temporary", 128)
		h.must(err, h.b.Fill(q, []byte{1}, 128), h.Synchronize(), h.Free(q))
	}, []string{"stream-race"}},
	{"memory of a stream in another one, after an event", func(h *streamHost) {
		q, err := h.a.Alloc("temporary", 128)
		h.must(err, h.a.Record(h.e), h.b.Wait(h.e), h.b.Fill(q, []byte{1}, 128), h.b.Free(q))
	}, nil},
	{"memory freed in a stream that came later", func(h *streamHost) {
		q := h.alloc("temporary", 128)
		h.must(h.n.Fill(q, []byte{1}, 128), h.a.Free(q))
	}, []string{"freed-in-use"}},
	{"memory freed after all work", func(h *streamHost) {
		q := h.alloc("temporary", 128)
		h.must(h.n.Fill(q, []byte{1}, 128), h.Free(q))
	}, nil},
	{"a pipeline of two buffers", func(h *streamHost) {
		ready := [2]*crosslane.Event{h.NewEvent(), h.NewEvent()}
		empty := [2]*crosslane.Event{h.NewEvent(), h.NewEvent()}
		for i := range 6 {
			q := h.p + crosslane.DevicePtr(i%2*128)
			h.must(h.a.Wait(empty[i%2]), h.a.Write(q, make([]byte, 128)), h.a.Record(ready[i%2]), h.n.Wait(ready[i%2]))
			h.must(h.launch(h.n, "bump", q, crosslane.Int(32)), h.n.Read(make([]byte, 128), q), h.n.Record(empty[i%2]))
		}
	}, nil},
	{"a pipeline that does not wait for the reader", func(h *streamHost) {
		ready := h.NewEvent()
		for range 2 {
			h.must(h.a.Write(h.p, make([]byte, 128)), h.a.Record(ready), h.n.Wait(ready))
			h.read(h.n)
		}
	}, []string{"stream-race"}},
	{"constants that a kernel reads while another stream writes them", func(h *streamHost) {
		v, err := h.m.Variable("table")
		h.must(err, h.launch(h.a, "look", h.p), h.n.Write(v.Ptr, make([]byte, 16)))
	}, []string{"stream-race"}},
	{"constants that are written before", func(h *streamHost) {
		v, err := h.m.Variable("table")
		h.must(err, h.n.Write(v.Ptr, make([]byte, 16)), h.n.Record(h.e), h.a.Wait(h.e), h.launch(h.a, "look", h.p))
	}, nil},
}

// Every program has the findings that CUDA's rules demand, also if no race within a launch is looked for.
func TestOrders(t *testing.T) {
	t.Parallel()
	for _, tt := range orders {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, skip := range [][]string{nil, {"race-shared", "race-global", "race-same-value", "race-rounding", "read-only-written", "beyond-variable"}} {
				h := newHost(t, crosslane.DeviceOptions{Check: true, Skip: skip})
				x := &streamHost{host: h, e: h.NewEvent(), f: h.NewEvent(), p: h.alloc("data", 256)}
				for _, s := range []struct {
					s           **crosslane.Stream
					nonBlocking bool
				}{{&x.a, false}, {&x.b, false}, {&x.n, true}} {
					var err error
					*s.s, err = h.newStream(s.nonBlocking)
					h.must(err)
				}
				h.must(h.Write(x.p, make([]byte, 256)))
				tt.program(x)
				var got []string
				for _, d := range h.Findings() {
					got = append(got, d.Code)
				}
				if !slices.Equal(got, tt.want) {
					t.Errorf("without %v: the findings are %v, want %v:\n%v", skip, got, tt.want, diag.List(h.Findings()))
				}
			}
		})
	}
}
