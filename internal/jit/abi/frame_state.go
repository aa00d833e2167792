package abi

import (
	"iter"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// This file describes frame states: how Go rebuilds the values of the guest when it enters the
// interpreter, and which registers it fills when it enters machine code.
//
// Input: the place of each web, from package sel.
// Output: Locations (Go fills registers by them), and Recipes (Go writes frame slots by them).
// Invariant: the registers of a state's recipes are operands of the STATE instruction at its place.
// Example: %r1 is affine with its base in virtual register 7 and stride 4. Its recipe is: frame slot
// of %r1, lane i = register 7 + 4i.
// Literature: Hölzle, Chambers and Ungar, dynamic deoptimization (PLDI 1992).

// Kind says how the lanes of a value follow from a register.
type Kind uint8

// The kinds.
const (
	_       Kind = iota
	Unit         // some lanes, one per element
	Splat        // the value of every lane, in every element
	Single       // the value of every lane
	Base         // the value of lane 0; the values of the other lanes follow by steps
	RowBase      // the value of the first lane of tile row Unit; the other lanes of the row follow by steps
	Lanes        // a mask of lanes
	Known        // of a Recipe: there is no register, because lane 0 holds Number
	Repeat       // of a Recipe: Go does operation Inst, after it has followed the other recipes
)

// A Location says which lanes of a web a virtual register holds.
type Location struct {
	Reg  x64.Reg
	Kind Kind
	// Raw: a float result with visible bits, its NaNs not canonical yet. Go makes them
	// canonical in the frame slot. Unobserved NaNs are left alone, in the frame slot
	// too: the bits may belong to an affine integer, or to another web in the same
	// register.
	Raw   bool
	Type  ir.Type // of the elements of the register
	Unit  int32
	Of    int32       // of Unit: how many units there are; lanes after them repeat their values
	Steps shape.Steps // of Base and RowBase
}

// A Recipe is a rematerialisation recipe: Go writes lanes of a frame slot, from a register or from a
// known number, or it repeats an operation.
type Recipe struct {
	Location
	Ref    ir.Ref // the value that has the frame slot
	Shift  uint8  // a lane of the slot is the number that the location gives, shifted right by so many bits
	Number uint64 // of Known
	Inst   int32  // of Repeat: index in Func.Code
}

// A State is a frame state: the recipes Recipes[i] for i of Lists[From:To]. The zero State has none.
type State struct{ From, To int32 }

// FrameStates are the frame states of a Code.
type FrameStates struct {
	Recipes []Recipe
	Lists   []int32   // indices of Recipes
	States  []State   // by block: the values that its lanes need at its start
	Limits  []x64.Reg // Go sets these registers to 0 whenever it fills the constants of a block
	// Locations yields the registers that hold a web.
	Locations func(w webs.Web) iter.Seq[Location]
}
