package crosslane

import (
	"context"

	"example.org/crosslane/api"
	"example.org/crosslane/internal/recording"
)

// Recordings of launches; package api documents their data.
type (
	RecordOptions   = api.RecordOptions
	RecordingInfo   = api.RecordingInfo
	RecordingData   = api.RecordingData
	RecordedWave    = api.RecordedWave
	RecordedMemory  = api.RecordedMemory
	RecordedFinding = api.RecordedFinding
	Hex             = api.Hex
	Step            = api.Step
	Location        = api.Location
	SourceLine      = api.SourceLine
	RegisterValue   = api.RegisterValue
	MemoryAccess    = api.MemoryAccess
	LaneExchange    = api.LaneExchange
	State           = api.State
	FragmentState   = api.FragmentState
	MemoryRange     = api.MemoryRange
	StepStore       = api.StepStore
	StepQuery       = api.StepQuery
)

// A Recording holds the steps of a launch: what each instruction of the recorded blocks did, and the state of
// registers, lanes and memory before each step. It is for one goroutine at a time. The run is the one that the interpreter
// makes with one worker; the same launch gives the same steps every time.
//
// Errors about a question (a step, a register or a memory that does not exist) are a diag.List with the code "bad-target".
type Recording recording.Recording

func (r *Recording) inner() *recording.Recording { return (*recording.Recording)(r) }

// Record runs the kernel and records the steps of chosen blocks, one step for each instruction that a warp or wave executes.
// The buffers of the launch hold the results of the run then. Launch.Engine, Native and Workers are ignored.
//
// If the run ends with a fault, a deadlock or its timeout, the recording goes up to there, and the end is among its
// findings. The error is that of Run for a launch that does not start, or that of ctx.
func (k *Kernel) Record(ctx context.Context, l Launch, o RecordOptions) (*Recording, error) {
	r, err := recording.Record(ctx, k.inner(), l, o)
	return (*Recording)(r), err
}

// Record records a launch on the device. The memory of the device is as before when Record returns.
func (d *Device) Record(ctx context.Context, k *DeviceKernel, l DeviceLaunch, o RecordOptions) (*Recording, error) {
	r, err := d.inner().Record(ctx, k.inner(), l, o)
	return (*Recording)(r), err
}

// Info describes the recording: its kernel, steps, waves, memories and findings.
func (r *Recording) Info() RecordingInfo { return r.inner().Info() }

// Bounds returns the number of the first step that is kept, and how many are. Steps are numbered in the order of execution,
// in all recorded blocks.
func (r *Recording) Bounds() (first, steps int) { return r.inner().Bounds() }

// StepsOf returns the numbers of the kept steps of a wave, by its index in RecordingInfo.Waves, in order.
func (r *Recording) StepsOf(wave int) ([]int, error) { return r.inner().StepsOf(wave) }

// Step returns a step: its instruction, its lanes, and what it wrote, accessed and exchanged.
func (r *Recording) Step(n int) (*Step, error) { return r.inner().Step(n) }

// StepBrief returns step n without Writes, Access, Exchange and Barrier, and the lanes in which it wrote undefined bits; a scalar
// instruction writes for all its lanes. It takes a small part of the time of Step if the steps of a wave are asked for in order.
func (r *Recording) StepBrief(n int) (s *Step, undefined Hex, err error) {
	return r.inner().StepBrief(n)
}

// StepLanes returns Lanes and Scalar of step n, without the work of Step.
func (r *Recording) StepLanes(n int) (lanes Hex, scalar bool, err error) {
	return r.inner().StepLanes(n)
}

// Code returns the instructions of the kernel, in the order of their offsets, files and lines. Instructions that were not
// executed are among them.
func (r *Recording) Code() []Location { return r.inner().Code() }

// Calls returns the calls that the lanes of step n have not returned from, the innermost first. If the lanes came by several
// ways, those of the lowest lane.
func (r *Recording) Calls(n int) ([]Location, error) { return r.inner().Calls(n) }

// At returns the state of a wave before step n, which may be a step of another wave, or the number after the last step, for
// the end. registers are the names of those that are wanted; none: all.
func (r *Recording) At(n, wave int, registers ...string) (*State, error) {
	return r.inner().At(n, wave, registers...)
}

// Memory returns bytes of memory as they were before step n. RecordingInfo.Memories lists memories.
func (r *Recording) Memory(n int, m MemoryRange) ([]byte, error) { return r.inner().Memory(n, m) }

// LastWrite returns the last step before step n that wrote a lane of a register of a wave; -1: none is kept that did. A
// scalar register has all lanes.
func (r *Recording) LastWrite(n, wave int, register string, lane int) (int, error) {
	return r.inner().LastWrite(n, wave, register, lane)
}

// NextWrite returns the first step from step n on, n included, that writes a lane of a register of a wave; -1: none is kept
// that does.
func (r *Recording) NextWrite(n, wave int, register string, lane int) (int, error) {
	return r.inner().NextWrite(n, wave, register, lane)
}

// LastStore returns the last store before step n to any of some bytes of memory; ok is false if none is kept. To private memory only
// the lane that has it stores.
func (r *Recording) LastStore(n int, m MemoryRange) (s StepStore, ok bool, err error) {
	return r.inner().LastStore(n, m)
}

// Find returns the numbers of the steps that a query selects, in order.
func (r *Recording) Find(ctx context.Context, q StepQuery) ([]int, error) {
	return r.inner().Find(ctx, q)
}

// Why explains what step n wrote in a lane, as Kernel.Why does: the registers, or the value that it stored. If the value
// comes from blocks that are not recorded, the launch runs again.
func (r *Recording) Why(ctx context.Context, n, lane int) (*Provenance, error) {
	return r.inner().Why(ctx, n, lane)
}

// Around records the launch again so that step n is kept, with steps before and after it: for steps that the bounds
// left out. r stays as it is. A launch on a device cannot be recorded again.
func (r *Recording) Around(ctx context.Context, n int) (*Recording, error) {
	x, err := r.inner().Around(ctx, n)
	return (*Recording)(x), err
}

// Data returns the steps from one on up to another, without it, in the form of JSON: schema crosslane.record/1. to 0 stands for
// the end.
func (r *Recording) Data(from, to int) (*RecordingData, error) { return r.inner().Data(from, to) }

// Digest is a number that differs if the kept steps do: their instructions, lanes and results. It tells whether another version
// of Crosslane runs the launch in the same way.
func (r *Recording) Digest() Hex { return r.inner().Digest() }
