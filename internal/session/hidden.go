package session

import (
	"fmt"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/ptx"
)

// scratch names the arguments that Triton passes after those of a kernel, since 3.3 the first and
// since 3.4 both: memory for the compiler's own use, and memory for its profiler.
var scratch = [...]string{"Triton's global scratch memory", "Triton's profile scratch memory"}

// markScratch marks the last parameters of a Triton kernel that its launcher passes. They are
// pointers of LLVM's form in a kernel with the number of threads that Triton declares; a parameter
// that the kernel reads counts only if the source is Python.
func markScratch(m *ptx.Module, f *ptx.Func, params []api.Param) {
	if f.Directive(".reqntid") == nil {
		return
	}
	python := false
	for _, it := range m.Items {
		if d, ok := it.(*ptx.Directive); ok && d.Name == ".file" && len(d.Args) >= 2 {
			python = python || strings.HasSuffix(d.Args[1].Name, ".py")
		}
	}
	for n := range min(len(scratch), len(params)) {
		i := len(params) - 1 - n
		v := f.Params[i]
		if !v.Ptr || v.PtrSpace != ptx.SpaceGlobal || v.PtrAlign != 1 || v.Name != fmt.Sprintf("%s_param_%d", f.Name, i) || !params[i].Unread && !python {
			return
		}
		params[i].Hidden = scratch[len(scratch)-1-n]
	}
}

// leaveOut returns which parameters are given if a launch leaves a set of them out: empty leaves
// out empty structures; hidden is how many of the hidden parameters at the end are left out.
func (k *Kernel) leaveOut(empty bool, hidden int) (given []bool, n int) {
	given = make([]bool, len(k.params))
	for i := len(k.params) - 1; i >= 0; i-- {
		p := &k.params[i]
		switch {
		case p.Hidden != "" && hidden > 0:
			hidden--
		case empty && isEmpty(p):
		default:
			given[i] = true
			n++
		}
	}
	return given, n
}

// given returns which parameters n arguments are for: all, which is nil, or all but those that may
// be left out. ok is false if there is no choice for n, or more than one.
func (k *Kernel) given(n int) (given []bool, ok bool) {
	if n == len(k.params) {
		return nil, true
	}
	hidden, empty := 0, false
	for i := range k.params {
		if empty = empty || isEmpty(&k.params[i]); k.params[i].Hidden != "" {
			hidden++
		}
	}
	var found []bool
	choices := 0
	for h := range hidden + 1 {
		for _, e := range []bool{false, true} {
			if given, left := k.leaveOut(e, h); left == n && (empty || !e) {
				found = given
				choices++
			}
		}
	}
	if choices != 1 {
		return nil, false
	}
	return found, true
}
