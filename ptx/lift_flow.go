package ptx

import (
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// bra is a branch of each lane by itself (PTX 9.7.13.3).
var bra = meaning{ends: true, emit: func(l *lifter) { l.b.Bra(l.label(l.in.Args[0].Label())) }}

// brx branches to the target that the index selects (PTX 9.7.13.4). An index outside the list is
// undefined in the manual; here it is a fault.
var brx = meaning{ends: true, emit: func(l *lifter) {
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
var exit = meaning{ends: true, emit: func(l *lifter) { l.b.Emit(ir.Inst{Op: ir.Exit}) }}

// ret returns to the caller; from a kernel it ends the lane (PTX 9.7.13.6).
var ret = meaning{emit: func(l *lifter) {
	if l.frame.entry() {
		l.b.Emit(ir.Inst{Op: ir.Exit})
		return
	}
	l.b.Bra(l.frame.end)
}, ends: true}

// trap ends the run with a fault (PTX 9.7.20.4). brkpt does too, because no debugger is there to
// continue.
var trap = meaning{emit: func(l *lifter) { l.b.Emit(ir.Inst{Op: ir.Trap}) }}

// checkBar checks a constant barrier number and thread count.
func checkBar(c *checker, in *Instr, v *variant) {
	for i := range v.ops {
		o := &in.Args[i]
		if o.Kind != KindInt {
			continue
		}
		switch v.ops[i].name {
		case "a":
			if uint32(o.Val) > 15 {
				c.errorf(o.Pos, diag.Input, codeImmediate, "operand a of %s is barrier %d, want 0 to 15", in.Op, int64(o.Val))
			}
		case "b":
			if o.Val%32 != 0 || uint32(o.Val) == 0 && v.has("arrive") {
				c.errorf(o.Pos, diag.Input, codeImmediate, "operand b of %s is %d threads, want a multiple of 32", in.Op, int64(o.Val))
			}
		}
	}
}
