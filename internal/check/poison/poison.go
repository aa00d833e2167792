// Package poison finds values that are uninitialised or came from undefined
// behaviour. It rewrites a function so that every guest value has a shadow, which
// the rewritten code keeps up to date by itself: engines run it like any other
// code and know nothing of shadows.
//
// # Shadows
//
// The shadow of a lane vector is a lane vector of B1: bit i is set if lane i's
// value is poisoned. The shadow of a scalar is a scalar of the same type, in which
// every bit says whether that bit of the value is poisoned; so the shadow of a
// lane vector of B1 is of the same shape, too. Values of these two kinds that lie
// on the same bytes (s2, s[2:3] and the mask in s[2:3]; exec; vcc) have shadows
// that lie on the same bytes in the same way: a mask written lane by lane is
// poisoned lane by lane when it is read as a 64-bit scalar.
//
// Everything is poisoned at the start of a wave except what the launch fills in.
//
// # Rules
//
// A result is poisoned if an operand is, unless the operation does not depend on
// it: a defined zero in a bitwise and, defined ones in a bitwise or, the side that
// a defined predicate does not select, x^x and x-x. Bitwise operations on scalars
// go bit by bit. A value loaded from memory is defined if its address is: memory
// has no shadow. A value from another lane is poisoned if that lane's is, or if
// reading it is undefined. A guard that is poisoned poisons what it guards.
//
// Control flow is taken as it is: what depends on poison only through which branch
// was taken, or through which threads of a warp executed a vote or shuffle
// together, is not marked.
package poison

import (
	"crosslane/internal/ir"
)

// Instrument returns a function that does what f does and keeps a shadow for every
// guest value; the map leads from the values of f, which keep their Refs, to their
// shadows. f is not changed.
//
// Values that overlap in ways that no guest language has (lane vectors of more than
// one bit per lane on the bytes of something else) count as poisoned always: their
// shadow is a constant.
func Instrument(f *ir.Func) (*ir.Func, map[ir.Ref]ir.Ref) {
	p := newPass(f)
	p.declare()
	for _, b := range f.Blocks {
		start := len(p.out.Code)
		for i := b.Start; i < b.End; i++ {
			p.inst(f.Code[i])
		}
		p.out.Blocks = append(p.out.Blocks, ir.Block{Start: start, End: len(p.out.Code)})
	}
	p.layout()
	return &p.out, p.shadow
}

// newPass begins the rewriting of f: its values are there, its code is not.
func newPass(f *ir.Func) pass {
	p := pass{
		f: f, out: *f, shadow: map[ir.Ref]ir.Ref{}, temps: map[ir.Ref]ir.Ref{}, consts: map[constKey]ir.Ref{},
		pool: map[tempKey][]ir.Ref{}, used: map[tempKey]int{}, pos: -1,
	}
	p.out.Values = append([]ir.Value(nil), f.Values...)
	p.out.Code = make([]ir.Inst, 0, 4*len(f.Code))
	p.out.Blocks = make([]ir.Block, 0, len(f.Blocks))
	return p
}

type constKey struct {
	t      ir.Type
	scalar bool
	v      uint64
}

type tempKey struct {
	t      ir.Type
	scalar bool
}

// pass is the state of one Instrument. A shadow expression is a Ref of out; 0
// stands for "defined in all lanes", so that nothing is emitted for constants.
type pass struct {
	f      *ir.Func
	out    ir.Func
	shadow map[ir.Ref]ir.Ref // guest value → shadow
	always map[ir.Ref]bool   // guest values whose shadow is a constant
	temps  map[ir.Ref]ir.Ref // temporary → shadow expression, in the guest instruction in hand

	guest, rest uint32 // bytes of new guest storage; of new constants and temporaries
	added       []ir.Ref
	consts      map[constKey]ir.Ref
	pool        map[tempKey][]ir.Ref // scratch values, used again by every guest instruction
	used        map[tempKey]int
	source, own ir.Ref // marks of the arguments of a cross-lane operation, which outlive a wait
	described   bool   // out.Collectives is a copy
	anyMask     ir.Ref // a mask, and the same bytes as a 64-bit scalar
	anyBits     ir.Ref
	pos         int32
	at          *ir.Inst // the instruction in hand
}

// size is the frame bytes of a value, a multiple of 8.
func (p *pass) size(v *ir.Value) uint32 { return (v.Size(p.f.Lanes) + 7) &^ 7 }

// add declares a value. Its offset counts from the start of the new guest storage
// or of the other new storage until layout moves it.
func (p *pass) add(v ir.Value) ir.Ref {
	p.out.Values = append(p.out.Values, v)
	r := ir.Ref(len(p.out.Values) - 1)
	p.added = append(p.added, r)
	return r
}

func (p *pass) addGuest(name string, t ir.Type, scalar bool) ir.Ref {
	v := ir.Value{Name: name, Type: t, Scalar: scalar, Off: p.guest}
	p.guest += p.size(&v)
	return p.add(v)
}

