package amdgpu

import (
	"fmt"
	"strings"
)

// modifier parses a modifier if one is next.
func (p *parser) modifier() (bool, *synErr) {
	p.space()
	col := p.pos
	id := p.ident()
	if id == "" {
		return false, nil
	}
	next := p.after(len(id))
	if p.t.IsRegister(id, next) {
		return false, nil
	}
	colon := next == ':'
	if ok, e := p.flagModifier(col, id, colon); ok || e != nil {
		return ok, e
	}
	m, ok := valueModifier(id)
	if !ok {
		return p.dppModifier(col, id, colon)
	}
	if !colon {
		if !p.row.takes(m) && p.rowHas(ClassLabel) {
			return false, nil // offset is a plausible name for a label
		}
		return false, errorf(col, "%s needs a value: %s:…", id, id).as("bad-modifier")
	}
	p.pos += len(id)
	p.take(":")
	val, e := p.modValue(m, id)
	if e != nil {
		return false, e
	}
	return true, p.add(col, m, val)
}

// add records a modifier.
func (p *parser) add(col int, m ModID, val int) *synErr {
	if p.has(m) {
		return errorf(col, "%s is given twice", m.Name()).as("bad-modifier")
	}
	p.mods = append(p.mods, synMod{col, m, val, strings.TrimSpace(p.s[col:p.pos])})
	return nil
}

// flagModifier parses a modifier that is a word: glc, or noglc, which clears it.
func (p *parser) flagModifier(col int, id string, colon bool) (bool, *synErr) {
	bare, no := strings.CutPrefix(id, "no")
	for m := range NumMods {
		name := m.Name()
		if m.kind() != modFlag || name == "" || colon || name != id && !(no && name == bare) {
			continue
		}
		if !p.row.takes(m) && (m >= ModHigh || p.rowHas(ClassLabel)) {
			continue // done and vm are plausible names for labels
		}
		p.pos += len(id)
		if name == id {
			return true, p.add(col, m, 1)
		}
		return true, nil
	}
	if id == "addr64" && !colon {
		return false, errorf(col, "%s has no addr64", p.t.Name).as("bad-modifier").try("use a flat instruction")
	}
	return false, nil
}

// valueModifier resolves the modifiers that have a value, except the DPP controls.
func valueModifier(id string) (ModID, bool) {
	switch id {
	case "mul", "div":
		return ModOMod, true
	case "format":
		return ModDFmt, true
	}
	for m := range NumMods {
		if k := m.kind(); m.Name() == id && k != modFlag && k != modOMod && k != modDPPCtrl {
			return m, true
		}
	}
	return 0, false
}

// modValue parses a modifier's value, after the colon.
func (p *parser) modValue(m ModID, id string) (int, *synErr) {
	p.space()
	col := p.pos
	switch m.kind() {
	case modSel, modUnused:
		name := selName
		n := 7
		if m.kind() == modUnused {
			name, n = unusedName, 3
		}
		if w := p.ident(); w != "" {
			for v := range n {
				if name(v) == w {
					p.pos += len(w)
					return v, nil
				}
			}
			return 0, errorf(col, "%s takes %s … %s, found %s", id, name(0), name(n-1), w).as("bad-modifier")
		}
	case modFormat:
		if id == "format" {
			return p.format()
		}
	case modDec:
		if id == "offset" && strings.HasPrefix(p.s[p.pos:], "swizzle") {
			return p.swizzle()
		}
	}
	v, e := p.integer("a number")
	if e != nil {
		return 0, e
	}
	switch {
	case m.kind() == modOMod:
		for code, t := range []string{"", "mul:2", "mul:4", "div:2"} {
			if t == fmt.Sprintf("%s:%d", id, v) {
				return code, nil
			}
		}
		if v == 1 {
			return 0, nil
		}
		return 0, errorf(col, "the output modifiers are mul:2, mul:4 and div:2, found %s:%d", id, v).as("bad-modifier")
	case m.kind() == modBound:
		// GCN3 cross-lane article: bound_ctrl:0 is legacy notation for BOUND_CTRL = 1.
		if v != 0 && v != 1 {
			return 0, errorf(col, "bound_ctrl takes 0 or 1, which both set the bit, found %d", v).as("bad-modifier")
		}
		return 1, nil
	case v < 0 || v > 1<<20:
		v = 1 << 20
		return 0, errorf(col, "%s is out of range", id).as("bad-modifier")
	}
	return int(v), nil
}

