package amdgpu

import "example.org/crosslane/internal/ir"

// DS: the local data share (LDS), which is the block's shared memory, and the global data share
// (GDS). GCN3 ISA 12, DS.
//
// Alignment. The manual ignores the low address bits of an access. Compilers rely on aligned
// addresses, so a misaligned one is a mistake of the program; here it is a fault. Every access must
// be a multiple of its size; the two halves of the read2 and write2 forms are separate accesses.
//
// Bounds. M0 holds the LDS limit in bytes; compilers set it to -1. An access that does not end at
// or below the limit reads 0 and writes nothing, as in the manual, and is a finding. An access
// below the limit but outside the LDS of the block would have the same effect on the machine; here
// it is a fault, because it is a mistake of the program. M0 counts only in code that writes to it a
// value other than a constant of at least 64 KiB: code that never sets M0 has no limit.

// ldsLimited reports whether M0 may hold a limit that matters to DS instructions.
func ldsLimited(insts []Decoded) bool {
	for i := range insts {
		in := &insts[i].In
		for j, o := range in.Operands() {
			if !in.Row.Operands[j].Dst || o.Kind != KindSGPR || o.Reg != RegM0 {
				continue
			}
			k := &in.Ops[1]
			if !in.Row.Flags.Has(FlagMove) || !k.IsConst() || uint32(k.Bits(B32)) < 1<<16 {
				return true
			}
		}
	}
	return false
}

// m0 returns M0.
func (x *lifter) m0() ir.Ref { return x.sreg(RegM0, 1) }

// dsAddr reads the address VGPR of operand i and adds the offset. The sum wraps at 32 bits:
// compilers fold offsets into addresses that may be negative.
func (x *lifter) dsAddr(i int, off int) ir.Ref {
	a := x.vreg(x.in.Ops[i].Reg)
	if off == 0 {
		return a
	}
	return x.b.T(ir.Add32, a, x.b.SConst(ir.B32, uint64(off)))
}

// dsAccess returns the access at a byte address (B32) of the LDS or, with gds, of the GDS.
func (x *lifter) dsAccess(addr ir.Ref, align uint16) access {
	b := x.b
	if x.in.Has(ModGDS) {
		// GDS: M0[31:16] is the base and M0[15:0] the size of the wave's part of it.
		if x.gdsBase == 0 {
			x.gdsBase = b.Scalar("", ir.B64)
			b.Input(ir.LaunchValue, x.gdsBase, ValueGDS)
		}
		size := b.S(ir.And32, x.m0(), b.SConst(ir.B32, 0xffff))
		base := b.S(ir.Add64, x.gdsBase, b.S(ir.CvtU64FromU32, b.S(ir.ShrU32, x.m0(), b.SConst(ir.B32, 16))))
		wide := b.T(ir.Add64, base, b.T(ir.CvtU64FromU32, addr))
		return access{space: ir.Global, addr: wide, align: align, within: x.below(x.copied(addr), size), note: true}
	}
	a := access{space: ir.Shared, addr: addr, align: align}
	if x.ldsLimited {
		a.addr = x.copied(addr)
		a.within, a.note = x.below(a.addr, x.m0()), true
	}
	return a
}

// below returns the lanes whose n bytes at addr + off end at or below the limit.
func (x *lifter) below(addr, limit ir.Ref) func(uint64, int) ir.Ref {
	return func(off uint64, n int) ir.Ref {
		// addr + off + n <= limit without overflow: subtract from the limit instead.
		room := x.b.S(ir.SubSatU32, limit, x.b.SConst(ir.B32, off+uint64(n)-1))
		return x.b.T(ir.LtU32, addr, room)
	}
}

// dsAlign returns the alignment that an access of n bytes needs.
func dsAlign(n int) uint16 {
	if n == 12 {
		return 16
	}
	return uint16(n)
}

// dsRead lifts ds_read of the given bytes; 0: the destination's width.
func dsRead(bytes int, signed bool) Sem {
	return func(x *lifter) {
		n := bytes
		if n == 0 {
			n = width(x.in.Row.Operands[0].Type)
		}
		addr := x.dsAddr(1, x.in.Mod(ModOffset))
		if n > 4 {
			addr = x.copied(addr)
		}
		x.load(x.dsAccess(addr, dsAlign(n)), x.in.Ops[0].Reg, n, signed)
	}
}

// copied returns a temporary copy of a register that the results may overwrite.
func (x *lifter) copied(v ir.Ref) ir.Ref {
	if x.b.Func().Val(v).Kind != ir.Guest {
		return v
	}
	return x.b.T(ir.Mov32, v)
}

