package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xeipuuv/gojsonschema"
	"golang.org/x/tools/txtar"
)

// launchSchemaOf compiles the schema.
func launchSchemaOf(t *testing.T) *gojsonschema.Schema {
	t.Helper()
	s, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(LaunchSchema))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(s *gojsonschema.Schema, data []byte) error {
	r, err := s.Validate(gojsonschema.NewBytesLoader(trimMark(data)))
	if err != nil || r.Valid() {
		return err
	}
	return fmt.Errorf("%v", r.Errors())
}

// The schema takes every launch file of the tests, the examples and the page that the command
// line takes.
func TestLaunchSchema(t *testing.T) {
	t.Parallel()
	s := launchSchemaOf(t)
	files := map[string][]byte{}
	scripts, _ := filepath.Glob("testdata/*.txtar")
	for _, script := range scripts {
		ar, err := txtar.ParseFile(script)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range ar.Files {
			if strings.Contains(string(ar.Comment), "--launch "+f.Name) {
				files[script+": "+f.Name] = f.Data
			}
		}
	}
	for _, pattern := range []string{"../../examples/*/*.launch.json", "../../examples/*/*/*.launch.json"} {
		names, _ := filepath.Glob(pattern)
		for _, name := range names {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files[name] = data
		}
	}
	page, err := os.ReadFile("../../docs/launch.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	files["docs/launch.md"] = []byte(example)
	taken := 0
	for name, data := range files {
		if _, err := parseLaunch("l.json", data); err != nil {
			continue
		}
		taken++
		if err := validate(s, data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if taken < 10 {
		t.Errorf("%d launch files are valid", taken)
	}
}

// Mistakes are mistakes for both; what the schema has, the command line knows.
func TestLaunchSchemaRefuses(t *testing.T) {
	t.Parallel()
	s := launchSchemaOf(t)
	for _, text := range []string{
		`[]`, `{"gird": 1}`, `{"schema": "x/1"}`, `{"kernel": 1}`, `{"grid": []}`, `{"grid": [1,1,1,1]}`, `{"block": -1}`, `{"args": 1}`,
		`{"args": [true]}`, `{"args": [{"name": "x"}]}`, `{"args": [{"name": "x", "type": "i32", "shape": 1}]}`,
		`{"args": [{"name": "x", "type": "u8", "shape": 1, "init": "iota", "data": [1]}]}`, `{"args": [{"value": true}]}`,
		`{"args": [{"struct": [true]}]}`, `{"shared": -1}`, `{"workers": -1}`, `{"engine": "fast"}`, `{"undefined": "maybe"}`, `{"schedule": "any"}`,
		`{"expect": {"o": []}}`, `{"expect": {"o": [true]}}`, `{"print": "o"}`, `{"adversarial": 1}`, `{"symbols": {"P": {}}}`, `{"buffers": [1]}`,
	} {
		if validate(s, []byte(text)) == nil {
			t.Errorf("the schema takes %s", text)
		}
		if _, err := parseLaunch("l.json", []byte(text)); err == nil {
			t.Errorf("parseLaunch takes %s", text)
		}
	}
	var doc struct {
		Properties map[string]json.RawMessage `json:"properties"`
	}
	if err := json.Unmarshal([]byte(LaunchSchema), &doc); err != nil {
		t.Fatal(err)
	}
	for name := range doc.Properties {
		if _, err := parseLaunch("l.json", []byte(`{"`+name+`": {"?": 0}}`)); err != nil && strings.Contains(err.Error(), "unknown field \""+name) {
			t.Errorf("the command line does not know %s", name)
		}
	}
}

// The copy among the documents is the schema.
func TestLaunchSchemaIsCurrent(t *testing.T) {
	t.Parallel()
	got, err := os.ReadFile("../../docs/schema/launch.json")
	if err != nil || string(got) != LaunchSchema {
		t.Errorf("docs/schema/launch.json is not current (%v): run go generate ./internal/cli", err)
	}
}
