package sim

import (
	"fmt"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/lane"
)

// Products of Tensor Memory (tcgen05.mma, PTX 9.7.17.10). One lane starts a product. Each other lane that comes to the instruction
// starts a product of its own.
//
// Input: a Tensor operation of kind TensorMultiplies: descriptors and addresses of Tensor Memory.
// Output: D in Tensor Memory, and findings about descriptors and operands.
// Invariant: nothing is written before the descriptors, the addresses and all of shared memory have been checked. A product is
// done at once, which is one of the orders that asynchronous products may have.
// Example: cta_group::2 in the block of rank 3: the pair is the blocks of ranks 2 and 3; each gives its rows of A and its half
// of the columns of B.

// A tensorProduct is the product of one lane.
type tensorProduct struct {
	w        *Wave
	in       *ir.Inst
	lane     int
	op       matrix.TensorOp
	blocks   []*Block
	x        matrix.TensorInput
	reads    ownAccesses
	operands ir.ProductOperands
}

const tensorProductSection = "PTX 9.7.17.4"

// tensorProducts multiplies for the lanes of m, one lane after another. It returns false after a fault.
func tensorProducts(w *Wave, in *ir.Inst, m lane.Mask) bool {
	for i := range m.Lanes() {
		w.Charge()
		t := tensorProduct{w: w, in: in, lane: i}
		if !t.run() {
			return false
		}
	}
	return true
}

// fault ends the run.
func (t *tensorProduct) fault(code, remedy, format string, args ...any) bool {
	return tensorFault(t.w, code, t.in, lane.Lane(t.lane), remedy, "starts a product in lane %d: %s", t.lane, fmt.Sprintf(format, args...))
}

// note reports what lets the run go on.
func (t *tensorProduct) note(code, remedy, text string) {
	t.w.note(t.w, code, t.in.Pos, finding{lanes: lane.Lane(t.lane), text: text, remedy: remedy, section: tensorProductSection})
}

// run does the product, or follows its undefined bits.
func (t *tensorProduct) run() bool {
	w, info := t.w, &t.w.Func.Tensors[t.in.Imm]
	t.operands = info.Operands()
	get := func(r ir.Ref) uint32 {
		if r == 0 {
			return 0
		}
		return uint32(w.Get(r, t.lane))
	}
	q := &t.operands
	var text, remedy string
	if t.op, text, remedy = info.Form.Decode(get(q.Word)); text != "" {
		return t.fault(CodeMatrixDescriptor, remedy, "%s", text)
	}
	t.x = matrix.TensorInput{AtD: get(q.D), AtE: get(q.E), AtFA: get(q.FA), AtFB: get(q.FB), Keep: get(q.Keep) != 0, Halve: info.Halve}
	if !info.Form.SharedA {
		t.x.AtA = get(q.A)
	}
	for i, r := range q.Off {
		t.x.Off[i/4][i%4] = get(r)
	}
	if !t.pair() || !t.columns() {
		return false
	}
	undef := t.in.Flags&ir.Undefined != 0
	for p, k := range t.blocks {
		cells := k.tensor.cells
		if undef {
			cells = k.tensor.undef
		}
		t.x.Planes[p] = (*matrix.TensorPlane)(unsafe.Pointer(unsafe.SliceData(cells)))
	}
	if undef {
		t.undefined()
		return true
	}
	x := *t.in
	x.Order, x.Space, x.Align, x.Args = ir.Async, ir.Shared, 16, [4]ir.Ref{}
	t.reads = w.accesses(&x, ir.AccessRead)
	defer t.reads.end()
	for p := range t.blocks {
		if info.Form.SharedA {
			if t.x.A[p] = t.shared(&x, p, false); t.x.A[p] == nil {
				return false
			}
		}
		if t.x.B[p] = t.shared(&x, p, true); t.x.B[p] == nil {
			return false
		}
	}
	t.tellCells(info)
	w.dear += slowCost
	if w.coll == nil {
		w.coll = &collector{}
	}
	f := t.op.Run(&t.x, &w.coll.scratch)
	if f&matrix.BadMetadata != 0 {
		t.note(CodeMatrixOperand, "let each four bits of metadata be one of 4, 8, 9, 12, 13, 14 and 6, or 4 and 14 for tf32", "the sparsity metadata holds indices that are equal, out of order or not meaningful for the type")
	}
	if f&matrix.BadCopies != 0 {
		t.note(CodeMatrixOperand, "copy the scale factors to all four groups of 32 lanes, as tcgen05.cp.32x128b.warpx4 does", "the scale factors in the groups of 32 lanes of Tensor Memory differ")
	}
	if len(t.blocks) > 1 {
		w.Changes++ // waiting blocks look again
	}
	return true
}

