package randprog

import (
	"example.org/crosslane/internal/ir"
)

// stmt emits one statement.
func (b *builder) stmt(ops map[string]ir.Op, s *Stmt) {
	if s.Op == "label" {
		l := int(s.Imm)
		if b.bound[l] {
			b.fail("label %d twice", l)
			return
		}
		b.Bind(b.label(l))
		b.bound[l], b.apart = true, true
		return
	}
	op, ok := ops[s.Op]
	if !ok {
		b.fail("there is no such operation")
		return
	}
	if !s.Cont || b.apart || op.EndsBlock() {
		b.ins(s.Op)
	}
	b.apart = op.EndsBlock()
	b.guard(s)
	if b.err != nil {
		return
	}
	defer b.Guard(0, false)
	switch {
	case op.Pure():
		b.pure(op, s)
	case b.exec != 0 && op.Meets(), b.exec == 0 && (op == ir.SBra || op == ir.EndWave || op == ir.WaveBar):
		b.fail("not with %d lanes", b.p.Lanes)
	default:
		b.effect(op, s)
	}
}

// pure emits a pure operation.
func (b *builder) pure(op ir.Op, s *Stmt) {
	info := &ir.Ops[op]
	if len(s.Args) != len(info.Args) {
		b.fail("%d arguments", len(s.Args))
		return
	}
	scalar := false
	if s.Dst >= 0 {
		_, scalar = b.typeOf(s.Dst)
	} else {
		scalar = s.Imm == 1
	}
	if scalar {
		b.Guard(0, false)
	}
	var args []ir.Ref
	for i, t := range info.Args {
		args = append(args, b.val(s.Args[i], t, scalar))
	}
	d := b.dst(s.Dst, info.Res, scalar)
	if b.err == nil {
		b.To(d, op, args...)
	}
}

// arg returns an argument of an operation with effects; a constant if the statement has none.
func (b *builder) arg(s *Stmt, i int, t ir.Type) ir.Ref {
	if i >= len(s.Args) {
		return b.Const(t, 0)
	}
	return b.val(s.Args[i], t, false)
}

// effect emits any other operation.
func (b *builder) effect(op ir.Op, s *Stmt) {
	in := ir.Inst{Op: op, Imm: s.Imm}
	res, res2 := ir.NoType, ir.NoType // types of the results
	switch op {
	case ir.Nop, ir.Fence, ir.Trap:
	case ir.Exit, ir.EndWave:
	case ir.Splat:
		if len(s.Args) == 0 || s.Args[0].Const {
			b.fail("a constant")
			return
		}
		t, scalar := b.typeOf(s.Args[0].Var)
		if !scalar {
			b.fail("no scalar")
			return
		}
		in.Args[0], res = b.val(s.Args[0], t, true), t
	case ir.LaneBit:
		in.Args[0], res = b.sarg(s, 0, ir.B1), ir.B1
	case ir.Clock:
		res, _ = b.typeOf(s.Dst)
	case ir.Load, ir.Store, ir.Atomic:
		b.access(op, s)
		return
	case ir.Shfl, ir.ShflSync:
		in.Args = [4]ir.Ref{b.arg(s, 0, ir.B32), b.arg(s, 1, ir.B32), b.arg(s, 2, ir.B32)}
		res, res2 = ir.B32, ir.B1
		in.Imm &= 3
	case ir.Vote, ir.VoteSync:
		in.Args[0] = b.arg(s, 0, ir.B1)
		if in.Imm &= 3; ir.VoteMode(in.Imm) == ir.VoteBallot {
			res = ir.B32
		} else {
			res2 = ir.B1
		}
	case ir.MatchSync:
		t := ir.B32
		if len(s.Args) > 0 && !s.Args[0].Const {
			t, _ = b.typeOf(s.Args[0].Var)
		}
		if t != ir.B32 && t != ir.B64 {
			b.fail("a match of %s", t)
			return
		}
		in.Args[0], res = b.arg(s, 0, t), ir.B32
		if in.Imm &= 1; ir.MatchMode(in.Imm) == ir.MatchAll {
			res2 = ir.B1
		}
	case ir.ReduxSync:
		in.Args[0], res = b.arg(s, 0, ir.B32), ir.B32
		in.Imm = in.Imm & 0x30f % 10
	case ir.ActiveMask:
		res = ir.B32
	case ir.ElectSync:
		res, res2 = ir.B32, ir.B1
	case ir.WarpSync:
	case ir.Bar:
		in.Args = [4]ir.Ref{b.arg(s, 0, ir.B32), 0, b.arg(s, 1, ir.B1)}
		in.Imm &= uint64(ir.BarModeMask)
		switch mode := ir.BarMode(in.Imm); mode {
		case ir.BarRedPopc:
			res = ir.B32
		case ir.BarRedAnd, ir.BarRedOr:
			res2 = ir.B1
		case ir.BarSync:
			in.Args[2] = 0
		default:
			b.fail("a barrier of mode %d", mode)
			return
		}
	case ir.WaveBar:
		b.Guard(0, false)
		in.Scalar = true
	case ir.Bra, ir.SBra, ir.BraTable:
		b.branch(op, s)
		return
	default:
		b.wide(op, s)
		return
	}
	if op.Meets() {
		if in.Args[3] = b.arg(s, 3, ir.B32); len(s.Args) < 4 {
			in.Args[3] = b.c(0xffffffff)
		}
	}
	if op.Meets() || op == ir.Bar {
		for k := range in.Args {
			in.Args[k] = b.stable(k, in.Args[k])
		}
	}
	b.results(s, &in, res, res2)
}

