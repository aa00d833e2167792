package static

import (
	"fmt"

	"example.org/crosslane/diag"
	"example.org/crosslane/internal/ir"
	"example.org/crosslane/lane"
)

// shuffle checks the operands b and c of a shuffle (PTX 9.7.9.5, 9.7.9.6).
func (c *checker) shuffle(b int32, i int, in *ir.Inst) {
	a := c.a
	here := c.at(b, i, in).may
	if here == 0 {
		return
	}
	vb, vc := a.operand(i, 1), a.operand(i, 2)
	bits, ok := vc.constantIn(here)
	if !ok {
		return
	}
	mode := lane.ShflMode(in.Imm)
	sc := lane.ParseC(uint32(bits))
	width, regular := sc.Regular(mode)

	var none lane.Mask // lanes whose source is out of range
	if vb.kind == known {
		for l := range here.Lanes() {
			if _, in := lane.ShflSource(mode, l, uint32(vb.at(l)), uint32(bits)); !in {
				none |= lane.Lane(l)
			}
		}
	}
	switch {
	case !regular && (vb.kind != known || none != 0):
		c.report(i, diag.Warning, codeSegments, 0, "pack c as (32 - width) << 8, with 0x1f in the low bits for idx, down and bfly, 0 for up, and width a power of two",
			"c = 0x%x does not divide the warp into the usual segments: %s", bits, sc.Describe(mode))
		return
	case bits&^0x1f1f != 0 && bits&0xffffffff != 0xffffffff:
		c.report(i, diag.Warning, codeSegments, 0, fmt.Sprintf("write c = 0x%x", bits&0x1f1f), "c = 0x%x has bits that do not count: it acts as 0x%x: %s", bits, bits&0x1f1f, sc.Describe(mode))
		return
	}
	if vb.kind != known || width <= 1 {
		return
	}
	// Findings about one number: b is equal in all lanes that may come.
	off, same := vb.constantIn(here)
	name := [...]string{lane.ShflUp: "offset", lane.ShflDown: "offset", lane.ShflBfly: "lane mask", lane.ShflIdx: "lane index"}[mode]
	switch {
	case none == here && same:
		c.report(i, diag.Warning, codeRange, none, "use a smaller "+name+", or wider segments", "%s %d is out of range for every lane, in segments of %d lanes: every lane keeps its own value", name, off&31, width)
	case same && off > 31 && mode != lane.ShflIdx:
		c.report(i, diag.Warning, codeRange, 0, "use an "+name+" below 32", "%s %d acts as %d: only its low five bits count", name, off, off&31)
	case same && mode == lane.ShflBfly && off&31 >= uint64(width) && none != 0:
		// A lane below its partner has no source; the lane above reads it (PTX 9.7.9.6).
		other := here &^ none
		c.report(i, diag.Warning, codeRange, none, fmt.Sprintf("use a lane mask below %d, or wider segments", width), "lane mask %d leads out of segments of %d lanes: %s no source in range, and %s from %s",
			off, width, none.Do("has", "have"), other.Do("reads", "read"), verb(other, "another segment", "other segments"))
	case same && mode == lane.ShflIdx && off >= uint64(width):
		c.report(i, diag.Note, codeRange, 0, "write the lane of the segment that is meant", "lane index %d in segments of %d lanes acts as %d", off, width, off&uint64(width-1))
	}
	if none != 0 && none != here && regular {
		c.unusedPredicate(b, i, in, none)
	}
}

