// Package bench holds the kernels that crosslane bench measures, for both instruction sets. Each
// kernel has its launches, the work that is counted, results computed by plain Go, and the same
// work in C as the best that a processor can do. kernels/gen.sh compiles the kernels from the
// sources beside it; the results are committed.
package bench

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"example.org/crosslane"
)

//go:generate sh kernels/gen.sh

//go:embed kernels/*.ptx kernels/*.s
var kernels embed.FS

// A Kernel is one entry of the suite, for one instruction set.
type Kernel struct {
	Name  string
	ISA   crosslane.ISA
	About string // its work
	Bound string // the resource that bounds it on a processor
	Entry string // the kernel's name in its file
	// Min is the least size and Full that of a full run, in units of equal cost: blocks, or rows of
	// blocks.
	Min, Full int
	// Launches is set for kernels whose result is the time of a launch: "warm", or "cold" if the
	// kernel was never run before.
	Launches string

	file string // file of the kernels, without the ending
	peer string // the C function with the same work; "": none
	// opencl is the kernel of peers/opencl/suite.cl with the same work; "": none.
	opencl string
	work   func(n int) *Work
}

// Work is one launch, ready to run.
type Work struct {
	Grid, Block crosslane.Dim3
	Args        []crosslane.Arg     // buffers and typed scalars
	Reset       []*crosslane.Buffer // buffers that must be zero before each run
	Flops       float64             // floating-point operations, a fused one counted as two
	Bytes       float64             // bytes that have to be moved from or to memory
	Check       func() error        // compares the results with those of plain Go
}

// ID names the kernel and its instruction set.
func (k *Kernel) ID() string { return k.Name + "/" + string(k.ISA) }

// Text returns the kernel's source and the name of its file.
func (k *Kernel) Text() ([]byte, string) {
	name := k.file + ".ptx"
	if k.ISA == crosslane.GCN3 {
		name = k.file + ".s"
	}
	data, err := kernels.ReadFile("kernels/" + name)
	if err != nil {
		panic(err) // the table names a missing file
	}
	return data, name
}

// Load makes the kernel from its text.
func (k *Kernel) Load() (*crosslane.Kernel, error) {
	data, name := k.Text()
	m, err := crosslane.Load(data, name, k.ISA)
	if err != nil {
		return nil, err
	}
	return m.Kernel(k.Entry)
}

// Work makes the launch of a size between Min and Full, with filled buffers.
func (k *Kernel) Work(n int) *Work {
	w := k.work(min(max(n, k.Min), k.Full))
	for _, b := range w.Reset {
		clear(b.Data)
	}
	return w
}

// Suite returns all kernels, in the order of the report.
func Suite() []*Kernel {
	var all []*Kernel
	for _, r := range rows {
		for _, isa := range strings.Fields(r.isas) {
			entry := r.entry
			if entry == "" {
				entry = r.name
			}
			k := &Kernel{Name: r.name, ISA: crosslane.ISA(isa), About: r.about, Bound: r.bound, Entry: entry,
				Min: max(r.min, 1), Full: r.full, Launches: r.launches, file: r.file, peer: r.peer, work: r.work}
			if k.peer == "" && k.Launches == "" {
				k.peer = k.Name
			}
			if slices.Contains(openclKernels, entry) && k.Launches == "" {
				k.opencl = entry
			}
			all = append(all, k)
		}
	}
	return all
}

// entry describes a kernel of the suite.
type entry struct {
	name     string
	isas     string // separated by blanks
	file     string
	entry    string // "": the name
	peer     string // "": the name, except for launches
	min      int    // 0: 1
	full     int
	about    string
	bound    string
	launches string
	work     func(n int) *Work
}

const both = "ptx gcn3"

// openclKernels are the kernels that peers also run through OpenCL.
var openclKernels = []string{"alu", "reduce_scan", "matmul", "matmul4", "matmul_tiled", "mandelbrot", "gather"}

