package ptx

import (
	"fmt"
	"slices"
	"strings"
)

// A callGraph holds the functions that a kernel can reach: the functions that the kernel and its
// callees call directly, and the functions that its indirect calls may reach. It decides which of
// them need code of their own; direct calls of the rest are inlined.
//
// An indirect call may reach every function of its shape whose address the module takes, also in
// another kernel, because a pointer may come from memory that an earlier launch wrote. A call
// that lists its targets reaches only functions whose address the kernel and its callees take.
//
// Input: a checked module and a kernel.
// Output: reach, order, and for each function its callNode: code, inline, loops.
// Invariant: a function in a cycle of calls, or reached by an indirect call, has code of its own.
// Example: entry k calls f twice; f calls itself. f has code of its own; k's calls are real calls.
// Literature: Tarjan, depth-first search and linear graph algorithms (SIAM J. Comput. 1972).
type callGraph struct {
	c     *checker
	reach []*Func // with a body, in the order in which they were found; the kernel first
	node  map[*Func]*callNode

	addressed map[*Func]bool     // the functions whose address the kernel and its callees take
	dynamic   map[string]bool    // shapes of the indirect calls that are reached
	open      map[string]bool    // shapes of those that list no targets
	byShape   map[string][]*Func // the functions that indirect calls may reach, by shape
	callable  map[*Func]bool     // the same functions
	vars      map[*Var]bool
	queue     []*Func

	wide    bool // pointers may come from other kernels
	widened bool // callable has a function whose address only other kernels take
	sound   soundness

	// order holds the functions with callees before callers, except within a cycle.
	order []*Func
}

// A callNode holds the facts about one function.
type callNode struct {
	direct []*Func         // callees of direct calls, each once
	shapes map[string]bool // shapes of its indirect calls
	sites  map[*Func]int   // the number of direct calls of each callee
	instrs int

	cycle  int  // number of its cycle; if it is in none, a number of its own
	loops  bool // it is in a cycle, so it may be called while it runs
	code   bool // it has code of its own
	inline bool // direct calls of it are inlined
	alloca bool // it changes the stack pointer

	changed map[*Var]bool // parameters that it may write to; nil: not computed yet
	params  map[*Var]*Reg // parameters and results that are registers; nil: not computed yet

	size, height int // instructions and depth, inlined calls included
	local        uint64
}

// maxInlined is the number of instructions that a kernel may have with all calls inlined. Above it,
// functions that are called more than once get code of their own.
const maxInlined = 1 << 16

// newCallGraph explores the functions that a kernel reaches, and checks all of them.
// If called is not nil, a call that is not in the text reaches it.
func newCallGraph(c *checker, entry *Func, wide bool, called *Func) *callGraph {
	g := &callGraph{
		c: c, node: map[*Func]*callNode{}, addressed: map[*Func]bool{},
		byShape: map[string][]*Func{}, dynamic: map[string]bool{}, vars: map[*Var]bool{}, wide: wide,
		open: map[string]bool{}, callable: map[*Func]bool{}, sound: soundness{m: c.m, known: map[*Func]bool{}},
	}
	g.visit(entry)
	if called != nil {
		g.reaches(shapeOf(called), called)
	}
	for len(g.queue) > 0 {
		f := g.queue[0]
		g.queue = g.queue[1:]
		g.explore(f)
	}
	g.components()
	g.decide(entry)
	return g
}

func (g *callGraph) visit(f *Func) {
	if g.node[f] != nil {
		return
	}
	g.node[f] = &callNode{sites: map[*Func]int{}, shapes: map[string]bool{}}
	g.reach = append(g.reach, f)
	g.queue = append(g.queue, f)
}

// explore checks a function and finds the functions and variables that it mentions.
func (g *callGraph) explore(f *Func) {
	n := g.node[f]
	b := f.Body()
	g.c.checked[f] = b
	g.c.fn(f, b)
	b.instrs(func(in *Instr) {
		n.instrs++
		v := g.c.variant(in)
		if v == nil {
			return
		}
		n.alloca = n.alloca || v.row.Do.stack
		if !v.row.Do.inlines {
			for i := range in.Args {
				g.operand(&in.Args[i])
			}
			return
		}
		s := siteOf(g.c.m, in)
		for i := range s.args {
			g.operand(&s.args[i])
		}
		switch {
		case s.callee == nil && g.c.unit: // it may reach other units: see LiftUnit
		case s.callee == nil && s.proto != nil:
			for _, t := range s.targets {
				g.address(t)
			}
			if s.table != nil {
				g.operand(s.table)
			}
			key := shapeOf(s.proto)
			n.shapes[key] = true
			if !g.dynamic[key] {
				g.dynamic[key] = true
				for _, t := range g.shape(key) {
					if g.addressed[t] {
						g.reaches(key, t)
					}
				}
			}
			if g.wide && len(s.targets) == 0 && s.table == nil && !g.open[key] {
				g.open[key] = true
				for _, t := range g.shape(key) {
					if !g.callable[t] && g.sound.of(t) {
						g.widened = true
						g.reaches(key, t)
					}
				}
			}
		case s.callee != nil && s.callee.Defined():
			if n.sites[s.callee]++; n.sites[s.callee] == 1 {
				n.direct = append(n.direct, s.callee)
			}
			g.visit(s.callee)
		}
	})
}

