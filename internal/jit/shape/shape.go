// Package shape computes which webs are equal in all lanes, or increase by equal steps from
// lane to lane. Instruction selection keeps this web in one scalar register, and accesses
// memory at this address without a gather.
//
// Input: a function in webs, with the geometry of its launches.
// Output: a Shape for each web; the masks of package mask; the run-time checks (Check) on
// which shapes rely.
// Invariant: the shape of a web holds for its storage, in all lanes. Every write writes all
// lanes, with equal or evenly spaced values.
// Example: %r1 = thread.x is affine+1; %r2 = %r1 * 4 is affine+4; %r3 = load [%r2] is
// varying; the load accesses consecutive words.
//
// Lanes that do not run, that wait elsewhere, or that do not exist get values too, which no
// operation reads. A write that must not change some lanes (mask.NeedMask), or that is under
// a guard that differs between lanes, breaks the invariant, so its web is varying.
//
// The analysis is optimistic. At first all webs are uniform and no branch diverges. Each
// assumption that fails makes branches divergent; these make writes need masks (package
// mask); these make webs varying, until nothing changes.
//
// Literature: Coutinho, Sampaio, Pereira and Meira, Divergence analysis and optimizations
// (PACT 2011).
package shape

import (
	"fmt"
	"math/bits"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/webs"
)

// Kind is the class of a shape.
type Kind uint8

// The kinds. Each one claims less than the one before it.
const (
	Unseen  Kind = iota // no write was seen yet: any claim holds
	Affine              // lane i holds base + i*Stride modulo the type's size; Stride 0: uniform
	Varying             // no claim
)

// Shape is the set of claims about a web.
type Shape struct {
	Kind   Kind
	Known  bool   // of Affine: the base is the constant Base
	Zeros  uint8  // number of low bits that are 0: of Affine in the base, of Varying in every lane
	Tile   uint8  // lanes form tile rows of 1<<Tile lanes; 0: no tile rows. A tile row of Varying begins with any value
	Stride uint64 // of Affine, modulo the type's size: the step from lane to lane, inside tile rows; of Varying: inside tile rows
	Step   uint64 // of Affine: the step from tile row to tile row
	Base   uint64
	Max    uint64 // upper bound, unsigned, of the lanes that may be read
}

// Uniform reports whether all lanes are equal.
func (s Shape) Uniform() bool { return s.Kind != Varying && s.Stride == 0 && s.Tile == 0 }

// IsConst reports whether all lanes hold Base.
func (s Shape) IsConst() bool { return s.Known && s.Kind == Affine && s.Stride == 0 && s.Tile == 0 }

// inSteps reports whether the differences between lanes are known, at least inside tile rows.
func (s Shape) inSteps() bool { return s.Kind == Affine || s.Tile > 0 }

// String returns "uniform", "affine+4", "varying" and so on, with further claims.
func (s Shape) String() string {
	var t string
	switch {
	case s.Kind == Unseen:
		return "unseen"
	case s.Kind == Varying:
		t = "varying"
	case s.IsConst():
		return fmt.Sprintf("const %#x", s.Base)
	case s.Uniform():
		t = "uniform"
	default:
		t = fmt.Sprintf("affine%+d", step(s.Stride))
		if s.Tile > 0 {
			t += fmt.Sprintf(" rows of %d%+d", 1<<s.Tile, step(s.Step))
		}
		if s.Known {
			t += fmt.Sprintf(" from %#x", s.Base)
		}
	}
	if s.Kind == Varying && s.Tile > 0 {
		t += fmt.Sprintf(" in rows of %d%+d", 1<<s.Tile, step(s.Stride))
	}
	if s.Max < 1<<32-1 {
		t += fmt.Sprintf(" max=%#x", s.Max)
	}
	if s.Zeros > 0 && !s.Known {
		t += fmt.Sprintf(" zeros=%d", s.Zeros)
	}
	return t
}

// step returns a step for printing: a negative 32-bit step is printed as negative.
func step(x uint64) int64 {
	if x>>31 == 1 {
		return int64(int32(x))
	}
	return int64(x)
}

// Check is an assumption of a shape that only the running code can test.
type Check uint8

