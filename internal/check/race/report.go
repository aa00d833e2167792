package race

import (
	"fmt"
	"math"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// finish reports the findings of an access, and that the memory is used up.
func (x *racing) finish() {
	x.report()
	x.reportEarly()
	x.reportStale()
	if k := x.k; k.over || k.used > k.limit {
		k.over = true
		k.endReported(x.w, x.in)
	}
}

// report notes the race of an access, with the code of its worst lanes.
func (x *racing) report() {
	if !x.noted {
		return
	}
	w, c := x.w, &x.note
	f := sim.Finding{Severity: diag.Error, Lanes: x.bad}
	code := CodeGlobal
	switch {
	case x.bad == 0 && x.almost != 0:
		code, f.Lanes = CodeRounding, x.almost
	case x.bad == 0 && x.stale == 0:
		code, f.Lanes, f.Severity = CodeSameValue, x.same, diag.Note
	case c.tensor:
		code = CodeTensor
		if s := &x.k.segs[c.other.seg()-1]; int(s.wave)/len(w.Waves) == slotProduct && c.kind == ir.AccessRead {
			code = CodeTensorLoad
		}
	case c.alloc == nil:
		code = CodeShared
	}
	harmless := x.bad == 0 && x.almost == 0 && x.stale != 0
	switch {
	case harmless:
		f.Lanes, f.Severity = x.stale, diag.Note
	case c.looks && (code == CodeShared || code == CodeGlobal):
		f.Severity = diag.Warning
	}
	// The two instructions of a race are one finding. It stands at the instruction that came later in the
	// first occurrence.
	pos := x.in.Pos
	if pair := (pair{code, c.other.pos(), pos}); x.k.pairs[pair] {
		return
	}
	if x.k.pairs == nil {
		x.k.pairs = map[pair]bool{}
	}
	if c.step && x.stepped(pos) {
		return
	}
	x.k.pairs[pair{code, pos, c.other.pos()}] = c.other.pos() != pos
	if x.k.unseen(w.Wave, code, pos) {
		x.describe(&f, code, harmless)
	}
	x.k.note(w.Wave, code, pos, f)
}

// stepped reports whether an exchange in step in this memory has been found at another instruction. A
// reduction tree has two of these instructions in each step, with one cause.
func (x *racing) stepped(pos int32) bool {
	at, found := x.k.stepped[x.note.alloc]
	if !found {
		if x.k.stepped == nil {
			x.k.stepped = map[*sim.Alloc]int32{}
		}
		x.k.stepped[x.note.alloc] = pos
	}
	return found && at != pos
}

// pair is two instructions, the later one first.
type pair struct {
	code     string
	at, with int32
}

const nothing = "; nothing orders the two"

// describe writes the text of a race.
//
// Input: the example of the race, with the segment of the other access.
// Output: the text, the section of the manual, the remedy and the place of the other access.
// Example: "lane 1 of wave 0 reads 4 bytes of shared memory at offset 0 of "a", which lane 0 of wave 1 has
// written with st.shared (line 9); nothing orders the two".
func (x *racing) describe(f *sim.Finding, code string, harmless bool) {
	w, c := x.w, &x.note
	s := x.k.segs[c.other.seg()-1]
	slot := int(s.wave) / len(w.Waves)
	copies := slot != slotLane
	wave := int(s.wave) % len(w.Waves)
	pos, src := sim.Where(w.Func, c.other.pos())
	name := w.Func.Pos[c.other.pos()].Name
	mine := lane.Mask(0)
	if !x.in.Scalar {
		mine = lane.Lane(c.i)
	}
	verb := [...]string{"reads", "writes", "updates"}[x.kind]
	what, here := [...]string{"has read", "has written", "has accessed atomically"}[c.kind], [...]string{"reads", "writes", "accesses"}[c.kind]
	together := false
	same := s.block == w.block && wave == w.ID
	if same && c.other.pos() == x.in.Pos && x.m.Has(c.other.lane()) && c.kind == ir.AccessWrite {
		what, together = "writes at the same time", true
	}
	// The memory: a variable of shared memory or a buffer, with the element if its size is known.
	mem := fmt.Sprintf("of shared memory at offset %#x", c.off)
	if c.tensor {
		mem = fmt.Sprintf("of Tensor Memory at lane %d, column %d", c.off/ir.TensorLane, c.off%ir.TensorLane/4)
	}
	for _, v := range w.Func.SharedVars {
		if !c.tensor && c.off >= uint64(v.Off) && (v.Size == 0 || c.off-uint64(v.Off) < uint64(v.Size)) {
			mem = fmt.Sprintf("of shared memory at offset %d of %q", c.off-uint64(v.Off), v.Name)
			f.Object = v.Name
		}
	}
	if c.owner != nil && c.owner != w.own {
		mem += " of " + w.d.blockName(c.owner.waves[0].block)
	}
	if c.alloc != nil {
		mem = fmt.Sprintf("at offset %d of %q", c.off, c.alloc.Name)
		f.Object = c.alloc.Name
		if n := c.alloc.Elem; n > 0 {
			mem += fmt.Sprintf(" (element %d)", c.off/n)
		}
	}
	whose := lane.Lane(c.other.lane()).Named()
	if c.some {
		whose = "a lane"
	}
	who := fmt.Sprintf("%s of wave %d", whose, wave)
	if s.block != w.block {
		who += " of " + w.d.blockName(s.block)
	}
	subject := "the wave"
	if mine != 0 {
		subject = mine.Named() + fmt.Sprintf(" of wave %d", w.ID)
	}
	n := fmt.Sprintf("%d bytes", c.size)
	if c.size == 1 {
		n = "1 byte"
	}
	f.Text = fmt.Sprintf("%s %s %s %s, which %s %s with %s%s"+nothing, subject, verb, n, mem, who, what, name, sim.LineOf(w.Func.Pos[c.other.pos()]))
	// For stores of one instruction that differ by rounding, the two values.
	values := ""
	if together && x.in.Flags&ir.Rounded != 0 && x.vector && (x.size == 4 || x.size == 8) {
		a, b := x.w.Get(x.in.Args[1], c.other.lane()), x.w.Get(x.in.Args[1], c.i)
		p, q, digits := math.Float64frombits(a), math.Float64frombits(b), 17
		if x.size == 4 {
			p, q, digits = float64(math.Float32frombits(uint32(a))), float64(math.Float32frombits(uint32(b))), 9
		}
		values = fmt.Sprintf("%s stores %.*g and %s %.*g", lane.Lane(c.other.lane()).Named(), digits, p, lane.Lane(c.i).Named(), digits, q)
	}
	switch {
	case code == CodeSameValue:
		f.Text += ", which store the same value"
	case code == CodeRounding:
		f.Text = fmt.Sprintf("lanes of one store write %s %s, values that differ by rounding: %s", n, mem, values)
	case values != "":
		f.Text += ", of which " + values
	case harmless:
		f.Text += "; the value that was loaded may be stale: the swap then fails and returns the current one"
	}
	gcn3 := w.Func.Exec != 0
	f.Section = "PTX 8.7.1"
	if gcn3 {
		f.Section = "AMDGPUUsage, memory model gfx6-gfx9"
	}
	if c.tensor {
		x.describeTensor(f, slot, name, same)
		f.Related = []diag.Related{{Pos: pos, Message: fmt.Sprintf("%s: %s %s the same cells", name, who, here), Source: src}}
		return
	}
	// The remedy and the section, from the most specific cause to the most general one.
	switch {
	case c.proxy:
		reader := "copy"
		if x.slot == slotProduct {
			reader = "product"
		}
		f.Section = "PTX 9.7.9.26.2"
		f.Text = fmt.Sprintf("%s %s %s %s, which %s %s with %s%s; without a fence.proxy.async between the two the %s, which is of the asynchronous proxy, may read the old contents", subject, verb, n, mem, who, what, name, sim.LineOf(w.Func.Pos[c.other.pos()]), reader)
		f.Remedy = "put fence.proxy.async.shared::cta after the writes, in each thread that writes, and then the barrier; or in the thread that copies, after the barrier"
	case c.scope:
		f.Text = fmt.Sprintf("%s %s %s %s, which %s %s with %s%s; a scope that does not reach the other block does not make the two atomic", subject, verb, n, mem, who, what, name, sim.LineOf(w.Func.Pos[c.other.pos()]))
		f.Remedy = "use the scope .gpu on both sides: .cta is for threads of one block, and .cluster for those of one cluster"
	case slot == slotProduct:
		f.Section = "PTX 9.7.16.7.3"
		f.Text = strings.TrimSuffix(f.Text, nothing) + "; no thread has waited until the product has read its operands"
		f.Remedy = "let the warpgroup end the group with wgmma.commit_group and wait with wgmma.wait_group before the tile is written again, and a barrier or an arrival follow if other threads write it"
	case slot == slotBulkRead:
		f.Section = "PTX 9.7.9.26.6.2"
		f.Text = strings.TrimSuffix(f.Text, nothing) + "; no thread has waited until the copy has read its source"
		f.Remedy = "let the thread that copies end the group with cp.async.bulk.commit_group and wait with cp.async.bulk.wait_group.read 0 before the source is written again, and a barrier follow if other threads write it"
	case slot == slotBulk:
		f.Section = "PTX 9.7.9.26.6.2"
		f.Text = strings.TrimSuffix(f.Text, nothing) + "; no thread has waited for the copy"
		f.Remedy = "let the thread that copies end the group with cp.async.bulk.commit_group and wait with cp.async.bulk.wait_group 0 (.read waits for the source only), and a barrier or a signal follow if other threads use the bytes"
	case copies && strings.Contains(name, "async.bulk"):
		f.Remedy = "wait until the phase of the mbarrier object that the copy completes is over, with mbarrier.try_wait, in each thread that uses the bytes"
	case copies && same:
		f.Remedy = "wait for the copy with cp.async.wait_group or cp.async.wait_all first, and let a barrier follow before other threads use it"
	case copies && s.block == w.block:
		f.Remedy = "let the thread that copies wait with cp.async.wait_group or cp.async.wait_all, and then a barrier order the two"
	case code == CodeRounding:
		f.Remedy = "let one lane write; a butterfly of floating-point operations need not give all lanes the same bits, because each lane has its operands in another order or applies other operations"
	case harmless:
		f.Remedy = "no change is needed; ld.relaxed or ld.volatile for the first load marks it as intended"
	case c.step:
		f.Text = strings.TrimSuffix(f.Text, nothing) + "; that both are volatile orders nothing, and from sm_70 on the lanes of a warp need not run in step"
		f.Section = "PTX 8.7.1, 9.7.14.2; CUDA C++ Programming Guide, independent thread scheduling"
		f.Remedy = "put bar.warp.sync between the two (in CUDA: __syncwarp()), or exchange the values by shuffles"
	case same && (w.lockstep || together):
		f.Remedy = "let one lane write, use an atomic, or give every lane a place of its own"
	case same:
		f.Remedy = "put bar.warp.sync between the two (shuffles and votes do not order memory), or a barrier if other warps use the bytes, too; or use an atomic"
	case s.block == w.block && gcn3:
		f.Remedy = "put s_waitcnt and s_barrier between the two, for all wavefronts of the workgroup, or use atomics"
	case s.block == w.block:
		f.Remedy = "put a barrier such as bar.sync 0 between the two, which all warps execute, or use atomics"
	case c.alloc == nil:
		f.Remedy = "put barrier.cluster.arrive and barrier.cluster.wait between the two, which all threads of the cluster execute, or signal with an mbarrier object or with accesses of the scope .cluster"
	case gcn3:
		f.Remedy = "use atomics; or signal with one: s_waitcnt vmcnt(0) before it, and s_waitcnt vmcnt(0) and buffer_wbinvl1_vol after the load that sees it; or give each workgroup its own part"
	default:
		f.Remedy = "use atomics; or signal: fence.acq_rel.gpu, then a relaxed or volatile store to a flag, and the same fence after the load that sees it; or give each block its own part"
	}
	f.Related = []diag.Related{{Pos: pos, Message: fmt.Sprintf("%s: %s %s the same bytes", name, who, here), Source: src}}
}

// describeTensor writes the section and the remedy of accesses to Tensor Memory. slot and name are those of the other access; same
// says that it is one of the wave itself.
func (x *racing) describeTensor(f *sim.Finding, slot int, name string, same bool) {
	f.Section = "PTX 9.7.17.6"
	f.Text = strings.TrimSuffix(f.Text, nothing)
	switch {
	case slot == slotProduct && x.note.kind == ir.AccessRead:
		f.Text += "; tcgen05.wait::ld has not waited for the load"
		f.Remedy = "put tcgen05.wait::ld.sync.aligned after the load"
	case slot == slotProduct:
		f.Text += "; tcgen05.wait::st has not waited for the store"
		f.Remedy = "put tcgen05.wait::st.sync.aligned after the store"
	case slot == slotCopy:
		f.Text += "; no thread has waited until it is done"
		f.Remedy = "let the thread that issues " + name + " execute tcgen05.commit for an mbarrier object after it, and each thread that uses the cells wait for the phase with mbarrier.try_wait, and then execute tcgen05.fence::after_thread_sync"
		return
	default:
		f.Text += nothing
	}
	if !same {
		f.Remedy = strings.TrimPrefix(f.Remedy+", then tcgen05.fence::before_thread_sync and a barrier or an arrival at an mbarrier object, and tcgen05.fence::after_thread_sync before this instruction", ", then ")
	}
}

// endReported reports once that races are not looked for any longer. It returns false.
func (k *Detector) endReported(w *wave, in *ir.Inst) bool {
	if !k.ended {
		k.ended = true
		k.note(w.Wave, CodeLimit, in.Pos, sim.Finding{Severity: diag.Warning,
			Text:   fmt.Sprintf("races are not looked for from here on: the records of accesses take more than %d MB", k.limit>>20),
			Remedy: "give it more with --max-memory, launch fewer blocks, or leave races out with --rules -race-shared,-race-global,-race-same-value"})
	}
	return false
}
