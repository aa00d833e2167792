package gcn3

import "crosslane/internal/ir"

// Memory: GCN3 ISA 12, SMEM, DS and FLAT.
//
// Alignment. DS: the manual ignores the low address bits of an access; compilers
// rely on aligned addresses, so that a misaligned one is a mistake of the program:
// it is a fault. Every access must be a multiple of its size, but the two halves
// of the read2 and write2 forms count alone. FLAT: the HSA runtime sets the
// unaligned access mode, so that loads and stores take any address; atomics must
// be aligned. SMEM: the low two bits are ignored, as the manual says.
//
// M0 must hold the LDS limit on gfx803 and bounds DS addresses; here the block's
// own LDS bounds them, whatever M0 says.

// smemLoadN is s_load_dword and its wider forms: SBASE + offset, the low two bits
// ignored. The loaded dwords are contiguous registers.
func smemLoadN(x *lifter) {
	base := x.in.Ops[1]
	if base.Dwords != 2 {
		x.unsupported("a buffer resource")
		return
	}
	var off ir.Ref
	switch o := x.in.Ops[2]; o.Kind {
	case KindImm:
		off = x.b.SConst(ir.B64, uint64(o.Imm))
	case KindSGPR:
		off = x.b.S(ir.CvtU64FromU32, x.sreg(o.Reg, 1))
	default:
		x.unsupported("the offset")
		return
	}
	addr := x.b.S(ir.And64, x.b.S(ir.Add64, x.sreg(base.Reg, 2), off), x.b.SConst(ir.B64, ^uint64(3)))
	d := &x.in.Ops[0]
	if d.Dwords == 1 {
		x.b.Emit(ir.Inst{Op: ir.Load, Scalar: true, Space: ir.Generic, Size: 4, Dst: x.sreg(d.Reg, 1), Args: [4]ir.Ref{addr}})
		return
	}
	for i := uint16(0); i < uint16(d.Dwords); i += 2 {
		x.b.Emit(ir.Inst{Op: ir.Load, Scalar: true, Space: ir.Generic, Size: 8, Dst: x.sreg(d.Reg+i, 2), Args: [4]ir.Ref{addr}, Imm: uint64(4 * i)})
	}
}

// access describes a load or store of one lane.
type access struct {
	space ir.Space
	addr  ir.Ref
	off   uint64 // bytes added to the address
	align uint16
}

// load reads n bytes into the VGPRs from r on; fewer than 4 bytes are extended.
func (x *lifter) load(a access, r uint16, n int, signed bool) {
	in := ir.Inst{Op: ir.Load, Space: a.space, Size: uint8(min(n, 4)), Align: a.align, Args: [4]ir.Ref{a.addr}}
	if x.in.Has(ModGLC) {
		in.Flags = ir.Volatile // what others store is seen: programs wait with such loads
	}
	if signed {
		in.Flags |= ir.SignExtend
	}
	for i := 0; i < n; i += 4 {
		in.Dst, in.Imm = x.vreg(r+uint16(i/4)), a.off+uint64(i)
		x.b.Emit(in)
		in.Align = min(in.Align, 4) // the first piece is aligned, so are the others
	}
}

// store writes n bytes from the VGPRs from r on.
func (x *lifter) store(a access, r uint16, n int) {
	in := ir.Inst{Op: ir.Store, Space: a.space, Size: uint8(min(n, 4)), Align: a.align}
	for i := 0; i < n; i += 4 {
		in.Args, in.Imm = [4]ir.Ref{a.addr, x.vreg(r + uint16(i/4))}, a.off+uint64(i)
		x.b.Emit(in)
		in.Align = min(in.Align, 4)
	}
}

// width is the number of bytes that an operand's type moves to or from memory.
func width(t Type) int {
	if t == B8 {
		return 1
	}
	if t.Is16() {
		return 2
	}
	return 4 * t.Dwords()
}

// flatAddr reads the address pair of operand i. It is a temporary, so that the
// results may overwrite the registers.
func (x *lifter) flatAddr(i int) ir.Ref {
	r := x.in.Ops[i].Reg
	return x.b.T(ir.Pack64, x.vreg(r), x.vreg(r+1))
}

// tfe refuses the status dword.
func (x *lifter) noTFE() {
	if x.in.Has(ModTFE) {
		x.unsupported("tfe")
	}
}

// flatLoadN is flat_load of the given bytes; 0: the destination's width.
func flatLoadN(bytes int, signed bool) Sem {
	return func(x *lifter) {
		x.noTFE()
		a := access{space: ir.Generic, addr: x.flatAddr(1)}
		n := bytes
		if n == 0 {
			n = width(x.in.Row.Operands[0].Type)
		}
		x.b.Guard(x.exec, false)
		x.load(a, x.in.Ops[0].Reg, n, signed)
	}
}

