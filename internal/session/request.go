package session

import (
	"example.org/crosslane/api"
	"example.org/crosslane/diag"
	"example.org/crosslane/internal/check/race"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/sim"
)

// Launch is a launch of the API with the requests of the features that run it.
type Launch struct {
	api.Launch

	// On is the module of the kernel in memory that outlives the launch; nil: the launch has memory of its
	// own. Params, if not nil, is the parameter block of such a launch instead of Args.
	On     *Placed
	Params []byte
	// Raced, if set, receives the accesses of a launch that looks for races, after the run.
	Raced      func(r Ranger, fn *ir.Func)
	Unscreened bool // Check does not screen it
	Listed     bool // Raced asks for the accesses at once: Check does not put the list off
	// Screening runs the kernel in its screening form; nil: as it is.
	Screening *Screening
	// Detected, if set, receives the detector, too, but does not make it remember more.
	Detected func(d *race.Detector)

	Dump *Dump // a form of the kernel instead of a run; see Kernel.Dump

	// Requests of Check.
	Origins  []int32 // see sim.Launch.Origins
	Ways     int     // see sim.Launch.Ways
	Noted    func(*diag.Diagnostic, int32)
	Finished func(mem *Memory) diag.List // findings after a run without an error; may be nil
	Waits    bool                        // report blocks that wait for later ones

	// Requests of the further runs of Check.
	Limit  uint64    // instructions of warps; 0: none
	Look   *sim.Look // bytes to watch, in LookAt
	LookAt *api.Buffer

	StuckAfter uint64 // see sim.Launch.StuckAfter

	// Stalled is that of sim.Launch. The further runs of Check have none.
	Stalled func() sim.HostState
}

// A Ranger knows the bytes of global memory that a launch accessed: see race.Detector.
type Ranger interface {
	Ranges(yield func(a *sim.Alloc, r race.Range))
}

// A LateRanger is a Ranger that may be asked later, as long as no other launch has run in the memory.
type LateRanger interface {
	Ranger
	// Late reports whether it may.
	Late() bool
	// Accessed yields the allocations of which Ranges may have something to say.
	Accessed(yield func(a *sim.Alloc) bool)
}

// orderOf is a schedule as the simulator takes it.
func orderOf(s api.Schedule) (sim.Schedule, error) {
	if err := s.Check(); err != nil {
		return sim.Schedule{}, err
	}
	seed, random := s.Seed()
	return sim.Schedule{Reversed: s == api.Reversed, Random: random, Seed: seed}, nil
}
