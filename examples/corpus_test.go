package examples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/cli"
	"example.org/crosslane/internal/short"
)

// A corpusCase is a kernel of bad or good, as its comments describe it; see
// bad/README.md.
type corpusCase struct {
	path    string
	lines   []string
	head    string              // the first comment
	checks  []string            // for each run, the text after "crosslane check FILE"
	want    map[string]struct{} // "LINE CODE"
	rules   []string            // for a good one: the codes that it nearly shows
	isGood  bool
	pending bool
}

var (
	corpusRun   = regexp.MustCompile(`^// check:(.*)$`)
	corpusRules = regexp.MustCompile(`^// rules: *([a-z0-9 -]+)$`)
	corpusWant  = regexp.MustCompile(`// want ([a-z][a-z0-9 -]*)$`)
	// An argument of a command line: words and quoted pieces of it.
	corpusWord = regexp.MustCompile(`(?:'[^']*'|[^\s'])+`)
)

// readCorpus reads the cases of a folder and those below it.
func readCorpus(t *testing.T, folder string) []*corpusCase {
	t.Helper()
	var list []*corpusCase
	err := filepath.WalkDir(folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) == ".md" {
			return err
		}
		c, err := readCorpusCase(path)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			return nil
		}
		list = append(list, c)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func readCorpusCase(path string) (*corpusCase, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	slash := filepath.ToSlash(path)
	c := &corpusCase{path: path, lines: strings.Split(string(text), "\n"), want: map[string]struct{}{}}
	c.isGood = strings.HasPrefix(slash, "good/")
	c.pending = strings.HasPrefix(slash, "bad/pending/")
	for n, line := range c.lines {
		line = strings.TrimRight(line, " \t\r")
		if m := corpusRun.FindStringSubmatch(line); m != nil {
			c.checks = append(c.checks, strings.TrimSpace(m[1]))
		} else if m := corpusRules.FindStringSubmatch(line); m != nil {
			c.rules = append(c.rules, strings.Fields(m[1])...)
		} else if m := corpusWant.FindStringSubmatch(line); m != nil {
			for _, code := range strings.Fields(m[1]) {
				if err := corpusCode(code); err != nil && !c.pending {
					return nil, fmt.Errorf("line %d: %w", n+1, err)
				}
				at := n + 1
				if strings.HasPrefix(line, "// want") {
					at = 0 // it concerns the file, not a line
				}
				c.want[fmt.Sprint(at, " ", code)] = struct{}{}
			}
		} else if text, ok := strings.CutPrefix(line, "//"); ok && len(c.checks) == 0 {
			c.head += text
		}
	}
	for _, code := range c.rules {
		if err := corpusCode(code); err != nil {
			return nil, err
		}
	}
	name, _, _ := strings.Cut(filepath.Base(path), "_")
	switch ext := filepath.Ext(path); {
	case !slices.Contains([]string{"/ptx/.ptx", "/gcn3/.s"}, "/"+filepath.Base(filepath.Dir(path))+"/"+ext):
		return nil, fmt.Errorf("PTX is in ptx/*.ptx, GCN3 in gcn3/*.s")
	case len(c.head) < 25:
		return nil, fmt.Errorf("the comment at its beginning does not say what it shows")
	case len(c.checks) == 0:
		return nil, fmt.Errorf(`no line "// check: FLAGS"`)
	case c.isGood && (len(c.want) > 0 || !slices.Contains(c.rules, name)):
		return nil, fmt.Errorf("a good case wants nothing, and its rules have the code of its name, %s", name)
	case !c.isGood && (len(c.rules) > 0 || !slices.Contains(c.codes(), name)):
		return nil, fmt.Errorf("a bad case has no rules, and wants the code of its name, %s", name)
	}
	return c, nil
}

// arguments returns the arguments of a command line, without their quotes.
func arguments(line string) []string {
	list := corpusWord.FindAllString(line, -1)
	for i, w := range list {
		list[i] = strings.ReplaceAll(w, "'", "")
	}
	return list
}

