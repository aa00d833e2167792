package sim

import (
	"testing"

	"example.org/crosslane/internal/ir"
)

// Addresses that were freed are used again when all others are used up: an allocation never lies in the heap of the
// device, and never in another one.
func TestAddressesAreUsedAgain(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	kept := m.Add("kept", make([]byte, 100))
	m.next = heapBase - 3*guardGap // as if a host had allocated 100 TB
	for i := range 10 {
		a := m.Add("data", make([]byte, guardGap))
		if a.End() > heapBase-guardGap && i > 0 || m.Find(a.Base, 1) != a || m.Find(kept.Base, 1) != kept {
			t.Fatalf("allocation %d is at %#x", i, a.Base)
		}
		if i%2 == 0 {
			m.Remove(a, nil)
		}
	}
	last := uint64(0)
	for _, a := range m.All() {
		if a.Base < last+guardGap && last != 0 {
			t.Errorf("%s at %#x: no gap before it", a.Name, a.Base)
		}
		last = a.End()
	}
}

// Constants of modules that come and go stay in the window of 32-bit addresses; when it is full they lie elsewhere.
func TestConstantsAreUsedAgain(t *testing.T) {
	t.Parallel()
	m := NewMemory()
	data := make([]byte, 64<<20) // all of them share it
	var list []*Alloc
	for range 60 {
		a := m.AddConstant("table", data)
		if m.Find(a.Base, 1) != a || !a.ReadOnly {
			t.Fatalf("a constant at %#x is not found", a.Base)
		}
		list = append(list, a)
	}
	if last := list[len(list)-1]; last.Base < ir.ConstantEnd {
		t.Fatalf("3,840 MB of constants end at %#x", last.End())
	}
	m.Remove(list[3], nil)
	if a := m.AddConstant("again", data); a.Base != list[3].Base {
		t.Errorf("a constant is at %#x, want %#x, which was freed", a.Base, list[3].Base)
	}
}
