package ptx

import (
	"crosslane/diag"
	"crosslane/internal/ir"
)

// bra branches, each lane for itself (PTX 9.7.12.3).
var bra = meaning{emit: func(l *lifter) { l.b.Bra(l.label(l.in.Args[0].Label())) }}

// brx branches to the target that the index selects (PTX 9.7.12.4). An index outside
// the list is undefined: here it is a fault.
var brx = meaning{emit: func(l *lifter) {
	table := l.b.NewTable()
	targets := l.in.Args[1].Label().Dir.Args
	for i := range targets {
		l.b.Target(table, l.label(targets[i].Label()))
	}
	l.b.BraTable(table, l.src(0), 0)
}, check: func(c *checker, in *Instr, v *variant) {
	for i := range in.Args[1].Label().Dir.Args {
		if t := in.Args[1].Label().Dir.Args[i]; t.Label() == nil || t.Label().Dir != nil {
			c.bad(in, &opSpec{name: "tlist"}, &t, "a label of an instruction")
		}
	}
}}

// exit ends the lane.
var exit = meaning{emit: func(l *lifter) { l.b.Emit(ir.Inst{Op: ir.Exit}) }}

// ret returns to the caller; from a kernel it ends the lane (PTX 9.7.12.6).
var ret = meaning{emit: func(l *lifter) {
	if l.frame.caller == nil {
		l.b.Emit(ir.Inst{Op: ir.Exit})
		return
	}
	l.b.Bra(l.frame.end)
}}

// trap ends the run with a fault (PTX 9.7.19.4); so does brkpt, since there is
// nobody to go on with.
var trap = meaning{emit: func(l *lifter) { l.b.Emit(ir.Inst{Op: ir.Trap}) }}

// call calls a function (PTX 9.7.12.5), which is inlined.
var call = meaning{variadic: true, inlines: true, emit: emitCall, check: checkCall}

func checkCall(c *checker, in *Instr, v *variant) {
	f := calleeOf(c.m, in)
	if f == nil {
		c.errorf(in.Pos, diag.Unsupported, codeNotLifted, "%s: indirect calls are not supported", in.Op)
		return
	}
	if f.Entry {
		c.errorf(in.Pos, diag.Input, codeOperand, "%s calls the kernel %s; only functions can be called", in.Op, f.Name)
		return
	}
	if f.Body == nil {
		c.errorf(in.Pos, diag.Unsupported, codeNotLifted, "%s calls %s, which the file declares and does not define", in.Op, f.Name)
		return
	}
	results, args := callLists(in)
	c.callList(in, f, "result", results, f.Results)
	c.callList(in, f, "argument", args, f.Params)
}

// callList checks the arguments or results of a call against the declaration.
func (c *checker) callList(in *Instr, f *Func, what string, given []Operand, want []*Var) {
	if len(given) != len(want) {
		c.errorf(in.Pos, diag.Input, codeCount, "the call of %s has %d %ss, want %d", f.Name, len(given), what, len(want))
		return
	}
	for i, v := range want {
		o := &given[i]
		if d := o.Var(); o.Kind == KindVar && d != nil {
			if d.Space != SpaceParam || v.Space != SpaceParam || d.Size() != v.Size() {
				c.errorf(o.Pos, diag.Input, codeType, "%s %d of %s is %s, a %s variable of %d bytes, want a %s of %d bytes", what, i+1, f.Name, d.Name, d.Space, d.Size(), v.Space, v.Size())
			}
			continue
		}
		s := &opSpec{name: v.Name, dst: what == "result"}
		switch {
		case v.Dims != nil || v.Vec > 1:
			c.bad(in, s, o, "a .param variable of the same size")
		case s.dst:
			c.dest(in, s, o, v.Type, v.Space == SpaceParam)
		default:
			c.source(in, s, o, v.Type, v.Space == SpaceParam)
		}
	}
}

