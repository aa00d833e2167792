package amdgpu

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
)

// A Try is a scratchpad program: instructions without a kernel around them.
type Try struct {
	Func *ir.Func
	// Regs holds the registers: first the written ones in the order of their first write, then the
	// registers that are only read, in the order of their first mention. EXEC, VCC and SCC are
	// among them if an instruction names or sets them.
	Regs []TryReg
	all  map[string]TryReg // all registers that can be named
}

// A TryReg is a register, or a pair of registers that hold one value.
type TryReg struct {
	Name string // "v3", "v[2:3]", "s[4:5]", "vcc"
	// Pieces holds the guest values of the register, the low one first: two lane vectors of 32 bits
	// for a pair of VGPRs, one scalar for all other registers.
	Pieces []ir.Ref
	// Type is the type in which the contents are best shown: "f32", "s32", "u32", "f64", "s64",
	// "u64", "f16" (in the low half), or "pred" for SCC. It is the type of the last instruction
	// that writes the register, or of the first that reads it. Moves, and instructions that move
	// bits between lanes, keep the type of their source.
	Type    string
	Float   bool // Type is a float type
	Written bool
}

// NewTry checks and lifts instructions. Labels and branches are allowed, and the end of the
// instructions ends the program. The float mode is the default. track is LiftOptions.Track. The error
// is a diag.List.
func NewTry(file string, insts []Encoded, track func(Lifting) Tracker) (*Try, error) {
	code := Code{File: file}
	for _, e := range insts {
		code.Bytes = append(code.Bytes, e.Bytes...)
	}
	code.Source = func(off int64) (int, int, string, bool) {
		i, ok := slices.BinarySearchFunc(insts, uint64(off), func(e Encoded, off uint64) int { return int(e.Offset) - int(off) })
		if !ok {
			return 0, 0, "", false
		}
		return insts[i].Line, insts[i].Col, insts[i].Source, true
	}
	t := &Try{all: map[string]TryReg{}}
	var err error
	declare := func(x Lifting) {
		u := newTryUses(insts)
		u.declare(x, t)
		t.Regs = u.list(x.Target(), t)
	}
	t.Func, err = Lift(code, LiftOptions{Name: "try", Mode: DefaultMode(), AllowEnd: true, MinVGPRs: vgprsOf(insts), Track: track, Declare: declare})
	if err != nil {
		return nil, diag.Of(err)
	}
	return t, nil
}

// Find returns a register by any of its names: "v3" as well as "v[2:3]". The instructions must
// mention it, except exec, vcc, m0 and scc.
func (t *Try) Find(name string) (TryReg, bool) {
	r, ok := t.all[strings.ToLower(strings.TrimSpace(name))]
	if !ok {
		return TryReg{}, false
	}
	for _, known := range t.Regs {
		if known.Name == r.Name {
			return known, true
		}
	}
	return r, true
}

// vgprsOf returns the number of VGPRs that instructions name, at least 1.
func vgprsOf(insts []Encoded) int {
	n := 1
	for i := range insts {
		for _, o := range insts[i].Inst.Operands() {
			if o.Kind == KindVGPR {
				n = max(n, int(o.Reg)+int(o.Dwords))
			}
		}
	}
	return n
}

// dword holds the facts about one register of 32 bits.
type dword struct {
	typ     Type
	pair    int // 1: low half of a 64-bit value, 2: high half
	written bool
	order   int // order of the first write, or of the first mention
}

// tryUses collects the uses of registers. Registers are numbered like operands: scalar codes, then
// VGPRs from 256; SCC is RegSCC.
type tryUses struct {
	regs  map[uint16]*dword
	count int
}

func newTryUses(insts []Encoded) *tryUses {
	u := &tryUses{regs: map[uint16]*dword{}}
	for i := range insts {
		u.inst(&insts[i].Inst)
	}
	return u
}

// inst notes an instruction's reads, then its writes.
func (u *tryUses) inst(in *Inst) {
	moved := u.movedType(in)
	note := func(s Spec, sp RegRun, write bool) {
		t := s.Type
		if write && moved != TNone && (t == B32 || t == B64) && moved.Dwords() == t.Dwords() {
			t = moved
		}
		u.registers(sp, t, IsVALU(in.Row) || in.Row.Unit == UnitSALU, write)
	}
	for _, write := range [...]bool{false, true} {
		for i, s := range in.Row.Operands {
			if sp := OperandRun(&in.Ops[i]); sp.N > 0 && (s.Dst == write || s.Dst && in.Row.Flags.Has(FlagTied)) {
				note(s, sp, write)
			}
		}
		implicit := in.Row.Reads
		if write {
			implicit = in.Row.Writes
		}
		for _, sp := range SpecialRuns(nil, implicit&^M0) {
			u.registers(sp, B64, true, write)
		}
		if implicit&SCC != 0 {
			u.registers(Run(RegSCC, 1), TNone, false, write)
		}
	}
}

