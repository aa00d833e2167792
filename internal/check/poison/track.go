package poison

import (
	"slices"

	"example.org/crosslane/internal/ir"
)

// Track returns a function that computes the same as f, updates the undefined bits of values and memory, and
// reports by ir.Reach which effects they reach. It also returns the sets of f's values, which keep
// their Refs. The launch needs sim.Launch.Track. f is not changed.
func Track(f *ir.Func, o Options) (*ir.Func, map[ir.Ref]ir.Ref) {
	p := newPass(f, o)
	p.mirror()
	if o.Way {
		p.out.Steps = p.steps()
	}
	for _, b := range f.Blocks {
		start := len(p.out.Code)
		p.stepLate(b.Start)
		for i := b.Start; i < b.End; i++ {
			p.bitInst(f.Code[i])
			p.step(i, i+1 == b.End)
		}
		p.out.Blocks = append(p.out.Blocks, ir.Block{Start: start, End: len(p.out.Code)})
	}
	p.out.Extend(len(p.f.Values), p.added, p.guest, p.rest)
	return &p.out, p.shadow
}

// Options are variants of Track.
type Options struct {
	// Way records the way of undefined bits (ir.Func.Steps), so that findings have trails.
	Way bool
	// Defined makes registers begin as if they had been written: see sim.Launch.Origins.
	Defined bool
	// Quiet suppresses all reports. A value that is loaded from an undefined address is then undefined
	// itself.
	Quiet bool
}

// mirror declares the sets of guest values. At the start all bits are undefined except those of inputs.
func (p *tracker) mirror() {
	// The sets lie at the offsets of their values plus a constant, aligned to 64 bytes. Overlapping
	// values then have overlapping sets.
	base := (p.f.GuestSize+63)&^63 - p.f.GuestSize
	p.guest = base + (p.f.GuestSize+63)&^63
	p.out.Inputs = append([]ir.Input(nil), p.f.Inputs...)
	for i := range p.f.Values {
		v := p.f.Values[i]
		if i == 0 || v.Kind != ir.Guest {
			continue
		}
		v.Name, v.Off = v.Name+" undefined", base+v.Off
		s := p.add(v)
		p.shadow[ir.Ref(i)] = s
		if !p.Defined {
			p.out.Inputs = append(p.out.Inputs, ir.Input{Kind: ir.InConst, Dst: s, Imm: ones(v.Type)})
		}
	}
	for _, in := range p.f.Inputs {
		if s := p.shadow[in.Dst]; s != 0 {
			p.out.Inputs = append(p.out.Inputs, ir.Input{Kind: ir.InConst, Dst: s})
		}
	}
}

// moves holds the operation that copies a value of a type.
var moves = map[ir.Type]ir.Op{ir.B1: ir.MovB1, ir.B8: ir.Mov8, ir.B16: ir.Mov16, ir.B32: ir.Mov32, ir.B64: ir.Mov64}

// op emits an operation on scalars or on lane vectors, and returns its result.
func (p *tracker) op(scalar bool, op ir.Op, args ...ir.Ref) ir.Ref {
	if scalar {
		return p.s(op, args...)
	}
	return p.v(op, args...)
}

// full returns a set as a value: the constant 0 for Ref 0.
func (p *tracker) full(r ir.Ref, t ir.Type, scalar bool) ir.Ref {
	if r == 0 {
		return p.konst(t, scalar, 0)
	}
	return r
}

// join returns the union of two sets of one type and shape.
func (p *tracker) join(a, b ir.Ref) ir.Ref {
	if a == 0 || a == b {
		return b
	}
	if b == 0 {
		return a
	}
	v := p.out.Values[a]
	if v.Type == ir.B8 {
		wide := p.op(v.Scalar, ir.Or16, p.op(v.Scalar, ir.CvtU16FromU8, a), p.op(v.Scalar, ir.CvtU16FromU8, b))
		return p.op(v.Scalar, ir.CvtU8FromU16, wide)
	}
	return p.op(v.Scalar, logicOf(v.Type).or, a, b)
}

