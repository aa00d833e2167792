package amdgpu

import (
	"math"
	"strconv"
	"strings"
)

// synOp is an operand as written.
type synOp struct {
	col  int
	text string
	reg  Operand // KindVGPR, KindSGPR or KindSpecial; KindNone for a constant
	off  bool    // the word off
	// A constant: an integer, or a float.
	num      bool
	val      int64
	f        float64
	float    bool
	lit      bool // lit(…), or symbolic: a literal dword is required
	symbolic bool // val is known only at the end of the file
	why      string
	label    bool // val is an offset in the section
	isField  bool // val is a whole field: hwreg(…), sendmsg(…), counters, gpr_idx(…)
	neg, abs bool
	sext     bool
}

// operand parses one operand.
func (p *parser) operand() (synOp, *synErr) {
	p.space()
	o := synOp{col: p.pos}
	e := p.modified(&o)
	o.text = strings.TrimSpace(p.s[o.col:p.pos])
	return o, e
}

// modified parses an operand with its input modifiers: -x, |x|, neg(x), abs(x), sext(x), and
// lit(x).
func (p *parser) modified(o *synOp) *synErr {
	if p.peek() == '-' {
		if p.after(1) == '-' {
			return errorf(p.pos+1, "two minus signs are ambiguous").try("write neg(…)").as("syntax")
		}
		if p.negates() {
			p.pos++
			o.neg = true
		}
	}
	closers := ""
	for {
		id := p.ident()
		call := id != "" && p.after(len(id)) == '('
		switch {
		case p.peek() == '|' && !o.abs:
			p.pos++
			o.abs = true
			closers += "|"
			continue
		case call && id == "neg" && !o.neg && !o.abs && !o.sext:
			o.neg = true
		case call && id == "abs" && !o.abs && !o.sext:
			o.abs = true
		case call && id == "sext" && !o.sext && !o.abs && !o.neg:
			o.sext = true
		case call && id == "lit" && !o.lit:
			o.lit = true
		default:
			col := p.pos
			if e := p.atom(o, strings.HasSuffix(closers, "|")); e != nil {
				return e
			}
			if o.lit && !o.num {
				return errorf(col, "lit(…) holds a number, found %s", strings.TrimSpace(p.s[col:p.pos])).as("syntax")
			}
			return p.close(closers)
		}
		p.pos += len(id)
		p.take("(")
		closers += ")"
	}
}

// close consumes the closing brackets of input modifiers.
func (p *parser) close(closers string) *synErr {
	for i := len(closers) - 1; i >= 0; i-- {
		if closers[i] == '|' && strings.HasPrefix(p.s[p.pos:], "||") {
			return errorf(p.pos, "|| is an operator").try("write a blank between the two |").as("syntax")
		}
		if !p.take(closers[i : i+1]) {
			return errorf(p.pos, "%q is expected, found %s", closers[i:i+1], p.word()).as("syntax")
		}
	}
	return nil
}

// negates reports whether a minus sign is an input modifier, not part of a number or expression.
func (p *parser) negates() bool {
	ahead := p.scanner
	ahead.pos++
	if ahead.peek() == '|' {
		return true
	}
	id := ahead.ident()
	if id == "" {
		return ahead.peek() == '['
	}
	if ahead.after(len(id)) == '(' {
		return id == "abs" || id == "neg" || id == "sext" || id == "lit"
	}
	return p.t.IsRegister(id, ahead.after(len(id)))
}

// IsRegister reports whether an identifier names a register.
func (t *Target) IsRegister(id string, next byte) bool {
	if _, ok := t.namedRegister(id); ok {
		return true
	}
	for _, f := range []string{"v", "s", "ttmp"} {
		if rest, ok := strings.CutPrefix(id, f); ok {
			if rest == "" {
				return next == '['
			}
			if allDigits(rest) {
				return true
			}
		}
	}
	return false
}

func allDigits(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return s != ""
}

