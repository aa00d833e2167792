package ptx

import (
	"cmp"
	"slices"
	"sort"
)

// An index finds the functions of a module. It is of the first items.
type index struct {
	items  int
	byName map[string]*Func // with a body, if there is one
	bodies []*Func          // those with bodies, in the order of the text
}

// index is made when it is first needed, and again if there are more items since.
func (m *Module) index() *index {
	if x := m.found.Load(); x != nil && x.items == len(m.Items) {
		return x
	}
	x := &index{items: len(m.Items), byName: map[string]*Func{}}
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

// funcAt is the function whose text a line and column are in, or the one before; nil:
// there is none.
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
