package ptx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/num"
)

// The matrix instructions are operations of the whole warp: ir.Collective. The meaning of one
// spelling is a matrix.Op, which depends only on its modifiers.

// matrixOp reads the modifiers that all matrix instructions share: the shape, the types in the
// order of the syntax line, and the layouts.
func (v *variant) matrixOp(kind matrix.Kind) (o matrix.Op, types []matrix.Elem, rows []bool) {
	o.Kind = kind
	for _, m := range v.mods {
		if mm, n, k, ok := matrix.ParseShape(m); ok {
			o.M, o.N, o.K = mm, n, k
			continue
		}
		if e := matrix.ParseElem(m); e != matrix.None {
			types = append(types, e)
			continue
		}
		switch {
		case m == "row" || m == "col":
			rows = append(rows, m == "row")
		case m == "satfinite":
			o.Sat = true
		case m == "and":
			o.And = true
		case m == "sp" || m == "sp::ordered_metadata":
			o.Sparse, o.Ordered = true, m != "sp"
		case strings.HasPrefix(m, "scale_vec::"):
			o.ScaleVec = int(m[len("scale_vec::")] - '0')
		case m == "trans":
			o.Trans = true
		case m == "m16n16" || m == "m8n16" || m == "m16n8":
			o.Bytes = true
			if m == "m16n16" {
				o.M = 16
			}
		case m == "b6x16_p32" || m == "b4x16_p64":
			o.Pack = int(m[1] - '0')
		case m == "x1" || m == "x2" || m == "x4":
			o.Num = int(m[1] - '0')
		}
	}
	return o, types, rows
}

// productOp returns the matrix.Op of mma and wmma.mma.
func (v *variant) productOp(wmma bool) matrix.Op {
	o, types, rows := v.matrixOp(matrix.Multiply)
	o.Wmma = wmma
	if len(types) == 2 {
		// PTX 9.7.15.4.5: .atype and .btype default to .f16.
		types = []matrix.Elem{types[0], matrix.F16, matrix.F16, types[1]}
	}
	if len(types) < 4 || len(rows) < 2 {
		return o
	}
	o.D, o.A, o.B, o.C = types[0], types[1], types[2], types[3]
	if !wmma && o.A == matrix.F16 && o.K == 4 {
		o.ARow, o.BRow = rows[0], rows[1]
	}
	switch v.mod("rnd") {
	case "rz":
		o.Round = num.RZ
	case "rm":
		o.Round = num.RM
	case "rp":
		o.Round = num.RP
	}
	if v.has("block_scale") {
		o.Scale = types[4]
		kind := v.mod("kind")
		if o.ScaleVec == 0 {
			o.ScaleVec = 1
			if kind == "kind::mxf4" {
				o.ScaleVec = 2
			}
		}
		if kind != "kind::mxf8f6f4" {
			o.A, o.B = matrix.E2M1P, matrix.E2M1P
		}
	}
	return o
}

// tileOp returns the matrix.Op of wmma.load and wmma.store.
func (v *variant) tileOp(kind matrix.Kind) matrix.Op {
	o, types, rows := v.matrixOp(kind)
	o.Wmma, o.Elem, o.RowMajor = true, types[0], rows[0]
	o.Matrix = 'C'
	switch {
	case v.has("a"):
		o.Matrix = 'A'
	case v.has("b"):
		o.Matrix = 'B'
	}
	return o
}

// fragment returns the number and type of the registers that a layout needs.
func fragment(l *matrix.Layout) (n int, t Type) {
	if l == nil {
		return 0, B32
	}
	t = B32
	switch l.Elem {
	case matrix.F32:
		t = F32
	case matrix.F64:
		t = F64
	case matrix.S32:
		t = S32
	}
	return l.Regs(), t
}

// productFrag returns the fragments of mma and wmma.mma; ia and ib are the selectors of scale
// factors.
func productFrag(wmma bool) func(v *variant, name string) (int, Type) {
	return func(v *variant, name string) (int, Type) {
		if name == "ia" || name == "ib" {
			return 2, U16
		}
		o := v.productOp(wmma)
		return fragment(o.Layout(name[0] - 'a' + 'A'))
	}
}

func tileFrag(kind matrix.Kind) func(v *variant, name string) (int, Type) {
	return func(v *variant, name string) (int, Type) {
		o := v.tileOp(kind)
		return fragment(o.Layout(0))
	}
}

func rowsFrag(v *variant, name string) (int, Type) {
	o, _, _ := v.matrixOp(matrix.LoadRows)
	if v.has("m16n16") {
		return 2 * o.Num, B32
	}
	return o.Num, B32
}

