// Package shape finds out which webs hold the same in all lanes, or equal steps from lane
// to lane, for the geometry of a launch: whoever selects instructions can keep those in
// one scalar register, and access memory at such addresses without gathering.
//
// What is claimed of a web is true of its storage: every write writes all lanes, of equal
// or evenly spaced values. Lanes that do not run, wait elsewhere, or do not exist get
// values too, which nobody sees. A write that must spare lanes (mask.NeedMask), or that is
// under a guard that differs between lanes, breaks that, and its web is varying.
//
// The analysis is optimistic: at first all webs are uniform and no branch parts lanes.
// What it finds to be otherwise makes branches divergent; these make writes need masks
// (package mask); these make webs varying, until nothing changes.
package shape

import (
	"fmt"
	"math/bits"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/webs"
)

// Kind is what is known of the lanes of a web.
type Kind uint8

// The kinds, each with less known than the one before it.
const (
	Unseen  Kind = iota // nothing writes it: it may be taken for anything
	Affine              // lane i holds base + i*Stride modulo the type's size; Stride 0: uniform
	Varying             // anything
)

// Shape is what is known of a web.
type Shape struct {
	Kind   Kind
	Known  bool   // of Affine: the base is Base
	Zeros  uint8  // so many low bits are 0: of Affine in the base, of Varying in every lane
	Tile   uint8  // lanes are in rows of 1<<Row; 0: no rows. Of Varying, which begin anywhere
	Stride uint64 // of Affine, modulo the type's size, within rows; of Varying within rows
	Step   uint64 // of Affine, from row to row
	Base   uint64
	Max    uint64 // no lane that anybody sees holds more, unsigned
}

// Uniform reports whether all lanes hold the same.
func (s Shape) Uniform() bool { return s.Kind != Varying && s.Stride == 0 && s.Tile == 0 }

// IsConst reports whether all lanes hold Base.
func (s Shape) IsConst() bool { return s.Known && s.Kind == Affine && s.Stride == 0 && s.Tile == 0 }

// inSteps reports whether it is known how lanes differ, at least within rows.
func (s Shape) inSteps() bool { return s.Kind == Affine || s.Tile > 0 }

// String returns "uniform", "affine+4", "varying", and what else is known.
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

// step is a step as it is printed: of 32 bits, it may be negative.
func step(x uint64) int64 {
	if x>>31 == 1 {
		return int64(int32(x))
	}
	return int64(x)
}

// Check is what an operation relies on that only the running code can find out.
type Check uint8

// The checks: that base + i*Stride of the argument, in its type, does not wrap around
// between the first and the last lane.
const (
	NoCheck Check = iota
	CheckUnsigned
	CheckSigned
	// CheckCarry: that neither the affine argument wraps around so, nor the sum of the two,
	// so that all lanes have the same carry. It is of AddC32.
	CheckCarry
	// CheckSign: that the argument has the same sign in all lanes, and CheckHigh that it has
	// the same upper half, from the first lane to the last.
	CheckSign
	CheckHigh
	// CheckRows: that in no row of the argument lanes wrap around, which are in steps there.
	CheckRows
)

// Shapes are the results for a function.
type Shapes struct {
	Masks *mask.Masks

	fn        *webs.Func
	webs      []Shape
	pair      []bool // by web: a mask of lanes that is accessed as a scalar of 64 bits too, and described as one
	raised    []uint8
	checks    map[int]Check
	cells     map[int]cell      // by load from private memory: where its value comes from
	polled    map[webs.Web]bool // written by loads that wait for what others store, which Go does lane by lane: see Polls
	start     []int32           // users of web w: users[start[w]:start[w+1]]
	users     []int32
	queued    []uint64      // by instruction: bits of those to look at again
	again     bool          // there are some before the one that is looked at
	now       int           // that one
	late      []int32       // instructions whose results depend on who else runs
	owner     []int32       // by instruction: its block; only of those in late
	carry     map[int]carry // by operation that adds a carry, or makes one
	definedBy [][4]int32    // by instruction: 1 + the one that defines an argument, if it is close
	close     map[int]*close
	eval      map[ir.Op]func([4]uint64) uint64
}

