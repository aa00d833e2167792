package sim

import (
	"fmt"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/tensormap"
	"example.org/crosslane/lane"
)

// Copies through tensor maps.
//
// Input: a Tensor operation, whose description names coordinates and offsets; the map in memory, as it is now.
// Output: the box in shared memory or in the tensor, and the number of bytes of the box.
// Invariant: nothing is written before the map, the alignment and all addresses of the box have been checked.
// Example: a map of 64x4 f16 with a box of 64x2 and the coordinates (0, 3) loads line 3, and fills the second line with zeros.
//
// A copy is done at once, which is one of the orders that asynchronous copies may have.

// A tensorCopy is the copy of one lane.
type tensorCopy struct {
	w    *Wave
	in   *ir.Inst
	info *ir.TensorInfo
	lane int
	m    tensormap.Map
	c    tensormap.Copy
	far  ir.Inst // the accesses to the tensor
	box  uint64  // address of the box in shared memory
	data unsafe.Pointer
	// known is memory of the tensor that has been found.
	known    Region
	size     uint64 // of an element in global memory
	op       ir.AtomicOp
	reads    ownAccesses
	writes   ownAccesses
	from, to uint64 // addresses of the tensor that are accessed next to each other and not yet reported
	stored   []byte // what is stored there
}

// Tensor copies boxes, or reads textures, for the lanes of m, one lane after another. It returns false after a fault.
//
//go:norace
func (w *Wave) Tensor(in *ir.Inst, m lane.Mask) bool {
	if w.Func.Tensors[in.Imm].Kind == ir.TensorMultiplies {
		return tensorProducts(w, in, m)
	}
	t := tensorCopy{w: w, in: in, info: &w.Func.Tensors[in.Imm], far: *in}
	if x := t.info.Texture; x != nil {
		return lookUp(w, in, t.info.Src, x, m)
	}
	t.far.Args, t.far.Space, t.far.Align = [4]ir.Ref{}, ir.Global, 1
	switch t.info.Kind {
	case ir.TensorLoads:
		t.reads, t.writes = w.accesses(&t.far, ir.AccessRead), w.accesses(in, ir.AccessWrite)
	case ir.TensorStores:
		t.reads, t.writes = w.accesses(in, ir.AccessRead), w.accesses(&t.far, ir.AccessWrite)
	case ir.TensorReduces:
		t.far.Order = ir.Strong | ir.Device // PTX 9.7.9.26.5.3: each element is an atomic, .relaxed.gpu
		t.reads, t.writes = w.accesses(in, ir.AccessRead), w.accesses(&t.far, ir.AccessUpdate)
	}
	defer t.reads.end()
	defer t.writes.end()
	for i := range m.Lanes() {
		t.lane = i
		if t.info.Kind == ir.TensorOrders {
			x := ir.Inst{Op: ir.Load, Space: in.Space, Size: 1, Align: 1, Pos: in.Pos, Flags: ir.OnlyGlobal}
			var r Region
			addr := w.Get(in.Args[1], i)
			if w.Slow(&x, &r, addr, 1, i, false) == nil {
				return false
			}
			x.Size, x.Order = tensormap.Size, ir.Maps|ir.Acquire
			a := w.accesses(&x, ir.AccessRead)
			a.touch(i, in.Space, addr, tensormap.Size, nil)
			a.end()
			continue
		}
		if !t.prepare() {
			return false
		}
		if t.info.Kind == ir.TensorPrepares {
			continue
		}
		if !t.check() {
			return false
		}
		w.Charge()
		t.move()
		if t.info.Kind != ir.TensorLoads || w.cluster != nil {
			w.Changes++ // waiting blocks look again
		}
	}
	return true
}

