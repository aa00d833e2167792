package api

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"example.org/crosslane/internal/draw"
	"example.org/crosslane/internal/value"
)

// Text draws the provenance as a tree: the operands of every value are below it.
func (p *Provenance) Text(o WhyView) string {
	limit := o.Lines
	if limit == 0 {
		limit = whyLines
	}
	if o.Width == 0 {
		o.Width = whyWidth
	}
	rows, depth := p.rows(o, limit, func(rows []whyRow) int { return strings.Count(layout(rows, o.Width), "\n") })
	s := layout(rows, o.Width)
	if depth > 0 {
		s += fmt.Sprintf("Folded to %d steps: --depth %d or --all shows more\n", depth, depth+2)
	}
	return s
}

// SVG draws the same tree as a picture.
func (p *Provenance) SVG(o WhyView) []byte {
	rows, _ := p.rows(o, maxPicture, func(rows []whyRow) int { return len(rows) })
	cut := max(len(rows)-maxPicture, 0)
	rows = rows[:len(rows)-cut]
	var out []draw.TreeRow
	for _, r := range rows {
		d := draw.TreeRow{Level: r.level, Parent: r.parent, Where: r.tail}
		d.Text, d.Value, _ = strings.Cut(r.label, valueMark)
		switch {
		case r.node < 0:
			d.Kind = draw.TreeAside
		case p.Nodes[r.node].Undefined && (p.Nodes[r.node].Kind == KindInstruction || p.Nodes[r.node].Kind == KindElement):
			d.Kind = draw.TreeUndefined
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
	return draw.Tree("Why "+p.At, []string{p.File + ", kernel " + p.Kernel + ": each value stands above its operands"}, out)
}

// maxPicture is how many rows a picture has at most.
const maxPicture = 400

// rows walks the tree. If it is longer than limit, by size, it is folded: to the most
// steps that fit, which are returned, too.
func (p *Provenance) rows(o WhyView, limit int, size func([]whyRow) int) (rows []whyRow, depth int) {
	v := p.view(o)
	uses := v.uses()
	walk := func(depth, most int) []whyRow {
		v.o.Depth = depth
		t := &whyText{v: v, shown: map[int]int{}, uses: uses, most: most}
		t.node(p.Root, whyAt{parent: p.Root, line: -1})
		return t.rows
	}
	if o.All || o.Depth > 0 {
		return walk(o.Depth, math.MaxInt), 0
	}
	fits := func(depth int) bool { // a row takes a line or more
		rows = walk(depth, limit+1)
		return len(rows) <= limit && size(rows) <= limit
	}
	if fits(0) {
		return rows, 0
	}
	lo, hi := 1, 2 // lo is shown if nothing fits
	for hi < 1<<12 && fits(hi) {
		lo, hi = hi, 2*hi
	}
	for hi-lo > 1 {
		if mid := (lo + hi) / 2; fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return walk(lo, math.MaxInt), lo
}

// A whyRow is a line of the tree.
type whyRow struct {
	first  string // before the line
	rest   string // before the lines of its children
	label  string
	tail   string
	node   int  // -1: a remark
	parent int  // a row; -1: none
	level  int  // how many rows with several parts it is below
	again  bool // it refers to a row above
}

type whyText struct {
	v     *view
	rows  []whyRow
	uses  []int       // the number of references to a node
	shown map[int]int // the numbers of shown rows that later rows refer to
	most  int         // rows after which the rest does not matter
}

// whyAt is the place of a node in the tree.
type whyAt struct {
	first, rest, role string
	parent            int // the node above
	line              int // its row
	level, depth      int
}

// The columns of the tree's lines before a row: if they are wider than maxIndent, only the
// keptIndent columns on the right remain, after a mark.
const (
	maxIndent  = 90
	keptIndent = 60
	cutMark    = "⋯ "
)

// indent adds columns to the tree's lines before a row.
func indent(rest, more string) string {
	s := rest + more
	if n := utf8.RuneCountInString(s); n > maxIndent {
		s = strings.TrimPrefix(s, cutMark)
		for n = utf8.RuneCountInString(s); n > keptIndent; n-- {
			_, size := utf8.DecodeRuneInString(s)
			s = s[size:]
		}
		s = cutMark + s
	}
	return s
}

// uses counts the references to each node.
func (v *view) uses() []int {
	uses := make([]int, len(v.p.Nodes))
	stack := []int{v.p.Root}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if uses[n]++; uses[n] > 1 {
			continue
		}
		if chain := v.chains[n]; chain != nil {
			stack = append(stack, chain[len(chain)-1])
			continue
		}
		for _, e := range v.edges[n] {
			if e.note == "" {
				stack = append(stack, e.to)
			}
		}
	}
	return uses
}

// add appends a row and returns its number.
func (t *whyText) add(r whyRow) int {
	t.rows = append(t.rows, r)
	return len(t.rows) - 1
}

// valueMark separates an instruction from its value, in a label.
const valueMark = "\x00"

// node walks a node and its operands.
func (t *whyText) node(n int, at whyAt) {
	if len(t.rows) >= t.most {
		return
	}
	v := t.v
	role := at.role
	if role != "" {
		role += ": "
	}
	row := whyRow{first: at.first, rest: at.rest, node: -1, parent: at.line, level: at.level}
	if chain := v.chains[n]; chain != nil {
		text, of := v.foldText(chain)
		if num, ok := t.shown[n]; ok {
			row.label, row.again = fmt.Sprintf("%s→ #%d: %s", role, num, v.label(&v.p.Nodes[n])), true
			t.add(row)
			return
		}
		row.label = role + text
		if t.uses[n] > 1 {
			t.shown[n] = len(t.shown) + 1
			row.label = fmt.Sprintf("#%d %s", t.shown[n], row.label)
		}
		at.line = t.add(row)
		for _, s := range of {
			t.add(t.aside(at, s, at.line))
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
		row.label, row.again = fmt.Sprintf("%s→ #%d: %s", role, num, v.label(x)), true
		t.add(row)
		return
	}
	row.node, row.label, row.tail = n, role+v.label(x), v.where(x, &v.p.Nodes[at.parent])
	if t.uses[n] > 1 && len(v.edges[n]) > 0 && (v.o.Depth == 0 || at.depth < v.o.Depth) {
		t.shown[n] = len(t.shown) + 1
		row.label = fmt.Sprintf("#%d %s", t.shown[n], row.label)
	}
	if n == v.p.Root && x.Kind == KindInstruction {
		for _, val := range x.Values {
			if len(val.Bits) > 0 {
				name := val.Register
				if name == "" {
					name = "the stored value"
				}
				s := fmt.Sprintf("%s = %s (%#x) at %s", name, val.Values[0], val.Bits[0], v.p.At)
				row.parent = t.add(whyRow{label: s + v.p.undefinedText(8*value.Type(val.Type).Size()), node: n, parent: -1})
			}
		}
		row.first = "↑ "
	}
	here := t.add(row)
	for _, a := range v.absentText(x) {
		t.add(t.aside(at, a, here))
	}
	edges := v.edges[n]
	if v.o.Depth > 0 && at.depth >= v.o.Depth && len(edges) > 0 {
		t.add(whyRow{first: at.rest + "↑ ", rest: at.rest, label: "… " + v.summary(n), node: -1, parent: here, level: at.level})
		return
	}
	if x.Kind == KindElement && len(edges) == 1 && v.p.Nodes[edges[0].to].Kind == KindInput {
		label := "the kernel does not write it: the launch gave it this value"
		if x.Undefined {
			label = "the kernel does not write it, nor does the launch"
		}
		t.add(whyRow{first: at.rest + "↑ ", rest: at.rest, label: label, node: -1, parent: here, level: at.level})
		return
	}
	for i, e := range edges {
		a, b, level := "├─ ", "│  ", at.level+1
		switch {
		case len(edges) == 1:
			a, b, level = "↑ ", "", at.level
		case i == len(edges)-1:
			a, b = "└─ ", "   "
		}
		first, rest := indent(at.rest, a), indent(at.rest, b)
		if e.note != "" {
			t.add(whyRow{first: first, rest: rest, label: e.note, node: -1, parent: here, level: level})
			continue
		}
		t.node(e.to, whyAt{first, rest, e.role, n, here, level, at.depth + 1})
	}
}

// aside is a remark below a row.
func (t *whyText) aside(at whyAt, s string, row int) whyRow {
	in := indent(at.rest, "   ")
	return whyRow{first: in, rest: in, label: s, node: -1, parent: row, level: at.level + 1}
}

// label is a node in a line.
func (v *view) label(x *ProvenanceNode) string {
	switch x.Kind {
	case KindElement:
		e := x.Elements[0]
		return fmt.Sprintf("%s = %s (%#x)", x.Name, e.Value, e.Bits) + v.p.undefinedText(8*e.Bytes)
	case KindInstruction:
		s := x.Text
		for i, val := range x.Values {
			if i == 0 {
				s += valueMark
			}
			if val.Register != "" && len(x.Values) > 1 {
				s += " " + val.Register
			}
			values := valuesText(val.Values)
			if len(x.Values) > 2 && strings.Count(values, ",") > 3 {
				first, _, _ := strings.Cut(values, ",")
				values = first + ", … " + val.Values[len(val.Values)-1]
			}
			is := " = "
			if x.Store && (strings.HasPrefix(x.Op, "atom.") || strings.HasPrefix(x.Op, "red.") || strings.Contains(x.Op, "_atomic_")) {
				is = " with " // the stored value depends on the old contents, too
			}
			s += is + values + undefinedMark(&val)
		}
		if x.Store && x.Undefined && !slices.ContainsFunc(x.Values, func(v ProvenanceValue) bool { return undefinedMark(&v) != "" }) {
			s += ", undefined"
		}
		if len(x.Kept) > 0 && len(x.Values) == 0 {
			s += ": guard kept " + lanesText(x.Kept) + " from it"
		}
		return s
	case KindInput:
		s := v.elementsText(x.Name, x.Elements)
		if x.Undefined {
			s += ", uninitialised"
		}
		return s
	case KindUnwrittenMemory:
		return v.elementsText(x.Name+" memory", x.Elements) + ": nothing wrote it"
	case KindUnwrittenRegister:
		return x.Name + ": nothing wrote it"
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
			return lanesText(lanes) + " are absent: reads of them are undefined"
		}
		return lanesText(lanes) + " is absent: reads of it are undefined"
	case KindOlder:
		return strings.TrimSpace(x.Name + " is older than the history: --history")
	case KindHost:
		return x.Name
	}
	return x.Name + ": not followed further"
}

// lineText names a line, and its file unless that is the file of the Provenance.
func lineText(file string, line int) string {
	if file == "" {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("line %d of %s", line, file)
}

// source is an instruction without its values.
func (v *view) source(x *ProvenanceNode) string {
	s := x.Text
	if x.Line > 0 {
		s += " (" + lineText(x.File, x.Line) + ")"
	}
	return s
}

// The method where names the lanes, warp and block that executed an instruction, if they differ
// from those of its parent.
func (v *view) where(x, parent *ProvenanceNode) string {
	if x.Kind != KindInstruction {
		return ""
	}
	var s []string
	if x.Line > 0 {
		s = append(s, lineText(x.File, x.Line))
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

// absentText gives the reason of every absent lane.
func (v *view) absentText(x *ProvenanceNode) []string {
	lanes := map[string][]int{} // by reason
	var order []string
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
					t += " at " + lineText(a.File, a.Line)
				}
				s = append(s, t)
			case "exec-off":
				s = append(s, "off in EXEC")
			case "elsewhere":
				t := "not there"
				if a.Text != "" {
					t = fmt.Sprintf("last at %s: %s", lineText(a.File, a.Line), a.Text)
				}
				if a.ExitLine > 0 {
					t += ", then exits at " + lineText(a.ExitFile, a.ExitLine)
				}
				s = append(s, t)
			}
		}
		g := strings.Join(s, "; ")
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
		for i, r := range strings.Split(g, "; ") {
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
