package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// Atomics go lane by lane, in order. Memory of the block is nobody else's, and so is all
// memory if one worker runs the launch; else instructions with LOCK do it. One that leaves
// the memory as it was is a look at it, which package sim wants to know: it is left to the
// interpreter, which finds nothing done.

// atomicOp is the operation of an Atomic.
func atomicOp(in *ir.Inst) ir.AtomicOp { return ir.AtomicOp(in.Imm >> 32) }

// pureOf is the operation of the table that an atomic is; ok is false if it is another one.
func (g *gen) pureOf(in *ir.Inst) (op ir.Op, ok bool) {
	if o := atomicOp(in); o == ir.AtomAddF32 {
		if in.Space == ir.Shared {
			return ir.AddF32, true
		}
		return ir.AddF32Ftz, true
	}
	return atomicOp(in).Pure()
}

func atomicCan(g *gen, i int) bool {
	in := &g.f.Code[i]
	if in.Flags&ir.Undefined != 0 || in.Space > ir.Shared || in.Shadow != [4]ir.Ref{} || in.Size != 4 && in.Size != 8 {
		return false
	}
	typ := ir.B32
	if in.Size == 8 {
		typ = ir.B64
	}
	for _, r := range []ir.Ref{in.Args[1], in.Args[2], in.Dst} {
		if r != 0 && g.f.Val(r).Type != typ {
			return false
		}
	}
	if op, ok := g.pureOf(in); ok {
		info, r := &ir.Ops[op], &vrules()[op]
		return len(info.Args) == 2 && info.Args[0] == typ && info.Args[1] == typ && info.Res == typ && r.fn != nil && !r.screened && in.Args[2] == 0
	}
	return (atomicOp(in) == ir.AtomCAS) == (in.Args[2] != 0) && atomicOp(in) <= ir.AtomDec
}

func atomicWants(g *gen, i int, wants, defs []want) {
	ops := &g.s.Ops[i]
	if g.form(i) == formAny {
		g.wantsAny(i, wants)
	} else {
		wants[ops.Args[0]] |= wantG
	}
	for _, a := range ops.Args[1:3] {
		if g.sh.Web(a).Uniform() {
			wants[a] |= wantG
		} else {
			wants[a] |= wantV
		}
	}
	defs[ops.Dst] |= wantV
}

func emitAtomic(g *gen) { g.access(1, g.atomic) }

// atomic emits the operation in hand; it jumps to l before anything is done, or if all is as
// it was.
func (g *gen) atomic(l x64.Label) {
	in := g.in
	m := g.lanesMask()
	var where func(i laneAt) x64.Mem
	form := g.form(g.at)
	asked := g.asked()
	switch form {
	case formOne:
		a := g.address()
		g.aligned(a, l)
		p := g.inside(a, uint64(in.Size), l)
		where = func(laneAt) x64.Mem { return p }
	case formRow:
		r := g.rowOf(1, l)
		p := g.base(r.m)
		var first laneAt // of those that one step of the loop is for
		where = func(i laneAt) x64.Mem {
			if i.k == 0 {
				first.reg = g.rowIndex(r, i.reg)
			}
			return x64.Mem{Base: p, Index: first.reg, Scale: 1, Disp: i.k * int32(r.step)}
		}
	default:
		kept := g.keepOffsets(g.reach(1, m, l))
		where = func(i laneAt) x64.Mem { return kept(i.reg, i.k) }
	}
	if in.Space == ir.Generic && atomicOp(in) == ir.AtomAddF32 { // of shared memory it is another one
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, HasMem: true, M: at(g.region, CacheOthers)})
		g.jump(x64.JE, l)
	}
	// What the loops find: whether anything changes, for any lane.
	some := g.gpr(8)
	g.put(some, 8, operand{num: true})
	locked, behind := g.label(), g.label()
	one := form == formOne && (atomicOp(in) == ir.AtomAdd || !asked && folds(atomicOp(in)))
	v := x64.Reg(0)
	if one {
		v = g.gathered(m, some)
	} else {
		g.spillOperands()
		if a := g.same(0); a != 0 && atomicOp(in) == ir.AtomAdd {
			g.emit(x64.Inst{Op: x64.MOV, Len: in.Size, Dst: some, B: a})
		}
	}
	if in.Space != ir.Shared {
		t := g.gpr(8)
		g.load(8, t, g.ctl(CtlCrowd))
		if in.Space == ir.Generic {
			g.rm(x64.AND, 8, t, at(g.region, CacheOthers))
		}
		g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: t, B: t})
		g.jump(x64.JNE, locked)
	}
	known := g.known()
	body := func(lock bool) {
		if one {
			old := g.update(where(laneAt{}), v, 0, some, lock, true)
			if asked {
				g.give(m, old)
			}
			return
		}
		lane := func(i laneAt) {
			a, b := g.operandOf(0, i), x64.Reg(0)
			if in.Args[2] != 0 {
				b = g.operandOf(1, i)
			}
			old := g.update(where(i), a, b, some, lock, false)
			if asked {
				g.store(in.Size, g.keptAt(g.slot(2, g.word()), i, g.word()), old)
			}
		}
		if lock {
			g.eachLane(m, func(i x64.Reg) { lane(laneAt{reg: i}) })
			return
		}
		g.lanesInTurn(m, lane)
	}
	body(false)
	g.bind(behind)
	g.restore(known)
	if in.Space != ir.Shared {
		g.cold(locked, func() {
			body(true)
			g.jump(x64.JMP, behind)
		})
	}
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: some, B: some})
	g.jump(x64.JE, l)
	g.rm(x64.SUB, 8, Counter, x64.Mem{Pool: g.number(atomicCost << 32)})
	g.changed()
	if asked {
		g.defineKept(g.slot(2, g.word()), g.word())
	}
}

