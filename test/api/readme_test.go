package api_test

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/crosslane/internal/cli"
)

var updateDocs = flag.Bool("update-docs", false, "write what the commands in the documentation print into it")

// The pages whose commands are run. In a block
//
//	```console
//	$ crosslane version            # exit 0
//	crosslane 0.1.0
//	...
//	```
//
// lines after "$ " are commands, the rest is their output on both streams. A line "..." stands for
// any number of lines. A command whose output is not shown at all only has to end with its exit
// status, 0 unless a comment says otherwise.
func pages(t *testing.T) []string {
	t.Helper()
	guide, err := filepath.Glob(filepath.Join("docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{"README.md", filepath.Join("examples", "README.md")}, guide...)
}

// elsewhere are the commands of other programs that pages may show. .ci/run runs them.
var elsewhere = map[string]bool{
	"go test ./...":                         true,
	"go install ./cmd/crosslane":            true,
	"go test -bench . ./bench":              true,
	"go doc example.org/crosslane/lane":     true,
	"go doc example.org/crosslane/lane.DPP": true,
	"export PATH=$PATH:~/go/bin":            true,
	"go build -o crosslane ./cmd/crosslane": true,
}

// A docCommand is a command in a page.
type docCommand struct {
	text      string // in one line, without the comment
	exit      int
	shown     []string
	line      int // 1-based, in the page, of the line with "$ "
	from, end int // lines of the page (0-based) that show its output
}

var exitComment = regexp.MustCompile(`\s+# exit (\d+).*$`)

// commands finds the commands of a page.
func commands(t *testing.T, page string, lines []string) []docCommand {
	t.Helper()
	var cmds []docCommand
	inside := false
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		switch {
		case l == "```console":
			inside = true
		case strings.HasPrefix(l, "```"):
			inside = false
		case !inside:
		case strings.HasPrefix(l, "$ "):
			c := docCommand{text: l[2:], line: i + 1}
			for strings.HasSuffix(c.text, `\`) && i+1 < len(lines) {
				i++
				c.text = strings.TrimSuffix(c.text, `\`) + strings.TrimSpace(lines[i])
			}
			if m := exitComment.FindStringSubmatchIndex(c.text); m != nil {
				c.exit, _ = strconv.Atoi(c.text[m[2]:m[3]])
				c.text = c.text[:m[0]]
			}
			c.from, c.end = i+1, i+1
			cmds = append(cmds, c)
		case len(cmds) == 0:
			t.Errorf("%s:%d: output before a command", page, i+1)
		default:
			c := &cmds[len(cmds)-1]
			c.shown = append(c.shown, l)
			c.end = i + 1
		}
	}
	if inside {
		t.Errorf("%s: a console block does not end", page)
	}
	return cmds
}

// shellWords splits a command as a shell does: blanks, single and double quotes. A bare |
// is a word of its own.
func shellWords(s string) (words []string) {
	var word strings.Builder
	quote, has := rune(0), false
	for _, r := range s {
		switch {
		case quote == 0 && (r == '\'' || r == '"'):
			quote, has = r, true
		case r == quote && quote != 0:
			quote = 0
		case r == ' ' && quote == 0:
			if has {
				words = append(words, word.String())
			}
			word.Reset()
			has = false
		default:
			word.WriteRune(r)
			has = true
		}
	}
	if has {
		words = append(words, word.String())
	}
	return words
}

// runDoc runs a command, or a pipe of commands, and returns the output and the exit status. Files
// in /tmp are put into tmp.
func runDoc(t *testing.T, text, tmp string) (string, int) {
	t.Helper()
	var seen, in bytes.Buffer
	parts := strings.Split(text, " | ")
	exit := 0
	for i, p := range parts {
		args := shellWords(p)
		switch {
		case len(args) > 3 && args[0] == "go" && args[1] == "run" && args[2] == "./cmd/crosslane":
			args = args[3:]
		case len(args) > 0 && args[0] == "crosslane":
			args = args[1:]
		default:
			t.Fatalf("not a command of ours, and not in the list of others: %s", p)
		}
		for k, a := range args {
			if strings.HasPrefix(a, "/tmp/") || strings.Contains(a, "=/tmp/") || strings.Contains(a, "=@/tmp/") {
				args[k] = strings.Replace(a, "/tmp", tmp, 1)
			}
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		var out bytes.Buffer
		if i == len(parts)-1 {
			exit = cli.Main(ctx, args, &in, &seen, &seen)
		} else {
			exit = cli.Main(ctx, args, &in, &out, &seen)
		}
		cancel()
		in = out
	}
	return strings.ReplaceAll(seen.String(), tmp, "/tmp"), exit
}

// sameLines reports whether text equals the shown lines; "..." stands for any lines.
func sameLines(shown, text []string) bool {
	if len(shown) == 0 {
		return len(text) == 0
	}
	if shown[0] == "..." {
		for i := 0; i <= len(text); i++ {
			if sameLines(shown[1:], text[i:]) {
				return true
			}
		}
		return false
	}
	return len(text) > 0 && shown[0] == text[0] && sameLines(shown[1:], text[1:])
}

// outputLines splits the output of a command as a page shows it.
func outputLines(s string) []string {
	s = strings.TrimRight(s, "\n")
	if s == "" {
		return nil
	}
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(strings.ReplaceAll(lines[i], "\t", "    "), " ")
	}
	return lines
}

// TestDocs runs every command of the README and the guide.
func TestDocs(t *testing.T) {
	t.Parallel()
	for _, page := range pages(t) {
		t.Run(page, func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(data), "\n")
			cmds := commands(t, page, lines)
			if page == "README.md" && len(cmds) < 5 {
				t.Errorf("%d commands found: the extraction is broken", len(cmds))
			}
			tmp := t.TempDir()
			if *updateDocs {
				update(t, page, lines, cmds, tmp)
				return
			}
			for _, c := range cmds {
				if elsewhere[c.text] {
					continue
				}
				out, exit := runDoc(t, c.text, tmp)
				if exit != c.exit {
					t.Errorf("%s:%d: %s\nexit %d, the page says %d; it printed\n%s", page, c.line, c.text, exit, c.exit, out)
				}
				if len(c.shown) > 0 && !sameLines(c.shown, outputLines(out)) {
					t.Errorf("%s:%d: %s\nprints\n%s\nthe page shows\n%s", page, c.line, c.text, strings.Join(outputLines(out), "\n"), strings.Join(c.shown, "\n"))
				}
			}
		})
	}
}

// update replaces the output that a page shows for each command, unless parts are left out of it.
func update(t *testing.T, page string, lines []string, cmds []docCommand, tmp string) {
	t.Helper()
	var out []string
	done := 0
	for _, c := range cmds {
		if elsewhere[c.text] {
			continue
		}
		printed, _ := runDoc(t, c.text, tmp)
		text := outputLines(printed)
		switch {
		case len(c.shown) == 0 || sameLines(c.shown, text):
		case slices.Contains(c.shown, "..."):
			t.Errorf("%s:%d: %s: the output differs in the parts shown; write them by hand", page, c.line, c.text)
		default:
			out = append(append(out, lines[done:c.from]...), text...)
			done = c.end
		}
	}
	out = append(out, lines[done:]...)
	if err := os.WriteFile(page, []byte(strings.Join(out, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
}

// Entries of ERRATA.md are numbered without gaps, in order within a section, and name their kind.
func TestErrataNumbers(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("ERRATA.md")
	if err != nil {
		t.Fatal(err)
	}
	kinds := regexp.MustCompile(`(?m)^\| \*\*(\w+)\*\* \|`).FindAllStringSubmatch(string(data), -1)
	given := map[int]bool{}
	for _, section := range strings.Split(string(data), "\n## ") {
		last := 0
		for _, m := range regexp.MustCompile(`(?m)^### E(\d\d+) · (\w+) · `).FindAllStringSubmatch(section, -1) {
			n, _ := strconv.Atoi(m[1])
			if given[n] || n < last {
				t.Errorf("E%s stands twice, or behind a greater number of its section", m[1])
			}
			given[n], last = true, n
			if !slices.ContainsFunc(kinds, func(k []string) bool { return k[1] == m[2] }) {
				t.Errorf("E%s is called %q, a word that the table does not have", m[1], m[2])
			}
		}
	}
	for n := 1; n <= len(given); n++ {
		if !given[n] {
			t.Errorf("there are %d entries and no E%02d", len(given), n)
		}
	}
	if all := bytes.Count(data, []byte("\n### ")); len(given) < 30 || len(given) != all {
		t.Errorf("%d of %d entries have a number and a word for what they are", len(given), all)
	}
	// Files that an entry names exist.
	for _, m := range regexp.MustCompile("`([a-z0-9_/]+\\.(?:go|s))`").FindAllStringSubmatch(string(data), -1) {
		if _, err := os.Stat(filepath.FromSlash(m[1])); err != nil {
			if _, err := os.Stat(filepath.Join("examples", "gcn3", m[1])); err != nil {
				t.Errorf("ERRATA.md names %s: %v", m[1], err)
			}
		}
	}
}

// Every place in the code that deviates from a manual, or chooses where it is silent, has
// an entry that names the file; where a comment cites an entry, it is that one.
func TestErrataComments(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("ERRATA.md")
	if err != nil {
		t.Fatal(err)
	}
	comment := regexp.MustCompile(`//.*\b(Errata( E\d+)?|Unspecified):`)
	cited := regexp.MustCompile(`\bErrata (E\d+)`)
	entries := map[string]string{}
	for _, e := range strings.Split(string(page), "\n### ")[1:] {
		number, _, _ := strings.Cut(e, " ")
		entries[number] = e
	}
	found := 0
	for _, dir := range []string{"lane", "num", "ptx", "amdgpu", "codeobject", "internal/sim", "internal/ir", "internal/matrix", "internal/engine/interp", "internal/check/poison"} {
		files, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatal(dir, err)
		}
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			for _, m := range cited.FindAllSubmatch(data, -1) {
				if e := entries[string(m[1])]; !strings.Contains(e, "`"+filepath.ToSlash(name)+"`") {
					t.Errorf("%s cites Errata %s, which does not name the file", name, m[1])
				}
			}
			if !comment.Match(data) {
				continue
			}
			found++
			if name := filepath.ToSlash(name); !bytes.Contains(page, []byte("`"+name+"`")) {
				t.Errorf("%s has an Errata or Unspecified comment; ERRATA.md does not name the file", name)
			}
		}
	}
	if found < 8 {
		t.Errorf("%d files found", found)
	}
}
