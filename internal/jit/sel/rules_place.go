package sel

import "example.org/crosslane/internal/ir"

// This file has rules about places in memory and in code: addresses of buffer
// instructions of GCN3 (ISA 8.1.5), and the fields of mbarrier objects.
//
// Input: a buffer's V# as two halves, an index and an offset; or the word of an
// mbarrier.
// Output: a byte offset, a range check, or a state.
// Invariant: the fields are those of package num; all formulas are for elements of 8
// bytes.
// Example: stride = bits 61:48 of v01, plus four more bits of v23 if add_tid_enable is
// set.

// words is the product of elements of 8 bytes that are less than 1<<32.
func (x *ex) words(a, b operand) operand {
	if x.gp || a.num && b.num {
		return x.mul(a, b)
	}
	return x.product(false, a, b)
}

// field is bits n to n+length-1 of a.
func (x *ex) field(a operand, n, length uint64) operand {
	return x.and(x.shiftBy(shr, a, n), x.k(1<<length-1))
}

// bufStride is the stride of a V# with the halves v01 and v23.
func (x *ex) bufStride(v01, v23 operand) operand {
	more := x.and(x.field(v23, 47, 4), x.neg(x.field(v23, 55, 1)))
	return x.or(x.field(v01, 48, 14), x.shiftBy(shl, more, 14))
}

// bufOffset is the distance of a place from the buffer's base, and the V#'s stride.
func (x *ex) bufOffset(pos, v01, v23 operand) (far, stride operand) {
	low := x.k(1<<32 - 1)
	offset, index := x.and(pos, low), x.shiftBy(shr, pos, 32)
	stride = x.bufStride(v01, v23)
	plain := x.add(x.and(x.words(index, stride), low), offset)
	// Swizzled: elements of 1<<e bytes of 1<<r records are neighbours.
	e, r := x.add(x.field(v23, 51, 2), x.k(1)), x.add(x.field(v23, 53, 2), x.k(3))
	down := func(v, n operand) operand { return x.shift(shr, v, n, exact) }
	up := func(v, n operand) operand { return x.shift(shl, v, n, exact) }
	group, part := down(index, r), up(down(offset, e), e)
	d := up(x.add(x.words(group, stride), part), r)
	d = x.add(d, up(x.sub(index, up(group, r)), e))
	d = x.add(d, x.sub(offset, part))
	return x.sel(x.negative(v01), d, plain), stride
}

// bufOffset is the offset of a place in a buffer.
func bufOffset(x *ex, a [4]operand) operand {
	d, _ := x.bufOffset(a[0], a[1], a[2])
	return d
}

// bufInside reports whether a place is in range. No number in it has its sign set, so
// signed comparisons are right.
func bufInside(x *ex, a [4]operand) operand {
	low := x.k(1<<32 - 1)
	far, stride := x.bufOffset(a[0], a[1], a[2])
	records := x.and(a[2], low)
	bytes := x.cmp(cmpLT, true, x.add(far, x.ext(false, 4, a[3])), records)
	inside := x.mand(x.cmp(cmpLT, true, x.shiftBy(shr, a[0], 32), records), x.cmp(cmpLT, true, x.and(a[0], low), stride))
	byRecord := x.mand(x.cmp(cmpNE, false, stride, x.k(0)), x.negative(a[1]))
	return x.mor(x.mand(byRecord, inside), x.mandNot(bytes, byRecord))
}

// mandNot is a without b, for masks.
func (x *ex) mandNot(a, b operand) operand { return x.mand(a, x.mnot(b)) }

// bufSize is the size of a scalar buffer in bytes.
func (x *ex) bufSize(v01, v23 operand) operand {
	s := x.field(v01, 48, 14)
	return x.words(x.and(v23, x.k(1<<32-1)), x.choose(cmpEQ, false, s, x.k(0), x.k(1), s))
}

// bufScalarInside reports whether a dword at an offset is inside a scalar buffer.
func bufScalarInside(x *ex, a [4]operand) operand {
	return x.cmp(cmpLE, true, x.add(x.ext(false, 4, a[0]), x.k(4)), x.bufSize(a[1], a[2]))
}

