package x64

import (
	"encoding/binary"
	"math/bits"
)

// The messages for invalid instructions.
const (
	badOperand  = "an operand is missing, too many, or in a register of another class"
	badMemory   = "its operand cannot be in memory, or has to be"
	badAddress  = "no such address"
	badLen      = "no such length"
	badImm      = "the immediate does not fit"
	badMask     = "a mask that it cannot have, or needs"
	badRound    = "a rounding that it cannot have"
	badBcst     = "it cannot broadcast from memory"
	badLabel    = "no such label"
	needsEVEX   = "it has no EVEX encoding, which its operands need"
	needsREX    = "high byte registers have no encoding"
	sameOperand = "registers that have to differ do not"
)

// num returns the number of a machine register of a class, and whether it has the class.
func num(r Reg, c Class) (n uint32, ok bool) {
	switch c {
	case GPR:
		n = uint32(r - RAX)
		return n, n < 16
	case Vec:
		n = uint32(r - V0)
		return n, n < 32
	case Mask:
		n = uint32(r - K0)
		return n, n < 8
	}
	return 0, r == NoReg
}

// first and count give the first machine register of a class, and their number; NoClass has
// NoReg alone.
var (
	first = [4]Reg{NoClass: NoReg, GPR: RAX, Vec: V0, Mask: K0}
	count = [4]uint32{NoClass: 1, GPR: 16, Vec: 32, Mask: 8}
)

// anyNum is num for a class that is not a constant.
func anyNum(r Reg, c Class) (n uint32, ok bool) {
	n = uint32(r - first[c&3])
	return n, n < count[c&3]
}

// inst appends one instruction to raw, or a mark for it. It returns a message if the
// instruction is invalid, and "" otherwise.
func (a *Assembler) inst(in *Inst) string {
	// Pseudo-instructions have no bytes; see package lir.
	if in.Op <= lastPseudo {
		return a.pseudo(in)
	}
	if int(in.Op) >= len(table) {
		return "no such instruction"
	}
	// The table row decides everything that follows.
	info := &table[in.Op]
	e := &info.enc
	switch e.shape {
	case jump:
		return a.jump(in, e)
	case fixed:
		for i := range e.rawLen {
			a.raw = append(a.raw, byte(e.raw>>(8*i)))
		}
		return ""
	}
	if info.Lens != 0 && (in.Len&info.Lens == 0 || in.Len&(in.Len-1) != 0) {
		return badLen
	}

	// n holds the numbers of the operands, by field of Inst. The operand that is memory has
	// no number.
	var n [5]uint32
	var memAt uint8
	if in.HasMem {
		memAt = e.rm
		if !info.AMem && !info.BMem && !info.DstMem {
			return badMemory
		}
	} else if info.MemOnly {
		return badMemory
	}
	var ok bool
	// Each field must hold a register of its class, or be memory.
	if n[fDst], ok = anyNum(in.Dst, info.Dst); !ok && memAt != fDst {
		return badOperand
	}
	if n[fA], ok = anyNum(in.A, info.A); !ok && memAt != fA {
		return badOperand
	}
	if n[fB], ok = anyNum(in.B, info.B); !ok && memAt != fB {
		return badOperand
	}
	if info.C != NoClass || in.C != NoReg {
		if n[fC], ok = anyNum(in.C, info.C); !ok {
			return badOperand
		}
	}
	if in.HasMem {
		// The field that memory replaces must be empty.
		n[memAt] = 0
		if memAt == fDst && in.Dst != NoReg || memAt == fA && in.A != NoReg || memAt == fB && in.B != NoReg {
			return badOperand
		}
	}
	// Immediates may be given signed or unsigned.
	if info.Imm != 0 && !fitsBytes(in.Imm, info.Imm) {
		return badImm
	}
	if e.vex.ok || e.evex.ok {
		return a.vector(in, info, &n)
	}
	return a.legacy(in, info, &n)
}

