package device

import (
	"encoding/binary"
	"fmt"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/sim"
)

// Operations of streams on values in memory.
//
// Input: writes of values; waits for values, and whether memory has them.
// Output: the order of streams; the finding of a wait that cannot end.
// Invariant: what follows a wait comes after the write that ended it, and after all that came before the write in its stream.
// If another operation has stored the value, everything that was enqueued before counts as ordered: no order is missed.
// Example: stream 1 copies and writes 1; stream 2 waits for 1 and launches: the kernel comes after the copy.

// A Comparison says when a wait ends (CUDA driver API, CUstreamWaitValue_flags).
type Comparison uint32

// The comparisons.
const (
	AtLeast Comparison = iota // the difference is not negative, as a number with a sign
	Equal
	CommonBit
	BitInNeither
)

// A Value is an operand of an operation on memory.
type Value struct {
	Ptr   api.DevicePtr
	Value uint64
	Size  uint32 // 4 or 8
	How   Comparison
}

// valueBlock finds the memory of a value.
func (d *Device) valueBlock(v Value, write bool, doing string) (block, error) {
	if v.Size != 4 && v.Size != 8 || uint64(v.Ptr)%uint64(v.Size) != 0 || v.How > BitInNeither {
		return block{}, failed(CodeBadLaunch, "the size of a value is 4 or 8, and its address a multiple of that", "align the address")
	}
	if write {
		return d.writable(v.Ptr, uint64(v.Size), doing)
	}
	return d.block(v.Ptr, uint64(v.Size), doing)
}

// WriteValue stores a value in the stream.
func (s *Stream) WriteValue(v Value) error {
	if err := s.work("a write of a value"); err != nil {
		return err
	}
	d := s.d
	defer d.leave()
	b, err := d.valueBlock(v, true, "a write of a value changes")
	if err != nil {
		return err
	}
	d.use(b.allocation, d.operation(s, "a write of a value").strongly(b.off, b.n, true))
	var bytes [8]byte
	binary.LittleEndian.PutUint64(bytes[:], v.Value)
	copy(b.bytes(), bytes[:])
	if d.opt.Check {
		b.Define(b.off, b.n)
		if d.values == nil {
			d.values = map[api.DevicePtr]written{}
		}
		d.values[v.Ptr] = written{v.Value, v.Size, d.order.record(s.number)}
	}
	return nil
}

// written is the last write of a value at an address.
type written struct {
	value uint64
	size  uint32
	clock clock
}

// present is the value in memory.
func (b block) present() uint64 {
	var bytes [8]byte
	copy(bytes[:], b.bytes())
	return binary.LittleEndian.Uint64(bytes[:])
}

// ValueThere reports whether memory has the value for which the stream waits.
func (s *Stream) ValueThere(v Value) (bool, error) {
	if err := s.enter(); err != nil {
		return false, err
	}
	defer s.d.leave()
	b, err := s.d.valueBlock(v, false, "a wait for a value reads")
	if err != nil {
		return false, err
	}
	have, all := b.present(), ^uint64(0)>>(64-8*v.Size)
	switch v.How {
	case AtLeast:
		return (have-v.Value)&all>>(8*v.Size-1) == 0, nil
	case Equal:
		return have == v.Value, nil
	case CommonBit:
		return have&v.Value != 0, nil
	}
	return ^(have|v.Value)&all != 0, nil
}

// WaitedValue makes the later operations of the stream come after what has stored the value.
func (s *Stream) WaitedValue(v Value) error {
	if err := s.work("a wait for a value"); err != nil {
		return err
	}
	d := s.d
	defer d.leave()
	b, err := d.valueBlock(v, false, "a wait for a value reads")
	if err != nil || d.order.off {
		return err
	}
	if w, ok := d.values[v.Ptr]; ok && w.size == v.Size && w.value == b.present() {
		d.order.wait(s.number, w.clock)
	} else {
		for i := range d.order.clocks {
			d.order.wait(s.number, d.order.clocks[i])
		}
	}
	d.use(b.allocation, d.operation(s, "a wait for a value").strongly(b.off, b.n, false))
	return nil
}

// strongly is only of an access that does not race with atomic accesses.
func (op *operation) strongly(off, n uint64, write bool) *footprint {
	f := op.only(off, n, write)
	if f != nil {
		f.ranges[0].strong = true
	}
	return f
}

// ValueNever reports that a wait cannot end, because the host waits, too. The device is of no use after that.
func (s *Stream) ValueNever(v Value, w HostWait) error {
	if err := s.enter(); err != nil {
		return err
	}
	d := s.d
	defer d.leave()
	b, err := d.valueBlock(v, false, "a wait for a value reads")
	if err != nil {
		return err
	}
	how := [...]string{AtLeast: "hold at least %d", Equal: "hold %d", CommonBit: "have a bit of %#x", BitInNeither: "lack a bit that %#x lacks"}[v.How]
	x := &diag.Diagnostic{Severity: diag.Error, Class: diag.Fault, Code: sim.CodeLivelock, Object: b.Name,
		Message: fmt.Sprintf("%s waits until bytes %d to %d of %q "+how+"; they hold %d, and no operation that could come before changes that", s.name, b.off, b.off+b.n-1, b.Name, v.Value, b.present()),
		Remedy:  "write the value before the host waits for the stream, and not in the stream that waits"}
	x.Related = stepsAt(x, d.callers(), "the wait was enqueued here")
	list := diag.List{x}
	w.explain(list)
	x.Related = append(x.Related, b.origin()...)
	d.note(x)
	if !d.opt.KeepGoing {
		d.sticky = list
		d.slips.heard = !d.slips.late
	}
	return list
}
