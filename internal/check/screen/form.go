package screen

import (
	"math/bits"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
)

// The numbers of the launch values of a form, from Options.First on. The last one is followed by baseValues
// values for each base.
const (
	ValueBase    = iota // the lowest tag of the launch
	ValueStride         // the tags of a block
	ValueFlag           // the address of the word that a suspicion sets
	ValueCounts         // the address of a word per block: how many words of shared memory it has written
	ValueTotal          // how many words its variables have
	ValueSharedW        // the address of the tags of writers of shared memory
	ValueSharedR
	ValueLocal // the address of the tags of private memory
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
	// Grain is how many bytes a tag of writers and readers is for, of each base: 1, 2 or 4.
	Grain []uint8
	// Full compares quiet loads of shared memory with the variables only, and is suspicious of a block that has not
	// written all of them. Without it a load looks at the tag of its word.
	Full bool
	// Marks makes loads of read-only allocations leave tags, too.
	Marks bool
}

// A Form is the screening form of a kernel.
type Form struct {
	Func *ir.Func
	// Marks holds the loads that leave tags in read-only memory: that of index i leaves the launch's lowest tag
	// plus 1 + i, at the first of its bytes. The longest come last.
	Marks []Mark
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
	return &Form{Func: &w.out, Marks: w.numberMarks()}
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
		case ir.Load, ir.Store, ir.Atomic:
			if !w.access(b, i, &in) {
				return false
			}
			if in.Op != ir.Atomic {
				// A strong store writes what a plain one does. Machine code has plain ones only.
				in.Flags &^= ir.Volatile | ir.Relaxed
			}
		case ir.Collective:
			w.rows(b, i, &in)
		case ir.Bar:
			w.barrier()
		case ir.Exit:
			w.exit()
		default:
			w.domain(&in)
		}
		w.out.Code = append(w.out.Code, in)
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
	w.set(ir.Add32, w.now, w.now, w.konst(ir.B32, 1<<ThreadBits))
	w.set(ir.Add64, w.ended, w.ended, w.konst(ir.B64, 1<<ThreadBits))
}

// exit tells of suspicions, and is suspicious of more intervals than the block has tags for: those of the next block
// may have been taken for its own.
func (w *writer) exit() {
	if w.Barriers {
		w.suspect(w.v(ir.GeU64, w.ended, w.v(ir.CvtU64FromU32, w.value(ValueStride, ir.B32))), nil)
	}
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

// access emits the comparisons before a load, a store or an atomic.
func (w *writer) access(b, i int, in *ir.Inst) bool {
	switch in.Space {
	case ir.Shared:
		w.shared(b, i, in)
		return true
	case ir.Local:
		w.local(b, i, in)
		return true
	case ir.Global, ir.Generic:
	default:
		return true
	}
	base := w.base[i]
	class := w.o.Class[base]
	g := w.bounds(b, i, in, base)
	off := in.Offset()
	shift := tagShift(w.o.Grain[base])
	addr := in.Args[0]
	delta := func(value int) ir.Ref { return w.v(ir.Add64, addr, w.value(OfBase(base, value), ir.B64)) }
	switch {
	case in.Op == ir.Store && class&WriteOnly == 0, in.Op == ir.Load && class&ReadOnly == 0, class == Unused:
		return false
	case class == ReadOnly:
		if w.o.Marks && g != nil {
			w.marks(g, in, base, shift)
		}
		return true
	case class == Updated && !w.o.Marks:
		return true
	case w.readOnly[in.Pos]:
		return false
	}
	if shift > 0 {
		addr = w.v(ir.Shl64, addr, w.konst(ir.B32, shift))
	}
	at := delta(BaseW)
	readers := ir.Ref(0)
	if class.Readers() {
		readers = delta(BaseR)
	}
	off <<= shift
	for piece := uint64(0); piece < uint64(in.Size)<<shift; piece += 4 {
		n := off + piece // it wraps around if a negative offset reaches up to the address
		if class == Updated {
			w.markUpdate(at, n, in)
			continue
		}
		if in.Op != ir.Load && readers != 0 {
			w.suspect(w.conflict(w.load(readers, n, 0, in), true), in)
		}
		if in.Op == ir.Atomic && class&Updated != 0 {
			w.update(at, n, in, true)
			continue
		}
		w.suspect(w.conflict(w.load(at, n, 0, in), true), in)
		if in.Op == ir.Load {
			w.read(readers, n, in, true)
			continue
		}
		w.write(at, n, in)
	}
	return true
}

// shared is access for shared memory.
func (w *writer) shared(b, i int, in *ir.Inst) {
	w.variables(b, i, in)
	x := &w.blocks[b]
	loads := in.Op == ir.Load || in.Op == ir.Collective
	if loads && w.o.Full && w.quiet(b) {
		return
	}
	shift := tagShift(w.SharedGrain(w.o.Full))
	addr := w.offset64(in)
	if shift > 0 {
		addr = w.v(ir.Shl64, addr, w.konst(ir.B32, shift))
	}
	at := w.v(ir.Add64, addr, w.value(ValueSharedW, ir.B64))
	readers := ir.Ref(0)
	if x.stores && x.loads {
		readers = w.v(ir.Add64, addr, w.value(ValueSharedR, ir.B64))
	}
	for n := uint64(0); n < uint64(in.Size)<<shift; n += 4 {
		if !loads && readers != 0 {
			w.suspect(w.conflict(w.load(readers, n, 0, in), false), in)
		}
		if in.Op == ir.Atomic && !w.Kernel.shared.Mixed {
			w.update(at, n, in, false)
			continue
		}
		tag := w.load(at, n, 0, in)
		if loads {
			// Only the thread itself, or an interval before this one, may have written it.
			before := w.v(ir.And32, w.v(ir.Sub32, w.now, w.start), w.konst(ir.B32, ^uint64(many)))
			late := w.v(ir.GeU32, w.v(ir.Sub32, tag, w.start), before)
			w.suspect(w.v(ir.AndP, late, w.v(ir.NeU32, tag, w.now)), in)
			if readers != 0 {
				w.read(readers, n, in, false)
			}
			continue
		}
		w.suspect(w.conflict(tag, false), in)
		fresh := w.v(ir.GeU32, w.v(ir.Sub32, tag, w.start), w.value(ValueStride, ir.B32)) // the block has not written it
		if in.Op == ir.Atomic {
			w.suspect(fresh, in)
		}
		// A store to shared memory is no change that other blocks can see, so its tag must not be one again and
		// again: else a block that waits for another one would seem to work.
		w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: n, Args: [4]ir.Ref{at, w.now}, Guard: w.under(w.v(ir.NeU32, tag, w.now), in)})
		w.suspect(w.v(ir.NeU32, w.load(at, n, 0, in), w.now), in)
		if w.o.Full && in.Op == ir.Store {
			w.emit(ir.Inst{Op: ir.Atomic, Size: 4, Align: 4, Space: ir.Global, Imm: ir.AtomicImm(ir.AtomAdd, 0),
				Args: [4]ir.Ref{w.counts, w.konst(ir.B32, 1)}, Guard: w.under(fresh, in)})
		}
	}
}

