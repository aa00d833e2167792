package sim

import (
	"fmt"
	"math"
	"unsafe"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/internal/matrix"
	"example.org/crosslane/lane"
)

// maxCollective is the greatest number of registers of one kind in an operation of all lanes of a wave: A and D of 4
// and 128 registers, the descriptor of B, metadata and scale-d.
const maxCollective = 136

// collector is the working memory of operations of all lanes of a wave.
type collector struct {
	scratch  matrix.Scratch
	src, dst [maxCollective]unsafe.Pointer
	values   [maxCollective][32]uint64 // sources that come from several instructions, or results of loads
	rows     [4][8][4]uint32           // the rows of ldmatrix and stmatrix
	marks    matrixMarks
}

// collective is an operation of all lanes of a wave while collect performs it.
type collective struct {
	*Wave
	in    *ir.Inst // the instruction, or the first one
	group []parked // the lanes, by instruction
	all   lane.Mask
	// ins and infos stand for the instructions and their registers, if they are not nil.
	ins   []ir.Inst
	infos []ir.CollectiveInfo
}

// at returns the instruction of a group of lanes, and its registers.
func (o *collective) at(i int) (*ir.Inst, *ir.CollectiveInfo) {
	if o.ins != nil {
		return &o.ins[i], &o.infos[i]
	}
	x := o.in
	if len(o.group) > 1 {
		x = o.group[i].inst(o.Func)
	}
	return x, &o.Func.Collectives[x.Imm]
}

// collective performs an operation of all lanes of a wave for lanes that are at one instruction.
func (w *Wave) collective(in *ir.Inst, lanes lane.Mask) {
	w.Budget -= slowCost
	w.dear += slowCost
	one := [1]parked{{lanes: lanes}}
	w.collect(one[:], in, lanes)
}

// collect performs an operation of all lanes of a wave, for lanes at one or more instructions with equal
// qualifiers; in is the first one's. An .aligned instruction is undefined if not all lanes of the wave
// execute it, or not at one place (PTX 9.7.15). It is then reported, and the absent lanes count as holding
// zeros.
//
// Input: matrix instructions and the fragments in the registers of the lanes.
// Output: fragments of results, or memory that was stored.
// Invariant: all sources are gathered before a result is written.
// Example: mma.m16n8k8: gatherSources collects A, B and C of 32 lanes; Product.Run computes D once and
// writes the elements of the given lanes.
func (w *Wave) collect(group []parked, in *ir.Inst, all lane.Mask) {
	if w.coll == nil {
		w.coll = &collector{}
	}
	// The instruction is .aligned: lanes at several instructions, or absent lanes, are a finding.
	switch {
	case len(group) > 1:
		var where string
		for i := range group {
			where += fmt.Sprintf("; %s at line %d", group[i].lanes.Do("is", "are"), w.Func.Pos[group[i].inst(w.Func).Pos].Line)
		}
		w.note(w, CodeNotAligned, in.Pos, finding{lanes: all, text: "the lanes of the warp do not execute the same instruction" + where})
	case all != w.full && !w.Func.Collectives[in.Imm].Matrix.Kind.OneLane():
		w.note(w, CodeNotAligned, in.Pos, finding{lanes: all, text: w.notThere(w.full &^ all)})
	}
	o := collective{Wave: w, in: in, group: group, all: all}
	_, info := o.at(0)
	// Products, transposes and rows gather everything first, because a destination may be a source of
	// another lane.
	switch info.Matrix.Kind {
	case matrix.Multiply:
		o.gatherSources()
		for i := range group {
			x, info := o.at(i)
			for r, d := range info.Dst {
				w.coll.dst[r] = nil
				if d != 0 {
					w.coll.dst[r] = w.Ptr(d)
				}
			}
			f := info.Product.Run(w.coll.src[:len(info.Src)], w.coll.dst[:len(info.Dst)], uint32(group[i].lanes), &w.coll.scratch)
			if f != 0 && i == 0 {
				o.badOperand(x, all, f)
			}
		}
	case matrix.Transpose:
		o.gatherSources()
		src := *(*[32]uint32)(w.coll.src[0])
		for i := range group {
			_, info := o.at(i)
			transpose(&src, &w.coll.values[0])
			o.putResults(info, 1, group[i].lanes)
		}
	case matrix.LoadRows:
		for i := range group {
			x, info := o.at(i)
			if !o.readRows(x, info, group[i].lanes) {
				return
			}
		}
		for i := range group {
			_, info := o.at(i)
			o.spreadRows(info)
			o.putResults(info, len(info.Dst), group[i].lanes)
		}
	case matrix.StoreRows:
		o.gatherSources()
		for i := range group {
			x, info := o.at(i)
			if !o.writeRows(x, info, group[i].lanes) {
				return
			}
		}
	case matrix.WarpgroupMultiply, matrix.WarpgroupFence, matrix.WarpgroupCommit, matrix.WarpgroupWait:
		if !o.warpgroup() {
			return
		}
	case matrix.TensorAlloc, matrix.TensorFree, matrix.TensorRelinquish:
		if !o.tensorColumns() {
			return
		}
	case matrix.TensorWait:
	case matrix.TensorCopy:
		if !o.tensorCopy() {
			return
		}
	case matrix.TensorShift:
		if !o.tensorShift() {
			return
		}
	case matrix.TensorLoad, matrix.TensorStore:
		if !o.tensorMove() {
			return
		}
	case matrix.LoadTile, matrix.StoreTile:
		for i := range group {
			x, info := o.at(i)
			o.checkTile(x, info, all)
			if !o.tile(x, info, group[i].lanes) {
				return
			}
		}
	}
	o.shadowCollective()
}

