package amdgpu

import (
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/num"
)

// Buffer instructions: GCN3 ISA 8.1 and 12, MUBUF and MTBUF. Addresses come from a buffer resource
// descriptor of four scalar registers (V#), an index, offsets and a scalar offset; functions of
// package num do the arithmetic.
//
// Range. An access out of the range of the descriptor reads 0 and writes nothing. Loads and stores
// of several dwords are checked dword by dword, formatted ones and atomics as a whole. An access in
// range that belongs to no allocation is a fault.
//
// Offsets (Errata E124). The sum of the offsets of the VGPR and the instruction has 32 bits and
// wraps. In a swizzled buffer, an access whose sum would wrap is out of range. The same holds for
// all further sums.
//
// Null. A V# with data format 0 is no buffer (GCN3 ISA table 8.5, DATA_FORMAT: invalid): an access
// that moves bytes unchanged is out of range. With ADD_TID_ENABLE the field belongs to the stride.
// MTBUF has its own format, and scalar loads ignore it. An instruction that converts with format 0
// is a mistake of the program, and a fault.
//
// Elements of 2 bytes belong to swizzled buffers of 16-bit data: a dword that extends into the next
// element is not cut.
//
// Scratch memory. On gfx8, compilers access private memory through buffer instructions: the V# of
// the private segment interleaves the lanes' memory. Crosslane does not interleave private memory.
// A kernel with scratch memory gets a V# with a special base (scratchBase). An access through that
// V# reaches the lane's own private memory at VOFFSET + OFFSET + SOFFSET / 64 (SOFFSET is not
// interleaved).

// scratchBase is bits 47:32 of the base of the V# of scratch memory. No allocation is at these
// addresses.
const scratchBase = 0x8000

// scratchRsrc returns the V# of scratch memory with the given bytes per lane: elements of 4 bytes
// of 64 lanes are adjacent, ADD_TID_ENABLE and SWIZZLE_ENABLE are set. LLVM AMDGPU usage, "Private
// Segment Buffer".
func (t *Target) scratchRsrc(bytes uint32) (v01, v23 uint64) {
	const (
		swizzle   = 1 << 63
		identity  = (4 | 5<<3 | 6<<6 | 7<<9) << 32 // DST_SEL
		uint32fmt = 4<<44 | 4<<47
		elem4     = 1 << 51
		stride64  = 3 << 53
		addTID    = 1 << 55
	)
	return scratchBase<<32 | swizzle, uint64(bytes)*uint64(t.WaveSize) | identity | uint32fmt | elem4 | stride64 | addTID
}

// buffer holds the decoded operands of a buffer instruction.
type buffer struct {
	v01, v23   ir.Ref // the V#
	word3      ir.Ref // its last dword
	base, soff ir.Ref // base + SOFFSET (B64), SOFFSET (B32)
	offset     ir.Ref // per lane: the offset, and the index
	index      ir.Ref
	null       ir.Ref // the lanes for which the V# is a buffer: all or none; 0: all
}

// bufferOperands reads V#, index and offsets. rsrc is the index of the operand V#; SOFFSET follows
// it, and VADDR, if present, precedes it.
func (x *lifter) bufferOperands(rsrc int) *buffer {
	b, in := x.b, x.in
	q := in.Ops[rsrc].Reg
	k := &buffer{v01: x.sreg(q, 2), v23: x.sreg(q+2, 2), word3: x.sreg(q+3, 1), soff: x.ssrc(rsrc + 1)}
	base := b.S(ir.And64, k.v01, b.SConst(ir.B64, 1<<48-1))
	k.base = b.S(ir.Add64, base, b.S(ir.CvtU64FromU32, k.soff))
	k.offset = b.Const(ir.B32, uint64(in.Mod(ModOffset)))
	if !x.converts {
		k.null = b.T(ir.EqU32, x.noFormat(q), b.Const(ir.B32, 0))
	}
	// If ADD_TID_ENABLE, V#[119], is set, the lane is added to the index.
	tid := b.S(ir.NeU32, b.S(ir.And32, k.word3, b.SConst(ir.B32, 1<<23)), b.SConst(ir.B32, 0))
	all := b.S(ir.Sel32, tid, b.SConst(ir.B32, 0xffffffff), b.SConst(ir.B32, 0))
	k.index = b.T(ir.And32, x.laneID(), all)
	if rsrc == 0 {
		return k
	}
	v := in.Ops[rsrc-1].Reg
	if in.Has(ModIdxen) {
		k.index = b.T(ir.Add32, x.vreg(v), k.index)
		v++
	}
	if in.Has(ModOffen) && in.Has(ModOffset) {
		swizzle := b.S(ir.NeU32, b.S(ir.And32, x.sreg(q+1, 1), b.SConst(ir.B32, 1<<31)), b.SConst(ir.B32, 0))
		keep := b.S(ir.Sel32, swizzle, b.SConst(ir.B32, 0xffffffff), b.SConst(ir.B32, 0))
		// The sum, or all ones if it wraps in a swizzled buffer.
		k.offset = b.T(ir.Or32, b.T(ir.Add32, x.vreg(v), k.offset), b.T(ir.And32, keep, x.carried(x.vreg(v), k.offset)))
	} else if in.Has(ModOffen) {
		k.offset = x.vreg(v)
	}
	return k
}

