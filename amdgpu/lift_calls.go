package amdgpu

import (
	"example.org/crosslane/internal/ir"
)

// This file lifts computed branches. The target of s_swappc_b64 is mostly an address that the code
// has just computed from s_getpc_b64 and a constant: it is found by following constants through the
// straight line before the call. s_setpc_b64 returns to the address that a call has left. Both may
// also go to functions whose addresses are computed or in memory; then the target is one of a table
// of places. Any other address is a fault.

// known is a dword with a known value, as a number or relative to the code's address.
type known struct {
	v   uint32
	rel bool
}

// folder follows scalar constants through straight-line code. Registers are numbered by scalar
// code; SCC is RegSCC.
//
// Input: the instructions of a straight line, in order.
// Output: the constants in scalar registers after each instruction.
// Invariant: a register in regs holds its value on every execution of the line.
// Example: after s_getpc_b64 s[4:5] at offset 0 and s_add_u32 s4, s4, 64, the register s4 holds the
// low half of the code's address plus 68.
// Literature: constant propagation by executing the lifted IR on the known operands.
type folder struct {
	regs  map[uint16]known
	taken map[int64]bool // code addresses that pairs of registers have held
}

func newFolder(taken map[int64]bool) *folder { return &folder{map[uint16]known{}, taken} }

// next applies the effects of one instruction on scalar registers.
func (f *folder) next(d *Decoded) {
	in := &d.In
	var out map[uint16]known
	if in.Row.Sem != nil && in.Row.Unit == UnitSALU {
		out = f.run(liftAt(in, d.Next))
	}
	if in.Row.Flags.Has(FlagIndirect) && in.Row.Unit == UnitSALU {
		clear(f.regs) // it may write any register
	}
	for _, w := range in.Writes() {
		for i := range w.N {
			delete(f.regs, w.Lo+i)
		}
	}
	if in.Row.Writes&SCC != 0 {
		delete(f.regs, RegSCC)
	}
	for r, k := range out {
		f.regs[r] = k
	}
	// An address is complete once its upper half is written.
	for r, k := range out {
		if lo := f.regs[r&^1]; r&1 != 0 && k.rel && lo.rel && in.Row.Reads&PC == 0 {
			f.taken[int64(uint64(lo.v)|uint64(k.v)<<32)] = true
		}
	}
}

// value64 is a value of up to 64 bits.
type value64 struct {
	v       uint64
	rel, ok bool
}

// run executes scalar operations on the known values. It returns the written registers that are
// known afterwards.
func (f *folder) run(x *lifter) map[uint16]known {
	fn, s0 := x.b.Func(), x.sgpr
	out := map[uint16]known{}
	temps := map[ir.Ref]value64{}
	reg := func(v *ir.Value) uint16 { return uint16((v.Off - s0) / 4) }
	get := func(r ir.Ref) value64 {
		v := fn.Val(r)
		switch {
		case v.Kind == ir.Const:
			return value64{v: v.Const, ok: true}
		case v.Kind == ir.Temp:
			return temps[r]
		case v.Name == "scc":
			k, ok := f.regs[RegSCC]
			return value64{uint64(k.v), k.rel, ok}
		case r == x.codeBase: // the address of the code
			return value64{rel: true, ok: true}
		case v.Off < s0 || v.Off >= s0+scalarCodes*4: // MODE and similar registers
			return value64{}
		}
		lo, ok := f.regs[reg(v)]
		res := value64{uint64(lo.v), lo.rel, ok}
		if v.Type == ir.B64 {
			hi, okHi := f.regs[reg(v)+1]
			res = value64{res.v | uint64(hi.v)<<32, lo.rel, ok && okHi && lo.rel == hi.rel}
		}
		return res
	}
	for i := range fn.Code {
		in := &fn.Code[i]
		if !in.Op.Pure() || !in.Scalar {
			return nil
		}
		info := &ir.Ops[in.Op]
		res := value64{ok: true}
		var args [4]uint64
		for j := range info.Args {
			a := get(in.Args[j])
			res.ok, res.rel = res.ok && a.ok, res.rel || a.rel
			args[j] = a.v
		}
		if res.ok {
			res.v = ir.Evaluator(in.Op)(args)
		}
		d := fn.Val(in.Dst)
		switch {
		case d.Kind == ir.Temp:
			temps[in.Dst] = res
		case !res.ok:
		case d.Name != "scc" && (d.Off < s0 || d.Off >= s0+scalarCodes*4):
		case d.Name == "scc":
			out[RegSCC] = known{uint32(res.v), res.rel}
		default:
			r := reg(d)
			out[r] = known{uint32(res.v), res.rel}
			if d.Type == ir.B64 {
				out[r+1] = known{uint32(res.v >> 32), res.rel}
			}
			// Later operations of the instruction see the new value.
			f.regs[r] = out[r]
			if d.Type == ir.B64 {
				f.regs[r+1] = out[r+1]
			}
		}
	}
	return out
}

