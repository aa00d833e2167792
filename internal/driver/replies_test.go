//go:build linux && amd64

package driver

import (
	"encoding/binary"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
)

// waiter waits for a word that the host sets, and answers in the next word.
const waiter = `.version 8.0
.target sm_70
.address_size 64
.visible .entry wait(.param .u64 p)
{
	.reg .b32 %r<3>; .reg .b64 %rd<2>; .reg .pred %q;
	ld.param.u64 %rd1, [p];
again:
	ld.volatile.global.u32 %r1, [%rd1];
	setp.eq.u32 %q, %r1, 0;
	@%q bra again;
	add.u32 %r1, %r1, 1;
	st.global.u32 [%rd1+4], %r1;
	ret;
}
.visible .entry exact(.param .u64 p) .reqntid 32, 1, 1
{
	ret;
}
`

// collector keeps the codes of findings.
type collector struct {
	mu   sync.Mutex
	list diag.List
}

func (f *collector) report(_ Client, d *diag.Diagnostic) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, d)
}

func (f *collector) codes() (list []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, d := range f.list {
		list = append(list, d.Code)
	}
	return list
}

// word is a word of memory that two processes use.
func (h *host) word(p uint64) *atomic.Uint32 {
	return (*atomic.Uint32)(unsafe.Pointer(unsafe.SliceData(h.at(p, 4))))
}

// The reply to a launch comes while the kernel waits for the host, with checks too, and for cooperative launches too.
func TestLaunchIsAnsweredBeforeItEnds(t *testing.T) {
	t.Parallel()
	for _, check := range []bool{false, true} {
		_, path := server(t, Options{Device: api.DeviceOptions{Check: check, Skip: []string{"race-global"}}})
		h := connect(t, path)
		m := h.number(CallLoad, "k.ptx", waiter)
		fn := h.function(m, "wait")
		for cooperative := range uint32(2) {
			p := h.number(CallAlloc, 8, 0, uint32(1))
			fields := launch(fn, 1, p)
			fields[len(fields)-2] = cooperative
			h.ok(CallLaunch, fields...)
			time.Sleep(100 * time.Millisecond) // millions of looks at what it waits for
			h.word(p).Store(41)
			h.ok(CallSynchronize)
			if got := h.word(p + 4).Load(); got != 42 {
				t.Errorf("check %t, cooperative %d: the kernel stored %d, want 42", check, cooperative, got)
			}
		}
	}
}

// The reply to a launch has the error of that launch.
func TestLaunchIsRefusedAtOnce(t *testing.T) {
	t.Parallel()
	var found collector
	_, path := server(t, Options{Device: api.DeviceOptions{Check: true}, Report: found.report})
	h := connect(t, path)
	m := h.number(CallLoad, "k.ptx", waiter)
	p := h.number(CallAlloc, 8, 0, uint32(1))
	fn := h.function(m, "exact")
	change := func(i int, v any) []any {
		fields := launch(fn, 32, p)
		fields[i] = v
		return fields
	}
	cooperative := change(9, uint32(1))
	cooperative[2] = uint32(1 << 20) // blocks
	for _, c := range []struct {
		fields []any
		want   Status
	}{
		{change(5, uint32(64)), InvalidValue},      // lanes
		{change(8, uint32(200<<10)), InvalidValue}, // bytes of shared memory
		{change(10, []byte{1, 2}), InvalidValue},   // the parameter block
		{cooperative, CooperativeTooLarge},
	} {
		if s, _, _ := h.call(CallLaunch, c.fields...); s != c.want {
			t.Errorf("%v: status %d, want %d", c.fields, s, c.want)
		}
	}
	h.ok(CallLaunch, launch(fn, 32, p)...)
	h.ok(CallSynchronize)
	if got := found.codes(); !slices.Equal(got, slices.Repeat([]string{"refused-call"}, 4)) {
		t.Errorf("found %v", got)
	}
}

// An error of a call without a reply is answered before the next call is carried out: an allocation that the host
// does not learn of would be lost. Calls that free are carried out.
func TestPendingComesFirst(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{})
	h := connect(t, path)
	p := h.number(CallAlloc, 64, 0, uint32(0))
	bad := func() { h.send(CallLaunch, launch(99, 32, p)...) }
	used := func() uint64 { return h.number(CallMemory) }
	bad()
	if s, _, _ := h.call(CallAlloc, 64, 0, uint32(0)); s != InvalidHandle {
		t.Errorf("the call after a wrong launch: status %d", s)
	}
	if got := used(); got != 64 {
		t.Errorf("%d bytes are allocated, want 64", got)
	}
	bad()
	h.ok(CallFree, p, 0, uint32(0))
	if s, _, _ := h.call(CallMemory); s != InvalidHandle {
		t.Errorf("the first call after a free: status %d", s)
	}
	if got := used(); got != 0 {
		t.Errorf("%d bytes are allocated after the free", got)
	}
	bad()
	h.ok(CallReset)
	h.ok(CallMemory)
}

