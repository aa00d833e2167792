package static

import (
	"math/bits"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// A value is the abstract value of a definition, for all waves and all executions of a world at once.
// It says for each lane of a lane vector which value the lane holds, as far as that is known.
//
// Invariant (lattice, from most to least knowledge): bottom ≤ known ≤ shared ≤ top. A shared value is u
// + vec (or u + c), where u is unknown, equal in all lanes, and a multiple of 1<<align.
// Example: tid.x in a block of rows of whole warps is shared, align 5, vec 0 … 31.
type value struct {
	kind kind
	// align: the unknown part of a shared value is a multiple of 1<<align.
	align uint8
	c     uint64      // the known part, if it is equal in all lanes
	vec   *[32]uint64 // the known part by lane; nil: c
	// varies holds, for a top value, the bits that were made from values that differ between lanes: see
	// evidence.go. The other bits may or may not be equal in all lanes.
	varies uint64
}

// A kind says how much is known of a value.
type kind uint8

// The kinds, from most knowledge to none. bottom means not computed yet, or never executed.
const (
	bottom kind = iota
	known       // the lane's element of vec, or c
	shared      // an unknown part that is equal in all lanes, plus vec or c
	top
)

// The values without a known part: any value; one made from a value that differs between lanes; one
// that is equal in all lanes.
var (
	anything = value{kind: top}
	varying  = value{kind: top, varies: allBits}
	uniform  = value{kind: shared}
)

// constant returns the known value c, equal in all lanes.
func constant(c uint64) value { return value{kind: known, c: c} }

// vector returns a value that is known in each lane.
func vector(v [32]uint64) value {
	for _, x := range v {
		if x != v[0] {
			return value{kind: known, vec: &v}
		}
	}
	return constant(v[0])
}

// at returns the known part of lane l.
func (v *value) at(l int) uint64 {
	if v.vec != nil {
		return v.vec[l&31]
	}
	return v.c
}

// alike reports whether all lanes hold the same value, known or not.
func (v *value) alike() bool { return (v.kind == known || v.kind == shared) && v.vec == nil }

// constant returns the value that all lanes hold; false if it is not known or differs.
func (v *value) constant() (uint64, bool) { return v.c, v.kind == known && v.vec == nil }

// constantIn returns the value that all lanes of m hold.
func (v *value) constantIn(m lane.Mask) (uint64, bool) {
	if v.kind != known || m == 0 {
		return 0, false
	}
	first := v.at(m.First())
	for l := range m.Lanes() {
		if v.at(l) != first {
			return 0, false
		}
	}
	return first, true
}

// equal reports whether two abstract values are the same.
func (v *value) equal(w *value) bool {
	if v.kind != w.kind || v.varies != w.varies || v.align != w.align || v.c != w.c {
		return false
	}
	if v.vec == w.vec {
		return true
	}
	return v.vec != nil && w.vec != nil && *v.vec == *w.vec
}

// plain returns the same value with the smallest known part: a multiple of 1<<align is moved into the
// unknown part, which may contain it anyway. Without this, a value that is incremented in a loop would
// never reach a fixed point.
func (v value) plain() value {
	if v.kind != shared {
		return v
	}
	above := v.at(0) >> v.align << v.align
	if above == 0 {
		return v
	}
	if v.vec != nil {
		for _, x := range v.vec {
			if x < above {
				return v
			}
		}
	}
	return v.with(func(x uint64) uint64 { return x - above })
}

// differs reports whether it is evident that lanes hold different values.
func (v *value) differs() bool { return v.varies != 0 || v.vec != nil }

// either returns an unknown value.
func either(varies bool) value {
	if varies {
		return varying
	}
	return anything
}

// bitsOf returns the number of bits of a type.
func bitsOf(t ir.Type) uint {
	if t == ir.B1 {
		return 1
	}
	return uint(t.Bytes() * 8)
}

// maskOf returns the greatest number of a type.
func maskOf(t ir.Type) uint64 { return ^uint64(0) >> (64 - bitsOf(t)) }

// with returns the value with f applied to its known part.
func (v value) with(f func(x uint64) uint64) value {
	if v.vec == nil {
		v.c = f(v.c)
		return v
	}
	var n [32]uint64
	for l, x := range v.vec {
		n[l] = f(x)
	}
	return v.of(n)
}

// of returns the value with the known part n.
func (v value) of(n [32]uint64) value {
	v.c, v.vec = n[0], nil
	for _, x := range n {
		if x != n[0] {
			v.c, v.vec = 0, &n
			break
		}
	}
	return v
}

// join returns a value that covers a and b, if it is the same one of the two in all lanes. If their
// known parts differ by one number in all lanes, the difference becomes unknown and shared.
func join(a, b value, t ir.Type) value {
	switch {
	case a.kind == bottom:
		return b
	case b.kind == bottom:
		return a
	case a.kind == top || b.kind == top:
		return differing(a.varies | b.varies)
	case a.equal(&b):
		return a
	case t == ir.B1:
		if a.alike() && b.alike() {
			return uniform
		}
		return anything
	}
	// The known parts may differ by one number, which is then unknown and shared.
	m := maskOf(t)
	d := (a.at(0) - b.at(0)) & m
	for l := range 32 {
		if (a.at(l)-b.at(l))&m != d {
			return anything
		}
	}
	al := uint8(min(bits.TrailingZeros64(d), 63))
	for _, v := range []*value{&a, &b} {
		if v.kind == shared {
			al = min(al, v.align)
		}
	}
	a.kind, a.align = shared, al
	if a.vec == nil {
		a.c &= 1<<al - 1
	}
	return a
}

// small reports whether the known part is below 1<<align in all lanes, so that adding it cannot leave
// the multiple of 1<<align that the unknown part is.
func (v *value) small() bool { return v.below(uint64(v.align)) }

// below reports whether the known part is below 1<<n in all lanes.
func (v *value) below(n uint64) bool {
	for l := range 32 {
		if v.at(l)>>n != 0 {
			return false
		}
	}
	return true
}

// bit returns 1 for true.
func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// evaluators cache the functions of package num by ir.Op.
type evaluators map[ir.Op]func(a [4]uint64) uint64

// of returns the function of an operation, and creates it when it is needed first.
func (e evaluators) of(op ir.Op) func(a [4]uint64) uint64 {
	f := e[op]
	if f == nil {
		f = ir.Evaluator(op)
		e[op] = f
	}
	return f
}
