package language

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/ptx"
)

// Inline PTX: the strings of asm statements in CUDA C++.
//
// Input: the text of a .cu or .cuh file.
// Output: for each asm statement whose text is a list of strings, a Document of PTX: a kernel that declares the
// operands by the types of their constraints, with the text of the strings in it.
// Invariant: a byte of the strings that stands for itself is in the kernel; an escape sequence is one byte of it, and
// %% is the % of a name. The operands have the names %0, %1, … in both texts.
// Example: asm("shfl.sync.bfly.b32 %0, %1, 16, 31, -1;" : "=r"(y) : "r"(x)) has .reg .u32 %0, %1.
//
// Only the errors and warnings of loading are reported: which lanes come to the statement is not known.

// An inlineAsm is one asm statement.
type inlineAsm struct {
	from, to int // bytes of the source: from the first quote to after the last one
	doc      *Document
	pieces   []inlinePiece
	operands []asmOperand
	own      []Diagnostic // what is wrong with the statement itself
	unknown  bool         // an immediate operand has no known value
}

// An inlinePiece is bytes of the source and of the kernel that stand for each other: as many of both, or an escape
// sequence and its byte.
type inlinePiece struct{ src, srcLen, in, inLen int }

// An asmOperand is one operand of an asm statement.
type asmOperand struct {
	name       string // in brackets; "" if it has none
	constraint string
	expr       string
	from, to   int // bytes of the constraint
	typ        string
	output     bool
}

// constraintTypes are the types of the registers that constraints of CUDA C++ name.
var constraintTypes = map[byte]string{'h': "u16", 'r': "u32", 'l': "u64", 'q': "b128", 'f': "f32", 'd': "f64"}

// inlineWords begin an asm statement.
var inlineWords = map[string]bool{"asm": true, "__asm__": true, "__asm": true}

// maxInline bounds the asm statements of a file.
const maxInline = 4096

// readInline finds the asm statements of C++.
func (d *Document) readInline() {
	r := cppReader{s: d.text.text}
	for r.at < len(r.s) && len(d.inline) < maxInline {
		word, at := r.next()
		if !inlineWords[word] || at > 0 && r.s[at-1] == '.' {
			continue
		}
		save := r.at
		if a := d.readAsm(&r); a != nil {
			d.inline = append(d.inline, a)
		} else {
			r.at = save
		}
	}
}

// A cppReader splits C++ into words: names, numbers, strings and single characters.
type cppReader struct {
	s  string
	at int
}

// blank skips blanks, comments, and line ends that a backslash hides.
func (r *cppReader) blank() {
	for r.at < len(r.s) {
		c := r.s[r.at]
		switch {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\v' || c == '\f':
			r.at++
		case c == '\\' && r.at+1 < len(r.s) && (r.s[r.at+1] == '\n' || r.s[r.at+1] == '\r'):
			r.at += 2
		case strings.HasPrefix(r.s[r.at:], "//"):
			n := strings.IndexByte(r.s[r.at:], '\n')
			if n < 0 {
				r.at = len(r.s)
				return
			}
			r.at += n
		case strings.HasPrefix(r.s[r.at:], "/*"):
			n := strings.Index(r.s[r.at+2:], "*/")
			if n < 0 {
				r.at = len(r.s)
				return
			}
			r.at += n + 4
		default:
			return
		}
	}
}

// next returns the next word and its offset; "" at the end.
func (r *cppReader) next() (word string, from int) {
	r.blank()
	from = r.at
	if r.at >= len(r.s) {
		return "", from
	}
	c := r.s[r.at]
	switch {
	case letter(c):
		for r.at < len(r.s) && (letter(r.s[r.at]) || digit(r.s[r.at])) {
			r.at++
		}
		if w := r.s[from:r.at]; r.at < len(r.s) && r.s[r.at] == '"' && (w == "R" || w == "u8R" || w == "LR" || w == "uR" || w == "UR") {
			r.raw()
		}
	case digit(c):
		for r.at < len(r.s) && (letter(r.s[r.at]) || digit(r.s[r.at]) || r.s[r.at] == '.' || r.s[r.at] == '\'') {
			r.at++
		}
	case c == '"' || c == '\'':
		r.quoted(c)
	default:
		r.at++
	}
	return r.s[from:r.at], from
}