// dsWrite lifts ds_write.
func dsWrite(x *lifter) {
	n := width(x.in.Row.Operands[1].Type)
	x.store(x.dsAccess(x.dsAddr(0, x.in.Mod(ModOffset)), dsAlign(n)), x.in.Ops[1].Reg, n)
}

// twoOffsets returns the byte offsets of the read2 and write2 forms, whose offsets count elements
// of n bytes, or 64 of them.
func (x *lifter) twoOffsets(n int) (int, int) {
	if x.in.Row.Flags.Has(FlagStride64) {
		n *= 64
	}
	return x.in.Mod(ModOffset0) * n, x.in.Mod(ModOffset1) * n
}

// dsRead2 lifts ds_read2 and ds_read2st64: two elements into consecutive VGPRs.
func dsRead2(x *lifter) {
	n := width(x.in.Row.Operands[0].Type) / 2
	o0, o1 := x.twoOffsets(n)
	a0 := x.dsAccess(x.copied(x.dsAddr(1, o0)), dsAlign(n))
	a1 := x.dsAccess(x.copied(x.dsAddr(1, o1)), dsAlign(n))
	d := x.in.Ops[0].Reg
	x.load(a0, d, n, false)
	x.load(a1, d+uint16(n/4), n, false)
}

// dsWrite2 lifts ds_write2 and ds_write2st64.
func dsWrite2(x *lifter) {
	n := width(x.in.Row.Operands[1].Type)
	o0, o1 := x.twoOffsets(n)
	a0, a1 := x.dsAccess(x.dsAddr(0, o0), dsAlign(n)), x.dsAccess(x.dsAddr(0, o1), dsAlign(n))
	x.store(a0, x.in.Ops[1].Reg, n)
	x.store(a1, x.in.Ops[2].Reg, n)
}

// dsAtomic lifts an atomic on LDS, with or without return. The data of cmpst are the comparand and
// the new value, in this order.
func dsAtomic(op ir.AtomicOp) Sem {
	return func(x *lifter) {
		addr, d := 0, uint16(0)
		returns := x.in.Row.Flags.Has(FlagReturn)
		if returns {
			addr, d = 1, x.in.Ops[0].Reg
		}
		wide := x.in.Row.Operands[addr+1].Type.Dwords() == 2
		args := [4]ir.Ref{1: x.vvalue(x.in.Ops[addr+1].Reg, wide)}
		if len(x.in.Operands()) > addr+2 {
			args[2] = x.vvalue(x.in.Ops[addr+2].Reg, wide)
		}
		a := x.dsAccess(x.dsAddr(addr, x.in.Mod(ModOffset)), 0)
		args[0] = a.addr
		x.atomic(op, a, args, wide, returns, d)
	}
}

// dsPure is dsAtomic of a function of package num.
func dsPure(op ir.Op) Sem { return dsAtomic(ir.AtomOf(op)) }

// dsAddF32 lifts ds_add_f32. MODE determines whether it flushes denormals; it always rounds to
// nearest even. The source is LLVM's notes on LDS atomics; the manual is silent.
func dsAddF32(x *lifter) { dsPure(x.dsAdd())(x) }

// dsAdd returns the operation of ds_add_f32 on memory.
func (x *lifter) dsAdd() ir.Op {
	switch {
	case x.dyn:
		x.unsupported("an unknown MODE register")
	case x.mode.Denorm32 == DenormKeep:
	case x.mode.Denorm32 == DenormFlush:
		return ir.VAddF32Ftz
	default:
		x.unsupported("denormals kept on one side only")
	}
	return ir.VAddF32
}

// dsExchange2 lifts ds_wrxchg2: two exchanges.
func dsExchange2(x *lifter) {
	t := x.in.Row.Operands[2].Type
	wide := t.Dwords() == 2
	o0, o1 := x.twoOffsets(width(t))
	n := uint16(t.Dwords())
	d := x.in.Ops[0].Reg
	// All sources are read before the first result is written.
	a0, a1 := x.dsAccess(x.copied(x.dsAddr(1, o0)), 0), x.dsAccess(x.copied(x.dsAddr(1, o1)), 0)
	v0, v1 := x.vvalue(x.in.Ops[2].Reg, wide), x.vvalue(x.in.Ops[3].Reg, wide)
	if !wide {
		v1 = x.copied(v1)
	}
	x.atomic(ir.AtomExch, a0, [4]ir.Ref{a0.addr, v0}, wide, true, d)
	x.atomic(ir.AtomExch, a1, [4]ir.Ref{a1.addr, v1}, wide, true, d+n)
}

