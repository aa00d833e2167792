package lir

import "example.org/crosslane/internal/jit/x64"

// Role is what an instruction does with a register, or-ed.
type Role uint8

// The roles.
const (
	Read Role = 1 << iota
	// Write: the register has a new value behind the instruction.
	Write
	// Merge: the read is only of the lanes that a mask leaves as they are, so that the
	// register may hold nothing yet.
	Merge
	// Fold: the read may be of memory instead.
	Fold
)

// Operand is a register of an instruction, with its role.
type Operand struct {
	Reg  x64.Reg
	Role Role
}

// Operands are the registers of one instruction. A register may stand there more than
// once; reads come before the writes of others.
type Operands struct {
	N    int
	List [8]Operand
}

func (o *Operands) add(r x64.Reg, role Role) {
	if r != x64.NoReg {
		o.List[o.N&7] = Operand{r, role}
		o.N++
	}
}

// Slice is the operands that there are.
func (o *Operands) Slice() []Operand { return o.List[:o.N] }

// parts are the roles of the fields of an instruction; 0: the field is no operand.
type parts struct {
	a, b, c, k, dst Role
	kind            uint16
}

// Of parts.kind.
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

// partsOf are the parts by Op, without and with an operand in memory, and with the rounding
// that is current.
var partsOf = func() (t [x64.Ops][2]parts) {
	for op := range t {
		for mem := range t[op] {
			t[op][mem] = partsAs(x64.Op(op), mem == 1)
		}
	}
	return t
}()

func partsAs(op x64.Op, mem bool) (p parts) {
	info := op.Info()
	p.kind = orderAs(op, info, mem)
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
		if DstRole(&x64.Inst{Op: op, K: x64.K0}, info) != p.dst {
			p.kind |= merges
		}
	}
	return p
}

// orderAs is what a Piecer needs to know of an Op.
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
	case x64.LOCKADDSt, x64.LOCKORSt, x64.LOCKANDSt, x64.LOCKSUBSt, x64.LOCKXORSt, x64.STMXCSR:
		kind &^= loose
	}
	return kind
}

func partsIn(in *x64.Inst) *parts {
	op, mem := in.Op, 0
	if int(op) >= len(partsOf) {
		op = x64.NOP // as Info has it
	}
	if in.HasMem {
		mem = 1
	}
	return &partsOf[op][mem]
}

// Plain reports whether in is a machine instruction, and of a kind that is no Idiom, no move of
// a register, none that Lowest knows, and none that uses registers it does not name.
func Plain(in *x64.Inst) bool { return partsIn(in).kind&special == 0 }

// Of sets o to the operands of in.
func (o *Operands) Of(in *x64.Inst) {
	p := partsIn(in)
	if p.kind&(isPseudo|mayIdiom) != 0 && o.few(in, p) {
		return
	}
	n := 0 // what is stored at List[n] stays if n grows
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

// few sets o to the operands of a pseudo-instruction or an Idiom, and reports whether in is one.
func (o *Operands) few(in *x64.Inst, p *parts) bool {
	o.N = 0
	switch {
	case p.kind&isPseudo == 0:
		if !Idiom(in) {
			return false
		}
		o.add(in.Dst, Write)
	case in.Op == x64.KEEP:
		o.add(in.A, Read)
		o.add(in.B, Read)
		o.add(in.Dst, Write)
	}
	return true
}

// DstRole is the role of Dst in an instruction that has one and is no Idiom.
func DstRole(in *x64.Inst, info *x64.Info) Role {
	switch {
	case info.DstRead && info.Distinct: // gathers keep what is there of masked lanes
		return Read | Write | Merge
	case info.DstRead:
		return Read | Write
	case info.Dst == x64.Vec && in.K != x64.NoReg && !in.Z && info.Maskable && !info.Chooses:
		return Read | Write | Merge
	}
	return Write
}

// Kinds of instructions that may compute a constant from a register whose value does not
// matter, by what must be the same.
const (
	noIdiom = iota
	idiomDstB
	idiomAB
	idiomImm
)

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

// Idiom reports whether in computes a constant from a register whose value does not
// matter, such as vpxord v, v, v.
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

// IsMove reports whether in copies a whole register to another and does nothing else.
func IsMove(in *x64.Inst) bool {
	return !in.HasMem && in.K == x64.NoReg && in.Dst != x64.NoReg && in.B != x64.NoReg && in.A == x64.NoReg && moves(in.Op)
}

func moves(op x64.Op) bool {
	switch op {
	case x64.MOV, x64.VMOVDQA, x64.VMOVDQU, x64.VMOVDQA32, x64.VMOVDQA64, x64.VMOVDQU32, x64.VMOVDQU64,
		x64.VMOVAPS, x64.VMOVUPS, x64.VMOVAPD, x64.VMOVUPD, x64.KMOVQ:
		return true
	}
	return false
}

// Aligned reports whether op faults where memory is not aligned to its size.
func Aligned(op x64.Op) bool {
	switch op {
	case x64.VMOVDQA, x64.VMOVDQA32, x64.VMOVDQA64, x64.VMOVAPS, x64.VMOVAPD:
		return true
	}
	return false
}

// Lowest is how many bytes of a vector register an instruction copies to a general one: the
// lowest, which is what a load of as many would do; 0: it does something else.
func Lowest(in *x64.Inst) uint8 {
	switch in.Op {
	case x64.VMOVDToGPR:
		return 4
	case x64.VMOVQToGPR:
		return 8
	}
	return 0
}
