package examples

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"example.org/crosslane/internal/cli"
	"example.org/crosslane/internal/short"
)

// asynchronous matches the instructions of PTX that are done later than they are issued.
var asynchronous = regexp.MustCompile(`cp\.(reduce\.)?async|wgmma\.mma_async|st\.async|red\.async|tcgen05\.(mma|cp)\.`)

// An asyncCase is a run of a kernel with asynchronous instructions.
type asyncCase struct {
	*corpusCase
	flags string
}

// asyncCases returns the launches of a folder's kernels that have asynchronous instructions.
func asyncCases(t *testing.T, folder string) (list []asyncCase) {
	for _, c := range readCorpus(t, folder) {
		if filepath.Ext(c.path) != ".ptx" || !asynchronous.MatchString(strings.Join(c.lines, "\n")) {
			continue
		}
		for _, flags := range c.checks {
			if !strings.Contains(flags, "--static") && strings.Contains(flags, "--arg") {
				list = append(list, asyncCase{c, flags})
			}
		}
	}
	return list
}

// argName matches an argument of a launch that is a buffer.
var argName = regexp.MustCompile(`^(\w+):\w+\[`)

// command runs a command on the kernel's text, and returns its exit status and what it printed.
func (c asyncCase) command(t *testing.T, text, command string, more ...string) (int, string) {
	t.Helper()
	path := c.path
	if text != "" {
		path = filepath.Join(t.TempDir(), filepath.Base(c.path))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	args := append([]string{command, path}, arguments(c.flags)...)
	if command == "run" {
		for _, a := range args {
			if m := argName.FindStringSubmatch(a); m != nil {
				args = append(args, "--print", m[1])
			}
		}
	}
	var out, errs bytes.Buffer
	status := cli.Main(t.Context(), append(args, more...), strings.NewReader(""), &out, &errs)
	if command == "check" {
		return status, out.String() + errs.String()
	}
	return status, out.String()
}

// TestLateWork checks that kernels without a finding compute the same when asynchronous work is done late, in the usual order
// and in other orders, and that most kernels that do not wait for it compute other results.
func TestLateWork(t *testing.T) {
	t.Parallel()
	orders := [][]string{{}, {"--schedule", "reversed"}, {"--schedule", "random:1"}, {"--schedule", "random:2"}}
	good := asyncCases(t, "good")
	for _, c := range good {
		status, want := c.command(t, "", "run")
		for _, order := range orders {
			if s, got := c.command(t, "", "run", append(order, "--adversarial")...); s != status || got != want {
				t.Errorf("%s %s: late, %v: status %d and\n%swant %d and\n%s", c.path, c.flags, order, s, got, status, want)
			}
		}
	}
	early := regexp.MustCompile(`not_waited_for|source_overwritten|wait_before_commit|race-shared_bulk_wait_of|wait_for_too_few|read_before_wait|wgmma-acc_no_commit|overwrites_a`)
	bad := 0
	for _, c := range asyncCases(t, "bad") {
		if !early.MatchString(c.path) {
			continue
		}
		bad++
		_, want := c.command(t, "", "run")
		if _, got := c.command(t, "", "run", "--adversarial"); got == want {
			t.Errorf("%s %s: late work gives the usual results", c.path, c.flags)
		}
	}
	if len(good) < 25 || bad < 12 {
		t.Errorf("%d good launches and %d bad ones", len(good), bad)
	}
}

// waits matches an instruction that orders asynchronous work.
var waits = regexp.MustCompile(`(\.wait_(group|all)|commit_group|fence\.proxy|wgmma\.fence|bar\.sync|barrier\.cluster|bra(\.uni)? wait|arrive|wait::|dealloc)`)

// harmless lists instructions whose absence changes nothing.
var harmless = map[string]bool{
	// The barriers behind mbarrier.init order it already.
	"race-global_bulk_copies_in_place.ptx: fence.proxy.async;":                 true,
	"race-shared_bulk_copy_not_waited_for.ptx: fence.proxy.async.shared::cta;": true,
	"race-shared_bulk_stage_refilled.ptx: fence.proxy.async.shared::cta;":      true,
	"schedule-dependent_phase_tested_once.ptx: fence.proxy.async.shared::cta;": true,
	// Another barrier comes before the copy; the stores behind it have the value that it writes.
	"race-global_bulk_copies_in_place.ptx: bar.sync 1, 64;": true,
	"race-global_bulk_copies_in_place.ptx: bar.sync 0;":     true,
	// The phase then never ends, and the kernel does not wait for it.
	"schedule-dependent_phase_tested_once.ptx: mbarrier.arrive.expect_tx.shared.b64 %rd6, [%r4], 256;": true,
	// Another barrier comes before or behind it, or the first group is empty.
	"tmem-unordered_triton_matmul.ptx: bar.sync 	0;":           true,
	"tmem-unordered_triton_matmul.ptx: barrier.sync 	0;":       true,
	"tmem-unordered_triton_matmul.ptx: cp.async.commit_group;": true,
	// Registers that a load fills are a dependence (PTX 9.7.17.6.4.5).
	"tmem-unordered_triton_matmul.ptx: tcgen05.wait::ld.sync.aligned;": true,
	"tmem-unordered_product.ptx: tcgen05.wait::ld.sync.aligned;":       true,
	// The kernel does not use what comes.
	"undefined-behaviour_source_clamped.ptx: cp.async.wait_all;":               true,
	"undefined-behaviour_source_masked.ptx: cp.async.wait_all;":                true,
	"undefined-behaviour_source_selected.ptx: cp.async.wait_all;":              true,
	"wgmma-acc_wait_for_the_older_group.ptx: wgmma.wait_group.sync.aligned 0;": true,
	// A wait that covers nothing is a finding, and here another group has the copy.
	"store-unwaited_both_groups.ptx: cp.async.bulk.commit_group;": true,
	// The copies then belong to the next group, which is waited for.
	"race-shared_wgmma_triton_matmul.ptx: cp.async.commit_group;": true,
}

// everyWait makes TestWithoutOneAsyncWait take out each instruction; otherwise it takes every third one.
var everyWait = flag.Bool("every-wait", false, "take every wait out of the asynchronous kernels")

// TestWithoutOneAsyncWait takes the waits, fences and barriers out of kernels, one at a time. Each is reported, unless it is one
// of those in harmless; also if no result changes.
func TestWithoutOneAsyncWait(t *testing.T) {
	t.Parallel()
	taken, told, late, candidates := 0, 0, 0, 0
	for _, c := range short.Sample(asyncCases(t, "good"), 8) {
		for i, line := range c.lines {
			code, _, _ := strings.Cut(line, "//")
			if !waits.MatchString(code) || strings.Contains(code, "{") {
				continue
			}
			if candidates++; candidates%3 != 0 && !*everyWait {
				continue
			}
			less := append([]string{}, c.lines...)
			less[i] = ""
			text := strings.Join(less, "\n")
			where := fmt.Sprintf("%s:%d: without %q", c.path, i+1, strings.TrimSpace(line))
			_, usual := c.command(t, text, "run", "--timeout", "5s")
			status, out := c.command(t, text, "check", "--timeout", "20s")
			_, got := c.command(t, text, "run", "--adversarial", "--timeout", "5s")
			taken++
			if status != 0 {
				told++
			}
			if got != usual {
				if late++; status == 0 {
					t.Errorf("%s: late work changes the output, and nothing is reported:\n%s", where, out)
				}
			}
			if status == 0 && !harmless[filepath.Base(c.path)+": "+strings.TrimSpace(code)] {
				t.Errorf("%s: nothing is reported", where)
			}
		}
	}
	t.Logf("%d taken out, %d reported, %d in the output", taken, told, late)
	if taken < short.Of(60, 5) || told < taken*2/3 || late < taken/8 {
		t.Errorf("%d taken out, %d reported, %d in the output", taken, told, late)
	}
}
