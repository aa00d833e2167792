package sim

import (
	"fmt"
	"math"
	"unsafe"

	"example.org/crosslane/internal/ir"
)

// Region is a range of memory that one access instruction may use without another look-up. An address a is
// inside if a-Lo <= Max, in unsigned arithmetic. Max accounts for the size of the access. An empty region
// has Max 0 and a Lo out of reach.
//
// Input: an access instruction, its size, and the last allocation that the wave used.
// Output: Region or RegionForStore, the range to try first; Slow, the memory of one lane and the range to
// try next, or a fault.
// Invariant: every address inside a region is valid for the instruction except for its alignment.
// Example: loads of 4 bytes from a buffer of 64 bytes at 0x200000000: Lo = 0x200000000, Max = 60.
type Region struct {
	Lo, Max uint64
	Ptr     unsafe.Pointer
	// Private says that the memory belongs to the block or to a lane: only this worker touches it.
	Private bool
}

// nowhere is a region without memory. Its Ptr is nil, which a caller that finds an address inside has to
// check. No guest computes that address by accident.
var nowhere = Region{Lo: math.MaxUint64, Max: 0}

// Region returns the region to try first for loads of the given size.
func (w *Wave) Region(in *ir.Inst, size uint64) Region {
	if in.Flags&ir.Undefined != 0 {
		return w.undefRegion(in, size, false)
	}
	switch in.Space {
	case ir.Shared:
		return private(w.sharedFirst(), w.Shared, size)
	case ir.Param:
		return region(0, w.Launch.Param, size)
	case ir.Local:
		return nowhere
	}
	if in.Space == ir.Generic && w.generic && in.Flags&ir.OnlyGlobal == 0 {
		return private(w.sharedBase()+w.sharedFirst(), w.Shared, size)
	}
	if a := w.Last; a != nil && in.Flags&ir.OnlyShared == 0 {
		return region(a.Base, a.Data, size)
	}
	return nowhere
}

// RegionForStore is Region for stores: it returns only memory that is writable and already marked as
// written.
func (w *Wave) RegionForStore(in *ir.Inst, size uint64) Region {
	if in.Flags&ir.Undefined != 0 {
		return w.undefRegion(in, size, true)
	}
	switch in.Space {
	case ir.Shared:
		return private(w.sharedFirst(), w.Shared, size)
	case ir.Local, ir.Param:
		return nowhere
	}
	if in.Space == ir.Generic && w.generic && in.Flags&ir.OnlyGlobal == 0 {
		return private(w.sharedBase()+w.sharedFirst(), w.Shared, size)
	}
	if a := w.Last; a != nil && !a.ReadOnly && a.written.Load() && in.Flags&ir.OnlyShared == 0 {
		return region(a.Base, a.Data, size)
	}
	return nowhere
}

// region is the Region of data at guest address lo, or nowhere if data is smaller than an access.
func region(lo uint64, data []byte, size uint64) Region {
	if uint64(len(data)) < size {
		return nowhere
	}
	return Region{Lo: lo, Max: uint64(len(data)) - size, Ptr: unsafe.Pointer(&data[0])}
}

// private is region for memory that only this worker touches.
func private(lo uint64, data []byte, size uint64) Region {
	r := region(lo, data, size)
	r.Private = true
	return r
}

// Slow finds the memory of one access of lane i. If it is global, or shared memory with a generic address,
// it becomes the region to try next. Slow returns nil and sets w.Fault if there is no memory.
func (w *Wave) Slow(in *ir.Inst, r *Region, addr, size uint64, i int, store bool) unsafe.Pointer {
	p, a, code, why := w.find(in, addr, size, i, store)
	switch {
	case p == nil && in.Surplus && code == CodeOutOfBounds:
		// Hardware reads an aligned vector at once: what lies in it past the end of an allocation is
		// in the same piece of memory as the rest.
		if in.Flags&ir.Undefined != 0 {
			return unsafe.Pointer(&undefinedBits)
		}
		return unsafe.Pointer(&noBits)
	case p == nil:
		w.fault(code, in, addr, size, i, store, why)
	case a != nil:
		w.keep(a)
		if store && !a.written.Load() {
			w.Mem.write(a)
		}
		if !store && w.Launch.Track {
			a.read = true
		}
		data := a.Data
		if in.Flags&ir.Undefined != 0 {
			data = w.undefinedOf(a)
		}
		*r = region(a.Base, data, size)
		w.generic = w.generic && in.Space != ir.Generic
	case in.Space == ir.Generic || in.Space == ir.Shared && w.Func.Ranked:
		space, at := w.Resolve(in.Space, addr)
		if space != ir.Shared {
			break
		}
		owner, off := w.SharedAt(at)
		*r = private(addr-off, owner.Shared, size)
		if in.Flags&ir.Undefined != 0 {
			*r = private(addr-off, owner.undef, size)
		}
		w.generic = w.generic || in.Space == ir.Generic && owner == w.Block
	}
	return p
}

// What a Load that is Surplus reads where there is no memory, and the set of undefined bits of that. Loads
// only read them.
var (
	noBits        [16]byte
	undefinedBits = [16]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
)

