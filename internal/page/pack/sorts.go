package pack

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// sortsOnce makes an overlay for go build that has the sorts of Go's package slices once, and not once for each type that is sorted: a
// thirtieth of the whole module. The algorithm is that of Go's package sort, which is the same one, and is read from there: equal elements
// come in the same order, too. The overlay has withoutClasses as well.
func sortsOnce(goroot, dir string) (overlay string, err error) {
	algorithm, err := os.ReadFile(filepath.Join(goroot, "src", "sort", "zsortfunc.go"))
	if err != nil {
		return "", err
	}
	const clause = "\npackage sort\n"
	if bytes.Count(algorithm, []byte(clause)) != 1 {
		return "", fmt.Errorf("zsortfunc.go of %s does not have %q once: this version of Go is not known here", goroot, clause)
	}
	algorithm = bytes.Replace(algorithm, []byte(clause), []byte("\npackage slices\n"), 1)
	replace := map[string]string{}
	for name, text := range map[string]string{"zsortanyfunc.go": string(algorithm) + sortsByFunction, "zsortordered.go": sortsByOrder} {
		old := filepath.Join(goroot, "src", "slices", name)
		if _, err := os.Stat(old); err != nil {
			return "", err
		}
		replace[old] = filepath.Join(dir, name)
		if err := os.WriteFile(replace[old], []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	if err := withoutClasses(goroot, dir, replace); err != nil {
		return "", err
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o600)
}

// withoutClasses adds the parser of regular expressions without the tables of Unicode's classes, which then are errors: \p{Greek}. No
// expression of the modules has one.
func withoutClasses(goroot, dir string, replace map[string]string) error {
	old := filepath.Join(goroot, "src", "regexp", "syntax", "parse.go")
	text, err := os.ReadFile(old)
	if err != nil {
		return err
	}
	for _, table := range []string{"unicode.Categories[", "unicode.FoldCategory[", "unicode.Scripts[", "unicode.FoldScript["} {
		if !bytes.Contains(text, []byte(table)) {
			return fmt.Errorf("regexp/syntax of %s does not use %s: this version of Go is not known here", goroot, table)
		}
		text = bytes.ReplaceAll(text, []byte(table), []byte("noClasses["))
	}
	text = append(text, "\nvar noClasses map[string]*unicode.RangeTable\n"...)
	replace[old] = filepath.Join(dir, "parse.go")
	return os.WriteFile(replace[old], text, 0o600)
}

// What package slices calls, in terms of the algorithm.
const (
	sortsByFunction = `
type lessSwap struct {
	Less func(i, j int) bool
	Swap func(i, j int)
}

func swapOf[E any](data []E) func(i, j int) {
	return func(i, j int) { data[i], data[j] = data[j], data[i] }
}

func pdqsortCmpFunc[E any](data []E, a, b, limit int, cmp func(a, b E) int) {
	pdqsort_func(lessSwap{func(i, j int) bool { return cmp(data[i], data[j]) < 0 }, swapOf(data)}, a, b, limit)
}

func stableCmpFunc[E any](data []E, n int, cmp func(a, b E) int) {
	stable_func(lessSwap{func(i, j int) bool { return cmp(data[i], data[j]) < 0 }, swapOf(data)}, n)
}
`
	sortsByOrder = `package slices

import "cmp"

func pdqsortOrdered[E cmp.Ordered](data []E, a, b, limit int) {
	pdqsort_func(lessSwap{func(i, j int) bool { return cmp.Less(data[i], data[j]) }, swapOf(data)}, a, b, limit)
}
`
)