var (
	mma       = meaning{show: showProduct(false), frag: productFrag(false), emit: emitProduct(false), check: checkProduct(false)}
	wmmaMma   = meaning{show: showProduct(true), frag: productFrag(true), emit: emitProduct(true), check: checkProduct(true)}
	wmmaLoad  = meaning{show: showTile, frag: tileFrag(matrix.LoadTile), emit: emitTile(matrix.LoadTile), check: checkTile}
	wmmaStore = meaning{show: showTile, frag: tileFrag(matrix.StoreTile), emit: emitTile(matrix.StoreTile), check: checkTile}
	ldmatrix  = meaning{show: showRows, frag: rowsFrag, emit: emitRows(matrix.LoadRows)}
	stmatrix  = meaning{show: showRows, frag: rowsFrag, emit: emitRows(matrix.StoreRows)}
	movmatrix = meaning{show: showTranspose, emit: func(l *lifter) {
		l.collective(ir.Inst{}, ir.CollectiveInfo{
			Matrix: matrix.Op{Kind: matrix.Transpose}, Dst: []ir.Ref{l.fragmentReg(l.dst(0))}, Src: []ir.Ref{l.stable(0, l.src(1))},
		})
	}}
)

// checkProduct checks the rules of mma and wmma.mma that the rows do not express.
func checkProduct(wmma bool) func(c *checker, in *Instr, v *variant) {
	return func(c *checker, in *Instr, v *variant) {
		if wmma {
			checkImplicitAligned(c, in, v)
		}
		o := v.productOp(wmma)
		what := ""
		switch {
		case !wmma && o.K == 4 && o.A == matrix.F16:
			if o.C == matrix.F32 && o.D != matrix.F32 {
				what = ".dtype must be .f32, as .ctype is"
			}
		case !wmma && o.D != o.C:
			what = ".dtype must be the same as .ctype"
		case (wmma || o.M == 16 && o.K == 8) && o.A != o.B:
			what = ".atype must be the same as .btype"
		case o.ScaleVec == 2 && o.Scale == matrix.UE4M3:
			what = ".scale_vec::2X goes with .ue8m0 only"
		}
		if what != "" {
			c.errorf(in.Pos, diag.Input, codeModifier, "%s: %s", in.Op, what).Section = "PTX " + v.row.Sec
			return
		}
		if o.ScaleVec == 4 && o.Scale == matrix.UE8M0 {
			c.require(in, v, Version{9, 1}, 120)
		}
		if i := slices.IndexFunc(v.ops, func(s opSpec) bool { return s.name == "f" }); i >= 0 {
			if n := o.Selectors(); in.Args[i].Kind == KindInt && in.Args[i].Val >= uint64(n) {
				c.errorf(in.Args[i].Pos, diag.Input, codeImmediate, "operand f of %s is %d, want 0 to %d", in.Op, in.Args[i].Val, n-1).Section = "PTX 9.7.15.6.1"
			}
		}
	}
}

// checkImplicitAligned checks that .aligned is there. It is optional only below PTX 6.3 (PTX
// 9.7.15.4.3).
func checkImplicitAligned(c *checker, in *Instr, v *variant) {
	if !v.has("aligned") && c.m.Version.AtLeast(Version{6, 3}) {
		c.errorf(in.Pos, diag.Input, codeModifier, "%s needs .aligned from PTX 6.3 on", in.Op).Section = "PTX " + v.row.Sec
	}
}

func checkTile(c *checker, in *Instr, v *variant) { checkImplicitAligned(c, in, v) }

// fragmentRegs returns the registers of a fragment operand; 0 stands for a discarded one.
func (l *lifter) fragmentRegs(refs []ir.Ref, i int) []ir.Ref {
	o := &l.in.Args[i]
	for j := range o.List {
		if l.v.ops[i].dst {
			refs = append(refs, l.fragmentReg(&o.List[j]))
		} else {
			refs = append(refs, l.value(&o.List[j], l.v.args[i]))
		}
	}
	return refs
}

func (l *lifter) fragmentReg(o *Operand) ir.Ref {
	if o == nil || o.Kind != KindReg {
		return 0
	}
	return l.reg(o)
}

// collective emits an operation of the whole warp.
func (l *lifter) collective(in ir.Inst, info ir.CollectiveInfo) {
	f := l.b.Func()
	in.Op, in.Imm = ir.Collective, uint64(len(f.Collectives))
	in.Args[3] = l.b.Const(ir.B32, 1<<32-1)
	f.Collectives = append(f.Collectives, info)
	l.b.Emit(in)
}

