//go:build linux && amd64

package driver

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
)

// host is a client of a server, written after the description of the messages: it shares no code with the server but
// the numbers of the calls.
type host struct {
	t    testing.TB
	conn *net.UnixConn
	mem  []byte // the shared memory
}

// server starts a server for one test.
func server(t testing.TB, o Options) (s *Server, path string) {
	t.Helper()
	if o.Target == "" {
		o.Target = "sm_80"
	}
	s, err := NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	go s.Serve(l)
	t.Cleanup(func() {
		l.Close()
		s.Close()
	})
	return s, path
}

// memory makes a file in memory; sealed reports whether it may not be made shorter.
func memory(t testing.TB, size int64, sealed bool) int {
	t.Helper()
	const memfdCreate, allowSealing, addSeals, shrink = 319, 2, 1033, 2
	name := [...]byte{'m', 0}
	fd, _, e := syscall.Syscall(memfdCreate, uintptr(unsafe.Pointer(&name)), allowSealing, 0)
	if e != 0 {
		t.Skip("this system has no files in memory: ", e)
	}
	if err := syscall.Ftruncate(int(fd), size); err != nil {
		t.Fatal(err)
	}
	if sealed {
		if _, _, e := syscall.Syscall(syscall.SYS_FCNTL, fd, addSeals, shrink); e != 0 {
			t.Fatal(e)
		}
	}
	return int(fd)
}

// dial connects and sends the shared memory.
func dial(t testing.TB, path string, fd int) *net.UnixConn {
	t.Helper()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if fd >= 0 {
		if _, _, err := conn.WriteMsgUnix([]byte{0}, syscall.UnixRights(fd), nil); err != nil {
			t.Fatal(err)
		}
	}
	return conn
}

// connect makes a client that has said hello.
func connect(t testing.TB, path string) *host {
	t.Helper()
	return greet(t, dial(t, path, -1))
}

// greet sends the shared memory over a connection and says hello.
func greet(t testing.TB, conn *net.UnixConn) *host {
	t.Helper()
	fd := memory(t, ArenaBytes, true)
	defer syscall.Close(fd)
	mem, err := syscall.Mmap(fd, 0, ArenaBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED|0x4000)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.WriteMsgUnix([]byte{0}, syscall.UnixRights(fd), nil); err != nil {
		t.Fatal(err)
	}
	h := &host{t, conn, mem}
	t.Cleanup(func() { syscall.Munmap(mem) })
	b := h.ok(CallHello, uint32(Version), uint32(7), "a test")
	r := reader{b: b}
	r.u32()
	if v := r.u32(); v != DriverVersion {
		t.Fatalf("driver version %d", v)
	}
	return h
}

// encode writes the fields of a body.
func encode(fields ...any) (b []byte) {
	for _, f := range fields {
		switch f := f.(type) {
		case uint32:
			b = binary.LittleEndian.AppendUint32(b, f)
		case int:
			b = binary.LittleEndian.AppendUint64(b, uint64(f))
		case uint64:
			b = binary.LittleEndian.AppendUint64(b, f)
		case string:
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(f))), f...)
		case []byte:
			b = append(binary.LittleEndian.AppendUint32(b, uint32(len(f))), f...)
		default:
			panic(fmt.Sprintf("%T", f))
		}
	}
	return b
}

// message is a request with its head.
func message(c Call, flags uint16, body []byte) []byte {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(body)))
	b = binary.LittleEndian.AppendUint16(b, uint16(c))
	return append(binary.LittleEndian.AppendUint16(b, flags), body...)
}

// send makes a call without a reply.
func (h *host) send(c Call, fields ...any) {
	h.t.Helper()
	if _, err := h.conn.Write(message(c, 0, encode(fields...))); err != nil {
		h.t.Fatal(err)
	}
}

