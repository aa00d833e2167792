package ptx

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	goparser "go/parser"
	gotoken "go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
)

//go:generate go test -update .

var (
	update   = flag.Bool("update", false, "write the coverage page anew")
	sections = flag.Bool("sections", false, "correct the sections that rows cite")
)

const coveragePage = "../docs/reference/ptx-coverage.md"

// isaSections are the sections of the PTX ISA that describe instructions.
func isaSections(t *testing.T) (order []string, names map[string][]string) {
	data, err := os.ReadFile("testdata/isa-sections.txt")
	if err != nil {
		t.Fatal(err)
	}
	names = map[string][]string{}
	for _, line := range strings.Split(string(data), "\n") {
		if num, list, ok := strings.Cut(line, " "); ok && num != "#" {
			order = append(order, num)
			names[num] = strings.Split(list, ", ")
		}
	}
	return order, names
}

// describes returns how well a section's title names a row's instruction; 0: the title is about
// another instruction. A name whose parts stand at the start of the opcode, in order, is better
// than a name whose parts stand elsewhere in it. A longer name is better than a shorter one.
func describes(names []string, r *row) int {
	best := 0
	for _, name := range names {
		parts := strings.Split(name, ".")
		mnemonic, _, _ := strings.Cut(parts[0], "::")
		ok, begins := mnemonic == r.mnemonic, true
		for i, p := range parts[1:] {
			found := false
			for j, e := range r.elems {
				for _, a := range e.alts {
					if !e.opt && (a == p || strings.HasPrefix(a, p+"::")) {
						found = true
						begins = begins && j <= i
					}
				}
			}
			ok = ok && found
		}
		switch {
		case ok && begins:
			best = max(best, 100+len(parts))
		case ok:
			best = max(best, len(parts))
		}
	}
	return best
}

// TestEverySectionHasRows checks that the table has every instruction for which the manual has a
// section, and that each row cites the section that describes it. With -sections, it corrects rows
// that cite another section.
func TestEverySectionHasRows(t *testing.T) {
	order, names := isaSections(t)
	have := map[string]int{}
	for _, mnemonic := range instructions().names {
		for _, r := range instructions().rows[mnemonic] {
			if strings.HasPrefix(r.Sec, in94) {
				continue
			}
			if n := names[r.Sec]; describes(n, r) > 0 {
				have[r.Sec]++
				continue
			}
			best, length := "", 0
			for _, sec := range order {
				if n := describes(names[sec], r); n > length {
					best, length = sec, n
				}
			}
			if *sections && best != "" {
				correctSection(t, r, best)
				continue
			}
			t.Errorf("%.80s: PTX %s is about %s; it should cite %s", r.Form, r.Sec, strings.Join(names[r.Sec], ", "), best)
		}
	}
	for _, sec := range order {
		switch names[sec][0] {
		case "{}", "@": // scopes and guards are of the language, not of the table
			continue
		}
		if have[sec] == 0 && !*sections {
			t.Errorf("PTX %s, %s: no row", sec, strings.Join(names[sec], ", "))
		}
	}
	if len(order) < 200 {
		t.Errorf("only %d sections", len(order))
	}
}

