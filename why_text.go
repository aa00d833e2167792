package crosslane

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"crosslane/internal/draw"
)

// whyWidth is the number of columns of Text.
const whyWidth = 80

// Text draws the provenance as a tree: under every value what it was made of.
func (p *Provenance) Text(o WhyView) string {
	var b strings.Builder
	for _, r := range p.rows(o) {
		b.WriteString(r.line())
	}
	return b.String()
}

// SVG draws the same tree as a picture.
func (p *Provenance) SVG(o WhyView) []byte {
	rows := p.rows(o)
	cut := 0
	if len(rows) > maxPicture {
		cut = len(rows) - maxPicture
		rows = rows[:maxPicture]
	}
	var out []draw.TreeRow
	for _, r := range rows {
		d := draw.TreeRow{Level: utf8.RuneCountInString(r.rest) / 3, Parent: r.parent, Place: r.tail}
		d.Text, d.Value, _ = strings.Cut(r.label, valueMark)
		switch {
		case r.node < 0:
			d.Kind = draw.TreeAside
		case p.Nodes[r.node].Kind == KindInstruction || p.Nodes[r.node].Kind == KindElement:
		case p.Nodes[r.node].Kind == KindInput || p.Nodes[r.node].Kind == KindParameter || p.Nodes[r.node].Kind == KindSpecial:
			d.Kind = draw.TreeInput
		case p.Nodes[r.node].Kind == KindAbsentLanes || p.Nodes[r.node].Kind == KindUnwrittenRegister || p.Nodes[r.node].Kind == KindUnwrittenMemory:
			d.Kind = draw.TreeBad
		default:
			d.Kind = draw.TreeOther
		}
		out = append(out, d)
	}
	if cut > 0 {
		out = append(out, draw.TreeRow{Parent: 0, Level: 1, Kind: draw.TreeAside, Text: fmt.Sprintf("… and %d more rows: the text shows them", cut)})
	}
	return draw.Tree("Why "+p.At, []string{p.File + ", kernel " + p.Kernel + ": under every value what it was made of"}, out)
}

// maxPicture is how many rows a picture has at most.
const maxPicture = 400

// rows walks the tree.
func (p *Provenance) rows(o WhyView) []whyRow {
	v := p.view(o)
	t := &whyText{v: v, shown: map[int]int{}, uses: map[int]int{}}
	t.count(p.Root, map[int]bool{})
	t.node(p.Root, whyAt{parent: p.Root, row: -1})
	return t.rows
}

// A whyRow is a line of the tree.
type whyRow struct {
	first  string // before the line
	rest   string // before those of what the line is made of
	label  string
	tail   string
	node   int // -1: a remark
	parent int // a row; -1: none
}

type whyText struct {
	v     *view
	rows  []whyRow
	uses  map[int]int // how often a node is led to
	shown map[int]int // the numbers of those shown that are led to again
}

