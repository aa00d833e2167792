package crosslane

import (
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane/gcn3"
	"example.org/crosslane/ptx"
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

// Family returns the forms of a family of instructions, nil if the name is unknown.
func Family(name string, isa ISA) *FamilyPage {
	if isa != GCN3 {
		if list := ptx.Family(name); list != nil {
			page := &FamilyPage{ISA: PTX, Name: name}
			for _, f := range list {
				form, classes, _ := strings.Cut(f.Form, ";")
				x := FamilyForm{Form: form, About: f.About, Since: f.Since, Section: "PTX " + f.Section, Undefined: f.Undefined}
				for _, c := range strings.Split(classes, ";") {
					if c = strings.TrimSpace(c); c != "" {
						x.Classes = append(x.Classes, c)
					}
				}
				if f.Refused != "" {
					x.Refused = "of " + f.Refused
				}
				page.Forms = append(page.Forms, x)
			}
			return page
		}
	}
	if isa == PTX {
		return nil
	}
	return familyGCN3(strings.TrimSuffix(name, "_"))
}

func familyGCN3(name string) *FamilyPage {
	page := &FamilyPage{ISA: GCN3, Name: name}
	for _, m := range gcn3.Mnemonics() {
		if m != name && !strings.HasPrefix(m, name+"_") {
			continue
		}
		r := gcn3.LookUp(m)
		x := FamilyForm{Form: m, About: r.Does, Section: r.Section()}
		if r.Sem == nil {
			x.Refused = r.Why
		}
		page.Forms = append(page.Forms, x)
	}
	if page.Forms == nil {
		return nil
	}
	return page
}

// Text is the page for a terminal.
func (p *FamilyPage) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s of %s\n", p.Name, plural(len(p.Forms), "form"), map[ISA]string{PTX: "PTX", GCN3: "GCN3"}[p.ISA])
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
