package asm

import (
	"strings"
)

// A statement is one line of assembly, without comments.
type statement struct {
	text   string // comments are spaces
	file   string
	line   int    // 1-based
	col    int    // 1-based column of text[0] in the source line
	source string // the whole source line
	from   *frame // the macro or repetition that made it; nil: the file itself
}

// column is the 1-based column of a byte of the text.
func (s *statement) column(i int) int { return s.col + i }

// indent is the index of the first byte that is not blank.
func (s *statement) indent() int { return len(s.text) - len(strings.TrimLeft(s.text, " \t\r\f\v")) }

// A frame is a macro or repetition being expanded.
type frame struct {
	name  string
	use   *statement // place of the use
	depth int
	exit  bool // .exitm
	conds int  // conditions open when it began
}

// A statement ends at the end of its line. ; and // start a comment, and # does at the start of a
// line. /* … */ counts as a blank, even across lines, as in LLVM.

// nextLine splits the first statement off src. n is the number of line ends consumed.
func nextLine(src string, semicolons bool) (st *statement, rest string, n int, err string) {
	end := strings.IndexByte(src, '\n')
	if end < 0 {
		end = len(src)
	}
	st = &statement{source: strings.TrimSuffix(src[:end], "\r"), col: 1}
	// Most lines have neither strings nor block comments.
	if !strings.ContainsAny(st.source, "\"/") && !semicolons {
		text := st.source
		if i := strings.IndexByte(text, ';'); i >= 0 {
			text = text[:i]
		}
		if t := strings.TrimLeft(text, " \t"); strings.HasPrefix(t, "#") {
			text = ""
		}
		st.text = text
		return st, src[min(end+1, len(src)):], 1, ""
	}
	var b strings.Builder
	i := 0
	for i < len(src) {
		c := src[i]
		switch {
		case c == '\n':
			st.text = b.String()
			return st, src[i+1:], n + 1, err
		case c == '"':
			j := stringEnd(src, i)
			b.WriteString(src[i:j])
			i = j
			continue
		case c == ';' && semicolons:
			st.text = b.String()
			return st, src[i+1:], n, err
		case c == ';', strings.HasPrefix(src[i:], "//"), c == '#' && strings.TrimSpace(b.String()) == "":
			for i < len(src) && src[i] != '\n' {
				i++
			}
			continue
		case strings.HasPrefix(src[i:], "/*"):
			j := strings.Index(src[i+2:], "*/")
			if j < 0 {
				st.text = b.String()
				return st, "", n, "/* without */"
			}
			j += i + 4
			n += strings.Count(src[i:j], "\n")
			for range j - i { // keep the columns
				b.WriteByte(' ')
			}
			i = j
			continue
		}
		b.WriteByte(c)
		i++
	}
	st.text = b.String()
	return st, "", n, err
}

// stringEnd returns the index after the string that starts at i. If the string is not closed, it is
// the end of the line.
func stringEnd(s string, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		case '\n':
			return i
		}
	}
	return min(i, len(s))
}

// identByte reports whether c may be in an identifier, after its first byte.
func identByte(c byte) bool { return isIdentStart(c) || isDigit(c) }

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' }

// A cursor reads the tokens of one statement.
type cursor struct {
	s   string
	pos int
}

func (s *cursor) space() {
	for s.pos < len(s.s) && isSpace(s.s[s.pos]) {
		s.pos++
	}
}

// peek returns the next byte after blanks, or 0.
func (s *cursor) peek() byte {
	s.space()
	if s.pos < len(s.s) {
		return s.s[s.pos]
	}
	return 0
}

// end reports whether only blanks are left.
func (s *cursor) end() bool { return s.peek() == 0 && s.pos >= len(s.s) }

// take consumes the byte c, if it is next.
func (s *cursor) take(c byte) bool {
	if s.pos < len(s.s) && s.peek() == c {
		s.pos++
		return true
	}
	return false
}

// ident consumes an identifier, plain or in quotes; "" if there is none.
func (s *cursor) ident() string {
	if s.peek() == '"' {
		i := s.pos
		s.pos = stringEnd(s.s, i)
		if s.pos-i < 2 || s.s[s.pos-1] != '"' {
			return ""
		}
		return s.s[i+1 : s.pos-1]
	}
	i := s.pos
	if i >= len(s.s) || !isIdentStart(s.s[i]) {
		return ""
	}
	for s.pos < len(s.s) && identByte(s.s[s.pos]) {
		s.pos++
	}
	return s.s[i:s.pos]
}

// rest returns the remaining text, without blanks at its ends.
func (s *cursor) rest() string {
	s.space()
	return strings.TrimRight(s.s[s.pos:], " \t\r")
}

// unquote returns the bytes of a string literal with its quotes. Escapes are \b \f \n \r \t \" \\
// \NNN (octal) and \xHH.
func unquote(lit string) (b []byte, err string) {
	if len(lit) < 2 || lit[0] != '"' || lit[len(lit)-1] != '"' {
		return nil, "expected a string in double quotes"
	}
	s := lit[1 : len(lit)-1]
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b = append(b, s[i])
			continue
		}
		if i++; i >= len(s) {
			return nil, "string ends in a backslash"
		}
		switch c := s[i]; {
		case c >= '0' && c <= '7':
			v := 0
			for n := 0; n < 3 && i < len(s) && s[i] >= '0' && s[i] <= '7'; n++ {
				v = v*8 + int(s[i]-'0')
				i++
			}
			i--
			if v > 255 {
				return nil, "octal escape is larger than \\377"
			}
			b = append(b, byte(v))
		case c == 'x' || c == 'X':
			v, n := 0, 0
			for i+1 < len(s) && hexDigit(s[i+1]) >= 0 {
				v = (v*16 + hexDigit(s[i+1])) & 0xff
				i++
				n++
			}
			if n == 0 {
				return nil, "\\x without hexadecimal digits"
			}
			b = append(b, byte(v))
		default:
			k := strings.IndexByte("bfnrt\"\\", c)
			if k < 0 {
				return nil, "unknown escape \\" + string(c)
			}
			b = append(b, "\b\f\n\r\t\"\\"[k])
		}
	}
	return b, ""
}

// hexDigit returns the value of a hexadecimal digit, or -1 for any other byte.
func hexDigit(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func isIdentStart(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c == '.' || c == '$'
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}
