package shape

import "math/bits"

// Blocks are often narrower than a wave: 16 by 16 lanes, say. Then a wave is some rows of
// the block, and what is affine in the block's coordinates is so within rows, with another
// step from row to row. A power of two of lanes is a row. The rows that a block of one
// dimension is cut into by masks and shifts are such rows too.
//
// Of what is multiplied with something that only the launch knows, such as the width of a
// matrix, the step from row to row is not known: it is varying, but within rows it is
// affine.

// Steps is how far the lanes of an affine value are from lane 0.
type Steps struct {
	Stride uint64 // from lane to lane; if there are rows, within one
	Step   uint64 // from row to row
	Tile   uint8  // lanes are in rows of 1<<Row; 0: there are no rows
}

// At is how far lane i is from lane 0.
func (s Steps) At(i int) uint64 {
	if s.Tile == 0 {
		return s.Stride * uint64(i)
	}
	return s.Stride*(uint64(i)&(1<<s.Tile-1)) + s.Step*(uint64(i)>>s.Tile)
}

// Ends are the least and the greatest distance, signed, of one of some lanes from lane 0,
// if the steps are numbers of a type with the given bits. The steps must be small.
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

// Steps are those of an affine shape.
func (s Shape) Steps() Steps { return Steps{s.Stride, s.Step, s.Tile} }

// with is the shape with other steps, of a type with the given bits; both are taken modulo
// the type. If rows follow each other like lanes, there are none.
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

// anyRow is the row of what is affine with lanes of any number to a row.
const anyTile = 255

// row is the rows within which a shape is affine; 0: none.
func (s Shape) tile() uint8 {
	if s.Kind == Affine && s.Tile == 0 {
		return anyTile
	}
	return s.Tile
}

// common is the rows within which both are affine; 0: none. Half of a row is one as well.
func common(a, b Shape) uint8 { return min(a.tile(), b.tile()) }

// sameInRows reports whether the lanes of a row hold the same.
func (s Shape) sameInRows() bool { return s.tile() > 0 && s.Stride == 0 }

// sums are the steps of a sum of two affine shapes; ok is false if rows differ.
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

// inRows makes a varying shape one whose lanes are stride apart within rows.
func (s Shape) inRows(row uint8, stride, size uint64) Shape {
	if row == 0 || row == anyTile || s.Kind != Varying || size < 1<<32-1 {
		return s
	}
	return s.with(Steps{Stride: stride, Tile: row}, size)
}

// straight reports whether the lanes of an affine value, of numbers with the given bits, do
// not wrap around from the first to the last, and none is below the first.
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
	// No lane is above Max, so that the next one, or the next row, is no more than a step
	// above it.
	return stride >= 0 && step >= 0 && s.Max <= size && s.Max <= size-uint64(max(stride, step))
}

// oneWay reports whether lanes and rows go the same way, so that the first and the last
// lane are the ends.
func (s Shape) oneWay(size uint64) bool {
	stride, step := signed(s.Stride, size), signed(s.Step, size)
	return stride >= 0 && step >= 0 || stride <= 0 && step <= 0
}
