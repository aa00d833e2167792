package amdgpu

import "strings"

// macro parses the operands that look like calls: hwreg(…), sendmsg(…), gpr_idx(…) and the counters
// of s_waitcnt. It returns false if the name is another one.
func (p *parser) macro(o *synOp, id string) (bool, *synErr) {
	var parse func() (int, *synErr)
	var class Class
	switch {
	case id == "hwreg":
		parse, class = p.hwReg, ClassHWReg
	case id == "sendmsg":
		parse, class = p.message, ClassMsg
	case id == "gpr_idx":
		parse, class = p.gprIdx, ClassGPRIdx
	case p.rowHas(ClassWait):
		parse, class = p.waitCounts, ClassWait
	default:
		return false, nil
	}
	if !p.rowHas(class) {
		return false, errorf(p.pos, "%s takes no %s(…)", p.row.Name, id)
	}
	if class != ClassWait {
		p.pos += len(id)
		p.take("(")
	}
	v, e := parse()
	if e != nil {
		return false, e
	}
	if class != ClassWait && !p.take(")") {
		return false, errorf(p.pos, ") is expected after %s(…, found %s", id, p.word()).as("syntax")
	}
	o.num, o.isField, o.val = true, true, int64(v)
	return true, nil
}

// hwRegFields parses {id: N, offset: N, size: N}, the form of hwreg(…) with names: in any order,
// each at most once.
func (p *parser) hwRegFields(o *synOp) *synErr {
	p.take("{")
	field := []struct {
		name, what string
		lo, hi     int64
		val        int
		given      bool
	}{
		{name: "id", what: "a hardware register", hi: 63},
		{name: "offset", what: "the bit offset", hi: 31},
		{name: "size", what: "the number of bits", lo: 1, hi: 32, val: 32},
	}
next:
	for first := true; first || !p.take("}"); first = false {
		if first && p.take("}") {
			break
		}
		if !first && !p.take(",") {
			return errorf(p.pos, "a comma or } is expected, found %s", p.word()).as("syntax")
		}
		p.space()
		id := p.ident()
		for i := range field {
			f := &field[i]
			if f.name != id {
				continue
			}
			if f.given {
				return errorf(p.pos, "%s is given twice", id)
			}
			p.pos += len(id)
			if !p.take(":") {
				return errorf(p.pos, ": is expected after %s, found %s", id, p.word()).as("syntax")
			}
			v, e := p.bounded(f.what, f.lo, f.hi)
			if e != nil {
				return e
			}
			f.val, f.given = v, true
			continue next
		}
		return errorf(p.pos, "the fields are id, offset and size, found %s", p.word())
	}
	o.num, o.isField, o.val = true, true, int64(field[0].val|field[1].val<<6|(field[2].val-1)<<11)
	return nil
}

func (p *parser) rowHas(c Class) bool { return p.row.operand(c) >= 0 }

// waitCounts parses vmcnt(0) & expcnt(0), lgkmcnt(0): counters joined by &, a comma or nothing. An
// omitted counter is not waited for. A name with _sat clamps a number that is too large.
func (p *parser) waitCounts() (int, *synErr) {
	v := p.t.waitAll
	for {
		p.space()
		col := p.pos
		id := p.ident()
		p.pos += len(id)
		name, sat := strings.CutSuffix(id, "_sat")
		var f *WaitCounter
		for i := range p.t.Counters {
			if w := &p.t.Counters[i]; w.Name == name {
				f = w
			}
		}
		if f == nil {
			return 0, errorf(col, "the counters are vmcnt, expcnt and lgkmcnt, found %q", id)
		}
		if !p.take("(") {
			return 0, errorf(p.pos, "( is expected after %s, found %s", id, p.word()).as("syntax")
		}
		p.space()
		at := p.pos
		n, e := p.integer("a number of operations")
		if e != nil {
			return 0, e
		}
		if n < 0 || n > int64(f.Max()) {
			if !sat || n < 0 {
				return 0, errorf(at, "%s counts 0..%d, found %d", name, f.Max(), n).try("write %s_sat to clamp it", name)
			}
			n = int64(f.Max())
		}
		if !p.take(")") {
			return 0, errorf(p.pos, ") is expected after %s(%d, found %s", id, n, p.word()).as("syntax")
		}
		v = v&^(f.Max()<<f.Lo) | int(n)<<f.Lo
		if p.peek() == 0 {
			return v, nil
		}
		if !p.take("&") {
			p.take(",")
		}
	}
}

// numberOrName parses a number, or one of the names; a name's number is its index plus first.
func (p *parser) numberOrName(c Class, what string, names []string, prefix string, first int) (int, *synErr) {
	p.space()
	col := p.pos
	if id := p.ident(); id != "" {
		for i, n := range names {
			if n != "" && prefix+n == id {
				p.pos += len(id)
				return i + first, nil
			}
		}
	}
	v, e := p.integerOf(c, what)
	if e != nil {
		return 0, e
	}
	if v < 0 || v > 0xffff {
		return 0, errorf(col, "%s is out of range", what)
	}
	return int(v), nil
}