// pseudo handles labels and alignment; the other pseudo-instructions have no bytes.
func (a *Assembler) pseudo(in *Inst) string {
	switch in.Op {
	case LABEL, ENTRY:
		if !a.label(in.Label) {
			return badLabel
		}
		// A label is bound once.
		if a.labels[in.Label] >= 0 {
			return "the label is already somewhere else"
		}
		a.labels[in.Label] = int32(len(a.raw))
		a.mark(mark{kind: markLabel, target: int32(in.Label)})
	case ALIGN:
		if in.Imm <= 0 || in.Imm > maxConst || in.Imm&(in.Imm-1) != 0 {
			return badImm
		}
		a.mark(mark{kind: markAlign, target: int32(in.Imm)})
	}
	return ""
}

// jump appends a mark for a jump or a call.
func (a *Assembler) jump(in *Inst, e *encoding) string {
	if !a.label(in.Label) {
		return badLabel
	}
	// Jumps are short at first; see relax.
	m := mark{target: int32(in.Label), kind: markJcc, size: 2, cc: e.op & 15}
	switch {
	case in.Op == JMP:
		m.kind = markJmp
	case in.Op == CALLLabel:
		// A call always has a displacement of four bytes.
		m.kind, m.size = markCall, 5
	}
	a.mark(m)
	return ""
}

