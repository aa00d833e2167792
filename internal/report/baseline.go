package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// baselineSchema is the schema of baseline files.
const baselineSchema = "crosslane.baseline/1"

// A Baseline is a list of known findings, which do not count.
type Baseline struct {
	Schema   string          `json:"schema"`
	Findings []BaselineEntry `json:"findings"`

	folder string // folder of the file
}

// A BaselineEntry is one known finding. ID, Code and File, which is relative to the baseline's
// folder, are compared; the other fields are for readers.
type BaselineEntry struct {
	ID      string `json:"id"`
	Code    string `json:"code"`
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Kernel  string `json:"kernel,omitempty"`
	Message string `json:"message,omitempty"`
	Reason  string `json:"reason,omitempty"` // the reason for accepting it, written by hand
}

// ReadBaseline reads the baseline that the named file holds.
func ReadBaseline(name string, data []byte) (*Baseline, error) {
	var b Baseline
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&b); err != nil {
		return nil, fmt.Errorf("not a baseline: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("not a baseline: more than one value")
	}
	if b.Schema != baselineSchema {
		return nil, fmt.Errorf("the schema is %q, want %q", b.Schema, baselineSchema)
	}
	for i, e := range b.Findings {
		if e.ID == "" || e.Code == "" {
			return nil, fmt.Errorf("finding %d has no id or no code", i+1)
		}
	}
	b.folder = filepath.Dir(name)
	return &b, nil
}

// Apply marks the findings that are in the baseline, and returns the entries without a finding.
func (b *Baseline) Apply(list []*Finding) (stale []BaselineEntry) {
	found := map[string]bool{}
	for _, f := range list {
		for _, e := range b.Findings {
			if e.ID == f.ID && e.Code == f.Code && IsFinding(f.Diagnostic) && b.file(e, f) {
				found[e.ID] = true
				if f.Counts() {
					f.By, f.Reason = "baseline", e.Reason
				}
			}
		}
	}
	for _, e := range b.Findings {
		if !found[e.ID] {
			stale = append(stale, e)
		}
	}
	return stale
}

// file reports whether an entry is about the file of a finding. If the entry's file no longer
// exists, the entry is about any file of that name.
func (b *Baseline) file(e BaselineEntry, f *Finding) bool {
	entry := absolute(b.folder, e.File)
	if entry == absolute("", f.Pos.File) {
		return true
	}
	_, err := os.Stat(entry)
	return err != nil
}

// aboutCheck holds the codes of findings about the check itself, not about the checked program.
var aboutCheck = map[string]bool{"unused-ignore": true, "stale-baseline": true, "budget-reached": true}

// WriteBaseline writes the findings that count, and those that an earlier baseline had, as the
// baseline of the named file.
func WriteBaseline(w io.Writer, name string, list []*Finding) error {
	folder := absolute("", filepath.Dir(name))
	b := Baseline{Schema: baselineSchema, Findings: []BaselineEntry{}}
	for _, f := range list {
		if IsFinding(f.Diagnostic) && f.By != "comment" && !aboutCheck[f.Code] {
			e := BaselineEntry{ID: f.ID, Code: f.Code, File: relative(folder, f.Pos.File), Line: f.Pos.Line, Kernel: f.Kernel, Message: headline(f.Message)}
			if f.By == "baseline" {
				e.Reason = f.Reason
			}
			b.Findings = append(b.Findings, e)
		}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(b)
}

// relative returns a file's path relative to a folder, with slashes.
func relative(folder, file string) string {
	if file == "" {
		return ""
	}
	if path, err := filepath.Rel(folder, absolute("", file)); err == nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(file)
}
