package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/launchspec"
	"example.org/crosslane/internal/results"
	"example.org/crosslane/internal/trace"

	"io"

	"github.com/xeipuuv/gojsonschema"
	"golang.org/x/tools/txtar"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/driver/host"
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
	r, err := s.Validate(gojsonschema.NewBytesLoader(input.TrimMark(data)))
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
		if _, err := launchspec.Parse("l.json", data); err != nil {
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

// Mistakes are mistakes for both; the command line accepts every member of the schema.
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
		if _, err := launchspec.Parse("l.json", []byte(text)); err == nil {
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
		if _, err := launchspec.Parse("l.json", []byte(`{"`+name+`": {"?": 0}}`)); err != nil && strings.Contains(err.Error(), "unknown field \""+name) {
			t.Errorf("the command line does not know %s", name)
		}
	}
}

// The copies among the documents are the schemas.
func TestSchemasAreCurrent(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"launch.json": LaunchSchema, "output.json": OutputSchema()} {
		if got, err := os.ReadFile("../../docs/schema/" + name); err != nil || string(got) != want {
			t.Errorf("docs/schema/%s is not current (%v): run go generate ./internal/cli", name, err)
		}
	}
}

// The JSON of every command fits its own schema, and the one of all of them; without any required
// member it does not. The form of a command is the one that it names.
func TestOutputSchema(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	bad := write("bad.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 o)\n{\n\t.reg .b32 %r<4>;\n\t.reg .f32 %f;\n\t.reg .b64 %d;\n\tld.param.u64 %d, [o];\n\tmov.u32 %r1, %laneid;\n\tmov.f32 %f, 0fFFC00000;\n\tshfl.sync.down.b32 %r2, %r1, 1, 31, 0xff;\n\tst.global.u32 [%d], %r3;\n\tst.global.f32 [%d+4], %f;\n\tret;\n}\n")
	asm := write("k.s", "v_mov_b32 v0, 1\nv_add_f32 v1, v0, v0\n")
	broken := write("broken.ptx", ".version 8.0\n.target sm_80\n.entry k() { add.u32 %r1; }\n")
	truncated := write("k.fatbin", "\x50\xed\x55\xba, it says")
	baseline := filepath.Join(dir, "known.json")
	launch := []string{"--grid", "1", "--block", "32", "--arg", "o:f32[2]"}
	with := func(args ...string) []string { return append(args, launch...) }
	json := func(args ...string) []string { return append(args, "--format", "json") }
	commands := [][]string{
		json(with("run", bad, "--stats", "--fidelity")...), json("run", broken, "--grid", "1", "--block", "1"), json("run", bad),
		json(with("check", bad)...), json("check", bad, asm), json("check", broken), json("check", bad, "--static", "--target", "sm_50"), json("check", "--rules", "list"),
		json(with("why", bad, "--at", "o[1]")...), json(with("why", bad, "--at", "9999")...),
		json(with("record", bad, "--check", "--at-step", "4", "--steps", "1..3")...), json(with("record", bad)...), json(with("record", bad, "--kernel", "none")...),
		json("try", "add.u32 %r1, %r2, 1;", "--set", "%r2=lane", "--trace"), json("try", "add.u32 %r1"), json("try", "v_add_f32 v0, v1, v2", "--as", "hex"),
		json("explain", "shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;"), json("explain", "v_add_f32 v0, v1, v2"), json("explain", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1}, {%r2}, {%f4,%f5,%f6,%f7};"),
		json("explain", "race-shared"), json("explain", "shfl"), json("explain", "nonsense %r1"),
		json("asm", "--hex", asm), json("dis", "--hex", "7e000281"),
		json("kernels", bad), json("extract", bad), json("extract", bad, truncated), json("version"), json("bench", "--list"), json("bench", "--run", "^alu/ptx", "--size", "1", "--count", "1", "--time", "1ms", "--engine", "interp"),
	}
	if code, _, stderr := runMain(t, append(with("check", bad), "--write-baseline", baseline)...); code != 0 && code != 1 {
		t.Fatal(code, stderr)
	}
	all, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(OutputSchema()))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	check := func(what string, text []byte) {
		form := decode(t, what, text)
		id, _ := form["schema"].(string)
		name, ok := strings.CutPrefix(strings.TrimSuffix(id, "/1"), "crosslane.")
		one := outputSchema(name)
		if !ok || one == "" {
			t.Errorf("%s: no schema of %q:\n%s", what, id, text)
			return
		}
		seen[name] = true
		s, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(one))
		if err != nil {
			t.Fatal(err)
		}
		for of, s := range map[string]*gojsonschema.Schema{name: s, "output": all} {
			if err := validate(s, text); err != nil {
				t.Errorf("%s: not of the schema %s: %v\n%s", what, of, err, text)
			}
			without := decode(t, what, text)
			delete(without, "schema")
			if b, _ := results.Encode(without); validate(s, b) == nil {
				t.Errorf("%s: the schema %s takes it without its schema", what, of)
			}
			without["schema"] = "crosslane.other/1"
			if b, _ := results.Encode(without); validate(s, b) == nil {
				t.Errorf("%s: the schema %s takes it by another name", what, of)
			}
		}
	}
	for _, args := range commands {
		_, stdout, stderr := runMain(t, args...)
		if stdout == "" {
			t.Errorf("%q writes nothing: %s", args, stderr)
			continue
		}
		check(fmt.Sprintf("%q", args), []byte(stdout))
	}
	known, err := os.ReadFile(baseline)
	if err != nil {
		t.Fatal(err)
	}
	check("the baseline", known)
	report := filepath.Join(dir, "exec.json")
	r := &hostRun{a: &app{api: realBackend(), err: io.Discard}, f: &hostFlags{device: "sm_80", json: report, failOn: "error"}, log: io.Discard, places: map[string]*hostFinding{}}
	r.report(host.Client{PID: 7, Program: "app 1"}, &diag.Diagnostic{Severity: diag.Error, Class: diag.Finding, Code: "leak", Message: "m", Related: []diag.Related{{Message: "here"}}})
	if err := r.finish([]string{"app", "1"}, 0, host.Counts{Processes: 1, Launches: 2}); err != nil {
		t.Fatal(err)
	}
	of, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	check("exec", of)
	listed := filepath.Join(dir, "t.trace")
	tw, err := trace.Create(listed, false, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(tw.Add(trace.Process{PID: 7, Program: "app"}, "sm_80", false, &device.Recorded{Kernel: "k"}), tw.Close()); err != nil {
		t.Fatal(err)
	}
	_, text, _ := runMain(t, "replay", listed, "--format", "json")
	check("replay", []byte(text))
	script := filepath.Join(dir, "commands")
	if err := os.WriteFile(script, []byte("s 3\nb 1\nw %r1[0]\nc\nregs\nlanes\nfindings\nhelp\nwhy %r1[0]\ngoto end\nrc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	stepped := with("debug", bad, "-x", script)
	_, text, _ = runMain(t, append(stepped, "--format", "json")...)
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		check("debug", []byte(line))
	}
	for _, more := range [][]string{{"--b", "schedule=reversed"}, {"--b", "arg=o:f32[1]"}, {"--b", "kernel=none"}} {
		_, text, _ = runMain(t, append(with("diff", bad, bad, "--format", "json"), more...)...)
		check("diff", []byte(text))
	}
	for _, more := range [][]string{{"xor 1", "--target", "gfx803"}, {"shift 3 fill zero", "--target", "sm_80"}, {"xor 99", "--target", "sm_80"}} {
		_, text, _ = runMain(t, append([]string{"plan", "--format", "json"}, more...)...)
		check("plan", []byte(text))
	}
	for _, o := range outputForms() {
		if !seen[o.name] {
			t.Errorf("no command of this test writes the form %s", o.name)
		}
	}
}

func decode(t *testing.T, what string, text []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v\n%s", what, err, text)
	}
	return v
}

