package race

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// Accesses that the simulator does itself and that no Access operation could describe: rows and tiles of
// matrices, bulk copies, and services of the runtime for a lane.

// Operation begins the accesses of one operation. It returns nil if the memory for records is used up.
func (w *wave) Operation(in ir.Inst, kind ir.AccessKind) sim.OperationRaces {
	k := w.d
	if k.over && !k.endReported(w, &in) {
		return nil
	}
	// Bulk copies and products of warpgroups read as the asynchronous proxy.
	return &racing{w: w, k: k, in: &in, kind: kind, slot: slotOf(in.Order, kind), proxy: in.Order&ir.Async != 0 && kind == ir.AccessRead}
}

// Touch checks an access of lane i. data holds the stored bytes, or is nil.
func (x *racing) Touch(i int, space ir.Space, addr, n uint64, data []byte) {
	w := x.w
	x.m |= lane.Lane(i)
	x.g, x.size, x.data = w.groupOf(i), n, data
	if x.in.Op == ir.Tensor && w.Func.Tensors[x.in.Imm].Texture != nil { // any write in the launch is a finding of its own
		w.readOnly(x.in, i, space, addr, n)
		return
	}
	x.seg = w.segment(x.g, x.slot)
	x.startsRead(i, space, addr)
	if x.kind == ir.AccessUpdate {
		if at, ok := x.locate(space, addr, n, lane.Lane(i)); ok {
			x.strongOne(i, addr, at, lane.Lane(i))
		}
		return
	}
	x.one(i, space, addr, lane.Lane(i))
}

// End reports the findings of the operation.
func (x *racing) End() { x.finish() }
