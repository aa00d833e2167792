package crosslane

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// whyWidth is the number of columns of Text.
const whyWidth = 80

// Text draws the provenance as a tree: under every value what it was made of.
func (p *Provenance) Text(o WhyView) string {
	v := p.view(o)
	t := &whyText{v: v, shown: map[int]int{}, uses: map[int]int{}}
	t.count(p.Root, map[int]bool{})
	t.node(p.Root, "", "", "", p.Root, 0)
	return t.b.String()
}

type whyText struct {
	v     *view
	b     strings.Builder
	uses  map[int]int // how often a node is led to
	shown map[int]int // the numbers of those shown that are led to again
}

func (t *whyText) count(n int, seen map[int]bool) {
	stack := []int{n}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if t.uses[n]++; seen[n] {
			continue
		}
		seen[n] = true
		if chain := t.v.chains[n]; chain != nil {
			stack = append(stack, chain[len(chain)-1])
			continue
		}
		for _, e := range t.v.edges[n] {
			if e.note == "" {
				stack = append(stack, e.to)
			}
		}
	}
}

// line writes one line of at most whyWidth columns: if there is not enough room, the
// first part of it is cut, which is the instruction.
func (t *whyText) line(prefix, s, tail string) {
	s, value, _ := strings.Cut(s, valueMark)
	if tail != "" {
		tail = "  " + tail
	}
	room := whyWidth - utf8.RuneCountInString(prefix+tail)
	s = cutText(s, max(room-utf8.RuneCountInString(value), 24))
	if value != "" {
		s += cutText(value, max(room-utf8.RuneCountInString(s), 8))
	}
	t.b.WriteString(strings.TrimRight(prefix+s+tail, " "))
	t.b.WriteByte('\n')
}

// valueMark parts an instruction from its value, in a label.
const valueMark = "\x00"

// cutText cuts a text to n columns.
func cutText(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:max(n-1, 0)]) + "…"
	}
	return s
}

// node writes a node: first before its line, rest before those of what it was made of.
func (t *whyText) node(n int, first, rest, role string, parent, depth int) {
	v := t.v
	if role != "" {
		role += ": "
	}
	if chain := v.chains[n]; chain != nil {
		t.line(first, role+v.foldText(chain), "")
		t.node(chain[len(chain)-1], rest+"↑ ", rest, "", parent, depth+1)
		return
	}
	x := &v.p.Nodes[n]
	if at, ok := v.inside[n]; ok {
		t.line(first, role+"→ "+v.source(x)+" of the rounds folded", "")
		_ = at
		return
	}
	if num, ok := t.shown[n]; ok {
		t.line(first, fmt.Sprintf("%s→ #%d: %s", role, num, v.label(x)), "")
		return
	}
	label := role + v.label(x)
	if t.uses[n] > 1 && len(v.edges[n]) > 0 {
		t.shown[n] = len(t.shown) + 1
		label = fmt.Sprintf("#%d %s", t.shown[n], label)
	}
	if n == v.p.Root && x.Kind == KindInstruction && len(x.Values) > 0 {
		t.root(x)
	}
	t.line(first, label, v.where(x, &v.p.Nodes[parent]))
	for _, a := range v.absentText(x) {
		t.line(rest+"  ", a, "")
	}
	edges := v.edges[n]
	if v.o.Depth > 0 && depth >= v.o.Depth && len(edges) > 0 {
		t.line(rest, "… deeper: --depth", "")
		return
	}
	for i, e := range edges {
		a, b := "├─ ", "│  "
		switch {
		case len(edges) == 1:
			a, b = "↑ ", ""
		case i == len(edges)-1:
			a, b = "└─ ", "   "
		}
		if e.note != "" {
			t.line(rest+a, e.note, "")
			continue
		}
		t.node(e.to, rest+a, rest+b, e.role, n, depth+1)
	}
}