// arithmetic checks shifts, bit fields and divisions by known numbers.
func (c *checker) arithmetic(b int32, i int, in *ir.Inst) {
	here := c.at(b, i, in).may
	known := func(k int) (uint64, bool) { v := c.a.operand(i, k); return v.constantIn(here) }
	switch in.Op {
	case ir.Shl16, ir.Shl32, ir.Shl64, ir.ShrU16, ir.ShrU32, ir.ShrU64, ir.ShrS16, ir.ShrS32, ir.ShrS64:
		if !c.alone(i) {
			return
		}
		w := uint64(bitsOf(ir.Ops[in.Op].Res))
		if n, ok := known(1); ok && n >= w {
			left := "nothing of the value is left"
			if in.Op == ir.ShrS16 || in.Op == ir.ShrS32 || in.Op == ir.ShrS64 {
				left += " but its sign"
			}
			c.report(i, diag.Warning, codeShift, 0, fmt.Sprintf("shift by less than %d", w), "shifts %d bits by %d: %s", w, n, left)
		}
	case ir.ShfLClamp, ir.ShfRClamp, ir.ShfLWrap, ir.ShfRWrap:
		// .wrap counts modulo 32 by definition, and compilers use it to shift values of 128 bits.
		acts, sev, most := uint64(32), diag.Warning, uint64(32)
		n, ok := known(2)
		if in.Op == ir.ShfLWrap || in.Op == ir.ShfRWrap {
			acts, sev, most = n&31, diag.Note, 31
		}
		if ok && n > most {
			c.report(i, sev, codeShift, 0, fmt.Sprintf("write %d", acts), "a shift by %d acts as one by %d", n, acts)
		}
		c.funnel(i, in)
	case ir.BfeU32, ir.BfeS32, ir.BfeU64, ir.BfeS64:
		w := uint64(bitsOf(ir.Ops[in.Op].Res))
		counts := uint64(0xff) // the bits that count of position and length
		if w == 64 {
			counts = 1<<32 - 1 // Errata E117
		}
		pos, ok := known(1)
		if n, ok2 := known(2); ok && pos&counts >= w {
			c.report(i, diag.Warning, codeShift, 0, fmt.Sprintf("begin below bit %d", w), "takes bits from %d on, of a value of %d bits", pos&counts, w)
		} else if ok2 && n&counts == 0 {
			c.report(i, diag.Warning, codeShift, 0, "take one bit or more", "takes 0 bits: the result is 0")
		}
	case ir.DivU16, ir.DivU32, ir.DivU64, ir.DivS16, ir.DivS32, ir.DivS64, ir.RemU16, ir.RemU32, ir.RemU64, ir.RemS16, ir.RemS32, ir.RemS64:
		if n, ok := known(1); ok && n == 0 {
			c.report(i, diag.Warning, codeZeroDivisor, 0, "guard the division, or give the divisor another value", "divides by 0: the result is not specified, and depends on the machine")
		}
	}
}

// alone reports whether operation i is the only operation of its guest instruction.
func (c *checker) alone(i int) bool {
	p := c.f.Code[i].Pos
	return (i == 0 || c.f.Code[i-1].Pos != p) && (i+1 == len(c.f.Code) || c.f.Code[i+1].Pos != p)
}

// funnel finds a funnel shift of the halves of one 64-bit value that are given as (high, low), although
// a is the low word (PTX 9.7.8.7). It is not reported if the correct order stands beside it: then both
// are parts of a rotation of 64 bits.
func (c *checker) funnel(i int, in *ir.Inst) {
	half := func(k int) (of id, high, ok bool) {
		d := c.s.ops[i*opCount+k]
		for range 4 {
			j, made := c.s.inst(d)
			if !made {
				return 0, false, false
			}
			switch x := &c.f.Code[j]; x.Op {
			case ir.Mov32:
				d = c.s.ops[j*opCount]
			case ir.Hi32:
				return c.s.ops[j*opCount], true, true
			case ir.Lo32:
				return c.s.ops[j*opCount], false, true
			case ir.CvtU32FromU64:
				of := c.s.ops[j*opCount]
				if s, made := c.s.inst(of); made && c.f.Code[s].Op == ir.ShrU64 {
					if n := c.a.operand(s, 1); n.kind == known && n.vec == nil && n.c == 32 {
						return c.s.ops[s*opCount], true, true
					}
				}
				return of, false, true
			default:
				return 0, false, false
			}
		}
		return 0, false, false
	}
	a, aHigh, ok1 := half(0)
	b, bHigh, ok2 := half(1)
	if !ok1 || !ok2 || a != b || !aHigh || bHigh {
		return
	}
	// The other half of a 64-bit rotation has the operands exchanged and stands nearby.
	for j := max(0, i-64); j < min(len(c.f.Code), i+64); j++ {
		if x := &c.f.Code[j]; j != i && x.Op == in.Op && c.s.ops[j*opCount+1] == c.s.ops[i*opCount] && c.s.ops[j*opCount] == c.s.ops[i*opCount+1] {
			return
		}
	}
	c.report(i, diag.Note, codeFunnel, 0, "give the low half first: shf d, low, high, n; to rotate one word give it twice", "a is the high half of a 64-bit value and b its low half, but a is the low word of the shifted value")
}

