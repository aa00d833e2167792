package cli

import (
	"io"
	"slices"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/internal/launchspec"
)

// profileFlag checks --profile before anything is run.
func (f *runFlags) profileFlag(saved []launchspec.Named) error {
	switch {
	case f.profile == "":
	case slices.ContainsFunc(saved, func(s launchspec.Named) bool { return sameFile(s.Text, f.profile) }):
		return usage("--profile: %s is named by --save, too", f.profile)
	case f.profile == "-" && f.format == "json":
		return usage("--profile -: standard output has the JSON; give a file, such as profile.txt")
	case f.profile != "-" && !f.force && exists(f.profile):
		return existsError(f.profile)
	}
	return nil
}

// showProfile writes the profile of a run: as text to standard output ("-") or to a file
// *.txt, in pprof's format to other files.
func (a *app) showProfile(name string, p *crosslane.Profile, force bool) error {
	switch {
	case name == "" || p == nil:
		return nil
	case name == "-":
		a.out.WriteByte('\n')
		return p.WriteText(a.out, a.sourceLine)
	case strings.HasSuffix(name, ".txt"):
		return writeFile(name, force, func(w io.Writer) error { return p.WriteText(w, a.sourceLine) })
	}
	return writeFile(name, force, p.WritePprof)
}

// sourceLine is a line of a source file that a code object names; "" if the file is not here.
func (a *app) sourceLine(file string, n int) string {
	text, _ := a.line(file, n)
	return text
}
