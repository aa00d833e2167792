package codeobject

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// metadataTexts are the metadata of the examples and of the test data, as their files have them.
func metadataTexts(t testing.TB) []string {
	var list []string
	block := regexp.MustCompile(`(?s)\.amdgpu_metadata\n(.*?\n)[ \t]*\.end_amdgpu_metadata`)
	for _, dir := range []string{"../examples", "testdata"} {
		err := filepath.WalkDir(dir, func(name string, e os.DirEntry, err error) error {
			if err != nil || e.IsDir() || filepath.Ext(name) != ".s" && filepath.Ext(name) != ".yaml" {
				return err
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			if filepath.Ext(name) == ".yaml" {
				list = append(list, string(text))
			}
			for _, m := range block.FindAllSubmatch(text, -1) {
				list = append(list, string(m[1]))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// The small reader reads all metadata of the repository, with the result of the library.
func TestPlainYAML(t *testing.T) {
	t.Parallel()
	list := metadataTexts(t)
	if len(list) < 20 {
		t.Fatalf("only %d texts were found", len(list))
	}
	for _, text := range list {
		want, _, err := readYAML([]byte(text))
		got, line, perr := plainYAML([]byte(text))
		if err != nil || perr != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("line %d: %v, %v\n%v\nwant %v\n%s", line, perr, err, got, want, text)
		}
	}
}

// What the small reader reads, the library reads alike.
func TestPlainYAMLForms(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"a: 1\nb:\n  - x\n  -\n    - y\n  - k: v\n    l: [1, 2, {m: n, 'o': \"p\\n\"}]\n", "a:\n- 1\n- - 2\n  - 3\n", "[]", "{}", "a: {}\nb: []\nc:\n",
		"---\na: !str 1\nb: !nil ''\nc: '  it''s # no comment' # one\n...\n", "a: [1,\n  2,\n  3]\n", "a: x:y\nb: http://x\nc: a#b\n", "'a b': c\n\"d\": e\n", "- a\n- 'b'\n", "a: 0x10\nb: -5\nc: 1.5\nd: true\n",
	} {
		want, _, err := readYAML([]byte(text))
		got, line, perr := plainYAML([]byte(text))
		if err != nil || perr != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: line %d: %v, %v\n%v\nwant %v", text, line, perr, err, got, want)
		}
	}
	for text, want := range map[string]string{
		"a: &x 1\n": "no value that metadata use", "a: *x\n": "no value", "a: |\n  x\n": "no value", "a: >-\n  x\n": "no value", "? a\n: b\n": "no value", "a: b\n  c\n": "several lines",
		"a: [1\n": "no end", "a: 'x\n": "no end on its line", "%YAML 1.2\n---\na: 1\n": "directives", "a: 1\n---\nb: 1\n": "documents", "a: 1\na: 2\n": "twice", "a:\n\t- b\n": "tabs",
		"a: 1\n b: 2\n": "several lines", "": "found nothing", "a: \"\\q\"\n": "escape", "a: b: c\n": "second colon",
	} {
		if _, _, err := plainYAML([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

func FuzzPlainYAML(f *testing.F) {
	for _, text := range metadataTexts(f) {
		if len(text) < 4000 {
			f.Add(text)
		}
	}
	f.Add("a: [1, {b: c}]\n- x")
	f.Fuzz(func(t *testing.T, text string) {
		got, line, err := plainYAML([]byte(text))
		if err != nil {
			if line < 1 {
				t.Fatalf("an error at line %d", line)
			}
			return
		}
		want, _, werr := readYAML([]byte(text))
		if werr != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%q:\n%#v\nwant %#v, %v", text, got, want, werr)
		}
	})
}