// rows is the suite: first the kernels that have targets.
var rows = []entry{
	{name: "alu", isas: both, file: "alu", full: 4096, work: alu,
		about: "dependent integer and float operations in a loop", bound: "latency of the operations"},
	{name: "reduce_scan", isas: "ptx", file: "warp", full: 65536, work: reduceScan,
		about: "load, sum and prefix sum of each warp by shuffles, store: 16 M floats", bound: "shuffles; memory at full size"},
	{name: "matmul", isas: both, file: "matmul", full: 128, work: matmul(1),
		about: "512 by 512 matrices, f32, one element a lane", bound: "loads from the second-level cache"},
	{name: "matmul4", isas: both, file: "matmul", peer: "matmul", full: 128, work: matmul(4),
		about: "the same, the loop unrolled by four", bound: "loads from the second-level cache"},
	{name: "matmul_tiled", isas: both, file: "matmul", full: 32, work: matmul(16),
		about: "the same, tiles of 16 by 16 in shared memory, barriers", bound: "loads from shared memory"},
	{name: "mandelbrot", isas: both, file: "mandelbrot", min: 16, full: 1024, work: mandelbrot,
		about: "loops of divergent length, a divergent branch in them", bound: "latency of the operations"},
	{name: "gather_cache", isas: both, file: "gather", entry: "gather", peer: "gather_table", full: 4096, work: gather(4096, 256),
		about: "loads at random places of 16 KB", bound: "gathers"},
	{name: "gather_memory", isas: both, file: "gather", entry: "gather", peer: "gather_table", full: 1024, work: gather(16<<20, 64),
		about: "loads at random places of 64 MB", bound: "memory: cache and page misses"},

	{name: "shfl_reduce", isas: "ptx", file: "warp", full: 4096, work: shuffles(false),
		about: "butterfly sums in registers", bound: "latency of shuffles and sums"},
	{name: "shfl_scan", isas: "ptx", file: "warp", full: 4096, work: shuffles(true),
		about: "prefix sums in registers, predicated", bound: "latency of shuffles and sums"},
	{name: "dpp_scan", isas: "gcn3", file: "dpp", full: 4096, work: dppScan,
		about: "prefix sums of 64 lanes by DPP", bound: "latency of the moves and sums"},
	{name: "bpermute", isas: "gcn3", file: "dpp", full: 4096, work: bpermute,
		about: "ds_bpermute, ds_permute, ds_swizzle", bound: "permutes with computed lanes"},
	{name: "mma", isas: "ptx", file: "mma", full: 4096, work: mma,
		about: "m16n8k16 of f16 into f32", bound: "fused multiply-adds"},
	{name: "histogram_shared", isas: both, file: "histogram", full: 4096, work: histogram,
		about: "256 bins, atomics in shared memory", bound: "atomics: one word after another"},
	{name: "histogram_global", isas: both, file: "histogram", full: 4096, work: histogram,
		about: "256 bins, atomics in global memory", bound: "atomics: one word after another"},
	{name: "transpose", isas: both, file: "transpose", full: 64, work: transpose,
		about: "2048 by 2048 words, tiles in shared memory", bound: "memory"},
	{name: "triad", isas: both, file: "triad", full: 32768, work: triad,
		about: "a = b + 3 c, 8 M floats", bound: "memory"},
	{name: "nbody", isas: both, file: "nbody", full: 256, work: nbody,
		about: "2048 bodies, tiles in shared memory", bound: "fused multiply-adds and square roots"},
	{name: "sha256", isas: both, file: "sha256", full: 1024, work: sha256Work,
		about: "SHA-256 of one block, four times over", bound: "integer operations"},
	{name: "fft", isas: both, file: "fft", full: 4096, work: fft,
		about: "512 points in shared memory", bound: "gathers and scatters in shared memory"},
	{name: "softmax", isas: "ptx", file: "softmax", full: 1024, work: softmax,
		about: "rows of 1024, one a warp", bound: "exponentials"},
	{name: "spmv", isas: both, file: "spmv", full: 1024, work: spmv,
		about: "compressed rows of 8 to 24 elements", bound: "gathers"},
	{name: "bfs", isas: both, file: "bfs", full: 1024, work: bfs,
		about: "distances in a graph of 1024 nodes, one search a block", bound: "divergent loops, gathers and scatters"},
	{name: "f64", isas: both, file: "f64", full: 4096, work: f64,
		about: "polynomials of f64", bound: "latency of fused multiply-adds"},
	{name: "f16", isas: both, file: "f16", full: 4096, work: f16,
		about: "polynomials of f16, in pairs", bound: "conversions to and from f32"},
	{name: "launch_warm", isas: both, file: "triad", entry: "triad", full: 1, work: triad, launches: "warm",
		about: "one block, run before", bound: "what a launch needs beside its instructions"},
	{name: "launch_cold", isas: both, file: "triad", entry: "triad", full: 1, work: triad, launches: "cold",
		about: "one block, its first run", bound: "translation and compilation"},
}

// wrong returns the error of a check for an element.
func wrong(what string, i int, got, want any) error {
	return fmt.Errorf("%s[%d] is %v, want %v", what, i, got, want)
}
