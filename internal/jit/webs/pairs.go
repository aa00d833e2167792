package webs

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// maxFusions bounds the iterations of decide. If they do not suffice, no pair is fused.
const maxFusions = 16

// decide keeps the pairs whose halves are always defined and used together.
//
// Input: joints, and pairs that may be fused.
// Output: regPair.off, and joint.args.
// Invariant: a pair that is not off has all its definitions and uses in joints.
// Example: v0:v1 is summed in a loop, and v0 alone is compared after it. The comparison is a
// use outside of joints, so the pair is off. A sum that takes v0:v1 as an argument then has
// to pack its halves, so the next iteration counts again.
func (w *pairFuser) decide() {
	fn := w.fn
	// One half must never be live without the other across blocks.
	for b := range fn.IR.Blocks {
		for _, list := range [2][]Web{fn.LiveIn[b], fn.LiveOut[b]} {
			for _, x := range list {
				if c := w.pairOf(x); c != nil {
					c.off = c.off || !slices.Contains(list, c.lo) || !slices.Contains(list, c.hi)
				}
			}
		}
	}
	// Observers read the high half alone; these uses must not count against the pair.
	w.observers()
	w.intervals()
	w.gone = w.m.bools.take(len(fn.Ops))
	// A pair that is switched off changes the counts of other pairs, so counting is repeated
	// until no pair is switched off any more.
	for n, changed := 0, true; changed; n++ {
		changed = false
		// The places at which the code does not deoptimise depend on the pairs that are
		// fused, so they are found again in each iteration.
		clear(w.gone)
		for k := range w.pairs {
			c := &w.pairs[k]
			// Only definitions and uses in joints are counted; the rest of a web's total
			// would be outside.
			c.defs, c.uses = [2]int32{}, [2]int32{0, c.observed}
		}
		for k := range w.joints {
			w.count(&w.joints[k])
		}
		for k := range w.joints {
			// An exit between the two sums must be able to repeat the low one.
			if j := &w.joints[k]; j.repeats && !w.pairs[j.pair].off && !w.repeatable(j) {
				w.pairs[j.pair].off, changed = true, true
			}
		}
		for k := range w.pairs {
			c := &w.pairs[k]
			lo, hi := &fn.Webs[c.lo], &fn.Webs[c.hi]
			// Each definition and each use of both halves must belong to a joint.
			if !c.off && (n == maxFusions || c.defs != [2]int32{lo.Defs, hi.Defs} || c.uses != [2]int32{lo.Uses, hi.Uses}) {
				c.off, changed = true, true
			}
		}
	}
}

// pairOf returns the pair of a web; nil if it has none.
func (w *pairFuser) pairOf(x Web) *regPair {
	if c := w.of[x]; c > 0 {
		return &w.pairs[c-1]
	}
	return nil
}

// paired returns the pair of two halves if they are to be fused; nil if not.
func (w *pairFuser) paired(half [2]Web) *regPair {
	if c := w.pairOf(half[0]); c != nil && !c.off && c.lo == half[0] && c.hi == half[1] {
		return c
	}
	return nil
}

// count adds the definitions and uses of a joint to the counts of its pairs.
func (w *pairFuser) count(j *joint) {
	used := func(half [2]Web, lo, hi int32) {
		if c := w.paired(half); c != nil {
			c.uses[0] += lo
			c.uses[1] += hi
		}
	}
	switch {
	case j.kind == packed:
		used(j.args[0], 1, 1)
		if w.paired(j.args[0]) != nil {
			w.settle(j)
		}
		return
	case w.pairs[j.pair].off || j.kind == summed && !w.arrange(j):
		return
	case j.kind == summed:
		for _, half := range j.args {
			used(half, 2, int32(1+j.carries))
		}
	}
	w.settle(j)
	d := &w.pairs[j.pair]
	d.defs[0]++
	d.defs[1]++
}

