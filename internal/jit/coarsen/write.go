package coarsen

import (
	"slices"

	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// This file writes the coarsened body that plan has chosen.
//
// Input: the list of a coarsened body, with the classes of its groups and registers.
// Output: the instructions: once for all waves if they share the result, else for each
// class; then the code at the ends, which stores the state of every wave.
// Invariant: instructions of one wave keep their order; instructions of different waves
// touch different registers and words, so they may be interleaved in any way.
// Example: the run `a; b` with two waves becomes `a.0; b.0; a.1; b.1`.

// writer writes a coarsened body.
type writer struct {
	*body
	regs   []x64.Reg // by virtual register: the first of its copies, or 0
	labels map[x64.Label]x64.Label
	frames []x64.Reg // by wave: the register with its frame
	ends   []x64.Label
	bail   x64.Label
	// run has instructions that differ between waves and wait to be written for each;
	// pends says how they access registers and words: see touch.
	run    []waiting
	pends  map[int32]pend
	counts bool // run reads the counter
	touch  touches
	weight int
	first  int32 // frame offset of the copies of words
	stubs  []stub
	count  uint64 // to be subtracted from the counter: see account
	target []bool // by label: a jump of the body goes to it
}

// pend is the access of the waiting instructions to a register or word.
type pend struct {
	write bool
	more  bool // the classes of an access differ from those of the register or word
}

// waiting is an instruction and the partition of waves that share it.
type waiting struct {
	at int32
	of classes
}

// stub is the place where the first wave goes if the branch at the end of a group is
// taken; there all waves must take it.
type stub struct {
	at     x64.Label
	k, end int // the group
	factor float32
}

// emit adds the code of the body to the list.
func (p *body) emit() {
	g := p.g
	q := &writer{body: p, regs: make([]x64.Reg, len(g.Fn.VRegs)), labels: map[x64.Label]x64.Label{}, ends: make([]x64.Label, len(p.in)), bail: g.label(), pends: map[int32]pend{}, target: make([]bool, g.Fn.Labels+1)}
	for _, i := range p.list {
		if in := &p.code[i]; p.leads[i] == 0 && in.Op.Info().Jump {
			q.target[in.Label] = true
		}
	}
	g.Fn.Weights = append(g.Fn.Weights, lir.Weight{At: int32(len(g.Fn.Code)), Factor: 1})
	if p.bar < 0 {
		q.start()
	} else {
		q.head()
	}
	g.Code.Frame = (g.Code.Frame + 63) &^ 63
	// The copies of words are a part of the frame of the group's first wave.
	q.first = g.Code.Frame
	g.Code.Frame += 8 * int32(len(p.words)*p.waves)
	for k, f := range q.frames {
		q.copies(k, f, abi.Acc, false)
		q.level(k, f)
	}
	// The body; the taken sides of its branches; its ends; the end of a body that was given
	// up.
	q.all()
	q.agreed()
	for b, l := range q.ends {
		if l != 0 {
			q.end(b, l)
		}
	}
	q.giveUp()
}

// start emits the start of a body with which waves begin: it follows the chain of
// frames, and compares regions.
func (q *writer) start() {
	g := q.g
	g.Code.Coarse, g.Code.Together = g.label(), q.waves
	g.emit(x64.Inst{Op: x64.ENTRY, Label: g.Code.Coarse})
	q.frames = append(q.frames, abi.Frame)
	for k := 1; k < q.waves; k++ {
		// Each wave's frame has the address of the next one.
		f := g.gpr()
		next := g.ctl(abi.CtlNext)
		next.Base = q.frames[k-1]
		g.load(8, f, next)
		q.frames = append(q.frames, f)
	}
	q.apart(q.frames, q.bail)
}

// all emits the list.
func (q *writer) all() {
	g := q.g
	for k := 0; k < len(q.list); {
		i := q.list[k]
		in := &q.code[i]
		info := in.Op.Info()
		q.weigh(i)
		switch {
		// The body ends here, is given up, or reaches a barrier.
		case q.leads[i] != 0:
			q.flush()
			q.account(true)
			if in.Op == x64.LABEL {
				g.bind(q.label(in.Label))
			}
			switch b := q.leads[i] - 1; {
			case b >= 0:
				if q.ends[b] == 0 {
					q.ends[b] = g.label()
				}
				g.jump(x64.JMP, q.ends[b])
			case b == -2:
				g.jump(x64.JMP, q.bail)
			default:
				q.park(int(-b - 3))
			}
			k++
			continue
		// A label matters only if the body jumps to it.
		case in.Op == x64.LABEL:
			if q.target[in.Label] {
				q.flush()
				q.account(false)
				g.bind(q.label(in.Label))
			}
			k++
			continue
		// The count is deferred: see account. The test of the budget after it is left
		// out.
		case in.Op == x64.SUB && in.Dst == abi.Counter:
			q.count += g.Fn.Pool[in.M.Pool-1].Bits
			k++
			continue
		case in.Op == x64.TEST && in.A == abi.Counter:
			k++
			continue
		case in.Op == x64.JS:
			k++ // the test of the budget: see account
			continue
		case in.Op == x64.LDMXCSR: // rounding is changed between two of these, for every wave
			q.flush()
			q.inst(in, 0)
			k++
			continue
		case in.Op == x64.COLD || in.Op == x64.HOT || in.Op == x64.ALIGN:
			q.flush()
			q.account(false)
			g.emit(*in)
			k++
			continue
		}
		end := q.group(k)
		for _, i := range q.list[k:end] {
			// An instruction that reads the counter, as a clock does, needs the exact
			// count.
			if in := &q.code[i]; in.Dst != abi.Counter && (in.A == abi.Counter || in.B == abi.Counter) {
				q.flush()
				q.account(false)
			}
		}
		switch {
		// The waves branch by values of their own.
		case q.groups[k].differ() && q.branches(k, end):
			q.agree(k, end)
		case q.groups[k].differ():
			// The instructions of each wave are collected in runs, so that the
			// processor finds work of another wave while one waits for its results.
			if q.mustWait(k, end, true) {
				q.flush()
			}
			q.wait(k, end)
			if len(q.run) >= coarseChunk {
				q.flush()
			}
		// A jump that all waves take.
		case info.Jump && end == k+1 && in.Op == x64.JMP:
			q.flush()
			q.account(q.at[in.Label] <= i)
			q.inst(in, 0)
		default:
			// The group has the same result in all waves: it is emitted once.
			if q.mustWait(k, end, false) {
				q.flush()
			}
			for _, i := range q.list[k:end] {
				if in := &q.code[i]; in.Op.Info().Jump && !q.gives(in.Label) {
					q.account(q.at[in.Label] <= i)
				}
			}
			for _, i := range q.list[k:end] {
				q.inst(&q.code[i], 0)
			}
		}
		k = end
	}
	q.flush()
}

// account subtracts the counted instructions from the counter. The body may be given up
// at any time, so the budget is tested only at its ends and at backward jumps (look).
func (q *writer) account(look bool) {
	g := q.g
	// Waiting instructions read the counter before this subtraction.
	if q.counts {
		q.flush()
	}
	if q.count != 0 {
		g.rm(x64.SUB, 8, abi.Counter, x64.Mem{Pool: g.Fn.Number(q.count)})
	} else if look {
		g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: abi.Counter, B: abi.Counter})
	}
	q.count = 0
	if look {
		g.jump(x64.JS, q.bail)
	}
}

