package session

import (
	"regexp"
	"strings"

	"example.org/crosslane/ptx"
)

// sameKernel reports whether two kernels of a name in two modules are the same text, and all that
// they mention is, too: functions and variables of the module, with their initial contents. nvcc
// writes an instance of a template into each translation unit that uses it.
func (d definitions) sameKernel(a, b *Kernel) bool {
	x, y := d.of(a.m), d.of(b.m)
	seen := map[string]bool{a.name: true}
	for work := []string{a.name}; len(work) > 0; {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		text, inX := x[name]
		other, inY := y[name]
		if inX != inY || text != other {
			return false
		}
		for _, word := range symbolWord.FindAllString(text, -1) {
			if !seen[word] {
				seen[word] = true
				work = append(work, word)
			}
		}
	}
	return true
}

// symbolWord matches names, and other words that are no name of a module.
var symbolWord = regexp.MustCompile(`[\w$%]+`)

// definitions holds, for modules that were asked for, the texts that define their functions and
// variables, by name.
type definitions map[*Module]map[string]string

// of returns the definitions of a module.
func (d definitions) of(m *Module) map[string]string {
	if texts := d[m]; texts != nil {
		return texts
	}
	texts, pm := map[string]string{}, m.ptx
	d[m] = texts
	for _, it := range pm.Items {
		switch it := it.(type) {
		case *ptx.Func:
			if it.Defined() {
				texts[it.Name] = pm.Src[lineStart(pm.Src, it.Pos):it.End.Off]
			}
		case *ptx.Var:
			from := lineStart(pm.Src, it.Pos)
			end := strings.IndexByte(pm.Src[it.Pos.Off:], ';')
			texts[it.Name] = pm.Src[from : int(it.Pos.Off)+max(end, 0)]
		}
	}
	return texts
}

// lineStart is the offset of the line of a position.
func lineStart(text string, at ptx.Pos) int { return strings.LastIndexByte(text[:at.Off], '\n') + 1 }
