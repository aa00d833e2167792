// Package archtest holds the tests of the repository's structure: the imports that packages may
// have, and the words that no file may contain.
package archtest

import (
	"bytes"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "example.org/crosslane"

// A rule lists the packages that a package may import in addition to the standard library. Paths
// are relative to the module; "." is the root package; "internal/check/*" stands for all packages
// below.
type rule struct {
	pkg   string   // this package; with /* every package below
	may   []string // packages of the module
	third []string // third-party modules
}

// below lists the packages that the root package uses; the packages above the root may import them.
var below = []string{
	".", "api", "lane", "num", "diag", "ptx", "amdgpu", "amdgpu/*", "codeobject",
	"internal/session", "internal/verdict", "internal/provenance", "internal/recording", "internal/fix", "internal/explain", "internal/try", "internal/plan", "internal/device",
	"internal/ir", "internal/matrix", "internal/tensormap", "internal/texture", "internal/sim", "internal/jit/*", "internal/engine/*", "internal/check/*", "internal/profile", "internal/draw", "internal/value", "internal/names",
}

// lower lists the packages below the sessions.
var lower = []string{
	"api", "lane", "num", "diag", "ptx", "amdgpu", "amdgpu/*", "codeobject",
	"internal/fatbin", "internal/ir", "internal/matrix", "internal/tensormap", "internal/texture", "internal/sim", "internal/jit/*", "internal/engine/*", "internal/check/*", "internal/profile", "internal/draw", "internal/value", "internal/names",
}

// rules is the import table of ARCHITECTURE.md. The first row that matches a package applies. A
// package without a row fails.
var rules = []rule{
	{pkg: "lane"},
	{pkg: "num"},
	{pkg: "diag"},
	{pkg: "diag/gen", may: []string{"diag"}},
	{pkg: "internal/value", may: []string{"num"}},
	{pkg: "internal/draw", may: []string{"lane"}},
	{pkg: "internal/guard"},
	{pkg: "internal/reporoot"},
	{pkg: "internal/short"}, // imported by tests only
	{pkg: "internal/names", third: []string{"github.com/ianlancetaylor/demangle"}},
	{pkg: "internal/report", may: []string{"diag"}},
	{pkg: "internal/matrix", may: []string{"num"}},
	{pkg: "internal/tensormap"},
	{pkg: "internal/texture", may: []string{"num"}},
	{pkg: "internal/ir", may: []string{"lane", "num", "internal/matrix", "internal/tensormap", "internal/texture"}},
	{pkg: "internal/ir/gen"},
	{pkg: "ptx", may: []string{"lane", "num", "diag", "internal/ir", "internal/matrix", "internal/tensormap", "internal/texture"}},
	{pkg: "amdgpu", may: []string{"lane", "num", "diag", "internal/ir"}},
	{pkg: "amdgpu/asm", may: []string{"diag", "amdgpu"}},
	{pkg: "amdgpu/hazard", may: []string{"lane", "diag", "internal/ir", "amdgpu"}},
	{pkg: "internal/gcntest", may: []string{"amdgpu"}},
	{pkg: "codeobject", may: []string{"diag"}, third: []string{"github.com/vmihailenco/msgpack/v5", "gopkg.in/yaml.v3", "github.com/klauspost/compress/zstd"}},
	{pkg: "internal/fatbin", may: []string{"diag", "ptx"}, third: []string{"github.com/klauspost/compress/zstd", "github.com/pierrec/lz4/v4"}},
	{pkg: "internal/fatbin/fatbintest"}, // imported by tests only
	{pkg: "internal/toolchain"},
	{pkg: "internal/extract", may: []string{"diag", "ptx", "codeobject", "internal/fatbin"}},
	{pkg: "internal/sim", may: []string{"lane", "num", "diag", "internal/ir", "internal/matrix", "internal/tensormap", "internal/texture"}},
	{pkg: "internal/jit/abi", may: []string{"internal/ir", "internal/jit/webs", "internal/jit/shape", "internal/jit/lir", "internal/jit/x64"}},
	{pkg: "internal/jit/peephole", may: []string{"internal/jit/abi", "internal/jit/lir", "internal/jit/x64"}},
	{pkg: "internal/jit/coarsen", may: []string{"internal/ir", "internal/jit/abi", "internal/jit/lir", "internal/jit/mask", "internal/jit/webs", "internal/jit/x64"}},
	{pkg: "internal/jit/*", may: []string{"lane", "num", "internal/ir", "internal/matrix", "internal/jit/*"}},
	{pkg: "internal/engine/jit", may: []string{"lane", "num", "diag", "internal/ir", "internal/matrix", "internal/sim", "internal/jit/*", "internal/engine/interp"}},
	{pkg: "internal/engine/*", may: []string{"lane", "num", "diag", "internal/ir", "internal/matrix", "internal/sim"}},
	{pkg: "internal/profile", may: []string{"lane", "internal/ir", "internal/sim"}},
	{pkg: "internal/check/race", may: []string{"lane", "diag", "internal/ir", "internal/sim"}},
	{pkg: "internal/check/screen", may: []string{"internal/ir", "internal/matrix", "internal/check/race"}},
	{pkg: "internal/check/*", may: []string{"lane", "num", "diag", "internal/ir", "internal/matrix", "internal/tensormap", "internal/texture", "ptx", "amdgpu", "amdgpu/*", "codeobject", "internal/sim"}},
	{pkg: "api", may: []string{"lane", "diag", "internal/tensormap", "internal/texture", "internal/draw", "internal/value", "internal/pages", "internal/pprof"}},
	{pkg: "internal/pages"},
	{pkg: "internal/pprof"},
	{pkg: "internal/lineprofile", may: []string{"api", "diag", "internal/ir", "internal/profile"}},
	{pkg: "internal/session", may: slices.Concat(lower, []string{"internal/lineprofile"})},
	{pkg: "internal/session/sessiontest", may: []string{"api", "diag", "internal/session", "internal/sim"}},
	{pkg: "internal/verdict", may: slices.Concat(lower, []string{"internal/session"})},
	{pkg: "internal/provenance", may: slices.Concat(lower, []string{"internal/session"})},
	{pkg: "internal/recording", may: slices.Concat(lower, []string{"internal/session", "internal/verdict", "internal/provenance"})},
	{pkg: "internal/fix", may: slices.Concat(lower, []string{"internal/session", "internal/verdict"})},
	{pkg: "internal/device", may: slices.Concat(lower, []string{"internal/pages", "internal/session", "internal/verdict", "internal/provenance", "internal/recording"})},
	{pkg: "internal/input", may: []string{"api", "diag", "internal/value"}},
	{pkg: "internal/launchspec", may: []string{".", "diag", "internal/value", "internal/input"}},
	{pkg: "internal/results", may: []string{".", "diag", "internal/value", "internal/report"}},
	{pkg: "internal/page/site"},
	{pkg: "internal/page/ask", may: []string{"api", "diag", "internal/explain", "internal/input", "internal/value"}},
	{pkg: "internal/page", may: []string{".", "diag", "internal/value", "internal/input", "internal/launchspec", "internal/results", "internal/report", "internal/page/ask"}},
	{pkg: "internal/page/assist", may: []string{".", "diag", "internal/value", "internal/input", "internal/language", "internal/page/ask"}},
	{pkg: "internal/page/worker", may: []string{"internal/page/ask"}},
	{pkg: "internal/page/wasm", may: []string{"internal/page", "internal/page/assist", "internal/page/worker"}},
	{pkg: "internal/page/wasm/first", may: []string{"internal/page/ask", "internal/page/worker"}},
	{pkg: "internal/page/pack", may: []string{"internal/page/site"}},
	{pkg: "internal/page/cmd/*", may: []string{"internal/page/pack"}},
	{pkg: "internal/page/serve", may: []string{"internal/page/ask"}},
	{pkg: "internal/trace", may: []string{"api", "internal/device", "internal/pages"}, third: []string{"github.com/klauspost/compress/zstd"}},
	{pkg: "internal/debug", may: []string{".", "diag", "internal/value"}, third: []string{"github.com/google/go-dap"}},
	{pkg: "internal/language", may: []string{".", "diag", "lane", "ptx", "amdgpu", "amdgpu/asm", "internal/report"}},
	{pkg: "internal/lsp", may: []string{"diag", "internal/language"}},
	{pkg: "internal/recfile", may: []string{"api"}, third: []string{"github.com/klauspost/compress/zstd"}},
	{pkg: "internal/driver/abi"},
	{pkg: "internal/driver/shim", may: []string{"internal/driver/abi"}},
	{pkg: "internal/driver/runtime", may: []string{"internal/driver/abi", "internal/driver/shim"}},
	{pkg: "internal/driver/hip", may: []string{"internal/driver/abi", "internal/driver/shim"}},
	{pkg: "internal/driver/request"},
	{pkg: "internal/driver/nvvm", may: []string{"internal/driver/request"}},
	{pkg: "internal/driver/hiprtc", may: []string{"internal/driver/request"}},
	{pkg: "internal/driver/compilers", may: []string{"internal/driver/shim"}},
	{pkg: "internal/driver/recognise", may: []string{"diag", "codeobject", "internal/fatbin"}},
	{pkg: "internal/driver", may: []string{"api", "diag", "ptx", "internal/session", "internal/sim", "internal/device", "internal/tensormap", "internal/texture"}},
	{pkg: "internal/driver/host", may: []string{"api", "diag", "internal/device", "internal/driver", "internal/driver/shim", "internal/driver/runtime", "internal/driver/hip", "internal/driver/compilers"}},
	{pkg: "internal/explain", may: []string{"api", "lane", "diag", "ptx", "amdgpu", "amdgpu/asm", "internal/draw"}},
	{pkg: "internal/try", may: slices.Concat(lower, []string{"internal/session"})},
	{pkg: "internal/plan", may: []string{"api", "lane", "diag", "ptx", "amdgpu", "amdgpu/asm", "amdgpu/hazard", "internal/draw", "internal/explain", "internal/try"}},
	{pkg: ".", may: []string{"api", "lane", "diag", "internal/session", "internal/verdict", "internal/provenance", "internal/recording", "internal/fix", "internal/explain", "internal/try", "internal/plan", "internal/device"}},
	{pkg: "test/api"},
	{pkg: "test/kit", may: []string{"."}},
	{pkg: "internal/cli", may: slices.Concat(below, []string{"internal/input", "internal/launchspec", "internal/results", "internal/page", "internal/page/*", "internal/report", "internal/bench", "internal/driver", "internal/driver/host", "internal/driver/nvvm", "internal/driver/hiprtc", "internal/driver/recognise", "internal/trace", "internal/recfile", "internal/debug", "internal/language", "internal/lsp", "internal/fatbin", "internal/extract", "internal/toolchain", "internal/driver/shim", "internal/driver/runtime"}), third: []string{"github.com/spf13/cobra", "github.com/spf13/pflag", "golang.org/x/term"}},
	{pkg: "internal/release", may: []string{"internal/cli"}, third: []string{"github.com/spf13/cobra", "github.com/CycloneDX/cyclonedx-go"}},
	{pkg: "internal/release/cmd/*", may: []string{"internal/release"}},
	{pkg: "cmd/crosslane", may: []string{"internal/cli"}},
	{pkg: "internal/genexamples"},
	{pkg: "internal/genexamples/*", may: []string{"internal/genexamples"}},
	{pkg: "internal/archtest"},
	{pkg: "internal/archtest/measure", third: []string{"golang.org/x/tools"}},
	{pkg: "internal/archtest/cmd/*", may: []string{"internal/archtest/measure"}},
	{pkg: "examples", may: slices.Concat(below, []string{"internal/cli"})},
	{pkg: "examples/programs", may: []string{".", "diag", "internal/genexamples"}},
	{pkg: "internal/bench", may: slices.Concat(below, []string{"internal/pages"})},
	{pkg: "bench", may: slices.Concat(below, []string{"internal/bench"})},
	{pkg: "internal/difftest", may: below}, // imported by tests only
}

// ruleOf returns the row of a package. A program for go generate, in a folder gen, may import the
// package above it, and the packages that this package may import.
func ruleOf(pkg string) (rule, bool) {
	for _, r := range rules {
		if matches(r.pkg, pkg) {
			return r, true
		}
	}
	if parent, ok := strings.CutSuffix(pkg, "/gen"); ok {
		if r, ok := ruleOf(parent); ok {
			r.may = append(slices.Clone(r.may), parent)
			return r, true
		}
	}
	return rule{}, false
}

func matches(pattern, pkg string) bool {
	if p, ok := strings.CutSuffix(pattern, "/*"); ok {
		return strings.HasPrefix(pkg, p+"/")
	}
	return pattern == pkg
}

// ownTree reports whether imp belongs to the same tree as pkg, for example to internal/engine/jit.
// A package in one of these trees imports only packages of its own tree: engines never import each
// other, and front ends never do. The rules make one exception: the native engine imports the
// interpreter for the operations without machine code.
func ownTree(pkg, imp string) bool {
	parts := strings.SplitN(pkg, "/", 4)
	if len(parts) < 3 || parts[0] != "internal" {
		return false
	}
	own := path.Join(parts[:3]...)
	return imp == own || strings.HasPrefix(imp, own+"/")
}

// check returns an error text for an import, or "".
func check(pkg, imp string) string {
	r, ok := ruleOf(pkg)
	if !ok {
		return "package has no row in the import table of internal/archtest"
	}
	first, _, _ := strings.Cut(imp, "/")
	switch {
	case imp == module || strings.HasPrefix(imp, module+"/"):
		rel := strings.TrimPrefix(strings.TrimPrefix(imp, module), "/")
		if rel == "" {
			rel = "."
		}
		for _, m := range r.may {
			if matches(m, rel) {
				return ""
			}
		}
		if ownTree(pkg, rel) {
			return ""
		}
		return "may not import " + imp
	case strings.Contains(first, "."):
		for _, m := range r.third {
			if imp == m || strings.HasPrefix(imp, m+"/") {
				return ""
			}
		}
		return "may not import " + imp + ": a third-party module"
	}
	return ""
}

func repoRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// files calls f for every file of the repository that git does not ignore, with its slash-separated
// path.
func files(t *testing.T, f func(rel string, data []byte)) {
	t.Helper()
	root := repoRoot(t)
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(name, root), string(filepath.Separator)))
		if d.IsDir() {
			// The fuzzer's corpus is arbitrary input; hidden folders belong to tools.
			// node_modules holds packages of tests, which are not in the repository.
			if d.Name() == ".git" || d.Name() == "node_modules" || d.Name() == "fuzz" && path.Base(path.Dir(rel)) == "testdata" {
				return filepath.SkipDir
			}
			return nil
		}
		if !d.Type().IsRegular() || rel == ".git" || strings.HasSuffix(rel, ".test") || strings.HasSuffix(rel, ".prof") || rel == "crosslane" {
			return nil
		}
		data, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			return nil // another test removed its temporary file
		}
		if err != nil {
			return err
		}
		f(rel, data)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestImports(t *testing.T) {
	t.Parallel()
	seen := 0
	files(t, func(rel string, data []byte) {
		// Tests may import the packages with which they compare.
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || strings.Contains(rel, "testdata/") {
			return
		}
		f, err := parser.ParseFile(token.NewFileSet(), rel, data, parser.ImportsOnly)
		if err != nil {
			t.Errorf("%s: %v", rel, err)
			return
		}
		seen++
		pkg := path.Dir(rel)
		if _, ok := ruleOf(pkg); !ok {
			t.Errorf("%s: package %s has no row in the import table of internal/archtest", rel, pkg)
			return
		}
		for _, s := range f.Imports {
			imp, err := strconv.Unquote(s.Path.Value)
			if err != nil {
				t.Errorf("%s: %v", rel, err)
				continue
			}
			if imp == "C" {
				t.Errorf("%s: cgo: Crosslane is pure Go", rel)
				continue
			}
			if msg := check(pkg, imp); msg != "" {
				t.Errorf("%s: %s", rel, msg)
			}
		}
	})
	if seen < 20 {
		t.Errorf("%d Go files found: the walk is broken", seen)
	}
}

