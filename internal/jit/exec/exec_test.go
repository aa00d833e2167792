package exec

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/short"
)

func (s snippet) bytes(t testing.TB) []byte {
	b, err := hex.DecodeString(s.hex)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// mapped makes a snippet ready to run, or skips the test.
func mapped(t testing.TB, a *Arena, s snippet) *Code {
	t.Helper()
	c, err := a.Map(s.bytes(t))
	if !callable {
		var refused *RefusedError
		if !errors.As(err, &refused) {
			t.Fatalf("the error is %v", err)
		}
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestSnippets(t *testing.T) {
	mc, err := exec.LookPath("llvm-mc-22")
	if err != nil {
		if mc, err = exec.LookPath("llvm-mc"); err != nil {
			if os.Getenv("CROSSLANE_REQUIRE_ORACLES") == "1" {
				t.Fatal("llvm-mc is not installed, but CROSSLANE_REQUIRE_ORACLES is 1")
			}
			t.Skip("llvm-mc is not installed")
		}
	}
	for _, s := range []snippet{addCode, spinCode, twoCode, faultCode, clobberCode, clobber512Code} {
		obj := filepath.Join(t.TempDir(), "o")
		cmd := exec.Command(mc, "-triple=x86_64-linux-gnu", "-x86-asm-syntax=intel", "-filetype=obj", "-o", obj)
		cmd.Stdin = strings.NewReader(s.src + "\n")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		f, err := elf.Open(obj)
		if err != nil {
			t.Fatal(err)
		}
		text, err := f.Section(".text").Data()
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		if !bytes.Equal(text, s.bytes(t)) {
			t.Errorf("%s\nis %x, not %s", s.src, text, s.hex)
		}
	}
}

func TestCall(t *testing.T) {
	a := NewArena(1 << 20)
	c := mapped(t, a, addCode)
	frame := [4]uint32{40, 2, 0, 7}
	c.Call(0, unsafe.Pointer(&frame))
	if frame != [4]uint32{40, 2, 42, 7} {
		t.Errorf("the frame is %v", frame)
	}
	c = mapped(t, a, twoCode)
	frame = [4]uint32{}
	c.Call(6, unsafe.Pointer(&frame))
	if frame != [4]uint32{0, 2} {
		t.Errorf("entered at 6 the frame is %v", frame)
	}
	for _, off := range []uint32{uint32(c.Size()), 1 << 31} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("entry at %d is allowed", off)
				}
			}()
			c.Call(off, unsafe.Pointer(&frame))
		}()
	}
}

// spin returns the result of spinCode.
func spin(rounds, x uint64) uint64 {
	for ; rounds > 0; rounds-- {
		x = (x + rounds) * 5
	}
	return x
}

// grow uses much stack, so that it moves.
func grow(n int) int {
	var pad [256]byte
	pad[n%256] = 1
	if n == 0 {
		return int(pad[0])
	}
	return grow(n-1) + int(pad[n%256]) - 1
}

// TestRegisters leaves rubbish in every register and goes on in Go.
func TestRegisters(t *testing.T) {
	for _, s := range []snippet{clobberCode, clobber512Code} {
		need := isa.AVX2
		if s == clobber512Code {
			need = isa.AVX512
		}
		if cpu := Detect(); cpu.Best < need {
			t.Logf("left out: the processor has no %s", strings.Join(cpu.Missing, ", "))
			continue
		}
		c := mapped(t, NewArena(1<<20), s)
		done := make(chan int)
		frame := make([]uint64, 8)
		x, y := 1.5, uint64(3)
		for i := range 200 {
			c.Call(0, unsafe.Pointer(&frame[0]))
			// Zeroed memory comes from X15, the goroutine from R14, defers and the stack from BP.
			z := [32]uint64{1: y}
			go func() { done <- grow(i) }()
			func() {
				defer func() { x += 0.25 }()
				c.Call(0, unsafe.Pointer(&frame[0]))
			}()
			if n := <-done; n != 1 || z != [32]uint64{1: 3} {
				t.Fatalf("round %d: %d, %v", i, n, z)
			}
		}
		if x != 51.5 {
			t.Errorf("x is %v", x)
		}
	}
}

