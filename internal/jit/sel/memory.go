package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file selects loads and stores.
//
// Input: a load, store, atomic or fence, the shape of its address, and the forms that
// plan chose.
// Output: code that checks the addresses of all lanes before any effect, then moves the
// data; in cold code, a call-out that does the access if a check fails.
// Invariant: until all checks have passed, no memory and no web is written; so the
// interpreter can do the access from the beginning, and faults are its own.
// Example: if lanes are 4 bytes apart, a load is one compare of the address with the
// region cache and one VMOVDQU per vector register.

// An own is the rule of an operation that is not pure: memory and cross-lane operations
// choose the forms of their operands and emit their code themselves.
type own struct {
	can   func(g *facts, i int) bool                // whether it can do operation i
	wants func(g *facts, i int, wants, defs []want) // the forms of its operands
	emit  func(g *access)                           // the code
}

// memoryOwns has the rules of memory operations.
var memoryOwns = map[ir.Op]*own{
	ir.Load:   {can: accessCan, wants: accessWants, emit: emitLoad},
	ir.Store:  {can: accessCan, wants: accessWants, emit: emitStore},
	ir.Atomic: {can: atomicCan, wants: atomicWants, emit: emitAtomic},
	ir.Fence:  {can: func(*facts, int) bool { return true }, wants: func(*facts, int, []want, []want) {}, emit: emitFence},
}

// emitFence orders the memory accesses of this worker if other workers run. A fence
// without an active lane is executed all the same, which is harmless.
func emitFence(g *access) {
	l, back := g.label(), g.label()
	g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, HasMem: true, M: g.ctl(abi.CtlCrowd)})
	g.jump(x64.JNE, l)
	g.cold(l, func() {
		g.emit(x64.Inst{Op: x64.MFENCE})
		g.jump(x64.JMP, back)
	})
	g.bind(back)
}

// accessCan reports whether machine code can do operation i, a load or a store. It
// cannot if undefined bits are tracked, if a load is volatile, if a store goes to the
// parameter space, if the data are predicates, narrower than the access or larger than
// 8 bytes, or if the offset does not fit 32 bits. Scalar accesses are native only as
// whole loads of 4 or 8 bytes.
func accessCan(g *facts, i int) bool {
	in := &g.f.Code[i]
	if in.Flags&ir.Undefined != 0 || in.Flags&ir.Volatile != 0 && in.Op == ir.Load || in.Space == ir.Param && in.Op == ir.Store || in.Shadow != [4]ir.Ref{} {
		return false
	}
	data := in.Dst
	if in.Op == ir.Store {
		data = in.Args[1]
	}
	t := g.f.Val(data).Type
	if t == ir.B1 || t.Bytes() < uint32(in.Size) || in.Size > 8 || int64(in.Imm) != int64(int32(in.Imm)) {
		return false
	}
	return !in.Scalar || in.Op == ir.Load && in.Size >= 4 && t.Bytes() == uint32(in.Size)
}

// form says how the addresses of an access lie over the lanes.
type form uint8

const (
	formOne  form = iota // all lanes have the same address
	formRow              // neighbouring lanes are a constant distance apart
	formRows             // they are so within tile rows
	formAny
)

// form returns the form of access i. It is formAny if the address is in a frame slot
// with aliases, if distances are too large, or if they are not multiples of the
// alignment: then one check does not serve all lanes.
func (g *facts) form(i int) form {
	in := &g.f.Code[i]
	a := g.s.Ops[i].Args[0]
	if in.Scalar || g.f.Val(in.Args[0]).Kind == ir.Const {
		return formOne
	}
	if g.s.Has(a, webs.Aliased) {
		return formAny
	}
	sh := g.sh.Web(a)
	switch {
	case sh.Uniform():
		return formOne
	case in.Space == ir.Local:
		return formAny
	case sh.Tile > 0:
		if g.inRows(i) {
			return formRows
		}
		return formAny
	case sh.Kind != shape.Affine || g.stride(i) < -maxStride || g.stride(i) > maxStride:
		return formAny
	case in.Align > 1 && g.stride(i)&(int64(in.Align)-1) != 0:
		return formAny
	}
	return formRow
}

