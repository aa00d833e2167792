package sim

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/lane"
)

// Tensor Memory (PTX 9.7.17.1, 9.7.17.7). A block has all 512 columns of a multiprocessor: no other block takes columns from it.
//
// Input: the operations of kind TensorAlloc and the kinds after it.
// Output: cells of 32 bits, by lane and column; the addresses of columns; results in registers.
// Invariant: an operation touches cells only after all of them have been found in live allocations. Columns that an allocation
// gives hold undefined bits. An allocation takes the first columns that are free.
// Example: alloc of 32 columns gives 0, a second one gives 32; after dealloc of 0 a third gives 0 again.

// TensorMemory is the Tensor Memory of a block.
type TensorMemory struct {
	cells []uint32 // lane after lane; nil: the block has not allocated any
	undef []uint32 // their undefined bits, if Launch.Track

	live         []tensorColumns
	smallest     int   // columns of the last allocation; 0: there was none
	relinquished int32 // 1 + place of the instruction that gave up the right to allocate
	waiting      []tensorWait
	shared       pairAllocation
}

// tensorColumns is an allocation.
type tensorColumns struct {
	first, count int
	pos          int32
	wave         int
}

// tensorWait is an allocation for which a warp waits.
type tensorWait struct {
	wave, count int
	pos         int32
	peer        bool // it waits for the other block of the pair
}

// pairAllocation is an allocation of both blocks of a pair, as one of them sees it.
type pairAllocation struct {
	count   int // the columns that a warp of the block asks for; 0: none does
	wave    int
	granted bool
	first   int
}

// begin forgets the block before.
func (t *TensorMemory) begin() {
	*t = TensorMemory{cells: t.cells, undef: t.undef, live: t.live[:0], waiting: t.waiting[:0]}
}

// tensorBytes is how much memory the Tensor Memory of a block takes.
func (l *Launch) tensorBytes() uint64 {
	if !slices.ContainsFunc(l.Func.Collectives, func(c ir.CollectiveInfo) bool { return c.Matrix.Kind == matrix.TensorAlloc }) {
		return 0
	}
	n := uint64(4 * matrix.TensorLanes * matrix.TensorColumns)
	if l.Track {
		n *= 2
	}
	return n
}

// tensorCell returns the index of a cell.
func tensorCell(lane, column int) int { return lane*matrix.TensorColumns + column }

// allocated reports whether all columns from first on belong to live allocations.
func (t *TensorMemory) allocated(first, count int) bool {
	for c := first; c < first+count; {
		i := slices.IndexFunc(t.live, func(a tensorColumns) bool { return a.first <= c && c < a.first+a.count })
		if i < 0 {
			return false
		}
		c = t.live[i].first + t.live[i].count
	}
	return true
}

// free returns the number of the first of count free columns that are free in all of the memories; -1 if there are none.
func free(count int, all ...*TensorMemory) int {
	for first := 0; first+count <= matrix.TensorColumns; first += 32 {
		taken := false
		for _, t := range all {
			taken = taken || slices.ContainsFunc(t.live, func(a tensorColumns) bool { return a.first < first+count && first < a.first+a.count })
		}
		if !taken {
			return first
		}
	}
	return -1
}

// give makes an allocation. The cells hold undefined bits.
func (t *TensorMemory) give(b *Block, a tensorColumns) {
	if t.cells == nil {
		t.cells = make([]uint32, matrix.TensorLanes*matrix.TensorColumns)
	}
	if b.Launch.Track && t.undef == nil {
		t.undef = make([]uint32, len(t.cells))
	}
	t.live, t.smallest = append(t.live, a), a.count
	for l := range matrix.TensorLanes {
		from := tensorCell(l, a.first)
		clear(t.cells[from : from+a.count])
		if t.undef == nil {
			continue
		}
		for i := range t.undef[from : from+a.count] {
			t.undef[from+i] = 0
			if b.Launch.Origins == nil {
				t.undef[from+i] = 1<<32 - 1
			}
		}
	}
}

