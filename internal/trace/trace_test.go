package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/device"
)

// pattern is n bytes that no compression makes small.
func pattern(n int, seed uint32) []byte {
	b := make([]byte, n)
	for i := range b {
		seed = seed*1664525 + 1013904223
		b[i] = byte(seed >> 24)
	}
	return b
}

func recorded(seed uint32) *device.Recorded {
	half := append(make([]byte, pieceBytes), bytes.Repeat([]byte{0xff}, 100)...)
	return &device.Recorded{
		Image: []byte(".version 8.0"), Name: "module 1", Kernel: "k", Variables: []uint64{0x1000, 0x2000}, HeapBytes: 12,
		Heap: &device.RecordedHeap{HeapState: device.HeapState{Next: 0x7000_0000_1000, Used: 16, Count: 2, Freed: []device.FreedAlloc{{Name: "malloc#1", Base: 0x7000_0000_0000, Size: 3}}},
			Memory: []device.RecordedAlloc{{Name: "malloc#2", Base: 0x7000_0000_0100, Data: pattern(12, 9), Undefined: pattern(12, 3)}}},
		Launch: api.DeviceLaunch{Grid: api.Dim3{X: 3, Y: 1, Z: 1}, Block: api.Dim3{X: 32, Y: 2, Z: 1}, Shared: 64, Cooperative: true, Params: pattern(16, seed)},
		Memory: []device.RecordedAlloc{
			{Name: "a", Base: 0x10000, Data: pattern(3*pieceBytes+5, 1), Managed: true},
			{Name: "b", Base: 0x90000, Data: half, Undefined: half, ReadOnly: true},
			{Name: "c", Base: 0xa0000, Data: make([]byte, 7), AllUndefined: true},
		},
	}
}

func written(t *testing.T, n int) (string, []*device.Recorded) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "t")
	w, err := Create(name, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	var all []*device.Recorded
	for i := range n {
		all = append(all, recorded(uint32(i)))
		if err := w.Add(Process{7, "app"}, "sm_80", true, all[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := w.Add(Process{}, "sm_80", true, all[0]); err == nil {
		t.Error("a launch is added to a closed trace")
	}
	return name, all
}

// What was written is read again, and equal memory is in the file once.
func TestRoundTrip(t *testing.T) {
	t.Parallel()
	name, want := written(t, 5)
	if st, err := os.Stat(name); err != nil || st.Size() > 4*pieceBytes+8<<10 {
		t.Errorf("the file has %d bytes, %v: memory is in it several times", st.Size(), err)
	}
	r, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	list, missing := r.List()
	if len(list) != 5 || missing {
		t.Fatal(len(list), missing)
	}
	entry := Entry{Process{7, "app"}, "sm_80", true, "k", [3]uint32{3, 1, 1}, [3]uint32{32, 2, 1}, 64, 4*pieceBytes + 5 + 100 + 7}
	for i, e := range list {
		if e != entry {
			t.Errorf("%+v, want %+v", e, entry)
		}
		got, err := r.Launch(i)
		if err != nil {
			t.Fatal(err)
		}
		want[i].Memory[2].AllUndefined, want[i].Memory[2].Undefined = false, bytes.Repeat([]byte{0xff}, 7)
		if !reflect.DeepEqual(got, want[i]) {
			t.Errorf("launch %d is another one", i)
		}
	}
}

// A file whose end is missing has the launches before it. A damaged one is an error with a place.
func TestDamaged(t *testing.T) {
	t.Parallel()
	name, _ := written(t, 3)
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	open := func(data []byte) (int, bool, error) {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Open(name)
		if err != nil {
			return 0, false, err
		}
		defer r.Close()
		list, missing := r.List()
		for i := range list {
			if _, err := r.Launch(i); err != nil {
				return len(list), missing, err
			}
		}
		return len(list), missing, nil
	}
	for _, cut := range []int{1, 9, 200} {
		if n, missing, err := open(whole[:len(whole)-cut]); n != 2 || !missing || err != nil {
			t.Errorf("%d bytes less: %d launches, missing %t, %v", cut, n, missing, err)
		}
	}
	for text, data := range map[string][]byte{
		"does not begin with":          []byte("hello"),
		"which is not known":           append([]byte(header), 'x', 0, 0, 0, 0, 0, 0, 0, 0),
		"at most 83886080 are allowed": append([]byte(header), 'p', 0, 0, 0, 0, 0, 0, 0, 1),
		"the launch at byte 18":        append([]byte(header), 'l', 1, 0, 0, 0, 0, 0, 0, 0, 9),
	} {
		if _, _, err := open(data); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := Create(name, false, 0); !os.IsExist(err) {
		t.Errorf("a file is replaced: %v", err)
	}
}

// A trace with a limit ends there, with the launches until then.
func TestLimit(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "t")
	w, err := Create(name, false, 300<<10)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		r := recorded(1)
		r.Memory[0].Data = pattern(2*pieceBytes, uint32(i))
		if err := w.Add(Process{}, "sm_80", false, r); (err != nil) != (i == 2) {
			t.Errorf("launch %d: %v", i, err)
		}
	}
	if err := w.Close(); err == nil {
		t.Error("Close does not tell")
	}
	r, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if list, _ := r.List(); len(list) != 2 {
		t.Errorf("%d launches", len(list))
	}
}

// No file makes the reader fail in another way than by an error.
func FuzzOpen(f *testing.F) {
	name := filepath.Join(f.TempDir(), "seed")
	w, err := Create(name, false, 0)
	if err != nil {
		f.Fatal(err)
	}
	r := recorded(1)
	r.Memory[0].Data = pattern(100, 1)
	if err := w.Add(Process{1, "p"}, "sm_80", true, r); err != nil {
		f.Fatal(err)
	}
	w.Close()
	data, err := os.ReadFile(name)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add([]byte(header))
	f.Fuzz(func(t *testing.T, data []byte) {
		name := filepath.Join(t.TempDir(), "t")
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Open(name)
		if err != nil {
			return
		}
		defer r.Close()
		list, _ := r.List()
		for i := range list {
			if list[i].Memory < 1<<26 {
				_, _ = r.Launch(i)
			}
		}
	})
}
