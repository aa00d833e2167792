package sim

import (
	"fmt"
	"slices"
	"unsafe"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// The undefined bits of memory. If Launch.Track is set, memory has a second copy in which a set bit means
// that this bit of the memory is undefined. Accesses with ir.Undefined go there. Instrumentation
// (internal/check/poison) places them beside the accesses of the guest; engines execute them like all
// accesses.
//
// Input: accesses with ir.Undefined, writes of this package, and Reach operations.
// Output: the second copy; findings of the codes poison-branch, -address, -store and -trap.
// Invariant: a byte of memory that the guest has not written has undefined bits 0xff, unless the launch
// gave its contents or Launch.Origins is set.
// Example: st.u8 of a value with undefined bits 0xf0 writes 0xf0 to the copy; a branch on bit 2 is clean.
//
// Literature: Seward and Nethercote, Using Valgrind to detect undefined value errors with bit-precision
// (USENIX 2005).

// undefinedOf returns the undefined bits of an allocation.
func (w *Wave) undefinedOf(a *Alloc) []byte {
	if a.undef == nil {
		if len(a.Data) == 0 {
			return nil
		}
		a.undef = alignedBytes(uint64(len(a.Data)))
		if a.Uninitialised || a.heap {
			w.unwritten(a.undef)
		}
	}
	return a.undef
}

// unwritten marks memory that was never written as undefined, unless only Launch.Origins count.
func (b *Block) unwritten(undef []byte) {
	if b.Launch.Origins == nil {
		fillOnes(undef)
	}
}

// originates reports whether a read of absent lanes by the instruction at pos counts as undefined.
func (b *Block) originates(pos int32) bool {
	return b.Launch.Origins == nil || slices.Contains(b.Launch.Origins, pos)
}

// fillOnes sets all bits.
func fillOnes(b []byte) {
	for i := range b {
		b[i] = 0xff
	}
}

// undefRegion is Region, or RegionForStore, for undefined bits.
func (w *Wave) undefRegion(in *ir.Inst, size uint64, store bool) Region {
	switch in.Space {
	case ir.Shared:
		return private(w.sharedFirst(), w.undef, size)
	case ir.Local, ir.Param:
		return nowhere
	}
	if in.Space == ir.Generic && w.generic && in.Flags&ir.OnlyGlobal == 0 {
		return private(w.sharedBase()+w.sharedFirst(), w.undef, size)
	}
	// The first load of an allocation, and the first store, are seen in Slow.
	if a := w.Last; a != nil && in.Flags&ir.OnlyShared == 0 && (!store && a.read || store && !a.ReadOnly && a.written.Load()) {
		return region(a.Base, w.undefinedOf(a), size)
	}
	return nowhere
}

// undefOf returns the undefined bits of memory that is not global.
func (w *Wave) undefOf(space ir.Space, i int) []byte {
	switch space {
	case ir.Shared:
		return w.undef
	case ir.Local:
		at := uint64(i) * w.localStep
		return w.undefLocal[at : at+w.laneBytes]
	}
	return make([]byte, len(w.Launch.Param)) // parameters are defined
}

// undefineLocal makes private memory undefined at the start of a block. Stacks become undefined when room
// is made on them.
func (w *Wave) undefineLocal() {
	switch {
	case w.undefLocal == nil:
	case !w.Func.Stack:
		w.unwritten(w.undefLocal)
	default:
		for i := range w.Func.Lanes {
			w.unwritten(w.undefOf(ir.Local, i)[:w.Func.LocalSize])
		}
	}
	if a := w.Func.Apart; a != nil && w.undefLocal != nil {
		for i := range w.Func.Lanes {
			definesGaps(w.undefOf(ir.Local, i), a.Local)
		}
	}
}

// undefinePush makes new room on the stacks of lanes undefined.
func (w *Wave) undefinePush(in *ir.Inst, lanes lane.Mask) {
	_, size, align := ir.HostFields(in.Imm)
	for i := range lanes.Lanes() {
		n, sp := uint64(size), w.Get(in.Args[0], i)
		if in.Args[1] != 0 {
			n = w.Get(in.Args[1], i)
		}
		if n <= sp && sp <= w.laneBytes {
			w.unwritten(w.undefOf(ir.Local, i)[(sp-n)&^uint64(align-1) : sp])
		}
	}
}

// undefReduce combines undefined bits as a reduction may combine elements of size bytes: if a bit of either
// side is undefined, the element is all undefined.
func undefReduce(dst, data []byte, size int) {
	for j := 0; j+size <= len(dst); j += size {
		var some byte
		for k := j; k < j+size; k++ {
			some |= dst[k] | data[k]
		}
		if some != 0 {
			fillOnes(dst[j : j+size])
		}
	}
}

// undefined returns the undefined bits of n existing bytes of the guest's memory; nil if they are not
// tracked.
func (c *hostCall) undefined(addr, n uint64, store bool) []byte {
	if !c.w.Launch.Track || c.fault != nil || n == 0 {
		return nil
	}
	in := c.access(store)
	in.Flags = ir.Undefined
	p, a, _, _ := c.w.find(in, addr, n, c.lane, store)
	if p == nil {
		return nil
	}
	if a != nil && !store {
		a.read = true
	}
	return unsafe.Slice((*byte)(p), n)
}

// look notes that the result or the output of the host depends on n bytes of memory.
func (c *hostCall) look(addr, n uint64) {
	c.touch(ir.AccessRead, addr, n)
	if !c.loose && slices.ContainsFunc(c.undefined(addr, n, false), func(b byte) bool { return b != 0 }) {
		c.loose, c.at = true, addr
	}
}

// define marks n bytes as defined, after the host wrote them.
func (c *hostCall) define(addr, n uint64) { clear(c.undefined(addr, n, true)) }

// copyUndefined copies the undefined bits of n bytes, after the host copied the bytes.
func (c *hostCall) copyUndefined(to, from, n uint64) {
	c.touch(ir.AccessRead, from, n)
	copy(c.undefined(to, n, true), c.undefined(from, n, false))
}

// bitsOf returns the lanes of a lane vector whose element is not 0.
func (f *ValueFrame) bitsOf(r ir.Ref) lane.Mask {
	v := f.Func.Val(r)
	if v.Type == ir.B1 {
		return f.Mask(r)
	}
	words := unsafe.Slice((*uint64)(f.Ptr(r)), v.Size(f.Func.Lanes)/8)
	var some uint64
	for _, x := range words {
		some |= x
	}
	if some == 0 {
		return 0 // the usual case
	}
	var m lane.Mask
	for i := range f.Func.Lanes {
		if f.Get(r, i) != 0 {
			m |= lane.Lane(i)
		}
	}
	return m
}

// setBits makes all bits of the lanes of bad undefined, and all bits of the other lanes of lanes defined.
func (f *ValueFrame) setBits(r ir.Ref, lanes, bad lane.Mask) {
	if f.Func.Val(r).Type == ir.B1 {
		p := (*lane.Mask)(f.Ptr(r))
		*p = *p&^lanes | bad&lanes
		return
	}
	for i := range lanes.Lanes() {
		x := uint64(0)
		if bad.Has(i) {
			x = ^x
		}
		f.Set(r, i, x)
	}
}

// Reach notes the effects that undefined bits reach.
func (w *Wave) Reach(in *ir.Inst, m lane.Mask) {
	v := w.Func.Val(in.Args[0])
	kind := ir.ReachKind(in.Size)
	if kind >= ir.ReachStep {
		w.ways().follow(in, kind, m)
		w.breathe()
		return
	}
	var bad lane.Mask
	if in.Scalar {
		if w.Get(in.Args[0], 0) == 0 {
			return
		}
		bad = lane.Lane(0)
	} else if bad = w.bitsOf(in.Args[0]) & m; bad == 0 {
		return
	}
	var text string
	if kind == ir.ReachStore {
		if bad, text = w.visible(in, bad); bad == 0 {
			return
		}
	}
	f := finding{lanes: bad, text: text, reach: true}
	f.with = int32(kind)
	if w.Func.Steps != nil && w.found[findingKey{reachCode(kind), in.Pos, f.with}] == nil {
		f.rel = w.ways().way(in.Pos, bad)
		w.foundWay()
	}
	if in.Scalar {
		f.lanes = 0
	}
	w.note(w, reachCode(kind), in.Pos, f)
	if v.Kind == ir.Guest && kind != ir.ReachStore {
		if in.Scalar {
			w.Set(in.Args[0], 0, 0)
		} else {
			w.setBits(in.Args[0], bad, 0)
		}
	}
}

// reachText notes that a lane prints undefined bits of memory at addr.
func (w *Wave) reachText(pos int32, i int, addr uint64) {
	f := finding{lanes: lane.Lane(i), text: "text that is printed", reach: true}
	f.with = int32(ir.ReachStore)
	if w.Func.Steps != nil && w.found[findingKey{CodePoisonStore, pos, f.with}] == nil {
		w.ways().load(ir.Generic, addr, 1, i)
		f.rel = w.ways().way(pos, f.lanes)
		w.trail.from.pos = noLoad
		w.foundWay()
	}
	w.note(w, CodePoisonStore, pos, f)
}

// reachBulk notes that a lane copies undefined bits of memory at from to memory that the caller of the
// kernel sees.
func reachBulk(w *Wave, in *ir.Inst, space ir.Space, i int, to, from uint64, undef []byte) {
	mask := ^uint64(0)
	if in.Args[3] != 0 {
		mask = w.Get(in.Args[3], i) // the bytes of each 16 that are copied
	}
	at := 0
	for at < len(undef) && (undef[at] == 0 || mask>>(at&15)&1 == 0) {
		at++
	}
	if at == len(undef) || in.Space == ir.Generic && w.Mem.widen(to)&ir.WindowMask != 0 || in.Space > ir.Global {
		return
	}
	a := w.Mem.Find(to, 1)
	if a == nil || !a.Visible {
		return
	}
	a.loose = true
	f := finding{lanes: lane.Lane(i), text: fmt.Sprintf("%q", a.Name), reach: true}
	f.with = int32(ir.ReachStore)
	if w.Func.Steps != nil && w.found[findingKey{CodePoisonStore, in.Pos, f.with}] == nil {
		w.ways().load(space, from+uint64(at), 1, i)
		f.rel = w.ways().way(in.Pos, f.lanes)
		w.trail.from.pos = noLoad
		w.foundWay()
	}
	w.note(w, CodePoisonStore, in.Pos, f)
}

// visible returns the lanes whose store of undefined bits the caller of the kernel sees, and the name of
// the first one's buffer.
func (w *Wave) visible(in *ir.Inst, bad lane.Mask) (lane.Mask, string) {
	var out lane.Mask
	var name string
	n := uint64(in.Align)
	for i := range bad.Lanes() {
		if n < 8 && w.Get(in.Args[0], i)&(1<<(8*n)-1) == 0 {
			continue // the bits that are stored are defined
		}
		addr := w.Address(in.Args[1], i, in.Imm)
		if in.Space == ir.Generic && w.Mem.widen(addr)&ir.WindowMask != 0 {
			continue
		}
		if a := w.Mem.Find(addr, n); a != nil && !a.Visible {
			a.stain(Stain{w.Func, in.Pos, lane.Lane(i), addr - a.Base, addr - a.Base + n, w.Func.Name})
		} else if a != nil {
			a.loose = true
			if out == 0 {
				name = fmt.Sprintf("%q", a.Name)
			}
			out |= lane.Lane(i)
		}
	}
	return out, name
}

// reachCode returns the code of a finding of some kind.
func reachCode(k ir.ReachKind) string {
	return [...]string{CodePoisonBranch, CodePoisonAddress, CodePoisonStore, CodePoisonTrap}[k&3]
}

// reached writes the message of a finding of Reach.
func (f *finding) reached(d *diag.Diagnostic, name string) {
	who := f.lanes.Named()
	if f.lanes == 0 {
		who = "the wave"
	}
	switch f.code {
	case CodePoisonBranch:
		d.Message = fmt.Sprintf("%s: which way %s depends on undefined bits", name, who+map[bool]string{true: " go", false: " goes"}[f.lanes.Count() > 1])
		d.Remedy = "give the value that decides a defined value on every path that leads here"
	case CodePoisonAddress:
		d.Message = fmt.Sprintf("%s: the address of %s has undefined bits", name, who)
		if f.text != "" {
			d.Message = name + ": " + f.text
		}
		d.Remedy = "write the values from which the address is computed before it is used"
	case CodePoisonStore:
		d.Message = fmt.Sprintf("%s: undefined bits of %s reach %s, which the caller sees", name, who, f.text)
		d.Remedy = "store only what has been written or computed from defined values"
	case CodePoisonTrap:
		d.Message = fmt.Sprintf("%s: whether it fails for %s depends on undefined bits", name, who)
		d.Remedy = "give the value that is tested a defined value"
	}
}

// Undefined returns the undefined bits of n bytes, at most 8, of an allocation after a launch with Track.
func (a *Alloc) Undefined(off, n uint64) (bits uint64) {
	for i := range min(n, 8) {
		b := byte(0)
		switch {
		case a.undef != nil:
			b = a.undef[off+i]
		case a.Uninitialised || a.heap:
			b = 0xff
		}
		bits |= uint64(b) << (8 * i)
	}
	return bits
}

// Left returns the elements, of size bytes, that no lane has written, after a launch with Track: the first
// and the last index of each run of them. It returns none if the answer is unreliable: the caller gave
// contents, the guest has stored undefined bits, or it reads the allocation, which may then hold
// intermediate results.
func (a *Alloc) Left(size int) (runs [][2]int) {
	if !a.Uninitialised || !a.Visible || a.loose || a.read || a.undef == nil || !a.Written() {
		return nil
	}
	for i := range len(a.undef) / size {
		if slices.ContainsFunc(a.undef[i*size:(i+1)*size], func(b byte) bool { return b != 0xff }) {
			continue
		}
		if n := len(runs); n > 0 && runs[n-1][1] == i-1 {
			runs[n-1][1] = i
		} else {
			runs = append(runs, [2]int{i, i})
		}
	}
	return runs
}
