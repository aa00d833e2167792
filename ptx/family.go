package ptx

import "strings"

// A FamilyForm is one syntax line of an instruction.
type FamilyForm struct {
	Form    string // the manual's syntax line, with the values of its classes after semicolons
	About   string // its effect, in a sentence; "" if an earlier form has the sentence
	Since   string // the version and the target that introduced it, for example "PTX 6.0, sm_70"
	Section string // in the manual
	// Refused names the family of unsupported instructions that the form belongs to; "" if
	// Crosslane runs it.
	Refused string
	// Undefined lists the cases that the manual leaves undefined.
	Undefined []string
}

// Family returns the forms of an instruction by the first part of its opcode, for example "shfl";
// none if there is no instruction of that name.
func Family(name string) []FamilyForm {
	var forms []FamilyForm
	for _, r := range instructions().rows[name] {
		f := FamilyForm{Form: r.Form, About: r.About, Section: r.Sec, Refused: r.Do.unsupported}
		f.Since = "PTX " + r.PTX.String()
		if r.SM > 0 {
			f.Since += ", " + Target{SM: r.SM}.String()
		}
		if r.Arch != "" {
			f.Since += ", " + strings.ReplaceAll(r.Arch, " ", " or ")
		}
		for _, u := range r.Undefined {
			f.Undefined = append(f.Undefined, u.Text)
		}
		forms = append(forms, f)
	}
	return forms
}
