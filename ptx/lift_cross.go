package ptx

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// crossKind selects the picture with which explain shows an instruction that crosses lanes.
type crossKind uint8

const (
	crossNone crossKind = iota
	crossShfl
	crossVote
	crossMatch
	crossRedux
	crossActive
	crossElect
	crossBarrier
)

// shflMode returns the mode of a shuffle.
func shflMode(v *variant) lane.ShflMode {
	switch v.mod("mode") {
	case "up":
		return lane.ShflUp
	case "down":
		return lane.ShflDown
	case "bfly":
		return lane.ShflBfly
	}
	return lane.ShflIdx
}

// shfl is the shuffle without membermask (PTX 9.7.9.5): the lanes that execute it together take
// part.
var shfl = meaning{cross: crossShfl, emit: func(l *lifter) {
	in := ir.Inst{Op: ir.Shfl, Imm: uint64(shflMode(l.v)), Dst2: l.pair(0)}
	for i := range 3 {
		in.Args[i] = l.src(1 + i)
	}
	l.emitTo(in)
}}

// shflSync is shfl.sync (PTX 9.7.9.6).
var shflSync = meaning{cross: crossShfl, emit: func(l *lifter) {
	in := ir.Inst{Op: ir.ShflSync, Imm: uint64(shflMode(l.v)), Dst2: l.pair(0)}
	for i := range 4 {
		in.Args[i] = l.stable(i, l.src(1+i))
	}
	l.emitTo(in)
}}

// emitTo emits an instruction that writes operand 0, unless that is _.
func (l *lifter) emitTo(in ir.Inst) {
	if d := l.dst(0); d != nil {
		in.Dst = l.reg(d)
	}
	l.b.Emit(in)
}

// voteMode returns the mode of a vote.
func voteMode(v *variant) ir.VoteMode {
	switch v.mod("mode") {
	case "all":
		return ir.VoteAll
	case "any":
		return ir.VoteAny
	case "uni":
		return ir.VoteUni
	}
	return ir.VoteBallot
}

// emitVote emits a vote. A ballot is written to Dst, a predicate to Dst2.
func (l *lifter) emitVote(in ir.Inst) {
	mode := voteMode(l.v)
	in.Imm = uint64(mode)
	if d := l.dst(0); d != nil {
		if mode == ir.VoteBallot {
			in.Dst = l.reg(d)
		} else {
			in.Dst2 = l.reg(d)
		}
	}
	l.b.Emit(in)
}

// vote is vote without membermask (PTX 9.7.14.9).
var vote = meaning{cross: crossVote, emit: func(l *lifter) {
	l.emitVote(ir.Inst{Op: ir.Vote, Args: [4]ir.Ref{l.src(1)}})
}}

// voteSync is vote.sync (PTX 9.7.14.10).
var voteSync = meaning{cross: crossVote, emit: func(l *lifter) {
	l.emitVote(ir.Inst{Op: ir.VoteSync, Args: [4]ir.Ref{l.stable(0, l.src(1)), 0, 0, l.stable(3, l.src(2))}})
}}

// match finds the lanes that hold equal values (PTX 9.7.14.11).
var match = meaning{cross: crossMatch, emit: func(l *lifter) {
	mode := ir.MatchAny
	if l.v.has("all") {
		mode = ir.MatchAll
	}
	l.emitTo(ir.Inst{
		Op: ir.MatchSync, Imm: uint64(mode), Dst2: l.pair(0),
		Args: [4]ir.Ref{l.stable(0, l.src(1)), 0, 0, l.stable(3, l.src(2))},
	})
}}

// activemask returns the mask of the lanes that execute it together (PTX 9.7.14.12).
var activemask = meaning{cross: crossActive, emit: func(l *lifter) {
	l.emitTo(ir.Inst{Op: ir.ActiveMask})
}}

