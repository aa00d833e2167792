// Package measure counts properties that make a repository of Go hard to read. The command house
// prints the figures.
package measure

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/tools/go/packages"
)

// A Figure is one line of the table.
type Figure struct {
	Name  string
	Value float64
	Unit  string // "", "%" or "in 100 words"
	Which string // the owner of the figure: the type with most methods
}

// jit holds the packages of the native engine, prose those whose comments are measured separately.
var (
	jit   = []string{"internal/jit/", "internal/engine/jit/"}
	prose = append([]string{"internal/sim/", "internal/check/"}, jit...)
)

// All measures the repository at a folder. Test files do not count.
func All(root string) ([]Figure, error) {
	pkgs, err := load(root)
	if err != nil {
		return nil, err
	}
	var list []Figure
	add := func(name string, value float64, unit, which string) {
		list = append(list, Figure{name, value, unit, which})
	}
	methods, which := largest(pkgs, methodsOf)
	add("most methods on a type", float64(methods), "", which)
	fields, which := largest(pkgs, fieldsOf)
	add("most fields in a type", float64(fields), "", which)
	for _, path := range []string{".", "internal/jit/sel"} {
		for _, p := range pkgs {
			if p.rel != path {
				continue
			}
			up, edges := upward(p)
			add("files of "+path, float64(len(p.Syntax)), "", "")
			add("uses between files of "+path, float64(edges), "", "")
			add("against the order of files of "+path, float64(up), "", "")
		}
	}
	for _, part := range []struct {
		name string
		in   []string
	}{{"simulator, checks and native engine", prose}, {"all packages", nil}} {
		w := wordsOf(pkgs, part.in)
		add("words without referent, "+part.name, per(w.vague, w.words), "in 100 words", "")
		add("sentences that open inverted, "+part.name, per(w.inverted, w.sentences), "%", "")
	}
	comments, lines := share(pkgs, jit)
	add("lines of comments in the native engine", per(comments, lines), "%", "")
	for _, h := range homonyms(pkgs) {
		add("other meanings of "+h.word, float64(len(h.others)), "", strings.Join(h.others, " "))
	}
	for _, name := range []string{"README.md", "ARCHITECTURE.md"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			return nil, err
		}
		add("lines of "+name, float64(bytes.Count(data, []byte("\n"))), "", "")
	}
	return list, nil
}

// Table prints the figures.
func Table(list []Figure) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, f := range list {
		value := fmt.Sprintf("%.0f", f.Value)
		if f.Unit != "" {
			value = fmt.Sprintf("%.2f %s", f.Value, f.Unit)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", f.Name, value, f.Which)
	}
	w.Flush()
	return b.String()
}