// operand finds the functions whose address an operand takes.
func (g *callGraph) operand(o *Operand) {
	if f := o.Func(); f != nil {
		g.address(f)
	}
	if v := o.Var(); v != nil {
		g.variable(v)
	}
	for i := range o.List {
		g.operand(&o.List[i])
	}
}

// variable finds the functions in a variable's initialiser, and in the initialisers of the
// variables that it points to.
func (g *callGraph) variable(v *Var) {
	if v.Init == nil || g.vars[v] {
		return
	}
	g.vars[v] = true
	var walk func(in *Init)
	walk = func(in *Init) {
		for _, e := range in.List {
			walk(e)
		}
		switch r := in.Ref.(type) {
		case *Func:
			g.address(r)
		case *Var:
			g.variable(r)
		}
	}
	walk(v.Init)
}

// address notes a function whose address is taken.
func (g *callGraph) address(f *Func) {
	f = definition(g.c.m, f)
	if g.addressed[f] {
		return
	}
	g.addressed[f] = true
	if f.Defined() && !f.Entry {
		if key := shapeOf(f); g.dynamic[key] {
			g.reaches(key, f)
		}
	}
}

// shape returns the functions of a shape that have an address and a body.
func (g *callGraph) shape(key string) []*Func {
	_, list := g.c.m.addressed().shape(key)
	return slices.DeleteFunc(slices.Clone(list), func(f *Func) bool { return !f.Defined() || f.Entry })
}

// reaches notes that the indirect calls of a shape may reach f.
func (g *callGraph) reaches(key string, f *Func) {
	if !g.callable[f] {
		g.callable[f] = true
		g.byShape[key] = append(g.byShape[key], f)
		g.visit(f)
	}
}

// A soundness finds the functions that Crosslane supports, together with the functions that they
// call directly. An unsupported function is no error in a kernel that only might call it: a call of
// it is a fault.
type soundness struct {
	m     *Module
	known map[*Func]bool
}

// of reports whether f and all functions that it calls directly pass the checks.
func (s *soundness) of(f *Func) bool {
	if ok, found := s.known[f]; found {
		return ok
	}
	c := newChecker(s.m)
	seen := map[*Func]bool{f: true}
	for queue := []*Func{f}; len(queue) > 0; queue = queue[1:] {
		b := queue[0].Body()
		if c.fn(queue[0], b); c.errs.count > 0 {
			s.known[f] = false
			return false
		}
		b.instrs(func(in *Instr) {
			if v := c.variant(in); v == nil || !v.row.Do.inlines {
				return
			}
			if t := siteOf(s.m, in).callee; t != nil && t.Defined() && !seen[t] && !s.known[t] {
				seen[t] = true
				queue = append(queue, t)
			}
		})
	}
	for t := range seen {
		s.known[t] = true
	}
	return true
}

// callees calls do for every function that f may call.
func (g *callGraph) callees(f *Func, do func(*Func)) {
	n := g.node[f]
	for _, t := range n.direct {
		do(t)
	}
	for key := range n.shapes {
		for _, t := range g.byShape[key] {
			do(t)
		}
	}
}

// components finds the cycles of the graph with Tarjan's algorithm (see callGraph). All indirect
// calls of a shape are one node, so the graph has no more edges than the module has words.
func (g *callGraph) components() {
	type state struct {
		index, low int
		on         bool
	}
	// A vertex is a *Func or a shape.
	st := map[any]*state{}
	var stack []any
	count := 0
	next := func(v any) []any {
		var out []any
		switch v := v.(type) {
		case *Func:
			n := g.node[v]
			for _, t := range n.direct {
				out = append(out, t)
			}
			keys := make([]string, 0, len(n.shapes))
			for key := range n.shapes {
				keys = append(keys, key)
			}
			slices.Sort(keys)
			for _, key := range keys {
				out = append(out, key)
			}
		case string:
			for _, t := range g.byShape[v] {
				out = append(out, t)
			}
		}
		return out
	}
	var visit func(v any)
	visit = func(v any) {
		count++
		s := &state{index: count, low: count, on: true}
		st[v] = s
		stack = append(stack, v)
		for _, t := range next(v) {
			if o := st[t]; o == nil {
				visit(t)
				s.low = min(s.low, st[t].low)
			} else if o.on {
				s.low = min(s.low, o.index)
			}
		}
		if s.low != s.index {
			return
		}
		at := len(stack) - 1
		for stack[at] != v {
			at--
		}
		group := stack[at:]
		stack = stack[:at]
		for _, m := range group {
			st[m].on = false
			if f, ok := m.(*Func); ok {
				n := g.node[f]
				n.cycle = s.index
				n.loops = len(group) > 1 || n.sites[f] > 0
				g.order = append(g.order, f)
			}
		}
	}
	for _, f := range g.reach {
		if st[f] == nil {
			visit(f)
		}
	}
}

