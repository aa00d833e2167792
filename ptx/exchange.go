package ptx

import (
	"strings"

	"example.org/crosslane/lane"
)

// A Shuffle is an opcode that moves a register between the lanes of a warp.
type Shuffle struct {
	Opcode string // "shfl.sync.down.b32"
	Mode   lane.ShflMode
}

// Shuffles returns the opcodes of the instruction table that move a register between lanes and that
// are not deprecated, in the order of the table, for a target: sm is its number, 80 for sm_80. All of
// them take a membermask.
func Shuffles(sm int) []Shuffle {
	var out []Shuffle
	for _, name := range instructions().names {
		for _, r := range instructions().rows[name] {
			if r.Do.cross != crossShfl || r.SM > sm || r.Deprecated != (Version{}) {
				continue
			}
			opcode, _, _ := strings.Cut(r.Form, " ")
			for _, e := range r.elems {
				if e.class != "mode" {
					continue
				}
				for _, m := range e.alts {
					op := strings.Replace(opcode, ".mode", "."+m, 1)
					if v := instructions().lookup(strings.Split(op, "."), -1); v != nil {
						out = append(out, Shuffle{Opcode: op, Mode: shflMode(v)})
					}
				}
			}
		}
	}
	return out
}

// A Rate is the rate at which a processor executes an instruction.
type Rate uint8

const (
	// RateFull is that of the simple units.
	RateFull Rate = iota
	// RateReduced is a fraction of it: RateFull, divided by a number that depends on the target.
	RateReduced
	// RateShared is that of the data path of shared memory.
	RateShared
	// RateOther is every other: memory, sequences, control flow, other units.
	RateOther
)

// rate returns the class as a Rate.
func (c costClass) rate() Rate {
	switch c {
	case costFull:
		return RateFull
	case costHalf:
		return RateReduced
	case costShared:
		return RateShared
	}
	return RateOther
}
