package driver

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The Python package has the numbers of the calls, the version and the arena of this package.
func TestPythonProtocol(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "..", "python", "crosslane", "_protocol.py"))
	if err != nil {
		t.Fatal(err)
	}
	python := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^ {4}([A-Z_]+) = (\d+)$`).FindAllStringSubmatch(string(text), -1) {
		python[strings.ReplaceAll(m[1], "_", "")] = m[2]
	}
	for i, name := range callNames(t) {
		upper := strings.ToUpper(strings.TrimPrefix(name, "Call"))
		got, ok := python[upper]
		if ok && got != strconv.Itoa(i+1) {
			t.Errorf("%s is %d here and %s in Python", name, i+1, got)
		}
		delete(python, upper)
	}
	for name := range python {
		t.Errorf("Python has a call %s that is not here", name)
	}
	for name, want := range map[string]int64{"VERSION": Version, "ARENA_BASE": ArenaBase, "ARENA_BYTES": ArenaBytes, "REPLY": flagReply} {
		m := regexp.MustCompile(`(?m)^` + name + ` = (.+)$`).FindStringSubmatch(string(text))
		if m == nil {
			t.Fatalf("Python has no %s", name)
		}
		if got := evaluate(t, m[1]); got != want {
			t.Errorf("%s is %#x in Python and %#x here", name, got, want)
		}
	}
}

// callNames returns the names of the calls in their order.
func callNames(t *testing.T) (names []string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "calls.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && strings.HasPrefix(v.Names[0].Name, "Call") {
			names = append(names, v.Names[0].Name)
		}
		return true
	})
	if len(names) != int(numCalls)-1 {
		t.Fatalf("%d names of %d calls", len(names), numCalls-1)
	}
	return names
}

// evaluate computes a number, or a number << another one.
func evaluate(t *testing.T, s string) int64 {
	t.Helper()
	a, b, _ := strings.Cut(s, "<<")
	v := constant.MakeFromLiteral(strings.TrimSpace(a), token.INT, 0)
	n, ok := constant.Int64Val(v)
	if !ok {
		t.Fatalf("%q is no number", s)
	}
	if b != "" {
		var shift uint
		if _, err := fmt.Sscan(b, &shift); err != nil {
			t.Fatal(err)
		}
		n <<= shift
	}
	return n
}