// arrange matches the halves of a sum's arguments, and reports whether both arguments can be
// 64-bit numbers. An argument may be a fused web, a constant, or two webs that are packed
// where the sum begins.
func (w *pairFuser) arrange(j *joint) bool {
	lo, hi := w.fn.Ops[j.lo].Args, w.fn.Ops[j.hi].Args
	j.args = [2][2]Web{{lo[0], hi[0]}, {lo[1], hi[1]}}
	// A commutative sum may list its arguments crosswise: low half of one with high half of
	// the other.
	if j.how.swap && w.paired(j.args[0]) == nil && w.paired(j.args[1]) == nil && (w.fn.Has(hi[0], Const) != w.fn.Has(lo[0], Const) || w.paired([2]Web{lo[0], hi[1]}) != nil || w.paired([2]Web{lo[1], hi[0]}) != nil) {
		j.args = [2][2]Web{{lo[0], hi[1]}, {lo[1], hi[0]}}
	}
	d := &w.pairs[j.pair]
	j.packs = 0
	for _, half := range j.args {
		// These are 64-bit numbers already.
		if w.paired(half) != nil || w.constant(half) {
			continue
		}
		j.packs++
		for _, x := range half {
			if w.fn.Has(x, Aliased) || x == d.lo || x == d.hi || !w.keeps(x, j.from-1, j.hi) {
				return false
			}
		}
	}
	return true
}

// constant reports whether both halves are constants.
func (w *pairFuser) constant(half [2]Web) bool {
	return w.fn.Has(half[0], Const) && w.fn.Has(half[1], Const)
}

// observers counts the uses of pairs by observers. An observer reads the high half of an
// address, which is right at all times.
func (w *pairFuser) observers() {
	for i := range w.fn.IR.Code {
		if o := &w.fn.Ops[i]; w.fn.IR.Code[i].Op == ir.Observe && o.Ext > 0 {
			for _, x := range w.fn.Ext[o.Ext-1].Uses {
				if c := w.pairOf(x); c != nil && c.hi == x {
					c.observed++
				}
			}
		}
	}
}

// intervals switches off the pairs of which one half is written and the other is not yet
// written when a joint reads both, or when an operation outside the joint reads or writes
// either.
func (w *pairFuser) intervals() {
	for k := range w.joints {
		j := &w.joints[k]
		for _, ops := range [2]*Operands{&w.fn.Ops[j.lo], &w.fn.Ops[j.hi]} {
			for _, x := range ops.Args {
				if c := w.pairOf(x); c != nil && !w.together(c, k) {
					c.off = true
				}
			}
		}
		if j.kind == packed {
			continue
		}
		c := &w.pairs[j.pair]
		for i := j.lo + 1; i < j.hi; i++ {
			if o := &w.fn.Ops[i]; !slices.Contains(j.drop, i) && (slices.Contains(o.Args[:], c.lo) || slices.Contains(o.Args[:], c.hi) || w.fn.writes(i, c.lo) || w.fn.writes(i, c.hi)) {
				c.off = true
			}
		}
	}
}

// together reports whether the halves of a pair belong together from the first operation of
// joint k to its last, apart from joint k's own writes.
func (w *pairFuser) together(c *regPair, k int) bool {
	j := &w.joints[k]
	for i := j.from; i <= j.hi; i++ {
		if own := j.kind != packed && (i == j.lo || i == j.hi); !own && (w.fn.writes(i, c.lo) || w.fn.writes(i, c.hi)) {
			return false
		}
	}
	// open reports whether joint m writes the pair while joint k is under way.
	open := func(m int) bool {
		x := &w.joints[m]
		return x.kind != packed && &w.pairs[x.pair] == c && x.lo < j.hi && x.hi > j.from
	}
	for m := k - 1; m >= 0 && w.joints[m].hi > j.from-2*maxApart; m-- {
		if open(m) {
			return false
		}
	}
	for m := k + 1; m < len(w.joints) && w.joints[m].lo-2*maxApart < j.hi; m++ {
		if open(m) {
			return false
		}
	}
	return true
}