// TestCheck tests the table itself, with imports that it must refuse and imports that it must
// allow.
func TestCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pkg, imp string
		ok       bool
	}{
		{"lane", "math/bits", true},
		{"lane", "example.org/crosslane/num", false},
		{"num", "golang.org/x/sync/errgroup", false},
		{"ptx", "example.org/crosslane/internal/ir", true},
		{"ptx", "example.org/crosslane/amdgpu", false},
		{"ptx", "example.org/crosslane/internal/sim", false},
		{"codeobject", "github.com/vmihailenco/msgpack/v5", true},
		{"codeobject", "github.com/vmihailenco/msgpack/v5/msgpcode", true},
		{"codeobject", "example.org/crosslane/amdgpu", false},
		{"internal/fatbin", "github.com/klauspost/compress/zstd", true},
		{"internal/fatbin", "github.com/klauspost/compress/gzip", false},
		{"internal/session", "github.com/pierrec/lz4/v4", false},
		{"internal/sim", "example.org/crosslane/internal/engine/interp", false},
		{"internal/engine/interp", "example.org/crosslane/internal/sim", true},
		{"internal/sim", "example.org/crosslane/internal/check/race", false},
		{"internal/check/race", "example.org/crosslane/internal/sim", true},
		{"internal/check/race", "example.org/crosslane/ptx", false},
		{"internal/engine/interp", "example.org/crosslane/internal/engine/interp/gen", true},
		{"internal/engine/jit", "example.org/crosslane/internal/engine/interp", true},
		{"internal/engine/interp", "example.org/crosslane/internal/engine/jit", false},
		{"internal/jit/sel", "example.org/crosslane/internal/sim", false},
		{"internal/jit/abi", "example.org/crosslane/internal/jit/sel", false},
		{"internal/jit/peephole", "example.org/crosslane/internal/jit/shape", false},
		{"internal/jit/coarsen", "example.org/crosslane/internal/jit/sel", false},
		{"internal/check/race", "example.org/crosslane/internal/engine/interp", false},
		{"internal/check/race", "example.org/crosslane/internal/check/race/x", true},
		{"internal/session", "example.org/crosslane/internal/engine/interp", true},
		{".", "example.org/crosslane/internal/cli", false},
		{".", "github.com/spf13/cobra", false},
		{"internal/cli", "example.org/crosslane", true},
		{"internal/cli", "github.com/spf13/cobra", true},
		{"internal/cli", "example.org/crosslane/internal/archtest/measure", false},
		{"internal/ir/gen", "example.org/crosslane/internal/ir", false},
		{"ptx/gen", "example.org/crosslane/ptx", true},
		{"unheard/of", "fmt", false},
	} {
		if msg := check(c.pkg, c.imp); (msg == "") != c.ok {
			t.Errorf("%s imports %s: %q", c.pkg, c.imp, msg)
		}
	}
}