// stable returns a value that keeps its content while lanes wait, in the way of the front
// ends: temporaries are overwritten by the lanes that run meanwhile.
func (b *builder) stable(slot int, r ir.Ref) ir.Ref {
	if r == 0 || b.err != nil || b.Func().Val(r).Kind != ir.Temp {
		return r
	}
	k := hiddenKey{b.Func().Val(r).Type, slot}
	h := b.hidden[k]
	if h == 0 {
		h = b.Vector("", k.t)
		b.hidden[k] = h
	}
	b.Move(h, r)
	return h
}

// results emits an operation with its results.
func (b *builder) results(s *Stmt, in *ir.Inst, res, res2 ir.Type) {
	if res != ir.NoType && s.Dst != None {
		in.Dst = b.dst(s.Dst, res, false)
	}
	if res2 != ir.NoType && s.Dst2 != None {
		in.Dst2 = b.dst(s.Dst2, res2, false)
	}
	if s.Dst < 0 && s.Dst != None || s.Dst2 < 0 && s.Dst2 != None {
		b.fail("a temporary")
	}
	if b.err == nil && (in.Dst != 0 || in.Dst2 != 0 || res == ir.NoType && res2 == ir.NoType) {
		b.Emit(*in)
	}
}

// sarg returns a scalar argument.
func (b *builder) sarg(s *Stmt, i int, t ir.Type) ir.Ref {
	if i >= len(s.Args) {
		return b.SConst(t, 0)
	}
	return b.val(s.Args[i], t, true)
}

