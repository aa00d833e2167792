package api_test

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"example.org/crosslane/internal/cli"
)

// markdown returns the paths of all pages of the repository, except those in testdata.
func markdown(t *testing.T) []string {
	t.Helper()
	var pages []string
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "node_modules" || len(d.Name()) > 1 && strings.HasPrefix(d.Name(), ".")):
			return filepath.SkipDir
		case filepath.Ext(name) == ".md":
			pages = append(pages, name)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

var (
	mdLink    = regexp.MustCompile(`\]\(([^)#:\s]*)(#[^)\s]*)?\)`)
	mdHeading = regexp.MustCompile("^#+ +(.*?) *$")
	mdAnchor  = regexp.MustCompile(`<a (?:name|id)="([^"]+)"`)
)

// prose returns the text of a page without its fenced blocks: lines of code may look like
// headings and links.
func prose(page string) string {
	var b strings.Builder
	fenced := false
	for line := range strings.Lines(page) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if !fenced {
			b.WriteString(line)
		}
	}
	return b.String()
}

// slug returns the anchor that a forge gives a heading: letters, digits, hyphens and
// underscores in lower case, and a hyphen for each blank.
func slug(heading string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(mdLink.ReplaceAllString(heading, "")) {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r), r == '-', r == '_':
			b.WriteRune(r)
		case r == ' ':
			b.WriteByte('-')
		}
	}
	return b.String()
}

// anchors returns the anchors of a page. The second heading of one name has "-1" behind it.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(prose(page)) {
		for _, m := range mdAnchor.FindAllStringSubmatch(line, -1) {
			all[m[1]] = true
		}
		m := mdHeading.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		s := slug(m[1])
		for n := 1; all[s]; n++ {
			s = slug(m[1]) + "-" + strconv.Itoa(n)
		}
		all[s] = true
	}
	return all
}

func TestSlug(t *testing.T) {
	t.Parallel()
	got := anchors("# Why?\n## `fix`, and why\n### A\n### A\n```\n# no heading\n```\n<a name=\"x\"></a>\n")
	for _, want := range []string{"why", "fix-and-why", "a", "a-1", "x"} {
		if !got[want] {
			t.Errorf("no anchor %q in %v", want, got)
		}
	}
	if len(got) != 5 {
		t.Errorf("%d anchors: %v", len(got), got)
	}
}

// Every relative link of every page leads to a file or a folder, and if it has an anchor, to a
// heading of that page.
func TestDocLinks(t *testing.T) {
	t.Parallel()
	links := 0
	for _, page := range markdown(t) {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range mdLink.FindAllStringSubmatch(prose(string(data)), -1) {
			links++
			target, text := page, data
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(m[1]))
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s: link to %s: %v", page, m[1], err)
					continue
				}
			}
			if m[2] == "" || filepath.Ext(target) != ".md" {
				continue
			}
			if text, err = os.ReadFile(target); err != nil {
				t.Fatal(err)
			}
			if !anchors(string(text))[m[2][1:]] {
				t.Errorf("%s: link to %s%s: %s has no such heading", page, m[1], m[2], target)
			}
		}
	}
	if links < 100 {
		t.Errorf("%d links found: the search is broken", links)
	}
}

