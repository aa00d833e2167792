package difftest

import (
	"sync"

	"example.org/crosslane"
	"example.org/crosslane/internal/engine/interp"
	"example.org/crosslane/internal/engine/jit"
	"example.org/crosslane/internal/jit/exec"
	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/sim"
)

// An Engine is one way to run IR, for tests that compare all engines with each other.
type Engine struct {
	Name   string
	Engine sim.Engine
	// Exact is the engine in a mode in which, at every stop, all registers hold the reference's
	// values; nil: Engine already does so.
	Exact sim.Engine
	// Late is the engine in a mode that leaves a launch's first instructions to the interpreter;
	// nil: it does not have that mode.
	Late sim.Engine
	// Spoilt is the engine in a mode that enters machine code often and then scribbles over all
	// registers that the reference is not known to read; nil: it does not have that mode.
	Spoilt sim.Engine
}

// Reference returns the engine that defines the right results.
func Reference() sim.Engine { return interp.Engine{Portable: true} }

// Engines returns the engines and tiers that this machine has, except the reference. Tests take the
// list from here only.
func Engines() []Engine { return engines() }

var engines = sync.OnceValue(func() []Engine {
	l := []Engine{{Name: "interp", Engine: interp.Engine{}}}
	best := exec.Detect().Best
	for _, tier := range []isa.Tier{isa.AVX2, isa.AVX512} {
		if best >= tier {
			l = append(l, Engine{
				Name:   "jit-" + tier.String(),
				Engine: native(jit.Mode{Tier: tier, Eager: true, Passes: true}),
				Exact:  native(jit.Mode{Tier: tier, Eager: true, Exact: true, Wide: true}),
				Late:   native(jit.Mode{Tier: tier, After: 30, Trouble: func(err error) { panic(err) }}),
				Spoilt: native(jit.Mode{Tier: tier, Eager: true, Passes: true, Scribble: true}),
			})
		}
	}
	return l
})

// native makes an engine for a tier of the processor.
func native(m jit.Mode) sim.Engine {
	e, err := jit.New(jit.Options{Mode: m, Code: 2 << 20}) // a random program is run only once
	if err != nil {
		panic("difftest: " + err.Error())
	}
	return e
}

// Choices returns the reference's engine and the other engines in the form in which callers of the
// root package choose them: the fields Engine, Native and Workers of a launch. All other results
// are compared with those of the first.
func Choices() []crosslane.Launch {
	natives := []crosslane.Native{}
	best := exec.Detect().Best
	if best >= isa.AVX2 {
		natives = append(natives, crosslane.NativeAVX2)
	}
	if best >= isa.AVX512 {
		natives = append(natives, crosslane.NativeAVX512)
	}
	var l []crosslane.Launch
	for _, workers := range []int{1, 2} {
		l = append(l, crosslane.Launch{Engine: "interp", Workers: workers})
		for _, n := range natives {
			l = append(l, crosslane.Launch{Engine: "jit", Native: n, Workers: workers})
		}
	}
	return l
}
