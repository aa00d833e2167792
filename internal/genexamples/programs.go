package genexamples

// A Program is a source in programs/src of the examples folder that is compiled for
// several targets, at several levels of optimisation each.
type Program struct {
	Name    string
	targets []target
}

// A Variant is one compilation of a program.
type Variant struct {
	Name   string // of the program
	Opt    string // "O0", "O1", "O3"
	Target string // "sm_70"
	ptx    string // the PTX version asked for
}

// File is the output, relative to the folder programs.
func (b Variant) File() string { return "ptx/" + b.Name + "_" + b.Opt + "_" + b.Target + ".ptx" }

// Variants are the compilations of a program.
func (p Program) Variants() []Variant {
	var all []Variant
	for _, opt := range []string{"O0", "O1", "O3"} {
		for _, t := range p.targets {
			all = append(all, Variant{p.Name, opt, t.arch, t.ptx})
		}
	}
	return all
}

type target struct{ arch, ptx string }

// Programs returns what is compiled, in a fixed order.
func Programs() []Program {
	sm50, sm70, sm90 := target{"sm_50", "ptx63"}, target{"sm_70", "ptx63"}, target{"sm_90", "ptx85"}
	var all []Program
	for _, name := range []string{
		"arrays", "attention", "bfloat", "chacha20", "compact", "crc32", "doubles", "exchange", "fft", "graph", "half",
		"hashtable", "histogram", "integers", "layernorm", "machine", "mandelbrot", "matmul", "nbody", "pointers", "printing",
		"recursion", "reduce", "scan", "sha256", "softmax", "sort", "stencil", "structs", "text", "transpose",
	} {
		all = append(all, Program{name, []target{sm50, sm70, sm90}})
	}
	// Lanes that wait for lanes of their own warp need independent threads, and matrices sm_70.
	for _, name := range []string{"locks", "lookback", "wmma"} {
		all = append(all, Program{name, []target{sm70, sm90}})
	}
	// What sm_80 and sm_90 brought.
	for _, name := range []string{"tensor", "warps"} {
		all = append(all, Program{name, []target{sm90}})
	}
	return all
}

// programSteps compiles the programs. Without contraction every product and every
// sum is rounded by itself, as the plain Go that results are compared with does.
// Debugging information is not asked for; what clang names itself is in COMPILER.
func programSteps() []Step {
	var steps []Step
	for _, p := range Programs() {
		for _, b := range p.Variants() {
			steps = append(steps, Step{
				Source: "programs/src/" + b.Name + ".cu", Output: "programs/" + b.File(), Tool: clang,
				Args: []string{"-x", "cuda", "--cuda-device-only", "--cuda-gpu-arch=" + b.Target,
					"-nocudainc", "-nocudalib", "--cuda-feature=+" + b.ptx, "-fno-verbose-asm", "-ffp-contract=off", "-" + b.Opt, "-S"},
			})
		}
	}
	return steps
}
