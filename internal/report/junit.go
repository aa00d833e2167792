package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"example.org/crosslane/diag"
)

type junitSuites struct {
	XMLName  xml.Name     `xml:"testsuites"`
	Name     string       `xml:"name,attr"`
	Tests    int          `xml:"tests,attr"`
	Failures int          `xml:"failures,attr"`
	Errors   int          `xml:"errors,attr"`
	Suites   []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	XMLName  xml.Name    `xml:"testsuite"`
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Skipped  int         `xml:"skipped,attr"`
	Cases    []junitCase `xml:"testcase"`
}

type junitCase struct {
	XMLName   xml.Name     `xml:"testcase"`
	Class     string       `xml:"classname,attr"`
	Name      string       `xml:"name,attr"`
	File      string       `xml:"file,attr,omitempty"`
	Line      int          `xml:"line,attr,omitempty"`
	Failure   *junitResult `xml:"failure"`
	Error     *junitResult `xml:"error"`
	Skipped   *junitResult `xml:"skipped"`
	SystemOut string       `xml:"system-out,omitempty"`
}

type junitResult struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// JUnit writes the findings as test cases. A finding that fails the check is a failure, a part that
// could not be checked is an error, an excused finding is skipped, and a milder one passes with its
// message. A check without findings is one case that passes. In a report of several files the class
// of a case is the file that the finding is about.
func (r *Report) JUnit(w io.Writer) error {
	class := URI(clean(r.File))
	if r.Kernel != "" {
		class += "." + clean(r.Kernel)
	}
	s := junitSuite{Name: class}
	if r.File == "" {
		s.Name = "crosslane"
	}
	for _, f := range r.Findings {
		if r.File == "" {
			class = URI(clean(f.Pos.File))
		}
		c := junitCase{Class: class, Name: f.Code, File: URI(clean(f.Pos.File)), Line: f.Pos.Line}
		switch {
		case f.Pos.Line > 0:
			c.Name += fmt.Sprintf(" line %d", f.Pos.Line)
		case f.Pos.HasOff:
			c.Name += fmt.Sprintf(" at %#x", f.Pos.Off)
		}
		text := strings.Join(append([]string{clean(f.Pos.String())}, details(f)...), "\n")
		res := &junitResult{Message: headline(f.Message), Type: f.Code, Text: text}
		switch {
		case !f.Counts():
			c.Skipped = &junitResult{Message: clean(f.By + ": " + f.Reason)}
			s.Skipped++
		case !IsFinding(f.Diagnostic) && f.Severity == diag.Error:
			c.Error = res
			s.Errors++
		case f.Fails:
			c.Failure = res
			s.Failures++
		default:
			c.SystemOut = f.Severity.String() + ": " + headline(f.Message) + "\n" + text
		}
		s.Cases = append(s.Cases, c)
	}
	if len(s.Cases) == 0 {
		s.Cases = []junitCase{{Class: class, Name: "check", File: URI(clean(r.File))}}
	}
	s.Tests = len(s.Cases)
	all := junitSuites{Name: "crosslane check", Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Suites: []junitSuite{s}}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
