package interp

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// This file executes accesses whose lanes are equal steps apart.
//
// Input: the addresses of 32 lanes, and the region of the last access.
// Output: the host address of the first lane and the step; or ok false, and lanes are handled
// one by one.
// Invariant: if the first and the last lane are in the region, all lanes are.
// Example: addresses 100, 104, …, 224: step 4, one check of 100 and 224, one copy of 128
// bytes.
//
// Most accesses of a whole wave are of this kind; the step may be 0.

// maxStep bounds the step, so that no sum overflows.
const maxStep = 1 << 40

// sum is ir.Type.Sum: 32-bit addresses wrap.
func sum[A addrType](a A, imm uint64) uint64 { return uint64(a + A(imm)) }

// affine reports whether 32 addresses are equal steps apart, and returns the step.
func affine[A addrType](addrs *[32]A, wide bool) (step A, ok bool) {
	step = addrs[1] - addrs[0]
	if wide {
		if unsafe.Sizeof(step) == 4 {
			return step, affine32(unsafe.Pointer(addrs))
		}
		return step, affine64(unsafe.Pointer(addrs))
	}
	var d A
	next := addrs[0]
	for _, a := range addrs {
		d |= a ^ next
		next += step
	}
	return step, d == 0
}

// contiguous returns the host address of lane first and the distance to the next lane's, if
// the accesses of the 32 lanes from first on, of size bytes each, are equal steps apart in
// one region and allowed. If ok is false, possibly because of w.Fault, the caller checks
// lanes one by one.
func contiguous[A addrType](w *sim.Wave, in *inst, addrs *[32]A, r *sim.Region, size uint64, first int, store bool) (p unsafe.Pointer, step uint64, ok bool) {
	s, ok := affine(addrs, in.wide)
	if !ok {
		return nil, 0, false
	}
	step = uint64(s)
	if unsafe.Sizeof(s) == 4 {
		step = uint64(int64(int32(s)))
	}
	a := uint64(addrs[0])
	align := uint64(max(in.src.Align, 1)) - 1
	// 32-bit addresses may wrap between the lanes.
	if a+31*step != uint64(addrs[31]) || (a+in.imm|step)&align != 0 || step+maxStep > 2*maxStep {
		return nil, 0, false
	}
	a = sum(addrs[0], in.imm)
	if a-r.Lo > r.Max && in.src.Space != ir.Local && !w.Random() {
		if w.Slow(in.src, r, a, size, first, store) == nil {
			return nil, 0, false
		}
	}
	off := a - r.Lo
	if off > r.Max || off+31*step > r.Max || r.Ptr == nil {
		return nil, 0, false
	}
	return unsafe.Add(r.Ptr, off), step, true
}

// apart reports whether accesses of size bytes with this step do not overlap.
func apart(step, size uint64) bool { return step >= size && -step >= size }

// fuse joins successive loads, or stores, of neighbouring memory into one instruction: vector
// loads become sequences of these. The parts are kept for lanes that are not equal steps
// apart.
func (p *Program) fuse(code []inst) []inst {
	out := code[:0]
	for i := 0; i < len(code); {
		n := p.run(code[i:])
		if n < 2 {
			out = append(out, code[i])
			i++
			continue
		}
		in := code[i]
		in.fused = &fused{parts: append([]inst(nil), code[i:i+n]...)}
		wide := p.f.Val(in.src.Args[0]).Type == ir.B64
		switch {
		case in.src.Op == ir.Load && wide && in.src.Size == 4:
			in.run = gatherParts[uint64, uint32]
		case in.src.Op == ir.Load && wide:
			in.run = gatherParts[uint64, uint64]
		case in.src.Op == ir.Load && in.src.Size == 4:
			in.run = gatherParts[uint32, uint32]
		case in.src.Op == ir.Load:
			in.run = gatherParts[uint32, uint64]
		case wide && in.src.Size == 4:
			in.run = scatterParts[uint64, uint32]
		case wide:
			in.run = scatterParts[uint64, uint64]
		case in.src.Size == 4:
			in.run = scatterParts[uint32, uint32]
		default:
			in.run = scatterParts[uint32, uint64]
		}
		out = append(out, in)
		i += n
	}
	return out
}

// run returns how many of the first instructions fuse may join.
func (p *Program) run(code []inst) int {
	a := code[0].src
	switch {
	case a == nil || a.Op != ir.Load && a.Op != ir.Store || a.Scalar || a.Size != 4 && a.Size != 8:
		return 1
	case a.Space == ir.Local || a.Space == ir.Param:
		return 1
	}
	n := 0
	for n < len(code) && n < maxParts {
		b := code[n].src
		data := b.Dst
		if b.Op == ir.Store {
			data = b.Args[1]
		}
		if b.Op != a.Op || b.Scalar || b.Size != a.Size || b.Space != a.Space || b.Flags|ir.SignExtend != a.Flags|ir.SignExtend ||
			b.Args[0] != a.Args[0] || b.Guard != a.Guard || b.GuardNot != a.GuardNot || code[n].imm != code[0].imm+uint64(n)*uint64(a.Size) ||
			p.f.Val(data).Type.Bytes() != uint32(a.Size) || p.f.Val(data).Type == ir.B1 {
			break
		}
		// A part is not fused if its alignment does not follow from the first part's.
		if b.Align > 1 && (max(a.Align, 1)%b.Align != 0 || uint64(n)*uint64(a.Size)%uint64(b.Align) != 0) {
			break
		}
		n++
		if b.Op == ir.Load && (p.f.Overlap(b.Dst, a.Args[0]) || a.Guard != 0 && p.f.Overlap(b.Dst, a.Guard)) {
			break // the next part has another address
		}
	}
	return n
}

