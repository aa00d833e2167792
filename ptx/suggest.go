package ptx

import (
	"fmt"
	"math/bits"
	"strings"

	"example.org/crosslane/diag"
)

// Suggest adds fixes to diagnostics about instructions of the module, from any check. A fix is a
// change of the text that repairs the fault if the program means the usual case. In less certain
// cases the remedy in words has to suffice.
func Suggest(m *Module, list diag.List) {
	var s *suggester
	for _, d := range list {
		make, ok := suggestions[d.Code]
		if !ok || d.Fixes != nil || d.Pos.File != m.File || d.Pos.Line == 0 {
			continue
		}
		if s == nil {
			s = newSuggester(m)
		}
		at, ok := s.instrAt(int32(d.Pos.Line), int32(d.Pos.Col))
		if !ok {
			continue
		}
		if v := s.c.variant(at.in); v != nil {
			if fix, ok := make(s, d, at, v); ok {
				d.Fixes = []diag.Fix{fix}
			}
		}
	}
}

// suggestions maps codes to the functions that make fixes.
var suggestions = map[string]func(s *suggester, d *diag.Diagnostic, at instrAt, v *variant) (diag.Fix, bool){
	codeDeprecated:      syncForm,
	codeRemoved:         syncForm,
	codeNotOnTarget:     syncForm,
	"not-in-membermask": moreMembers,
	"absent-members":    fewerMembers,
	"shuffle-segments":  segments,
	"funnel-halves":     swapHalves,
}

type suggester struct {
	c   *checker
	of  map[*Func]*suggestBody
	src string
}

// suggestBody holds the facts about a function.
type suggestBody struct {
	f    *Func
	body *Body
	at   map[Pos]*Instr // by line and column of the opcode
	wr   writers        // made at the first use
}

type instrAt struct {
	in *Instr
	of *suggestBody
}

func newSuggester(m *Module) *suggester {
	return &suggester{c: newChecker(m), of: map[*Func]*suggestBody{}, src: m.Src}
}

// instrAt returns the instruction whose opcode is at a place.
func (s *suggester) instrAt(line, col int32) (instrAt, bool) {
	f := s.c.m.funcAt(line, col)
	if f == nil {
		return instrAt{}, false
	}
	of := s.of[f]
	if of == nil {
		of = &suggestBody{f: f, body: f.Body(), at: map[Pos]*Instr{}}
		of.body.instrs(func(in *Instr) { of.at[Pos{Line: in.Pos.Line, Col: in.Pos.Col}] = in })
		s.of[f] = of
	}
	in := of.at[Pos{Line: line, Col: col}]
	return instrAt{in, of}, in != nil
}

// edit replaces the old text at a place.
func (s *suggester) edit(p Pos, old, text string) diag.Edit {
	return diag.Edit{Pos: p.At(s.c.m.File), Old: old, New: text}
}

// text returns the spelling of a register or a number; "" if the text at its place is not that
// operand.
func (s *suggester) text(o *Operand) string {
	from := int(o.Pos.Off)
	to := from
	if o.Kind != KindReg && o.Kind != KindInt || o.Comp != "" || from >= len(s.src) {
		return ""
	}
	for to < len(s.src) && (charClass[s.src[to]]&(cIdent|cPrefix) != 0 || to == from && s.src[to] == '-') {
		to++
	}
	if t := s.src[from:to]; o.Kind == KindReg && t != o.Name && t != o.Reg().Name || t == "-" {
		return ""
	}
	// An expression, for example 2*16, continues after the number.
	rest := strings.TrimLeft(s.src[to:], " \t")
	if rest == "" || !strings.ContainsAny(rest[:1], ",;") {
		return ""
	}
	return s.src[from:to]
}

// operand finds an operand by its name in the row, and its constant value.
func (s *suggester) operand(at instrAt, v *variant, name string) (o *Operand, val uint64, ok bool) {
	if at.of.wr == nil {
		at.of.wr = s.c.writers(at.of.body)
	}
	for i := range min(len(v.ops), len(at.in.Args)) {
		if v.ops[i].name == name {
			o = &at.in.Args[i]
			val, ok = s.c.constantOf(at.of.wr, o)
			return o, val, ok
		}
	}
	return nil, 0, false
}

// replace returns a fix that gives an operand another value at the instruction only. Other readers
// of the register still see its old value.
func (s *suggester) replace(o *Operand, val uint64, format string, args ...any) (diag.Fix, bool) {
	old := s.text(o)
	if old == "" {
		return diag.Fix{}, false
	}
	return diag.Fix{Message: fmt.Sprintf(format, args...), Edits: []diag.Edit{s.edit(o.Pos, old, fmt.Sprintf("%#x", val))}}, true
}

