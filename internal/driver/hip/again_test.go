//go:build linux && amd64

package hip_test

import (
	"strings"
	"testing"

	"example.org/crosslane/api"
)

// A hundred times threads, forks, programs that replace the process, and an object that is opened and closed leave nothing
// behind.
func TestAgain(t *testing.T) {
	t.Parallel()
	program := compile(t, "again", 7)
	object := compileWith(t, "again", 7, []string{"-shared"}, "-DPLUGIN", "-fPIC")
	for _, mode := range []string{"threads", "fork", "open " + object, "exec 100 0"} {
		args := strings.Fields(mode)
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			out, stderr, found, err := run(t, "gfx803", api.DeviceOptions{}, program, args...)
			if err != nil || out != "done\n" || len(found) > 0 {
				t.Errorf("%v\n%s%s%v", err, out, stderr, found)
			}
		})
	}
}