// quoted skips a string or a character, up to its quote or the end of the line.
func (r *cppReader) quoted(quote byte) {
	for r.at++; r.at < len(r.s) && r.s[r.at] != '\n'; r.at++ {
		if r.s[r.at] == quote {
			r.at++
			return
		}
		if r.s[r.at] == '\\' && r.at+1 < len(r.s) {
			r.at++
		}
	}
}

// raw skips a raw string from its quote on.
func (r *cppReader) raw() {
	open := strings.IndexByte(r.s[r.at:], '(')
	if open < 0 || open > 17 {
		r.quoted('"')
		return
	}
	end := ")" + r.s[r.at+1:r.at+open] + `"`
	n := strings.Index(r.s[r.at+open:], end)
	if n < 0 {
		r.at = len(r.s)
		return
	}
	r.at += open + n + len(end)
}

// readAsm reads an asm statement from behind its word; nil if it is none, or if its text is more than strings.
func (d *Document) readAsm(r *cppReader) *inlineAsm {
	word, _ := r.next()
	for word == "volatile" || word == "__volatile__" || word == "inline" || word == "goto" {
		word, _ = r.next()
	}
	if word != "(" {
		return nil
	}
	var b inlineBuilder
	a := &inlineAsm{from: -1}
	var from int
	for word, from = r.next(); isString(word); word, from = r.next() {
		if a.from < 0 {
			a.from = from
		}
		a.to = r.at
		b.addString(word, from)
	}
	if a.from < 0 || word != ":" && word != ")" {
		return nil
	}
	for section := 0; word == ":"; section++ {
		// :: is two sections.
		if word, from = r.next(); word == ":" {
			continue
		}
		for word != "" && word != ":" && word != ")" {
			o := asmOperand{output: section == 0}
			if word == "[" {
				o.name, _ = r.next()
				if word, _ = r.next(); word != "]" {
					return nil
				}
				word, from = r.next()
			}
			if !isString(word) {
				return nil
			}
			o.from, o.to, o.constraint = from, r.at, plainString(word)
			if section < 2 {
				var ok bool
				if o.expr, ok = r.parenthesis(); !ok {
					return nil
				}
				a.operands = append(a.operands, o)
			}
			if word, from = r.next(); word == "," {
				word, from = r.next()
			}
		}
	}
	if word != ")" {
		return nil
	}
	d.makeKernel(a, &b)
	return a
}

// isString reports whether a word is a string, perhaps a raw one.
func isString(word string) bool {
	return strings.HasPrefix(word, `"`) || len(word) > 2 && word[len(word)-1] == '"' && strings.Contains(word[:min(4, len(word))], `R"`)
}

// plainString returns the text between quotes, as it is.
func plainString(word string) string { return strings.Trim(word, `"`) }

// parenthesis reads an expression in parentheses.
func (r *cppReader) parenthesis() (expr string, ok bool) {
	word, _ := r.next()
	if word != "(" {
		return "", false
	}
	from := r.at
	for depth := 1; ; {
		switch word, at := r.next(); word {
		case "":
			return "", false
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return strings.TrimSpace(r.s[from:at]), true
			}
		}
	}
}

// An inlineBuilder collects the text of the strings of an asm statement.
type inlineBuilder struct {
	text   strings.Builder
	pieces []inlinePiece
}

// add adds bytes that stand for bytes of the source.
func (b *inlineBuilder) add(text string, src, srcLen int) {
	n := len(b.pieces)
	if n > 0 && len(text) == srcLen && b.pieces[n-1].srcLen == b.pieces[n-1].inLen && b.pieces[n-1].src+b.pieces[n-1].srcLen == src {
		b.pieces[n-1].srcLen += srcLen
		b.pieces[n-1].inLen += srcLen
	} else {
		b.pieces = append(b.pieces, inlinePiece{src, srcLen, b.text.Len(), len(text)})
	}
	b.text.WriteString(text)
}

