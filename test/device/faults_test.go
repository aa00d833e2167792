package device_test

import (
	"fmt"
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

func wrongIgnoredError(dev *host) {
	p, _ := dev.Alloc("data", 64)
	dev.launch(nil, "fill", p, crosslane.Int(32), crosslane.Int(1))
	dev.Read(make([]byte, 64), p)
}

func rightIgnoredError(dev *host) {
	p, _ := dev.Alloc("data", 128)
	if dev.launch(nil, "fill", p, crosslane.Int(32), crosslane.Int(1)) == nil {
		dev.Read(make([]byte, 128), p)
	}
	dev.Free(p)
}

func wrongOverlappingCopy(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Fill(p, []byte{1}, 128)
	dev.Copy(p+4, p, 124)
	dev.Free(p)
}

func rightOverlappingCopy(dev *host) {
	p, _ := dev.Alloc("data", 128)
	dev.Fill(p, []byte{1}, 128)
	dev.Copy(p+64, p, 64)
	dev.Free(p)
}

// mistake is a pair of twins, with the code of the mistake and a text that its finding has. others are the codes of
// findings before it. ends says that a fault ends the device.
type mistake struct {
	name, code, text string
	wrong, right     func(*host)
	ends             bool
	others           []string
}

// mistakes are the pairs of this file; moreMistakes, those without an example in the registry.
var mistakes = []mistake{
	{name: "BadPointer", code: "bad-pointer", text: `4 bytes inside "data" (128 bytes)`, wrong: wrongBadPointer, right: rightBadPointer},
	{name: "BadPointerCopy", code: "bad-pointer", text: "which is no memory of the device", wrong: wrongBadPointerCopy, right: rightBadPointerCopy},
	{name: "CopyOutOfBounds", code: "copy-out-of-bounds", text: "the last 28 are past its end", wrong: wrongCopyOutOfBounds, right: rightCopyOutOfBounds},
	{name: "CopyOutOfBoundsFill", code: "copy-out-of-bounds", text: "the last 384 are past its end", wrong: wrongCopyOutOfBoundsFill, right: rightCopyOutOfBoundsFill},
	{name: "DoubleFree", code: "double-free", text: `it is "data" (128 bytes), which was freed`, wrong: wrongDoubleFree, right: rightDoubleFree},
	{name: "FreedInUse", code: "freed-in-use", text: "a free in stream 2 frees \"data\", bytes 0 to 127, while kernel fill in stream 1 writes them", wrong: wrongFreedInUse, right: rightFreedInUse},
	{name: "Leak", code: "leak", text: `"data" (128 bytes) was never freed`, wrong: wrongLeak, right: rightLeak},
	{name: "RefusedCall", code: "refused-call", text: "50000 bytes of dynamic shared memory beside 0 static ones; at most 49152 are allowed", wrong: wrongRefusedCall, right: rightRefusedCall},
	{name: "StreamRace", code: "stream-race", text: "kernel bump in stream 2 writes \"data\", bytes 0 to 127, while kernel fill in stream 1 writes them", wrong: wrongStreamRace, right: rightStreamRace},
	{name: "StreamRaceNonBlocking", code: "stream-race", text: "a copy to the host in the default stream reads \"data\", bytes 0 to 127, while kernel fill in stream 1 writes them", wrong: wrongStreamRaceNonBlocking, right: rightStreamRaceNonBlocking},
	{name: "StreamRaceAtomics", code: "stream-race", text: "bytes 0 to 3,", wrong: wrongStreamRaceAtomics, right: rightStreamRaceAtomics},
	{name: "UndefinedCopy", code: "undefined-copy", text: "128 of 128 bytes that the host reads from \"data\" have undefined bits", wrong: wrongUndefinedCopy, right: rightUndefinedCopy},
	{name: "UndefinedCopyUnwritten", code: "undefined-copy", text: "64 of 128 bytes that the host reads from \"data\" were never written; the first is byte 64", wrong: wrongUndefinedCopyUnwritten, right: rightUndefinedCopyUnwritten},
	{name: "UseAfterFree", code: "use-after-free", text: `it is "data" (128 bytes), which was freed`, wrong: wrongUseAfterFree, right: rightUseAfterFree},
	{name: "UseAfterFreeKernel", code: "use-after-free", text: `it is "data" (128 bytes), which was freed`, wrong: wrongUseAfterFreeKernel, right: rightUseAfterFreeKernel},
	{name: "UseAfterFreePointer", code: "use-after-free", text: `it is "data" (128 bytes), which was freed`, wrong: wrongUseAfterFreePointer, right: rightUseAfterFreePointer},
	{name: "BadHandle", code: "bad-handle", text: "is not on the device", wrong: wrongBadHandle, right: rightBadHandle},
	{name: "BadHandleStream", code: "bad-handle", text: "after it was closed", wrong: wrongBadHandleStream, right: rightBadHandleStream},
	{name: "IgnoredError", code: "ignored-error", text: "a copy to the host is asked for after a fault", wrong: wrongIgnoredError, right: rightIgnoredError, ends: true, others: []string{"out-of-bounds"}},
	{name: "OverlappingCopy", code: "overlapping-copy", text: "reads bytes 0 to 123 of \"data\" and writes bytes 4 to 127", wrong: wrongOverlappingCopy, right: rightOverlappingCopy},
}

// Each mistake of a host is named once, with the host's calls; the twin without it has no finding.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, m := range slices.Concat(mistakes, moreMistakes) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			h := newHost(t, crosslane.DeviceOptions{Check: true, KeepGoing: !m.ends})
			m.wrong(h)
			list := h.only(append(slices.Clone(m.others), m.code)...)
			if t.Failed() {
				return
			}
			d := list[len(list)-1]
			if all := fmt.Sprint(d.Message, d.Related); !strings.Contains(all, m.text) {
				t.Errorf("%s\ndoes not contain\n%s", all, m.text)
			}
			if !slices.ContainsFunc(append(d.Related, diag.Related{Pos: d.Pos}), func(r diag.Related) bool { return strings.Contains(r.Pos.File, "/faults_") }) {
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
		if c.Host && !c.InC && c.Example != "" && !seen[c.Code] {
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
