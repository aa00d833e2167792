package amdgpu

import "example.org/crosslane/internal/ir"

// Scalar instructions: GCN3 ISA 12, SOP2, SOPK, SOP1, SOPC and SOPP. They act once for the
// wavefront, independent of EXEC.

// salu is D = op(sources); SCC is not changed.
func salu(op ir.Op) Sem {
	return func(x *lifter) { x.b.To(x.sdst(0), op, x.ssrcs()...) }
}

// saluNZ is D = op(sources); SCC = (D != 0).
func saluNZ(op ir.Op) Sem {
	return func(x *lifter) {
		d := x.sdst(0)
		x.b.To(d, op, x.ssrcs()...)
		x.setNonZero(d, ir.Ops[op].Res)
	}
}

// saluSCC is D = op(sources); SCC = cc(sources), for example a carry.
func saluSCC(op, cc ir.Op) Sem {
	return func(x *lifter) {
		src := x.ssrcs()
		c := x.b.S(cc, src...)
		x.b.To(x.sdst(0), op, src...)
		x.setSCC(c)
	}
}

// saluCarry is saluSCC with SCC as the third source.
func saluCarry(op, cc ir.Op) Sem {
	return func(x *lifter) {
		src := append(x.ssrcs(), x.scc)
		c := x.b.S(cc, src...)
		x.b.To(x.sdst(0), op, src...)
		x.setSCC(c)
	}
}

// ssrcs reads all sources.
func (x *lifter) ssrcs() []ir.Ref {
	var l []ir.Ref
	for _, i := range x.sources() {
		l = append(l, x.ssrc(i))
	}
	return l
}

// scmp is SCC = cc(sources).
func scmp(cc ir.Op) Sem {
	return func(x *lifter) { x.b.To(x.scc, cc, x.ssrcs()...) }
}

// scmpNot is SCC = !cc(sources).
func scmpNot(cc ir.Op) Sem {
	return func(x *lifter) { x.b.To(x.scc, ir.NotP, x.b.S(cc, x.ssrcs()...)) }
}

// saluSelect is D = SCC ? S0 : S1.
func saluSelect(op ir.Op) Sem {
	return func(x *lifter) {
		src := x.ssrcs()
		x.b.To(x.sdst(0), op, x.scc, src[0], src[1])
	}
}

// saluCMov is D = SCC ? S0 : D.
func saluCMov(op ir.Op) Sem {
	return func(x *lifter) {
		d := x.sdst(0)
		x.b.To(d, op, x.scc, x.ssrcs()[0], d)
	}
}

// saluTied is D = op(D, S0).
func saluTied(op ir.Op) Sem {
	return func(x *lifter) {
		d := x.sdst(0)
		x.b.To(d, op, d, x.ssrcs()[0])
	}
}

// saluAddK is s_addk_i32: D = D + SIMM16; SCC = overflow.
func saluAddK(x *lifter) {
	d, k := x.sdst(0), x.ssrcs()[0]
	c := x.b.S(ir.AddOvfS32, d, k)
	x.b.To(d, ir.Add32, d, k)
	x.setSCC(c)
}

// saluSext is the sign extension of the low n bits.
func saluSext(n uint64) Sem {
	return func(x *lifter) {
		x.b.To(x.sdst(0), ir.SzextClampS32, x.ssrcs()[0], x.b.SConst(ir.B32, n))
	}
}

// saluAbs is s_abs_i32: D = |S0|; SCC = (D != 0).
func saluAbs(x *lifter) {
	d := x.sdst(0)
	x.b.To(d, ir.AbsS32, x.ssrcs()[0])
	x.setNonZero(d, ir.B32)
}

// saveExec is D = EXEC; EXEC = op(S0, EXEC); SCC = (EXEC != 0).
//
// Errata: the CLRX documentation gives s_orn2_saveexec_b64 the operation of
// s_andn2_saveexec_b64; the ISA says S0 | ~EXEC.
func saveExec(op ir.Op) Sem {
	return func(x *lifter) {
		exec := x.sreg(RegEXEC, 2)
		t := x.b.S(op, x.ssrcs()[0], exec)
		x.b.Move(x.sdst(0), exec)
		x.b.Move(exec, t)
		x.setNonZero(t, ir.B64)
	}
}

// codeAddress returns the address of offset 0 of the code.
func (x *lifter) codeAddress() ir.Ref {
	if x.codeBase == 0 {
		x.codeBase = x.b.Scalar("", ir.B64)
		x.b.Input(ir.LaunchValue, x.codeBase, ValueCode)
	}
	return x.codeBase
}