// rows is access for an ldmatrix: the first lanes have the addresses of rows, and read them. For any other operation of
// all lanes it does nothing.
func (w *writer) rows(b, i int, in *ir.Inst) {
	info := &w.f.Collectives[in.Imm]
	if info.Matrix.Kind != matrix.LoadRows {
		return
	}
	x := ir.Inst{Op: ir.Collective, Space: in.Space, Size: rowBytes, Imm: uint64(info.Offset), Args: [4]ir.Ref{in.Args[0]}}
	n := info.Matrix.RowLanes() * info.Matrix.Num
	x.Guard = w.under(w.v(ir.LtU32, w.input(ir.LaneID), w.konst(ir.B32, uint64(n))), in)
	w.shared(b, i, &x)
}

// rowBytes is the size of a row of ldmatrix.
const rowBytes = 16

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

// tagShift is by how many bits addresses are shifted for tags of a grain.
func tagShift(grain uint8) uint64 { return uint64(2 - bits.TrailingZeros8(grain)) }

// conflict returns the lanes for which a tag is one of another thread in the same interval or, if blocks share the
// memory, one of another block in the same launch.
func (w *writer) conflict(tag ir.Ref, global bool) ir.Ref {
	x := w.v(ir.Sub32, w.v(ir.Xor32, tag, w.now), w.konst(ir.B32, 1))
	same := w.v(ir.LtU32, x, w.konst(ir.B32, many))
	if !global {
		return same
	}
	return w.v(ir.OrP, same, w.other(tag))
}

// other returns the lanes for which a tag is one of another block in the same launch.
func (w *writer) other(tag ir.Ref) ir.Ref {
	launch := w.v(ir.GeU32, tag, w.value(ValueBase, ir.B32))
	return w.v(ir.AndP, launch, w.v(ir.GeU32, w.v(ir.Sub32, tag, w.start), w.value(ValueStride, ir.B32)))
}

// write leaves the tags of a store. Lanes of the store that meet at a word conflict.
func (w *writer) write(at ir.Ref, off uint64, in *ir.Inst) {
	w.store(at, off, w.now, in)
	w.suspect(w.v(ir.NeU32, w.load(at, off, 0, in), w.now), in)
}

// read leaves the tags of a load.
func (w *writer) read(at ir.Ref, off uint64, in *ir.Inst, global bool) {
	old := w.load(at, off, 0, in)
	x := w.v(ir.Sub32, w.v(ir.Xor32, old, w.now), w.konst(ir.B32, 1))
	several := w.v(ir.Or32, w.now, w.konst(ir.B32, many))
	tag := w.v(ir.Sel32, w.v(ir.LtU32, x, w.konst(ir.B32, many)), several, w.now)
	if global {
		// No block has the lowest tag of the launch.
		tag = w.v(ir.Sel32, w.other(old), w.value(ValueBase, ir.B32), tag)
	}
	// A lane that looks again and again changes no memory: else a livelock would never be seen.
	w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: off, Args: [4]ir.Ref{at, tag}, Guard: w.under(w.v(ir.NeU32, old, tag), in)})
	mixed := w.v(ir.NeU32, w.load(at, off, 0, in), tag)
	w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: off, Args: [4]ir.Ref{at, several}, Guard: w.under(mixed, in)})
}

// offset64 returns the offset in shared or private memory of an access, with 64 bits.
func (w *writer) offset64(in *ir.Inst) ir.Ref {
	off := in.Offset()
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
