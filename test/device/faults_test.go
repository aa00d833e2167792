package device_test

import (
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// The mistakes of hosts: each function beginning with wrong makes one, and its twin beginning with right does not.
// The bodies are the examples of the registry of codes. launch runs a kernel of 32 lanes in a stream; nil is the
// default stream.

func wrongBadPointer(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Free(p + 4)
	dev.Free(p)
}

func rightBadPointer(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Free(p)
}

func wrongBadPointerCopy(dev *host) {
	onHost := make([]byte, 128)
	dev.Write(0x7fff_0000_1000, onHost)
}

func rightBadPointerCopy(dev *host) {
	p, _ := dev.Alloc("data", 128)
	onHost := make([]byte, 128)
	dev.Write(p, onHost)
	dev.Free(p)
}

func wrongCopyOutOfBounds(dev *host) {
	p, _ := dev.Alloc("data", 100)
	dev.Write(p, make([]byte, 128))
	dev.Free(p)
}

func rightCopyOutOfBounds(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Write(p, make([]byte, 128))
	dev.Free(p)
}

func wrongCopyOutOfBoundsFill(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Fill(p, []byte{0, 0, 0, 0}, 128) // elements, not bytes
	dev.Free(p)
}

func rightCopyOutOfBoundsFill(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Fill(p, []byte{0, 0, 0, 0}, 32)
	dev.Free(p)
}

func wrongDoubleFree(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Free(p)
	dev.Free(p)
}

func rightDoubleFree(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Free(p)
	p = 0
	dev.Free(p)
}

func wrongFreedInUse(dev *host) {
	a, _ := dev.NewStream()
	b, _ := dev.NewStream()
	p, _ := dev.Alloc("data", 128)
	dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
	b.Free(p)
}

func rightFreedInUse(dev *host) {
	a, _ := dev.NewStream()
	p, _ := dev.Alloc("data", 128)
	dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
	a.Free(p)
}

func wrongLeak(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Fill(p, []byte{0}, 128)
	dev.Close()
}

func rightLeak(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Fill(p, []byte{0}, 128)
	dev.Free(p)
	dev.Close()
}

func wrongRefusedCall(dev *host) {
	p, _ := dev.Alloc("data", 128)
	k, _ := dev.m.Kernel("look")
	dev.Launch(ctx, k, crosslane.DeviceLaunch{Shared: 50000, Args: []crosslane.Arg{p}})
	dev.Free(p)
}

func rightRefusedCall(dev *host) {
	p, _ := dev.Alloc("data", 128)
	k, _ := dev.m.Kernel("look")
	k.SetMaxDynamicShared(50000)
	dev.Launch(ctx, k, crosslane.DeviceLaunch{Shared: 50000, Args: []crosslane.Arg{p}})
	dev.Free(p)
}

func wrongStreamRace(dev *host) {
	a, _ := dev.NewStream()
	b, _ := dev.NewStream()
	p, _ := dev.Alloc("data", 128)
	dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
	dev.launch(b, "bump", p, crosslane.Int(32))
	dev.Free(p)
}

func rightStreamRace(dev *host) {
	a, _ := dev.NewStream()
	b, _ := dev.NewStream()
	p, _ := dev.Alloc("data", 128)
	dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
	done := dev.NewEvent()
	a.Record(done)
	b.Wait(done)
	dev.launch(b, "bump", p, crosslane.Int(32))
	dev.Free(p)
}

func wrongStreamRaceNonBlocking(dev *host) {
	s, _ := dev.NewNonBlockingStream()
	p, _ := dev.Alloc("data", 128)
	dev.launch(s, "fill", p, crosslane.Int(32), crosslane.Int(1))
	dev.Read(make([]byte, 128), p) // the default stream does not wait for s
	dev.Free(p)
}

func rightStreamRaceNonBlocking(dev *host) {
	s, _ := dev.NewNonBlockingStream()
	p, _ := dev.Alloc("data", 128)
	dev.launch(s, "fill", p, crosslane.Int(32), crosslane.Int(1))
	s.Synchronize()
	dev.Read(make([]byte, 128), p)
	dev.Free(p)
}

func wrongStreamRaceAtomics(dev *host) {
	a, _ := dev.NewStream()
	b, _ := dev.NewStream()
	p, _ := dev.Alloc("data", 8)
	dev.Fill(p, []byte{0}, 8)
	dev.launch(a, "bump", p, crosslane.Int(1))
	dev.launch(b, "bump", p, crosslane.Int(2)) // the first element again
	dev.Free(p)
}

func rightStreamRaceAtomics(dev *host) {
	a, _ := dev.NewStream()
	b, _ := dev.NewStream()
	p, _ := dev.Alloc("data", 8)
	dev.Fill(p, []byte{0}, 8)
	dev.launch(a, "bump", p, crosslane.Int(1))
	dev.launch(b, "bump", p+4, crosslane.Int(1)) // both add to counter, atomically
	dev.Free(p)
}

func wrongUndefinedCopy(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.launch(nil, "forget", p)
	dev.Read(make([]byte, 128), p)
	dev.Free(p)
}

func rightUndefinedCopy(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.launch(nil, "forget", p)
	dev.launch(nil, "fill", p, crosslane.Int(32), crosslane.Int(1))
	dev.Read(make([]byte, 128), p)
	dev.Free(p)
}

func wrongUndefinedCopyUnwritten(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.launch(nil, "fill", p, crosslane.Int(16), crosslane.Int(1))
	dev.Read(make([]byte, 128), p)
	dev.Free(p)
}

func rightUndefinedCopyUnwritten(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.launch(nil, "fill", p, crosslane.Int(16), crosslane.Int(1))
	dev.Read(make([]byte, 64), p)
	dev.Free(p)
}

func wrongUseAfterFree(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Free(p)
	dev.Read(make([]byte, 4), p)
}

func rightUseAfterFree(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Fill(p, []byte{0}, 128)
	dev.Read(make([]byte, 4), p)
	dev.Free(p)
}

func wrongUseAfterFreeKernel(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Free(p)
	dev.launch(nil, "fill", p, crosslane.Int(32), crosslane.Int(1))
}

func rightUseAfterFreeKernel(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.launch(nil, "fill", p, crosslane.Int(32), crosslane.Int(1))
	dev.Free(p)
}

func wrongUseAfterFreePointer(dev *host) {
	p, _ := dev.Alloc("data", 128)
	list, _ := crosslane.Upload(dev.Device, "list", []uint64{uint64(p)})
	dev.Free(p)
	dev.launch(nil, "through", list) // list still holds p
	dev.Free(list)
}

func rightUseAfterFreePointer(dev *host) {
	p, _ := dev.Alloc("data", 128)
	list, _ := crosslane.Upload(dev.Device, "list", []uint64{uint64(p)})
	dev.launch(nil, "through", list)
	dev.Free(p)
	dev.Free(list)
}

func wrongBadHandle(dev *host) {
	p, _ := dev.Alloc("data", 128)
	k, _ := dev.m.Kernel("look")
	dev.m.Unload()
	dev.DefaultStream().Launch(ctx, k, crosslane.DeviceLaunch{Args: []crosslane.Arg{p}})
	dev.Free(p)
}

func rightBadHandle(dev *host) {
	p, _ := dev.Alloc("data", 128)
	k, _ := dev.m.Kernel("look")
	dev.DefaultStream().Launch(ctx, k, crosslane.DeviceLaunch{Args: []crosslane.Arg{p}})
	dev.m.Unload()
	dev.Free(p)
}

func wrongBadHandleStream(dev *host) {
	s, _ := dev.NewStream()
	s.Close()
	s.Synchronize()
}

func rightBadHandleStream(dev *host) {
	s, _ := dev.NewStream()
	s.Synchronize()
	s.Close()
}

// mistakes are the twins, with the code of the mistake and a text that its finding has.
var mistakes = []struct {
	name, code, text string
	wrong, right     func(*host)
}{
	{"BadPointer", "bad-pointer", `4 bytes inside "data" (128 bytes)`, wrongBadPointer, rightBadPointer},
	{"BadPointerCopy", "bad-pointer", "which is no memory of the device", wrongBadPointerCopy, rightBadPointerCopy},
	{"CopyOutOfBounds", "copy-out-of-bounds", "the last 28 are past its end", wrongCopyOutOfBounds, rightCopyOutOfBounds},
	{"CopyOutOfBoundsFill", "copy-out-of-bounds", "the last 384 are past its end", wrongCopyOutOfBoundsFill, rightCopyOutOfBoundsFill},
	{"DoubleFree", "double-free", `it is "data" (128 bytes), which was freed`, wrongDoubleFree, rightDoubleFree},
	{"FreedInUse", "freed-in-use", "a free in stream 2 frees \"data\", bytes 0 to 127, while kernel fill in stream 1 writes them", wrongFreedInUse, rightFreedInUse},
	{"Leak", "leak", `"data" (128 bytes) was never freed`, wrongLeak, rightLeak},
	{"RefusedCall", "refused-call", "50000 bytes of dynamic shared memory beside 0 static ones; at most 49152 are allowed", wrongRefusedCall, rightRefusedCall},
	{"StreamRace", "stream-race", "kernel bump in stream 2 writes \"data\", bytes 0 to 127, while kernel fill in stream 1 writes them", wrongStreamRace, rightStreamRace},
	{"StreamRaceNonBlocking", "stream-race", "a copy to the host in the default stream reads \"data\", bytes 0 to 127, while kernel fill in stream 1 writes them", wrongStreamRaceNonBlocking, rightStreamRaceNonBlocking},
	{"StreamRaceAtomics", "stream-race", "bytes 0 to 3,", wrongStreamRaceAtomics, rightStreamRaceAtomics},
	{"UndefinedCopy", "undefined-copy", "128 of 128 bytes that the host reads from \"data\" have undefined bits", wrongUndefinedCopy, rightUndefinedCopy},
	{"UndefinedCopyUnwritten", "undefined-copy", "64 of 128 bytes that the host reads from \"data\" were never written; the first is byte 64", wrongUndefinedCopyUnwritten, rightUndefinedCopyUnwritten},
	{"UseAfterFree", "use-after-free", `it is "data" (128 bytes), which was freed`, wrongUseAfterFree, rightUseAfterFree},
	{"UseAfterFreeKernel", "use-after-free", `it is "data" (128 bytes), which was freed`, wrongUseAfterFreeKernel, rightUseAfterFreeKernel},
	{"UseAfterFreePointer", "use-after-free", `it is "data" (128 bytes), which was freed`, wrongUseAfterFreePointer, rightUseAfterFreePointer},
	{"BadHandle", "bad-handle", "is not on the device", wrongBadHandle, rightBadHandle},
	{"BadHandleStream", "bad-handle", "after it was closed", wrongBadHandleStream, rightBadHandleStream},
}

// Each mistake of a host is named once, with the host's calls; the twin without it has no finding.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, m := range mistakes {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, crosslane.DeviceOptions{Check: true, KeepGoing: true})
			m.wrong(h)
			d := h.only(m.code)[0]
			if !strings.Contains(d.Message, m.text) {
				t.Errorf("%s\ndoes not contain\n%s", d.Message, m.text)
			}
			if !slices.ContainsFunc(append(d.Related, diag.Related{Pos: d.Pos}), func(r diag.Related) bool { return strings.HasSuffix(r.Pos.File, "faults_test.go") }) {
				t.Errorf("no call of the host: %+v", d)
			}
			if d.Remedy == "" {
				t.Error("no remedy")
			}
			h = newHost(t, crosslane.DeviceOptions{Check: true})
			m.right(h)
			h.Close()
			h.only()
		})
	}
}

