package crosslane

import (
	"fmt"
	"math"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/gcn3"
	"example.org/crosslane/internal/draw"
	"example.org/crosslane/lane"
	"example.org/crosslane/ptx"
)

// ExplainOptions configure Explain.
type ExplainOptions struct {
	ISA  ISA     // Auto: detected from the instruction
	Exec *uint64 // executing lanes; nil: all
	Set  []TrySet
}

// Explanation describes the meaning of one instruction.
type Explanation struct {
	ISA       ISA             `json:"isa"`
	Instr     string          `json:"instruction"` // as the printer writes it
	Form      string          `json:"form"`        // the manual's syntax line
	About     string          `json:"about"`       // the effect, one sentence
	Modifiers []ExplainedPart `json:"modifiers,omitempty"`
	Operands  []ExplainedPart `json:"operands,omitempty"`
	Encodings []ExplainedCode `json:"encodings,omitempty"`
	Reads     []string        `json:"reads,omitempty"` // registers and memories, including those that the text does not name
	Writes    []string        `json:"writes,omitempty"`
	Unit      string          `json:"unit,omitempty"`    // the unit that executes it
	Refused   string          `json:"refused,omitempty"` // why it is not executed here
	Needs     []string        `json:"needs,omitempty"`   // versions, targets
	Hazards   []string        `json:"hazards,omitempty"` // wait states and waits
	Cost      string          `json:"cost,omitempty"`
	Bound     string          `json:"bound,omitempty"`     // the error that the manual allows an approximate result
	Undefined string          `json:"undefined,omitempty"` // the results that the manual leaves undefined
	Notes     []string        `json:"notes,omitempty"`
	Section   string          `json:"section"`
	Lanes     *ExplainedLanes `json:"lanes,omitempty"` // for a cross-lane instruction that moves data
	Fold      *ExplainedFold  `json:"fold,omitempty"`  // for votes, matches, reductions, lane reads
	// Fragments are the matrices of a matrix instruction.
	Fragments   []ExplainedFragment `json:"fragments,omitempty"`
	picture     func() []byte       // SVG
	pictureText func() string       // the same in text
}

// ExplainedPart is an operand or a modifier with its meaning.
type ExplainedPart struct {
	Name    string `json:"name"`
	Text    string `json:"text"`
	Type    string `json:"type,omitempty"`
	Writes  bool   `json:"writes,omitempty"`
	Meaning string `json:"meaning,omitempty"`
}

// ExplainedCode is one machine encoding.
type ExplainedCode struct {
	Name    string           `json:"name"`            // the format
	Bytes   string           `json:"bytes,omitempty"` // in memory order, for the form of this instruction; else ""
	Fields  []ExplainedField `json:"fields,omitempty"`
	Meaning string           `json:"meaning,omitempty"` // for another format: when it is used, or why there is none
	Picture string           `json:"picture,omitempty"` // the bits drawn
}

// ExplainedField is a field of an encoding.
type ExplainedField struct {
	Name  string `json:"name"`
	Bits  string `json:"bits"` // "15:8"
	Value uint64 `json:"value"`
}

// ExplainedLanes is a lane map: for every lane the lane whose value it receives.
type ExplainedLanes struct {
	// Source has one entry per lane: a lane number, "zero" (it receives 0), "keep" (it
	// keeps its old value) or "off" (it does not execute).
	Source    []any `json:"source"`
	Undefined []int `json:"undefined"`           // lanes whose value the manual leaves undefined
	Predicate []int `json:"predicate,omitempty"` // lanes whose predicate result is true
	Values    []any `json:"values,omitempty"`
}

// ExplainedFold is the result that an instruction computes from one value of every lane.
type ExplainedFold struct {
	Participants []int    `json:"participants"`
	In           []string `json:"in,omitempty"`
	Result       string   `json:"result,omitempty"`
	Results      []string `json:"results,omitempty"` // by lane, if lanes differ
}

// ExplainedFragment lists which lane of a warp holds which elements of a matrix.
type ExplainedFragment struct {
	Name string `json:"name"` // "A"
	// Lanes holds for every lane the elements of its registers in order, low bits first: row,
	// column and, if the instruction multiplies several matrices, the index of the matrix.
	Lanes [][][]int `json:"lanes"`
}

// Explain explains one instruction of either instruction set. The error is a
// diag.List of class Input or Unsupported.
func Explain(instr string, o ExplainOptions) (*Explanation, error) {
	isa := o.ISA
	if isa == Auto {
		isa = instructionISA(instr)
	}
	if isa == PTX {
		return explainPTX(instr, o)
	}
	return explainGCN3(instr, o)
}

// instructionISA detects the instruction set from one instruction: PTX has dots in its opcodes,
// registers that begin with % and a semicolon at the end; GCN3 mnemonics have an underscore after
// one letter or two.
func instructionISA(s string) ISA {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "@") || strings.Contains(s, "%") {
		return PTX
	}
	word, _, _ := strings.Cut(s, " ")
	if head, _, ok := strings.Cut(word, "_"); ok && len(head) <= 6 && !strings.Contains(word, ".") || gcn3.LookUp(word) != nil {
		return GCN3
	}
	return PTX
}

