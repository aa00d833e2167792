package gcn3

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"
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

// graphicsOperand parses an operand that only these instructions have, if the row has one in this
// place.
func (p *parser) graphicsOperand(o *synOp, id string) (bool, *synErr) {
	i := len(p.ops)
	if i >= len(p.row.Operands) || id == "" {
		return false, nil
	}
	v, msg := 0, ""
	switch p.row.Operands[i].Kind {
	case ClassAttr:
		v, msg = parseAttr(id)
	case ClassParam:
		v, msg = parseParam(id)
	case ClassTarget:
		v, msg = parseTarget(id)
	default:
		return false, nil
	}
	if msg != "" {
		return false, errorf(p.pos, "%s, found %s", msg, id)
	}
	p.pos += len(id)
	o.num, o.isField, o.val = true, true, int64(v)
	return true, nil
}

// The functions below return the value of a name, or an error message.

// parseAttr reads the name of an attribute and its channel, for example attr3.x.
func parseAttr(id string) (v int, msg string) {
	num, channel, _ := strings.Cut(strings.TrimPrefix(id, "attr"), ".")
	c := strings.Index(attrChannels, channel)
	n, err := strconv.Atoi(num)
	switch {
	case !strings.HasPrefix(id, "attr") || err != nil || !allDigits(num):
		return 0, "an attribute such as attr3.x is expected"
	case n > maxAttr:
		return 0, fmt.Sprintf("the attributes are attr0 to attr%d", maxAttr)
	case len(channel) != 1 || c < 0:
		return 0, fmt.Sprintf("the channel of an attribute is x, y, z or w: attr%d.x", n)
	}
	return n<<2 | c, ""
}

func parseParam(id string) (v int, msg string) {
	for v, n := range paramNames() {
		if n == id {
			return v, ""
		}
	}
	return 0, "the parameters are p10, p20 and p0"
}

func parseTarget(id string) (v int, msg string) {
	for v := range 64 {
		if id == targetText(v) {
			return v, ""
		}
	}
	return 0, "the export targets are mrt0 to mrt7, mrtz, null, pos0 to pos3 and param0 to param31"
}

// bindExport derives EN from the operands, and keeps the operands that have a field. With compr the
// first VGPR is in the first two places, the second in the last two; the first of each pair counts,
// as in LLVM.
func (p *parser) bindExport(in *Inst) *synErr {
	data := len(p.row.Operands) - 1
	if len(p.ops) != 1+data {
		return errorf(p.opCol(1+data), "%s needs a target and %d operands, found %d", p.row.Name, data, max(0, len(p.ops)-1)).
			try("write off for components that are not exported")
	}
	ops, bits, step := p.ops[:1:1], 1, 1
	if in.Has(ModCompr) {
		bits, step = 3, 2
	}
	for i := 1; i <= data; i++ {
		if y := &p.ops[i]; !y.off && (y.reg.Kind != KindVGPR || y.reg.Dwords != 1 || y.neg || y.abs || y.sext) {
			return errorf(y.col, "a VGPR or off is expected, found %s", y.text)
		}
	}
	for i := 1; i <= data; i += step {
		if !p.ops[i].off {
			in.Mods[ModEN] |= uint16(bits << (i - 1))
			ops = append(ops, p.ops[i])
		}
	}
	p.ops = ops
	return nil
}

// opCol returns the column of operand i as written, or the end of the text.
func (p *parser) opCol(i int) int {
	if i < len(p.ops) {
		return p.ops[i].col
	}
	return len(p.s)
}

// bindImageAddr binds the address of an image instruction. The address begins at the VGPR in the
// text and has as many registers as the image needs.
func (p *parser) bindImageAddr(x *encoding, i int, y *synOp) (Operand, *synErr) {
	least, most := x.row.Operands[i].Type.Dwords(), x.row.addrDwords()
	n := int(y.reg.Dwords)
	// LLVM has register tuples of 1 to 12 with gradients; else of 1 to 4, then every length up to 8
	// that is needed, and 8.
	switch {
	case y.reg.Kind != KindVGPR || y.neg || y.abs || y.sext:
		return Operand{}, p.misfit(x, i, y, least)
	case n < least || n > most && !(n == 4 && most < 4) && !(n == 8 && most > 4 && most < 8):
		return Operand{}, errorf(y.col, "the address of %s has %d to %d VGPRs, found %s", p.row.Name, least, most, y.text)
	}
	return V(int(y.reg.Reg), least), nil
}

// addrDwords returns the largest number of address VGPRs.
func (r *Row) addrDwords() int { return int(r.MaxAddr) }
