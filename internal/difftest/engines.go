package difftest

import (
	"crosslane/internal/engine/interp"
	"crosslane/internal/sim"
)

// An Engine is one way to run IR, for tests that hold all of them against each other.
type Engine struct {
	Name   string
	Engine sim.Engine
	// Exact is the engine with all registers as the reference has them wherever it stops;
	// nil: Engine is so.
	Exact sim.Engine
}

// Reference is the engine that defines what is right.
func Reference() sim.Engine { return interp.Engine{Portable: true} }

// Engines are the engines and tiers that this machine has, but for the reference. It is
// the one list of them: tests take it from here.
func Engines() []Engine {
	return []Engine{{Name: "interp", Engine: interp.Engine{}}}
}
