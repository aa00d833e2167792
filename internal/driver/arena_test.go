//go:build linux && amd64

package driver

import (
	"strings"
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

// A variable of the client has pages of its own, at an address that is one of its pages and not one of the arena. They are
// given back with the variable.
func TestArenaPlaces(t *testing.T) {
	t.Parallel()
	a, err := newArena(memory(t, ArenaBytes, true))
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	const host, n = 0x5555_0000_1000, arenaAlign + 4
	data, err := a.AllocAt(host, n)
	if err != nil || len(data) != n {
		t.Fatalf("%d bytes, %v", len(data), err)
	}
	data[n-1] = 7
	p := a.hostPagesAt(host)
	if p == nil || a.data[p.off+n-1] != 7 {
		t.Errorf("the pages are %+v", p)
	}
	for what, at := range map[string]uint64{
		"the same page": host, "its second page": host + arenaAlign, "a page before it": host - arenaAlign, "inside a page": host + 3*arenaAlign + 16,
		"zero": 0, "the arena": ArenaBase, "before the arena": ArenaBase - arenaAlign, "no address of a host": 1 << 47, "the last page": 1<<64 - arenaAlign,
	} {
		if _, err := a.AllocAt(at, n); err == nil {
			t.Errorf("%s: %#x was given", what, at)
		}
	}
	if _, err := a.AllocAt(host+2*arenaAlign, n); err != nil {
		t.Error("the page after it:", err)
	}
	if a.pagesOf(ArenaBase+p.off, 1) != nil {
		t.Error("the pages of a variable serve other registrations")
	}
	a.Free(host, n)
	if data, err = a.AllocAt(host, n); err != nil || data[n-1] != 0 {
		t.Errorf("again: %v, and the last byte is %d", err, data[n-1])
	}
}

// A module that cannot have its variables where the client says is refused by the name of the variable, and nothing of it
// stays.
func TestLoadPlacesVariables(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{})
	h := connect(t, path)
	const at = 0x5555_0000_2000
	for want, place := range map[string][]any{
		`no variable "absent"`:               {uint32(1), "absent", uint64(at)},
		`no variable "scale"`:                {uint32(1), "scale", uint64(at)}, // of constant memory
		"the first one of a page":            {uint32(1), "counter", uint64(at + 8)},
		"in a page with another variable":    {uint32(2), "counter", uint64(at), "hello", uint64(at)},
		`variable "counter" cannot be where`: {uint32(1), "counter", uint64(0xa000_0000)}, // among constants
	} {
		s, _, body := h.call(CallLoad, append([]any{"kernels.ptx", kernels, uint32(0)}, place...)...)
		r := reader{b: body}
		if id, log := r.u64(), r.text(); s == Success || id != 0 || !strings.Contains(log, want) {
			t.Errorf("%v: status %d, module %d, %q; want %q", place, s, id, log, want)
		}
	}
	for _, base := range []uint64{at, 0x7fff_0000_1000} { // of a library, too, where kernels had their malloc
		body := h.ok(CallLoad, "kernels.ptx", kernels, uint32(0), uint32(1), "counter", base)
		r := reader{b: body}
		if id, _, n := r.u64(), r.text(), r.u32(); id == 0 || n == 0 || r.u64() != base || r.u64() != 4 || r.u32() != managedOfHost {
			t.Errorf("at %#x: %v", base, body)
		}
		if off := r.u64(); off%arenaAlign != 0 || h.mem[off] != 5 {
			t.Errorf("at %#x: the offset is %#x, and the first byte there is not 5", base, off)
		}
	}
}
