package ptx

import (
	"fmt"
	"strings"
)

// LimitRegisters gives each kernel of a module a limit of registers per thread, .maxnreg (PTX 11.4.1). It is what
// compilers and linkers do for their option maxrregcount. Kernels whose directives decide about registers already stay
// as they are: .maxnreg itself, .maxntid, .reqntid, .minnctapersm and .maxnctapersm. The lines of the text stay, too.
// The error is that of Load.
func LimitRegisters(text string, most uint32) (string, error) {
	m, list := Load("", text)
	if err := list.Err(); err != nil {
		return "", err
	}
	var b strings.Builder
	at := 0
	for _, it := range m.Items {
		f, ok := it.(*Func)
		if !ok || !f.Entry || !f.Defined() || decidesRegisters(f) {
			continue
		}
		lex := &lexer{src: text, off: int(f.Pos.Off), lineAt: int(f.Pos.Off), quiet: true, errs: &errList{}}
		for t := lex.next(); t.kind != tEOF; t = lex.next() {
			if text[t.pos.Off] == '{' {
				fmt.Fprintf(&b, "%s.maxnreg %d ", text[at:t.pos.Off], most)
				at = int(t.pos.Off)
				break
			}
		}
	}
	return b.String() + text[at:], nil
}

// decidesRegisters reports whether a directive of a kernel limits its registers, by itself or by the blocks that have
// to fit.
func decidesRegisters(f *Func) bool {
	for _, name := range [...]string{".maxnreg", ".maxntid", ".reqntid", ".minnctapersm", ".maxnctapersm"} {
		if f.Directive(name) != nil {
			return true
		}
	}
	return false
}
