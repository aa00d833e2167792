package device_test

import (
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
)

// heapMB is how many megabytes the program holds.
func heapMB() int {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc >> 20)
}

// A host may have 100,000 allocations and free them in any order: no step takes time in proportion to their number.
func TestManyAllocations(t *testing.T) {
	t.Parallel()
	h := newHost(t, crosslane.DeviceOptions{Check: true, NoCallers: true})
	list := make([]crosslane.DevicePtr, 100_000)
	for i := range list {
		list[i] = h.alloc("", 16)
	}
	if !slices.IsSorted(list) {
		t.Error("addresses do not grow")
	}
	third := len(list) / 3
	for i := range third { // from the front, from the back, and in the middle
		h.must(h.Free(list[i]), h.Free(list[len(list)-1-i]))
	}
	for _, p := range list[third : len(list)-third] {
		h.must(h.Free(p))
	}
	h.Close()
	h.only()
}

// 10,000 streams that live at once, and 10,000 that are closed again, cost time in proportion to what they do.
func TestManyStreams(t *testing.T) {
	h := newHost(t, crosslane.DeviceOptions{Check: true})
	p := h.alloc("data", 128)
	h.must(h.Fill(p, []byte{0}, 128), h.Synchronize())
	for _, keep := range []bool{false, true} {
		before := heapMB()
		for range 10_000 {
			s, err := h.NewNonBlockingStream()
			h.must(err, s.Read(make([]byte, 4), p), s.Record(h.NewEvent()))
			if !keep {
				h.must(s.Synchronize(), s.Close())
			}
		}
		if got := heapMB() - before; !keep && got > 20 {
			t.Errorf("10,000 streams that were closed hold %d MB", got)
		}
	}
	h.must(h.Synchronize(), h.Free(p))
	h.Close()
	h.only()
}

// A closed stream's operations still count: the number that a later stream takes over orders nothing.
func TestClosedStreams(t *testing.T) {
	t.Parallel()
	for _, wait := range []bool{false, true} {
		h := newHost(t, crosslane.DeviceOptions{Check: true})
		p := h.alloc("data", 128)
		a, err := h.NewNonBlockingStream()
		h.must(err, h.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1)))
		if wait {
			h.must(a.Synchronize())
		}
		h.must(a.Close())
		b, err := h.NewNonBlockingStream()
		h.must(err, h.launch(b, "bump", p, crosslane.Int(32)))
		if wait {
			h.only()
			continue
		}
		if d := h.only("stream-race")[0]; !strings.Contains(d.Message, "kernel bump in stream 2 writes") || !strings.Contains(d.Message, "kernel fill in stream 1 writes") {
			t.Error(d.Message)
		}
	}
}

// A blocking stream that takes over the number of a closed one is ordered with the default stream, a non-blocking
// one is not.
func TestClosedStreamsAndDefault(t *testing.T) {
	t.Parallel()
	for _, nonBlocking := range []bool{false, true} {
		h := newHost(t, crosslane.DeviceOptions{Check: true})
		p := h.alloc("data", 128)
		a, err := h.NewStream()
		h.must(err, h.Write(p, make([]byte, 128)), a.Write(p, make([]byte, 128)), a.Synchronize(), a.Close())
		b, err := h.newStream(nonBlocking)
		h.must(err, h.launch(b, "bump", p, crosslane.Int(32)), h.launch(nil, "bump", p, crosslane.Int(32)))
		if nonBlocking {
			h.only("stream-race")
		} else {
			h.only()
		}
	}
}

// Memory that was freed is not held, whether the device is checked or not.
func TestFreedMemoryIsNotHeld(t *testing.T) {
	for _, check := range []bool{false, true} {
		h := newHost(t, crosslane.DeviceOptions{Check: check})
		before := heapMB()
		for range 100 {
			p := h.alloc("", 1<<20)
			h.must(h.launch(nil, "fill", p, crosslane.Int(32), crosslane.Int(1)), h.Free(p))
		}
		if got := heapMB() - before; got > 10 {
			t.Errorf("check %t: %d MB are held after 100 MB were freed", check, got)
		}
		runtime.KeepAlive(h)
	}
}

// A host that never waits has bounded lists, also if its copies overlap in ever other ways.
func TestHistoryIsBounded(t *testing.T) {
	h := newHost(t, crosslane.DeviceOptions{Check: true, NoCallers: true})
	p := h.alloc("data", 1<<20)
	streams := []*crosslane.Stream{h.DefaultStream()}
	for range 3 {
		s, err := h.NewNonBlockingStream()
		h.must(err)
		streams = append(streams, s)
	}
	h.must(h.Fill(p, []byte{0}, 1<<20), h.Synchronize())
	before, data := heapMB(), make([]byte, 100)
	for i := range 20_000 {
		// Steps of a prime number of bytes: no copy covers another one for long.
		at := crosslane.DevicePtr(i * 7919 % (1<<20 - 100))
		h.must(streams[i%4].Read(data[:40+i%60], p+at))
	}
	if got := heapMB() - before; got > 20 {
		t.Errorf("the history takes %d MB", got)
	}
	h.only()
}

// A kernel that uses every other word of a buffer has many ranges; comparing them takes time in proportion.
func TestManyRanges(t *testing.T) {
	t.Parallel()
	const stride = `.version 8.0
.target sm_70
.address_size 64
.visible .entry stride(.param .u64 p)
{
	.reg .b32 %r<5>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r1, %r2, 256, %r1;
	mul.wide.u32 %rd2, %r1, 8;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r1;
	ret;
}
`
	h := newHost(t, crosslane.DeviceOptions{Check: true})
	k, err := load(t, h.Device, stride, "stride.ptx").Kernel("")
	h.must(err)
	p := h.alloc("data", 1<<20+4)
	a, err := h.NewStream()
	h.must(err)
	b, err := h.NewStream()
	h.must(err)
	run := func(s *crosslane.Stream, at crosslane.DevicePtr) {
		t.Helper()
		_, err := s.Launch(ctx, k, crosslane.DeviceLaunch{Grid: crosslane.Dim3{X: 512}, Block: crosslane.Dim3{X: 256}, Args: []crosslane.Arg{at}})
		h.must(err)
	}
	run(a, p)
	run(a, p)
	run(b, p+4) // the words between
	h.only()
	run(b, p)
	if d := h.only("stream-race")[0]; !strings.Contains(d.Message, "bytes 0 to 3,") {
		t.Error(d.Message)
	}
}

// Modules may be loaded and unloaded without end: the window of constants, whose addresses have 32 bits, is used
// again, also if one module is always there.
func TestModulesComeAndGo(t *testing.T) {
	t.Parallel()
	const text = `.version 8.0
.target sm_70
.address_size 64
.visible .const .align 4 .b8 table[65536];
.visible .entry k(.param .u64 p) { ret; }
`
	m, err := crosslane.Load([]byte(text), "table.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	d, err := crosslane.NewDevice("sm_80", crosslane.DeviceOptions{NoCallers: true})
	if err != nil {
		t.Fatal(err)
	}
	var last *crosslane.DeviceModule
	for i := range 10_000 {
		next, err := d.Load(m)
		if err != nil {
			t.Fatal(err)
		}
		v, err := next.Variable("table")
		if err != nil {
			t.Fatal(err)
		}
		if uint64(v.Ptr)+v.Size > 1<<32 {
			t.Fatalf("module %d: the constants are at %s, which has more than 32 bits", i, v.Ptr)
		}
		if last != nil {
			if err := last.Unload(); err != nil {
				t.Fatal(err)
			}
		}
		last = next
	}
}
