package poison

import "example.org/crosslane/internal/ir"

// crossBits emits the operations on sets for an operation with effects or across lanes. Data that move
// between lanes take their sets along. An undefined lane number, address or EXEC bit makes every result
// undefined that may depend on it.
func (p *tracker) crossBits(in *ir.Inst) {
	switch in.Op {
	case ir.Splat:
		if s := p.of(in.Args[0]); s != 0 {
			d := p.temp(p.out.Values[s].Type, false)
			p.emit(ir.Inst{Op: ir.Splat, Dst: d, Args: [4]ir.Ref{s}})
			p.put(in.Dst, d)
			return
		}
		p.put(in.Dst, 0)
	case ir.LaneBit:
		p.put(in.Dst, p.splat(p.of(in.Args[0])))
	case ir.ActiveMask, ir.Clock, ir.ClusterDone:
		p.put(in.Dst, 0)
	case ir.Shfl, ir.ShflSync, ir.Vote, ir.VoteSync, ir.MatchSync, ir.ReduxSync, ir.ElectSync, ir.WarpSync:
		p.effect(in)
		p.reach(ir.ReachBranch, p.of(in.Args[3]), true) // decides which lanes wait for each other
		p.exchangeBits(in)
	case ir.Collective:
		p.collectiveBits(in)
	case ir.Bar:
		p.effect(in)
		p.reach(ir.ReachBranch, p.of(in.Args[0]), true)
		p.reach(ir.ReachBranch, p.of(in.Args[1]), true)
		s := p.ofAll(in, p.of(in.Args[2]))
		for _, d := range [2]ir.Ref{in.Dst, in.Dst2} {
			if d != 0 {
				p.put(d, p.all(s, p.f.Val(d).Type))
			}
		}
	case ir.DPPRead:
		exec := p.splat(p.any(p.of(in.Args[1])))
		var moved ir.Ref
		if s := p.of(in.Args[0]); s != 0 {
			moved = p.v32(ir.Inst{Op: in.Op, Args: [4]ir.Ref{s, in.Args[1]}, Imm: in.Imm})
		}
		p.put(in.Dst, p.join(moved, p.all(exec, ir.B32)))
	case ir.DPPMask:
		p.put(in.Dst, p.splat(p.any(p.of(in.Args[0]))))
	case ir.DSSwizzle:
		s := p.movedBits(in, p.of(in.Args[0]), func(x ir.Ref) [4]ir.Ref { return [4]ir.Ref{x} })
		p.put(in.Dst, p.join(s, p.all(p.party(in), ir.B32)))
	case ir.DSBpermute:
		s := p.movedBits(in, p.of(in.Args[1]), func(x ir.Ref) [4]ir.Ref { return [4]ir.Ref{in.Args[0], x} })
		p.put(in.Dst, p.join(s, p.all(p.or(p.lanesOf(in.Args[0]), p.party(in)), ir.B32)))
	case ir.DSPermute:
		s := p.movedBits(in, p.of(in.Args[1]), func(x ir.Ref) [4]ir.Ref { return [4]ir.Ref{in.Args[0], x} })
		// A lane with an undefined address may push its value to any lane.
		addr := p.lanesOf(in.Args[0])
		if addr != 0 && in.Guard != 0 {
			g := in.Guard
			if in.GuardNot {
				g = p.v(ir.NotP, g)
			}
			addr = p.v(ir.AndP, addr, g)
		}
		p.put(in.Dst, p.join(s, p.all(p.or(p.splat(p.any(addr)), p.party(in)), ir.B32)))
	case ir.HostCall:
		p.hostBits(in)
	case ir.ReadLane, ir.ReadFirstLane:
		// An undefined lane number or EXEC may select any lane.
		choice := p.some(p.of(in.Args[1]))
		if in.Op == ir.ReadFirstLane {
			choice = p.any(p.of(in.Args[1]))
		}
		var d ir.Ref
		if s := p.of(in.Args[0]); s != 0 {
			d = p.temp(ir.B32, true)
			p.emit(ir.Inst{Op: in.Op, Scalar: true, Dst: d, Args: [4]ir.Ref{s, in.Args[1]}})
		}
		p.put(in.Dst, p.join(d, p.all(choice, ir.B32)))
	case ir.WriteLane:
		w := p.v(ir.Mov32, p.full(p.of(in.Dst), ir.B32, false))
		p.emit(ir.Inst{Op: in.Op, Scalar: true, Dst: w, Args: [4]ir.Ref{p.full(p.of(in.Args[0]), ir.B32, true), in.Args[1]}})
		p.put(in.Dst, p.join(w, p.all(p.splat(p.some(p.of(in.Args[1]))), ir.B32)))
	case ir.Fail:
		p.effect(in)
		p.reach(ir.ReachTrap, p.of(in.Args[0]), true)
	case ir.Trap:
		if in.Guard != 0 {
			p.reach(ir.ReachTrap, p.of(in.Guard), false)
		}
	case ir.Bra, ir.Exit:
		p.effect(in)
	case ir.SBra, ir.BraTable:
		p.effect(in)
		p.reach(ir.ReachBranch, p.of(in.Args[0]), true)
	case ir.Claim:
		p.claim(in)
	case ir.Nop, ir.Access, ir.Fence, ir.Yield, ir.ClusterArrive, ir.Observe, ir.EndWave, ir.WaveBar:
	default:
		// Without a rule, all results count as undefined.
		for _, d := range [2]ir.Ref{in.Dst, in.Dst2} {
			if d != 0 {
				v := p.f.Val(d)
				p.put(d, p.konst(v.Type, v.Scalar, ones(v.Type)))
			}
		}
	}
}

// movedBits applies the operation to the set of its data operand.
func (p *tracker) movedBits(in *ir.Inst, src ir.Ref, args func(ir.Ref) [4]ir.Ref) ir.Ref {
	if src == 0 {
		return 0
	}
	return p.v32(ir.Inst{Op: in.Op, Args: args(src), Imm: in.Imm, Guard: in.Guard, GuardNot: in.GuardNot})
}

// hostBits emits the reports of a service of the host. Its arguments decide its effect, except the byte
// that it sets or looks for. package sim finds the undefined bits that the service reads in memory, and
// whether its result depends on them.
func (p *tracker) hostBits(in *ir.Inst) {
	p.effect(in)
	s, _, _ := ir.HostFields(in.Imm)
	for i, a := range in.Args {
		if i != 1 || s != ir.HostMemset && s != ir.HostMemchr && s != ir.HostStrchr {
			p.reach(ir.ReachAddress, p.of(a), true)
		}
	}
	if in.Dst == 0 {
		return
	}
	var own ir.Ref
	if p.Quiet {
		own = p.or(p.or(p.lanesOf(in.Args[0]), p.lanesOf(in.Args[1])), p.or(p.lanesOf(in.Args[2]), p.lanesOf(in.Args[3])))
	}
	if s == ir.HostPush || s == ir.HostPop {
		p.put(in.Dst, p.all(own, p.f.Val(in.Dst).Type))
		return
	}
	in.Shadow[1], in.Shadow[2] = own, p.result(in, in.Dst)
}
