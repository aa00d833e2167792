package webs

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// This file is register-pair fusion: it turns two 32-bit webs that are always the halves of
// one number into one 64-bit web.
//
// Input: webs of a GCN3 function. GCN3 has no 64-bit lane registers: an address is two
// registers, and v_add_u32 and v_addc_u32 add to it in halves, with a carry in between (GCN3
// ISA 6.2).
// Output: 64-bit webs with Halves, operations on them, and Repeats for operations that moved.
// Invariant: the number of operations stays the same. Operations that are no longer needed
// become Nop, so indices of guest operations stay valid.
// Example: v0 = v0 + v2; vcc = carry & EXEC; v1 = v1 + v3 + vcc becomes v0:v1 = Add64(v0:v1,
// v2:v3).
//
// The stride of a 64-bit sum is visible to the analysis of shapes; that of two halves with a
// carry is not.
//
// If the interpreter continues in the middle of a block, it needs the two halves in their
// frame slots: an exit writes both (Func.Halves). Between the writes of the halves, the guest
// has a new low half and an old high half, but the fused web still holds the old number. So
// an exit there must repeat the low operations first (Func.Repeats).

// Halves names the two 32-bit values that a 64-bit web replaces: their frame slots are the web's.
type Halves struct{ Low, High ir.Ref }

// Repeat lists operations of the guest that the code performs later, together with operation
// Until. If the code deoptimises after the last of Ops and up to Until, the interpreter must
// repeat Ops first.
type Repeat struct {
	Ops   []int
	Until int
}

// A carrying is a pattern of four 32-bit operations, and the 64-bit operation that replaces it.
type carrying struct {
	carry, low   ir.Op // on the low halves: the carry, and the sum
	carry2, high ir.Op // on the high halves and the carry
	wide         ir.Op
	swap         bool // the operation is commutative
}

// carryings are the two patterns: add and subtract.
var carryings = [...]carrying{
	{carry: ir.AddC32, low: ir.Add32, carry2: ir.AddCC32, high: ir.Addc32, wide: ir.Add64, swap: true},
	{carry: ir.SubB32, low: ir.Sub32, carry2: ir.SubBB32, high: ir.Subb32, wide: ir.Sub64},
}

// split reports whether a 64-bit operation may write a fused web directly, without a move.
func split(op ir.Op) bool {
	switch op {
	case ir.Shl64, ir.ShlWrap64, ir.Add64, ir.Sub64, ir.And64, ir.Or64, ir.MulWideU32, ir.MulWideS32, ir.MadWideU32, ir.MadWideS32:
		return true
	}
	return false
}

// relies reports whether the shape of an operation's result may depend on a run-time check
// before it. If the check fails, the code deoptimises there. These operations change the
// width of lanes, or copy the sign.
func relies(in *ir.Inst) bool {
	if in.Scalar || !in.Op.Pure() {
		return false
	}
	info := &ir.Ops[in.Op]
	return in.Op == ir.ShrS32 || in.Op == ir.ShrSWrap32 || len(info.Args) > 0 && info.Args[0] != info.Res
}

// A regPair is a pair of webs that may be the halves of one number.
type regPair struct {
	lo, hi     Web
	off        bool     // it must not be fused
	defs, uses [2]int32 // definitions and uses of each half that joints cover
	observed   int32    // uses of the high half by observers
	web        Web
}

// A joint is a group of operations that writes or reads both halves of a pair.
type joint struct {
	pair     int
	kind     jointKind
	how      *carrying
	from, to int   // its first and last operation
	lo, hi   int   // the operations that write the halves, or the Pack64
	drop     []int // operations that become Nop
	def      int   // of halved: the operation that makes the whole number; -1: a move is needed
	args     [2][2]Web
	packs    int  // how many of args need a Pack64
	repeats  bool // the code may deoptimise between the low sum and the high sum
	carries  int  // how often the carry of the sum is computed
}

// jointKind is the way in which a joint uses the halves.
type jointKind uint8