// addString adds a string with its quotes.
func (b *inlineBuilder) addString(word string, src int) {
	if word[0] != '"' { // raw
		open := strings.IndexByte(word, '(')
		quote := strings.IndexByte(word, '"')
		end := len(word) - (open - quote) - 1
		if open < 0 || end <= open {
			return
		}
		for i := open + 1; i < end; i++ {
			b.add(word[i:i+1], src+i, 1)
		}
		return
	}
	for i := 1; i < len(word); {
		if word[i] == '"' {
			return
		}
		if word[i] != '\\' || i+1 >= len(word) {
			b.add(word[i:i+1], src+i, 1)
			i++
			continue
		}
		n, c := 2, word[i+1]
		switch {
		case c == 'n' || c == 't' || c == 'r' || c == 'v' || c == 'f' || c == 'a' || c == 'b':
			c = "\n\t\r\v\f\a\b"[strings.IndexByte("ntrvfab", c)]
		case c == 'x':
			for n < len(word)-i-1 && n < 4 && isHex(word[i+n]) {
				n++
			}
			v, _ := strconv.ParseUint("0"+word[i+2:i+n], 16, 8)
			c = byte(v)
		case c >= '0' && c <= '7':
			for n < len(word)-i-1 && n < 4 && word[i+n] >= '0' && word[i+n] <= '7' {
				n++
			}
			v, _ := strconv.ParseUint(word[i+1:i+n], 8, 16)
			c = byte(v)
		case c == '\n':
			i += 2 // a line end that the backslash hides
			continue
		}
		b.add(string(rune(c)), src+i, n)
		i += n
	}
}

func isHex(c byte) bool { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// unescape gives operands and registers their names: %% is %, and %[name] is the operand's number.
func (b *inlineBuilder) unescape(operands []asmOperand) (missing []inlinePiece) {
	text := b.text.String()
	type change struct {
		from, to int
		with     string
	}
	var changes []change
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '%' {
			continue
		}
		switch c := text[i+1]; {
		case c == '%':
			changes = append(changes, change{i, i + 2, "%"})
			i++
		case c == '[':
			end := strings.IndexByte(text[i:], ']')
			if end < 0 {
				continue
			}
			n := -1
			for k, o := range operands {
				if o.name == text[i+2:i+end] {
					n = k
				}
			}
			if n < 0 {
				missing = append(missing, inlinePiece{in: i, inLen: end + 1})
			} else {
				changes = append(changes, change{i, i + end + 1, "%" + strconv.Itoa(n)})
			}
			i += end
		case digit(c):
			n := 1
			for i+n < len(text) && digit(text[i+n]) {
				n++
			}
			if v, err := strconv.Atoi(text[i+1 : i+n]); err != nil || v >= len(operands) {
				missing = append(missing, inlinePiece{in: i, inLen: n})
			}
			i += n - 1
		}
	}
	for i := range missing {
		from, to, _ := (&inlineAsm{pieces: b.pieces}).source(missing[i].in, missing[i].in+missing[i].inLen)
		missing[i].src, missing[i].srcLen = from, to-from
	}
	old := &inlineAsm{pieces: b.pieces}
	var nb inlineBuilder
	at := 0
	copyTo := func(to int) {
		for ; at < to; at++ {
			from, end, _ := old.source(at, at+1)
			nb.add(text[at:at+1], from, end-from)
		}
	}
	for _, c := range changes {
		copyTo(c.from)
		from, end, _ := old.source(c.from, c.to)
		nb.add(c.with, from, end-from)
		at = c.to
	}
	copyTo(len(text))
	*b = inlineBuilder{pieces: nb.pieces}
	b.text.WriteString(nb.text.String())
	return missing
}

// source returns the bytes of the source that stand for bytes of the kernel; ok is false for text that is not there.
func (a *inlineAsm) source(from, to int) (srcFrom, srcTo int, ok bool) {
	find := func(at int) *inlinePiece {
		i := sort.Search(len(a.pieces), func(i int) bool { return a.pieces[i].in+a.pieces[i].inLen > at })
		if i == len(a.pieces) || a.pieces[i].in > at {
			return nil
		}
		return &a.pieces[i]
	}
	p := find(from)
	if p == nil {
		return 0, 0, false
	}
	srcFrom = p.src
	if p.srcLen == p.inLen {
		srcFrom += from - p.in
	}
	if to <= from {
		return srcFrom, srcFrom, true
	}
	q := find(to - 1)
	if q == nil {
		return srcFrom, p.src + p.srcLen, true
	}
	srcTo = q.src + q.srcLen
	if q.srcLen == q.inLen {
		srcTo = q.src + to - q.in
	}
	return srcFrom, srcTo, true
}