// access checks the address of a memory operation: alignment, bounds and bank conflicts.
func (c *checker) access(b int32, i int, in *ir.Inst) {
	a := c.a
	p := c.at(b, i, in)
	here := p.may
	if here == 0 {
		return
	}
	v := a.operand(i, 0)
	if v.kind != known && v.kind != shared {
		return
	}
	t := c.f.Val(in.Args[0]).Type
	m := maskOf(t)
	off := in.Offset()
	if al := uint64(in.Align); al > 1 && (v.kind == known || v.align < 64 && uint64(1)<<v.align >= al) {
		var bad lane.Mask
		for l := range here.Lanes() {
			if (v.at(l)+off)&(al-1) != 0 {
				bad |= lane.Lane(l)
			}
		}
		if bad&p.must != 0 || bad == here && bad != 0 {
			l := bad.First()
			c.report(i, diag.Error, codeMisaligned, bad, "make the address a multiple of the access's size", "%s an address that is no multiple of %d: %d modulo %d in lane %d", bad.Do("uses", "use"), al, (v.at(l)+off)&(al-1), al, l)
			return
		}
	}
	if in.Surplus {
		return // no memory need be there
	}
	// Each lane accesses in.Size bytes at the same offset from its address.
	whole := func(int) byteRange { return byteRange{off, uint64(in.Size)} }
	switch {
	case in.Space == ir.Shared:
		if v.kind == known && !c.opt.DynamicShared && c.beyond(i, p, v, m, uint64(c.f.SharedStatic), whole, "shared memory", "the kernel declares", "declare more .shared memory, or keep these lanes away") {
			return
		}
	case in.Space == ir.Param:
		if v.kind == known && c.opt.ParamSize > 0 {
			c.beyond(i, p, v, m, c.opt.ParamSize, whole, "the parameters", "the kernel has", "check the offset from the parameter's name")
		}
		return
	default:
		if n, at, ok := c.variable(i); ok && c.opt.Vars[n].Size > 0 {
			v := &c.opt.Vars[n]
			c.beyond(i, p, at, ^uint64(0), v.Size, whole, v.Name, "it has", "check the index against the array's size, or keep these lanes away")
		}
		return
	}
	if in.Op != ir.Atomic {
		c.banks(i, in, v, here)
	}
}

// beyond reports an access that certainly leaves the size bytes that exist, in lanes that certainly
// make it. part gives the bytes of a lane's access.
func (c *checker) beyond(i int, p presence, v value, m, size uint64, part func(lane int) byteRange, what, has, remedy string) bool {
	var bad lane.Mask
	for l := range p.may.Lanes() {
		s := part(l)
		// The subtraction cannot wrap, unlike at + s.size.
		if at := (v.at(l) + s.off) & m; at > size || size-at < s.size {
			bad |= lane.Lane(l)
		}
	}
	if bad&p.must == 0 && bad != p.may || bad == 0 {
		return false
	}
	l := bad.First()
	at := (v.at(l) + part(l).off) & m
	if m == 1<<32-1 {
		at = uint64(int64(int32(at)))
	}
	c.report(i, diag.Error, codeOutOfBounds, bad, remedy, "%s %s at %d%s (lane %d), but %s %d bytes", bad.Do("uses", "use"), what, int64(at), upTo(int64(at), part(l).size), l, has, size)
	return true
}

// upTo returns the text for the end of an access that is longer than an access of one lane.
func upTo(at int64, size uint64) string {
	if size <= 16 {
		return ""
	}
	return fmt.Sprintf(" to %d", at+int64(size))
}

// variable finds the variable of the module whose address, plus a known number, instruction i uses. at
// is that number.
func (c *checker) variable(i int) (n uint64, at value, ok bool) {
	if len(c.opt.Vars) == 0 {
		return 0, at, false
	}
	at = constant(0)
	d := c.s.ops[i*opCount]
	for range maxOrigin {
		if d < c.s.firstInst {
			for _, in := range c.f.Inputs {
				if in.Kind == ir.LaunchValue && idFirst+id(in.Dst) == d && in.Imm < uint64(len(c.opt.Vars)) {
					return in.Imm, at, true
				}
			}
			return 0, at, false
		}
		k, made := c.s.inst(d)
		if !made || c.f.Code[k].Guard != 0 {
			return 0, at, false
		}
		switch c.f.Code[k].Op {
		case ir.Mov64:
			d = c.s.ops[k*opCount]
		case ir.Add64:
			x, y := c.a.operand(k, 0), c.a.operand(k, 1)
			d = c.s.ops[k*opCount]
			if x.kind == known {
				d, y = c.s.ops[k*opCount+1], x
			}
			if y.kind != known {
				return 0, at, false
			}
			at, _ = sum(at, y, ^uint64(0))
		default:
			return 0, at, false
		}
	}
	return 0, at, false
}

