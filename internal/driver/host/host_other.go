//go:build !linux

package host

import (
	"io"
	"os/exec"
)

// A Server answers the driver calls of processes.
type Server struct{}

// Counts counts the work of a server.
type Counts struct{ Processes, Launches int64 }

// Start returns ErrPlatform.
func Start(Options) (*Server, error) { return nil, ErrPlatform }

// Environment returns the variables that a program needs.
func (s *Server) Environment(base []string) []string { return base }

// Exports returns the commands of a shell that set the variables.
func (s *Server) Exports() []string { return nil }

// Counts returns the counts so far.
func (s *Server) Counts() Counts { return Counts{} }

// Close ends the server.
func (s *Server) Close() (left int) { return 0 }

// Run returns ErrPlatform.
func Run(*exec.Cmd) (int, error) { return 0, ErrPlatform }

// NVCC reports that there is no nvcc.
func NVCC([]string, io.Reader, io.Writer, io.Writer) (status int, ok bool, err error) {
	return 0, false, nil
}
