package ptx

import (
	"slices"
	"sort"
	"strings"
)

// maxCorrected bounds the searches for corrections in one check, maxCorrections the length of a
// list.
const (
	maxCorrected   = 16
	maxCorrections = 4
)

// nearest returns candidates for an opcode without a row: forms of the same mnemonic, or the
// mnemonic with the most similar spelling.
func (t *table) nearest(parts []string) (forms []string, mnemonic string) {
	rows := t.rows[parts[0]]
	if rows == nil {
		return nil, didYouMean(parts[0], t.names)
	}
	type scored struct {
		form  string
		score int
	}
	var s []scored
	for _, r := range rows {
		n := 0
		for _, e := range r.elems {
			for _, p := range parts[1:] {
				if slices.Contains(e.alts, p) {
					n += 2
					break
				}
			}
			if !e.opt {
				n--
			}
		}
		form, _, _ := strings.Cut(r.Form, ";")
		s = append(s, scored{form, n})
	}
	sort.SliceStable(s, func(i, j int) bool { return s[i].score > s[j].score })
	for i := 0; i < len(s) && len(forms) < 3; i++ {
		if !slices.Contains(forms, s[i].form) {
			forms = append(forms, s[i].form)
		}
	}
	return forms, ""
}

// corrected lists the opcodes that differ from an opcode without a row in a single modifier: two
// neighbours are exchanged, one is missing, one is superfluous, or one replaces another. The most
// likely come first. Forms that some targets no longer have are not proposed.
func (t *table) corrected(parts []string) []string {
	type candidate struct {
		op   string
		rank int
	}
	var list []candidate
	if len(parts) > 32 {
		return nil
	}
	for _, r := range t.rows[parts[0]] {
		if r.Removed != (Version{}) {
			continue
		}
		try := func(rank int, mods ...string) {
			bound := r.match(mods)
			if bound == nil {
				return
			}
			op := parts[0] // in the order of the form, independent of the order of mods
			for _, m := range bound {
				if m != "" {
					op += "." + m
				}
			}
			list = append(list, candidate{op, rank})
		}
		mods := parts[1:]
		strays, stray := 0, 0 // modifiers that the row does not have: one change corrects one of them
		for i, m := range mods {
			if !r.takes(m) {
				strays, stray = strays+1, i
			}
		}
		if strays > 1 {
			continue
		}
		for i := range mods {
			if strays > 0 && i != stray {
				continue
			}
			if i > 0 && strays == 0 {
				s := slices.Clone(mods)
				s[i-1], s[i] = s[i], s[i-1]
				try(0, s...)
			}
			try(4, slices.Delete(slices.Clone(mods), i, i+1)...)
		}
		for _, e := range r.elems {
			for _, a := range e.alts {
				for i := range len(mods) + 1 {
					if strays > 0 && i != stray {
						continue
					}
					if i < len(mods) && a != mods[i] {
						s := slices.Clone(mods)
						s[i] = a
						try(likeness(mods[i], a), s...)
					}
					if !e.opt && strays == 0 {
						try(2, slices.Insert(slices.Clone(mods), i, a)...)
					}
				}
			}
		}
	}
	sort.SliceStable(list, func(i, j int) bool { return list[i].rank < list[j].rank })
	var ops []string
	for _, c := range list {
		if len(ops) < maxCorrections && !slices.Contains(ops, c.op) {
			ops = append(ops, c.op)
		}
	}
	return ops
}

// takes reports whether a position of the form has a modifier.
func (r *row) takes(mod string) bool {
	return slices.ContainsFunc(r.elems, func(e elem) bool { return slices.Contains(e.alts, mod) })
}

// likeness ranks a modifier as replacement of another. Types of one size and kind are similar, and
// so are words with the same beginning.
func likeness(a, b string) int {
	digits := func(s string) string { return strings.TrimLeft(s, "abcdefghijklmnopqrstuvwxyz") }
	switch {
	case isFormat(b) && digits(a) != "" && digits(a) == digits(b) && ((a[0] == 'f') == (b[0] == 'f') || b[0] == 'b'):
		return 1
	case isFormat(a) != isFormat(b):
		return 5
	case a[:min(2, len(a))] == b[:min(2, len(b))]:
		return 1
	case a[:min(1, len(a))] == b[:min(1, len(b))]:
		return 2
	}
	return 3
}
