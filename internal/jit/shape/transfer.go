package shape

import (
	"math/bits"
	"slices"

	"example.org/crosslane/internal/ir"
)

// results returns the shapes of the results of an instruction, Dst and Dst2.
func (s *Shapes) results(i int, in *ir.Inst) (d, d2 Shape) {
	if in.Op.Pure() {
		return s.pure(i, in), Shape{}
	}
	// any is the shape without claims, and same the uniform one.
	any := func(r ir.Ref) Shape {
		if r == 0 {
			return Shape{}
		}
		return Shape{Kind: Varying, Max: typeMask(s.fn.IR.Val(r).Type)}
	}
	same := func(r ir.Ref) Shape {
		sh := any(r)
		if sh.Kind == Varying {
			sh.Kind = Affine
		}
		return sh
	}
	switch in.Op {
	case ir.Splat, ir.LaneBit:
		return s.Arg(i, 0), Shape{}
	// Memory: see load.
	case ir.Load:
		return s.load(i, in, any(in.Dst)), Shape{}
	// All lanes that run together read the clock, or the mask, once.
	case ir.Clock, ir.ActiveMask:
		return same(in.Dst), Shape{}
	case ir.Vote:
		return same(in.Dst), same(in.Dst2) // all lanes that run together get the same
	case ir.VoteSync, ir.ReduxSync, ir.ElectSync, ir.Bar:
		if s.atOnce(i) {
			d, d2 = same(in.Dst), same(in.Dst2)
			if in.Op == ir.ElectSync {
				d2 = any(in.Dst2)
			}
			return d, d2
		}
	case ir.MatchSync:
		// match.any gives each lane the set of its equals, match.all the same result to all.
		if ir.MatchMode(in.Imm) == ir.MatchAll && s.atOnce(i) {
			return same(in.Dst), same(in.Dst2)
		}
	case ir.Shfl, ir.ShflSync:
		return s.shuffle(i, in, any(in.Dst), any(in.Dst2))
	}
	return any(in.Dst), any(in.Dst2)
}

// block returns the block of an instruction whose result depends on the lanes that run it. It
// records that the instruction must be visited again after each change of the masks.
func (s *Shapes) block(i int) int {
	if s.owner == nil {
		s.owner = make([]int32, len(s.fn.Ops))
		for b, blk := range s.fn.IR.Blocks {
			for k := blk.Start; k < blk.End; k++ {
				s.owner[k] = int32(b)
			}
		}
	}
	if s.owner[i] >= 0 {
		s.late = append(s.late, int32(i))
		s.owner[i] = -1 - s.owner[i]
	}
	return int(-1 - s.owner[i])
}

// atOnce is AtOnce during the analysis.
func (s *Shapes) atOnce(i int) bool { return s.AtOnce(i, s.block(i)) }

// AtOnce reports whether all lanes that have not exited execute operation i of a block, a
// rendezvous or a barrier, together. Then no lane waits, and all lanes get the result of the
// same rendezvous.
func (s *Shapes) AtOnce(i, block int) bool {
	if !s.Masks.Alone(block) || !s.Guard(i).Uniform() {
		return false
	}
	if s.fn.IR.Code[i].Op == ir.Bar {
		return s.Arg(i, 0).Uniform() && s.Arg(i, 1).Uniform()
	}
	return s.Arg(i, 3).Uniform()
}

// shuffle returns the shapes of a shuffle: a uniform source stays uniform if all lanes take
// part.
func (s *Shapes) shuffle(i int, in *ir.Inst, d, d2 Shape) (Shape, Shape) {
	all := uint64(1)<<s.fn.Geom.Lanes - 1
	// A lane that does not run would get, or give, another value.
	if s.fn.Geom.Lanes > 32 || !s.Masks.Full(s.block(i)) || s.fn.Ops[i].Guard != 0 {
		return d, d2
	}
	// The membermask must be known to name all lanes.
	if m := s.Arg(i, 3); in.Op == ir.ShflSync && m.Kind != Unseen && !(m.IsConst() && m.Base&all == all) {
		return d, d2
	}
	src := s.Arg(i, 0)
	if src.Kind != Unseen && (in.Op == ir.Shfl || slices.Contains(s.Masks.Gone(), true)) {
		// Lanes may be missing even then, because they were overtaken, or exited in an
		// iteration that other lanes have not reached. A lane that reads a missing lane gets
		// a number that the launch prescribes. The entry guard compares lanes with each other
		// but not with constants, so the constant, the bound and the zeros are dropped.
		src.Known, src.Max, src.Zeros = false, d.Max, 0
	}
	if src.Uniform() {
		d = src
	}
	const idx = 3 // lane.ShflIdx
	c := s.Arg(i, 2)
	if in.Imm == idx && s.Arg(i, 1).Uniform() && (c.Kind == Unseen || c.IsConst() && c.Base&0x1f1f == 0x1f) {
		// All lanes read one lane, which is in range.
		if in.Dst != 0 && !src.Uniform() {
			d = Shape{Kind: Affine, Max: src.Max}
		}
		if in.Dst2 != 0 {
			d2 = constant(1)
		}
	}
	return d, d2
}

