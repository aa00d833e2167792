package ptx

import (
	"strings"
	"sync"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/num"
)

// A mathFunction is a function of NVIDIA's library libdevice, which compilers call where the library is not linked.
//
// {r} in the name stands for each rounding rn, rz, rd and ru, and {R} in the operation for its name there: nothing,
// RZ, RM and RP. {I} is RNI, RZI, RMI and RPI. The names of functions have the prefix __nv_.
type mathFunction struct {
	name string
	sig  string // as in builtin; f is f32, d is f64, h is 16 bits
	// op is the operation of the IR that the function is, if there is one. fn emits another one and returns the result.
	op string
	fn func(b *ir.Builder, a []ir.Ref) ir.Ref
	// loop emits a function with branches in place of fn.
	loop func(l *lifter, a []ir.Ref) ir.Ref
	// bound is the error, in the words of the table of docs; "" if the result is exact or correctly rounded.
	bound string
}

// The errors of functions.
const (
	boundNear   = "0.501 ulp"       // see num/math.go
	boundNear32 = "0.501 ulp"       // that of f64, rounded to f32
	boundApprox = "that of .approx" // reference/ptx-approx.md
)

// mathFunctions is the table of libdevice.
var mathFunctions = []mathFunction{
	{name: "fabsf", sig: "f:f", op: "AbsF32"}, {name: "fabs", sig: "d:d", op: "AbsF64"},
	{name: "fmaxf", sig: "f:ff", op: "MaxF32"}, {name: "fmax", sig: "d:dd", op: "MaxF64"},
	{name: "fminf", sig: "f:ff", op: "MinF32"}, {name: "fmin", sig: "d:dd", op: "MinF64"},
	{name: "ceilf", sig: "f:f", op: "CeilF32"}, {name: "ceil", sig: "d:d", op: "CeilF64"},
	{name: "floorf", sig: "f:f", op: "FloorF32"}, {name: "floor", sig: "d:d", op: "FloorF64"},
	{name: "truncf", sig: "f:f", op: "TruncF32"}, {name: "trunc", sig: "d:d", op: "TruncF64"},
	{name: "rintf", sig: "f:f", op: "RndneF32"}, {name: "rint", sig: "d:d", op: "RndneF64"},
	{name: "nearbyintf", sig: "f:f", op: "RndneF32"}, {name: "nearbyint", sig: "d:d", op: "RndneF64"},
	{name: "roundf", sig: "f:f", fn: wide1(num.MathRound)}, {name: "round", sig: "d:d", fn: math1(num.MathRound)},
	{name: "llrintf", sig: "l:f", op: "CvtS64FromF32RNI"}, {name: "llrint", sig: "l:d", op: "CvtS64FromF64RNI"},
	{name: "llroundf", sig: "l:f", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.CvtS64FromF64RZI, call1(b, num.MathRound, b.T(ir.CvtF64FromF32, a[0])))
	}},
	{name: "llround", sig: "l:d", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.CvtS64FromF64RZI, call1(b, num.MathRound, a[0]))
	}},
	{name: "copysignf", sig: "f:ff", fn: swapped(ir.CopysignF32)}, {name: "copysign", sig: "d:dd", fn: swapped(ir.CopysignF64)},
	{name: "fmaf", sig: "f:fff", op: "FmaF32"}, {name: "fma", sig: "d:ddd", op: "FmaF64"},
	{name: "fmaf_{r}", sig: "f:fff", op: "FmaF32{R}"}, {name: "fma_{r}", sig: "d:ddd", op: "FmaF64{R}"},
	{name: "fmaf_ieee_{r}", sig: "f:fff", op: "FmaF32{R}"},
	{name: "fadd_{r}", sig: "f:ff", op: "AddF32{R}"}, {name: "dadd_{r}", sig: "d:dd", op: "AddF64{R}"},
	{name: "fsub_{r}", sig: "f:ff", op: "SubF32{R}"}, {name: "dsub_{r}", sig: "d:dd", op: "SubF64{R}"},
	{name: "fmul_{r}", sig: "f:ff", op: "MulF32{R}"}, {name: "dmul_{r}", sig: "d:dd", op: "MulF64{R}"},
	{name: "fdiv_{r}", sig: "f:ff", op: "DivF32{R}"}, {name: "ddiv_{r}", sig: "d:dd", op: "DivF64{R}"},
	{name: "frcp_{r}", sig: "f:f", op: "RcpF32{R}"}, {name: "drcp_{r}", sig: "d:d", op: "RcpF64{R}"},
	{name: "fsqrt_{r}", sig: "f:f", op: "SqrtF32{R}"}, {name: "dsqrt_{r}", sig: "d:d", op: "SqrtF64{R}"},
	{name: "sqrtf", sig: "f:f", op: "SqrtF32"}, {name: "sqrt", sig: "d:d", op: "SqrtF64"},
	{name: "saturatef", sig: "f:f", op: "SatF32"},
	{name: "fdimf", sig: "f:ff", fn: wide2(num.MathFdim)}, {name: "fdim", sig: "d:dd", fn: math2(num.MathFdim)},
	{name: "fmodf", sig: "f:ff", fn: wide2(num.MathFmod)}, {name: "fmod", sig: "d:dd", fn: math2(num.MathFmod)},
	{name: "remainderf", sig: "f:ff", fn: wide2(num.MathRemainder)}, {name: "remainder", sig: "d:dd", fn: math2(num.MathRemainder)},
	{name: "nextafterf", sig: "f:ff", fn: wide2(num.MathNextafter32)}, {name: "nextafter", sig: "d:dd", fn: math2(num.MathNextafter)},
	{name: "logbf", sig: "f:f", fn: wide1(num.MathLogb)}, {name: "logb", sig: "d:d", fn: math1(num.MathLogb)},
	{name: "ilogbf", sig: "i:f", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.CvtS32FromF64RZI, call1(b, num.MathIlogb, b.T(ir.CvtF64FromF32, a[0])))
	}},
	{name: "ilogb", sig: "i:d", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.CvtS32FromF64RZI, call1(b, num.MathIlogb, a[0]))
	}},
	{name: "ldexpf", sig: "f:fi", fn: scale32}, {name: "ldexp", sig: "d:di", fn: scale64},
	{name: "scalbnf", sig: "f:fi", fn: scale32}, {name: "scalbn", sig: "d:di", fn: scale64},
	{name: "frexpf", sig: "f:fp", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		storeResult(b, a[1], b.T(ir.VFrexpExpI32F32, a[0]), 4)
		return b.T(ir.VFrexpMantF32, a[0])
	}},
	{name: "frexp", sig: "d:dp", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		storeResult(b, a[1], b.T(ir.VFrexpExpI32F64, a[0]), 4)
		return b.T(ir.VFrexpMantF64, a[0])
	}},
	{name: "modff", sig: "f:fp", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		w := b.T(ir.TruncF32, a[0])
		storeResult(b, a[1], w, 4)
		rest := b.T(ir.Sel32, b.T(ir.IsInfF32, a[0]), b.Const(ir.B32, 0), b.T(ir.SubF32, a[0], w))
		return b.T(ir.CopysignF32, a[0], rest)
	}},
	{name: "modf", sig: "d:dp", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		w := b.T(ir.TruncF64, a[0])
		storeResult(b, a[1], w, 8)
		rest := b.T(ir.Sel64, b.T(ir.IsInfF64, a[0]), b.Const(ir.B64, 0), b.T(ir.SubF64, a[0], w))
		return b.T(ir.CopysignF64, a[0], rest)
	}},
	{name: "remquof", sig: "f:ffp", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		x, y := b.T(ir.CvtF64FromF32, a[0]), b.T(ir.CvtF64FromF32, a[1])
		storeResult(b, a[2], b.T(ir.CvtS32FromF64RZI, call2(b, num.MathQuotient, x, y)), 4)
		return b.T(ir.CvtF32FromF64, call2(b, num.MathRemainder, x, y))
	}},
	{name: "remquo", sig: "d:ddp", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		storeResult(b, a[2], b.T(ir.CvtS32FromF64RZI, call2(b, num.MathQuotient, a[0], a[1])), 4)
		return call2(b, num.MathRemainder, a[0], a[1])
	}},

	{name: "isnanf", sig: "i:f", fn: truthOf(ir.IsNaNF32)}, {name: "isnand", sig: "i:d", fn: truthOf(ir.IsNaNF64)},
	{name: "isinff", sig: "i:f", fn: truthOf(ir.IsInfF32)}, {name: "isinfd", sig: "i:d", fn: truthOf(ir.IsInfF64)},
	{name: "finitef", sig: "i:f", fn: truthOf(ir.IsFiniteF32)}, {name: "isfinited", sig: "i:d", fn: truthOf(ir.IsFiniteF64)},
	{name: "signbitf", sig: "i:f", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.ShrU32, a[0], b.Const(ir.B32, 31))
	}},
	{name: "signbitd", sig: "i:d", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.ShrU32, b.T(ir.Hi32, a[0]), b.Const(ir.B32, 31))
	}},
	{name: "nanf", sig: "f:p", fn: func(b *ir.Builder, _ []ir.Ref) ir.Ref { return b.Const(ir.B32, 0x7fffffff) }},
	{name: "nan", sig: "d:p", fn: func(b *ir.Builder, _ []ir.Ref) ir.Ref { return b.Const(ir.B64, 0x7fffffff_ffffffff) }},

	{name: "abs", sig: "i:i", op: "AbsS32"}, {name: "llabs", sig: "l:l", op: "AbsS64"},
	{name: "max", sig: "i:ii", op: "MaxS32"}, {name: "umax", sig: "i:ii", op: "MaxU32"},
	{name: "llmax", sig: "l:ll", op: "MaxS64"}, {name: "ullmax", sig: "l:ll", op: "MaxU64"},
	{name: "min", sig: "i:ii", op: "MinS32"}, {name: "umin", sig: "i:ii", op: "MinU32"},
	{name: "llmin", sig: "l:ll", op: "MinS64"}, {name: "ullmin", sig: "l:ll", op: "MinU64"},
	{name: "mulhi", sig: "i:ii", op: "MulHiS32"}, {name: "umulhi", sig: "i:ii", op: "MulHiU32"},
	{name: "mul64hi", sig: "l:ll", op: "MulHiS64"}, {name: "umul64hi", sig: "l:ll", op: "MulHiU64"},
	{name: "mul24", sig: "i:ii", op: "Mul24LoS32"}, {name: "umul24", sig: "i:ii", op: "Mul24LoU32"},
	{name: "sad", sig: "i:iii", op: "SadS32"}, {name: "usad", sig: "i:iii", op: "SadU32"},
	{name: "popc", sig: "i:i", op: "Popc32"}, {name: "popcll", sig: "i:l", op: "Popc64"},
	{name: "clz", sig: "i:i", op: "Clz32"}, {name: "clzll", sig: "i:l", op: "Clz64"},
	{name: "brev", sig: "i:i", op: "Brev32"}, {name: "brevll", sig: "l:l", op: "Brev64"},
	{name: "byte_perm", sig: "i:iii", op: "Prmt"},
	{name: "ffs", sig: "i:i", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.Sub32, b.Const(ir.B32, 32), b.T(ir.Clz32, b.T(ir.And32, a[0], b.T(ir.Neg32, a[0]))))
	}},
	{name: "ffsll", sig: "i:l", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.Sub32, b.Const(ir.B32, 64), b.T(ir.Clz64, b.T(ir.And64, a[0], b.T(ir.Neg64, a[0]))))
	}},
	{name: "hadd", sig: "i:ii", fn: average(ir.And32, ir.Add32, ir.ShrS32)}, {name: "uhadd", sig: "i:ii", fn: average(ir.And32, ir.Add32, ir.ShrU32)},
	{name: "rhadd", sig: "i:ii", fn: average(ir.Or32, ir.Sub32, ir.ShrS32)}, {name: "urhadd", sig: "i:ii", fn: average(ir.Or32, ir.Sub32, ir.ShrU32)},

	{name: "float_as_int", sig: "i:f", op: "Mov32"}, {name: "int_as_float", sig: "f:i", op: "Mov32"},
	{name: "float_as_uint", sig: "i:f", op: "Mov32"}, {name: "uint_as_float", sig: "f:i", op: "Mov32"},
	{name: "double_as_longlong", sig: "l:d", op: "Mov64"}, {name: "longlong_as_double", sig: "d:l", op: "Mov64"},
	{name: "double2hiint", sig: "i:d", op: "Hi32"}, {name: "double2loint", sig: "i:d", op: "Lo32"},
	{name: "hiloint2double", sig: "d:ii", fn: swapped(ir.Pack64)},
	{name: "float2int_{r}", sig: "i:f", op: "CvtS32FromF32{I}"}, {name: "double2int_{r}", sig: "i:d", op: "CvtS32FromF64{I}"},
	{name: "float2uint_{r}", sig: "i:f", op: "CvtU32FromF32{I}"}, {name: "double2uint_{r}", sig: "i:d", op: "CvtU32FromF64{I}"},
	{name: "float2ll_{r}", sig: "l:f", op: "CvtS64FromF32{I}"}, {name: "double2ll_{r}", sig: "l:d", op: "CvtS64FromF64{I}"},
	{name: "float2ull_{r}", sig: "l:f", op: "CvtU64FromF32{I}"}, {name: "double2ull_{r}", sig: "l:d", op: "CvtU64FromF64{I}"},
	{name: "int2float_{r}", sig: "f:i", op: "CvtF32FromS32{R}"}, {name: "uint2float_{r}", sig: "f:i", op: "CvtF32FromU32{R}"},
	{name: "ll2float_{r}", sig: "f:l", op: "CvtF32FromS64{R}"}, {name: "ull2float_{r}", sig: "f:l", op: "CvtF32FromU64{R}"},
	{name: "int2double_rn", sig: "d:i", op: "CvtF64FromS32"}, {name: "uint2double_rn", sig: "d:i", op: "CvtF64FromU32"},
	{name: "ll2double_{r}", sig: "d:l", op: "CvtF64FromS64{R}"}, {name: "ull2double_{r}", sig: "d:l", op: "CvtF64FromU64{R}"},
	{name: "double2float_{r}", sig: "f:d", op: "CvtF32FromF64{R}"},
	{name: "float2half_rn", sig: "h:f", op: "CvtF16FromF32"}, {name: "half2float", sig: "f:h", op: "CvtF32FromF16"},

	{name: "rsqrtf", sig: "f:f", op: "RsqrtApproxF32", bound: boundApprox}, {name: "frsqrt_rn", sig: "f:f", fn: wide1(num.MathRsqrt), bound: boundNear32},
	{name: "fast_sinf", sig: "f:f", op: "SinApproxF32", bound: boundApprox}, {name: "fast_cosf", sig: "f:f", op: "CosApproxF32", bound: boundApprox},
	{name: "fast_fdividef", sig: "f:ff", op: "DivApproxF32", bound: boundApprox},
	{name: "fast_tanhf", sig: "f:f", op: "TanhApproxF32", bound: boundApprox}, {name: "rcp64h", sig: "d:d", op: "RcpApproxF64Ftz", bound: boundApprox},
	{name: "fast_log2f", sig: "f:f", op: "Lg2ApproxF32", bound: boundApprox},
	{name: "fast_logf", sig: "f:f", fn: fastLog(0x3f317218), bound: "of lg2.approx, and 1 ulp"},   // log(2)
	{name: "fast_log10f", sig: "f:f", fn: fastLog(0x3e9a209b), bound: "of lg2.approx, and 1 ulp"}, // log10(2)
	{name: "fast_expf", sig: "f:f", fn: fastExp(0x3fb8aa3b), bound: "2 + |x| ulp"},                // log2(e)
	{name: "fast_exp10f", sig: "f:f", fn: fastExp(0x40549a78), bound: "2 + 3|x| ulp"},             // log2(10)
	{name: "fast_powf", sig: "f:ff", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.Ex2ApproxF32, b.T(ir.MulF32, a[1], b.T(ir.Lg2ApproxF32, a[0])))
	}, bound: "of ex2.approx, lg2.approx and their product"},
	{name: "fast_tanf", sig: "f:f", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.DivApproxF32, b.T(ir.SinApproxF32, a[0]), b.T(ir.CosApproxF32, a[0]))
	}, bound: "of sin.approx, cos.approx and div.approx"},
	{name: "fast_sincosf", sig: ":fpp", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		storeResult(b, a[1], b.T(ir.SinApproxF32, a[0]), 4)
		storeResult(b, a[2], b.T(ir.CosApproxF32, a[0]), 4)
		return 0
	}, bound: boundApprox},
	{name: "sincosf", sig: ":fpp", fn: both32(num.MathSin, num.MathCos), bound: boundNear32},
	{name: "sincos", sig: ":dpp", fn: both64(num.MathSin, num.MathCos), bound: boundNear},
	{name: "sincospif", sig: ":fpp", fn: both32(num.MathSinpi, num.MathCospi), bound: boundNear32},
	{name: "sincospi", sig: ":dpp", fn: both64(num.MathSinpi, num.MathCospi), bound: boundNear},
	{name: "powif", sig: "f:fi", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.CvtF32FromF64, call2(b, num.MathPow, b.T(ir.CvtF64FromF32, a[0]), b.T(ir.CvtF64FromS32, a[1])))
	}, bound: boundNear32},
	{name: "powi", sig: "d:di", fn: func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return call2(b, num.MathPow, a[0], b.T(ir.CvtF64FromS32, a[1]))
	}, bound: boundNear},
	{name: "jnf", sig: "f:if", fn: ordered32(num.MathJn), bound: boundNear32}, {name: "jn", sig: "d:id", fn: ordered64(num.MathJn), bound: boundNear},
	{name: "ynf", sig: "f:if", fn: ordered32(num.MathYn), bound: boundNear32}, {name: "yn", sig: "d:id", fn: ordered64(num.MathYn), bound: boundNear},
	{name: "norm3df", sig: "f:fff", fn: length(false, false), bound: boundNear32}, {name: "norm3d", sig: "d:ddd", fn: length(true, false), bound: boundNear},
	{name: "norm4df", sig: "f:ffff", fn: length(false, false), bound: boundNear32}, {name: "norm4d", sig: "d:dddd", fn: length(true, false), bound: boundNear},
	{name: "rnorm3df", sig: "f:fff", fn: length(false, true), bound: boundNear32}, {name: "rnorm3d", sig: "d:ddd", fn: length(true, true), bound: boundNear},
	{name: "rnorm4df", sig: "f:ffff", fn: length(false, true), bound: boundNear32}, {name: "rnorm4d", sig: "d:dddd", fn: length(true, true), bound: boundNear},
	{name: "normf", sig: "f:ip", loop: lengthOf(false, false), bound: boundNear32}, {name: "norm", sig: "d:ip", loop: lengthOf(true, false), bound: boundNear},
	{name: "rnormf", sig: "f:ip", loop: lengthOf(false, true), bound: boundNear32}, {name: "rnorm", sig: "d:ip", loop: lengthOf(true, true), bound: boundNear},
}

