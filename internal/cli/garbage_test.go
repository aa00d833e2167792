package cli

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"runtime/metrics"
	"testing"
	"time"
)

func TestPercentFor(t *testing.T) {
	for _, c := range []struct {
		held uint64
		want int
	}{{0, 400}, {1 << 20, 400}, {8 << 20, 400}, {16 << 20, 200}, {32 << 20, 100}, {1 << 40, 100}} {
		if got := percentFor(c.held); got != c.want {
			t.Errorf("percentFor(%d) = %d, want %d", c.held, got, c.want)
		}
	}
}

// TestLessGarbageCollection: where much is held, the setting is Go's again. It runs in a process
// of its own, whose setting is not the other tests'.
func TestLessGarbageCollection(t *testing.T) {
	if os.Getenv("CROSSLANE_TEST_GARBAGE") == "" {
		for _, v := range []struct{ gogc, want string }{{"", "400 100 400"}, {"57", "57 57 57"}} {
			cmd := exec.Command(os.Args[0], "-test.run=^TestLessGarbageCollection$")
			cmd.Env = append(os.Environ(), "CROSSLANE_TEST_GARBAGE="+v.want, "GOGC="+v.gogc)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("GOGC=%s: %v\n%s", v.gogc, err, out)
			}
		}
		return
	}
	LessGarbageCollection()
	// Cleanups run in a goroutine of their own, some time after the collector has.
	settles := func(want int) {
		t.Helper()
		got := 0
		for range 500 {
			runtime.GC()
			if got = setting(); got == want {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("the setting is %d percent, want %d", got, want)
	}
	var want [3]int
	if _, err := fmt.Sscan(os.Getenv("CROSSLANE_TEST_GARBAGE"), &want[0], &want[1], &want[2]); err != nil {
		t.Fatal(err)
	}
	settles(want[0])
	much := make([]byte, 3*moreBytes)
	settles(want[1])
	runtime.KeepAlive(much)
	settles(want[2])
}

// setting is the percentage that is set.
func setting() int {
	s := []metrics.Sample{{Name: "/gc/gogc:percent"}}
	metrics.Read(s)
	return int(s[0].Value.Uint64())
}
