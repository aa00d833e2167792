package ptx

import (
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"strconv"
	"strings"

	"example.org/crosslane/diag"
)

// A tokKind is a kind of token. Punctuation of one character has its character as kind.
type tokKind uint16

const (
	tEOF    tokKind = 0
	tIdent  tokKind = 256 + iota // name, %name, $name, _
	tDot                         // .word, with `::` inside
	tInt                         // val, unsigned
	tFloat                       // val: bits, single
	tString                      // without its quotes
	tShl                         // <<
	tShr                         // >>
	tLe                          // <=
	tGe                          // >=
	tEq                          // ==
	tNe                          // !=
	tAndAnd                      // &&
	tOrOr                        // ||
	tAtAt                        // @@
	tBad                         // reported already
)

// A token is one token. Its text is src[pos.Off:end].
type token struct {
	kind     tokKind
	unsigned bool // tInt: of type .u64
	single   bool // tFloat: 0f…
	cut      bool // tInt: it has more than 64 bits
	pos      Pos
	end      int32
	val      uint64
}

// A lexer turns text into tokens on demand.
type lexer struct {
	file   string
	src    string
	off    int   // offset of the next byte
	line   int32 // 1-based
	lineAt int   // offset of the line's first byte
	errs   *errList
	quiet  bool // skipping a broken statement, whose tokens are not reported
}

// report adds an error about a token.
func (l *lexer) report(pos Pos, code, msg string) {
	if !l.quiet {
		l.errs.add(pos, code, msg)
	}
}

// pos returns the position of a byte of the current line.
func (l *lexer) pos(off int) Pos {
	return Pos{Line: l.line, Col: int32(off-l.lineAt) + 1, Off: int32(off)}
}

const (
	cSpace  = 1 << iota
	cIdent  // may continue an identifier
	cStart  // may start one
	cDigit  // 0-9
	cHex    // 0-9a-fA-F
	cPrefix // _ $ %
)

// charClass classifies bytes; it is never written.
var charClass = func() (t [256]uint8) {
	for c := range t {
		b := byte(c)
		letter := b|0x20 >= 'a' && b|0x20 <= 'z'
		digit := b >= '0' && b <= '9'
		if b == ' ' || b == '\t' || b == '\r' || b == '\v' || b == '\f' {
			t[c] |= cSpace
		}
		if letter || digit || b == '_' || b == '$' {
			t[c] |= cIdent
		}
		if letter || b == '_' || b == '$' || b == '%' {
			t[c] |= cStart
		}
		if digit {
			t[c] |= cDigit
		}
		if digit || b|0x20 >= 'a' && b|0x20 <= 'f' {
			t[c] |= cHex
		}
		if b == '_' || b == '$' || b == '%' {
			t[c] |= cPrefix
		}
	}
	return
}()

// skip skips white space and comments.
func (l *lexer) skip() {
	for l.off < len(l.src) {
		c := l.src[l.off]
		switch {
		case c == '\n':
			l.off++
			l.line++
			l.lineAt = l.off
		case charClass[c]&cSpace != 0:
			l.off++
		case c == '/' && l.off+1 < len(l.src) && l.src[l.off+1] == '/':
			l.toLineEnd()
		case c == '/' && l.off+1 < len(l.src) && l.src[l.off+1] == '*':
			l.blockComment()
		case c == '#' && l.lineIsBlankBefore():
			l.preprocessor()
		default:
			return
		}
	}
}

func (l *lexer) toLineEnd() {
	for l.off < len(l.src) && l.src[l.off] != '\n' {
		l.off++
	}
}

// blockComment skips a comment /* … */, and reports one that is not closed.
func (l *lexer) blockComment() {
	start := l.pos(l.off)
	for l.off += 2; l.off < len(l.src); l.off++ {
		switch l.src[l.off] {
		case '\n':
			l.line++
			l.lineAt = l.off + 1
		case '*':
			if l.off+1 < len(l.src) && l.src[l.off+1] == '/' {
				l.off += 2
				return
			}
		}
	}
	l.report(start, "syntax", "comment is not closed: found the end of the file, expected */")
}

func (l *lexer) lineIsBlankBefore() bool {
	for i := l.lineAt; i < l.off; i++ {
		if charClass[l.src[i]]&cSpace == 0 {
			return false
		}
	}
	return true
}

// lineMarker is the text of a marker after its #: # 12 "k.cu" 1 3, #line 12 "k.cu".
var lineMarker = regexp.MustCompile(`^[ \t]*(?:line[ \t]*)?[0-9]+[ \t]+"[^"]*"(?:[ \t]+[0-9]+)*[ \t\r]*$`)

