package examples

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"example.org/crosslane/internal/cli"
	"example.org/crosslane/internal/short"
)

// A caseRun is one command of a file .want and its expected output; cases/README.md has the format.
type caseRun struct {
	line    int
	command string
	status  int
	want    []*regexp.Regexp // each matches
	not     []string         // none is contained
}

// readWant parses a file .want.
func readWant(text string) ([]*caseRun, error) {
	var runs []*caseRun
	for n, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			runs = append(runs, &caseRun{line: n + 1, command: command, status: -1})
			continue
		}
		if len(runs) == 0 {
			return nil, fmt.Errorf("line %d: no command before %q", n+1, line)
		}
		run := runs[len(runs)-1]
		if number, ok := strings.CutPrefix(line, "exit "); ok {
			status, err := strconv.Atoi(number)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			run.status = status
		} else if not, ok := strings.CutPrefix(line, "! "); ok {
			run.not = append(run.not, not)
		} else if expr, ok := strings.CutPrefix(line, "~ "); ok {
			re, err := regexp.Compile(expr)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
			run.want = append(run.want, re)
		} else {
			run.want = append(run.want, regexp.MustCompile(regexp.QuoteMeta(line)))
		}
	}
	for _, run := range runs {
		if run.status < 0 {
			return nil, fmt.Errorf("line %d: no exit status", run.line)
		}
	}
	if len(runs) == 0 {
		return nil, fmt.Errorf("no command")
	}
	return runs, nil
}

// check runs the command for the file and returns the differences.
func (r *caseRun) check(t *testing.T, file string) (wrong []string) {
	t.Helper()
	var args []string
	for _, w := range arguments(r.command) {
		w = strings.ReplaceAll(w, "FILE", filepath.ToSlash(file))
		args = append(args, strings.ReplaceAll(w, "FOLDER", filepath.ToSlash(filepath.Dir(file))))
	}
	var out bytes.Buffer
	status := cli.Main(t.Context(), args, strings.NewReader(""), &out, &out)
	if status != r.status {
		wrong = append(wrong, fmt.Sprintf("exit status %d, want %d", status, r.status))
	}
	for _, re := range r.want {
		if !re.Match(out.Bytes()) {
			wrong = append(wrong, fmt.Sprintf("no match of %q", re))
		}
	}
	for _, text := range r.not {
		if bytes.Contains(out.Bytes(), []byte(text)) {
			wrong = append(wrong, fmt.Sprintf("contains %q", text))
		}
	}
	if len(wrong) > 0 {
		wrong = append(wrong, "output:\n"+out.String())
	}
	return wrong
}

// The output of each file of cases matches the file .want next to it.
func TestCases(t *testing.T) {
	t.Parallel()
	n := -1
	err := filepath.WalkDir("cases", func(path string, e fs.DirEntry, err error) error {
		file, ok := strings.CutSuffix(path, ".want")
		if err != nil || e.IsDir() || !ok {
			return err
		}
		if n++; !short.Every(n, 8) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		t.Run(filepath.ToSlash(file), func(t *testing.T) {
			t.Parallel()
			if _, err := os.Stat(file); err != nil {
				t.Fatal(err)
			}
			runs, err := readWant(string(text))
			if err != nil {
				t.Fatalf("%s: %v", path, err)
			}
			for _, run := range runs {
				for _, w := range run.check(t, file) {
					t.Errorf("%s:%d: %s: %s", path, run.line, run.command, w)
				}
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// casesElsewhere are files of cases without a file .want, and where their test is.
var casesElsewhere = map[string]string{
	"cases/faults/ux-10-ci-checks-nothing.sh":      "internal/cli/testdata/check_ci.txtar",
	"cases/faults/ux-11-newbuffer-overflow.go.txt": "TestImpossibleBuffers of the root package",
	"cases/faults/ux-12-static-many-kernels.py":    "internal/cli/static_test.go",
}

// No file of cases is without a test.
func TestCasesAreTested(t *testing.T) {
	t.Parallel()
	err := filepath.WalkDir("cases", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		switch ext := filepath.Ext(path); ext {
		case ".inc": // part of the case that includes it
			if !includedBeside(path) {
				t.Errorf("%s is included by no case beside it", filepath.ToSlash(path))
			}
		case ".ptx", ".s", ".cu", ".sh", ".py", ".txt":
			slash := filepath.ToSlash(path)
			if _, err := os.Stat(path + ".want"); err != nil && casesElsewhere[slash] == "" {
				t.Errorf("%s has no file .want", slash)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// includedBeside reports whether a case in the folder of the file includes it.
func includedBeside(path string) bool {
	cases, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*.s"))
	for _, c := range cases {
		if data, err := os.ReadFile(c); err == nil && strings.Contains(string(data), `.include "`+filepath.Base(path)+`"`) {
			return true
		}
	}
	return false
}
