package draw

import (
	"fmt"
	"hash/fnv"
	"strings"
	"unicode/utf8"
)

// TreeKind is the kind of a row of a tree, for its colour; the words of the row express it too.
type TreeKind uint8

// The kinds.
const (
	TreeStep      TreeKind = iota // an executed step
	TreeInput                     // an end of the tree: data
	TreeBad                       // an end: a mistake
	TreeOther                     // an end for another reason
	TreeAside                     // a remark, or a reference to another row
	TreeUndefined                 // an executed step with an undefined result
)

// A TreeRow is a row of a tree: a node or a remark.
type TreeRow struct {
	Level  int // indentation level
	Parent int // index of the parent row above; -1: none
	Kind   TreeKind
	Text   string // the step
	Value  string // its result
	Where  string // the lane and place of the step
}

// The geometry of trees.
const (
	treeRow    = 25
	treeIndent = 22
	treeChar   = 7.85 // width of a character of 13 pixels
	treePlace  = 7.3  // width of a character of 12 pixels
)

// Tree draws rows as an SVG picture: the sources of a row are below it.
func Tree(title string, subtitle []string, rows []TreeRow) []byte {
	h := fnv.New32a()
	h.Write([]byte(title))
	for _, r := range rows {
		h.Write([]byte(r.Text + r.Value))
	}
	c := &canvas{id: fmt.Sprintf("w%08x", h.Sum32())}
	y0 := c.heading(title, subtitle) + 6
	x := func(i int) float64 { return 32 + float64(rows[i].Level)*treeIndent }
	y := func(i int) float64 { return y0 + float64(i)*treeRow }
	for i, r := range rows {
		switch p := r.Parent; {
		case p < 0:
		case rows[p].Level == r.Level:
			c.f(`<path d="M%.1f %.1fV%.1f" fill="none" stroke="#9aa3ab" stroke-width="1.4"/>`, x(p), y(p)+5, y(i)-5)
		default:
			c.f(`<path d="M%.1f %.1fV%.1fH%.1f" fill="none" stroke="#9aa3ab" stroke-width="1.4"/>`, x(p), y(p)+5, y(i), x(i)-6)
		}
	}
	for i, r := range rows {
		fill := map[TreeKind]string{TreeStep: "#0b5cad", TreeInput: "#00795c", TreeBad: inkBad, TreeOther: "#8a5a00", TreeAside: "#ffffff", TreeUndefined: inkBad}[r.Kind]
		switch r.Kind {
		case TreeStep, TreeUndefined:
			c.f(`<circle cx="%.1f" cy="%.1f" r="4.5" fill="%s"/>`, x(i), y(i), fill)
		case TreeAside:
			c.f(`<circle cx="%.1f" cy="%.1f" r="3.5" fill="%s" stroke="#9aa3ab"/>`, x(i), y(i), fill)
		default:
			c.f(`<rect x="%.1f" y="%.1f" width="10" height="10" fill="%s"/>`, x(i)-5, y(i)-5, fill)
		}
		room := int((svgWidth - svgRight - x(i) - 14 - treePlace*float64(utf8.RuneCountInString(r.Where)) - 16) / treeChar)
		value := r.Value
		if n := utf8.RuneCountInString(value); n > room*2/3 {
			value = shorten(value, max(room*2/3, 8))
		}
		text := shorten(r.Text, max(room-utf8.RuneCountInString(value)-1, 4))
		ink := inkText
		if r.Kind == TreeBad {
			ink = inkBad
		} else if r.Kind == TreeAside {
			ink = inkFaint
		}
		c.f(`<text x="%.1f" y="%.1f" font-size="13" xml:space="preserve"><tspan style="fill:%s">%s</tspan><tspan font-weight="700" style="fill:%s">%s</tspan></text>`,
			x(i)+13, y(i)+4.5, ink, esc(text), fill2(fill, r.Kind), esc(value))
		if r.Where != "" {
			c.f(`<text x="%d" y="%.1f" font-size="12" text-anchor="end" style="fill:%s">%s</text>`, svgWidth-svgRight, y(i)+4.5, inkFaint, esc(r.Where))
		}
	}
	var told []string
	for _, r := range rows {
		told = append(told, strings.Repeat(" ", r.Level)+r.Text+r.Value)
	}
	return c.finish(y(len(rows))+4, title, strings.Join(told, "; "))
}

// fill2 returns the colour of a value.
func fill2(fill string, k TreeKind) string {
	if k == TreeAside {
		return inkFaint
	}
	return fill
}

// shorten truncates a text to n characters.
func shorten(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:max(n-1, 0)]) + "…"
	}
	return s
}