// prepare reads the map and the operands. It returns false after a fault.
func (t *tensorCopy) prepare() bool {
	w, in := t.w, t.in
	bytes := t.mapBytes()
	if bytes == nil {
		return false
	}
	t.m = tensormap.Decode(bytes)
	t.c = tensormap.Copy{Mode: t.info.Mode, Dim: t.info.Dim, Store: t.info.Kind == ir.TensorStores || t.info.Kind == ir.TensorReduces, Reduce: t.info.Kind == ir.TensorReduces}
	n := t.info.Coordinates()
	for k, r := range t.info.Src {
		v := uint32(w.Get(r, t.lane))
		if k < n {
			t.c.At[k] = int32(v)
		} else {
			t.c.Off[k-n] = uint16(v)
		}
	}
	why, remedy := t.m.Check(), "encode the map with cuTensorMapEncodeTiled or its kin, which check it, and give tensormap.replace values in these ranges"
	if why == "" {
		why, remedy = t.m.Bad(&t.c), "use the instruction with the number of dimensions and the mode for which the map was encoded"
	}
	if why == "" && t.info.Kind == ir.TensorReduces {
		var ok bool
		if t.op, ok = reduceOp(t.info.Reduce, t.m.Elem); !ok {
			why, remedy = "the reduction does not exist for elements of "+t.m.Elem.String(), "see PTX 9.7.9.26.5.3 for the types of each reduction"
		}
	}
	if why != "" {
		w.Fault = &Fault{Code: CodeTensorMap, Pos: in.Pos, Lanes: lane.Lane(t.lane), Remedy: remedy,
			Text: fmt.Sprintf("lane %d of wave %d in block (%d,%d,%d) uses the tensor map at address %#x: %s", t.lane, w.ID, w.index[0], w.index[1], w.index[2], w.Get(in.Args[1], t.lane), why)}
		return false
	}
	t.size = max(uint64(t.m.Elem.Bits()/8), 1)
	if in.Dst != 0 {
		w.Set(in.Dst, t.lane, uint64(t.m.Bytes(&t.c)))
	}
	return true
}

// mapBytes returns the bytes of the map; nil after a fault.
func (t *tensorCopy) mapBytes() *[tensormap.Size]byte {
	w, in := t.w, t.in
	x := ir.Inst{Op: ir.Load, Space: ir.Generic, Size: 8, Align: 64, Pos: in.Pos, Args: [4]ir.Ref{in.Args[1]}}
	addr := w.Get(in.Args[1], t.lane)
	if s, _ := w.Resolve(ir.Generic, addr); s == ir.Shared || s == ir.Local {
		w.fault(CodeWrongSpace, &x, addr, tensormap.Size, t.lane, false, "a tensor map has to be in global or constant memory, or a parameter (PTX 5.5.8)")
		return nil
	}
	var r Region
	p := w.Slow(&x, &r, addr, tensormap.Size, t.lane, false)
	if p == nil {
		return nil
	}
	if x.Order = ir.Maps; t.in.Flags&ir.Undefined == 0 {
		a := w.accesses(&x, ir.AccessRead)
		a.touch(t.lane, ir.Generic, addr, tensormap.Size, nil)
		a.end()
		w.read(in, t.lane, ir.Generic, addr, tensormap.Size)
		return (*[tensormap.Size]byte)(p)
	}
	x.Flags |= ir.Undefined
	if u := w.Slow(&x, &r, addr, tensormap.Size, t.lane, false); u != nil {
		for k, b := range unsafe.Slice((*byte)(u), tensormap.Size/2) { // the rest is not used
			if b != 0 {
				text := fmt.Sprintf("the tensor map of lane %d of wave %d has undefined bits at its byte %d", t.lane, w.ID, k)
				w.note(w, CodePoisonAddress, in.Pos, finding{lanes: lane.Lane(t.lane), text: text, reach: true})
				break
			}
		}
	}
	return (*[tensormap.Size]byte)(p)
}

// room is the number of bytes of shared memory that a copy may touch: a swizzle may move the last bytes of a box beyond its end.
func (t *tensorCopy) room() uint64 {
	n := uint64(t.m.Bytes(&t.c))
	if t.m.Swizzle != tensormap.SwizzleNone {
		n = alignUp(n, min(uint64(t.m.Swizzle.Bytes())&^31, 128))
	}
	return n
}

// check finds the memory of both sides and reports the accesses. It returns false after a fault.
//
//go:norace
func (t *tensorCopy) check() bool {
	w, in := t.w, t.in
	t.box = w.Get(in.Args[0], t.lane)
	var r Region
	load := t.info.Kind == ir.TensorLoads
	if t.data = w.Slow(in, &r, t.box, t.room(), t.lane, load); t.data == nil {
		return false
	}
	n := uint64(t.m.Bytes(&t.c))
	if load {
		t.writes.touch(t.lane, in.Space, t.box, n, nil)
	} else {
		t.reads.touch(t.lane, in.Space, t.box, n, nil)
	}
	t.known, t.from, t.to = nowhere, 0, 0
	ok := true
	t.m.Runs(&t.c, t.box, func(x tensormap.Run) bool {
		if !x.In {
			return true
		}
		if ok = t.find(x.Global, uint64(x.Bytes)) != nil; ok && w.races != nil {
			t.report(x)
		}
		return ok
	})
	t.flush()
	return ok
}