// inside returns the byte of the kernel for a byte of the source.
func (a *inlineAsm) inside(src int) (at int, ok bool) {
	for _, p := range a.pieces {
		if src >= p.src && src <= p.src+p.srcLen {
			if p.srcLen == p.inLen {
				return p.in + src - p.src, true
			}
			if src == p.src+p.srcLen {
				return p.in + p.inLen, true
			}
			return p.in, true
		}
	}
	return 0, false
}

// inlineTarget is higher than all targets and has the features that later ones keep. The others have features that only
// they have. The target of the file is not known: a statement is right if it is for one of them.
const inlineTarget = "sm_999"

var inlineTargets = []string{"sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a"}

// hiddenName begins the names of a kernel that the source does not have.
const hiddenName = "%__crosslane"

// makeKernel makes the kernel around the text of an asm statement.
func (d *Document) makeKernel(a *inlineAsm, b *inlineBuilder) {
	complain := func(from, to int, code, format string, args ...any) {
		f := diag.Errorf(diag.Pos{File: d.name, Line: d.feedOf(from) + 1, Col: from - d.text.feeds[d.feedOf(from)] + 1}, diag.Input, code, format, args...)
		a.own = append(a.own, Diagnostic{Range: d.text.between(from, to), Severity: f.Severity, Code: f.Code, Message: f.Message, From: f})
	}
	missing := 0
	if len(a.operands) > 0 || strings.Contains(b.text.String(), "%%") {
		for _, m := range b.unescape(a.operands) {
			missing++
			complain(m.src, m.src+m.srcLen, "bad-operand", "the asm statement has %s: %s names none of them", diag.Count(len(a.operands), "operand"), d.text.text[m.src:m.src+m.srcLen])
		}
	}
	var head, tail strings.Builder
	fmt.Fprintf(&head, ".version %s\n.target %s\n.address_size 64\n.visible .entry __crosslane_inline() {\n\t.reg .u64 %s_at;\n", ptx.NewestVersion, inlineTarget, hiddenName)
	for i := range a.operands {
		o := &a.operands[i]
		letters := strings.Trim(o.constraint, "=+&")
		switch {
		case len(letters) == 1 && constraintTypes[letters[0]] != "":
			o.typ = constraintTypes[letters[0]]
			fmt.Fprintf(&head, "\t.reg .%s %%%d;\n", o.typ, i)
		case letters == "n":
			// The value of an expression is known only if it is a number.
			v, ok := number(strings.Trim(o.expr, "() "))
			if !ok {
				v, a.unknown = 16, true
			}
			b.replaceOperand(i, int64(v))
		case letters == "C" && !o.output:
			a.unknown = true
			b.replaceOperand(i, 0)
		case len(letters) == 1 && digit(letters[0]) && int(letters[0]-'0') < i:
			o.typ = a.operands[letters[0]-'0'].typ
			fmt.Fprintf(&head, "\t.reg .%s %%%d;\n", o.typ, i)
		default:
			complain(o.from, o.to, "bad-operand", "constraint %q names no register of PTX: write h, r, l, q, f or d, n for a constant, or C for a string", o.constraint)
			a.unknown = true
			fmt.Fprintf(&head, "\t.reg .b32 %%%d;\n", i)
		}
		if written := strings.ContainsAny(o.constraint, "=+"); written != o.output {
			if o.output {
				complain(o.from, o.to, "bad-operand", "constraint %q of an output needs = or +", o.constraint)
			} else {
				complain(o.from, o.to, "bad-operand", "constraint %q of an input has = or +, which belongs to an output", o.constraint)
			}
		}
	}
	head.WriteString("\t{\n")
	tail.WriteString("\n\t}\n\tret;\n}\n")
	for i := range b.pieces {
		b.pieces[i].in += head.Len()
	}
	a.pieces = b.pieces
	a.unknown = a.unknown || missing > 0
	a.doc = d.svc.openInline(d.name, head.String()+b.text.String()+tail.String())
}