// forbidden are words about the place where the repository was made, and hosts that only tools use.
// They are assembled from parts, so that this file does not contain them.
var forbidden = []string{
	"/wo" + "rk/", "/tm" + "p/c/", "proxy.golang" + ".org", "sum.golang" + ".org", "goproxy" + ".", "pypi" + ".org",
	"registry.npmjs" + ".org", "crates" + ".io", "artifact" + "ory", "DO NOT " + "COMMIT",
}

func TestForbiddenWords(t *testing.T) {
	t.Parallel()
	files(t, func(rel string, data []byte) {
		for _, w := range forbidden {
			if i := bytes.Index(data, []byte(w)); i >= 0 {
				t.Errorf("%s:%d: %q", rel, 1+bytes.Count(data[:i], []byte("\n")), w)
			}
		}
	})
}

// TestFileLength checks that files stay short enough to read. Generated files are exempt; they
// begin with the line that marks them.
func TestFileLength(t *testing.T) {
	t.Parallel()
	files(t, func(rel string, data []byte) {
		if !strings.HasSuffix(rel, ".go") || strings.HasSuffix(rel, "_test.go") || strings.Contains(rel, "testdata/") {
			return
		}
		if line, _, _ := bytes.Cut(data, []byte("\n")); bytes.HasPrefix(line, []byte("// Code generated ")) {
			return
		}
		if n := bytes.Count(data, []byte("\n")); n > 800 {
			t.Errorf("%s has %d lines; split it", rel, n)
		}
	})
}