// carried returns all ones in the lanes in which the sum of two numbers needs more than 32 bits.
func (x *lifter) carried(u, v ir.Ref) ir.Ref {
	return x.b.T(ir.Sel32, x.b.T(ir.AddC32, u, v), x.b.Const(ir.B32, 0xffffffff), x.b.Const(ir.B32, 0))
}

// noFormat returns 1 if the V# from q on has data format 0 and not ADD_TID_ENABLE.
func (x *lifter) noFormat(q uint16) ir.Ref {
	const bits = 15<<15 | 1<<23
	return x.b.S(ir.SubSatU32, x.b.SConst(ir.B32, 1), x.b.S(ir.And32, x.sreg(q+3, 1), x.b.SConst(ir.B32, bits)))
}

// at returns the address of the bytes at off of the lanes' places, and the lanes whose place is in
// range.
func (x *lifter) at(k *buffer, off int) (addr, in ir.Ref) {
	b := x.b
	offset := k.offset
	if off != 0 {
		offset = b.T(ir.AddSatU32, offset, b.Const(ir.B32, uint64(off)))
	}
	pos := b.T(ir.Pack64, offset, k.index)
	in = b.T(ir.BufInside, pos, k.v01, k.v23, k.soff)
	if k.null != 0 {
		in = b.T(ir.AndP, in, k.null)
	}
	return b.T(ir.Add64, k.base, b.T(ir.BufOffset, pos, k.v01, k.v23)), in
}

// bufferAccess returns an access to the bytes at off. The 48 bits of an address never reach the
// windows of LDS and scratch memory, so the memory is global.
func (x *lifter) bufferAccess(k *buffer, off int) access {
	addr, in := x.at(k, off)
	return access{space: ir.Global, addr: addr, within: func(uint64, int) ir.Ref { return in }}
}

// bufferOr emits a buffer instruction three times: direct for the V# of scratch memory, if
// compilers use the instruction for it (scratch); direct for buffers without swizzling if the byte
// last of all lanes of EXEC is in range; and general for all other cases. Nearly all accesses are
// of the first two kinds, which cost as much as those of FLAT.
//
// odd, if it is not 0, is a value (B32): if it is not 0 at run time, the access is not direct for
// another reason.
func (x *lifter) bufferOr(rsrc, last int, scratch bool, odd ir.Ref, general func(k *buffer), direct func(a access)) {
	b, in := x.b, x.in
	if in.Has(ModLDS) || in.Has(ModTFE) {
		general(x.bufferOperands(rsrc))
		return
	}
	done := b.NewLabel()
	if (x.opt.Scratch != 0 || x.opt.DynamicStack) && scratch && !in.Has(ModIdxen) {
		hi := b.S(ir.And32, x.sreg(in.Ops[rsrc].Reg+1, 1), b.SConst(ir.B32, 0xffff))
		isScratch := b.S(ir.EqU32, hi, b.SConst(ir.B32, scratchBase))
		other := b.NewLabel()
		b.SBra(other, isScratch, true)
		b.Resume()
		direct(x.scratchAddr(rsrc))
		b.SBra(done, 0, false)
		b.Resume()
		b.Bind(other)
	}
	other := b.NewLabel()
	b.SBra(other, x.notLinear(rsrc, last, odd), false)
	b.Resume()
	direct(x.linearAddr(rsrc))
	b.SBra(done, 0, false)
	b.Resume()
	b.Bind(other)
	general(x.bufferOperands(rsrc))
	b.Guard(0, false)
	b.SBra(done, 0, false)
	b.Bind(done)
}

