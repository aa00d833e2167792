package sel

import (
	"math/bits"
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file finds base+index accesses.
//
// Input: an access with 64-bit addresses; the operations of its block that made the
// address.
// Output: baseIndexes: for each of these accesses, a uniform base and a 32-bit index
// with a shift.
// Invariant: base and index still have, at the access, the values from which the
// address was made.
// Example: `%a = Add64 %p, (CvtS64FromS32 %i) << 2` with uniform %p: the code gathers
// by %i at %p; %a is computed only before the interpreter does the access: see sinking.go.

// Lanes are found by their indices, which need half as many registers as addresses.
// Index times 1, 2, 4 or 8 is free in the addressing mode.

// baseIndex describes an access with the addresses base + index<<shift; index has 32
// bits and is sign- or zero-extended.
type baseIndex struct {
	base   [2]webs.Web // the base: one number, or its halves if halves is set
	halves bool
	index  webs.Web
	shift  uint // of the index
	signed bool // the index is sign-extended

	// Instead, the addresses may be arbitrary but exist as halves: see reachNarrow.
	// Then only parts is set.
	parts [2]webs.Web
}

// A nearFinder matches the address of access at, in the block that begins at from.
type nearFinder struct {
	g        *planner
	from, at int
}

// maxBack bounds the number of operations back to a definition.
const maxBack = 128

// findNear finds the base+index accesses.
func (g *planner) findNear() {
	g.baseIndexes = nil
	if g.s.Geom.Exact || g.s.TooLarge {
		return
	}
	for _, blk := range g.f.Blocks {
		for i := blk.Start; i < blk.End; i++ {
			in := &g.f.Code[i]
			// Only 64-bit addresses in memory that all lanes share gain from an index.
			if !accesses(in.Op) || in.Space == ir.Local || in.Space == ir.Param || in.Scalar || g.f.Val(in.Args[0]).Type != ir.B64 || !memoryOwns[in.Op].can(&g.facts, i) || g.form(i) != formAny {
				continue
			}
			// Match base + index; else look for the halves of the address.
			f := nearFinder{g, blk.Start, i}
			x, ok := f.address(g.s.Ops[i].Args[0])
			if ok = ok && f.alignedBy(x); !ok {
				x, ok = f.parted()
			}
			if ok {
				if g.baseIndexes == nil {
					g.baseIndexes = map[int]*baseIndex{}
				}
				g.baseIndexes[i] = x
			}
		}
	}
}

// parted finds the halves of which the address was made. If the 64-bit address already
// existed, its halves may never be computed; see findSunk.
func (f *nearFinder) parted() (*baseIndex, bool) {
	g := f.g
	d := f.def(g.rep(g.s.Ops[f.at].Args[0]), f.at)
	if !g.narrows(&g.f.Code[f.at]) || d < 0 || g.f.Code[d].Op != ir.Pack64 {
		return nil, false
	}
	x := &baseIndex{parts: [2]webs.Web(g.s.Ops[d].Args[:2])}
	for _, w := range x.parts {
		if w == 0 || f.changes(w, d) || g.s.Webs[w].Flags&(webs.Const|webs.Aliased) != 0 || g.typ(w) != ir.B32 || g.s.Value(w).Scalar {
			return nil, false
		}
	}
	delete(g.choices, d) // both are computed anyway
	return x, true
}

// accesses reports whether reach finds the lanes of operation op.
func accesses(op ir.Op) bool { return op == ir.Load || op == ir.Store || op == ir.Atomic }

// alignedBy reports whether every index keeps the alignment: then only the base needs a
// test.
func (f *nearFinder) alignedBy(x *baseIndex) bool {
	n := f.g.f.Code[f.at].Align
	if n <= 1 {
		return true
	}
	sh := f.g.sh.Web(x.index)
	zeros := min(uint(sh.Zeros), 8) + x.shift
	if steps := sh.Stride | sh.Step; steps != 0 { // from lane to lane, and from tile row to tile row
		zeros = min(uint(bits.TrailingZeros64(steps)), uint(sh.Zeros), 8) + x.shift
	}
	return 1<<zeros%uint(n) == 0
}

// def returns the operation that defines w for the access, before operation i; -1 if
// none is known. The definition must be pure and act for all lanes of the access.
func (f *nearFinder) def(w webs.Web, i int) int {
	g := f.g
	if w == 0 || g.s.Webs[w].Flags&(webs.Const|webs.Aliased) != 0 {
		return -1
	}
	// Go back to the closest write.
	for k := i - 1; k >= max(f.from, i-maxBack); k-- {
		if !g.writes(k, w) {
			continue
		}
		o := &g.s.Ops[k]
		in, at := &g.f.Code[k], &g.f.Code[f.at]
		if o.Dst != w || !in.Op.Pure() || in.Scalar || o.Merge {
			return -1
		}
		// A guarded definition counts only if the access has the same guard, still
		// unchanged.
		if o.Guard != 0 && (o.Guard != g.s.Ops[f.at].Guard || in.GuardNot != at.GuardNot || f.changes(o.Guard, k)) {
			return -1
		}
		return k
	}
	return -1
}

// writes reports whether operation k writes web w.
func (g *facts) writes(k int, w webs.Web) bool {
	o := &g.s.Ops[k]
	return o.Dst == w || o.Dst2 == w || slices.Contains(g.lists(k), w)
}

// changes reports whether web w, which operation k reads, is written from k up to the
// access. k itself may write it, as in an increment of a loop's index.
func (f *nearFinder) changes(w webs.Web, k int) bool {
	for ; k < f.at; k++ {
		if f.g.writes(k, w) {
			return true
		}
	}
	return false
}

// uniform reports whether argument k of operation d is uniform and still has its value
// at the access.
func (f *nearFinder) uniform(d, k int) bool {
	w := f.g.s.Ops[d].Args[k]
	return w != 0 && f.g.sh.Arg(d, k).Uniform() && !f.g.s.Has(w, webs.Aliased) && !f.changes(w, d)
}

// is reports whether argument k of operation d is the constant v.
func (f *nearFinder) is(d, k int, v uint64) bool {
	sh := f.g.sh.Arg(d, k)
	return sh.IsConst() && sh.Base == v
}

// address matches a whole address: a sum, a multiply-add, or halves.
func (f *nearFinder) address(w webs.Web) (*baseIndex, bool) {
	d := f.def(w, f.at)
	if d < 0 {
		return nil, false
	}
	o := &f.g.s.Ops[d]
	switch f.g.f.Code[d].Op {
	case ir.Add64:
		for k := range 2 {
			if f.uniform(d, k) {
				return f.offset(&baseIndex{base: [2]webs.Web{o.Args[k]}}, o.Args[1-k], d)
			}
		}
	// base + index*constant in one operation.
	case ir.MadWideU32, ir.MadWideS32:
		if f.uniform(d, 2) {
			return f.product(&baseIndex{base: [2]webs.Web{o.Args[2]}}, d)
		}
	case ir.Pack64:
		return f.sum(d)
	}
	return nil, false
}

// sum matches an address that was added in halves with a carry (see shape.Carry).
// Operation d packs the halves.
func (f *nearFinder) sum(d int) (*baseIndex, bool) {
	g := f.g
	o := &g.s.Ops[d]
	lo, hi := f.def(o.Args[0], d), f.def(o.Args[1], d)
	if lo < 0 || hi < 0 || g.f.Code[lo].Op != ir.Add32 || g.f.Code[hi].Op != ir.Addc32 {
		return nil, false
	}
	// The carry must be that of the sum of the low halves, at least in the lanes that
	// act.
	guard := g.s.Ops[f.at].Guard
	c := f.def(g.s.Ops[hi].Args[2], hi)
	// GCN3 carries are 0 in lanes outside EXEC; the access does not act there.
	if c >= 0 && g.f.Code[c].Op == ir.AndP {
		k := 0
		if g.s.Ops[c].Args[0] == guard {
			k = 1
		}
		if g.s.Ops[c].Args[1-k] != guard || guard == 0 || g.f.Code[f.at].GuardNot || f.changes(guard, c) {
			return nil, false
		}
		c = f.def(g.s.Ops[c].Args[k], c)
	}
	if c < 0 || g.f.Code[c].Op != ir.AddC32 || g.s.Ops[c].Args[0] != g.s.Ops[lo].Args[0] || g.s.Ops[c].Args[1] != g.s.Ops[lo].Args[1] {
		return nil, false
	}
	for k := range 2 { // the sum and the carry must read the same values
		w := g.s.Ops[lo].Args[k]
		for i := min(c, lo); i < max(c, lo); i++ {
			if g.writes(i, w) {
				return nil, false
			}
		}
	}
	for k := range 2 {
		for j := range 2 {
			if !f.uniform(lo, k) || !f.uniform(hi, j) {
				continue
			}
			x := &baseIndex{base: [2]webs.Web{g.s.Ops[lo].Args[k], g.s.Ops[hi].Args[j]}, halves: true}
			low, high := g.s.Ops[lo].Args[1-k], g.s.Ops[hi].Args[1-j]
			// High half + 0 + carry: the index is the 32-bit low summand.
			if f.is(hi, 1-j, 0) {
				if !f.uniform(lo, 1-k) && !f.changes(low, lo) {
					x.index = low
					return f.done(x)
				}
				continue
			}
			// Both halves of one 64-bit offset are added.
			l, h := f.def(low, lo), f.def(high, hi)
			if l >= 0 && h >= 0 && g.f.Code[l].Op == ir.Lo32 && g.f.Code[h].Op == ir.Hi32 && g.s.Ops[l].Args[0] == g.s.Ops[h].Args[0] && !f.rewritten(g.s.Ops[l].Args[0], l, h) {
				return f.offset(x, g.s.Ops[l].Args[0], min(l, h))
			}
		}
	}
	return nil, false
}

// rewritten reports whether web w is written between operations a and b.
func (f *nearFinder) rewritten(w webs.Web, a, b int) bool {
	for i := min(a, b) + 1; i < max(a, b); i++ {
		if f.g.writes(i, w) {
			return true
		}
	}
	return false
}

// offset matches the part of an address that differs between lanes: web w, which
// operation i reads. It follows extensions, products and shifts down to the index.
func (f *nearFinder) offset(x *baseIndex, w webs.Web, i int) (*baseIndex, bool) {
	d := f.def(w, i)
	if d < 0 {
		return nil, false
	}
	o := &f.g.s.Ops[d]
	index := func(signed bool) (*baseIndex, bool) {
		if f.changes(o.Args[0], d) {
			return nil, false
		}
		x.index, x.signed = o.Args[0], signed
		return f.done(x)
	}
	switch f.g.f.Code[d].Op {
	case ir.CvtU64FromU32, ir.CvtS64FromU32:
		return index(false)
	case ir.CvtS64FromS32, ir.CvtU64FromS32:
		return index(true)
	case ir.MulWideU32, ir.MulWideS32:
		return f.product(x, d)
	case ir.Shl64, ir.ShlWrap64:
		// A shift by at most 3 becomes a scale of the addressing mode.
		if n := f.g.sh.Arg(d, 1); n.IsConst() && n.Base < 4 {
			x.shift += uint(n.Base)
			return f.offset(x, o.Args[0], d)
		}
	case ir.Pack64:
		// A pair with high half 0 is a zero-extension; one with the sign is a
		// sign-extension.
		if f.is(d, 1, 0) {
			return index(false)
		}
		if s := f.def(o.Args[1], d); s >= 0 && f.g.s.Ops[s].Args[0] == o.Args[0] && !f.rewritten(o.Args[0], s, d) && f.is(s, 1, 31) &&
			(f.g.f.Code[s].Op == ir.ShrS32 || f.g.f.Code[s].Op == ir.ShrSWrap32) {
			return index(true)
		}
	}
	return nil, false
}

// product matches the product of an index and a power of two, which operation d
// computes.
func (f *nearFinder) product(x *baseIndex, d int) (*baseIndex, bool) {
	o := &f.g.s.Ops[d]
	for k := range 2 {
		v, ok := f.g.constant1(o.Args[k])
		if w := o.Args[1-k]; ok && v&(v-1) == 0 && v != 0 && v <= 8 && w != 0 && !f.changes(w, d) {
			op := f.g.f.Code[d].Op
			x.index, x.signed = w, op == ir.MulWideS32 || op == ir.MadWideS32
			x.shift += uint(bits.TrailingZeros64(v))
			return f.done(x)
		}
	}
	return nil, false
}

// done reports whether x is usable: a shift of at most 3, and an index that is a 32-bit
// lane vector.
func (f *nearFinder) done(x *baseIndex) (*baseIndex, bool) {
	g := f.g
	return x, x.shift < 4 && x.index != 0 && g.s.Webs[x.index].Flags&(webs.Const|webs.Aliased) == 0 && g.typ(x.index) == ir.B32 && !g.s.Value(x.index).Scalar
}

// The words that cache the check of a base+index access, at Access.NearCache. They
// belong to one base: nearBase is that base; nearLimit is the number of biased indices
// that are inside and nearBias the number to add to indices before the comparison, 4
// bytes each; nearPtr is the host address of the lane with biased index 0.
const (
	nearBase  = 0
	nearLimit = 8
	nearBias  = 12
	nearPtr   = 16
	nearSize  = 24
)

// maxIndex bounds the biased indices.
const maxIndex = 1 << 30

// reachNear is reach for the base+index access in hand.
func (g *access) reachNear(x *baseIndex, n int, m x64.Reg, l x64.Label) offsets {
	u := g.nearBase(x)
	if g.declaredAny(g.at, uint64(n)*uint64(g.in.Size)) && g.sh.Web(x.index).Max < maxIndex {
		o := offsets{e: 4, base: g.gpr(8), scale: 1 << x.shift, disp: int32(g.in.Offset())}
		g.move(o.base, u)
		g.r2(x64.ADD, 8, o.base, g.sharedBase())
		for c := range int32(g.f.Lanes) * 4 / g.w {
			o.regs = append(o.regs, g.value(x.index, c, ir.B32))
		}
		return o
	}
	c := x64.Mem{}
	words := x64.Mem{Base: abi.Frame, Disp: g.caches}
	g.caches += nearSize
	g.out.Nears = append(g.out.Nears, words.Disp)
	if g.in.Space != ir.Shared {
		c = g.cache(0, uint64(n)*uint64(g.in.Size))
		g.out.Accesses[len(g.out.Accesses)-1].NearCache = words.Disp
	}
	// The words are valid for one base; cold code computes them anew if the base
	// changes.
	slow, back := g.label(), g.label()
	g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: u, HasMem: true, M: at(words, nearBase)})
	g.jump(x64.JNE, slow)
	g.cold(slow, func() { g.approach(x, n, u, c, words, l, back) })
	g.bind(back)
	o := offsets{e: 4, base: g.gpr(8), scale: 1 << x.shift}
	was := g.len
	g.len = uint8(g.w)
	defer func() { g.len = was }()
	spread := func(off int32) x64.Reg {
		d := g.vec()
		g.emit(x64.Inst{Op: broadcastOp(4), Len: g.len, Dst: d, HasMem: true, M: at(words, off)})
		return d
	}
	// index + bias is compared without sign with the limit.
	limit, bias := spread(nearLimit), spread(nearBias)
	if !g.avx512 {
		limit = g.v2(x64.VPADDD, limit, g.constant(1<<32-1, 4)) // the last valid index: see above
	}
	g.load(8, o.base, at(words, nearPtr))
	var far x64.Reg
	for c := range int32(g.f.Lanes) * 4 / g.w {
		a := g.v2(x64.VPADDD, g.value(x.index, c, ir.B32), bias)
		far = g.farther(far, a, limit, 4, m, c)
		o.regs = append(o.regs, a)
	}
	g.jumpIfAny(g.tooFar(far, limit, 4), l, 4)
	return o
}

