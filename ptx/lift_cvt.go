package ptx

import (
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// cvt converts between numeric types (PTX 9.7.9.22). Its plan is a chain of operations with one
// argument each.
var cvt = meaning{plan: planCvt, emit: emitChain, check: checkCvt}

// emitChain emits the operations of a plan one after another; the last one writes the destination.
func emitChain(l *lifter) {
	r := l.src(1)
	for i, op := range l.v.code {
		if i == len(l.v.code)-1 {
			l.to(0, op, r)
			return
		}
		r = l.b.T(op, r)
	}
	l.set(0, r)
}

// planCvt returns the chain of operations of a conversion: flush, convert, round, saturate.
func planCvt(v *variant) []string {
	d, a := v.args[0], v.args[1]
	dn, an := opType(d), opType(a)
	irnd, frnd := v.mod("irnd"), opSuffix(v.mod("frnd"))
	var ops []string
	if v.has("ftz") && a == F32 {
		ops = append(ops, "FlushF32")
	}
	switch {
	case !d.Float() && !a.Float():
		if d == a {
			return nil
		}
		if v.has("sat") && canSaturate(d, a) {
			return []string{"CvtSat" + dn + "From" + an}
		}
		return []string{"Cvt" + dn + "From" + an}
	case !d.Float(): // float to integer saturates by default
		if irnd == "" {
			irnd = "rzi"
		}
		return append(ops, "Cvt"+dn+"From"+an+strings.ToUpper(irnd))
	case d == a && irnd != "":
		ops = append(ops, map[string]string{"rni": "Rndne", "rzi": "Trunc", "rmi": "Floor", "rpi": "Ceil"}[irnd]+dn)
	case d != a && a.Float() && d.Bits() > a.Bits(): // exact
		ops = append(ops, "Cvt"+dn+"From"+an)
	case d != a:
		ops = append(ops, "Cvt"+dn+"From"+an+frnd)
	}
	if v.has("sat") && d != BF16 {
		ops = append(ops, "Sat"+dn)
	}
	if v.has("ftz") && d == F32 && a != F32 {
		ops = append(ops, "FlushF32")
	}
	return ops
}

// canSaturate reports whether integer type d cannot hold every value of a.
func canSaturate(d, a Type) bool {
	switch {
	case d.Signed() == a.Signed():
		return d.Bits() < a.Bits()
	case d.Signed():
		return d.Bits() <= a.Bits()
	}
	return true
}

// checkCvt applies the rules of PTX 9.7.9.22 about rounding and saturation.
func checkCvt(c *checker, in *Instr, v *variant) {
	d, a := v.args[0], v.args[1]
	fail := func(format string, args ...any) {
		c.errorf(in.Pos, diag.Input, codeModifier, "%s: "+format, append([]any{in.Op}, args...)...).Section = "PTX " + v.row.Sec
	}
	irnd, frnd := v.has("irnd"), v.has("frnd")
	switch {
	case !d.Float() && !a.Float():
		if irnd || frnd {
			fail("a conversion between integers takes no rounding modifier")
		}
	case !d.Float():
		if frnd || !irnd && !c.before(1, 4) {
			fail("a conversion from floating point to integer needs .rni, .rzi, .rmi or .rpi")
		}
	case !a.Float():
		if irnd || !frnd {
			fail("a conversion from integer to floating point needs .rn, .rz, .rm or .rp")
		}
	case d == a:
		if frnd {
			fail("a conversion to the same type takes .rni, .rzi, .rmi, .rpi or nothing")
		}
	case d.Bits() > a.Bits():
		if irnd || frnd {
			fail("this conversion is exact and takes no rounding modifier")
		}
	case d.Bits() == a.Bits() && !irnd && !frnd && !v.has("sat"):
		// Between .f16 and .bf16: ptxas rounds to nearest (ERRATA E120).
	default:
		if irnd || !frnd {
			fail("a conversion that loses precision needs .rn, .rz, .rm or .rp")
		}
	}
	if v.has("ftz") && d != F32 && a != F32 {
		fail(".ftz needs .f32 as one of the types")
	}
	if v.has("sat") && d == BF16 {
		fail(".sat is not allowed with .bf16")
	}
	if v.has("sat") && !d.Float() && !a.Float() && !canSaturate(d, a) {
		fail(".sat is not allowed: every .%s fits in .%s", a, d)
	}
	if (d == BF16 || a == BF16) && d != F32 && a != F32 || v.has("ftz") && d == F32 && a == BF16 {
		c.require(in, v, Version{7, 8}, 90)
	}
}

// flushing returns the variant that an instruction means on sm_1x: there, single-precision
// instructions flush subnormal numbers even without .ftz (PTX 9.7.3).
func (v *variant) flushing(ver Version) *variant {
	single, wide := false, false
	for _, t := range v.args {
		single = single || t == F32
		wide = wide || t.Bits() == 64 && t != NoType
	}
	// PTX 9.7.9.22: up to PTX 1.4, cvt did not flush if one type had 64 bits.
	if !single || wide && v.has("atype") && !ver.AtLeast(Version{1, 5}) {
		return v
	}
	for i, e := range v.row.elems {
		if e.class == "ftz" && e.opt && v.mods[i] == "" {
			mods := append([]string(nil), v.mods...)
			mods[i] = "ftz"
			w := v.row.choose(mods, len(v.ops))
			w.ptx, w.sm, w.why, w.moved = v.ptx, v.sm, v.why, v.moved // as in the written variant
			return w
		}
	}
	return v
}

// before reports whether the module's version is lower than the given one. The scratchpad, which
// has no version, counts as the newest.
func (c *checker) before(major, minor int) bool {
	return c.m.Version != (Version{}) && !c.m.Version.AtLeast(Version{major, minor})
}

// require demands a version and target beyond those of the row.
func (c *checker) require(in *Instr, v *variant, ver Version, sm int) {
	w := *v
	w.ptx, w.sm, w.why = ver, sm, ""
	c.needs(in, &w)
}

// cvtHalf is cvt to f16, bf16 or a pair of them with .relu, .satfinite or .rs.
var cvtHalf = meaning{plan: func(v *variant) []string {
	to := strings.Replace(strings.ToUpper(v.mod("dtype")), "X2", "x2", 1)
	rnd := opSuffix(v.mod("frnd2"))
	if v.has("rs") {
		rnd = "RS"
	}
	return append([]string{"Cvt" + to + "FromF32" + rnd}, finish(v, to)...)
}, emit: emitSteps}

// cvtTF32 is cvt to tf32.
var cvtTF32 = meaning{plan: func(v *variant) []string {
	rnd := map[string]string{"rn": "RN", "rz": "RZ"}[v.mod("frnd2")]
	if v.has("rna") {
		rnd = "RNA"
	}
	return append([]string{"CvtTF32FromF32" + rnd}, finish(v, "TF32")...)
}, emit: emitSteps}

// finish names the steps of .satfinite and .relu after a conversion. Their order does not change
// the result.
func finish(v *variant, to string) (ops []string) {
	if v.has("satfinite") {
		ops = append(ops, "Satfinite"+to)
	}
	if v.has("relu") {
		ops = append(ops, "Relu"+to)
	}
	if v.has("pzo") {
		ops = append(ops, "Pzo"+strings.TrimPrefix(to, "B"))
	}
	return ops
}

// emitSteps is d = last(… (first(operands))).
func emitSteps(l *lifter) { l.steps(l.sources(1)) }

func (l *lifter) steps(args []ir.Ref) {
	last := len(l.v.code) - 1
	for _, op := range l.v.code[:last] {
		args = []ir.Ref{l.b.T(op, args...)}
	}
	l.to(0, l.op(last), args...)
}

// The modifiers of one scale factor for both values, and of one factor for each value.
const (
	scaledOne  = "scaled::n1::ue8m0"
	scaledEach = "scaled::n2::ue8m0"
)

// narrowName returns the name, in operations, of the narrow format among the modifiers.
func narrowName(v *variant) string {
	for _, m := range v.mods {
		if n := len(m) - 2; n > 0 && (m[n:] == "x2" || m[n:] == "x4") && ParseType(m) == NoType {
			return strings.ToUpper(m[:n])
		}
	}
	return ""
}

// scale returns the operand of scale factors; without it both factors are 1 (PTX 9.7.9.22).
func (l *lifter) scale() ir.Ref {
	if l.v.has(scaledEach) {
		return l.src(len(l.v.ops) - 1)
	}
	return l.b.Const(ir.B16, 0x7f7f)
}

// cvtDown is cvt of two f32, or of a pair of f16 or bf16, to a pair of a narrow format. .relu is
// done before the conversion, which gives the same result, because rounding keeps the sign.
var cvtDown = meaning{
	plan: func(v *variant) []string {
		format := narrowName(v)
		name := "Cvt" + format + "x2FromF32"
		for _, class := range []string{"frnd2", "frnd3", "frnd4"} {
			name += opSuffix(v.mod(class))
		}
		if v.has("frnd3") || v.has("frnd4") {
			name += opSuffix(v.mod("satfinite"))
		}
		return append([]string{name}, pzo(v)...)
	},
	check: checkF8,
	emit: func(l *lifter) {
		hi, lo := ir.Ref(0), ir.Ref(0)
		widen := ir.CvtF32FromF16
		switch l.v.args[1] {
		case F32:
			hi, lo = l.src(1), l.src(2)
		case BF16x2:
			widen = ir.CvtF32FromBF16
			fallthrough
		default:
			half := func(part ir.Op) ir.Ref {
				h := l.b.T(part, l.src(1))
				if widen == ir.CvtF32FromF16 && l.v.has(scaledOne) {
					h = l.b.T(ir.FlushF16, h) // subnormal f16 are normal f32
				}
				return l.b.T(widen, h)
			}
			hi, lo = half(ir.Hi16), half(ir.Lo16)
		}
		if l.v.has(scaledOne) {
			s := l.src(len(l.v.ops) - 1)
			hi, lo = l.b.T(ir.UnscaleF32, hi, s), l.b.T(ir.UnscaleF32, lo, s)
		}
		args := []ir.Ref{l.relu(hi), l.relu(lo)}
		if narrowName(l.v) == "S2F6" {
			args = append(args, l.scale())
		}
		l.steps(args)
	},
}

// pzo names the step of .pzo on a pair of a narrow format.
func pzo(v *variant) []string {
	if !v.has("pzo") {
		return nil
	}
	return []string{map[string]string{"E4M3": "PzoF8x2", "E5M2": "PzoF8x2", "E2M3": "PzoF6x2", "E3M2": "PzoF6x2", "E2M1": "PzoF4x2"}[narrowName(v)]}
}

// relu applies the .relu step to an f32 that a conversion reads.
func (l *lifter) relu(r ir.Ref) ir.Ref {
	if !l.v.has("relu") {
		return r
	}
	return l.b.T(ir.ReluF32, r)
}

// checkF8 checks the version of conversions of e4m3 and e5m2. They came to sm_90 with PTX 7.8 and
// to sm_89 with 8.1.
func checkF8(c *checker, in *Instr, v *variant) {
	if c.m.Target.SM == 89 && v.sm == 89 {
		c.require(in, v, Version{8, 1}, 89)
	}
}

// cvtUp is cvt of a pair of a narrow format to a pair of f16 or bf16.
var cvtUp = meaning{
	plan: func(v *variant) []string {
		to := "F16x2"
		if v.args[0] == BF16x2 {
			to = "BF16x2"
		}
		return append([]string{"Cvt" + to + "From" + narrowName(v) + "x2"}, finish(v, to)...)
	},
	check: checkF8,
	emit: func(l *lifter) {
		args := []ir.Ref{l.src(1)}
		if l.v.args[0] == BF16x2 {
			args = append(args, l.scale())
		}
		l.steps(args)
	},
}

// cvtDown4 is cvt.rs of four f32. Operands a and b become the upper half and use the upper random
// bits; e and f become the lower half (PTX 9.7.9.22; Errata E42).
var cvtDown4 = meaning{
	plan: func(v *variant) []string {
		return append([]string{"Cvt" + narrowName(v) + "x2FromF32RS"}, pzo(v)...)
	},
	emit: func(l *lifter) {
		var x [4]ir.Ref
		parts := l.in.Args[1].elements()
		for i := range x {
			x[i] = l.relu(l.value(&parts[i], F32))
		}
		r := l.src(2)
		upper, lower, pack := l.b.T(ir.Hi16, r), l.b.T(ir.Lo16, r), ir.Pack32
		if narrowName(l.v) == "E2M1" {
			// One value holds the upper bytes of both halves, the other the lower bytes.
			bytes := func(sel uint64) ir.Ref {
				return l.b.T(ir.Lo16, l.b.T(ir.Prmt, r, r, l.b.Const(ir.B32, sel)))
			}
			upper, lower, pack = bytes(0x31), bytes(0x20), ir.Pack16
		}
		lo, hi := l.b.T(l.op(0), x[2], x[3], lower), l.b.T(l.op(0), x[0], x[1], upper)
		if len(l.v.code) > 1 {
			lo, hi = l.b.T(l.op(1), lo), l.b.T(l.op(1), hi)
		}
		l.to(0, pack, lo, hi)
	},
}