// namedRegister resolves the registers with names.
func (t *Target) namedRegister(id string) (Operand, bool) {
	base, half := id, -1
	if b, ok := strings.CutSuffix(id, "_lo"); ok {
		base, half = b, 0
	} else if b, ok := strings.CutSuffix(id, "_hi"); ok {
		base, half = b, 1
	}
	for i := range t.Scalars {
		switch r := &t.Scalars[i]; {
		case r.Numbered || r.Name != base:
		case half < 0:
			return S(int(r.Code), int(r.N)), true
		case r.N == 2:
			return S(int(r.Code)+half, 1), true
		}
	}
	r := -1
	switch strings.TrimPrefix(id, "src_") {
	case "vccz":
		r = RegVCCZ
	case "execz":
		r = RegEXECZ
	case "scc":
		r = RegSCC
	case "lds_direct":
		r = RegLDSDirect
	}
	if r >= 0 {
		return Operand{Kind: KindSpecial, Reg: uint16(r), Dwords: 1}, true
	}
	return Operand{}, false
}

// otherGPU reports whether a register exists on other GPUs only.
func otherGPU(id string) bool {
	base := strings.TrimSuffix(strings.TrimSuffix(id, "_lo"), "_hi")
	switch strings.TrimPrefix(base, "src_") {
	case "xnack_mask", "null", "shared_base", "shared_limit", "private_base", "private_limit", "pops_exiting_wave_id", "flat_scratch_base":
		return true
	}
	return false
}

// atom parses a register, "off", a number, a field macro or an expression.
func (p *parser) atom(o *synOp, inAbs bool) *synErr {
	p.space()
	start := p.pos
	if p.peek() == '[' {
		return p.registerList(o)
	}
	id := p.ident()
	next := p.after(len(id))
	if ok, e := p.graphicsOperand(o, id); ok || e != nil {
		return e
	}
	switch {
	case p.peek() == '{' && p.rowHas(ClassHWReg):
		return p.hwRegFields(o)
	case id == "":
	case id == "off":
		p.pos += len(id)
		o.off = true
		return nil
	case otherGPU(id):
		return errorf(start, "%s has no register %s", p.t.Name, id)
	case p.t.IsRegister(id, next):
		return p.register(o, id)
	case next == '(':
		if ok, e := p.macro(o, id); ok || e != nil {
			return e
		}
	}
	return p.constant(o, inAbs)
}

// register parses v1, s[2:3], ttmp4, vcc and similar registers.
func (p *parser) register(o *synOp, id string) *synErr {
	start := p.pos
	p.pos += len(id)
	if r, ok := p.t.namedRegister(id); ok {
		o.reg = r
		return nil
	}
	file := strings.TrimRight(id, "0123456789")
	first, last := 0, 0
	if file != id {
		n, err := strconv.Atoi(id[len(file):])
		if err != nil || n > 1000 {
			n = 1000
		}
		first, last = n, n
	} else {
		p.take("[")
		a, e := p.index()
		if e != nil {
			return e
		}
		first, last = a, a
		if p.take(":") {
			if last, e = p.index(); e != nil {
				return e
			}
		}
		if !p.take("]") {
			return errorf(p.pos, "] is expected after a register range, found %s", p.word()).as("syntax")
		}
	}
	return o.setRegister(p.t, start, file, first, last)
}

// index evaluates a register number.
func (p *parser) index() (int, *synErr) {
	p.space()
	col := p.pos
	v, e := p.integer("a register number")
	if e != nil {
		return 0, e
	}
	if v < 0 || v > 1000 {
		v = 1000
	}
	if v == 1000 {
		return 1000, errorf(col, "this register number is out of range")
	}
	return int(v), nil
}

// setRegister sets the operand to a run of registers of a file.
func (o *synOp) setRegister(t *Target, col int, file string, first, last int) *synErr {
	n := last - first + 1
	if n < 1 {
		return errorf(col, "the register range %d to %d is backwards", first, last)
	}
	limit, base := t.VGPRs-1, 0
	for i := range t.Scalars {
		if r := &t.Scalars[i]; r.Numbered && r.Name == file {
			limit, base = int(r.N)-1, int(r.Code)
		}
	}
	if last > limit {
		return errorf(col, "the last register of this kind is %s%d, found %s%d", file, limit, file, last)
	}
	if file == "v" {
		o.reg = V(first, min(n, math.MaxUint8))
		return nil
	}
	if !t.sgprOK(uint16(base+first), n) {
		if n > 16 {
			return errorf(col, "a scalar operand has 16 registers at most")
		}
		align := min(n, 4)
		if n == 3 {
			align = 4
		}
		return errorf(col, "%s starts at a number that is no multiple of %d", regRange(file, first, n), align).
			try("%s would do", regRange(file, first-first%align, n))
	}
	o.reg = S(base+first, n)
	return nil
}