// find returns memory of the tensor; nil after a fault.
func (t *tensorCopy) find(addr, n uint64) unsafe.Pointer {
	if off := addr - t.known.Lo; t.known.Ptr != nil && addr >= t.known.Lo && off+n <= t.known.Max {
		return unsafe.Add(t.known.Ptr, off)
	}
	w := t.w
	var r Region
	p := w.Slow(&t.far, &r, addr, n, t.lane, t.info.Kind != ir.TensorLoads)
	if a := w.Last; p != nil && a != nil && addr >= a.Base && addr-a.Base+n <= uint64(len(a.Data)) {
		t.known = Region{Lo: addr, Max: uint64(len(a.Data)) - (addr - a.Base), Ptr: p}
	}
	return p
}

// report joins accesses to the tensor that follow each other, and reports them.
func (t *tensorCopy) report(x tensormap.Run) {
	if t.to != x.Global || t.from == t.to {
		t.flush()
		t.from = x.Global
	}
	t.to = x.Global + uint64(x.Bytes)
	if t.info.Kind == ir.TensorStores {
		t.stored = append(t.stored, t.packed(x)...)
	}
}

// packed returns the bytes of a run in shared memory, as they are stored to the tensor.
func (t *tensorCopy) packed(x tensormap.Run) []byte {
	here := unsafe.Slice((*byte)(unsafe.Add(t.data, x.Shared-t.box)), x.Bytes+x.Pad)
	if t.m.Elem == tensormap.B6x16P32 {
		six := tensormap.Squeeze(here)
		return six[:]
	}
	return here[:x.Bytes]
}

// flush reports the accesses that have been joined.
func (t *tensorCopy) flush() {
	if t.from == t.to {
		return
	}
	switch t.info.Kind {
	case ir.TensorLoads:
		t.reads.touch(t.lane, ir.Global, t.from, t.to-t.from, nil)
	case ir.TensorReduces:
		for a := t.from; a < t.to; a += t.size { // atomics, element by element
			t.writes.touch(t.lane, ir.Global, a, t.size, nil)
		}
	default:
		t.writes.touch(t.lane, ir.Global, t.from, t.to-t.from, t.stored)
	}
	t.from, t.to, t.stored = 0, 0, t.stored[:0]
}

// move copies the bytes, or their undefined bits.
//
//go:norace
func (t *tensorCopy) move() {
	undef := t.in.Flags&ir.Undefined != 0
	t.m.Runs(&t.c, t.box, func(x tensormap.Run) bool {
		here := unsafe.Slice((*byte)(unsafe.Add(t.data, x.Shared-t.box)), x.Bytes+x.Pad)
		var far []byte
		if x.In {
			far = unsafe.Slice((*byte)(t.find(x.Global, uint64(x.Bytes))), x.Bytes)
		}
		switch {
		case t.info.Kind == ir.TensorLoads && undef:
			t.loadUndefined(x, here, far)
		case t.info.Kind == ir.TensorLoads:
			if x.In {
				copy(here, far)
				t.m.Convert(here[:x.Bytes])
			} else {
				t.m.Fill(here[:x.Bytes])
			}
			t.record(x)
		case x.In:
			t.store(x, far, undef)
		}
		return true
	})
}

// loadUndefined moves the undefined bits of a load. Padding is undefined.
func (t *tensorCopy) loadUndefined(x tensormap.Run, here, far []byte) {
	fillOnes(here[x.Bytes:])
	if !x.In {
		clear(here[:x.Bytes])
		return
	}
	copy(here, far)
	switch t.m.Elem {
	case tensormap.TF32, tensormap.TF32Ftz, tensormap.F32Ftz: // bits of the result depend on all bits of the element
		undefReduce(here[:x.Bytes], here[:x.Bytes], 4)
	}
}