// load returns the shape of a load: equal addresses give equal values, except in private
// memory.
func (s *Shapes) load(i int, in *ir.Inst, d Shape) Shape {
	// A short load is zero-extended, which bounds the value.
	if in.Flags&ir.SignExtend == 0 && in.Size < 8 {
		d.Max = min(d.Max, 1<<(8*in.Size)-1)
	}
	f := s.fn.IR
	// A generic address may be in private memory, unless the access says that it is not.
	local := in.Space == ir.Local || in.Space == ir.Generic && in.Flags&ir.NotLocal == 0 && (f.LocalSize > 0 || f.Stack || f.StackUp)
	switch {
	case in.Scalar || !local && s.Arg(i, 0).Uniform():
		d.Kind = Affine
	case in.Space == ir.Local:
		return s.fromCell(i, d)
	}
	return d
}

// pure returns the shape of the result of a pure operation.
func (s *Shapes) pure(i int, in *ir.Inst) Shape {
	info := &ir.Ops[in.Op]
	var a [4]Shape
	// uniform: all arguments are; known: all are constants; inRow: all are equal inside tile
	// rows, of which row is the shortest.
	uniform, known, inRow, row := true, true, true, uint8(anyTile)
	r := rules[in.Op]
	for k := range info.Args {
		x := s.arg(i, k, &a[k])
		if x.Kind == Unseen {
			return Shape{} // it will be visited again, or is never read
		}
		uniform = uniform && x.Uniform()
		row = min(row, x.tile())
		inRow = inRow && x.Stride == 0
		known = known && x.IsConst()
		if (r != plain || known) && x != &a[k] {
			a[k] = *x
		}
	}
	size := typeMask(info.Res)
	// The check of an earlier visit may not be needed any more.
	if s.checks != nil {
		delete(s.checks, i)
	}
	if known {
		return constant(s.evaluate(in.Op, a) & size)
	}
	// Without a rule nothing is claimed but the size of the type.
	d := Shape{Kind: Varying, Max: size}
	if r != plain {
		t := transfer{s: s, i: i, in: in, lanes: uint64(s.fn.Geom.Lanes), size: size}
		if len(info.Args) > 0 {
			t.arg = typeMask(info.Args[0])
		}
		d = t.apply(r, a)
		d = d.with(d.Steps(), size)
		d.Base &= size
		d.Max = min(d.Max, size)
		d.Zeros = min(d.Zeros, uint8(bits.Len64(size)))
		if d.Known {
			d.Zeros = uint8(bits.TrailingZeros64(d.Base))
			if d.IsConst() {
				d.Max = d.Base
			}
		}
	}
	// Equal arguments give equal results, for every pure operation.
	if uniform {
		d.Kind, d.Stride, d.Step, d.Tile = Affine, 0, 0, 0
	} else if inRow && d.Tile == 0 && !Called[in.Op] {
		d = d.inRows(row, 0, size) // an operation on values that are equal in a tile row gives equal results there
	}
	return d
}

// evaluate computes an operation on constants.
func (s *Shapes) evaluate(op ir.Op, a [4]Shape) uint64 {
	fn := s.eval[op]
	if fn == nil {
		if s.eval == nil {
			s.eval = map[ir.Op]func([4]uint64) uint64{}
		}
		fn = ir.Evaluator(op)
		s.eval[op] = fn
	}
	return fn([4]uint64{a[0].Base, a[1].Base, a[2].Base, a[3].Base})
}

// transfer is one application of a rule.
type transfer struct {
	s     *Shapes
	i     int
	in    *ir.Inst
	lanes uint64
	size  uint64 // the bits of the result
	arg   uint64 // the bits of the first argument
}