// hwReg parses the inside of hwreg(name, offset, size).
func (p *parser) hwReg() (int, *synErr) {
	p.space()
	col := p.pos
	id, e := p.numberOrName(ClassHWReg, "a hardware register", p.t.HWRegs, "HW_REG_", 0)
	if e != nil {
		if e.code == "bad-operand" {
			e.remedy = p.t.remedyHWReg()
		}
		return 0, e
	}
	if id > 63 {
		return 0, errorf(col, "a hardware register is 0..63, found %d", id)
	}
	off, size := 0, 32
	if p.take(",") {
		if off, e = p.bounded("the bit offset", 0, 31); e != nil {
			return 0, e
		}
		if !p.take(",") {
			return 0, errorf(p.pos, "a comma and the number of bits are expected, found %s", p.word()).as("syntax")
		}
		if size, e = p.bounded("the number of bits", 1, 32); e != nil {
			return 0, e
		}
	}
	return id | off<<6 | (size-1)<<11, nil
}

// bounded parses a number from lo to hi.
func (p *parser) bounded(what string, lo, hi int64) (int, *synErr) {
	return p.boundedOf(ClassNone, what, lo, hi)
}

// boundedOf is bounded for an operand of a class.
func (p *parser) boundedOf(c Class, what string, lo, hi int64) (int, *synErr) {
	p.space()
	col := p.pos
	v, e := p.integerOf(c, what)
	if e != nil {
		return 0, e
	}
	if v < lo || v > hi {
		return 0, errorf(col, "%s is %d..%d, found %d", what, lo, hi, v)
	}
	return int(v), nil
}

// message parses the inside of sendmsg(message, operation, stream).
func (p *parser) message() (int, *synErr) {
	id := p.ident()
	var msg *message
	for _, m := range p.t.messages {
		if m.name == id {
			msg = &m
		}
	}
	if msg == nil {
		return p.messageNumbers()
	}
	p.pos += len(id)
	v := msg.id
	if msg.ops == nil {
		if p.peek() == ',' {
			return 0, errorf(p.pos, "%s has no operation", msg.name)
		}
		return v, nil
	}
	if !p.take(",") {
		return 0, errorf(p.pos, "%s needs an operation: %s", msg.name, strings.Join(msg.ops, ", "))
	}
	p.space()
	col := p.pos
	op, e := p.numberOrName(ClassNone, "a message operation", msg.ops, "", msg.firstO)
	if e != nil {
		return 0, e
	}
	if op < msg.firstO || op >= msg.firstO+len(msg.ops) {
		return 0, errorf(col, "%s has no operation %d", msg.name, op)
	}
	v |= op << 4
	if p.take(",") {
		if !msg.stream || msg.ops[op-msg.firstO] == "GS_OP_NOP" {
			return 0, errorf(p.pos, "%s has no stream", msg.ops[op-msg.firstO])
		}
		s, e := p.bounded("the stream", 0, 3)
		if e != nil {
			return 0, e
		}
		v |= s << 8
	}
	return v, nil
}

// messageNumbers parses a message given by numbers.
func (p *parser) messageNumbers() (int, *synErr) {
	id, e := p.boundedOf(ClassMsg, "the message", 0, 15)
	if e != nil {
		return 0, e
	}
	op, stream := 0, 0
	if p.take(",") {
		var ops []string
		first := 0
		for _, m := range p.t.messages {
			if m.id == id {
				ops, first = m.ops, m.firstO
			}
		}
		p.space()
		col := p.pos
		if op, e = p.numberOrName(ClassNone, "the operation", ops, "", first); e != nil {
			return 0, e
		}
		if op > 7 {
			return 0, errorf(col, "the operation is 0..7, found %d", op)
		}
		if p.take(",") {
			if stream, e = p.bounded("the stream", 0, 3); e != nil {
				return 0, e
			}
		}
	}
	return id | op<<4 | stream<<8, nil
}

// gprIdx parses the inside of gpr_idx(SRC0, DST).
func (p *parser) gprIdx() (int, *synErr) {
	v := 0
	if p.peek() == ')' {
		return 0, nil
	}
	for {
		p.space()
		col := p.pos
		id := p.ident()
		bit := -1
		for i, n := range gprIdxNames() {
			if n == id {
				bit = i
			}
		}
		if bit < 0 {
			return 0, errorf(col, "gpr_idx takes SRC0, SRC1, SRC2 and DST, found %s", p.word())
		}
		if v>>bit&1 != 0 {
			return 0, errorf(col, "%s is given twice", id)
		}
		p.pos += len(id)
		v |= 1 << bit
		if !p.take(",") {
			return v, nil
		}
	}
}
