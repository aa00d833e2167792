// Package device_test tests devices from outside: memory that lives across launches, modules, streams, and the
// findings about hosts.
package device_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// kernels is the module that the tests load.
const kernels = `.version 8.0
.target sm_70
.address_size 64
.visible .const .align 4 .u32 table[4] = {10, 20, 30, 40};
.visible .global .align 4 .u32 counter = 5;
.visible .global .align 8 .u64 link = counter;
.visible .global .align 4 .u32 unused[3] = {1, 2, 3};
// fill stores v in n elements.
.visible .entry fill(.param .u64 p, .param .u32 n, .param .u32 v)
{
	.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %q;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [n];
	ld.param.u32 %r2, [v];
	mov.u32 %r3, %tid.x;
	setp.ge.u32 %q, %r3, %r1;
	@%q ret;
	mul.wide.u32 %rd2, %r3, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r2;
	ret;
}
// bump adds 1 to n elements, and to counter.
.visible .entry bump(.param .u64 p, .param .u32 n)
{
	.reg .b32 %r<5>; .reg .b64 %rd<4>; .reg .pred %q;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r1, [n];
	mov.u32 %r3, %tid.x;
	setp.eq.u32 %q, %r3, 0;
	@%q red.global.add.u32 [counter], 1;
	setp.ge.u32 %q, %r3, %r1;
	@%q ret;
	mul.wide.u32 %rd2, %r3, 4;
	add.u64 %rd1, %rd1, %rd2;
	ld.global.u32 %r4, [%rd1];
	add.u32 %r4, %r4, 1;
	st.global.u32 [%rd1], %r4;
	ret;
}
// look stores table[tid & 3] of the constants.
.visible .entry look(.param .u64 p)
{
	.reg .b32 %r<5>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	and.b32 %r2, %r1, 3;
	mul.wide.u32 %rd2, %r2, 4;
	mov.u64 %rd3, table;
	add.u64 %rd3, %rd3, %rd2;
	ld.const.u32 %r3, [%rd3];
	st.global.u32 [%rd1], %r3;
	ret;
}
// through follows a pointer in memory: *p points at the words to fill with 7.
.visible .entry through(.param .u64 p)
{
	.reg .b32 %r<3>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	ld.global.u64 %rd1, [%rd1];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], 7;
	ret;
}
// forget stores a register that nothing wrote.
.visible .entry forget(.param .u64 p)
{
	.reg .b32 %r<3>; .reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	st.global.u32 [%rd1], %r2;
	ret;
}
// choose branches on the elements of p.
.visible .entry choose(.param .u64 p, .param .u64 o)
{
	.reg .b32 %r<4>; .reg .b64 %rd<4>; .reg .pred %q;
	ld.param.u64 %rd1, [p];
	ld.param.u64 %rd3, [o];
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd2, %r1, 4;
	add.u64 %rd1, %rd1, %rd2;
	add.u64 %rd3, %rd3, %rd2;
	ld.global.u32 %r2, [%rd1];
	setp.eq.u32 %q, %r2, 0;
	@%q bra zero;
	st.global.u32 [%rd3], 1;
	ret;
zero:
	st.global.u32 [%rd3], 2;
	ret;
}
// last lets all lanes store their number in one word.
.visible .entry last(.param .u64 p)
{
	.reg .b32 %r<3>; .reg .b64 %rd<2>;
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, %tid.x;
	st.global.u32 [%rd1], %r1;
	ret;
}
// big declares shared memory of a launch.
.extern .shared .align 4 .b8 dyn[];
.visible .entry big(.param .u32 at)
{
	.reg .b32 %r<4>;
	ld.param.u32 %r1, [at];
	mov.u32 %r2, dyn;
	add.u32 %r2, %r2, %r1;
	st.shared.u32 [%r2], 1;
	ret;
}
`

// host is a device with the module, for one test.
type host struct {
	*crosslane.Device
	t testing.TB
	m *crosslane.DeviceModule
}

// newHost makes a device of sm_80 with the module loaded.
func newHost(t testing.TB, o crosslane.DeviceOptions) *host {
	t.Helper()
	d, err := crosslane.NewDevice("sm_80", o)
	if err != nil {
		t.Fatal(err)
	}
	return &host{d, t, load(t, d, kernels, "kernels.ptx")}
}

func load(t testing.TB, d *crosslane.Device, text, file string) *crosslane.DeviceModule {
	t.Helper()
	m, err := crosslane.Load([]byte(text), file, crosslane.Auto)
	if err != nil {
		t.Fatal(err)
	}
	dm, err := d.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	return dm
}

func (h *host) kernel(name string) *crosslane.DeviceKernel {
	h.t.Helper()
	k, err := h.m.Kernel(name)
	if err != nil {
		h.t.Fatal(err)
	}
	return k
}

