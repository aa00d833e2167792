package static

import (
	"math/bits"

	"example.org/crosslane/internal/ir"
)

// pure returns the result of a pure operation.
//
// Input: the values of its operands.
// Output: known operands give a known result, computed by package num; operations that keep an unknown
// part and a known part apart (see linear) keep them apart; operands that are equal in all lanes give
// an equal result; any other result is unknown.
// Invariant: the result holds for all executions in which the operands hold.
// Example: tid.x = 32·k + lane, k unknown: tid.x << 2 is 128·k + 4·lane, and tid.x < 64 is equal in all
// lanes.
func (a *analysis) pure(op ir.Op, args []value) value {
	info := &ir.Ops[op]
	allKnown, allAlike, vectors := true, true, false
	for i := range args {
		switch {
		case args[i].kind == bottom:
			return value{}
		case args[i].kind != known:
			allKnown = false
		case args[i].vec != nil:
			vectors = true
		}
		allAlike = allAlike && args[i].alike()
	}
	if allKnown {
		return a.compute(op, args, vectors)
	}
	if v, ok := linear(op, args, info.Res); ok {
		if v.kind == top {
			return differing(evidenceOf(op, args))
		}
		v.align = min(v.align, uint8(bitsOf(info.Res)-1))
		return v
	}
	// An operation on values that are equal in all lanes gives equal results, although they are not
	// known.
	if allAlike {
		return uniform
	}
	return differing(evidenceOf(op, args))
}

// compute applies an operation to known values, lane by lane if one of them differs between lanes.
func (a *analysis) compute(op ir.Op, args []value, vectors bool) value {
	f := a.eval.of(op)
	var in [4]uint64
	if !vectors {
		for i := range args {
			in[i] = args[i].c
		}
		return constant(f(in))
	}
	var out [32]uint64
	for l := range out {
		for i := range args {
			in[i] = args[i].at(l)
		}
		out[l] = f(in)
	}
	return vector(out)
}

// linear handles the operations that keep the unknown part of a value apart from the known part. ok is
// false for all other operations.
func linear(op ir.Op, v []value, t ir.Type) (value, bool) {
	m := maskOf(t)
	switch op {
	case ir.Mov8, ir.Mov16, ir.Mov32, ir.Mov64, ir.MovB1:
		return v[0], true
	case ir.Add16, ir.Add32, ir.Add64:
		return sum(v[0], v[1], m)
	// a - b is a + (-1)·b.
	case ir.Sub16, ir.Sub32, ir.Sub64:
		return sum(v[0], times(v[1], m, m), m)
	case ir.Mul16, ir.Mul32, ir.Mul64:
		return product(v[0], v[1], m)
	case ir.Mad16, ir.Mad32, ir.Mad64:
		if p, ok := product(v[0], v[1], m); ok {
			return sum(p, v[2], m)
		}
	case ir.MulWideU32, ir.MulWideS32, ir.MadWideU32, ir.MadWideS32:
		if op == ir.MulWideS32 || op == ir.MadWideS32 {
			for i := range 2 {
				if v[i].kind == known {
					v[i] = v[i].with(func(x uint64) uint64 { return uint64(int64(int32(x))) })
				}
			}
		}
		p, ok := product(extend(v[0]), extend(v[1]), m)
		if ok && len(v) == 3 {
			return sum(p, v[2], m)
		}
		return p, ok
	case ir.Shl16, ir.Shl32, ir.Shl64:
		if n, ok := v[1].constant(); ok && n < uint64(bitsOf(t)) {
			return product(v[0], constant(1<<n), m)
		}
	case ir.ShrU16, ir.ShrU32, ir.ShrU64, ir.ShrS16, ir.ShrS32, ir.ShrS64:
		if n, ok := v[1].constant(); ok && v[0].kind == shared && v[0].small() && n < uint64(bitsOf(t)) {
			r := v[0].with(func(x uint64) uint64 { return x >> n })
			r.align = uint8(max(int(r.align)-int(n), 0))
			return r, true
		}
	case ir.RemU16, ir.RemU32, ir.RemU64:
		if n, ok := v[1].constant(); ok && n&(n-1) == 0 && n > 0 {
			return masked(v[0], constant(n-1))
		}
	case ir.DivU16, ir.DivU32, ir.DivU64:
		if n, ok := v[1].constant(); ok && n&(n-1) == 0 && n > 0 && v[0].kind == shared && v[0].small() {
			k := bits.TrailingZeros64(n)
			r := v[0].with(func(x uint64) uint64 { return x >> k })
			r.align = uint8(max(int(r.align)-k, 0))
			return r, true
		}
	// The operation is commutative: try each operand as the known one.
	case ir.And16, ir.And32, ir.And64, ir.AndP:
		for i := range 2 {
			if r, ok := masked(v[i], v[1-i]); ok {
				return r, true
			}
		}
	case ir.Or16, ir.Or32, ir.Or64, ir.Xor16, ir.Xor32, ir.Xor64:
		for i := range 2 {
			if r, ok := merged(v[i], v[1-i], op == ir.Xor16 || op == ir.Xor32 || op == ir.Xor64); ok {
				return r, true
			}
		}
	case ir.BfeU32, ir.BfeU64:
		pos, ok := v[1].constant()
		n, ok2 := v[2].constant()
		if op == ir.BfeU32 { // the other forms use all bits: Errata E117
			pos, n = pos&0xff, n&0xff
		}
		if ok && ok2 && v[0].kind == shared && pos+n <= uint64(v[0].align) {
			return constantPart(v[0].with(func(x uint64) uint64 { return x >> pos & (1<<n - 1) })), true
		}
	case ir.CvtU32FromU64, ir.CvtU16FromU64, ir.CvtU16FromU32, ir.Lo32, ir.Lo16:
		if v[0].kind == shared {
			return v[0].with(func(x uint64) uint64 { return x & m }), true
		}
	case ir.CvtS64FromU32, ir.CvtS64FromS32, ir.CvtS64FromU16, ir.CvtS64FromS16, ir.CvtS32FromU16, ir.CvtS32FromS16,
		ir.CvtU64FromU32, ir.CvtU64FromS32, ir.CvtU64FromU16, ir.CvtU32FromU16, ir.CvtU32FromS16, ir.CvtU64FromS16:
		if v[0].kind == shared {
			r := extend(v[0])
			return r, true
		}
	case ir.Sel16, ir.Sel32, ir.Sel64, ir.SelP:
		return choose(v[0], v[1], v[2], t)
	}
	return compare(op, v)
}

