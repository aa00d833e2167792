//go:build js

package session

import (
	"errors"

	"example.org/crosslane/internal/sim"
)

// native stands for the native engine where the process itself is WebAssembly, which cannot run
// machine code. Without the engine the module has two thirds of its size.
type native struct{}

var errWebAssembly = errors.New("machine code cannot run in WebAssembly")

func (*native) engine() (*native, error) { return nil, errWebAssembly }

func (*native) program(*Prepared, *Launch, *choice) (sim.Program, error) {
	return nil, errWebAssembly
}
