package crosslane_test

import (
	"context"
	"fmt"

	"example.org/crosslane"
)

// A host program: memory and variables live from launch to launch.
func ExampleDevice() {
	ctx := context.Background()
	m, err := crosslane.LoadFile("examples/ptx/block_scan.ptx")
	if err != nil {
		panic(err)
	}
	dev, err := crosslane.NewDevice("sm_80", crosslane.DeviceOptions{Check: true})
	if err != nil {
		panic(err)
	}
	module, err := dev.Load(m)
	if err != nil {
		panic(err)
	}
	scan, err := module.Kernel("block_scan")
	if err != nil {
		panic(err)
	}
	data := make([]int32, 1024)
	for i := range data {
		data[i] = 1
	}
	in, _ := crosslane.Upload(dev, "in", data)
	out, _ := dev.Alloc("out", 4096)
	launch := crosslane.DeviceLaunch{Grid: crosslane.Dim3{X: 4}, Block: crosslane.Dim3{X: 256}}
	for range 2 { // the second launch sums the sums
		launch.Args = []crosslane.Arg{in, out, crosslane.Int(1024)}
		if _, err := dev.Launch(ctx, scan, launch); err != nil {
			panic(err)
		}
		in, out = out, in
	}
	crosslane.Download(dev, data, in)
	dev.Free(in)
	dev.Free(out)
	fmt.Println(data[:8], len(dev.Close()), "findings")
	// Output: [1 3 6 10 15 21 28 36] 0 findings
}

// Two streams use one buffer, and nothing orders them.
func ExampleStream_Wait() {
	ctx := context.Background()
	m, err := crosslane.LoadFile("examples/ptx/block_scan.ptx")
	if err != nil {
		panic(err)
	}
	run := func(wait bool) {
		dev, _ := crosslane.NewDevice("sm_80", crosslane.DeviceOptions{Check: true})
		module, _ := dev.Load(m)
		scan, _ := module.Kernel("block_scan")
		a, _ := dev.NewStream()
		b, _ := dev.NewStream()
		in, _ := crosslane.Upload(dev, "in", make([]int32, 256))
		mid, _ := dev.Alloc("mid", 1024)
		out, _ := dev.Alloc("out", 1024)
		launch := crosslane.DeviceLaunch{Block: crosslane.Dim3{X: 256}}
		launch.Args = []crosslane.Arg{in, mid, crosslane.Int(256)}
		a.Launch(ctx, scan, launch)
		if wait {
			done := dev.NewEvent()
			a.Record(done)
			b.Wait(done)
		}
		launch.Args = []crosslane.Arg{mid, out, crosslane.Int(256)}
		b.Launch(ctx, scan, launch)
		for _, d := range dev.Findings() {
			fmt.Println(d.Message)
		}
	}
	run(false)
	run(true)
	// Output: kernel block_scan in stream 2 reads "mid", bytes 0 to 1023, while kernel block_scan in stream 1 writes them: nothing orders the two
}
