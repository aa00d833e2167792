// Package alloc is the register allocator: it gives the virtual registers of package lir
// machine registers or, if there are too few, slots of the frame.
//
// Input: a list of instructions on virtual registers (lir.Func), and a tier.
// Output: a list on machine registers; the place of each virtual register, and where it lives
// (Result).
// Invariant: a virtual register has one place for its whole life. Two registers that live at
// one position have different places, unless one is a copy of the other (share).
// Example: v1 lives at positions 0 to 9 and 20 to 30, v2 at 10 to 19. Both may get rcx. If v1
// gets no register, its occurrences become memory operands, or loads and stores.
//
// Liveness is exact, or slightly too long: ranges of positions in the list, with holes.
// Registers that live at different positions may share a place, regardless of the control
// flow between them. So no value moves on an edge, and at an exit the place of a value
// follows from its name alone. A value that is in a slot may also be in a register for a part
// of a block: see stay. A copy may have the place of its original: see share.
//
// The code that runs most often gets registers first. An operand without a register becomes a
// memory operand if the instruction has a form with one. If not, it passes through scratch
// registers that are reserved for this; if these do not suffice, through registers that are
// saved and restored around the instruction.
//
// Literature: Traub, Holloway and Smith, Quality and speed in linear-scan register allocation
// (PLDI 1998); Chow and Hennessy, The priority-based coloring approach to register allocation
// (TOPLAS 1990).
package alloc

import (
	"errors"
	"fmt"
	"unsafe"

	"example.org/crosslane/internal/jit/isa"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// registers returns the registers that the allocator gives away. RBX is the frame, R14 and
// R15 are the counters and the active lanes, and RAX and RDX belong to instruction selection.
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

// scratch returns the registers for operands on their way from and to memory. An instruction
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

// Run allocates the registers of fn, and does not change fn.
func Run(fn *lir.Func, tier isa.Tier) (*Result, error) { return new(Scratch).Run(fn, tier) }

// Scratch is memory that successive allocations reuse.
type Scratch struct {
	hurry    bool // for tests: liveness gives up at once
	out      []x64.Inst
	where    []x64.Reg
	slot     []int32
	occupied []set
	blocks   lir.Blocks
	freq     []float32
	useMemory
	lifeMemory
	orderMemory
	shareMemory
	stayMemory
	parkMemory
	resultMemory
	entryLoads []entryLoad
}

// useMemory is the memory of collect.
type useMemory struct {
	uses   []use
	order  []int32
	list   []occurrence
	copies []int32
	moves  []int32
	looks  []uint64
	fixed  [x64.Virtual][]occurrence
}

// lifeMemory is the memory of liveness.
type lifeMemory struct {
	spans    []interval
	owners   []int32
	lives    []life
	follower follower
	followed []followed
	dirty    []uint64
	before   []float64
	entered  []float32
}

// orderMemory is the memory of the assigner, for the order in which virtual registers get their places.
type orderMemory struct {
	demand  []wanted
	rates   []float32
	wide    []candidate
	keys    []uint64
	locals  []int32
	sorted  []int32
	late    []int32
	slotted []int32
	failed  []int32
}

// shareMemory is the memory of share.
type shareMemory struct {
	origin []int32
	shares []int32
}

// stayMemory is the memory of the search for stays.
type stayMemory struct {
	stays       []stay
	sortedStays []stay
	spilled     []int32
	begun       []int32
	held        []bool
}

// parkMemory is the memory of the search for places to park registers.
type parkMemory struct {
	parked []uint64
	bits   []int32
}

// resultMemory is the memory of the questions that a Result answers.
type resultMemory struct {
	which    []int32
	liveFrom []int32
	crossing []int32
	liveRegs []x64.Reg
}

// Size returns the approximate number of bytes of memory that are kept.
func (m *Scratch) Size() int {
	return cap(m.out)*int(unsafe.Sizeof(x64.Inst{})) + 8*cap(m.occupied) +
		cap(m.uses)*int(unsafe.Sizeof(use{})) + cap(m.lives)*int(unsafe.Sizeof(life{}))
}

// Reuse lets the code of the next result lie in the memory of list.
func (m *Scratch) Reuse(list []x64.Inst) { m.out = list }

// Run is like the function Run. The result is valid until the next call.
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
	// The order matters: fixed registers are reserved first, then liveness gives the ranges,
	// copies are merged, and registers are assigned; stays use the registers that remain.
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

// lengths holds the possible register lengths of each class, or-ed.
var lengths = [...]uint8{x64.GPR: 4 | 8, x64.Vec: 16 | 32 | 64, x64.Mask: 8}

// check validates the description of the virtual registers.
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
