package api

import (
	"fmt"
	"slices"
	"strings"
)

// WhyView limits how much of a provenance Text and SVG show.
type WhyView struct {
	// All shows copies, addresses, membermasks and the like, which are otherwise shown only if
	// memory, absent lanes or unwritten values decide them; and all rounds of loops.
	All bool
	// Depth is how many steps are shown; 0: all.
	Depth int
	// Width is the columns of a line of Text; 0: 80. Lines is about how many lines it has without
	// All or Depth, 60 if it is 0: the rest is summarised.
	Width, Lines int
}

// A viewEdge is an edge as it is shown.
type viewEdge struct {
	to   int
	role string // "" for data and memory
	note string // shown instead of the node and its operands
}

// view is a provenance folded for display.
type view struct {
	p       *Provenance
	o       WhyView
	edges   [][]viewEdge
	ends    map[string]bool // the ends from which the value is computed
	telling []bool          // reaches memory, absent lanes or unwritten values
	more    []bool          // reaches ends that are not of ends
	chains  map[int][]int   // the first node of a chain: the chain
	inside  map[int]int     // a node that a chain hides: its first node
	hides   map[int][]int   // the first node of a chain: the nodes that it hides, in order
	folds   map[int]fold    // the folds of chains whose text is known
	keys    []int           // by node: instructions of one key are the same
	seen    []int           // by node: the number of the last search that visited it, see again
	search  int
}

// fold is the text for a chain.
type fold struct {
	text string
	of   []string
}

func (p *Provenance) view(o WhyView) *view {
	v := &view{p: p, o: o, edges: make([][]viewEdge, len(p.Nodes)), telling: make([]bool, len(p.Nodes)), chains: map[int][]int{}, inside: map[int]int{},
		hides: map[int][]int{}, folds: map[int]fold{}, seen: make([]int, len(p.Nodes))}
	v.tell()
	v.reachData()
	v.reachMore()
	for i := range p.Nodes {
		v.edges[i] = v.shown(i)
	}
	if !o.All {
		for i := range p.Nodes {
			for k := range v.edges[i] {
				if e := &v.edges[i][k]; e.note == "" {
					e.to = v.behindCopies(e.to)
				}
			}
			v.edges[i] = slices.CompactFunc(v.edges[i], func(a, b viewEdge) bool { return a == b })
		}
		v.findChains()
	}
	return v
}

// isEnd reports whether a node is an end worth showing.
func (v *view) isEnd(n int) bool {
	switch v.p.Nodes[n].Kind {
	case KindInput, KindUnwrittenRegister, KindUnwrittenMemory, KindAbsentLanes, KindOlder, KindNotFollowed:
		return true
	}
	return false
}

// endKey identifies an end regardless of its reader.
func (v *view) endKey(n int) []string {
	x := &v.p.Nodes[n]
	if len(x.Elements) == 0 {
		return []string{fmt.Sprint(x.Kind, x.Name, x.File, x.Line, x.Offset)}
	}
	var out []string
	for _, e := range x.Elements {
		out = append(out, fmt.Sprint(x.Kind, x.Name, e.Index))
	}
	return out
}

// reachData notes the ends from which the value is computed, as opposed to those that decide about
// it.
func (v *view) reachData() {
	v.ends = map[string]bool{}
	seen := make([]bool, len(v.p.Nodes))
	stack := []int{v.p.Root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[n] {
			continue
		}
		seen[n] = true
		if v.isEnd(n) {
			for _, k := range v.endKey(n) {
				v.ends[k] = true
			}
		}
		for _, e := range v.p.Nodes[n].From {
			if e.Role == "data" || e.Role == "memory" {
				stack = append(stack, e.Node)
			}
		}
	}
}

// reachMore notes which nodes reach ends that the value's data does not, as a condition may.
func (v *view) reachMore() {
	v.more = make([]bool, len(v.p.Nodes))
	readers := make([][]int, len(v.p.Nodes))
	var stack []int
	for n := range v.p.Nodes {
		for _, e := range v.p.Nodes[n].From {
			if e.Role != "rounds" && !ofExec(&v.p.Nodes[n], e) {
				readers[e.Node] = append(readers[e.Node], n)
			}
		}
		if v.telling[n] && v.isEnd(n) && slices.ContainsFunc(v.endKey(n), func(k string) bool { return !v.ends[k] }) {
			v.more[n] = true
			stack = append(stack, n)
		}
	}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, r := range readers[n] {
			if v.telling[r] && !v.more[r] {
				v.more[r] = true
				stack = append(stack, r)
			}
		}
	}
}

