package nvvm

import (
	"strconv"
	"strings"
)

// Options are the options of nvvmCompileProgram.
type Options struct {
	SM       int // of -arch=compute_SM
	Opt      int // -opt
	Debug    bool
	FMA, FTZ bool
	PrecDiv  bool // division of float is that of IEEE 754
	PrecSqrt bool
}

// defaultSM is the architecture if none is given, as in libnvvm of the toolkit 12.
const defaultSM = 52

// ParseOptions reads options. One that is not known is an Error with its name.
func ParseOptions(words []string) (Options, error) {
	o := Options{SM: defaultSM, Opt: 3, PrecDiv: true, PrecSqrt: true}
	fma := ""
	for _, w := range words {
		name, value, _ := strings.Cut(w, "=")
		good := true
		flag := func(at *bool) { *at, good = value == "1", value == "0" || value == "1" }
		switch name {
		case "-arch":
			n, err := strconv.Atoi(strings.TrimPrefix(value, "compute_"))
			o.SM, good = n, strings.HasPrefix(value, "compute_") && err == nil && n > 0
		case "-opt":
			n, err := strconv.Atoi(value)
			o.Opt, good = n, err == nil && n >= 0 && n <= 3
		case "-ftz":
			flag(&o.FTZ)
		case "-fma":
			flag(&o.FMA)
			fma = value
		case "-prec-div":
			flag(&o.PrecDiv)
		case "-prec-sqrt":
			flag(&o.PrecSqrt)
		case "-g":
			o.Debug, good = true, w == name
		case "-generate-line-info", "-gen-lto":
			// The metadata of the module decides. Code for link-time optimisation is PTX, too.
			good = w == name
		default:
			return o, failf(invalidOption, "crosslane: the option %s of libnvvm is not supported", w)
		}
		if !good {
			return o, failf(invalidOption, "crosslane: the option %s does not have a value that libnvvm knows", w)
		}
	}
	// Without optimisation the default is to keep each operation.
	if fma == "" {
		o.FMA = o.Opt > 0
	}
	return o, nil
}

// level is the level of optimisation, for opt and llc.
func (o Options) level() string { return "-O" + strconv.Itoa(o.Opt) }

// generator returns the options of llc.
func (o Options) generator() []string {
	number := func(b bool, yes, no string) string {
		if b {
			return yes
		}
		return no
	}
	list := []string{
		"-dwarf-directory=false", // a .file of PTX has one name
		"-nvptx-fma-level=" + number(o.FMA, "1", "0"),
		"-nvptx-prec-divf32=" + number(o.PrecDiv, "2", "1"), // 1: div.full
		"-nvptx-prec-sqrtf32=" + number(o.PrecSqrt, "1", "0"),
	}
	if o.FTZ {
		list = append(list, "-denormal-fp-math-f32=preserve-sign")
	}
	return list
}

// squareRoot is the intrinsic for square roots of float.
func (o Options) squareRoot() string {
	switch {
	case !o.PrecSqrt && o.FTZ:
		return "sqrt.approx.ftz.f"
	case !o.PrecSqrt:
		return "sqrt.approx.f"
	case o.FTZ:
		return "sqrt.rn.ftz.f"
	}
	return "sqrt.rn.f"
}

// inlined is the definition in intrinsics.ll, after crosslane.nvvm, of a function that is replaced by instructions; "": the
// call stays.
func (o Options) inlined(name string) string {
	ftz := ""
	if o.FTZ {
		ftz = ".ftz"
	}
	switch name {
	case "llvm.sqrt.f32", "__nv_sqrtf":
		return o.squareRoot()
	case "__nv_fmaxf", "__nv_fminf":
		return name[len("__nv_"):len(name)-1] + ftz + ".f"
	case "__nv_fmax", "__nv_fmin":
		return name[len("__nv_"):] + ".d"
	}
	if o.FTZ {
		return name
	}
	return ""
}