// varying returns the shape with no claim but a bound.
func (t *transfer) varying(limit uint64) Shape { return Shape{Kind: Varying, Max: min(limit, t.size)} }

// apply applies the rule to the shapes of the arguments. If no claim can be made it returns a
// varying shape.
func (t *transfer) apply(r rule, a [4]Shape) Shape {
	switch r {
	case move:
		return a[0]
	case add:
		return t.add(a[0], a[1])
	case sub:
		return t.sub(a[0], a[1])
	case neg:
		return t.sub(constant(0), a[0])
	case not:
		return t.sub(constant(t.size), a[0]) // ^a = -1 - a
	case mul:
		return t.mul(a[0], a[1])
	case mad:
		return t.add(t.mul(a[0], a[1]), a[2])
	case mul24U, mul24S, mad24U, mad24S:
		// The product of the low 24 bits is the full product if the arguments have no higher
		// bits.
		most := uint64(1<<24 - 1)
		if r == mul24S || r == mad24S {
			most = 1<<23 - 1
		}
		if a[0].Max > most || a[1].Max > most {
			return t.varying(t.size)
		}
		p := t.mul(a[0], a[1])
		if r == mad24U || r == mad24S {
			p = t.add(p, a[2])
		}
		return p
	case mulU, mulS, madU, madS:
		signed := r == mulS || r == madS
		// Only a constant factor lets the product of an extended number keep its steps.
		x, y := t.extend(a[0], signed, a[1].IsConst()), t.extend(a[1], signed, a[0].IsConst())
		p := t.mul(x, y)
		if r == madU || r == madS {
			p = t.add(p, a[2])
		}
		return p
	case addWide:
		return t.add(t.extend(a[0], false, true), a[1])
	case shl, shlWrap:
		// A shift by a constant is a multiplication by a power of two.
		n, ok := t.count(a[1], t.size, r == shlWrap)
		if !ok {
			return t.varying(t.size)
		}
		return t.mul(a[0], constant(1<<n))
	case shr, sar:
		// x >> 31 is the sign of x: GCN3 extends indices with it.
		if n, ok := t.count(a[1], t.arg, false); ok && r == sar && n == 31 && t.arg == 1<<32-1 && a[0].Max > t.size>>1 && t.assumes(a[0]) {
			t.note(CheckSign)
			return Shape{Kind: Affine, Max: t.size}
		}
		// The sign bit may be set, so the result is not that of an unsigned shift.
		if r == sar && a[0].Max > t.size>>1 {
			return t.varying(t.size)
		}
		n, ok := t.count(a[1], t.arg, false)
		if !ok {
			return t.varying(a[0].Max)
		}
		return t.shr(a[0], n)
	case and:
		if a[0].IsConst() {
			a[0], a[1] = a[1], a[0]
		}
		if a[1].IsConst() {
			return t.and(a[0], a[1].Base)
		}
		return t.bits(min(a[0].Max, a[1].Max), max(a[0].laneZeros(), a[1].laneZeros()))
	case andNot:
		if a[1].IsConst() {
			return t.and(a[0], t.size&^a[1].Base)
		}
		return t.varying(a[0].Max)
	case or, xor:
		return t.or(a[0], a[1])
	case zext:
		return t.extend(a[0], false, true)
	case sext:
		return t.extend(a[0], true, true)
	case pack:
		// Packing two halves is lo + hi * 2^bits.
		if lo := t.extend(a[0], false, a[1].Uniform()); lo.Kind == Affine || lo.Tile > 0 && a[1].Uniform() {
			return t.add(lo, t.mul(a[1], constant(t.arg+1)))
		}
	case high:
		// The upper half of a small number is 0.
		limit := a[0].Max >> (bits.Len64(t.arg) / 2)
		if limit == 0 {
			return constant(0)
		}
		if t.arg == 1<<64-1 && t.assumes(a[0]) {
			t.note(CheckHigh)
			return Shape{Kind: Affine, Max: limit}
		}
		return t.varying(limit)
	case pick:
		return t.pick(a[0], a[1], a[2])
	case minU:
		return t.varying(min(a[0].Max, a[1].Max))
	case remU:
		if n := a[1].Base; a[1].IsConst() && n != 0 {
			if n&(n-1) == 0 {
				return t.and(a[0], n-1)
			}
			return t.varying(min(a[0].Max, n-1))
		} // the remainder of a division by 0 is all ones
	case divU:
		if n := a[1].Base; a[1].IsConst() && n != 0 {
			if n&(n-1) == 0 {
				return t.shr(a[0], uint(bits.TrailingZeros64(n)))
			}
			return t.varying(a[0].Max / n)
		}
	case bfe:
		if a[1].IsConst() && a[2].IsConst() {
			if n, l := a[1].Base&0xff, a[2].Base&0xff; n < 32 && l < 32 {
				return t.and(t.shr(a[0], uint(n)), 1<<l-1)
			}
		}
	case small:
		return t.varying(64)
	// A carry is 0 or 1. If one argument is uniform and the other affine, it may be assumed
	// uniform.
	case carryOut:
		if t.s.fn.Geom.NoWrap && t.s.carry[t.i].wanted && a[0].Kind == Affine && a[1].Kind == Affine && a[0].Uniform() != a[1].Uniform() && a[0].oneWay(t.arg) && a[1].oneWay(t.arg) {
			t.note(CheckCarry)
			return Shape{Kind: Affine, Max: 1}
		}
		return t.varying(1)
	case flag:
		return t.varying(1)
	}
	return t.varying(t.size)
}