// notThere describes the places of the lanes that should take part.
func (l *laneSets) notThere(missing lane.Mask) string {
	var s string
	if m := missing &^ l.Initial; m != 0 {
		s += fmt.Sprintf("; %s, because the block has no threads for them", m.Do("does not exist", "do not exist"))
	}
	if m := missing & l.Initial &^ l.Live; m != 0 {
		s += "; " + m.Do("has exited", "have exited") + " without coming here"
	}
	if m := missing & l.Live; m != 0 {
		s += "; " + m.Do("is elsewhere", "are elsewhere")
	}
	return "not all 32 lanes of the warp execute it" + s
}

// gatherSources collects the sources of all lanes in one set of vectors.
func (o *collective) gatherSources() {
	_, info := o.at(0)
	if len(o.group) == 1 && o.all == o.full {
		for r, v := range info.Src {
			o.coll.src[r] = o.Ptr(v)
		}
		return
	}
	for r, v := range info.Src {
		o.coll.values[r] = [32]uint64{}
		o.coll.src[r] = unsafe.Pointer(&o.coll.values[r])
		wide := o.Func.Val(v).Type == ir.B64
		for i := range o.group {
			_, info := o.at(i)
			for l := range o.group[i].lanes.Lanes() {
				x := o.Get(info.Src[r], l)
				if wide {
					o.coll.values[r][l&31] = x
				} else {
					(*[64]uint32)(o.coll.src[r])[l&31] = uint32(x)
				}
			}
		}
	}
}

// putResults writes the first n vectors of values to the destinations.
func (o *collective) putResults(info *ir.CollectiveInfo, n int, lanes lane.Mask) {
	for r := range n {
		d := info.Dst[r]
		if d == 0 {
			continue
		}
		if v := &o.coll.values[r]; o.Func.Val(d).Type == ir.B32 {
			p := (*[32]uint32)(o.Ptr(d))
			for l := range p {
				if lanes>>l&1 != 0 {
					p[l] = uint32(v[l])
				}
			}
		} else {
			for l := range lanes.Lanes() {
				o.Set(d, l, v[l&31])
			}
		}
	}
}

// transpose is movmatrix (PTX 9.7.15.5.17): lane 4r+c holds elements 2c and 2c+1 of
// row r; it receives those of column r.
func transpose(src *[32]uint32, d *[32]uint64) {
	at := func(row, col int) uint64 { return uint64(src[4*row+col/2] >> (16 * (col % 2)) & 0xffff) }
	for l := range d {
		r, c := l/4, l%4
		d[l] = at(2*c, r) | at(2*c+1, r)<<16
	}
}

