package screen

import (
	"math/bits"
	"slices"

	"example.org/crosslane/internal/ir"
)

// The numbers of the launch values of a form, from Options.First on. The last one is followed by baseValues
// values for each base.
const (
	ValueBase    = iota // the lowest tag of the launch
	ValueStride         // the tags of a block
	ValueFlag           // the address of two words: a suspicion sets the first, stores of equal values the second
	ValueCounts         // the address of a word per block: how many words of shared memory it has written
	ValueTotal          // how many words its variables have
	ValueSharedW        // the address of the tags of writers of shared memory
	ValueSharedR
	ValueLocal  // the address of the tags of private memory
	ValueGroups // the address of two words: how many groups of copies the threads of a block have waited for
	ValueWays   // the address of 8 bytes per thread: its way; see Options.Same
	ValueThreads
	valueBases
)

// The values of a base.
const (
	BaseLow    = iota // the address of its allocation
	BaseSize          // bytes
	BaseW             // from its allocation to the tags of writers, with addresses multiplied by 4/grain
	BaseR             // and of readers
	baseValues        // how many there are
)

// Values is how many launch values a form has beside those of the kernel.
func (k *Kernel) Values() int { return valueBases + baseValues*len(k.Bases) }

// OfBase is the number of a value of a base.
func OfBase(base, value int) int { return valueBases + baseValues*base + value }

// Parts of a tag.
const (
	ThreadBits = 11
	many       = 1<<ThreadBits - 1 // several threads of the interval; blocks have at most 1,024
	TagBits    = 32
)

// Options choose a form.
type Options struct {
	First int     // how many launch values the kernel has
	Class []Class // of each base
	// Grain is how many bytes a tag of writers and readers is for, of each base: 1, 2, 4, 8 or 16.
	Grain []uint8
	// Shared is that of shared memory, at most Kernel.SharedGrain.
	Shared uint8
	// Full compares quiet loads of shared memory with the variables only, and is suspicious of a block that has not
	// written all of them. Without it a load looks at the tag of its word.
	Full bool
	// Marks makes loads of read-only allocations leave tags, too.
	Marks bool
	// Runs leaves one tag for the bytes that a thread loads one after the other in loops (marks.go). It goes with Marks, and with
	// allocations of less than 4 GiB.
	Runs bool
	// Same takes stores of equal values to one word of shared memory for no suspicion (same.go). It goes without Full.
	Same bool
}

// A Form is the screening form of a kernel.
type Form struct {
	Func *ir.Func
	// Marks holds the loads that leave tags in read-only memory: that of index i leaves the launch's lowest tag
	// plus 1 + i, at the first of its bytes. The longest come last.
	Marks []Mark
	// Runs reports that a tag also says how many bytes it is for: see UnitsOf.
	Runs bool
}

// Form makes a form; nil if the kernel has none for these classes.
func (k *Kernel) Form(o Options) *Form {
	w := newWriter(k, o)
	for b := range k.f.Blocks {
		if !w.block(b) {
			return nil
		}
	}
	w.out.Extend(len(w.f.Values), w.added, w.guests, w.rest)
	return &Form{Func: &w.out, Marks: w.numberMarks(), Runs: len(w.inRow.of) > 0}
}

