package ptx

import "strings"

// A Form is one form of an instruction in the table, for reference pages and
// coverage.
type Form struct {
	Mnemonic string
	Syntax   string // the ISA's syntax line
	Classes  []FormClass
	About    string // one sentence about the mnemonic
	Section  string // in the PTX ISA
	PTX      Version
	SM       int      // least target; 0: every target
	Arch     string   // specific targets, of which it needs one: "sm_90a sm_120f"
	Needs    []string // further needs of single modifiers: ".scope 5.0 sm_60"

	Deprecated Version // zero: not deprecated
	Removed    Version // zero: not removed
	RemovedSM  int     // from this target on; 0: for all
	Instead    string

	Cost      string
	Undefined []Undefined
}

// A FormClass is a modifier of a form that stands for one of several alternatives.
type FormClass struct {
	Name string
	Alts []string
}

// Forms returns the instruction table: every form, sorted by mnemonic; forms of one mnemonic keep
// the table's order.
func Forms() []Form {
	var out []Form
	for _, name := range instructions().names {
		for _, r := range instructions().rows[name] {
			syntax, _, _ := strings.Cut(r.Form, ";")
			f := Form{
				Mnemonic: name, Syntax: syntax, About: about(r), Section: r.Sec, PTX: r.PTX, SM: r.SM, Arch: r.Arch,
				Deprecated: r.Deprecated, Removed: r.Removed, RemovedSM: r.RemovedSM, Instead: r.Instead,
				Cost: r.Cost.String(), Undefined: r.Undefined,
			}
			for _, e := range r.elems {
				if len(e.alts) > 1 || e.alts[0] != e.class {
					f.Classes = append(f.Classes, FormClass{Name: "." + e.class, Alts: append([]string(nil), e.alts...)})
				}
			}
			for _, n := range strings.Split(r.Needs, ";") {
				if n = strings.TrimSpace(n); n != "" {
					f.Needs = append(f.Needs, n)
				}
			}
			out = append(out, f)
		}
	}
	return out
}

// Supports reports whether Crosslane runs an opcode, for example "shfl.sync.bfly.b32".
func Supports(opcode string) bool {
	parts := strings.Split(opcode, ".")
	v := instructions().lookup(parts, -1)
	return v != nil && v.lack == "" && v.row.Do.unsupported == ""
}
