package language

import (
	"strconv"
	"strings"

	"example.org/crosslane"
	"example.org/crosslane/amdgpu"
	"example.org/crosslane/ptx"
)

// An explainKey names an explanation: the text of the instruction and the known values.
type explainKey struct {
	text, values string
	isa          crosslane.ISA
}

// explain explains a statement, with the values of registers that the function sets to a constant once; nil if the
// statement cannot be explained alone.
func (d *Document) explain(s *statement) *crosslane.Explanation {
	var set []crosslane.TrySet
	text := d.source(s)
	if d.isa == crosslane.PTX {
		set = d.constants(s)
	} else if n := len(s.args); n > 0 {
		// An explanation stands alone: the label of a branch is no part of it.
		if sym := d.symbolAt(s.args[n-1].from); sym != nil && sym.kind != symRegister && s.args[n-1].to == s.args[n-1].from+1 {
			text = strings.TrimSuffix(text, d.tok(s.args[n-1].from)) + "0"
		}
	}
	return d.explainWith(text, set)
}

func (d *Document) explainWith(text string, set []crosslane.TrySet) *crosslane.Explanation {
	if d.isa == crosslane.PTX {
		text += ";"
	}
	key := explainKey{text: text, isa: d.isa}
	for _, v := range set {
		key.values += v.Reg + "=" + strconv.FormatUint(v.Bits[0], 16) + " "
	}
	d.svc.mu.Lock()
	x, ok := d.svc.known[key]
	d.svc.mu.Unlock()
	if ok {
		return x
	}
	x, err := crosslane.Explain(text, crosslane.ExplainOptions{ISA: d.isa, Set: set})
	if err != nil {
		x = nil
	}
	d.svc.mu.Lock()
	if len(d.svc.known) >= maxKnown {
		clear(d.svc.known)
	}
	d.svc.known[key] = x
	d.svc.mu.Unlock()
	return x
}

// constants returns the registers of an instruction that have one write in their function, a copy of a constant.
func (d *Document) constants(s *statement) (set []crosslane.TrySet) {
	for _, a := range s.args {
		for t := a.from; t < a.to; t++ {
			sym := d.symbolAt(t)
			if sym == nil || sym.kind != symRegister {
				continue
			}
			if v, ok := d.constantOf(sym); ok {
				set = append(set, crosslane.TrySet{Reg: d.tok(t), Bits: []uint64{v}})
			}
		}
	}
	return set
}

// constantOf returns the value of a register that is written once, by a copy of a number without a guard.
func (d *Document) constantOf(sym *symbol) (v uint64, ok bool) {
	var by *statement
	for _, r := range sym.refs {
		if r.writes {
			if by != nil {
				return 0, false
			}
			by = &d.stmts[r.stmt]
		}
	}
	if by == nil || by.kind != instruction || by.op != by.from || len(by.args) != 2 {
		return 0, false
	}
	roles, known := ptx.RolesOf(d.parts(by), 2)
	if !known || !roles.Copies {
		return 0, false
	}
	from, to := d.fromTo(by.args[1].from, by.args[1].to)
	return number(d.text.text[from:to])
}

// number reads an integer as PTX writes it, with a sign.
func number(text string) (uint64, bool) {
	text = strings.TrimSuffix(strings.ReplaceAll(text, " ", ""), "U")
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		v, err := strconv.ParseUint(rest, 0, 64)
		return uint64(-int64(v)), err == nil
	}
	v, err := strconv.ParseUint(text, 0, 64)
	return v, err == nil
}

// exchanges reports whether an instruction lets lanes give each other values.
func (d *Document) exchanges(s *statement) bool {
	if s.kind != instruction || s.op < 0 {
		return false
	}
	if d.isa == crosslane.PTX {
		r, ok := ptx.RolesOf(d.parts(s), len(s.args))
		return ok && r.Exchanges
	}
	row, enc, forced := amdgpu.GFX803.LookUpSpelled(strings.ToLower(d.tok(s.op)))
	if row == nil {
		return false
	}
	if row.Flags.Has(amdgpu.FlagCrossLane) || forced && enc == amdgpu.EncDPP {
		return true
	}
	if row.Encs.Has(amdgpu.EncDPP) { // DPP without a suffix
		for t := s.opTo; t < s.to; t++ {
			if w := d.tok(t); strings.HasPrefix(w, "row_") || strings.HasPrefix(w, "wave_") || w == "quad_perm" {
				return true
			}
		}
	}
	return false
}
