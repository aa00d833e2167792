package ptx

import (
	"cmp"
	"slices"
	"sync"
)

// addressed numbers the functions of a module whose address the text takes, in an instruction, in an
// initialiser or in a .calltargets list. The number determines the address (see ir.FuncAddress), so
// a function has one address in all kernels of the module: a pointer that one kernel stores is
// valid in the next.
//
// Input: a resolved module.
// Output: the functions with their numbers.
// Invariant: the functions of a shape (see shapeOf) have consecutive numbers, so the branch table of
// an indirect call has entries for these functions only.
// Example: `mov.u64 %rd1, f;` in kernel a and `.global .u64 t = g;` yield f and g.
type addressed struct {
	list   []*Func // by number
	number map[*Func]int
	names  []string          // by number
	shapes map[string][2]int // the lowest number of a shape, and the number after its last one
}

// shape returns the functions of a shape, and the number of the first one.
func (a *addressed) shape(key string) (first int, list []*Func) {
	s := a.shapes[key]
	return s[0], a.list[s[0]:s[1]]
}

// numbered numbers functions by shape and by their order in the text.
func numbered(fs map[*Func]bool) *addressed {
	type entry struct {
		f     *Func
		shape string
	}
	var list []entry
	for f := range fs {
		list = append(list, entry{f, shapeOf(f)})
	}
	slices.SortFunc(list, func(a, b entry) int {
		return cmp.Or(cmp.Compare(a.shape, b.shape), cmp.Compare(a.f.Pos.Off, b.f.Pos.Off))
	})
	a := &addressed{number: map[*Func]int{}, shapes: map[string][2]int{}}
	for i, e := range list {
		a.list, a.names = append(a.list, e.f), append(a.names, e.f.Name)
		a.number[e.f] = i
		s, ok := a.shapes[e.shape]
		if !ok {
			s[0] = i
		}
		a.shapes[e.shape] = [2]int{s[0], i + 1}
	}
	return a
}

// addressed returns the functions whose address the module takes. It reads the bodies at the first
// use.
func (m *Module) addressed() *addressed { return m.index().addressed() }

// collectAddressed returns the implementation of Module.addressed.
func (m *Module) collectAddressed() func() *addressed {
	return sync.OnceValue(func() *addressed {
		s := scan{m: m, taken: map[*Func]bool{}}
		c := newChecker(m)
		for _, it := range m.Items {
			switch it := it.(type) {
			case *Var:
				s.initialiser(it.Init)
			case *Func:
				if it.Defined() && m.scanned == nil {
					s.body(c, it, it.Body())
				}
			}
		}
		if m.scanned != nil {
			for f := range m.scanned.taken {
				s.taken[definition(m, f)] = true
			}
		}
		return numbered(s.taken)
	})
}

// A scan holds what the module's facts need of all bodies. In a large module, loading fills it.
type scan struct {
	m       *Module
	taken   map[*Func]bool // functions whose address is taken
	holders []*Func        // functions whose body declares a .global or .const variable
}

// body scans the body of f.
func (s *scan) body(c *checker, f *Func, b *Body) {
	b.instrs(func(in *Instr) {
		v := c.variant(in)
		if v == nil || !v.row.Do.inlines {
			for i := range in.Args {
				s.operand(&in.Args[i])
			}
			return
		}
		call := siteOf(s.m, in)
		for i := range call.args {
			s.operand(&call.args[i])
		}
		for _, t := range call.targets {
			s.take(t)
		}
	})
	holds := false
	for v := range b.variables() {
		holds = true
		s.initialiser(v.Init)
	}
	if holds {
		s.holders = append(s.holders, f)
	}
}

func (s *scan) take(f *Func) { s.taken[definition(s.m, f)] = true }

func (s *scan) operand(o *Operand) {
	if f := o.Func(); f != nil {
		s.take(f)
	}
	for i := range o.List {
		s.operand(&o.List[i])
	}
}

func (s *scan) initialiser(in *Init) {
	if in == nil {
		return
	}
	if f, ok := in.Ref.(*Func); ok {
		s.take(f)
	}
	for _, e := range in.List {
		s.initialiser(e)
	}
}
