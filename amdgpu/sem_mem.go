package amdgpu

import "example.org/crosslane/internal/ir"

// Memory: the parts that SMEM, DS, FLAT and buffer instructions share, and FLAT itself. GCN3 ISA
// 12.
//
// Alignment. FLAT and buffers: the HSA runtime sets the unaligned access mode, so loads and stores
// accept any address; atomics must be aligned. For DS and SMEM see their files.

// access describes a load or store of one lane.
type access struct {
	space ir.Space
	addr  ir.Ref
	off   uint64 // bytes added to the address
	align uint16
	// within, if not nil, returns the lanes (B1) whose n bytes at off are inside the bounds of M0
	// or of a descriptor. The other lanes of EXEC read 0 and do not write.
	within func(off uint64, n int) ir.Ref
	note   bool // an access out of bounds is a finding
	flat   bool // of a flat instruction: see single
}

// guard restricts the operations that follow to the lanes of EXEC whose n bytes at the offset are
// within bounds, and returns those lanes; 0: all of EXEC.
func (x *lifter) guard(a *access, off uint64, n int) ir.Ref {
	if a.within == nil {
		x.b.Guard(x.exec, false)
		return 0
	}
	x.b.Guard(0, false)
	in := a.within(off, n)
	if a.note {
		outside := x.b.T(ir.Sel32, in, x.b.Const(ir.B32, 0), x.b.Const(ir.B32, 1))
		x.b.Guard(x.exec, false)
		x.b.Emit(ir.Inst{Op: ir.Fail, Args: [4]ir.Ref{outside}, Imm: uint64(ir.NoteLimit)})
		x.b.Guard(0, false)
	}
	in = x.b.T(ir.AndP, in, x.exec)
	x.b.Guard(in, false)
	return in
}

// zeroOutside writes 0 to a VGPR for the lanes of EXEC that are not in the mask that guard
// returned.
func (x *lifter) zeroOutside(in, d ir.Ref) {
	if in == 0 {
		return
	}
	x.b.Guard(0, false)
	x.b.Guard(x.b.T(ir.AndP, x.b.T(ir.NotP, in), x.exec), false)
	x.b.Move(d, x.b.Const(ir.B32, 0))
}

// single reports whether an access of n bytes is one access of 64 bits, no part of which another
// wave sees alone. AMDGPUUsage, memory model gfx6-gfx9: an atomic load of 64 bits is compiled to
// flat_load_dwordx2 with glc, an atomic store to flat_store_dwordx2. Accesses of more bytes are
// several, and a descriptor bounds each dword by itself.
func (a *access) single(n int) bool { return a.flat && n == 8 }

// load reads n bytes into the VGPRs from r on; fewer than 4 bytes are extended. If there are
// several VGPRs, the address must not be in them.
func (x *lifter) load(a access, r uint16, n int, signed bool) {
	in := ir.Inst{Op: ir.Load, Space: a.space, Size: uint8(min(n, 4)), Align: a.align, Args: [4]ir.Ref{a.addr}}
	if x.in.Has(ModGLC) {
		in.Flags = ir.Volatile // the load sees stores of other waves: programs wait with volatile loads
		in.Order = ir.Strong | ir.Device
	}
	if signed {
		in.Flags |= ir.SignExtend
	}
	if a.single(n) && x.in.Has(ModGLC) {
		in.Size, in.Dst, in.Imm = 8, x.b.Temp(ir.B64), a.off
		x.guard(&a, a.off, n)
		x.b.Emit(in)
		x.b.To(x.vreg(r), ir.Lo32, in.Dst)
		x.b.To(x.vreg(r+1), ir.Hi32, in.Dst)
		return
	}
	for i := 0; i < n; i += 4 {
		in.Dst, in.Imm = x.vreg(r+uint16(i/4)), a.off+uint64(i)
		g := x.guard(&a, in.Imm, min(n, 4))
		x.b.Emit(in)
		x.zeroOutside(g, in.Dst)
		in.Align = min(in.Align, 4) // if the first piece is aligned, the other pieces are too
	}
}

