package abi

import "example.org/crosslane/internal/jit/x64"

// A SavedReg is a register that a coarsened body after a barrier loads or stores in the frame of a
// wave: register Reg, as the wave saved it at the barrier, after instruction At of the list. Until
// registers have places, the instruction that accesses it has partAt plus the SavedReg's number as
// displacement: see Settle.
type SavedReg struct {
	Reg x64.Reg
	At  int
}

// partAt marks displacements that stand for a SavedReg. Offsets in real frames are smaller.
const partAt = 1 << 30

// AddSaved adds a SavedReg to Parts and returns the displacement that stands for it.
func (c *Code) AddSaved(r SavedReg) (disp int32) {
	c.Parts = append(c.Parts, r)
	return partAt + int32(len(c.Parts)-1)
}

// Settle completes the instructions that load and store SavedRegs. place returns the offset in a
// frame at which a register is while its wave waits, if it lives there. If it does not live, the
// instruction becomes empty.
func (c *Code) Settle(code []x64.Inst, place func(p SavedReg) (disp int32, lives bool)) {
	if len(c.Parts) == 0 {
		return
	}
	for i := range code {
		in := &code[i]
		if !in.HasMem || in.M.Disp < partAt {
			continue
		}
		disp, lives := place(c.Parts[in.M.Disp-partAt])
		if in.M.Disp = disp; !lives {
			*in = x64.Inst{}
		}
	}
}