// some returns a B1 of the shape of s: whether s has a bit.
func (p *tracker) some(s ir.Ref) ir.Ref {
	if s == 0 {
		return 0
	}
	v := p.out.Values[s]
	op, ok := map[ir.Type]ir.Op{ir.B8: ir.NeU8, ir.B16: ir.NeU16, ir.B32: ir.NeU32, ir.B64: ir.NeU64}[v.Type]
	if !ok {
		return s
	}
	return p.op(v.Scalar, op, s, p.konst(v.Type, v.Scalar, 0))
}

// all returns a set of type t from a B1: all bits or none.
func (p *tracker) all(b ir.Ref, t ir.Type) ir.Ref {
	if b == 0 || t == ir.B1 {
		return b
	}
	sc := p.out.Values[b].Scalar
	switch t {
	case ir.B8:
		return p.op(sc, ir.CvtU8FromU16, p.all(b, ir.B16))
	case ir.B32:
		return p.op(sc, ir.B2Mask32, b)
	}
	return p.op(sc, selectBits(t), b, p.konst(t, sc, ones(t)), p.konst(t, sc, 0))
}

// lanesOf returns, as a lane vector of B1, whether an operand has an undefined bit.
func (p *tracker) lanesOf(r ir.Ref) ir.Ref {
	s := p.some(p.of(r))
	if s != 0 && p.out.Values[s].Scalar {
		return p.splat(s)
	}
	return s
}

// put writes the set of a result, under the guard of the operation in hand.
func (p *tracker) put(dst, s ir.Ref) {
	if dst == 0 {
		return
	}
	v := p.f.Val(dst)
	if v.Kind == ir.Temp {
		if s != 0 && p.out.Values[s].Kind == ir.Guest { // the register may be written while the temporary is still in use
			s = p.copied(s) // the register may be written while the temporary is in use
		}
		p.temps[dst] = p.partly(dst, s)
		return
	}
	d := p.shadow[dst]
	if p.straight(s, d, v.Scalar) {
		return
	}
	in := ir.Inst{Op: moves[v.Type], Dst: d, Args: [4]ir.Ref{p.full(s, v.Type, v.Scalar)}, Scalar: v.Scalar}
	if v.Scalar || p.at.Guard == 0 {
		p.emit(in)
		return
	}
	g := p.of(p.at.Guard)
	if g != 0 && g == d {
		g = p.copied(g)
	}
	in.Guard, in.GuardNot = p.at.Guard, p.at.GuardNot
	p.emit(in)
	p.guarded(d, g)
}

// partly returns the set of a temporary after the operation in hand has written it under its guard: s
// in the lanes of the guard, the old set in the remaining lanes, if the temporary was written before.
// The set is selected, not moved under the guard, because pure operations write temporaries for all
// lanes.
func (p *tracker) partly(dst, s ir.Ref) ir.Ref {
	old, was := p.temps[dst]
	v := p.f.Val(dst)
	if !was || v.Scalar || p.at.Guard == 0 {
		return s
	}
	if old != s {
		yes, no := p.full(s, v.Type, false), p.full(old, v.Type, false)
		if p.at.GuardNot {
			yes, no = no, yes
		}
		if v.Type == ir.B8 {
			wide := p.v(ir.Sel16, p.at.Guard, p.v(ir.CvtU16FromU8, yes), p.v(ir.CvtU16FromU8, no))
			s = p.v(ir.CvtU8FromU16, wide)
		} else {
			s = p.v(selectBits(v.Type), p.at.Guard, yes, no)
		}
	}
	return p.join(s, p.all(p.of(p.at.Guard), v.Type))
}

