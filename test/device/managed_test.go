package device_test

import (
	"slices"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// What the host writes to managed memory directly is defined, also where a kernel has stored undefined bits before.
// Memory that is not managed stays undefined.
func TestManaged(t *testing.T) {
	t.Parallel()
	h := newHost(t, crosslane.DeviceOptions{Check: true})
	p, data, err := h.AllocManaged("managed", 128)
	h.must(err)
	out, fresh := h.alloc("out", 128), h.alloc("fresh", 128)
	for i := range uint32(2) {
		for j := range data {
			data[j] = 0
		}
		data[0] = 5
		h.must(h.launch(nil, "choose", p, out), h.Synchronize())
		if got := h.words(out, 32); !slices.Equal(got, append(repeat(1, 1), repeat(2, 31)...)) {
			t.Errorf("round %d: %v", i, got)
		}
		h.must(h.launch(nil, "fill", p, crosslane.Int(32), crosslane.Int(9)), h.Synchronize())
		if data[4] != 9 || data[5] != 0 {
			t.Errorf("the host sees %v of what the kernel stored", data[:8])
		}
		h.must(h.launch(nil, "forget", p), h.Synchronize())
	}
	for j := range data {
		data[j] = 1
	}
	h.must(h.Copy(out, p, 128))
	if got := h.words(out, 32); !slices.Equal(got, repeat(0x01010101, 32)) {
		t.Errorf("copied: %#x", got)
	}
	h.only()
	h.must(h.launch(nil, "choose", fresh, out))
	h.only("poison-branch")
	// The bytes are those of managed memory only, and only of its start.
	h.must(h.Free(p))
	if err := h.Free(p); err == nil || diag.Of(err)[0].Code != "double-free" {
		t.Error(err)
	}
}