// call makes a call and returns its status, what kernels have printed, and the rest of the reply.
func (h *host) call(c Call, fields ...any) (s Status, text string, body []byte) {
	h.t.Helper()
	if _, err := h.conn.Write(message(c, flagReply, encode(fields...))); err != nil {
		h.t.Fatal(err)
	}
	head := make([]byte, headBytes)
	if _, err := io.ReadFull(h.conn, head); err != nil {
		h.t.Fatalf("call %d: %v", c, err)
	}
	body = make([]byte, binary.LittleEndian.Uint32(head))
	if _, err := io.ReadFull(h.conn, body); err != nil {
		h.t.Fatal(err)
	}
	r := reader{b: body}
	text = r.text()
	return Status(binary.LittleEndian.Uint32(head[4:])), text, r.b
}

// ok makes a call that must succeed.
func (h *host) ok(c Call, fields ...any) []byte {
	h.t.Helper()
	s, _, body := h.call(c, fields...)
	if s != Success {
		h.t.Fatalf("call %d: status %d: %q", c, s, body)
	}
	return body
}

// number makes a call that returns a number first.
func (h *host) number(c Call, fields ...any) uint64 {
	h.t.Helper()
	return binary.LittleEndian.Uint64(h.ok(c, fields...))
}

// at returns shared memory at an address of the device.
func (h *host) at(p uint64, n int) []byte { return h.mem[p-ArenaBase : p-ArenaBase+uint64(n)] }

const kernels = `.version 8.0
.target sm_70
.address_size 64
.visible .global .align 4 .u32 counter = 5;
.visible .const .align 4 .u32 scale = 3;
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .b8 hello[4] = {104, 105, 10, 0};
.visible .entry mul(.param .u64 p, .param .u32 n)
{
	.reg .b32 %r<6>; .reg .b64 %rd<4>; .reg .pred %q;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %tid.x;
	setp.ge.u32 %q, %r2, %r1;
	@%q ret;
	mul.wide.u32 %rd2, %r2, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r3, [%rd1];
	ld.const.u32 %r4, [scale];
	mul.lo.u32 %r3, %r3, %r4;
	st.global.u32 [%rd1], %r3;
	ret;
}
.visible .entry greet()
{
	.reg .b32 %r<2>; .reg .b64 %rd<3>;
	.param .b64 f; .param .b64 a; .param .b32 r;
	mov.u64 %rd1, hello;
	cvta.global.u64 %rd1, %rd1;
	mov.u64 %rd2, 0;
	st.param.b64 [f], %rd1;
	st.param.b64 [a], %rd2;
	call (r), vprintf, (f, a);
	ret;
}
.visible .entry forever(.param .u64 p)
{
	.reg .b32 %r<3>; .reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
again:
	ld.volatile.global.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	st.volatile.global.u32 [%rd1], %r1;
	bra again;
}
`

// launch is the fields of a launch of one block.
func launch(fn uint64, lanes uint32, params ...any) []any {
	return []any{uint64(0), fn, uint32(1), uint32(1), uint32(1), lanes, uint32(1), uint32(1), uint32(0), uint32(0), encode(params...)}
}

func (h *host) function(module uint64, name string) uint64 {
	h.t.Helper()
	return h.number(CallFunction, module, name)
}

