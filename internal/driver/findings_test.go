//go:build linux && amd64

package driver

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"example.org/crosslane/api"
)

// shown is what CallFindings sends, as a client reads it.
type shown struct {
	Schema           string
	Findings, Failed []struct {
		Code, Message, Severity, File, Text string
		Line                                int
	}
}

func (h *host) findings() (s shown) {
	h.t.Helper()
	r := reader{b: h.ok(CallFindings)}
	if err := json.Unmarshal(r.bytes(), &s); err != nil {
		h.t.Fatal(err)
	}
	return s
}

// A client receives each finding once, and the reason why a call failed.
func TestFindingsOfClient(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{Device: api.DeviceOptions{Check: true, KeepGoing: true}})
	h := connect(t, path)
	if s := h.findings(); s.Schema != "crosslane.device-findings/1" || len(s.Findings)+len(s.Failed) > 0 {
		t.Fatalf("before any call: %+v", s)
	}
	fn := h.function(h.number(CallLoad, "kernels.ptx", kernels), "mul")
	good := h.number(CallAllocNamed, "all", 128, uint32(0))
	h.ok(CallWriteShared, 0, good, 128)
	if n := binary.LittleEndian.Uint32(h.ok(CallLaunchSeen, launch(fn, 32, good, uint32(32))...)); n != 0 {
		t.Errorf("a correct launch has %d findings", n)
	}
	if s := h.findings(); len(s.Findings)+len(s.Failed) > 0 {
		t.Errorf("a correct launch: %+v", s)
	}
	short := h.number(CallAllocNamed, "half", 64, uint32(0))
	h.ok(CallWriteShared, 0, short, 64)
	if n := binary.LittleEndian.Uint32(h.ok(CallLaunchSeen, launch(fn, 32, short, uint32(32))...)); n != 1 {
		t.Errorf("a launch past the end has %d findings", n)
	}
	s := h.findings()
	if len(s.Findings) != 1 || s.Findings[0].Code != "out-of-bounds" || s.Findings[0].File != "kernels.ptx" || s.Findings[0].Line != 18 ||
		!strings.Contains(s.Findings[0].Text, `"half" (64 bytes)`) || !strings.Contains(s.Findings[0].Text, "ld.global.u32 %r3, [%rd1];") {
		t.Errorf("a launch past the end: %+v", s)
	}
	if again := h.findings(); len(again.Findings) > 0 {
		t.Errorf("findings are sent again: %+v", again)
	}
	if st, _, _ := h.call(CallLaunch, launch(fn, 2000, good, uint32(32))...); st != InvalidValue {
		t.Errorf("a block of 2000 lanes: status %d", st)
	}
	if s := h.findings(); len(s.Failed) != 1 || !strings.Contains(s.Failed[0].Message, "2000") {
		t.Errorf("the reason of a refusal: %+v", s)
	}
	h.ok(CallReset)
	if s := h.findings(); len(s.Findings) != 2 || s.Findings[0].Code != "leak" || !strings.Contains(s.Findings[0].Message, `"all" (128 bytes)`) {
		t.Errorf("memory that was not freed before a reset: %+v", s)
	}
}

// A kernel that stores undefined bits in memory that the host looks at has a finding; in other memory the bits are
// followed, and the copy to the host has it.
func TestAllocShown(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{Device: api.DeviceOptions{Check: true}})
	h := connect(t, path)
	fn := h.function(h.number(CallLoad, "kernels.ptx", kernels), "mul")
	for flags, want := range map[uint32]string{0: "undefined-copy", flagShown: "poison-store"} {
		p := h.number(CallAllocNamed, "x", 128, flags)
		h.ok(CallLaunch, launch(fn, 32, p, uint32(32))...)
		if flags == 0 {
			if s := h.findings(); len(s.Findings) > 0 {
				t.Errorf("flags %d: %+v before the copy", flags, s)
			}
			h.ok(CallReadShared, 0, p, 128)
		}
		if s := h.findings(); len(s.Findings) != 1 || s.Findings[0].Code != want {
			t.Errorf("flags %d: %+v, want %s", flags, s, want)
		}
		h.ok(CallWriteShared, 0, p, 128)
		h.ok(CallLaunch, launch(fn, 32, p, uint32(32))...)
		if s := h.findings(); len(s.Findings) > 0 {
			t.Errorf("flags %d, after the host has written: %+v", flags, s)
		}
	}
}

