package amdgpu

import (
	"fmt"
	"math/bits"
	"strconv"
)

// This file holds the parts that only interpolation, image and export instructions have: the text
// of their operands, and the rules of their fields.

// Attributes are attr0 to attr32, GCN3 ISA 13, VINTRP.
const maxAttr = 32

// attrChannels are the letters of ATTRCHAN.
const attrChannels = "xyzw"

// attrText returns the text of 4 * attribute + channel.
func attrText(v int) string { return fmt.Sprintf("attr%d.%c", v>>2, attrChannels[v&3]) }

// paramNames returns the names of the values of VSRC of v_interp_mov_f32.
func paramNames() [3]string { return [3]string{"p10", "p20", "p0"} }

// A target is a run of values of EXP's TGT.
type target struct {
	name  string
	first int
	count int // number of targets if the name takes a number; 0: it takes none
}

// targets returns the targets of GCN3 ISA 13, EXP. Other values are reserved.
func targets() [5]target {
	return [5]target{{"mrt", 0, 8}, {"mrtz", 8, 0}, {"null", 9, 0}, {"pos", 12, 4}, {"param", 32, 32}}
}

// targetText returns the text of a value of TGT, "" if it is reserved.
func targetText(v int) string {
	for _, t := range targets() {
		switch {
		case t.count == 0 && v == t.first:
			return t.name
		case v >= t.first && v < t.first+t.count:
			return t.name + strconv.Itoa(v-t.first)
		}
	}
	return ""
}

// exportBits returns the bits of EN that enable a data field: one for a dword; two for the two
// halves of a compressed dword, of which an instruction has two.
func exportBits(in *Inst, f FieldID) int {
	i := int(f - FieldEXP0)
	if !in.Has(ModCompr) {
		return 1 << i
	}
	return [4]int{3, 12}[i]
}

// exportSlot returns the operand whose text is in the place of operand i. With compr each VGPR is
// written twice, once for each half.
func exportSlot(in *Inst, i int) int {
	if i > 0 && in.Row.Format == FormatEXP && in.Has(ModCompr) {
		return 1 + (i-1)/2
	}
	return i
}

// imageDwords returns the number of data VGPRs of an image instruction, without that of TFE: one
// for each component that DMASK selects, and at least one.
func imageDwords(in *Inst) int {
	if in.Row.Flags.Has(FlagGather) {
		return 4
	}
	n := max(1, bits.OnesCount(uint(in.Mod(ModDMask))))
	if in.Row.Flags.Has(FlagAtomic) {
		// The mask of an atomic has one of two values, see checkImage; the other bits are ignored.
		n = max(n, in.Row.Operands[0].Type.Dwords())
	}
	return n
}

// checkGraphics applies the rules of the fields.
func checkGraphics(x *encoding, in *Inst) (msg string, op int) {
	switch x.row.Format {
	case FormatEXP:
		return checkExport(in)
	case MIMG:
		return checkImage(x, in), -1
	}
	if i := x.row.operand(ClassAttr); i >= 0 && in.Ops[i].Imm>>2 > maxAttr {
		return fmt.Sprintf("the attributes are attr0 to attr%d, found attr%d", maxAttr, in.Ops[i].Imm>>2), i
	}
	if i := x.row.operand(ClassParam); i >= 0 && in.Ops[i].Imm > 2 {
		return fmt.Sprintf("the parameters are p10, p20 and p0, 0 to 2, found %d", in.Ops[i].Imm), i
	}
	return "", -1
}

// checkExport applies the rules of GCN3 ISA 13, EXP. With COMPR the valid values of EN are 0, 3, 12
// and 15.
func checkExport(in *Inst) (string, int) {
	if v := int(in.Ops[0].Imm); targetText(v) == "" {
		return fmt.Sprintf("the export target %d is reserved", v), 0
	}
	if en := in.Mod(ModEN); in.Has(ModCompr) && (en&1 != en>>1&1 || en>>2&1 != en>>3&1) {
		return fmt.Sprintf("EN is 0x%x, but with compr it must be 0, 0x3, 0xc or 0xf", en), -1
	}
	return "", -1
}

// checkImage applies the rules of GCN3 ISA 8.2. An atomic moves one or two dwords, compare-and-swap
// twice as many; a gather fetches one component of four texels.
func checkImage(x *encoding, in *Inst) string {
	m := in.Mod(ModDMask)
	switch f := x.row.Flags; {
	case f.Has(FlagGather) && bits.OnesCount(uint(m)) != 1:
		return fmt.Sprintf("dmask is 0x%x, but a gather fetches one component: 0x1, 0x2, 0x4 or 0x8", m)
	case f.Has(FlagAtomic) && x.row.Operands[0].Type == B64 && m != 3 && m != 15:
		return fmt.Sprintf("dmask is 0x%x, but this atomic takes 0x3 or 0xf", m)
	case f.Has(FlagAtomic) && x.row.Operands[0].Type != B64 && m != 1 && m != 3:
		return fmt.Sprintf("dmask is 0x%x, but an atomic takes 0x1 or 0x3", m)
	}
	return ""
}

// addrDwords returns the largest number of address VGPRs.
func (r *Row) addrDwords() int { return int(r.MaxAddr) }