// storm runs spinCode on several goroutines while f runs; f receives the number of calls so
// far.
func storm(t *testing.T, workers int, rounds uint64, f func(calls *atomic.Int64)) {
	c := mapped(t, NewArena(1<<20), spinCode)
	var wg sync.WaitGroup
	var stop atomic.Bool
	var calls atomic.Int64
	for i := range workers {
		wg.Go(func() {
			frame := make([]uint64, 4)
			want := uint64(i)
			frame[1] = want
			for !stop.Load() {
				frame[0] = rounds
				c.Call(0, unsafe.Pointer(&frame[0]))
				calls.Add(1)
				want = spin(rounds, want)
			}
			if frame[1] != want {
				t.Errorf("worker %d computed %#x, not %#x", i, frame[1], want)
			}
		})
	}
	f(&calls)
	stop.Store(true)
	wg.Wait()
}

func TestGarbageStorm(t *testing.T) {
	storm(t, 2, 20_000, func(calls *atomic.Int64) {
		var keep [][]byte
		for n := 0; n < short.Of(10, 2) || calls.Load() < short.Of(int64(100), 20); n++ {
			for range 100 {
				keep = append(keep, make([]byte, 1000))
			}
			if n%8 == 0 {
				keep = nil
			}
			runtime.GC()
			runtime.KeepAlive(keep)
		}
	})
}

// TestProfiler looks at code with the profiler's signals.
func TestProfiler(t *testing.T) {
	var out bytes.Buffer
	if err := pprof.StartCPUProfile(&out); err != nil {
		t.Skip(err)
	}
	storm(t, 2, 1<<20, func(calls *atomic.Int64) {
		for calls.Load() < 120 {
			runtime.Gosched()
		}
	})
	pprof.StopCPUProfile()
	z, err := gzip.NewReader(&out)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "linux" && !bytes.Contains(raw, []byte("runtime._ExternalCode")) {
		t.Error("no sample of the profile is in the code: it shows nothing")
	}
}

// TestOneProcessor: other goroutines go on although one goroutine only calls code.
func TestOneProcessor(t *testing.T) {
	c := mapped(t, NewArena(1<<20), spinCode)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var stop, seen atomic.Bool
	started := make(chan bool)
	go func() {
		started <- true
		frame := make([]uint64, 4)
		for !stop.Load() {
			frame[0] = 10_000
			c.Call(0, unsafe.Pointer(&frame[0]))
			seen.Store(true)
		}
		close(started)
	}()
	<-started
	for !seen.Load() {
		runtime.Gosched()
	}
	// The goroutine was preempted, or this line would not be reached: without preemption the
	// test hangs.
	stop.Store(true)
	<-started
}

// TestFault lets code read an unmapped address: that is a panic that can be caught.
func TestFault(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("elsewhere the exception ends the process")
	}
	c := mapped(t, NewArena(1<<20), faultCode)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, addr := range []uint64{0, 16, 0x7000_0000_0000 - 1<<20, 1 << 63} {
		frame := [2]uint64{addr, 5}
		err := func() (err any) {
			defer func() { err = recover() }()
			c.Call(0, unsafe.Pointer(&frame))
			return nil
		}()
		if e, ok := err.(runtime.Error); !ok || frame[1] != 5 {
			t.Errorf("a read of %#x: %v", addr, e)
		}
	}
	runtime.GC()
}

// TestDropped makes and drops much more code than the arena holds.
func TestDropped(t *testing.T) {
	a := NewArena(8 << 20)
	code := addCode.bytes(t)
	mapped(t, a, addCode).Free()
	most := 0
	var kept []*Code
	for i := range 10_000 {
		c, err := a.Map(append(slices.Clone(code), make([]byte, i%9000)...))
		if err != nil {
			t.Fatalf("code %d: %v", i, err)
		}
		frame := [4]uint32{uint32(i), 1}
		c.Call(0, unsafe.Pointer(&frame))
		if frame[2] != uint32(i)+1 {
			t.Fatalf("code %d computes %d", i, frame[2])
		}
		if i%7 == 0 {
			kept = append(kept, c)
		} else {
			c.Free()
			c.Free() // does nothing more
		}
		if len(kept) == 50 {
			for _, k := range kept {
				k.Free()
			}
			kept = kept[:0]
		}
		m, _ := a.Mapped()
		most = max(most, m)
	}
	for _, k := range kept {
		k.Free()
	}
	if m, used := a.Mapped(); most > 2<<20 || m > regionBytes || used != 0 {
		t.Errorf("at most %d bytes were mapped; at the end %d, of them %d in use", most, m, used)
	}
}

