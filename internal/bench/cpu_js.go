package bench

import (
	"syscall/js"
	"time"
)

// cpuTime returns the processor time of node's process; 0 in a browser, which does not tell it.
func cpuTime() time.Duration {
	process := js.Global().Get("process")
	if process.Type() != js.TypeObject || process.Get("cpuUsage").Type() != js.TypeFunction {
		return 0
	}
	use := process.Call("cpuUsage") // in microseconds
	return time.Duration(use.Get("user").Int()+use.Get("system").Int()) * time.Microsecond
}
