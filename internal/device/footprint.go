package device

import (
	"fmt"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// Footprints are the bytes of an allocation that operations used. They are compared with those of later operations.
//
// Input: the ranges of an allocation that an operation used, and whether it comes after earlier ones.
// Output: a finding for the first range that an operation shares with an unordered one, if either writes.
// Invariant: the ranges of a footprint are sorted and do not overlap. A range that a later, ordered operation
// covers is removed: what is not ordered after it is not ordered after the later one either.
// Example: two fills of the same bytes in a stream: the history holds the second one.

// access is a range of an allocation that an operation used.
type access struct {
	lo, hi uint64 // offsets of the first byte and after the last one
	write  bool
	strong bool  // it races with no other strong access
	pos    int32 // the instruction of the guest, if an instruction made it; -1: one of several
}

// footprint is the ranges of an allocation that an operation used.
type footprint struct {
	op     *operation
	fn     *ir.Func // has the instructions; nil: no instructions made the accesses
	ranges []access
}

// only returns the footprint of an operation that uses n bytes at an offset; nil if nothing is compared.
func (op *operation) only(off, n uint64, write bool) *footprint {
	if op == nil {
		return nil
	}
	return &footprint{op: op, ranges: []access{{lo: off, hi: off + n, write: write}}}
}

// instruction is the guest's instruction as a step of a finding.
func (f *footprint) instruction(x *access, what string) (list []diag.Related) {
	if f.fn != nil && x.pos >= 0 {
		pos, src := sim.Where(f.fn, x.pos)
		list = append(list, diag.Related{Pos: pos, Source: src, Message: what})
	}
	return list
}

// history is the footprints of an allocation, in the order of the operations.
type history struct {
	list []*footprint
	// look and room are how many footprints and ranges there may be before old ones are removed.
	look, room int
}

// Limits of a history. If it is longer, accesses that everything comes after are removed; if that is not enough,
// the oldest ones are.
const (
	minHistory = 16
	maxHistory = 1 << 10
	maxRanges  = 1 << 20
)

// use compares a footprint with the earlier ones of the allocation, reports the first access that is not ordered,
// and remembers it. nil: nothing is compared.
func (d *Device) use(a *allocation, x *footprint) {
	if x == nil || len(x.ranges) == 0 {
		return
	}
	h := &a.history
	reported, ranges := false, len(x.ranges)
	left := h.list[:0]
	for _, old := range h.list {
		if d.order.after(x.op.stream, old.op.stream, old.op.epoch) {
			old.ranges = uncovered(old.ranges, x.ranges)
		} else if !reported {
			if y, z := conflict(old.ranges, x.ranges); y != nil {
				d.unordered(a, old, x, y, z)
				reported = true
			}
		}
		if len(old.ranges) > 0 {
			left = append(left, old)
			ranges += len(old.ranges)
		}
	}
	clear(h.list[len(left):])
	h.list = append(left, x)
	if len(h.list) > h.look || ranges > h.room {
		d.shorten(h)
	}
}

// shorten removes footprints that everything comes after, and the oldest ones if there are too many.
func (d *Device) shorten(h *history) {
	left := h.list[:0]
	for _, f := range h.list {
		if !d.order.passed(f.op.stream, f.op.epoch) {
			left = append(left, f)
		}
	}
	clear(h.list[len(left):])
	first, ranges := len(left), 0
	for first > 0 && len(left)-first < maxHistory && ranges+len(left[first-1].ranges) <= maxRanges {
		first--
		ranges += len(left[first].ranges)
	}
	h.list = append([]*footprint(nil), left[first:]...)
	h.look, h.room = 2*len(h.list)+minHistory, ranges+maxRanges
}

// uncovered removes the ranges of old that lie in one of x which does at least as much, and returns the rest.
func uncovered(old, x []access) []access {
	left, i := old[:0], 0
	for _, r := range old {
		for i < len(x) && x[i].hi <= r.lo {
			i++
		}
		if i < len(x) && x[i].lo <= r.lo && r.hi <= x[i].hi && (x[i].write || !r.write) && (!x[i].strong || r.strong) {
			continue
		}
		left = append(left, r)
	}
	if len(left) < cap(left)/4 {
		return append([]access(nil), left...)
	}
	return left
}

// conflict returns the first two ranges that share bytes, if one writes and they are not both strong; nil, nil if
// there are none.
func conflict(old, x []access) (a, b *access) {
	for i, j := 0, 0; i < len(old) && j < len(x); {
		a, b = &old[i], &x[j]
		if a.lo < b.hi && b.lo < a.hi && (a.write || b.write) && !(a.strong && b.strong) {
			return a, b
		}
		if a.hi <= b.hi {
			i++
		} else {
			j++
		}
	}
	return nil, nil
}

// verb names the effect of an access.
func (x *access) verb(op *operation) string {
	switch {
	case op.frees:
		return "frees"
	case op.allocs:
		return "allocates"
	case x.write:
		return "writes"
	}
	return "reads"
}

// unordered reports two accesses of which at least one writes, and which nothing orders.
func (d *Device) unordered(a *allocation, earlier, later *footprint, old, x *access) {
	lo, hi := max(old.lo, x.lo), min(old.hi, x.hi)
	code, remedy := CodeStreamRace, "let the second stream wait for an event that the first one records, or synchronise with the host between them"
	if later.op.frees || earlier.op.frees {
		code, remedy = CodeFreedInUse, "free it in the stream that used it last, or after an event of that stream"
	}
	if earlier.op.what == staged {
		remedy += "; a copy from pageable memory may go on after its call has returned"
	}
	m := &diag.Diagnostic{Severity: diag.Error, Class: diag.Finding, Code: code, Remedy: remedy, Object: a.Name,
		Message: fmt.Sprintf("%s in %s %s %q, bytes %d to %d, while %s in %s %s them: nothing orders the two",
			later.op.what, later.op.name, x.verb(later.op), a.Name, lo, hi-1, earlier.op.what, earlier.op.name, old.verb(earlier.op))}
	m.Related = stepsAt(m, later.op.callers, "the later operation was enqueued here")
	m.Related = append(m.Related, later.instruction(x, "the instruction of the later operation")...)
	m.Related = append(m.Related, d.waitSteps(later.op.stream)...)
	if earlier.op.callers != nil {
		m.Related = append(m.Related, earlier.op.callers.calls("the earlier operation was enqueued here")...)
	}
	m.Related = append(m.Related, earlier.instruction(old, "the instruction of the earlier operation")...)
	m.Related = append(m.Related, a.origin()...)
	d.note(m)
}