// mathNames1 and mathNames2 are the functions of package num that exist for f64 and, with an f after the name, for f32.
var (
	mathNames1 = map[string]uint32{
		"exp": num.MathExp, "exp2": num.MathExp2, "exp10": num.MathExp10, "expm1": num.MathExpm1, "log": num.MathLog, "log2": num.MathLog2,
		"log10": num.MathLog10, "log1p": num.MathLog1p, "sin": num.MathSin, "cos": num.MathCos, "tan": num.MathTan, "sinpi": num.MathSinpi,
		"cospi": num.MathCospi, "asin": num.MathAsin, "acos": num.MathAcos, "atan": num.MathAtan, "sinh": num.MathSinh, "cosh": num.MathCosh,
		"tanh": num.MathTanh, "asinh": num.MathAsinh, "acosh": num.MathAcosh, "atanh": num.MathAtanh, "cbrt": num.MathCbrt, "rcbrt": num.MathRcbrt,
		"erf": num.MathErf, "erfc": num.MathErfc, "erfcx": num.MathErfcx, "normcdf": num.MathNormcdf, "tgamma": num.MathTgamma, "lgamma": num.MathLgamma,
		"rsqrt": num.MathRsqrt, "erfinv": num.MathErfinv, "erfcinv": num.MathErfcinv, "normcdfinv": num.MathNormcdfinv,
		"j0": num.MathJ0, "j1": num.MathJ1, "y0": num.MathY0, "y1": num.MathY1, "cyl_bessel_i0": num.MathI0, "cyl_bessel_i1": num.MathI1,
	}
	mathNames2 = map[string]uint32{"pow": num.MathPow, "atan2": num.MathAtan2, "hypot": num.MathHypot, "rhypot": num.MathRhypot}
)

