package cli

import (
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/names"
)

// readable returns the diagnostics with the names of the source in place of mangled ones.
func readable(list diag.List) diag.List {
	out := make(diag.List, len(list))
	for i, d := range list {
		out[i] = readableOne(d)
	}
	return out
}

func readableOne(d *diag.Diagnostic) *diag.Diagnostic {
	c := *d
	c.Message, c.Remedy, c.Kernel, c.Object = names.InText(d.Message), names.InText(d.Remedy), names.Short(d.Kernel), names.Short(d.Object)
	c.Related = make([]diag.Related, len(d.Related))
	for i, r := range d.Related {
		r.Message = names.InText(r.Message)
		c.Related[i] = r
	}
	return &c
}
