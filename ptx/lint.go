package ptx

import (
	"fmt"

	"crosslane/diag"
)

// codeActivemask is a membermask that can only be what activemask returned.
const codeActivemask = "activemask-membermask"

// lint warns about what is legal and almost certainly wrong.
func (c *checker) lint(f *Func) {
	// A register whose every writer is activemask holds whatever lanes the scheduler
	// ran together there: no safe membermask (PTX 9.7.13.11).
	only := map[*Reg]bool{}
	type use struct {
		in *Instr
		r  *Reg
	}
	var uses []use
	walkInstrs(f.Body, func(in *Instr) {
		v := c.variant(in)
		if v == nil || v.lack != "" {
			return
		}
		for i := range min(len(in.Args), len(v.ops)) {
			o := &in.Args[i]
			if o.Kind == KindReg && v.ops[i].name == "membermask" {
				uses = append(uses, use{in, o.Reg()})
			}
			if !v.ops[i].dst {
				continue
			}
			for _, d := range append([]Operand{*o}, o.List...) {
				if d.Kind != KindReg {
					continue
				}
				was, seen := only[d.Reg()]
				only[d.Reg()] = v.row.Do.cross == crossActive && (was || !seen)
			}
		}
	})
	for _, u := range uses {
		if !only[u.r] {
			continue
		}
		c.errs.list = append(c.errs.list, &diag.Diagnostic{
			Pos: u.in.Pos.At(c.m.File), Severity: diag.Warning, Class: diag.Finding, Code: codeActivemask,
			Message: fmt.Sprintf("%s: membermask %s comes from activemask: which lanes run together is the scheduler's choice, so lanes that should take part may be missing", u.in.Op, u.r.Name),
			Source:  lineAt(c.m.Src, int(u.in.Pos.Off)), Section: "PTX 9.7.13.11",
			Remedy: "compute the membermask from the condition, with vote.sync.ballot before the branch",
		})
	}
}