// holders describes the live allocations.
func (t *TensorMemory) holders() string {
	var s []string
	for _, a := range t.live {
		s = append(s, fmt.Sprintf("%d to %d", a.first, a.first+a.count-1))
	}
	if s == nil {
		return "the block has allocated no columns"
	}
	return "the block has allocated columns " + strings.Join(s, ", ")
}

const (
	allocationSection = "PTX 9.7.17.7.1"
	allocationRemedy  = "allocate a power of two of columns from 32 to 512, never more than in the allocation before, and before tcgen05.relinquish_alloc_permit; free each allocation with its address and its number of columns before the block ends"
)

// noteTensor notes a misuse of allocations, after which the run can go on.
func (o *collective) noteTensor(text string, other int32) {
	in, _ := o.at(0)
	f := finding{lanes: o.all, text: text, remedy: allocationRemedy, section: allocationSection}
	if other > 0 {
		pos, src := where(o.Func, other-1)
		f.rel = []diag.Related{related(pos, o.Func.Pos[other-1].Name+": the other one", src)}
	}
	o.note(o.Wave, CodeTensorLeak, in.Pos, f)
}

// tensorFault ends the run.
func tensorFault(w *Wave, code string, in *ir.Inst, lanes lane.Mask, remedy, format string, args ...any) bool {
	w.Fault = &Fault{Code: code, Pos: in.Pos, Lanes: lanes, Remedy: remedy,
		Text: fmt.Sprintf("wave %d in block (%d,%d,%d) ", w.ID, w.index[0], w.index[1], w.index[2]) + fmt.Sprintf(format, args...)}
	return false
}

// alike returns an operand of the first lane, and notes lanes that give another value.
func (o *collective) alike(name string, r ir.Ref) uint32 {
	v := uint32(o.Get(r, o.all.First()))
	for l := range o.all.Lanes() {
		if uint32(o.Get(r, l)) != v {
			in, _ := o.at(0)
			o.note(o.Wave, CodeMatrixOperand, in.Pos, finding{lanes: o.all, text: "the lanes give different " + name, section: o.Func.Pos[in.Pos].Section,
				remedy: "compute it from values that are the same in all lanes of the warp"})
			break
		}
	}
	return v
}

// notYet is the result of an allocation that has to wait.
const notYet = 1<<32 - 1

// tensorColumns allocates and frees columns. It returns false after a fault.
func (o *collective) tensorColumns() bool {
	in, info := o.at(0)
	t := &o.tensor
	if info.Matrix.Kind == matrix.TensorRelinquish {
		t.relinquished = in.Pos + 1
		return true
	}
	count := int(o.alike("numbers of columns", info.Src[len(info.Src)-1]))
	if bits.OnesCount(uint(count)) != 1 || count < 32 || count > matrix.TensorColumns {
		return tensorFault(o.Wave, CodeTensorLeak, in, o.all, allocationRemedy, "names %d columns of Tensor Memory: a power of two from 32 to 512 is needed", count)
	}
	if info.Matrix.Kind == matrix.TensorFree {
		o.freeColumns(int(o.alike("addresses", info.Src[0])), count)
		return true
	}
	if i := slices.IndexFunc(t.waiting, func(x tensorWait) bool { return x.wave == o.ID }); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	first, ok := o.allocate(count, info.Matrix.Both)
	if !ok {
		return false
	}
	for l := range o.coll.values[0] {
		o.coll.values[0][l] = uint64(first)
	}
	for i := range o.group {
		_, x := o.at(i)
		o.putResults(x, 1, o.group[i].lanes)
	}
	return true
}