// sharedBase is the generic address of the guest at which shared memory begins.
func (w *Wave) sharedBase() uint64 {
	if w.Func.Exec == 0 && w.Mem.Wide() {
		return w.Func.Windows.Shared()
	}
	return ir.SharedWindow
}

// Address returns the element of lane i of a value plus off, in the width of the value.
func (f *ValueFrame) Address(r ir.Ref, i int, off uint64) uint64 {
	v := &f.Func.Values[r]
	return v.Type.Sum(f.get(v, i), off)
}

// widen returns a generic address of the guest as one of 64 bits.
func (m *Memory) widen(addr uint64) uint64 {
	if m.Wide() {
		return addr
	}
	return ir.Widen(addr)
}

// find returns the memory of one access of lane i, and its allocation if it is global; or nil, the code of
// the fault and its reason. It changes nothing.
func (w *Wave) find(in *ir.Inst, addr, size uint64, i int, store bool) (p unsafe.Pointer, a *Alloc, code, why string) {
	if n := uint64(in.Align); n > 1 && addr&(n-1) != 0 {
		return nil, nil, CodeMisaligned, fmt.Sprintf("the address must be a multiple of %d", n)
	}
	space, at := w.Resolve(in.Space, addr)
	if in.Space == ir.Generic {
		if why := wrongSpace(in.Flags, space); why != "" {
			return nil, nil, CodeWrongSpace, why
		}
	}
	var data []byte
	switch space {
	case ir.Shared:
		owner, off := w.SharedAt(at)
		if owner == nil {
			return nil, nil, CodeNoRank, fmt.Sprintf("the address names block %d of the cluster, which has %d", at>>ir.RankShift, w.Launch.clusterSize())
		}
		if owner.gone {
			return nil, nil, CodeBlockGone, fmt.Sprintf("it is in the shared memory of block (%d,%d,%d) of the cluster, which has exited", owner.index[0], owner.index[1], owner.index[2])
		}
		data, at = owner.Shared, off
		if n := uint64(len(data)); in.Flags&ir.Undefined != 0 && at <= n && n-at >= size {
			return unsafe.Pointer(&owner.undef[at]), nil, "", ""
		}
	case ir.Local:
		data = w.LocalOf(i)
	case ir.Param:
		if store {
			return nil, nil, CodeWriteToConst, "kernel parameters are read only"
		}
		data = w.Launch.Param
	default:
		a = w.Last
		if a == nil || addr-a.Base > uint64(len(a.Data)) || uint64(len(a.Data))-(addr-a.Base) < size {
			if a = w.Mem.Find(addr, size); a == nil {
				if name := w.Mem.absent(addr); name != "" {
					return nil, nil, CodeNotProvided, "it is in " + name + ", which is not provided here"
				}
				c := w.Mem.ClosedAt(addr)
				if c != nil && c.Code == CodeNoAccess {
					return nil, nil, c.Code, c.Why
				}
				if w.Mem.freed(addr) {
					return nil, nil, CodeUseAfterFree, w.addresses().nearest(in, addr, size)
				}
				if c != nil {
					return nil, nil, c.Code, c.Why
				}
				if !in.Surplus {
					w.Mem.missed.CompareAndSwap(nil, &miss{addr, size})
				}
				return nil, nil, CodeOutOfBounds, w.addresses().nearest(in, addr, size)
			}
		}
		if store && a.Rights != "" {
			return nil, nil, CodeNoAccess, fmt.Sprintf("it is in %q: %s", a.Name, a.Rights)
		}
		if store && a.ReadOnly {
			return nil, nil, CodeWriteToConst, fmt.Sprintf("%q is constant memory", a.Name)
		}
		if in.Flags&ir.Undefined != 0 {
			return unsafe.Pointer(&w.undefinedOf(a)[addr-a.Base]), a, "", ""
		}
		return unsafe.Pointer(&a.Data[addr-a.Base]), a, "", ""
	}
	if n := uint64(len(data)); at > n || n-at < size {
		return nil, nil, CodeOutOfBounds, w.addresses().beyond(space, at, size, n)
	}
	if space == ir.Local && w.deadStack(at, size) {
		return nil, nil, CodeOutOfBounds, "it is below everything that the stack of a lane has held"
	}
	if in.Flags&ir.Undefined != 0 {
		data = w.undefOf(space, i)
	}
	return unsafe.Pointer(&data[at]), nil, "", ""
}

// wrongSpace returns the reason why a generic address that lies in space may not be used; "" if it may.
func wrongSpace(f ir.Flags, space ir.Space) string {
	if f&(ir.OnlyShared|ir.OnlyGlobal|ir.NotLocal) == 0 {
		return ""
	}
	name := map[ir.Space]string{ir.Global: "global memory", ir.Shared: "shared memory", ir.Local: "private memory", ir.Param: "the kernel's parameters"}[space]
	switch {
	case f&ir.OnlyShared != 0 && space != ir.Shared:
		return "the address lies in " + name + ", and this instruction works on shared memory only"
	case f&ir.OnlyGlobal != 0 && space != ir.Global:
		return "the address lies in " + name + ", and this instruction works on global memory only"
	case f&ir.NotLocal != 0 && space == ir.Local:
		return "the address lies in " + name + ", and this instruction works on global and shared memory only"
	}
	return ""
}
