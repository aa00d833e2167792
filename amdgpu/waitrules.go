package amdgpu

import (
	"fmt"
	"slices"
)

// This file holds the rules of wait states as data (GCN3 ISA 4.5): which instruction must not follow
// which other one too closely. Package hazard applies them to runs and to all paths; explain shows
// them.

// A TrailKind is a kind of effect of an instruction on the instructions that follow closely.
type TrailKind uint8

const (
	TrailVALU   TrailKind = iota // a VALU instruction wrote the register
	trailM0                      // a scalar instruction wrote M0
	trailSetReg                  // s_setreg wrote the hardware register
	TrailStore                   // the register is the data of a wide store
)

// A WaitRule names registers that an instruction must not use too soon after another instruction
// has left a trail on them. GCN3 ISA 4.5, "Manually Inserted Wait States".
type WaitRule struct {
	States int
	After  TrailKind
	What   string
	Uses   func(in *Inst) []RegRun
	Reads  readKind
}

// A readKind selects the operations of an instruction's meaning that read the register of a rule.
// The same register may also be another operand, which the rule does not concern.
type readKind uint8

const (
	readsAny   readKind = iota
	ReadsMoved          // the value that DPP moves
	ReadsBits           // a mask as a number, not the lanes that it stands for
)

// waitRulesGFX8 returns the rules of gfx8. Three rules of the manual's table are missing, because their cases
// do not occur here: VSKIP, which is not executed; TRAPSTS and s_rfe, which belong to trap
// handlers; and VCC under the number of the SGPR that holds it, which no assembler writes.
func waitRulesGFX8() []WaitRule {
	return []WaitRule{
		{2, TrailVALU, "DPP reads a VGPR that a VALU instruction wrote", dppSource, ReadsMoved},
		{5, TrailVALU, "DPP runs under an EXEC that a VALU instruction wrote", dppExec, readsAny},
		{5, TrailVALU, "vector memory reads an SGPR that a VALU instruction wrote", vmemScalars, readsAny},
		{4, TrailVALU, "the lane select is an SGPR that a VALU instruction wrote", laneSelect, readsAny},
		{4, TrailVALU, "v_div_fmas reads a VCC that a VALU instruction wrote", implicitVCC, readsAny},
		{5, TrailVALU, "a VALU instruction reads VCCZ or EXECZ after another wrote VCC or EXEC", zeroFlags, ReadsBits},
		{2, trailSetReg, "s_getreg reads a register that s_setreg wrote", getRegs, readsAny},
		{2, trailSetReg, "s_setreg writes a register that another s_setreg wrote", setRegs, readsAny},
		{1, trailM0, "GDS and messages read an M0 that a scalar instruction wrote", externalM0, readsAny},
		{1, TrailStore, "a VALU instruction writes the data of a store of more than 64 bits", valuVGPRs, readsAny},
	}
}

// Trails returns the registers on which an instruction that writes registers leaves a trail.
func (in *Inst) Trails(kind TrailKind, writes []RegRun) []RegRun {
	switch r := in.Row; kind {
	case TrailVALU:
		if IsVALU(r) {
			return writes
		}
	case trailM0:
		if r.Unit == UnitSALU || r.Format == SOPP {
			for _, s := range writes {
				if s.Overlaps(RegRun{RegM0, 1}) {
					return []RegRun{{RegM0, 1}}
				}
			}
		}
	case trailSetReg:
		return setRegs(in)
	case TrailStore:
		return wideData(in)
	}
	return nil
}

// WaitStates returns the number of wait states that an instruction between two other ones
// contributes.
func (in *Inst) WaitStates() int {
	if in.IsNop() {
		return int(in.Ops[0].Imm&0xf) + 1
	}
	return 1
}

// IsNop reports whether the instruction is s_nop: a number of wait states in the format SOPP.
func (in *Inst) IsNop() bool { return in.Row.Flags.Has(FlagNop) }

