package api

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// WriteText writes the profile as a table, a row for each line that was executed. source,
// if not nil, gives the text of lines that the profile does not hold.
func (p *Profile) WriteText(w io.Writer, source func(file string, line int) string) error {
	var b strings.Builder
	t := &p.Total
	fmt.Fprintf(&b, "profile of %s, grid %s, block %s\n", p.Kernel, commas(p.Grid), commas(p.Block))
	fact := func(name, value, more string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("  %-14s %s  %s", name, value, more), " ") + "\n")
	}
	n := columnWidth(t)
	fact("instructions", pad(t.Instructions, n), "by "+p.waves())
	if t.VectorInstructions > 0 {
		fact("lanes active", fmt.Sprintf("%*.1f", n, t.ActiveLanes(p.Lanes)), fmt.Sprintf("of %d, on average", p.Lanes))
	}
	if t.Transactions > 0 {
		fact("transactions", pad(t.Transactions, n), fmt.Sprintf("of %d bytes, %s of which were asked for", p.Unit, p.used(t)))
	}
	if t.SharedRequests > 0 {
		fact("bank conflicts", pad(t.BankConflicts, n), fmt.Sprintf("in %s accesses to shared memory", grouped(t.SharedRequests)))
	}
	if t.CallOuts > 0 {
		fact("call-outs", pad(t.CallOuts, n), "operations without machine code")
	}
	p.table(&b, source)
	_, err := io.WriteString(w, b.String())
	return err
}

// waves is the instruction set's name for the unit that executes an instruction.
func (p *Profile) waves() string {
	if p.ISA == GCN3 {
		return "waves"
	}
	return "warps"
}

func columnWidth(t *ProfileCounts) int {
	n := len("64.0") // the width of the column of lanes
	for _, v := range []uint64{t.Instructions, t.Transactions, t.BankConflicts, t.CallOuts} {
		n = max(n, len(grouped(v)))
	}
	return n
}

func pad(v uint64, n int) string { return fmt.Sprintf("%*s", n, grouped(v)) }

// grouped is a number with its thousands set apart.
func grouped(v uint64) string {
	s := strconv.FormatUint(v, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// used is the share of the moved bytes that was requested.
func (p *Profile) used(c *ProfileCounts) string {
	return percent(c.UsedBytes, c.Transactions*uint64(p.Unit))
}

func percent(part, of uint64) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", 100*float64(part)/float64(of))
}

// A profileColumn is a column of the table: left out if it is empty in all lines.
type profileColumn struct {
	head string
	cell func(c *ProfileCounts) string // "" for nothing
}

func (p *Profile) columns() []profileColumn {
	number := func(head string, of func(c *ProfileCounts) uint64) profileColumn {
		return profileColumn{head, func(c *ProfileCounts) string {
			if v := of(c); v > 0 {
				return grouped(v)
			}
			return ""
		}}
	}
	return []profileColumn{
		number("instr", func(c *ProfileCounts) uint64 { return c.Instructions }),
		{"share", func(c *ProfileCounts) string { return percent(c.Instructions, p.Total.Instructions) }},
		{"lanes", func(c *ProfileCounts) string {
			if c.VectorInstructions == 0 {
				return ""
			}
			return fmt.Sprintf("%.1f", c.ActiveLanes(p.Lanes))
		}},
		number("trans", func(c *ProfileCounts) uint64 { return c.Transactions }),
		{"used", func(c *ProfileCounts) string {
			if c.Transactions == 0 {
				return ""
			}
			return p.used(c)
		}},
		number("conflicts", func(c *ProfileCounts) uint64 { return c.BankConflicts }),
		number("call-outs", func(c *ProfileCounts) uint64 { return c.CallOuts }),
	}
}

// table writes a row for each line, the files apart.
func (p *Profile) table(b *strings.Builder, source func(file string, line int) string) {
	var columns []profileColumn
	var widths []int
	for _, c := range p.columns() {
		width := 0
		for i := range p.Lines {
			width = max(width, len(c.cell(&p.Lines[i].Counts)))
		}
		if width > 0 {
			columns, widths = append(columns, c), append(widths, max(width, len(c.head)))
		}
	}
	place := len("line")
	for i := range p.Lines {
		place = max(place, len(p.Lines[i].where()))
	}
	file := ""
	for i := range p.Lines {
		l := &p.Lines[i]
		if i == 0 || l.File != file {
			file = l.File
			fmt.Fprintf(b, "\n%s\n", file)
			for j, c := range columns {
				fmt.Fprintf(b, "%*s  ", widths[j], c.head)
			}
			fmt.Fprintf(b, "%*s\n", place, "line")
		}
		row := ""
		for j, c := range columns {
			row += fmt.Sprintf("%*s  ", widths[j], c.cell(&l.Counts))
		}
		text := l.Text
		if text == "" && source != nil && l.Line > 0 {
			text = source(l.File, l.Line)
		}
		row += fmt.Sprintf("%*s  %s", place, l.where(), oneLine(text))
		b.WriteString(strings.TrimRight(row, " ") + "\n")
	}
}

func (l *ProfileLine) where() string {
	if l.Line > 0 {
		return strconv.Itoa(l.Line)
	}
	return fmt.Sprintf("+%#x", l.Offset)
}

// maxProfileText is how much of a line's text a row shows.
const maxProfileText = 72

// oneLine makes text fit a row.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if utf8.RuneCountInString(s) > maxProfileText {
		s = string([]rune(s)[:maxProfileText-1]) + "…"
	}
	return s
}