// preprocessor skips a line that starts with #. PTX 4.1 has C-style preprocessor lines; only line
// markers, which change nothing, are accepted.
func (l *lexer) preprocessor() {
	at := l.pos(l.off)
	start := l.off + 1
	l.toLineEnd()
	text := l.src[start:l.off]
	if lineMarker.MatchString(text) {
		return
	}
	text = strings.TrimLeft(text, " \t\v\f\r")
	i := 0
	for i < len(text) && charClass[text[i]]&cIdent != 0 {
		i++
	}
	switch word := text[:i]; word {
	case "include", "define", "undef", "if", "ifdef", "ifndef", "elif", "else", "endif":
		l.errs.addClass(at, diag.Unsupported, "unsupported-directive",
			fmt.Sprintf("preprocessor line #%s: run the preprocessor first", word))
	default:
		d := l.errs.add(at, "syntax", "found a line that starts with # and is no line marker")
		d.Remedy = `write # 12 "file" or #line 12 "file", or take the line out`
		d.Section = "PTX 4.1"
	}
}

// next returns the next token.
func (l *lexer) next() token {
	l.skip()
	if l.off >= len(l.src) {
		return token{pos: l.pos(l.off), end: int32(l.off)}
	}
	start := l.off
	t := token{pos: l.pos(start)}
	c := l.src[start]
	switch {
	case charClass[c]&cStart != 0:
		l.off++
		for l.off < len(l.src) && charClass[l.src[l.off]]&cIdent != 0 {
			l.off++
		}
		t.kind = tIdent
		if (c == '%' || c == '$') && l.off == start+1 {
			t.kind = tokKind(c) // PTX 4.4: a letter, digit, _ or $ follows
		}
	case charClass[c]&cDigit != 0:
		l.number(&t)
	case c == '.':
		if l.off+1 < len(l.src) && charClass[l.src[l.off+1]]&cDigit != 0 {
			l.number(&t)
			break
		}
		l.off = l.dotWord(start)
		t.kind = tDot
		if l.off == start+1 {
			l.report(t.pos, "syntax", "found a lone '.', expected a word after it")
			t.kind = tBad
		}
	case c == '"':
		l.str(&t)
	default:
		l.punct(&t, c)
	}
	t.end = int32(l.off)
	return t
}

// dotWord returns the end of the dot-word that starts at i: .word, which may contain :: between
// letters, as in .shared::cluster.
func (l *lexer) dotWord(i int) int {
	for i++; i < len(l.src); i++ {
		if charClass[l.src[i]]&cIdent != 0 {
			continue
		}
		if l.src[i] == ':' && i+2 < len(l.src) && l.src[i+1] == ':' && charClass[l.src[i+2]]&cIdent != 0 {
			i++
			continue
		}
		break
	}
	return i
}

// str reads a string; an escape keeps its backslash.
func (l *lexer) str(t *token) {
	t.kind = tString
	for l.off++; l.off < len(l.src) && l.src[l.off] != '"' && l.src[l.off] != '\n'; l.off++ {
		if l.src[l.off] == '\\' && l.off+1 < len(l.src) && l.src[l.off+1] != '\n' {
			l.off++
		}
	}
	if l.off >= len(l.src) || l.src[l.off] != '"' {
		l.report(t.pos, "syntax", "string is not closed: found the end of the line, expected \"")
		t.kind = tBad
		return
	}
	l.off++
}

// punct reads an operator of one or two characters.
func (l *lexer) punct(t *token, c byte) {
	l.off++
	t.kind = tokKind(c)
	var d byte
	if l.off < len(l.src) {
		d = l.src[l.off]
	}
	two := func(k tokKind) {
		t.kind = k
		l.off++
	}
	switch c {
	case '<':
		switch d {
		case '<':
			two(tShl)
		case '=':
			two(tLe)
		}
	case '>':
		switch d {
		case '>':
			two(tShr)
		case '=':
			two(tGe)
		}
	case '=':
		if d == '=' {
			two(tEq)
		}
	case '!':
		if d == '=' {
			two(tNe)
		}
	case '&':
		if d == '&' {
			two(tAndAnd)
		}
	case '|':
		if d == '|' {
			two(tOrOr)
		}
	case '@':
		if d == '@' {
			two(tAtAt)
		}
	case '{', '}', '(', ')', '[', ']', ',', ';', ':', '+', '-', '*', '/', '~', '^', '?':
	default:
		// A run of bytes that can start no token, for example in a binary file, is reported once.
		n := 1
		for l.off < len(l.src) && (l.src[l.off] >= 0x7f || l.src[l.off] < ' ' && l.src[l.off] != '\n' && charClass[l.src[l.off]]&cSpace == 0) {
			l.off++
			n++
		}
		l.report(t.pos, "syntax", fmt.Sprintf("found %s, which no PTX token starts with", byteName(c, n)))
		t.kind = tBad
	}
}

// byteName describes a run of n bytes, of which c is the first, for a message.
func byteName(c byte, n int) string {
	s := fmt.Sprintf("byte %#02x", c)
	if c > ' ' && c < 0x7f {
		s = strconv.QuoteRune(rune(c))
	}
	if n > 1 {
		s += fmt.Sprintf(" and %d bytes more", n-1)
	}
	return s
}