// straight lets the last operation write d directly instead of the scratch value s, and reports whether
// it could. This saves the copy.
func (p *tracker) straight(s, d ir.Ref, scalar bool) bool {
	if len(p.out.Code) == 0 || s == 0 || p.out.Values[s].Kind != ir.Temp {
		return false
	}
	last := &p.out.Code[len(p.out.Code)-1]
	g := p.of(p.at.Guard)
	// Only a pure operation without a guard that computed s for this instruction can be redirected. If
	// the guard's set is d itself, writing d would destroy the guard's set too early.
	if last.Dst != s || !last.Op.Pure() || last.Pos != p.pos || last.Guard != 0 || p.at.Op == ir.Bar || g != 0 && g == d {
		return false
	}
	last.Dst = d
	if !scalar && p.at.Guard != 0 {
		last.Guard, last.GuardNot = p.at.Guard, p.at.GuardNot
		p.guarded(d, g)
	}
	return true
}

// guarded makes a result undefined in the lanes in which its guard g is undefined, because it is not
// known whether they were written.
func (p *tracker) guarded(d, g ir.Ref) {
	if g != 0 {
		t := p.out.Values[d].Type
		p.emit(ir.Inst{Op: moves[t], Dst: d, Args: [4]ir.Ref{p.konst(t, false, ones(t))}, Guard: g})
	}
}

// reach emits the report that the set s reaches an effect, unless all its bits are defined.
func (p *tracker) reach(kind ir.ReachKind, s ir.Ref, guarded bool) {
	if s == 0 || p.Quiet {
		return
	}
	in := ir.Inst{Op: ir.Reach, Size: uint8(kind), Args: [4]ir.Ref{s}, Scalar: p.out.Values[s].Scalar}
	if guarded && !in.Scalar {
		in.Guard, in.GuardNot = p.at.Guard, p.at.GuardNot
	}
	p.emit(in)
}

// bitInst emits the operations of the sets for one operation, and the operation itself.
func (p *tracker) bitInst(in ir.Inst) {
	// Temporaries and scratch values live inside one guest instruction.
	if in.Pos != p.pos {
		p.pos = in.Pos
		clear(p.temps)
		clear(p.used)
	}
	p.at = &in
	after := func() {}
	switch {
	case in.Op.Pure():
		p.put(in.Dst, p.pureBits(&in))
	case in.Op == ir.Load:
		p.load(&in)
	case in.Op == ir.Atomic:
		p.atomicBits(&in)
	case in.Op == ir.Store:
		after = p.store(&in)
	case in.Op == ir.Tensor && p.f.Tensors[in.Imm].Texture != nil:
		p.texture(&in, p.f.Tensors[in.Imm].Texture)
	case in.Op == ir.Bulk, in.Op == ir.Tensor:
		after = p.bulk(&in)
	default:
		p.crossBits(&in)
	}
	// The operation follows the operations on its sets, because it may overwrite its operands. A
	// store's set is stored after the store.
	p.out.Code = append(p.out.Code, in)
	after()
	if p.writesExec(in.Dst) || p.writesExec(in.Dst2) {
		p.reach(ir.ReachBranch, p.shadow[p.f.Exec], false)
	}
}

// writesExec reports whether a result overlaps EXEC. Writing EXEC on GCN3 is like a branch on PTX, so
// undefined bits are reported there.
func (p *tracker) writesExec(r ir.Ref) bool {
	if r == 0 || p.f.Exec == 0 || p.f.Val(r).Kind != ir.Guest {
		return false
	}
	return p.f.Overlap(r, p.f.Exec)
}

// effect reports an undefined guard of an operation that does more than write its result.
func (p *tracker) effect(in *ir.Inst) {
	if in.Guard != 0 && in.Guard != p.f.Exec {
		p.reach(ir.ReachBranch, p.of(in.Guard), false)
	}
}

// shadowAccess returns the access to the sets of the memory that in accesses.
func shadowAccess(in *ir.Inst) ir.Inst {
	s := *in
	s.Flags = s.Flags&^ir.Volatile | ir.Undefined
	s.First = false
	return s
}