// The index leads to every page of docs and of docs/reference.
func TestDocIndex(t *testing.T) {
	t.Parallel()
	index, err := os.ReadFile(filepath.Join("docs", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range markdown(t) {
		name := filepath.ToSlash(page)
		if rel, ok := strings.CutPrefix(name, "docs/"); ok && rel != "README.md" && !bytes.Contains(index, []byte("]("+rel+")")) {
			t.Errorf("docs/README.md has no link to %s", rel)
		}
	}
}

// docImages are the pictures of the documentation and the commands that print them.
var docImages = map[string][]string{
	"partial-reduce.svg": {"explain", "shfl.sync.down.b32 %r6, %r5, 16, 31, 0x000fffff;", "--exec", "0x000fffff", "--format", "svg"},
}

// Each picture of the documentation equals the output of its command; -update-docs renews them.
func TestDocImages(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join("docs", "images", "*"))
	script, rerr := os.ReadFile(filepath.Join("test", "page", "pictures.js"))
	if rerr != nil {
		t.Fatal(rerr)
	}
	// Pictures of the page in a browser differ between machines: they are small, and the script names them.
	files = slices.DeleteFunc(files, func(name string) bool {
		photo, ok := strings.CutSuffix(filepath.Base(name), ".png")
		if !ok {
			return false
		}
		if info, err := os.Stat(name); err != nil || info.Size() > 150<<10 {
			t.Errorf("%s: %v, or larger than 150 KiB", name, err)
		}
		if !bytes.Contains(script, []byte("'"+photo+"':")) {
			t.Errorf("%s: test/page/pictures.js does not make it", name)
		}
		return true
	})
	if err != nil || len(files) != len(docImages) {
		t.Errorf("%d pictures, and %d commands that make one: %v", len(files), len(docImages), err)
	}
	for name, args := range docImages {
		var out, errors bytes.Buffer
		if exit := cli.Main(context.Background(), args, strings.NewReader(""), &out, &errors); exit != 0 {
			t.Errorf("%s: exit %d: %s", name, exit, errors.String())
		}
		file := filepath.Join("docs", "images", name)
		if *updateDocs {
			if err := os.WriteFile(file, out.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		have, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(have, out.Bytes()) {
			t.Errorf("%s is not what its command prints (%v); go test . -run TestDocImages -update-docs renews it", file, err)
		}
	}
}

// The table of packages in ARCHITECTURE.md names folders that exist, and each folder with Go files
// has a row: its own, a row NAME/* of the folder above it, or that of a folder that contains it.
func TestArchitectureTable(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "\n## Packages\n")
	table, _, _ = strings.Cut(table, "\n## ")
	rows := map[string]bool{}
	for _, line := range strings.Split(table, "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		for _, m := range regexp.MustCompile("`([^`]+)`( \\(root\\))?").FindAllStringSubmatch(cells[1], -1) {
			name := strings.TrimSuffix(m[1], "/*")
			if m[2] != "" {
				name = "."
			}
			rows[name] = true
			if _, err := os.Stat(filepath.FromSlash(name)); err != nil {
				t.Errorf("ARCHITECTURE.md has a row %s: %v", m[1], err)
			}
		}
	}
	if len(rows) < 20 {
		t.Fatalf("%d rows found: the search is broken", len(rows))
	}
	err = filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == "testdata" || d.Name() == "node_modules" || len(d.Name()) > 1 && strings.HasPrefix(d.Name(), ".") {
			return filepath.SkipDir
		}
		if files, _ := filepath.Glob(filepath.Join(name, "*.go")); len(files) == 0 {
			return nil
		}
		for dir := filepath.ToSlash(name); !rows[dir]; dir = path.Dir(dir) {
			if dir == "." || !strings.Contains(dir, "/") {
				t.Errorf("ARCHITECTURE.md has no row for %s", name)
				break
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Files that the pages about the code name exist: a name without a folder may be in any.
func TestDocFiles(t *testing.T) {
	t.Parallel()
	have := map[string]bool{}
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			for dir := filepath.ToSlash(name); dir != "."; {
				have[dir] = true
				_, rest, ok := strings.Cut(dir, "/")
				if !ok {
					break
				}
				dir = rest
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`([a-z0-9_/]+\\.(?:go|s|golden))`")
	for _, page := range []string{"ARCHITECTURE.md", "RATIONALE.md", "GLOSSARY.md", "CONTRIBUTING.md", "internal/jit/README.md"} {
		text, err := os.ReadFile(filepath.FromSlash(page))
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range named.FindAllStringSubmatch(string(text), -1) {
			if !have[m[1]] {
				t.Errorf("%s names %s, which does not exist", page, m[1])
			}
		}
	}
}
