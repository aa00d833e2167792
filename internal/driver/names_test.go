//go:build linux && amd64

package driver

import (
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/diag"
)

// programs are programs in C of testdata: they check what the calls return and print a line for each wrong one.
// Each runs without checks and with checks. found has the codes that the server reports with checks, in order, and
// plain those without; most programs make no mistakes.
var programs = []struct {
	name, arg    string
	plain, found string
	stderr       string // a text that stderr has
}{
	{name: "threads"},
	{name: "tensormap"},
	{name: "textures", found: "bad-handle"},
	{name: "textures", arg: "destroyed", plain: "texture-bad leak", found: "bad-handle texture-bad leak"},
	{name: "textures", arg: "layers", plain: "texture-bad leak", found: "bad-handle texture-bad leak"},
	{name: "threads", arg: "race", found: "stream-race"},
	{name: "names"},
	{name: "pools", stderr: "cuMemPoolExportToShareableHandle is not implemented"},
	{name: "graphs", found: "bad-handle", stderr: "nodes of the type BATCH_MEM_OP are not supported"},
	{name: "graphs", arg: "race", found: "bad-handle stream-race", stderr: "nodes of the type BATCH_MEM_OP are not supported"},
	{name: "conditional"},
	{name: "conditional", arg: "unset"},
	{name: "conditional", arg: "endless"},
	{name: "conditional", arg: "race", found: "stream-race"},
	{name: "green", found: "bad-handle"},
	{name: "green", arg: "race", found: "stream-race bad-handle"},
	{name: "capture"},
	{name: "capture", arg: "race", found: "stream-race"},
	{name: "refused", stderr: "crosslane: cuMemImportFromShareableHandle is not implemented"},
	{name: "ipc", plain: "double-free", found: "double-free"},
	{name: "register", stderr: "only private memory"},
	{name: "register", arg: "past", plain: "out-of-bounds leak", found: "out-of-bounds leak", stderr: "only private memory"},
	{name: "virtual", plain: "bad-pointer leak", found: "bad-pointer leak", stderr: "cuMemCreate: memory that can be exported is not supported"},
	{name: "values"},
	{name: "values", arg: "race", found: "stream-race"},
	{name: "values", arg: "never", plain: "livelock leak", found: "livelock leak"},
	{name: "values", arg: "same", plain: "livelock leak", found: "livelock leak"},
	{name: "stalls", found: "stream-race"},
	{name: "stalls", arg: "blocks", found: "stream-race race-same-value stream-race race-same-value stream-race race-same-value"},
	{name: "stalls", arg: "deferred", found: "stream-race"},
	{name: "stalls", arg: "query", found: "stream-race"},
	{name: "stalls", arg: "same", plain: "livelock leak", found: "livelock leak"},
	{name: "stalls", arg: "default", plain: "livelock leak", found: "livelock leak"},
	{name: "stalls", arg: "nothing", plain: "livelock leak", found: "livelock leak"},
	{name: "ptxrun", stderr: "ptx_run: the text has 2 kernels"},
	{name: "ptxrun", arg: "unmapped", plain: "out-of-bounds", found: "out-of-bounds"},
	{name: "ptxrun", arg: "constant"},
	{name: "ptxrun", arg: "undefined", found: "poison-store"},
	{name: "register", arg: "leak", plain: "leak", found: "leak", stderr: "only private memory"},
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	folder := library(t)
	binaries := map[string]string{}
	for _, p := range programs {
		if binaries[p.name] == "" {
			binaries[p.name] = compile(t, folder, p.name)
		}
		for _, check := range []bool{false, true} {
			want := p.plain
			if check {
				want = p.found
			}
			t.Run(strings.TrimSpace(p.name+" "+p.arg)+map[bool]string{true: " checked"}[check], func(t *testing.T) {
				runCallsProgram(t, folder, check, want, p.stderr, binaries[p.name], strings.Fields(p.arg)...)
			})
		}
	}
}

