// Package driver serves the CUDA driver API to processes that run on a device of Crosslane. A process has the driver
// library of package shim, which is a thin layer: it sends calls to the server and shares its memory with it. Each
// process is a client with a device of its own.
//
// Input: connections of clients; their requests.
// Output: replies, and the findings of the devices.
// Invariant: a client can neither stop the server nor see another client's memory: requests are decoded with
// bounds, numbers of objects are looked up in the client's own tables, and the objects that a client leaves behind are freed when
// its connection ends.
// Example: Alloc, WriteShared, Load, Function, Launch, StreamWait, ReadShared.
package driver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/device"
)

// Version is the version of the messages. A library of another version is refused.
const Version = 1

// DriverVersion is the version that the driver reports: that of the newest toolkit known (13.5).
const DriverVersion = 13050

// Options configure a Server.
type Options struct {
	Target string
	// Choose, if set, chooses the target of each process when that begins to use the device; pid is its number for the
	// system. "": Target.
	Choose func(pid int, c Client) string
	Device api.DeviceOptions // of each client; Report and Stdout are set by the server
	// Report receives the findings of all clients, one at a time.
	Report func(c Client, d *diag.Diagnostic)
	// Record, if set, receives each launch before it is made, with the memory of the device. It does not keep the memory.
	Record func(c Client, r *device.Recorded)
	// Objects asks for findings about streams, events, modules and pools that the host has not ended.
	Objects bool
	// Log receives the messages of the server beside findings; nil: nothing.
	Log io.Writer
}

// A Client names a process.
type Client struct {
	PID     int
	Program string
}

// maxClients is how many processes may be connected at a time.
const maxClients = 4096

// A Server serves clients.
type Server struct {
	opt    Options
	report sync.Mutex
	mu     sync.Mutex
	conns  map[*client]bool
	shares map[shareID]*share // memory that clients may open
	closed bool
	gone   *sync.Cond // with mu: a client has left conns
	ends   *hangups
	hello  time.Duration // how long a process may take from connecting to its first request

	symbols symbols

	processes, launches atomic.Int64 // see Counts
}

// Counts counts the processes that made a device, and the launches that began.
type Counts struct{ Processes, Launches int64 }

// Counts returns the counts so far.
func (s *Server) Counts() Counts { return Counts{s.processes.Load(), s.launches.Load()} }

// NewServer makes a server. The target is checked.
func NewServer(o Options) (*Server, error) {
	if _, err := newDevice(o, nil); err != nil {
		return nil, err
	}
	ends, err := newHangups()
	if err != nil {
		return nil, err
	}
	s := &Server{opt: o, conns: map[*client]bool{}, ends: ends, hello: 10 * time.Second}
	s.gone = sync.NewCond(&s.mu)
	return s, nil
}

// acceptPause is how long Serve waits after an error that passes.
const acceptPause = 20 * time.Millisecond

// Serve accepts clients until the listener is closed.
func (s *Server) Serve(l *net.UnixListener) error {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			switch {
			case errors.Is(err, net.ErrClosed):
				return nil
			case passing(err):
				// The process that connects waits meanwhile.
				s.logf("a process cannot connect yet: %v", err)
				time.Sleep(acceptPause)
				continue
			}
			return err
		}
		c := &client{server: s, conn: conn}
		c.ctx, c.cancel = context.WithCancel(context.Background())
		s.mu.Lock()
		refused := s.closed || len(s.conns) >= maxClients
		if !refused {
			s.conns[c] = true
		}
		s.mu.Unlock()
		if refused {
			conn.Close()
			continue
		}
		go func() {
			c.serve()
			s.mu.Lock()
			delete(s.conns, c)
			s.gone.Broadcast()
			s.mu.Unlock()
		}()
	}
}

// passing reports whether accepting a connection may succeed later.
func passing(err error) bool {
	var e syscall.Errno
	if !errors.As(err, &e) {
		return false
	}
	switch e {
	case syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.ECONNABORTED, syscall.EINTR:
		return true
	}
	return false
}

// Connected is how many processes are connected.
func (s *Server) Connected() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns)
}

// Close ends all connections and waits until their devices are closed.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	for c := range s.conns {
		c.stop()
	}
	s.mu.Unlock()
	s.Wait()
	s.ends.close()
}

// Wait waits until no client is connected.
func (s *Server) Wait() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.conns) > 0 {
		s.gone.Wait()
	}
}

func (s *Server) logf(format string, args ...any) {
	if s.opt.Log != nil {
		fmt.Fprintf(s.opt.Log, format+"\n", args...)
	}
}

// found reports a finding of a client.
func (s *Server) found(c Client, d *diag.Diagnostic) {
	if s.opt.Report == nil {
		return
	}
	s.report.Lock()
	defer s.report.Unlock()
	s.opt.Report(c, d)
}

// stop ends a client: its launch is cancelled, its connection is closed.
func (c *client) stop() {
	c.cancel()
	c.conn.Close()
}

