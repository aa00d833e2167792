package amdgpu

import (
	"testing"

	"example.org/crosslane/diag"
)

// Hooks are functions of packages that import this one: the assembler and the tracker of waits. Only
// an external test can import them, so hooks_set_test.go sets the hooks before the tests run.
type Hooks struct {
	Parse         func(text string) (Inst, error)
	Assemble      func(t testing.TB, text string) []byte // lines with labels
	AssembleInsts func(src, file string) ([]Encoded, diag.List)
	Explain       func(src string, opt ExplainOptions) (*Explanation, error)
	Track         func(Lifting) Tracker
	KernelFiles   func(t testing.TB) []string
	PrefixSum     string // a kernel
	EachKernel    func(t testing.TB, file string, f func(name string, text []byte, entry int64))
}

var hooks Hooks

// SetHooks sets the hooks.
func SetHooks(h Hooks) { hooks = h }
