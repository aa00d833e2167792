package device

import (
	"bytes"
	"fmt"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
)

// AllocShown allocates memory that the host looks at after each launch without a call: undefined bits that a kernel
// stores there are findings of the kernel.
func (d *Device) AllocShown(name string, n uint64) (api.DevicePtr, error) {
	if err := d.enter(); err != nil {
		return 0, err
	}
	defer d.leave()
	a, err := d.alloc(name, n, false)
	if err != nil {
		return 0, d.allocationFailed(err)
	}
	a.Visible = true
	return api.DevicePtr(a.Base), nil
}

// block is n bytes of the device's memory, in one allocation.
type block struct {
	*allocation
	off, n uint64
}

func (b block) bytes() []byte { return b.Data[b.off : b.off+b.n] }

// block finds n bytes at an address. doing names the effect of the call, for messages.
func (d *Device) block(p api.DevicePtr, n uint64, doing string) (block, error) {
	a := d.find(uint64(p))
	if a == nil {
		if err := d.closedAt(p, doing, bytesText(n)); err != nil {
			return block{}, err
		}
		if text, steps := d.mem.Removed(uint64(p)); text != "" {
			return block{}, d.mistake(CodeUseAfterFree, fmt.Sprintf("%s %s at %s: %s", doing, bytesText(n), p, text), "free memory after its last use", steps...)
		}
		return block{}, d.mistake(CodeBadPointer, fmt.Sprintf("%s %s at %s, which is no memory of the device: %s", doing, bytesText(n), p, d.describe(uint64(p))),
			"pass an address that an allocation returned; addresses of the host are no addresses of the device", append(d.nullSteps(uint64(p)), d.mem.Origins(uint64(p))...)...)
	}
	off := uint64(p) - a.Base
	if room := uint64(len(a.Data)) - off; n > room {
		return block{}, d.mistake(CodeCopyBounds, fmt.Sprintf("%s %s at %s, %d bytes inside %q (%d bytes): the last %d are past its end", doing, bytesText(n), p, off, a.Name, len(a.Data), n-room),
			"compare the number of bytes with the size of the allocation", a.origin()...)
	}
	if a.managed && d.opt.Check {
		a.Define(off, n)
	}
	return block{a, off, n}, nil
}

// writable is block for a call that writes.
func (d *Device) writable(p api.DevicePtr, n uint64, doing string) (block, error) {
	b, err := d.block(p, n, doing)
	if err == nil && b.Rights != "" {
		return block{}, d.mistake(CodeNoAccess, fmt.Sprintf("%s %s at %s, in %q: %s", doing, bytesText(n), p, b.Name, b.Rights),
			"give the device the right to write: cuMemSetAccess with CU_MEM_ACCESS_FLAGS_PROT_READWRITE", b.origin()...)
	}
	return b, err
}

