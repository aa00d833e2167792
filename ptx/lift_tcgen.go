package ptx

import (
	"fmt"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
)

// Tensor Memory (PTX 9.7.17). Each operation is an ir.Collective that package sim performs.

var (
	tensorAlloc      = meaning{check: checkColumns, emit: emitTensorAlloc}
	tensorDealloc    = meaning{check: checkColumns, emit: emitTensorDealloc}
	tensorRelinquish = meaning{emit: func(l *lifter) {
		l.collective(ir.Inst{}, ir.CollectiveInfo{Matrix: l.v.cells(matrix.TensorRelinquish)})
	}}
	tensorLoad       = meaning{frag: cellFrag, noSink: true, emit: func(l *lifter) { tensorMove(l, matrix.TensorLoad) }}
	tensorStore      = meaning{frag: cellFrag, emit: func(l *lifter) { tensorMove(l, matrix.TensorStore) }}
	tensorLoadReduce = meaning{check: checkTcgenLoadReduce, emit: emitTensorReduce, implied: func(*variant, *Instr, int) Type { return B32 }}
	tensorCp         = meaning{emit: emitTensorCopy}
	tensorShift      = meaning{emit: func(l *lifter) {
		oneGroup(l)
		oneLane(l, 0, ir.CollectiveInfo{Matrix: l.v.cells(matrix.TensorShift)})
	}}
	tensorCommit = meaning{emit: emitTensorCommit}
	// tensorWait ends a group of all loads and stores so far for the race detector, and waits for it, for all lanes together.
	tensorWait = meaning{noEffect: true, emit: func(l *lifter) {
		l.b.Emit(ir.Inst{Op: ir.Nop, Order: ir.Warpgroup | ir.Release})
		l.b.Emit(ir.Inst{Op: ir.Nop, Order: ir.Warpgroup | ir.Acquire})
		l.collective(ir.Inst{}, ir.CollectiveInfo{Matrix: l.v.cells(matrix.TensorWait)})
		guard := l.in.Guard
		l.b.Resume()
		if guard != nil {
			l.b.Guard(l.reg(&guard.Reg), guard.Not)
		}
		l.b.Emit(ir.Inst{Op: ir.WarpSync, Args: [4]ir.Ref{3: l.b.Const(ir.B32, 1<<32-1)}})
	}}
	// tensorFence orders tcgen05 operations of different threads, behind and before a synchronisation. It waits for none: only
	// tcgen05.commit tells when a product, a copy or a shift is done (PTX 9.7.17.6.4).
	tensorFence = meaning{noEffect: true, emit: func(l *lifter) { l.b.Emit(ir.Inst{Op: ir.Nop}) }}
)

// cells returns the matrix.Op of an operation of Tensor Memory.
func (v *variant) cells(kind matrix.Kind) matrix.Op {
	o := matrix.Op{Kind: kind}
	o.Piece, _ = matrix.ParseCellShape(v.mod("shape"))
	fmt.Sscanf(v.mod("num"), "x%d", &o.Num)
	o.Pairs = v.says("pack::16b") || v.says("unpack::16b")
	o.Both = v.says("cta_group::2")
	if name := v.mod("shape"); kind == matrix.TensorCopy {
		for _, m := range v.mods {
			if strings.HasPrefix(m, "warpx") {
				name += "." + m
			}
			if strings.HasPrefix(m, "b6x16") || strings.HasPrefix(m, "b4x16") {
				o.Pack = int(m[1] - '0')
			}
		}
		o.Lines, _ = matrix.ParseCopyShape(name)
	}
	return o
}

// cellFrag returns the registers of a load or store (PTX 9.7.17.8.3, table 52).
func cellFrag(v *variant, _ string) (n int, t Type) {
	o := v.cells(matrix.TensorLoad)
	return o.CellRegs(), B32
}

// oneGroup notes the .cta_group of an instruction, which is the same in all instructions of a kernel (PTX 9.7.17.4).
func oneGroup(l *lifter) {
	group := l.v.mod("cta_group")
	switch {
	case l.ctaGroup == "":
		l.ctaGroup = group
	case l.ctaGroup != group:
		l.errorf(l.in.Pos, diag.Input, codeModifier, "%s has .%s, and another tcgen05 instruction of the kernel has .%s: all of a kernel have the same one (PTX 9.7.17.4)", l.in.Op, group, l.ctaGroup)
	}
}

// emitTensorAlloc emits tcgen05.alloc: a loop that lets other warps run until columns are free, and the store of the address by
// one lane.
func emitTensorAlloc(l *lifter) {
	oneGroup(l)
	n := l.stable(1, l.src(1))
	to := l.v.memSpace()
	if l.v.says("shared::cta") {
		to = SpaceShared
	}
	space, base, off := l.address(&l.in.Args[0], to)
	base = l.stable(2, base)
	got := l.keep(0, ir.B32)
	leads := l.keep(5, ir.B1)
	var own ir.Ref
	guard := func() { l.b.Guard(own, false) }
	if g := l.in.Guard; g != nil {
		own = l.reg(&g.Reg)
		if g.Not {
			own = l.b.T(ir.NotP, own)
		}
		l.b.Guard(0, false)
		own = l.stable(3, own)
	}
	and := func(p ir.Ref) ir.Ref {
		if own != 0 {
			p = l.b.T(ir.AndP, p, own)
		}
		return p
	}
	again := l.b.NewLabel()
	l.b.Bind(again)
	guard()
	l.collective(ir.Inst{}, ir.CollectiveInfo{Matrix: l.v.cells(matrix.TensorAlloc), Src: []ir.Ref{n}, Dst: []ir.Ref{got}})
	l.b.Resume()
	wait := l.stable(4, and(l.b.T(ir.EqU32, got, l.b.Const(ir.B32, 1<<32-1))))
	l.b.Guard(wait, false)
	l.b.Emit(ir.Inst{Op: ir.Yield})
	l.b.Bra(again)
	l.b.Resume()
	guard()
	l.b.Emit(ir.Inst{Op: ir.ElectSync, Dst2: leads, Args: [4]ir.Ref{3: l.b.Const(ir.B32, 1<<32-1)}})
	l.b.Resume()
	l.b.Guard(and(leads), false)
	l.store(got, space, base, off, 4, 4, ir.OnlyShared)
	l.b.Guard(0, false)
}

