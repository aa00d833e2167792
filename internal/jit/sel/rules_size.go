package sel

import (
	"strconv"
	"strings"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the operations that exist for each size and sign: comparisons,
// conversions, and the packing and unpacking of elements.
//
// Input: elements of one size.
// Output: elements of another size, or masks.
// Invariant: the name of the operation gives sizes and signs; no table lists them.
// Example: CvtSatU8FromS32: max(v, 0), min(v, 255), truncate.

// sizeRules makes the table.
func sizeRules() map[ir.Op]intRule {
	m := map[ir.Op]intRule{
		ir.Lo32: vecs(8, func(x *ex, a [4]operand) operand { return x.trunc(4, a[0]) }),
		ir.Hi32: vecs(8, hi32),
		ir.Lo16: vecs(4, func(x *ex, a [4]operand) operand { return x.trunc(2, a[0]) }),
		ir.Hi16: vecs(4, func(x *ex, a [4]operand) operand { return x.trunc(2, x.shiftBy(shr, a[0], 16)) }),
		ir.Lo8:  vecs(2, func(x *ex, a [4]operand) operand { return x.trunc(1, a[0]) }),
		ir.Hi8:  vecs(2, func(x *ex, a [4]operand) operand { return x.trunc(1, x.shiftBy(shr, a[0], 8)) }),

		ir.Pack64: vecs(8, pack64), ir.Pack32: vecs(4, packs), ir.Pack16: vecs(2, packs),
	}
	preds := map[string]int64{"Eq": cmpEQ, "Ne": cmpNE, "Lt": cmpLT, "Le": cmpLE, "Gt": cmpGT, "Ge": cmpGE}
	for i := range ir.NumOps {
		op, name := ir.Op(i), ir.Ops[i].Name
		// A comparison: predicate, sign and size.
		if pred, ok := preds[name[:min(2, len(name))]]; ok {
			if n, signed, rest := integer(name[2:]); n > 0 && rest == "" {
				m[op] = vecs(n, compares(pred, signed))
			}
			continue
		}
		name, ok := strings.CutPrefix(name, "Cvt")
		if !ok {
			continue
		}
		// A conversion: Cvt, perhaps Sat, the result's type, From, the source's type.
		var c conversion
		name, c.sat = strings.CutPrefix(name, "Sat")
		c.to, c.toSigned, name = integer(name)
		if name, ok = strings.CutPrefix(name, "From"); !ok || c.to == 0 {
			continue
		}
		if c.from, c.fromSigned, name = integer(name); c.from == 0 || name != "" {
			continue
		}
		r := intRule{n: c.from, f: c.rule}
		// General registers hold words only, or have a shorter rule.
		if basicGPR[op] != nil || c.to < 4 || c.from < 4 {
			r.only = onlyVec
		}
		m[op] = r
	}
	return m
}

// integer parses the name of a type at the start of s: U8 to S64. The size is 0 if
// there is none.
func integer(s string) (size uint8, signed bool, rest string) {
	if s == "" || s[0] != 'U' && s[0] != 'S' {
		return 0, false, s
	}
	for _, n := range []string{"8", "16", "32", "64"} {
		if rest, ok := strings.CutPrefix(s[1:], n); ok {
			bits, _ := strconv.Atoi(n)
			return uint8(bits / 8), s[0] == 'S', rest
		}
	}
	return 0, false, s
}

// A conversion is one between integers.
type conversion struct {
	sat, toSigned, fromSigned bool
	to, from                  uint8
}

// rule limits the element to the range of the result, in its own size, and then changes
// the size.
func (c conversion) rule(x *ex, a [4]operand) operand {
	v := a[0]
	if c.sat {
		// Limit only if the source can exceed the result's range.
		if most := c.most(); most < sizeMask(c.from)>>uint(b2i(c.fromSigned)) {
			v = x.minimum(c.fromSigned, v, x.k(most))
		}
		switch {
		case !c.fromSigned:
		case !c.toSigned:
			v = x.maximum(true, v, x.k(0))
		case c.to < c.from:
			v = x.maximum(true, v, x.k(^c.most()))
		}
	}
	if c.to <= c.from {
		return x.trunc(c.to, v)
	}
	return x.sized(c.to).ext(c.fromSigned, c.from, v)
}

// most is the greatest result.
func (c conversion) most() uint64 { return sizeMask(c.to) >> uint(b2i(c.toSigned)) }

// hi32 is the upper word of elements of 8 bytes.
func hi32(x *ex, a [4]operand) operand {
	if a[0].num {
		return x.shiftBy(shr, a[0], 32)
	}
	return x.vec(x.g.v2(x64.VPERMD, x.dwords(1, 2), a[0].reg))
}

// packs joins two elements of half the size.
func packs(x *ex, a [4]operand) operand {
	lo, hi := x.ext(false, x.n/2, a[0]), x.ext(false, x.n/2, a[1])
	return x.or(lo, x.shiftBy(shl, hi, 4*uint64(x.n)))
}

// pack64 interleaves words; with AVX-512 by one permutation.
func pack64(x *ex, a [4]operand) operand {
	if a[1].num || !x.g.avx512 {
		return packs(x, a)
	}
	// Word i/2 of the one source, then of the other.
	t := make([]byte, x.g.len)
	for i := 0; i < len(t); i += 8 {
		t[i], t[i+4] = byte(i/8), byte(i/8+len(t)/4)
	}
	return x.vec(x.g.v3(x64.VPERMT2D, x.sized(4).reg(a[0]), x.g.table(t), x.sized(4).reg(a[1])))
}