// extend returns a value with more bits, zero- or sign-extended. The value stays if it is known, or if
// adding the known part cannot leave the multiple of 1<<align that the unknown part is: no sign
// boundary cuts it.
func extend(v value) value {
	if v.kind == shared && !v.small() {
		if v.alike() {
			return uniform
		}
		return anything
	}
	return v
}

// constantPart returns the known part of a value alone.
func constantPart(v value) value {
	v.kind, v.align = known, 0
	return v
}

// sum returns a + b modulo m + 1.
func sum(a, b value, m uint64) (value, bool) {
	if a.kind == top || b.kind == top {
		return anything, true
	}
	r := value{kind: shared, align: 63}
	for _, v := range []*value{&a, &b} {
		if v.kind == shared {
			r.align = min(r.align, v.align)
		}
	}
	if a.kind == known && b.kind == known {
		r = value{kind: known}
	}
	if a.vec == nil && b.vec == nil {
		r.c = (a.c + b.c) & m
		return r, true
	}
	var n [32]uint64
	for l := range n {
		n[l] = (a.at(l) + b.at(l)) & m
	}
	return r.of(n), true
}

// times returns a value multiplied by a number.
func times(v value, k, m uint64) value {
	if v.kind == top || v.kind == bottom {
		return v
	}
	if k == 0 {
		return constant(0)
	}
	r := v.with(func(x uint64) uint64 { return x * k & m })
	if r.kind == shared {
		r.align = uint8(min(int(r.align)+bits.TrailingZeros64(k), 63))
	}
	return r
}

// product returns a * b modulo m + 1.
func product(a, b value, m uint64) (value, bool) {
	if k, ok := a.constant(); ok {
		return times(b, k, m), true
	}
	if k, ok := b.constant(); ok {
		return times(a, k, m), true
	}
	if a.kind == known && b.kind == known {
		var n [32]uint64
		for l := range n {
			n[l] = a.at(l) * b.at(l) & m
		}
		return vector(n), true
	}
	if a.alike() && b.alike() {
		// Both are multiples of powers of two, and the product is a multiple of their product.
		return value{kind: shared, align: uint8(min(zeros(a)+zeros(b), 63))}, true
	}
	return anything, true
}

// zeros returns how many of the lowest bits are 0 in a value that is equal in all lanes.
func zeros(v value) int {
	n := 63
	if v.c != 0 {
		n = bits.TrailingZeros64(v.c)
	}
	if v.kind == shared {
		n = min(n, int(v.align))
	}
	return n
}

