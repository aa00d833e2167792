package amdgpu

import "fmt"

// check applies the rules that concern an instruction as a whole. Decode and Encode both call it,
// so both accept the same instructions. It returns the broken rule, or "", and the index of the
// operand at fault, -1 if no single operand is.
func (x *encoding) check(in *Inst) (msg string, op int) {
	if msg, op = checkLiterals(x, in); msg != "" {
		return msg, op
	}
	if msg, op = checkLDSDirect(x, in); msg != "" {
		return msg, op
	}
	if u := x.row.Unit; u == UnitVALU || u == UnitTrans {
		if msg, op = checkConstantBus(x, in); msg != "" {
			return msg, op
		}
	}
	switch x.enc {
	case EncDPP:
		return checkDPP(x, in)
	case EncSDWA:
		return checkSDWA(x, in)
	}
	if msg, op = checkMemory(x, in); msg != "" {
		return msg, op
	}
	if msg, op = checkM0(x, in); msg != "" {
		return msg, op
	}
	if msg, op = checkGPRIdx(x, in); msg != "" {
		return msg, op
	}
	return checkGraphics(x, in)
}

// checkLiterals checks that an instruction has at most one literal dword, and none after a 64-bit
// encoding. GCN3 ISA 5.1.
func checkLiterals(x *encoding, in *Inst) (string, int) {
	var first *Operand
	for i := range x.ops {
		o := &in.Ops[i]
		if o.Kind != KindLiteral {
			continue
		}
		if x.dwords > 1 && !x.row.target.LongLiteral {
			return fmt.Sprintf("the %v encoding takes no literal", x.enc), i
		}
		if first != nil && first.Imm != o.Imm {
			return fmt.Sprintf("only one literal fits: 0x%x and 0x%x differ", first.Imm, o.Imm), i
		}
		first = o
	}
	return "", -1
}

// busMessage says that an instruction reads too many scalar values.
func (t *Target) busMessage() string {
	words := [...]string{"no", "one", "two", "three", "four"}
	return fmt.Sprintf("it reads %s different scalar values, but the constant bus carries %s", words[t.BusReads+1], words[t.BusReads])
}

// checkConstantBus checks that a vector instruction reads no more scalar values than the constant bus
// carries, on gfx8 one: an SGPR or a pair, VCC, M0, EXEC, one of the source bits, or a literal. The
// instruction may use a value several times. GCN3 ISA 6.2.1.
func checkConstantBus(x *encoding, in *Inst) (string, int) {
	type use struct {
		kind Kind
		reg  uint16
		n    uint8
	}
	var bus [4]use
	n, limit := 0, x.row.target.BusReads
	add := func(u use) bool {
		for i := range n {
			if bus[i] == u {
				return true
			}
		}
		if n == limit {
			return false
		}
		bus[n] = u
		n++
		return true
	}
	if x.row.Reads&M0 != 0 {
		add(use{KindSGPR, RegM0, 1})
	}
	if x.row.Reads&VCC != 0 {
		add(use{KindSGPR, RegVCC, 2})
	}
	for i := range x.ops {
		o := &in.Ops[i]
		if x.row.Operands[i].Dst {
			continue
		}
		u := use{o.Kind, o.Reg, o.Dwords}
		switch o.Kind {
		case KindSGPR:
			// The lane select of v_writelane_b32 is exempt: Errata E96.
			if s := x.row.Operands[i]; o.Reg == RegM0 && s.Kind == ClassLane && s.Field == FieldSRC1 {
				continue
			}
		case KindSpecial:
			if o.Reg == RegLDSDirect {
				continue
			}
			u.n = 0
		case KindLiteral:
			u = use{kind: KindLiteral}
		default:
			continue
		}
		if !add(u) {
			return x.row.target.busMessage(), i
		}
	}
	return "", -1
}