// A client allocates, writes into the shared memory, launches without waiting, and reads.
func TestWholeProgram(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{})
	h := connect(t, path)
	p := h.number(CallAlloc, 128, 0, uint32(0))
	h.ok(CallWriteShared, 0, p, 128)
	for i := range 32 {
		binary.LittleEndian.PutUint32(h.at(p, 128)[4*i:], uint32(i))
	}
	m := h.number(CallLoad, "kernels.ptx", kernels+"\x00")
	body := h.ok(CallFunction, m, "mul")
	r := reader{b: body}
	fn, n := r.u64(), r.u32()
	if got := []uint32{n, r.u32(), r.u32(), r.u32(), r.u32()}; !slices.Equal(got, []uint32{2, 0, 8, 8, 4}) {
		t.Errorf("the parameters are %v, want 2: 8 bytes at 0 and 4 at 8", got)
	}
	for range 3 {
		h.send(CallLaunch, launch(fn, 32, p, uint32(32))...)
	}
	h.ok(CallReadShared, 0, p, 128)
	for i := range 32 {
		if got := binary.LittleEndian.Uint32(h.at(p, 128)[4*i:]); got != uint32(27*i) {
			t.Fatalf("element %d is %d, want %d", i, got, 27*i)
		}
	}
	// A constant is not in the shared memory: its bytes are in the message.
	c := reader{b: h.ok(CallVariable, m, "scale")}
	scale := c.u64()
	if scale >= ArenaBase {
		t.Errorf("the constant is at %#x", scale)
	}
	h.ok(CallWrite, 0, scale, []byte{10, 0, 0, 0})
	h.send(CallLaunch, launch(fn, 32, p, uint32(2))...)
	h.ok(CallStreamWait, 0)
	if got := binary.LittleEndian.Uint32(h.at(p, 128)[4:]); got != 270 {
		t.Errorf("with another constant: %d, want 270", got)
	}
	v := reader{b: h.ok(CallVariable, m, "counter")}
	if counter := v.u64(); binary.LittleEndian.Uint32(h.at(counter, 4)) != 5 {
		t.Error("a variable is not in the shared memory")
	}
	h.send(CallLaunch, launch(h.function(m, "greet"), 2)...)
	if _, text, _ := h.call(CallSynchronize); text != "hi\nhi\n" {
		t.Errorf("printed %q", text)
	}
	h.ok(CallFree, p, 0, uint32(0))
	if s, _, _ := h.call(CallFree, p, 0, uint32(0)); s != InvalidValue {
		t.Errorf("a second free: status %d", s)
	}
}

// An error of a launch without a reply comes with the next reply; a fault stays.
func TestErrorsComeLater(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		var mu sync.Mutex
		var found []string
		_, path := server(t, Options{Device: api.DeviceOptions{KeepGoing: keep}, Report: func(c Client, d *diag.Diagnostic) {
			mu.Lock()
			defer mu.Unlock()
			found = append(found, fmt.Sprintf("%s: %s", c, d.Code))
		}})
		h := connect(t, path)
		m := h.number(CallLoad, "k.ptx", kernels)
		fn := h.function(m, "mul")
		p := h.number(CallAlloc, 64, 0, uint32(0))
		h.send(CallLaunch, launch(fn, 2000, p, uint32(1))...)
		if s, _, _ := h.call(CallSynchronize); s != InvalidValue {
			t.Errorf("a block that is too large: status %d", s)
		}
		if s, _, _ := h.call(CallSynchronize); s != Success {
			t.Errorf("the call after that: status %d", s)
		}
		want := Success
		if !keep {
			want = IllegalAddress
		}
		h.send(CallLaunch, launch(fn, 32, p, uint32(32))...)
		for range 2 {
			if s, _, _ := h.call(CallSynchronize); s != want {
				t.Errorf("keep going %t: status %d, want %d", keep, s, want)
			}
		}
		h.call(CallReset)
		if s, _, _ := h.call(CallAlloc, 64, 0, uint32(0)); s != Success {
			t.Errorf("after a reset: status %d", s)
		}
		mu.Lock()
		if !slices.Contains(found, "a test (process 7): out-of-bounds") {
			t.Errorf("found %v", found)
		}
		mu.Unlock()
	}
}

// A module that does not load returns its diagnostics for the log of the host.
func TestLog(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{})
	h := connect(t, path)
	for text, want := range map[string]Status{
		".version 8.0\n.target sm_80\n.address_size 64\n.entry k() { frob; }\n": InvalidPTX,
		".version 9.0\n.target sm_90\n.address_size 64\n.entry k() { ret; }\n":  NoBinary,
	} {
		s, _, body := h.call(CallLoad, "bad.ptx", text)
		r := reader{b: body}
		r.u64()
		if log := r.text(); s != want || !strings.Contains(log, "bad.ptx") {
			t.Errorf("status %d, log %q", s, log)
		}
	}
}