// asked reports whether somebody reads what the atomic in hand finds.
func (g *gen) asked() bool {
	w := g.ops.Dst
	return w != 0 && (g.s.Geom.Exact || g.s.Webs[w].Uses > 0 || g.s.Has(w, webs.Aliased))
}

// laneAt is lane k behind that of a register.
type laneAt struct {
	reg x64.Reg
	k   int32
}

// keptAt is an element of a slot: see kept.
func (g *gen) keptAt(slot int32, i laneAt, t ir.Type) x64.Mem {
	return at(g.kept(slot, i.reg, t), i.k*int32(t.Bytes()))
}

// lanesInTurn is eachLane, several lanes in each round if all of them are in m.
func (g *gen) lanesInTurn(m x64.Reg, body func(i laneAt)) {
	const round = 4
	some, back, again := g.label(), g.label(), g.label()
	known := g.known()
	if !g.surelyAll() {
		g.emit(x64.Inst{Op: x64.CMPImm, Len: g.maskBytes(), B: m, Imm: -1})
		g.jump(x64.JNE, some)
		g.cold(some, func() {
			g.eachLane(m, func(i x64.Reg) { body(laneAt{reg: i}) })
			g.jump(x64.JMP, back)
		})
	}
	i := g.gpr(8)
	g.put(i, 8, operand{num: true})
	g.bind(again)
	for k := range int32(round) {
		body(laneAt{i, k})
	}
	g.ri(x64.ADDImm, 4, i, round)
	g.emit(x64.Inst{Op: x64.CMPImm, Len: 4, B: i, Imm: int64(g.f.Lanes)})
	g.jump(x64.JB, again)
	g.bind(back)
	g.restore(known)
}

// surelyAll reports whether the operation in hand acts for all lanes of the wave, whatever
// the launch.
func (g *gen) surelyAll() bool {
	return g.f.Exec == 0 && g.ops.Guard == 0 && g.mk.Full(g.block)
}

// atomicCost is what an atomic takes of the budget: see sim.Wave.Updated.
const atomicCost = 32

// folds reports whether an operation on one place may be done for all lanes at once, if
// nobody asks what each found: what changes nothing for all together changes nothing for
// each.
func folds(op ir.AtomicOp) bool {
	switch op {
	case ir.AtomAnd, ir.AtomOr, ir.AtomMinU, ir.AtomMaxU, ir.AtomMinS, ir.AtomMaxS:
		return true
	}
	return false
}

// word is the type of the memory of the atomic in hand.
func (g *gen) word() ir.Type {
	if g.in.Size == 8 {
		return ir.B64
	}
	return ir.B32
}

func (g *gen) spillOperands() {
	for k, r := range g.in.Args[1:3] {
		if r != 0 && g.same(k) == 0 {
			g.spill(g.slot(k, g.word()), g.ops.Args[1+k], g.word())
		}
	}
}

