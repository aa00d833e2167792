//go:build linux && amd64

package driver

import (
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/pages"
)

// When all addresses have been used, freed neighbours serve an allocation that is larger than each of them.
func TestArenaJoins(t *testing.T) {
	t.Parallel()
	a, err := newArena(memory(t, ArenaBytes, true))
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	const n = 1 << 20
	var list [4]uint64
	for i := range list {
		base, data, err := a.Alloc(n)
		if err != nil {
			t.Fatal(err)
		}
		list[i] = base
		data[0] = 1
	}
	a.next = ArenaBytes // everything has been used once
	for _, i := range []int{2, 0, 1} {
		a.Free(list[i], n)
	}
	if base, _, err := a.Alloc(n); err != nil || base != list[2] {
		t.Errorf("an allocation of the same size: %#x, %v, want %#x, which was freed first", base, err, list[2])
	}
	a.Free(list[2], n)
	if _, _, err := a.Alloc(4 * n); err == nil {
		t.Error("more than is free was allocated")
	}
	base, data, err := a.Alloc(3 * n)
	if err != nil || base != list[0] || data[0] != 0 {
		t.Errorf("three neighbours: %#x, %v", base, err)
	}
}

// An allocation that the machine has no memory for is refused, however large the device is.
func TestMemoryOfTheMachine(t *testing.T) {
	t.Parallel()
	const most = 60 << 30
	if pages.Available(most) {
		t.Skip("this machine has more memory than an arena")
	}
	_, path := server(t, Options{Device: api.DeviceOptions{MemoryBytes: 1 << 40}})
	h := connect(t, path)
	for range 2 {
		if s, _, _ := h.call(CallAlloc, most, 0, uint32(0)); s != OutOfMemory {
			t.Errorf("status %d", s)
		}
	}
	taken := 0
	for taken < most>>30 { // in pieces
		if s, _, _ := h.call(CallAlloc, 1<<30, 0, uint32(0)); s != Success {
			break
		}
		taken++
	}
	if taken == most>>30 || taken == 0 {
		t.Errorf("%d GiB in pieces were allocated", taken)
	}
}