// mathBuiltins returns the functions of libdevice by their names.
var mathBuiltins = sync.OnceValue(func() map[string]*builtin {
	list := map[string]*builtin{}
	add := func(f mathFunction) {
		fn := f.fn
		if fn == nil && f.loop == nil {
			op, ok := opsByName[f.op]
			if !ok {
				panic("ptx: __nv_" + f.name + ": there is no operation " + f.op)
			}
			fn = func(b *ir.Builder, a []ir.Ref) ir.Ref { return b.T(op, a...) }
		}
		name := "__nv_" + f.name
		if list[name] != nil {
			panic("ptx: two functions are called " + name)
		}
		emit := f.loop
		if emit == nil {
			emit = func(l *lifter, a []ir.Ref) ir.Ref { return fn(l.b, a) }
		}
		list[name] = &builtin{name: name, sig: f.sig, emit: func(l *lifter, s site) { l.mathCall(list[name], emit, s) }}
	}
	roundings := []struct{ name, float, integer string }{{"rn", "", "RNI"}, {"rz", "RZ", "RZI"}, {"rd", "RM", "RMI"}, {"ru", "RP", "RPI"}}
	for _, f := range allMathFunctions() {
		if !strings.Contains(f.name, "{r}") {
			add(f)
			continue
		}
		for _, r := range roundings {
			g := f
			g.name = strings.Replace(f.name, "{r}", r.name, 1)
			g.op = strings.NewReplacer("{R}", r.float, "{I}", r.integer).Replace(f.op)
			add(g)
		}
	}
	return list
})