// tell finds the nodes that reach an end worth showing.
func (v *view) tell() {
	state := make([]uint8, len(v.p.Nodes)) // 1: in hand, 2: done
	type frame struct{ n, e int }
	for start := range v.p.Nodes {
		if state[start] != 0 {
			continue
		}
		stack := []frame{{start, 0}}
		state[start] = 1
		for len(stack) > 0 {
			f := &stack[len(stack)-1]
			n := &v.p.Nodes[f.n]
			if f.e == 0 && v.isEnd(f.n) {
				v.telling[f.n] = true
			}
			if f.e < len(n.From) {
				to := n.From[f.e].Node
				f.e++
				if state[to] == 0 {
					state[to] = 1
					stack = append(stack, frame{to, 0})
				}
				continue
			}
			for _, e := range n.From {
				v.telling[f.n] = v.telling[f.n] || v.telling[e.Node] && e.Role != "rounds"
			}
			state[f.n] = 2
			stack = stack[:len(stack)-1]
		}
	}
}

// shown returns the edges of a node that are shown.
func (v *view) shown(i int) []viewEdge {
	n := &v.p.Nodes[i]
	var out []viewEdge
	absent := slices.ContainsFunc(n.From, func(e ProvenanceEdge) bool { return v.p.Nodes[e.Node].Kind == KindAbsentLanes })
	for _, e := range n.From {
		to := &v.p.Nodes[e.Node]
		x := viewEdge{to: e.Node, role: e.Role}
		if e.Role == "data" && !v.o.All && ofExec(n, e) {
			continue
		}
		switch e.Role {
		case "data", "memory":
			x.role = ""
		case "kept":
			if !v.o.All && !v.more[e.Node] {
				x.note = fmt.Sprintf("kept: %s does not write %s", v.source(to), lanesText(e.Lanes))
			}
		case "rounds":
			if !v.o.All {
				continue // see until
			}
		case "control":
			if !v.o.All && !v.more[e.Node] {
				x.note = "control: " + v.source(to) + v.decided(to)
			}
		case "guard", "choice":
			if !v.o.All && (ofExec(n, e) || !v.more[e.Node]) {
				x.note = v.guardNote(e, to)
			}
		default:
			if !v.o.All && !(e.Role == "members" && absent) && !v.more[e.Node] {
				continue
			}
		}
		if e.Role == "members" {
			x.role = "membermask"
		}
		if !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}

// ofExec reports whether an edge leads to GCN3's EXEC without the instruction naming it. EXEC is
// one scalar, made of the comparisons of all lanes, and so explains little about one lane.
func ofExec(n *ProvenanceNode, e ProvenanceEdge) bool {
	return strings.HasPrefix(e.Register, "exec") && (e.Role == "guard" || e.Role == "data" && strings.HasPrefix(n.Op, "v_") && !strings.Contains(n.Text, "exec"))
}

// decided describes the condition of a branch.
func (v *view) decided(n *ProvenanceNode) string {
	for _, e := range n.From {
		for _, x := range v.p.Nodes[e.Node].Values {
			if e.Role == "guard" && (x.Register == e.Register || len(v.p.Nodes[e.Node].Values) == 1) {
				return fmt.Sprintf(", where %s = %s", localName(e.Register), valuesText(x.Values))
			}
		}
	}
	return ""
}

// guardNote is a guard in one line.
func (v *view) guardNote(e ProvenanceEdge, to *ProvenanceNode) string {
	for _, x := range to.Values {
		if x.Register == e.Register || len(to.Values) == 1 {
			return fmt.Sprintf("%s: %s = %s, of %s", e.Role, localName(e.Register), valuesText(x.Values), v.source(to))
		}
	}
	return e.Role + ": " + strings.Replace(v.label(to), valueMark, "", 1)
}

// behindCopies skips instructions that only move a value.
func (v *view) behindCopies(n int) int {
	for {
		x := &v.p.Nodes[n]
		if !x.Copy || len(v.edges[n]) != 1 || v.edges[n][0].role != "" || v.edges[n][0].note != "" {
			return n
		}
		to := v.edges[n][0].to
		if v.p.Nodes[to].Kind == KindUnwrittenRegister {
			return n
		}
		n = to
	}
}

// number gives every node the number of its instruction in its warp.
func (v *view) number() {
	type key struct {
		file         string
		line         int
		offset       int64
		text         string
		warp         int
		blockX, y, z uint32
	}
	known := map[key]int{}
	v.keys = make([]int, len(v.p.Nodes))
	for n := range v.p.Nodes {
		x := &v.p.Nodes[n]
		k := key{x.File, x.Line, x.Offset, x.Text, x.Warp, x.BlockIndex[0], x.BlockIndex[1], x.BlockIndex[2]}
		id, ok := known[k]
		if !ok {
			id = len(known)
			known[k] = id
		}
		v.keys[n] = id
	}
}

// minChain is how many rounds of a loop are folded.
const minChain = 4

// findChains finds values that were computed round after round by one instruction.
func (v *view) findChains() {
	v.number()
	next := make([]int, len(v.p.Nodes))
	prev := make([]bool, len(v.p.Nodes))
	users := make([]int, len(v.p.Nodes)) // edges that lead to a node
	visible := v.visible()
	for n := range v.p.Nodes {
		if !visible[n] {
			continue
		}
		for _, e := range v.edges[n] {
			if e.note == "" {
				users[e.to]++
			}
		}
	}
	for n := range v.p.Nodes {
		next[n] = -1
		if visible[n] && v.p.Nodes[n].Kind == KindInstruction {
			if next[n] = v.again(n); next[n] >= 0 {
				prev[next[n]] = true
			}
		}
	}
	for n := range v.p.Nodes {
		if prev[n] || next[n] < 0 || v.hidden(n) {
			continue
		}
		var chain []int
		for x := n; x >= 0 && !v.hidden(x); x = next[x] {
			chain = append(chain, x)
		}
		if len(chain) < minChain {
			continue
		}
		v.chains[chain[1]] = chain
		v.hide(chain, users)
	}
	for n := range v.p.Nodes {
		if first, ok := v.inside[n]; ok {
			v.hides[first] = append(v.hides[first], n)
		}
	}
}

// hide hides the rounds of a chain except the first and the last one, and the operands that only
// they use: instructions all of whose users are hidden with them. users counts those. No node is
// hidden twice, so that all chains together take a time that is linear in the graph.
func (v *view) hide(chain, users []int) {
	first, last := chain[1], chain[len(chain)-1]
	left := map[int]int{} // users that are not hidden
	stack := slices.Clone(chain[1 : len(chain)-1])
	for _, x := range stack {
		v.inside[x] = first
	}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range v.edges[x] {
			if e.note != "" || e.to == last || v.p.Nodes[e.to].Kind != KindInstruction || v.keys[e.to] == v.keys[last] || v.hidden(e.to) {
				continue
			}
			n, ok := left[e.to]
			if !ok {
				n = users[e.to]
			}
			if left[e.to] = n - 1; n == 1 {
				v.inside[e.to] = first
				stack = append(stack, e.to)
			}
		}
	}
}