// tellCells reports the accesses to Tensor Memory: all reads, and then the writes of D.
func (t *tensorProduct) tellCells(info *ir.TensorInfo) {
	w := t.w
	if w.races == nil && w.Launch.Recorder == nil {
		return
	}
	x := *t.in
	x.Order, x.Args, x.Align = ir.Async, [4]ir.Ref{}, 0
	tell := func(kind ir.AccessKind, operand byte, at uint32) {
		told := tellTensor(w, &x, kind)
		for p, k := range t.blocks {
			t.op.Runs(operand, func(lane, columns int) {
				lane = (lane + int(at>>16)) & (matrix.TensorLanes - 1)
				if kind == ir.AccessRead || t.x.Off[p][lane/32]>>(lane%32)&1 == 0 {
					told.touch(t.lane, k, lane, int(at&(matrix.TensorColumns-1)), columns)
				}
			})
		}
		told.end()
	}
	if !info.Form.SharedA {
		tell(ir.AccessRead, 'A', t.x.AtA)
	}
	if t.op.Sparse {
		tell(ir.AccessRead, 'E', t.x.AtE)
	}
	if t.op.Kind.Scaled() {
		tell(ir.AccessRead, 'S', t.x.AtFA)
		tell(ir.AccessRead, 'T', t.x.AtFB)
	}
	tell(ir.AccessWrite, 'D', t.x.AtD)
}

// pair finds the blocks of the product. It returns false after a fault.
func (t *tensorProduct) pair() bool {
	k := t.w.Block
	t.blocks = []*Block{k}
	if !t.op.Pair {
		return true
	}
	peer := tensorPeer(k)
	if peer == nil || peer.gone {
		return t.fault(CodeOutOfBounds, "launch clusters of an even number of blocks, and let both blocks of a pair wait for each other before they end",
			".cta_group::2 needs the other block of the pair, and there is no such block, or it has ended")
	}
	t.blocks = []*Block{k, peer}
	if k.rank&1 != 0 {
		t.blocks = []*Block{peer, k}
	}
	return true
}

// columns checks that all addresses of Tensor Memory name columns of live allocations. It returns false after a fault.
func (t *tensorProduct) columns() bool {
	for _, c := range []struct {
		name    string
		operand byte
		at      uint32
		is      bool
	}{{"D", 'D', t.x.AtD, true}, {"A", 'A', t.x.AtA, !t.op.SharedA}, {"the metadata", 'E', t.x.AtE, t.op.Sparse},
		{"the scale factors of A", 'S', t.x.AtFA, t.op.Kind.Scaled()}, {"the scale factors of B", 'T', t.x.AtFB, t.op.Kind.Scaled()}} {
		if !c.is {
			continue
		}
		first, n := int(c.at&0x1ff), t.op.Extent(c.operand)
		own := int(c.at >> 16 & 0x3fff)
		if c.operand == 'S' || c.operand == 'T' {
			if own != 0 {
				return t.fault(CodeTensorLane, "give an address whose lane is 0", "the address of %s, %#x, has lane %d", c.name, c.at, own)
			}
		} else if !t.op.Base(own) {
			return t.fault(CodeTensorLane, "give an address whose lane is 0; products of M = 64 without .ws, and sparse ones of M = 128 of a pair, may begin at lane 16, too", "the address of %s, %#x, has lane %d, and D has layout %c", c.name, c.at, own, t.op.Layout)
		}
		if c.operand != 'S' && c.operand != 'T' && own != int(t.x.AtD>>16&0x3fff) {
			return t.fault(CodeTensorLane, "let D, A and the metadata begin at the same lane", "the addresses of D (%#x) and of %s (%#x) have different lanes", t.x.AtD, c.name, c.at)
		}
		for _, k := range t.blocks {
			if first+n > matrix.TensorColumns || !k.tensor.allocated(first, n) {
				return t.fault(CodeTensorBounds, "allocate the columns with tcgen05.alloc, and use the address that it gives", "%s takes columns %d to %d of Tensor Memory, and %s", c.name, first, first+n-1, k.tensor.holders())
			}
		}
	}
	return true
}