// maxStride bounds the distance in bytes between the addresses of neighbouring lanes,
// so that all distances in a wave fit 32 bits.
const maxStride = 1 << 20

// stride is the distance in bytes between the addresses of neighbouring lanes of access
// i.
func (g *facts) stride(i int) int64 {
	sh := g.sh.Web(g.s.Ops[i].Args[0])
	if g.f.Val(g.f.Code[i].Args[0]).Type == ir.B32 {
		return int64(int32(sh.Stride))
	}
	return int64(sh.Stride)
}

// accessWants notes the forms in which access i reads its address and data and makes
// its result: general register, or lanes of vectors.
func accessWants(g *facts, i int, wants, defs []want) {
	in, ops := &g.f.Code[i], &g.s.Ops[i]
	f := g.form(i)
	if f == formAny || f == formRows && g.sh.Web(ops.Args[0]).Kind == shape.Varying {
		g.wantsAny(i, wants)
	} else {
		wants[ops.Args[0]] |= wantG
	}
	switch {
	case in.Op == ir.Store && f == formOne && g.sh.Web(ops.Args[1]).Uniform() && in.Space != ir.Local:
		wants[ops.Args[1]] |= wantG
	case in.Op == ir.Store:
		wants[ops.Args[1]] |= wantV
	case f == formOne && (in.Space != ir.Local || g.sh.Web(ops.Dst).Kind != shape.Varying):
		defs[ops.Dst] |= wantG
	default:
		defs[ops.Dst] |= wantV
	}
}

// wantsAny notes the forms of the operands that give the addresses if lanes may be
// anywhere.
func (g *facts) wantsAny(i int, wants []want) {
	wants[g.s.Ops[i].Args[0]] |= wantV
	if x := g.baseIndexes[i]; x != nil {
		wants[x.index] |= wantV
		wants[x.base[0]] |= wantG
		wants[x.base[1]] |= wantG
		wants[x.parts[0]] |= wantV
		wants[x.parts[1]] |= wantV
	}
}

// cache allocates the region cache of the access in hand. The access touches memory
// from before bytes below the address that is checked to span bytes above it.
func (g *access) cache(before, span uint64) x64.Mem {
	m := x64.Mem{Base: abi.Frame, Disp: g.caches}
	g.caches += abi.CacheSize
	g.accessAt(m, before, span)
	return m
}

// accessAt registers m as the region cache of the access in hand: see cache.
func (g *access) accessAt(m x64.Mem, before, span uint64) {
	g.out.Accesses = append(g.out.Accesses, abi.Access{Inst: g.at, Cache: m.Disp, Before: before, Span: span})
	g.region = m
}

// at is m with off added to its displacement.
func at(m x64.Mem, off int32) x64.Mem { m.Disp += off; return m }