// runCallsProgram runs a program against a server. The codes of the findings, without repetitions in a row, must be want, and
// stderr must have a text; it is empty if the text is.
func runCallsProgram(t *testing.T, folder string, check bool, want, text, program string, args ...string) {
	var mu sync.Mutex
	var codes, texts []string
	s, path := server(t, Options{Device: api.DeviceOptions{Check: check}, Report: func(_ Client, d *diag.Diagnostic) {
		mu.Lock()
		defer mu.Unlock()
		if d.Code == "refused-call" {
			return // the programs make these calls to see the error
		}
		if len(codes) == 0 || codes[len(codes)-1] != d.Code {
			codes = append(codes, d.Code)
		}
		texts = append(texts, d.Error())
	}})
	cmd := exec.Command(program, args...)
	cmd.Env = append(os.Environ(), "CROSSLANE_SOCKET="+path, "LD_LIBRARY_PATH="+folder)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	s.Wait()
	if err != nil || string(out) != "0 wrong\n" {
		t.Errorf("%v\n%s%s", err, out, stderr.String())
	}
	if text == "" && stderr.Len() > 0 || !strings.Contains(stderr.String(), text) {
		t.Errorf("stderr is\n%s", stderr.String())
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(codes, " "); got != want {
		t.Errorf("found %q, want %q\n%s", got, want, strings.Join(texts, "\n"))
	}
}

// Ranges of the host that are no pages, handles of nothing and other wrong requests are errors; what they allocated
// is given back.
func TestWrongShares(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{})
	h, other := connect(t, path), connect(t, path)
	p := h.number(CallRegister, 0, uint32(100), 1000)
	if p%4096 != 100 {
		t.Fatalf("registered memory at %#x", p)
	}
	q := h.number(CallRegister, p+1000, uint32(0), 24)
	for _, c := range []struct {
		call   Call
		fields []any
		want   Status
	}{
		{CallRegister, []any{0, uint32(0), 0}, InvalidValue},               // no bytes
		{CallRegister, []any{0, uint32(4096), 8}, InvalidValue},            // an offset past a page
		{CallRegister, []any{0, uint32(0), uint64(1) << 60}, InvalidValue}, // too many bytes
		{CallRegister, []any{p + 500, uint32(0), 8}, InvalidValue},         // registered already
		{CallRegister, []any{p, uint32(0), 8192}, InvalidValue},            // past the pages
		{CallRegister, []any{uint64(ArenaBase), uint32(0), 8}, InvalidValue},
		{CallIPCShare, []any{p}, InvalidValue}, // memory of the host
		{CallIPCShare, []any{7}, InvalidValue},
		{CallIPCOpen, []any{"too short"}, InvalidValue},
		{CallIPCOpen, []any{"sixteen letters."}, InvalidHandle},
	} {
		if s, _, _ := h.call(c.call, c.fields...); s != c.want {
			t.Errorf("call %d %v: status %d, want %d", c.call, c.fields, s, c.want)
		}
	}
	if used := h.number(CallMemory); used != 1024 {
		t.Errorf("%d bytes are allocated, want 1024", used)
	}
	h.ok(CallFree, p, 0, uint32(0))
	h.ok(CallFree, q, 0, uint32(0))

	// The owner goes: the handle is invalid, and what was opened stays.
	p = h.number(CallAlloc, 64, 0, uint32(0))
	r := reader{b: h.ok(CallIPCShare, p)}
	id := r.bytes()
	var one [1]byte
	if n, err := h.conn.Read(one[:]); n != 1 || err != nil {
		t.Fatal(n, err) // the file is lost here
	}
	r = reader{b: other.ok(CallIPCOpen, id)}
	r.bytes()
	if n, err := other.conn.Read(one[:]); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	opened := r.u64()
	h.conn.Close()
	for {
		s, _, _ := other.call(CallIPCOpen, id)
		if s == InvalidHandle {
			break
		}
		if n, err := other.conn.Read(one[:]); s != Success || n != 1 || err != nil {
			t.Fatal(s, n, err)
		}
	}
	other.ok(CallSet, 0, opened, []byte{1}, 64)
	other.ok(CallFree, opened, 0, uint32(0))
}
