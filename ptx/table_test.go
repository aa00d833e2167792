package ptx

import (
	"sort"
	"strings"
	"testing"

	"example.org/crosslane/internal/short"
)

// allVariants calls f for every spelling of every row: each alternative of each
// class, optional modifiers present and absent. With -short it calls f for the spellings that show
// an alternative of their row for the first or second time, and for one in 64 of the rest.
func allVariants(f func(r *row, op string, v *variant)) {
	eachVariant(testing.Short(), f)
}

// eachVariant is allVariants that takes the sample, or all spellings also with -short.
func eachVariant(sample bool, f func(r *row, op string, v *variant)) {
	type shown struct {
		at  int
		alt string
	}
	for _, name := range instructions().names {
		for _, r := range instructions().rows[name] {
			mods := make([]string, len(r.elems))
			spellings, seen := 0, map[shown]int{}
			belongs := func() bool { // to the run
				if !sample {
					return true
				}
				spellings++
				first := spellings == 1
				for i, m := range mods {
					if seen[shown{i, m}]++; seen[shown{i, m}] <= 2 {
						first = true
					}
				}
				return first || spellings%64 == 0
			}
			var rec func(i int)
			rec = func(i int) {
				if i == len(r.elems) {
					if !r.together(mods) || !belongs() {
						return
					}
					op := r.mnemonic
					for _, m := range mods {
						if m != "" {
							op += "." + m
						}
					}
					f(r, op, r.choose(append([]string(nil), mods...), len(r.ops)))
					return
				}
				if r.elems[i].opt {
					mods[i] = ""
					rec(i + 1)
				}
				alts := r.elems[i].alts
				switch c := r.elems[i].class; {
				case strings.HasPrefix(c, "level"), c == "cop", c == "sem", c == "scope", c == "ss":
					alts = alts[:1] // hints and spaces: one alternative stands for all
				}
				for _, a := range alts {
					mods[i] = a
					rec(i + 1)
				}
			}
			rec(0)
		}
	}
}

// TestEveryVariantHasItsOperations checks that the IR has every operation that a row names.
func TestEveryVariantHasItsOperations(t *testing.T) {
	t.Parallel()
	lack := map[string]string{}
	n := 0
	allVariants(func(r *row, op string, v *variant) {
		n++
		if v.lack != "" {
			lack[v.lack] = op
		}
	})
	var list []string
	for name, op := range lack {
		list = append(list, name+" for "+op)
	}
	sort.Strings(list)
	for _, s := range list {
		t.Errorf("the IR has no operation %s", s)
	}
	if n < short.Of(2000, 1000) {
		t.Errorf("only %d variants", n)
	}
	t.Logf("%d variants of %d mnemonics", n, len(instructions().names))
}