// load emits the load of the set before the load of the memory, because the result may overwrite the
// address.
func (p *tracker) load(in *ir.Inst) {
	p.effect(in)
	p.reach(ir.ReachAddress, p.of(in.Args[0]), true)
	address := p.taint(in.Args[0], in.Scalar)
	if in.Space == ir.Param {
		p.put(in.Dst, p.all(address, p.f.Val(in.Dst).Type))
		return
	}
	p.memory(ir.ReachFrom, in, in.Args[0])
	v := p.f.Val(in.Dst)
	s := shadowAccess(in)
	if v.Kind == ir.Temp {
		s.Dst = p.temp(v.Type, v.Scalar)
		p.emit(s)
		d := p.join(s.Dst, p.all(address, v.Type))
		if _, was := p.temps[in.Dst]; !was && in.Guard != 0 && !in.Scalar && p.f.Val(in.Guard).Kind == ir.Temp {
			// A later operation for more lanes than these selects between the loaded value
			// and another one. If it is not known whether a lane loads, its value is undefined. (If the
			// temporary was written before, partly does this.)
			d = p.join(d, p.all(p.of(in.Guard), v.Type))
		}
		p.temps[in.Dst] = p.partly(in.Dst, d)
		return
	}
	if address != 0 {
		s.Dst = p.temp(v.Type, v.Scalar)
		p.emit(s)
		p.put(in.Dst, p.join(s.Dst, p.all(address, v.Type)))
		return
	}
	s.Dst = p.shadow[in.Dst]
	p.emit(s)
	if !in.Scalar {
		p.guarded(s.Dst, p.of(in.Guard))
	}
}

// taint returns, as a B1, whether an undefined address makes the loaded value undefined. It does so
// only with Quiet; otherwise the address is reported, and one mistake gives one report.
func (p *tracker) taint(address ir.Ref, scalar bool) ir.Ref {
	switch {
	case !p.Quiet:
		return 0
	case scalar:
		return p.some(p.of(address))
	}
	return p.lanesOf(address)
}

// reachStore reports undefined bits that are stored to global memory.
func (p *tracker) reachStore(in *ir.Inst, value ir.Ref) {
	s := p.of(value)
	if s == 0 || p.Quiet || in.Space != ir.Generic && in.Space != ir.Global {
		return
	}
	r := ir.Inst{Op: ir.Reach, Size: uint8(ir.ReachStore), Args: [4]ir.Ref{s, in.Args[0]}, Imm: in.Offset(), Space: in.Space,
		Align: uint16(in.Size), Scalar: p.out.Values[s].Scalar, Guard: in.Guard, GuardNot: in.GuardNot}
	if r.Scalar {
		r.Guard, r.GuardNot = 0, false
	}
	p.emit(r)
}

// store emits the reports of a store. The returned function emits the store of the set, after the store
// itself.
func (p *tracker) store(in *ir.Inst) func() {
	p.effect(in)
	p.reach(ir.ReachAddress, p.of(in.Args[0]), true)
	p.reachStore(in, in.Args[1])
	p.memory(ir.ReachInto, in, p.of(in.Args[1]))
	s := shadowAccess(in)
	v := p.f.Val(in.Args[1])
	s.Args[1] = p.full(p.of(in.Args[1]), v.Type, v.Scalar)
	return func() { p.emit(s) }
}

// bulk does the same as store for a copy of a block of memory.
func (p *tracker) bulk(in *ir.Inst) func() {
	p.effect(in)
	for _, a := range in.Args {
		p.reach(ir.ReachAddress, p.of(a), true)
	}
	for _, a := range p.f.Listed(in) {
		p.reach(ir.ReachAddress, p.of(a), true)
	}
	s := shadowAccess(in)
	if in.Op == ir.Tensor {
		s.Dst = 0
		if in.Dst != 0 {
			p.put(in.Dst, 0) // the number of bytes: a map with undefined bits has been reported
		}
	}
	return func() { p.emit(s) }
}

