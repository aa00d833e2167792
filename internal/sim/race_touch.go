package sim

import (
	"encoding/binary"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Accesses that this package does itself and that no Access operation could describe: rows and tiles of
// matrices, bulk copies, and services of the runtime for a lane.

// racing begins the accesses of one operation. It returns nil if races are not looked for, or if the
// operation moves undefined bits. All methods below accept nil.
func (w *Wave) racing(in *ir.Inst, kind ir.AccessKind) *racing {
	k := w.races
	if k == nil || in.Flags&ir.Undefined != 0 || k.over && !k.endReported(w, in) {
		return nil
	}
	return &racing{w: w, k: k, in: in, kind: kind, slot: slotOf(in.Order, kind)}
}

// atomics turns the accesses into atomic ones.
func (x *racing) atomics(scope ir.Order) {
	if x != nil {
		in := *x.in
		in.Order = ir.Strong | scope
		x.in, x.kind, x.slot = &in, ir.AccessUpdate, 0
	}
}

// touch checks an access of lane i. data holds the stored bytes, or is nil.
func (x *racing) touch(i int, space ir.Space, addr, n uint64, data []byte) {
	if x == nil || n == 0 {
		return
	}
	w := x.w
	if w.Func.Apart != nil {
		w.beyondOne(x.in, x.kind, i, space, addr, n)
	}
	x.m |= lane.Lane(i)
	x.g, x.size, x.data = w.groupOf(i), n, data
	x.seg = w.segment(x.g, x.slot)
	if x.kind == ir.AccessUpdate {
		if at, ok := w.locate(space, addr, n); ok {
			x.shared = at.alloc == nil
			x.strongOne(i, addr, at, lane.Lane(i))
		}
		return
	}
	x.one(i, space, addr, lane.Lane(i))
}

// bytes returns the lowest n bytes of v, for a store.
func (x *racing) bytes(v, n uint64) []byte {
	if x == nil || x.kind == ir.AccessRead {
		return nil
	}
	return binary.LittleEndian.AppendUint64(nil, v)[:n]
}

// touch checks an access of the runtime, for the lane that called it.
func (c *hostCall) touch(kind ir.AccessKind, addr, n uint64) {
	if c.w.races != nil && c.fault == nil {
		in := c.access(kind == ir.AccessWrite)
		x := c.w.racing(in, kind)
		x.touch(c.lane, ir.Generic, addr, n, nil)
		x.finish()
	}
}
