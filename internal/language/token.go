package language

import (
	"path"
	"regexp"
	"sort"
	"strings"
	"unicode/utf8"

	"example.org/crosslane"
	"example.org/crosslane/amdgpu"
)

// A tokenKind is a kind of token.
type tokenKind uint8

const (
	tokWord    tokenKind = iota // a name, a mnemonic, a register, a word of GCN3 with dots
	tokDot                      // PTX: .word
	tokNumber                   // as written, signs left out
	tokString                   // with its quotes
	tokPunct                    // one character
	tokLine                     // GCN3: the end of a line
	tokComment                  // only in Document.comments
)

// A token is a piece of the text.
type token struct {
	kind     tokenKind
	from, to int // bytes
}

// tok returns the text of a token.
func (d *Document) tok(i int) string { return d.text.text[d.toks[i].from:d.toks[i].to] }

// is reports whether there is a token i with the given text.
func (d *Document) is(i int, text string) bool {
	return i >= 0 && i < len(d.toks) && d.tok(i) == text
}

// adjacent reports whether nothing stands between a token and the next one.
func (d *Document) adjacent(i int) bool {
	return i+1 < len(d.toks) && d.toks[i].to == d.toks[i+1].from
}

// tokenAt returns the token that contains an offset or, if there is none, ends there; -1 if there is
// none.
func (d *Document) tokenAt(off int) int {
	i := sort.Search(len(d.toks), func(i int) bool { return d.toks[i].to > off })
	if i < len(d.toks) && d.toks[i].from <= off && d.toks[i].kind != tokPunct && d.toks[i].kind != tokLine {
		return i
	}
	if i > 0 && d.toks[i-1].to == off && d.toks[i-1].kind != tokPunct && d.toks[i-1].kind != tokLine {
		return i - 1
	}
	if i < len(d.toks) && d.toks[i].from <= off {
		return i
	}
	return -1
}

// inComment reports whether an offset is in a comment.
func (d *Document) inComment(off int) bool {
	i := sort.Search(len(d.comments), func(i int) bool { return d.comments[i].to >= off })
	return i < len(d.comments) && d.comments[i].from < off
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// A scanner splits a text into tokens. It accepts every text.
type scanner struct {
	s        string
	at       int
	toks     []token
	comments []token
}

// newScanner makes a scanner, with space for the tokens that a text of this length usually has.
func newScanner(text string) scanner {
	return scanner{s: text, toks: make([]token, 0, len(text)/4+16)}
}

func (s *scanner) add(kind tokenKind, from int) { s.toks = append(s.toks, token{kind, from, s.at}) }

// comment adds the comment up to an offset.
func (s *scanner) comment(to int) {
	s.comments = append(s.comments, token{tokComment, s.at, to})
	s.at = to
}

// lineEnd returns the offset of the end of the line.
func (s *scanner) lineEnd() int {
	if n := strings.IndexByte(s.s[s.at:], '\n'); n >= 0 {
		return s.at + n
	}
	return len(s.s)
}

// skipComment skips a comment of C's forms, and a line that begins with #.
func (s *scanner) skipComment(first bool) bool {
	rest := s.s[s.at:]
	switch {
	case strings.HasPrefix(rest, "//"), rest[0] == '#' && first:
		s.comment(s.lineEnd())
	case strings.HasPrefix(rest, "/*"):
		end := len(s.s)
		if n := strings.Index(rest[2:], "*/"); n >= 0 {
			end = s.at + n + 4
		}
		s.comment(end)
	default:
		return false
	}
	return true
}

// str skips a string, up to its quote or the end of the line.
func (s *scanner) str() {
	from := s.at
	for s.at++; s.at < len(s.s) && s.s[s.at] != '\n'; s.at++ {
		if s.s[s.at] == '"' {
			s.at++
			break
		}
		if s.s[s.at] == '\\' && s.at+1 < len(s.s) && s.s[s.at+1] != '\n' {
			s.at++
		}
	}
	s.add(tokString, from)
}

// number skips a number, with an exponent.
func (s *scanner) number() {
	from := s.at
	hex := s.s[s.at] == '0' && s.at+1 < len(s.s) && s.s[s.at+1]|0x20 == 'x'
	for s.at < len(s.s) {
		c := s.s[s.at]
		exp := !hex && c|0x20 == 'e' && s.at+1 < len(s.s) && (s.s[s.at+1] == '-' || s.s[s.at+1] == '+') && s.at+2 < len(s.s) && digit(s.s[s.at+2])
		switch {
		case exp:
			s.at += 2
		case letter(c), digit(c):
			s.at++
		case c == '.' && s.at+1 < len(s.s) && digit(s.s[s.at+1]):
			s.at++
		default:
			s.add(tokNumber, from)
			return
		}
	}
	s.add(tokNumber, from)
}

// other takes one character.
func (s *scanner) other() {
	from := s.at
	_, n := utf8.DecodeRuneInString(s.s[s.at:])
	s.at += n
	s.add(tokPunct, from)
}

// scanPTX splits PTX into tokens.
func (s *scanner) scanPTX() {
	first := true // nothing but blanks before it on its line
	for s.at < len(s.s) {
		c := s.s[s.at]
		if c == '\n' {
			s.at++
			first = true
			continue
		}
		if c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' {
			s.at++
			continue
		}
		if s.skipComment(first) {
			continue
		}
		first = false
		from := s.at
		switch {
		case letter(c), c == '$', c == '%':
			for s.at++; s.at < len(s.s) && (letter(s.s[s.at]) || digit(s.s[s.at]) || s.s[s.at] == '$'); s.at++ {
			}
			if s.at == from+1 && (c == '%' || c == '$') {
				s.add(tokPunct, from)
			} else {
				s.add(tokWord, from)
			}
		case digit(c), c == '.' && s.at+1 < len(s.s) && digit(s.s[s.at+1]):
			if c == '.' {
				s.at++
			}
			s.number()
			s.toks[len(s.toks)-1].from = from
		case c == '.':
			s.dotWord()
		case c == '"':
			s.str()
		default:
			s.other()
		}
	}
}

