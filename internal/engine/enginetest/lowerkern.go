package enginetest

import (
	"slices"

	"crosslane/internal/ir"
)

// benchKern writes the kernel of a bench. Waves of 32 lanes switch lanes by guards as PTX
// does, those of 64 by EXEC as GCN3 does.
type benchKern struct {
	*ir.Builder
	b        *bench
	line     int
	exec     ir.Ref // of 64 lanes; 0: none
	execBits ir.Ref // the same bytes as a scalar
	saved    ir.Ref
	tid, g   ir.Ref    // B32: thread in its block, in the grid
	block    ir.Ref    // B32, scalar
	in, out  ir.Ref    // B64, scalars: addresses
	vec      [4]ir.Ref // arguments, as lane vectors and as scalars
	sca      [4]ir.Ref
	mask     ir.Ref // B1: some lanes
	some     ir.Ref // the same and in EXEC
}

// ins starts a guest instruction.
func (k *benchKern) ins(name string) {
	k.line++
	k.At(ir.Pos{Line: k.line, Text: name, Name: name})
	k.Guard(k.exec, false)
}

func (k *benchKern) c(v uint64) ir.Ref { return k.Const(ir.B32, v) }

// start reads what all uses share.
func (k *benchKern) start() {
	b := k.b
	k.tid, k.block = k.Vector("tid", ir.B32), k.Scalar("block", ir.B32)
	k.in, k.out = k.Scalar("in", ir.B64), k.Scalar("out", ir.B64)
	k.Input(ir.ThreadIDX, k.tid, 0)
	k.Input(ir.BlockIDX, k.block, 0)
	k.Input(ir.LaunchValue, k.in, 0)
	k.Input(ir.LaunchValue, k.out, 1)
	if b.lanes == 64 {
		off := k.Reserve(8)
		k.exec, k.execBits = k.View("exec", ir.B1, false, off), k.View("exec", ir.B64, true, off)
		k.saved = k.Scalar("saved", ir.B64)
		k.Input(ir.ActiveMask0, k.execBits, 0)
		k.Func().Exec = k.exec
	} else {
		k.Func().MeetAnywhere = true
	}
	k.g, k.mask, k.some = k.Vector("g", ir.B32), k.Vector("mask", ir.B1), k.Vector("some", ir.B1)
	k.ins("mad")
	k.To(k.g, ir.Mad32, k.Splat(k.block), k.c(uint64(b.block)), k.tid)
	for i, t := range b.args {
		k.vec[i], k.sca[i] = k.Vector("v", t), k.Scalar("s", t)
		k.load(k.vec[i], b.inAt[i])
		k.ins("s_load")
		first := k.S(ir.Mul32, k.block, k.SConst(ir.B32, uint64(b.block)*elemBytes(t)))
		addr := k.S(ir.Add64, k.S(ir.Pack64, first, k.SConst(ir.B32, 0)), k.in)
		d, size := k.sca[i], uint8(elemBytes(t))
		if t == ir.B1 {
			d = k.STemp(ir.B32)
		}
		k.Guard(0, false)
		k.Emit(ir.Inst{Op: ir.Load, Scalar: true, Dst: d, Args: [4]ir.Ref{addr}, Size: size, Space: ir.Global, Imm: b.inAt[i]})
		if t == ir.B1 {
			k.To(k.sca[i], ir.NeU32, d, k.SConst(ir.B32, 0))
		}
	}
	m := k.Vector("m", ir.B32)
	k.load(m, b.maskAt)
	k.ins("setp")
	one := k.T(ir.And32, m, k.c(1))
	k.To(k.mask, ir.NeU32, one, k.c(0))
	if k.exec != 0 {
		k.ins("and")
		k.Guard(0, false)
		k.To(k.some, ir.AndP, k.mask, k.exec)
	}
}

// index is the address of the lane's element of an array, without the array's place.
func (k *benchKern) index(t ir.Type, base ir.Ref) ir.Ref {
	off := k.T(ir.Mul32, k.g, k.c(elemBytes(t)))
	return k.T(ir.Add64, k.T(ir.Pack64, off, k.c(0)), k.Splat(base))
}

func (k *benchKern) load(d ir.Ref, at uint64) {
	k.ins("ld")
	t := k.Func().Val(d).Type
	to := d
	if t == ir.B1 {
		to = k.Temp(ir.B32)
	}
	k.Emit(ir.Inst{Op: ir.Load, Dst: to, Args: [4]ir.Ref{k.index(t, k.in)}, Size: uint8(elemBytes(t)), Align: uint16(elemBytes(t)), Space: ir.Global, Imm: at})
	if t == ir.B1 {
		k.To(d, ir.NeU32, to, k.c(0))
	}
}

func (k *benchKern) store(v ir.Ref, at uint64) {
	k.ins("st")
	t := k.Func().Val(v).Type
	addr := k.index(t, k.out)
	if k.Func().Val(v).Scalar {
		if t == ir.B1 {
			v = k.S(ir.Sel32, v, k.SConst(ir.B32, 1), k.SConst(ir.B32, 0))
		}
		v = k.Splat(v)
	} else if t == ir.B1 {
		v = k.T(ir.Sel32, v, k.c(1), k.c(0))
	}
	k.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{addr, v}, Size: uint8(elemBytes(t)), Align: uint16(elemBytes(t)), Space: ir.Global, Imm: at})
}

// use emits one operation in its form, and the store of its result.
func (k *benchKern) use(u use) {
	info, f := &ir.Ops[u.op], u.form
	d := k.Vector("d", info.Res)
	if f.scalar {
		d = k.Scalar("d", info.Res)
	}
	var a []ir.Ref
	for i, t := range info.Args {
		switch {
		case f.fixed == i+1 && f.known && f.scalar:
			a = append(a, k.SConst(t, f.value))
		case f.fixed == i+1 && f.known:
			a = append(a, k.Const(t, f.value))
		case f.scalar, f.fixed == i+1:
			a = append(a, k.sca[i])
		default:
			a = append(a, k.vec[i])
		}
	}
	if f.twice {
		a[1] = a[0]
	}
	if !f.scalar {
		k.ins("mov")
		old := k.Const(info.Res, u.old)
		if f.alias {
			i := slices.Index(info.Args, info.Res)
			old, a[i] = a[i], d
		}
		k.Move(d, old)
	}
	if f.exec {
		k.ins("s_and")
		k.To(k.saved, ir.Mov64, k.execBits)
		k.ins("exec")
		k.Guard(0, false)
		k.To(k.exec, ir.MovB1, k.some)
	}
	k.ins(info.Name)
	switch {
	case f.scalar:
		k.Guard(0, false)
	case f.guard > 0 && k.exec == 0:
		k.Guard(k.mask, f.guard == 2)
	case f.guard == 1:
		k.Guard(k.some, false)
	case f.guard == 2:
		not := k.T(ir.NotP, k.mask)
		k.Guard(k.T(ir.AndP, not, k.exec), false)
	}
	if f.temp {
		k.Move(d, k.T(u.op, a...))
	} else {
		k.To(d, u.op, a...)
	}
	if f.exec {
		k.ins("s_mov")
		k.Guard(0, false)
		k.To(k.execBits, ir.Mov64, k.saved)
	}
	k.store(d, u.at)
}
