package amdgpu

import "example.org/crosslane/internal/ir"

// Instructions that move data between lanes, or between vector and scalar registers. Package lane
// holds their lane maps.

// readLane lifts v_readlane_b32: D = S0[S1 mod 64], independent of EXEC.
func readLane(x *lifter) {
	if x.fromVGPR(1) {
		x.b.Emit(ir.Inst{Op: ir.ReadLane, Scalar: true, Dst: x.sdst(0), Args: [4]ir.Ref{x.vreg(x.in.Ops[1].Reg), x.ssrc(2)}})
	}
}

// fromVGPR reports whether operand i is a VGPR. The only other source in this encoding is
// src_lds_direct, which is unsupported.
func (x *lifter) fromVGPR(i int) bool {
	if x.in.Ops[i].Kind != KindVGPR {
		x.unsupported("src_lds_direct as a source")
	}
	return x.in.Ops[i].Kind == KindVGPR
}

// writeLane lifts v_writelane_b32: D[S1 mod 64] = S0, independent of EXEC.
func writeLane(x *lifter) {
	x.b.Emit(ir.Inst{Op: ir.WriteLane, Scalar: true, Dst: x.vreg(x.in.Ops[0].Reg), Args: [4]ir.Ref{x.ssrc(1), x.ssrc(2)}})
}

// readFirstLane lifts v_readfirstlane_b32: D = S0 of the first lane of EXEC, of lane 0 if EXEC is
// 0.
func readFirstLane(x *lifter) {
	if x.fromVGPR(1) {
		x.b.Emit(ir.Inst{Op: ir.ReadFirstLane, Scalar: true, Dst: x.sdst(0), Args: [4]ir.Ref{x.vreg(x.in.Ops[1].Reg), x.exec}, Imm: 1})
	}
}

// mbcnt lifts v_mbcnt_lo_u32_b32 and v_mbcnt_hi_u32_b32.
func mbcnt(op ir.Op) Sem {
	return func(x *lifter) { x.vout(op, append(x.vsrcs(false), x.laneID())...) }
}

// permute lifts ds_permute_b32 and ds_bpermute_b32, which do not access LDS. Lanes outside EXEC
// neither send nor receive; a lane to which no lane sends gets 0.
func permute(op ir.Op) Sem {
	return func(x *lifter) {
		x.b.Guard(x.exec, false)
		x.b.Emit(ir.Inst{Op: op, Dst: x.vreg(x.in.Ops[0].Reg), Imm: uint64(x.in.Mod(ModOffset)),
			Args: [4]ir.Ref{x.vreg(x.in.Ops[1].Reg), x.vreg(x.in.Ops[2].Reg)}})
	}
}

// swizzle lifts ds_swizzle_b32: the offset is the pattern.
func swizzle(x *lifter) {
	if x.in.Has(ModGDS) {
		x.unsupported("gds: the manual does not say what a swizzle does there")
		return
	}
	x.b.Guard(x.exec, false)
	x.b.Emit(ir.Inst{Op: ir.DSSwizzle, Dst: x.vreg(x.in.Ops[0].Reg), Imm: uint64(x.in.Mod(ModOffset)), Args: [4]ir.Ref{x.vreg(x.in.Ops[1].Reg)}})
}