// allocate returns the first column of an allocation, or notYet; ok is false after a fault.
func (o *collective) allocate(count int, both bool) (first uint32, ok bool) {
	in, _ := o.at(0)
	t := &o.tensor
	switch {
	case t.relinquished != 0:
		o.noteTensor("it allocates columns of Tensor Memory after the block has given up the right to", t.relinquished)
	case t.smallest != 0 && count > t.smallest:
		o.noteTensor(fmt.Sprintf("it allocates %d columns of Tensor Memory, more than the %d of the allocation before", count, t.smallest), 0)
	}
	a := tensorColumns{count: count, pos: in.Pos, wave: o.ID}
	if !both {
		if a.first = free(count, t); a.first < 0 {
			t.waiting = append(t.waiting, tensorWait{wave: o.ID, count: count, pos: in.Pos})
			return notYet, true
		}
		t.give(o.Block, a)
		return uint32(a.first), true
	}
	peer := tensorPeer(o.Block)
	if peer == nil || peer.gone && !t.shared.granted {
		return 0, tensorFault(o.Wave, CodeDeadlock, in, o.all, "launch clusters of an even number of blocks, and let a warp of each block of a pair execute the instruction",
			"allocates columns of Tensor Memory together with the other block of its pair, and there is no such block")
	}
	s := &t.shared
	if s.granted && s.wave == o.ID {
		first = uint32(s.first)
		*s = pairAllocation{}
		return first, true
	}
	if s.count == 0 {
		*s = pairAllocation{count: count, wave: o.ID}
	}
	q := &peer.tensor.shared
	if s.wave == o.ID && !s.granted && q.count != 0 && !q.granted {
		if q.count != count {
			o.noteTensor(fmt.Sprintf("it allocates %d columns of Tensor Memory together with the other block of its pair, which asks for %d", count, q.count), 0)
		}
		if a.first = free(count, t, &peer.tensor); a.first >= 0 {
			t.give(o.Block, a)
			a.wave = q.wave
			peer.tensor.give(peer, a)
			q.granted, q.first = true, a.first
			*s = pairAllocation{}
			o.Changes++ // the other block looks again
			return uint32(a.first), true
		}
	}
	t.waiting = append(t.waiting, tensorWait{wave: o.ID, count: count, pos: in.Pos, peer: q.count == 0})
	return notYet, true
}

// tensorPeer returns the other block of the pair; nil if there is none (PTX 9.7.17.4).
func tensorPeer(b *Block) *Block {
	if b.cluster == nil || b.rank^1 >= uint64(len(b.cluster.blocks)) {
		return nil
	}
	return b.cluster.blocks[b.rank^1]
}

// freeColumns ends an allocation.
func (o *collective) freeColumns(addr, count int) {
	t := &o.tensor
	i := slices.IndexFunc(t.live, func(a tensorColumns) bool { return a.first == addr })
	if i < 0 {
		o.noteTensor(fmt.Sprintf("it frees the address %#x of Tensor Memory, at which no live allocation begins; %s", addr, t.holders()), 0)
		return
	}
	if a := t.live[i]; a.count != count {
		o.noteTensor(fmt.Sprintf("it frees %d columns of Tensor Memory of an allocation of %d", count, a.count), a.pos+1)
	}
	t.live = slices.Delete(t.live, i, i+1)
	o.Changes++
}

// unfreed reports the allocations that the block leaves.
func (t *TensorMemory) unfreed(b *Block) {
	for _, a := range t.live {
		w := b.Waves[a.wave]
		b.note(w, CodeTensorLeak, a.pos, finding{lanes: w.Initial, remedy: allocationRemedy, section: allocationSection,
			text: fmt.Sprintf("the block ends without freeing the %d columns of Tensor Memory from %d on: later blocks on the multiprocessor may wait for them for ever", a.count, a.first)})
	}
}

// tensorStuck reports whether lanes wait for columns that no lane can free: all lanes wait, for columns, at barriers or for
// members of a mask.
func tensorStuck(b *Block) bool {
	if len(b.tensor.waiting) == 0 {
		return false
	}
	for w := range b.clusterWaves() {
		live := w.Live &^ b.Launch.Idle &^ w.inCluster
		for i := range w.parked {
			live &^= w.parked[i].lanes
		}
		if live != 0 && !slices.ContainsFunc(w.tensor.waiting, func(x tensorWait) bool { return x.wave == w.ID }) {
			return false
		}
	}
	return true
}