// guarded returns the lanes of here whose guard may hold.
func (c *checker) guarded(i int, in *ir.Inst, here lane.Mask) lane.Mask {
	g := c.a.operand(i, opGuard)
	if g.kind != known {
		return here
	}
	var m lane.Mask
	for l := range here.Lanes() {
		if (g.at(l) != 0) != in.GuardNot {
			m |= lane.Lane(l)
		}
	}
	return m
}

// banks counts the bank conflicts of an access to shared memory. There are 32 banks of 4 bytes. An
// access of 8 or 16 bytes is made in two or four groups of lanes.
func (c *checker) banks(i int, in *ir.Inst, v value, here lane.Mask) {
	// Equal addresses are one word. Without the alignment of the unknown part, banks are not known.
	if v.kind == shared && v.align < 2 && !v.alike() || v.vec == nil {
		return
	}
	// The elements of a vector are one access.
	size, n := uint64(in.Size), 1
	if i > 0 && c.f.Code[i-1].Pos == in.Pos && c.f.Code[i-1].Op == in.Op && c.f.Code[i-1].Args[0] == in.Args[0] {
		return
	}
	for i+n < len(c.f.Code) && c.f.Code[i+n].Pos == in.Pos && c.f.Code[i+n].Op == in.Op && c.f.Code[i+n].Args[0] == in.Args[0] {
		size += uint64(c.f.Code[i+n].Size)
		n++
	}
	if size != 4 && size != 8 && size != 16 {
		return
	}
	typ := c.f.Val(in.Args[0]).Type
	part := int(32 * 4 / size)
	worst, bank := 1, 0
	var lanes lane.Mask
	for from := 0; from < 32; from += part {
		var words [32][]uint64 // by bank: the different words
		var who [32]lane.Mask
		for l := from; l < from+part; l++ {
			if !here.Has(l) {
				continue
			}
			for k := uint64(0); k < size/4; k++ {
				w := typ.Sum(v.at(l), in.Offset())/4 + k
				x := w % 32
				dup := false
				for _, y := range words[x] {
					dup = dup || y == w
				}
				who[x] |= lane.Lane(l)
				if !dup {
					words[x] = append(words[x], w)
				}
			}
		}
		for x := range words {
			if len(words[x]) > worst {
				worst, bank, lanes = len(words[x]), x, who[x]
			}
		}
	}
	if worst < 2 {
		return
	}
	where := fmt.Sprintf("bank %d", bank)
	if v.kind == shared {
		where = "one bank"
	}
	c.report(i, diag.Note, codeBankConflict, lanes, "pad the rows of the array by a word, or permute its columns", "%s %d different words of %s: the access takes %d times as long", lanes.Do("uses", "use"), worst, where, worst)
}

// uninitialised finds registers that were not written on any path, if their value has an effect (see
// flow). Compiled code often reads them without effect, for instance the padding of structures that it
// shuffles word by word.
func (c *checker) uninitialised(i int, in *ir.Inst) {
	for k := range opGuard + 1 {
		if c.s.ops[i*opCount+k] != idUndef {
			continue
		}
		r := in.Guard
		if k < opGuard {
			r = in.Args[k]
		}
		if r == 0 || c.f.Val(r).Name == "" {
			continue
		}
		sev := diag.Warning
		switch {
		case k == opGuard, !in.Op.Pure():
			sev = diag.Error
		case in.Op == ir.Mov8 || in.Op == ir.Mov16 || in.Op == ir.Mov32 || in.Op == ir.Mov64 || in.Op == ir.MovB1 || in.Op == ir.Pack16 || in.Op == ir.Pack32 || in.Op == ir.Pack64:
			continue // a copy does not use the value
		case k > 0 && (in.Op == ir.Sel16 || in.Op == ir.Sel32 || in.Op == ir.Sel64 || in.Op == ir.SelP || in.Op == ir.SelF32 || in.Op == ir.SelF64):
			continue // a choice may take the other operand
		case !c.alone(i):
			continue // an instruction of several operations may only combine pieces
		}
		if c.flow == nil {
			c.flow = newFlow(c)
		}
		switch c.flow.from(i, k) {
		case noEffect:
			continue
		case kept:
			sev = diag.Note
		}
		c.report(i, sev, codeUninitialised, 0, "write the register on a path that leads here", "%s is read, but on no path that leads here has it been written", c.f.Val(r).Name)
	}
}