// badOperand reports operands for which the manual leaves the result undefined.
func (o *collective) badOperand(in *ir.Inst, lanes lane.Mask, f matrix.Fault) {
	text := "the sparsity metadata holds indices that are equal, out of order or not meaningful for the type"
	if f&matrix.BadMetadata == 0 {
		text = "a byte-id or thread-id of the scale factors is out of range"
	}
	o.note(o.Wave, CodeMatrixOperand, in.Pos, finding{lanes: lanes, text: text})
}

// memoryOf finds the memory of one access of lane i; nil after a fault.
func (o *collective) memoryOf(in *ir.Inst, r *Region, addr, size uint64, i int, store bool) unsafe.Pointer {
	if off := addr - r.Lo; off <= r.Max && addr&(uint64(in.Align)-1) == 0 && r.Ptr != nil {
		return unsafe.Add(r.Ptr, off)
	}
	p := o.Slow(in, r, addr, size, i, store)
	if p == nil {
		o.Fault.Lanes = lane.Lane(i)
	}
	return p
}

// rowAddress returns the address of a row of ldmatrix and stmatrix: lane 8j+r gives that of row r of matrix
// j. ok is false after a fault.
func (o *collective) rowAddress(in *ir.Inst, info *ir.CollectiveInfo, l int) (addr uint64, ok bool) {
	addr = o.Address(in.Args[0], l, uint64(info.Offset))
	if space, _ := o.Resolve(in.Space, addr); space != ir.Shared {
		// PTX 9.7.15.5.15: undefined.
		o.fault(CodeOutOfBounds, in, addr, 16, l, info.Matrix.Kind == matrix.StoreRows, "the address is not one of shared memory"+also(o.addresses().mistaken(in.Space, addr)))
		o.Fault.Lanes = lane.Lane(l)
		return 0, false
	}
	return addr, true
}

// readRows is the first half of ldmatrix: it reads rows of 16 bytes from the addresses that lanes give.
//
//go:norace
func (o *collective) readRows(in *ir.Inst, info *ir.CollectiveInfo, lanes lane.Mask) bool {
	n, kind, _ := info.Rows()
	region := o.Region(in, ir.RowBytes)
	x := o.accesses(in, kind)
	defer x.end()
	if info.Matrix.AllAddresses {
		o.checkAddresses(in, info, lanes&^(1<<n-1))
	}
	for l := range n {
		row := &o.coll.rows[l/8][l%8]
		if !lanes.Has(l) {
			if o.Dead.Has(l) {
				*row = [4]uint32{}
			}
			continue
		}
		addr, ok := o.rowAddress(in, info, l)
		if !ok {
			return false
		}
		p := o.memoryOf(in, &region, addr, ir.RowBytes, l, false)
		if p == nil {
			return false
		}
		x.touch(l, in.Space, addr, ir.RowBytes, nil)
		o.read(in, l, in.Space, addr, ir.RowBytes)
		*row = *(*[4]uint32)(p)
		if b := info.Matrix.Pack; b != 0 {
			expandRow(row, b)
		}
	}
	return true
}

// expandRow unpacks the first 16 elements of 4 or 6 bits into 16 bytes. The rest of the row is padding (PTX
// 9.7.15.5.15). The first element is in the lowest bits.
func expandRow(row *[4]uint32, bits int) {
	var out [4]uint32
	for i := range 16 {
		at := i * bits
		v := uint64(row[at/32])
		if at/32 < 3 {
			v |= uint64(row[at/32+1]) << 32
		}
		out[i/4] |= uint32(v>>(at%32)) & (1<<bits - 1) << (8 * (i % 4))
	}
	*row = out
}

// checkAddresses reports lanes whose addresses are invalid although no row is read from them. For sm_75 PTX
// 9.7.15.5.15 requires all addresses to be valid.
func (o *collective) checkAddresses(in *ir.Inst, info *ir.CollectiveInfo, lanes lane.Mask) {
	var bad lane.Mask
	for l := range lanes.Lanes() {
		addr := o.Address(in.Args[0], l, uint64(info.Offset))
		if space, at := o.Resolve(in.Space, addr); space == ir.Shared {
			_, addr = o.SharedAt(at)
		} else {
			addr = math.MaxUint64
		}
		if addr%16 != 0 || addr > uint64(len(o.Block.Shared)) || uint64(len(o.Block.Shared))-addr < 16 {
			bad |= lane.Lane(l)
		}
	}
	if bad != 0 {
		o.note(o.Wave, CodeMatrixOperand, in.Pos, finding{lanes: bad, text: "the address is not one of 16 bytes of shared memory: for sm_75 all lanes have to give valid addresses, also those whose rows are not read"})
	}
}

