package language

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/amdgpu"
	"example.org/crosslane/diag"
	"example.org/crosslane/lane"
	"example.org/crosslane/ptx"
)

// A Hover is the text about a place, as Markdown.
type Hover struct {
	Text  string
	Range Range
}

// A HoverStyle says which forms of pictures a host shows.
type HoverStyle struct {
	// Images lets a lane map stand as a picture before its text: an SVG image in a data URI.
	Images bool
}

// Hover explains a position: an instruction, a register, a name, a membermask, a special register or a
// directive; and the findings there. It returns nil if there is nothing to say.
func (d *Document) Hover(at Position, style HoverStyle) *Hover {
	if d.inline != nil {
		return d.inlineHover(at, style)
	}
	off := d.text.offset(at)
	t := d.tokenAt(off)
	if t < 0 || d.inComment(off) || d.toks[t].kind == tokLine {
		return nil
	}
	s := d.statementAt(t)
	h := Hover{Range: d.text.between(d.toks[t].from, d.toks[t].to)}
	switch sym := d.symbolAt(t); {
	case s != nil && s.kind == instruction && t >= s.op && t < s.opTo && s.op >= 0:
		h.Range = d.text.between(d.toks[s.op].from, d.toks[s.opTo-1].to)
		h.Text = d.instructionText(s, style)
	case sym != nil:
		h.Text = d.symbolText(sym, t)
		if text := d.shapeText(s, t); text != "" {
			h.Text += "\n\n" + text
		}
		if v, ok := d.membermask(s, t); ok {
			h.Text += "\n\n" + maskText(v)
		}
	case d.special[t]:
		h.Text = specialText(d.tok(t))
		if text := d.shapeText(s, t); text != "" {
			h.Text += "\n\n" + text
		}
	case d.toks[t].kind == tokNumber:
		h.Text = d.numberText(s, t)
	case d.toks[t].kind == tokDot || s != nil && s.kind == directive && t == s.op:
		h.Text = d.directiveText(d.tok(t))
	}
	if notes := d.findingText(d.toks[t].from); notes != "" {
		h.Text = strings.TrimPrefix(h.Text+"\n\n---\n"+notes, "\n\n---\n")
	}
	if h.Text == "" {
		return nil
	}
	return &h
}

// instructionText explains an instruction.
func (d *Document) instructionText(s *statement, style HoverStyle) string {
	x := d.explain(s)
	if x == nil {
		return d.familyText(s)
	}
	var b strings.Builder
	form := x.Form
	if form == "" {
		form = d.source(s)
	}
	fmt.Fprintf(&b, "```%s\n%s\n```\n%s\n", string(x.ISA), form, escape(x.About))
	list := func(parts []crosslane.ExplainedPart) {
		for i := range parts {
			if p := &parts[i]; p.Meaning != "" {
				fmt.Fprintf(&b, "- `%s`: %s\n", p.Shown(), escape(p.Meaning))
			}
		}
	}
	b.WriteByte('\n')
	list(x.Modifiers)
	if row, _ := d.rowOf(s); d.isa != crosslane.GCN3 || row == nil || !row.Flags.Has(amdgpu.FlagBranch) {
		list(x.Operands) // the operand of a branch is a label, which was left out
	}
	if x.PictureText != nil {
		if svg := x.SVG(); style.Images && svg != nil {
			fmt.Fprintf(&b, "\n![lanes](data:image/svg+xml;base64,%s)\n", base64.StdEncoding.EncodeToString(svg))
		}
		fmt.Fprintf(&b, "\n```text\n%s\n```\n", strings.TrimRight(x.PictureText(), "\n"))
	}
	say := func(head string, lines ...string) {
		for _, l := range lines {
			if l != "" {
				fmt.Fprintf(&b, "\n*%s*: %s\n", head, escape(l))
			}
		}
	}
	say("refused", x.Refused)
	say("needs", x.Needs...)
	say("error", x.Bound)
	say("undefined", x.Undefined)
	say("hazard", x.Hazards...)
	say("cost", x.Cost)
	say("note", x.Notes...)
	say("manual", x.Section)
	return strings.TrimSpace(b.String())
}

