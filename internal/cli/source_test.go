package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// TestSourceText compares lines with those of a plain split, at texts that end and begin in
// every way around the marks.
func TestSourceText(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 2, markLines - 1, markLines, markLines + 1, 3*markLines + 5} {
		for _, end := range []string{"", "\n", "\n\n", "last"} {
			var b strings.Builder
			for i := range n {
				fmt.Fprintf(&b, "%s%d\n", strings.Repeat("x", i%7), i)
			}
			text := []byte(b.String() + end)
			s := &sourceText{text: text}
			want := bytes.Split(text, []byte("\n"))
			for i := -1; i <= len(want)+1; i++ {
				got, ok := s.line(i)
				if in := i >= 1 && i <= len(want); ok != in || ok && got != string(want[i-1]) {
					t.Fatalf("%d lines and %q: line %d is %q, %v", n, end, i, got, ok)
				}
			}
		}
	}
	if _, ok := (&sourceText{}).line(1); ok {
		t.Error("a text that is not known has a line")
	}
}
