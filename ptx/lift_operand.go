package ptx

import (
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// src returns operand i as a lane vector of the operand's type.
func (l *lifter) src(i int) ir.Ref { return l.value(&l.in.Args[i], l.v.args[i]) }

// value returns an operand as a lane vector of the bits of type t. Wider registers are truncated
// (PTX 9.4.1).
func (l *lifter) value(o *Operand, t Type) ir.Ref {
	want := irType(t)
	o = o.single()
	switch o.Kind {
	case KindReg:
		return l.cut(l.reg(o), want)
	case KindSum:
		// The sum has the width of the operand.
		r, wide := l.value(&o.List[0], t), want
		if want == ir.B8 {
			r, wide = l.b.T(ir.CvtU16FromU8, r), ir.B16
		}
		return l.cut(l.b.T(l.addOp(wide), r, l.b.Const(wide, uint64(o.Off))), want)
	case KindSymOff:
		return l.addressValue(o, want, false)
	case KindNot:
		return l.b.T(ir.NotP, l.value(&o.List[0], Pred))
	case KindInt, KindFloat:
		v := constBits(o, t)
		if t == Pred && v != 0 {
			v = 1
		}
		return l.b.Const(want, v)
	case KindSpecial:
		return l.b.Splat(l.specialValue(o, want))
	}
	l.unsupportedOperand(o)
	return l.b.Const(want, 0)
}

func (l *lifter) unsupportedOperand(o *Operand) {
	l.errorf(o.Pos, diag.Unsupported, codeNotLifted, "%s: %s is not supported here", l.in.Op, describe(o))
}

// typeOf returns the IR type of a value.
func (l *lifter) typeOf(r ir.Ref) ir.Type { return l.b.Func().Val(r).Type }

// cut truncates a value to a narrower type.
func (l *lifter) cut(r ir.Ref, want ir.Type) ir.Ref {
	have := l.typeOf(r)
	if have == want {
		return r
	}
	op, ok := resizeOp(have, want, false)
	if !ok {
		return r // Builder reports the mismatch
	}
	return l.b.T(op, r)
}

// resizeOp returns the operation that changes a width, with sign or zero extension; ok is false if
// there is none.
func resizeOp(from, to ir.Type, signed bool) (op ir.Op, ok bool) {
	switch from<<4 | to {
	case ir.B16<<4 | ir.B8:
		op = ir.CvtU8FromU16
	case ir.B32<<4 | ir.B8:
		op = ir.CvtU8FromU32
	case ir.B64<<4 | ir.B8:
		op = ir.CvtU8FromU64
	case ir.B32<<4 | ir.B16:
		op = ir.CvtU16FromU32
	case ir.B64<<4 | ir.B16:
		op = ir.CvtU16FromU64
	case ir.B64<<4 | ir.B32:
		op = ir.CvtU32FromU64
	case ir.B8<<4 | ir.B16:
		op = pick(signed, ir.CvtU16FromS8, ir.CvtU16FromU8)
	case ir.B8<<4 | ir.B32:
		op = pick(signed, ir.CvtU32FromS8, ir.CvtU32FromU8)
	case ir.B8<<4 | ir.B64:
		op = pick(signed, ir.CvtU64FromS8, ir.CvtU64FromU8)
	case ir.B16<<4 | ir.B32:
		op = pick(signed, ir.CvtU32FromS16, ir.CvtU32FromU16)
	case ir.B16<<4 | ir.B64:
		op = pick(signed, ir.CvtU64FromS16, ir.CvtU64FromU16)
	case ir.B32<<4 | ir.B64:
		op = pick(signed, ir.CvtU64FromS32, ir.CvtU64FromU32)
	}
	return op, op != 0
}

func pick(signed bool, s, u ir.Op) ir.Op {
	if signed {
		return s
	}
	return u
}

// immediate returns the bits of operand i, which is a constant.
func (l *lifter) immediate(i int) uint64 { return l.in.Args[i].Val & (1<<l.v.ops[i].bits - 1) }

// dst returns the register that operand i writes; nil for `_`.
func (l *lifter) dst(i int) *Operand {
	o := &l.in.Args[i]
	if o.Kind == KindPair {
		o = &o.List[0]
	}
	o = o.single()
	if o.Kind != KindReg {
		return nil
	}
	return o
}

// pair returns the predicate destination of operand i; 0 if there is none.
func (l *lifter) pair(i int) ir.Ref {
	if o := &l.in.Args[i]; o.Kind == KindPair && o.List[1].Kind == KindReg {
		return l.reg(&o.List[1])
	}
	return 0
}

// to emits a pure operation and writes its result to operand i.
func (l *lifter) to(i int, op ir.Op, args ...ir.Ref) {
	o := l.dst(i)
	if o == nil {
		return
	}
	if r := l.reg(o); l.typeOf(r) == ir.Ops[op].Res {
		l.b.To(r, op, args...)
		return
	}
	l.assign(o, l.b.T(op, args...), l.v.args[i].Signed())
}

// set writes a value to operand i.
func (l *lifter) set(i int, val ir.Ref) {
	if o := l.dst(i); o != nil {
		l.assign(o, val, l.v.args[i].Signed())
	}
}

// assign writes a value to a register, extended to its width.
func (l *lifter) assign(o *Operand, val ir.Ref, signed bool) {
	r := l.reg(o)
	have, want := l.typeOf(val), l.typeOf(r)
	if have == want {
		l.b.Move(r, val)
		return
	}
	if op, ok := resizeOp(have, want, signed); ok {
		l.b.To(r, op, l.b.Splat(val))
		return
	}
	l.b.Move(r, val) // Builder reports the mismatch
}

// stable returns a value that survives while lanes wait. A waiting operation ends a block and
// temporaries live within one block, so stable copies them to hidden storage of the guest. A lane
// waits at one place at a time, so one hidden value for each argument slot suffices.
func (l *lifter) stable(slot int, r ir.Ref) ir.Ref {
	v := l.b.Func().Val(r)
	if v.Kind != ir.Temp && !v.Scalar {
		return r
	}
	h := l.keep(slot, v.Type)
	l.b.Move(h, r)
	return h
}

// keep returns the hidden value of an argument slot.
func (l *lifter) keep(slot int, t ir.Type) ir.Ref {
	k := hiddenKey{t, slot}
	h, ok := l.hidden[k]
	if !ok {
		h = l.b.Vector("", t)
		l.hidden[k] = h
	}
	return h
}

// specialValue returns a special register's value with the wanted type. It is a scalar if all lanes
// have the same value.
func (l *lifter) specialValue(o *Operand, want ir.Type) ir.Ref {
	k := specialKey{o.Special, o.Comp, 0}
	r, ok := l.special[k]
	if !ok {
		if r = l.specialInput(o); r != 0 {
			l.special[k] = r
		} else {
			r = l.specialComputed(o, want)
		}
	}
	have := l.typeOf(r)
	if have == want {
		return r
	}
	op, ok := resizeOp(have, want, false)
	if !ok {
		return r
	}
	if l.b.Func().Val(r).Scalar {
		return l.b.S(op, r)
	}
	return l.b.T(op, r)
}

// specialInput declares a special register that the launch fills in; 0 if the register is not of
// that kind.
func (l *lifter) specialInput(o *Operand) ir.Ref {
	axis := ir.InputKind(min(elementIndex(o.Comp), 2))
	input := func(t ir.Type, scalar bool, k ir.InputKind, imm uint64) ir.Ref {
		var r ir.Ref
		name := o.Name
		if o.Comp != "" {
			name += "." + o.Comp
		}
		if scalar {
			r = l.b.Scalar(name, t)
		} else {
			r = l.b.Vector(name, t)
		}
		l.b.Input(k, r, imm)
		return r
	}
	if elementIndex(o.Comp) == 3 {
		return input(ir.B32, true, ir.InConst, 0)
	}
	switch o.Special {
	case SrTid:
		return input(ir.B32, false, ir.ThreadIDX+axis, 0)
	case SrNtid:
		return input(ir.B32, true, ir.BlockDimX+axis, 0)
	case SrCtaid:
		return input(ir.B32, true, ir.BlockIDX+axis, 0)
	case SrNctaid:
		return input(ir.B32, true, ir.GridDimX+axis, 0)
	case SrClusterid:
		return input(ir.B32, true, ir.ClusterIDX+axis, 0)
	case SrNclusterid:
		return input(ir.B32, true, ir.ClusterCountX+axis, 0)
	case SrClusterCtaid:
		return input(ir.B32, true, ir.ClusterBlockIDX+axis, 0)
	case SrClusterNctaid:
		return input(ir.B32, true, ir.ClusterDimX+axis, 0)
	case SrClusterCtarank:
		return input(ir.B32, true, ir.ClusterRank, 0)
	case SrClusterNctarank:
		return input(ir.B32, true, ir.ClusterSize, 0)
	case SrLaneid:
		return input(ir.B32, false, ir.LaneID, 0)
	case SrWarpid:
		return input(ir.B32, true, ir.WaveID, 0)
	case SrNwarpid:
		return input(ir.B32, true, ir.WaveCount, 0)
	case SrGridid:
		return input(ir.B64, true, ir.GridID, 0)
	case SrEnvreg0 + 1: // cooperative groups read it
		return input(ir.B32, true, ir.WorkspaceHigh, 0)
	case SrEnvreg0 + 2:
		return input(ir.B32, true, ir.WorkspaceLow, 0)
	case SrDynamicSmemSize:
		return input(ir.B32, true, ir.SharedDynamic, 0)
	case SrNsmid:
		return input(ir.B32, true, ir.InConst, 1)
	case SrSmid:
		return input(ir.B32, true, ir.InConst, 0)
	}
	return 0
}

// specialComputed emits the special registers that are computed from other ones.
func (l *lifter) specialComputed(o *Operand, want ir.Type) ir.Ref {
	b := l.b
	one := b.Const(ir.B32, 1)
	// bit emits 1 << laneid, the value of %lanemask_eq (PTX 10.18 to 10.22).
	bit := func() ir.Ref {
		id := Operand{Kind: KindSpecial, Special: SrLaneid, Name: "%laneid"}
		return b.T(ir.Shl32, one, l.specialValue(&id, ir.B32))
	}
	switch o.Special {
	case SrLanemaskEq:
		return bit()
	case SrLanemaskLt:
		return b.T(ir.Sub32, bit(), one)
	case SrLanemaskLe:
		// Bits 0 to laneid are 2*bit - 1. For lane 31, 2<<31 is 0, and 0-1 is all ones.
		return b.T(ir.Sub32, b.T(ir.Shl32, bit(), one), one)
	case SrLanemaskGe:
		return b.T(ir.Not32, b.T(ir.Sub32, bit(), one))
	case SrLanemaskGt:
		return b.T(ir.Not32, b.T(ir.Sub32, b.T(ir.Shl32, bit(), one), one))
	case SrClock, SrClock64, SrGlobaltimer, SrGlobaltimerLo:
		t := ir.B32
		if o.Special == SrClock64 || o.Special == SrGlobaltimer {
			t = ir.B64
		}
		r := b.Temp(t)
		b.Emit(ir.Inst{Op: ir.Clock, Dst: r})
		return r
	case SrIsExplicitCluster:
		e := l.k.Entry
		if e.Directive(".reqnctapercluster") != nil || e.Directive(".explicitcluster") != nil {
			return b.Const(ir.B1, 1)
		}
		given := b.Scalar("%is_explicit_cluster", ir.B32)
		b.Input(ir.ClusterGiven, given, 0)
		return b.T(ir.NeU32, b.Splat(given), b.Const(ir.B32, 0))
	case SrClockHi, SrGlobaltimerHi:
		r := b.Temp(ir.B64)
		b.Emit(ir.Inst{Op: ir.Clock, Dst: r})
		return b.T(ir.Hi32, r)
	case SrTotalSmemSize, SrAggrSmemSize:
		// PTX 10.30: the size is in units of the target. No shared memory is reserved for the
		// system, so 10.31 has the same value.
		unit := uint64(256)
		if sm := l.m.Target.SM; sm < 30 || sm >= 80 {
			unit = 128
		}
		total := b.Scalar("%total_smem_size", ir.B32)
		b.Input(ir.SharedTotal, total, 0)
		up := b.S(ir.Add32, total, b.SConst(ir.B32, unit-1))
		return b.S(ir.And32, up, b.SConst(ir.B32, -unit))
	case SrReservedSmemOffsetBegin, SrReservedSmemOffsetEnd, SrReservedSmemOffsetCap, SrReservedSmemOffset0, SrReservedSmemOffset1:
		return b.Const(ir.B32, 0) // no memory is reserved
	case SrPerCtaMemoryOffset, SrPerCtaMemorySize:
		// PTX 9.4, section 10.35: the value is 0, because no such memory is allocated.
		if l.k.Entry == nil || l.k.Entry.Directive(".minperctamemory") == nil {
			l.errorf(o.Pos, diag.Input, codeOperand, "%s is for kernels with .minperctamemory", o.Name)
		}
		if o.Special == SrPerCtaMemoryOffset {
			return b.Const(ir.B64, 0)
		}
		return b.Const(ir.B32, 0)
	case SrCurrentGraphExec:
		return b.Const(ir.B64, 0) // PTX 10.33: the kernel is not part of a graph
	}
	if o.Special >= SrPm0 && o.Special <= SrPm7 || o.Special >= SrEnvreg0 && o.Special <= SrEnvreg31 {
		return b.Const(ir.B32, 0)
	}
	if o.Special >= SrPm0_64 && o.Special <= SrPm7_64 {
		return b.Const(ir.B64, 0)
	}
	l.unsupportedOperand(o)
	return b.Const(want, 0)
}
