package ptx

import (
	"slices"
	"strings"
)

// A Mnemonic is the first part of opcodes, with the sentence that describes its instructions.
type Mnemonic struct {
	Name  string // "shfl"
	About string // one sentence; "" if no row has one
	// Runs reports that Crosslane runs at least one of its forms.
	Runs bool
}

// Mnemonics returns the mnemonics of the instruction table in alphabetical order.
func Mnemonics() []Mnemonic {
	t := instructions()
	list := make([]Mnemonic, 0, len(t.names))
	for _, name := range t.names {
		m := Mnemonic{Name: name, About: about(t.rows[name][0])}
		for _, r := range t.rows[name] {
			m.Runs = m.Runs || r.Do.unsupported == ""
		}
		list = append(list, m)
	}
	return list
}

// A NextModifier is a modifier that may follow the beginning of an opcode.
type NextModifier struct {
	Text  string // without its dot: "down"
	Class string // the form's name of it: "mode"; Text itself if it stands for itself
	// PTX and SM are the least version and target with which one of the forms has it.
	PTX Version
	SM  int
	// Fits reports that one of the forms has it in the version and for the target that were asked for.
	Fits bool
}

// NextModifiers returns the modifiers that may follow the beginning of an opcode, split at its dots,
// in the order of the manual: of "shfl" and "sync" these are up, down, bfly and idx. end reports that
// the beginning is an opcode already. A zero version or target is one that has everything. Nothing
// is returned for a beginning that no form has.
func NextModifiers(parts []string, version Version, target Target) (next []NextModifier, end bool) {
	if len(parts) == 0 {
		return nil, false
	}
	at := map[string]int{}
	for _, r := range instructions().rows[parts[0]] {
		states := r.after(parts[1:])
		for from := range r.elems {
			if !states[from] {
				continue
			}
			for _, e := range r.elems[from:] {
				for _, alt := range e.alts {
					n := r.nextModifier(&e, alt, version, target)
					i, known := at[alt]
					if !known {
						i = len(next)
						at[alt] = i
						next = append(next, n)
						continue
					}
					o := &next[i]
					o.Fits = o.Fits || n.Fits
					if n.PTX.Compare(o.PTX) < 0 {
						o.PTX, o.SM = n.PTX, n.SM
					}
				}
				if !e.opt {
					break
				}
			}
		}
		end = end || states[len(r.elems)]
	}
	return next, end
}

// after returns the positions of the form that may be next after the modifiers, by index into elems;
// the last one stands for the end.
func (r *row) after(parts []string) []bool {
	skip := func(states []bool) {
		for i := range r.elems {
			if states[i] && r.elems[i].opt {
				states[i+1] = true
			}
		}
	}
	states := make([]bool, len(r.elems)+1)
	states[0] = true
	for _, p := range parts {
		skip(states)
		following := make([]bool, len(states))
		for i := range r.elems {
			if states[i] && slices.Contains(r.elems[i].alts, p) {
				following[i+1] = true
			}
		}
		states = following
	}
	// Before a next modifier, positions are skipped by the caller. Only the end has to be known here.
	ends := slices.Clone(states)
	skip(ends)
	states[len(r.elems)] = ends[len(r.elems)]
	return states
}

// nextModifier describes one alternative of a position.
func (r *row) nextModifier(e *elem, alt string, version Version, target Target) NextModifier {
	n := NextModifier{Text: alt, Class: e.class, PTX: r.PTX, SM: r.SM}
	arch := [][]Target{r.arch}
	for _, need := range r.needs {
		if need.class && need.what != e.class || !need.class && need.what != "."+alt {
			continue
		}
		if need.ptx.Compare(n.PTX) > 0 {
			n.PTX = need.ptx
		}
		n.SM = max(n.SM, need.sm)
		arch = append(arch, need.arch)
	}
	n.Fits = version == (Version{}) || version.AtLeast(n.PTX)
	if target.SM > 0 {
		n.Fits = n.Fits && target.SM >= n.SM
		for _, list := range arch {
			n.Fits = n.Fits && (list == nil || target.hasAny(list))
		}
	}
	if r.Removed != (Version{}) && version != (Version{}) && version.AtLeast(r.Removed) && target.SM >= r.RemovedSM {
		n.Fits = false
	}
	return n
}

// A Signature is one form of an instruction as a text with marked operands.
type Signature struct {
	Label   string // the manual's syntax line
	Params  []SignatureParam
	About   string // the effect, one sentence
	Section string // in the PTX ISA
}

// A SignatureParam is an operand of a Signature.
type SignatureParam struct {
	From, To int    // the bytes of Label
	Meaning  string // "" if the row does not describe it
	Writes   bool   // a destination
}

// Signatures returns the forms of an instruction that the opcode, split at its dots, fits. The
// opcode may be the beginning of one. If no form fits, it returns all forms of the mnemonic.
func Signatures(parts []string) (list []Signature) {
	if len(parts) == 0 {
		return nil
	}
	rows := instructions().rows[parts[0]]
	fits := func(r *row) bool { return slices.Contains(r.after(parts[1:]), true) || r.match(parts[1:]) != nil }
	anyFits := slices.ContainsFunc(rows, fits)
	for _, r := range rows {
		if anyFits && !fits(r) {
			continue
		}
		list = append(list, r.signature())
	}
	return list
}