// A snapshot has the undefined bits that launches have left, and is no copy of the program: nothing is reported.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{Device: api.DeviceOptions{Check: true}})
	h := connect(t, path)
	fn := h.function(h.number(CallLoad, "kernels.ptx", kernels), "mul")
	p := h.number(CallAlloc, 128, noStream, uint32(0))
	snapshot := func(at, n uint64) (data, undefined []byte) {
		t.Helper()
		in := reader{b: h.ok(CallSnapshot, at, n)}
		return in.bytes(), in.bytes()
	}
	ones, none := bytes.Repeat([]byte{0xff}, 64), make([]byte, 64)
	if data, undefined := snapshot(p, 64); len(data) != 64 || !bytes.Equal(undefined, ones) {
		t.Errorf("new memory: %d bytes, undefined %x", len(data), undefined)
	}
	h.ok(CallWrite, 0, p, bytes.Repeat([]byte{1, 0, 0, 0}, 8)) // the first 8 of 32 words
	h.ok(CallLaunch, launch(fn, 32, p, uint32(32))...)
	if data, undefined := snapshot(p, 64); binary.LittleEndian.Uint32(data) != 3 || !bytes.Equal(undefined, append(none[:32:32], ones[:32]...)) {
		t.Errorf("after a launch: %x, undefined %x", data, undefined)
	}
	if _, undefined := snapshot(p+8, 24); len(undefined) > 0 {
		t.Errorf("the defined part: %x", undefined)
	}
	if s := h.findings(); len(s.Findings) > 0 {
		t.Errorf("a snapshot is reported: %+v", s)
	}
	if s, _, _ := h.call(CallSnapshot, p+120, 16); s == Success {
		t.Error("a snapshot past the end")
	}
}

// The text of a launch comes with its own reply.
func TestLaunchSeenPrints(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{})
	h := connect(t, path)
	fn := h.function(h.number(CallLoad, "k.ptx", kernels), "greet")
	if s, text, body := h.call(CallLaunchSeen, launch(fn, 2)...); s != Success || text != "hi\nhi\n" || len(body) != 4 {
		t.Errorf("status %d, text %q, body %v", s, text, body)
	}
}

// ServeFile serves the process at the other end of a socket until that is closed.
func TestServeFile(t *testing.T) {
	t.Parallel()
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		ended <- ServeFile(os.NewFile(uintptr(fds[0]), "socket"), "sm_90", api.DeviceOptions{}, io.Discard)
	}()
	other := os.NewFile(uintptr(fds[1]), "socket")
	conn, err := net.FileConn(other)
	other.Close() // conn has one of its own
	if err != nil {
		t.Fatal(err)
	}
	h := greet(t, conn.(*net.UnixConn))
	if p := h.number(CallAllocNamed, "x", 64, uint32(0)); p < ArenaBase {
		t.Errorf("an allocation at %#x", p)
	}
	conn.Close()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	f, err := os.Open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	if err := ServeFile(f, "sm_90", api.DeviceOptions{}, io.Discard); err == nil {
		t.Error("a file that is no socket is served")
	}
}

// A client learns names, kinds and places of parameters, and the limits of a block.
func TestDescribe(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{})
	h := connect(t, path)
	m := h.number(CallLoad, "k.ptx", `.version 8.0
.target sm_70
.address_size 64
.visible .entry k(.param .u8 tag, .param .u64 .ptr .global p, .param .f32 x, .param .align 8 .b8 s[24])
.reqntid 8, 4, 1
{
	ret;
}
`)
	r := reader{b: h.ok(CallDescribe, h.function(m, "k"))}
	want := `{"schema":"crosslane.device-kernel/1","name":"k","params":[` +
		`{"name":"tag","type":"u8","kind":"scalar","offset":0,"size":1,"unread":true},` +
		`{"name":"p","kind":"pointer","offset":8,"size":8,"unread":true},` +
		`{"name":"x","type":"f32","kind":"scalar","offset":16,"size":4,"unread":true},` +
		`{"name":"s","kind":"bytes","offset":24,"size":24,"unread":true}],"block":[8,4,1],"max_lanes":1024}`
	if got := r.text(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if s, _, _ := h.call(CallDescribe, uint64(3)); s != InvalidHandle {
		t.Errorf("a kernel that is not there: status %d", s)
	}
}
