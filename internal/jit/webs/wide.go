package webs

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// GCN3 has no registers of 64 bits for lanes: an address is two registers, which v_add_u32
// and v_addc_u32 move on in halves, with a carry in between (GCN3 ISA 6.2). Where two webs
// always are the halves of one number, this file makes them one web of 64 bits, which
// Add64 moves on: so others see how far its lanes are apart, and nobody sees a carry.
//
// The code stays what it is, operation by operation: one of those that made the halves
// makes the whole, and the others do nothing. Whoever goes on in the middle of a block with
// the operations of the guest finds the halves in their homes again (Func.Halves). Between
// the writes of the two the low one is what it was before: who goes on there has to write it
// first (Func.Undone).

// Halves are the two values of 32 bits that a web of 64 bits stands for: its home is theirs.
type Halves struct{ Low, High ir.Ref }

// Undone are operations of the guest that the code leaves out, as it does them with
// operation Until. Who goes on for good from an operation behind the last of them up to there
// has to do them first.
type Undone struct {
	Ops   []int
	Until int
}

// A carrying is how an operation on 64 bits is done in halves.
type carrying struct {
	carry, low   ir.Op // of the low halves: the carry, and the sum
	carry2, high ir.Op // of the high halves and the carry
	wide         ir.Op
	swap         bool // the arguments may change places
}

var carryings = [...]carrying{
	{carry: ir.AddC32, low: ir.Add32, carry2: ir.AddCC32, high: ir.Addc32, wide: ir.Add64, swap: true},
	{carry: ir.SubB32, low: ir.Sub32, carry2: ir.SubBB32, high: ir.Subb32, wide: ir.Sub64},
}

// split are operations on 64 bits that may write a web of halves themselves.
func split(op ir.Op) bool {
	switch op {
	case ir.Shl64, ir.ShlWrap64, ir.Add64, ir.Sub64, ir.And64, ir.Or64, ir.MulWideU32, ir.MulWideS32, ir.MadWideU32, ir.MadWideS32:
		return true
	}
	return false
}

// relies reports whether the shape of what an operation makes may rely on something that
// the code finds out in front of it, and leaves if it does not hold: those that change the
// size of lanes, and signs.
func relies(in *ir.Inst) bool {
	if in.Scalar || !in.Op.Pure() {
		return false
	}
	info := &ir.Ops[in.Op]
	return in.Op == ir.ShrS32 || in.Op == ir.ShrSWrap32 || len(info.Args) > 0 && info.Args[0] != info.Res
}

// A couple is two webs that may be the halves of one.
type regPair struct {
	lo, hi     Web
	off        bool     // it is not
	defs, uses [2]int32 // of the halves, that are known
	observed   int32    // uses of the high half by observers
	web        Web
}

// A joint is a place where the halves of a couple are written or read together.
type joint struct {
	pair     int
	kind     jointKind
	how      *carrying
	from, to int   // the first and the last operation of it
	lo, hi   int   // the operations that write the halves, or pack
	drop     []int // operations that do nothing any more
	def      int   // halved: who makes the whole; -1: it is to be moved
	args     [2][2]Web
	packs    int  // how many of args are to be put together
	late     bool // code may leave between the low halves and the high ones
	carries  int  // how often the carry of the sum is made
}

type jointKind uint8

const (
	summed jointKind = iota // the halves are a sum
	halved                  // they are taken from a whole
	packed                  // they are put together
)

// widener finds the couples.
type pairFuser struct {
	fn     *Func
	m      *Scratch
	pairs  []regPair
	of     []int32 // by web: its couple, plus 1
	joints []joint
	blocks []int  // by joint
	gone   []bool // by operation: the code does not leave there
}

// widen makes webs of 64 bits of what always is two halves.
func (fn *Func) fusePairs(m *Scratch) {
	if fn.IR.Exec == 0 || fn.Geom.Exact || fn.TooLarge {
		return
	}
	w := &pairFuser{fn: fn, m: m, of: m.ints.take(len(fn.Webs)), pairs: m.pairs[:0], joints: m.joints[:0], blocks: m.blocks[:0]}
	for b := range fn.IR.Blocks {
		w.find(b)
	}
	m.pairs, m.joints, m.blocks = w.pairs, w.joints, w.blocks
	if len(w.pairs) == 0 {
		return
	}
	w.decide()
	if slices.ContainsFunc(w.pairs, func(c regPair) bool { return !c.off }) {
		w.rewrite()
	}
}

