package screen

import (
	"cmp"
	"maps"
	"slices"

	"example.org/crosslane/internal/ir"
)

// The loads of read-only memory, for lists of what a launch has accessed.
//
// Input: the loads of a group (bounds.go), which are all executed if one is.
// Output: one tag for each run of adjacent bytes that the group loads.
// Invariant: of two runs with the same first byte the longer one has the higher tag, and the higher tag stays. So the
// tags tell all bytes, and a lane that looks again and again changes no memory.
// Example: loads at [r8], [r8+4], [r8+8], [r8+12] are one mark of 16 bytes at r8.
//
// # Marks of loops
//
// With Options.Runs a thread keeps, for each base, the bytes that its loads in loops have read one after the other, in registers. It leaves
// a tag when a load does not follow the last one, and when it ends. A tag of such a form also says how many units of the
// grain it is for. So a thread that sums a line of a matrix leaves one tag, not one for each element.

// A Mark is loads of adjacent bytes that leave one tag.
type Mark struct {
	Pos   int32  // the instruction that loads the first byte
	Bytes uint32 // how many bytes they load
	tag   ir.Ref // the constant that is its number
	grain uint8
}

// reading is the registers of a base for the bytes that a thread has read one after the other. All are offsets in the allocation.
type reading struct {
	first, end ir.Ref
	tag        ir.Ref // 0: there are none
	grain      uint8
}

// readings is what a form with Options.Runs knows.
type readings struct {
	of    map[int]*reading // by base
	bases []int            // those that have one
	steps []step
	loops []bool // by block of the function
}

// A step is a constant by which loads make the tag of a reading larger.
type step struct {
	konst ir.Ref
	units uint64
}

// UnitsOf returns the index of the mark that a tag is of, and of how many units of the grain, for a form with Runs. tag begins
// with 1 after the launch's lowest one.
func (f *Form) UnitsOf(tag uint32) (mark int, units uint64) {
	n := uint32(len(f.Marks))
	return int((tag - 1) % n), uint64((tag - 1) / n)
}

// TagsOf is how many tags a form with Runs may need for an allocation of so many units.
func (f *Form) TagsOf(units uint64) uint64 { return uint64(len(f.Marks))*(units+1) + 1 }

// inLoops returns the blocks of a function that a branch back may repeat.
func inLoops(f *ir.Func) []bool {
	deep := make([]int, len(f.Blocks)+1)
	var next []int
	for b := range f.Blocks {
		next = f.Successors(b, next[:0])
		for _, to := range next {
			if to <= b {
				deep[to]++
				deep[b+1]--
			}
		}
	}
	loops, n := make([]bool, len(f.Blocks)), 0
	for b := range loops {
		n += deep[b]
		loops[b] = n > 0
	}
	return loops
}

// Reads is how many loads of global memory a kernel has.
func (k *Kernel) Reads() (n int) {
	for i := range k.base {
		if kindOf(&k.f.Code[i]) == ir.AccessRead {
			n++
		}
	}
	return n
}

// beginReadings sets the registers of a thread for marks of loops.
func (w *writer) beginReadings() {
	w.inRow.of = map[int]*reading{}
	loops := inLoops(w.f)
	for b := range w.f.Blocks {
		for i := w.f.Blocks[b].Start; loops[b] && i < w.f.Blocks[b].End; i++ {
			base, ok := w.base[i]
			if !ok || w.o.Class[base] != ReadOnly || w.inRow.of[base] != nil {
				continue
			}
			r := &reading{first: w.guest("first byte", ir.B32), end: w.guest("end", ir.B32), tag: w.guest("bytes", ir.B32), grain: w.o.Grain[base]}
			w.set(ir.Mov32, r.first, w.konst(ir.B32, 0))
			w.set(ir.Mov32, r.tag, w.konst(ir.B32, 0))
			w.set(ir.Mov32, r.end, w.konst(ir.B32, 1<<32-1)) // at which no load begins
			w.inRow.of[base] = r
			w.inRow.bases = append(w.inRow.bases, base)
		}
	}
	w.inRow.loops = loops
}

// follow adds the bytes of a load to those that its thread has read, if they follow; else it leaves the tag of those and begins with these.
func (w *writer) follow(base int, r *reading, x piece, in *ir.Inst) {
	from := w.v(ir.Sub64, in.Args[0], w.value(OfBase(base, BaseLow), ir.B64))
	if x.low != 0 {
		from = w.v(ir.Add64, from, w.konst(ir.B64, uint64(x.low)))
	}
	off := w.v(ir.CvtU32FromU64, from)
	begins := w.v(ir.NeU32, off, r.end)
	w.leaveReading(base, r, begins, in)
	m := Mark{Pos: x.pos, Bytes: 0, grain: r.grain, tag: w.add(ir.Value{Type: ir.B32, Kind: ir.Const})}
	w.made = append(w.made, m)
	s := step{w.add(ir.Value{Type: ir.B32, Kind: ir.Const}), uint64(x.high-x.low) / uint64(r.grain)}
	w.inRow.steps = append(w.inRow.steps, s)
	only := func(op ir.Op, dst ir.Ref, args ...ir.Ref) {
		y := ir.Inst{Op: op, Dst: dst, Guard: in.Guard, GuardNot: in.GuardNot}
		copy(y.Args[:], args)
		w.emit(y)
	}
	only(ir.Sel32, r.first, begins, off, r.first)
	only(ir.Sel32, r.tag, begins, w.v(ir.Add32, w.value(ValueBase, ir.B32), m.tag), r.tag)
	only(ir.Add32, r.tag, r.tag, s.konst)
	only(ir.Add32, r.end, off, w.konst(ir.B32, uint64(x.high-x.low)))
}

