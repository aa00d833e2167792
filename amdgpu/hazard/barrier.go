package hazard

import (
	"example.org/crosslane/amdgpu"
	"example.org/crosslane/internal/ir"
)

// This file finds writes to LDS that are not waited for before a barrier. LDS executes the requests
// of one wave in order, but it has several queues: requests of different waves of a block may
// overtake each other. A wave that reads after the barrier may therefore read before the write is
// done (AMDGPUUsage, "Memory Model GFX6-GFX9": s_waitcnt lgkmcnt(0) is required between waves).
//
// Writes to vector memory are checked only without a launch. All waves of a block share one cache,
// which serves them in order, so a run that reads after the barrier sees the data of writes before
// it. Two facts still demand a wait. LLVM waits for these writes on targets like this one, whose
// barriers do not back off; and data that is published to other blocks after the barrier has to be
// in memory. Before an instruction that invalidates that cache, all accesses have to be done that
// it orders: the load of a flag, and earlier writes (the same table: s_waitcnt vmcnt(0), then
// buffer_wbinvl1_vol).

// CodeWaitcntBarrier reports an s_barrier that a wave reaches while writes are outstanding, or a
// cache that is invalidated while accesses are.
const CodeWaitcntBarrier = "waitcnt-barrier"

const sectionLDS = "AMDGPUUsage, Memory Model GFX6-GFX9; GCN3 ISA 4.4"

// Three pseudo registers: regLDS is the contents of LDS, regMem is the data that was written to
// vector memory, regOps is all outstanding accesses to vector memory.
const (
	regLDS = amdgpu.RegHW0 + 1<<7 + iota
	regMem
	regOps
)

// writesMem reports whether the instruction is a store or atomic of vector memory, readsMem whether
// it is a load or atomic.
func writesMem(in *amdgpu.Inst) bool {
	return (in.Row.Unit == amdgpu.UnitVMEM || in.Row.Unit == amdgpu.UnitFlat) && in.Row.Flags.Has(amdgpu.FlagStore)
}

func readsMem(in *amdgpu.Inst) bool {
	return (in.Row.Unit == amdgpu.UnitVMEM || in.Row.Unit == amdgpu.UnitFlat) && in.Row.Flags.Has(amdgpu.FlagLoad)
}

// invalidates reports whether the instruction invalidates the vector cache; it has no operands.
func invalidates(in *amdgpu.Inst) bool {
	return in.Row.Format == amdgpu.MUBUF && len(in.Row.Operands) == 0
}

// writesLDS reports whether the instruction is a store or atomic of LDS, readsLDS whether it is a
// load or atomic.
func writesLDS(in *amdgpu.Inst) bool {
	return limitedByM0(in) && !in.Has(amdgpu.ModGDS) && in.Row.Flags.Has(amdgpu.FlagStore)
}

func readsLDS(in *amdgpu.Inst) bool {
	return limitedByM0(in) && !in.Has(amdgpu.ModGDS) && in.Row.Flags.Has(amdgpu.FlagLoad)
}

// readBehind reports whether LDS may be read after barrier i and before the next barrier.
func (p *tracking) readBehind(g *amdgpu.FlowGraph, i int32) bool {
	return p.behind(g, i, readsLDS)
}

func (p *tracking) behind(g *amdgpu.FlowGraph, i int32, reads func(*amdgpu.Inst) bool) bool {
	return g.Search(i, maxSpots, func(j int) (found, end bool) {
		return reads(&p.insts[j].In), p.facts[j].barrier
	}) >= 0
}

// checkBarrier looks for writes that are outstanding when the wave reaches a barrier.
func (t *tracker) checkBarrier() {
	for j := len(t.flights) - 1; j >= 0; j-- {
		if e := &t.flights[j]; e.stores && !e.told {
			t.notes = append(t.notes, ir.Note{Code: CodeWaitcntBarrier, Lanes: e.lanes, With: e.by, Args: [4]int32{noteBarrier, 0, 0, t.needs(e)}})
			e.told = true
			break // a wait for the last write is a wait for all
		}
	}
}
