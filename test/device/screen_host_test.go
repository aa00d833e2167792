package device_test

import (
	"context"
	"testing"

	"example.org/crosslane"
	"example.org/crosslane/internal/device"
	"example.org/crosslane/internal/sim"
)

// A kernel with plain loads waits for the host, which allocates memory and writes the flag meanwhile. The host acts once: in the
// run that counts, beside which no tags are attached.
func TestHostActsBesideTheCheckOnly(t *testing.T) {
	t.Parallel()
	const src = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b)\n{\n.reg .b32 %r<4>;\n.reg .b64 %p<3>;\n.reg .pred %q;\n" +
		"ld.param.u64 %p1, [a];\nld.param.u64 %p2, [b];\nL:\nld.global.u32 %r1, [%p1];\nsetp.eq.u32 %q, %r1, 0;\n@%q bra L;\nst.global.u32 [%p2], %r1;\nret;\n}\n"
	m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	dev, err := crosslane.NewDevice("sm_80", crosslane.DeviceOptions{Check: true})
	if err != nil {
		t.Fatal(err)
	}
	module, err := dev.Load(m)
	if err != nil {
		t.Fatal(err)
	}
	k, err := module.Kernel("k")
	if err != nil {
		t.Fatal(err)
	}
	hole, _ := dev.Alloc("hole", 1<<16)
	in, _ := crosslane.Upload(dev, "in", []uint32{0})
	out, _ := crosslane.Upload(dev, "out", []uint32{0})
	dev.Free(hole)
	s, _ := dev.NewNonBlockingStream()
	other, _ := dev.NewNonBlockingStream()
	acted := 0
	var more crosslane.DevicePtr
	(*device.Device)(dev).UseHost(func() (sim.HostState, device.HostWait) {
		if acted++; acted > 1 {
			return sim.HostWaits, device.HostWait{}
		}
		if more, err = crosslane.Upload(dev, "more", []uint32{5}); err != nil {
			t.Error(err)
		}
		if err := other.Write(in, []byte{7, 0, 0, 0}); err != nil {
			t.Error(err)
		}
		return sim.HostChanged, device.HostWait{}
	})
	if _, err := s.Launch(context.Background(), k, crosslane.DeviceLaunch{Args: []crosslane.Arg{in, out}}); err != nil {
		t.Errorf("launch: %v", err)
	}
	if err := dev.Synchronize(); err != nil {
		t.Error(err)
	}
	for _, x := range []struct {
		p    crosslane.DevicePtr
		want uint32
	}{{in, 7}, {out, 7}, {more, 5}} {
		got := []uint32{0}
		if err := crosslane.Download(dev, got, x.p); err != nil || got[0] != x.want {
			t.Errorf("%v: %v, want %d: %v", x.p, got, x.want, err)
		}
	}
	if acted != 1 {
		t.Errorf("the host acted %d times", acted)
	}
}

// TestBytesOfStreams: a kernel reads one byte of a word while another stream writes a byte of it.
func TestBytesOfStreams(t *testing.T) {
	t.Parallel()
	const src = ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b)\n{\n.reg .b32 %r<4>;\n.reg .b64 %p<3>;\n" +
		"ld.param.u64 %p1, [a];\nld.param.u64 %p2, [b];\nld.global.u8 %r1, [%p1];\nst.global.u32 [%p2], %r1;\nret;\n}\n"
	m, err := crosslane.Load([]byte(src), "k.ptx", crosslane.PTX)
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range []int{1, 0} { // the byte that is written, and the findings
		dev, err := crosslane.NewDevice("sm_80", crosslane.DeviceOptions{Check: true})
		if err != nil {
			t.Fatal(err)
		}
		module, err := dev.Load(m)
		if err != nil {
			t.Fatal(err)
		}
		k, err := module.Kernel("k")
		if err != nil {
			t.Fatal(err)
		}
		in, _ := crosslane.Upload(dev, "in", []uint32{0})
		out, _ := crosslane.Upload(dev, "out", []uint32{0})
		one, _ := dev.NewNonBlockingStream()
		other, _ := dev.NewNonBlockingStream()
		if _, err := one.Launch(context.Background(), k, crosslane.DeviceLaunch{Args: []crosslane.Arg{in, out}}); err != nil {
			t.Fatal(err)
		}
		if err := other.Write(in+crosslane.DevicePtr(at), []byte{9}); err != nil {
			t.Fatal(err)
		}
		if err := dev.Synchronize(); err != nil {
			t.Fatal(err)
		}
		races := 0
		for _, d := range dev.Findings() {
			if d.Code == "stream-race" {
				races++
			}
		}
		if races != want {
			t.Errorf("byte %d: %d races, want %d: %v", at, races, want, dev.Findings())
		}
	}
}
