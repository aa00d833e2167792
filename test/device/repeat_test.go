package device_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// repeatKernels are kernels that a check repeats. first lets the block that comes first store in a or b, depending on
// its number. shuffle stores what lane 0 reads of an absent lane, and adds 1 to a word. wild adds 1 to a word, then
// stores beyond all memory. print prints a word and adds 1 to it. spin adds 1 to a word n times.
const repeatKernels = `.version 8.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.global .align 1 .b8 format[4] = {37, 117, 32, 0};
.visible .entry first(.param .u64 count, .param .u64 a, .param .u64 b)
{
	.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;
	ld.param.u64 %rd1, [count];
	ld.param.u64 %rd2, [a];
	ld.param.u64 %rd3, [b];
	mov.u32 %r1, %ctaid.x;
	atom.global.add.u32 %r2, [%rd1], 1;
	setp.ne.u32 %p1, %r2, 0;
	@%p1 ret;
	setp.ne.u32 %p2, %r1, 0;
	@%p2 mov.u64 %rd2, %rd3;
	add.u32 %r3, %r1, 1;
	st.global.u32 [%rd2], %r3;
	ret;
}
.visible .entry shuffle(.param .u64 word, .param .u64 out)
{
	.reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .pred %p<4>;
	ld.param.u64 %rd1, [word];
	ld.param.u64 %rd2, [out];
	mov.u32 %r1, %tid.x;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 ret;
	shfl.sync.down.b32 %r2, %r1, 16, 31, 1;
	st.global.u32 [%rd2], %r2;
	ld.global.u32 %r3, [%rd1];
	add.u32 %r3, %r3, 1;
	st.global.u32 [%rd1], %r3;
	ret;
}
.visible .entry wild(.param .u64 word)
{
	.reg .b32 %r<4>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [word];
	ld.global.u32 %r1, [%rd1];
	add.u32 %r1, %r1, 1;
	st.global.u32 [%rd1], %r1;
	st.global.u32 [%rd1+4096], %r1;
	ret;
}
.visible .entry print(.param .u64 word)
{
	.local .align 8 .b8 args[8];
	.reg .b32 %r<4>; .reg .b64 %rd<8>;
	.param .b64 pf; .param .b64 pa; .param .b32 pr;
	ld.param.u64 %rd1, [word];
	ld.global.u32 %r1, [%rd1];
	mov.u64 %rd2, args;
	cvta.local.u64 %rd3, %rd2;
	st.local.u32 [%rd2], %r1;
	mov.u64 %rd4, format;
	cvta.global.u64 %rd5, %rd4;
	st.param.b64 [pf], %rd5;
	st.param.b64 [pa], %rd3;
	call.uni (pr), vprintf, (pf, pa);
	add.u32 %r1, %r1, 1;
	st.global.u32 [%rd1], %r1;
	ret;
}
.visible .entry spin(.param .u64 word, .param .u32 n)
{
	.reg .b32 %r<5>; .reg .b64 %rd<2>; .reg .pred %p<2>;
	ld.param.u64 %rd1, [word];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, 0;
L:
	add.u32 %r2, %r2, 1;
	ld.global.u32 %r3, [%rd1];
	add.u32 %r3, %r3, 1;
	st.global.u32 [%rd1], %r3;
	setp.ne.u32 %p1, %r2, %r1;
	@%p1 bra L;
	ret;
}
`

// repeated is a device with the module above, and a word that is 0.
func repeated(t *testing.T, o crosslane.DeviceOptions) (h *host, word crosslane.DevicePtr) {
	t.Helper()
	h = newHost(t, o)
	h.m = load(t, h.Device, repeatKernels, "repeat.ptx")
	word = h.alloc("word", 4)
	h.must(h.Fill(word, []byte{0}, 4))
	return h, word
}

// codes returns the codes of the findings, each once.
func (h *host) codes() (list []string) {
	for _, d := range h.Findings() {
		if !slices.Contains(list, d.Code) {
			list = append(list, d.Code)
		}
	}
	return list
}

// Another order may write memory that the first one does not. The memory is put back, also if that is more than
// RepeatBytes allows the first run to copy.
func TestOtherOrderWritesMore(t *testing.T) {
	t.Parallel()
	const size = 64 << 10
	for _, snapshot := range []uint64{0, size + 4, 2*size + 4} {
		h, count := repeated(t, crosslane.DeviceOptions{Check: true, RepeatBytes: snapshot})
		a, b := h.alloc("a", size), h.alloc("b", size)
		h.must(h.Fill(a, []byte{0}, size), h.Fill(b, []byte{0}, size))
		_, err := h.Launch(ctx, h.kernel("first"), crosslane.DeviceLaunch{Grid: crosslane.Dim3{X: 2}, Args: []crosslane.Arg{count, a, b}})
		h.must(err)
		if !slices.Contains(h.codes(), "schedule-dependent") {
			t.Errorf("snapshot %d: no finding that the result depends on the order: %v", snapshot, h.Findings())
		}
		if got := [3]uint32{h.words(count, 1)[0], h.words(a, 1)[0], h.words(b, 1)[0]}; got != [3]uint32{2, 1, 0} {
			t.Errorf("snapshot %d: the memory is %v, want [2 1 0]", snapshot, got)
		}
	}
}

