//go:build linux && amd64

package driver

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
)

// programs are programs in C of testdata: they check what the calls return and print a line for each wrong one.
// Each runs without checks and with checks. found has the codes that the server reports with checks, in order, and
// plain those without; most programs make no mistakes.
var programs = []struct {
	name, arg    string
	plain, found string
	stderr       string // a text that stderr has
}{
	{name: "threads"},
	{name: "threads", arg: "race", found: "stream-race"},
	{name: "names"},
	{name: "pools", stderr: "cuMemPoolExportToShareableHandle is not implemented"},
	{name: "graphs", found: "bad-handle", stderr: "nodes of the type CONDITIONAL are not supported"},
	{name: "graphs", arg: "race", found: "bad-handle stream-race", stderr: "nodes of the type CONDITIONAL are not supported"},
	{name: "capture"},
	{name: "capture", arg: "race", found: "stream-race"},
	{name: "refused", stderr: "crosslane: cuTensorMapEncodeTiled is not implemented: it returns 801 (CUDA_ERROR_NOT_SUPPORTED)\n" +
		"crosslane: cuTensorMapEncodeIm2col is not implemented: it returns 801 (CUDA_ERROR_NOT_SUPPORTED)\n" +
		"crosslane: cuMemCreate is not implemented"},
	{name: "ipc", plain: "double-free", found: "double-free"},
	{name: "register", stderr: "only private memory"},
	{name: "register", arg: "past", plain: "out-of-bounds leak", found: "out-of-bounds leak", stderr: "only private memory"},
	{name: "register", arg: "leak", plain: "leak", found: "leak", stderr: "only private memory"},
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	folder := library(t)
	for _, p := range programs {
		program := compile(t, folder, p.name)
		for _, check := range []bool{false, true} {
			var mu sync.Mutex
			var codes, texts []string
			s, path := server(t, Options{Device: api.DeviceOptions{Check: check}, Report: func(_ Client, d *diag.Diagnostic) {
				mu.Lock()
				defer mu.Unlock()
				if d.Code == "refused-call" {
					return // the programs make these calls to see the error
				}
				if len(codes) == 0 || codes[len(codes)-1] != d.Code {
					codes = append(codes, d.Code)
				}
				texts = append(texts, d.Error())
			}})
			cmd := exec.Command(program, strings.Fields(p.arg)...)
			cmd.Env = append(os.Environ(), "CROSSLANE_SOCKET="+path, "LD_LIBRARY_PATH="+folder)
			var stderr strings.Builder
			cmd.Stderr = &stderr
			out, err := cmd.Output()
			s.Wait()
			if err != nil || string(out) != "0 wrong\n" {
				t.Errorf("%s %s, check %t: %v\n%s%s", p.name, p.arg, check, err, out, stderr.String())
			}
			if p.stderr == "" && stderr.Len() > 0 || !strings.Contains(stderr.String(), p.stderr) {
				t.Errorf("%s %s, check %t: stderr is\n%s", p.name, p.arg, check, stderr.String())
			}
			want := p.plain
			if check {
				want = p.found
			}
			mu.Lock()
			if got := strings.Join(codes, " "); got != want {
				t.Errorf("%s %s, check %t: found %q, want %q\n%s", p.name, p.arg, check, got, want, strings.Join(texts, "\n"))
			}
			mu.Unlock()
		}
	}
}
