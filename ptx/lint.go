package ptx

import (
	"fmt"
	"slices"

	"example.org/crosslane/diag"
)

// codeActivemask is the code for a membermask that can only be the result of activemask.
const codeActivemask = "activemask-membermask"

// scheduled reports whether a form yields the set of lanes that run it together: activemask, and
// vote.ballot without .sync. From sm_70 on, the scheduler chooses that set.
func (c *checker) scheduled(v *variant) bool {
	switch v.row.Do.cross {
	case crossActive:
		return true
	case crossVote:
		return c.m.Target.SM >= 70 && v.says("ballot") && v.operand("membermask") < 0
	}
	return false
}

// operand returns the index of the operand called name; -1 if the form has none of that name.
func (v *variant) operand(name string) int {
	return slices.IndexFunc(v.ops, func(o opSpec) bool { return o.name == name })
}

// A maskWrite is one instruction that writes a register. It has the registers that the instruction
// reads, if the result is computed from registers alone.
type maskWrite struct {
	in     *Instr
	source bool // its result is the scheduler's choice
	plain  bool // it computes from registers, lane by lane
	reads  []*Reg
}

// lint warns about code that is legal and almost certainly wrong.
func (c *checker) lint(b *Body) {
	if !c.active {
		return
	}
	type use struct {
		in *Instr
		r  *Reg
	}
	var uses []use
	groups := map[*Reg]bool{} // membermasks, with true if match.any sorts lanes into groups by them
	writes := map[*Reg][]maskWrite{}
	var regs []*Reg // written registers, in the order of the code
	b.instrs(func(in *Instr) {
		v := c.variant(in)
		if v == nil || v.lack != "" {
			return
		}
		w := maskWrite{in: in, source: c.scheduled(v)}
		member := v.operand("membermask")
		switch {
		case v.row.Do.cross == crossNone && in.firstAddress() < 0:
			w.plain = true
			for i := range min(len(in.Args), len(v.ops)) {
				if o := &in.Args[i]; o.Kind == KindReg && !v.ops[i].dst {
					w.reads = append(w.reads, o.Reg())
				}
			}
		case v.row.Do.cross == crossVote && 0 <= member && member < len(in.Args) && in.Args[member].Kind == KindReg:
			w.reads = append(w.reads, in.Args[member].Reg()) // the result is a ballot among lanes that the scheduler chose
		}
		for i := range min(len(in.Args), len(v.ops)) {
			o := &in.Args[i]
			if i == member && o.Kind == KindReg {
				uses = append(uses, use{in, o.Reg()})
				groups[o.Reg()] = groups[o.Reg()] || v.row.Do.cross == crossMatch && v.says("any")
			}
			if !v.ops[i].dst {
				continue
			}
			for _, d := range append([]Operand{*o}, o.List...) {
				if d.Kind == KindReg {
					if writes[d.Reg()] == nil {
						regs = append(regs, d.Reg())
					}
					writes[d.Reg()] = append(writes[d.Reg()], w)
				}
			}
		}
	})
	masks := scheduledMasks(regs, writes)
	knowing := knowingMasks(regs, writes, masks, groups)
	for _, u := range uses {
		from := masks[u.r]
		if from == nil {
			continue
		}
		d := c.warn(u.in.Pos, codeActivemask, "%s: membermask %s comes from %s: which lanes run together is the scheduler's choice, so lanes that should take part may be missing", u.in.Op, u.r.Name, from.Op)
		d.Section = "PTX 9.7.14.12"
		d.Remedy = "compute the membermask from the condition, with vote.sync.ballot before the branch; it is right only if any group of lanes will do, as for coalesced_threads() of cooperative groups"
		if knowing[from] {
			d.Severity = diag.Note
		}
		if from.Pos.Line != u.in.Pos.Line {
			d.Related = append(d.Related, diag.Related{Pos: from.Pos.At(c.m.File), Source: lineAt(c.m.Src, int(from.Pos.Off)), Message: fmt.Sprintf("%s: the lanes that run it together", from.Op)})
		}
	}
}