// linearOffset returns the distance of the lanes' places from the base plus SOFFSET, in a buffer
// without SWIZZLE_ENABLE and ADD_TID_ENABLE. It saturates at 2^32 - 1, which is out of range, see
// num.BufOffset.
func (x *lifter) linearOffset(rsrc int) ir.Ref {
	b, in := x.b, x.in
	offset := b.Const(ir.B32, uint64(in.Mod(ModOffset)))
	if rsrc == 0 {
		return offset
	}
	v, some := in.Ops[rsrc-1].Reg, in.Has(ModOffset)
	if in.Has(ModOffen) {
		at := x.vreg(v)
		if in.Has(ModIdxen) {
			at = x.vreg(v + 1)
		}
		if some {
			at = b.T(ir.Add32, at, offset)
		}
		offset, some = at, true
	}
	if in.Has(ModIdxen) {
		stride := b.S(ir.And32, b.S(ir.ShrU32, x.sreg(in.Ops[rsrc].Reg+1, 1), b.SConst(ir.B32, 16)), b.SConst(ir.B32, 0x3fff))
		at := b.T(ir.Mul32, x.vreg(v), stride)
		if some {
			at = b.T(ir.AddSatU32, at, offset)
		}
		offset = at
	}
	return offset
}

// notLinear reports (as a value) whether the address needs more than a multiplication and a sum
// (SWIZZLE_ENABLE, V#[63]; ADD_TID_ENABLE, V#[119]), or the byte last of a lane of EXEC is out of
// range (see num.BufInside), or odd is not 0.
func (x *lifter) notLinear(rsrc, last int, odd ir.Ref) ir.Ref {
	b, q := x.b, x.in.Ops[rsrc].Reg
	if x.lanesIn == 0 {
		at := b.Reserve(8)
		x.lanesIn = b.View("", ir.B64, true, at)
		x.lanesMask = b.View("", ir.B1, false, at)
		x.linearKept = b.View("", ir.B32, false, b.Reserve(x.t.RowBytes()))
	}
	room := b.S(ir.SubSatU32, x.sreg(q+2, 1), x.ssrc(rsrc+1))
	if last != 0 {
		room = b.S(ir.SubSatU32, room, b.SConst(ir.B32, uint64(last)))
	}
	x.linear = x.linearOffset(rsrc)
	if b.Func().Val(x.linear).Kind == ir.Temp { // it is needed once more
		b.MoveLast(x.linearKept, x.linear)
		x.linear = x.linearKept
	}
	b.To(x.lanesMask, ir.LtU32, x.linear, room)
	special := b.S(ir.Or32, b.S(ir.And32, x.sreg(q+1, 1), b.SConst(ir.B32, 1<<31)), b.S(ir.And32, x.sreg(q+3, 1), b.SConst(ir.B32, 1<<23)))
	if !x.converts {
		special = b.S(ir.Or32, special, x.noFormat(q))
	}
	if odd != 0 {
		special = b.S(ir.Or32, special, odd)
	}
	out := b.S(ir.AndN64, x.sreg(RegEXEC, 2), x.lanesIn)
	return b.S(ir.NeU64, b.S(ir.Or64, out, b.S(ir.CvtU64FromU32, special)), b.SConst(ir.B64, 0))
}

// linearAddr returns the lanes' address in a linear buffer, after notLinear.
func (x *lifter) linearAddr(rsrc int) access {
	b, q := x.b, x.in.Ops[rsrc].Reg
	base := b.S(ir.And64, x.sreg(q, 2), b.SConst(ir.B64, 1<<48-1))
	base = b.S(ir.Add64, base, b.S(ir.CvtU64FromU32, x.ssrc(rsrc+1)))
	return access{space: ir.Global, addr: b.T(ir.AddWideU32, x.linear, base)}
}

