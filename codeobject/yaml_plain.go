package codeobject

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// plainYAML reads the YAML that compilers write as metadata: maps and lists in blocks or in brackets, and scalars on one line. What
// else YAML has is an error that names it. An error comes with its line.
func plainYAML(text []byte) (any, int, error) {
	if !utf8.Valid(text) {
		return nil, 1, fmt.Errorf("the text is not UTF-8")
	}
	r := &plainReader{}
	if err := r.split(string(text)); err != nil {
		return nil, err.line, err
	}
	if len(r.lines) == 0 {
		return nil, 1, fmt.Errorf("found nothing, expected a YAML map")
	}
	v, err := r.node(r.lines[0].indent, 0)
	if err == nil && len(r.lines) > 0 {
		err = r.errorf("the line is indented otherwise than those before it")
	}
	if err != nil {
		return nil, err.line, err
	}
	return v, 0, nil
}

// yamlError is an error at a line.
type yamlError struct {
	line int
	text string
}

func (e *yamlError) Error() string { return e.text }

// yamlLine is a line with contents; indent is the column of its text.
type yamlLine struct {
	number, indent int
	text           string
}

// plainReader holds the lines that are not read yet.
type plainReader struct {
	lines []yamlLine
	last  int // the number of the line that was read last
}

func (r *plainReader) errorf(format string, args ...any) *yamlError {
	line := r.last
	if len(r.lines) > 0 {
		line = r.lines[0].number
	}
	return &yamlError{max(line, 1), fmt.Sprintf(format, args...)}
}

// split divides the text into lines, without comments, and takes the marks of a document away.
func (r *plainReader) split(text string) *yamlError {
	begun := false
	for i, line := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
		bad := func(what string) *yamlError { return &yamlError{i + 1, what} }
		rest := strings.TrimLeft(line, " ")
		indent := len(line) - len(rest)
		rest = strings.TrimRight(rest, " ")
		if strings.IndexFunc(line, func(c rune) bool {
			return c < ' ' && c != '\t' || 0x7f <= c && c < 0xa0 || 0xfffe <= c && c <= 0xffff || c == 0x2028 || c == 0x2029 || c == 0xfeff
		}) >= 0 {
			return bad("control characters are not used in metadata")
		}
		switch {
		case strings.HasPrefix(rest, "\t"):
			return bad("tabs do not indent")
		case rest == "" || rest[0] == '#':
			continue
		case !tabsInWords(line):
			return bad("tabs beside marks are not used in metadata")
		case indent == 0 && rest == "---" && !begun && len(r.lines) == 0:
			begun = true
			continue
		case indent == 0 && rest == "...":
			for _, after := range strings.Split(text, "\n")[i+1:] {
				if after = strings.Trim(after, " \r"); after != "" && after[0] != '#' {
					return bad("a second document is not used in metadata")
				}
			}
			return nil
		case indent == 0 && (strings.HasPrefix(rest, "---") || strings.HasPrefix(rest, "...") || rest[0] == '%'):
			return bad("directives and further documents are not used in metadata")
		}
		r.lines = append(r.lines, yamlLine{i + 1, indent, rest})
	}
	return nil
}

// tabsInWords reports whether each tab of a line stands between letters or digits.
func tabsInWords(line string) bool {
	for i := range len(line) {
		if line[i] == '\t' && !(isWord(line, i-1) && isWord(line, i+1)) {
			return false
		}
	}
	return true
}

// isWord reports whether a letter, a digit or _ stands at an index.
func isWord(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] == '_' || '0' <= s[i] && s[i] <= '9' || 'a' <= s[i]|0x20 && s[i]|0x20 <= 'z')
}

func (r *plainReader) next() yamlLine {
	l := r.lines[0]
	r.lines = r.lines[1:]
	r.last = l.number
	return l
}

// node reads the node whose first line has an indent.
func (r *plainReader) node(indent, depth int) (any, *yamlError) {
	if depth > maxDepth {
		return nil, r.errorf("nested more than %d deep", maxDepth)
	}
	l := &r.lines[0]
	if isItem(l.text) {
		return r.list(indent, depth)
	}
	if _, _, ok, err := cutKey(l.text); err != nil || ok {
		if err != nil {
			return nil, r.errorf("%s", err)
		}
		return r.mapping(indent, depth)
	}
	return r.inline(r.next().text, indent-1, depth)
}

