// Package poison finds values that are uninitialised or came from undefined
// behaviour. It rewrites a function so that every guest value has a set of undefined
// bits, which the rewritten code keeps up to date by itself: engines run it like any other
// code and know nothing of sets.
//
// # Sets
//
// The set of undefined bits of a value is of the same type and shape as the value: a set
// bit says that this bit of the value is undefined. The sets of guest
// values lie as far apart as the values themselves, so that views of the same bytes are
// views of the same sets. Memory has such sets too (ir.Undefined), which the rewritten
// code loads and stores beside the memory. What reaches a branch, an address, a fault's
// condition or a store is reported by the run (ir.Reach).
//
// The rules are those of the functions Undef… of package num, or one of these:
//
//   - moved: bits that only change their place take their undefinedness along (moves,
//     packing, shifts, extraction, permutes, shuffles, DPP);
//   - carry: a bit depends on the bits at its place and below (add, sub, mul, mad);
//   - all or nothing: no bit is defined unless all operands are (everything else).
//
// A guard that is undefined makes what it guards undefined, and is an effect if it
// guards one. Matrix products are all or nothing by rows and columns. 16-byte atomics
// are tracked as two halves.
//
// Control flow is taken as it is: what depends on undefined bits only through which branch
// was taken, or through which threads of a warp executed a vote or shuffle together, is
// not marked.
package poison

import "example.org/crosslane/internal/ir"

// newPass begins the rewriting of f: its values are there, its code is not.
func newPass(f *ir.Func, o Options) *tracker {
	p := &tracker{
		Options: o,
		f:       f, out: *f, shadow: map[ir.Ref]ir.Ref{}, temps: map[ir.Ref]ir.Ref{}, consts: map[constKey]ir.Ref{},
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

// pass is the state of one Track. A shadow expression is the Ref of a set in out; 0
// stands for "all defined", so that nothing is emitted for constants.
type tracker struct {
	Options
	kept   [2]map[ir.Type]ir.Ref // sources and own marks of cross-lane operations, which outlive a wait
	f      *ir.Func
	out    ir.Func
	shadow map[ir.Ref]ir.Ref // guest value → shadow
	temps  map[ir.Ref]ir.Ref // temporary → shadow expression, in the guest instruction in hand

	guest, rest uint32 // bytes of new guest storage; of new constants and temporaries
	added       []ir.Ref
	consts      map[constKey]ir.Ref
	pool        map[tempKey][]ir.Ref // scratch values, used again by every guest instruction
	used        map[tempKey]int
	described   bool   // out.Collectives is a copy
	anyMask     ir.Ref // a mask, and the same bytes as a 64-bit scalar
	anyBits     ir.Ref
	pos         int32
	at          *ir.Inst // the instruction in hand
}

// size is the frame bytes of a value, a multiple of 8.
func (p *tracker) size(v *ir.Value) uint32 { return (v.Size(p.f.Lanes) + 7) &^ 7 }

// add declares a value. Its offset counts from the start of the new guest storage
// or of the other new storage until layout moves it.
func (p *tracker) add(v ir.Value) ir.Ref {
	p.out.Values = append(p.out.Values, v)
	r := ir.Ref(len(p.out.Values) - 1)
	p.added = append(p.added, r)
	return r
}

func (p *tracker) addGuest(name string, t ir.Type, scalar bool) ir.Ref {
	v := ir.Value{Name: name, Type: t, Scalar: scalar, Off: p.guest}
	p.guest += p.size(&v)
	return p.add(v)
}

func (p *tracker) addRest(v ir.Value) ir.Ref {
	v.Off = p.rest
	p.rest += p.size(&v)
	return p.add(v)
}

// layout gives every value its place: the new guest storage follows the old, so
// that all of it is cleared at the start of a wave; the other storage follows that.
func (p *tracker) layout() {
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
func (p *tracker) konst(t ir.Type, scalar bool, v uint64) ir.Ref {
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
func (p *tracker) temp(t ir.Type, scalar bool) ir.Ref {
	k := tempKey{t, scalar}
	n := p.used[k]
	p.used[k]++
	if n == len(p.pool[k]) {
		p.pool[k] = append(p.pool[k], p.addRest(ir.Value{Type: t, Scalar: scalar, Kind: ir.Temp}))
	}
	return p.pool[k][n]
}
