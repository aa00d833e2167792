package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/diag"
)

func sample() diag.List {
	return diag.List{
		{Pos: diag.Pos{File: "dir/a, b.s", Line: 12, Col: 4}, Severity: diag.Error, Code: "wait-states", Message: "v_mov: 1 of 2\nmore", Source: "ä\tv_mov_b32_dpp",
			Lanes: "0-63", Kernel: "k", Blocks: 2, Wave: 1, Block: [3]uint32{3, 0, 0}, Launches: "block sizes 33..63", Remedy: "put s_nop", Section: "GCN3 ISA 4.5",
			Related: []diag.Related{{Pos: diag.Pos{File: "dir/a, b.s", Line: 11, Col: 2}, Message: "written here"},
				{Pos: diag.Pos{File: "k.cl", Line: 3}, Message: "compiled from this line", Origin: true}, {Message: "no place"}}},
		{Pos: diag.Pos{File: "k.co", Off: 64, HasOff: true}, Severity: diag.Warning, Code: "lds-limit", Message: "a\x1b[31m, %: b"},
		{Pos: diag.Pos{File: "k.co"}, Severity: diag.Note, Code: "unused-ignore", Message: "n"},
		{Severity: diag.Error, Class: diag.Fault, Code: "trap", Message: "t"},
		{Severity: diag.Error, Class: diag.Unsupported, Code: "unsupported", Message: "image_load is not supported", Pos: diag.Pos{File: "k.co"}},
	}
}

func sampleReport() *Report {
	return &Report{Version: "0.1.0", File: "k.co", Kernel: "k", Lanes: 64, Findings: New(sample(), diag.Error)}
}

// schema is the part of SARIF 2.1.0 that concerns Crosslane's output. For every object it lists the
// properties and their types; a ! marks a required property.
var schema = map[string]map[string]string{
	"log":              {"$schema": "uri", "version!": "2.1.0", "runs!": "[run"},
	"run":              {"tool!": "tool", "invocations": "[invocation", "columnKind": "unicodeCodePoints|utf16CodeUnits", "results": "[result"},
	"tool":             {"driver!": "driver"},
	"driver":           {"name!": "text", "semanticVersion": "text", "rules": "[rule"},
	"rule":             {"id!": "text", "shortDescription": "message", "fullDescription": "message", "help": "message", "defaultConfiguration": "config", "properties": "bag"},
	"message":          {"text!": "string"},
	"config":           {"level": "none|note|warning|error"},
	"invocation":       {"executionSuccessful!": "bool", "toolExecutionNotifications": "[notification"},
	"notification":     {"level": "none|note|warning|error", "message!": "message", "locations": "[location", "descriptor": "descriptor"},
	"descriptor":       {"id": "text"},
	"result":           {"ruleId": "text", "ruleIndex": "int", "level": "none|note|warning|error", "message!": "message", "locations": "[location", "relatedLocations": "[location", "codeFlows": "[codeFlow", "partialFingerprints": "bag", "suppressions": "[suppression", "fixes": "[fix", "properties": "bag"},
	"fix":              {"description": "message", "artifactChanges!": "[change"},
	"change":           {"artifactLocation!": "artifactLocation", "replacements!": "[replacement"},
	"replacement":      {"deletedRegion!": "region", "insertedContent": "message"},
	"suppression":      {"kind!": "inSource|external", "justification": "text"},
	"codeFlow":         {"threadFlows!": "[threadFlow"},
	"threadFlow":       {"locations!": "[step"},
	"step":             {"location": "location"},
	"location":         {"id": "int", "physicalLocation": "physicalLocation", "logicalLocations": "[logicalLocation", "message": "message"},
	"logicalLocation":  {"name": "text", "kind": "text"},
	"physicalLocation": {"artifactLocation": "artifactLocation", "region": "region"},
	"artifactLocation": {"uri": "uri"},
	"region":           {"startLine": "line", "startColumn": "line", "endLine": "line", "endColumn": "line", "byteOffset": "int", "snippet": "message"},
}

