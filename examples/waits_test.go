package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

// The output of compilers waits for all results: with results delivered as late as it allows, every
// GCN3 kernel gives its expected result, without findings.
func TestLateResults(t *testing.T) {
	t.Parallel()
	for _, l := range allLaunches() {
		for _, file := range l.files {
			if !strings.HasPrefix(file, "gcn3") {
				continue
			}
			t.Run(file+"/"+l.name, func(t *testing.T) {
				t.Parallel()
				got, findings, err := l.runOn(t, l.load(t, file), crosslane.Launch{Adversarial: true})
				if err != nil || len(findings) > 0 {
					t.Fatal(err, findings)
				}
				l.compare(t, got)
			})
		}
	}
}

// A compiler's s_waitcnt and s_nop are taken out, one at a time. The intended result stays the
// same. Results that change when they are late are always reported, and so is every wait that a
// reader of the first basic block sees to be missing, and every s_nop that a DPP instruction's
// source needs: the compiler puts it before DPP for the other operands, too.
func TestWithoutOneWait(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	taken, told, late := 0, 0, 0
	for _, l := range short.Sample(allLaunches(), 9) {
		for _, file := range l.files {
			if !strings.HasPrefix(file, "gcn3") || !strings.HasSuffix(file, ".s") || seen[file+l.kernel] {
				continue
			}
			seen[file+l.kernel] = true
			text, err := os.ReadFile(filepath.FromSlash(file))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(text), "\n")
			start := slices.IndexFunc(lines, func(s string) bool { return strings.HasPrefix(s, l.kernel+":") })
			if start < 0 {
				continue // written by hand, with macros
			}
			for i := start + 1; !strings.HasPrefix(lines[i], ".Lfunc_end") && !strings.HasPrefix(strings.TrimSpace(lines[i]), ".section"); i++ {
				word, _, _ := strings.Cut(strings.TrimSpace(lines[i]), " ")
				if word != "s_waitcnt" && word != "s_nop" {
					continue
				}
				less := slices.Clone(lines)
				less[i] = ""
				where := fmt.Sprintf("%s:%d: without %q", file, i+1, strings.TrimSpace(lines[i]))
				run := func(adversarial bool) ([]any, diag.List) {
					m, err := crosslane.Load([]byte(strings.Join(less, "\n")), file, crosslane.GCN3)
					if err != nil {
						t.Fatal(where, err)
					}
					k, err := m.Kernel(l.kernel)
					if err != nil {
						t.Fatal(where, err)
					}
					how := crosslane.Launch{Adversarial: adversarial}
					if adversarial {
						how.Timeout = 200 * time.Millisecond // counts and addresses that are late lead anywhere
					}
					got, findings, err := l.runOn(t, k, how)
					if err != nil && !adversarial {
						t.Fatal(where, err)
					}
					return got, findings
				}
				intended, findings := run(false)
				l.compare(t, intended)
				got, lateFindings := run(true)
				taken++
				if len(findings) > 0 {
					told++
				} else if word == "s_nop" && !oldOperand(lines[:i], lines[i+1]) {
					t.Errorf("%s: nothing is reported", where)
				}
				if missing := seenMissing(less[start+1:]); missing != "" && len(findings) == 0 {
					t.Errorf("%s: nothing is reported, but %s", where, missing)
				}
				if !reflect.DeepEqual(got, intended) {
					if late++; len(lateFindings) == 0 {
						t.Errorf("%s: late results change the output, and nothing is reported", where)
					}
				}
			}
		}
	}
	if taken < short.Of(100, 10) || told < taken/2 || late < taken/4 {
		t.Errorf("%d waits taken out, %d reported, %d in the output", taken, told, late)
	}
	t.Logf("%d waits taken out, %d reported, %d in the output", taken, told, late)
}

