package ptx

import (
	"strings"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/tensormap"
)

// tensorCopy copies a box of a tensor through a tensor map (PTX 9.7.9.26.5), and then updates the mbarrier object, if there is
// one.
//
// Example: of "[dst], [map, {x, y}], [bar], mask" it emits, for each block of the mask, a Tensor operation and an update of the
// object in that block by the number of bytes that the operation returns.
var tensorCopy = meaning{check: checkTensor, emit: func(l *lifter) {
	v, args := l.v, l.in.Args
	next := func() *Operand {
		o := &args[0]
		args = args[1:]
		return o
	}
	info := ir.TensorInfo{Kind: ir.TensorStores, Mode: loadMode(v.mod("load_mode")), Dim: int(v.mod("dim")[0] - '0')}
	var shared, bar *Operand
	load := v.has("completion_mechanism")
	if load {
		info.Kind, shared = ir.TensorLoads, next()
	}
	both := next()
	switch {
	case load:
		bar = next()
	case v.has("redOp"):
		info.Kind, info.Reduce, shared = ir.TensorReduces, tensorReduces[v.mod("redOp")], next()
	case v.says("shared::cta"):
		shared = next()
	default:
		info.Kind = ir.TensorPrepares
	}
	for _, o := range both.List[1].elements() {
		info.Src = append(info.Src, l.value(&o, S32))
	}
	if strings.HasPrefix(v.mod("load_mode"), "im2col") && len(args) > 0 && args[0].Kind == KindVector {
		for _, o := range next().elements() {
			info.Src = append(info.Src, l.b.T(ir.CvtU32FromU16, l.value(&o, U16)))
		}
	}
	name := *both
	name.List = both.List[:1]
	in := ir.Inst{Space: ir.Shared, Align: tensorAlign, Order: ir.Async | ir.Proxy, Args: [4]ir.Ref{1: l.genericAddress(&name)}}
	if shared == nil {
		l.tensor(info, in)
		return
	}
	in.Space, in.Args[0] = l.flatOf(shared, SpaceShared)
	if !load {
		l.tensor(info, in)
		return
	}
	in.Order = ir.Async // until the phase of the object is over
	to := func(move func(ir.Ref) ir.Ref) {
		in := in
		in.Args[0], in.Dst = move(in.Args[0]), l.b.Temp(ir.B32)
		l.tensor(info, in)
		m := l.mbarrierOf(bar, SpaceShared)
		m.base = pairBarrier(l, move(m.base), m.base)
		m.looks |= ir.Async // the update of the object reports the copy
		m.update(l, ir.MbarCompleteTx, in.Dst, 0)
	}
	if !v.says("multicast::cluster") {
		to(func(addr ir.Ref) ir.Ref { return addr })
		return
	}
	l.multicastTo(l.b.T(ir.CvtU32FromU16, l.value(next(), U16)), to)
}}

// tensor emits a Tensor operation.
func (l *lifter) tensor(info ir.TensorInfo, in ir.Inst) {
	f := l.b.Func()
	in.Op, in.Imm = ir.Tensor, uint64(len(f.Tensors))
	f.Tensors = append(f.Tensors, info)
	l.b.Emit(in)
}

// tensorAlign is the alignment of a box in shared memory (CUDA C++ Programming Guide, "Tensor Memory Access").
const tensorAlign = 128

// pairBarrier returns the object that a copy to one block of the cluster reports to. With .cta_group::2 it is in the block of
// the destination's pair whose rank is odd or even as that of the object named is (PTX 9.7.9.26.5.2).
func pairBarrier(l *lifter, moved, named ir.Ref) ir.Ref {
	if !l.v.says("cta_group::2") || !l.v.says("multicast::cluster") || !l.b.Func().Ranked {
		return moved
	}
	one := l.b.Const(ir.B32, 1)
	even := l.b.T(ir.And32, rankOf(l, moved, false), l.b.Const(ir.B32, ^uint64(1)&0xffffffff))
	return movedTo(l, moved, l.b.T(ir.Or32, even, l.b.T(ir.And32, rankOf(l, named, false), one)), true)
}

