package sel

import (
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file emits the blocks of a function and the control flow between them.
//
// Input: the plan of planner.plan: for each operation how, for each web where.
// Output: the list of instructions, exits, and a label for each block.
// Invariant: at the label of a block the pending lanes of that block are active already, all webs
// that are live there are in their places, and Counter accounts for all earlier blocks.
// Example: block 3 with pend[3] != 0: arrival(3): active |= pend[3]; pend[3] = 0; Blocks[3]: ….
// Literature: Diamos et al., SIMD re-convergence at thread frontiers (MICRO 2011).

// code emits the function: the entry, the blocks in layout order, the deferred code, and the
// routines. It stops early if there are too many instructions: see Code.TooLarge.
func (g *control) code() {
	g.emit(x64.Inst{Op: x64.ENTRY, Label: g.out.Entry})
	g.inputs()
	for b := range g.f.Blocks {
		if g.full(g.f.Blocks[b].Start) {
			return
		}
		g.body(b)
	}
	g.seldom()
	g.fills()
	g.routines()
}

// maxFill bounds how many live webs fills lists, per operation of the function.
const maxFill = 8

// fills gives the allocator, for each block with pending lanes elsewhere, the webs that Go fills in
// before it enters there: those that are live for the active lanes or for the pending ones. The
// code is never run; it only makes definitions that reach the block. If the lists get too long, Go
// must not enter with lanes that wait elsewhere: see Code.Alone.
func (g *control) fills() {
	// The constant makes the lists of small functions complete.
	left := maxFill*len(g.f.Code) + 1<<12
	var have []int32 // by web: the block, plus 1, for which it has been written down
	for b := range g.f.Blocks {
		pend := g.mk.Pend(b)
		if len(pend) == 0 {
			continue
		}
		if have == nil {
			have = make([]int32, len(g.s.Webs))
		}
		g.emit(x64.Inst{Op: x64.ENTRY, Label: g.label()})
		add := func(w webs.Web) {
			if have[w] != int32(b)+1 {
				have[w] = int32(b) + 1
				left--
				g.hold(w)
			}
		}
		for _, w := range g.s.LiveIn[b] {
			add(w)
		}
		for _, p := range pend {
			// Reading the list costs as much as adding it.
			if left -= len(g.s.LiveIn[p]); left < 0 {
				g.out.Alone = true
				break
			}
			for _, w := range g.s.LiveIn[p] {
				add(w)
			}
		}
		g.holdWalks()
		g.jump(x64.JMP, g.out.Blocks[b])
	}
}

// inputs loads the values that the launch puts into the frame and that are live at the start.
func (g *control) inputs() {
	// The limits of induction pointers that begin with an input are found once the input is loaded.
	g.holdWalks()
	for _, w := range g.s.LiveIn[0] {
		g.loadSlot(w)
		for _, x := range g.strays[w] {
			g.stray(x, -1)
		}
	}
}

// loadSlot loads a web from its frame slot into its places. A uniform value is read from the slot
// of the first active lane, because inactive lanes may have another value there.
func (g *control) loadSlot(w webs.Web) {
	p := &g.places[w]
	v := g.f.Val(g.s.Webs[w].Ref)
	if p.slot || v.Kind == ir.Const {
		return
	}
	e := uint8(v.Type.Bytes())
	switch {
	case v.Type == ir.B1 && !v.Scalar:
		g.load(g.maskBytes(), p.gpr, g.frame(v.Off))
		return
	case v.Type == ir.B1:
		g.load(4, p.gpr, g.frame(v.Off))
		return
	}
	for u := range p.n {
		g.emit(x64.Inst{Op: x64.VMOVDQU, Len: g.unitLen(v.Type), Dst: p.units + x64.Reg(u), HasMem: true, M: g.frame(v.Off + uint32(u*g.w))})
	}
	// Scalars have one element, and the base of an affine web is the element of lane 0.
	m := g.frame(v.Off)
	switch {
	case v.Scalar || p.affine || p.gpr == 0 && p.splat == 0:
	case g.f.Exec == 0: // at least one lane is active
		g.emit(x64.Inst{Op: x64.TZCNT, Len: g.maskBytes(), Dst: abi.Acc, B: abi.Active})
		m.Index, m.Scale = abi.Acc, e
	}
	if p.gpr != 0 {
		g.load(e, p.gpr, m)
	}
	if p.splat != 0 {
		g.emit(x64.Inst{Op: broadcastOp(e), Len: uint8(g.w), Dst: p.splat, HasMem: true, M: m})
	}
}

// body emits a block. The facts about registers that the generator collects begin anew with each
// block.
func (g *control) body(b int) {
	g.block = b
	g.masks, g.bcasts, g.wides, g.shared = g.masks[:0], g.bcasts[:0], g.wides[:0], 0
	// k is the storage for facts at places where control parts inside the block.
	k := &g.mem.known
	k.masks, k.bcasts, k.wides = k.masks[:0], k.bcasts[:0], k.wides[:0]
	g.fn.Weights = append(g.fn.Weights, lir.Weight{At: int32(len(g.fn.Code)), Factor: g.weight(b)})
	g.arrive(b)
	g.out.BlockAt[b] = len(g.fn.Code)
	g.bind(g.out.Blocks[b])
	g.out.States[b] = g.state(g.s.LiveIn[b], nil)
	g.begin(b)
	g.count = 0
	g.fused = g.fuse(b)
	blk := g.f.Blocks[b]
	for i := blk.Start; i < blk.End; i++ {
		in := &g.f.Code[i]
		if i < g.skip {
			g.strayed(i)
			continue // done together with an earlier operation
		}
		g.at, g.in, g.ops = i, in, &g.s.Ops[i]
		if in.First {
			g.count++
		}
		// The operation at the end accounts for the block and chooses the next one.
		if i == blk.End-1 && in.Op.EndsBlock() {
			g.end(b, in)
			return
		}
		// Nothing to do for fused comparisons, copies of other webs, and operations that an exit
		// does, or that nothing needs (sunk).
		if in.Op == ir.Nop || i == g.fused || g.rep(g.ops.Dst) != g.ops.Dst || g.sunk != nil && g.sunk[i] {
			g.out.Native[i] = true
			continue
		}
		g.operation(in)
		g.strayed(i)
		if g.full(i + 1) {
			return
		}
	}
	g.account()
	g.edge(b, b+1)
}

// arrive merges the lanes that are pending at a block with those that come to it. It stands before
// the block's label. Code that jumps to the block has done the merge already, or jumps to arrival's
// label.
func (g *control) arrive(b int) {
	g.bind(g.arrival(b))
	if !g.mk.MaybePend(b) {
		return
	}
	// flush first: the lanes that waited have not run the instructions before the block.
	l, back := g.label(), g.label()
	g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, HasMem: true, M: g.pend(b)})
	g.jump(x64.JNE, l)
	g.cold(l, func() {
		g.flush()
		g.rm(x64.OR, 8, abi.Active, g.pend(b))
		g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, HasMem: true, M: g.pend(b)})
		g.jump(x64.JMP, back)
	})
	g.bind(back)
}