// rewrite replaces the halves of every fused pair by one web, in a copy of the function.
func (w *pairFuser) rewrite() {
	fn := w.fn
	// The function is copied, because the interpreter runs the original.
	f := *fn.IR
	code, values := w.m.code.take(len(f.Code)), w.m.vals.take(len(f.Values)+len(w.pairs)+2*len(w.joints))
	f.Code, f.Values = code[:copy(code, f.Code)], values[:copy(values, f.Values)]
	fn.IR = &f
	fn.Halves = map[Web]Halves{}
	for k := range w.pairs {
		c := &w.pairs[k]
		if c.off {
			continue
		}
		lo, hi := &fn.Webs[c.lo], &fn.Webs[c.hi]
		// The new web has the name of both registers, and the frame offset of the low one.
		c.web = w.web(ir.Value{Name: f.Values[lo.Ref].Name + ":" + f.Values[hi.Ref].Name, Type: ir.B64, Off: f.Values[lo.Ref].Off}, WebInfo{Flags: (lo.Flags | hi.Flags) & Global, Version: lo.Version})
		fn.Halves[c.web] = Halves{Low: lo.Ref, High: hi.Ref}
	}
	for k := range w.joints {
		j := &w.joints[k]
		switch {
		case j.kind == packed:
			w.unpack(j)
		case w.pairs[j.pair].off:
		case j.kind == summed:
			w.add(j)
		default:
			w.split(j)
		}
	}
	for i := range fn.Ext {
		for k, x := range fn.Ext[i].Uses {
			if c := w.pairOf(x); c != nil && c.web != 0 {
				fn.Ext[i].Uses[k] = c.web
			}
		}
	}
	for b := range f.Blocks {
		fn.LiveIn[b], fn.LiveOut[b] = w.lives(fn.LiveIn[b]), w.lives(fn.LiveOut[b])
	}
	fn.recount()
}

// web creates a web with a value of its own.
func (w *pairFuser) web(v ir.Value, info WebInfo) Web {
	fn := w.fn
	info.Ref = ir.Ref(len(fn.IR.Values))
	fn.IR.Values = append(fn.IR.Values, v)
	fn.Webs = append(fn.Webs, info)
	return Web(len(fn.Webs) - 1)
}

// set replaces operation i. If exec is set, the new operation keeps the guard.
func (w *pairFuser) set(i int, op ir.Op, exec bool, dst Web, args ...Web) {
	fn := w.fn
	in, o := &fn.IR.Code[i], &fn.Ops[i]
	x, y := ir.Inst{Op: op, First: in.First, Pos: in.Pos}, Operands{Dst: dst}
	if exec {
		x.Guard, y.Guard = in.Guard, o.Guard
	}
	if dst != 0 {
		x.Dst = fn.Webs[dst].Ref
	}
	for k, a := range args {
		x.Args[k], y.Args[k] = fn.Webs[a].Ref, a
	}
	*in, *o = x, y
}

// unpack replaces the uses of a Pack64's result by the fused web. If a use is too far away,
// or a half is written before it, the Pack64 becomes a move.
func (w *pairFuser) unpack(j *joint) {
	fn := w.fn
	c := w.paired(j.args[0])
	if c == nil {
		return
	}
	i := j.hi
	t := fn.Ops[i].Dst
	// The uses must be in the same guest instruction, before either half changes.
	left := fn.Webs[t].Uses
	k := i + 1
	for ; k < len(fn.Ops) && left > 0 && fn.IR.Code[k].Pos == fn.IR.Code[i].Pos && !relies(&fn.IR.Code[k]); k++ {
		for _, a := range fn.Ops[k].Args {
			if a == t {
				left--
			}
		}
		if fn.writes(k, c.lo) || fn.writes(k, c.hi) || fn.writes(k, c.web) {
			k++
			break
		}
	}
	if left > 0 || fn.Webs[t].Defs > 1 || fn.Webs[t].Flags&Global != 0 {
		w.set(i, ir.Mov64, false, t, c.web)
		return
	}
	for m := i + 1; m < k; m++ {
		for a, x := range fn.Ops[m].Args {
			if x == t { // the call-out of an operation puts the operand where the interpreter reads it
				fn.Ops[m].Args[a] = c.web
			}
		}
	}
	w.set(i, ir.Nop, false, 0)
}