// checkLDSDirect checks that LDS direct is a 32-bit src0 of an instruction that does not swap its
// sources. GCN3 ISA 6.2.
func checkLDSDirect(x *encoding, in *Inst) (string, int) {
	for i := range x.ops {
		o := &in.Ops[i]
		if o.Kind != KindSpecial || o.Reg != RegLDSDirect {
			continue
		}
		switch {
		case x.ops[i].ID != FieldSRC0 || x.row.Operands[i].Kind == ClassLane:
			return "src_lds_direct can be src0 of a vector instruction only", i
		case x.row.Operands[i].Type.Dwords() != 1:
			return "src_lds_direct has 32 bits", i
		case x.row.Flags.Has(FlagReversed):
			return "src_lds_direct cannot be used with an instruction that swaps its sources", i
		case x.row.Flags.Has(FlagIndirect) && x.row.Operands[i].Kind == ClassVGPR:
			return "src_lds_direct is no VGPR that M0 could index", i
		}
	}
	return "", -1
}

// checkDPP applies the rules of GCN3 ISA 13, VOP_DPP.
func checkDPP(x *encoding, in *Inst) (string, int) {
	if !dppLegal(in.Mod(ModDPPCtrl)) {
		return fmt.Sprintf("DPP_CTRL 0x%x is reserved", in.Mod(ModDPPCtrl)), -1
	}
	return "", -1
}

// checkSDWA applies the rules of GCN3 ISA 13, VOP_SDWA.
func checkSDWA(x *encoding, in *Inst) (string, int) {
	for _, m := range [...]ModID{ModDstSel, ModSrc0Sel, ModSrc1Sel} {
		if in.Mod(m) > 6 {
			return fmt.Sprintf("%s is 7, which is reserved", m.Name()), -1
		}
	}
	if x.row.Format == VOP2 && x.row.Flags.Has(FlagTied) && in.Mod(ModDstSel) != 6 {
		// The rule is LLVM's (SIPeepholeSDWA); the manual has none.
		return "dst_sel must be DWORD because the destination is a source too", -1
	}
	if in.Mod(ModDstUnused) > 2 {
		return "dst_unused is 3, which is reserved", -1
	}
	return "", -1
}

// checkMemory checks the modifiers that a memory instruction requires or forbids.
func checkMemory(x *encoding, in *Inst) (string, int) {
	f := x.row.Flags
	switch {
	case f.Has(FlagGDSOnly) && !in.Has(ModGDS):
		return "it needs gds", -1
	case f.Has(FlagLDSOnly) && !in.Has(ModLDS):
		return "it needs lds", -1
	case in.Has(ModLDS) && in.Has(ModTFE):
		return "lds and tfe exclude each other", -1
	}
	return "", -1
}

// checkM0 checks that M0 and EXEC are no destination of scalar loads, and that M0 is no destination
// of v_readlane. GCN3 ISA 7.1, 6.2.
func checkM0(x *encoding, in *Inst) (string, int) {
	for i := range x.ops {
		o := &in.Ops[i]
		if o.Kind != KindSGPR {
			continue
		}
		exec := o.Reg&^1 == RegEXEC
		switch x.ops[i].ID {
		case FieldSDATA:
			if o.Reg == RegM0 || exec {
				return "scalar memory data cannot be in " + x.row.target.sgprName(o.Reg, int(o.Dwords)), i
			}
		case FieldVDST:
			if o.Reg == RegM0 {
				return "m0 cannot be written by a vector instruction", i
			}
		}
	}
	return "", -1
}

// checkGPRIdx checks that s_set_gpr_idx_on and s_set_gpr_idx_mode have no bits beyond their four
// enable bits.
func checkGPRIdx(x *encoding, in *Inst) (string, int) {
	for i := range x.ops {
		if x.row.Operands[i].Kind == ClassGPRIdx && in.Ops[i].Imm > 15 {
			return fmt.Sprintf("the index mode 0x%x has more than four bits", in.Ops[i].Imm), i
		}
	}
	return "", -1
}