// reduxMode returns the operation of a reduction, with its type and modifiers.
func reduxMode(v *variant) ir.ReduxMode {
	var m ir.ReduxMode
	switch op, signed := v.mod("op"), v.typ.Signed(); {
	case op == "min" && v.typ == F32:
		m = ir.ReduxMinF32
	case op == "max" && v.typ == F32:
		m = ir.ReduxMaxF32
	case op == "min" && signed:
		m = ir.ReduxMinS
	case op == "min":
		m = ir.ReduxMinU
	case op == "max" && signed:
		m = ir.ReduxMaxS
	case op == "max":
		m = ir.ReduxMaxU
	case op == "and":
		m = ir.ReduxAnd
	case op == "or":
		m = ir.ReduxOr
	case op == "xor":
		m = ir.ReduxXor
	default:
		m = ir.ReduxAdd
	}
	if v.has("abs") {
		m |= ir.ReduxAbs
	}
	if v.has("NaN") {
		m |= ir.ReduxNaN
	}
	return m
}

// redux reduces a value over the members (PTX 9.7.14.13).
var redux = meaning{cross: crossRedux, emit: func(l *lifter) {
	l.emitTo(ir.Inst{
		Op: ir.ReduxSync, Imm: uint64(reduxMode(l.v)),
		Args: [4]ir.Ref{l.stable(0, l.src(1)), 0, 0, l.stable(3, l.src(2))},
	})
}}

// elect chooses one member as leader (PTX 9.7.14.15).
var elect = meaning{cross: crossElect, emit: func(l *lifter) {
	l.emitTo(ir.Inst{Op: ir.ElectSync, Dst2: l.pair(0), Args: [4]ir.Ref{0, 0, 0, l.stable(3, l.src(1))}})
}}

// warpSync waits for the members (PTX 9.7.14.2).
var warpSync = meaning{cross: crossBarrier, emit: func(l *lifter) {
	l.b.Emit(ir.Inst{Op: ir.WarpSync, Args: [4]ir.Ref{0, 0, 0, l.stable(3, l.src(0))}})
}}

// bar is a barrier of the block at which all lanes of a warp arrive together: bar.x is
// barrier.x.aligned (PTX 9.7.14.1). barrier lets lanes arrive separately, unless it has .aligned.
var (
	bar     = meaning{emit: func(l *lifter) { l.barrier(true) }, check: checkBar}
	barrier = meaning{emit: func(l *lifter) { l.barrier(l.v.has("aligned")) }, check: checkBar}
)

// barrier emits a barrier of the block. Operand a is the barrier, b the number of threads, c the
// predicate of a reduction.
func (l *lifter) barrier(aligned bool) {
	in := ir.Inst{Op: ir.Bar}
	switch {
	case l.v.has("arrive"):
		in.Imm = uint64(ir.BarArrive)
	case l.v.has("popc"):
		in.Imm = uint64(ir.BarRedPopc)
	case l.v.mod("op") == "and":
		in.Imm = uint64(ir.BarRedAnd)
	case l.v.mod("op") == "or":
		in.Imm = uint64(ir.BarRedOr)
	default:
		in.Imm = uint64(ir.BarSync)
	}
	if aligned {
		in.Imm |= uint64(ir.BarAligned)
	}
	for i := range l.v.ops {
		switch o := &l.v.ops[i]; {
		case o.dst:
			if d := l.dst(i); d != nil && l.v.args[i] == Pred {
				in.Dst2 = l.reg(d)
			} else if d != nil {
				in.Dst = l.reg(d)
			}
		case o.name == "a":
			if a := &l.in.Args[i]; a.Kind != KindInt || a.Val != 0 {
				in.Args[0] = l.stable(0, l.src(i))
			}
		case o.name == "b":
			in.Args[1] = l.stable(1, l.src(i))
		case o.name == "c":
			in.Args[2] = l.stable(2, l.src(i))
		}
	}
	l.b.Emit(in)
}
