package cli

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sample "example.org/crosslane/internal/short"
)

// The output of init is a launch for every kernel of the examples: the kernel may fault with the
// placeholders, but the file and its arguments are accepted.
func TestInitIsALaunch(t *testing.T) {
	t.Parallel()
	tried := 0
	for _, pattern := range []string{"ptx/*.ptx", "gcn3/*.s", "programs/ptx/*_O1_sm_70.ptx", "programs/gcn3/*_O1_v5.hsaco"} {
		files, err := filepath.Glob(filepath.Join("../../examples", pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range sample.Sample(files, 5) {
			call := func(args ...string) (int, string, string) {
				var out, errs bytes.Buffer
				status := Main(t.Context(), args, strings.NewReader(""), &out, &errs)
				return status, out.String(), errs.String()
			}
			status, out, errs := call("kernels", file, "--format", "json")
			if status != 0 {
				t.Errorf("kernels %s: %d\n%s", file, status, errs)
				continue
			}
			var list struct {
				Kernels []struct{ Name, Problem string }
			}
			if err := json.Unmarshal([]byte(out), &list); err != nil || len(list.Kernels) == 0 {
				t.Errorf("kernels %s: %v\n%s", file, err, out)
			}
			for i, k := range list.Kernels {
				if k.Problem != "" || i > 3 {
					continue
				}
				status, out, errs := call("init", file, "--kernel", k.Name, "-o", "-")
				if status != 0 {
					t.Errorf("init %s: %s: %d\n%s", file, k.Name, status, errs)
					continue
				}
				name := filepath.Join(t.TempDir(), "launch.json")
				if err := os.WriteFile(name, []byte(out), 0o666); err != nil {
					t.Fatal(err)
				}
				if status, _, errs := call("run", file, "--launch", name, "--timeout", "100ms"); status == 2 {
					t.Errorf("run %s: %s:\n%s%s", file, k.Name, errs, out)
				}
				tried++
			}
		}
	}
	if tried < sample.Of(100, 20) {
		t.Errorf("%d kernels were tried", tried)
	}
}
