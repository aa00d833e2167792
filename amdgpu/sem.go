package amdgpu

import (
	"fmt"

	"example.org/crosslane/internal/ir"
)

// lifter appends the IR of one instruction at a time. The meanings in the table (Sem) are calls of
// the functions in the sem files. They read all sources through the lifter, compute, and write
// through it.
type lifter struct {
	t        *Target
	b        *ir.Builder
	opt      *LiftOptions
	in       *Inst
	off      int64   // offset of the instruction in the code
	next     int64   // offset of the instruction after it
	to       []int64 // targets of a computed branch or fork
	computed bool    // its target is known only at run time

	sgpr, vgpr uint32          // frame offsets of s0 and v0
	vgprs      int             // number of VGPRs
	armCount   int             // copies of instructions so far, see arms
	views      map[view]ir.Ref // registers that were named so far
	exec       ir.Ref          // EXEC as a lane vector of b1
	scc        ir.Ref          // SCC, a scalar of b1
	commonValues
	converts   bool // the current instruction converts with a format
	ldsLimited bool // M0 may bound DS addresses
	codeLabels
	done bool // the next instruction has been lifted already

	tracker Tracker // nil: no observation

	modeState
	mask ir.Ref // the lanes that the vector instruction updates: EXEC, or fewer with DPP
	why  string // the reason why the instruction cannot be executed, "" if it can
}

// commonValues are values that several instructions need. Each is made at the first use.
type commonValues struct {
	lane       ir.Ref // lane ids
	codeBase   ir.Ref // address of offset 0 of the code
	wave       ir.Ref // number of the wavefront in its workgroup
	waves      ir.Ref // number of wavefronts in the workgroup
	gdsBase    ir.Ref // address of the GDS
	firstBit   ir.Ref // the lowest lane of EXEC as 64 bits,
	firstMask  ir.Ref // and as a mask
	lanesIn    ir.Ref // lanes in the range of a buffer, as 64 bits,
	lanesMask  ir.Ref // and as a mask
	linear     ir.Ref // the lanes' offsets in a buffer
	linearKept ir.Ref // hidden storage for these offsets if they must be computed
}

// codeLabels are the code, and the places in it to which control may go.
type codeLabels struct {
	code     Code
	insts    []Decoded // the code
	prog     *Program  // the same
	labels   map[int64]ir.Label
	hub      []int64 // targets of computed branches, in order
	hubTable int     // the table of them by dword of the code, made at the first use
	hasTable bool
	fork     *forkRegs // made at the first use
}

// modeState is what the lifter knows about the MODE register.
type modeState struct {
	modes   map[int64]regState // if the code changes MODE
	mode    FloatMode          // mode before the instruction
	dyn     bool               // MODE is known only at run time
	flushes bool               // the operation flushes denormals, independent of MODE
	idx     IndexState         // GPR indexing before the instruction
	modeVal ir.Ref             // the MODE register, made at the first use
}

// view names a piece of the register files with a type.
type view struct {
	vgpr bool
	reg  uint16
	t    ir.Type // B32 or B64 for scalars of the SGPR file, B1 for masks in it; B32 for VGPRs
}

// unsupported notes the reason why the instruction has no meaning here.
func (x *lifter) unsupported(format string, args ...any) {
	if x.why == "" {
		x.why = fmt.Sprintf(format, args...)
	}
}

// sreg returns a scalar register, or an aligned pair of them as one value. The code determines the
// place: vcc is s[106:107], m0 s124, exec s[126:127].
func (x *lifter) sreg(r uint16, dwords int) ir.Ref {
	t := ir.B32
	if dwords == 2 {
		t = ir.B64
	}
	k := view{reg: r, t: t}
	if v, ok := x.views[k]; ok {
		return v
	}
	v := x.b.View(x.t.sgprName(r, dwords), t, true, x.sgpr+4*uint32(r))
	x.views[k] = v
	return v
}

