//go:build !unix && !js

package bench

import "time"

// cpuTime returns 0: the time is not known here.
func cpuTime() time.Duration { return 0 }
