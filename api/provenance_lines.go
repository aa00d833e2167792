package api

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// The default width and approximate length of Text.
const (
	whyWidth = 80
	whyLines = 60
)

// minRoom is how many columns a deep row has at least.
const minRoom = 32

// layout makes lines of rows. A row that does not fit continues in further lines, indented: the
// line is broken between the operation, its value and its place if that helps.
func layout(rows []whyRow, width int) string {
	var b strings.Builder
	for i := range rows {
		r := &rows[i]
		rest := r.rest
		// The vertical line to the children of the row is not broken.
		if i+1 < len(rows) && (strings.HasPrefix(rows[i+1].first, r.rest+"├") || strings.HasPrefix(rows[i+1].first, r.rest+"└")) {
			rest += "│"
		} else {
			rest += " "
		}
		rest += "    "
		what, value, _ := strings.Cut(r.label, valueMark)
		pieces := []string{what}
		if n := utf8.RuneCountInString(r.first + what + value); value != "" && (!r.again || n <= width) {
			pieces = append(pieces, value)
		}
		if r.tail != "" {
			pieces = append(pieces, "  "+r.tail)
		}
		line, used, start := r.first, utf8.RuneCountInString(r.first), true
		fresh := func() {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line, used, start = rest, utf8.RuneCountInString(rest), true
		}
		room := func() int { return max(width, utf8.RuneCountInString(rest)+minRoom) - used }
		for _, s := range pieces {
			if n := utf8.RuneCountInString(s); n <= room() {
				line, used, start = line+s, used+n, false
				continue
			}
			if !start {
				fresh()
			}
			if s = strings.TrimLeft(s, " "); utf8.RuneCountInString(s) <= room() {
				line, used, start = line+s, used+utf8.RuneCountInString(s), false
				continue
			}
			for _, w := range strings.SplitAfter(s, " ") {
				n := utf8.RuneCountInString(strings.TrimRight(w, " "))
				if n > room() && !start {
					fresh()
				}
				line, used, start = line+w, used+utf8.RuneCountInString(w), false
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// maxSummary bounds the nodes that a summary looks at.
const maxSummary = 20_000

// summary describes a value that is not shown further: the number of steps, and the ends.
func (v *view) summary(n int) string {
	seen := map[int]bool{n: true}
	queue := []int{n}
	steps := -1
	leaves := map[string][]int{}
	var names, ends []string
	for len(queue) > 0 && len(seen) < maxSummary {
		x := &v.p.Nodes[queue[0]]
		edges := v.edges[queue[0]]
		queue = queue[1:]
		switch x.Kind {
		case KindInstruction:
			steps++
		case KindInput, KindUnwrittenMemory:
			name := x.memory()
			if leaves[name] == nil {
				names = append(names, name)
			}
			for _, e := range x.Elements {
				leaves[name] = append(leaves[name], e.Index)
			}
		case KindParameter, KindSpecial:
			if !slices.Contains(ends, x.Name) {
				ends = append(ends, x.Name)
			}
		case KindAbsentLanes:
			var lanes []int
			for _, a := range x.Absent {
				lanes = append(lanes, a.Lane)
			}
			slices.Sort(lanes)
			if s := "absent " + lanesText(slices.Compact(lanes)); !slices.Contains(ends, s) {
				ends = append(ends, s)
			}
		case KindOlder:
			if !slices.Contains(ends, "values older than the history") {
				ends = append(ends, "values older than the history")
			}
		}
		for _, e := range edges {
			if e.note == "" && !seen[e.to] {
				seen[e.to] = true
				queue = append(queue, e.to)
			}
		}
	}
	var of []string
	for _, name := range names {
		slices.Sort(leaves[name])
		of = append(of, name+"["+rangesText(slices.Compact(leaves[name]))+"]")
	}
	of = append(of, ends...)
	if len(of) > 5 {
		of = append(of[:4], fmt.Sprintf("%d more", len(of)-4))
	}
	s := fmt.Sprintf("%d more steps", steps)
	switch {
	case len(queue) > 0:
		s = fmt.Sprintf("more than %d more steps", steps)
	case steps == 1:
		s = "1 more step"
	case steps == 0 && len(of) > 0:
		return "of " + strings.Join(of, ", ")
	}
	if len(of) > 0 {
		s += ", from " + strings.Join(of, ", ")
	}
	return s
}