// oldOperand reports whether the next instruction is DPP, and neither of the two before the s_nop
// writes a register that it reads from other lanes.
func oldOperand(before []string, next string) bool {
	word, rest, _ := strings.Cut(strings.TrimSpace(next), " ")
	if !strings.HasSuffix(word, "_dpp") {
		return false
	}
	operands := strings.Split(rest, ",")
	src := operands[1]
	if strings.TrimSpace(src) == "vcc" {
		src = operands[2]
	}
	seen := 0
	for i := len(before) - 1; i >= 0 && seen < 2; i-- {
		word, rest, _ := strings.Cut(strings.TrimSpace(before[i]), " ")
		if word == "" || strings.HasPrefix(word, ";") || strings.HasPrefix(word, ".") {
			continue
		}
		seen++
		if dst, _, _ := strings.Cut(rest, ","); slices.Contains(namedRegisters(dst), namedRegisters(src)[0]) {
			return false
		}
	}
	return true
}

// seenMissing reads the first basic block, as text: it keeps the registers that loads
// have not delivered, by kind, and says where one is named too early.
func seenMissing(lines []string) string {
	type load struct {
		kind string // the kind of the counter and the order
		regs []string
		text string
	}
	var open []load
	for _, line := range lines {
		line, _, _ = strings.Cut(strings.TrimSpace(line), ";")
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || strings.HasPrefix(word, "."):
			continue
		case strings.HasSuffix(word, ":"), strings.Contains(word, "branch"), strings.HasPrefix(word, "s_swappc"), strings.HasPrefix(word, "s_endpgm"):
			return ""
		case word == "s_waitcnt":
			for _, m := range regexp.MustCompile(`(vm|lgkm)cnt\((\d+)\)`).FindAllStringSubmatch(rest, -1) {
				n, _ := strconv.Atoi(m[2])
				counts := map[string]int{}
				for i := len(open) - 1; i >= 0; i-- {
					k := open[i].kind
					if strings.HasPrefix(k, m[1]) {
						if counts[k] >= n && (n == 0 || k != "lgkm any") {
							open[i].regs = nil
						}
						counts[k]++
					}
				}
			}
			continue
		}
		operands := strings.SplitN(rest, ",", 2)
		kind := ""
		switch {
		case strings.HasPrefix(word, "s_load"):
			kind = "lgkm any"
		case strings.HasPrefix(word, "ds_"):
			kind = "lgkm LDS"
		case strings.HasPrefix(word, "flat_"), strings.HasPrefix(word, "buffer_"):
			kind = "vm"
		}
		loads := kind != "" && !strings.Contains(word, "store") && !strings.Contains(word, "write") && !strings.Contains(word, "atomic")
		uses := namedRegisters(rest)
		if loads {
			uses = namedRegisters(operands[1]) // its own class may overwrite; other classes do not here
		}
		for _, o := range open {
			for _, r := range o.regs {
				if slices.Contains(uses, r) {
					return fmt.Sprintf("%s uses %s of %s", line, r, o.text)
				}
			}
		}
		if strings.HasPrefix(word, "flat_") {
			open = append(open, load{kind: "lgkm LDS"}) // it counts behind DS instructions: Errata E125
		}
		if kind != "" {
			o := load{kind: kind, text: line}
			if loads {
				o.regs = namedRegisters(operands[0])
			}
			open = append(open, o)
		}
	}
	return ""
}

// namedRegisters lists the registers that a text names, one by one.
func namedRegisters(s string) (l []string) {
	for _, m := range regexp.MustCompile(`\b([vs])(?:(\d+)\b|\[(\d+):(\d+)\])`).FindAllStringSubmatch(s, -1) {
		first, last := m[2], m[2]
		if first == "" {
			first, last = m[3], m[4]
		}
		lo, _ := strconv.Atoi(first)
		hi, _ := strconv.Atoi(last)
		for n := lo; n <= hi; n++ {
			l = append(l, m[1]+strconv.Itoa(n))
		}
	}
	return l
}
