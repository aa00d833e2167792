package shape

import (
	"math/bits"

	"example.org/crosslane/lane"
)

// This file handles tile rows. Blocks are often narrower than a wave, 16 by 16 lanes for
// instance. A wave then covers some rows of the block. A value that is affine in the
// coordinates of the block is affine inside each tile row, with another step from tile row to
// tile row. A tile row has a power of two of lanes. If masks and shifts cut a one-dimensional
// block into rows, these are tile rows, too.
//
// Input: the stride inside tile rows, the step between them, and the logarithm of their
// length.
// Output: Steps, and operations on shapes with tile rows.
// Invariant: lane i is in tile row i>>Tile, at position i&(1<<Tile-1).
// Example: in a block of 16 by 16 lanes, y*width + x with constant width has Stride 1, Step
// width, Tile 4. If only the launch has the width, the step is unknown: the value is Varying
// with Tile 4, affine inside tile rows only.

// Steps gives the distance of each lane of an affine value from lane 0.
type Steps struct {
	Stride uint64 // from lane to lane, inside tile rows if there are any
	Step   uint64 // from tile row to tile row
	Tile   uint8  // tile rows have 1<<Tile lanes; 0: there are none
}

// At returns the distance of lane i from lane 0.
func (s Steps) At(i int) uint64 {
	if s.Tile == 0 {
		return s.Stride * uint64(i)
	}
	return s.Stride*(uint64(i)&(1<<s.Tile-1)) + s.Step*(uint64(i)>>s.Tile)
}

// TileRow returns the lanes of tile row r.
func (s Steps) TileRow(r int) lane.Mask { return lane.All(1<<s.Tile) << uint(r<<s.Tile) }

// Ends returns the least and the greatest signed distance of any lane from lane 0, for steps
// that are numbers of a type with the given bits. The steps must be small.
func (s Steps) Ends(size uint64, lanes int) (least, greatest int64) {
	within, across := lanes-1, 0
	if s.Tile > 0 {
		within, across = 1<<s.Tile-1, lanes>>s.Tile-1
	}
	for _, d := range [2]int64{signed(s.Stride, size) * int64(within), signed(s.Step, size) * int64(across)} {
		least, greatest = least+min(d, 0), greatest+max(d, 0)
	}
	return least, greatest
}

// Steps returns the steps of an affine shape.
func (s Shape) Steps() Steps { return Steps{s.Stride, s.Step, s.Tile} }

// with returns the shape with other steps, modulo a type with the given bits. If the step
// between tile rows continues the steps inside them, the result has no tile rows.
func (s Shape) with(t Steps, size uint64) Shape {
	s.Stride, s.Step, s.Tile = t.Stride&size, t.Step&size, t.Tile
	if s.Kind == Affine && s.Tile > 0 && s.Step == s.Stride<<s.Tile&size {
		s.Tile, s.Step = 0, 0
	}
	if s.Kind == Varying {
		s.Step = 0
	}
	return s
}

// anyTile is the tile of a shape that is affine for tile rows of any length.
const anyTile = 255

// tile returns the tile rows inside which a shape is affine; 0: none.
func (s Shape) tile() uint8 {
	if s.Kind == Affine && s.Tile == 0 {
		return anyTile
	}
	return s.Tile
}

// common returns the tile rows inside which both shapes are affine; 0: none. Half a tile row
// is a tile row as well, so the shorter one is common.
func common(a, b Shape) uint8 { return min(a.tile(), b.tile()) }

// sameInRows reports whether all lanes of a tile row are equal.
func (s Shape) sameInRows() bool { return s.tile() > 0 && s.Stride == 0 }

// sums returns the steps of the sum of two affine shapes; ok is false if their tile rows
// differ.
func sums(a, b Shape) (t Steps, ok bool) {
	t = Steps{Stride: a.Stride + b.Stride, Tile: max(a.Tile, b.Tile)}
	if a.Tile > 0 && b.Tile > 0 && a.Tile != b.Tile {
		return t, false
	}
	for _, s := range [2]Shape{a, b} {
		if s.Tile == 0 {
			t.Step += s.Stride << t.Tile
		} else {
			t.Step += s.Step
		}
	}
	if t.Tile == 0 {
		t.Step = 0
	}
	return t, true
}

// inRows gives a varying shape the claim that lanes are stride apart inside tile rows.
func (s Shape) inRows(row uint8, stride, size uint64) Shape {
	if row == 0 || row == anyTile || s.Kind != Varying || size < 1<<32-1 {
		return s
	}
	return s.with(Steps{Stride: stride, Tile: row}, size)
}

// straight reports whether the lanes of an affine value do not wrap from the first to the
// last, and none is below the first. size is a mask of the bits of the type.
func (s Shape) straight(size, lanes uint64) bool {
	const far = 1 << 40
	stride, step := signed(s.Stride, size), signed(s.Step, size)
	if stride > far || stride < -far || step > far || step < -far {
		return false
	}
	least, greatest := s.Steps().Ends(size, int(lanes))
	if s.Known {
		last, carry := bits.Add64(s.Base, uint64(greatest), 0)
		return (least == 0 || s.Base >= uint64(-least)) && carry == 0 && last <= size
	}
	// No lane is above Max. So the next lane, or tile row, is at most one step above it.
	return stride >= 0 && step >= 0 && s.Max <= size && s.Max <= size-uint64(max(stride, step))
}

// oneWay reports whether the steps inside and between tile rows have the same sign, so that
// the first and the last lane are the extremes.
func (s Shape) oneWay(size uint64) bool {
	stride, step := signed(s.Stride, size), signed(s.Step, size)
	return stride >= 0 && step >= 0 || stride <= 0 && step <= 0
}
