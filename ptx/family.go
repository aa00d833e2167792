package ptx

import "strings"

// A FamilyForm is one syntax line of an instruction.
type FamilyForm struct {
	Form    string // the manual's syntax line, with the values of its classes behind semicolons
	About   string // what it does, in a sentence; "" where an earlier form says it
	Since   string // the version and the target that it came with, such as "PTX 6.0, sm_70"
	Section string // of the manual
	// Refused says which family of instructions it is of that is not run; "" if it is run.
	Refused string
	// Undefined is what the manual leaves undefined.
	Undefined []string
}

// Family returns the forms of an instruction by the first part of its opcode, such as "shfl"; none
// if there is no such instruction.
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
