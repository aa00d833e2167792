package verdict

import (
	"fmt"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/session"
	"example.org/crosslane/internal/sim"
)

// unwrittenRuns is how many runs of unwritten elements a note names for a buffer.
const unwrittenRuns = 4

// unwritten reports the buffers that were given without contents and that the kernel has written in
// part, after a launch that follows undefined bits. A kernel may leave the rest intentionally, as
// one that packs its selection does: so it is a note.
func unwritten(k *session.Kernel, mem *session.Memory) (list diag.List) {
	for _, b := range mem.Buffers {
		runs := mem.Allocs[b].Left(b.Type.Size())
		if len(runs) == 0 {
			continue
		}
		count, named := 0, make([]string, 0, unwrittenRuns)
		for i, r := range runs {
			count += r[1] - r[0] + 1
			if i < unwrittenRuns {
				named = append(named, elements(b, r[0], r[1]))
			}
		}
		text := strings.Join(named, ", ")
		if n := len(runs) - unwrittenRuns; n > 0 {
			text += fmt.Sprintf(" and %s", diag.Count(n, "more run"))
		}
		list = append(list, &diag.Diagnostic{
			Pos: diag.Pos{File: k.Module().File()}, Severity: diag.Note, Class: diag.Finding, Code: sim.CodeUnwritten, Kernel: k.Name(),
			Message: fmt.Sprintf("buffer %s: no lane wrote %s (%d of %s); the kernel wrote the rest", b.Name, text, count, diag.Count(b.Len(), "element")),
			Remedy:  "launch as many lanes as there are elements, or let each lane go on with the next ones; give the buffer contents, as =zero, if the rest is meant to stay",
		})
	}
	return list
}

// span names a range of elements: o[7], o[768..999], or o[3,0]..o[3,15] if there are several
// dimensions.
func elements(b *api.Buffer, from, to int) string {
	switch {
	case from == to:
		return fmt.Sprintf("%s[%s]", b.Name, b.IndexText(from))
	case len(b.Shape) < 2:
		return fmt.Sprintf("%s[%d..%d]", b.Name, from, to)
	}
	return fmt.Sprintf("%s[%s]..%s[%s]", b.Name, b.IndexText(from), b.Name, b.IndexText(to))
}