// The checks. CheckUnsigned and CheckSigned: base + i*Stride of the argument, as a number of
// its type, does not wrap between the first and the last lane.
const (
	NoCheck Check = iota
	CheckUnsigned
	CheckSigned
	// CheckCarry, of AddC32: neither the affine argument nor the sum wraps, so all lanes have
	// the same carry.
	CheckCarry
	// CheckSign: the argument has the same sign in all lanes. CheckHigh: it has the same
	// upper half.
	CheckSign
	CheckHigh
	// CheckRows: inside each tile row of the argument the lanes do not wrap.
	CheckRows
)

// Shapes holds the results for a function, and the state of the analysis.
type Shapes struct {
	Masks *mask.Masks

	fn        *webs.Func
	webs      []Shape
	pair      []bool // by web: a mask of lanes that is also accessed as a 64-bit scalar; its shape is that of the scalar
	raised    []uint8
	checks    map[int]Check
	cells     map[int]cell      // by load from private memory: the store that gives its value
	polled    map[webs.Web]bool // webs of loads that poll memory; Go executes them lane by lane: see Polls
	start     []int32           // the users of web w are users[start[w]:start[w+1]]
	users     []int32
	queued    []uint64      // the work list: one bit per instruction
	again     bool          // an instruction up to the current one was queued
	now       int           // the current instruction
	late      []int32       // instructions whose results depend on which lanes run with them
	owner     []int32       // by instruction: its block; if below 0: -1 - block, and the instruction is in late
	carry     map[int]carry // by operation that adds or makes a carry
	definedBy [][4]int32    // by instruction: 1 + the instruction that defines an argument, if it is close
	close     map[int]*close
	eval      map[ir.Op]func([4]uint64) uint64
}

// Analyze computes the shapes of all webs of a function, and the masks that belong to them.
func Analyze(fn *webs.Func) *Shapes {
	s := &Shapes{fn: fn, Masks: mask.New(fn), webs: make([]Shape, len(fn.Webs)), raised: make([]uint8, len(fn.Webs)), queued: make([]uint64, (len(fn.Ops)+63)/64)}
	// The preparations record relations between instructions; they are used by Arg and by
	// visit.
	s.findPairs()
	s.findCells()
	s.findCarries()
	s.findNear()
	s.findUsers()
	s.begin()
	for i := range fn.Ops {
		s.queued[i>>6] |= 1 << (uint(i) & 63)
	}
	s.drain()
	uniform, most := s.uniform, fn.Geom.Limit(webs.ShapeRounds, maxRounds, 0)
	// Shapes and masks depend on each other: new divergent branches make more writes masked,
	// and these make more webs varying.
	for round := 0; s.Masks.Update(uniform, s.push); round++ {
		for _, i := range s.late {
			s.push(int(i))
		}
		s.drain()
		if round > most {
			uniform = func(w webs.Web) bool { return fn.Has(w, webs.Const) }
		}
	}
	return s
}

// maxRounds is the number of rounds in which branches may turn out to be divergent. After
// that all branches without a constant condition are divergent.
const maxRounds = 30

// uniform is the oracle of package mask for guards. A guard that no lane sets is uniform,
// too.
func (s *Shapes) uniform(w webs.Web) bool { return s.view(w, true).Uniform() }

// findPairs finds the masks that are also scalars.
func (s *Shapes) findPairs() {
	if s.fn.IR.Exec == 0 {
		return
	}
	s.pair = make([]bool, len(s.fn.Webs))
	for w := range s.fn.Webs {
		if v := s.fn.Value(webs.Web(w)); w > 0 && v.Kind == ir.Guest {
			s.pair[w] = v.Type == ir.B64 && v.Scalar || v.Type == ir.B1 && !v.Scalar
		}
	}
}

// view returns the shape of a web as a mask of lanes, if isMask is set; otherwise its own
// shape.
func (s *Shapes) view(w webs.Web, isMask bool) Shape {
	sh := s.webs[w]
	if !isMask || s.pair == nil || !s.pair[w] || sh.Kind == Unseen {
		return sh
	}
	// The constants 0 and all ones are uniform masks; any other number differs between lanes.
	if sh.IsConst() && sh.Base+1 < 2 {
		return constant(sh.Base & 1)
	}
	return Shape{Kind: Varying, Max: 1}
}