// agree emits a group, which ends with a branch, for every class of waves. If they go
// different ways from the first wave, the body is given up.
func (q *writer) agree(k, end int) {
	g := q.g
	q.flush()
	last := &q.code[q.list[end-1]]
	q.account(q.at[last.Label] <= q.list[end-1])
	at := g.label()
	c := q.groups[k]
	for w := range q.waves {
		if !c.leads(w) {
			continue
		}
		for _, i := range q.list[k : end-1] {
			q.inst(&q.code[i], w)
		}
		// The first wave decides; every other wave gives up if it takes the branch
		// while the first one has not.
		if w == 0 {
			g.jump(last.Op, at)
		} else {
			g.jump(last.Op, q.bail)
		}
	}
	q.stubs = append(q.stubs, stub{at, k, end, g.Fn.Weights[len(g.Fn.Weights)-1].Factor})
}

// agreed emits the stubs: there the first wave has taken the branch, and the code tests
// that all waves do.
func (q *writer) agreed() {
	g := q.g
	for _, s := range q.stubs {
		last := &q.code[q.list[s.end-1]]
		g.Fn.Weights = append(g.Fn.Weights, lir.Weight{At: int32(len(g.Fn.Code)), Factor: s.factor})
		g.bind(s.at)
		c := q.groups[s.k]
		for w := 1; w < q.waves; w++ {
			if !c.leads(w) {
				continue
			}
			for _, i := range q.list[s.k : s.end-1] {
				q.inst(&q.code[i], w)
			}
			// The first wave took the branch, so a wave that does not take it gives up.
			g.jump(x64.Cond(last.Op-x64.JO).Not().Jcc(), q.bail)
		}
		g.jump(x64.JMP, q.label(last.Label))
	}
}

