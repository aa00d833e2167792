package programs_test

import (
	"context"
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/examples/programs"
	"example.org/crosslane/internal/short"
)

// long runs every build under all schedules, not only every case.
var long = flag.Bool("long", false, "run every build under every schedule")

// schedules is under how many random orders every case runs; those that take long
// run, without -long, under as many as make up these warp instructions, and 4.
const (
	schedules        = 50
	warpInstructions = 3_000_000
)

// Every program gives its results in whatever order lanes, warps and blocks run, with
// nothing to report.
func TestRandomSchedules(t *testing.T) {
	t.Parallel()
	for _, p := range short.Sample(programs.All(), 8) {
		t.Run(p.Name+"/"+string(p.ISA), func(t *testing.T) {
			t.Parallel()
			modules := map[string]*crosslane.Module{}
			for n, c := range p.Cases() {
				run := uint64(0)
				for seed := range short.Of(schedules, 3) {
					if run > warpInstructions && seed >= 4 && !*long {
						break
					}
					files := []string{p.Files[(n+seed)%len(p.Files)]}
					if *long {
						files = p.Files
					}
					for _, file := range files {
						if modules[file] == nil {
							modules[file] = load(t, p, file)
						}
						o := c.Run(context.Background(), modules[file], func(l *crosslane.Launch) {
							l.Timeout, l.Schedule = time.Minute, scheduleOf(seed)
						})
						for _, s := range o.Stats {
							run += s.WarpInstructions
						}
						// Lanes print in the order in which they run.
						want := c
						want.Stdout, o.Stdout = sortLines(c.Stdout), sortLines(o.Stdout)
						if err := want.Check(o); err != nil {
							t.Fatalf("%s, %s, seed %d: %v", file, c.Name, seed, err)
						}
					}
				}
			}
		})
	}
}

func sortLines(s string) string {
	return strings.Join(slices.Sorted(strings.SplitAfterSeq(s, "\n")), "")
}

// splitsVolatile reports whether a build of lookback.cu is wrong with several workers: for gfx803 at
// -O0, clang compiles a volatile access of 64 bits to two of 32 bits. A block may then read the state
// of one store and the sum of another.
func splitsVolatile(file string) bool { return strings.HasPrefix(file, "gcn3/lookback_O0") }

// Every program gives its results when two workers share its blocks.
func TestTwoWorkers(t *testing.T) {
	t.Parallel()
	for _, p := range short.Sample(programs.All(), 8) {
		t.Run(p.Name+"/"+string(p.ISA), func(t *testing.T) {
			t.Parallel()
			for n, c := range p.Cases() {
				whole := slices.DeleteFunc(slices.Clone(p.Files), splitsVolatile)
				files := []string{whole[n%len(whole)]}
				if *long {
					files = whole
				}
				for _, file := range files {
					o := c.Run(context.Background(), load(t, p, file), func(l *crosslane.Launch) {
						l.Timeout, l.Workers = time.Minute, 2
					})
					if err := c.Check(o); err != nil {
						t.Errorf("%s, %s: %v", file, c.Name, err)
					}
				}
			}
		})
	}
}

// Every program for GCN3 gives its results when loads return as late as its waits allow:
// compilers wait for what they read, and so do the programs in hand.
func TestLateLoads(t *testing.T) {
	t.Parallel()
	for _, p := range short.Sample(programs.All(), 8) {
		if p.ISA != crosslane.GCN3 {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			for n, c := range p.Cases() {
				files := []string{p.Files[(n+1)%len(p.Files)]}
				if *long {
					files = p.Files
				}
				for _, file := range files {
					o := c.Run(context.Background(), load(t, p, file), func(l *crosslane.Launch) {
						l.Timeout, l.Adversarial = time.Minute, true
					})
					if err := c.Check(o); err != nil {
						t.Errorf("%s, %s: %v", file, c.Name, err)
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