// familyText describes the forms of a mnemonic whose instruction cannot be explained.
func (d *Document) familyText(s *statement) string {
	var b strings.Builder
	for i, f := range d.signatures(s) {
		if i == 0 && f.About != "" {
			fmt.Fprintf(&b, "%s\n\n", escape(f.About))
		}
		if i < 8 {
			fmt.Fprintf(&b, "```%s\n%s\n```\n", string(d.isa), f.Label)
		}
	}
	if d.isa == crosslane.GCN3 {
		if sym := d.symbolAt(s.op); sym != nil {
			return d.symbolText(sym, s.op)
		}
	}
	return strings.TrimSpace(b.String())
}

// escape keeps characters of a text from being read as Markdown.
func escape(s string) string {
	return strings.NewReplacer("<", "\\<", "*", "\\*", "_", "\\_", "`", "'", "[", "\\[").Replace(s)
}

// maxPlaces bounds the lines that a hover lists.
const maxPlaces = 12

// symbolText describes a symbol: its declaration, where it is written and where it is read.
func (d *Document) symbolText(s *symbol, tok int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s`: %s", d.shown(s), s.kind)
	switch {
	case s.kind == symRegister && d.isa == crosslane.GCN3:
		fmt.Fprintf(&b, ", %s", gcn3RegisterText(s.name))
	case s.typ != "" || s.space != "":
		fmt.Fprintf(&b, " `%s`", strings.TrimSpace(strings.TrimPrefix(dotted(s.space), ".reg")+" "+dotted(s.typ)+" "+s.dims))
	}
	if s.kind == symFamily {
		fmt.Fprintf(&b, ", `%s0` to `%s%d`", s.name, s.name, max(s.count, 1)-1)
	}
	decl := s
	if s.of != nil {
		decl = s.of
	}
	if decl.decl >= 0 && decl.decl != tok {
		fmt.Fprintf(&b, ", declared in line %d", d.text.lineOf(d.toks[decl.decl].from)+1)
	}
	b.WriteString("\n")
	if s.kind == symLabel || s.kind == symFunction || s.kind == symKernel {
		fmt.Fprintf(&b, "\n%s\n", d.places("named", s, func(reference) bool { return true }))
		return strings.TrimSpace(b.String())
	}
	if s.kind == symFamily {
		return strings.TrimSpace(b.String())
	}
	fmt.Fprintf(&b, "\n%s\n\n%s\n", d.places("written", s, func(r reference) bool { return r.writes }), d.places("read", s, func(r reference) bool { return r.reads }))
	if v, ok := d.constantOf(s); ok && s.kind == symRegister && d.isa == crosslane.PTX {
		fmt.Fprintf(&b, "\nalways %d = %#x, the same in all lanes\n", int64(v), v)
	}
	return strings.TrimSpace(b.String())
}

// shown is the name of a symbol as its declaration spells it.
func (d *Document) shown(s *symbol) string {
	if s.kind == symFamily {
		return fmt.Sprintf("%s<%d>", s.name, s.count)
	}
	return s.name
}

func dotted(s string) string {
	if s == "" {
		return ""
	}
	return "." + s
}

// gcn3RegisterText says how many values a register has.
func gcn3RegisterText(name string) string {
	if strings.HasPrefix(name, "v") && name != "vcc" && name != "vccz" {
		return "a VGPR: one value per lane"
	}
	if name == "vcc" || name == "exec" {
		return "one bit per lane"
	}
	return "one value per wave"
}

// places lists the lines of references, each with its instruction.
func (d *Document) places(what string, s *symbol, keep func(reference) bool) string {
	var lines []string
	n, last := 0, -1
	for _, r := range s.refs {
		if !keep(r) || r.stmt == last {
			continue
		}
		last = r.stmt
		if n++; n <= maxPlaces {
			st := &d.stmts[r.stmt]
			lines = append(lines, fmt.Sprintf("- %d `%s`", d.text.lineOf(d.toks[r.tok].from)+1, clip(strings.ReplaceAll(d.source(st), "`", "'"))))
		}
	}
	if n == 0 {
		return "not " + what
	}
	if n > maxPlaces {
		lines = append(lines, fmt.Sprintf("- and %d more", n-maxPlaces))
	}
	return fmt.Sprintf("%s in %s:\n%s", what, diag.Count(n, "statement"), strings.Join(lines, "\n"))
}