// pieces returns how many operations from i on (1, 2 or 4) are accesses of one guest
// instruction to neighbouring pieces of memory. They are done together, with one check.
func (g *access) pieces(i int) int {
	a, ops := &g.f.Code[i], &g.s.Ops[i]
	end := g.f.Blocks[g.block].End
	n := 1
	for ; n < 4 && (n+1)*int(a.Size) <= 16 && i+n < end; n++ {
		b, o := &g.f.Code[i+n], &g.s.Ops[i+n]
		if b.Op != a.Op || b.First || b.Scalar != a.Scalar || b.Size != a.Size || b.Space != a.Space || b.Flags != a.Flags ||
			b.Args[0] != a.Args[0] || o.Args[0] != ops.Args[0] || b.Guard != a.Guard || o.Guard != ops.Guard || b.GuardNot != a.GuardNot ||
			b.Imm != a.Imm+uint64(n)*uint64(a.Size) || !accessCan(&g.facts, i+n) {
			break
		}
		if b.Op == ir.Store && g.f.Val(b.Args[1]).Type != g.f.Val(a.Args[1]).Type || b.Op == ir.Load && g.f.Val(b.Dst).Type != g.f.Val(a.Dst).Type {
			break
		}
		// The first piece's check must imply the alignment of all pieces.
		if b.Align > 1 && (max(a.Align, 1)%b.Align != 0 || n*int(a.Size)%int(b.Align) != 0) {
			break
		}
		if d := g.f.Code[i+n-1].Dst; b.Op == ir.Load && (g.overlap(d, a.Args[0]) || a.Guard != 0 && g.overlap(d, a.Guard)) {
			break // the next piece has another address
		}
	}
	// Three pieces are done as two and one.
	if n == 3 {
		n = 2
	}
	return n
}

// overlap reports whether two values share bytes.
func (g *lowering) overlap(a, b ir.Ref) bool {
	x, y := g.f.Val(a), g.f.Val(b)
	return x.Kind == y.Kind && g.f.Overlap(a, b)
}

// piece calls f with the k-th operation after the one in hand as the operation in hand.
func (g *access) piece(k int, f func()) {
	at, in, ops := g.at, g.in, g.ops
	g.at += k
	g.in, g.ops = &g.f.Code[g.at], &g.s.Ops[g.at]
	f()
	g.at, g.in, g.ops = at, in, ops
}

// access emits n operations, from the one in hand on, by do. The code of do jumps to
// the label that it is given if it cannot do them, before any effect; then the
// interpreter does them, as call-outs in cold code.
func (g *access) access(n int, do func(l x64.Label)) {
	l, back := g.label(), g.label()
	g.skip = g.at + n
	g.premask(n)
	if g.declaredAny(g.at, uint64(g.in.Size)) {
		g.sharedBase()
	}
	known := g.known()
	start := len(g.fn.Code)
	g.skipInactive(n, back)
	do(l)
	if !slices.ContainsFunc(g.fn.Code[start:], func(in x64.Inst) bool { return in.Label == l || in.Label == back }) {
		return // do never fails: no call-out is needed
	}
	g.cold(l, func() {
		g.restore(known)
		if g.watched == g.at && g.at > 0 {
			g.observeLate(g.watch)
		}
		g.surface(n)
		g.inSlot = slices.Grow(g.mem.inSlot[:0], 8)
		for k := range n {
			g.piece(k, g.callOut)
		}
		g.mem.inSlot, g.inSlot = g.inSlot, nil
		g.jump(x64.JMP, back)
	})
	g.bind(back)
	g.restore(known)
	for k := range n {
		g.piece(k, g.clear)
	}
}

// aligned jumps to l unless address a, which includes the offset, is aligned as the
// access in hand requires.
func (g *access) aligned(a x64.Reg, l x64.Label) {
	if n := g.in.Align; n > 1 && !g.surely(g.at) {
		g.emit(x64.Inst{Op: x64.TESTImm, Len: 4, B: a, Imm: int64(n) - 1})
		g.jump(x64.JNE, l)
	}
}

// surely reports whether the addresses of access i are known to be aligned for all
// lanes.
func (g *access) surely(i int) bool {
	in := &g.f.Code[i]
	if i == g.at {
		in = g.in // a collective's access differs from the one in the code
	}
	n, w := uint64(in.Align), g.s.Ops[i].Args[0]
	if v, ok := g.constant1(w); ok {
		return (v+in.Offset())&(n-1) == 0
	}
	if g.s.Has(w, webs.Aliased) {
		return false
	}
	sh := g.sh.Web(w)
	return in.Offset()&(n-1) == 0 && (sh.Stride|sh.Step)&(n-1) == 0 && uint64(1)<<min(sh.Zeros, 63) >= n
}

