package cli

import (
	"path/filepath"
	"slices"

	"example.org/crosslane/diag"
)

// sources are the endings of files in languages that only a compiler reads.
var sources = []string{".cu", ".cl", ".hip", ".c", ".cc", ".cpp"}

// sourceFirst returns the error of a file that no launch can run, because it is source and there is no compiler for it; else
// the error of the launch.
func (a *app) sourceFirst(file, isa string, launch error) error {
	if !slices.Contains(sources, filepath.Ext(file)) {
		return launch
	}
	data, shown, err := a.readProgram(file)
	if err == nil {
		_, err = a.load(data, shown, isa)
	}
	if slices.ContainsFunc(diag.Of(err), func(d *diag.Diagnostic) bool { return d.Code == "unknown-kind" }) {
		return err
	}
	return launch
}
