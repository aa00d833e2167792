package jit

import (
	"math/bits"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// The code may rely on relations between lanes: a web is equal in all lanes, or its lanes are equal steps
// apart. The analysis of shapes proves that for all lanes of a register, including lanes that are not active.
// The proof holds if fragments run in layout order and if the code makes every write. Neither is certain after
// the interpreter has run.
//
// Input: the frame slots that the interpreter leaves, and the fills of each block.
// Output: entryGuard, whether the code may be entered; fetch, the registers filled from the frame slots.
// Invariant: if entryGuard reports true, the active lanes that one register stands for agree.
// Example: a web is affine with stride 4. The active lanes 0 and 2 hold 16 and 24: both give 16 for lane 0, so
// the guard accepts. If lane 2 held 28, the guard would refuse, and the interpreter would go on.
//
// Literature: Hölzle, Chambers and Ungar, Debugging optimized code with dynamic deoptimization (PLDI 1992).

// even is the relation between the lanes of a web on which the code relies.
type even uint8

const (
	uneven   even = iota // none
	stepped              // all lanes are equal steps apart
	rowsOnly             // the lanes of a tile row are equal steps apart
	periodic             // they repeat after fill.every lanes, the lane period
)

// evenness returns the relation between the lanes of a web of some shape, and the steps.
func evenness(sh shape.Shape) (even, shape.Steps) {
	switch {
	case sh.Kind == shape.Affine:
		return stepped, sh.Steps()
	case sh.Kind == shape.Varying && sh.Tile > 0:
		return rowsOnly, shape.Steps{Stride: sh.Stride, Tile: sh.Tile}
	}
	return uneven, shape.Steps{}
}

// alike returns the lanes whose values follow from the value of lane i, for a web that is not uneven.
func (o *fill) alike(i int) lane.Mask {
	if o.even == stepped {
		return ^lane.Mask(0)
	}
	if o.even == periodic {
		m := lane.Mask(0)
		for j := i % int(o.every); j < 64; j += int(o.every) {
			m |= 1 << uint(j)
		}
		return m
	}
	return o.steps.TileRow(i >> o.steps.Tile)
}

// origin returns the value of lane 0, or of the first lane of the tile row, if lane i holds x.
func (o *fill) origin(i int, x uint64) uint64 {
	x -= o.steps.At(i)
	if n := 8 * o.Type.Bytes(); o.Type == ir.B1 {
		x &= 1
	} else if n < 64 {
		x &= 1<<n - 1
	}
	return x
}

// entryGuard reports whether the code may be entered: whether the frame slots of all live webs hold what the code
// assumes. It compares related lanes if one of four causes is possible. (1) Under EXEC the interpreter wrote
// active lanes only, and other lanes hold older values. (2) A lane
// that overtook another may be in another iteration of a loop. (3) The interpreter does not make the run-time
// checks of the code, for instance that a 32-bit index does not wrap between lanes; the check may have failed.
// (4) Lanes that poll memory one by one may have read different values, and may even have diverged because of
// them.
func (p *native) entryGuard(w *sim.Wave) bool {
	odd := w.Overtook() || p.relies || p.polls && !w.Alone()
	if w.Func.Exec == 0 && !odd {
		return true
	}
	if p.fromMemory && odd {
		return false // the values in memory are not compared here
	}
	var seen map[int32]lane.Mask // by fill: the lanes of other fragments that need it
	if w.Fragments() > 0 {
		seen = map[int32]lane.Mask{}
	}
	fit := true
	p.eachPlace(w, func(pc int, lanes lane.Mask) {
		if pc >= p.blocks || !fit {
			return
		}
		for _, x := range p.needed(pc) {
			o := &p.fills[x]
			if o.even == uneven {
				continue // a web without a relation is right in each lane by itself
			}
			before := seen[x]
			for i := range lanes.Lanes() {
				if others := before & o.alike(i); others != 0 {
					j := others.First()
					fit = fit && o.origin(i, o.get(w, i)) == o.origin(j, o.get(w, j))
				}
				before |= 1 << uint(i)
			}
			if seen != nil {
				seen[x] = before
			}
		}
	})
	return fit
}

// fetch fills a register from the web's frame slots, for at least one lane. If a relation between lanes is known,
// fetch also computes the lanes that are not in the set, because the code may read the whole register.
func (p *native) fetch(w *sim.Wave, o *fill, lanes lane.Mask) {
	at := unsafe.Add(w.Base, int(o.at))
	first := bits.TrailingZeros64(uint64(lanes))
	switch o.Kind {
	case abi.Lanes:
		m := (*lane.Mask)(at)
		*m = (*m&^lanes | w.Mask(o.low)&lanes) & lane.All(p.lanes)
		if o.even == stepped {
			*m = 0
			if w.Mask(o.low).Has(first) {
				*m = lane.All(p.lanes)
			}
		}
	case abi.Unit:
		n := p.unitLanes(o.Type)
		for i := range n {
			l := int(o.Unit)*n + i
			switch {
			case lanes.Has(l):
				put(at, o.Type, i, o.get(w, l))
			case o.even != uneven && lanes&o.alike(l) != 0:
				j := (lanes & o.alike(l)).First()
				put(at, o.Type, i, o.get(w, j)-o.steps.At(j)+o.steps.At(l))
			}
		}
	case abi.Single:
		putWhole(at, o.Type, o.get(w, first))
	case abi.Base:
		putWhole(at, o.Type, o.get(w, first)-o.steps.At(first))
	case abi.RowBase:
		if l := int(o.Unit) << o.steps.Tile; lanes&o.alike(l) != 0 {
			j := (lanes & o.alike(l)).First()
			putWhole(at, o.Type, o.get(w, j)-o.steps.At(j))
		}
	case abi.Splat:
		x := o.get(w, first)
		for i := range int(p.width) / int(o.Type.Bytes()) {
			put(at, o.Type, i, x)
		}
	}
}

// putWhole writes a general register and clears the bytes above the value. Code that writes a narrow value
// clears them too, and relies on that when it extends the value. Without the clearing they would hold bytes of
// another web.
func putWhole(at unsafe.Pointer, t ir.Type, x uint64) {
	*(*uint64)(at) = 0
	put(at, t, 0, x)
}

// get reads lane i of the web from its frame slot, or from two slots if the web is a fused pair.
func (o *fill) get(w *sim.Wave, i int) uint64 {
	x := w.Get(o.low, i)
	if o.high != 0 {
		x |= w.Get(o.high, i) << 32
	}
	return x
}
