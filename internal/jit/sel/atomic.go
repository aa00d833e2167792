package sel

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file lowers atomic operations.
//
// Input: an ir.Atomic: an address per lane, one or two operands, an optional result.
// Output: a loop over the active lanes in ascending order, or one update for all lanes if they
// share an address and their operands can be combined.
// Invariant: either all lanes have been done, or memory is unchanged and control is at the exit
// label l.
// Example: with atom.add at one address, n lanes that add a constant c become one ADD [p], n*c.
//
// Two forms of the loop exist. No other worker touches the memory of a block, and if one worker
// runs the launch, no other worker touches any memory; then plain loads and stores suffice. The
// other form, in cold code, uses instructions with LOCK. The choice is made at run time: see
// CtlCrowd and CacheOthers.
//
// An atomic that leaves memory as it was only looks at it, and package sim counts that (a block
// that waits). That atomic goes to the interpreter, which repeats it without harm.

// atomicOp is the operation that an ir.Atomic applies to memory.
func atomicOp(in *ir.Inst) ir.AtomicOp { return ir.AtomicOp(in.Imm >> 32) }

// pureOf is the pure operation of the table of operations that an atomic applies; ok is false if
// the table has none. AtomAddF32 keeps subnormal numbers in shared memory and flushes them
// elsewhere.
func (g *facts) pureOf(in *ir.Inst) (op ir.Op, ok bool) {
	if o := atomicOp(in); o == ir.AtomAddF32 {
		if in.Space == ir.Shared {
			return ir.AddF32, true
		}
		return ir.AddF32Ftz, true
	}
	return atomicOp(in).Pure()
}

// atomicCan reports whether machine code does operation i: words of 4 or 8 bytes in global, shared
// or generic memory, with operands of the same type and without shadows. An operation that pureOf
// finds needs a vector rule that never hands lanes to the interpreter; the rest must be an integer
// operation that result handles. A third operand exists exactly for AtomCAS.
func atomicCan(g *facts, i int) bool {
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

// atomicWants asks for the forms of the operands: general registers for uniform ones, vector
// registers for varying ones. The address is one general register unless the lanes' addresses have
// no pattern.
func atomicWants(g *facts, i int, wants, defs []want) {
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

// emitAtomic emits the operation in hand, with the exit for accesses that machine code does not do.
func emitAtomic(g *access) { g.access(1, g.atomic) }

// atomic emits the operation in hand. It jumps to l before any effect, or if memory is as it was
// before.
//
// The steps are: check the addresses; decide between one update and a loop; put varying operands
// into slots of the scratch area, because lanes are read one at a time; run the loop; charge the
// budget. some collects a nonzero value if any lane changes memory.
func (g *access) atomic(l x64.Label) {
	in := g.in
	m := g.lanesMask()
	var where func(i laneAt) x64.Mem
	form := g.form(g.at)
	asked := g.asked()
	// The function where returns the memory operand of a lane, whose address has been checked.
	switch form {
	case formOne:
		a := g.address()
		g.aligned(a, l)
		p := g.inside(a, uint64(in.Size), l)
		where = func(laneAt) x64.Mem { return p }
	case formRow:
		r := g.rowOf(1, l)
		p := g.base(r.m)
		var first laneAt // the index of the lane with which a round of the loop begins
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
	// In shared memory the operation is a different one: see pureOf.
	if in.Space == ir.Generic && atomicOp(in) == ir.AtomAddF32 {
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, HasMem: true, M: at(g.region, abi.CacheOthers)})
		g.jump(x64.JE, l)
	}
	// The loops record in some whether any lane changes memory.
	some := g.gpr(8)
	g.put(some, 8, operand{num: true})
	locked, behind := g.label(), g.label()
	// One update for all lanes: addition gives each lane its prefix sum, so results are possible;
	// the idempotent operations only work without results.
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
	// Use LOCK if other workers run and, for a generic address, if the memory is visible to other
	// blocks.
	if in.Space != ir.Shared {
		t := g.gpr(8)
		g.load(8, t, g.ctl(abi.CtlCrowd))
		if in.Space == ir.Generic {
			g.rm(x64.AND, 8, t, at(g.region, abi.CacheOthers))
		}
		g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: t, B: t})
		g.jump(x64.JNE, locked)
	}
	// Both forms of the loop are made of the same body. Facts about registers that one of them learns do
	// not hold after the other.
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
	// Without a change the interpreter repeats the operation, and package sim counts a look at memory.
	g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: some, B: some})
	g.jump(x64.JE, l)
	// All lanes are done; from here on there is no exit.
	g.rm(x64.SUB, 8, abi.Counter, x64.Mem{Pool: g.number(atomicCost << 32)})
	g.changed()
	if asked {
		g.defineKept(g.slot(2, g.word()), g.word())
	}
}

