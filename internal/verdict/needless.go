package verdict

import (
	"slices"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// Launches whose results cannot depend on the order, so that no other order is run.
//
// Input: the function that the other orders would run, and the result of the first run, which followed
// undefined bits and races.
// Output: whether every order gives the same results, faults and findings.
// Invariant: true is a proof. It needs three facts:
//
//  1. No two accesses to one place race, in any order. Vector clocks compare the accesses of one run
//     independent of its order. So if the first run has no race and its detector forgot nothing, then
//     each load reads the same store in every order, as long as lanes execute the same operations.
//  2. Lanes do execute the same operations: each lane is a sequential program, whose other inputs are
//     results of rendezvous and barriers. A rendezvous waits for its members, and a barrier without a count
//     for the block. Both only wait, so an order cannot decide which lanes meet (Kahn, The semantics of a
//     simple language for parallel programming, 1974). Every other operation across lanes, and every clock,
//     is left out by orderedOp.
//  3. Undefined bits reach nothing, or the first run has a finding.
//
// Example: a tile of a matrix product with bar.sync 0. A kernel with atom.add whose old value is used is the
// opposite.

// needless reports whether no order of a launch can add a finding to the result of its first run. complete
// says that the run looked for races and forgot no access.
func needless(f *ir.Func, l *session.Launch, res *api.Result, complete bool) bool {
	if !complete || slices.ContainsFunc(l.Skip, func(code string) bool {
		return strings.HasPrefix(code, "race-") || strings.HasPrefix(code, "poison-") || code == sim.CodeUndefinedSource
	}) {
		return false
	}
	if slices.ContainsFunc(res.Findings, func(d *diag.Diagnostic) bool { return d.Code != sim.CodeUnwritten }) {
		return false
	}
	return ordered(f)
}

// ordered reports whether a race-free launch of f does the same in every order.
func ordered(f *ir.Func) bool {
	// Below sm_70 the detector takes the lanes of a wave to run in step, but lanes that have diverged run
	// in an order that the schedule chooses.
	if f.Exec == 0 && !f.MeetAnywhere {
		return false
	}
	var atomic *ir.Inst
	for i := range f.Code {
		in := &f.Code[i]
		switch {
		case in.Op == ir.Atomic:
			// Atomics commute if all of them are one operation on words of one size, and nothing reads the
			// value that one returns.
			if !commutes(f, in) || atomic != nil && (atomic.Imm>>32 != in.Imm>>32 || atomic.Size != in.Size) {
				return false
			}
			atomic = in
		case !orderedOp(f, in):
			return false
		}
	}
	// A fence could make a signal of an atomic.
	return atomic == nil || !slices.ContainsFunc(f.Code, func(in ir.Inst) bool {
		return (in.Op == ir.Fence || in.Op == ir.Nop) && in.Order != 0
	})
}

// orderedOp reports whether an operation, which is no atomic, does the same in every order.
func orderedOp(f *ir.Func, in *ir.Inst) bool {
	switch in.Op {
	case ir.Load, ir.Store:
		// A copy that races with nothing is done before anything depends on it.
		return in.Order&^ir.Async == 0 && in.Flags&(ir.Volatile|ir.Undefined) == 0
	case ir.Nop, ir.Fence:
		return in.Order&ir.Proxy == 0
	case ir.Splat, ir.LaneBit, ir.Bra, ir.SBra, ir.BraTable, ir.Exit, ir.EndWave, ir.Trap, ir.WaveBar:
		return true
	case ir.ShflSync, ir.VoteSync, ir.MatchSync, ir.ReduxSync, ir.WarpSync:
		return true
	case ir.Collective:
		return f.Exec == 0
	case ir.Bar:
		return ir.BarMode(in.Imm)&ir.BarModeMask != ir.BarArrive && in.Args[1] == 0 &&
			(in.Args[0] == 0 || f.Val(in.Args[0]).Kind == ir.Const)
	case ir.HostCall:
		s, _, _ := ir.HostFields(in.Imm)
		return s == ir.HostPush || s == ir.HostPop
	case ir.DPPRead, ir.DPPMask, ir.DSSwizzle, ir.DSPermute, ir.DSBpermute, ir.ReadLane, ir.ReadFirstLane, ir.WriteLane, ir.Observe:
		return f.Exec != 0 // the lanes of a wave run in step
	}
	return in.Op.Pure()
}

// commutes reports whether the order of several executions of an atomic shows nowhere.
func commutes(f *ir.Func, in *ir.Inst) bool {
	if in.Dst != 0 && f.Read(in.Dst) || in.Dst2 != 0 || in.Order&(ir.Acquire|ir.Release|ir.Async|ir.Proxy) != 0 || in.Size > 8 {
		return false
	}
	switch ir.AtomicOp(in.Imm >> 32) {
	case ir.AtomAdd, ir.AtomMinU, ir.AtomMinS, ir.AtomMaxU, ir.AtomMaxS, ir.AtomAnd, ir.AtomOr, ir.AtomXor:
		return true
	}
	return false
}