// registerList parses [s0,s1,s2]: consecutive registers.
func (p *parser) registerList(o *synOp) *synErr {
	start := p.pos
	p.take("[")
	var all synOp
	for {
		p.space()
		col := p.pos
		var one synOp
		id := p.ident()
		if id == "" || !p.t.IsRegister(id, p.after(len(id))) {
			return errorf(col, "a register is expected in the list, found %s", p.word()).as("syntax")
		}
		if e := p.register(&one, id); e != nil {
			return e
		}
		if all.reg.Kind == KindNone {
			all = one
		} else if one.reg.Kind != all.reg.Kind || one.reg.Reg != all.reg.Reg+uint16(all.reg.Dwords) || one.reg.Dwords != 1 || all.reg.Dwords >= 16 {
			return errorf(col, "the registers of a list must follow each other")
		} else {
			all.reg.Dwords++
		}
		if p.take("]") {
			break
		}
		if !p.take(",") {
			return errorf(p.pos, "] is expected after a register list, found %s", p.word()).as("syntax")
		}
	}
	if all.reg.Kind == KindSGPR && !p.t.sgprOK(all.reg.Reg, int(all.reg.Dwords)) {
		return errorf(start, "a run of %d scalar registers cannot start here", all.reg.Dwords)
	}
	o.reg = all.reg
	return nil
}

// constant parses a number or an expression.
func (p *parser) constant(o *synOp, inAbs bool) *synErr {
	t := p.scanner
	minus := t.take("-")
	if text, float := t.number(); float {
		f, err := strconv.ParseFloat(text, 64)
		if err != nil && !math.IsInf(f, 0) || strings.Contains(text, "_") {
			return errorf(p.pos, "%s is no number", text).as("syntax")
		}
		if minus {
			f = -f
		}
		p.pos = t.pos + len(text)
		if p.pos < len(p.s) && strings.IndexByte("+-*/%&^<>=!", p.s[p.pos]) >= 0 {
			return errorf(p.pos, "a floating-point number cannot be part of an expression").as("syntax")
		}
		o.num, o.float, o.f = true, true, f
		return nil
	}
	col := p.pos
	text := p.expr(inAbs)
	if text == "" {
		switch w := p.word(); {
		case strings.HasPrefix(w, `"(`):
			return errorf(p.pos, "( without ), found %s", w).as("syntax")
		case isDigit(p.peek()) || isIdentStart(p.peek()):
			return errorf(p.pos, "an operator has no operand after it, found %s", w).as("syntax")
		default:
			return errorf(p.pos, "an operand is expected, found %s", w).as("syntax")
		}
	}
	v, e := p.eval(col, text)
	if e != nil {
		return e
	}
	o.num, o.val, o.label = true, v.Int, v.Label
	if v.Symbolic {
		// The linker or the end of the file fills the literal later, and cannot apply modifiers.
		if o.neg || o.abs || o.sext || o.lit {
			return errorf(col, "a modifier needs a number that is known here%s", v.Why).try("define the symbol above this line")
		}
		o.symbolic, o.why, o.lit = true, v.Why, true
	}
	return nil
}

// eval evaluates an expression: a number directly, any other expression through the caller's Eval.
func (p *parser) eval(col int, text string) (Value, *synErr) {
	num, minus := strings.CutPrefix(text, "-")
	if v, ok := parseInt(strings.TrimSpace(num)); ok {
		if minus {
			v = -v
		}
		return Value{Int: v}, nil
	}
	if p.opt.Eval == nil {
		return Value{}, errorf(col, "%s is neither a register nor a number", text)
	}
	v, err := p.opt.Eval(text)
	if err != nil {
		return Value{}, errorf(col, "%v", err)
	}
	return v, nil
}

// integer parses an expression whose value is needed now.
func (p *parser) integer(what string) (int64, *synErr) { return p.integerOf(ClassNone, what) }

// integerOf is integer for an operand of a class.
func (p *parser) integerOf(c Class, what string) (int64, *synErr) {
	p.space()
	col := p.pos
	text := p.expr(false)
	if text == "" {
		return 0, errorf(p.pos, "%s is expected, found %s", what, p.word()).as("syntax")
	}
	v, e := p.eval(col, text)
	if e == nil && v.Symbolic {
		e = p.t.notKnown(c, col, text, v.Why)
	}
	return v.Int, e
}
