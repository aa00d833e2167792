package driver

import (
	"slices"
	"testing"

	"example.org/crosslane/api"
)

// An access of the host is a mistake if the host had not waited for the operation when it made it. A query that finds a
// stream idle is such a wait, although the client does not wait for its reply. A function of the host runs while another
// thread may wait.
func TestTouchedInUse(t *testing.T) {
	t.Parallel()
	const inFunction = 1
	for _, c := range []struct {
		name string
		end  func(h *host, stream, event uint64)
		from int
		want []string
	}{
		{"at once", func(*host, uint64, uint64) {}, 0, []string{"host-race"}},
		{"after a wait", func(h *host, s, _ uint64) { h.ok(CallStreamWait, s) }, 0, nil},
		{"after a query", func(h *host, s, _ uint64) { h.send(CallStreamWait, s) }, 0, nil},
		{"after a query of an event", func(h *host, _, v uint64) { h.send(CallEventHost, v) }, 0, nil},
		{"after a query of another stream", func(h *host, _, _ uint64) { h.send(CallStreamWait, h.number(CallStreamNew, uint32(1))) }, 0, []string{"host-race"}},
		{"in a function", func(h *host, s, _ uint64) { h.send(CallStreamWait, s) }, inFunction, []string{"host-race"}},
	} {
		var found collector
		_, path := server(t, Options{Device: api.DeviceOptions{Check: true}, Report: found.report})
		h := connect(t, path)
		p, pinned := h.number(CallAlloc, 4096, 0, uint32(0)), h.number(CallAlloc, 4096, 0, uint32(0))
		stream, event := h.number(CallStreamNew, uint32(1)), h.number(CallEventNew)
		h.ok(CallSet, 0, p, []byte{0}, 4096)
		h.ok(CallSynchronize)
		h.ok(CallReadShared, stream, p, 4096)
		h.send(CallWatch, stream, uint32(0), pinned, 4096, uint32(1))
		h.send(CallEventRecord, stream, event)
		c.end(h, stream, event)
		h.send(CallTouched, uint32(touchedInUse), uint32(0), uint32(0), pinned, c.from)
		h.ok(CallSynchronize)
		if got := found.codes(); !slices.Equal(got, c.want) {
			t.Errorf("%s: found %v, want %v", c.name, got, c.want)
		}
	}
}