// clip shortens a long statement.
func clip(s string) string {
	if r := []rune(s); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return s
}

// specialText describes a special register of PTX.
func specialText(name string) string {
	info := ptx.LookupSpecial(name).Info()
	text := fmt.Sprintf("`%s`: special register `.%s`", name, info.Type)
	if info.Vec {
		text += ", with the elements `.x`, `.y` and `.z`"
	}
	text += fmt.Sprintf("\n\n*needs*: PTX ISA %s", info.PTX)
	if info.SM > 0 {
		text += fmt.Sprintf(", sm\\_%d", info.SM)
	}
	return text + fmt.Sprintf("\n\n*manual*: PTX ISA %s", info.Section)
}

// membermask returns the value of the token if it is the membermask of an instruction and known.
func (d *Document) membermask(s *statement, t int) (uint64, bool) {
	if s == nil || s.kind != instruction || d.isa != crosslane.PTX {
		return 0, false
	}
	roles, ok := ptx.RolesOf(d.parts(s), len(s.args))
	if !ok || roles.Membermask < 0 || roles.Membermask >= len(s.args) {
		return 0, false
	}
	a := s.args[roles.Membermask]
	if t < a.from || t >= a.to {
		return 0, false
	}
	if sym := d.symbolAt(t); sym != nil {
		return d.constantOf(sym)
	}
	from, to := d.fromTo(a.from, a.to)
	return number(d.text.text[from:to])
}

// maskText draws the lanes of a membermask.
func maskText(v uint64) string {
	m := lane.Mask(uint32(v))
	return fmt.Sprintf("membermask %#08x: lanes %s\n\n```text\n%s\n```", uint32(v), m, strings.TrimRight(diag.LanePicture(m.String(), lane.WarpLanes), "\n"))
}

// numberText shows a number in other notations, and the lanes of a membermask.
func (d *Document) numberText(s *statement, t int) string {
	if v, ok := d.membermask(s, t); ok {
		return maskText(v)
	}
	text := d.tok(t)
	v, ok := number(text)
	if !ok {
		return ""
	}
	if strings.HasPrefix(strings.ToLower(text), "0x") {
		return fmt.Sprintf("`%s` = %d", text, v)
	}
	return fmt.Sprintf("`%s` = %#x", text, v)
}

// directiveText describes a directive or a modifier that stands alone.
func (d *Document) directiveText(name string) string {
	if d.isa == crosslane.GCN3 {
		return ""
	}
	list := ptx.Directives()
	i := slices.IndexFunc(list, func(f ptx.DirectiveFacts) bool { return f.Name == name })
	if i < 0 {
		return ""
	}
	text := fmt.Sprintf("`%s`\n\n*needs*: PTX ISA %s", name, list[i].PTX)
	if list[i].PTX == (ptx.Version{}) {
		text = fmt.Sprintf("`%s`", name)
	}
	if list[i].SM > 0 {
		text += fmt.Sprintf(", sm\\_%d", list[i].SM)
	}
	return text + "\n\n*manual*: PTX ISA " + list[i].Section
}

// findingText describes the codes of the findings at an offset, if they are known already.
func (d *Document) findingText(off int) string {
	known := d.found.Load()
	if known == nil {
		return ""
	}
	at := d.text.position(off)
	var b strings.Builder
	seen := map[string]bool{}
	for _, f := range *known {
		if before(at, f.Range.Start) || !before(at, f.Range.End) || seen[f.Code] {
			continue
		}
		seen[f.Code] = true
		if c, ok := diag.LookupCode(f.Code); ok {
			fmt.Fprintf(&b, "\n**%s**: %s\n", f.Code, escape(c.Doc))
		}
	}
	return b.String()
}

// rowOf returns the row of an instruction of GCN3; nil if it has none.
func (d *Document) rowOf(s *statement) (*amdgpu.Row, amdgpu.Enc) {
	if s.op < 0 {
		return nil, amdgpu.E32
	}
	r, e, _ := amdgpu.GFX803.LookUpSpelled(strings.ToLower(d.tok(s.op)))
	return r, e
}
