package lir

import "example.org/crosslane/internal/jit/x64"

// Role is the use of a register by an instruction: bits, or-ed.
type Role uint8

// The roles.
const (
	Read Role = 1 << iota
	// Write: the register has a new value after the instruction.
	Write
	// Merge: only the lanes that a mask leaves unchanged are read, so the register may never
	// have been written.
	Merge
	// Fold: the operand may be in memory.
	Fold
)

// Operand is a register of an instruction, with its role.
type Operand struct {
	Reg  x64.Reg
	Role Role
}

// Operands lists the registers of one instruction, without those of a STATE: see Func.State. A
// register may be listed more than once.
// Reads of a register come before writes of other registers.
type Operands struct {
	N    int
	List [8]Operand
}

// add appends a register, unless it is absent.
func (o *Operands) add(r x64.Reg, role Role) {
	if r != x64.NoReg {
		o.List[o.N&7] = Operand{r, role}
		o.N++
	}
}

// Slice returns the operands that are in use.
func (o *Operands) Slice() []Operand { return o.List[:o.N] }

// parts holds the roles of an instruction's fields; 0: the field is no operand.
type parts struct {
	a, b, c, k, dst Role
	kind            uint16
}

// The bits of parts.kind.
const (
	isPseudo = 1 << iota
	mayIdiom // see Idiom
	merges   // under a mask, Dst is read
	special  // see Plain
	loose    // see movable
	acts     // it sets flags or writes memory
	sets     // flags
	reads    // flags
	cuts     // see Blocks.Cut
)

// partsOf holds the parts of each Op, without and with a memory operand, for the current
// rounding mode. It is computed once from x64.Info, so that the analyses of the list need one
// look-up per instruction.
var partsOf = func() (t [x64.Ops][2]parts) {
	for op := range t {
		for mem := range t[op] {
			t[op][mem] = partsAs(x64.Op(op), mem == 1)
		}
	}
	return t
}()

// partsAs computes the parts of an Op.
func partsAs(op x64.Op, mem bool) (p parts) {
	info := op.Info()
	p.kind = orderAs(op, info, mem)
	// These instructions begin or end blocks, or need special treatment there.
	if info.Jump || info.Ends || op == x64.LABEL || op == x64.ENTRY || op == x64.COLD || op == x64.HOT {
		p.kind |= cuts
	}
	if info.Pseudo {
		p.kind |= isPseudo | special
		return p
	}
	if info.Uses|info.Defs != 0 {
		p.kind |= special
	}
	if !mem && idiomatic(op) != noIdiom {
		p.kind |= mayIdiom | special
	}
	if !mem && moves(op) || Lowest(&x64.Inst{Op: op}) > 0 {
		p.kind |= special
	}
	// A field that memory replaces is no operand.
	if info.A != x64.NoClass && !(info.AMem && mem) {
		switch {
		case info.AWrite:
			p.a = Write
		case info.AMem:
			p.a = Read | Fold
		default:
			p.a = Read
		}
	}
	if info.B != x64.NoClass && !(info.BMem && mem) {
		switch {
		case info.BWrite:
			p.b = Read | Write
		case info.BMem:
			p.b = Read | Fold
		default:
			p.b = Read
		}
	}
	if info.C != x64.NoClass {
		p.c = Read
	}
	p.k = Read
	if info.KWrite {
		p.k = Read | Write
	}
	if info.Dst != x64.NoClass && !(info.DstMem && mem) {
		p.dst = DstRole(&x64.Inst{Op: op}, info)
		// Under a mask the destination may keep lanes.
		if DstRole(&x64.Inst{Op: op, K: x64.K0}, info) != p.dst {
			p.kind |= merges
		}
	}
	return p
}

// orderAs returns the bits of an Op that a Piecer needs.
func orderAs(op x64.Op, info *x64.Info, mem bool) (kind uint16) {
	if info.SetsFlags {
		kind |= sets
	}
	if info.ReadsFlags {
		kind |= reads
	}
	if info.SetsFlags || info.DstMem && mem {
		kind |= acts
	}
	if !info.Pseudo && !info.Jump && !info.Ends && info.Uses|info.Defs == 0 && !(mem && (info.BWrite || info.AWrite) && !info.VSIB) {
		kind |= loose
	}
	switch op {
	// Atomic operations and changes of the rounding mode keep their places.
	case x64.LOCKADDSt, x64.LOCKORSt, x64.LOCKANDSt, x64.LOCKSUBSt, x64.LOCKXORSt, x64.STMXCSR:
		kind &^= loose
	}
	return kind
}

// partsIn returns the parts of an instruction.
func partsIn(in *x64.Inst) *parts {
	op, mem := in.Op, 0
	if int(op) >= len(partsOf) {
		op = x64.NOP // as Info does
	}
	if in.HasMem {
		mem = 1
	}
	return &partsOf[op][mem]
}

// Plain reports whether in is an ordinary machine instruction: no Idiom, no move of a
// register, none for which Lowest is not 0, and none that uses registers without naming them.
func Plain(in *x64.Inst) bool { return partsIn(in).kind&special == 0 }