// block rewrites a block of the function.
func (w *writer) block(b int) bool {
	f, blk := w.f, w.f.Blocks[b]
	from := len(w.out.Code)
	w.pos = f.Code[blk.Start].Pos
	clear(w.groups)
	w.renew()
	if b == 0 {
		w.prelude()
	}
	if w.Copies && b > 0 && f.Code[blk.Start-1].Op == ir.Bar {
		w.agree()
	}
	if w.o.Same {
		w.enters(b)
	}
	if w.o.Full && w.blocks[b].check {
		n := w.load(w.counts, 0, 0, nil)
		w.suspect(w.v(ir.NeU32, n, w.value(ValueTotal, ir.B32)), nil)
	}
	for i := blk.Start; i < blk.End; i++ {
		in := f.Code[i]
		if in.Pos != w.pos {
			w.pos = in.Pos
			w.renew()
		}
		switch in.Op {
		case ir.Claim:
			if ir.ClaimKind(in.Size) == ir.ClaimOpen {
				w.suspect(in.Args[1], &in)
			} else {
				w.readOnly[in.Pos] = true
			}
			continue
		case ir.Access:
			if in.Args[0] == 0 {
				w.order(&in)
			} else if !w.access(b, i, &in) {
				return false
			}
			continue
		case ir.Load, ir.Store:
			if isPrivate(&in) {
				w.local(b, i, &in)
			}
			// A strong store writes what a plain one does. Machine code has plain ones only.
			in.Flags &^= ir.Volatile | ir.Relaxed
		case ir.Collective:
			w.rows(b, i, &in)
		case ir.Bar:
			w.barrier()
		case ir.Exit:
			w.exit(&in)
		default:
			w.domain(&in)
		}
		w.out.Code = append(w.out.Code, in)
		if w.o.Same && w.same.ofEqual[i] {
			w.suspect(w.differs(&in), &in) // lanes that meet in this store
		}
		w.forget(in.Dst)
		w.forget(in.Dst2)
		if in.Op == ir.Collective {
			for _, d := range f.Collectives[in.Imm].Dst {
				w.forget(d)
			}
		}
	}
	if len(w.out.Code) == from {
		w.emit(ir.Inst{Op: ir.Nop})
	}
	w.out.Blocks = append(w.out.Blocks, ir.Block{Start: from, End: len(w.out.Code)})
	return true
}

// prelude computes the first tag of each thread.
func (w *writer) prelude() {
	block := w.input(ir.LinearBlockID)
	stride := w.value(ValueStride, ir.B32)
	first := w.v(ir.Mul32, w.v(ir.Add32, block, w.konst(ir.B32, 1)), stride)
	w.set(ir.Add32, w.start, w.value(ValueBase, ir.B32), first)
	thread := w.v(ir.Or32, w.v(ir.Shl32, w.input(ir.WaveID), w.konst(ir.B32, 5)), w.input(ir.LaneID))
	w.set(ir.Or32, w.now, w.start, thread)
	if w.Barriers {
		w.ended = w.guest("ended intervals", ir.B64)
		w.set(ir.Mov64, w.ended, w.konst(ir.B64, 0))
	}
	if w.Copies {
		w.beginCopies(thread)
	}
	if w.o.Same {
		w.beginWay(block, thread)
	}
	if w.o.Marks && w.o.Runs {
		w.beginReadings()
	}
	if w.Locals {
		w.locals = w.guest("private tags", ir.B64)
		slots := uint64(w.f.LocalSize+3) / 4 * 4 / uint64(w.LocalGrain)
		lane := w.v(ir.Add32, w.v(ir.Mul32, w.input(ir.WaveID), w.konst(ir.B32, 4*32*slots)), w.v(ir.Shl32, w.input(ir.LaneID), w.konst(ir.B32, 2)))
		w.set(ir.Add64, w.locals, w.v(ir.CvtU64FromU32, lane), w.value(ValueLocal, ir.B64))
	}
	if w.o.Full {
		w.counts = w.guest("count", ir.B64)
		at := w.v(ir.CvtU64FromU32, w.v(ir.Shl32, block, w.konst(ir.B32, 2)))
		w.set(ir.Add64, w.counts, at, w.value(ValueCounts, ir.B64))
	}
}

// barrier ends the interval of the threads that come to a barrier.
func (w *writer) barrier() {
	if w.Copies {
		w.shareDone()
	}
	w.set(ir.Add32, w.now, w.now, w.konst(ir.B32, 1<<ThreadBits))
	w.set(ir.Add64, w.ended, w.ended, w.konst(ir.B64, 1<<ThreadBits))
}

// exit tells of suspicions, and is suspicious of more intervals than the block has tags for: those of the next block
// may have been taken for its own.
func (w *writer) exit(in *ir.Inst) {
	if w.Barriers {
		tags := w.value(ValueStride, ir.B32)
		if w.Copies {
			tags = w.cp.half
		}
		w.suspect(w.v(ir.GeU64, w.ended, w.v(ir.CvtU64FromU32, tags)), nil)
	}
	if w.Copies {
		w.suspect(w.v(ir.LtU32, w.cp.done, w.cp.issued), in) // a copy that its thread has not waited for
	}
	if w.o.Same {
		w.endWay(in)
	}
	w.endReadings(in)
	w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Args: [4]ir.Ref{w.value(ValueFlag, ir.B64), w.konst(ir.B32, 1)}, Guard: w.bad})
}

