// Package crosslane runs, checks and explains warp-level GPU code, NVIDIA PTX and AMD GCN3, on any
// machine: no GPU, driver, CUDA, ROCm or LLVM is needed.
//
// Load a file, take a kernel, launch it with Go slices as buffers:
//
//	m, err := crosslane.LoadFile("examples/ptx/block_scan.ptx")
//	k, err := m.Kernel("block_scan")
//	in, out := make([]int32, 1024), make([]int32, 1024)
//	res, err := k.Run(ctx, crosslane.Launch{
//		Grid:  crosslane.Dim3{X: 4},
//		Block: crosslane.Dim3{X: 256},
//		Args:  []crosslane.Arg{crosslane.Slice("in", in), crosslane.Slice("out", out), crosslane.Int(1024)},
//	})
//
// Results are bit for bit those of the instruction sets' manuals. A use of a result that the
// manuals leave undefined is never silent: it is a finding in Result.Findings.
package crosslane

// Version is the version of Crosslane.
const Version = "0.1.0"