// loadMode returns the mode of a copy.
func loadMode(name string) tensormap.Mode {
	switch name {
	case "tile::gather4", "tile::scatter4":
		return tensormap.Gather4
	case "im2col":
		return tensormap.PixelsOf
	case "im2col::w":
		return tensormap.PixelsW
	case "im2col::w::128":
		return tensormap.PixelsW128
	case "im2col_no_offs", "im2col_no_offs::w":
		return tensormap.PixelsBare
	}
	return tensormap.Tile
}

var tensorReduces = map[string]ir.TensorReduce{"add": ir.TensorAdd, "min": ir.TensorMin, "max": ir.TensorMax, "inc": ir.TensorInc,
	"dec": ir.TensorDec, "and": ir.TensorAnd, "or": ir.TensorOr, "xor": ir.TensorXor}

// genericAddress returns the generic address of a tensor map.
func (l *lifter) genericAddress(o *Operand) ir.Ref {
	s, base, off := l.address(o, SpaceGeneric)
	if off != 0 {
		t := l.typeOf(base)
		base = l.b.T(l.addOp(t), base, l.b.Const(t, uint64(off)))
	}
	if s == ir.Param {
		if w, ok := l.window(ir.Param, l.typeOf(base)); ok && w != 0 {
			t := l.typeOf(base)
			base = l.b.T(l.addOp(t), base, l.b.Const(t, w))
		}
	}
	return base
}

// A mapField is where a field of a tensor map lies: bits of a word of 32 bits.
type mapField struct{ word, bit, bits int }

// mapReplace changes a field of a tensor map in memory (PTX 9.7.9.27). Package tensormap describes the layout.
var mapReplace = meaning{check: func(c *checker, in *Instr, v *variant) {
	if v.mod("field") == "elemtype" {
		checkElementType(c, in, v)
	}
}, emit: func(l *lifter) {
	space, base, off := l.address(&l.in.Args[0], l.v.memSpace())
	m := mapAt{l, space, base, off}
	var val ir.Ref
	if last := &l.in.Args[len(l.in.Args)-1]; l.v.ops[len(l.v.ops)-1].kind == opImm {
		val = l.b.Const(ir.B32, last.Val)
	} else {
		val = l.src(len(l.in.Args) - 1)
	}
	ord := 0
	if len(l.in.Args) == 3 {
		ord = int(l.in.Args[1].Val)
	}
	konst := func(n uint64) ir.Ref { return l.b.Const(ir.B32, n) }
	minus1 := func() ir.Ref { return l.b.T(ir.Sub32, val, konst(1)) }
	switch l.v.mod("field") {
	case "global_address":
		l.store(val, space, base, off, 8, 8, 0)
	case "rank":
		m.limit(val, 0, tensormap.MaxRank)
		m.put(mapField{2, 4, 3}, val)
	case "global_stride":
		if ord > 3 {
			m.fail(l.b.T(ir.EqU32, konst(0), konst(0))) // there are four strides
			return
		}
		bad := l.b.T(ir.OrP, l.b.T(ir.NeU64, l.b.T(ir.And64, val, l.b.Const(ir.B64, 15)), l.b.Const(ir.B64, 0)), l.b.T(ir.GeU64, val, l.b.Const(ir.B64, 1<<40)))
		m.fail(bad)
		units := l.b.T(ir.ShrU64, val, konst(4))
		m.put(mapField{3 + ord, 0, 32}, l.b.T(ir.CvtU32FromU64, units))
		m.put(mapField{7, 4 * ord, 4}, l.b.T(ir.CvtU32FromU64, l.b.T(ir.ShrU64, units, konst(32))))
	case "global_dim":
		m.put(mapField{8 + ord, 0, 32}, minus1())
	case "box_dim":
		m.limit(val, 1, 257)
		f := mapField{13, 24, 8}
		if ord > 0 {
			f = mapField{14, 8 * (ord - 1), 8}
		}
		m.put(f, minus1())
	case "element_stride":
		m.limit(val, 1, 9)
		m.put(mapField{13, 3 * ord, 3}, minus1())
	case "elemtype":
		m.put(mapField{2, 7, 4}, val)
	case "interleave_layout":
		m.put(mapField{2, 11, 2}, val)
	case "swizzle_mode":
		m.put(mapField{2, 13, 2}, val)
		m.put(mapField{2, 20, 1}, l.b.T(ir.ShrU32, val, konst(2)))
	case "swizzle_atomicity":
		m.put(mapField{2, 16, 1}, val)
		m.put(mapField{2, 19, 1}, l.b.T(ir.ShrU32, val, konst(1)))
	case "fill_mode":
		m.put(mapField{2, 15, 1}, val)
	}
}}