// openInline makes the Document of a kernel, or returns that of an earlier version of the file.
func (s *Service) openInline(name, text string) *Document {
	key := name + "\x00" + text
	s.mu.Lock()
	d := s.inline[key]
	s.mu.Unlock()
	if d != nil {
		return d
	}
	d = s.Open(name, text, Options{Language: "ptx"})
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.inline) >= 2*maxInline {
		clear(s.inline)
	}
	s.inline[key] = d
	return d
}

// loadFindings returns the errors and warnings of loading a text.
func (d *Document) loadFindings() []Diagnostic {
	d.foundMu.Lock()
	defer d.foundMu.Unlock()
	if known := d.found.Load(); known != nil {
		return *known
	}
	load := func(text string) diag.List {
		m, err := crosslane.LoadWith([]byte(text), d.name, crosslane.LoadOptions{ISA: crosslane.PTX})
		if err != nil {
			return diag.Of(err)
		}
		return m.Warnings()
	}
	lacks := func(f *diag.Diagnostic) bool { return f.Code == "needs-target" }
	found := load(d.text.text)
	if slices.ContainsFunc(found, lacks) {
		for _, target := range inlineTargets {
			if list := load(strings.Replace(d.text.text, inlineTarget, target, 1)); !slices.ContainsFunc(list, lacks) {
				found = list
				break
			}
		}
	}
	out := d.show(found)
	d.found.Store(&out)
	return out
}

// replaceOperand puts a number in the place of an operand.
func (b *inlineBuilder) replaceOperand(n int, v int64) {
	text, name := b.text.String(), "%"+strconv.Itoa(n)
	old := &inlineAsm{pieces: b.pieces}
	var nb inlineBuilder
	for at := 0; at < len(text); {
		if strings.HasPrefix(text[at:], name) && (at+len(name) == len(text) || !digit(text[at+len(name)])) {
			from, end, _ := old.source(at, at+len(name))
			nb.add(strconv.FormatInt(v, 10), from, end-from)
			at += len(name)
			continue
		}
		from, end, _ := old.source(at, at+1)
		nb.add(text[at:at+1], from, end-from)
		at++
	}
	*b = inlineBuilder{pieces: nb.pieces}
	b.text.WriteString(nb.text.String())
}

// asmAt returns the asm statement at a position, and the position in its kernel; nil if there is none.
func (d *Document) asmAt(at Position) (*inlineAsm, Position) {
	if len(d.inline) == 0 {
		return nil, at
	}
	off := d.text.offset(at)
	i := sort.Search(len(d.inline), func(i int) bool { return d.inline[i].to > off })
	if i == len(d.inline) || d.inline[i].from > off {
		return nil, at
	}
	in, ok := d.inline[i].inside(off)
	if !ok {
		return nil, at
	}
	return d.inline[i], d.inline[i].doc.text.position(in)
}

// outer returns the range of the source for one of the kernel; ok is false for text that is not there.
func (d *Document) outer(a *inlineAsm, r Range) (Range, bool) {
	from, to := a.doc.text.offset(r.Start), a.doc.text.offset(r.End)
	x, y, ok := a.source(from, to)
	if !ok && to == from && from > 0 { // after the last character
		if _, y, ok = a.source(from-1, from); ok {
			x = y
		}
	}
	return d.text.between(x, y), ok
}

// inlineDiagnostics returns the errors and warnings of loading the text of asm statements.
func (d *Document) inlineDiagnostics(ctx context.Context) (list []Diagnostic, err error) {
	for _, a := range d.inline {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list = append(list, a.own...)
		if a.unknown {
			continue
		}
		for _, f := range a.doc.loadFindings() {
			var ok bool
			if f.Range, ok = d.outer(a, f.Range); !ok {
				continue
			}
			related := f.Related
			f.Related = nil
			for _, r := range related {
				if r.Range, ok = d.outer(a, r.Range); ok {
					f.Related = append(f.Related, r)
				}
			}
			moved := *f.From
			moved.Pos.Line, moved.Pos.Col = 0, 0
			moved.Fixes = nil
			f.From = &moved
			list = append(list, f)
		}
	}
	return list, nil
}

