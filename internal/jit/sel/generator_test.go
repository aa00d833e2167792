package sel

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFactsAreReadOnly checks that only the planner and its analyses write the facts. A fact that
// is computed at its first use is written by the method that computes it.
func TestFactsAreReadOnly(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	writers := []string{"planner", "nearFinder", "copies", "nanPlacement", "facts.tiling", "facts.traced"}
	fields := map[string]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.TypeSpec)
			if !ok || !slices.Contains([]string{"facts", "inductions", "indexedAccesses", "processor"}, s.Name.Name) {
				return true
			}
			for _, l := range s.Type.(*ast.StructType).Fields.List {
				for _, n := range l.Names {
					fields[n.Name] = true
				}
			}
			return false
		})
	}
	if len(fields) < 20 {
		t.Fatalf("found only %d facts", len(fields))
	}
	written := 0
	for _, f := range files {
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok {
				continue
			}
			owner := receiverOf(fn)
			ast.Inspect(fn, func(n ast.Node) bool {
				a, ok := n.(*ast.AssignStmt)
				if !ok || a.Tok == token.DEFINE {
					return true
				}
				for _, l := range a.Lhs {
					for x := true; x; {
						var i *ast.IndexExpr
						if i, x = l.(*ast.IndexExpr); x {
							l = i.X
						}
					}
					s, ok := l.(*ast.SelectorExpr)
					if !ok || !fields[s.Sel.Name] || !isGenerator(s.X) {
						continue
					}
					written++
					if !slices.Contains(writers, owner) && !slices.Contains(writers, owner+"."+fn.Name.Name) {
						t.Errorf("%s: %s.%s writes the fact %s", fset.Position(l.Pos()), owner, fn.Name.Name, s.Sel.Name)
					}
				}
				return true
			})
		}
	}
	if written < 10 {
		t.Errorf("found only %d writes of facts", written)
	}
}

// receiverOf returns the type of a method's receiver, "" for a function.
func receiverOf(fn *ast.FuncDecl) string {
	if fn.Recv == nil {
		return ""
	}
	t := fn.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// isGenerator reports whether an expression is a variable or a field g: the generator.
func isGenerator(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.Ident:
		return x.Name == "g"
	case *ast.SelectorExpr:
		return x.Sel.Name == "g"
	}
	return false
}