// wait appends the instructions of a group to those that wait.
func (q *writer) wait(k, end int) {
	c := q.groups[k]
	for _, i := range q.list[k:end] {
		q.run = append(q.run, waiting{i, c})
		in := &q.code[i]
		q.counts = q.counts || in.A == abi.Counter || in.B == abi.Counter
	}
	q.touch.of(q.body, k, end)
	for _, x := range q.touch.list {
		p := q.pends[x.id]
		p.write = p.write || x.write
		// A register that is shared by fewer classes than its readers must not change
		// between their reads.
		p.more = p.more || *q.there(x.id) != c
		q.pends[x.id] = p
	}
}

// mustWait reports whether the waiting instructions must be written before the group:
// the group leads elsewhere, or one of the two writes a register or word that the other
// accesses. If the group will wait too, instructions of one wave stay in order anyway.
func (q *writer) mustWait(k, end int, too bool) bool {
	if len(q.run) == 0 {
		return false
	}
	for _, i := range q.list[k:end] {
		if in := &q.code[i]; in.Op.Info().Jump && !q.gives(in.Label) {
			return true
		}
	}
	q.touch.of(q.body, k, end)
	for _, x := range q.touch.list {
		p, ok := q.pends[x.id]
		// A group that waits too follows the instructions of its own wave, so only a
		// write to a shared register is a conflict.
		if too && x.write && p.more || !too && (x.write && ok || p.write) {
			return true
		}
	}
	return false
}

// flush emits the waiting instructions, wave by wave.
func (q *writer) flush() {
	for k := range q.waves {
		if len(q.run) == 0 {
			return
		}
		for _, x := range q.run {
			if x.of.leads(k) {
				q.inst(&q.code[x.at], k)
			}
		}
	}
	q.run = q.run[:0]
	clear(q.pends)
	q.counts = false
}

// weigh copies the execution frequency of instruction i.
func (q *writer) weigh(i int32) {
	w, list := q.weight, q.g.Fn.Weights
	for w+1 < len(list) && list[w+1].At <= i {
		w++
	}
	if w == q.weight {
		return
	}
	q.flush()
	q.weight = w
	q.g.Fn.Weights = append(q.g.Fn.Weights, lir.Weight{At: int32(len(q.g.Fn.Code)), Factor: list[w].Factor})
}

// inst emits a copy of an instruction for wave k.
func (q *writer) inst(in *x64.Inst, k int) {
	c := *in
	for _, r := range [...]*x64.Reg{&c.Dst, &c.A, &c.B, &c.C, &c.K} {
		*r = q.reg(*r, k)
	}
	if c.HasMem {
		at := frameOther
		if q.inFrame(in) {
			at = q.frame(in)
		}
		c.M.Base, c.M.Index = q.reg(c.M.Base, k), q.reg(c.M.Index, k)
		switch at {
		// Frame slots and words differ between waves: the access goes to the wave's
		// frame, or to its copy.
		case frameOwn:
			c.M.Base = q.frames[k]
		case frameWord:
			i := slices.Index(q.words, in.M.Disp&^7)
			c.M = q.copyOf(i, k)
			c.M.Disp += in.M.Disp & 7
			c.M.Bcst = in.M.Bcst
		}
	}
	if in.Op.Info().Jump {
		// All paths that certainly give up share one end.
		if q.gives(in.Label) {
			c.Label = q.bail
		} else {
			c.Label = q.label(in.Label)
		}
	}
	q.g.emit(c)
}

