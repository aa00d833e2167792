package report

import "example.org/crosslane/diag"

// Join returns the findings with one for each diag.JoinKey; findings that are excused differently
// stay separate. The list itself, from which baselines are written, is unchanged.
func Join(list []*Finding) []*Finding {
	first := map[string]*Finding{}
	out := make([]*Finding, 0, len(list))
	for _, f := range list {
		key, ok := f.JoinKey()
		key += "|" + f.By
		have := first[key]
		if ok && have != nil {
			have.Absorb(f.Diagnostic)
			continue
		}
		copied := f.with(*f.Diagnostic)
		out = append(out, copied)
		if ok {
			first[key] = copied
		}
	}
	return out
}

// With returns the findings with their diagnostics replaced by change.
func With(list []*Finding, change func(*diag.Diagnostic) *diag.Diagnostic) []*Finding {
	out := make([]*Finding, len(list))
	for i, f := range list {
		out[i] = f.with(*change(f.Diagnostic))
	}
	return out
}

func (f *Finding) with(d diag.Diagnostic) *Finding {
	copied := *f
	copied.Diagnostic = &d
	return &copied
}
