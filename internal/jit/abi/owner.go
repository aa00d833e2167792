package abi

import (
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/jit/webs"
)

// Kind says which part of a web a virtual register holds.
type Kind uint8

// The kinds of parts.
const (
	NoPart  Kind = iota
	Unit         // some lanes
	Splat        // the value of every lane, in every element
	Single       // the value of every lane
	Base         // the value of lane 0; the values of the other lanes follow by steps
	RowBase      // the value of the first lane of tile row Unit; the other lanes of the row follow by steps
	Lanes        // a mask of lanes
	Limit        // belongs to no web: Go sets it to 0 if the interpreter has run.
)

// An Owner says which part of which web a virtual register holds. If Web is 0, the
// register is of no concern to Go.
type Owner struct {
	Web  webs.Web
	Unit int32
	Of   int32 // for Unit: how many units there are; lanes after them repeat their values
	Kind Kind
	// Raw: a float result with visible bits, its NaNs not canonical yet. Go makes them
	// canonical in the frame slot. Unobserved NaNs are left alone, in the frame slot
	// too: the bits may belong to an affine integer, or to another web in the same
	// register.
	Raw   bool
	Steps shape.Steps // for Base
}
