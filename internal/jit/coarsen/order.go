package coarsen

import (
	"slices"

	"example.org/crosslane/internal/jit/abi"
	"example.org/crosslane/internal/jit/lir"
	"example.org/crosslane/internal/jit/x64"
)

// This file reorders the instructions of a coarsened body after a barrier, and counts
// the registers that they need.
//
// Input: the list of instructions of the body, in the order that is best for one wave.
// Output: the list with loads next to their first use, and a list of sunk instructions
// for the end; the number of waves.
// Invariant: a body after a barrier stores nothing, so a load may move over any
// instruction that does not touch its registers.
// Example: `load a; load b; use a; use b` becomes `load a; use a; load b; use b`: one
// register less for each wave.

// An order with few live registers is best for several waves, because each needs its
// own registers.

// maxSink bounds the number of instructions over which a load is moved.
const maxSink = 400

// sink moves loads down to their first use: a value that waits for its use needs one
// register per wave.
func (p *body) sink() {
	writes := make([]int8, len(p.g.Fn.VRegs))
	hot := map[x64.Label]bool{}
	var ops lir.Operands
	for _, i := range p.list {
		in := &p.code[i]
		if p.leads[i] != 0 {
			continue
		}
		if in.Op.Info().Jump && !p.inCold(i) {
			hot[in.Label] = true
		}
		ops.Of(in)
		for _, o := range ops.Slice() {
			if r := o.Reg - x64.Virtual; r >= 0 && o.Role&lir.Write != 0 && writes[r] < 2 {
				writes[r]++
			}
		}
	}
	// From the end: later loads have found their places already.
	for k := len(p.list) - 2; k >= 0; k-- {
		i := p.list[k]
		in := &p.code[i]
		if p.leads[i] != 0 || p.inCold(i) || !abi.LoadsGuest(in) || in.M.Base > 0 && in.M.Base < x64.Virtual || in.M.Index > 0 && in.M.Index < x64.Virtual || writes[in.Dst-x64.Virtual] != 1 {
			continue
		}
		j := k + 1
		for j < len(p.list) && j-k < maxSink && p.sinks(in, p.list[j], hot) {
			j++
		}
		if j >= len(p.list) || p.inCold(p.list[j]) {
			continue
		}
		// Rotate the load down to just before its first use.
		copy(p.list[k:], p.list[k+1:j])
		p.list[j-1] = i
	}
}

// inCold reports whether instruction i is in a cold region.
func (p *body) inCold(i int32) bool { return p.cold[i] == -1 }

// sinks reports whether a load may be moved after instruction i. hot are the labels
// that control may reach from code that is not cold.
func (p *body) sinks(load *x64.Inst, i int32, hot map[x64.Label]bool) bool {
	in := &p.code[i]
	switch {
	case p.leads[i] != 0, in.Op == x64.LABEL && hot[in.Label]:
		return false
	case in.Op.Info().Jump && !p.inCold(i) && !p.gives(in.Label):
		return false // some paths do not come here
	}
	var ops lir.Operands
	ops.Of(in)
	for _, o := range ops.Slice() {
		if o.Reg != 0 && (o.Reg == load.Dst || o.Role&lir.Write != 0 && (o.Reg == load.M.Base || o.Reg == load.M.Index)) {
			return false
		}
	}
	return true
}