// whyAt is where a node is shown.
type whyAt struct {
	first, rest, role string
	parent            int // the node above
	row               int // its row
	depth             int
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

// line is a row of at most whyWidth columns: if there is not enough room, the first part
// of it is cut, which is the instruction.
func (r *whyRow) line() string {
	s, value, _ := strings.Cut(r.label, valueMark)
	tail := r.tail
	if tail != "" {
		tail = "  " + tail
	}
	room := whyWidth - utf8.RuneCountInString(r.first+tail)
	s = cutText(s, max(room-utf8.RuneCountInString(value), 24))
	if value != "" {
		s += cutText(value, max(room-utf8.RuneCountInString(s), 8))
	}
	return strings.TrimRight(r.first+s+tail, " ") + "\n"
}

// add appends a row and returns its number.
func (t *whyText) add(r whyRow) int {
	t.rows = append(t.rows, r)
	return len(t.rows) - 1
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

// node walks a node and what it was made of.
func (t *whyText) node(n int, at whyAt) {
	v := t.v
	role := at.role
	if role != "" {
		role += ": "
	}
	row := whyRow{first: at.first, rest: at.rest, node: -1, parent: at.row}
	if chain := v.chains[n]; chain != nil {
		text, of := v.foldText(chain)
		if num, ok := t.shown[n]; ok {
			row.label = fmt.Sprintf("%s→ #%d: %s", role, num, v.label(&v.p.Nodes[n]))
			t.add(row)
			return
		}
		row.label = role + text
		if t.uses[n] > 1 {
			t.shown[n] = len(t.shown) + 1
			row.label = fmt.Sprintf("#%d %s", t.shown[n], row.label)
		}
		at.row = t.add(row)
		for _, s := range of {
			t.add(whyRow{first: at.rest + "   ", rest: at.rest + "   ", label: s, node: -1, parent: at.row})
		}
		at.first, at.role, at.depth = at.rest+"↑ ", "", at.depth+1
		t.node(chain[len(chain)-1], at)
		return
	}
	x := &v.p.Nodes[n]
	if _, ok := v.inside[n]; ok {
		row.label = role + "→ " + v.source(x) + ", of the rounds that are folded"
		t.add(row)
		return
	}
	if num, ok := t.shown[n]; ok {
		row.label = fmt.Sprintf("%s→ #%d: %s", role, num, v.label(x))
		t.add(row)
		return
	}
	row.node, row.label, row.tail = n, role+v.label(x), v.where(x, &v.p.Nodes[at.parent])
	if t.uses[n] > 1 && len(v.edges[n]) > 0 {
		t.shown[n] = len(t.shown) + 1
		row.label = fmt.Sprintf("#%d %s", t.shown[n], row.label)
	}
	if n == v.p.Root && x.Kind == KindInstruction {
		for _, val := range x.Values {
			if len(val.Bits) > 0 {
				name := val.Register
				if name == "" {
					name = "what is stored"
				}
				row.parent = t.add(whyRow{label: fmt.Sprintf("%s = %s (%#x) at %s", name, val.Values[0], val.Bits[0], v.p.At), node: n, parent: -1})
			}
		}
		row.first = "↑ "
	}
	here := t.add(row)
	for _, a := range v.absentText(x) {
		t.add(whyRow{first: at.rest + "   ", rest: at.rest + "   ", label: a, node: -1, parent: here})
	}
	edges := v.edges[n]
	if v.o.Depth > 0 && at.depth >= v.o.Depth && len(edges) > 0 {
		t.add(whyRow{first: at.rest + "↑ ", rest: at.rest, label: "… more of it with a greater --depth", node: -1, parent: here})
		return
	}
	if x.Kind == KindElement && len(edges) == 1 && v.p.Nodes[edges[0].to].Kind == KindInput {
		t.add(whyRow{first: at.rest + "↑ ", rest: at.rest, label: "the kernel does not write it: the launch gave it this value", node: -1, parent: here})
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
			t.add(whyRow{first: at.rest + a, rest: at.rest + b, label: e.note, node: -1, parent: here})
			continue
		}
		t.node(e.to, whyAt{at.rest + a, at.rest + b, e.role, n, here, at.depth + 1})
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
				if a.ExitLine > 0 {
					t += fmt.Sprintf(", then exits at line %d", a.ExitLine)
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
			out = append(out, fmt.Sprintf("%d..%d by %d", l[i], l[j], step))
		}
		i = j + 1
	}
	if len(out) > 6 {
		out = append(out[:5], fmt.Sprintf("… (%d)", len(l)))
	}
	return strings.Join(out, ", ")
}

// sequence is how many values follow the first one, each greater by one, as integers.
func sequence(vals []string) int {
	x, err := strconv.ParseInt(vals[0], 10, 64)
	n := 0
	for err == nil && n+1 < len(vals) && vals[n+1] == strconv.FormatInt(x+int64(n)+1, 10) {
		n++
	}
	return n
}

// valuesText is values, repeated ones counted.
func valuesText(vals []string) string {
	var out []string
	for i := 0; i < len(vals); {
		j := i
		for j+1 < len(vals) && vals[j+1] == vals[i] {
			j++
		}
		if last := sequence(vals[i:]); last > 2 {
			out = append(out, vals[i]+".."+vals[i+last])
			i += last + 1
			continue
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