// arrival is the label before the merge at block b.
func (g *lowering) arrival(b int) x64.Label {
	if g.arrivals == nil {
		g.arrivals = make([]x64.Label, len(g.f.Blocks))
	}
	if g.arrivals[b] == 0 {
		g.arrivals[b] = g.label()
	}
	return g.arrivals[b]
}

// pend is the pending mask of a block: the lanes that wait at its start while a lower block runs.
func (g *control) pend(b int) x64.Mem { return x64.Mem{Base: abi.Frame, Disp: g.lay.Pend + 8*int32(b)} }

// operation emits one operation that does not end its block. The run-time check of an assumption of
// package shape comes first, because the code deoptimises before the operation has any effect.
func (g *control) operation(in *ir.Inst) {
	h := g.how(g.at)
	// The number of active lanes changes, so lane instructions are counted up to here.
	if g.f.Exec != 0 && g.writesExec(in.Dst) {
		g.tally()
	}
	if c := g.sh.Check(g.at); c != shape.NoCheck {
		g.assume(c)
	}
	switch h {
	case byOwn:
		owns()[in.Op].emit(&g.access)
	case byCall:
		g.callOut()
	default:
		g.pure(h)
	}
}

// pure emits a pure operation that has a rule.
func (g *access) pure(h how) {
	switch h {
	case byScalar:
		g.scalarOp()
	case bySplat:
		g.vector(true)
	default:
		if !g.chooses() {
			g.vector(false)
		}
	}
}

