package short

import (
	"os"
	"runtime/debug"
)

// init makes the garbage collector of a test program run a quarter as often, unless GOGC is set: the
// live heap of a test is a few MB, and collecting garbage at the usual rate takes a fifth of the
// processor time.
func init() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400)
	}
}
