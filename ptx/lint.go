package ptx

// codeActivemask is a membermask that can only be what activemask returned.
const codeActivemask = "activemask-membermask"

// lint warns about what is legal and almost certainly wrong.
func (c *checker) lint(f *Func) {
	if !c.active {
		return
	}
	// A register whose every writer is activemask holds whatever lanes the scheduler
	// ran together there: no safe membermask (PTX 9.7.14.12).
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
		d := c.warn(u.in.Pos, codeActivemask, "%s: membermask %s comes from activemask: which lanes run together is the scheduler's choice, so lanes that should take part may be missing", u.in.Op, u.r.Name)
		d.Section = "PTX 9.7.14.12"
		d.Remedy = "compute the membermask from the condition, with vote.sync.ballot before the branch"
	}
}

// lintHead warns about directives between a kernel's head and body.
func (c *checker) lintHead(f *Func) {
	if d := f.Directive(".minnctapersm"); d != nil && f.Directive(".maxntid") == nil && f.Directive(".reqntid") == nil && c.m.Version.AtLeast(Version{2, 1}) {
		w := c.warn(d.Pos, codeNoEffect, ".minnctapersm of %s has no effect without .maxntid or .reqntid", f.Name)
		w.Section, w.Remedy = "PTX 11.4.4", "add .maxntid"
	}
	if d := f.Directive(".maxnctapersm"); d != nil && c.m.Version.AtLeast(Version{2, 0}) {
		w := c.warn(d.Pos, codeNoEffect, ".maxnctapersm of %s is deprecated since PTX 2.0", f.Name)
		w.Section, w.Remedy = "PTX 11.4.5", "use .minnctapersm"
	}
}