// knowingMasks returns the sources of masks whose code examines their lanes: it counts them, looks
// for the first one, or sorts them into groups by match.any. Coalesced groups and the arrivals of
// barriers are written that way, and are correct for any set of lanes. Any other mask is used as a
// membermask only.
func knowingMasks(regs []*Reg, writes map[*Reg][]maskWrite, masks map[*Reg]*Instr, groups map[*Reg]bool) map[*Instr]bool {
	leads := map[*Reg]bool{} // registers whose value reaches a membermask
	for changed := true; changed; {
		changed = false
		for _, r := range regs {
			if _, used := groups[r]; !used && !leads[r] {
				continue
			}
			for _, w := range writes[r] {
				for _, x := range w.reads {
					changed = changed || !leads[x]
					leads[x] = true
				}
			}
		}
	}
	mask := func(r *Reg) bool {
		_, used := groups[r]
		return (used || leads[r]) && masks[r] != nil && !slices.ContainsFunc(writes[r], func(w maskWrite) bool { return !w.plain && !w.source })
	}
	knowing := map[*Instr]bool{}
	for _, r := range regs {
		if mask(r) && groups[r] {
			knowing[masks[r]] = true
		}
		if _, used := groups[r]; used || leads[r] {
			continue
		}
		for _, w := range writes[r] {
			for _, x := range w.reads {
				if w.plain && mask(x) {
					knowing[masks[x]] = true
				}
			}
		}
	}
	return knowing
}

// scheduledMasks returns the registers that hold only results of source instructions, each with one
// of these instructions.
func scheduledMasks(regs []*Reg, writes map[*Reg][]maskWrite) map[*Reg]*Instr {
	from := map[*Reg]*Instr{}
	reads := func(w maskWrite) *Instr {
		if w.source {
			return w.in
		}
		for _, r := range w.reads {
			if from[r] != nil {
				return from[r]
			}
		}
		return nil
	}
	// First collect the registers that a source may reach; then remove those with another writer,
	// until the set no longer changes.
	for changed := true; changed; {
		changed = false
		for _, r := range regs {
			for _, w := range writes[r] {
				if src := reads(w); src != nil && from[r] == nil {
					from[r], changed = src, true
				}
			}
		}
	}
	for changed := true; changed; {
		changed = false
		for _, r := range regs {
			if from[r] != nil && slices.ContainsFunc(writes[r], func(w maskWrite) bool { return reads(w) == nil }) {
				delete(from, r)
				changed = true
			}
		}
	}
	return from
}

// mostRegisters is the largest number of 32-bit registers of a thread (CUDA C++ Programming Guide,
// technical specifications per compute capability). ptxas ignores higher limits.
const mostRegisters = 255

// lintHead warns about directives between a kernel's head and body.
func (c *checker) lintHead(f *Func) {
	if d := f.Directive(".minnctapersm"); d != nil && f.Directive(".maxntid") == nil && f.Directive(".reqntid") == nil && c.m.Version.AtLeast(Version{2, 1}) {
		w := c.warn(d.Pos, codeNoEffect, ".minnctapersm of %s has no effect without .maxntid or .reqntid", f.Name)
		w.Section, w.Remedy = "PTX 11.4.4", "add .maxntid"
	}
	if d := f.Directive(".maxnreg"); d != nil && len(d.Args) > 0 && d.Args[0].Val > mostRegisters {
		w := c.warn(d.Pos, codeNoEffect, ".maxnreg %d of %s has no effect: a thread has %d registers at most, on every target", d.Args[0].Val, f.Name, mostRegisters)
		w.Section, w.Remedy = "PTX 11.4.1", "give a limit below, or leave it out"
	}
	if d := f.Directive(".maxnctapersm"); d != nil && c.m.Version.AtLeast(Version{2, 1}) {
		// Errata E147.
		w := c.errorf(d.Pos, diag.Input, "bad-directive", ".maxnctapersm of %s is one of PTX before 2.1, the module has %s", f.Name, c.m.Version)
		w.Section, w.Remedy = "PTX 11.4.5", "use .minnctapersm"
	}
}

// lintModule reports a version and targets that are newer than the ones of this package, and
// features that the manual does not describe.
func (c *checker) lintModule() {
	m := c.m
	for _, u := range m.dialect {
		c.beyond(u.pos, u.sec, u.what)
	}
	if m.Version.newer() {
		d := c.warn(m.VersionPos, "newer-version", ".version %s is newer than %s, the newest that is known: the module is read as one of %s", m.Version, NewestVersion, NewestVersion)
		d.Section = "PTX 11.1.1"
	}
	for _, list := range m.targetLists {
		for _, w := range list {
			if t, ok := ParseTarget(w.name); ok && t.newer(m.Version) {
				d := c.warn(w.pos, "newer-target", "target %s is higher than sm_%d, the highest that is known: it is treated as a target with all features of the lower ones", w.name, newestTarget)
				d.Section = "PTX 11.1.2"
			}
		}
	}
}