// vector encodes an instruction with VEX or EVEX. VEX is preferred: it is shorter, and
// processors without AVX-512 support it. EVEX is used for masks, broadcasts, roundings, and
// registers from 16 on.
//
// The layouts, Intel SDM volume 2, 2.3.5 (VEX):
//
//	C5 | R' v' v' v' v' L p p
//	C4 | R' X' B' m m m m m | W v' v' v' v' L p p
//
// and 2.7.1 (EVEX):
//
//	62 | R' X' B' R'' 0 m m m | W v' v' v' v' 1 p p | z L L b V' a a a
//
// Letters with ' are inverted bits.
func (a *Assembler) vector(in *Inst, info *Info, n *[5]uint32) string {
	e := &info.enc
	reg, vvvv, rm := n[e.reg], n[e.vvvv], n[e.rm]
	// Some opcodes are extended by a digit in ModRM.reg.
	if e.reg == fNone {
		reg = uint32(e.digit)
	}
	// Broadcasts, masks, zeroing, roundings and the upper 16 registers exist only with EVEX.
	bcst := in.HasMem && in.M.Bcst
	special := in.K != NoReg || in.Z || bcst || in.RC != Current
	useEVEX := !e.vex.ok || special || (reg|vvvv|rm|n[e.is4])&16 != 0 ||
		in.HasMem && info.MemEVEX || in.Len&info.VEXLens == 0 && info.VEXLens != 0
	// The index is a vector for gathers and scatters, otherwise a general register except
	// rsp.
	idx, hasIdx := uint32(0), false
	if in.HasMem {
		if info.VSIB {
			var ok bool
			if idx, ok = num(in.M.Index, Vec); !ok {
				return badAddress
			}
			hasIdx = true
			if idx >= 16 {
				useEVEX = true
			}
			if info.Distinct && (in.M.Index == in.Dst || in.B == in.Dst || in.B == in.M.Index && in.B != NoReg) {
				return sameOperand
			}
		} else if in.M.Index != NoReg {
			var ok bool
			if idx, ok = num(in.M.Index, GPR); !ok || in.M.Index == RSP {
				return badAddress
			}
			hasIdx = true
		}
	}
	// The operands ask for EVEX, but the instruction has only a VEX encoding. The operands
	// ask for EVEX, but the instruction has only a VEX encoding.
	if useEVEX && !e.evex.ok {
		return needsEVEX
	}
	base := uint32(0)
	if in.HasMem && in.M.Base != NoReg {
		var ok bool
		if base, ok = num(in.M.Base, GPR); !ok {
			return badAddress
		}
	}
	op := e.op
	if !useEVEX && !in.HasMem && rm >= 8 && e.mm == map0F {
		// The two-byte prefix reaches only eight registers in ModRM.rm; if possible, operands
		// are exchanged.
		switch {
		// A move has a second opcode with the operands in the other fields.
		case e.alt != 0 && reg < 8:
			op, reg, rm = e.alt, rm, reg
		// Sources that commute change places; not for floats, where the order decides between
		// NaNs.
		case info.Commutes && !info.Round && vvvv < 8:
			vvvv, rm = rm, vvvv
		}
	}
	// The high bits of ModRM.reg, of the index, and of the base or ModRM.rm.
	var r, x, b uint32
	r = reg >> 3 & 1
	if in.HasMem {
		x, b = idx>>3&1, base>>3&1
	} else {
		b = rm >> 3 & 1
	}

	// The bytes are written in place; maxInst bytes are reserved.
	at := len(a.raw)
	p := (*[maxInst]byte)(a.raw[at : at+maxInst])
	i := 0
	scale := 0 // log2 of the unit of an 8-bit displacement
	if !useEVEX {
		// VEX: two bytes if only the R bit is needed, otherwise three.
		v := &e.vex
		// VEX.L is 1 for 32 bytes.
		l := uint32(0)
		if v.l == l1 || v.l == lLen && in.Len == 32 {
			l = 1
		}
		w := uint32(v.w)
		if v.w == wLen {
			w = uint32(in.Len >> 3)
		}
		last := (^vvvv&15)<<3 | l<<2 | uint32(v.pp)
		// The two-byte prefix has neither X, B nor W, and one opcode map.
		if x|b|w == 0 && e.mm == map0F {
			p[0], p[1] = 0xC5, byte((r^1)<<7|last)
			i = 2
		} else {
			p[0], p[1], p[2] = 0xC4, byte((r^1)<<7|(x^1)<<6|(b^1)<<5|uint32(e.mm)), byte(w<<7|last)
			i = 3
		}
	} else {
		// EVEX: four bytes, with the mask, the rounding or broadcast bit, and the upper
		// register bits.
		v := &e.evex
		// k is the mask register, ll the length, z zeroing, and bit the broadcast or rounding
		// bit.
		var k, ll, z, bit uint32
		if in.K != NoReg {
			var ok bool
			if k, ok = num(in.K, Mask); !ok || k == 0 || !info.Maskable {
				return badMask
			}
			if in.Z {
				if !info.Zeroing {
					return badMask
				}
				z = 1
			}
		} else if in.Z || info.MaskNeeded {
			return badMask
		}
		if v.l == lLen {
			// EVEX.L'L is 0, 1 or 2 for 16, 32 or 64 bytes.
			ll = uint32(in.Len >> 5)
		}
		size := in.Len
		switch {
		// Embedded rounding: ll holds the rounding mode.
		case in.RC != Current:
			// A rounding takes the place of the length, which is 64 bytes then.
			if !info.Round || in.HasMem || (in.RC == SAE) != info.SAE || in.RC > SAE || v.l == lLen && in.Len != 64 || e.round8 && in.Len != 8 {
				return badRound
			}
			bit, ll = 1, uint32(in.RC-Nearest)
			if info.SAE {
				ll = 0
			}
		case bcst:
			if info.Bcst == 0 {
				return badBcst
			}
			bit, size = 1, info.Bcst
		default:
			size = e.unit
			if size == 0 {
				size = uint8(info.MemSize.Of(in.Len))
			}
		}
		// An 8-bit displacement counts elements of a broadcast, or else units of the whole
		// operand.
		scale = bits.TrailingZeros8(size)
		w := uint32(v.w)
		if v.w == wLen {
			w = uint32(in.Len >> 3)
		}
		// The fifth bits of the register numbers; X serves as that of ModRM.rm.
		r2, v2 := reg>>4&1, vvvv>>4&1
		if in.HasMem {
			if info.VSIB {
				v2 = idx >> 4 & 1
			}
		} else {
			x = rm >> 4 & 1
		}
		p[0] = 0x62
		p[1] = byte((r^1)<<7 | (x^1)<<6 | (b^1)<<5 | (r2^1)<<4 | uint32(e.mm))
		p[2] = byte(w<<7 | (^vvvv&15)<<3 | 4 | uint32(v.pp))
		p[3] = byte(z<<7 | ll<<5 | bit<<4 | (v2^1)<<3 | k)
		i = 4
	}
	// The opcode follows the prefix; then ModRM, the address and the immediate.
	p[i] = op
	i++
	// An immediate, or a register in the place of one, follows the address.
	tail := uint8(0)
	if info.Imm != 0 || e.is4 != fNone {
		tail = 1
	}
	if in.HasMem {
		var why string
		if i, why = a.memory(p, i, &in.M, reg&7, base, idx, hasIdx, scale, tail); why != "" {
			return why
		}
	} else {
		p[i&31] = byte(0xC0 | (reg&7)<<3 | rm&7)
		i++
	}
	switch {
	// The fourth register is in the upper half of the last byte.
	case e.is4 != fNone:
		p[i&31] = byte(n[e.is4] << 4)
		i++
	case info.Imm != 0:
		p[i&31] = byte(in.Imm)
		i++
	}
	a.raw = a.raw[:at+i]
	return ""
}