// allMathFunctions returns the table with the functions of mathNames1 and mathNames2.
func allMathFunctions() []mathFunction {
	list := append([]mathFunction(nil), mathFunctions...)
	for name, n := range mathNames1 {
		list = append(list, mathFunction{name: name, sig: "d:d", fn: math1(n), bound: boundNear})
		if name != "rsqrt" { // rsqrtf is an approximation
			list = append(list, mathFunction{name: name + "f", sig: "f:f", fn: wide1(n), bound: boundNear32})
		}
	}
	for name, n := range mathNames2 {
		list = append(list, mathFunction{name: name, sig: "d:dd", fn: math2(n), bound: boundNear}, mathFunction{name: name + "f", sig: "f:ff", fn: wide2(n), bound: boundNear32})
	}
	return list
}

// mathCall emits the call of a function of libdevice.
func (l *lifter) mathCall(f *builtin, emit func(*lifter, []ir.Ref) ir.Ref, s site) {
	result, params := f.types(l.m.AddressSize == 64)
	var args []ir.Ref
	for i, t := range params {
		args = append(args, l.argument(&s.args[i], t))
	}
	if r := emit(l, args); result != NoType {
		l.answer(s, r, result)
	}
}

type emitter = func(b *ir.Builder, a []ir.Ref) ir.Ref

