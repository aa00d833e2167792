package draw

import (
	"encoding/xml"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"example.org/crosslane/lane"
)

// Geometry of an SVG picture, in its own units (pixels at 100 %).
const (
	svgWidth   = 1120
	svgLeft    = 116 // space for the names of rows
	svgRight   = 20
	bankGap    = 8
	sideGap    = 18 // between the row and lanes of other rows beside it
	sideCells  = 2  // largest number of lanes of other rows on either side
	cellHeight = 38
	valueExtra = 14 // additional height with values
	wireHeight = 74
)

// ink colours lines by the bank of the lane that is read; the colours only distinguish crossing
// lines.
var ink = [4]string{"#0b5cad", "#00795c", "#7a3e9d", "#8a5a00"}

const (
	inkText  = "#1b1f24"
	inkFaint = "#6b737c"
	inkBad   = "#b3261e"
)

// canvas collects SVG elements.
type canvas struct {
	body strings.Builder
	id   string // prefix of ids, so that several pictures share a page
}

func (c *canvas) f(format string, args ...any) {
	fmt.Fprintf(&c.body, format, args...)
	c.body.WriteByte('\n')
}

func esc(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a Builder does not fail
	return b.String()
}

// text writes a text element; class is a class of the style sheet.
func (c *canvas) text(x, y float64, class, s string) {
	if s != "" {
		c.f(`<text x="%.1f" y="%.1f" class="%s">%s</text>`, x, y, class, esc(s))
	}
}

