package poison

import (
	"slices"

	"crosslane/internal/ir"
)

// special emits the shadow's operations for an operation with effects or across
// lanes.
func (p *pass) special(in *ir.Inst) {
	switch in.Op {
	case ir.Splat, ir.LaneBit:
		p.put(in.Dst, p.splat(p.bitOf(in.Args[0])))
	case ir.ActiveMask, ir.Clock, ir.ClusterDone:
		p.put(in.Dst, 0)
	case ir.Shfl, ir.ShflSync, ir.Vote, ir.VoteSync, ir.MatchSync, ir.ReduxSync, ir.ElectSync:
		p.exchange(in)
	case ir.Collective:
		p.collective(in)
	case ir.Bar:
		s := p.ofAll(in, p.of(in.Args[2]))
		p.put(in.Dst, s)
		p.put(in.Dst2, s)
	case ir.DPPRead:
		exec := p.splat(p.any(p.of(in.Args[1])))
		moved := p.v32(ir.Inst{Op: in.Op, Args: [4]ir.Ref{p.words(p.of(in.Args[0])), in.Args[1]}, Imm: in.Imm})
		p.put(in.Dst, p.or(p.marked(moved), exec))
	case ir.DPPMask:
		p.put(in.Dst, p.splat(p.any(p.of(in.Args[0]))))
	case ir.DSSwizzle:
		s := p.moved(in, p.of(in.Args[0]), func(x ir.Ref) [4]ir.Ref { return [4]ir.Ref{x} })
		p.put(in.Dst, p.or(s, p.party(in)))
	case ir.DSBpermute:
		s := p.moved(in, p.of(in.Args[1]), func(x ir.Ref) [4]ir.Ref { return [4]ir.Ref{in.Args[0], x} })
		p.put(in.Dst, p.or(p.or(s, p.of(in.Args[0])), p.party(in)))
	case ir.DSPermute:
		s := p.moved(in, p.of(in.Args[1]), func(x ir.Ref) [4]ir.Ref { return [4]ir.Ref{in.Args[0], x} })
		// Where a lane with a poisoned address pushes to is not known: it may be anywhere.
		addr := p.of(in.Args[0])
		if addr != 0 && in.Guard != 0 {
			g := in.Guard
			if in.GuardNot {
				g = p.v(ir.NotP, g)
			}
			addr = p.v(ir.AndP, addr, g)
		}
		p.put(in.Dst, p.or(p.or(s, p.splat(p.any(addr))), p.party(in)))
	case ir.HostCall:
		p.hostCall(in)
	case ir.ReadLane, ir.ReadFirstLane:
		p.readLane(in)
	case ir.WriteLane:
		p.writeLane(in)
	default:
		// No rule: whatever it writes counts as poisoned.
		for _, d := range [2]ir.Ref{in.Dst, in.Dst2} {
			if d == 0 {
				continue
			}
			if v := p.f.Val(d); v.Scalar {
				p.put(d, p.konst(v.Type, true, ones(v.Type)))
			} else {
				p.put(d, p.konst(ir.B1, false, 1))
			}
		}
	}
}

// ofAll is the shadow of what lanes make together: poisoned in all of them if it is in
// one. It sees the lanes of the wave that execute the operation together; the shadow of
// those that come to a barrier by another way is not known here.
func (p *pass) ofAll(in *ir.Inst, s ir.Ref) ir.Ref {
	if s == 0 {
		return 0
	}
	d := p.temp(ir.B1, false)
	p.emit(ir.Inst{Op: ir.Vote, Imm: uint64(ir.VoteAny), Dst2: d, Args: [4]ir.Ref{s}, Guard: in.Guard, GuardNot: in.GuardNot})
	return d
}

// hostCall is a service of the host: what it returns is defined if all that it was
// given is. Memory has no shadow.
func (p *pass) hostCall(in *ir.Inst) {
	var s ir.Ref
	for _, a := range in.Args {
		s = p.or(s, p.lanes(a))
	}
	p.put(in.Dst, s)
}

// loaded is the shadow of what a load or an atomic returns. Memory has no shadow:
// it is defined if its address is.
func (p *pass) loaded(in *ir.Inst) ir.Ref {
	if in.Scalar && in.Dst != 0 {
		return p.spread(p.bitOf(in.Args[0]), p.f.Val(in.Dst).Type)
	}
	return p.lanes(in.Args[0])
}

// lanes is the shadow of an operand as that of a lane vector.
func (p *pass) lanes(r ir.Ref) ir.Ref {
	if r != 0 && p.f.Val(r).Scalar {
		return p.splat(p.bitOf(r))
	}
	return p.of(r)
}

// words turns marks into a lane vector that a 32-bit cross-lane operation can move:
// all ones in marked lanes, 0 in the others.
func (p *pass) words(s ir.Ref) ir.Ref {
	zero := p.konst(ir.B32, false, 0)
	if s == 0 {
		return zero
	}
	return p.v(ir.Sel32, s, p.konst(ir.B32, false, ones(ir.B32)), zero)
}

// marked turns words back into marks.
func (p *pass) marked(words ir.Ref) ir.Ref {
	return p.v(ir.NeU32, words, p.konst(ir.B32, false, 0))
}

// v32 emits a cross-lane operation into a scratch lane vector.
func (p *pass) v32(in ir.Inst) ir.Ref {
	in.Dst = p.temp(ir.B32, false)
	p.emit(in)
	return in.Dst
}

