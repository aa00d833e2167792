package ptx

import (
	"strings"

	"crosslane/diag"
	"crosslane/internal/ir"
)

// cvt converts between numeric types (PTX 9.7.9.21). Its plan is a chain of
// operations of one argument.
var cvt = meaning{plan: planCvt, emit: emitChain, check: checkCvt}

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

// checkCvt applies the rules about rounding and saturation of PTX 9.7.9.21.
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
	if (d == BF16 || a == BF16) && d != F32 && a != F32 {
		c.require(in, v, Version{7, 8}, 90)
	}
}

// before reports whether the module is of a version before the one given. The
// scratchpad, which has no version, counts as the newest.
func (c *checker) before(major, minor int) bool {
	return c.m.Version != (Version{}) && !c.m.Version.AtLeast(Version{major, minor})
}

// require asks for more than the row does.
func (c *checker) require(in *Instr, v *variant, ver Version, sm int) {
	w := *v
	w.ptx, w.sm, w.why = ver, sm, ""
	c.needs(in, &w)
}

// cvtRelu is cvt to f16 or bf16 with negative results and none below zero.
var cvtRelu = meaning{ops: []string{"Cvt{dtype}FromF32{frnd2}", "Relu{dtype}"}, emit: emitChain}

// cvtPack converts two f32 into one packed pair: a in the upper half, b in the
// lower.
var cvtPack = meaning{
	plan: func(v *variant) []string {
		t := opType(v.args[0])
		ops := []string{"Cvt" + t + "FromF32" + opSuffix(v.mod("frnd2"))}
		if v.has("relu") {
			ops = append(ops, "Relu"+t)
		}
		return ops
	},
	emit: func(l *lifter) {
		var half [2]ir.Ref
		for i := range half {
			half[i] = l.b.T(l.op(0), l.src(1+i))
			if len(l.v.code) > 1 {
				half[i] = l.b.T(l.op(1), half[i])
			}
		}
		l.to(0, ir.Pack32, half[1], half[0])
	},
}
