package language

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/amdgpu"
	"example.org/crosslane/ptx"
)

// SemanticTypes are the types of semantic tokens, by the numbers that SemanticToken.Type holds. The names are
// those of the Language Server Protocol.
func SemanticTypes() []string {
	return []string{"keyword", "modifier", "variable", "parameter", "function", "label", "number", "string", "comment", "macro", "type", "property"}
}

// The numbers of types.
const (
	semKeyword = iota // mnemonics
	semModifier
	semVariable
	semParameter
	semFunction
	semLabel
	semNumber
	semString
	semComment
	semMacro // directives
	semType
	semProperty // special registers
)

// SemanticModifiers are the modifiers of semantic tokens, by bit.
func SemanticModifiers() []string { return []string{"declaration", "modification", "readonly"} }

// The bits of modifiers.
const (
	modDeclaration = 1 << iota
	modModification
	modReadonly
)

// A SemanticToken is a word with its role. It lies within one line.
type SemanticToken struct {
	Start     Position
	Length    int // units of UTF-16
	Type      int // index into SemanticTypes
	Modifiers int
}

// SemanticTokens returns the roles of the words of the text, in its order.
func (d *Document) SemanticTokens() []SemanticToken {
	if d.inline != nil {
		return d.inlineTokens()
	}
	list := make([]SemanticToken, 0, len(d.toks)*3/4+len(d.comments)*3)
	add := func(t token, typ, mods int) {
		for from := t.from; from < t.to; { // a comment may have several lines
			line := d.text.lineOf(from)
			to := min(t.to, d.text.lineEnd(line))
			if n := units(d.text.text[from:max(from, to)]); n > 0 {
				list = append(list, SemanticToken{d.text.position(from), n, typ, mods})
			}
			if line+1 >= len(d.text.lines) {
				break
			}
			from = d.text.lines[line+1]
		}
	}
	comments := d.comments
	for i, t := range d.toks {
		for len(comments) > 0 && comments[0].from < t.from {
			add(comments[0], semComment, 0)
			comments = comments[1:]
		}
		if typ, mods := d.semantic(i); typ >= 0 {
			add(t, typ, mods)
		}
	}
	for _, c := range comments {
		add(c, semComment, 0)
	}
	return list
}

// semantic returns the type and the modifiers of a token; -1 if it has no role.
func (d *Document) semantic(i int) (typ, mods int) {
	switch d.toks[i].kind {
	case tokNumber:
		return semNumber, 0
	case tokString:
		return semString, 0
	case tokPunct, tokLine:
		return -1, 0
	case tokDot:
		return d.semanticDot(i), 0
	}
	s := d.statementAt(i)
	if s != nil && i == s.op {
		switch {
		case s.kind == directive:
			return semMacro, 0
		case s.kind == instruction && (d.isa == crosslane.PTX || d.symbolAt(i) == nil):
			return semKeyword, 0
		}
	}
	if sym := d.symbolAt(i); sym != nil {
		if sym.decl == i {
			mods |= modDeclaration
		}
		for _, r := range sym.refs {
			if r.tok == i && r.writes {
				mods |= modModification
			}
		}
		return semanticSymbol(sym.kind), mods
	}
	if d.special[i] {
		return semProperty, modReadonly
	}
	if d.isa == crosslane.GCN3 && s != nil && s.kind == instruction {
		return semModifier, 0
	}
	return -1, 0
}

// semanticDot returns the type of a word with a dot.
func (d *Document) semanticDot(i int) int {
	s := d.statementAt(i)
	switch {
	case s != nil && s.kind == instruction:
		return semModifier
	case ptx.ParseType(d.tok(i)[1:]) != ptx.NoType:
		return semType
	}
	return semMacro
}

func semanticSymbol(k symbolKind) int {
	switch k {
	case symParam:
		return semParameter
	case symLabel:
		return semLabel
	case symFunction, symKernel:
		return semFunction
	case symMacro:
		return semMacro
	}
	return semVariable
}

// A Fold is a range of lines that an editor can hide; Comment says that it is one.
type Fold struct {
	From, To int // 0-based lines
	Comment  bool
}