// stuck describes a deadlock of allocations. It returns false if no warp waits for columns.
func (t *TensorMemory) stuck(b *Block, f *Fault) bool {
	if len(t.waiting) == 0 {
		return false
	}
	x := t.waiting[0]
	w := b.Waves[x.wave]
	taken := 0
	for _, a := range t.live {
		taken += a.count
		pos, src := where(w.Func, a.pos)
		f.Others = append(f.Others, related(pos, fmt.Sprintf("%s: wave %d holds columns %d to %d", w.Func.Pos[a.pos].Name, a.wave, a.first, a.first+a.count-1), src))
	}
	f.Pos, f.Wave, f.Lanes = x.pos, x.wave, w.Live
	f.Text = fmt.Sprintf("deadlock: wave %d waits for %d columns of Tensor Memory, of which %d are allocated; nothing can run that frees them", x.wave, x.count, taken)
	f.Remedy = "free columns with tcgen05.dealloc before more are allocated, or allocate fewer; a block has 512"
	if x.peer {
		f.Text = fmt.Sprintf("deadlock: wave %d waits for the other block of its pair to allocate %d columns of Tensor Memory with it; nothing can run", x.wave, x.count)
		f.Remedy = "let one warp of each block of the pair execute the same tcgen05.alloc.cta_group::2 in the same order"
	}
	return true
}

// A tensorBox is a rectangle of Tensor Memory.
type tensorBox struct{ lane, column, height, width int }

// boxAt returns the box at an address.
func boxAt(addr uint32, height, width int) tensorBox {
	return tensorBox{int(addr >> 16), int(addr & 0xffff), height, width}
}

const boundsRemedy = "use addresses that tcgen05.alloc has given, plus less than the number of columns that it was asked for; the lane is in bits 16 to 31"

// reachesTensor checks that all cells of a box are in live allocations of a block, which may be another than the wave's. It returns
// false after a fault.
func reachesTensor(w *Wave, in *ir.Inst, lanes lane.Mask, owner *Block, x tensorBox) bool {
	t := &owner.tensor
	text := ""
	switch {
	case x.lane+x.height > matrix.TensorLanes:
		text = fmt.Sprintf("Tensor Memory has %d lanes", matrix.TensorLanes)
	case x.column+x.width > matrix.TensorColumns:
		text = fmt.Sprintf("Tensor Memory has %d columns", matrix.TensorColumns)
	case !t.allocated(x.column, x.width):
		text = t.holders()
	default:
		return true
	}
	return tensorFault(w, CodeTensorBounds, in, lanes, boundsRemedy, "accesses lanes %d to %d and columns %d to %d of Tensor Memory: %s",
		x.lane, x.lane+x.height-1, x.column, x.column+x.width-1, text)
}