// texture puts the set of an operation of a texture or surface. Undefined handles and coordinates are reported.
func (p *tracker) texture(in *ir.Inst, x *ir.TextureInfo) {
	p.effect(in)
	for _, a := range in.Args {
		p.reach(ir.ReachAddress, p.of(a), true)
	}
	var any ir.Ref
	for _, a := range p.f.Listed(in) {
		if x.Do == ir.TexturePacks {
			any = p.join(any, p.of(a))
		} else if x.Do != ir.TextureSize {
			p.reach(ir.ReachAddress, p.of(a), true)
		}
	}
	switch x.Do {
	case ir.TextureFetches:
		s := shadowAccess(in)
		s.Dst = p.temp(ir.B32, false)
		p.emit(s)
		p.put(in.Dst, s.Dst)
	case ir.TexturePacks:
		p.put(in.Dst, p.all(p.some(any), ir.B32))
	default:
		p.put(in.Dst, 0)
	}
}

// atomicBits applies a similar atomic to the sets in memory, in the same order of lanes: an exchange
// exchanges sets, other operations join the operand's set into the memory's. If the comparand of a
// compare-and-swap is undefined, all bits become undefined.
func (p *tracker) atomicBits(in *ir.Inst) {
	p.effect(in)
	p.reach(ir.ReachAddress, p.of(in.Args[0]), true)
	p.reachStore(in, in.Args[1])
	p.reachStore(in, in.Args[2])
	p.memory(ir.ReachFrom, in, in.Args[0])
	op, off := ir.AtomicOp(in.Imm>>32), int32(in.Imm)
	halves := 1
	if in.Size == 16 {
		halves = 2
	}
	// Each half has its own set in memory, at its own address.
	for h := range halves {
		part := func(r ir.Ref) ir.Ref {
			if r == 0 {
				return 0
			}
			return r + ir.Ref(h)
		}
		t := map[uint8]ir.Type{2: ir.B16, 4: ir.B32, 8: ir.B64, 16: ir.B64}[in.Size]
		operand := func(r ir.Ref) ir.Ref { // as a set of type t
			s := p.of(part(r))
			if s != 0 && (p.out.Values[s].Type != t || p.out.Values[s].Scalar) {
				return p.all(p.lanesOf(part(r)), t)
			}
			return s
		}
		a, b := operand(in.Args[1]), operand(in.Args[2])
		s := shadowAccess(in)
		s.Dst, s.Dst2 = 0, 0
		kind := ir.AtomOr
		switch op {
		case ir.AtomExch:
			kind = ir.AtomExch
		case ir.AtomAdd, ir.AtomSub:
			kind = ir.AtomOf(undefCarry.of(t))
		case ir.AtomAnd, ir.AtomOr, ir.AtomXor:
		case ir.AtomCAS:
			// The comparand decides whether b is stored.
			a = p.all(p.some(a), t)
		default:
			kind = ir.AtomOf(undefAny.of(t))
		}
		s.Args[1], s.Args[2] = p.full(p.join(a, b), t, false), 0
		s.Size = uint8(t.Bytes())
		s.Align = min(s.Align, uint16(s.Size)) // alignment of one half of 16 bytes
		s.Imm = ir.AtomicImm(kind, off+int32(8*h))
		dst := part(in.Dst)
		combines := op != ir.AtomExch && h == 0 && !p.Quiet && (in.Space == ir.Generic || in.Space == ir.Global)
		if dst != 0 || combines {
			s.Dst = p.temp(t, false)
		}
		p.emit(s)
		if combines {
			// The new value in memory depends on the old one.
			p.emit(ir.Inst{Op: ir.Reach, Size: uint8(ir.ReachStore), Args: [4]ir.Ref{s.Dst, in.Args[0]}, Imm: uint64(int64(off)), Space: in.Space,
				Align: uint16(t.Bytes()), Guard: in.Guard, GuardNot: in.GuardNot})
		}
		if dst != 0 {
			p.put(dst, p.join(s.Dst, p.all(p.taint(in.Args[0], false), t)))
		}
	}
}