// store stores to the tensor, or combines elements with those of the tensor.
func (t *tensorCopy) store(x tensormap.Run, far []byte, undef bool) {
	data := t.packed(x)
	if undef {
		t.w.reachTensor(t.in, t.lane, x, data)
	}
	switch {
	case t.info.Kind == ir.TensorStores:
		copy(far, data)
	case undef:
		undefReduce(far, data, int(t.size))
	default:
		t.w.reduce(far, data, x.Global, uint8(t.size), t.op, true)
	}
	if !undef {
		t.record(x)
	}
}

// reachTensor notes that a lane stores undefined bits to a tensor that the caller of the kernel sees.
func (w *Wave) reachTensor(in *ir.Inst, i int, x tensormap.Run, undef []byte) {
	g := *in
	g.Args, g.Space = [4]ir.Ref{}, ir.Global
	reachBulk(w, &g, in.Space, i, x.Global, x.Shared, undef)
}

// record shows a run to the launch's Recorder. Imm is the address of the source; 0: the bytes have been filled.
func (t *tensorCopy) record(x tensormap.Run) {
	if t.w.Launch.Recorder == nil {
		return
	}
	in := *t.in
	in.Args = [4]ir.Ref{}
	if t.info.Kind == ir.TensorLoads {
		in.Imm = x.Global
		t.w.wrote(&in, t.lane, x.Shared, uint64(x.Bytes+x.Pad))
		if x.In {
			t.w.read(t.in, t.lane, ir.Global, x.Global, uint64(x.Bytes))
		}
		return
	}
	in.Imm, in.Space = x.Shared, ir.Global
	t.w.wrote(&in, t.lane, x.Global, uint64(x.Bytes))
	t.w.read(t.in, t.lane, t.in.Space, x.Shared, uint64(x.Bytes+x.Pad))
}

// tensorReduction is a reduction of elements of a type.
type tensorReduction struct {
	r ir.TensorReduce
	e tensormap.Elem
}

// tensorReductions lists the reductions that are not bitwise (PTX 9.7.9.26.5.3).
var tensorReductions = func() map[tensorReduction]ir.AtomicOp {
	const u32, s32, u64, s64, f16, f32, ftz, bf16 = tensormap.U32, tensormap.S32, tensormap.U64, tensormap.S64, tensormap.F16, tensormap.F32, tensormap.F32Ftz, tensormap.BF16
	return map[tensorReduction]ir.AtomicOp{
		{ir.TensorAdd, u32}: ir.AtomAdd, {ir.TensorAdd, s32}: ir.AtomAdd, {ir.TensorAdd, u64}: ir.AtomAdd,
		{ir.TensorAdd, f16}: ir.AtomOf(ir.AddF16), {ir.TensorAdd, bf16}: ir.AtomOf(ir.AddBF16),
		{ir.TensorAdd, f32}: ir.AtomOf(ir.AddF32), {ir.TensorAdd, ftz}: ir.AtomAddF32,
		{ir.TensorMin, u32}: ir.AtomMinU, {ir.TensorMin, s32}: ir.AtomMinS, {ir.TensorMin, u64}: ir.AtomMinU, {ir.TensorMin, s64}: ir.AtomMinS,
		{ir.TensorMax, u32}: ir.AtomMaxU, {ir.TensorMax, s32}: ir.AtomMaxS, {ir.TensorMax, u64}: ir.AtomMaxU, {ir.TensorMax, s64}: ir.AtomMaxS,
		{ir.TensorMin, f16}: ir.AtomOf(ir.MinF16), {ir.TensorMax, f16}: ir.AtomOf(ir.MaxF16),
		{ir.TensorMin, bf16}: ir.AtomOf(ir.MinBF16), {ir.TensorMax, bf16}: ir.AtomOf(ir.MaxBF16),
		{ir.TensorInc, u32}: ir.AtomInc, {ir.TensorDec, u32}: ir.AtomDec,
	}
}()

// reduceOp returns the operation of a reduction of elements of a type; ok is false if there is none.
func reduceOp(r ir.TensorReduce, e tensormap.Elem) (op ir.AtomicOp, ok bool) {
	op, ok = tensorReductions[tensorReduction{r, e}]
	if ok || r < ir.TensorAnd {
		return op, ok
	}
	switch e {
	case tensormap.U32, tensormap.S32, tensormap.U64, tensormap.S64:
		return ir.AtomAnd + ir.AtomicOp(r-ir.TensorAnd), true
	}
	return 0, false
}
