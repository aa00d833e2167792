package x64

import (
	"fmt"
	"strconv"
)

// String returns the instruction in Intel syntax, as LLVM reads it; virtual registers are %n.
func (in Inst) String() string { return string(in.appendText(nil)) }

// Text returns a list of instructions, one per line.
func Text(insts []Inst) string {
	var b []byte
	for i := range insts {
		in := &insts[i]
		if in.Op != LABEL && in.Op != ENTRY {
			b = append(b, '\t')
		}
		b = append(in.appendText(b), '\n')
	}
	return string(b)
}

// PoolText returns a pool, one constant per line.
func PoolText(pool []Const) string {
	var b []byte
	for i := range pool {
		c := &pool[i]
		b = append(strconv.AppendInt(append(b, 'C'), int64(i), 10), ": "...)
		if c.Size == 0 {
			b = fmt.Appendf(b, "% x\n", c.Data)
			continue
		}
		b = fmt.Appendf(b, "%d x 0x%0*x\n", c.Len/c.Size, 2*int(c.Size), c.Bits)
	}
	return string(b)
}

// appendText appends the instruction's text to b.
func (in *Inst) appendText(b []byte) []byte {
	info := in.Op.Info()
	// Labels are printed as L and their number.
	label := func(b []byte) []byte { return strconv.AppendInt(append(b, 'L'), int64(in.Label), 10) }
	switch in.Op {
	case LABEL:
		return append(label(b), ':')
	case ENTRY:
		return append(label(b), ": # entry"...)
	// Pseudo-instructions are comments in the text.
	case NOP, COLD, HOT, STATE, UNDEF:
		b = append(append(b, "# "...), info.Const...)
		switch in.Op {
		case STATE:
			b = strconv.AppendInt(append(b, ' '), in.Imm, 10)
		case UNDEF:
			b = appendReg(append(b, ' '), in.Dst, 64)
		}
		return b
	case ALIGN:
		return strconv.AppendInt(append(b, ".p2align_bytes "...), in.Imm, 10)
	}
	// The mnemonic may depend on the encoding that will be chosen.
	name := info.Name
	if info.EVEXName != "" && in.usesEVEX(info) {
		name = info.EVEXName
	}
	length := in.Len
	// A 64-bit move may be encoded as one of 32 bits, which clears the upper half.
	if info.enc.shape == immMove && length == 8 {
		// LLVM names the forms of a 64-bit move differently.
		switch _, n, w := moveImm(in.Imm, 8); {
		case w == 0:
			length = 4
		case n == 8:
			name = "movabs"
		}
	}
	b = append(b, name...)
	first := true
	// sep separates operands: a space before the first one, then commas.
	sep := func() {
		if first {
			b = append(b, ' ')
		} else {
			b = append(b, ", "...)
		}
		first = false
	}
	// The mask belongs to the first operand, which is a register or memory.
	mask := func() { // after the first operand
		if in.K != NoReg {
			b = append(b, " {"...)
			b = append(appendReg(b, in.K, 8), '}')
			if in.Z {
				b = append(b, " {z}"...)
			}
		}
	}
	// LLVM writes a rounding after the last register operand.
	rounding := func() {
		if in.RC != Current {
			sep()
			b = append(b, [...]string{"", "{rn-sae}", "{rd-sae}", "{ru-sae}", "{rz-sae}", "{sae}"}[min(in.RC, SAE)]...)
		}
	}
	// Operands come in the order of Intel's syntax: destination first, and the mask after the
	// first operand.
	e := &info.enc
	// operand prints one field of the instruction, as a register or as memory.
	operand := func(field uint8, r Reg, c Class, s Size) {
		isFirst := first
		switch {
		// The memory operand stands in the place of the operand that it replaces.
		case in.HasMem && e.rm == field:
			sep()
			b = in.appendMem(b, info)
		case c == NoClass:
			return
		default:
			// Conversions from general registers have their rounding before the last operand.
			if field == fB && c == GPR && in.RC != Current {
				rounding()
			}
			sep()
			b = appendReg(b, r, s.Of(length))
		}
		if isFirst {
			mask()
		}
	}
	operand(fDst, in.Dst, info.Dst, info.DstSize)
	operand(fA, in.A, info.A, info.ASize)
	operand(fB, in.B, info.B, info.BSize)
	operand(fC, in.C, info.C, info.CSize)
	if info.B != GPR {
		rounding()
	}
	switch {
	case info.Imm != 0:
		sep()
		b = strconv.AppendInt(b, in.Imm, 10)
	case info.enc.shape == jump:
		sep()
		b = label(b)
	case info.enc.shape == leaLabel:
		b = append(b, ", [rip + "...)
		b = append(label(b), ']')
	// Shifts by cl name the register, although it is implicit.
	case info.Uses == 1<<1:
		b = append(b, ", cl"...)
	}
	return b
}

