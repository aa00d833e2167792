package x64

import "encoding/binary"

// legacy encodes an instruction without VEX and EVEX (Intel SDM volume 2, 2.1 and 2.2):
//
//	66 | F0 | F2, F3 | 0100 W R X B | [0F [38, 3A]] opcode | ModRM SIB disp | imm
func (a *Assembler) legacy(in *Inst, info *Info, n *[5]uint32) string {
	// The table row gives the opcode, its map and prefixes, and the fields of the operands.
	e := &info.enc
	// Masks, roundings and broadcasts exist only with EVEX.
	if in.K != NoReg || in.Z {
		return badMask
	}
	if in.RC != Current {
		return badRound
	}
	m := &in.M
	op := e.op
	regAt, rmAt := e.reg, e.rm
	if e.rr != 0 && !in.HasMem {
		regAt, rmAt = rmAt, regAt
		op ^= e.rr - 1
	}
	// Some instructions have one opcode per direction; with two registers the table prefers
	// one of them.
	reg, rm := n[regAt], n[rmAt]
	if regAt == fNone {
		reg = uint32(e.digit)
	}
	// Only machine registers can be encoded: num refuses virtual ones.
	var idx, base uint32
	hasIdx := false
	if in.HasMem {
		if m.Bcst {
			return badBcst
		}
		var ok bool
		if m.Base != NoReg {
			if base, ok = num(m.Base, GPR); !ok {
				return badAddress
			}
		}
		if m.Index != NoReg {
			if idx, ok = num(m.Index, GPR); !ok || m.Index == RSP {
				return badAddress
			}
			hasIdx = true
		}
	}
	// Instructions without lengths need no REX.W.
	size := in.Len
	if info.Lens == 0 {
		size = 4
	}

	// The bytes are written in place; maxInst bytes are reserved.
	at := len(a.raw)
	p := (*[maxInst]byte)(a.raw[at : at+maxInst])
	i := 0
	// Prefixes come in this order: operand size, lock, repeat, REX.
	if size == 2 || e.pp == 1 {
		p[0] = 0x66
		i++
	}
	if e.lock {
		p[i] = 0xF0
		i++
	}
	if e.pp >= 2 {
		p[i] = 0xF5 - e.pp // F3, F2
		i++
	}
	w := uint32(0)
	switch {
	case e.wide == w1, e.wide == wLen && size == 8:
		w = 1
	}
	// The immediate may be shortened below, which also changes the opcode.
	imm := in.Imm
	immSize := info.Imm
	// A move has the largest choice of immediates; all other instructions sign-extend four
	// bytes.
	if e.shape == immMove {
		imm, immSize, w = moveImm(in.Imm, size)
		if immSize == 0 {
			return badImm
		}
		if w == 1 && immSize == 4 { // sign-extended
			// The sign-extended form has its register in ModRM.rm.
			op, rm, reg = 0xC7, reg, 0
			regAt, rmAt = fNone, fDst
		}
	} else if immSize == 4 {
		if immSize, imm = immediate(in.Imm, size); immSize == 0 {
			return badImm
		}
	}
	// REX.W, R, X and B: the operand size, and the high bits of reg, index, and base or rm.
	rex := w<<3 | reg>>3&1<<2
	if in.HasMem {
		rex |= idx >> 3 & 1 << 1
		rex |= base >> 3 & 1
	} else if e.shape != opReg && (e.shape != immMove || rmAt == fDst) {
		rex |= rm >> 3 & 1
	} else {
		rex = w<<3 | reg>>3&1
	}
	if byteReg(info, in, regAt, reg) || !in.HasMem && byteReg(info, in, rmAt, rm) {
		rex |= 0x40 // spl, bpl, sil, dil need a REX prefix
	}
	if rex != 0 {
		p[i] = byte(0x40 | rex)
		i++
	}
	// The lowest bit of the opcode distinguishes bytes from larger operands.
	if size == 1 && e.byteOp {
		op &^= 1
	}
	// Some immediates have a shorter form for the accumulator, eax.
	acc := !in.HasMem && rm == 0
	switch e.shape {
	case immALU:
		switch {
		// al has a form without ModRM.
		case size == 1 && acc:
			p[i], p[i+1] = e.digit<<3|4, byte(imm)
			a.raw = a.raw[:at+i+2]
			return ""
		// A byte immediate has no shorter form.
		case size == 1:
		case fitsInt8(imm):
			// A small immediate is sign-extended from one byte.
			op, immSize = 0x83, 1
		// eax and rax have a form without ModRM, too.
		case acc:
			p[i] = e.digit<<3 | 5
			i = putImm(p, i+1, imm, immSize)
			a.raw = a.raw[:at+i]
			return ""
		}
	case immTest:
		if acc {
			p[i] = 0xA8 | op&1
			i = putImm(p, i+1, imm, immSize)
			a.raw = a.raw[:at+i]
			return ""
		}
	case immMul:
		if fitsInt8(imm) {
			op, immSize = 0x6B, 1
		}
	case immShift:
		if imm == 1 {
			// A shift by 1 has an opcode of its own.
			op, immSize = 0xD1, 0
		}
	}
	// The escape bytes select the opcode map.
	switch e.mm {
	case map0F:
		p[i] = 0x0F
		i++
	case map0F38:
		p[i], p[i+1] = 0x0F, 0x38
		i += 2
	case map0F3A:
		p[i], p[i+1] = 0x0F, 0x3A
		i += 2
	}
	switch {
	// The register is part of the opcode.
	case e.shape == opReg, e.shape == immMove && rmAt != fDst:
		p[i&31] = op | byte(reg&7)
		i++
	case e.shape == bare:
		p[i&31] = op
		i++
	// The displacement to the label is filled in later; see patch.
	case e.shape == leaLabel:
		if !a.label(in.Label) {
			return badLabel
		}
		p[i&31], p[(i+1)&31] = op, byte(reg&7<<3|5)
		a.marks = append(a.marks, mark{kind: markLea, at: int32(at + i + 2), target: int32(in.Label)})
		i += 6
	case in.HasMem:
		p[i&31] = op
		var why string
		if i, why = a.memory(p, i+1, m, reg&7, base, idx, hasIdx, 0, immSize); why != "" {
			return why
		}
	default:
		p[i&31], p[(i+1)&31] = op, byte(0xC0|reg&7<<3|rm&7)
		i += 2
	}
	// The immediate comes last.
	i = putImm(p, i, imm, immSize)
	a.raw = a.raw[:at+i]
	return ""
}

