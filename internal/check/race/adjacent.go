package race

import (
	"math/bits"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// addresses computes the addresses that the given lanes access.
func (x *racing) addresses(lanes lane.Mask, out *[64]uint64) {
	w, off := x.w, x.in.Imm
	v := w.Func.Val(x.in.Args[0])
	switch {
	case v.Scalar || v.Kind == ir.Const || v.Type != ir.B32 && v.Type != ir.B64:
		for i := range lanes.Lanes() {
			out[i&63] = v.Type.Sum(w.Get(x.in.Args[0], i), off)
		}
	case v.Type == ir.B32:
		p := unsafe.Slice((*uint32)(w.Ptr(x.in.Args[0])), w.Func.Lanes)
		for i := range p {
			out[i&63] = uint64(p[i] + uint32(off))
		}
	default:
		p := unsafe.Slice((*uint64)(w.Ptr(x.in.Args[0])), w.Func.Lanes)
		for i := range p {
			out[i&63] = p[i] + off
		}
	}
}

// lanes checks the accesses of lanes of one group. It merges lanes that read the same place as the lane
// before them, which is usual, and lanes that access the place after that of the lane before them.
//
// Input: the addresses of up to 64 lanes.
// Output: calls of one, for a place, and of contiguous, for adjacent places.
// Invariant: each lane is checked exactly once.
// Example: 32 lanes load 4 bytes each from a buffer in order: one call of contiguous instead of 32 of one.
func (x *racing) lanes(lanes lane.Mask) {
	var addr [64]uint64
	x.addresses(lanes, &addr)
	for rest := uint64(lanes); rest != 0; {
		i := bits.TrailingZeros64(rest)
		// n lanes from lane i on access adjacent places.
		a, n := addr[i], 1
		for i+n < 64 && rest>>(i+n)&1 != 0 && addr[i+n] == a+uint64(n)*x.size {
			n++
		}
		if n >= 4 && (a|x.size)&3 == 0 {
			// Several groups of n lanes may read the same places, as for the rows of a tile.
			times := 1
			for x.kind == ir.AccessRead && same(&addr, rest, i, n, times) {
				times++
			}
			if x.contiguous(i, n, times, a) {
				rest &^= (1<<(n*times) - 1) << i
				continue
			}
		}
		rest &= rest - 1
		// Otherwise lane i is checked alone, with the lanes after it that read the same place.
		who := lane.Lane(i)
		for x.kind == ir.AccessRead && rest != 0 {
			j := bits.TrailingZeros64(rest)
			if addr[j] != a {
				break
			}
			rest &= rest - 1
			who |= lane.Lane(j)
		}
		x.one(i, x.in.Space, a, who)
	}
}

// same reports whether the n lanes after the n*times lanes from lane i on are active and access the same
// places as these.
func same(addr *[64]uint64, lanes uint64, i, n, times int) bool {
	from := i + n*times
	if from+n > 64 || lanes>>from&(1<<n-1) != 1<<n-1 {
		return false
	}
	for j := range n {
		if addr[from+j] != addr[i+j] {
			return false
		}
	}
	return true
}

// contiguous is one for n lanes from lane first on, which access adjacent places from addr on. times says
// that so many groups of n lanes read the same places. If the places need different treatment, it does
// nothing and returns false.
func (x *racing) contiguous(first, n, times int, addr uint64) bool {
	at, ok := x.locate(x.in.Space, addr, uint64(n)*x.size, lane.All(n*times)<<first)
	if !ok {
		return false
	}
	end := at.off + uint64(n)*x.size
	if at.off&3 != 0 {
		return false
	}
	// All pages have to be of the simple kind: pieces of 4 bytes, no strong accesses, and for a write no
	// read-only reads.
	for off := at.off &^ (1<<pageBits - 1); off < end; off += 1 << pageBits {
		switch p := x.k.page(at.mem, at.size, off); {
		case p == nil:
			return true
		case p.bytes || p.strong != nil || p.fixed != nil && x.kind != ir.AccessRead:
			return false
		}
	}
	fine := uint32(0) // a segment all of whose lanes come before
	each := int(x.size / 4)
	var p *shadowPage
	for i := first; i < first+n; i++ {
		me := newTouch(x.seg, i, x.in.Pos)
		if x.in.Order&ir.Either != 0 {
			me |= 1 << eitherAt
		}
		at.start = at.off
		who := lane.Lane(i)
		for j := 1; j < times; j++ {
			who |= lane.Lane(i + j*n)
		}
		for range each {
			if p == nil || at.off&(1<<pageBits-1) == 0 {
				p = at.mem.pages[at.off>>pageBits]
			}
			c := &p.cells[at.off&(1<<pageBits-1)/4]
			if c.w != 0 && c.w.seg() != fine {
				if x.kind != ir.AccessRead {
					x.write(c, me, i, addr, at)
					at.off += 4
					if x.k.judged.settled && x.k.judged.seg != x.seg {
						fine = x.k.judged.seg
					}
					continue
				}
				for j := range who.Lanes() {
					if !x.before(c.w, j) {
						x.clash(c.w, ir.AccessWrite, j, addr, at)
					} else if x.k.judged.settled {
						fine = c.w.seg()
						break
					}
				}
			}
			switch {
			case x.kind == ir.AccessRead:
				x.reads(c, me, i, who)
			case c.r != 0:
				x.after(c, i, addr, at)
				c.w = me
			default:
				c.w = me
			}
			at.off += 4
		}
		addr += x.size
	}
	return true
}
