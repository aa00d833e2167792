package api_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/short"
)

var everyWait = flag.Bool("every-wait", false, "take out every counter of every s_waitcnt of the compiled GCN3 examples, not a sample (seven and a half minutes of one core)")
var waitStep = flag.Int("wait-step", 211, "take out one counter in so many of the s_waitcnt of the compiled GCN3 examples")

var (
	waitField   = regexp.MustCompile(`(vm|exp|lgkm)cnt\((\d+)\)`)
	regNames    = regexp.MustCompile(`\b([vs])(?:(\d+)\b|\[(\d+):(\d+)\])`)
	branchOrEnd = regexp.MustCompile(`^(?:s_branch|s_cbranch|s_setpc|s_swappc|s_endpgm)`)
)

// regsNamed lists the registers that a text names, one by one.
func regsNamed(s string) (l []string) {
	for _, m := range regNames.FindAllStringSubmatch(s, -1) {
		lo, hi := m[2], m[2]
		if lo == "" {
			lo, hi = m[3], m[4]
		}
		a, _ := strconv.Atoi(lo)
		b, _ := strconv.Atoi(hi)
		for n := a; n <= b; n++ {
			l = append(l, m[1]+strconv.Itoa(n))
		}
	}
	return l
}

// counted is the counter of an operation, by its name alone; flat instructions are taken to
// address no LDS.
func counted(word string) string {
	switch {
	case strings.HasPrefix(word, "ds_"), strings.HasPrefix(word, "s_load"), strings.HasPrefix(word, "s_buffer_load"):
		return "lgkm"
	case strings.HasPrefix(word, "flat_"), strings.HasPrefix(word, "buffer_"):
		return "vm"
	}
	return ""
}

// needs reads a straight piece of text around the wait of a line: whether a register that was
// loaded before it, and is not waited for by another one, is named behind it; or a write to LDS
// is before it and a barrier and a read of LDS behind; or a load is before it that has to be
// done before the cache is invalidated. It says which.
func needs(lines []string, at int, counter string) string {
	type load struct{ regs, text string }
	var open []load
	ldsWrite, memory := false, false
	for i := at - 1; i >= 0; i-- {
		word, rest, _ := strings.Cut(lines[i], " ")
		if strings.HasSuffix(word, ":") || branchOrEnd.MatchString(word) {
			break
		}
		if word == "s_waitcnt" && strings.Contains(rest, counter+"cnt(") {
			break
		}
		if counted(word) != counter {
			continue
		}
		dst, _, _ := strings.Cut(rest, ",")
		switch {
		case strings.Contains(word, "store"), strings.Contains(word, "_write"), strings.Contains(word, "wbinvl1"):
			ldsWrite = ldsWrite || strings.HasPrefix(word, "ds_")
			memory = memory || counter == "vm" && strings.Contains(word, "store")
		case strings.Contains(word, "atomic"), strings.HasPrefix(word, "ds_add"), strings.HasSuffix(rest, "lds"):
		default:
			memory = memory || counter == "vm"
			open = append(open, load{dst, lines[i]})
		}
	}
	barrier := false
	for _, line := range lines[at+1:] {
		word, rest, _ := strings.Cut(line, " ")
		if strings.HasSuffix(word, ":") {
			return ""
		}
		switch {
		case word == "s_waitcnt" && strings.Contains(rest, counter+"cnt("):
			return ""
		case word == "s_barrier":
			barrier = true
		case barrier && ldsWrite && strings.HasPrefix(word, "ds_read"):
			return line + " behind a barrier"
		case memory && strings.HasPrefix(word, "buffer_wbinvl1"):
			return line
		}
		own := counted(word) == counter // its own class may overwrite
		for _, o := range open {
			for _, r := range regsNamed(o.regs) {
				used := rest
				if own && !strings.Contains(word, "store") && !strings.Contains(word, "write") {
					_, used, _ = strings.Cut(rest, ",")
				}
				if slices.Contains(regsNamed(used), r) {
					return line + " uses " + r + " of " + o.text
				}
			}
		}
		if branchOrEnd.MatchString(word) {
			return ""
		}
	}
	return ""
}

