// Package peephole makes a list of selected instructions shorter: it combines bitwise operations,
// removes dead instructions and redundant loads, and closes the gaps.
//
// Input: a list of instructions on virtual registers, as package sel emits them.
// Output: the same list with fewer instructions, and the new number of each one.
// Invariant: at each place at which control may come or go, or Go may look, every register that is
// read later holds the value that it held before. After each step the list is valid, as lir.Verify
// defines it.
// Example: t = a & b; d = t | c; e = [p], of which e has no reader, becomes d = a;
// d = vpternlog(d, b, c, 0xea).
// Literature: McKeeman, Peephole optimization (CACM 1965).
package peephole

import (
	"slices"

	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// A List is a list of instructions, with the parties that hear of changes. Its methods run in the order
// Combine, EliminateDead, Loads, Compact.
type List struct {
	Fn *lir.Func
	// AVX512 reports that the processor has AVX-512.
	AVX512 bool
	Mem    *Scratch
	// Renumber updates the indices into the list that the list's owner has: instruction i of
	// the list before is to[i]. to has one element more than the list, for its end.
	Renumber func(to []int32)
}

// Scratch is memory that lists use, one after another.
type Scratch struct {
	nodes    []node
	combined []combined
	uses     []int32 // by virtual register: how often it is read, as EliminateDead counts
	ints     []int32
	as       []x64.Reg
	indices  []int32
}

// Compact removes the NOPs from the list and renumbers all indices into it.
func (l *List) Compact() {
	code := l.Fn.Code
	first := slices.IndexFunc(code, func(in x64.Inst) bool { return in.Op == x64.NOP })
	if first < 0 {
		return
	}
	to := lir.Cleared(&l.Mem.indices, len(code)+1)
	n := 0
	for i := range code {
		if to[i] = int32(n); code[i].Op != x64.NOP {
			if n < i {
				code[n] = code[i]
			}
			n++
		}
	}
	to[len(code)] = int32(n)
	l.Fn.Code = code[:n]
	l.Renumber(to)
}
