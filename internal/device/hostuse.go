package device

import (
	"fmt"
	"strings"

	"example.org/crosslane/diag"
)

// Memory of the host that operations of streams use: the pinned memory of a copy, managed memory during a kernel.
//
// Input: operations with memory of the host, by numbers that a driver gives; accesses of the host, which a driver sees.
// Output: which operations the host has waited for; findings of the codes host-race and host-access.
// Invariant: there is no finding about an access that may come after the operation. A kernel may tell the host by
// memory that both use that the operation has ended.
// Example: a copy to pinned memory, a read of it by the host, and then a call that waits for the stream.

// hostUse is an operation of a stream that uses memory of the host.
type hostUse struct {
	operation
	base, n uint64
	writes  bool // it writes; else it reads
	kernel  bool // a kernel, which may do both
	ended   bool // the host has waited for it
	told    bool // a kernel after it may have told the host that it has ended
}

// A HostUse says how an operation uses memory of the host.
type HostUse uint32

// The uses.
const (
	CopyReads  HostUse = iota // a copy to the device
	CopyWrites                // a copy to the host
	KernelUses
)

// maxHostUses is how many numbers a driver has.
const maxHostUses = 1024

// Watch notes that the last operation of the stream uses n bytes of the host's memory. number identifies the use until
// it is given to another one.
func (s *Stream) Watch(number uint32, base, n uint64, use HostUse) error {
	if err := s.enter(); err != nil {
		return err
	}
	d := s.d
	defer d.leave()
	if !d.opt.Check || number >= maxHostUses || use > KernelUses {
		return nil
	}
	u := &hostUse{base: base, n: n, writes: use == CopyWrites, kernel: use == KernelUses}
	what := [...]string{CopyReads: "a copy to the device", CopyWrites: "a copy to the host", KernelUses: "kernel "}[use]
	switch op := d.last; {
	case op != nil && op.stream == s.number && strings.HasPrefix(op.what, what):
		u.operation = *op
	case op != nil && op.stream == s.number && op.what == copyWithin && use != KernelUses: // between addresses, and one is of the host
		u.operation = *op
		u.what = what
	default:
		u.operation = *d.operation(s, strings.TrimSuffix(what, " "))
	}
	if d.uses == nil {
		d.uses = map[uint32]*hostUse{}
	}
	d.uses[number] = u
	d.pending = append(d.pending, number)
	return nil
}

// EndUses says that the host has waited for all operations that use its memory.
func (d *Device) EndUses() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, u := range d.uses {
		u.ended = true
	}
}

// EndUses says that a function of the host runs in the stream: the operations that come before it have ended.
func (s *Stream) EndUses() {
	if s.enter() != nil {
		return
	}
	d := s.d
	defer d.leave()
	d.operation(s, "a function of the host")
	for _, u := range d.uses {
		u.ended = u.ended || d.order.after(s.number, u.stream, u.epoch)
	}
}

// Ended calls f with the numbers of the uses that have ended since the last call: the host has waited for them. After a
// fault no operation is left.
func (d *Device) Ended(f func(number uint32)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	left := d.pending[:0]
	for _, n := range d.pending {
		u := d.uses[n]
		if u.ended || d.sticky != nil || d.closed || d.order.after(hostClock, u.stream, u.epoch) {
			u.ended = true
			f(n)
			continue
		}
		left = append(left, n)
	}
	d.pending = left
}

// tell notes that an operation writes memory that the host can look at: by that, the host may learn that everything
// before the operation has ended. nil stands for an operation of which nothing is known.
func (d *Device) tell(op *operation) {
	for _, n := range d.pending {
		if u := d.uses[n]; !u.kernel && (op == nil || d.order.after(op.stream, u.stream, u.epoch)) {
			u.told = true
		}
	}
}

