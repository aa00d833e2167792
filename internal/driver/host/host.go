// Package host runs unmodified host programs: it starts a server of the driver API, and gives programs the environment
// in which they find the driver library.
//
// Input: the target of the device, options, and the command of a program.
// Output: the exit status of the program; findings, while it runs.
// Invariant: nothing listens on a network. The socket is in a folder that only the user can enter, unless the user
// names another one.
// Example: Start, then Environment, then Run.
package host

import (
	"errors"
	"io"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/device"
)

// A Client is a process that uses the device. Each process has a device of its own.
type Client struct {
	PID     int
	Program string // its command line, cut at 255 bytes
}

// Options configure a Server.
type Options struct {
	Target string
	// Choose, if set, chooses the target of each process when that begins to use the device; pid is its number for the
	// system. "": Target.
	Choose func(pid int, c Client) string
	Device api.DeviceOptions // of each process; Report and Stdout are set by the server
	// Report receives the findings of all processes, one at a time.
	Report func(c Client, d *diag.Diagnostic)
	// Record, if set, receives each launch before it is made, with the memory of the device, which it does not keep.
	Record func(c Client, r *device.Recorded)
	// Objects asks for findings about streams, events, modules and pools that a process has not ended.
	Objects bool
	// Log receives the messages of the server beside findings; nil: nothing.
	Log io.Writer
	// Socket is the name of the socket; "": one in a private folder, which Close removes.
	Socket string
	// Cache is the folder that keeps the compiled driver library.
	Cache string
}

// ErrPlatform is returned where host programs cannot run.
var ErrPlatform = errors.New("host programs run on Linux on amd64 only: the driver library shares memory with them")