// asked reports whether the result of the atomic in hand is needed: code reads it, its register is
// aliased, or every register must have the interpreter's value (Exact).
func (g *access) asked() bool {
	w := g.ops.Dst
	return w != 0 && (g.s.Geom.Exact || g.s.Webs[w].Uses > 0 || g.s.Has(w, webs.Aliased))
}

// laneAt is lane k after the lane whose number register reg holds.
type laneAt struct {
	reg x64.Reg
	k   int32
}

// keptAt is the element of lane i in a slot of the scratch area; elements have type t.
func (g *access) keptAt(slot int32, i laneAt, t ir.Type) x64.Mem {
	return at(g.kept(slot, i.reg, t), i.k*int32(t.Bytes()))
}

// lanesInTurn emits body for each lane of m in ascending order, as eachLane does. If all lanes of
// the wave are in m it uses a loop with four lanes per round; the general loop is then cold code.
func (g *access) lanesInTurn(m x64.Reg, body func(i laneAt)) {
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
	g.put(i, 8, operand{num: true}) // i is the first lane of a round
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

// surelyAll reports whether the operation in hand acts for all lanes of the wave in every launch.
func (g *access) surelyAll() bool {
	return g.f.Exec == 0 && g.ops.Guard == 0 && g.mk.Full(g.block)
}

// atomicCost is the number of instructions that an atomic takes from the budget: see
// sim.Wave.Updated.
const atomicCost = 32

// folds reports whether an operation on one address may be done for all lanes at once if no lane
// reads its result. That holds for and, or, minimum and maximum: the combined operation changes
// memory exactly if one of the single operations would change it.
func folds(op ir.AtomicOp) bool {
	switch op {
	case ir.AtomAnd, ir.AtomOr, ir.AtomMinU, ir.AtomMaxU, ir.AtomMinS, ir.AtomMaxS:
		return true
	}
	return false
}

// word is the type of the memory that the atomic in hand accesses.
func (g *access) word() ir.Type {
	if g.in.Size == 8 {
		return ir.B64
	}
	return ir.B32
}

// spillOperands stores the operands that differ between lanes in slots 0 and 1 of the scratch area,
// so that the loop over the lanes can load one element at a time.
func (g *access) spillOperands() {
	for k, r := range g.in.Args[1:3] {
		if r != 0 && g.same(k) == 0 {
			g.spill(g.slot(k, g.word()), g.ops.Args[1+k], g.word())
		}
	}
}

// same is the register with operand k if all lanes have the same value, else 0.
func (g *access) same(k int) x64.Reg {
	w := g.ops.Args[1+k]
	if _, ok := g.constant1(w); ok || g.sh.Web(w).Uniform() && !g.places[w].slot && g.places[w].gpr != 0 && !g.places[w].raw {
		return g.regOf(g.scalarOf(w, g.word()), g.in.Size)
	}
	return 0
}

// operandOf is operand k of lane i in a general register.
func (g *access) operandOf(k int, i laneAt) x64.Reg {
	if r := g.same(k); r != 0 {
		return r
	}
	d := g.gpr(8)
	g.load(g.in.Size, d, g.keptAt(g.slot(k, g.word()), i, g.word()))
	return d
}

// gathered combines the operands of the lanes of m into one. For an addition it also sets some to a
// nonzero value if any operand is nonzero. With a uniform operand the sum is operand × number of
// lanes.
func (g *access) gathered(m, some x64.Reg) x64.Reg {
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
	} else { // start with one of the operands: for idempotent operations a repetition does no harm
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

// give stores the result of each lane of m in the slot of results, for an addition to one word that
// held old: lane i finds old plus the operands of the lanes of m before it.
func (g *access) give(m, old x64.Reg) {
	n, t := g.in.Size, g.word()
	// x is the running value of the word.
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

// update applies the operation in hand to the memory at p with the operands a and b, and returns
// the old value (0 if it is an addition whose result is not read). With lock the update is one
// atomic step for other workers. update sets some to a nonzero value if memory changes. With sum, a
// is the sum over all lanes, and some is already known.
func (g *access) update(p x64.Mem, a, b, some x64.Reg, lock, sum bool) x64.Reg {
	n := g.in.Size
	old := g.gpr(8)
	differ := func(x, y x64.Reg) {
		t := g.gpr(8)
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: t, B: x})
		g.r2(x64.XOR, n, t, y)
		g.r2(x64.OR, n, some, t)
	}
	op := atomicOp(g.in)
	// An addition changes memory exactly if its operand is nonzero.
	if op == ir.AtomAdd && !sum && g.same(0) == 0 {
		g.r2(x64.OR, n, some, a)
	}
	// The result is not read: one instruction on memory is enough.
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
		// xadd leaves the old value in the operand's register; a subtraction adds the negative operand.
		g.emit(x64.Inst{Op: x64.LOCKXADDSt, Len: n, B: old, HasMem: true, M: p})
	case ir.AtomExch: // xchg is atomic without a prefix
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: old, B: a})
		g.emit(x64.Inst{Op: x64.XCHGSt, Len: n, B: old, HasMem: true, M: p})
		differ(old, a)
	case ir.AtomCAS:
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: abi.Acc, B: a})
		g.emit(x64.Inst{Op: x64.LOCKCMPXCHGSt, Len: n, B: b, HasMem: true, M: p})
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: old, B: abi.Acc})
		// The new value is b if the comparison succeeded, else the old value.
		t := g.gpr(8)
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: t, B: abi.Acc})
		g.emit(x64.Inst{Op: x64.CMOVE, Len: n, Dst: t, B: b})
		differ(t, old)
	default:
		// A compare-and-exchange loop: Acc holds the expected value, and after a failure the
		// current one.
		again := g.label()
		g.load(n, old, p)
		g.bind(again)
		r := g.result(old, a, b)
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: abi.Acc, B: old})
		g.emit(x64.Inst{Op: x64.LOCKCMPXCHGSt, Len: n, B: r, HasMem: true, M: p})
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: old, B: abi.Acc})
		g.jump(x64.JNE, again)
		differ(old, r)
	}
	return old
}

