package amdgpu

import "example.org/crosslane/internal/ir"

// An ExchangeKind is the way in which an instruction moves a register between lanes.
type ExchangeKind uint8

const (
	// ExchangeDPP: a move of one VGPR that takes the DPP modifier.
	ExchangeDPP ExchangeKind = iota
	// ExchangeSwizzle: the offset is the pattern.
	ExchangeSwizzle
	// ExchangePull: each lane reads the lane that its address names.
	ExchangePull
	// ExchangePush: each lane sends its value to the lane that its address names.
	ExchangePush
	// ExchangeRead: an SGPR gets the value of one lane.
	ExchangeRead
)

// An Exchange is a row that moves one register between lanes.
type Exchange struct {
	Kind ExchangeKind
	Row  *Row
}

// Exchanges returns the rows that move one register of 32 bits between lanes and change no bit of
// it, in the order of the table. The flags and the meaning of a row decide; instructions that
// compute something as well are not among them.
func (t *Target) Exchanges() []Exchange {
	var out []Exchange
	for _, r := range t.Rows() {
		f := r.Flags
		switch {
		case r.Sem == nil:
		case f.Has(FlagSwizzle):
			out = append(out, Exchange{ExchangeSwizzle, r})
		case f.Has(FlagCrossLane) && r.Unit == UnitLDS:
			switch {
			case r.only(ir.DSBpermute):
				out = append(out, Exchange{ExchangePull, r})
			case r.only(ir.DSPermute):
				out = append(out, Exchange{ExchangePush, r})
			}
		case f.Has(FlagCrossLane):
			if n := len(r.Operands) - 1; r.Operands[n].Kind == ClassLane && !f.Has(FlagTied) {
				out = append(out, Exchange{ExchangeRead, r})
			}
		case r.Encs.Has(EncDPP) && len(r.Operands) == 2 && r.only(ir.Mov32):
			out = append(out, Exchange{ExchangeDPP, r})
		}
	}
	return out
}

// only reports whether the meaning of the row is one IR operation and nothing else.
func (r *Row) only(op ir.Op) bool {
	for e := E32; e <= EncSDWA; e++ {
		if in, ok := r.Specimen(e); ok {
			code := LiftAlone(&in).Code
			return len(code) == 1 && code[0].Op == op
		}
	}
	return false
}