// add replaces the four operations of a sum of halves by one 64-bit sum, at the place of the
// high sum. The places of the carry and of the low sum hold the Pack64 of arguments that are
// not fused.
func (w *pairFuser) add(j *joint) {
	fn := w.fn
	w.arrange(j)
	var args [2]Web
	for k, half := range j.args {
		switch c := w.paired(half); {
		case c != nil:
			args[k] = c.web
		case w.constant(half):
			v := ir.Value{Type: ir.B64, Kind: ir.Const, Const: uint64(uint32(fn.Webs[half[0]].Const)) | fn.Webs[half[1]].Const<<32}
			args[k] = w.web(v, WebInfo{Flags: Const, Const: v.Const})
		default:
			args[k] = w.web(ir.Value{Type: ir.B64, Kind: ir.Temp}, WebInfo{Flags: Temporary})
		}
	}
	// Rules expect a constant as the second argument.
	if j.how.swap && fn.Has(args[0], Const) {
		args[0], args[1], j.args[0], j.args[1] = args[1], args[0], j.args[1], j.args[0]
	}
	// The operations of the old sum become Nop, and the Pack64s take two of their places.
	halves := j.args
	guard := fn.Ops[j.lo].Guard
	for _, i := range j.drop {
		w.set(i, ir.Nop, false, 0)
	}
	w.set(j.hi, j.how.wide, true, w.pairs[j.pair].web, args[:]...)
	at := j.from
	for k, half := range halves {
		if fn.Webs[args[k]].Flags&Temporary != 0 {
			w.set(at, ir.Pack64, false, args[k], half[:]...)
			at = j.lo
		}
	}
	if j.packs > 1 { // the second Pack64 may deoptimise, too
		fn.Repeats = append(fn.Repeats, Repeat{j.drop[:1], j.lo})
	}
	if j.repeats {
		fn.Repeats = append(fn.Repeats, Repeat{j.drop[:3], j.hi})
	}
	if j.packs > 1 || j.repeats { // the operands of the repeated operations must be live up to the end
		e := Ext{Uses: []Web{guard}, UseRefs: []ir.Ref{fn.Webs[guard].Ref}}
		for k, half := range halves {
			for _, x := range half {
				if fn.Webs[args[k]].Flags&Temporary != 0 && fn.tracked(x) {
					e.Uses, e.UseRefs = append(e.Uses, x), append(e.UseRefs, fn.Webs[x].Ref)
				}
			}
		}
		fn.Ext = append(fn.Ext, e)
		fn.Ops[j.hi].Ext = int32(len(fn.Ext))
	}
}

// split lets the operation that makes a 64-bit number write the fused web, or moves the number there.
func (w *pairFuser) split(j *joint) {
	fn := w.fn
	d := w.pairs[j.pair].web
	// The number comes from elsewhere, so it is moved into the web.
	if j.def < 0 {
		w.set(j.hi, ir.Mov64, true, d, fn.Ops[j.hi].Args[0])
	} else {
		fn.IR.Code[j.def].Dst, fn.Ops[j.def].Dst = fn.Webs[d].Ref, d
	}
	for _, i := range j.drop {
		w.set(i, ir.Nop, false, 0)
	}
}

// lives replaces halves by their fused webs in a list of live webs.
func (w *pairFuser) lives(list []Web) []Web {
	some := func(x Web) bool {
		c := w.pairOf(x)
		return c != nil && c.web != 0
	}
	// The lists of most blocks have no halves and are shared unchanged.
	if !slices.ContainsFunc(list, some) {
		return list
	}
	var l []Web
	for _, x := range list {
		switch {
		case !some(x):
			l = append(l, x)
		case w.pairOf(x).lo == x:
			l = append(l, w.pairOf(x).web)
		}
	}
	slices.Sort(l)
	return l
}

// recount counts again how often webs are written and read.
func (fn *Func) recount() {
	for x := range fn.Webs {
		fn.Webs[x].Defs, fn.Webs[x].Uses = 0, 0
	}
	for i := range fn.Ops {
		o := &fn.Ops[i]
		for _, a := range o.Args {
			fn.Webs[a].Uses++
		}
		fn.Webs[o.Guard].Uses++
		for k, d := range [2]Web{o.Dst, o.Dst2} {
			fn.Webs[d].Defs++
			if [2]bool{o.Merge, o.Merge2}[k] {
				fn.Webs[d].Uses++
			}
		}
		if o.Ext > 0 {
			for _, x := range fn.Ext[o.Ext-1].Uses {
				fn.Webs[x].Uses++
			}
			for _, x := range fn.Ext[o.Ext-1].Defs {
				fn.Webs[x].Defs++
			}
		}
	}
	for _, x := range fn.Exec {
		fn.Webs[x].Uses++
	}
	fn.Webs[0] = WebInfo{}
}
