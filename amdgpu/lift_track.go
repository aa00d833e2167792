package amdgpu

import "example.org/crosslane/internal/ir"

// This file holds the interface between a lift and the observer of waves. Package hazard implements
// the observer: it follows results that have not arrived, and wait states. So the lifter knows
// nothing about the rules of waits.

// A Tracker adds observations to the code that is being lifted. The number of an instruction is its
// index in Program.Insts.
type Tracker interface {
	// Observe emits the observation of the wave before or after instruction i, if one is needed.
	Observe(i int, after bool)
	// Lifted may change the operations of instruction i, which begin at index start of ir.Func.Code.
	Lifted(i, start int)
	// Overtaken reports whether instruction i+1 overwrites the data of the store i before the store
	// has read it. The two are then lifted in the other order.
	Overtaken(i int) bool
}

// A Lifting is a lift in progress, as a Tracker sees it.
type Lifting struct{ x *lifter }

// Builder returns the builder of the function.
func (l Lifting) Builder() *ir.Builder { return l.x.b }

// Code returns the code that is lifted.
func (l Lifting) Code() Code { return l.x.code }

// Target returns the chip.
func (l Lifting) Target() *Target { return l.x.t }

// Program returns its instructions.
func (l Lifting) Program() *Program { return l.x.prog }

// Late is LiftOptions.Late.
func (l Lifting) Late() bool { return l.x.opt.Late }

// Files returns the frame offsets of s0 and v0.
func (l Lifting) Files() (sgpr, vgpr uint32) { return l.x.sgpr, l.x.vgpr }

// SGPR returns a scalar register, or an aligned pair of them as one value, by its code.
func (l Lifting) SGPR(r uint16, dwords int) ir.Ref { return l.x.sreg(r, dwords) }

// VGPR returns a vector register.
func (l Lifting) VGPR(r uint16) ir.Ref { return l.x.vreg(r) }

// SCC returns the scalar condition code.
func (l Lifting) SCC() ir.Ref { return l.x.scc }

// Exec returns EXEC as a mask.
func (l Lifting) Exec() ir.Ref { return l.x.exec }

// Mode returns the MODE register.
func (l Lifting) Mode() ir.Ref { return l.x.modeReg() }

// Indexing returns the state of GPR indexing before the instruction at an offset; it is off if the
// paths that lead there disagree.
func (l Lifting) Indexing(off int64) IndexState {
	if s, ok := l.x.modes[off]; ok && s.idx != IndexUnknown {
		return s.idx
	}
	return IndexOff
}

// observe lets the tracker, if there is one, observe instruction i.
func (x *lifter) observe(i int, after bool) {
	if x.tracker != nil {
		x.tracker.Observe(i, after)
	}
}

// overtake emits a store and the instruction after it in the other order, so that the store reads
// the value that the instruction has written. A branch to the second instruction finds it in its
// place.
func (x *lifter) overtake(code Code, insts []Decoded, i int) error {
	store, over := &insts[i], &insts[i+1]
	x.observe(i, false)
	pos := x.enter(code, over)
	x.observe(i+1, false)
	if err := x.one(code, over, pos, i+1); err != nil {
		return err
	}
	x.observe(i+1, true)
	pos = x.enter(code, store)
	if err := x.one(code, store, pos, i); err != nil {
		return err
	}
	x.observe(i, true)
	if _, ok := x.labels[over.Off]; !ok {
		x.done = true
		return x.rest(insts, i+1, pos)
	}
	x.b.SBra(x.label(over.Next), 0, false)
	return nil
}
