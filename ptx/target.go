package ptx

import (
	"fmt"
	"strconv"
	"strings"
)

// A Version is a version of the PTX ISA: {8, 5} is `.version 8.5`.
type Version struct{ Major, Minor int }

// String returns the version as .version has it.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// Compare returns -1, 0 or 1.
func (v Version) Compare(w Version) int {
	switch {
	case v == w:
		return 0
	case v.Major < w.Major || v.Major == w.Major && v.Minor < w.Minor:
		return -1
	}
	return 1
}

// AtLeast reports whether v is w or later.
func (v Version) AtLeast(w Version) bool { return v.Compare(w) >= 0 }

// A Target is a target architecture: sm_90a is {90, 'a'}.
type Target struct {
	SM     int  // 70 for sm_70; 0: none
	Suffix byte // 'a' architecture-specific, 'f' family-specific, 0
}

// String returns the target as .target has it.
func (t Target) String() string {
	if t.Suffix == 0 {
		return "sm_" + strconv.Itoa(t.SM)
	}
	return "sm_" + strconv.Itoa(t.SM) + string(rune(t.Suffix))
}

// ParseTarget reads "sm_70" or "compute_90a"; ok is false if s is no target's name.
func ParseTarget(s string) (t Target, ok bool) {
	d, ok := strings.CutPrefix(s, "sm_")
	if !ok {
		if d, ok = strings.CutPrefix(s, "compute_"); !ok {
			return Target{}, false
		}
	}
	if n := len(d); n > 0 && (d[n-1] == 'a' || d[n-1] == 'f') {
		t.Suffix = d[n-1]
		d = d[:n-1]
	}
	n, err := strconv.ParseUint(d, 10, 16)
	if err != nil || n == 0 {
		return Target{}, false
	}
	t.SM = int(n)
	return t, true
}
