// Package alloc gives the virtual registers of package lir machine registers or, where
// there are too few, slots of the frame.
//
// A virtual register has one place for all its life. Where it lives is known exactly, or
// too long by little: as ranges of positions in the list, with holes. What lives at
// different positions may share a place, whatever the control flow between them. So no
// value moves on an edge, and at an exit the place of a value follows from its name alone.
// What is in a slot may be in a register as well for a part of a block: see stay. A copy
// may have the place of its original: see share.
//
// Registers are given to the most often run code first. Operands that have no register
// are operands in memory where the instruction has a form with one, and otherwise pass
// through scratch registers that nothing else uses, or, if those do not suffice, through
// some that are saved and put back around the instruction.
package alloc

import (
	"errors"
	"fmt"
	"unsafe"

	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// registers is those that the allocator gives away. RBX is the frame, R14 and R15 are the
// counters and active lanes, RAX and RDX belong to instruction selection.
func registers(t isa.Tier, c x64.Class) (s set) {
	switch c {
	case x64.GPR:
		return bit(x64.RCX) | bit(x64.RSI) | bit(x64.RDI) | bit(x64.R8) | bit(x64.R9) | bit(x64.R12) | bit(x64.R13)
	case x64.Vec:
		if t == isa.AVX512 {
			return (1<<31 - 1) << x64.V0
		}
		return (1<<15 - 1) << x64.V0
	case x64.Mask:
		return (1<<6 - 1) << (x64.K0 + 1)
	}
	return 0
}

// scratch is the registers for operands on their way from and to memory. An instruction
// that needs more borrows some.
func scratch(t isa.Tier, c x64.Class) []x64.Reg {
	switch c {
	case x64.GPR:
		return scratchGPR[:]
	case x64.Vec:
		return scratchVec[t][:]
	}
	return scratchMask[:]
}

var (
	scratchGPR  = [...]x64.Reg{x64.R10, x64.R11}
	scratchVec  = [...][1]x64.Reg{isa.AVX2: {x64.V0 + 15}, isa.AVX512: {x64.V0 + 31}}
	scratchMask = [...]x64.Reg{x64.K0 + 7}
)

// Run allocates the registers of fn, which it does not change.
func Run(fn *lir.Func, tier isa.Tier) (*Result, error) { return new(Scratch).Run(fn, tier) }

// Scratch is memory that allocations use one after the other.
type Scratch struct {
	hurry       bool // liveness gives up at once: for tests
	out         []x64.Inst
	where       []x64.Reg
	occupied    []set
	uses        []use
	order       []int32
	list        []occurrence
	copies      []int32
	moves       []int32
	spans       []interval
	owners      []int32
	lives       []life
	follower    follower
	followed    []followed
	dirty       []uint64
	before      []float64
	demand      []wanted
	rates       []float32
	freq        []float32
	entered     []float32
	wide        []candidate
	keys        []uint64
	locals      []int32
	sorted      []int32
	late        []int32
	slotted     []int32
	entryLoads  []entryLoad
	slot        []int32
	failed      []int32
	stays       []stay
	sortedStays []stay
	spilled     []int32
	begun       []int32
	looks       []uint64
	held        []bool
	blocks      lir.Blocks
	parked      []uint64
	bits        []int32
	which       []int32
	liveFrom    []int32
	crossing    []int32
	liveRegs    []x64.Reg
	fixed       [x64.Virtual][]occurrence
	origin      []int32
	shares      []int32
}

// Size is about how many bytes of memory are kept.
func (m *Scratch) Size() int {
	return cap(m.out)*int(unsafe.Sizeof(x64.Inst{})) + 8*cap(m.occupied) +
		cap(m.uses)*int(unsafe.Sizeof(use{})) + cap(m.lives)*int(unsafe.Sizeof(life{}))
}

// Reuse says that the next result's code may lie where list is.
func (m *Scratch) Reuse(list []x64.Inst) { m.out = list }

// Run is like the function Run. The result is there up to the next call only.
func (m *Scratch) Run(fn *lir.Func, tier isa.Tier) (*Result, error) {
	if tier != isa.AVX2 && tier != isa.AVX512 {
		return nil, errors.New("alloc: no such tier")
	}
	if err := check(fn); err != nil {
		return nil, err
	}
	b, err := m.blocks.Cut(fn)
	if err != nil {
		return nil, err
	}
	a := &assigner{mem: m, fn: fn, occ: newOccupancy(m, len(fn.Code)), where: lir.Cleared(&m.where, len(fn.VRegs))}
	for c := range a.may {
		a.may[c] = registers(tier, x64.Class(c))
	}
	freq := frequencies(m, fn, b)
	if a.u, err = collect(m, fn, b, freq, a.may[x64.GPR]|a.may[x64.Vec]|a.may[x64.Mask]); err != nil {
		return nil, err
	}
	a.reserve(b)
	a.r = liveness(m, fn, b, a.u, freq)
	entries := make([]int32, 0, 64)
	for k, e := range b.Entry {
		if at := b.Start[k]; e && fn.Code[at].Op == x64.ENTRY {
			entries = append(entries, at)
		} else if e {
			entries = append(entries, at+1)
		}
	}
	a.share(freq, b)
	a.all(entries, freq, b)
	a.inherit()
	r := &Result{mem: m, fn: fn, u: a.u, b: b, where: a.where, slot: lir.Cleared(&m.slot, len(fn.VRegs)), ranges: a.r}
	r.Frame = a.slots(r.slot)
	stays := a.stays(b)
	w := &rewriter{mem: m, fn: fn, where: a.where, slot: r.slot, uses: a.u.all, tier: tier, free: fn.Slots + r.Frame, stays: stays}
	for _, v := range a.u.order {
		if a.where[v] == 0 {
			w.extra += len(a.u.of(v))
		}
		if g := &fn.VRegs[v]; g.Class == x64.Vec {
			w.longest = max(w.longest, g.Len)
		}
	}
	if err := w.all(entryLoads(fn, a, entries)); err != nil {
		return nil, err
	}
	r.Code, r.Stats = w.out, w.stats
	m.out = w.out
	r.Frame += 64 * int32(w.most)
	return r, nil
}

// lengths are those of the registers of each class, or-ed.
var lengths = [...]uint8{x64.GPR: 4 | 8, x64.Vec: 16 | 32 | 64, x64.Mask: 8}

// check looks at what is said about the virtual registers.
func check(fn *lir.Func) error {
	for i := range fn.VRegs {
		v := &fn.VRegs[i]
		if v.Class > x64.Mask || v.Len&^lengths[v.Class] != 0 || v.Len == 0 || v.Len&(v.Len-1) != 0 {
			return fmt.Errorf("alloc: register %d has %d bytes of class %d", i, v.Len, v.Class)
		}
		if v.Const < 0 || int(v.Const) > len(fn.Pool) {
			return fmt.Errorf("alloc: register %d is constant %d of %d", i, v.Const-1, len(fn.Pool))
		}
	}
	return nil
}