// TestCollected drops code without freeing it.
func TestCollected(t *testing.T) {
	a := NewArena(1 << 20)
	mapped(t, a, addCode).Free()
	n := 0
	for full := 0; n < 3000 && full < 1000; n++ {
		_, err := a.Map(addCode.bytes(t))
		if errors.Is(err, ErrFull) {
			runtime.GC() // cleanups run on a goroutine of their own, some time
			runtime.Gosched()
			full++
			n--
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if n < 3000 {
		t.Errorf("after %d pieces of code the arena stays full", n)
	}
}

// heldPages is memory whose rights are kept for a look at them.
type heldPages struct {
	system
	rights map[*byte][]rights
	fail   *rights // the rights that are refused; nil: none
	live   int
}

// counted is memory whose regions are counted.
type counted struct {
	system
	live *atomic.Int32
}

func (c counted) reserve(n int) ([]byte, error) { c.live.Add(1); return c.system.reserve(n) }

func (c counted) release(b []byte) error { c.live.Add(-1); return c.system.release(b) }

// TestArenaDropped drops arenas, and later the code that is still in some of them.
func TestArenaDropped(t *testing.T) {
	if !callable {
		t.Skip("all code is refused here")
	}
	var live atomic.Int32
	var kept []*Code
	for i := range 40 {
		c := mapped(t, newArena(counted{live: &live}, 4<<20), addCode)
		if i%10 == 0 {
			kept = append(kept, c)
		}
	}
	wait := func(want int32) {
		for i := 0; live.Load() > want; i++ {
			runtime.GC()
			runtime.Gosched()
			if i == 500 {
				t.Fatalf("%d regions are left, not %d", live.Load(), want)
			}
		}
		if got := live.Load(); got < want {
			t.Fatalf("%d regions are left of %d", got, want)
		}
	}
	wait(4)
	for i, c := range kept {
		frame := [4]uint32{uint32(i), 5}
		c.Call(0, unsafe.Pointer(&frame))
		if frame[2] != uint32(i)+5 {
			t.Errorf("kept code computes %d", frame[2])
		}
	}
	kept = nil
	wait(0)
}

func (h *heldPages) reserve(n int) ([]byte, error) { h.live++; return h.system.reserve(n) }

func (h *heldPages) release(b []byte) error { h.live--; return h.system.release(b) }

func (h *heldPages) protect(b []byte, r rights) error {
	if h.fail != nil && r == *h.fail {
		return errors.New("not allowed")
	}
	h.rights[&b[0]] = append(h.rights[&b[0]], r)
	return h.system.protect(b, r)
}

func TestRefused(t *testing.T) {
	if !callable {
		t.Skip("all code is refused here")
	}
	why := errors.New("not in this house")
	var refused *RefusedError
	if _, err := Refusing(why).Map([]byte{0xc3}); !errors.As(err, &refused) || !errors.Is(err, why) {
		t.Errorf("the error is %v", err)
	}
	for _, r := range []rights{readWrite, readExec} {
		h := &heldPages{rights: map[*byte][]rights{}}
		a := newArena(h, 4<<20)
		c := mapped(t, a, addCode) // pages that were never used are writable
		h.fail = &r
		c.Free()
		for range 2000 {
			if _, err := a.Map([]byte{0xc3}); !errors.As(err, &refused) {
				t.Fatalf("the error is %v", err)
			}
		}
		if _, used := a.Mapped(); used != 0 {
			t.Errorf("%d bytes are lost", used)
		}
	}
	a := NewArena(1 << 14)
	if _, err := a.Map(make([]byte, 1<<14+1)); !errors.Is(err, ErrFull) {
		t.Errorf("the error of code that is too large is %v", err)
	}
	if _, err := a.Map(make([]byte, 1<<14-slack+1)); !errors.Is(err, ErrFull) {
		t.Errorf("the error of code behind which nothing may be read is %v", err)
	}
	if _, err := a.Map(make([]byte, 1<<14-slack)); err != nil {
		t.Errorf("code that just fits: %v", err)
	}
}

// TestRights has no page writable after it was executable, but for new code: fresh ones are
// writable at first, those of older code are made so.
func TestRights(t *testing.T) {
	h := &heldPages{rights: map[*byte][]rights{}}
	a := newArena(h, 4<<20)
	c := mapped(t, a, addCode)
	d := mapped(t, a, addCode)
	for _, c := range []*Code{c, d} {
		p := *(**byte)(unsafe.Pointer(&c.addr))
		if got := h.rights[p]; !slices.Equal(got, []rights{readExec}) {
			t.Errorf("the rights were %v", got)
		}
		c.Free()
		if got := h.rights[p]; !slices.Equal(got, []rights{readExec, readWrite}) {
			t.Errorf("the rights were %v", got)
		}
	}
	c = mapped(t, a, addCode)
	if got := h.rights[*(**byte)(unsafe.Pointer(&c.addr))]; !slices.Equal(got, []rights{readExec, readWrite, readExec}) {
		t.Errorf("the rights of pages that are used again were %v", got)
	}
	c.Free()
	big, err := a.Map(make([]byte, regionBytes+1))
	if err != nil {
		t.Fatal(err)
	}
	big.Free()
	if h.live != 1 {
		t.Errorf("%d regions are left", h.live)
	}
}

func TestArenaShared(t *testing.T) {
	a := NewArena(64 << 20)
	mapped(t, a, addCode).Free()
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Go(func() {
			for j := range 200 {
				c, err := a.Map(addCode.bytes(t))
				if err != nil {
					t.Error(err)
					return
				}
				frame := [4]uint32{uint32(i), uint32(j)}
				c.Call(0, unsafe.Pointer(&frame))
				if frame[2] != uint32(i+j) {
					t.Errorf("%d+%d is %d", i, j, frame[2])
				}
				c.Free()
			}
		})
	}
	wg.Wait()
}

func BenchmarkCall(b *testing.B) {
	c := mapped(b, NewArena(1<<20), addCode)
	frame := [4]uint32{}
	for b.Loop() {
		c.Call(0, unsafe.Pointer(&frame))
	}
}

func BenchmarkMap(b *testing.B) {
	a := NewArena(1 << 20)
	mapped(b, a, addCode).Free()
	code := addCode.bytes(b)
	for b.Loop() {
		c, err := a.Map(code)
		if err != nil {
			b.Fatal(err)
		}
		c.Free()
	}
}

// TestSharing has two arenas take pages of the same regions, each no more than its own limit.
func TestSharing(t *testing.T) {
	page := pageSize()
	a, b := SharingArena(2*page), SharingArena(1<<20)
	first := mapped(t, a, addCode)
	second := mapped(t, a, addCode)
	if _, err := a.Map(addCode.bytes(t)); !errors.Is(err, ErrFull) {
		t.Errorf("a third page of two: %v", err)
	}
	other := mapped(t, b, addCode)
	regions, _ := b.Mapped()
	if _, used := a.Mapped(); used != 2*page {
		t.Errorf("%d bytes are in use, not two pages", used)
	}
	freed := second.Addr()
	second.Free()
	again := mapped(t, b, addCode)
	if again.Addr() != freed {
		t.Errorf("a page that one arena has given back is at %#x; the other has one at %#x", freed, again.Addr())
	}
	if now, used := b.Mapped(); now != regions || used != 2*page {
		t.Errorf("%d bytes are mapped, %d in use, not %d and two pages", now, used, regions)
	}
	for i, c := range []*Code{first, other, again} {
		frame := [4]uint32{uint32(i), 5}
		c.Call(0, unsafe.Pointer(&frame))
		if frame[2] != uint32(i)+5 {
			t.Errorf("code %d computes %d", i, frame[2])
		}
		c.Free()
	}
	if _, used := a.Mapped(); used != 0 {
		t.Errorf("%d bytes are in use at the end", used)
	}
}
