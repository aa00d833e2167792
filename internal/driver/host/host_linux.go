package host

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/driver"
	"example.org/crosslane/internal/driver/compilers"
	"example.org/crosslane/internal/driver/hip"
	"example.org/crosslane/internal/driver/runtime"
	"example.org/crosslane/internal/driver/shim"
)

// A Server answers the driver calls of processes.
type Server struct {
	server   *driver.Server
	listener *net.UnixListener
	ended    chan error // the result of Serve
	private  string     // the folder of the socket, if the server made it
	socket   string
	stand    compilers.Environment // what programs need
}

// Counts counts the work of a server.
type Counts = driver.Counts

// Start starts a server. It compiles the libraries that the cache does not have.
func Start(o Options) (*Server, error) {
	var amd, cudart string
	var errHIP error
	var compiling sync.WaitGroup
	compiling.Go(func() { amd, errHIP = hip.Build(o.Cache) }) // the first start compiles for seconds
	library, err := shim.Build(o.Cache)
	if err == nil {
		cudart, err = runtime.Build(o.Cache, library)
	}
	compiling.Wait()
	if err := cmp.Or(err, errHIP); err != nil {
		return nil, err
	}
	command, err := os.Executable()
	if err != nil {
		return nil, err
	}
	stand, err := compilers.Prepare(o.Cache, command, cudart)
	if err != nil {
		return nil, err
	}
	s := &Server{stand: stand, socket: o.Socket, ended: make(chan error, 1)}
	report := func(c driver.Client, d *diag.Diagnostic) { o.Report(Client(c), d) }
	if o.Report == nil {
		report = nil
	}
	do := driver.Options{Target: o.Target, Device: o.Device, Report: report, Objects: o.Objects, Log: o.Log}
	if o.Choose != nil {
		do.Choose = func(pid int, c driver.Client) string { return o.Choose(pid, Client(c)) }
	}
	if o.Record != nil {
		do.Record = func(c driver.Client, r *device.Recorded) { o.Record(Client(c), r) }
	}
	if s.server, err = driver.NewServer(do); err != nil {
		return nil, err
	}
	if err := s.listen(); err != nil {
		s.server.Close()
		return nil, err
	}
	// By these variables programs find the libraries, and the driver library its server.
	s.stand.Libraries = library + ":" + cudart + ":" + amd + ":" + s.stand.Libraries
	maps.Copy(s.stand.Set, map[string]string{
		"CROSSLANE_SOCKET":    s.socket,
		"CROSSLANE_RUNTIME":   cudart,   // the auditing library reads it
		"CROSSLANE_TARGET":    o.Target, // libhiprtc compiles for it
		"TRITON_LIBCUDA_PATH": library,
		"NUMBA_CUDA_DRIVER":   filepath.Join(library, "libcuda.so.1"),
	})
	go func() { s.ended <- s.server.Serve(s.listener) }()
	return s, nil
}

// maxSocket is the length of the longest name of a socket (unix(7), sun_path).
const maxSocket = 107

// listen opens the socket.
func (s *Server) listen() (err error) {
	if s.socket == "" {
		// A long name of the folder for temporary files leaves no room.
		for _, folder := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
			if folder == "" || len(folder) > maxSocket-32 {
				continue
			}
			if s.private, err = os.MkdirTemp(folder, "crosslane-"); err == nil { // 0700
				break
			}
		}
		if s.private == "" {
			return fmt.Errorf("no folder for the socket: %w", cmp.Or(err, errors.New("the folders for temporary files have names that are too long")))
		}
		s.socket = filepath.Join(s.private, "socket")
	}
	if s.socket, err = filepath.Abs(s.socket); err != nil {
		return err
	}
	if len(s.socket) > maxSocket {
		return fmt.Errorf("the name of the socket has %d bytes; at most %d are allowed: %s", len(s.socket), maxSocket, s.socket)
	}
	s.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: s.socket, Net: "unix"})
	if err != nil {
		if s.private != "" {
			os.RemoveAll(s.private)
		}
		return err
	}
	return os.Chmod(s.socket, 0o600)
}

// Environment returns an environment in which a program finds the driver library and the stand-ins of compilers.
func (s *Server) Environment(base []string) []string { return s.stand.Apply(base) }

// Exports returns the commands of a POSIX shell that make its environment that of Environment.
func (s *Server) Exports() []string { return s.stand.Exports() }

// Counts returns the counts so far.
func (s *Server) Counts() Counts { return s.server.Counts() }

// leaveTime is how long Close waits for processes that still use their devices.
const leaveTime = 2 * time.Second

// Close waits a moment for the processes that still use their devices, ends their connections, and removes the socket.
// left is how many processes were left.
func (s *Server) Close() (left int) {
	for end := time.Now().Add(leaveTime); s.server.Connected() > 0 && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	left = s.server.Connected()
	s.listener.Close()
	<-s.ended
	s.server.Close()
	if s.private != "" {
		os.RemoveAll(s.private)
	}
	return left
}

// Run runs a program to its end and returns its exit status, as shells give it: 128 and the number of the signal that
// ended it. The terminal sends its signals to the program, too, so the program decides about interrupts. Other
// signals are passed on.
func Run(cmd *exec.Cmd) (status int, err error) {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2)
	defer signal.Stop(signals)
	// The program ends with this process, even if that is killed. The system sends the signal when the thread ends that
	// has started the program.
	goruntime.LockOSThread()
	defer goruntime.UnlockOSThread()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			return statusOf(cmd, err)
		case sig := <-signals:
			if sig == syscall.SIGINT || sig == syscall.SIGQUIT {
				if inForeground() {
					continue // the terminal has sent it to the program
				}
			}
			// The program may have ended.
			_ = cmd.Process.Signal(sig)
		}
	}
}

// NVCC runs the nvcc of the user for a program that asks the stand-in for it. ok is false if exec has named no nvcc.
func NVCC(args []string, in io.Reader, out, errs io.Writer) (status int, ok bool, err error) {
	real := os.Getenv(compilers.RealNVCC)
	if real == "" {
		return 0, false, nil
	}
	words := compilers.NVCCCommand(real, args)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	status, err = Run(cmd)
	return status, true, err
}

// inForeground reports whether a terminal sends signals to this process and its program (proc(5), tpgid of
// /proc/PID/stat).
func inForeground() bool {
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return false
	}
	// The name of the program, in parentheses, may have blanks.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	const terminalGroup = 5
	return len(fields) > terminalGroup && fields[terminalGroup] == strconv.Itoa(syscall.Getpgrp())
}

// statusOf is the exit status of a program that has ended.
func statusOf(cmd *exec.Cmd, err error) (int, error) {
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return 0, err
	}
	w, ok := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if ok && w.Signaled() {
		return 128 + int(w.Signal()), nil
	}
	return cmd.ProcessState.ExitCode(), nil
}