// same is the register with operand k if all lanes have the same, else 0.
func (g *gen) same(k int) x64.Reg {
	w := g.ops.Args[1+k]
	if _, ok := g.constant1(w); ok || g.sh.Web(w).Uniform() && !g.places[w].slot && g.places[w].gpr != 0 && !g.places[w].raw {
		return g.regOf(g.scalarOf(w, g.word()), g.in.Size)
	}
	return 0
}

// operandOf is operand k of lane i.
func (g *gen) operandOf(k int, i laneAt) x64.Reg {
	if r := g.same(k); r != 0 {
		return r
	}
	d := g.gpr(8)
	g.load(g.in.Size, d, g.keptAt(g.slot(k, g.word()), i, g.word()))
	return d
}

// gathered combines the operands of the lanes of m. Of an addition some is not 0 then if one of
// them is not.
func (g *gen) gathered(m, some x64.Reg) x64.Reg {
	n := g.in.Size
	d := g.gpr(8)
	add := atomicOp(g.in) == ir.AtomAdd
	if v := g.same(0); v != 0 {
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: d, B: v})
		if add {
			g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: some, B: v})
			t := g.gpr(8)
			g.emit(x64.Inst{Op: x64.POPCNT, Len: g.maskBytes(), Dst: t, B: m})
			g.r2(x64.IMUL, n, d, t)
		}
		return d
	}
	g.spillOperands()
	if add {
		g.put(d, 8, operand{num: true})
	} else { // any of them is as good as none
		g.load(n, d, g.kept(g.slot(0, g.word()), g.lastLane(), g.word()))
	}
	g.eachLane(m, func(i x64.Reg) {
		v := g.operandOf(0, laneAt{reg: i})
		if add {
			g.r2(x64.OR, n, some, v)
		}
		r := g.result(d, v, 0)
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: d, B: r})
	})
	return d
}

// give puts what each lane of m finds that adds to one word, which was old, into the slot
// of results.
func (g *gen) give(m, old x64.Reg) {
	n, t := g.in.Size, g.word()
	x := g.gpr(8)
	g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: x, B: old})
	v := g.same(0)
	g.eachLane(m, func(i x64.Reg) {
		g.store(n, g.kept(g.slot(2, t), i, t), x)
		if v != 0 {
			g.r2(x64.ADD, n, x, v)
		} else {
			g.rm(x64.ADD, n, x, g.kept(g.slot(0, t), i, t))
		}
	})
}

// update does the operation in hand on p with the operands a and b, for others to see it as
// one with lock, and returns the old value. It notes in some whether the memory changes, of
// an addition for all lanes at once (sum) that is known.
func (g *gen) update(p x64.Mem, a, b, some x64.Reg, lock, sum bool) x64.Reg {
	n := g.in.Size
	old := g.gpr(8)
	differ := func(x, y x64.Reg) {
		t := g.gpr(8)
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: t, B: x})
		g.r2(x64.XOR, n, t, y)
		g.r2(x64.OR, n, some, t)
	}
	op := atomicOp(g.in)
	if op == ir.AtomAdd && !sum && g.same(0) == 0 {
		g.r2(x64.OR, n, some, a)
	}
	if op == ir.AtomAdd && !g.asked() {
		st := x64.ADDSt
		if lock {
			st = x64.LOCKADDSt
		}
		g.emit(x64.Inst{Op: st, Len: n, B: a, HasMem: true, M: p})
		return 0
	}
	if !lock {
		g.load(n, old, p)
		r := g.result(old, a, b)
		g.store(n, p, r)
		if op != ir.AtomAdd {
			differ(old, r)
		}
		return old
	}
	switch op {
	case ir.AtomAdd, ir.AtomSub:
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: old, B: a})
		if op == ir.AtomSub {
			g.emit(x64.Inst{Op: x64.NEG, Len: n, Dst: old})
		}
		if op == ir.AtomSub {
			g.r2(x64.OR, n, some, a)
		}
		g.emit(x64.Inst{Op: x64.LOCKXADDSt, Len: n, B: old, HasMem: true, M: p})
	case ir.AtomExch:
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: old, B: a})
		g.emit(x64.Inst{Op: x64.XCHGSt, Len: n, B: old, HasMem: true, M: p})
		differ(old, a)
	case ir.AtomCAS:
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: Acc, B: a})
		g.emit(x64.Inst{Op: x64.LOCKCMPXCHGSt, Len: n, B: b, HasMem: true, M: p})
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: old, B: Acc})
		t := g.gpr(8)
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: t, B: Acc})
		g.emit(x64.Inst{Op: x64.CMOVE, Len: n, Dst: t, B: b})
		differ(t, old)
	default:
		again := g.label()
		g.load(n, old, p)
		g.bind(again)
		r := g.result(old, a, b)
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: Acc, B: old})
		g.emit(x64.Inst{Op: x64.LOCKCMPXCHGSt, Len: n, B: r, HasMem: true, M: p})
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: old, B: Acc})
		g.jump(x64.JNE, again)
		differ(old, r)
	}
	return old
}

