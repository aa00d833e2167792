package launchspec

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/value"
)

// maxDifferences is the number of differing elements that are reported one by one.
const maxDifferences = 8

// An Expectation is the contents that a buffer must have after the run.
type Expectation struct {
	buf   *crosslane.Buffer
	want  []byte
	exact bool    // bit for bit
	tol   float64 // else at most this far, absolutely or relative to the value wanted
	bits  bool    // the values come from a file: a NaN's bits count too
}

// Expectations reads --expect before the run, so that a mistake costs none.
func (l *Spec) Expectations(buffers []*crosslane.Buffer) ([]Expectation, error) {
	var out []Expectation
	for _, e := range l.Expect {
		var b *crosslane.Buffer
		for _, c := range buffers {
			if c.Name == e.Name {
				b = c
			}
		}
		w, err := parseExpect(b, e.Text, e.reader())
		if err != nil {
			return nil, diag.Errorf(diag.Pos{}, diag.Input, "bad-argument", "--expect %s: %s", e.Name, err)
		}
		out = append(out, w)
	}
	return out, nil
}

// parseExpect reads VALUES, VALUES~TOL, @FILE or @FILE~TOL.
func parseExpect(b *crosslane.Buffer, text string, read value.ReadFile) (Expectation, error) {
	e := Expectation{buf: b, exact: true, want: make([]byte, len(b.Data))}
	if i := strings.LastIndexByte(text, '~'); i >= 0 {
		tol, err := strconv.ParseFloat(text[i+1:], 64)
		if err != nil || !(tol >= 0) || math.IsInf(tol, 0) {
			return e, fmt.Errorf("the tolerance after ~ is a number of at least 0, found %s", input.Quoted(text[i+1:]))
		}
		e.exact, e.tol, text = false, tol, text[:i]
	}
	in, err := value.ParseInit(text)
	if err != nil {
		return e, err
	}
	e.bits = in.File() != "" && !strings.HasSuffix(strings.ToLower(in.File()), ".csv")
	t := value.Type(b.Type)
	return e, in.Fill(t, e.want, len(b.Data)/t.Size(), read)
}

// Compare reports how the buffer differs; nil if it does not.
func (e Expectation) Compare() *diag.Diagnostic {
	t := value.Type(e.buf.Type)
	n := len(e.buf.Data) / t.Size()
	var lines []string
	count := 0
	for i := range n {
		got, want := value.Get(t, e.buf.Data, i), value.Get(t, e.want, i)
		if e.Same(t, got, want) {
			continue
		}
		if count++; count <= maxDifferences {
			lines = append(lines, difference(t, IndexText(e.buf, i), got, want))
		}
	}
	if count == 0 {
		return nil
	}
	if count > maxDifferences {
		lines = append(lines, fmt.Sprintf("and %d more", count-maxDifferences))
	}
	what := ""
	if !e.exact {
		what = fmt.Sprintf(" by more than %g", e.tol)
	}
	return diag.Errorf(diag.Pos{}, diag.Finding, "expect-failed", "%s: %d of %s differ from --expect%s\n%s",
		e.buf.Name, count, diag.Count(n, "element"), what, strings.Join(lines, "\n"))
}

// Within compares values that are equal up to a tolerance, absolute or relative; 0: bit for bit.
func Within(tol float64) Expectation { return Expectation{exact: tol == 0, tol: tol, bits: true} }

// Same reports whether two elements are equal, as the expectation says.
func (e Expectation) Same(t value.Type, got, want uint64) bool {
	if got == want {
		return true
	}
	if t.Kind() != value.Float && e.exact {
		return false
	}
	g, w := value.Float64(t, got), value.Float64(t, want)
	switch {
	case g != g && w != w:
		return !e.exact || !e.bits // a NaN that was written as text has no bits to compare
	case e.exact:
		return false
	}
	return math.Abs(g-w) <= e.tol*max(1, math.Abs(w))
}

// difference describes one element; floats that look alike show their bits.
func difference(t value.Type, at string, got, want uint64) string {
	g, w := value.Format(t, got), value.Format(t, want)
	if g == w {
		g += " (0x" + value.Hex(t, got) + ")"
		w += " (0x" + value.Hex(t, want) + ")"
	}
	return fmt.Sprintf("%s is %s, want %s", at, g, w)
}

// IndexText names an element of a buffer as the user does: out[3], out[3,4].
func IndexText(b *crosslane.Buffer, i int) string {
	if len(b.Shape) == 2 {
		return fmt.Sprintf("%s[%d,%d]", b.Name, i/b.Shape[1], i%b.Shape[1])
	}
	return fmt.Sprintf("%s[%d]", b.Name, i)
}
