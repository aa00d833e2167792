package jit

import (
	"math"
	"math/bits"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/jit/sel"
	"example.org/crosslane/internal/jit/shape"
	"example.org/crosslane/internal/sim"
	"example.org/crosslane/lane"
)

// Code may rely on lanes being alike: that a web is the same in all of them, or in equal
// steps. The analysis of shapes says so of whole registers, also of lanes that nobody sees,
// if fragments run in the usual order and every write is the code's. Where the interpreter
// has run neither is certain.

// even is what the code knows of the lanes of a web.
type even uint8

const (
	uneven   even = iota // nothing
	stepped              // they are in steps from the first one on
	rowsOnly             // they are in steps within rows
	periodic             // they repeat after every lanes: see form
)

// evenness is what the code knows of the lanes of a web of a certain shape, and the steps.
func evenness(sh shape.Shape) (even, shape.Steps) {
	switch {
	case sh.Kind == shape.Affine:
		return stepped, sh.Steps()
	case sh.Kind == shape.Varying && sh.Tile > 0:
		return rowsOnly, shape.Steps{Stride: sh.Stride, Tile: sh.Tile}
	}
	return uneven, shape.Steps{}
}

// alike are the lanes that lane i tells of, of a web that is not uneven.
func (o *form) alike(i int) lane.Mask {
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
	n := uint(1) << o.steps.Tile
	return (lane.Mask(1)<<n - 1) << (uint(i) &^ (n - 1))
}

// alikes reports whether a register of the web tells of lanes that have one of their own.
func (o *form) alikes() bool { return o.even == stepped || o.even == rowsOnly }

// origin is what lane i, which holds x, says that lane 0, or the first of the row, holds.
func (o *form) origin(v *ir.Value, i int, x uint64) uint64 {
	x -= o.steps.At(i)
	if n := 8 * v.Type.Bytes(); v.Type == ir.B1 {
		x &= 1
	} else if n < 64 {
		x &= 1<<n - 1
	}
	return x
}

// fits reports whether the homes of all webs that the lanes of the wave need are as the
// code takes for granted. Four things may have made them different: where EXEC switches
// lanes, the interpreter has written only those that were on, and others may hold something
// older: whose lanes the right ones are, nobody knows. Of lanes that have overtaken
// others some may be in another round of a loop than those with which they are now. What
// the code checks, such as that an index of 32 bits does not wrap around between the lanes, the
// interpreter goes on without, be it because the check failed or because it ran there anyway. And
// where it loads lane by lane what others store meanwhile, lanes see different values, and may
// even part by them.
func (p *native) entryGuard(w *sim.Wave) bool {
	odd := w.Overtook() || p.relies || p.polls && !w.Alone()
	if w.Func.Exec == 0 && !odd {
		return true
	}
	if p.fromMemory && odd {
		return false // nobody looks at what is there
	}
	var seen map[int32]lane.Mask // by form: the lanes at other places that need it
	if w.Fragments() > 0 {
		seen = map[int32]lane.Mask{}
	}
	fit := true
	p.eachPlace(w, func(pc int, lanes lane.Mask) {
		if pc >= p.blocks || !fit {
			return
		}
		for _, x := range p.needed(p.live[pc]) {
			o := &p.forms[x]
			if o.even == uneven || o.kind == sel.NoPart {
				continue // what the code knows without looking is so in each lane by itself
			}
			v := o.value(w.Func)
			if o.others != 0 {
				x = o.of
			}
			before := seen[x]
			for i := range lanes.Lanes() {
				if others := before & o.alike(i); others != 0 {
					j := others.First()
					fit = fit && o.origin(v, i, o.get(w, i)) == o.origin(v, j, o.get(w, j))
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

// fetch reads a form of a web from its home for some lanes, of which there is one. If the
// code knows how others differ from them it may look at those that nobody needs, too.
func (p *native) fetch(w *sim.Wave, o *form, lanes lane.Mask) {
	ref := o.ref
	v := o.value(w.Func)
	at := unsafe.Add(w.Base, int(o.at))
	first := bits.TrailingZeros64(uint64(lanes))
	switch o.kind {
	case sel.Lanes:
		m := (*lane.Mask)(at)
		*m = (*m&^lanes | w.Mask(ref)&lanes) & lane.All(p.lanes)
		if o.even == stepped {
			*m = 0
			if w.Mask(ref).Has(first) {
				*m = lane.All(p.lanes)
			}
		}
	case sel.Unit:
		n := p.unitLanes(v)
		for i := range n {
			l := int(o.unit)*n + i
			switch {
			case lanes.Has(l):
				put(at, v, i, o.get(w, l))
			case o.even != uneven && lanes&o.alike(l) != 0:
				j := (lanes & o.alike(l)).First()
				put(at, v, i, o.get(w, j)-o.steps.At(j)+o.steps.At(l))
			}
		}
	case sel.Single:
		putWhole(at, v, o.get(w, first))
	case sel.Base:
		putWhole(at, v, o.get(w, first)-o.steps.At(first))
	case sel.RowBase:
		if l := int(o.unit) << o.steps.Tile; lanes&o.alike(l) != 0 {
			j := (lanes & o.alike(l)).First()
			putWhole(at, v, o.get(w, j)-o.steps.At(j))
		}
	case sel.Splat:
		x := o.get(w, first)
		for i := range int(p.width) / int(v.Type.Bytes()) {
			put(at, v, i, x)
		}
	}
}

// putWhole writes a general register. Code that writes one of fewer bytes makes the others 0, and
// counts on it where it makes them more; they are what another web has left there else.
func putWhole(at unsafe.Pointer, v *ir.Value, x uint64) {
	*(*uint64)(at) = 0
	put(at, v, 0, x)
}

// value is the kind of value that a form is of.
func (o *form) value(f *ir.Func) *ir.Value {
	if o.high != 0 {
		return &ir.Value{Type: ir.B64}
	}
	return &f.Values[o.ref]
}

// get reads lane i of the web in its home.
func (o *form) get(w *sim.Wave, i int) uint64 {
	x := w.Get(o.ref, i)
	if o.high != 0 {
		x |= w.Get(o.high, i) << 32
	}
	return x
}

// set writes lane i of the web in its home.
func (o *form) set(w *sim.Wave, i int, x uint64) {
	if o.high == 0 {
		w.Set(o.ref, i, x)
		return
	}
	w.Set(o.ref, i, x&math.MaxUint32)
	w.Set(o.high, i, x>>32)
}
