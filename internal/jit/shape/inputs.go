package shape

import (
	"cmp"
	"math/bits"
	"slices"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/webs"
)

// begin gives webs the shapes that they have when a wave starts.
//
// Input: the inputs of the function, and the geometry of the launch.
// Output: first shapes of Const, Aliased and Input webs.
// Invariant: a register without an input begins as 0, unless the launch is exact.
// Example: blocks of 64 by 1 by 1 lanes, waves of 32: ThreadIDX is affine+1 with 5 zeros in
// its base.
func (s *Shapes) begin() {
	fn := s.fn
	for w := 1; w < len(fn.Webs); w++ {
		// The cases exclude each other: constants, values in memory, and registers that hold
		// an input or 0.
		info := &fn.Webs[w]
		v := fn.Value(webs.Web(w))
		switch {
		case info.Flags&webs.Const != 0:
			s.webs[w] = constant(info.Const & typeMask(v.Type))
		case info.Flags&webs.Aliased != 0:
			s.webs[w] = unknown(v)
			if v.Type == ir.B1 && !v.Scalar && s.pair != nil && s.pair[w] {
				s.webs[w] = Shape{Kind: Affine, Max: ^uint64(0)}
			}
		case info.Flags&webs.Input == 0:
		case v.Kind == ir.Temp || fn.Geom.Exact:
			s.add(webs.Web(w), info.Ref, unknown(v))
		case !s.hasInput(v):
			s.add(webs.Web(w), info.Ref, constant(0)) // registers begin as 0
		}
	}
	// Inputs are visited backwards, because a later constant overwrites an earlier input.
	given := make(map[webs.Web]bool, len(fn.Inputs))
	mixed := s.mixed()
	for i, w := range slices.Backward(fn.Inputs) {
		if w == 0 || fn.Geom.Exact {
			continue
		}
		in := fn.IR.Inputs[i]
		v := fn.IR.Val(in.Dst)
		sh := s.input(in, v)
		if given[w] && in.Kind == ir.InConst && !mixed[i] {
			continue // the later input overwrites it
		}
		if given[w] || mixed[i] {
			sh = unknown(v)
		}
		given[w] = true
		s.add(w, in.Dst, sh)
	}
	for w := 1; w < len(fn.Webs); w++ {
		if info := &fn.Webs[w]; info.Flags&(webs.Input|webs.Const|webs.Aliased) == webs.Input && !given[webs.Web(w)] && s.webs[w].Kind == Unseen {
			s.add(webs.Web(w), info.Ref, unknown(fn.Value(webs.Web(w)))) // a part of an input
		}
	}
}

// mixed reports for each input whether another input writes some, but not exactly these,
// bytes. Sets of undefined bits begin full, by register, and those of inputs, which may be
// pairs, begin empty.
func (s *Shapes) mixed() []bool {
	f := s.fn.IR
	mixed := make([]bool, len(f.Inputs))
	order := make([]int, len(f.Inputs))
	for i := range order {
		order[i] = i
	}
	at := func(i int) (from, to uint32) {
		v := f.Val(f.Inputs[i].Dst)
		return v.Off, v.Off + v.Size(f.Lanes)
	}
	slices.SortFunc(order, func(i, j int) int {
		a, _ := at(i)
		b, _ := at(j)
		return cmp.Compare(a, b)
	})
	for first := 0; first < len(order); {
		// A group of inputs that overlap is mixed unless all have the same place.
		from, end := at(order[first])
		alike, k := true, first+1
		for ; k < len(order); k++ {
			a, b := at(order[k])
			if a >= end {
				break
			}
			alike = alike && a == from && b == end
			end = max(end, b)
		}
		for ; first < k; first++ {
			mixed[order[first]] = !alike
		}
	}
	return mixed
}

// hasInput reports whether the launch writes some bytes of a value.
func (s *Shapes) hasInput(v *ir.Value) bool {
	f := s.fn.IR
	for _, in := range f.Inputs {
		if x := f.Val(in.Dst); x.Off < v.Off+v.Size(f.Lanes) && v.Off < x.Off+x.Size(f.Lanes) {
			return true
		}
	}
	return false
}

// unknown returns the shape of a value without claims.
func unknown(v *ir.Value) Shape {
	sh := Shape{Kind: Varying, Max: typeMask(v.Type)}
	if v.Scalar {
		sh.Kind = Affine
	}
	return sh
}

