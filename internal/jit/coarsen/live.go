package coarsen

import (
	"math/bits"

	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// This file finds out which machine registers are live between the instructions of a body.
//
// Input: the list of the body.
// Output: for each place of the list the machine registers, the flags and the scratch area that are
// live there.
// Invariant: nothing of these is live where control joins.
// Example: between CMP and JB the flags are live, so the two are one group.

// flagsBit stands for the flags in sets of machine registers, scratchBit for the
// scratch area of the frame.
const (
	flagsBit   = 1 << 63
	scratchBit = 1 << 62
)

// registers are the machine registers with one meaning in all code.
const registers = 1<<abi.Frame | 1<<abi.Active | 1<<abi.Counter | 1<<x64.RSP | 1<<x64.RBP

// lives computes which machine registers are live between the instructions of the list.
// It reports false if one is live where control joins; then it has removed the block or
// the code there, because instructions with live machine registers between them cannot
// be interleaved.
func (p *body) lives() bool {
	p.live = make([]uint64, len(p.list)+1)
	var ops lir.Operands
	now, fine := uint64(0), true
	for k := len(p.list) - 1; k >= 0; k-- {
		i := p.list[k]
		in := &p.code[i]
		info := in.Op.Info()
		if p.leads[i] != 0 || in.Op == x64.LABEL || in.Op == x64.COLD || in.Op == x64.HOT || in.Op == x64.JMP {
			// A live machine register at a join: its group has no boundary here.
			if now != 0 {
				fine = false
				p.remove(i)
			}
			now = 0
			continue
		}
		ops.Of(in)
		if info.SetsFlags {
			now &^= flagsBit
		}
		now &^= implicit(info.Defs)
		for _, o := range ops.Slice() {
			if o.Role&lir.Write != 0 && temporary(o.Reg) {
				now &^= 1 << o.Reg
			}
		}
		for _, o := range ops.Slice() {
			if o.Role&lir.Read != 0 && temporary(o.Reg) {
				now |= 1 << o.Reg
			}
		}
		now |= implicit(info.Uses)
		if info.ReadsFlags {
			now |= flagsBit
		}
		if p.inFrame(in) && p.frame(in) == frameScratch {
			if info.DstMem && p.first(k) {
				now &^= scratchBit
			} else {
				now |= scratchBit
			}
		}
		p.live[k] = now
	}
	return fine
}

// first reports whether the instruction at place k of the list is the first one after a
// join of control that uses the scratch area.
func (p *body) first(k int) bool {
	for k--; k >= 0; k-- {
		i := p.list[k]
		in := &p.code[i]
		switch {
		case p.leads[i] != 0 || in.Op == x64.LABEL || in.Op == x64.COLD || in.Op == x64.HOT || in.Op == x64.JMP:
			return true
		case p.inFrame(in) && p.frame(in) == frameScratch:
			return false
		}
	}
	return true
}

// inFrame reports whether an instruction accesses the frame.
func (p *body) inFrame(in *x64.Inst) bool {
	return in.HasMem && in.M.Pool == 0 && in.M.Base == abi.Frame
}

// temporary reports whether r is a machine register without a fixed meaning.
func temporary(r x64.Reg) bool { return r > 0 && r < x64.Virtual && registers>>r&1 == 0 }

// implicit is a set of machine registers in the representation of body.live.
func implicit(set uint16) (m uint64) {
	for ; set != 0; set &= set - 1 {
		m |= 1 << (x64.RAX + x64.Reg(bits.TrailingZeros16(set)))
	}
	return m &^ registers
}

// group is the end of the group that begins at place k of the list. The instructions of
// a group have live machine registers between them and must stay together.
func (p *body) group(k int) int {
	for k++; k < len(p.list) && p.live[k] != 0; k++ {
	}
	return k
}