// wideData returns the data registers of a store of more than 64 bits. A buffer store with an SGPR
// as soffset reads its data in time, so it has none.
func wideData(in *Inst) []RegRun {
	if !in.Row.Flags.Has(FlagStore) || in.Row.Unit != UnitVMEM && in.Row.Unit != UnitFlat {
		return nil
	}
	var data []RegRun
	for i := range in.Row.Operands {
		switch in.Row.Operands[i].Field {
		case FieldSOFFSET:
			if in.Ops[i].Kind == KindSGPR {
				return nil
			}
		case FieldVDATA, FieldDATA:
			if s := OperandRun(&in.Ops[i]); s.N > 2 {
				data = append(data, s)
			}
		}
	}
	return data
}

// hwSpan returns the number of a hardware register, which is after those of the VGPRs.
func hwSpan(in *Inst) []RegRun {
	reg, _, _ := hwReg(in)
	return []RegRun{{RegHW0 + uint16(reg), 1}}
}

func setRegs(in *Inst) []RegRun {
	if !SetsHWReg(in) {
		return nil
	}
	return hwSpan(in)
}

func getRegs(in *Inst) []RegRun {
	if n := len(in.Row.Operands); n == 0 || in.Row.Operands[n-1].Kind != ClassHWReg || in.Row.Operands[0].Kind == ClassHWReg {
		return nil
	}
	return hwSpan(in)
}

// externalM0 covers the readers of M0 in GCN3 ISA 4.5: GDS, s_sendmsg and s_ttracedata.
func externalM0(in *Inst) []RegRun {
	if in.Row.Reads&M0 == 0 || in.Row.GPRIdx != IdxNone || in.Row.Format != SOPP && !in.Has(ModGDS) {
		return nil
	}
	return []RegRun{{RegM0, 1}}
}

func valuVGPRs(in *Inst) []RegRun {
	if !IsVALU(in.Row) {
		return nil
	}
	return slices.DeleteFunc(in.Writes(), func(s RegRun) bool { return s.Lo < RegVGPR0 })
}

// zeroFlags covers src_vccz and src_execz as operands. Branches wait by themselves.
func zeroFlags(in *Inst) []RegRun {
	if !IsVALU(in.Row) {
		return nil
	}
	for i := range in.Row.Operands {
		switch o := &in.Ops[i]; {
		case o.Kind != KindSpecial:
		case o.Reg == RegVCCZ:
			return []RegRun{{RegVCC, 2}}
		case o.Reg == RegEXECZ:
			return []RegRun{{RegEXEC, 2}}
		}
	}
	return nil
}

func dppSource(in *Inst) []RegRun {
	if in.Enc != EncDPP {
		return nil
	}
	return in.fieldSpans(FieldSRC0)
}

func dppExec(in *Inst) []RegRun {
	if in.Enc != EncDPP {
		return nil
	}
	return []RegRun{{RegEXEC, 2}}
}

// vmemScalars returns the scalar registers that a vector memory instruction reads, except M0.
func vmemScalars(in *Inst) []RegRun {
	if in.Row.Unit != UnitVMEM {
		return nil
	}
	var l []RegRun
	for _, s := range in.reads() {
		if s.Lo < RegVGPR0 && s.Lo != RegM0 {
			l = append(l, s)
		}
	}
	return l
}

func laneSelect(in *Inst) []RegRun {
	if i := len(in.Row.Operands) - 1; i >= 0 && in.Row.Operands[i].Kind == ClassLane {
		if s := OperandRun(&in.Ops[i]); s.N > 0 {
			return []RegRun{s}
		}
	}
	return nil
}

func implicitVCC(in *Inst) []RegRun {
	if IsVALU(in.Row) && in.Row.Reads&VCC != 0 {
		return []RegRun{{RegVCC, 2}}
	}
	return nil
}

// StatesText returns a number of wait states in words.
func StatesText(n int) string {
	if n == 1 {
		return "1 wait state"
	}
	return fmt.Sprintf("%d wait states", n)
}