// bufScalarWhole reports whether an access of some bytes at an offset is inside a
// scalar buffer, and its offsets fit 32 bits.
func bufScalarWhole(x *ex, a [4]operand) operand {
	end := x.add(x.ext(false, 4, a[0]), x.ext(false, 4, a[1]))
	size := x.bufSize(a[2], a[3])
	return x.mand(x.cmp(cmpLE, true, end, size), x.cmp(cmpLE, true, end, x.k(1<<32)))
}

// codeIndex is the number of a dword of code, counted from base; all ones if there is
// none.
func codeIndex(x *ex, a [4]operand) operand {
	d := x.sub(a[0], a[1])
	bad := x.and(d, x.k(3|^uint64(1<<33-1)))
	return x.trunc(4, x.choose(cmpEQ, false, bad, x.k(0), x.shiftBy(shr, d, 2), x.ones()))
}

// condxchg is ds_condxchg32: words of b without their signs if these are set, else
// words of a.
func condxchg(x *ex, a [4]operand) operand {
	y := x.sized(4)
	m := y.shiftBy(sar, x.held(a[1]), 31)
	return x.held(y.logic(ta&tb|^ta&tc, m, y.and(x.held(a[1]), y.k(1<<31-1)), x.held(a[0])))
}

// The layout of mbarrier objects, as in package num.
const (
	mbarBits    = 20
	mbarMax     = 1<<mbarBits - 1
	mbarPhase   = 1 << 61
	mbarValid   = 1 << 62
	mbarMisused = 1 << 63
)

// mbarError is the error that an mbarrier's state records; 0: none.
func mbarError(x *ex, a [4]operand) operand {
	state, why := x.shiftBy(shr, a[0], 62), x.and(a[0], x.k(0xff))
	d := x.choose(cmpGT, true, why, x.k(5), x.k(1), x.choose(cmpEQ, false, why, x.k(0), x.k(1), why))
	d = x.choose(cmpEQ, false, state, x.k(mbarMisused>>62), d, x.k(1))
	return x.trunc(4, x.choose(cmpEQ, false, x.and(state, x.k(mbarValid>>62)), x.k(0), d, x.k(0)))
}

// mbarInit is the state of a new mbarrier that expects a[0] arrivals; a count of 0 or
// above mbarMax makes it a misused one.
func mbarInit(x *ex, a [4]operand) operand {
	const badCount = 2
	n := x.ext(false, 4, a[0])
	d := x.or(x.or(n, x.shiftBy(shl, n, mbarBits)), x.k(mbarValid))
	bad := x.k(mbarMisused | badCount)
	return x.choose(cmpGT, true, n, x.k(mbarMax), bad, x.choose(cmpEQ, false, n, x.k(0), bad, d))
}

// mbarDone reports whether the phase of state a[1] is over: the phase bits of the
// object a[0] and the state differ.
func mbarDone(x *ex, a [4]operand) operand {
	return x.cmp(cmpNE, false, x.and(x.xor(a[0], a[1]), x.k(mbarPhase)), x.k(0))
}

// mbarDoneParity reports whether the phase with parity a[1] is over: the object a[0]
// has the other parity.
func mbarDoneParity(x *ex, a [4]operand) operand {
	p := x.xor(x.shiftBy(shr, a[0], 61), x.ext(false, 4, a[1]))
	return x.cmp(cmpNE, false, x.and(p, x.k(1)), x.k(0))
}

// placeInt are the rules of this file.
var placeInt = map[ir.Op]intRule{
	ir.BufOffset: all(8, bufOffset), ir.BufInside: all(8, bufInside), ir.BufScalarInside: all(8, bufScalarInside), ir.BufScalarWhole: all(8, bufScalarWhole),
	ir.CodeIndex: all(8, codeIndex), ir.DsCondxchg32: vecs(8, condxchg),
	ir.MbarInit: all(8, mbarInit), ir.MbarDone: all(8, mbarDone), ir.MbarDoneParity: all(8, mbarDoneParity), ir.MbarError: all(8, mbarError),
	ir.MbarPending: all(8, func(x *ex, a [4]operand) operand { return x.trunc(4, x.and(a[0], x.k(mbarMax))) }),
}
