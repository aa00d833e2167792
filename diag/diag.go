// Package diag holds Crosslane's diagnostics: the message, its place, its severity, the lanes
// concerned, and the remedy.
//
// A Diagnostic is data; renderers turn lists of them into text, JSON and other formats. Every code
// that can appear stands in the registry of this package (see Codes), with its documentation and a
// runnable example.
package diag

import (
	"errors"
	"fmt"
	"strings"
)

// Severity orders diagnostics by how bad they are.
type Severity uint8

// The severities, mildest first.
const (
	Note Severity = iota
	Warning
	Error
)

// String returns the word that the text form prints.
func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	}
	return "error"
}

// Class is the kind of a problem; the exit code of the command line follows from it.
type Class uint8

// The classes. Their order is not meaningful; see ExitCode.
const (
	// Finding is a finding about the guest program: undefined behaviour, a hazard,
	// a failed expectation. Exit code 1, unless its severity is Note or Warning.
	Finding Class = iota
	// Input is bad usage or bad input: a file that does not parse or validate.
	Input
	// Unsupported names a feature that Crosslane does not have.
	Unsupported
	// Fault is a guest program that trapped, faulted or deadlocked.
	Fault
	// Timeout reports that the time limit was reached.
	Timeout
)

// String returns the class's name as JSON prints it.
func (c Class) String() string {
	switch c {
	case Finding:
		return "finding"
	case Input:
		return "input"
	case Unsupported:
		return "unsupported"
	case Fault:
		return "fault"
	}
	return "timeout"
}

// ExitCode is the command line's exit status for a run whose worst diagnostic
// has this class: 1 finding, 2 input, 3 unsupported, 4 fault, 5 timeout.
func (c Class) ExitCode() int { return int(c) + 1 }

// Pos is a place in the input: a line and column of a text, or a byte offset of
// a binary. The zero Pos is "no place".
type Pos struct {
	File string
	Line int   // 1-based; 0: none
	Col  int   // 1-based, in bytes; 0: none
	Off  int64 // byte offset in a binary, meaningful if HasOff
	// HasOff reports that Off is meaningful.
	HasOff bool
}

// IsValid reports whether the position names any place.
func (p Pos) IsValid() bool { return p.File != "" || p.Line > 0 || p.HasOff }

// String formats a position as file:line:col, or file:+0xoffset.
func (p Pos) String() string {
	var b strings.Builder
	b.WriteString(p.File)
	if p.Line > 0 {
		if b.Len() > 0 {
			b.WriteByte(':')
		}
		fmt.Fprintf(&b, "%d", p.Line)
		if p.Col > 0 {
			fmt.Fprintf(&b, ":%d", p.Col)
		}
	} else if p.HasOff {
		if b.Len() > 0 {
			b.WriteByte(':')
		}
		fmt.Fprintf(&b, "+%#x", p.Off)
	}
	return b.String()
}

// Related is a second place that explains a diagnostic.
type Related struct {
	Pos     Pos
	Message string
	Source  string // the source line at Pos, if known
	// Origin reports that Pos is the source line that the instruction was compiled from, not a step
	// of the events.
	Origin bool
	// After reports that Pos comes after the finding: the finding leads to it.
	After bool
}

// A Diagnostic is one report. There is one per instruction and code, with a lane
// set, never one per lane.
type Diagnostic struct {
	Pos      Pos
	Severity Severity
	Class    Class
	Code     string // stable, from the registry: "undefined-source"
	Message  string // place, object, value, limit
	Source   string // the source line, or the printed instruction; "" if unknown
	Lanes    string // the lanes of Wave concerned: "4-19"; "" if none
	Remedy   string // one sentence; "" if there is no remedy
	Section  string // the manual's section: "PTX 9.7.9.6"; "" if none
	Related  []Related
	Fixes    []Fix // possible changes, the likeliest first

	Kernel string
	Block  [3]uint32 // first block that showed it, if Blocks > 0
	Wave   int       // first wave of that block
	Blocks int       // number of blocks that showed it; 0: not a dynamic finding
	Count  uint64    // executions (of a wave) that showed it
	// Threads is the shape of that block and WaveLanes the number of lanes of a wave, if they
	// are known: with Lanes they give a thread.
	Threads   [3]uint32
	WaveLanes uint32
	// Same are the places of the other instructions that were compiled from the same line
	// of the source and show the same; see JoinKey.
	Same []Pos
	// Object is the buffer or the variable that the finding is about, "" if none.
	Object string
	// Launches lists the launches, of several, that showed it, as "block sizes 33, 48"; the other
	// fields are then those of the first one. "" if there was one.
	Launches string
}

// Error makes a single Diagnostic usable as an error: its headline.
func (d *Diagnostic) Error() string {
	var b strings.Builder
	if d.Pos.IsValid() {
		b.WriteString(d.Pos.String())
		b.WriteString(": ")
	}
	b.WriteString(d.Severity.String())
	b.WriteString(": ")
	b.WriteString(clip(d.Message))
	if d.Code != "" {
		b.WriteString(" [" + d.Code + "]")
	}
	return b.String()
}

// List is a list of diagnostics; as an error it is the headlines, one a line.
type List []*Diagnostic

// Error returns the headlines.
func (l List) Error() string {
	s := make([]string, len(l))
	for i, d := range l {
		s[i] = d.Error()
	}
	return strings.Join(s, "\n")
}

// Err returns the list as an error if any of it has severity Error, else nil.
func (l List) Err() error {
	for _, d := range l {
		if d.Severity == Error {
			return l
		}
	}
	return nil
}

// Errorf makes a Diagnostic of severity Error.
func Errorf(pos Pos, class Class, code, format string, args ...any) *Diagnostic {
	return &Diagnostic{Pos: pos, Severity: Error, Class: class, Code: code, Message: fmt.Sprintf(format, args...)}
}

// The function Of collects the diagnostics that an error holds. An error that holds none becomes
// one Diagnostic of class Input with the code "error".
func Of(err error) List {
	if err == nil {
		return nil
	}
	var l List
	if errors.As(err, &l) {
		return l
	}
	var d *Diagnostic
	if errors.As(err, &d) {
		return List{d}
	}
	return List{{Severity: Error, Class: Input, Code: "error", Message: err.Error()}}
}

// ExitCode is the exit status for a whole run: that of the gravest class among
// diagnostics of severity Error, in the order timeout, fault, unsupported,
// input, finding; 0 if there is none. A warning of class Finding is worth
// telling but does not fail a run.
func (l List) ExitCode() int {
	code := 0
	for _, d := range l {
		if d.Severity == Error {
			code = max(code, d.Class.ExitCode())
		}
	}
	return code
}