// correctSection replaces the section that a row cites in its source file.
func correctSection(t *testing.T, r *row, sec string) {
	syntax, _, _ := strings.Cut(r.Form, ";")
	files, _ := filepath.Glob("rows_*.go")
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text, at := string(data), 0
		for {
			i := strings.Index(text[at:], "Form: \""+syntax)
			if i < 0 {
				break
			}
			at += i + 1
			j := strings.Index(text[at:], "Sec: \"")
			if end := strings.Index(text[at:], "Form: \""); j < 0 || end >= 0 && j > end {
				continue
			}
			if rest := text[at+j+6:]; strings.HasPrefix(rest, r.Sec+"\"") {
				text = text[:at+j+6] + sec + rest[len(r.Sec):]
			}
		}
		if text != string(data) {
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestFidelityColumn checks that exactly the approximate rows, and the rows that an approximate
// function computes, state a bound.
func TestFidelityColumn(t *testing.T) {
	t.Parallel()
	allVariants(func(r *row, op string, v *variant) {
		approx := false
		for _, tmpl := range r.Do.ops {
			approx = approx || strings.Contains(tmpl, "Approx") || strings.Contains(tmpl, "Full")
		}
		if approx && r.Bound == "" {
			t.Errorf("%.60s has no bound", r.Form)
		}
		if r.Bound != "" && r.fidelity() != Approximate {
			t.Errorf("%.60s has a bound and is %s", r.Form, r.fidelity())
		}
	})
}

// ran counts, for each row and test, how often the test ran a kernel with it. Tests that run
// kernels call recordRun.
var ran = struct {
	sync.Mutex
	by map[*row]map[string]int
}{by: map[*row]map[string]int{}}

// recordRun records that a test runs a kernel, so that the coverage page can name the test.
func recordRun(t testing.TB, k *Kernel) {
	test, _, _ := strings.Cut(t.Name(), "/")
	ran.Lock()
	defer ran.Unlock()
	for _, u := range k.Uses {
		if ran.by[u.row] == nil {
			ran.by[u.row] = map[string]int{}
		}
		ran.by[u.row]["ptx."+test]++
	}
}

// TestMain runs all tests, and then checks or writes the coverage page. The list of the rows that
// each test runs is complete only after all tests.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	all := true
	for _, f := range []string{"test.run", "test.skip", "test.bench", "test.fuzz"} {
		all = all && flag.Lookup(f).Value.String() == ""
	}
	if all && !testing.Short() && flag.Lookup("test.list").Value.String() == "" {
		if err := checkCoverage(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
	}
	os.Exit(code)
}

// notRun are tests that mention opcodes without running them.
var notRun = regexp.MustCompile(`^Test(Check|Version|Every|Bad|Error|Explain|RoundTrip|Habits|Forms|InstructionForms|DeclarationForms|Snippet|Position|Fuzz|Needs|Unsupported|Target|Directive|Coverage|Fidelity|Docs|Lift|Supports|DidYouMean|Parse|Print|Resolve)`)

// opcodeText matches a possible opcode in a text, and its operands.
var opcodeText = regexp.MustCompile(`(?m)(?:^|[\s;{}@)"|])([a-z][a-z0-9]*(?:\.[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)*)*(?:::[a-z_]+)?)(\s+[^;"]*?|\s*)(?:;|$)`)

// mentions returns the rows of the instructions in a text.
func mentions(text string, add func(r *row)) {
	for _, m := range opcodeText.FindAllStringSubmatch(text, -1) {
		parts := strings.Split(m[1], ".")
		if instructions().rows[parts[0]] == nil {
			continue
		}
		n, depth := 0, 0
		for _, c := range m[2] {
			switch c {
			case '{', '[', '(':
				depth++
			case '}', ']', ')':
				depth--
			case ',':
				if depth == 0 {
					n++
				}
			}
		}
		if strings.TrimSpace(m[2]) != "" {
			n++
		}
		if v := instructions().lookup(parts, n); v != nil {
			add(v.row)
		}
	}
}

// testsByRow returns for each row the tests that run an instruction of it, best first. Tests of
// this package that recorded their runs come first; then come the tests and examples whose texts
// mention the instruction.
func testsByRow() (map[*row][]string, error) {
	by := map[*row][]string{}
	for r, tests := range ran.by {
		for test := range tests {
			by[r] = append(by[r], test)
		}
		sort.Slice(by[r], func(i, j int) bool {
			a, b := by[r][i], by[r][j]
			return tests[a] > tests[b] || tests[a] == tests[b] && a < b
		})
	}
	credit := func(r *row, test string) {
		if list := by[r]; len(list) == 0 || !slices.Contains(list, test) {
			by[r] = append(list, test)
		}
	}
	fset := gotoken.NewFileSet()
	for _, dir := range []string{"test/api", ".", "examples"} {
		files, err := filepath.Glob(filepath.Join("..", dir, "*_test.go"))
		if err != nil {
			return nil, err
		}
		pkg := "crosslane" // the tests of the API, and the few in its own folder
		if dir == "examples" {
			pkg = dir
		}
		// The texts of package-level declarations, which tests refer to by name.
		texts := map[string][]string{}
		var funcs []*ast.FuncDecl
		for _, file := range files {
			f, err := goparser.ParseFile(fset, file, nil, 0)
			if err != nil {
				return nil, err
			}
			for _, d := range f.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					funcs = append(funcs, d)
				case *ast.GenDecl:
					for _, s := range d.Specs {
						if v, ok := s.(*ast.ValueSpec); ok {
							for _, name := range v.Names {
								texts[name.Name] = append(texts[name.Name], literals(v)...)
							}
						}
					}
				}
			}
		}
		for _, fn := range funcs {
			if !strings.HasPrefix(fn.Name.Name, "Test") || fn.Recv != nil {
				continue
			}
			test := pkg + "." + fn.Name.Name
			if notRun.MatchString(fn.Name.Name) {
				continue
			}
			list := literals(fn)
			ast.Inspect(fn, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					list = append(list, texts[id.Name]...)
				}
				return true
			})
			for _, s := range list {
				mentions(s, func(r *row) { credit(r, test) })
			}
		}
	}
	// The examples are run with their expected results.
	err := filepath.WalkDir("../examples", func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".ptx" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, line := range strings.Split(string(data), "\n") {
			mentions(strings.TrimSpace(line), func(r *row) { credit(r, "examples.TestExpectedResults") })
		}
		return nil
	})
	return by, err
}

