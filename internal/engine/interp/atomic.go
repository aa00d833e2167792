package interp

import (
	"fmt"
	"math/bits"
	"unsafe"

	"crosslane/internal/ir"
	"crosslane/internal/sim"
	"crosslane/lane"
)

// atomFns is what an atomic computes: in memory of the block or a lane, and in
// global memory.
type atomFns struct {
	op              ir.AtomicOp
	private, global sim.AtomFn
}

// atomic chooses the form of an atomic by address and size.
func (p *Program) atomic(in *inst) error {
	src := in.src
	op := ir.AtomicOp(in.imm >> 32)
	in.imm = uint64(int64(int32(in.imm)))
	f := atomFns{op, sim.AtomicFn(op, src.Size), sim.AtomicFnGlobal(op, src.Size)}
	wide := src.Size == 16
	if f.private == nil || wide && op != ir.AtomExch && op != ir.AtomCAS || op == ir.AtomCAS && src.Args[2] == 0 {
		return fmt.Errorf("interp: no atomic operation %#x of %d bytes", uint64(op), src.Size)
	}
	if src.Dst != 0 && !wide && p.f.Val(src.Dst).Type.Bytes() != uint32(src.Size) {
		return fmt.Errorf("interp: atomic of %d bytes into %s", src.Size, p.f.Val(src.Dst).Type)
	}
	if p.f.Val(src.Args[0]).Type == ir.B32 {
		in.run = pickAtomic[uint32](p, src, &f)
	} else {
		in.run = pickAtomic[uint64](p, src, &f)
	}
	if in.run == nil {
		return fmt.Errorf("interp: atomic of %d bytes with operand %s", src.Size, p.f.Val(src.Args[1]).Type)
	}
	return nil
}

func pickAtomic[A addrType](p *Program, src *ir.Inst, f *atomFns) runFn {
	val := p.f.Val(src.Args[1]).Type
	switch {
	case src.Size == 16:
		return func(w *sim.Wave, in *inst, m lane.Mask) bool { return atomicWide[A](w, in, m, f.op) }
	case src.Size == 2 && val == ir.B16:
		return func(w *sim.Wave, in *inst, m lane.Mask) bool { return atomic[A, uint16, uint16](w, in, m, f) }
	case src.Size == 4 && val == ir.B32:
		return func(w *sim.Wave, in *inst, m lane.Mask) bool { return atomic[A, uint32, uint32](w, in, m, f) }
	case src.Size == 8 && val == ir.B64:
		return func(w *sim.Wave, in *inst, m lane.Mask) bool { return atomic[A, uint64, uint64](w, in, m, f) }
	case src.Size == 8 && val == ir.B32:
		return func(w *sim.Wave, in *inst, m lane.Mask) bool { return atomic[A, uint64, uint32](w, in, m, f) }
	}
	return nil
}

// atomic is Atomic: addresses of type A, memory of type T, operands of type V.
// Lanes act in order, or at random under a random schedule. Memory that no other worker touches needs no atomic
// instruction of the host.
func atomic[A addrType, T uint16 | uint32 | uint64, V regType](w *sim.Wave, in *inst, m lane.Mask, f *atomFns) bool {
	addrs := (*[64]A)(unsafe.Add(w.Base, in.a))
	vals := (*[64]V)(unsafe.Add(w.Base, in.b))
	news := (*[64]T)(unsafe.Add(w.Base, in.c))
	olds := (*[64]T)(unsafe.Add(w.Base, in.d))
	src := in.src
	var t T
	size := uint64(unsafe.Sizeof(t))
	r := w.RegionForStore(src, size)
	alone := w.Alone()
	align := uint64(max(src.Align, 1)) - 1
	add := f.op == ir.AtomAdd
	kept, private := true, true
	var first, found uint64
	random := w.Random()
	for rest := uint64(m); rest != 0; {
		i := bits.TrailingZeros64(rest) & 63
		if random {
			i = w.PickLane(rest)
		}
		rest &^= 1 << uint(i)
		addr := uint64(addrs[i]) + in.imm
		var p unsafe.Pointer
		mine := r.Private
		if off := addr - r.Lo; off <= r.Max && addr&align == 0 {
			p = unsafe.Add(r.Ptr, off)
		} else {
			was := r.Lo
			if p = w.Slow(src, &r, addr, size, i, true); p == nil {
				return false
			}
			// Private memory of a lane makes no region.
			mine = r.Private || r.Lo == was && addr-r.Lo > r.Max
		}
		a, b := uint64(vals[i]), uint64(0)
		if src.Args[2] != 0 {
			b = uint64(news[i])
		}
		var old, val T
		switch {
		case !mine && !alone:
			old = T(w.AtomicRMW(p, addr, f.op, uint8(size), f.global, a, b))
			if val = old + 1; kept {
				val = T(f.global(uint64(old), a, b))
			}
		case add:
			old = *(*T)(p)
			val = old + T(a)
			*(*T)(p) = val
		case f.op == ir.AtomCAS:
			old = *(*T)(p)
			if val = old; old == T(a) {
				val = T(b)
				*(*T)(p) = val
			}
		case mine:
			old = *(*T)(p)
			val = T(f.private(uint64(old), a, b))
			*(*T)(p) = val
		default:
			old = *(*T)(p)
			val = T(f.global(uint64(old), a, b))
			*(*T)(p) = val
		}
		if kept = kept && old == val; first == 0 {
			first, found = addr, uint64(old)
		}
		private = private && mine
		if src.Dst != 0 {
			olds[i] = old
		}
	}
	if m != 0 {
		w.Updated(first, found, kept, private)
	}
	return true
}

// atomicWide is Atomic of 16 bytes.
func atomicWide[A addrType](w *sim.Wave, in *inst, m lane.Mask, op ir.AtomicOp) bool {
	addrs := (*[64]A)(unsafe.Add(w.Base, in.a))
	src := in.src
	pair := func(r ir.Ref, i int) (v [2]uint64) {
		if r != 0 {
			v = [2]uint64{w.Get(r, i), w.Get(r+1, i)}
		}
		return v
	}
	for rest := uint64(m); rest != 0; {
		i := bits.TrailingZeros64(rest)
		if w.Random() {
			i = w.PickLane(rest)
		}
		rest &^= 1 << uint(i)
		addr := uint64(addrs[i&63]) + in.imm
		var r sim.Region
		p := w.Slow(src, &r, addr, 16, i, true)
		if p == nil {
			return false
		}
		a, b := pair(src.Args[1], i), pair(src.Args[2], i)
		old := w.AtomicWide(p, addr, op, a, b)
		w.Updated(addr, old[0], op == ir.AtomExch && old == a || op == ir.AtomCAS && (old != a || a == b), r.Ptr == nil || r.Private)
		if src.Dst != 0 {
			w.Set(src.Dst, i, old[0])
			w.Set(src.Dst+1, i, old[1])
		}
	}
	return true
}
