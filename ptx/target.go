package ptx

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Version is a version of the PTX ISA: {8, 5} is `.version 8.5`.
type Version struct{ Major, Minor int }

// String returns the version as .version spells it.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// meant returns the version whose instructions a module of a version has: the vendor's assembler
// treats 5.1 as 6.0 (ERRATA E119).
func (v Version) meant() Version {
	if v == (Version{5, 1}) {
		return Version{6, 0}
	}
	return v
}

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

// String returns the target as .target spells it.
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

// lastMinor[major] is the last minor version of each major version of the PTX ISA that an assembler
// accepts. 5.1 is in no release history (PTX 13); the vendor's assembler accepts it.
var lastMinor = [...]int{1: 5, 2: 3, 3: 2, 4: 3, 5: 1, 6: 5, 7: 8, 8: 8, 9: 5}

// NewestVersion is the newest version of the PTX ISA that this package supports.
var NewestVersion = Version{9, 5}

// newestTarget is the highest architecture of NewestVersion.
const newestTarget = 121

// Exists reports whether v was published, as far as this package has a record of it.
func (v Version) Exists() bool {
	return v.Major >= 1 && v.Major < len(lastMinor) && v.Minor >= 0 && v.Minor <= lastMinor[v.Major]
}

// newer reports whether v is later than every version that this package supports. Its modules are
// read as those of the newest supported version, with a warning (lintModule).
func (v Version) newer() bool { return !v.Exists() && v.AtLeast(NewestVersion) }

// checkVersion reports a .version that does not exist.
func checkVersion(errs *errList, pos Pos, v Version) {
	if !v.Exists() && !v.newer() {
		errs.add(pos, "bad-directive", fmt.Sprintf("found .version %s, which does not exist", v)).Section = "PTX 11.1.1"
	}
}

// newer reports whether a module of a version may have the target although it is not in the table:
// the target is higher than the known ones, or the version is newer. The suffix and the family
// follow from the name.
func (t Target) newer(v Version) bool {
	_, known := targetSince[t]
	return !known && t.SM != 0 && (t.SM > newestTarget || v.newer())
}

// targetSince holds the version of the ISA that introduced each target (PTX 11.1.2). sm_21 is in no
// table of the manual. Compilers emit it, and it has been accepted since the first version for
// sm_20.
var targetSince = map[Target]Version{
	{10, 0}: {1, 0}, {11, 0}: {1, 0}, {12, 0}: {1, 2}, {13, 0}: {1, 2},
	{20, 0}: {2, 0}, {21, 0}: {2, 0},
	{30, 0}: {3, 0}, {32, 0}: {4, 0}, {35, 0}: {3, 1}, {37, 0}: {4, 1},
	{50, 0}: {4, 0}, {52, 0}: {4, 1}, {53, 0}: {4, 2},
	{60, 0}: {5, 0}, {61, 0}: {5, 0}, {62, 0}: {5, 0},
	{70, 0}: {6, 0}, {72, 0}: {6, 1}, {75, 0}: {6, 3},
	{80, 0}: {7, 0}, {86, 0}: {7, 1}, {87, 0}: {7, 4}, {88, 0}: {9, 0}, {89, 0}: {7, 8},
	{90, 0}: {7, 8}, {90, 'a'}: {8, 0},
	{100, 0}: {8, 6}, {100, 'f'}: {8, 8}, {100, 'a'}: {8, 6},
	{101, 0}: {8, 6}, {101, 'f'}: {8, 8}, {101, 'a'}: {8, 6},
	{103, 0}: {8, 8}, {103, 'f'}: {8, 8}, {103, 'a'}: {8, 8},
	{107, 0}: {9, 4}, {107, 'f'}: {9, 4}, {107, 'a'}: {9, 4},
	{110, 0}: {9, 0}, {110, 'f'}: {9, 0}, {110, 'a'}: {9, 0},
	{120, 0}: {8, 7}, {120, 'f'}: {8, 8}, {120, 'a'}: {8, 7},
	{121, 0}: {8, 8}, {121, 'f'}: {8, 8}, {121, 'a'}: {8, 8},
}

// optionSince holds the version that introduced each platform option of .target.
var optionSince = map[string]Version{
	"texmode_unified": {1, 5}, "texmode_independent": {1, 5}, "debug": {3, 0}, "map_f64_to_f32": {1, 0},
}