// usesEVEX reports whether the encoder will choose EVEX.
func (in *Inst) usesEVEX(info *Info) bool {
	// high reports whether a register exists only with EVEX.
	high := func(r Reg) bool { return r >= V0+16 && r < K0 }
	return !info.VEX || in.K != NoReg || in.HasMem && (in.M.Bcst || info.MemEVEX) || in.RC != Current ||
		high(in.Dst) || high(in.A) || high(in.B) || info.VEXLens != 0 && in.Len&info.VEXLens == 0
}

// appendMem appends the text of the memory operand.
func (in *Inst) appendMem(b []byte, info *Info) []byte {
	m := &in.M
	// The size of the access is part of Intel's syntax.
	size := info.MemSize.Of(in.Len)
	if m.Bcst {
		size = int(info.Bcst)
	}
	b = append(b, [...]string{"byte", "word", "dword", "qword", "xmmword", "ymmword", "zmmword"}[log2(size)]...)
	b = append(b, " ptr "...)
	b = append(b, '[')
	// The parts of an address are joined by signs.
	plus := false
	if m.Pool != 0 {
		b = strconv.AppendInt(append(b, "rip + C"...), int64(m.Pool-1), 10)
		plus = true
	}
	if m.Base != NoReg {
		b = appendReg(b, m.Base, 8)
		plus = true
	}
	if m.Index != NoReg {
		if plus {
			b = append(b, " + "...)
		}
		b = strconv.AppendInt(b, int64(max(m.Scale, 1)), 10)
		b = append(b, '*')
		// An index is a general register, or a vector for gathers and scatters.
		n := 8
		if info.VSIB {
			n = max(info.IndexSize.Of(in.Len), 16)
		}
		b = appendReg(b, m.Index, n)
		plus = true
	}
	switch {
	case !plus:
		b = strconv.AppendInt(b, int64(m.Disp), 10)
	case m.Disp > 0:
		b = strconv.AppendInt(append(b, " + "...), int64(m.Disp), 10)
	case m.Disp < 0:
		b = strconv.AppendInt(append(b, " - "...), -int64(m.Disp), 10)
	}
	b = append(b, ']')
	// The suffix {1toN} gives the number of copies of the element.
	if m.Bcst && info.Bcst != 0 {
		b = strconv.AppendInt(append(b, "{1to"...), int64(info.MemSize.Of(in.Len)/int(info.Bcst)), 10)
		b = append(b, '}')
	}
	return b
}

// log2 returns the logarithm of n, at most 6.
func log2(n int) int {
	k := 0
	for n > 1 && k < 6 {
		n >>= 1
		k++
	}
	return k
}

// appendReg appends the name of a register as an operand of a size.
func appendReg(b []byte, r Reg, size int) []byte {
	const gprs = "axcxdxbxspbpsidi"
	// r8 to r15 have suffixes for their parts; vectors have a letter for their width.
	n := int64(r.Num())
	switch {
	case r >= Virtual:
		return strconv.AppendInt(append(b, '%'), int64(r-Virtual), 10)
	// An absent operand is an error of the list; the text shows it.
	case r <= NoReg:
		return append(b, "none"...)
	case r >= K0:
		return strconv.AppendInt(append(b, 'k'), n, 10)
	case r >= V0:
		// The letter of a vector register gives its width.
		c := byte('x')
		switch {
		case size >= 64:
			c = 'z'
		case size >= 32:
			c = 'y'
		}
		return strconv.AppendInt(append(b, c, 'm', 'm'), n, 10)
	case n >= 8:
		b = strconv.AppendInt(append(b, 'r'), n, 10)
		switch size {
		case 1:
			b = append(b, 'b')
		case 2:
			b = append(b, 'w')
		case 4:
			b = append(b, 'd')
		}
		return b
	}
	// The first eight registers have names without numbers: ax, eax, rax, and al.
	two := gprs[2*n : 2*n+2]
	switch {
	// al, cl, dl and bl; the next four are spl, bpl, sil and dil.
	case size == 1 && n < 4:
		return append(b, two[0], 'l')
	case size == 1:
		return append(append(b, two...), 'l')
	case size == 2:
		return append(b, two...)
	case size == 4:
		b = append(b, 'e')
	default:
		b = append(b, 'r')
	}
	return append(b, two...)
}