func call1(b *ir.Builder, n uint32, a ir.Ref) ir.Ref {
	return b.T(ir.Math1F64, a, b.Const(ir.B32, uint64(n)))
}

func call2(b *ir.Builder, n uint32, x, y ir.Ref) ir.Ref {
	return b.T(ir.Math2F64, x, y, b.Const(ir.B32, uint64(n)))
}

// math1 and math2 are functions of f64; wide1 and wide2 compute those of f32 in f64 and round.
func math1(n uint32) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref { return call1(b, n, a[0]) }
}

func math2(n uint32) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref { return call2(b, n, a[0], a[1]) }
}

func wide1(n uint32) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.CvtF32FromF64, call1(b, n, b.T(ir.CvtF64FromF32, a[0])))
	}
}

func wide2(n uint32) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.CvtF32FromF64, call2(b, n, b.T(ir.CvtF64FromF32, a[0]), b.T(ir.CvtF64FromF32, a[1])))
	}
}

// both32 and both64 store two functions of the first argument at the addresses that follow.
func both32(first, second uint32) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref {
		x := b.T(ir.CvtF64FromF32, a[0])
		storeResult(b, a[1], b.T(ir.CvtF32FromF64, call1(b, first, x)), 4)
		storeResult(b, a[2], b.T(ir.CvtF32FromF64, call1(b, second, x)), 4)
		return 0
	}
}

