package gcn3

import "crosslane/internal/ir"

// What is written to LDS and not waited for when the wave comes to a barrier. LDS works
// the requests of one wave off in their order, but has several queues: those of different
// waves of a block may overtake each other, and a wave that reads behind the barrier may
// do so before the write is done (AMDGPUUsage, "Memory Model GFX6-GFX9": s_waitcnt
// lgkmcnt(0) is required between waves). Vector memory needs no wait for that: all waves of
// a block share one cache, which serves them in order.

// CodeWaitcntBarrier is an s_barrier that is reached while writes to LDS are outstanding.
const CodeWaitcntBarrier = "waitcnt-barrier"

const sectionLDS = "AMDGPUUsage, Memory Model GFX6-GFX9; GCN3 ISA 4.4"

// regLDS stands among the registers for what LDS holds.
const regLDS = regHW0 + 1<<7

// writesLDS reports a store or atomic of LDS, readsLDS a load or atomic.
func (in *Inst) writesLDS() bool {
	return in.limitedByM0() && !in.Has(ModGDS) && in.Row.Flags.Has(FlagStore)
}

func (in *Inst) readsLDS() bool {
	return in.limitedByM0() && !in.Has(ModGDS) && in.Row.Flags.Has(FlagLoad)
}

// readBehind reports whether LDS may be read behind barrier i, before the next barrier.
func (p *tracking) readBehind(g *flowGraph, i int32) bool {
	return g.search(i, maxSpots, func(j int) (found, end bool) {
		return p.insts[j].in.readsLDS(), p.facts[j].barrier
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
