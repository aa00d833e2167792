package diag

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// TextOptions configure the text form.
type TextOptions struct {
	Color bool // ANSI colours
	// Line returns a line of a file (1-based, without its end). It is preferred to the
	// line that a diagnostic carries, which may be the instruction as printed again.
	// May be nil.
	Line func(file string, line int) (text string, ok bool)
	// Lanes is the number of lanes of a wave, if the lanes concerned are to be drawn.
	Lanes int
}

// The colours: severity, the marked text, and remarks.
const (
	red, magenta, cyan = "\x1b[1;31m", "\x1b[1;35m", "\x1b[1;36m"
	green, bold, dim   = "\x1b[1;32m", "\x1b[1m", "\x1b[2m"
	reset              = "\x1b[0m"
)

// WriteText writes each diagnostic as
//
//	file:line:col: severity: message [code]
//	    source line
//	    ^
//	  at: the instruction, if the place above is the line that it was compiled from
//	  lanes: 4-19
//	  remedy: a sentence
//	  fix: a change of the text that would do it
//	  see: the manual's section
//	  note: file:line:col: a related place
//
// with only the lines that are not empty. Characters that a terminal would obey are replaced.
func (l List) WriteText(w io.Writer, o TextOptions) error {
	var b strings.Builder
	for _, d := range l {
		d.text(&b, o)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Text is WriteText of one diagnostic.
func (d *Diagnostic) Text(o TextOptions) string {
	var b strings.Builder
	d.text(&b, o)
	return b.String()
}

func (d *Diagnostic) text(b *strings.Builder, o TextOptions) {
	paint := func(color, s string) string {
		if !o.Color || s == "" {
			return s
		}
		return color + s + reset
	}
	sev := map[Severity]string{Note: cyan, Warning: magenta, Error: red}[d.Severity]
	origins, related := d.origins()
	at := d.Pos
	if len(origins) > 0 {
		at = origins[0].Pos
	}
	if at.IsValid() {
		b.WriteString(paint(bold, clean(at.String())) + ": ")
	}
	b.WriteString(paint(sev, d.Severity.String()+":") + " ")
	first, more, _ := strings.Cut(clip(d.Message), "\n")
	b.WriteString(paint(bold, clean(first)))
	if d.Code != "" {
		b.WriteString(" " + paint(dim, "["+d.Code+"]"))
	}
	b.WriteByte('\n')
	if more != "" {
		for _, s := range strings.Split(strings.TrimRight(more, "\n"), "\n") {
			b.WriteString("  " + clean(s) + "\n")
		}
	}
	line := func(label, s string) {
		if s != "" {
			b.WriteString("  " + paint(bold, label+":") + " " + clean(s) + "\n")
		}
	}
	if len(origins) > 0 {
		writeSource(b, at, origins[0].Source, o, paint)
		for _, r := range origins[1:] {
			line("inlined at", r.Pos.String())
			writeSource(b, r.Pos, r.Source, o, paint)
		}
		line("at", d.Pos.String())
	}
	writeSource(b, d.Pos, d.Source, o, paint)
	line("also at", d.same())
	if d.Lanes != "none" { // as an empty mask prints
		line("lanes", d.Lanes)
		if p := LanePicture(d.Lanes, o.Lanes); p != "" {
			b.WriteString(p)
		}
	}
	line("where", d.Where())
	line("launches", d.Launches)
	line("remedy", d.Remedy)
	for _, f := range d.Fixes {
		if s, ok := f.line(o); ok {
			at := ""
			if n := f.Edits[0].Pos.Line; n != d.Pos.Line {
				at = fmt.Sprintf(" (line %d)", n)
			}
			line("fix", f.Message+at)
			b.WriteString("    " + paint(green, "+") + " " + clean(strings.TrimSpace(s)) + "\n")
		} else {
			line("fix", f.String())
		}
	}
	line("see", d.Section)
	for _, r := range related {
		at := ""
		if r.Pos.IsValid() {
			at = r.Pos.String() + ": "
		}
		line("note", at+clip(r.Message))
		writeSource(b, r.Pos, r.Source, o, paint)
	}
}

// The method Where names the kernel, block and wave in which a dynamic finding was first seen.
func (d *Diagnostic) Where() string {
	if d.Blocks == 0 {
		return ""
	}
	s := fmt.Sprintf("block (%d,%d,%d), wave %d", d.Block[0], d.Block[1], d.Block[2], d.Wave)
	if thread, ok := d.Thread(); ok {
		s += fmt.Sprintf(", thread (%d,%d,%d)", thread[0], thread[1], thread[2])
	}
	if d.Kernel != "" {
		s = "kernel " + d.Kernel + ", " + s
	}
	if d.Blocks > 1 {
		s += fmt.Sprintf(", and %d more block", d.Blocks-1) + plural(d.Blocks-1)
	}
	if d.Count > 1 {
		s += fmt.Sprintf("; %d times in all", d.Count)
	}
	return s
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

// maxSource is the greatest width of a source line as shown.
const maxSource = 100

// writeSource writes the source line and a caret under the column. Leading blanks are removed; tabs
// become blanks to the next multiple of eight; if the line is long, only the neighbourhood of the
// column is shown. A place without a column, whose source is known, belongs to an instruction that
// does not stand in the line itself.
func writeSource(b *strings.Builder, pos Pos, src string, o TextOptions, paint func(string, string) string) {
	if o.Line != nil && pos.Line > 0 && (pos.Col > 0 || src == "") {
		if line, ok := o.Line(pos.File, pos.Line); ok {
			src = line
		}
	}
	src = strings.TrimRight(src, " \t\r\n")
	if strings.TrimSpace(src) == "" || strings.Contains(src, "\n") {
		return
	}
	caret := -1
	if pos.Line > 0 && pos.Col > 0 && pos.Col <= len(src)+1 {
		caret = pos.Col - 1
	}
	text, at := expand(src, caret)
	blanks := 0
	for blanks < len(text) && text[blanks] == ' ' && (at < 0 || blanks < at) {
		blanks++
	}
	text, at = text[blanks:], at-blanks
	if len(text) > maxSource {
		text, at = window(text, at)
	}
	b.WriteString("    " + string(text) + "\n")
	if caret >= 0 {
		b.WriteString("    " + strings.Repeat(" ", at) + paint(green, "^") + "\n")
	}
}

// expand returns the characters of a line as they are shown, and the index among
// them of the byte offset caret (-1 stays far below zero).
func expand(src string, caret int) (text []rune, at int) {
	at = -1 << 30
	for i, r := range src {
		if caret >= i && caret < i+utf8.RuneLen(max(r, 0)) || caret == i {
			at = len(text)
		}
		if r == '\t' {
			for text = append(text, ' '); len(text)%8 != 0; {
				text = append(text, ' ')
			}
			continue
		}
		text = append(text, shown(r))
	}
	if caret >= len(src) {
		at = len(text)
	}
	return text, at
}

// window cuts a long line down to the neighbourhood of at.
func window(text []rune, at int) ([]rune, int) {
	lo := min(max(at-maxSource/2, 0), len(text)-maxSource)
	hi := lo + maxSource
	out := append([]rune(nil), text[lo:hi]...)
	dots := []rune("...")
	if lo > 0 {
		copy(out, dots)
	}
	if hi < len(text) {
		copy(out[len(out)-3:], dots)
	}
	return out, at - lo
}

// clean makes a line of text safe for a terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' {
			return ' '
		}
		return shown(r)
	}, s)
}

// maxMessage is the greatest length of a message, in bytes. The contents of a hostile input may be
// quoted in it; a list of a thousand lanes still fits.
const maxMessage = 4096

// clip leaves out the text beyond maxMessage, between characters.
func clip(s string) string {
	if len(s) <= maxMessage {
		return s
	}
	n := maxMessage
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s... (%d bytes more)", s[:n], len(s)-n)
}

func shown(r rune) rune {
	if !unicode.IsPrint(r) {
		return unicode.ReplacementChar
	}
	return r
}

// Count is a number with its noun, in the plural unless the number is 1.
func Count(n int, noun string) string {
	return fmt.Sprintf("%d %s%s", n, noun, plural(n))
}