// Folds returns the bodies of functions and blocks, and comments of several lines.
func (d *Document) Folds() (list []Fold) {
	add := func(from, to int, comment bool) {
		if a, b := d.text.lineOf(from), d.text.lineOf(to); b > a {
			list = append(list, Fold{a, b, comment})
		}
	}
	if d.isa == crosslane.GCN3 {
		for _, f := range d.funcs {
			if to := min(f.to, len(d.toks)); to > f.from {
				for to > f.from+1 && d.toks[to-1].kind == tokLine {
					to--
				}
				add(d.toks[f.from].from, d.toks[to-1].from, false)
			}
		}
		list = append(list, d.directiveFolds()...)
	} else {
		var open []int
		for i := range d.toks {
			switch d.tok(i) {
			case "{":
				open = append(open, i)
			case "}":
				if n := len(open); n > 0 {
					add(d.toks[open[n-1]].from, d.toks[i].from, false)
					open = open[:n-1]
				}
			}
		}
	}
	for i := 0; i < len(d.comments); {
		j := i
		for j+1 < len(d.comments) && strings.TrimSpace(d.text.text[d.comments[j].to:d.comments[j+1].from]) == "" &&
			d.text.lineOf(d.comments[j+1].from) <= d.text.lineOf(d.comments[j].to-1)+1 {
			j++
		}
		add(d.comments[i].from, d.comments[j].to-1, true)
		i = j + 1
	}
	return list
}

// directiveFolds returns the blocks between directives that open and close them.
func (d *Document) directiveFolds() (list []Fold) {
	ends := map[string]string{".amdhsa_kernel": ".end_amdhsa_kernel", ".amdgpu_metadata": ".end_amdgpu_metadata", ".macro": ".endm", ".rept": ".endr", ".amd_kernel_code_t": ".end_amd_kernel_code_t"}
	open := map[string][]int{}
	for i := range d.stmts {
		s := &d.stmts[i]
		if s.kind != directive {
			continue
		}
		name := d.tok(s.op)
		line := d.text.lineOf(d.toks[s.op].from)
		if end := ends[name]; end != "" {
			open[end] = append(open[end], line)
		} else if from := open[name]; len(from) > 0 {
			if line > from[len(from)-1] {
				list = append(list, Fold{From: from[len(from)-1], To: line})
			}
			open[name] = from[:len(from)-1]
		}
	}
	return list
}

// An InlayHint is a short text that an editor shows in the line: the lanes that read each other, the distance of their
// addresses, or a wait that is owed.
type InlayHint struct {
	At      Position
	Label   string
	Tooltip string
}

// InlayHints returns the hints for the lines of a range.
func (d *Document) InlayHints(ctx context.Context, at Range) (list []InlayHint, err error) {
	if d.inline != nil {
		return d.inlineHints(at), ctx.Err()
	}
	for i := range d.stmts {
		s := &d.stmts[i]
		if s.kind != instruction || s.op < 0 {
			continue
		}
		line := d.text.lineOf(d.toks[s.op].from)
		if line < at.Start.Line || line > at.End.Line || !d.exchanges(s) {
			continue
		}
		if label, tip := d.exchangeText(s); label != "" {
			list = append(list, InlayHint{d.text.position(d.toks[s.to-1].to), label, tip})
		}
	}
	found, err := d.Diagnostics(ctx)
	if err != nil {
		return list, err
	}
	list = append(list, d.addressHints(at)...)
	for _, f := range found {
		fixes := f.From.Fixes
		if len(fixes) == 0 || len(fixes[0].Edits) != 1 || f.Needless || d.isa != crosslane.GCN3 || f.Range.Start.Line < at.Start.Line || f.Range.Start.Line > at.End.Line {
			continue
		}
		owed := strings.TrimSpace(fixes[0].Edits[0].New)
		if owed != "" && !strings.Contains(owed, "\n") {
			list = append(list, InlayHint{d.text.position(d.text.lineEnd(f.Range.Start.Line) + d.trailing(f.Range.Start.Line)), "owes " + owed, f.From.Message})
		}
	}
	return list, nil
}

// trailing returns the distance from the end of a line back to the end of its last token, as a number that is not
// positive.
func (d *Document) trailing(line int) int {
	end := d.text.lineEnd(line)
	t := d.lastTokenBefore(end)
	for t >= 0 && d.toks[t].kind == tokLine {
		t--
	}
	if t < 0 || d.text.lineOf(d.toks[t].from) != line {
		return 0
	}
	return d.toks[t].to - end
}

// exchangeText returns the lanes that an instruction lets read each other, in about 8 characters, and the reason of a
// guess.
func (d *Document) exchangeText(s *statement) (label, tip string) {
	x := d.explain(s)
	if x == nil {
		return "", ""
	}
	tip = x.About
	if x.Lanes == nil && x.Fold == nil && d.isa == crosslane.PTX {
		// The membermask is often a register. Almost always it names all lanes that execute.
		if roles, ok := ptx.RolesOf(d.parts(s), len(s.args)); ok && roles.Membermask >= 0 && roles.Membermask < len(s.args) {
			a := s.args[roles.Membermask]
			set := append(d.constants(s), crosslane.TrySet{Reg: d.tok(a.from), Bits: []uint64{0xffffffff}})
			if x = d.explainWith(d.source(s), set); x == nil {
				return "", ""
			}
			tip += "\nIf the membermask names all lanes."
		}
	}
	switch {
	case x.Lanes != nil:
		return mapText(x.Lanes.Source), tip
	case x.Fold != nil && len(x.Fold.Picked) == 1 && d.isa == crosslane.GCN3:
		return fmt.Sprintf("←%d", x.Fold.Picked[0]), tip
	case x.Fold != nil && len(x.Fold.Participants) > 1:
		return fmt.Sprintf("%d→1", len(x.Fold.Participants)), tip
	}
	return "", tip
}

