package api_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The pages docs/founding-*.md list every statement of a manual's section in tables of
// four columns: statement, where it is executed, test, command.
//
// A test is written `ptx.TestFunnelExamples`: the last element of the package's path
// (crosslane: the root) and the function; text in double quotes behind it names the case,
// and must occur in the package's test files or in package enginetest. A command is
// written `crosslane explain '…'`, with "exit N" behind it if it does not end with 0.
// Inside tables, Markdown wants \| for |.

var (
	testName    = regexp.MustCompile("`([a-z0-9]+)\\.((?:Test|Fuzz|Example)\\w*)`")
	testCase    = regexp.MustCompile(`"([^"]+)"`)
	pageCommand = regexp.MustCompile("`(crosslane [^`]+)`(?: exit (\\d+))?")
)

// testDirs maps the last element of every package's path to its folder.
func testDirs(t *testing.T) map[string]string {
	t.Helper()
	dirs := map[string]string{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if name := d.Name(); path != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "node_modules") {
			return filepath.SkipDir
		}
		if files, _ := filepath.Glob(filepath.Join(path, "*.go")); len(files) > 0 {
			dirs[d.Name()] = path
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	dirs["crosslane"] = filepath.Join("test", "api") // the tests of package crosslane
	return dirs
}

// testText is the text of a folder's test files.
func testText(t *testing.T, dir, pattern string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		b.Write(data)
	}
	return b.String()
}

// tableRow returns the cells of a row, nil for other lines, heads and rulers.
func tableRow(line string) []string {
	if !strings.HasPrefix(line, "| ") && !strings.HasPrefix(line, "|-") {
		return nil
	}
	const pipe = "\x00"
	line = strings.ReplaceAll(strings.TrimSpace(line), `\|`, pipe)
	cells := strings.Split(strings.Trim(line, "|"), "|")
	for i := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(cells[i]), pipe, "|")
	}
	if strings.HasPrefix(cells[0], "--") || cells[0] == "statement" {
		return nil
	}
	return cells
}

// TestFoundingPages: the tests that the pages name exist, and the commands end as they
// say.
func TestFoundingPages(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob(filepath.Join("docs", "founding-*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("pages %v, %v", pages, err)
	}
	dirs := testDirs(t)
	shared := testText(t, dirs["enginetest"], "*.go")
	texts := map[string]string{}
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		exits := map[string]int{} // the exit status of each command
		rows := 0
		for i, line := range strings.Split(string(data), "\n") {
			cells := tableRow(line)
			if cells == nil {
				continue
			}
			rows++
			if len(cells) != 4 {
				t.Errorf("%s:%d: %d cells, want 4", page, i+1, len(cells))
				continue
			}
			names := testName.FindAllStringSubmatch(cells[2], -1)
			if len(names) == 0 {
				t.Errorf("%s:%d: no test is named", page, i+1)
			}
			all := shared
			for _, n := range names {
				dir, ok := dirs[n[1]]
				if !ok {
					t.Errorf("%s:%d: there is no package %s", page, i+1, n[1])
					continue
				}
				if texts[dir] == "" {
					texts[dir] = testText(t, dir, "*_test.go")
				}
				all += texts[dir]
				if !strings.Contains(texts[dir], "\nfunc "+n[2]+"(") {
					t.Errorf("%s:%d: there is no test %s in %s", page, i+1, n[2], dir)
				}
			}
			for _, c := range testCase.FindAllStringSubmatch(cells[2], -1) {
				if !strings.Contains(all, c[1]) {
					t.Errorf("%s:%d: no test has a case %q", page, i+1, c[1])
				}
			}
			for _, c := range pageCommand.FindAllStringSubmatch(cells[3], -1) {
				exit, _ := strconv.Atoi(c[2])
				if was, ok := exits[c[1]]; ok && was != exit {
					t.Errorf("%s:%d: %s: exit %d here, %d above", page, i+1, c[1], exit, was)
				}
				exits[c[1]] = exit
			}
		}
		if rows < 20 {
			t.Errorf("%s: %d statements found: the extraction is broken", page, rows)
		}
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			tmp := t.TempDir()
			for text, want := range exits {
				if out, exit := runDoc(t, text, tmp); exit != want {
					t.Errorf("%s: %s\nexit %d, the page says %d; it printed\n%s", page, text, exit, want, out)
				}
			}
		})
	}
}