// wide emits an operation across lanes that only waves of 64 lanes have.
func (b *builder) wide(op ir.Op, s *Stmt) {
	if b.exec == 0 {
		b.fail("not with 32 lanes")
		return
	}
	in := ir.Inst{Op: op, Imm: s.Imm}
	// As in the front end: the moved value goes into a temporary, for all lanes, and from
	// there to the active lanes.
	moved := func() {
		if b.err != nil {
			return
		}
		in.Dst = b.Temp(ir.B32)
		b.Emit(in)
	}
	d := ir.Ref(0)
	switch op {
	case ir.DPPRead, ir.DPPMask:
		ctrl, rows, banks, bound := ir.DPPFields(s.Imm)
		if !validDPP(ctrl) {
			b.fail("no control %#x", ctrl)
			return
		}
		in.Imm = ir.DPPImm(ctrl, rows, banks, bound)
		in.Args = [4]ir.Ref{b.arg(s, 0, ir.B32), b.exec}
		d = b.dst(s.Dst, ir.B32, false)
		mask := ir.Inst{Op: ir.DPPMask, Imm: in.Imm, Dst: b.Temp(ir.B1), Args: [4]ir.Ref{b.exec}}
		b.Guard(0, false)
		b.Emit(mask)
		in.Op = ir.DPPRead
		moved()
		b.Guard(mask.Dst, false)
	case ir.DSSwizzle:
		in.Imm &= 0xffff
		in.Args = [4]ir.Ref{b.arg(s, 0, ir.B32)}
		d = b.dst(s.Dst, ir.B32, false)
		moved()
	case ir.DSPermute, ir.DSBpermute:
		in.Imm &= 0xff
		in.Args = [4]ir.Ref{b.arg(s, 0, ir.B32), b.arg(s, 1, ir.B32)}
		d = b.dst(s.Dst, ir.B32, false)
		moved()
	case ir.ReadLane, ir.ReadFirstLane:
		in.Args = [4]ir.Ref{b.arg(s, 0, ir.B32), b.exec}
		if op == ir.ReadLane {
			in.Args[1] = b.sarg(s, 1, ir.B32)
		}
		in.Imm = s.Imm & 1
		in.Scalar, in.Dst = true, b.dst(s.Dst, ir.B32, true)
		b.Guard(0, false)
		if b.err == nil {
			b.Emit(in)
		}
		return
	case ir.WriteLane:
		in.Args = [4]ir.Ref{b.sarg(s, 0, ir.B32), b.sarg(s, 1, ir.B32)}
		in.Dst = b.dst(s.Dst, ir.B32, false)
		b.Guard(0, false)
		if b.err == nil {
			b.Emit(in)
		}
		return
	default:
		b.fail("not made here")
		return
	}
	if b.err == nil {
		b.Move(d, in.Dst)
	}
}

// validDPP reports whether a DPP control exists.
func validDPP(ctrl uint16) bool {
	switch {
	case ctrl < 0x100: // quad_perm
		return true
	case ctrl < 0x130:
		return ctrl&15 != 0
	}
	switch ctrl {
	case 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143:
		return true
	}
	return false
}

// branch emits a branch; a backward branch uses up fuel, and is not taken without fuel.
func (b *builder) branch(op ir.Op, s *Stmt) {
	if len(s.To) == 0 {
		b.fail("a branch to nowhere")
		return
	}
	back := false
	for _, l := range s.To {
		back = back || b.bound[l]
	}
	if op == ir.SBra {
		b.Guard(0, false)
		cond := ir.Ref(0)
		if len(s.Args) > 0 {
			cond = b.sarg(s, 0, ir.B1)
		}
		if back {
			b.To(b.sfuel, ir.Sub32, b.sfuel, b.SConst(ir.B32, 1))
			left := b.S(ir.GtS32, b.sfuel, b.SConst(ir.B32, 0))
			if cond != 0 {
				if s.Not {
					cond = b.S(ir.NotP, cond)
				}
				left = b.S(ir.AndP, left, cond)
			}
			b.SBra(b.label(s.To[0]), left, false)
			return
		}
		if b.err == nil {
			b.SBra(b.label(s.To[0]), cond, s.Not && cond != 0)
		}
		return
	}
	if b.exec != 0 {
		b.fail("lanes do not part")
		return
	}
	if back {
		g := ir.Ref(0)
		if s.Guard != 0 {
			g = b.val(Arg{Var: s.Guard - 1}, ir.B1, false)
		}
		b.Guard(0, false)
		b.To(b.fuel, ir.Sub32, b.fuel, b.c(1))
		left := b.T(ir.GtS32, b.fuel, b.c(0))
		if g != 0 {
			if s.Not {
				g = b.T(ir.NotP, g)
			}
			left = b.T(ir.AndP, left, g)
		}
		b.Guard(left, false)
	}
	if op == ir.Bra {
		b.Bra(b.label(s.To[0]))
		return
	}
	index := b.arg(s, 0, ir.B32)
	if s.Index != "raw" {
		index = b.T(ir.RemU32, index, b.c(uint64(len(s.To))))
	}
	table := b.NewTable()
	for _, l := range s.To {
		b.Target(table, b.label(l))
	}
	if b.err == nil {
		b.BraTable(table, index, 0)
	}
}