// A launch that takes too long leaves the device unusable until a reset; with KeepGoing the device goes on.
func TestTimeoutStays(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		_, path := server(t, Options{Device: api.DeviceOptions{Timeout: 20 * time.Millisecond, KeepGoing: keep}})
		h := connect(t, path)
		m := h.number(CallLoad, "k.ptx", kernels)
		p := h.number(CallAlloc, 4, 0, uint32(0))
		h.send(CallLaunch, launch(h.function(m, "forever"), 1, p)...)
		want := LaunchTimeout
		if keep {
			want = Success
		}
		for range 2 {
			if s, _, _ := h.call(CallSynchronize); s != want {
				t.Errorf("keep going %t: status %d, want %d", keep, s, want)
			}
		}
		h.ok(CallReset)
		h.ok(CallSynchronize)
	}
}

// Memory that a client leaves is a leak if it exits by itself, or if its context ends, and none if it is killed.
func TestLeaks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		end  func(h *host, p uint64)
		want []string
	}{
		{"killed", func(*host, uint64) {}, nil},
		{"exit", func(h *host, _ uint64) { h.ok(CallExit) }, []string{"leak"}},
		{"all freed", func(h *host, p uint64) { h.ok(CallFree, p, 0, uint32(0)); h.ok(CallExit) }, nil},
		{"context", func(h *host, p uint64) { h.ok(CallDrop, p); h.ok(CallExit) }, []string{"leak"}},
	} {
		var found collector
		s, path := server(t, Options{Report: found.report})
		h := connect(t, path)
		c.end(h, h.number(CallAlloc, 64, 0, uint32(0)))
		h.conn.Close()
		s.Wait()
		if got := found.codes(); !slices.Equal(got, c.want) {
			t.Errorf("%s: found %v, want %v", c.name, got, c.want)
		}
	}
}

// A refusal of the library is a finding with the calls of the host, with checks only.
func TestRefused(t *testing.T) {
	t.Parallel()
	for _, check := range []bool{false, true} {
		var found collector
		_, path := server(t, Options{Device: api.DeviceOptions{Check: check}, Report: found.report})
		h := connect(t, path)
		h.send(CallCallers, uint32(1), "app.py", uint32(12), "main")
		h.send(CallRefused, uint32(InvalidHandle), "cuStreamSynchronize: the handle is no stream")
		h.send(CallRefused, uint32(InvalidValue), "cuMemAlloc: 0 bytes")
		h.ok(CallSynchronize)
		want := []string{"bad-handle", "refused-call"}
		if !check {
			want = nil
		}
		if got := found.codes(); !slices.Equal(got, want) {
			t.Errorf("check %t: found %v, want %v", check, got, want)
		}
		if check && (found.list[0].Pos.Line != 12 || !strings.Contains(found.list[0].Message, "is no stream")) {
			t.Errorf("%+v", found.list[0])
		}
	}
}

// A function of the host runs when the calls before it have been carried out, and holds up those after it.
func TestHostFunction(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{})
	h := connect(t, path)
	m := h.number(CallLoad, "k.ptx", waiter)
	p := h.number(CallAlloc, 8, 0, uint32(1))
	words := (*[5]atomic.Uint32)(unsafe.Pointer(unsafe.SliceData(h.mem))) // done u64, turn, returned, status
	h.send(CallLaunch, launch(h.function(m, "wait"), 1, p)...)
	h.send(CallHostFunc, uint32(1), uint64(0))
	h.send(CallSet, 0, p, []byte{7}, 8)
	time.Sleep(5 * time.Millisecond)
	if words[2].Load() != 0 {
		t.Error("the function has its turn while the kernel runs")
	}
	h.word(p).Store(1)
	for words[2].Load() != 1 {
		time.Sleep(time.Millisecond)
	}
	if got := h.word(p + 4).Load(); got != 2 {
		t.Errorf("when the function has its turn the word is %#x, want 2", got)
	}
	words[3].Store(1)
	h.ok(CallSynchronize)
	if got := h.word(p + 4).Load(); got != 0x07070707 {
		t.Errorf("afterwards the word is %#x", got)
	}
	if done := words[0].Load(); done != 8 { // hello, load, alloc, function, launch, host function, set, synchronize
		t.Errorf("%d calls have been carried out, want 8", done)
	}
}

// A copy and the wait for its stream are one call.
func TestCallThatWaits(t *testing.T) {
	t.Parallel()
	var found collector
	_, path := server(t, Options{Device: api.DeviceOptions{Check: true}, Report: found.report})
	h := connect(t, path)
	p := h.number(CallAlloc, 64, 0, uint32(0))
	a, b := h.number(CallStreamNew, uint32(1)), h.number(CallStreamNew, uint32(1))
	wait := func(c Call, fields ...any) Status {
		if _, err := h.conn.Write(message(c, flagReply|flagWait, encode(fields...))); err != nil {
			t.Fatal(err)
		}
		head := make([]byte, 12)
		if _, err := io.ReadFull(h.conn, head); err != nil {
			t.Fatal(err)
		}
		return Status(binary.LittleEndian.Uint32(head[4:]))
	}
	if s := wait(CallWriteShared, a, p, 64); s != Success {
		t.Errorf("status %d", s)
	}
	h.ok(CallWriteShared, b, p, 64) // after the first copy, because the host has waited
	if got := found.codes(); got != nil {
		t.Errorf("found %v", got)
	}
	h.ok(CallWriteShared, a, p, 64)
	if got := found.codes(); !slices.Equal(got, []string{"stream-race"}) {
		t.Errorf("without a wait: found %v", got)
	}
	if s := wait(CallWriteShared, 12345, p, 64); s != InvalidHandle {
		t.Errorf("no stream: status %d", s)
	}
}