// maxParts is the largest number of accesses that are fused.
const maxParts = 8

// fullHalves reports whether m is all lanes of the lower half of the wave, or of both halves.
func fullHalves(m lane.Mask) bool { return m == 1<<32-1 || m == ^lane.Mask(0) }

// contiguousHalves returns the host address and the step for each half of the wave.
func contiguousHalves[A addrType](w *sim.Wave, in *inst, m lane.Mask, r *sim.Region, size uint64, store bool) (p [2]unsafe.Pointer, step [2]uint64, ok bool) {
	addrs := (*[64]A)(unsafe.Add(w.Base, in.a))
	for h := 0; h < 2 && m != 0; h++ {
		p[h], step[h], ok = contiguous(w, in, (*[32]A)(addrs[32*h:]), r, size, 32*h, store)
		if !ok {
			w.Fault = nil // the caller finds it again
			return p, step, false
		}
		m >>= 32
	}
	return p, step, ok
}

// gatherParts executes several Loads of neighbouring memory.
//
//go:norace
func gatherParts[A addrType, T uint32 | uint64](w *sim.Wave, in *inst, m lane.Mask) bool {
	var t T
	const lanes = 32
	parts := in.fused.parts
	if fullHalves(m) && !foreign(w, in, uint64(unsafe.Sizeof(t))) {
		r := w.Region(in.src, uint64(len(parts))*uint64(unsafe.Sizeof(t)))
		p, step, ok := contiguousHalves[A](w, in, m, &r, uint64(len(parts))*uint64(unsafe.Sizeof(t)), false)
		for h := 0; ok && h < 2 && p[h] != nil; h++ {
			at := func(i int) *[32]T {
				return (*[32]T)(unsafe.Add(w.Base, uintptr(parts[i].d)+uintptr(lanes*h)*unsafe.Sizeof(t)))
			}
			i := 0
			for ; i+1 < len(parts); i += 2 {
				x, y, q, off := at(i), at(i+1), unsafe.Add(p[h], uintptr(i)*unsafe.Sizeof(t)), uint64(0)
				for j := range x {
					v := (*[2]T)(unsafe.Add(q, off))
					x[j], y[j] = v[0], v[1]
					off += step[h]
				}
			}
			if i < len(parts) {
				x, q, off := at(i), unsafe.Add(p[h], uintptr(i)*unsafe.Sizeof(t)), uint64(0)
				for j := range x {
					x[j] = *(*T)(unsafe.Add(q, off))
					off += step[h]
				}
			}
		}
		if ok {
			if w.Watch || in.src.Flags&ir.Volatile != 0 {
				for i := range parts { // each part counts as a look at memory, as if it were executed alone
					w.Polled(parts[i].src, m)
				}
			}
			return true
		}
	}
	for i := range parts {
		if c := &parts[i]; !c.run(w, c, m) {
			return false
		}
	}
	return true
}

// scatterParts executes several Stores of neighbouring memory, together if the lanes' pieces
// do not overlap, because then the order of the stores does not matter.
//
//go:norace
func scatterParts[A addrType, T uint32 | uint64](w *sim.Wave, in *inst, m lane.Mask) bool {
	var t T
	const lanes = 32
	parts := in.fused.parts
	if fullHalves(m) && !w.Random() && !foreign(w, in, uint64(unsafe.Sizeof(t))) {
		total := uint64(len(parts)) * uint64(unsafe.Sizeof(t))
		r := w.RegionForStore(in.src, total)
		p, step, ok := contiguousHalves[A](w, in, m, &r, total, true)
		ok = ok && apart(step[0], total) && (p[1] == nil || step[1] == step[0] && uintptr(p[1])-uintptr(p[0]) == uintptr(lanes*step[0]))
		for h := 0; ok && h < 2 && p[h] != nil; h++ {
			at := func(i int) *[32]T {
				return (*[32]T)(unsafe.Add(w.Base, uintptr(parts[i].b)+uintptr(lanes*h)*unsafe.Sizeof(t)))
			}
			i := 0
			for ; i+1 < len(parts); i += 2 {
				x, y, q, off := at(i), at(i+1), unsafe.Add(p[h], uintptr(i)*unsafe.Sizeof(t)), uint64(0)
				for j := range x {
					v := (*[2]T)(unsafe.Add(q, off))
					v[0], v[1] = x[j], y[j]
					off += step[h]
				}
			}
			if i < len(parts) {
				x, q, off := at(i), unsafe.Add(p[h], uintptr(i)*unsafe.Sizeof(t)), uint64(0)
				for j := range x {
					*(*T)(unsafe.Add(q, off)) = x[j]
					off += step[h]
				}
			}
		}
		if ok {
			if in.src.Space <= ir.Global || in.src.Space == ir.Shared && w.Func.Ranked {
				w.Stored(sum(*(*A)(unsafe.Add(w.Base, in.a)), in.imm))
			}
			return true
		}
	}
	for i := range parts {
		if c := &parts[i]; !c.run(w, c, m) {
			return false
		}
	}
	return true
}
