package device

import (
	"runtime"
	"strings"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
)

// Callers are the calls of the host that led to a call of the device.
type Callers interface {
	// Frames returns the calls, the innermost first.
	Frames() []api.Frame
	calls(what string) []diag.Related
}

// maxCallers is how many calls a finding shows.
const maxCallers = 6

// goStack is the calls of a Go program, as program counters.
type goStack []uintptr

// goCallers notes the present calls.
func goCallers() Callers {
	var pcs [32]uintptr
	n := runtime.Callers(3, pcs[:])
	return goStack(append([]uintptr(nil), pcs[:n]...))
}

// Frames returns the calls outside Crosslane.
func (s goStack) Frames() (list []api.Frame) {
	if len(s) == 0 {
		return nil
	}
	frames := runtime.CallersFrames(s)
	for {
		f, more := frames.Next()
		switch {
		case f.Function == "" || strings.HasPrefix(f.Function, "runtime.") || f.Function == "testing.tRunner":
		case strings.HasPrefix(f.Function, "example.org/crosslane.") || strings.HasPrefix(f.Function, "example.org/crosslane/internal/device."):
			if strings.HasSuffix(f.File, "_test.go") {
				list = append(list, api.Frame{File: f.File, Line: f.Line, Func: f.Function})
			}
		default:
			list = append(list, api.Frame{File: f.File, Line: f.Line, Func: f.Function})
		}
		if !more {
			return list
		}
	}
}

func (s goStack) calls(what string) []diag.Related { return relatedFrames(s.Frames(), what) }

// relatedFrames turns calls into steps of a finding. The first one says what happened.
func relatedFrames(list []api.Frame, what string) (out []diag.Related) {
	for i, f := range list[:min(len(list), maxCallers)] {
		text := "called from " + f.Func
		if i == 0 {
			text = what + ", in " + f.Func
		}
		out = append(out, diag.Related{Pos: diag.Pos{File: f.File, Line: f.Line}, Message: text})
	}
	return out
}

// frames returns the calls as data.
func frames(c Callers) []api.Frame {
	if c == nil {
		return nil
	}
	return c.Frames()
}
