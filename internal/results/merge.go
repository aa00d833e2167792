package results

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// A Group is one finding that several launches may have. Hits are the numbers of those launches.
type Group struct {
	*diag.Diagnostic
	Hits []int
}

// Merge joins the findings of launches, one list each. If several launches have the same finding, the first
// one's diagnostic is kept. The findings of told are left out.
func Merge(lists []diag.List, told diag.List) []*Group {
	var groups []*Group
	exact := map[string]*Group{}
	byPlace := map[string][]*Group{}
	for i, list := range lists {
		list = NotTold(list, told)
		here := map[string]int{}
		for _, d := range list {
			here[PlaceKey(d)]++
		}
		for _, d := range list {
			place := PlaceKey(d)
			key := place + relatedKey(d)
			g := exact[key]
			// A finding that is alone at its place, in this launch and in earlier ones, is the same
			// finding, although launches may describe its cause differently.
			if same := byPlace[place]; g == nil && len(same) == 1 && here[place] == 1 {
				g = same[0]
			}
			if g == nil {
				copied := *d // the kernel's own warnings are shared by its launches
				g = &Group{Diagnostic: &copied}
				exact[key] = g
				byPlace[place] = append(byPlace[place], g)
				groups = append(groups, g)
			}
			// If only some launches have the finding as an error, only those are listed.
			switch {
			case d.Severity > g.Severity:
				copied := *d
				g.Diagnostic, g.Hits = &copied, nil
			case d.Severity < g.Severity:
				continue
			}
			if n := len(g.Hits); n == 0 || g.Hits[n-1] != i {
				g.Hits = append(g.Hits, i)
			}
		}
	}
	return groups
}

// NotTold removes the findings that the other list already has at the same place: a file's
// warnings, when it is loaded, are some of those of its kernels.
func NotTold(list, told diag.List) diag.List { return NewTold(told).Rest(list) }

// Told are the warnings and notes that need not be reported again.
type Told map[toldKey]bool

type toldKey struct {
	code    string
	pos     diag.Pos
	message string
}

// NewTold are those of a list.
func NewTold(list diag.List) Told {
	t := Told{}
	t.Add(list)
	return t
}

// Add adds those of a list.
func (t Told) Add(list diag.List) {
	for _, d := range list {
		if d.Severity != diag.Error {
			t[toldKey{d.Code, d.Pos, d.Message}] = true
		}
	}
}

// Rest is the part of a list that was not reported.
func (t Told) Rest(list diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(list), func(d *diag.Diagnostic) bool {
		return t[toldKey{d.Code, d.Pos, d.Message}]
	})
}

// PlaceKey is a diagnostic's code and place or, without a place, the beginning of its message.
func PlaceKey(d *diag.Diagnostic) string {
	key := fmt.Sprintf("%s|%d|%s|%s", d.Code, d.Class, d.Pos, d.Kernel)
	if d.Pos.Line == 0 && !d.Pos.HasOff {
		head, _, _ := strings.Cut(d.Message, ":")
		key += "|" + head
	}
	return key
}

// relatedKey is the other places that a diagnostic names: an instruction may wait for two
// instructions.
func relatedKey(d *diag.Diagnostic) string {
	var b strings.Builder
	for _, r := range d.Related {
		if r.After {
			continue
		}
		b.WriteString("|" + r.Pos.String())
	}
	return b.String()
}
