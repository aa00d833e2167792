package ptx

import (
	"slices"
	"strings"
)

// match binds the modifiers of an opcode, parts without the mnemonic, to the
// row's positions. It returns nil if they do not fit.
func (r *row) match(parts []string) []string {
	mods := make([]string, len(r.elems))
	if (matchFrom(r.elems, parts, mods) || r.Loose && r.matchLoose(parts, mods)) && r.together(mods) {
		return mods
	}
	return nil
}

// together reports whether modifiers that come together do.
func (r *row) together(mods []string) bool {
	for i := range r.elems {
		if r.elems[i].tied && (mods[i] == "") != (mods[i+1] == "") {
			return false
		}
	}
	return true
}

func matchFrom(elems []elem, parts, mods []string) bool {
	for len(elems) > 0 {
		e := &elems[0]
		if len(parts) > 0 && slices.Contains(e.alts, parts[0]) {
			mods[0] = parts[0]
			if !e.opt {
				elems, parts, mods = elems[1:], parts[1:], mods[1:]
				continue
			}
			if matchFrom(elems[1:], parts[1:], mods[1:]) {
				return true
			}
		}
		if !e.opt {
			return false
		}
		mods[0] = ""
		elems, mods = elems[1:], mods[1:]
	}
	return len(parts) == 0
}

// matchLoose binds modifiers in any order, except that types and layouts stay in theirs: of
// two types the first is the destination's, of two layouts the first is that of A.
func (r *row) matchLoose(parts, mods []string) bool {
	clear(mods)
	after := 0 // types come at this position or later
next:
	for _, p := range parts {
		for i := range r.elems {
			if mods[i] == "" && slices.Contains(r.elems[i].alts, p) {
				if isFormat(p) || p == "row" || p == "col" {
					if i < after {
						return false
					}
					after = i
				}
				mods[i] = p
				continue next
			}
		}
		return false
	}
	for i := range r.elems {
		if mods[i] == "" && !r.elems[i].opt {
			return false
		}
	}
	return true
}

// isFormat reports whether a modifier names the format of data: a type, or a packed pair
// or quadruple.
func isFormat(mod string) bool {
	return ParseType(mod) != NoType || strings.HasSuffix(mod, "x2") || strings.HasSuffix(mod, "x4")
}

// lookup finds what an opcode, split at its dots, means for a number of
// operands; nil if no row has it. The number decides only where forms differ in
// it alone.
func (t *table) lookup(parts []string, operands int) *variant {
	return t.lookupAt(parts, operands, -1)
}

// lookupInstr is lookup for an instruction: where forms have as many operands, the
// place of its first address decides.
func (t *table) lookupInstr(in *Instr) *variant {
	return t.lookupAt(in.Parts, len(in.Args), in.firstAddress())
}

// firstAddress is the index of the first operand in brackets; -1 if there is none.
func (in *Instr) firstAddress() int {
	return slices.IndexFunc(in.Args, func(o Operand) bool { return o.Kind == KindAddr })
}

func (t *table) lookupAt(parts []string, operands, address int) *variant {
	var first *variant
	var near *variant // fits, with its address elsewhere
	for _, r := range t.rows[parts[0]] {
		mods := r.match(parts[1:])
		if mods == nil {
			continue
		}
		if fits := r.least == operands || len(r.ops) == operands || r.rest && operands >= r.least; fits || r.Do.variadic {
			v := r.choose(mods, operands)
			at := slices.IndexFunc(v.ops, func(o opSpec) bool { return o.kind == opAddr })
			if address < 0 || at < 0 || at == address {
				return v
			}
			if near == nil {
				near = v
			}
			continue
		}
		if first == nil {
			first = r.choose(mods, len(r.ops))
		}
	}
	if near != nil {
		return near
	}
	return first
}
