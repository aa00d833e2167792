package coarsen

import (
	"iter"

	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/mask"
	"example.org/crosslane/internal/jit/webs"
	"example.org/crosslane/internal/jit/x64"
)

// A Selection is the result of selecting instructions, and the facts about it that coarsening needs.
type Selection struct {
	Fn     *lir.Func // the list; Add appends to it
	Code   *abi.Code // Frame is the end of the part of the frame that is in use; Add moves it
	Layout abi.Layout
	Webs   *webs.Func
	Masks  *mask.Masks
	// AVX512 reports that the processor has AVX-512.
	AVX512 bool
	// Arrivals holds by block the label at which its code begins, and at the end the label of the code
	// after the last block.
	Arrivals []x64.Label
	// Registers yields the virtual registers in which a web lives.
	Registers func(w webs.Web) iter.Seq[x64.Reg]
	// Inductions are all induction pointers. Induction is the one of load or store i, counted
	// from 1; 0: it has none.
	Inductions []Induction
	Induction  func(i int) int
	// OneBase reports whether one base address is enough for load or store i.
	OneBase func(i int) bool
	// Constant returns a general register that holds v.
	Constant func(v uint64) x64.Reg
}

// An Induction is an induction pointer: an address with one bounds check for a loop.
type Induction struct {
	Limit x64.Reg // the first address that is too large
	Delta x64.Reg // the host address minus the address
}

// These methods append instructions and make registers and labels, as those of lir.Func do.
func (g *Selection) emit(in x64.Inst)            { g.Fn.Emit(in) }
func (g *Selection) bind(l x64.Label)            { g.Fn.Bind(l) }
func (g *Selection) jump(op x64.Op, l x64.Label) { g.Fn.Jump(op, l) }
func (g *Selection) label() x64.Label            { return g.Fn.NewLabel() }
func (g *Selection) gpr() x64.Reg                { return g.Fn.GPR(8, "") }

// ctl is a control word of the running wave.
func (g *Selection) ctl(off int32) x64.Mem { return g.Layout.Ctl(off) }

// load and store move n bytes between memory and a general register.
func (g *Selection) load(n uint8, d x64.Reg, m x64.Mem) { g.Fn.Load(x64.MOV, n, d, 0, m) }

func (g *Selection) store(n uint8, m x64.Mem, s x64.Reg) { g.Fn.Store(x64.MOVSt, n, m, s) }

// rm is a two-operand operation of a general register with memory: d op= m.
func (g *Selection) rm(op x64.Op, n uint8, d x64.Reg, m x64.Mem) { g.Fn.Load(op, n, d, 0, m) }

// add emits d += v.
func (g *Selection) add(d x64.Reg, v uint64) {
	if int64(v) == int64(int32(v)) {
		g.emit(x64.Inst{Op: x64.ADDImm, Len: 8, Dst: d, Imm: int64(v)})
		return
	}
	g.Fn.Op(x64.ADD, 8, d, 0, g.Constant(v))
}

// class is the class of a register, virtual or not.
func (g *Selection) class(r x64.Reg) x64.Class { return g.Fn.Class(r) }

// transfer is the instruction that stores or loads a virtual register of any class.
func (g *Selection) transfer(r x64.Reg, m x64.Mem, store bool) x64.Inst {
	in := x64.Inst{Op: x64.VMOVDQU, Len: g.Fn.VRegs[r-x64.Virtual].Len, HasMem: true, M: m}
	st := x64.VMOVDQUSt
	switch g.class(r) {
	case x64.GPR:
		in.Op, st = x64.MOV, x64.MOVSt
	case x64.Mask:
		in.Op, st, in.Len = x64.KMOVQ, x64.KMOVQSt, 8
	}
	if store {
		in.Op, in.B = st, r
	} else {
		in.Dst = r
	}
	return in
}
