package gcn3

import "example.org/crosslane/internal/ir"

// What is written to LDS and not waited for when the wave comes to a barrier. LDS works
// the requests of one wave off in their order, but has several queues: those of different
// waves of a block may overtake each other, and a wave that reads behind the barrier may
// do so before the write is done (AMDGPUUsage, "Memory Model GFX6-GFX9": s_waitcnt
// lgkmcnt(0) is required between waves).
//
// Writes to vector memory are looked at without a launch only. All waves of a block share one
// cache, which serves them in order, so that a run that reads behind the barrier what was
// written before it is right. But LLVM waits for them on targets like this one, whose barriers
// do not back off, and what is told to other blocks behind the barrier has to be there. In
// front of an instruction that invalidates that cache all has to be done that is to be ordered
// by it: the load of a flag, and what was written before (the same table: s_waitcnt vmcnt(0),
// then buffer_wbinvl1_vol).

// CodeWaitcntBarrier is an s_barrier that is reached while writes are outstanding, or a cache
// that is invalidated while accesses are.
const CodeWaitcntBarrier = "waitcnt-barrier"

const sectionLDS = "AMDGPUUsage, Memory Model GFX6-GFX9; GCN3 ISA 4.4"

// regLDS stands among the registers for what LDS holds, regMem for what was written to vector
// memory, regOps for all that vector memory has to do.
const (
	regLDS = regHW0 + 1<<7 + iota
	regMem
	regOps
)

// writesMem reports a store or atomic of vector memory, readsMem a load or atomic.
func (in *Inst) writesMem() bool {
	return (in.Row.Unit == UnitVMEM || in.Row.Unit == UnitFlat) && in.Row.Flags.Has(FlagStore)
}

func (in *Inst) readsMem() bool {
	return (in.Row.Unit == UnitVMEM || in.Row.Unit == UnitFlat) && in.Row.Flags.Has(FlagLoad)
}

// invalidates reports an instruction that makes the vector cache forget: it has no operands.
func (in *Inst) invalidates() bool { return in.Row.Format == MUBUF && len(in.Row.Operands) == 0 }

// writesLDS reports a store or atomic of LDS, readsLDS a load or atomic.
func (in *Inst) writesLDS() bool {
	return in.limitedByM0() && !in.Has(ModGDS) && in.Row.Flags.Has(FlagStore)
}

func (in *Inst) readsLDS() bool {
	return in.limitedByM0() && !in.Has(ModGDS) && in.Row.Flags.Has(FlagLoad)
}

// readBehind reports whether LDS may be read behind barrier i, before the next barrier.
func (p *tracking) readBehind(g *flowGraph, i int32) bool {
	return p.behind(g, i, (*Inst).readsLDS)
}

func (p *tracking) behind(g *flowGraph, i int32, reads func(*Inst) bool) bool {
	return g.search(i, maxSpots, func(j int) (found, end bool) {
		return reads(&p.insts[j].in), p.facts[j].barrier
	}) >= 0
}

// checkBarrier looks for what is not done when the wave comes to a barrier.
func (t *tracker) checkBarrier() {
	for j := len(t.flights) - 1; j >= 0; j-- {
		if e := &t.flights[j]; e.stores && !e.told {
			t.notes = append(t.notes, ir.Note{Code: CodeWaitcntBarrier, Lanes: e.lanes, With: e.by, Args: [4]int32{noteBarrier, 0, 0, t.needs(e)}})
			e.told = true
			break // to wait for the last one is to wait for all
		}
	}
}