// A Goal is a lane map for which crosslane plan finds instructions.
type Goal struct {
	Text   string `json:"goal"`   // the source of every lane, as plan reads it
	Target string `json:"target"` // "sm_80", "gfx803"
	// Label describes the map as an InlayHint does.
	Label string `json:"-"`
}

// Goal returns the lane map of the instruction at a position; nil if there is none, or if it is not known.
func (d *Document) Goal(at Position) *Goal {
	s := d.statementAt(d.tokenAt(d.text.offset(at)))
	if s == nil || !d.exchanges(s) {
		return nil
	}
	x := d.explain(s)
	if x == nil || x.Lanes == nil {
		return nil
	}
	g := &Goal{Target: amdgpu.GFX803.Name, Label: mapText(x.Lanes.Source)}
	if d.isa == crosslane.PTX {
		if g.Target = d.module.target.String(); d.module.target.SM == 0 {
			return nil
		}
	}
	words := make([]string, len(x.Lanes.Source))
	for i, v := range x.Lanes.Source {
		switch {
		case v == "zero":
			words[i] = "z"
		case v == "keep":
			words[i] = "="
		case v == "off":
			words[i] = "*"
		default:
			words[i] = fmt.Sprint(v)
		}
	}
	for _, i := range x.Lanes.Undefined {
		words[i] = "*"
	}
	g.Text = strings.Join(words, ",")
	return g
}

// mapText describes a lane map: ↔K reads lane i^K, ↓K lane i+K, ↑K lane i-K, ←K lane K, ↻K lane i+K around, each
// perhaps in groups of lanes.
func mapText(source []any) string {
	n := len(source)
	src := make([]int, n) // -1: no lane is read
	moved := 0
	for i, v := range source {
		src[i] = -1
		if j, ok := v.(int); ok {
			src[i] = j
			if j != i {
				moved++
			}
		}
	}
	if moved == 0 {
		return "="
	}
	in := func(w int) string {
		if w == n {
			return ""
		}
		return fmt.Sprintf(" in %d", w)
	}
	all := func(w int, want func(i int) int) bool {
		for i := range n {
			k := want(i % w)
			if k < 0 || k >= w { // no source in the group: its own, or none
				if src[i] >= 0 && src[i] != i {
					return false
				}
				continue
			}
			if src[i] != i-i%w+k {
				return false
			}
		}
		return true
	}
	first := slices.IndexFunc(src, func(j int) bool { return j >= 0 })
	for k := 1; k < n; k++ {
		if all(n, func(i int) int { return i ^ k }) {
			return fmt.Sprintf("↔%d", k)
		}
	}
	for w := n; w >= 2; w /= 2 {
		for k := 1; k < w; k++ {
			switch {
			case all(w, func(i int) int { return i + k }):
				return fmt.Sprintf("↓%d", k) + in(w)
			case all(w, func(i int) int { return i - k }):
				return fmt.Sprintf("↑%d", k) + in(w)
			case k <= w/2 && all(w, func(i int) int { return (i + k) % w }):
				return fmt.Sprintf("↻%d", k) + in(w)
			case k < w/2 && all(w, func(i int) int { return (i - k + w) % w }):
				return fmt.Sprintf("↺%d", k) + in(w)
			}
		}
		if l := src[first] % w; src[first] >= 0 && all(w, func(int) int { return l }) {
			return fmt.Sprintf("←%d", l) + in(w)
		}
	}
	if all(4, func(i int) int { return src[i] }) {
		return fmt.Sprintf("%d%d%d%d in 4", src[0], src[1], src[2], src[3])
	}
	return fmt.Sprintf("⇄%d", moved)
}

// A Lens is a line of commands above a kernel.
type Lens struct {
	Range  Range
	Kernel string
}

// Lenses returns one Lens for each kernel that has code.
func (d *Document) Lenses() (list []Lens) {
	for _, f := range d.funcs {
		if f.kernel && f.name >= 0 && (f.open >= 0 || d.isa == crosslane.GCN3) {
			list = append(list, Lens{d.rangeOfToken(f.name), d.tok(f.name)})
		}
	}
	return list
}