// isMask reports whether a value is a mask of lanes.
func (s *Shapes) isMask(r ir.Ref) bool {
	v := &s.fn.IR.Values[r]
	return v.Type == ir.B1 && !v.Scalar
}

// FromMemory reports whether a shape depends on values in private memory: a load is affine
// because a store in an earlier block wrote affine values. A constant does not count, because
// each lane's own value is then right by itself.
func (s *Shapes) FromMemory() bool {
	for i, c := range s.cells {
		if w := s.webs[s.fn.Ops[i].Dst]; w.inSteps() && !w.Known && s.block(i) != c.block {
			return true
		}
	}
	return false
}

// Polls reports whether a load that polls memory is uniform because all lanes read one
// address. The interpreter executes polling loads lane by lane, so lanes may read different
// values there.
func (s *Shapes) Polls() bool {
	for i := range s.fn.IR.Code {
		in := &s.fn.IR.Code[i]
		if in.Op == ir.Load && in.Flags&ir.Volatile != 0 && !in.Scalar && s.webs[s.fn.Ops[i].Dst].inSteps() {
			return true
		}
	}
	return false
}

// Web returns the shape of a web. A mask of 64 lanes that is also a 64-bit scalar has the
// shape of the scalar: see Arg.
func (s *Shapes) Web(w webs.Web) Shape { return s.webs[w] }

// Const returns the value that all lanes of a web hold, if it is known.
func (s *Shapes) Const(w webs.Web) (uint64, bool) {
	x := &s.webs[w]
	return x.Base, x.IsConst()
}

// Arg returns the shape of argument k of instruction i, in the form in which i reads it.
func (s *Shapes) Arg(i, k int) Shape {
	// The carry replaces the mask that an instruction reads.
	if c := s.Carry(i, k); c != 0 {
		return s.webs[c]
	}
	if s.definedBy != nil {
		if d := s.definedBy[i][k]; d > 0 && !s.close[int(d-1)].relies {
			return s.close[int(d-1)].shape
		}
	}
	return s.view(s.fn.Ops[i].Args[k], s.isMask(s.fn.IR.Code[i].Args[k]))
}

// arg is like Arg, but returns a pointer. If the shape has to be computed, it is stored in
// own.
func (s *Shapes) arg(i, k int, own *Shape) *Shape {
	w := s.fn.Ops[i].Args[k]
	if s.carry != nil || s.definedBy != nil && s.definedBy[i][k] > 0 || s.pair != nil && s.pair[w] {
		*own = s.Arg(i, k)
		return own
	}
	return &s.webs[w]
}

// Result returns the shape of the web that instruction i writes, in the form in which i
// writes it: a mask of lanes has the shape of a mask.
func (s *Shapes) Result(i int) Shape {
	if w := s.fn.Ops[i].Dst; w != 0 {
		return s.view(w, s.isMask(s.fn.IR.Code[i].Dst))
	}
	return Shape{}
}

// Guard returns the shape of the guard of instruction i; constant 1 without a guard. It
// ignores GuardNot.
func (s *Shapes) Guard(i int) Shape {
	if w := s.fn.Ops[i].Guard; w != 0 {
		return s.view(w, true)
	}
	return constant(1)
}

// Check returns the assumption on which the shape of instruction i's result relies. The
// assumption is about the argument that is extended: Args[0]; but Args[1] if that is affine
// and Args[0] is uniform.
func (s *Shapes) Check(i int) Check {
	c := s.checks[i]
	if c == CheckRows {
		return c
	}
	// A later addend may cancel the steps. The result is uniform then, and still relies on
	// them.
	if w := s.webs[s.fn.Ops[i].Dst]; !w.inSteps() {
		return NoCheck // the web is varying for another reason
	}
	return c
}

// Relies reports whether some shape holds only because of a run-time check.
func (s *Shapes) Relies() bool {
	for i := range s.checks {
		if s.Check(i) != NoCheck {
			return true
		}
	}
	return false
}

