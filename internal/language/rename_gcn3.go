package language

import (
	"fmt"
	"strconv"
	"strings"

	"example.org/crosslane/amdgpu"
)

// numbered splits the name of a VGPR or an SGPR; ok is false for other registers.
func numbered(name string) (file string, n int, ok bool) {
	if len(name) < 2 || name[0] != 'v' && name[0] != 's' {
		return "", 0, false
	}
	n, err := strconv.Atoi(name[1:])
	return name[:1], n, err == nil && n >= 0 && strconv.Itoa(n) == name[1:]
}

// registerRenames says why a register of GCN3 cannot become another one; nil if it can: the text names it alone, the
// launch does not fill it, and no instruction computes its number.
func (d *Document) registerRenames(s *symbol) error {
	if _, _, ok := numbered(s.name); !ok {
		return fmt.Errorf("%s is a register of the machine: no other one can stand for it", s.name)
	}
	if s.fn >= 0 && !d.funcs[s.fn].kernel {
		return fmt.Errorf("%s may hold an argument or a result: %s is a function that code elsewhere calls", s.name, d.tok(d.funcs[s.fn].name))
	}
	for i := range d.stmts {
		st := &d.stmts[i]
		switch {
		case st.fn != s.fn || st.op < 0:
			continue
		case st.kind == directive && repeats[d.tok(st.op)]:
			return fmt.Errorf("%s of line %d may name %s: its text cannot be followed", d.tok(st.op), d.lineNumber(st.op), s.name)
		case st.kind != instruction:
			continue
		}
		if sym := d.symbolAt(st.op); sym != nil && sym.kind == symMacro {
			return fmt.Errorf("the macro %s in line %d may name %s: its text cannot be followed", sym.name, d.lineNumber(st.op), s.name)
		}
		if row, _ := d.rowOf(st); row != nil && row.Flags.Has(amdgpu.FlagIndirect) {
			return fmt.Errorf("%s in line %d may name %s: it computes the number of a register, or jumps to other code", d.tok(st.op), d.lineNumber(st.op), s.name)
		}
	}
	for _, r := range s.refs {
		if from, to := d.fromTo(r.tok, r.to+1); d.namesSeveral(s, r) {
			return fmt.Errorf("%s is a part of %s in line %d, which needs registers that follow each other", s.name, d.text.text[from:to], d.lineNumber(r.tok))
		}
	}
	return d.notFilled(s)
}

// repeats are the directives whose text the assembler takes several times, or not at all.
var repeats = map[string]bool{".rept": true, ".irp": true, ".irpc": true, ".macro": true, ".if": true, ".ifdef": true, ".ifndef": true, ".include": true}

// lineNumber returns the line of a token as people count.
func (d *Document) lineNumber(t int) int { return d.text.lineOf(d.toks[t].from) + 1 }

// namesSeveral reports whether a reference names a register as a part of several ones.
func (d *Document) namesSeveral(s *symbol, r reference) bool {
	from, to := d.fromTo(r.tok, r.to+1)
	switch text := strings.ToLower(strings.ReplaceAll(d.text.text[from:to], " ", "")); {
	case text == s.name:
		return false
	case text == s.name[:1]+"["+s.name[1:]+"]", text == s.name[:1]+"["+s.name[1:]+":"+s.name[1:]+"]":
		return false
	}
	return true
}