func corpusCode(code string) error {
	if _, ok := diag.LookupCode(code); !ok {
		return fmt.Errorf("there is no code %q", code)
	}
	return nil
}

// codes are the codes that the case wants.
func (c *corpusCase) codes() []string {
	seen := map[string]bool{}
	for w := range c.want {
		_, code, _ := strings.Cut(w, " ")
		seen[code] = true
	}
	var list []string
	for code := range seen {
		list = append(list, code)
	}
	slices.Sort(list)
	return list
}

// stillRunning matches the message of a command about a run that takes a minute or more.
var stillRunning = regexp.MustCompile(`(?m)^still running after .*\n`)

// steady is a command's output without the parts that depend on the speed of the machine.
func steady(out string) string { return stillRunning.ReplaceAllString(out, "") }

// A corpusFinding holds the parts of a finding in a report that the test reads.
type corpusFinding struct {
	Code, Severity, Message, File string
	Line                          int
}

func (f corpusFinding) at() string { return fmt.Sprint(f.Line, " ", f.Code) }

// check makes all runs of the case and returns the differences.
func (c *corpusCase) check(t *testing.T) (wrong []string) {
	t.Helper()
	found := map[string]bool{}
	for _, flags := range c.checks {
		args := append([]string{"check", c.path, "--format", "json"}, arguments(flags)...)
		var out, errs bytes.Buffer
		status := cli.Main(t.Context(), args, strings.NewReader(""), &out, &errs)
		var report struct{ Findings []corpusFinding }
		if err := json.Unmarshal(out.Bytes(), &report); err != nil {
			wrong = append(wrong, fmt.Sprintf("check %s: status %d, no report (%v): %s", flags, status, err, errs.Bytes()))
			continue
		}
		told := map[string]bool{}
		for _, f := range report.Findings {
			if key := f.at() + f.Message; told[key] {
				wrong = append(wrong, fmt.Sprintf("check %s: told twice: %d: %s", flags, f.Line, f.Message))
			} else {
				told[key] = true
			}
			_, wanted := c.want[f.at()]
			if !wanted && (f.Severity != "note" || slices.Contains(c.rules, f.Code)) {
				wrong = append(wrong, fmt.Sprintf("check %s: not wanted: %d: %s: %s [%s]", flags, f.Line, f.Severity, f.Message, f.Code))
			}
			found[f.at()] = true
		}
	}
	for w := range c.want {
		if !found[w] {
			wrong = append(wrong, "not found: "+w)
		}
	}
	slices.Sort(wrong)
	return wrong
}

// Every bad kernel shows the findings of its comments, at their lines, and no other finding; every
// good one shows none.
func TestCorpus(t *testing.T) {
	t.Parallel()
	for _, c := range short.Sample(slices.Concat(readCorpus(t, "bad"), readCorpus(t, "good")), 5) {
		t.Run(filepath.ToSlash(strings.TrimSuffix(c.path, filepath.Ext(c.path))), func(t *testing.T) {
			t.Parallel()
			wrong := c.check(t)
			switch {
			case !c.pending:
				for _, w := range wrong {
					t.Error(w)
				}
			case len(wrong) == 0:
				t.Errorf("nothing is wrong any more: move %s out of pending", c.path)
			default:
				for _, w := range wrong {
					t.Log("pending: ", w)
				}
			}
		})
	}
}

// needsRules are the rules that a code, or a kernel, needs besides: race-limit ends the search for races, unused-ignore is about the
// rule that is ignored, and some findings show in another order only.
var needsRules = map[string]string{
	"race-limit": ",race-global",
	"blocks-wait_look_back_by_block_number.ptx":       ",schedule-dependent",
	"undefined-source_old_shuffle_after_a_branch.ptx": ",schedule-dependent,undefined-source,poison-store",
}