// callOut hands the operation in hand to the interpreter, which reads its operands in their frame
// slots and writes its results to frame slots.
func (g *lowering) callOut() {
	g.storeUses()
	g.exit(abi.Exit{Kind: abi.ExitCall, Inst: g.at, Block: g.block})
	g.loadDefs()
}

// eachUse calls f for all webs that the operation in hand reads, with the values in whose frame slots
// the interpreter looks for them: arguments, guard, the old values that lanes outside the guard keep, and
// the registers of collectives. A web of two registers may be read as the whole number or as one half.
func (g *lowering) eachUse(f func(w webs.Web, r ir.Ref)) {
	for k, w := range g.ops.Args {
		f(w, g.in.Args[k])
	}
	f(g.ops.Guard, g.in.Guard)
	if g.ops.Merge {
		f(g.ops.Dst, g.in.Dst)
	}
	if g.ops.Merge2 {
		f(g.ops.Dst2, g.in.Dst2)
	}
	if x := g.ops.Ext; x > 0 {
		e := &g.s.Ext[x-1]
		for k, w := range e.Uses {
			f(w, e.UseRefs[k])
		}
	}
}

// eachDef calls f for all webs that the operation in hand writes.
func (g *lowering) eachDef(f func(w webs.Web)) {
	f(g.ops.Dst)
	f(g.ops.Dst2)
	if x := g.ops.Ext; x > 0 {
		for _, w := range g.s.Ext[x-1].Defs {
			f(w)
		}
	}
}

// storeUses stores the webs that the operation in hand reads in their frame slots. Webs that are
// there already are skipped.
func (g *lowering) storeUses() {
	g.eachUse(func(w webs.Web, r ir.Ref) {
		switch {
		case w == 0 || g.s.Has(w, webs.Const) || g.places[w].slot || slices.Contains(g.inSlot, r):
			return
		case g.f.Exec != 0 && g.writesExec(g.s.Webs[w].Ref): // it is there already: see mirror
		case g.s.Geom.Exact: // lanes that wait elsewhere may have their value of the register only in the slot
			g.keep(w)
		case g.handOver(w, r): // the exit has a recipe
		case g.s.Halves[w] != webs.Halves{}:
			g.storeHalf(w, r)
		default:
			g.storeWeb(w)
		}
		if g.inSlot != nil {
			g.inSlot = append(g.inSlot, r)
		}
	})
}

// handOver makes Go, instead of the code, store web w, or a half of it, in the frame slot of value r. It
// reports whether that is possible: in cold code, for a web in a general register, uniform or
// affine. The state of the exit then has the recipe of the value.
func (g *lowering) handOver(w webs.Web, r ir.Ref) bool {
	p, v := &g.places[w], g.f.Val(r)
	// In code that runs often, a store is cheaper than the work of Go.
	if g.rare == 0 || p.gpr == 0 || p.raw || v.Scalar || v.Type == ir.B1 {
		return false
	}
	// The recipe: (register + steps of the lane) >> shift, at the slot of the value.
	x := abi.Recipe{Location: abi.Location{Reg: p.gpr, Kind: p.single(g.f.Val(g.s.Webs[w].Ref)), Type: g.typ(w), Steps: p.steps}, Ref: r, Shift: g.shift(w, r)}
	if !slices.Contains(g.handed, x) {
		g.handed = append(g.handed, x)
	}
	return true
}

// shift is the number of the first bit of web w that value r has.
func (g *facts) shift(w webs.Web, r ir.Ref) uint8 {
	for _, s := range g.slots(w) {
		if s.ref == r {
			return s.shift
		}
	}
	return 0 // the whole number
}

