package explain

import (
	"strings"

	"example.org/crosslane/amdgpu"
	"example.org/crosslane/api"
	"example.org/crosslane/ptx"
)

// Family returns the forms of a family of instructions, nil if the name is unknown.
func Family(name string, isa api.ISA) *api.FamilyPage {
	if isa != api.GCN3 {
		if list := ptx.Family(name); list != nil {
			page := &api.FamilyPage{ISA: api.PTX, Name: name}
			for _, f := range list {
				form, classes, _ := strings.Cut(f.Form, ";")
				x := api.FamilyForm{Form: form, About: f.About, Since: f.Since, Section: "PTX " + f.Section, Undefined: f.Undefined}
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
	if isa == api.PTX {
		return nil
	}
	return familyGCN3(strings.TrimSuffix(name, "_"))
}

func familyGCN3(name string) *api.FamilyPage {
	page := &api.FamilyPage{ISA: api.GCN3, Name: name}
	for _, m := range amdgpu.Mnemonics() {
		if m != name && !strings.HasPrefix(m, name+"_") {
			continue
		}
		r := amdgpu.LookUp(m)
		x := api.FamilyForm{Form: m, About: r.Does, Section: r.Section()}
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