// leaveReading leaves the tag of the bytes that some lanes have read, under the guard of an operation.
func (w *writer) leaveReading(base int, r *reading, lanes ir.Ref, in *ir.Inst) {
	at := w.v(ir.Add64, w.v(ir.CvtU64FromU32, r.first), w.value(OfBase(base, BaseLow), ir.B64))
	tags := w.tagsOf(at, 0, r.grain, r.grain)
	to := w.v(ir.Add64, tags.addr, w.value(OfBase(base, BaseR), ir.B64))
	lanes = w.under(lanes, in)
	tag := w.temp(ir.B32)
	w.set(ir.Mov32, tag, w.konst(ir.B32, 0))
	w.emit(ir.Inst{Op: ir.Load, Dst: tag, Args: [4]ir.Ref{to}, Size: 4, Align: 4, Space: ir.Global, Guard: lanes})
	fresh := w.v(ir.AndP, lanes, w.v(ir.LtU32, tag, r.tag))
	// Lanes may have begun at one place and come to different ends.
	w.emit(ir.Inst{Op: ir.Atomic, Size: 4, Align: 4, Space: ir.Global, Args: [4]ir.Ref{to, r.tag}, Guard: fresh, Imm: ir.AtomicImm(ir.AtomMaxU, 0)})
}

// endReadings leaves the tags of a thread that ends.
func (w *writer) endReadings(in *ir.Inst) {
	for _, base := range w.inRow.bases {
		r := w.inRow.of[base]
		w.leaveReading(base, r, w.v(ir.NeU32, r.tag, w.konst(ir.B32, 0)), in)
	}
}

// marks leaves the tags of a group of loads, at its first one.
func (w *writer) marks(b int, g *group, in *ir.Inst, base int, grain uint8) {
	slices.SortFunc(g.loads, func(a, b piece) int { return cmp.Or(cmp.Compare(a.low, b.low), cmp.Compare(a.high, b.high)) })
	low := g.loads[0].low // the addresses of all loads are multiples of the grain
	tags := w.tagsOf(in.Args[0], uint64(low), grain, grain)
	at := w.v(ir.Add64, tags.addr, w.value(OfBase(base, BaseR), ir.B64))
	used := maps.Clone(w.used)
	for n := 0; n < len(g.loads); {
		run := g.loads[n]
		for n++; n < len(g.loads) && g.loads[n].low <= run.high; n++ {
			run.high = max(run.high, g.loads[n].high)
		}
		for t := range w.used { // the scratch values of the last run are free
			w.used[t] = used[t]
		}
		if r := w.inRow.of[base]; r != nil && w.inRow.loops[b] && run.low == low && n == len(g.loads) {
			w.follow(base, r, run, in)
			return
		}
		m := Mark{Pos: run.pos, Bytes: uint32(run.high - run.low), grain: grain, tag: w.add(ir.Value{Type: ir.B32, Kind: ir.Const})}
		w.made = append(w.made, m)
		tag := w.v(ir.Add32, w.value(ValueBase, ir.B32), m.tag)
		off := tags.off + Tagged(uint64(run.low-low), grain)
		fresh := w.v(ir.LtU32, w.load(at, off, 0, in), tag)
		w.emit(ir.Inst{Op: ir.Store, Size: 4, Align: 4, Space: ir.Global, Imm: off, Args: [4]ir.Ref{at, tag}, Guard: w.under(fresh, in)})
	}
}

// numberMarks gives the marks their numbers, from 1 on.
func (w *writer) numberMarks() []Mark {
	slices.SortStableFunc(w.made, func(a, b Mark) int { return cmp.Compare(a.Bytes, b.Bytes) })
	for i, m := range w.made {
		w.out.Values[m.tag].Const = uint64(i + 1)
		if len(w.inRow.of) > 0 {
			w.out.Values[m.tag].Const += uint64(len(w.made)) * (uint64(m.Bytes) / uint64(m.grain))
		}
	}
	for _, s := range w.inRow.steps {
		w.out.Values[s.konst].Const = uint64(len(w.made)) * s.units
	}
	return w.made
}
