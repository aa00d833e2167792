package cli

import (
	"fmt"
	"io"
	"strings"
)

// writeDiff writes the differences between two texts with equally many lines, as patch reads it:
// three lines around each change.
func writeDiff(w io.Writer, file, old, text string) {
	const context = 3
	a, b := strings.Split(old, "\n"), strings.Split(text, "\n")
	if len(a) != len(b) || old == text {
		return
	}
	last := len(a) // the number of lines; the empty text after the last line end is none
	if a[last-1] == "" && b[last-1] == "" {
		last--
	}
	line := func(mark string, i int, l []string) {
		fmt.Fprintf(w, "%s%s\n", mark, l[i])
		if i == len(l)-1 {
			fmt.Fprintln(w, "\\ No newline at end of file")
		}
	}
	fmt.Fprintf(w, "--- %s\n+++ %s\n", file, file)
	for i := 0; i < last; i++ {
		if a[i] == b[i] {
			continue
		}
		from, to := max(0, i-context), i
		for same := 0; to < last && same <= 2*context; to++ {
			if same++; a[to] != b[to] {
				same = 0
			}
		}
		for to > i+1 && a[to-1] == b[to-1] {
			to--
		}
		to = min(last, to+context)
		fmt.Fprintf(w, "@@ -%d,%d +%d,%d @@\n", from+1, to-from, from+1, to-from)
		for k := from; k < to; k++ {
			if a[k] == b[k] {
				line(" ", k, a)
				continue
			}
			end := k
			for end < to && a[end] != b[end] {
				line("-", end, a)
				end++
			}
			for ; k < end; k++ {
				line("+", k, b)
			}
			k--
		}
		i = to - 1
	}
}