// spreadRows is the second half of ldmatrix: lane 4r+c receives elements 2c and 2c+1 of row r of each
// matrix, or of column r with .trans.
func (o *collective) spreadRows(info *ir.CollectiveInfo) {
	if info.Matrix.Bytes {
		t := info.Tile
		for j := range info.Matrix.Num {
			for r := range t.Regs() {
				v := &o.coll.values[j*t.Regs()+r]
				for l := range v {
					v[l] = 0
					for e := range 4 {
						_, row, col := t.At(l, 4*r+e)
						row += j * t.Rows
						v[l] |= uint64(o.coll.rows[row/8][row%8][col/4]>>(col%4*8)&0xff) << (8 * e)
					}
				}
			}
		}
		return
	}
	for j := range info.Matrix.Num {
		m := &o.coll.rows[j]
		v := &o.coll.values[j]
		for l := range v {
			r, c := l/4, l%4
			if info.Matrix.Trans {
				sh := 16 * (r % 2)
				v[l] = uint64(m[2*c][r/2]>>sh&0xffff | m[2*c+1][r/2]>>sh&0xffff<<16)
			} else {
				v[l] = uint64(m[r][c])
			}
		}
	}
}

// writeRows is stmatrix: the inverse of readRows and spreadRows.
//
//go:norace
func (o *collective) writeRows(in *ir.Inst, info *ir.CollectiveInfo, lanes lane.Mask) bool {
	n, kind, _ := info.Rows()
	region := o.RegionForStore(in, ir.RowBytes)
	x := o.accesses(in, kind)
	defer x.end()
	for l := range n {
		if !lanes.Has(l) {
			continue
		}
		src := (*[32]uint32)(o.coll.src[l/8])
		var row [4]uint32
		for c := range 4 {
			if info.Matrix.Bytes {
				continue
			}
			if info.Matrix.Trans {
				r := l % 8 // row r of memory is column r of the fragments
				x := func(col int) uint32 { return src[4*col+r/2] >> (16 * (r % 2)) & 0xffff }
				row[c] = x(2*c) | x(2*c+1)<<16
			} else {
				row[c] = src[4*(l%8)+c]
			}
		}
		if info.Matrix.Bytes {
			for from := range src {
				for e := range 4 {
					if _, r, col := info.Tile.At(from, e); r == l%8 {
						row[col/4] |= src[from] >> (8 * e) & 0xff << (col % 4 * 8)
					}
				}
			}
		}
		addr, ok := o.rowAddress(in, info, l)
		if !ok {
			return false
		}
		o.wrote(in, l, addr, ir.RowBytes)
		p := o.memoryOf(in, &region, addr, ir.RowBytes, l, true)
		if p == nil {
			return false
		}
		x.touch(l, in.Space, addr, ir.RowBytes, unsafe.Slice((*byte)(unsafe.Pointer(&row)), ir.RowBytes))
		*(*[4]uint32)(p) = row
	}
	o.Changes++
	return true
}

// stride is the distance, in elements, between rows (or columns) that lane l gives.
func (o *collective) stride(in *ir.Inst, info *ir.CollectiveInfo, l int) uint64 {
	if in.Args[1] == 0 {
		return uint64(info.Stride)
	}
	return o.Get(in.Args[1], l)
}

