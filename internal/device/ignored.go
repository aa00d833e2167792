package device

import (
	"fmt"

	"example.org/crosslane/diag"
)

// Errors that a host ignores. An error is no mistake by itself; the next call of the host may be one.
//
// Input: errors of calls, and the calls after them.
// Output: the finding ignored-error; further steps of other findings.
// Invariant: there is no finding before the host has been told of the fault. A host that is told late, by another
// call, may have made many calls since.
// Example: a kernel faults, the next call returns the fault, and then the host launches another kernel.

// slips are the errors that a device remembers to explain later mistakes.
type slips struct {
	late    bool // errors of launches come with later calls
	heard   bool // the host has been told of the fault
	ignored bool // and has gone on, which was reported
	failed  func() []diag.Related
	waits   map[int]func() []diag.Related // by number of the stream: its last wait for an event without a record
}

// UseLateErrors says that the host of the device learns of a fault by a call after the launch. Heard says when.
func (d *Device) UseLateErrors() { d.slips.late = true }

// Heard says that a call has returned an error to the host.
func (d *Device) Heard() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.slips.heard = d.slips.heard || d.sticky != nil
}

// work is enter of a call that gives the stream something to do.
func (s *Stream) work(what string) error {
	err := s.enter()
	if err != nil && s != nil && s.d != nil {
		s.d.goesOn(what)
	}
	return err
}

// goesOn reports the first call that gives the device something to do after the host has been told of a fault.
func (d *Device) goesOn(what string) {
	if d == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	list := diag.Of(d.sticky)
	if d.mem == nil || d.closed || !d.opt.Check || len(list) == 0 || !d.slips.heard || d.slips.ignored {
		return
	}
	d.slips.ignored = true
	fault := list[0]
	steps := append([]diag.Related{{Pos: fault.Pos, Message: "the fault: " + fault.Message}}, fault.Related...)
	_ = d.mistake(CodeIgnoredError, fmt.Sprintf("%s is asked for after a fault that an earlier call has returned: it has no effect, as all later calls", what),
		"look at the error of each call, and end or reset the device after a fault", steps...)
}

// allocationFailed remembers why there is no address, and returns the error.
func (d *Device) allocationFailed(err error) error {
	if list := diag.Of(err); len(list) > 0 && d.opt.Check {
		d.slips.failed = callsOf(d.callers(), "no memory was allocated here: %s", list[0].Message)
	}
	return err
}

// nullSteps are the steps that explain where an address came from, if it is a null pointer.
func (d *Device) nullSteps(addr uint64) []diag.Related {
	if addr >= 1<<16 || d.slips.failed == nil {
		return nil
	}
	return d.slips.failed()
}

// waitedForNothing remembers that a stream waits for an event that was not recorded; only its last wait counts.
func (d *Device) waitedForNothing(s *Stream, nothing bool) {
	if !d.opt.Check {
		return
	}
	if !nothing {
		delete(d.slips.waits, s.number)
		return
	}
	if d.slips.waits == nil {
		d.slips.waits = map[int]func() []diag.Related{}
	}
	d.slips.waits[s.number] = callsOf(d.callers(), "%s waits here for an event that was not recorded before, so it waits for nothing", s.name)
}

// waitSteps are the waits of the stream that had no effect.
func (d *Device) waitSteps(stream int) []diag.Related {
	if f := d.slips.waits[stream]; f != nil {
		return f()
	}
	return nil
}