// Analyze finds the shapes of all webs of a function, and the masks that go with them.
func Analyze(fn *webs.Func) *Shapes {
	s := &Shapes{fn: fn, Masks: mask.New(fn), webs: make([]Shape, len(fn.Webs)), raised: make([]uint8, len(fn.Webs)), queued: make([]uint64, (len(fn.Ops)+63)/64)}
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

// maxRounds is how often more branches may turn out to be divergent until all are taken
// for that.
const maxRounds = 30

// uniform is what package mask asks of guards: those that no lane sets are uniform too.
func (s *Shapes) uniform(w webs.Web) bool { return s.view(w, true).Uniform() }

// findPairs finds the masks that are scalars too.
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

// view returns the shape of a web that is read as a mask of lanes, or as what it is.
func (s *Shapes) view(w webs.Web, isMask bool) Shape {
	sh := s.webs[w]
	if !isMask || s.pair == nil || !s.pair[w] || sh.Kind == Unseen {
		return sh
	}
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

// FromMemory reports whether it is known of what lanes load from private memory that it is in
// equal steps, because that was stored there in a block before. Where a lane by itself tells
// what it has, as it does of constants, nothing is relied on.
func (s *Shapes) FromMemory() bool {
	for i, c := range s.cells {
		if w := s.webs[s.fn.Ops[i].Dst]; w.inSteps() && !w.Known && s.block(i) != c.block {
			return true
		}
	}
	return false
}

// Polls reports whether it is known of what lanes load from one address that it is the same for
// all, though the load is one of those that wait for what others store: the interpreter does
// these lane by lane.
func (s *Shapes) Polls() bool {
	for i := range s.fn.IR.Code {
		in := &s.fn.IR.Code[i]
		if in.Op == ir.Load && in.Flags&ir.Volatile != 0 && !in.Scalar && s.webs[s.fn.Ops[i].Dst].inSteps() {
			return true
		}
	}
	return false
}

// Web returns the shape of a web. A mask of 64 lanes that is a scalar of 64 bits too is
// described as the latter: see Arg.
func (s *Shapes) Web(w webs.Web) Shape { return s.webs[w] }

// Const returns what all lanes of a web hold, if that is known.
func (s *Shapes) Const(w webs.Web) (uint64, bool) {
	x := &s.webs[w]
	return x.Base, x.IsConst()
}

// Arg returns the shape of argument k of instruction i, as the instruction sees it.
func (s *Shapes) Arg(i, k int) Shape {
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

// arg is Arg without a copy, unless it has to be made: in own.
func (s *Shapes) arg(i, k int, own *Shape) *Shape {
	w := s.fn.Ops[i].Args[k]
	if s.carry != nil || s.definedBy != nil && s.definedBy[i][k] > 0 || s.pair != nil && s.pair[w] {
		*own = s.Arg(i, k)
		return own
	}
	return &s.webs[w]
}

// Result returns the shape of the web that instruction i writes, as the instruction sees
// it: a mask of lanes is one, whatever else the web is.
func (s *Shapes) Result(i int) Shape {
	if w := s.fn.Ops[i].Dst; w != 0 {
		return s.view(w, s.isMask(s.fn.IR.Code[i].Dst))
	}
	return Shape{}
}

// Guard returns the shape of the guard of instruction i: constant 1 without one. Whether
// it is negated does not show.
func (s *Shapes) Guard(i int) Shape {
	if w := s.fn.Ops[i].Guard; w != 0 {
		return s.view(w, true)
	}
	return constant(1)
}

// Check returns what the shape of the result of instruction i relies on. It is a claim
// about the argument that is extended: Args[0], or Args[1] if that is affine and Args[0]
// is uniform.
func (s *Shapes) Check(i int) Check {
	c := s.checks[i]
	if c == CheckRows {
		return c
	}
	// What is added may take the steps away again: the result is uniform then, and relies on
	// them all the same.
	if w := s.webs[s.fn.Ops[i].Dst]; !w.inSteps() {
		return NoCheck // the web is varying for another reason
	}
	return c
}

// Relies reports whether the shape of some web is only what the code checks when it runs.
func (s *Shapes) Relies() bool {
	for i := range s.checks {
		if s.Check(i) != NoCheck {
			return true
		}
	}
	return false
}

// Describe returns what is known of the results of an instruction as text; of the start
// of block b for -1-b. It is for webs.Func.Print.
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

func (s *Shapes) eachUse(do func(w webs.Web, i int)) {
	for i := range s.fn.Ops {
		o := &s.fn.Ops[i]
		if o.Dst == 0 && o.Dst2 == 0 {
			continue // only results matter
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

// push makes an instruction be looked at again.
func (s *Shapes) push(i int) {
	s.queued[i>>6] |= 1 << (uint(i) & 63)
	s.again = s.again || i <= s.now
}

// drain looks at all instructions that are queued, in the order of the code: what comes
// later is looked at when most of what it depends on is known.
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

// visit finds the shapes of the results of an instruction and adds them to those of their
// webs.
func (s *Shapes) visit(i int) {
	in, o := &s.fn.IR.Code[i], &s.fn.Ops[i]
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
	spoil := func(sh Shape, merge bool) Shape {
		if !sh.inSteps() || !masked && !merge {
			return sh
		}
		if g := s.Guard(i); !masked && (g.Kind == Unseen || g.Uniform()) && in.Op != ir.WriteLane && in.Op != ir.DSPermute && in.Op != ir.ElectSync {
			if g.Kind == Unseen || g.IsConst() && (g.Base != 0) == in.GuardNot {
				return Shape{} // not written at all
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

// vary is the shape of lanes of which some have been written and others not.
func (s Shape) vary() Shape {
	return Shape{Kind: Varying, Max: s.Max, Zeros: s.laneZeros()}
}

// laneZeros is how many low bits are 0 in every lane.
func (s Shape) laneZeros() uint8 {
	if s.Kind == Affine {
		return min(s.Zeros, uint8(bits.TrailingZeros64(s.Stride|s.Step)))
	}
	return s.Zeros
}

// add joins what a definition writes, as the value r, with what is known of the web.
func (s *Shapes) add(w webs.Web, r ir.Ref, d Shape) {
	if d.Kind == Unseen || w == 0 {
		return
	}
	v := &s.fn.IR.Values[r]
	size := typeMask(v.Type)
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
	if s.fn.Has(w, webs.Aliased) {
		return
	}
	now := meet(old, d)
	if now.Kind == Varying && s.polled[w] { // lanes of a row may have seen different values
		now.Tile, now.Stride = 0, 0
	}
	if now == old {
		return
	}
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

// meet is what is known of something that is one or the other.
func meet(a, b Shape) Shape {
	switch {
	case a.Kind == Unseen:
		return b
	case b.Kind == Unseen:
		return a
	case a.Kind == Affine && b.Kind == Affine && a.Steps() == b.Steps():
		if a.Known && b.Known && a.Base == b.Base {
			return a
		}
		return Shape{Kind: Affine, Stride: a.Stride, Step: a.Step, Tile: a.Tile, Max: max(a.Max, b.Max), Zeros: min(a.Zeros, b.Zeros)}
	}
	d := Shape{Kind: Varying, Max: max(a.Max, b.Max), Zeros: min(a.laneZeros(), b.laneZeros())}
	if row := common(a, b); row != 0 && row != anyTile && a.Stride == b.Stride {
		d.Tile, d.Stride = row, a.Stride
	}
	return d
}

func constant(x uint64) Shape {
	return Shape{Kind: Affine, Known: true, Base: x, Max: x, Zeros: uint8(bits.TrailingZeros64(x))}
}

// typeMask are the bits of a type.
func typeMask(t ir.Type) uint64 {
	switch t {
	case ir.B1:
		return 1
	case ir.B64:
		return ^uint64(0)
	}
	return 1<<(8*t.Bytes()) - 1
}