// finish wraps the elements into a document.
func (c *canvas) finish(height float64, title, desc string) []byte {
	if title == "" {
		title = "lane map"
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %.0f" width="%d" height="%.0f" role="img" aria-labelledby="%s-t %s-d">
<title id="%s-t">%s</title>
<desc id="%s-d">%s</desc>
<defs>
<pattern id="%s-off" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect width="6" height="6" fill="#eceef0"/><rect width="2" height="6" fill="#c9ced3"/></pattern>
<pattern id="%s-keep" width="7" height="7" patternUnits="userSpaceOnUse"><rect width="7" height="7" fill="#f7f7f4"/><circle cx="2" cy="2" r="1" fill="#c4bfae"/></pattern>
<style>
#%s text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:%s}
#%s .h{font-size:17px;font-weight:700} #%s .s{font-size:13px;fill:#3a424a} #%s .r{font-size:13px;font-weight:700} #%s .q{font-size:11px;fill:%s}
#%s .n{font-size:14px;text-anchor:middle} #%s .b{font-size:15px;font-weight:700;text-anchor:middle} #%s .t{font-size:11px;text-anchor:middle;fill:%s}
#%s .v{font-size:11px;text-anchor:middle} #%s .d{font-size:14px;text-anchor:middle;fill:#8d959d} #%s .e{font-size:12px;text-anchor:end;fill:%s} #%s .w{font-size:8.5px;text-anchor:middle}
</style>
</defs>
<g id="%s">
<rect x="0" y="0" width="%d" height="%.0f" fill="#ffffff"/>
`, svgWidth, height, svgWidth, height, c.id, c.id, c.id, esc(title), c.id, esc(desc), c.id, c.id,
		c.id, inkText, c.id, c.id, c.id, c.id, inkFaint, c.id, c.id, c.id, inkFaint, c.id, c.id, c.id, inkFaint, c.id, c.id, svgWidth, height)
	b.WriteString(c.body.String())
	b.WriteString("</g>\n</svg>\n")
	return []byte(b.String())
}

// heading writes title and subtitle and returns the y below them.
func (c *canvas) heading(title string, subtitle []string) float64 {
	y := 14.0
	if title != "" {
		for _, l := range wrap(title, "    ", 104) {
			y += 22
			c.text(20, y-4, "h", l)
		}
	}
	for _, s := range subtitle {
		for _, l := range wrap(s, "    ", 136) {
			y += 18
			c.text(20, y-2, "s", l)
		}
	}
	return y + 14
}

// panel is one row of destination lanes, with its source lanes in a strip above it.
type panel struct {
	first int   // destination lanes first to first+15
	strip []int // source lanes, left to right; at most 16
	name  string
	left  []int // single lanes of other rows, beside the strip
	right []int
}

// panels chooses the source lanes above every row of destinations. They are the one row that it
// reads; or its own row, with at most two lanes of other rows on either side; or else only the
// lanes that it reads, in ascending order.
func (s *scene) panels() (ps []panel) {
	for first := 0; first < s.lanes; first += rowLanes {
		var rows, read, foreign lane.Mask
		var where [64]int // sum of destination columns, relative to the middle
		for i := first; i < min(first+rowLanes, s.lanes); i++ {
			j := s.src[i]
			if j < 0 {
				continue
			}
			rows |= lane.Lane(j / rowLanes)
			read |= lane.Lane(j)
			if j/rowLanes != first/rowLanes {
				foreign |= lane.Lane(j)
				where[j] += 2*(i-first) - rowLanes + 1
			}
		}
		p := panel{first: first}
		for j := range foreign.Lanes() {
			if where[j] < 0 {
				p.left = append(p.left, j)
			} else {
				p.right = append(p.right, j)
			}
		}
		whole := rows.First()
		beside := rows.Has(first/rowLanes) && len(p.left) <= sideCells && len(p.right) <= sideCells
		if beside {
			whole = first / rowLanes
		} else {
			p.left, p.right = nil, nil
		}
		switch {
		case rows == 0:
		case beside || rows.Count() == 1:
			last := min(whole*rowLanes+rowLanes, s.lanes) - 1
			for j := whole * rowLanes; j <= last; j++ {
				p.strip = append(p.strip, j)
			}
			p.name = fmt.Sprintf("from %d-%d", whole*rowLanes, last)
		default:
			for j := range read.Lanes() {
				p.strip = append(p.strip, j)
			}
			p.name = "from"
		}
		ps = append(ps, p)
	}
	return ps
}

// plan is the horizontal layout of a picture.
type plan struct{ x0, cell float64 }

// newPlan chooses the layout in which all panels fit.
func newPlan(ps []panel) plan {
	left, right := 0, 0
	for _, p := range ps {
		left, right = max(left, len(p.left)), max(right, len(p.right))
	}
	room := float64(svgWidth - svgLeft - svgRight - 3*bankGap)
	x0 := float64(svgLeft)
	if left > 0 {
		room -= sideGap
		x0 += sideGap
	}
	if right > 0 {
		room -= sideGap
	}
	cell := room / float64(rowLanes+left+right)
	return plan{x0 + float64(left)*cell, cell}
}

// col returns the left edge of a column 0..15.
func (p plan) col(c int) float64 { return p.x0 + float64(c)*p.cell + float64(c/4*bankGap) }

// beside returns the left edge of the k-th cell left (k < 0) or right of the row.
func (p plan) beside(k int) float64 {
	if k < 0 {
		return p.x0 - sideGap + float64(k)*p.cell
	}
	return p.col(rowLanes-1) + p.cell + sideGap + float64(k)*p.cell
}

// SVG draws a map as a picture of its own: source lanes above, destination lanes below, a line from
// every source to its destinations. It needs no external fonts or files, and has a description for
// people that cannot see it.
func SVG(m *lane.Map, o Options) []byte {
	s := newScene(m, &o)
	h := fnv.New32a()
	fmt.Fprintf(h, "%s|%v|%v|%v|%v|%v", o.Title, m.String(), o.Pred, o.Lost, o.Before, o.After)
	c := &canvas{id: fmt.Sprintf("x%08x", h.Sum32())}
	y := c.heading(o.Title, o.Subtitle)

	ps := s.panels()
	pl := newPlan(ps)
	for _, p := range ps {
		y = s.panel(c, pl, p, y)
	}
	for _, line := range s.summary() {
		for _, l := range wrap(line, "    ", 136) {
			c.text(20, y+4, "s", l)
			y += 18
		}
	}
	y = s.legend(c, y+10)

	var desc []string
	for _, l := range s.summary() {
		desc = append(desc, l+".")
	}
	for i := range s.lanes {
		desc = append(desc, s.sentence(i)+";")
	}
	return c.finish(y, o.Title, strings.Join(desc, " "))
}

// panel draws one row and returns the y below it.
func (s *scene) panel(c *canvas, pl plan, p panel, y float64) float64 {
	srcHeight, dstHeight := float64(cellHeight-8), float64(cellHeight)
	if len(s.o.Before) > 0 {
		srcHeight += valueExtra
	}
	if len(s.o.After) > 0 {
		dstHeight += valueExtra
	}
	last := min(p.first+rowLanes, s.lanes) - 1
	var read lane.Mask // by this row
	for i := p.first; i <= last; i++ {
		if s.src[i] >= 0 {
			read |= lane.Lane(s.src[i])
		}
	}
	var foot [64]float64 // the middle of every source
	put := func(j int, x float64) {
		foot[j] = x + pl.cell/2
		s.source(c, j, x, y, pl.cell, srcHeight, read.Has(j), dashed(p, j))
	}
	top := y
	if len(p.strip) > 0 {
		top += srcHeight
		c.text(svgLeft-12, y+srcHeight/2+4, "e", p.name)
	}
	shift := (rowLanes - len(p.strip)) / 2 // a short strip is centred
	for k, j := range p.strip {
		put(j, pl.col(k+shift))
	}
	for n, j := range p.left {
		put(j, pl.beside(n-len(p.left)))
	}
	for n, j := range p.right {
		put(j, pl.beside(n))
	}
	to := top
	if read != 0 {
		to = top + wireHeight
	}
	for i := p.first; i <= last; i++ {
		if j := s.src[i]; j >= 0 {
			x := pl.col(i-p.first) + pl.cell/2
			s.wire(c, i, foot[j], top, x, to)
		}
	}
	name := fmt.Sprintf("lanes %d-%d", p.first, last)
	if s.lanes > 32 {
		c.text(20, to+dstHeight/2-2, "r", "row "+strconv.Itoa(p.first/rowLanes))
		c.text(20, to+dstHeight/2+14, "q", name)
	} else {
		c.text(20, to+dstHeight/2+5, "r", name)
	}
	for i := p.first; i <= last; i++ {
		s.dest(c, i, pl.col(i-p.first), to, pl.cell, dstHeight)
	}
	y = to + dstHeight
	if s.o.HasPred {
		y += 18
		c.text(svgLeft-12, y-2, "e", "p")
		for i := p.first; i <= last; i++ {
			c.text(pl.col(i-p.first)+pl.cell/2, y-2, "t", s.predWord(i))
		}
	}
	return y + 26
}

// dashed reports whether source j of a panel is drawn as a guest: a lane of
// another row among lanes of the panel's own.
func dashed(p panel, j int) bool {
	return j/rowLanes != p.first/rowLanes && (len(p.strip) == 0 || j/rowLanes != p.strip[0]/rowLanes || p.name == "from")
}

func (s *scene) predWord(i int) string {
	switch {
	case s.o.Inactive.Has(i):
		return "-"
	case s.o.Pred.Has(i):
		return "true"
	}
	return "false"
}

// wire draws the line of destination lane i, from its source's lower edge
// (x1, y1) to its own upper edge (x2, y2).
func (s *scene) wire(c *canvas, i int, x1, y1, x2, y2 float64) {
	colour, style := ink[s.src[i]/4%4], `stroke-width="1.8"`
	switch s.kind[i] {
	case itself:
		colour, style = "#9aa2aa", `stroke-width="1.4"`
	case unknown:
		colour, style = inkBad, `stroke-width="2" stroke-dasharray="5 4"`
	}
	end := y2 - 7
	mid := (y1 + end) / 2
	c.f(`<path d="M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f" fill="none" stroke="%s" %s/>`, x1, y1, x1, mid, x2, mid, x2, end, colour, style)
	c.f(`<path d="M%.1f %.1fl-4.5 -8h9z" fill="%s"/>`, x2, y2, colour)
}

// source draws one source lane.
func (s *scene) source(c *canvas, j int, x, y, w, h float64, read, foreign bool) {
	fill, stroke, class, dash := "#ffffff", "#3a424a", "n", ""
	switch {
	case s.o.Inactive.Has(j):
		fill, stroke = "url(#"+c.id+"-off)", "#9aa2aa"
	case !read:
		fill, stroke, class = "#ffffff", "#d5d9dd", "d"
	}
	if foreign {
		s.guests = true
		dash = ` stroke-dasharray="4 3"`
	}
	say := fmt.Sprintf("source lane %d", j)
	if s.o.Lost.Has(j) {
		say += ": its data arrives nowhere"
	}
	c.f(`<g><title>%s</title><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4" fill="%s" stroke="%s"%s/>`, say, x+2, y, w-4, h, fill, stroke, dash)
	c.text(x+w/2, y+20, class, strconv.Itoa(j))
	if v := at(s.o.Before, j); v != "" {
		c.fit(x+w/2, y+h-6, w, "v", v)
	}
	if s.o.Lost.Has(j) {
		c.f(`<path d="M%.1f %.1fl10 10m0 -10l-10 10" stroke="%s" stroke-width="2" fill="none"/>`, x+w-16, y+4, inkBad)
	}
	c.f(`</g>`)
}

// dest draws one destination lane: its number at the top, its value below.
func (s *scene) dest(c *canvas, i int, x, y, w, h float64) {
	fill, stroke, extra := "#eef4fb", "#3a424a", ""
	label, class := kindInfo[s.kind[i]].word, "b"
	switch s.kind[i] {
	case reads:
		label = strconv.Itoa(s.src[i])
	case itself:
		fill, label = "#ffffff", strconv.Itoa(i)
	case zeroed:
		fill, extra, class = "#fff3d6", ` stroke-width="2"`, "v"
	case kept:
		fill, stroke, class = "url(#"+c.id+"-keep)", "#a39c86", "v"
	case off:
		fill, stroke, class = "url(#"+c.id+"-off)", "#9aa2aa", "v"
	case unknown:
		fill, stroke, extra = "#fdeceb", inkBad, ` stroke-width="2.2" stroke-dasharray="5 3"`
		if s.src[i] >= 0 {
			label = strconv.Itoa(s.src[i]) + "!"
		}
	}
	c.f(`<g><title>%s</title><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4" fill="%s" stroke="%s"%s/>`, s.sentence(i), x+2, y, w-4, h, fill, stroke, extra)
	c.text(x+w/2, y+14, "t", strconv.Itoa(i))
	c.text(x+w/2, y+31, class, label)
	if v := at(s.o.After, i); v != "" {
		c.fit(x+w/2, y+h-5, w, "v", v)
	}
	c.f(`</g>`)
}

// legend names the kinds that occur, in lines that fit, and returns the total height.
func (s *scene) legend(c *canvas, y float64) float64 {
	x := 20.0
	item := func(fill, stroke, extra, sign, words string) {
		need := 52 + 6.9*float64(len(words)) + 20
		if x+need > svgWidth-10 {
			x, y = 20, y+26
		}
		c.f(`<rect x="%.1f" y="%.1f" width="40" height="20" rx="4" fill="%s" stroke="%s"%s/>`, x, y-4, fill, stroke, extra)
		c.text(x+20, y+10, "v", sign)
		c.f(`<text x="%.1f" y="%.1f" class="q">%s</text>`, x+48, y+10, esc(words))
		x += need
	}
	item("#ffffff", "#3a424a", "", "8", "source lane")
	if s.seen[reads] {
		item("#eef4fb", "#3a424a", "", "8", "destination: reads lane 8 (its own number is above)")
	}
	if s.seen[itself] {
		item("#ffffff", "#3a424a", "", "i", "reads itself (grey line)")
	}
	if s.seen[zeroed] {
		item("#fff3d6", "#3a424a", ` stroke-width="2"`, kindInfo[zeroed].word, kindInfo[zeroed].legend)
	}
	if s.seen[kept] {
		item("url(#"+c.id+"-keep)", "#a39c86", "", kindInfo[kept].word, kindInfo[kept].legend)
	}
	if s.seen[off] {
		item("url(#"+c.id+"-off)", "#9aa2aa", "", kindInfo[off].word, kindInfo[off].legend)
	}
	if s.seen[unknown] {
		item("#fdeceb", inkBad, ` stroke-width="2.2" stroke-dasharray="5 3"`, "8!", "would read lane 8: undefined (dashed line)")
	}
	if s.guests {
		item("#ffffff", "#3a424a", ` stroke-dasharray="4 3"`, "8", "source lane of another row")
	}
	if s.o.Lost != 0 {
		item("#ffffff", "#3a424a", "", "x", "crossed source: its data arrives nowhere")
	}
	return y + 34
}