// TestRuleAlone checks that a finding of a bad kernel does not need other rules: --rules with its code alone finds it, too.
func TestRuleAlone(t *testing.T) {
	t.Parallel()
	for _, c := range short.Sample(readCorpus(t, "bad"), 10) {
		for _, code := range c.codes() {
			if d, _ := diag.LookupCode(code); d.Class != diag.Finding || c.pending || code == "unused-ignore" {
				continue
			}
			rules := code
			for _, part := range []string{code, filepath.Base(c.path)} {
				rules += needsRules[part]
			}
			found := false
			for _, flags := range c.checks {
				var out bytes.Buffer
				args := append([]string{"check", c.path, "--format", "json", "--rules", rules}, arguments(flags)...)
				cli.Main(t.Context(), args, strings.NewReader(""), &out, io.Discard)
				found = found || strings.Contains(out.String(), `"code":"`+code+`"`)
			}
			if !found {
				t.Errorf("%s: --rules %s finds nothing", c.path, code)
			}
		}
	}
}

// An error of --static is certain: it calls no launch of a good kernel wrong, and no launch of a
// bad one for another reason than its own.
func TestCorpusStatic(t *testing.T) {
	t.Parallel()
	for _, c := range short.Sample(slices.Concat(readCorpus(t, "bad"), readCorpus(t, "good")), 8) {
		if c.pending || slices.ContainsFunc(c.checks, func(s string) bool { return strings.Contains(s, "--static") }) {
			continue
		}
		c.checks = []string{"--static"}
		for _, w := range c.check(t) {
			if strings.Contains(w, ": error: ") && !strings.Contains(w, "[unsupported]") || strings.Contains(w, "told twice") {
				t.Errorf("%s: %s", c.path, w)
			}
		}
	}
}

// The README's links lead to kernels.
func TestCorpusREADME(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("bad/README.md")
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]bool{}
	for _, m := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllSubmatch(text, -1) {
		file := filepath.Join("bad", filepath.FromSlash(string(m[1])))
		linked[file] = true
		if _, err := os.Stat(file); err != nil {
			t.Error(err)
		}
	}
	if len(linked) < 25 {
		t.Errorf("%d links", len(linked))
	}
}

// notInCorpus are codes of findings and faults that check does not find in a kernel, and
// why.
var notInCorpus = map[string]string{
	"cancelled":      "a caller's doing",
	"expect-failed":  "a finding of run",
	"results-differ": "a finding of diff",
	"fixed":          "a finding of fix",
	"not-fixable":    "a finding of fix",
	"proposed":       "a finding of fix",
	"budget-reached": "depends on the machine's speed",
	"stale-baseline": "about a file that stands beside the kernel",
}

// Every code of findings and faults has at least three bad cases and three good ones.
func TestCorpusCoversCodes(t *testing.T) {
	t.Parallel()
	bad, good := map[string]int{}, map[string]int{}
	for _, c := range readCorpus(t, "bad") {
		if c.pending {
			continue
		}
		for _, code := range c.codes() {
			bad[code]++
		}
	}
	for _, c := range readCorpus(t, "good") {
		for _, code := range c.rules {
			good[code]++
		}
	}
	for _, code := range diag.Codes() {
		if code.Class != diag.Finding && code.Class != diag.Fault || code.Host { // hosts have twins in test/device
			continue
		}
		enough := bad[code.Code] >= 3 && good[code.Code] >= 3
		switch why := notInCorpus[code.Code]; {
		case enough && why != "":
			t.Errorf("%s has cases enough; it is excused because: %s", code.Code, why)
		case !enough && why == "":
			t.Errorf("%s has %d bad and %d good cases, want 3 of each", code.Code, bad[code.Code], good[code.Code])
		}
	}
	for code := range notInCorpus {
		if _, ok := diag.LookupCode(code); !ok {
			t.Errorf("there is no code %s to excuse", code)
		}
	}
}