// emitProduct emits a matrix product.
func emitProduct(wmma bool) func(l *lifter) {
	return func(l *lifter) {
		o := l.v.productOp(wmma)
		info := ir.CollectiveInfo{}
		for i := range l.v.ops {
			switch s := &l.v.ops[i]; {
			case s.dst:
				info.Dst = l.fragmentRegs(nil, i)
			case s.kind == opFrag:
				info.Src = l.fragmentRegs(info.Src, i)
			case s.name == "f":
				o.Selector = uint8(l.in.Args[i].Val)
			default:
				info.Src = append(info.Src, l.stable(i, l.src(i)))
			}
		}
		p := l.products[o]
		if p == nil {
			if p = matrix.NewProduct(o); p == nil {
				l.errorf(l.in.Pos, diag.Unsupported, codeNotLifted, "%s is not supported", l.in.Op)
				return
			}
			l.products[o] = p
		}
		info.Matrix, info.Product = o, p
		l.collective(ir.Inst{}, info)
	}
}

// emitAddress emits the memory operand of a matrix instruction.
func (l *lifter) emitAddress(i int, in *ir.Inst, info *ir.CollectiveInfo) {
	space, base, off := l.address(&l.in.Args[i], l.v.memSpace())
	in.Space, in.Args[0], info.Offset = space, l.stable(0, base), off
}

// emitTile emits a load or store of a fragment.
func emitTile(kind matrix.Kind) func(l *lifter) {
	return func(l *lifter) {
		o := l.v.tileOp(kind)
		t := o.Layout(0)
		info := ir.CollectiveInfo{Matrix: o, Tile: t, Stride: uint32(t.Rows)}
		if o.RowMajor {
			info.Stride = uint32(t.Cols)
		}
		size := max(t.Elem.Bits(), 8) / 8
		if t.Elem.Bits() < 8 {
			size = 4
		}
		in := ir.Inst{Size: uint8(size), Align: uint16(size)}
		for i := range l.v.ops {
			switch s := &l.v.ops[i]; {
			case s.kind == opAddr:
				l.emitAddress(i, &in, &info)
			case s.name == "s":
				in.Args[1] = l.stable(1, l.src(i))
			case kind == matrix.LoadTile:
				info.Dst = l.fragmentRegs(nil, i)
			default:
				info.Src = l.fragmentRegs(nil, i)
			}
		}
		l.collective(in, info)
	}
}

// emitRows emits ldmatrix or stmatrix, whose addresses are those of matrix rows.
func emitRows(kind matrix.Kind) func(l *lifter) {
	return func(l *lifter) {
		o, _, _ := l.v.matrixOp(kind)
		o.AllAddresses = kind == matrix.LoadRows && l.m.Target.SM == 75
		info := ir.CollectiveInfo{Matrix: o}
		if o.Bytes {
			info.Tile = o.Rows()
		}
		in := ir.Inst{Size: 8, Align: 16}
		for i := range l.v.ops {
			switch s := &l.v.ops[i]; {
			case s.kind == opAddr:
				l.emitAddress(i, &in, &info)
			case kind == matrix.LoadRows:
				info.Dst = l.fragmentRegs(nil, i)
			default:
				info.Src = l.fragmentRegs(nil, i)
			}
		}
		l.collective(in, info)
	}
}

// fragment checks a fragment operand: a vector of registers, with the type and the number that the
// instruction's layout needs.
func (c *checker) fragment(in *Instr, v *variant, i int) {
	s, o, t := &v.ops[i], &in.Args[i], v.args[i]
	n, _ := v.row.Do.frag(v, s.name)
	if n == 0 {
		return // the row's check reports the modifiers
	}
	if o.Kind != KindVector || len(o.List) != n {
		want := "a vector of " + strconv.Itoa(n)
		if n == 1 {
			want = fmt.Sprintf("one register in braces: {%s}", o.String())
		}
		c.bad(in, s, o, want)
		return
	}
	for j := range o.List {
		e := &o.List[j]
		switch {
		case s.dst && e.Kind == KindSink && v.row.Do.noSink:
			c.bad(in, s, e, fmt.Sprintf("a .%s register", t))
		case s.dst:
			c.dest(in, s, e, t, false)
		case t != U16 && e.Kind != KindReg:
			c.bad(in, s, e, fmt.Sprintf("a .%s register", t))
		default:
			c.source(in, s, e, t, false)
		}
	}
}