// storeHalf stores web w of two registers in the frame slot of value r: one half of it, or the whole
// number if r is the value that the guest's code builds from the halves.
func (g *lowering) storeHalf(w webs.Web, r ir.Ref) {
	was := g.len
	g.len = uint8(g.w)
	defer func() { g.len = was }()
	store := func(u int32, x x64.Reg) {
		g.emit(x64.Inst{Op: x64.VMOVDQUSt, Len: uint8(g.w), B: x, HasMem: true, M: g.frame(g.f.Val(r).Off + uint32(u*g.w))})
	}
	n := g.unitsOf(ir.B64)
	if g.f.Val(r).Type == ir.B64 {
		for u := range n {
			store(u, g.value(w, u, ir.B64))
		}
		return
	}
	// Words of 64-bit elements: every other word of two vectors.
	for u := int32(0); u < n; u += 2 {
		half := g.everyOther([]x64.Reg{g.value(w, u, ir.B64), g.value(w, u+1, ir.B64)}, int(g.shift(w, r)/32))
		store(u/2, half[0])
	}
}

// storeWeb stores a web in its frame slot, for all lanes.
func (g *lowering) storeWeb(w webs.Web) {
	p := &g.places[w]
	v := g.s.Value(w)
	t := v.Type
	switch {
	case t == ir.B1 && !v.Scalar:
		g.store(8, g.frame(v.Off), p.gpr) // the upper half is 0 if the wave has 32 lanes
	case t == ir.B1 || v.Scalar && p.gpr != 0 && !p.raw: // the register has the bits of the slot
		g.store(uint8(t.Bytes()), g.frame(v.Off), p.gpr)
	case v.Scalar:
		r := g.scalarArg(w, t)
		g.store(uint8(t.Bytes()), g.frame(v.Off), r.reg)
	default:
		for u := range g.unitsOf(t) {
			g.storeSlot(w, u, g.value(w, u, t), 0)
		}
	}
}

// loadDefs loads the webs that the operation in hand has written from their frame slots. If the
// operation has written its own guard, that web comes last, because the guard selects the lanes in
// which the other results are new.
func (g *lowering) loadDefs() {
	guard := webs.Web(0)
	load := func(w webs.Web) {
		if !g.places[w].slot {
			g.loadWeb(w)
		}
	}
	g.eachDef(func(w webs.Web) {
		if w == 0 {
			return
		}
		g.inSlot = slices.DeleteFunc(g.inSlot, func(r ir.Ref) bool { return g.overlap(r, g.s.Webs[w].Ref) })
		if w == g.ops.Guard {
			guard = w
			return
		}
		load(w)
	})
	if guard != 0 {
		load(guard)
	}
}

// loadWeb loads a web that the operation in hand has written from its frame slot, into all of its
// places.
func (g *lowering) loadWeb(w webs.Web) {
	p := &g.places[w]
	v := g.s.Value(w)
	t := v.Type
	e := uint8(t.Bytes())
	switch {
	case t == ir.B1 && !v.Scalar:
		d, start := g.gpr(g.maskBytes()), len(g.fn.Code)
		g.load(g.maskBytes(), d, g.frame(v.Off))
		g.freshLanes(w, d, start)
	// Values in one general register: the load itself can write it, see defineFresh.
	case v.Scalar:
		d, start := g.gpr(max(4, e)), len(g.fn.Code)
		g.load(max(4, e), d, g.frame(v.Off))
		g.defineFresh(w, d, start)
	// The base is the value of lane 0: the element of the first active lane minus its distance.
	case p.affine:
		d, first := g.firstLane(w)
		if first != 0 { // lane 0 may be inactive; its value follows from the steps
			t := g.gpr(8)
			g.distance(t, first, p.steps, e)
			g.r2(x64.SUB, e, d, t)
		}
		g.defineGPR(w, d)
	// Tile rows live in bases only if the interpreter never writes the web: see findRowBases.
	case p.rows > 0:
		panic("sel: the interpreter writes the bases of rows: " + g.in.Op.String())
	// Lanes: the load may write the web's register directly, if no mask applies.
	case p.n > 0:
		for u := range p.n {
			start := len(g.fn.Code)
			r := g.reg(x64.Vec, g.unitLen(t))
			g.emit(x64.Inst{Op: x64.VMOVDQU, Len: g.unitLen(t), Dst: r, HasMem: true, M: g.frame(v.Off + uint32(u*g.w))})
			g.defineUnit(w, u, r, start, r)
		}
		if p.gpr != 0 {
			d, _ := g.firstLane(w)
			g.defineLoaded(d)
		}
	default:
		d, _ := g.firstLane(w)
		g.defineLoaded(d)
	}
}