// address returns the address of the access in hand, or that of its lane 0, in a fresh
// register, with the offset added. The sum wraps at the width of the address.
func (g *access) address() x64.Reg {
	d := g.gpr(8)
	w := g.ops.Args[0]
	t := g.f.Val(g.in.Args[0]).Type
	off := g.in.Offset()
	if v, ok := g.constant1(w); ok {
		g.put(d, 8, operand{num: true, imm: t.Sum(v, off)})
		return d
	}
	o := g.scalarArg(w, t)
	if t == ir.B32 { // the upper half of the register is undefined
		g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: d, B: o.reg})
	} else {
		g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: d, B: o.reg})
	}
	if off != 0 {
		g.addOffset(d, t)
	}
	return d
}

// addOffset adds the offset of the access in hand to address d of type t.
func (g *access) addOffset(d x64.Reg, t ir.Type) {
	off := g.in.Offset()
	switch {
	case off == 0:
	case t == ir.B32:
		g.apply(x64.ADD, x64.ADDImm, 4, d, operand{num: true, imm: uint64(uint32(off))})
	default:
		g.apply(x64.ADD, x64.ADDImm, 8, d, operand{num: true, imm: off})
	}
}

// inside checks that an access of span bytes from address a on is inside memory, and
// returns the memory operand; else it jumps to l. It may write the register a.
func (g *access) inside(a x64.Reg, span uint64, l x64.Label) x64.Mem {
	if g.in.Space == ir.Shared {
		p := g.gpr(8)
		// The words are limits for accesses of 1, 2, 4, 8 and 16 bytes. For another
		// span the first and the last byte are compared with the limit of single bytes.
		if span <= 16 && span&(span-1) == 0 {
			g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: a, HasMem: true, M: g.ctl(abi.CtlSharedEnd + 8*int32(log2(span)))})
			g.jump(x64.JAE, l)
		} else {
			t := g.gpr(8)
			g.emit(x64.Inst{Op: x64.LEA, Len: 8, Dst: t, HasMem: true, M: x64.Mem{Base: a, Disp: int32(span - 1)}})
			g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: t, HasMem: true, M: g.ctl(abi.CtlSharedEnd)})
			g.jump(x64.JAE, l)
			g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: a, HasMem: true, M: g.ctl(abi.CtlSharedEnd)}) // the sum may have wrapped
			g.jump(x64.JAE, l)
		}
		g.load(8, p, g.ctl(abi.CtlShared))
		return x64.Mem{Base: p, Index: a, Scale: 1}
	}
	return g.inRegion(a, g.cache(0, span), l)
}

// inRegion checks address a against region cache c, and returns the memory operand;
// else it jumps to l. It may write the register a.
func (g *access) inRegion(a x64.Reg, c x64.Mem, l x64.Label) x64.Mem {
	p := g.gpr(8)
	g.offsetIn(a, c, l)
	g.load(8, p, at(c, abi.CachePtr))
	return x64.Mem{Base: p, Index: a, Scale: 1}
}

// offsetIn replaces address a by its distance from the start of the region of cache c.
// It jumps to l if the distance is outside. One unsigned comparison finds addresses on
// both sides.
func (g *access) offsetIn(a x64.Reg, c x64.Mem, l x64.Label) {
	g.rm(x64.SUB, 8, a, at(c, abi.CacheLow))
	g.emit(x64.Inst{Op: x64.CMP, Len: 8, A: a, HasMem: true, M: at(c, abi.CacheCount)})
	g.jump(x64.JAE, l)
}

// log2 is the binary logarithm of n, rounded down.
func log2(n uint64) int {
	k := 0
	for ; n > 1; n >>= 1 {
		k++
	}
	return k
}