// A host that sends the calls that lead to a call finds them in findings.
func TestCallers(t *testing.T) {
	t.Parallel()
	found := make(chan *diag.Diagnostic, 8)
	_, path := server(t, Options{Device: api.DeviceOptions{Check: true}, Report: func(_ Client, d *diag.Diagnostic) { found <- d }})
	h := connect(t, path)
	h.send(CallCallers, uint32(2), "app.py", uint32(12), "make", "app.py", uint32(40), "<module>")
	p := h.number(CallAlloc, 64, 0, uint32(0))
	h.send(CallCallers, uint32(1), "app.py", uint32(20), "copy")
	h.call(CallWriteShared, 0, p, 65)
	d := <-found
	if d.Code != "copy-out-of-bounds" || d.Pos.File != "app.py" || d.Pos.Line != 20 {
		t.Errorf("%+v", d)
	}
	if !slices.ContainsFunc(d.Related, func(r diag.Related) bool {
		return r.Pos.Line == 12 && strings.Contains(r.Message, "allocated here, in make")
	}) {
		t.Errorf("no call of the allocation: %+v", d.Related)
	}
}

// Hostile clients are disconnected, or get an error; the server serves the next one.
func TestHostile(t *testing.T) {
	t.Parallel()
	var logged lockedBuffer
	_, path := server(t, Options{Log: &logged})
	hello := message(CallHello, flagReply, encode(uint32(Version), uint32(1), "x"))
	short := memory(t, 1<<20, true)
	soft := memory(t, ArenaBytes, false)
	good := memory(t, ArenaBytes, true)
	null, err := syscall.Open("/dev/null", syscall.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		fd   int
		data []byte
	}{
		"no file":             {-1, hello},
		"a short file":        {short, hello},
		"a file that shrinks": {soft, hello},
		"no memory":           {null, hello},
		"no hello":            {good, message(CallAlloc, flagReply, encode(64, 0, uint32(0)))},
		"two hellos":          {good, append(slices.Clone(hello), hello...)},
		"another version":     {good, message(CallHello, flagReply, encode(uint32(Version+1), uint32(1), "x"))},
		"no such call":        {good, append(slices.Clone(hello), message(numCalls, flagReply, nil)...)},
		"a short body":        {good, append(slices.Clone(hello), message(CallAlloc, flagReply, []byte{1, 2})...)},
		"a huge body":         {good, append(slices.Clone(hello), 0xff, 0xff, 0xff, 0xff, 3, 0, 1, 0)},
		"a long text":         {good, append(slices.Clone(hello), message(CallLoad, flagReply, []byte{0xff, 0xff, 0xff, 0x7f})...)},
		"a million frames":    {good, append(slices.Clone(hello), message(CallCallers, 0, encode(uint32(1<<20)))...)},
	} {
		conn := dial(t, path, c.fd)
		conn.Write(c.data)
		conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset") {
			t.Errorf("%s: the client is not disconnected: %v", name, err)
		}
	}
	// Half a message, then nothing.
	dial(t, path, good).Write(append(slices.Clone(hello), 200, 0, 0, 0, 3, 0))
	h := connect(t, path)
	for _, c := range []struct {
		call   Call
		fields []any
		want   Status
	}{
		{CallAlloc, []any{64 << 30, 0, uint32(0)}, OutOfMemory},
		{CallAlloc, []any{uint64(1<<64 - 1), 0, uint32(0)}, OutOfMemory},
		{CallAlloc, []any{0, 0, uint32(0)}, InvalidValue},
		{CallAlloc, []any{64, 12345, uint32(0)}, InvalidHandle},
		{CallFree, []any{1, 0, uint32(0)}, InvalidValue},
		{CallWriteShared, []any{0, uint64(ArenaBase), 64}, InvalidValue},
		{CallRead, []any{0, uint64(ArenaBase), 1 << 40}, InvalidValue},
		{CallFunction, []any{99, "k"}, InvalidHandle},
		{CallLaunch, launch(99, 32), InvalidHandle},
		{CallEventSince, []any{1, 2}, InvalidHandle},
	} {
		if s, _, _ := h.call(c.call, c.fields...); s != c.want {
			t.Errorf("call %d of %v: status %d, want %d", c.call, c.fields, s, c.want)
		}
	}
	if !strings.Contains(logged.String(), "it has no seal") {
		t.Errorf("the log is %q", logged.String())
	}
}

