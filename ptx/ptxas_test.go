package ptx

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/diag"
)

var (
	ptxasPath   = ptxas
	ptxasPerRow = flag.Int("ptxas-per-row", 3, "how many spellings of each row TestPtxas makes programs of")
)

const ptxasVerdicts = "testdata/ptxas/verdicts.txt.gz"

// A ptxasVerdict is the answer of ptxas for a program.
type ptxasVerdict struct {
	ptxasCase
	legal bool
}

func (c *ptxasCase) key() string { return c.version + "\t" + c.target + "\t" + c.text }

// readVerdicts reads the committed verdicts.
func readVerdicts(t *testing.T) []ptxasVerdict {
	f, err := os.Open(ptxasVerdicts)
	if err != nil {
		if *ptxasPath != "" {
			return nil
		}
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var list []ptxasVerdict
	for _, l := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		p := strings.Split(l, "\t")
		if len(p) != 5 {
			t.Fatalf("%s: %q", ptxasVerdicts, l)
		}
		list = append(list, ptxasVerdict{ptxasCase{p[1], p[2], p[3], p[4]}, p[0] == "+"})
	}
	return list
}

func writeVerdicts(t *testing.T, list []ptxasVerdict) {
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		return a.text+"\t"+a.key() < b.text+"\t"+b.key()
	})
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression)
	for _, v := range list {
		sign := "-"
		if v.legal {
			sign = "+"
		}
		fmt.Fprintf(z, "%s\t%s\t%s\n", sign, v.kind, v.key())
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(ptxasVerdicts, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// arch returns the -arch for a target. If ptxas makes code for the target, this is the target
// itself.
func (c *ptxasCase) arch() string {
	t, _ := ParseTarget(c.target)
	if t.SM < 75 {
		return "sm_75"
	}
	return c.target
}

// A ptxasAnswer is the answer of ptxas. If ptxas cannot compile the program for any target, there
// is no answer.
type ptxasAnswer uint8

const (
	answerIllegal ptxasAnswer = iota
	answerLegal
	answerNone
)

// unanswered matches the errors of ptxas that do not concern the program: ptxas fails itself, or it
// no longer compiles for 32-bit addresses.
var unanswered = regexp.MustCompile(`32-Bit|Internal compiler error`)

// ask returns which of some programs ptxas accepts. All of them have one version and target. ptxas
// reports an error for each line, so that the programs are the kernels of one file. ask repeats the
// question about the programs without an error, until no error is left.
func ask(ptxas, dir string, cases []ptxasCase, log io.Writer, mu *sync.Mutex) ([]ptxasAnswer, error) {
	legal := make([]ptxasAnswer, len(cases))
	left := make([]int, len(cases))
	for i := range left {
		left[i] = i
	}
	file := filepath.Join(dir, "k.ptx")
	for len(left) > 0 {
		var b strings.Builder
		b.WriteString(cases[0].head())
		seen := map[string]bool{}
		for _, i := range left {
			for _, n := range cases[i].shared() {
				if !seen[n] {
					seen[n] = true
					b.WriteString(caseNames[n] + "\n")
				}
			}
		}
		first := strings.Count(b.String(), "\n") + 1
		for n, i := range left {
			b.WriteString(cases[i].kernel(fmt.Sprintf("k%d", n)))
		}
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			return nil, err
		}
		out, err := exec.Command(ptxas, "-O0", "-arch="+cases[0].arch(), file, "-o", "/dev/null").CombinedOutput()
		if err == nil {
			for _, i := range left {
				legal[i] = answerLegal
			}
			return legal, nil
		}
		bad := map[int]bool{}
		for _, m := range regexp.MustCompile(`(?m)^ptxas .*k.ptx, line (\d+); (?:error|fatal) .*?: (.*)$`).FindAllStringSubmatch(string(out), -1) {
			n, _ := strconv.Atoi(m[1])
			if n < first || n >= first+len(left) {
				return nil, fmt.Errorf("%s", out)
			}
			if i := left[n-first]; !bad[i] {
				bad[i] = true
				mu.Lock()
				fmt.Fprintf(log, "%s\t%s\n", cases[i].key(), m[2])
				mu.Unlock()
			}
		}
		if len(bad) == 0 {
			if len(left) == 1 {
				if unanswered.Match(out) || !bytes.Contains(out, []byte("fatal")) {
					legal[left[0]] = answerNone
					return legal, nil
				}
				mu.Lock()
				fmt.Fprintf(log, "%s\t%s\n", cases[left[0]].key(), strings.ReplaceAll(string(out), "\n", " "))
				mu.Unlock()
				return legal, nil
			}
			// The error has no place: each program is asked about alone.
			for _, i := range left {
				one, err := ask(ptxas, dir, cases[i:i+1], log, mu)
				if err != nil {
					return nil, err
				}
				legal[i] = one[0]
			}
			return legal, nil
		}
		left = slices.DeleteFunc(left, func(i int) bool { return bad[i] })
	}
	return legal, nil
}

// renewVerdicts asks ptxas about the programs that have no ptxasVerdict yet, and drops verdicts
// about programs that are no longer generated.
func renewVerdicts(t *testing.T) []ptxasVerdict {
	known := map[string]bool{}
	for _, v := range readVerdicts(t) {
		known[v.key()] = v.legal
	}
	groups := map[string][]ptxasCase{}
	var list []ptxasVerdict
	for _, c := range generateCases(*ptxasPerRow) {
		if legal, ok := known[c.key()]; ok {
			list = append(list, ptxasVerdict{c, legal})
			continue
		}
		k := c.version + " " + c.target
		groups[k] = append(groups[k], c)
	}
	var batches [][]ptxasCase
	for _, g := range groups {
		for part := range slices.Chunk(g, 50) {
			batches = append(batches, part)
		}
	}
	t.Logf("%d programs have verdicts, %d batches have none", len(list), len(batches))
	log, err := os.OpenFile(filepath.Join(os.TempDir(), "ptxas-messages.txt"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var mu sync.Mutex
	var wg sync.WaitGroup
	work := make(chan []ptxasCase)
	for range 2 {
		wg.Add(1)
		dir := t.TempDir()
		go func() {
			defer wg.Done()
			for b := range work {
				legal, err := ask(*ptxasPath, dir, b, log, &mu)
				mu.Lock()
				if err != nil {
					t.Logf("%s %s: %v", b[0].version, b[0].target, err)
				}
				for i, a := range legal {
					if a != answerNone {
						list = append(list, ptxasVerdict{b[i], a == answerLegal})
					}
				}
				mu.Unlock()
			}
		}()
	}
	for _, b := range batches {
		work <- b
	}
	close(work)
	wg.Wait()
	writeVerdicts(t, list)
	return list
}

// status returns the exit status of Crosslane for a program, and its first message.
func (c *ptxasCase) status() (status int, first string) {
	m, errs := Parse("k.ptx", c.source())
	if errs.Err() == nil {
		errs = append(errs, Check(m)...)
	}
	for _, d := range errs {
		if d.Severity != diag.Error {
			continue
		}
		n := 2
		if d.Class == diag.Unsupported {
			n = 3
		}
		if status == 0 || n == 2 {
			status, first = n, d.Code+": "+d.Message
		}
	}
	if status == 0 {
		if _, err := Lift(m, "k"); err != nil {
			if l, ok := err.(diag.List); ok {
				for _, d := range l {
					if d.Severity != diag.Error {
						continue
					}
					n := 2
					if d.Class == diag.Unsupported {
						n = 3
					}
					if status == 0 || n == 2 {
						status, first = n, d.Code+": "+d.Message
					}
				}
			}
		}
	}
	return status, first
}

// TestPtxas compares Crosslane with the verdicts of ptxas 13.5 about which programs are legal. If
// ptxas accepts a program, the exit status is 0, or 3 for a program that Crosslane parses and does
// not run. In all other cases the exit status is 2. With -ptxas the test makes the programs again
// from the rows and asks about those without a verdict. With CROSSLANE_PTXAS_DIFF=FILE it writes
// the differences to FILE. In short mode it looks at one program in ten.
func TestPtxas(t *testing.T) {
	t.Parallel()
	var list []ptxasVerdict
	if *ptxasPath != "" {
		list = renewVerdicts(t)
	} else {
		list = readVerdicts(t)
	}
	var out io.Writer = io.Discard
	if name := os.Getenv("CROSSLANE_PTXAS_DIFF"); name != "" {
		f, err := os.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w := bufio.NewWriter(f)
		defer w.Flush()
		out = w
	}
	same, status, legal := 0, 0, 0
	kinds := map[string]int{}
	if testing.Short() && *ptxasPath == "" {
		list = slices.DeleteFunc(list, func(v ptxasVerdict) bool {
			h := fnv.New32a()
			io.WriteString(h, v.key())
			return h.Sum32()%30 != 0
		})
	}
	for i := range list {
		v := &list[i]
		s, why := v.status()
		if v.legal {
			legal++
		}
		switch {
		case v.legal && s == 2:
			kinds[v.kind+" refused"]++
			fmt.Fprintf(out, "REFUSED\t%s\t%s\t%s\n", v.kind, v.key(), why)
			continue
		case !v.legal && s == 0:
			kinds[v.kind+" accepted"]++
			fmt.Fprintf(out, "ACCEPTED\t%s\t%s\t\n", v.kind, v.key())
			continue
		case !v.legal && s == 3:
			kinds[v.kind+" exit 3"]++
			fmt.Fprintf(out, "EXIT3\t%s\t%s\t%s\n", v.kind, v.key(), why)
		default:
			status++
		}
		same++
	}
	t.Logf("%d programs, %d legal: same verdict %.2f %%, same status %.2f %%", len(list), legal, 100*float64(same)/float64(len(list)), 100*float64(status)/float64(len(list)))
	n := float64(len(list))
	least := 0.995
	if testing.Short() {
		least = 0.99 // the share in a sample
	}
	if float64(same) < least*n || float64(status) < 0.99*n {
		t.Errorf("%d of %d programs have the verdict of ptxas, and %d the exit status that goes with it; want 99.5 %% and 99 %%", same, len(list), status)
	}
	for _, k := range slices.Sorted(maps.Keys(kinds)) {
		t.Logf("  %s: %d", k, kinds[k])
	}
}
