package enginetest

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// benchKern builds the kernel of a bench. Waves of 32 lanes select lanes by guards as PTX
// does, waves of 64 by EXEC as GCN3 does.
type benchKern struct {
	*ir.Builder
	b        *bench
	line     int
	exec     ir.Ref // 64 lanes; 0: none
	execBits ir.Ref // the same bytes as a scalar
	saved    ir.Ref
	tid, g   ir.Ref    // B32: thread in its block, in the grid
	block    ir.Ref    // B32, scalar
	in, out  ir.Ref    // B64, scalars: addresses
	vec      [4]ir.Ref // arguments, as lane vectors and as scalars
	sca      [4]ir.Ref
	mask     ir.Ref // B1: some lanes
	some     ir.Ref // the same, restricted to EXEC
	one      ir.Ref // B1: uniform
}

// ins starts a guest instruction.
func (k *benchKern) ins(name string) {
	k.line++
	k.At(ir.Pos{Line: k.line, Text: name, Name: name})
	k.Guard(k.exec, false)
}

func (k *benchKern) c(v uint64) ir.Ref { return k.Const(ir.B32, v) }

// start reads the values that all uses share.
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
	k.one = k.Vector("one", ir.B1)
	k.ins("setp")
	k.To(k.one, ir.NeU32, k.Splat(k.block), k.c(1))
	if k.exec != 0 {
		k.ins("and")
		k.Guard(0, false)
		k.To(k.some, ir.AndP, k.mask, k.exec)
	}
}

// index returns the address of the lane's element of an array, relative to the array.
func (k *benchKern) index(t ir.Type, base ir.Ref) ir.Ref {
	off := k.T(ir.Mul32, k.g, k.c(elemBytes(t)))
	return k.T(ir.Add64, k.T(ir.Pack64, off, k.c(0)), k.Splat(base))
}

// load reads the lane's element of the array at offset at into d. A predicate is a word that is not 0.
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

// store writes a value to the lane's element of the output array at offset at.
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

// raw returns v + -0, in a register that more operations write than read, all of them sums.
// So it pays not to canonicalise NaNs where they are made.
func (k *benchKern) raw(v ir.Ref) ir.Ref {
	p, guards := k.Func().Val(v), []ir.Ref{0, k.mask, 0, k.mask}
	if p.Scalar {
		guards = []ir.Ref{0, k.one, k.one, k.one}
		k.ins("mov")
		x := k.Vector("x", ir.B32)
		k.Emit(ir.Inst{Op: ir.Splat, Dst: x, Args: [4]ir.Ref{v}})
		v = x
	}
	d := k.Vector("f", ir.B32)
	for _, g := range guards {
		k.ins("add")
		switch {
		case g != 0 && k.exec == 0:
			k.Guard(g, false)
		case g != 0:
			k.Guard(k.T(ir.AndP, g, k.exec), false)
		}
		k.To(d, ir.AddF32, v, k.c(negativeZero))
	}
	return d
}

// newPair returns a pair of scalar registers, as a mask of lanes and as a 64-bit number.
func (k *benchKern) newPair() (mask, number ir.Ref) {
	off := k.Reserve(8)
	return k.View("pm", ir.B1, false, off), k.View("pn", ir.B64, true, off)
}

// pair emits an operation on pairs of registers. A 64-bit number that it reads was last
// written as a mask, for some lanes. If its result is a mask, it overwrites a number, and is
// then read as a number.
func (k *benchKern) pair(u use, d ir.Ref, a []ir.Ref) {
	info := &ir.Ops[u.op]
	for i, t := range info.Args {
		if t != ir.B64 || !u.form.scalar {
			continue
		}
		m, n := k.newPair()
		k.ins("s_mov")
		k.Guard(0, false)
		k.To(n, ir.Mov64, a[i])
		k.ins("cmp")
		k.Guard(k.some, false)
		k.To(m, ir.LtU32, k.tid, k.c(40))
		a[i] = n
	}
	if u.form.scalar {
		mask, number := k.newPair()
		k.ins(info.Name)
		k.Guard(0, false)
		if info.Res != ir.B64 {
			k.To(d, u.op, a...)
			k.store(d, u.at)
			return
		}
		k.To(number, u.op, a...)
		k.ins("cmp")
		k.Guard(k.some, false)
		k.To(mask, ir.LtU32, k.tid, k.c(33))
		k.ins("s_mov")
		k.Guard(0, false)
		k.To(d, ir.Mov64, number)
		k.store(d, u.at)
		return
	}
	mask, number := k.newPair()
	k.ins("s_mov")
	k.Guard(0, false)
	k.To(number, ir.Mov64, k.SConst(ir.B64, 0x4055_aaaa_5a5a_a5a5))
	k.ins(info.Name)
	if u.form.guard > 0 {
		k.Guard(k.some, false)
	}
	k.To(mask, u.op, a...)
	// Once in a general register and once in a vector register.
	sum, sumNumber := k.newPair()
	k.ins("s_add")
	k.Guard(0, false)
	k.To(sumNumber, ir.AddF64, number, k.SConst(ir.B64, 1<<63))
	k.ins("s_xor")
	k.Guard(0, false)
	k.To(sumNumber, ir.Xor64, sumNumber, k.S(ir.Not64, number))
	k.ins("s_not")
	k.To(d, ir.XorP, sum, mask)
	k.store(d, u.at)
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
		case f.consts != nil && f.scalar:
			a = append(a, k.SConst(t, f.consts[i]))
		case f.consts != nil:
			a = append(a, k.Const(t, f.consts[i]))
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
	if f.raw {
		for i, t := range info.Args {
			if t == ir.B32 {
				a[i] = k.raw(a[i])
			}
		}
	}
	if f.pair {
		k.pair(u, d, a)
		return
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
	for i, t := range info.Args {
		if f.raw && t == ir.B16 {
			a[i] = k.T(ir.AddF16, a[i], k.Const(ir.B16, negativeZero>>16))
		}
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