func isItem(s string) bool { return s == "-" || strings.HasPrefix(s, "- ") }

// list reads a list whose items have an indent.
func (r *plainReader) list(indent, depth int) (any, *yamlError) {
	list := []any{}
	for len(r.lines) > 0 && r.lines[0].indent == indent && isItem(r.lines[0].text) {
		l := &r.lines[0]
		rest := strings.TrimLeft(l.text[1:], " ")
		var v any = ""
		var err *yamlError
		if rest != "" && rest[0] == '\t' {
			return nil, r.errorf("tabs do not indent")
		}
		if rest == "" || rest[0] == '#' {
			r.next()
			if len(r.lines) > 0 && r.lines[0].indent > indent {
				v, err = r.node(r.lines[0].indent, depth+1)
			}
		} else { // the rest is a node of its own, further to the right
			l.indent, l.text = indent+len(l.text)-len(rest), rest
			v, err = r.node(l.indent, depth+1)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, v)
	}
	return list, nil
}

// mapping reads a map whose keys have an indent.
func (r *plainReader) mapping(indent, depth int) (any, *yamlError) {
	m := map[string]any{}
	for len(r.lines) > 0 && r.lines[0].indent == indent && !isItem(r.lines[0].text) {
		key, rest, ok, kerr := cutKey(r.lines[0].text)
		switch {
		case kerr != nil:
			return nil, r.errorf("%s", kerr)
		case !ok:
			return nil, r.errorf("found %.40q, expected a key and a colon", r.lines[0].text)
		}
		if _, dup := m[key]; dup {
			return nil, r.errorf("key %.40q twice in one map", key)
		}
		r.next()
		var v any = ""
		var err *yamlError
		switch {
		case rest != "" && rest[0] != '#':
			v, err = r.inline(rest, indent, depth+1)
		case len(r.lines) > 0 && (r.lines[0].indent > indent || r.lines[0].indent == indent && isItem(r.lines[0].text)):
			v, err = r.node(r.lines[0].indent, depth+1)
		}
		if err != nil {
			return nil, err
		}
		m[key] = v
	}
	return m, nil
}

// cutKey cuts a line into a key and what follows the colon.
func cutKey(s string) (key, rest string, ok bool, err error) {
	if s[0] == '"' || s[0] == '\'' {
		key, rest, err = cutQuoted(s)
		if err != nil {
			return "", "", false, err
		}
		if rest = strings.TrimLeft(rest, " "); !strings.HasPrefix(rest, ":") || len(rest) > 1 && rest[1] != ' ' {
			return "", "", false, nil
		}
		return key, strings.TrimLeft(rest[1:], " "), true, isKey(key)
	}
	if s[0] == '[' || s[0] == '{' {
		return "", "", false, nil
	}
	i := strings.Index(s, ": ")
	if c := strings.Index(s, " #"); c >= 0 && (i < 0 || c < i) {
		s, i = strings.TrimRight(s[:c], " "), -1
	}
	if i < 0 {
		if !strings.HasSuffix(s, ":") {
			return "", "", false, nil
		}
		i = len(s) - 1
	}
	key = strings.TrimRight(s[:i], " ")
	if !isPlain(key, false) {
		return "", "", false, fmt.Errorf("%.40q is no key that metadata use", key)
	}
	return key, strings.TrimLeft(s[i+1:], " "), true, isKey(key)
}

// inline reads a value that begins on a line that was taken. A value in brackets may go on over lines that are indented further than
// indent.
func (r *plainReader) inline(s string, indent, depth int) (any, *yamlError) {
	at := r.last
	bad := func(err error) *yamlError { return &yamlError{at, err.Error()} }
	if s[0] == '[' || s[0] == '{' {
		for {
			f := &flow{s: s, depth: depth}
			v, err := f.value()
			if err == nil {
				if rest := strings.TrimLeft(f.s, " "); rest != "" && (rest[0] != '#' || rest == f.s) {
					return nil, bad(fmt.Errorf("found %.40q after the bracket", rest))
				}
				return v, nil
			}
			if err != errOpen || len(r.lines) == 0 || r.lines[0].indent <= indent {
				return nil, bad(err)
			}
			if strings.Contains(s, " #") || strings.HasPrefix(r.lines[0].text, "#") {
				return nil, bad(fmt.Errorf("comments between brackets are not used in metadata"))
			}
			// A line ends after a mark between values: a key and its colon, and a scalar, stand on one line.
			if next := r.lines[0].text; strings.IndexByte(",[{", s[len(s)-1]) < 0 && next[0] != ']' && next[0] != '}' {
				return nil, bad(fmt.Errorf("values of several lines are not used in metadata"))
			}
			if s += " " + r.next().text; len(s) > maxFlow {
				return nil, bad(fmt.Errorf("the value in brackets has more than %d bytes", maxFlow))
			}
		}
	}
	tag, s := cutTag(s)
	v, rest, err := scalar(s, tag, false)
	if err != nil {
		return nil, bad(err)
	}
	if rest = strings.TrimLeft(rest, " "); rest != "" && rest[0] != '#' {
		return nil, bad(fmt.Errorf("found %.40q after the value", rest))
	}
	if len(r.lines) > 0 && r.lines[0].indent > indent {
		return nil, r.errorf("values of several lines are not used in metadata")
	}
	return v, nil
}

