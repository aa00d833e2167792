package ptx

import "slices"

// match binds the modifiers of an opcode (parts without the mnemonic) to the row's positions. It
// accepts the order of the manual, or else any order with the same meaning. It returns nil if they
// do not fit.
func (r *row) match(parts []string) []string {
	if mods := r.matchExact(parts); mods != nil {
		return mods
	}
	return r.matchFree(parts)
}

// matchExact binds modifiers in the order of the form.
func (r *row) matchExact(parts []string) []string {
	mods := make([]string, len(r.elems))
	if matchFrom(r.elems, parts, mods) && r.together(mods) {
		return mods
	}
	return nil
}

// together reports whether modifiers that belong together are both present or both absent.
func (r *row) together(mods []string) bool {
	for i := range r.elems {
		if r.elems[i].tied && (mods[i] == "") != (mods[i+1] == "") {
			return false
		}
	}
	return true
}

// matchFrom binds parts to elems in order, and tries to omit optional ones.
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

// matchFree binds modifiers in any order, because the vendor's assembler accepts any order (ERRATA
// E118). The words of the instruction's name come first and in their order. Types keep their order
// among themselves, and so do state spaces and layouts: the first of two types is the
// destination's, the first of two layouts is that of A. A flag may be repeated.
func (r *row) matchFree(parts []string) []string {
	mods := make([]string, len(r.elems))
	n := r.matchName(parts, mods)
	if n < 0 {
		return nil
	}
	var inOrder [numModKinds]struct {
		elems []elem
		at    []int // indices into mods
		parts []string
	}
	for i := range r.elems {
		if e := &r.elems[i]; e.kind != modWord && e.kind != modOther {
			g := &inOrder[e.kind]
			g.elems, g.at = append(g.elems, *e), append(g.at, i)
		}
	}
next:
	for _, p := range parts[n:] {
		if k := modKindOf(p); k != modOther && inOrder[k].elems != nil {
			inOrder[k].parts = append(inOrder[k].parts, p)
			continue
		}
		for i := range r.elems {
			if e := &r.elems[i]; e.kind == modOther && mods[i] == "" && slices.Contains(e.alts, p) {
				mods[i] = p
				continue next
			}
		}
		if !repeatable[p] || !slices.Contains(mods, p) {
			return nil
		}
	}
	for _, g := range inOrder {
		bound := make([]string, len(g.elems))
		if !matchFrom(g.elems, g.parts, bound) {
			return nil
		}
		for i, m := range bound {
			mods[g.at[i]] = m
		}
	}
	for i := range r.elems {
		if mods[i] == "" && !r.elems[i].opt {
			return nil
		}
	}
	if !r.together(mods) {
		return nil
	}
	return mods
}

// matchName binds the words of the instruction's name, with which the parts begin, and returns
// their number; -1 if the parts begin with the name of another instruction.
func (r *row) matchName(parts, mods []string) int {
	n := 0
	for i := range r.elems {
		e := &r.elems[i]
		switch {
		case e.kind != modWord:
		case n < len(parts) && slices.Contains(e.alts, parts[n]):
			mods[i] = parts[n]
			n++
		case !e.opt:
			return -1
		}
	}
	return n
}

// lookup finds the variant of an opcode, split at its dots, for a number of operands; nil if no row
// has it. The number matters only if forms differ in nothing else.
func (t *table) lookup(parts []string, operands int) *variant {
	return t.lookupAt(parts, operands, -1)
}

// lookupInstr is lookup for an instruction. If forms have the same number of operands, the place of
// its first address decides.
func (t *table) lookupInstr(in *Instr) *variant {
	return t.lookupAt(in.Parts, len(in.Args), in.firstAddress())
}

// firstAddress returns the index of the first operand in brackets; -1 if there is none.
func (in *Instr) firstAddress() int {
	return slices.IndexFunc(in.Args, func(o Operand) bool { return o.Kind == KindAddr })
}

// lookupAt tries the manual's order of modifiers first, then any order.
func (t *table) lookupAt(parts []string, operands, address int) *variant {
	if v := t.lookupBy((*row).matchExact, parts, operands, address); v != nil {
		return v
	}
	v := t.lookupBy((*row).matchFree, parts, operands, address)
	if v != nil {
		v.moved = true
	}
	return v
}

// lookupBy finds the best row under a way to match modifiers: one with the right number of operands
// and the right place of the address, if there is one.
func (t *table) lookupBy(match func(r *row, parts []string) []string, parts []string, operands, address int) *variant {
	var first *variant
	var near *variant // fits, except that its address is elsewhere
	for _, r := range t.rows[parts[0]] {
		mods := match(r, parts[1:])
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