// decide chooses the functions that have code of their own: functions in cycles, functions that
// indirect calls reach, and functions that would make the kernel too large or too deep if they were
// inlined.
func (g *callGraph) decide(entry *Func) {
	sites := map[*Func]int{}
	for _, f := range g.reach {
		n := g.node[f]
		for t, k := range n.sites {
			sites[t] += k
		}
	}
	for limit := 1 << 30; ; limit /= 16 {
		total := 0
		for _, f := range g.order {
			n := g.node[f]
			n.inline, n.code, n.size, n.height = !n.loops, n.loops, n.instrs, 1
			n.code = n.code || g.callable[f]
			for t, k := range n.sites {
				if u := g.node[t]; u.inline {
					n.size = min(n.size+k*u.size, 1<<40)
					n.height = max(n.height, u.height+1)
				}
			}
			if f != entry && (n.height >= maxInline || n.size > limit && sites[f] > 1) {
				n.inline, n.code = false, true
			}
			if n.code || f == entry {
				total += n.size
			}
		}
		if total <= maxInlined || limit < 8 {
			return
		}
	}
}

// A site is a call instruction split into its parts.
type site struct {
	results, args []Operand
	callee        *Func    // for a direct call: the definition if there is one
	pointer       *Operand // for an indirect call
	proto         *Func    // the promise about the callee; nil if the call gives none
	targets       []*Func  // the functions of .calltargets
	table         *Operand // the array of functions that names the targets
	listed        bool     // an argument list is present, perhaps an empty one
}

// siteOf splits a call into results, callee, arguments, and list or prototype.
func siteOf(m *Module, in *Instr) site {
	var s site
	rest := in.Args
	if len(rest) > 0 && rest[0].Kind == KindList {
		s.results, rest = rest[0].List, rest[1:]
	}
	if len(rest) == 0 {
		return s
	}
	callee := &rest[0]
	rest = rest[1:]
	if len(rest) > 0 && rest[0].Kind == KindList {
		s.args, s.listed, rest = rest[0].List, true, rest[1:]
	}
	if callee.Kind == KindFunc {
		s.callee = definition(m, callee.Func())
		s.proto = s.callee
		return s
	}
	s.pointer = callee
	if len(rest) == 0 {
		return s
	}
	switch last := &rest[len(rest)-1]; last.Kind {
	case KindLabel:
		d := last.Label().Dir
		if d == nil {
			break
		}
		s.proto = d.Proto
		for i := range d.Args {
			if f := d.Args[i].Func(); f != nil {
				s.targets = append(s.targets, definition(m, f))
			}
		}
		if s.proto == nil && len(s.targets) > 0 {
			s.proto = s.targets[0]
		}
	case KindVar:
		s.table = last
		if v := last.Var(); v != nil && v.Init != nil {
			s.proto = firstFunc(m, v.Init)
		}
	}
	return s
}

// firstFunc returns the first function that an initialiser names.
func firstFunc(m *Module, in *Init) *Func {
	if f, ok := in.Ref.(*Func); ok {
		return definition(m, f)
	}
	for _, e := range in.List {
		if f := firstFunc(m, e); f != nil {
			return f
		}
	}
	return nil
}

// definition returns the function that a name means: it resolves an alias and prefers the function
// with a body.
func definition(m *Module, f *Func) *Func {
	if f != nil && f.AliasOf != nil {
		f = f.AliasOf
	}
	if f != nil && !f.Defined() {
		if d := m.Func(f.Name); d != nil {
			return d
		}
	}
	return f
}

// shapeOf describes a function as far as its callers depend on it: the sizes of results and
// parameters. A declaration as registers or in .param space makes no difference to either side (PTX
// 7.1).
func shapeOf(f *Func) string {
	var b strings.Builder
	for _, v := range f.Results {
		fmt.Fprintf(&b, "%d ", v.Size())
	}
	b.WriteString("(")
	for _, v := range f.Params {
		if openArray(v) {
			b.WriteString("...")
			break
		}
		fmt.Fprintf(&b, "%d ", v.Size())
	}
	b.WriteString(")")
	return b.String()
}

// openArray reports whether a parameter is an array without a size, which takes any
// number of bytes (PTX 11.2.2).
func openArray(v *Var) bool { return len(v.Dims) > 0 && v.Dims[0].Open && v.Init == nil }

// stackAlign returns the alignment of the frames of functions in cycles: the largest alignment of
// their variables, and at least 16.
func (g *callGraph) stackAlign() uint64 {
	a := uint64(16)
	for _, f := range g.reach {
		var walk func(b *Block)
		walk = func(b *Block) {
			for _, s := range b.Stmts {
				switch s := s.(type) {
				case *Var:
					if s.Space == SpaceLocal || s.Space == SpaceParam {
						a = max(a, s.Alignment())
					}
				case *Block:
					walk(s)
				}
			}
		}
		walk(&g.c.checked[f].Block)
	}
	return a
}