// emitTensorDealloc emits tcgen05.dealloc.
func emitTensorDealloc(l *lifter) {
	oneGroup(l)
	l.collective(ir.Inst{}, ir.CollectiveInfo{Matrix: l.v.cells(matrix.TensorFree), Src: []ir.Ref{l.stable(0, l.src(0)), l.stable(1, l.src(1))}})
}

// cellAddress returns an address of Tensor Memory: a register and what is added to it.
func cellAddress(l *lifter, slot, i int) (base ir.Ref, off int64) {
	o, off := addressBase(&l.in.Args[i])
	return l.stable(slot, l.value(o, U32)), off
}

// oneLane emits an operation of Tensor Memory that each lane performs by itself: its membermask names that lane alone. Operand i is
// the address. For the race detector the accesses are those of asynchronous copies, which a commit reports.
func oneLane(l *lifter, i int, info ir.CollectiveInfo) {
	in := ir.Inst{Space: ir.Shared, Align: 16, Order: ir.Async}
	in.Args[0], info.Offset = cellAddress(l, 0, i)
	f := l.b.Func()
	in.Op, in.Imm = ir.Collective, uint64(len(f.Collectives))
	f.Collectives = append(f.Collectives, info)
	in.Args[3] = l.stable(9, l.b.T(ir.Shl32, l.b.Const(ir.B32, 1), clusterInput(l, ir.LaneID)))
	l.b.Emit(in)
}

// emitTensorCopy emits tcgen05.cp.
func emitTensorCopy(l *lifter) {
	oneGroup(l)
	oneLane(l, 0, ir.CollectiveInfo{Matrix: l.v.cells(matrix.TensorCopy), Src: []ir.Ref{l.stable(1, l.src(1))}})
}

// emitTensorCommit emits tcgen05.commit: products, copies and shifts are done at once, so it arrives (PTX 9.7.17.12.1).
func emitTensorCommit(l *lifter) {
	oneGroup(l)
	m := l.mbarrierIn(0, SpaceShared)
	m.looks |= ir.Async
	l.multicast(func(move func(ir.Ref) ir.Ref) {
		m := m
		m.base = move(m.base)
		m.update(l, ir.MbarArrive, l.b.Const(ir.B32, 1), 0)
	})
}

// tensorMove emits tcgen05.ld or tcgen05.st.
func tensorMove(l *lifter, kind matrix.Kind) {
	info := ir.CollectiveInfo{Matrix: l.v.cells(kind)}
	in := ir.Inst{Order: ir.Warpgroup}
	for i := range l.v.ops {
		switch s := &l.v.ops[i]; {
		case s.kind == opAddr:
			in.Args[0], info.Offset = cellAddress(l, 0, i)
		case s.name == "split":
			info.Matrix.Half = int(int32(l.in.Args[i].Val))
		case kind == matrix.TensorLoad:
			info.Dst = l.fragmentRegs(nil, i)
		default:
			for r, v := range l.fragmentRegs(nil, i) {
				info.Src = append(info.Src, l.stable(1+r, v))
			}
		}
	}
	l.collective(in, info)
}

// emitTensorReduce emits tcgen05.ld.red: a load, and the least or greatest of the registers of each lane.
func emitTensorReduce(l *lifter) {
	info := ir.CollectiveInfo{Matrix: l.v.cells(matrix.TensorLoad)}
	args := l.in.Args
	if len(args) > 3 {
		info.Matrix.Half = int(int32(args[3].Val))
	}
	for i := range args[0].elements() {
		r := l.fragmentReg(&args[0].elements()[i])
		if r == 0 {
			r = l.keep(1+i, ir.B32)
		}
		info.Dst = append(info.Dst, r)
	}
	in := ir.Inst{Order: ir.Warpgroup}
	in.Args[0], info.Offset = cellAddress(l, 0, 2)
	l.collective(in, info)
	l.b.Resume()
	ops := map[Type][2]ir.Op{U32: {ir.MinU32, ir.MaxU32}, S32: {ir.MinS32, ir.MaxS32}, F32: {ir.MinF32, ir.MaxF32}}[l.v.typ]
	if l.v.says("NaN") {
		ops = [2]ir.Op{ir.MinNaNF32, ir.MaxNaNF32}
	}
	op := ops[0]
	if l.v.mod("redOp") == "max" {
		op = ops[1]
	}
	var all ir.Ref
	for _, r := range info.Dst {
		if l.v.says("abs") {
			r = l.b.T(ir.AbsF32, r)
		}
		if all == 0 {
			all = r
		} else {
			all = l.b.T(op, all, r)
		}
	}
	if g := l.in.Guard; g != nil {
		l.b.Guard(l.reg(&g.Reg), g.Not)
	}
	if o := args[1].single(); o.Kind == KindReg {
		l.assign(o, all, false)
	}
}
