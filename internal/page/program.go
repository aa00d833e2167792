package page

import (
	"encoding/base64"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
)

// A Program is a file with those that it includes. It has a text or, if it is binary, its bytes in base64.
type Program struct {
	Name     string            `json:"name"`
	Text     string            `json:"text,omitempty"`
	Base64   string            `json:"base64,omitempty"`
	Includes map[string]string `json:"includes,omitempty"` // texts by the names that .include has

	data []byte
}

// maxName is the greatest length of the name of a file.
const maxName = 255

// open checks a program of a request.
func (p *Program) open(limit int) error {
	if p.Name == "" {
		p.Name = "kernel"
	}
	if len(p.Name) > maxName || strings.ContainsAny(p.Name, "\x00\n\r") {
		return usage("program: the name of a file is at most %d bytes without line breaks, found %s", maxName, quoted(p.Name))
	}
	if p.Text != "" && p.Base64 != "" {
		return usage("program: give text or base64, not both")
	}
	size := len(p.Text) + len(p.Base64)/4*3
	for _, text := range p.Includes {
		size += len(text)
	}
	if size > limit {
		return usage("program: it has %s with its files; %s is the limit of the page", input.BytesText(uint64(size)), input.BytesText(uint64(limit)))
	}
	if p.Base64 != "" {
		data, err := base64.StdEncoding.DecodeString(p.Base64)
		if err != nil {
			return usage("program: base64: %s", err)
		}
		p.data = data
		return nil
	}
	p.data = input.TrimMark([]byte(p.Text))
	return nil
}

// load loads the program.
func (p *Program) load(l *launch) (*crosslane.Module, error) {
	o := crosslane.LoadOptions{Include: p.include}
	if l != nil {
		o.ISA, o.SM, o.FatBinary = l.isa, l.sm, l.fatbin
	}
	return crosslane.LoadWith(p.data, p.Name, o)
}

func (p *Program) include(name string) ([]byte, error) {
	if text, ok := p.Includes[name]; ok {
		return []byte(text), nil
	}
	return nil, fmt.Errorf("%s is not among the files that were opened in the page", quoted(name))
}

// isText reports whether the program is text, and not code in binary form.
func (p *Program) isText() bool {
	return utf8.Valid(p.data) && !strings.Contains(string(p.data[:min(len(p.data), 512)]), "\x00")
}

// A Launch is a launch as the command line has it: the flags of crosslane run, in the quotes of a shell.
type Launch struct {
	Line string `json:"line"`
	// Files are the contents, in base64, of files that the launch names: NAME in x=@NAME.
	Files map[string]string `json:"files,omitempty"`
}

// launch is a launch that was read.
type launch struct {
	launchspec.Spec
	isa        crosslane.ISA
	sm, fatbin int
	fidelity   bool
}

// read reads the launch of a request.
func (t *task) read(p *Page, limit time.Duration) (*launch, error) {
	if t.Launch == nil {
		return nil, usage("params: launch is missing")
	}
	words, err := splitLine(t.Launch.Line)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	total := 0
	for name, text := range t.Launch.Files {
		data, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, usage("launch: the file %s: %s", quoted(name), err)
		}
		if total += len(data); total > int(min(p.o.Limits.Memory, 1<<30)) {
			return nil, usage("launch: the files have more than %s, the limit of the page", input.BytesText(p.o.Limits.Memory))
		}
		files[name] = data
	}
	l, err := readFlags(words)
	if err != nil {
		return nil, err
	}
	l.ReadFrom(func(name string, most int64) ([]byte, int64, error) {
		data, ok := files[name]
		if !ok {
			return nil, 0, fmt.Errorf("%s: the page reads only files that were opened in it", name)
		}
		return data[:min(int64(len(data)), most)], int64(len(data)), nil
	})
	if err := l.Complete(); err != nil {
		return nil, err
	}
	l.Native = p.o.Engine
	l.MaxMemory = min(l.MaxMemory, p.o.Limits.Memory)
	for _, n := range []struct {
		flag       string
		have, most uint64
	}{{"stack", uint64(l.Stack), 1 << 20}, {"heap", l.Heap, p.o.Limits.Memory}, {"shared", uint64(l.Shared), 1 << 20}} {
		if n.have > n.most {
			d := usage("--%s: the page allows %s, found %s", n.flag, input.BytesText(n.most), input.BytesText(n.have))
			d.Remedy = "use the command line for such a launch"
			return nil, d
		}
	}
	if l.Heap == 0 {
		l.Heap = min(8<<20, p.o.Limits.Memory/8)
	}
	if l.Timeout == 0 || l.Timeout > limit {
		l.Timeout = limit
	}
	return l, nil
}

// build makes the arguments of a launch. copies is how many times its memory is needed.
func (l *launch) build(k launchspec.Kernel, copies uint64, p *Page) (*launchspec.Built, error) {
	made, err := l.Build(k, copies)
	if err != nil {
		for _, d := range diag.Of(err) {
			if strings.Contains(d.Remedy, "--max-memory") {
				c := *d
				c.Remedy = "make the buffers smaller; the page allows " + input.BytesText(p.o.Limits.Memory) + ", and the command line more"
				return nil, &c
			}
		}
		return nil, err
	}
	return made, nil
}

// maxLine is the greatest length of the line of a launch, in bytes.
const maxLine = 1 << 20

// splitLine splits a line into words as a shell does: blanks separate, quotes and backslashes keep. A word in front of the flags,
// as in "crosslane run k.ptx --grid 1", is left out.
func splitLine(line string) ([]string, error) {
	if len(line) > maxLine {
		return nil, usage("launch: the line has %s; %s is the limit", input.BytesText(uint64(len(line))), input.BytesText(maxLine))
	}
	var words []string
	var word strings.Builder
	begun := false
	quote := byte(0)
	for i := 0; i < len(line); i++ {
		c := line[i]
		switch {
		case quote == '\'' && c != '\'':
			word.WriteByte(c)
		case quote == '"' && c == '\\' && i+1 < len(line) && strings.IndexByte(`"\$`+"`", line[i+1]) >= 0:
			i++
			word.WriteByte(line[i])
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteByte(c)
		case c == '\'' || c == '"':
			quote, begun = c, true
		case c == '\\' && i+1 < len(line):
			if i++; line[i] != '\n' { // a line break after a backslash is none
				word.WriteByte(line[i])
				begun = true
			}
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteByte(c)
			begun = true
		}
	}
	if quote != 0 {
		return nil, usage("launch: a quote %c has no end", quote)
	}
	if begun {
		words = append(words, word.String())
	}
	if len(words) > 0 && words[0] == "crosslane" {
		words = words[1:]
		for len(words) > 0 && !strings.HasPrefix(words[0], "-") {
			words = words[1:]
		}
	}
	return words, nil
}

// Quote writes a word so that a shell and splitLine read it.
func Quote(word string) string {
	plain := func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || strings.ContainsRune("_-.,:/+@%=", r)
	}
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
		return word
	}
	// Brackets stand unquoted in the documents, although some shells read them as patterns.
	if word != "" && !strings.ContainsFunc(word, func(r rune) bool { return !plain(r) && r != '[' && r != ']' }) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