// launch runs a kernel with 32 lanes in a stream; nil is the default stream.
func (h *host) launch(s *crosslane.Stream, name string, args ...crosslane.Arg) error {
	h.t.Helper()
	if s == nil {
		s = h.DefaultStream()
	}
	_, err := s.Launch(context.Background(), h.kernel(name), crosslane.DeviceLaunch{Block: crosslane.Dim3{X: 32}, Args: args})
	return err
}

// must ends the test if a call of the host fails.
func (h *host) must(errs ...error) {
	h.t.Helper()
	for _, err := range errs {
		if err != nil {
			h.t.Fatal(err)
		}
	}
}

func (h *host) alloc(name string, n uint64) crosslane.DevicePtr {
	h.t.Helper()
	p, err := h.Alloc(name, n)
	h.must(err)
	return p
}

// newStream makes a stream of either kind.
func (h *host) newStream(nonBlocking bool) (*crosslane.Stream, error) {
	if nonBlocking {
		return h.NewNonBlockingStream()
	}
	return h.NewStream()
}

// words reads n elements.
func (h *host) words(p crosslane.DevicePtr, n int) []uint32 {
	h.t.Helper()
	out := make([]uint32, n)
	h.must(crosslane.Download(h.Device, out, p))
	return out
}

// only reports whether the device has exactly the findings of these codes, in this order.
func (h *host) only(codes ...string) diag.List {
	h.t.Helper()
	list := h.Findings()
	var got []string
	for _, d := range list {
		got = append(got, d.Code)
	}
	if !slices.Equal(got, codes) {
		h.t.Errorf("the findings are %v, want %v:\n%v", got, codes, list)
	}
	return list
}

func repeat(v uint32, n int) []uint32 { return slices.Repeat([]uint32{v}, n) }

func both(t *testing.T, f func(t *testing.T, o crosslane.DeviceOptions)) {
	for _, check := range []bool{false, true} {
		t.Run(fmt.Sprintf("check=%t", check), func(t *testing.T) {
			t.Parallel()
			f(t, crosslane.DeviceOptions{Check: check})
		})
	}
}

// Memory keeps its contents from launch to launch, and pointers in memory work.
func TestMemoryLives(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o crosslane.DeviceOptions) {
		h := newHost(t, o)
		p := h.alloc("data", 128)
		h.must(h.launch(nil, "fill", p, crosslane.Int(32), crosslane.Int(40)))
		for range 2 {
			h.must(h.launch(nil, "bump", p, crosslane.Int(16)))
		}
		if got, want := h.words(p, 32), append(repeat(42, 16), repeat(40, 16)...); !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		q := h.alloc("pointer", 8)
		h.must(h.Write(q, binary.LittleEndian.AppendUint64(nil, uint64(p))), h.launch(nil, "through", q))
		if got := h.words(p, 32); !slices.Equal(got, repeat(7, 32)) {
			t.Errorf("through a pointer: %v", got)
		}
		h.must(h.Fill(p+4, []byte{1, 2}, 4), h.Copy(q, p+2, 8))
		if got, want := h.words(q, 2), []uint32{0x02010000, 0x02010201}; !slices.Equal(got, want) {
			t.Errorf("fill and copy: %#x, want %#x", got, want)
		}
		h.must(h.Free(q), h.Free(p), h.Free(0))
		h.Close()
		h.only()
	})
}

// Variables live with the module: the host reads and writes them before and between launches, constants too, also
// variables that no kernel uses.
func TestVariables(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o crosslane.DeviceOptions) {
		h := newHost(t, o)
		variable := func(name string) crosslane.DeviceVariable {
			v, err := h.m.Variable(name)
			h.must(err)
			return v
		}
		if v := variable("unused"); v.Size != 12 || v.Constant || !slices.Equal(h.words(v.Ptr, 3), []uint32{1, 2, 3}) {
			t.Errorf("unused: %+v", v)
		}
		counter := variable("counter")
		link := make([]byte, 8)
		h.must(h.Read(link, variable("link").Ptr))
		if got := binary.LittleEndian.Uint64(link); got != uint64(counter.Ptr) {
			t.Errorf("link points at %#x, want %s", got, counter.Ptr)
		}
		p := h.alloc("data", 128)
		h.must(h.Fill(p, []byte{0}, 128))
		for range 3 {
			h.must(h.launch(nil, "bump", p, crosslane.Int(32)))
		}
		if got := h.words(counter.Ptr, 1)[0]; got != 8 {
			t.Errorf("counter is %d after three launches, want 8", got)
		}
		h.must(h.Write(counter.Ptr, []byte{100, 0, 0, 0}), h.launch(nil, "bump", p, crosslane.Int(32)))
		if got := h.words(counter.Ptr, 1)[0]; got != 101 {
			t.Errorf("counter is %d after a write, want 101", got)
		}
		table := variable("table")
		if !table.Constant {
			t.Error("table is no constant")
		}
		h.must(h.Write(table.Ptr+4, []byte{99, 0, 0, 0}), h.launch(nil, "look", p))
		if got, want := h.words(p, 4), []uint32{10, 99, 30, 40}; !slices.Equal(got, want) {
			t.Errorf("constants: %v, want %v", got, want)
		}
		// A second copy of the module has variables of its own.
		second := load(t, h.Device, kernels, "again.ptx")
		v, err := second.Variable("counter")
		h.must(err)
		if got := h.words(v.Ptr, 1)[0]; got != 5 || v.Ptr == counter.Ptr {
			t.Errorf("the counter of a second module is %d at %s", got, v.Ptr)
		}
		if _, err := h.m.Variable("nothing"); err == nil || !strings.Contains(err.Error(), `no variable "nothing"`) {
			t.Error(err)
		}
		h.must(h.Free(p))
		h.Close()
		h.only()
	})
}