// input returns the shape of an input as package sim sets it.
func (s *Shapes) input(in ir.Input, v *ir.Value) Shape {
	g := &s.fn.Geom
	// The block's dimensions, and the number of its lanes; 0 if they are unknown.
	lanes := uint64(g.Lanes)
	bx, by, bz := uint64(g.Block[0]), uint64(g.Block[1]), uint64(g.Block[2])
	total := bx * by * bz
	known := total != 0
	uniform := func(limit uint64) Shape {
		if limit == 1 {
			return constant(0)
		}
		return Shape{Kind: Affine, Max: limit - 1} // limit 0: any
	}
	// ids is the shape of an index below count.
	ids := func(count uint64, sameInWave bool) Shape {
		switch {
		case !known:
			return unknown(v)
		case sameInWave || count == 1:
			return uniform(count)
		}
		return Shape{Kind: Varying, Max: count - 1}
	}
	log := uint8(bits.TrailingZeros64(lanes))
	// Lanes beyond the end of the block do not matter, unless EXEC can make them active.
	whole := s.fn.IR.Exec == 0 || total%lanes == 0
	// rows returns the logarithm of length, if a wave consists of several tile rows of length
	// lanes, and 0 otherwise.
	rows := func(length uint64) uint8 {
		if !known || !whole || length == 0 || lanes%length != 0 || length == lanes {
			return 0
		}
		return uint8(bits.TrailingZeros64(length))
	}
	// across is the shape of the number of a tile row of some length, if count of them follow
	// before the number begins again at 0.
	across := func(length, count uint64, sameInWave bool) Shape {
		d := ids(count, sameInWave)
		row := rows(length)
		n := lanes >> row
		switch {
		case row == 0 || d.Kind != Varying:
			return d
		case count%n != 0 && count*length != total:
			return d.inRows(row, 0, typeMask(v.Type))
		}
		return Shape{Kind: Affine, Known: count <= n, Step: 1, Tile: row, Zeros: uint8(bits.TrailingZeros64(n)), Max: (count+n-1)/n*n - 1}
	}
	switch in.Kind {
	case ir.InConst:
		return constant(in.Imm & typeMask(v.Type))
	// thread.x is the lane number if a wave is part of one row of the block.
	case ir.ThreadIDX:
		switch {
		case known && whole && by*bz == 1 && bx <= lanes:
			return Shape{Kind: Affine, Known: true, Stride: 1, Max: lanes - 1}
		case known && (whole && by*bz == 1 || bx%lanes == 0):
			return Shape{Kind: Affine, Stride: 1, Zeros: log, Max: (bx+lanes-1)/lanes*lanes - 1}
		}
		// Several rows of the block are in a wave: thread.x begins again in each tile row.
		if row := rows(bx); row > 0 {
			return Shape{Kind: Affine, Known: true, Stride: 1, Tile: row, Max: bx - 1}
		}
		return ids(bx, false)
	// thread.y is the number of the tile row, modulo the height of the block.
	case ir.ThreadIDY:
		return across(bx, by, bx%lanes == 0 || by*bz == 1)
	case ir.ThreadIDZ:
		if !whole {
			return unknown(v)
		}
		return across(bx*by, bz, bx*by%lanes == 0 || bz == 1)
	case ir.LaneID:
		return Shape{Kind: Affine, Known: true, Stride: 1, Max: lanes - 1}
	// All lanes of a wave are in one block of the grid.
	case ir.BlockIDX, ir.BlockIDY, ir.BlockIDZ:
		return uniform(uint64(g.Grid[in.Kind-ir.BlockIDX]))
	case ir.BlockDimX, ir.BlockDimY, ir.BlockDimZ:
		if known {
			return constant(uint64(g.Block[in.Kind-ir.BlockDimX]))
		}
	case ir.GridDimX, ir.GridDimY, ir.GridDimZ:
		if n := uint64(g.Grid[in.Kind-ir.GridDimX]); n != 0 {
			return uniform(n + 1)
		}
	case ir.GlobalSizeX, ir.GlobalSizeY, ir.GlobalSizeZ:
		d := in.Kind - ir.GlobalSizeX
		if n := uint64(g.Grid[d]) * uint64(g.Block[d]); n != 0 {
			return uniform(n + 1)
		}
	case ir.WaveID:
		if known {
			return uniform((total + lanes - 1) / lanes)
		}
	case ir.WaveCount:
		if known {
			return constant((total + lanes - 1) / lanes)
		}
	// Full blocks begin with all lanes active.
	case ir.ActiveMask0:
		if known && total%lanes == 0 {
			if v.Scalar {
				return constant(^uint64(0) >> (64 - lanes))
			}
			return constant(1)
		}
		return unknown(v)
	case ir.GridID:
		return constant(0)
	}
	return uniform(0)
}
