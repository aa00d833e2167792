package static

import (
	"math/bits"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// A value is what is known of a register where it is written, for all waves and all
// executions at once: of a lane vector what each lane holds.
type value struct {
	kind kind
	// align: of a value that is shared the unknown part, which is the same in all
	// lanes, is a multiple of 1<<align.
	align uint8
	c     uint64      // the known part, the same in all lanes
	vec   *[32]uint64 // the known part by lane, instead of c; nil: c
	// varies says, of what is not known, that it was made from something that differs from
	// lane to lane. What is not known may be the same in all lanes as well.
	varies bool
}

type kind uint8

// The kinds, from what is known best to nothing. bottom: not computed yet, or never
// executed.
const (
	bottom kind = iota
	known       // the lane's element of vec, or c
	shared      // a part that is unknown and the same in all lanes, plus vec or c
	top
)

var (
	anything = value{kind: top}
	varying  = value{kind: top, varies: true}
	uniform  = value{kind: shared}
)

func constant(c uint64) value { return value{kind: known, c: c} }

func vector(v [32]uint64) value {
	for _, x := range v {
		if x != v[0] {
			return value{kind: known, vec: &v}
		}
	}
	return constant(v[0])
}

func (v *value) at(l int) uint64 {
	if v.vec != nil {
		return v.vec[l&31]
	}
	return v.c
}

// alike reports whether all lanes hold the same, known or not.
func (v *value) alike() bool { return (v.kind == known || v.kind == shared) && v.vec == nil }

// constant returns what all lanes hold.
func (v *value) constant() (uint64, bool) { return v.c, v.kind == known && v.vec == nil }

// constantIn returns what the lanes of m hold.
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

func (v *value) equal(w *value) bool {
	if v.kind != w.kind || v.varies != w.varies || v.align != w.align || v.c != w.c {
		return false
	}
	if v.vec == w.vec {
		return true
	}
	return v.vec != nil && w.vec != nil && *v.vec == *w.vec
}

// plain is the same value with as little as can be in the part that is known: what is a
// multiple of 1<<align the unknown part may have as well. Values that go round loops come
// to an end so.
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

// differs reports whether it is known that not all lanes hold the same.
func (v *value) differs() bool { return v.varies || v.vec != nil }

// either is a value of which nothing is known but whether it varies.
func either(varies bool) value {
	if varies {
		return varying
	}
	return anything
}

// bitsOf is the number of bits of a type.
func bitsOf(t ir.Type) uint {
	if t == ir.B1 {
		return 1
	}
	return uint(t.Bytes() * 8)
}

func maskOf(t ir.Type) uint64 { return ^uint64(0) >> (64 - bitsOf(t)) }

// with is a value of another known part.
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

// of is a value whose known part is n.
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

// join is what a value may be that is a or b, whichever: the same one for all lanes.
func join(a, b value, t ir.Type) value {
	switch {
	case a.kind == bottom:
		return b
	case b.kind == bottom:
		return a
	case a.kind == top || b.kind == top:
		return either(a.varies || b.varies)
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

// small reports whether the sum with the unknown part cannot leave the multiple of 1<<align
// in which it begins: the known part is below 1<<align in all lanes.
func (v *value) small() bool {
	for l := range 32 {
		if v.at(l)>>v.align != 0 {
			return false
		}
	}
	return true
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// evaluators are the operations of package num, by ir.Op, as they are needed.
type evaluators map[ir.Op]func(a [4]uint64) uint64

func (e evaluators) of(op ir.Op) func(a [4]uint64) uint64 {
	f := e[op]
	if f == nil {
		f = ir.Evaluator(op)
		e[op] = f
	}
	return f
}