func explainPTX(instr string, o ExplainOptions) (*Explanation, error) {
	opt := ptx.ExplainOptions{Values: map[string][]uint64{}}
	if o.Exec != nil {
		if *o.Exec > math.MaxUint32 {
			return nil, diag.List{diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "the mask %#x names lanes above 31; a warp has 32", *o.Exec)}
		}
		e := uint32(*o.Exec)
		opt.Exec = &e
	}
	for _, s := range o.Set {
		opt.Values[s.Reg] = s.Bits
	}
	e, err := ptx.Explain(instr, opt)
	if err != nil {
		return nil, err
	}
	x := &Explanation{ISA: PTX, Instr: strings.Join(strings.Fields(instr), " "), Form: e.Form, About: e.About, Cost: e.Cost, Bound: e.Bound, Undefined: e.Undefined, Notes: e.Notes, Section: "PTX ISA " + e.Section}
	for _, p := range e.Modifiers {
		x.Modifiers = append(x.Modifiers, ExplainedPart(p))
	}
	for _, p := range e.Operands {
		x.Operands = append(x.Operands, ExplainedPart(p))
	}
	x.Needs = ptxNeeds(e)
	if e.Map != nil {
		x.lanes(e.Map, ^e.Executing, e.Pred, hasPair(e.Operands), 0)
	}
	if e.Fragments != nil {
		x.fragments(e.Fragments)
	}
	if e.Fold != nil {
		x.fold(32, e.Fold.Participants, e.Fold.Picked, e.Fold.In, e.Fold.Out, e.Fold.Result)
	}
	return x, nil
}

func hasPair(ops []ptx.ExplainedPart) bool {
	n := 0
	for _, p := range ops {
		if p.Writes {
			n++
		}
	}
	return n > 1
}

// ptxNeeds lists the versions and targets that have the instruction.
func ptxNeeds(e *ptx.Explanation) []string {
	s := "PTX ISA " + e.Needs.String() + " or later"
	if e.NeedsArch != "" {
		s += ", target " + e.NeedsArch
	} else if e.NeedsSM > 0 {
		s += fmt.Sprintf(", target sm_%d or later", e.NeedsSM)
	}
	needs := []string{s}
	var zero ptx.Version
	instead := ""
	if e.Instead != "" {
		instead = "; use " + e.Instead
	}
	if e.Deprecated != zero {
		needs = append(needs, fmt.Sprintf("deprecated from PTX ISA %s%s", e.Deprecated, instead))
	}
	if e.Removed != zero {
		t := ""
		if e.RemovedSM > 0 {
			t = fmt.Sprintf(" for sm_%d and later", e.RemovedSM)
		}
		needs = append(needs, fmt.Sprintf("removed from PTX ISA %s%s", e.Removed, t))
	}
	return needs
}

// lanes sets the lane map and its pictures.
func (x *Explanation) lanes(m *lane.Map, off, pred lane.Mask, hasPred bool, lost lane.Mask) {
	off &= lane.All(m.Lanes)
	l := &ExplainedLanes{Undefined: laneList(m.Undef), Source: make([]any, m.Lanes)}
	for i := range m.Lanes {
		j, reads := m.Src[i].Lane()
		switch {
		case off.Has(i):
			l.Source[i] = "off"
		case reads:
			l.Source[i] = j
		case m.Src[i] == lane.Zero:
			l.Source[i] = "zero"
		default:
			l.Source[i] = "keep"
		}
	}
	if hasPred {
		l.Predicate = laneList(pred)
	}
	x.Lanes = l
	o := draw.Options{Title: x.Instr, Subtitle: x.subtitle(), Inactive: off, Pred: pred, HasPred: hasPred, Lost: lost}
	x.picture = func() []byte { return draw.SVG(m, o) }
	bare := o // the text form has named them already
	bare.Title, bare.Subtitle = "", nil
	x.pictureText = func() string { return draw.Text(m, bare) }
}

// fold sets the fold and its pictures.
func (x *Explanation) fold(lanes int, active, picked lane.Mask, in, out []string, result string) {
	x.Fold = &ExplainedFold{Participants: laneList(active), In: in, Result: result, Results: out}
	f := draw.Fold{Title: x.Instr, Subtitle: x.subtitle(), Lanes: lanes, Active: active, Picked: picked, In: in, Out: out, Result: result}
	for _, p := range x.Operands {
		if p.Writes && f.ResultName == "" {
			f.ResultName, f.OutName = p.Text, p.Text
		} else if !p.Writes && f.InName == "" {
			f.InName = p.Text
		}
	}
	x.picture = func() []byte { return f.SVG() }
	g := f
	g.Title, g.Subtitle = "", nil
	x.pictureText = func() string { return g.Text() }
}