func bytesText(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// Write copies bytes of the host to the device, in a stream.
func (s *Stream) Write(dst api.DevicePtr, src []byte) error {
	if err := s.work("a copy to the device"); err != nil {
		return err
	}
	d := s.d
	defer d.leave()
	return d.write(s, dst, uint64(len(src)), src)
}

// WriteShared is Write of n bytes that the host puts into the memory itself, after this call.
func (s *Stream) WriteShared(dst api.DevicePtr, n uint64) error {
	if err := s.work("a copy to the device"); err != nil {
		return err
	}
	defer s.d.leave()
	return s.d.write(s, dst, n, nil)
}

// staged is the operation of a copy that may go on after its call has returned, although the host does not say so.
const staged = "a copy to the device from pageable memory"

// WriteStaged is WriteShared of pageable memory, of which the driver makes a copy before the call returns.
func (s *Stream) WriteStaged(dst api.DevicePtr, n uint64) error {
	if err := s.work(staged); err != nil {
		return err
	}
	defer s.d.leave()
	return s.d.writeAs(staged, s, dst, n, nil)
}

func (d *Device) write(s *Stream, dst api.DevicePtr, n uint64, src []byte) error {
	return d.writeAs("a copy to the device", s, dst, n, src)
}

func (d *Device) writeAs(what string, s *Stream, dst api.DevicePtr, n uint64, src []byte) error {
	if n == 0 {
		return nil
	}
	b, err := d.writable(dst, n, "a copy to the device writes")
	if err != nil {
		return err
	}
	d.use(b.allocation, d.operation(s, what).only(b.off, b.n, true))
	copy(b.bytes(), src)
	if d.opt.Check {
		b.Define(b.off, b.n)
	}
	return nil
}

// Read copies bytes of the device to the host, in a stream.
func (s *Stream) Read(dst []byte, src api.DevicePtr) error {
	if err := s.work("a copy to the host"); err != nil {
		return err
	}
	d := s.d
	defer d.leave()
	return d.read(s, dst, src, uint64(len(dst)))
}

// ReadShared is Read of n bytes that the host takes from the memory itself, after this call.
func (s *Stream) ReadShared(src api.DevicePtr, n uint64) error {
	if err := s.work("a copy to the host"); err != nil {
		return err
	}
	defer s.d.leave()
	return s.d.read(s, nil, src, n)
}

func (d *Device) read(s *Stream, dst []byte, src api.DevicePtr, n uint64) error {
	if n == 0 {
		return nil
	}
	b, err := d.block(src, n, "a copy to the host reads")
	if err != nil {
		return err
	}
	d.use(b.allocation, d.operation(s, "a copy to the host").only(b.off, b.n, false))
	copy(dst, b.bytes())
	d.checkDefined(b)
	return nil
}

// Snapshot returns a copy of n bytes of the device and of their undefined bits; these are nil if there are none. No stream
// waits, and the copy is no use of the memory: it orders nothing, and nothing is reported but a bad address.
func (d *Device) Snapshot(src api.DevicePtr, n uint64) (data, undefined []byte, err error) {
	if err := d.enter(); err != nil {
		return nil, nil, err
	}
	defer d.leave()
	if n == 0 {
		return nil, nil, nil
	}
	b, err := d.block(src, n, "a copy to the host reads")
	if err != nil {
		return nil, nil, err
	}
	data = bytes.Clone(b.bytes())
	if _, count := b.UndefinedBytes(b.off, n); count == 0 {
		return data, nil, nil
	}
	bits, all := b.UndefinedBits()
	if all {
		return data, bytes.Repeat([]byte{0xff}, int(n)), nil
	}
	return data, bytes.Clone(bits[b.off : b.off+n]), nil
}

// checkDefined reports bytes that the host reads and that are undefined: an error if a kernel stored undefined
// bits there, a note if nothing was written.
func (d *Device) checkDefined(b block) {
	if !d.opt.Check {
		return
	}
	first, count := b.UndefinedBytes(b.off, b.n)
	if count == 0 {
		return
	}
	x := &diag.Diagnostic{Severity: diag.Note, Class: diag.Finding, Code: CodeUndefinedCopy, Object: b.Name,
		Message: fmt.Sprintf("%d of %s that the host reads from %q were never written; the first is byte %d", count, bytesText(b.n), b.Name, first),
		Remedy:  "copy what was written, or fill the memory first if the rest is meant to be read"}
	steps := b.Stains(b.off, b.n)
	if len(steps) > 0 {
		x.Severity = diag.Error
		x.Message = fmt.Sprintf("%d of %s that the host reads from %q have undefined bits; the first is byte %d", count, bytesText(b.n), b.Name, first)
		x.Remedy = "store only what has been written or computed from defined values"
	}
	steps = append(steps, stepsAt(x, d.callers(), "the host reads them here")...)
	x.Related = append(steps, b.origin()...)
	d.note(x)
}

// copyWithin is the name in findings of a copy between two addresses of the device.
const copyWithin = "a copy within the device"

// Copy copies n bytes within the device, in a stream. Hardware copies ranges that overlap in any order; this
// device reads all before it writes.
func (s *Stream) Copy(dst, src api.DevicePtr, n uint64) error {
	if err := s.work(copyWithin); err != nil {
		return err
	}
	d := s.d
	defer d.leave()
	if n == 0 {
		return nil
	}
	from, err := d.block(src, n, "a copy within the device reads")
	if err != nil {
		return err
	}
	to, err := d.writable(dst, n, "a copy within the device writes")
	if err != nil {
		return err
	}
	d.checkOverlap(from, to)
	op := d.operation(s, copyWithin)
	d.use(from.allocation, op.only(from.off, n, false))
	d.use(to.allocation, op.only(to.off, n, true))
	copy(to.bytes(), from.bytes())
	if d.opt.Check {
		to.CopyUndefined(to.off, from.Alloc, from.off, n)
	}
	return nil
}

// checkOverlap reports a copy whose ranges overlap. A copy to itself changes nothing.
func (d *Device) checkOverlap(from, to block) {
	if !d.opt.Check || from.allocation != to.allocation || from.off == to.off || from.off >= to.off+to.n || to.off >= from.off+from.n {
		return
	}
	_ = d.mistake(CodeOverlap, fmt.Sprintf("a copy within the device reads bytes %d to %d of %q and writes bytes %d to %d: the ranges overlap", from.off, from.off+from.n-1, from.Name, to.off, to.off+to.n-1),
		"copy by another allocation, or in pieces that do not overlap", from.origin()...)
}

// Fill fills n elements at an address with a pattern of 1, 2 or 4 bytes, in a stream.
func (s *Stream) Fill(dst api.DevicePtr, pattern []byte, n uint64) error {
	if err := s.work("a fill"); err != nil {
		return err
	}
	d := s.d
	defer d.leave()
	size := uint64(len(pattern))
	switch {
	case size != 1 && size != 2 && size != 4:
		return failed(CodeBadLaunch, fmt.Sprintf("a pattern of %d bytes; it has to have 1, 2 or 4", size), "give a pattern of 1, 2 or 4 bytes")
	case uint64(dst)%size != 0:
		return d.mistake(CodeBadPointer, fmt.Sprintf("%s is filled with a pattern of %d bytes; the address must be a multiple of that", dst, size), "align the address, or use a smaller pattern")
	case n == 0:
		return nil
	case n > 1<<48/size:
		return failed(CodeBadLaunch, fmt.Sprintf("%d elements, which is more than any memory has", n), "fill fewer elements")
	}
	b, err := d.writable(dst, n*size, "a fill writes")
	if err != nil {
		return err
	}
	d.use(b.allocation, d.operation(s, "a fill").only(b.off, b.n, true))
	data := b.bytes()
	for done := copy(data, pattern); done < len(data); done *= 2 {
		copy(data[done:], data[:done])
	}
	if d.opt.Check {
		b.Define(b.off, b.n)
	}
	return nil
}

// Alloc allocates memory in a stream: operations of the stream may use it from here on, those of another stream
// only if they come after this one.
func (s *Stream) Alloc(name string, n uint64) (api.DevicePtr, error) {
	if err := s.work("an allocation"); err != nil {
		return 0, err
	}
	d := s.d
	defer d.leave()
	a, err := d.alloc(name, n, false)
	if err != nil {
		return 0, err
	}
	if op := d.operation(s, "an allocation"); op != nil {
		op.allocs = true
		d.use(a, op.only(0, n, true))
	}
	return api.DevicePtr(a.Base), nil
}

// Free frees an allocation in a stream, after the stream's operations so far.
func (s *Stream) Free(p api.DevicePtr) error {
	if err := s.enter(); err != nil {
		return err
	}
	d := s.d
	defer d.leave()
	if a := d.find(uint64(p)); a != nil && a.host && a.Base == uint64(p) {
		if op := d.operation(s, "a free"); op != nil {
			op.frees = true
			d.use(a, op.only(0, uint64(len(a.Data)), true))
		}
	}
	return d.free(p)
}
