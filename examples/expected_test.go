package examples

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// mistakes are kernels without a defined result: file and kernel.
func mistakes() map[string]bool {
	return map[string]bool{
		"ptx/mistakes.ptx partial_reduce":        true,
		"ptx/mistakes.ptx not_in_mask":           true,
		"ptx/mistakes.ptx never_meet":            true,
		"ptx/mistakes.ptx off_by_one":            true,
		"gcn3/dpp_scan_hazard.s dpp_scan_hazard": true,
		"gcn3/missing_wait.s missing_wait":       true,
	}
}

// Every kernel of every compiled file is in the table, and the other way round.
func TestEveryKernelHasAnExpectedResult(t *testing.T) {
	t.Parallel()
	listed := map[string]bool{}
	for _, l := range allLaunches() {
		for _, f := range l.files {
			listed[f+" "+l.kernel] = true
		}
	}
	found := map[string]bool{}
	for pattern, entry := range map[string]*regexp.Regexp{
		"ptx/*.ptx": regexp.MustCompile(`(?m)^\s*\.visible \.entry (\w+)\(`),
		"gcn3/*.s":  regexp.MustCompile(`(?m)^\s*\.(?:amdhsa|amdgpu_hsa)_kernel (\w+)`),
	} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			f = filepath.ToSlash(f)
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range entry.FindAllSubmatch(text, -1) {
				key := f + " " + string(m[1])
				found[key] = true
				if !listed[key] && !mistakes()[key] {
					t.Errorf("%s: no expected result", key)
				}
			}
		}
	}
	for key := range listed {
		if filepath.Ext(strings.Fields(key)[0]) == ".hsaco" || strings.Contains(key, ".o ") {
			continue // the same kernels as in the assembly text beside it
		}
		if !found[key] {
			t.Errorf("%s: in the table, not in the file", key)
		}
	}
}

// The table itself is sound: the expected result of a launch has the type and length of its input,
// differs from it, and the files exist.
func TestTableIsSound(t *testing.T) {
	t.Parallel()
	for _, l := range allLaunches() {
		for _, f := range l.files {
			if _, err := os.Stat(filepath.FromSlash(f)); err != nil {
				t.Error(err)
			}
		}
		results := 0
		for _, a := range l.args {
			b, ok := a.(buffer)
			if !ok || b.want == nil {
				continue
			}
			results++
			data, want := reflect.ValueOf(b.data), reflect.ValueOf(b.want)
			if data.Type() != want.Type() || data.Len() != want.Len() {
				t.Errorf("%s %s: %s is %T of %d, wanted %T of %d", l.name, l.kernel, b.name, b.data, data.Len(), b.want, want.Len())
			}
			if reflect.DeepEqual(b.data, b.want) {
				t.Errorf("%s %s: %s would pass if the kernel did nothing", l.name, l.kernel, b.name)
			}
		}
		if results == 0 {
			t.Errorf("%s %s: nothing is checked", l.name, l.kernel)
		}
	}
}

// README.md names every kernel, and every file that its commands run is there.
func TestReadmeNamesEveryKernel(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	readme := string(text)
	kernels := map[string]bool{}
	for _, l := range allLaunches() {
		kernels[l.kernel] = true
	}
	for key := range mistakes() {
		kernels[strings.Fields(key)[1]] = true
	}
	for k := range kernels {
		if !strings.Contains(readme, "`"+k+"`") {
			t.Errorf("README.md does not name the kernel %s", k)
		}
	}
	for _, m := range regexp.MustCompile(`crosslane run examples/(\S+) (?:--kernel (\w+))?`).FindAllStringSubmatch(readme, -1) {
		text, err := os.ReadFile(filepath.FromSlash(m[1]))
		if err != nil {
			t.Errorf("README.md: %v", err)
		}
		known := kernels[m[2]] || strings.HasPrefix(m[1], "programs/") && bytes.Contains(text, []byte(".entry "+m[2]+"("))
		if m[2] != "" && !known {
			t.Errorf("README.md: %s has no kernel %s", m[1], m[2])
		}
	}
}
