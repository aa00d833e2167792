package device_test

import (
	"example.org/crosslane"
)

// Further mistakes of hosts. Each has a code that the pairs of faults_test.go have, too, and another cause.

var moreMistakes = []mistake{
	{name: "CopyKind", code: "bad-pointer", text: "a copy within the device reads 128 bytes at 0x7fff00001000, which is no memory of the device",
		wrong: func(dev *host) {
			p, _ := dev.Alloc("data", 128)
			dev.Copy(p, 0x7fff_0000_1000, 128) // an address of the host
			dev.Free(p)
		},
		right: func(dev *host) {
			p, _ := dev.Alloc("data", 128)
			q, _ := crosslane.Upload(dev.Device, "source", make([]byte, 128))
			dev.Copy(p, q, 128)
			dev.Free(p)
			dev.Free(q)
		}},
	{name: "AllocationFailed", code: "bad-pointer", text: "no memory was allocated here: an allocation of 1099511627776 bytes",
		wrong: func(dev *host) {
			p, _ := dev.Alloc("data", 1<<40)
			dev.Write(p, make([]byte, 128))
		},
		right: func(dev *host) {
			p, err := dev.Alloc("data", 1<<40)
			if err != nil {
				return
			}
			dev.Write(p, make([]byte, 128))
		}},
	{name: "FreeOfVariable", code: "bad-pointer", text: "no allocation begins there",
		wrong: func(dev *host) {
			v, _ := dev.m.Variable("counter")
			dev.Free(v.Ptr)
		},
		right: func(dev *host) {
			v, _ := dev.m.Variable("counter")
			dev.Fill(v.Ptr, []byte{0}, v.Size)
		}},
	{name: "FillMisaligned", code: "bad-pointer", text: "is filled with a pattern of 4 bytes; the address must be a multiple of that",
		wrong: func(dev *host) {
			p, _ := dev.Alloc("data", 128)
			dev.Fill(p+2, []byte{0, 0, 0, 0}, 8)
			dev.Free(p)
		},
		right: func(dev *host) {
			p, _ := dev.Alloc("data", 128)
			dev.Fill(p+2, []byte{0}, 32)
			dev.Free(p)
		}},
	{name: "CopyWithinTooLong", code: "copy-out-of-bounds", text: `a copy within the device writes 128 bytes at`,
		wrong: func(dev *host) {
			p, _ := crosslane.Upload(dev.Device, "source", make([]byte, 128))
			q, _ := dev.Alloc("data", 64)
			dev.Copy(q, p, 128)
			dev.Free(p)
			dev.Free(q)
		},
		right: func(dev *host) {
			p, _ := crosslane.Upload(dev.Device, "source", make([]byte, 128))
			q, _ := dev.Alloc("data", 64)
			dev.Copy(q, p, 64)
			dev.Free(p)
			dev.Free(q)
		}},
	{name: "ReadTooLong", code: "copy-out-of-bounds", text: "a copy to the host reads 132 bytes",
		wrong: func(dev *host) {
			p, _ := crosslane.Upload(dev.Device, "data", make([]byte, 128))
			dev.Read(make([]byte, 132), p)
			dev.Free(p)
		},
		right: func(dev *host) {
			p, _ := crosslane.Upload(dev.Device, "data", make([]byte, 128))
			dev.Read(make([]byte, 128), p)
			dev.Free(p)
		}},
	{name: "CopyOfElements", code: "poison-branch", text: `"data"`,
		wrong: func(dev *host) {
			p, _ := dev.Alloc("data", 128)
			out, _ := dev.Alloc("out", 128)
			dev.Write(p, make([]byte, 32)) // the number of elements, not of bytes
			dev.launch(nil, "choose", p, out)
			dev.Free(p)
			dev.Free(out)
		},
		right: func(dev *host) {
			p, _ := dev.Alloc("data", 128)
			out, _ := dev.Alloc("out", 128)
			dev.Write(p, make([]byte, 4*32))
			dev.launch(nil, "choose", p, out)
			dev.Free(p)
			dev.Free(out)
		}},
	{name: "FillOfElements", code: "poison-branch", text: `"data"`,
		wrong: func(dev *host) {
			p, _ := dev.Alloc("data", 128)
			out, _ := dev.Alloc("out", 128)
			dev.Fill(p, []byte{0}, 32) // 32 bytes, not 32 words
			dev.launch(nil, "choose", p, out)
			dev.Free(p)
			dev.Free(out)
		},
		right: func(dev *host) {
			p, _ := dev.Alloc("data", 128)
			out, _ := dev.Alloc("out", 128)
			dev.Fill(p, []byte{0, 0, 0, 0}, 32)
			dev.launch(nil, "choose", p, out)
			dev.Free(p)
			dev.Free(out)
		}},
	{name: "EventInWrongStream", code: "stream-race", text: `kernel bump in stream 2 writes "data"`,
		wrong: func(dev *host) {
			a, _ := dev.NewStream()
			b, _ := dev.NewStream()
			p, _ := dev.Alloc("data", 128)
			dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
			done := dev.NewEvent()
			b.Record(done) // not in the stream of the kernel
			b.Wait(done)
			dev.launch(b, "bump", p, crosslane.Int(32))
			dev.Free(p)
		},
		right: func(dev *host) {
			a, _ := dev.NewStream()
			b, _ := dev.NewStream()
			p, _ := dev.Alloc("data", 128)
			dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
			done := dev.NewEvent()
			a.Record(done)
			b.Wait(done)
			dev.launch(b, "bump", p, crosslane.Int(32))
			dev.Free(p)
		}},
	{name: "WaitBeforeRecord", code: "stream-race", text: "stream 2 waits here for an event that was not recorded before, so it waits for nothing",
		wrong: func(dev *host) {
			a, _ := dev.NewStream()
			b, _ := dev.NewStream()
			p, _ := dev.Alloc("data", 128)
			done := dev.NewEvent()
			dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
			b.Wait(done)
			a.Record(done)
			dev.launch(b, "bump", p, crosslane.Int(32))
			dev.Free(p)
		},
		right: func(dev *host) {
			a, _ := dev.NewStream()
			b, _ := dev.NewStream()
			p, _ := dev.Alloc("data", 128)
			first, done := dev.NewEvent(), dev.NewEvent()
			b.Wait(first) // an event without a record is allowed
			dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
			a.Record(done)
			b.Wait(done)
			dev.launch(b, "bump", p, crosslane.Int(32))
			dev.Free(p)
		}},
	{name: "RecordTooEarly", code: "stream-race", text: `kernel bump in stream 2 writes "data"`,
		wrong: func(dev *host) {
			a, _ := dev.NewStream()
			b, _ := dev.NewStream()
			p, _ := dev.Alloc("data", 128)
			done := dev.NewEvent()
			a.Record(done) // before the kernel
			dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
			b.Wait(done)
			dev.launch(b, "bump", p, crosslane.Int(32))
			dev.Free(p)
		},
		right: func(dev *host) {
			a, _ := dev.NewStream()
			b, _ := dev.NewStream()
			p, _ := dev.Alloc("data", 128)
			done := dev.NewEvent()
			a.Record(done)
			dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
			a.Record(done) // the event stands for its last record
			b.Wait(done)
			dev.launch(b, "bump", p, crosslane.Int(32))
			dev.Free(p)
		}},
	{name: "WriteWhileKernelReads", code: "stream-race", text: `a copy to the device in stream 2 writes "data", bytes 0 to 127, while kernel bump in stream 1 writes them`,
		wrong: func(dev *host) {
			a, _ := dev.NewStream()
			b, _ := dev.NewStream()
			p, _ := crosslane.Upload(dev.Device, "data", make([]byte, 128))
			dev.launch(a, "bump", p, crosslane.Int(32))
			b.Write(p, make([]byte, 128)) // the next input
			dev.Free(p)
		},
		right: func(dev *host) {
			a, _ := dev.NewStream()
			b, _ := dev.NewStream()
			p, _ := crosslane.Upload(dev.Device, "data", make([]byte, 128))
			dev.launch(a, "bump", p, crosslane.Int(32))
			a.Synchronize()
			b.Write(p, make([]byte, 128))
			dev.Free(p)
		}},
	{name: "AllocatedInOtherStream", code: "stream-race", text: `while an allocation in stream 1 allocates them`,
		wrong: func(dev *host) {
			a, _ := dev.NewStream()
			b, _ := dev.NewStream()
			p, _ := a.Alloc("data", 128)
			dev.launch(b, "fill", p, crosslane.Int(32), crosslane.Int(1))
			dev.Synchronize()
			dev.Free(p)
		},
		right: func(dev *host) {
			a, _ := dev.NewStream()
			b, _ := dev.NewStream()
			p, _ := a.Alloc("data", 128)
			a.Synchronize()
			dev.launch(b, "fill", p, crosslane.Int(32), crosslane.Int(1))
			dev.Synchronize()
			dev.Free(p)
		}},
	{name: "FreedBeforeCopy", code: "use-after-free", text: `it is "data" (128 bytes), which was freed`,
		wrong: func(dev *host) {
			a, _ := dev.NewStream()
			p, _ := a.Alloc("data", 128)
			dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
			a.Free(p)
			a.Read(make([]byte, 128), p)
			a.Synchronize()
		},
		right: func(dev *host) {
			a, _ := dev.NewStream()
			p, _ := a.Alloc("data", 128)
			dev.launch(a, "fill", p, crosslane.Int(32), crosslane.Int(1))
			a.Read(make([]byte, 128), p)
			a.Free(p)
			a.Synchronize()
		}},
	{name: "VariableOfUnloadedModule", code: "use-after-free", text: "its module was unloaded here",
		wrong: func(dev *host) {
			v, _ := dev.m.Variable("counter")
			dev.m.Unload()
			dev.Read(make([]byte, 4), v.Ptr)
		},
		right: func(dev *host) {
			v, _ := dev.m.Variable("counter")
			dev.Read(make([]byte, 4), v.Ptr)
			dev.m.Unload()
		}},
	{name: "UnloadedTwice", code: "bad-handle", text: "a module is used after it was unloaded",
		wrong: func(dev *host) { dev.m.Unload(); dev.m.Unload() },
		right: func(dev *host) { dev.m.Unload() }},
	{name: "LaunchInClosedStream", code: "bad-handle", text: "stream 1 is used after it was closed",
		wrong: func(dev *host) {
			s, _ := dev.NewStream()
			p, _ := dev.Alloc("data", 128)
			s.Close()
			dev.launch(s, "fill", p, crosslane.Int(32), crosslane.Int(1))
			dev.Free(p)
		},
		right: func(dev *host) {
			s, _ := dev.NewStream()
			p, _ := dev.Alloc("data", 128)
			dev.launch(s, "fill", p, crosslane.Int(32), crosslane.Int(1))
			s.Close()
			dev.Free(p)
		}},
	{name: "EventOfOtherDevice", code: "bad-handle", text: "the event belongs to another device",
		wrong: func(dev *host) {
			other, _ := crosslane.NewDevice("sm_80", crosslane.DeviceOptions{})
			dev.DefaultStream().Record(other.NewEvent())
		},
		right: func(dev *host) { dev.DefaultStream().Record(dev.NewEvent()) }},
	{name: "KernelOfOtherDevice", code: "bad-handle", text: "kernel look is launched and is not on the device",
		wrong: func(dev *host) {
			other, _ := crosslane.NewDevice("sm_80", crosslane.DeviceOptions{})
			k, _ := load(dev.t, other, kernels, "kernels.ptx").Kernel("look")
			p, _ := dev.Alloc("data", 128)
			dev.Launch(ctx, k, crosslane.DeviceLaunch{Args: []crosslane.Arg{p}})
			dev.Free(p)
		},
		right: func(dev *host) {
			k, _ := load(dev.t, dev.Device, kernels, "again.ptx").Kernel("look")
			p, _ := dev.Alloc("data", 128)
			dev.Launch(ctx, k, crosslane.DeviceLaunch{Args: []crosslane.Arg{p}})
			dev.Free(p)
		}},
	{name: "TooManyLanes", code: "refused-call", text: "1056",
		wrong: func(dev *host) {
			p, _ := dev.Alloc("data", 4*1056)
			dev.Launch(ctx, dev.kernel("fill"), crosslane.DeviceLaunch{Block: crosslane.Dim3{X: 1056}, Args: []crosslane.Arg{p, crosslane.Int(1056), crosslane.Int(1)}})
			dev.Free(p)
		},
		right: func(dev *host) {
			p, _ := dev.Alloc("data", 4*1024)
			dev.Launch(ctx, dev.kernel("fill"), crosslane.DeviceLaunch{Block: crosslane.Dim3{X: 1024}, Args: []crosslane.Arg{p, crosslane.Int(1024), crosslane.Int(1)}})
			dev.Free(p)
		}},
	{name: "ArgumentMissing", code: "refused-call", text: "fill",
		wrong: func(dev *host) {
			p, _ := dev.Alloc("data", 128)
			dev.launch(nil, "fill", p, crosslane.Int(32))
			dev.Free(p)
		},
		right: func(dev *host) {
			p, _ := dev.Alloc("data", 128)
			dev.launch(nil, "fill", p, crosslane.Int(32), crosslane.Int(1))
			dev.Free(p)
		}},
	{name: "CooperativeTooLarge", code: "refused-call", text: "100000 blocks are to be in flight together",
		wrong: func(dev *host) {
			p, _ := dev.Alloc("data", 128)
			dev.Launch(ctx, dev.kernel("look"), crosslane.DeviceLaunch{Grid: crosslane.Dim3{X: 100000}, Block: crosslane.Dim3{X: 32}, Cooperative: true, Args: []crosslane.Arg{p}})
			dev.Free(p)
		},
		right: func(dev *host) {
			p, _ := dev.Alloc("data", 128)
			k := dev.kernel("last")
			dev.Launch(ctx, k, crosslane.DeviceLaunch{Block: crosslane.Dim3{X: 1}, Cooperative: true, Args: []crosslane.Arg{p}})
			dev.Free(p)
		}},
}
