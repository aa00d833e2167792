package diag

import "encoding/json"

// JSONForm is a value of the form that MarshalJSON writes, for code that describes it.
func (*Diagnostic) JSONForm() any { return jsonDiagnostic{} }

// jsonDiagnostic is the JSON form; its field names are stable.
type jsonDiagnostic struct {
	Code     string        `json:"code"`
	Class    string        `json:"class"`
	Severity string        `json:"severity"`
	Message  string        `json:"message"`
	jsonPos                // file, line, column, offset
	Source   string        `json:"source,omitempty"`
	Lanes    string        `json:"lanes,omitempty"`
	Remedy   string        `json:"remedy,omitempty"`
	Section  string        `json:"section,omitempty"`
	Kernel   string        `json:"kernel,omitempty"`
	Block    *[3]uint32    `json:"block,omitempty"`
	Wave     *int          `json:"wave,omitempty"`
	Blocks   int           `json:"blocks,omitempty"`
	Count    uint64        `json:"count,omitempty"`
	Thread   *[3]uint32    `json:"thread,omitempty"`
	Launches string        `json:"launches,omitempty"`
	Object   string        `json:"object,omitempty"`
	Same     []jsonPos     `json:"same,omitempty"`
	Related  []jsonRelated `json:"related,omitempty"`
	Fixes    []jsonFix     `json:"fixes,omitempty"`
}

type jsonFix struct {
	Message string     `json:"message"`
	Edits   []jsonEdit `json:"edits"`
}

type jsonEdit struct {
	jsonPos
	Old string `json:"old"`
	New string `json:"new"`
}

type jsonPos struct {
	File   string `json:"file,omitempty"`
	Line   int    `json:"line,omitempty"`
	Column int    `json:"column,omitempty"`
	Offset *int64 `json:"offset,omitempty"`
}

type jsonRelated struct {
	Message string `json:"message"`
	jsonPos
	Source string `json:"source,omitempty"`
	Origin bool   `json:"origin,omitempty"`
	After  bool   `json:"after,omitempty"`
}

func jsonPosOf(p Pos) jsonPos {
	j := jsonPos{File: p.File, Line: p.Line, Column: p.Col}
	if p.HasOff {
		j.Offset = &p.Off
	}
	return j
}

// MarshalJSON writes code, class, severity and message, then the known ones of: file, line, column,
// offset (of a binary), source, lanes ("4-19"), remedy, section (of the manual), kernel, block,
// wave and thread (where it was first seen), blocks and count (how many showed it), object (the
// buffer or variable), same (other instructions of the same source line that show the same),
// launches (of a sweep, which showed it), related (other places, with a message each), fixes
// (changes of the text that would fix it).
func (d *Diagnostic) MarshalJSON() ([]byte, error) {
	j := jsonDiagnostic{
		Code: d.Code, Class: d.Class.String(), Severity: d.Severity.String(), Message: clip(d.Message),
		jsonPos: jsonPosOf(d.Pos), Source: clip(d.Source), Lanes: d.Lanes, Remedy: d.Remedy,
		Section: d.Section, Kernel: d.Kernel, Blocks: d.Blocks, Count: d.Count, Launches: d.Launches, Object: d.Object,
	}
	if thread, ok := d.Thread(); ok {
		j.Thread = &thread
	}
	for _, p := range d.Same {
		j.Same = append(j.Same, jsonPosOf(p))
	}
	if d.Blocks > 0 {
		j.Block, j.Wave = &d.Block, &d.Wave
	}
	if j.Lanes == "none" { // as an empty mask prints
		j.Lanes = ""
	}
	for _, r := range d.Related {
		j.Related = append(j.Related, jsonRelated{Message: clip(r.Message), jsonPos: jsonPosOf(r.Pos), Source: clip(r.Source), Origin: r.Origin, After: r.After})
	}
	for _, f := range d.Fixes {
		x := jsonFix{Message: clip(f.Message), Edits: []jsonEdit{}}
		for _, e := range f.Edits {
			x.Edits = append(x.Edits, jsonEdit{jsonPosOf(e.Pos), e.Old, e.New})
		}
		j.Fixes = append(j.Fixes, x)
	}
	return json.Marshal(j)
}
