package sim

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// A Recorder follows a launch of a function to which instrumentation has added Record operations. Each is
// used by one goroutine at a time.
type Recorder interface {
	// Start is called before a wave runs a block, when its registers are ready.
	Start(w *Wave)
	// Record is called by a Record operation for the lanes of its write mask.
	Record(w *Wave, in *ir.Inst, lanes lane.Mask)
	// Met is called after a rendezvous that names members, before its lanes go on: all have arrived, at the
	// operations of who.
	Met(w *Wave, who []Meeting, all, members lane.Mask)
	// Wrote is called when an operation other than Store and Atomic writes n bytes for a
	// lane, at an address of the operation's space.
	Wrote(w *Wave, in *ir.Inst, lane int, space ir.Space, addr, n uint64)
}

// A ReadRecorder is a Recorder that also receives the reads of operations other than Load and Atomic: n
// bytes for a lane, at an address of the space.
type ReadRecorder interface {
	Recorder
	Read(w *Wave, in *ir.Inst, lane int, space ir.Space, addr, n uint64)
}

// CallOuts receives the operations that an engine of machine code leaves to the interpreter's function.
type CallOuts interface {
	CalledOut(w *Wave, in *ir.Inst)
}

// CalledOut accounts for an operation that an engine of machine code left to the interpreter's function.
// Record operations are not part of the guest, and do not count.
func (w *Wave) CalledOut(in *ir.Inst) {
	if in.Op == ir.Record {
		return
	}
	w.stats.CalledOut++
	if c := w.Launch.CallOuts; c != nil {
		c.CalledOut(w, in)
	}
}

// Native accounts for n instructions that an engine did in machine code.
func (w *Wave) Native(n uint64) { w.stats.Native += n }

// A Meeting is a set of lanes that arrived at a rendezvous operation.
type Meeting struct {
	Inst  *ir.Inst
	Lanes lane.Mask
}

// Record performs a Record operation.
func (w *Wave) Record(in *ir.Inst, lanes lane.Mask) {
	if r := w.Launch.Recorder; r != nil && lanes != 0 {
		r.Record(w, in, lanes)
	}
}

// wrote reports a store by package sim to the launch's Recorder.
func (w *Wave) wrote(in *ir.Inst, lane int, addr, n uint64) {
	if r := w.Launch.Recorder; r != nil && in.Flags&ir.Undefined == 0 {
		r.Wrote(w, in, lane, in.Space, addr, n)
	}
}

// read reports a read by package sim to the launch's Recorder, if it is a ReadRecorder.
func (w *Wave) read(in *ir.Inst, lane int, space ir.Space, addr, n uint64) {
	if w.Launch.Recorder == nil || in.Flags&ir.Undefined != 0 {
		return
	}
	if r, ok := w.Launch.Recorder.(ReadRecorder); ok {
		r.Read(w, in, lane, space, addr, n)
	}
}

// Number is the index of the wave's block in launch order.
func (b *Block) Number() uint64 { return b.block }

// Index is the index of the block in the grid.
func (l *Launch) Index(block uint64) [3]uint32 { return l.blockIndex(block) }

// Resolve returns the space of an address of the guest, and the offset there: see ir.Windows.
func (w *Wave) Resolve(space ir.Space, addr uint64) (ir.Space, uint64) {
	return w.Func.Windows.Resolve(space, addr, w.Mem.Wide())
}

// Bytes returns n bytes of memory at an address of the guest in a space, as lane i sees it; nil if there
// is no such memory. It changes nothing, and the caller must not change the bytes.
func (w *Wave) Bytes(space ir.Space, addr, n uint64, i int) []byte {
	sp, at := w.Resolve(space, addr)
	var data []byte
	switch sp {
	case ir.Shared:
		owner, off := w.SharedAt(at)
		if owner == nil {
			return nil
		}
		data, at = owner.Shared, off
	case ir.Local:
		data = w.LocalOf(i)
	case ir.Param:
		data = w.Launch.Param
	default:
		a := w.Last
		if a == nil || addr-a.Base > uint64(len(a.Data)) || uint64(len(a.Data))-(addr-a.Base) < n {
			if a = w.Mem.Find(addr, n); a == nil {
				return nil
			}
		}
		data, at = a.Data, addr-a.Base
	}
	if size := uint64(len(data)); at > size || size-at < n {
		return nil
	}
	return data[at : at+n]
}