// Describe returns the shapes of an instruction's results as text; for -1-b, the masks at the
// start of block b. It is the note of webs.Func.Print.
func (s *Shapes) Describe(i int) string {
	if i < 0 {
		return s.Masks.Describe(-1 - i)
	}
	o := &s.fn.Ops[i]
	var t string
	if o.Dst != 0 {
		t = s.webs[o.Dst].String()
	}
	if o.Dst2 != 0 {
		t += " | " + s.webs[o.Dst2].String()
	}
	if s.Masks.NeedMask(i) {
		t += " masked"
	}
	if s.Check(i) != NoCheck {
		t += " checked"
	}
	return t
}

// Print returns the function with its shapes as text.
func (s *Shapes) Print() string { return s.fn.Print(s.Describe) }

// findUsers lists the instructions that read each web.
func (s *Shapes) findUsers() {
	s.start = make([]int32, len(s.fn.Webs)+1)
	s.eachUse(func(w webs.Web, i int) { s.start[w]++ })
	sum := int32(0)
	for w, n := range s.start {
		sum += n
		s.start[w] = sum
	}
	s.users = make([]int32, sum)
	s.eachUse(func(w webs.Web, i int) {
		s.start[w]--
		s.users[s.start[w]] = int32(i)
	})
}

// eachUse calls do for each web on which the result of an instruction depends.
func (s *Shapes) eachUse(do func(w webs.Web, i int)) {
	for i := range s.fn.Ops {
		o := &s.fn.Ops[i]
		if o.Dst == 0 && o.Dst2 == 0 {
			continue // instructions without results have no shapes
		}
		for _, w := range o.Args {
			if w != 0 {
				do(w, i)
			}
		}
		if o.Guard != 0 {
			do(o.Guard, i)
		}
		if c := s.carry[i].web; c != 0 {
			do(c, i)
		}
		if s.cells != nil {
			if w := s.stored(i); w != 0 {
				do(w, i)
			}
		}
	}
}

// push queues an instruction.
func (s *Shapes) push(i int) {
	s.queued[i>>6] |= 1 << (uint(i) & 63)
	s.again = s.again || i <= s.now
}

// drain visits all queued instructions in the order of the code. In this order most arguments
// of an instruction are known before it is visited.
func (s *Shapes) drain() {
	for s.again = true; s.again; {
		s.again = false
		for k := range s.queued {
			for s.queued[k] != 0 {
				bit := bits.TrailingZeros64(s.queued[k])
				s.queued[k] &^= 1 << bit
				s.now = k<<6 + bit
				s.visit(s.now)
			}
		}
		s.now = -1
	}
}

// visit computes the shapes of an instruction's results and joins them to those of their
// webs.
func (s *Shapes) visit(i int) {
	in, o := &s.fn.IR.Code[i], &s.fn.Ops[i]
	// Results that no field names may hold anything.
	if o.Ext != 0 {
		for k, w := range s.fn.Ext[o.Ext-1].Defs {
			s.add(w, s.fn.Ext[o.Ext-1].DefRefs[k], Shape{Kind: Varying, Max: ^uint64(0)})
		}
	}
	if o.Dst == 0 && o.Dst2 == 0 {
		return
	}
	d, d2 := s.results(i, in)
	if in.Op == ir.Load && in.Flags&ir.Volatile != 0 && !in.Scalar {
		if s.polled == nil {
			s.polled = map[webs.Web]bool{}
		}
		s.polled[o.Dst] = true
	}
	masked := s.Masks.NeedMask(i)
	// spoil drops the steps of a result if some lanes keep old values.
	spoil := func(sh Shape, merge bool) Shape {
		if !sh.inSteps() || !masked && !merge {
			return sh
		}
		// A uniform guard writes all lanes or none, so a merge keeps no old lane beside new
		// ones.
		if g := s.Guard(i); !masked && (g.Kind == Unseen || g.Uniform()) && in.Op != ir.WriteLane && in.Op != ir.DSPermute && in.Op != ir.ElectSync {
			if g.Kind == Unseen || g.IsConst() && (g.Base != 0) == in.GuardNot {
				return Shape{} // never written
			}
			return sh
		}
		return sh.vary()
	}
	if o.Dst != 0 {
		d = spoil(d, o.Merge)
		s.add(o.Dst, in.Dst, d)
		s.nearby(i, d)
	}
	if o.Dst2 != 0 {
		s.add(o.Dst2, in.Dst2, spoil(d2, o.Merge2))
	}
}