// result is what the atomic in hand stores where old was.
func (g *gen) result(old, a, b x64.Reg) x64.Reg {
	n := g.in.Size
	if op, ok := g.pureOf(g.in); ok {
		return g.byVector1(op, old, a)
	}
	d := g.gpr(8)
	g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: d, B: old})
	alu := func(op x64.Op) { g.r2(op, n, d, a) }
	pick := func(op x64.Op) {
		g.emit(x64.Inst{Op: x64.CMP, Len: n, A: old, B: a})
		g.emit(x64.Inst{Op: op, Len: n, Dst: d, B: a})
	}
	switch atomicOp(g.in) {
	case ir.AtomAdd:
		alu(x64.ADD)
	case ir.AtomSub:
		alu(x64.SUB)
	case ir.AtomAnd:
		alu(x64.AND)
	case ir.AtomOr:
		alu(x64.OR)
	case ir.AtomXor:
		alu(x64.XOR)
	case ir.AtomMinU:
		pick(x64.CMOVA)
	case ir.AtomMaxU:
		pick(x64.CMOVB)
	case ir.AtomMinS:
		pick(x64.CMOVG)
	case ir.AtomMaxS:
		pick(x64.CMOVL)
	case ir.AtomExch:
		return a
	case ir.AtomCAS:
		g.emit(x64.Inst{Op: x64.CMP, Len: n, A: old, B: a})
		g.emit(x64.Inst{Op: x64.CMOVE, Len: n, Dst: d, B: b})
	case ir.AtomInc: // old >= a ? 0 : old+1
		z := g.gpr(8)
		g.put(z, 8, operand{num: true})
		g.ri(x64.ADDImm, n, d, 1)
		g.emit(x64.Inst{Op: x64.CMP, Len: n, A: old, B: a})
		g.emit(x64.Inst{Op: x64.CMOVAE, Len: n, Dst: d, B: z})
	case ir.AtomDec: // old == 0 || old > a ? a : old-1
		g.ri(x64.SUBImm, n, d, 1)
		g.emit(x64.Inst{Op: x64.CMOVB, Len: n, Dst: d, B: a})
		g.emit(x64.Inst{Op: x64.CMP, Len: n, A: old, B: a})
		g.emit(x64.Inst{Op: x64.CMOVA, Len: n, Dst: d, B: a})
	}
	return d
}

// byVector1 does a pure operation of two operands by its rule for vectors, on one element.
func (g *gen) byVector1(op ir.Op, a, b x64.Reg) x64.Reg {
	was := g.len
	g.len = 16
	defer func() { g.len = was }()
	from, to := x64.VMOVDFromGPR, x64.VMOVDToGPR
	if g.in.Size == 8 {
		from, to = x64.VMOVQFromGPR, x64.VMOVQToGPR
	}
	var v [4]x64.Reg
	for k, r := range []x64.Reg{a, b} {
		v[k] = g.reg(x64.Vec, 16)
		g.emit(x64.Inst{Op: from, Len: 16, Dst: v[k], B: r})
	}
	// Rules look at their operation, and for arguments that are constants.
	in, ops := g.in, g.ops
	g.in, g.ops = &ir.Inst{Op: op}, &webs.Operands{}
	rule := &vrules()[op]
	r := rule.fn(g, v)
	if rule.rawOut != 0 {
		r = g.canonical(r, rule.rawOut, rule.nan)
	}
	g.in, g.ops = in, ops
	d := g.gpr(8)
	g.emit(x64.Inst{Op: to, Len: g.in.Size, Dst: d, B: r})
	return d
}
