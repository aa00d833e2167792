package amdgpu

import (
	"example.org/crosslane/internal/ir"
)

// This file lifts registers with computed numbers: v_movrel*, s_movrel*, and vector instructions
// while GPR indexing is on. The IR names registers statically. So the instruction becomes a branch
// to one of several copies, one for each register. At run time that is one step, and every tool
// sees which register was used.

// A GPRIdx is the effect of an instruction on GPR indexing.
type GPRIdx uint8

// The kinds.
const (
	IdxNone  GPRIdx = iota
	IdxOn           // s_set_gpr_idx_on: turns it on, with operands and index
	IdxOff          // s_set_gpr_idx_off
	IdxMode         // s_set_gpr_idx_mode: other operands
	IdxIndex        // s_set_gpr_idx_idx: another index
)

// IndexState is the state of GPR indexing before an instruction: off, on for the operands in bits
// 3:0, or unknown.
type IndexState uint8

const (
	IndexOff     IndexState = 0
	IndexOn      IndexState = 1 << 4
	IndexUnknown IndexState = 1 << 5
)

// step returns the state after an instruction.
func (s IndexState) step(in *Inst) IndexState {
	switch in.Row.GPRIdx {
	case IdxOn:
		return IndexOn | IndexState(in.Ops[1].Imm&15)
	case IdxOff:
		return IndexOff
	case IdxMode:
		if s&IndexOn != 0 {
			return IndexOn | IndexState(in.Ops[0].Imm&15)
		}
		return s
	case IdxIndex:
		return s
	}
	if s == IndexOff {
		return s
	}
	for _, w := range in.Writes() { // bits 15:12 of M0 hold the operands
		if w.Lo <= RegM0 && RegM0 < w.Lo+w.N {
			return IndexUnknown
		}
	}
	return s
}

// maxArms bounds the copies of instructions with computed registers in a kernel.
const maxArms = 1 << 16

// arms branches to arm(i) for the register i that the scalar index selects, of the n registers from
// 0 on, in steps. An index outside is a fault; last is the distance from i to the highest register
// that an index stands for.
func (x *lifter) arms(index ir.Ref, n, step, last int, arm func(i int)) {
	if x.armCount += n; x.armCount > maxArms {
		x.unsupported("there are too many instructions with computed register numbers: %d cases at most", maxArms)
		return
	}
	one, zero := x.b.SConst(ir.B32, 1), x.b.SConst(ir.B32, 0)
	odd := zero
	if step == 2 {
		odd = x.b.S(ir.Shl32, x.b.S(ir.And32, index, one), one) // FailPair
	}
	bad := x.b.S(ir.Sel32, x.b.S(ir.GeU32, index, x.b.SConst(ir.B32, uint64(max(n, 0)))), one, odd)
	number := index
	if last > 0 {
		number = x.b.S(ir.Add32, index, x.b.SConst(ir.B32, uint64(last)))
	}
	x.b.Guard(0, false)
	x.b.Emit(ir.Inst{Op: ir.Fail, Args: [4]ir.Ref{x.b.Splat(bad), number}, Imm: uint64(ir.FailRegister)})
	if n <= 0 {
		return
	}
	table, end := x.b.NewTable(), x.b.NewLabel()
	targets := make([]ir.Label, n)
	for i := range targets {
		targets[i] = ir.NoTarget
		if i%step == 0 {
			targets[i] = x.b.NewLabel()
		}
		x.b.Target(table, targets[i])
	}
	x.b.BraTable(table, x.b.Splat(index), 0)
	for i := 0; i < n; i += step {
		x.b.Bind(targets[i])
		x.b.Resume()
		arm(i)
		x.b.SBra(end, 0, false)
	}
	x.b.Bind(end)
	x.b.Resume()
}

// m0Plus returns the sum of M0 and the register number of operand i.
func (x *lifter) m0Plus(i int) ir.Ref {
	return x.b.S(ir.Add32, x.sreg(RegM0, 1), x.b.SConst(ir.B32, uint64(x.in.Ops[i].Reg)))
}

// sMovRels lifts s_movrels: D = the register S0 + M0. For pairs, M0 must be even.
func sMovRels(x *lifter) {
	n := x.in.Row.Operands[0].Type.Dwords()
	x.arms(x.m0Plus(1), x.t.SGPRs(), n, 0, func(i int) { x.b.Move(x.sdst(0), x.sreg(uint16(i), n)) })
}