// The examples of the registry are the bodies of the functions above.
func TestExamplesOfCodes(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("test/device/faults_test.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "faults_test.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		var b strings.Builder
		printer.Fprint(&b, fset, fn.Body.List)
		from, to := fset.Position(fn.Body.Lbrace).Offset+1, fset.Position(fn.Body.Rbrace).Offset
		bodies[fn.Name.Name] = strings.TrimSpace(strings.ReplaceAll(string(src[from:to]), "\n\t", "\n"))
	}
	seen := map[string]bool{}
	for _, m := range mistakes {
		c, ok := diag.LookupCode(m.code)
		if !ok {
			t.Errorf("%s is not in the registry", m.code)
			continue
		}
		if !c.Host || seen[m.code] {
			continue // its example is a command line, or the first pair
		}
		seen[m.code] = true
		if c.Example != bodies["wrong"+m.name] || c.Good != bodies["right"+m.name] {
			t.Errorf("%s: the example of the registry is\n%s\n---\n%s\nwant\n%s\n---\n%s", m.code, c.Example, c.Good, bodies["wrong"+m.name], bodies["right"+m.name])
		}
	}
	for _, c := range diag.Codes() {
		if c.Host && c.Example != "" && !seen[c.Code] {
			t.Errorf("%s: no test makes the mistake", c.Code)
		}
	}
}

// The program of the page on hosts is part of an example that runs.
func TestPageIsCurrent(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("docs/hosts.md")
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile("example_device_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, code, ok := strings.Cut(string(page), "```go\n")
	code, _, closed := strings.Cut(code, "```\n")
	if !ok || !closed || !strings.Contains(string(src), code) {
		t.Errorf("example_device_test.go does not contain\n%s", code)
	}
	for _, c := range diag.Codes() {
		if c.Host && c.Class == diag.Finding && !strings.Contains(string(page), "diagnostics.md#"+c.Code+")") {
			t.Errorf("docs/hosts.md does not mention %s", c.Code)
		}
	}
}
