//go:build linux && amd64

package driver

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"example.org/crosslane/api"
)

// BenchmarkProgram is a launch of one warp by a program in C, with its share of the start of the program. The program
// waits for each launch, or for 10 or 1,000 of them together.
func BenchmarkProgram(b *testing.B) {
	folder, err := built()
	if err != nil {
		b.Fatal(err)
	}
	program := filepath.Join(b.TempDir(), "launches")
	if out, err := exec.Command("cc", "-O1", "-o", program, "testdata/launches.c", "-L"+folder, "-lcuda").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
	for _, check := range []bool{false, true} {
		for _, each := range []int{1, 10, 1000} {
			b.Run(fmt.Sprintf("check=%t/each=%d", check, each), func(b *testing.B) {
				_, path := server(b, Options{Device: api.DeviceOptions{Check: check}})
				cmd := exec.Command(program, strconv.Itoa(b.N), strconv.Itoa(each))
				cmd.Env = append(os.Environ(), "CROSSLANE_SOCKET="+path, "LD_LIBRARY_PATH="+folder)
				if out, err := cmd.CombinedOutput(); err != nil {
					b.Fatalf("%v\n%s", err, out)
				}
			})
		}
	}
}
