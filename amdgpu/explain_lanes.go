package amdgpu

import (
	"fmt"

	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// lanes computes the lane map or fold of an instruction that moves data between lanes.
func (x *explainer) lanes() {
	in, e := x.in, x.e
	f := in.Row.Flags
	switch {
	case in.Enc == EncDPP:
		x.dpp()
	case f.Has(FlagSwizzle):
		m := lane.DSSwizzle(uint16(in.Mod(ModOffset)), e.Executing)
		e.Map = &m
		x.mapNotes(&m)
	case f.Has(FlagCrossLane) && in.Row.Unit == UnitLDS:
		x.permute()
	case f.Has(FlagCrossLane):
		x.fold()
	}
}

// dpp computes the map of a DPP instruction.
func (x *explainer) dpp() {
	in, e := x.in, x.e
	ctrl := lane.DPPCtrl(in.Mod(ModDPPCtrl))
	m, err := lane.DPP(ctrl, uint8(in.Mod(ModRowMask)), uint8(in.Mod(ModBankMask)), in.Has(ModBoundCtrl), e.Executing)
	if err != nil {
		x.note("%v", err)
		return
	}
	e.Map = &m
	if off := e.Executing &^ lane.DPPLanes(uint8(in.Mod(ModRowMask)), uint8(in.Mod(ModBankMask))); off != 0 {
		x.note("lanes %s are switched off by row_mask or bank_mask: not updated, but other lanes may read them", off)
	}
	x.mapNotes(&m)
	if in.Row.Flags.Has(FlagReversed) && !in.Row.Operands[0].Type.IsFloat() {
		e.Errata = append(e.Errata, "reversed-dpp: compiler authors report that hardware before GFX11 applies DPP to src1 of reversed integer instructions; the manual says src0, and so does this map")
	}
}

// mapNotes notes the lanes that receive nothing from another lane.
func (x *explainer) mapNotes(m *lane.Map) {
	if z := m.Zeroes(); z != 0 {
		x.note("lanes %s receive 0: no lane, or one outside EXEC, is their source", z)
	}
	enabled := x.e.Executing
	if x.in.Enc == EncDPP {
		enabled &= lane.DPPLanes(uint8(x.in.Mod(ModRowMask)), uint8(x.in.Mod(ModBankMask)))
	}
	if k := enabled &^ m.Writes(); k != 0 {
		x.note("lanes %s keep their old value: they have no source, or one outside EXEC, and BOUND_CTRL is 0", k)
	}
	if off := ^x.e.Executing; off != 0 {
		x.note("lanes %s are outside EXEC: not updated, and no source for other lanes", off)
	}
}

// permute computes the map of ds_permute_b32 and ds_bpermute_b32 from the address register.
func (x *explainer) permute() {
	in, e := x.in, x.e
	addr, ok := x.register(&in.Ops[1])
	if !ok {
		x.note("the addresses in %s are not known, so that there is no lane map; give them with --set %s=…", x.text(OperandRun(&in.Ops[1])), x.text(OperandRun(&in.Ops[1])))
		return
	}
	off := uint32(in.Mod(ModOffset))
	var m lane.Map
	if x.means(ir.DSPermute) {
		m = lane.DSPermute(&addr, off, e.Executing)
		e.Lost = lane.DSPermuteLost(&addr, off, e.Executing)
		if e.Lost != 0 {
			x.note("the data of lanes %s arrive nowhere: a greater lane sends to the same place, or the place is outside EXEC", e.Lost)
		}
	} else {
		m = lane.DSBpermute(&addr, off, e.Executing)
	}
	e.Map = &m
	x.mapNotes(&m)
}

// means reports whether the instruction's meaning uses an IR operation. It lifts the instruction
// and searches for the operation.
func (x *explainer) means(op ir.Op) bool {
	for _, in := range LiftAlone(x.in).Code {
		if in.Op == op {
			return true
		}
	}
	return false
}

// fold describes v_readlane, v_writelane, v_readfirstlane and v_mbcnt.
func (x *explainer) fold() {
	in, e := x.in, x.e
	if i := len(in.Row.Operands) - 1; in.Row.Operands[i].Kind == ClassLane {
		sel, ok := x.register(&in.Ops[i])
		if !ok {
			x.note("the lane select is not known; give it with --set %s=…", x.text(OperandRun(&in.Ops[i])))
			return
		}
		l := int(sel[0]) % x.t.WaveSize
		x.note("lane %d (the select modulo %d), whether EXEC has it or not", l, x.t.WaveSize)
		if !in.Row.Flags.Has(FlagTied) { // a read
			e.Fold = &Fold{Participants: ^lane.Mask(0), Picked: lane.Lane(l)}
			x.pick(&in.Ops[1], l)
		}
		return
	}
	if in.Row.Reads&EXEC != 0 {
		l := lane.ReadFirstLane(e.Executing)
		e.Fold = &Fold{Participants: e.Executing, Picked: lane.Lane(l)}
		x.pick(&in.Ops[1], l)
		if e.Executing == 0 {
			x.note("EXEC is 0: lane 0 is read")
		}
		return
	}
	x.mbcnt()
}

// pick fills in the value that a lane read returns.
func (x *explainer) pick(o *Operand, l int) {
	vals, ok := x.register(o)
	if !ok {
		return
	}
	for _, v := range vals {
		x.e.Fold.In = append(x.e.Fold.In, fmt.Sprintf("%#x", v))
	}
	x.e.Fold.Result = fmt.Sprintf("%#x", vals[l])
}

// mbcnt counts the set bits of the mask below each lane, in the half of the lanes that the
// instruction covers.
func (x *explainer) mbcnt() {
	in, e := x.in, x.e
	mask, ok := x.register(&in.Ops[1])
	add, known := x.register(&in.Ops[2])
	if !ok {
		x.note("the mask is not known; give it with --set %s=…", x.text(OperandRun(&in.Ops[1])))
		return
	}
	if !known {
		x.note("S1 is not known: the counts shown start at 0")
	}
	count, shift := lane.MbcntLo, 0
	if x.means(ir.VMbcntHiU32B32) {
		count, shift = lane.MbcntHi, 32
	}
	e.Fold = &Fold{Participants: e.Executing, Picked: lane.Mask(mask[0]) << shift, Out: make([]string, x.t.WaveSize)}
	for i := range e.Executing.Lanes() {
		e.Fold.Out[i] = fmt.Sprint(count(mask[i], add[i], i))
	}
}