// getPC lifts s_getpc_b64: D = address of the next instruction.
func getPC(x *lifter) {
	x.b.To(x.sdst(0), ir.Add64, x.codeAddress(), x.b.SConst(ir.B64, uint64(x.next)))
}

// noEffect lifts an instruction that changes no state here: waits, hints, caches. Loads and stores
// complete at once, so s_waitcnt has nothing to wait for. The tracker (hazard.Track) checks that
// a program waits at the required places.
func noEffect(x *lifter) { x.b.Emit(ir.Inst{Op: ir.Nop, Scalar: true}) }

// wait lifts s_waitcnt: earlier accesses are complete before later ones begin. It releases to all
// agents, and acquires from the other wavefronts of the workgroup (AMDGPUUsage, memory model
// gfx6-gfx9).
func wait(x *lifter) {
	x.b.Emit(ir.Inst{Op: ir.Nop, Scalar: true, Order: ir.Acquire | ir.InBlock})
	x.b.Emit(ir.Inst{Op: ir.Nop, Scalar: true, Order: ir.Release | ir.Device})
}

// invalidate lifts buffer_wbinvl1: later loads see the stores of other workgroups.
func invalidate(x *lifter) {
	x.b.Emit(ir.Inst{Op: ir.Nop, Scalar: true, Order: ir.Acquire | ir.Device})
}

// endProgram is s_endpgm.
func endProgram(x *lifter) { x.b.Emit(ir.Inst{Op: ir.EndWave, Scalar: true}) }

// barrier is s_barrier.
func barrier(x *lifter) { x.b.Emit(ir.Inst{Op: ir.WaveBar, Scalar: true}) }

// trapID 3 is the debug trap of the HSA trap handler. It continues if there is no debugger; the
// other traps end the wavefront. LLVM AMDGPU usage, "Trap Handler ABI".
const trapID = 3

func trap(x *lifter) {
	if x.in.Ops[0].Imm == trapID {
		noEffect(x)
		return
	}
	x.b.Emit(ir.Inst{Op: ir.Trap, Scalar: true})
}

// msgInterrupt is the number of MSG_INTERRUPT (GCN3 ISA 4.5, "S_SENDMSG"), in the low four bits.
const msgInterrupt = 1

// sendMessage lifts s_sendmsg. An interrupt asks the host to serve what the kernel has left in memory (hostcalls of HIP).
func sendMessage(x *lifter) {
	if x.in.Ops[0].Imm&15 != msgInterrupt {
		x.unsupported("messages other than interrupts have no receiver here: they serve graphics")
		return
	}
	x.b.Emit(ir.Inst{Op: ir.HostCall, Imm: uint64(ir.HostInterrupt)})
}

// setHalt lifts s_sethalt. s_sethalt 1 stops the wavefront until a debugger continues it: here, a
// fault. s_sethalt 0 continues a halted wavefront.
func setHalt(x *lifter) {
	if x.in.Ops[0].Imm&1 == 0 {
		noEffect(x)
		return
	}
	x.b.Emit(ir.Inst{Op: ir.Trap, Scalar: true})
}

// sleep lifts s_sleep: the other wavefronts run.
func sleep(x *lifter) { x.b.Emit(ir.Inst{Op: ir.Yield}) }

// memTime lifts s_memtime: a counter that increases.
func memTime(x *lifter) {
	x.b.Emit(ir.Inst{Op: ir.Clock, Scalar: true, Dst: x.sdst(0)})
}

// branch goes to the label.
func branch(x *lifter) { x.b.SBra(x.target(), 0, false) }

// branchSCC goes to the label if SCC is want.
func branchSCC(want bool) Sem {
	return func(x *lifter) { x.b.SBra(x.target(), x.scc, !want) }
}

// branchZero goes to the label if a pair of scalar registers is zero, or is not.
func branchZero(reg uint16, zero bool) Sem {
	return func(x *lifter) {
		z := x.b.S(ir.EqU64, x.sreg(reg, 2), x.b.SConst(ir.B64, 0))
		x.b.SBra(x.target(), z, !zero)
	}
}

// branchNever is a branch on a debugger's condition, which never holds.
func branchNever(x *lifter) { noEffect(x) }

// target returns the label of the branch's destination.
func (x *lifter) target() ir.Label { return x.label(branchTarget(x.in, x.next)) }