// checkTile reports operands for which the manual leaves wmma.load and wmma.store undefined (PTX 9.7.15.4.2
// to 9.7.15.4.4).
func (o *collective) checkTile(in *ir.Inst, info *ir.CollectiveInfo, lanes lane.Mask) {
	t, first := info.Tile, lanes.First()
	addr, stride := o.Get(in.Args[0], first), o.stride(in, info, first)
	for l := range lanes.Lanes() {
		if o.Get(in.Args[0], l) != addr || o.stride(in, info, l) != stride {
			o.note(o.Wave, CodeMatrixOperand, in.Pos, finding{lanes: lanes, text: "the lanes give different addresses or strides"})
			return
		}
	}
	addr = o.Address(in.Args[0], first, uint64(info.Offset))
	size := uint64(t.Regs() * t.RegBits / 8)
	text := ""
	switch bytes := stride * uint64(t.Elem.Bits()) / 8; {
	case stride < uint64(info.Stride):
		text = fmt.Sprintf("the stride is %d, less than the %d elements of a row or column", stride, info.Stride)
	case addr%size != 0:
		text = fmt.Sprintf("the address %#x is not a multiple of %d, the bytes of a fragment", addr, size)
	case stride == uint64(info.Stride):
		// The default: for some shapes the manual's own is not aligned.
		return
	case bytes%size != 0 || stride*uint64(t.Elem.Bits())%8 != 0:
		text = fmt.Sprintf("the stride of %d bytes is not a multiple of %d, the bytes of a fragment", bytes, size)
	default:
		return
	}
	o.note(o.Wave, CodeMatrixOperand, in.Pos, finding{lanes: lanes, text: text})
}

// tile performs wmma.load and wmma.store: each lane accesses the elements of its fragment.
//
//go:norace
func (o *collective) tile(in *ir.Inst, info *ir.CollectiveInfo, lanes lane.Mask) bool {
	t, store := info.Tile, info.Matrix.Kind == matrix.StoreTile
	size := uint64(in.Size)
	region, kind := o.Region(in, size), ir.AccessRead
	if store {
		region, kind = o.RegionForStore(in, size), ir.AccessWrite
	}
	x := o.accesses(in, kind)
	defer x.end()
	bits := uint64(t.Elem.Bits())
	per := t.PerReg() // accesses of a register
	unit := 1         // elements per access: one, or a register full of them if they are smaller than a byte
	if bits < 8 {
		unit = per
	}
	for l := range lanes.Lanes() {
		o.dear += slowCost
		typ, addr, stride := o.Func.Val(in.Args[0]).Type, o.Get(in.Args[0], l), o.stride(in, info, l)
		for r := range t.Regs() {
			var v uint64
			if store {
				v = o.Get(info.Src[r], l)
			}
			for e := 0; e < per; e += unit {
				_, row, col := t.At(l, r*per+e)
				i := uint64(row)*stride + uint64(col)
				if !info.Matrix.RowMajor {
					i = uint64(col)*stride + uint64(row)
				}
				at := typ.Sum(addr, uint64(info.Offset)+i*bits/8)
				if space, _ := o.Resolve(in.Space, at); in.Space == ir.Generic && space == ir.Local {
					// PTX 9.7.15.4.3: global and shared memory only.
					o.fault(CodeOutOfBounds, in, at, size, l, store, "wmma reaches global and shared memory only, and this is private memory")
					o.Fault.Lanes = lane.Lane(l)
					return false
				}
				p := o.memoryOf(in, &region, at, size, l, store)
				if p == nil {
					return false
				}
				sh := uint64(e) * bits
				if store {
					o.wrote(in, l, at, size)
				} else {
					o.read(in, l, in.Space, at, size)
				}
				x.touch(l, in.Space, at, size, x.bytes(v>>sh, size))
				switch {
				case store:
					putBytes(p, size, v>>sh)
				default:
					v |= getBytes(p, size) << sh
				}
			}
			if !store {
				o.coll.values[r][l&31] = v
			}
		}
	}
	if store {
		o.Changes++
		return true
	}
	o.putResults(info, t.Regs(), lanes)
	return true
}

//go:norace
func getBytes(p unsafe.Pointer, size uint64) uint64 {
	switch size {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

//go:norace
func putBytes(p unsafe.Pointer, size, v uint64) {
	switch size {
	case 1:
		*(*uint8)(p) = uint8(v)
	case 2:
		*(*uint16)(p) = uint16(v)
	case 4:
		*(*uint32)(p) = uint32(v)
	default:
		*(*uint64)(p) = v
	}
}
