package api

import (
	"fmt"
	"strings"
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
	Picture     func() []byte       `json:"-"` // SVG
	PictureText func() string       `json:"-"` // the same in text
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
	Picked       []int    `json:"-"`                 // the lanes that decide the result, if they are known
}

// ExplainedFragment lists which lane of a warp holds which elements of a matrix.
type ExplainedFragment struct {
	Name string `json:"name"` // "A"
	// Lanes holds for every lane the elements of its registers in order, low bits first: row,
	// column and, if the instruction multiplies several matrices, the index of the matrix.
	Lanes [][][]int `json:"lanes"`
}

// SVG draws the lane map or the fold. It is nil if the instruction has neither, or if an operand
// that decides it is unknown.
func (x *Explanation) SVG() []byte {
	if x.Picture == nil {
		return nil
	}
	return x.Picture()
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
	if x.PictureText != nil {
		title := "lanes"
		if x.Fragments != nil {
			title = "fragments"
		}
		fmt.Fprintf(&b, "\n%s\n%s\n", title, strings.TrimRight(x.PictureText(), "\n"))
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

// Shown is the part as written, with its name.
func (p *ExplainedPart) Shown() string {
	switch {
	case strings.HasPrefix(p.Text, p.Name):
		return p.Text // row_mask:0xa contains its own name
	case p.Text != "":
		return p.Name + " = " + p.Text
	}
	return p.Name
}

func (p *ExplainedPart) head() string {
	s := p.Shown()
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