// find finds the joints of a block.
func (w *pairFuser) find(b int) {
	fn := w.fn
	blk := fn.IR.Blocks[b]
	for i := blk.Start; i < blk.End; i++ {
		in := &fn.IR.Code[i]
		if in.Scalar {
			continue
		}
		var j joint
		ok := false
		switch in.Op {
		case ir.Addc32, ir.Subb32:
			j, ok = w.sum(i, blk)
		case ir.Lo32:
			j, ok = w.halves(i, blk)
		case ir.Pack64:
			o := &fn.Ops[i]
			j, ok = joint{kind: packed, from: i, to: i, lo: i, hi: i, args: [2][2]Web{{o.Args[0], o.Args[1]}}}, fn.Webs[o.Dst].Flags&Temporary != 0
		}
		if !ok {
			continue
		}
		if j.kind != packed {
			j.pair = w.join(fn.Ops[j.lo].Dst, fn.Ops[j.hi].Dst)
			if j.pair < 0 {
				continue
			}
		}
		w.joints = append(w.joints, j)
		w.blocks = append(w.blocks, b)
	}
}

// join is the couple of two webs; -1: they are none.
func (w *pairFuser) join(lo, hi Web) int {
	const no = Input | Const | Aliased | Temporary
	if lo == hi || (w.fn.Webs[lo].Flags|w.fn.Webs[hi].Flags)&no != 0 || w.fn.Value(lo).Scalar || w.fn.Value(hi).Scalar {
		return -1
	}
	a, b := w.of[lo], w.of[hi]
	if a == 0 && b == 0 {
		w.pairs = append(w.pairs, regPair{lo: lo, hi: hi})
		w.of[lo], w.of[hi] = int32(len(w.pairs)), int32(len(w.pairs))
		return len(w.pairs) - 1
	}
	if a == b && w.pairs[a-1].lo == lo {
		return int(a - 1)
	}
	for _, c := range [2]int32{a, b} {
		if c > 0 {
			w.pairs[c-1].off = true
		}
	}
	return -1
}

// plain reports whether operation i writes a register for the lanes of EXEC, and keeps
// nothing of what it held, and returns EXEC.
func (w *pairFuser) plain(i int) (exec Web, ok bool) {
	in, o := &w.fn.IR.Code[i], &w.fn.Ops[i]
	return o.Guard, o.Guard != 0 && !w.fn.Has(o.Guard, Aliased) && !in.GuardNot && !in.Scalar && !o.Merge && in.Dst2 == 0 && o.Ext == 0 && w.fn.IR.Val(in.Dst).Kind == ir.Guest
}

// maxApart is how many operations there may be between those of a joint.
const maxApart = 64

// defines is the operation of the block that has written a web last before i; -1: none is
// close.
func (w *pairFuser) defines(i int, blk ir.Block, x Web) int {
	for k := i - 1; k >= max(blk.Start, i-maxApart); k-- {
		if w.fn.writes(k, x) {
			return k
		}
	}
	return -1
}

// writes reports whether operation k writes a web.
func (fn *Func) writes(k int, w Web) bool {
	o := &fn.Ops[k]
	return o.Dst == w || o.Dst2 == w || o.Ext > 0 && slices.Contains(fn.Ext[o.Ext-1].Defs, w)
}

// keeps reports whether no operation between i and k writes a web.
func (w *pairFuser) keeps(x Web, i, k int) bool {
	for i++; i < k; i++ {
		if w.fn.writes(i, x) {
			return false
		}
	}
	return true
}

// single reports whether a web has one definition, and as many uses as that.
func (w *pairFuser) single(x Web, uses int32) bool {
	info := &w.fn.Webs[x]
	return info.Defs == 1 && info.Uses == uses && info.Flags&(Input|Const|Aliased|Global) == 0
}