// keepBits copies a set to storage that lives while lanes wait for the rendezvous, and returns it.
// which selects the source sets (0) or the lane's own marks (1).
func (p *tracker) keepBits(in *ir.Inst, which int, s ir.Ref) ir.Ref {
	if s == 0 {
		return 0
	}
	t := p.out.Values[s].Type
	if p.kept[which] == nil {
		p.kept[which] = map[ir.Type]ir.Ref{}
	}
	at := p.kept[which][t]
	if at == 0 {
		at = p.addGuest("", t, false)
		p.kept[which][t] = at
	}
	p.emit(ir.Inst{Op: moves[t], Dst: at, Args: [4]ir.Ref{s}, Guard: in.Guard, GuardNot: in.GuardNot})
	return at
}

// result returns the set to which package sim writes the undefined bits of a result.
func (p *tracker) result(in *ir.Inst, dst ir.Ref) ir.Ref {
	if dst == 0 {
		return 0
	}
	v := p.f.Val(dst)
	if v.Kind != ir.Guest {
		s := p.temp(v.Type, false)
		if old, was := p.temps[dst]; was && in.Guard != 0 {
			p.emit(ir.Inst{Op: moves[v.Type], Dst: s, Args: [4]ir.Ref{p.full(old, v.Type, false)}})
		}
		p.temps[dst] = s
		return s
	}
	p.guarded(p.shadow[dst], p.of(in.Guard))
	return p.shadow[dst]
}

// exchangeBits hands the sets of a shuffle, vote or match to package sim, which moves them with the
// data. The own mark says that a lane's controls, membermask or guard are undefined.
func (p *tracker) exchangeBits(in *ir.Inst) {
	own := p.or(p.or(p.lanesOf(in.Args[1]), p.lanesOf(in.Args[2])), p.or(p.lanesOf(in.Args[3]), p.of(in.Guard)))
	src := p.of(in.Args[0])
	if in.Op != ir.Shfl && in.Op != ir.ShflSync || src != 0 && p.out.Values[src].Scalar {
		src = p.lanesOf(in.Args[0])
	}
	in.Shadow = [4]ir.Ref{p.keepBits(in, 0, src), p.keepBits(in, 1, own), p.result(in, in.Dst), p.result(in, in.Dst2)}
}

// collectiveBits hands the sets of a matrix operation to package sim.
func (p *tracker) collectiveBits(in *ir.Inst) {
	if !p.described {
		p.out.Collectives = slices.Clone(p.f.Collectives)
		p.described = true
	}
	info := &p.out.Collectives[in.Imm]
	if in.Args[0] != 0 {
		p.effect(in)
		p.reach(ir.ReachAddress, p.of(in.Args[0]), true)
		p.reach(ir.ReachAddress, p.of(in.Args[1]), true)
	}
	info.OwnShadow = p.keepBits(in, 1, p.or(p.or(p.lanesOf(in.Args[0]), p.lanesOf(in.Args[1])), p.of(in.Guard)))
	info.SrcShadow = make([]ir.Ref, len(info.Src))
	for i, r := range info.Src {
		v := p.f.Val(r)
		s := p.full(p.of(r), v.Type, false)
		info.SrcShadow[i] = s
		if len(info.Dst) == 0 { // a store of a fragment
			p.reachFragment(in, s)
		}
	}
	info.DstShadow = make([]ir.Ref, len(info.Dst))
	for i, r := range info.Dst {
		info.DstShadow[i] = p.result(in, r)
	}
}

// reachFragment reports undefined bits in the store of a fragment, by the address that the lane gives.
func (p *tracker) reachFragment(in *ir.Inst, s ir.Ref) {
	if !p.Quiet && (in.Space == ir.Generic || in.Space == ir.Global) {
		p.emit(ir.Inst{Op: ir.Reach, Size: uint8(ir.ReachStore), Args: [4]ir.Ref{s, in.Args[0]}, Space: in.Space, Align: 8, Guard: in.Guard, GuardNot: in.GuardNot})
	}
}