// emitLoad emits the load in hand, and the pieces after it, by the form of its
// addresses. A generic address that is one for all lanes may be private memory, which
// differs per lane.
func emitLoad(g *access) {
	n := g.pieces(g.at)
	switch g.form(g.at) {
	case formOne:
		switch {
		case g.in.Space == ir.Local:
			g.access(n, func(l x64.Label) { g.loadLocal(n, g.address(), l) })
		case g.mayBeLocal(g.in):
			g.access(n, func(l x64.Label) { g.eitherSpace(n, l, g.loadOne, g.loadLocal) })
		default:
			g.access(n, func(l x64.Label) { g.loadFrom(n, g.one(n, l)) })
		}
	case formRow:
		g.access(n, func(l x64.Label) { g.loadRow(n, l) })
	case formRows:
		g.access(n, func(l x64.Label) { g.loadRows(n, l) })
	default:
		g.access(n, func(l x64.Label) { g.anySpace(n, l, g.loadAny, g.loadReached) })
	}
}

// emitStore is emitLoad for stores.
func emitStore(g *access) {
	n := g.pieces(g.at)
	access := func(do func(l x64.Label)) {
		g.access(n, func(l x64.Label) {
			g.signals(l)
			do(l)
		})
	}
	switch g.form(g.at) {
	case formOne:
		switch {
		case g.in.Space == ir.Local:
			access(func(l x64.Label) { g.storeLocal(n, g.address(), l) })
		case g.mayBeLocal(g.in):
			access(func(l x64.Label) { g.eitherSpace(n, l, g.storeOne, g.storeLocal) })
		default:
			access(func(l x64.Label) { g.storeTo(n, g.one(n, l)) })
		}
	case formRow:
		access(func(l x64.Label) { g.storeRow(n, l) })
	case formRows:
		access(func(l x64.Label) { g.storeRows(n, l) })
	default:
		access(func(l x64.Label) { g.anySpace(n, l, g.storeAny, g.storeReached) })
	}
}

// signals jumps to l if the store in hand is volatile and other workers run: lanes of
// other workers may wait for it, and Go stores with the host's atomics.
func (g *access) signals(l x64.Label) {
	if g.in.Flags&ir.Volatile != 0 && g.in.Size >= 4 && g.in.Space <= ir.Global {
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, HasMem: true, M: g.ctl(abi.CtlCrowd)})
		g.jump(x64.JNE, l)
	}
}

// loadOp is the load of a scalar of size bytes, extended to the n bytes that it
// returns.
func loadOp(size uint8, signed bool) (op x64.Op, n uint8) {
	switch {
	case size == 1 && signed:
		return x64.MOVSXB, 8
	case size == 1:
		return x64.MOVZXB, 4
	case size == 2 && signed:
		return x64.MOVSXW, 8
	case size == 2:
		return x64.MOVZXW, 4
	case size == 4 && signed:
		return x64.MOVSXD, 8
	}
	return x64.MOV, size
}

// skipInactive jumps to l if none of the n operations from the one in hand on acts for a
// lane. Without a guard there is always an active lane. A load that cannot fault is
// executed without the test: its result is dead if no lane is active.
func (g *access) skipInactive(n int, l x64.Label) {
	if g.in.Scalar || g.in.Guard == 0 {
		return
	}
	m, all := g.writeMask()
	if all {
		return
	}
	if g.overwrites(n) {
		// A loop over the lanes runs its body once even if no lane is active (see
		// eachLane), so a load that needs that loop keeps the test.
		if g.in.Op == ir.Load && (g.in.Size >= 4 || g.form(g.at) == formOne) && g.declared(g.at, uint64(n)*uint64(g.in.Size)) {
			return
		}
		// The webs that they write are dead before. hold marks them as defined, so that
		// the path that skips the operations does not make them look live from before.
		for k := range n {
			g.piece(k, func() { g.hold(g.rep(g.ops.Dst)) })
		}
	}
	g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: m, B: m})
	g.jump(x64.JE, l)
}

