//go:build linux && amd64

package driver

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane/api"
)

// Objects that a program leaves are leaks, each with the call that made it; a program that ends them has none, and
// without the option there is no finding.
func TestLeftObjects(t *testing.T) {
	t.Parallel()
	folder := library(t)
	program := compileLoud(t, folder, "objects")
	for _, c := range []struct {
		objects bool
		args    []string
		want    []string
	}{
		{true, []string{"left"}, []string{"this event was never destroyed", "this module was never unloaded", "this module was never unloaded", "this pool of memory was never destroyed", "this stream was never destroyed"}},
		{true, nil, nil},
		{false, []string{"left"}, nil},
	} {
		var found collector
		s, path := server(t, Options{Device: api.DeviceOptions{Check: true}, Objects: c.objects, Report: found.report})
		cmd := exec.Command(program, c.args...)
		cmd.Env = append(os.Environ(), "CROSSLANE_SOCKET="+path, "LD_LIBRARY_PATH="+folder)
		if out, err := cmd.CombinedOutput(); err != nil || string(out) != "0 wrong\n" {
			t.Fatalf("%v\n%s", err, out)
		}
		s.Wait()
		var got []string
		for _, d := range found.list {
			got = append(got, d.Message)
			maker := map[string]string{"event": "main", "module": "load", "pool": "main", "stream": "make_stream"}[strings.Fields(d.Message)[1]]
			if d.Code != "leak" || !strings.HasSuffix(d.Pos.File, "objects.c") || len(d.Related) == 0 || !strings.Contains(d.Related[0].Message, "it was made here, in "+maker) {
				t.Errorf("%s: %s %v", d.Message, d.Pos, d.Related)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("objects %t, %v: found %q, want %q", c.objects, c.args, got, c.want)
		}
	}
}

// The streams that launches of graphs use are no leaks of the program; a stream of the program is one.
func TestLanes(t *testing.T) {
	t.Parallel()
	program := compile(t, library(t), "lanes")
	for _, args := range [][]string{nil, {"leak"}} {
		out, stderr, codes := runProgram(t, Options{Device: api.DeviceOptions{Check: true}, Objects: true}, program, args...)
		if out != "0 wrong\n" || !slices.Equal(codes, args) {
			t.Errorf("the program prints\n%s%s; the findings are %q, want %q", out, stderr, codes, args)
		}
	}
}
