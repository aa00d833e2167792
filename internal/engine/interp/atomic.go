package interp

import (
	"fmt"
	"math/bits"
	hostatomic "sync/atomic"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// atomFns are the functions of an atomic operation: for memory of the block or of a lane, and
// for global memory. They differ for floats: global atomics flush subnormal numbers.
type atomFns struct {
	op              ir.AtomicOp
	private, global sim.AtomFn

	vecPrivate, vecGlobal func(unsafe.Pointer, *inst) // for 32 lanes; nil: none
	olds, news            uint32                      // frame offsets of the old and new values of 32 lanes
	calls                 [2]inst                     // the instructions for the halves of a wave
}

// atomic selects the form of an atomic by the types of address and memory.
func (p *Program) atomic(in *inst) error {
	src := in.src
	op := ir.AtomicOp(in.imm >> 32)
	in.imm = uint64(int64(int32(in.imm)))
	f := atomFns{op: op, private: sim.AtomicFn(op, src.Size), global: sim.AtomicFnGlobal(op, src.Size)}
	f.olds, f.news = p.scratch, p.atomics
	for i := range f.calls {
		f.calls[i] = inst{a: f.olds, b: in.b + uint32(32*i)*uint32(src.Size), d: f.news}
	}
	if v := vectorOp(op, src.Size, false); v != ir.Nop {
		f.vecPrivate = vectorFn(int(v), p.portable)
	}
	if v := vectorOp(op, src.Size, true); v != ir.Nop {
		f.vecGlobal = vectorFn(int(v), p.portable)
	}
	wide := src.Size == 16
	if f.private == nil || wide && op != ir.AtomExch && op != ir.AtomCAS || third(op) != (src.Args[2] != 0) {
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

// third reports whether an operation has a third operand, besides the old value and the
// second one.
func third(op ir.AtomicOp) bool {
	p, pure := op.Pure()
	return op == ir.AtomCAS || pure && len(ir.Ops[p].Args) == 3
}

// pickAtomic selects the form of an atomic by the sizes of memory and operand; nil if there
// is none.
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

// vectorOp returns the operation on lane vectors that computes f(old, operand) as an atomic
// does; Nop if there is none.
func vectorOp(op ir.AtomicOp, size uint8, global bool) ir.Op {
	if p, ok := op.Pure(); ok {
		info := &ir.Ops[p]
		if len(info.Args) != 2 || info.Args[0] != info.Res || info.Args[1] != info.Res || info.Res.Bytes() != uint32(size) {
			return ir.Nop
		}
		return p
	}
	pick := func(n, w ir.Op) ir.Op {
		switch size {
		case 4:
			return n
		case 8:
			return w
		}
		return ir.Nop
	}
	switch op {
	case ir.AtomAdd:
		return pick(ir.Add32, ir.Add64)
	case ir.AtomSub:
		return pick(ir.Sub32, ir.Sub64)
	case ir.AtomMinU:
		return pick(ir.MinU32, ir.MinU64)
	case ir.AtomMaxU:
		return pick(ir.MaxU32, ir.MaxU64)
	case ir.AtomMinS:
		return pick(ir.MinS32, ir.MinS64)
	case ir.AtomMaxS:
		return pick(ir.MaxS32, ir.MaxS64)
	case ir.AtomAnd:
		return pick(ir.And32, ir.And64)
	case ir.AtomOr:
		return pick(ir.Or32, ir.Or64)
	case ir.AtomXor:
		return pick(ir.Xor32, ir.Xor64)
	case ir.AtomAddF32:
		if global {
			return ir.AddF32Ftz
		}
		return ir.AddF32
	}
	return ir.Nop
}

// atomicRow executes Atomic for the 32 lanes from first on by the form for lane vectors.
//
// Input: 32 lanes that access contiguous words, or words with equal steps, without overlap;
// no random schedule.
// Output: the old value of the first lane (found), and whether no word changed (kept).
// Invariant: if ok is false, memory and registers are unchanged.
// Example: 32 lanes add 1 to neighbouring counters: one vector addition. The order of lanes
// does not matter, because no two lanes share a word.
func atomicRow[A addrType, T uint16 | uint32 | uint64](w *sim.Wave, in *inst, r *sim.Region, f *atomFns, first int) (found uint64, kept, ok bool) {
	var t T
	size := uint64(unsafe.Sizeof(t))
	addrs := (*[32]A)(unsafe.Add(w.Base, uintptr(in.a)+uintptr(first)*unsafe.Sizeof(A(0))))
	p, step, ok := contiguous(w, in, addrs, r, size, first, true)
	if ok && step == 0 && f.op == ir.AtomAdd && size > 2 {
		found, kept = addAll[T](w, in, f, p, first, !r.Private && !w.Alone())
		return found, kept, true
	}
	if !ok || !apart(step, size) {
		w.Fault = nil // the lanes find it again, one by one
		return 0, false, false
	}
	fn := f.vecGlobal
	if r.Private {
		fn = f.vecPrivate
	}
	vals := uint32(uintptr(in.b) + uintptr(first)*unsafe.Sizeof(t))
	olds := (*[32]T)(unsafe.Add(w.Base, f.olds))
	news := (*[32]T)(unsafe.Add(w.Base, f.news))
	cas := f.op == ir.AtomCAS
	exch := f.op == ir.AtomExch
	if fn == nil && !cas && !exch {
		return 0, false, false
	}
	shared := !r.Private && !w.Alone()
	if shared && (fn == nil || size < 4) {
		return 0, false, false
	}
	if shared {
		off := uint64(0)
		for i := range olds {
			olds[i] = T(look(unsafe.Add(p, off), size))
			off += step
		}
	} else if step == size {
		*olds = *(*[32]T)(p)
	} else {
		off := uint64(0)
		for i := range olds {
			olds[i] = *(*T)(unsafe.Add(p, off))
			off += step
		}
	}
	switch operand := (*[32]T)(unsafe.Add(w.Base, vals)); {
	case exch:
		*news = *operand
	case cas:
		b := (*[32]T)(unsafe.Add(w.Base, uintptr(in.c)+uintptr(first)*unsafe.Sizeof(t)))
		for i := range news {
			v := olds[i]
			if v == operand[i] {
				v = b[i]
			}
			news[i] = v
		}
	default:
		fn(w.Base, &f.calls[first/32])
	}
	off := uint64(0)
	switch {
	case shared:
		// If a word has changed since it was read, the lane's operation is repeated on the
		// new value.
		for i := range olds {
			// An operation that changes nothing is a load, which has been done already.
			if q := unsafe.Add(p, off); olds[i] != news[i] && !swap(q, uint64(olds[i]), uint64(news[i]), size) {
				a := uint64(*(*T)(unsafe.Add(w.Base, uintptr(vals)+uintptr(i)*unsafe.Sizeof(t))))
				olds[i] = T(w.AtomicRMW(q, 0, f.op, uint8(size), f.global, a, 0))
				news[i] = T(f.global(uint64(olds[i]), a, 0))
			}
			off += step
		}
	case step == size:
		*(*[32]T)(p) = *news
	default:
		for i := range news {
			*(*T)(unsafe.Add(p, off)) = news[i]
			off += step
		}
	}
	kept = true
	for i := range olds {
		if olds[i] != news[i] {
			kept = false
			break
		}
	}
	found = uint64(olds[0])
	if in.src.Dst != 0 {
		*(*[32]T)(unsafe.Add(w.Base, uintptr(in.d)+uintptr(first)*unsafe.Sizeof(t))) = *olds
	}
	return found, kept, true
}

// addAll is atomicRow for lanes that all add to one word. No other lane comes between them,
// so one addition of their sum is enough; the old values are prefix sums.
func addAll[T uint16 | uint32 | uint64](w *sim.Wave, in *inst, f *atomFns, p unsafe.Pointer, first int, shared bool) (found uint64, kept bool) {
	var sum, some T
	vals := (*[32]T)(unsafe.Add(w.Base, f.calls[first/32].b))
	for _, v := range vals {
		sum += v
		some |= v
	}
	var old T
	switch {
	case !shared:
		old = *(*T)(p)
		*(*T)(p) = old + sum
	case unsafe.Sizeof(old) == 8:
		old = T(hostatomic.AddUint64((*uint64)(p), uint64(sum))) - sum
	default:
		old = T(hostatomic.AddUint32((*uint32)(p), uint32(sum))) - sum
	}
	if in.src.Dst != 0 {
		x := old
		olds := (*[32]T)(unsafe.Add(w.Base, uintptr(in.d)+uintptr(first)*unsafe.Sizeof(old)))
		for i, v := range vals {
			olds[i] = x
			x += v
		}
	}
	return uint64(old), some == 0
}

// addLanes adds lane by lane, in order, to memory of the region that no other worker
// accesses. It stops at a lane outside the region. It returns the lanes that are left, the
// old value of the first lane, and whether any value added was not 0.
func addLanes[A addrType, T uint16 | uint32 | uint64](w *sim.Wave, in *inst, r *sim.Region, align, todo uint64) (rest uint64, found T, some bool) {
	addrs := (*[64]A)(unsafe.Add(w.Base, in.a))
	vals := (*[64]T)(unsafe.Add(w.Base, in.b))
	olds := (*[64]T)(unsafe.Add(w.Base, in.d))
	imm, lo, most, ptr, keep := in.imm, r.Lo, r.Max, r.Ptr, in.src.Dst != 0
	var all T
	for rest = todo; rest != 0; rest &= rest - 1 {
		i := bits.TrailingZeros64(rest) & 63
		addr := sum(addrs[i], imm)
		off := addr - lo
		if off > most || addr&align != 0 {
			break
		}
		p := (*T)(unsafe.Add(ptr, off))
		v, old := vals[i], *p
		*p = old + v
		all |= v
		if rest == todo {
			found = old
		}
		if keep {
			olds[i] = old
		}
	}
	return rest, found, all != 0
}

// look is a load of 4 or 8 bytes that other workers may change at the same time.
func look(p unsafe.Pointer, size uint64) uint64 {
	if size == 8 {
		return hostatomic.LoadUint64((*uint64)(p))
	}
	return uint64(hostatomic.LoadUint32((*uint32)(p)))
}

// put is a store of 4 or 8 bytes that other workers may load at the same time.
func put(p unsafe.Pointer, v, size uint64) {
	if size == 8 {
		hostatomic.StoreUint64((*uint64)(p), v)
		return
	}
	hostatomic.StoreUint32((*uint32)(p), uint32(v))
}

// swap is a compare-and-swap of 4 or 8 bytes.
func swap(p unsafe.Pointer, old, val, size uint64) bool {
	if size == 8 {
		return hostatomic.CompareAndSwapUint64((*uint64)(p), old, val)
	}
	return hostatomic.CompareAndSwapUint32((*uint32)(p), uint32(old), uint32(val))
}

// atomic is Atomic: addresses of type A, memory of type T, operands of type V. Lanes act in
// order, or in random order under a random schedule. Memory that no other worker accesses
// needs no atomic instruction of the host.
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
	var who int // the lane of first
	random := w.Random()
	todo := uint64(m)
	if unsafe.Sizeof(t) == unsafe.Sizeof(vals[0]) && !random {
		for half := 0; half < 64; half += 32 {
			if uint32(todo>>uint(half)) != 1<<32-1 {
				if half == 0 && uint32(todo) != 0 {
					break // the first half must come first
				}
				continue
			}
			if old, same, ok := atomicRow[A, T](w, in, &r, f, half); ok {
				if kept = kept && same; first == 0 {
					first, found, who = sum(addrs[half], in.imm), old, half
				}
				private = private && r.Private
				todo &^= (1<<32 - 1) << uint(half)
			} else if half == 0 {
				break // the first half must come first
			}
		}
	}
	if add && unsafe.Sizeof(t) == unsafe.Sizeof(vals[0]) && !random && (alone || r.Private) && r.Ptr != nil && todo != 0 {
		i := bits.TrailingZeros64(todo) & 63
		at := sum(addrs[i], in.imm)
		rest, old, some := addLanes[A, T](w, in, &r, align, todo)
		if rest != todo {
			if first == 0 {
				first, found, who = at, uint64(old), i
			}
			kept, private, todo = kept && !some, private && r.Private, rest
		}
	}
	for rest := todo; rest != 0; {
		i := bits.TrailingZeros64(rest) & 63
		if random {
			i = w.PickLane(rest)
		}
		rest &^= 1 << uint(i)
		addr := sum(addrs[i], in.imm)
		var p unsafe.Pointer
		mine := r.Private
		if off := addr - r.Lo; off <= r.Max && addr&align == 0 && r.Ptr != nil {
			p = unsafe.Add(r.Ptr, off)
		} else {
			was := r.Lo
			if p = w.Slow(src, &r, addr, size, i, true); p == nil {
				return false
			}
			// Private memory of a lane is never in a region.
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
			first, found, who = addr, uint64(old), i
		}
		private = private && mine
		if src.Dst != 0 {
			olds[i] = old
		}
	}
	if m != 0 && in.src.Flags&ir.Undefined == 0 {
		w.Updated(src, who, first, found, kept, private)
	}
	return true
}

// atomicWide is Atomic of 16 bytes: exchange and compare-and-swap.
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
		addr := sum(addrs[i&63], in.imm)
		var r sim.Region
		p := w.Slow(src, &r, addr, 16, i, true)
		if p == nil {
			return false
		}
		a, b := pair(src.Args[1], i), pair(src.Args[2], i)
		old := w.AtomicWide(p, addr, op, a, b)
		w.Updated(src, i, addr, old[0], op == ir.AtomExch && old == a || op == ir.AtomCAS && (old != a || a == b), r.Ptr == nil || r.Private)
		if src.Dst != 0 {
			w.Set(src.Dst, i, old[0])
			w.Set(src.Dst+1, i, old[1])
		}
	}
	return true
}