// nearBase is a register with the base of all addresses.
func (g *access) nearBase(x *baseIndex) x64.Reg {
	if !x.halves {
		return g.regOf(g.scalarArg(x.base[0], ir.B64), 8)
	}
	d, t := g.gpr(8), g.gpr(8)
	g.put(d, 4, g.scalarArg(x.base[1], ir.B32))
	g.ri(x64.SHLImm, 8, d, 32)
	g.put(t, 4, g.scalarArg(x.base[0], ir.B32))
	g.r2(x64.OR, 8, d, t)
	return d
}

// approach computes the words for base u and jumps to back, or to l if the interpreter
// has to do the access. c is the region cache.
//
// An index i of 32 bits stands for the distance d + i<<shift from the start of the
// region; d is that of the base. The code adds a bias to the index, modulo 2^32, and
// compares without sign. If i is signed or d is negative, d is bias<<shift plus a rest
// below 1<<shift, which is added to the pointer. The bias is from -2^30 to 2^31-1 and
// an index from -2^31 to 2^32-1, so no sum outside of 0 to 2^30-1 gets into that range
// modulo 2^32: sums of signed indices are from -2^31-2^30 to 2^32-2, sums of unsigned
// ones from -2^30 to 2^32-2. An unsigned index is never biased upwards, because its
// sums could pass 2^32; there the base is added to the pointer.
func (g *access) approach(x *baseIndex, n int, u x64.Reg, c, words x64.Mem, l, back x64.Label) {
	d, room, ptr, bias := g.gpr(8), g.gpr(8), g.gpr(8), g.gpr(8)
	set := g.label()
	off := g.in.Offset()
	g.move(d, u)
	if off != 0 {
		g.apply(x64.ADD, x64.ADDImm, 8, d, operand{num: true, imm: off})
	}
	if a := g.in.Align; a > 1 {
		g.emit(x64.Inst{Op: x64.TESTImm, Len: 4, B: d, Imm: int64(a) - 1})
		g.jump(x64.JNE, l)
	}
	if g.in.Space == ir.Shared {
		g.load(8, room, g.ctl(abi.CtlSharedEnd+8*int32(log2(uint64(n)*uint64(g.in.Size)))))
		g.load(8, ptr, g.ctl(abi.CtlShared))
	} else {
		g.rm(x64.SUB, 8, d, at(c, abi.CacheLow))
		g.load(8, room, at(c, abi.CacheCount))
		g.load(8, ptr, at(c, abi.CachePtr))
	}
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: room, B: room})
	g.jump(x64.JE, l)
	// Unsigned index and base inside the region: the base goes into the pointer, and
	// the bias is 0.
	if !x.signed {
		below := g.label()
		g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: d, B: d})
		g.jump(x64.JS, below)
		g.r2(x64.ADD, 8, ptr, d)
		g.r2(x64.SUB, 8, room, d)
		g.jump(x64.JBE, l)
		g.put(bias, 8, operand{num: true})
		g.jump(x64.JMP, set)
		g.bind(below)
	}
	g.move(bias, d)
	// Else the base goes into the bias, and its low bits into the pointer.
	g.ri(x64.SARImm, 8, bias, int64(x.shift))
	g.ri(x64.ANDImm, 8, d, 1<<x.shift-1)
	g.r2(x64.ADD, 8, ptr, d)
	g.r2(x64.SUB, 8, room, d)
	g.jump(x64.JBE, l)
	g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, B: bias, Imm: -maxIndex})
	g.jump(x64.JL, l)
	g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, B: bias, Imm: 1<<31 - 1})
	g.jump(x64.JG, l)
	g.bind(set)
	// limit = min(ceil(room / 2^shift), maxIndex).
	g.ri(x64.ADDImm, 8, room, 1<<x.shift-1)
	g.ri(x64.SHRImm, 8, room, int64(x.shift))
	t := g.gpr(8)
	g.put(t, 8, operand{num: true, imm: maxIndex})
	g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: room, B: t})
	g.emit(x64.Inst{Op: x64.CMOVA, Len: 8, Dst: room, B: t})
	g.store(4, at(words, nearLimit), room)
	g.store(4, at(words, nearBias), bias)
	g.store(8, at(words, nearPtr), ptr)
	g.store(8, at(words, nearBase), u)
	g.jump(x64.JMP, back)
}