// scratchAddr returns the address of a buffer instruction in private memory.
func (x *lifter) scratchAddr(rsrc int) access {
	in := x.in
	addr := x.op(ir.ShrUWrap32, x.ssrc(rsrc+1), x.b.SConst(ir.B32, 6))
	if in.Has(ModOffen) {
		addr = x.b.T(ir.Add32, x.vreg(in.Ops[rsrc-1].Reg), addr)
	} else {
		addr = x.b.Splat(addr)
	}
	return access{space: ir.Local, addr: addr, off: uint64(in.Mod(ModOffset))}
}

// resident writes the dword that tfe adds to the data: 0, because all memory is resident.
func (x *lifter) resident(r uint16) {
	if x.in.Has(ModTFE) {
		x.b.Guard(x.exec, false)
		x.b.Move(x.vreg(r), x.b.Const(ir.B32, 0))
	}
}

// bufLoadN lifts buffer_load of the given bytes; 0 bytes: the destination's width.
func bufLoadN(bytes int, signed bool) Sem {
	return func(x *lifter) {
		n := bytes
		if n == 0 {
			n = width(x.in.Row.Operands[0].Type)
		}
		d := x.in.Ops[0].Reg
		x.bufferOr(2, (n-1)&^3, true, 0, func(k *buffer) {
			if x.in.Has(ModLDS) {
				x.loadToLDS(k, n, signed)
				return
			}
			var parts []access // compute all addresses before a result may overwrite them
			for i := 0; i < n; i += 4 {
				parts = append(parts, x.bufferAccess(k, i))
			}
			for i, a := range parts {
				x.load(a, d+uint16(i), min(n, 4), signed)
			}
			x.resident(d + uint16(len(parts)))
		}, func(a access) { x.load(a, d, n, signed) })
	}
}

// bufStoreN lifts buffer_store.
func bufStoreN(x *lifter) {
	n := width(x.in.Row.Operands[0].Type)
	d := x.in.Ops[0].Reg
	x.bufferOr(2, (n-1)&^3, true, 0, func(k *buffer) {
		for i := 0; i < n; i += 4 {
			x.store(x.bufferAccess(k, i), d+uint16(i/4), min(n, 4))
		}
	}, func(a access) { x.store(a, d, n) })
}

// ldsPlace returns the place of the lanes' dwords in LDS for buffer instructions with lds: M0[15:0]
// + 4 * lane.
//
// Unspecified: whether the instruction's offset moves this place too.
func (x *lifter) ldsPlace() (ir.Ref, bool) {
	if x.in.Has(ModOffset) {
		x.unsupported("lds with an offset; the manual does not say whether the offset counts in LDS, too")
		return 0, false
	}
	b := x.b
	base := b.S(ir.And32, x.m0(), b.SConst(ir.B32, 0xffff))
	return b.T(ir.Add32, b.T(ir.ShlWrap32, x.laneID(), b.SConst(ir.B32, 2)), base), true
}

// loadToLDS lifts a load with lds: a dword of each lane goes to LDS, zero-extended.
func (x *lifter) loadToLDS(k *buffer, n int, signed bool) {
	b := x.b
	if signed {
		x.unsupported("lds with a signed part of a dword; the manuals disagree on the extension")
		return
	}
	to, ok := x.ldsPlace()
	if !ok {
		return
	}
	v := b.Temp(ir.B32)
	b.Move(v, b.Const(ir.B32, 0))
	a := x.bufferAccess(k, 0)
	x.guard(&a, 0, n)
	b.Emit(ir.Inst{Op: ir.Load, Space: a.space, Size: uint8(n), Dst: v, Args: [4]ir.Ref{a.addr}})
	b.Guard(x.exec, false)
	b.Emit(ir.Inst{Op: ir.Store, Space: ir.Shared, Size: 4, Align: 4, Args: [4]ir.Ref{to, v}})
}