// overwrites reports whether the n operations from the one in hand on write all lanes
// of their results that are ever read, and do not read those webs themselves. Then the
// old values are dead.
func (g *access) overwrites(n int) bool {
	fine := true
	for k := range n {
		g.piece(k, func() {
			d := g.rep(g.ops.Dst)
			fine = fine && d != 0 && g.ops.Dst2 == 0 && !g.ops.Merge && !g.places[d].slot && g.ops.Ext == 0 && g.lanesToWrite(g.ops.Dst) == 0
			for j := range n {
				fine = fine && !g.readsWeb(g.at-k+j, d)
			}
		})
	}
	return fine
}

// readsWeb reports whether the code of operation i reads web d: as an argument, as a
// part of a base+index address, in the Observe that the access brings about, or through
// a sunk operation that an exit of i would do.
func (g *access) readsWeb(i int, d webs.Web) bool {
	o := &g.s.Ops[i]
	list := append(o.Args[:len(o.Args):len(o.Args)], o.Guard)
	if x := g.baseIndexes[i]; x != nil {
		list = append(list, x.base[0], x.base[1], x.index, x.parts[0], x.parts[1])
	}
	if i > 0 && g.watched == i {
		watch := &g.s.Ops[g.watch]
		list = append(append(list, watch.Args[:]...), watch.Guard)
		if watch.Ext > 0 {
			list = append(list, g.s.Ext[watch.Ext-1].Uses...)
		}
	}
	return slices.ContainsFunc(list, func(w webs.Web) bool {
		if w = g.rep(w); w == d || w == 0 || g.sunk == nil || g.sunkAt[w] == 0 {
			return w == d
		}
		// A sunk operation is emitted in the call-out, so its own operands count as
		// read.
		late := int(g.sunkAt[w]) - 1
		return g.rep(g.sh.Carry(late, 2)) == d || g.readsWeb(late, d)
	})
}

// one checks n pieces at the address that all lanes have, and returns the memory
// operand; it jumps to l if they are outside. Declared shared memory and induction
// pointers need less or no check.
func (g *access) one(n int, l x64.Label) x64.Mem {
	if g.declared(g.at, uint64(n)*uint64(g.in.Size)) {
		return g.sharedPlace()
	}
	if x := g.walking(n); x != nil {
		return g.walked(x, n, l)
	}
	return g.checkedAddress(n, g.address(), l, l)
}

// checkedAddress checks n pieces at address a, and returns the memory operand. It jumps
// to l if the address is not aligned, to out if it is outside. It may write the
// register a.
func (g *access) checkedAddress(n int, a x64.Reg, l, out x64.Label) x64.Mem {
	g.aligned(a, l)
	return g.inside(a, uint64(n)*uint64(g.in.Size), out)
}

// loadOne loads, for all lanes, from the one address a: see checkedAddress.
func (g *access) loadOne(n int, a x64.Reg, l, out x64.Label) {
	g.loadFrom(n, g.checkedAddress(n, a, l, out))
}

// loadFrom loads n pieces at m, the same for all lanes. A result that lives as a splat
// is loaded by a broadcast.
func (g *access) loadFrom(n int, m x64.Mem) {
	size := g.in.Size
	op, b := loadOp(size, g.in.Flags&ir.SignExtend != 0)
	for k := range n {
		g.piece(k, func() {
			m := at(m, int32(k)*int32(size))
			if p, t := &g.places[g.ops.Dst], g.typ(g.ops.Dst); p.gpr == 0 && p.splat != 0 && size >= 4 && t.Bytes() == uint32(size) {
				r := g.reg(x64.Vec, uint8(g.w))
				g.emit(x64.Inst{Op: broadcastOp(size), Len: uint8(g.w), Dst: r, HasMem: true, M: m})
				g.defineSplat(g.ops.Dst, r)
				return
			}
			d := g.gpr(8)
			g.emit(x64.Inst{Op: op, Len: b, Dst: d, HasMem: true, M: m})
			g.fresh = len(g.fn.Code)
			g.defineLoaded(d)
			g.fresh = 0
		})
	}
}

