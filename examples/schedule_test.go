package examples

import (
	"flag"
	"fmt"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/short"
)

// long runs every file under all schedules, not only every launch.
var long = flag.Bool("long", false, "run every file under every schedule")

// schedules is under how many random orders every launch runs.
const schedules = 50

// Every kernel gives its expected result in any order of lanes, warps and blocks, without findings.
// If only the multiset of the elements is defined (buffer.unordered: places are given out by
// atomics), it is compared as a multiset.
func TestRandomSchedules(t *testing.T) {
	t.Parallel()
	for n, l := range allLaunches() {
		t.Run(fmt.Sprintf("%s/%d", l.name, n), func(t *testing.T) {
			t.Parallel()
			kernels := map[string]*crosslane.Kernel{}
			for seed := range short.Of(schedules, 5) {
				files := []string{l.files[seed%len(l.files)]}
				if *long {
					files = l.files
				}
				for _, file := range files {
					if kernels[file] == nil {
						kernels[file] = l.load(t, file)
					}
					got, findings, err := l.runOn(t, kernels[file], crosslane.Launch{Schedule: scheduleOf(seed)})
					if err != nil || len(findings) > 0 {
						t.Fatalf("%s, seed %d: %v %v", file, seed, err, findings)
					}
					l.compare(t, got)
					if t.Failed() {
						t.Fatalf("%s, seed %d", file, seed)
					}
				}
			}
		})
	}
}

// scheduleOf is the order of a run: the first is the usual one turned round.
func scheduleOf(run int) crosslane.Schedule {
	if run == 0 {
		return crosslane.Reversed
	}
	return crosslane.RandomSchedule(uint64(run))
}