// masked returns v & k, for a known k.
func masked(v, k value) (value, bool) {
	if k.kind != known {
		return value{}, false
	}
	if c, ok := k.constant(); ok && c == 0 {
		return constant(0), true
	}
	if v.kind != shared {
		return value{}, false
	}
	low := uint64(1)<<v.align - 1
	inside := true
	var n [32]uint64
	for l := range n {
		inside = inside && k.at(l)&^low == 0
		n[l] = v.at(l) & k.at(l)
	}
	if inside {
		return vector(n), true // the unknown part has no bits there
	}
	if k.vec == nil {
		// (n + 31) & -32: the bits below the mask are cleared, and the unknown part begins above them.
		if zeros := uint8(bits.TrailingZeros64(k.at(0))); zeros > v.align && (v.vec == nil || v.small()) {
			return value{kind: shared, align: min(zeros, 63)}, true
		}
		if v.small() {
			return v.of(n), true
		}
	}
	return value{}, false
}

// merged returns v | k or v ^ k, for a known k that lies below the unknown part.
func merged(v, k value, xor bool) (value, bool) {
	if k.kind != known || v.kind != shared || !v.small() {
		return value{}, false
	}
	var n [32]uint64
	for l := range n {
		if k.at(l)>>v.align != 0 {
			return value{}, false
		}
		if n[l] = v.at(l) | k.at(l); xor {
			n[l] = v.at(l) ^ k.at(l)
		}
	}
	return v.of(n), true
}

// choose returns p ? a : b.
func choose(p, a, b value, t ir.Type) (value, bool) {
	if p.kind == known {
		if p.vec == nil {
			if p.c != 0 {
				return a, true
			}
			return b, true
		}
		if a.kind == known && b.kind == known {
			var n [32]uint64
			for l := range n {
				if n[l] = b.at(l); p.at(l) != 0 {
					n[l] = a.at(l)
				}
			}
			return vector(n), true
		}
	}
	if a.kind == known && b.kind == known && a.equal(&b) {
		return a, true
	}
	if p.alike() {
		return join(a, b, t), true
	}
	return anything, true
}

// comparison classifies an operation as a comparison of integers: less if it is < or <=, orEqual if it
// includes equality, equality if it is == or !=.
func comparison(op ir.Op) (less, orEqual, equality, ok bool) {
	switch op {
	case ir.LtU16, ir.LtU32, ir.LtU64, ir.LtS16, ir.LtS32, ir.LtS64:
		return true, false, false, true
	case ir.LeU16, ir.LeU32, ir.LeU64, ir.LeS16, ir.LeS32, ir.LeS64:
		return true, true, false, true
	case ir.GtU16, ir.GtU32, ir.GtU64, ir.GtS16, ir.GtS32, ir.GtS64:
		return false, false, false, true
	case ir.GeU16, ir.GeU32, ir.GeU64, ir.GeS16, ir.GeS32, ir.GeS64:
		return false, true, false, true
	case ir.EqU16, ir.EqU32, ir.EqU64, ir.EqS16, ir.EqS32, ir.EqS64, ir.NeU16, ir.NeU32, ir.NeU64, ir.NeS16, ir.NeS32, ir.NeS64:
		return false, false, true, true
	}
	return false, false, false, false
}

// compare handles the comparisons whose result is equal in all lanes although the operands differ:
// tid.x < 64, if tid.x is a multiple of 32 plus the lane.
func compare(op ir.Op, v []value) (value, bool) {
	less, orEqual, equality, ok := comparison(op)
	if !ok {
		return value{}, false
	}
	a, b := v[0], v[1]
	// The value that differs between lanes goes to the left.
	if b.vec != nil {
		a, b, less = b, a, !less
	}
	if a.kind == known && b.kind == shared {
		a.kind, a.align = shared, b.align // the known vector is multiple 0 of the unknown part's step, plus the vector
	}
	if a.kind == shared && a.vec != nil {
		above := a.at(0) >> a.align << a.align // a multiple of 1<<align, which joins the unknown part
		a = a.with(func(x uint64) uint64 { return x - above })
	}
	if a.kind != shared || a.vec == nil || !a.small() || !b.alike() || b.kind == shared && b.align < a.align {
		return value{}, false
	}
	low := uint64(1)<<a.align - 1
	// b is u + rest, where u is a multiple of 1<<a.align, as a's unknown part is.
	rest := b.c & low
	if equality {
		for l := range 32 {
			if a.at(l) == rest {
				return value{}, false
			}
		}
		return constant(bit(op == ir.NeU16 || op == ir.NeU32 || op == ir.NeU64 || op == ir.NeS16 || op == ir.NeS32 || op == ir.NeS64)), true
	}
	// The result depends on the unknown part alone in two cases: for a < b and a >= b, if b is the
	// first number of a multiple; for a > b and a <= b, if b is the last number of one.
	if less != orEqual && rest == 0 || less == orEqual && rest == low {
		return uniform, true
	}
	return value{}, false
}