func both64(first, second uint32) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref {
		storeResult(b, a[1], call1(b, first, a[0]), 8)
		storeResult(b, a[2], call1(b, second, a[0]), 8)
		return 0
	}
}

// ordered32 and ordered64 are functions of an integer, the order, and a number.
func ordered32(n uint32) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.CvtF32FromF64, call2(b, n, b.T(ir.CvtF64FromS32, a[0]), b.T(ir.CvtF64FromF32, a[1])))
	}
}

func ordered64(n uint32) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref { return call2(b, n, b.T(ir.CvtF64FromS32, a[0]), a[1]) }
}

func call3(b *ir.Builder, n uint32, x, low, y ir.Ref) ir.Ref {
	return b.T(ir.Math3F64, x, low, y, b.Const(ir.B32, uint64(n)))
}

// ending returns the length with the given parts, or its reciprocal, in the format of the function.
func ending(b *ir.Builder, high, low ir.Ref, wide, reciprocal bool) ir.Ref {
	if reciprocal {
		high = call3(b, num.MathRnorm, high, low, b.Const(ir.B64, 0))
	}
	if !wide {
		high = b.T(ir.CvtF32FromF64, high)
	}
	return high
}

// length is the length of a vector of the arguments, or its reciprocal; wide is that of f64.
func length(wide, reciprocal bool) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref {
		high, low := b.Const(ir.B64, 0), b.Const(ir.B64, 0)
		for _, v := range a {
			if !wide {
				v = b.T(ir.CvtF64FromF32, v)
			}
			high, low = call3(b, num.MathNorm, high, low, v), call3(b, num.MathNormLow, high, low, v)
		}
		return ending(b, high, low, wide, reciprocal)
	}
}