// vary returns the claims that remain if only some lanes have been written.
func (s Shape) vary() Shape {
	return Shape{Kind: Varying, Max: s.Max, Zeros: s.laneZeros()}
}

// laneZeros returns the number of low bits that are 0 in every lane.
func (s Shape) laneZeros() uint8 {
	if s.Kind == Affine {
		return min(s.Zeros, uint8(bits.TrailingZeros64(s.Stride|s.Step)))
	}
	return s.Zeros
}

// add joins the shape of a definition, written as value r, to the shape of the web.
func (s *Shapes) add(w webs.Web, r ir.Ref, d Shape) {
	if d.Kind == Unseen || w == 0 {
		return
	}
	v := &s.fn.IR.Values[r]
	size := typeMask(v.Type)
	// A mask that is read as a scalar has a shape as a number: 0, all ones, or any uniform
	// number.
	if s.pair != nil && s.pair[w] && v.Type == ir.B1 && !v.Scalar {
		if d.IsConst() {
			d = constant(-(d.Base & 1))
		} else {
			d = Shape{Kind: Affine, Max: ^uint64(0)}
		}
		size = ^uint64(0)
	} else if v.Scalar && d.Kind == Varying {
		d.Kind, d.Known, d.Stride, d.Tile = Affine, false, 0, 0
	}
	// Bring the claims into the normal form, so that equal claims compare equal.
	d = d.with(d.Steps(), size)
	d.Base &= size
	d.Max &= size
	if d.Kind == Varying {
		d.Known = false
		if d.Tile == 0 {
			d.Stride = 0
		}
	}
	if !d.Known {
		d.Base = 0
	} else {
		d.Zeros = uint8(bits.TrailingZeros64(d.Base))
	}
	old := s.webs[w]
	// Webs in memory keep the shape of begin.
	if s.fn.Has(w, webs.Aliased) {
		return
	}
	now := meet(old, d)                     // lanes of a tile row may have read different values
	if now.Kind == Varying && s.polled[w] { // lanes of a row may have seen different values
		now.Tile, now.Stride = 0, 0
	}
	if now == old {
		return
	}
	// Bounds that keep growing, as in a loop, are raised to the type's maximum after a few
	// steps, so that the analysis ends (widening).
	if old.Kind != Unseen && now.Max != old.Max {
		if s.raised[w]++; s.raised[w] > 3 {
			now.Max = size
		}
	}
	s.webs[w] = now
	for _, u := range s.users[s.start[w]:s.start[w+1]] {
		s.push(int(u))
	}
}

// meet returns the claims that hold for both shapes: the meet of the lattice.
func meet(a, b Shape) Shape {
	switch {
	case a.Kind == Unseen:
		return b
	case b.Kind == Unseen:
		return a
	// Equal steps survive; different bases only lose the constant.
	case a.Kind == Affine && b.Kind == Affine && a.Steps() == b.Steps():
		if a.Known && b.Known && a.Base == b.Base {
			return a
		}
		return Shape{Kind: Affine, Stride: a.Stride, Step: a.Step, Tile: a.Tile, Max: max(a.Max, b.Max), Zeros: min(a.Zeros, b.Zeros)}
	}
	// Inside tile rows of the shorter length, equal strides survive.
	d := Shape{Kind: Varying, Max: max(a.Max, b.Max), Zeros: min(a.laneZeros(), b.laneZeros())}
	if row := common(a, b); row != 0 && row != anyTile && a.Stride == b.Stride {
		d.Tile, d.Stride = row, a.Stride
	}
	return d
}

// constant returns the shape of a constant.
func constant(x uint64) Shape {
	return Shape{Kind: Affine, Known: true, Base: x, Max: x, Zeros: uint8(bits.TrailingZeros64(x))}
}

// typeMask returns a mask of the bits of a type.
func typeMask(t ir.Type) uint64 {
	switch t {
	case ir.B1:
		return 1
	case ir.B64:
		return ^uint64(0)
	}
	return 1<<(8*t.Bytes()) - 1
}
