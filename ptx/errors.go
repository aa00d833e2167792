package ptx

import (
	"fmt"
	"sort"
	"strings"

	"example.org/crosslane/diag"
)

// maxErrors is the number of errors that one Parse reports. Further errors are only counted, up to
// maxCounted.
const (
	maxErrors  = 20
	maxCounted = 10000
)

// An errList collects diagnostics of one file.
type errList struct {
	file  string
	src   string
	list  diag.List
	count int  // errors, the omitted ones included
	full  bool // maxCounted is reached: reading on is pointless
	last  diag.Pos
}

func (e *errList) add(pos Pos, code, msg string) *diag.Diagnostic {
	return e.addClass(pos, diag.Input, code, msg)
}

// addClass adds an error and returns it, so that the caller can add a remedy.
func (e *errList) addClass(pos Pos, class diag.Class, code, msg string) *diag.Diagnostic {
	d := &diag.Diagnostic{Pos: pos.At(e.file), Severity: diag.Error, Class: class, Code: code, Message: msg}
	if e.count > 0 && e.last == d.Pos {
		return d // one error per place
	}
	e.last = d.Pos
	e.count++
	if e.count > maxErrors {
		e.full = e.count >= maxCounted
		return d
	}
	d.Source = lineAt(e.src, int(pos.Off))
	e.list = append(e.list, d)
	return d
}

// finish returns the diagnostics in the order of the text, and last the number of omitted errors.
func (e *errList) finish() diag.List {
	sort.SliceStable(e.list, func(i, j int) bool {
		a, b := e.list[i].Pos, e.list[j].Pos
		return a.Line < b.Line || a.Line == b.Line && a.Col < b.Col
	})
	if n := e.count - maxErrors; n > 0 {
		msg := fmt.Sprintf("and %d more errors", n)
		switch {
		case e.full:
			msg = fmt.Sprintf("and at least %d more errors", n)
		case n == 1:
			msg = "and 1 more error"
		}
		e.list = append(e.list, &diag.Diagnostic{Pos: diag.Pos{File: e.file}, Severity: diag.Note, Class: diag.Input, Code: "more-errors", Message: msg})
	}
	return e.list
}

// lineAt returns the line of src that holds the byte at off, without its end. Very long lines are
// cut.
func lineAt(src string, off int) string {
	if off > len(src) {
		return ""
	}
	start := strings.LastIndexByte(src[:off], '\n') + 1
	end := strings.IndexByte(src[off:], '\n')
	if end < 0 {
		end = len(src)
	} else {
		end += off
	}
	if end-start > 400 {
		end = start + 400
	}
	return strings.TrimSuffix(src[start:end], "\r")
}

// didYouMean returns the candidate that is most similar to name, or "" if none is similar enough.
func didYouMean(name string, candidates []string) string {
	best, limit := "", 1+len(name)/4
	for _, c := range candidates {
		if len(c) > len(name)+limit || len(name) > len(c)+limit || c == name {
			continue
		}
		if d := nameDistance(name, c, limit); d <= limit && (best == "" || d < limit) {
			best, limit = c, d
		}
	}
	return best
}

// nameDistance returns the number of edits that turn a into b: insertions, deletions, replacements
// and exchanges of neighbours. If the number exceeds limit, the result is any number above limit.
func nameDistance(a, b string, limit int) int {
	if len(a) > 200 || len(b) > 200 {
		return limit + 1
	}
	var row [3][202]int
	prev2, prev, cur := &row[0], &row[1], &row[2]
	for j := 0; j <= len(b); j++ {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, prev2[j-2]+1)
			}
			cur[j] = d
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