// visible returns the nodes that shown edges reach from the root.
func (v *view) visible() []bool {
	seen := make([]bool, len(v.p.Nodes))
	seen[v.p.Root] = true
	stack := []int{v.p.Root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, e := range v.edges[n] {
			if e.note == "" && !seen[e.to] {
				seen[e.to] = true
				stack = append(stack, e.to)
			}
		}
	}
	return seen
}

func (v *view) hidden(n int) bool { _, ok := v.inside[n]; return ok }

// again finds the nearest node below n that is the same instruction.
func (v *view) again(n int) int {
	// A loop that was unrolled is one operation after another.
	x := &v.p.Nodes[n]
	for _, e := range v.edges[n] {
		if y := &v.p.Nodes[e.to]; e.note == "" && e.role == "" && y.Kind == KindInstruction && !x.Store && y.Op == x.Op && y.Warp == x.Warp && y.BlockIndex == x.BlockIndex &&
			slices.Equal(x.Lanes, y.Lanes) {
			return e.to
		}
	}
	v.search++
	v.seen[n] = v.search
	found := 1
	level := []int{n}
	for range 24 {
		var below []int
		for _, x := range level {
			for _, e := range v.edges[x] {
				if e.note != "" || v.seen[e.to] == v.search {
					continue
				}
				if v.p.Nodes[e.to].Kind == KindInstruction && v.keys[e.to] == v.keys[n] {
					return e.to
				}
				v.seen[e.to] = v.search
				found++
				below = append(below, e.to)
			}
		}
		if level = below; len(level) == 0 || found > 200 {
			break
		}
	}
	return -1
}