// access emits a load, a store or an atomic.
func (b *builder) access(op ir.Op, s *Stmt) {
	in := ir.Inst{Op: op, Size: s.Size, Flags: ir.Flags(s.Flags) & (ir.SignExtend | ir.Volatile)}
	if s.Align || op == ir.Atomic {
		in.Align = uint16(s.Size)
	}
	if s.Size != 1 && s.Size != 2 && s.Size != 4 && s.Size != 8 || len(s.Args) == 0 {
		b.fail("an access of %d bytes", s.Size)
		return
	}
	scalar := s.Index == "scalar"
	addr := b.address(s, &in, scalar)
	in.Args[0] = addr
	if b.err != nil {
		return
	}
	t := ir.B32
	switch op {
	case ir.Load:
		var sc bool
		t, sc = b.typeOf(s.Dst)
		if s.Dst < 0 || t == ir.NoType || t == ir.B1 || t.Bytes() < uint32(s.Size) || sc != scalar {
			b.fail("a load of %d bytes into %s", s.Size, t)
			return
		}
		in.Dst, in.Scalar = b.vars[s.Dst], scalar
		if scalar {
			b.Guard(0, false)
			in.Align = 0
		}
	case ir.Store:
		if scalar || len(s.Args) < 2 || s.Mem == "in" || s.Mem == "param" && s.Index != "raw" {
			b.fail("no such store")
			return
		}
		if !s.Args[1].Const {
			t, _ = b.typeOf(s.Args[1].Var)
		}
		v := b.val(s.Args[1], t, false)
		if t == ir.B1 {
			v, t = b.T(ir.Sel32, v, b.c(1), b.c(0)), ir.B32
		}
		if t == ir.NoType || t.Bytes() < uint32(s.Size) || s.Mem == "acc" {
			b.fail("a store of %d bytes from %s", s.Size, t)
			return
		}
		in.Args[1] = v
	case ir.Atomic:
		b.atomic(s, &in)
	}
	if b.err == nil {
		b.Emit(in)
	}
}

// atomic completes an atomic.
func (b *builder) atomic(s *Stmt, in *ir.Inst) {
	t := map[uint8]ir.Type{4: ir.B32, 8: ir.B64}[s.Size]
	op := ir.AtomicOp(s.Imm)
	commutes := op <= ir.AtomXor
	switch {
	case t == ir.NoType || op > ir.AtomAddF32 || op >= ir.AtomInc && s.Size != 4 || s.Index == "scalar" || s.Mem == "in" || s.Mem == "param" || len(s.Args) < 2:
		b.fail("no such atomic")
		return
	case s.Mem == "acc" && (!commutes || s.Dst != None):
		b.fail("the order shows")
		return
	}
	if s.Mem == "acc" {
		// Different operations on one word would not commute.
		in.Imm = 0
	}
	in.Imm = ir.AtomicImm(op, int32(in.Imm))
	in.Args[1] = b.arg(s, 1, t)
	if op == ir.AtomCAS {
		in.Args[2] = b.arg(s, 2, t)
	}
	if s.Dst != None {
		in.Dst = b.dst(s.Dst, t, false)
		if s.Dst < 0 {
			b.fail("a temporary")
		}
	}
}

