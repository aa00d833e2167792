package ptx

import (
	"sort"
	"strings"
)

// Fidelity is the degree to which Crosslane's execution of an instruction agrees with the manual.
type Fidelity uint8

const (
	// Exact: the results are those of the manual, bit for bit. If the manual leaves a choice (the
	// order of atomics, of lanes), the result is one that it allows.
	Exact Fidelity = iota
	// Approximate: the results are within the error that the manual allows.
	Approximate
	// NoEffect: the instruction is parsed and checked, and changes no result. Its effect on a
	// processor's time, caches or registers is not modelled.
	NoEffect
	// Unsupported: the instruction is known, and refused by name.
	Unsupported
)

func (f Fidelity) String() string {
	return [...]string{"exact", "approximate", "no effect modelled", "unsupported"}[f]
}

// fidelity derives the fidelity from the row's meaning and Bound.
func (r *row) fidelity() Fidelity {
	switch {
	case r.Do.unsupported != "":
		return Unsupported
	case r.Do.noEffect:
		return NoEffect
	case r.Bound != "":
		return Approximate
	}
	return Exact
}

// hintClasses are modifiers that advise a processor and change no result, for example the cache
// that keeps a line, or the promise that all threads branch alike. The modifiers .weak, .relaxed
// and .volatile are not among them: Crosslane orders memory always, which is more than they demand.
const hintClasses = " cop level::cache_hint level::prefetch_size level1::evict level2::evict level::eviction_priority primary secondary uni unif "

// isHint reports whether a class of modifiers has no effect, in a row that does have an effect.
func (r *row) isHint(class string) bool {
	return !r.Do.noEffect && r.Do.unsupported == "" && strings.Contains(hintClasses, " "+class+" ")
}

// A Use is an opcode that a kernel contains, with the fidelity of its execution.
type Use struct {
	Opcode   string
	Section  string // in the PTX ISA
	Sites    int    // instructions of the source with this opcode
	Fidelity Fidelity
	Bound    string   // for an approximate one, the error that the manual allows
	Ignored  []string // modifiers without effect: ".ca"

	row *row
}

// uses lists the opcodes of the functions that a kernel consists of: first the approximate ones,
// then those without effect, then the exact ones, each sorted by name.
func (c *checker) uses(funcs map[*Func]*Body) []Use {
	count := map[string]int{}
	by := map[string]*variant{}
	for _, b := range funcs {
		b.instrs(func(in *Instr) {
			if v := c.variant(in); v != nil {
				count[in.Op]++
				by[in.Op] = v
			}
		})
	}
	var list []Use
	for op, v := range by {
		u := Use{Opcode: op, Section: v.row.Sec, Sites: count[op], Fidelity: v.row.fidelity(), Bound: v.row.Bound, row: v.row}
		for i, e := range v.row.elems {
			if v.mods[i] != "" && v.row.isHint(e.class) {
				u.Ignored = append(u.Ignored, "."+v.mods[i])
			}
		}
		list = append(list, u)
	}
	rank := [...]int{Exact: 3, Approximate: 1, NoEffect: 2, Unsupported: 0}
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		if a.Fidelity != b.Fidelity {
			return rank[a.Fidelity] < rank[b.Fidelity]
		}
		return a.Opcode < b.Opcode
	})
	return list
}