// tensorMove performs tcgen05.ld and tcgen05.st. It returns false after a fault.
func (o *collective) tensorMove() bool {
	in, info := o.at(0)
	op := &info.Matrix
	addr := o.alike("addresses", in.Args[0]) + uint32(info.Offset)
	height := op.Piece.Height()
	x := boxAt(addr, height, 0)
	if window := o.ID % 4 * 32; x.lane != window && (height == 32 || x.lane != window+16) {
		return tensorFault(o.Wave, CodeTensorLane, in, o.all, "add 32 times the warp's number in its warpgroup, shifted left by 16, to the address",
			"names lane %d of Tensor Memory at address %#x: warp %d of its warpgroup reaches lanes %d to %d, and its operation begins at lane %s", x.lane, addr, o.ID%4, window, window+31,
			map[bool]string{false: fmt.Sprintf("%d or %d", window, window+16), true: fmt.Sprint(window)}[height == 32])
	}
	// The halves of 16x32bx2 may be apart, so that each is a box of its own.
	x.width = op.Columns()
	boxes := []tensorBox{x}
	if op.Piece == matrix.Piece32x2 {
		y := x
		y.column += op.Half
		boxes = []tensorBox{x, y}
	}
	for _, x := range boxes {
		if !reachesTensor(o.Wave, in, o.all, o.Block, x) {
			return false
		}
	}
	o.dear += slowCost
	cells := o.tensor.cells
	undef := in.Flags&ir.Undefined != 0
	if undef {
		cells = o.tensor.undef
	}
	store := op.Kind == matrix.TensorStore
	kind := ir.AccessRead
	if store {
		kind = ir.AccessWrite
		o.gatherSources()
	}
	told := tellTensor(o.Wave, in, kind)
	defer told.end()
	for r := range op.CellRegs() {
		v := &o.coll.values[r]
		var src *[32]uint32
		if store {
			src = (*[32]uint32)(o.coll.src[r])
		}
		for l := range 32 {
			down, right := op.Cell(l, r)
			p := cells[tensorCell(x.lane+down, x.column+right):]
			if o.all.Has(l) {
				n := 1
				if op.Pairs {
					n = 2
				}
				told.touch(l, o.Block, x.lane+down, x.column+right, n)
			}
			switch {
			case store && !o.all.Has(l):
			case store && op.Pairs:
				// Unspecified: the upper halves. They are zeros, and undefined.
				p[0], p[1] = src[l]&0xffff, src[l]>>16
				if undef {
					p[0], p[1] = p[0]|0xffff0000, p[1]|0xffff0000
				}
			case store:
				p[0] = src[l]
			case op.Pairs:
				v[l] = uint64(p[0]&0xffff | p[1]<<16)
			default:
				v[l] = uint64(p[0])
			}
		}
	}
	if !store {
		for i := range o.group {
			_, y := o.at(i)
			o.putResults(y, op.CellRegs(), o.group[i].lanes)
		}
	}
	return true
}

// tensorTold tells tools of accesses to Tensor Memory.
type tensorTold struct {
	ownAccesses
	w    *Wave
	in   ir.Inst
	kind ir.AccessKind
}

// tellTensor begins the accesses of an operation.
func tellTensor(w *Wave, in *ir.Inst, kind ir.AccessKind) *tensorTold {
	t := &tensorTold{w: w, in: *in, kind: kind}
	t.in.Args[0], t.in.Space = 0, ir.Shared
	t.ownAccesses = w.accesses(&t.in, kind)
	return t
}

// touch tells of n cells of a block, one next to the other.
func (t *tensorTold) touch(l int, owner *Block, lane, column, n int) {
	if t.to == nil && t.w.Launch.Recorder == nil {
		return
	}
	addr := owner.sharedFirst() + ir.TensorFirst + 4*uint64(tensorCell(lane, column))
	if t.to != nil {
		t.to.Touch(l, ir.Shared, addr, 4*uint64(n), nil)
	}
	if t.kind == ir.AccessWrite {
		t.w.wrote(&t.in, l, addr, 4*uint64(n))
	} else {
		t.w.read(&t.in, l, ir.Shared, addr, 4*uint64(n))
	}
}

// tensorOwners returns the blocks whose Tensor Memory an operation changes: the block's, and with .cta_group::2 the other one of its
// pair. ok is false after a fault.
func (o *collective) tensorOwners() (owners []*Block, ok bool) {
	in, info := o.at(0)
	owners = []*Block{o.Block}
	if info.Matrix.Both {
		peer := tensorPeer(o.Block)
		if peer == nil || peer.gone {
			return nil, tensorFault(o.Wave, CodeBlockGone, in, o.all, "launch clusters of an even number of blocks, and let no block of a pair end before the last tcgen05 instruction of the other",
				"uses the other block of its pair, which does not exist or has ended")
		}
		owners = append(owners, peer)
	}
	return owners, true
}

