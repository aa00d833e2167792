package cli

import (
	"bytes"
	"sync"
)

// A sourceText is a text of which lines are shown. It is safe for concurrent use.
type sourceText struct {
	text  []byte
	once  sync.Once
	marks []int // the start of every markLines-th line: a text may have millions
}

const markLines = 64

// line returns the n-th line without its end; ok is false if there is none. Lines count
// from 1.
func (s *sourceText) line(n int) (line string, ok bool) {
	s.once.Do(func() {
		s.marks = []int{0}
		at, lines := 0, 0
		for i := bytes.IndexByte(s.text, '\n'); i >= 0; i = bytes.IndexByte(s.text[at:], '\n') {
			at += i + 1
			if lines++; lines%markLines == 0 {
				s.marks = append(s.marks, at)
			}
		}
	})
	if n < 1 || s.text == nil || (n-1)/markLines >= len(s.marks) {
		return "", false
	}
	rest := s.text[s.marks[(n-1)/markLines]:]
	for range (n - 1) % markLines {
		if _, rest, ok = bytes.Cut(rest, []byte("\n")); !ok {
			return "", false
		}
	}
	first, _, _ := bytes.Cut(rest, []byte("\n"))
	return string(first), true
}
