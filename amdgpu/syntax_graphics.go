package amdgpu

import (
	"fmt"
	"strconv"
	"strings"
)

// This file reads the operands that only interpolation, image and export instructions have.

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
