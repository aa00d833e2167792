//go:build linux && amd64

package driver

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"testing"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/session"
)

// Python finds ptx_run by the name that mocks of a driver look for, and a kernel works on the memory of Python. The
// recorded launch has the memory as it was, at its addresses, and replays.
func TestPtxRunFromPython(t *testing.T) {
	t.Parallel()
	python, folder := python(t), library(t)
	var launches []*device.Recorded
	s, path := server(t, Options{Device: api.DeviceOptions{Check: true}, Record: func(_ Client, r *device.Recorded) {
		c := *r
		c.Image, c.Launch.Params, c.Memory = bytes.Clone(r.Image), bytes.Clone(r.Launch.Params), nil
		for _, m := range r.Memory {
			m.Data = bytes.Clone(m.Data)
			c.Memory = append(c.Memory, m)
		}
		launches = append(launches, &c)
	}})
	cmd := exec.Command(python, "testdata/ptxrun.py")
	cmd.Env = append(os.Environ(), "CROSSLANE_SOCKET="+path, "LD_LIBRARY_PATH="+folder)
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != "0 True\n" {
		t.Fatalf("%v\n%s", err, out)
	}
	s.Wait()
	if len(launches) != 1 {
		t.Fatalf("%d launches are recorded, want 1: those that needed more memory do not count", len(launches))
	}
	d, err := device.New("sm_80", api.DeviceOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := session.Load(launches[0].Image, "k.ptx", api.Auto)
	if err != nil {
		t.Fatal(err)
	}
	k, err := d.Replay(m, launches[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Default().Launch(t.Context(), k, launches[0].Launch); err != nil {
		t.Fatal(err)
	}
	changed := 0
	for _, c := range d.Changed(launches[0]) {
		for i := range c.Before {
			if c.Before[i] != c.After[i] {
				changed++
			}
		}
	}
	want := 0
	for i := 1; i < 50000; i++ {
		bits := math.Float32bits(float32(i) / 2)
		for ; bits != 0; bits >>= 8 {
			if bits&0xff != 0 {
				want++
			}
		}
	}
	if changed != want {
		t.Errorf("the replayed launch changes %d bytes, want %d", changed, want)
	}
}

// Pieces that lie outside the area, and functions of nothing, are errors.
func TestWrongPieces(t *testing.T) {
	t.Parallel()
	_, path := server(t, Options{})
	h := connect(t, path)
	area := h.number(CallArea, uint64(4096))
	k := h.function(h.number(CallLoad, "k.ptx", waiter), "exact")
	one := uint32(1)
	run := func(function, host, at, n uint64) Status {
		s, _, _ := h.call(CallInPlace, function, one, one, one, uint32(32), one, one, uint32(0), uint32(0), make([]byte, 8), one, host, at, n)
		return s
	}
	if s := run(k, 0x7000_0000_1000, area, 4096); s != Success {
		t.Errorf("a good piece: status %d", s)
	}
	for _, s := range []Status{run(99, 0x1000, area, 4096), run(k, 1<<48, area, 8)} {
		if s == Success {
			t.Error("a wrong piece or function is taken")
		}
	}
	for _, c := range [][3]uint64{{0x1000, area + 8, 4096}, {0x1000, area - 8, 8}, {0x1000, area, 0}, {0x1001, area, 8}, {0x1000, area + 4104, 8}} {
		if s := run(k, c[0], c[1], c[2]); s != InvalidValue {
			t.Errorf("%#x: status %d", c, s)
		}
	}
}