// A client that vanishes in a launch that never ends leaves nothing.
func TestVanishes(t *testing.T) {
	t.Parallel()
	s, path := server(t, Options{})
	h := connect(t, path)
	m := h.number(CallLoad, "k.ptx", kernels)
	p := h.number(CallAlloc, 4, 0, uint32(1))
	h.send(CallLaunch, launch(h.function(m, "forever"), 1, p)...)
	for binary.LittleEndian.Uint32(h.at(p, 4)) == 0 { // it runs
		time.Sleep(time.Millisecond)
	}
	h.send(CallSynchronize) // unread data must not hide that the client has gone
	h.conn.Close()
	done := make(chan struct{})
	go func() {
		s.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Error("the launch goes on")
	}
}

// lockedBuffer is a buffer that several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// FuzzRequests sends any bytes after a hello: the server neither fails nor stops.
func FuzzRequests(f *testing.F) {
	f.Add(message(CallAlloc, flagReply, encode(64, 0, uint32(0))))
	f.Add(append(message(CallLoad, flagReply, encode("k.ptx", kernels)), message(CallFunction, flagReply, encode(0x10010, "mul"))...))
	f.Add(append(message(CallStreamNew, flagReply, encode(uint32(1))), message(CallSet, 0, encode(0x10010, uint64(ArenaBase+65536), []byte{1}, 64))...))
	f.Add(message(CallLink, flagReply, encode(uint32(0), uint32(1), "a", kernels)))
	_, path := server(f, Options{Device: api.DeviceOptions{Check: true, KeepGoing: true, Timeout: time.Second}})
	f.Fuzz(func(t *testing.T, data []byte) {
		fd := memory(t, ArenaBytes, true)
		conn := dial(t, path, fd)
		syscall.Close(fd)
		conn.Write(message(CallHello, flagReply, encode(uint32(Version), uint32(1), "x")))
		conn.Write(data)
		conn.CloseWrite()
		conn.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.Copy(io.Discard, conn); err != nil && strings.Contains(err.Error(), "timeout") {
			t.Fatal(err)
		}
		conn.Close()
	})
}

// BenchmarkLaunch is a launch of one warp: waited for, and not waited for.
func BenchmarkLaunch(b *testing.B) {
	_, path := server(b, Options{})
	h := connect(b, path)
	m := h.number(CallLoad, "k.ptx", kernels)
	fn := h.function(m, "mul")
	p := h.number(CallAlloc, 128, 0, uint32(0))
	msg := message(CallLaunch, 0, encode(launch(fn, 32, p, uint32(32))...))
	wait := message(CallStreamWait, flagReply, encode(0))
	reply := make([]byte, 12)
	b.Run("waited", func(b *testing.B) {
		both := append(slices.Clone(msg), wait...)
		for b.Loop() {
			h.conn.Write(both)
			if _, err := io.ReadFull(h.conn, reply); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("not waited", func(b *testing.B) {
		for b.Loop() {
			h.conn.Write(msg)
		}
		h.ok(CallSynchronize)
	})
}

// Unloading a code object gives the arena back only what the arena provided.
func TestUnloadCodeObject(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{Target: "gfx803"})
	h := connect(t, path)
	image, err := os.ReadFile("../../examples/gcn3/arithmetic.hsaco")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		h.ok(CallUnload, h.number(CallLoad, "k.hsaco", image))
	}
	p := h.number(CallAlloc, 64, 0, uint32(0))
	h.ok(CallFree, p, 0, uint32(0))
}