// serve answers the requests of a client until its connection ends.
func (c *client) serve() {
	defer c.close()
	c.conn.SetDeadline(time.Now().Add(c.server.hello))
	fd, err := c.receiveFile()
	if err != nil {
		c.server.logf("a process connected and is no client: %v", err)
		return
	}
	if c.arena, err = newArena(fd); err != nil {
		syscall.Close(fd)
		c.server.logf("a process connected and is no client: %v", err)
		return
	}
	raw, err := c.conn.SyscallConn()
	if err != nil {
		return
	}
	unwatch, err := c.server.ends.add(raw, c.cancel)
	if err != nil {
		c.server.logf("a process cannot be watched: %v", err)
		return
	}
	defer unwatch()
	var buf []byte
	in := &spinReader{raw: raw}
	c.beside.in, c.host = in, c.stalled
	for {
		q, waiting := c.beside.take()
		if !waiting {
			c.beside.settle(c.arena.control())
			q, err = readRequest(in, &buf)
			c.beside.count(&q)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) && !errors.Is(err, syscall.ECONNRESET) && !errors.Is(err, io.ErrUnexpectedEOF) {
				c.server.logf("process %d is disconnected: %v", c.who.PID, err)
			}
			return
		}
		c.out.start()
		c.answered = q.flags&flagReply == 0 || q.answered
		if q.callers != nil {
			c.callers = q.callers
		}
		status, ok := c.carryOut(&q)
		if !ok || c.beside.broken {
			return
		}
		c.arena.control().finished()
		if q.body.bad {
			c.server.logf("process %d is disconnected: call %d has a body that is too short", c.who.PID, q.call)
			return
		}
		if !c.answered {
			c.answer(status)
		} else if status != Success && c.pending == Success {
			c.pending = status
		}
	}
}

// carryOut is handle that turns a panic into the end of this client, so that a mistake in a front end does not end
// the other ones.
func (c *client) carryOut(q *request) (status Status, ok bool) {
	defer func() {
		if p := recover(); p != nil {
			c.server.logf("process %d is disconnected: call %d failed, which is a mistake of Crosslane's: %v", c.who.PID, q.call, p)
			ok = false
		}
	}()
	return c.handle(q), true
}

// peer is the number of the process at the other end of the connection, as this process sees it. A process in a
// container gives another number itself.
func (c *client) peer() int {
	pid := c.who.PID
	raw, err := c.conn.SyscallConn()
	if err != nil {
		return pid
	}
	// If the connection has ended, the next reply fails.
	_ = raw.Control(func(fd uintptr) {
		if u, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil && u.Pid > 0 {
			pid = int(u.Pid)
		}
	})
	return pid
}

// receiveFile receives the file of the shared memory, which comes with one byte before the first request.
func (c *client) receiveFile() (fd int, err error) {
	var b [1]byte
	oob := make([]byte, syscall.CmsgSpace(4*4))
	n, oobn, flags, _, err := c.conn.ReadMsgUnix(b[:], oob)
	if err != nil || n != 1 {
		return -1, fmt.Errorf("no file came with the first byte: %v", err)
	}
	messages, err := syscall.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return -1, err
	}
	fd = -1
	for i := range messages {
		fds, err := syscall.ParseUnixRights(&messages[i])
		if err != nil {
			continue
		}
		for _, f := range fds {
			if fd >= 0 || flags&syscall.MSG_CTRUNC != 0 {
				syscall.Close(f) // more than was agreed
				continue
			}
			fd = f
		}
	}
	if fd < 0 {
		return -1, errors.New("no file came with the first byte")
	}
	syscall.CloseOnExec(fd)
	return fd, nil
}

// close frees all that a client has left.
func (c *client) close() {
	c.cancel()
	c.conn.Close()
	if c.dev != nil {
		if c.exited {
			c.leakObjects()
			c.dev.Close()
		} else {
			c.dev.Discard() // it was killed: objects that it has left are no mistake
		}
	}
	if c.arena != nil {
		c.arena.close()
	}
}

// spinReader reads from a connection. For a short time it looks again and again before it sleeps: a client that
// waits for replies sends its next request soon, and waking a thread takes longer than the call.
type spinReader struct {
	raw  syscall.RawConn
	buf  [64 << 10]byte
	from int
	to   int
}

// spins is how often a reader looks before it sleeps: some 75 microseconds.
const spins = 150

// Read fills b from the buffer, or from the connection.
func (r *spinReader) Read(b []byte) (int, error) {
	if r.from == r.to {
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(b, r.buf[r.from:r.to])
	r.from += n
	return n, nil
}

func (r *spinReader) fill() (err error) {
	var n int
	var failed error
	tries := 0
	err = r.raw.Read(func(fd uintptr) bool {
		for {
			n, _, failed = syscall.Recvfrom(int(fd), r.buf[:], syscall.MSG_DONTWAIT)
			if failed != syscall.EAGAIN && failed != syscall.EINTR {
				return true
			}
			if tries++; tries > spins {
				tries = 0
				return false // the poller wakes us
			}
		}
	})
	switch {
	case err != nil:
		return err
	case failed != nil:
		return failed
	case n == 0:
		return io.EOF
	}
	r.from, r.to = 0, n
	return nil
}