// storeOne stores, for all lanes, to the one address a: see checkedAddress.
func (g *access) storeOne(n int, a x64.Reg, l, out x64.Label) {
	g.storeTo(n, g.checkedAddress(n, a, l, out))
}

// storeTo stores n pieces at m, where all lanes store: the value of the last active
// lane stays.
func (g *access) storeTo(n int, m x64.Mem) {
	size := g.in.Size
	var last x64.Reg
	for k := range n {
		g.piece(k, func() {
			w, t := g.ops.Args[1], g.f.Val(g.in.Args[1]).Type
			var v x64.Reg
			if _, ok := g.constant1(w); ok || g.sh.Web(w).Uniform() && !g.places[w].slot {
				v = g.regOf(g.scalarOf(w, t), max(4, uint8(t.Bytes())))
			} else {
				if last == 0 {
					last = g.lastLane()
				}
				g.spill(0, w, t)
				v = g.gpr(8)
				// A varying value: take the element of the last active lane from the
				// scratch area.
				op, b := loadOp(uint8(t.Bytes()), false)
				g.emit(x64.Inst{Op: op, Len: b, Dst: v, HasMem: true, M: g.kept(0, last, t)})
			}
			if k == 0 {
				g.changed()
			}
			g.store(size, at(m, int32(k)*int32(size)), v)
		})
	}
}

// scalarOf is a uniform value in a general register, with canonical NaNs because memory
// shows their bits.
func (g *access) scalarOf(w webs.Web, t ir.Type) operand {
	if g.places[w].raw {
		d := g.gpr(uint8(t.Bytes()))
		g.emit(x64.Inst{Op: fromVec(t), Len: uint8(t.Bytes()), Dst: d, B: g.value(w, 0, t)})
		return operand{reg: d}
	}
	return g.scalarArg(w, t)
}

// lastLane is the number of the last lane for which the operation in hand acts.
func (g *access) lastLane() x64.Reg {
	n := g.maskBytes()
	t, d := g.gpr(8), g.gpr(8)
	g.emit(x64.Inst{Op: x64.LZCNT, Len: n, Dst: t, B: g.lanesMask()})
	g.emit(x64.Inst{Op: x64.MOVImm, Len: 4, Dst: d, Imm: int64(n)*8 - 1})
	g.r2(x64.SUB, 4, d, t)
	return d
}

// defineLoaded writes the result of the operation in hand from general register d.
func (g *lowering) defineLoaded(d x64.Reg) {
	w := g.ops.Dst
	p := &g.places[w]
	t := g.typ(w)
	if p.gpr == 0 && p.splat != 0 {
		r := g.reg(x64.Vec, uint8(g.w))
		g.spreadTo(r, d, uint8(t.Bytes()))
		g.defineSplat(w, r)
		return
	}
	g.defineGPR(w, d)
}

// clear forgets the other forms of the results: two paths of control meet here, and
// only one of them made these forms.
func (g *crossLane) clear() {
	for _, w := range []webs.Web{g.ops.Dst, g.ops.Dst2} {
		if w != 0 {
			if r := g.places[w].gpr; r != 0 {
				g.forget(r)
			}
		}
	}
}

// premask makes the masks of lanes that the n operations from the one in hand on will
// need, before control parts. A mask that is made before is known on both paths and
// after them.
func (g *access) premask(n int) {
	one := g.form(g.at) == formOne && g.in.Space != ir.Local
	if g.in.Op == ir.Load && one {
		return
	}
	for k := range n {
		g.piece(k, func() {
			data := g.in.Dst
			m := x64.Reg(0)
			if g.in.Op == ir.Load {
				m = g.lanesToWrite(g.ops.Dst)
			} else {
				data = g.in.Args[1]
				m, _ = g.storeMask()
			}
			if m == 0 || g.in.Op == ir.Store && one {
				return
			}
			e := uint8(g.f.Val(data).Type.Bytes())
			for u := range g.unitsOf(g.f.Val(data).Type) {
				g.chunk(m, uint8(g.w)/e, e, u)
			}
		})
	}
}