// setReg lifts s_setreg of the MODE register. The constant parts of its effect were found before
// lifting. The register itself holds the other parts, and serves s_getreg.
//
// Fields without an effect here keep the written value: LOD_CLAMPED, DEBUG and the exceptions that
// EXCP_EN enables, for which there is no trap handler.
func setReg(x *lifter) {
	reg, lo, n := hwReg(x.in)
	if reg != HWRegMode {
		x.unsupported("hardware register %d cannot be written here: MODE can", reg)
		return
	}
	if mask := fieldMask(lo, n); mask&(modeGPRIdx|modeVSkip) != 0 {
		x.unsupported("it writes GPR_IDX_EN or VSKIP of MODE: use s_set_gpr_idx_on; VSKIP is not supported")
		return
	}
	src := 1
	v := x.ssrc(src)
	x.b.To(x.modeReg(), ir.Bfi32, v, x.modeReg(), x.b.SConst(ir.B32, uint64(lo)), x.b.SConst(ir.B32, uint64(n)))
}

// The hardware registers that can be read, LLVM AMDGPU usage and GCN3 ISA table 5.4.
const (
	HWRegMode   = 1
	hwRegStatus = 2
	hwRegHWID   = 4
	hwRegIBSts  = 7
)

// Fields of MODE with meanings of their own: GCN3 ISA 3.6.
const (
	modeGPRIdx = 1 << 27
	modeVSkip  = 1 << 28
)

// hwReg decodes SIMM16 of s_getreg and s_setreg: the register's number in bits 5:0, the first bit
// in 10:6, the number of bits less 1 in 15:11.
func hwReg(in *Inst) (reg, lo, n uint32) {
	for i := range in.Row.Operands {
		if in.Row.Operands[i].Kind == ClassHWReg {
			v := uint32(in.Ops[i].Imm)
			reg, lo, n = v&63, v>>6&31, v>>11&31+1
		}
	}
	return reg, lo, n
}

func fieldMask(lo, n uint32) uint32 { return uint32(uint64(1)<<n-1) << lo }

// getReg lifts s_getreg_b32.
func getReg(x *lifter) {
	reg, lo, n := hwReg(x.in)
	k := func(v uint32) ir.Ref { return x.b.SConst(ir.B32, uint64(v)) }
	var v ir.Ref
	switch reg {
	case HWRegMode:
		v = x.modeReg()
	case hwRegStatus:
		v = x.status()
	case hwRegHWID:
		// Decided: the wavefronts of a workgroup are distributed over the four SIMD units of
		// compute unit 0: SIMD_ID (bits 5:4) = number mod 4, WAVE_ID (3:0) = number / 4.
		w := x.waveID()
		v = x.b.S(ir.Bfi32, w, x.b.S(ir.BfeU32, w, k(2), k(4)), k(4), k(2))
	case hwRegIBSts:
		v = k(0) // the counters: no operation is ever outstanding
	default:
		x.unsupported("hardware register %d has no value here: MODE, STATUS, HW_ID and IB_STS have", reg)
		return
	}
	x.b.To(x.sdst(0), ir.BfeU32, v, k(lo), k(n))
}

// status returns the STATUS register: SCC (bit 0), EXECZ (9), VCCZ (10), IN_TG (11: the workgroup
// has several wavefronts) and VALID (16); the other bits are 0.
func (x *lifter) status() ir.Ref {
	k := func(v uint32) ir.Ref { return x.b.SConst(ir.B32, uint64(v)) }
	zero := func(r uint16) ir.Ref { return x.b.S(ir.EqU64, x.sreg(r, 2), x.b.SConst(ir.B64, 0)) }
	v := k(1 << 16)
	for _, f := range []struct {
		bit uint32
		on  ir.Ref
	}{{0, x.scc}, {9, zero(RegEXEC)}, {10, zero(RegVCC)}, {11, x.b.S(ir.GtU32, x.waveCount(), k(1))}} {
		v = x.b.S(ir.Bfi32, x.b.S(ir.B2U32, f.on), v, k(f.bit), k(1))
	}
	return v
}

// waveID returns the number of the wavefront in its workgroup, waveCount the number of wavefronts
// there.
func (x *lifter) waveID() ir.Ref    { return x.launchScalar(&x.wave, ir.WaveID) }
func (x *lifter) waveCount() ir.Ref { return x.launchScalar(&x.waves, ir.WaveCount) }

func (x *lifter) launchScalar(r *ir.Ref, kind ir.InputKind) ir.Ref {
	if *r == 0 {
		*r = x.b.Scalar("", ir.B32)
		x.b.Input(kind, *r, 0)
	}
	return *r
}