// firstLane returns the element of the first lane for which the operation in hand acts, from the
// web's frame slot, and the register with the number of that lane (0 stands for lane 0).
func (g *lowering) firstLane(w webs.Web) (d, first x64.Reg) {
	v := g.s.Value(w)
	e := uint8(v.Type.Bytes())
	d = g.gpr(max(4, e))
	m := g.frame(v.Off)
	if k, all := g.writeMask(); !all {
		first = g.gpr(8)
		n := g.maskBytes()
		g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: first, B: k})
		g.emit(x64.Inst{Op: x64.BTSImm, Len: 8, Dst: first, Imm: int64(n)*8 - 1}) // without an active lane any element will do
		g.emit(x64.Inst{Op: x64.TZCNT, Len: n, Dst: first, B: first})
		m.Index, m.Scale = first, e
	}
	// Elements of 1 and 2 bytes are extended with zeros.
	op, n := loadOp(e, false)
	g.emit(x64.Inst{Op: op, Len: n, Dst: d, HasMem: true, M: m})
	return d, first
}

// writesExec reports whether a value shares bytes with EXEC.
func (g *facts) writesExec(dst ir.Ref) bool {
	return dst != 0 && g.f.Overlap(dst, g.f.Exec)
}

// account counts the guest instructions of the block that ends here, as Wave.Count does: one
// subtraction changes both halves of Counter, n instructions in the lower and n+1 units of the
// budget in the upper.
func (g *control) account() {
	// The upper half is negative once the budget is used up: see overdrawn.
	n := uint64(g.count)
	g.count = 0
	g.rm(x64.SUB, 8, abi.Counter, x64.Mem{Pool: g.number((n+1)<<32 | n)})
}

// number returns a constant of eight bytes in the pool, counted from 1.
func (g *emitter) number(bits uint64) int32 { return g.fn.Number(bits) }

// tally counts the instructions of the block up to here for the lanes of EXEC, because EXEC is
// about to be written.
func (g *control) tally() {
	if n := uint64(g.count); n > 0 {
		g.count = 0
		// the interpreter, too, counts n instructions and n+1 units of the budget here
		g.rm(x64.SUB, 8, abi.Counter, x64.Mem{Pool: g.number((n+1)<<32 | n)})
	}
	g.flush()
}

// flush updates the count of lane instructions, because the active lanes are about to change: it
// adds the instructions since the last update times the number of active lanes. It uses Acc and
// Acc2.
func (g *control) flush() {
	// The lower half of Counter counts down, so the old value minus the new one is the number of
	// instructions.
	g.emit(x64.Inst{Op: x64.MOV, Len: 4, Dst: abi.Acc, HasMem: true, M: g.ctl(abi.CtlLast)})
	g.emit(x64.Inst{Op: x64.MOVSt, Len: 4, B: abi.Counter, HasMem: true, M: g.ctl(abi.CtlLast)})
	g.r2(x64.SUB, 4, abi.Acc, abi.Counter)
	if g.f.Exec != 0 {
		g.emit(x64.Inst{Op: x64.POPCNT, Len: 8, Dst: abi.Acc2, HasMem: true, M: g.frame(g.f.Val(g.f.Exec).Off)})
	} else {
		g.emit(x64.Inst{Op: x64.POPCNT, Len: g.maskBytes(), Dst: abi.Acc2, B: abi.Active})
	}
	g.r2(x64.IMUL, 8, abi.Acc, abi.Acc2)
	g.emit(x64.Inst{Op: x64.ADDSt, Len: 8, B: abi.Acc, HasMem: true, M: g.ctl(abi.CtlLanes)})
}

// edge goes from the end of block b, whose instructions have been counted, to block s.
func (g *control) edge(b, s int) {
	g.budget(b, s, abi.ExitBudget)
	g.follow(b, s)
}

// budget exits if the budget is used up, with the fragment at block s.
func (g *control) budget(b, s int, kind abi.ExitKind) {
	l := g.label()
	g.overdrawn(l)
	g.cold(l, func() { g.left(b, s, kind) })
}