// knowledge lists the registers that hold values in other forms: masks, broadcasts,
// half-words as f32, and the address of shared memory.
type knowledge struct {
	masks  []maskEntry
	bcasts []bcastEntry
	wides  []wideEntry
	shared x64.Reg
}

// known returns the knowledge before control parts. After the paths meet again, restore
// makes it all that is known.
func (g *lowering) known() knowledge {
	m := &g.mem.known
	return knowledge{put(&m.masks, g.masks), put(&m.bcasts, g.bcasts), put(&m.wides, g.wides), g.shared}
}

// put appends list to the memory *mem that several lists share, and returns the copy
// there.
func put[T any](mem *[]T, list []T) []T {
	n := len(*mem)
	*mem = append(*mem, list...)
	return (*mem)[n:]
}

// restore replaces the knowledge in hand by k.
func (g *lowering) restore(k knowledge) {
	g.masks, g.bcasts, g.wides, g.shared = append(g.masks[:0], k.masks...), append(g.bcasts[:0], k.bcasts...), append(g.wides[:0], k.wides...), k.shared
}

// both keeps the knowledge that holds here and held before control parted (k). It is
// valid where the paths meet again if the other path wrote the same registers.
func (g *lowering) both(k knowledge) {
	g.masks = slices.DeleteFunc(g.masks, func(m maskEntry) bool { return !slices.Contains(k.masks, m) })
	g.shared = k.shared
	g.bcasts = slices.DeleteFunc(g.bcasts, func(b bcastEntry) bool { return !slices.Contains(k.bcasts, b) })
	g.wides = slices.DeleteFunc(g.wides, func(w wideEntry) bool { return !slices.Contains(k.wides, w) })
}

// unitLen is the number of bytes of a vector register that holds lanes of type t.
func (g *facts) unitLen(t ir.Type) uint8 { return uint8(min(g.w, int32(g.f.Lanes)*int32(t.Bytes()))) }

// lanesMask is a general register with the mask of the lanes for which the operation in
// hand acts; all bits are set if it acts for all lanes.
func (g *crossLane) lanesMask() x64.Reg {
	m, all := g.writeMask()
	if all {
		return g.constOf(constKey{bits: 1<<64 - 1, size: 8, len: 8, gpr: true})
	}
	return m
}

// storeMask is the mask of lanes that store; some reports that they may not be all
// lanes.
func (g *access) storeMask() (m x64.Reg, some bool) {
	m, all := g.writeMask()
	return m, !all
}

// changed records a store that other blocks can see, in CtlChanged. A generic store may
// be one to shared memory, so its region cache decides.
func (g *access) changed() {
	switch {
	case g.in.Space == ir.Generic: // it may be shared memory
		t := g.gpr(8)
		g.load(8, t, at(g.region, abi.CacheOthers))
		g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: t, HasMem: true, M: g.ctl(abi.CtlChanged)})
	case g.in.Space == ir.Global:
		g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, Imm: 1, HasMem: true, M: g.ctl(abi.CtlChanged)})
	}
}

// value is vector register u of the lanes of w with canonical NaNs, for uses in which
// all bits matter.
func (g *lowering) value(w webs.Web, u int32, t ir.Type) x64.Reg {
	r := g.unit(w, u, t)
	if g.places[w].raw {
		was := g.len
		g.len = uint8(g.w)
		r = g.canonical(r, uint8(8*t.Bytes()), canonicalNaN(uint8(8*t.Bytes())))
		g.len = was
	}
	return r
}
