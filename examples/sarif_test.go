package examples

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif" // it carries the schema
	"github.com/xeipuuv/gojsonschema"

	"example.org/crosslane/internal/cli"
	"example.org/crosslane/internal/short"
)

// sarifSchema is the schema of SARIF 2.1.0 with its errata, as OASIS publishes it. It is a
// constant of a module that the tests require, and read from there.
func sarifSchema(t *testing.T) *gojsonschema.Schema {
	t.Helper()
	missing := t.Skipf
	if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
		missing = t.Fatalf
	}
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil || len(bytes.TrimSpace(dir)) == 0 {
		missing("the module that has the schema is not found: %v", err)
	}
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(string(bytes.TrimSpace(dir)), "pkg", "report", "v210", "sarif", "schema.go"), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	text := ""
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil && len(s) > len(text) {
				text = s
			}
		}
		return true
	})
	const id = `"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"`
	if !strings.Contains(text, id) {
		t.Fatalf("the longest text of the file is not the schema %s", id)
	}
	schema, err := gojsonschema.NewSchema(gojsonschema.NewStringLoader(text))
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// sarifOf is the SARIF output of check.
func sarifOf(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	cli.Main(t.Context(), append([]string{"check", "--format", "sarif"}, args...), strings.NewReader(""), &out, &errs)
	if out.Len() == 0 {
		t.Fatalf("check %s: no report: %s", strings.Join(args, " "), errs.Bytes())
	}
	return out.String()
}

// The SARIF output of check fits the schema: for all kernels that show or nearly show a finding,
// for code objects, for findings that a baseline excuses, and for files that do not parse.
func TestSARIFSchema(t *testing.T) {
	t.Parallel()
	schema := sarifSchema(t)
	valid := func(what, text string) {
		t.Helper()
		res, err := schema.Validate(gojsonschema.NewStringLoader(text))
		if err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
		for _, e := range res.Errors() {
			t.Errorf("%s: %s", what, e)
		}
	}
	dir := t.TempDir()
	objects := 0
	parts := map[string]bool{`"codeFlows"`: false, `"fixes"`: false, `"suppressions"`: false, `"toolExecutionNotifications"`: false, `"byteOffset"`: false, `"relatedLocations"`: false}
	show := func(what, text string) {
		valid(what, text)
		for p := range parts {
			parts[p] = parts[p] || strings.Contains(text, p)
		}
	}
	for _, c := range short.Sample(slices.Concat(readCorpus(t, "bad"), readCorpus(t, "good")), 20) {
		for n, flags := range c.checks {
			args := arguments(flags)
			show(c.path+" "+flags, sarifOf(t, append([]string{c.path}, args...)...))
			if n > 0 || c.isGood || objects == 10 || filepath.Ext(c.path) != ".s" {
				continue
			}
			objects++
			object := filepath.Join(dir, fmt.Sprint(objects, ".co"))
			var errs bytes.Buffer
			if cli.Main(t.Context(), []string{"asm", c.path, "-o", object}, strings.NewReader(""), &errs, &errs) == 0 {
				show(object, sarifOf(t, append([]string{object}, args...)...))
			}
			baseline := filepath.Join(dir, fmt.Sprint(objects, ".json"))
			sarifOf(t, append([]string{c.path, "--write-baseline", baseline}, args...)...)
			show("of a baseline", sarifOf(t, append([]string{c.path, "--baseline", baseline}, args...)...))
		}
	}
	broken := filepath.Join(dir, "a b%.ptx")
	if err := os.WriteFile(broken, []byte(".version 8.0 what\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	show(broken, sarifOf(t, broken))
	for p, seen := range parts {
		if !seen && !testing.Short() {
			t.Errorf("no report has %s", p)
		}
	}
}
