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

// An Engine is one way to run IR, for tests that hold all of them against each other.
type Engine struct {
	Name   string
	Engine sim.Engine
	// Exact is the engine with all registers as the reference has them wherever it stops;
	// nil: Engine is so.
	Exact sim.Engine
	// Late is the engine with a launch's first instructions left to the interpreter; nil:
	// there is no such thing.
	Late sim.Engine
	// Spoilt is the engine with nonsense in all registers that the reference is not known to
	// read where it takes over, which it does often; nil: there is no such thing.
	Spoilt sim.Engine
}

// Reference is the engine that defines what is right.
func Reference() sim.Engine { return interp.Engine{Portable: true} }

// Engines are the engines and tiers that this machine has, but for the reference. It is
// the one list of them: tests take it from here.
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

// native makes an engine; the processor has its tier.
func native(m jit.Mode) sim.Engine {
	e, err := jit.New(jit.Options{Mode: m, Code: 2 << 20}) // random programs are run but once
	if err != nil {
		panic("difftest: " + err.Error())
	}
	return e
}

// Choices are the reference's engine and the others as callers of the root package choose
// them: the fields Engine, Native and Workers of a launch. The first is what the others
// are compared with.
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
