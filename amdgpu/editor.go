package amdgpu

import (
	"fmt"
	"slices"
)

// LookUpSpelled resolves a mnemonic as written, perhaps with an encoding suffix: "v_mov_b32_dpp" is
// the row v_mov_b32 and EncDPP. The row is nil if there is none. forced reports whether there was a
// suffix; without one the encoding is E32.
func (t *Target) LookUpSpelled(mnemonic string) (r *Row, e Enc, forced bool) {
	return t.lookUpSuffixed(mnemonic)
}

// A RowModifier is a modifier that an encoding of an instruction takes.
type RowModifier struct {
	Text    string // an example of it: "row_shr:1", "glc"
	Meaning string // the values that it takes, one phrase; "" for a word without a value
}

// ModifiersOf returns the modifiers that an encoding of the row takes, in the order in which they are
// printed. A DPP control has one entry for each family. Nothing is returned for an encoding that the
// row does not have.
func (r *Row) ModifiersOf(e Enc) (list []RowModifier) {
	x := r.Encoding(e)
	if x == nil {
		return nil
	}
	for i := range x.mods {
		m := x.mods[i].mod
		name := m.Name()
		switch m.kind() {
		case modFlag:
			list = append(list, RowModifier{Text: name})
		case modDec:
			list = append(list, RowModifier{name + ":0", "a number"})
			if r.Flags.Has(FlagSwizzle) {
				list = append(list, RowModifier{name + ":swizzle(SWAP,1)", "QUAD_PERM, BITMASK_PERM, BROADCAST, REVERSE or SWAP"})
			}
		case modHex, modMask:
			list = append(list, RowModifier{name + ":0xf", "a mask of 4 bits"})
		case modSel:
			for v := range 7 {
				list = append(list, RowModifier{name + ":" + selName(v), "the part of the dword"})
			}
		case modUnused:
			for v := range 3 {
				list = append(list, RowModifier{name + ":" + unusedName(v), "the rest of the destination"})
			}
		case modOMod:
			for _, text := range []string{"mul:2", "mul:4", "div:2"} {
				list = append(list, RowModifier{text, "a factor of the result"})
			}
		case modBound:
			list = append(list, RowModifier{name + ":0", "lanes without a source read 0"})
		case modDPPCtrl:
			list = append(list, dppModifiers()...)
		case modFormat:
			list = append(list, RowModifier{name + ":1", "a number"})
		case modHidden:
		}
	}
	return list
}

// dppModifiers lists the families of DPP controls.
func dppModifiers() []RowModifier {
	list := []RowModifier{{"quad_perm:[0,1,2,3]", "the source lane of each lane of a quad"}}
	for _, d := range dppRanges() {
		meaning := fmt.Sprint(d.lo)
		if d.hi > d.lo {
			meaning = fmt.Sprintf("%d to %d", d.lo, d.hi)
		}
		list = append(list, RowModifier{fmt.Sprintf("%s:%d", d.name, d.lo), meaning})
	}
	return append(list, RowModifier{Text: "row_mirror"}, RowModifier{Text: "row_half_mirror"})
}

// SpecialNames returns the names of the scalar registers that are no SGPRs, as instructions spell
// them, in alphabetical order: exec, m0, vcc and their halves.
func (t *Target) SpecialNames() (list []string) {
	for i := range t.Scalars {
		for _, name := range []string{t.Scalars[i].Name, t.Scalars[i].Name + "_lo", t.Scalars[i].Name + "_hi"} {
			if _, ok := t.namedRegister(name); ok && !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	slices.Sort(list)
	return list
}
