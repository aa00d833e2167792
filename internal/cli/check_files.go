package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/input"
	"example.org/crosslane/internal/report"
	"example.org/crosslane/internal/results"
)

// checkedFiles holds the results of a check of several files.
type checkedFiles struct {
	many    bool // several files were asked for, or a folder
	planned int  // how many
	files   []*checked
	skipped []skippedFile
}

// skippedFile is a file that was named and is none that can be checked.
type skippedFile struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// checkFilesJSON is the result of check for several files, schema crosslane.check-files/1.
type checkFilesJSON struct {
	Schema  string          `json:"schema"`
	Files   []results.Check `json:"files"`
	Skipped []skippedFile   `json:"skipped,omitempty"`
}

// checkable are the ends of the names of files that check looks for in folders.
var checkable = []string{".ptx", ".s", ".asm", ".co", ".hsaco", ".o"}

// checkPaths lists the files that paths stand for: files, folders with all that is below them, and
// patterns, in the order of the paths, each file once. many reports that there may be several.
func checkPaths(paths []string) (found []string, many bool, err error) {
	many = len(paths) > 1
	seen := map[string]bool{}
	add := func(file string) {
		if clean := filepath.Clean(file); !seen[clean] {
			seen[clean] = true
			found = append(found, file)
		}
	}
	for _, path := range paths {
		list := []string{path}
		if strings.ContainsAny(path, "*?[") && !exists(path) {
			many = true
			if list, err = filepath.Glob(path); err != nil || len(list) == 0 {
				d := ioError(diag.Pos{File: path}, "no file has such a name")
				d.Remedy = "a pattern may contain *, ? and [a-z]; name a folder for all that is below it"
				return nil, false, d
			}
		}
		for _, file := range list {
			if st, err := os.Stat(file); path == "-" || err != nil || !st.IsDir() {
				add(file)
				continue
			}
			if kernel := tritonFile(file); kernel != "" {
				add(kernel)
				continue
			}
			many = true
			n := len(found)
			if err := walkCheckable(file, add); err != nil {
				return nil, false, ioError(diag.Pos{File: file}, "cannot read: %s", input.Reason(err))
			}
			if n == len(found) {
				d := ioError(diag.Pos{File: file}, "the folder holds no file to check")
				d.Remedy = "files to check end in " + strings.Join(checkable, ", ") + "; name other files one by one"
				return nil, false, d
			}
		}
	}
	return found, many, nil
}

// walkCheckable calls add for the files below a folder that may be checked. Folders whose names
// begin with a dot are left out.
func walkCheckable(folder string, add func(string)) error {
	return filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir() && path != folder && strings.HasPrefix(e.Name(), "."):
			return filepath.SkipDir
		case e.Type().IsRegular() && slices.Contains(checkable, strings.ToLower(filepath.Ext(path))):
			add(path)
		}
		return nil
	})
}

// launchBeside is the launch file of a kernel's file: k.launch.json of k.ptx; "" if there is none.
func launchBeside(file string) string {
	name := strings.TrimSuffix(file, filepath.Ext(file)) + ".launch.json"
	if file == "-" || !exists(name) {
		return ""
	}
	return name
}

// ofLaunch are the flags that describe a launch: with one of them a file is run.
var ofLaunch = []string{"grid", "launch", "arg", "shared"}

// beside chooses how a file is checked for which nothing is said: with the launch file beside it,
// else without a launch.
func (f *checkFlags) beside(changed func(string) bool, file string, many bool) {
	if f.static || len(f.targets) > 0 || slices.ContainsFunc(ofLaunch, changed) {
		return
	}
	if f.launch = launchBeside(file); f.launch == "" && (many || len(f.sweep) == 0) {
		f.static, f.sweep = true, nil
	}
}

// forOneFile refuses flags that are about one kernel or one launch.
func forOneFile(changed func(string) bool) error {
	for _, name := range append([]string{"kernel", "buffer", "set-symbol", "print", "save", "expect"}, ofLaunch...) {
		if changed(name) {
			return usage("--%s is for one file; of several each is run with the launch file beside it: k.launch.json of k.ptx", name)
		}
	}
	return nil
}

// foreign reports whether the file is none that holds kernels.
func (c *checked) foreign() bool {
	return slices.ContainsFunc(c.list, func(d *diag.Diagnostic) bool { return d.Code == "unknown-kind" })
}

// skip notes that a file is not checked.
func (all *checkedFiles) skip(c *checked, fails bool) {
	for _, d := range c.list {
		if d.Code == "unknown-kind" {
			all.skipped = append(all.skipped, skippedFile{c.file, d.Message})
			if fails {
				d.Remedy = "leave the file out, or leave out --require-all"
			}
			return
		}
	}
}

// with returns a copy whose findings have passed through change.
func (all *checkedFiles) with(change func([]*report.Finding) []*report.Finding) *checkedFiles {
	out := &checkedFiles{many: all.many, planned: all.planned, skipped: all.skipped}
	for _, c := range all.files {
		copied := *c
		copied.found = change(c.found)
		out.files = append(out.files, &copied)
	}
	return out
}

// stopped is the file at which an interrupt ended the check; nil: none.
func (all *checkedFiles) stopped() *checked {
	if i := slices.IndexFunc(all.files, func(c *checked) bool { return c.stopped }); i >= 0 {
		return all.files[i]
	}
	return nil
}

// findings are those of all files.
func (all *checkedFiles) findings() (list []*report.Finding) {
	for _, c := range all.files {
		list = append(list, c.found...)
	}
	return list
}

// apply excuses the findings that a baseline has, and reports its stale entries: those without a
// finding.
func (all *checkedFiles) apply(known *report.Baseline, f *checkFlags, keep func(string) bool) {
	stale := known.Apply(all.findings())
	whole := !slices.ContainsFunc(all.files, func(c *checked) bool { return !c.complete || !c.alone || c.failed })
	if len(stale) == 0 || !whole || len(all.files) == 0 || f.rules != "" || !keep("stale-baseline") {
		return
	}
	d := &diag.Diagnostic{Pos: diag.Pos{File: f.baseline}, Severity: diag.Note, Class: diag.Finding, Code: "stale-baseline",
		Message: fmt.Sprintf("%d of its findings did not occur, such as %s in %s line %d", len(stale), stale[0].Code, stale[0].File, stale[0].Line),
		Remedy:  "write it anew with --baseline and --write-baseline, unless other launches need them"}
	last := all.files[len(all.files)-1]
	last.found = append(last.found, report.New(diag.List{d}, f.atLeast())...)
}

// json is the report, of one file or of several.
func (all *checkedFiles) json() any {
	if !all.many {
		return all.files[0].json()
	}
	out := checkFilesJSON{Schema: "crosslane.check-files/1", Files: []results.Check{}, Skipped: all.skipped}
	for _, c := range all.files {
		out.Files = append(out.Files, c.json())
	}
	return out
}

// summary is the number of files that were checked, and how.
func (all *checkedFiles) summary() string {
	if !all.many {
		return ""
	}
	launched := 0
	for _, c := range all.files {
		if c.planned > 0 {
			launched++
		}
	}
	text := "; " + results.Numbered(len(all.files), "file")
	if all.stopped() != nil {
		text = fmt.Sprintf("; %d of %s", len(all.files), results.Numbered(all.planned, "file"))
	}
	if launched > 0 {
		text += fmt.Sprintf(", %d of them with a launch", launched)
	}
	if n := len(all.skipped); n > 0 {
		text += fmt.Sprintf("; %d skipped", n)
	}
	return text
}