func per(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

// pkg is a package and its folder, relative to the root; "." is the root package.
type pkg struct {
	*packages.Package
	rel string
}

// load loads all packages of the repository, with their syntax and types.
func load(root string) ([]pkg, error) {
	abs, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	list, err := packages.Load(&packages.Config{Dir: abs, Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports}, "./...")
	if err != nil {
		return nil, err
	}
	var all []pkg
	for _, p := range list {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		if len(p.GoFiles) == 0 {
			continue
		}
		rel, err := filepath.Rel(abs, filepath.Dir(p.GoFiles[0]))
		if err != nil {
			return nil, err
		}
		all = append(all, pkg{p, filepath.ToSlash(rel)})
	}
	return all, nil
}

// in reports whether a package is in one of the folders; nil: in any.
func (p *pkg) in(folders []string) bool {
	return folders == nil || slices.ContainsFunc(folders, func(f string) bool { return strings.HasPrefix(p.rel+"/", f) })
}

// largest returns the greatest number that count gives for a type, and the name of that type.
func largest(pkgs []pkg, count func(*types.Named) int) (most int, which string) {
	for _, p := range pkgs {
		scope := p.Types.Scope()
		for _, name := range scope.Names() {
			t, ok := scope.Lookup(name).(*types.TypeName)
			if !ok || t.IsAlias() {
				continue
			}
			named, ok := t.Type().(*types.Named)
			if !ok {
				continue
			}
			if n := count(named); n > most {
				most, which = n, p.rel+"."+name
			}
		}
	}
	return most, which
}

func methodsOf(t *types.Named) int { return t.NumMethods() }

func fieldsOf(t *types.Named) int {
	if s, ok := t.Underlying().(*types.Struct); ok {
		return s.NumFields()
	}
	return 0
}

// upward counts the pairs of files of a package of which one uses a declaration of the other
// (edges). up is the number of these pairs that contradict the best order of the files: the order
// with the fewest contradictions, as far as a greedy search finds it.
//
// Literature: Eades, Lin and Smyth, a fast and effective heuristic for the feedback arc set problem
// (1993).
func upward(p pkg) (up, edges int) {
	file := func(pos token.Pos) string { return p.Fset.Position(pos).Filename }
	uses := map[string]map[string]bool{}
	for _, f := range p.Syntax {
		uses[file(f.Pos())] = map[string]bool{}
	}
	for id, obj := range p.TypesInfo.Uses {
		if obj.Pkg() != p.Types || !declared(p, obj) {
			continue
		}
		from, to := file(id.Pos()), file(obj.Pos())
		if from != to && uses[from] != nil && uses[to] != nil {
			uses[from][to] = true
		}
	}
	var names []string
	for n, of := range uses {
		names = append(names, n)
		edges += len(of)
	}
	slices.Sort(names)
	place := map[string]int{}
	for i, n := range order(names, uses) {
		place[n] = i
	}
	for from, of := range uses {
		for to := range of {
			if place[from] > place[to] {
				up++
			}
		}
	}
	return up, edges
}

// declared reports whether an object belongs to the package's own level. Methods and fields do;
// variables of functions do not.
func declared(p pkg, obj types.Object) bool {
	if obj.Parent() == p.Types.Scope() {
		return true
	}
	switch o := obj.(type) {
	case *types.Func:
		return o.Signature().Recv() != nil
	case *types.Var:
		return o.IsField()
	}
	return false
}

// order returns the nodes of a graph in an order in which few edges lead backwards.
func order(nodes []string, edges map[string]map[string]bool) []string {
	left := map[string]bool{}
	for _, n := range nodes {
		left[n] = true
	}
	degrees := func(n string) (out, in int) {
		for m := range edges[n] {
			if left[m] {
				out++
			}
		}
		for m := range left {
			if edges[m][n] {
				in++
			}
		}
		return out, in
	}
	var first, last []string
	for len(left) > 0 {
		best, gain, done := "", 0, false
		for _, n := range nodes {
			if !left[n] {
				continue
			}
			out, in := degrees(n)
			switch {
			case out == 0:
				last, done = append(last, n), true
			case in == 0:
				first, done = append(first, n), true
			case best == "" || out-in > gain:
				best, gain = n, out-in
				continue
			default:
				continue
			}
			delete(left, n)
		}
		if !done {
			first = append(first, best)
			delete(left, best)
		}
	}
	slices.Reverse(last)
	return append(first, last...)
}

// share counts the lines of comments, and the lines that are not empty.
func share(pkgs []pkg, in []string) (comments, lines int) {
	for _, p := range pkgs {
		if !p.in(in) {
			continue
		}
		for i, f := range p.Syntax {
			if ast.IsGenerated(f) {
				continue
			}
			data, err := os.ReadFile(p.fileName(i))
			if err != nil {
				continue
			}
			for l := range bytes.Lines(data) {
				l = bytes.TrimSpace(l)
				if len(l) == 0 {
					continue
				}
				lines++
				if bytes.HasPrefix(l, []byte("//")) {
					comments++
				}
			}
		}
	}
	return comments, lines
}

// fileName returns the name of file i of the syntax.
func (p *pkg) fileName(i int) string { return p.Fset.Position(p.Syntax[i].Pos()).Filename }