// Of sets o to the operands of in.
func (o *Operands) Of(in *x64.Inst) {
	p := partsIn(in)
	if p.kind&(isPseudo|mayIdiom) != 0 && o.few(in, p) {
		return
	}
	n := 0 // each element is written at List[n], and counts only if n grows
	if in.HasMem {
		o.List[0] = Operand{in.M.Base, Read}
		if in.M.Base != x64.NoReg {
			n = 1
		}
		o.List[n] = Operand{in.M.Index, Read}
		if in.M.Index != x64.NoReg {
			n++
		}
	}
	// An instruction with embedded rounding has no form with memory.
	can := ^Role(0)
	if in.RC != x64.Current {
		can = ^Fold
	}
	if in.A != x64.NoReg && p.a != 0 {
		o.List[n&7] = Operand{in.A, p.a & can}
		n++
	}
	if in.B != x64.NoReg && p.b != 0 {
		o.List[n&7] = Operand{in.B, p.b & can}
		n++
	}
	if in.C|in.K != x64.NoReg {
		if in.C != x64.NoReg && p.c != 0 {
			o.List[n&7] = Operand{in.C, p.c}
			n++
		}
		if in.K != x64.NoReg && p.k != 0 {
			o.List[n&7] = Operand{in.K, p.k}
			n++
		}
	}
	if in.Dst != x64.NoReg && p.dst != 0 {
		dst := p.dst
		if p.kind&merges != 0 && in.K != x64.NoReg && !in.Z {
			dst = Read | Write | Merge
		}
		o.List[n&7] = Operand{in.Dst, dst}
		n++
	}
	o.N = n
}

// few sets o to the operands of a pseudo-instruction or an Idiom, and reports whether in is
// one.
func (o *Operands) few(in *x64.Inst, p *parts) bool {
	o.N = 0
	switch {
	case p.kind&isPseudo == 0:
		if !Idiom(in) {
			return false
		}
		o.add(in.Dst, Write)
	case in.Op == x64.UNDEF:
		o.add(in.Dst, Write)
	}
	return true
}

// DstRole returns the role of Dst in an instruction that has a Dst and is no Idiom.
func DstRole(in *x64.Inst, info *x64.Info) Role {
	switch {
	case info.DstRead && info.Distinct: // gathers keep the lanes that are masked out
		return Read | Write | Merge
	case info.DstRead:
		return Read | Write
	case info.Dst == x64.Vec && in.K != x64.NoReg && !in.Z && info.Maskable && !info.Chooses:
		return Read | Write | Merge
	}
	return Write
}

// The kinds of instructions that may compute a constant from a register regardless of its
// value, by the operands that must be equal.
const (
	noIdiom = iota
	idiomDstB
	idiomAB
	idiomImm
)

// idiomatic returns the kind of an Op.
func idiomatic(op x64.Op) uint8 {
	switch op {
	case x64.XOR, x64.SUB:
		return idiomDstB
	case x64.VPXOR, x64.VPXORD, x64.VPXORQ, x64.VXORPS, x64.VXORPD, x64.VPCMPEQD, x64.VPCMPEQB, x64.VPSUBD,
		x64.KXORW, x64.KXORD, x64.KXORQ, x64.KXNORW, x64.KXNORD, x64.KXNORQ:
		return idiomAB
	case x64.VPTERNLOGD, x64.VPTERNLOGQ:
		return idiomImm
	}
	return noIdiom
}

// Idiom reports whether in computes a constant from a register regardless of its value, for
// example vpxord v, v, v.
func Idiom(in *x64.Inst) bool {
	if in.HasMem || in.K != x64.NoReg {
		return false
	}
	switch idiomatic(in.Op) {
	case idiomDstB:
		return in.Dst == in.B
	case idiomAB:
		return in.A == in.B && in.A != x64.NoReg
	case idiomImm:
		return uint8(in.Imm) == 0 || uint8(in.Imm) == 0xff
	}
	return false
}

// IsMove reports whether in copies a whole register to another one, without other effects.
func IsMove(in *x64.Inst) bool {
	return !in.HasMem && in.K == x64.NoReg && in.Dst != x64.NoReg && in.B != x64.NoReg && in.A == x64.NoReg && moves(in.Op)
}

// moves reports whether the Op is a move of a whole register.
func moves(op x64.Op) bool {
	switch op {
	case x64.MOV, x64.VMOVDQA, x64.VMOVDQU, x64.VMOVDQA32, x64.VMOVDQA64, x64.VMOVDQU32, x64.VMOVDQU64,
		x64.VMOVAPS, x64.VMOVUPS, x64.VMOVAPD, x64.VMOVUPD, x64.KMOVQ:
		return true
	}
	return false
}

// Aligned reports whether op faults if memory is not aligned to the size of the access.
func Aligned(op x64.Op) bool {
	switch op {
	case x64.VMOVDQA, x64.VMOVDQA32, x64.VMOVDQA64, x64.VMOVAPS, x64.VMOVAPD:
		return true
	}
	return false
}

// Lowest returns how many of the lowest bytes of a vector register an instruction copies to a
// general one. A load of as many bytes has the same effect; 0: the instruction is of another
// kind.
func Lowest(in *x64.Inst) uint8 {
	switch in.Op {
	case x64.VMOVDToGPR:
		return 4
	case x64.VMOVQToGPR:
		return 8
	}
	return 0
}

// ReadsSource reports whether an instruction reads register r in an operand that is not its
// destination.
func ReadsSource(in *x64.Inst, r x64.Reg) bool {
	return in.A == r || in.B == r || in.C == r || in.HasMem && (in.M.Base == r || in.M.Index == r)
}
