// Package sel selects machine instructions. Package shape has found out how each value
// looks over the lanes; sel turns the operations of a kernel into instructions of
// package lir.
//
// A rule says how one operation is done: for as many lanes as a vector register holds
// (vrule), or once for the wave (grule). Only the tables of rules name operations. An
// operation without a rule is a call-out: the code exits, the interpreter does the
// operation, and the code goes on after it.
//
// Selection has three phases: plan chooses a place for each web and a way for each
// operation; code emits the instructions of all blocks; then the list is improved: by
// package peephole (Combine, EliminateDead, Loads, Compact), by pieces, and by coarsening. All
// registers that hold guest values are virtual; package alloc assigns machine registers
// later.
package sel

import (
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/peephole"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// Scratch is memory that selections use, one after another.
type Scratch struct {
	code, routines []x64.Inst
	vregs          []lir.VReg
	fills          []int32
	pool           []lir.Const
	places         []place
	wants          []want
	flags          []bool
	ints           []int32
	costs          []float32
	consts         map[constKey]x64.Reg
	edges          [2][][2]webs.Web // see nanPlacement
	copyOf         []webs.Web
	dead           []bool
	piecer         lir.Piecer
	pieces         []uint16
	peephole       peephole.Scratch
	hows           []how     // by operation: the way, plus 1
	known          knowledge // the registers' contents where control parted in the block in hand: see lowering.known
	inSlot         []ir.Ref

	stateMemory
	sinking sinking

	// Most is about how many instructions there may be; 0 means no limit. See
	// abi.Code.TooLarge.
	Most int
	// Verify, if not nil, sees the list after each step of Select. Tests set it.
	Verify func(step string, fn *lir.Func)
}

// stateMemory is the memory for the frame states of a selection.
type stateMemory struct {
	states    []lir.State
	stateRegs []x64.Reg
	recipes   []abi.Recipe
	lists     []int32
}

// Size is about how many bytes of memory m keeps.
func (m *Scratch) Size() int {
	return (cap(m.code)+cap(m.routines))*int(unsafe.Sizeof(x64.Inst{})) + cap(m.vregs)*int(unsafe.Sizeof(lir.VReg{})) + cap(m.recipes)*int(unsafe.Sizeof(abi.Recipe{})) + 4*(cap(m.lists)+cap(m.stateRegs))
}

// place is where a web lives. plan decides which of the fields are set; a web may have
// several forms at once, and each definition writes all of them.
type place struct {
	units  x64.Reg // first of n consecutive virtual registers of lanes
	n      int32   // if the type has more units, those would repeat these
	splat  x64.Reg
	gpr    x64.Reg // single value, base, or mask of lanes
	raw    bool
	seen   bool // for a float that could be raw: the bits of its NaNs are visible
	affine bool
	steps  shape.Steps
	slot   bool // lives in its frame slot
	// bases is the first of as many general registers as there are tile rows; each
	// holds the value of a row's first lane (see findRowBases). If it is set, the web
	// has no other form.
	bases x64.Reg
	rows  int32
}

// registers yields the virtual registers of the place, for range loops.
func (p *place) registers(yield func(x64.Reg) bool) {
	for u := range p.n {
		if !yield(p.units + x64.Reg(u)) {
			return
		}
	}
	for r := range p.rows {
		if !yield(p.bases + x64.Reg(r)) {
			return
		}
	}
	for _, r := range [2]x64.Reg{p.splat, p.gpr} {
		if r != 0 && !yield(r) {
			return
		}
	}
}

// actsFor caches the result of writeMask for an operation, or for one of several that
// are done together.
type actsFor struct {
	at  int // the first of them, plus 1; 0: nothing is cached
	m   x64.Reg
	all bool
}

// constKey identifies a constant that a virtual register holds: its bits, the size of
// its elements, the length of the register in bytes, and whether that is a general
// register.
type constKey struct {
	bits uint64
	size uint8
	len  uint8
	gpr  bool
}

// maskEntry says that vector or mask register k holds chunk c of the mask of lanes in
// src: l lanes with e bytes each. If under is not 0, only the lanes in the mask of that
// web are included.
type maskEntry struct {
	src   x64.Reg
	l, e  uint8
	c     int32
	k     x64.Reg
	under webs.Web
}

// bcastEntry says that every element of vector register v holds the e bytes of general
// register src.
type bcastEntry struct {
	src x64.Reg
	e   uint8
	v   x64.Reg
}