// byteReg reports whether an operand is spl, bpl, sil or dil, which exist only with a REX
// prefix.
func byteReg(info *Info, in *Inst, field uint8, n uint32) bool {
	if n < 4 || n > 7 {
		return false
	}
	var s Size
	// The operand's size decides: only byte operands can be spl, bpl, sil or dil.
	switch field {
	case fDst:
		s = info.DstSize
	case fA:
		s = info.ASize
	case fB:
		s = info.BSize
	default:
		return false
	}
	return s.Of(in.Len) == 1
}

// immediate returns an immediate of up to four bytes as an instruction of a size holds it,
// sign-extended from there, and its length; length 0 if it does not fit.
func immediate(v int64, size uint8) (length uint8, imm int64) {
	switch {
	case size == 1 && fitsBytes(v, 1):
		return 1, int64(int8(v))
	case size == 2 && fitsBytes(v, 2):
		return 2, int64(int16(v))
	case size == 4 && fitsBytes(v, 4):
		return 4, int64(int32(v))
	case size == 8 && fitsInt32(v):
		return 4, v
	}
	return 0, 0
}

// moveImm returns the shortest form of an immediate for a move: 4 bytes that are
// zero-extended, 4 that are sign-extended (w is 1), or 8.
func moveImm(v int64, size uint8) (imm int64, length uint8, w uint32) {
	switch {
	case size == 4 && fitsBytes(v, 4), v == int64(uint32(v)):
		return v, 4, 0
	case size == 4:
		return 0, 0, 0
	// Four bytes with REX.W are sign-extended to eight.
	case fitsInt32(v):
		return v, 4, 1
	}
	// Only the move has an immediate of eight bytes.
	return v, 8, 1
}

// putImm writes an immediate of n bytes, and returns the index after it.
func putImm(p *[maxInst]byte, i int, v int64, n uint8) int {
	switch n {
	case 1:
		p[i&31] = byte(v)
	case 2:
		binary.LittleEndian.PutUint16(p[i&15:], uint16(v))
	case 4:
		binary.LittleEndian.PutUint32(p[i&15:], uint32(v))
	case 8:
		binary.LittleEndian.PutUint64(p[i&15:], uint64(v))
	}
	return i + int(n)
}
