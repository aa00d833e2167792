package lir

import "example.org/crosslane/internal/jit/x64"

// New returns a new virtual register.
func (fn *Func) New(v VReg) x64.Reg {
	fn.VRegs = append(fn.VRegs, v)
	return x64.Virtual + x64.Reg(len(fn.VRegs)-1)
}

// named returns a new virtual register, with a name unless that is "".
func (fn *Func) named(v VReg, name string) x64.Reg {
	r := fn.New(v)
	if name != "" {
		if fn.Names == nil {
			fn.Names = map[x64.Reg]string{}
		}
		fn.Names[r] = name
	}
	return r
}

// Vec returns a new vector register of length bytes.
func (fn *Func) Vec(length uint8, name string) x64.Reg {
	return fn.named(VReg{Class: x64.Vec, Len: length}, name)
}

// GPR returns a new general register of length bytes.
func (fn *Func) GPR(length uint8, name string) x64.Reg {
	return fn.named(VReg{Class: x64.GPR, Len: length}, name)
}

// Mask returns a new mask register.
func (fn *Func) Mask(name string) x64.Reg {
	return fn.named(VReg{Class: x64.Mask, Len: 8}, name)
}

// Class returns the class of a register, virtual or not.
func (fn *Func) Class(r x64.Reg) x64.Class {
	if r >= x64.Virtual {
		return fn.VRegs[r-x64.Virtual].Class
	}
	return x64.ClassOf(r)
}

// NewLabel returns a label that is not bound yet.
func (fn *Func) NewLabel() x64.Label {
	fn.Labels++
	return x64.Label(fn.Labels)
}

// Emit appends an instruction.
func (fn *Func) Emit(in x64.Inst) { fn.Code = append(fn.Code, in) }

// Bind binds a label to the present end of the list.
func (fn *Func) Bind(l x64.Label) { fn.Emit(x64.Inst{Op: x64.LABEL, Label: l}) }

// Jump emits a jump to a label.
func (fn *Func) Jump(op x64.Op, l x64.Label) { fn.Emit(x64.Inst{Op: op, Label: l}) }

// Op emits dst = op(a, b) on vectors or general registers of length bytes. a is 0 if op has
// one source, or if the old value of dst is the other source.
func (fn *Func) Op(op x64.Op, length uint8, dst, a, b x64.Reg) {
	fn.Emit(x64.Inst{Op: op, Len: length, Dst: dst, A: a, B: b})
}

// Load emits an instruction with memory as its last source.
func (fn *Func) Load(op x64.Op, length uint8, dst, a x64.Reg, m x64.Mem) {
	fn.Emit(x64.Inst{Op: op, Len: length, Dst: dst, A: a, HasMem: true, M: m})
}

// Store emits an instruction that writes memory.
func (fn *Func) Store(op x64.Op, length uint8, m x64.Mem, b x64.Reg) {
	fn.Emit(x64.Inst{Op: op, Len: length, B: b, HasMem: true, M: m})
}

// Weigh sets the weight of the code from here on: it runs factor times as often as the start.
func (fn *Func) Weigh(factor float32) {
	fn.Weights = append(fn.Weights, Weight{int32(len(fn.Code)), factor})
}

// Number returns the place in the pool, counted from 1, of a constant of eight bytes that is used
// from memory. Each one is in the pool once.
func (fn *Func) Number(bits uint64) int32 {
	if i, ok := fn.numbers[bits]; ok {
		return i
	}
	if fn.numbers == nil {
		fn.numbers = map[uint64]int32{}
	}
	fn.Pool = append(fn.Pool, Const{Bits: bits, Size: 8, Len: 8})
	fn.numbers[bits] = int32(len(fn.Pool))
	return int32(len(fn.Pool))
}

// Cleared returns *s with n elements that are all zero, and reallocates it if its capacity is
// too small.
func Cleared[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n+min(n/4, 1<<14))
	}
	c := (*s)[:n]
	clear(c)
	return c
}
