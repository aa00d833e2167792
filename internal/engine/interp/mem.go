package interp

import (
	"fmt"
	"math/bits"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// runFn executes an instruction for the lanes of the write mask m; it returns false after a
// fault.
type runFn = func(w *sim.Wave, in *inst, m lane.Mask) bool

// load selects the form of a load by the types of address, memory and destination.
func (p *Program) load(in *inst) error {
	src := in.src
	signed := src.Flags&ir.SignExtend != 0
	dst := p.f.Val(src.Dst).Type
	addr := p.f.Val(src.Args[0]).Type
	if src.Scalar {
		in.run = scalarLoad
		return nil
	}
	if src.Space == ir.Param && p.f.Val(src.Args[0]).Kind == ir.Const {
		in.imm = addr.Sum(p.f.Val(src.Args[0]).Const, in.imm)
		in.run = paramLoad
		return nil
	}
	if src.Space == ir.Local && p.localLoad(in, addr, dst, signed) {
		return nil
	}
	if addr == ir.B32 {
		in.run = pickLoad[uint32](src.Size, signed, dst)
	} else {
		in.run = pickLoad[uint64](src.Size, signed, dst)
	}
	if in.run == nil {
		return fmt.Errorf("interp: load of %d bytes into %s", src.Size, dst)
	}
	return nil
}

// store selects the form of a store.
func (p *Program) store(in *inst) error {
	src := in.src
	val := p.f.Val(src.Args[1]).Type
	if val.Bytes() < uint32(src.Size) || val == ir.B1 {
		return fmt.Errorf("interp: store of %d bytes from %s", src.Size, val)
	}
	if src.Space == ir.Local && p.localStore(in, val) {
		return nil
	}
	if p.f.Val(src.Args[0]).Type == ir.B32 {
		in.run = pickStore[uint32](src.Size, val)
	} else {
		in.run = pickStore[uint64](src.Size, val)
	}
	return nil
}

// addrType, memType and regType are the types of addresses, of memory and of registers.
type addrType interface{ uint32 | uint64 }

type memType interface {
	uint8 | uint16 | uint32 | uint64 | int8 | int16 | int32
}

type regType interface {
	uint8 | uint16 | uint32 | uint64
}

// pickLoad and pickLoadTo select the gather of a size, a sign and a destination type.
func pickLoad[A addrType](size uint8, signed bool, dst ir.Type) runFn {
	switch size {
	case 1:
		if signed {
			return pickLoadTo[A, int8](dst, 1)
		}
		return pickLoadTo[A, uint8](dst, 1)
	case 2:
		if signed {
			return pickLoadTo[A, int16](dst, 2)
		}
		return pickLoadTo[A, uint16](dst, 2)
	case 4:
		if signed {
			return pickLoadTo[A, int32](dst, 4)
		}
		return pickLoadTo[A, uint32](dst, 4)
	}
	return pickLoadTo[A, uint64](dst, 8)
}

// pickLoadTo selects the gather for a destination type; nil if the destination is too small.
func pickLoadTo[A addrType, T memType](dst ir.Type, size uint32) runFn {
	if dst.Bytes() < size || dst == ir.B1 {
		return nil
	}
	switch dst {
	case ir.B8:
		return gather[A, T, uint8]
	case ir.B16:
		return gather[A, T, uint16]
	case ir.B32:
		return gather[A, T, uint32]
	}
	return gather[A, T, uint64]
}

// pickStore selects the scatter of a size and a source type.
func pickStore[A addrType](size uint8, val ir.Type) runFn {
	switch val {
	case ir.B8:
		return scatter[A, uint8, uint8]
	case ir.B16:
		if size == 1 {
			return scatter[A, uint8, uint16]
		}
		return scatter[A, uint16, uint16]
	case ir.B32:
		switch size {
		case 1:
			return scatter[A, uint8, uint32]
		case 2:
			return scatter[A, uint16, uint32]
		}
		return scatter[A, uint32, uint32]
	}
	switch size {
	case 1:
		return scatter[A, uint8, uint64]
	case 2:
		return scatter[A, uint16, uint64]
	case 4:
		return scatter[A, uint32, uint64]
	}
	return scatter[A, uint64, uint64]
}

// foreign reports whether an access must be an atomic access of the host: programs wait or
// signal with it, and other workers run. Go's atomics order stores before a flag before the
// flag, and loads after it after it.
func foreign(w *sim.Wave, in *inst, size uint64) bool {
	return in.src.Flags&ir.Volatile != 0 && size >= 4 && in.src.Space <= ir.Global && !w.Alone()
}

// gather is Load: addresses of type A, memory of type T, registers of type D. If the
// addresses of 32 lanes are contiguous or equal steps apart, one check of the region serves
// them all; if not, each lane is checked.
//
// Workers run blocks of one kernel at the same time, and races between these blocks are the
// guest's, not ours. Go's race detector is meant for the memory of Crosslane itself, so the
// functions that make plain accesses for the guest are excluded from it.
//
//go:norace
func gather[A addrType, T memType, D regType](w *sim.Wave, in *inst, m lane.Mask) bool {
	addrs := (*[64]A)(unsafe.Add(w.Base, in.a))
	dst := (*[64]D)(unsafe.Add(w.Base, in.d))
	var t T
	var u D
	size := uint64(unsafe.Sizeof(t))
	r := w.Region(in.src, size)
	imm := in.imm
	align := uint64(max(in.src.Align, 1)) - 1
	others := foreign(w, in, size)
	for half := 0; half < 64 && m>>uint(half) != 0; half += 32 {
		rest := uint64(uint32(m >> uint(half)))
		if rest == 1<<32-1 && !others {
			if p, step, ok := contiguous(w, in, (*[32]A)(addrs[half:]), &r, size, half, false); ok {
				d := (*[32]D)(dst[half:])
				switch {
				case step == 0:
					v := D(*(*T)(p))
					for i := range d {
						d[i] = v
					}
				case step == size && unsafe.Sizeof(t) == unsafe.Sizeof(u):
					*d = *(*[32]D)(p)
				default:
					off := uint64(0)
					for i := range d {
						d[i] = D(*(*T)(unsafe.Add(p, off)))
						off += step
					}
				}
				continue
			}
		}
		for ; rest != 0; rest &= rest - 1 {
			i := half + bits.TrailingZeros64(rest)
			addr := sum(addrs[i&63], imm)
			off := addr - r.Lo
			if off > r.Max || addr&align != 0 || r.Ptr == nil {
				p := w.Slow(in.src, &r, addr, size, i, false)
				if p == nil {
					return false
				}
				if others && addr&(size-1) == 0 {
					dst[i&63] = D(T(look(p, size)))
					continue
				}
				dst[i&63] = D(*(*T)(p))
				continue
			}
			if others && addr&(size-1) == 0 {
				dst[i&63] = D(T(look(unsafe.Add(r.Ptr, off), size)))
				continue
			}
			dst[i&63] = D(*(*T)(unsafe.Add(r.Ptr, off)))
		}
	}
	return true
}

// scatter is Store: addresses of type A, memory of type T, registers of type D. Lanes store
// in order, so that the greatest of several lanes with one address wins; under a random
// schedule any of them does.
//
//go:norace
func scatter[A addrType, T, D regType](w *sim.Wave, in *inst, m lane.Mask) bool {
	addrs := (*[64]A)(unsafe.Add(w.Base, in.a))
	val := (*[64]D)(unsafe.Add(w.Base, in.b))
	var t T
	var u D
	size := uint64(unsafe.Sizeof(t))
	r := w.RegionForStore(in.src, size)
	imm := in.imm
	if (in.src.Space <= ir.Global || in.src.Space == ir.Shared && w.Func.Ranked) && m != 0 {
		w.Stored(sum(addrs[bits.TrailingZeros64(uint64(m))&63], imm))
	}
	align := uint64(max(in.src.Align, 1)) - 1
	random := w.Random()
	others := foreign(w, in, size)
	for half := 0; half < 64 && m>>uint(half) != 0; half += 32 {
		rest := uint64(uint32(m >> uint(half)))
		if rest == 1<<32-1 && !others {
			p, step, ok := contiguous(w, in, (*[32]A)(addrs[half:]), &r, size, half, true)
			switch v := (*[32]D)(val[half:]); {
			case !ok || random && !apart(step, size):
			case step == size && unsafe.Sizeof(t) == unsafe.Sizeof(u):
				*(*[32]D)(p) = *v
				continue
			default:
				off := uint64(0)
				for i := range v {
					*(*T)(unsafe.Add(p, off)) = T(v[i])
					off += step
				}
				continue
			}
		}
		for rest != 0 {
			i := bits.TrailingZeros64(rest)
			if random {
				i = w.PickLane(rest)
			}
			rest &^= 1 << uint(i)
			i += half
			addr := sum(addrs[i&63], imm)
			off := addr - r.Lo
			if off > r.Max || addr&align != 0 || r.Ptr == nil {
				p := w.Slow(in.src, &r, addr, size, i, true)
				if p == nil {
					return false
				}
				if others && addr&(size-1) == 0 {
					put(p, uint64(val[i&63]), size)
					continue
				}
				*(*T)(p) = T(val[i&63])
				continue
			}
			if others && addr&(size-1) == 0 {
				put(unsafe.Add(r.Ptr, off), uint64(val[i&63]), size)
				continue
			}
			*(*T)(unsafe.Add(r.Ptr, off)) = T(val[i&63])
		}
	}
	return true
}

// scalarLoad is a load for the whole wave (s_load_dword and similar instructions).
func scalarLoad(w *sim.Wave, in *inst, _ lane.Mask) bool {
	addr := w.Address(in.src.Args[0], 0, in.imm)
	size := uint64(in.src.Size)
	r := w.Region(in.src, size)
	if off := addr - r.Lo; off <= r.Max && r.Ptr != nil && in.src.Align <= 1 {
		p, d := unsafe.Add(r.Ptr, off), unsafe.Add(w.Base, in.d)
		switch {
		case size == 4 && in.width == 4:
			*(*uint32)(d) = uint32(read(p, 4, false))
			return true
		case size == 8 && in.width == 8:
			*(*uint64)(d) = read(p, 8, false)
			return true
		}
	}
	p := w.Slow(in.src, &r, addr, uint64(in.src.Size), 0, false)
	if p == nil {
		return false
	}
	w.Set(in.src.Dst, 0, read(p, in.src.Size, in.src.Flags&ir.SignExtend != 0))
	return true
}

// read is one access of the guest; see gather.
//
//go:norace
func read(p unsafe.Pointer, size uint8, signed bool) uint64 {
	switch size {
	case 1:
		if signed {
			return uint64(*(*int8)(p))
		}
		return uint64(*(*uint8)(p))
	case 2:
		if signed {
			return uint64(*(*int16)(p))
		}
		return uint64(*(*uint16)(p))
	case 4:
		if signed {
			return uint64(*(*int32)(p))
		}
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// paramLoad is a load of a kernel parameter at a constant address: one access for all lanes.
func paramLoad(w *sim.Wave, in *inst, m lane.Mask) bool {
	if m == 0 {
		return true
	}
	var r sim.Region
	p := w.Slow(in.src, &r, in.imm, uint64(in.src.Size), m.First(), false)
	if p == nil {
		return false
	}
	v := read(p, in.src.Size, in.src.Flags&ir.SignExtend != 0)
	for i := range m.Lanes() {
		w.Set(in.src.Dst, i, v)
	}
	return true
}