// root writes the value in question, with its bits.
func (t *whyText) root(x *ProvenanceNode) {
	for _, val := range x.Values {
		if len(val.Bits) == 0 {
			continue
		}
		name := val.Register
		if name == "" {
			name = "stored"
		}
		t.line("", fmt.Sprintf("%s = %s (%#x) at %s", name, val.Values[0], val.Bits[0], t.v.p.At), "")
	}
}

// label is a node in a line.
func (v *view) label(x *ProvenanceNode) string {
	switch x.Kind {
	case KindElement:
		e := x.Elements[0]
		return fmt.Sprintf("%s = %s (%#x)", x.Name, e.Value, e.Bits)
	case KindInstruction:
		s := x.Text
		for i, val := range x.Values {
			if i == 0 {
				s += valueMark
			}
			if val.Register != "" && len(x.Values) > 1 {
				s += " " + val.Register
			}
			s += " = " + valuesText(val.Values)
		}
		if len(x.Kept) > 0 && len(x.Values) == 0 {
			s += ": guard kept " + lanesText(x.Kept) + " from it"
		}
		return s
	case KindInput:
		return v.elementsText(x.Name, x.Elements)
	case KindUnwrittenMemory:
		return v.elementsText(x.Name+" memory", x.Elements) + ": nobody wrote it"
	case KindUnwrittenRegister:
		return x.Name + ": nobody wrote it"
	case KindParameter, KindSpecial:
		var vals []string
		for _, e := range x.Elements {
			vals = append(vals, e.Value)
		}
		return x.Name + " = " + valuesText(vals)
	case KindAbsentLanes:
		var lanes []int
		for _, a := range x.Absent {
			lanes = append(lanes, a.Lane)
		}
		slices.Sort(lanes)
		lanes = slices.Compact(lanes)
		if len(lanes) > 1 {
			return lanesText(lanes) + " are absent: what is read of them is undefined"
		}
		return lanesText(lanes) + " is absent: what is read of it is undefined"
	case KindOlder:
		return strings.TrimSpace(x.Name + " is older than the history: --history")
	case KindHost:
		return x.Name
	}
	return x.Name + ": not followed further"
}

// source is an instruction without its values.
func (v *view) source(x *ProvenanceNode) string {
	s := x.Text
	if x.Line > 0 {
		s += fmt.Sprintf(" (line %d)", x.Line)
	}
	return s
}

// where says who executed an instruction, as far as it is not who executed its parent.
func (v *view) where(x, parent *ProvenanceNode) string {
	if x.Kind != KindInstruction {
		return ""
	}
	var s []string
	if x.Line > 0 {
		s = append(s, fmt.Sprintf("line %d", x.Line))
	} else {
		s = append(s, fmt.Sprintf("+%#x", x.Offset))
	}
	if len(x.Lanes) > 0 {
		s = append(s, lanesText(x.Lanes))
	}
	word := "warp"
	if v.p.ISA == GCN3 {
		word = "wave"
	}
	if x.BlockIndex != parent.BlockIndex || (parent == x || parent.Kind == KindElement) && v.p.Grid != [3]uint32{1, 1, 1} {
		s = append(s, fmt.Sprintf("%s %d of block %s", word, x.Warp, dimText(x.BlockIndex)))
	} else if x.Warp != parent.Warp {
		s = append(s, fmt.Sprintf("%s %d", word, x.Warp))
	}
	return strings.Join(s, ", ")
}

func dimText(d [3]uint32) string {
	switch {
	case d[2] > 0:
		return fmt.Sprintf("%d,%d,%d", d[0], d[1], d[2])
	case d[1] > 0:
		return fmt.Sprintf("%d,%d", d[0], d[1])
	}
	return strconv.Itoa(int(d[0]))
}

