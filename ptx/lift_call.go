package ptx

import (
	"iter"
	"slices"

	"example.org/crosslane/internal/ir"
)

// call calls a function (PTX 9.7.13.5). The function is inlined, or it has code of its own.
//
// # Functions with code of their own
//
// Their code precedes the kernel's, callees before callers. The lowest program counter runs first,
// so lanes inside a function run before lanes that wait for them after the call. The hidden
// register ret holds, for each lane, the number of its return place in the table of the function.
// The hidden register sp is the lane's stack pointer.
//
// A caller makes room on the stack for results and arguments, in this order, each at the next
// multiple of its size (of 16 at most). Above them it saves those of its own registers that a
// function in the same cycle may overwrite. The callee finds its parameters at sp, and keeps that
// address as its frame pointer fp. The .local and .param variables of a function in a cycle lie
// below fp. Those of any other function are at fixed addresses, above those of all functions that
// it calls.
var call = meaning{variadic: true, inlines: true, emit: emitCall, check: checkCall}

// emitCall emits a call: of a builtin, of a function with code of its own, or inlined.
func emitCall(l *lifter) {
	s := siteOf(l.m, l.in)
	var own *builtin // its code has branches
	if s.callee != nil && !s.callee.Defined() {
		b := builtinOf(s.callee)
		switch {
		case b == nil && l.opaque(&s):
		case b == nil:
			return
		case b.emit == nil:
			l.emitBuiltin(b, s)
			return
		}
		own = b
	}
	skip := ir.Label(-1)
	if g := l.in.Guard; g != nil {
		// The lanes without the guard skip the call.
		skip = l.b.NewLabel()
		l.b.Guard(l.reg(&g.Reg), !g.Not)
		l.b.Bra(skip)
		l.b.Resume()
	}
	switch {
	case own != nil:
		own.emit(l, s)
	case s.callee != nil && !l.opaque(&s) && l.graph.node[s.callee].inline:
		l.inline(s.callee, s.results, s.args)
	default:
		l.subroutine(&s)
	}
	if skip >= 0 {
		l.b.Bind(skip)
	}
}

// inline emits the body of a function in place of its call.
func (l *lifter) inline(f *Func, results, args []Operand) {
	in, caller, top := l.in, l.frame, l.area.top
	pos := l.b.Func().Pos[len(l.b.Func().Pos)-1]
	hold := l.holdStack(f)
	var back []func() // copies the results that come back in registers
	callee := l.enter(f, caller, args, results, &back)
	l.frame = callee
	l.block(&l.c.checked[f].Block)
	l.b.Bind(callee.end)
	l.in, l.v, l.frame, l.area.top = in, l.c.variant(in), caller, top
	l.free[f] = append(l.free[f], callee.regs)
	if len(back) > 0 || hold != 0 {
		l.b.At(pos)
	}
	if hold != 0 {
		// PTX 9.7.18.3: memory of alloca is deallocated when the function exits.
		l.b.Move(l.stack(), hold)
	}
	for _, copyBack := range back {
		copyBack()
	}
}

// holdStack saves the stack pointer across an inlined function that changes it. It returns 0 if the
// function does not change it.
func (l *lifter) holdStack(f *Func) ir.Ref {
	if n := l.graph.node[f]; n == nil || !n.alloca {
		return 0
	}
	hold := l.b.Vector("", ir.B32)
	l.b.Move(hold, l.stack())
	return hold
}

// enter opens the activation of an inlined call. Parameters in .param space share the caller's
// memory; parameters in registers are copied.
func (l *lifter) enter(f *Func, caller *frame, args, results []Operand, back *[]func()) *frame {
	l.openFrame(f, caller)
	callee := l.frame
	l.frame = caller
	for i, p := range f.Params {
		if i >= len(args) {
			// PTX 11.2.2: the caller passed no bytes. Accesses are undefined, and here find an
			// empty variable.
			callee.places[p] = l.allocLocal(p)
			break
		}
		o := &args[i]
		switch {
		case o.Kind == KindVar && p.Space == SpaceParam:
			from := l.placeOf(o.Var(), o.Pos)
			if l.mayChange(f, p) || slices.ContainsFunc(results, func(r Operand) bool { return r.Var() == o.Var() }) {
				// PTX 11.2.2: parameter passing is call-by-value.
				own := l.allocLocal(o.Var())
				l.copyPlace(own, from, o.Var().Size())
				from = own
			}
			callee.places[p] = from
		case p.Space == SpaceParam:
			pl := l.allocLocal(p)
			callee.places[p] = pl
			l.toPlace(l.value(o, p.Type), pl, 0, p.Type)
		default:
			var vals []ir.Ref
			for _, e := range o.elements() {
				vals = append(vals, l.argument(&e, p.Type))
			}
			l.frame = callee
			for j, dst := range l.paramRegs(p) {
				l.b.Move(dst, vals[j])
			}
			l.frame = caller
		}
	}
	for i, p := range f.Results {
		o := &results[i]
		switch {
		case o.Kind == KindVar && p.Space == SpaceParam:
			callee.places[p] = l.placeOf(o.Var(), o.Pos)
		case o.Kind == KindSink:
			if p.Space == SpaceParam {
				callee.places[p] = l.allocLocal(p)
			}
		case p.Space == SpaceParam:
			pl := l.allocLocal(p)
			callee.places[p] = pl
			*back = append(*back, func() { l.result(o, l.fromPlace(pl, 0, p.Type), p.Type) })
		default:
			l.frame = callee
			src := l.paramRegs(p)
			l.frame = caller
			if src != nil {
				*back = append(*back, func() {
					for j, e := range o.elements() {
						l.result(&e, src[j], p.Type)
					}
				})
			}
		}
	}
	return callee
}