// count returns the constant number of bits by which a type is shifted.
func (t *transfer) count(a Shape, size uint64, wrap bool) (uint, bool) {
	width := uint64(bits.Len64(size))
	if !a.IsConst() {
		return 0, false
	}
	n := a.Base
	if wrap {
		n &= width - 1
	}
	return uint(n), n < width
}

// add returns the shape of a sum: bases and steps add.
func (t *transfer) add(a, b Shape) Shape {
	// The bound of the sum holds only if no lane can wrap.
	limit, carry := bits.Add64(a.Max, b.Max, 0)
	if carry != 0 || limit > t.size {
		limit = t.size
	}
	steps, ok := sums(a, b)
	if a.Kind == Varying || b.Kind == Varying || !ok {
		return Shape{Kind: Varying, Max: limit, Zeros: min(a.laneZeros(), b.laneZeros())}.inRows(common(a, b), a.Stride+b.Stride, t.size)
	}
	return t.affine(Shape{Known: a.Known && b.Known, Base: a.Base + b.Base, Zeros: min(a.Zeros, b.Zeros), Max: limit}, steps)
}

// sub returns the shape of a difference: bases and steps subtract.
func (t *transfer) sub(a, b Shape) Shape {
	// a - b is a + (-b), and the steps of -b are negated.
	minus := b
	minus.Stride, minus.Step = -b.Stride, -b.Step
	steps, ok := sums(a, minus)
	if a.Kind == Varying || b.Kind == Varying || !ok {
		return Shape{Kind: Varying, Max: t.size, Zeros: min(a.laneZeros(), b.laneZeros())}.inRows(common(a, b), a.Stride-b.Stride, t.size)
	}
	return t.affine(Shape{Known: a.Known && b.Known, Base: a.Base - b.Base, Zeros: min(a.Zeros, b.Zeros), Max: t.size}, steps)
}

// mul returns the shape of a product. It is affine if one factor is a constant and the other
// affine.
func (t *transfer) mul(a, b Shape) Shape {
	if a.IsConst() {
		a, b = b, a
	}
	// As for sums, the bound holds only if no lane can wrap.
	over, limit := bits.Mul64(a.Max, b.Max)
	if over != 0 || limit > t.size {
		limit = t.size
	}
	// The trailing zeros of factors add.
	zeros := a.laneZeros() + b.laneZeros()
	switch {
	case a.Kind == Affine && b.IsConst():
		return t.affine(Shape{Known: a.Known, Base: a.Base * b.Base, Zeros: a.Zeros + b.Zeros, Max: limit}, Steps{a.Stride * b.Base, a.Step * b.Base, a.Tile})
	case a.Uniform() && b.Uniform():
		return Shape{Kind: Affine, Max: limit, Zeros: zeros}
	}
	d := Shape{Kind: Varying, Max: limit, Zeros: zeros}
	switch {
	case b.IsConst():
		return d.inRows(a.tile(), a.Stride*b.Base, t.size)
	case a.sameInRows() && b.sameInRows():
		return d.inRows(common(a, b), 0, t.size)
	}
	return d
}