// postpone finds the instructions that only change values that are needed after the
// next barrier. If the body has one path, they are done at its end, in memory. It
// reports false if lives does.
func (p *body) postpone() bool {
	if p.bar < 0 {
		return true
	}
	p.across = make([]bool, len(p.g.Fn.VRegs))
	_, b := p.begins()
	p.g.crossing(b, func(r x64.Reg) { p.across[r-x64.Virtual] = true })
	p.sunk, p.isSunk = p.sunk[:0], make([]bool, len(p.g.Fn.VRegs))
	uses := make([]int32, len(p.g.Fn.VRegs))
	ends := 0
	var ops lir.Operands
	for _, i := range p.list {
		in := &p.code[i]
		if p.leads[i] != 0 {
			if p.leads[i] != -1 {
				ends++
			}
			continue
		}
		if in.Op.Info().Jump && !p.gives(in.Label) && (in.Op != x64.JMP || p.at[in.Label] <= i) || in.Op == x64.COLD {
			return true // there are several paths
		}
		if in.Op == x64.LDMXCSR {
			return true // rounding is different at the end
		}
		ops.Of(in)
		for n, o := range ops.Slice() {
			if r := o.Reg - x64.Virtual; r >= 0 && !slices.ContainsFunc(ops.List[:n], func(x lir.Operand) bool { return x.Reg == o.Reg }) {
				uses[r]++
			}
		}
	}
	// With one end, the sunk instructions can follow the rest of the body there.
	if ends != 1 {
		return true
	}
	rest := p.list[:0:0]
	for k, i := range p.list {
		if p.leads[i] == 0 && p.live[k] == 0 && p.live[k+1] == 0 && p.mayWait(&p.code[i], uses) {
			p.sunk = append(p.sunk, i)
			p.isSunk[p.code[i].Dst-x64.Virtual] = true
			continue
		}
		rest = append(rest, i)
	}
	if len(p.sunk) == 0 {
		return true
	}
	p.list = rest
	return p.lives()
}

// mayWait reports whether an instruction changes a register that is live across
// barriers and that no other instruction names, using only constants.
func (p *body) mayWait(in *x64.Inst, uses []int32) bool {
	info := in.Op.Info()
	d := in.Dst - x64.Virtual
	if d < 0 || info.Pseudo || info.Jump || info.Defs|info.Uses != 0 || info.ReadsFlags || in.HasMem && in.M.Pool == 0 || !p.across[d] || uses[d] != 1 {
		return false
	}
	var ops lir.Operands
	ops.Of(in)
	for _, o := range ops.Slice() {
		if o.Reg < x64.Virtual || o.Reg != in.Dst && p.g.Fn.VRegs[o.Reg-x64.Virtual].Const == 0 {
			return false
		}
	}
	return true
}

// mostBar is the largest number of waves in a body after a barrier, barRegs the largest
// number of vector registers that they may need: half of them in slots costs less than
// sharing saves.
const (
	mostBar = 4
	barRegs = 46
)

// room chooses the number of waves of a body after a barrier, so that their registers,
// temporary ones too, are not many more than the machine has.
func (p *body) room() bool {
	g := p.g
	n := len(g.Fn.VRegs)
	at, until := make([]int32, n), make([]int32, n) // by vector register: its first and last place, plus 1
	var ops lir.Operands
	for k, i := range p.list {
		if p.leads[i] != 0 {
			continue
		}
		ops.Of(&p.code[i])
		for _, o := range ops.Slice() {
			r := o.Reg - x64.Virtual
			if r < 0 || g.class(o.Reg) != x64.Vec || g.Fn.VRegs[r].Const != 0 {
				continue
			}
			if at[r] == 0 {
				at[r] = int32(k) + 1
			}
			until[r] = int32(k) + 1
		}
	}
	each, same := 0, 0
	ends := make([]int, len(p.list)+2)
	for r, k := range at {
		switch {
		case k == 0:
		// Equal in all waves: one register for all.
		case !p.varies[r].differ():
			same++
		// Live across barriers: one register per wave for the whole body.
		case p.across[r]:
			each++
		default:
			ends[k]++
			ends[until[r]]--
		}
	}
	// The largest number of temporary registers that are live at once.
	most, now := 0, 0
	for _, d := range ends {
		now += d
		most = max(most, now)
	}
	p.waves = min(p.waves, mostBar)
	if !g.AVX512 {
		p.waves = min(p.waves, 2)
	}
	// Halve the waves until their registers fit.
	for p.waves > 1 && p.waves*(each+most)+min(same, 4) > barRegs {
		p.waves /= 2
	}
	return p.waves > 1
}
