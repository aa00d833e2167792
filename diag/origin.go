package diag

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Origin returns the line of the source that the instruction was compiled from, if it is
// known.
func (d *Diagnostic) Origin() (Pos, bool) {
	origins, _ := d.origins()
	if len(origins) == 0 {
		return Pos{}, false
	}
	return origins[0].Pos, true
}

// origins splits the related places: where the instruction was compiled from, the line
// first and then the calls that were inlined, and the rest.
func (d *Diagnostic) origins() (origins, rest []Related) {
	for _, r := range d.Related {
		if r.Origin {
			origins = append(origins, r)
		} else {
			rest = append(rest, r)
		}
	}
	return origins, rest
}

// Thread returns the index within its block of the first lane concerned, in the shape that
// the launch gave the block.
func (d *Diagnostic) Thread() (thread [3]uint32, ok bool) {
	if d.Blocks == 0 || d.Threads[0] == 0 || d.Lanes == "" {
		return thread, false
	}
	digits := strings.IndexFunc(d.Lanes, func(r rune) bool { return r < '0' || r > '9' })
	if digits < 0 {
		digits = len(d.Lanes)
	}
	lane, err := strconv.ParseUint(d.Lanes[:digits], 10, 8)
	if err != nil {
		return thread, false
	}
	n := uint32(d.Wave)*d.WaveLanes + uint32(lane)
	x, y := d.Threads[0], max(d.Threads[1], 1)
	return [3]uint32{n % x, n / x % y, n / x / y}, true
}

// maxSame is how many of the further instructions of a line the text names.
const maxSame = 6

// same names the further instructions of the line that show the same.
func (d *Diagnostic) same() string {
	if len(d.Same) == 0 {
		return ""
	}
	s := fmt.Sprintf("%d more instruction%s of this line: ", len(d.Same), plural(len(d.Same)))
	for i, p := range d.Same {
		if i == maxSame {
			return s + ", ..."
		}
		if i > 0 {
			s += ", "
		}
		if p.Line > 0 {
			s += fmt.Sprintf("line %d", p.Line)
		} else {
			s += fmt.Sprintf("+%#x", p.Off)
		}
	}
	return s
}

// Join returns the list with one diagnostic for each JoinKey. The first one stands for all.
func Join(list List) List {
	first := map[string]*Diagnostic{}
	var out List
	for _, d := range list {
		key, ok := d.JoinKey()
		have := first[key]
		if ok && have != nil {
			have.Absorb(d)
			continue
		}
		copied := *d
		out = append(out, &copied)
		if ok {
			first[key] = &copied
		}
	}
	return out
}

// JoinKey is the part that diagnostics share if a reader takes them as one: code, severity, kernel,
// object, and the line of the source with the calls that were inlined. An unrolled loop repeats its
// instructions, and with them their errors. ok is false if no source line is known: the diagnostic
// then stays apart.
func (d *Diagnostic) JoinKey() (key string, ok bool) {
	origins, _ := d.origins()
	if len(origins) == 0 {
		return "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s|%d|%d|%s|%s|%s|%s", d.Code, d.Severity, d.Class, d.Pos.File, d.Kernel, d.Object, d.Launches)
	for _, r := range origins {
		fmt.Fprintf(&b, "|%s:%d", r.Pos.File, r.Pos.Line)
	}
	return b.String(), true
}

// Absorb adds to d the place and the count of another diagnostic that has the same JoinKey.
func (d *Diagnostic) Absorb(other *Diagnostic) {
	if other.Pos != d.Pos && !slices.Contains(d.Same, other.Pos) {
		d.Same = append(d.Same[:len(d.Same):len(d.Same)], other.Pos)
	}
	d.Count += other.Count
}