// overdrawn jumps to l if the budget is used up.
func (g *control) overdrawn(l x64.Label) {
	// If account has just been emitted, its subtraction has set the flags.
	if in := &g.fn.Code[len(g.fn.Code)-1]; in.Op != x64.SUB || in.Dst != abi.Counter {
		g.emit(x64.Inst{Op: x64.TEST, Len: 8, A: abi.Counter, B: abi.Counter})
	}
	g.jump(x64.JS, l)
}

// left exits after block b because the budget is used up, with the fragment at block s.
func (g *control) left(b, s int, kind abi.ExitKind) {
	g.exit(abi.Exit{Kind: kind, Block: b, To: s})
	g.others(b)
	g.jump(x64.JMP, g.out.Blocks[s]) // Go has merged the lanes that wait there
}

// others gives the allocator the edges over which Go may continue with other lanes: those that are
// pending while block b runs, and both sides of a branch at its end.
func (g *lowering) others(b int) {
	for _, p := range g.mk.Pend(b) {
		g.jump(x64.EDGE, g.out.Blocks[p])
	}
	// At a branch lanes may part in Go, too: then either side may be the next to run.
	if in := g.in; in.Op == ir.Bra && in.Guard != 0 && g.mk.Divergent(b) {
		g.jump(x64.EDGE, g.out.Blocks[in.Imm])
		g.jump(x64.EDGE, g.out.Blocks[b+1])
	}
}

// maxChecks is the largest number of pending masks that the code of one edge tests. If there are
// more, Go decides.
const maxChecks = 16

// follow goes to block s. Lanes that are pending at a block between b and s come first: the active
// lanes become pending at s, and the first of those blocks runs.
func (g *control) follow(b, s int) {
	// Too many masks to test: Go looks for the lowest block with lanes.
	list := g.between(b, s)
	if len(list) > maxChecks {
		g.exit(abi.Exit{Kind: abi.ExitPend, Block: b, To: s})
		g.others(b)
		g.jump(x64.JMP, g.out.Blocks[s])
		return
	}
	for _, p := range list {
		l := g.label()
		g.emit(x64.Inst{Op: x64.CMPImm, Len: 8, HasMem: true, M: g.pend(p)})
		g.jump(x64.JNE, l)
		// Exchange: the active lanes wait at s, the lanes of p become active.
		g.cold(l, func() {
			g.flush()
			g.emit(x64.Inst{Op: x64.ORSt, Len: 8, B: abi.Active, HasMem: true, M: g.pend(s)})
			g.load(8, abi.Active, g.pend(p))
			g.emit(x64.Inst{Op: x64.MOVStImm, Len: 8, HasMem: true, M: g.pend(p)})
			g.jump(x64.JMP, g.out.Blocks[p])
		})
	}
	if s != b+1 {
		g.jump(x64.JMP, g.arrival(s))
	}
}

// between lists the blocks between b and s at which lanes may be pending while b runs.
func (g *control) between(b, s int) []int {
	if g.f.Exec != 0 {
		return nil
	}
	var list []int
	for _, p := range g.mk.Pend(b) {
		if int(p) > b && int(p) < s {
			list = append(list, int(p))
		}
	}
	return list
}

// end emits the operation that ends block b.
func (g *control) end(b int, in *ir.Inst) {
	g.out.Native[g.at] = true
	switch in.Op {
	case ir.Bra:
		g.account()
		g.branch(b, in)
		return
	case ir.SBra:
		// A scalar branch: all lanes take the same way.
		g.account()
		to := int(in.Imm)
		if in.Args[0] == 0 {
			g.edge(b, to)
			return
		}
		g.fork(b, to, func() x64.Cond {
			return g.condition(g.ops.Args[0], in.GuardNot, func(c x64.Reg) {
				g.emit(x64.Inst{Op: x64.TESTImm, Len: 4, B: c, Imm: 1})
			})
		})
		return
	case ir.Exit:
		// A guarded exit rarely ends lanes; Go does it if it ends any.
		if in.Guard != 0 {
			m, _ := g.writeMask()
			l := g.label()
			g.emit(x64.Inst{Op: x64.TEST, Len: g.maskBytes(), A: m, B: m})
			g.jump(x64.JNE, l)
			g.cold(l, func() { g.exitAt(b) })
			g.account()
			g.edge(b, b+1)
			return
		}
		if g.done(b) {
			return
		}
	case ir.EndWave:
		if g.done(b) {
			return
		}
	case ir.Bar, ir.WaveBar:
		// Machine code only does plain barriers; the rest is Go's.
		if g.bar(b) {
			return
		}
		g.out.Native[g.at] = false
	default:
		// Other operations at the end of a block, for instance shuffles, may have a rule of their own.
		if g.how(g.at) == byOwn {
			owns()[in.Op].emit(&g.access)
			g.account()
			g.edge(b, b+1)
			return
		}
		g.out.Native[g.at] = false
	}
	g.exitAt(b)
}