// bufStoreLDS lifts buffer_store_lds_dword: a dword of each lane goes from LDS to memory.
func bufStoreLDS(x *lifter) {
	b := x.b
	from, ok := x.ldsPlace()
	if !ok {
		return
	}
	v := b.Temp(ir.B32)
	a := x.bufferAccess(x.bufferOperands(0), 0)
	b.Guard(x.exec, false)
	b.Emit(ir.Inst{Op: ir.Load, Space: ir.Shared, Size: 4, Align: 4, Dst: v, Args: [4]ir.Ref{from}})
	x.guard(&a, 0, 4)
	b.Emit(ir.Inst{Op: ir.Store, Space: a.space, Size: 4, Args: [4]ir.Ref{a.addr, v}})
}

// bufAtomicOp lifts buffer_atomic; with glc the old value is returned in the data registers. The
// data of cmpswap are the new value and the comparand, in this order.
func bufAtomicOp(op ir.AtomicOp) Sem {
	return func(x *lifter) {
		data := x.in.Ops[0].Reg
		n := x.in.Row.Operands[0].Type.Dwords()
		if op == ir.AtomCAS {
			n /= 2
		}
		do := func(a access) {
			v := x.vvalue(data, n == 2)
			args := [4]ir.Ref{a.addr, v}
			if op == ir.AtomCAS {
				args[1], args[2] = x.vvalue(data+uint16(n), n == 2), v
			}
			x.atomic(op, a, args, n == 2, x.in.Returns(), data)
		}
		x.bufferOr(2, 0, false, 0, func(k *buffer) { do(x.bufferAccess(k, 0)) }, do)
		x.resident(data + uint16(x.in.Row.Operands[0].Type.Dwords()))
	}
}

// format returns the last dword of the V#, which holds the format of elements. For MTBUF it is made
// of the instruction's own fields, with the identity as DST_SEL.
func (x *lifter) format(k *buffer) ir.Ref {
	if x.in.Row.Format != MTBUF {
		return k.word3
	}
	return x.b.SConst(ir.B32, x.ownFormat())
}

// ownFormat returns the format that an MTBUF instruction contains.
func (x *lifter) ownFormat() uint64 {
	return 4 | 5<<3 | 6<<6 | 7<<9 | uint64(x.in.Mod(ModNFmt))<<12 | uint64(x.in.Mod(ModDFmt))<<15
}

// formatOr is bufferOr for formatted loads and stores: a format that moves dwords unchanged is
// direct.
func (x *lifter) formatOr(general func(k *buffer), direct func(a access)) {
	x.converts = true
	defer func() { x.converts = false }()
	n := uint64(x.in.Row.Operands[0].Type.Dwords())
	odd := ir.Ref(0)
	switch {
	case x.in.Row.Format != MTBUF:
		odd = x.b.S(ir.BufNotRaw, x.sreg(x.in.Ops[2].Reg+3, 1), x.b.SConst(ir.B32, n))
	case num.BufNotRaw(uint32(x.ownFormat()), uint32(n)) != 0:
		general(x.bufferOperands(2))
		return
	}
	x.bufferOr(2, 0, false, odd, general, direct)
}

// refuse emits a fault for the lanes of EXEC in which bad (B32) is not 0.
func (x *lifter) refuse(bad ir.Ref) {
	x.b.Guard(x.exec, false)
	x.b.Emit(ir.Inst{Op: ir.Fail, Args: [4]ir.Ref{bad}, Imm: uint64(ir.FailBufferFormat)})
	x.b.Guard(0, false)
}

// element accesses the 1 to 16 bytes of an element; the format gives its size at run time. access
// is called for each piece that an element may have, with the lanes that have the piece.
func (x *lifter) element(k *buffer, f ir.Ref, in ir.Ref, access func(off, n int, lanes ir.Ref)) {
	b := x.b
	size := b.S(ir.BufElement, f)
	piece := func(cond ir.Ref, off, n int) {
		lanes := b.Temp(ir.B1)
		b.Emit(ir.Inst{Op: ir.LaneBit, Dst: lanes, Args: [4]ir.Ref{cond}})
		access(off, n, b.T(ir.AndP, lanes, in))
	}
	piece(b.S(ir.EqU32, size, b.SConst(ir.B32, 1)), 0, 1)
	piece(b.S(ir.EqU32, size, b.SConst(ir.B32, 2)), 0, 2)
	for off := 0; off < 16; off += 4 {
		piece(b.S(ir.GtU32, size, b.SConst(ir.B32, uint64(off+3))), off, 4)
	}
}

