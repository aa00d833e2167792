package ptx

import (
	"cmp"
	"slices"
	"sort"
)

// An index finds the functions of a module by name and by position. It covers the first items of
// the module.
type index struct {
	items  int
	byName map[string]*Func // if several have the name, the one with a body
	bodies []*Func          // functions with a body, in the order of the text

	addressed func() *addressed
}

// index makes the index at its first use, and again if items were added since.
func (m *Module) index() *index {
	if x := m.found.Load(); x != nil && x.items == len(m.Items) {
		return x
	}
	x := &index{items: len(m.Items), byName: map[string]*Func{}, addressed: m.collectAddressed()}
	for _, it := range m.Items {
		f, ok := it.(*Func)
		if !ok {
			continue
		}
		if f.Defined() {
			x.bodies = append(x.bodies, f)
		}
		if old := x.byName[f.Name]; old == nil || !old.Defined() {
			x.byName[f.Name] = f
		}
	}
	slices.SortStableFunc(x.bodies, func(a, b *Func) int { return cmp.Compare(a.Pos.Off, b.Pos.Off) })
	m.found.Store(x)
	return x
}

// funcAt returns the function whose text holds a line and column, or the function before that
// place; nil: there is none.
func (m *Module) funcAt(line, col int32) *Func {
	list := m.index().bodies
	n := sort.Search(len(list), func(i int) bool {
		p := list[i].Pos
		return p.Line > line || p.Line == line && p.Col > col
	})
	if n == 0 {
		return nil
	}
	return list[n-1]
}