// movedType returns the type of the value that a move moves: the type of the last write of its
// source.
func (u *tryUses) movedType(in *Inst) Type {
	var src []int
	for i := range in.Row.Operands {
		if s := &in.Row.Operands[i]; !s.Dst && s.Kind != ClassSMask && s.Kind != ClassLane {
			src = append(src, i)
		}
	}
	f := in.Row.Flags
	if !f.Has(FlagCrossLane) && !f.Has(FlagModBits) && len(src) != 1 {
		return TNone
	}
	for _, i := range slices.Backward(src) {
		if s := &in.Row.Operands[i]; s.Type != B32 && s.Type != B64 && !f.Has(FlagSwizzle) {
			continue
		}
		if sp := OperandRun(&in.Ops[i]); sp.N > 0 {
			if d := u.regs[sp.Lo]; d != nil && d.written {
				return d.typ
			}
		}
	}
	return TNone
}

// span notes a read or a write of a run of registers. A run of two may be one value of 64 bits.
func (u *tryUses) registers(s RegRun, t Type, value, write bool) {
	for i := range s.N {
		d := u.regs[s.Lo+i]
		if d == nil {
			d = &dword{order: u.count}
			u.regs[s.Lo+i] = d
			u.count++
		}
		if !write && (d.written || d.typ != TNone) {
			continue
		}
		if write && !d.written {
			d.written, d.order = true, u.count
			u.count++
		}
		d.typ, d.pair = t, 0
		switch {
		case s.N == 2 && t.Dwords() == 2 && (value || t != B64):
			d.pair = int(i) + 1
		case t.Dwords() > 1:
			d.typ = B32
		}
	}
}

// declare makes values of all registers that were mentioned, so that they can be set and shown.
func (u *tryUses) declare(x Lifting, t *Try) {
	put := func(r TryReg) { t.all[r.Name] = r }
	put(TryReg{Name: "scc", Pieces: []ir.Ref{x.SCC()}, Type: "pred"})
	for _, r := range []uint16{RegVCC, RegVCC + 1, RegEXEC, RegEXEC + 1, RegM0} {
		put(TryReg{Name: x.Target().sgprName(r, 1), Pieces: []ir.Ref{x.SGPR(r, 1)}, Type: "u32"})
	}
	for _, r := range []uint16{RegVCC, RegEXEC} {
		put(TryReg{Name: x.Target().sgprName(r, 2), Pieces: []ir.Ref{x.SGPR(r, 2)}, Type: "u64"})
	}
	for _, r := range slices.Sorted(maps.Keys(u.regs)) {
		switch {
		case r >= RegVGPR0:
			v := int(r - RegVGPR0)
			put(TryReg{Name: regRange("v", v, 1), Pieces: []ir.Ref{x.VGPR(uint16(v))}, Type: "u32"})
			if u.regs[r+1] != nil {
				put(TryReg{Name: regRange("v", v, 2), Pieces: []ir.Ref{x.VGPR(uint16(v)), x.VGPR(uint16(v + 1))}, Type: "u64"})
			}
		case r < scalarCodes && x.Target().sgprName(r, 1) != "":
			put(TryReg{Name: x.Target().sgprName(r, 1), Pieces: []ir.Ref{x.SGPR(r, 1)}, Type: "u32"})
			if r&1 == 0 && x.Target().sgprName(r, 2) != "" && u.regs[r+1] != nil {
				put(TryReg{Name: x.Target().sgprName(r, 2), Pieces: []ir.Ref{x.SGPR(r, 2)}, Type: "u64"})
			}
		}
	}
}

// list returns the registers in the order of Try.Regs.
func (u *tryUses) list(chip *Target, t *Try) []TryReg {
	var order []uint16
	for r := range u.regs {
		order = append(order, r)
	}
	slices.SortFunc(order, func(a, b uint16) int {
		x, y := u.regs[a], u.regs[b]
		if x.written != y.written {
			if x.written {
				return -1
			}
			return 1
		}
		return x.order - y.order
	})
	var out []TryReg
	done := map[uint16]bool{}
	for _, r := range order {
		d := u.regs[r]
		if done[r] {
			continue
		}
		n := 1
		if d.pair == 2 && u.regs[r-1] != nil && u.regs[r-1].pair == 1 && !done[r-1] {
			r, d = r-1, u.regs[r-1]
		}
		if d.pair == 1 && u.regs[r+1] != nil && u.regs[r+1].pair == 2 && u.regs[r+1].typ == d.typ {
			n = 2
		}
		name := "scc"
		if r != RegSCC {
			name = chip.RunText(Run(r, uint16(n)))
		}
		reg, ok := t.all[name]
		if !ok {
			continue
		}
		for i := range n {
			done[r+uint16(i)] = true
		}
		if r != RegSCC {
			reg.Type, reg.Float = display(d.typ, n)
		}
		reg.Written = d.written
		out = append(out, reg)
	}
	return out
}

// display returns the type in which a value in n registers is best shown.
func display(t Type, n int) (string, bool) {
	switch {
	case t == F32 && n == 1, t == F64 && n == 2, t == F16 && n == 1:
		return t.String(), true
	case t == I32 || t == I24 || t == I16 || t == I64:
		return fmt.Sprintf("s%d", 32*n), false
	}
	return fmt.Sprintf("u%d", 32*n), false
}
