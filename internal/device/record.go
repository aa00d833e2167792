package device

import (
	"fmt"
	"slices"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// A Recorded is a launch with everything that it depends on.
type Recorded struct {
	Target string // of the device
	Image  []byte // of the module, as SetImage gave it
	Name   string // of the module, for messages
	Kernel string
	Launch api.DeviceLaunch
	// Variables are the addresses of the variables of the module, in the order of the module.
	Variables []uint64
	Memory    []RecordedAlloc
	// HeapBytes is how many bytes kernels have allocated themselves. Heap is that memory; nil: there is none, or it is not
	// recorded.
	HeapBytes uint64
	Heap      *RecordedHeap
}

// HeapState and FreedAlloc are those of the simulator, for files.
type (
	HeapState  = sim.HeapState
	FreedAlloc = sim.FreedAlloc
)

// A RecordedHeap is the memory that kernels have allocated with malloc.
type RecordedHeap struct {
	HeapState
	Memory []RecordedAlloc // by address
}

// A RecordedAlloc is memory of a device before a launch: an allocation of the host or a variable of a module.
type RecordedAlloc struct {
	Name     string
	Base     uint64
	Data     []byte // the memory itself: not to be kept
	Managed  bool
	ReadOnly bool // for kernels
	// Undefined are the undefined bits; AllUndefined says that all bits are. Both need a device that checks.
	Undefined    []byte
	AllUndefined bool
}

// SetImage keeps the image of the module for a recorder.
func (m *Module) SetImage(image []byte) { m.image = image }

// recorded describes a launch for a recorder. The parameters are given as bytes.
func (d *Device) recorded(k *Kernel, l *api.DeviceLaunch) *Recorded {
	r := &Recorded{Target: d.target.Name, Image: k.m.image, Name: k.m.placed.Module().File(), Kernel: k.Name(), Launch: *l, HeapBytes: d.mem.HeapUsed()}
	for _, v := range k.m.placed.Variables() {
		r.Variables = append(r.Variables, v.Alloc.Base)
	}
	for _, a := range d.mem.All() {
		x := d.allocs[a]
		if x == nil || len(a.Data) == 0 {
			continue
		}
		m := recordedAlloc(a)
		m.Managed = x.managed
		r.Memory = append(r.Memory, m)
	}
	if state, allocs := d.mem.Heap(); state.Next != 0 {
		r.Heap = &RecordedHeap{HeapState: state}
		for _, a := range allocs {
			r.Heap.Memory = append(r.Heap.Memory, recordedAlloc(a))
		}
	}
	return r
}

func recordedAlloc(a *sim.Alloc) RecordedAlloc {
	bits, all := a.UndefinedBits()
	return RecordedAlloc{Name: a.Name, Base: a.Base, Data: a.Data, ReadOnly: a.ReadOnly, Undefined: bits, AllUndefined: all}
}

// Replay puts the memory and the module of a recorded launch on a device that has neither, and returns the kernel.
// The module is loaded from the image of the launch.
func (d *Device) Replay(m *session.Module, r *Recorded) (*Kernel, error) {
	if r.HeapBytes > 0 && r.Heap == nil {
		return nil, failed(CodeNotRecorded, fmt.Sprintf("kernels had allocated %d bytes with malloc before this launch, and that memory is not recorded", r.HeapBytes), "replay a launch before the first one that calls malloc")
	}
	if slices.ContainsFunc(r.Variables, func(base uint64) bool { return base >= usualHeap }) {
		d.mem.MoveHeap(inPlaceHeap, inPlaceHeapEnd)
	}
	d.mem.Bases = r.Variables
	module, err := d.Load(m)
	d.mem.Bases = nil
	if err != nil {
		return nil, err
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	if slices.ContainsFunc(r.Memory, func(m RecordedAlloc) bool { return m.Base >= inPlaceHeapEnd && !slices.Contains(r.Variables, m.Base) }) {
		d.mem.MoveHeap(inPlaceHeap, inPlaceHeapEnd)
	}
	for i := range r.Memory {
		if err := d.replayed(&r.Memory[i]); err != nil {
			return nil, diag.List{diag.Errorf(diag.Pos{}, diag.Input, CodeNotRecorded, "%q cannot be put where it was: %v", r.Memory[i].Name, err)}
		}
	}
	if err := d.replayedHeap(r.Heap); err != nil {
		return nil, diag.List{diag.Errorf(diag.Pos{}, diag.Input, CodeNotRecorded, "the memory of malloc cannot be put where it was: %v", err)}
	}
	k, err := module.placed.Module().Kernel(r.Kernel)
	if err != nil {
		return nil, err
	}
	return module.kernel(k), nil
}

// replayedHeap makes the heap that kernels had.
func (d *Device) replayedHeap(h *RecordedHeap) error {
	if h == nil {
		return nil
	}
	var allocs []*sim.Alloc
	for i := range h.Memory {
		m := &h.Memory[i]
		a := &sim.Alloc{Name: m.Name, Base: m.Base, Data: session.Aligned((len(m.Data) + 15) &^ 15)[:len(m.Data):len(m.Data)]}
		copy(a.Data, m.Data)
		if d.opt.Check {
			a.SetUndefined(m.Undefined, m.AllUndefined)
		}
		allocs = append(allocs, a)
	}
	if low, high := h.Low, h.High; low == inPlaceHeap && high == inPlaceHeapEnd && d.mem.MoveHeap(low, high) {
		h := h.HeapState
		h.Low, h.High = 0, 0
		return d.mem.SetHeap(h, allocs)
	}
	return d.mem.SetHeap(h.HeapState, allocs)
}

// replayed puts one allocation on the device, or gives a variable its contents.
func (d *Device) replayed(r *RecordedAlloc) error {
	a := d.mem.Find(r.Base, uint64(len(r.Data)))
	switch {
	case a != nil && a.Base != r.Base:
		return fmt.Errorf("%#x lies inside %q", r.Base, a.Name)
	case a == nil:
		place := d.mem.AddAt
		if r.ReadOnly {
			place = d.mem.AddConstantAt
		}
		var err error
		if a, err = place(r.Base, r.Name, session.Aligned(len(r.Data))); err != nil {
			return err
		}
		d.allocs[a] = &allocation{Alloc: a, host: true, managed: r.Managed}
		d.used += uint64(len(r.Data))
	}
	copy(a.Data, r.Data)
	if d.opt.Check {
		a.SetUndefined(r.Undefined, r.AllUndefined)
	}
	return nil
}

// A Difference is an allocation that a launch changed.
type Difference struct {
	Name   string
	Base   uint64
	Before []byte
	After  []byte
}

// Changed compares the memory of the device with that of a recorded launch.
func (d *Device) Changed(r *Recorded) (list []Difference) {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := r.Memory
	if r.Heap != nil {
		all = slices.Concat(all, r.Heap.Memory)
	}
	for i := range all {
		x := &all[i]
		if a := d.mem.Find(x.Base, uint64(len(x.Data))); a != nil && string(a.Data) != string(x.Data) {
			list = append(list, Difference{Name: x.Name, Base: x.Base, Before: x.Data, After: a.Data})
		}
	}
	return list
}