// exitAt hands the end of block b to Go. If all active lanes continue with the next block, the code
// goes on after the exit.
func (g *lowering) exitAt(b int) {
	// In Exact mode every register has the interpreter's value at the end of a block.
	if g.s.Geom.Exact {
		g.keepAll(b)
	}
	g.storeUses()
	g.exit(abi.Exit{Kind: abi.ExitEnd, Inst: g.at, Block: b})
	g.others(b)
	// Go continues at any successor. If the operation has results, the way to the next block is the code
	// below, which loads them.
	for _, s := range g.s.Succs[b] {
		if int(s) != b+1 || g.ops.Dst == 0 && g.ops.Dst2 == 0 && g.ops.Ext == 0 {
			g.jump(x64.EDGE, g.out.Blocks[s])
		}
	}
	// After an exit of all lanes, or a jump, no lane continues with the next block.
	if !slices.Contains(g.s.Succs[b], int32(b+1)) {
		g.emit(x64.Inst{Op: x64.UD2}) // Go never comes back to here
		return
	}
	g.loadDefs()
	g.jump(x64.JMP, g.arrival(b+1))
}

// keepAll stores all values that are live at the end of block b in their frame slots. For registers
// that the operation there writes these are the values before it, because other lanes may still
// wait for them.
func (g *lowering) keepAll(b int) {
	// The results of the operation at the end do not exist yet.
	var defs []webs.Web
	g.eachDef(func(w webs.Web) {
		if w != 0 {
			defs = append(defs, w)
		}
	})
	for _, w := range g.s.LiveOut[b] {
		if !slices.Contains(defs, w) {
			g.keep(w)
		}
	}
	for _, w := range defs {
		if old := g.before(b, g.s.Webs[w].Ref); old != 0 {
			g.keep(old)
		}
	}
}

// before is the web that the frame slot of a value holds before the end of block b; 0 if it is not
// known.
func (g *lowering) before(b int, ref ir.Ref) webs.Web {
	// The last write in the block, or the web that is live at its start.
	for i := g.f.Blocks[b].End - 2; i >= g.f.Blocks[b].Start; i-- {
		for _, w := range [2]webs.Web{g.s.Ops[i].Dst, g.s.Ops[i].Dst2} {
			if w != 0 && g.s.Webs[w].Ref == ref {
				return w
			}
		}
	}
	for _, w := range g.s.LiveIn[b] {
		if g.s.Webs[w].Ref == ref {
			return w
		}
	}
	return 0
}

// keep stores a web in its frame slot for the active lanes only: the slot of an inactive lane may
// belong to another web of the same register.
func (g *lowering) keep(w webs.Web) {
	if p := &g.places[w]; p.slot {
		return
	}
	// Scalars have one element, and under EXEC all lanes are at the same place.
	v := g.s.Value(w)
	if v.Scalar || g.f.Exec != 0 {
		g.storeWeb(w)
		return
	}
	if v.Type == ir.B1 {
		n := g.maskBytes()
		d := g.gpr(n) // old ^ (old ^ new) & active
		g.load(n, d, g.frame(v.Off))
		g.r2(x64.XOR, n, d, g.places[w].gpr)
		g.emit(x64.Inst{Op: x64.ANDN, Len: n, Dst: abi.Acc, A: abi.Active, B: d})
		g.r2(x64.XOR, n, abi.Acc, g.places[w].gpr)
		g.store(n, g.frame(v.Off), abi.Acc)
		return
	}
	// Lane vectors: stores under the mask of the active lanes.
	for u := range g.unitsOf(v.Type) {
		g.storeSlot(w, u, g.value(w, u, v.Type), abi.Active)
	}
}