func (p *pass) addRest(v ir.Value) ir.Ref {
	v.Off = p.rest
	p.rest += p.size(&v)
	return p.add(v)
}

// layout gives every value its place: the new guest storage follows the old, so
// that all of it is cleared at the start of a wave; the other storage follows that.
func (p *pass) layout() {
	f := &p.out
	grow := (p.guest + 63) &^ 63
	old := (f.FrameSize + grow + 63) &^ 63
	for i := range p.f.Values {
		if f.Values[i].Kind != ir.Guest {
			f.Values[i].Off += grow
		}
	}
	for _, r := range p.added {
		if f.Values[r].Kind == ir.Guest {
			f.Values[r].Off += f.GuestSize
		} else {
			f.Values[r].Off += old
		}
	}
	f.GuestSize += grow
	f.FrameSize = old + (p.rest+63)&^63
}

// wide reports whether a value's shadow is not of its own shape.
func wide(v *ir.Value) bool { return !v.Scalar && v.Type != ir.B1 }

// declare makes the shadows of the guest values and has them filled at the start.
func (p *pass) declare() {
	p.always = map[ir.Ref]bool{}
	p.out.Inputs = append([]ir.Input(nil), p.f.Inputs...)
	for _, group := range overlaps(p.f) {
		p.declareGroup(group)
	}
	filled := map[ir.Ref]bool{}
	for _, in := range p.f.Inputs {
		s := p.shadow[in.Dst]
		if s != 0 && !p.always[in.Dst] && !filled[s] {
			filled[s] = true
			p.out.Inputs = append(p.out.Inputs, ir.Input{Kind: ir.InConst, Dst: s})
		}
	}
}

// declareGroup makes the shadows of values that share bytes.
func (p *pass) declareGroup(group []ir.Ref) {
	first := p.f.Val(group[0])
	same, mirror := true, true
	lo, hi := first.Off, first.Off
	for _, r := range group {
		v := p.f.Val(r)
		same = same && v.Off == first.Off && v.Type == first.Type && v.Scalar == first.Scalar
		mirror = mirror && !wide(v)
		hi = max(hi, v.Off+v.Size(p.f.Lanes))
	}
	lo &^= 7 // so that what is aligned stays so
	poisoned := func(s ir.Ref) {
		p.out.Inputs = append(p.out.Inputs, ir.Input{Kind: ir.InConst, Dst: s, Imm: ones(p.out.Values[s].Type)})
	}
	switch {
	case mirror:
		base := p.guest
		p.guest += (hi - lo + 7) &^ 7
		for _, r := range group {
			v := *p.f.Val(r)
			v.Name, v.Off = v.Name+" poison", base+v.Off-lo
			s := p.add(v)
			p.shadow[r] = s
			poisoned(s)
		}
	case same:
		s := p.addGuest(first.Name+" poison", ir.B1, false)
		poisoned(s)
		for _, r := range group {
			p.shadow[r] = s
		}
	default:
		for _, r := range group {
			v := p.f.Val(r)
			if wide(v) {
				p.shadow[r] = p.konst(ir.B1, false, 1)
			} else {
				p.shadow[r] = p.konst(v.Type, v.Scalar, ones(v.Type))
			}
			p.always[r] = true
		}
	}
}

// ones is a value of type t with all bits set.
func ones(t ir.Type) uint64 {
	switch t {
	case ir.B1:
		return 1
	case ir.B8, ir.B16, ir.B32:
		return 1<<(8*t.Bytes()) - 1
	}
	return ^uint64(0)
}

// konst returns a constant.
func (p *pass) konst(t ir.Type, scalar bool, v uint64) ir.Ref {
	k := constKey{t, scalar, v}
	r, ok := p.consts[k]
	if !ok {
		r = p.addRest(ir.Value{Type: t, Scalar: scalar, Kind: ir.Const, Const: v})
		p.consts[k] = r
	}
	return r
}

// temp returns a scratch value that no other operation of the guest instruction in
// hand has.
func (p *pass) temp(t ir.Type, scalar bool) ir.Ref {
	k := tempKey{t, scalar}
	n := p.used[k]
	p.used[k]++
	if n == len(p.pool[k]) {
		p.pool[k] = append(p.pool[k], p.addRest(ir.Value{Type: t, Scalar: scalar, Kind: ir.Temp}))
	}
	return p.pool[k][n]
}

// overlaps returns the guest values in groups: those of a group share bytes,
// directly or through others.
func overlaps(f *ir.Func) [][]ir.Ref {
	var list []ir.Ref
	for i := range f.Values {
		if i > 0 && f.Values[i].Kind == ir.Guest {
			list = append(list, ir.Ref(i))
		}
	}
	sortByOffset(f, list)
	var groups [][]ir.Ref
	end := uint32(0)
	for _, r := range list {
		v := f.Val(r)
		if n := len(groups); n > 0 && v.Off < end {
			groups[n-1] = append(groups[n-1], r)
		} else {
			groups = append(groups, []ir.Ref{r})
		}
		end = max(end, v.Off+v.Size(f.Lanes))
	}
	return groups
}
