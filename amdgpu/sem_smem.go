package amdgpu

import "example.org/crosslane/internal/ir"

// SMEM: scalar loads and stores. GCN3 ISA 7 and 12, SMEM. The low two bits of the base and of the
// offset are ignored, each by itself: CLRX, *(SMEM + (OFFSET & ~3)).

// smemOffset reads operand 2, the offset, as 32 bits.
func (x *lifter) smemOffset() ir.Ref {
	switch o := x.in.Ops[2]; o.Kind {
	case KindImm:
		return x.b.SConst(ir.B32, uint64(o.Imm))
	case KindSGPR:
		if x.in.Row.Flags.Has(FlagStore) && o.Reg != RegM0 {
			x.unsupported("an offset in %s; stores take M0 only", x.t.sgprName(o.Reg, 1))
		}
		return x.sreg(o.Reg, 1)
	}
	x.unsupported("the offset")
	return x.b.SConst(ir.B32, 0)
}

// smemAddr returns the address of the first dword: SBASE & ~3 + offset & ~3. If the offset is a
// constant, its part is in imm.
func (x *lifter) smemAddr(base ir.Ref) (addr ir.Ref, imm uint64) {
	base = x.b.S(ir.And64, base, x.b.SConst(ir.B64, ^uint64(3)))
	if o := &x.in.Ops[2]; o.Kind == KindImm {
		return base, uint64(uint32(o.Imm) &^ 3)
	}
	offset := x.b.S(ir.And32, x.smemOffset(), x.b.SConst(ir.B32, 0xfffffffc))
	return x.b.S(ir.Add64, base, x.b.S(ir.CvtU64FromU32, offset)), 0
}

// smemLoadN lifts s_load_dword and its wider forms. The loaded dwords go to consecutive registers.
func smemLoadN(x *lifter) {
	addr, imm := x.smemAddr(x.sreg(x.in.Ops[1].Reg, 2))
	x.scalarLoads(ir.Generic, addr, imm)
}

// scalarLoads loads operand 0 from imm bytes after an address.
func (x *lifter) scalarLoads(space ir.Space, addr ir.Ref, imm uint64) {
	d := &x.in.Ops[0]
	if d.Dwords == 1 {
		x.b.Emit(ir.Inst{Op: ir.Load, Scalar: true, Space: space, Size: 4, Dst: x.sreg(d.Reg, 1), Args: [4]ir.Ref{addr}, Imm: imm})
		return
	}
	for i := uint16(0); i < uint16(d.Dwords); i += 2 {
		x.b.Emit(ir.Inst{Op: ir.Load, Scalar: true, Space: space, Size: 8, Dst: x.sreg(d.Reg+i, 2), Args: [4]ir.Ref{addr}, Imm: imm + uint64(4*i)})
	}
}

// The other scalar accesses are made by the lanes of a vector: lane i has dword i.

// smemLanes returns 4 * the lane, and the lanes below n.
func (x *lifter) smemLanes(n int) (by4, lanes ir.Ref) {
	b := x.b
	return b.T(ir.ShlWrap32, x.laneID(), b.SConst(ir.B32, 2)), b.T(ir.LtU32, x.laneID(), b.SConst(ir.B32, uint64(n)))
}

// smemBuffer returns the addresses of n dwords through a V#, and the lanes whose dword is in its
// range. The base is V#[47:0]; the range is NUM_RECORDS bytes, or records if there is a stride. A
// dword out of range reads 0 and is not written.
//
// Unspecified: whether dwords of one load are checked one by one; here they are.
func (x *lifter) smemBuffer(n int) (addr, in ir.Ref) {
	b := x.b
	q := x.in.Ops[1].Reg
	v01, v23 := x.sreg(q, 2), x.sreg(q+2, 2)
	by4, lanes := x.smemLanes(n)
	offset := b.S(ir.And32, x.smemOffset(), b.SConst(ir.B32, 0xfffffffc))
	at := b.T(ir.AddSatU32, by4, offset)
	base := b.S(ir.And64, v01, b.SConst(ir.B64, 1<<48-4))
	addr = b.T(ir.Add64, b.T(ir.CvtU64FromU32, at), base)
	return addr, b.T(ir.AndP, lanes, b.T(ir.BufScalarInside, at, v01, v23))
}

// smemBufferLoad lifts s_buffer_load_dword and its wider forms.
func smemBufferLoad(x *lifter) {
	b, d, q := x.b, &x.in.Ops[0], x.in.Ops[1].Reg
	// Nearly always all dwords are in range, so that case has a fast path.
	other, done := b.NewLabel(), b.NewLabel()
	v01 := x.sreg(q, 2)
	offset := func() ir.Ref { return b.S(ir.And32, x.smemOffset(), b.SConst(ir.B32, 0xfffffffc)) }
	b.SBra(other, b.S(ir.BufScalarWhole, offset(), b.SConst(ir.B32, 4*uint64(d.Dwords)), v01, x.sreg(q+2, 2)), true)
	b.Resume()
	base := b.S(ir.And64, v01, b.SConst(ir.B64, 1<<48-4))
	x.scalarLoads(ir.Global, b.S(ir.Add64, base, b.S(ir.CvtU64FromU32, offset())), 0)
	b.SBra(done, 0, false)
	b.Resume()
	b.Bind(other)
	x.smemBufferLoad()
	b.Guard(0, false)
	b.SBra(done, 0, false)
	b.Bind(done)
}

// The method smemBufferLoad loads dword by dword.
func (x *lifter) smemBufferLoad() {
	b, d := x.b, &x.in.Ops[0]
	addr, in := x.smemBuffer(int(d.Dwords))
	v := b.Temp(ir.B32)
	b.Move(v, b.Const(ir.B32, 0))
	b.Guard(in, false)
	b.Emit(ir.Inst{Op: ir.Load, Space: ir.Global, Size: 4, Dst: v, Args: [4]ir.Ref{addr}})
	b.Guard(0, false)
	for i := range uint16(d.Dwords) {
		b.Emit(ir.Inst{Op: ir.ReadLane, Scalar: true, Dst: x.sreg(d.Reg+i, 1), Args: [4]ir.Ref{v, b.SConst(ir.B32, uint64(i))}})
	}
}

// smemStoreN lifts s_store_dword and s_buffer_store_dword with their wider forms.
func smemStoreN(x *lifter) {
	b, d := x.b, &x.in.Ops[0]
	n := int(d.Dwords)
	var addr, in ir.Ref
	if x.in.Ops[1].Dwords == 4 {
		addr, in = x.smemBuffer(n)
	} else {
		by4, lanes := x.smemLanes(n)
		base, imm := x.smemAddr(x.sreg(x.in.Ops[1].Reg, 2))
		if imm != 0 {
			base = b.S(ir.Add64, base, b.SConst(ir.B64, imm))
		}
		addr, in = b.T(ir.Add64, b.T(ir.CvtU64FromU32, by4), base), lanes
	}
	v := b.Temp(ir.B32)
	b.Move(v, b.Const(ir.B32, 0))
	for i := range n {
		b.Emit(ir.Inst{Op: ir.WriteLane, Scalar: true, Dst: v, Args: [4]ir.Ref{x.sreg(d.Reg+uint16(i), 1), b.SConst(ir.B32, uint64(i))}})
	}
	b.Guard(in, false)
	b.Emit(ir.Inst{Op: ir.Store, Space: ir.Global, Size: 4, Args: [4]ir.Ref{addr, v}})
}
