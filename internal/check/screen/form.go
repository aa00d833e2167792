package screen

import "example.org/crosslane/internal/ir"

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
	// Grain is how many bytes a tag of writers and readers is for, of each base: 1, 2 or 4. Tags of readers of
	// read-only memory are for 4 bytes.
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
	// Marked holds the instructions whose loads leave tags, as Pos: that of index i leaves the launch's lowest tag
	// plus 1 + i.
	Marked []int32
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
	return &Form{Func: &w.out, Marked: w.marked}
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
				// In a clean run no other thread changes what a load finds, and machine code loads nothing volatile.
				in.Flags &^= ir.Volatile | ir.Relaxed
			}
		case ir.Bar:
			w.barrier()
		case ir.Exit:
			w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Args: [4]ir.Ref{w.value(ValueFlag, ir.B64), w.konst(ir.B32, 1)}, Guard: w.bad})
		default:
			w.domain(&in)
		}
		w.out.Code = append(w.out.Code, in)
		w.forget(in.Dst)
		w.forget(in.Dst2)
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
	if w.o.Full {
		w.counts = w.guest("count", ir.B64)
		at := w.v(ir.CvtU64FromU32, w.v(ir.Shl32, block, w.konst(ir.B32, 2)))
		w.set(ir.Add64, w.counts, at, w.value(ValueCounts, ir.B64))
	}
}

// barrier ends the interval of the threads that come to a barrier.
func (w *writer) barrier() {
	w.set(ir.Add32, w.now, w.now, w.konst(ir.B32, 1<<ThreadBits))
	w.suspect(w.v(ir.GeU32, w.v(ir.Sub32, w.now, w.start), w.value(ValueStride, ir.B32)), nil)
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
		return w.shared(b, i, in)
	case ir.Global, ir.Generic:
	default:
		return true
	}
	base := w.base[i]
	class := w.o.Class[base]
	w.bounds(b, i, in, base)
	off := in.Offset()
	shift := uint64(2)
	for g := w.o.Grain[base]; g > 1; g /= 2 {
		shift--
	}
	if class == ReadOnly {
		shift = 0
	}
	addr := in.Args[0]
	delta := func(value int) ir.Ref { return w.v(ir.Add64, addr, w.value(OfBase(base, value), ir.B64)) }
	switch {
	case in.Op == ir.Store && class&WriteOnly == 0, in.Op == ir.Load && class&ReadOnly == 0, class == Unused:
		return false
	case class == ReadOnly:
		if w.o.Marks {
			if in.Size < 4 { // a mark is one of a word, and its other bytes may be written at the same time
				return false
			}
			w.mark(in, delta(BaseR))
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
	for n := off; n < off+uint64(in.Size)<<shift; n += 4 {
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
func (w *writer) shared(b, i int, in *ir.Inst) bool {
	w.variables(b, i, in)
	x := &w.blocks[b]
	if in.Op == ir.Load && w.o.Full && w.quiet(b) {
		return true
	}
	if in.Size < 4 {
		return false
	}
	addr := w.sharedOffset(in)
	at := w.v(ir.Add64, addr, w.value(ValueSharedW, ir.B64))
	readers := ir.Ref(0)
	if x.stores && x.loads {
		readers = w.v(ir.Add64, addr, w.value(ValueSharedR, ir.B64))
	}
	for n := uint64(0); n < uint64(in.Size); n += 4 {
		if in.Op != ir.Load && readers != 0 {
			w.suspect(w.conflict(w.load(readers, n, 0, in), false), in)
		}
		if in.Op == ir.Atomic && !w.Kernel.shared.Mixed {
			w.update(at, n, in, false)
			continue
		}
		tag := w.load(at, n, 0, in)
		fresh := w.v(ir.GeU32, w.v(ir.Sub32, tag, w.start), w.value(ValueStride, ir.B32)) // the block has not written it
		w.suspect(w.conflict(tag, false), in)
		if in.Op != ir.Store {
			w.suspect(fresh, in)
		}
		if in.Op == ir.Load {
			if readers != 0 {
				w.read(readers, n, in, false)
			}
			continue
		}
		w.write(at, n, in)
		if w.o.Full && in.Op == ir.Store {
			w.emit(ir.Inst{Op: ir.Atomic, Size: 4, Align: 4, Space: ir.Global, Imm: ir.AtomicImm(ir.AtomAdd, 0),
				Args: [4]ir.Ref{w.counts, w.konst(ir.B32, 1)}, Guard: w.under(fresh, in)})
		}
	}
	return true
}

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

// mark leaves the tag of a load from a read-only allocation, which names the instruction.
func (w *writer) mark(in *ir.Inst, at ir.Ref) {
	if n := len(w.marked); n == 0 || w.marked[n-1] != in.Pos {
		w.marked = append(w.marked, in.Pos)
	}
	tag := w.v(ir.Add32, w.value(ValueBase, ir.B32), w.konst(ir.B32, uint64(len(w.marked))))
	off := in.Offset()
	for n := uint64(0); n < uint64(in.Size); n += 4 {
		// The first one stays: a lane that looks again changes no memory.
		fresh := w.v(ir.LtU32, w.load(at, off+n, 0, in), w.value(ValueBase, ir.B32))
		w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: off + n, Args: [4]ir.Ref{at, tag}, Guard: w.under(fresh, in)})
	}
}

// sharedOffset returns the offset in shared memory of an access, with 64 bits.
func (w *writer) sharedOffset(in *ir.Inst) ir.Ref {
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