func validate(v any, kind, at string) error {
	if elem, ok := strings.CutPrefix(kind, "["); ok {
		list, ok := v.([]any)
		if !ok {
			return fmt.Errorf("%s is no array", at)
		}
		for i, e := range list {
			if err := validate(e, elem, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
		return nil
	}
	if props, ok := schema[kind]; ok {
		m, ok := v.(map[string]any)
		if !ok {
			return fmt.Errorf("%s is no object", at)
		}
		for name := range props {
			if need, ok := strings.CutSuffix(name, "!"); ok && m[need] == nil {
				return fmt.Errorf("%s lacks %s", at, need)
			}
		}
		for name, e := range m {
			k, ok := props[name]
			if !ok {
				if k, ok = props[name+"!"]; !ok {
					return fmt.Errorf("%s.%s is not in the schema", at, name)
				}
			}
			if err := validate(e, k, at+"."+name); err != nil {
				return err
			}
		}
		return nil
	}
	ok := false
	s, isText := v.(string)
	n, isNumber := v.(float64)
	switch kind {
	case "text":
		ok = isText && s != ""
	case "string":
		ok = isText
	case "bool":
		_, ok = v.(bool)
	case "int":
		ok = isNumber && n >= 0 && n == float64(int(n))
	case "line":
		ok = isNumber && n >= 1 && n == float64(int(n))
	case "uri":
		_, err := url.Parse(s)
		ok = isText && err == nil && !strings.ContainsAny(s, " \\")
	case "bag":
		_, ok = v.(map[string]any)
	default:
		ok = isText && slices.Contains(strings.Split(kind, "|"), s)
	}
	if !ok {
		return fmt.Errorf("%s is %v, want %s", at, v, kind)
	}
	return nil
}

func sarifOf(t *testing.T, r *Report) (map[string]any, string) {
	t.Helper()
	var b bytes.Buffer
	if err := r.SARIF(&b); err != nil {
		t.Fatal(err)
	}
	var v map[string]any
	if err := json.Unmarshal(b.Bytes(), &v); err != nil {
		t.Fatal(err)
	}
	if err := validate(v, "log", "log"); err != nil {
		t.Errorf("%v\n%s", err, b.String())
	}
	return v["runs"].([]any)[0].(map[string]any), b.String()
}

func TestSARIF(t *testing.T) {
	t.Parallel()
	r := sampleReport()
	r.Line = func(string, int) (string, bool) { return "ä\tv_mov_b32_dpp", true }
	for _, f := range r.Findings {
		if f.Code == "unused-ignore" {
			f.By, f.Reason = "comment", "it is so"
		}
	}
	run, text := sarifOf(t, r)
	results := run["results"].([]any)
	if len(results) != 4 {
		t.Fatalf("%d results", len(results))
	}
	rules := run["tool"].(map[string]any)["driver"].(map[string]any)["rules"].([]any)
	suppressed := 0
	for _, v := range results {
		res := v.(map[string]any)
		rule := rules[int(res["ruleIndex"].(float64))].(map[string]any)
		if rule["id"] != res["ruleId"] {
			t.Errorf("%v points at %v", res["ruleId"], rule["id"])
		}
		if id := res["partialFingerprints"].(map[string]any)[fingerprint]; !regexp.MustCompile(`^[0-9a-f]{16}$`).MatchString(id.(string)) {
			t.Errorf("fingerprint %v", id)
		}
		if res["suppressions"] != nil {
			suppressed++
		}
		if res["ruleId"] != "wait-states" {
			continue
		}
		// ä has two bytes: byte column 4 is character 3. The path ends at the finding. The compiled
		// line is a related location, not a step.
		steps := res["codeFlows"].([]any)[0].(map[string]any)["threadFlows"].([]any)[0].(map[string]any)["locations"].([]any)
		if len(steps) != 2 || len(res["relatedLocations"].([]any)) != 2 {
			t.Errorf("%d steps, %d related", len(steps), len(res["relatedLocations"].([]any)))
		}
		region := res["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)["region"].(map[string]any)
		if region["startLine"] != 12.0 || region["startColumn"] != 3.0 {
			t.Errorf("region %v", region)
		}
	}
	if suppressed != 1 || !strings.Contains(text, `"uri": "dir/a,%20b.s"`) || strings.ContainsRune(text, 0x1b) {
		t.Errorf("%d suppressed\n%s", suppressed, text)
	}
	inv := run["invocations"].([]any)[0].(map[string]any)
	if inv["executionSuccessful"] != false || len(inv["toolExecutionNotifications"].([]any)) != 1 {
		t.Errorf("invocation %v", inv)
	}
}

func TestSARIFLimits(t *testing.T) {
	t.Parallel()
	var list diag.List
	for i := range sarifResults + 7 {
		list = append(list, &diag.Diagnostic{Pos: diag.Pos{File: "k", Line: i + 1}, Severity: diag.Note, Code: "lds-limit", Message: "m"})
	}
	worst := &diag.Diagnostic{Pos: diag.Pos{File: "k", Line: 99999}, Severity: diag.Error, Code: "trap", Class: diag.Fault, Message: "m"}
	for i := range 3000 {
		worst.Related = append(worst.Related, diag.Related{Pos: diag.Pos{File: "k", Line: i + 1}, Message: "r"})
	}
	run, _ := sarifOf(t, &Report{Version: "0.1.0", File: "k", Findings: New(append(list, worst), diag.Error)})
	results := run["results"].([]any)
	if len(results) != sarifResults {
		t.Errorf("%d results", len(results))
	}
	res := results[0].(map[string]any)
	if res["ruleId"] != "trap" {
		t.Fatalf("the first result is %v", res["ruleId"])
	}
	steps := res["codeFlows"].([]any)[0].(map[string]any)["threadFlows"].([]any)[0].(map[string]any)["locations"].([]any)
	if len(steps) != sarifSteps || len(res["relatedLocations"].([]any)) != sarifLocations {
		t.Errorf("%d steps, %d related", len(steps), len(res["relatedLocations"].([]any)))
	}
	if n := run["invocations"].([]any)[0].(map[string]any)["toolExecutionNotifications"].([]any); len(n) != 1 {
		t.Errorf("nothing says that results are left out: %v", n)
	}
}

func TestGitHub(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := sampleReport().GitHub(&b); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	form := regexp.MustCompile(`^::(error|warning|notice) (file=[^,:]+,)?(line=\d+,)?(col=\d+,)?title=[^,:]+::.+$`)
	for _, l := range lines {
		if !form.MatchString(l) {
			t.Errorf("malformed: %s", l)
		}
	}
	if len(lines) != 5 || !strings.HasPrefix(lines[1], "::error file=dir/a%2C b.s,line=12,col=4,title=crosslane wait-states::v_mov: 1 of 2%0Amore%0Alanes: 0-63%0A") ||
		!strings.Contains(b.String(), "::warning file=k.co,title=crosslane lds-limit::a\uFFFD[31m, %25: b\n") {
		t.Errorf("\n%s", b.String())
	}
}

func TestJUnit(t *testing.T) {
	t.Parallel()
	r := sampleReport()
	for _, f := range r.Findings {
		if f.Code == "unused-ignore" {
			f.By, f.Reason = "baseline", "<known>"
		}
	}
	var b bytes.Buffer
	if err := r.JUnit(&b); err != nil {
		t.Fatal(err)
	}
	var s junitSuites
	if err := xml.Unmarshal(b.Bytes(), &s); err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	if s.Tests != 5 || s.Failures != 2 || s.Errors != 1 || s.Suites[0].Skipped != 1 || len(s.Suites[0].Cases) != 5 {
		t.Errorf("%d tests, %d failures, %d errors, %d skipped\n%s", s.Tests, s.Failures, s.Errors, s.Suites[0].Skipped, b.String())
	}
	for _, c := range s.Suites[0].Cases {
		if c.Name == "wait-states line 12" && (c.Failure == nil || c.Failure.Message != "v_mov: 1 of 2" || !strings.Contains(c.Failure.Text, "block sizes 33..63")) {
			t.Errorf("%+v", c)
		}
		if strings.HasPrefix(c.Name, "lds-limit") && (c.Failure != nil || c.Name != "lds-limit at 0x40" || c.SystemOut == "") {
			t.Errorf("%+v", c)
		}
	}
}

func TestSanitizer(t *testing.T) {
	t.Parallel()
	r := sampleReport()
	for _, f := range r.Findings {
		f.Size = [3]uint32{10, 3, 5}
	}
	var b bytes.Buffer
	if err := r.Sanitizer(&b); err != nil {
		t.Fatal(err)
	}
	for _, l := range strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n") {
		if !strings.HasPrefix(l, "=========") || strings.ContainsRune(l, 0x1b) {
			t.Errorf("malformed: %q", l)
		}
	}
	// In wave 1, lane 0 is thread 64 of 10 x 3 x 5, which is (4,0,2).
	for _, want := range []string{
		"========= v_mov: 1 of 2 [wait-states]\n=========     at k() in dir/a, b.s:12\n=========     by thread (4,0,2) in block (3,0,0)\n",
		"========= Warning: a\uFFFD[31m, %: b [lds-limit]\n", "\n========= ERROR SUMMARY: 3 errors\n",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

// TestIDs checks that an ID does not depend on the place of the instruction or on the affected
// lanes, and that equal instructions of one file have different IDs.
func TestIDs(t *testing.T) {
	t.Parallel()
	id := func(list ...*diag.Diagnostic) []string {
		var out []string
		for _, f := range New(list, diag.Error) {
			out = append(out, f.ID)
		}
		return out
	}
	d := func(change func(*diag.Diagnostic)) *diag.Diagnostic {
		x := &diag.Diagnostic{Pos: diag.Pos{File: "a.s", Line: 3}, Code: "trap", Kernel: "k", Message: "m", Source: "s_trap 2"}
		change(x)
		return x
	}
	base := d(func(*diag.Diagnostic) {})
	want := id(base)[0]
	for _, same := range []*diag.Diagnostic{
		d(func(x *diag.Diagnostic) { x.Pos.Line, x.Pos.Col = 30, 7 }), d(func(x *diag.Diagnostic) { x.Message, x.Lanes = "other", "3" }),
		d(func(x *diag.Diagnostic) { x.Source = "\t s_trap   2 " }), d(func(x *diag.Diagnostic) { x.Pos.File = "./a.s" }),
	} {
		if id(same)[0] != want {
			t.Errorf("%+v has another ID", same)
		}
	}
	for _, other := range []*diag.Diagnostic{
		d(func(x *diag.Diagnostic) { x.Code = "assert" }), d(func(x *diag.Diagnostic) { x.Source = "s_trap 3" }),
		d(func(x *diag.Diagnostic) { x.Kernel = "l" }), d(func(x *diag.Diagnostic) { x.Pos.File = "b.s" }),
	} {
		if id(other)[0] == want {
			t.Errorf("%+v has the same ID", other)
		}
	}
	if two := id(base, d(func(x *diag.Diagnostic) { x.Pos.Line = 9 })); two[0] != want || two[1] == want {
		t.Errorf("two equal instructions: %v", two)
	}
}

func TestFails(t *testing.T) {
	t.Parallel()
	for atLeast, want := range map[diag.Severity]string{diag.Error: "trap unsupported wait-states", diag.Warning: "lds-limit trap unsupported wait-states", diag.Note: "lds-limit trap unsupported unused-ignore wait-states"} {
		var got []string
		for _, f := range New(sample(), atLeast) {
			if f.Fails {
				got = append(got, f.Code)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("at %s: %v", atLeast, got)
		}
	}
}

func FuzzIgnores(f *testing.F) {
	f.Add("x ; crosslane:ignore trap why\n// crosslane:ignore trap,assert a\n\ny")
	f.Fuzz(func(t *testing.T, src string) {
		lines := strings.Split(src, "\n")
		list, _ := ReadIgnores("f", []byte(strings.Join(lines, "\n")))
		for _, g := range list {
			if g.Line < 1 || g.Line > len(lines) || g.Target < g.Line || g.Reason == "" {
				t.Errorf("%+v", g)
			}
		}
	})
}

func FuzzFormats(f *testing.F) {
	f.Add("a\xff\x00b\n", "k\x1b.s", 3)
	f.Fuzz(func(t *testing.T, msg, file string, line int) {
		r := &Report{File: file, Kernel: msg, Findings: New(diag.List{{Pos: diag.Pos{File: file, Line: line, Col: line}, Message: msg, Code: "trap", Source: msg, Kernel: msg, Lanes: msg, Blocks: 1,
			Related: []diag.Related{{Pos: diag.Pos{File: file, Line: 1}, Message: msg}}}}, diag.Error)}
		if file != "" {
			sarifOf(t, r)
		}
		var b bytes.Buffer
		if err := r.JUnit(&b); err != nil {
			t.Fatal(err)
		}
		if err := xml.Unmarshal(b.Bytes(), &junitSuites{}); err != nil {
			t.Errorf("%v\n%s", err, b.String())
		}
		if err := r.GitHub(&b); err != nil {
			t.Fatal(err)
		}
		if err := r.Sanitizer(&b); err != nil {
			t.Fatal(err)
		}
	})
}

// TestSARIFFixes checks that a fix gives the characters to delete, not the bytes, and their
// replacement.
func TestSARIFFixes(t *testing.T) {
	t.Parallel()
	at := func(col int) diag.Pos { return diag.Pos{File: "a.s", Line: 2, Col: col} }
	d := &diag.Diagnostic{Pos: at(1), Severity: diag.Error, Code: "trap", Message: "m",
		Fixes: []diag.Fix{{Message: "wait", Edits: []diag.Edit{{Pos: at(3), Old: "öx", New: "y"}, {Pos: at(7), New: "\n"}}}}}
	r := &Report{File: "a.s", Findings: New(diag.List{d}, diag.Error), Line: func(string, int) (string, bool) { return "äöxabc", true }}
	run, text := sarifOf(t, r)
	fix := run["results"].([]any)[0].(map[string]any)["fixes"].([]any)[0].(map[string]any)
	got, _ := json.Marshal(fix)
	want := `{"artifactChanges":[{"artifactLocation":{"uri":"a.s"},"replacements":[` +
		`{"deletedRegion":{"endColumn":4,"endLine":2,"startColumn":2,"startLine":2},"insertedContent":{"text":"y"}},` +
		`{"deletedRegion":{"endColumn":5,"endLine":2,"startColumn":5,"startLine":2},"insertedContent":{"text":"\n"}}]}],"description":{"text":"wait"}}`
	if string(got) != want {
		t.Errorf("%s\nwant %s\n%s", got, want, text)
	}
}

// TestSanitizerHeadlines checks that the records that parsers of compute-sanitizer's text search
// for have its wording: memcheck, racecheck and synccheck, as in published reports.
func TestSanitizerHeadlines(t *testing.T) {
	t.Parallel()
	memcheck := regexp.MustCompile(`(?m)^========= Invalid __(global|shared|local)__ (read|write|atomic) of size \d+ bytes\n=========     at \S+.*\n=========     by thread \(\d+,\d+,\d+\) in block \(\d+,\d+,\d+\)\n=========     Access to 0x[0-9a-f]+ is (out of bounds|misaligned)$`)
	racecheck := regexp.MustCompile(`(?m)^========= Error: Race reported between (Read|Write|Atomic) access at \S+.*\n=========     and (Read|Write|Atomic) access at .* \[(\d+) hazards?\]$`)
	at := diag.Pos{File: "k.ptx", Line: 20, Col: 2}
	for _, c := range []struct {
		d    *diag.Diagnostic
		want *regexp.Regexp
		also string
	}{
		{&diag.Diagnostic{Code: "out-of-bounds", Message: `st.global.u32: lane 4 of wave 1 in block (1,0,0) writes 4 bytes at global address 0x200000190: just past the end of "out" (400 bytes)`}, memcheck, "Invalid __global__ write of size 4 bytes"},
		{&diag.Diagnostic{Code: "misaligned", Message: "ld.shared.u64: lane 0 of wave 0 in block (0,0,0) reads 8 bytes at shared address 0x4: the address must be a multiple of 8"}, memcheck, "Access to 0x4 is misaligned"},
		{&diag.Diagnostic{Code: "race-shared", Message: "ld.shared.u32: lane 3 of wave 1 reads 4 bytes of shared memory at offset 0x10, which lane 4 of wave 0 has written with st.shared.u32 (line 12); nothing orders the two", Count: 9,
			Related: []diag.Related{{Pos: diag.Pos{File: "k.ptx", Line: 12, Col: 2}, Message: "st.shared.u32: lane 4 of wave 0 writes the same bytes"}}}, racecheck,
			"=========     and Write access at k() in k.ptx:12 [9 hazards]"},
		{&diag.Diagnostic{Code: "bad-barrier", Message: "bar.sync: barrier 16"}, regexp.MustCompile(`(?m)^========= Barrier error detected\. Invalid arguments\.$`), "     bar.sync: barrier 16 [bad-barrier]"},
	} {
		c.d.Pos, c.d.Severity, c.d.Kernel, c.d.Blocks, c.d.Lanes = at, diag.Error, "k", 1, "4"
		var b strings.Builder
		if err := (&Report{File: "k.ptx", Lanes: 32, Findings: New(diag.List{c.d}, diag.Error)}).Sanitizer(&b); err != nil {
			t.Fatal(err)
		}
		if !c.want.MatchString(b.String()) || !strings.Contains(b.String(), c.also) || !strings.HasSuffix(b.String(), "========= ERROR SUMMARY: 1 error\n") {
			t.Errorf("%s:\n%s", c.d.Code, b.String())
		}
		if race := strings.Contains(b.String(), "RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)"); race != (c.d.Code == "race-shared") {
			t.Errorf("%s", b.String())
		}
	}
}