// maxKey bounds a key, in bytes; YAML has 1024 characters.
const maxKey = 128

// isKey returns an error for a key that is too long.
func isKey(key string) error {
	if len(key) > maxKey {
		return fmt.Errorf("the key %.40q has more than %d bytes", key, maxKey)
	}
	return nil
}

// maxFlow bounds a value in brackets that goes over several lines, in bytes.
const maxFlow = 1 << 16

// cutTag cuts the tag off a scalar: "!str x".
func cutTag(s string) (tag, rest string) {
	if s == "" || s[0] != '!' {
		return "", s
	}
	tag, rest, _ = strings.Cut(s, " ")
	return tag, strings.TrimLeft(rest, " ")
}

// scalar reads a scalar at the beginning of a text. inFlow: it stands in brackets.
func scalar(s, tag string, inFlow bool) (v any, rest string, err error) {
	text := ""
	switch {
	case s == "":
	case s[0] == '"' || s[0] == '\'':
		if text, rest, err = cutQuoted(s); err != nil {
			return nil, "", err
		}
		if rest != "" && rest[0] != ' ' && !(inFlow && strings.IndexByte(",]}:", rest[0]) >= 0) {
			return nil, "", fmt.Errorf("found %.40q after the value", rest)
		}
	default:
		if text, rest, err = cutPlain(s, inFlow); err != nil {
			return nil, "", err
		}
	}
	v, err = yamlScalar(text, tag, tag != "")
	return v, rest, err
}

// cutPlain cuts a scalar without quotes off.
func cutPlain(s string, inFlow bool) (text, rest string, err error) {
	end := len(s)
	for i := range len(s) {
		next := byte(' ')
		if i+1 < len(s) {
			next = s[i+1]
		}
		if c := s[i]; c == ' ' && next == '#' || inFlow && (strings.IndexByte(",]}[{", c) >= 0 || c == ':' && strings.IndexByte(" ,]}[{", next) >= 0) {
			end = i
			break
		}
		if s[i] == ':' && next == ' ' {
			return "", "", fmt.Errorf("found a second colon in %.40q", s)
		}
	}
	if text = strings.TrimRight(s[:end], " "); !isPlain(text, inFlow) {
		return "", "", fmt.Errorf("%.40q is no value that metadata use", s)
	}
	return text, s[end:], nil
}

// isPlain tells whether a text is a scalar without quotes whose reading no rule of YAML makes doubtful: it begins with a letter, a
// digit or one of a few marks, and the marks that YAML reads stand between letters and digits only.
func isPlain(s string, inFlow bool) bool {
	word := func(i int) bool { return isWord(s, i) }
	for i := range len(s) {
		ok := true
		switch c := s[i]; {
		case word(i):
		case strings.IndexByte("./$+~^=;()<\\", c) >= 0, c >= 0x80:
		case c == '-':
			ok = i > 0 && s[i-1] != ' ' || word(i+1) || i+1 < len(s) && s[i+1] == '.'
		case c == ':':
			ok = (word(i-1) || s[max(i-1, 0)] == ':' && i > 1) && (word(i+1) || i+2 < len(s) && (s[i+1] == ':' || s[i+1] == '/'))
		case c == '#', c == '\t':
			ok = word(i-1) && word(i+1)
		case c == ' ':
			ok = i > 0
		case c == '*', c == '&', c == '>':
			ok = i > 0
		case strings.IndexByte("@'!?%|\",[]{}", c) >= 0:
			ok = i > 0 && !inFlow
		default: // control characters and `
			ok = false
		}
		if !ok {
			return false
		}
	}
	return s != ""
}