// mayChange reports whether a function may write to a parameter in .param space: it stores to the
// parameter, or takes its address.
func (l *lifter) mayChange(f *Func, p *Var) bool {
	n := l.graph.node[f]
	if n.changed == nil {
		n.changed = map[*Var]bool{}
		l.c.checked[f].instrs(func(in *Instr) {
			v := l.c.variant(in)
			if v == nil || v.row.Do.inlines {
				return // the callee gets a copy
			}
			for i := range in.Args {
				if a := &in.Args[i]; a.Kind != KindAddr || v.writes() {
					for v := range mentioned(a) {
						n.changed[v] = true
					}
				}
			}
		})
	}
	return n.changed[p]
}

// mentioned yields the variables of an operand.
func mentioned(o *Operand) iter.Seq[*Var] {
	return func(yield func(*Var) bool) {
		if v := o.Var(); v != nil && !yield(v) {
			return
		}
		for i := range o.List {
			for v := range mentioned(&o.List[i]) {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// paramRegs returns the values of the elements of a parameter that is a register; nil if the body
// never mentions it.
func (l *lifter) paramRegs(p *Var) []ir.Ref {
	n := l.graph.node[l.frame.f]
	if n.params == nil {
		n.params = map[*Var]*Reg{}
		for _, r := range l.frame.body.Regs {
			if n.params[r.Decl] == nil {
				n.params[r.Decl] = r
			}
		}
	}
	if r := n.params[p]; r != nil {
		return l.refs(r)
	}
	return nil
}

// A sub is a function with code of its own.
type sub struct {
	f     *Func
	entry ir.Label
	table int // table of the places that it returns to
	shape string
}

// subOf returns the code of a function, and makes it at the first use.
func (l *lifter) subOf(f *Func) *sub {
	if s := l.subs[f]; s != nil {
		return s
	}
	s := &sub{f: f, entry: l.b.NewLabel(), shape: shapeOf(f)}
	if l.graph.callable[f] {
		// A function that indirect calls may reach returns through one table, which all functions
		// of its shape share.
		s.table = l.shape(s.shape).back
	} else {
		s.table = l.b.NewTable()
	}
	l.subs[f] = s
	return s
}

// A shape holds the tables that all indirect calls of functions with the same parameters and
// results share.
type shape struct{ entries, back int } // tables: entry points by the number of the function; places to return to

func (l *lifter) shape(key string) *shape {
	s := l.shapes[key]
	if s == nil {
		s = &shape{l.b.NewTable(), l.b.NewTable()}
		l.shapes[key] = s
		l.shapeKeys = append(l.shapeKeys, key)
	}
	return s
}

// stack returns the register that holds the stack pointers of the lanes.
func (l *lifter) stack() ir.Ref {
	if l.sp == 0 {
		l.sp = l.b.Vector("", ir.B32)
		l.b.Input(ir.StackTop, l.sp, 0)
		l.b.Func().Stack = true
	}
	return l.sp
}

// returnTo returns the register that holds the number of each lane's return place.
func (l *lifter) returnTo() ir.Ref {
	if l.ret == 0 {
		l.ret = l.b.Vector("", ir.B32)
	}
	return l.ret
}

// push makes room of bytes on the stack.
func (l *lifter) push(bytes uint64) {
	l.b.Emit(ir.Inst{Op: ir.HostCall, Dst: l.stack(), Args: [4]ir.Ref{l.stack()}, Imm: ir.PushImm(uint32(min(bytes, maxShared)), uint32(l.align))})
}

// subroutines emits the functions that have code of their own, and makes the kernel start after
// them.
func (l *lifter) subroutines() {
	g := l.graph
	l.align = g.stackAlign()
	var list []*Func
	for _, f := range g.order {
		if g.node[f].code {
			list = append(list, f)
		}
	}
	main := ir.Label(-1)
	if len(list) > 0 {
		main = l.b.NewLabel()
		l.b.At(ir.Pos{Line: int(l.k.Entry.Pos.Line), Col: int(l.k.Entry.Pos.Col), Text: l.k.Entry.Name, Name: l.k.Entry.Name})
		l.b.Bra(main)
		l.b.Func().Code[len(l.b.Func().Code)-1].First = false
	}
	for i := 0; i < len(g.order); {
		// The functions of a cycle are consecutive.
		j := i
		base := uint64(0)
		for ; j < len(g.order) && g.node[g.order[j]].cycle == g.node[g.order[i]].cycle; j++ {
			g.callees(g.order[j], func(t *Func) { base = max(base, g.node[t].local) })
		}
		for ; i < j; i++ {
			f := g.order[i]
			n := g.node[f]
			n.local = base
			if f == l.k.Entry {
				l.area = &area{top: base, max: base}
				continue
			}
			if n.code {
				l.function(l.subOf(f), base)
			}
		}
	}
	l.area = &area{top: g.node[l.k.Entry].local, max: g.node[l.k.Entry].local}
	if main >= 0 {
		l.b.Bind(main)
	}
}

// function emits the code of a function.
func (l *lifter) function(s *sub, base uint64) {
	f, n := s.f, l.graph.node[s.f]
	l.openFrame(f, nil)
	fr := l.frame
	fr.sub, fr.prefix, fr.end = s, f.Name+"/", l.b.NewLabel()
	pos := ir.Pos{Line: int(f.Pos.Line), Col: int(f.Pos.Col), Text: f.Name, Name: f.Name, Func: f.Name, Edge: ir.FuncEntry}
	l.b.At(pos)
	l.b.Bind(s.entry)
	fr.ret = l.b.Vector("", ir.B32)
	l.b.Move(fr.ret, l.returnTo())
	l.area = &area{top: base, max: base}
	framed := n.loops || n.alloca || len(f.Params) > 0 || len(f.Results) > 0
	push := -1
	if framed {
		fr.fp = l.b.Vector("", ir.B32)
		l.b.Move(fr.fp, l.stack())
	}
	if n.loops {
		l.area = &area{frame: fr.fp}
		push = len(l.b.Func().Code)
		l.push(0)
		fr.live = l.c.liveAfter(l.c.checked[f])
	}
	lay := layoutOf(f)
	at := func(off uint64) location { return location{space: ir.Local, base: fr.fp, off: off} }
	for i, p := range f.Results {
		if p.Space == SpaceParam {
			fr.places[p] = at(lay.results[i])
		}
	}
	for i, p := range f.Params {
		if p.Space == SpaceParam {
			fr.places[p] = at(lay.params[i])
			continue
		}
		for j, r := range l.paramRegs(p) {
			l.b.Move(r, l.fromPlace(at(lay.params[i]), uint64(j*p.Type.Bytes()), p.Type))
		}
	}
	l.block(&l.c.checked[f].Block)
	pos.Edge = ir.FuncReturn
	l.b.At(pos)
	l.b.Bind(fr.end)
	for i, p := range f.Results {
		if p.Space != SpaceParam {
			for j, r := range l.paramRegs(p) {
				l.toPlace(r, at(lay.results[i]), uint64(j*p.Type.Bytes()), p.Type)
			}
		}
	}
	if n.loops || n.alloca {
		l.b.Move(l.stack(), fr.fp)
	}
	l.b.BraTable(s.table, fr.ret, 0)
	if push >= 0 {
		l.b.Func().Code[push].Imm = ir.PushImm(uint32(l.area.max), uint32(l.align))
	} else {
		n.local = max(n.local, l.area.max)
	}
	l.localMax = max(l.localMax, n.local)
}

// callLayout holds the places of results and parameters above the stack pointer.
type callLayout struct {
	results, params []uint64
	size            uint64 // the open array is not counted
}

// layoutOf lays out the results and parameters of f.
func layoutOf(f *Func) callLayout {
	var c callLayout
	slot := func(v *Var) uint64 {
		n := v.Size()
		if openArray(v) {
			n = 0
			c.size = alignUp(c.size, 16)
		}
		a := uint64(8)
		if n > 8 {
			a = 16
		}
		at := alignUp(c.size, a)
		c.size = at + alignUp(n, 8)
		return at
	}
	for _, v := range f.Results {
		c.results = append(c.results, slot(v))
	}
	for _, v := range f.Params {
		c.params = append(c.params, slot(v))
	}
	return c
}

// subroutine emits a call of a function with code of its own, or an indirect call.
func (l *lifter) subroutine(s *site) {
	lay := layoutOf(s.proto)
	room := lay.size
	if n := len(s.proto.Params); n > 0 && len(s.args) == n && openArray(s.proto.Params[n-1]) {
		if v := s.args[n-1].Var(); v != nil {
			room = lay.params[n-1] + v.Size()
		}
	}
	room = alignUp(room, 8)
	kept, offs, total := l.kept(s, room)
	total = alignUp(total, 16)
	if total > 0 || l.align > 16 {
		l.push(total)
	}
	at := func(off uint64) location { return location{space: ir.Local, base: l.stack(), off: off} }
	for i, r := range kept {
		l.toPlace(r, at(offs[i]), 0, NoType)
	}
	for i := range s.args {
		o, p := &s.args[i], s.proto.Params[i]
		if o.Kind == KindVar {
			l.copyPlace(at(lay.params[i]), l.placeOf(o.Var(), o.Pos), o.Var().Size())
			continue
		}
		for j, e := range o.elements() {
			l.toPlace(l.b.Splat(l.value(&e, p.Type)), at(lay.params[i]), uint64(j*p.Type.Bytes()), p.Type)
		}
	}
	back := l.b.NewLabel()
	switch {
	case l.opaque(s):
		if s.pointer != nil {
			l.toPlace(l.b.Splat(l.reg(s.pointer)), at(total), 0, NoType) // the call needs it
		}
	case s.callee != nil:
		to := l.subOf(s.callee)
		l.b.Move(l.returnTo(), l.b.Const(ir.B32, uint64(l.b.Target(to.table, back))))
		l.b.Bra(to.entry)
	default:
		sh := l.shape(shapeOf(s.proto))
		l.b.Move(l.returnTo(), l.b.Const(ir.B32, uint64(l.b.Target(sh.back, back))))
		p := l.reg(s.pointer)
		first, _ := l.m.addressed().shape(shapeOf(s.proto))
		l.b.BraTable(sh.entries, l.funcIndex(p, first), p)
	}
	l.b.Bind(back)
	l.b.Resume()
	// Registers are restored first, because results may go to variables below the frame pointer.
	for i, r := range kept {
		l.restore(r, at(offs[i]))
	}
	for i := range s.results {
		o, p := &s.results[i], s.proto.Results[i]
		switch o.Kind {
		case KindSink:
		case KindVar:
			l.copyPlace(l.placeOf(o.Var(), o.Pos), at(lay.results[i]), o.Var().Size())
		default:
			for j, e := range o.elements() {
				l.assign(&e, l.fromPlace(at(lay.results[i]), uint64(j*p.Type.Bytes()), p.Type), p.Type.Signed())
			}
		}
	}
	if total > 0 {
		l.b.To(l.stack(), ir.Add32, l.stack(), l.b.Const(ir.B32, total))
	}
}

// kept returns the registers that the call may overwrite and that are used after it, with their
// places above the stack pointer, from room on.
func (l *lifter) kept(s *site, room uint64) (refs []ir.Ref, offs []uint64, total uint64) {
	total = room
	fr := l.frame
	if fr.sub == nil || !l.graph.node[fr.f].loops {
		return nil, nil, total
	}
	again := false
	mine := l.graph.node[fr.f].cycle
	targets := l.graph.byShape[shapeOf(s.proto)]
	if s.callee != nil {
		targets = []*Func{s.callee}
	}
	if l.opaque(s) {
		targets = nil
	}
	for _, t := range targets {
		again = again || l.graph.node[t].cycle == mine
	}
	if !again {
		return nil, nil, total
	}
	add := func(r ir.Ref) {
		n := uint64(8)
		if t := l.typeOf(r); t != ir.B64 {
			n = 4
		}
		total = alignUp(total, n)
		refs, offs = append(refs, r), append(offs, total)
		total += n
	}
	add(fr.ret)
	add(fr.fp)
	results := map[*Reg]bool{}
	for i := range s.results {
		if o := &s.results[i]; o.Kind == KindReg && o.Comp == "" {
			results[o.Reg()] = true
		}
	}
	fr.live[l.in].each(len(fr.body.Regs), func(id int) {
		if r := fr.body.Regs[id]; !results[r] && !r.Module {
			for _, ref := range l.refs(r) {
				add(ref)
			}
		}
	})
	return refs, offs, total
}

// funcIndex computes the number of a function from its address, counted from number first. Any other
// value yields a number that is too large.
func (l *lifter) funcIndex(p ir.Ref, first int) ir.Ref {
	b := l.b
	four := b.Const(ir.B32, 4)
	if l.typeOf(p) == ir.B32 {
		x := b.T(ir.Sub32, p, b.Const(ir.B32, ir.FuncAddress(first, false)))
		return b.T(ir.Or32, b.T(ir.ShrU32, x, four), b.T(ir.Shl32, x, b.Const(ir.B32, 28)))
	}
	x := b.T(ir.Sub64, p, b.Const(ir.B64, ir.FuncAddress(first, l.m.AddressSize == 64)))
	x = b.T(ir.Or64, b.T(ir.ShrU64, x, four), b.T(ir.Shl64, x, b.Const(ir.B32, 60)))
	return b.T(ir.CvtU32FromU64, b.T(ir.MinU64, x, b.Const(ir.B64, 1<<32-1)))
}

// funcAddress returns the address of a function.
func (l *lifter) funcAddress(f *Func) uint64 {
	l.b.Func().Functions = l.m.addressed().names
	return l.m.funcAddress(f)
}

// finishTables fills the tables of indirect calls: the entries of a shape are the functions of the
// shape that have an address.
func (l *lifter) finishTables() {
	if len(l.graph.addressed) > 0 || len(l.shapeKeys) > 0 {
		l.b.Func().Functions = l.m.addressed().names
	}
	for _, key := range l.shapeKeys {
		_, list := l.m.addressed().shape(key)
		for _, f := range list {
			to := ir.NoTarget
			if s := l.subs[f]; s != nil && l.graph.callable[f] {
				to = s.entry
			}
			l.b.Target(l.shapes[key].entries, to)
		}
	}
}

// toPlace stores a value at offset off of a place, with the size of a type (NoType: all of the
// value).
func (l *lifter) toPlace(val ir.Ref, p location, off uint64, t Type) {
	size := l.typeOf(val).Bytes()
	if l.typeOf(val) == ir.B1 {
		val, size = l.b.T(ir.B2U32, val), 4
	} else if t != NoType {
		size = uint32(t.Bytes())
	}
	l.b.Emit(ir.Inst{Op: ir.Store, Args: [4]ir.Ref{l.baseOf(p), val}, Imm: p.off + off, Size: uint8(size), Space: p.space})
}

// fromPlace loads a value of a type.
func (l *lifter) fromPlace(p location, off uint64, t Type) ir.Ref {
	if t == Pred {
		return l.b.T(ir.NeU32, l.fromPlace(p, off, B32), l.b.Const(ir.B32, 0))
	}
	d := l.b.Temp(irType(t))
	l.b.Emit(ir.Inst{Op: ir.Load, Dst: d, Args: [4]ir.Ref{l.baseOf(p)}, Imm: p.off + off, Size: uint8(t.Bytes()), Space: p.space})
	return d
}

// restore loads a register that toPlace stored whole.
func (l *lifter) restore(r ir.Ref, p location) {
	t := l.typeOf(r)
	if t == ir.B1 {
		l.b.To(r, ir.NeU32, l.fromPlace(p, 0, B32), l.b.Const(ir.B32, 0))
		return
	}
	l.b.Emit(ir.Inst{Op: ir.Load, Dst: r, Args: [4]ir.Ref{l.baseOf(p)}, Imm: p.off, Size: uint8(t.Bytes()), Space: p.space})
}

// copyPlace copies n bytes between two places that do not overlap.
func (l *lifter) copyPlace(to, from location, n uint64) {
	if n > maxCopied {
		size := l.b.Const(ir.B64, n)
		l.b.Emit(ir.Inst{Op: ir.HostCall, Args: [4]ir.Ref{l.genericOf(to), l.genericOf(from), size}, Imm: uint64(ir.HostMemcpy)})
		return
	}
	for off := uint64(0); off < n; {
		t := B8
		switch left := n - off; {
		case left >= 8:
			t = B64
		case left >= 4:
			t = B32
		case left >= 2:
			t = B16
		}
		l.toPlace(l.fromPlace(from, off, t), to, off, t)
		off += uint64(t.Bytes())
	}
}

// maxCopied is the largest number of bytes that single loads and stores copy.
const maxCopied = 256

// genericOf returns the generic address of a place in private memory.
func (l *lifter) genericOf(p location) ir.Ref {
	base := l.b.T(ir.CvtU64FromU32, l.baseOf(p))
	return l.b.T(ir.Add64, base, l.b.Const(ir.B64, l.windows().Local()+p.off))
}