// sum is the joint of operation i, which adds the high halves.
func (w *pairFuser) sum(i int, blk ir.Block) (j joint, ok bool) {
	fn := w.fn
	var how *carrying
	for k := range carryings {
		if carryings[k].high == fn.IR.Code[i].Op {
			how = &carryings[k]
		}
	}
	exec, ok := w.plain(i)
	if !ok {
		return j, false
	}
	o := &fn.Ops[i]
	c := o.Args[2]
	and := w.defines(i, blk, c)
	if and < 0 {
		return j, false
	}
	carry := w.masked(and, exec, blk)
	if carry < 0 || fn.IR.Code[carry].Op != how.carry {
		return j, false
	}
	low := -1
	for k := carry + 1; k < and; k++ {
		if fn.IR.Code[k].Op == how.low && fn.Ops[k].Args == fn.Ops[carry].Args {
			low = k
		}
	}
	if low < 0 {
		return j, false
	}
	if e, ok := w.plain(low); !ok || e != exec || !w.keeps(exec, carry, i+1) {
		return j, false
	}
	j = joint{kind: summed, how: how, from: carry, to: i, lo: low, hi: i, drop: []int{carry, low, and}}
	for k := range j.args {
		j.args[k] = [2]Web{fn.Ops[low].Args[k], o.Args[k]}
		if !w.keeps(j.args[k][0], carry, low) {
			return j, false
		}
	}
	// The carry of this sum, if there is one, must go nowhere.
	uses := int32(1)
	for k := and + 1; k < min(blk.End, i+4); k++ {
		if x := &fn.Ops[k]; fn.IR.Code[k].Op == how.carry2 && x.Args == o.Args {
			a := w.onlyUse(k, blk)
			if a < 0 || w.masked(a, exec, blk) != k || fn.Webs[fn.Ops[a].Dst].Uses != 0 || fn.Has(fn.Ops[a].Dst, Aliased) {
				return j, false
			}
			uses++
			j.carries++
			j.drop = append(j.drop, k, a)
			j.to = max(j.to, a)
		}
	}
	if !w.single(c, uses) {
		return j, false
	}
	for k := j.from + 1; k <= j.to; k++ {
		if !relies(&fn.IR.Code[k]) || slices.Contains(j.drop, k) {
			continue
		}
		if k < and || k > i || fn.Ops[i].Ext != 0 {
			return j, false
		}
		j.late = true
	}
	return j, true
}

// masked is the operation that has made the temporary of which operation and takes the
// lanes of EXEC; -1: it is none.
func (w *pairFuser) masked(and int, exec Web, blk ir.Block) int {
	in, o := &w.fn.IR.Code[and], &w.fn.Ops[and]
	if in.Op != ir.AndP || in.Scalar || o.Guard != 0 {
		return -1
	}
	for k := range 2 {
		if t := o.Args[k]; o.Args[1-k] == exec && w.single(t, 1) && w.fn.Webs[t].Flags&Temporary != 0 {
			return w.defines(and, blk, t)
		}
	}
	return -1
}

// onlyUse is the operation that uses what operation k makes, close to it; -1: it is not the
// only one.
func (w *pairFuser) onlyUse(k int, blk ir.Block) int {
	t := w.fn.Ops[k].Dst
	if !w.single(t, 1) {
		return -1
	}
	for i := k + 1; i < min(blk.End, k+8); i++ {
		if slices.Contains(w.fn.Ops[i].Args[:], t) {
			return i
		}
	}
	return -1
}

// halves is the joint of operation i, which takes the low half of something.
func (w *pairFuser) halves(i int, blk ir.Block) (j joint, ok bool) {
	fn := w.fn
	exec, ok := w.plain(i)
	if !ok || i+1 >= blk.End || fn.IR.Code[i+1].Op != ir.Hi32 || fn.Ops[i+1].Args != fn.Ops[i].Args {
		return j, false
	}
	if e, ok := w.plain(i + 1); !ok || e != exec {
		return j, false
	}
	j = joint{kind: halved, from: i, to: i + 1, lo: i, hi: i + 1, def: -1, drop: []int{i}}
	t := fn.Ops[i].Args[0]
	if i > blk.Start && fn.Ops[i-1].Dst == t && w.single(t, 2) && fn.Webs[t].Flags&Temporary != 0 && split(fn.IR.Code[i-1].Op) && !fn.IR.Code[i-1].Scalar {
		j.def = i - 1
		j.drop = append(j.drop, i+1)
	}
	return j, true
}
