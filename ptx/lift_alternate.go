package ptx

import (
	"strings"

	"example.org/crosslane/internal/ir"
)

// This file holds the meanings of arithmetic on packed values whose operands differ in type (PTX
// 9.4).

// mixedUp is an operation of f32 on both halves (PTX 9.4: 9.7.5). Operands of .f16x2 and .bf16x2
// are first converted to f32, which is exact.
func mixedUp(tmpl string) meaning {
	return meaning{ops: []string{tmpl}, emit: func(l *lifter) {
		l.to(0, ir.Pack64, l.b.T(l.op(0), l.wideHalves(0)...), l.b.T(l.op(0), l.wideHalves(1)...))
	}}
}

// mixedDown is an operation of f32 on both halves whose results are converted to f16 or bf16 (PTX
// 9.4: 9.7.5). Both steps round toward zero, which equals one rounding. Unspecified: the values
// that .ftz flushes. Here it flushes the operands, as the f32 instruction does, and the result, as
// the f16 instruction does.
func mixedDown(tmpl string) meaning {
	return meaning{plan: func(v *variant) []string {
		ops := []string{expand(tmpl, v), "CvtBF16FromF32RZ"}
		if v.has("f16x2") {
			ops[1] = "CvtF16FromF32RZ"
		}
		if v.has("ftz") {
			ops = append(ops, "FlushF16")
		}
		return ops
	}, emit: func(l *lifter) {
		half := func(i int) ir.Ref {
			r := l.b.T(l.op(0), l.wideHalves(i)...)
			for _, op := range l.v.code[1:] {
				r = l.b.T(op, r)
			}
			return r
		}
		lo := half(0)
		l.to(0, ir.Pack32, lo, half(1))
	}}
}

// wideHalves returns half i of each source, as f32.
func (l *lifter) wideHalves(i int) (args []ir.Ref) {
	half, word := [2]ir.Op{ir.Lo16, ir.Hi16}[i], [2]ir.Op{ir.Lo32, ir.Hi32}[i]
	for n := 1; n < len(l.v.ops); n++ {
		a := l.src(n)
		switch l.v.args[n] {
		case F16x2:
			a = l.b.T(ir.CvtF32FromF16, l.b.T(half, a))
		case BF16x2:
			a = l.b.T(ir.CvtF32FromBF16, l.b.T(half, a))
		default:
			a = l.b.T(word, a)
		}
		args = append(args, a)
	}
	return args
}

// alternate is an operation on four values of FP8, FP6 or FP4 (PTX 9.4: 9.7.6). classes are the
// format classes of the operands, the destination's first. The computation uses f64; package num
// explains why that equals infinite precision.
func alternate(op string, classes ...string) meaning {
	return meaning{plan: func(v *variant) []string {
		ops := []string{op, "Cvt" + alternateFormat(v, classes[0]) + "FromF64" + opSuffix(v.mod("satfinite"))}
		for _, c := range classes[1:] {
			ops = append(ops, "CvtF64From"+alternateFormat(v, c))
		}
		return ops
	}, emit: func(l *lifter) {
		var bytes [4]ir.Ref
		srcs := l.sources(1)
		for i := range bytes {
			args := make([]ir.Ref, len(srcs))
			for n, a := range srcs {
				width := uint64(8)
				if l.typeOf(a) == ir.B16 { // .e2m1x4
					a, width = l.b.T(ir.CvtU32FromU16, a), 4
				}
				if i > 0 {
					a = l.b.T(ir.ShrU32, a, l.b.Const(ir.B32, uint64(i)*width))
				}
				args[n] = l.b.T(l.op(2+n), l.b.T(ir.CvtU8FromU32, a))
			}
			bytes[i] = l.b.T(l.op(1), l.b.T(l.op(0), args...))
		}
		lo := l.b.T(ir.Pack16, bytes[0], bytes[1])
		l.to(0, ir.Pack32, lo, l.b.T(ir.Pack16, bytes[2], bytes[3]))
	}}
}

// alternateFormat returns the format of a class as operation names spell it, without the number of
// values and the padding of .e2m1p4x4.
func alternateFormat(v *variant, class string) string {
	return strings.TrimSuffix(strings.ToUpper(strings.TrimSuffix(v.mod(class), "x4")), "P4")
}

// setLanes is set on each byte or half (PTX 9.4: 9.7.7.1): all ones or zero.
var setLanes = meaning{plan: func(v *variant) []string {
	return []string{"{CmpOp}" + map[bool]string{true: "S32", false: "U32"}[v.typ.Signed()]}
}, emit: func(l *lifter) {
	a, b := l.src(1), l.src(2)
	zero := l.b.Const(ir.B32, 0)
	n, bits := 4, uint64(8)
	if strings.HasSuffix(l.v.typ.String(), "x2") {
		n, bits = 2, 16
	}
	var d ir.Ref
	for i := range uint64(n) {
		// An element in the upper bits with zeros below compares like the element alone.
		element := func(r ir.Ref) ir.Ref {
			if up := 32 - bits*(i+1); up > 0 {
				r = l.b.T(ir.Shl32, r, l.b.Const(ir.B32, up))
			}
			return l.b.T(ir.And32, r, l.b.Const(ir.B32, 1<<32-1<<(32-bits)))
		}
		yes := l.b.Const(ir.B32, (1<<bits-1)<<(bits*i))
		one := l.b.T(ir.Sel32, l.b.T(l.op(0), element(a), element(b)), yes, zero)
		if d == 0 {
			d = one
			continue
		}
		d = l.b.T(ir.Or32, d, one)
	}
	l.set(0, d)
}}