// target returns the offset in the code that a pair of registers points to.
func (f *folder) target(o *Operand) (int64, bool) {
	if o.Kind != KindSGPR || o.Dwords != 2 {
		return 0, false
	}
	lo, ok := f.regs[o.Reg]
	hi, okHi := f.regs[o.Reg+1]
	return int64(uint64(lo.v) | uint64(hi.v)<<32), ok && okHi && lo.rel && hi.rel
}

// IsCall reports s_swappc_b64: a jump to a register that leaves the address of the next
// instruction.
func IsCall(in *Inst) bool {
	return in.Row.Format == SOP1 && in.Row.Unit == UnitBranch && in.Row.Reads&PC != 0 && len(in.Row.Operands) == 2
}

// IsReturn reports s_setpc_b64: a jump that leaves no address.
func IsReturn(in *Inst) bool {
	return in.Row.Format == SOP1 && in.Row.Unit == UnitBranch && in.Row.Reads == 0 && in.Row.Writes == PC && in.Row.Sem != nil
}

// isFork reports s_cbranch_g_fork and s_cbranch_i_fork, isJoin s_cbranch_join.
func isFork(in *Inst) bool {
	return in.Row.Unit == UnitBranch && in.Row.Writes&EXEC != 0 && in.Row.Flags.Has(FlagBranch)
}

func isJoin(in *Inst) bool {
	return in.Row.Unit == UnitBranch && in.Row.Writes&EXEC != 0 && !in.Row.Flags.Has(FlagBranch)
}

// call lifts s_swappc_b64: D = address of the next instruction; the target is S0.
func call(x *lifter) {
	if x.computed {
		to := x.b.S(ir.Mov64, x.ssrc(1)) // D may be the same registers
		getPC(x)
		x.goTo(to)
		return
	}
	getPC(x)
	x.b.SBra(x.label(x.to[0]), 0, false)
}

// jump lifts s_setpc_b64: the target is S0.
func jump(x *lifter) {
	if x.computed {
		x.goTo(x.ssrc(0))
		return
	}
	x.b.SBra(x.label(x.to[0]), 0, false)
}

// goTo branches to a computed address.
func (x *lifter) goTo(address ir.Ref) {
	if len(x.hub) == 0 {
		x.unsupported("the address that it goes to is not known: it is neither that of a function nor one that a call left")
		return
	}
	if !x.hasTable {
		targets := make([]ir.Label, x.hub[len(x.hub)-1]/4+1)
		for i := range targets {
			targets[i] = ir.NoTarget
		}
		for _, off := range x.hub {
			targets[off/4] = x.label(off)
		}
		x.hubTable, x.hasTable = x.b.NewTable(targets...), true
	}
	index := x.b.S(ir.CodeIndex, address, x.codeAddress())
	x.b.Guard(0, false)
	x.b.BraTable(x.hubTable, x.b.Splat(index), x.b.Splat(address))
}

// forkRegs are the lifter's own registers that live across the branches of a fork.
type forkRegs struct{ mask, exec, pc, failFirst ir.Ref }

func (x *lifter) forkRegs() *forkRegs {
	if x.fork == nil {
		x.fork = &forkRegs{x.b.Scalar("", ir.B64), x.b.Scalar("", ir.B64), x.b.Scalar("", ir.B64), x.b.Scalar("", ir.B1)}
	}
	return x.fork
}