// A parameter block gives the same launch as typed arguments, and one of a wrong size is refused.
func TestParameterBlock(t *testing.T) {
	t.Parallel()
	h := newHost(t, crosslane.DeviceOptions{})
	p := h.alloc("data", 128)
	block := binary.LittleEndian.AppendUint64(nil, uint64(p))
	block = binary.LittleEndian.AppendUint32(block, 32)
	block = binary.LittleEndian.AppendUint32(block, 9)
	run := func(block []byte) error {
		_, err := h.Launch(context.Background(), h.kernel("fill"), crosslane.DeviceLaunch{Block: crosslane.Dim3{X: 32}, Params: block})
		return err
	}
	h.must(run(block))
	if got := h.words(p, 32); !slices.Equal(got, repeat(9, 32)) {
		t.Errorf("got %v", got)
	}
	for _, wrong := range [][]byte{block[:12], append(block, 0), {}} {
		if err := run(wrong); err == nil || !strings.Contains(err.Error(), "parameter block") {
			t.Errorf("a block of %d bytes: %v", len(wrong), err)
		}
	}
	buf := crosslane.Slice("host", make([]uint32, 32))
	if err := h.launch(nil, "fill", buf, crosslane.Int(1), crosslane.Int(1)); err == nil || !strings.Contains(err.Error(), "a buffer of the host") {
		t.Error(err)
	}
}

// A fault is sticky, unless the device is to keep going; the finding names the allocation and the calls of the host.
func TestFaults(t *testing.T) {
	t.Parallel()
	for _, keep := range []bool{false, true} {
		h := newHost(t, crosslane.DeviceOptions{KeepGoing: keep})
		p := h.alloc("short", 100)
		err := h.launch(nil, "fill", p, crosslane.Int(32), crosslane.Int(1))
		if err == nil || diag.Of(err)[0].Code != "out-of-bounds" {
			t.Fatal(err)
		}
		d := h.only("out-of-bounds")[0]
		if !strings.Contains(d.Message, `just past the end of "short" (100 bytes)`) {
			t.Error(d.Message)
		}
		if !slices.ContainsFunc(d.Related, func(r diag.Related) bool {
			return strings.Contains(r.Message, `"short" (100 bytes) was allocated here`) && strings.HasSuffix(r.Pos.File, "device_test.go")
		}) {
			t.Errorf("no call of the host: %+v", d.Related)
		}
		err = h.Write(p, []byte{1})
		if keep && err != nil || !keep && (err == nil || h.Err() == nil) {
			t.Errorf("keep going %t: the next call returns %v", keep, err)
		}
	}
}

// Undefined bits persist: memory that no kernel and no copy wrote is undefined in every later launch.
func TestUndefinedPersists(t *testing.T) {
	t.Parallel()
	h := newHost(t, crosslane.DeviceOptions{Check: true})
	p, o := h.alloc("in", 128), h.alloc("out", 128)
	h.must(h.launch(nil, "fill", p, crosslane.Int(16), crosslane.Int(1)))
	h.must(h.launch(nil, "choose", p, o))
	d := h.only("poison-branch")[0]
	if d.Lanes != "16-31" {
		t.Errorf("lanes %s, want 16-31", d.Lanes)
	}
	h.must(h.Fill(p+64, []byte{0}, 64), h.launch(nil, "choose", p, o))
	h.only("poison-branch")
	if got := h.words(o, 32); !slices.Equal(got, append(repeat(1, 16), repeat(2, 16)...)) {
		t.Errorf("got %v", got)
	}
	// A copy takes undefined bits along.
	fresh, q := h.alloc("fresh", 128), h.alloc("copy", 128)
	h.must(h.Copy(q, fresh, 128), h.Write(q, make([]byte, 64)), h.launch(nil, "choose", q, o))
	if d := h.only("poison-branch", "poison-branch")[1]; d.Lanes != "16-31" {
		t.Errorf("after a copy: lanes %s, want 16-31", d.Lanes)
	}
}

