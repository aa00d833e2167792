package ptx

import (
	"fmt"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
)

// Instructions of warpgroups (PTX 9.7.16). Each is an ir.Collective that package sim performs for one warp, and compares
// with the other three; the groups of products are, for the race detector, groups of the asynchronous proxy.

var (
	wgmma      = meaning{show: showWgmma, emit: emitWgmma, check: checkWgmma, implied: wgmmaImplied}
	wgmmaFence = meaning{emit: func(l *lifter) { l.warpgroup(matrix.Op{Kind: matrix.WarpgroupFence}, 0) }}
	// wgmmaCommit and wgmmaWait tell the race detector about the group, too.
	wgmmaCommit = meaning{emit: func(l *lifter) { l.warpgroup(matrix.Op{Kind: matrix.WarpgroupCommit}, ir.Warpgroup|ir.Release) }}
	wgmmaWait   = meaning{emit: func(l *lifter) {
		n := l.in.Args[0].Val
		o := matrix.Op{Kind: matrix.WarpgroupWait, RowTransfer: matrix.RowTransfer{Num: int(min(n, 1<<20))}}
		l.warpgroup(o, ir.Warpgroup|ir.Acquire)
	}}
)

// warpgroup emits an operation without registers. order is its effect for the race detector.
func (l *lifter) warpgroup(o matrix.Op, order ir.Order) {
	if order != 0 {
		l.b.Emit(ir.Inst{Op: ir.Nop, Order: order, Imm: uint64(o.Num)})
	}
	l.collective(ir.Inst{}, ir.CollectiveInfo{Matrix: o})
}

// wgmmaArgs are the operands of wgmma.mma_async, by their places in the instruction; -1 if there is none.
type wgmmaArgs struct{ d, a, b, meta, sel, scaleD, scaleA, scaleB, transA, transB int }

// wgmmaOp returns the matrix.Op of wgmma.mma_async and the places of its operands.
func (v *variant) wgmmaOp(in *Instr) (o matrix.Op, at wgmmaArgs) {
	o, types, _ := v.matrixOp(matrix.WarpgroupMultiply)
	o.D, o.A, o.B = types[0], types[1], types[2]
	o.C = o.D
	o.SharedA = in.Args[1].Kind != KindVector
	next := 0
	take := func(there bool) int {
		if !there {
			return -1
		}
		next++
		return next - 1
	}
	float, half := o.D != matrix.S32, o.A == matrix.F16 || o.A == matrix.BF16
	at.d, at.a, at.b = take(true), take(true), take(true)
	at.meta, at.sel, at.scaleD = take(o.Sparse), take(o.Sparse), take(true)
	at.scaleA, at.scaleB = take(float), take(float)
	at.transA, at.transB = take(half && o.SharedA), take(half)
	is := func(i int, want int64) bool {
		return i >= 0 && i < len(in.Args) && in.Args[i].Kind == KindInt && int64(in.Args[i].Val) == want
	}
	if o.Sparse && is(at.sel, 1) {
		o.Selector = 1
	}
	o.Negate = is(at.scaleA, -1) != is(at.scaleB, -1)
	o.TransA, o.TransB = is(at.transA, 1), is(at.transB, 1)
	o.Zero = is(at.scaleD, 0)
	return o, at
}

// wgmmaImplied returns the type of the registers of an operand.
func wgmmaImplied(v *variant, in *Instr, i int) Type {
	if len(in.Args) < 4 {
		return B32
	}
	switch o, at := v.wgmmaOp(in); {
	case i == at.d && o.D == matrix.F32:
		return F32
	case i == at.b || i == at.a && o.SharedA:
		return U64
	case i == at.scaleD:
		return Pred
	}
	return B32
}

// emitWgmma emits a product of a warpgroup.
func emitWgmma(l *lifter) {
	o, at := l.v.wgmmaOp(l.in)
	p := l.products[o]
	if p == nil {
		if p = matrix.NewProduct(o); p == nil {
			l.errorf(l.in.Pos, diag.Unsupported, codeNotLifted, "%s is not supported", l.in.Op)
			return
		}
		l.products[o] = p
	}
	info := ir.CollectiveInfo{Matrix: o, Product: p}
	registers := func(i int) (refs []ir.Ref) {
		for j := range l.in.Args[i].elements() {
			refs = append(refs, l.reg(&l.in.Args[i].elements()[j]))
		}
		return refs
	}
	value := func(slot, i int, t Type) { info.Src = append(info.Src, l.stable(slot, l.value(&l.in.Args[i], t))) }
	if o.SharedA {
		value(0, at.a, U64)
	} else {
		info.Src = registers(at.a)
	}
	value(1, at.b, U64)
	if o.Sparse {
		value(2, at.meta, U32)
	}
	value(3, at.scaleD, Pred)
	info.Dst = registers(at.d)
	if !o.Zero {
		info.Src = append(info.Src, info.Dst...)
	}
	l.collective(ir.Inst{Space: ir.Shared, Order: ir.Warpgroup, Align: 16}, info)
}

// showWgmma explains the fragments and the descriptors of wgmma.mma_async.
func showWgmma(x *explainer) {
	o, at := x.v.wgmmaOp(x.in)
	p := matrix.NewProduct(o)
	if p == nil {
		return
	}
	what := ", warp 0 of the warpgroup"
	if !o.SharedA {
		if o.Sparse {
			what += fmt.Sprintf(", the stored half of %d columns", o.K)
		}
		x.fragment("A", "a", p.A.Warp(p.A.Cols), what)
	}
	what = ", warp 0 of the warpgroup"
	cols := min(o.N, 16)
	if cols < o.N {
		what += fmt.Sprintf(", the first %d of %d columns", cols, o.N)
	}
	x.fragment("D", "d", p.D.Warp(cols), what)
	x.note("warp w of the warpgroup holds rows 16w to 16w+15 in the same way; 8 more columns take %d more registers", 4*o.D.Bits()/32)
	if o.Sparse {
		x.metadata(&o)
	}
	for _, m := range []struct {
		name string
		at   int
		is   bool
		tile func(uint64) matrix.SharedTile
	}{{"A", at.a, o.SharedA, p.TileA}, {"B", at.b, true, p.TileB}} {
		if !m.is {
			continue
		}
		v, ok := x.values(&x.in.Args[m.at])
		if !ok {
			t := m.tile(0)
			lines, units := t.Lines()
			x.note("%s is in shared memory, %s: %d lines of %d bytes; --set gives its descriptor to decode", m.name, majorOf(&t), lines, 16*units)
			continue
		}
		t := m.tile(v[0])
		x.note("%s is in shared memory, %s: %s", m.name, majorOf(&t), &t.Descriptor)
		if text, remedy := t.Problem(1 << 18); text != "" {
			x.note("the descriptor of %s: %s; %s", m.name, text, remedy)
		}
	}
	if o.D != matrix.S32 {
		x.note("the order of accumulation is unspecified; Crosslane starts with D and takes up the products in ascending k, each by one fma.rn.f32%s", map[bool]string{true: ", and rounds to f16 at the end"}[o.D == matrix.F16])
	}
}

// majorOf returns the name of the order of a matrix.
func majorOf(t *matrix.SharedTile) string {
	if t.Major {
		return "M- or N-major"
	}
	return "K-major"
}