// dotWord takes .word, which may contain :: as in .shared::cluster.
func (s *scanner) dotWord() {
	from := s.at
	for s.at++; s.at < len(s.s); s.at++ {
		c := s.s[s.at]
		if letter(c) || digit(c) || c == '$' {
			continue
		}
		if c == ':' && s.at+2 < len(s.s) && s.s[s.at+1] == ':' && (letter(s.s[s.at+2]) || digit(s.s[s.at+2])) {
			s.at++
			continue
		}
		break
	}
	s.add(tokDot, from)
}

// scanGCN3 splits assembly into tokens; the end of a line is one.
func (s *scanner) scanGCN3() {
	first := true
	for s.at < len(s.s) {
		c := s.s[s.at]
		if c == '\n' {
			from := s.at
			s.at++
			s.add(tokLine, from)
			first = true
			continue
		}
		if c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' {
			s.at++
			continue
		}
		if c == ';' {
			s.comment(s.lineEnd())
			continue
		}
		if s.skipComment(first) {
			continue
		}
		first = false
		from := s.at
		switch {
		case letter(c), c == '$', c == '.':
			for s.at++; s.at < len(s.s) && (letter(s.s[s.at]) || digit(s.s[s.at]) || s.s[s.at] == '$' || s.s[s.at] == '.'); s.at++ {
			}
			s.add(tokWord, from)
		case digit(c):
			s.number()
		case c == '"':
			s.str()
		default:
			s.other()
		}
	}
}

// ptxHead matches a directive with which a module of PTX begins.
var ptxHead = regexp.MustCompile(`(?m)^\s*\.(version\s+\d|target\s+sm_|address_size\s)`)

// gcn3Head matches a directive that only assembly for AMD's chips has.
var gcn3Head = regexp.MustCompile(`(?m)^\s*\.(amd\w+|hsa\w+)\b`)

// isCUDA reports whether a text is CUDA C++, by the editor's word or by the name of the file.
func isCUDA(name, word string) bool {
	ext := strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
	return word == "cuda-cpp" || word == "cuda" || (word == "" || word == "cpp" || word == "c") && (ext == ".cu" || ext == ".cuh")
}

// languageOf returns the instruction set of a text: by the editor's word, by text that only one of them has, by the
// name of the file, or by its first mnemonics. Auto is neither.
func languageOf(name, text, word string) crosslane.ISA {
	switch word {
	case "ptx":
		return crosslane.PTX
	case "gcn3":
		return crosslane.GCN3
	}
	if isCUDA(name, word) {
		return crosslane.Auto
	}
	ext := strings.ToLower(path.Ext(strings.ReplaceAll(name, `\`, "/")))
	switch {
	case ext == ".ptx":
		return crosslane.PTX
	case gcn3Head.MatchString(text):
		return crosslane.GCN3
	case ptxHead.MatchString(text):
		return crosslane.PTX
	}
	seen := 0
	for line := range strings.Lines(text) {
		if f := strings.Fields(line); len(f) > 0 {
			if r, _, _ := amdgpu.GFX803.LookUpSpelled(strings.ToLower(f[0])); r != nil {
				return crosslane.GCN3
			}
		}
		if seen++; seen > 1000 {
			break
		}
	}
	return crosslane.Auto
}
