package amdgpu

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"runtime"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/diag"
)

//go:generate go test -update .

var update = flag.Bool("update", false, "write the coverage page anew")

const coveragePage = "../docs/reference/gcn3-coverage.md"

// rowEnc is a row in one of its encodings.
type rowEnc struct {
	row *Row
	enc Enc
}

// ran counts, for each row and encoding and test, how often the test ran it to the end.
var ran = struct {
	sync.Mutex
	by map[rowEnc]map[string]int
}{by: map[rowEnc]map[string]int{}}

var testFrame = regexp.MustCompile(`amdgpu\.(Test\w+)`)

// recordRun records that a test ran code, so that the coverage page can name the test.
func recordRun(code []byte) {
	pc := make([]uintptr, 32)
	frames := runtime.CallersFrames(pc[:runtime.Callers(2, pc)])
	test := ""
	for more := true; more && test == ""; {
		var f runtime.Frame
		f, more = frames.Next()
		if m := testFrame.FindStringSubmatch(f.Function); m != nil {
			test = m[1]
		}
	}
	insts, _, err := reachable(Code{Bytes: code}, true)
	if err != nil || test == "" {
		return
	}
	ran.Lock()
	defer ran.Unlock()
	for i := range insts {
		k := rowEnc{insts[i].In.Row, insts[i].In.Enc}
		if ran.by[k] == nil {
			ran.by[k] = map[string]int{}
		}
		ran.by[k][test]++
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
	if all && (code == 0 || *update) && !testing.Short() && flag.Lookup("test.list").Value.String() == "" {
		if err := checkCoverage(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// TestNamedWhenRun checks that an instruction that cannot be executed assembles, and that a kernel
// that reaches it is refused with the instruction's name, the reason and the section.
func TestNamedWhenRun(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 1))
	n := 0
	for _, row := range Rows() {
		if row.Sem != nil {
			if row.Why != "" {
				t.Errorf("%s has a meaning and a reason why it has none: %s", row.Name, row.Why)
			}
			continue
		}
		n++
		in, ok := randomInst(r, row, E32)
		if !ok {
			t.Fatalf("no random %s", row.Name)
		}
		b, err := Encode(&in)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Lift(Code{Bytes: b}, LiftOptions{Name: "k", AllowEnd: true})
		l := diag.Of(err)
		if len(l) != 1 || row.Why == "" || l[0].Class != diag.Unsupported || l[0].Section != row.Section() ||
			!strings.HasPrefix(l[0].Message, in.Mnemonic()+" ") || !strings.Contains(l[0].Message, row.Why) {
			t.Errorf("%s: %v", Print(&in), err)
		}
	}
	if n < 100 {
		t.Errorf("%d instructions without a meaning", n)
	}
}

// TestLiftAll checks that random instructions of every row are lifted, or refused for a reason that
// is a sentence.
func TestLiftAll(t *testing.T) {
	t.Parallel()
	for _, in := range randomInsts(t, 12, 12) {
		b, err := Encode(&in)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = Lift(Code{Bytes: append(b, make([]byte, 4)...)}, LiftOptions{Name: "k", AllowEnd: true, VGPRs: 256}); err == nil {
			continue
		}
		d := diag.Of(err)[0]
		if d.Code != "unsupported-instruction" && d.Code != "code-outside" && d.Code != "illegal-instruction" || regexp.MustCompile(`operand \d|unknown`).MatchString(d.Message) {
			t.Errorf("%s: %v", Print(&in), err)
		}
	}
}

// refused lists forms of executed instructions that are refused, with the part of the message that
// gives the reason.
var refused = [][2]string{
	{"v_mov_b32 v0, src_lds_direct", "src_lds_direct as a source"},
	{"v_readlane_b32 s0, src_lds_direct, 0", "src_lds_direct as a source"},
	{"s_setreg_b32 hwreg(HW_REG_STATUS), s0", "cannot be written here"},
	{"s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 1", "it writes GPR_IDX_EN or VSKIP of MODE"},
	{"s_getreg_b32 s0, hwreg(HW_REG_TRAPSTS)", "has no value here"},
	{"s_setpc_b64 s[2:3]", "the address that it goes to is not known: it is neither that of a function nor one that a call left"},
	{"s_store_dword s0, s[2:3], s4", "an offset in s4; stores take M0 only"},
	{"ds_swizzle_b32 v0, v1 gds", "the manual does not say what a swizzle does there"},
	{"buffer_load_dword off, s[0:3], 0 offset:4 lds", "the manual does not say whether the offset counts in LDS, too"},
	{"buffer_load_sbyte off, s[0:3], 0 lds", "the manuals disagree on the extension"},
	{"v_lshlrev_b32 v0, v1, v2 clamp", "clamp of an integer result"},
}

// TestRefusedForms checks that the forms on the page are really refused.
func TestRefusedForms(t *testing.T) {
	t.Parallel()
	for _, c := range refused {
		_, err := Lift(Code{Bytes: assembleText(t, c[0])}, LiftOptions{Name: "k", AllowEnd: true})
		if l := diag.Of(err); len(l) != 1 || l[0].Class != diag.Unsupported || !strings.Contains(l[0].Message, c[1]) {
			t.Errorf("%s: %v, want %q", c[0], err, c[1])
		}
	}
}

// coverageTests returns the test of each row. If the test that the page names still runs the row,
// it is kept, so that new tests do not change the page.
func coverageTests(old string) map[*Row]string {
	named := map[string]string{}
	for _, m := range regexp.MustCompile("(?m)^\\| \\d+ \\| `(\\w+)` .* (Test\\w+) \\|$").FindAllStringSubmatch(old, -1) {
		named[m[1]] = m[2]
	}
	by := map[*Row]string{}
	for _, r := range Rows() {
		count := map[string]int{}
		for e := E32; e <= EncSDWA; e++ {
			for test, n := range ran.by[rowEnc{r, e}] {
				count[test] += n
			}
		}
		tests := slices.Collect(func(yield func(string) bool) {
			for test := range count {
				if !yield(test) {
					return
				}
			}
		})
		sort.Slice(tests, func(i, j int) bool {
			a, b := tests[i], tests[j]
			if (a == named[r.Name]) != (b == named[r.Name]) {
				return a == named[r.Name]
			}
			return count[a] > count[b] || count[a] == count[b] && a < b
		})
		switch {
		case r.Sem == nil:
			by[r] = "TestNamedWhenRun"
		case len(tests) > 0:
			by[r] = tests[0]
		}
	}
	return by
}

// writeCoverage writes the coverage page.
func writeCoverage(old string) string {
	tests := coverageTests(old)
	type sum struct{ rows, run, named, encs int }
	count := map[Format]*sum{}
	var formats []Format
	total := &sum{}
	for _, r := range Rows() {
		c := count[r.Format]
		if c == nil {
			c = &sum{}
			count[r.Format] = c
			formats = append(formats, r.Format)
		}
		for _, s := range []*sum{c, total} {
			s.rows++
			if r.Sem != nil {
				s.run++
			} else {
				s.named++
			}
			for e := E32; e <= EncSDWA; e++ {
				if r.Encs.Has(e) {
					s.encs++
				}
			}
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<!-- Generated from the instruction table by go generate ./amdgpu. Do not edit. -->
# Coverage of the GCN3 ISA

Every instruction of gfx803 (Fiji, Polaris) as the table of package amdgpu has it: %d
instructions in %d encodings. All of them assemble, disassemble and are explained. %d are
executed, %d are known and refused by name (exit status 3) when a kernel that reaches
one is run; the reason is given.

The encodings are those that the instruction has: e32 is the format's own, e64 that of
VOP3, dpp and sdwa the ones with a second dword. Of what is executed, tests run every
encoding. The last column names a test that runs the instruction and compares its
results with those of an independent transcription of the manual; of what is not
executed, the test that it is named.

| format | instructions | encodings | executed | named |
|---|---|---|---|---|
`, total.rows, total.encs, total.run, total.named)
	for _, f := range formats {
		c := count[f]
		fmt.Fprintf(&b, "| [%v](#%s) | %d | %d | %d | %d |\n", f, strings.ToLower(f.String()), c.rows, c.encs, c.run, c.named)
	}
	fmt.Fprintf(&b, "| all | %d | %d | %d | %d |\n", total.rows, total.encs, total.run, total.named)
	b.WriteString(`
## Forms that are refused

Instructions that are executed have some forms that are not, by name, too:

| form | why |
|---|---|
`)
	for _, c := range refused {
		fmt.Fprintf(&b, "| `%s` | %s |\n", c[0], c[1])
	}
	b.WriteString("\nGPR indexing must be known to be on or off where a vector instruction runs, and the addresses\n" +
		"of branches must be those of functions, or come from `s_getpc_b64` or a call.\n")
	b.WriteString(`
## The second dwords

A dword of data-parallel primitives or of sub-dword addressing follows if SRC0 of VOP1, VOP2
or VOPC is 250 or 249; the real SRC0 is in it. Bits that are called - must be 0, in
these pictures and in those of the formats; so must fields that an instruction does not use.

`)
	for _, f := range []Format{FormatDPP, FormatSDWA} {
		fmt.Fprintf(&b, "%s\n\n```text\n%s```\n\n", f.Section(), f.Picture())
	}
	b.WriteString("Interpolation has an attribute in place of VOP3A's SRC0:\n\n```text\n" + formatInterp.Picture() + "```\n")
	for _, f := range formats {
		fmt.Fprintf(&b, "\n## %v\n\n%s.\n\n```text\n%s```\n\n| opcode | instruction | encodings | what it does | test |\n|---|---|---|---|---|\n", f, f.Section(), f.Picture())
		for _, r := range Rows() {
			if r.Format != f {
				continue
			}
			var encs []string
			for e := E32; e <= EncSDWA; e++ {
				if r.Encs.Has(e) {
					encs = append(encs, e.String())
				}
			}
			does := strings.ReplaceAll(r.Does, "|", "\\|")
			if r.Sem == nil {
				if does != "" {
					does += "<br>"
				}
				does += "*not executed: " + r.Why + "*"
			}
			test := tests[r]
			if test == "" {
				test = "*none*"
			}
			fmt.Fprintf(&b, "| %d | `%s` | %s | %s | %s |\n", r.Op, r.Name, strings.Join(encs, " "), does, test)
		}
	}
	return b.String()
}

// checkCoverage compares the page with the table and the tests: every form that runs needs a test
// that runs it.
func checkCoverage() error {
	old, _ := os.ReadFile(coveragePage)
	page := writeCoverage(string(old))
	if *update {
		if err := os.WriteFile(coveragePage, []byte(page), 0o644); err != nil {
			return err
		}
		old = []byte(page)
	}
	var problems []string
	if string(old) != page {
		problems = append(problems, coveragePage+" is not current: go generate ./amdgpu")
	}
	for _, r := range Rows() {
		for e := E32; e <= EncSDWA; e++ {
			if r.Sem != nil && r.Encs.Has(e) && len(ran.by[rowEnc{r, e}]) == 0 {
				problems = append(problems, fmt.Sprintf("no test runs %s_%v", r.Name, e))
			}
		}
	}
	if problems != nil {
		return errors.New(strings.Join(problems, "\n"))
	}
	return nil
}
