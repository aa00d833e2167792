package language

import (
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/ptx"
)

// A SignatureHelp is the forms of the instruction at a position.
type SignatureHelp struct {
	Signatures []Signature
	Form       int // the likeliest one
	Param      int // the operand at the position
}

// A Signature is one form of an instruction, with its operands as ranges of Label.
type Signature struct {
	Label  string
	About  string
	Params []SignatureParam
}

// A SignatureParam is one operand. From and To count units of UTF-16.
type SignatureParam struct {
	From, To int
	Meaning  string
}

// SignatureHelp returns the forms of the instruction whose operands stand at a position; nil if there is no
// instruction.
func (d *Document) SignatureHelp(at Position) *SignatureHelp {
	if d.inline != nil {
		a, in := d.asmAt(at)
		if a == nil {
			return nil
		}
		return a.doc.SignatureHelp(in)
	}
	off := d.text.offset(at)
	s := d.statementBefore(off)
	if s == nil || s.kind != instruction || s.op < 0 || off <= d.toks[s.opTo-1].to || d.inComment(off) {
		return nil
	}
	if s.to > s.from && d.tok(s.to-1) == ";" && off >= d.toks[s.to-1].to {
		return nil
	}
	h := &SignatureHelp{Signatures: d.signatures(s)}
	if len(h.Signatures) == 0 {
		return nil
	}
	depth := 0
	for t := s.opTo; t < s.to && d.toks[t].from < off; t++ {
		switch d.tok(t) {
		case "{", "[", "(":
			depth++
		case "}", "]", ")":
			depth--
		case ",":
			if depth <= 0 {
				h.Param++
			}
		}
	}
	for h.Form < len(h.Signatures)-1 && len(h.Signatures[h.Form].Params) <= h.Param {
		h.Form++
	}
	return h
}

// statementBefore returns the statement that contains an offset, or the last one that begins before it.
func (d *Document) statementBefore(off int) *statement {
	for t := d.lastTokenBefore(off); t >= 0; t-- {
		if d.toks[t].kind == tokLine {
			return nil
		}
		if s := d.statementAt(t); s != nil {
			return s
		}
	}
	return nil
}

// lastTokenBefore returns the last token that begins before an offset; -1 if there is none.
func (d *Document) lastTokenBefore(off int) int {
	lo, hi := 0, len(d.toks)
	for lo < hi {
		if mid := (lo + hi) / 2; d.toks[mid].from < off {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo - 1
}

// signatures returns the forms of an instruction from its rows.
func (d *Document) signatures(s *statement) (list []Signature) {
	if d.isa == crosslane.PTX {
		for _, f := range ptx.Signatures(d.parts(s)) {
			g := Signature{Label: f.Label, About: f.About}
			for _, p := range f.Params {
				g.Params = append(g.Params, SignatureParam{p.From, p.To, p.Meaning})
			}
			list = append(list, g)
		}
		return list
	}
	row, enc := d.rowOf(s)
	if row == nil {
		return nil
	}
	g := Signature{Label: strings.ToLower(d.tok(s.op)), About: row.Does}
	for i, o := range row.Operands {
		sep := " "
		if i > 0 {
			sep = ", "
		}
		g.Label += sep
		from := len(g.Label)
		name := "S"
		if o.Dst {
			name = "D"
		}
		g.Label += name + ":" + o.Type.String()
		g.Params = append(g.Params, SignatureParam{From: from, To: len(g.Label)})
	}
	for _, m := range row.ModifiersOf(enc) {
		if name, _, _ := strings.Cut(m.Text, ":"); !strings.Contains(g.Label, "{"+name) {
			g.Label += " {" + name + "}"
		}
	}
	return []Signature{g}
}
