package device_test

import (
	"context"
	"strings"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/diag"
)

// Calls without a handle, with one of another device or with impossible sizes are errors with a code and a remedy,
// never panics, and leave the device usable.
func TestBadHandles(t *testing.T) {
	t.Parallel()
	both(t, func(t *testing.T, o crosslane.DeviceOptions) {
		h, other := newHost(t, o), newHost(t, o)
		p := h.alloc("data", 128)
		s, err := h.NewStream()
		h.must(err)
		k := h.kernel("fill")
		foreign := other.NewEvent()
		h.must(other.DefaultStream().Record(foreign))
		own := h.NewEvent()
		h.must(s.Record(own))
		launch := func(k *crosslane.DeviceKernel, l crosslane.DeviceLaunch) error {
			_, err := s.Launch(ctx, k, l)
			return err
		}
		args := func(first crosslane.Arg) crosslane.DeviceLaunch {
			return crosslane.DeviceLaunch{Args: []crosslane.Arg{first, crosslane.Int(1), crosslane.Int(1)}}
		}
		huge := crosslane.Dim3{X: 1 << 31, Y: 1 << 31, Z: 4} // 2 to the 64th lanes
		wide, tall := args(p), args(p)
		wide.Cooperative, wide.Block = true, huge
		tall.Cooperative, tall.Grid = true, huge
		var noStream *crosslane.Stream
		var noEvent *crosslane.Event
		var noModule *crosslane.DeviceModule
		var noKernel *crosslane.DeviceKernel
		for _, tt := range []struct {
			name, code string
			call       func() error
		}{
			{"no kernel", "bad-handle", func() error { return launch(nil, args(p)) }},
			{"kernel of another device", "bad-handle", func() error { return launch(other.kernel("fill"), args(p)) }},
			{"no stream", "bad-handle", func() error { _, err := noStream.Launch(ctx, k, args(p)); return err }},
			{"no stream to wait for", "bad-handle", noStream.Synchronize},
			{"no stream to write", "bad-handle", func() error { return noStream.Write(p, []byte{1}) }},
			{"zero stream", "bad-handle", new(crosslane.Stream).Close},
			{"no event to record", "bad-handle", func() error { return s.Record(nil) }},
			{"no event to wait for", "bad-handle", func() error { return s.Wait(nil) }},
			{"no event", "bad-handle", noEvent.Synchronize},
			{"zero event", "bad-handle", func() error { return s.Record(new(crosslane.Event)) }},
			{"event of another device", "bad-handle", func() error { return s.Wait(foreign) }},
			{"event of another device, recorded", "bad-handle", func() error { return s.Record(foreign) }},
			{"time since no event", "bad-handle", func() error { _, err := own.Since(nil); return err }},
			{"time since an event of another device", "bad-handle", func() error { _, err := own.Since(foreign); return err }},
			{"no module", "bad-handle", func() error { _, err := h.Load(nil); return err }},
			{"kernel of no module", "bad-handle", func() error { _, err := noModule.Kernel("fill"); return err }},
			{"variable of no module", "bad-handle", func() error { _, err := noModule.Variable("counter"); return err }},
			{"occupancy of no kernel", "bad-handle", func() error { _, err := noKernel.Occupancy(crosslane.Dim3{}, 0); return err }},
			{"shared memory of no kernel", "bad-handle", func() error { return noKernel.SetMaxDynamicShared(1) }},
			{"no arguments", "bad-argument", func() error { return launch(k, crosslane.DeviceLaunch{}) }},
			{"an argument that is nil", "bad-argument", func() error { return launch(k, args(nil)) }},
			{"a buffer that is nil", "bad-argument", func() error { return launch(k, args((*crosslane.Buffer)(nil))) }},
			{"a pointer to nothing", "bad-argument", func() error { return launch(k, args(crosslane.Pointer{})) }},
			{"bytes with a pointer to nothing", "bad-argument", func() error {
				return launch(k, args(crosslane.Bytes{Data: make([]byte, 8), Pointers: []crosslane.Pointer{{}}}))
			}},
			{"occupancy of a huge block", "bad-launch", func() error { _, err := k.Occupancy(huge, 0); return err }},
			{"huge block", "bad-launch", func() error { return launch(k, wide) }},
			{"huge grid", "bad-launch", func() error { return launch(k, tall) }},
			{"no bytes", "bad-launch", func() error { _, err := h.Alloc("", 0); return err }},
			{"all bytes", "out-of-memory", func() error { _, err := h.Alloc("", 1<<64-1); return err }},
			{"zero device", "bad-handle", func() error { _, err := new(crosslane.Device).Alloc("", 1); return err }},
		} {
			err := tt.call()
			if err == nil {
				t.Errorf("%s: no error", tt.name)
				continue
			}
			if d := diag.Of(err)[0]; d.Code != tt.code {
				t.Errorf("%s: %s, want %s", tt.name, d, tt.code)
			}
		}
		// No context is one that never ends, and the device still works.
		var none context.Context
		if _, err := h.Launch(none, k, args(p)); err != nil {
			t.Error(err)
		}
		if got := h.words(p, 1)[0]; got != 1 {
			t.Errorf("the word is %d, want 1", got)
		}
		new(crosslane.Device).Close()
		h.must(h.m.Unload())
		if _, err := h.m.Variable("counter"); err == nil || len(h.m.Variables()) != 0 {
			t.Errorf("a variable of a module that was unloaded: %v", err)
		}
	})
}

// What the host sets for a kernel stays set, whichever handle it uses. Static and dynamic shared memory share 48 KB
// unless the host asks for more.
func TestMaxSharedStays(t *testing.T) {
	t.Parallel()
	const text = `.version 8.0
.target sm_70
.address_size 64
.extern .shared .align 4 .b8 dyn[];
.visible .entry both()
{
	.reg .b32 %r<2>;
	.shared .align 4 .b8 fixed[40960];
	mov.u32 %r1, fixed;
	st.shared.u32 [%r1], 1;
	mov.u32 %r1, dyn;
	st.shared.u32 [%r1], 1;
	ret;
}
`
	h := newHost(t, crosslane.DeviceOptions{})
	m := load(t, h.Device, text, "both.ptx")
	kernel := func() *crosslane.DeviceKernel {
		k, err := m.Kernel("both")
		h.must(err)
		return k
	}
	run := func(shared uint32) error {
		_, err := h.Launch(ctx, kernel(), crosslane.DeviceLaunch{Shared: shared})
		return err
	}
	h.must(run(8 << 10))
	if err := run(8<<10 + 4); err == nil || !strings.Contains(err.Error(), "beside 40960 static ones; at most 8192 are allowed") {
		t.Errorf("more than 48 KB without asking: %v", err)
	}
	h.must(kernel().SetMaxDynamicShared(60<<10), run(60<<10))
	if err := run(60<<10 + 4); err == nil {
		t.Error("more than was asked for is allowed")
	}
}

// The calls of a finding are those of the host, also if the host's own type has the device inside.
func TestCallersAreOfTheHost(t *testing.T) {
	t.Parallel()
	h := newHost(t, crosslane.DeviceOptions{})
	err := h.Read(make([]byte, 4), 12)
	if d := diag.Of(err)[0]; !strings.HasSuffix(d.Pos.File, "handles_test.go") {
		t.Errorf("the place is %s:%d", d.Pos.File, d.Pos.Line)
	}
}