// signature marks the operands of the row's syntax line.
func (r *row) signature() Signature {
	form, _, _ := strings.Cut(r.Form, ";")
	s := Signature{Label: strings.TrimSpace(form), About: about(r), Section: r.Sec}
	at := strings.IndexByte(s.Label, ' ')
	if at < 0 {
		return s
	}
	for _, o := range r.ops {
		name := o.name
		if o.pair != "" {
			name += s.Label[at:][max(strings.Index(s.Label[at:], name), 0)+len(name):]
			name = name[:strings.Index(name, o.pair)+len(o.pair)]
		}
		i := operandAt(s.Label, at, name)
		if i < 0 {
			continue
		}
		from, to := i, i+len(name)
		for to < len(s.Label) && s.Label[to] != ',' && !strings.HasPrefix(s.Label[to:], "{,") {
			to++
		}
		for from > at && s.Label[from-1] != ' ' && s.Label[from-1] != ',' {
			from--
		}
		text := strings.TrimRight(s.Label[from:to], " ")
		if o.opt {
			text = strings.TrimSuffix(text, "}")
		}
		s.Params = append(s.Params, SignatureParam{From: from, To: from + len(text), Meaning: r.Says[o.name], Writes: o.dst})
		at = from + len(text)
	}
	return s
}

// operandAt finds the name of an operand in a syntax line, from a byte on; -1 if it is not there.
func operandAt(label string, at int, name string) int {
	for i := at; i+len(name) <= len(label); i++ {
		if label[i:i+len(name)] != name {
			continue
		}
		before, after := byte(' '), byte(' ')
		if i > 0 {
			before = label[i-1]
		}
		if i+len(name) < len(label) {
			after = label[i+len(name)]
		}
		if charClass[before]&cIdent == 0 && before != ':' && charClass[after]&cIdent == 0 {
			return i
		}
	}
	return -1
}

// Roles holds the operands of an instruction that are destinations, and further facts of its row.
type Roles struct {
	Writes []bool // by operand
	// Copies reports that the destination gets the source unchanged; Calls that the instruction is a
	// call, whose first list in parentheses receives the results.
	Copies, Calls bool
	// Membermask is the index of the operand that names the lanes that meet; -1: there is none.
	Membermask int
	// Branches reports that an operand is a label, Exchanges that lanes give each other values.
	Branches, Exchanges bool
}

// RolesOf returns the roles of the operands of an opcode, split at its dots, with a number of operands.
// ok is false for an opcode that no row has.
func RolesOf(parts []string, operands int) (r Roles, ok bool) {
	r.Membermask = -1
	if len(parts) == 0 {
		return r, false
	}
	v := instructions().lookup(parts, operands)
	if v == nil {
		return r, false
	}
	r.Copies, r.Calls, r.Exchanges = v.row.Do.copies, v.row.Do.inlines, v.row.Do.cross != crossNone
	for i, o := range v.ops {
		r.Writes = append(r.Writes, o.dst)
		if o.name == "membermask" {
			r.Membermask = i
		}
		r.Branches = r.Branches || o.kind == opLabel || o.kind == opTarget
	}
	return r, true
}

// Specials returns the special registers in the manual's order.
func Specials() []SpecialInfo { return slices.Clone(specials[1:]) }

// DirectiveFacts holds the version and the target that a directive needs.
type DirectiveFacts struct {
	Name    string // with its dot
	PTX     Version
	SM      int    // least target; 0: every target
	Section string // in the PTX ISA; "" for words of declarations
}

// Directives returns the directives in alphabetical order, with the state spaces and the linkages.
func Directives() []DirectiveFacts {
	seen := map[string]bool{}
	var list []DirectiveFacts
	add := func(d DirectiveFacts) {
		if strings.HasPrefix(d.Name, ".") && !strings.ContainsAny(d.Name, "( ") && !seen[d.Name] {
			seen[d.Name] = true
			list = append(list, d)
		}
	}
	for name, d := range directiveTable {
		add(DirectiveFacts{name, d.ptx, d.sm, d.section})
	}
	for s := SpaceReg; s <= SpaceTex; s++ {
		add(DirectiveFacts{Name: s.String(), Section: "5.1"})
	}
	for l := LinkVisible; l <= LinkCommon; l++ {
		add(DirectiveFacts{Name: l.String(), Section: "11.6"})
	}
	for name, section := range map[string]string{".version": "11.1.1", ".target": "11.1.2", ".entry": "11.2.1", ".func": "11.2.2",
		".align": "5.4.5", ".attribute": "5.4.8", ".file": "11.5.3", ".loc": "11.5.4"} {
		add(DirectiveFacts{Name: name, PTX: Version{1, 0}, Section: section})
	}
	slices.SortFunc(list, func(a, b DirectiveFacts) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// TypeNames returns the names of the types of the language, without dots, in the manual's order.
func TypeNames() (list []string) {
	for _, t := range types {
		if t.name != "" {
			list = append(list, t.name)
		}
	}
	return list
}