const (
	summed jointKind = iota // the halves are the results of a sum
	halved                  // the halves are taken from a 64-bit number
	packed                  // the halves are packed into a 64-bit number
)

// pairFuser is the state of the pass. It finds joints and pairs block by block, decides which
// pairs to fuse, and rewrites the function.
type pairFuser struct {
	fn     *Func
	m      *Scratch
	pairs  []regPair
	of     []int32 // by web: its pair, plus 1
	joints []joint
	blocks []int  // by joint
	gone   []bool // by operation: the code does not deoptimise there
}

// fusePairs replaces pairs of webs that are always halves of one number by 64-bit webs.
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

// join returns the pair of two webs; -1 if they cannot be one. A web that would belong to two
// pairs belongs to none: both pairs are off.
func (w *pairFuser) join(lo, hi Web) int {
	const no = Input | Const | Aliased | Temporary
	if lo == hi || (w.fn.Webs[lo].Flags|w.fn.Webs[hi].Flags)&no != 0 || w.fn.Value(lo).Scalar || w.fn.Value(hi).Scalar {
		return -1
	}
	// Neither web has a pair yet, or both have this one.
	a, b := w.of[lo], w.of[hi]
	if a == 0 && b == 0 {
		w.pairs = append(w.pairs, regPair{lo: lo, hi: hi})
		w.of[lo], w.of[hi] = int32(len(w.pairs)), int32(len(w.pairs))
		return len(w.pairs) - 1
	}
	if a == b && w.pairs[a-1].lo == lo {
		return int(a - 1)
	}
	// A web with two partners has no fixed other half.
	for _, c := range [2]int32{a, b} {
		if c > 0 {
			w.pairs[c-1].off = true
		}
	}
	return -1
}

// plain reports whether operation i writes a guest register for the lanes of EXEC, and keeps
// no old value. It returns the web of EXEC.
func (w *pairFuser) plain(i int) (exec Web, ok bool) {
	in, o := &w.fn.IR.Code[i], &w.fn.Ops[i]
	return o.Guard, o.Guard != 0 && !w.fn.Has(o.Guard, Aliased) && !in.GuardNot && !in.Scalar && !o.Merge && in.Dst2 == 0 && o.Ext == 0 && w.fn.IR.Val(in.Dst).Kind == ir.Guest
}

// maxApart is the largest distance, in operations, between two operations of a joint.
const maxApart = 64

// defines returns the last operation of the block before i that writes a web; -1 if none is close.
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

// single reports whether a web has one definition, the given number of uses, and no life
// outside its block.
func (w *pairFuser) single(x Web, uses int32) bool {
	info := &w.fn.Webs[x]
	return info.Defs == 1 && info.Uses == uses && info.Flags&(Input|Const|Aliased|Global) == 0
}

// sum matches the joint that ends with operation i, the sum of the high halves.
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
	// The carry is masked with EXEC before the high sum reads it.
	c := o.Args[2]
	and := w.defines(i, blk, c)
	if and < 0 {
		return j, false
	}
	carry := w.masked(and, exec, blk)
	if carry < 0 || fn.IR.Code[carry].Op != how.carry {
		return j, false
	}
	// The low sum has the same arguments as the operation that computes its carry.
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
	// If the sum computes its own carry, no operation may use that carry. The high sum uses
	// the masked carry once; a carry out of the high sum would use it again.
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
		// An exit before the carry is masked, or after the high sum, could not repeat the
		// sum.
		if k < and || k > i || fn.Ops[i].Ext != 0 {
			return j, false
		}
		j.repeats = true
	}
	return j, true
}

// masked returns the operation that made the temporary which operation and restricts to the
// lanes of EXEC; -1 if operation and is not of this form.
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

// onlyUse returns the single use of operation k's result; -1 if there are more, or if it is not close.
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

// halves matches the joint of operation i, which takes the low half of a number, and
// operation i+1, which takes the high half.
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
