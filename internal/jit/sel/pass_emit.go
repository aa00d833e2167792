package sel

import (
	"slices"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// A passage writes a pass: the instructions of its list, each once or for every wave.
type coarseWriter struct {
	*coarsened
	regs   []x64.Reg // by virtual register: the first of those that stand for it, or 0
	labels map[x64.Label]x64.Label
	frames []x64.Reg // by wave
	ends   []x64.Label
	bail   x64.Label
	// run is instructions that differ from wave to wave and wait for each to get them; pends is
	// what they do to what they touch: see touch.
	run    []waiting
	pends  map[int32]pend
	counts bool // they read the counter
	touch  touches
	weight int
	first  int32 // frame offset of the copies of words
	stubs  []stub
	count  uint64 // what is to be taken from the counters: see account
	target []bool // by label: control of the pass comes to it by a jump
}

// pend is what is going to be done to a register or word.
type pend struct {
	write bool
	more  bool // it is read for other classes of waves than there are of it
}

// A waiting is an instruction, and which waves have it in common.
type waiting struct {
	at int32
	of classes
}

// A stub is where waves go, if the first one does, by the branch at the end of a group.
type stub struct {
	at     x64.Label
	k, end int // the group
	factor float32
}

// emit adds the code of the pass.
func (p *coarsened) emit() {
	g := p.g
	q := &coarseWriter{coarsened: p, regs: make([]x64.Reg, len(g.fn.VRegs)), labels: map[x64.Label]x64.Label{}, ends: make([]x64.Label, len(p.in)), bail: g.label(), pends: map[int32]pend{}, target: make([]bool, g.fn.Labels+1)}
	for _, i := range p.list {
		if in := &p.code[i]; p.leads[i] == 0 && in.Op.Info().Jump {
			q.target[in.Label] = true
		}
	}
	g.fn.Weights = append(g.fn.Weights, lir.Weight{At: int32(len(g.fn.Code)), Factor: 1})
	if p.bar < 0 {
		q.start()
	} else {
		q.head()
	}
	g.caches = (g.caches + 63) &^ 63
	q.first = g.caches
	g.caches += 8 * int32(len(p.words)*p.waves)
	for k, f := range q.frames {
		q.copies(k, f, Acc, false)
		q.level(k, f)
	}
	q.all()
	q.agreed()
	for b, l := range q.ends {
		if l != 0 {
			q.end(b, l)
		}
	}
	q.giveUp()
}

// start emits the start of a pass that waves begin with.
func (q *coarseWriter) start() {
	g := q.g
	g.out.Coarse, g.out.Together = g.label(), q.waves
	g.emit(x64.Inst{Op: x64.ENTRY, Label: g.out.Coarse})
	q.frames = append(q.frames, Frame)
	for k := 1; k < q.waves; k++ {
		f := g.gpr(8)
		next := g.ctl(CtlNext)
		next.Base = q.frames[k-1]
		g.load(8, f, next)
		q.frames = append(q.frames, f)
	}
	q.apart(q.frames, q.bail)
}

// all emits the list.
func (q *coarseWriter) all() {
	g := q.g
	for k := 0; k < len(q.list); {
		i := q.list[k]
		in := &q.code[i]
		info := in.Op.Info()
		q.weigh(i)
		switch {
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
		case in.Op == x64.LABEL:
			if q.target[in.Label] {
				q.flush()
				q.account(false)
				g.bind(q.label(in.Label))
			}
			k++
			continue
		case in.Op == x64.SUB && in.Dst == Counter:
			q.count += g.fn.Pool[in.M.Pool-1].Bits
			k++
			continue
		case in.Op == x64.TEST && in.A == Counter:
			k++
			continue
		case in.Op == x64.JS:
			k++ // of the budget: see account
			continue
		case in.Op == x64.LDMXCSR: // what is rounded is between two of these, of every wave
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
			if in := &q.code[i]; in.Dst != Counter && (in.A == Counter || in.B == Counter) {
				q.flush()
				q.account(false)
			}
		}
		switch {
		case q.groups[k].differ() && q.branches(k, end):
			q.agree(k, end)
		case q.groups[k].differ():
			if q.mustWait(k, end, true) {
				q.flush()
			}
			q.wait(k, end)
			if len(q.run) >= coarseChunk {
				q.flush()
			}
		case info.Jump && end == k+1 && in.Op == x64.JMP:
			q.flush()
			q.account(q.at[in.Label] <= i)
			q.inst(in, 0)
		default:
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

// account takes what has been counted from the counters. As the pass may be given up at any
// time, it is enough to look at the budget at its ends, and where it goes back.
func (q *coarseWriter) account(look bool) {
	g := q.g
	if q.counts {
		q.flush()
	}
	if q.count != 0 {
		g.rm(x64.SUB, 8, Counter, x64.Mem{Pool: g.number(q.count)})
	} else if look {
		g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: Counter, B: Counter})
	}
	q.count = 0
	if look {
		g.jump(x64.JS, q.bail)
	}
}

// agree emits a group of every wave whose last instruction branches. All go the way of the
// first, or the pass is given up.
func (q *coarseWriter) agree(k, end int) {
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
		if w == 0 {
			g.jump(last.Op, at)
		} else {
			g.jump(last.Op, q.bail)
		}
	}
	q.stubs = append(q.stubs, stub{at, k, end, g.fn.Weights[len(g.fn.Weights)-1].Factor})
}

// agreed emits the ways that all waves go if the first branches.
func (q *coarseWriter) agreed() {
	g := q.g
	for _, s := range q.stubs {
		last := &q.code[q.list[s.end-1]]
		g.fn.Weights = append(g.fn.Weights, lir.Weight{At: int32(len(g.fn.Code)), Factor: s.factor})
		g.bind(s.at)
		c := q.groups[s.k]
		for w := 1; w < q.waves; w++ {
			if !c.leads(w) {
				continue
			}
			for _, i := range q.list[s.k : s.end-1] {
				q.inst(&q.code[i], w)
			}
			g.jump(x64.Cond(last.Op-x64.JO).Not().Jcc(), q.bail)
		}
		g.jump(x64.JMP, q.label(last.Label))
	}
}

// wait puts the instructions of a group behind those that wait.
func (q *coarseWriter) wait(k, end int) {
	c := q.groups[k]
	for _, i := range q.list[k:end] {
		q.run = append(q.run, waiting{i, c})
		in := &q.code[i]
		q.counts = q.counts || in.A == Counter || in.B == Counter
	}
	q.touch.of(q.coarsened, k, end)
	for _, x := range q.touch.list {
		p := q.pends[x.id]
		p.write = p.write || x.write
		p.more = p.more || *q.there(x.id) != c
		q.pends[x.id] = p
	}
}

// mustWait reports whether the instructions of a group have to come behind those that wait,
// all of them: they write what these read, or read what they write, or lead elsewhere. If they
// are to wait as well, they come behind those of their wave.
func (q *coarseWriter) mustWait(k, end int, too bool) bool {
	if len(q.run) == 0 {
		return false
	}
	for _, i := range q.list[k:end] {
		if in := &q.code[i]; in.Op.Info().Jump && !q.gives(in.Label) {
			return true
		}
	}
	q.touch.of(q.coarsened, k, end)
	for _, x := range q.touch.list {
		p, ok := q.pends[x.id]
		if too && x.write && p.more || !too && (x.write && ok || p.write) {
			return true
		}
	}
	return false
}

// flush emits the instructions that wait, wave by wave.
func (q *coarseWriter) flush() {
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

// weigh says how often the code of instruction i runs.
func (q *coarseWriter) weigh(i int32) {
	w, list := q.weight, q.g.fn.Weights
	for w+1 < len(list) && list[w+1].At <= i {
		w++
	}
	if w == q.weight {
		return
	}
	q.flush()
	q.weight = w
	q.g.fn.Weights = append(q.g.fn.Weights, lir.Weight{At: int32(len(q.g.fn.Code)), Factor: list[w].Factor})
}

// inst emits an instruction for wave k.
func (q *coarseWriter) inst(in *x64.Inst, k int) {
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
		if q.gives(in.Label) {
			c.Label = q.bail
		} else {
			c.Label = q.label(in.Label)
		}
	}
	q.g.emit(c)
}

// reg is the register that stands for r in wave k.
func (q *coarseWriter) reg(r x64.Reg, k int) x64.Reg {
	if r < x64.Virtual {
		return r
	}
	v := r - x64.Virtual
	n := 1
	if c := &q.varies[v]; c.differ() {
		n = q.waves
		k = int(c[k])
	} else {
		k = 0
	}
	if q.regs[v] == 0 {
		g := q.g
		info := g.fn.VRegs[v]
		for i := range n {
			x := g.reg(info.Class, info.Len)
			g.fn.VRegs[x-x64.Virtual] = lir.VReg{Class: info.Class, Len: info.Len, Const: info.Const}
			if i == 0 {
				q.regs[v] = x
			}
		}
	}
	return q.regs[v] + x64.Reg(k)
}

func (q *coarseWriter) label(l x64.Label) x64.Label {
	if q.labels[l] == 0 {
		q.labels[l] = q.g.label()
	}
	return q.labels[l]
}

// end emits the end of the pass in front of block b: every wave stores what lives there, and
// goes on, when its turn comes, with loading it.
func (q *coarseWriter) end(b int, l x64.Label) {
	g := q.g
	g.fn.Weights = append(g.fn.Weights, lir.Weight{At: int32(len(g.fn.Code)), Factor: 1})
	var regs []x64.Reg
	var slots []int32
	g.caches = (g.caches + 63) &^ 63
	g.crossing(b, func(r x64.Reg) {
		if q.regs[r-x64.Virtual] != 0 { // else the pass does not know it, so nobody reads it
			regs, slots = append(regs, r), append(slots, g.caches)
			g.caches += (int32(g.fn.VRegs[r-x64.Virtual].Len) + 7) &^ 7
		}
	})
	resume := g.label()
	g.bind(l)
	g.move(Acc, Frame)
	ctl := func(off int32) x64.Mem { return x64.Mem{Base: Acc, Disp: g.lay.Control + off} }
	// What the pass has counted, besides what each wave has in blocks before this one: see row.
	counter := ctl(CtlGPR + 8*int32(Counter.Num()))
	g.rm(x64.SUB, 8, Counter, counter)
	for k := range q.waves {
		for i, r := range regs {
			g.emit(g.transfer(q.reg(r, k), x64.Mem{Base: Acc, Disp: slots[i]}, true))
		}
		if k > 0 && g.mayRow() {
			for i, m := range [...]x64.Mem{counter, ctl(CtlLanes), ctl(CtlLast)} {
				g.load(8, Acc2, m)
				g.store(8, ctl(CtlBefore+8*int32(i)), Acc2)
			}
		}
		q.copies(k, Acc, Acc2, true)
		g.emit(x64.Inst{Op: x64.LEALabel, Len: 8, Dst: Acc2, Label: resume})
		g.store(8, ctl(CtlResume), Acc2)
		g.emit(x64.Inst{Op: x64.ADDSt, Len: 8, B: Counter, HasMem: true, M: counter})
		q.unlevel(k, Acc)
		if k < q.waves-1 {
			g.load(8, Acc, ctl(CtlNext))
		}
	}
	g.jump(x64.JMP, g.out.Start)
	g.emit(x64.Inst{Op: x64.ENTRY, Label: resume})
	for i, r := range regs {
		g.emit(g.transfer(r, x64.Mem{Base: Frame, Disp: slots[i]}, false))
	}
	g.jump(x64.JMP, g.out.Blocks[b])
}

// transfer stores or loads a register.
func (g *gen) transfer(r x64.Reg, m x64.Mem, store bool) x64.Inst {
	in := x64.Inst{Op: x64.VMOVDQU, Len: g.vlen(r), HasMem: true, M: m}
	st := x64.VMOVDQUSt
	switch g.class(r) {
	case x64.GPR:
		in.Op, st = x64.MOV, x64.MOVSt
	case x64.Mask:
		in.Op, st, in.Len = x64.KMOVQ, x64.KMOVQSt, 8
	}
	if store {
		in.Op, in.B = st, r
	} else {
		in.Dst = r
	}
	return in
}

// giveUp emits the end of a pass that was in vain: every wave begins alone.
func (q *coarseWriter) giveUp() {
	g := q.g
	g.fn.Weights = append(g.fn.Weights, lir.Weight{At: int32(len(g.fn.Code)), Factor: 0.1})
	g.bind(q.bail)
	if q.bar >= 0 {
		q.bailBar()
		return
	}
	g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, Imm: 1, HasMem: true, M: g.ctl(CtlVain)})
	g.emit(x64.Inst{Op: x64.LEALabel, Len: 8, Dst: Acc2, Label: g.out.Entry})
	g.store(8, g.ctl(CtlResume), Acc2)
	g.jump(x64.JMP, g.out.Start)
}