// Since returns the version of the ISA that introduced the target; ok is false if the target is not
// in the table.
func (t Target) Since() (v Version, ok bool) {
	v, ok = targetSince[t]
	return
}

// Family returns the number of the architecture family of the target's family-specific features
// (PTX Table 61): 100 for sm_100 and sm_103, 110 for sm_101 and sm_110, 120 for sm_12x; otherwise
// 0.
func (t Target) Family() int {
	switch {
	case t.SM == 101:
		return 110
	case t.SM >= 100:
		return t.SM / 10 * 10
	}
	return 0
}

// parseArch reads a list of targets of a row.
func parseArch(s, sep string) ([]Target, error) {
	var list []Target
	for _, w := range strings.Split(s, sep) {
		t, ok := ParseTarget(w)
		if _, known := targetSince[t]; !ok || !known {
			return nil, fmt.Errorf("there is no target %q", w)
		}
		list = append(list, t)
	}
	return list, nil
}

// Has reports whether target t has a feature of target f (PTX 11.1.2). A feature of sm_90a is on
// sm_90a alone. A feature of sm_100f is on the f and a targets of the same family from sm_100 on. A
// feature of sm_70 is on sm_70 and all higher targets.
func (t Target) Has(f Target) bool {
	t, f = t.renamed(), f.renamed()
	switch f.Suffix {
	case 'a':
		return t == f
	case 'f':
		return t.Suffix != 0 && t.Family() == f.Family() && t.SM >= f.SM
	}
	return t.SM >= f.SM
}

// RunsOn reports whether a device runs modules of the target; sm is the device's number, 80 for sm_80
// (PTX 11.1.2). A module for sm_90a runs on that device alone, one for sm_100f on the devices of its
// family from sm_100 on, one for sm_70 on sm_70 and all higher devices.
func (t Target) RunsOn(sm int) bool {
	suffix, own := t.Suffix, Target{SM: sm}.renamed()
	t = t.renamed()
	switch suffix {
	case 'a':
		return t.SM == own.SM
	case 'f':
		return t.Family() == own.Family() && t.SM <= own.SM
	}
	return t.SM <= own.SM
}

// renamed returns the target's name from PTX 9.0 on: sm_110 for sm_101.
func (t Target) renamed() Target {
	if t.SM == 101 {
		t.SM = 110
	}
	return t
}

// hasAny reports whether t has one of the features.
func (t Target) hasAny(list []Target) bool {
	for _, f := range list {
		if t.Has(f) {
			return true
		}
	}
	return false
}

// archText names the targets of a list.
func archText(list []Target) string {
	var s []string
	for _, t := range list {
		switch t.Suffix {
		case 'f':
			s = append(s, t.String()+" or higher in its family")
		case 0:
			s = append(s, t.String()+" or higher")
		default:
			s = append(s, t.String())
		}
	}
	return strings.Join(s, ", ")
}

// knownTargets lists the architectures of the table.
func knownTargets() string {
	ts := slices.SortedFunc(maps.Keys(targetSince), func(a, b Target) int {
		return cmp.Or(cmp.Compare(a.SM, b.SM), cmp.Compare(a.Suffix, b.Suffix))
	})
	var s []string
	for _, t := range ts {
		s = append(s, t.String())
	}
	return strings.Join(s, ", ")
}

// checkTarget reports a word of .target that does not exist, or does not exist yet in version v. ok
// reports that the word is an architecture.
func checkTarget(errs *errList, pos Pos, word string, v Version) (t Target, ok bool) {
	since, known := optionSince[word]
	if !known {
		if t, ok = ParseTarget(word); ok {
			since, known = targetSince[t]
		}
	}
	switch {
	case !known && ok && t.newer(v):
	case !known && ok:
		d := errs.add(pos, "unknown-target", fmt.Sprintf("found target %s, which PTX up to %s does not have", word, NewestVersion))
		d.Section, d.Remedy = "PTX 11.1.2", "the targets are "+knownTargets()
	case !known:
		d := errs.add(pos, "unknown-target", fmt.Sprintf("found target %q, expected one such as sm_70, or an option such as debug", word))
		d.Section, d.Remedy = "PTX 11.1.2", "the targets are "+knownTargets()
	case v != Version{} && !v.meant().AtLeast(since):
		d := errs.add(pos, "target-version", fmt.Sprintf("target %s needs .version %s or later, found .version %s", word, since, v))
		d.Remedy = "write .version " + since.String()
		d.Section = "PTX 11.1.2"
	}
	return t, ok
}
