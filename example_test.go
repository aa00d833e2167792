package crosslane_test

import (
	"context"
	"fmt"
	"log"

	"example.org/crosslane"
)

// Load a file, launch a kernel on Go slices, read the results.
func Example() {
	m, err := crosslane.LoadFile("examples/ptx/block_scan.ptx")
	if err != nil {
		log.Fatal(err)
	}
	k, err := m.Kernel("block_scan")
	if err != nil {
		log.Fatal(err)
	}
	in, out := make([]int32, 1024), make([]int32, 1024)
	for i := range in {
		in[i] = 1
	}
	res, err := k.Run(context.Background(), crosslane.Launch{
		Grid:  crosslane.Dim3{X: 4},
		Block: crosslane.Dim3{X: 256},
		Args:  []crosslane.Arg{crosslane.Slice("in", in), crosslane.Slice("out", out), crosslane.Int(1024)},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(out[:4], out[255], out[256], len(res.Findings))
	// Output: [1 2 3 4] 256 1 0
}

// The same OpenCL kernel, compiled for AMD's GCN3, takes the same arguments.
func Example_gcn3() {
	m, err := crosslane.LoadFile("examples/gcn3/saxpy.hsaco")
	if err != nil {
		log.Fatal(err)
	}
	k, err := m.Kernel("saxpy")
	if err != nil {
		log.Fatal(err)
	}
	x, y := []float32{1, 2, 3, 4}, []float32{10, 20, 30, 40}
	_, err = k.Run(context.Background(), crosslane.Launch{
		Grid:  crosslane.Dim3{X: 1},
		Block: crosslane.Dim3{X: 64},
		Args:  []crosslane.Arg{crosslane.Float(0.5), crosslane.Slice("x", x), crosslane.Slice("y", y), crosslane.Int(4)},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(y)
	// Output: [10.5 21 31.5 42]
}

// A result that the manual leaves undefined is a finding that names the lanes.
func ExampleKernel_Run_findings() {
	m, err := crosslane.LoadFile("examples/ptx/mistakes.ptx")
	if err != nil {
		log.Fatal(err)
	}
	k, err := m.Kernel("partial_reduce")
	if err != nil {
		log.Fatal(err)
	}
	in, out := make([]int32, 32), make([]int32, 32)
	res, err := k.Run(context.Background(), crosslane.Launch{
		Block: crosslane.Dim3{X: 32},
		Args:  []crosslane.Arg{crosslane.Slice("in", in), crosslane.Slice("out", out), crosslane.Int(20)},
	})
	if err != nil {
		log.Fatal(err)
	}
	f := res.Findings[0]
	fmt.Println(f.Code, f.Lanes)
	fmt.Println(f.Message)
	// Output:
	// undefined-source 4-15
	// shfl.sync.down.b32: lanes 4-15 read lanes 20-31: undefined, because lanes 20-31 are not in membermask 0x000fffff
}

// A kernel lists its parameters.
func ExampleKernel_Params() {
	m, err := crosslane.LoadFile("examples/gcn3/saxpy.s")
	if err != nil {
		log.Fatal(err)
	}
	for _, k := range m.Kernels() {
		for _, p := range k.Params() {
			fmt.Println(k.Name(), p.Kind, p.Type, p.Offset, p.Size)
		}
	}
	// Output:
	// vector_add pointer  0 8
	// vector_add pointer  8 8
	// vector_add pointer  16 8
	// vector_add scalar u32 24 4
	// saxpy scalar f32 0 4
	// saxpy pointer  8 8
	// saxpy pointer  16 8
	// saxpy scalar u32 24 4
}

// Instructions to bytes and back.
func ExampleAssembleInstructions() {
	list, diags := crosslane.AssembleInstructions("ds_swizzle_b32 v5, v2 offset:0x80F6; v_add_f32 v1, v0, v0 row_shr:1 bound_ctrl:0")
	if err := diags.Err(); err != nil {
		log.Fatal(err)
	}
	for _, in := range list {
		fmt.Printf("%x %s\n", in.Bytes, in.Text)
	}
	// Output:
	// f6807ad802000005 ds_swizzle_b32 v5, v2 offset:swizzle(QUAD_PERM,2,1,3,3)
	// fa000202001109ff v_add_f32_dpp v1, v0, v0 row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1
}
