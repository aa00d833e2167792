package api

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/diag"
)

// A FamilyPage lists all forms of an instruction: the forms of "shfl" in PTX, or all that begin
// with "v_add" in GCN3.
type FamilyPage struct {
	ISA   ISA          `json:"isa"`
	Name  string       `json:"name"`
	Forms []FamilyForm `json:"forms"`
}

// A FamilyForm is one form of an instruction.
type FamilyForm struct {
	Form      string   `json:"form"` // the syntax line, or the mnemonic
	Classes   []string `json:"classes,omitempty"`
	About     string   `json:"about,omitempty"`
	Since     string   `json:"since,omitempty"`
	Section   string   `json:"section"`
	Refused   string   `json:"refused,omitempty"`
	Undefined []string `json:"undefined,omitempty"`
}

// Text is the page for a terminal.
func (p *FamilyPage) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s of %s\n", p.Name, diag.Count(len(p.Forms), "form"), map[ISA]string{PTX: "PTX", GCN3: "GCN3"}[p.ISA])
	var told []string
	for _, f := range p.Forms {
		b.WriteString("\n" + f.Form + "\n")
		for _, c := range f.Classes {
			class, values, _ := strings.Cut(c, "=")
			fmt.Fprintf(&b, "  .%s: %s\n", strings.TrimSpace(class), strings.TrimSpace(values))
		}
		line := func(label, s string) {
			if s != "" {
				fmt.Fprintf(&b, "  %s: %s\n", label, s)
			}
		}
		line("does", f.About)
		line("since", f.Since)
		line("not run", f.Refused)
		for _, u := range f.Undefined {
			if !slices.Contains(told, u) {
				told = append(told, u)
				line("undefined", u)
			}
		}
		line("see", f.Section)
	}
	b.WriteString("\ncrosslane explain 'INSTR' explains one of them with its operands.\n")
	return b.String()
}