// affine completes the shape of an affine result. If the base is known, so is the greatest
// lane.
func (t *transfer) affine(d Shape, steps Steps) Shape {
	d.Kind = Affine
	d = d.with(steps, t.size)
	d.Base &= t.size
	if d.Known && d.straight(t.size, t.lanes) {
		_, greatest := d.Steps().Ends(t.size, int(t.lanes))
		d.Max = d.Base + uint64(greatest)
	}
	return d
}

// signed returns a number of the type with the given bits as a signed number.
func signed(x, size uint64) int64 {
	if x > size>>1 {
		x |= ^size
	}
	return int64(x)
}

// extend returns the shape of an argument that is extended to the result's type, or
// truncated. If assume is set, it may add a run-time check that the lanes do not wrap.
func (t *transfer) extend(a Shape, sign, assume bool) Shape {
	from := t.arg
	if from >= t.size { // the low bits
		d := a // truncation keeps the low bits
		d.Base &= t.size
		if a.Max > t.size {
			d.Max = t.size
		}
		return d.with(d.Steps(), t.size)
	}
	// If the sign bit is never set, sign and zero extension are the same.
	positive := a.Max <= from>>1
	stride := signed(a.Stride, from)
	if a.Kind == Varying {
		d := a
		if sign && !positive {
			d.Max = t.size
		}
		// The steps inside tile rows survive only if no lane of a row wraps.
		if stride != 0 && (stride < 0 || a.Max > from-uint64(stride) || sign && !positive) {
			if !assume || sign || !t.rowsRely(a, stride) {
				d.Tile, d.Stride = 0, 0
				return d
			}
			t.note(CheckRows)
		}
		return d
	}
	d := a
	if sign {
		d.Base = uint64(signed(a.Base, from)) & t.size
		if !positive {
			d.Max = t.size
		}
	}
	d = d.with(Steps{uint64(stride), uint64(signed(a.Step, from)), a.Tile}, t.size)
	// No lane wraps, so extended lanes keep their steps.
	if a.Uniform() || a.straight(from, t.lanes) && (!sign || positive) {
		return d
	}
	if assume && from == 1<<32-1 && t.s.fn.Geom.NoWrap && !a.Known && a.oneWay(from) { // the code can check this
		t.check(sign)
		return d
	}
	return Shape{Kind: Varying, Max: d.Max, Zeros: a.laneZeros()}
}

// rowsRely reports whether the code may assume, and check, that the lanes of tile rows do not
// wrap. It does that for few tile rows only: each must begin with a vector register.
func (t *transfer) rowsRely(a Shape, stride int64) bool {
	const near = 1 << 16
	return t.s.fn.Geom.NoWrap && t.arg == 1<<32-1 && !t.in.Scalar && a.Tile >= 4 && a.Tile != anyTile && stride > 0 && stride < near
}

// check records the check for an extension.
func (t *transfer) check(sign bool) {
	if sign {
		t.note(CheckSigned)
		return
	}
	t.note(CheckUnsigned)
}

// assumes reports whether the code may assume, and check, that the upper bits of an argument
// are equal in all lanes. GCN3 code extends indices to 64 bits in halves, and mostly the
// lanes are close together.
func (t *transfer) assumes(a Shape) bool {
	step := signed(a.Stride, t.arg)
	const near = 1 << 16
	return t.s.fn.Geom.NoWrap && t.s.fn.IR.Exec != 0 && !t.in.Scalar && a.Kind == Affine && a.Tile == 0 && !a.Known && step != 0 && step < near && step > -near
}

// note records the check of the instruction.
func (t *transfer) note(c Check) {
	if t.s.checks == nil {
		t.s.checks = map[int]Check{}
	}
	t.s.checks[t.i] = c
}

// low returns n: the lanes of an affine value differ from the base only in the low n bits, which
// are 0 in the base.
func (t *transfer) low(a Shape) (uint, bool) {
	step := signed(a.Stride, t.arg)
	if a.Kind != Affine || a.Tile > 0 || step < 0 || step > 1<<40 {
		return 0, false
	}
	n := uint(bits.Len64(uint64(step) * (t.lanes - 1)))
	return n, n <= uint(bits.Len64(t.arg)) && uint(a.Zeros) >= n
}

// cut returns n if the low bits of an affine value's base are 0 and its lanes hold their lane
// numbers in the bits from n on. Masks and shifts then cut the wave into tile rows.
func (t *transfer) cut(a Shape) (n uint, ok bool) {
	n = uint(bits.TrailingZeros64(a.Stride))
	k, ok := t.low(a)
	return n, ok && a.Stride == 1<<n && k == n+uint(bits.Len64(t.lanes-1))
}