// domain is suspicious of an argument for which the result is undefined.
func (w *writer) domain(in *ir.Inst) {
	d, ok := ir.DomainOf(in.Op)
	if !ok {
		return
	}
	t, r := ir.Ops[in.Op].Args[d.Arg], in.Args[d.Arg]
	top := ^uint64(0) >> (64 - 8*t.Bytes())
	if v := w.f.Val(r); v.Kind == ir.Const && d.Least <= v.Const&top && v.Const&top <= d.Most {
		return
	}
	below := map[ir.Type]ir.Op{ir.B16: ir.LtU16, ir.B32: ir.LtU32, ir.B64: ir.LtU64}[t]
	if in.Scalar {
		r = w.splat(r)
	}
	if d.Least > 0 {
		w.suspect(w.v(below, r, w.konst(t, d.Least)), in)
	}
	if d.Most < top {
		w.suspect(w.v(below, w.konst(t, d.Most), r), in)
	}
}

// access emits the comparisons of an access that was told, and the tags that it leaves.
func (w *writer) access(b, i int, in *ir.Inst) bool {
	switch in.Space {
	case ir.Shared:
		w.shared(b, i, in)
		return true
	case ir.Global, ir.Generic:
	default:
		return true
	}
	base := w.base[i]
	class := w.o.Class[base]
	g := w.bounds(b, i, in, base)
	grain := w.o.Grain[base]
	kind := kindOf(in)
	switch {
	case kind == ir.AccessWrite && class&WriteOnly == 0, kind == ir.AccessRead && class&ReadOnly == 0, class == Unused:
		return false
	case class == ReadOnly:
		if w.o.Marks && g != nil {
			w.marks(b, g, in, base, grain)
		}
		return true
	case class == Updated && !w.o.Marks:
		return true
	case w.readOnly[in.Pos]:
		return false
	}
	tags := w.tagsOf(in.Args[0], in.Imm, in.Size, grain)
	x := meeting{Inst: in, kind: kind, global: true, updates: class&Updated != 0}
	x.writers = w.v(ir.Add64, tags.addr, w.value(OfBase(base, BaseW), ir.B64))
	if class.Readers() && !w.paired[i] {
		x.readers = w.v(ir.Add64, tags.addr, w.value(OfBase(base, BaseR), ir.B64))
	}
	if x.offs = slices.Collect(tags.each); class == Updated {
		for _, off := range x.offs {
			w.markUpdate(x.writers, off, in)
		}
		return true
	}
	w.meet(&x)
	return true
}

// A tagged is the tags of the bytes of an access.
type tagged struct {
	addr   ir.Ref // 64 bits: the address of the access, times the bytes of tags for each byte; see Tagged
	off    uint64 // with its sign
	pieces int
}

// Tagged returns how many bytes the tags of n bytes take, of which n is a multiple of the grain.
func Tagged(n uint64, grain uint8) uint64 {
	if grain > 4 {
		return n / uint64(grain/4)
	}
	return n * uint64(4/grain)
}

// tagsOf returns the tags of an access of size bytes at an address, to which an offset with its sign is added. The sum is a multiple of
// the grain, or the access is a fault.
func (w *writer) tagsOf(addr ir.Ref, off uint64, size, grain uint8) tagged {
	pieces := int(size / grain)
	if grain <= 4 {
		shift := tagShift(grain)
		if shift > 0 {
			addr = w.v(ir.Shl64, addr, w.konst(ir.B32, shift))
		}
		return tagged{addr, off << shift, pieces}
	}
	if rest := off % uint64(grain); rest != 0 {
		addr, off = w.v(ir.Add64, addr, w.konst(ir.B64, rest)), off-rest
	}
	shift := bits.TrailingZeros8(grain / 4)
	return tagged{w.v(ir.ShrU64, addr, w.konst(ir.B32, uint64(shift))), uint64(int64(off) >> shift), pieces}
}