// A missing member, or one of another kind, is refused at its place.
func TestOutputSchemaRefuses(t *testing.T) {
	t.Parallel()
	for name, texts := range map[string][2]string{
		"run":     {`{"schema":"crosslane.run/1","file":"k","buffers":[{"name":"o","type":"f32","shape":[2],"data":[1,"NaN"]}],"findings":[]}`, `{"schema":"crosslane.run/1","file":"k","buffers":[{"name":"o","type":"f32","shape":[2],"data":[true]}],"findings":[]}`},
		"check":   {`{"schema":"crosslane.check/1","file":"k","planned":1,"launches":1,"findings":[{"id":"x","code":"c","class":"finding","severity":"error","message":"m","new":1}]}`, `{"schema":"crosslane.check/1","file":"k","planned":1,"launches":1,"findings":[{"code":"c","class":"finding","severity":"error","message":"m"}]}`},
		"version": {`{"schema":"crosslane.version/1","version":"1","go":"g","os":"o","arch":"a","engines":["interp"],"ptx":"9.4","gcn3":"gfx803"}`, `{"schema":"crosslane.version/1","version":"1","go":"g","os":"o","arch":"a","engines":"interp","ptx":"9.4","gcn3":"gfx803"}`},
		"asm":     {`{"schema":"crosslane.asm/1","findings":[]}`, `{"schema":"crosslane.asm/1"}`},
	} {
		s, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(outputSchema(name)))
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(s, []byte(texts[0])); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if validate(s, []byte(texts[1])) == nil {
			t.Errorf("%s takes %s", name, texts[1])
		}
	}
}