// Check repeats a launch in other orders and leaves the memory as the first run did.
func TestRepeated(t *testing.T) {
	t.Parallel()
	h := newHost(t, crosslane.DeviceOptions{Check: true, Skip: []string{"race-global", "race-same-value"}})
	p := h.alloc("word", 4)
	h.must(h.Fill(p, []byte{0}, 4))
	counter, err := h.m.Variable("counter")
	h.must(err)
	h.must(h.launch(nil, "last", p))
	d := h.only("schedule-dependent")[0]
	if !strings.Contains(d.Message, "bytes 0 to 3 of word") {
		t.Error(d.Message)
	}
	if got := h.words(p, 1)[0]; got != 31 {
		t.Errorf("the word is %d, want 31 as in the first run", got)
	}
	h.must(h.launch(nil, "bump", p, crosslane.Int(1)))
	if got := h.words(counter.Ptr, 1)[0]; got != 6 {
		t.Errorf("the counter is %d, want 6: repetitions must leave nothing", got)
	}
	if got := h.words(p, 1)[0]; got != 32 {
		t.Errorf("the word is %d, want 32", got)
	}
	// Without room for a copy the launch is not repeated.
	small := newHost(t, crosslane.DeviceOptions{Check: true, RepeatBytes: 1, Skip: []string{"race-global", "race-same-value"}})
	p = small.alloc("word", 4)
	small.must(small.launch(nil, "last", p))
	small.only()
	if got := small.words(p, 1)[0]; got != 31 {
		t.Errorf("without repetition the word is %d, want 31", got)
	}
}

// A module for a newer target is refused.
func TestTargets(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		device, target string
		ok             bool
	}{
		{"sm_80", "sm_70", true}, {"sm_80", "sm_80", true}, {"sm_80", "sm_86", false}, {"sm_90", "sm_90a", true}, {"sm_100", "sm_90a", false},
		{"sm_120", "sm_120f", true}, {"sm_121", "sm_120f", true}, {"sm_120", "sm_121f", false}, {"sm_120", "sm_100f", false}, {"gfx803", "sm_50", false},
	} {
		d, err := crosslane.NewDevice(tt.device, crosslane.DeviceOptions{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := crosslane.Load([]byte(".version 9.0\n.target "+tt.target+"\n.address_size 64\n.entry k() { ret; }\n"), "k.ptx", crosslane.PTX)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.Load(m); (err == nil) != tt.ok || err != nil && diag.Of(err)[0].Code != "no-binary-for-device" {
			t.Errorf("%s on %s: %v", tt.target, tt.device, err)
		}
	}
	for _, name := range []string{"sm_81", "sm_80a", "sm_90f", "compute_90"} {
		if _, err := crosslane.NewDevice(name, crosslane.DeviceOptions{}); err == nil || !strings.Contains(diag.Of(err)[0].Remedy, "sm_80") {
			t.Errorf("%s: %v", name, err)
		}
	}
	// A chip and the code for it alone are one device.
	for name, want := range map[string]string{"sm_90a": "sm_90", "sm_100a": "sm_100", "sm_120f": "sm_120"} {
		if d, err := crosslane.NewDevice(name, crosslane.DeviceOptions{}); err != nil || d.Properties().Name != want {
			t.Errorf("%s: %v, want the device %s", name, err, want)
		}
	}
	for _, name := range crosslane.DeviceTargets() {
		d, err := crosslane.NewDevice(name, crosslane.DeviceOptions{})
		if err != nil || d.Properties().SharedOptin == 0 || d.Properties().Multiprocessors == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Dynamic shared memory above 48 KB has to be asked for, and never exceeds the device's.
func TestSharedLimits(t *testing.T) {
	t.Parallel()
	h := newHost(t, crosslane.DeviceOptions{})
	k := h.kernel("big")
	run := func(shared uint32) error {
		_, err := h.Launch(context.Background(), k, crosslane.DeviceLaunch{Shared: shared, Params: binary.LittleEndian.AppendUint32(nil, shared-4)})
		return err
	}
	h.must(run(48 << 10))
	if err := run(48<<10 + 4); err == nil || !strings.Contains(diag.Of(err)[0].Remedy, "SetMaxDynamicShared") {
		t.Error(err)
	}
	h.must(k.SetMaxDynamicShared(163<<10), run(163<<10))
	if err := k.SetMaxDynamicShared(163<<10 + 1); err == nil {
		t.Error("more than sm_80 has was allowed")
	}
	if n, err := k.Occupancy(crosslane.Dim3{X: 256}, 80<<10); err != nil || n != 2 {
		t.Errorf("occupancy %d, want 2 blocks of 81 KB in 164 KB (%v)", n, err)
	}
}