func emitCall(l *lifter) {
	f := calleeOf(l.m, l.in)
	results, args := callLists(l.in)
	skip := ir.Label(-1)
	if g := l.in.Guard; g != nil {
		// The lanes without the guard go around the body.
		skip = l.b.NewLabel()
		l.b.Guard(l.reg(&g.Reg), !g.Not)
		l.b.Bra(skip)
		l.b.Guard(0, false)
	}
	in, caller, local := l.in, l.frame, l.local
	pos := l.b.Func().Pos[len(l.b.Func().Pos)-1]
	var back []func() // results that come back in registers
	callee := l.enter(f, caller, args, results, &back)
	l.frame = callee
	l.block(f.Body)
	l.b.Bind(callee.end)
	l.in, l.v, l.frame, l.local = in, l.c.variant(in), caller, local
	l.free[f] = append(l.free[f], callee.regs)
	if len(back) > 0 {
		l.b.At(pos)
	}
	for _, copyBack := range back {
		copyBack()
	}
	if skip >= 0 {
		l.b.Bind(skip)
	}
}

// enter opens the activation of a call: parameters in .param space share the
// caller's memory, those in registers are copied.
func (l *lifter) enter(f *Func, caller *frame, args, results []Operand, back *[]func()) *frame {
	l.openFrame(f, caller)
	callee := l.frame
	l.frame = caller
	for i, p := range f.Params {
		o := &args[i]
		switch {
		case o.Kind == KindVar:
			callee.places[p] = l.placeOf(o.Var(), o.Pos)
		case p.Space == SpaceParam:
			pl := place{space: ir.Local, off: l.allocLocal(p)}
			callee.places[p] = pl
			l.store(l.storeValue(o, p.Type), ir.Local, l.b.Const(ir.B32, 0), int64(pl.off), p.Type.Bytes(), 1, 0)
		default:
			val := l.value(o, p.Type)
			l.frame = callee
			if dst := l.paramReg(p); dst != 0 {
				l.b.Move(dst, val)
			}
			l.frame = caller
		}
	}
	for i, p := range f.Results {
		o := &results[i]
		switch {
		case o.Kind == KindVar:
			callee.places[p] = l.placeOf(o.Var(), o.Pos)
		case o.Kind == KindSink:
			if p.Space == SpaceParam {
				callee.places[p] = place{space: ir.Local, off: l.allocLocal(p)}
			}
		case p.Space == SpaceParam:
			pl := place{space: ir.Local, off: l.allocLocal(p)}
			callee.places[p] = pl
			*back = append(*back, func() {
				l.load(l.reg(o), ir.Local, l.b.Const(ir.B32, 0), int64(pl.off), p.Type, 1)
			})
		default:
			l.frame = callee
			src := l.paramReg(p)
			l.frame = caller
			if src != 0 {
				*back = append(*back, func() { l.assign(o, src, p.Type.Signed()) })
			}
		}
	}
	return callee
}

// paramReg is the value of a parameter that is a register; 0 if the body never
// mentions it.
func (l *lifter) paramReg(p *Var) ir.Ref {
	for _, r := range l.frame.f.Regs {
		if r.Decl == p {
			return l.refs(r)[0]
		}
	}
	return 0
}

// checkBar checks a constant barrier number and thread count.
func checkBar(c *checker, in *Instr, v *variant) {
	for i := range v.ops {
		o := &in.Args[i]
		if o.Kind != KindInt {
			continue
		}
		switch v.ops[i].name {
		case "a":
			if o.Val > 15 {
				c.errorf(o.Pos, diag.Input, codeImmediate, "operand a of %s is barrier %d, want 0 to 15", in.Op, int64(o.Val))
			}
		case "b":
			if o.Val%32 != 0 || o.Val == 0 && v.has("arrive") {
				c.errorf(o.Pos, diag.Input, codeImmediate, "operand b of %s is %d threads, want a multiple of 32", in.Op, int64(o.Val))
			}
		}
	}
}