// notFilled says why a register may hold a value of the launch; nil if it holds none. It holds none if the first
// statement that names it writes all of its lanes before the first label, branch and change of EXEC.
func (d *Document) notFilled(s *symbol) error {
	file, n, _ := numbered(s.name)
	if s.fn < 0 || file == "v" && n > 2 || file == "s" && n >= maxFilled || len(s.refs) == 0 {
		return nil
	}
	err := fmt.Errorf("%s may hold a value that the launch puts there: no instruction before the first label, branch and change of EXEC of the kernel writes it first", s.name)
	first := s.refs[0]
	st := &d.stmts[first.stmt]
	if !first.writes || len(s.refs) > 1 && s.refs[1].stmt == first.stmt {
		return err
	}
	row, enc := d.rowOf(st)
	if row == nil || enc == amdgpu.EncDPP || enc == amdgpu.EncSDWA || row.Flags.Has(amdgpu.FlagTied) || d.exchanges(st) {
		return err
	}
	start := d.funcs[s.fn].name
	for i := first.stmt - 1; i >= 0 && d.stmts[i].from > start+1; i-- {
		before := &d.stmts[i]
		if before.kind == label {
			return err
		}
		if before.kind != instruction || before.op < 0 {
			continue
		}
		row, _ := d.rowOf(before)
		if row == nil || row.Flags.Has(amdgpu.FlagBranch) || row.Flags.Has(amdgpu.FlagWritesExec) || row.Writes&amdgpu.EXEC != 0 || d.writesExec(before) {
			return err
		}
	}
	return nil
}

// maxFilled bounds the SGPRs that a launch fills: 16 of the user and 5 of the system.
const maxFilled = 21

// writesExec reports whether EXEC is a destination of an instruction.
func (d *Document) writesExec(s *statement) bool {
	for i, a := range s.args {
		if s.writes[i] && strings.HasPrefix(strings.ToLower(d.tok(a.from)), "exec") {
			return true
		}
	}
	return false
}

// registerFits says why a register cannot get a name; nil if it can.
func (d *Document) registerFits(s *symbol, name string) error {
	file, _, _ := numbered(s.name)
	to, n, ok := numbered(name)
	last := map[string]int{"v": 255, "s": 101}[file]
	switch {
	case !ok || to != file:
		return fmt.Errorf("%q is no register that can stand for %s: write %s0 to %s%d", name, s.name, file, file, last)
	case n > last:
		return fmt.Errorf("%s does not exist: the last register is %s%d", name, file, last)
	}
	highest := 0
	for _, o := range d.syms {
		if o.fn != s.fn || o.kind != symRegister || o == s || len(o.refs) == 0 {
			continue
		}
		if o.name == name {
			return fmt.Errorf("%s is in use: line %d names it", name, d.lineNumber(o.refs[0].tok))
		}
		if f, k, ok := numbered(o.name); ok && f == file {
			highest = max(highest, k)
		}
	}
	if s.fn < 0 {
		return nil
	}
	kernel := d.tok(d.funcs[s.fn].name)
	free, line := d.nextFree(kernel, file)
	if line > 0 && n >= free {
		return fmt.Errorf("%s is not among the registers of %s: line %d gives it %s0 to %s%d", name, kernel, line, file, file, free-1)
	}
	if line == 0 && n > highest {
		return fmt.Errorf("%s may not be among the registers of %s: the text does not say how many it has, and the highest one that it names is %s%d", name, kernel, file, highest)
	}
	return nil
}

// nextFree returns the number of registers that .amdhsa_next_free_vgpr or _sgpr gives a kernel, and its line; 0, 0 if
// the text does not have it as a number.
func (d *Document) nextFree(kernel, file string) (n, line int) {
	here := false
	for i := range d.stmts {
		s := &d.stmts[i]
		if s.kind != directive || s.op < 0 {
			continue
		}
		switch d.tok(s.op) {
		case ".amdhsa_kernel":
			here = s.opTo < s.to && d.tok(s.opTo) == kernel
		case ".end_amdhsa_kernel":
			here = false
		case ".amdhsa_next_free_" + file + "gpr":
			if here && s.to == s.opTo+1 {
				if v, err := strconv.Atoi(d.tok(s.opTo)); err == nil {
					return v, d.lineNumber(s.op)
				}
			}
		}
	}
	return 0, 0
}

// renameRegister returns the edits that give a register of GCN3 another number.
func (d *Document) renameRegister(s *symbol, name string) (edits []TextEdit) {
	done := map[int]bool{}
	for _, r := range s.refs {
		if !done[r.tok] {
			done[r.tok] = true
			edits = append(edits, TextEdit{d.rangeOfReference(r), name})
		}
	}
	return edits
}