// src2Addrs returns the addresses A and B of the ds_…_src2 instructions, which combine two places
// in memory. Bit 15 of the offset selects the signed distance of B from A in dwords: ADDR[31:17],
// or the offset's other 15 bits.
func (x *lifter) src2Addrs(size int) (a, b ir.Ref) {
	k := func(v uint64) ir.Ref { return x.b.SConst(ir.B32, v) }
	addr, off := x.vreg(x.in.Ops[0].Reg), x.in.Mod(ModOffset)
	mask := uint64(0x10000 - size) // addresses have 16 bits
	a = x.b.T(ir.And32, addr, k(mask))
	if off&0x8000 != 0 {
		d := x.b.T(ir.ShrSWrap32, addr, k(17))
		b = x.b.T(ir.Add32, a, x.b.T(ir.ShlWrap32, d, k(2)))
	} else {
		d := int32(off) << 17 >> 17
		b = x.b.T(ir.Add32, a, k(uint64(uint32(4*d))))
	}
	return a, x.b.T(ir.And32, b, k(mask))
}

// dsSrc2 lifts ds_…_src2: MEM[A] = op(MEM[A], MEM[B]).
//
// Unspecified: whether a lane sees at B the value that an earlier lane has stored. Here all lanes
// read B first.
func dsSrc2(op ir.AtomicOp) Sem {
	return func(x *lifter) {
		wide := x.in.Row.Flags.Has(FlagWide)
		n := 4
		t := ir.B32
		if wide {
			n, t = 8, ir.B64
		}
		a, b := x.src2Addrs(n)
		from, to := x.dsAccess(b, uint16(n)), x.dsAccess(a, 0)
		v := x.b.Temp(t)
		x.b.Move(v, x.b.Const(t, 0)) // an access out of bounds reads 0
		x.guard(&from, 0, n)
		x.b.Emit(ir.Inst{Op: ir.Load, Space: from.space, Size: uint8(n), Align: uint16(n), Dst: v, Args: [4]ir.Ref{from.addr}})
		x.atomic(op, to, [4]ir.Ref{to.addr, v}, wide, false, 0)
	}
}

// dsAddSrc2F32 lifts ds_add_src2_f32; see dsAddF32.
func dsAddSrc2F32(x *lifter) { dsSrc2(ir.AtomOf(x.dsAdd()))(x) }

// dsCount lifts ds_append and ds_consume. The number of lanes of EXEC is added to, or subtracted
// from, the dword at M0's base + offset, once for the wave; its lanes get the old value. The base
// is M0[15:0] for LDS, M0[31:16] for GDS.
func dsCount(op ir.AtomicOp) Sem {
	return func(x *lifter) {
		b, exec := x.b, x.sreg(RegEXEC, 2)
		n := b.Splat(b.S(ir.Popc64, exec))
		// The lowest lane of EXEC performs the atomic.
		if x.firstBit == 0 {
			at := b.Reserve(8)
			x.firstBit = b.View("", ir.B64, true, at)
			x.firstMask = b.View("", ir.B1, false, at)
		}
		b.To(x.firstBit, ir.And64, exec, b.S(ir.Neg64, exec))
		off := b.SConst(ir.B32, uint64(x.in.Mod(ModOffset)))
		a := x.dsAccess(b.Splat(off), 4)
		if !x.in.Has(ModGDS) {
			base := b.S(ir.And32, x.m0(), b.SConst(ir.B32, 0xffff))
			a = access{space: ir.Shared, addr: b.Splat(b.S(ir.Add32, base, off))}
		}
		old := b.Temp(ir.B32)
		b.Move(old, b.Const(ir.B32, 0))
		one := x.firstMask
		if a.within != nil {
			one = b.T(ir.AndP, one, a.within(0, 4))
		}
		b.Guard(one, false)
		b.Emit(ir.Inst{Op: ir.Atomic, Space: a.space, Size: 4, Align: 4, Args: [4]ir.Ref{a.addr, n}, Imm: ir.AtomicImm(op, 0), Dst: old})
		b.Guard(0, false)
		s := b.STemp(ir.B32)
		b.Emit(ir.Inst{Op: ir.ReadFirstLane, Scalar: true, Dst: s, Args: [4]ir.Ref{old, x.exec}})
		b.Guard(x.exec, false)
		b.Move(x.vreg(x.in.Ops[0].Reg), s)
	}
}