// literals returns the string literals within a node.
func literals(n ast.Node) (list []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == gotoken.STRING {
			if s, err := strconv.Unquote(lit.Value); err == nil {
				list = append(list, s)
			}
		}
		return true
	})
	return list
}

// lessSection orders section numbers.
func lessSection(a, b string) bool {
	if x, y := strings.HasPrefix(a, in94), strings.HasPrefix(b, in94); x != y {
		return y
	}
	x, y := strings.Split(strings.TrimPrefix(a, in94), "."), strings.Split(strings.TrimPrefix(b, in94), ".")
	for i := range min(len(x), len(y)) {
		m, _ := strconv.Atoi(x[i])
		n, _ := strconv.Atoi(y[i])
		if m != n {
			return m < n
		}
	}
	return len(x) < len(y)
}

// in94 begins the name of a section that only PTX 9.4 has.
const in94 = "9.4: "

// chapters are the titles of the chapters of PTX 9.7.
var chapters = map[string]string{
	"9.7.1": "Integer arithmetic", "9.7.2": "Extended-precision integer arithmetic", "9.7.3": "Floating point", "9.7.4": "Half precision",
	"9.7.5": "Mixed precision", "9.7.6": "Comparison and selection", "9.7.7": "Half-precision comparison", "9.7.8": "Logic and shifts",
	"9.7.9": "Data movement and conversion", "9.7.10": "Fabric", "9.7.11": "Textures", "9.7.12": "Surfaces", "9.7.13": "Control flow",
	"9.7.14": "Synchronization and communication", "9.7.15": "Matrices of a warp", "9.7.16": "Matrices of a warpgroup",
	"9.7.17": "Tensor cores of the fifth generation", "9.7.18": "Stack manipulation", "9.7.19": "Video", "9.7.20": "Miscellaneous",
}

// writeCoverage writes the coverage page.
func writeCoverage() (string, error) {
	by, err := testsByRow()
	if err != nil {
		return "", err
	}
	var rows []*row
	count := map[Fidelity]int{}
	for _, name := range instructions().names {
		for _, r := range instructions().rows[name] {
			rows = append(rows, r)
			count[r.fidelity()]++
		}
	}
	sort.SliceStable(rows, func(i, j int) bool { return lessSection(rows[i].Sec, rows[j].Sec) })
	var b strings.Builder
	fmt.Fprintf(&b, `<!-- Generated from the instruction table by go generate ./ptx. Do not edit. -->
# Coverage of the PTX ISA

Every form of every instruction of the PTX ISA 9.4, but for the modifiers that 9.4 added to
copies through tensor maps and to tcgen05, as the table of package ptx has them:
%d forms of %d mnemonics, %d of them exact, %d approximate within the manual's bound, %d
parsed and checked without effect on results, %d known and refused by name (exit
status 3) when a kernel that reaches one is run. Sections are those of the PTX ISA 9.3; what only 9.4
has a section for is at the end.

- **exact**: the manual's results, bit for bit; where the manual leaves a choice, one of
  those that it allows.
- **approximate**: within the error that the manual allows, which is stated; the same
  bits on every machine.
- **no effect**: a hint about time, caches or registers; results do not depend on it.
- **unsupported**: parsed, checked for version and target, and named.

Braces enclose what may be left out. A modifier that stands for several is followed by
its list; *no effect* after a modifier says that it is a hint. "Needs" is the least
`+"`.version`, the least `.target`"+` (any, if none is given) and what single modifiers
need beyond that. The last column names a test that runs the form and compares its
results with the manual's; of what is unsupported, the test that it is named.
`, len(rows), len(instructions().names), count[Exact], count[Approximate], count[NoEffect], count[Unsupported])
	chapter := ""
	for _, r := range rows {
		c := strings.Join(strings.Split(r.Sec, ".")[:3], ".")
		if strings.HasPrefix(r.Sec, in94) {
			c = "New in PTX 9.4"
		}
		if c != chapter {
			chapter = c
			fmt.Fprintf(&b, "\n## %s\n\n| section | form | needs | fidelity | test |\n|---|---|---|---|---|\n", strings.TrimSpace(c+" "+chapters[c]))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.Sec, coverageForm(r), coverageNeeds(r), coverageFidelity(r), coverageTest(r, by[r]))
	}
	return b.String(), nil
}