// Runs that follow single undefined reads leave results and undefined bits as the first run did.
func TestUndefinedReadsOfLanes(t *testing.T) {
	t.Parallel()
	h, word := repeated(t, crosslane.DeviceOptions{Check: true})
	out, fresh := h.alloc("out", 4), h.alloc("fresh", 4)
	for i := range uint32(2) {
		h.must(h.launch(nil, "shuffle", word, out))
		if got := h.words(word, 1)[0]; got != i+1 {
			t.Errorf("launch %d: the word is %d, want %d", i, got, i+1)
		}
	}
	if !slices.Contains(h.codes(), "undefined-source") {
		t.Errorf("no undefined-source: %v", h.Findings())
	}
	for _, p := range []crosslane.DevicePtr{out, fresh} {
		before := len(h.Findings())
		h.must(h.Read(make([]byte, 4), p))
		if list := h.Findings(); len(list) != before+1 || list[before].Code != "undefined-copy" {
			t.Errorf("%s is defined: %v", p, list[before:])
		}
	}
}

// After a fault, a cancelled launch or one that takes too long, a device that keeps going works as before.
func TestGoesOn(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o crosslane.DeviceOptions) {
		o.KeepGoing = true
		h, word := repeated(t, o)
		ended, cancel := context.WithCancel(ctx)
		cancel()
		late, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
		defer cancel()
		for _, tt := range []struct {
			ctx        context.Context
			name, text string
			args       []crosslane.Arg
		}{
			{ctx, "wild", "out-of-bounds", []crosslane.Arg{word}},
			{ended, "spin", "cancelled", []crosslane.Arg{word, crosslane.Int(3)}},
			{late, "spin", "the deadline of the caller has passed", []crosslane.Arg{word, crosslane.Int(1 << 30)}},
		} {
			_, err := h.Launch(tt.ctx, h.kernel(tt.name), crosslane.DeviceLaunch{Args: tt.args})
			if err == nil || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.text)
			}
			h.must(h.Err(), h.Fill(word, []byte{0}, 4))
			for range 2 {
				_, err := h.Launch(ctx, h.kernel("spin"), crosslane.DeviceLaunch{Args: []crosslane.Arg{word, crosslane.Int(3)}})
				h.must(err)
			}
			if got := h.words(word, 1)[0]; got != 6 {
				t.Errorf("after %s the word is %d, want 6", tt.text, got)
			}
		}
	})
}

// A checked launch prints once, with the values of its first run.
func TestPrintsOnce(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o crosslane.DeviceOptions) {
		var text strings.Builder
		o.Stdout = &text
		h, word := repeated(t, o)
		for range 3 {
			_, err := h.Launch(ctx, h.kernel("print"), crosslane.DeviceLaunch{Args: []crosslane.Arg{word}})
			h.must(err)
		}
		if got := text.String(); got != "0 1 2 " {
			t.Errorf("printed %q, want 0 1 2", got)
		}
	})
}

// An allocation that the machine cannot give is an error; it does not end the process.
func TestMoreThanTheMachineHas(t *testing.T) {
	t.Parallel()
	h := newHost(t, crosslane.DeviceOptions{MemoryBytes: 1 << 47})
	for _, n := range []uint64{1 << 44, 1 << 46, 1<<46 + 1} {
		if _, err := h.Alloc("", n); err == nil || diag.Of(err)[0].Code != "out-of-memory" {
			t.Errorf("%d bytes: %v", n, err)
		}
	}
	h.must(h.Free(h.alloc("", 1<<20)))
}

// Goroutines may share a device: each has a stream and sees its own results. The race detector of Go sees the rest.
func TestGoroutines(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o crosslane.DeviceOptions) {
		h := newHost(t, o)
		var wg sync.WaitGroup
		for g := range 4 {
			wg.Go(func() {
				s, err := h.newStream(g%2 == 0)
				if err != nil {
					t.Error(err)
					return
				}
				e, data := h.NewEvent(), make([]byte, 128)
				for i := range 10 {
					m, err := crosslane.Load([]byte(kernels), "kernels.ptx", crosslane.Auto)
					if err != nil {
						t.Error(err)
						return
					}
					dm, err := h.Load(m)
					if err != nil {
						t.Error(err)
						return
					}
					k, err := dm.Kernel("fill")
					if err != nil {
						t.Error(err)
						return
					}
					p, err := s.Alloc("", 128)
					_, failed := s.Launch(ctx, k, crosslane.DeviceLaunch{Block: crosslane.Dim3{X: 32}, Args: []crosslane.Arg{p, crosslane.Int(32), crosslane.Int(int64(100*g + i))}})
					for _, err := range []error{err, failed, s.Record(e), e.Synchronize(), s.Read(data, p), s.Free(p), s.Synchronize(), dm.Unload()} {
						if err != nil {
							t.Error(err)
						}
					}
					if got := int(data[0]) + int(data[1])<<8; got != 100*g+i {
						t.Errorf("goroutine %d reads %d, want %d", g, got, 100*g+i)
					}
					h.Findings()
					h.Allocations()
					h.MemoryUsed()
				}
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		h.Close()
		h.only()
	})
}

// A launch that Checks leaves out has no findings, and what it writes is defined for later launches. Without Checks the
// same program has a finding.
func TestChecks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		checks func(string) bool
		want   []string
	}{
		{nil, []string{"undefined-copy"}},
		{func(string) bool { return true }, []string{"undefined-copy"}},
		{func(string) bool { return false }, nil},
		{func(kernel string) bool { return kernel != "bump" }, nil},
	} {
		h := newHost(t, crosslane.DeviceOptions{Check: true, Checks: c.checks})
		p := h.alloc("p", 128)
		h.must(h.launch(h.DefaultStream(), "bump", p, crosslane.Int(32)))
		h.words(p, 32)
		h.must(h.Free(p))
		h.only(c.want...)
	}
}
