package cli

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"example.org/crosslane/diag"
)

// words splits a command line as a shell does, for blanks and single quotes.
func words(s string) (out []string) {
	word, quoted, has := "", false, false
	for _, r := range s {
		switch {
		case r == '\'':
			quoted, has = !quoted, true
		case r == ' ' && !quoted:
			if has {
				out = append(out, word)
			}
			word, has = "", false
		default:
			word, has = word+string(r), true
		}
	}
	if has {
		out = append(out, word)
	}
	return out
}

// assignment reports whether a word of a command gives an environment variable its value, as a
// shell takes it before the command.
func assignment(word string) bool { return strings.HasPrefix(word, "CROSSLANE_") }

// runCode runs an example of the registry and returns its exit status and all that it
// prints: check writes findings to standard output.
func runCode(t *testing.T, example string) (cmd []string, code int, output string) {
	t.Helper()
	ar := txtar.Parse([]byte(example))
	cmd = words(strings.TrimSpace(string(ar.Comment)))
	for len(cmd) > 0 && assignment(cmd[0]) {
		name, value, _ := strings.Cut(cmd[0], "=")
		t.Setenv(name, value)
		cmd = cmd[1:]
	}
	if len(cmd) == 0 || cmd[0] != "crosslane" {
		t.Fatalf("the example is no command: %q", ar.Comment)
	}
	dir := t.TempDir()
	for _, f := range ar.Files {
		if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o600); err != nil {
			t.Fatal(err)
		}
		for i, w := range cmd {
			if w == f.Name {
				cmd[i] = filepath.Join(dir, f.Name)
			}
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var stdout, stderr bytes.Buffer
	code = Main(ctx, cmd[1:], strings.NewReader(""), &stdout, &stderr)
	return cmd, code, stderr.String() + stdout.String()
}

// Every example of the registry of codes yields its code, and the exit status that
// the registry promises.
func TestCodeExamples(t *testing.T) {
	for _, c := range diag.Codes() { // those that set the environment run before the parallel ones
		if c.Example == "" || c.Host || testing.Short() && slices.Contains([]string{"livelock", "output-limit", "budget-reached"}, c.Code) {
			continue // these run until a limit is reached, half a second each
		}
		t.Run(c.Code, func(t *testing.T) {
			if !assignment(c.Example) {
				t.Parallel()
			}
			cmd, code, output := runCode(t, c.Example)
			if !strings.Contains(output, "["+c.Code+"]") {
				t.Fatalf("%q yields\n%s", cmd, output)
			}
			want := 0
			if c.Severity == diag.Error || c.Code == "more-errors" { // which follows errors
				want = c.Class.ExitCode()
			}
			if code != want {
				t.Errorf("%q: exit status %d, want %d\n%s", cmd, code, want, output)
			}
			if !strings.Contains(output, c.Severity.String()+":") {
				t.Errorf("%q: no %s in\n%s", cmd, c.Severity, output)
			}
		})
	}
}

// Every example of how it is done right yields nothing at all.
func TestGoodExamples(t *testing.T) {
	t.Parallel()
	for _, c := range diag.Codes() {
		if c.Good == "" || c.Host {
			continue
		}
		t.Run(c.Code, func(t *testing.T) {
			t.Parallel()
			if cmd, code, output := runCode(t, c.Good); code != 0 || strings.Contains(output, "error:") || strings.Contains(output, "warning:") || strings.Contains(output, "note:") {
				t.Errorf("%q: exit status %d\n%s", cmd, code, output)
			}
		})
	}
}

// Every code that stands in the source is in the registry: a constant named Code… or
// code…, the code of a diag.Errorf, a field Code, and any word with a hyphen that is
// given to a function which reports.
func TestCodesAreRegistered(t *testing.T) {
	t.Parallel()
	found := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && name != root {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		if strings.HasSuffix(name, filepath.FromSlash("engine/interp/zops.go")) {
			return nil // a megabyte of arithmetic
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, lit := range codesIn(f) {
			found++
			code, err := strconv.Unquote(lit.Value)
			if err != nil {
				return err
			}
			if _, ok := diag.LookupCode(code); !ok {
				t.Errorf("%s: code %s is not in the registry of package diag", fset.Position(lit.Pos()), code)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if found < 50 {
		t.Errorf("%d codes found: the search is broken", found)
	}
}

var (
	codeConst = regexp.MustCompile(`^[cC]ode[A-Z]`)
	codeWord  = regexp.MustCompile(`^"[a-z]+(-[a-z]+)*"$`)
	hyphened  = regexp.MustCompile(`^"[a-z]+(-[a-z]+)+"$`)
	reporter  = regexp.MustCompile(`(?i)^(errorf?|err|fail|warnf?|note|diag|report|add|addclass|unsupported|bad|usage)$`)
)

func codesIn(f *ast.File) (out []*ast.BasicLit) {
	add := func(e ast.Expr, form *regexp.Regexp) {
		if lit, ok := e.(*ast.BasicLit); ok && lit.Kind == token.STRING && form.MatchString(lit.Value) {
			out = append(out, lit)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if codeConst.MatchString(id.Name) && i < len(n.Values) {
					add(n.Values[i], codeWord)
				}
			}
		case *ast.KeyValueExpr:
			if id, ok := n.Key.(*ast.Ident); ok && (id.Name == "Code" || id.Name == "code") {
				add(n.Value, codeWord)
			}
		case *ast.CallExpr:
			name := ""
			switch fn := n.Fun.(type) {
			case *ast.Ident:
				name = fn.Name
			case *ast.SelectorExpr:
				name = fn.Sel.Name
				if id, ok := fn.X.(*ast.Ident); ok && id.Name == "diag" && name == "Errorf" && len(n.Args) > 2 {
					add(n.Args[2], codeWord)
					return true
				}
			}
			if reporter.MatchString(name) {
				for _, a := range n.Args {
					add(a, hyphened)
				}
			}
		}
		return true
	})
	return out
}
