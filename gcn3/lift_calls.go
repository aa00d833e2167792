package gcn3

import (
	"reflect"
	"slices"

	"crosslane/internal/ir"
)

// Calls. s_swappc_b64 goes to an address that code has just computed from
// s_getpc_b64 and a constant; s_setpc_b64 goes back to the address that a call has
// left. The IR has no computed branches, and needs none: the target of a call is
// found by following constants through the straight line before it, and a return
// compares its address with those of all instructions after calls. Function
// pointers, which are neither, are not supported.

// known is a dword whose value is known, as a number or relative to the code's
// address.
type known struct {
	v   uint32
	rel bool
}

// folder follows scalar constants through straight-line code. Registers are
// numbered by scalar code; SCC is RegSCC.
type folder struct{ regs map[uint16]known }

func newFolder() *folder { return &folder{regs: map[uint16]known{}} }

// next takes over what one instruction does to scalar registers.
func (f *folder) next(d *decoded) {
	in := &d.in
	var out map[uint16]known
	if in.Row.Sem != nil && in.Row.Unit == UnitSALU {
		out = f.run(liftAt(in, d.next))
	}
	if in.Row.Flags.Has(FlagIndirect) && in.Row.Unit == UnitSALU {
		clear(f.regs) // it may write any register
	}
	for _, w := range in.writes() {
		for i := range w.n {
			delete(f.regs, w.lo+i)
		}
	}
	if in.Row.Writes&SCC != 0 {
		delete(f.regs, RegSCC)
	}
	for r, k := range out {
		f.regs[r] = k
	}
}

// value64 is what a value of up to 64 bits holds.
type value64 struct {
	v       uint64
	rel, ok bool
}

// run executes scalar operations on what is known and returns the registers that
// are known afterwards among those that they write.
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
		case v.Off < s0 || v.Off >= s0+128*4: // MODE and its kin
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
		args := make([]reflect.Value, len(info.Args))
		t := reflect.TypeOf(info.Fn)
		for j := range args {
			a := get(in.Args[j])
			res.ok, res.rel = res.ok && a.ok, res.rel || a.rel
			args[j] = argument(t.In(j), a.v)
		}
		if res.ok {
			res.v = resultBits(reflect.ValueOf(info.Fn).Call(args)[0])
		}
		d := fn.Val(in.Dst)
		switch {
		case d.Kind == ir.Temp:
			temps[in.Dst] = res
		case !res.ok:
		case d.Name != "scc" && (d.Off < s0 || d.Off >= s0+128*4):
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

// argument makes a Go value of a function's parameter type from bits.
func argument(t reflect.Type, bits uint64) reflect.Value {
	v := reflect.New(t).Elem()
	switch t.Kind() {
	case reflect.Bool:
		v.SetBool(bits&1 != 0)
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(bits << (64 - t.Bits()) >> (64 - t.Bits()))
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(bits<<(64-t.Bits())) >> (64 - t.Bits()))
	}
	return v // no scalar operation takes floats
}

// resultBits is the inverse of argument.
func resultBits(v reflect.Value) uint64 {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return 1
		}
		return 0
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return uint64(v.Int()) << (64 - v.Type().Bits()) >> (64 - v.Type().Bits())
	}
	return v.Uint()
}

// target is the offset in the code that a pair of registers points to.
func (f *folder) target(o *Operand) (int64, bool) {
	if o.Kind != KindSGPR || o.Dwords != 2 {
		return 0, false
	}
	lo, ok := f.regs[o.Reg]
	hi, okHi := f.regs[o.Reg+1]
	return int64(uint64(lo.v) | uint64(hi.v)<<32), ok && okHi && lo.rel && hi.rel
}

// isCall reports s_swappc_b64, isReturn s_setpc_b64: a jump to a register that
// leaves, or does not leave, the address of the next instruction.
func isCall(in *Inst) bool {
	return in.Row.Format == SOP1 && in.Row.Unit == UnitBranch && in.Row.Reads&PC != 0 && len(in.Row.Operands) == 2
}

func isReturn(in *Inst) bool {
	return in.Row.Format == SOP1 && in.Row.Unit == UnitBranch && in.Row.Reads == 0 && in.Row.Writes == PC && in.Row.Sem != nil
}

// maxReturns bounds the comparisons of all returns together: returns times calls.
const maxReturns = 1 << 16

// link gives every return the instructions after calls as its targets; none, if
// there are too many of both.
func link(insts []decoded) {
	var after []int64
	for i := range insts {
		if isCall(&insts[i].in) && insts[i].to != nil {
			after = append(after, insts[i].next)
		}
	}
	returns := 0
	for i := range insts {
		if isReturn(&insts[i].in) {
			returns++
		}
	}
	if returns*len(after) > maxReturns {
		return
	}
	for i := range insts {
		if isReturn(&insts[i].in) && insts[i].to == nil {
			insts[i].to = slices.Clone(after)
		}
	}
}

// call is s_swappc_b64: D = address of the next instruction; goes to S0.
func call(x *lifter) {
	if len(x.to) != 1 {
		x.unsupported("the address that it calls is not a constant")
		return
	}
	getPC(x)
	x.b.SBra(x.label(x.to[0]), 0, false)
}

// jump is s_setpc_b64: goes to S0, an instruction after a call.
func jump(x *lifter) {
	if len(x.to) == 0 {
		x.unsupported("the address that it goes to is not known, or there are too many calls")
		return
	}
	for _, to := range x.to {
		// Each comparison is in a block of its own, where temporaries begin anew.
		at := x.b.S(ir.Add64, x.codeAddress(), x.b.SConst(ir.B64, uint64(to)))
		x.b.SBra(x.label(to), x.b.S(ir.EqU64, x.ssrc(0), at), false)
	}
	x.b.Emit(ir.Inst{Op: ir.Trap, Scalar: true})
}