// flatStoreN is flat_store.
func flatStoreN(x *lifter) {
	x.noTFE()
	a := access{space: ir.Generic, addr: x.flatAddr(0)}
	x.b.Guard(x.exec, false)
	x.store(a, x.in.Ops[1].Reg, width(x.in.Row.Operands[1].Type))
}

// flatAtomicOp is flat_atomic; with glc the old value is returned. The data of
// cmpswap are the new value and the comparand, in this order.
func flatAtomicOp(op ir.AtomicOp) Sem {
	return func(x *lifter) {
		x.noTFE()
		wide := x.in.Row.Operands[0].Type.Dwords() == 2
		data := x.in.Ops[2].Reg
		a := x.vvalue(data, wide)
		args := [4]ir.Ref{x.flatAddr(1), a}
		if op == ir.AtomCAS {
			n := uint16(1)
			if wide {
				n = 2
			}
			args[1], args[2] = x.vvalue(data+n, wide), a
		}
		x.atomic(op, ir.Generic, 0, args, wide, x.in.Returns(), x.in.Ops[0].Reg)
	}
}

// vvalue reads one VGPR, or a pair as 64 bits.
func (x *lifter) vvalue(r uint16, wide bool) ir.Ref {
	if wide {
		return x.b.T(ir.Pack64, x.vreg(r), x.vreg(r+1))
	}
	return x.vreg(r)
}

// atomic emits an atomic and returns the old value in the VGPRs from d on, if
// wanted.
func (x *lifter) atomic(op ir.AtomicOp, space ir.Space, off int32, args [4]ir.Ref, wide, returns bool, d uint16) {
	in := ir.Inst{Op: ir.Atomic, Space: space, Size: 4, Align: 4, Args: args, Imm: ir.AtomicImm(op, off)}
	if wide {
		in.Size, in.Align = 8, 8
	}
	x.b.Guard(x.exec, false)
	switch {
	case !returns:
		x.b.Emit(in)
	case !wide:
		in.Dst = x.vreg(d)
		x.b.Emit(in)
	default:
		in.Dst = x.b.Temp(ir.B64)
		x.b.Emit(in)
		x.b.To(x.vreg(d), ir.Lo32, in.Dst)
		x.b.To(x.vreg(d+1), ir.Hi32, in.Dst)
	}
}

// noGDS refuses the global data share.
func (x *lifter) noGDS() {
	if x.in.Has(ModGDS) {
		x.unsupported("gds")
	}
}

// dsAddr reads the address VGPR of operand i and adds the offset. The sum wraps at
// 32 bits: compilers fold offsets into addresses that may be negative.
func (x *lifter) dsAddr(i int, off int) ir.Ref {
	a := x.vreg(x.in.Ops[i].Reg)
	if off == 0 {
		return a
	}
	return x.b.T(ir.Add32, a, x.b.SConst(ir.B32, uint64(off)))
}

// dsAlign is the alignment that an access of n bytes needs.
func dsAlign(n int) uint16 {
	if n == 12 {
		return 16
	}
	return uint16(n)
}

// dsRead is ds_read of the given bytes; 0: the destination's width.
func dsRead(bytes int, signed bool) Sem {
	return func(x *lifter) {
		x.noGDS()
		n := bytes
		if n == 0 {
			n = width(x.in.Row.Operands[0].Type)
		}
		a := access{space: ir.Shared, addr: x.dsAddr(1, x.in.Mod(ModOffset)), align: dsAlign(n)}
		if n > 4 {
			a.addr = x.copied(a.addr)
		}
		x.b.Guard(x.exec, false)
		x.load(a, x.in.Ops[0].Reg, n, signed)
	}
}

// copied makes a temporary of a register that the results may overwrite.
func (x *lifter) copied(v ir.Ref) ir.Ref {
	if x.b.Func().Val(v).Kind != ir.Guest {
		return v
	}
	return x.b.T(ir.Mov32, v)
}

// dsWrite is ds_write.
func dsWrite(x *lifter) {
	x.noGDS()
	n := width(x.in.Row.Operands[1].Type)
	a := access{space: ir.Shared, addr: x.dsAddr(0, x.in.Mod(ModOffset)), align: dsAlign(n)}
	x.b.Guard(x.exec, false)
	x.store(a, x.in.Ops[1].Reg, n)
}

// twoOffsets returns the byte offsets of the read2 and write2 forms, which count
// elements of n bytes, or 64 of them.
func (x *lifter) twoOffsets(n int) (int, int) {
	if x.in.Row.Flags.Has(FlagStride64) {
		n *= 64
	}
	return x.in.Mod(ModOffset0) * n, x.in.Mod(ModOffset1) * n
}