// sMovReld lifts s_movreld: the register D + M0 = S0.
func sMovReld(x *lifter) {
	n := x.in.Row.Operands[0].Type.Dwords()
	x.arms(x.m0Plus(0), x.t.SGPRs(), n, 0, func(i int) { x.b.Move(x.sreg(uint16(i), n), x.ssrc(1)) })
}

// vMovRel lifts v_movrel: M0 is added to the number of the destination, of the source, or of both.
func vMovRel(dst, src bool) Sem {
	return func(x *lifter) {
		move := func(d, s ir.Ref) {
			x.b.Guard(x.mask, false)
			x.b.Move(d, s)
		}
		d, s := x.in.Ops[0].Reg, x.in.Ops[1].Reg
		switch {
		case dst && src:
			// The lower of the two numbers has to be at least 0, and the higher register has to
			// exist.
			lo, gap := min(d, s), int(max(d, s)-min(d, s))
			index := x.b.S(ir.Add32, x.sreg(RegM0, 1), x.b.SConst(ir.B32, uint64(lo)))
			x.arms(index, x.vgprs-gap, 1, gap, func(i int) {
				move(x.vreg(d-lo+uint16(i)), x.vreg(s-lo+uint16(i)))
			})
		case dst:
			x.arms(x.m0Plus(0), x.vgprs, 1, 0, func(i int) { move(x.vreg(uint16(i)), x.vsrc(1, false)) })
		default:
			x.arms(x.m0Plus(1), x.vgprs, 1, 0, func(i int) { move(x.vreg(d), x.vreg(uint16(i))) })
		}
	}
}

// setIdx lifts s_set_gpr_idx_*: M0 bits 7:0 = index, bits 15:12 = the operands that it is added to;
// MODE bit 27 = on.
func setIdx(x *lifter) {
	m0 := x.sreg(RegM0, 1)
	k := func(v int64) ir.Ref { return x.b.SConst(ir.B32, uint64(v)) }
	var on int64
	switch x.in.Row.GPRIdx {
	case IdxOn:
		t := x.b.S(ir.Bfi32, x.ssrc(0), m0, k(0), k(8))
		x.b.To(m0, ir.Bfi32, k(x.in.Ops[1].Imm), t, k(12), k(4))
		on = 1
	case IdxIndex:
		x.b.To(m0, ir.Bfi32, x.ssrc(0), m0, k(0), k(8))
		return
	case IdxMode:
		x.b.To(m0, ir.Bfi32, k(x.in.Ops[0].Imm), m0, k(12), k(4))
		return
	}
	x.b.To(x.modeReg(), ir.Bfi32, k(on), x.modeReg(), k(27), k(1))
}

// indexed lifts a vector instruction while GPR indexing is on. An index beyond the existing
// registers is a fault; hardware reads v0, and writes nothing.
func (x *lifter) indexed() {
	in := x.in
	fields := [...][]FieldID{{FieldSRC0}, {FieldSRC1, FieldVSRC1}, {FieldSRC2}, {FieldVDST}}
	var shift []int // operands to which the index is added
	top := 0        // one more than the largest register among them
	for i := range in.Row.Operands {
		for bit, fs := range fields {
			for _, f := range fs {
				if o := &in.Ops[i]; in.Row.Operands[i].Field == f && x.idx>>bit&1 != 0 && o.Kind == KindVGPR {
					shift = append(shift, i)
					top = max(top, int(o.Reg)+int(o.Dwords))
				}
			}
		}
	}
	if len(shift) == 0 {
		x.meaning()
		return
	}
	if f := in.Row.Flags; f.Has(FlagCrossLane) || f.Has(FlagIndirect) || f.Has(FlagTied) || in.Enc == EncDPP || in.Enc == EncSDWA {
		x.unsupported("GPR indexing with it is not supported")
		return
	}
	index := x.b.S(ir.And32, x.sreg(RegM0, 1), x.b.SConst(ir.B32, 255))
	x.arms(index, x.vgprs-top+1, 1, top-1, func(i int) {
		moved := *in
		for _, k := range shift {
			moved.Ops[k].Reg += uint16(i)
		}
		x.in = &moved
		x.meaning()
	})
	x.in = in
}
