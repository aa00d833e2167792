package interp

import (
	"math/bits"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// gatherLocal is Load from private memory.
//
// Input: the addresses of the lanes of m.
// Output: the loaded values; false after a fault.
// Invariant: equal addresses in different lanes are different memory, one piece per lane.
// Example: 32 lanes reload a spilled register at private address 16. One check serves all
// lanes, and the lanes' words are stride bytes apart.
func gatherLocal[A addrType, T memType, D regType](w *sim.Wave, in *inst, m lane.Mask) bool {
	addrs := (*[64]A)(unsafe.Add(w.Base, in.a))
	dst := (*[64]D)(unsafe.Add(w.Base, in.d))
	var t T
	size := uint64(unsafe.Sizeof(t))
	if m == 0 {
		return true
	}
	if p, stride, ok := localRow(w, in, addrs, size, m); ok {
		for half := 0; half < 64 && m>>half != 0; half += 32 {
			d, q := (*[32]D)(dst[half:]), unsafe.Add(p, uint64(half)*stride)
			if h := uint32(m >> half); h == 1<<32-1 {
				for i := range d {
					d[i] = D(*(*T)(unsafe.Add(q, uint64(i)*stride)))
				}
			} else {
				for ; h != 0; h &= h - 1 {
					i := bits.TrailingZeros32(h) & 31
					d[i] = D(*(*T)(unsafe.Add(q, uint64(i)*stride)))
				}
			}
		}
		return true
	}
	var r sim.Region
	for i := range m.Lanes() {
		p := w.Slow(in.src, &r, sum(addrs[i&63], in.imm), size, i, false)
		if p == nil {
			return false
		}
		dst[i&63] = D(*(*T)(p))
	}
	return true
}

// scatterLocal is Store to private memory. It is the counterpart of gatherLocal.
func scatterLocal[A addrType, T, D regType](w *sim.Wave, in *inst, m lane.Mask) bool {
	addrs := (*[64]A)(unsafe.Add(w.Base, in.a))
	val := (*[64]D)(unsafe.Add(w.Base, in.b))
	var t T
	size := uint64(unsafe.Sizeof(t))
	if m == 0 {
		return true
	}
	if p, stride, ok := localRow(w, in, addrs, size, m); ok {
		for half := 0; half < 64 && m>>half != 0; half += 32 {
			v, q := (*[32]D)(val[half:]), unsafe.Add(p, uint64(half)*stride)
			if h := uint32(m >> half); h == 1<<32-1 {
				for i := range v {
					*(*T)(unsafe.Add(q, uint64(i)*stride)) = T(v[i])
				}
			} else {
				for ; h != 0; h &= h - 1 {
					i := bits.TrailingZeros32(h) & 31
					*(*T)(unsafe.Add(q, uint64(i)*stride)) = T(v[i])
				}
			}
		}
		return true
	}
	var r sim.Region
	for i := range m.Lanes() {
		p := w.Slow(in.src, &r, sum(addrs[i&63], in.imm), size, i, true)
		if p == nil {
			return false
		}
		*(*T)(p) = T(val[i&63])
	}
	return true
}

// localRow returns the address of lane 0's bytes and the distance to the next lane's. ok is
// false if the lanes of m, at least one, do not all access the same private address, or if
// the access is not allowed.
func localRow[A addrType](w *sim.Wave, in *inst, addrs *[64]A, size uint64, m lane.Mask) (p unsafe.Pointer, stride uint64, ok bool) {
	a := addrs[m.First()&63]
	var d A
	for half := 0; half < 64 && m>>half != 0; half += 32 {
		part := (*[32]A)(addrs[half:])
		if h := uint32(m >> half); h == 1<<32-1 {
			for _, x := range part {
				d |= x ^ a
			}
		} else {
			for ; h != 0; h &= h - 1 {
				d |= part[bits.TrailingZeros32(h)&31] ^ a
			}
		}
	}
	if d != 0 {
		return nil, 0, false
	}
	at := sum(a, in.imm)
	p, stride = w.LocalRow(in.src, at, size)
	if p == nil || at&(uint64(max(in.src.Align, 1))-1) != 0 {
		return nil, 0, false
	}
	return p, stride, true
}

// localLoad selects gatherLocal for the most frequent forms.
func (p *Program) localLoad(in *inst, addr, dst ir.Type, signed bool) bool {
	type form struct {
		addr, dst ir.Type
		size      uint8
	}
	in.run = map[form]runFn{
		{ir.B32, ir.B8, 1}:  gatherLocal[uint32, uint8, uint8],
		{ir.B32, ir.B16, 2}: gatherLocal[uint32, uint16, uint16],
		{ir.B32, ir.B32, 1}: gatherLocal[uint32, uint8, uint32],
		{ir.B32, ir.B32, 4}: gatherLocal[uint32, uint32, uint32],
		{ir.B32, ir.B64, 8}: gatherLocal[uint32, uint64, uint64],
		{ir.B64, ir.B8, 1}:  gatherLocal[uint64, uint8, uint8],
		{ir.B64, ir.B16, 2}: gatherLocal[uint64, uint16, uint16],
		{ir.B64, ir.B32, 4}: gatherLocal[uint64, uint32, uint32],
		{ir.B64, ir.B64, 8}: gatherLocal[uint64, uint64, uint64],
	}[form{addr, dst, in.src.Size}]
	if signed && dst.Bytes() != uint32(in.src.Size) {
		in.run = nil
	}
	return in.run != nil
}

// localStore selects scatterLocal for the most frequent forms.
func (p *Program) localStore(in *inst, val ir.Type) bool {
	type form struct {
		addr, val ir.Type
		size      uint8
	}
	in.run = map[form]runFn{
		{ir.B32, ir.B8, 1}:  scatterLocal[uint32, uint8, uint8],
		{ir.B32, ir.B16, 2}: scatterLocal[uint32, uint16, uint16],
		{ir.B32, ir.B32, 1}: scatterLocal[uint32, uint8, uint32],
		{ir.B32, ir.B32, 4}: scatterLocal[uint32, uint32, uint32],
		{ir.B32, ir.B64, 8}: scatterLocal[uint32, uint64, uint64],
		{ir.B64, ir.B8, 1}:  scatterLocal[uint64, uint8, uint8],
		{ir.B64, ir.B16, 2}: scatterLocal[uint64, uint16, uint16],
		{ir.B64, ir.B32, 4}: scatterLocal[uint64, uint32, uint32],
		{ir.B64, ir.B64, 8}: scatterLocal[uint64, uint64, uint64],
	}[form{p.f.Val(in.src.Args[0]).Type, val, in.src.Size}]
	return in.run != nil
}
