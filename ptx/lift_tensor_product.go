package ptx

import (
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
)

// tensorMultiply is a product of Tensor Memory (PTX 9.7.17.10). One lane starts it; it is an ir.Tensor operation.
var tensorMultiply = meaning{check: checkTcgenMma, emit: emitTensorMultiply, show: showTensorMultiply, implied: func(v *variant, in *Instr, i int) Type {
	switch at := v.tensorArgs(in); i {
	case at.a, at.b, at.zero:
		return U64
	case at.keep:
		return Pred
	}
	return B32
}}

// tensorArgs are the operands of tcgen05.mma, by their places in the instruction; -1 if there is none.
type tensorArgs struct{ d, a, b, meta, word, fa, fb, off, keep, halve, zero int }

// tensorArgs returns the places of the operands.
func (v *variant) tensorArgs(in *Instr) tensorArgs {
	next := 0
	take := func(there bool) int {
		if !there || next >= len(in.Args) {
			return -1
		}
		next++
		return next - 1
	}
	at := tensorArgs{d: take(true), a: take(true), b: take(true)}
	f := v.tensorForm(in)
	at.meta, at.word = take(f.Sparse), take(true)
	at.fa, at.fb = take(f.Kind.Scaled()), take(f.Kind.Scaled())
	at.off = take(next < len(in.Args) && in.Args[next].Kind == KindVector)
	at.keep = take(true)
	at.halve, at.zero = take(!f.Stationary), take(f.Stationary)
	return at
}

// tensorForm returns the qualifiers of a product.
func (v *variant) tensorForm(in *Instr) (f matrix.TensorForm) {
	f.Kind, _ = matrix.ParseTensorKind(strings.TrimPrefix(v.mod("kind"), "kind::"))
	f.Pair, f.Sparse, f.Stationary = v.says("cta_group::2"), v.says("sp"), v.says("ws")
	f.SharedA = len(in.Args) > 1 && in.Args[1].Kind != KindAddr
	if f.Kind.Scaled() {
		// PTX 9.7.17.10.9.1: the number of factors that a row has without a qualifier.
		f.ScaleVec = map[matrix.TensorKind]int{matrix.KindMXF8F6F4: 1, matrix.KindMXF4: 2, matrix.KindMXF4NVF4: 4}[f.Kind]
		if s := v.mod("scale_vectorsize"); f.Kind == matrix.KindMXF4NVF4 && (s == "scale_vec::2X" || s == "block32") {
			f.ScaleVec = 2
		}
	}
	return f
}

// emitTensorMultiply emits a product.
func emitTensorMultiply(l *lifter) {
	if l.v.has("cta_group") { // .ws has .cta_group::1 only
		oneGroup(l)
	}
	in, at := l.in, l.v.tensorArgs(l.in)
	info := ir.TensorInfo{Kind: ir.TensorMultiplies, Form: l.v.tensorForm(in)}
	if at.zero >= 0 && !(in.Args[at.zero].Kind == KindInt && in.Args[at.zero].Val == 0) {
		l.errorf(in.Pos, diag.Unsupported, codeUnsupported, "%s: a mask of columns of B that count as zeros is not supported", in.Op)
		return
	}
	value := func(r ir.Ref) { info.Src = append(info.Src, r) }
	cells := func(i int) ir.Ref {
		o, off := addressBase(&in.Args[i])
		r := l.value(o, U32)
		if off != 0 {
			r = l.b.T(ir.Add32, r, l.b.Const(ir.B32, uint64(uint32(off))))
		}
		return r
	}
	value(cells(at.d))
	if info.Form.SharedA {
		value(l.value(&in.Args[at.a], U64))
	} else {
		value(cells(at.a))
	}
	value(l.value(&in.Args[at.b], U64))
	value(l.value(&in.Args[at.word], U32))
	value(l.b.T(ir.Sel32, l.value(&in.Args[at.keep], Pred), l.b.Const(ir.B32, 1), l.b.Const(ir.B32, 0)))
	for _, i := range []int{at.meta, at.fa, at.fb} {
		if i >= 0 {
			value(cells(i))
		}
	}
	if at.off >= 0 {
		for _, o := range in.Args[at.off].elements() {
			value(l.value(&o, B32))
		}
	}
	if at.halve >= 0 {
		info.Halve = int(in.Args[at.halve].Val)
	}
	l.tensor(info, ir.Inst{Space: ir.Shared})
}

// showTensorMultiply explains the fields of the descriptors, and where the matrices are.
func showTensorMultiply(x *explainer) {
	f, at := x.v.tensorForm(x.in), x.v.tensorArgs(x.in)
	if at.word < 0 || at.keep < 0 {
		return
	}
	v, ok := x.values(&x.in.Args[at.word])
	if !ok {
		x.note("a register, the instruction descriptor, gives the types and the shape; --set gives it to decode")
		return
	}
	o, text, remedy := f.Decode(uint32(v[0]))
	if text != "" {
		x.note("%s; %s", text, remedy)
		return
	}
	for _, line := range o.Notes() {
		x.note("%s", line)
	}
	for _, m := range []struct {
		name string
		at   int
		is   bool
		tile func(uint64) matrix.SharedTile
	}{{"A", at.a, f.SharedA, o.TileA}, {"B", at.b, true, o.TileB}} {
		if v, ok := x.values(&x.in.Args[m.at]); m.is && ok {
			t := m.tile(v[0])
			x.note("%s is in shared memory, %s: %s", m.name, majorOf(&t), &t.Descriptor)
			if text, remedy := t.Problem(1 << 18); text != "" {
				x.note("the descriptor of %s: %s; %s", m.name, text, remedy)
			}
		}
	}
	if o.D != matrix.S32 {
		x.note("the order of accumulation is unspecified; Crosslane starts with D and takes up the products in ascending k, each by one fma.rn.f32%s", map[bool]string{true: ", and rounds to f16 at the end"}[o.D == matrix.F16])
	}
}