// store writes n bytes from the VGPRs from r on.
func (x *lifter) store(a access, r uint16, n int) {
	in := ir.Inst{Op: ir.Store, Space: a.space, Size: uint8(min(n, 4)), Align: a.align}
	if x.in.Has(ModGLC) {
		in.Flags = ir.Volatile // other waves shall see the store: programs signal with it
	}
	if a.space != ir.Shared {
		// AMDGPUUsage, memory model gfx6-gfx9: an atomic store compiles to the same instruction as
		// any store. That is also true in LDS; but there a missing barrier is the more likely
		// reason.
		in.Order = ir.Either | ir.Device
	}
	if a.single(n) {
		in.Size, in.Args, in.Imm = 8, [4]ir.Ref{a.addr, x.vvalue(r, true)}, a.off
		x.guard(&a, a.off, n)
		x.b.Emit(in)
		return
	}
	for i := 0; i < n; i += 4 {
		in.Args, in.Imm = [4]ir.Ref{a.addr, x.vreg(r + uint16(i/4))}, a.off+uint64(i)
		x.guard(&a, in.Imm, min(n, 4))
		x.b.Emit(in)
		in.Align = min(in.Align, 4)
	}
}

// width returns the number of bytes that an operand's type moves to or from memory.
func width(t Type) int {
	if t == B8 {
		return 1
	}
	if t.Is16() {
		return 2
	}
	return 4 * t.Dwords()
}

// flatAddr reads the address pair of operand i. The result is a temporary, so the results may
// overwrite the registers.
func (x *lifter) flatAddr(i int) ir.Ref {
	r := x.in.Ops[i].Reg
	return x.b.T(ir.Pack64, x.vreg(r), x.vreg(r+1))
}

// flatLoadN lifts flat_load of the given bytes; 0: the destination's width.
func flatLoadN(bytes int, signed bool) Sem {
	return func(x *lifter) {
		a := access{space: ir.Generic, addr: x.flatAddr(1), flat: true}
		n := bytes
		if n == 0 {
			n = width(x.in.Row.Operands[0].Type)
		}
		x.load(a, x.in.Ops[0].Reg, n, signed)
	}
}

// flatStoreN lifts flat_store.
func flatStoreN(x *lifter) {
	a := access{space: ir.Generic, addr: x.flatAddr(0), flat: true}
	x.store(a, x.in.Ops[1].Reg, width(x.in.Row.Operands[1].Type))
}

// flatAtomicOp lifts flat_atomic; with glc the old value is returned. The data of cmpswap are the
// new value and the comparand, in this order.
func flatAtomicOp(op ir.AtomicOp) Sem {
	return func(x *lifter) {
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
		x.atomic(op, access{space: ir.Generic, addr: args[0]}, args, wide, x.in.Returns(), x.in.Ops[0].Reg)
	}
}

// vvalue reads one VGPR, or a pair as 64 bits.
func (x *lifter) vvalue(r uint16, wide bool) ir.Ref {
	if wide {
		return x.b.T(ir.Pack64, x.vreg(r), x.vreg(r+1))
	}
	return x.vreg(r)
}

// atomic emits an atomic. If returns is set, the old value goes to the VGPRs from d on. args are
// the address and the operands of ir.Atomic.
func (x *lifter) atomic(op ir.AtomicOp, a access, args [4]ir.Ref, wide, returns bool, d uint16) {
	in := ir.Inst{Op: ir.Atomic, Space: a.space, Size: 4, Align: 4, Args: args, Imm: ir.AtomicImm(op, int32(a.off))}
	if wide {
		in.Size, in.Align = 8, 8
	}
	g := x.guard(&a, a.off, int(in.Size))
	switch {
	case !returns:
		x.b.Emit(in)
	case !wide:
		in.Dst = x.vreg(d)
		x.b.Emit(in)
		x.zeroOutside(g, in.Dst)
	default:
		in.Dst = x.b.Temp(ir.B64)
		x.b.Emit(in)
		x.b.To(x.vreg(d), ir.Lo32, in.Dst)
		x.b.To(x.vreg(d+1), ir.Hi32, in.Dst)
		x.zeroOutside(g, x.vreg(d))
		x.zeroOutside(g, x.vreg(d+1))
	}
}