// memory encodes an address: ModRM, SIB and displacement (Intel SDM volume 2, 2.1.5). An
// 8-bit displacement counts units of 1<<scale bytes (2.7.5, disp8*N). tail is the number of
// bytes after the displacement.
func (a *Assembler) memory(p *[maxInst]byte, i int, m *Mem, reg, base, idx uint32, hasIdx bool, scale int, tail uint8) (int, string) {
	reg <<= 3
	if m.Pool != 0 {
		if m.Base != NoReg || hasIdx || m.Pool < 0 || int(m.Pool) > len(a.poolAt) {
			return 0, badAddress
		}
		// ModRM with mod 0 and rm 5 is an address relative to the instruction pointer; patch
		// fills it in.
		p[i&31] = byte(reg | 5)
		a.poolAt[m.Pool-1] = 0
		a.marks = append(a.marks, mark{kind: markPool, at: int32(len(a.raw) + i + 1), target: m.Pool - 1, disp: m.Disp, tail: tail})
		return i + 5, ""
	}
	var ss uint32
	// Scale 0 counts as 1: an address without an index needs no scale.
	switch m.Scale {
	case 0, 1:
	case 2, 4, 8:
		ss = uint32(bits.TrailingZeros8(m.Scale)) << 6
	default:
		return 0, badAddress
	}
	if m.Base == NoReg { // disp32, with or without an index
		p[i&31] = byte(reg | 4)
		if hasIdx {
			p[(i+1)&31] = byte(ss | (idx&7)<<3 | 5)
		} else {
			p[(i+1)&31] = 0x25
		}
		binary.LittleEndian.PutUint32(p[(i+2)&15:], uint32(m.Disp))
		return i + 6, ""
	}
	// mod encodes the length of the displacement: 0, 1 or 4 bytes.
	mod := uint32(0x80)
	// The 8-bit displacement is used if the displacement is a multiple of the unit and fits.
	small := m.Disp >> scale
	switch {
	case m.Disp == 0 && base&7 != 5: // rbp and r13 have no form without displacement
		mod = 0
	case small<<scale == m.Disp && small == int32(int8(small)):
		mod = 0x40
	}
	if hasIdx || base&7 == 4 { // rsp and r12 exist only in SIB
		p[i&31] = byte(mod | reg | 4)
		if hasIdx {
			p[(i+1)&31] = byte(ss | (idx&7)<<3 | base&7)
		} else {
			p[(i+1)&31] = byte(4<<3 | base&7)
		}
		i += 2
	} else {
		p[i&31] = byte(mod | reg | base&7)
		i++
	}
	switch mod {
	case 0x40:
		p[i&31] = byte(small)
		i++
	case 0x80:
		binary.LittleEndian.PutUint32(p[i&15:], uint32(m.Disp))
		i += 4
	}
	return i, ""
}