// cutQuoted cuts a scalar in quotes off.
func cutQuoted(s string) (text, rest string, err error) {
	var b strings.Builder
	quote := s[0]
	for i := 1; i < len(s); i++ {
		c := s[i]
		switch {
		case c == quote && quote == '\'' && i+1 < len(s) && s[i+1] == '\'':
			b.WriteByte(c)
			i++
		case c == quote:
			return b.String(), s[i+1:], nil
		case c == '\\' && quote == '"' && i+1 < len(s):
			i++
			n := strings.IndexByte(`0abtnvfre "/\`, s[i])
			if n >= 0 {
				b.WriteByte("\x00\a\b\t\n\v\f\r\x1b \"/\\"[n])
				continue
			}
			digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[s[i]]
			code, perr := strconv.ParseUint(s[i+1:min(i+1+digits, len(s))], 16, 32)
			if digits == 0 || perr != nil || i+1+digits > len(s) || !utf8.ValidRune(rune(code)) {
				return "", "", fmt.Errorf("the escape \\%c is not used in metadata", s[i])
			}
			b.WriteRune(rune(code))
			i += digits
		default:
			b.WriteByte(c)
		}
	}
	return "", "", fmt.Errorf("a quote %c has no end on its line", quote)
}

// flow reads a value in brackets. s is what is not read yet.
type flow struct {
	s     string
	depth int
}

var errOpen = fmt.Errorf("a bracket has no end")

func (f *flow) blanks() { f.s = strings.TrimLeft(f.s, " ") }

// value reads a value.
func (f *flow) value() (any, error) {
	f.blanks()
	if f.depth++; f.depth > maxDepth {
		return nil, fmt.Errorf("nested more than %d deep", maxDepth)
	}
	defer func() { f.depth-- }()
	if f.s == "" {
		return nil, errOpen
	}
	switch f.s[0] {
	case '[':
		return f.list()
	case '{':
		return f.mapping()
	}
	tag, s := cutTag(f.s)
	v, rest, err := scalar(s, tag, true)
	f.s = rest
	return v, err
}

func (f *flow) list() (any, error) {
	list := []any{}
	f.s = f.s[1:]
	for {
		f.blanks()
		if f.s != "" && f.s[0] == ']' {
			f.s = f.s[1:]
			return list, nil
		}
		v, err := f.value()
		if err != nil {
			return nil, err
		}
		list = append(list, v)
		if done, err := f.after(']'); err != nil || done {
			return list, err
		}
	}
}

func (f *flow) mapping() (any, error) {
	m := map[string]any{}
	f.s = f.s[1:]
	for {
		f.blanks()
		if f.s == "" {
			return nil, errOpen
		}
		if f.s[0] == '}' {
			f.s = f.s[1:]
			return m, nil
		}
		var key string
		var err error
		if f.s[0] == '"' || f.s[0] == '\'' {
			key, f.s, err = cutQuoted(f.s)
		} else {
			key, f.s, err = cutPlain(f.s, true)
		}
		if err != nil {
			return nil, err
		}
		f.blanks()
		if f.s == "" {
			return nil, errOpen
		}
		if f.s[0] != ':' || len(f.s) > 1 && f.s[1] != ' ' {
			return nil, fmt.Errorf("found %.40q after a key, expected a colon and a blank", f.s)
		}
		f.s = f.s[1:]
		if err := isKey(key); err != nil {
			return nil, err
		}
		if _, dup := m[key]; dup {
			return nil, fmt.Errorf("key %.40q twice in one map", key)
		}
		if m[key], err = f.value(); err != nil {
			return nil, err
		}
		if done, err := f.after('}'); err != nil || done {
			return m, err
		}
	}
}

// after reads the comma or the bracket after a value.
func (f *flow) after(end byte) (done bool, err error) {
	f.blanks()
	switch {
	case f.s == "":
		return false, errOpen
	case f.s[0] == end:
		f.s = f.s[1:]
		return true, nil
	case f.s[0] == ',':
		f.s = f.s[1:]
		return false, nil
	}
	return false, fmt.Errorf("found %.40q, expected a comma or %c", f.s, end)
}