func coverageForm(r *row) string {
	syntax, _, _ := strings.Cut(r.Form, ";")
	s := "`" + strings.ReplaceAll(syntax, "|", "\\|") + "`"
	seen := map[string]bool{}
	for _, e := range r.elems {
		if seen[e.class] || len(e.alts) == 1 && e.alts[0] == e.class && !r.isHint(e.class) {
			continue
		}
		seen[e.class] = true
		alts := strings.Join(e.alts, " .")
		if n := len(e.alts); n > 24 {
			alts = e.alts[0] + " ." + e.alts[1] + " … ." + e.alts[n-1]
		}
		s += "<br>." + e.class
		if alts != e.class {
			s += ": ." + alts
		}
		if r.isHint(e.class) {
			s += " *(no effect)*"
		}
	}
	return s
}

func coverageNeeds(r *row) string {
	s := r.PTX.String()
	switch {
	case r.Arch != "":
		s += ", " + strings.ReplaceAll(r.Arch, " ", " or ")
	case r.SM > 0:
		s += fmt.Sprintf(", sm_%d", r.SM)
	}
	for _, n := range strings.Split(r.Needs, ";") {
		if f := strings.Fields(n); len(f) == 3 {
			s += "<br>" + f[0] + ": " + f[1] + ", " + strings.ReplaceAll(f[2], "|", " or ")
		}
	}
	if r.Removed != (Version{}) {
		s += "<br>until " + r.Removed.String()
		if r.RemovedSM > 0 {
			s += fmt.Sprintf(" from sm_%d on", r.RemovedSM)
		}
	}
	return s
}

func coverageFidelity(r *row) string {
	switch r.fidelity() {
	case Approximate:
		return "approximate: " + strings.ReplaceAll(r.Bound, "|", "\\|")
	case NoEffect:
		return "no effect"
	}
	return r.fidelity().String()
}

// coverageTest names the test.
func coverageTest(r *row, tests []string) string {
	switch {
	case r.fidelity() == Unsupported:
		return "ptx.TestUnsupportedFamilies"
	case r.fidelity() == NoEffect && len(tests) == 0:
		return "ptx.TestEveryVariantLifts"
	case len(tests) == 0:
		return "*none*"
	}
	return tests[0]
}

// checkCoverage compares the page with the table and the tests: every form that runs needs a test
// that runs it.
func checkCoverage() error {
	page, err := writeCoverage()
	if err != nil {
		return err
	}
	if *update {
		if err := os.WriteFile(coveragePage, []byte(page), 0o644); err != nil {
			return err
		}
	}
	old, err := os.ReadFile(coveragePage)
	if err != nil {
		return err
	}
	var problems []string
	if string(old) != page {
		problems = append(problems, coveragePage+" is not current: go generate ./ptx")
	}
	for _, line := range strings.Split(page, "\n") {
		if strings.HasSuffix(line, "| *none* |") {
			problems = append(problems, fmt.Sprintf("no test runs %.150s", line))
		}
	}
	if problems != nil {
		return errors.New(strings.Join(problems, "\n"))
	}
	return nil
}