// maskReg returns an aligned pair of scalar registers as a mask of 64 lanes.
func (x *lifter) maskReg(r uint16) ir.Ref {
	k := view{reg: r, t: ir.B1}
	if v, ok := x.views[k]; ok {
		return v
	}
	v := x.b.View(x.t.sgprName(r, 2)+".mask", ir.B1, false, x.sgpr+4*uint32(r))
	x.views[k] = v
	return v
}

// vreg returns a VGPR.
func (x *lifter) vreg(r uint16) ir.Ref {
	k := view{vgpr: true, reg: r, t: ir.B32}
	if v, ok := x.views[k]; ok {
		return v
	}
	v := x.b.View(regRange("v", int(r), 1), ir.B32, false, x.vgpr+x.t.RowBytes()*uint32(r))
	x.views[k] = v
	return v
}

// laneID returns a lane vector that holds 0 to 63.
func (x *lifter) laneID() ir.Ref {
	if x.lane == 0 {
		x.lane = x.b.Vector("", ir.B32)
		x.b.Input(ir.LaneID, x.lane, 0)
	}
	return x.lane
}

// irType returns the IR type for computations with an operand of type t.
func irType(t Type) ir.Type {
	switch {
	case t.Is16():
		return ir.B16
	case t.Dwords() == 2:
		return ir.B64
	}
	return ir.B32
}

// ssrc reads operand i as a scalar of 32 or 64 bits.
func (x *lifter) ssrc(i int) ir.Ref {
	o, t := &x.in.Ops[i], x.in.Row.Operands[i].Type
	n := t.Dwords()
	switch o.Kind {
	case KindSGPR:
		return x.sreg(o.Reg, n)
	case KindInline, KindLiteral:
		if n == 2 {
			return x.b.SConst(ir.B64, o.Bits(t))
		}
		return x.b.SConst(ir.B32, o.Bits(t))
	case KindImm:
		return x.b.SConst(ir.B32, uint64(o.Imm))
	case KindSpecial:
		return x.special(o.Reg, n)
	}
	x.unsupported("operand %d", i)
	return x.b.SConst(irType(t), 0)
}

// special reads one of the source bits, GCN3 ISA table 5.1: 251 to 253.
func (x *lifter) special(r uint16, n int) ir.Ref {
	bit := x.scc
	switch r {
	case RegSCC:
	case RegVCCZ:
		bit = x.b.S(ir.EqU64, x.sreg(RegVCC, 2), x.b.SConst(ir.B64, 0))
	case RegEXECZ:
		bit = x.b.S(ir.EqU64, x.sreg(RegEXEC, 2), x.b.SConst(ir.B64, 0))
	default:
		x.unsupported("%s as a source", specialName(r))
	}
	v := x.b.S(ir.B2U32, bit)
	if n == 2 {
		return x.b.S(ir.Pack64, v, x.b.SConst(ir.B32, 0))
	}
	return v
}

// sdst returns operand i as a scalar destination.
func (x *lifter) sdst(i int) ir.Ref {
	o := &x.in.Ops[i]
	if o.Kind != KindSGPR || o.Dwords > 2 {
		x.unsupported("destination operand %d", i)
		return x.b.STemp(ir.B32)
	}
	return x.sreg(o.Reg, int(o.Dwords))
}

// setSCC writes SCC from a scalar of b1.
func (x *lifter) setSCC(v ir.Ref) { x.b.To(x.scc, ir.MovB1, v) }

// setNonZero writes SCC = (v != 0).
func (x *lifter) setNonZero(v ir.Ref, t ir.Type) {
	op := ir.NeU32
	if t == ir.B64 {
		op = ir.NeU64
	}
	x.b.To(x.scc, op, v, x.b.SConst(t, 0))
}

// sources returns the indexes of the operands that are read, in the order of the operation's
// arguments.
func (x *lifter) sources() []int {
	var l []int
	for i := range x.in.Row.Operands {
		if s := &x.in.Row.Operands[i]; !s.Dst {
			l = append(l, i)
		}
	}
	if x.in.Row.Flags.Has(FlagReversed) && len(l) >= 2 {
		l[0], l[1] = l[1], l[0]
	}
	return l
}