// Each counter of the s_waitcnt that clang wrote is taken out, one at a time: a wait that a reader
// of the text around it sees to be needed is reported, and fix puts back enough that there is no
// report any more.
func TestWeakerWaits(t *testing.T) {
	t.Parallel()
	texts := map[string]string{}
	files, _ := filepath.Glob("examples/gcn3/*.s")
	programs, _ := filepath.Glob("examples/programs/gcn3/*_v5.hsaco")
	if !*everyWait {
		files, programs = short.Sample(files, 4), short.Sample(programs, 48)
	}
	for _, file := range append(files, programs...) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := string(data)
		if strings.HasSuffix(file, ".hsaco") {
			if text, err = crosslane.Disassemble(data, file); err != nil {
				t.Fatal(file, err)
			}
		}
		// Distances that are numbers, and waits that are missing on purpose.
		if !strings.Contains(text, "s_getpc_b64") && !strings.Contains(file, "missing_wait") && !strings.Contains(file, "hazard") {
			texts[file] = text
		}
	}
	if len(texts) < short.Of(60, 4) {
		t.Fatal(len(texts))
	}
	step, n := max(*waitStep/short.Of(1, 4), 1), 0
	if *everyWait {
		step = 1
	}
	taken, needed, told := 0, 0, 0
	for _, file := range append(files, programs...) {
		text := texts[file]
		if text == "" {
			continue
		}
		raw := strings.Split(text, "\n")
		var lines []string // without comments
		for _, l := range raw {
			l, _, _ = strings.Cut(l, ";")
			l, _, _ = strings.Cut(l, "//")
			lines = append(lines, strings.TrimSpace(l))
		}
		for at, line := range lines {
			if !strings.HasPrefix(line, "s_waitcnt ") {
				continue
			}
			for _, m := range waitField.FindAllStringSubmatch(line, -1) {
				if n++; n%step != 0 {
					continue
				}
				weaker := slices.Clone(raw)
				left := slices.DeleteFunc(waitField.FindAllString(line, -1), func(s string) bool { return s == m[0] })
				if weaker[at] = "\ts_waitcnt " + strings.Join(left, " & "); len(left) == 0 {
					weaker[at] = "\ts_nop 0"
				}
				src := strings.Join(weaker, "\n")
				where := fmt.Sprintf("%s:%d: %s without %s", file, at+1, line, m[0])
				found := waitFindings(t, where, src)
				why := needs(lines, at, m[1])
				if taken++; why != "" {
					needed++
				}
				if found == "" {
					if why != "" {
						t.Errorf("%s: nothing is reported, but %s", where, why)
					}
					continue
				}
				told++
				r, err := crosslane.FixWaits([]byte(src), file, crosslane.FixOptions{})
				if err != nil {
					t.Fatal(where, err)
				}
				if left := waitFindings(t, where, string(r.Text)); left != "" {
					t.Errorf("%s: fix leaves %s", where, left)
				}
			}
		}
	}
	if taken < short.Of(20, 2) || needed < taken/4 {
		t.Errorf("%d counters were taken out, %d of them are needed, %d reported", taken, needed, told)
	}
	t.Logf("%d counters were taken out, %d of them are needed, %d reported", taken, needed, told)
}

// waitFindings are the first finding about a wait, and how many there are, without notes.
func waitFindings(t *testing.T, where, src string) string {
	m, err := crosslane.Load([]byte(src), "k.s", crosslane.GCN3)
	if err != nil {
		t.Fatal(where, err)
	}
	list, err := m.CheckStatic()
	if err != nil {
		t.Fatal(where, err)
	}
	for _, r := range list {
		for _, d := range r.Findings {
			if strings.HasPrefix(d.Code, "wait") && d.Severity >= diag.Warning {
				return d.Error()
			}
		}
	}
	return ""
}