// each yields the offset of each tag.
func (p tagged) each(yield func(off uint64) bool) {
	for i := range p.pieces {
		if !yield(p.off + 4*uint64(i)) {
			return
		}
	}
}

// shared is access for shared memory.
func (w *writer) shared(b, i int, in *ir.Inst) {
	w.variables(b, i, in)
	x := meeting{Inst: in, kind: kindOf(in), updates: !w.Kernel.shared.Mixed}
	if x.kind == ir.AccessRead && w.o.Full && w.quiet(b) {
		return
	}
	if x.copies = in.Order&ir.Async != 0; x.copies {
		w.issue(in)
	}
	tags := w.tagsOf(w.offset64(in), 0, in.Size, w.o.Shared)
	unit := uint16(ir.RowBytes)
	if isTold(&w.f.Code[i]) {
		unit = uint16(w.told[i].unit)
	}
	x.offs, x.align = slices.Collect(tags.each), 4*unit/uint16(w.o.Shared)
	x.writers = w.v(ir.Add64, tags.addr, w.value(ValueSharedW, ir.B64))
	// Equal values may meet in the store of a pair, whose tag then does not conflict with each other store.
	if iv := &w.blocks[b]; iv.stores && (iv.lone || w.o.Same && iv.loads) && (w.o.Same || !w.paired[i]) {
		x.readers = w.v(ir.Add64, tags.addr, w.value(ValueSharedR, ir.B64))
	}
	if w.o.Same && mayMeetEqual(in) {
		w.equal(&x, w.told[i].stores)
		return
	}
	w.meet(&x)
}

// rows is access for ldmatrix and stmatrix. For any other operation of all lanes it does nothing.
func (w *writer) rows(b, i int, in *ir.Inst) {
	info := &w.f.Collectives[in.Imm]
	n, kind, ok := info.Rows()
	if !ok {
		return
	}
	x := ir.Inst{Op: ir.Access, Space: in.Space, Size: ir.RowBytes, Align: uint16(kind), Imm: uint64(info.Offset), Args: [4]ir.Ref{in.Args[0]}, Pos: in.Pos}
	x.Guard = w.under(w.v(ir.LtU32, w.input(ir.LaneID), w.konst(ir.B32, uint64(n))), in)
	w.shared(b, i, &x)
}

// local is access for private memory, in which no threads meet: a load is suspicious unless its thread has written
// the bytes. Threads of different blocks share tags, and each block has a tag of its own.
func (w *writer) local(b, i int, in *ir.Inst) {
	w.variables(b, i, in)
	const lanes = 5 // the tags of a warp for the same bytes lie side by side
	shift := tagShift(w.LocalGrain)
	at := w.v(ir.Add64, w.v(ir.Shl64, w.offset64(in), w.konst(ir.B32, shift+lanes)), w.locals)
	for n := uint64(0); n < uint64(in.Size)<<(shift+lanes); n += 4 << lanes {
		tag := w.load(at, n, 0, in)
		fresh := w.v(ir.NeU32, tag, w.start)
		if in.Op == ir.Load {
			w.suspect(fresh, in)
			continue
		}
		w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: n, Args: [4]ir.Ref{at, w.start}, Guard: w.under(fresh, in)})
	}
}

// tagShift is by how many bits addresses are shifted for tags of a grain of at most 4 bytes.
func tagShift(grain uint8) uint64 { return uint64(2 - bits.TrailingZeros8(grain)) }

// offset64 returns the offset in shared or private memory of an access, with 64 bits.
func (w *writer) offset64(in *ir.Inst) ir.Ref {
	off := offsetOf(in)
	if w.f.Val(in.Args[0]).Type == ir.B64 {
		if off == 0 {
			return in.Args[0]
		}
		return w.v(ir.Add64, in.Args[0], w.konst(ir.B64, off))
	}
	if uint32(off) == 0 {
		return w.v(ir.CvtU64FromU32, in.Args[0])
	}
	return w.v(ir.CvtU64FromU32, w.v(ir.Add32, in.Args[0], w.konst(ir.B32, uint64(uint32(off)))))
}
