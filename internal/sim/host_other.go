//go:build !js

package sim

// breath is what a launch notes to share its thread. Where goroutines have threads of their own it
// notes nothing.
type breath struct{}

func (*breath) share(int) {}

func (*breath) slow() bool { return false }