// TouchedInUse reports that the host has accessed memory that an operation uses. The client sends it before the next call,
// so what the host has waited for by now it had waited for when it accessed the memory. Not so a function of the host in a
// stream, which runs while another thread may wait: inFunction says that the access is one of it.
func (d *Device) TouchedInUse(number uint32, addr uint64, write, inFunction bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := d.uses[number]
	if u == nil || u.told || d.closed || d.mem == nil || !inFunction && (u.ended || d.order.after(hostClock, u.stream, u.epoch)) {
		return
	}
	verb, doing := "reads", "reads"
	if write {
		verb = "writes"
	}
	switch {
	case u.kernel:
		doing = "may use"
	case u.writes:
		doing = "writes"
	}
	name, a := "memory of the host", d.find(u.base)
	if a != nil {
		name = fmt.Sprintf("byte %d of %q (%d bytes)", addr-a.Base, a.Name, len(a.Data))
	}
	x := &diag.Diagnostic{Severity: diag.Error, Class: diag.Finding, Code: CodeHostRace,
		Message: fmt.Sprintf("the host %s %s, while %s in %s %s it: the host has not waited for that", verb, name, u.what, u.name, doing),
		Remedy:  "synchronise with the stream, or with an event after the operation, before the host uses the memory"}
	x.Related = stepsAt(x, d.callers(), "the host "+verb+" it here")
	if u.callers != nil {
		x.Related = append(x.Related, u.callers.calls("the operation was enqueued here")...)
	}
	if a != nil {
		x.Object = a.Name
		x.Related = append(x.Related, a.origin()...)
	}
	d.note(x)
}

// Touched reports that the host has accessed memory of the device as if it were its own.
func (d *Device) Touched(addr uint64, write bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed || d.mem == nil {
		return
	}
	verb := "reads"
	if write {
		verb = "writes"
	}
	d.hostAccess(addr, "the host "+verb+" memory of the device as its own")
}

// CopiedAsHost reports that a copy has an address of the device, or too many bytes, where an address of the host belongs.
func (d *Device) CopiedAsHost(addr, n uint64, write bool) {
	if d.enter() != nil {
		return
	}
	defer d.leave()
	doing := "a copy to the device reads"
	if write {
		doing = "a copy to the host writes"
	}
	a := d.find(addr)
	if a != nil && a.managed && addr-a.Base < uint64(len(a.Data)) {
		off := addr - a.Base
		_ = d.mistake(CodeCopyBounds, fmt.Sprintf("%s %s at %#x, %d bytes inside %q (%d bytes): the last %d are past its end", doing, bytesText(n), addr, off, a.Name, len(a.Data), off+n-uint64(len(a.Data))),
			"compare the number of bytes with the size of the memory of the host", a.origin()...)
		return
	}
	d.hostAccess(addr, doing+" "+bytesText(n)+" of the host, but the address is one of the device")
}

// hostAccess reports an address of the device that is used as one of the host.
func (d *Device) hostAccess(addr uint64, what string) {
	where := d.describe(addr)
	code, steps := CodeHostAccess, d.mem.Origins(addr)
	if a := d.find(addr); a != nil {
		where, steps = fmt.Sprintf("%#x is %d bytes inside %q (%d bytes)", addr, addr-a.Base, a.Name, len(a.Data)), a.origin()
	} else if text, list := d.mem.Removed(addr); text != "" {
		code, where, steps = CodeUseAfterFree, text, list
	}
	_ = d.mistake(code, what+": "+where, "copy the bytes, or allocate managed or pinned memory", steps...)
}

// FreedAs reports that the host frees memory by the function for another kind. kind names the memory, and the function that frees it.
func (d *Device) FreedAs(addr uint64, function, kind string) {
	if d.enter() != nil {
		return
	}
	defer d.leave()
	if a := d.find(addr); a != nil {
		_ = d.mistake(CodeMismatchedFree, fmt.Sprintf("%q (%d bytes) is freed by %s, but is %s", a.Name, len(a.Data), function, kind), "free memory by the function of its kind", a.origin()...)
	}
}