// Close ends a launch that never ends, and a host function that never returns.
func TestCloseEndsLaunches(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"launch", "host function", "nothing"} {
		s, path := server(t, Options{})
		h := connect(t, path)
		m := h.number(CallLoad, "k.ptx", kernels)
		p := h.number(CallAlloc, 4, 0, uint32(1))
		switch what {
		case "launch":
			h.send(CallLaunch, launch(h.function(m, "forever"), 1, p)...)
			for h.word(p).Load() == 0 {
				time.Sleep(time.Millisecond)
			}
		case "host function":
			h.send(CallHostFunc, uint32(1), uint64(0))
		}
		done := make(chan struct{})
		go func() {
			s.Close()
			close(done)
		}()
		select {
		case <-done:
		case <-time.After(30 * time.Second):
			t.Fatalf("%s: the server does not close", what)
		}
	}
}

// Connections that end are seen although their descriptors are used again, and the watch ends.
func TestHangups(t *testing.T) {
	t.Parallel()
	h, err := newHangups()
	if err != nil {
		t.Fatal(err)
	}
	pair := func() (own *net.UnixConn, other int) {
		fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			t.Fatal(err)
		}
		f := fileOf(fds[0])
		defer f.Close()
		c, err := net.FileConn(f)
		if err != nil {
			t.Fatal(err)
		}
		return c.(*net.UnixConn), fds[1]
	}
	for i := range 50 {
		c, other := pair()
		raw, err := c.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		remove, err := h.add(raw, func() { close(ended) })
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 { // the watch is ended first: no call comes
			remove()
			syscall.Close(other)
			c.Close()
			continue
		}
		syscall.Close(other)
		<-ended
		remove()
		c.Close()
	}
	if len(h.calls) != 0 {
		t.Errorf("%d connections are still watched", len(h.calls))
	}
	h.close()
	h.close()
}

// The inputs of a linker have a limit together; archives of machine code are left out.
func TestLinkInputs(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{})
	h := connect(t, path)
	h.ok(CallLink, uint32(0), uint32(2), "libcudadevrt.a", "!<arch>\nx", "k.ptx", waiter)
	big := strings.Repeat("/", 33<<20)
	s, _, body := h.call(CallLink, uint32(0), uint32(2), "a.ptx", big, "b.ptx", big)
	r := reader{b: body}
	r.text()
	if log := r.text(); s != InvalidImage || !strings.Contains(log, "at most 67108864 are allowed") {
		t.Errorf("status %d, log %q", s, log)
	}
}

// A function has one number, and none after its module is unloaded.
func TestFunctionNumbers(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{})
	h := connect(t, path)
	m := h.number(CallLoad, "k.ptx", waiter)
	fn := h.function(m, "exact")
	if again := h.function(m, "exact"); again != fn {
		t.Errorf("the numbers are %d and %d", fn, again)
	}
	h.ok(CallUnload, m)
	if s, _, _ := h.call(CallPrepare, fn); s != InvalidHandle {
		t.Errorf("after its module was unloaded: status %d", s)
	}
}

// fileOf makes a file of a descriptor.
func fileOf(fd int) *os.File { return os.NewFile(uintptr(fd), "socket") }

// A process that connects and says nothing is disconnected; one that has said hello may be silent.
func TestSilentProcess(t *testing.T) {
	t.Parallel()
	s, err := NewServer(Options{Target: "sm_80"})
	if err != nil {
		t.Fatal(err)
	}
	s.hello = 100 * time.Millisecond
	path := filepath.Join(t.TempDir(), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	defer s.Close()
	defer l.Close()
	h := connect(t, path)
	for _, fd := range []int{-1, memory(t, ArenaBytes, true)} {
		conn := dial(t, path, fd)
		conn.SetReadDeadline(time.Now().Add(30 * time.Second))
		if _, err := conn.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("a silent process is served: %v", err)
		}
	}
	h.ok(CallSynchronize)
}

// The server goes on to accept processes after errors that pass.
func TestPassingErrors(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]bool{
		&net.OpError{Op: "accept", Err: os.NewSyscallError("accept4", syscall.EMFILE)}: true,
		&net.OpError{Op: "accept", Err: syscall.ECONNABORTED}:                          true,
		&net.OpError{Op: "accept", Err: syscall.EBADF}:                                 false,
		net.ErrClosed: false,
	} {
		if got := passing(err); got != want {
			t.Errorf("%v: %t, want %t", err, got, want)
		}
	}
}
