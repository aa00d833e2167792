// Package poison finds values that are uninitialised or came from undefined behaviour. It rewrites a
// function so that every guest value has a set of undefined bits. The rewritten code updates the sets
// itself, so engines run it like any other code and need no support for sets.
//
// Input: a function (Track).
// Output: a function that computes the same, updates the sets, and reports by ir.Reach if undefined
// bits reach an effect.
// Invariant: if a bit of a value depends on an undefined bit by the rules below, it is in the value's
// set.
// Example: "c = a & b" becomes "c' = UndefAnd(a, a', b, b'); c = a & b", where x' is the set of x.
// Literature: Seward and Nethercote, Using Valgrind to detect undefined value errors with bit-precision
// (USENIX 2005).
//
// # Sets
//
// The set of undefined bits of a value has the type and shape of the value: a bit that is set says that
// this bit of the value is undefined. The sets of guest values lie as far apart as the values
// themselves, so views of the same bytes are views of the same sets. Memory has sets, too
// (ir.Undefined); the rewritten code loads and stores them beside the memory. If undefined bits reach a
// branch, an address, a fault's condition or a store, the run reports it (ir.Reach).
//
// The rules are those of the functions Undef… of package num, or one of these:
//
//   - moved: bits that only change their place take their undefinedness along (moves, packing,
//     shifts, extraction, permutes, shuffles, DPP);
//   - carry: a bit depends on the bits at its place and below (add, sub, mul, mad);
//   - all or nothing: no bit is defined unless all operands are (all other operations).
//
// An undefined guard makes the results that it guards undefined. If it guards an operation with
// effects, it is reported as an effect. Matrix products are all or nothing by rows and columns. 16-byte
// atomics are tracked as two halves.
//
// Control flow is taken as it happened. A value is not marked if it depends on undefined bits only
// through the branch that was taken, or through the set of threads of a warp that executed a vote or
// shuffle together.
package poison

import "example.org/crosslane/internal/ir"

// newPass returns the state in which the rewriting of f begins: with its values, without its code.
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

// A constKey identifies a constant of the sets.
type constKey struct {
	t      ir.Type
	scalar bool
	v      uint64
}

// A tempKey identifies the scratch values that may replace each other.
type tempKey struct {
	t      ir.Type
	scalar bool
}

// A tracker is the state of one Track. A set is given as its Ref in out. The Ref 0 stands for "all bits
// defined", so that nothing is emitted for constants.
type tracker struct {
	Options
	kept   [2]map[ir.Type]ir.Ref // source sets and own marks of cross-lane operations, which live until the lanes have met, see keepBits
	f      *ir.Func
	out    ir.Func
	shadow map[ir.Ref]ir.Ref // guest value → its set
	temps  map[ir.Ref]ir.Ref // temporary → its set, within the guest instruction in hand

	guest, rest uint32 // bytes of new guest storage, and of new constants and temporaries
	added       []ir.Ref
	consts      map[constKey]ir.Ref
	pool        map[tempKey][]ir.Ref // scratch values, reused by every guest instruction
	used        map[tempKey]int
	described   bool   // out.Collectives is a copy already
	anyMask     ir.Ref // a mask, and the same bytes as a 64-bit scalar
	anyBits     ir.Ref
	pos         int32
	at          *ir.Inst // the instruction in hand
}

// size returns the number of frame bytes of a value, rounded up to a multiple of 8.
func (p *tracker) size(v *ir.Value) uint32 { return (v.Size(p.f.Lanes) + 7) &^ 7 }

// add declares a value. Its offset counts from the start of the new guest storage or of the other new
// storage, until layout moves it.
func (p *tracker) add(v ir.Value) ir.Ref {
	p.out.Values = append(p.out.Values, v)
	r := ir.Ref(len(p.out.Values) - 1)
	p.added = append(p.added, r)
	return r
}

// addGuest declares a value in guest storage, which is cleared at the start of a wave.
func (p *tracker) addGuest(name string, t ir.Type, scalar bool) ir.Ref {
	v := ir.Value{Name: name, Type: t, Scalar: scalar, Off: p.guest}
	p.guest += p.size(&v)
	return p.add(v)
}

// addRest declares a constant or a temporary.
func (p *tracker) addRest(v ir.Value) ir.Ref {
	v.Off = p.rest
	p.rest += p.size(&v)
	return p.add(v)
}

// ones returns the value of type t with all bits set.
func ones(t ir.Type) uint64 {
	switch t {
	case ir.B1:
		return 1
	case ir.B8, ir.B16, ir.B32:
		return 1<<(8*t.Bytes()) - 1
	}
	return ^uint64(0)
}

// konst returns a constant. Equal constants share storage.
func (p *tracker) konst(t ir.Type, scalar bool, v uint64) ir.Ref {
	k := constKey{t, scalar, v}
	r, ok := p.consts[k]
	if !ok {
		r = p.addRest(ir.Value{Type: t, Scalar: scalar, Kind: ir.Const, Const: v})
		p.consts[k] = r
	}
	return r
}

// temp returns a scratch value that no other operation of the guest instruction in hand uses.
func (p *tracker) temp(t ir.Type, scalar bool) ir.Ref {
	k := tempKey{t, scalar}
	n := p.used[k]
	p.used[k]++
	if n == len(p.pool[k]) {
		p.pool[k] = append(p.pool[k], p.addRest(ir.Value{Type: t, Scalar: scalar, Kind: ir.Temp}))
	}
	return p.pool[k][n]
}