// moved runs an operation of in's kind on marks, for the lanes of its guard; args
// makes its operands from the source words.
func (p *pass) moved(in *ir.Inst, src ir.Ref, args func(words ir.Ref) [4]ir.Ref) ir.Ref {
	if src == 0 {
		return 0
	}
	return p.marked(p.v32(ir.Inst{Op: in.Op, Args: args(p.words(src)), Imm: in.Imm, Guard: in.Guard, GuardNot: in.GuardNot}))
}

// party is the shadow of who takes part in a cross-lane operation of 64 lanes: a
// poisoned bit of EXEC decides for every reader whether that lane can be read.
func (p *pass) party(in *ir.Inst) ir.Ref { return p.splat(p.any(p.of(in.Guard))) }

// any returns a scalar of B1: whether a lane of 64 is marked.
func (p *pass) any(s ir.Ref) ir.Ref {
	if s == 0 {
		return 0
	}
	if p.anyMask == 0 {
		p.anyMask = p.addGuest("", ir.B1, false)
		v := p.out.Values[p.anyMask]
		v.Type, v.Scalar = ir.B64, true
		p.anyBits = p.add(v)
	}
	p.emit(ir.Inst{Op: ir.MovB1, Dst: p.anyMask, Args: [4]ir.Ref{s}})
	return p.s(ir.NeU64, p.anyBits, p.konst(ir.B64, true, 0))
}

// readLane is v_readlane and v_readfirstlane: the same on words of all ones or 0
// gives the scalar's shadow. A poisoned choice of lane poisons all of it.
func (p *pass) readLane(in *ir.Inst) {
	choice := p.bitOf(in.Args[1])
	if in.Op == ir.ReadFirstLane {
		choice = p.any(p.of(in.Args[1]))
	}
	d := p.temp(ir.B32, true)
	p.emit(ir.Inst{Op: in.Op, Scalar: true, Dst: d, Args: [4]ir.Ref{p.words(p.of(in.Args[0])), in.Args[1]}})
	if choice != 0 {
		d = p.s(ir.Or32, d, p.spread(choice, ir.B32))
	}
	p.put(in.Dst, d)
}

// writeLane is v_writelane: one lane of the destination's marks changes.
func (p *pass) writeLane(in *ir.Inst) {
	old := p.of(in.Dst)
	w := p.v(ir.Mov32, p.words(old))
	value := p.spread(p.bitOf(in.Args[0]), ir.B32)
	if value == 0 {
		value = p.konst(ir.B32, true, 0)
	}
	p.emit(ir.Inst{Op: in.Op, Scalar: true, Dst: w, Args: [4]ir.Ref{value, in.Args[1]}})
	p.put(in.Dst, p.or(p.marked(w), p.splat(p.bitOf(in.Args[1]))))
}

// keep stores marks where they stay while lanes wait: the instruction may overwrite
// its own source, and temporaries do not outlive a block. A lane waits at one place
// only, so that one place for each kind of marks is enough.
func (p *pass) keep(in *ir.Inst, at *ir.Ref, s ir.Ref) ir.Ref {
	if s == 0 {
		return 0
	}
	if *at == 0 {
		*at = p.addGuest("", ir.B1, false)
	}
	p.emit(ir.Inst{Op: ir.MovB1, Dst: *at, Args: [4]ir.Ref{s}, Guard: in.Guard, GuardNot: in.GuardNot})
	return *at
}

// exchange is shuffle, vote, match, redux and elect. The reader contributes the
// marks of its b, c and membermask, package sim those of the lanes that it reads.
// The shadow of a result changes only when the result does, after any wait.
func (p *pass) exchange(in *ir.Inst) {
	own := p.or(p.or(p.lanes(in.Args[1]), p.lanes(in.Args[2])), p.or(p.lanes(in.Args[3]), p.of(in.Guard)))
	in.Shadow = [4]ir.Ref{
		p.keep(in, &p.source, p.lanes(in.Args[0])), p.keep(in, &p.own, own), p.target(in, in.Dst), p.target(in, in.Dst2),
	}
}

// collective is an operation of the whole wave, whose marks package sim moves: it
// knows which lanes' registers a result comes from.
func (p *pass) collective(in *ir.Inst) {
	if !p.described {
		p.out.Collectives = slices.Clone(p.f.Collectives)
		p.described = true
	}
	info := &p.out.Collectives[in.Imm]
	info.OwnShadow = p.keep(in, &p.own, p.or(p.or(p.lanes(in.Args[0]), p.lanes(in.Args[1])), p.of(in.Guard)))
	info.SrcShadow = make([]ir.Ref, len(info.Src))
	for i, r := range info.Src {
		info.SrcShadow[i] = p.of(r)
	}
	info.DstShadow = make([]ir.Ref, len(info.Dst))
	for i, r := range info.Dst {
		info.DstShadow[i] = p.target(in, r)
	}
}

// target returns where package sim puts the marks of a result.
func (p *pass) target(in *ir.Inst, dst ir.Ref) ir.Ref {
	if dst == 0 || p.always[dst] {
		return 0
	}
	if p.f.Val(dst).Kind != ir.Guest {
		s := p.temp(ir.B1, false)
		p.temps[dst] = s
		return s
	}
	d := p.shadow[dst]
	if g := p.of(in.Guard); g != 0 && g != d {
		p.emit(ir.Inst{Op: ir.OrP, Dst: d, Args: [4]ir.Ref{d, g}})
	}
	return d
}