// tensorCopy performs tcgen05.cp for one lane. It returns false after a fault.
//
// Unspecified: the bits of elements of 4 and 6 bits in their bytes. They are the lowest, as those of ldmatrix.
func (o *collective) tensorCopy() bool {
	in, info := o.at(0)
	l := o.all.First()
	shape := info.Matrix.Lines
	tile := shape.Source(o.Get(info.Src[0], l))
	lanes, columns := shape.Extent()
	x := boxAt(uint32(o.Get(in.Args[0], l))+uint32(info.Offset), lanes, columns)
	owners, ok := o.tensorOwners()
	if !ok {
		return false
	}
	lines, units := tile.Lines()
	told := tellTensor(o.Wave, in, ir.AccessWrite)
	defer told.end()
	reads := o.accesses(in, ir.AccessRead)
	defer reads.end()
	for _, b := range owners {
		if !reachesTensor(o.Wave, in, o.all, b, x) {
			return false
		}
		if text, remedy := tile.Problem(len(b.Shared)); text != "" {
			f := finding{lanes: o.all, text: fmt.Sprintf("the descriptor (%s): %s", &tile.Descriptor, text), remedy: remedy, section: "PTX 9.7.17.4.1"}
			if !badTile(o.Wave, in, b, &tile, f) {
				return false
			}
		}
		for i := range lines {
			for u := range units {
				at := int(tile.Unit(i, u))
				reads.touch(l, ir.Shared, b.sharedFirst()+uint64(at), 16, nil)
				o.read(in, l, ir.Shared, b.sharedFirst()+uint64(at), 16)
				data := lineUnit(b.Shared[at:], info.Matrix.Pack)
				for _, lane := range shape.Targets(i) {
					told.touch(l, b, x.lane+lane, x.column+4*u, 4)
					cell := tensorCell(x.lane+lane, x.column+4*u)
					copy(b.tensor.cells[cell:cell+4], data[:])
					if b.tensor.undef != nil {
						data := lineUnit(b.undef[at:], info.Matrix.Pack)
						copy(b.tensor.undef[cell:cell+4], data[:])
					}
				}
			}
		}
	}
	o.dear += slowCost
	o.Changes++
	return true
}

// lineUnit reads 16 bytes, and spreads elements of fewer than 8 bits.
func lineUnit(b []byte, pack int) (v [4]uint32) {
	for i := range v {
		v[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	if pack != 0 {
		expandRow(&v, pack)
	}
	return v
}

// shiftedColumns is the width of tcgen05.shift: 32 bytes of each lane.
const shiftedColumns = 8

// tensorShift performs tcgen05.shift.down for one lane: each of the 32 lanes of a warp from the address on, except the last,
// receives what the lane after it held. It returns false after a fault.
//
// Unspecified: the direction (PTX 9.7.17.9.3: "downwards across all the rows, except the last, by one row").
func (o *collective) tensorShift() bool {
	in, info := o.at(0)
	l := o.all.First()
	x := boxAt(uint32(o.Get(in.Args[0], l))+uint32(info.Offset), 32, shiftedColumns)
	owners, ok := o.tensorOwners()
	if !ok {
		return false
	}
	if x.lane%32 != 0 {
		return tensorFault(o.Wave, CodeTensorLane, in, o.all, "begin at a lane that is a multiple of 32", "shifts lanes of Tensor Memory from lane %d on", x.lane)
	}
	told := tellTensor(o.Wave, in, ir.AccessWrite)
	defer told.end()
	for _, b := range owners {
		if !reachesTensor(o.Wave, in, o.all, b, x) {
			return false
		}
		for i := range 31 {
			to, from := tensorCell(x.lane+i, x.column), tensorCell(x.lane+i+1, x.column)
			told.touch(l, b, x.lane+i, x.column, shiftedColumns)
			copy(b.tensor.cells[to:to+shiftedColumns], b.tensor.cells[from:])
			if b.tensor.undef != nil {
				copy(b.tensor.undef[to:to+shiftedColumns], b.tensor.undef[from:])
			}
		}
	}
	o.Changes++
	return true
}