// tile returns A or B of a block in shared memory.
func (t *tensorProduct) tile(isB bool) (matrix.SharedTile, matrix.Elem, string) {
	if isB {
		return t.op.TileB(t.w.Get(t.operands.B, t.lane)), t.op.B, "B"
	}
	return t.op.TileA(t.w.Get(t.operands.A, t.lane)), t.op.A, "A"
}

// shared reads A or B of a block. It returns nil after a fault.
func (t *tensorProduct) shared(x *ir.Inst, p int, isB bool) *matrix.Panel {
	w, k := t.w, t.blocks[p]
	tile, elem, name := t.tile(isB)
	q := w.warpgroups.tensorPanel(k, tile, elem, isB)
	first := k.sharedFirst()
	lines, units := tile.Lines()
	if q.text != "" {
		f := finding{lanes: lane.Lane(t.lane), text: fmt.Sprintf("the descriptor of %s (%s): %s", name, &tile.Descriptor, q.text), remedy: q.remedy, section: tensorProductSection}
		if !badTile(w, x, k, &tile, f) {
			return nil
		}
	}
	if t.reads.to != nil || w.Launch.Recorder != nil {
		for i := range lines {
			for u := range units {
				at := first + uint64(tile.Unit(i, u))
				t.reads.touch(t.lane, ir.Shared, at, 16, nil)
				w.read(t.in, t.lane, ir.Shared, at, 16)
			}
		}
	}
	q.Load(tile, elem, isB, k.Shared)
	return &q.Panel
}

// tensorPanelKey names a matrix of a product of Tensor Memory.
type tensorPanelKey struct {
	block *Block
	tile  matrix.SharedTile
	elem  matrix.Elem
	isB   bool
}

// tensorPanel returns a matrix in shared memory.
func (g *warpgroups) tensorPanel(k *Block, tile matrix.SharedTile, elem matrix.Elem, isB bool) *panel {
	key := tensorPanelKey{k, tile, elem, isB}
	q := g.tensors[key]
	if q == nil {
		if g.tensors == nil || len(g.tensors) >= maxPanels {
			g.tensors = map[tensorPanelKey]*panel{}
		}
		q = &panel{tile: tile}
		q.text, q.remedy = tile.Problem(len(k.Shared))
		g.tensors[key] = q
	}
	return q
}

// undefined follows the undefined bits of A and B in shared memory and of all operands in Tensor Memory.
func (t *tensorProduct) undefined() {
	mark := func(isB bool) (bad []bool) {
		for _, k := range t.blocks {
			tile, elem, _ := t.tile(isB)
			used, width := 16, tile.Bits // bytes of a unit
			switch elem {
			case matrix.E2M1:
				used, width = 8, 4
			case matrix.E2M3, matrix.E3M2:
				used, width = 12, 6
			}
			of := make([]bool, tile.MN)
			bad = append(bad, of...)
			of = bad[len(bad)-len(of):]
			lines, units := tile.Lines()
			for i := range lines {
				for u := range units {
					at := int(tile.Unit(i, u))
					if at+16 > len(k.undef) {
						continue
					}
					for j, x := range k.undef[at : at+used] {
						switch {
						case x == 0:
						case tile.Major:
							first := 128 / tile.Bits * u
							of[first+j*8/width], of[first+(j*8+7)/width] = true, true
						default:
							of[i] = true
						}
					}
				}
			}
		}
		return bad
	}
	t.x.ColsUndef = mark(true)
	if t.op.SharedA {
		t.x.RowsUndef = mark(false)
	}
	t.op.RunUndefined(&t.x)
}
