package static

import (
	"math/bits"

	"example.org/crosslane/internal/ir"
)

// Signed division by a power of two, as compilers write it: for x / 32 they add 31 to x if it is negative, and shift, or
// mask for x % 32. If x is 32·k + lane, all lanes get k, unless k is negative: then the first lane gets another number
// than the others. k is the number of a warp among those of a launch, and whether it can be negative depends on arguments,
// so nothing is evident of the result.

// roundsQuotient reports whether an instruction is the last one of such a division, of a number that is the same multiple of
// the divisor in all lanes, plus a part below it.
func (a *analysis) roundsQuotient(i int, in *ir.Inst) bool {
	t := ir.Ops[in.Op].Res
	width := uint64(bitsOf(t))
	for k := range 2 {
		n, ok := a.vals[a.s.ops[i*opCount+1-k]].constant()
		if !ok {
			continue
		}
		switch in.Op {
		case ir.ShrS32, ir.ShrS64:
			if k != 0 {
				continue
			}
		case ir.And32, ir.And64:
			low := ^n & maskOf(t) // those that the mask clears
			if low&(low+1) != 0 {
				continue
			}
			n = uint64(bits.Len64(low))
		default:
			return false
		}
		if n > 0 && n < width && a.biased(a.s.ops[i*opCount+k], n, width) {
			return true
		}
	}
	return false
}

// biased reports whether a definition is x + (x >> width-1 >>> width-n), where x is a multiple of 1<<n that all lanes share,
// plus less than that.
func (a *analysis) biased(d id, n, width uint64) bool {
	sum, ok := a.made(d, ir.Add32, ir.Add64)
	for k := range 2 {
		if !ok {
			break
		}
		x := a.s.ops[sum*opCount+k]
		bias, isShift := a.made(a.s.ops[sum*opCount+1-k], ir.ShrU32, ir.ShrU64)
		if !isShift || !a.shiftedBy(bias, width-n) {
			continue
		}
		sign, isShift := a.made(a.s.ops[bias*opCount], ir.ShrS32, ir.ShrS64)
		if v := &a.vals[x]; isShift && a.shiftedBy(sign, width-1) && a.s.ops[sign*opCount] == x && v.kind == shared && uint64(v.align) >= n && v.below(n) {
			return true
		}
	}
	return false
}

// made returns the instruction that makes a definition in every case, if it is one of two operations.
func (a *analysis) made(d id, op, other ir.Op) (i int, ok bool) {
	i, ok = a.s.inst(d)
	for ok && (a.g.f.Code[i].Op == ir.Mov32 || a.g.f.Code[i].Op == ir.Mov64) && a.g.f.Code[i].Guard == 0 {
		i, ok = a.s.inst(a.s.ops[i*opCount])
	}
	if !ok {
		return 0, false
	}
	in := &a.g.f.Code[i]
	return i, in.Guard == 0 && (in.Op == op || in.Op == other)
}

// shiftedBy reports whether an instruction shifts by a number.
func (a *analysis) shiftedBy(i int, n uint64) bool {
	c, ok := a.vals[a.s.ops[i*opCount+1]].constant()
	return ok && c == n
}
