package device

import (
	"example.org/crosslane/internal/check/race"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// When the accesses of launches are listed.
//
// Input: a launch that has run, and its Ranger, which is valid until the memory changes or the next launch runs.
// Output: the footprints of its allocations, or nothing.
// Invariant: an operation is compared with all earlier ones that it does not come after. If the host has waited for a launch before it
// enqueues something else, all later operations come after the launch, and its accesses are never listed.
// Example: a program that waits for each launch lists no accesses.

// unlisted is a launch whose accesses are not listed so far.
type unlisted struct {
	op   *operation
	from session.Ranger
	fn   *ir.Func
	now  bool // it is compared as soon as the launch has ended
}

// accesses compares the accesses of a launch with those of earlier operations, and remembers them for later ones.
func (d *Device) accesses(op *operation, r session.Ranger, fn *ir.Func) {
	if late, ok := r.(session.LateRanger); ok && late.Late() {
		d.unlisted = &unlisted{op: op, from: r, fn: fn, now: !d.mayWait(op, late)}
		return
	}
	d.list(op, r, fn)
}

// mayWait reports whether the accesses of a launch need not be compared with those of earlier operations: all of them
// come before it.
func (d *Device) mayWait(op *operation, r session.LateRanger) bool {
	for a := range r.Accessed {
		y := d.allocs[a]
		if y == nil {
			continue
		}
		if y.managed {
			return false // the host may have written it
		}
		for _, f := range y.history.list {
			if !d.order.after(op.stream, f.op.stream, f.op.epoch) {
				return false
			}
		}
	}
	return true
}

// ended lists the accesses of a launch that has ended, if they may not wait.
func (d *Device) ended() {
	if u := d.unlisted; u != nil && u.now {
		d.unlisted = nil
		d.list(u.op, u.from, u.fn)
	}
}

// settle lists the accesses of the last launch, if that was put off and something may still be enqueued that does not come
// after it.
func (d *Device) settle() {
	u := d.unlisted
	d.unlisted = nil
	if u != nil && !d.order.after(hostClock, u.op.stream, u.op.epoch) {
		d.list(u.op, u.from, u.fn)
	}
}

// list compares and remembers the accesses of a launch.
func (d *Device) list(op *operation, r session.Ranger, fn *ir.Func) {
	var f *footprint
	var of *allocation
	told := false
	r.Ranges(func(a *sim.Alloc, x race.Range) {
		y := d.allocs[a]
		if y == nil {
			return
		}
		if x.Write && y.managed && !told {
			told = true
			d.tell(op)
		}
		if y != of {
			d.use(of, f)
			of, f = y, &footprint{op: op, fn: fn}
		}
		f.ranges = append(f.ranges, access{lo: x.Lo, hi: x.Hi, write: x.Write, strong: x.Strong, pos: x.Pos})
	})
	d.use(of, f)
}