// number reads a number of PTX 4.5.1 or 4.5.2.
func (l *lexer) number(t *token) {
	s, i := l.src, l.off
	t.kind = tInt
	var second byte
	if s[i] == '0' && i+1 < len(s) {
		second = s[i+1] | 0x20
	}
	switch second {
	case 'x':
		l.integer(t, 2, 16, cHex)
	case 'b':
		l.integer(t, 2, 2, cDigit)
	case 'f':
		l.hexFloat(t, 8)
	case 'd':
		l.hexFloat(t, 16)
	default:
		for i < len(s) && charClass[s[i]]&cDigit != 0 {
			i++
		}
		if i < len(s) && (s[i] == '.' && !(i+1 < len(s) && charClass[s[i+1]]&cStart != 0 && s[i+1]|0x20 != 'e') || s[i]|0x20 == 'e') {
			l.decimalFloat(t)
			return
		}
		if s[l.off] == '0' && i > l.off+1 {
			l.integer(t, 1, 8, cDigit)
		} else {
			l.integer(t, 0, 10, cDigit)
		}
	}
}

// integer reads the digits after a prefix of n bytes.
func (l *lexer) integer(t *token, n int, base uint64, class uint8) {
	s, start := l.src, l.off
	i := start + n
	digits := i
	over, badDigit := false, false
	var v uint64
	for ; i < len(s) && charClass[s[i]]&class != 0; i++ {
		d := uint64(s[i])
		switch {
		case d <= '9':
			d -= '0'
		default:
			d = d | 0x20 - 'a' + 10
		}
		if d >= base {
			badDigit = true
		}
		// Errata E134: a constant of more than 64 bits keeps its low 64 bits. The vendor's
		// assembler refuses a constant if the digits before the last one fill bit 63.
		over = over || v>>63 != 0
		if hi, lo := bits.Mul64(v, base); hi != 0 || lo+d < lo {
			t.cut = true
		}
		v = v*base + d
	}
	empty := i == digits
	if i < len(s) && s[i] == 'U' {
		t.unsigned = true
		i++
	}
	tail := i
	for i < len(s) && charClass[s[i]]&cIdent != 0 {
		i++
	}
	l.off = i
	lit := s[start:i]
	switch {
	case empty || badDigit || i > tail:
		l.bad(t, lit, map[uint64]string{2: "binary", 8: "octal", 10: "decimal", 16: "hexadecimal"}[base]+" digits")
	case over:
		l.bad(t, lit, "a value of at most 64 bits")

	}
	t.val = v
	t.unsigned = t.unsigned || v > math.MaxInt64
}

// bad reports a literal. The token keeps its kind, so that one mistake causes one report.
func (l *lexer) bad(t *token, lit, expected string) {
	if len(lit) > 40 {
		lit = lit[:40] + "…"
	}
	l.report(t.pos, "bad-literal", fmt.Sprintf("found number %q, expected %s", lit, expected))
}

// hexFloat reads 0fXXXXXXXX or 0dXXXXXXXXXXXXXXXX.
func (l *lexer) hexFloat(t *token, n int) {
	s, start := l.src, l.off
	i := start + 2
	for i < len(s) && charClass[s[i]]&cIdent != 0 {
		i++
	}
	l.off = i
	t.kind = tFloat
	t.single = n == 8
	v, err := strconv.ParseUint(s[start+2:i], 16, 64)
	if i-start-2 != n || err != nil {
		l.bad(t, s[start:i], fmt.Sprintf("exactly %d hexadecimal digits after %s", n, s[start:start+2]))
	}
	t.val = v
}

// decimalFloat reads a decimal floating-point number.
func (l *lexer) decimalFloat(t *token) {
	s, start := l.src, l.off
	i := start
	digits := func() {
		for i < len(s) && charClass[s[i]]&cDigit != 0 {
			i++
		}
	}
	digits()
	if i < len(s) && s[i] == '.' {
		i++
		digits()
	}
	mantissa := i
	if i < len(s) && s[i]|0x20 == 'e' {
		i++
		if i < len(s) && (s[i] == '+' || s[i] == '-') {
			i++
		}
		digits()
	}
	tail := i
	for i < len(s) && charClass[s[i]]&cIdent != 0 {
		i++
	}
	l.off = i
	t.kind = tFloat
	v, err := strconv.ParseFloat(s[start:tail], 64)
	switch {
	case i > tail || err != nil && !math.IsInf(v, 0):
		l.bad(t, s[start:i], "a decimal floating-point number")
	case math.IsInf(v, 0) || v < 0x1p-1022 && strings.ContainsAny(s[start:mantissa], "123456789"):
		// PTX 4.5.2: constants are doubles. Errata E138: the vendor's assembler has no subnormal
		// constants.
		l.bad(t, s[start:i], "a number that a double holds, from 2.3e-308 to 1.79e308; write the bits, as in 0d7FF0000000000000")
	}
	t.val = math.Float64bits(v)
}