// A mapAt is a tensor map in memory while a field is replaced.
type mapAt struct {
	l     *lifter
	space ir.Space
	base  ir.Ref
	off   int64
}

// put writes the lowest bits of a value (B32) to a field.
func (m mapAt) put(f mapField, val ir.Ref) {
	l, at := m.l, m.off+int64(4*f.word)
	switch {
	case f.bits == 32:
		l.store(val, m.space, m.base, at, 4, 4, 0)
		return
	case f.bits == 8:
		l.store(l.b.T(ir.CvtU8FromU32, val), m.space, m.base, at+int64(f.bit/8), 1, 1, 0)
		return
	}
	mask := uint64(1)<<f.bits - 1
	old := l.b.Temp(ir.B32)
	l.b.Emit(ir.Inst{Op: ir.Load, Dst: old, Args: [4]ir.Ref{m.base}, Imm: uint64(at), Size: 4, Align: 4, Space: m.space})
	kept := l.b.T(ir.And32, old, l.b.Const(ir.B32, ^(mask<<f.bit)&0xffffffff))
	bits := l.b.T(ir.Shl32, l.b.T(ir.And32, val, l.b.Const(ir.B32, mask)), l.b.Const(ir.B32, uint64(f.bit)))
	l.store(l.b.T(ir.Or32, kept, bits), m.space, m.base, at, 4, 4, 0)
}

// limit faults for values that are not from low to high-1.
func (m mapAt) limit(val ir.Ref, low, high uint64) {
	m.fail(m.l.b.T(ir.GeU32, m.l.b.T(ir.Sub32, val, m.l.b.Const(ir.B32, low)), m.l.b.Const(ir.B32, high-low)))
}

// fail faults for the lanes in which bad (B1) is set.
func (m mapAt) fail(bad ir.Ref) {
	one, zero := m.l.b.Const(ir.B32, 1), m.l.b.Const(ir.B32, 0)
	m.l.b.Emit(ir.Inst{Op: ir.Fail, Args: [4]ir.Ref{m.l.b.T(ir.Sel32, bad, one, zero)}, Imm: uint64(ir.FailTensorField)})
}

// mapCopy copies a tensor map from shared to global memory and releases it to the tensormap proxy (PTX 9.7.14.17). All lanes of
// the warp execute it together; one of them copies.
var mapCopy = meaning{emit: func(l *lifter) {
	leads := l.b.Vector("", ir.B1)
	l.b.Emit(ir.Inst{Op: ir.ElectSync, Dst2: leads, Args: [4]ir.Ref{3: l.b.Const(ir.B32, 0xffffffff)}})
	to, dst := l.flat(0, SpaceGlobal)
	from, src := l.flat(1, SpaceShared)
	l.guarded(leads, func() {
		l.b.Emit(ir.Inst{Op: ir.Bulk, Space: to, Align: 128, Args: [4]ir.Ref{dst, src, l.b.Const(ir.B32, tensormap.Size)}, Imm: ir.BulkImm(from, 0, 0)})
	})
	l.order(ir.Maps)
}}
