package genexamples

import "slices"

// A Program is a source in programs/src of the examples folder. It is compiled for several targets,
// each at several levels of optimisation.
type Program struct {
	Name    string
	targets []target
	calls   bool // without optimisation, GCN3 needs code object version 4
}

// A Variant is one compilation of a program.
type Variant struct {
	Name   string // name of the program
	Opt    string // "O0", "O1", "O3"
	Target string // "sm_70"; for GCN3 the version of the code object, "v5"
	ptx    string // the requested PTX version; empty for GCN3
}

// GCN3 reports whether the compilation is for GCN3 and not for PTX.
func (b Variant) GCN3() bool { return b.ptx == "" }

// File returns the output, relative to the folder programs.
func (b Variant) File() string {
	if b.GCN3() {
		return "gcn3/" + b.Name + "_" + b.Opt + "_" + b.Target + ".hsaco"
	}
	return "ptx/" + b.Name + "_" + b.Opt + "_" + b.Target + ".ptx"
}

// Variants returns the compilations of a program.
func (p Program) Variants() []Variant {
	var all []Variant
	for _, opt := range []string{"O0", "O1", "O3"} {
		for _, t := range p.targets {
			if p.calls && opt == "O0" && (t.arch == "v5" || t.arch == "v6") {
				continue
			}
			all = append(all, Variant{p.Name, opt, t.arch, t.ptx})
		}
	}
	return all
}

type target struct{ arch, ptx string }

// Programs returns the compiled programs, in a fixed order.
func Programs() []Program {
	v4, v5, v6 := target{"v4", ""}, target{"v5", ""}, target{"v6", ""}
	all := []Program{{Name: "wave64", targets: []target{v4, v5, v6}}}
	for _, p := range programsPTX() {
		// Matrices, printing and the exchanges among the lanes of a warp that only NVIDIA's
		// hardware has are compiled for PTX only.
		if !slices.Contains([]string{"printing", "tensor", "warps", "wmma"}, p.Name) {
			p.targets = append(p.targets, v4, v5, v6)
			// Functions that cannot be inlined have the needs that device.h describes for clang 22.
			p.calls = p.Name == "pointers" || p.Name == "recursion"
		}
		all = append(all, p)
	}
	return all
}

// programsPTX returns the programs that are compiled for PTX.
func programsPTX() []Program {
	sm50, sm70, sm90 := target{"sm_50", "ptx63"}, target{"sm_70", "ptx63"}, target{"sm_90", "ptx85"}
	var all []Program
	for _, name := range []string{
		"arrays", "attention", "bfloat", "chacha20", "compact", "crc32", "doubles", "exchange", "fft", "graph", "half",
		"hashtable", "histogram", "integers", "layernorm", "machine", "mandelbrot", "matmul", "nbody", "pointers", "printing",
		"recursion", "reduce", "scan", "sha256", "softmax", "sort", "stencil", "structs", "text", "transpose",
	} {
		all = append(all, Program{Name: name, targets: []target{sm50, sm70, sm90}})
	}
	// Lanes that wait for lanes of their own warp need independent threads, and matrices need
	// sm_70.
	for _, name := range []string{"locks", "lookback", "wmma"} {
		all = append(all, Program{Name: name, targets: []target{sm70, sm90}})
	}
	// Features of sm_80 and sm_90.
	for _, name := range []string{"tensor", "warps"} {
		all = append(all, Program{Name: name, targets: []target{sm90}})
	}
	return all
}

// programSteps compiles the programs. Without contraction every product and every sum is rounded by
// itself, as in the plain Go that computes the expected results. Debugging information is not
// requested; COMPILER holds clang's name.
func programSteps() []Step {
	var steps []Step
	for _, p := range Programs() {
		for _, b := range p.Variants() {
			step := Step{Source: "programs/src/" + b.Name + ".cu", Output: "programs/" + b.File(), Tool: clang}
			if b.GCN3() {
				// As HIP, without its headers and libraries. Subnormal numbers are kept, as in PTX.
				step.Args = []string{"-x", "hip", "--cuda-device-only", "--offload-arch=gfx803", "-nogpuinc", "-nogpulib",
					"-fno-gpu-flush-denormals-to-zero", "-ffp-contract=off", "-fuse-cuid=none", "--no-gpu-bundle-output",
					"-mcode-object-version=" + b.Target[1:], "-DCODE_OBJECT=" + b.Target[1:], "-" + b.Opt}
				if b.Target != "v5" { // some outputs have names of items that are no kernels, some do not
					step.Args = append(step.Args, "-Xoffload-linker", "-s")
				}
			} else {
				step.Args = []string{"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=" + b.Target,
					"-nocudainc", "-nocudalib", "--cuda-feature=+" + b.ptx, "-fno-verbose-asm", "-ffp-contract=off", "-" + b.Opt, "-S"}
			}
			steps = append(steps, step)
		}
	}
	return steps
}