// foldText describes the hidden part of a chain: the values and the memory of its rounds.
func (v *view) foldText(chain []int) (text string, of []string) {
	f, ok := v.folds[chain[1]]
	if !ok {
		f.text, f.of = v.newFoldText(chain)
		v.folds[chain[1]] = f
	}
	return f.text, f.of
}

func (v *view) newFoldText(chain []int) (text string, of []string) {
	n := &v.p.Nodes[chain[1]]
	var values []string
	leaves := map[string][]ProvenanceElement{}
	var names []string
	for _, x := range chain[1 : len(chain)-1] {
		if vs := v.p.Nodes[x].Values; len(vs) > 0 && len(vs[0].Values) > 0 {
			values = append(values, vs[0].Values[0])
		}
	}
	for _, id := range v.hides[chain[1]] {
		for _, e := range v.edges[id] {
			to := &v.p.Nodes[e.to]
			if (to.Kind == KindAbsentLanes || to.Kind == KindUnwrittenRegister || to.Kind == KindOlder || to.Kind == KindNotFollowed) && !slices.Contains(of, "of "+v.label(to)) {
				of = append(of, "of "+v.label(to))
			}
			if to.Kind == KindInput || to.Kind == KindUnwrittenMemory {
				if leaves[to.Name] == nil {
					names = append(names, to.Name)
				}
				leaves[to.Name] = append(leaves[to.Name], to.Elements...)
			}
		}
	}
	what := v.source(n)
	if second := &v.p.Nodes[chain[2]]; second.Line != n.Line && second.File == n.File {
		what = fmt.Sprintf("%s (lines %d..%d)", n.Op, v.p.Nodes[chain[len(chain)-2]].Line, n.Line)
	}
	text = fmt.Sprintf("… %d more of the same: %s", len(chain)-2, what)
	if len(values) > 0 {
		text += valueMark + " = " + valuesText(values)
	}
	if slices.ContainsFunc(chain[1:len(chain)-1], func(x int) bool { return v.p.Nodes[x].Undefined }) {
		text += ", undefined"
	}
	for _, name := range names {
		of = append(of, "of "+v.elementsText(name, leaves[name]))
	}
	for _, x := range chain {
		if s := v.until(x); s != "" {
			return text, append(of, s)
		}
	}
	return text, of
}

// until names the event that ended the loop in which a node was executed; "" if that is unknown.
func (v *view) until(n int) string {
	for _, e := range v.p.Nodes[n].From {
		if e.Role != "rounds" {
			continue
		}
		branch := &v.p.Nodes[e.Node]
		for _, g := range branch.From {
			by := &v.p.Nodes[g.Node]
			if g.Role != "guard" || by.Kind != KindInstruction || len(by.Values) == 0 {
				continue
			}
			var with []string
			for _, o := range by.From {
				to := &v.p.Nodes[o.Node]
				if o.Role != "data" && o.Role != "memory" {
					continue
				}
				s := ""
				switch {
				case to.Kind == KindInstruction:
					for _, x := range to.Values {
						if x.Register == o.Register || len(to.Values) == 1 {
							s = localName(o.Register) + " = " + valuesText(x.Values)
						}
					}
				case to.Kind == KindParameter || to.Kind == KindSpecial || to.Kind == KindInput:
					s = v.label(to)
				}
				if s != "" && !slices.Contains(with, s) {
					with = append(with, s)
				}
			}
			s := "until " + v.source(by) + " = " + valuesText(by.Values[0].Values)
			if len(with) > 0 {
				s += ": " + strings.Join(with, ", ")
			}
			return s
		}
		return "until " + v.source(branch)
	}
	return ""
}

// localName is a register's name without the function that it is of.
func localName(s string) string { return s[strings.LastIndexByte(s, '/')+1:] }