// bufLoadFormat lifts buffer_load_format and tbuffer_load_format.
func bufLoadFormat(x *lifter) {
	x.formatOr(x.loadFormat, func(a access) { x.load(a, x.in.Ops[0].Reg, width(x.in.Row.Operands[0].Type), false) })
}

// loadFormat loads an element, converts it, and writes the components.
func (x *lifter) loadFormat(k *buffer) {
	b := x.b
	f := x.format(k)
	x.refuse(b.Splat(b.S(ir.BufLoadBad, f)))
	_, inside := x.at(k, 0)
	in := b.T(ir.AndP, inside, x.exec)
	var words [4]ir.Ref
	for i := range words {
		words[i] = b.Temp(ir.B32)
		b.Move(words[i], b.Const(ir.B32, 0))
	}
	x.element(k, f, in, func(off, n int, lanes ir.Ref) {
		addr, _ := x.at(k, off)
		b.Guard(lanes, false)
		b.Emit(ir.Inst{Op: ir.Load, Space: ir.Global, Size: uint8(n), Dst: words[off/4], Args: [4]ir.Ref{addr}})
		b.Guard(0, false)
	})
	lo, hi := b.T(ir.Pack64, words[0], words[1]), b.T(ir.Pack64, words[2], words[3])
	// A lane out of range has no format: DST_SEL alone decides its result.
	w := b.T(ir.Sel32, in, f, b.S(ir.And32, f, b.SConst(ir.B32, 0x7fff)))
	n := x.in.Row.Operands[0].Type.Dwords()
	if x.in.Has(ModLDS) {
		if to, ok := x.ldsPlace(); ok {
			v := b.T(ir.BufLoadFormat, lo, hi, w, b.SConst(ir.B32, 0))
			b.Guard(x.exec, false)
			b.Emit(ir.Inst{Op: ir.Store, Space: ir.Shared, Size: 4, Align: 4, Args: [4]ir.Ref{to, v}})
		}
		return
	}
	d := x.in.Ops[0].Reg
	for c := range n {
		b.Guard(x.exec, false)
		b.To(x.vreg(d+uint16(c)), ir.BufLoadFormat, lo, hi, w, b.SConst(ir.B32, uint64(c)))
	}
	x.resident(d + uint16(n))
}

// bufStoreFormat lifts buffer_store_format and tbuffer_store_format.
func bufStoreFormat(x *lifter) {
	x.formatOr(x.storeFormat, func(a access) { x.store(a, x.in.Ops[0].Reg, width(x.in.Row.Operands[0].Type)) })
}

// storeFormat converts the components to an element, and stores it.
func (x *lifter) storeFormat(k *buffer) {
	b := x.b
	f := x.format(k)
	n := x.in.Row.Operands[0].Type.Dwords()
	d := x.in.Ops[0].Reg
	v := [4]ir.Ref{}
	for i := range v {
		v[i] = b.Const(ir.B32, 0)
		if i < n {
			v[i] = x.vreg(d + uint16(i))
		}
	}
	xy, zw := b.T(ir.Pack64, v[0], v[1]), b.T(ir.Pack64, v[2], v[3])
	_, inside := x.at(k, 0)
	in := b.T(ir.AndP, inside, x.exec)
	bad := b.T(ir.BufStoreBad, xy, zw, f, b.SConst(ir.B32, uint64(n)))
	x.refuse(b.T(ir.Sel32, in, bad, b.Const(ir.B32, 0)))
	var half [2]ir.Ref
	for i := range half {
		half[i] = b.T(ir.BufStoreFormat, xy, zw, f, b.SConst(ir.B32, uint64(i)))
	}
	x.element(k, f, in, func(off, n int, lanes ir.Ref) {
		addr, _ := x.at(k, off)
		word := x.op([2]ir.Op{ir.Lo32, ir.Hi32}[off/4%2], half[off/8])
		b.Guard(lanes, false)
		b.Emit(ir.Inst{Op: ir.Store, Space: ir.Global, Size: uint8(n), Args: [4]ir.Ref{addr, word}})
		b.Guard(0, false)
	})
}