// absentText says of every absent lane why.
func (v *view) absentText(x *ProvenanceNode) []string {
	type group struct{ reason string }
	lanes := map[group][]int{}
	var order []group
	for _, a := range x.Absent {
		var s []string
		for _, r := range a.Reasons {
			switch r {
			case "outside-block":
				b := v.p.Block
				s = append(s, fmt.Sprintf("the block has only %d lanes", uint64(b[0])*uint64(b[1])*uint64(b[2])))
			case "not-member":
				s = append(s, fmt.Sprintf("not in membermask %#x", a.Members))
			case "exited":
				t := "exited"
				if a.Line > 0 {
					t += fmt.Sprintf(" at line %d", a.Line)
				}
				s = append(s, t)
			case "exec-off":
				s = append(s, "off in EXEC")
			case "elsewhere":
				t := "not there"
				if a.Text != "" {
					t = fmt.Sprintf("last at line %d: %s", a.Line, a.Text)
				}
				s = append(s, t)
			}
		}
		g := group{strings.Join(s, "; ")}
		if lanes[g] == nil {
			order = append(order, g)
		}
		if !slices.Contains(lanes[g], a.Lane) {
			lanes[g] = append(lanes[g], a.Lane)
		}
	}
	var out []string
	for _, g := range order {
		slices.Sort(lanes[g])
		for i, r := range strings.Split(g.reason, "; ") {
			if i == 0 && len(order) > 1 {
				r = lanesText(lanes[g]) + ": " + r
			}
			out = append(out, r)
		}
	}
	return out
}

// elementsText is elements of one memory: in[0..19] = 1 ×20.
func (v *view) elementsText(name string, elems []ProvenanceElement) string {
	elems = slices.Clone(elems)
	slices.SortStableFunc(elems, func(a, b ProvenanceElement) int { return a.Index - b.Index })
	elems = slices.CompactFunc(elems, func(a, b ProvenanceElement) bool { return a.Index == b.Index })
	var idx []int
	var vals []string
	for _, e := range elems {
		idx = append(idx, e.Index)
		if e.Value != "" {
			vals = append(vals, e.Value)
		}
	}
	s := name + "[" + rangesText(idx) + "]"
	if len(vals) > 0 {
		s += " = " + valuesText(vals)
	}
	return s
}

// lanesText is "lane 3" or "lanes 0..15, 20".
func lanesText(l []int) string {
	if len(l) == 1 {
		return fmt.Sprintf("lane %d", l[0])
	}
	return "lanes " + rangesText(l)
}

// rangesText joins numbers that follow one another, equal steps too.
func rangesText(l []int) string {
	var out []string
	for i := 0; i < len(l); {
		step, j := 1, i
		if i+2 < len(l) && l[i+1]-l[i] == l[i+2]-l[i+1] {
			step = l[i+1] - l[i]
		}
		for j+1 < len(l) && l[j+1]-l[j] == step {
			j++
		}
		switch {
		case j == i:
			out = append(out, strconv.Itoa(l[i]))
		case step == 1:
			out = append(out, fmt.Sprintf("%d..%d", l[i], l[j]))
		default:
			out = append(out, fmt.Sprintf("%d,%d..%d", l[i], l[i+1], l[j]))
		}
		i = j + 1
	}
	if len(out) > 6 {
		out = append(out[:5], fmt.Sprintf("… (%d)", len(l)))
	}
	return strings.Join(out, ", ")
}

// valuesText is values, repeated ones counted.
func valuesText(vals []string) string {
	var out []string
	for i := 0; i < len(vals); {
		j := i
		for j+1 < len(vals) && vals[j+1] == vals[i] {
			j++
		}
		if s := vals[i]; j > i {
			out = append(out, fmt.Sprintf("%s ×%d", s, j-i+1))
		} else {
			out = append(out, s)
		}
		i = j + 1
	}
	if len(out) > 8 {
		return strings.Join(out[:6], ", ") + ", … " + out[len(out)-1]
	}
	return strings.Join(out, ", ")
}
