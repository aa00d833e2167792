package sel

import (
	"slices"

	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// This file has the building blocks of all rules: instructions, virtual registers, constants,
// labels and exits.
//
// Input: the length g.len of the vectors in hand, and operands.
// Output: instructions at the end of the list g.fn.Code, on virtual registers.
// Invariant: a helper with a result never writes to its operands; the result is a new register, or one
// with a constant. Helpers without a result (move, load, r2, ri, rm) write to the register d.
// Example: g.v2(x64.VPADDD, a, b) appends `vpaddd v9, a, b` and returns v9.

// emit appends an instruction to the list. It is not inlined, because it has very many callers.
//
//go:noinline
func (g *emitter) emit(in x64.Inst) { g.fn.Code = append(g.fn.Code, in) }

// full makes room for the instructions of operation i, and reports whether the list is longer than
// Scratch.Most allows.
func (g *emitter) full(i int) bool {
	left := len(g.f.Code) - i
	g.fn.Code, g.fn.VRegs = roomy(g.fn.Code, i, left), roomy(g.fn.VRegs, i, left)
	if g.mem.Most > 0 && len(g.fn.Code) > g.mem.Most {
		g.out.TooLarge = true
	}
	return g.out.TooLarge
}

// roomy makes sure that a list has room for a few more elements. If it has to grow, it grows at
// once by the amount that the remaining operations will need, if they are like the operations done
// so far. append grows long lists by less, so the copies left behind would be several times the
// final size.
func roomy[T any](s []T, done, left int) []T {
	const room = 64 // enough for most operations
	if cap(s)-len(s) >= room {
		return s
	}
	more := int(1.125 * float64(len(s)) * float64(left) / float64(max(done, 1)))
	return slices.Grow(s, min(max(more, 2*room, len(s)/4), 8*len(s)+2*room))
}

// reg makes a virtual register of class c, of which the first n bytes matter.
func (g *emitter) reg(c x64.Class, n uint8) x64.Reg {
	if c == x64.Vec {
		n = uint8(g.w)
	}
	g.fn.VRegs = append(g.fn.VRegs, lir.VReg{Class: c, Len: n})
	return x64.Virtual + x64.Reg(len(g.fn.VRegs)-1)
}

// vec makes a vector register of the length in hand.
func (g *emitter) vec() x64.Reg { return g.reg(x64.Vec, g.len) }

// gpr makes a general register. The argument documents how many of its bytes matter. For 4 bytes
// the upper half is usually 0, but arbitrary after a call-out.
func (g *emitter) gpr(uint8) x64.Reg { return g.reg(x64.GPR, 8) }

// kreg makes a mask register.
func (g *emitter) kreg() x64.Reg { return g.reg(x64.Mask, 8) }

// v1 emits an operation of one source.
func (g *emitter) v1(op x64.Op, b x64.Reg) x64.Reg {
	d := g.vec()
	g.emit(x64.Inst{Op: op, Len: g.len, Dst: d, B: b})
	return d
}

// v2 emits an operation of two sources.
func (g *emitter) v2(op x64.Op, a, b x64.Reg) x64.Reg {
	d := g.vec()
	g.emit(x64.Inst{Op: op, Len: g.len, Dst: d, A: a, B: b})
	return d
}

// vi emits an operation of one source and an immediate.
func (g *emitter) vi(op x64.Op, b x64.Reg, imm int64) x64.Reg {
	d := g.vec()
	g.emit(x64.Inst{Op: op, Len: g.len, Dst: d, B: b, Imm: imm})
	return d
}

// v2i emits an operation of two sources and an immediate.
func (g *emitter) v2i(op x64.Op, a, b x64.Reg, imm int64) x64.Reg {
	d := g.vec()
	g.emit(x64.Inst{Op: op, Len: g.len, Dst: d, A: a, B: b, Imm: imm})
	return d
}

// v3 emits an operation that reads its destination: d, a and b are the three sources; d is copied
// first.
func (g *emitter) v3(op x64.Op, d, a, b x64.Reg) x64.Reg { return g.v3i(op, d, a, b, 0) }

// v3i is v3 with an immediate.
func (g *emitter) v3i(op x64.Op, d, a, b x64.Reg, imm int64) x64.Reg {
	t := g.vec()
	g.move(t, d)
	g.emit(x64.Inst{Op: op, Len: g.len, Dst: t, A: a, B: b, Imm: imm})
	return t
}

// vl emits an operation whose vectors have n bytes instead of the length in hand.
func (g *emitter) vl(op x64.Op, n uint8, b x64.Reg, imm int64) x64.Reg {
	d := g.reg(x64.Vec, n)
	g.emit(x64.Inst{Op: op, Len: n, Dst: d, B: b, Imm: imm})
	return d
}

// move copies a register completely.
func (g *emitter) move(d, s x64.Reg) {
	switch g.class(d) {
	case x64.GPR:
		g.emit(x64.Inst{Op: x64.MOV, Len: 8, Dst: d, B: s})
	case x64.Mask:
		g.emit(x64.Inst{Op: x64.KMOVQ, Len: 8, Dst: d, B: s})
	default:
		n := g.len
		if v := g.vlen(d); v != 0 {
			n = v
		}
		g.emit(x64.Inst{Op: x64.VMOVDQU, Len: n, Dst: d, B: s})
	}
}

// class is the class of a register, virtual or not.
func (g *emitter) class(r x64.Reg) x64.Class { return g.fn.Class(r) }

// vlen is the length of a virtual register, 0 for a machine register.
func (g *emitter) vlen(r x64.Reg) uint8 {
	if r >= x64.Virtual {
		return g.fn.VRegs[r-x64.Virtual].Len
	}
	return 0
}

// constant is a vector of the length in hand with the same bits, size bytes of them, in every
// element.
func (g *emitter) constant(bits uint64, size uint8) x64.Reg {
	return g.constOf(constKey{bits: bits, size: size, len: g.len})
}

// c32, c64, c16 and c8 are constant for one size.
func (g *emitter) c32(bits uint32) x64.Reg { return g.constant(uint64(bits), 4) }
func (g *emitter) c64(bits uint64) x64.Reg { return g.constant(bits, 8) }
func (g *emitter) c16(bits uint16) x64.Reg { return g.constant(uint64(bits), 2) }
func (g *emitter) c8(bits uint8) x64.Reg   { return g.constant(uint64(bits), 1) }

// constOf is the register of a constant. Each constant has one register per form and function.
func (g *emitter) constOf(k constKey) x64.Reg {
	if r, ok := g.consts[k]; ok {
		return r
	}
	r := g.pooled(x64.Const{Bits: k.bits, Size: k.size, Len: k.len}, k.gpr)
	g.consts[k] = r
	return r
}

// table is a vector whose bytes are data.
func (g *emitter) table(data []byte) x64.Reg {
	if r, ok := g.tables[string(data)]; ok {
		return r
	}
	r := g.pooled(x64.Const{Data: slices.Clone(data), Len: uint8(len(data))}, false)
	g.tables[string(data)] = r
	return r
}

// pooled adds a constant to the pool and makes its register. The allocator may load the register
// again wherever it likes, or use the pool as a memory operand.
func (g *emitter) pooled(c lir.Const, gpr bool) x64.Reg {
	g.fn.Pool = append(g.fn.Pool, c)
	class := x64.Vec
	if gpr {
		class = x64.GPR
	}
	r := g.reg(class, c.Len)
	g.fn.VRegs[r-x64.Virtual].Const = int32(len(g.fn.Pool))
	return r
}

// zero is a vector of zeros.
func (g *emitter) zero() x64.Reg { return g.c32(0) }

// label makes a label that is not bound yet.
func (g *emitter) label() x64.Label {
	g.fn.Labels++
	return x64.Label(g.fn.Labels)
}

// bind puts a label here; jump jumps to one. ctl and frame are words of the frame: control words
// and slots.
func (g *emitter) bind(l x64.Label)            { g.emit(x64.Inst{Op: x64.LABEL, Label: l}) }
func (g *emitter) jump(op x64.Op, l x64.Label) { g.emit(x64.Inst{Op: op, Label: l}) }
func (g *emitter) ctl(off int32) x64.Mem       { return g.lay.Ctl(off) }
func (g *emitter) frame(off uint32) x64.Mem    { return x64.Mem{Base: abi.Frame, Disp: int32(off)} }
func (g *emitter) load(n uint8, d x64.Reg, m x64.Mem) {
	g.emit(x64.Inst{Op: x64.MOV, Len: n, Dst: d, HasMem: true, M: m})
}

func (g *emitter) store(n uint8, m x64.Mem, s x64.Reg) {
	g.emit(x64.Inst{Op: x64.MOVSt, Len: n, B: s, HasMem: true, M: m})
}

// r2 is a two-operand operation of general registers: d op= b.
func (g *emitter) r2(op x64.Op, n uint8, d, b x64.Reg) {
	g.emit(x64.Inst{Op: op, Len: n, Dst: d, B: b})
}

// ri is a two-operand operation with an immediate: d op= imm.
func (g *emitter) ri(op x64.Op, n uint8, d x64.Reg, imm int64) {
	g.emit(x64.Inst{Op: op, Len: n, Dst: d, Imm: imm})
}

// rm is a two-operand operation with memory: d op= m.
func (g *emitter) rm(op x64.Op, n uint8, d x64.Reg, m x64.Mem) {
	g.emit(x64.Inst{Op: op, Len: n, Dst: d, HasMem: true, M: m})
}

// cold emits code that seldom runs, at the label l that the caller jumps to. The code of f must end
// with a jump. Facts that f learns about registers are forgotten after it. Cold regions do not nest:
// inside one, the code is emitted in place, and control goes around it.
func (g *lowering) cold(l x64.Label, f func()) {
	nested, around := g.rare > 0, x64.Label(0)
	if nested {
		around = g.label()
		g.jump(x64.JMP, around)
	} else {
		g.emit(x64.Inst{Op: x64.COLD})
	}
	g.bind(l)
	known := g.known()
	g.rare++
	f()
	g.rare--
	g.restore(known)
	if nested {
		g.bind(around)
	} else {
		g.emit(x64.Inst{Op: x64.HOT})
	}
}

// exit returns to Go. When Go resumes the code, it goes on after the exit with all registers
// unchanged. Its state has the recipes that have been handed over since the last exit.
func (g *emitter) exit(e abi.Exit) {
	g.ri(x64.MOVImm, 4, abi.Acc, int64(len(g.out.Exits)))
	e.At = len(g.fn.Code)
	g.jump(x64.CALLLabel, g.out.Save)
	if len(g.handed) > 0 {
		from := len(g.out.Lists)
		for _, x := range g.handed {
			g.out.Lists = append(g.out.Lists, int32(len(g.out.Recipes)))
			g.out.Recipes = append(g.out.Recipes, x)
		}
		e.State, g.handed = g.declare(from), nil
	}
	g.out.Exits = append(g.out.Exits, e)
}
