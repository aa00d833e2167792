package peephole

import (
	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// This file reduces loads of vectors.
//
// Input: the list of instructions, after dead code is gone.
// Output: the same list, in which a vector that memory holds is loaded once, and a load with one
// reader has become the memory operand of that reader.
// Invariant: a stretch of code has no entry but its start and is not seen by Go; between a load and
// the instruction that takes its place, the memory and the address registers are unchanged.
// Example: v1 = [a]; v2 = [a]; d = v1 * v2 becomes v1 = [a]; d = v1 * v1; or d = x + v1 becomes d =
// x + [a].
// Literature: redundant-load elimination and operand folding (Muchnick 1997).

// A loaded is a load of a vector register in the stretch in hand, from memory that has not changed
// since.
type loaded struct {
	at int // the index of the instruction
	in x64.Inst
}

// maxLoaded is how many loads a loader remembers.
const maxLoaded = 48

// maxApart is how many instructions may lie between a load and the instruction that it is folded
// into. The registers of the address have to live that long.
const maxApart = 24

// loader is the state of the pass.
type loader struct {
	l      *List
	writes []int32 // by virtual register: how often it is written,
	reads  []int32 // how often read, an upper bound: see EliminateDead; exact for registers that are written once
	here   []int32 // how often it is read in the stretch, without states
	// as is the register that replaces another one; list has the loads that are still valid.
	as   []x64.Reg
	list []loaded
}

// Loads reduces the loads of the whole list. It needs the counts of EliminateDead, which runs before it.
func (l *List) Loads() {
	n := len(l.Fn.VRegs)
	code := l.Fn.Code
	first := 0
	for first < len(code) && !abi.LoadsGuest(&code[first]) {
		first++
	}
	if first == len(code) {
		return
	}
	ints := lir.Cleared(&l.Mem.ints, 2*n)
	f := &loader{l: l, writes: ints[:n], here: ints[n:], reads: l.Mem.uses[:n]}
	// Most virtual registers are written once; only those can be renamed or folded.
	wrote := func(r x64.Reg) {
		if r >= x64.Virtual {
			f.writes[r-x64.Virtual]++
		}
	}
	for i := range code {
		in := &code[i]
		info := in.Op.Info()
		if !info.DstMem || !in.HasMem {
			wrote(in.Dst)
		}
		if info.AWrite {
			wrote(in.A)
		}
		if info.BWrite {
			wrote(in.B)
		}
		if info.KWrite {
			wrote(in.K)
		}
	}
	// The stretches between instructions that cut.
	f.as = lir.Cleared(&l.Mem.as, n)
	for from := 0; from < len(code); {
		to := from
		for to < len(code) && !cuts(&code[to]) {
			to++
		}
		f.stretch(from, to)
		from = to + 1
	}
}

// cuts reports whether an instruction ends a stretch: control may come or go there, or Go may look.
func cuts(in *x64.Inst) bool {
	info := in.Op.Info()
	return info.Ends || in.Op == x64.CALLLabel || in.Op == x64.MFENCE || info.Pseudo && in.Op != x64.NOP && in.Op != x64.UNDEF
}

// stretch reduces the loads of the instructions from to to-1.
func (f *loader) stretch(from, to int) {
	code := f.l.Fn.Code
	var ops lir.Operands
	first := -1
	for i := from; i < to && first < 0; i++ {
		if abi.LoadsGuest(&code[i]) {
			first = i
		}
	}
	if first < 0 {
		return
	}
	// count adds the reads of the stretch to here, or clears them.
	count := func(by int32) {
		for i := first; i < to; i++ {
			ops.Of(&code[i])
			for _, o := range ops.Slice() {
				if v := o.Reg - x64.Virtual; v >= 0 && o.Role&lir.Read != 0 && f.here[v] >= 0 {
					f.here[v] = max(f.here[v]+by, 0)
				}
			}
		}
	}
	count(1)
	f.list = f.list[:0]
	for i := first; i < to; i++ {
		in := &code[i]
		// Readers of a load that same has removed read the earlier one.
		for _, r := range [...]*x64.Reg{&in.A, &in.B, &in.C, &in.M.Index} {
			if v := *r - x64.Virtual; v >= 0 && f.as[v] != 0 {
				*r = f.as[v]
			}
		}
		f.fold(i, in)
		if abi.LoadsGuest(in) && f.own(in.Dst) {
			if f.same(in) {
				*in = x64.Inst{Op: x64.NOP}
				continue
			}
		}
		// The instruction's writes end earlier loads, and may itself be a new one.
		f.forget(in)
		if abi.LoadsGuest(in) && f.own(in.Dst) && len(f.list) < maxLoaded {
			f.list = append(f.list, loaded{i, *in})
		}
	}
	count(-1 << 30)
}

// own reports whether a register is written once and only read in the stretch.
func (f *loader) own(r x64.Reg) bool {
	v := r - x64.Virtual
	return f.writes[v] == 1 && f.here[v] == f.reads[v]
}

// same looks for an earlier load of the same memory, and makes the result of load in another name
// of its result.
func (f *loader) same(in *x64.Inst) bool {
	for k := range f.list {
		l := &f.list[k].in
		if l.Op == in.Op && l.Len == in.Len && l.M == in.M {
			d, v := l.Dst-x64.Virtual, in.Dst-x64.Virtual
			f.as[v] = l.Dst
			f.reads[d] += f.reads[v]
			f.here[d] = f.reads[d]
			f.l.Fn.VRegs[d].Filled = false // it lives inside the stretch only, for several webs
			return true
		}
	}
	return false
}

// fold makes a memory operand of a register operand that is not read elsewhere: of B, or of A if
// the two may be exchanged.
func (f *loader) fold(i int, in *x64.Inst) {
	info := in.Op.Info()
	// The instruction must have room for a memory operand: no other one, no rounding of its own (it takes
	// the encoding of a broadcast), no demand for alignment.
	if info.Pseudo || in.HasMem || in.RC != x64.Current || !info.BMem || info.BWrite || in.A == in.B || lir.Aligned(in.Op) || info.MemEVEX && !f.l.AVX512 {
		return
	}
	if f.foldB(i, in, info) || in.A == 0 || info.AWrite || !(in.Either || info.Commutes && !info.DstRead && !in.Ordered) {
		return
	}
	// Try the other order of the operands, and restore it if that fails.
	was := in.Op
	in.Op, in.A, in.B = exchanged(was), in.B, in.A
	if !f.foldB(i, in, in.Op.Info()) {
		in.Op, in.A, in.B = was, in.B, in.A
	}
}

// exchanged returns the Op that does the same if A and B are exchanged. Fused multiply-adds that
// have a factor in the destination change their form, because one of A and B is the addend.
func exchanged(op x64.Op) x64.Op {
	switch op {
	case x64.VFMADD132PS:
		return x64.VFMADD213PS
	case x64.VFMADD213PS:
		return x64.VFMADD132PS
	}
	return op
}

// foldB replaces operand B by the memory of its load, if the sizes match or the operand may be
// broadcast.
func (f *loader) foldB(i int, in *x64.Inst, info *x64.Info) bool {
	if in.B < x64.Virtual || f.reads[in.B-x64.Virtual] != 1 {
		return false
	}
	for k := range f.list {
		l := &f.list[k]
		if l.in.Dst != in.B || i-l.at > maxApart {
			continue
		}
		// The load moves down to here; the loads in the list are those that may.
		switch m := l.in.M; {
		case l.in.Op == x64.VMOVDQU && info.MemSize.Of(in.Len) == int(l.in.Len):
			in.M = m
		case f.l.AVX512 && info.Bcst != 0 && in.Len <= l.in.Len &&
			(l.in.Op == x64.VPBROADCASTD && info.Bcst == 4 || l.in.Op == x64.VPBROADCASTQ && info.Bcst == 8):
			m.Bcst = true
			in.M = m
		default:
			return false
		}
		in.B, in.HasMem = 0, true
		f.l.Fn.Code[l.at] = x64.Inst{Op: x64.NOP}
		f.list = append(f.list[:k], f.list[k+1:]...)
		return true
	}
	return false
}

// forget removes the loads from the list that an instruction invalidates: it writes a register of
// their address, or the guest's memory. The frame is not guest memory.
func (f *loader) forget(in *x64.Inst) {
	if len(f.list) == 0 || in.Op.Info().Pseudo {
		return
	}
	// Guest memory may alias in any way, so a store ends all loads.
	info := in.Op.Info()
	store := in.HasMem && info.DstMem
	var ops lir.Operands
	ops.Of(in)
	keep := f.list[:0]
	for _, l := range f.list {
		gone := store && in.M.Base != abi.Frame || info.Defs != 0 && (implied(info.Defs, l.in.M.Base) || implied(info.Defs, l.in.M.Index))
		for _, o := range ops.Slice() {
			gone = gone || o.Role&lir.Write != 0 && (o.Reg == l.in.M.Base || o.Reg == l.in.M.Index || o.Reg == l.in.Dst)
		}
		if !gone {
			keep = append(keep, l)
		}
	}
	f.list = keep
}

// implied reports whether machine register r is in a set of general registers.
func implied(set uint16, r x64.Reg) bool {
	return r >= x64.RAX && r <= x64.R15 && set>>(r-x64.RAX)&1 != 0
}