// reg is the register that stands for r in wave k. The copies of a register are
// consecutive.
func (q *writer) reg(r x64.Reg, k int) x64.Reg {
	if r < x64.Virtual {
		return r
	}
	v := r - x64.Virtual
	n := 1
	// A register that differs has a copy for each wave, though waves of one class use
	// the same one.
	if c := &q.varies[v]; c.differ() {
		n = q.waves
		k = int(c[k])
	} else {
		k = 0
	}
	if q.regs[v] == 0 {
		g := q.g
		info := g.Fn.VRegs[v]
		for i := range n {
			x := g.Fn.New(lir.VReg{Class: info.Class, Len: info.Len, Const: info.Const})
			if i == 0 {
				q.regs[v] = x
			}
		}
	}
	return q.regs[v] + x64.Reg(k)
}

// label is the copy of label l in the body.
func (q *writer) label(l x64.Label) x64.Label {
	if q.labels[l] == 0 {
		q.labels[l] = q.g.label()
	}
	return q.labels[l]
}

// end emits the end of the body before block b. Every wave stores its live values; in
// its turn it goes on with code that loads them and jumps to block b.
func (q *writer) end(b int, l x64.Label) {
	g := q.g
	g.Fn.Weights = append(g.Fn.Weights, lir.Weight{At: int32(len(g.Fn.Code)), Factor: 1})
	var regs []x64.Reg
	var slots []int32
	g.Code.Frame = (g.Code.Frame + 63) &^ 63
	g.crossing(b, func(r x64.Reg) {
		if q.regs[r-x64.Virtual] != 0 { // else the body does not use r, so it is dead
			// Each live register gets a slot in the frame of every wave.
			regs, slots = append(regs, r), append(slots, g.Code.Frame)
			g.Code.Frame += (int32(g.Fn.VRegs[r-x64.Virtual].Len) + 7) &^ 7
		}
	})
	resume := g.label()
	g.bind(l)
	g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: abi.Acc, B: abi.Frame})
	ctl := func(off int32) x64.Mem { return x64.Mem{Base: abi.Acc, Disp: g.Layout.Control + off} }
	// The counter has decreased by the body's count, beside the count of each wave in
	// earlier blocks: see next_block.go of package sel.
	counter := ctl(abi.CtlGPR + 8*int32(abi.Counter.Num()))
	// Counter becomes the difference, which is added to the count of each wave.
	g.rm(x64.SUB, 8, abi.Counter, counter)
	for k := range q.waves {
		for i, r := range regs {
			g.emit(g.transfer(q.reg(r, k), x64.Mem{Base: abi.Acc, Disp: slots[i]}, true))
		}
		// If blocks follow each other, a wave that has been run ahead can be undone:
		// its counts are saved.
		if k > 0 && g.Code.Rows {
			for i, m := range [...]x64.Mem{counter, ctl(abi.CtlLanes), ctl(abi.CtlLast)} {
				g.load(8, abi.Acc2, m)
				g.store(8, ctl(abi.CtlBefore+8*int32(i)), abi.Acc2)
			}
		}
		q.copies(k, abi.Acc, abi.Acc2, true)
		// The wave goes on at resume.
		g.emit(x64.Inst{Op: x64.LEALabel, Len: 8, Dst: abi.Acc2, Label: resume})
		g.store(8, ctl(abi.CtlResume), abi.Acc2)
		g.emit(x64.Inst{Op: x64.ADDSt, Len: 8, B: abi.Counter, HasMem: true, M: counter})
		q.unlevel(k, abi.Acc)
		if k < q.waves-1 {
			g.load(8, abi.Acc, ctl(abi.CtlNext))
		}
	}
	g.jump(x64.JMP, g.Code.Start)
	g.emit(x64.Inst{Op: x64.ENTRY, Label: resume})
	for i, r := range regs {
		g.emit(g.transfer(r, x64.Mem{Base: abi.Frame, Disp: slots[i]}, false))
	}
	g.jump(x64.JMP, g.Code.Blocks[b])
}

// giveUp emits the end of a body that was in vain: every wave begins alone.
func (q *writer) giveUp() {
	g := q.g
	g.Fn.Weights = append(g.Fn.Weights, lir.Weight{At: int32(len(g.Fn.Code)), Factor: 0.1})
	g.bind(q.bail)
	if q.bar >= 0 {
		q.bailBar()
		return
	}
	g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, Imm: 1, HasMem: true, M: g.ctl(abi.CtlVain)})
	g.emit(x64.Inst{Op: x64.LEALabel, Len: 8, Dst: abi.Acc2, Label: g.Code.Entry})
	g.store(8, g.ctl(abi.CtlResume), abi.Acc2)
	g.jump(x64.JMP, g.Code.Start)
}