// result is the value that the atomic in hand stores if memory held old.
func (g *access) result(old, a, b x64.Reg) x64.Reg {
	n := g.in.Size
	if op, ok := g.pureOf(g.in); ok {
		return g.byVector1(op, old, a)
	}
	d := g.gpr(8)
	// alu is d op= a; pick replaces d by a if the condition of op holds between old and a.
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

// byVector1 applies a pure operation of two operands to one element by its vector rule, and returns
// the canonical result in a general register. So floats have the same bits here as in lane vectors.
func (g *access) byVector1(op ir.Op, a, b x64.Reg) x64.Reg {
	// The rule works on a vector of 16 bytes, of which the first element counts.
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
	// Rules look at the operation in hand and at its arguments, in case these are constants; the
	// operation here has arguments without webs.
	in, ops := g.in, g.ops
	g.in, g.ops = &ir.Inst{Op: op}, &webs.Operands{}
	rule := &vrules()[op]
	r := rule.fn(&g.lowering, v)
	if rule.rawOut != 0 {
		r = g.canonical(r, rule.rawOut, rule.nan)
	}
	g.in, g.ops = in, ops
	d := g.gpr(8)
	g.emit(x64.Inst{Op: to, Len: g.in.Size, Dst: d, B: r})
	return d
}
