package ptx

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// introduced is the list in PTX 11.1.2 of the version that introduced each target.
const introduced = `
sm_10 sm_11 1.0; sm_12 sm_13 1.2; sm_20 2.0; sm_30 3.0; sm_35 3.1; sm_32 sm_50 4.0; sm_37 sm_52 4.1; sm_53 4.2;
sm_60 sm_61 sm_62 5.0; sm_70 6.0; sm_72 6.1; sm_75 6.3; sm_80 7.0; sm_86 7.1; sm_87 7.4; sm_88 9.0; sm_89 7.8; sm_90 7.8;
sm_90a 8.0; sm_100 8.6; sm_100f 8.8; sm_100a 8.6; sm_101 8.6; sm_101f 8.8; sm_101a 8.6; sm_103 8.8; sm_103f 8.8; sm_103a 8.8;
sm_107 9.4; sm_107f 9.4; sm_107a 9.4; sm_110 9.0; sm_110f 9.0; sm_110a 9.0; sm_120 8.7; sm_120f 8.8; sm_120a 8.7; sm_121 8.8; sm_121f 8.8; sm_121a 8.8`

// published are the versions of the ISA that were published.
var published = strings.Fields(`1.0 1.1 1.2 1.3 1.4 1.5 2.0 2.1 2.2 2.3 3.0 3.1 3.2 4.0 4.1 4.2 4.3 5.0
	6.0 6.1 6.2 6.3 6.4 6.5 7.0 7.1 7.2 7.3 7.4 7.5 7.6 7.7 7.8 8.0 8.1 8.2 8.3 8.4 8.5 8.6 8.7 8.8 9.0 9.1 9.2 9.3 9.4 9.5`)

// TestTargets tries every target under every version.
func TestTargets(t *testing.T) {
	t.Parallel()
	number := func(s string) (v Version) {
		if _, err := fmt.Sscanf(s, "%d.%d", &v.Major, &v.Minor); err != nil {
			t.Fatal(err)
		}
		return v
	}
	count := 0
	for _, row := range strings.Split(introduced, ";") {
		words := strings.Fields(row)
		since := number(words[len(words)-1])
		for _, target := range words[:len(words)-1] {
			count++
			for _, v := range published {
				_, l := Parse("t", ".version "+v+"\n.target "+target+"\n")
				n := number(v)
				ok := n.Major > since.Major || n.Major == since.Major && n.Minor >= since.Minor
				if (len(l) == 0) != ok {
					t.Errorf(".version %s .target %s: accepted %v, want %v: %v", v, target, len(l) == 0, ok, l)
				}
				if !ok && (l[0].Code != "target-version" || !strings.Contains(l[0].Message, "needs .version "+since.String())) {
					t.Errorf("%v", l[0])
				}
			}
		}
	}
	if len(targetSince) != count+1 { // and sm_21
		t.Errorf("%d targets in the table, want %d", len(targetSince), count+1)
	}
}

func TestVersions(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	for _, v := range published {
		have[v] = true
	}
	have["5.1"] = true // only assemblers accept it
	for major := range 12 {
		for minor := range 12 {
			v := Version{major, minor}
			if v.Exists() != have[v.String()] {
				t.Errorf("%s: exists %v", v, v.Exists())
			}
		}
	}
	a, b := Version{7, 8}, Version{8, 0}
	if a.Compare(b) != -1 || b.Compare(a) != 1 || a.Compare(a) != 0 || a.AtLeast(b) || !b.AtLeast(a) || !a.AtLeast(a) {
		t.Error("comparison")
	}
	for src, re := range map[string]string{
		".version 8": "expected a version", ".version 8.0x5": "expected", ".version 8.999": "expected major.minor", ".version x": "expected a version", ".version": "expected a version",
		".version 0f3F800000": "expected a version", "": "found the end of the file, expected '.version",
		".version 8.0": "expected '.target'",
	} {
		_, l := Parse("t", src)
		if len(l) == 0 || !regexp.MustCompile(re).MatchString(l[0].Message) {
			t.Errorf("%q: %v", src, l)
		}
	}
}

func TestTargetNames(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]Target{"sm_70": {70, 0}, "compute_70": {70, 0}, "sm_90a": {90, 'a'}, "sm_100f": {100, 'f'}} {
		if got, ok := ParseTarget(s); !ok || got != want {
			t.Errorf("%s: %v %v", s, got, ok)
		}
	}
	for _, s := range []string{"", "sm_", "sm_a", "sm_70b", "sm70", "sm_-1", "sm_0", "sm_99999999", "SM_70"} {
		if got, ok := ParseTarget(s); ok {
			t.Errorf("%q is accepted as %v", s, got)
		}
	}
	if s := (Target{90, 'a'}).String(); s != "sm_90a" {
		t.Error(s)
	}
	for sm, want := range map[int]int{90: 0, 100: 100, 101: 110, 103: 100, 110: 110, 120: 120, 121: 120} {
		if got := (Target{SM: sm}).Family(); got != want {
			t.Errorf("family of sm_%d: %d, want %d", sm, got, want)
		}
	}
	// If there are several .target directives, the highest target decides.
	if m := mustParse(t, ".version 8.0\n.target sm_80, texmode_unified\n.target sm_70\n"); m.Target.SM != 80 || len(m.Targets) != 3 {
		t.Errorf("%v %q", m.Target, m.Targets)
	}
}