// lengthOf is the length of a vector in memory: a[0] elements at a[1].
func lengthOf(wide, reciprocal bool) func(l *lifter, a []ir.Ref) ir.Ref {
	return func(l *lifter, a []ir.Ref) ir.Ref {
		b, size := l.b, uint8(4)
		if wide {
			size = 8
		}
		pos := b.Func().Pos[len(b.Func().Pos)-1]
		n, high, low := l.keep(0, ir.B32), l.keep(1, ir.B64), l.keep(2, ir.B64)
		add, pointer := ir.Add64, ir.B64
		if l.m.AddressSize != 64 {
			add, pointer = ir.Add32, ir.B32
		}
		at := l.keep(3, pointer)
		again, done := b.NewLabel(), b.NewLabel()
		b.Move(n, a[0])
		b.Move(at, a[1])
		b.Move(high, b.Const(ir.B64, 0))
		b.Move(low, b.Const(ir.B64, 0))

		// Each element is an instruction of its own, so a budget of instructions bounds each turn.
		b.Bind(again)
		b.At(pos)
		b.Guard(b.T(ir.LeS32, n, b.Const(ir.B32, 0)), false)
		b.Bra(done)
		b.Resume()
		v := b.Temp(ir.B32)
		if wide {
			v = b.Temp(ir.B64)
		}
		b.Emit(ir.Inst{Op: ir.Load, Dst: v, Args: [4]ir.Ref{at}, Size: size, Align: uint16(size), Space: ir.Generic})
		if !wide {
			v = b.T(ir.CvtF64FromF32, v)
		}
		h, rest := call3(b, num.MathNorm, high, low, v), call3(b, num.MathNormLow, high, low, v)
		b.Move(high, h)
		b.Move(low, rest)
		b.To(n, ir.Sub32, n, b.Const(ir.B32, 1))
		b.To(at, add, at, b.Const(pointer, uint64(size)))
		b.Bra(again)
		b.Resume()
		b.Bind(done)
		b.At(pos)
		return ending(b, high, low, wide, reciprocal)
	}
}

