package draw

import (
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"

	"example.org/crosslane/lane"
)

// Fold is a picture of an instruction that combines the values of all lanes to one result, or to
// one result per lane: vote, ballot, match, redux, readlane.
type Fold struct {
	// Title is the headline, Subtitle the lines under it.
	Title    string
	Subtitle []string
	// Lanes is the wave size, 32 or 64.
	Lanes int
	// Active lanes take part; the other lanes are drawn as off.
	Active lane.Mask
	// Picked lanes decide the result: the lane that v_readlane_b32 reads, or the lanes whose
	// predicate is true. They are drawn in bold and with a star, even if they are not active. If
	// there are none, all active lanes decide.
	Picked lane.Mask
	// In holds the formatted value of every lane, and InName the name of the values.
	In     []string
	InName string
	// Out is every lane's own result, if the results differ (match.any).
	Out     []string
	OutName string
	// Result is the result that all lanes share, if there is one, and ResultName its destination.
	Result     string
	ResultName string
}

func (f *Fold) lanes() int { return min(max(f.Lanes, 0), 64) }

// deciding returns the lanes from which wires lead.
func (f *Fold) deciding() lane.Mask {
	if p := f.Picked & lane.All(f.lanes()); p != 0 {
		return p
	}
	return f.Active & lane.All(f.lanes())
}

// summary lists the lanes that take part, those that are picked, and those that are off.
func (f *Fold) summary() []string {
	all := lane.All(f.lanes())
	var out []string
	add := func(words string, m lane.Mask) {
		if m &= all; m != 0 {
			out = append(out, fmt.Sprintf("%s: %d (%s)", words, m.Count(), m.Named()))
		}
	}
	add("taking part", f.Active)
	add("inactive", ^f.Active)
	add("deciding (*)", f.Picked)
	return out
}

func (f *Fold) result() string {
	if f.Result == "" {
		return ""
	}
	if f.ResultName == "" {
		return "result = " + f.Result
	}
	return f.ResultName + " = " + f.Result
}

// Text draws the fold as text of at most 80 columns.
func (f *Fold) Text() string {
	var b strings.Builder
	header(&b, f.Title, f.Subtitle)
	t := table{lanes: f.lanes()}
	t.add("lane", strconv.Itoa)
	t.add(clip(f.InName, margin-2), func(i int) string {
		s := at(f.In, i)
		if !f.Active.Has(i) && !f.Picked.Has(i) {
			s = "."
		}
		if f.Picked.Has(i) {
			s += "*"
		}
		return s
	})
	t.add(clip(f.OutName, margin-2), func(i int) string { return at(f.Out, i) })
	t.write(&b)
	b.WriteByte('\n')
	if r := f.result(); r != "" {
		paragraph(&b, "  => ", "     ", r)
	}
	for _, l := range f.summary() {
		paragraph(&b, "  ", "    ", l)
	}
	return b.String()
}

// SVG draws the fold as a picture: the lanes, a wire from every lane that takes part, and the
// result.
func (f *Fold) SVG() []byte {
	h := fnv.New32a()
	fmt.Fprintf(h, "%+v", *f)
	c := &canvas{id: fmt.Sprintf("f%08x", h.Sum32())}
	y := c.heading(f.Title, f.Subtitle)
	pl := newPlan(nil)
	height := float64(cellHeight)
	if len(f.Out) > 0 {
		height += valueExtra + 2
	}
	const busX = svgLeft - 10
	result := f.result()
	busTop := 0.0
	for first := 0; first < f.lanes(); first += rowLanes {
		last := min(first+rowLanes, f.lanes()) - 1
		if f.Lanes > 32 {
			c.text(20, y+16, "r", "row "+strconv.Itoa(first/rowLanes))
			c.text(20, y+32, "q", fmt.Sprintf("lanes %d-%d", first, last))
		} else {
			c.text(20, y+22, "r", fmt.Sprintf("%d-%d", first, last))
		}
		bus := y + height + 12
		for i := first; i <= last; i++ {
			x := pl.col(i - first)
			if result != "" && f.deciding().Has(i) {
				c.f(`<path d="M%.1f %.1fV%.1f" stroke="%s" stroke-width="2"/>`, x+pl.cell/2, y+height, bus, ink[0])
			}
			f.cell(c, i, x, y, pl.cell, height)
		}
		if part := f.deciding() & (lane.All(last+1) &^ lane.All(first)); result != "" && part != 0 {
			c.f(`<path d="M%d %.1fH%.1f" stroke="%s" stroke-width="2" fill="none"/>`, busX, bus, pl.col(part.Last()-first)+pl.cell/2, ink[0])
			if busTop == 0 {
				busTop = bus
			}
		}
		y = bus + 16
	}
	if result != "" {
		lines := wrap(result, "    ", 120)
		if busTop > 0 {
			c.f(`<path d="M%d %.1fV%.1fH%d" stroke="%s" stroke-width="2" fill="none"/>`, busX, busTop, y+16, svgLeft, ink[0])
			c.f(`<path d="M%d %.1fl-8 -4.5v9z" fill="%s"/>`, svgLeft+2, y+16, ink[0])
		}
		c.f(`<rect x="%d" y="%.1f" width="%d" height="%d" rx="5" fill="#eef4fb" stroke="#3a424a" stroke-width="1.6"/>`,
			svgLeft+2, y, svgWidth-svgLeft-svgRight-4, 14+18*len(lines))
		for i, l := range lines {
			c.text(svgLeft+16, y+21+18*float64(i), "r", l)
		}
		y += 30 + 18*float64(len(lines))
	}
	desc := result
	for _, l := range f.summary() {
		c.text(20, y+6, "s", l)
		y += 18
		desc += "; " + l
	}
	return c.finish(y+14, f.Title, desc)
}

// cell draws one lane.
func (f *Fold) cell(c *canvas, i int, x, y, w, h float64) {
	fill, stroke, class, extra := "#ffffff", "#3a424a", "n", ""
	say := fmt.Sprintf("lane %d", i)
	label := at(f.In, i)
	switch {
	case !f.Active.Has(i) && !f.Picked.Has(i):
		fill, stroke, label, class = "url(#"+c.id+"-off)", "#9aa2aa", kindInfo[off].word, "v"
		say += " is inactive"
	case label != "":
		say += " brings " + label
	}
	if f.Picked.Has(i) {
		fill, stroke, extra = "#dcebfa", ink[0], ` stroke-width="2.4"`
		class = "b"
		label += "*"
	}
	if out := at(f.Out, i); out != "" {
		say += " and gets " + out
	}
	c.f(`<g><title>%s</title><rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4" fill="%s" stroke="%s"%s/>`, esc(say), x+2, y, w-4, h, fill, stroke, extra)
	c.text(x+w/2, y+14, "t", strconv.Itoa(i))
	c.fit(x+w/2, y+31, w, class, label)
	if out := at(f.Out, i); out != "" {
		c.fit(x+w/2, y+h-5, w, "v", out)
	}
	c.f(`</g>`)
}

// fit writes a cell's text in a size that fits the cell.
func (c *canvas) fit(x, y, w float64, class, s string) {
	if n := len([]rune(s)); float64(n)*8.5 > w-6 && class != "v" || float64(n)*6.7 > w-6 {
		class = "w"
	}
	c.text(x, y, class, clip(s, 11))
}