// dsRead2 is ds_read2 and ds_read2st64: two elements into consecutive VGPRs.
func dsRead2(x *lifter) {
	x.noGDS()
	n := width(x.in.Row.Operands[0].Type) / 2
	o0, o1 := x.twoOffsets(n)
	a0, a1 := x.copied(x.dsAddr(1, o0)), x.copied(x.dsAddr(1, o1))
	x.b.Guard(x.exec, false)
	d := x.in.Ops[0].Reg
	x.load(access{space: ir.Shared, addr: a0, align: dsAlign(n)}, d, n, false)
	x.load(access{space: ir.Shared, addr: a1, align: dsAlign(n)}, d+uint16(n/4), n, false)
}

// dsWrite2 is ds_write2 and ds_write2st64.
func dsWrite2(x *lifter) {
	x.noGDS()
	n := width(x.in.Row.Operands[1].Type)
	o0, o1 := x.twoOffsets(n)
	a0, a1 := x.dsAddr(0, o0), x.dsAddr(0, o1)
	x.b.Guard(x.exec, false)
	x.store(access{space: ir.Shared, addr: a0, align: dsAlign(n)}, x.in.Ops[1].Reg, n)
	x.store(access{space: ir.Shared, addr: a1, align: dsAlign(n)}, x.in.Ops[2].Reg, n)
}

// dsAtomic is an atomic on LDS, with or without return. The data of cmpst are the
// comparand and the new value, in this order.
func dsAtomic(op ir.AtomicOp) Sem {
	return func(x *lifter) {
		x.noGDS()
		addr, d := 0, uint16(0)
		returns := x.in.Row.Flags.Has(FlagReturn)
		if returns {
			addr, d = 1, x.in.Ops[0].Reg
		}
		wide := x.in.Row.Operands[addr+1].Type.Dwords() == 2
		args := [4]ir.Ref{x.dsAddr(addr, x.in.Mod(ModOffset)), x.vvalue(x.in.Ops[addr+1].Reg, wide)}
		if op == ir.AtomCAS {
			args[2] = x.vvalue(x.in.Ops[addr+2].Reg, wide)
		}
		x.atomic(op, ir.Shared, 0, args, wide, returns, d)
	}
}

// dsExchange2 is ds_wrxchg2: two exchanges.
func dsExchange2(x *lifter) {
	x.noGDS()
	t := x.in.Row.Operands[2].Type
	wide := t.Dwords() == 2
	o0, o1 := x.twoOffsets(width(t))
	n := uint16(t.Dwords())
	d := x.in.Ops[0].Reg
	// All sources are read before the first result is written.
	a0, a1 := x.copied(x.dsAddr(1, o0)), x.copied(x.dsAddr(1, o1))
	v0, v1 := x.vvalue(x.in.Ops[2].Reg, wide), x.vvalue(x.in.Ops[3].Reg, wide)
	if !wide {
		v1 = x.copied(v1)
	}
	x.atomic(ir.AtomExch, ir.Shared, 0, [4]ir.Ref{a0, v0}, wide, true, d)
	x.atomic(ir.AtomExch, ir.Shared, 0, [4]ir.Ref{a1, v1}, wide, true, d+n)
}

// Buffer instructions. On gfx803 compilers use them for scratch memory: the V# is
// that of the private segment, which interleaves the lanes' memory. So, in a kernel
// with scratch memory, they reach the lane's own private memory at VOFFSET +
// OFFSET + SOFFSET / 64 (SOFFSET is not interleaved); the V# itself is not looked
// at. In a kernel without, they are not supported.

// scratchAddr returns the address of a buffer instruction in private memory.
func (x *lifter) scratchAddr() (access, bool) {
	in := x.in
	if x.opt.Scratch == 0 {
		x.unsupported("buffer memory; only scratch memory is supported, and the kernel has none")
		return access{}, false
	}
	if in.Has(ModIdxen) || in.Has(ModLDS) || in.Has(ModTFE) {
		x.unsupported("idxen, lds or tfe")
		return access{}, false
	}
	addr := x.op(ir.ShrUWrap32, x.ssrc(3), x.b.SConst(ir.B32, 6))
	if in.Has(ModOffen) {
		addr = x.b.T(ir.Add32, x.vreg(in.Ops[1].Reg), addr)
	} else {
		addr = x.b.Splat(addr)
	}
	return access{space: ir.Local, addr: addr, off: uint64(in.Mod(ModOffset))}, true
}

// bufLoadN is buffer_load of scratch memory; 0 bytes: the destination's width.
func bufLoadN(bytes int, signed bool) Sem {
	return func(x *lifter) {
		n := bytes
		if n == 0 {
			n = width(x.in.Row.Operands[0].Type)
		}
		if a, ok := x.scratchAddr(); ok {
			x.b.Guard(x.exec, false)
			x.load(a, x.in.Ops[0].Reg, n, signed)
		}
	}
}

// bufStoreN is buffer_store to scratch memory.
func bufStoreN(x *lifter) {
	if a, ok := x.scratchAddr(); ok {
		x.b.Guard(x.exec, false)
		x.store(a, x.in.Ops[0].Reg, width(x.in.Row.Operands[0].Type))
	}
}