func storeResult(b *ir.Builder, address, val ir.Ref, size uint8) {
	b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{address, val}, Size: size, Align: uint16(size), Space: ir.Generic})
}

// swapped is an operation whose arguments have the other order.
func swapped(op ir.Op) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref { return b.T(op, a[1], a[0]) }
}

// truthOf is a predicate as a word.
func truthOf(op ir.Op) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref { return b.T(ir.B2U32, b.T(op, a[0])) }
}

// average is (a + b)/2 without overflow, rounded down or up: (a & b) + ((a ^ b) >> 1), (a | b) - ((a ^ b) >> 1).
func average(join, sum, shift ir.Op) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(sum, b.T(join, a[0], a[1]), b.T(shift, b.T(ir.Xor32, a[0], a[1]), b.Const(ir.B32, 1)))
	}
}

func fastLog(factor uint64) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.MulF32, b.T(ir.Lg2ApproxF32, a[0]), b.Const(ir.B32, factor))
	}
}

func fastExp(factor uint64) emitter {
	return func(b *ir.Builder, a []ir.Ref) ir.Ref {
		return b.T(ir.Ex2ApproxF32, b.T(ir.MulF32, a[0], b.Const(ir.B32, factor)))
	}
}

func scale32(b *ir.Builder, a []ir.Ref) ir.Ref {
	return b.T(ir.CvtF32FromF64, call2(b, num.MathLdexp, b.T(ir.CvtF64FromF32, a[0]), b.T(ir.CvtF64FromS32, a[1])))
}

func scale64(b *ir.Builder, a []ir.Ref) ir.Ref {
	return call2(b, num.MathLdexp, a[0], b.T(ir.CvtF64FromS32, a[1]))
}