// fragments sets the matrices and their pictures.
func (x *Explanation) fragments(list []ptx.Fragment) {
	g := draw.Grid{Title: x.Instr}
	for _, f := range list {
		if f.Elements != nil {
			x.Fragments = append(x.Fragments, ExplainedFragment{f.Name, f.Elements})
		}
		p := draw.GridPart{Title: f.Title, Rows: f.Rows, Cols: f.Cols}
		for i, row := range f.Cells {
			var cells []draw.GridCell
			for j, c := range row {
				cells = append(cells, draw.GridCell{Text: c.Text, Key: c.Reg, Say: fmt.Sprintf("row %s, column %s: lane %d", f.Rows[i], f.Cols[j], c.Lane)})
			}
			p.Cells = append(p.Cells, cells)
		}
		g.Parts = append(g.Parts, p)
	}
	x.picture = func() []byte { return g.SVG() }
	bare := g
	bare.Title = ""
	x.pictureText = func() string { return bare.Text() }
}

// subtitle is the line under the title of the picture: the operands that decide the lanes.
func (x *Explanation) subtitle() []string {
	var s []string
	for _, p := range append(append([]ExplainedPart{}, x.Modifiers...), x.Operands...) {
		if p.Meaning != "" && len(s) < 8 && !p.Writes {
			s = append(s, fmt.Sprintf("%s: %s", p.shown(), p.Meaning))
		}
	}
	return s
}

func laneList(m lane.Mask) []int {
	l := make([]int, 0, m.Count())
	for i := range m.Lanes() {
		l = append(l, i)
	}
	return l
}

// SVG draws the lane map or the fold. It is nil if the instruction has neither, or if an operand
// that decides it is unknown.
func (x *Explanation) SVG() []byte {
	if x.picture == nil {
		return nil
	}
	return x.picture()
}

// Text is the explanation for people, 80 columns wide.
func (x *Explanation) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", x.Instr)
	wrap(&b, "  ", "  ", x.About)
	if x.Form != "" && x.Form != x.Instr {
		wrap(&b, "  form: ", "        ", x.Form)
	}
	parts := func(title string, list []ExplainedPart) {
		if len(list) == 0 {
			return
		}
		fmt.Fprintf(&b, "\n%s\n", title)
		width := 0
		for _, p := range list {
			width = max(width, len(p.head()))
		}
		width = min(width, 34)
		for _, p := range list {
			wrap(&b, fmt.Sprintf("  %-*s  ", width, p.head()), strings.Repeat(" ", width+4), p.Meaning)
		}
	}
	parts("modifiers", x.Modifiers)
	parts("operands", x.Operands)
	if x.pictureText != nil {
		title := "lanes"
		if x.Fragments != nil {
			title = "fragments"
		}
		fmt.Fprintf(&b, "\n%s\n%s\n", title, strings.TrimRight(x.pictureText(), "\n"))
	}
	if len(x.Encodings) > 0 {
		b.WriteString("\nencodings\n")
		for _, e := range x.Encodings {
			if e.Bytes == "" {
				wrap(&b, fmt.Sprintf("  %-6s ", e.Name), "         ", e.Meaning)
				continue
			}
			wrap(&b, "  ", "    ", e.Name)
			fmt.Fprintf(&b, "    bytes %s\n", e.Bytes)
			for _, l := range strings.Split(strings.TrimSpace(e.Picture), "\n") {
				fmt.Fprintf(&b, "    %s\n", l)
			}
		}
	}
	section := func(title string, list ...string) {
		first := true
		for _, s := range list {
			if s == "" {
				continue
			}
			head := strings.Repeat(" ", 11)
			if first {
				head = fmt.Sprintf("%-11s", title)
			}
			first = false
			wrap(&b, head, strings.Repeat(" ", 11), s)
		}
	}
	b.WriteByte('\n')
	section("reads", strings.Join(x.Reads, "; "))
	section("writes", strings.Join(x.Writes, "; "))
	section("runs on", x.Unit)
	if x.Refused != "" {
		section("refused", "a kernel that reaches it is not run: "+x.Refused)
	}
	section("needs", x.Needs...)
	section("error", x.Bound)
	section("undefined", x.Undefined)
	section("hazards", x.Hazards...)
	section("cost", x.Cost)
	section("notes", x.Notes...)
	section("manual", x.Section)
	return b.String()
}

// shown is the part as written, with its name.
func (p *ExplainedPart) shown() string {
	switch {
	case strings.HasPrefix(p.Text, p.Name):
		return p.Text // row_mask:0xa contains its own name
	case p.Text != "":
		return p.Name + " = " + p.Text
	}
	return p.Name
}

func (p *ExplainedPart) head() string {
	s := p.shown()
	if p.Type != "" {
		s += " (" + p.Type + ")"
	}
	return s
}

// wrap writes text in lines of 80 columns.
func wrap(b *strings.Builder, first, rest, text string) {
	if text == "" && strings.TrimSpace(first) == "" {
		return
	}
	line := first
	start := true
	for _, w := range strings.Fields(text) {
		if !start && len([]rune(line))+1+len([]rune(w)) > 80 {
			b.WriteString(strings.TrimRight(line, " ") + "\n")
			line, start = rest, true
		}
		if !start {
			line += " "
		}
		line += w
		start = false
	}
	b.WriteString(strings.TrimRight(line, " ") + "\n")
}