// address computes the address of an access from Args[0], and sets the space. With Index
// "lane" each lane has its own element, and Imm is the slot; with "idx" Args[0] selects an
// element, with "byte" a byte; "raw" is any address; "near" adds Imm, "sext" is signed, "far"
// has 64 bits; "scalar" is one element for the wave.
func (b *builder) address(s *Stmt, in *ir.Inst, scalar bool) ir.Ref {
	size := uint64(s.Size)
	bytes := uint64(0)
	base := ir.Ref(0)
	wide := true
	switch s.Mem {
	case "in":
		in.Space, base, bytes = ir.Global, b.in, inBytes
	case "own":
		in.Space, base, bytes = ir.Global, b.own, ownBytes
	case "gown":
		in.Space, base, bytes = ir.Generic, b.own, ownBytes
	case "out", "sum":
		in.Space, base, bytes = ir.Global, b.out, 0
		if s.Index != "lane" {
			b.fail("results of other lanes")
			return 0
		}
	case "acc":
		in.Space, base, bytes = ir.Global, b.acc, accBytes
	case "shared":
		in.Space, bytes, wide = ir.Shared, sharedBytes, false
	case "gshared":
		in.Space, bytes, base = ir.Generic, sharedBytes, b.SConst(ir.B64, ir.SharedWindow)
	case "local":
		in.Space, bytes, wide = ir.Local, localBytes, false
	case "param":
		in.Space, bytes, wide = ir.Param, paramBytes, false
	default:
		b.fail("no memory %q", s.Mem)
		return 0
	}
	if scalar {
		if s.Mem != "in" && s.Mem != "own" {
			b.fail("a scalar load")
			return 0
		}
		b.Guard(0, false)
		i := b.S(ir.And32, b.sarg(s, 0, ir.B32), b.SConst(ir.B32, (bytes-8)&^3))
		in.Imm = s.Imm & 7 &^ 3 % max(1, 9-size)
		return b.S(ir.Add64, base, b.S(ir.Pack64, i, b.SConst(ir.B32, 0)))
	}
	idx := ir.Ref(0)
	switch s.Index {
	case "lane":
		if s.Mem == "out" {
			idx = b.T(ir.Mul32, b.g, b.c(slotBytes*maxSlots))
			in.Imm = slotBytes * (s.Imm % maxSlots)
			break
		}
		if s.Mem == "sum" { // one word for each lane
			idx = b.T(ir.Mul32, b.g, b.c(4))
			break
		}
		step := 1 + s.Imm&3%3
		idx = b.T(ir.Mul32, b.T(ir.And32, b.tid, b.c(bytes/(size*step)-1)), b.c(size*step))
	case "const":
		idx = b.c(b.Func().Val(b.arg(s, 0, ir.B32)).Const % (bytes / size) * size)
	case "idx":
		idx = b.T(ir.Mul32, b.T(ir.And32, b.arg(s, 0, ir.B32), b.c(bytes/size-1)), b.c(size))
		if s.Mem == "acc" { // one word for each operation
			idx = b.c(s.Imm % 8 * 8)
		}
	case "byte":
		idx = b.T(ir.And32, b.arg(s, 0, ir.B32), b.c(bytes/2-1))
		in.Imm = s.Imm & 15
	case "raw":
		idx = b.arg(s, 0, ir.B32)
	case "near":
		if idx = b.arg(s, 0, ir.B32); s.Op != "Atomic" { // for Atomic, Imm is the operation
			in.Imm = s.Imm
		}
	case "sext", "far":
		return b.wideAddress(s, in, base)
	default:
		b.fail("no element %q", s.Index)
		return 0
	}
	if !wide && s.Flags&0x80 == 0 {
		return idx
	}
	addr := b.T(ir.Pack64, idx, b.c(0))
	if base != 0 {
		addr = b.T(ir.Add64, addr, b.Splat(base))
	}
	return addr
}

// wideAddress returns the address of an access at a number of bytes, of 64 bits or signed,
// after the start of its memory.
func (b *builder) wideAddress(s *Stmt, in *ir.Inst, base ir.Ref) ir.Ref {
	if base == 0 {
		b.fail("no addresses of 64 bits")
		return 0
	}
	in.Imm = s.Imm
	if s.Op == "Atomic" {
		in.Imm = 0 // Imm is the operation
	}
	if s.Index == "far" {
		return b.T(ir.Add64, b.arg(s, 0, ir.B64), b.Splat(base))
	}
	return b.T(ir.Add64, b.T(ir.CvtS64FromS32, b.arg(s, 0, ir.B32)), b.Splat(base))
}
