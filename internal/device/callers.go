package device

import (
	"fmt"
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

// relatedFrames turns calls into steps of a finding. The first one names the event. If there are too many,
// those inside libraries of Python give way to those of the program.
func relatedFrames(list []api.Frame, what string) (out []diag.Related) {
	if len(list) > maxCallers {
		own := list[:1:1]
		for _, f := range list[1:] {
			if !inLibrary(f.File) {
				own = append(own, f)
			}
		}
		if len(own) > 1 {
			list = own
		}
	}
	for i, f := range list[:min(len(list), maxCallers)] {
		text := "called from " + f.Func
		if i == 0 {
			text = what + ", in " + f.Func
		}
		out = append(out, diag.Related{Pos: diag.Pos{File: f.File, Line: f.Line}, Message: text})
	}
	return out
}

// inLibrary reports whether a file belongs to an installed package of Python, or to its standard library.
func inLibrary(file string) bool {
	return strings.Contains(file, "/site-packages/") || strings.Contains(file, "/dist-packages/") || strings.Contains(file, "/lib/python3")
}

// callsOf returns a function that returns calls as steps of a finding; nil if they are not known. It may outlive the
// memory that the finding is about.
func callsOf(c Callers, format string, args ...any) func() []diag.Related {
	if c == nil {
		return nil
	}
	return func() []diag.Related { return c.calls(fmt.Sprintf(format, args...)) }
}

// stepsAt returns calls as steps of a finding, which gets the place of the innermost one.
func stepsAt(x *diag.Diagnostic, c Callers, what string) []diag.Related {
	if c == nil {
		return nil
	}
	calls := c.calls(what)
	if len(calls) > 0 {
		x.Pos = calls[0].Pos
	}
	return calls
}

// frames returns the calls as data.
func frames(c Callers) []api.Frame {
	if c == nil {
		return nil
	}
	return c.Frames()
}

// HostStack is the calls of a host that are known as frames.
type HostStack []api.Frame

// Frames returns the calls.
func (s HostStack) Frames() []api.Frame { return s }

func (s HostStack) calls(what string) []diag.Related { return relatedFrames(s, what) }

// A LateStack is the calls of a host that are found out when a finding shows them.
type LateStack func() []api.Frame

// Frames returns the calls.
func (s LateStack) Frames() []api.Frame { return s() }

func (s LateStack) calls(what string) []diag.Related { return relatedFrames(s(), what) }
