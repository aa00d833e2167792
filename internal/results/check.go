package results

import (
	"bytes"
	"encoding/json"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/report"
)

// Check is the result of check, schema crosslane.check/1.
type Check struct {
	Schema   string        `json:"schema"`
	File     string        `json:"file"`
	Kernel   string        `json:"kernel,omitempty"`
	ISA      crosslane.ISA `json:"isa,omitempty"`
	Planned  int           `json:"planned"`
	Launches int           `json:"launches"`
	Proved   []string      `json:"proved,omitempty"`
	Moved    []string      `json:"moved,omitempty"`
	Findings []Finding     `json:"findings"`
	Excused  []Finding     `json:"excused,omitempty"`
}

// A Finding is a diagnostic with its id and, if it is excused, the source and the reason of the
// excuse.
type Finding struct{ *report.Finding }

// findingMore holds the members that a Finding has besides the diagnostic.
type findingMore struct {
	ID     string `json:"id"`
	By     string `json:"excused_by,omitempty"`
	Reason string `json:"reason,omitempty"`
}

// JSONForms are values whose members the JSON has.
func (Finding) JSONForms() []any { return []any{(*diag.Diagnostic)(nil).JSONForm(), findingMore{}} }

// MarshalJSON implements json.Marshaler.
func (f Finding) MarshalJSON() ([]byte, error) {
	return JoinedJSON(f.Diagnostic, findingMore{f.ID, f.By, f.Reason})
}

// JoinedJSON writes the members of a diagnostic and of another object as one object.
func JoinedJSON(d *diag.Diagnostic, more any) ([]byte, error) {
	b, err := json.Marshal(d)
	if err != nil {
		return nil, err
	}
	m, err := json.Marshal(more)
	if err != nil {
		return nil, err
	}
	return append(append(bytes.TrimSuffix(b, []byte("}")), ','), m[1:]...), nil
}

// Split divides findings into those that count and those that are excused.
func Split(list []*report.Finding) (found, excused []Finding) {
	found = []Finding{}
	for _, x := range list {
		if x.Counts() {
			found = append(found, Finding{x})
		} else {
			excused = append(excused, Finding{x})
		}
	}
	return found, excused
}