func TestParamLayout(t *testing.T) {
	t.Parallel()
	m := mustParse(t, ".version 8.0\n.target sm_70\n.address_size 64\n"+`.entry k(.param .u8 a, .param .u64 .ptr .global .align 16 b, .param .u16 c,
		.param .align 8 .b8 d[13], .param .v4 .f32 e[1], .param .u32 f[3], .param .b8 g, .param .align 128 .b8 h[1], .param .f64 i) { ret; }`)
	got, size := m.Func("k").ParamLayout()
	// The offsets are computed by hand: each is the next multiple of the alignment.
	want := []struct{ offset, size uint64 }{{0, 1}, {8, 8}, {16, 2}, {24, 13}, {48, 16}, {64, 12}, {76, 1}, {128, 1}, {136, 8}}
	if size != 144 || len(got) != len(want) {
		t.Fatalf("%d parameters of %d bytes", len(got), size)
	}
	for i, w := range want {
		if got[i].Offset != w.offset || got[i].Size != w.size {
			t.Errorf("%s: %d bytes at %d, want %d at %d", got[i].Var.Name, got[i].Size, got[i].Offset, w.size, w.offset)
		}
	}
	// PTX 1.3 declares parameters in the body.
	old := mustParse(t, sources(t)["testdata/good/legacy.ptx"]).Func("old")
	if got, size := old.ParamLayout(); len(got) != 3 || size != 22 || got[1].Offset != 8 || got[2].Offset != 20 {
		t.Errorf("old: %+v, %d bytes", got, size)
	}
}

// TestDirectiveNeeds compares the table with a second transcription of the notes
// of PTX 11.1 to 11.8 of version 9.4, 5.1.6.3, 5.4.4 and 5.4.8: name, version, target.
func TestDirectiveNeeds(t *testing.T) {
	t.Parallel()
	const notes = `.maxnreg 1.3 0; .maxntid 1.3 0; .reqntid 2.1 0; .minnctapersm 2.0 0; .maxnctapersm 1.3 0; .noreturn 6.4 30; .pragma 2.0 0;
		.abi_preserve 9.0 80; .abi_preserve_control 9.0 80; .reqnctapercluster 7.8 90; .explicitcluster 7.8 90; .maxclusterrank 7.8 90;
		.blocksareclusters 9.0 90; .language 9.3 0; .section 2.0 0; @@DWARF 1.2 0; .weak 3.1 0; .common 5.0 20; .alias 6.3 30; .address_size 2.3 0;
		.branchtargets 2.1 20; .calltargets 2.1 20; .callprototype 2.1 20; .ptr 2.2 0; .attribute(.managed) 4.0 30; .attribute(.unified) 8.0 90; mask() 7.1 0;
		.minperctamemory 9.4 80; .loc_intermediate 9.4 0; .nv_intermediate_source_section 9.4 0; .hidden 8.8 0; used_bytes_mask 8.3 50` // .hidden follows the vendor's assembler: Errata E126
	const spaced = 7 // rows whose names have spaces: opaque types, lists of parameters, unsized parameters, one of .loc, one of .file, two of initialisers
	rows := strings.Split(notes, ";")
	for _, row := range rows {
		var name, version string
		var sm int
		if _, err := fmt.Sscan(row, &name, &version, &sm); err != nil {
			t.Fatal(err)
		}
		d, ok := directiveTable[name]
		if !ok || d.ptx.String() != version || d.sm != sm || d.section == "" {
			t.Errorf("%s: %+v, want version %s and sm_%d", name, d, version, sm)
		}
	}
	if len(directiveTable) != len(rows)+spaced {
		t.Errorf("%d rows, want %d", len(directiveTable), len(rows)+spaced)
	}
}

// TestTargetHas checks which targets have a feature that a row's Arch names (PTX 11.1.2). Only the
// target itself has an architecture-specific feature. The f and a targets of the family, from the
// named one on, have a family-specific feature.
func TestTargetHas(t *testing.T) {
	t.Parallel()
	all := strings.Fields("sm_90 sm_90a sm_100 sm_100f sm_100a sm_101f sm_101a sm_103 sm_103f sm_103a sm_110 sm_110f sm_110a sm_120 sm_120f sm_120a sm_121f sm_121a")
	for feature, want := range map[string]string{
		"sm_90a":  "sm_90a",
		"sm_100a": "sm_100a",
		"sm_100f": "sm_100f sm_100a sm_103f sm_103a",
		"sm_103f": "sm_103f sm_103a",
		"sm_101f": "sm_101f sm_101a sm_110f sm_110a",
		"sm_101a": "sm_101a sm_110a", // renamed in PTX 9.0
		"sm_110f": "sm_101f sm_101a sm_110f sm_110a",
		"sm_120f": "sm_120f sm_120a sm_121f sm_121a",
		"sm_110":  "sm_101f sm_101a sm_110 sm_110f sm_110a sm_120 sm_120f sm_120a sm_121f sm_121a",
	} {
		f, _ := ParseTarget(feature)
		var have []string
		for _, s := range all {
			if g, _ := ParseTarget(s); g.Has(f) {
				have = append(have, s)
			}
		}
		if got := strings.Join(have, " "); got != want {
			t.Errorf("%s is on %s, want %s", feature, got, want)
		}
	}
}