// syncForm turns shfl and vote into their .sync forms, with the lanes of the block as membermask.
func syncForm(s *suggester, d *diag.Diagnostic, at instrAt, v *variant) (diag.Fix, bool) {
	in := at.in
	name := in.Parts[0]
	end := int(in.End.Off)
	if v.row.Instead != name+".sync" || end >= len(s.src) || s.src[end] != ';' {
		return diag.Fix{}, false
	}
	mask, who := uint32(1<<32-1), "all 32 lanes come here"
	if n := at.of.f.threads(); n > 0 && n < 32 {
		mask, who = 1<<n-1, fmt.Sprintf("all %d lanes of the block come here", n)
	}
	after := in.Pos
	after.Col += int32(len(name))
	after.Off += int32(len(name))
	return diag.Fix{Message: "wait for each other, if " + who, Edits: []diag.Edit{
		s.edit(after, "", ".sync"), s.edit(in.End, "", fmt.Sprintf(", %#x", mask)),
	}}, true
}

// threads returns the number of threads that .reqntid demands; 0 if there is no .reqntid.
func (f *Func) threads() int {
	d := f.Directive(".reqntid")
	if d == nil {
		return 0
	}
	n := uint64(1)
	for i := range d.Args {
		if d.Args[i].Kind != KindInt || d.Args[i].Val > 1024 {
			return 0
		}
		n *= d.Args[i].Val
	}
	return int(min(n, 1<<20))
}

// moreMembers adds to the membermask the lanes that also execute the instruction.
func moreMembers(s *suggester, d *diag.Diagnostic, at instrAt, v *variant) (diag.Fix, bool) {
	o, mask, ok := s.operand(at, v, "membermask")
	lanes, have := diag.LaneSet(d.Lanes)
	if !ok || !have || lanes == 0 || lanes>>32 != 0 {
		return diag.Fix{}, false
	}
	return s.replace(o, uint64(uint32(mask)|uint32(lanes)), "name lanes %s, which execute it, too", d.Lanes)
}

// fewerMembers removes from the membermask the lanes that never arrive.
func fewerMembers(s *suggester, d *diag.Diagnostic, at instrAt, v *variant) (diag.Fix, bool) {
	o, mask, ok := s.operand(at, v, "membermask")
	lanes, have := diag.LaneSet(d.Lanes)
	left := uint32(mask) &^ uint32(lanes)
	if !ok || !have || lanes == 0 || left == 0 || left == uint32(mask) {
		return diag.Fix{}, false
	}
	return s.replace(o, uint64(left), "leave out lanes %s, which never come", d.Lanes)
}

// segments gives a shuffle the operand c for the width that its own c seems to mean (PTX 9.7.9.6:
// the mask of the segment in bits 8 to 12, the clamp value below).
func segments(s *suggester, d *diag.Diagnostic, at instrAt, v *variant) (diag.Fix, bool) {
	o, c, ok := s.operand(at, v, "c")
	if !ok {
		return diag.Fix{}, false
	}
	clamp := uint64(31)
	if v.says("up") {
		clamp = 0
	}
	width := uint64(0)
	switch seg := c >> 8 & 31; {
	case bits.OnesCount64(32-seg) == 1 && seg != 0:
		width = 32 - seg // the segments are right, the clamp value is wrong
	case seg == 0 && c&^31 == 0 && c != clamp && bits.OnesCount64(c) == 1 && c > 1:
		width = c // the program passed CUDA's width unchanged
	case c == 32:
		width = 32
	case seg == 0 && c&^31 == 0 && bits.OnesCount64(c+1) == 1 && c > 0:
		width = c + 1 // the program passed the highest lane of a segment
	default:
		return diag.Fix{}, false
	}
	want := (32-width)<<8 | clamp
	if want == c {
		return diag.Fix{}, false
	}
	return s.replace(o, want, "segments of %d lanes", width)
}

// swapHalves gives a funnel shift its low word first (PTX 9.7.8.7).
func swapHalves(s *suggester, d *diag.Diagnostic, at instrAt, v *variant) (diag.Fix, bool) {
	a, _, _ := s.operand(at, v, "a")
	b, _, _ := s.operand(at, v, "b")
	if a == nil || b == nil || s.text(a) == "" || s.text(b) == "" {
		return diag.Fix{}, false
	}
	return diag.Fix{Message: "give the low word first", Edits: []diag.Edit{s.edit(a.Pos, s.text(a), s.text(b)), s.edit(b.Pos, s.text(b), s.text(a))}}, true
}

// Deprecated warns of every deprecated instruction of the module, with fixes. Check warns once for
// each opcode.
func Deprecated(m *Module) diag.List {
	c := newChecker(m)
	c.every = true
	for _, it := range m.Items {
		if f, ok := it.(*Func); ok && f.Defined() {
			f.Body().instrs(func(in *Instr) {
				if v := c.variant(in); v != nil {
					c.deprecated(in, v)
				}
			})
		}
	}
	Suggest(m, c.errs.list)
	return c.errs.list
}
