package sim

import (
	"slices"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// Asynchronous effects that are done as late as the manual allows, for adversarial runs. A program that waits for
// everything it uses computes the same as in a usual run, in which they are done at once.
//
// Input: the Delay and Settle operations of ir.Func.Delayed.
// Output: memory, registers of products, and phases of mbarrier objects, changed later.
// Invariant: the effects of a wave by one mechanism are done in the order of their instructions. A lane that has waited for a
// group (PTX 9.7.9.26.3, 9.7.9.26.6, 9.7.16.7.3) goes on when they are done. What reports to an mbarrier object has no
// such lane; it is done, one instruction at a time, when all waves of the block have only waited in a round.
// cp.async.bulk.wait_group.read does the copies whole, although the manual lets their writes be later.
// Example: cp.async of 128 bytes; a loop that looks whether the phase is over. The loop goes round until the wave waits;
// then the copy is done, and its bytes end the phase.

// patientDelay is how many whole time slices the waves of a block use up before an effect is done: they may wait in a way
// that is not recognised.
const patientDelay = 16

// delays are the effects of a block that are not done yet.
type delays struct {
	list   []*delayed
	groups map[*Wave]*[ir.Phases][64]uint32 // how many groups each lane has ended, by mechanism
}

// delayed is the effects of one instruction, for some lanes.
type delayed struct {
	wave  *Wave
	until ir.Completion
	lanes lane.Mask
	group [64]uint32 // the group of each lane that the effects belong to
	refs  []ir.Ref   // the values of the time of the instruction that the effects need
	kept  []byte     // their bytes, one after another
	// run performs the effects for lanes. It returns false after a fault.
	run func(m lane.Mask) bool
}

// begin forgets the block before.
func (d *delays) begin() {
	d.list = d.list[:0]
	clear(d.groups)
}

// any reports whether there are effects to do.
func (d *delays) any() bool { return len(d.list) > 0 }

// of returns the numbers of the groups of a wave.
func (d *delays) of(w *Wave) *[ir.Phases][64]uint32 {
	if d.groups == nil {
		d.groups = map[*Wave]*[ir.Phases][64]uint32{}
	}
	g := d.groups[w]
	if g == nil {
		g = new([ir.Phases][64]uint32)
		d.groups[w] = g
	}
	return g
}

// Delay keeps the effects of an instruction for lanes. It returns false after a fault.
func Delay(w *Wave, in *ir.Inst, m lane.Mask) bool {
	info := &w.Func.Delays[in.Imm]
	b := &w.Func.Blocks[info.Block]
	step := w.Launch.Program.(Stepper)
	return m == 0 || w.Block.delays.add(&delayed{wave: w, until: info.Until, lanes: m, refs: info.Kept, run: func(m lane.Mask) bool {
		for i := b.Start; i < b.End-1; i++ {
			in := &w.Func.Code[i]
			on := w.guarded(in, m)
			if (on != 0 || in.Op.Pure()) && !step.Exec(w, i, on) {
				return false
			}
		}
		return true
	}})
}

// delayProduct keeps a product of a warpgroup for the warp.
func delayProduct(o *collective) {
	kept := *o
	kept.group = slices.Clone(o.group)
	in, info := kept.at(0)
	o.Block.delays.add(&delayed{wave: o.Wave, until: ir.ProductGroups, lanes: o.all, refs: info.Issued(), run: func(lane.Mask) bool {
		e := groupEntry{pos: in.Pos, wave: kept.ID, kept: true}
		ok := kept.multiply(info, &e)
		if ok {
			kept.together(in, kept.warpgroups.of(kept.Wave), e)
		}
		return ok
	}})
}

// add puts effects into the list. Under a random schedule it performs half of them at once. It returns false after a fault.
func (d *delays) add(x *delayed) bool {
	w := x.wave
	if x.until < ir.Phases {
		x.group = d.of(w)[x.until]
	}
	for _, r := range x.refs {
		x.kept = append(x.kept, w.bytesOf(r)...)
	}
	d.list = append(d.list, x)
	if w.rand == nil || w.rand.IntN(2) == 0 || x.until == ir.ProductGroups {
		return true
	}
	for _, y := range slices.Clone(d.list) { // with what the mechanism has to do before
		if m := y.lanes & x.lanes; y.wave == w && y.until == x.until && m != 0 && !d.do(y, m) {
			return false
		}
	}
	return true
}

// Settle ends the open group of lanes, or does the effects that they wait for. It returns false after a fault.
func Settle(w *Wave, in *ir.Inst, m lane.Mask) bool {
	if m == 0 {
		return true
	}
	d := &w.Block.delays
	until := ir.GroupsOf(in.Order)
	n := &d.of(w)[until]
	all := in.Order&ir.Strong != 0 && until == ir.CopyGroups
	if all || in.Order&ir.Acquire == 0 {
		for l := range m.Lanes() {
			n[l]++
		}
		if !all {
			return true
		}
	}
	for _, x := range slices.Clone(d.list) {
		if x.wave != w || x.until != until {
			continue
		}
		var ready lane.Mask
		for l := range (x.lanes & m).Lanes() {
			if all || uint64(x.group[l])+in.Imm < uint64(n[l]) {
				ready |= lane.Lane(l)
			}
		}
		if ready != 0 && until == ir.ProductGroups {
			ready = x.lanes // a product is an operation of all lanes
		}
		if ready != 0 && !d.do(x, ready) {
			return false
		}
	}
	return true
}

// before does the copies at whose end an arrival of their lanes takes place.
func (d *delays) before(x *delayed, m lane.Mask) bool {
	if x.until != ir.Arrivals {
		return true
	}
	for _, y := range slices.Clone(d.list) {
		if y == x {
			break
		}
		if y.wave == x.wave && y.until == ir.CopyGroups && y.lanes&m != 0 && !d.do(y, y.lanes&m) {
			return false
		}
	}
	return true
}

// do performs effects of the list for some of their lanes. It returns false after a fault.
func (d *delays) do(x *delayed, m lane.Mask) bool {
	if !d.before(x, m) {
		return false
	}
	if x.lanes &^= m; x.lanes == 0 {
		i := slices.Index(d.list, x)
		d.list = slices.Delete(d.list, i, i+1)
	}
	return x.do(m)
}

// next performs the oldest effects that no lane can wait for by itself, or else the oldest.
func (d *delays) next() *Fault {
	i := max(0, slices.IndexFunc(d.list, func(x *delayed) bool { return x.until >= ir.Phases }))
	x := d.list[i]
	if !d.do(x, x.lanes) {
		x.wave.Fault.Block, x.wave.Fault.Wave = x.wave.block, x.wave.ID
		return x.wave.Fault
	}
	return nil
}

// finish performs all effects when the waves of the block have ended. Products write registers, which nothing reads then.
func (d *delays) finish() *Fault {
	d.list = slices.DeleteFunc(d.list, func(x *delayed) bool { return x.until == ir.ProductGroups })
	for d.any() {
		if f := d.next(); f != nil {
			return f
		}
	}
	return nil
}

// do performs the effects for lanes, with the values that were kept. It returns false after a fault.
func (x *delayed) do(m lane.Mask) bool {
	w := x.wave
	active := w.Active
	w.Active = m
	x.swap()
	ok := x.run(m)
	x.swap()
	w.Active = active
	return ok
}

// swap exchanges the values that were kept with those in the frame.
func (x *delayed) swap() {
	kept := x.kept
	for _, r := range x.refs {
		now := x.wave.bytesOf(r)
		for i := range now {
			kept[i], now[i] = now[i], kept[i]
		}
		kept = kept[len(now):]
	}
}

// bytesOf returns the bytes of a value in the frame.
func (f *ValueFrame) bytesOf(r ir.Ref) []byte {
	v := f.Func.Val(r)
	return unsafe.Slice((*byte)(unsafe.Add(f.Base, v.Off)), v.Size(f.Func.Lanes))
}