// shr returns the shape of a >> n, unsigned.
func (t *transfer) shr(a Shape, n uint) Shape {
	d := Shape{Kind: Affine, Max: a.Max >> n}
	if a.Zeros > uint8(n) {
		d.Zeros = a.Zeros - uint8(n)
	}
	d.Known, d.Base = a.Known, a.Base>>n
	if a.Uniform() {
		return d
	}
	// The shift removes all bits in which lanes differ.
	if k, ok := t.low(a); ok && k <= n {
		return d
	}
	// The rest is the number of the tile row: every 1<<(n-s) lanes the value grows by 1.
	if s, ok := t.cut(a); ok && n > s && uint(a.Zeros) >= n {
		return d.with(Steps{Step: 1, Tile: uint8(n - s)}, t.size)
	}
	step := signed(a.Stride, t.arg)
	if a.Kind == Affine && a.Tile == 0 && step > 0 && a.Max <= t.arg-uint64(step) && bits.TrailingZeros64(uint64(step)) >= int(n) && uint(a.laneZeros()) >= n {
		d.Stride = uint64(step) >> n
		return d
	}
	return t.varying(a.Max >> n)
}

// and returns the shape of a & m.
func (t *transfer) and(a Shape, m uint64) Shape {
	d := Shape{Kind: Affine, Max: min(a.Max, m), Zeros: max(a.Zeros, uint8(bits.TrailingZeros64(m)))}
	d.Known, d.Base = a.Known, a.Base&m
	if a.Uniform() {
		return d
	}
	if k, ok := t.low(a); ok {
		lowBits := uint64(1)<<k - 1
		switch m & lowBits {
		case 0:
			return d
		case lowBits:
			d.Stride = a.Stride
			if m == lowBits { // these bits of the base are 0
				d.Known, d.Base = true, 0
			}
			return t.affine(d, a.Steps())
		}
		if s, ok := t.cut(a); ok {
			if m&^lowBits == 0 {
				d.Known, d.Base = true, 0
			}
			lanes := t.lanes - 1
			switch in := m >> s & lanes; {
			case in == 0:
				return d
			case in == lanes:
				return t.affine(d, a.Steps())
			case in&(in+1) == 0: // the position in the tile row
				return t.affine(d, Steps{Stride: 1 << s, Tile: uint8(bits.Len64(in))})
			case (in^lanes)&((in^lanes)+1) == 0: // the number of the tile row
				row := uint8(bits.Len64(in ^ lanes))
				return t.affine(d, Steps{Step: 1 << (uint8(s) + row), Tile: row})
			}
		}
	}
	if m == t.size {
		return a
	}
	return t.bits(min(a.Max, m), max(a.laneZeros(), uint8(bits.TrailingZeros64(m))))
}

// bits returns a varying shape with a bound and zeros.
func (t *transfer) bits(limit uint64, zeros uint8) Shape {
	return Shape{Kind: Varying, Max: limit, Zeros: zeros}
}

// or returns the shape of a | b and of a ^ b: that of a + b if they have no bits in common.
func (t *transfer) or(a, b Shape) Shape {
	if bits.Len64(b.Max) > bits.Len64(a.Max) {
		a, b = b, a
	}
	// All bits of b are below the lowest bit of a: no bit is set in both.
	if bits.Len64(b.Max) <= int(a.laneZeros()) {
		return t.add(a, b)
	}
	// The result has no higher bit than its arguments.
	limit := uint64(1)<<bits.Len64(a.Max|b.Max) - 1
	d := t.bits(limit, min(a.laneZeros(), b.laneZeros()))
	if a.Uniform() && b.Uniform() {
		d.Kind = Affine
	}
	return d
}

// pick returns the shape of p ? a : b.
func (t *transfer) pick(p, a, b Shape) Shape {
	// A constant predicate selects one side.
	if p.IsConst() {
		if p.Base != 0 {
			return a
		}
		return b
	}
	// If lanes choose alike, the result has the claims that both sides share.
	d := meet(a, b)
	// Equal constants need no equal choice.
	if p.Uniform() || d.Known {
		return d
	}
	// Lanes of both may be mixed, so equal steps from different bases give no steps.
	return Shape{Kind: Varying, Max: max(a.Max, b.Max), Zeros: min(a.laneZeros(), b.laneZeros())}
}