// dppModifier parses a DPP control.
func (p *parser) dppModifier(col int, id string, colon bool) (bool, *synErr) {
	switch id {
	case "row_mirror", "row_half_mirror":
		if colon {
			return false, errorf(col, "%s takes no number", id).as("bad-modifier")
		}
		p.pos += len(id)
		v := dppRowMirror
		if id == "row_half_mirror" {
			v = dppRowHalfMirror
		}
		return true, p.add(col, ModDPPCtrl, v)
	case "quad_perm":
		p.pos += len(id)
		v, e := p.quadPerm()
		if e != nil {
			return false, e
		}
		return true, p.add(col, ModDPPCtrl, v)
	}
	var ranges []dppRange
	for _, r := range dppRanges() {
		if r.name == id {
			ranges = append(ranges, r)
		}
	}
	if ranges == nil {
		return false, nil
	}
	want := fmt.Sprintf("%s takes %d", id, ranges[0].lo)
	if ranges[0].hi > ranges[0].lo {
		want += fmt.Sprintf("..%d", ranges[0].hi)
	}
	if len(ranges) > 1 {
		want += fmt.Sprintf(" or %d", ranges[1].lo)
	}
	if !colon {
		return false, errorf(col, "%s, but no colon follows", want).as("bad-modifier").try("write %s:%d", id, ranges[0].lo)
	}
	p.pos += len(id)
	p.take(":")
	p.space()
	at := p.pos
	v, e := p.integer("a lane count")
	if e != nil {
		return false, e
	}
	for _, r := range ranges {
		if v >= int64(r.lo) && v <= int64(r.hi) {
			return true, p.add(col, ModDPPCtrl, r.base+int(v))
		}
	}
	return false, errorf(at, "%s, found %d", want, v).as("bad-modifier")
}

// quadPerm parses :[a,b,c,d].
func (p *parser) quadPerm() (int, *synErr) {
	if !p.take(":") || !p.take("[") {
		return 0, errorf(p.pos, "quad_perm takes four lanes: quad_perm:[0,1,2,3]").as("bad-modifier")
	}
	v := 0
	for i := range 4 {
		if i > 0 && !p.take(",") {
			return 0, errorf(p.pos, "quad_perm takes four lanes, found %d", i).as("bad-modifier")
		}
		p.space()
		col := p.pos
		n, e := p.integer("a lane of the quad")
		if e != nil {
			return 0, e
		}
		if n < 0 || n > 3 {
			return 0, errorf(col, "a lane of a quad is 0..3, found %d", n).as("bad-modifier")
		}
		v |= int(n) << (2 * i)
	}
	if !p.take("]") {
		return 0, errorf(p.pos, "] is expected after four lanes, found %s", p.word()).as("bad-modifier")
	}
	return v, nil
}

// format parses the value of format: a number, or [BUF_DATA_FORMAT_…, BUF_NUM_FORMAT_…] with either
// part optional. It sets both modifiers and returns the data format.
func (p *parser) format() (int, *synErr) {
	d, n := defaultDFmt, 0
	col := p.pos
	if !p.take("[") {
		v, e := p.integer("a buffer format")
		if e != nil {
			return 0, e
		}
		if v < 0 || v > 127 {
			return 0, errorf(col, "a buffer format is 0..127, found %d", v).as("bad-modifier")
		}
		d, n = int(v&15), int(v>>4)
	} else {
		for dSet, nSet := false, false; ; {
			p.space()
			at := p.pos
			w := p.ident()
			p.pos += len(w)
			switch {
			case formatPart(w, prefixDataFormat, dataFormats(), &d):
				if dSet {
					return 0, errorf(at, "a second data format, %s", w).as("bad-modifier")
				}
				dSet = true
			case formatPart(w, prefixNumFormat, numFormatNames(), &n):
				if nSet {
					return 0, errorf(at, "a second number format, %s", w).as("bad-modifier")
				}
				nSet = true
			default:
				return 0, errorf(at, "%q is no buffer format", w).as("bad-modifier")
			}
			if p.take("]") {
				break
			}
			if !p.take(",") {
				return 0, errorf(p.pos, "] is expected after a buffer format, found %s", p.word()).as("syntax")
			}
		}
	}
	return d, p.add(col, ModNFmt, n)
}

// formatPart sets v to the index of a name with the given prefix.
func formatPart(w, prefix string, names []string, v *int) bool {
	rest, ok := strings.CutPrefix(w, prefix)
	if !ok {
		return false
	}
	for i, n := range names {
		if n == rest {
			*v = i
			return true
		}
	}
	return false
}

// swizzle parses swizzle(MODE, …).
func (p *parser) swizzle() (int, *synErr) {
	col := p.pos
	if !p.row.Flags.Has(FlagSwizzle) {
		return 0, errorf(col, "only ds_swizzle_b32 takes a swizzle pattern").as("bad-modifier")
	}
	p.pos += len("swizzle")
	if !p.take("(") {
		return 0, errorf(p.pos, "( is expected after swizzle").as("syntax")
	}
	mode := p.ident()
	p.pos += len(mode)
	args := []int64{}
	mask := ""
	for p.take(",") {
		p.space()
		if mode == "BITMASK_PERM" && p.peek() == '"' {
			end := strings.IndexByte(p.s[p.pos+1:], '"')
			if end < 0 {
				return 0, errorf(p.pos, "the mask has no closing quote").as("syntax")
			}
			mask = p.s[p.pos+1 : p.pos+1+end]
			p.pos += end + 2
			continue
		}
		v, e := p.integer("a number")
		if e != nil {
			return 0, e
		}
		args = append(args, v)
	}
	if !p.take(")") {
		return 0, errorf(p.pos, ") is expected after the swizzle pattern, found %s", p.word()).as("syntax")
	}
	v, msg := swizzlePattern(mode, args, mask)
	if msg != "" {
		return 0, errorf(col, "%s", msg).as("bad-modifier")
	}
	return v, nil
}
