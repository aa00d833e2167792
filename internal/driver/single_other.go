//go:build !linux

package driver

import (
	"errors"
	"io"
	"os"

	"example.org/crosslane/api"
)

// ServeFile returns an error: clients share their memory with the server in a way that only Linux has.
func ServeFile(f *os.File, _ string, _ api.DeviceOptions, _ io.Writer) error {
	f.Close()
	return errors.New("a device for other processes needs Linux: they share memory with it")
}