// MODE[31:29] is CSP, the pointer of the stack of branches. The stack is in s0 to s31 (GCN3 ISA,
// branching by forks): entry n is the mask in s[4n:4n+1] and the address in s[4n+2:4n+3].
const (
	cspBit  = 29
	cspSize = 3
)

func (x *lifter) csp() ir.Ref {
	return x.b.S(ir.BfeU32, x.modeReg(), x.b.SConst(ir.B32, cspBit), x.b.SConst(ir.B32, cspSize))
}

// moveCSP adds n to CSP.
func (x *lifter) moveCSP(n uint32) {
	v := x.b.S(ir.Add32, x.csp(), x.b.SConst(ir.B32, uint64(n)))
	x.b.To(x.modeReg(), ir.Bfi32, v, x.modeReg(), x.b.SConst(ir.B32, cspBit), x.b.SConst(ir.B32, cspSize))
}

// forkBranch is s_cbranch_g_fork and s_cbranch_i_fork:
//
//	pass = S0 & EXEC; fail = ~S0 & EXEC
//	if      (pass == EXEC) PC = target
//	else if (fail == EXEC) PC = next
//	else if (bitcount(fail) < bitcount(pass))
//	     EXEC = fail; SGPR[CSP*4] = {target, pass}; CSP++; PC = next
//	else EXEC = pass; SGPR[CSP*4] = {next, fail};   CSP++; PC = target
func forkBranch(x *lifter) {
	f, exec := x.forkRegs(), x.sreg(RegEXEC, 2)
	pc := func(off int64) ir.Ref { return x.b.S(ir.Add64, x.codeAddress(), x.b.SConst(ir.B64, uint64(off))) }
	static := x.in.Row.Format == SOPK
	target := func() ir.Ref {
		if static {
			return pc(branchTarget(x.in, x.next))
		}
		return x.ssrc(1)
	}
	goTarget := func() {
		if static || !x.computed {
			x.b.SBra(x.label(x.to[0]), 0, false)
			return
		}
		x.goTo(f.pc)
	}
	fail := func() ir.Ref { return x.b.S(ir.AndN64, exec, x.ssrc(0)) }
	pass := func() ir.Ref { return x.b.S(ir.And64, exec, x.ssrc(0)) }
	all := x.b.NewLabel()
	x.b.Move(f.pc, target())
	x.b.SBra(all, x.b.S(ir.EqU64, pass(), exec), false)
	x.b.Resume()
	x.b.SBra(x.label(x.next), x.b.S(ir.EqU64, fail(), exec), false)
	x.b.Resume()
	p, q := pass(), fail()
	first := x.b.S(ir.LtU32, x.b.S(ir.Popc64, q), x.b.S(ir.Popc64, p))
	x.b.Move(f.failFirst, first)
	x.b.To(f.mask, ir.Sel64, first, p, q)
	x.b.To(f.exec, ir.Sel64, first, q, p)
	x.arms(x.csp(), 8, 1, 0, func(i int) {
		x.b.Move(x.sreg(uint16(4*i), 2), f.mask)
		x.b.To(x.sreg(uint16(4*i+2), 2), ir.Sel64, f.failFirst, f.pc, pc(x.next))
	})
	x.moveCSP(1)
	x.b.Move(exec, f.exec)
	x.b.SBra(x.label(x.next), f.failFirst, false)
	x.b.Bind(all)
	x.b.Resume()
	goTarget()
}

// join lifts s_cbranch_join. If CSP is S0, control continues; otherwise it goes to the branch that
// waits on the stack.
//
//	if (CSP == S0) PC = next
//	else CSP--; EXEC = SGPR[CSP*4]; PC = SGPR[CSP*4 + 2]
func join(x *lifter) {
	f := x.forkRegs()
	x.b.SBra(x.label(x.next), x.b.S(ir.EqU32, x.csp(), x.ssrc(0)), false)
	x.b.Resume()
	x.moveCSP(^uint32(0))
	x.arms(x.csp(), 8, 1, 0, func(i int) {
		x.b.Move(f.pc, x.sreg(uint16(4*i+2), 2))
		x.b.Move(x.sreg(RegEXEC, 2), x.sreg(uint16(4*i), 2))
	})
	x.goTo(f.pc)
}