// inlineHover explains a position in the text of an asm statement.
func (d *Document) inlineHover(at Position, style HoverStyle) *Hover {
	a, in := d.asmAt(at)
	if a == nil {
		return nil
	}
	h := a.doc.Hover(in, style)
	if h == nil {
		return nil
	}
	if t := a.doc.tokenAt(a.doc.text.offset(in)); t >= 0 {
		if n, err := strconv.Atoi(strings.TrimPrefix(a.doc.tok(t), "%")); err == nil && a.doc.tok(t)[0] == '%' && n < len(a.operands) {
			o := a.operands[n]
			role := "input"
			if o.output {
				role = "output"
			}
			h.Text = fmt.Sprintf("`%%%d`: %s `%s`, constraint `%s`: `.%s`", n, role, clip(strings.ReplaceAll(o.expr, "`", "'")), o.constraint, o.typ)
		}
	}
	var ok bool
	if h.Range, ok = d.outer(a, h.Range); !ok {
		return nil
	}
	return h
}

// inlineCompletions returns the words that fit a position in the text of an asm statement. A name that begins with %
// has %% there, if the statement has operands.
func (d *Document) inlineCompletions(at Position) (list []Completion) {
	a, in := d.asmAt(at)
	if a == nil {
		return nil
	}
	for _, c := range a.doc.Complete(in) {
		if strings.HasPrefix(c.Label, hiddenName) || strings.HasPrefix(c.Label, "__crosslane") {
			continue
		}
		var ok bool
		if c.Edit.Range, ok = d.outer(a, c.Edit.Range); !ok {
			continue
		}
		if rest, ok := strings.CutPrefix(c.Edit.NewText, "%"); ok && len(a.operands) > 0 && (rest == "" || !digit(rest[0])) {
			c.Edit.NewText = "%%" + rest
		}
		list = append(list, c)
	}
	return list
}

// inlineReferences returns the places of the name at a position within its asm statement.
func (d *Document) inlineReferences(at Position) (list []Reference) {
	a, in := d.asmAt(at)
	if a == nil {
		return nil
	}
	for _, r := range a.doc.References(in) {
		var ok bool
		if r.Range, ok = d.outer(a, r.Range); ok {
			list = append(list, r)
		}
	}
	return list
}

// inlineRanges returns those ranges of a kernel that the source has.
func (d *Document) inlineRanges(at Position, ask func(*Document, Position) []Range) (list []Range) {
	a, in := d.asmAt(at)
	if a == nil {
		return nil
	}
	for _, r := range ask(a.doc, in) {
		if r, ok := d.outer(a, r); ok {
			list = append(list, r)
		}
	}
	return list
}

// inlineHints returns the hints for the text of the asm statements in a range: which lane reads which.
func (d *Document) inlineHints(at Range) (list []InlayHint) {
	for _, a := range d.inline {
		where := d.text.between(a.from, a.to)
		if where.End.Line < at.Start.Line || where.Start.Line > at.End.Line {
			continue
		}
		for i := range a.doc.stmts {
			s := &a.doc.stmts[i]
			if s.kind != instruction || s.op < 0 || !a.doc.exchanges(s) {
				continue
			}
			end := a.doc.toks[s.to-1].to
			label, tip := a.doc.exchangeText(s)
			if r, ok := d.outer(a, a.doc.text.between(end-1, end)); ok && label != "" {
				list = append(list, InlayHint{r.End, label, tip})
			}
		}
	}
	return list
}

// inlineTokens returns the roles of the words in the strings. A word of several pieces has none.
func (d *Document) inlineTokens() (list []SemanticToken) {
	for _, a := range d.inline {
		for i := range a.doc.toks {
			typ, mods := a.doc.semantic(i)
			t := a.doc.toks[i]
			from, to, ok := a.source(t.from, t.to)
			if typ < 0 || !ok || to-from > t.to-t.from+1 || d.text.lineOf(from) != d.text.lineOf(to) {
				continue
			}
			if n := units(d.text.text[from:to]); n > 0 {
				list = append(list, SemanticToken{d.text.position(from), n, typ, mods})
			}
		}
	}
	return list
}
