package codeobject

import (
	"bytes"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

// TestScalarsLikeLLVM checks that YAML of every kind of scalar becomes the same MessagePack as
// LLVM's, and that this becomes the YAML that LLVM prints.
func TestScalarsLikeLLVM(t *testing.T) {
	t.Parallel()
	m, err := ParseMetadataYAML(read(t, "testdata/scalars.in.yaml"), diag.Pos{})
	if err != nil {
		t.Fatal(err)
	}
	desc, err := m.MsgPack()
	if err != nil {
		t.Fatal(err)
	}
	note := read(t, "testdata/scalars.note")
	if got := makeNote(desc); !bytes.Equal(got, note) {
		t.Errorf("note\n%q\nexpected\n%q", got, note)
	}
	back, err := DecodeMetadata(desc)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.TrimSpace(back.YAML()), strings.TrimSpace(string(read(t, "testdata/scalars.yaml"))); got != want {
		t.Errorf("YAML\n%s\nexpected\n%s", got, want)
	}
}

// TestMetadataFromFields checks that metadata made from fields, without a parsed original, are the
// same metadata.
func TestMetadataFromFields(t *testing.T) {
	t.Parallel()
	for _, name := range fixtures(t) {
		m := load(t, name).Meta
		made := *m
		made.tree = nil
		// Compilers also write members that are zero or false; no other difference is allowed.
		got, want := lines(made.YAML()), lines(m.YAML())
		for l := range got {
			if !want[l] {
				t.Errorf("%s: line %q is new", name, l)
			}
		}
		for l := range want {
			if !got[l] && !strings.HasSuffix(l, " 0") && !strings.HasSuffix(l, " false") {
				t.Errorf("%s: line %q is missing", name, l)
			}
		}
	}
}

func lines(s string) map[string]bool {
	m := map[string]bool{}
	for _, l := range strings.Split(s, "\n") {
		m[strings.TrimPrefix(strings.TrimSpace(l), "- ")] = true
	}
	return m
}

// TestMetadataErrors checks the messages and places of errors.
func TestMetadataErrors(t *testing.T) {
	t.Parallel()
	for src, want := range map[string]string{
		"":                          "m.s:7: error: metadata: found nothing, expected a YAML map [bad-metadata]",
		"a: [1\n":                   "m.s:7: error: metadata: did not find expected ',' or ']'",
		"a: 1\nb: {\n":              "m.s:",
		"- 1\n":                     "metadata: found a list of 1, expected a map",
		"amdhsa.version: 5\n":       "amdhsa.version: found 5, expected a list of 2 integers",
		"amdhsa.version: [1, x]\n":  `amdhsa.version: found the string "x", expected a non-negative integer`,
		"amdhsa.version: [1, 2, 3]": "amdhsa.version: found a list of 3, expected a list of 2 integers",
		"amdhsa.printf: []\n":       "amdhsa.version: missing",
		"a: &x 1\nb: *x\n":          "m.s:8: error: metadata: anchors and aliases are not used in metadata",
		"a: 1\na: 2\n":              `m.s:8: error: metadata: key "a" twice in one map`,
		"? [1]\n: 2\n":              "m.s:7: error: metadata: found a list or map as a key",
		"a: !int x\n":               `m.s:7: error: metadata: "x" has the tag !int`,
		strings.Repeat("[", 100):    "m.s:7: error: metadata:",
		strings.Repeat("- ", 100):   "nested more than 64 deep",
		"amdhsa.version: [1,2]\namdhsa.kernels: [{}]":                                              "amdhsa.kernels[0].name: missing",
		"amdhsa.version: [1,2]\namdhsa.kernels: [{.name: k, .symbol: k.kd, .args: [{.size: -1}]}]": "amdhsa.kernels[0].args[0].offset: missing",
		"amdhsa.version: [1,2]\namdhsa.kernels: 3":                                                 "amdhsa.kernels: found 3, expected a list of maps",
	} {
		_, err := ParseMetadataYAML([]byte(src), diag.Pos{File: "m.s", Line: 7})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, expected %s", src, err, want)
		}
	}
	for src, want := range map[string]string{
		"":                              "+0x0: error: metadata: EOF",
		"\x81":                          "metadata: length 1 exceeds the 0 bytes left",
		"\xdf\xff\xff\xff\xff":          "metadata: length 4294967295 exceeds the 0 bytes left",
		"\x80\x80":                      "metadata:",
		"\x81\x01\x02":                  "found 1 as a key, expected a string",
		"\x82\xa1a\x01\xa1a\x01":        `key "a" twice in one map`,
		"\xd4\x01\x02":                  "MessagePack type 0xd4 is not one that metadata use",
		"\x81\xa1a\xdb\xff\xff\xff\xff": "metadata:",
		strings.Repeat("\x91", 100):     "nested more than 64 deep",
	} {
		_, err := DecodeMetadata([]byte(src))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, expected %s", src, err, want)
		}
	}
}

// FuzzMetadata checks that neither form makes the reader panic, and that metadata that were read
// can be written and read again unchanged.
func FuzzMetadata(f *testing.F) {
	for _, name := range []string{"testdata/scalars.in.yaml", "testdata/args6.yaml"} {
		f.Add(read(f, name))
	}
	f.Add(read(f, "testdata/scalars.note")[20:])
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := ParseMetadataYAML(b, diag.Pos{})
		if err != nil {
			if m, err = DecodeMetadata(b); err != nil {
				return
			}
		}
		desc, err := m.MsgPack()
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeMetadata(desc)
		if err != nil {
			t.Fatalf("%q: %v", desc, err)
		}
		if again, _ := back.MsgPack(); !bytes.Equal(again, desc) {
			t.Fatalf("%q is written as %q", desc, again)
		}
	})
}
